// SPDX-License-Identifier: GPL-2.0
/*
 * Recognises anonymous memory that replaces a file's text.
 */
#include "symbol/symbol.h"
#include "copied_text.h"

/* Maximum time, in ns, for copying the text of a large program. */
#define COPYING_TIME_MAX 1000000000ULL

/**
 * copied_text_note() - Remember executable memory that is being unmapped
 * @text: record of the process; unchanged unless the memory is text of one file
 * @maps: mappings of the process, still with the memory
 * @start: first address
 * @end: first address after the range
 * @tid: thread that unmaps the memory
 * @time: time in ns
 */
void copied_text_note(struct copied_text *text, const struct map_set *maps, uint64_t start,
		      uint64_t end, uint32_t tid, uint64_t time)
{
	const struct map *map = map_set_find(maps, start);
	uint64_t pgoff;

	if (!map || map->end < end || (map->dso->kind != DSO_FILE && !map->text))
		return;
	pgoff = map->text ? map->text_pgoff : map->pgoff;
	*text = (struct copied_text){
		.start = start, .end = end, .pgoff = pgoff + (start - map->start),
		.dso = map->text ? map->text : map->dso, .tid = tid, .time = time,
	};
}

/**
 * copied_text_replace() - Recognise anonymous memory that replaces text
 * @text: record of the process; cleared if @map is not within its text
 * @map: new executable mapping; its @text is set if it replaces text
 * @tid: thread that mapped the memory
 * @time: time in ns
 *
 * That the memory contains the text's code is a guess. The guess is made only if the
 * same thread unmapped the text just before and mapped nothing else since. Other code
 * that a program puts there without a jitdump file gets the names of the old text. A copy
 * is not recognised if it replaces several mappings of text at once, or is in a file,
 * such as one of a hugetlbfs.
 */
void copied_text_replace(struct copied_text *text, struct map *map, uint32_t tid,
			 uint64_t time)
{
	if (!text->dso)
		return;
	if (map->dso->kind != DSO_JIT || map->start < text->start || map->end > text->end ||
	    tid != text->tid || time - text->time > COPYING_TIME_MAX) {
		text->dso = NULL;
		return;
	}
	map->text = text->dso;
	map->text_pgoff = text->pgoff + (map->start - text->start);
}
