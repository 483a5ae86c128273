// SPDX-License-Identifier: GPL-2.0
/*
 * The emulated PMU of POWER tells how often it was accessed, and how many instructions the
 * machine has executed; see ../../qemu/ppc64/README.rst.
 */
#include <unistd.h>
#include <sys/wait.h>

#include "bench.h"

/* A CPU that does not have these registers makes reading one a SIGILL. */
bool registers_init(void)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		die("fork");
	if (!child)
		_exit(!now());
	return waitpid(child, &status, 0) == child && !status;
}

/* Accesses so far, of all kinds. */
uint64_t registers_accessed(void)
{
	return mfspr(SPR_MFSPRS) + mfspr(SPR_MTSPRS) + mfspr(SPR_MFBHRBES);
}

/* Functions of the program and of the C library have a chain of frames anyway. */
double cost_fault(const struct row *row, const struct side *side)
{
	return cost_fault_in_frames(row, side);
}
