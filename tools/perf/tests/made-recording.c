// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a recording from lines on standard input, for tests in shell:
 *
 *	event BRANCH_SAMPLE_TYPE		kind of branch records (any); 0: none
 *	chains					samples have call chains
 *	off-cpu					time off the CPU; samples have reason=
 *	depth N					number of branch registers of the PMU
 *	arch NAME				architecture of the machine
 *	cpus N					number of CPUs of the machine
 *	registers USER INTR			masks of registers in samples
 *	comm PID NAME [TIME]			PID executes a program, and is named NAME
 *	name PID NAME TIME			PID gives itself a name
 *	fork PID PARENT TIME			PARENT creates PID
 *	exit PID PARENT TIME			PID exits
 *	mmap PID START SIZE OFFSET FILE		code is mapped; PID -1 is the kernel
 *	cgroup ID PATH				a group; later samples have cgroup=
 *	lost N					a LOST record
 *	lost-samples N				a LOST_SAMPLES record
 *	switch PID TIME in|out|preempt [OTHER]	PID gets or leaves a CPU; OTHER, as seen on a CPU,
 *						is the task before or after it
 *	deferred PID TIME COOKIE ADDR,...	the rest of the chains that end with COOKIE
 *	sample PID TIME IP [chain=ADDR,...] [idx=N] [nr=N] [regs=VALUE,...] [cgroup=ID]
 *		[cpu=N] [period=N] [reason=N] [BRANCH...]
 *
 * BRANCH is FROM>TO[:FLAGS], the youngest first. FLAGS are the letters M, P, X and A of perf
 * script, a number of cycles, and t, s, n and p with a number: type, speculation, new_type and
 * privilege: "M12t2".
 * nr= overrides the number of branches in the record; regs= has the values of all registers, those
 * of USER first. The mode of a sample follows from IP. Numbers are written as in C.
 */
#include <stdbool.h>
#include <stddef.h>

#include "../../lib/perf_counter/names.h"
#include "made_records.h"

#define HW_INDEX (1ULL << 17)

static struct perf_event_attr attr;
static struct bytes records;
static uint64_t depth;
static uint64_t cpus;
static char arch[16];

static uint64_t number(const char *text, char **end)
{
	return strtoull(text, end, 0);
}

static uint64_t next_number(void)
{
	const char *word = strtok(NULL, "\n ");

	return word ? number(word, NULL) : 0;
}

static uint64_t parse_flags(char *at)
{
	uint64_t flags = 0;

	while (*at) {
		switch (*at++) {
		case 'M':
			flags |= 1;
			break;
		case 'P':
			flags |= 2;
			break;
		case 'X':
			flags |= 4;
			break;
		case 'A':
			flags |= 8;
			break;
		case 't':
			flags |= number(at, &at) << 20;
			break;
		case 's':
			flags |= number(at, &at) << 24;
			break;
		case 'n':
			flags |= number(at, &at) << 26;
			break;
		case 'p':
			flags |= number(at, &at) << 30;
			break;
		default:
			flags |= number(at - 1, &at) << 4;
			break;
		}
	}
	return flags;
}

static uint64_t take_list(char *list, uint64_t numbers[1024])
{
	uint64_t nr = 0;

	while (list && *list) {
		numbers[nr++] = number(list, &list);
		list += *list == ',';
	}
	return nr;
}

static void put_chain(char *list)
{
	uint64_t addrs[1024], nr = take_list(list, addrs), i;

	put64(&records, nr);
	for (i = 0; i < nr; i++)
		put64(&records, addrs[i]);
}

static void put_branches(char **words, uint64_t nr, uint64_t said, uint64_t idx)
{
	uint64_t i;

	put64(&records, said);
	if (attr.branch_sample_type & HW_INDEX)
		put64(&records, idx);
	for (i = 0; i < nr; i++) {
		char *at = words[i];

		put64(&records, number(at, &at));
		put64(&records, number(at + 1, &at));
		put64(&records, *at == ':' ? parse_flags(at + 1) : 0);
	}
}

/* Put the registers of a mask, after the ABI of a 64-bit program. Return: the values left. */
static const uint64_t *put_registers(uint64_t mask, const uint64_t *values)
{
	if (!mask)
		return values;
	put64(&records, PERF_SAMPLE_REGS_ABI_64);
	for (; mask; mask &= mask - 1)
		put64(&records, *values++);
	return values;
}

