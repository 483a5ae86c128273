/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of hardware, software and cache events, for the library and
 * tools/perf.
 */
#ifndef PC_NAMES_H
#define PC_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct event_name - a hardware or software event
 * @name: name of the event
 * @alias: second name, or NULL
 * @type: PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE
 * @config: number of the event
 * @by_alias: perf prints @alias if the user gave no name
 * @in_kernel: the event happens only in the kernel
 */
struct event_name {
	const char	*name;
	const char	*alias;
	__u32		type;
	__u32		config;
	bool		by_alias;
	bool		in_kernel;
};

/*
 * Equal to PERF_COUNT_SW_OFF_CPU of <linux/perf_counter.h>, and defined here
 * because some systems lack that header.
 */
#define EVENT_SW_OFF_CPU 0x40000000

/* Return true if the event counts the time off the CPU. */
static inline bool event_is_off_cpu(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == EVENT_SW_OFF_CPU;
}

/* All events, hardware events first; the last one has no name. */
extern const struct event_name event_names[];

/*
 * The words in the names of cache events. The index of a word is its number in
 * the config. The last entry of each array is NULL.
 */
extern const char *const event_caches[];
extern const char *const event_cache_operations[];

/* The size of a buffer for the name of a cache event. */
#define EVENT_CACHE_NAME_SIZE 32

/**
 * event_cache_name() - get the cache event with an index
 * @index: index from 0
 * @name: receives the name
 * @config: receives the config of the event
 *
 * Return: true if there is an event with that index.
 */
bool event_cache_name(size_t index, char name[EVENT_CACHE_NAME_SIZE], __u64 *config);

#endif
