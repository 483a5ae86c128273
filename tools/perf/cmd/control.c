// SPDX-License-Identifier: GPL-2.0
/* Commands that another program sends to a measurement (--control). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "control.h"

/* A program that sends nonsense is told so many times. */
#define REFUSALS_SAID 10

/* Bytes of a command that a warning repeats. */
#define REPEATED 80

#define COMMANDS_TEXT "enable [EVENT], disable [EVENT], ping, snapshot, evlist [-v|-g|-F] and stop"

/* The parts of a round that a command may need. */
struct round {
	struct control *control;
	const struct counters *counters;
	const struct control_snapshot *snapshot;
	bool stop;
};

/**
 * struct command - a command
 * @name: first word
 * @has_argument: further words may follow
 * @run: carries it out; returns 0, or -1 with @err set if the measurement cannot go on
 */
struct command {
	const char *name;
	bool has_argument;
	int (*run)(struct round *r, const char *argument, struct error *err);
};

void control_parse(struct argp_state *state, struct control *c, const char *where)
{
	struct error err;
	int status;

	if (control_is_wanted(c))
		argp_error(state, "--control: it was given twice; give one");
	status = control_channel_open(&c->channel, where, &err);
	if (status)
		argp_failure(state, status, 0, "%s", err.text);
}

int control_watch(struct control *c, struct watch *watch, struct error *err)
{
	return control_channel_watch(&c->channel, watch, err);
}

/* Say why a command is refused; @remedy may be empty. */
static void refuse(struct control *c, const char *command, const char *why, const char *remedy)
{
	if (c->nr_refused++ < REFUSALS_SAID)
		warn("--control: '%.*s': %s%s", REPEATED, command, why, remedy);
	else if (c->nr_refused == REFUSALS_SAID + 1)
		warn("--control: further commands that are refused are not printed");
}

/*
 * Return true if a user may mean this event: perf appends ":u" where it may not count the kernel.
 */
static bool has_name(const struct event *event, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(event->name, name, length) &&
	       (!event->name[length] || !strcmp(event->name + length, ":u"));
}

static void refuse_name(struct control *c, const struct event_list *events, const char *name)
{
	struct suggestions near = { .typed = name };
	struct error remedy = { "" };
	size_t e;

	for (e = 0; e < events->nr; e++) {
		if (!events->events[e].early)
			suggestions_add(&near, events->events[e].name);
	}
	if (!suggestions_say(&near, &remedy))
		error_set(&remedy, "; the command 'evlist' prints the names");
	refuse(c, name, "no event of the measurement has this name", remedy.text);
}

/* Enable or disable one event, or all without a name. */
static void switch_events(struct round *r, const char *name, bool enable)
{
	const struct event_list *events = r->counters->events;
	struct error err = { "" };
	bool found = false;
	size_t e;

	if (!*name) {
		if (!enable)
			counters_disable(r->counters);
		else if (counters_enable(r->counters, &err))
			refuse(r->control, "enable", err.text, "");
		return;
	}
	for (e = 0; e < events->nr; e++) {
		if (events->events[e].early || !has_name(&events->events[e], name))
			continue;
		found = true;
		if (!enable)
			counters_disable_event(r->counters, e);
		else if (counters_enable_event(r->counters, e, &err))
			refuse(r->control, name, err.text, "");
	}
	if (!found)
		refuse_name(r->control, events, name);
}

static int run_enable(struct round *r, const char *argument, struct error *err)
{
	(void)err;
	switch_events(r, argument, true);
	return 0;
}

static int run_disable(struct round *r, const char *argument, struct error *err)
{
	(void)err;
	switch_events(r, argument, false);
	return 0;
}

static int run_ping(struct round *r, const char *argument, struct error *err)
{
	(void)r;
	(void)argument;
	(void)err;
	return 0;
}

static int run_snapshot(struct round *r, const char *argument, struct error *err)
{
	(void)argument;
	if (!r->snapshot->refusal)
		return r->snapshot->take(r->snapshot->context, err);
	refuse(r->control, "snapshot", r->snapshot->refusal, "");
	return 0;
}

