// SPDX-License-Identifier: GPL-2.0
/*
 * What was recorded while what exists was read from /proc, and so may be known twice,
 * or not at all.
 */
#include <stdlib.h>
#include <string.h>

#include "meanwhile.h"
#include "munmap_form.h"
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
	char name[];
};

struct map_note {
	struct hash_node node;		/* by pid */
	uint32_t pid;
	uint64_t start, last;
	uint64_t to_file;	/* added to an address: the place in the file */
	bool data;
};

struct gone_note {
	struct hash_node node;		/* by pid */
	struct perf_event_header record[];	/* the MMAP record that there was none of */
};

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

	if (record->size >= sizeof(*t))
		note_number(&m->forks, t->tid);
}

static void note_cgroup(struct meanwhile *m, const struct perf_event_header *record)
{
	const struct cgroup_fields *c = (const struct cgroup_fields *)record;

	if (record->size >= sizeof(*c))
		note_number(&m->cgroups, c->id);
}

static bool has_comm(const struct meanwhile *m, uint32_t tid, const char *name)
{
	struct hash_node *node = hash_table_first(&m->comms, hash_number(tid));

	for (; node; node = hash_table_next(node)) {
		if (!strcmp(hash_entry(node, struct comm_note, node)->name, name))
			return true;
	}
	return false;
}

static void note_comm(struct meanwhile *m, const struct perf_event_header *record)
{
	const struct comm_fields *c = (const struct comm_fields *)record;
	struct comm_note *comm;
	size_t length;

	if (record->size <= sizeof(*c) || !memchr(c->comm, '\0', record->size - sizeof(*c)) ||
	    has_comm(m, c->tid, c->comm))
		return;
	length = strlen(c->comm);
	comm = xmalloc(sizeof(*comm) + length + 1);
	memcpy(comm->name, c->comm, length + 1);
	hash_table_add(&m->comms, &comm->node, hash_number(c->tid));
}

static struct map_note map_of(const struct perf_event_header *record)
{
	const struct mmap_fields *f = (const struct mmap_fields *)record;

	return (struct map_note){
		.pid = f->pid, .start = f->addr, .last = f->addr + f->len - 1,
		.to_file = f->pgoff - f->addr,
		.data = record->misc & PERF_RECORD_MISC_MMAP_DATA,
	};
}

static bool has_map(const struct hash_table *maps, const struct map_note *map, bool of_file)
{
	struct hash_node *node = hash_table_first(maps, hash_number(map->pid));
	const struct map_note *other;

	for (; node; node = hash_table_next(node)) {
		other = hash_entry(node, struct map_note, node);
		if (other->data == map->data && other->start <= map->start &&
		    map->last <= other->last &&
		    (!of_file || other->to_file == map->to_file))
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

	if (record->size < sizeof(struct mmap_fields))
		return;
	map = map_of(record);
	if (!has_map(&m->maps, &map, true))
		add_map(&m->maps, &map);
}

/* What has no file, "//anon" or "[stack]", is at no place in it that all records know. */
static bool is_of_file(const struct perf_event_header *record)
{
	const char *name = (const char *)record +
			   (record->type == PERF_RECORD_MMAP2 ? MMAP2_NAME : MMAP_NAME);

	return name[0] == '/' && name[1] != '/';
}

static bool tells_map(const struct meanwhile *m, const struct perf_event_header *made_up)
{
	struct map_note map = map_of(made_up);

	return has_number(&m->forks, map.pid) || has_map(&m->maps, &map, is_of_file(made_up));
}

/* What a new process has, its parent had; and what was mapped meanwhile has its record. */
static void note_gone(struct meanwhile *m, const struct perf_event_header *record, uint16_t misc)
{
	struct map_note map;
	struct gone_note *gone;

	if (record->size <= sizeof(struct mmap_fields))
		return;
	gone = xmalloc(sizeof(*gone) + record->size);
	memcpy(gone->record, record, record->size);
	gone->record->type = PERF_RECORD_MMAP;
	gone->record->misc = misc;
	map = map_of(gone->record);
	if (has_number(&m->forks, map.pid) || has_map(&m->maps, &map, is_of_file(gone->record)))
		free(gone);
	else
		hash_table_add(&m->gone, &gone->node, hash_number(map.pid));
}

int meanwhile_each_gone(const struct meanwhile *m, size_t id_size, ring_sink fn, void *context)
{
	struct hash_node **nodes = hash_table_nodes(&m->gone);
	struct perf_event_header *record;
	struct map_note map;
	int status = 0;
	size_t i;

	for (i = 0; !status && i < m->gone.nr; i++) {
		record = hash_entry(nodes[i], struct gone_note, node)->record;
		map = map_of(record);
		if (has_map(&m->written, &map, is_of_file(record)))
			continue;
		memset((char *)record + record->size - id_size, 0, id_size);
		status = fn(context, record, record->size);
	}
	free(nodes);
	return status;
}

void meanwhile_note_written(struct meanwhile *m, const struct perf_event_header *made_up)
{
	struct map_note map;

	if (made_up->type != PERF_RECORD_MMAP && made_up->type != PERF_RECORD_MMAP2)
		return;
	map = map_of(made_up);
	add_map(&m->written, &map);
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

bool meanwhile_tells(const struct meanwhile *m, const struct perf_event_header *made_up)
{
	const struct comm_fields *comm = (const struct comm_fields *)made_up;

	switch (made_up->type) {
	case PERF_RECORD_FORK:
		return has_number(&m->forks, ((const struct task_fields *)made_up)->tid);
	case PERF_RECORD_COMM:
		return has_number(&m->forks, comm->tid) || has_comm(m, comm->tid, comm->comm);
	case PERF_RECORD_NAMESPACES:
		return has_number(&m->forks, ((const struct namespaces_fields *)made_up)->tid);
	case PERF_RECORD_CGROUP:
		return has_number(&m->cgroups, ((const struct cgroup_fields *)made_up)->id);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return tells_map(m, made_up);
	}
	return false;
}

/* The node is the first member of whatever is kept, or all there is of it. */
static void free_note(struct hash_node *node)
{
	free(node);
}

void meanwhile_free(struct meanwhile *m)
{
	hash_table_free_all(&m->forks, free_note);
	hash_table_free_all(&m->comms, free_note);
	hash_table_free_all(&m->maps, free_note);
	hash_table_free_all(&m->gone, free_note);
	hash_table_free_all(&m->written, free_note);
	hash_table_free_all(&m->cgroups, free_note);
}
