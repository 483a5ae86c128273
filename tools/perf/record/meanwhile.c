// SPDX-License-Identifier: GPL-2.0
/*
 * What was recorded while what exists was read from /proc, and so may be known twice,
 * or not at all.
 *
 * What neither says is what somebody had who was gone, or had changed, when /proc was
 * read. It matters as far as others have it who were forked before: it is found with
 * them, unless they got it elsewhere, and made what their first ancestor had that was
 * there before recording began. They inherit it from there.
 */
#include <stdlib.h>
#include <string.h>

#include "meanwhile.h"
#include "munmap_form.h"
#include "record.h"
#include "util.h"

/* The fields of records, as enum perf_event_type in <linux/perf_event.h> has them. */
struct task_fields {
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

struct comm_fields {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

struct namespaces_fields {
	struct perf_event_header header;
	uint32_t pid, tid;
};

/* How both MMAP and MMAP2 start, and where their names are. */
struct mmap_fields {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
};

#define MMAP_NAME	40
#define MMAP2_NAME	72

struct cgroup_fields {
	struct perf_event_header header;
	uint64_t id;
};

struct comm_note {
	struct hash_node node;		/* by tid */
	uint64_t time;
	char name[];
};

struct map_note {
	struct hash_node node;		/* by pid */
	uint32_t pid;
	uint64_t time;
	uint64_t start, last;
	uint64_t to_file;	/* added to an address: the place in the file */
	bool of_file, data;
};

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

/* Had a thread got a name before some time, or, with NULL, any? */
static bool has_comm(const struct hash_table *comms, uint32_t tid, const char *name,
		     uint64_t until)
{
	struct hash_node *node = hash_table_first(comms, hash_number(tid));
	const struct comm_note *comm;

	for (; node; node = hash_table_next(node)) {
		comm = hash_entry(node, struct comm_note, node);
		if (comm->time < until && (!name || !strcmp(comm->name, name)))
			return true;
	}
	return false;
}

static void add_comm(struct hash_table *comms, uint32_t tid, const char *name, uint64_t time)
{
	size_t length = strlen(name);
	struct comm_note *comm;

	if (has_comm(comms, tid, name, time + 1))
		return;
	comm = xmalloc(sizeof(*comm) + length + 1);
	comm->time = time;
	memcpy(comm->name, name, length + 1);
	hash_table_add(comms, &comm->node, hash_number(tid));
}

static void note_comm(struct meanwhile *m, const struct perf_event_header *record)
{
	const struct comm_fields *c = (const struct comm_fields *)record;

	if (record->size > sizeof(*c) && memchr(c->comm, '\0', record->size - sizeof(*c)))
		add_comm(&m->comms, c->tid, c->comm, time_of(m, record));
}

/* What has no file, "//anon" or "[stack]", is at no place in it that all records know. */
static bool is_of_file(const struct perf_event_header *record)
{
	const char *name = (const char *)record +
			   (record->type == PERF_RECORD_MMAP2 ? MMAP2_NAME : MMAP_NAME);

	return name[0] == '/' && name[1] != '/';
}

static struct map_note map_of(const struct perf_event_header *record, uint64_t time)
{
	const struct mmap_fields *f = (const struct mmap_fields *)record;

