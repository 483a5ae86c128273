// SPDX-License-Identifier: GPL-2.0
/*
 * Generated code: jitdump files of either byte order, whole and damaged, and of a process that
 * changes with time; and /tmp/perf-PID.map. The damage is the same in every run.
 */
#include <byteswap.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "symbol/jitdump.h"
#include "made_records.h"
#include "machine/session.h"
#include "unit.h"

#define PID 10

enum {
	LOAD,
	MOVE,
	DEBUG_INFO,
	CLOSE,
	UNWINDING_INFO,
};

static struct data_features features;
static struct symbol_sources sources = { .data_path = "/nonexistent/perf.data" };
static struct event_table events;
static struct machine machine;
static struct bytes record;		/* the record that is applied */
static struct bytes dump;		/* the contents of the dump */
static bool swapped;
static char path[64];
static int real_err, captured;

static void d32(uint32_t value)
{
	put32(&dump, swapped ? bswap_32(value) : value);
}

static void d64(uint64_t value)
{
	put64(&dump, swapped ? bswap_64(value) : value);
}

static void put_header(uint32_t pid, uint64_t flags)
{
	dump.size = 0;
	d32(0x4a695444);
	d32(1);
	d32(48);			/* 8 bytes more than is known */
	d32(62);
	d32(0);
	d32(pid);
	d64(0);
	d64(flags);
	d64(0xffffffffffffffff);
}

static void put_load_of(uint32_t pid, uint64_t time, uint64_t addr, uint64_t size,
			uint64_t index, const char *name)
{
	static const char code[256];
	size_t name_size = strlen(name) + 1;

	d32(LOAD);
	d32(16 + 40 + name_size + size);
	d64(time);
	d32(pid);
	d32(pid);
	d64(addr);
	d64(addr);
	d64(size);
	d64(index);
	put(&dump, name, name_size);
	put(&dump, code, size);
}

static void put_load(uint64_t time, uint64_t addr, uint64_t size, uint64_t index, const char *name)
{
	put_load_of(PID, time, addr, size, index, name);
}

static void put_move(uint64_t time, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	d32(MOVE);
	d32(16 + 48);
	d64(time);
	d32(PID);
	d32(PID);
	d64(to);
	d64(from);
	d64(to);
	d64(size);
	d64(index);
}

/* A record that does not say where code is. */
static void put_other(uint32_t id, uint64_t time)
{
	d32(id);
	d32(16 + 8);
	d64(time);
	d64(0x1122334455667788);
}

/* Tables of @size bytes, of which @header_size are .eh_frame_hdr, in @room bytes. */
static void put_unwinding(uint64_t size, uint64_t header_size, uint64_t room)
{
	static const char tables[128];

	d32(UNWINDING_INFO);
	d32(16 + 24 + room);
	d64(5);
	d64(size);
	d64(header_size);
	d64(size);
	put(&dump, tables, room);
}

static void write_dump(void)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (pwrite(file, dump.data, dump.size, 0) != (ssize_t)dump.size || close(file))
		abort();
}

static void apply(void)
{
	struct record decoded;

	if (record_decode(&events, (void *)record.data, &decoded) != RECORD_OK)
		abort();
	machine_apply(&machine, &decoded);
}

#define APPLY(what, ...)			\
do {						\
	record.size = 0;			\
	what(&record, __VA_ARGS__);		\
	apply();				\
} while (0)

/* Begin the recording of a process that maps the dump; @monotonic: by the dump's clock. */
static void begin_machine_of(uint32_t pid, bool monotonic)
{
	events.events[0].attr.use_clockid = monotonic;
	events.events[0].attr.clockid = monotonic ? CLOCK_MONOTONIC : 0;
	machine_init(&machine, &sources, &features);
	machine.events = &events;
	APPLY(put_mmap2, pid, 0x7000, 0x1000, 0, path, 1, 0);
}

static void begin_machine(void)
{
	write_dump();
	begin_machine_of(PID, true);
}

/* Resolve the address @ip, as it was mapped at @time, to "dso:symbol+offset". */
static const char *at(uint32_t pid, uint64_t time, uint64_t ip)
{
	const uint64_t chain[] = { PERF_CONTEXT_USER, ip };
	static char text[256];
	struct location location;

	APPLY(put_sample, PERF_RECORD_MISC_USER, pid, pid, time, 0, 1, chain, 2);
	machine_resolve(&machine, thread_get(&machine.threads, pid, pid), MODE_USER, ip, &location);
	if (!location.dso)
		return "-";
	if (location.symbol)
		snprintf(text, sizeof(text), "%s:%s+%llu", location.dso->name,
			 symbol_name(location.symbol),
			 (unsigned long long)location.symbol_offset);
	else
		snprintf(text, sizeof(text), "%s", location.dso->name);
	return text;
}

