/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs that take turns at every access to shared memory; see simulate.c. */
#ifndef _RINGTEST_SIMULATE_H
#define _RINGTEST_SIMULATE_H

#include <linux/compiler.h>
#include <linux/types.h>

#define SIM_CPUS	33

/**
 * struct sim_costs - time of an access, in units of a hit
 * @exchange: time of a read-modify-write operation, beyond its load
 * @transfer: time of a line from another CPU; lines move one after the other
 * @stall: longest time that a CPU is stopped, at one access in 64; 0 for never
 */
struct sim_costs {
	unsigned int	exchange;
	unsigned int	transfer;
	unsigned int	stall;
};

/**
 * struct sim_cpu - the public part of a CPU
 * @transfers: number of lines that the CPU got from another
 * @depth: number of nested interrupts that the CPU is in
 * @enabled: true if the CPU can be interrupted
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
