// SPDX-License-Identifier: GPL-2.0
/*
 * Text of a file that anonymous memory takes the place of.
 */
#include "symbol/symbol.h"
#include "copied_text.h"

/* Copying the text of a large program takes less, in ns. */
#define COPYING_TIME_MAX 1000000000ULL

/**
 * copied_text_note - something that could be executed is unmapped
 * @text: of the process; not changed unless it is text of one file
 * @maps: what is mapped, still
 * @start: first address
 * @end: behind the last address
 * @tid: who does it
 * @time: when, ns
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
 * copied_text_replace - something that can be executed has been mapped
 * @text: of the process; forgotten if @map is not within it
 * @map: the mapping; gets its @map->text if it is anonymous memory in the place of text
 * @tid: who did it
 * @time: when, ns
 *
 * That the memory has the text's own code in it is a guess. It is made only if the
 * same thread unmapped the text just before and no other mapping came between; a
 * program that puts other code there without saying so is taken for its old text.
 * The copy is not recognised if it replaces more than one mapping of text at once,
 * or is itself in a file, such as one of a hugetlbfs.
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
