// SPDX-License-Identifier: GPL-2.0
/*
 * load-generated TABLES DIRECTORY - run generated code that has no frame pointer
 *
 * Burns CPU time in the generated function and in burn(), which it calls:
 *
 *	main middle generated
 *	main middle generated burn
 *
 * No other function has a frame pointer, either. The jitdump file in DIRECTORY has unwinding tables
 * of the generated function, which depend on TABLES:
 *
 *	good		the tables are right
 *	moved		the same, and the code is moved before it runs
 *	none		there is no record of tables
 *	empty		the record has no table
 *	truncated	the table ends within its first entry
 *	cyclic		the entry of the function refers to itself in the place of a CIE
 *	endless		the tables say that the function is its own caller
 *	enormous	the table is said to have 2^62 bytes
 *	large		the table is larger than a table may be
 *	elsewhere	the table describes other code
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define OWN_FRAME __attribute__((noipa))
#define PAGE 4096
#define SECONDS 0.4

/*
 * Arguments: a function that is called, and a number of iterations. The stack pointer moves by 8,
 * for the pushed register, and by 64; %rbp is used, so that it is no frame pointer.
 */
static const uint8_t code[] = {
	0x55,				/*  0: push %rbp */
	0x48, 0x83, 0xec, 0x40,		/*  1: sub  $64, %rsp */
	0x48, 0x89, 0xf5,		/*  5: mov  %rsi, %rbp */
	0x48, 0xff, 0xcd,		/*  8: dec  %rbp */
	0x75, 0xfb,			/* 11: jne  8 */
	0xff, 0xd7,			/* 13: call *%rdi */
	0x48, 0x83, 0xc4, 0x40,		/* 15: add  $64, %rsp */
	0x5d,				/* 19: pop  %rbp */
	0xc3,				/* 20: ret */
};

/* .eh_frame would be at the next multiple of 8 after the code. */
#define CODE_ROOM 24

static const uint8_t cie[] = {
	20, 0, 0, 0, 0, 0, 0, 0,	/* length; the mark of a CIE */
	1, 'z', 'R', 0,			/* version, augmentation */
	1, 0x78, 16,			/* factors 1 and -8; column of the return address */
	1, 0x1b,			/* addresses are relative, 4 bytes */
	0x0c, 7, 8,			/* CFA: %rsp + 8 */
	0x90, 1,			/* return address: at the CFA - 8 */
	0, 0,
};

static const uint8_t fde[] = {
	32, 0, 0, 0,			/* length */
	sizeof(cie) + 4, 0, 0, 0,	/* distance to the CIE */
	-(CODE_ROOM + sizeof(cie) + 8) & 0xff, 0xff, 0xff, 0xff,
	sizeof(code), 0, 0, 0,
	0,				/* no data of the augmentation */
	0x41, 0x0e, 16,			/*  1: CFA: %rsp + 16 */
	0x86, 2,			/*     %rbp: at the CFA - 16 */
	0x44, 0x0e, 80,			/*  5: CFA: %rsp + 80 */
	0x4e, 0x0e, 16,			/* 19: CFA: %rsp + 16 */
	0x41, 0x0e, 8,			/* 20: CFA: %rsp + 8 */
	0, 0, 0, 0, 0,
};

/*
 * .eh_frame_hdr, whose table has a single function. The distances are relative, and lead to
 * .eh_frame and to the code.
 */
static const uint8_t header[] = {
	1, 0x1b, 0x03, 0x3b,
	-(sizeof(cie) + sizeof(fde) + 4) & 0xff, 0xff, 0xff, 0xff,
	1, 0, 0, 0,
	-(CODE_ROOM + sizeof(cie) + sizeof(fde)) & 0xff, 0xff, 0xff, 0xff,
	-sizeof(fde) & 0xff, 0xff, 0xff, 0xff,
};

/* The jitdump format */
struct dump_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct dump_record {
	uint32_t id, size;
	uint64_t time;
};

struct dump_load {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t vma, addr, code_size, index;
};

struct dump_move {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t vma, from, to, code_size, index;
};

struct dump_unwinding {
	struct dump_record record;
	uint64_t size, header_size, mapped_size;
};

/* Results are stored here, so that calls are not tail calls. */
unsigned long sink;

typedef void (*generated_fn)(void (*called)(void), unsigned long iterations);

OWN_FRAME static void burn(void)
{
	unsigned long i;

	for (i = 0; i < 1000000; i++)
		sink += i ^ sink;
}

