// SPDX-License-Identifier: GPL-2.0
/*
 * The values of a counter or a group in records, and their size, which is also that of the
 * data of read().
 */

#include <linux/rculist.h>

#include "read_format.h"

/**
 * perf_counter_values_size() - Compute the size of a counter's values
 * @format: read_format of the counter's attr
 * @members: number of group members without the leader, for PERF_FORMAT_GROUP
 *
 * Return: size in bytes for read(), PERF_SAMPLE_READ and READ records.
 */
unsigned int perf_counter_values_size(u64 format, unsigned int members)
{
	unsigned int times, words;

	times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	words = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	if (format & PERF_FORMAT_GROUP)
		return sizeof(u64) * (1 + times + words * (1 + members));
	return sizeof(u64) * (times + words);
}

/**
 * perf_counter_put_values() - Write the values of a counter as read_format defines them
 * @at: address in the ring to write to
 * @counter: counter whose values are read in its context
 * @now: context time of the values
 * @members: number of group members for which there is room, without the leader; if the
 *	group has shrunk, the values and ids of missing members are 0
 *
 * Context: any in which the counters' PMUs can be read.
 * Return: address after the values.
 */
u64 __ring *perf_counter_put_values(u64 __ring *at, struct perf_counter *counter, u64 now,
				    unsigned int members)
{
	u64 format = counter->desc->attr.read_format;
	struct perf_counter *leader, *member;
	struct perf_counter_value value;
	u64 __ring *end;

	if (!(format & PERF_FORMAT_GROUP)) {
		perf_counter_value_of(counter, now, &value);
		return perf_counter_put_first(at, format, counter->desc, &value, 0);
	}

	end = at + perf_counter_read_size(counter->desc, members) / sizeof(u64);
	leader = READ_ONCE(counter->group.leader);
	perf_counter_value_of(leader, now, &value);
	at = perf_counter_put_first(at, format, leader->desc, &value, members);
	list_for_each_entry_rcu(member, &leader->group.members, group.node) {
		if (!members--)
			break;
		perf_counter_value_of(member, now, &value);
		at = ring_put(at, value.count);
		at = perf_counter_put_ids(at, format, member->desc);
	}
	while (at < end)
		at = ring_put(at, 0);
	return at;
}
