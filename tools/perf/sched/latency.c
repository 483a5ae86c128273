// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling delays: the times from the wake-up or preemption of a task until it runs. A wake-up
 * begins with SCHED_WAKING, and SCHED_WAKEUP follows when the task is in the queue of a CPU. The
 * kernel's perf records only the former; older recordings have only the latter.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "latency.h"

enum state {
	STATE_UNKNOWN,		/* no event of the task so far */
	STATE_SLEEPS,
	STATE_WAITS,
	STATE_RUNS,
};

/**
 * struct row - a task, or all tasks of one name
 * @node: node in the table, by number
 * @task: number and latest name
 * @nr_tasks: number of tasks
 * @state: current state
 * @since: time in ns when waiting began
 * @runtime: running time in ns
 * @switches: number of delays that were measured
 * @delay: sum of the delays in ns
 * @max: largest delay in ns
 * @max_start: time in ns when the largest delay began
 * @max_end: time in ns when the largest delay ended
 */
struct row {
	struct hash_node node;
	struct sched_task_id task;
	unsigned int nr_tasks;
	enum state state;
	uint64_t since;
	uint64_t runtime;
	uint64_t switches;
	uint64_t delay;
	uint64_t max;
	uint64_t max_start;
	uint64_t max_end;
};

static struct row *row_of(struct latency_table *latency, const struct sched_task_id *task)
{
	uint64_t hash = hash_number((uint32_t)task->tid);
	struct hash_node *node = hash_table_first(&latency->tasks, hash);
	struct row *row;

	for (; node; node = hash_table_next(node)) {
		row = hash_entry(node, struct row, node);
		if (row->task.tid == task->tid)
			break;
	}
	if (!node) {
		row = xcalloc(1, sizeof(*row));
		row->nr_tasks = 1;
		hash_table_add(&latency->tasks, &row->node, hash);
	}
	row->task = *task;
	return row;
}

static void wait_ends(struct row *row, uint64_t time)
{
	uint64_t delay = time - row->since;

	if (row->state != STATE_WAITS || time < row->since)
		return;
	row->switches++;
	row->delay += delay;
	if (delay > row->max) {
		row->max = delay;
		row->max_start = row->since;
		row->max_end = time;
	}
}

static void add_switch(struct latency_table *latency, const struct sched_event *event)
{
	struct row *row = row_of(latency, &event->task);

	row->state = event->waits ? STATE_WAITS : STATE_SLEEPS;
	row->since = event->time;
	row = row_of(latency, &event->next);
	if (!latency->hide)
		wait_ends(row, event->time);
	row->state = STATE_RUNS;
}

static void add_wakeup(struct latency_table *latency, const struct sched_event *event)
{
	struct row *row = row_of(latency, &event->task);

	/* A wake-up of a task that runs or waits has no effect. */
	if (row->state == STATE_RUNS || row->state == STATE_WAITS)
		return;
	row->state = STATE_WAITS;
	row->since = event->time;
}

void latency_table_add(struct latency_table *latency, const struct sched_event *event)
{
	switch (event->kind) {
	case SCHED_SWITCH:
		add_switch(latency, event);
		break;
	case SCHED_WAKING:
	case SCHED_WAKEUP_NEW:
		add_wakeup(latency, event);
		break;
	case SCHED_WAKEUP:
		if (!latency->has_waking)
			add_wakeup(latency, event);
		break;
	case SCHED_RUNTIME:
		if (!latency->hide)
			row_of(latency, &event->task)->runtime += event->runtime;
		break;
	case SCHED_OTHER:
		break;
	}
}

static double average(const struct row *row)
{
	return row->switches ? (double)row->delay / row->switches : 0;
}

static int compare_numbers(double a, double b)
{
	return (a < b) - (a > b);
}

static int compare_names(const struct row *a, const struct row *b)
{
	int names = strcmp(a->task.comm, b->task.comm);

	return names ? names : (a->task.tid > b->task.tid) - (a->task.tid < b->task.tid);
}

