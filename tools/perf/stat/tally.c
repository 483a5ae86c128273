// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of perf stat: sums of counters for intervals and runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "tally.h"

static size_t nr_rows(const struct tallies *t)
{
	return t->events->nr * t->places;
}

static char *task_name(int tid)
{
	char *path = xasprintf("/proc/%d/comm", tid);
	char *comm = read_text_file(path, NULL);
	size_t length = comm ? strlen(comm) : 0;
	char *safe, *name;

	/* Remove only the last newline: others are a part of the name. */
	if (length && comm[length - 1] == '\n')
		comm[length - 1] = '\0';
	safe = escape_name(comm ? comm : "");
	name = xasprintf("%s-%d", safe, tid);
	free(safe);
	free(comm);
	free(path);
	return name;
}

static const enum cpu_part part_kinds[] = {
	[PLACE_CORE] = CPU_CORE, [PLACE_DIE] = CPU_DIE, [PLACE_SOCKET] = CPU_SOCKET,
	[PLACE_NODE] = CPU_NODE,
};

void tallies_prepare(struct tallies *t, enum stat_places kind, const struct counters *cs,
		     const struct named_metrics *metrics)
{
	const struct int_list *cpus = counters_read_cpus(cs);
	size_t i;

	if (t->rows)
		return;
	*t = (struct tallies){
		.kind = kind, .events = cs->events, .metrics = metrics, .places = 1,
	};
	if (kind == PLACE_CPU) {
		t->places = cpus->nr;
		t->cpus = xcalloc(t->places, sizeof(*t->cpus));
		for (i = 0; i < t->places; i++)
			t->cpus[i] = cpus->values[i];
	} else if (kind == PLACE_THREAD) {
		t->places = cs->tids.nr;
		t->tasks = xcalloc(t->places, sizeof(*t->tasks));
		for (i = 0; i < t->places; i++)
			t->tasks[i] = task_name(cs->tids.values[i]);
	}
	if (kind >= PLACE_CORE) {
		cpu_parts_find(&t->parts, part_kinds[kind], cpus);
		t->places = t->parts.nr;
	}
	t->rows = xcalloc(nr_rows(t), sizeof(*t->rows));
}

/* Return the index of a counter's row among the rows of its event. */
static size_t place_of(const struct tallies *t, size_t cpu, size_t task)
{
	switch (t->kind) {
	case PLACE_CPU:
		return cpu;
	case PLACE_THREAD:
		return task;
	case PLACE_CORE:
	case PLACE_DIE:
	case PLACE_SOCKET:
	case PLACE_NODE:
		return t->parts.of[cpu];
	case PLACE_ALL:
		break;
	}
	return 0;
}

/* The rows of an event, for add_count(). */
struct event_rows {
	struct tallies *tallies;
	size_t event;
};

static void add_count(void *context, size_t cpu, size_t task, const struct count *count)
{
	const struct event_rows *to = context;

	tallies_add(to->tallies, to->event, cpu, task, count);
}

void tallies_add(struct tallies *t, size_t event, size_t cpu, size_t task,
		 const struct count *count)
{
	count_add(&t->rows[event * t->places + place_of(t, cpu, task)].now, count);
}

void tallies_read(struct tallies *t, const struct counters *cs)
{
	struct event_rows to = { .tallies = t };
	size_t i;

	for (i = 0; i < nr_rows(t); i++)
		t->rows[i].now = (struct count){ 0 };
	for (; to.event < t->events->nr; to.event++) {
		if (!t->events->events[to.event].tool)
			counters_read_event(cs, to.event, add_count, &to);
	}
}

void tallies_take_run(struct tallies *t)
{
	size_t i;

	for (i = 0; i < nr_rows(t); i++) {
		struct tally *row = &t->rows[i];

		spread_add(&row->value, count_scaled(&row->now));
		count_add(&row->sum, &row->now);
		row->before = (struct count){ 0 };
	}
}

/* Collect the counts that a row is related to: those of the same CPU, thread and control group. */
static struct metric_base base_of(const struct tallies *t, size_t row, double wall,
				  const double *values)
{
	const struct event *of = &t->events->events[row / t->places];
	size_t place = row % t->places;
	struct metric_base base = { .wall = wall };
	size_t e;

	for (e = 0; e < t->events->nr; e++) {
		if (t->events->events[e].cgroup != of->cgroup)
			continue;
		metric_base_add(&base, of, &t->events->events[e], values[e * t->places + place]);
	}
	return base;
}

static enum stat_state state_of(const struct counters *cs, size_t event, const struct count *count)
{
	int error = counters_event_error(cs, event);

	if (error)
		return error == EBUSY || error == EACCES ? STAT_NOT_COUNTED : STAT_NOT_SUPPORTED;
		/* A coarse clock may measure no running time although events were counted. */
	return count->running || count->value ? STAT_COUNTED : STAT_NOT_COUNTED;
}

/*
 * Return the metric of a row. In the row of a named metric's first event, that is the named metric.
 */
