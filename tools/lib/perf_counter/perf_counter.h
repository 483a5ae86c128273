/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program counts its own events: sets of counters of the calling thread, and
 * regions of code between which they are read without a system call.
 *
 * What is fast is here, to be compiled into the program; all else is in
 * libperf_counter. libperf_counter(3) describes both.
 */
#ifndef PERF_COUNTER_H
#define PERF_COUNTER_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stddef.h>

#ifdef __has_include
#if __has_include("linux/perf_counter.h")
#include <linux/perf_counter.h>
#endif
#endif
/* Kernel headers without it have the same structure under its other name. */
#ifndef PERF_COUNTER_ATTR_SIZE_VER0
#define perf_counter_attr perf_event_attr
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Counters that a set can have. */
#define PC_MAX 16

/* Where counters can be read by an instruction; 0 is possible everywhere. */
#ifndef PC_HAS_REGISTERS
#ifdef __x86_64__
#define PC_HAS_REGISTERS 1
#elif defined(__i386__)
#define PC_HAS_REGISTERS 1
#elif defined(__powerpc64__)
#define PC_HAS_REGISTERS 1
#else
#define PC_HAS_REGISTERS 0
#endif
#endif

/* === Sets === */

struct pc_set;

/* The system call that a set was opened with. */
enum pc_interface {
	PC_PERF_COUNTER,	/* perf_counter_open() */
	PC_PERF_EVENTS		/* perf_event_open(), where the kernel has no other */
};

/**
 * struct pc_values - counts, and how long it took
 * @nr: counters
 * @enabled: ns that they were to count
 * @running: of them, ns that they were on the PMU and did count
 * @count: what they counted, in the order they were opened in
 */
struct pc_values {
	__u64	nr;
	__u64	enabled;
	__u64	running;
	__u64	count[PC_MAX];
};

/**
 * pc_open() - open counters of the calling thread, as one group
 * @events: names with commas between them: "instructions,cycles:uk"
 *
 * They count from now on; only the calling thread, and only in user mode unless
 * ":k" or ":uk" behind the name says otherwise.
 *
 * Return: the set, or NULL with errno set and a reason in pc_error().
 */
struct pc_set *pc_open(const char *events);

/* pc_open_attrs(), with the caller's idea of how large an attr is. */
struct pc_set *pc_open_sized(const void *attrs, size_t size, unsigned int nr);

/**
 * pc_open_attrs() - open counters of the calling thread, as one group
 * @attrs: what to count; size 0 means all of the structure. disabled and
 *	read_format are the library's, sampling and inherit are refused
 * @nr: how many there are, at most PC_MAX
 *
 * Return: as pc_open().
 */
static inline struct pc_set *pc_open_attrs(const struct perf_counter_attr *attrs, unsigned int nr)
{
	return pc_open_sized(attrs, sizeof(*attrs), nr);
}

/**
 * pc_close() - close a set and forget it
 * @set: the set, or NULL; no region of it may be used any more
 */
void pc_close(struct pc_set *set);

/**
 * pc_read() - all counts of a set since it was opened
 * @set: the set. Threads other than its own may read it, too
 * @values: gets them, all of one moment
 *
 * Return: 0, or -1 with errno set and a reason in pc_error().
 */
int pc_read(struct pc_set *set, struct pc_values *values);

/* How many counters a set has; the name of one; its descriptor. NULL, -1: no such counter. */
unsigned int pc_nr(const struct pc_set *set);
const char *pc_name(const struct pc_set *set, unsigned int i);
int pc_fd(const struct pc_set *set, unsigned int i);

/* Which system call a set was opened with. */
enum pc_interface pc_interface(const struct pc_set *set);

/*
 * 1: a set is read by register whenever it is on the PMU, 0: it takes a system
 * call. It does if one of its counters is none of the PMU.
 */
int pc_reads_registers(const struct pc_set *set);

/* Why the last call failed in this thread: a line without its end; "" if none has. */
const char *pc_error(void);

/* === Values === */

/* Add what @values has to @sum, which is all zero at first. */
void pc_add(struct pc_values *sum, const struct pc_values *values);

/*
 * What counter @i would have counted if it had been on the PMU all the time. 0
 * when it never was: values->running says so.
 */
__u64 pc_scaled(const struct pc_values *values, unsigned int i);

/* === Regions === */

/* 64 bits as they come in two registers. */
struct pc_pair {
	__u32	low;
	__u32	high;
};

