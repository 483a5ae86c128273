// SPDX-License-Identifier: GPL-2.0
/*
 * What /proc says and the kernel's records say as well, and what neither says.
 */
#include "meanwhile.h"
#include "munmap_form.h"
#include "made_records.h"
#include "unit.h"

static struct meanwhile told;
static struct bytes b;

/* The record that was put last. */
static const struct perf_event_header *last(void)
{
	return (const struct perf_event_header *)(b.data + b.record);
}

static void note(void)
{
	meanwhile_note(&told, last());
}

static bool tells(void)
{
	return meanwhile_tells(&told, last());
}

static bool tells_comm(uint32_t pid, uint32_t tid, const char *name)
{
	put_comm(&b, pid, tid, name, 0, 0, 0);
	return tells();
}

static bool tells_map(uint32_t pid, uint64_t start, uint64_t size, uint64_t pgoff,
		      const char *name)
{
	put_mmap2(&b, pid, start, size, pgoff, name, 0, 0);
	return tells();
}

static bool tells_fork(uint32_t pid, uint32_t tid)
{
	put_task(&b, PERF_RECORD_FORK, pid, pid, tid, pid, 0, 0);
	return tells();
}

static void put_cgroup(uint64_t id, const char *path)
{
	begin(&b, PERF_RECORD_CGROUP, 0);
	put64(&b, id);
	put_string(&b, path);
	end(&b);
}

static void put_namespaces(uint32_t pid, uint32_t tid)
{
	begin(&b, PERF_RECORD_NAMESPACES, 0);
	put32(&b, pid);
	put32(&b, tid);
	put64(&b, 0);
	end(&b);
}

static void check_tasks(void)
{
	put_task(&b, PERF_RECORD_FORK, 20, 10, 20, 10, 1000, 1);
	note();
	put_task(&b, PERF_RECORD_FORK, 10, 10, 11, 10, 1001, 1);
	note();
	put_task(&b, PERF_RECORD_EXIT, 30, 1, 30, 1, 1002, 1);
	note();
	check(tells_fork(20, 20) && tells_fork(10, 11), "who has come to be: a process, a thread");
	check(!tells_fork(10, 10) && !tells_fork(30, 30), "who was there, or only ended, has not");
	check(tells_comm(20, 20, "a") && tells_comm(10, 11, "a"), "they have their parents' names");
	check(!tells_comm(10, 10, "a"), "who was there has the name that /proc says");
	check(tells_map(20, 0x1000, 0x1000, 0, "/lib/a"), "a process has its parent's mappings");
	check(!tells_map(10, 0x1000, 0x1000, 0, "/lib/a"), "who has a new thread keeps its own");
	put_namespaces(20, 20);
	check(tells(), "a new process has its namespaces recorded");
	put_namespaces(10, 10);
	check(!tells(), "and one that was there has not");
}

static void check_names(void)
{
	put_comm(&b, 40, 40, "new", 0, 1000, 1);
	note();
	check(tells_comm(40, 40, "new"), "a name that was recorded");
	check(!tells_comm(40, 40, "old"), "the name before it");
	check(!tells_comm(40, 41, "new"), "somebody else's");
	put_cgroup(7, "/a");
	note();
	check(tells(), "a control group that has come to be");
	put_cgroup(8, "/b");
	check(!tells(), "another one");
}

static void check_maps(void)
{
	put_mmap2(&b, 50, 0x10000, 0x4000, 0x2000, "/lib/a", 1000, 1);
	note();
	put_mmap(&b, PERF_RECORD_MISC_USER, 50, 0x80000, 0x1000, 0x80000, "//anon", 1001, 1);
	note();
	put_mmap(&b, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, 50, 0x90000, 0x1000, 0,
		 "/lib/d", 1002, 1);
	note();
	check(tells_map(50, 0x10000, 0x4000, 0x2000, "/lib/a"), "a mapping that was recorded");
	check(tells_map(50, 0x11000, 0x3000, 0x3000, "/lib/a"), "what is left of it");
	check(!tells_map(50, 0x11000, 0x3000, 0x2000, "/lib/a"), "another place of the file");
	check(!tells_map(50, 0xf000, 0x4000, 0x1000, "/lib/a"), "more in front");
	check(!tells_map(50, 0x11000, 0x4000, 0x3000, "/lib/a"), "more behind");
	check(!tells_map(51, 0x10000, 0x4000, 0x2000, "/lib/a"), "another process's");
	check(tells_map(50, 0x80000, 0x1000, 0, "//anon"), "no file, and so no place in one");
	check(!tells_map(50, 0x90000, 0x1000, 0, "/lib/d"), "one of data, where there is code now");
	put_mmap(&b, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, 50, 0x90000, 0x1000, 0,
		 "/lib/d", 0, 0);
	check(tells(), "one of data");
}

/* What put_id() puts. */
#define ID_SIZE 32

static struct bytes gone;

static int take_gone(void *context, void *records, size_t bytes)
{
	const struct perf_event_header *record = records;

	check(bytes == record->size, "one record at a time");
	memcpy(gone.data + gone.size, records, bytes);
	gone.size += bytes;
	return context ? -1 : 0;
}

static void check_gone(void)
{
	const uint64_t *word;
	const struct perf_event_header *record = (const struct perf_event_header *)gone.data;

	put_munmap(&b, PERF_RECORD_MISC_USER, 60, 0x10000, 0x4000, "/lib/a", 1000, 1);
	record_to_file((struct perf_event_header *)last());
	note();
	check(!tells_map(60, 0x10000, 0x4000, 0, "/lib/a"), "what went is not mapped from then on");
	put_mmap2(&b, 60, 0x20000, 0x1000, 0, "/lib/b", 1001, 1);
	note();
	put_munmap(&b, PERF_RECORD_MISC_USER, 60, 0x20000, 0x1000, "/lib/b", 1002, 1);
	note();
	put_mmap2(&b, 60, 0x30000, 0x2000, 0, "/lib/c", 0, 0);
	meanwhile_note_written(&told, last());
	put_munmap(&b, PERF_RECORD_MISC_USER, 60, 0x30000, 0x1000, "/lib/c", 1003, 1);
	note();
	put_munmap(&b, PERF_RECORD_MISC_USER, 20, 0x10000, 0x4000, "/lib/a", 1004, 1);
	note();

	check(!meanwhile_each_gone(&told, ID_SIZE, take_gone, NULL), "there is room");
	check(gone.size && gone.size == record->size,
	      "what was recorded, or /proc said, or a new process dropped, is known already");
	check(record->type == PERF_RECORD_MMAP && record->misc == PERF_RECORD_MISC_USER,
	      "what went was mapped before");
	word = (const uint64_t *)gone.data;
	check((uint32_t)word[1] == 60 && word[2] == 0x10000 && word[3] == 0x4000,
	      "by whom, and where");
	check_string((const char *)(word + 5), "/lib/a", "its name");
	word = (const uint64_t *)(gone.data + gone.size);
	check(!word[-1] && !word[-3], "before everything else");
	check(meanwhile_each_gone(&told, ID_SIZE, take_gone, &gone) == -1, "an error ends it");
}

int main(void)
{
	check_tasks();
	check_names();
	check_maps();
	check_gone();
	meanwhile_free(&told);
	return unit_finish();
}