static int run_stop(struct round *r, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	r->stop = true;
	return 0;
}

static void print_name(const struct event *event, const char *before)
{
	fputs(before, stderr);
	fput_name(event->name, stderr);
}

/* Print a group on one line, in braces. Return: the index of the next event. */
static size_t print_group(const struct event_list *events, size_t first)
{
	size_t e;

	for (e = first; e < events->nr && events->events[e].leader == first; e++)
		print_name(&events->events[e], e == first ? "{" : ",");
	fputs("}\n", stderr);
	return e;
}

/* Print how an event was opened, or how often it is sampled. */
static void print_event(const struct event *event, const char *option)
{
	struct perf_event_attr attr = event->attr;

	print_name(event, "");
	if (!strcmp(option, "-v")) {
		attr.size = sizeof(attr);
		attr_clear_extensions(&attr);
		fputs(": ", stderr);
		attr_print(stderr, &attr);
	} else if (!strcmp(option, "-F")) {
		fprintf(stderr, ": %s=%" PRIu64, attr.freq ? "sample_freq" : "sample_period",
			(uint64_t)attr.sample_freq);
	}
	fputc('\n', stderr);
}

static int run_evlist(struct round *r, const char *argument, struct error *err)
{
	const struct event_list *events = r->counters->events;
	size_t e = 0;

	(void)err;
	if (*argument && strcmp(argument, "-v") && strcmp(argument, "-g") &&
	    strcmp(argument, "-F")) {
		refuse(r->control, argument, "no option of evlist", "; give -v, -g or -F");
		return 0;
	}
	while (e < events->nr) {
		if (!strcmp(argument, "-g") && e + 1 < events->nr &&
		    events->events[e + 1].leader == e)
			e = print_group(events, e);
		else
			print_event(&events->events[e++], argument);
	}
	return 0;
}

static const struct command commands[] = {
	{ "enable", true, run_enable },
	{ "disable", true, run_disable },
	{ "ping", false, run_ping },
	{ "snapshot", false, run_snapshot },
	{ "evlist", true, run_evlist },
	{ "stop", false, run_stop },
};

/*
 * Find a command by its first word. Return: the command, with its argument in @argument; or NULL.
 */
static const struct command *find_command(const char *line, const char **argument)
{
	size_t length = strcspn(line, " \t"), i;

	*argument = line + length + strspn(line + length, " \t");
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strlen(commands[i].name) == length &&
		    !strncmp(commands[i].name, line, length) &&
		    (commands[i].has_argument || !**argument))
			return &commands[i];
	}
	return NULL;
}

static int run_line(struct round *r, const char *line, struct error *err)
{
	const char *argument;
	const struct command *command = find_command(line, &argument);

	if (!command) {
		refuse(r->control, line, "unknown command", "; there are " COMMANDS_TEXT);
		return 0;
	}
	if (command->run(r, argument, err))
		return -1;
	control_channel_ack(&r->control->channel);
	return 0;
}

/*
 * Carry out a command that its writer did not end, as programs for the kernel's perf may leave it.
 * What could be the beginning of a command stays until its end comes.
 */
static int run_rest(struct round *r, struct error *err)
{
	struct control_channel *ch = &r->control->channel;
	const char *argument;

	if (!ch->used || ch->skipping)
		return 0;
	ch->text[ch->used] = '\0';
	if (!find_command(ch->text, &argument))
		return 0;
	control_channel_take_rest(ch);
	return run_line(r, ch->text, err);
}

int control_round(struct control *c, const struct counters *counters, struct watch *watch,
		  const struct control_snapshot *snapshot, struct error *err)
{
	struct round r = { .control = c, .counters = counters, .snapshot = snapshot };
	char line[CONTROL_LINE_MAX + 1];
	bool drained;

	if (!control_is_wanted(c))
		return 0;
	drained = control_channel_read(&c->channel, watch);
	while (control_channel_next(&c->channel, line, sizeof(line))) {
		if (run_line(&r, line, err))
			return -1;
	}
	if (drained && run_rest(&r, err))
		return -1;
	return r.stop;
}

void control_free(struct control *c)
{
	control_channel_close(&c->channel);
}
