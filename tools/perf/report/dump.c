// SPDX-License-Identifier: GPL-2.0
/*
 * Prints every record of a recording (-D).
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "dump.h"
#include "record_print.h"

/* The last counter is for all larger types. */
#define NR_TYPES USER_RECORD_END

struct dump {
	uint64_t nr;
	uint64_t nr_of_type[NR_TYPES + 1];
	uint64_t *samples;		/* of each event */
	size_t nr_events;
};

/* Print where a record is, its type, its size and its bytes, as other readers of recordings do. */
static void print_bytes(const char *path, const struct perf_event_header *header, uint64_t offset)
{
	const unsigned char *bytes = (const unsigned char *)header;
	size_t at, i;

	printf("\n0x%" PRIx64 "@", offset);
	fput_name(path, stdout);
	printf(" [0x%x]: event: %" PRIu32 "\n.\n. ... raw event: size %u bytes\n", header->size,
	       header->type, header->size);
	for (at = 0; at < header->size; at += 16) {
		printf(".  %04zx: ", at);
		for (i = at; i < at + 16; i++) {
			if (i < header->size)
				printf(" %02x", bytes[i]);
			else
				fputs("   ", stdout);
		}
		fputs("  ", stdout);
		for (i = at; i < at + 16 && i < header->size; i++)
			putchar(isascii(bytes[i]) && isprint(bytes[i]) ? bytes[i] : '.');
		putchar('\n');
	}
	putchar('\n');
}

static void print_front(const struct record *record, uint64_t offset, size_t size)
{
	if (record && record->id.has_cpu)
		printf("%" PRIu32 " ", record->id.cpu);
	printf("%" PRIu64 " 0x%" PRIx64 " [0x%zx]: ", record ? record->id.time : 0, offset, size);
}

static void print_kernel_record(const struct event_table *events,
				const struct perf_event_header *header, uint64_t offset)
{
	enum record_decoded decoded;
	struct record record;

	decoded = record_decode(events, header, &record);
	if (decoded == RECORD_OK) {
		print_front(&record, offset, header->size);
		record_print(stdout, &record);
		putchar('\n');
		record_print_details(stdout, events, &record);
		return;
	}
	print_front(NULL, offset, header->size);
	if (decoded == RECORD_UNKNOWN)
		printf("type %" PRIu32 ": not known\n", header->type);
	else
		printf("PERF_RECORD_%s: %s\n", record_type_name(header->type),
		       decoded == RECORD_BAD ? "damaged" : "of an unknown event");
}

static void count_record(struct dump *dump, const struct perf_event_header *header)
{
	dump->nr++;
	dump->nr_of_type[header->type < NR_TYPES ? header->type : NR_TYPES]++;
}

static void dump_record(void *context, struct session *session,
			const struct perf_event_header *header, uint64_t offset)
{
	const char *name = record_type_name(header->type);
	struct dump *dump = context;

	count_record(dump, header);
	print_bytes(session->path, header, offset);
	if (header->type < USER_RECORD_START) {
		print_kernel_record(data_reader_events(session->reader), header, offset);
	} else {
		print_front(NULL, offset, header->size);
		if (name)
			printf("PERF_RECORD_%s\n", name);
		else
			printf("type %" PRIu32 ": not known\n", header->type);
	}
}

static void print_totals(const struct dump *dump)
{
	uint32_t type;

	puts("\nAggregated stats:");
	printf("           TOTAL events: %10" PRIu64 "\n", dump->nr);
	for (type = 0; type <= NR_TYPES; type++) {
		const char *name = record_type_name(type);

		if (dump->nr_of_type[type])
			printf("%16s events: %10" PRIu64 "  (%4.1f%%)\n", name ? name : "unknown",
			       dump->nr_of_type[type],
			       100.0 * dump->nr_of_type[type] / dump->nr);
	}
}

/**
 * dump_session() - Walk through a recording and print its records
 * @session: recording
 */
void dump_session(struct session *session)
{
	static const struct session_handlers handlers = { .raw = dump_record };
	struct dump dump = { 0 };

	session_run(session, &handlers, &dump);
	print_totals(&dump);
}

/* Count a record, and the sample for its event. In a pipe, events may come after other samples. */
static void count_raw(void *context, struct session *session,
		      const struct perf_event_header *header, uint64_t offset)
{
	const struct event_table *events = data_reader_events(session->reader);
	struct dump *dump = context;
	int event;

	(void)offset;
	count_record(dump, header);
	if (header->type != PERF_RECORD_SAMPLE)
		return;
	while (dump->nr_events < events->nr) {
		dump->samples = xreallocarray(dump->samples, dump->nr_events + 1,
					      sizeof(*dump->samples));
		dump->samples[dump->nr_events++] = 0;
	}
	event = event_table_of_record(events, header);
	if (event >= 0)
		dump->samples[event]++;
}

/**
 * count_session() - Walk through a recording and print how many records of each type it has
 * @session: recording
 */
void count_session(struct session *session)
{
	static const struct session_handlers handlers = { .raw = count_raw };
	const struct event_table *events = data_reader_events(session->reader);
	struct dump dump = { 0 };
	size_t i;

	session_run(session, &handlers, &dump);
	print_totals(&dump);
	for (i = 0; i < dump.nr_events; i++) {
		if (!dump.samples[i])
			continue;
		fput_name(events->events[i].name, stdout);
		printf(" stats:\n%16s events: %10" PRIu64 "\n", "SAMPLE", dump.samples[i]);
	}
	free(dump.samples);
}
