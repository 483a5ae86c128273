// SPDX-License-Identifier: GPL-2.0
/* Times at which the events of a measurement are enabled and disabled (-D). */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "delay.h"

static void add_time(struct delay *d, unsigned int time)
{
	d->times = xreallocarray(d->times, d->nr + 1, sizeof(*d->times));
	d->times[d->nr++] = time;
}

/* Parse a time that is later than the last one. Return: the end of the number, or NULL. */
static const char *parse_time(struct delay *d, const char *text)
{
	unsigned long time;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	time = strtoul(text, &end, 10);
	if (errno || time > INT_MAX || (d->nr && time <= d->times[d->nr - 1]))
		return NULL;
	add_time(d, time);
	return end;
}

/* Parse "START-END,START-END". Return: true if @text is such a list. */
static bool parse_ranges(struct delay *d, const char *text)
{
	do {
		text = parse_time(d, text + (*text == ','));
		if (!text || *text != '-')
			return false;
		text = parse_time(d, text + 1);
	} while (text && *text == ',');
	return text && !*text;
}

void delay_parse(struct argp_state *state, struct delay *d, const char *text)
{
	const char *end;

	d->off = !strcmp(text, "-1");
	if (d->off)
		return;
	end = parse_time(d, text);
	if (end && !*end)
		return;
	d->nr = 0;
	if (!parse_ranges(d, text))
		argp_error(state,
			   "-D: '%s' is neither a number of ms, ascending ranges such as 10-20,30-40, nor -1",
			   text);
}

void delay_prepare(const struct delay *d, struct event_list *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++)
		events->events[i].delayed = delay_is_wanted(d) && !events->events[i].early;
}

/* Let the watch tick after @ms; 0 is as short as can be. */
static int wait_ms(struct watch *watch, unsigned int ms, struct error *err)
{
	return watch_interval(watch, ms ? ms : 1, err);
}

int delay_start(struct delay *d, struct watch *watch, struct error *err)
{
	return d->nr ? wait_ms(watch, d->times[0], err) : 0;
}

int delay_tick(struct delay *d, const struct counters *counters, struct watch *watch,
	       struct error *err)
{
	if (delay_is_over(d))
		return 0;
	if (d->next % 2)
		counters_disable(counters);
	else if (counters_enable(counters, err))
		return -1;
	d->next++;
	if (delay_is_over(d))
		return watch_interval(watch, 0, err);
	return wait_ms(watch, d->times[d->next] - d->times[d->next - 1], err);
}

void delay_free(struct delay *d)
{
	free(d->times);
}
