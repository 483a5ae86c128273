// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the same calls of perf_event_open(), and the same calls on its descriptors, twice: once
 * served by perf_events and once, with kernel.perf_counter_compat, by perf_counter. The answers
 * must be the same.
 *
 *	oracle [-b] [-s SEED] [-n CASES] [-v]
 *
 * A case is a plan of up to three events and the operations on them. It is generated from a
 * number, so that "-s NUMBER -n 1" repeats it, and -v prints it. With -b half of the events
 * want branch records, for a machine that has them. Differences that the table of
 * Documentation/perf_counter/abi.rst describes are in known[]. Prints TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define EVENTS		3
#define STEPS		14
#define NOTES		400
#define PAGES_MAX	16

static const char compat_path[] = "/proc/sys/kernel/perf_counter_compat";

/* === Tracepoints === */

/* Tracepoints that work() raises, except the last two; their ids are read from tracefs. */
static struct {
	const char *name;
	uint64_t id;
} tracepoints[] = {
	{ "task/task_rename", 0 },
	{ "raw_syscalls/sys_enter", 0 },
	{ "syscalls/sys_exit_munmap", 0 },
	{ "sched/sched_switch", 0 },
	{ "sched/sched_stat_runtime", 0 },
};

static void read_tracepoints(void)
{
	static const char tracefs[] = "/sys/kernel/tracing";
	unsigned long long id;
	char path[100];
	size_t i;
	FILE *f;

	if (mount("tracefs", tracefs, "tracefs", 0, NULL) && errno != EBUSY)
		return;
	for (i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		snprintf(path, sizeof(path), "%s/events/%s/id", tracefs, tracepoints[i].name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fscanf(f, "%llu", &id) == 1)
			tracepoints[i].id = id;
		fclose(f);
	}
}

/*
 * Count every tracepoint in both subsystems all the time. The first and the last counter of
 * a tracepoint change the kernel's code, which takes an emulator longer than all the rest
 * of a case.
 */
static void hold_tracepoints(int sysctl, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .disabled = 1,
	};
	int compat;
	size_t i;

	for (compat = 0; compat < 2; compat++) {
		if (pwrite(sysctl, compat ? "1" : "0", 1, 0) != 1)
			return;
		for (i = 0; i < ARRAY_SIZE(tracepoints); i++) {
			attr.config = tracepoints[i].id;
			syscall(__NR_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
		}
	}
}

static bool is_rename(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT && attr->config == tracepoints[0].id;
}

static bool has_branches(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* === Random numbers === */

static uint64_t state;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL >> 16;
}

/* Set each bit once in 2^@halvings times. */
static uint64_t few_bits(int halvings)
{
	uint64_t bits = rnd();

	while (--halvings)
		bits &= rnd();
	return bits;
}

static unsigned int below(unsigned int n)
{
	return rnd() % n;
}

/* Return true once in n times. */
static bool rarely(unsigned int n)
{
	return !below(n);
}

/* === Plans === */

enum what {
	READ, READ_SHORT, POLL, WORK, RECORDS, MAP, UNMAP,
	ENABLE, DISABLE, RESET, REFRESH, PERIOD, SET_OUTPUT, SET_FILTER, ID, SET_BPF, PAUSE,
	QUERY_BPF, MODIFY, UNKNOWN_IOCTL,
	NR_WHAT
};

static const char *const what_names[] = {
	"read", "read of too few bytes", "poll", "work", "records", "mmap", "munmap",
	"ENABLE", "DISABLE", "RESET", "REFRESH", "PERIOD", "SET_OUTPUT", "SET_FILTER", "ID",
	"SET_BPF", "PAUSE_OUTPUT", "QUERY_BPF", "MODIFY_ATTRIBUTES", "an unknown ioctl",
};

struct event {
	struct perf_event_attr attr;
	int pid;			/* -2: the child */
	int cpu;
	int group;			/* index, or -1 */
	unsigned long flags;
};

struct step {
	enum what what;
	int who;
	uint64_t argument;
	int prot;
};

struct plan {
	int nr_events;
	struct event events[EVENTS];
	int nr_steps;
	struct step steps[STEPS];
	bool exact;			/* records come only from steps of the plan */
};

/* True if half of the events want branch records. */
static bool with_branches;

