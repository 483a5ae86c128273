// SPDX-License-Identifier: GPL-2.0
/*
 * The race between reading /proc and the kernel's records of the same time: facts may be recorded
 * twice, or not at all.
 *
 * A name or a mapping is in neither place if its task exited or changed before /proc was read. The
 * loss matters if the task had passed the name or the mapping on to children, where /proc shows it.
 * If no record says how the children got it, it is written as a property of the task from which
 * they descend, and a reader lets them inherit it. The comment at the top of attach.c draws an
 * example.
 */
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "util/util.h"
#include "proc_race.h"

struct unmapped_note {
	struct hash_node node;
	uint64_t time;
	struct perf_event_header record[];	/* an MMAP record for the unmapped range */
};

static uint64_t time_of(const struct proc_race *race, const struct perf_event_header *record)
{
	return record_side_band_time(race->attr, record);
}

static bool has_number(const struct hash_table *table, uint64_t number)
{
	return hash_table_first(table, hash_number(number));
}

static void note_number(struct hash_table *table, uint64_t number)
{
	if (!has_number(table, number))
		hash_table_add(table, xmalloc(sizeof(struct hash_node)), hash_number(number));
}

static void note_fork(struct proc_race *race, const struct perf_event_header *record)
{
	const struct task_fields *t = (const struct task_fields *)record;
	struct fork fork;

	if (record->size < sizeof(*t))
		return;
	fork = (struct fork){ .pid = t->pid, .ppid = t->ppid, .tid = t->tid, .ptid = t->ptid,
			      .time = time_of(race, record) };
	lineage_add(&race->lineage, &fork);
}

static void note_exit(struct proc_race *race, const struct perf_event_header *record)
{
	const struct task_fields *t = (const struct task_fields *)record;

	if (record->size >= sizeof(*t))
		lineage_add_end(&race->lineage, t->tid, time_of(race, record));
}

static void note_cgroup(struct proc_race *race, const struct perf_event_header *record)
{
	const struct cgroup_fields *c = (const struct cgroup_fields *)record;

	if (record->size >= sizeof(*c))
		note_number(&race->cgroups, c->id);
}

static void note_comm(struct proc_race *race, const struct perf_event_header *record)
{
	const struct comm_fields *c = (const struct comm_fields *)record;

	if (record->size > sizeof(*c) && memchr(c->comm, '\0', record->size - sizeof(*c)))
		history_add_comm(&race->recorded, c->tid, c->comm, time_of(race, record));
}

static void note_map(struct proc_race *race, const struct perf_event_header *record)
{
	uint64_t time = time_of(race, record);
	struct mapping map;

	if (record->size <= sizeof(struct mmap_fields))
		return;
	map = mapping_of(record);
	/*
	 * Compare the offset, too: both records are the kernel's, which reports offsets of
	 * anonymous mappings consistently.
	 */
	map.of_file = true;
	if (!history_has_map(&race->recorded, &map, map.pid, time + 1))
		history_add_map(&race->recorded, &map, time);
}

/* Note an unmapping, unless the mapping itself was recorded. */
static void note_unmapped(struct proc_race *race, const struct perf_event_header *record,
			  uint16_t misc)
{
	struct unmapped_note *unmapped;
	struct mapping map;

	if (record->size <= sizeof(struct mmap_fields))
		return;
	unmapped = xmalloc(sizeof(*unmapped) + record->size);
	unmapped->time = time_of(race, record);
	memcpy(unmapped->record, record, record->size);
	unmapped->record->type = PERF_RECORD_MMAP;
	unmapped->record->misc = misc;
	map = mapping_of(unmapped->record);
	if (history_has_map(&race->recorded, &map, map.pid, unmapped->time))
		free(unmapped);
	else
		hash_table_add(&race->unmapped, &unmapped->node, hash_number(map.pid));
}

