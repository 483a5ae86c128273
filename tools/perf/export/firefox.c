// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles of the Firefox Profiler, in its processed format, version 48.
 *
 * The format is described in docs-developer/ and src/types/profile.js of
 * github.com/firefox-devtools/profiler; newer versions of the profiler read older versions of the
 * format. Each thread has tables of its own, as columns, with only the elements that it needs.
 *
 * If context switches were recorded, markers show when a thread was off the CPU.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "firefox.h"
#include "spans.h"

/* Numbers from this one on are not exact in JavaScript. */
#define EXACT_MAX (1ULL << 53)

/* Categories, by their place in the list that put_meta() writes. */
enum {
	CATEGORY_USER,
	CATEGORY_KERNEL,
};

/**
 * struct subset - the elements of a table that a thread needs, with numbers of their own
 * @number: number of each element in the thread
 * @round: number of the thread that @number is of, from 1; 0: none
 * @list: elements in the order of their numbers
 * @nr: number of @list
 * @next: next number
 */
struct subset {
	uint32_t *number;
	uint32_t *round;
	uint32_t *list;
	uint32_t nr;
	uint32_t next;
};

/**
 * struct writer - a profile that is written
 * @out: stream
 * @p: tables
 * @round: number of the current thread, from 1
 * @strings: strings
 * @files: files, as resources
 * @functions: functions
 * @locations: locations; the number is that of the outermost frame
 * @stacks: call chains; the number is that of the outermost frame of the innermost location
 * @path: call chains that are to be added
 * @path_room: allocated number of @path
 */
struct writer {
	FILE *out;
	const struct profile *p;
	uint32_t round;
	struct subset strings;
	struct subset files;
	struct subset functions;
	struct subset locations;
	struct subset stacks;
	const struct profile_stack **path;
	size_t path_room;
};

static void subset_start(struct subset *s, uint32_t nr)
{
	s->number = xcalloc((size_t)nr + 1, sizeof(*s->number));
	s->round = xcalloc((size_t)nr + 1, sizeof(*s->round));
	s->list = xcalloc((size_t)nr + 1, sizeof(*s->list));
}

static void subset_free(struct subset *s)
{
	free(s->number);
	free(s->round);
	free(s->list);
}

static void subset_clear(struct subset *s)
{
	s->nr = 0;
	s->next = 0;
}

/* Add an element that takes @width numbers. Return: false if the subset has it already. */
static bool subset_add(const struct writer *w, struct subset *s, uint32_t id, uint32_t width)
{
	if (s->round[id] == w->round)
		return false;
	s->round[id] = w->round;
	s->number[id] = s->next;
	s->next += width;
	s->list[s->nr++] = id;
	return true;
}

static uint32_t string_number(struct writer *w, const struct profile_string *string)
{
	subset_add(w, &w->strings, string->id, 1);
	return w->strings.number[string->id];
}

static void add_function(struct writer *w, const struct profile_function *function)
{
	if (subset_add(w, &w->functions, function->id, 1) && function->file->dso)
		subset_add(w, &w->files, function->file->id, 1);
}

static void add_location(struct writer *w, const struct profile_location *at)
{
	uint32_t i;

	if (!subset_add(w, &w->locations, at->id, at->nr))
		return;
	for (i = 0; i < at->nr; i++)
		add_function(w, at->frames[i].function);
}

/* Add a call chain. The profiler needs the chain of a caller before those of its callees. */
static void add_stack(struct writer *w, const struct profile_stack *stack)
{
	const struct profile_stack *at;
	size_t nr = 0;

	if (stack->depth > w->path_room) {
		w->path_room = stack->depth * 2;
		w->path = xreallocarray(w->path, w->path_room, sizeof(*w->path));
	}
	for (at = stack; at && w->stacks.round[at->id] != w->round; at = at->parent)
		w->path[nr++] = at;
	while (nr) {
		at = w->path[--nr];
		subset_add(w, &w->stacks, at->id, at->location->nr);
		add_location(w, at->location);
	}
}

/* Return the number of the innermost frame of a call chain. */
static uint32_t stack_number(const struct writer *w, const struct profile_stack *stack)
{
	return w->stacks.number[stack->id] + stack->location->nr - 1;
}

