// SPDX-License-Identifier: GPL-2.0
/*
 * A recording: records go from the buffers and from /proc into the file, and are counted on the
 * way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "file/file.h"
#include "measure/measure.h"
#include "recording.h"

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

/* Return the number of the group of an event, from 1, or 0 if the event is alone. */
static unsigned int group_of(const struct event_list *events, size_t e)
{
	size_t leader = events->events[e].leader;
	bool alone = leader == e &&
		     (e + 1 == events->nr || events->events[e + 1].leader != leader);

	return alone ? 0 : leader + 1;
}

int recording_open(struct recording *r, const char *path, int argc, char **argv, struct error *err)
{
	const struct event_list *events = r->buffers.counters->events;
	struct data_event *data = xcalloc(events->nr, sizeof(*data));
	int status = 0;
	size_t i;

	for (i = 0; !status && i < events->nr; i++) {
		data[i].attr = events->events[i].attr;
		attr_clear_extensions(&data[i].attr);
		/* The unwinder adds the callers of user mode to chains. */
		if (r->unwind && data[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			data[i].attr.exclude_callchain_user = 0;
		data[i].name = events->events[i].name;
		data[i].group = group_of(events, i);
		status = get_ids(r->buffers.counters, i, &data[i]);
	}
	if (status)
		error_set(err, "the counters have no ids: %s", strerror(errno));
	else
		r->file.writer = data_writer_open(path, data, events->nr, argc, argv, err);
	if (r->file.writer && r->buffers.overwrites && !data_writer_part(r->file.writer)) {
		error_set(err, "%s: snapshots cannot be written beside a device; give a file with -o",
			  path);
		status = -1;
	}
	if (r->file.writer && !status && r->unwind) {
		r->unwinder = unwinder_start(data, events->nr, err);
		status = r->unwinder ? 0 : -1;
	}
	for (i = 0; i < events->nr; i++)
		free(data[i].ids);
	free(data);
	return r->file.writer && !status ? 0 : -1;
}

void recording_compress(struct recording *r, int level)
{
	data_writer_compress(r->file.writer, level);
}

/* Note the contents of a record. Return: true if it has to be written. */
static bool note_record(struct recording *r, struct recording_file *file,
			const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		if (triggers_note(&r->triggers, record))
			return false;
		file->nr_samples++;
		break;
	case PERF_RECORD_LOST:
		triggers_forget(&r->triggers);
		if (record->size >= sizeof(struct lost_fields))
			file->nr_lost += ((const struct lost_fields *)record)->lost;
		break;
	case PERF_RECORD_THROTTLE:
		file->nr_throttled++;
		break;
	default:
		mapped_files_note(&r->files, record);
	}
	return true;
}

/* Write the bytes [@from, @to) of @records, or give them to the unwinder. */
static int write_some(struct recording *r, struct recording_file *file, const char *records,
		      size_t from, size_t to)
{
	if (from >= to)
		return 0;
	if (!r->unwinder)
		return data_writer_write(file->writer, records + from, to - from);
	unwinder_add(r->unwinder, records + from, to - from);
	return 0;
}

static int write_records(struct recording *r, struct recording_file *file, void *records,
			 size_t bytes)
{
	struct perf_event_header *record;
	size_t at, written = 0;
	int status = 0;

	for (at = 0; !status && at < bytes; at += record->size) {
		record = (struct perf_event_header *)((char *)records + at);
		/* After an invalid size no further record could be found. */
		if (record->size < sizeof(*record) || record->size > bytes - at)
			return -EIO;
		if (note_record(r, file, record)) {
			record_to_file(record);
			continue;
		}
		status = write_some(r, file, records, written, at);
		written = at + record->size;
	}
	return status ? status : write_some(r, file, records, written, bytes);
}

int recording_take(void *recording, void *records, size_t bytes)
{
	struct recording *r = recording;

	return write_records(r, &r->file, records, bytes);
}

static ssize_t drain(struct recording *r)
{
	return buffers_drain(&r->buffers, recording_take, r);
}

int recording_round(struct recording *r)
{
	/*
	 * A reader sorts at each end of a round: no record of a later round is older than the
	 * newest record of the round before this one.
	 */
	static const struct perf_event_header end_of_round = {
		.type = USER_RECORD_FINISHED_ROUND, .size = sizeof(end_of_round),
	};
	const char *end = (const char *)&end_of_round;
	ssize_t bytes = drain(r);
	int status;

	/*
	 * Do not mark rounds with overwritten buffers: their records are written at the end, and
	 * may be older than any round.
	 */
	if (bytes <= 0 || r->buffers.overwrites)
		return bytes < 0 ? bytes : 0;
	status = write_some(r, &r->file, end, 0, sizeof(end_of_round));
	if (!status && r->unwinder)
		status = unwinder_round(r->unwinder, r->file.writer);
	return status;
}

/*
 * Write a LOST record for records that the counters lost and that no LOST record reported. Records
 * that were overwritten do not count as lost.
 */
static int account_lost(struct recording *r)
{
	const struct event *events = r->buffers.counters->events->events;
	uint64_t lost = 0;
	size_t e;
	struct {
		struct lost_fields lost;
		uint64_t id[6];		/* the largest size that sample_id_all can need */
	} record = { 0 };

	for (e = 0; e < r->buffers.counters->events->nr; e++) {
		if (!events[e].attr.write_backward)
			lost += buffers_total(&r->buffers, e).lost;
	}
	if (lost <= r->file.nr_lost)
		return 0;
	record.lost.header.type = PERF_RECORD_LOST;
	record.lost.header.size = sizeof(record.lost) + record_id_size(events[0].attr.sample_type);
	record.lost.lost = lost - r->file.nr_lost;
	return recording_take(r, &record, record.lost.header.size);
}

/* The destination of a snapshot's records. */
struct snapshot {
	struct recording *recording;
	struct recording_file *file;
};

static int take_snapshot(void *snapshot, void *records, size_t bytes)
{
	const struct snapshot *s = snapshot;

	return write_records(s->recording, s->file, records, bytes);
}

/* Pause or resume overwritten buffers of perf_events, which do not report what is reserved. */
static int pause_output(const struct recording *r, bool pause)
{
	bool paused = false;
	int status = 0;
	size_t i;

	for (i = 0; i < r->buffers.nr; i++) {
		const struct ring_buffer *buffer = &r->buffers.all[i];

		if (!buffer->overwrite || buffer->rings[0].reserved)
			continue;
		paused = pause;
		if (ioctl(buffer->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause))
			status = -errno;
	}
	if (paused)
		syscall_finish_records();
	return status;
}

/* Write the contents of all overwritten buffers to @file. */
static int snapshot_all(struct recording *r, struct recording_file *file)
{
	int resumed, status = pause_output(r, true);
	struct snapshot s = { r, file };
	size_t i;

	for (i = 0; !status && i < r->buffers.nr; i++) {
		if (r->buffers.all[i].overwrite)
			status = ring_buffer_snapshot(&r->buffers.all[i], take_snapshot, &s);
	}
	resumed = pause_output(r, false);
	return status ? status : resumed;
}

/*
 * Fill a snapshot: first the records so far of tasks and mappings, then the overwritten buffers
 * with the samples, then the records of tasks and mappings that came before the last samples.
 */
static int fill_snapshot(struct recording *r, struct recording_file *file)
{
	uint64_t position = 0;
	int status;

	status = data_writer_copy(file->writer, r->file.writer, &position);
	if (!status)
		status = snapshot_all(r, file);
	if (!status)
		status = recording_round(r);
	if (!status)
		status = data_writer_copy(file->writer, r->file.writer, &position);
	return status;
}

static void write_build_ids(const struct recording *r, struct data_writer *w)
{
	if (!r->no_build_ids)
		mapped_files_write_build_ids(&r->files, w);
}

char *recording_snapshot(struct recording *r, uint64_t *nr_samples, struct error *err)
{
	struct recording_file file = { .writer = data_writer_clone(r->file.writer, err) };
	int status;

	if (!file.writer)
		return NULL;
	status = fill_snapshot(r, &file);
	write_build_ids(r, file.writer);
	*nr_samples = file.nr_samples;
	if (!status)
		return data_writer_close_snapshot(file.writer, err);
	error_set(err, "cannot write a snapshot: %s", strerror(-status));
	data_writer_keep(file.writer, err);
	return NULL;
}

char *recording_rotate(struct recording *r, uint64_t *nr_samples, struct error *err)
{
	struct data_writer *ended = r->file.writer;
	struct data_writer *next = data_writer_clone(ended, err);
	int status;

	if (!next)
		return NULL;
	status = data_writer_copy_state(next, ended);
	if (status) {
		error_set(err, "cannot begin the next file: %s", strerror(-status));
		data_writer_discard(next);
		return NULL;
	}
	write_build_ids(r, ended);
	*nr_samples = r->file.nr_samples - r->file.nr_rotated;
	r->file.nr_rotated = r->file.nr_samples;
	r->file.writer = next;
	return data_writer_close_snapshot(ended, err);
}

int recording_finish(struct recording *r)
{
	int status;

	syscall_finish_records();
	buffers_end(&r->buffers);
	status = recording_round(r);
	if (!status)
		status = account_lost(r);
	if (!status && r->unwinder)
		status = unwinder_finish(r->unwinder, r->file.writer);
	return status ? status : snapshot_all(r, &r->file);
}

int recording_close(struct recording *r, struct error *err)
{
	struct data_writer *w = r->file.writer;

	write_build_ids(r, w);
	r->file.writer = NULL;
	return data_writer_close(w, &r->file.bytes, err);
}

char *recording_close_timed(struct recording *r, struct error *err)
{
	struct data_writer *w = r->file.writer;

	if (!data_writer_part(w)) {
		error_set(err, "--timestamp-filename: the output has no name; give a file with -o");
		return NULL;
	}
	write_build_ids(r, w);
	r->file.writer = NULL;
	return data_writer_close_snapshot(w, err);
}

void recording_keep(struct recording *r, struct error *err)
{
	write_build_ids(r, r->file.writer);
	data_writer_keep(r->file.writer, err);
	r->file.writer = NULL;
}

void recording_free(struct recording *r)
{
	buffers_unmap(&r->buffers);
	unwinder_free(r->unwinder);
	if (r->file.writer)
		data_writer_discard(r->file.writer);
	mapped_files_free(&r->files);
	triggers_free(&r->triggers);
}
