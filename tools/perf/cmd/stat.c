// SPDX-License-Identifier: GPL-2.0
/* perf stat: count the events of a command, of tasks or of CPUs. */
#include <argp.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/measure.h"
#include "stat/stat.h"
#include "arguments.h"
#include "cmd.h"
#include "control.h"
#include "delay.h"
#include "drop_in.h"
#include "option_values.h"
#include "target_options.h"

/* The shortest interval in ms. Shorter ones would mostly measure the printing. */
#define INTERVAL_MIN 10

#define REPEAT_MAX 10000

/* Seconds that a command has to exit after SIGTERM when --timeout is over. */
#define COMMAND_GRACE 5

enum { OPTION_APPEND = 0x100, OPTION_NO_BIG_NUM, OPTION_PER_THREAD, OPTION_FILTER,
	OPTION_TIMEOUT, OPTION_CONTROL, OPTION_INTERVAL_COUNT, OPTION_INTERVAL_CLEAR, OPTION_PRE,
	OPTION_POST,
	OPTION_ALL_USER, OPTION_ALL_KERNEL, OPTION_LOG_FD, OPTION_QUIET,
	OPTION_PER_CORE, OPTION_PER_DIE, OPTION_PER_SOCKET, OPTION_PER_NODE, OPTION_SUMMARY,
	OPTION_EACH_CGROUP,	OPTION_NO_CSV_SUMMARY };

struct stat_options {
	struct target_options target;
	struct event_list events;
	struct named_metrics metrics;
	const char *output;
	const char *separator;
	unsigned int repeat;
	unsigned int interval;		/* ms, or 0 */
	unsigned int interval_count;	/* number of intervals; 0: no limit */
	bool interval_clear;
	double timeout;			/* s; 0: no limit */
	struct delay delay;
	struct control control;
	const char *pre;		/* commands of the shell */
	const char *post;
	int log_fd;			/* -1: none */
	bool sync;
	bool only_user;
	bool only_kernel;
	bool quiet;
	bool append;
	bool json;
	bool no_aggr;
	enum stat_places part;		/* PLACE_ALL without --per-core and its like */
	bool summary;
	bool no_csv_summary;
	bool per_thread;
	bool null_run;
	bool detailed;
	bool big_num;
	bool verbose;
};

struct measurement {
	struct stat_options *options;
	struct target target;
	struct stat_style style;
	struct counters counters;
	struct watch watch;
	struct tallies tallies;
	struct tool_times tool_times;
	struct spread elapsed;		/* duration of the runs, s */
	unsigned int nr_intervals;	/* intervals of this run that were printed */
	double interval_start;		/* start of the interval, s since the start of the run */
	struct timespec start;		/* before the first counter was enabled */
	double user;
	double system;
	int status;
};

