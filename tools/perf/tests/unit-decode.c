// SPDX-License-Identifier: GPL-2.0
/*
 * Decoding records: every type, and each part of a sample, made as <linux/perf_event.h>
 * specifies them.
 */
#include "file/decode.h"
#include "made_records.h"
#include "unit.h"

static struct event_table events;
static struct bytes b;
static struct record record;

static enum record_decoded decode(void)
{
	return record_decode(&events, (void *)b.data, &record);
}

static void start(uint32_t type, uint16_t misc)
{
	b.size = 0;
	begin(&b, type, misc);
}

static bool finished(void)
{
	put_id(&b, 5, 6, 7000, 1);
	end(&b);
	return decode() == RECORD_OK && record.id.pid == 5 && record.id.tid == 6 &&
	       record.id.time == 7000 && record.id.id == 1;
}

static void test_mmap(void)
{
	static const uint8_t id[20] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct mmap_record *m = &record.mmap;

	b.size = 0;
	put_mmap(&b, PERF_RECORD_MISC_USER, 5, 0x1000, 0x2000, 0x3000, "/bin/x", 7000, 1);
	check(decode() == RECORD_OK && m->pid == 5 && m->start == 0x1000 && m->len == 0x2000 &&
	      m->pgoff == 0x3000 && !strcmp(m->filename, "/bin/x") && m->prot == 4,
	      "MMAP is decoded");
	b.size = 0;
	put_mmap(&b, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, 5, 0x1000, 0x2000, 0,
		 "/bin/x", 7000, 1);
	check(decode() == RECORD_OK && m->prot == 0, "MMAP of data is decoded");
	b.size = 0;
	put_mmap2(&b, 5, 0x1000, 0x2000, 0x3000, "/bin/x", 7000, 1);
	check(decode() == RECORD_OK && m->has_inode && m->maj == 8 && m->min == 1 &&
	      m->ino == 4711 && m->prot == 5 && m->flags == 2 && !m->build_id_size &&
	      !strcmp(m->filename, "/bin/x"), "MMAP2");
	start(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	put64(&b, 0);
	put64(&b, 0x1000);
	put64(&b, 0x2000);
	put64(&b, 0);
	put32(&b, 8);
	put(&b, id, 20);
	put32(&b, 5);
	put32(&b, 2);
	put_string(&b, "/bin/y");
	check(finished() && !m->has_inode && m->build_id_size == 8 &&
	      !memcmp(m->build_id, id, 8) && !strcmp(m->filename, "/bin/y"),
	      "MMAP2 with a build-id is decoded");
	/* Linux 6.18 sets the flag in records of other counters than the one with build-ids. */
	memset(b.data + 40, 254, 1);
	check(decode() == RECORD_OK && m->has_inode && m->maj == 254 && !m->build_id_size &&
	      m->prot == 5 && !strcmp(m->filename, "/bin/y"),
	      "MMAP2 with the bit of a build-id has the number of a device");
	memset(b.data + 40, 8, 1);
	memset(b.data + 56, 1, 1);
	check(decode() == RECORD_OK && m->has_inode && m->maj == 8 && !m->build_id_size,
	      "also if the number could be a size");
}

static uint16_t misc_in_file(void)
{
	uint16_t misc;

	record_to_file((void *)b.data);
	memcpy(&misc, b.data + 4, sizeof(misc));
	return b.data[0] == PERF_RECORD_MMAP && !b.data[3] ? misc : 0;
}

static bool is_munmap(uint16_t misc, uint32_t prot)
{
	return decode() == RECORD_OK && record.type == 0x40000000 && record.misc == misc &&
	       record.mmap.pid == 5 && record.mmap.start == 0x1000 &&
	       record.mmap.len == 0x2000 && record.mmap.prot == prot &&
	       !strcmp(record.mmap.filename, "/bin/x") && record.id.time == 7000;
}

/* A MUNMAP record is decoded equally from the kernel and from a file. */
static void test_munmap(void)
{
	static const uint16_t data = 1 << 13, gone = 1 << 14, was_data = 1 << 11;
	uint32_t unknown = 0x40000001;

	b.size = 0;
	put_munmap(&b, PERF_RECORD_MISC_USER, 5, 0x1000, 0x2000, "/bin/x", 7000, 1);
	check(is_munmap(PERF_RECORD_MISC_USER, 4), "MUNMAP is decoded");
	check_number(misc_in_file(), PERF_RECORD_MISC_USER | data | gone,
		     "MUNMAP is written as an MMAP of data");
	check(is_munmap(PERF_RECORD_MISC_USER, 4), "the written MUNMAP is read as a MUNMAP");
	b.size = 0;
	put_munmap(&b, PERF_RECORD_MISC_USER | data, 5, 0x1000, 0x2000, "/bin/x", 7000, 1);
	check(is_munmap(PERF_RECORD_MISC_USER | data, 0), "MUNMAP of data is decoded");
	check_number(misc_in_file(), PERF_RECORD_MISC_USER | data | gone | was_data,
		     "MUNMAP of data is marked as such in a file");
	check(is_munmap(PERF_RECORD_MISC_USER | data, 0),
	      "the written MUNMAP of data is read as such");
	check_number(misc_in_file(), PERF_RECORD_MISC_USER | data | gone | was_data,
		     "a record in the file's form keeps its bits");
	b.size = 0;
	put_munmap(&b, PERF_RECORD_MISC_USER, 5, 0x1000, 0x2000, "/bin/x", 7000, 1);
	memset(b.data + 40, 'x', 8);
	check(decode() == RECORD_BAD, "MUNMAP with an unterminated name is bad");
	misc_in_file();
	check(decode() == RECORD_BAD, "a written MUNMAP with an unterminated name is bad");
	memcpy(b.data, &unknown, sizeof(unknown));
	check(decode() == RECORD_UNKNOWN, "the next type is unknown");
	b.size = 0;
	put_mmap2(&b, 5, 0x1000, 0x2000, 0, "/bin/x", 7000, 1);
	b.data[5] |= gone >> 8;
	check(decode() == RECORD_OK && record.type == PERF_RECORD_MMAP2 &&
	      record.mmap.build_id_size == 8, "MMAP2 with the same bit has a build-id");
}

static void test_tasks(void)
{
	b.size = 0;
	put_comm(&b, 5, 6, "name", PERF_RECORD_MISC_COMM_EXEC, 7000, 1);
	check(decode() == RECORD_OK && record.comm.pid == 5 && record.comm.tid == 6 &&
	      record.comm.exec && !strcmp(record.comm.comm, "name"), "COMM of an exec is decoded");
	memset(b.data + 16, 'x', 8);
	check(decode() == RECORD_BAD, "COMM with an unterminated name is bad");
	b.size = 0;
	put_task(&b, PERF_RECORD_FORK, 5, 4, 6, 3, 7000, 1);
	check(decode() == RECORD_OK && record.task.pid == 5 && record.task.ppid == 4 &&
	      record.task.tid == 6 && record.task.ptid == 3 && record.task.time == 7000,
	      "FORK is decoded");
	b.size = 0;
	put_task(&b, PERF_RECORD_EXIT, 5, 4, 6, 3, 7000, 1);
	check(decode() == RECORD_OK && record.type == PERF_RECORD_EXIT && record.task.tid == 6,
	      "EXIT is decoded");
	start(PERF_RECORD_ITRACE_START, 0);
	put32(&b, 8);
	put32(&b, 9);
	check(finished() && record.task_id.pid == 8 && record.task_id.tid == 9, "ITRACE_START");
	start(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT);
	check(finished() && record.misc == PERF_RECORD_MISC_SWITCH_OUT, "SWITCH is decoded");
	start(PERF_RECORD_SWITCH_CPU_WIDE, 0);
	put32(&b, 8);
	put32(&b, 9);
	check(finished() && record.task_id.tid == 9, "SWITCH_CPU_WIDE");
	start(PERF_RECORD_NAMESPACES, 0);
	put32(&b, 8);
	put32(&b, 9);
	put64(&b, 2);
	put64(&b, 4);
	put64(&b, 4026531840);
	put64(&b, 4);
	put64(&b, 4026531841);
	check(finished() && record.namespaces.pid == 8 && record.namespaces.tid == 9 &&
	      record.namespaces.nr == 2 && record.namespaces.links[1].dev == 4 &&
	      record.namespaces.links[1].ino == 4026531841, "NAMESPACES is decoded");
	b.data[16] = 3;
	check(decode() == RECORD_BAD, "NAMESPACES with more links than fit is bad");
	b.data[23] = 0x10;
	b.data[16] = 0;
	check(decode() == RECORD_BAD, "NAMESPACES with more links than memory is bad");
}

static void test_others(void)
{
	b.size = 0;
	put_lost(&b, 12, 7000, 1);
	check(decode() == RECORD_OK && record.lost.lost == 12 && record.lost.id == 1,
	      "LOST is decoded");
	start(PERF_RECORD_LOST, 0);
	put64(&b, 1);
	put64(&b, 12);
	end(&b);
	check(decode() == RECORD_BAD, "a record that is too short for its id is bad");
	start(PERF_RECORD_LOST_SAMPLES, 0);
	put64(&b, 13);
	check(finished() && record.lost.lost == 13, "LOST_SAMPLES");
	start(PERF_RECORD_THROTTLE, 0);
	put64(&b, 7000);
	put64(&b, 1);
	put64(&b, 2);
	check(finished() && record.throttle.time == 7000 && record.throttle.stream_id == 2,
	      "THROTTLE is decoded");
	start(PERF_RECORD_AUX, 0);
	put64(&b, 1);
	put64(&b, 2);
	put64(&b, 3);
	check(finished() && record.aux.size == 2 && record.aux.flags == 3, "AUX is decoded");
	start(PERF_RECORD_KSYMBOL, 0);
	put64(&b, 0xffff0000);
	put32(&b, 64);
	put16(&b, 1);
	put16(&b, 0);
	put_string(&b, "bpf_prog_1");
	check(finished() && record.ksymbol.addr == 0xffff0000 && record.ksymbol.len == 64 &&
	      record.ksymbol.type == 1 && !strcmp(record.ksymbol.name, "bpf_prog_1"),
	      "KSYMBOL is decoded");
	start(PERF_RECORD_BPF_EVENT, 0);
	put16(&b, 1);
	put16(&b, 0);
	put32(&b, 42);
	put(&b, "tagtagta", 8);
	check(finished() && record.bpf.type == 1 && record.bpf.id == 42 &&
	      !memcmp(record.bpf.tag, "tagtagta", 8), "BPF_EVENT");
	start(PERF_RECORD_CGROUP, 0);
	put64(&b, 44);
	put_string(&b, "/slice");
	check(finished() && record.cgroup.id == 44 && !strcmp(record.cgroup.path, "/slice"),
	      "CGROUP is decoded");
	start(PERF_RECORD_TEXT_POKE, 0);
	put64(&b, 0xffff0000);
	put16(&b, 2);
	put16(&b, 2);
	put(&b, "ONnn", 4);
	check(finished() && record.text_poke.old_len == 2 && record.text_poke.new_len == 2 &&
	      !memcmp(record.text_poke.old, "ON", 2) && !memcmp(record.text_poke.new, "nn", 2),
	      "TEXT_POKE");
	memset(b.data + 16, 200, 1);
	check(decode() == RECORD_BAD, "TEXT_POKE with more bytes than fit is bad");
	start(PERF_RECORD_AUX_OUTPUT_HW_ID, 0);
	put64(&b, 99);
	check(finished() && record.hw_id == 99, "AUX_OUTPUT_HW_ID");
	start(PERF_RECORD_READ, 0);
	put32(&b, 8);
	put32(&b, 9);
	put64(&b, 1234);
	check(finished() && record.read.tid == 9 && record.read.values.nr == 1 &&
	      record.read.values.words[0] == 1234, "READ is decoded");
	/* A cookie and a chain of two entries; then a chain that is longer than the record. */
	start(22, 0);
	put64(&b, 99);
	put64(&b, 2);
	put64(&b, 10);
	put64(&b, 20);
	check(finished() && record.deferred.cookie == 99 && record.deferred.nr == 2 &&
	      record.deferred.chain[1] == 20, "CALLCHAIN_DEFERRED is decoded");
	start(22, 0);
	put64(&b, 99);
	put64(&b, 1 << 20);
	end(&b);
	check(decode() == RECORD_BAD, "CALLCHAIN_DEFERRED that is cut off is bad");
	start(63, 0);
	put64(&b, 1);
	end(&b);
	check(decode() == RECORD_UNKNOWN, "an unknown type is unknown");
}

/* A reading of a group has at most 16 KiB, so at most 2048 values, in the kernel. */
static void test_large_group(void)
{
	struct perf_event_attr *attr = &events.events[0].attr;
	struct perf_event_attr simple = *attr;
	uint64_t nr, i;

	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ;
	attr->read_format = PERF_FORMAT_GROUP;
	for (nr = 2048; nr <= 2049; nr++) {
		start(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		put64(&b, 1);
		put64(&b, nr);
		for (i = 0; i < nr; i++)
			put64(&b, i);
		check(decode() == (nr == 2048 ? RECORD_OK : RECORD_BAD),
		      "a group of %llu values is decoded or refused", (unsigned long long)nr);
	}
	*attr = simple;
}

/* Every part of a sample, in the kernel's order. */
static void test_full_sample(void)
{
	struct perf_event_attr *attr = &events.events[0].attr;
	struct perf_event_attr simple = *attr;
	struct sample *s = &record.sample;
	struct read_value value;
	uint16_t size;
	int i;

	attr->sample_type = (1ULL << 25) - 1;
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT;
	attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
			    PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->branch_sample_type = 1 << 17;
	attr->sample_regs_user = 7;
	attr->sample_regs_intr = 3;
	start(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(&b, 1);			/* identifier */
	put64(&b, 0x401000);		/* ip */
	put32(&b, 5);			/* pid, tid */
	put32(&b, 6);
	put64(&b, 7000);		/* time */
	put64(&b, 0xadd7);		/* addr */
	put64(&b, 1);			/* id */
	put64(&b, 2);			/* stream_id */
	put32(&b, 3);			/* cpu */
	put32(&b, 0);
	put64(&b, 4000);		/* period */
	put64(&b, 2);			/* read: nr, enabled, running, values */
	put64(&b, 100);
	put64(&b, 50);
	for (i = 0; i < 6; i++)
		put64(&b, 10 + i);
	put64(&b, 2);			/* chain */
	put64(&b, PERF_CONTEXT_USER);
	put64(&b, 0x401000);
	put32(&b, 4);			/* raw */
	put32(&b, 0xffffffff);
	put64(&b, 1);			/* branches: nr, hw_idx, one branch */
	for (i = 0; i < 4; i++)
		put64(&b, 0);
	put64(&b, 2);			/* registers of the user: abi and three of them */
	for (i = 0; i < 3; i++)
		put64(&b, 0);
	put64(&b, 16);			/* stack of the user: size, bytes, dynamic size */
	for (i = 0; i < 3; i++)
		put64(&b, 0);
	put64(&b, 77);			/* weight */
	put64(&b, 78);			/* data_src */
	put64(&b, 79);			/* transaction */
	put64(&b, 0);			/* registers at the interrupt: none */
	put64(&b, 80);			/* phys_addr */
	put64(&b, 81);			/* cgroup */
	put64(&b, 82);			/* data_page_size */
	put64(&b, 83);			/* code_page_size */
	put64(&b, 8);			/* aux */
	put64(&b, 0);
	end(&b);
	check(decode() == RECORD_OK, "a sample with all fields is decoded");
	check(s->ip == 0x401000 && record.id.pid == 5 && record.id.tid == 6 &&
	      record.id.time == 7000 && record.id.cpu == 3 && record.id.stream_id == 2,
	      "ip, pid, tid, time, cpu and stream_id are decoded");
	check(s->addr == 0xadd7 && s->period == 4000, "addr and period are decoded");
	check(s->read.nr == 2 && s->read.time_enabled == 100 && s->read.time_running == 50,
	      "the times of a group are decoded");
	read_values_get(&s->read, 1, &value);
	check(value.value == 13 && value.id == 14 && value.lost == 15,
	      "the second value of a group is decoded");
	check(s->chain_nr == 2 && s->chain[1] == 0x401000, "the call chain is decoded");
	check(s->raw_size == 4 && s->branches.nr == 1 && s->user_stack_size == 16,
	      "raw data, branches and stack are decoded");
	check(s->weight == 77 && s->data_src == 78 && s->transaction == 79,
	      "the fields of a memory access are decoded");
	check(s->phys_addr == 80 && s->cgroup == 81 && s->data_page_size == 82 &&
	      s->code_page_size == 83, "the last fields are decoded");
	memcpy(&size, b.data + 6, 2);
	for (i = size - 8; i >= 8; i -= 8) {
		uint16_t less = i;

		memcpy(b.data + 6, &less, 2);
		if (decode() != RECORD_BAD)
			break;
	}
	check(i < 8, "a sample cut off at any word is bad");
	*attr = simple;
}

/* Decode a sample with @words after its header, of an event with branches of @type. */
static enum record_decoded decode_branches(uint64_t type, const uint64_t *words, size_t nr)
{
	struct perf_event_attr *attr = &events.events[0].attr, before = *attr;
	enum record_decoded decoded;

	attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = type;
	start(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put(&b, words, nr * sizeof(*words));
	end(&b);
	decoded = decode();
	*attr = before;
	return decoded;
}

static void test_branches(void)
{
	static const uint64_t words[] = {
		2, 0x10, 0x20, 1 | 7 << 4 | 5ULL << 20, 0x30, 0x40, 2 | 0xffff << 4, 8, 9,
	};
	static const uint64_t with_index[] = { 1, 31, 0x10, 0x20, 4 };
	static const uint64_t many[] = { UINT64_MAX / 3 + 1, 0x10, 0x20, 1 };
	struct branch_stack *stack = &record.sample.branches;
	struct perf_branch_entry entry;

	check(decode_branches(8, words, 7) == RECORD_OK && stack->nr == 2 &&
	      stack->hw_idx == UINT64_MAX && !branches_are_calls(stack->type),
	      "two branches are decoded");
	entry = branch_get(stack, 0);
	check(entry.from == 0x10 && entry.to == 0x20 && entry.mispred && !entry.predicted &&
	      entry.cycles == 7 && entry.type == 5, "the first branch is decoded");
	entry = branch_get(stack, 1);
	check(entry.from == 0x30 && entry.to == 0x40 && entry.predicted && entry.cycles == 0xffff,
	      "the second branch is decoded");
	check(decode_branches(8 | 1 << 19, words, 9) == RECORD_OK,
	      "branches with counters are decoded");
	check(decode_branches(8 | 1 << 19, words, 8) == RECORD_BAD,
	      "two branches with one counter are bad");
	check(decode_branches(0x20801, with_index, 5) == RECORD_OK && stack->hw_idx == 31 &&
	      branches_are_calls(stack->type) && branch_get(stack, 0).in_tx,
	      "the hardware index and a branch type are decoded");
	check(decode_branches(8, words, 6) == RECORD_BAD, "fewer branches than stated are bad");
	check(decode_branches(8, many, 4) == RECORD_BAD, "more branches than memory are bad");
	check(decode_branches(8 | 1 << 20, words, 7) == RECORD_BAD,
	      "branches with an unknown type bit are bad");
}

static void test_counts_that_lie(void)
{
	static const uint64_t lies[] = {
		UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 8 + 2, 1ULL << 61, 3,
	};
	static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x401000 };
	size_t i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		b.size = 0;
		put_sample(&b, 0, 1, 1, 1, 1, 1, chain, 2);
		/* The count is three words from the end. */
		memcpy(b.data + b.size - 24, &lies[i], 8);
		bad += decode() == RECORD_BAD;
	}
	check_number(bad, ARRAY_SIZE(lies), "chains longer than their records are bad");
}

static void test_read_without_group(void)
{
	struct perf_event_attr *attr = &events.events[0].attr;
	struct read_value value;

	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			    PERF_FORMAT_ID | PERF_FORMAT_LOST;
	start(PERF_RECORD_READ, 0);
	put32(&b, 8);
	put32(&b, 9);
	put64(&b, 1234);
	put64(&b, 100);
	put64(&b, 50);
	put64(&b, 1);
	put64(&b, 7);
	check(finished(), "READ with times, id and losses is decoded");
	read_values_get(&record.read.values, 0, &value);
	check(value.value == 1234 && value.id == 1 && value.lost == 7 &&
	      record.read.values.time_enabled == 100 && record.read.values.time_running == 50,
	      "value, id, losses and times are in their fields");
	attr->read_format = 0;
}

static void test_events(void)
{
	static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x401000 };
	struct perf_event_attr attr;

	simple_attr(&attr);
	event_table_add(&events, &attr);
	event_table_add_id(&events, 1, 2);
	b.size = 0;
	put_sample(&b, 0, 1, 1, 9000, 2, 1, chain, 2);
	check(decode() == RECORD_OK && record.event == 1, "a sample's id gives its event");
	check_number(record_time(&events, (void *)b.data), 9000,
		     "a sample's time is read without decoding");
	b.size = 0;
	put_sample(&b, 0, 1, 1, 9000, 3, 1, chain, 2);
	check(decode() == RECORD_STRAY, "a sample of an unknown event is a stray");
	b.size = 0;
	put_comm(&b, 5, 6, "name", 0, 8000, 0);
	check(decode() == RECORD_OK && record.event == 0,
	      "a side-band record without id is of the first event");
	check_number(record_time(&events, (void *)b.data), 8000,
		     "a side-band record's time is read without decoding");
}

/* The names in perf; the numbers are those of <linux/perf_event.h>. */
static void test_names(void)
{
	static const struct {
		unsigned int type, config;
		const char *name;
	} named[] = {
		{ 0, 0, "cycles" }, { 0, 1, "instructions" }, { 0, 4, "branches" },
		{ 0, 7, "stalled-cycles-frontend" }, { 0, 9, "ref-cycles" },
		{ 0, 10, "type 0 config 0xa" }, { 1, 0, "cpu-clock" }, { 1, 2, "page-faults" },
		{ 1, 3, "context-switches" }, { 1, 6, "major-faults" }, { 1, 9, "dummy" },
		{ 1, 10, "bpf-output" }, { 1, 11, "cgroup-switches" },
		{ 1, 12, "type 1 config 0xc" }, { 4, 0x1a8, "type 4 config 0x1a8" },
	};
	struct event_table table = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(named); i++) {
		struct perf_event_attr attr = { .type = named[i].type, .config = named[i].config };

		event_table_add(&table, &attr);
		check_string(table.events[i].name, named[i].name,
			     "an event without a name has its usual name");
	}
	event_table_free(&table);
}

int main(void)
{
	struct perf_event_attr attr;

	simple_attr(&attr);
	event_table_add(&events, &attr);
	event_table_add_id(&events, 0, 1);
	test_mmap();
	test_munmap();
	test_tasks();
	test_others();
	test_large_group();
	test_full_sample();
	test_branches();
	test_counts_that_lie();
	test_read_without_group();
	test_events();
	test_names();
	event_table_free(&events);
	return unit_finish();
}
