// SPDX-License-Identifier: GPL-2.0
/* perf record: sample a command, tasks or CPUs into a file. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/measure.h"
#include "record/record.h"
#include "arguments.h"
#include "cmd.h"
#include "control.h"
#include "delay.h"
#include "drop_in.h"
#include "kept_files.h"
#include "option_values.h"
#include "record_content.h"
#include "target_options.h"

enum {
	OPTION_CALL_GRAPH = 0x100,
	OPTION_FILTER,
	OPTION_OFF_CPU,
	OPTION_DURATION,
	OPTION_CONTROL,
	OPTION_OVERWRITE,
	OPTION_SWITCH_OUTPUT,
	OPTION_SWITCH_MAX,
	OPTION_SNAPSHOT_ON,
	OPTION_SWITCHES,
	OPTION_LATENCY,
	OPTION_WALL,
	OPTION_NAMESPACES,
	OPTION_CGROUPS,
	OPTION_BUILD_IDS,
	OPTION_SAMPLE_CPU,
	OPTION_PER_THREAD,
	OPTION_MAX_SIZE,
	OPTION_TIMESTAMP_NAME,
	OPTION_STRICT_FREQ,
	OPTION_EXCLUDE_PERF,
	OPTION_DRY_RUN,
	OPTION_UNWIND,
};

/* Seconds that a command has to exit after SIGTERM when --duration is over, or perf fails. */
#define COMMAND_GRACE 5

/* The shortest measurement in seconds. */
#define DURATION_MIN 0.001

struct record_options {
	struct target_options target;
	struct event_list events;
	const char *output;
	struct sampling sampling;
	size_t pages;			/* 0: chosen by the number of CPUs */
	double duration;		/* s; 0: no limit */
	struct delay delay;
	struct control control;
	struct kept_options kept;
	double max_size;		/* bytes; 0: no limit */
	bool timestamp_name;
	bool exclude_perf;
	bool dry_run;
	int compress;			/* level of zstd; 0: none */
	int priority;			/* of SCHED_FIFO; 0: none */
	bool unwind;
	bool off_cpu;
	bool latency;
	bool wall;
	bool calls;			/* perf trace record: the first event begins system calls */
	size_t string_size;		/* with calls: bytes of each string */
	bool switch_output;
	struct snapshots snapshots;
	const char **triggers;
	size_t nr_triggers;
	bool quiet;
	bool verbose;
	int argc;
	char **argv;
};

struct record_run {
	struct record_options *options;
	struct target target;
	struct counters counters;
	struct workload workload;
	struct watch watch;
	bool time_over;			/* --duration or --control has ended the command */
	struct recording recording;
	char *timed_path;		/* the file of --timestamp-filename */
};

