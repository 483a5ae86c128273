/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text of a file that anonymous memory takes the place of.
 *
 * Some programs copy their own text to anonymous memory, for huge pages, and put
 * that where the text was. What runs there is the file's code still.
 */
#ifndef PERF_MACHINE_COPIED_TEXT_H
#define PERF_MACHINE_COPIED_TEXT_H

#include "symbol/symbol.h"

/**
 * struct copied_text - the file's text that a process unmapped last
 * @start: first address
 * @end: behind the last address
 * @pgoff: offset in the file of @start
 * @dso: the file; NULL: there is none
 * @tid: the thread that did it
 * @time: when, ns
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