/* Return true if at() is @symbol in @dso; if @dso is NULL, if the whole text is @symbol. */
static bool is_in(const char *dso, uint32_t pid, uint64_t time, uint64_t ip, const char *symbol)
{
	const char *text = at(pid, time, ip);
	size_t skipped = dso ? strlen(dso) + 1 : 0;
	bool same = !strncmp(text, dso ? dso : "", skipped ? skipped - 1 : 0) &&
		    strlen(text) > skipped && !strcmp(text + skipped, symbol);

	if (!same)
		printf("# time %llu, 0x%llx: %s instead of %s\n", (unsigned long long)time,
		       (unsigned long long)ip, text, symbol);
	return same;
}

/* Return true if at() is @symbol in the dump or, if @symbol has no offset, the dso @symbol. */
static bool is(uint64_t time, uint64_t ip, const char *symbol)
{
	return is_in(strchr(symbol, '+') ? "jit-10.dump" : NULL, PID, time, ip, symbol);
}

static void capture(void)
{
	fflush(stderr);
	if (ftruncate(captured, 0))
		abort();
	lseek(captured, 0, SEEK_SET);
	dup2(captured, STDERR_FILENO);
}

/* Return what was written to stderr since capture(). */
static const char *said(void)
{
	static char text[65536];
	ssize_t size;

	fflush(stderr);
	dup2(real_err, STDERR_FILENO);
	size = pread(captured, text, sizeof(text) - 1, 0);
	text[size < 0 ? 0 : size] = '\0';
	return text;
}

/* Return true if the text is one line that contains @name and @word. */
static bool is_one_line(const char *text, const char *name, const char *word)
{
	const char *end = strchr(text, '\n');
	bool good = end && !end[1] && strstr(text, name) && strstr(text, word);

	if (!good)
		printf("# said: %s\n", text);
	return good;
}

static void test_names(void)
{
	check(jitdump_is_name("/tmp/jit-1.dump") && jitdump_is_name("/jit-4194304.dump"),
	      "names of dumps are recognized");
	check(!jitdump_is_name("/tmp/jit-.dump") && !jitdump_is_name("/tmp/jit-1.dump2") &&
	      !jitdump_is_name("/tmp/jit-1a.dump") && !jitdump_is_name("/tmp/xjit-1.dump") &&
	      !jitdump_is_name("jit-1.dump") && !jitdump_is_name("/jit-1.dump/x"),
	      "names of other files are not");
}

/* Where the tables of functions are: the header has 48 bytes, a load 16 + 40 before the name. */
static void test_unwinding(const char *order)
{
	struct dso_set set = { .sources = &sources, .features = &features };
	const struct jit_unwinding *found;
	const struct jitdump *read;
	struct dso *dso;

	put_header(PID, 0);
	put_unwinding(80, 20, 80);
	put_load(100, 0x10000, 0x15, 1, "first");	/* record at 168, code at 230 */
	put_load(200, 0x20000, 0x20, 2, "none");	/* record at 251, code at 312 */
	put_unwinding(20, 20, 20);
	put_load(300, 0x30000, 0x20, 3, "empty");	/* records at 344 and 404, code at 466 */
	put_unwinding(1ULL << 62, 20, 80);
	put_load(400, 0x40000, 0x20, 4, "huge");	/* records at 498 and 618, code at 679 */
	put_unwinding(80, 20, 80);
	put_load_of(PID + 1, 500, 0x50000, 0x10, 5, "other");
	put_load(600, 0x60000, 0x10, 6, "last");	/* records at 711, 831, 909, code at 970 */
	put_unwinding(80, 81, 80);
	put_load(700, 0x70000, 0x10, 7, "small");	/* records at 986 and 1106, code at 1168 */
	write_dump();
	dso = dso_set_add(&set, DSO_JITDUMP, path, NULL, 0);
	read = jitdump_of(dso, true);
	found = jitdump_unwinding(read, 230);
	check(found && found->code == 230 && found->code_size == 0x15 && found->addr == 0x10000 &&
	      found->offset == 88 && found->size == 60, "%s: tables belong to the next function",
	      order);
	check(jitdump_unwinding(read, 250) == found && !jitdump_unwinding(read, 229) &&
	      !jitdump_unwinding(read, 251), "%s: from its first byte to its last", order);
	check(!jitdump_unwinding(read, 312), "%s: and to no other one", order);
	check(!jitdump_unwinding(read, 466), "%s: a header alone is no table", order);
	found = jitdump_unwinding(read, 679);
	check(found && !found->size, "%s: a table of 2^62 bytes is damaged", order);
	check(!jitdump_unwinding(read, 970), "%s: tables of another process's function are skipped",
	      order);
	found = jitdump_unwinding(read, 1168);
	check(found && !found->size, "%s: a header that is larger than the tables is damaged",
	      order);
	dso_set_free(&set);
}