static const struct argp_option option_table[] = {
	{ "event", 'e', "EVENT", 0, "Count EVENT; a list, groups in braces ('perf list')", 1 },
	{ "filter", OPTION_FILTER, "FILTER", 0,
	  "Count the preceding tracepoint only where its fields match FILTER", 1 },
	{ "metrics", 'M', "METRIC", 0, "Count what METRIC needs; a list ('perf list metric')", 1 },
	{ "detailed", 'd', NULL, 0, "Also count cache accesses and misses", 1 },
	{ "repeat", 'r', "N", 0, "Run the command N times, print means and deviations", 3 },
	{ "interval-print", 'I', "MS", 0, "Print what was counted every MS milliseconds", 3 },
	{ "interval-count", OPTION_INTERVAL_COUNT, "N", 0, "Stop after N intervals", 3 },
	{ "interval-clear", OPTION_INTERVAL_CLEAR, NULL, 0, "Clear the screen at each interval",
	  3 },
	{ "timeout", OPTION_TIMEOUT, "MS", 0, "End the command after MS milliseconds", 3 },
	{ "delay", 'D', "MS", 0,
	  "Count from MS milliseconds after the start on; -1: leave the events disabled", 3 },
	{ "control", OPTION_CONTROL, "CHANNEL", 0,
	  "Obey commands: enable, disable, stop, ...; CHANNEL is fd:COMMANDS[,ACKS], descriptors, or fifo:COMMANDS[,ACKS], FIFOs",
	  3 },
	{ "sync", 'S', NULL, 0, "Call sync() before each run", 3 },
	{ "pre", OPTION_PRE, "COMMAND", 0, "Run COMMAND of the shell before each run", 3 },
	{ "post", OPTION_POST, "COMMAND", 0, "Run COMMAND of the shell after each run", 3 },
	{ "for-each-cgroup", OPTION_EACH_CGROUP, "GROUPS", 0,
	  "Count every event for each of these control groups: names, or regular expressions", 1 },
	{ "all-user", OPTION_ALL_USER, NULL, 0, "Count only user mode, as :u does", 1 },
	{ "all-kernel", OPTION_ALL_KERNEL, NULL, 0, "Count only the kernel, as :k does", 1 },
	{ "log-fd", OPTION_LOG_FD, "FD", 0, "Print to this descriptor", 5 },
	{ "quiet", OPTION_QUIET, NULL, 0, "Print no counts", 5 },
	{ "null", 'n', NULL, 0, "Count nothing, only measure the time", 3 },
	{ "no-aggr", 'A', NULL, 0, "With -a or -C, print CPUs one by one", 4 },
	{ "per-core", OPTION_PER_CORE, NULL, 0, "With -a or -C, print cores one by one", 4 },
	{ "per-die", OPTION_PER_DIE, NULL, 0, "With -a or -C, print dies one by one", 4 },
	{ "per-socket", OPTION_PER_SOCKET, NULL, 0, "With -a or -C, print sockets one by one", 4 },
	{ "per-node", OPTION_PER_NODE, NULL, 0, "With -a or -C, print memory nodes one by one", 4 },
	{ "summary", OPTION_SUMMARY, NULL, 0, "With -I, also print the sums at the end", 3 },
	{ "no-csv-summary", OPTION_NO_CSV_SUMMARY, NULL, 0, "With -x, do not mark these sums", 3 },
	{ "per-thread", OPTION_PER_THREAD, NULL, 0, "With -p or -t, print threads one by one", 4 },
	{ "output", 'o', "FILE", 0, "Print to FILE", 5 },
	{ "append", OPTION_APPEND, NULL, 0, "Append to the file of -o", 5 },
	{ "field-separator", 'x', "SEP", 0, "Print fields with SEP in between", 5 },
	{ "json-output", 'j', NULL, 0, "Print a JSON object per line", 5 },
	{ "json", 'j', NULL, OPTION_ALIAS, NULL, 5 },
	{ "big-num", 'B', NULL, 0, "Group the digits of numbers, as the locale does (default)", 5 },
	{ "no-big-num", OPTION_NO_BIG_NUM, NULL, 0, "Do not group digits", 5 },
	{ "verbose", 'v', NULL, 0, "Print details of the measurement", 5 },
	{ 0 },
};

