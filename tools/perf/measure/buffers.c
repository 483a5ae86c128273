// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that sample, and the buffers that they write to. There are as few counters and buffers
 * as the kernel allows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "syscall.h"
#include "buffers.h"
#include "counter_error.h"

/*
 * Default size of a buffer, in pages: 512 KiB for each CPU that writes to the buffer, but at most
 * 16 MiB.
 */
#define DEFAULT_PAGES 128
#define DEFAULT_PAGES_MAX 4096

/* The smallest useful buffer, in pages. */
#define PAGES_MIN 4

static void explain_map(int error, size_t pages, struct error *err)
{
	size_t kb = pages * sysconf(_SC_PAGESIZE) / 1024;

	if (error == EPERM)
		error_set(err,
			  "no permission to lock %zu KiB for a buffer: choose fewer pages with -m, or raise kernel.%s",
			  kb, perf_sysctl_name("mlock_kb"));
	else
		error_set(err, "cannot map a buffer of %zu KiB: %s", kb, strerror(error));
}

/*
 * Return the buffer for counters of a CPU: the overwritten one, or the one that is not overwritten.
 */
static struct output_ring *output_of(const struct buffers *b, size_t cpu, bool overwrite)
{
	return &b->outputs[2 * cpu + overwrite];
}

/* Have a counter write to the buffer of its CPU; the first counter maps that buffer. */
static int map_one(struct buffers *b, struct counter *counter, size_t cpu, bool overwrite)
{
	struct output_ring *output = output_of(b, cpu, overwrite);
	int status;

	if (counter->fd < 0 || counter->has_buffer)
		return 0;
	if (output->is_mapped) {
		if (ioctl(counter->fd, PERF_EVENT_IOC_SET_OUTPUT, output->fd))
			return -errno;
	} else {
		status = ring_buffer_map(&b->all[b->nr], counter->fd, b->pages, overwrite);
		if (status)
			return status;
		b->nr++;
		b->overwrites |= overwrite;
		*output = (struct output_ring){ .is_mapped = true, .fd = counter->fd };
	}
	counter->has_buffer = true;
	return 0;
}

/* Give a buffer to each open counter that has none. */
static int map_all(struct buffers *b)
{
	const struct counters *cs = b->counters;
	size_t e, c, t;
	int status;

	for (e = 0; e < cs->events->nr; e++) {
		for (c = 0; c < cs->cpus.nr; c++) {
			for (t = 0; t < cs->tids.nr; t++) {
				status = map_one(b, counters_at(cs, e, c, t), c,
						 cs->events->events[e].attr.write_backward);
				if (status)
					return status;
			}
		}
	}
	return 0;
}

void buffers_unmap(struct buffers *b)
{
	while (b->nr)
		ring_buffer_unmap(&b->all[--b->nr]);
	free(b->all);
	free(b->outputs);
	b->all = NULL;
	b->outputs = NULL;
}

/* Map the buffers of the open counters, and enable early events. */
static int map_and_enable(struct buffers *b, struct error *err)
{
	const struct counters *cs = b->counters;
	size_t e;

	b->error = map_all(b);
	if (b->error)
		return -1;
	for (e = 0; e < cs->events->nr; e++) {
		if (cs->events->events[e].early && counters_enable_event(cs, e, err))
			return -1;
	}
	return 0;
}

/* The callbacks of struct counters_early. */
static int begin_early(void *context, struct error *err)
{
	struct buffers *b = context;

	b->all = xcalloc(b->counters->cpus.nr, 2 * sizeof(*b->all));
	b->outputs = xcalloc(b->counters->cpus.nr, 2 * sizeof(*b->outputs));
	return map_and_enable(b, err);
}

static void undo_early(void *context)
{
	buffers_unmap(context);
}

/* Choose the size of a buffer by the number of CPUs that write to it. */
static size_t default_pages(const struct target *target, bool per_cpu)
{
	size_t pages = DEFAULT_PAGES, cpus;

	if (per_cpu)
		return pages;
	for (cpus = 1; cpus < target->online.nr && pages < DEFAULT_PAGES_MAX; cpus *= 2)
		pages *= 2;
	return pages;
}

static int refuse_missing(const struct counters *cs, struct error *err)
{
	size_t e;
	int error;

	for (e = 0; e < cs->events->nr; e++) {
		error = counters_event_error(cs, e);
		if (error) {
			counter_explain(&cs->events->events[e], error, -1, -1, err);
			return -1;
		}
	}
	return 0;
}

