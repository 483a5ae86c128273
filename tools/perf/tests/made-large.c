// SPDX-License-Identifier: GPL-2.0
/*
 * Makes large recordings, for measurements of the tool. Equal arguments make equal recordings.
 *
 *	made-large [NAME=VALUE...] >perf.data
 *
 *	kind=calls		samples of cycles with call chains; the default
 *	kind=switches		switches and wake-ups of tasks
 *	kind=syscalls		begins and returns of system calls
 *	samples=100000		number of samples
 *	chains=1000		number of different call chains
 *	depth=30		number of addresses of a call chain
 *	processes=10		number of processes, of which 1024 live at one time
 *	cpus=4			number of CPUs
 *	addresses=4096		number of different addresses of code; they follow calls, if the
 *				program has so many
 *	seed=1			start of the random numbers
 *	file=/proc/self/exe	program of the processes; the addresses are in its code
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "../util/macros.h"
#include "made_formats.h"

#define LIVE_MAX 1024
#define SAMPLES_PER_ROUND 1024
#define FIRST_PID 1000
#define FIRST_TIME 1000000000ULL
#define STEP 1000		/* ns from a sample to the next one of the machine */
#define IDS 2			/* events of a recording of tracepoints */

enum kind { CALLS, SWITCHES, SYSCALLS };

static const char *const kinds[] = { "calls", "switches", "syscalls" };

static enum kind kind;
static uint64_t samples = 100000, chains = 1000, depth = 30, processes = 10, cpus = 4;
static uint64_t addresses = 4096, seed = 1;
static const char *file = "/proc/self/exe";

static struct bytes record;
static uint64_t written;	/* bytes of records */
static uint64_t text_start, text_size, text_offset;
static uint64_t *codes;
static uint8_t *text;	/* the code of the program */
static uint64_t *frames;	/* chains, @depth addresses each, the innermost first */

static uint64_t random_below(uint64_t bound)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) % bound;
}

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "made-large: %s %s\n", what, name);
	exit(1);
}

static void *room_for(uint64_t nr, size_t size)
{
	void *room = calloc(nr, size);

	if (!room)
		fail("no memory for", "the chains");
	return room;
}

static void flush(void)
{
	if (fwrite(record.data, record.size, 1, stdout) != 1)
		fail("cannot write", "the recording");
	written += record.size;
	record.size = 0;
}

