/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of the data of read() and of the values in records, as attr.read_format selects it.
 */
#ifndef _PERF_COUNTER_RECORD_READ_FORMAT_H
#define _PERF_COUNTER_RECORD_READ_FORMAT_H

#include "../counter/desc.h"
#include "../counter/time.h"

/* Maximum size of the values of a group in bytes, so that they fit into a record of 64 KiB. */
#define PERF_COUNTER_READ_SIZE_MAX	16384

/* Bits of read_format that this version supports. */
#define PERF_COUNTER_READ_FORMATS						\
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |	\
	 PERF_FORMAT_ID | PERF_FORMAT_GROUP | PERF_FORMAT_LOST)

/* Write the times of @value that @format asks for to @at. Returns the address after them. */
static inline u64 __ring *perf_counter_put_times(u64 __ring *at, u64 format,
						 const struct perf_counter_value *value)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		at = ring_put(at, value->enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		at = ring_put(at, value->running);
	return at;
}

/*
 * Write the id and lost count of @desc, if @format asks for them. Returns the address after them.
 */
static inline u64 __ring *perf_counter_put_ids(u64 __ring *at, u64 format,
					       struct perf_counter_desc *desc)
{
	if (format & PERF_FORMAT_ID)
		at = ring_put(at, desc->id);
	if (format & PERF_FORMAT_LOST)
		at = ring_put(at, atomic64_read(&desc->writer.lost));
	return at;
}

/*
 * Write the values of a single counter. With PERF_FORMAT_GROUP, write the number of values and the
 * values of the leader; the values of @nr_members members follow. Returns the address after the
 * written words.
 */
static inline u64 __ring *perf_counter_put_first(u64 __ring *at, u64 format,
						 struct perf_counter_desc *desc,
						 const struct perf_counter_value *value,
						 unsigned int nr_members)
{
	if (!(format & PERF_FORMAT_GROUP)) {
		at = ring_put(at, value->count);
		at = perf_counter_put_times(at, format, value);
	} else {
		at = ring_put(at, 1 + nr_members);
		at = perf_counter_put_times(at, format, value);
		at = ring_put(at, value->count);
	}
	return perf_counter_put_ids(at, format, desc);
}

/* read_format.c */
unsigned int perf_counter_values_size(u64 format, unsigned int members);

/* Return the size of @desc's values and those of @members group members, in bytes. */
static inline unsigned int perf_counter_read_size(const struct perf_counter_desc *desc,
						  unsigned int members)
{
	return perf_counter_values_size(desc->attr.read_format, members);
}
u64 __ring *perf_counter_put_values(u64 __ring *at, struct perf_counter *counter, u64 now,
				    unsigned int members);

#endif /* _PERF_COUNTER_RECORD_READ_FORMAT_H */
