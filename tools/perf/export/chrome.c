// SPDX-License-Identifier: GPL-2.0
/*
 * Trace events in JSON.
 *
 * The object format of the "Trace Event Format": samples refer to a tree of stack frames. A slice
 * "running" is the time between two context switches. Times are in microseconds of the recording's
 * clock.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "chrome.h"
#include "spans.h"

static void put_time(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

static void put_name(FILE *out, const char *what, const struct profile_thread *thread)
{
	fprintf(out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"args\":{\"name\":", what, thread->pid, thread->tid);
	json_print_string(out, thread->comm->text);
	fputs("}}", out);
}

static void put_slice(FILE *out, const struct export_span *span)
{
	const struct profile_thread *thread = span->from->thread;

	fprintf(out, "{\"ph\":\"X\",\"name\":\"running\",\"cat\":\"sched\",\"pid\":%" PRIu32
		",\"tid\":%" PRIu32 ",\"ts\":", thread->pid, thread->tid);
	put_time(out, span->from->time);
	fputs(",\"dur\":", out);
	put_time(out, span->to->time - span->from->time);
	fprintf(out, ",\"args\":{\"preempted\":%s", span->to->preempted ? "true" : "false");
	if (span->from->cpu != PROFILE_NO_CPU)
		fprintf(out, ",\"cpu\":%" PRIu32, span->from->cpu);
	fputs("}}", out);
}

static void put_events(FILE *out, const struct profile *p)
{
	size_t i, nr;
	struct export_span *spans = export_spans(p, true, &nr);
	const char *comma = "\n";

	for (i = 0; i < p->threads.nr; i++) {
		const struct profile_thread *thread = profile_thread(p, i);

		fputs(comma, out);
		put_name(out, "thread_name", thread);
		comma = ",\n";
		if (thread->pid != thread->tid)
			continue;
		fputs(comma, out);
		put_name(out, "process_name", thread);
	}
	for (i = 0; i < nr; i++) {
		fputs(comma, out);
		put_slice(out, &spans[i]);
		comma = ",\n";
	}
	free(spans);
}

/*
 * Write the frames of all stacks. The frames of a stack have the numbers from its element of @first
 * on, the outermost first.
 */
static void put_frames(FILE *out, const struct profile *p, uint64_t *first)
{
	uint64_t next = 0;
	uint32_t i, k;

	for (i = 0; i < p->stacks.nr; i++) {
		const struct profile_stack *stack = profile_stack(p, i), *parent = stack->parent;
		const struct profile_location *at = stack->location;

		first[i] = next;
		for (k = 0; k < at->nr; k++, next++) {
			const struct profile_frame *frame = &at->frames[at->nr - 1 - k];
			const struct profile_function *function = frame->function;

			fprintf(out, "%s\"%" PRIu64 "\":{\"category\":", next ? ",\n" : "\n", next);
			json_print_string(out, function->file->name->text);
			fputs(",\"name\":", out);
			json_print_string(out, function->name->text);
			if (k)
				fprintf(out, ",\"parent\":\"%" PRIu64 "\"", next - 1);
			else if (parent)
				fprintf(out, ",\"parent\":\"%" PRIu64 "\"",
					first[parent->id] + parent->location->nr - 1);
			fputc('}', out);
		}
	}
}

static void put_sample(FILE *out, const struct profile *p, const struct profile_sample *sample,
		       const uint64_t *first)
{
	fputc('{', out);
	if (sample->cpu != PROFILE_NO_CPU)
		fprintf(out, "\"cpu\":%" PRIu32 ",", sample->cpu);
	fprintf(out, "\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":", sample->thread->pid,
		sample->thread->tid);
	put_time(out, sample->time);
	fputs(",\"name\":", out);
	json_print_string(out, p->events[sample->event].name->text);
	fprintf(out, ",\"sf\":\"%" PRIu64 "\",\"weight\":%" PRIu64 "}",
		first[sample->stack->id] + sample->stack->location->nr - 1, sample->weight);
}

void export_chrome(FILE *out, const struct profile *p)
{
	uint64_t *first = xcalloc(p->stacks.nr + 1, sizeof(*first));
	uint32_t i;

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	put_events(out, p);
	fputs("],\n\"stackFrames\":{", out);
	put_frames(out, p, first);
	fputs("},\n\"samples\":[", out);
	for (i = 0; i < p->samples.nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_sample(out, p, profile_sample(p, i), first);
	}
	fputs("]}\n", out);
	free(first);
}
