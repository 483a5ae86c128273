// SPDX-License-Identifier: GPL-2.0
/*
 * perf report --wall: the time that passed for each thread.
 *
 * The recording is read twice. First the time on the CPU of each thread is measured by its context
 * switches, and the weights of its samples are summed up. Then each sample stands for its share of
 * that time, and each span off the CPU for itself, so that the rows of a thread add up to its life.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "sched/sched.h"
#include "wall/wall.h"
#include "callers.h"
#include "pager.h"
#include "report_wall.h"

#include "../../../include/uapi/linux/perf_counter.h"

/**
 * struct wall_share - sums of a thread, and the place at which it stopped last
 * @on_cpu: time on the CPU in ns
 * @weight: sum of the periods of its samples
 * @seen: sum of the periods of its samples so far
 * @wanted: no filter excludes the thread
 * @placed: @point and @frames are those at which the thread stopped last
 * @point: sort keys
 * @frames: call chain, without functions of the scheduler
 * @nr: number of @frames
 */
struct wall_share {
	uint64_t on_cpu;
	uint64_t weight;
	uint64_t seen;
	bool wanted;
	bool placed;
	struct sample_point point;
	struct location *frames;
	size_t nr;
};

/**
 * struct wall_reader - state while a recording is read
 * @wall: options
 * @keys: sort keys
 * @timeline: threads
 * @shares: sums of each thread, by its number
 * @nr: number of @shares
 * @measured: true in the second reading
 * @clock: index of the event whose samples share the time on the CPU; SIZE_MAX: none so far
 * @has_switches: sched_switch says why threads stop
 * @has_off_cpu: the event for time off the CPU says why threads stop
 * @nr_looked: number of events that @has_off_cpu takes into account
 * @has_waking: sched_waking says what wakes threads up
 * @nr_bad: number of events without the expected fields
 * @texts: interned texts
 * @histories: spans of each thread, by its number, for its critical path
 * @nr_histories: number of @histories
 * @chain: call chain of the current sample
 * @hist: rows
 */
struct wall_reader {
	const struct report_wall *wall;
	struct sort_keys keys;
	struct wall_timeline timeline;
	struct wall_share *shares;
	size_t nr;
	bool measured;
	size_t clock;
	bool has_switches;
	bool has_off_cpu;
	size_t nr_looked;
	bool has_waking;
	uint64_t nr_bad;
	struct intern_table texts;
	struct wall_history *histories;
	size_t nr_histories;
	struct callchain chain;
	struct hist hist;
};

static struct wall_share *share_of(struct wall_reader *reader, const struct wall_thread *thread)
{
	if (thread->number >= reader->nr) {
		reader->shares = xreallocarray(reader->shares, thread->number * 2 + 64,
					       sizeof(*reader->shares));
		memset(reader->shares + reader->nr, 0,
		       (thread->number * 2 + 64 - reader->nr) * sizeof(*reader->shares));
		reader->nr = thread->number * 2 + 64;
	}
	return &reader->shares[thread->number];
}

static struct wall_history *history_of(struct wall_reader *reader,
				       const struct wall_thread *thread)
{
	const size_t before = reader->nr_histories;

	if (thread->number >= before) {
		reader->nr_histories = thread->number * 2 + 64;
		reader->histories = xreallocarray(reader->histories, reader->nr_histories,
						  sizeof(*reader->histories));
		memset(reader->histories + before, 0,
		       (reader->nr_histories - before) * sizeof(*reader->histories));
	}
	return &reader->histories[thread->number];
}

static struct thread *thread_of(struct session *session, const struct record *record)
{
	return thread_get(&session->machine.threads, record->id.pid, record->id.tid);
}

static bool is_scheduler(const struct location *at)
{
	return at->mode == MODE_KERNEL && at->symbol &&
	       wall_is_scheduler_function(symbol_name(at->symbol));
}

