// SPDX-License-Identifier: GPL-2.0
/*
 * The walk through a recording: records are read, sorted by time, decoded, applied to the
 * state of the machine, and given to the command's handlers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"

/* Maximum size, in bytes, of records that wait for older ones: some millions of samples. */
#define QUEUE_BYTES_MAX (512UL << 20)

static void count_record(struct session *s, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		s->nr_samples++;
		break;
	case PERF_RECORD_LOST:
		s->lost_records += record->lost.lost;
		break;
	case PERF_RECORD_LOST_SAMPLES:
		s->lost_samples += record->lost.lost;
		break;
	}
}

static void handle(struct session *s, const struct record *record)
{
	count_record(s, record);
	machine_apply(&s->machine, record);
	if (s->handlers->record)
		s->handlers->record(s->context, s, record);
}

/*
 * Handle a sample that reads counters as one sample of each counter. The period is the difference
 * between the counter's value and its last reading. Return false if the sample reads no counters.
 */
static bool handle_read_sample(struct session *s, struct record *record)
{
	const struct event_table *events = data_reader_events(s->reader);
	const struct perf_event_attr *attr = &events->events[record->event].attr;
	const struct read_values *values = &record->sample.read;
	struct read_value value;
	uint64_t i;
	int event;

	if (record->type != PERF_RECORD_SAMPLE || !(attr->sample_type & PERF_SAMPLE_READ) ||
	    !(attr->read_format & PERF_FORMAT_ID))
		return false;
	for (i = 0; i < values->nr; i++) {
		read_values_get(values, i, &value);
		event = event_table_find(events, value.id);
		if (event < 0) {
			s->nr_stray++;
			continue;
		}
		record->event = event;
		record->id.id = value.id;
		record->sample.period = read_counts_advance(&s->counts, value.id,
							    attr->inherit ? record->id.tid : 0,
							    value.value);
		if (record->sample.period)
			handle(s, record);
	}
	return true;
}

/* Deliver a record with its whole call chain. */
static void deliver_whole(void *context, struct record *record, uint64_t offset)
{
	struct session *s = context;

	s->offset = offset;
	if (!handle_read_sample(s, record))
		handle(s, record);
}

/* The queue calls this for each record in the order of time. */
static void deliver(void *context, const struct perf_event_header *header, uint64_t offset)
{
	struct session *s = context;
	struct record record;

	switch (record_decode(data_reader_events(s->reader), header, &record)) {
	case RECORD_OK:
		break;
	case RECORD_BAD:
		if (!s->nr_bad++)
			s->first_bad = offset;
		return;
	case RECORD_STRAY:
		s->nr_stray++;
		return;
	case RECORD_UNKNOWN:
		s->nr_unknown++;
		return;
	}
	if (record.type == PERF_RECORD_SAMPLE &&
	    deferred_hold(&s->deferred, header, &record, offset))
		return;
	if (record.type == RECORD_CALLCHAIN_DEFERRED)
		deferred_complete(&s->deferred, &record);
	else if (record.type == PERF_RECORD_EXIT)
		deferred_give_up(&s->deferred, record.task.tid);
	deliver_whole(s, &record, offset);
}

/*
 * Return true for types of records that tools write. MUNMAP has a type in the same range, but the
 * kernel writes it.
 */
static bool is_user_record(uint32_t type)
{
	return type >= USER_RECORD_START && type != PERF_RECORD_MUNMAP;
}

static void take_user_record(struct session *s, const struct perf_event_header *header)
{
	if (header->type == USER_RECORD_FINISHED_ROUND)
		record_queue_round(&s->queue);
	else if (header->type >= USER_RECORD_END)
		s->nr_unknown++;
}

static void take_record(struct session *s, const struct perf_event_header *header,
			uint64_t offset)
{
	uint64_t time;

	if (s->handlers->raw)
		s->handlers->raw(s->context, s, header, offset);
	if (is_user_record(header->type)) {
		take_user_record(s, header);
		return;
	}
	time = record_time(data_reader_events(s->reader), header);
	/* Records that perf synthesized for the state at the start have no time. */
	if (time && time != UINT64_MAX)
		record_queue_add(&s->queue, header, time, offset);
	else
		deliver(s, header, offset);
}

