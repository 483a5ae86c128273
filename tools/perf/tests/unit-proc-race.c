// SPDX-License-Identifier: GPL-2.0
/*
 * The records about tasks that the kernel's records already imply, and those that must be read from
 * /proc. A task is "asked" when its records are read from /proc. Numbers in comments are pids and
 * tids. Heirs and nameless processes are the two lists of proc_race_list_children().
 */
#include "record/proc_race.h"
#include "file/munmap_form.h"
#include "made_records.h"
#include "unit.h"

/* An attr with the fields that put_id() writes. */
static const struct perf_event_attr attr = {
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		       PERF_SAMPLE_IDENTIFIER,
	.sample_id_all = 1,
};

static struct proc_race told = { .attr = &attr };

static struct bytes b;

/* Return the record that was put last. */
static struct perf_event_header *last(void)
{
	return (struct perf_event_header *)(b.data + b.record);
}

static void note(void)
{
	proc_race_note(&told, last());
}

static void note_fork(uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid, uint64_t time)
{
	put_task(&b, PERF_RECORD_FORK, pid, ppid, tid, ptid, time, 1);
	note();
}

static void note_exit(uint32_t pid, uint32_t tid, uint64_t time)
{
	put_task(&b, PERF_RECORD_EXIT, pid, pid, tid, pid, time, 1);
	note();
}

static void note_comm(uint32_t pid, uint32_t tid, const char *name, uint64_t time)
{
	put_comm(&b, pid, tid, name, 0, time, 1);
	note();
}

static void note_map(uint32_t pid, uint64_t start, const char *name, uint64_t time)
{
	put_mmap2(&b, pid, start, 0x1000, 0, name, time, 1);
	note();
}

static void note_unmapping(uint32_t pid, uint64_t start, const char *name, uint64_t time)
{
	put_munmap(&b, PERF_RECORD_MISC_USER, pid, start, 0x1000, name, time, 1);
	note();
}

