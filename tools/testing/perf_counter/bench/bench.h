/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared declarations of the bench. It measures the cost of operations on counters with perf_events
 * and with perf_counter, both in one run of one kernel. README.rst describes the method and why the
 * figures can be trusted.
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

/* The largest number of counters that a row opens. */
#define COUNTERS_MAX	16
/* Number of data pages of a buffer of samples: 2 MiB. */
#define SAMPLE_PAGES	((2U << 20) / PAGE_SIZE)

/* Instructions from one overflow of a counter of the PMU to the next. */
#define OVERFLOW_PERIOD	20000

/*
 * The two subsystems that are compared: their system calls take the same arguments. Only
 * perf_counter has an event and a record of its own.
 */
struct side {
	const char	*name;
	long		syscall_nr;
	bool		has_own;
};

extern const struct side sides[2];

/**
 * struct row - one line of the table
 * @name: name of the operation, with the unit when that is not instructions
 * @cost: function that measures the cost of one operation
 * @base: function that measures the cost without counters, which is subtracted; NULL for none
 * @nr: number of counters that are open during the operation
 * @group: the counters are one group
 * @cpu_wide: the counters count the CPU, not this task
 * @munmap: the counters want MUNMAP records, where the subsystem has them
 * @registers: the unit is accesses to the PMU's registers, not instructions
 * @other: the counters count another task
 * @off_cpu: in perf_counter the counters count time off the CPU, instead of @attr's event
 * @event: name of a tracepoint in tracefs, SYSTEM/NAME; NULL for no tracepoint
 * @filter: filter of the tracepoint; NULL for no filter
 * @child_dir: directory of the control group that the other task of a switch joins; NULL for none
 * @why: reason why perf_counter may cost more than perf_events; NULL if it may not
 * @buffer_pages: number of data pages of the first counter's buffer
 * @attr: attributes of each counter; size 0 means "filled in by the row's user"
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
	const char		*child_dir;
	const char		*why;
	unsigned int		buffer_pages;
	struct perf_event_attr	attr;
};

/* rows.c */
extern const struct row rows[];
extern const unsigned int nr_rows;

/* Operations of the kernel that contain hooks. */
struct hooked {
	const char	*name;
	double		(*cost)(const struct row *row, const struct side *side);
};

extern const struct hooked hooked[];
extern const unsigned int nr_hooked;

/* counters.c: opening counters, and waiting until the kernel has freed all of them */
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
 * arch.c of each architecture: accesses to the PMU's registers, if the machine counts them;
 * and cost_fault(), which calls cost_fault_in_frames() with frames for a call chain
 */
bool registers_init(void);
uint64_t registers_accessed(void);
double cost_fault(const struct row *row, const struct side *side);

/* groups.c: switches between control groups */
void group_join(const char *dir);
void groups_measure(void);

/* memory.c: bytes per counter */
double bytes_of_counter(const struct row *row, const struct side *side);
double bytes_of_child(const struct row *row, const struct side *side);

void write_to(const char *path, const char *text);
_Noreturn void die(const char *what);

#endif