void proc_race_note(struct proc_race *race, const struct perf_event_header *record)
{
	uint32_t type = record->type;
	uint16_t misc = record->misc;

	record_from_file(&type, &misc);
	switch (type) {
	case PERF_RECORD_FORK:
		note_fork(race, record);
		break;
	case PERF_RECORD_EXIT:
		note_exit(race, record);
		break;
	case PERF_RECORD_COMM:
		note_comm(race, record);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		note_map(race, record);
		break;
	case PERF_RECORD_MUNMAP:
		note_unmapped(race, record, misc);
		break;
	case PERF_RECORD_CGROUP:
		note_cgroup(race, record);
		break;
	}
}

void proc_race_note_synthesized(struct proc_race *race,
				const struct perf_event_header *synthesized)
{
	if (synthesized->type == PERF_RECORD_MMAP || synthesized->type == PERF_RECORD_MMAP2)
		note_number(&race->read_maps, ((const struct mmap_fields *)synthesized)->pid);
	else if (synthesized->type == PERF_RECORD_COMM)
		note_number(&race->read_comms, ((const struct comm_fields *)synthesized)->tid);
}

static bool has_read_name(const struct proc_race *race, uint32_t tid)
{
	return has_number(&race->read_comms, tid);
}

bool proc_race_inherits_name(const struct proc_race *race, uint32_t tid)
{
	return lineage_has(&race->lineage, tid) && !has_read_name(race, tid);
}

/*
 * Return true if the mappings of a process from before the recording have been read. They have not
 * been read if the pid was reused.
 */
static bool was_read(const struct proc_race *race, uint32_t pid)
{
	return has_number(&race->read_maps, pid) && !lineage_has(&race->lineage, pid);
}

/*
 * Return true if the name of a thread in /proc is the name that its origin had before the
 * recording.
 */
static bool name_is_known(const struct proc_race *race, uint32_t tid)
{
	struct ancestor a = { .tid = tid, .until = UINT64_MAX };

	if (!has_read_name(race, tid))
		return false;
	do {
		if (history_has_comm(&race->recorded, a.tid, NULL, a.until))
			return false;
	} while (lineage_up(&race->lineage, &a));
	return true;
}

/*
 * Note the origins whose names are known: read from the origin, or from a child that inherited the
 * name.
 */
static void note_named(const struct proc_race *race, struct fork *const *forks,
		       struct hash_table *named)
{
	size_t i;

	for (i = 0; i < race->lineage.forks.nr; i++) {
		const struct fork *f = forks[i];

		if (name_is_known(race, f->origin_tid) || name_is_known(race, f->tid))
			note_number(named, f->origin_tid);
	}
}

/*
 * Return true if the name of a thread can still be read. The threads of a new process are read
 * together with the process.
 */
static bool can_read_name(const struct proc_race *race, const struct fork *f)
{
	return !lineage_has(&race->lineage, f->pid) && lineage_lives(&race->lineage, f) &&
	       !has_read_name(race, f->tid);
}

static void list_child(struct proc_race *race, uint32_t pid, struct int_list *children)
{
	if (has_number(&race->children, pid))
		return;
	note_number(&race->children, pid);
	int_list_add(children, pid);
}

void proc_race_list_children(struct proc_race *race, struct int_list *children,
			     struct int_list *nameless)
{
	struct fork **forks = lineage_resolve(&race->lineage, &race->recorded.comms);
	struct hash_table named = { 0 };
	size_t i;

	note_named(race, forks, &named);
	for (i = 0; i < race->lineage.forks.nr; i++) {
		const struct fork *f = forks[i];
		bool is_named = has_number(&named, f->origin_tid);

		if (f->pid == f->tid) {
			if (f->renamed || !is_named || !was_read(race, f->origin_pid))
				list_child(race, f->pid, children);
		} else if (!is_named && can_read_name(race, f) && !int_list_has(nameless, f->pid)) {
			int_list_add(nameless, f->pid);
		}
	}
	hash_table_free_all(&named, hash_node_free);
	free(forks);
}

/*
 * Change a mapping of @a to a mapping of its origin. Return: false if @a, or a task between @a and
 * its origin, has mapped it since recording began, or if the record has been written already.
 */