/* Return true if the kernel's records already imply the record put last. */
static bool tells(void)
{
	return !proc_race_needs(&told, last());
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

/* Return true if the record put last is about this task. */
static bool is_of(uint32_t pid, uint32_t tid)
{
	const uint32_t *words = (const uint32_t *)last();

	return words[2] == pid && words[3] == tid;
}

/* Note a record that was read from /proc. */
static void read_map(uint32_t pid, uint64_t start, const char *name)
{
	put_mmap2(&b, pid, start, 0x1000, 0, name, 0, 0);
	proc_race_note_synthesized(&told, last());
}

static void read_comm(uint32_t pid, uint32_t tid, const char *name)
{
	put_comm(&b, pid, tid, name, 0, 0, 0);
	proc_race_note_synthesized(&told, last());
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

/* Look a process up in the lists of heirs and of nameless processes. */
static void look_up(uint32_t pid, bool *is_heir, bool *is_nameless)
{
	struct int_list heirs = { 0 }, nameless = { 0 };

	proc_race_list_children(&told, &heirs, &nameless);
	*is_heir = int_list_has(&heirs, pid);
	*is_nameless = int_list_has(&nameless, pid);
	int_list_free(&heirs);
	int_list_free(&nameless);
}

/* Return true if a process is listed as an heir. All records must have been noted. */
static bool is_heir(uint32_t pid)
{
	bool heir, nameless;

	look_up(pid, &heir, &nameless);
	return heir;
}

static bool is_nameless(uint32_t pid)
{
	bool heir, nameless;

	look_up(pid, &heir, &nameless);
	return nameless;
}

static bool may_name(uint32_t tid)
{
	return proc_race_inherits_name(&told, tid);
}

static void check_tasks(void)
{
	read_map(10, 0x1000, "/lib/a");
	read_comm(10, 10, "a");
	note_fork(20, 10, 20, 10, 1000);
	note_fork(10, 10, 11, 10, 1001);
	put_task(&b, PERF_RECORD_EXIT, 30, 1, 30, 1, 1002, 1);
	note();
	check(!is_heir(20), "a child whose parent was asked is not an heir");
	check(!tells_comm(10, 10, "a"), "an existing task's name is not known from records");
	check(!tells_map(10, 0x1000, 0x1000, 0, "/lib/a"),
	      "an existing task's mappings are not known from records");
	check(tells_fork(20, 20) && tells_fork(10, 11),
	      "new processes and threads are known from records");
	check(!tells_fork(10, 10) && !tells_fork(30, 30),
	      "an existing or only exited task is not known");
	check(tells_comm(20, 20, "a") && tells_comm(10, 11, "a"),
	      "children have their parents' names");
	check(tells_map(20, 0x1000, 0x1000, 0, "/lib/a"), "a process has its parent's mappings");
	check(tells_comm(10, 10, "a") && tells_map(10, 0x1000, 0x1000, 0, "/lib/a"),
	      "a second record is not needed");
	put_namespaces(20, 20);
	check(tells(), "a new process's namespaces are known from records");
	put_namespaces(10, 10);
	check(!tells(), "an existing process's namespaces are not known");
}

static void check_heirs(void)
{
	/* Process 70, which is not in /proc, has a thread 71, which forks 72; 72 forks 73. */
	note_fork(70, 70, 71, 70, 1000);
	note_fork(72, 70, 72, 71, 1010);
	note_map(72, 0x50000, "/lib/new", 1015);
	note_fork(73, 72, 73, 72, 1020);
	note_map(72, 0x60000, "/lib/later", 1025);
	note_comm(70, 70, "later", 1030);
	check(is_heir(73), "a process with an unknown ancestor is an heir");
	check(!is_heir(73), "an heir is listed once");

	check(!tells_comm(73, 73, "old") && is_of(70, 70), "its name is its first ancestor's");
	check(tells_comm(72, 72, "old"), "the ancestor's name is needed once");
	check(!tells_comm(73, 73, "later") && is_of(70, 70),
	      "the ancestor's name after the fork is not used");
	note_comm(72, 72, "mine", 1016);
	check(tells_comm(73, 73, "mine"), "its parent's name before the fork is used");
	check(!tells_map(73, 0x40000, 0x1000, 0, "/lib/old") && is_of(70, 70),
	      "its mappings are its first ancestor's");
	check(tells_map(72, 0x40000, 0x1000, 0, "/lib/old"),
	      "the ancestor's mappings are needed once");
	check(tells_map(73, 0x50000, 0x1000, 0, "/lib/new"),
	      "its parent's mapping before the fork is used");
	check(!tells_map(73, 0x60000, 0x1000, 0, "/lib/later") && is_of(70, 70),
	      "its parent's mapping after the fork was the ancestor's");

	/* Process 80 is asked after it has changed its name. */
	read_map(80, 0x1000, "/lib/a");
	note_fork(81, 80, 81, 80, 1000);
	note_comm(80, 80, "new", 1001);
	note_fork(82, 80, 82, 80, 1002);
	check(is_heir(81), "a process with a renamed ancestor is an heir");
	check(!tells_comm(81, 81, "old") && is_of(80, 80), "the heir has the old name");
	check(!tells_map(80, 0x1000, 0x1000, 0, "/lib/a"), "the ancestor's mappings are needed");
	check(tells_comm(82, 82, "new"), "a later child has the new name");
	check(tells_map(81, 0x1000, 0x1000, 0, "/lib/a"), "the later child's mappings are known");

	/* After a fork, process 85 changes its state, and restores it before it is asked. */
	read_map(85, 0x1000, "/lib/a");
	note_fork(86, 85, 86, 85, 1000);
	note_comm(85, 85, "other", 1001);
	note_comm(85, 85, "same", 1002);
	note_map(85, 0x1000, "/lib/a", 1003);
	note_fork(87, 85, 87, 85, 1004);
	is_heir(86);
	check(!tells_comm(85, 85, "same") && !tells_map(85, 0x1000, 0x1000, 0, "/lib/a"),
	      "a child's state is needed though recorded later");
	check(tells_comm(86, 86, "same") && tells_map(86, 0x1000, 0x1000, 0, "/lib/a"),
	      "the child itself then needs no record");

	/* The pid 90 is reused. */
	note_fork(90, 20, 90, 20, 1000);
	note_map(90, 0x1000, "/lib/a", 1001);
	note_map(20, 0x70000, "/lib/g", 999);
	note_fork(91, 90, 91, 90, 1002);
	note_fork(90, 10, 90, 10, 1003);
	is_heir(91);
	check(tells_map(91, 0x1000, 0x1000, 0, "/lib/a"),
	      "the parent is the process with the pid at the fork");
	check(tells_map(91, 0x70000, 0x1000, 0, "/lib/g"),
	      "the parent's parent is the process that forked it");
}

static void check_chains(void)
{
	/* Thread 100 is asked. 101 has created 102 and exited unasked; 102 has created 103. */
	read_map(100, 0x1000, "/lib/a");
	read_comm(100, 100, "main");
	note_fork(100, 100, 102, 101, 1000);
	note_fork(100, 100, 103, 102, 1001);
	check(is_nameless(100), "a process whose first thread exited is nameless");
	check(is_nameless(100), "it is nameless as long as no thread was asked");
	read_comm(100, 103, "link");
	check(!is_nameless(100), "it has a name once a thread was asked");
	check(!tells_comm(100, 103, "link") && is_of(100, 101),
	      "the name is that of the first thread");

	/* Thread 131 is renamed at once and then asked. 132 exits, and its tid is reused. */
	read_map(130, 0x1000, "/lib/a");
	read_comm(130, 130, "main");
	note_fork(130, 130, 131, 129, 1000);
	note_comm(130, 131, "new", 1001);
	note_fork(130, 130, 132, 129, 1002);
	check(is_nameless(130), "two threads may have the name");
	check(may_name(131) && may_name(132) && !may_name(129) && !may_name(130),
	      "those two threads may be asked");
	read_comm(130, 131, "new");
	check(is_nameless(130), "a renamed thread does not give the name");
	check(!may_name(131) && may_name(132), "the other thread may still give the name");
	note_exit(130, 132, 1003);
	check(!is_nameless(130), "after the other thread's exit nobody can be asked");
	note_fork(130, 130, 132, 129, 1004);
	check(is_nameless(130), "a new thread with that tid can be asked");

	note_fork(100, 100, 105, 104, 1010);
	note_comm(100, 105, "new", 1011);
	note_fork(100, 100, 106, 105, 1012);
	read_comm(100, 106, "new");
	check(is_nameless(100), "a thread with another name does not give the first one's");
	note_fork(107, 100, 107, 104, 1013);
	check(is_heir(107), "a child of a nameless process is an heir");
	read_comm(107, 107, "link");
	check(!is_nameless(100), "the child gives the name");
	check(!is_nameless(20) && !is_nameless(10),
	      "a process whose first thread was asked has a name");

	/* Process 120 is asked after it has changed its name. */
	note_fork(120, 120, 121, 120, 1030);
	note_comm(120, 120, "later", 1031);
	read_comm(120, 120, "later");
	check(is_nameless(120), "a process whose first thread was renamed is nameless");
	read_comm(120, 121, "early");
	check(!is_nameless(120), "a thread with the old name gives the name");

	/* Process 110 is created during the recording, and is asked as an heir. */
	note_fork(110, 100, 110, 109, 1020);
	note_fork(110, 110, 111, 110, 1021);
	check(!is_nameless(110), "threads of a new process are asked with it");
}

static void check_names(void)
{
	put_comm(&b, 40, 40, "new", 0, 1000, 1);
	note();
	check(tells_comm(40, 40, "new"), "a recorded name is known");
	check(!tells_comm(40, 40, "old"), "the name before it is not known");
	check(!tells_comm(40, 41, "new"), "another thread's name is not known");
	put_cgroup(7, "/a");
	note();
	check(tells(), "a recorded control group is known");
	put_cgroup(8, "/b");
	check(!tells(), "another control group is not known");
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
	check(tells_map(50, 0x10000, 0x4000, 0x2000, "/lib/a"), "a recorded mapping is known");
	check(tells_map(50, 0x11000, 0x3000, 0x3000, "/lib/a"), "a remaining part of it is known");
	check(!tells_map(50, 0x11000, 0x3000, 0x2000, "/lib/a"),
	      "another file offset is not known");
	check(!tells_map(50, 0xf000, 0x4000, 0x1000, "/lib/a"),
	      "a larger mapping before it is not known");
	check(!tells_map(50, 0x11000, 0x4000, 0x3000, "/lib/a"),
	      "a larger mapping after it is not known");
	check(!tells_map(51, 0x10000, 0x4000, 0x2000, "/lib/a"),
	      "another process's mapping is not known");
	check(tells_map(50, 0x80000, 0x1000, 0, "//anon"), "anonymous memory has no file offset");
	put_mmap(&b, PERF_RECORD_MISC_KERNEL, -1, 0x1000, 0x1000, 0, "[kernel]", 0, 0);
	((uint32_t *)last())[3] = 0;
	check(!tells() && is_of(-1, 0), "the kernel's mappings belong to no task");
	check(!tells_map(50, 0x90000, 0x1000, 0, "/lib/d"), "data where code is now is not known");
	put_mmap(&b, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, 50, 0x90000, 0x1000, 0,
		 "/lib/d", 0, 0);
	check(tells(), "recorded data is known");
}

static struct bytes gone;

static int take_gone(void *context, void *records, size_t bytes)
{
	const struct perf_event_header *record = records;

	check(bytes == record->size, "each call has one record");
	memcpy(gone.data + gone.size, records, bytes);
	gone.size += bytes;
	return context ? -1 : 0;
}

static void check_gone(void)
{
	const uint64_t *word;
	const struct perf_event_header *record = (const struct perf_event_header *)gone.data;

	put_munmap(&b, PERF_RECORD_MISC_USER, 60, 0x10000, 0x4000, "/lib/a", 1000, 1);
	record_to_file(last());
	note();
	check(!tells_map(61, 0x10000, 0x4000, 0, "/lib/a"),
	      "another process's mapping is not known");
	note_map(60, 0x20000, "/lib/b", 1001);
	note_unmapping(60, 0x20000, "/lib/b", 1002);
	check(!tells_map(60, 0x30000, 0x2000, 0, "/lib/c"), "a mapping only in /proc is not known");
	note_unmapping(60, 0x30000, "/lib/c", 1003);
	/* A child unmaps what its parent mapped before the fork. */
	note_map(60, 0x40000, "/lib/d", 1004);
	note_fork(65, 60, 65, 60, 1005);
	note_unmapping(65, 0x40000, "/lib/d", 1006);

	is_heir(65);
	check(!proc_race_each_unmapped(&told, take_gone, NULL), "every record can be written");
	check(gone.size && gone.size == record->size,
	      "recorded mappings are left out");
	check(record->type == PERF_RECORD_MMAP && record->misc == PERF_RECORD_MISC_USER,
	      "an unmapped mapping is written as an MMAP record");
	word = (const uint64_t *)gone.data;
	check((uint32_t)word[1] == 60 && word[2] == 0x10000 && word[3] == 0x4000,
	      "the record has the process and the addresses");
	check_string((const char *)(word + 5), "/lib/a", "the record has the file's name");
	word = (const uint64_t *)(gone.data + gone.size);
	check(!word[-1] && !word[-3], "the record has time 0");

	check(!proc_race_each_unmapped(&told, take_gone, &gone),
	      "a written mapping is not written again");
	note_unmapping(65, 0x50000, "/lib/e", 1007);
	gone.size = 0;
	check(proc_race_each_unmapped(&told, take_gone, &gone) == -1, "an error ends the writing");
	word = (const uint64_t *)gone.data;
	check((uint32_t)word[1] == 60 && word[2] == 0x50000,
	      "a child's unmapped mapping was its first ancestor's");
}

int main(void)
{
	check_tasks();
	check_heirs();
	check_chains();
	check_names();
	check_maps();
	check_gone();
	proc_race_free(&told);
	return unit_finish();
}
