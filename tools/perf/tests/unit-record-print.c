// SPDX-License-Identifier: GPL-2.0
/*
 * Records as text in the form that users of perf know, and with malicious names in them.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "report/record_print.h"
#include "unit.h"

#define EVIL "a\n\033[31m\377\"b"
#define SHOWN "a\\x0a\\x1b[31m\\xff\"b"

static void check_print(const struct record *r, const char *expected, const char *what)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	record_print(out, r);
	fclose(out);
	check_string(text, expected, what);
	free(text);
}

static void check_tasks(void)
{
	struct record r = { .type = PERF_RECORD_COMM };

	r.comm = (struct comm_record){ .pid = 7, .tid = 8, .comm = EVIL };
	check_print(&r, "PERF_RECORD_COMM: " SHOWN ":7/8", "COMM is printed");
	r.comm.exec = true;
	check_print(&r, "PERF_RECORD_COMM exec: " SHOWN ":7/8", "COMM of an exec is printed");
	r.type = PERF_RECORD_FORK;
	r.task = (struct task_record){ .pid = 7, .ppid = 5, .tid = 8, .ptid = 6, .time = 9 };
	check_print(&r, "PERF_RECORD_FORK(7:8):(5:6)", "FORK is printed");
	r.type = PERF_RECORD_EXIT;
	check_print(&r, "PERF_RECORD_EXIT(7:8):(5:6)", "EXIT is printed");
}

static void check_maps(void)
{
	static const uint8_t id[] = { 0xc0, 0xff, 0xee };
	struct record r = { .type = PERF_RECORD_MMAP2 };

	r.mmap = (struct mmap_record){
		.pid = 7, .tid = 8, .start = 0x1000, .len = 0x2000, .pgoff = 0x3000,
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE, .maj = 8, .min = 17,
		.ino = 4711, .ino_generation = 5, .has_inode = true, .filename = EVIL,
	};
	check_print(&r,
		    "PERF_RECORD_MMAP2 7/8: [0x1000(0x2000) @ 0x3000 08:11 4711 5]: r-xp " SHOWN,
		    "MMAP2");
	r.mmap.has_inode = false;
	r.mmap.build_id = id;
	r.mmap.build_id_size = sizeof(id);
	r.mmap.flags = MAP_SHARED;
	check_print(&r, "PERF_RECORD_MMAP2 7/8: [0x1000(0x2000) @ 0x3000 <c0ffee>]: r-xs " SHOWN,
		    "MMAP2 with a build-id is printed");
	r.mmap.build_id_size = 0;
	r.type = PERF_RECORD_MMAP;
	check_print(&r, "PERF_RECORD_MMAP 7/8: [0x1000(0x2000) @ 0x3000]: x " SHOWN,
		    "MMAP is printed");
	r.type = PERF_RECORD_MUNMAP;
	check_print(&r, "PERF_RECORD_MUNMAP 7/8: [0x1000(0x2000) @ 0x3000]: x " SHOWN,
		    "MUNMAP is printed");
	r.mmap.prot = 0;
	check_print(&r, "PERF_RECORD_MUNMAP 7/8: [0x1000(0x2000) @ 0x3000]: r " SHOWN,
		    "MUNMAP of data is printed");
}

static void check_switches(void)
{
	struct record r = { .type = PERF_RECORD_SWITCH };

	/* Names are padded to the longest one, as in perf, because programs may count blanks. */
	check_print(&r, "PERF_RECORD_SWITCH IN         ", "SWITCH of a task that runs is printed");
	r.misc = PERF_RECORD_MISC_SWITCH_OUT;
	check_print(&r, "PERF_RECORD_SWITCH OUT        ",
		    "SWITCH of a task that sleeps is printed");
	r.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	check_print(&r, "PERF_RECORD_SWITCH OUT preempt", "SWITCH of a preempted task is printed");
	r.type = PERF_RECORD_SWITCH_CPU_WIDE;
	r.task_id.pid = 7;
	r.task_id.tid = 8;
	check_print(&r, "PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:     7/8    ",
		    "SWITCH_CPU_WIDE has the next task");
	r.misc = 0;
	check_print(&r, "PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     7/8    ",
		    "SWITCH_CPU_WIDE has the previous task");
}

