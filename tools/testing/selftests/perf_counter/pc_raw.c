// SPDX-License-Identifier: GPL-2.0
/*
 * Check differences of raw register values.
 */
#include <stdarg.h>

#include "pc_hw.h"
#include "pc_raw.h"
#include "pc_work.h"

#define ROUNDS 100000

/**
 * struct readers - a group of two counters whose registers are read
 * @attr: attributes of both
 * @fds: descriptors of both
 * @pages: user pages of both
 * @reset: events that resets have subtracted from the count of each
 */
struct readers {
	struct perf_counter_attr attr;
	int fds[2];
	struct perf_event_mmap_page *pages[2];
	__u64 reset[2];
};

/**
 * struct look - a counter at one moment
 * @before: value of the register before @total is read, without the page's offset
 * @total: events since the counter was opened
 * @after: value of the register after @total was read, without the page's offset
 */
struct look {
	__u64 before;
	__u64 total;
	__u64 after;
};

/* Changes between two readings of the counters. */
enum change {
	NOTHING, OFF_AND_ON, RESET, SWITCH, OTHER_CPU, OTHER_REGISTER, OTHER_READER, CHANGES
};

static const char *wrong(const char *format, ...)
{
	static char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
}

/* Read a register and ignore the page's offset; ~0 if the counter is not in a register. */
static __u64 raw_value(const struct perf_event_mmap_page *page)
{
	__u32 lock, index, low, high;
	int unused;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);
		if (!index)
			return ~0ULL;
		asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index - 1));
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != lock || lock & 1);
	unused = 64 - page->pmc_width;
	return (__s64)(((__u64)high << 32 | low) << unused) >> unused;
}

static void look_at(struct readers *r, struct look looks[2])
{
	for (int i = 0; i < 2; i++) {
		looks[i].before = raw_value(r->pages[i]);
		looks[i].total = r->reset[i] + pc_value(r->fds[i]);
		looks[i].after = raw_value(r->pages[i]);
	}
}

static void reset_readers(struct readers *r)
{
	pc_disable(r->fds[0]);
	for (int i = 0; i < 2; i++)
		r->reset[i] += pc_value(r->fds[i]);
	ioctl(r->fds[0], PERF_COUNTER_IOC_RESET, PERF_COUNTER_IOC_FLAG_GROUP);
	pc_enable(r->fds[0]);
}

/* Have another counter of the event take a register while the readers are disabled. */
static void move_readers(struct readers *r)
{
	int other = pc_open(&r->attr, 0, -1, -1);

	pc_disable(r->fds[0]);
	pc_enable(other);
	pc_loop(100);
	pc_enable(r->fds[0]);
	close(other);
}

/* Open and close another counter whose register a program may read. */
static void map_another(struct readers *r)
{
	int other = pc_open(&r->attr, 0, -1, -1);
	void *page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, other, 0);

	pc_enable(other);
	if (page != MAP_FAILED)
		munmap(page, pc_page());
	close(other);
}

static const char *open_readers(struct readers *r)
{
	for (int i = 0; i < 2; i++) {
		r->fds[i] = pc_open(&r->attr, 0, -1, i ? r->fds[0] : -1);
		if (r->fds[i] < 0)
			return wrong("cannot open counter %d: %s", i, strerror(errno));
		r->pages[i] = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, r->fds[i], 0);
		if (r->pages[i] == MAP_FAILED)
			return wrong("cannot map counter %d: %s", i, strerror(errno));
	}
	pc_enable(r->fds[1]);
	pc_enable(r->fds[0]);
	return NULL;
}

static void close_readers(struct readers *r)
{
	for (int i = 0; i < 2; i++) {
		munmap(r->pages[i], pc_page());
		close(r->fds[i]);
	}
}

static const char *compare(enum change change, int i, const struct look *last,
			   const struct look *now)
{
	__s64 events = now->total - last->total;
	__s64 least = now->before - last->after, most = now->after - last->before;

	if (now->after == ~0ULL)
		return wrong("change %d: counter %d is not in a register", change, i);
	if (events < 2 * ROUNDS)
		return wrong("change %d: counter %d counted %lld events of %d", change, i, events,
			     2 * ROUNDS);
	if (least > events || events > most)
		return wrong("change %d: counter %d counted %lld events, its register %lld to %lld",
			     change, i, events, least, most);
	return NULL;
}

/* Check the differences around each kind of change. @t is a task that runs pc_echo() on cpus[0]. */
static const char *check_changes(struct readers *r, struct pc_task *t, const int *cpus,
				 int nr_cpus)
{
	struct look last[2], now[2];
	const char *problem = NULL;

	look_at(r, last);
	for (int step = 0; !problem && step < 3 * CHANGES; step++) {
		enum change change = step % CHANGES;
		__u32 index = r->pages[0]->index;

		pc_loop(ROUNDS);
		switch (change) {
		case OFF_AND_ON:
			pc_disable(r->fds[0]);
			pc_loop(100);
			pc_enable(r->fds[0]);
			break;
		case RESET:
			reset_readers(r);
			break;
		case SWITCH:
			pc_switch(t, 5);
			break;
		case OTHER_CPU:
			if (pc_pin(cpus[(step / CHANGES + 1) % nr_cpus]))
				return wrong("cannot move to another CPU: %s", strerror(errno));
			break;
		case OTHER_REGISTER:
			move_readers(r);
			/*
			 * The counter has to move in the first rounds. In later rounds the other
			 * counter may take a register that is free anyway.
			 */
			if (step < CHANGES && !pc_on_perf_event() && index == r->pages[0]->index)
				return wrong("counter 0 is still in register %u", index);
			break;
		case OTHER_READER:
			map_another(r);
			break;
		default:
			break;
		}
		look_at(r, now);
		for (int i = 0; !problem && i < 2; i++)
			problem = compare(change, i, &last[i], &now[i]);
		memcpy(last, now, sizeof(last));
	}
	return problem;
}

static const char *check_one(const struct perf_counter_attr *attr, struct pc_task *t,
			     const int *cpus, int nr_cpus)
{
	struct readers r = { .attr = *attr };
	const char *problem;

	if (pc_pin(cpus[0]))
		return wrong("cannot move to CPU %d: %s", cpus[0], strerror(errno));
	problem = open_readers(&r);
	if (!problem)
		problem = check_changes(&r, t, cpus, nr_cpus);
	if (!problem)
		close_readers(&r);
	return problem;
}

const char *pc_raw_check(const struct perf_counter_attr *attr, bool theirs, const int *cpus,
			 int nr_cpus)
{
	bool ours = !pc_on_perf_event();
	const char *problem = NULL;
	struct pc_task t;

	if (pc_spawn(&t, pc_echo, cpus[0]))
		return wrong("cannot start a task: %s", strerror(errno));
	if (theirs) {
		setenv("PC_BACKEND", "perf_event", 1);
		problem = check_one(attr, &t, cpus, nr_cpus);
	}
	if (!problem && ours) {
		unsetenv("PC_BACKEND");
		problem = check_one(attr, &t, cpus, nr_cpus);
	}
	pc_reap(&t);
	return problem;
}