static void parse_metrics(struct argp_state *state, struct stat_options *o, const char *names)
{
	struct error err;
	int status = named_metrics_add(&o->metrics, &o->events, names, &err);

	if (status)
		argp_failure(state, status, 0, "%s", err.text);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct stat_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->target;
		o->target.events = &o->events;
		break;
	case 'e':
		parse_events(state, &o->events, arg);
		break;
	case OPTION_FILTER:
		parse_filter(state, &o->events, arg);
		break;
	case 'M':
		parse_metrics(state, o, arg);
		break;
	case 'r':
		o->repeat = parse_number(state, "-r", arg, 1, REPEAT_MAX);
		break;
	case 'I':
		o->interval = parse_number(state, "-I", arg, INTERVAL_MIN, INT_MAX);
		break;
	case 'd':
		o->detailed = true;
		break;
	case OPTION_INTERVAL_COUNT:
		o->interval_count = parse_number(state, "--interval-count", arg, 1, INT_MAX);
		break;
	case OPTION_INTERVAL_CLEAR:
		o->interval_clear = true;
		break;
	case OPTION_TIMEOUT:
		o->timeout = parse_number(state, "--timeout", arg, 1, INT_MAX) / 1000.0;
		break;
	case 'D':
		delay_parse(state, &o->delay, arg);
		break;
	case OPTION_CONTROL:
		control_parse(state, &o->control, arg);
		break;
	case 'S':
		o->sync = true;
		break;
	case OPTION_PRE:
		o->pre = arg;
		break;
	case OPTION_POST:
		o->post = arg;
		break;
	case OPTION_EACH_CGROUP:
		o->target.each_cgroup = arg;
		break;
	case OPTION_ALL_USER:
		o->only_user = true;
		break;
	case OPTION_ALL_KERNEL:
		o->only_kernel = true;
		break;
	case OPTION_LOG_FD:
		o->log_fd = parse_number(state, "--log-fd", arg, 0, INT_MAX);
		break;
	case OPTION_QUIET:
		o->quiet = true;
		break;
	case 'n':
		o->null_run = true;
		break;
	case 'A':
		o->no_aggr = true;
		break;
	case OPTION_PER_CORE:
		o->part = PLACE_CORE;
		break;
	case OPTION_PER_DIE:
		o->part = PLACE_DIE;
		break;
	case OPTION_PER_SOCKET:
		o->part = PLACE_SOCKET;
		break;
	case OPTION_PER_NODE:
		o->part = PLACE_NODE;
		break;
	case OPTION_SUMMARY:
		o->summary = true;
		break;
	case OPTION_NO_CSV_SUMMARY:
		o->no_csv_summary = true;
		break;
	case OPTION_PER_THREAD:
		o->per_thread = true;
		break;
	case 'o':
		o->output = arg;
		break;
	case OPTION_APPEND:
		o->append = true;
		break;
	case 'x':
		o->separator = arg;
		break;
	case 'j':
		o->json = true;
		break;
	case 'B':
		o->big_num = true;
		break;
	case OPTION_NO_BIG_NUM:
		o->big_num = false;
		break;
	case 'v':
		o->verbose = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp stat_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = (const struct argp_child[]){
		{ &target_argp, 0, NULL, 2 }, { &stat_drop_in, 0, NULL, 0 }, { 0 },
	},
	.doc =
	"Count events while COMMAND runs, or of existing tasks or CPUs until they end or a signal comes.",
};

/* Refuse times that the tool cannot measure so: it reads those of whole runs, tasks and CPUs. */
static const char *refuse_tool_events(const struct stat_options *o)
{
	size_t i;

	if (control_is_wanted(&o->control) && tool_times_are_wanted(&o->events))
		return "--control cannot disable duration_time and the like; use task-clock";
	for (i = 0; i < o->events.nr; i++) {
		if (o->events.events[i].tool > TOOL_DURATION &&
		    (o->target.nr_cgroups || o->target.each_cgroup))
			return "user_time and system_time are of no control group; use task-clock";
	}
	return NULL;
}

