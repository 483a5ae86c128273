/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects of a worker's calls. The worker's helper thread uses them at the same time,
 * without a lock: programs are hostile, and a call on the wrong descriptor is a test, too.
 */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include "fuzz.h"

/*
 * The kernel places no other mapping in this range, so a late unmapping hits no other
 * memory.
 */
#define MAP_BASE	0x100000000000ULL
#define MAP_ROOM	(1ULL << 30)
#define PAGE		4096UL

struct world {
	int fd[SLOTS];			/* -1: no descriptor */
	size_t mapped[MAPS];		/* bytes, from map_address() on; 0: no mapping */
	pid_t child[CHILDREN];		/* 0: no child */
	pid_t helper;			/* id of the helper thread */
	int mailbox[2];			/* a pair of sockets that all workers share */
	int fail_nth;			/* descriptor of the thread's fail-nth file, or -1 */
	unsigned int fail_next;		/* number of the allocation that fails in the next call */
};

extern struct world world;

static inline char *map_address(u64 map)
{
	return (char *)(MAP_BASE + map % MAPS * MAP_ROOM);
}

pid_t task_id(u64 name);
int slot_fd(u64 slot);			/* -1 for SLOTS and above */
void slot_set(u64 slot, int fd);

/* Convert an attr for the kernel: replace names by their values. */
void attr_resolve(const u64 *words, struct perf_counter_attr *attr);

/*
 * Return @period, or a longer one if it is short, see spare_cpu(). A period of 0 is kept: it
 * means not to sample, or is refused.
 */
static inline u64 spared_period(u64 period)
{
	return period ? period | 1UL << 16 : 0;
}

/* Calls that change the machine, world.c. */
void change_probe(const u64 *arg);
void change_sysctl(const u64 *arg);
void change_cpu(const u64 *arg);
void change_cgroup(const u64 *arg);

/* Number of control groups; the first one is the root. */
#define CGROUPS	4

/* Open the directory of a control group. Returns a descriptor, or -1 if there is no such group. */
int cgroup_open(u64 group);

/*
 * Rates of calls that take long, or disturb the machine: one in so many calls of all
 * workers. There is no limit while only programs from files run.
 */
#define CALLS_PER_HOTPLUG	1500
#define CALLS_PER_SLOW		400
#define CALLS_PER_EXEC		60
bool slow_for_now(_Atomic u64 *next, u64 calls);

/* Write text to a file; errors are ignored. */
bool write_file(const char *path, const char *text);

#endif