OWN_FRAME static unsigned long middle(generated_fn generated)
{
	clock_t until = clock() + (clock_t)(SECONDS * CLOCKS_PER_SEC);

	while (clock() < until)
		generated(burn, 1000000);
	return sink + 1;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static FILE *dump_open(const char *directory)
{
	struct dump_header start = {
		.magic = 0x4a695444, .version = 1, .size = sizeof(start), .machine = EM_X86_64,
		.pid = getpid(), .time = now(),
	};
	char path[4096];
	FILE *dump;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", directory, getpid());
	dump = fopen(path, "w+");
	if (!dump || fwrite(&start, sizeof(start), 1, dump) != 1 || fflush(dump))
		die(path);
	/* The mapping tells the profiler the path of the file. */
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		die("mmap");
	return dump;
}

static void write_unwinding(FILE *dump, const void *table, size_t size, uint64_t said_size)
{
	struct dump_unwinding unwinding = {
		.record = { .id = 4, .size = sizeof(unwinding) + size, .time = now() },
		.size = said_size, .header_size = sizeof(header), .mapped_size = said_size,
	};

	fwrite(&unwinding, sizeof(unwinding), 1, dump);
	fwrite(table, size, 1, dump);
}

/* Write the tables. Return false if there is no such form of tables. */
static bool write_tables(FILE *dump, const char *tables)
{
	static uint8_t bytes[sizeof(cie) + sizeof(fde) + sizeof(header)], large[1 << 20];
	size_t size = sizeof(bytes);

	memcpy(bytes, cie, sizeof(cie));
	memcpy(bytes + sizeof(cie), fde, sizeof(fde));
	memcpy(bytes + sizeof(cie) + sizeof(fde), header, sizeof(header));
	memcpy(large, bytes, size);
	if (!strcmp(tables, "none")) {
		return true;
	} else if (!strcmp(tables, "empty")) {
		write_unwinding(dump, header, sizeof(header), sizeof(header));
	} else if (!strcmp(tables, "truncated")) {
		memmove(bytes + 9, header, sizeof(header));
		write_unwinding(dump, bytes, 9 + sizeof(header), 9 + sizeof(header));
	} else if (!strcmp(tables, "cyclic")) {
		bytes[sizeof(cie) + 4] = 4;
		write_unwinding(dump, bytes, size, size);
	} else if (!strcmp(tables, "endless")) {
		/* The rule of the return address becomes "unchanged", the CFA %rsp + 0. */
		bytes[19] = 0;
		memset(bytes + 20, 0, 2);
		memset(bytes + sizeof(cie) + 17, 0, sizeof(fde) - 17);
		write_unwinding(dump, bytes, size, size);
	} else if (!strcmp(tables, "enormous")) {
		write_unwinding(dump, bytes, size, 1ULL << 62);
	} else if (!strcmp(tables, "large")) {
		write_unwinding(dump, large, sizeof(large), sizeof(large));
	} else if (!strcmp(tables, "elsewhere")) {
		bytes[sizeof(cie) + 10] = 0xfe;
		write_unwinding(dump, bytes, size, size);
	} else if (!strcmp(tables, "good") || !strcmp(tables, "moved")) {
		write_unwinding(dump, bytes, size, size);
	} else {
		return false;
	}
	return true;
}

static void write_load(FILE *dump, const void *place)
{
	static const char name[] = "generated";
	struct dump_load load = {
		.record.size = sizeof(load) + sizeof(name) + sizeof(code), .record.time = now(),
		.pid = getpid(), .tid = getpid(), .vma = (uintptr_t)place,
		.addr = (uintptr_t)place, .code_size = sizeof(code),
	};

	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, sizeof(name), 1, dump);
	fwrite(code, sizeof(code), 1, dump);
}

static void write_move(FILE *dump, const void *from, const void *to)
{
	struct dump_move move = {
		.record = { .id = 1, .size = sizeof(move), .time = now() },
		.pid = getpid(), .tid = getpid(), .vma = (uintptr_t)to,
		.from = (uintptr_t)from, .to = (uintptr_t)to, .code_size = sizeof(code),
	};

	fwrite(&move, sizeof(move), 1, dump);
}

int main(int argc, char **argv)
{
	uint8_t *place = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *dump;

#ifndef __x86_64__
	fprintf(stderr, "load-generated: the code is x86-64 code\n");
	return 2;
#endif
	if (place == MAP_FAILED)
		die("mmap");
	if (argc != 3) {
		fprintf(stderr, "usage: load-generated TABLES DIRECTORY\n");
		return 129;
	}
	dump = dump_open(argv[2]);
	if (!write_tables(dump, argv[1])) {
		fprintf(stderr, "load-generated: there are no tables '%s'\n", argv[1]);
		return 129;
	}
	write_load(dump, place);
	if (!strcmp(argv[1], "moved")) {
		write_move(dump, place, place + PAGE);
		place += PAGE;
	}
	if (fflush(dump))
		die("write");
	memcpy(place, code, sizeof(code));
	sink += middle((generated_fn)place);
	return fclose(dump) ? 1 : 0;
}
