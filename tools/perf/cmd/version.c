// SPDX-License-Identifier: GPL-2.0
/* perf version: the version, and the libraries that are built in. */
#include <argp.h>
#include <stdio.h>

#include "util/util.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"

/* The names are those of the kernel's perf version --build-options. */
static const struct {
	const char *name;
	const char *macro;
	bool built_in;
} build_options[] = {
	{ "dwarf", "HAVE_LIBDW_SUPPORT", true },
	{ "dwarf-unwind-support", "HAVE_DWARF_UNWIND_SUPPORT", true },
	{ "libelf", "HAVE_LIBELF_SUPPORT", true },
	{ "libdw-dwarf-unwind", "HAVE_LIBDW_SUPPORT", true },
	{ "libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", true },
	{ "libpfm4", "HAVE_LIBPFM", true },
	{ "libtraceevent", "HAVE_LIBTRACEEVENT", true },
	{ "libseccomp", "HAVE_LIBSECCOMP", true },
	{ "zstd", "HAVE_ZSTD_SUPPORT", true },
	{ "debuginfod", "HAVE_DEBUGINFOD_SUPPORT", true },
	{ "libbpf", "HAVE_LIBBPF_SUPPORT", false },
	{ "bpf_skeletons", "HAVE_BPF_SKEL", false },
	{ "libunwind", "HAVE_LIBUNWIND_SUPPORT", false },
	{ "libopencsd", "HAVE_CSTRACE_SUPPORT", false },
	{ "libperl", "HAVE_LIBPERL_SUPPORT", false },
	{ "libpython", "HAVE_LIBPYTHON_SUPPORT", false },
	{ "aio", "HAVE_AIO_SUPPORT", false },
};

static void print_build_options(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(build_options); i++)
		printf("%22s: [ %-3s ]  # %s\n", build_options[i].name,
		       build_options[i].built_in ? "on" : "OFF", build_options[i].macro);
}

enum { OPTION_BUILD_OPTIONS = 0x100 };

static const struct argp_option option_table[] = {
	{ "build-options", OPTION_BUILD_OPTIONS, NULL, 0, "Also list what is built in", 0 },
	{ "verbose", 'v', NULL, 0, "The same", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	bool *with_options = state->input;

	(void)arg;
	switch (key) {
	case OPTION_BUILD_OPTIONS:
	case 'v':
		*with_options = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/**
 * cmd_version - perf version
 * @argc: number of strings in @argv
 * @argv: "perf version" and its arguments
 *
 * Return: the exit status.
 */
int cmd_version(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &plain_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.doc = "Print the version of perf.",
		.children = children,
	};
	bool with_options = false;

	parse_arguments(&argp, argc, argv, 0, &with_options);
	puts("perf version " PERF_TOOL_VERSION);
	if (with_options)
		print_build_options();
	return 0;
}
