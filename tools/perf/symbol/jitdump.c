// SPDX-License-Identifier: GPL-2.0
/*
 * jitdump files: records that a program writes about the code that it generates.
 *
 * The file may end early because the program was killed, or be any file of that name: nothing
 * in it is trusted.
 */
#include <byteswap.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "jit_file.h"
#include "jitdump.h"

/* "JiTD" as a number. In a file of the other byte order, it is byte-swapped. */
#define JIT_MAGIC 0x4a695444

/* Bit of the header's flags: times are readings of a CPU register, not of CLOCK_MONOTONIC. */
#define JIT_ARCH_TIMESTAMP 1

enum jit_record_type {
	JIT_CODE_LOAD	= 0,
	JIT_CODE_MOVE	= 1,
	JIT_CODE_CLOSE	= 3,
	JIT_CODE_UNWINDING_INFO	= 4,
};

struct jit_header {
	uint32_t magic;
	uint32_t version;
	uint32_t total_size;		/* size of the header in bytes */
	uint32_t elf_mach;
	uint32_t pad;
	uint32_t pid;
	uint64_t timestamp;
	uint64_t flags;
};

struct jit_record {
	uint32_t id;
	uint32_t total_size;
	uint64_t timestamp;
};

/*
 * A record of a loaded function. The name with its NUL, and then the code, follow this structure.
 */
struct jit_load {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t code_addr;
	uint64_t code_size;
	uint64_t code_index;
};

struct jit_move {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t old_code_addr;
	uint64_t new_code_addr;
	uint64_t code_size;
	uint64_t code_index;
};

/*
 * A record with the unwinding tables of the function that is loaded next. .eh_frame and then
 * .eh_frame_hdr follow this structure. If a program loaded both, .eh_frame would follow the code,
 * at the next multiple of 8 bytes.
 */
struct jit_unwinding_info {
	uint64_t size;			/* size of both sections in bytes */
	uint64_t header_size;		/* size of .eh_frame_hdr in bytes */
	uint64_t mapped_size;
};

/* A function that was loaded, and may be moved. */
struct jit_function {
	struct hash_node node;		/* by code_index */
	uint64_t code_index;
	uint64_t offset;
	uint64_t size;
};

/* Maximum size of a name in bytes, with its NUL. */
#define JIT_NAME_MAX 16384

/**
 * struct jit_reader - a file that is being read
 * @file: stream of the file
 * @at: offset of the current record
 * @size: size of the file in bytes
 * @swapped: true if the file has the other byte order
 * @dump: result
 * @functions: functions that may be moved, by code_index
 * @name: name of the current function
 * @room: allocated number of @dump->events
 * @next: tables of the function that is loaded next
 * @has_next: true if @next is set
 * @unwinding_room: allocated number of @dump->unwindings
 */
struct jit_reader {
	FILE *file;
	uint64_t at;
	uint64_t size;
	bool swapped;
	struct jitdump *dump;
	struct hash_table functions;
	char name[JIT_NAME_MAX];
	size_t room;
	struct jit_unwinding next;
	bool has_next;
	size_t unwinding_room;
};

static uint32_t u32(const struct jit_reader *r, uint32_t value)
{
	return r->swapped ? bswap_32(value) : value;
}

static uint64_t u64(const struct jit_reader *r, uint64_t value)
{
	return r->swapped ? bswap_64(value) : value;
}

static bool read_exactly(struct jit_reader *r, void *into, size_t size)
{
	return fread(into, 1, size, r->file) == size;
}

static void add_event(struct jit_reader *r, const struct jit_event *event)
{
	struct jitdump *dump = r->dump;

	if (dump->nr == r->room) {
		r->room = r->room ? r->room * 2 : 256;
		dump->events = xreallocarray(dump->events, r->room, sizeof(*dump->events));
	}
	dump->events[dump->nr] = *event;
	dump->events[dump->nr].order = dump->nr;
	dump->nr++;
}

static struct jit_function *find_function(const struct jit_reader *r, uint64_t code_index)
{
	struct hash_node *node = hash_table_first(&r->functions, hash_number(code_index));

	for (; node; node = hash_table_next(node)) {
		struct jit_function *function = hash_entry(node, struct jit_function, node);

		if (function->code_index == code_index)
			return function;
	}
	return NULL;
}

/* Add a function, or replace it: a function that is compiled again may keep its index. */
static void add_function(struct jit_reader *r, uint64_t code_index, uint64_t offset, uint64_t size)
{
	struct jit_function *function = find_function(r, code_index);

	if (!function) {
		function = xcalloc(1, sizeof(*function));
		function->code_index = code_index;
		hash_table_add(&r->functions, &function->node, hash_number(code_index));
	}
	function->offset = offset;
	function->size = size;
	symbol_table_add(&r->dump->dso->elf.symbols, offset, size, r->name, SYMBOL_GLOBAL);
}

