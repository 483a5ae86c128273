// SPDX-License-Identifier: GPL-2.0
/*
 * What was recorded while what exists was read from /proc, and so may be known twice,
 * or not at all.
 *
 * What neither says is what somebody had who was gone, or had changed, when /proc was
 * read. It matters as far as others have it who were forked before: it is found with
 * them, unless they got it elsewhere, and made what their origin had, which was there
 * before recording began. They inherit it from there. attach.c has the picture.
 */
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "util/util.h"
#include "meanwhile.h"

struct gone_note {
	struct hash_node node;
	uint64_t time;
	struct perf_event_header record[];	/* the MMAP record that there was none of */
};

static uint64_t time_of(const struct meanwhile *m, const struct perf_event_header *record)
{
	return record_side_band_time(m->attr, record);
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

static void note_fork(struct meanwhile *m, const struct perf_event_header *record)
{
	const struct task_fields *t = (const struct task_fields *)record;
	struct fork fork;

	if (record->size < sizeof(*t))
		return;
	fork = (struct fork){ .pid = t->pid, .ppid = t->ppid, .tid = t->tid, .ptid = t->ptid,
			      .time = time_of(m, record) };
	lineage_add(&m->lineage, &fork);
}

static void note_exit(struct meanwhile *m, const struct perf_event_header *record)
{
	const struct task_fields *t = (const struct task_fields *)record;

	if (record->size >= sizeof(*t))
		lineage_add_end(&m->lineage, t->tid, time_of(m, record));
}

static void note_cgroup(struct meanwhile *m, const struct perf_event_header *record)
{
	const struct cgroup_fields *c = (const struct cgroup_fields *)record;

	if (record->size >= sizeof(*c))
		note_number(&m->cgroups, c->id);
}

static void note_comm(struct meanwhile *m, const struct perf_event_header *record)
{
	const struct comm_fields *c = (const struct comm_fields *)record;

	if (record->size > sizeof(*c) && memchr(c->comm, '\0', record->size - sizeof(*c)))
		history_add_comm(&m->recorded, c->tid, c->comm, time_of(m, record));
}

static void note_map(struct meanwhile *m, const struct perf_event_header *record)
{
	uint64_t time = time_of(m, record);
	struct mapping map;

	if (record->size <= sizeof(struct mmap_fields))
		return;
	map = mapping_of(record);
	/* Both are the kernel's word: without a file, the place has to be the same as well. */
	map.of_file = true;
	if (!history_has_map(&m->recorded, &map, map.pid, time + 1))
		history_add_map(&m->recorded, &map, time);
}

/* What was mapped meanwhile has its record. */
static void note_gone(struct meanwhile *m, const struct perf_event_header *record, uint16_t misc)
{
	struct gone_note *gone;
	struct mapping map;

	if (record->size <= sizeof(struct mmap_fields))
		return;
	gone = xmalloc(sizeof(*gone) + record->size);
	gone->time = time_of(m, record);
	memcpy(gone->record, record, record->size);
	gone->record->type = PERF_RECORD_MMAP;
	gone->record->misc = misc;
	map = mapping_of(gone->record);
	if (history_has_map(&m->recorded, &map, map.pid, gone->time))
		free(gone);
	else
		hash_table_add(&m->gone, &gone->node, hash_number(map.pid));
}

void meanwhile_note(struct meanwhile *m, const struct perf_event_header *record)
{
	uint32_t type = record->type;
	uint16_t misc = record->misc;

	record_from_file(&type, &misc);
	switch (type) {
	case PERF_RECORD_FORK:
		note_fork(m, record);
		break;
	case PERF_RECORD_EXIT:
		note_exit(m, record);
		break;
	case PERF_RECORD_COMM:
		note_comm(m, record);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		note_map(m, record);
		break;
	case PERF_RECORD_MUNMAP:
		note_gone(m, record, misc);
		break;
	case PERF_RECORD_CGROUP:
		note_cgroup(m, record);
		break;
	}
}

void meanwhile_note_made_up(struct meanwhile *m, const struct perf_event_header *made_up)
{
	if (made_up->type == PERF_RECORD_MMAP || made_up->type == PERF_RECORD_MMAP2)
		note_number(&m->read_maps, ((const struct mmap_fields *)made_up)->pid);
	else if (made_up->type == PERF_RECORD_COMM)
		note_number(&m->read_comms, ((const struct comm_fields *)made_up)->tid);
}

static bool has_read_name(const struct meanwhile *m, uint32_t tid)
{
	return has_number(&m->read_comms, tid);
}

bool meanwhile_may_name(const struct meanwhile *m, uint32_t tid)
{
	return lineage_has(&m->lineage, tid) && !has_read_name(m, tid);
}

/* Can a process be asked what it had? Not if the number is somebody else's now. */
static bool was_asked(const struct meanwhile *m, uint32_t pid)
{
	return has_number(&m->read_maps, pid) && !lineage_has(&m->lineage, pid);
}

/* Has /proc said of a thread the name that its origin had from the beginning? */
static bool has_said(const struct meanwhile *m, uint32_t tid)
{
	struct ancestor a = { .tid = tid, .until = UINT64_MAX };

	if (!has_read_name(m, tid))
		return false;
	do {
		if (history_has_comm(&m->recorded, a.tid, NULL, a.until))
			return false;
	} while (lineage_up(&m->lineage, &a));
	return true;
}

/* Origins whose names are known: their own words, or those of who has inherited them. */
static void note_named(const struct meanwhile *m, struct fork *const *forks,
		       struct hash_table *named)
{
	size_t i;

	for (i = 0; i < m->lineage.forks.nr; i++) {
		const struct fork *f = forks[i];

		if (has_said(m, f->origin_tid) || has_said(m, f->tid))
			note_number(named, f->origin_tid);
	}
}

/* Can a thread be asked still? Those of a new process are asked with it. */
static bool can_name(const struct meanwhile *m, const struct fork *f)
{
	return !lineage_has(&m->lineage, f->pid) && lineage_lives(&m->lineage, f) &&
	       !has_read_name(m, f->tid);
}

static void list_heir(struct meanwhile *m, uint32_t pid, struct int_list *heirs)
{
	if (has_number(&m->heirs, pid))
		return;
	note_number(&m->heirs, pid);
	int_list_add(heirs, pid);
}

void meanwhile_list_heirs(struct meanwhile *m, struct int_list *heirs, struct int_list *nameless)
{
	struct fork **forks = lineage_resolve(&m->lineage, &m->recorded.comms);
	struct hash_table named = { 0 };
	size_t i;

	note_named(m, forks, &named);
	for (i = 0; i < m->lineage.forks.nr; i++) {
		const struct fork *f = forks[i];
		bool is_named = has_number(&named, f->origin_tid);

		if (f->pid == f->tid) {
			if (f->renamed || !is_named || !was_asked(m, f->origin_pid))
				list_heir(m, f->pid, heirs);
		} else if (!is_named && can_name(m, f) && !int_list_has(nameless, f->pid)) {
			int_list_add(nameless, f->pid);
		}
	}
	hash_table_free_all(&named, hash_node_free);
	free(forks);
}

/*
 * Make a mapping of @a one of its origin. It is none if somebody on the way has mapped it
 * since, and there is nothing to be done if a record says it already.
 */
static bool take_map(struct meanwhile *m, struct perf_event_header *record, struct ancestor a)
{
	struct mmap_fields *f = (struct mmap_fields *)record;
	struct mapping map = mapping_of(record);

	do {
		if (history_has_map(&m->recorded, &map, a.pid, a.until))
			return false;
	} while (lineage_up(&m->lineage, &a));
	if (history_has_map(&m->written, &map, a.pid, UINT64_MAX))
		return false;
	if (f->pid != a.pid) {
		f->pid = a.pid;
		f->tid = a.pid;
		map.pid = a.pid;
	}
	history_add_map(&m->written, &map, 0);
	return true;
}

/*
 * What is recorded after the first fork of who was there before says nothing of what the
 * child got. Those who came to be themselves got it from an ancestor, or recorded it.
 */
static bool needs_map(struct meanwhile *m, struct perf_event_header *made_up)
{
	uint32_t pid = ((const struct mmap_fields *)made_up)->pid;
	struct ancestor a = { pid, pid, UINT64_MAX };

	if (!lineage_has(&m->lineage, pid))
		a.until = lineage_first_by_process(&m->lineage, pid);
	return take_map(m, made_up, a);
}

static bool needs_comm(struct meanwhile *m, struct perf_event_header *made_up)
{
	struct comm_fields *c = (struct comm_fields *)made_up;
	struct ancestor a = { c->pid, c->tid, UINT64_MAX };

	if (!lineage_has(&m->lineage, c->tid))
		a.until = lineage_first_by_thread(&m->lineage, c->tid);
	do {
		if (history_has_comm(&m->recorded, a.tid, c->comm, a.until))
			return false;
	} while (lineage_up(&m->lineage, &a));
	if (history_has_comm(&m->written, a.tid, c->comm, UINT64_MAX))
		return false;
	history_add_comm(&m->written, a.tid, c->comm, 0);
	c->pid = a.pid;
	c->tid = a.tid;
	return true;
}

bool meanwhile_needs(struct meanwhile *m, struct perf_event_header *made_up)
{
	switch (made_up->type) {
	case PERF_RECORD_FORK:
		return !lineage_has(&m->lineage, ((const struct task_fields *)made_up)->tid);
	case PERF_RECORD_NAMESPACES:
		return !lineage_has(&m->lineage,
				    ((const struct namespaces_fields *)made_up)->tid);
	case PERF_RECORD_CGROUP:
		return !has_number(&m->cgroups, ((const struct cgroup_fields *)made_up)->id);
	case PERF_RECORD_COMM:
		return needs_comm(m, made_up);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return needs_map(m, made_up);
	}
	return true;
}

int meanwhile_each_gone(struct meanwhile *m, ring_sink fn, void *context)
{
	struct hash_node **nodes = hash_table_nodes(&m->gone);
	size_t i, id_size = record_id_size(m->attr->sample_type);
	struct perf_event_header *record;
	const struct mmap_fields *f;
	struct gone_note *gone;
	int status = 0;

	for (i = 0; !status && i < m->gone.nr; i++) {
		gone = hash_entry(nodes[i], struct gone_note, node);
		record = gone->record;
		f = (const struct mmap_fields *)record;
		if (!take_map(m, record, (struct ancestor){ f->pid, f->tid, gone->time }))
			continue;
		memset((char *)record + record->size - id_size, 0, id_size);
		status = fn(context, record, record->size);
	}
	free(nodes);
	return status;
}

void meanwhile_free(struct meanwhile *m)
{
	lineage_free(&m->lineage);
	history_free(&m->recorded);
	history_free(&m->written);
	hash_table_free_all(&m->gone, hash_node_free);
	hash_table_free_all(&m->cgroups, hash_node_free);
	hash_table_free_all(&m->read_maps, hash_node_free);
	hash_table_free_all(&m->read_comms, hash_node_free);
	hash_table_free_all(&m->heirs, hash_node_free);
}
