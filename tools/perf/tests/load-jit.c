// SPDX-License-Identifier: GPL-2.0
/*
 * load-jit SECONDS
 *
 * Runs generated code for some seconds of CPU time, and names it "generated" in /tmp/perf-PID.map,
 * with the number that the process has for itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The generated code is a copy of this function, which calls nothing and is below CODE_SIZE. */
#define CODE_SIZE 256

static void template(long n)
{
	volatile long i;

	for (i = 0; i < n; i++)
		;
}

int main(int argc, char **argv)
{
	void (*code)(long n);
	char path[64];
	FILE *file;

	code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "w");
	if (argc != 2 || code == MAP_FAILED || !file) {
		fprintf(stderr, "usage: load-jit SECONDS; %s must be writable\n", path);
		return 129;
	}
	memcpy(code, template, CODE_SIZE);
	__builtin___clear_cache((char *)code, (char *)code + CODE_SIZE);
	fprintf(file, "%lx %x generated\n", (unsigned long)code, CODE_SIZE);
	fclose(file);
	while (clock() < atol(argv[1]) * CLOCKS_PER_SEC)
		code(1000000);
	return 0;
}