static void test_by_time(const char *order)
{
	put_header(PID, 0);
	put_unwinding(0, 0, 16);
	put_load(100, 0x10000, 0x100, 1, "first");
	put_other(DEBUG_INFO, 150);
	put_load(200, 0x10000, 0x80, 2, "second");
	put_load(300, 0x10020, 0x10, 3, "third");
	put_load(50, 0x20000, 0x10, 4, "written late");
	put_other(77, 310);
	put_load_of(PID + 1, 320, 0x10000, 0x100, 5, "of another process");
	put_load(330, 0x10000, 0, 6, "empty");
	put_other(CLOSE, 400);
	put_load(90, 0x30000, 0x10, 7, "behind the end");
	begin_machine();
	check(is(99, 0x10000, "-"), "%s: nothing before it is loaded", order);
	check(is(99, 0x20000, "written late+0"), "%s: the times count, not the order in the file",
	      order);
	check(is(100, 0x10000, "first+0") && is(100, 0x100ff, "first+255") &&
	      is(100, 0x10100, "-"), "%s: a function from its first time and byte to its last",
	      order);
	check(is(199, 0x10010, "first+16"), "%s: until another takes its place", order);
	check(is(200, 0x10010, "second+16") && is(201, 0x10080, "first+128"),
	      "%s: then that one is there, as far as it goes", order);
	check(is(300, 0x10020, "third+0") && is(301, 0x1002f, "third+15") &&
	      is(302, 0x10030, "second+48") && is(303, 0x1001f, "second+31"),
	      "%s: one in the middle of another", order);
	check(is(500, 0x10000, "second+0"), "%s: neither empty code nor another process counts",
	      order);
	check(is(500, 0x30000, "-"), "%s: nothing is behind the end", order);
	machine_free(&machine);
}

/* Empty functions, and functions of another process, give no events. */
static void test_events(void)
{
	struct dso dso = { .kind = DSO_JITDUMP, .path = path };

	put_header(PID, 0);
	put_load(100, 0x10000, 0x100, 1, "first");
	put_load(110, 0x10000, 0, 2, "empty");
	put_load_of(PID + 1, 120, 0x10000, 0x100, 3, "of another process");
	put_move(130, 0x10000, 0x20000, 0x100, 1);
	write_dump();
	check(jitdump_of(&dso, true)->nr == 2 && dso.dump->pid == PID && dso.elf.symbols.nr == 1,
	      "every event of a dump is applied");
	jitdump_free(dso.dump);
	symbol_table_free(&dso.elf.symbols);
}

static void test_moves(const char *order)
{
	uint64_t i;

	put_header(PID, 0);
	put_load(100, 0x10000, 0x40, 1, "one");
	put_load(100, 0x20000, 0x40, 2, "two");
	put_move(200, 0x10000, 0x10020, 0x40, 1);
	put_load(300, 0x20000, 0x40, 3, "three");
	put_move(400, 0x20000, 0x30000, 0x40, 2);
	put_load(500, 0x40000, 0x20, 1, "one again");
	for (i = 4; i < 100; i++)
		put_load(510, 0x100000 + i * 64, 0x10, i, "filler");
	put_move(600, 0x40000, 0x50000, 0x1000, 1);
	begin_machine();
	check(is(150, 0x10000, "one+0"), "%s: before it is moved", order);
	check(is(200, 0x10000, "-") && is(200, 0x1001f, "-") && is(200, 0x10020, "one+0") &&
	      is(200, 0x1005f, "one+63"), "%s: moved by less than its size", order);
	check(is(400, 0x20000, "three+0") && is(400, 0x30001, "two+1"),
	      "%s: what took its place before it was moved stays", order);
	check(is(600, 0x50000, "one again+0") && is(600, 0x50020, "-") && is(600, 0x40000, "-"),
	      "%s: an index that is used again, a size that is too large", order);
	machine_free(&machine);
}

