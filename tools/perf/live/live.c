// SPDX-License-Identifier: GPL-2.0
/*
 * Records as they arrive, without a file.
 *
 * Reading all buffers once is a round. A record of one buffer may be older than a record that
 * was read from another buffer in the same round, but not older than one of the previous round.
 * So a record waits for the end of the next round. A thread reads the buffers, see backlog.h:
 * finding the symbols of a sample may take long, while the buffers fill up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>

#include "backlog.h"
#include "live.h"
#include "record/record.h"

/* The limit of waiting records, in bytes. */
#define QUEUE_BYTES_MAX (64UL << 20)

/* Apply a record in order of time. */
static void apply_record(void *context, const struct perf_event_header *header, uint64_t offset)
{
	struct live *live = context;
	struct record record;

	(void)offset;
	switch (record_decode(&live->events, header, &record)) {
	case RECORD_OK:
		break;
	case RECORD_UNKNOWN:
		return;
	case RECORD_STRAY:
	case RECORD_BAD:
		live->nr_bad++;
		return;
	}
	if (live->task && (record.type == PERF_RECORD_FORK || record.type == PERF_RECORD_EXIT))
		live->task(live->context, live, &record);
	machine_apply(&live->machine, &record);
	switch (record.type) {
	case PERF_RECORD_SAMPLE:
		live->sample(live->context, live, &record);
		break;
	case PERF_RECORD_EXIT:
		exited_threads_add(&live->exited, &live->machine.threads, record.task.tid);
		break;
	case PERF_RECORD_LOST:
		live->reported_lost += record.lost.lost;
		if (live->reported_lost > live->nr_lost)
			live->nr_lost = live->reported_lost;
		break;
	}
}

/* A ring_sink that queues records by time. */
static int queue_records(void *context, void *records, size_t bytes)
{
	const struct perf_event_header *header;
	struct live *live = context;
	uint64_t time;
	size_t at;

	for (at = 0; at < bytes; at += header->size) {
		header = (const struct perf_event_header *)((const char *)records + at);
		/* After an invalid size no further record could be found. */
		if (header->size < sizeof(*header) || header->size > bytes - at)
			return -EIO;
		time = record_time(&live->events, header);
		/* Synthesized records have no time and are applied at once. */
		if (time && time != UINT64_MAX)
			record_queue_add(&live->queue, header, time, 0);
		else
			apply_record(live, header, 0);
	}
	return 0;
}

static int add_ids(struct live *live, const struct counters *cs, size_t event)
{
	size_t i, nr = counters_per_event(cs);
	uint64_t id;

	for (i = 0; i < nr; i++) {
		int fd = cs->counters[event * nr + i].fd;

		if (fd < 0)
			continue;
		if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
			return -1;
		event_table_add_id(&live->events, event, id);
	}
	return 0;
}

static int add_events(struct live *live, const struct counters *cs, struct error *err)
{
	size_t i;

	for (i = 0; i < cs->events->nr; i++) {
		event_table_add(&live->events, &cs->events->events[i].attr);
		if (add_ids(live, cs, i)) {
			error_set(err, "the counters have no ids: %s", strerror(errno));
			return -1;
		}
	}
	return 0;
}

int live_open(struct live *live, struct counters *counters, struct event_list *events,
	      const struct target *target, pid_t command, size_t pages, struct error *err)
{
	struct utsname name;

	live->queue = (struct record_queue){
		.deliver = apply_record, .context = live, .bytes_max = QUEUE_BYTES_MAX,
	};
	live->sources.data_path = "";
	if (!uname(&name))
		live->features.osrelease = xstrdup(name.release);
	live->features.branch_registers = pmu_branch_registers(PMU_DEVICES);
	machine_init(&live->machine, &live->sources, &live->features);
	if (!pages)
		pages = BUFFERS_PAGES_LARGE;
	if (buffers_open(&live->buffers, counters, events, target, command, pages, err))
		return -1;
	return add_events(live, counters, err);
}

/* Read the existing tasks from /proc. The process of a command changes nothing before its exec. */
static int find_existing(struct live *live, struct synth *s, const struct target *target,
			 pid_t command)
{
	bool kernel_known;

	if (target->kind != TARGET_COMMAND)
		return attach(&live->buffers, s, target, &kernel_known);
	proc_scan_kernel(s);
	return proc_scan_tasks(s, target, NULL, command);
}

int live_start(struct live *live, const struct target *target, pid_t command,
	       struct watch *watch, struct error *err)
{
	const struct counters *counters = live->buffers.counters;
	struct process_files files = { 0 };
	struct synth s = {
		.sink = queue_records,
		.context = live,
		.sample_type = counters->events->events[0].attr.sample_type,
		.files = sampling_has_build_ids(counters->events) ? &files : NULL,
	};
	int status = find_existing(live, &s, target, command);

	process_files_free(&files);
	if (status) {
		error_set(err, "a record in a buffer is damaged: %s", strerror(-status));
		return -1;
	}
	live->backlog = backlog_start(&live->buffers, err);
	if (!live->backlog || watch_data(watch, backlog_fd(live->backlog), err))
		return -1;
	return target->kind == TARGET_COMMAND ? 0 : counters_enable(counters, err);
}

static void end_round(void *context)
{
	struct live *live = context;

	record_queue_round(&live->queue);
	exited_threads_round(&live->exited, &live->machine.threads);
}

int live_round(struct live *live)
{
	const struct backlog_taker taker = {
		.records = queue_records, .round = end_round, .context = live,
	};

	return backlog_take(live->backlog, &taker);
}

/*
 * Update the number of lost records from the counters. A buffer without free room cannot report its
 * losses in a LOST record.
 */
static void ask_for_lost(struct live *live)
{
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < live->buffers.counters->events->nr; i++)
		lost += buffers_total(&live->buffers, i).lost;
	if (lost > live->nr_lost)
		live->nr_lost = lost;
}

int live_catch_up(struct live *live)
{
	int status;

	dso_set_refresh(&live->machine.dsos);
	/* The second round delivers the records of the first one. */
	backlog_read_now(live->backlog);
	backlog_read_now(live->backlog);
	status = live_round(live);
	ask_for_lost(live);
	return status;
}

void live_close(struct live *live)
{
	if (!live->queue.deliver)
		return;
	backlog_stop(live->backlog);
	buffers_unmap(&live->buffers);
	record_queue_flush(&live->queue);
	machine_free(&live->machine);
	event_table_free(&live->events);
	data_features_free(&live->features);
	exited_threads_free(&live->exited);
}