/* Return: a message if options contradict one another or have no effect, or NULL. */
static const char *refuse_options(const struct stat_options *o)
{
	const char *command = o->target.command ? o->target.command[0] : "";

	if (!strcmp(command, "record"))
		return "counts are not recorded: keep them with -o FILE (-j or -x)";
	if (!strcmp(command, "report"))
		return "there are no recordings of counts: read what 'perf stat -o FILE' wrote";
	if (o->only_user && o->only_kernel)
		return "--all-user and --all-kernel contradict one another";
	if (o->interval_count && !o->interval)
		return "--interval-count needs -I";
	if (o->delay.off && !control_is_wanted(&o->control))
		return DELAY_OFF_TEXT;
	if (o->delay.nr && o->interval)
		return "-D and -I contradict one another: leave the first intervals out";
	if (o->delay.nr > 1)
		return "-D: ranges are for perf record; give the time before counting begins";
	if (o->log_fd >= 0 && o->output)
		return "-o and --log-fd contradict one another";
	if (o->json && o->separator)
		return "-x and --json are two formats; choose one";
	if (o->separator && !*o->separator)
		return "-x needs a separator that is not empty";
	if (o->append && !o->output)
		return "--append needs -o";
	if (o->repeat > 1 && !o->target.command)
		return "-r repeats a command; give one";
	if (o->no_aggr && !target_options_choose_cpus(&o->target))
		return "-A needs -a or -C";
	if (o->part && !target_options_choose_cpus(&o->target))
		return "--per-core, --per-die, --per-socket and --per-node need -a or -C";
	if (o->target.each_cgroup && o->metrics.nr)
		return "-M and --for-each-cgroup exclude one another: use --cgroup for each group";
	if (o->part && o->no_aggr)
		return "-A prints CPUs, --per-core and the like print parts; choose one";
	if (o->summary && !o->interval)
		return "--summary needs -I; without it, the sums are all that is printed";
	if (o->per_thread && !o->target.pids && !o->target.tids)
		return "--per-thread needs -p or -t";
	if (o->per_thread && o->repeat > 1)
		return "-r and --per-thread contradict one another: threads differ from run to run";
	if (o->null_run && o->events.nr)
		return "-n, and -e or -M, contradict one another";
	if (o->null_run && o->detailed)
		return "-n and -d contradict one another";
	return refuse_tool_events(o);
}

/* Add events that the user did not name. */
static void add_events(struct stat_options *o, const char *events)
{
	size_t i = o->events.nr;
	struct error err;

	if (event_list_parse(&o->events, events, &err))
		die("%s", err.text);
	for (; i < o->events.nr; i++)
		o->events.events[i].by_default = true;
}

static void add_default_events(struct stat_options *o, enum target_kind kind)
{
	if (!o->events.nr) {
		/*
		 * The clock of a CPU always runs, the clock of a task only while the task runs.
		 */
		add_events(o, kind == TARGET_CPUS ? "cpu-clock" : "task-clock");
		add_events(o, "context-switches,cpu-migrations,page-faults");
		add_events(o, "cycles,instructions,branches,branch-misses");
	}
	if (o->detailed) {
		add_events(o, "cache-references,cache-misses");
		add_events(o, "L1-dcache-loads,L1-dcache-load-misses");
		add_events(o, "LLC-loads,LLC-load-misses");
	}
}

static void prepare_attrs(struct stat_options *o, enum target_kind kind)
{
	struct perf_event_attr *attr;
	size_t i;

	for (i = 0; i < o->events.nr; i++) {
		attr = &o->events.events[i].attr;
		attr->inherit = kind != TARGET_CPUS &&
				sampling_terms_inherit(&o->events.events[i].sampling,
						       !o->target.no_inherit);
		attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				    PERF_FORMAT_TOTAL_TIME_RUNNING;
		if (o->events.events[i].has_modifiers)
			continue;
		attr->exclude_kernel |= o->only_user;
		attr->exclude_hv |= o->only_user || o->only_kernel;
		attr->exclude_user |= o->only_kernel;
	}
	delay_prepare(&o->delay, &o->events);
}

static struct timespec time_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now;
}

static double seconds_between(const struct timespec *start, const struct timespec *end)
{
	return end->tv_sec - start->tv_sec + (end->tv_nsec - start->tv_nsec) / 1e9;
}

/* Read the counters, and the times that the tool measures, at time @now. */
static void read_counts(struct measurement *m, const struct timespec *now)
{
	tallies_read(&m->tallies, &m->counters);
	if (tool_times_are_wanted(&m->options->events))
		tool_times_read(&m->tool_times, &m->tallies, now,
				m->watch.command_ended ? &m->watch.usage : NULL);
}

static void print_interval(struct measurement *m, const struct timespec *time)
{
	double now = seconds_between(&m->start, time);

	read_counts(m, time);
	tallies_print_interval(&m->tallies, &m->counters, &m->style,
			       (now - m->interval_start) * 1e9, now * 1e9);
	m->interval_start = now;
}

