// SPDX-License-Identifier: GPL-2.0
/*
 * perf trace: print the system calls and tracepoints of a command, of tasks or of the machine as
 * they happen, or those of a recording.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/live.h"
#include "measure/measure.h"
#include "record/record.h"
#include "trace/trace.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "option_values.h"
#include "target_options.h"

#define ENTER "raw_syscalls:sys_enter"
#define EXIT "raw_syscalls:sys_exit"

/* Seconds that a command has to exit after SIGTERM when its trace cannot go on. */
#define COMMAND_GRACE 5

/* The time between two displays, in ms. */
#define DELAY 100

/* Pages of a buffer for root, if the samples have stacks or go to a file. */
#define LARGE_PAGES 1024

/* The largest value of --max-stack and --min-stack. */
#define STACK_MAX 1000000

/* The largest number of terms in a filter for the kernel. */
#define FILTERED_CALLS_MAX 60

enum {
	OPTION_FILTER_PIDS = 0x100, OPTION_FAILURE_ONLY, OPTION_DURATION, OPTION_JSON,
	OPTION_STRING_SIZE, OPTION_NO_SYSCALLS, OPTION_MAX_EVENTS, OPTION_NO_COMM,
	OPTION_ERRNO_SUMMARY, OPTION_CALL_GRAPH, OPTION_KERNEL_CHAINS, OPTION_MAX_STACK,
	OPTION_MIN_STACK, OPTION_SHOW_CPU, OPTION_SUMMARY_MODE, OPTION_MAX_SUMMARY,
	OPTION_SYSCALLS, OPTION_FILTER,
};

/* Names of system calls, or patterns of names. */
struct patterns {
	char **patterns;
	size_t nr;
};

struct trace_options {
	struct target_options target;
	const char *input;		/* the recording to read, or NULL */
	struct sampling chains;		/* with callchain: the kind of call chains */
	size_t max_stack;		/* number of printed functions of a chain; 0: all */
	size_t min_stack;		/* calls with shorter chains are not printed */
	size_t max_summary;		/* number of calls of a thread in the table; 0: all */
	bool summary_total;
	bool kernel_chains;		/* chains have the functions of the kernel */
	bool cpus;
	struct patterns wanted;		/* empty: all calls */
	struct patterns unwanted;
	struct int_list numbers;	/* numbers of the wanted calls */
	struct chosen_points points;	/* tracepoints beside the calls */
	struct int_list not_pids;
	const char *output;
	size_t pages;			/* 0: chosen by the number of CPUs */
	size_t string_size;
	double duration;		/* ms; shorter calls are not printed */
	unsigned int max_events;	/* number of lines; 0: no limit */
	bool summary;
	bool errors;			/* with summary: a line for each errno */
	bool no_comm;
	bool no_lines;
	bool failures;
	bool absolute;
	bool json;
	bool major_faults;
	bool minor_faults;
	bool no_syscalls;
	bool all_syscalls;		/* also if -e chooses only tracepoints */
	bool verbose;
};

struct trace;

/* A function that handles the samples of one event. */
typedef void (*sample_taker)(struct trace *trace, const struct record *record);

/**
 * struct traced_event - use of an event
 * @take: handler of its samples; NULL: none
 * @layout: positions of the fields, for system calls
 */
struct traced_event {
	sample_taker take;
	struct call_layout layout;
};

/**
 * struct trace - state of perf trace
 * @options: options of the user
 * @target: target of the measurement
 * @workload: process of the command
 * @events: recorded events
 * @uses: use of each event
 * @nr_uses: number of @uses
 * @counters: counters of @events
 * @watch: descriptors for signals, exits of tasks and data
 * @live: records of the running machine
 * @machine: state of the machine, running or recorded
 * @session: recording, or NULL
 * @chain: call chain of the current sample
 * @has_chain: true if the current sample has a call chain
 * @calls: system calls that have not returned
 * @style: style of the printed lines
 * @out: stream of the output; @style has another one while lines are held
 * @held: lines that are held until the paths of descriptors are known
 * @nr_lost: number of lost records when paths were forgotten last
 * @nr_lost_before: number of lost records at the end of the last catch_up()
 * @is_uncertain: records were lost, and records of the time before may still wait
 * @summary: totals of all calls
 * @nr_lines: number of printed lines
 * @nr_bad: number of malformed samples
 * @formats: formats of the tracepoints of this machine; NULL: none, or a recording is printed
 */
struct trace {
	struct trace_options *options;
	struct target target;
	struct workload workload;
	struct event_list events;
	struct traced_event *uses;
	size_t nr_uses;
	struct counters counters;
	struct watch watch;
	struct live live;
	struct machine *machine;
	struct session *session;
	struct callchain chain;
	bool has_chain;
	struct calls calls;
	struct line_style style;
	FILE *out;
	struct held_lines held;
	uint64_t nr_lost;
	uint64_t nr_lost_before;
	bool is_uncertain;
	struct summary summary;
	unsigned int nr_lines;
	uint64_t nr_bad;
	struct tracing_data *formats;
};

