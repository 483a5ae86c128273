// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling delays: histories of a few tasks, with numbers computed by hand.
 */
#include <stdlib.h>

#include "sched/sched.h"
#include "unit.h"

#define MS 1000000ULL

static struct latency_table latency;
static struct timehist hist;
static FILE *out;
static char *text;
static size_t size;

static void open_out(void)
{
	out = open_memstream(&text, &size);
}

static void add(const struct sched_event *event)
{
	latency_table_add(&latency, event);
	timehist_add(&hist, out, event);
}

static struct sched_task_id task(int tid, const char *comm)
{
	struct sched_task_id id = { .tid = tid };

	snprintf(id.comm, sizeof(id.comm), "%s", comm);
	return id;
}

static void add_switch(uint64_t ms, uint32_t cpu, struct sched_task_id from,
		       struct sched_task_id to, bool waits)
{
	add(&(struct sched_event) {
		.kind = SCHED_SWITCH, .time = ms * MS, .cpu = cpu, .pid = from.tid, .task = from,
		.next = to, .waits = waits,
	});
}

static void add_wakeup(enum sched_kind kind, uint64_t ms, struct sched_task_id who)
{
	add(&(struct sched_event) { .kind = kind, .time = ms * MS, .task = who });
}

static void add_wakeup_by(enum sched_kind kind, uint64_t ms, struct sched_task_id who,
			  struct sched_task_id by)
{
	add(&(struct sched_event) { .kind = kind, .time = ms * MS, .task = who, .current = by });
}

static void add_runtime(uint64_t ms, struct sched_task_id who, uint64_t runtime)
{
	add(&(struct sched_event) {
		.kind = SCHED_RUNTIME, .time = ms * MS, .task = who, .runtime = runtime * MS,
	});
}

static void end_history(void)
{
	fclose(out);
	latency_table_free(&latency);
	timehist_free(&hist);
	memset(&latency, 0, sizeof(latency));
	memset(&hist, 0, sizeof(hist));
}

