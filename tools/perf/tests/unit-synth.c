// SPDX-License-Identifier: GPL-2.0
/*
 * Records made from texts of /proc, and decoded again.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/mapped_files.h"
#include "file/decode.h"
#include "record/synth.h"
#include "unit.h"
#include "util/util.h"

#define MAX_RECORDS 4096

static const struct perf_event_header *records[MAX_RECORDS];
static size_t nr_records;

static int keep(void *context, void *bytes, size_t size)
{
	struct perf_event_header *copy = malloc(size);

	(void)context;
	memcpy(copy, bytes, size);
	if (copy->size == size && nr_records < MAX_RECORDS)
		records[nr_records++] = copy;
	return 0;
}

static struct synth synth_of(uint64_t sample_type)
{
	while (nr_records)
		free((void *)records[--nr_records]);
	return (struct synth){ .sink = keep, .sample_type = sample_type };
}

/* Fields by their offset, as in <linux/perf_event.h>. */
static uint32_t u32_at(const void *record, size_t at)
{
	uint32_t value;

	memcpy(&value, (const char *)record + at, sizeof(value));
	return value;
}

static uint64_t u64_at(const void *record, size_t at)
{
	uint64_t value;

	memcpy(&value, (const char *)record + at, sizeof(value));
	return value;
}

static const char *text_at(const void *record, size_t at)
{
	return (const char *)record + at;
}

static const char maps[] =
	"55d0c0000000-55d0c0002000 r--p 00000000 fd:01 1234   /usr/bin/cat\n"
	"55d0c0002000-55d0c0007000 r-xp 00002000 fd:01 1234                       /usr/bin/cat\n"
	"55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0                          [heap]\n"
	"7f0000000000-7f0000001000 rwxp 00000000 00:00 0\n"
	"7f0000002000-7f0000004000 r-xs 00001000 103:a0 18446744073709551615 /tmp/a b\\012c (deleted)\n"
	"7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]\n"
	"garbage\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]";

static void check_maps(void)
{
	struct synth s = synth_of(PERF_SAMPLE_TID | PERF_SAMPLE_TIME);

	synth_maps(&s, 77, maps);
	if (!check(nr_records == 5, "five executable mappings have records"))
		return;
	check(records[0]->type == PERF_RECORD_MMAP2 && records[0]->misc == PERF_RECORD_MISC_USER,
	      "they are MMAP2 records of user mode");
	/* Sizes: header 8, pid to flags 64, name 16, TID and TIME 16. */
	check_number(records[0]->size, 8 + 64 + 16 + 16, "the size includes the identification");
	check(u32_at(records[0], 8) == 77 && u32_at(records[0], 12) == 77,
	      "the record has pid and tid");
	check(u64_at(records[0], 16) == 0x55d0c0002000 && u64_at(records[0], 24) == 0x5000 &&
	      u64_at(records[0], 32) == 0x2000, "the record has address, length and offset");
	check(u32_at(records[0], 40) == 0xfd && u32_at(records[0], 44) == 1 &&
	      u64_at(records[0], 48) == 1234, "the record has device and inode");
	check(u32_at(records[0], 64) == 5 && u32_at(records[0], 68) == 2,
	      "the record has the protection and flags");
	check_string(text_at(records[0], 72), "/usr/bin/cat", "the record has the name");
	check(!u64_at(records[0], 88) && !u64_at(records[0], 96), "the record's time is 0");
	check_string(text_at(records[1], 72), "//anon", "anonymous memory is named //anon");
	check_number(u32_at(records[1], 64), 7, "all protection bits are set");
	check_string(text_at(records[2], 72), "/tmp/a b\nc (deleted)",
		     "a name may have blanks and newlines");
	check(u32_at(records[2], 68) == 1 && u64_at(records[2], 48) == UINT64_MAX &&
	      u32_at(records[2], 40) == 0x103, "a shared mapping and a large inode are kept");
	check_string(text_at(records[3], 72), "[vdso]", "the vdso has a record");
	check_string(text_at(records[4], 72), "[vsyscall]",
		     "a last line without a newline is read");
}

/* A name of 16 bytes: its terminator is in the next eight. */
static void check_name(void)
{
	struct synth s = synth_of(0);

	synth_maps(&s, 77, "55d0c0002000-55d0c0007000 r-xp 00002000 fd:01 1234 /usr/lib/lib8.so\n");
	if (!check(nr_records == 1, "a mapping whose name fills its words has a record"))
		return;
	check_number(records[0]->size, 8 + 64 + 24, "the record has room for the terminator");
	check_string(text_at(records[0], 72), "/usr/lib/lib8.so", "the record has the name");
}