static const struct argp_option option_table[] = {
	{ "input", 'i', "FILE", 0,
	  "Print the calls of a recording of 'perf trace record'; - is standard input", 0 },
	{ "event", 'e', "EVENT", 0,
	  "Only these system calls and tracepoints: a list of names, patterns, groups of calls, or SYSTEM:NAME; !SYSCALL leaves a call out",
	  1 },
	{ "filter", OPTION_FILTER, "FILTER", 0,
	  "Only records of the preceding tracepoint with these values of fields", 1 },
	{ "pf", 'F', "all|maj|min", 0, "Also show page faults: all, major or minor ones", 1 },
	{ "expr", 'e', "EVENT", OPTION_HIDDEN, NULL, 1 },
	{ "call-graph", OPTION_CALL_GRAPH, "MODE", 0,
	  "Print the callers of each call, found by frame pointers (fp), by the PMU's records of calls (lbr), or by call frame information and SIZE bytes of each stack (dwarf[,SIZE])",
	  1 },
	{ "kernel-syscall-graph", OPTION_KERNEL_CHAINS, NULL, 0,
	  "With --call-graph: print the functions of the kernel, too", 1 },
	{ "no-syscalls", OPTION_NO_SYSCALLS, NULL, 0,
	  "No system calls, only the tracepoints of -e and the page faults of -F", 1 },
	{ "syscalls", OPTION_SYSCALLS, NULL, 0,
	  "All system calls, also if -e chooses only tracepoints", 1 },
	{ "filter-pids", OPTION_FILTER_PIDS, "PID", 0, "Leave these processes out; a list", 1 },
	{ "mmap-pages", 'm', "PAGES", 0,
	  "Size of a buffer: pages, or a size with K, M or G; rounded up to a power of two", 2 },
	{ "failure-only", OPTION_FAILURE_ONLY, NULL, 0, "Only calls that fail", 3 },
	{ "duration", OPTION_DURATION, "MS", 0, "Only calls that take so many ms or more", 3 },
	{ "max-events", OPTION_MAX_EVENTS, "N", 0, "Only the first N lines of calls, tracepoints and page faults",
	  3 },
	{ "min-stack", OPTION_MIN_STACK, "N", 0,
	  "Only calls with N callers or more; without --call-graph, with dwarf", 3 },
	{ "max-stack", OPTION_MAX_STACK, "N", 0,
	  "Print up to N callers; without --call-graph, with dwarf", 4 },
	{ "summary", 's', NULL, 0, "Only a table of each thread's calls, at the end", 4 },
	{ "with-summary", 'S', NULL, 0, "All calls, and then the table", 4 },
	{ "errno-summary", OPTION_ERRNO_SUMMARY, NULL, 0, "In the table, count the errors by errno",
	  4 },
	{ "summary-mode", OPTION_SUMMARY_MODE, "thread|total", 0,
	  "Have a table for each thread (default), or one for all", 4 },
	{ "max-summary", OPTION_MAX_SUMMARY, "N", 0, "Print up to N system calls per table", 4 },
	{ "show-cpu", OPTION_SHOW_CPU, NULL, 0, "Print the CPU of each call", 4 },
	{ "no-comm", OPTION_NO_COMM, NULL, 0, "Print threads without their names", 4 },
	{ "string-size", OPTION_STRING_SIZE, "N", 0,
	  "Up to N bytes of each string and each written buffer (256); 0: only addresses", 4 },
	{ "time", 'T', NULL, 0, "Times of the clock, not times since the first call", 4 },
	{ "json", OPTION_JSON, NULL, 0, "Print a JSON object per line", 4 },
	{ "output", 'o', "FILE", 0, "Print to FILE; -: the standard output", 4 },
	{ "verbose", 'v', NULL, 0, "Print details of the measurement", 5 },
	{ 0 },
};

static void add_pattern(struct patterns *patterns, const char *pattern)
{
	patterns->patterns = xreallocarray(patterns->patterns, patterns->nr + 1,
					   sizeof(*patterns->patterns));
	patterns->patterns[patterns->nr++] = xstrdup(pattern);
}

static void free_patterns(struct patterns *patterns)
{
	size_t i;

	for (i = 0; i < patterns->nr; i++)
		free(patterns->patterns[i]);
	free(patterns->patterns);
}

static void refuse_call(struct argp_state *state, const char *name)
{
	struct suggestions near = { .typed = name };
	struct error err;

	error_set(&err, "-e: there is no system call '%s'", name);
	syscalls_consider(&near);
	if (!suggestions_say(&near, &err))
		error_add(&err, "; patterns are those of a shell: 'open*'");
	argp_failure(state, EXIT_FAILED, 0, "%s", err.text);
}

/* Add the calls of a group. This kernel may lack some. */
static void parse_group(struct trace_options *o, bool unwanted,
			const char *const *group)
{
	for (; *group; group++) {
		if (!unwanted)
			syscalls_numbers(*group, &o->numbers);
		add_pattern(unwanted ? &o->unwanted : &o->wanted, *group);
	}
}

static void parse_event(struct argp_state *state, struct trace_options *o, const char *name)
{
	bool unwanted = *name == '!';
	struct int_list numbers = { 0 };
	const char *const *group;

	name += unwanted;
	if (is_point_name(name)) {
		if (unwanted)
			argp_error(state,
				   "-e: '!%s': only system calls are left out; name the tracepoints to print",
				   name);
		chosen_points_add(&o->points, name);
		return;
	}
	group = syscall_group(name);
	if (group) {
		parse_group(o, unwanted, group);
		return;
	}
	if (!syscalls_numbers(name, &numbers))
		refuse_call(state, name);
	if (!unwanted)
		int_list_add_new(&o->numbers, &numbers);
	add_pattern(unwanted ? &o->unwanted : &o->wanted, name);
	int_list_free(&numbers);
}

/* Return the length of the first word of a list. Commas between slashes are part of a word. */
static size_t word_length(const char *list)
{
	bool in_terms = false;
	const char *end;

	for (end = list; *end && (in_terms || *end != ','); end++)
		in_terms ^= *end == '/';
	return end - list;
}

static void parse_choices(struct argp_state *state, struct trace_options *o, const char *list)
{
	char *word;
	size_t size;

	do {
		size = word_length(list);
		word = xstrndup(list, size);
		parse_event(state, o, word);
		free(word);
		list += size;
	} while (*list++);
}

static void parse_faults(struct argp_state *state, struct trace_options *o, const char *text)
{
	bool all = !strcmp(text, "all");

	if (!all && strcmp(text, "maj") && strcmp(text, "min"))
		argp_error(state, "-F: '%s' is not all, maj or min", text);
	o->major_faults = all || !strcmp(text, "maj");
	o->minor_faults = all || !strcmp(text, "min");
}

