// SPDX-License-Identifier: GPL-2.0
/* perf top: show which code the machine, or tasks, execute right now. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/live.h"
#include "measure/measure.h"
#include "report/report.h"
#include "top/top.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "option_values.h"
#include "target_options.h"
#include "top_browser.h"

#define DEFAULT_SORT_ORDER "dso,sym"

/* Seconds between two displays. */
#define DELAY_DEFAULT 2
#define DELAY_MIN 0.1
#define DELAY_MAX 3600

enum {
	OPTION_STDIO = 0x100, OPTION_KALLSYMS, OPTION_CALL_GRAPH, OPTION_STITCH_LBR, OPTION_FILTER,
};

struct top_options {
	struct target_options target;
	struct event_list events;
	struct sampling sampling;
	struct report_style style;
	struct sort_keys keys;
	bool sort_asked;
	bool stitch;
	const char *vmlinux;
	const char *kallsyms;
	size_t pages;			/* 0: chosen by the number of CPUs */
	int priority;			/* of SCHED_FIFO; 0: none */
	size_t entries;			/* 0: as many as fit on the screen */
	double delay;			/* s */
	bool zero;
	bool no_kernel;
	bool no_user;
	bool stdio;
	bool verbose;
};

/**
 * struct top - state of perf top
 * @options: options of the user
 * @browse: the browser shows the samples, and no tables are printed
 * @browser: browser
 * @target: target of the measurement
 * @counters: counters that sample the target
 * @watch: descriptors for signals, timers, keys and data
 * @live: state of the machine
 * @hists: histogram for each event that has samples, for tables
 * @chain: call chain of the current sample; without call chains it has no frames
 * @nr_events: number of @hists; one further event, the last, records what tasks do
 * @view: table that was shown last
 * @help: the help is shown instead of the view
 * @quit: the user has quit
 * @closed: the reader of the output has closed its pipe
 */
struct top {
	struct top_options *options;
	bool browse;
	struct top_browser browser;
	struct target target;
	struct counters counters;
	struct watch watch;
	struct live live;
	struct hist *hists;
	struct callchain chain;
	size_t nr_events;
	struct top_view view;
	bool help;
	bool quit;
	bool closed;
};

static const struct argp_option option_table[] = {
	{ "event", 'e', "EVENT", 0, "Sample EVENT; a list ('perf list')", 1 },
	{ "filter", OPTION_FILTER, "FILTER", 0,
	  "Only events of the last -e that match, like 'common_pid != 1'", 1 },
	{ "freq", 'F', "FREQ", 0, "Take FREQ samples per second (4000), or 'max'", 1 },
	{ "count", 'c', "N", 0, "Take a sample every N events", 1 },
	{ NULL, 'g', NULL, 0, "Add the share of callees to callers, by frame pointers", 1 },
	{ "call-graph", OPTION_CALL_GRAPH, "MODE", 0,
	  "Add the share of callees to callers, by frame pointers (fp), the PMU's records of calls (lbr), or call frame information and SIZE bytes of each stack (dwarf[,SIZE])",
	  1 },
	{ "stitch-lbr", OPTION_STITCH_LBR, NULL, 0,
	  "Guess callers beyond the room of --call-graph lbr from the previous sample", 1 },
	{ "branch-any", 'b', NULL, 0, "Show taken branches, not samples", 1 },
	{ "branch-filter", 'j', "FILTER[,FILTER...]", 0,
	  "Show branches of these kinds: any, any_call, any_ret, cond, u, k, ...", 1 },
	{ "mmap-pages", 'm', "PAGES", 0,
	  "Size of a buffer: pages, or a size with K, M or G; rounded up to a power of two", 1 },
	{ "delay", 'd', "SECS", 0, "Seconds between two displays (2)", 3 },
	{ "sort", 's', "KEY[,KEY...]", 0,
	  "By comm, dso, sym, pid, tid, cpu (" DEFAULT_SORT_ORDER "), with -b also by "
	  BRANCH_KEY_NAMES " (" BRANCH_SORT_ORDER ")", 3 },
	{ "hide_kernel_symbols", 'K', NULL, 0, "Leave the kernel out", 3 },
	{ "hide_user_symbols", 'U', NULL, 0, "Leave user mode out", 3 },
	{ "zero", 'z', NULL, 0, "Forget samples once they have been shown", 3 },
	{ "entries", 'E', "N", 0, "Print N rows at most, with --stdio", 3 },
	{ "show-nr-samples", 'n', NULL, 0, "Show the number of samples of each row", 3 },
	{ "realtime", 'r', "PRIORITY", 0, "Read buffers with this priority of SCHED_FIFO", 3 },
	{ "stdio", OPTION_STDIO, NULL, 0, "Print plain tables, without a browser", 3 },
	{ "vmlinux", 'k', "FILE", 0, "vmlinux of the kernel, for its symbols", 4 },
	{ "kallsyms", OPTION_KALLSYMS, "FILE", 0, "Copy of /proc/kallsyms, for symbols", 4 },
	{ "verbose", 'v', NULL, 0, "Print details, and addresses and paths in full", 4 },
	{ 0 },
};