static const struct argp_option option_table[] = {
	{ "event", 'e', "EVENT", 0, "Sample EVENT; a list, groups in braces ('perf list')", 1 },
	{ "freq", 'F', "FREQ", 0, "Take FREQ samples per second (4000), or 'max'", 1 },
	{ "filter", OPTION_FILTER, "FILTER", 0,
	  "Sample the preceding tracepoint only where its fields match FILTER", 1 },
	{ "count", 'c', "N", 0, "Take a sample every N events", 1 },
	{ NULL, 'g', NULL, 0, "Record call chains, by frame pointers", 1 },
	{ "call-graph", OPTION_CALL_GRAPH, "MODE", 0,
	  "Record call chains by frame pointers (fp), by the PMU's records of calls (lbr), or by call frame information and SIZE bytes of each stack (dwarf[,SIZE])",
	  1 },
	{ "unwind", OPTION_UNWIND, NULL, 0,
	  "With --call-graph dwarf: find the callers while recording, and keep chains instead of stacks",
	  1 },
	{ "branch-any", 'b', NULL, 0, "Record the branches that were taken before each sample", 1 },
	{ "branch-filter", 'j', "FILTER[,FILTER...]", 0,
	  "Record branches of these kinds: any, any_call, any_ret, cond, u, k, ...", 1 },
	{ "off-cpu", OPTION_OFF_CPU, NULL, 0,
	  "Also record each time that a task does not run: how long, why, and the call chain", 1 },
	{ "data", 'd', NULL, 0,
	  "Record the addresses of samples, and mappings that are not executable", 1 },
	{ "sample-cpu", OPTION_SAMPLE_CPU, NULL, 0,
	  "Record the CPU of each sample (default with -a and -C)", 1 },
	{ "switch-events", OPTION_SWITCHES, NULL, 0, "Also record context switches", 1 },
	{ "latency", OPTION_LATENCY, NULL, 0,
	  "Record when threads run, so that reports have latencies", 1 },
	{ "wall", OPTION_WALL, NULL, 0,
	  "Also record when, where and why threads stop, and what wakes them up, for perf report --wall",
	  1 },
	{ "namespaces", OPTION_NAMESPACES, NULL, 0, "Also record the namespaces of tasks", 1 },
	{ "all-cgroups", OPTION_CGROUPS, NULL, 0,
	  "Record control groups, and the control group of each sample", 1 },
	{ "buildid-mmap", OPTION_BUILD_IDS, NULL, 0,
	  "Require build-ids of mapped files from the kernel (default where it has them)", 1 },
	{ "clockid", 'k', "CLOCK", 0,
	  "Take times from CLOCK: monotonic, monotonic_raw, realtime, boottime, tai", 1 },
	{ "strict-freq", OPTION_STRICT_FREQ, NULL, 0,
	  "Fail if -F is more than the kernel allows; otherwise it is lowered", 1 },
	{ "exclude-perf", OPTION_EXCLUDE_PERF, NULL, 0,
	  "Leave perf's own tracepoints out", 1 },
	{ "uid", 'u', "USER", 0, "Sample the processes that USER has, a name or a number", 2 },
	{ "per-thread", OPTION_PER_THREAD, NULL, 0, "As --no-inherit", 2 },
	{ "delay", 'D', "MS", 0,
	  "Enable the events MS milliseconds after the start, or in the ranges START-END,START-END; -1: leave them disabled",
	  2 },
	{ "control", OPTION_CONTROL, "CHANNEL", 0,
	  "Obey commands: enable, disable, snapshot, stop, ...; CHANNEL is fd:COMMANDS[,ACKS], descriptors, or fifo:COMMANDS[,ACKS], FIFOs",
	  2 },
	{ "duration", OPTION_DURATION, "SECS", 0, "Stop after SECS seconds", 2 },
	{ "output", 'o', "FILE", 0,
	  "Record to FILE (perf.data); - is the standard output, the default if it is a pipe", 3 },
	{ "compression-level", 'z', "LEVEL", OPTION_ARG_OPTIONAL,
	  "Compress the records with zstd: 1, the fastest (default), to 22", 3 },
	{ "mmap-pages", 'm', "PAGES", 0,
	  "Size of a buffer: pages, or a size with K, M or G; rounded up to a power of two", 3 },
	{ "overwrite", OPTION_OVERWRITE, NULL, 0,
	  "Keep the last records in the buffers; write them at the end, and on SIGUSR2", 3 },
	{ "switch-output", OPTION_SWITCH_OUTPUT, "WHEN", OPTION_ARG_OPTIONAL,
	  "Begin another file, FILE.TIME, after so many bytes (100M) or so much time (30s), or only on SIGUSR2 (signal); with --overwrite, write a snapshot",
	  3 },
	{ "switch-max-files", OPTION_SWITCH_MAX, "N", 0,
	  "Keep the last N of the files FILE.TIME", 3 },
	{ "snapshot-on", OPTION_SNAPSHOT_ON, "TRIGGER", 0,
	  "With --overwrite: write to FILE.TIME when TRIGGER happens: EVENT, 'TRACEPOINT if FILTER', 'off-cpu > 10ms' or 'CALL > 10ms'",
	  3 },
	{ "force", 'f', NULL, 0, "Accepted for scripts that have it; no effect", 3 },
	{ "max-size", OPTION_MAX_SIZE, "SIZE", 0, "Stop when the file has SIZE: 100M", 3 },
	{ "timestamp-filename", OPTION_TIMESTAMP_NAME, NULL, 0, "Append the time to FILE", 3 },
	{ "realtime", 'r', "PRIORITY", 0, "Read buffers with this priority of SCHED_FIFO", 3 },
	{ "dry-run", OPTION_DRY_RUN, NULL, 0, "Check the options, and record nothing", 3 },
	{ "quiet", 'q', NULL, 0, "Print nothing but errors", 3 },
	{ "verbose", 'v', NULL, 0, "Print details of the measurement", 3 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct record_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->target;
		o->target.events = &o->events;
		state->child_inputs[1] = &o->sampling;
		state->child_inputs[2] = &o->kept;
		break;
	case 'e':
		parse_events(state, &o->events, arg);
		break;
	case OPTION_FILTER:
		parse_filter(state, &o->events, arg);
		break;
	case 'F':
		parse_freq(state, &o->sampling, arg);
		break;
	case 'c':
		parse_period(state, &o->sampling, arg);
		break;
	case OPTION_CALL_GRAPH:
		parse_call_graph(state, &o->sampling, arg);
		break;
	case OPTION_UNWIND:
		o->unwind = true;
		break;
	case 'b':
		parse_branch_filter(state, &o->sampling, "any");
		break;
	case 'j':
		parse_branch_filter(state, &o->sampling, arg);
		break;
	case 'g':
		o->sampling.callchain = true;
		break;
	case OPTION_OFF_CPU:
		o->off_cpu = true;
		break;
	case 'd':
		o->sampling.data = true;
		break;
	case OPTION_SAMPLE_CPU:
		o->sampling.cpu = true;
		break;
	case OPTION_LATENCY:
		o->latency = true;
		o->sampling.switches = true;
		break;
	case OPTION_SWITCHES:
		o->sampling.switches = true;
		break;
	case OPTION_WALL:
		o->wall = true;
		o->sampling.switches = true;
		o->sampling.callchain = true;
		break;
	case OPTION_NAMESPACES:
		o->sampling.namespaces = true;
		break;
	case OPTION_CGROUPS:
		o->sampling.cgroups = true;
		break;
	case OPTION_BUILD_IDS:
		o->sampling.build_ids = true;
		break;
	case 'k':
		o->sampling.with_clock = true;
		o->sampling.clock = parse_clock(state, "-k", arg);
		break;
	case OPTION_DURATION:
		o->duration = parse_decimal(state, "--duration", "seconds", arg, DURATION_MIN,
					    INT_MAX);
		break;
	case 'o':
		o->output = arg;
		break;
	case 'm':
		o->pages = parse_pages(state, arg);
		break;
	case OPTION_OVERWRITE:
		o->sampling.overwrite = true;
		break;
	case OPTION_SWITCH_OUTPUT:
		if (arg && !snapshots_parse(&o->snapshots, arg))
			argp_error(state,
				   "--switch-output: '%s' is not a size like 100M, a time like 30s, or signal",
				   arg);
		o->switch_output = true;
		break;
	case OPTION_SWITCH_MAX:
		o->snapshots.max = parse_number(state, "--switch-max-files", arg, 1, 1000000);
		break;
	case OPTION_SNAPSHOT_ON:
		o->triggers = xreallocarray(o->triggers, o->nr_triggers + 1, sizeof(arg));
		o->triggers[o->nr_triggers++] = arg;
		break;
	case 'f':
		break;
	case 'z':
		o->compress = arg ? parse_number(state, "-z", arg, 0, 22) : 1;
		break;
	case OPTION_STRICT_FREQ:
		o->sampling.strict_freq = true;
		break;
	case OPTION_EXCLUDE_PERF:
		o->exclude_perf = true;
		break;
	case 'u':
		o->target.user = arg;
		break;
	case OPTION_PER_THREAD:
		o->target.no_inherit = true;
		break;
	case 'D':
		delay_parse(state, &o->delay, arg);
		break;
	case OPTION_CONTROL:
		control_parse(state, &o->control, arg);
		break;
	case OPTION_MAX_SIZE:
		o->max_size = parse_size(state, "--max-size", arg);
		break;
	case OPTION_TIMESTAMP_NAME:
		o->timestamp_name = true;
		break;
	case 'r':
		o->priority = parse_number(state, "-r", arg, 1, 99);
		break;
	case OPTION_DRY_RUN:
		o->dry_run = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'v':
		o->verbose = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp record_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = (const struct argp_child[]){
		{ &target_argp, 0, NULL, 2 },
		{ &record_content_argp, 0, NULL, 0 },
		{ &kept_argp, 0, NULL, 0 },
		{ &record_drop_in, 0, NULL, 0 },
		{ 0 },
	},
	.doc =
	"Sample COMMAND while it runs, or existing tasks or CPUs until they end or a signal comes.",
};

/* As in the kernel's perf, a pipe to another program gets the recording. */
static const char *default_output(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode) ? OUTPUT_PIPE : "perf.data";
}

