// SPDX-License-Identifier: GPL-2.0
/*
 * Reading counters by register, and regions whose fast path does not hold.
 *
 * A control page says, under its sequence count, in which register its counter
 * is now and what to add. Between two changes of the pages registers alone tell
 * counts apart; a region remembers the sequence counts it has seen and takes the
 * way through here when they are others: after a context switch, a turn of
 * other counters on the PMU, an overflow. When a counter has no register at the
 * moment it takes read(2).
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "internal.h"

/* === Time === */

#define MEASURED_SHIFT 24

#if PC_HAS_REGISTERS

static __u64 time_stamp(void)
{
	struct pc_pair pair;

	pc_read_clock(&pair);
	return pc_pair_value(&pair);
}

static __u64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/*
 * A kernel that does not keep its time by the time stamp counter, in a virtual
 * machine for instance, or one of powerpc, does not say how fast that goes: by how far it is since
 * the set was opened, the better the longer ago that is.
 */
static void measure_clock(struct pc_set *set)
{
	__u64 ns, cycles;

	do {
		ns = monotonic_ns() - set->ns;
		cycles = time_stamp() - set->stamp;
	} while (!ns || !cycles);
	if (ns < 2 * set->measured)
		return;
	set->measured = ns;
	for (; ns >> (64 - MEASURED_SHIFT); ns >>= 1)
		cycles >>= 1;
	set->mult = (ns << MEASURED_SHIFT) / cycles;
	set->shift = MEASURED_SHIFT;
}

void set_clock_init(struct pc_set *set)
{
	set->ns = monotonic_ns();
	set->stamp = time_stamp();
}

__u64 set_ns(struct pc_set *set, __u64 cycles)
{
	__u64 part;

	if (!set->clocked)
		measure_clock(set);
	part = cycles & ((1ULL << set->shift) - 1);
	return (cycles >> set->shift) * set->mult + (part * set->mult >> set->shift);
}

#else

void set_clock_init(struct pc_set *set)
{
	(void)set;
}

__u64 set_ns(struct pc_set *set, __u64 cycles)
{
	(void)set;
	return cycles;
}

#endif

/* === Registers === */

/**
 * struct sample - all counters of a set at one moment, by register
 * @lock: sequence count of each page
 * @pmc: which register
 * @value: what it held
 * @offset: what to add
 * @width: bits of a register
 * @stamp: when
 * @enabled: ns that the set was to count until then
 * @running: ns that it did
 */
struct sample {
	__u32	lock[PC_MAX];
	__u32	pmc[PC_MAX];
	__u64	value[PC_MAX];
	__u64	offset[PC_MAX];
	__u32	width;
	__u64	stamp;
	__u64	enabled;
	__u64	running;
};

#if PC_HAS_REGISTERS

/* A register is a number of @width bits. */
static __u64 extended(__u64 value, __u32 width)
{
	unsigned int unused = 64 - width;

	return PC_REGISTERS_ARE_SIGNED ? (__u64)((__s64)(value << unused) >> unused) :
					 value << unused >> unused;
}

static const struct perf_event_mmap_page *page_of(const struct pc_set *set, unsigned int i)
{
	return (const void *)(set->pages + (size_t)i * PC_PAGE_ROOM);
}

/* Does @sample hold still? */
static bool pages_unchanged(const struct pc_set *set, const struct sample *sample)
{
	unsigned int i;

	pc_barrier();
	for (i = 0; i < set->nr; i++) {
		if (pc_load(pc_lock(set->pages, i)) != sample->lock[i] || sample->lock[i] & 1)
			return false;
	}
	return true;
}

/* Which registers. False if a counter has none now. */
static bool sample_pages(const struct pc_set *set, struct sample *sample)
{
	const struct perf_event_mmap_page *page;
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		sample->lock[i] = pc_load(pc_lock(set->pages, i));
	/* The pages are read anew from here on. */
	pc_barrier();
	for (i = 0; i < set->nr; i++) {
		page = page_of(set, i);
		sample->pmc[i] = page->index - 1;
		sample->offset[i] = page->offset;
		if (!page->index || !page->cap_user_rdpmc)
			return false;
	}
	sample->width = page_of(set, 0)->pmc_width;
	return true;
}

/* The times at the sample's stamp, by the leader's page or by read(2). False after fail(). */
static bool sample_times(struct pc_set *set, struct sample *sample)
{
	const struct perf_event_mmap_page *page = page_of(set, 0);
	struct pc_values values;
	__u64 since;

	set->clocked = page->cap_user_time && !page->cap_user_time_short;
	if (!set->clocked) {
		if (set_read(set, &values))
			return false;
		sample->enabled = values.enabled;
		sample->running = values.running;
		return true;
	}
	set->mult = page->time_mult;
	set->shift = page->time_shift;
	/* Since the page was written. */
	since = page->time_offset + set_ns(set, sample->stamp);
	sample->enabled = page->time_enabled + since;
	sample->running = page->time_running + since;
	return true;
}

