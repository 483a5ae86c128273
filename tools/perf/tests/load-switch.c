// SPDX-License-Identifier: GPL-2.0
/*
 * load-switch ROUNDS - two processes on one CPU pass a byte to and fro.
 *
 * A process gets the byte only after the other one has run, on the same
 * CPU, so a round trip is at least two context switches.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * A chain of frame pointers lacks the caller of write(), which has no frame of its own. This caller
 * is give(), so that chains have main() and pass().
 */
static void give(int out)
{
	if (write(out, "", 1) != 1)
		exit(1);
}

static void pass(int in, int out)
{
	char c;

	if (read(in, &c, 1) != 1)
		exit(1);
	give(out);
}

int main(int argc, char **argv)
{
	long i, rounds = argc == 2 ? atol(argv[1]) : 0;
	int there[2], back[2], status;
	cpu_set_t cpus;
	pid_t child;

	if (rounds < 1)
		return 1;
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || pipe(there) || pipe(back)) {
		perror("load-switch");
		return 1;
	}
	child = fork();
	if (!child) {
		for (i = 0; i < rounds; i++)
			pass(there[0], back[1]);
		return 0;
	}
	if (child < 0)
		return 1;
	give(there[1]);
	for (i = 1; i < rounds; i++)
		pass(back[0], there[1]);
	/* Receive the byte for the last time. */
	pass(back[0], there[1]);
	return wait(&status) != child || status;
}