static void parse_summary_mode(struct argp_state *state, struct trace_options *o, const char *text)
{
	o->summary_total = !strcmp(text, "total");
	if (!o->summary_total && strcmp(text, "thread"))
		argp_error(state, "--summary-mode: '%s' is not thread or total", text);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct trace_options *o = state->input;
	struct error err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->target;
		break;
	case 'e':
		parse_choices(state, o, arg);
		break;
	case 'F':
		parse_faults(state, o, arg);
		break;
	case 'i':
		o->input = arg;
		break;
	case OPTION_CALL_GRAPH:
		parse_call_graph(state, &o->chains, arg);
		break;
	case OPTION_KERNEL_CHAINS:
		o->kernel_chains = true;
		break;
	case OPTION_MAX_STACK:
		o->max_stack = parse_number(state, "--max-stack", arg, 1, STACK_MAX);
		break;
	case OPTION_MIN_STACK:
		o->min_stack = parse_number(state, "--min-stack", arg, 1, STACK_MAX);
		break;
	case OPTION_SHOW_CPU:
		o->cpus = true;
		break;
	case OPTION_SUMMARY_MODE:
		parse_summary_mode(state, o, arg);
		break;
	case OPTION_MAX_SUMMARY:
		o->max_summary = parse_number(state, "--max-summary", arg, 1, 1000000);
		break;
	case OPTION_NO_SYSCALLS:
		o->no_syscalls = true;
		break;
	case OPTION_SYSCALLS:
		o->all_syscalls = true;
		break;
	case OPTION_FILTER:
		if (chosen_points_filter(&o->points, arg, &err))
			argp_error(state, "%s", err.text);
		break;
	case OPTION_FILTER_PIDS:
		if (int_list_parse(&o->not_pids, arg, "process id", &err))
			argp_error(state, "--filter-pids: %s", err.text);
		break;
	case 'm':
		o->pages = parse_pages(state, arg);
		break;
	case OPTION_FAILURE_ONLY:
		o->failures = true;
		break;
	case OPTION_DURATION:
		o->duration = parse_decimal(state, "--duration", "milliseconds", arg, 0, 1e9);
		break;
	case OPTION_MAX_EVENTS:
		o->max_events = parse_number(state, "--max-events", arg, 1, INT_MAX);
		break;
	case OPTION_NO_COMM:
		o->no_comm = true;
		break;
	case OPTION_ERRNO_SUMMARY:
		o->errors = true;
		break;
	case 's':
		o->summary = true;
		o->no_lines = true;
		break;
	case 'S':
		o->summary = true;
		o->no_lines = false;
		break;
	case OPTION_STRING_SIZE:
		o->string_size = parse_number(state, "--string-size", arg, 0,
					      SYSCALL_STRING_SIZE_MAX);
		break;
	case 'T':
		o->absolute = true;
		break;
	case OPTION_JSON:
		o->json = true;
		break;
	case 'o':
		o->output = arg;
		break;
	case 'v':
		o->verbose = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp trace_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = (const struct argp_child[]){
		{ &target_argp, 0, NULL, 6 }, { &trace_drop_in, 0, NULL, 0 }, { 0 },
	},
	.doc = "Show the system calls that a command, tasks or the whole machine make, and tracepoints.",
};

/* Return true if -e chooses tracepoints and no system calls. */
static bool has_only_points(const struct trace_options *o)
{
	return o->points.nr && !o->wanted.nr && !o->unwanted.nr && !o->all_syscalls;
}

static bool has_filter(const struct trace_options *o)
{
	size_t i;

	for (i = 0; i < o->points.nr && !o->points.points[i].filter; i++)
		;
	return i < o->points.nr;
}

static const char *refuse_options(const struct trace_options *o)
{
	if (o->no_syscalls && (o->wanted.nr || o->unwanted.nr || o->summary || o->all_syscalls))
		return "--no-syscalls contradicts -e SYSCALL, --syscalls, -s and -S";
	if (o->no_syscalls && !o->major_faults && !o->minor_faults && !o->points.nr)
		return "--no-syscalls leaves nothing to show; add -F, or -e SYSTEM:NAME";
	if (has_only_points(o) && o->summary)
		return "-s and -S sum up system calls, -e chooses only tracepoints; add --syscalls";
	if (o->input && has_filter(o))
		return "-i FILE prints all that was recorded; use --filter of perf record, or grep";
	if (o->json && o->summary)
		return "--json has no table; leave out -s or -S";
	if (o->errors && !o->summary)
		return "--errno-summary is about the table; add -s or -S";
	if (o->max_events && o->no_lines)
		return "--max-events contradicts -s, which prints no calls; use -S";
	if (o->input && o->target.command)
		return "-i FILE prints a recording; leave out the command";
	if (o->input && (o->target.all_cpus || o->target.cpus || o->target.nr_cgroups))
		return "-i FILE prints all that was recorded; leave out -a, -C and -G";
	return NULL;
}

/* Return true for "perf trace record". */
static bool is_record(const struct trace_options *o)
{
	return o->target.command && !strcmp(*o->target.command, "record");
}

/* Return a message that refuses the options before "record", or NULL. */
static const char *refuse_record(const struct trace_options *o)
{
	if (o->target.pids || o->target.tids || o->target.cpus || o->target.all_cpus ||
	    o->target.nr_cgroups || o->output || o->pages || o->chains.callchain)
		return "options of perf record follow the word 'record': perf trace record -p PID";
	if (o->points.nr)
		return "tracepoints follow the word 'record': perf trace record -e SYSTEM:NAME";
	return NULL;
}

static bool matches(const struct patterns *patterns, const char *name)
{
	size_t i;

	for (i = 0; i < patterns->nr; i++) {
		if (syscall_matches(patterns->patterns[i], name))
			return true;
	}
	return false;
}

/* Return true if the user wants calls of this kind. A call without a name matches no pattern. */
static bool is_wanted(const struct trace_options *o, const struct syscall *syscall)
{
	if (!syscall->name)
		return !o->wanted.nr;
	return (!o->wanted.nr || matches(&o->wanted, syscall->name)) &&
	       !matches(&o->unwanted, syscall->name);
}

