// SPDX-License-Identifier: GPL-2.0
/* The form of MUNMAP records in a file. */
#include "munmap_form.h"

void record_to_file(struct perf_event_header *header)
{
	if (header->type != PERF_RECORD_MUNMAP)
		return;
	header->type = PERF_RECORD_MMAP;
	if (header->misc & PERF_RECORD_MISC_MMAP_DATA)
		header->misc |= MISC_MUNMAP_DATA;
	header->misc |= PERF_RECORD_MISC_MMAP_DATA | MISC_MUNMAP;
}

void record_from_file(uint32_t *type, uint16_t *misc)
{
	if (*type != PERF_RECORD_MMAP || !(*misc & MISC_MUNMAP))
		return;
	*type = PERF_RECORD_MUNMAP;
	if (!(*misc & MISC_MUNMAP_DATA))
		*misc &= ~PERF_RECORD_MISC_MMAP_DATA;
	*misc &= ~(MISC_MUNMAP | MISC_MUNMAP_DATA);
}
