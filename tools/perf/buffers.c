// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that sample, and the buffers that they write to, as few of both as the
 * kernel allows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "abi.h"
#include "buffers.h"

/* Pages of a buffer per CPU that writes to it, and at most: 512 KiB, 16 MiB. */
#define DEFAULT_PAGES 128
#define DEFAULT_PAGES_MAX 4096

/* The smallest buffer that is worth having, in pages. */
#define PAGES_MIN 4

static void explain_map(int error, size_t pages, struct error *err)
{
	size_t kb = pages * sysconf(_SC_PAGESIZE) / 1024;

	if (error == EPERM)
		error_set(err,
			  "no permission to lock %zu KiB for a buffer: choose fewer pages with -m, or raise kernel.%s",
			  kb, abi_sysctl_name("mlock_kb"));
	else
		error_set(err, "cannot map a buffer of %zu KiB: %s", kb, strerror(error));
}

/*
 * All counters of one CPU, or of none, that overwrite what they wrote, or all
 * that do not, write to one buffer: that of the first.
 */
static int map_one(struct buffers *b, const struct counters *cs, size_t cpu, bool overwrite)
{
	int fd, first = -1, status;
	size_t e, t;

	for (e = 0; e < cs->events->nr; e++) {
		if (cs->events->events[e].attr.write_backward != overwrite)
			continue;
		for (t = 0; t < cs->tids.nr; t++) {
			fd = counters_at(cs, e, cpu, t)->fd;
			if (fd < 0)
				continue;
			if (first >= 0) {
				if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, first))
					return -errno;
				continue;
			}
			status = ring_buffer_map(&b->all[b->nr], fd, b->pages,
						 overwrite);
			if (status)
				return status;
			b->nr++;
			b->overwrites |= overwrite;
			first = fd;
		}
	}
	return 0;
}

void buffers_unmap(struct buffers *b)
{
	while (b->nr)
		ring_buffer_unmap(&b->all[--b->nr]);
	free(b->all);
	b->all = NULL;
}

static int map_all(struct buffers *b, const struct counters *cs)
{
	size_t cpu;
	int status = 0;

	b->all = xcalloc(cs->cpus.nr, 2 * sizeof(*b->all));
	for (cpu = 0; !status && cpu < cs->cpus.nr; cpu++) {
		status = map_one(b, cs, cpu, false);
		if (!status)
			status = map_one(b, cs, cpu, true);
	}
	if (status)
		buffers_unmap(b);
	return status;
}

/* With pages that nobody chose less is taken when so many are not allowed. */
static int map_allowed(struct buffers *b, const struct counters *counters, size_t pages,
		       bool chosen, struct error *err)
{
	int status;

	b->counters = counters;
	b->pages = pages;
	while ((status = map_all(b, counters)) == -EPERM && !chosen && b->pages > PAGES_MIN)
		b->pages /= 2;
	if (!status)
		return 0;
	explain_map(-status, b->pages, err);
	return -1;
}

/* How large a buffer is that nobody chose, given how many CPUs write to it. */
static size_t default_pages(const struct target *target, bool per_cpu)
{
	size_t pages = DEFAULT_PAGES, cpus;

	if (per_cpu)
		return pages;
	for (cpus = 1; cpus < target->online.nr && pages < DEFAULT_PAGES_MAX; cpus *= 2)
		pages *= 2;
	return pages;
}

/*
 * A kernel without perf_counter_open maps counters of one CPU only, when they
 * are inherited. A buffer that several CPUs write to is best divided among them.
 */
int buffers_open(struct buffers *b, struct counters *counters, struct event_list *events,
		 const struct target *target, pid_t command, size_t pages, struct error *err)
{
	bool per_cpu = counters_are_per_cpu(target, !abi_is_perf_counter());
	bool subrings = !per_cpu && abi_has_subrings(), chosen = pages;
	size_t i;
	int error;

	if (!chosen)
		pages = default_pages(target, per_cpu);
	for (i = 0; i < events->nr; i++) {
		struct perf_event_attr *attr = &events->events[i].attr;

		abi_set_subrings(attr, subrings);
		/* How large each part will be the kernel decides: 0 is half of it. */
		attr->wakeup_watermark = subrings ? 0 : pages * sysconf(_SC_PAGESIZE) / 4;
	}
	if (counters_open(counters, events, target, command, per_cpu, err))
		return -1;
	for (i = 0; i < events->nr; i++) {
		error = counters_event_error(counters, i);
		if (error) {
			counters_explain(&events->events[i], error, -1, -1, err);
			return -1;
		}
	}
	return map_allowed(b, counters, pages, chosen, err);
}

int buffers_watch(const struct buffers *b, struct watch *w, struct error *err)
{
	size_t e, i, nr = counters_per_event(b->counters);

	for (e = 0; e < b->counters->events->nr; e++) {
		if (b->counters->events->events[e].attr.write_backward)
			continue;
		for (i = 0; i < nr; i++) {
			const struct counter *counter = &b->counters->counters[e * nr + i];

			if (counter->fd >= 0 && watch_data(w, counter->fd, err))
				return -1;
		}
	}
	return 0;
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

struct event_total buffers_total(const struct buffers *b, size_t event)
{
	const struct counters *cs = b->counters;
	struct event_total total = { 0 };
	size_t i, nr = counters_per_event(cs);

	for (i = 0; i < nr; i++) {
		const struct counter *counter = &cs->counters[event * nr + i];
		uint64_t words[3] = { 0 };	/* value, id, and lost where it is asked for */

		/* Inherited counters are counted in. */
		if (counter->fd >= 0 && read(counter->fd, words, sizeof(words)) > 0) {
			total.value += words[0];
			total.lost += words[2];
		}
	}
	return total;
}