/* Resolve the chain of a sample. Return: the number of innermost functions of the scheduler. */
static size_t resolve(struct wall_reader *reader, struct session *session,
		      const struct record *record, struct location *at)
{
	struct thread *thread = thread_of(session, record);
	size_t first = 0;

	machine_resolve(&session->machine, thread, cpu_mode_of(record->misc), record->sample.ip,
			at);
	reader->chain.nr = 0;
	callchain_resolve(&reader->chain, &session->machine, thread, record);
	report_view_cut(reader->wall->view, &reader->chain, at);
	while (first + 1 < reader->chain.nr && is_scheduler(&reader->chain.frames[first]))
		first++;
	return first;
}

/* Keep the place at which a thread stopped. Return: the reason, which the place may refine. */
static enum wall_state keep_place(struct wall_reader *reader, struct session *session,
				  struct wall_share *share, const struct record *record,
				  enum wall_state state)
{
	const struct callchain *chain = &reader->chain;
	size_t first, i;

	memset(&share->point, 0, sizeof(share->point));
	first = resolve(reader, session, record, &share->point.at);
	sample_point_start(&share->point, &session->machine, thread_of(session, record), record);
	for (i = 0; i < chain->nr && chain->frames[i].mode == MODE_KERNEL; i++) {
		if (chain->frames[i].symbol &&
		    wall_state_refine(&state, symbol_name(chain->frames[i].symbol)))
			break;
	}
	share->placed = true;
	share->nr = chain->nr - first;
	if (share->nr) {
		share->frames = xreallocarray(share->frames, share->nr, sizeof(*share->frames));
		memcpy(share->frames, chain->frames + first, share->nr * sizeof(*share->frames));
		share->point.at = share->frames[0];
	}
	return state;
}

/* Return the name of a location as a text. */
static const char *text_of(struct wall_reader *reader, const struct location *at)
{
	char text[24];

	if (at->symbol)
		return intern(&reader->texts, symbol_name(at->symbol));
	snprintf(text, sizeof(text), "0x%" PRIx64, at->ip);
	return intern(&reader->texts, text);
}

/* Return the current chain as "main;give;futex_wake", the outermost function first. */
static const char *folded_chain(struct wall_reader *reader, size_t first)
{
	const char *interned;
	char *text;
	size_t size, i;
	FILE *out;

	out = open_memstream(&text, &size);
	if (!out)
		die("out of memory");
	for (i = reader->chain.nr; i > first; i--) {
		fputs(text_of(reader, &reader->chain.frames[i - 1]), out);
		fputs(i - 1 > first ? ";" : "", out);
	}
	fclose(out);
	interned = intern(&reader->texts, text);
	free(text);
	return interned;
}

/* Fill in the function that woke a thread up: of the program, or of an interrupt. */
static void place_waker(struct wall_reader *reader, struct session *session,
			const struct record *record, struct wall_waker *waker)
{
	struct location at;
	size_t first = resolve(reader, session, record, &at), i;

	waker->place = text_of(reader, reader->chain.nr ? &reader->chain.frames[first] : &at);
	for (i = first; i < reader->chain.nr && !waker->interrupt; i++) {
		if (is_user_caller(&reader->chain.frames[i])) {
			waker->place = text_of(reader, &reader->chain.frames[i]);
			break;
		}
	}
	if (sort_keys_have(&reader->keys, "waker_chain"))
		waker->chain = folded_chain(reader, first);
}

static const char *waker_text(struct wall_reader *reader, const struct wall_span *span)
{
	const struct wall_waker *waker = span->waker;
	const char *interned;
	char *text;

	if (span->state == WALL_PREEMPTED || span->state == WALL_UNKNOWN)
		return "";
	if (!waker->known)
		return LOCATION_NOT_RECORDED;
	if (waker->interrupt)
		text = xasprintf("an interrupt: %s", waker->place);
	else if (waker->created)
		text = xasprintf("created by %s[%" PRId32 "]", waker->comm, waker->tid);
	else
		text = xasprintf("%s[%" PRId32 "] %s", waker->comm, waker->tid, waker->place);
	interned = intern(&reader->texts, text);
	free(text);
	return interned;
}

