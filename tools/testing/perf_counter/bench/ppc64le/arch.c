// SPDX-License-Identifier: GPL-2.0
/*
 * The emulated PMU of POWER counts the accesses to it and the instructions of the machine; see
 * ../../qemu/ppc64/README.rst.
 */
#include <unistd.h>
#include <sys/wait.h>

#include "bench.h"

/* Return true if the CPU has these registers. Reading a missing one raises SIGILL. */
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

/* Return the number of accesses to the PMU's registers so far, of all kinds. */
uint64_t registers_accessed(void)
{
	return mfspr(SPR_MFSPRS) + mfspr(SPR_MTSPRS) + mfspr(SPR_MFBHRBES);
}

/*
 * Call cost_fault_in_frames() directly: on POWER, functions of the program and of the C library
 * have a chain of frames.
 */
double cost_fault(const struct row *row, const struct side *side)
{
	return cost_fault_in_frames(row, side);
}