static bool is_shown(const struct trace_options *o, const struct call *call)
{
	if (o->no_lines || (o->failures && !call_has_failed(call)))
		return false;
	return !o->duration ||
	       (call->begin && call->end && (call->end - call->begin) / 1e6 >= o->duration);
}

/* Return true if all lines of --max-events have been printed. */
static bool has_all(const struct trace *trace)
{
	return trace->options->max_events && trace->nr_lines >= trace->options->max_events;
}

static void forget_paths(struct trace *trace)
{
	fd_paths_forget_all(&trace->calls.paths);
	if (trace->style.held)
		held_lines_forget_paths(&trace->held);
}

/*
 * After a loss of records, forget all paths, also those of held lines: a lost call may have closed
 * descriptors.
 */
static void apply_loss(struct trace *trace)
{
	if (trace->live.nr_lost == trace->nr_lost && !trace->is_uncertain)
		return;
	trace->nr_lost = trace->live.nr_lost;
	forget_paths(trace);
}

/*
 * The counters know of a loss, but not when it was: before or between records that still wait. All
 * of them have been delivered at the end of the next catch_up(). Until then paths are forgotten.
 */
static void judge_loss(struct trace *trace)
{
	bool lost = trace->live.nr_lost != trace->nr_lost_before;

	apply_loss(trace);
	trace->nr_lost_before = trace->live.nr_lost;
	trace->is_uncertain = lost;
}

/* Print lines that are held: all, or those that wait for no path. */
static void release_lines(struct trace *trace, bool all)
{
	if (trace->style.held) {
		held_lines_release(&trace->held, trace->out, all);
		trace->style.out = trace->held.lines;
	}
	fflush(trace->out);
}

static void call_done(void *context, uint32_t pid, uint32_t tid, const struct call *call)
{
	struct trace *trace = context;
	struct thread *thread = thread_get(&trace->machine->threads, pid, tid);
	/* A call whose return was lost does not belong to the chain of the current sample. */
	bool has_chain = trace->has_chain && call->end;

	if (has_all(trace) || !is_wanted(trace->options, call->syscall))
		return;
	if (trace->options->summary)
		summary_add(&trace->summary, thread->comm, tid, call);
	if (!is_shown(trace->options, call))
		return;
	if (trace->options->min_stack &&
	    (!has_chain || trace->chain.nr < trace->options->min_stack))
		return;
	line_print_call(&trace->style, thread, call, has_chain ? &trace->chain : NULL);
	trace->nr_lines++;
}

/* Find the call chain of a sample, if it has one. */
static void find_chain(struct trace *trace, const struct record *record)
{
	struct thread *thread =
		thread_get(&trace->machine->threads, record->id.pid, record->id.tid);

	trace->has_chain = record->sample.chain_nr || record->sample.branches.nr ||
			   record->sample.user_stack_size;
	if (trace->has_chain)
		callchain_resolve(&trace->chain, trace->machine, thread, record);
}

static void take_enter(struct trace *trace, const struct record *record)
{
	const struct sample *sample = &record->sample;
	uint32_t arch = trace->calls.arch ?: syscalls_native_arch();
	struct call call;

	if (sample->user_regs.abi == PERF_SAMPLE_REGS_ABI_32 && arch == syscalls_native_arch())
		arch = syscalls_32_bit_arch();

	if (call_decode(&call, &trace->uses[record->event].layout, &trace->calls.table, arch,
			sample->raw, sample->raw_size)) {
		trace->nr_bad++;
		return;
	}
	call.begin = record->id.time;
	call.cpu = record->id.has_cpu ? (int)record->id.cpu : -1;
	if (is_wanted(trace->options, call.syscall))
		fd_calls_find(&trace->calls.paths, record->id.pid, record->id.tid, &call);
	calls_begin(&trace->calls, record->id.pid, record->id.tid, &call);
}

static void take_exit(struct trace *trace, const struct record *record)
{
	int64_t ret;
	long nr;

	if (call_decode_return(&trace->uses[record->event].layout, record->sample.raw,
			       record->sample.raw_size, &nr, &ret)) {
		trace->nr_bad++;
		return;
	}
	find_chain(trace, record);
	calls_return(&trace->calls, record->id.pid, record->id.tid, nr, ret, record->id.time);
	trace->has_chain = false;
}

static void take_fault(struct trace *trace, const struct record *record, bool major)
{
	struct machine *machine = trace->machine;
	struct thread *thread = thread_get(&machine->threads, record->id.pid, record->id.tid);
	struct location at;

	if (has_all(trace) || trace->options->no_lines)
		return;
	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &at);
	find_chain(trace, record);
	line_print_fault(&trace->style, thread, record, major, &at,
			 trace->has_chain ? &trace->chain : NULL);
	trace->has_chain = false;
	trace->nr_lines++;
}

static void take_major_fault(struct trace *trace, const struct record *record)
{
	take_fault(trace, record, true);
}

static void take_minor_fault(struct trace *trace, const struct record *record)
{
	take_fault(trace, record, false);
}

/* Print a tracepoint. */
static void print_point(struct trace *trace, const struct record *record, const char *name,
			const struct perf_event_attr *attr, struct tracing_data *formats)
{
	struct thread *thread =
		thread_get(&trace->machine->threads, record->id.pid, record->id.tid);
	char *text = NULL;
	size_t size;
	FILE *to;

	if (has_all(trace) || trace->options->no_lines)
		return;
	to = open_memstream(&text, &size);
	if (!to)
		die("out of memory");
	machine_print_trace(trace->machine, formats, to, attr, record);
	if (fclose(to))
		die("out of memory");
	find_chain(trace, record);
	line_print_text(&trace->style, thread, record, name, text,
			trace->has_chain ? &trace->chain : NULL);
	trace->has_chain = false;
	trace->nr_lines++;
	free(text);
}

