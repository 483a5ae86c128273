// SPDX-License-Identifier: GPL-2.0
/* Conversion of time stamps from cycles to ns. */
#include <time.h>

#include "internal.h"

#define MEASURED_SHIFT 24

#if PC_HAS_REGISTERS

static __u64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/*
 * Measure the rate of time stamps since the set was opened: the longer the set
 * has been open, the more exact the rate. This is for kernels that do not
 * report the rate because they keep time by another clock: virtual machines, or
 * powerpc.
 */
static void measure_clock(struct pc_set *set)
{
	__u64 ns, cycles;

	do {
		ns = monotonic_ns() - set->ns;
		cycles = time_stamp() - set->stamp;
	} while (!ns || !cycles);
	if (ns < 2 * set->measured)
		return;
	set->measured = ns;
	for (; ns >> (64 - MEASURED_SHIFT); ns >>= 1)
		cycles >>= 1;
	set->mult = (ns << MEASURED_SHIFT) / cycles;
	set->shift = MEASURED_SHIFT;
}

void set_clock_init(struct pc_set *set)
{
	set->ns = monotonic_ns();
	set->stamp = time_stamp();
}

__u64 set_ns(struct pc_set *set, __u64 cycles)
{
	__u64 part;

	if (!set->clocked)
		measure_clock(set);
	part = cycles & ((1ULL << set->shift) - 1);
	return (cycles >> set->shift) * set->mult + (part * set->mult >> set->shift);
}

#else

void set_clock_init(struct pc_set *set)
{
	(void)set;
}

__u64 set_ns(struct pc_set *set, __u64 cycles)
{
	(void)set;
	return cycles;
}

#endif