static bool move_to_origin(struct proc_race *race, struct perf_event_header *record,
			   struct ancestor a)
{
	struct mmap_fields *f = (struct mmap_fields *)record;
	struct mapping map = mapping_of(record);

	do {
		if (history_has_map(&race->recorded, &map, a.pid, a.until))
			return false;
	} while (lineage_up(&race->lineage, &a));
	if (history_has_map(&race->written, &map, a.pid, UINT64_MAX))
		return false;
	if (f->pid != a.pid) {
		f->pid = a.pid;
		f->tid = a.pid;
		map.pid = a.pid;
	}
	history_add_map(&race->written, &map, 0);
	return true;
}

/*
 * Return true if a synthesized mapping has to be written. For a process from before the recording,
 * only records before its first fork matter, because later records say nothing about what the child
 * inherited. A process that was forked since then inherited the mapping from an ancestor, or a
 * record shows the mapping.
 */
static bool needs_map(struct proc_race *race, struct perf_event_header *synthesized)
{
	uint32_t pid = ((const struct mmap_fields *)synthesized)->pid;
	struct ancestor a = { pid, pid, UINT64_MAX };

	if (!lineage_has(&race->lineage, pid))
		a.until = lineage_first_by_process(&race->lineage, pid);
	return move_to_origin(race, synthesized, a);
}

static bool needs_comm(struct proc_race *race, struct perf_event_header *synthesized)
{
	struct comm_fields *c = (struct comm_fields *)synthesized;
	struct ancestor a = { c->pid, c->tid, UINT64_MAX };

	if (!lineage_has(&race->lineage, c->tid))
		a.until = lineage_first_by_thread(&race->lineage, c->tid);
	do {
		if (history_has_comm(&race->recorded, a.tid, c->comm, a.until))
			return false;
	} while (lineage_up(&race->lineage, &a));
	if (history_has_comm(&race->written, a.tid, c->comm, UINT64_MAX))
		return false;
	history_add_comm(&race->written, a.tid, c->comm, 0);
	c->pid = a.pid;
	c->tid = a.tid;
	return true;
}

bool proc_race_needs(struct proc_race *race, struct perf_event_header *synthesized)
{
	switch (synthesized->type) {
	case PERF_RECORD_FORK:
		return !lineage_has(&race->lineage, ((const struct task_fields *)synthesized)->tid);
	case PERF_RECORD_NAMESPACES:
		return !lineage_has(&race->lineage,
				    ((const struct namespaces_fields *)synthesized)->tid);
	case PERF_RECORD_CGROUP:
		return !has_number(&race->cgroups, ((const struct cgroup_fields *)synthesized)->id);
	case PERF_RECORD_COMM:
		return needs_comm(race, synthesized);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return needs_map(race, synthesized);
	}
	return true;
}

int proc_race_each_unmapped(struct proc_race *race, ring_sink fn, void *context)
{
	struct hash_node **nodes = hash_table_nodes(&race->unmapped);
	size_t i, id_size = record_id_size(race->attr->sample_type);
	struct perf_event_header *record;
	const struct mmap_fields *f;
	struct unmapped_note *unmapped;
	int status = 0;

	for (i = 0; !status && i < race->unmapped.nr; i++) {
		unmapped = hash_entry(nodes[i], struct unmapped_note, node);
		record = unmapped->record;
		f = (const struct mmap_fields *)record;
		if (!move_to_origin(race, record,
				    (struct ancestor){ f->pid, f->tid, unmapped->time }))
			continue;
		memset((char *)record + record->size - id_size, 0, id_size);
		status = fn(context, record, record->size);
	}
	free(nodes);
	return status;
}

void proc_race_free(struct proc_race *race)
{
	lineage_free(&race->lineage);
	history_free(&race->recorded);
	history_free(&race->written);
	hash_table_free_all(&race->unmapped, hash_node_free);
	hash_table_free_all(&race->cgroups, hash_node_free);
	hash_table_free_all(&race->read_maps, hash_node_free);
	hash_table_free_all(&race->read_comms, hash_node_free);
	hash_table_free_all(&race->children, hash_node_free);
}
