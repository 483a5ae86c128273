// SPDX-License-Identifier: GPL-2.0
/* The table: every operation that is measured, with its counters. */
#include "bench.h"

#define READ_FORMAT_ALL	(PERF_FORMAT_GROUP | PERF_FORMAT_ID |				\
			 PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

#define SOFTWARE	.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr)
#define FAULTS		SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS

/* A sample at every fault, without wakeups: the watermark is never reached. */
#define SAMPLED(type)								\
	{ FAULTS, .sample_period = 1, .sample_type = (type),			\
	  .watermark = 1, .wakeup_watermark = 1U << 30 }

/* 4000 Hz, the default of profilers; in ns. */
#define CLOCK_PERIOD	250000

#define SWITCH(text, n, ...)							\
	{ "context switch, added by " text, cost_switch, cost_switch,		\
	  .nr = (n), .attr = { __VA_ARGS__ } }
#define FORK(text, n)								\
	{ "fork + exit + wait, added by " text, cost_fork, cost_fork,		\
	  .nr = (n), .attr = { FAULTS, .inherit = 1 } }
#define THREAD(text, n)								\
	{ "thread creation + end, added by " text, cost_thread, cost_thread,	\
	  .nr = (n), .attr = { FAULTS, .inherit = 1 } }
#define LISTENER(text, ...)							\
	{ "mmap and munmap of code, added by each record: " text, cost_map_unmap_code, \
	  cost_map_unmap_code_beside, .nr = 1, .buffer_pages = SAMPLE_PAGES,		\
	  .attr = { SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .mmap = 1, .mmap2 = 1, \
		    .watermark = 1, .wakeup_watermark = 1U << 30 }, __VA_ARGS__ }
#define FAULT_SAMPLE(text, type)						\
	{ "page fault, added by a sample of " text, cost_fault, cost_fault,	\
	  .nr = 1, .buffer_pages = SAMPLE_PAGES, .attr = SAMPLED(type) }

/* A tracepoint that a task passes once with each rename. */
#define TRACEPOINT	.type = PERF_TYPE_TRACEPOINT, .size = sizeof(struct perf_event_attr)
#define RENAME		.event = "task/task_rename", .nr = 1
/* A sample with the record of each event, without wakeups. */
#define RECORDED								\
	TRACEPOINT, .sample_period = 1, .watermark = 1, .wakeup_watermark = 1U << 30, \
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW

/* An event that every PMU counts. */
#define HARDWARE								\
	.type = PERF_TYPE_HARDWARE, .size = sizeof(struct perf_event_attr),	\
	.config = PERF_COUNT_HW_INSTRUCTIONS