static void parse_sort_order(struct argp_state *state, struct top_options *o, const char *order)
{
	struct error err;

	o->sort_asked = true;
	o->style.sort_order = order;
	if (sort_keys_parse(&o->keys, order, &err))
		argp_error(state, "--sort: %s", err.text);
	if (sort_keys_have(&o->keys, "trace"))
		argp_error(state, "--sort: trace is for perf report, which has all the records");
	if (sort_keys_have(&o->keys, "parallelism"))
		argp_error(state, "--sort: parallelism is for recordings; use record --latency and report");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct top_options *o = state->input;

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
	case 'F':
		parse_freq(state, &o->sampling, arg);
		break;
	case 'c':
		parse_period(state, &o->sampling, arg);
		break;
	case 'g':
		o->sampling.callchain = true;
		break;
	case OPTION_CALL_GRAPH:
		parse_call_graph(state, &o->sampling, arg);
		break;
	case OPTION_STITCH_LBR:
		o->stitch = true;
		break;
	case 'b':
		parse_branch_filter(state, &o->sampling, "any");
		break;
	case 'j':
		parse_branch_filter(state, &o->sampling, arg);
		break;
	case 'm':
		o->pages = parse_pages(state, arg);
		break;
	case 'd':
		o->delay = parse_decimal(state, "-d", "seconds", arg, DELAY_MIN, DELAY_MAX);
		break;
	case 's':
		parse_sort_order(state, o, arg);
		break;
	case 'K':
		o->no_kernel = true;
		break;
	case 'U':
		o->no_user = true;
		break;
	case 'z':
		o->zero = true;
		break;
	case 'E':
		o->entries = parse_number(state, "-E", arg, 1, INT_MAX);
		break;
	case 'r':
		o->priority = parse_number(state, "-r", arg, 1, 99);
		break;
	case 'n':
		o->style.with_counts = true;
		break;
	case OPTION_STDIO:
		o->stdio = true;
		break;
	case 'k':
		o->vmlinux = arg;
		break;
	case OPTION_KALLSYMS:
		o->kallsyms = arg;
		break;
	case 'v':
		o->verbose = true;
		o->style.verbose = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp top_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = (const struct argp_child[]){
		{ &target_argp, 0, NULL, 2 }, { &top_drop_in, 0, NULL, 0 }, { 0 },
	},
	.args_doc = "",
	.doc =
	"Show which code the machine, or tasks or CPUs, execute now; the key ? lists the keys.",
};

static bool has_branch_key(const struct sort_keys *keys)
{
	size_t i;

	for (i = 0; i < keys->nr && !sort_key_is_of_branches(keys->keys[i]); i++)
		;
	return i < keys->nr;
}