/* Write a column. @put writes the value of one number of an element. */
static void put_column(struct writer *w, const char *name, const struct subset *s,
		       uint32_t (*width)(const struct profile *p, uint32_t id),
		       void (*put)(struct writer *w, uint32_t id, uint32_t k))
{
	uint32_t i, k, nr;
	bool comma = false;

	fprintf(w->out, "\"%s\":[", name);
	for (i = 0; i < s->nr; i++) {
		nr = width ? width(w->p, s->list[i]) : 1;
		for (k = 0; k < nr; k++) {
			if (comma)
				fputc(',', w->out);
			comma = true;
			put(w, s->list[i], k);
		}
	}
	fputs("],\n", w->out);
}

static void put_null(struct writer *w, uint32_t id, uint32_t k)
{
	(void)id;
	(void)k;
	fputs("null", w->out);
}

static void put_zero(struct writer *w, uint32_t id, uint32_t k)
{
	(void)id;
	(void)k;
	fputc('0', w->out);
}

static void put_false(struct writer *w, uint32_t id, uint32_t k)
{
	(void)id;
	(void)k;
	fputs("false", w->out);
}

static uint32_t location_width(const struct profile *p, uint32_t id)
{
	return profile_location(p, id)->nr;
}

static uint32_t stack_width(const struct profile *p, uint32_t id)
{
	return profile_stack(p, id)->location->nr;
}

/* Return frame @k of a location, counted from the outermost. */
static const struct profile_frame *frame_of(const struct profile_location *at, uint32_t k)
{
	return &at->frames[at->nr - 1 - k];
}

static void put_category(struct writer *w, const struct profile_location *at)
{
	fprintf(w->out, "%d", profile_in_kernel(at) ? CATEGORY_KERNEL : CATEGORY_USER);
}

static void put_frame_address(struct writer *w, uint32_t id, uint32_t k)
{
	uint64_t address = profile_location(w->p, id)->address;

	(void)k;
	if (address < EXACT_MAX)
		fprintf(w->out, "%" PRIu64, address);
	else
		fputs("-1", w->out);
}

static void put_frame_depth(struct writer *w, uint32_t id, uint32_t k)
{
	(void)id;
	fprintf(w->out, "%" PRIu32, k);
}

static void put_frame_category(struct writer *w, uint32_t id, uint32_t k)
{
	(void)k;
	put_category(w, profile_location(w->p, id));
}

static void put_frame_function(struct writer *w, uint32_t id, uint32_t k)
{
	const struct profile_frame *frame = frame_of(profile_location(w->p, id), k);

	fprintf(w->out, "%" PRIu32, w->functions.number[frame->function->id]);
}

static void put_frame_line(struct writer *w, uint32_t id, uint32_t k)
{
	const struct profile_frame *frame = frame_of(profile_location(w->p, id), k);

	if (frame->line)
		fprintf(w->out, "%" PRIu32, frame->line);
	else
		fputs("null", w->out);
}

static void put_frames(struct writer *w)
{
	const struct subset *s = &w->locations;

	fputs("\"frameTable\":{", w->out);
	put_column(w, "address", s, location_width, put_frame_address);
	put_column(w, "inlineDepth", s, location_width, put_frame_depth);
	put_column(w, "category", s, location_width, put_frame_category);
	put_column(w, "subcategory", s, location_width, put_zero);
	put_column(w, "func", s, location_width, put_frame_function);
	put_column(w, "nativeSymbol", s, location_width, put_null);
	put_column(w, "innerWindowID", s, location_width, put_zero);
	put_column(w, "implementation", s, location_width, put_null);
	put_column(w, "line", s, location_width, put_frame_line);
	put_column(w, "column", s, location_width, put_null);
	fprintf(w->out, "\"length\":%" PRIu32 "},\n", s->next);
}

static void put_stack_frame(struct writer *w, uint32_t id, uint32_t k)
{
	fprintf(w->out, "%" PRIu32, w->locations.number[profile_stack(w->p, id)->location->id] + k);
}

static void put_stack_prefix(struct writer *w, uint32_t id, uint32_t k)
{
	const struct profile_stack *parent = profile_stack(w->p, id)->parent;

	if (k)
		fprintf(w->out, "%" PRIu32, w->stacks.number[id] + k - 1);
	else if (parent)
		fprintf(w->out, "%" PRIu32, stack_number(w, parent));
	else
		fputs("null", w->out);
}

