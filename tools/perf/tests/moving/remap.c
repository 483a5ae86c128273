// SPDX-License-Identifier: GPL-2.0
/*
 * remap LIBRARY - code of a library is moved and moved back; then a copy in anonymous memory
 * replaces it, and it is restored, like in programs that put text on huge pages
 */
#include <dlfcn.h>
#include <fcntl.h>

#include "arena.h"

static void *move(void *from, void *to)
{
	if (mremap(from, ARENA_PAGE, ARENA_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		die("mremap");
	return to;
}

static void *copy_of(const void *code)
{
	void *copy = mmap(NULL, ARENA_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);

	if (copy == MAP_FAILED)
		die("mmap of a copy");
	memcpy(copy, code, ARENA_PAGE);
	if (mprotect(copy, ARENA_PAGE, PROT_READ | PROT_EXEC))
		die("mprotect");
	return copy;
}

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *home = library ? dlsym(library, "touch_one") : NULL, *away, *spare;
	long page = 0;

	if (!home) {
		fprintf(stderr, "moving: no library with touch_one\n");
		return 1;
	}
	arena_map();
	away = mmap(NULL, ARENA_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	spare = mmap(NULL, ARENA_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (away == MAP_FAILED || spare == MAP_FAILED)
		die("mmap");
	for (int i = 0; i < ROUNDS; i++) {
		page = arena_touch(page, (touch_fn)move(home, away), "touch_one");
		page = arena_touch(page, (touch_fn)move(away, home), "touch_one");
		/* Move the text away, put the copy in its place, and restore the text. */
		away = copy_of(home);
		if (mremap(home, ARENA_PAGE, ARENA_PAGE,
			   MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, spare) != spare)
			die("mremap");
		page = arena_touch(page, (touch_fn)move(away, home), "touch_one");
		page = arena_touch(page, (touch_fn)move(spare, home), "touch_one");
	}
	return 0;
}
