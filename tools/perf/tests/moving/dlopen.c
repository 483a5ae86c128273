// SPDX-License-Identifier: GPL-2.0
/*
 * dlopen DIRECTORY - two libraries of DIRECTORY in turn, at one address
 */
#include <dlfcn.h>

#include "arena.h"

static long use(const char *directory, const char *which, long page, void **where)
{
	char path[4096], name[32];
	touch_fn touch;
	void *library;

	snprintf(path, sizeof(path), "%s/lib%s.so", directory, which);
	snprintf(name, sizeof(name), "touch_%s", which);
	library = dlopen(path, RTLD_NOW);
	touch = library ? (touch_fn)dlsym(library, name) : NULL;
	if (!touch) {
		fprintf(stderr, "moving: %s\n", dlerror());
		exit(1);
	}
	*where = touch;
	page = arena_touch(page, touch, name);
	dlclose(library);
	return page;
}

int main(int argc, char **argv)
{
	void *one, *two;
	long page = 0;

	if (argc != 2)
		return 129;
	arena_map();
	for (int i = 0; i < ROUNDS; i++) {
		page = use(argv[1], "one", page, &one);
		page = use(argv[1], "two", page, &two);
		if (one != two) {
			fprintf(stderr, "moving: the libraries are not at one address\n");
			return 1;
		}
	}
	return 0;
}
