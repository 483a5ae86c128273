/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of the single CPUs of a descriptor that counts the whole machine. */
#ifndef PERF_MEASURE_CPU_ROWS_H
#define PERF_MEASURE_CPU_ROWS_H

#include <stdbool.h>

#include "util/util.h"
#include "counters.h"

/* Return true if the kernel returns the counts of single CPUs, which perf_events does not. */
bool cpu_rows_are_supported(void);

/**
 * cpu_rows_read() - read the counts of single CPUs
 * @fd: descriptor of the whole machine, opened as counter_read() needs it
 * @cpus: CPUs
 * @counts: receives the count of each CPU; 0 for a CPU that the descriptor did not count
 *
 * Return: 0, or -1 with errno set.
 */
int cpu_rows_read(int fd, const struct int_list *cpus, struct count *counts);

#endif
