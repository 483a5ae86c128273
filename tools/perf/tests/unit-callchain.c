// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of a call chain: where it was running in each mode, and who called.
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

/* Functions of 256 bytes each, one behind the other but for a gap before the trampoline. */
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

/* The functions of a sample's chain and how far it was in them, as text. */
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
		/* Of a kernel's function, @addr is its place in that. */
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
		     "user_second+0 user_second+0x5", "it was running at the start of a function");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500100),
		     "user_first+0x5 user_first+0x100",
		     "a call at the very end is of that function");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500101),
		     "user_first+0x5 user_second+0x1", "a byte later it is of the next one");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500200),
		     "user_first+0x5 user_second+0x100", "nor must there be a next one");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500300),
		     "user_first+0x5 user_trampoline+0", "a signal's handler returns to a start");
	check_string(RESOLVED(0x500100, 0x500100), "user_second+0 user_first+0x100",
		     "the first is where it was running without a mark, too");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0), "user_first+0x5",
		     "0 is no caller");
}

static void test_kernel(void)
{
	check_string(RESOLVED(PERF_CONTEXT_KERNEL, 0xffffffff81000100, 0xffffffff81000100,
			      PERF_CONTEXT_USER, 0x500100, 0x500100),
		     "kernel_second+0 kernel_first+0x100 user_second+0 user_first+0x100",
		     "each mode has an address where it was running");
}

/* The modes of the addresses behind marks, as letters. */
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
	check_string(modes, "Hk.gu", "each mark says a mode");
	callchain_free(&chain);
}

/* Generated code does not tell what its functions do with the link register. */
static void test_link_register(void)
{
	features.arch = (char *)"ppc64le";
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500120, 0x500020),
		     "user_second+0x5 user_first+0x20",
		     "an LR in the same function is left from a call");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500020, 0x500010),
		     "user_second+0x5 user_first+0x20 user_first+0x10",
		     "one in another function is the caller");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500020, 0x500020, 0x500020),
		     "user_second+0x5 user_first+0x20 user_first+0x20",
		     "one that the stack repeats is the caller once");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0x500105),
		     "user_first+0x5 user_second+0x5", "the stack need not be there");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500005, 0, 0x500020),
		     "user_first+0x5 user_first+0x20", "an LR of 0 is no caller, what follows is");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500205, 0x500285, 0x500105),
		     "-+0 -+0 user_second+0x5", "of what is no function, LR is kept");
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500020, PERF_CONTEXT_USER, 0x500105,
			      0x500120, 0x500020),
		     "user_second+0x5 user_first+0x20 user_second+0x5 user_first+0x20",
		     "what a signal interrupted has an LR, too");
	check_string(RESOLVED(PERF_CONTEXT_KERNEL, 0xffffffff81000105, 0xffffffff81000120,
			      PERF_CONTEXT_USER, 0x500105, 0x500120, 0x500020),
		     "kernel_second+0x5 kernel_second+0x20 user_second+0x5 user_first+0x20",
		     "the kernel has left out its own where it is none");
	features.arch = (char *)"x86_64";
	check_string(RESOLVED(PERF_CONTEXT_USER, 0x500105, 0x500120, 0x500020),
		     "user_second+0x5 user_second+0x20 user_first+0x20", "x86 has no LR");
}

int main(void)
{
	struct perf_event_attr attr;
	char path[32];

	/* Of a process that there is not: one that has been may have left its map. */
	pid = 5000000 + getpid() % 1000000;
	simple_attr(&attr);
	event_table_add(&events, &attr);
	machine_init(&machine, &sources, &features);
	make_functions();
	test_user();
	test_kernel();
	test_modes();
	test_link_register();
	check(addresses_stay, "what is shown as an address is that of the chain");
	machine_free(&machine);
	event_table_free(&events);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	unlink(path);
	return unit_finish();
}