static void take_point(struct trace *trace, const struct record *record)
{
	const struct event *event = &trace->events.events[record->event];

	print_point(trace, record, event->name, &event->attr, trace->formats);
}

static void use_sample(struct trace *trace, const struct record *record)
{
	if (int_list_has(&trace->options->not_pids, record->id.pid))
		return;
	/* Records come in the order of time, but a call is printed when it returns. */
	if (!trace->style.first)
		trace->style.first = record->id.time;
	if (record->event < trace->nr_uses && trace->uses[record->event].take)
		trace->uses[record->event].take(trace, record);
	/* Only catch_up() knows that nothing was lost before these lines. */
	if (trace->style.held && held_lines_are_full(&trace->held)) {
		held_lines_forget_paths(&trace->held);
		release_lines(trace, true);
	}
}

static void take_sample(void *context, struct live *live, const struct record *record)
{
	struct trace *trace = context;

	(void)live;
	apply_loss(trace);
	use_sample(trace, record);
}

static void use_task(struct trace *trace, const struct record *record)
{
	/* The record of a task that existed already has no time. */
	if (record->type == PERF_RECORD_FORK && record->task.time)
		calls_fork(&trace->calls, record->task.ppid, record->task.ptid, record->task.pid,
			   record->task.tid);
	else if (record->type == PERF_RECORD_EXIT)
		calls_exit(&trace->calls, record->task.pid, record->task.tid);
}

static void take_task(void *context, struct live *live, const struct record *record)
{
	(void)live;
	use_task(context, record);
}

static void set_use(struct trace *trace, size_t event, sample_taker take)
{
	if (event >= trace->nr_uses) {
		trace->uses = xreallocarray(trace->uses, event + 1, sizeof(*trace->uses));
		memset(trace->uses + trace->nr_uses, 0,
		       (event + 1 - trace->nr_uses) * sizeof(*trace->uses));
		trace->nr_uses = event + 1;
	}
	trace->uses[event].take = take;
}

/* Add an event, and @take as the handler of its samples. */
static int add_event(struct trace *trace, const char *name, sample_taker take,
		     struct error *err)
{
	struct event_list *events = &trace->events;
	int status = event_list_parse(events, name, err);

	if (status)
		return status;
	set_use(trace, events->nr - 1, take);
	/* Keep the kernel mode in the modes of the event: the event happens only in the kernel. */
	events->events[events->nr - 1].has_modifiers = true;
	return 0;
}

/* Append "BEFORE WHAT NUMBER" to a filter, which is NULL while it is empty. */
static void add_to_filter(char **filter, const char *before, const char *what, int number)
{
	char *longer = xasprintf("%s%s%s%d", *filter ? *filter : "", before, what, number);

	free(*filter);
	*filter = longer;
}

/* Make a filter for the tasks that the kernel can leave out. Return NULL for none. */
static char *make_task_filter(const struct trace_options *o)
{
	char *filter = NULL;
	size_t i;

	for (i = 0; i < o->not_pids.nr && i < FILTERED_CALLS_MAX; i++)
		add_to_filter(&filter, filter ? " && " : "", "common_pid != ",
			      o->not_pids.values[i]);
	return filter;
}

/*
 * Make a filter for the calls that the kernel can leave out; perf itself leaves out the others.
 * Return NULL if the kernel cannot leave out any.
 */
static char *make_filter(const struct trace_options *o)
{
	const struct int_list *numbers = &o->numbers;
	char *filter = make_task_filter(o), *whole;
	size_t i;

	if (!numbers->nr || numbers->nr > FILTERED_CALLS_MAX)
		return filter;
	for (i = 0; i < numbers->nr; i++)
		add_to_filter(&filter, i ? " || " : filter ? " && (" : "(", "id == ",
			      numbers->values[i]);
	whole = xasprintf("%s)", filter);
	free(filter);
	return whole;
}

static int add_filtered(struct trace *trace, const char *name, const char *filter,
			sample_taker take, struct error *err)
{
	int status = add_event(trace, name, take, err);

	if (!status && filter && event_list_set_filter(&trace->events, filter, err))
		status = EXIT_FAILED;
	return status;
}

/* Return true if a call that the user wants has a descriptor as an argument. */
static bool wants_descriptors(struct trace *trace)
{
	const struct int_list *numbers = &trace->options->numbers;
	const struct syscall *call;
	size_t i, j;

	for (i = 0; i < numbers->nr; i++) {
		call = syscalls_get(&trace->calls.table, syscalls_native_arch(),
				    numbers->values[i]);
		for (j = 0; j < call->nr_args; j++) {
			if (call->args[j].form == ARG_DESCRIPTOR ||
			    call->args[j].form == ARG_DIRECTORY)
				return true;
		}
	}
	return !numbers->nr;
}

static void add_numbers(void *numbers, const char *name)
{
	syscalls_numbers(name, numbers);
}

/*
 * Find the paths of descriptors, if all calls that close descriptors are recorded. They are
 * recorded even if the user does not want to see them.
 */
static void follow_descriptors(struct trace *trace)
{
	struct trace_options *o = trace->options;
	const struct target_options *t = &o->target;

	if (o->no_lines || t->no_inherit || t->tids || t->cpus || t->nr_cgroups ||
	    !wants_descriptors(trace))
		return;
	trace->calls.paths.enabled = true;
	trace->calls.paths.live = true;
	if (o->numbers.nr)
		fd_calls_walk(add_numbers, &o->numbers);
	held_lines_open(&trace->held);
	trace->style.held = &trace->held;
	trace->style.out = trace->held.lines;
}