/* Open counters and map buffers of b->pages; b->error is set if mapping failed. */
static int open_with_pages(struct buffers *b, struct counters *counters,
			   struct event_list *events, const struct target *target,
			   pid_t command, bool per_cpu, struct error *err)
{
	const struct counters_early early = { begin_early, undo_early, b };
	/* A buffer that several CPUs write to is divided among them. */
	bool subrings = !per_cpu && syscall_has_subrings();
	size_t e;

	for (e = 0; e < events->nr; e++) {
		struct perf_event_attr *attr = &events->events[e].attr;

		attr_set_subrings(attr, subrings);
		/*
		 * The kernel chooses the size of each part: a watermark of 0 means half of it.
		 */
		if (attr->watermark)
			attr->wakeup_watermark =
				subrings ? 0 : b->pages * sysconf(_SC_PAGESIZE) / 4;
	}
	b->counters = counters;
	b->error = 0;
	if (counters_open(counters, events, target, command,
			  per_cpu ? COUNTERS_OPEN_CPUS : COUNTERS_SUM, &early, err))
		return -1;
	if (!refuse_missing(counters, err) && !map_and_enable(b, err))
		return 0;
	buffers_unmap(b);
	counters_close(counters);
	return -1;
}

/*
 * Open counters and map their buffers. Without perf_counter_open, open one counter per CPU: the
 * kernel refuses to map the buffer of an inherited counter that is not bound to one CPU.
 */
int buffers_open(struct buffers *b, struct counters *counters, struct event_list *events,
		 const struct target *target, pid_t command, size_t pages, struct error *err)
{
	bool per_cpu = counters_are_per_cpu(target, syscall_is_perf_counter() ? COUNTERS_SUM :
					    COUNTERS_OPEN_CPUS);
	bool is_default = !pages || pages == BUFFERS_PAGES_LARGE;

	b->pages = is_default ? default_pages(target, per_cpu) : pages;
	if (pages == BUFFERS_PAGES_LARGE && !geteuid())
		b->pages *= 4;
	/*
	 * If the user gave no size, halve the default until the user is allowed to lock so much
	 * memory.
	 */
	while (open_with_pages(b, counters, events, target, command, per_cpu, err)) {
		if (b->error != -EPERM || !is_default || b->pages <= PAGES_MIN) {
			if (b->error)
				explain_map(-b->error, b->pages, err);
			return -1;
		}
		b->pages /= 2;
	}
	return 0;
}

int buffers_each_readable(const struct buffers *b,
			  int (*each)(void *context, int fd, struct error *err), void *context,
			  struct error *err)
{
	size_t e, i, nr = counters_per_event(b->counters);

	for (e = 0; e < b->counters->events->nr; e++) {
		if (b->counters->events->events[e].attr.write_backward)
			continue;
		for (i = 0; i < nr; i++) {
			const struct counter *counter = &b->counters->counters[e * nr + i];

			if (counter->fd >= 0 && each(context, counter->fd, err))
				return -1;
		}
	}
	return 0;
}

static int watch_descriptor(void *context, int fd, struct error *err)
{
	return watch_data(context, fd, err);
}

int buffers_watch(const struct buffers *b, struct watch *w, struct error *err)
{
	return buffers_each_readable(b, watch_descriptor, w, err);
}

ssize_t buffers_drain(const struct buffers *b, ring_sink sink, void *context)
{
	ssize_t bytes, all = 0;
	size_t i;

	for (i = 0; i < b->nr; i++) {
		if (b->all[i].overwrite)
			continue;
		bytes = ring_buffer_drain(&b->all[i], sink, context);
		if (bytes < 0)
			return bytes;
		all += bytes;
	}
	return all;
}

void buffers_end(const struct buffers *b)
{
	size_t i;

	for (i = 0; i < b->nr; i++) {
		if (!b->all[i].overwrite)
			ring_buffer_end(&b->all[i]);
	}
}

struct event_total buffers_total(const struct buffers *b, size_t event)
{
	const struct counters *cs = b->counters;
	struct event_total total = { 0 };
	size_t i, nr = counters_per_event(cs);

	for (i = 0; i < nr; i++) {
		const struct counter *counter = &cs->counters[event * nr + i];
		uint64_t words[3] = { 0 };	/* value, id, and lost if asked for */

		/* The value includes inherited counters. */
		if (counter->fd >= 0 && read(counter->fd, words, sizeof(words)) > 0) {
			total.value += words[0];
			total.lost += words[2];
		}
	}
	return total;
}
