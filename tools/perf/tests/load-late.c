// SPDX-License-Identifier: GPL-2.0
/*
 * load-late - cause page faults 900 calls deep, while the parent process is stopped and afterwards
 *
 * A recorder of page faults that is the parent finds its buffer full. Another buffer is full before
 * it has unwound the stacks of the first one.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define DEPTH 900
#define PAGES 1000

static char *map;
static long page;

static __attribute__((noipa)) long touch(void)
{
	long i, sum = 0;

	for (i = 0; i < PAGES; i++)
		sum += map[i * page]++;
	return sum;
}

static __attribute__((noipa)) long fall(int depth)
{
	clock_t until;
	long sum;

	/* The addition keeps the call from being a jump. */
	if (depth)
		return fall(depth - 1) + 1;
	kill(getppid(), SIGSTOP);
	sum = touch();
	kill(getppid(), SIGCONT);
	for (until = clock() + CLOCKS_PER_SEC / 2; clock() < until;) {
		madvise(map, PAGES * page, MADV_DONTNEED);
		sum += touch();
	}
	return sum;
}

int main(void)
{
	page = sysconf(_SC_PAGESIZE);
	map = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(map, PAGES * page, MADV_NOHUGEPAGE);
	return fall(DEPTH) == 0;
}
