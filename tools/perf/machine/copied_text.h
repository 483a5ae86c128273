/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recognises anonymous memory that replaces a file's text.
 *
 * Some programs copy their text to anonymous memory, for huge pages, and map the copy
 * at the addresses of the text. Then the file still has the names of the code.
 */
#ifndef PERF_MACHINE_COPIED_TEXT_H
#define PERF_MACHINE_COPIED_TEXT_H

#include "symbol/symbol.h"

/**
 * struct copied_text - the text that a process unmapped last, and may have copied
 * @start: first address
 * @end: first address after the range
 * @pgoff: offset in the file of @start, in bytes
 * @dso: file; NULL: no text was unmapped
 * @tid: thread that unmapped the text
 * @time: time in ns
 */
struct copied_text {
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
	struct dso *dso;
	uint32_t tid;
	uint64_t time;
};

void copied_text_note(struct copied_text *text, const struct map_set *maps, uint64_t start,
		      uint64_t end, uint32_t tid, uint64_t time);
void copied_text_replace(struct copied_text *text, struct map *map, uint32_t tid,
			 uint64_t time);

#endif
