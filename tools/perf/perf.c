// SPDX-License-Identifier: GPL-2.0
/* perf: count, record and report. This file finds and runs the command. */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "symbol/symbol.h"
#include "util/util.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
};

static const struct command commands[] = {
	{ "annotate", cmd_annotate, "Show the instructions of functions, with their samples" },
	{ "archive", cmd_archive, "Pack the files of a recording for another machine" },
	{ "buildid-cache", cmd_buildid_cache, "Manage the copies of files that were recorded" },
	{ "buildid-list", cmd_buildid_list, "List the build-ids of the files of a recording" },
	{ "config", cmd_config, "List the variables of the kernel's perf" },
	{ "diff",   cmd_diff,   "Show what changed from one recording to another" },
	{ "evlist", cmd_evlist, "List the events of a recording" },
	{ "export", cmd_export, "Write a recording in the format of another program" },
	{ "list",   cmd_list,   "List the events that this kernel can count" },
	{ "lock",   cmd_lock,   "Record waits for locks; show which code waited, and how long" },
	{ "probe",  cmd_probe,  "Define events at places in a program or in the kernel" },
	{ "record", cmd_record, "Sample a command and record it to perf.data" },
	{ "report", cmd_report, "Show which code the samples of a recording hit" },
	{ "sched",  cmd_sched,  "Record the scheduler; show which tasks waited for a CPU" },
	{ "script", cmd_script, "Print the samples of a recording, one by one" },
	{ "stat",   cmd_stat,   "Run a command and count its events" },
	{ "top",    cmd_top,    "Show where the machine spends its time now" },
	{ "trace",  cmd_trace,  "Show the system calls of a command, of tasks or of the machine" },
	{ "version", cmd_version, "Print the version, and what is built in" },
};

/* Commands of the kernel's perf that this tool lacks, and their replacements. */
static const struct {
	const char *name;
	const char *instead;
} absent_commands[] = {
	{ "bench", "it measures the machine, not a program; use a benchmark, and 'perf stat'" },
	{ "c2c",
	  "record with 'perf record -d'; 'perf script -F ip,sym,addr,data_src' has the accesses" },
	{ "daemon", "use 'perf record --overwrite --snapshot-on', or a service of systemd" },
	{ "data", "'perf export' writes the forms of other programs" },
	{ "ftrace", "use 'perf trace', 'perf sched', or tracefs (trace-cmd)" },
	{ "inject", "build-ids are in the recording, and code of jitdumps is read from it" },
	{ "iostat", "use 'perf stat -a -e' with the events of the uncore PMU" },
	{ "kallsyms", "use grep on /proc/kallsyms" },
	{ "kmem", "use 'perf record -e kmem:*' and 'perf report --sort trace'" },
	{ "kvm", "record inside the guest, or use 'perf record -e kvm:*'" },
	{ "kwork", "use 'perf record -e irq:*,workqueue:*' and 'perf script'" },
	{ "mem",
	  "use 'perf record -d' with a memory event, and 'perf script -F addr,data_src,weight'" },
	{ "test", "'make -C tools/perf test' tests this tool" },
	{ "timechart", "use 'perf sched timehist' or 'perf sched map'" },
};

static void print_usage(FILE *out)
{
	size_t i;

	fputs("\n usage: perf [--version] [--help] [--no-pager] COMMAND [ARGS]\n\n The commands are:\n",
	      out);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "   %-12s %s\n", commands[i].name, commands[i].what);
	fputs("\n See 'perf COMMAND --help' for the options of a command.\n\n", out);
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

static int refuse_command(const char *name)
{
	const char *nearest = NULL, *instead = NULL;
	size_t best = 0, rank, i;
	char *safe;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		rank = name_is_near(name, commands[i].name);
		if (rank && (!best || rank < best)) {
			best = rank;
			nearest = commands[i].name;
		}
	}
	safe = escape_name(name);
	for (i = 0; i < ARRAY_SIZE(absent_commands); i++) {
		if (!strcmp(name, absent_commands[i].name))
			instead = absent_commands[i].instead;
	}
	if (instead)
		fprintf(stderr, "perf: there is no 'perf %s' here: %s\n", safe, instead);
	else if (nearest)
		fprintf(stderr, "perf: '%s' is not a perf command; did you mean '%s'?\n",
			safe, nearest);
	else
		fprintf(stderr, "perf: '%s' is not a perf command; see 'perf --help'.\n", safe);
	free(safe);
	return EXIT_FAILED;
}