/* Find the code of the program: its executable segment. */
static void find_text(void)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	int i, fd = open(file, O_RDONLY);

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != sizeof(header))
		fail("cannot read", file);
	for (i = 0; i < header.e_phnum && !text_size; i++) {
		if (pread(fd, &segment, sizeof(segment), header.e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			fail("cannot read", file);
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		text_offset = segment.p_offset & ~4095ULL;
		text_start = 0x400000 + text_offset;
		text_size = segment.p_filesz;
	}
	if (!text_size)
		fail("no code in", file);
	text = room_for(text_size, 1);
	if (pread(fd, text, text_size, text_offset) != (ssize_t)text_size)
		fail("cannot read", file);
	close(fd);
}

/*
 * Return whether the instruction before an offset in the code is a call of x86-64 with a
 * displacement of 32 bits to code of the file. perf report shows no caller that does not call.
 */
static bool is_behind_call(uint64_t offset)
{
	int32_t displacement;

	if (offset < 5 || text[offset - 5] != 0xe8)
		return false;
	memcpy(&displacement, text + offset - 4, sizeof(displacement));
	return offset + displacement < text_size;
}

/* Choose the addresses of the chains. */
static void choose_codes(void)
{
	uint64_t *calls = room_for(text_size, sizeof(*calls)), nr_calls = 0, i;

	for (i = 0; i < text_size; i++) {
		if (is_behind_call(i))
			calls[nr_calls++] = i;
	}
	codes = room_for(addresses, sizeof(*codes));
	for (i = 0; i < addresses; i++)
		codes[i] = text_start + (nr_calls < addresses ? random_below(text_size) :
								calls[random_below(nr_calls)]);
	free(calls);
}

/*
 * Make the chains as a tree: each chain shares its outer addresses with an earlier one, and has own
 * inner ones.
 */
static void make_chains(void)
{
	uint64_t i, at, own;

	choose_codes();
	frames = room_for(chains * depth, sizeof(*frames));
	for (i = 0; i < chains; i++) {
		own = i ? 1 + random_below(depth) : depth;
		if (i)
			memcpy(frames + i * depth, frames + random_below(i) * depth,
			       depth * sizeof(*frames));
		for (at = 0; at < own; at++)
			frames[i * depth + at] = codes[random_below(addresses)];
	}
}

/* Choose a chain. Those with small numbers are frequent, but each one occurs if samples suffice. */
static const uint64_t *next_chain(uint64_t sample)
{
	uint64_t a = random_below(chains), b = random_below(chains);

	if (sample < chains)
		return frames + sample * depth;
	return frames + (a < b ? a : b) * depth;
}

static void begin_sample(uint64_t id, uint64_t ip, uint32_t pid, uint64_t time, uint32_t cpu)
{
	begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(&record, id);
	put64(&record, ip);
	put32(&record, pid);
	put32(&record, pid);
	put64(&record, time);
	put32(&record, cpu);
	put32(&record, 0);
	put64(&record, 1000 + random_below(1000));
}

static void put_calls(uint64_t sample, uint32_t pid, uint64_t time, uint32_t cpu)
{
	const uint64_t *chain = next_chain(sample);

	begin_sample(1, chain[0], pid, time, cpu);
	put64(&record, depth + 1);
	put64(&record, PERF_CONTEXT_USER);
	put(&record, chain, depth * sizeof(*chain));
	end(&record);
}

/* Put the raw data of a tracepoint: the common fields, then @size bytes. */
static void put_raw(uint16_t id, int32_t pid, const void *data, uint32_t size)
{
	static const char zeros[8];
	uint32_t whole = (4 + 8 + size + 7) / 8 * 8 - 4;

	put32(&record, whole);
	put16(&record, id);
	put16(&record, 0);
	put32(&record, pid);
	put(&record, data, size);
	put(&record, zeros, whole - 8 - size);
	end(&record);
}

static void name_of(uint32_t pid, char name[16])
{
	memset(name, 0, 16);
	snprintf(name, 16, "worker-%u", pid % 8);
}

static const char switch_format[] =
	"name: sched_switch\nID: 301\nformat:\n" COMMON_FIELDS
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_pid=%d next_pid=%d\", REC->prev_pid, REC->next_pid\n";

static const char wakeup_format[] =
	"name: sched_wakeup\nID: 302\nformat:\n" COMMON_FIELDS
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"pid=%d target_cpu=%03d\", REC->pid, REC->target_cpu\n";

struct task {
	char comm[16];
	int32_t pid;
	int32_t prio;
};

struct switch_data {
	struct task prev;
	int64_t prev_state;
	struct task next;
};

struct wakeup_data {
	struct task task;
	int32_t cpu;
};

static struct task task_of(int32_t pid)
{
	struct task task = { .pid = pid, .prio = 120 };

	name_of(pid, task.comm);
	return task;
}

/*
 * Put a wake-up of another task, or the switch to the task that was woken up. @turn is the number
 * of earlier samples of the CPU. The tasks of a CPU run one after another.
 */
static void put_switch(uint64_t turn, uint64_t time, uint32_t cpu)
{
	uint64_t tasks = processes / cpus > 1 ? processes / cpus : 2;
	uint64_t now = turn / 2;
	struct task prev = task_of(FIRST_PID + cpu + now % tasks * cpus);
	struct task next = task_of(FIRST_PID + cpu + (now + 1) % tasks * cpus);
	struct switch_data data = { prev, 1, next };
	struct wakeup_data wakeup = { next, cpu };

	begin_sample(turn % 2 ? 1 : 2, text_start, prev.pid, time, cpu);
	if (turn % 2)
		put_raw(301, prev.pid, &data, sizeof(data));
	else
		put_raw(302, prev.pid, &wakeup, sizeof(wakeup));
}

static const char enter_format[] =
	"name: sys_enter\nID: 401\nformat:\n" COMMON_FIELDS
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
	"print fmt: \"NR %ld (%lx, %lx)\", REC->id, REC->args[0], REC->args[1]\n";

static const char exit_format[] =
	"name: sys_exit\nID: 402\nformat:\n" COMMON_FIELDS
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
	"print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n";

/* Put the start of a system call, or its return; system calls have the numbers 0 to 7. */
static void put_syscall(uint64_t turn, uint64_t time, uint32_t cpu)
{
	uint64_t tasks = processes / cpus > 1 ? processes / cpus : 1;
	uint64_t call = turn / 2;
	int32_t pid = FIRST_PID + cpu + call % tasks * cpus;
	int64_t enter[7] = { call * 7 % 8, 3, 0x1000, 4096 }, leave[2] = { call * 7 % 8, 16 };

	begin_sample(1 + turn % 2, text_start, pid, time, cpu);
	if (turn % 2)
		put_raw(402, pid, leave, sizeof(leave));
	else
		put_raw(401, pid, enter, sizeof(enter));
}

static void start_process(uint64_t number, uint64_t time)
{
	uint32_t pid = FIRST_PID + number;
	char name[16];

	name_of(pid, name);
	put_task(&record, PERF_RECORD_FORK, pid, 1, pid, 1, time, 1);
	put_comm(&record, pid, pid, name, PERF_RECORD_MISC_COMM_EXEC, time, 1);
	put_mmap2(&record, pid, text_start, (text_size + 4095) & ~4095ULL, text_offset, file, time,
		  1);
	if (kind == CALLS && number >= LIVE_MAX)
		put_task(&record, PERF_RECORD_EXIT, pid - LIVE_MAX, 1, pid - LIVE_MAX, 1, time, 1);
	flush();
}

/*
 * Start the processes of a round, whose last sample is @last. Return: the number of processes that
 * have started.
 */
static uint64_t start_processes(uint64_t started, uint64_t last, uint64_t time)
{
	uint64_t due = kind == CALLS ? 1 + last * processes / samples : processes;

	while (started < due && started < processes)
		start_process(started++, time);
	return started;
}

static void put_one(uint64_t sample, uint64_t started, uint64_t time, uint32_t cpu,
		    uint64_t turn)
{
	uint64_t live = started < LIVE_MAX ? started : LIVE_MAX;

	switch (kind) {
	case CALLS:
		put_calls(sample, FIRST_PID + started - 1 - random_below(live), time, cpu);
		break;
	case SWITCHES:
		put_switch(turn, time, cpu);
		break;
	case SYSCALLS:
		put_syscall(turn, time, cpu);
		break;
	}
	flush();
}

/* Put all samples. A round has the samples of one CPU after those of another. */
static void put_rounds(void)
{
	uint64_t first, i, started = 0, nr, time = FIRST_TIME;
	uint64_t *turns = room_for(cpus, sizeof(*turns));
	uint32_t *cpu_of = room_for(SAMPLES_PER_ROUND, sizeof(*cpu_of)), cpu;

	for (first = 0; first < samples; first += nr) {
		nr = samples - first < SAMPLES_PER_ROUND ? samples - first : SAMPLES_PER_ROUND;
		started = start_processes(started, first + nr - 1, time);
		time += STEP;
		for (i = 0; i < nr; i++)
			cpu_of[i] = random_below(cpus);
		for (cpu = 0; cpu < cpus; cpu++) {
			for (i = 0; i < nr; i++) {
				if (cpu_of[i] == cpu)
					put_one(first + i, started, time + i * STEP, cpu,
						turns[cpu]++);
			}
		}
		time += nr * STEP;
		begin(&record, 68, 0);		/* FINISHED_ROUND */
		end(&record);
		flush();
	}
	free(cpu_of);
	free(turns);
}

static void make_attr(uint64_t event, struct perf_event_attr *attr)
{
	simple_attr(attr);
	attr->type = PERF_TYPE_HARDWARE;
	attr->config = PERF_COUNT_HW_CPU_CYCLES;
	attr->comm_exec = 1;
	if (kind == CALLS)
		return;
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = (kind == SWITCHES ? 301 : 401) + event;
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	attr->sample_type |= PERF_SAMPLE_RAW;
}

static uint64_t nr_events(void)
{
	return kind == CALLS ? 1 : IDS;
}

#define HEADER_SIZE 104
#define ATTR_SIZE (sizeof(struct perf_event_attr) + 16)

/* Put the header, for @records bytes of records. */
static void put_header(struct bytes *b, uint64_t records)
{
	uint64_t nr = nr_events(), i, attrs = HEADER_SIZE + 8 * nr;
	struct perf_event_attr attr;

	put(b, "PERFILE2", 8);
	put64(b, HEADER_SIZE);
	put64(b, ATTR_SIZE);
	put64(b, attrs);
	put64(b, nr * ATTR_SIZE);
	put64(b, attrs + nr * ATTR_SIZE);
	put64(b, records);
	put64(b, 0);		/* event types */
	put64(b, 0);
	put64(b, 1ULL << 6 | 1ULL << 7 | 1ULL << 12 | (kind == CALLS ? 0 : 1ULL << 1));
	while (b->size < HEADER_SIZE)
		put64(b, 0);
	for (i = 0; i < nr; i++)
		put64(b, 1 + i);
	for (i = 0; i < nr; i++) {
		make_attr(i, &attr);
		put(b, &attr, sizeof(attr));
		put64(b, HEADER_SIZE + 8 * i);
		put64(b, 8);
	}
}

/*
 * Put a feature's place, which is after the records and the @nr places. Return: the end of the
 * feature.
 */
static uint64_t put_place(struct bytes *b, uint64_t at, uint64_t size)
{
	put64(b, at);
	put64(b, size);
	return at + size;
}

#define NAME_SIZE 64

/* Put the attributes, names and ids of the events. */
static void put_events(struct bytes *b)
{
	static const char *const names[][IDS] = {
		[CALLS] = { "cycles" },
		[SWITCHES] = { "sched:sched_switch", "sched:sched_wakeup" },
		[SYSCALLS] = { "raw_syscalls:sys_enter", "raw_syscalls:sys_exit" },
	};
	struct perf_event_attr attr;
	char name[NAME_SIZE];
	uint64_t i;

	put32(b, nr_events());
	put32(b, sizeof(attr));
	for (i = 0; i < nr_events(); i++) {
		make_attr(i, &attr);
		memset(name, 0, sizeof(name));
		snprintf(name, sizeof(name), "%s", names[kind][i]);
		put(b, &attr, sizeof(attr));
		put32(b, 1);
		put32(b, sizeof(name));
		put(b, name, sizeof(name));
		put64(b, 1 + i);
	}
}

/* Put the features TRACING_DATA, ARCH, NRCPUS and EVENT_DESC after @end bytes of the file. */
static void put_features(struct bytes *b, uint64_t end)
{
	static const char *const switches[] = { switch_format, wakeup_format };
	static const char *const syscalls[] = { enter_format, exit_format };
	static struct bytes formats, events;
	char arch[16] = "x86_64";
	uint64_t at;

	if (kind == SWITCHES)
		put_formats(&formats, "sched", switches, 2);
	else if (kind == SYSCALLS)
		put_formats(&formats, "raw_syscalls", syscalls, 2);
	put_events(&events);
	at = end + 16 * (3 + !!formats.size);
	if (formats.size)
		at = put_place(b, at, formats.size);
	at = put_place(b, at, 4 + sizeof(arch));
	at = put_place(b, at, 8);
	put_place(b, at, events.size);
	put(b, formats.data, formats.size);
	put32(b, sizeof(arch));
	put(b, arch, sizeof(arch));
	put32(b, cpus);
	put32(b, cpus);
	put(b, events.data, events.size);
}

static uint64_t *number_called(const char *name, size_t length)
{
	static const struct {
		const char *name;
		uint64_t *number;
	} numbers[] = {
		{ "samples", &samples }, { "chains", &chains }, { "depth", &depth },
		{ "processes", &processes }, { "cpus", &cpus }, { "addresses", &addresses },
		{ "seed", &seed },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strlen(numbers[i].name) == length && !strncmp(numbers[i].name, name, length))
			return numbers[i].number;
	}
	return NULL;
}