/* All counters by register. False if it takes read(2), or after fail(). */
static bool sample_registers(struct pc_set *set, struct sample *sample)
{
	struct pc_pair pair;
	unsigned int i;

	do {
		if (!sample_pages(set, sample)) {
			if (pages_unchanged(set, sample))
				return false;
			continue;
		}
		if (!pages_unchanged(set, sample))
			continue;
		for (i = 0; i < set->nr; i++) {
			pc_read_pmc(sample->pmc[i], &pair);
			sample->value[i] = pc_pair_value(&pair);
		}
		sample->stamp = time_stamp();
		if (!sample_times(set, sample))
			return false;
	} while (!pages_unchanged(set, sample));
	return true;
}

#else

static __u64 extended(__u64 value, __u32 width)
{
	(void)width;
	return value;
}

static bool sample_registers(struct pc_set *set, struct sample *sample)
{
	(void)set;
	(void)sample;
	return false;
}

#endif

int pc_read(struct pc_set *set, struct pc_values *values)
{
	struct sample sample;
	unsigned int i;

	no_error();
	/* Only the thread they belong to has them in its registers. */
	if (!set->registers || set->owner != thread_here() || !sample_registers(set, &sample))
		return set_read(set, values);
	values->nr = set->nr;
	values->enabled = sample.enabled;
	values->running = sample.running;
	for (i = 0; i < set->nr; i++)
		values->count[i] = sample.offset[i] + extended(sample.value[i], sample.width);
	return 0;
}

/* === Regions === */

/* Nothing that the region knows holds from here on. */
static void forget_registers(struct pc_region *region)
{
	region->lock = 1;
	region->mask = ~0ULL;
}

void pc_region_init(struct pc_region *region, struct pc_set *set)
{
	memset(region, 0, sizeof(*region));
	region->set = set;
	region->pages = set->pages;
	region->nr = set->nr;
	forget_registers(region);
}

static struct pc_pair pair_of(__u64 value)
{
	return (struct pc_pair){ .low = value, .high = value >> 32 };
}

#if PC_HAS_REGISTERS

static void remember_registers(struct pc_region *region, const struct sample *sample)
{
	unsigned int i;

	region->lock = sample->lock[0];
	region->locks = 0;
	region->mask = ~0ULL >> (64 - sample->width);
	region->stamp = sample->stamp;
	region->enabled = sample->enabled;
	region->running = sample->running;
	for (i = 0; i < region->nr; i++) {
		region->locks += sample->lock[i];
		region->offset[i] = sample->offset[i];
		region->slot[i].pmc = sample->pmc[i];
	}
}

/* False if it takes read(2), or after fail(). What was done before it is not counted. */
static bool begin_by_register(struct pc_region *region)
{
	struct sample sample;

	do {
		forget_registers(region);
		if (!sample_registers(region->set, &sample))
			return false;
		remember_registers(region, &sample);
		pc_read_clock(&region->clock[0]);
	} while (pc_read_slots(region, region->pages, 0) != region->locks);
	return true;
}

#else

static bool begin_by_register(struct pc_region *region)
{
	(void)region;
	return false;
}

#endif

static void begin_by_value(struct pc_region *region, const struct pc_values *values)
{
	unsigned int i;

	region->enabled = values->enabled;
	region->running = values->running;
	for (i = 0; i < region->nr; i++)
		region->slot[i].at[0] = pair_of(values->count[i]);
}

void pc_begin_slow(struct pc_region *region)
{
	struct pc_set *set = region->set;
	struct pc_values values;

	region->failed = 0;
	forget_registers(region);
	if (set->owner != thread_here())
		region->failed = EPERM;
	else if (set->registers && begin_by_register(region))
		return;
	else if (set_read(set, &values))
		region->failed = errno;
	else
		begin_by_value(region, &values);
}

/* The region has begun by register, and goes on by value. */
static void begin_to_value(struct pc_region *region)
{
	__u64 since = set_ns(region->set, pc_pair_value(&region->clock[0]) - region->stamp);
	unsigned int width = 64 - __builtin_clzll(region->mask);
	struct pc_pair *begin;
	unsigned int i;

	region->enabled += since;
	region->running += since;
	for (i = 0; i < region->nr; i++) {
		begin = &region->slot[i].at[0];
		*begin = pair_of(region->offset[i] + extended(pc_pair_value(begin), width));
	}
}

void pc_end_slow(struct pc_region *region)
{
	struct pc_values values;
	unsigned int i;

	if (!(region->lock & 1))
		begin_to_value(region);
	forget_registers(region);
	if (!region->failed && pc_read(region->set, &values))
		region->failed = errno;
	if (region->failed)
		return;
	region->enabled = values.enabled - region->enabled;
	region->running = values.running - region->running;
	for (i = 0; i < region->nr; i++)
		region->slot[i].at[1] = pair_of(values.count[i]);
}

int pc_result(const struct pc_region *region, struct pc_values *values)
{
	unsigned int i;

	no_error();
	memset(values, 0, sizeof(*values));
	if (region->failed == EPERM)
		return fail(EPERM, "a region in a thread without its set: open one in each thread");
	if (region->failed)
		return fail(region->failed, "the counters cannot be read: %s",
			    strerror(region->failed));
	values->nr = region->nr;
	values->enabled = region->enabled;
	values->running = region->running;
	if (!(region->lock & 1)) {
		values->enabled = set_ns(region->set, pc_pair_value(&region->clock[1]) -
						      pc_pair_value(&region->clock[0]));
		values->running = values->enabled;
	}
	for (i = 0; i < region->nr; i++)
		values->count[i] = pc_count(region, i);
	return 0;
}
