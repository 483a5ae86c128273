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
 * PERF_COUNT_SW_OFF_CPU of <linux/perf_counter.h>, a header that some systems
 * lack.
 */
#define EVENT_SW_OFF_CPU 0x40000000

/* Does the event count the time off the CPU? */
static inline bool event_is_off_cpu(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == EVENT_SW_OFF_CPU;
}

/* All events, hardware events first; the last one has no name. */
extern const struct event_name event_names[];

/*
 * The parts of a cache event's name, by number in the config; the last one is
 * NULL.
 */
extern const char *const event_caches[];
extern const char *const event_cache_operations[];

/* The size of a cache event's name. */
#define EVENT_CACHE_NAME_SIZE 32

/**
 * event_cache_name() - return the cache events one by one
 * @index: index from 0
 * @name: receives the name
 * @config: receives the number
 *
 * Return: true if there is an event with that index.
 */
bool event_cache_name(size_t index, char name[EVENT_CACHE_NAME_SIZE], __u64 *config);

#endif
