// SPDX-License-Identifier: GPL-2.0
/*
 * exec-N [PAGE [PROGRAM...]] - touch pages from PAGE on, then execute PROGRAM
 *
 * The functions of all exec-N have equal addresses, because the programs are linked statically
 * to a fixed address.
 */
#include "arena.h"

static void NAME(char *map, long pages)
{
	for (long i = 0; i < pages; i++)
		map[i * ARENA_PAGE] = 1;
}

#define STRING_OF(name)	#name
#define STRING(name)	STRING_OF(name)

int main(int argc, char **argv)
{
	long page = argc > 1 ? atol(argv[1]) : 0;
	char next[32];

	arena_map();
	for (int i = 0; i < ROUNDS; i++)
		page = arena_touch(page, NAME, STRING(NAME));
	fflush(stdout);
	if (argc < 3)
		return 0;
	snprintf(next, sizeof(next), "%ld", page);
	argv[1] = argv[2];
	argv[2] = next;
	/* The arguments of the next program are PAGE ... */
	execv(argv[1], argv + 1);
	die(argv[1]);
}
