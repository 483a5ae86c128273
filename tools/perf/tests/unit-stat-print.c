// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of perf stat in every format, from counts whose metrics were computed by hand.
 */
#include <stdlib.h>

#include "stat/stat_print.h"
#include "unit.h"

static struct event_list events;

enum {
	TASK_CLOCK, FAULTS, CYCLES, INSTRUCTIONS, BRANCHES, BRANCH_MISSES, CACHE_REFERENCES,
	CACHE_MISSES, L1_LOADS, L1_MISSES, USER_CYCLES, USER_INSTRUCTIONS,
};

/*
 * 2 s of CPU time in 4 s; 3000 faults, 6e9 cycles, 9e9 instructions, 1e9 branches with 25e6
 * misses, 4e6 cache references with 1e6 misses, 8e8 loads with 2e7 misses. In user mode 4e9
 * cycles and 8e9 instructions.
 */
static const double counts[] = {
	2e9, 3000, 6e9, 9e9, 1e9, 25e6, 4e6, 1e6, 8e8, 2e7, 4e9, 8e9,
};

static struct metric_base base_of(size_t of)
{
	struct metric_base base = { .wall = 4e9 };
	size_t i;

	for (i = 0; i < events.nr; i++)
		metric_base_add(&base, &events.events[of], &events.events[i], counts[i]);
	return base;
}

static struct stat_row row_of(size_t event)
{
	struct metric_base base = base_of(event);

	return (struct stat_row){
		.event = &events.events[event],
		.state = STAT_COUNTED,
		.value = counts[event],
		.times = { counts[event], 2000000000, 2000000000 },
		.metric = metric_of(&base, &events.events[event], counts[event]),
		.cpu = -1,
	};
}

static char *printed;
static size_t printed_size;

static struct stat_style style_of(enum stat_format format)
{
	return (struct stat_style){
		.out = open_memstream(&printed, &printed_size),
		.format = format,
		.separator = ",",
		.runs = 1,
	};
}

static void check_printed(struct stat_style *style, const char *expected, const char *what)
{
	fclose(style->out);
	check_string(printed, expected, what);
	free(printed);
}

static void check_row(enum stat_format format, const struct stat_row *row, const char *expected,
		      const char *what)
{
	struct stat_style style = style_of(format);

	stat_print_row(&style, row);
	check_printed(&style, expected, what);
}

static void check_metrics(void)
{
	struct metric_base base = base_of(CYCLES), none = { .wall = 4e9 };
	struct metric m;

	m = metric_of(&base, &events.events[TASK_CLOCK], 2e9);
	check_double(m.value, 0.5, "2 s in 4 s are half a CPU");
	check_string(m.unit, "CPUs utilized", "the unit of task-clock is right");
	m = metric_of(&base, &events.events[FAULTS], 3000);
	check_double(m.value, 1.5, "3000 in 2 s are 1.5 K/sec");
	check_string(m.unit, "K/sec", "the unit is right");
	m = metric_of(&base, &events.events[FAULTS], 1998);
	check_double(m.value, 999, "1998 in 2 s are 999 /sec");
	check_string(m.unit, "/sec", "the unit is right");
	m = metric_of(&base, &events.events[CYCLES], 6e9);
	check_double(m.value, 3, "6e9 cycles in 2 s are 3 GHz");
	check_string(m.unit, "GHz", "the unit is right");
	m = metric_of(&base, &events.events[INSTRUCTIONS], 9e9);
	check_double(m.value, 1.5, "9e9 instructions in 6e9 cycles are 1.5 per cycle");
	m = metric_of(&base, &events.events[BRANCHES], 1e9);
	check_double(m.value, 500, "1e9 branches in 2 s are 500 M/sec");
	check_string(m.unit, "M/sec", "the unit is right");
	m = metric_of(&base, &events.events[BRANCH_MISSES], 25e6);
	check_double(m.value, 2.5, "25e6 of 1e9 are 2.5 %");
	check(m.percent, "the unit states the percentage");
	m = metric_of(&base, &events.events[CACHE_MISSES], 1e6);
	check_double(m.value, 25, "1e6 of 4e6 are 25 %");
	check_string(m.unit, "of all cache refs", "the unit is right");
	m = metric_of(&base, &events.events[L1_MISSES], 2e7);
	check_double(m.value, 2.5, "2e7 of 8e8 are 2.5 %");
	check_string(m.unit, "of all L1-dcache accesses", "the unit is right");
	m = metric_of(&base, &events.events[L1_LOADS], 8e8);
	check_double(m.value, 400, "8e8 loads in 2 s are 400 M/sec");
	base = base_of(USER_INSTRUCTIONS);
	m = metric_of(&base, &events.events[USER_INSTRUCTIONS], 8e9);
	check_double(m.value, 2, "8e9 of user mode in 4e9 cycles of it are 2 per cycle");
	m = metric_of(&none, &events.events[FAULTS], 3000);
	check(!m.unit, "without a clock there is no rate");
}