static void print_result(struct measurement *m)
{
	if (!m->options->interval)
		stat_print_head(&m->style, m->target.name);
	tallies_print_result(&m->tallies, &m->counters, &m->style, m->elapsed.mean * 1e9);
	stat_print_times(&m->style, &m->elapsed, m->user, m->system);
}

/* Print why default events were left out, if the PMU is in use. */
static void print_reason(const struct measurement *m)
{
	struct pmu_holder holder;
	struct error note;
	size_t i;

	for (i = 0; i < m->options->events.nr; i++) {
		if (counters_event_error(&m->counters, i) == EACCES) {
			stat_print_note(&m->style,
					"kernel.perf_counter_pmu is 1; to count events of the PMU, be root, have CAP_PERFMON, or set it to 2.");
			return;
		}
		if (counters_event_error(&m->counters, i) != EBUSY)
			continue;
		holder = pmu_holder();
		error_set(&note, "The PMU is in use by %s; to count its events, %s.", holder.who,
			  holder.remedy);
		stat_print_note(&m->style, note.text);
		return;
	}
}

static enum stat_places places_of(const struct stat_options *o)
{
	if (o->no_aggr)
		return PLACE_CPU;
	if (o->part)
		return o->part;
	return o->per_thread ? PLACE_THREAD : PLACE_ALL;
}

static double timeval_seconds(const struct timeval *t)
{
	return t->tv_sec + t->tv_usec / 1e6;
}

static void take_usage(struct measurement *m)
{
	m->status = exit_status(m->watch.status);
	if (WIFSIGNALED(m->watch.status))
		fprintf(stderr, "perf: %s: %s\n", m->options->target.command[0],
			strsignal(WTERMSIG(m->watch.status)));
	if (m->target.kind != TARGET_COMMAND)
		return;
	m->user = timeval_seconds(&m->watch.usage.ru_utime);
	m->system = timeval_seconds(&m->watch.usage.ru_stime);
}

static void start_tool_times(struct measurement *m, pid_t command, struct timespec start)
{
	struct tool_times *t = &m->tool_times;

	if (!tool_times_are_wanted(&m->options->events))
		return;
	t->counters = &m->counters;
	t->target = &m->target;
	t->command = command;
	t->children = !m->options->target.no_inherit;
	t->split = m->options->per_thread;
	tool_times_start(t, &start);
}

static int start_run(struct measurement *m, struct workload *workload, struct error *err)
{
	/*
	 * Take the time of the start before a counter counts, so that no clock shows more than has
	 * elapsed.
	 */
	m->start = time_now();
	start_tool_times(m, workload->pid, m->start);
	if (m->options->interval) {
		m->interval_start = 0;
		if (watch_interval(&m->watch, m->options->interval, err))
			return EXIT_FAILED;
	}
	if (m->options->timeout && watch_limit(&m->watch, m->options->timeout, err))
		return EXIT_FAILED;
	if (delay_start(&m->options->delay, &m->watch, err))
		return EXIT_FAILED;
	if (m->target.kind != TARGET_COMMAND && !delay_is_wanted(&m->options->delay) &&
	    counters_enable(&m->counters, err))
		return EXIT_FAILED;
	if (workload->pid) {
		watch_command(&m->watch, workload->pid);
		if (workload_start(workload, err))
			return EXIT_NOT_EXECUTED;
	} else if (m->target.kind == TARGET_TASKS &&
		   watch_tasks(&m->watch, &m->counters.tids, err)) {
		return EXIT_FAILED;
	}
	return 0;
}

/* Print an interval. Return: true if it was the last one. */
static bool take_interval(struct measurement *m)
{
	struct timespec now = time_now();

	if (m->options->interval_clear && isatty(fileno(m->style.out)))
		fputs("\033[H\033[2J", m->style.out);
	print_interval(m, &now);
	m->nr_intervals++;
	return m->options->interval_count && m->nr_intervals >= m->options->interval_count;
}

static const struct control_snapshot no_snapshot = {
	.refusal = "perf stat has no snapshots; -I prints what was counted",
};

