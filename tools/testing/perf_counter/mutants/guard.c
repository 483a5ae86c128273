// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces kill() while mutants run: a mutant could signal every process of the machine, or
 * of a group. The tool itself signals one process at a time.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

int __wrap_kill(pid_t pid, int number)
{
	if (pid <= 1)
		abort();
	return syscall(SYS_kill, pid, number);
}
