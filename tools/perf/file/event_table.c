// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a recording, and the event of each record.
 *
 * A record names its event by an id. The place of the id depends on the event's sample_type,
 * which is not known before the event. So all events of a recording have it in the same place,
 * and the first event determines the place.
 */
#include <stdlib.h>
#include <string.h>

#include "event_table.h"
#include "../../lib/perf_counter/names.h"

static size_t slot_of(const struct event_table *table, uint64_t id)
{
	size_t slot = (id * 0x9e3779b97f4a7c15ULL) >> 32;

	for (slot &= table->nr_slots - 1; table->slots[slot].event;
	     slot = (slot + 1) & (table->nr_slots - 1)) {
		if (table->slots[slot].id == id)
			break;
	}
	return slot;
}

static void grow_slots(struct event_table *table)
{
	struct id_slot *old = table->slots;
	size_t i, nr_old = table->nr_slots;

	table->nr_slots = nr_old ? nr_old * 2 : 64;
	table->slots = xcalloc(table->nr_slots, sizeof(*table->slots));
	for (i = 0; i < nr_old; i++) {
		if (old[i].event)
			table->slots[slot_of(table, old[i].id)] = old[i];
	}
	free(old);
}

/* Make up a name for an event without a name in the file. */
static char *default_name(const struct perf_event_attr *attr)
{
	const struct event_name *n;

	for (n = event_names; n->name; n++) {
		if (n->type == attr->type && n->config == attr->config)
			return xstrdup(n->by_alias ? n->alias : n->name);
	}
	/* These two events exist only in perf_events. */
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT)
		return xstrdup("bpf-output");
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CGROUP_SWITCHES)
		return xstrdup("cgroup-switches");
	return xasprintf("type %u config 0x%llx", attr->type,
			 (unsigned long long)attr->config);
}

/**
 * event_table_add - append an event
 * @table: table
 * @attr: attr of the event
 *
 * Return: the index of the event.
 */
size_t event_table_add(struct event_table *table, const struct perf_event_attr *attr)
{
	struct data_event *event;

	table->events = xreallocarray(table->events, table->nr + 1, sizeof(*event));
	event = &table->events[table->nr];
	memset(event, 0, sizeof(*event));
	event->attr = *attr;
	event->name = default_name(attr);
	return table->nr++;
}

/**
 * event_table_add_id - assign an id to an event
 * @table: table
 * @event: index of the event
 * @id: id; an id that is known already keeps its event
 */
void event_table_add_id(struct event_table *table, size_t event, uint64_t id)
{
	struct data_event *e = &table->events[event];
	size_t slot;

	if ((table->nr_ids + 1) * 2 > table->nr_slots)
		grow_slots(table);
	slot = slot_of(table, id);
	if (table->slots[slot].event)
		return;
	table->slots[slot].id = id;
	table->slots[slot].event = event + 1;
	table->nr_ids++;
	/* The array grows to powers of two. */
	if (!(e->nr_ids & (e->nr_ids - 1)))
		e->ids = xreallocarray(e->ids, e->nr_ids ? e->nr_ids * 2 : 1, sizeof(*e->ids));
	e->ids[e->nr_ids++] = id;
}

/**
 * event_table_set_name - set the name of an event
 * @table: table
 * @event: index of the event
 * @name: name, not necessarily NUL-terminated
 * @size: size of @name, bytes
 */
void event_table_set_name(struct event_table *table, size_t event, const char *name, size_t size)
{
	free((char *)table->events[event].name);
	table->events[event].name = xstrndup(name, size);
}

/**
 * event_table_find - find the event with an id
 * @table: table
 * @id: id
 *
 * Return: the index of the event, or -1.
 */
int event_table_find(const struct event_table *table, uint64_t id)
{
	if (!table->nr_slots)
		return -1;
	return (int)table->slots[slot_of(table, id)].event - 1;
}

/*
 * Return the position of the id in units of u64. In a sample, it is counted from the end of the
 * header; in other records, backward from the end of the record. Return 0 if there is no id.
 */
static size_t id_word(uint64_t sample_type, bool sample)
{
	uint64_t between;

	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (!(sample_type & PERF_SAMPLE_ID))
		return 0;
	if (sample)
		between = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	else
		between = PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID;
	return 1 + __builtin_popcountll(sample_type & between);
}

/**
 * event_table_of_record - find the event of a record of the kernel
 * @table: table
 * @record: record, all header.size bytes of it, 8-byte aligned
 *
 * A side-band record without an id, or with an unknown id, belongs to the first event. Records
 * that perf synthesizes have id 0.
 *
 * Return: the index of the event; -1 if there are no events, or for a sample with an unknown
 *   id.
 */
int event_table_of_record(const struct event_table *table, const struct perf_event_header *record)
{
	bool sample = record->type == PERF_RECORD_SAMPLE;
	const uint64_t *words = (const uint64_t *)record;
	size_t word, nr_words = record->size / sizeof(*words);
	const struct perf_event_attr *attr;
	int event;

	if (!table->nr)
		return -1;
	if (table->nr == 1)
		return 0;
	attr = &table->events[0].attr;
	if (!sample && !attr->sample_id_all)
		return 0;
	word = id_word(attr->sample_type, sample);
	if (!word || word >= nr_words)
		return 0;
	event = event_table_find(table, words[sample ? word : nr_words - word]);
	return event < 0 && !sample ? 0 : event;
}

void event_table_free(struct event_table *table)
{
	size_t i;

	for (i = 0; i < table->nr; i++) {
		free((char *)table->events[i].name);
		free(table->events[i].ids);
	}
	free(table->events);
	free(table->slots);
}
