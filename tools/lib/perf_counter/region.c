// SPDX-License-Identifier: GPL-2.0
/*
 * Reading counters by register, and the slow paths of regions.
 *
 * A user page contains, under its sequence count, the register of its counter
 * and the difference to the count. Between two changes of the pages, two
 * readings of a register give the count of a region. A region remembers the
 * sequence counts for which its registers are valid, and calls the functions
 * here when they have changed: after a context switch, a rotation of counters
 * on the PMU, or an overflow. A counter without a register is read by read(2).
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* === Registers === */

/**
 * struct sample - all counters of a set at one moment, read by register
 * @lock: sequence count of each page
 * @pmc: register of each counter
 * @value: value of each register
 * @offset: difference between count and register
 * @width: bits of a register
 * @stamp: time stamp of the moment
 * @enabled: time for which the set was enabled until @stamp, ns
 * @running: time for which the set was on the PMU until @stamp, ns
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

/* Extend a register of @width bits to 64 bits. */
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

/* Return true if the pages have not changed since @sample was taken. */
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

/*
 * Read the pages: registers and offsets. Return: false if a counter has no
 * register now.
 */
static bool sample_pages(const struct pc_set *set, struct sample *sample)
{
	const struct perf_event_mmap_page *page;
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		sample->lock[i] = pc_load(pc_lock(set->pages, i));
	/* Read the sequence counts before the other contents of the pages. */
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

/*
 * Set the enabled and running times at the time stamp of @sample, from the
 * leader's page or by read(2). Return: false after fail().
 */
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
	/* The time since the kernel wrote the page, in ns. */
	since = page->time_offset + set_ns(set, sample->stamp);
	sample->enabled = page->time_enabled + since;
	sample->running = page->time_running + since;
	return true;
}

/*
 * Read all counters by register. Return: false if read(2) is needed, or after
 * fail().
 */
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
	/* The registers belong to the thread that opened the set. */
	if (!set->registers || set->owner != thread_here() || !sample_registers(set, &sample))
		return set_read(set, values);
	values->nr = set->nr;
	values->enabled = sample.enabled;
	values->running = sample.running;
	for (i = 0; i < set->nr; i++)
		values->count[i] = sample.offset[i] + extended(sample.value[i], sample.width);
	return 0;
}

int pc_read_self(struct pc_set *set, struct pc_values *values)
{
	if (!set->shared && set->owner == thread_here())
		return pc_read(set, values);
	no_error();
	if (!set->shared)
		return fail(EPERM, "the set belongs to another thread: use pc_open_shared()");
	return set_read_self(set, values);
}

/* === Regions === */

/* Invalidate the registers that the region remembers. */
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

/*
 * Begin a region by register, and repeat if the registers change meanwhile.
 * Return: false if read(2) is needed, or after fail().
 */
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
	if (!set->shared && set->owner != thread_here())
		region->failed = EPERM;
	else if (set->registers && begin_by_register(region))
		return;
	else if (set_read_self(set, &values))
		region->failed = errno;
	else
		begin_by_value(region, &values);
}

/*
 * Convert the start of a region from values of registers to counts and times,
 * because the registers are not valid any more.
 */
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
	if (!region->failed && pc_read_self(region->set, &values))
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
		return fail(EPERM,
			    "the set belongs to another thread: open one in each thread, or use pc_open_shared()");
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