static const char *refuse_options(const struct top_options *o)
{
	if (o->target.command)
		return "perf top runs no command; name processes with -p, or none for all of them";
	if (o->sampling.period && (o->sampling.freq || o->sampling.freq_max))
		return "-c and -F contradict one another";
	if (o->no_kernel && o->no_user)
		return "-K and -U leave nothing to show; give one of them";
	if (!o->sampling.branches && has_branch_key(&o->keys))
		return "--sort: only branches have some of these keys; give -b or -j";
	if (o->sampling.branches && o->sampling.callchain)
		return "-b and -j show branches, which have no callers; leave out the call graph";
	if (o->stitch && !o->sampling.lbr)
		return "--stitch-lbr needs --call-graph lbr";
	return refuse_branches(&o->sampling);
}

/* Return true if an option hides samples of this mode. */
static bool is_hidden(const struct top_options *o, enum cpu_mode mode)
{
	if (mode == MODE_KERNEL || mode == MODE_GUEST_KERNEL || mode == MODE_HYPERVISOR)
		return o->no_kernel;
	return o->no_user;
}

static void take_sample(void *context, struct live *live, const struct record *record)
{
	struct hist *hist = &((struct top *)context)->hists[record->event];
	enum cpu_mode mode = cpu_mode_of(record->misc);
	struct sample_point point = { 0 };
	struct top *top = context;
	struct thread *thread;

	if (is_hidden(top->options, mode) || top->browser.paused)
		return;
	thread = thread_get(&live->machine.threads, record->id.pid, record->id.tid);
	sample_point_start(&point, &live->machine, thread, record);
	if (hist->branches && top->browse) {
		samples_add_branches(&top->browser.stores[record->event], &point, &live->machine,
				     thread, record);
		return;
	}
	if (hist->branches) {
		hist_add_branches(hist, &point, &live->machine, thread, record);
		return;
	}
	machine_resolve(&live->machine, thread, mode, record->sample.ip, &point.at);
	if (hist->children)
		callchain_resolve(&top->chain, &live->machine, thread, record);
	if (top->browse)
		samples_add(&top->browser.stores[record->event], &point, &top->chain,
			    record->sample.period);
	else
		hist_add(hist, &point, &top->chain, record->sample.period);
}

/* Choose the events and how they are sampled. */
static int prepare_events(struct top *top, struct error *err)
{
	struct top_options *o = top->options;
	struct sampling *s = &o->sampling;
	size_t i;

	if (!o->events.nr &&
	    sampling_add_default_event(s, &o->events, o->verbose ? VERBOSE : NORMAL, err))
		return -1;
	sampling_replace_cycles(s, &o->events, NORMAL);
	if (sampling_choose_freq(s, err) < 0)
		return -1;
	s->cpu = true;
	s->inherit = top->target.kind != TARGET_CPUS && !o->target.no_inherit;
	s->apart = true;
	top->nr_events = o->events.nr;
	if (target_assign_cgroups(&top->target, &o->events, err))
		return -1;
	if (sampling_prepare(s, &o->events, err))
		return -1;
	top->hists = xcalloc(top->nr_events, sizeof(*top->hists));
	for (i = 0; i < top->nr_events; i++) {
		top->hists[i].keys = &o->keys;
		top->hists[i].branches = s->branches;
		top->hists[i].children = s->callchain;
	}
	return 0;
}

static void fill_facts(void *context, size_t event, struct top_facts *facts)
{
	const struct top *top = context;
	const struct top_options *o = top->options;
	const struct perf_event_attr *attr = &o->events.events[event].attr;

	*facts = (struct top_facts){
		.event = o->events.events[event].name,
		.freq = attr->freq ? attr->sample_freq : 0,
		.period = attr->freq ? 0 : attr->sample_period,
		.lost = top->live.nr_lost,
		.delay = o->delay,
		.no_kernel = o->no_kernel,
		.no_user = o->no_user,
	};
}

static void note_closed(struct top *top)
{
	top->closed = errno == EPIPE;
	top->quit = true;
}

static void print_table(struct top *top, size_t event)
{
	struct top_facts facts;

	fill_facts(top, event, &facts);
	top_view_free(&top->view);
	top_view_make(&top->view, &facts, &top->options->style, &top->hists[event]);
	if (!top_plain_draw(&top->view, top->options->entries))
		note_closed(top);
}

