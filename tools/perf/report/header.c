// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the header of a recording (--header).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "header.h"

static void print_text(FILE *out, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(out, "# %s : ", name);
	fput_name(text, out);
	fputc('\n', out);
}

/* Print when the file was written. A pipe does not have that time. */
static void print_date(FILE *out, const char *path)
{
	struct stat st;
	char date[32];

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode) ||
	    !ctime_r(&st.st_mtime, date))
		return;
	fprintf(out, "# captured on : %s", date);
}

static void print_sets(FILE *out, const char *name, const char *sets)
{
	size_t length;
	char *set;

	for (; sets && *sets; sets += length + 1) {
		length = strcspn(sets, "\n");
		set = xstrndup(sets, length);
		print_text(out, name, set);
		free(set);
	}
}

static void print_event(FILE *out, const struct data_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	fputs("# event : name = ", out);
	fput_name(event->name, out);
	fprintf(out, ", type = %" PRIu32 ", config = 0x%" PRIx64 ", %s = %" PRIu64
		", sample_type = 0x%" PRIx64 ", read_format = 0x%" PRIx64,
		attr->type, (uint64_t)attr->config, attr->freq ? "sample_freq" : "sample_period",
		(uint64_t)attr->sample_period, (uint64_t)attr->sample_type,
		(uint64_t)attr->read_format);
	if (attr->branch_sample_type)
		fprintf(out, ", branch_sample_type = 0x%" PRIx64,
			(uint64_t)attr->branch_sample_type);
	fprintf(out, ", ids = %zu\n", event->nr_ids);
}

/* Print each group with the names of its events. */
static void print_groups(FILE *out, const struct event_table *events)
{
	const struct data_event *event;
	uint32_t group = 0;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		event = &events->events[i];
		if (group && event->group != group)
			fputs("}\n", out);
		if (event->group)
			fputs(event->group == group ? "," : "# group: {", out);
		if (event->group)
			fput_name(event->name, out);
		group = event->group;
	}
	if (group)
		fputs("}\n", out);
}

static void print_time(FILE *out, const char *name, uint64_t time)
{
	fprintf(out, "# %s : %" PRIu64 ".%06" PRIu64 "\n", name, time / 1000000000,
		time % 1000000000 / 1000);
}

/**
 * report_header() - Print the header of a recording
 * @out: stream to print to
 * @session: recording
 */
void report_header(FILE *out, struct session *session)
{
	const struct data_features *f = data_reader_features(session->reader);
	const struct event_table *events = data_reader_events(session->reader);
	size_t i;

	fputs("# ========\n", out);
	print_date(out, session->path);
	print_text(out, "hostname", f->hostname);
	print_text(out, "os release", f->osrelease);
	print_text(out, "perf version", f->version);
	print_text(out, "arch", f->arch);
	if (f->cpus_configured) {
		fprintf(out, "# nrcpus online : %" PRIu32 "\n", f->cpus_online);
		fprintf(out, "# nrcpus avail : %" PRIu32 "\n", f->cpus_configured);
	}
	print_text(out, "cpudesc", f->cpudesc);
	print_sets(out, "sibling sockets", f->sockets);
	print_sets(out, "sibling threads", f->cores);
	if (f->total_mem)
		fprintf(out, "# total memory : %" PRIu64 " kB\n", f->total_mem);
	print_text(out, "cmdline", f->cmdline);
	if (f->branch_registers)
		fprintf(out, "# cpu pmu capabilities: branches=%" PRIu32 "\n", f->branch_registers);
	if (f->has_branches)
		fputs("# contains samples with branch stack\n", out);
	for (i = 0; i < events->nr; i++)
		print_event(out, &events->events[i]);
	print_groups(out, events);
	if (f->last_time) {
		print_time(out, "time of first sample", f->first_time);
		print_time(out, "time of last sample", f->last_time);
		fprintf(out, "# sample duration : %.3f ms\n", (f->last_time - f->first_time) / 1e6);
	}
	fputs("# ========\n#\n", out);
}