static const char *refuse_options(const struct record_options *o)
{
	if (o->sampling.period && (o->sampling.freq || o->sampling.freq_max))
		return "-c and -F contradict one another";
	if (o->wall && o->off_cpu)
		return "--wall records the time off the CPU, too; leave out --off-cpu";
	if (o->quiet && o->verbose)
		return "-q and -v contradict one another";
	if (o->nr_triggers && !o->sampling.overwrite)
		return "--snapshot-on needs --overwrite";
	if (o->snapshots.max && !o->sampling.overwrite && !o->switch_output)
		return "--switch-max-files needs --switch-output or --overwrite";
	if (o->snapshots.rotate && o->unwind)
		return "--unwind and --switch-output contradict one another";
	if (o->snapshots.rotate && o->compress)
		return "-z and --switch-output contradict one another";
	if (o->snapshots.rotate && o->kept.store)
		return "--self-contained and --switch-output contradict one another";
	if (o->snapshots.rotate && o->max_size)
		return "--max-size and --switch-output contradict one another; "
		       "--switch-max-files limits the number of files";
	if (o->snapshots.rotate && output_is_pipe(o->output))
		return "--switch-output needs a file; give one with -o";
	if (o->unwind && o->sampling.overwrite)
		return "--unwind and --overwrite contradict one another";
	if (o->unwind && o->sampling.user_regs)
		return "--unwind and --user-regs contradict one another";
	if (o->delay.off && !control_is_wanted(&o->control))
		return DELAY_OFF_TEXT;
	if (o->delay.nr && o->switch_output)
		return "-D and --switch-output contradict one another";
	if (!*o->output)
		return "-o needs the name of a file";
	if (o->kept.store && output_is_pipe(o->output))
		return "--self-contained needs a file; give one with -o";
	if (o->compress && o->sampling.overwrite)
		return "-z and --overwrite contradict one another";
	return refuse_branches(&o->sampling);
}