/* Show the browser, or print a table of each event. */
static void show(struct top *top)
{
	size_t i;

	if (top->browse) {
		top_browser_show(&top->browser);
		return;
	}
	for (i = 0; !top->help && i < top->nr_events; i++)
		print_table(top, i);
	if (top->help && !top_plain_help())
		note_closed(top);
}

static void clear(struct top *top)
{
	size_t i;

	if (top->browse)
		top_browser_clear(&top->browser);
	for (i = 0; i < top->nr_events; i++)
		hist_clear(&top->hists[i]);
}

/* Reduce the weight of the samples that were shown, or remove them. */
static void age_samples(struct top *top)
{
	size_t i;

	if (top->options->zero && !top->browser.paused) {
		clear(top);
		return;
	}
	if (top->browse)
		top_browser_age(&top->browser);
	for (i = 0; i < top->nr_events; i++)
		hist_decay(&top->hists[i]);
}

static void set_delay(struct top *top, double delay)
{
	struct error err;

	if (delay < DELAY_MIN || delay > DELAY_MAX)
		return;
	top->options->delay = delay;
	if (watch_interval(&top->watch, delay * 1000, &err))
		die("%s", err.text);
}

static void handle_action(void *context, enum top_action action)
{
	struct top *top = context;
	struct top_options *o = top->options;

	switch (action) {
	case TOP_NOTHING:
		break;
	case TOP_QUIT:
		top->quit = true;
		break;
	case TOP_HELP:
		top->help = true;
		break;
	case TOP_NOW:
		/* Ignore a damaged buffer here: it is reported at the next display. */
		live_catch_up(&top->live);
		break;
	case TOP_ZERO:
		clear(top);
		break;
	case TOP_FASTER:
		set_delay(top, o->delay / 2);
		break;
	case TOP_SLOWER:
		set_delay(top, o->delay * 2);
		break;
	case TOP_HIDE_KERNEL:
		o->no_kernel = !o->no_kernel;
		o->no_user = false;
		clear(top);
		break;
	case TOP_HIDE_USER:
		o->no_user = !o->no_user;
		o->no_kernel = false;
		clear(top);
		break;
	}
}

static void take_keys(struct top *top)
{
	enum top_action action;
	bool now = false;

	if (top->browse) {
		top->quit = top_browser_keys(&top->browser);
		return;
	}
	while (!top->quit && top_plain_key(&action)) {
		/* Any key closes the help; a key that quits also quits. */
		if (top->help && action != TOP_QUIT)
			top->help = false;
		else
			handle_action(top, action);
		now |= action == TOP_NOW;
	}
	if (!top->quit && (now || top->help))
		show(top);
}

/* Read one round of records at a wakeup, and all records (@all) before a display. */
static int read_buffers(struct top *top, bool all, struct error *err)
{
	int status = all ? live_catch_up(&top->live) : live_round(&top->live);

	if (!status)
		return 0;
	error_set(err, "a record in a buffer is damaged: %s", strerror(-status));
	return -1;
}

static int watch_machine(struct top *top, struct error *err)
{
	const unsigned int displays = WATCH_TICK | WATCH_END;
	unsigned int what;

	do {
		what = watch_wait(&top->watch);
		if (what & (WATCH_DATA | displays) && read_buffers(top, what & displays, err))
			return EXIT_FAILED;
		if (what & WATCH_INPUT)
			take_keys(top);
		if (what & WATCH_RESIZE && top->browse)
			screen_draw(&top->browser.page);
		if (what & displays && !top->quit) {
			show(top);
			age_samples(top);
		}
	} while (!top->quit && !(what & WATCH_END));
	return 0;
}

static void say_how(const struct top *top)
{
	const struct buffers *b = &top->live.buffers;

	fprintf(stderr, "perf top: events: %zu, descriptors: %zu, mappings: %zu of %zu KiB\n",
		top->options->events.nr, counters_nr_open(&top->counters), b->nr,
		b->pages * sysconf(_SC_PAGESIZE) / 1024);
}