static void test_processes(void)
{
	put_header(PID, 0);
	put_load(100, 0x10000, 0x40, 1, "before");
	put_load(200, 0x10000, 0x40, 2, "after");
	put_load(210, 0x20000, 0x40, 3, "in a file in memory");
	put_load(275, 0x50000, 0x40, 5, "seen by no sample");
	put_load(400, 0x60000, 0x40, 4, "later");
	begin_machine();
	APPLY(put_task, PERF_RECORD_FORK, 11, PID, 11, PID, 150, 0);
	check_string(at(11, 250, 0x10000), "jit-10.dump:before+0",
		     "a child has the code at the time of the fork");
	check(is(250, 0x10000, "after+0"), "the parent gets the later code");
	APPLY(put_mmap2, PID, 0x10000, 0x1000, 0, "//anon", 260, 0);
	APPLY(put_mmap2, PID, 0x20000, 0x1000, 0, "/memfd:code (deleted)", 260, 0);
	check(is(270, 0x10000, "after+0") && is(271, 0x20000, "in a file in memory+0"),
	      "memory mapped again keeps its code");
	APPLY(put_mmap2, PID, 0x10000, 0x1000, 0, "/nonexistent/library", 280, 0);
	APPLY(put_mmap2, PID, 0x50000, 0x1000, 0, "/nonexistent/library", 280, 0);
	check(is(290, 0x10000, "library") && is(291, 0x50000, "library"),
	      "a file mapped over the code replaces it");
	check_string(at(11, 295, 0x10000), "jit-10.dump:before+0",
		     "a file mapped by the parent does not affect the child");
	APPLY(put_mmap2, PID, 0x60000, 0x1000, 0, "/nonexistent/library", 390, 0);
	check(is(410, 0x60000, "later+0"), "code generated over the file replaces it");
	APPLY(put_comm, 11, 11, "program", PERF_RECORD_MISC_COMM_EXEC, 420, 0);
	check_string(at(11, 430, 0x10000), "-", "an exec removes the code");
	APPLY(put_mmap2, PID, 0x7000, 0x1000, 0, path, 440, 0);
	check(is(450, 0x10000, "library"), "a dump mapped again changes nothing");
	machine_free(&machine);
}

/* Each warning is printed once, even if the dump is mapped again. */
static void test_warnings(void)
{
	put_header(PID, 0);
	put_load(100, 0x10000, 0x40, 1, "one");
	put_load(200, 0x10000, 0x40, 2, "two");
	write_dump();
	capture();
	begin_machine_of(PID, false);
	APPLY(put_mmap2, PID, 0x7000, 0x1000, 0, path, 2, 0);
	check(is_one_line(said(), path, "-k mono"), "a recording by another clock is reported");
	check(is(50, 0x10000, "two+0"), "with another clock, the last code at an address is used");
	machine_free(&machine);

	put_header(PID, 1);
	put_load(100, 0x10000, 0x40, 1, "one");
	write_dump();
	capture();
	begin_machine_of(PID, true);
	check(is_one_line(said(), path, "-k mono"), "a dump by the CPU's clock is reported");
	check(is(50, 0x10000, "one+0"), "with the CPU's clock, the last code is used");
	machine_free(&machine);

	put_header(PID, 0);
	put_load(100, 0x10000, 0x40, 1, "one");
	write_dump();
	capture();
	begin_machine_of(11, true);
	APPLY(put_mmap2, 12, 0x7000, 0x1000, 0, path, 2, 0);
	check(is_one_line(said(), path, "process 10, mapped by 11"),
	      "a dump of another process is reported");
	check(strcmp(at(11, 500, 0x10000), "jit-10.dump:one+0"),
	      "a dump of another process is not used");
	machine_free(&machine);

	unlink(path);
	capture();
	begin_machine_of(PID, true);
	APPLY(put_mmap2, PID, 0x7000, 0x1000, 0, path, 2, 0);
	check(is_one_line(said(), path, "No such file"), "a missing dump is reported");
	machine_free(&machine);
	if (symlink("/dev/null", path))
		abort();
	capture();
	begin_machine_of(PID, true);
	check(is_one_line(said(), path, "not a regular file"), "a symbolic link is reported");
	machine_free(&machine);
	unlink(path);

	put_header(PID, 0);
	put_load(100, 0x10000, 0x40, 1, "one");
	write_dump();
	if (chown(path, 65534, 65534)) {
		check(true, "a dump of another user is reported # SKIP needs root");
		return;
	}
	capture();
	begin_machine_of(PID, true);
	check(is_one_line(said(), path, "its owner, user 65534,"),
	      "a dump of another user is reported");
	check(strcmp(at(PID, 500, 0x10000), "jit-10.dump:one+0"),
	      "a dump of another user is not used");
	machine_free(&machine);
	unlink(path);
}

/* A dump of a header of 48 bytes and three functions of 16 + 40 + 2 + 16 bytes each. */
#define HEADER 48
#define ONE 74

