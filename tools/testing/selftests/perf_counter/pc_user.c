// SPDX-License-Identifier: GPL-2.0
/*
 * A user without privileges.
 */
#include "pc_user.h"

void pc_become_nobody(rlim_t memlock)
{
	struct rlimit limit = { memlock, memlock };

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setresgid(PC_NOBODY, PC_NOBODY, PC_NOBODY) ||
	    setresuid(PC_NOBODY, PC_NOBODY, PC_NOBODY))
		_exit(100);
}

int pc_map_until_refused(int max)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	int n = 0, fds[256];
	struct pc_ring rings[256];

	attr.exclude_kernel = 1;
	for (n = 0; n < max; n++) {
		fds[n] = pc_open(&attr, 0, -1, -1);
		if (fds[n] < 0)
			return -1;
		if (!pc_ring_map(&rings[n], fds[n], 1))
			continue;
		close(fds[n]);
		if (errno != EPERM)
			return -1;
		break;
	}
	for (int i = 0; i < n; i++) {
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
	return n;
}

int pc_in_nobody(int (*fn)(int max), int max, rlim_t memlock)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		pc_become_nobody(memlock);
		_exit(fn(max));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}
