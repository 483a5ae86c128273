// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes events of the scheduler.
 */
#include <string.h>

#include "sched_event.h"

/* Bits of common_flags for a hard or soft interrupt (enum trace_flag_type). */
#define FLAGS_INTERRUPT 0x18U

enum sched_kind sched_kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum sched_kind kind;
	} kinds[] = {
		{ "sched:sched_switch", SCHED_SWITCH },
		{ "sched:sched_waking", SCHED_WAKING },
		{ "sched:sched_wakeup", SCHED_WAKEUP },
		{ "sched:sched_wakeup_new", SCHED_WAKEUP_NEW },
		{ "sched:sched_stat_runtime", SCHED_RUNTIME },
	};
	size_t i, length;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		length = strlen(kinds[i].name);
		if (!strncmp(kinds[i].name, name, length) && (!name[length] || name[length] == ':'))
			return kinds[i].kind;
	}
	return SCHED_OTHER;
}

/* The raw data of a sample, and the format of the record. */
struct source {
	const struct tracing_data *tracing;
	uint64_t id;
	const struct sample *sample;
};

static void copy_comm(char to[SCHED_COMM_SIZE], const char *comm)
{
	size_t length = strnlen(comm, SCHED_COMM_SIZE - 1);

	memcpy(to, comm, length);
	to[length] = '\0';
}

static int get_number(const struct source *s, const char *field, uint64_t *value)
{
	return tracing_data_number(s->tracing, s->id, s->sample->raw, s->sample->raw_size, field,
				   value) ? 0 : -1;
}

static int get_task(const struct source *s, const char *tid_field, const char *comm_field,
		    struct sched_task_id *task)
{
	uint64_t tid;

	if (get_number(s, tid_field, &tid) ||
	    !tracing_data_string(s->tracing, s->id, s->sample->raw, s->sample->raw_size,
				 comm_field, task->comm, sizeof(task->comm)))
		return -1;
	task->tid = (int32_t)tid;
	return 0;
}

int sched_event_decode(struct sched_event *event, const struct tracing_data *tracing,
		       const char *name, const struct perf_event_attr *attr,
		       const struct record *record, const char *comm)
{
	const struct source source = { tracing, attr->config, &record->sample };
	uint64_t state, flags, prio;

	memset(event, 0, sizeof(*event));
	event->kind = sched_kind_of(name);
	event->time = record->id.time;
	event->cpu = record->id.cpu;
	event->pid = record->id.pid;
	event->current.tid = record->id.has_tid ? (int32_t)record->id.tid : -1;
	copy_comm(event->current.comm, comm);
	event->interrupt = !get_number(&source, "common_flags", &flags) &&
			   flags & FLAGS_INTERRUPT;
	switch (event->kind) {
	case SCHED_OTHER:
		return -1;
	case SCHED_SWITCH:
		if (get_task(&source, "prev_pid", "prev_comm", &event->task) ||
		    get_task(&source, "next_pid", "next_comm", &event->next) ||
		    get_number(&source, "prev_state", &state))
			return -1;
		event->waits = !(state & TASK_STATE_SLEEPS);
		event->state = task_state_letter(state);
		event->prio = get_number(&source, "prev_prio", &prio) ? -1 : (int32_t)prio;
		return 0;
	case SCHED_RUNTIME:
		return get_task(&source, "pid", "comm", &event->task) ||
		       get_number(&source, "runtime", &event->runtime) ? -1 : 0;
	default:
		return get_task(&source, "pid", "comm", &event->task);
	}
}
