/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs that take turns at every access to shared memory; see simulate.c. */
#ifndef _RINGTEST_SIMULATE_H
#define _RINGTEST_SIMULATE_H

#include <linux/compiler.h>
#include <linux/types.h>

#define SIM_CPUS	33

/**
 * struct sim_costs - how long an access takes, in units of a hit
 * @exchange: a read-modify-write operation, beyond its load
 * @transfer: a line that has to come from another CPU; one after the other
 * @stall: the most a CPU is held up, at one access in 64; 0 for never
 */
struct sim_costs {
	unsigned int	exchange;
	unsigned int	transfer;
	unsigned int	stall;
};

/**
 * struct sim_cpu - a CPU, for those who look at it from outside
 * @transfers: lines that it had to get from another
 * @depth: interrupts that it is in, one in the other
 * @enabled: it can be interrupted
 */
struct sim_cpu {
	u64		transfers;
	unsigned int	depth;
	bool		enabled;
};

extern struct sim_cpu sim_cpus[SIM_CPUS];

void sim_reset(u64 seed, const struct sim_costs *costs);
void sim_interrupts(void (*handler)(unsigned int cpu, unsigned int depth), unsigned int most,
		    unsigned int one_in);
void sim_observe(void (*observer)(void));
void sim_start(unsigned int cpu, void (*main)(unsigned int cpu));
void sim_run(void);
void sim_wait(unsigned int units);
unsigned int sim_this_cpu(void);
u64 sim_random(void);

#endif /* _RINGTEST_SIMULATE_H */