/* Wait until the run ends. Return: 0, or -1 with @err set. */
static int wait_for_end(struct measurement *m, struct error *err)
{
	bool over = false, last = false;
	unsigned int what;
	int stop;

	while (!over) {
		what = watch_wait(&m->watch);
		stop = what & WATCH_INPUT ?
		       control_round(&m->options->control, &m->counters, &m->watch, &no_snapshot,
				     err) : 0;
		if (stop < 0)
			return -1;
		over = stop || what & WATCH_END;
		if (what & WATCH_TICK && m->options->delay.nr) {
			start_tool_times(m, m->watch.command, time_now());
			if (delay_tick(&m->options->delay, &m->counters, &m->watch, err))
				return -1;
		} else if (what & WATCH_TICK && !over && !last && take_interval(m)) {
			/* The command goes on, but is not counted any more. */
			counters_disable(&m->counters);
			last = true;
			over = !m->watch.command;
		}
		/* The time of --timeout is up, or a command said so. */
		if (over && m->watch.command) {
			if (watch_end_command(&m->watch, COMMAND_GRACE, err))
				return -1;
			over = !m->watch.command;
		}
	}
	return 0;
}

static int count_run(struct measurement *m, struct error *err)
{
	struct timespec end;

	m->nr_intervals = 0;
	if (wait_for_end(m, err))
		return EXIT_FAILED;
	/* The clocks of a command end with it, the clocks of others when they are disabled. */
	end = time_now();
	counters_disable(&m->counters);
	if (m->target.kind != TARGET_COMMAND)
		end = time_now();
	spread_add(&m->elapsed, seconds_between(&m->start, &end));
	if (m->options->interval && (!m->options->interval_count ||
				     m->nr_intervals < m->options->interval_count))
		print_interval(m, &end);
	read_counts(m, &end);
	tallies_take_run(&m->tallies);
	if (m->watch.command_ended)
		take_usage(m);
	return 0;
}

/* Run a command of --pre or --post. Return: 0, or -1 with @err set. */
static int run_shell(const char *option, const char *command, struct error *err)
{
	int status = command ? system(command) : 0;

	if (!status)
		return 0;
	error_set(err, "%s: '%s' failed", option, command);
	return -1;
}

/* Do one run: fork, open, start, wait, read. */
static int run_once(struct measurement *m, struct error *err)
{
	struct workload workload = { 0 };
	int status = EXIT_FAILED;

	if (watch_init(&m->watch, err) || control_watch(&m->options->control, &m->watch, err))
		return EXIT_FAILED;
	if (m->options->target.command &&
	    workload_prepare(&workload, m->options->target.command, err))
		return EXIT_FAILED;
	if (counters_open(&m->counters, &m->options->events, &m->target, workload.pid,
			  m->options->no_aggr || m->options->part ? COUNTERS_READ_CPUS :
			  COUNTERS_SUM, NULL, err)) {
		if (workload.pid)
			workload_cancel(&workload);
		return EXIT_FAILED;
	}
	if (m->options->verbose)
		fprintf(stderr, "perf stat: events: %zu, descriptors: %zu\n",
			m->options->events.nr, counters_nr_open(&m->counters));
	tallies_prepare(&m->tallies, places_of(m->options), &m->counters,
			&m->options->metrics);
	if (m->options->sync)
		sync();
	status = start_run(m, &workload, err);
	if (status && workload.pid)
		workload_cancel(&workload);
	return status ? status : count_run(m, err);
}

/* Do all runs and print the result. */
static int run_all(struct measurement *m, struct error *err)
{
	unsigned int i;
	int status;

	if (m->options->interval)
		stat_print_interval_head(&m->style, places_of(m->options));
	for (i = 0; i < m->options->repeat && !m->watch.signal; i++) {
		if (i) {
			counters_close(&m->counters);
			watch_free(&m->watch);
		}
		m->options->delay.next = 0;
		if (run_shell("--pre", m->options->pre, err))
			return EXIT_FAILED;
		status = run_once(m, err);
		if (status)
			return status;
		if (run_shell("--post", m->options->post, err))
			return EXIT_FAILED;
	}
	m->style.runs = i;
	if (!m->options->interval || m->options->summary)
		print_result(m);
	print_reason(m);
	return 0;
}