/**
 * session_open() - Open a recording
 * @session: filled in; session_close() ends it if this succeeds
 * @path: path of the file; "-" is standard input
 * @sources: places to look for symbols; must stay valid
 * @err: set to the reason if opening fails
 *
 * Return: 0, or -1 with @err set.
 */
int session_open(struct session *session, const char *path,
		 const struct symbol_sources *sources, struct error *err)
{
	memset(session, 0, sizeof(*session));
	if (data_reader_open(path, &session->reader, err))
		return -1;
	session->path = xstrdup(path);
	session->queue.deliver = deliver;
	session->queue.context = session;
	session->queue.bytes_max = QUEUE_BYTES_MAX;
	machine_init(&session->machine, sources, data_reader_features(session->reader));
	session->machine.events = data_reader_events(session->reader);
	session->deferred.events = data_reader_events(session->reader);
	session->deferred.give = deliver_whole;
	session->deferred.context = session;
	return 0;
}

/* The number of records between two looks at the clock. */
#define RECORDS_PER_LOOK 64

/*
 * Return true if a progress line on the terminal does not mix with output: the command prints
 * nothing yet, or prints to a file.
 */
static bool can_show_progress(const struct session *session)
{
	struct stat st;

	return session->silent || (!fstat(STDOUT_FILENO, &st) && S_ISREG(st.st_mode));
}

/**
 * session_run() - Walk through all records
 * @session: open session
 * @handlers: functions of the command
 * @context: first argument of @handlers
 */
void session_run(struct session *session, const struct session_handlers *handlers, void *context)
{
	char *what = xasprintf("reading %s", session->path);
	const struct perf_event_header *header;
	struct progress progress = { 0 };
	uint64_t offset, nr = 0;
	int ret;

	session->handlers = handlers;
	session->context = context;
	if (can_show_progress(session))
		progress_start(&progress, what);
	while (!session->ended && (ret = data_reader_next(session->reader, &header, &offset,
							  &session->damage)) > 0) {
		take_record(session, header, offset);
		if (!(nr++ % RECORDS_PER_LOOK))
			progress_at(&progress, data_reader_offset(session->reader),
				    data_reader_size(session->reader));
	}
	record_queue_flush(&session->queue);
	deferred_give_up(&session->deferred, UINT32_MAX);
	progress_end(&progress);
	free(what);
}

/**
 * session_lost() - Return how many samples were lost while recording
 * @session: session after session_run()
 *
 * The kernel writes LOST records. At the end, perf record asks each event for its losses and
 * writes them as LOST_SAMPLES. Both count the same losses.
 *
 * Return: The larger of the two sums.
 */
uint64_t session_lost(const struct session *session)
{
	return session->lost_records > session->lost_samples ? session->lost_records :
							       session->lost_samples;
}

/*
 * Return true if the recording has call stacks from the branch recorder, with the register of each
 * call.
 */
static bool can_stitch(const struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	uint64_t type;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		type = events->events[i].attr.branch_sample_type;
		if (branches_are_calls(type) && type & PERF_SAMPLE_BRANCH_HW_INDEX)
			return data_reader_features(session->reader)->branch_registers;
	}
	return false;
}

/* Warn that @nr of @all unwound chains end before the start of their threads. */
static void warn_of_chains(const struct session *session, uint64_t nr, uint64_t all,
			   const char *why)
{
	if (nr)
		warn("%s: %" PRIu64 " of %" PRIu64 " call chains end early: %s", session->path, nr,
		     all, why);
}

/* Warn of chains that frame pointers have not led to all callers. */
static void warn_of_pointers(const struct session *session)
{
	const struct pointer_counts *counts = &session->machine.pointed;

	if (pointer_chains_are_broken(counts))
		warn("%s: %" PRIu64 " of %" PRIu64 " call chains are short or lead to no code: the programs have no frame pointers; record with --call-graph dwarf",
		     session->path, counts->broken, counts->all);
	else if (pointer_chains_lack_callers(counts))
		warn("%s: %" PRIu64 " of %" PRIu64 " call chains lack callers: they end, or have %s, where a function has not set its frame pointer; record with --call-graph dwarf",
		     session->path, counts->lacking, counts->all, pointer_gap_symbol.name);
}