static void put_three(void)
{
	put_header(PID, 0);
	put_load(100, 0x10000, 16, 1, "a");
	put_load(100, 0x20000, 16, 2, "b");
	put_load(100, 0x30000, 16, 3, "c");
}

/* Return how many of the three functions resolve; -1 if these are not the first ones. */
static int found(void)
{
	static const char *const names[] = { "jit-10.dump:a+0", "jit-10.dump:b+0",
					     "jit-10.dump:c+0" };
	int i, nr = 0;

	for (i = 0; i < 3; i++) {
		if (strcmp(at(PID, 200 + i, 0x10000 * (i + 1)), names[i]))
			continue;
		if (nr++ != i)
			return -1;
	}
	return nr;
}

static void test_cuts(void)
{
	size_t size, bad = 0, silent = 0;
	bool whole;
	int nr;

	put_three();
	check_number(dump.size, HEADER + 3 * ONE, "the dump has the expected size");
	for (size = dump.size; size > 0; size--) {
		dump.size = size - 1;
		capture();
		begin_machine();
		whole = dump.size >= HEADER && (dump.size - HEADER) % ONE == 0;
		nr = dump.size < HEADER ? 0 : (dump.size - HEADER) / ONE;
		bad += found() != nr;
		if (whole)
			silent += said()[0] != '\0';
		else
			silent += !is_one_line(said(), path,
					       dump.size < HEADER ? "not a" : "damaged");
		machine_free(&machine);
	}
	check_number(bad, 0, "the records before a cut are used");
	check_number(silent, 0, "a cut within a record is reported in one line");
}

static void replace32(size_t offset, uint32_t value)
{
	memcpy(dump.data + offset, &value, sizeof(value));
}

static void check_damage(size_t offset, uint32_t value, int nr, const char *what)
{
	static const char much[20000];

	put_three();
	/* There is data after the end of the dump. */
	d32(DEBUG_INFO);
	d32(16 + sizeof(much));
	d64(160);
	put(&dump, much, sizeof(much));
	replace32(offset, value);
	capture();
	begin_machine();
	check(found() == nr && is_one_line(said(), path, nr ? "damaged" : "not a"), "%s", what);
	machine_free(&machine);
}

static void test_damage(void)
{
	check_damage(0, 0x4a695445, 0, "another magic number");
	check_damage(4, 2, 0, "another version");
	check_damage(8, 39, 0, "a header that is too short");
	check_damage(8, 100000, 0, "a header that is too long");
	check_damage(HEADER + ONE + 4, 0, 1, "a record of size 0");
	check_damage(HEADER + ONE + 4, 55, 1, "a record that is too short for its type");
	check_damage(HEADER + ONE + 4, 57, 1, "a record without room for its code");
	check_damage(HEADER + ONE + 4, 0xffffffff, 1, "a record of 4 GiB");
	check_damage(HEADER + ONE + 40, 18, 1, "code that leaves no room for the name");
	check_damage(HEADER + ONE + 44, 0xffffffff, 1, "code of nearly 2^64 bytes");
	check_damage(HEADER + ONE + 56, 0x01010101, 1, "a name without its terminator");
	check_damage(HEADER + ONE, MOVE, 1, "a move of code that was never loaded");
	check_damage(HEADER + 3 * ONE + 4, 0, 3, "a skipped record of size 0");

	put_header(PID, 0);
	put_load(100, 0x10000, 16, 1, "a");
	put_move(150, 0x10000, 0x40000, 16, 1);
	replace32(HEADER + ONE + 4, 16 + 47);
	capture();
	begin_machine();
	check(strcmp(at(PID, 200, 0x40000), "jit-10.dump:a+0") &&
	      is_one_line(said(), path, "damaged"), "a move that is too short moves nothing");
	machine_free(&machine);

	put_header(PID, 0);
	put_load(100, 0x10000, 16, 1, "a");
	put_load(100, UINT64_MAX - 15, 16, 2, "b");
	capture();
	begin_machine();
	check(found() == 1 && is_one_line(said(), path, "damaged"), "code that ends at 2^64");
	machine_free(&machine);
}

