// SPDX-License-Identifier: GPL-2.0
/*
 * The generated code of a process at one time, by its jitdump files.
 */
#include <stdlib.h>

#include "symbol/symbol.h"
#include "util/util.h"
#include "jit_code.h"

/**
 * jit_code_add() - Add a jitdump file that a process writes
 * @code: generated code of the process
 * @dump: jitdump file; adding it again has no effect
 */
void jit_code_add(struct jit_code *code, const struct jitdump *dump)
{
	size_t i;

	for (i = 0; i < code->nr; i++) {
		if (code->positions[i].dump == dump)
			return;
	}
	code->positions = xreallocarray(code->positions, code->nr + 1, sizeof(*code->positions));
	code->positions[code->nr++] = (struct jit_position){ .dump = dump };
	if (!code->maps)
		code->maps = map_set_new();
}

/* Remove the part of a moved function that is still mapped at its old address. */
static void remove_old(struct map_set *maps, const struct jit_event *event, struct dso *dso)
{
	const struct map *map = map_set_find(maps, event->old_addr);

	if (map && map->dso == dso && map->pgoff == event->offset)
		map_set_remove(maps, map->start, map->end, NULL);
}

static void apply(struct jit_code *code, const struct jit_event *event, struct dso *dso)
{
	if (event->moved)
		remove_old(code->maps, event, dso);
	map_set_insert(code->maps, event->addr, event->addr + event->size, event->offset, dso);
}

/**
 * jit_code_advance() - Apply the events up to a time
 * @code: generated code of the process
 * @time: time in ns; an earlier time than before has no effect
 */
void jit_code_advance(struct jit_code *code, uint64_t time)
{
	size_t i;

	for (i = 0; i < code->nr; i++) {
		struct jit_position *p = &code->positions[i];
		const struct jitdump *dump = p->dump;

		while (p->next < dump->nr && (dump->untimed || dump->events[p->next].time <= time))
			apply(code, &dump->events[p->next++], dump->dso);
	}
}

/* Remove generated code from the addresses where a file has been mapped. */
void jit_code_unmap(struct jit_code *code, uint64_t start, uint64_t end)
{
	if (code->maps)
		map_set_remove(code->maps, start, end, NULL);
}

/* Return the generated code at an address, or NULL. */
const struct map *jit_code_find(const struct jit_code *code, uint64_t addr)
{
	return code->maps ? map_set_find(code->maps, addr) : NULL;
}

/*
 * Give a new child the code that its parent has now. Later events of the parent are not applied to
 * the child.
 */
void jit_code_fork(struct jit_code *child, const struct jit_code *parent)
{
	if (parent->maps)
		child->maps = map_set_copy(parent->maps);
}

void jit_code_free(struct jit_code *code)
{
	map_set_free(code->maps);
	free(code->positions);
	*code = (struct jit_code){ 0 };
}
