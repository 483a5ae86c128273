/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The form of MUNMAP records in a file.
 *
 * Other tools stop at a record of an unknown type. So the file has an MMAP record of data in
 * its place: a mapping without code, which other tools ignore.
 */
#ifndef PERF_FILE_MUNMAP_FORM_H
#define PERF_FILE_MUNMAP_FORM_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "../../../include/uapi/linux/perf_counter.h"

/* Bits of an MMAP record's header.misc that no kernel sets. */
#define MISC_MUNMAP_DATA (1 << 11)	/* with MISC_MUNMAP: the unmapped range was data */
#define MISC_MUNMAP (1 << 14)		/* the record is a MUNMAP record */

/* Convert a MUNMAP record to its form in a file; other records are left alone. */
void record_to_file(struct perf_event_header *header);

/* Convert @type and @misc of a MUNMAP record in a file back to those of the kernel. */
void record_from_file(uint32_t *type, uint16_t *misc);

#endif
