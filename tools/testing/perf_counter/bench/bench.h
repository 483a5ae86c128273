/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the bench share. It measures what an operation on counters
 * costs, on perf_events and on perf_counter, in one run of one kernel. README.rst
 * says how, and why the figures can be trusted.
 */
#ifndef PERF_COUNTER_BENCH_H
#define PERF_COUNTER_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/perf_event.h>

#include "arch.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Most counters that a row opens, and pages of data in a buffer of samples: 2 MiB. */
#define COUNTERS_MAX	16
#define SAMPLE_PAGES	((2U << 20) / PAGE_SIZE)

/* Instructions from one overflow of a counter of the PMU to the next. */
#define OVERFLOW_PERIOD	20000

/*
 * The two that are compared: system calls that take the same arguments. One has an event and
 * a record of its own.
 */
struct side {
	const char	*name;
	long		syscall_nr;
	bool		has_own;
};

extern const struct side sides[2];

/**
 * struct row - one line of the table
 * @name: the operation, with the unit when that is not instructions
 * @cost: what one operation costs
 * @base: what it costs without counters, which is not the counters' doing;
 *	NULL when there is nothing to take away
 * @nr: counters that are open meanwhile
 * @group: they are one group
 * @cpu_wide: of the CPU, not of this task
 * @munmap: they want MUNMAP records, on the side that has them
 * @registers: what is asked for is not instructions but accesses to the PMU
 * @other: they are of another task
 * @off_cpu: on perf_counter's side, they are of time off the CPU, in the place of @attr's event
 * @event: of a tracepoint, its name in tracefs, SYSTEM/NAME; NULL for no tracepoint
 * @filter: likewise, a filter of the event; NULL without
 * @why: why perf_counter may cost more than perf_events; NULL: it may not
 * @buffer_pages: data pages of the buffer that the first of them has mapped
 * @attr: what each of them counts; size 0 means "filled in by the row's user"
 */
struct row {
	const char		*name;
	double			(*cost)(const struct row *row, const struct side *side);
	double			(*base)(const struct row *row, const struct side *side);
	unsigned int		nr;
	bool			group;
	bool			cpu_wide;
	bool			munmap;
	bool			registers;
	bool			other;
	bool			off_cpu;
	const char		*event;
	const char		*filter;
	const char		*why;
	unsigned int		buffer_pages;
	struct perf_event_attr	attr;
};

/* rows.c */
extern const struct row rows[];
extern const unsigned int nr_rows;

/* Operations that have hooks in them. */
struct hooked {
	const char	*name;
	double		(*cost)(const struct row *row, const struct side *side);
};

extern const struct hooked hooked[];
extern const unsigned int nr_hooked;

/* counters.c: opening them, and getting rid of all traces of them */
int counter_open(const struct row *row, const struct side *side, int group_fd);
void counters_open(const struct row *row, const struct side *side);
void counters_close(void);
int counters_first(void);
uint64_t counters_value(void);
void counters_check_faults(const struct row *row, const struct side *side, uint64_t before,
			   uint64_t faults);
void counters_check_events(const struct row *row, const struct side *side, uint64_t before,
			   uint64_t events);
void counters_check_mappings(const struct row *row, const struct side *side, uint64_t pairs);
void counters_settle_init(void);
void counters_settle(void);
void rcu_barrier(void);
void flush_rcu(void);
struct perf_event_mmap_page *counter_map(int fd, unsigned int pages);
void counter_unmap(struct perf_event_mmap_page *page, unsigned int pages);

/* operations.c: instructions per operation */
double cost_nothing(const struct row *row, const struct side *side);
double cost_read(const struct row *row, const struct side *side);
double cost_open_close(const struct row *row, const struct side *side);
double cost_disable_enable(const struct row *row, const struct side *side);
double cost_map_unmap(const struct row *row, const struct side *side);
double cost_switch(const struct row *row, const struct side *side);
double cost_rename(const struct row *row, const struct side *side);
double cost_syscall(const struct row *row, const struct side *side);
double cost_fork(const struct row *row, const struct side *side);
double cost_thread(const struct row *row, const struct side *side);
double cost_map_unmap_code(const struct row *row, const struct side *side);
double cost_map_unmap_code_beside(const struct row *row, const struct side *side);
double cost_fault_in_frames(const struct row *row, const struct side *side);
double cost_fault_unmapped(const struct row *row, const struct side *side);
double cost_record_write(const struct row *row, const struct side *side);
double cost_record_splice(const struct row *row, const struct side *side);
double cost_overflow(const struct row *row, const struct side *side);
void operations_init(void);
void operations_count_registers(bool registers);
void operations_quick(bool quick);

/*
 * arch.c, one for each architecture: accesses to the PMU, where the machine counts them;
 * and cost_fault_in_frames() with frames that a call chain has
 */
bool registers_init(void);
uint64_t registers_accessed(void);
double cost_fault(const struct row *row, const struct side *side);

/* memory.c: bytes per counter */
double bytes_of_counter(const struct row *row, const struct side *side);
double bytes_of_child(const struct row *row, const struct side *side);

void write_to(const char *path, const char *text);
_Noreturn void die(const char *what);

#endif
