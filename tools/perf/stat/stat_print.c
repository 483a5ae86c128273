// SPDX-License-Identifier: GPL-2.0
/*
 * Prints counts as a table, as CSV and as JSON lines. Columns,
 * fields and keys are those of perf stat since Linux 6.1, because scripts
 * parse them.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "stat_print.h"

#define NS_PER_SEC 1000000000ULL

const char *stat_state_text(enum stat_state state)
{
	return state == STAT_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}

static const char *unit_of(const struct event *event)
{
	if (event_is_in_ns(event))
		return "msec";
	return event->unit ? event->unit : "";
}

/* Return the value to print: times in ms, counts of a PMU's own event in the unit of the event. */
static double value_in_unit(const struct stat_row *row)
{
	if (event_is_in_ns(row->event))
		return row->value / 1e6;
	return row->event->scale > 0 ? row->value * row->event->scale : row->value;
}

/*
 * Return the number of digits after the decimal point. Counts are whole numbers; times and scaled
 * values are not.
 */
static int digits_of_value(const struct event *event)
{
	return event_is_in_ns(event) || (event->scale > 0 && event->scale != 1) ? 2 : 0;
}

static double percent_running(const struct count *times)
{
	return times->enabled ? 100.0 * times->running / times->enabled : 100;
}

static void format_interval(char text[32], uint64_t ns)
{
	snprintf(text, 32, "%6llu.%09llu", ns / NS_PER_SEC, ns % NS_PER_SEC);
}

void stat_print_head(const struct stat_style *style, const char *what)
{
	if (style->format != STAT_TABLE)
		return;
	fputs("\n Performance counter stats for ", style->out);
	fput_name(what, style->out);
	if (style->runs > 1)
		fprintf(style->out, " (%u runs)", style->runs);
	fputs(":\n\n", style->out);
}

/* The key of the parts of each kind, and the widths of their names and numbers of counters. */
static const struct part_style {
	const char *key;
	int width;
	int nr_width;
} part_styles[] = {
	[PLACE_CORE]   = { "core", 16, 6 },
	[PLACE_DIE]    = { "die", 12, 4 },
	[PLACE_SOCKET] = { "socket", 6, 4 },
	[PLACE_NODE]   = { "node", 6, 4 },
};

void stat_print_interval_head(const struct stat_style *style, enum stat_places places)
{
	static const char *const heads[] = {
		[PLACE_ALL]    = "#           time             counts unit events\n",
		[PLACE_CPU]    = "#           time CPU                    counts unit events\n",
		[PLACE_THREAD] =
		"#           time comm-tid                              counts unit events\n",
	};

	if (style->format != STAT_TABLE)
		return;
	if (places < PLACE_CORE)
		fputs(heads[places], style->out);
	else
		fprintf(style->out, "#           time %-*s %*s             counts unit events\n",
			part_styles[places].width, part_styles[places].key,
			part_styles[places].nr_width, "ctrs");
}

/* A line of text. Trailing blanks are not printed. */
struct line {
	char text[512];
	size_t used;
};

static void line_add(struct line *line, const char *fmt, ...) __printf(2, 3);

static void line_add(struct line *line, const char *fmt, ...)
{
	size_t room = sizeof(line->text) - line->used;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line->text + line->used, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		line->used += (size_t)n < room ? (size_t)n : room - 1;
}

static void line_print(struct line *line, FILE *out)
{
	while (line->used && line->text[line->used - 1] == ' ')
		line->used--;
	line->text[line->used] = '\0';
	fprintf(out, "%s\n", line->text);
}

static void add_table_number(struct line *line, const struct stat_style *style,
			     const struct stat_row *row)
{
	double value = value_in_unit(row);
	int digits = digits_of_value(row->event);

	if (row->state != STAT_COUNTED)
		line_add(line, "%18s", stat_state_text(row->state));
	else if (style->big_num)
		line_add(line, "%'18.*f", digits, value);
	else
		line_add(line, "%18.*f", digits, value);
}