static void plan_attr(struct perf_event_attr *attr, bool hardware)
{
	static const uint8_t software[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS,
		PERF_COUNT_SW_PAGE_FAULTS_MIN,
		PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_BPF_OUTPUT,
		PERF_COUNT_SW_CGROUP_SWITCHES, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 30,
	};
	uint64_t *bits = (uint64_t *)((char *)attr + 40);

	memset(attr, 0, sizeof(*attr));
	attr->size = rarely(30) ? below(200) : sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = software[below(ARRAY_SIZE(software))];
	if (hardware && rarely(2)) {
		attr->type = rarely(4) ? PERF_TYPE_HW_CACHE : PERF_TYPE_HARDWARE;
		attr->config = attr->type == PERF_TYPE_HARDWARE ? below(11) :
				below(8) | below(4) << 8 | below(3) << 16;
		if (rarely(5)) {
			attr->type = PERF_TYPE_RAW;
			attr->config = rarely(3) ? 0x5100c0 : 0xc0;
			if (rarely(4))
				attr->config |= 1ULL << below(40);
		}
	}
	if (rarely(4)) {
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = tracepoints[rarely(2) ? 0 : below(ARRAY_SIZE(tracepoints))].id;
	}
	if (rarely(40))
		attr->type = below(12);
	attr->sample_type = rarely(3) ? 0 : few_bits(2) & ((1 << 17) - 1) &
			    ~(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_RAW);
	if (attr->sample_type && attr->type == PERF_TYPE_TRACEPOINT && !rarely(3))
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (rarely(15))
		attr->sample_type |= 1ULL << below(26);
	if (with_branches && rarely(2)) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = few_bits(3) & (PERF_SAMPLE_BRANCH_MAX - 1);
		if (rarely(20))
			attr->branch_sample_type ^= 1ULL << below(64);
	}
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = rarely(10) ? rnd() : 0x1ff;
	attr->read_format = rarely(20) ? rnd() & 0xff : below(32);
	*bits = rarely(2) ? 0 : few_bits(3) & ((1ULL << 38) - 1) & ~(1ULL << 27);
	attr->disabled = !rarely(3);
	attr->precise_ip = rarely(20) ? below(4) : 0;
	if (rarely(20))
		*bits ^= 1ULL << below(64);
	if (!rarely(3) && attr->config > PERF_COUNT_SW_TASK_CLOCK)
		attr->sample_period = 1 + below(5);
	if (attr->freq)
		attr->sample_freq = 1 + below(1000);
	if (rarely(40))
		attr->sample_period = rnd() | (rarely(2) ? 1ULL << 63 : 0);
	attr->wakeup_events = rarely(2) ? 0 : 1 + below(4);
	if (attr->use_clockid)
		attr->clockid = below(12);
	if (rarely(40))
		attr->config1 = 1;
	if (rarely(40))
		attr->sample_max_stack = below(200);
	if (rarely(60))
		((char *)attr)[8 + below(sizeof(*attr) - 8)] ^= 1 << below(8);
}

static void plan_event(struct plan *plan, int i, bool hardware)
{
	struct event *event = &plan->events[i];

	plan_attr(&event->attr, hardware);
	/* Most members of a group are like their leader. */
	if (i && !rarely(4)) {
		*event = plan->events[0];
		plan_attr(&event->attr, hardware);
		event->attr.inherit = plan->events[0].attr.inherit;
		event->attr.use_clockid = plan->events[0].attr.use_clockid;
		event->attr.clockid = plan->events[0].attr.clockid;
	} else {
		event->pid = rarely(6) ? -2 : rarely(20) ? -1 : 0;
		event->cpu = event->pid == -1 ? (int)below(2) : rarely(6) ? (int)below(2) : -1;
		if (rarely(40))
			event->cpu = rarely(2) ? 4000 : -3;
		if (rarely(40))
			event->pid = rarely(2) ? 4000000 : -4;
	}
	event->group = i && !rarely(3) ? 0 : -1;
	event->flags = rarely(10) ? below(16) : PERF_FLAG_FD_CLOEXEC;
}

static void make_plan(struct plan *plan, uint64_t seed, bool hardware)
{
	static const uint8_t often[] = { READ, POLL, WORK, WORK, RECORDS, MAP, ENABLE, DISABLE };
	int i;

	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	for (i = 0; i < 8; i++)
		rnd();
	memset(plan, 0, sizeof(*plan));
	plan->nr_events = rarely(2) ? 1 : 1 + below(EVENTS);
	for (i = 0; i < plan->nr_events; i++)
		plan_event(plan, i, hardware);
	plan->nr_steps = 4 + below(STEPS - 3);
	for (i = 0; i < plan->nr_steps; i++) {
		struct step *step = &plan->steps[i];

		step->what = rarely(3) ? below(NR_WHAT) : often[below(ARRAY_SIZE(often))];
		step->who = below(plan->nr_events);
		step->argument = rarely(6) ? rnd() : below(10);
		step->prot = rarely(4) ? PROT_READ : PROT_READ | PROT_WRITE;
	}
	/* Records of clocks, switches and hardware events depend on time. */
	plan->exact = true;
	for (i = 0; i < plan->nr_events; i++) {
		const struct perf_event_attr *attr = &plan->events[i].attr;

		if ((attr->type != PERF_TYPE_SOFTWARE && !is_rename(attr)) || attr->freq ||
		    attr->context_switch || plan->events[i].pid || plan->events[i].cpu != -1 ||
		    (attr->config != PERF_COUNT_SW_PAGE_FAULTS &&
		     attr->config != PERF_COUNT_SW_PAGE_FAULTS_MIN &&
		     attr->config != PERF_COUNT_SW_DUMMY && !is_rename(attr)))
			plan->exact = false;
	}
}

