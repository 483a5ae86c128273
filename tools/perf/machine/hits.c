// SPDX-License-Identifier: GPL-2.0
/* The dsos that samples hit, without looking at functions. */
#include <string.h>

#include "callchain.h"
#include "hits.h"

static void mark(const struct map *map)
{
	if (!map)
		return;
	map->dso->hit = true;
	if (map->text)
		map->text->hit = true;
}

static void mark_at(struct machine *machine, const struct process *process, enum cpu_mode mode,
		    uint64_t ip)
{
	if (mode == MODE_KERNEL)
		mark(map_set_find(machine->kernel_maps, ip));
	else if (mode == MODE_USER)
		mark(process_find_map(process, ip));
}

static void mark_chain(struct machine *machine, const struct process *process,
		       const struct record *record)
{
	const struct sample *sample = &record->sample;
	enum cpu_mode mode = cpu_mode_of(record->misc);
	uint64_t i;

	for (i = 0; i < sample->chain_nr; i++) {
		if (sample->chain[i] < PERF_CONTEXT_MAX)
			mark_at(machine, process, mode, sample->chain[i]);
		else if (!callchain_mode(sample->chain[i], &mode))
			return;
	}
}

static void mark_stack(const struct process *process, const struct sample *sample)
{
	uint64_t at, word;

	for (at = 0; at + sizeof(word) <= sample->user_stack_used; at += sizeof(word)) {
		memcpy(&word, (const char *)sample->user_stack + at, sizeof(word));
		mark(process_find_map(process, word));
	}
}

static void mark_branches(struct machine *machine, const struct process *process,
			  const struct branch_stack *branches)
{
	struct perf_branch_entry branch;
	uint64_t i;

	for (i = 0; i < branches->nr; i++) {
		branch = branch_get(branches, i);
		mark(process_find_map(process, branch.from));
		mark(process_find_map(process, branch.to));
		mark(map_set_find(machine->kernel_maps, branch.from));
		mark(map_set_find(machine->kernel_maps, branch.to));
	}
}

void machine_mark_hits(struct machine *machine, const struct record *record)
{
	const struct process *process;

	if (record->type != PERF_RECORD_SAMPLE)
		return;
	process = thread_get(&machine->threads, record->id.pid, record->id.tid)->process;
	mark_at(machine, process, cpu_mode_of(record->misc), record->sample.ip);
	mark_chain(machine, process, record);
	mark_branches(machine, process, &record->sample.branches);
	mark_stack(process, &record->sample);
}
