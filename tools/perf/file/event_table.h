/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a recording, and the event of each record. */
#ifndef PERF_FILE_EVENT_TABLE_H
#define PERF_FILE_EVENT_TABLE_H

#include "format.h"

struct id_slot {
	uint64_t id;
	size_t event;		/* index + 1; 0: free slot */
};

/**
 * struct event_table - events by index and by id
 * @events: events in the order of the file; the table owns names and ids
 * @nr: number of @events
 * @slots: open-addressed hash of the ids
 * @nr_slots: size of @slots, a power of two or 0
 * @nr_ids: number of used slots
 */
struct event_table {
	struct data_event *events;
	size_t nr;
	struct id_slot *slots;
	size_t nr_slots;
	size_t nr_ids;
};

size_t event_table_add(struct event_table *table, const struct perf_event_attr *attr);
void event_table_add_id(struct event_table *table, size_t event, uint64_t id);
void event_table_set_name(struct event_table *table, size_t event, const char *name, size_t size);
int event_table_find(const struct event_table *table, uint64_t id);
int event_table_of_record(const struct event_table *table, const struct perf_event_header *record);
void event_table_free(struct event_table *table);

#endif