static int add_calls(struct trace *trace, struct error *err)
{
	char *filter;
	int status;

	follow_descriptors(trace);
	filter = make_filter(trace->options);
	status = add_filtered(trace, ENTER, filter, take_enter, err);
	if (!status)
		status = add_filtered(trace, EXIT, filter, take_exit, err);
	free(filter);
	if (status)
		return status;
	if (call_layout_find(&trace->uses[0].layout, &trace->uses[1].layout)) {
		error_set(err, "tracefs does not describe the expected fields of raw_syscalls");
		return EXIT_FAILED;
	}
	return 0;
}

/* Add the tracepoints that the user chose. */
static int add_points(struct trace *trace, struct error *err)
{
	char *filter = make_task_filter(trace->options);
	struct event_list *events = &trace->events;
	size_t i = events->nr;
	int status;

	status = chosen_points_parse(&trace->options->points, events, filter, err);
	for (; i < events->nr && !status; i++) {
		set_use(trace, i, take_point);
		events->events[i].has_modifiers = true;
	}
	free(filter);
	return status;
}

/* Read the formats of the tracepoints from tracefs. */
static void read_formats(struct trace *trace)
{
	const struct event_list *events = &trace->events;
	struct data_event *copies = xcalloc(events->nr, sizeof(*copies));
	size_t i, size;
	char *bytes;

	for (i = 0; i < events->nr; i++)
		copies[i].attr = events->events[i].attr;
	bytes = trace_formats(copies, events->nr, &size);
	trace->formats = bytes ? tracing_data_parse(bytes, size) : NULL;
	free(bytes);
	free(copies);
}

/* A call is printed when it returns, so record no call chain when it begins. */
static void prepare_begin(const struct trace *trace)
{
	struct perf_event_attr *attr = &trace->events.events[0].attr;

	attr->sample_type &= ~(__u64)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK |
				      PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER);
	attr->branch_sample_type = 0;
	attr->sample_stack_user = 0;
	attr->sample_regs_user = 0;
	sampling_add_strings(attr, trace->options->string_size);
}

/* Choose the events; every occurrence is recorded. */
static int prepare_events(struct trace *trace, struct error *err)
{
	const struct trace_options *o = trace->options;
	struct sampling sampling = {
		.period = 1,
		.cpu = true,
		.inherit = trace->target.kind != TARGET_CPUS && !o->target.no_inherit,
		.apart = true,
		.data = o->major_faults || o->minor_faults,
		.callchain = o->chains.callchain,
		.lbr = o->chains.lbr,
		.user_stack = o->chains.user_stack,
		.user_chains = !o->kernel_chains,
	};
	int status = 0;

	if (!o->no_syscalls)
		status = add_calls(trace, err);
	if (!status && o->major_faults)
		status = add_event(trace, "major-faults", take_major_fault, err);
	if (!status && o->minor_faults)
		status = add_event(trace, "minor-faults", take_minor_fault, err);
	if (!status)
		status = add_points(trace, err);
	if (!status && target_assign_cgroups(&trace->target, &trace->events, err))
		status = EXIT_USAGE;
	if (!status && sampling_prepare(&sampling, &trace->events, err))
		status = EXIT_FAILED;
	if (!status && !o->no_syscalls)
		prepare_begin(trace);
	if (!status && o->points.nr)
		read_formats(trace);
	return status;
}

static int open_output(struct trace *trace, struct error *err)
{
	const char *path = trace->options->output;

	trace->out = stderr;
	if (path && !strcmp(path, "-"))
		trace->out = stdout;
	else if (path)
		trace->out = open_output_file(path, false, err);
	return trace->out ? 0 : -1;
}

static int close_output(struct trace *trace, struct error *err)
{
	FILE *out = trace->out;
	const char *path = trace->options->output;
	bool failed;

	if (!out)
		return 0;
	failed = fflush(out) || ferror(out);
	if (out != stderr && out != stdout)
		failed |= !!fclose(out);
	if (failed)
		error_set(err, "%s: some of the output could not be written: %s", path ? path : "stderr",
			  strerror(errno));
	return failed ? -1 : 0;
}

static void say_how(const struct trace *trace)
{
	const struct buffers *b = &trace->live.buffers;

	fprintf(stderr, "perf trace: descriptors: %zu, mappings: %zu of %zu KiB\n",
		counters_nr_open(&trace->counters), b->nr,
		b->pages * sysconf(_SC_PAGESIZE) / 1024);
}

/* Prepare the printing of lines, for the running machine and for a recording. */
static int prepare_lines(struct trace *trace, struct error *err)
{
	const struct trace_options *o = trace->options;

	if (open_output(trace, err))
		return EXIT_FAILED;
	trace->style.out = trace->out;
	trace->calls.done = call_done;
	trace->calls.context = trace;
	trace->summary.total = o->summary_total;
	trace->style.json = o->json;
	trace->style.absolute = o->absolute;
	trace->style.no_comm = o->no_comm;
	trace->style.cpus = o->cpus;
	trace->style.no_calls = o->no_syscalls;
	trace->style.max_stack = o->max_stack;
	return 0;
}

static int prepare(struct trace *trace, struct error *err)
{
	struct trace_options *o = trace->options;
	int status;

	if (!o->target.pids && !o->target.tids && !o->target.cpus && !o->target.command)
		o->target.all_cpus = true;
	status = target_resolve(&trace->target, &o->target, err);
	if (status)
		return status;
	if (o->verbose)
		syscall_announce();
	/* perf's own system calls would cause further records without end. */
	if (trace->target.kind == TARGET_CPUS)
		int_list_add(&o->not_pids, getpid());
	if (watch_init(&trace->watch, err) || prepare_lines(trace, err))
		return EXIT_FAILED;
	status = prepare_events(trace, err);
	if (status)
		return status;
	if (o->target.command && workload_prepare(&trace->workload, o->target.command, err))
		return EXIT_FAILED;
	trace->live.sample = take_sample;
	trace->live.task = take_task;
	trace->live.context = trace;
	trace->machine = &trace->live.machine;
	if (o->chains.user_stack && !o->pages && !geteuid())
		o->pages = LARGE_PAGES;
	if (live_open(&trace->live, &trace->counters, &trace->events, &trace->target,
		      trace->workload.pid, o->pages, err))
		return EXIT_FAILED;
	if (o->verbose)
		say_how(trace);
	return 0;
}

