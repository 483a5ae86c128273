// SPDX-License-Identifier: GPL-2.0
/* perf: count, record and report. This file finds and runs the command. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "util/util.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
};

static const struct command commands[] = {
	{ "list",   cmd_list,   "List the events that this kernel can count" },
	{ "probe",  cmd_probe,  "Define events at places in a program or in the kernel" },
	{ "record", cmd_record, "Sample a command and record it to perf.data" },
	{ "report", cmd_report, "Show which code the samples of a recording hit" },
	{ "sched",  cmd_sched,  "Record the scheduler; show which tasks waited for a CPU" },
	{ "script", cmd_script, "Print the samples of a recording, one by one" },
	{ "stat",   cmd_stat,   "Run a command and count its events" },
	{ "top",    cmd_top,    "Show where the machine spends its time now" },
	{ "trace",  cmd_trace,  "Show the system calls of a command, of tasks or of the machine" },
};

static void print_usage(FILE *out)
{
	size_t i;

	fputs("\n usage: perf [--version] [--help] COMMAND [ARGS]\n\n The commands are:\n", out);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "   %-10s %s\n", commands[i].name, commands[i].what);
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
	const char *nearest = NULL;
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
	if (nearest)
		fprintf(stderr, "perf: '%s' is not a perf command; did you mean '%s'?\n",
			safe, nearest);
	else
		fprintf(stderr, "perf: '%s' is not a perf command; see 'perf --help'.\n", safe);
	free(safe);
	return EXIT_FAILED;
}

/* Run a command. argp takes the program's name from argv[0], so let that be "perf COMMAND". */
static int run_command(const struct command *command, int argc, char **argv)
{
	char *name = xasprintf("perf %s", command->name);
	int status;

	argv[0] = name;
	argp_err_exit_status = EXIT_USAGE;
	status = command->run(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		fputs("perf: cannot write to the standard output\n", stderr);
		status = EXIT_FAILED;
	}
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
		return 0;
	}
	command = find_command(argv[1]);
	if (!command)
		return refuse_command(argv[1]);
	argv[1] = help;
	return run_command(command, 2, argv);
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_usage(stderr);
		return EXIT_FAILED;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v") ||
	    !strcmp(argv[1], "version")) {
		puts("perf version " PERF_TOOL_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "help"))
		return run_help(argc - 1, argv + 1);
	if (argv[1][0] == '-') {
		fprintf(stderr, "perf: unknown option '%s'; see 'perf --help'.\n", argv[1]);
		return EXIT_USAGE;
	}
	command = find_command(argv[1]);
	if (!command)
		return refuse_command(argv[1]);
	return run_command(command, argc - 1, argv + 1);
}
