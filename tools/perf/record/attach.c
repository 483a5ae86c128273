// SPDX-License-Identifier: GPL-2.0
/*
 * Attach to existing tasks: record what exists and every later change, each exactly once.
 *
 * 1. A counter that takes no samples is opened and records what tasks do. From here on
 *    every fork, name and mapping has a record. The sampling counters are opened after it,
 *    so a task that inherits one of them has a record of its fork.
 * 2. /proc is read. What it says about a task was true at some moment since step 1; tasks
 *    run on, so tasks, names and mappings are from different moments.
 * 3. The kernel's records of the same time are read. They may contain forks by a task that
 *    can no longer be read as it was at step 1. Then step 2 is repeated for the children.
 * 4. The facts from /proc are written as records of time 0, which a reader applies before
 *    all others, except those that the records of step 3 contain as well. Mappings that were
 *    unmapped before /proc was read are also written, as children may have inherited them.
 * 5. The sampling counters are enabled.
 *
 * So at step 5 a reader knows what exists: a fact that has not changed since step 1 is in
 * the records from /proc, and one that has changed is in the last record about it. That is
 * true even if /proc was read after the change, as the record then repeats the new state.
 * No sample is taken before step 5, so no reader needs facts of an earlier time.
 *
 * An example shows which task is read for another one. O existed at step 1 and is the origin of B
 * and C, which were forked later::
 *
 *	 1              2               round 1          round 2          4
 *	 |              |               |                |                |
 *	 O ---+--- exit .               .                .                .
 *	      |         O has exited    .                .                .
 *	      B --------------+--- exit .                .                .
 *	                      |         B has exited     .                .
 *	                      C ------------------------ C is read ------------
 *
 * B and C have the mappings and the name that O had at step 1, except for those that they
 * have records of. So a mapping of C, of which neither B nor C has a record, is written as
 * a mapping of O.
 *
 * The rounds; proc_race_list_children() lists the tasks to be read in each::
 *
 *	    2  read the target: proc_scan_tasks()
 *	    |
 *	    v
 *	    3  read the rings; every fork gets its origin <----------------------------+
 *	    |                                                                          |
 *	    |  a process was forked, and one of these is true: it is read              |
 *	    |    its origin's mappings were not read    ----> scan_processes(): -------+
 *	    |    its origin's name is not known               each once,               |
 *	    |    its origin, or one between, was renamed      CHILD_ROUNDS_MAX         |
 *	    |                                                                          |
 *	    |  a thread was forked in a process that existed at 1: its name is read    |
 *	    |    if its origin's name is not known      ----> scan_threads(): ---------+
 *	    |                                                 NAME_ROUNDS_MAX
 *	    |  no task is listed, or no round is left
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
 * Limits on the rounds. Children may have children without end, but the first children know the
 * mappings that the first ancestor had. A thread that exits as soon as it has started the next
 * one may exit before its name has been read, and so may the next.
 */
#define CHILD_ROUNDS_MAX 10
#define NAME_ROUNDS_MAX 100

/**
 * struct attaching - the state between steps 1 and 5
 * @buffers: buffers with the kernel's records
 * @sink: function that receives all records
 * @context: argument of @sink
 * @race: records that the kernel wrote meanwhile
 * @synthesized: synthesized records
 * @bytes: bytes of records in @synthesized
 * @room: allocated bytes of @synthesized
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

/* A ring_sink for the kernel's records. */
static int take_kernel_records(void *context, void *records, size_t bytes)
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
	ssize_t bytes = buffers_drain(a->buffers, take_kernel_records, a);

	return bytes < 0 ? bytes : 0;
}

/*
 * A ring_sink that keeps synthesized records until step 4. It also drains the rings, because the
 * kernel's records would fill them meanwhile.
 */
static int keep_synthesized(void *context, void *records, size_t bytes)
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

static int scan_processes(struct attaching *a, struct synth *s, const struct int_list *pids)
{
	int status = 0;
	size_t i;

	for (i = 0; !status && i < pids->nr; i++) {
		synth_process(s, pids->values[i]);
		status = s->status ? s->status : drain(a);
	}
	return status;
}

/* Read the names of threads of the processes, unless a name has been read before. */
static int scan_threads(struct attaching *a, struct synth *s, const struct int_list *pids)
{
	struct int_list tids = { 0 };
	int status = 0;
	size_t i, t;

	for (i = 0; !status && i < pids->nr; i++) {
		proc_list_threads(pids->values[i], &tids);
		/* Read the records of the threads' forks, which decide whether a name is needed. */
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
 * Read the children of processes that have exited, because the children have the mappings of the
 * exited process. If all children exit before they are read, read the children of the children.
 */
static int read_children(struct attaching *a, struct synth *s)
{
	struct int_list children = { 0 }, nameless = { 0 };
	int round, status = drain(a);

	for (round = 0; !status && round < NAME_ROUNDS_MAX; round++) {
		proc_race_list_children(&a->race, &children, &nameless);
		if (round >= CHILD_ROUNDS_MAX)
			int_list_free(&children);
		if (!children.nr && !nameless.nr)
			break;
		status = scan_processes(a, s, &children);
		if (!status)
			status = scan_threads(a, s, &nameless);
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

	s->sink = keep_synthesized;
	s->context = &a;
	*kernel_known = proc_scan_kernel(s);
	status = proc_scan_tasks(s, target, b->counters, 0);
	if (!status)
		status = read_children(&a, s);
	if (!status)
		status = write_synthesized(&a);
	if (!status)
		status = proc_race_each_unmapped(&a.race, a.sink, a.context);
	proc_race_free(&a.race);
	free(a.synthesized);
	return status;
}