/* Add @ns to the row of a point, a state and a waker. */
static void add_row(struct wall_reader *reader, struct sample_point *point,
		    const struct callchain *chain, const char *state, const char *waker,
		    const char *waker_chain, uint64_t ns)
{
	size_t i;

	for (i = 0; i < reader->keys.nr; i++) {
		const struct sort_key *key = reader->keys.keys[i];

		if (!key->field)
			continue;
		if (!strcmp(key->field, "state"))
			point->fields[key->slot] = state;
		else
			point->fields[key->slot] = strcmp(key->field, "waker") ? waker_chain :
										 waker;
	}
	if (ns)
		hist_add(&reader->hist, point, chain, ns);
}

/* Keep a span for critical paths. */
static void keep_span(struct wall_reader *reader, const struct wall_span *span,
		      const struct sample_point *point)
{
	struct wall_part part = {
		.state = span->state, .start = span->start, .end = span->end,
		.waker = *span->waker, .by = SIZE_MAX,
		.place = point ? text_of(reader, &point->at) : NULL,
	};
	const struct wall_thread *by;

	if (part.waker.known && !part.waker.interrupt) {
		by = wall_find(&reader->timeline, part.waker.tid);
		part.by = by ? by->number : SIZE_MAX;
	}
	wall_history_add(history_of(reader, span->thread), &part);
}

static void take_span(void *context, const struct wall_span *span)
{
	static const struct sample_point nowhere;
	struct wall_reader *reader = context;
	struct wall_share *share = share_of(reader, span->thread);
	const bool placed = share->placed && span->state != WALL_UNKNOWN;
	const struct callchain chain = { share->frames, placed ? share->nr : 0, 0 };
	struct sample_point point = placed ? share->point : nowhere;

	if (!reader->measured)
		return;
	if (reader->wall->path)
		keep_span(reader, span, placed && span->state != WALL_ON_CPU ? &point : NULL);
	if (span->state == WALL_ON_CPU || !share->wanted)
		return;
	point.tid = span->thread->tid;
	point.pid = span->thread->pid;
	point.comm = span->thread->comm ?: "";
	if (!placed)
		point.at.mode = MODE_NOWHERE;
	add_row(reader, &point, &chain, wall_state_name(span->state), waker_text(reader, span),
		span->waker->chain ?: "", span->end - span->start);
}

/* Return the part of the time on the CPU that a sample stands for. */
static uint64_t take_part(struct wall_share *share, uint64_t weight)
{
	const unsigned __int128 on_cpu = share->on_cpu;
	const uint64_t before = on_cpu * share->seen / share->weight;

	share->seen += weight;
	return on_cpu * share->seen / share->weight - before;
}

static void take_clock(struct wall_reader *reader, struct session *session,
		       const struct record *record)
{
	const uint64_t weight = record->sample.period;
	struct sample_point point = { 0 };
	struct wall_thread *thread;
	struct wall_share *share;

	wall_seen(&reader->timeline, record->id.tid, record->id.time);
	thread = wall_find(&reader->timeline, record->id.tid);
	share = share_of(reader, thread);
	if (thread->exited || !weight)
		return;
	if (!reader->measured) {
		if (__builtin_add_overflow(share->weight, weight, &share->weight))
			share->weight = UINT64_MAX;
		return;
	}
	resolve(reader, session, record, &point.at);
	if (reader->wall->path)
		wall_history_sample(history_of(reader, thread), record->id.time,
				    text_of(reader, &point.at));
	if (!share->wanted || share->seen > share->weight - weight || weight > share->weight)
		return;
	sample_point_start(&point, &session->machine, thread_of(session, record), record);
	add_row(reader, &point, &reader->chain, wall_state_name(WALL_ON_CPU), "", "",
		take_part(share, weight));
}