static void take_argument(const char *argument)
{
	const char *value = strchr(argument, '=');
	uint64_t *number = value ? number_called(argument, value - argument) : NULL;
	size_t i;

	if (number) {
		*number = strtoull(value + 1, NULL, 0);
		if (!*number)
			fail("must be at least 1:", argument);
		return;
	}
	if (!strncmp(argument, "file=", 5)) {
		file = value + 1;
		return;
	}
	for (i = 0; value && i < ARRAY_SIZE(kinds); i++) {
		if (!strncmp(argument, "kind=", 5) && !strcmp(value + 1, kinds[i])) {
			kind = i;
			return;
		}
	}
	fail("unknown argument", argument);
}

int main(int argc, char **argv)
{
	static struct bytes file_end;
	uint64_t start;
	int i;

	for (i = 1; i < argc; i++)
		take_argument(argv[i]);
	if (depth > 1000)
		fail("must be at most 1000:", "depth");
	find_text();
	make_chains();
	/* The size of the records is known at the end, and is written then. */
	put_header(&record, 0);
	flush();
	start = written;
	put_rounds();
	put_features(&file_end, written);
	if (fwrite(file_end.data, file_end.size, 1, stdout) != 1 || fflush(stdout))
		fail("cannot write", "the recording");
	put_header(&record, written - start);
	if (pwrite(STDOUT_FILENO, record.data, record.size, 0) != (ssize_t)record.size)
		fail("cannot write", "the recording: give a regular file");
	free(frames);
	free(codes);
	return 0;
}