/* Numerical Recipes' linear congruential generator: the same numbers everywhere. */
static uint32_t next_random(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

/* Return true if the dump, read without a crash, gives at most two lines, which name the file. */
static bool survives(void)
{
	const char *line, *end;
	size_t nr = 0;

	capture();
	begin_machine();
	found();
	for (line = said(); (end = strchr(line, '\n')); line = end + 1)
		nr += memmem(line, end - line, path, strlen(path)) ? 1 : 3;
	machine_free(&machine);
	return nr <= 2;
}

static void put_all_kinds(void)
{
	put_three();
	put_other(DEBUG_INFO, 150);
	put_move(150, 0x10000, 0x40000, 16, 1);
	put_load(150, 0x10000, 16, 1, "d");
	put_other(CLOSE, 160);
}

static void test_random_damage(void)
{
	static struct bytes whole;
	size_t i, nr, bad = 0;

	put_all_kinds();
	whole = dump;
	for (i = 0; i < whole.size * 8; i++) {
		dump = whole;
		dump.data[i / 8] ^= 1 << i % 8;
		bad += !survives();
	}
	check_number(bad, 0, "any flipped bit does no harm");
	for (i = 0, bad = 0; i < 2000; i++) {
		dump = whole;
		for (nr = 0; nr < 1 + i % 16; nr++)
			dump.data[next_random() % whole.size] = next_random();
		if (i % 3 == 0)
			dump.size = next_random() % whole.size;
		bad += !survives();
	}
	check_number(bad, 0, "several damaged bytes do no harm");
}

/* The functions, or else dsos, to which the samples of a recording resolve. */
static char resolved[256];

static void resolve(void *context, struct session *session, const struct record *r)
{
	struct location location;

	(void)context;
	if (r->type != PERF_RECORD_SAMPLE)
		return;
	machine_resolve(&session->machine, thread_get(&session->machine.threads, PID, PID),
			MODE_USER, r->sample.ip, &location);
	strcat(resolved, location.symbol ? symbol_name(location.symbol) :
			 location.dso ? location.dso->name : "-");
	strcat(resolved, " ");
}

static void put_recording(struct bytes *b)
{
	static const uint64_t generated[] = { PERF_CONTEXT_USER, 0x10000 };
	static const uint64_t library[] = { PERF_CONTEXT_USER, 0x20000 };
	struct data_pipe_header header = { .magic = DATA_MAGIC, .size = sizeof(header) };
	struct perf_event_attr attr;

	simple_attr(&attr);
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	put(b, &header, sizeof(header));
	begin(b, USER_RECORD_HEADER_ATTR, 0);
	put(b, &attr, sizeof(attr));
	put64(b, 1);
	end(b);
	put_mmap2(b, PID, 0x7000, 0x1000, 0, path, 10, 1);
	put_mmap2(b, PID, 0x20000, 0x1000, 0, "/nonexistent/library", 20, 1);
	put_sample(b, PERF_RECORD_MISC_USER, PID, PID, 150, 1, 1, generated, 2);
	put_sample(b, PERF_RECORD_MISC_USER, PID, PID, 160, 1, 1, library, 2);
	put_munmap(b, PERF_RECORD_MISC_USER, PID, 0x20000, 0x1000, "/nonexistent/library", 170, 1);
	put_sample(b, PERF_RECORD_MISC_USER, PID, PID, 180, 1, 1, library, 2);
	put_mmap2(b, PID, 0x20000, 0x1000, 0, "/nonexistent/library", 190, 1);
	put_munmap(b, PERF_RECORD_MISC_USER, PID, 0x20000, 0x1000, "/nonexistent/library", 200, 1);
	record_to_file((void *)(b->data + b->record));
	put_sample(b, PERF_RECORD_MISC_USER, PID, PID, 250, 1, 1, generated, 2);
	put_sample(b, PERF_RECORD_MISC_USER, PID, PID, 260, 1, 1, library, 2);
	begin(b, 0x40000001, 0);
	put64(b, 0);
	end(b);
}

/* Resolve the samples of a file with two MUNMAP records: the kernel's form and the file's. */
static void test_session(void)
{
	static const struct session_handlers handlers = { .record = resolve };
	char name[] = "/tmp/perf-unit-jitdump-data-XXXXXX";
	static struct bytes b;
	struct session session;
	struct error err;
	int fd = mkstemp(name);

	put_header(PID, 0);
	put_load(100, 0x10000, 0x40, 1, "one");
	put_load(200, 0x10000, 0x40, 2, "two");
	write_dump();
	put_recording(&b);
	if (fd < 0 || write(fd, b.data, b.size) != (ssize_t)b.size || close(fd) ||
	    session_open(&session, name, &sources, &err))
		abort();
	session_run(&session, &handlers, NULL);
	check_string(resolved, "one library - two - ", "each sample is resolved by its time");
	check(session.nr_unknown == 1 && !session.nr_bad && !session.damage.text[0],
	      "the type after MUNMAP is unknown");
	session_close(&session);
	unlink(name);
}

/* A hundred thousand functions, from the top of memory to the bottom. */
static void test_many(void)
{
	struct jit_event *list = xcalloc(100000, sizeof(*list));
	struct dso dso = { .kind = DSO_JITDUMP };
	struct jitdump many = { .dso = &dso, .events = list, .nr = 100000 };
	struct jit_code code = { 0 };
	size_t i, bad = 0;

	for (i = 0; i < many.nr; i++)
		list[i] = (struct jit_event){
			.time = i, .addr = (many.nr - i) * 64, .size = 64, .offset = i * 64,
		};
	jit_code_add(&code, &many);
	/* A sorted array would take far longer. */
	alarm(10);
	for (i = 0; i < many.nr; i++) {
		jit_code_advance(&code, i);
		bad += !jit_code_find(&code, list[i].addr) ||
		       jit_code_find(&code, list[i].addr - 1);
	}
	alarm(100);
	check_number(bad, 0, "many functions are found from their times on");
	jit_code_free(&code);
	free(list);
}

static void test_map_file(void)
{
	static const char text[] =
		"10000 100 outer\n"
		"10020 10 inner function(int)\n"
		"0x20000 0x40 old\n"
		"20000 40 new\n"
		"20020 40 newer\n"
		"nonsense\n"
		"\n"
		"30000 40\040\n"
		"30000 0 empty\n"
		"-30000 40 negative\n"
		"ffffffffffffffff 40 beyond the end\n"
		"30000 ffffffffffffffff too large\n"
		"40000 40 \033[31mred\n"
		"50000 40 nul\0 is the end of it\n"
		"60000 40 last";
	uint32_t pid = 5000000 + getpid() % 1000000;
	char name[64], *base = name + strlen("/tmp/");
	FILE *out;

	snprintf(name, sizeof(name), "/tmp/perf-%u.map", pid);
	out = fopen(name, "w");
	if (!out || fwrite(text, 1, sizeof(text) - 1, out) != sizeof(text) - 1 || fclose(out))
		abort();
	machine_init(&machine, &sources, &features);
	APPLY(put_mmap2, pid, 0x10000, 0xf0000, 0, "//anon", 1, 0);
	capture();
#define IS(ip, symbol) is_in(base, pid, 2, ip, symbol)
	check(IS(0x10010, "outer+16") && IS(0x10020, "inner function(int)+0") &&
	      IS(0x10030, "outer+48"), "a function may contain another one");
	check(IS(0x20000, "new+0") && IS(0x2001f, "new+31"),
	      "the later of two overlapping functions is used");
	check(IS(0x20020, "newer+0") && IS(0x2005f, "newer+63"),
	      "the later function is used to its end");
	check(IS(0x40000, "\\x1b[31mred+0"), "control characters in a name are escaped");
	check(IS(0x50000, "nul+0"), "a name ends at its NUL");
	check(IS(0x60000, "last+0"), "a last line without a newline is read");
#undef IS
	check_string(at(pid, 2, 0x30000), base, "invalid lines name nothing");
	check(is_one_line(said(), name, "7 invalid line(s), the first is line 6"),
	      "invalid lines are counted in one line");
	machine_free(&machine);
	unlink(name);
}

/* Write the map of a process that does not exist. */
static void write_map(char *name, size_t size, uint32_t pid, const char *how, const char *text)
{
	FILE *out;

	snprintf(name, size, "/tmp/perf-%u.map", pid);
	out = fopen(name, how);
	if (!out || fputs(text, out) < 0 || fclose(out))
		abort();
}

static void map_process(uint32_t pid)
{
	machine_init(&machine, &sources, &features);
	APPLY(put_mmap2, pid, 0x10000, 0xf0000, 0, "//anon", 1, 0);
	capture();
}

/* A program adds functions while it runs. */
static void test_map_grows(void)
{
	uint32_t pid = 5000000 + getpid() % 1000000;
	char name[64], *base = name + strlen("/tmp/");
	const char *first;
	struct location location;
	struct thread *thread;

	write_map(name, sizeof(name), pid, "w", "10000 40 one\n20000 40 tw");
	map_process(pid);
	check(is_in(base, pid, 2, 0x10000, "one+0"), "a function");
	thread = thread_get(&machine.threads, pid, pid);
	machine_resolve(&machine, thread, MODE_USER, 0x10000, &location);
	first = location.symbol ? symbol_name(location.symbol) : "";
	write_map(name, sizeof(name), pid, "a", "o\n30000 40 three\n");
	check_string(at(pid, 2, 0x30000), base, "an added function is unknown before the refresh");
	dso_set_refresh(&machine.dsos);
	check(is_in(base, pid, 2, 0x30000, "three+0"),
	      "an added function is known after the refresh");
	check(is_in(base, pid, 2, 0x20000, "two+0"), "a line completed meanwhile is read whole");
	check(is_in(base, pid, 2, 0x10000, "one+0"), "earlier functions are kept");
	check_string(first, "one", "a symbol found earlier is still valid");

	unlink(name);
	write_map(name, sizeof(name), pid, "w", "30000 40 other\n");
	dso_set_refresh(&machine.dsos);
	check(is_in(base, pid, 2, 0x30000, "other+0"), "a replaced file's functions are read");
	check_string(at(pid, 2, 0x10000), base, "a replaced file's old functions are removed");
	check_string(said(), "", "a valid map is not reported");
	machine_free(&machine);
	unlink(name);
}

/* Only a process's own user may name its functions. */
static void test_map_owner(void)
{
	char name[64], *base = name + strlen("/tmp/"), target[80];
	uint32_t pid = 5000000 + getpid() % 1000000;

	write_map(name, sizeof(name), pid, "w", "10000 40 one\n");
	snprintf(target, sizeof(target), "%s.target", name);
	if (rename(name, target) || symlink(target, name))
		abort();
	map_process(pid);
	check_string(at(pid, 2, 0x10000), base, "a symbolic link is not followed");
	check(is_one_line(said(), name, "not a regular file"), "a symbolic link is reported");
	machine_free(&machine);
	unlink(name);
	unlink(target);

	write_map(name, sizeof(name), pid, "w", "10000 40 one\n");
	if (truncate(name, 4LL << 30))
		abort();
	map_process(pid);
	check_string(at(pid, 2, 0x10000), base, "a file of 4 GiB is not read");
	check(is_one_line(said(), name, "larger than 64 MiB; not used"),
	      "a file of 4 GiB is reported");
	machine_free(&machine);
	unlink(name);
}

/* Start a process of user @uid that waits until @life is closed. */
static pid_t start_process(uid_t uid, int life[2])
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(life) || pipe(ready))
		abort();
	pid = fork();
	if (!pid) {
		close(life[1]);
		/* Without PR_SET_DUMPABLE, root owns the directory in /proc until an exec. */
		if (setuid(uid) || prctl(PR_SET_DUMPABLE, 1) || write(ready[1], "", 1) != 1)
			_exit(1);
		_exit(read(life[0], &c, 1) != 0);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		abort();
	close(ready[0]);
	return pid;
}