static int open_output(struct measurement *m, struct error *err)
{
	const struct stat_options *o = m->options;
	char text[64];
	time_t now;

	m->style.out = stderr;
	if (o->quiet || o->log_fd >= 0) {
		m->style.out = o->quiet ? fopen("/dev/null", "we") : fdopen(o->log_fd, "w");
		if (m->style.out)
			return 0;
		error_set(err, "%s: %s", o->quiet ? "/dev/null" : "--log-fd", strerror(errno));
		return -1;
	}
	if (!o->output)
		return 0;
	m->style.out = open_output_file(o->output, o->append, err);
	if (!m->style.out)
		return -1;
	/* Each line of a JSON file is an object. */
	if (o->json)
		return 0;
	time(&now);
	fprintf(m->style.out, "# started on %s\n", ctime_r(&now, text));
	return 0;
}

static int close_output(struct measurement *m, struct error *err)
{
	bool failed = ferror(m->style.out);

	if (m->style.out != stderr && fclose(m->style.out))
		failed = true;
	if (!failed)
		return 0;
	error_set(err, "%s: some of the output could not be written: %s",
		  m->options->output ? m->options->output : "the standard error output",
		  strerror(errno));
	return -1;
}

static void free_measurement(struct measurement *m)
{
	tallies_free(&m->tallies);
	tool_times_free(&m->tool_times);
	counters_close(&m->counters);
	target_free(&m->target);
	free(m->options->target.cgroups);
	event_list_free(&m->options->events);
	named_metrics_free(&m->options->metrics);
	delay_free(&m->options->delay);
	control_free(&m->options->control);
}

static int measure(struct measurement *m, struct error *err)
{
	const struct stat_options *o = m->options;
	int status;

	status = target_resolve(&m->target, &o->target, err);
	if (status)
		return status;
	if (o->verbose)
		syscall_announce();
	if (!o->null_run)
		add_default_events(m->options, m->target.kind);
	if (o->target.each_cgroup)
		target_repeat_events(&m->target, &m->options->events);
	status = o->target.each_cgroup ? 0 :
		 target_assign_cgroups(&m->target, &m->options->events, err);
	if (status)
		return status;
	if (m->target.kind != TARGET_CPUS)
		events_warn_of_kinds(&m->options->events);
	prepare_attrs(m->options, m->target.kind);
	weak_groups_split(&m->options->events);
	if (open_output(m, err))
		return EXIT_FAILED;
	m->style.runs = o->repeat;
	m->style.separator = o->separator;
	m->style.format = o->json ? STAT_JSON : o->separator ? STAT_CSV : STAT_TABLE;
	m->style.big_num = o->big_num;
	m->style.cgroups = m->target.cgroups.nr;
	m->style.summary = o->summary && !o->no_csv_summary;
	/* Format numbers by the locale for people, in the C locale for programs. */
	if (m->style.format == STAT_TABLE)
		setlocale(LC_NUMERIC, "");
	status = run_all(m, err);
	if (close_output(m, err) && !status)
		status = EXIT_FAILED;
	return status;
}

int cmd_stat(int argc, char **argv)
{
	struct stat_options options = {
		.repeat = 1, .big_num = true, .log_fd = -1, .control = CONTROL_NONE,
	};
	struct measurement m = { .options = &options, .watch = WATCH_NOTHING, .user = -1 };
	struct error err = { "" };
	const char *refusal;
	int status;

	parse_arguments(&stat_argp, argc, argv, ARGP_IN_ORDER, &options);
	refusal = refuse_options(&options);
	if (refusal) {
		complain("%s", refusal);
		event_list_free(&options.events);
		return EXIT_USAGE;
	}
	status = measure(&m, &err);
	if (status)
		complain("%s", err.text);
	else
		status = m.status;
	free_measurement(&m);
	watch_free(&m.watch);
	watch_raise(&m.watch);
	return status;
}