static void print_plan(const struct plan *plan)
{
	int i;

	for (i = 0; i < plan->nr_events; i++) {
		const struct event *e = &plan->events[i];

		printf("#   event %d: type %u config %#llx period %llu sample_type %#llx",
		       i, e->attr.type, e->attr.config, e->attr.sample_period,
		       e->attr.sample_type);
		printf(" read_format %#llx bits %#llx wakeup %u size %u",
		       e->attr.read_format, *(unsigned long long *)((char *)&e->attr + 40),
		       e->attr.wakeup_events, e->attr.size);
		if (has_branches(&e->attr))
			printf(" branches %#llx", e->attr.branch_sample_type);
		printf(" pid %d cpu %d group %d flags %#lx\n", e->pid, e->cpu, e->group,
		       e->flags);
	}
	for (i = 0; i < plan->nr_steps; i++)
		printf("#   step %d: %s of event %d, %#llx\n", i, what_names[plan->steps[i].what],
		       plan->steps[i].who, (unsigned long long)plan->steps[i].argument);
}

/* === Results === */

struct note {
	int step;			/* -1: the open of @who */
	int who;
	const char *what;
	long value;
};

struct outcome {
	int nr;
	struct note notes[NOTES];
	bool served[EVENTS];		/* the event is one of perf_counter */
};

static struct outcome theirs, ours;

static void note(struct outcome *out, int step, int who, const char *what, long value)
{
	if (out->nr < NOTES)
		out->notes[out->nr++] = (struct note){ step, who, what, value };
}

/* === Running a plan === */

struct opened {
	int fd;
	char *map;
	size_t size;
	uint64_t tail;
};

static char *fresh;
static pid_t child;
static long page;

/*
 * Do things that every task's counters record: page faults, a new name, a mapping, a child.
 */
static void work(unsigned int n)
{
	unsigned int i;
	char *text;

	for (i = 0; i < n; i++)
		__atomic_store_n(fresh + i * page, 1, __ATOMIC_RELAXED);
	madvise(fresh, 16 * page, MADV_DONTNEED);
	prctl(PR_SET_NAME, n & 1 ? "odd" : "even");
	text = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(text, page);
}

static long answer(long ret)
{
	return ret < 0 ? -errno : ret;
}

static void do_read(struct outcome *out, int i, int who, struct opened *o, size_t size)
{
	uint64_t values[64] = { 0 };
	long n = read(o->fd, values, size < sizeof(values) ? size : sizeof(values));

	note(out, i, who, "read", answer(n));
}

static void do_map(struct outcome *out, int i, int who, struct opened *o, const struct step *step)
{
	static const uint8_t sizes[] = { 0, 1, 2, 2, 3, 5, 8, 16, 9, 2 };
	size_t size = sizes[step->argument % ARRAY_SIZE(sizes)] * page +
		      (step->argument > 1ULL << 40);
	/* MAP_POPULATE: the reader's own page faults must not count. */
	int flags = (step->argument % 7 == 6 ? MAP_PRIVATE : MAP_SHARED) | MAP_POPULATE;
	char *map = mmap(NULL, size, step->prot, flags, o->fd,
			 step->argument % 11 == 9 ? page : 0);

	note(out, i, who, "mmap", map == MAP_FAILED ? -errno : 0);
	if (map == MAP_FAILED)
		return;
	if (o->map) {
		munmap(map, size);
		return;
	}
	o->map = map;
	o->size = size;
	o->tail = 0;
}

static void do_records(struct outcome *out, int i, int who, struct opened *o)
{
	struct perf_event_mmap_page *control = (void *)o->map;
	struct perf_event_header *header;
	uint64_t head;
	int nr = 0;

	if (!o->map || o->size < 2 * (size_t)page)
		return;
	head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	for (; o->tail < head && nr < 12; o->tail += header->size, nr++) {
		header = (void *)(o->map + page + o->tail % (o->size - page));
		note(out, i, who, "record type", header->type);
		note(out, i, who, "record misc", header->misc);
		note(out, i, who, "record size", header->size);
		if (!header->size)
			break;
	}
	note(out, i, who, "records end", head - o->tail);
}