static void take_stop(struct wall_reader *reader, struct session *session,
		      const struct record *record, const struct sched_event *event)
{
	enum wall_state state = wall_state_of_letter(event->state, event->waits);
	struct wall_thread *thread;

	/* The thread has exited: the kernel switches to another one for the last time. */
	if (!event->waits && (event->state == 'X' || event->state == 'Z')) {
		wall_exits(&reader->timeline, record->id.tid, record->id.time);
		return;
	}
	thread = wall_stops(&reader->timeline, record->id.tid, record->id.time, state);
	if (thread && reader->measured)
		thread->state = keep_place(reader, session, share_of(reader, thread), record,
					   state);
}

static void take_waking(struct wall_reader *reader, struct session *session,
			const struct record *record, const struct sched_event *event)
{
	struct wall_thread *thread = wall_awaits(&reader->timeline, event->task.tid);
	struct wall_waker waker = {
		.known = true,
		/* The idle task wakes up no threads: an interrupt did. */
		.interrupt = event->interrupt || !record->id.tid,
		.tid = record->id.tid,
		.comm = thread_of(session, record)->comm,
	};

	if (!thread)
		return;
	if (reader->measured)
		place_waker(reader, session, record, &waker);
	wall_waking(&reader->timeline, thread, record->id.time, &waker);
}

static void take_sched(struct wall_reader *reader, struct session *session,
		       const struct record *record, const struct data_event *data)
{
	const struct tracing_data *tracing = data_reader_features(session->reader)->tracing;
	struct sched_event event;

	if (sched_kind_of(data->name) == SCHED_OTHER)
		return;
	if (sched_event_decode(&event, tracing, data->name, &data->attr, record, "")) {
		reader->nr_bad += reader->measured;
		return;
	}
	if (event.kind == SCHED_SWITCH && record->id.tid && !reader->has_off_cpu)
		take_stop(reader, session, record, &event);
	else if (event.kind == SCHED_WAKING)
		take_waking(reader, session, record, &event);
	else if (event.kind == SCHED_WAKEUP)
		wall_wakeup(&reader->timeline, event.task.tid, record->id.time);
}

/* Return the state for a reason of the event for time off the CPU. */
static enum wall_state state_of_reason(const struct sample *sample)
{
	static const enum wall_state states[] = {
		[PERF_COUNTER_OFF_CPU_UNKNOWN]		= WALL_UNKNOWN,
		[PERF_COUNTER_OFF_CPU_RUNNABLE]		= WALL_PREEMPTED,
		[PERF_COUNTER_OFF_CPU_SLEEPING]		= WALL_SLEEPING,
		[PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE]	= WALL_UNINTERRUPTIBLE,
		[PERF_COUNTER_OFF_CPU_IO]		= WALL_IO,
		[PERF_COUNTER_OFF_CPU_STOPPED]		= WALL_STOPPED,
	};
	struct perf_counter_off_cpu off;

	if (sample->raw_size < sizeof(off))
		return WALL_UNKNOWN;
	memcpy(&off, sample->raw, sizeof(off));
	return off.reason < ARRAY_SIZE(states) ? states[off.reason] : WALL_UNKNOWN;
}

static void take_off_cpu(struct wall_reader *reader, struct session *session,
			 const struct record *record)
{
	enum wall_state state = state_of_reason(&record->sample);
	struct wall_thread *thread;

	thread = wall_was_off(&reader->timeline, record->id.tid, record->id.time,
			      record->sample.period, state);
	if (!thread)
		return;
	if (reader->measured)
		thread->state = keep_place(reader, session, share_of(reader, thread), record,
					   state);
	wall_runs(&reader->timeline, record->id.tid, record->id.time);
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_TRACEPOINT && !event_is_off_cpu(attr) &&
	       !(attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY);
}

