// SPDX-License-Identifier: GPL-2.0
/*
 * The file format of speedscope, https://www.speedscope.app/file-format-schema.json.
 *
 * A frame is a function and its source file. Lines are left out: speedscope would show a function
 * once for each of its lines.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "speedscope.h"

static void put_frame(FILE *out, const struct profile_function *function)
{
	const struct profile_string *file = function->source->id ? function->source :
					    function->file->path;

	fputs("{\"name\":", out);
	json_print_string(out, function->name->text);
	fputs(",\"file\":", out);
	json_print_string(out, file->text);
	fputc('}', out);
}

static void put_stack(FILE *out, struct profile *p, const struct profile_stack *stack)
{
	size_t i, nr = profile_steps(p, stack);

	fputc('[', out);
	for (i = 0; i < nr; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", p->steps[i].frame->function->id);
	fputc(']', out);
}

/* Write the samples of an event of a thread. */
static void put_profile(FILE *out, struct profile *p, const struct profile_sample **samples,
			size_t nr)
{
	const struct profile_thread *thread = samples[0]->thread;
	const struct profile_event *event = &p->events[samples[0]->event];
	bool is_time = !strcmp(event->unit, "nanoseconds");
	uint64_t sum = 0;
	char *name;
	size_t i;

	name = xasprintf("%s (%" PRIu32 "/%" PRIu32 ") %s", thread->comm->text, thread->pid,
			 thread->tid, event->name->text);
	fputs("{\"type\":\"sampled\",\"name\":", out);
	json_print_string(out, name);
	free(name);
	for (i = 0; i < nr; i++)
		sum += samples[i]->weight;
	fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[",
		is_time ? "nanoseconds" : "none", sum);
	for (i = 0; i < nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_stack(out, p, samples[i]->stack);
	}
	fputs("],\"weights\":[", out);
	for (i = 0; i < nr; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", samples[i]->weight);
	fputs("]}", out);
}

static void put_profiles(FILE *out, struct profile *p)
{
	const struct profile_sample **sorted = profile_by_thread(p);
	uint32_t start, end;

	for (start = 0; start < p->samples.nr; start = end) {
		for (end = start + 1; end < p->samples.nr; end++) {
			if (sorted[end]->thread != sorted[start]->thread ||
			    sorted[end]->event != sorted[start]->event)
				break;
		}
		fputs(start ? ",\n" : "\n", out);
		put_profile(out, p, sorted + start, end - start);
	}
	free(sorted);
}

void export_speedscope(FILE *out, struct profile *p)
{
	uint32_t i;

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", out);
	fputs("\"exporter\":\"" PERF_TOOL_VERSION "\",\"activeProfileIndex\":0,\n", out);
	fputs("\"shared\":{\"frames\":[", out);
	for (i = 0; i < p->functions.nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_frame(out, profile_function(p, i));
	}
	fputs("]},\n\"profiles\":[", out);
	put_profiles(out, p);
	fputs("]}\n", out);
}
