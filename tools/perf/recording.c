// SPDX-License-Identifier: GPL-2.0
/*
 * A recording in the making: records go from the rings, and from what is made
 * up of /proc, into the file, and are counted on the way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "abi.h"
#include "recording.h"
#include "synth.h"

/* Between two of these, a reader has to sort; records never belong before the one before last. */
#define RECORD_FINISHED_ROUND 68

/* The smallest ring that is worth having, in pages. */
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

/* All counters of one CPU, or of none, write to one ring: that of the first. */
static int map_one(struct recording *r, const struct counters *cs, size_t cpu)
{
	struct ring *ring = &r->rings[r->nr_rings];
	int fd, first = -1, status;
	size_t e, t;

	for (e = 0; e < cs->events->nr; e++) {
		for (t = 0; t < cs->tids.nr; t++) {
			fd = counters_at(cs, e, cpu, t)->fd;
			if (fd < 0)
				continue;
			if (first >= 0) {
				if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, first))
					return -errno;
				continue;
			}
			status = ring_map(ring, fd, r->ring_pages);
			if (status)
				return status;
			r->nr_rings++;
			first = fd;
		}
	}
	return 0;
}

static void unmap_all(struct recording *r)
{
	while (r->nr_rings)
		ring_unmap(&r->rings[--r->nr_rings]);
	free(r->rings);
	r->rings = NULL;
}

static int map_all(struct recording *r, const struct counters *cs)
{
	size_t cpu;
	int status = 0;

	r->rings = xcalloc(cs->cpus.nr, sizeof(*r->rings));
	for (cpu = 0; !status && cpu < cs->cpus.nr; cpu++)
		status = map_one(r, cs, cpu);
	if (status)
		unmap_all(r);
	return status;
}

int recording_map(struct recording *r, const struct counters *counters, size_t pages, bool exact,
		  struct error *err)
{
	int status;

	r->counters = counters;
	r->ring_pages = pages;
	while ((status = map_all(r, counters)) == -EPERM && !exact && r->ring_pages > PAGES_MIN)
		r->ring_pages /= 2;
	if (!status)
		return 0;
	explain_map(-status, r->ring_pages, err);
	return -1;
}

int recording_watch(const struct recording *r, struct watch *w, struct error *err)
{
	size_t i, nr = r->counters->events->nr * counters_per_event(r->counters);

	for (i = 0; i < nr; i++) {
		if (r->counters->counters[i].fd >= 0 &&
		    watch_data(w, r->counters->counters[i].fd, err))
			return -1;
	}
	return 0;
}

static int get_ids(const struct counters *cs, size_t event, struct data_event *data)
{
	size_t i, nr = counters_per_event(cs);
	const struct counter *first = &cs->counters[event * nr];

	data->ids = xcalloc(nr, sizeof(*data->ids));
	for (i = 0; i < nr; i++) {
		if (first[i].fd < 0)
			continue;
		if (ioctl(first[i].fd, PERF_EVENT_IOC_ID, &data->ids[data->nr_ids]))
			return -1;
		data->nr_ids++;
	}
	return 0;
}

int recording_open(struct recording *r, const char *path, int argc, char **argv, struct error *err)
{
	const struct event_list *events = r->counters->events;
	struct data_event *data = xcalloc(events->nr, sizeof(*data));
	int status = 0;
	size_t i;

	for (i = 0; !status && i < events->nr; i++) {
		data[i].attr = events->events[i].attr;
		data[i].name = events->events[i].name;
		status = get_ids(r->counters, i, &data[i]);
	}
	if (status)
		error_set(err, "the counters have no ids: %s", strerror(errno));
	else
		r->writer = data_writer_open(path, data, events->nr, argc, argv, err);
	for (i = 0; i < events->nr; i++)
		free(data[i].ids);
	free(data);
	return r->writer ? 0 : -1;
}

/* {header, id, lost}; see PERF_RECORD_LOST in <linux/perf_event.h>. */
struct lost_fields {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

static void note(struct recording *r, const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		r->nr_samples++;
		break;
	case PERF_RECORD_LOST:
		if (record->size >= sizeof(struct lost_fields))
			r->nr_lost += ((const struct lost_fields *)record)->lost;
		break;
	default:
		mapped_files_note(&r->files, record);
	}
}

int recording_take(void *recording, const void *records, size_t bytes)
{
	const struct perf_event_header *record;
	struct recording *r = recording;
	size_t at;

	for (at = 0; at < bytes; at += record->size) {
		record = (const struct perf_event_header *)((const char *)records + at);
		/* What is no record would put every one after it out of step. */
		if (record->size < sizeof(*record) || record->size > bytes - at)
			return -EIO;
		note(r, record);
	}
	return data_writer_write(r->writer, records, bytes);
}

/* Read all rings once. Return: how many bytes there were, or a negative errno. */
static ssize_t drain(struct recording *r)
{
	ssize_t bytes, all = 0;
	size_t i;

	for (i = 0; i < r->nr_rings; i++) {
		bytes = ring_drain(&r->rings[i], recording_take, r);
		if (bytes < 0)
			return bytes;
		all += bytes;
	}
	return all;
}

int recording_take_and_drain(void *recording, const void *records, size_t bytes)
{
	int status = recording_take(recording, records, bytes);
	ssize_t drained;

	if (status)
		return status;
	drained = drain(recording);
	return drained < 0 ? drained : 0;
}

int recording_round(struct recording *r)
{
	static const struct perf_event_header end_of_round = {
		.type = RECORD_FINISHED_ROUND, .size = sizeof(end_of_round),
	};
	ssize_t bytes = drain(r);

	if (bytes <= 0)
		return bytes;
	return data_writer_write(r->writer, &end_of_round, sizeof(end_of_round));
}

/* The sum of what the counters say they lost; inherited ones are counted in. */
static uint64_t count_lost(const struct counters *cs)
{
	size_t e, i, nr = counters_per_event(cs);
	uint64_t words[3], lost = 0;	/* value, id, lost */

	for (e = 0; e < cs->events->nr; e++) {
		if (!(cs->events->events[e].attr.read_format & PERF_FORMAT_LOST))
			continue;
		for (i = 0; i < nr; i++) {
			const struct counter *counter = &cs->counters[e * nr + i];

			if (counter->fd >= 0 &&
			    read(counter->fd, words, sizeof(words)) == sizeof(words))
				lost += words[2];
		}
	}
	return lost;
}

int recording_account_lost(struct recording *r)
{
	const struct event *first = &r->counters->events->events[0];
	uint64_t lost = count_lost(r->counters);
	struct {
		struct lost_fields lost;
		uint64_t id[6];		/* as much as sample_id_all can ask for */
	} record = { 0 };

	if (lost <= r->nr_lost)
		return 0;
	record.lost.header.type = PERF_RECORD_LOST;
	record.lost.header.size = sizeof(record.lost) + synth_id_size(first->attr.sample_type);
	record.lost.lost = lost - r->nr_lost;
	return recording_take(r, &record, record.lost.header.size);
}

int recording_close(struct recording *r)
{
	int status;

	mapped_files_write_build_ids(&r->files, r->writer);
	status = data_writer_close(r->writer);
	r->writer = NULL;
	return status;
}

void recording_free(struct recording *r)
{
	unmap_all(r);
	if (r->writer)
		data_writer_close(r->writer);
	mapped_files_free(&r->files);
}