static void take_sample(struct wall_reader *reader, struct session *session,
			const struct record *record)
{
	const struct data_event *data =
		&data_reader_events(session->reader)->events[record->event];

	if (data->attr.type == PERF_TYPE_TRACEPOINT) {
		take_sched(reader, session, record, data);
	} else if (record->id.tid && event_is_off_cpu(&data->attr)) {
		take_off_cpu(reader, session, record);
	} else if (record->id.tid && is_clock(&data->attr)) {
		if (reader->clock == SIZE_MAX)
			reader->clock = record->event;
		if (reader->clock == record->event)
			take_clock(reader, session, record);
	}
}

static void take_fork(struct wall_reader *reader, struct session *session,
		      const struct record *record)
{
	const struct task_record *task = &record->task;
	struct thread *parent = thread_get(&session->machine.threads, task->ppid, task->ptid);
	const struct wall_waker waker = {
		.known = true, .created = true, .tid = task->ptid, .comm = parent->comm,
	};

	wall_created(&reader->timeline, task->tid, record->id.time, &waker);
}

static void take_switch(struct wall_reader *reader, const struct record *record)
{
	if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
		wall_leaves(&reader->timeline, record->id.tid, record->id.time,
			    record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	else if (!reader->has_off_cpu)
		wall_runs(&reader->timeline, record->id.tid, record->id.time);
}

/* Note the name of a thread, and its process. */
static void name_thread(struct wall_reader *reader, struct session *session, uint32_t pid,
			uint32_t tid)
{
	struct wall_thread *thread = wall_find(&reader->timeline, tid);

	if (!thread || thread->exited)
		return;
	thread->comm = thread_get(&session->machine.threads, pid, tid)->comm;
	thread->pid = pid;
}

/* Note if an event described so far is that for time off the CPU. */
static void look_for_off_cpu(struct wall_reader *reader, const struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);

	for (; reader->nr_looked < events->nr; reader->nr_looked++)
		reader->has_off_cpu |= event_is_off_cpu(&events->events[reader->nr_looked].attr);
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	struct wall_reader *reader = context;

	/* Records without a time are of the time before the recording. */
	if (!record->id.time)
		return;
	/* A pipe describes its events before their records, but while it is read. */
	look_for_off_cpu(reader, session);
	if (record->id.time > reader->timeline.last)
		reader->timeline.last = record->id.time;
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(reader, session, record);
		break;
	case PERF_RECORD_FORK:
		take_fork(reader, session, record);
		name_thread(reader, session, record->task.pid, record->task.tid);
		return;
	case PERF_RECORD_EXIT:
		wall_exits(&reader->timeline, record->task.tid, record->id.time);
		return;
	case PERF_RECORD_COMM:
		if (record->comm.exec)
			wall_executes(&reader->timeline, record->comm.tid, record->id.time);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (record->id.tid)
			take_switch(reader, record);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		wall_lost(&reader->timeline);
		return;
	default:
		return;
	}
	name_thread(reader, session, record->id.pid, record->id.tid);
}

/* Note which tracepoints the recording has. */
static void look_for_tracepoints(struct wall_reader *reader, const struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	size_t i;

	for (i = 0; i < events->nr; i++) {
		const struct data_event *event = &events->events[i];

		if (event->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		reader->has_switches |= sched_kind_of(event->name) == SCHED_SWITCH;
		reader->has_waking |= sched_kind_of(event->name) == SCHED_WAKING;
	}
}

static bool has_switch_records(const struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (events->events[i].attr.context_switch)
			return true;
	}
	return false;
}

/* Keep what the first reading has measured, and begin the second. */
static void start_again(struct wall_reader *reader)
{
	const struct report_wall *wall = reader->wall;
	size_t i;

	for (i = 0; i < reader->timeline.nr; i++) {
		const struct wall_thread *thread = reader->timeline.threads[i];
		struct wall_share *share = share_of(reader, thread);

		share->on_cpu = thread->times[WALL_ON_CPU];
		share->wanted = in_list(wall->input->comms, thread->comm ?: "") &&
				sample_filter_wants_task(wall->filter, thread->pid, thread->tid);
	}
	wall_timeline_free(&reader->timeline);
	reader->timeline = (struct wall_timeline){ .span = take_span, .context = reader };
	reader->measured = true;
}

