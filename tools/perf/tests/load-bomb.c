// SPDX-License-Identifier: GPL-2.0
/*
 * load-bomb LIMIT FORKS - a fork bomb with a small limit of processes
 *
 * Every process, of a user who may have LIMIT processes, forks until a fork fails or there were
 * FORKS forks, and then exits. Prints the numbers of forks and of failed forks.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

struct shared {
	atomic_long forks;
	atomic_long refused;
};

static struct shared *shared;
static long most;

static void explode(void)
{
	pid_t pid;

	/* Count a fork before it is tried, so that there are never more than FORKS. */
	while (atomic_fetch_add(&shared->forks, 1) < most) {
		pid = fork();
		if (!pid) {
			explode();
			_exit(0);
		}
		if (pid > 0)
			continue;
		atomic_fetch_sub(&shared->forks, 1);
		atomic_fetch_add(&shared->refused, 1);
		while (wait(NULL) > 0)
			;
		if (errno != ECHILD)
			exit(1);
		return;
	}
	atomic_fetch_sub(&shared->forks, 1);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	if (argc != 3) {
		fprintf(stderr, "usage: load-bomb LIMIT FORKS\n");
		return 129;
	}
	limit.rlim_cur = atol(argv[1]);
	limit.rlim_max = limit.rlim_cur;
	most = atol(argv[2]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || setrlimit(RLIMIT_NPROC, &limit) || setuid(NOBODY)) {
		perror("load-bomb");
		return 1;
	}
	/* Processes whose fork fails exit; only the first one goes on until there were enough. */
	while (atomic_load(&shared->forks) < most)
		explode();
	printf("%ld %ld\n", atomic_load(&shared->forks), atomic_load(&shared->refused));
	return 0;
}
