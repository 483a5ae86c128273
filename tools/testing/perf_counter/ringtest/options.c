// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of ringtest and ringsim, and the loop over modes and rounds.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "options.h"

static u64 parse_number(const char *arg, u64 from, u64 to, const char *name,
			struct argp_state *state)
{
	char *end;
	u64 value = strtoull(arg, &end, 0);

	if (end == arg || *end || *arg == '-' || value < from || value > to)
		argp_failure(state, 2, 0, "--%s is from %llu to %llu, not '%s'", name, from, to,
			     arg);
	return value;
}

static error_t option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;
	char names[512] = "", *end;
	unsigned int i;

	switch (key) {
	case 't':
		options->threads = parse_number(arg, 1, RINGTEST_CPUS, "threads", state);
		return 0;
	case 's':
		options->signals = parse_number(arg, 0, LEVELS - 1, "signals", state);
		return 0;
	case 'n':
		options->records = parse_number(arg, 1, 1ULL << 40, "records", state);
		return 0;
	case 'd':
		options->seconds = strtod(arg, &end);
		if (end == arg || *end || !(options->seconds > 0))
			argp_failure(state, 2, 0, "--seconds is a number above 0, not '%s'", arg);
		return 0;
	case 'S':
		options->seed = parse_number(arg, 0, -1ULL, "seed", state);
		return 0;
	case 'm':
		options->mode = mode_find(arg);
		if (options->mode)
			return 0;
		for (i = 0; i < nr_modes; i++) {
			strcat(names, " ");
			strcat(names, modes[i].name);
		}
		argp_failure(state, 2, 0, "there is no mode '%s', but:%s", arg, names);
		return 0;
	case ARGP_KEY_ARG:
		argp_failure(state, 2, 0, "what is '%s'? There are options only: --help", arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option argp_options[] = {
	{ "threads", 't', "N", 0, "Writers, at most", 0 },
	{ "signals", 's', "N", 0, "How deep interrupts nest, 0 to 3 (3)", 0 },
	{ "records", 'n', "N", 0, "Records to write, in all modes together", 0 },
	{ "seconds", 'd', "N", 0, "Seconds for each mode, instead of --records", 0 },
	{ "mode", 'm', "MODE", 0, "Only this one, of those below", 0 },
	{ "seed", 'S', "N", 0, "Where chance begins (0)", 0 },
	{}
};

/* Return the text of --help, which also lists the modes. */
static char *help(int key, const char *text, void *input)
{
	char *list = NULL;
	unsigned int i;
	size_t size;
	FILE *out;

	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	out = open_memstream(&list, &size);
	if (!out)
		return NULL;
	fputs("Modes:\n", out);
	for (i = 0; i < nr_modes; i++)
		fprintf(out, "  %-20s %s\n", modes[i].name, modes[i].what);
	fclose(out);
	return list;
}

/* Parse the command line. Exits with a message when the arguments are wrong. */
void options_parse(struct options *options, int argc, char **argv, const char *what)
{
	const struct argp argp = {
		.options = argp_options,
		.parser = option,
		.doc = what,
		.help_filter = help,
	};

	argp_parse(&argp, argc, argv, 0, NULL, options);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void mode_rounds(const struct options *options, struct torture *torture,
			const struct mode *mode,
			void (*round)(const struct mode *mode, u64 seed,
				      const struct options *options))
{
	u64 written = 0, lost = 0, inside[LEVELS] = {}, rounds = 0, seen = 0;
	u64 enough = options->mode ? options->records : options->records / nr_modes;
	double end = now() + options->seconds;
	unsigned int i;

	do {
		round(mode, options->seed + rounds, options);
		rounds++;
		for (i = 0; i < torture->nr_writers * LEVELS; i++) {
			written += torture->lanes[i].written;
			lost += torture->lanes[i].lost;
			inside[i % LEVELS] += torture->lanes[i].inside;
		}
		for (i = 0; i < torture->nr_rings; i++)
			seen += torture->rings[i].seen;
	} while (options->seconds ? now() < end : written + lost < enough);

	printf("%s: %llu rounds, %llu records written, %llu lost, %llu read; inside of others",
	       mode->name, rounds, written, lost, seen);
	for (i = 1; i < LEVELS; i++)
		printf("%s %llu", i > 1 ? "," : "", inside[i]);
	putchar('\n');
	fflush(stdout);
}

/*
 * Call @round with one seed after the other, in each mode, until enough is done; print a
 * line for each mode.
 */
void options_rounds(const struct options *options, struct torture *torture,
		    void (*round)(const struct mode *mode, u64 seed,
				  const struct options *options))
{
	unsigned int i;

	if (options->mode) {
		mode_rounds(options, torture, options->mode, round);
		return;
	}
	for (i = 0; i < nr_modes; i++)
		mode_rounds(options, torture, &modes[i], round);
}
