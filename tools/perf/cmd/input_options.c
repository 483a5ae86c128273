// SPDX-License-Identifier: GPL-2.0
/* The options of every command that reads a recording. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/symbol.h"
#include "input_options.h"

enum {
	OPTION_KALLSYMS = 0x1000,
	OPTION_COMM,
	OPTION_DEBUGINFOD,
	OPTION_STITCH_LBR,
	OPTION_SYMFS,
	OPTION_INLINE,
	OPTION_NO_INLINE,
	OPTION_FULL_SOURCE_PATH,
};

static const struct argp_option input_option_table[] = {
	{ "input", 'i', "FILE", 0,
	  "Read FILE (the standard input if it is a pipe, else perf.data); - is standard input",
	  0 },
	{ "vmlinux", 'k', "FILE", 0, "vmlinux of the recorded kernel, for its symbols", 0 },
	{ "kallsyms", OPTION_KALLSYMS, "FILE", 0,
	  "Copy of the recorded kernel's /proc/kallsyms, for its symbols", 0 },
	{ "symfs", OPTION_SYMFS, "DIRECTORY", 0,
	  "Programs, libraries and modules of the recorded machine are below DIRECTORY", 0 },
	{ "debuginfod", OPTION_DEBUGINFOD, "URLS", OPTION_ARG_OPTIONAL,
	  "Get debug files from these servers, or those of $DEBUGINFOD_URLS", 0 },
	{ "comms", 'c', "NAME[,NAME...]", 0, "Only samples of these commands", 0 },
	{ "comm", OPTION_COMM, "NAME[,NAME...]", OPTION_HIDDEN, NULL, 0 },
	{ "stitch-lbr", OPTION_STITCH_LBR, NULL, 0,
	  "Guess callers beyond the room of --call-graph lbr from the previous sample", 0 },
	{ "inline", OPTION_INLINE, NULL, 0,
	  "Show inlined functions in call chains (always done without --no-inline)", 0 },
	{ "no-inline", OPTION_NO_INLINE, NULL, 0, "Leave inlined functions out of call chains", 0 },
	{ "full-source-path", OPTION_FULL_SOURCE_PATH, NULL, 0,
	  "Show source files with their directories", 0 },
	{ "dump-raw-trace", 'D', NULL, 0, "Print every record of the file, and its bytes", 0 },
	{ "force", 'f', NULL, 0, "Also read a recording of another user (always done)", 0 },
	{ "verbose", 'v', NULL, 0, "Print more details", 0 },
	{ 0 }
};

/* Look for all files of the recorded machine below @root. The path is never freed. */
static void use_symfs(struct argp_state *state, struct symbol_sources *sources, const char *root)
{
	struct stat st;

	if (stat(root, &st))
		argp_failure(state, EXIT_USAGE, errno, "--symfs: %s", root);
	if (!S_ISDIR(st.st_mode))
		argp_failure(state, EXIT_USAGE, 0, "--symfs: %s is not a directory", root);
	sources->symfs = root;
	sources->modules = xasprintf("%s/lib/modules", root);
	debug_file_use_root(root);
}

static error_t parse_input_option(int key, char *arg, struct argp_state *state)
{
	struct input_options *options = state->input;

	switch (key) {
	case 'i':
		options->path = arg;
		return 0;
	case 'k':
		options->sources.vmlinux = arg;
		return 0;
	case OPTION_KALLSYMS:
		options->sources.kallsyms = arg;
		return 0;
	case OPTION_SYMFS:
		use_symfs(state, &options->sources, arg);
		return 0;
	case OPTION_DEBUGINFOD:
		if (arg)
			setenv("DEBUGINFOD_URLS", arg, 1);
		debuginfod_use();
		return 0;
	case 'c':
	case OPTION_COMM:
		options->comms = arg;
		return 0;
	case OPTION_STITCH_LBR:
		options->stitch = true;
		return 0;
	case OPTION_INLINE:
		options->no_inline = false;
		return 0;
	case OPTION_NO_INLINE:
		options->no_inline = true;
		return 0;
	case OPTION_FULL_SOURCE_PATH:
		source_show_paths();
		return 0;
	case 'D':
		options->dump = true;
		return 0;
	case 'f':
		return 0;
	case 'v':
		options->verbose++;
		return 0;
	case ARGP_KEY_ARG:
		if (options->path)
			argp_error(state, "unexpected '%s'; there is one recording, %s", arg,
				   options->path);
		options->path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp input_argp = {
	.options = input_option_table,
	.parser = parse_input_option,
	.args_doc = "[FILE]",
};

/* Return true if another program writes to the standard input, as in "cat FILE | perf report". */
static bool stdin_is_pipe(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode);
}

/**
 * input_open - open the recording that the options name
 * @session: session to open
 * @options: options; a missing path becomes "-" if the standard input is a pipe, otherwise
 *	"perf.data"
 *
 * Return: 0, or EXIT_FAILED after an error message.
 */
int input_open(struct session *session, struct input_options *options)
{
	bool chosen = options->path;
	struct error err;

	if (!chosen)
		options->path = stdin_is_pipe() ? "-" : "perf.data";
	options->sources.data_path = options->path;
	if (session_open(session, options->path, &options->sources, &err)) {
		complain("%s%s", err.text, chosen || strcmp(options->path, "-") ? "" :
			 "; the standard input is a pipe, so it was read: for a file, use -i FILE");
		return EXIT_FAILED;
	}
	session->machine.stitch_calls = options->stitch;
	session->machine.with_inlined = !options->no_inline;
	return 0;
}
