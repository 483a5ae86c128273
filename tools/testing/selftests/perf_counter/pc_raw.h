/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that read the registers of x86's counters and ignore the offset that the control page
 * has: libraries subtract two values of a register. The difference has to be the number of events
 * between the two readings, whatever has happened between them.
 */
#ifndef PC_RAW_H
#define PC_RAW_H

#include "pc_hw.h"
#include "pc_work.h"

#define PC_RAW_ROUNDS 100000

/**
 * struct pc_readers - a group of two counters whose registers the test reads
 * @attr: attributes of both
 * @fds: descriptors of both
 * @pages: control pages of both
 * @reset: events of each that resets have taken from its count
 */
struct pc_readers {
	struct perf_counter_attr attr;
	int fds[2];
	struct perf_event_mmap_page *pages[2];
	__u64 reset[2];
};

/**
 * struct pc_look - a counter at one moment
 * @before: value of the register, without the page's offset
 * @total: events since the counter was opened
 * @after: value of the register once more
 */
struct pc_look {
	__u64 before;
	__u64 total;
	__u64 after;
};

/* Read a register as a program does that ignores the page's offset. ~0: the counter has none. */
static inline __u64 pc_raw_value(const struct perf_event_mmap_page *page)
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

static inline void pc_look_at(struct pc_readers *r, struct pc_look looks[2])
{
	for (int i = 0; i < 2; i++) {
		looks[i].before = pc_raw_value(r->pages[i]);
		looks[i].total = r->reset[i] + pc_value(r->fds[i]);
		looks[i].after = pc_raw_value(r->pages[i]);
	}
}

static inline void pc_reset_readers(struct pc_readers *r)
{
	pc_disable(r->fds[0]);
	for (int i = 0; i < 2; i++)
		r->reset[i] += pc_value(r->fds[i]);
	ioctl(r->fds[0], PERF_COUNTER_IOC_RESET, PERF_COUNTER_IOC_FLAG_GROUP);
	pc_enable(r->fds[0]);
}

/* While the readers are off, another counter of their event takes one of their registers. */
static inline void pc_move_readers(struct pc_readers *r)
{
	int other = pc_open(&r->attr, 0, -1, -1);

	pc_disable(r->fds[0]);
	pc_enable(other);
	pc_loop(100);
	pc_enable(r->fds[0]);
	close(other);
}

/* A counter whose register is read comes and goes. */
static inline void pc_map_another(struct pc_readers *r)
{
	int other = pc_open(&r->attr, 0, -1, -1);
	void *page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, other, 0);

	pc_enable(other);
	if (page != MAP_FAILED)
		munmap(page, pc_page());
	close(other);
}

/*
 * pc_raw_values_of_one() - expect that differences of register values are numbers of events
 * @attr: event, which the loop counts; it begins disabled
 * @t: task that runs pc_echo() on @cpus[0]
 * @cpus: CPUs on which the event counts
 */
static inline void
pc_raw_values_of_one(struct __test_metadata *_metadata, const struct perf_counter_attr *attr,
		     struct pc_task *t, const int *cpus, int nr_cpus)
{
	enum { NOTHING, OFF_AND_ON, RESET, SWITCH, OTHER_CPU, OTHER_SLOT, OTHER_READER, CHANGES };
	struct pc_readers r = { .attr = *attr };
	struct pc_look last[2], now[2];
	__u32 index;

	ASSERT_OK(pc_pin(cpus[0]));
	for (int i = 0; i < 2; i++) {
		r.fds[i] = pc_open(&r.attr, 0, -1, i ? r.fds[0] : -1);
		ASSERT_FD(r.fds[i]);
		r.pages[i] = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, r.fds[i], 0);
		ASSERT_NE(MAP_FAILED, (void *)r.pages[i]);
	}
	pc_enable(r.fds[1]);
	pc_enable(r.fds[0]);
	pc_look_at(&r, last);
	for (int step = 0; step < 3 * CHANGES; step++) {
		int change = step % CHANGES;

		index = r.pages[0]->index;
		pc_loop(PC_RAW_ROUNDS);
		switch (change) {
		case OFF_AND_ON:
			pc_disable(r.fds[0]);
			pc_loop(100);
			pc_enable(r.fds[0]);
			break;
		case RESET:
			pc_reset_readers(&r);
			break;
		case SWITCH:
			pc_switch(t, 5);
			break;
		case OTHER_CPU:
			ASSERT_OK(pc_pin(cpus[(step / CHANGES + 1) % nr_cpus]));
			break;
		case OTHER_SLOT:
			pc_move_readers(&r);
			/* Later the other counter may take another register. */
			if (step < CHANGES && !pc_on_perf_event())
				EXPECT_NE(index, r.pages[0]->index);
			break;
		case OTHER_READER:
			pc_map_another(&r);
			break;
		}
		pc_look_at(&r, now);
		for (int i = 0; i < 2; i++) {
			__s64 events = now[i].total - last[i].total;

			ASSERT_NE(~0ULL, now[i].after);
			EXPECT_LE(2 * PC_RAW_ROUNDS, events);
			EXPECT_GE(events, (__s64)(now[i].before - last[i].after))
				TH_LOG("change %d of counter %d", change, i);
			EXPECT_LE(events, (__s64)(now[i].after - last[i].before))
				TH_LOG("change %d of counter %d", change, i);
			last[i] = now[i];
		}
	}
	for (int i = 0; i < 2; i++) {
		munmap(r.pages[i], pc_page());
		close(r.fds[i]);
	}
}

/* The same on perf_events first, if @theirs, and then, unless the test is of perf_events, here. */
static inline void
pc_raw_values_go_on(struct __test_metadata *_metadata, const struct perf_counter_attr *attr,
		    bool theirs, const int *cpus, int nr_cpus)
{
	bool ours = !pc_on_perf_event();
	struct pc_task t;

	ASSERT_OK(pc_spawn(&t, pc_echo, cpus[0]));
	if (theirs) {
		setenv("PC_BACKEND", "perf_event", 1);
		pc_raw_values_of_one(_metadata, attr, &t, cpus, nr_cpus);
	}
	if (ours) {
		unsetenv("PC_BACKEND");
		pc_raw_values_of_one(_metadata, attr, &t, cpus, nr_cpus);
	}
	pc_reap(&t);
}

#endif
