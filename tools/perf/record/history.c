// SPDX-License-Identifier: GPL-2.0
/* The names and mappings that threads and processes received, each with its time. */
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "history.h"

struct comm_note {
	struct hash_node node;		/* by tid */
	uint64_t time;
	char name[];
};

struct map_note {
	struct hash_node node;		/* by pid */
	uint64_t time;
	struct mapping map;
};

/*
 * Return true for the mapping of a file. For other mappings, such as "//anon" or "[stack]", records
 * disagree about the offset.
 */
static bool is_of_file(const struct perf_event_header *record)
{
	const char *name = mmap_filename(record);

	return name && name[0] == '/' && name[1] != '/';
}

struct mapping mapping_of(const struct perf_event_header *record)
{
	const struct mmap_fields *f = (const struct mmap_fields *)record;

	return (struct mapping){
		.pid = f->pid, .start = f->addr, .last = f->addr + f->len - 1,
		.to_file = f->pgoff - f->addr, .of_file = is_of_file(record),
		.data = record->misc & PERF_RECORD_MISC_MMAP_DATA,
	};
}

bool history_has_comm(const struct history *h, uint32_t tid, const char *name, uint64_t until)
{
	struct hash_node *node = hash_table_first(&h->comms, hash_number(tid));
	const struct comm_note *note;

	for (; node; node = hash_table_next(node)) {
		note = hash_entry(node, struct comm_note, node);
		if (note->time < until && (!name || !strcmp(note->name, name)))
			return true;
	}
	return false;
}

void history_add_comm(struct history *h, uint32_t tid, const char *name, uint64_t time)
{
	size_t length = strlen(name);
	struct comm_note *note;

	if (history_has_comm(h, tid, name, time + 1))
		return;
	note = xmalloc(sizeof(*note) + length + 1);
	note->time = time;
	memcpy(note->name, name, length + 1);
	hash_table_add(&h->comms, &note->node, hash_number(tid));
}

bool history_has_map(const struct history *h, const struct mapping *map, uint32_t pid,
		     uint64_t until)
{
	struct hash_node *node = hash_table_first(&h->maps, hash_number(pid));
	const struct map_note *note;

	for (; node; node = hash_table_next(node)) {
		note = hash_entry(node, struct map_note, node);
		if (note->time < until && note->map.data == map->data &&
		    note->map.start <= map->start && map->last <= note->map.last &&
		    (!map->of_file || note->map.to_file == map->to_file))
			return true;
	}
	return false;
}

void history_add_map(struct history *h, const struct mapping *map, uint64_t time)
{
	struct map_note *note = xmalloc(sizeof(*note));

	note->time = time;
	note->map = *map;
	hash_table_add(&h->maps, &note->node, hash_number(map->pid));
}

void history_free(struct history *h)
{
	hash_table_free_all(&h->comms, hash_node_free);
	hash_table_free_all(&h->maps, hash_node_free);
}
