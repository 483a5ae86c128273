/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared declarations of the limits program, which runs operations on as many counters as a user
 * may have, with perf_events and with perf_counter, and measures how long each operation keeps
 * interrupts off and other tasks waiting. README.rst describes the method.
 */
#ifndef PERF_COUNTER_LIMITS_H
#define PERF_COUNTER_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <linux/perf_event.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE_SIZE	4096UL

/**
 * struct side - a subsystem, perf_events or perf_counter
 * @name: name of the subsystem in the output
 * @syscall_nr: number of the system call that opens its counters; both take the same arguments
 * @ours: true for perf_counter
 */
struct side {
	const char	*name;
	long		syscall_nr;
	bool		ours;
};

/**
 * struct row - an operation to measure
 * @name: name of the operation
 * @prepare: function that opens the counters of the operation; not measured
 * @operate: the operation, measured as a whole
 * @small: the smaller of the two sizes
 * @large: the larger of the two sizes
 * @limit: the size for --limits, where it is larger than @large; else 0
 * @many: true if @operate makes as many system calls as the size, so that its sum does not show
 *	how one call grows
 * @only_ours: true if perf_events does not have the operation
 */
struct row {
	const char	*name;
	void		(*prepare)(const struct side *side, unsigned int size);
	void		(*operate)(const struct side *side, unsigned int size);
	unsigned int	small;
	unsigned int	large;
	unsigned int	limit;
	bool		many;
	bool		only_ours;
};

/* rows.c */
extern const struct row rows[];
extern const unsigned int nr_rows;
extern const struct row ipi_rows[];
extern const unsigned int nr_ipi_rows;
/* Numbers of counters that record each mapping; with --limits most rows have MANY_COUNTERS. */
#define FEW_COUNTERS	500
#define MANY_COUNTERS	2000
extern unsigned int mappings_counters;
int after_exec(void);

/**
 * struct figures - the result of one measurement, in instructions
 * @irqs_off: longest stretch with interrupts off
 * @begin: address of the first instruction of that stretch
 * @end: address after the last instruction of that stretch
 * @wait: longest time that a task of higher priority, which was ready, did not run
 * @sum: instructions of the whole operation
 */
struct figures {
	uint64_t	irqs_off;
	uint64_t	begin;
	uint64_t	end;
	uint64_t	wait;
	uint64_t	sum;
};

/* measure.c */
void measure_init(void);
void measure_begin(void);
void measure_end(struct figures *figures);
void measure_as_wait(uint64_t insns);
uint64_t now(void);

/* ipis.c */
int count_ipis(const struct side *ours, const struct side *theirs);

_Noreturn void die(const char *what);

#endif