static void add_unwinding(struct jit_reader *r, const struct jit_event *load)
{
	struct jitdump *dump = r->dump;
	struct jit_unwinding *unwinding;

	if (dump->nr_unwindings == r->unwinding_room) {
		r->unwinding_room = r->unwinding_room ? r->unwinding_room * 2 : 256;
		dump->unwindings = xreallocarray(dump->unwindings, r->unwinding_room,
						 sizeof(*dump->unwindings));
	}
	unwinding = &dump->unwindings[dump->nr_unwindings++];
	*unwinding = r->next;
	unwinding->code = load->offset;
	unwinding->code_size = load->size;
	unwinding->addr = load->addr;
}

/* Read a record of a loaded function. Return: false if the record is damaged. */
static bool read_load(struct jit_reader *r, uint64_t time, uint64_t size)
{
	struct jit_event event = { .time = time };
	bool has_unwinding = r->has_next;
	uint64_t room, name_size;
	struct jit_load load;

	r->has_next = false;
	if (size < sizeof(load) || !read_exactly(r, &load, sizeof(load)))
		return false;
	room = size - sizeof(load);
	event.addr = u64(r, load.code_addr);
	event.size = u64(r, load.code_size);
	if (event.size >= room || event.size > UINT64_MAX - event.addr)
		return false;
	name_size = room - event.size;
	if (name_size > JIT_NAME_MAX)
		name_size = JIT_NAME_MAX;
	if (!read_exactly(r, r->name, name_size) || !memchr(r->name, '\0', name_size))
		return false;
	/* A child of the writer may go on writing to the file: skip its records. */
	if (u32(r, load.pid) != r->dump->pid || !event.size)
		return true;
	event.offset = r->at + sizeof(struct jit_record) + size - event.size;
	add_function(r, u64(r, load.code_index), event.offset, event.size);
	add_event(r, &event);
	if (has_unwinding)
		add_unwinding(r, &event);
	return true;
}

/*
 * Read a record of unwinding tables. Return: false if the record is cut off. Tables of an
 * impossible size are left out, so that the functions after the record keep their names.
 */
static bool read_unwinding(struct jit_reader *r, uint64_t size)
{
	struct jit_unwinding_info info;
	uint64_t tables, header;

	if (size < sizeof(info) || !read_exactly(r, &info, sizeof(info)))
		return false;
	tables = u64(r, info.size);
	header = u64(r, info.header_size);
	r->next = (struct jit_unwinding){
		.offset = r->at + sizeof(struct jit_record) + sizeof(info),
	};
	/* A function without tables has a header alone. */
	r->has_next = tables != header;
	if (tables <= size - sizeof(info) && tables > header &&
	    tables - header <= JIT_UNWINDING_MAX)
		r->next.size = tables - header;
	return true;
}

static bool read_move(struct jit_reader *r, uint64_t time, uint64_t size)
{
	struct jit_event event = { .time = time, .moved = true };
	const struct jit_function *function;
	struct jit_move move;

	if (size < sizeof(move) || !read_exactly(r, &move, sizeof(move)))
		return false;
	if (u32(r, move.pid) != r->dump->pid)
		return true;
	function = find_function(r, u64(r, move.code_index));
	event.old_addr = u64(r, move.old_code_addr);
	event.addr = u64(r, move.new_code_addr);
	if (!function || function->size > UINT64_MAX - event.addr)
		return false;
	event.size = function->size;
	event.offset = function->offset;
	add_event(r, &event);
	return true;
}

/* Read one record and go to the next. Return false if the record is missing or damaged. */
static bool read_record(struct jit_reader *r, bool *closed)
{
	struct jit_record record;
	uint64_t size, time;
	bool good = true;

	if (!read_exactly(r, &record, sizeof(record)))
		return false;
	size = u32(r, record.total_size);
	time = u64(r, record.timestamp);
	if (size < sizeof(record) || size > r->size - r->at)
		return false;
	switch (u32(r, record.id)) {
	case JIT_CODE_LOAD:
		good = read_load(r, time, size - sizeof(record));
		break;
	case JIT_CODE_MOVE:
		good = read_move(r, time, size - sizeof(record));
		break;
	case JIT_CODE_CLOSE:
		*closed = true;
		break;
	case JIT_CODE_UNWINDING_INFO:
		good = read_unwinding(r, size - sizeof(record));
		break;
	}
	if (!good)
		return false;
	r->at += size;
	return !fseeko(r->file, r->at, SEEK_SET);
}