static int compare(const void *a, const void *b, void *order)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	int result = 0;

	switch (*(enum latency_order *)order) {
	case LATENCY_BY_AVERAGE:
		result = compare_numbers(average(x), average(y));
		break;
	case LATENCY_BY_MAX:
		result = compare_numbers(x->max, y->max);
		break;
	case LATENCY_BY_SWITCHES:
		result = compare_numbers(x->switches, y->switches);
		break;
	case LATENCY_BY_RUNTIME:
		result = compare_numbers(x->runtime, y->runtime);
		break;
	}
	return result ? result : compare_names(x, y);
}

static int compare_by_name(const void *a, const void *b)
{
	return compare_names(*(struct row *const *)a, *(struct row *const *)b);
}

static void merge(struct row *into, const struct row *row)
{
	into->nr_tasks++;
	into->runtime += row->runtime;
	into->switches += row->switches;
	into->delay += row->delay;
	if (row->max > into->max) {
		into->max = row->max;
		into->max_start = row->max_start;
		into->max_end = row->max_end;
	}
}

/* Merge the rows of each name into one. Return: the number of rows left. */
static size_t merge_names(struct row **rows, size_t nr)
{
	size_t i, left = 0;

	qsort(rows, nr, sizeof(*rows), compare_by_name);
	for (i = 0; i < nr; i++) {
		if (left && !strcmp(rows[left - 1]->task.comm, rows[i]->task.comm))
			merge(rows[left - 1], rows[i]);
		else
			rows[left++] = rows[i];
	}
	return left;
}

static void print_line(FILE *out, size_t length)
{
	putc(' ', out);
	while (length--)
		putc('-', out);
	putc('\n', out);
}

/* Print a time, rounded down to microseconds like other times of events. */
static void print_time(FILE *out, const char *what, uint64_t time)
{
	fprintf(out, " | %s: %5" PRIu64 ".%06" PRIu64 " s", what, time / 1000000000,
		time / 1000 % 1000000);
}

static void print_row(FILE *out, const struct row *row)
{
	char *comm = escape_name(row->task.comm);
	char *name = row->nr_tasks > 1 ? xasprintf("%s:(%u)", comm, row->nr_tasks) :
					 xasprintf("%s:%" PRId32, comm, row->task.tid);

	fprintf(out, "  %-21s |%11.3f ms |%9" PRIu64 " | avg:%8.3f ms | max:%8.3f ms",
		name, row->runtime / 1e6, row->switches, average(row) / 1e6, row->max / 1e6);
	print_time(out, "max start", row->max_start);
	print_time(out, "max end", row->max_end);
	putc('\n', out);
	free(name);
	free(comm);
}

void latency_table_print(struct latency_table *latency, FILE *out, bool by_task,
			 enum latency_order order)
{
	struct hash_node **nodes = hash_table_nodes(&latency->tasks);
	struct row **rows = xcalloc(latency->tasks.nr + 1, sizeof(*rows));
	uint64_t runtime = 0, switches = 0;
	size_t i, nr = 0;

	for (i = 0; i < latency->tasks.nr; i++) {
		struct row *row = hash_entry(nodes[i], struct row, node);

		/* The idle task never waits, and its time is not work. */
		if (row->task.tid && (row->switches || row->runtime))
			rows[nr++] = row;
	}
	if (!by_task)
		nr = merge_names(rows, nr);
	qsort_r(rows, nr, sizeof(*rows), compare, &order);
	putc('\n', out);
	print_line(out, 139);
	fputs("  Task                  |   Runtime ms  | Switches | Avg delay ms    ", out);
	fputs("| Max delay ms    | Max delay start           | Max delay end          |\n", out);
	print_line(out, 139);
	for (i = 0; i < nr; i++) {
		print_row(out, rows[i]);
		runtime += rows[i]->runtime;
		switches += rows[i]->switches;
	}
	print_line(out, 113);
	fprintf(out, "  TOTAL:                |%11.3f ms |%9" PRIu64 " |\n", runtime / 1e6,
		switches);
	print_line(out, 51);
	putc('\n', out);
	free(rows);
	free(nodes);
}

static void free_row(struct hash_node *node)
{
	free(hash_entry(node, struct row, node));
}

void latency_table_free(struct latency_table *latency)
{
	hash_table_free_all(&latency->tasks, free_row);
}