static const unsigned long commands[NR_WHAT] = {
	[ENABLE]	= PERF_EVENT_IOC_ENABLE,
	[DISABLE]	= PERF_EVENT_IOC_DISABLE,
	[RESET]		= PERF_EVENT_IOC_RESET,
	[REFRESH]	= PERF_EVENT_IOC_REFRESH,
	[PERIOD]	= PERF_EVENT_IOC_PERIOD,
	[SET_OUTPUT]	= PERF_EVENT_IOC_SET_OUTPUT,
	[SET_FILTER]	= PERF_EVENT_IOC_SET_FILTER,
	[ID]		= PERF_EVENT_IOC_ID,
	[SET_BPF]	= PERF_EVENT_IOC_SET_BPF,
	[PAUSE]		= PERF_EVENT_IOC_PAUSE_OUTPUT,
	[QUERY_BPF]	= PERF_EVENT_IOC_QUERY_BPF,
	[MODIFY]	= PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
	[UNKNOWN_IOCTL]	= _IO('$', 40),
};

static void do_ioctl(struct outcome *out, int i, struct opened *opened, const struct plan *plan,
		     const struct step *step)
{
	static const char *const filters[] = {
		"pid == 1", "pid != 1", "newcomm == \"odd\"", "newcomm ~ \"e*\" && pid > 1",
		"0", "1", "nosuch == 1", "pid ==", "", "id == 1 || ret == 0", "common_pid != 0",
	};
	struct perf_event_attr attr = plan->events[step->who].attr;
	unsigned long argument = step->argument & 1;
	uint64_t value = step->argument;
	unsigned int ids[4] = { 2 };

	attr.type += step->argument & 1;
	switch (step->what) {
	case REFRESH:
		argument = step->argument;
		break;
	case PERIOD:
	case ID:
		argument = (unsigned long)&value;
		break;
	case SET_OUTPUT:
		argument = step->argument > 9 ? -1 : opened[step->argument % plan->nr_events].fd;
		break;
	case SET_FILTER:
		argument = (unsigned long)filters[step->argument % ARRAY_SIZE(filters)];
		break;
	case SET_BPF:
		argument = -1;
		break;
	case QUERY_BPF:
		argument = (unsigned long)ids;
		break;
	case MODIFY:
		argument = (unsigned long)&attr;
		break;
	default:
		break;
	}
	note(out, i, step->who, what_names[step->what],
	     answer(ioctl(opened[step->who].fd, commands[step->what], argument)));
}

static void do_step(struct outcome *out, int i, struct opened *opened, const struct plan *plan)
{
	const struct step *step = &plan->steps[i];
	struct opened *o = &opened[step->who];
	struct pollfd p = { .fd = o->fd, .events = POLLIN };

	if (step->what == WORK) {
		work(step->argument % 10);
		return;
	}
	if (o->fd < 0)
		return;
	switch (step->what) {
	case READ:
		do_read(out, i, step->who, o, 512);
		break;
	case READ_SHORT:
		do_read(out, i, step->who, o, step->argument % 40);
		break;
	case POLL:
		poll(&p, 1, 0);
		if (plan->exact)
			note(out, i, step->who, "poll", p.revents);
		break;
	case MAP:
		do_map(out, i, step->who, o, step);
		break;
	case UNMAP:
		if (o->map)
			munmap(o->map, o->size);
		o->map = NULL;
		break;
	case RECORDS:
		if (plan->exact)
			do_records(out, i, step->who, o);
		break;
	default:
		do_ioctl(out, i, opened, plan, step);
	}
}

/* Return whether the descriptor is one of perf_counter. */
static bool is_served(int fd)
{
	char path[64], name[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, name, sizeof(name) - 1) > 0 && strstr(name, "perf_counter");
}