static void put_stack_category(struct writer *w, uint32_t id, uint32_t k)
{
	(void)k;
	put_category(w, profile_stack(w->p, id)->location);
}

static void put_stacks(struct writer *w)
{
	const struct subset *s = &w->stacks;

	fputs("\"stackTable\":{", w->out);
	put_column(w, "frame", s, stack_width, put_stack_frame);
	put_column(w, "prefix", s, stack_width, put_stack_prefix);
	put_column(w, "category", s, stack_width, put_stack_category);
	put_column(w, "subcategory", s, stack_width, put_zero);
	fprintf(w->out, "\"length\":%" PRIu32 "},\n", s->next);
}

static void put_function_name(struct writer *w, uint32_t id, uint32_t k)
{
	(void)k;
	fprintf(w->out, "%" PRIu32, string_number(w, profile_function(w->p, id)->name));
}

static void put_function_resource(struct writer *w, uint32_t id, uint32_t k)
{
	const struct profile_file *file = profile_function(w->p, id)->file;

	(void)k;
	if (file->dso)
		fprintf(w->out, "%" PRIu32, w->files.number[file->id]);
	else
		fputs("-1", w->out);
}

static void put_function_source(struct writer *w, uint32_t id, uint32_t k)
{
	const struct profile_string *source = profile_function(w->p, id)->source;

	(void)k;
	if (source->id)
		fprintf(w->out, "%" PRIu32, string_number(w, source));
	else
		fputs("null", w->out);
}

static void put_functions(struct writer *w)
{
	const struct subset *s = &w->functions;

	fputs("\"funcTable\":{", w->out);
	put_column(w, "name", s, NULL, put_function_name);
	put_column(w, "isJS", s, NULL, put_false);
	put_column(w, "relevantForJS", s, NULL, put_false);
	put_column(w, "resource", s, NULL, put_function_resource);
	put_column(w, "fileName", s, NULL, put_function_source);
	put_column(w, "lineNumber", s, NULL, put_null);
	put_column(w, "columnNumber", s, NULL, put_null);
	fprintf(w->out, "\"length\":%" PRIu32 "},\n", s->next);
}

/* The libraries of the profile are all files, in their order. */
static void put_file_library(struct writer *w, uint32_t id, uint32_t k)
{
	(void)k;
	fprintf(w->out, "%" PRIu32, id);
}

static void put_file_name(struct writer *w, uint32_t id, uint32_t k)
{
	(void)k;
	fprintf(w->out, "%" PRIu32, string_number(w, profile_file(w->p, id)->name));
}

static void put_library_type(struct writer *w, uint32_t id, uint32_t k)
{
	(void)id;
	(void)k;
	fputc('1', w->out);
}

static void put_resources(struct writer *w)
{
	const struct subset *s = &w->files;

	fputs("\"resourceTable\":{", w->out);
	put_column(w, "lib", s, NULL, put_file_library);
	put_column(w, "name", s, NULL, put_file_name);
	put_column(w, "host", s, NULL, put_null);
	put_column(w, "type", s, NULL, put_library_type);
	fprintf(w->out, "\"length\":%" PRIu32 "},\n", s->next);
}

/* Write a time in ms since the first sample. */
static void put_ms(struct writer *w, uint64_t time)
{
	uint64_t first = w->p->first_time, ns = time > first ? time - first : first - time;

	fprintf(w->out, "%s%" PRIu64 ".%06u", time < first ? "-" : "", ns / 1000000,
		(unsigned int)(ns % 1000000));
}

static bool is_clock(const struct writer *w, uint32_t event)
{
	return !strcmp(w->p->events[event].unit, "nanoseconds");
}

static void put_samples(struct writer *w, const struct profile_sample **samples, size_t nr)
{
	bool clock = is_clock(w, samples[0]->event);
	size_t i;

	fputs("\"samples\":{\"stack\":[", w->out);
	for (i = 0; i < nr; i++)
		fprintf(w->out, "%s%" PRIu32, i ? "," : "", stack_number(w, samples[i]->stack));
	fputs("],\n\"time\":[", w->out);
	for (i = 0; i < nr; i++) {
		if (i)
			fputc(',', w->out);
		put_ms(w, samples[i]->time);
	}
	fputs("],\n\"weight\":[", w->out);
	for (i = 0; i < nr; i++) {
		uint64_t weight = samples[i]->weight;

		if (i)
			fputc(',', w->out);
		if (clock)
			fprintf(w->out, "%" PRIu64 ".%06u", weight / 1000000,
				(unsigned int)(weight % 1000000));
		else
			fprintf(w->out, "%" PRIu64, weight);
	}
	fprintf(w->out, "],\n\"weightType\":\"%s\",\"length\":%zu},\n",
		clock ? "tracing-ms" : "samples", nr);
}

