/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text of a file that anonymous memory takes the place of.
 *
 * Some programs copy their own text to anonymous memory, for huge pages, and put
 * that where the text was. What runs there is the file's code still.
 */
#ifndef PERF_MACHINE_REMOVED_TEXT_H
#define PERF_MACHINE_REMOVED_TEXT_H

#include "symbol/symbol.h"

/**
 * struct removed_text - the file's text that a process unmapped last
 * @start: first address
 * @end: behind the last address
 * @pgoff: offset in the file of @start
 * @dso: the file; NULL: there is none
 * @tid: the thread that did it
 * @time: when, ns
 */
struct removed_text {
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
	struct dso *dso;
	uint32_t tid;
	uint64_t time;
};

void removed_text_note(struct removed_text *text, const struct map_set *maps, uint64_t start,
		       uint64_t end, uint32_t tid, uint64_t time);
void removed_text_replace(struct removed_text *text, struct map *map, uint32_t tid,
			  uint64_t time);

#endif