static void run(const struct plan *plan, int sysctl, bool compat, struct outcome *out)
{
	struct opened opened[EVENTS] = { { 0 } };
	int i, pid, group;

	out->nr = 0;
	if (pwrite(sysctl, compat ? "1" : "0", 1, 0) != 1) {
		printf("Bail out! %s: %s\n", compat_path, strerror(errno));
		exit(1);
	}
	for (i = 0; i < plan->nr_events; i++) {
		const struct event *e = &plan->events[i];
		struct perf_event_attr attr = e->attr;

		pid = e->pid == -2 ? child : e->pid;
		group = e->group < 0 ? -1 : opened[0].fd;
		opened[i].fd = syscall(__NR_perf_event_open, &attr, pid, e->cpu, group, e->flags);
		note(out, -1, i, "open", opened[i].fd < 0 ? -errno : 0);
		out->served[i] = opened[i].fd >= 0 && is_served(opened[i].fd);
	}
	work(0);
	for (i = 0; i < plan->nr_steps; i++)
		do_step(out, i, opened, plan);
	for (i = plan->nr_events - 1; i >= 0; i--) {
		if (opened[i].map)
			munmap(opened[i].map, opened[i].size);
		if (opened[i].fd >= 0)
			close(opened[i].fd);
	}
}

/* === Comparing === */

/**
 * struct difference - a row of the table in abi.rst
 * @name: short name of the row
 * @is: function that returns whether the row explains the first difference
 * @seen: number of cases with this difference
 */
struct difference {
	const char *name;
	bool (*is)(const struct plan *plan, const struct note *a, const struct note *b);
	unsigned int seen;
};

static bool inherited_map(const struct plan *plan, const struct note *a, const struct note *b)
{
	const struct event *e = &plan->events[b->who];

	return !strcmp(b->what, "mmap") && e->attr.inherit && e->cpu == -1 &&
	       a->value == -EINVAL && !b->value;
}

/* Return whether the event joins a group of perf_counter. */
static bool joins_ours(const struct plan *plan, const struct note *b)
{
	return b->step == -1 && b->value && plan->events[b->who].group >= 0;
}

/*
 * Return whether an attr has bits, sample types or a named PMU that perf_counter does not
 * support.
 */
static bool is_unknown(const struct perf_event_attr *attr)
{
	return attr->sigtrap || attr->aux_output || attr->inherit_thread ||
	       (attr->sample_type & PERF_SAMPLE_AUX) ||
	       (!with_branches && has_branches(attr)) ||
	       ((attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE) &&
		attr->config >> PERF_PMU_TYPE_SHIFT);
}

/*
 * Return whether the event joins a group of perf_counter and is refused, and the refusal is
 * known: perf_events refuses the event, too, the error is not EINVAL, or perf_counter does not
 * support the attr.
 */
static bool member_is_not_ours(const struct plan *plan, const struct note *a,
			       const struct note *b)
{
	return joins_ours(plan, b) &&
	       (a->value || b->value != -EINVAL || is_unknown(&plan->events[b->who].attr));
}

/*
 * Return whether perf_counter refuses a hardware event that it does not support, or that
 * perf_events refuses with another error.
 */
static bool pmu_has_not(const struct plan *plan, const struct note *a, const struct note *b)
{
	const struct event *e = &plan->events[b->who];

	return b->step == -1 && b->value < 0 &&
	       (e->attr.type == PERF_TYPE_HARDWARE || e->attr.type == PERF_TYPE_HW_CACHE ||
		e->attr.type == PERF_TYPE_RAW) &&
	       (a->value || b->value == -EOPNOTSUPP || e->attr.exclude_host ||
		(b->value == -EINVAL && e->attr.type == PERF_TYPE_RAW) || is_unknown(&e->attr));
}

static bool clock_in_nmi(const struct plan *plan, const struct note *a,
			 const struct note *b)
{
	const struct event *e = &plan->events[b->who];

	return b->step == -1 && !b->value && a->value == -EINVAL &&
	       e->attr.use_clockid && e->attr.type != PERF_TYPE_SOFTWARE;
}

static bool group_parts(const struct plan *plan, const struct note *a, const struct note *b)
{
	bool leaves = plan->events[0].attr.remove_on_exec, parts = false;
	int i;

	for (i = 1; i <= b->who; i++)
		parts |= plan->events[i].attr.remove_on_exec != leaves;
	return joins_ours(plan, b) && b->value == -EINVAL && !a->value && parts;
}

static bool large_refresh(const struct plan *plan, const struct note *a,
			  const struct note *b)
{
	return !strcmp(b->what, what_names[REFRESH]) && b->value == -EINVAL &&
	       !a->value && plan->steps[b->step].argument > INT32_MAX;
}

static bool each_branch(const struct plan *plan, const struct note *a, const struct note *b)
{
	const struct perf_event_attr *attr = &plan->events[b->who].attr;

	bool branches = attr->type == PERF_TYPE_HARDWARE ?
			attr->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS :
			attr->type == PERF_TYPE_HW_CACHE ?
			attr->config == PERF_COUNT_HW_CACHE_BPU :
			attr->type == PERF_TYPE_RAW && (attr->config & 0xffff) == 0xc4;

	if (!branches || b->value)
		return false;
	return b->step == -1 ? a->value == -EOPNOTSUPP && attr->sample_period == 1 :
	       !strcmp(b->what, what_names[PERIOD]) && plan->steps[b->step].argument == 1;
}