/* Write the times off the CPU. String 0 of each thread is the name of the markers. */
static void put_markers(struct writer *w, const struct export_span *spans, size_t nr)
{
	size_t i;

	fputs("\"markers\":{\"name\":[", w->out);
	for (i = 0; i < nr; i++)
		fputs(i ? ",0" : "0", w->out);
	fputs("],\n\"startTime\":[", w->out);
	for (i = 0; i < nr; i++) {
		if (i)
			fputc(',', w->out);
		put_ms(w, spans[i].from->time);
	}
	fputs("],\n\"endTime\":[", w->out);
	for (i = 0; i < nr; i++) {
		if (i)
			fputc(',', w->out);
		put_ms(w, spans[i].to->time);
	}
	fputs("],\n\"phase\":[", w->out);
	for (i = 0; i < nr; i++)
		fputs(i ? ",1" : "1", w->out);
	fputs("],\n\"category\":[", w->out);
	for (i = 0; i < nr; i++)
		fputs(i ? ",0" : "0", w->out);
	fputs("],\n\"data\":[", w->out);
	for (i = 0; i < nr; i++)
		fprintf(w->out, "%s{\"type\":\"Off CPU\",\"reason\":\"%s\"}", i ? "," : "",
			spans[i].from->preempted ? "preempted" : "waiting");
	fprintf(w->out, "],\n\"length\":%zu},\n", nr);
}

static void put_strings(struct writer *w)
{
	uint32_t i;

	fputs("\"stringArray\":[", w->out);
	for (i = 0; i < w->strings.nr; i++) {
		if (i)
			fputc(',', w->out);
		/* The empty string, number 0 of the profile, stands for the name of the markers. */
		json_print_string(w->out, i ? profile_string(w->p, w->strings.list[i])->text :
				  "off CPU");
	}
	fputs("]}", w->out);
}

static const char *process_name(const struct profile *p, const struct profile_thread *thread)
{
	uint32_t i;

	for (i = thread->id; i < p->threads.nr; i++) {
		const struct profile_thread *other = profile_thread(p, i);

		if (other->pid == thread->pid && other->tid == thread->pid)
			return other->comm->text;
	}
	return thread->comm->text;
}

static void put_thread(struct writer *w, const struct profile_sample **samples, size_t nr,
		       const struct export_span *spans, size_t nr_spans)
{
	const struct profile_thread *thread = samples[0]->thread;
	size_t i;

	w->round++;
	subset_clear(&w->strings);
	subset_clear(&w->files);
	subset_clear(&w->functions);
	subset_clear(&w->locations);
	subset_clear(&w->stacks);
	subset_add(w, &w->strings, 0, 1);
	for (i = 0; i < nr; i++)
		add_stack(w, samples[i]->stack);

	fputs("{\"name\":", w->out);
	json_print_string(w->out, thread->comm->text);
	fputs(",\"processName\":", w->out);
	json_print_string(w->out, process_name(w->p, thread));
	fprintf(w->out, ",\"pid\":\"%" PRIu32 "\",\"tid\":%" PRIu32 ",\"isMainThread\":%s,",
		thread->pid, thread->tid, thread->pid == thread->tid ? "true" : "false");
	fputs("\"processType\":\"default\",\"processStartupTime\":0,", w->out);
	fputs("\"processShutdownTime\":null,\"registerTime\":0,", w->out);
	fputs("\"unregisterTime\":null,\"pausedRanges\":[],\n", w->out);
	put_samples(w, samples, nr);
	put_markers(w, spans, nr_spans);
	put_stacks(w);
	put_frames(w);
	put_functions(w);
	put_resources(w);
	fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],", w->out);
	fputs("\"functionSize\":[],\"length\":0},\n", w->out);
	/* The columns above have added strings. */
	put_strings(w);
}

