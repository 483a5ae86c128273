// SPDX-License-Identifier: GPL-2.0
/* Options of the kernel's perf that make no difference in this tool, or that it refuses. */
#include <stdio.h>

#include "util/util.h"
#include "drop_in.h"

/* The key of all accepted options without a letter. */
#define ACCEPTED 0x100
/* The key of a refused option without a letter: no two of a table are on the same line. */
#define REFUSED (0x1000 + __LINE__)

#define ACCEPT(name, letter) \
	{ name, (letter) ?: ACCEPTED, NULL, OPTION_HIDDEN, NULL, 0 }
#define ACCEPT_VALUE(name, letter) \
	{ name, (letter) ?: ACCEPTED, "VALUE", OPTION_HIDDEN, NULL, 0 }
#define ACCEPT_OPTIONAL(name, letter) \
	{ name, (letter) ?: ACCEPTED, "VALUE", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, NULL, 0 }
/* The text names the replacement; argp never prints it, because the option is hidden. */
#define REFUSE(name, letter, text) \
	{ name, (letter) ?: REFUSED, NULL, OPTION_HIDDEN, text, 0 }
#define REFUSE_VALUE(name, letter, text) \
	{ name, (letter) ?: REFUSED, "VALUE", OPTION_HIDDEN, text, 0 }
#define REFUSE_OPTIONAL(name, letter, text) \
	{ name, (letter) ?: REFUSED, "VALUE", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, text, 0 }
#define SHORT_HELP { NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0 }

#define AUX_TEXT \
	"traces of the hardware are not recorded or decoded; 'perf record -b' records branches"
#define GUEST_TEXT "guests are not reported; record inside the guest"
#define SWITCH_TEXT "use --time to choose a part of the recording"
#define TYPES_TEXT \
	"types of data are not found here; 'perf script -F ip,sym,addr' has the addresses of data"
#define BPF_TEXT "BPF programs do not count here; a target or --filter chooses what is counted"

/* Print the help on stderr, as the kernel's perf does for -h, and exit with EXIT_USAGE. */
static void print_short_help(struct argp_state *state)
{
	const unsigned int help = ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK;

	argp_state_help(state, stderr, help | ARGP_HELP_EXIT_ERR);
}

