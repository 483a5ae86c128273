// SPDX-License-Identifier: GPL-2.0
/*
 * Begin to watch what exists already: nothing that becomes of it is missed, and
 * nothing is written twice.
 *
 * 1. A counter that takes no samples is opened and records what tasks do. From here on
 *    every fork, name and mapping makes a record. The counters that take samples are
 *    opened behind it: who inherits one of them has a record of its fork.
 * 2. /proc is read. What it says of a task is how it was at some moment since 1;
 *    nothing stops the task, so tasks, names and mappings are of different moments.
 * 3. What has been recorded meanwhile is read. It may tell of forks by somebody who cannot
 *    be asked any more how it was at 1. Then it is 2 again, for those who were forked.
 * 4. What /proc said is written, as records of time 0 that a reader applies before all
 *    others, but for what the records of 3 say as well. And what was unmapped before
 *    /proc could say that it was there, because children that were forked still have it.
 * 5. The counters that take samples are enabled.
 *
 * A reader so knows at 5 what is there: what has not changed since 1 is what /proc
 * said, and what has changed is what the last record says that tells of it, even
 * where /proc was read after the change and the record is applied to its own result.
 * And there is no sample before 5 that would need to know what was there before.
 *
 * Who is asked for whom. O was there at 1 and is the origin of B and C, which came later::
 *
 *	 1              2               round 1          round 2          4
 *	 |              |               |                |                |
 *	 O ---+--- exit .               .                .                .
 *	      |         O is gone       .                .                .
 *	      B --------------+--- exit .                .                .
 *	                      |         B is gone        .                .
 *	                      C ------------------------ C is asked -----------
 *
 * B and C have what O had at 1, but for what they have records of. So what C is found to
 * have, and neither B nor C has a record of, is written as what O had.
 *
 * How the rounds go; proc_race_list_children() says who is asked in each::
 *
 *	    2  ask the target: proc_scan_tasks()
 *	    |
 *	    v
 *	    3  read the rings; every fork gets its origin <----------------------------+
 *	    |                                                                          |
 *	    |  a process was forked, and one of these is true: it is an child           |
 *	    |    its origin's mappings were not read    ----> ask_processes(): --------+
 *	    |    nobody has said its origin's name            each once,               |
 *	    |    its origin, or one between, was renamed      HEIR_ROUNDS_MAX          |
 *	    |                                                                          |
 *	    |  a thread was forked in a process that was there at 1: it is nameless    |
 *	    |    if nobody has said its origin's name   ----> ask_threads(): ----------+
 *	    |                                                 NAME_ROUNDS_MAX
 *	    |  nobody, or no round is left
 *	    v
 *	    4  write_synthesized(), proc_race_each_unmapped()
 */
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "attach.h"
#include "proc_scan.h"
#include "proc_race.h"

/*
 * Heirs may have children for ever. What the first had, those know who are asked first. A thread
 * that ends as soon as it has started the next may be gone before it has been asked for its
 * name, and so may the next.
 */
#define HEIR_ROUNDS_MAX 10
#define NAME_ROUNDS_MAX 100

/**
 * struct attaching - the state between 1 and 5
 * @buffers: where the kernel's records come from
 * @sink: where all of them go
 * @context: the sink's
 * @meanwhile: what the kernel has recorded
 * @synthesized: records of what exists
 * @bytes: of records in @synthesized
 * @room: bytes that there is room for
 */
struct attaching {
	const struct buffers *buffers;
	ring_sink sink;
	void *context;
	struct proc_race race;
	char *synthesized;
	size_t bytes;
	size_t room;
};

static const struct perf_event_header *record_at(const void *records, size_t at)
{
	return (const struct perf_event_header *)((const char *)records + at);
}

/* A ring_sink for what the kernel records. */
static int take(void *context, void *records, size_t bytes)
{
	struct attaching *a = context;
	size_t at;
	int status = a->sink(a->context, records, bytes);

	for (at = 0; !status && at < bytes; at += record_at(records, at)->size)
		proc_race_note(&a->race, record_at(records, at));
	return status;
}

static int drain(struct attaching *a)
{
	ssize_t bytes = buffers_drain(a->buffers, take, a);

	return bytes < 0 ? bytes : 0;
}

/* A ring_sink for what is made up; the kernel's records would not fit the rings for long. */
static int keep(void *context, void *records, size_t bytes)
{
	struct attaching *a = context;

	proc_race_note_synthesized(&a->race, records);
	while (a->room - a->bytes < bytes) {
		a->room = a->room ? 2 * a->room : 1 << 20;
		a->synthesized = xreallocarray(a->synthesized, a->room, 1);
	}
	memcpy(a->synthesized + a->bytes, records, bytes);
	a->bytes += bytes;
	return drain(a);
}

static int ask_processes(struct attaching *a, struct synth *s, const struct int_list *pids)
{
	int status = 0;
	size_t i;

	for (i = 0; !status && i < pids->nr; i++) {
		synth_process(s, pids->values[i]);
		status = s->status ? s->status : drain(a);
	}
	return status;
}

/* Those of their threads that were not asked before. */
static int ask_threads(struct attaching *a, struct synth *s, const struct int_list *pids)
{
	struct int_list tids = { 0 };
	int status = 0;
	size_t i, t;

	for (i = 0; !status && i < pids->nr; i++) {
		proc_list_threads(pids->values[i], &tids);
		/* The records of their forks. */
		status = drain(a);
		for (t = 0; !status && t < tids.nr; t++) {
			if (proc_race_inherits_name(&a->race, tids.values[t]))
				synth_thread(s, pids->values[i], tids.values[t]);
			status = s->status;
		}
		int_list_free(&tids);
	}
	return status ? status : drain(a);
}

/*
 * Who came to be meanwhile is asked in place of those who are gone. Where all of them end
 * before they are asked, there are others, whom they have forked.
 */
static int read_heirs(struct attaching *a, struct synth *s)
{
	struct int_list children = { 0 }, nameless = { 0 };
	int round, status = drain(a);

	for (round = 0; !status && round < NAME_ROUNDS_MAX; round++) {
		proc_race_list_children(&a->race, &children, &nameless);
		if (round >= HEIR_ROUNDS_MAX)
			int_list_free(&children);
		if (!children.nr && !nameless.nr)
			break;
		status = ask_processes(a, s, &children);
		if (!status)
			status = ask_threads(a, s, &nameless);
		int_list_free(&children);
		int_list_free(&nameless);
	}
	return status;
}

static int write_synthesized(struct attaching *a)
{
	struct perf_event_header *record;
	int status = 0;
	size_t at;

	for (at = 0; !status && at < a->bytes; at += record->size) {
		record = (struct perf_event_header *)(a->synthesized + at);
		if (proc_race_needs(&a->race, record))
			status = a->sink(a->context, record, record->size);
	}
	return status;
}

int attach(const struct buffers *b, struct synth *s, const struct target *target,
	   bool *kernel_known)
{
	struct attaching a = {
		.buffers = b, .sink = s->sink, .context = s->context,
		.race.attr = &b->counters->events->events[0].attr,
	};
	int status;

	s->sink = keep;
	s->context = &a;
	*kernel_known = proc_scan_kernel(s);
	status = proc_scan_tasks(s, target, b->counters, 0);
	if (!status)
		status = read_heirs(&a, s);
	if (!status)
		status = write_synthesized(&a);
	if (!status)
		status = proc_race_each_unmapped(&a.race, a.sink, a.context);
	proc_race_free(&a.race);
	free(a.synthesized);
	return status;
}
