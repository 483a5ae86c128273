/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a worker's calls act on. The worker's helper thread uses it at the same time, without
 * a lock: programs are hostile, and a call on another one's descriptor is as good as any.
 */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include "fuzz.h"

/* Mappings lie where the kernel puts no other one, so that a late unmapping hits nothing else. */
#define MAP_BASE	0x100000000000ULL
#define MAP_ROOM	(1ULL << 30)
#define PAGE		4096UL

struct world {
	int fd[SLOTS];			/* -1: none */
	size_t mapped[MAPS];		/* bytes, from map_address() on; 0: none */
	pid_t child[CHILDREN];		/* 0: none */
	pid_t helper;			/* the helper thread's id */
	int mailbox[2];			/* a pair of sockets that all workers share */
	int fail_nth;			/* of this thread, or -1 */
	unsigned int fail_next;		/* this allocation of the next call fails */
};

extern struct world world;

static inline char *map_address(u64 map)
{
	return (char *)(MAP_BASE + map % MAPS * MAP_ROOM);
}

pid_t task_id(u64 name);
int slot_fd(u64 slot);			/* -1 for SLOTS and above */
void slot_set(u64 slot, int fd);

/* An attr as the kernel wants it, with what names stand for here. */
void attr_resolve(const u64 *words, struct perf_counter_attr *attr);

/* @period, but no short one: see spare_cpu(). 0 is not to sample, or refused. */
static inline u64 spared_period(u64 period)
{
	return period ? period | 1UL << 16 : 0;
}

/* Calls that change the machine, world.c. */
void change_probe(const u64 *arg);
void change_sysctl(const u64 *arg);
void change_cpu(const u64 *arg);

/*
 * What takes long, or disturbs everything, is done once in so many calls of all workers.
 * Programs that were given, and nothing else, are run without a limit.
 */
#define CALLS_PER_HOTPLUG	1500
#define CALLS_PER_SLOW		400
#define CALLS_PER_EXEC		60
bool slow_for_now(_Atomic u64 *next, u64 calls);

/* Text into a file, as far as that goes. */
bool write_file(const char *path, const char *text);

#endif