static void take_sample(void)
{
	uint32_t pid = next_number();
	uint64_t time = next_number(), ip = next_number(), nr = 0, idx = -1, cgroup = 0, cpu = 0;
	uint64_t period = 1000, reason = 0;
	char *words[256], *word, *chain = NULL, *said = NULL, *list = NULL;
	uint64_t registers[1024] = { 0 };

	while ((word = strtok(NULL, "\n "))) {
		if (!strncmp(word, "chain=", 6))
			chain = word + 6;
		else if (!strncmp(word, "idx=", 4))
			idx = number(word + 4, NULL);
		else if (!strncmp(word, "nr=", 3))
			said = word + 3;
		else if (!strncmp(word, "regs=", 5))
			list = word + 5;
		else if (!strncmp(word, "cgroup=", 7))
			cgroup = number(word + 7, NULL);
		else if (!strncmp(word, "cpu=", 4))
			cpu = number(word + 4, NULL);
		else if (!strncmp(word, "period=", 7))
			period = number(word + 7, NULL);
		else if (!strncmp(word, "reason=", 7))
			reason = number(word + 7, NULL);
		else
			words[nr++] = word;
	}
	begin(&records, PERF_RECORD_SAMPLE,
	      ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	put64(&records, 1);
	put64(&records, ip);
	put32(&records, pid);
	put32(&records, pid);
	put64(&records, time);
	put32(&records, cpu);
	put32(&records, 0);
	put64(&records, period);
	if (attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		put_chain(chain);
	if (attr.sample_type & PERF_SAMPLE_RAW) {
		put32(&records, sizeof(uint32_t));
		put32(&records, reason);
	}
	if (attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(words, nr, said ? number(said, NULL) : nr, idx);
	take_list(list, registers);
	put_registers(attr.sample_regs_intr, put_registers(attr.sample_regs_user, registers));
	if (attr.sample_type & PERF_SAMPLE_CGROUP)
		put64(&records, cgroup);
	end(&records);
}

static void take_mmap(void)
{
	uint32_t pid = next_number();
	uint64_t start = next_number(), size = next_number(), offset = next_number();
	const char *file = strtok(NULL, "\n ");

	if (pid == UINT32_MAX)
		put_mmap(&records, PERF_RECORD_MISC_KERNEL, pid, start, size, offset, file, 0, 1);
	else
		put_mmap2(&records, pid, start, size, offset, file, 0, 1);
}

static void take_comm(void)
{
	uint32_t pid = next_number();
	const char *name = strtok(NULL, "\n ");

	put_comm(&records, pid, pid, name, PERF_RECORD_MISC_COMM_EXEC, next_number(), 1);
}

static void take_name(void)
{
	uint32_t pid = next_number();
	const char *name = strtok(NULL, "\n ");

	put_comm(&records, pid, pid, name, 0, next_number(), 1);
}

static void take_task(uint32_t type)
{
	uint32_t pid = next_number(), parent = next_number();

	put_task(&records, type, pid, parent, pid, parent, next_number(), 1);
}

static void take_cgroup(void)
{
	uint64_t id = next_number();

	attr.sample_type |= PERF_SAMPLE_CGROUP;
	begin(&records, PERF_RECORD_CGROUP, 0);
	put64(&records, id);
	put_string(&records, strtok(NULL, "\n "));
	put_id(&records, 0, 0, 0, 1);
	end(&records);
}

/* A record of type 22, CALLCHAIN_DEFERRED: a cookie and a chain. */
static void take_deferred(void)
{
	uint32_t pid = next_number();
	uint64_t time = next_number(), bits;

	memcpy(&bits, (char *)&attr + 40, sizeof(bits));
	bits |= 3ULL << 38;	/* defer_callchain, defer_output */
	memcpy((char *)&attr + 40, &bits, sizeof(bits));
	begin(&records, 22, PERF_RECORD_MISC_USER);
	put64(&records, next_number());
	put_chain(strtok(NULL, "\n "));
	put_id(&records, pid, pid, time, 1);
	end(&records);
}

static void take_switch(void)
{
	uint32_t pid = next_number();
	uint64_t time = next_number();
	const char *way = strtok(NULL, "\n "), *other = strtok(NULL, "\n ");
	uint16_t misc = 0;

	attr.context_switch = 1;
	if (strcmp(way, "in"))
		misc = PERF_RECORD_MISC_SWITCH_OUT;
	if (!strcmp(way, "preempt"))
		misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	begin(&records, other ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH, misc);
	if (other) {
		put32(&records, number(other, NULL));
		put32(&records, number(other, NULL));
	}
	put_id(&records, pid, pid, time, 1);
	end(&records);
}

static void take_registers(void)
{
	attr.sample_regs_user = next_number();
	if (attr.sample_regs_user)
		attr.sample_type |= PERF_SAMPLE_REGS_USER;
	attr.sample_regs_intr = next_number();
	if (attr.sample_regs_intr)
		attr.sample_type |= PERF_SAMPLE_REGS_INTR;
}

static void take_line(char *line)
{
	const char *what = strtok(line, "\n ");

	if (!what)
		return;
	if (!strcmp(what, "event")) {
		attr.branch_sample_type = next_number();
		if (!attr.branch_sample_type)
			attr.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	} else if (!strcmp(what, "chains")) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	} else if (!strcmp(what, "off-cpu")) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = EVENT_SW_OFF_CPU;
		attr.sample_type |= PERF_SAMPLE_RAW;
	} else if (!strcmp(what, "depth")) {
		depth = next_number();
	} else if (!strcmp(what, "cpus")) {
		cpus = next_number();
	} else if (!strcmp(what, "arch")) {
		snprintf(arch, sizeof(arch), "%s", strtok(NULL, "\n "));
	} else if (!strcmp(what, "registers")) {
		take_registers();
	} else if (!strcmp(what, "comm")) {
		take_comm();
	} else if (!strcmp(what, "name")) {
		take_name();
	} else if (!strcmp(what, "fork")) {
		take_task(PERF_RECORD_FORK);
	} else if (!strcmp(what, "exit")) {
		take_task(PERF_RECORD_EXIT);
	} else if (!strcmp(what, "mmap")) {
		take_mmap();
	} else if (!strcmp(what, "cgroup")) {
		take_cgroup();
	} else if (!strcmp(what, "lost")) {
		put_lost(&records, next_number(), 0, 1);
	} else if (!strcmp(what, "lost-samples")) {
		put_lost_samples(&records, next_number(), 0, 1);
	} else if (!strcmp(what, "switch")) {
		take_switch();
	} else if (!strcmp(what, "deferred")) {
		take_deferred();
	} else if (!strcmp(what, "sample")) {
		take_sample();
	} else {
		fprintf(stderr, "made-recording: '%s' is not a kind of line\n", what);
		exit(1);
	}
}

/* Put a feature that is a string, padded with zeros. */
static void put_feature_string(struct bytes *b, const char *text)
{
	char padded[16] = "";

	snprintf(padded, sizeof(padded), "%s", text);
	put32(b, sizeof(padded));
	put(b, padded, sizeof(padded));
}

#define STRING_SIZE (4 + 16)

/* Put offset and size of a feature. Return: the offset of the next one. */
static uint64_t put_section(struct bytes *b, uint64_t at, uint64_t size)
{
	put64(b, at);
	put64(b, size);
	return at + size;
}

/* Put the features ARCH, NRCPUS, BRANCH_STACK (only a bit) and CPU_PMU_CAPS. */
static void put_features(struct bytes *file)
{
	uint64_t at = file->size + 16 * (1 + !!*arch + !!cpus + !!depth);
	char text[24];

	if (*arch)
		at = put_section(file, at, STRING_SIZE);
	if (cpus)
		at = put_section(file, at, 8);
	at = put_section(file, at, 0);
	if (depth)
		put_section(file, at, 4 + 2 * STRING_SIZE);
	if (*arch)
		put_feature_string(file, arch);
	if (cpus) {
		put32(file, cpus);
		put32(file, cpus);
	}
	if (!depth)
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)depth);
	put32(file, 1);
	put_feature_string(file, "branches");
	put_feature_string(file, text);
}

int main(void)
{
	static struct bytes file;
	uint64_t front = 104, attr_size = 128;
	char line[16384];

	simple_attr(&attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	attr.size = attr_size;
	while (fgets(line, sizeof(line), stdin))
		take_line(line);

	put(&file, "PERFILE2", 8);
	put64(&file, front);
	put64(&file, attr_size + 16);
	put64(&file, front + 8);		/* attrs; an id is before them */
	put64(&file, attr_size + 16);
	put64(&file, front + 8 + attr_size + 16);	/* records */
	put64(&file, records.size);
	put64(&file, 0);			/* event types */
	put64(&file, 0);
	put64(&file, (uint64_t)!!*arch << 6 | (uint64_t)!!cpus << 7 | 1ULL << 15 |
	      (uint64_t)!!depth << 28);
	while (file.size < front)
		put64(&file, 0);
	put64(&file, 1);
	put(&file, &attr, attr_size);
	put64(&file, front);
	put64(&file, 8);
	put(&file, records.data, records.size);
	put_features(&file);
	return fwrite(file.data, file.size, 1, stdout) != 1;
}