static int start(struct trace *trace, struct error *err)
{
	if (live_start(&trace->live, &trace->target, trace->workload.pid, &trace->watch, err) ||
	    watch_interval(&trace->watch, DELAY, err))
		return EXIT_FAILED;
	if (trace->workload.pid) {
		/* The first call that returns is the execve() of the command. */
		calls_expect_native(&trace->calls, trace->workload.pid);
		watch_command(&trace->watch, trace->workload.pid);
		return workload_start(&trace->workload, err) ? EXIT_NOT_EXECUTED : 0;
	}
	if (trace->target.kind == TARGET_TASKS &&
	    watch_tasks(&trace->watch, &trace->counters.tids, err))
		return EXIT_FAILED;
	return 0;
}

/* Stop the counters. The descriptors may change then without a record. */
static void stop(struct trace *trace)
{
	counters_disable(&trace->counters);
	trace->calls.paths.frozen = true;
}

/* Read all records that the buffers have, and print lines. Return: 0 or a negative errno. */
static int catch_up(struct trace *trace)
{
	int status;

	fd_paths_begin_round(&trace->calls.paths);
	status = live_catch_up(&trace->live);
	judge_loss(trace);
	fd_paths_end_round(&trace->calls.paths);
	release_lines(trace, false);
	return status;
}

static int show_until_end(struct trace *trace, struct error *err)
{
	const unsigned int all = WATCH_TICK | WATCH_END;
	unsigned int what;
	int status;

	do {
		what = watch_wait(&trace->watch);
		if (what & WATCH_END)
			stop(trace);
		status = what & all ? catch_up(trace) : live_round(&trace->live);
		/* A command goes on without being traced. */
		if (!status && has_all(trace) && !trace->calls.paths.frozen) {
			stop(trace);
			/* Paths that the last lines are waiting for are known after this. */
			status = catch_up(trace);
		}
		if (status) {
			error_set(err, "a record in a buffer is damaged: %s",
				  strerror(-status));
			return EXIT_FAILED;
		}
	} while (!(what & WATCH_END) && !(has_all(trace) && !trace->watch.command));
	calls_end(&trace->calls);
	release_lines(trace, true);
	if (trace->options->summary)
		summary_print(&trace->summary, trace->out, trace->options->errors,
			      trace->options->max_summary);
	return 0;
}

/* === A recording === */

static void take_text(struct trace *trace, const struct record *record)
{
	const struct data_event *event =
		&data_reader_events(trace->session->reader)->events[record->event];
	const struct trace_options *o = trace->options;

	/* A choice of system calls hides tracepoints that are not chosen, too. */
	if ((o->wanted.nr || o->points.nr) && !chosen_points_have(&o->points, event->name))
		return;
	print_point(trace, record, event->name, &event->attr,
		    data_reader_features(trace->session->reader)->tracing);
}

/* Find the uses of events that have been read. The events of a pipe come with its records. */
static void find_uses(struct trace *trace, struct session *session)
{
	static const sample_taker takers[] = {
		[EVENT_UNUSED] = NULL, [EVENT_ENTER] = take_enter, [EVENT_LEAVE] = take_exit,
		[EVENT_MAJOR_FAULT] = take_major_fault, [EVENT_MINOR_FAULT] = take_minor_fault,
		[EVENT_TEXT] = take_text,
	};
	const struct data_features *features = data_reader_features(session->reader);
	size_t i, nr = data_reader_events(session->reader)->nr;
	struct call_layout layout;
	enum event_use use;

	for (i = trace->nr_uses; i < nr; i++) {
		use = recorded_event_use(session, i, &layout);
		if (trace->options->no_syscalls && (use == EVENT_ENTER || use == EVENT_LEAVE))
			use = EVENT_UNUSED;
		set_use(trace, i, takers[use]);
		trace->uses[i].layout = layout;
	}
	trace->calls.arch = features->arch ? syscalls_arch_of(features->arch) : 0;
	if (!trace->calls.arch)
		trace->calls.arch = syscalls_native_arch();
}

static bool is_wanted_task(const struct trace *trace, const struct record_id *id)
{
	const struct trace_options *o = trace->options;

	return (!o->target.pids || int_list_has(&trace->target.pids, id->pid)) &&
	       (!o->target.tids || int_list_has(&trace->target.tids, id->tid));
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	struct trace *trace = context;

	if (trace->nr_uses < data_reader_events(session->reader)->nr)
		find_uses(trace, session);
	if (record->type == PERF_RECORD_SAMPLE && is_wanted_task(trace, &record->id))
		use_sample(trace, record);
	else if (record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT)
		use_task(trace, record);
	else if (record->type == PERF_RECORD_LOST)
		fd_paths_forget_all(&trace->calls.paths);
	session->ended = has_all(trace);
}

/*
 * Return a message if the recording lacks system calls, or contents of their samples; otherwise
 * NULL.
 */
static const char *find_lack(const struct trace *trace, const struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	const __u64 needed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	bool has_event = false;
	size_t i;

	for (i = 0; i < trace->nr_uses && i < events->nr; i++) {
		if (!trace->uses[i].take)
			continue;
		has_event = true;
		if ((events->events[i].attr.sample_type & needed) != needed)
			return "its samples have no times or no threads; use perf trace record";
	}
	return has_event ? NULL :
		"it has no system calls that this tool can print; use perf trace record";
}

/* Parse the lists of -p and -t. */
static int choose_tasks(struct trace *trace, struct error *err)
{
	const struct target_options *o = &trace->options->target;

	return (o->pids && int_list_parse(&trace->target.pids, o->pids, "process id", err)) ||
	       (o->tids && int_list_parse(&trace->target.tids, o->tids, "thread id", err));
}