static void check_data(void)
{
	struct synth s = synth_of(0);
	uint16_t user = PERF_RECORD_MISC_USER;

	s.data = true;
	synth_maps(&s, 77, maps);
	if (!check(nr_records == 7, "with data, all seven mappings have records"))
		return;
	check(records[0]->misc == (user | PERF_RECORD_MISC_MMAP_DATA) &&
	      u32_at(records[0], 64) == 1, "a mapping that is not executable is data");
	check(records[1]->misc == user, "an executable mapping is not data");
	check_string(text_at(records[2], 72), "[heap]", "the heap has a record");
}

static bool kernel_of_size(const char *kallsyms, uint64_t size)
{
	struct synth s = synth_of(PERF_SAMPLE_TIME);
	FILE *file = fmemopen((void *)kallsyms, strlen(kallsyms), "r");
	bool known = synth_kernel(&s, file, size);

	fclose(file);
	return known;
}

static bool kernel_from(const char *kallsyms)
{
	return kernel_of_size(kallsyms, 0);
}

static void check_kernel(void)
{
	check(kernel_from("ffffffff80000000 A fixed_percpu\n"
			  "ffffffff81000000 T _stext\n"
			  "ffffffff81000000 T _text\n"
			  "ffffffff81000100 t do_text\t[module]\n"
			  "ffffffff82200000 T _etext\n"), "kallsyms with addresses");
	check_number(nr_records, 1, "the kernel has one mapping");
	check(records[0]->type == PERF_RECORD_MMAP && records[0]->misc == PERF_RECORD_MISC_KERNEL,
	      "it is an MMAP record of the kernel");
	check(u32_at(records[0], 8) == UINT32_MAX && u32_at(records[0], 12) == 0,
	      "it belongs to no process");
	check(u64_at(records[0], 16) == 0xffffffff81000000 && u64_at(records[0], 24) == 0x1200000 &&
	      u64_at(records[0], 32) == 0xffffffff81000000, "it reaches from _text to _etext");
	check_string(text_at(records[0], 40), "[kernel.kallsyms]_text",
		     "the record has the kernel's name");
	check_number(records[0]->size, 40 + 24 + 8, "the record has the right size");
	check(!kernel_from("0000000000000000 T _text\n0000000000000000 T _etext\n") && !nr_records,
	      "hidden addresses give no mapping");
	check(!kernel_from("x\n") && !nr_records, "no symbols: no mapping");
	check(kernel_of_size("ffffffff81000000 T _text\n", 0x300000) &&
	      u64_at(records[0], 16) == 0xffffffff81000000 && u64_at(records[0], 24) == 0x300000,
	      "the start suffices if the size is known");
	check(!kernel_of_size("0000000000000000 T _text\n", 0x300000) && !nr_records,
	      "a hidden start gives no mapping");
}

static void check_modules(void)
{
	static const char modules[] =
		"nf_nat 57344 1 nft_chain_nat, Live 0xffffffffc0512000\n"
		"nf 4096 0 - Live 0xffffffffc0400000 (E)\n"
		"hidden 4096 0 - Live 0x0000000000000000\n";
	char directory[] = "/tmp/perf-test-XXXXXX", *dep;
	struct synth s = synth_of(0);
	FILE *file;

	if (!mkdtemp(directory)) {
		check(false, "a directory for modules.dep is made");
		return;
	}
	dep = xasprintf("%s/modules.dep", directory);
	file = fopen(dep, "w");
	fputs("kernel/net/nf-nat.ko.xz: kernel/net/nf.ko\nkernel/net/xnf.ko:\n", file);
	fclose(file);
	synth_modules(&s, modules, directory);
	unlink(dep);
	rmdir(directory);
	free(dep);

	if (check(nr_records == 2, "two modules have addresses")) {
		char *path = xasprintf("%s/kernel/net/nf-nat.ko.xz", directory);

		check(u64_at(records[0], 16) == 0xffffffffc0512000 &&
		      u64_at(records[0], 24) == 57344, "a module has address and size");
		check_string(text_at(records[0], 40), path,
			     "a module's file is found, with a dash for _");
		check_string(text_at(records[1], 40), "[nf]",
			     "a module without a file has its name");
		free(path);
	}
}