static void check_surroundings(void)
{
	static const struct namespace_link links[] = {
		{ 4, 0xf0 }, { 4, 0xf1 }, { 4, 0xf2 }, { 4, 0xf3 },
		{ 4, 0xf4 }, { 4, 0xf5 }, { 4, 0xf6 }, { 3, 0 },
	};
	struct record r = { .type = PERF_RECORD_NAMESPACES };

	r.namespaces.pid = 7;
	r.namespaces.tid = 8;
	r.namespaces.nr = ARRAY_SIZE(links);
	r.namespaces.links = links;
	check_print(&r, "PERF_RECORD_NAMESPACES 7/8 - nr_namespaces: 8\n"
		    "\t\t[0/net: 4/0xf0, 1/uts: 4/0xf1, 2/ipc: 4/0xf2, 3/pid: 4/0xf3,\040\n"
		    "\t\t 4/user: 4/0xf4, 5/mnt: 4/0xf5, 6/cgroup: 4/0xf6, 7/unknown: 3/0]",
		    "NAMESPACES with an unknown one is printed");
	r = (struct record){ .type = PERF_RECORD_CGROUP };
	r.cgroup.id = 42;
	r.cgroup.path = EVIL;
	check_print(&r, "PERF_RECORD_CGROUP cgroup: 42 " SHOWN, "CGROUP is printed");
}

static void check_kernel(void)
{
	static const uint8_t old[] = { 0x0f, 0x1f }, new[] = { 0xe8 };
	struct record r = { .type = PERF_RECORD_KSYMBOL };

	r.ksymbol.addr = 0xffffffffc0001000;
	r.ksymbol.len = 64;
	r.ksymbol.type = 1;
	r.ksymbol.name = EVIL;
	check_print(&r,
		    "PERF_RECORD_KSYMBOL addr ffffffffc0001000 len 64 type 1 flags 0x0 name "
		    SHOWN,
		    "KSYMBOL is printed");
	r = (struct record){ .type = PERF_RECORD_BPF_EVENT };
	r.bpf.type = 1;
	r.bpf.id = 12;
	check_print(&r, "PERF_RECORD_BPF_EVENT type 1, flags 0, id 12", "BPF_EVENT");
	r = (struct record){ .type = PERF_RECORD_TEXT_POKE };
	r.text_poke.addr = 0xffffffff81000000;
	r.text_poke.old_len = sizeof(old);
	r.text_poke.old = old;
	r.text_poke.new_len = sizeof(new);
	r.text_poke.new = new;
	check_print(&r, "PERF_RECORD_TEXT_POKE ffffffff81000000 old len 2 new len 1\n"
		    "            Old bytes: 0f 1f\n            New bytes: e8", "TEXT_POKE");
}

static void check_counters(void)
{
	/* Each of two counters has its value, its id and its lost samples. */
	static const uint64_t words[] = { 100, 11, 1, 200, 12, 0 };
	struct record r = { .type = PERF_RECORD_READ };

	r.read.pid = 7;
	r.read.tid = 8;
	r.read.values = (struct read_values){
		.time_enabled = 5000, .time_running = 4000, .nr = 2, .words = words,
		.format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
			  PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	check_print(&r,
		    "PERF_RECORD_READ: 7 8 id 11 value 100 lost 1 id 12 value 200 lost 0 enabled 5000 running 4000",
		    "READ of a group is printed");
	r = (struct record){ .type = PERF_RECORD_THROTTLE };
	r.throttle.id = 11;
	r.throttle.stream_id = 12;
	check_print(&r, "PERF_RECORD_THROTTLE id 11 stream_id 12", "THROTTLE is printed");
	r.type = PERF_RECORD_UNTHROTTLE;
	check_print(&r, "PERF_RECORD_UNTHROTTLE id 11 stream_id 12", "UNTHROTTLE is printed");
}

static void check_branches(void)
{
	static const uint64_t entries[] = {
		0x401136, 0x401000, 1 | 12 << 4 | 4 << 20, 0x10, 0x20, 2 | 4 | 8,
	};
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK };
	struct record r = { .type = PERF_RECORD_SAMPLE };
	struct event_table events = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out;

	event_table_add(&events, &attr);
	r.sample.branches = (struct branch_stack){
		.type = 0x20808, .nr = 2, .entries = entries, .hw_idx = 7,
	};
	out = open_memstream(&text, &size);
	record_print_details(out, &events, &r);
	fclose(out);
	check_string(text, "... event: cycles\n... branch callstack: nr:2 hw_idx:7\n"
		     ".....  0: 0000000000401136 -> 0000000000401000 12 cycles M    CALL\n"
		     ".....  1: 0000000000000010 -> 0000000000000020 0 cycles  PAT\040\n",
		     "branches of a sample are printed");
	free(text);
	event_table_free(&events);
}

int main(void)
{
	check_branches();
	check_tasks();
	check_maps();
	check_switches();
	check_surroundings();
	check_kernel();
	check_counters();
	check_string(record_type_name(PERF_RECORD_MUNMAP), "MUNMAP", "MUNMAP has a name");
	check(!record_type_name(PERF_RECORD_MUNMAP + 1), "an unknown type has no name");
	return unit_finish();
}