/* What a region knows of one counter: what it read at its begin and end, and of which register. */
struct pc_slot {
	struct pc_pair	at[2];
	__u32		pmc;
};

/**
 * struct pc_region - a piece of code whose events are counted
 *
 * Fields are the library's. It may be anywhere, and be used any number of times;
 * a region that recurs within itself needs another one for each level.
 *
 * @pages: control pages of the set, one after the other
 * @lock: what the sequence count of the first page has to be for @slot to hold;
 *	odd, which it never is: nothing holds
 * @locks: the sum of the sequence counts of all pages, likewise. They only grow:
 *	the same sum means the same counts
 * @nr: counters
 * @failed: errno if this is not to be counted
 * @clock: time stamps of begin and end
 * @slot: of each counter
 * @mask: which bits of end minus begin count
 * @set: the set
 * @enabled: as in struct pc_values: if @lock is even, at @stamp; else what the
 *	region has of it, or if it has not ended, what there was before
 * @running: likewise
 * @stamp: a time stamp
 * @offset: what to add to each register for its count
 */
struct pc_region {
	const char	*pages;
	__u32		lock;
	__u32		locks;
	__u32		nr;
	__u32		failed;
	struct pc_pair	clock[2];
	struct pc_slot	slot[PC_MAX];
	__u64		mask;
	struct pc_set	*set;
	__u64		enabled;
	__u64		running;
	__u64		stamp;
	__u64		offset[PC_MAX];
};

/**
 * pc_region_init() - make a region
 * @region: the region
 * @set: counters of the thread that will use it
 */
void pc_region_init(struct pc_region *region, struct pc_set *set);

/* What pc_begin() and pc_end() do when a register is not where it was. */
void pc_begin_slow(struct pc_region *region);
void pc_end_slow(struct pc_region *region);

#if PC_HAS_REGISTERS

/* Nothing in memory moves from one side of this to the other. */
static inline void pc_barrier(void)
{
	__asm__ volatile("" : : : "memory");
}

#ifdef __powerpc64__

/* From one control page to the next. A page has as much, or less. */
#define PC_PAGE_ROOM 65536
/* A register that has just overflowed has a large number, until the interrupt comes. */
#define PC_REGISTERS_ARE_SIGNED 0

/* What is at @from, now: in order with what else is read here. */
static inline __u32 pc_load(const __u32 *from)
{
	__u32 value;

	__asm__ volatile("lwz%U1%X1 %0, %1" : "=r" (value) : "m" (*from));
	return value;
}

static inline __u32 pc_load_and_add(const __u32 *from, __u32 value)
{
	return value + pc_load(from);
}

/* The timebase. */
static inline void pc_read_clock(struct pc_pair *to)
{
	__u64 value;

	__asm__ volatile("mfspr %0, 268" : "=r" (value));
	to->low = (__u32)value;
	to->high = (__u32)(value >> 32);
}

/*
 * PMC1 is 0. An instruction names the register it reads. From the lowest bits of @pmc, which
 * are put into CR7, it is six instructions to each: an empty region has the same number always.
 */
static inline void pc_read_pmc(__u32 pmc, struct pc_pair *to)
{
	__u64 value;

	__asm__ volatile("mtocrf 1, %1\n"
			 "	bt 29, 4f\n"
			 "	bt 30, 2f\n"
			 "	bt 31, 1f\n"
			 "	mfspr %0, 771\n"
			 "	b 6f\n"
			 "1:	mfspr %0, 772\n"
			 "	b 6f\n"
			 "2:	bt 31, 3f\n"
			 "	mfspr %0, 773\n"
			 "	b 6f\n"
			 "3:	mfspr %0, 774\n"
			 "	b 6f\n"
			 "4:	nop\n"
			 "	bt 31, 5f\n"
			 "	mfspr %0, 775\n"
			 "	b 6f\n"
			 "5:	mfspr %0, 776\n"
			 "	nop\n"
			 "6:"
			 : "=r" (value) : "r" (pmc) : "cr7");
	to->low = (__u32)value;
	to->high = 0;
}

#else /* x86 */

#define PC_PAGE_ROOM 4096
#define PC_REGISTERS_ARE_SIGNED 1

static inline __u32 pc_load(const __u32 *from)
{
	__u32 value;

	__asm__ volatile("movl %1, %0" : "=r" (value) : "m" (*from));
	return value;
}

static inline __u32 pc_load_and_add(const __u32 *from, __u32 value)
{
	__asm__ volatile("addl %1, %0" : "+r" (value) : "m" (*from) : "cc");
	return value;
}