static const struct perf_event_header *find(uint32_t type, pid_t tid)
{
	size_t i, at = type == PERF_RECORD_FORK ? 16 : 12;

	for (i = 0; i < nr_records; i++) {
		if (records[i]->type == type && u32_at(records[i], at) == (uint32_t)tid)
			return records[i];
	}
	return NULL;
}

static void check_self(void)
{
	struct synth s = synth_of(0);
	const struct perf_event_header *r;
	char *self = realpath("/proc/self/exe", NULL);
	bool mapped = false;
	size_t i;

	prctl(PR_SET_NAME, "a (b) c");
	synth_process(&s, getpid());
	r = find(PERF_RECORD_COMM, getpid());
	check(r && !strcmp(text_at(r, 16), "a (b) c"), "a process has its name");
	r = find(PERF_RECORD_FORK, getpid());
	check(r && u32_at(r, 8) == (uint32_t)getpid() && u32_at(r, 12) == (uint32_t)getppid(),
	      "a process has its parent");
	check(r && r->misc == PERF_RECORD_MISC_FORK_EXEC, "a process did not inherit its mappings");
	check(!find(PERF_RECORD_NAMESPACES, getpid()), "namespaces are left out by default");
	for (i = 0; i < nr_records; i++)
		mapped |= records[i]->type == PERF_RECORD_MMAP2 &&
			  !strcmp(text_at(records[i], 72), self);
	check(mapped, "a process has its program mapped");
	free(self);
	s = synth_of(0);
	synth_process(&s, 1 << 30);
	check_number(nr_records, 0, "a missing process has no records");
	s = synth_of(0);
	synth_all_processes(&s);
	check(find(PERF_RECORD_COMM, getpid()) && find(PERF_RECORD_COMM, getppid()),
	      "all processes have records");
}

static void check_surroundings(void)
{
	static const char *const names[] = {
		"net", "uts", "ipc", "pid", "user", "mnt", "cgroup",
	};
	struct synth s = synth_of(0);
	const struct perf_event_header *r;
	char path[32], link[64], expected[64];
	ssize_t length;
	size_t i;

	s.namespaces = true;
	synth_process(&s, getpid());
	r = find(PERF_RECORD_NAMESPACES, getpid());
	if (!check(r && u64_at(r, 16) == ARRAY_SIZE(names), "a process has seven namespaces"))
		return;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		length = readlink(path, link, sizeof(link) - 1);
		link[length > 0 ? length : 0] = '\0';
		snprintf(expected, sizeof(expected), "%s:[%llu]", names[i],
			 (unsigned long long)u64_at(r, 24 + 16 * i + 8));
		check_string(expected, link, "a namespace has its number");
	}
	s = synth_of(PERF_SAMPLE_TIME);
	synth_cgroup(&s, 42, "/a/b");
	check(nr_records == 1 && records[0]->type == PERF_RECORD_CGROUP &&
	      u64_at(records[0], 8) == 42, "a control group has its number");
	check_string(text_at(records[0], 16), "/a/b", "a control group has its path");
	check_number(records[0]->size, 8 + 8 + 8 + 8, "the size includes the time");
}

static void check_sizes(void)
{
	check_number(record_id_size(0), 0, "no fields take 0 bytes");
	check_number(record_id_size(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD), 0,
		     "fields of samples only take 0 bytes");
	check_number(record_id_size(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				   PERF_SAMPLE_IDENTIFIER), 48,
				   "all identifying fields take 48 bytes");
}

static size_t names_in(const struct mapped_files *files)
{
	return files->names.nr;
}

static void check_mapped_files(void)
{
	struct mapped_files files = { 0 };
	struct synth s = synth_of(0);
	size_t i;

	synth_maps(&s, 1, maps);
	synth_maps(&s, 2, maps);
	for (i = 0; i < nr_records; i++)
		mapped_files_note(&files, records[i]);
	check_number(names_in(&files), 5, "each file is noted once");
	((struct perf_event_header *)records[0])->type = PERF_RECORD_COMM;
	mapped_files_note(&files, records[0]);
	check_number(names_in(&files), 5, "other records have no files");
	mapped_files_free(&files);
}

int main(void)
{
	check_sizes();
	check_maps();
	check_name();
	check_data();
	check_kernel();
	check_modules();
	check_self();
	check_surroundings();
	check_mapped_files();
	synth_of(0);
	return unit_finish();
}