static int run_session(struct trace *trace, struct session *session, struct error *err)
{
	static const struct session_handlers handlers = { .record = handle_record };
	const char *lack;
	int status;

	trace->session = session;
	trace->machine = &session->machine;
	session->machine.with_inlined = true;
	session_run(session, &handlers, trace);
	find_uses(trace, session);
	calls_end(&trace->calls);
	if (trace->options->summary)
		summary_print(&trace->summary, trace->out, trace->options->errors,
			      trace->options->max_summary);
	status = session_complain(session);
	lack = find_lack(trace, session);
	if (lack) {
		error_set(err, "%s: %s", session->path, lack);
		return EXIT_FAILED;
	}
	lack = chosen_points_lack(&trace->options->points, data_reader_events(session->reader));
	if (lack) {
		error_set(err, "%s: no event '%s' was recorded; 'perf evlist' lists the events",
			  session->path, lack);
		return EXIT_FAILED;
	}
	return status;
}

/* Print the calls of a recording. Return: the exit status, with a message printed for a failure. */
static int show_recording(struct trace *trace, struct error *err)
{
	struct symbol_sources sources = { .data_path = trace->options->input };
	struct session session;
	int status;

	if (choose_tasks(trace, err) || prepare_lines(trace, err) ||
	    session_open(&session, trace->options->input, &sources, err)) {
		complain("%s", err->text);
		return EXIT_FAILED;
	}
	status = run_session(trace, &session, err);
	if (!close_output(trace, err) && session_lost(&session))
		warn("%s: lost %llu records", session.path,
		     (unsigned long long)session_lost(&session));
	if (err->text[0]) {
		complain("%s", err->text);
		status = EXIT_FAILED;
	}
	session_close(&session);
	return status;
}

/* The largest number of words that perf trace puts before those of the user. */
#define RECORD_WORDS 10

/* Run perf record with the events, and the arguments after the word "record". */
static int record_trace(const struct trace_options *o, char **words)
{
	char *pages = xasprintf("-m%d", LARGE_PAGES);
	size_t nr = 0, i;
	char **args;
	int status;

	while (words[nr])
		nr++;
	args = xreallocarray(NULL, nr + RECORD_WORDS, sizeof(*args));
	i = 0;
	args[i++] = "perf trace record";
	args[i++] = "-c1";
	if (!geteuid())
		args[i++] = pages;
	if (!o->no_syscalls) {
		args[i++] = "-e";
		args[i++] = ENTER "," EXIT;
	}
	if (o->major_faults) {
		args[i++] = "-e";
		args[i++] = "major-faults";
	}
	if (o->minor_faults) {
		args[i++] = "-e";
		args[i++] = "minor-faults";
	}
	if (o->major_faults || o->minor_faults)
		args[i++] = "-d";
	memcpy(args + i, words + 1, nr * sizeof(*args));
	i += nr - 1;
	status = o->no_syscalls ? cmd_record(i, args) : record_calls(i, args, o->string_size);
	free(args);
	free(pages);
	return status;
}

static void trace_free(struct trace *trace)
{
	struct trace_options *o = trace->options;

	live_close(&trace->live);
	held_lines_close(&trace->held);
	calls_free(&trace->calls);
	summary_free(&trace->summary);
	callchain_free(&trace->chain);
	free(trace->uses);
	counters_close(&trace->counters);
	event_list_free(&trace->events);
	target_free(&trace->target);
	free(trace->options->target.cgroups);
	watch_free(&trace->watch);
	free_patterns(&o->wanted);
	free_patterns(&o->unwanted);
	chosen_points_free(&o->points);
	tracing_data_free(trace->formats);
	int_list_free(&o->numbers);
	int_list_free(&o->not_pids);
}

static void say_lost(const struct trace *trace)
{
	if (trace->live.nr_lost)
		warn("lost %llu records; use a larger -m, or -e for fewer calls",
		     (unsigned long long)trace->live.nr_lost);
	if (trace->live.nr_bad + trace->nr_bad)
		warn("%llu records were damaged and left out",
		     (unsigned long long)(trace->live.nr_bad + trace->nr_bad));
}

/**
 * cmd_trace - perf trace
 * @argc: number of strings in @argv
 * @argv: "perf trace" and its arguments
 *
 * Return: the exit status.
 */
int cmd_trace(int argc, char **argv)
{
	struct trace_options options = { .string_size = SYSCALL_STRING_SIZE };
	struct trace trace = { .options = &options, .watch = WATCH_NOTHING };
	struct error err = { "" };
	const char *refusal;
	int status;

	parse_arguments(&trace_argp, argc, argv, ARGP_IN_ORDER, &options);
	if ((options.max_stack || options.min_stack) && !options.chains.callchain &&
	    !is_record(&options)) {
		options.chains.callchain = true;
		options.chains.user_stack = USER_STACK_DEFAULT;
	}
	refusal = is_record(&options) ? refuse_record(&options) : refuse_options(&options);
	if (refusal) {
		complain("%s", refusal);
		trace_free(&trace);
		return EXIT_USAGE;
	}
	options.no_syscalls |= has_only_points(&options);
	if (is_record(&options) || options.input) {
		status = options.input ? show_recording(&trace, &err) :
					 record_trace(&options, options.target.command);
		trace_free(&trace);
		return status;
	}
	status = prepare(&trace, &err);
	if (!status)
		status = start(&trace, &err);
	if (!status)
		status = show_until_end(&trace, &err);
	if (close_output(&trace, &err) && !status)
		status = EXIT_FAILED;
	if (status) {
		complain("%s", err.text);
		if (trace.workload.pid && trace.watch.command)
			watch_stop_command(&trace.watch, COMMAND_GRACE);
		else if (trace.workload.pid && !trace.watch.command_ended)
			workload_cancel(&trace.workload);
	} else if (trace.watch.command_ended) {
		status = exit_status(trace.watch.status);
	}
	say_lost(&trace);
	trace_free(&trace);
	watch_raise(&trace.watch);
	return status;
}