static bool cache_event_of_all(const struct plan *plan, const struct note *a,
			       const struct note *b)
{
	return b->step == -1 && !b->value && a->value == -ENOENT &&
	       plan->events[b->who].attr.type == PERF_TYPE_HW_CACHE;
}

/* perf_counter has branch records for events that are not of the PMU. */
static bool branches_of_any_event(const struct plan *plan, const struct note *a,
				  const struct note *b)
{
	const struct perf_event_attr *attr = &plan->events[b->who].attr;

	return b->step == -1 && a->value == -EOPNOTSUPP && !b->value && has_branches(attr) &&
	       (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT);
}

/*
 * Return whether two events want branches that one setting of the recorder cannot record.
 */
static bool other_branches(const struct perf_event_attr *one, const struct perf_event_attr *other)
{
	return has_branches(one) && has_branches(other) &&
	       (one->branch_sample_type != other->branch_sample_type ||
		one->exclude_user != other->exclude_user ||
		one->exclude_kernel != other->exclude_kernel ||
		one->exclude_hv != other->exclude_hv);
}

/* perf_events has one setting of the recorder for a group. */
static bool branches_of_two_kinds(const struct plan *plan, const struct note *a,
				  const struct note *b)
{
	const struct event *event = &plan->events[b->who];
	int i;

	if (b->step != -1 || a->value != -EINVAL || b->value || event->group < 0)
		return false;
	for (i = 0; i < b->who; i++) {
		if ((i == event->group || plan->events[i].group == event->group) &&
		    other_branches(&plan->events[i].attr, &event->attr))
			return true;
	}
	return false;
}

static bool is_amd(void)
{
	static int amd = -1;
	char line[256];
	FILE *f;

	if (amd >= 0)
		return amd;
	amd = 0;
	f = fopen("/proc/cpuinfo", "re");
	while (f && !amd && fgets(line, sizeof(line), f))
		amd = !!strstr(line, "AuthenticAMD");
	if (f)
		fclose(f);
	return amd;
}

static bool branches_on_amd(const struct plan *plan, const struct note *a, const struct note *b)
{
	const struct perf_event_attr *attr = &plan->events[b->who].attr;

	return b->step == -1 && a->value == -EOPNOTSUPP && !b->value && has_branches(attr) &&
	       (attr->branch_sample_type &
		(PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_IN_TX |
		 PERF_SAMPLE_BRANCH_NO_TX | PERF_SAMPLE_BRANCH_NO_FLAGS |
		 PERF_SAMPLE_BRANCH_NO_CYCLES)) && is_amd();
}

/* perf_events accepts call stacks together with calls or with indirect jumps. */
static bool calls_beside_others(const struct plan *plan, const struct note *a, const struct note *b)
{
	const struct perf_event_attr *attr = &plan->events[b->who].attr;

	return b->step == -1 && !a->value && b->value == -EINVAL && has_branches(attr) &&
	       (attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) &&
	       (attr->branch_sample_type &
		(PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_IND_JUMP));
}

/* Intel's driver in perf_events ignores branches if the event does not sample them. */
static bool branches_of_no_sample(const struct plan *plan, const struct note *a,
				  const struct note *b)
{
	const struct perf_event_attr *attr = &plan->events[b->who].attr;

	return b->step == -1 && !a->value && (b->value == -EINVAL || b->value == -EOPNOTSUPP) &&
	       has_branches(attr) && !attr->sample_period &&
	       (attr->sample_type & PERF_SAMPLE_READ) && !is_amd();
}

/*
 * Both subsystems refuse MODIFY_ATTRIBUTES, with different errors. perf_events gives a clock a
 * type of its own, and compares fields that it ignored at the open.
 */
static bool clock_is_modified(const struct plan *plan, const struct note *a,
			      const struct note *b)
{
	return !strcmp(b->what, what_names[MODIFY]) && a->value && b->value;
}

/* Return the event whose buffer a SET_OUTPUT names; 0 for an open. */
static int output_target(const struct plan *plan, const struct note *b)
{
	return b->step < 0 ? 0 : plan->steps[b->step].argument % plan->nr_events;
}

static bool is_other_output(const struct plan *plan, const struct note *a, const struct note *b)
{
	return !strcmp(b->what, what_names[SET_OUTPUT]) && b->value == -EBADF &&
	       ours.served[b->who] != ours.served[output_target(plan, b)];
}