static void warn_of_callers(const struct session *session)
{
	const struct unwind_counts *counts = &session->machine.unwound;
	const char *file = counts->no_rules ? counts->no_rules->long_name : NULL;
	char *short_stack, *no_rules, *damaged;
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < UNWIND_ENDS; i++)
		all += counts->ends[i];
	short_stack = xasprintf("their stacks are longer than the %" PRIu64
				" bytes recorded; record with --call-graph dwarf,SIZE",
				counts->stack_size);
	no_rules = xasprintf("no call frame information%s%s%s",
			     file ? ", such as in " : " where they were", file ?: "",
			     file && counts->no_rules->kind == DSO_FILE ?
			     "; build it with -fasynchronous-unwind-tables" : "");
	damaged = xasprintf("the unwinding tables of generated code in %s are damaged, or do not describe the code",
			    counts->damaged ? counts->damaged->long_name : "a jitdump file");
	warn_of_chains(session, counts->ends[UNWIND_NO_STACK], all, short_stack);
	warn_of_chains(session, counts->ends[UNWIND_UNREAD], all,
		       "the kernel could not read their stacks, which were swapped out or gone, as in execve(2); a larger SIZE does not help, mlockall(2) in the program may");
	warn_of_chains(session, counts->ends[UNWIND_NO_RULES], all, no_rules);
	warn_of_chains(session, counts->ends[UNWIND_DAMAGED], all, damaged);
	warn_of_chains(session, counts->ends[UNWIND_NO_SENSE] + counts->ends[UNWIND_TOO_DEEP], all,
		       "the stack does not make sense");
	if (counts->by_pointer)
		warn("%s: %" PRIu64 " of %" PRIu64 " call chains have frames without call frame information, whose callers come from frame pointers; some may be missing",
		     session->path, counts->by_pointer, all);
	free(damaged);
	free(no_rules);
	free(short_stack);
	warn_of_pointers(session);
}

/**
 * session_complain_of_damage() - Print errors of the recording
 * @session: session after session_run()
 *
 * Return: The exit status; 0 if there were no errors.
 */
int session_complain_of_damage(const struct session *session)
{
	const char *warning = data_reader_warning(session->reader);
	int status = 0;

	if (session->damage.text[0]) {
		complain("%s", session->damage.text);
		status = EXIT_FAILED;
	}
	if (warning) {
		complain("%s", warning);
		status = EXIT_FAILED;
	}
	if (session->nr_bad) {
		complain("%s: %" PRIu64 " damaged record(s), the first at offset 0x%" PRIx64
			 "; the others are reported", session->path, session->nr_bad,
			 session->first_bad);
		status = EXIT_FAILED;
	}
	if (session->nr_stray) {
		complain("%s: %" PRIu64 " sample(s) of unknown events; the others are reported",
			 session->path, session->nr_stray);
		status = EXIT_FAILED;
	}
	return status;
}

/**
 * session_warn() - Print warnings about the recording
 * @session: session after session_run()
 */
void session_warn(const struct session *session)
{
	if (session->nr_unknown)
		warn("%s: %" PRIu64 " record(s) of unknown types were skipped", session->path,
		     session->nr_unknown);
	if (session->machine.stitch_calls && !can_stitch(session))
		warn("%s: --stitch-lbr needs --call-graph lbr, on a kernel that describes its PMU",
		     session->path);
	if (session->deferred.nr_missing)
		warn("%s: %" PRIu64 " call chains lack their callers in user mode, which the kernel records later (--call-graph fp,defer): the recording ended before, or lost records",
		     session->path, session->deferred.nr_missing);
	warn_of_callers(session);
	source_complain(&session->machine.dsos);
	if (session->queue.nr_late)
		warn("%s: %" PRIu64 " record(s) were too far out of order",
		     session->path, session->queue.nr_late);
}

/**
 * session_complain() - Print errors of the recording, and warnings about it
 * @session: session after session_run()
 *
 * Return: The exit status; 0 if there were no errors.
 */
int session_complain(const struct session *session)
{
	int status = session_complain_of_damage(session);

	session_warn(session);
	return status;
}

void session_close(struct session *session)
{
	machine_free(&session->machine);
	read_counts_free(&session->counts);
	deferred_free(&session->deferred);
	data_reader_close(session->reader);
	free(session->path);
}
