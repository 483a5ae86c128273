// SPDX-License-Identifier: GPL-2.0
/* The options of every command that measures: the target of the measurement. */
#include "target_options.h"

static const struct argp_option target_option_table[] = {
	{ "pid", 'p', "PID", 0, "Measure processes, with all their threads", 0 },
	{ "tid", 't', "TID", 0, "Measure threads", 0 },
	{ "all-cpus", 'a', NULL, 0, "Measure everything on all CPUs", 0 },
	{ "cpu", 'C', "CPU", 0, "Measure everything on these CPUs: 0,2-3", 0 },
	{ "cgroup", 'G', "GROUP", 0,
	  "Measure only tasks of this control group, on all CPUs; a list has one per event", 0 },
	{ "no-inherit", 'i', NULL, 0, "Leave out the tasks that a task creates", 0 },
	{ 0 }
};

static void add_cgroups(struct target_options *o, const char *text)
{
	o->cgroups = xreallocarray(o->cgroups, o->nr_cgroups + 1, sizeof(*o->cgroups));
	o->cgroups[o->nr_cgroups++] =
		(struct cgroup_option){ text, o->events ? o->events->nr : 0 };
}

static error_t parse_target_option(int key, char *arg, struct argp_state *state)
{
	struct target_options *options = state->input;

	switch (key) {
	case 'p':
		options->pids = arg;
		return 0;
	case 't':
		options->tids = arg;
		return 0;
	case 'a':
		options->all_cpus = true;
		return 0;
	case 'C':
		options->cpus = arg;
		return 0;
	case 'G':
		add_cgroups(options, arg);
		return 0;
	case 'i':
		options->no_inherit = true;
		return 0;
	case ARGP_KEY_ARG:
		/* The first argument is the command; options after it belong to the command. */
		options->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp target_argp = {
	.options = target_option_table,
	.parser = parse_target_option,
	.args_doc = "[COMMAND [ARG...]]",
};