/* In perf_events the ioctl PERIOD sets a period even for a clock with a frequency. */
static bool clock_has_frequency(const struct plan *plan, const struct note *a, const struct note *b)
{
	const struct perf_event_attr *attr = &plan->events[b->who].attr;

	return !strcmp(b->what, what_names[PERIOD]) && !a->value && b->value == -EINVAL &&
	       attr->freq && attr->config <= PERF_COUNT_SW_TASK_CLOCK;
}

static bool has_period(const struct plan *plan)
{
	int i;

	for (i = 0; i < plan->nr_events; i++) {
		if (plan->events[i].attr.sample_period > 1 &&
		    (plan->events[i].attr.sample_type & PERF_SAMPLE_PERIOD))
			return true;
	}
	return false;
}

/*
 * perf_events takes a sample of each event if the plan has a period. Records and wakeups may then
 * differ.
 */
static bool each_is_a_sample(const struct plan *plan, const struct note *a, const struct note *b)
{
	return (!strncmp(a->what, "record", 6) || !strcmp(a->what, "poll")) && has_period(plan);
}

static bool period_begins(const struct plan *plan, const struct note *a, const struct note *b)
{
	int i;

	for (i = 0; i < b->step && plan->steps[i].what != PERIOD; i++)
		;
	return i < b->step && (!strncmp(a->what, "record", 6) || !strcmp(a->what, "poll"));
}

/* perf_events has MMAP2 records only while another event has asked for MMAP. */
static bool mmap2_alone(const struct plan *plan, const struct note *a, const struct note *b)
{
	const struct perf_event_attr *attr = &plan->events[b->who].attr;

	return b->step >= 0 && attr->mmap2 && !attr->mmap && !attr->mmap_data &&
	       (!strncmp(b->what, "record", 6) || !strcmp(b->what, "poll"));
}

static bool output_of_any_cpu(const struct plan *plan, const struct note *a, const struct note *b)
{
	return !strcmp(b->what, what_names[SET_OUTPUT]) && !b->value && a->value == -EINVAL &&
	       plan->events[output_target(plan, b)].cpu == -1;
}

static bool statistics_of_any_cpu(const struct plan *plan, const struct note *a,
				  const struct note *b)
{
	const struct perf_event_attr *attr = &plan->events[b->who].attr;

	return !strcmp(b->what, what_names[SET_OUTPUT]) && b->value == -EINVAL && !a->value &&
	       attr->inherit && attr->inherit_stat;
}

static bool name_of_a_buffer(const struct plan *plan, const struct note *a, const struct note *b)
{
	return !strcmp(b->what, "record size") && b->value == a->value + 8 &&
	       plan->events[b->who].attr.mmap_data;
}

/* perf_events ignores exclude_host for software events, all of which happen on the host. */
static bool software_is_of_the_host(const struct plan *plan, const struct note *a,
				    const struct note *b)
{
	bool none = false;
	int i;

	for (i = 0; i < plan->nr_events; i++)
		none |= plan->events[i].attr.type == PERF_TYPE_SOFTWARE &&
			plan->events[i].attr.exclude_host;
	return none && (!strncmp(a->what, "record", 6) || !strcmp(a->what, "poll"));
}

static struct difference known[] = {
	{ "an inherited counter that is not bound to a CPU can be mapped", inherited_map, 0 },
	{ "what perf_counter has not joins none of its groups", member_is_not_ours, 0 },
	{ "what the PMU has not is refused with an errno of its own", pmu_has_not, 0 },
	{ "any clock may be read in an NMI", clock_in_nmi, 0 },
	{ "a group that parts at an exec is not read as one", group_parts, 0 },
	{ "REFRESH is refused what an int cannot hold", large_refresh, 0 },
	{ "cache events are those that the architecture promises", cache_event_of_all, 0 },
	{ "samples of any event may have branches", branches_of_any_event, 0 },
	{ "a group may have branches of several kinds", branches_of_two_kinds, 0 },
	{ "on AMD branches may be without flags, and those of transactions are none",
	  branches_on_amd, 0 },
	{ "calls that have not returned are alone", calls_beside_others, 0 },
	{ "branches are looked at, sampled or not", branches_of_no_sample, 0 },
	{ "MODIFY_ATTRIBUTES is refused with an errno of its own", clock_is_modified, 0 },
	{ "records of one subsystem do not go to buffers of the other", is_other_output, 0 },
	{ "PERIOD of a clock with a frequency is a frequency", clock_has_frequency, 0 },
	{ "with PERF_SAMPLE_PERIOD a period is one", each_is_a_sample, 0 },
	{ "a period begins with the ioctl", period_begins, 0 },
	{ "MMAP2 needs no MMAP", mmap2_alone, 0 },
	{ "records may go to a buffer of no CPU", output_of_any_cpu, 0 },
	{ "what is written on any CPU goes to no buffer of one", statistics_of_any_cpu, 0 },
	{ "a buffer has a name of its own", name_of_a_buffer, 0 },
	{ "software events happen outside guests", software_is_of_the_host, 0 },
	{ "a sample of each branch is not the branch trace store", each_branch, 0 },
};

