// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: events that cause a snapshot.
 *
 * The events of triggers go to the buffer that is not overwritten, and wake up the tool. A
 * timed system call is two events, which may be in the rings of two CPUs if the task moved in
 * between. So the events of a round are sorted by time, and an exit that was read a round
 * before its enter is remembered. A call that cannot be told apart from another call of the
 * task does not fire. Calls are not written to the file.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "file/file.h"
#include "trigger.h"

/**
 * struct trigger - a trigger
 * @spec: text that the user gave
 * @first: index of the trigger's first event in the list
 * @nr: number of its events
 * @call: the events are the enter and the exit of a system call
 * @ns: least duration of a call, ns
 */
struct trigger {
	char *spec;
	size_t first;
	size_t nr;
	bool call;
	uint64_t ns;
};

/* The id of a counter that belongs to @trigger. */
struct trigger_id {
	struct hash_node node;
	uint64_t id;
	struct trigger *trigger;
	bool exit;
};

/*
 * The times of the last enter without an exit, and of the last exit without an enter. A time is 0
 * if there is no such event.
 */
struct trigger_task {
	struct hash_node node;
	const struct trigger *trigger;
	uint32_t tid;
	uint64_t enter;
	uint64_t exit;
};

/* === Parsing === */

/* Parse a number with a unit, "10ms". Return: ns, or 0 if it is invalid. */
static uint64_t parse_time(const char *text)
{
	static const struct quantity_unit units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 },
	};
	double ns;

	return quantity_parse(text, units, &ns) ? ns : 0;
}

/*
 * Split @spec at the first @separator, without the blanks around it. Return: true if @spec contains
 * @separator.
 */
static bool split(const char *spec, const char *separator, char **left, char **right)
{
	const char *at = strstr(spec, separator);
	size_t size;

	if (!at)
		return false;
	for (size = at - spec; size && isspace((unsigned char)spec[size - 1]); size--)
		;
	*left = xstrndup(spec, size);
	at += strlen(separator);
	*right = xstrdup(at + strspn(at, " \t"));
	return true;
}

static bool may_be_trigger(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE || event->attr.type == PERF_TYPE_TRACEPOINT;
}

/* Add events by name; each occurrence fires. */
static int add_events(struct event_list *events, const char *name, struct error *err)
{
	size_t i, first = events->nr;
	int status = event_list_parse(events, name, err);

	for (i = first; !status && i < events->nr; i++) {
		if (!may_be_trigger(&events->events[i])) {
			error_set(err,
				  "--snapshot-on: event '%s' is neither a tracepoint nor a software event",
				  events->events[i].name);
			return EXIT_USAGE;
		}
		events->events[i].trigger = true;
	}
	return status;
}

static int add_filtered(struct event_list *events, const char *name, const char *filter,
			struct error *err)
{
	size_t i, first = events->nr;
	int status = add_events(events, name, err);

	for (i = first; !status && i < events->nr; i++) {
		if (events->events[i].attr.type != PERF_TYPE_TRACEPOINT) {
			error_set(err,
				  "--snapshot-on: event '%s' is not a tracepoint and has no fields",
				  events->events[i].name);
			status = EXIT_USAGE;
		}
	}
	if (!status && event_list_set_filter(events, filter, err))
		status = EXIT_USAGE;
	return status;
}

/* Add a time limit for time off the CPU or for a system call. */
static int add_timed(struct trigger *trigger, struct event_list *events, const char *name,
		     const char *time, struct error *err)
{
	char *enter, *exit;
	int status;

	trigger->ns = parse_time(time);
	if (!trigger->ns) {
		error_set(err, "--snapshot-on: '%s' is not a time; write 10ms, 500us or 1.5s",
			  time);
		return EXIT_USAGE;
	}
	if (!strncmp(name, "off-cpu", 7) && (!name[7] || name[7] == ':')) {
		status = add_events(events, name, err);
		if (!status)
			events->events[events->nr - 1].attr.config1 = trigger->ns;
		return status;
	}
	enter = xasprintf("syscalls:sys_enter_%s", name);
	exit = xasprintf("syscalls:sys_exit_%s", name);
	trigger->call = true;
	status = add_events(events, enter, err);
	if (!status) {
		/* Only the exit wakes up the tool. */
		events->events[events->nr - 1].trigger = false;
		events->events[events->nr - 1].timing = true;
		status = add_events(events, exit, err);
	}
	if (!status && events->nr != trigger->first + 2) {
		error_set(err, "--snapshot-on: '%s' matches several system calls; name one",
			  name);
		status = EXIT_USAGE;
	}
	free(enter);
	free(exit);
	return status;
}

int triggers_add(struct triggers *t, struct event_list *events, const char *spec,
		 struct error *err)
{
	struct trigger trigger = { .spec = xstrdup(spec), .first = events->nr };
	char *left = NULL, *right = NULL;
	int status;

	if (split(spec, " if ", &left, &right))
		status = add_filtered(events, left, right, err);
	else if (split(spec, ">", &left, &right))
		status = add_timed(&trigger, events, left, right, err);
	else
		status = add_events(events, spec, err);
	free(left);
	free(right);
	trigger.nr = events->nr - trigger.first;
	t->all = xreallocarray(t->all, t->nr + 1, sizeof(*t->all));
	t->all[t->nr++] = trigger;
	return status;
}

