// SPDX-License-Identifier: GPL-2.0
/* Fields of records whose place depends on the type of the record. */
#include <stddef.h>
#include <string.h>

#include "fields.h"

const char *mmap_filename(const struct perf_event_header *record)
{
	size_t at = record->type == PERF_RECORD_MMAP2 ? offsetof(struct mmap2_fields, filename) :
							offsetof(struct mmap_fields, filename);
	const char *name = (const char *)record + at;

	return record->size > at && memchr(name, '\0', record->size - at) ? name : NULL;
}