static struct difference *find_known(const struct plan *plan, const struct note *a,
				     const struct note *b)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].is(plan, a, b))
			return &known[i];
	}
	return NULL;
}

/*
 * Return whether there is an unknown difference. Notes after a known difference are not
 * compared.
 */
static bool differ(const struct plan *plan, uint64_t seed)
{
	static const struct note nothing = { .what = "nothing" };
	struct difference *difference;
	int i;

	for (i = 0; i < theirs.nr || i < ours.nr; i++) {
		const struct note *a = i < theirs.nr ? &theirs.notes[i] : &nothing;
		const struct note *b = i < ours.nr ? &ours.notes[i] : &nothing;

		if (a->step == b->step && !strcmp(a->what, b->what) && a->value == b->value)
			continue;
		difference = find_known(plan, a, b);
		if (difference) {
			difference->seen++;
			return false;
		}
		printf("# case %llu, event %d (served by %s), step %d:",
		       (unsigned long long)seed, b->who,
		       ours.served[b->who] ? "perf_counter" : "perf_events", b->step);
		printf(" perf_events: %s %ld, here: %s %ld\n", a->what, a->value, b->what,
		       b->value);
		print_plan(plan);
		return true;
	}
	return false;
}

static void start_child(void)
{
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

static bool has_pmu(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .size = sizeof(attr) };
	int fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int main(int argc, char **argv)
{
	unsigned long long first = 1, nr = 1000, served = 0, opened = 0, bad = 0, seed;
	bool verbose = false, hardware;
	struct plan plan;
	int sysctl, c, i;

	while ((c = getopt(argc, argv, "bs:n:v")) != -1) {
		switch (c) {
		case 'b':
			with_branches = true;
			break;
		case 's':
			first = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			nr = strtoull(optarg, NULL, 0);
			break;
		case 'v':
			verbose = true;
			break;
		default:
			fprintf(stderr, "usage: oracle [-b] [-s SEED] [-n CASES] [-v]\n");
			return 2;
		}
	}
	setbuf(stdout, NULL);
	page = sysconf(_SC_PAGESIZE);
	fresh = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(fresh, 16 * page, MADV_NOHUGEPAGE);
	sysctl = open(compat_path, O_RDWR | O_CLOEXEC);
	printf("TAP version 13\n1..2\n");
	if (sysctl < 0) {
		printf("Bail out! %s: %s\n", compat_path, strerror(errno));
		return 1;
	}
	signal(SIGTRAP, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	read_tracepoints();
	start_child();
	hold_tracepoints(sysctl, child);
	hardware = has_pmu();
	/*
	 * Run the first plan once without comparing, as it touches memory for the first
	 * time.
	 */
	memset(&theirs, 0, sizeof(theirs));
	memset(&ours, 0, sizeof(ours));
	make_plan(&plan, first, hardware);
	run(&plan, sysctl, false, &theirs);
	run(&plan, sysctl, true, &ours);
	for (seed = first; seed < first + nr; seed++) {
		make_plan(&plan, seed, hardware);
		if (verbose)
			print_plan(&plan);
		run(&plan, sysctl, false, &theirs);
		run(&plan, sysctl, true, &ours);
		for (i = 0; i < plan.nr_events; i++) {
			opened += !theirs.notes[i].value;
			served += ours.served[i];
		}
		if (differ(&plan, seed) && ++bad == 20)
			break;
	}
	pwrite(sysctl, "0", 1, 0);
	kill(child, SIGKILL);
	for (i = 0; i < (int)ARRAY_SIZE(known); i++)
		printf("# known: %s: %u\n", known[i].name, known[i].seen);
	printf("# %llu events were opened, %llu of them served by perf_counter\n", opened, served);
	/* If perf_counter served nothing, perf_events would be compared with itself. */
	printf("%sok 1 most events are served by perf_counter\n",
	       2 * served > opened ? "" : "not ");
	printf("%sok 2 %llu cases, from %llu on, have the same answers\n",
	       bad ? "not " : "", nr, first);
	return bad || 2 * served <= opened;
}