/* Accept or refuse an option of @table. */
static error_t parse_option(const struct argp_option *table, int key, struct argp_state *state)
{
	for (; table->name || table->key; table++) {
		if (table->key != key)
			continue;
		if (key == 'h')
			print_short_help(state);
		if (table->doc)
			argp_failure(state, EXIT_USAGE, 0, "%s%s: %s",
				     table->name ? "--" : "-",
				     table->name ?: (char[]){ key, '\0' }, table->doc);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

#define DROP_IN(command) \
	static error_t parse_##command(int key, char *arg, struct argp_state *state) \
	{ \
		(void)arg; \
		return parse_option(command##_table, key, state); \
	} \
	const struct argp command##_drop_in = { \
		.options = command##_table, .parser = parse_##command, \
	}

static const struct argp_option annotate_table[] = {
	SHORT_HELP,
	ACCEPT("modules", 'm'),
	ACCEPT("stdio2", 0),
	ACCEPT("gtk", 0),
	ACCEPT("ignore-vmlinux", 0),
	ACCEPT("demangle", 0),
	ACCEPT("demangle-kernel", 0),
	ACCEPT("skip-empty", 0),
	ACCEPT_VALUE("objdump", 0),
	ACCEPT_VALUE("addr2line", 0),
	ACCEPT_VALUE("stdio-color", 0),
	REFUSE_OPTIONAL("itrace", 0, AUX_TEXT),
	REFUSE_OPTIONAL("data-type", 0, TYPES_TEXT),
	REFUSE("code-with-type", 0, TYPES_TEXT),
	REFUSE("type-stat", 0, TYPES_TEXT),
	REFUSE("insn-stat", 0, TYPES_TEXT),
	{ 0 }
};

DROP_IN(annotate);

static const struct argp_option diff_table[] = {
	SHORT_HELP,
	ACCEPT("modules", 'm'),
	REFUSE("cycles-hist", 0, "use 'perf report --total-cycles' for each recording"),
	REFUSE("stream", 0, "use 'perf report --branch-history' for each recording"),
	{ 0 }
};

DROP_IN(diff);

static const struct argp_option record_table[] = {
	SHORT_HELP,
	ACCEPT("raw-samples", 'R'),
	ACCEPT("timestamp", 'T'),
	ACCEPT("period", 'P'),
	ACCEPT("group", 0),
	ACCEPT("no-buffering", 0),
	ACCEPT("sample-identifier", 0),
	ACCEPT("timestamp-boundary", 0),
	ACCEPT("tail-synthesize", 0),
	ACCEPT("running-time", 0),
	ACCEPT("no-bpf-event", 0),
	ACCEPT_VALUE("synth", 0),
	ACCEPT_VALUE("num-thread-synthesize", 0),
	ACCEPT_VALUE("proc-map-timeout", 0),
	ACCEPT_VALUE("mmap-flush", 0),
	ACCEPT_VALUE("affinity", 0),
	ACCEPT_VALUE("vmlinux", 0),
	ACCEPT_OPTIONAL("aio", 0),
	ACCEPT_OPTIONAL("threads", 0),
	ACCEPT_OPTIONAL("debuginfod", 0),
	REFUSE_OPTIONAL("snapshot", 'S', AUX_TEXT "; --overwrite keeps the last samples"),
	REFUSE_OPTIONAL("aux-sample", 0, AUX_TEXT),
	REFUSE("kcore", 0, AUX_TEXT),
	REFUSE("transaction", 0,
	       "flags of transactions are not recorded; 'perf stat -e tx-abort' counts aborts"),
	REFUSE_VALUE("switch-output-event", 0,
		     "use --snapshot-on EVENT: it writes the last samples when EVENT happens"),
	REFUSE_VALUE("clang-path", 0, BPF_TEXT),
	REFUSE_VALUE("clang-opt", 0, BPF_TEXT),
	REFUSE_VALUE("off-cpu-thresh", 0, "use --off-cpu, and --snapshot-on 'off-cpu > 10ms'"),
	REFUSE("sample-mem-info", 0, "use -d, which records the addresses of data"),
	REFUSE("data-mmap", 0, "use -d, which also records mappings of data"),
	REFUSE_VALUE("setup-filter", 0, BPF_TEXT),
	{ 0 }
};

DROP_IN(record);

static const struct argp_option report_table[] = {
	SHORT_HELP,
	ACCEPT("modules", 'm'),
	ACCEPT("stdio2", 0),
	ACCEPT("gtk", 0),
	ACCEPT("show-info", 'I'),
	ACCEPT("asm-raw", 0),
	ACCEPT("source", 0),
	ACCEPT("no-source", 0),
	ACCEPT("ignore-vmlinux", 0),
	ACCEPT("disable-order", 0),
	ACCEPT("no-itrace", 0),
	ACCEPT("demangle", 0),
	ACCEPT("demangle-kernel", 0),
	ACCEPT("skip-empty", 0),
	ACCEPT("show-ref-call-graph", 0),
	ACCEPT("ns", 0),
	ACCEPT_VALUE("disassembler-style", 'M'),
	ACCEPT_VALUE("objdump", 0),
	ACCEPT_VALUE("addr2line", 0),
	ACCEPT_VALUE("prefix", 0),
	ACCEPT_VALUE("prefix-strip", 0),
	ACCEPT_VALUE("percent-type", 0),
	ACCEPT_VALUE("samples", 0),
	ACCEPT_VALUE("stdio-color", 0),
	ACCEPT_VALUE("pretty", 0),
	REFUSE_OPTIONAL("itrace", 0, AUX_TEXT),
	REFUSE_VALUE("group-sort-idx", 0, "rows are sorted by the first event; leave it out"),
	REFUSE("raw-trace", 0, "use --sort with the fields of the tracepoint"),
	REFUSE("threads", 'T', "use --sort tid"),
	REFUSE("mmaps", 0, "use 'perf script --show-mmap-events', or --tasks for the tasks"),
	REFUSE("mem-mode", 0, "use 'perf script -F ip,sym,addr,data_src,weight'"),
	REFUSE("show-cpu-utilization", 0,
	       "use the sort keys of --sort; 'perf stat' counts modes with :u and :k"),
	REFUSE_VALUE("socket-filter", 0, "use --cpu with the CPUs of the socket"),
	REFUSE_VALUE("time-quantum", 0, "use --time for each part of the recording"),
	REFUSE_VALUE("switch-on", 0, SWITCH_TEXT),
	REFUSE_VALUE("switch-off", 0, SWITCH_TEXT),
	REFUSE("show-on-off-events", 0, SWITCH_TEXT),
	ACCEPT_VALUE("addr2line-style", 0),
	ACCEPT_VALUE("group-sort-idx", 0),
	ACCEPT_VALUE("unwind-style", 0),
	{ 0 }
};

DROP_IN(report);

static const struct argp_option script_table[] = {
	SHORT_HELP,
	ACCEPT("all-cpus", 'a'),
	ACCEPT("debug-mode", 'd'),
	ACCEPT("show-info", 'I'),
	ACCEPT("no-itrace", 0),
	ACCEPT("demangle", 0),
	ACCEPT("demangle-kernel", 0),
	ACCEPT("show-kernel-path", 0),
	ACCEPT("show-round-events", 0),
	ACCEPT_VALUE("max-blocks", 0),
	REFUSE("per-event-dump", 0, "use -F event, and divide the lines by it"),
	REFUSE_VALUE("gen-script", 'g',
		     "pipe the output of 'perf script' into a program of your own"),
	REFUSE_VALUE("script", 's', "pipe the output of 'perf script' into the program"),
	REFUSE("list", 'l', "there are no built-in scripts; pipe the output into a program"),
	REFUSE("Latency", 'L', "use 'perf trace', or the tracer of tracefs"),
	REFUSE_OPTIONAL("itrace", 0, AUX_TEXT),
	REFUSE_OPTIONAL("call-trace", 0, AUX_TEXT),
	REFUSE_OPTIONAL("call-ret-trace", 0, AUX_TEXT),
	REFUSE_OPTIONAL("insn-trace", 0, AUX_TEXT),
	REFUSE_OPTIONAL("xed", 0, AUX_TEXT),
	REFUSE_VALUE("graph-function", 0, AUX_TEXT),
	REFUSE_VALUE("dlfilter", 0, "pipe the output of 'perf script' into the filter"),
	REFUSE_VALUE("dlarg", 0, "pipe the output of 'perf script' into the filter"),
	REFUSE("list-dlfilters", 0, "pipe the output of 'perf script' into the filter"),
	REFUSE("guest-code", 0, GUEST_TEXT),
	REFUSE_VALUE("guestmount", 0, GUEST_TEXT),
	REFUSE_VALUE("guestvmlinux", 0, GUEST_TEXT),
	REFUSE_VALUE("guestkallsyms", 0, GUEST_TEXT),
	REFUSE_VALUE("guestmodules", 0, GUEST_TEXT),
	REFUSE_VALUE("switch-on", 0, SWITCH_TEXT),
	REFUSE_VALUE("switch-off", 0, SWITCH_TEXT),
	REFUSE("show-on-off-events", 0, SWITCH_TEXT),
	ACCEPT_VALUE("addr2line", 0),
	ACCEPT("merge-callchains", 0),
	ACCEPT_VALUE("unwind-style", 0),
	REFUSE_VALUE("addr-range", 0, "use --symbols, or --dsos"),
	REFUSE_VALUE("stop-bt", 0, "use --max-stack"),
	REFUSE("dump-unsorted-raw-trace", 0, "use -D"),
	{ 0 }
};

DROP_IN(script);

static const struct argp_option stat_table[] = {
	SHORT_HELP,
	ACCEPT("group", 'g'),
	ACCEPT("scale", 0),
	ACCEPT("metric-no-group", 0),
	ACCEPT("metric-no-merge", 0),
	ACCEPT("metric-no-threshold", 0),
	ACCEPT("no-merge", 0),
	ACCEPT("hybrid-merge", 0),
	REFUSE("no-scale", 0,
	       "counts are always scaled; -x and -j print how long each counter ran"),
	ACCEPT("table", 0),
	REFUSE_OPTIONAL("topdown", 0, "use -M with a metric of 'perf list metric'"),
	REFUSE_VALUE("td-level", 0, "use -M with a metric of 'perf list metric'"),
	REFUSE("metric-only", 0, "use -j, which has the metric of each count"),
	REFUSE("transaction", 'T', "use -e tx-start,tx-commit,tx-abort,tx-capacity"),
	REFUSE("smi-cost", 0, "use -e msr/smi/,msr/aperf/,cycles -a"),
	REFUSE_VALUE("cputype", 0, "name the PMU in the event: cpu_core/EVENT/ or cpu_atom/EVENT/"),
	REFUSE_OPTIONAL("iostat", 0,
			"use -a -e with the events of the uncore PMU ('perf list pmu')"),
	REFUSE("percore-show-thread", 0, "use -A, which prints each CPU"),
	REFUSE_VALUE("bpf-prog", 'b', BPF_TEXT),
	REFUSE("bpf-counters", 0, BPF_TEXT),
	REFUSE_VALUE("bpf-attr-map", 0, BPF_TEXT),
	ACCEPT("affinity", 0),
	REFUSE("hide-zero-events", 0,
	       "pipe the output of -x, into a program that leaves out zeros"),
	REFUSE("per-cluster", 0, "use --per-core or --per-socket"),
	REFUSE_OPTIONAL("per-cache", 0, "use --per-core or --per-socket"),
	REFUSE_VALUE("pmu-filter", 0, "name the PMU in the event: PMU/EVENT/"),
	REFUSE("record-tpebs", 0, "use 'perf record' with precise events"),
	REFUSE_VALUE("tpebs-mode", 0, "use 'perf record' with precise events"),
	{ 0 }
};

DROP_IN(stat);

#define HISTOGRAM_TEXT \
	"use 'perf sched timehist', whose column 'sch delay' has each time of waiting"

static const struct argp_option latency_table[] = {
	SHORT_HELP,
	ACCEPT("no-itrace", 0),
	REFUSE("histogram", 'H', HISTOGRAM_TEXT),
	REFUSE_VALUE("hist-mode", 0, HISTOGRAM_TEXT),
	{ 0 }
};

DROP_IN(latency);

static const struct argp_option map_table[] = {
	SHORT_HELP,
	ACCEPT("no-itrace", 0),
	REFUSE_VALUE("color-cpus", 0, "use --cpus, which prints only the switches of these CPUs"),
	REFUSE_VALUE("color-pids", 0, "use --task-name, which prints only these tasks"),
	{ 0 }
};

DROP_IN(map);

static const struct argp_option lock_table[] = {
	SHORT_HELP,
	ACCEPT("use-bpf", 'b'),
	ACCEPT("force", 'f'),
	ACCEPT("quiet", 'q'),
	ACCEPT("verbose", 'v'),
	ACCEPT_VALUE("map-nr-entries", 'M'),
	ACCEPT_VALUE("max-stack", 0),
	REFUSE("lock-owner", 'o',
	       "the events have no owners; --futex shows which thread woke up a waiter"),
	REFUSE("lock-cgroup", 0,
	       "use 'perf lock record -a --all-cgroups' and 'perf report -s cgroup'"),
	REFUSE_VALUE("cgroup-filter", 'G', "use -p with the processes of the control group"),
	REFUSE_VALUE("inject-delay", 'J', "this tool only measures"),
	REFUSE("dump-raw-trace", 'D', "use 'perf script -D'"),
	{ 0 }
};

DROP_IN(lock);

static const struct argp_option timehist_table[] = {
	SHORT_HELP,
	ACCEPT("no-itrace", 0),
	ACCEPT("call-graph", 'g'),
	ACCEPT_VALUE("max-stack", 0),
	REFUSE("cpu-visual", 'V', "use 'perf sched map', which has a column for each CPU"),
	REFUSE("idle-hist", 'I', "use 'perf sched map', where a dot is an idle CPU"),
	REFUSE("migrations", 'M', "use 'perf script', which prints sched:sched_migrate_task"),
	REFUSE("pre-migrations", 'P', "use 'perf script', which prints sched:sched_migrate_task"),
	{ 0 }
};

DROP_IN(timehist);

static const struct argp_option trace_table[] = {
	SHORT_HELP,
	ACCEPT("comm", 0),
	ACCEPT("force", 'f'),
	ACCEPT("sort-events", 0),
	ACCEPT("force-btf", 0),
	ACCEPT("libtraceevent_print", 0),
	ACCEPT_VALUE("proc-map-timeout", 0),
	ACCEPT("bitmask-list", 0),
	REFUSE("print-sample", 0, "use 'perf trace record', and 'perf script' with -F"),
	REFUSE("bpf-summary", 0, "use -s, which sums the calls up as they are read"),
	REFUSE_VALUE("delay", 'D', "use -p once the program has started"),
	REFUSE_VALUE("uid", 'u', "use -p with the processes of the user"),
	REFUSE("sched", 0, "use 'perf sched', or 'perf record --off-cpu'"),
	REFUSE("tool_stats", 0, "use -v, which prints what was opened"),
	REFUSE_VALUE("map-dump", 0, "use bpftool map dump"),
	REFUSE_VALUE("switch-on", 0, "use --duration or -e to print less"),
	REFUSE_VALUE("switch-off", 0, "use --duration or -e to print less"),
	REFUSE("show-on-off-events", 0, "use --duration or -e to print less"),
	{ 0 }
};

DROP_IN(trace);

static const struct argp_option top_table[] = {
	SHORT_HELP,
	ACCEPT("asm-raw", 0),
	ACCEPT("source", 0),
	ACCEPT("no-source", 0),
	ACCEPT("group", 0),
	ACCEPT("ignore-vmlinux", 0),
	ACCEPT("demangle-kernel", 0),
	ACCEPT("no-bpf-event", 0),
	ACCEPT_VALUE("disassembler-style", 'M'),
	ACCEPT_VALUE("objdump", 0),
	ACCEPT_VALUE("addr2line", 0),
	ACCEPT_VALUE("prefix", 0),
	ACCEPT_VALUE("prefix-strip", 0),
	ACCEPT_VALUE("num-thread-synthesize", 0),
	ACCEPT_VALUE("proc-map-timeout", 0),
	ACCEPT("force", 0),
	ACCEPT("all-cgroups", 0),
	ACCEPT("namespaces", 0),
	ACCEPT("overwrite", 0),
	ACCEPT("tui", 0),
	ACCEPT_VALUE("group-sort-idx", 0),
	REFUSE("branch-history", 0, "use 'perf record', and 'perf report' with --branch-history"),
	REFUSE("children", 0, "use 'perf record', and 'perf report' with --children"),
	REFUSE("hierarchy", 0, "use 'perf record', and 'perf report' with --hierarchy"),
	REFUSE_VALUE("percentage", 0, "use 'perf record', and 'perf report' with --percentage"),
	REFUSE("show-total-period", 0,
	       "use 'perf record', and 'perf report' with --show-total-period"),
	REFUSE_VALUE("ignore-callees", 0,
		     "use 'perf record', and 'perf report' with --ignore-callees"),
	REFUSE_VALUE("column-widths", 0,
		     "use 'perf record', and 'perf report' with --column-widths"),
	REFUSE_VALUE("fields", 0, "use 'perf record', and 'perf report' with --fields"),
	REFUSE_VALUE("symbols", 0, "use 'perf record', and 'perf report' with --symbols"),
	REFUSE_VALUE("dsos", 0, "use 'perf record', and 'perf report' with --dsos"),
	REFUSE("dump-symtab", 'D', "use 'nm', or 'perf report -v', which has addresses"),
	REFUSE_VALUE("count-filter", 'f',
		     "use -n, which shows counts, and -E with a number of rows"),
	REFUSE_VALUE("comms", 0, "use 'perf record', and 'perf report' with --comms"),
	REFUSE_VALUE("max-stack", 0, "use 'perf record', and 'perf report' with --max-stack"),
	REFUSE_VALUE("percent-limit", 0,
		     "use -E with a number of rows, or 'perf report' with --percent-limit"),
	REFUSE("raw-trace", 0, "use 'perf record', and 'perf report' with --sort"),
	REFUSE("show-on-off-events", 0, "use 'perf record', and 'perf report' with --time"),
	REFUSE_VALUE("uid", 0, "use -p with the processes of the user"),
	REFUSE_VALUE("switch-on", 0, "use 'perf record', and 'perf report' with --time"),
	REFUSE_VALUE("switch-off", 0, "use 'perf record', and 'perf report' with --time"),
	REFUSE_VALUE("sym-annotate", 0, "use 'perf record' and 'perf annotate'"),
	{ 0 }
};

DROP_IN(top);

static const struct argp_option probe_table[] = {
	SHORT_HELP,
	ACCEPT("demangle", 0),
	ACCEPT("demangle-kernel", 0),
	REFUSE("cache", 0, "there is no cache of probes; name places with -x FILE -a PLACE"),
	REFUSE("bootconfig", 0, "use -D, and write its line into the file"),
	ACCEPT("force", 0),
	ACCEPT("no-inlines", 0),
	ACCEPT("quiet", 'q'),
	ACCEPT("verbose", 'v'),
	ACCEPT("externs", 0),
	REFUSE("range", 0, "use --vars, which says what can be fetched"),
	REFUSE_VALUE("target-ns", 0, "use -x /proc/PID/root/FILE"),
	REFUSE_VALUE("symfs", 0, "use -x with the path below the directory"),
	REFUSE_VALUE("max-probes", 0, "each definition is of one place"),
	{ 0 }
};

DROP_IN(probe);

static const struct argp_option list_table[] = {
	SHORT_HELP,
	ACCEPT("desc", 'd'),
	ACCEPT("no-desc", 0),
	ACCEPT("long-desc", 'v'),
	ACCEPT_VALUE("cputype", 0),
	ACCEPT("deprecated", 0),
	ACCEPT("debug", 0),
	{ 0 }
};

DROP_IN(list);

static const struct argp_option evlist_table[] = {
	SHORT_HELP,
	ACCEPT("group", 'g'),
	ACCEPT("trace-fields", 0),
	{ 0 }
};

DROP_IN(evlist);

static const struct argp_option buildid_list_table[] = {
	SHORT_HELP,
	ACCEPT("verbose", 'v'),
	REFUSE("kernel-maps", 'm',
	       "use -k for the kernel, and /sys/module/NAME/notes for its modules"),
	{ 0 }
};

DROP_IN(buildid_list);

static const struct argp_option buildid_cache_table[] = {
	SHORT_HELP,
	ACCEPT_OPTIONAL("debuginfod", 0),
	REFUSE_VALUE("kcore", 'k', "perf record keeps kallsyms, which has the kernel's functions"),
	{ 0 }
};

DROP_IN(buildid_cache);

static const struct argp_option plain_table[] = {
	SHORT_HELP,
	{ 0 }
};

DROP_IN(plain);