static int prepare(struct top *top, struct error *err)
{
	struct top_options *o = top->options;
	int status;

	if (!o->target.pids && !o->target.tids && !o->target.cpus)
		o->target.all_cpus = true;
	status = target_resolve(&top->target, &o->target, err);
	if (status)
		return status;
	if (o->verbose)
		syscall_announce();
	if (prepare_events(top, err) || watch_init(&top->watch, err))
		return EXIT_FAILED;
	top->live.sample = take_sample;
	top->live.context = top;
	top->live.sources.vmlinux = o->vmlinux;
	top->live.sources.kallsyms = o->kallsyms;
	if (live_open(&top->live, &top->counters, &o->events, &top->target, 0, o->pages, err))
		return EXIT_FAILED;
	if (use_priority(o->priority, err))
		return EXIT_FAILED;
	top->live.machine.stitch_calls = o->stitch;
	if (top->target.kind == TARGET_TASKS &&
	    watch_tasks(&top->watch, &top->counters.tids, err))
		return EXIT_FAILED;
	return 0;
}

/* Open the browser, or prepare to print tables. */
static void open_display(struct top *top)
{
	struct top_options *o = top->options;
	struct top_browser *browser = &top->browser;

	*browser = (struct top_browser){
		.style = o->style, .facts = fill_facts, .act = handle_action, .context = top,
	};
	top->browse = !o->stdio && top_browser_open(browser, &o->events, top->nr_events, &o->keys,
						    &o->sampling, &top->live.machine);
	if (!top->browse)
		top_plain_open();
}

/* Measure and show until the end; the display is open. */
static int run(struct top *top, struct error *err)
{
	watch_input(&top->watch, STDIN_FILENO);
	if (live_start(&top->live, &top->target, 0, &top->watch, err) ||
	    watch_resizes(&top->watch, err) ||
	    watch_interval(&top->watch, top->options->delay * 1000, err))
		return EXIT_FAILED;
	if (top->options->verbose)
		say_how(top);
	if (top->browse)
		show(top);
	return watch_machine(top, err);
}

static void top_free(struct top *top)
{
	size_t i;

	top_browser_free(&top->browser);
	live_close(&top->live);
	for (i = 0; top->hists && i < top->nr_events; i++)
		hist_free(&top->hists[i]);
	free(top->hists);
	callchain_free(&top->chain);
	top_view_free(&top->view);
	counters_close(&top->counters);
	target_free(&top->target);
	free(top->options->target.cgroups);
	event_list_free(&top->options->events);
	watch_free(&top->watch);
}

/**
 * cmd_top - perf top
 * @argc: number of strings in @argv
 * @argv: "perf top" and its arguments
 *
 * Return: the exit status.
 */
int cmd_top(int argc, char **argv)
{
	struct top_options options = {
		.style = { .sort_order = DEFAULT_SORT_ORDER }, .delay = DELAY_DEFAULT,
	};
	struct top top = {
		.options = &options, .watch = WATCH_NOTHING,
	};
	struct error err = { "" };
	const char *refusal;
	int status;

	parse_arguments(&top_argp, argc, argv, 0, &options);
	if (!options.sort_asked)
		sort_keys_parse(&options.keys, options.sampling.branches ? BRANCH_SORT_ORDER :
				DEFAULT_SORT_ORDER, &err);
	refusal = refuse_options(&options);
	if (refusal) {
		complain("%s", refusal);
		event_list_free(&options.events);
		return EXIT_USAGE;
	}
	/* A closed pipe is noticed when something is shown. */
	signal(SIGPIPE, SIG_IGN);
	status = prepare(&top, &err);
	if (!status) {
		open_display(&top);
		status = run(&top, &err);
		screen_close();
		top_plain_close();
	}
	if (status)
		complain("%s", err.text);
	if (top.live.nr_bad)
		warn("%llu records were damaged and left out", (unsigned long long)top.live.nr_bad);
	if (top.live.nr_lost)
		warn("lost %llu samples; use a larger -m, or a lower -F",
		     (unsigned long long)top.live.nr_lost);
	top_free(&top);
	/* Other commands are ended by the signal when they write. */
	if (top.closed) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	/* Ctrl-C is a regular way to quit. */
	if (top.watch.signal != SIGINT)
		watch_raise(&top.watch);
	return status;
}