static struct metric metric_at(const struct tallies *t, const struct counters *cs, size_t row,
			       double wall, const double *values, const struct count *counts)
{
	const struct named_metric *m = named_metrics_at(t->metrics, row / t->places);
	size_t i, e = row / t->places;
	struct metric_input *inputs;
	struct metric_base base;
	struct metric metric;

	if (!m) {
		base = base_of(t, row, wall, values);
		return metric_of(&base, &t->events->events[e], values[row]);
	}
	inputs = xcalloc(m->nr_events, sizeof(*inputs));
	for (i = 0; i < m->nr_events; i++) {
		size_t at = row + i * t->places;
		enum stat_state state = state_of(cs, e + i, &counts[at]);

		inputs[i] = (struct metric_input){ values[at], counts[at], NULL };
		if (state != STAT_COUNTED)
			inputs[i].instead = stat_state_text(state);
	}
	metric = named_metric_value(m, t->events, inputs);
	free(inputs);
	return metric;
}

/* Return the number of the place's CPUs on which the event is counted. */
static unsigned int nr_counters(const struct tallies *t, const struct counters *cs, size_t event,
				size_t place)
{
	unsigned int nr = 0;
	size_t cpu;

	if (t->events->events[event].tool == TOOL_DURATION)
		return 1;
	for (cpu = 0; cpu < counters_read_cpus(cs)->nr; cpu++)
		nr += t->parts.of[cpu] == place && counters_has_cpu(cs, event, cpu);
	return nr;
}

/*
 * Return the index of the row to print as the @nr-th. Rows are printed by event, or by part of the
 * machine if there are parts.
 */
static size_t printed_row(const struct tallies *t, size_t nr)
{
	if (!t->parts.nr)
		return nr;
	return nr % t->events->nr * t->places + nr / t->events->nr;
}

static int compare_values(const void *a, const void *b, void *values)
{
	const size_t *x = a, *y = b;
	const double *of = values;

	if (of[*x] != of[*y])
		return of[*x] < of[*y] ? 1 : -1;
	return *x < *y ? -1 : *x > *y;
}

/* Return the indices of the rows in the order in which they are printed, to be freed. */
static size_t *order_of(const struct tallies *t, const double *values, bool by_value)
{
	size_t *order = xcalloc(nr_rows(t), sizeof(*order)), nr, e;

	for (nr = 0; nr < nr_rows(t); nr++)
		order[nr] = printed_row(t, nr);
	for (e = 0; by_value && e < t->events->nr; e++)
		qsort_r(order + e * t->places, t->places, sizeof(*order), compare_values,
			(void *)values);
	return order;
}

/* Print all rows. @interval is 0 for the table at the end, which shows the spread of the runs. */
static void print_rows(const struct tallies *t, const struct counters *cs,
		       const struct stat_style *style, const double *values,
		       const struct count *counts, double wall, uint64_t interval)
{
	/* The threads of an interval stay in their places, so that intervals can be compared. */
	size_t *order = order_of(t, values, t->kind == PLACE_THREAD && !interval);
	size_t e, place, i, nr;

	for (nr = 0; nr < nr_rows(t); nr++) {
		struct stat_row row;

		i = order[nr];
		e = i / t->places;
		place = i % t->places;
		/* Print the duration once: it is the same in every place. */
		if (t->events->events[e].tool == TOOL_DURATION && place)
			continue;
		row = (struct stat_row){
			.event = &t->events->events[e],
			.state = state_of(cs, e, &counts[i]),
			.value = values[i],
			.noise = interval ? 0 : spread_percent(&t->rows[i].value),
			.times = counts[i],
			.metric = metric_at(t, cs, i, wall, values, counts),
			.cpu = t->cpus ? t->cpus[place] : -1,
			.task = t->tasks ? t->tasks[place] : NULL,
			.places = t->kind,
			.interval = interval,
			.summary = !interval && style->summary,
		};
		if (t->parts.nr) {
			row.part = t->parts.names[place];
			row.nr_counters = nr_counters(t, cs, e, place);
		}
		stat_print_row(style, &row);
	}
	free(order);
	fflush(style->out);
}

void tallies_print_interval(struct tallies *t, const struct counters *cs,
			    const struct stat_style *style, double wall, uint64_t start)
{
	struct count *counts = xcalloc(nr_rows(t), sizeof(*counts));
	double *values = xcalloc(nr_rows(t), sizeof(*values));
	size_t i;

	for (i = 0; i < nr_rows(t); i++) {
		counts[i] = count_since(&t->rows[i].now, &t->rows[i].before);
		values[i] = count_scaled(&counts[i]);
		t->rows[i].before = t->rows[i].now;
	}
	print_rows(t, cs, style, values, counts, wall, start);
	free(values);
	free(counts);
}

void tallies_print_result(const struct tallies *t, const struct counters *cs,
			  const struct stat_style *style, double wall)
{
	struct count *counts = xcalloc(nr_rows(t), sizeof(*counts));
	double *values = xcalloc(nr_rows(t), sizeof(*values));
	size_t i, runs;

	for (i = 0; i < nr_rows(t); i++) {
		const struct tally *row = &t->rows[i];

		runs = row->value.nr ? row->value.nr : 1;
		values[i] = row->value.mean;
		counts[i] = (struct count){ row->sum.value, row->sum.enabled / runs,
					    row->sum.running / runs };
	}
	print_rows(t, cs, style, values, counts, wall, 0);
	free(values);
	free(counts);
}

void tallies_free(struct tallies *t)
{
	size_t i;

	for (i = 0; t->tasks && i < t->places; i++)
		free(t->tasks[i]);
	free(t->tasks);
	cpu_parts_free(&t->parts);
	free(t->cpus);
	free(t->rows);
}
