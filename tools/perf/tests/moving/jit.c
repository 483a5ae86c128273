// SPDX-License-Identifier: GPL-2.0
/*
 * jit map|dump|move DIRECTORY - generate code
 *
 * Code is written, made executable, and run. With 'map' each function has a page of its
 * own, and a line in /tmp/perf-PID.map. With 'dump' all functions are written to one page, one
 * after the other, and a jitdump file in DIRECTORY has them with their times. With
 * 'move' the code is moved, once it is written, to the address of a library of DIRECTORY, which
 * was unloaded.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "arena.h"

/* The generated code is a copy of this function, which calls nothing and is below CODE_SIZE. */
#define CODE_SIZE 256

static void template(char *map, long pages)
{
	for (long i = 0; i < pages; i++)
		map[i * ARENA_PAGE] = 1;
}

/* The jitdump format: header, and the record of a function that was loaded. */
struct dump_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct dump_load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, addr, code_size, index;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static FILE *dump_open(const char *directory)
{
	struct dump_header header = {
		.magic = 0x4a695444, .version = 1, .size = sizeof(header), .machine = EM_X86_64,
		.pid = getpid(), .time = now(),
	};
	char path[4096];
	FILE *dump;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", directory, getpid());
	dump = fopen(path, "w+");
	if (!dump || fwrite(&header, sizeof(header), 1, dump) != 1 || fflush(dump))
		die(path);
	/* The mapping tells the profiler the path of the file. */
	if (mmap(NULL, ARENA_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) ==
	    MAP_FAILED)
		die("mmap of the dump");
	return dump;
}

static void dump_function(FILE *dump, const void *code, const char *name, int index)
{
	struct dump_load load = {
		.size = sizeof(load) + strlen(name) + 1 + CODE_SIZE, .time = now(),
		.pid = getpid(), .tid = getpid(), .vma = (uintptr_t)code, .addr = (uintptr_t)code,
		.code_size = CODE_SIZE, .index = index,
	};

	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, CODE_SIZE, 1, dump);
	fflush(dump);
}

/* Use the library once and unload it. Return: the address of its code. */
static char *place_of_library(const char *directory, long *page)
{
	char path[4096];
	void *library, *touch;

	snprintf(path, sizeof(path), "%s/libone.so", directory);
	library = dlopen(path, RTLD_NOW);
	touch = library ? dlsym(library, "touch_one") : NULL;
	if (!touch) {
		fprintf(stderr, "moving: no library with touch_one\n");
		exit(1);
	}
	*page = arena_touch(*page, (touch_fn)touch, "touch_one");
	dlclose(library);
	return touch;
}

static char *move(char *code, char *to)
{
	if (mremap(code, ARENA_PAGE, ARENA_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		die("mremap");
	return to;
}

int main(int argc, char **argv)
{
	bool reuse = argc == 3 && !strcmp(argv[1], "dump");
	bool moving = argc == 3 && !strcmp(argv[1], "move");
	char path[64], name[32], *code = NULL, *place = NULL;
	FILE *names;
	long page = 0;

	if (argc != 3)
		return 129;
	arena_map();
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	names = reuse ? dump_open(argv[2]) : fopen(path, "w");
	if (!names)
		die(path);
	for (int i = 0; i < ROUNDS; i++) {
		if (!code || !reuse)
			code = mmap(NULL, ARENA_PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (code == MAP_FAILED || mprotect(code, ARENA_PAGE, PROT_READ | PROT_WRITE))
			die("mmap of code");
		if (moving)
			place = place_of_library(argv[2], &page);
		snprintf(name, sizeof(name), "generated_%d", i);
		memcpy(code, (const void *)template, CODE_SIZE);
		if (reuse)
			dump_function(names, code, name, i);
		else
			fprintf(names, "%lx %x %s\n", (unsigned long)(place ? place : code),
				CODE_SIZE, name);
		if (mprotect(code, ARENA_PAGE, PROT_READ | PROT_EXEC))
			die("mprotect");
		if (place)
			code = move(code, place);
		page = arena_touch(page, (touch_fn)code, name);
	}
	return fclose(names) ? 1 : 0;
}
