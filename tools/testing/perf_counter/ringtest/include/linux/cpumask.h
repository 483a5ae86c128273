/* SPDX-License-Identifier: GPL-2.0 */
/* The CPUs of the test are its threads. */
#ifndef _RINGTEST_LINUX_CPUMASK_H
#define _RINGTEST_LINUX_CPUMASK_H

/* Largest number of threads that write. */
#define RINGTEST_CPUS		32

static inline unsigned int num_possible_cpus(void)
{
	return RINGTEST_CPUS;
}

#endif /* _RINGTEST_LINUX_CPUMASK_H */