/* Read all records. Return false if the record at @r->at is damaged. */
static bool read_records(struct jit_reader *r)
{
	bool closed = false;

	while (!closed && r->at < r->size) {
		if (!read_record(r, &closed))
			return false;
	}
	return true;
}

static bool read_header(struct jit_reader *r, bool same_clock)
{
	struct jit_header header;

	if (!read_exactly(r, &header, sizeof(header)))
		return false;
	r->swapped = header.magic == bswap_32(JIT_MAGIC);
	r->at = u32(r, header.total_size);
	if (u32(r, header.magic) != JIT_MAGIC || u32(r, header.version) != 1 ||
	    r->at < sizeof(header) || r->at > r->size)
		return false;
	r->dump->pid = u32(r, header.pid);
	r->dump->machine = u32(r, header.elf_mach);
	r->dump->big = r->swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	r->dump->untimed = !same_clock || (u64(r, header.flags) & JIT_ARCH_TIMESTAMP);
	return !fseeko(r->file, r->at, SEEK_SET);
}

static int compare(const void *a, const void *b)
{
	const struct jit_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void free_function(struct hash_node *node)
{
	free(hash_entry(node, struct jit_function, node));
}

static void read_dump(struct jit_reader *r, const char *path, bool same_clock)
{
	struct jitdump *dump = r->dump;

	if (!read_header(r, same_clock)) {
		warn("%s: not a jitdump file of version 1; its code has no names", path);
		return;
	}
	if (!read_records(r))
		warn("%s: damaged at offset 0x%" PRIx64 "; the records before it are used", path,
		     r->at);
	if (dump->untimed)
		warn("%s: times of another clock are ignored; record with -k mono",
		     path);
	else if (dump->nr)
		qsort(dump->events, dump->nr, sizeof(*dump->events), compare);
	symbol_table_finish(&dump->dso->elf.symbols);
}

/**
 * jitdump_open() - Open a jitdump file, as its process sees it if that still runs
 * @dso: the file
 * @st: set to the status of the file
 * @err: set to the reason if the file is not opened
 *
 * Return: A close-on-exec descriptor, or a negative errno.
 */
int jitdump_open(const struct dso *dso, struct stat *st, struct error *err)
{
	int fd = dso->pids[0] ? jit_file_open_of(dso->pids[0], dso->path, st) : -1;

	return fd < 0 ? jit_file_open(dso->path, st, err) : fd;
}

static FILE *open_dump(const struct dso *dso, uint64_t *size)
{
	struct error err;
	struct stat st;
	int fd = jitdump_open(dso, &st, &err);

	if (fd < 0) {
		warn("%s; its code has no names", err.text);
		return NULL;
	}
	*size = st.st_size;
	return fdopen(fd, "r");
}

/* Return true if the name of the file is jit-PID.dump. */
bool jitdump_is_name(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t digits;

	if (!base || strncmp(base, "/jit-", 5))
		return false;
	digits = strspn(base + 5, "0123456789");
	return digits && !strcmp(base + 5 + digits, ".dump");
}

/**
 * jitdump_of() - Read a jitdump file, unless it has been read
 * @dso: file, of kind DSO_JITDUMP; gets the functions
 * @same_clock: true if the recording has times of CLOCK_MONOTONIC
 *
 * Problems of the file are printed to stderr when it is read.
 *
 * Return: The readable part of the file; it lives as long as @dso.
 */
struct jitdump *jitdump_of(struct dso *dso, bool same_clock)
{
	struct jit_reader *r;

	if (dso->dump)
		return dso->dump;
	dso->loaded = true;
	dso->dump = xcalloc(1, sizeof(*dso->dump));
	dso->dump->dso = dso;
	r = xcalloc(1, sizeof(*r));
	r->dump = dso->dump;
	r->file = open_dump(dso, &r->size);
	if (r->file) {
		read_dump(r, dso->path, same_clock);
		fclose(r->file);
	}
	hash_table_free_all(&r->functions, free_function);
	free(r);
	return dso->dump;
}

/**
 * jitdump_unwinding() - Find the unwinding tables of generated code
 * @dump: readable part of the file
 * @code: offset of an instruction in the file
 *
 * Return: The tables of the function that contains the instruction; NULL if it has none.
 */
const struct jit_unwinding *jitdump_unwinding(const struct jitdump *dump, uint64_t code)
{
	size_t low = 0, high = dump->nr_unwindings, middle;
	const struct jit_unwinding *unwinding;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (dump->unwindings[middle].code <= code)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	unwinding = &dump->unwindings[low - 1];
	return code - unwinding->code < unwinding->code_size ? unwinding : NULL;
}

void jitdump_free(struct jitdump *dump)
{
	if (!dump)
		return;
	free(dump->unwindings);
	free(dump->events);
	free(dump);
}
