/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events that have names of their own: of hardware, of software and of caches.
 *
 * Both the library and tools/perf are made with this table.
 */
#ifndef PC_NAMES_H
#define PC_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct event_name - a hardware or software event
 * @name: its name
 * @alias: another one, or NULL
 * @type: PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE
 * @config: its number
 * @by_alias: @alias is what perf calls it where nobody has named it
 * @in_kernel: it happens in the kernel alone
 */
struct event_name {
	const char	*name;
	const char	*alias;
	__u32		type;
	__u32		config;
	bool		by_alias;
	bool		in_kernel;
};

/* PERF_COUNT_SW_OFF_CPU of <linux/perf_counter.h>, which not every system has. */
#define EVENT_SW_OFF_CPU 0x40000000

/* Does it count the time for which tasks did not run? */
static inline bool event_is_off_cpu(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == EVENT_SW_OFF_CPU;
}

/* Hardware first; the last has no name. */
extern const struct event_name event_names[];

/* Parts of a cache event's name, by their numbers in a config; the last is NULL. */
extern const char *const event_caches[];
extern const char *const event_cache_operations[];

/* Bytes that the name of a cache event takes. */
#define EVENT_CACHE_NAME_SIZE 32

/**
 * event_cache_name() - the cache events, one by one
 * @index: from 0
 * @name: gets the name
 * @config: gets the number
 *
 * Return: whether there is an event of that index.
 */
bool event_cache_name(size_t index, char name[EVENT_CACHE_NAME_SIZE], __u64 *config);

#endif