/* True after end_output(). */
static bool output_ended;

/* Write the rest of the output. Return: @status, or EXIT_FAILED if a part could not be written. */
static int end_output(int status)
{
	bool failed = ferror(stdout);

	output_ended = true;
	errno = 0;
	if (!fflush(stdout) && !failed)
		return status;
	/* The errno of an earlier write is lost. Another write fails for the same reason. */
	if (!errno) {
		clearerr(stdout);
		fputc('\n', stdout);
		fflush(stdout);
	}
	fprintf(stderr, "perf: cannot write to the standard output%s%s\n", errno ? ": " : "",
		errno ? strerror(errno) : "");
	return EXIT_FAILED;
}

/* End the output of a command that argp ended, with the help of its options. */
static void end_help(void)
{
	if (!output_ended && end_output(0))
		_exit(EXIT_FAILED);
}

/* Run a command. argp takes the program's name from argv[0], so let that be "perf COMMAND". */
static int run_command(const struct command *command, int argc, char **argv)
{
	char *name = xasprintf("perf %s", command->name);
	int status;

	argv[0] = name;
	argp_err_exit_status = EXIT_USAGE;
	status = end_output(command->run(argc, argv));
	free(name);
	return status;
}

/* Run "perf help stat" as "perf stat --help". */
static int run_help(int argc, char **argv)
{
	char help[] = "--help";
	const struct command *command;

	if (argc < 2) {
		print_usage(stdout);
		return end_output(0);
	}
	command = find_command(argv[1]);
	if (!command)
		return refuse_command(argv[1]);
	argv[1] = help;
	return run_command(command, 2, argv);
}

/* Return true if @arg is the option @name or @name=VALUE; @value receives VALUE or NULL. */
static bool is_option(const char *arg, const char *name, const char **value)
{
	size_t length = strlen(name);

	if (strncmp(arg, name, length) || (arg[length] && arg[length] != '='))
		return false;
	*value = arg[length] ? arg + length + 1 : NULL;
	return true;
}

/*
 * Take an option of the kernel's perf before the command. Return: the index after it, or 0 if the
 * argument at @at is not such an option.
 */
static int take_option(int at, int argc, char **argv)
{
	static const char *const with_value[] = { "--buildid-dir", "--debugfs-dir", "--debug" };
	const char *value;
	size_t i;

	if (!strcmp(argv[at], "--no-pager")) {
		setenv("PERF_PAGER", "", 1);
		return at + 1;
	}
	if (!strcmp(argv[at], "-p") || !strcmp(argv[at], "--paginate") ||
	    is_option(argv[at], "--exec-path", &value))
		return at + 1;
	for (i = 0; i < ARRAY_SIZE(with_value); i++) {
		if (!is_option(argv[at], with_value[i], &value))
			continue;
		at += value ? 1 : 2;
		if (at > argc)
			return 0;
		if (!i)
			file_cache_use(value ?: argv[at - 1]);
		return at;
	}
	return 0;
}

/* Run a command by its name, with the arguments after it. */
static int run_named(int argc, char **argv)
{
	const struct command *command = find_command(argv[0]);

	return command ? run_command(command, argc, argv) : refuse_command(argv[0]);
}

/* Run "perf -v", "-vv" and "--version" as "perf version". */
static int run_version(int argc, char **argv)
{
	char version[] = "version", all[] = "-v";

	if (!strcmp(argv[0], "-vv") && argc == 1)
		return run_named(2, (char *[]){ version, all, NULL });
	argv[0] = version;
	return run_named(argc, argv);
}

int main(int argc, char **argv)
{
	int at = 1, next;

	while (at < argc && (next = take_option(at, argc, argv)))
		at = next;
	atexit(end_help);
	if (at >= argc) {
		print_usage(stderr);
		return EXIT_FAILED;
	}
	argc -= at;
	argv += at;
	if (!strcmp(argv[0], "--version") || !strcmp(argv[0], "-v") || !strcmp(argv[0], "-vv"))
		return run_version(argc, argv);
	if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h")) {
		print_usage(stdout);
		return end_output(0);
	}
	if (!strcmp(argv[0], "help"))
		return run_help(argc, argv);
	if (argv[0][0] == '-') {
		fputs("perf: unknown option '", stderr);
		fput_name(argv[0], stderr);
		fputs("'; see 'perf --help'.\n", stderr);
		return EXIT_USAGE;
	}
	return run_named(argc, argv);
}