/* Return the columns of the lines about tasks; frees @table. */
static char *columns(char *table)
{
	char *all = NULL, *line, *word, *rest, *next;
	size_t length;
	FILE *f = open_memstream(&all, &length);

	for (line = strtok_r(table, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (!strpbrk(line, "0123456789"))
			continue;
		word = strtok_r(line, " |", &next);
		fputs(word, f);
		while ((word = strtok_r(NULL, " |", &next))) {
			if (strpbrk(word, "0123456789"))
				fprintf(f, " %s", word);
		}
		putc('\n', f);
	}
	fclose(f);
	free(table);
	return all;
}

static void check_latency(bool by_task, enum latency_order order, const char *wanted,
			  const char *what)
{
	char *table = NULL, *got;
	size_t length;
	FILE *f = open_memstream(&table, &length);

	latency_table_print(&latency, f, by_task, order);
	fclose(f);
	got = columns(table);
	check_string(got, wanted, what);
	free(got);
}

/* Check the table of timehist that was printed, and free it. */
static void check_timehist(const char *wanted, const char *what)
{
	end_history();
	text = columns(text);
	check_string(text, wanted, what);
	free(text);
}

/* One CPU: b runs while a sleeps, is preempted by a, and later a waits for b. */
static void test_waiting(void)
{
	struct sched_task_id idle = task(0, "swapper"), a = task(10, "a"), b = task(11, "b");

	open_out();
	add_switch(100, 0, a, b, false);	/* a was running */
	add_wakeup(SCHED_WAKEUP, 110, a);
	add_switch(115, 0, b, a, true);		/* a waited 5 ms, b begins to wait */
	add_wakeup(SCHED_WAKEUP, 116, a);	/* no effect: a is running */
	add_runtime(120, a, 5);
	add_switch(120, 0, a, b, false);	/* b waited 5 ms */
	add_wakeup(SCHED_WAKEUP, 121, a);
	add_wakeup(SCHED_WAKEUP, 122, a);	/* no effect: a already waits */
	add_switch(130, 0, b, idle, false);
	add_switch(134, 0, idle, a, true);	/* a waited 13 ms */
	add_runtime(140, a, 6);
	add_switch(140, 0, a, idle, false);
	check_latency(true, LATENCY_BY_AVERAGE,
		      "a:10 11.000 2 9.000 13.000 0.121000 0.134000\n"
		      "b:11 0.000 1 5.000 5.000 0.115000 0.120000\n"
		      "TOTAL: 11.000 3\n",
		      "a sleeping and a preempted task wait for the CPU");
	check_timehist("0.100000 [0000] a[10] 0.000 0.000 0.000\n"
		       "0.115000 [0000] b[11] 0.000 0.000 15.000\n"
		       "0.120000 [0000] a[10] 15.000 5.000 5.000\n"
		       "0.130000 [0000] b[11] 5.000 0.000 10.000\n"
		       "0.134000 [0000] 0.000 0.000 4.000\n"
		       "0.140000 [0000] a[10] 14.000 13.000 6.000\n",
		       "timehist has a line per run");
}

/* Two CPUs, two tasks of one name, a new task, and control characters in a name. */
static void test_names(void)
{
	struct sched_task_id idle = task(0, "swapper"), a = task(10, "x"), b = task(11, "x");
	struct sched_task_id evil = task(12, "e\033[1m"), lone = task(13, "lone");

	hist.has_waking = true;
	latency.has_waking = true;
	open_out();
	add_switch(1, 0, idle, idle, true);
	add_switch(1, 1, idle, idle, true);
	add_wakeup(SCHED_WAKEUP_NEW, 2, a);
	add_wakeup(SCHED_WAKING, 2, b);
	add_wakeup(SCHED_WAKEUP, 3, b);
	add_switch(4, 0, idle, a, true);	/* a waited 2 ms */
	add_switch(9, 1, idle, b, true);	/* b waited 7 ms, 6 since WAKEUP */
	add_wakeup(SCHED_WAKING, 9, evil);
	add_switch(10, 0, a, evil, false);	/* evil waited 1 ms */
	add_runtime(11, lone, 3);		/* no wake-up and no switch of lone is known */
	add_switch(12, 1, b, idle, false);
	add_switch(13, 0, evil, idle, false);
	check_latency(false, LATENCY_BY_SWITCHES,
		      "x:(2) 0.000 2 4.500 7.000 0.002000 0.009000\n"
		      "e\\x1b[1m:12 0.000 1 1.000 1.000 0.009000 0.010000\n"
		      "lone:13 3.000 0 0.000 0.000 0.000000 0.000000\n"
		      "TOTAL: 3.000 3\n",
		      "tasks of one name share a row, and a task without a delay has one");
	check_timehist("0.001000 [0000] 0.000 0.000 0.000\n"
		       "0.001000 [0001] 0.000 0.000 0.000\n"
		       "0.004000 [0000] 0.000 0.000 3.000\n"
		       "0.009000 [0001] 0.000 0.000 8.000\n"
		       "0.010000 [0000] x[10] 0.000 2.000 6.000\n"
		       "0.012000 [0001] x[11] 0.000 7.000 3.000\n"
		       "0.013000 [0000] e\\x1b[1m[12] 0.000 1.000 3.000\n",
		       "a wait is counted from sched_waking if recorded");
}

/* A task that got a name is printed with it again, even if it is the same name. */
static void test_map_names(void)
{
	struct sched_task_id a = task(1, "a"), b = task(2, "b");
	struct sched_map map = { 0 };
	int i;

	open_out();
	for (i = 0; i < 4; i++) {
		sched_map_add(&map, out, &(struct sched_event) {
			.kind = SCHED_SWITCH, .cpu = 0,
			.task = i & 1 ? b : a, .next = i & 1 ? a : b,
		});
		if (i == 1)
			sched_map_rename(&map, 2);
	}
	sched_map_rename(&map, 3);
	sched_map_free(&map);
	fclose(out);
	check_number(strstr(strstr(text, "=> b:2") + 1, "=> b:2") ? 1 : 0, 1,
		     "a task that got a name is printed with it again");
	check_number(strstr(strstr(text, "=> a:1") + 1, "=> a:1") ? 1 : 0, 0,
		     "another task is not");
	free(text);
}

/* Invalid data neither crashes nor takes much memory. */
static void test_nonsense(void)
{
	struct sched_task_id a = task(-1, "a"), b = task(INT32_MAX, "b");
	struct sched_map map = { 0 };

	open_out();
	add_switch(5, UINT32_MAX, a, b, true);
	add_switch(4, 3, b, a, true);
	add_switch(3, 3, a, b, true);
	add_wakeup(SCHED_WAKEUP, 2, b);
	add_switch(1, 3, b, a, true);
	check_number(hist.nr_cpus, 4, "an impossible CPU is ignored");
	sched_map_add_cpus(&map, 1 << 20);
	sched_map_add(&map, out, &(struct sched_event) {
		.kind = SCHED_SWITCH, .cpu = 1 << 19, .task = a, .next = b,
	});
	check_number(map.nr_cpus, 0, "the map has no columns for an impossible CPU");
	sched_map_free(&map);
	end_history();
	check_number(strstr(text, "18446744073") ? 1 : 0, 0, "time that goes backward is ignored");
	free(text);
}

/*
 * An interrupt wakes a, which wakes b, which creates c and is preempted; b is woken again while
 * it is awake, without effect; then it sleeps, and an unknown task wakes it.
 */
static void test_wakeups(void)
{
	const struct sched_task_id idle = task(0, "swapper"), a = task(10, "a"), b = task(11, "b"),
				   c = task(12, "c");
	struct sched_event interrupt = {
		.kind = SCHED_WAKING, .time = 10 * MS, .cpu = 0, .task = a, .interrupt = true,
	};

	open_out();
	hist.has_waking = true;
	hist.with_wakeups = true;
	add_switch(1, 0, a, idle, false);
	add(&interrupt);
	add_switch(11, 0, idle, a, true);
	add_wakeup_by(SCHED_WAKING, 13, b, a);
	add_switch(14, 0, a, b, false);
	add_wakeup_by(SCHED_WAKING, 15, b, b);
	add_wakeup_by(SCHED_WAKEUP_NEW, 16, c, b);
	add_switch(17, 0, b, c, true);
	add_switch(18, 0, c, b, false);
	add_switch(20, 0, b, idle, false);
	/* The task of this sample has exited, so that it has no number. */
	add_wakeup_by(SCHED_WAKING, 21, b, task(-1, ":-1"));
	add_switch(22, 0, idle, b, true);
	/* Task b is running. */
	interrupt.time = 22 * MS + MS / 2;
	add(&interrupt);
	add_switch(23, 0, b, a, false);
	add_switch(24, 0, a, idle, false);
	end_history();
#define BY_A(ms) "woken by a[10] " ms " before, woken by an interrupt 3.000 ms before\n"
	check(strstr(text, "  woken by an interrupt 1.000 ms before\n"), "by an interrupt");
	check(strstr(text, "  " BY_A("1.000 ms")),
	      "a task woken by another task names both causes");
	check(strstr(text, "  created by b[11] 1.000 ms before, " BY_A("3.000 ms")),
	      "a created task names its creator");
	check(strstr(text, "  " BY_A("5.000 ms")),
	      "a preempted task keeps its cause");
	check(strstr(text, "  woken by an unknown task 1.000 ms before\n"), "by a task without a number");
	check(strstr(text, "  woken by an interrupt 0.500 ms before\n"),
	      "an interrupt is not attributed to the running task");
	free(text);
}

static void test_kinds(void)
{
	check_number(sched_kind_of("sched:sched_switch"), SCHED_SWITCH, "a switch");
	check_number(sched_kind_of("sched:sched_switch:k"), SCHED_SWITCH,
		     "sched_switch with modifiers is recognized");
	check_number(sched_kind_of("sched:sched_wakeup_new"), SCHED_WAKEUP_NEW,
		     "sched_wakeup_new is recognized");
	check_number(sched_kind_of("sched:sched_wakeup"), SCHED_WAKEUP,
		     "sched_wakeup is recognized");
	check_number(sched_kind_of("sched:sched_switched"), SCHED_OTHER,
		     "another sched event is not recognized");
	check_number(sched_kind_of("sched:sched_"), SCHED_OTHER,
		     "an empty event name is not recognized");
	check_number(sched_kind_of("cycles"), SCHED_OTHER, "cycles is not a sched event");
}

int main(void)
{
	test_waiting();
	test_names();
	test_map_names();
	test_nonsense();
	test_wakeups();
	test_kinds();
	return unit_finish();
}