static enum loudness loudness_of(const struct record_options *o)
{
	if (o->quiet)
		return QUIET;
	return o->verbose ? VERBOSE : NORMAL;
}

/* Let no tracepoint sample perf itself. */
static void exclude_perf(struct event_list *events)
{
	char *own = xasprintf("common_pid != %d", getpid());
	size_t i;

	for (i = 0; i < events->nr; i++) {
		struct event *event = &events->events[i];
		char *both;

		if (event->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		both = event->filter ? xasprintf("(%s) && %s", event->filter, own) : xstrdup(own);
		free(event->filter);
		event->filter = both;
	}
	free(own);
}

/* Complete the list of events and choose how they are sampled. */
static int prepare_events(struct record_run *run, struct error *err)
{
	struct record_options *o = run->options;
	struct sampling *s = &o->sampling;
	int lowered;
	size_t i;

	if (!o->events.nr && sampling_add_default_event(s, &o->events, loudness_of(o), err))
		return -1;
	sampling_replace_cycles(s, &o->events, loudness_of(o));
	if (o->off_cpu && sampling_add_off_cpu(&o->events, err))
		return -1;
	if (o->wall && sampling_add_wall(&o->events, loudness_of(o), err))
		return -1;
	for (i = 0; i < o->nr_triggers; i++) {
		if (triggers_add(&run->recording.triggers, &o->events, o->triggers[i], err))
			return -1;
	}
	if (s->overwrite && !syscall_has_write_backward()) {
		error_set(err, "--overwrite: this kernel cannot write backward; record without it");
		return -1;
	}
	lowered = sampling_choose_freq(s, err);
	if (lowered < 0)
		return -1;
	if (lowered && !o->quiet)
		fprintf(stderr,
			"perf record: %lu samples per second, the limit of kernel.%s\n",
			s->freq, perf_sysctl_name("max_sample_rate"));
	s->cpu |= run->target.kind == TARGET_CPUS;
	s->inherit = run->target.kind != TARGET_CPUS && !o->target.no_inherit;
	/* While the other events are disabled, a separate event records what tasks do. */
	s->apart = run->target.kind != TARGET_COMMAND || delay_is_wanted(&o->delay) ||
		   control_is_wanted(&o->control);
	if (o->exclude_perf)
		exclude_perf(&o->events);
	if (target_assign_cgroups(&run->target, &o->events, err))
		return -1;
	weak_groups_split(&o->events);
	if (sampling_prepare(s, &o->events, err))
		return -1;
	if (o->calls)
		sampling_add_strings(&o->events.events[0].attr, o->string_size);
	delay_prepare(&o->delay, &o->events);
	return 0;
}

static void say_how(const struct record_run *run)
{
	const struct buffers *b = &run->recording.buffers;
	size_t i, rings = 0;

	for (i = 0; i < b->nr; i++)
		rings += b->all[i].nr_rings;
	fprintf(stderr,
		"perf record: events: %zu, descriptors: %zu, mappings: %zu of %zu KiB, rings: %zu\n",
		run->options->events.nr, counters_nr_open(&run->counters), b->nr,
		b->pages * sysconf(_SC_PAGESIZE) / 1024, rings);
}

static void explain_write(const struct record_options *o, int status, struct error *err)
{
	if (status == -EIO)
		error_set(err, "%s: a record in a buffer is damaged, or the disk fails",
			  o->output);
	else
		error_set(err, "%s: cannot write it: %s", o->output, strerror(-status));
}

static void say_hidden(const struct record_options *o)
{
	if (!o->quiet && events_count_kernel(&o->events))
		fprintf(stderr,
			"perf record: kernel addresses are hidden (kernel.kptr_restrict), kernel functions will have no names\n");
}

/*
 * Record the tasks and mappings that already exist, and enable the counters of tasks and CPUs.
 * The counters of a command are enabled by its exec.
 */
static int record_existing(struct record_run *run, struct error *err)
{
	struct record_options *o = run->options;
	struct process_files files = { 0 };
	struct synth s = {
		.sink = recording_take,
		.context = &run->recording,
		.sample_type = o->events.events[0].attr.sample_type,
		.data = o->sampling.data,
		.namespaces = o->sampling.namespaces,
		.cgroups = o->sampling.cgroups,
		.files = sampling_has_build_ids(&o->events) ? &files : NULL,
	};
	bool kernel_known;
	int status;

	if (run->target.kind == TARGET_COMMAND) {
		kernel_known = proc_scan_kernel(&s);
		status = proc_scan_tasks(&s, &run->target, NULL, run->workload.pid);
	} else {
		status = attach(&run->recording.buffers, &s, &run->target, &kernel_known);
	}
	process_files_free(&files);
	if (!status && run->target.kind != TARGET_COMMAND && !delay_is_wanted(&o->delay) &&
	    counters_enable(&run->counters, err))
		return -1;
	if (status)
		explain_write(o, status, err);
	else if (!kernel_known)
		say_hidden(o);
	return status ? -1 : 0;
}

static int start(struct record_run *run, struct error *err)
{
	struct record_options *o = run->options;

	if (record_existing(run, err))
		return EXIT_FAILED;
	if (o->duration && watch_limit(&run->watch, o->duration, err))
		return EXIT_FAILED;
	if (delay_start(&o->delay, &run->watch, err))
		return EXIT_FAILED;
	if (run->workload.pid) {
		watch_command(&run->watch, run->workload.pid);
		return workload_start(&run->workload, err) ? EXIT_NOT_EXECUTED : 0;
	}
	if (run->target.kind == TARGET_TASKS &&
	    watch_tasks(&run->watch, &run->counters.tids, err))
		return EXIT_FAILED;
	return 0;
}

/* Return true if the file has the size of --max-size. */
static bool is_full(const struct record_run *run)
{
	const struct record_options *o = run->options;

	return o->max_size && data_writer_size(run->recording.file.writer) >= o->max_size;
}

/* Write what the buffers have, as the command "snapshot" wants it. */
static int take_snapshot(void *context, struct error *err)
{
	struct record_run *run = context;
	int status = recording_round(&run->recording);

	if (status) {
		explain_write(run->options, status, err);
		return -1;
	}
	return snapshots_round(&run->options->snapshots, &run->recording, WATCH_SNAPSHOT, NULL,
			       err);
}

/* Carry out what came over --control. Return: as control_round(). */
static int obey(struct record_run *run, struct error *err)
{
	struct record_options *o = run->options;
	const struct control_snapshot snapshot = {
		.take = take_snapshot,
		.context = run,
		.refusal = o->sampling.overwrite || o->snapshots.rotate ? NULL :
			   "there are no snapshots; add --overwrite or --switch-output",
	};

	return control_round(&o->control, &run->counters, &run->watch, &snapshot, err);
}

/* Read the buffers until the measurement ends. Return: 0, or -1 with @err set. */
static int record_until_end(struct record_run *run, uint64_t *wakeups, struct error *err)
{
	bool over = false, full = false;
	unsigned int what;
	int status;

	while (!over) {
		what = watch_wait(&run->watch);
		status = what & WATCH_INPUT ? obey(run, err) : 0;
		if (status < 0)
			return -1;
		if (status)
			what |= WATCH_END;
		if (what & WATCH_DATA)
			(*wakeups)++;
		if (what & WATCH_TICK && run->options->delay.nr) {
			if (delay_tick(&run->options->delay, &run->counters, &run->watch, err))
				return -1;
			what &= ~WATCH_TICK;
		}
		if (what & WATCH_END || (is_full(run) && !full)) {
			full = is_full(run);
			/*
			 * The time is up, or a command said so: end the command, and read the
			 * buffers until it has exited.
			 */
			run->time_over |= run->watch.command != 0;
			if (watch_end_command(&run->watch, COMMAND_GRACE, err))
				return -1;
			over = !run->watch.command;
		}
		status = recording_round(&run->recording);
		if (status) {
			explain_write(run->options, status, err);
			return -1;
		}
		if (snapshots_round(&run->options->snapshots, &run->recording, what,
				    triggers_end_round(&run->recording.triggers), err))
			return -1;
	}
	counters_disable(&run->counters);
	status = recording_finish(&run->recording);
	if (status)
		explain_write(run->options, status, err);
	return status ? -1 : 0;
}

/* Print the final counts, to be compared with the recorded samples. */
static void say_totals(const struct record_run *run)
{
	const struct event_list *events = &run->options->events;
	size_t e;

	for (e = 0; e < events->nr; e++) {
		struct event_total total = buffers_total(&run->recording.buffers, e);

		fprintf(stderr, "perf record: %s: %llu counted, %llu records lost\n",
			events->events[e].name, (unsigned long long)total.value,
			(unsigned long long)total.lost);
	}
}

/* Print how many samples have a chain instead of a stack. */
static void say_unwound(const struct unwinder *unwinder)
{
	const struct unwinder_counts counts = unwinder_counts(unwinder);

	fprintf(stderr, "[ perf record: unwound %" PRIu64 " samples; %" PRIu64 " kept their stacks: ",
		counts.unwound, counts.incomplete + counts.behind);
	fprintf(stderr, "%" PRIu64 " chains were incomplete, %" PRIu64 " samples came too fast ]\n",
		counts.incomplete, counts.behind);
}

static void say_result(const struct record_run *run, uint64_t wakeups)
{
	const struct recording_file *file = &run->recording.file;
	const char *path = run->timed_path ?: run->options->output;
	uint64_t bytes = file->bytes;
	struct stat st;

	if (run->watch.command_killed)
		warn("'%s' did not end within %d s of SIGTERM, and was killed",
		     run->options->target.command[0], COMMAND_GRACE);
	if (run->options->verbose)
		say_totals(run);
	if (file->nr_lost)
		fprintf(stderr,
			"[ perf record: lost %llu samples of %llu; larger buffers (-m) or fewer samples (-F, -c) help ]\n",
			(unsigned long long)file->nr_lost,
			(unsigned long long)(file->nr_lost + file->nr_samples));
	if (run->options->quiet)
		return;
	if (run->options->snapshots.nr_merged)
		fprintf(stderr,
			"[ perf record: %llu trigger%s came within a second of a snapshot; ignored ]\n",
			(unsigned long long)run->options->snapshots.nr_merged,
			run->options->snapshots.nr_merged == 1 ? "" : "s");
	if (file->nr_throttled)
		fprintf(stderr,
			"[ perf record: throttled %llu times by the limit of kernel.%s; fewer samples (-F, -c) help ]\n",
			(unsigned long long)file->nr_throttled,
			perf_sysctl_name("max_sample_rate"));
	if (run->recording.unwinder)
		say_unwound(run->recording.unwinder);
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		bytes = st.st_size;
	fprintf(stderr, "[ perf record: Woken up %llu times to write data ]\n",
		(unsigned long long)wakeups);
	fprintf(stderr, "[ perf record: Captured and wrote %.3f MB %s (%llu samples) ]\n",
		bytes / 1024.0 / 1024.0, path,
		(unsigned long long)file->nr_samples);
}

static int record(struct record_run *run, struct error *err)
{
	struct stored_files stored = { 0 };
	uint64_t wakeups = 0;
	int status;

	status = start(run, err);
	if (status)
		return status;
	if (record_until_end(run, &wakeups, err)) {
		recording_keep(&run->recording, err);
		return EXIT_FAILED;
	}
	kept_files_save(&run->options->kept, data_writer_part(run->recording.file.writer), &stored,
			run->options->quiet);
	data_writer_store(run->recording.file.writer, &stored);
	if (run->options->timestamp_name)
		run->timed_path = recording_close_timed(&run->recording, err);
	if (run->options->timestamp_name ? !run->timed_path :
					   recording_close(&run->recording, err))
		return EXIT_FAILED;
	say_result(run, wakeups);
	if (run->options->snapshots.rotate)
		snapshots_keep(&run->options->snapshots, xstrdup(run->timed_path));
	return 0;
}

static bool has_stacks(const struct event_list *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (events->events[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	}
	return false;
}

static int prepare(struct record_run *run, struct error *err)
{
	struct record_options *o = run->options;
	int status;

	/* Without a target, the kernel's perf records the whole machine, too. */
	if (!o->target.command && !o->target.pids && !o->target.tids && !o->target.cpus &&
	    !o->target.user)
		o->target.all_cpus = true;
	status = target_resolve(&run->target, &o->target, err);
	if (status)
		return status;
	if (o->latency && run->target.kind == TARGET_CPUS) {
		error_set(err, "--latency records when the threads of a command or of processes run; leave out -a and -C, and give one of these");
		return EXIT_USAGE;
	}
	if (o->verbose)
		syscall_announce();
	if (prepare_events(run, err))
		return EXIT_FAILED;
	run->recording.unwind = o->unwind;
	if (o->unwind && !has_stacks(&o->events)) {
		error_set(err, "--unwind: no event has stacks; add --call-graph dwarf");
		return EXIT_USAGE;
	}
	if (watch_init(&run->watch, err) ||
	    ((o->sampling.overwrite || o->snapshots.rotate) && watch_snapshots(&run->watch, err)) ||
	    control_watch(&o->control, &run->watch, err))
		return EXIT_FAILED;
	if (output_is_pipe(o->output) && output_claim_stdout(err))
		return EXIT_FAILED;
	if (o->target.command && workload_prepare(&run->workload, o->target.command, err))
		return EXIT_FAILED;
	if (buffers_open(&run->recording.buffers, &run->counters, &o->events, &run->target,
			 run->workload.pid, o->pages, err) ||
	    buffers_watch(&run->recording.buffers, &run->watch, err))
		return EXIT_FAILED;
	/* The command, which exists already, keeps its priority. */
	if (use_priority(o->priority, err))
		return EXIT_FAILED;
	if (o->verbose)
		say_how(run);
	if (triggers_open(&run->recording.triggers, &run->counters, err) ||
	    snapshots_start(&o->snapshots, &run->recording, &run->watch, err) ||
	    recording_open(&run->recording, o->output, o->argc, o->argv, err))
		return EXIT_FAILED;
	if (o->snapshots.rotate && !data_writer_part(run->recording.file.writer)) {
		error_set(err, "--switch-output: files cannot be written beside a device; give a file with -o");
		return EXIT_FAILED;
	}
	run->recording.no_build_ids = o->kept.no_list;
	/* Pipes are compressed by the programs that read them. */
	if (o->compress && !output_is_pipe(o->output))
		recording_compress(&run->recording, o->compress);
	return 0;
}

/*
 * Return: the exit status of the command; 0 if there was none, or if it ended by the SIGTERM that
 * --duration or --control asked for.
 */
static int run_status(const struct record_run *run)
{
	int status = run->watch.status;

	if (run->time_over && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
		return 0;
	return run->watch.command_ended ? exit_status(run->watch.status) : 0;
}

/* Parse the arguments, which add to @defaults, and record. Return: the exit status. */
static int run_record(int argc, char **argv, const struct record_options *defaults)
{
	struct record_options options = *defaults;
	struct record_run run = { .options = &options, .watch = WATCH_NOTHING };
	struct error err = { "" };
	const char *refusal;
	int status;

	parse_arguments(&record_argp, argc, argv, ARGP_IN_ORDER, &options);
	if (!options.output)
		options.output = default_output();
	options.snapshots.quiet = options.quiet;
	options.snapshots.rotate = options.switch_output && !options.sampling.overwrite;
	options.timestamp_name |= options.snapshots.rotate;
	refusal = refuse_options(&options);
	if (refusal) {
		complain("%s", refusal);
		free(options.triggers);
		event_list_free(&options.events);
		return EXIT_USAGE;
	}
	if (options.dry_run) {
		event_list_free(&options.events);
		free(options.triggers);
		return 0;
	}
	status = prepare(&run, &err);
	if (!status)
		status = record(&run, &err);
	if (status) {
		complain("%s", err.text);
		if (run.workload.pid && run.watch.command)
			watch_stop_command(&run.watch, COMMAND_GRACE);
		else if (run.workload.pid)
			workload_cancel(&run.workload);
	} else {
		status = run_status(&run);
	}
	recording_free(&run.recording);
	snapshots_free(&options.snapshots);
	free(options.triggers);
	free(run.timed_path);
	delay_free(&options.delay);
	control_free(&options.control);
	counters_close(&run.counters);
	target_free(&run.target);
	free(options.target.cgroups);
	event_list_free(&options.events);
	watch_free(&run.watch);
	watch_raise(&run.watch);
	return status;
}

int cmd_record(int argc, char **argv)
{
	const struct record_options defaults = {
		.argc = argc, .argv = argv, .control = CONTROL_NONE,
	};

	return run_record(argc, argv, &defaults);
}

int record_calls(int argc, char **argv, size_t string_size)
{
	const struct record_options defaults = {
		.argc = argc, .argv = argv, .calls = true, .string_size = string_size,
		.control = CONTROL_NONE,
	};

	return run_record(argc, argv, &defaults);
}