static inline void pc_read_clock(struct pc_pair *to)
{
	__u32 low, high;

	__asm__ volatile("rdtsc" : "=a" (low), "=d" (high));
	to->low = low;
	to->high = high;
}

static inline void pc_read_pmc(__u32 pmc, struct pc_pair *to)
{
	__u32 low, high;

	__asm__ volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (pmc));
	to->low = low;
	to->high = high;
}

#endif

/* The sequence count of control page @i: odd while the kernel changes the page. */
static inline const __u32 *pc_lock(const char *pages, unsigned int i)
{
	return (const __u32 *)(const void *)(pages + (size_t)i * PC_PAGE_ROOM +
					     offsetof(struct perf_event_mmap_page, lock));
}

/*
 * Read all counters, the first few without a loop, and behind each its page's
 * sequence count. Pages are written on the CPU that runs this thread, with
 * interrupts off, or while it does not run: to the thread a page changes at once.
 *
 * Returns the sum of the sequence counts.
 */
static inline __attribute((always_inline)) __u32 pc_read_slots(struct pc_region *region,
							       const char *pages, int end)
{
	struct pc_slot *slot = region->slot;
	__u32 locks;
	unsigned int i;

	pc_read_pmc(slot[0].pmc, &slot[0].at[end]);
	locks = pc_load(pc_lock(pages, 0));
	if (region->nr == 1)
		return locks;
	pc_read_pmc(slot[1].pmc, &slot[1].at[end]);
	locks = pc_load_and_add(pc_lock(pages, 1), locks);
	if (region->nr == 2)
		return locks;
	pc_read_pmc(slot[2].pmc, &slot[2].at[end]);
	locks = pc_load_and_add(pc_lock(pages, 2), locks);
	if (region->nr == 3)
		return locks;
	pc_read_pmc(slot[3].pmc, &slot[3].at[end]);
	locks = pc_load_and_add(pc_lock(pages, 3), locks);
	for (i = 4; i < region->nr; i++) {
		pc_read_pmc(slot[i].pmc, &slot[i].at[end]);
		locks = pc_load_and_add(pc_lock(pages, i), locks);
	}
	return locks;
}

/**
 * pc_begin() - a region begins
 * @region: the region
 */
static inline void pc_begin(struct pc_region *region)
{
	const char *pages = region->pages;

	pc_barrier();
	/* Before the first register is touched: it may be somebody else's by now. */
	if (__builtin_expect(pc_load(pc_lock(pages, 0)) != region->lock, 0))
		goto slow;
	pc_read_clock(&region->clock[0]);
	if (__builtin_expect(pc_read_slots(region, pages, 0) != region->locks, 0))
		goto slow;
	pc_barrier();
	return;
slow:
	pc_begin_slow(region);
}

/**
 * pc_end() - a region ends
 * @region: the region, which has begun
 *
 * pc_count() and pc_result() tell what happened in it, until it begins again.
 */
static inline void pc_end(struct pc_region *region)
{
	const char *pages = region->pages;

	pc_barrier();
	if (__builtin_expect(pc_load(pc_lock(pages, 0)) != region->lock, 0))
		goto slow;
	pc_read_clock(&region->clock[1]);
	if (__builtin_expect(pc_read_slots(region, pages, 1) != region->locks, 0))
		goto slow;
	pc_barrier();
	return;
slow:
	pc_end_slow(region);
}

#else /* !PC_HAS_REGISTERS */

static inline void pc_begin(struct pc_region *region)
{
	pc_begin_slow(region);
}

static inline void pc_end(struct pc_region *region)
{
	pc_end_slow(region);
}

#endif

static inline __u64 pc_pair_value(const struct pc_pair *pair)
{
	return (__u64)pair->high << 32 | pair->low;
}

/**
 * pc_count() - events in a region
 * @region: a region that has ended
 * @i: which counter of the set
 *
 * Return: as many as the counter saw while it was on the PMU.
 */
static inline __u64 pc_count(const struct pc_region *region, unsigned int i)
{
	const struct pc_slot *slot = &region->slot[i];

	return (pc_pair_value(&slot->at[1]) - pc_pair_value(&slot->at[0])) & region->mask;
}

/**
 * pc_result() - all events in a region, and times
 * @region: a region that has ended
 * @values: gets them
 *
 * Return: 0, or -1 with errno set and a reason in pc_error().
 */
int pc_result(const struct pc_region *region, struct pc_values *values);

#ifdef __cplusplus
}
#endif

#endif /* PERF_COUNTER_H */