static void check_table(void)
{
	struct stat_style style = style_of(STAT_TABLE);
	struct stat_row row = row_of(TASK_CLOCK), joules;
	struct event energy;

	check_row(STAT_TABLE, &row,
		  "           2000.00 msec task-clock                       #    0.500 CPUs utilized\n",
		  "a table shows a clock in ms");
	row = row_of(FAULTS);
	check_row(STAT_TABLE, &row,
		  "              3000      page-faults                      #    1.500 K/sec\n",
		  "a table shows a count and its rate");
	energy = *row.event;
	energy.name = "power/energy-pkg/";
	energy.unit = "Joules";
	energy.scale = 0.25;
	joules = row;
	joules.event = &energy;
	joules.value = 3001;
	joules.metric.unit = NULL;
	check_row(STAT_TABLE, &joules, "            750.25 Joules power/energy-pkg/\n",
		  "a table shows unit and scale of an event");
	check_row(STAT_CSV, &joules, "750.25,Joules,power/energy-pkg/,2000000000,100.00,,\n",
		  "CSV shows unit and scale of an event");
	row.noise = 1.234;
	check_row(STAT_TABLE, &row,
		  "              3000      page-faults                      #    1.500 K/sec                    ( +-  1.23% )\n",
		  "a table shows the spread");
	row.noise = 0;
	row.times.running = 500000000;
	check_row(STAT_TABLE, &row,
		  "              3000      page-faults                      #    1.500 K/sec                    (25.00%)\n",
		  "a table shows a multiplexed counter's percentage");
	row = row_of(BRANCH_MISSES);
	check_row(STAT_TABLE, &row,
		  "          25000000      branch-misses                    #    2.50% of all branches\n",
		  "table: a percentage");
	row = row_of(FAULTS);
	row.metric.unit = NULL;
	row.cpu = 3;
	check_row(STAT_TABLE, &row, "CPU3                     3000      page-faults\n",
		  "table: a CPU");
	row.cpu = -1;
	row.interval = 1002003004;
	check_row(STAT_TABLE, &row, "     1.002003004               3000      page-faults\n",
		  "a table shows an interval");
	row.interval = 0;
	row.state = STAT_NOT_SUPPORTED;
	check_row(STAT_TABLE, &row, "   <not supported>      page-faults\n",
		  "a table shows an unsupported event");
	row.state = STAT_NOT_COUNTED;
	row.times.running = 0;
	check_row(STAT_TABLE, &row,
		  "     <not counted>      page-faults                                                          (0.00%)\n",
		  "a table shows an event that was not counted");
	row.times.enabled = 0;
	check_row(STAT_TABLE, &row, "     <not counted>      page-faults\n", "table: not counted");

	stat_print_head(&style, "'a\033b'");
	check_printed(&style, "\n Performance counter stats for 'a\\x1bb':\n\n",
		      "the headline has no control characters");
}

static void check_csv(void)
{
	struct stat_row row = row_of(FAULTS);
	struct stat_style style;

	check_row(STAT_CSV, &row, "3000,,page-faults,2000000000,100.00,1.500,K/sec\n",
		  "CSV: a count");
	row.times.running = 500000000;
	check_row(STAT_CSV, &row, "3000,,page-faults,500000000,25.00,1.500,K/sec\n",
		  "CSV shows a multiplexed counter's percentage");
	row = row_of(TASK_CLOCK);
	check_row(STAT_CSV, &row, "2000.00,msec,task-clock,2000000000,100.00,0.500,CPUs utilized\n",
		  "CSV: a clock");
	row = row_of(BRANCH_MISSES);
	check_row(STAT_CSV, &row,
		  "25000000,,branch-misses,2000000000,100.00,2.50,% of all branches\n",
		  "CSV: a percentage");
	row = row_of(INSTRUCTIONS);
	check_row(STAT_CSV, &row,
		  "9000000000,,instructions,2000000000,100.00,1.50,insn per cycle\n",
		  "CSV shows instructions per cycle");
	row.state = STAT_NOT_SUPPORTED;
	row.times = (struct count){ 0 };
	check_row(STAT_CSV, &row, "<not supported>,,instructions,0,100.00,,\n",
		  "CSV shows an unsupported event");
	row = row_of(FAULTS);
	row.cpu = 0;
	row.interval = 5;
	check_row(STAT_CSV, &row,
		  "     0.000000005,CPU0,3000,,page-faults,2000000000,100.00,1.500,K/sec\n",
		  "CSV starts with the interval and the CPU");
	row.task = "a,b,-1";
	check_row(STAT_CSV, &row,
		  "     0.000000005,CPU0,a.b.-1,3000,,page-faults,2000000000,100.00,1.500,K/sec\n",
		  "a name with a separator adds no columns in CSV");
	row.task = NULL;
	style = style_of(STAT_CSV);
	style.runs = 2;
	row = row_of(FAULTS);
	row.noise = 0.5;
	stat_print_row(&style, &row);
	check_printed(&style, "3000,,page-faults,0.50%,2000000000,100.00,1.500,K/sec\n",
		      "CSV shows the spread of several runs");
}