/* Add the time on the CPU of threads without a sample. */
static void add_unsampled(struct wall_reader *reader)
{
	const struct callchain none = { 0 };
	size_t i;

	for (i = 0; i < reader->timeline.nr; i++) {
		const struct wall_thread *thread = reader->timeline.threads[i];
		const struct wall_share *share = share_of(reader, thread);
		struct sample_point point = {
			.tid = thread->tid, .pid = thread->pid, .comm = thread->comm ?: "",
			.at.mode = MODE_NOWHERE,
		};

		if (share->wanted && !share->weight)
			add_row(reader, &point, &none, "on CPU, no sample", "", "",
				share->on_cpu);
	}
}

static int read_once(struct wall_reader *reader, struct session *session)
{
	static const struct session_handlers handlers = { .record = handle_record };
	int status = input_open(session, reader->wall->input);

	if (status)
		return status;
	session->silent = true;
	/* Both readings must know the same of each record, or their times differ. */
	reader->has_off_cpu = false;
	reader->nr_looked = 0;
	session_run(session, &handlers, reader);
	/* A pipe names its tracepoints while it is read. */
	look_for_tracepoints(reader, session);
	wall_end(&reader->timeline, reader->timeline.last);
	return 0;
}

static bool is_wanted(void *context, const struct wall_thread *thread)
{
	struct wall_reader *reader = context;

	return share_of(reader, thread)->wanted;
}

static void print(struct wall_reader *reader, const struct session *session)
{
	const struct report_style *style = reader->wall->view->style;

	if (!reader->wall->view->quiet)
		printf("# Total Lost Samples: %" PRIu64 "\n#\n# The time of each thread%s\n#\n",
		       session_lost(session), style->separator ? " in ns" : " in ms");
	wall_print_times(stdout, &reader->timeline, is_wanted, reader, style->separator);
	putchar('\n');
	if (reader->hist.nr_samples)
		report_hist(stdout, style, &reader->hist, 1);
}

/* Return the wanted thread that lived longest, or NULL. */
static const struct wall_thread *longest_thread(struct wall_reader *reader)
{
	const struct wall_thread *longest = NULL;
	size_t i;

	for (i = 0; i < reader->timeline.nr; i++) {
		const struct wall_thread *thread = reader->timeline.threads[i];

		if (share_of(reader, thread)->wanted &&
		    (!longest || thread->since - thread->first > longest->since - longest->first))
			longest = thread;
	}
	return longest;
}

static void print_path(struct wall_reader *reader)
{
	const char separator = reader->wall->view->style->separator;
	const struct wall_thread *thread = longest_thread(reader);
	struct wall_path path = { 0 };
	char *comm;

	if (!thread)
		return;
	/* Make the histories of all threads first, because each of them may be a waker. */
	history_of(reader, reader->timeline.threads[reader->timeline.nr - 1]);
	wall_path_find(&path, reader->histories, reader->nr_histories, thread->number);
	comm = escape_name(thread->comm ?: "");
	printf("# Critical path of %s[%" PRId32 "]\n#\n", comm, thread->tid);
	free(comm);
	wall_path_print(stdout, &path, &reader->timeline, separator);
	wall_path_free(&path);
}

static uint64_t nr_unseen(const struct wall_reader *reader)
{
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < reader->timeline.nr; i++)
		nr += reader->timeline.threads[i]->nr_unseen;
	return nr;
}

