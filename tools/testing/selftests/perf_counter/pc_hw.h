/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of the PMU, and a loop that executes a known number of instructions.
 */
#ifndef PC_HW_H
#define PC_HW_H

#include "pc.h"

/* Instructions in a round of pc_loop(). */
#define PC_LOOP_INSTRUCTIONS 2

/* The addresses of the loop's first instruction and of the first instruction after the loop. */
extern const char pc_loop_begin[], pc_loop_end[];

/*
 * Execute @n * PC_LOOP_INSTRUCTIONS instructions, of which @n are branches, beside the instructions
 * of the call and the return.
 */
void pc_loop(__u64 n);

/* Attributes of a counter of a generic hardware event in user mode that begins disabled. */
struct perf_counter_attr pc_hw_attr(__u64 config);

/* Attributes of a counter of a raw event in user mode that begins disabled. */
struct perf_counter_attr pc_raw_attr(__u64 code);

/* True if the flags in /proc/cpuinfo include @feature. */
bool pc_cpu_has(const char *feature);

/* True if the PMU starts and stops all counters of a CPU at the same moment. */
bool pc_starts_at_once(void);

/* The count of a counter that is enabled during pc_loop(@n). The code is the same for each @n. */
__u64 pc_count_loop(int fd, __u64 n);

#ifdef __x86_64__
/*
 * Read the count of a counter by RDPMC. @page is its user page. Returns ~0 if the counter is not in
 * a register.
 */
__u64 pc_rdpmc(struct perf_event_mmap_page *page);
#endif

#endif /* PC_HW_H */