static void put_threads(struct writer *w, uint32_t event)
{
	const struct profile *p = w->p;
	const struct profile_sample **sorted = profile_by_thread(p);
	size_t nr_spans, span = 0, span_end;
	struct export_span *spans = export_spans(p, false, &nr_spans);
	bool comma = false;
	uint32_t start, end, id;

	for (start = 0; start < p->samples.nr; start = end) {
		for (end = start + 1; end < p->samples.nr; end++) {
			if (sorted[end]->thread != sorted[start]->thread ||
			    sorted[end]->event != sorted[start]->event)
				break;
		}
		if (sorted[start]->event != event)
			continue;
		/* Both lists are in the order of the threads. */
		id = sorted[start]->thread->id;
		while (span < nr_spans && spans[span].from->thread->id < id)
			span++;
		for (span_end = span; span_end < nr_spans; span_end++) {
			if (spans[span_end].from->thread->id != id)
				break;
		}
		fputs(comma ? ",\n" : "\n", w->out);
		comma = true;
		put_thread(w, sorted + start, end - start, spans + span, span_end - span);
	}
	free(spans);
	free(sorted);
}

static void put_libraries(struct writer *w)
{
	uint32_t i;

	for (i = 0; i < w->p->files.nr; i++) {
		const struct profile_file *file = profile_file(w->p, i);

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", w->out);
		json_print_string(w->out, file->name->text);
		fputs(",\"debugName\":", w->out);
		json_print_string(w->out, file->name->text);
		fputs(",\"path\":", w->out);
		json_print_string(w->out, file->path->text);
		fputs(",\"debugPath\":", w->out);
		json_print_string(w->out, file->path->text);
		fputs(",\"arch\":\"\",\"breakpadId\":\"\",\"codeId\":", w->out);
		if (file->build_id->id)
			json_print_string(w->out, file->build_id->text);
		else
			fputs("null", w->out);
		fputc('}', w->out);
	}
}

static void put_meta(struct writer *w, uint32_t event)
{
	FILE *out = w->out;

	fputs("\"meta\":{\"version\":29,\"preprocessedProfileVersion\":48,\"processType\":0,", out);
	fputs("\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,\"interval\":1,", out);
	fprintf(out, "\"startTime\":%" PRIu64 ",", profile_begin_time(w->p) / 1000000);
	fputs("\"product\":\"perf\",\"importedFrom\":\"" PERF_TOOL_VERSION "\",\n", out);
	fputs("\"sourceCodeIsNotOnSearchfox\":true,\"usesOnlyOneStackType\":true,", out);
	fputs("\"doesNotUseFrameImplementation\":true,\n", out);
	fputs("\"extensions\":{\"id\":[],\"name\":[],\"baseURL\":[],\"length\":0},\n", out);
	fputs("\"categories\":[", out);
	fputs("{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},", out);
	fputs("{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}],\n", out);
	fputs("\"markerSchema\":[{\"name\":\"Off CPU\",\"tooltipLabel\":\"{marker.name}\",", out);
	fputs("\"tableLabel\":\"{marker.data.reason}\",", out);
	fputs("\"chartLabel\":\"{marker.data.reason}\",", out);
	fputs("\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],", out);
	fputs("\"data\":[{\"key\":\"reason\",\"label\":\"Reason\",", out);
	fputs("\"format\":\"string\"}]}],\n", out);
	fputs("\"comments\":", out);
	json_print_string(out, event < w->p->nr_events ? w->p->events[event].name->text : "");
	fputs("},\n", out);
}

void export_firefox(FILE *out, const struct profile *p, uint32_t event)
{
	struct writer w = { .out = out, .p = p };

	subset_start(&w.strings, p->strings.nr);
	subset_start(&w.files, p->files.nr);
	subset_start(&w.functions, p->functions.nr);
	subset_start(&w.locations, p->locations.nr);
	subset_start(&w.stacks, p->stacks.nr);
	fputc('{', out);
	put_meta(&w, event);
	fputs("\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n\"libs\":[", out);
	put_libraries(&w);
	fputs("],\n\"threads\":[", out);
	put_threads(&w, event);
	fputs("]}\n", out);
	subset_free(&w.strings);
	subset_free(&w.files);
	subset_free(&w.functions);
	subset_free(&w.locations);
	subset_free(&w.stacks);
	free(w.path);
}