/* Check the map that user 65534 wrote for a process of user @uid. */
static void check_foreign_map(uid_t uid, bool used)
{
	char name[64], *base = name + strlen("/tmp/");
	int life[2];
	pid_t pid = start_process(uid, life);

	write_map(name, sizeof(name), pid, "w", "10000 40 one\n");
	if (chown(name, 65534, 65534))
		abort();
	map_process(pid);
	if (used) {
		check(is_in(base, pid, 2, 0x10000, "one+0"),
		      "the map of the process's user is used");
		check_string(said(), "", "the map of the process's user is not reported");
	} else {
		check_string(at(pid, 2, 0x10000), base, "the map of another user is not used");
		check(is_one_line(said(), name, "its owner, user 65534,"),
		      "the map of another user is reported");
	}
	machine_free(&machine);
	unlink(name);
	close(life[0]);
	close(life[1]);
	waitpid(pid, NULL, 0);
}

static void test_map_users(void)
{
	if (geteuid()) {
		check(true, "maps of other users are not used # SKIP needs root");
		return;
	}
	check_foreign_map(0, false);
	check_foreign_map(65534, true);
}

int main(void)
{
	char directory[] = "/tmp/perf-unit-jitdump-XXXXXX";
	struct perf_event_attr attr;

	if (!mkdtemp(directory))
		abort();
	snprintf(path, sizeof(path), "%s/jit-%d.dump", directory, PID);
	captured = memfd_create("err", 0);
	real_err = dup(STDERR_FILENO);
	simple_attr(&attr);
	event_table_add(&events, &attr);
	alarm(100);

	test_names();
	test_events();
	test_by_time("our byte order");
	test_unwinding("our byte order");
	test_moves("our byte order");
	swapped = true;
	test_by_time("the other byte order");
	test_unwinding("the other byte order");
	test_moves("the other byte order");
	swapped = false;
	test_processes();
	test_warnings();
	test_cuts();
	test_damage();
	test_random_damage();
	test_session();
	test_many();
	test_map_file();
	test_map_grows();
	test_map_owner();
	test_map_users();

	event_table_free(&events);
	unlink(path);
	rmdir(directory);
	return unit_finish();
}