/* === Reading samples === */

static int learn_id(struct triggers *t, struct trigger *trigger, const struct counter *counter,
		    bool exit)
{
	struct trigger_id *id;

	if (counter->fd < 0)
		return 0;
	id = xcalloc(1, sizeof(*id));
	id->trigger = trigger;
	id->exit = exit;
	if (ioctl(counter->fd, PERF_EVENT_IOC_ID, &id->id)) {
		free(id);
		return -1;
	}
	hash_table_add(&t->ids, &id->node, hash_number(id->id));
	return 0;
}

int triggers_open(struct triggers *t, const struct counters *counters, struct error *err)
{
	size_t i, e, c, nr = counters_per_event(counters);

	for (i = 0; i < t->nr; i++) {
		for (e = 0; e < t->all[i].nr; e++) {
			const struct counter *of_event =
				&counters->counters[(t->all[i].first + e) * nr];

			for (c = 0; c < nr; c++) {
				if (learn_id(t, &t->all[i], &of_event[c], e)) {
					error_set(err, "--snapshot-on: a counter has no id: %s",
						  strerror(errno));
					return -1;
				}
			}
		}
	}
	return 0;
}

static const struct trigger_id *find_id(const struct triggers *t, uint64_t id)
{
	struct hash_node *node;

	node = hash_table_first(&t->ids, hash_number(id));
	for (; node; node = hash_table_next(node)) {
		const struct trigger_id *found = hash_entry(node, struct trigger_id, node);

		if (found->id == id)
			return found;
	}
	return NULL;
}

/* The fields at the start of every sample of a trigger. */
struct trigger_sample {
	struct perf_event_header header;
	uint64_t id;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
};

static void note_call(struct triggers *t, const struct trigger_id *id,
		      const struct trigger_sample *sample)
{
	if (t->nr_round == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->round = xreallocarray(t->round, t->room, sizeof(*t->round));
	}
	t->round[t->nr_round++] = (struct call_event) {
		.trigger = id->trigger, .time = sample->time, .tid = sample->tid, .exit = id->exit,
	};
}

bool triggers_note(struct triggers *t, const struct perf_event_header *sample)
{
	const struct trigger_sample *s = (const struct trigger_sample *)sample;
	const struct trigger_id *id;

	if (!t->nr || sample->size < sizeof(*s))
		return false;
	id = find_id(t, s->id);
	if (!id)
		return false;
	if (id->trigger->call)
		note_call(t, id, s);
	else if (!t->fired)
		t->fired = id->trigger;
	return id->trigger->call;
}

/* === Pairing enters and exits === */

static uint64_t hash_task(const struct trigger *trigger, uint32_t tid)
{
	return hash_mix(hash_number(tid), (uintptr_t)trigger);
}

static struct trigger_task *task_of(struct triggers *t, const struct call_event *event)
{
	uint64_t hash = hash_task(event->trigger, event->tid);
	struct trigger_task *task;
	struct hash_node *node;

	for (node = hash_table_first(&t->tasks, hash); node; node = hash_table_next(node)) {
		task = hash_entry(node, struct trigger_task, node);
		if (task->tid == event->tid && task->trigger == event->trigger)
			return task;
	}
	task = xcalloc(1, sizeof(*task));
	task->trigger = event->trigger;
	task->tid = event->tid;
	hash_table_add(&t->tasks, &task->node, hash);
	return task;
}

static void pair_call(struct triggers *t, const struct call_event *event)
{
	struct trigger_task *task = task_of(t, event);

	if (event->exit && (!task->enter || task->enter > event->time)) {
		task->exit = event->time;
		return;
	}
	if (event->exit)
		task->exit = event->time;
	else
		task->enter = event->time;
	if (task->exit < task->enter)
		return;
	if (task->exit - task->enter >= event->trigger->ns && !t->fired)
		t->fired = event->trigger;
	hash_table_remove(&t->tasks, &task->node);
	free(task);
}

static int compare_calls(const void *a, const void *b)
{
	const struct call_event *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

const char *triggers_end_round(struct triggers *t)
{
	const struct trigger *fired;
	size_t i;

	if (t->nr_round)
		qsort(t->round, t->nr_round, sizeof(*t->round), compare_calls);
	for (i = 0; i < t->nr_round; i++)
		pair_call(t, &t->round[i]);
	t->nr_round = 0;
	fired = t->fired;
	t->fired = NULL;
	return fired ? fired->spec : NULL;
}

static void free_task(struct hash_node *node)
{
	free(hash_entry(node, struct trigger_task, node));
}

void triggers_forget(struct triggers *t)
{
	t->nr_round = 0;
	hash_table_free_all(&t->tasks, free_task);
}

static void free_id(struct hash_node *node)
{
	free(hash_entry(node, struct trigger_id, node));
}

void triggers_free(struct triggers *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		free(t->all[i].spec);
	free(t->all);
	free(t->round);
	hash_table_free_all(&t->ids, free_id);
	hash_table_free_all(&t->tasks, free_task);
	*t = (struct triggers){ 0 };
}