/* Return the name of an event's control group; empty without one. */
static const char *cgroup_of(const struct event *event)
{
	return event->cgroup ? event->cgroup->name : "";
}

static void print_table_row(const struct stat_style *style, const struct stat_row *row)
{
	struct line line = { .used = 0 };
	char interval[32];

	if (row->interval) {
		format_interval(interval, row->interval);
		line_add(&line, "%s ", interval);
	}
	if (row->cpu >= 0)
		line_add(&line, "CPU%-7d ", row->cpu);
	if (row->task)
		line_add(&line, "%-25s ", row->task);
	if (row->part)
		line_add(&line, "%-*s %*u ", part_styles[row->places].width, row->part,
			 part_styles[row->places].nr_width, row->nr_counters);
	add_table_number(&line, style, row);
	line_add(&line, " %-4s %-32s", unit_of(row->event), row->event->name);
	if (style->cgroups)
		line_add(&line, " %-16s", cgroup_of(row->event));
	if (row->metric.instead)
		line_add(&line, " # %8s %-23s", row->metric.instead, row->metric.unit);
	else if (row->state == STAT_COUNTED && row->metric.unit && row->metric.percent)
		line_add(&line, " # %7.*f%% %-23s", row->metric.digits, row->metric.value,
			 row->metric.unit);
	else if (row->state == STAT_COUNTED && row->metric.unit)
		line_add(&line, " # %8.*f %-23s", row->metric.digits, row->metric.value,
			 row->metric.unit);
	else
		line_add(&line, "%35s", "");
	if (row->state == STAT_COUNTED && row->noise)
		line_add(&line, "  ( +-%6.2f%% )", row->noise);
	if (row->state != STAT_NOT_SUPPORTED && row->times.running < row->times.enabled)
		line_add(&line, "  (%.2f%%)", percent_running(&row->times));
	line_print(&line, style->out);
}

/* Print a name. A separator in the name is replaced by a period. */
static void print_csv_name(const struct stat_style *style, const char *name)
{
	size_t length = strlen(style->separator);
	const char *found;

	while (length && (found = strstr(name, style->separator))) {
		fprintf(style->out, "%.*s.", (int)(found - name), name);
		name = found + length;
	}
	fputs(name, style->out);
}

static void print_csv_row(const struct stat_style *style, const struct stat_row *row)
{
	const char *sep = style->separator;
	char interval[32];
	FILE *out = style->out;

	if (row->interval) {
		format_interval(interval, row->interval);
		fprintf(out, "%s%s", interval, sep);
	}
	if (row->summary)
		fprintf(out, "summary%s", sep);
	if (row->cpu >= 0)
		fprintf(out, "CPU%d%s", row->cpu, sep);
	if (row->part)
		fprintf(out, "%s%s%u%s", row->part, sep, row->nr_counters, sep);
	if (row->task) {
		print_csv_name(style, row->task);
		fputs(sep, out);
	}
	if (row->state == STAT_COUNTED)
		fprintf(out, "%.*f", digits_of_value(row->event), value_in_unit(row));
	else
		fputs(stat_state_text(row->state), out);
	fprintf(out, "%s%s%s%s%s", sep, unit_of(row->event), sep, row->event->name, sep);
	if (style->cgroups) {
		print_csv_name(style, cgroup_of(row->event));
		fputs(sep, out);
	}
	if (style->runs > 1)
		fprintf(out, "%.2f%%%s", row->noise, sep);
	fprintf(out, "%llu%s%.2f%s", (unsigned long long)row->times.running, sep,
		percent_running(&row->times), sep);
	if (row->metric.instead)
		fprintf(out, "%s%s%s\n", row->metric.instead, sep, row->metric.unit);
	else if (row->state == STAT_COUNTED && row->metric.unit)
		fprintf(out, "%.*f%s%s%s\n", row->metric.digits, row->metric.value, sep,
			row->metric.percent ? "% " : "",
			row->metric.unit + strspn(row->metric.unit, " "));
	else
		fprintf(out, "%s\n", sep);
}