/* Rows of instructions, and of accesses to the PMU's registers. */
#define UNIT_INSNS	""
#define UNIT_REGS	", register accesses"
#define COUNTS_INSNS	false
#define COUNTS_REGS	true
#define HARDWARE_ROW(text, unit, ...)						\
	{ "PMU: " text UNIT_##unit, __VA_ARGS__, .registers = COUNTS_##unit }
#define HARDWARE_READ(text, unit, n, ...)					\
	HARDWARE_ROW("read() of " text, unit, cost_read, cost_nothing,	\
		     .nr = (n), .group = true, .attr = { HARDWARE, __VA_ARGS__ })
#define HARDWARE_SWITCH(text, unit, n)					\
	HARDWARE_ROW("context switch, added by " text " of one task", unit,	\
		     cost_switch, cost_switch, .nr = (n), .attr = { HARDWARE })
#define OVERFLOW(text, unit, types)						\
	HARDWARE_ROW("overflow with a sample of " text, unit,		\
		     cost_overflow, cost_overflow, .nr = 1, .buffer_pages = SAMPLE_PAGES, \
		     .attr = { HARDWARE, .exclude_kernel = 1,			\
			       .sample_period = OVERFLOW_PERIOD, .sample_type = (types), \
			       .watermark = 1, .wakeup_watermark = 1U << 30 })

/* Samples with branch records of user mode. */
#define BRANCHES(filter)							\
	HARDWARE, .exclude_kernel = 1, .watermark = 1, .wakeup_watermark = 1U << 30,	\
	.branch_sample_type = PERF_SAMPLE_BRANCH_USER | (filter)
#define BRANCH_ROW(text, unit, ...)						\
	{ RECORDER ": " text UNIT_##unit, __VA_ARGS__, .registers = COUNTS_##unit, .nr = 1 }
/* The reason for one more register access than in perf_events. */
#define WHY_LOOK "the recorder is asked whether a debug exception has stopped it"
#define BRANCH_OVERFLOW(text, unit, filter, ...)				\
	BRANCH_ROW("overflow with a sample of " text, unit, cost_overflow, cost_overflow, \
		   .buffer_pages = SAMPLE_PAGES,				\
		   .attr = { BRANCHES(filter), .sample_period = OVERFLOW_PERIOD,	\
			     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK }, \
		   ##__VA_ARGS__)
#define BRANCH_SWITCH(text, unit, filter)					\
	BRANCH_ROW("context switch, added by " text, unit, cost_switch, cost_switch, \
		   .attr = { BRANCHES(filter), .sample_period = 1ULL << 40,	\
			     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK })

/* A record of 40 bytes with its header. Its fields take few instructions. */
#define RECORD									\
	SAMPLED(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU)

const struct row rows[] = {
	{ "read() of one counter", cost_read, cost_nothing, .nr = 1, .attr = { FAULTS } },
	{ "read() of a group of 8", cost_read, cost_nothing, .nr = 8, .group = true,
	  .attr = { FAULTS, .read_format = READ_FORMAT_ALL } },
	{ "open + close, per task", cost_open_close, .attr = { FAULTS } },
	{ "open + close, per CPU", cost_open_close, .cpu_wide = true, .attr = { FAULTS } },
	{ "ioctl disable + enable", cost_disable_enable, .nr = 1, .attr = { FAULTS } },
	{ "mmap, reading each page, munmap: 64 pages", cost_map_unmap, .nr = 1,
	  .attr = { FAULTS } },

	SWITCH("1 counter of one task", 1, FAULTS),
	SWITCH("4 counters of one task", 4, FAULTS),
	SWITCH("16 counters of one task", 16, FAULTS),
	SWITCH("1 inherited counter", 1, FAULTS, .inherit = 1),
	SWITCH("4 inherited counters", 4, FAULTS, .inherit = 1),
	SWITCH("16 inherited counters", 16, FAULTS, .inherit = 1),
	SWITCH("counting it", 1, SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES),
	SWITCH("1 sampling cpu-clock counter", 1, SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
	       .sample_period = CLOCK_PERIOD, .sample_type = PERF_SAMPLE_IP),

	FORK("1 inherited counter", 1),
	FORK("4 inherited counters", 4),
	FORK("16 inherited counters", 16),
	THREAD("1 inherited counter", 1),
	THREAD("4 inherited counters", 4),
	THREAD("16 inherited counters", 16),

	LISTENER("MMAP2"),
	LISTENER("MMAP2, and MUNMAP where there is one", .munmap = true),

	{ "page fault, added by counting it", cost_fault, cost_fault, .nr = 1,
	  .attr = { FAULTS } },
	FAULT_SAMPLE("IP", PERF_SAMPLE_IP),
	FAULT_SAMPLE("IP, TID, TIME", PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME),
	FAULT_SAMPLE("IP, TID, TIME, ADDR, CPU, PERIOD, ID",
		     PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
		     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_ID),
	FAULT_SAMPLE("IP, TID, TIME, CALLCHAIN",
		     PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		     PERF_SAMPLE_CALLCHAIN),

	{ "tracepoint, added by another task's counter", cost_rename, cost_rename, RENAME,
	  .other = true, .attr = { TRACEPOINT },
	  .why = "ftrace's probe asks; perf_events has one of its own for each event" },
	{ "tracepoint, added by counting it", cost_rename, cost_rename, RENAME,
	  .attr = { TRACEPOINT } },
	{ "tracepoint, added by a sample with its record", cost_rename, cost_rename, RENAME,
	  .buffer_pages = SAMPLE_PAGES, .attr = { RECORDED } },
	{ "tracepoint, added by a filter that refuses it", cost_rename, cost_rename, RENAME,
	  .filter = "pid == 1", .buffer_pages = SAMPLE_PAGES, .attr = { RECORDED },
	  .why = "the filter, and the record that it judges, are ftrace's on either side" },
	{ "context switch, added by a sample with the record of sched_switch", cost_switch,
	  cost_switch, .event = "sched/sched_switch", .nr = 1, .cpu_wide = true,
	  .buffer_pages = SAMPLE_PAGES, .attr = { RECORDED } },
	{ "context switch, added by counting time off the CPU, or sched_switch",
	  cost_switch, cost_switch, .event = "sched/sched_switch", .off_cpu = true, .nr = 1,
	  .attr = { TRACEPOINT } },
	{ "context switch, added by a sample with call chain of either", cost_switch, cost_switch,
	  .event = "sched/sched_switch", .off_cpu = true, .nr = 1, .cpu_wide = true,
	  .buffer_pages = SAMPLE_PAGES,
	  .attr = { TRACEPOINT, .sample_period = 1, .watermark = 1,
		    .wakeup_watermark = 1U << 30,
		    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
				   PERF_SAMPLE_RAW } },
	{ "system call, added by counting sys_enter", cost_syscall, cost_syscall,
	  .event = "raw_syscalls/sys_enter", .nr = 1, .attr = { TRACEPOINT } },
	{ "system call, added by a sample with the record of sys_enter", cost_syscall,
	  cost_syscall, .event = "raw_syscalls/sys_enter", .nr = 1,
	  .buffer_pages = SAMPLE_PAGES, .attr = { RECORDED } },

	{ "output of a record of 40 bytes, a task's buffer", cost_fault, cost_fault_unmapped,
	  .nr = 1, .buffer_pages = SAMPLE_PAGES, .attr = RECORD },
	{ "output of a record of 40 bytes, a CPU's buffer", cost_fault, cost_fault_unmapped,
	  .nr = 1, .buffer_pages = SAMPLE_PAGES, .cpu_wide = true, .attr = RECORD },

	{ "1 MiB of records to a file, by write()", cost_record_write, .nr = 1, .attr = RECORD },
	{ "1 MiB of records to a file, by splice()", cost_record_splice, .nr = 1, .attr = RECORD,
	  .why = WHY_SPLICE },

	HARDWARE_READ("one counter", INSNS, 1),
	HARDWARE_READ("one counter", REGS, 1),
	HARDWARE_READ("a group of 4", INSNS, 4, .read_format = READ_FORMAT_ALL),
	HARDWARE_READ("a group of 4", REGS, 4, .read_format = READ_FORMAT_ALL),
	HARDWARE_ROW("open + close", INSNS, cost_open_close, .attr = { HARDWARE }),
	HARDWARE_ROW("open + close", REGS, cost_open_close, .attr = { HARDWARE },
		     .why = "the status is cleared when the PMU is taken and given back"),
	HARDWARE_ROW("ioctl disable + enable", INSNS, cost_disable_enable, .nr = 1,
		     .attr = { HARDWARE }),
	HARDWARE_ROW("ioctl disable + enable", REGS, cost_disable_enable, .nr = 1,
		     .attr = { HARDWARE }),
	HARDWARE_SWITCH("1 counter", INSNS, 1),
	HARDWARE_SWITCH("1 counter", REGS, 1),
	HARDWARE_SWITCH("4 counters", INSNS, 4),
	HARDWARE_SWITCH("4 counters", REGS, 4),
	OVERFLOW("IP", INSNS, PERF_SAMPLE_IP),
	OVERFLOW("IP", REGS, PERF_SAMPLE_IP),
	OVERFLOW("IP, TID, TIME", INSNS, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME),
	OVERFLOW("IP, TID, TIME", REGS, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME),

	BRANCH_OVERFLOW("IP and branches", INSNS, PERF_SAMPLE_BRANCH_ANY),
#ifdef RECORD_ADDRESSES
	BRANCH_OVERFLOW("IP and addresses of branches", INSNS, RECORD_ADDRESSES),
#endif
	BRANCH_OVERFLOW("IP and calls", INSNS, RECORD_CALLS, .why = WHY_CALLS),
	BRANCH_SWITCH("branches of one task", INSNS, PERF_SAMPLE_BRANCH_ANY),
	BRANCH_SWITCH("calls of one task", INSNS, RECORD_CALLS),
	BRANCH_OVERFLOW("IP and branches", REGS, PERF_SAMPLE_BRANCH_ANY, .why = WHY_LOOK),
#ifdef RECORD_ADDRESSES
	BRANCH_OVERFLOW("IP and addresses of branches", REGS, RECORD_ADDRESSES,
			.why = WHY_LOOK),
#endif
	BRANCH_OVERFLOW("IP and calls", REGS, RECORD_CALLS),
	BRANCH_SWITCH("branches of one task", REGS, PERF_SAMPLE_BRANCH_ANY),
	BRANCH_SWITCH("calls of one task", REGS, RECORD_CALLS),

	{ "memory of a task's counter, bytes", bytes_of_counter, .attr = { FAULTS } },
	{ "memory of a CPU's counter, bytes", bytes_of_counter, .cpu_wide = true,
	  .attr = { FAULTS } },
	{ "memory of a child's only inherited counter, bytes", bytes_of_child,
	  bytes_of_child, .nr = 1, .attr = { FAULTS, .inherit = 1 } },
	{ "memory of a child's inherited counter of 16, bytes", bytes_of_child,
	  bytes_of_child, .nr = 16, .attr = { FAULTS, .inherit = 1 } },
};

const unsigned int nr_rows = ARRAY_SIZE(rows);

const struct hooked hooked[] = {
	{ "context switch", cost_switch },
	{ "page fault", cost_fault },
	{ "fork + exit + wait", cost_fork },
	{ "thread creation + end", cost_thread },
	{ "mmap + munmap of code", cost_map_unmap_code },
};

const unsigned int nr_hooked = ARRAY_SIZE(hooked);