	return (struct map_note){
		.pid = f->pid, .time = time,
		.start = f->addr, .last = f->addr + f->len - 1,
		.to_file = f->pgoff - f->addr, .of_file = is_of_file(record),
		.data = record->misc & PERF_RECORD_MISC_MMAP_DATA,
	};
}

/* Was what @map says mapped by a process before some time, by itself or within more? */
static bool has_map(const struct hash_table *maps, const struct map_note *map, uint32_t pid,
		    uint64_t until)
{
	struct hash_node *node = hash_table_first(maps, hash_number(pid));
	const struct map_note *other;

	for (; node; node = hash_table_next(node)) {
		other = hash_entry(node, struct map_note, node);
		if (other->time < until && other->data == map->data &&
		    other->start <= map->start && map->last <= other->last &&
		    (!map->of_file || other->to_file == map->to_file))
			return true;
	}
	return false;
}

static void add_map(struct hash_table *maps, const struct map_note *map)
{
	struct map_note *copy = xmalloc(sizeof(*copy));

	*copy = *map;
	hash_table_add(maps, &copy->node, hash_number(map->pid));
}

static void note_map(struct meanwhile *m, const struct perf_event_header *record)
{
	struct map_note map;

	if (record->size <= sizeof(struct mmap_fields))
		return;
	map = map_of(record, time_of(m, record));
	/* Both are the kernel's word: without a file, the place has to be the same as well. */
	map.of_file = true;
	if (!has_map(&m->maps, &map, map.pid, map.time + 1))
		add_map(&m->maps, &map);
}

/* What was mapped meanwhile has its record. */
static void note_gone(struct meanwhile *m, const struct perf_event_header *record, uint16_t misc)
{
	struct map_note map;
	struct gone_note *gone;

	if (record->size <= sizeof(struct mmap_fields))
		return;
	gone = xmalloc(sizeof(*gone) + record->size);
	gone->time = time_of(m, record);
	memcpy(gone->record, record, record->size);
	gone->record->type = PERF_RECORD_MMAP;
	gone->record->misc = misc;
	map = map_of(gone->record, 0);
	if (has_map(&m->maps, &map, map.pid, gone->time))
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

static bool has_new_name(void *meanwhile, uint32_t tid)
{
	const struct meanwhile *m = meanwhile;

	return has_number(&m->comms, tid);
}

/* Can a process be asked what it had? Not if the number is somebody else's now. */
static bool was_asked(const struct meanwhile *m, uint32_t pid)
{
	return has_number(&m->read_maps, pid) && !lineage_has(&m->lineage, pid);
}

/* Has /proc said of a thread the name that its first ancestor had from the beginning? */
static bool has_said(const struct meanwhile *m, uint32_t tid)
{
	struct ancestor a = { .tid = tid, .until = UINT64_MAX };

	if (!has_read_name(m, tid))
		return false;
	do {
		if (has_comm(&m->comms, a.tid, NULL, a.until))
			return false;
	} while (lineage_up(&m->lineage, &a));
	return true;
}

/* First ancestors whose names are known: their own words, or those of who has inherited them. */
static void note_named(const struct meanwhile *m, struct fork *const *forks,
		       struct hash_table *named)
{
	size_t i;

	for (i = 0; i < m->lineage.forks.nr; i++) {
		const struct fork *f = forks[i];

		if (has_said(m, f->origin) || has_said(m, f->tid))
			note_number(named, f->origin);
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
	struct fork **forks = lineage_resolve(&m->lineage, has_new_name, m);
	struct hash_table named = { 0 };
	size_t i;

	note_named(m, forks, &named);
	for (i = 0; i < m->lineage.forks.nr; i++) {
		const struct fork *f = forks[i];
		bool is_named = has_number(&named, f->origin);

		if (f->pid == f->tid) {
			if (f->changed || !is_named || !was_asked(m, f->first))
				list_heir(m, f->pid, heirs);
		} else if (!is_named && can_name(m, f) && !int_list_has(nameless, f->pid)) {
			int_list_add(nameless, f->pid);
		}
	}
	hash_table_free_all(&named, hash_node_free);
	free(forks);
}

/*
 * Is a mapping one that the first ancestor of @a had before recording began? It is not if
 * somebody on the way has mapped it since.
 */
static bool is_inherited(const struct meanwhile *m, const struct map_note *map,
			 struct ancestor a)
{
	do {
		if (has_map(&m->maps, map, a.pid, a.until))
			return false;
	} while (lineage_up(&m->lineage, &a));
	return true;
}

/* Make it one of the first ancestor of @a, unless there is a record that says so already. */
static bool take_map(struct meanwhile *m, struct perf_event_header *record, struct ancestor a)
{
	struct mmap_fields *f = (struct mmap_fields *)record;
	struct map_note map = map_of(record, 0);
	uint32_t first = lineage_first(&m->lineage, &a);

	if (has_map(&m->written, &map, first, UINT64_MAX) || !is_inherited(m, &map, a))
		return false;
	if (f->pid != first) {
		f->pid = first;
		f->tid = first;
		map.pid = first;
	}
	add_map(&m->written, &map);
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
		if (has_comm(&m->comms, a.tid, c->comm, a.until))
			return false;
	} while (lineage_up(&m->lineage, &a));
	if (has_comm(&m->written_comms, a.tid, c->comm, UINT64_MAX))
		return false;
	add_comm(&m->written_comms, a.tid, c->comm, 0);
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
	hash_table_free_all(&m->comms, hash_node_free);
	hash_table_free_all(&m->maps, hash_node_free);
	hash_table_free_all(&m->gone, hash_node_free);
	hash_table_free_all(&m->cgroups, hash_node_free);
	hash_table_free_all(&m->read_maps, hash_node_free);
	hash_table_free_all(&m->read_comms, hash_node_free);
	hash_table_free_all(&m->heirs, hash_node_free);
	hash_table_free_all(&m->written, hash_node_free);
	hash_table_free_all(&m->written_comms, hash_node_free);
}
