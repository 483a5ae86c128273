/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a MUNMAP record is kept in a file.
 *
 * Other tools stop at a record of a type that they do not know. For them it is an
 * MMAP record of data: something that is mapped and has no code.
 */
#ifndef PERF_FILE_MUNMAP_FORM_H
#define PERF_FILE_MUNMAP_FORM_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "../../../include/uapi/linux/perf_counter.h"

/* Bits of an MMAP record's header.misc that no kernel sets. */
#define MISC_MUNMAP_DATA (1 << 11)	/* what goes was data; with MISC_MUNMAP only */
#define MISC_MUNMAP (1 << 14)		/* it is a MUNMAP record */

/* Make a MUNMAP record one that may be in a file; any other is left alone. */
void record_to_file(struct perf_event_header *header);

/* If a record's @type and @misc are those of a MUNMAP record in a file: what they were. */
void record_from_file(uint32_t *type, uint16_t *misc);

#endif