/* Print a row as a JSON object. */
static void print_json_row(const struct stat_style *style, const struct stat_row *row)
{
	bool metric = row->state == STAT_COUNTED && row->metric.unit;
	FILE *out = style->out;

	fputc('{', out);
	if (row->interval)
		fprintf(out, "\"interval\" : %llu.%09llu, ", row->interval / NS_PER_SEC,
			row->interval % NS_PER_SEC);
	if (row->cpu >= 0)
		fprintf(out, "\"cpu\" : \"%d\", ", row->cpu);
	if (row->part)
		fprintf(out, "\"%s\" : \"%s\", \"counters\" : %u, ",
			part_styles[row->places].key, row->part, row->nr_counters);
	if (row->task) {
		fputs("\"thread\" : ", out);
		json_print_string(out, row->task);
		fputs(", ", out);
	}
	if (row->state == STAT_COUNTED)
		fprintf(out, "\"counter-value\" : \"%f\", ", value_in_unit(row));
	else
		fprintf(out, "\"counter-value\" : \"%s\", ", stat_state_text(row->state));
	fprintf(out, "\"unit\" : \"%s\", \"event\" : ", unit_of(row->event));
	json_print_string(out, row->event->name);
	if (style->cgroups) {
		fputs(", \"cgroup\" : ", out);
		json_print_string(out, cgroup_of(row->event));
	}
	if (style->runs > 1)
		fprintf(out, ", \"variance\" : %.2f", row->noise);
	fprintf(out, ", \"event-runtime\" : %llu, \"pcnt-running\" : %.2f",
		(unsigned long long)row->times.running, percent_running(&row->times));
	if (row->metric.instead)
		fprintf(out, ", \"metric-value\" : \"%s\"", row->metric.instead);
	else
		fprintf(out, ", \"metric-value\" : %f", metric ? row->metric.value : 0);
	metric |= !!row->metric.instead;
	fprintf(out, ", \"metric-unit\" : \"%s%s\"}\n",
		metric && row->metric.percent ? "% " : "",
		metric ? row->metric.unit + strspn(row->metric.unit, " ") : "");
}

void stat_print_row(const struct stat_style *style, const struct stat_row *row)
{
	switch (style->format) {
	case STAT_TABLE:
		print_table_row(style, row);
		break;
	case STAT_CSV:
		print_csv_row(style, row);
		break;
	case STAT_JSON:
		print_json_row(style, row);
		break;
	}
}

void stat_print_note(const struct stat_style *style, const char *note)
{
	if (style->format == STAT_TABLE)
		fprintf(style->out, " %s\n\n", note);
	else
		warn("%s", note);
}

/*
 * Return how many digits after the decimal point show three digits of the spread, but not less than
 * 1 ns.
 */
static int digits_of(double spread)
{
	int digits = spread > 0 ? 2 - (int)floor(log10(spread)) : 9;

	if (digits < 0)
		return 0;
	return digits > 9 ? 9 : digits;
}

void stat_print_times(const struct stat_style *style, const struct spread *elapsed, double user,
		      double system)
{
	double spread = spread_of_mean(elapsed);
	int digits = digits_of(spread);
	FILE *out = style->out;

	if (style->format != STAT_TABLE)
		return;
	if (style->runs > 1) {
		fprintf(out, "\n %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n\n", digits,
			elapsed->mean, digits, spread, spread_percent(elapsed));
		return;
	}
	fprintf(out, "\n %17.9f seconds time elapsed\n\n", elapsed->mean);
	if (user >= 0)
		fprintf(out, " %17.9f seconds user\n %17.9f seconds sys\n\n", user, system);
	fputc('\n', out);
}