static void check_json(void)
{
	struct stat_row row = row_of(FAULTS);

	check_row(STAT_JSON, &row,
		  "{\"counter-value\" : \"3000.000000\", \"unit\" : \"\", \"event\" : \"page-faults\", \"event-runtime\" : 2000000000, \"pcnt-running\" : 100.00, \"metric-value\" : 1.500000, \"metric-unit\" : \"K/sec\"}\n",
		  "JSON: a count");
	row.task = "a\"b\\c-1";
	row.interval = 1500000000;
	row.state = STAT_NOT_COUNTED;
	check_row(STAT_JSON, &row,
		  "{\"interval\" : 1.500000000, \"thread\" : \"a\\\"b\\\\c-1\", \"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"page-faults\", \"event-runtime\" : 2000000000, \"pcnt-running\" : 100.00, \"metric-value\" : 0.000000, \"metric-unit\" : \"\"}\n",
		  "JSON strings are escaped");
}

/* A metric given by name is printed even without a value. */
static void check_instead(void)
{
	struct stat_row row = row_of(BRANCHES);

	row.metric = (struct metric){ .unit = "ipc", .digits = 2, .instead = "<not counted>" };
	check_row(STAT_TABLE, &row,
		  "        1000000000      branches                         # <not counted> ipc\n",
		  "a table shows a metric without a value");
	check_row(STAT_CSV, &row,
		  "1000000000,,branches,2000000000,100.00,<not counted>,ipc\n",
		  "CSV shows a metric without a value");
	check_row(STAT_JSON, &row,
		  "{\"counter-value\" : \"1000000000.000000\", \"unit\" : \"\", \"event\" : \"branches\", \"event-runtime\" : 2000000000, \"pcnt-running\" : 100.00, \"metric-value\" : \"<not counted>\", \"metric-unit\" : \"ipc\"}\n",
		  "JSON shows a metric without a value");
	row.state = STAT_NOT_COUNTED;
	check_row(STAT_CSV, &row,
		  "<not counted>,,branches,2000000000,100.00,<not counted>,ipc\n",
		  "CSV shows an event without a count");
}

static void check_times(void)
{
	struct stat_style style = style_of(STAT_TABLE);
	struct spread elapsed = { 0 };

	spread_add(&elapsed, 1.5);
	stat_print_times(&style, &elapsed, 0.25, 0.125);
	check_printed(&style,
		      "\n       1.500000000 seconds time elapsed\n\n       0.250000000 seconds user\n       0.125000000 seconds sys\n\n\n",
		      "times of one run are shown");
	style = style_of(STAT_TABLE);
	stat_print_times(&style, &elapsed, -1, -1);
	check_printed(&style, "\n       1.500000000 seconds time elapsed\n\n\n",
		      "only the elapsed time is shown without a command");

	/* 1.5 and 1.9: the mean is 1.7, its spread 0.2, printed with three digits. */
	spread_add(&elapsed, 1.9);
	style = style_of(STAT_TABLE);
	style.runs = 2;
	stat_print_times(&style, &elapsed, 0.25, 0.125);
	check_printed(&style,
		      "\n             1.700 +- 0.200 seconds time elapsed  ( +- 11.76% )\n\n",
		      "times of several runs are shown");

	/* 1000 and 5000: the mean is 3000, its spread 2000; both are printed without decimals. */
	elapsed = (struct spread){ 0 };
	spread_add(&elapsed, 1000);
	spread_add(&elapsed, 5000);
	style = style_of(STAT_TABLE);
	style.runs = 2;
	stat_print_times(&style, &elapsed, 0.25, 0.125);
	check_printed(&style,
		      "\n              3000 +- 2000 seconds time elapsed  ( +- 66.67% )\n\n",
		      "times of long, different runs are shown");
}

static void check_counts(void)
{
	struct count half = { 100, 1000, 500 }, full = { 100, 1000, 1000 }, never = { 0, 1000, 0 };
	struct count sum = { 1, 2, 3 }, since;

	check_double(count_scaled(&half), 200, "a count of half the time is doubled");
	check_double(count_scaled(&full), 100, "a count of all the time is unchanged");
	check_double(count_scaled(&never), 0, "never: nothing");
	count_add(&sum, &half);
	check(sum.value == 101 && sum.enabled == 1002 && sum.running == 503, "counts are added");
	since = count_since(&sum, &half);
	check(since.value == 1 && since.enabled == 2 && since.running == 3,
	      "counts are subtracted");
}

int main(void)
{
	struct error err;

	event_list_parse(&events, "task-clock,page-faults,cycles,instructions", &err);
	event_list_parse(&events, "branches,branch-misses,cache-references,cache-misses", &err);
	event_list_parse(&events, "L1-dcache-loads,L1-dcache-load-misses", &err);
	event_list_parse(&events, "cycles:u,instructions:u", &err);
	check_metrics();
	check_table();
	check_csv();
	check_json();
	check_instead();
	check_times();
	check_counts();
	event_list_free(&events);
	return unit_finish();
}