/* Print what is missing in the recording. Return: the exit status. */
static int check(const struct wall_reader *reader, const struct session *session)
{
	int status = session_complain(session);

	if (reader->wall->view->quiet)
		return status;
	if (session_lost(session))
		warn("%s: lost %" PRIu64 " records; time next to a loss is unknown, or counts for the state before it; record with a larger -m",
		     session->path, session_lost(session));
	if (reader->nr_bad)
		warn("%s: %" PRIu64 " events of the scheduler lack expected fields and are left out",
		     session->path, reader->nr_bad);
	if (!reader->has_waking)
		warn("%s: the recording lacks sched:sched_waking, so a blocked thread is so until it runs",
		     session->path);
	else if (nr_unseen(reader))
		warn("%s: %" PRIu64 " waits ended without a recorded wake-up, so they include the wait for a CPU; record with -a",
		     session->path, nr_unseen(reader));
	notes_print(session->nr_samples);
	return status;
}

/* Choose the sort keys. Return: 0, or an exit status after an error message. */
static int choose_keys(struct wall_reader *reader)
{
	static const char *const known[] = {
		"comm", "dso", "sym", "srcline", "srcfile", "pid", "tid",
	};
	const struct sort_keys *asked = reader->wall->keys;
	struct error err;
	size_t i, k;

	if (!asked)
		return sort_keys_parse_fields(&reader->keys, REPORT_WALL_KEYS, &err);
	reader->keys = *asked;
	for (i = 0; i < asked->nr; i++) {
		const char *name = asked->keys[i]->name;

		for (k = 0; k < ARRAY_SIZE(known) && strcmp(name, known[k]); k++)
			;
		if (k < ARRAY_SIZE(known) || !strcmp(name, "state") || !strcmp(name, "waker") ||
		    !strcmp(name, "waker_chain"))
			continue;
		complain("--sort %s: no such key with --wall; use comm, pid, tid, state, dso, sym, srcline, srcfile, waker, waker_chain",
			 name);
		return EXIT_USAGE;
	}
	return 0;
}

static void free_reader(struct wall_reader *reader)
{
	size_t i;

	for (i = 0; i < reader->nr; i++)
		free(reader->shares[i].frames);
	for (i = 0; i < reader->nr_histories; i++)
		wall_history_free(&reader->histories[i]);
	free(reader->histories);
	free(reader->shares);
	wall_timeline_free(&reader->timeline);
	callchain_free(&reader->chain);
	hist_free(&reader->hist);
	intern_free(&reader->texts);
	if (!reader->wall->keys)
		sort_keys_free(&reader->keys);
}

static int report(struct wall_reader *reader)
{
	const enum chain_mode mode = reader->wall->view->style->chains.mode;
	struct session session;
	struct pager pager;
	int status = read_once(reader, &session);

	if (status)
		return status;
	if ((!reader->has_switches && !reader->has_off_cpu) || !has_switch_records(&session)) {
		complain("%s: the recording does not say when threads stopped, and why; make one with: perf record --wall",
			 session.path);
		session_close(&session);
		return EXIT_FAILED;
	}
	start_again(reader);
	session_close(&session);
	reader->hist.keys = &reader->keys;
	reader->hist.with_chains = mode != CHAIN_NONE;
	reader->hist.caller_first = reader->wall->view->style->chains.order == ORDER_CALLER;
	reader->hist.chains.by_address = reader->wall->view->style->chains.by_address;
	status = read_once(reader, &session);
	if (status)
		return status;
	add_unsampled(reader);
	hist_settle(&reader->hist);
	pager_start(&pager);
	if (reader->wall->path)
		print_path(reader);
	else
		print(reader, &session);
	status = check(reader, &session);
	pager_end(&pager);
	session_close(&session);
	return status;
}

int report_wall(const struct report_wall *wall)
{
	struct wall_reader reader = { .wall = wall, .clock = SIZE_MAX };
	int status;

	reader.timeline = (struct wall_timeline){ .span = take_span, .context = &reader };
	status = choose_keys(&reader);
	if (!status)
		status = report(&reader);
	free_reader(&reader);
	return status;
}
