// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of a call chain: the interrupted function of each mode, and its callers.
 */
#include <fcntl.h>
#include <unistd.h>

#include "machine/callchain.h"
#include "made_records.h"
#include "unit.h"

static struct data_features features = { .arch = (char *)"x86_64" };
static struct symbol_sources sources = { .data_path = "" };
static struct event_table events;
static struct machine machine;
static uint32_t pid;
static bool addresses_stay = true;

static void apply(const struct bytes *b)
{
	struct record record;

	if (record_decode(&events, (void *)b->data, &record) != RECORD_OK)
		abort();
	machine_apply(&machine, &record);
}

static void put_ksymbol(struct bytes *b, uint64_t addr, uint32_t size, const char *name)
{
	begin(b, PERF_RECORD_KSYMBOL, 0);
	put64(b, addr);
	put32(b, size);
	put16(b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	put16(b, 0);
	put_string(b, name);
	put_id(b, 0, 0, 1, 0);
	end(b);
}

/* Functions of 256 bytes each, adjacent except for a gap before the trampoline. */
static void make_functions(void)
{
	static const char text[] =
		"500000 100 user_first\n"
		"500100 100 user_second\n"
		"500300 100 user_trampoline\n";
	static struct bytes b;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1)
		abort();
	close(fd);
	put_mmap2(&b, pid, 0x500000, 0x1000, 0, "//anon", 1, 0);
	apply(&b);
	b.size = 0;
	put_ksymbol(&b, 0xffffffff81000000, 0x100, "kernel_first");
	apply(&b);
	b.size = 0;
	put_ksymbol(&b, 0xffffffff81000100, 0x100, "kernel_second");
	apply(&b);
}

/* Return the functions of a sample's chain and the offsets in them, as text. */
static const char *resolved(const uint64_t *ips, size_t nr)
{
	static struct callchain chain;
	static struct bytes b;
	static char text[256];
	struct record record;
	size_t i, size = 0;

	b.size = 0;
	put_sample(&b, PERF_RECORD_MISC_USER, pid, pid, 2, 0, 1, ips, nr);
	if (record_decode(&events, (void *)b.data, &record) != RECORD_OK)
		abort();
	callchain_resolve(&chain, &machine, thread_get(&machine.threads, pid, pid), &record);
	text[0] = '\0';
	for (i = 0; i < chain.nr; i++) {
		const struct location *at = &chain.frames[i];

		size += snprintf(text + size, sizeof(text) - size, "%s%s+%#llx", i ? " " : "",
				 at->symbol ? at->symbol->name : "-",
				 (unsigned long long)at->symbol_offset);
		/* A kernel frame's @addr is the offset in its function. */
		addresses_stay &= at->mode == MODE_KERNEL || at->addr == at->ip;
	}
	callchain_free(&chain);
	chain = (struct callchain){ 0 };
	return text;
}

#define RESOLVED(...) resolved((const uint64_t[]){ __VA_ARGS__ }, \
			       ARRAY_SIZE(((const uint64_t[]){ __VA_ARGS__ })))

static void test_user(void)
{
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500100, 0x500105),
		     "user_second+0 user_second+0x5",
		     "the sampled address may be a function's start");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500100),
		     "user_first+0x5 user_first+0x100",
		     "a call at the end belongs to the calling function");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500101),
		     "user_first+0x5 user_second+0x1",
		     "a return address one byte later is in the next function");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500200),
		     "user_first+0x5 user_second+0x100",
		     "a call at the end is resolved without a next function");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500300),
		     "user_first+0x5 user_trampoline+0",
		     "a return into a signal trampoline is not adjusted");
	check_string(RESOLVED(0x500100, 0x500100), "user_second+0 user_first+0x100",
		     "a chain without a mark starts with the sampled address");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0), "user_first+0x5",
		     "an address of 0 is not a caller");
}

static void test_kernel(void)
{
	check_string(RESOLVED(PERF_CONTEXT_KERNEL, 0xffffffff81000100, 0xffffffff81000100,
			      PERF_CONTEXT_USER, 0x500100, 0x500100),
		     "kernel_second+0 kernel_first+0x100 user_second+0 user_first+0x100",
		     "each mode has its own interrupted address");
}

/* The modes of addresses that follow context marks, written as letters. */
static void test_modes(void)
{
	static const uint64_t ips[] = {
		PERF_CONTEXT_HV, 0x1000, PERF_CONTEXT_KERNEL, 0xffffffff81000105,
		PERF_CONTEXT_USER, 0x500105, PERF_CONTEXT_GUEST_KERNEL, 0x2000,
		PERF_CONTEXT_GUEST_USER, 0x3000,
	};
	struct callchain chain = { 0 };
	struct record record;
	static struct bytes b;
	char modes[8] = "";
	size_t i;

	put_sample(&b, PERF_RECORD_MISC_USER, pid, pid, 2, 0, 1, ips, ARRAY_SIZE(ips));
	if (record_decode(&events, (void *)b.data, &record) != RECORD_OK)
		abort();
	callchain_resolve(&chain, &machine, thread_get(&machine.threads, pid, pid), &record);
	for (i = 0; i < chain.nr && i < sizeof(modes) - 1; i++)
		modes[i] = chain.frames[i].mode;
	check_string(modes, "Hk.gu", "each mark of a chain sets a mode");
	callchain_free(&chain);
}

/* The symbols of generated code do not tell how a function uses the link register. */
static void test_link_register(void)
{
	features.arch = (char *)"ppc64le";
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500120, 0x500020),
		     "user_second+0x5 user_first+0x20",
		     "an LR in the same function is dropped");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500020, 0x500010),
		     "user_second+0x5 user_first+0x20 user_first+0x10",
		     "an LR in another function is the caller");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500020, 0x500020, 0x500020),
		     "user_second+0x5 user_first+0x20 user_first+0x20",
		     "an LR that the stack repeats is one caller");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500105),
		     "user_first+0x5 user_second+0x5", "an LR without a stack is the caller");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0, 0x500020),
		     "user_first+0x5 user_first+0x20",
		     "an LR of 0 is dropped, the next address is the caller");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500205, 0x500285, 0x500105),
		     "-+0 -+0 user_second+0x5", "an LR is kept where no function is known");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500020, PERF_CONTEXT_USER, 0x500105,
			      0x500120, 0x500020),
		     "user_second+0x5 user_first+0x20 user_second+0x5 user_first+0x20",
		     "the LR of an interrupted function is checked, too");
	check_string(RESOLVED(PERF_CONTEXT_KERNEL, 0xffffffff81000105, 0xffffffff81000120,
			      PERF_CONTEXT_USER, 0x500105, 0x500120, 0x500020),
		     "kernel_second+0x5 kernel_second+0x20 user_second+0x5 user_first+0x20",
		     "after kernel frames, the user's LR is dropped, the kernel's kept");
	features.arch = (char *)"x86_64";
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500120, 0x500020),
		     "user_second+0x5 user_second+0x20 user_first+0x20",
		     "on x86 the second address is not an LR");
}

int main(void)
{
	struct perf_event_attr attr;
	char path[32];

	/* A pid that no process has: an earlier process may have left its map. */
	pid = 5000000 + getpid() % 1000000;
	simple_attr(&attr);
	event_table_add(&events, &attr);
	machine_init(&machine, &sources, &features);
	make_functions();
	test_user();
	test_kernel();
	test_modes();
	test_link_register();
	check(addresses_stay, "a user frame's address is that of the chain");
	machine_free(&machine);
	event_table_free(&events);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	unlink(path);
	return unit_finish();
}
