// SPDX-License-Identifier: GPL-2.0
/*
 * The samples and call stacks of one recording, or of two that are compared, as tables.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/symbol.h"
#include "page_profile.h"

/* The number of an element of a table, in a hash table. */
struct number_node {
	struct hash_node node;
	uint32_t number;
};

static void add_number(struct hash_table *table, uint64_t hash, uint32_t number)
{
	struct number_node *node = xcalloc(1, sizeof(*node));

	node->number = number;
	hash_table_add(table, &node->node, hash);
}

static uint32_t number_of(const struct hash_node *node)
{
	return hash_entry(node, struct number_node, node)->number;
}

/* Return an array with room for one more element of @size bytes. */
static void *make_room(void *array, uint32_t nr, uint32_t *room, size_t size)
{
	if (nr < *room)
		return array;
	if (nr == UINT32_MAX / 2)
		die("--html: the recording has too many different call stacks");
	*room = *room ? *room * 2 : 256;
	return xreallocarray(array, *room, size);
}

void page_profile_init(struct page_profile *profile)
{
	memset(profile, 0, sizeof(*profile));
	text_list_add(&profile->sources, "");
	text_list_add(&profile->cgroups, "");
	text_list_add(&profile->reasons, "");
	profile->stacks = make_room(NULL, 0, &profile->stacks_room, sizeof(*profile->stacks));
	profile->stacks[profile->nr_stacks++] = (struct page_stack){ 0 };
}

static char *copy_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static uint64_t date_of(const char *path)
{
	struct stat st;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode) || st.st_mtime < 0)
		return 0;
	return st.st_mtime;
}

void page_profile_add_recording(struct page_profile *profile, const struct session *session)
{
	struct page_recording *recording = &profile->recordings[profile->nr_recordings++];

	memset(recording, 0, sizeof(*recording));
	recording->path = xstrdup(session->path);
	recording->date = date_of(session->path);
}

void page_profile_end_recording(struct page_profile *profile, const struct session *session)
{
	struct page_recording *recording = &profile->recordings[profile->nr_recordings - 1];
	/* In a pipe, the features come as records. */
	const struct data_features *features = data_reader_features(session->reader);

	recording->command = copy_text(features->cmdline);
	recording->host = copy_text(features->hostname);
	recording->release = copy_text(features->osrelease);
	recording->cpu = copy_text(features->cpudesc);
	recording->lost = session_lost(session);
	/* Another recording has other symbols. */
	hash_table_free_all(&profile->located, hash_node_free);
}

/* Find the source line where a function begins; of an inlined function, the line of @at. */
static void find_source(struct page_profile *profile, struct page_frame *frame,
			const struct location *at)
{
	const struct source_file *file;
	struct location begin = *at;

	if (!at->symbol)
		return;
	if (!at->symbol->inlined) {
		begin.addr -= begin.symbol_offset;
		begin.symbol_offset = 0;
		begin.back = 0;
		begin.depth = 0;
	}
	frame->line = location_line_quietly(&begin, &file);
	if (frame->line)
		frame->source = text_list_add(&profile->sources, source_file_text(file));
}

static char *name_of(const struct location *at)
{
	if (!at->symbol)
		return xasprintf("0x%016" PRIx64, at->addr);
	return xasprintf("%s%s", symbol_name(at->symbol), symbol_suffix(at->symbol));
}

/* Find or make the function with a name, a file and a mode. */
static uint32_t add_named(struct page_profile *profile, const struct location *at)
{
	struct page_frame new = { .mode = at->mode };
	const struct page_frame *frame;
	char *name = name_of(at);
	struct hash_node *node;
	uint64_t hash;

	new.name = text_list_add(&profile->names, name);
	free(name);
	new.dso = text_list_add(&profile->dsos, at->dso ? at->dso->name : "[unknown]");
	hash = hash_mix((uint64_t)new.name << 32 | new.dso, new.mode);
	for (node = hash_table_first(&profile->frame_numbers, hash); node;
	     node = hash_table_next(node)) {
		frame = &profile->frames[number_of(node)];
		if (frame->name == new.name && frame->dso == new.dso && frame->mode == new.mode)
			return number_of(node);
	}
	find_source(profile, &new, at);
	profile->frames = make_room(profile->frames, profile->nr_frames, &profile->frames_room,
				    sizeof(*profile->frames));
	profile->frames[profile->nr_frames] = new;
	add_number(&profile->frame_numbers, hash, profile->nr_frames);
	return profile->nr_frames++;
}

/**
 * struct located_frame - the function of a symbol, or of an address without one
 * @node: node in a table
 * @key: address of the symbol, which lives as long as the session; or address of the code
 * @dso: file
 * @mode: mode of the CPU
 * @has_symbol: true if @key is of a symbol
 * @number: number of the function
 */
struct located_frame {
	struct hash_node node;
	uint64_t key;
	const struct dso *dso;
	enum cpu_mode mode;
	bool has_symbol;
	uint32_t number;
};

/* Find or make the function of a location. Names are compared only once for each symbol. */
static uint32_t add_frame(struct page_profile *profile, const struct location *at)
{
	uint64_t key = at->symbol ? (uintptr_t)at->symbol : at->addr;
	uint64_t hash = hash_mix(hash_mix(key, (uintptr_t)at->dso), at->mode);
	struct hash_node *node = hash_table_first(&profile->located, hash);
	struct located_frame *new;

	for (; node; node = hash_table_next(node)) {
		const struct located_frame *frame = hash_entry(node, struct located_frame, node);

		if (frame->key == key && frame->dso == at->dso && frame->mode == at->mode &&
		    frame->has_symbol == !!at->symbol)
			return frame->number;
	}
	new = xcalloc(1, sizeof(*new));
	new->key = key;
	new->dso = at->dso;
	new->mode = at->mode;
	new->has_symbol = at->symbol;
	new->number = add_named(profile, at);
	hash_table_add(&profile->located, &new->node, hash);
	return new->number;
}

static bool calls(const struct page_profile *profile, uint32_t stack, uint32_t frame)
{
	for (; stack != NO_STACK; stack = profile->stacks[stack].caller) {
		if (profile->stacks[stack].frame == frame)
			return true;
	}
	return false;
}

static uint32_t add_stack(struct page_profile *profile, uint32_t caller, uint32_t frame)
{
	uint64_t hash = hash_number((uint64_t)caller << 32 | frame);
	struct hash_node *node;

	for (node = hash_table_first(&profile->stack_numbers, hash); node;
	     node = hash_table_next(node)) {
		const struct page_stack *stack = &profile->stacks[number_of(node)];

		if (stack->caller == caller && stack->frame == frame)
			return number_of(node);
	}
	profile->stacks = make_room(profile->stacks, profile->nr_stacks, &profile->stacks_room,
				    sizeof(*profile->stacks));
	profile->stacks[profile->nr_stacks] = (struct page_stack){
		.caller = caller,
		.frame = frame,
		.outermost = !calls(profile, caller, frame),
	};
	add_number(&profile->stack_numbers, hash, profile->nr_stacks);
	return profile->nr_stacks++;
}

uint32_t page_profile_add_stack(struct page_profile *profile, const struct location *frames,
				size_t nr)
{
	uint32_t stack = NO_STACK;

	while (nr)
		stack = add_stack(profile, stack, add_frame(profile, &frames[--nr]));
	return stack;
}

static uint32_t add_thread(struct page_profile *profile, const struct thread *thread)
{
	struct page_thread new = {
		.pid = thread->process->pid,
		.tid = thread->tid,
		.comm = text_list_add(&profile->comms, thread->comm),
	};
	uint64_t hash = hash_mix((uint64_t)new.pid << 32 | new.tid, new.comm);
	struct hash_node *node;

	for (node = hash_table_first(&profile->thread_numbers, hash); node;
	     node = hash_table_next(node)) {
		if (!memcmp(&profile->threads[number_of(node)], &new, sizeof(new)))
			return number_of(node);
	}
	profile->threads = make_room(profile->threads, profile->nr_threads,
				     &profile->threads_room, sizeof(*profile->threads));
	profile->threads[profile->nr_threads] = new;
	add_number(&profile->thread_numbers, hash, profile->nr_threads);
	return profile->nr_threads++;
}

/* Return the number of the reason why a task was off the CPU. */
static uint32_t add_reason(struct page_profile *profile, struct session *session,
			   const struct perf_event_attr *attr, const struct record *record)
{
	uint32_t number;
	size_t size;
	char *text;
	FILE *out;

	if (!event_is_off_cpu(attr) || !(attr->sample_type & PERF_SAMPLE_RAW))
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		die("out of memory");
	session_print_trace(session, out, attr, record);
	fclose(out);
	number = text_list_add(&profile->reasons, text);
	free(text);
	return number;
}

void page_profile_add_sample(struct page_profile *profile, struct session *session,
			     const struct record *record, uint32_t stack)
{
	struct page_recording *recording = &profile->recordings[profile->nr_recordings - 1];
	struct machine *machine = &session->machine;
	const struct data_event *event =
		&data_reader_events(session->reader)->events[record->event];
	const struct thread *thread =
		thread_get(&machine->threads, record->id.pid, record->id.tid);
	struct page_sample *sample;
	const char *cgroup;

	if (recording->nr == recording->room) {
		recording->room = recording->room ? recording->room * 2 : 1024;
		recording->samples = xreallocarray(recording->samples, recording->room,
						   sizeof(*recording->samples));
	}
	sample = &recording->samples[recording->nr++];
	*sample = (struct page_sample){
		.time = record->id.time,
		.period = record->sample.period,
		.cpu = record->id.cpu,
		.thread = add_thread(profile, thread),
		.event = text_list_add(&profile->events, event->name),
		.stack = stack,
		.reason = add_reason(profile, session, &event->attr, record),
	};
	if (event->attr.sample_type & PERF_SAMPLE_CGROUP) {
		cgroup = cgroups_path(&machine->cgroups, record->sample.cgroup);
		sample->cgroup = text_list_add(&profile->cgroups, cgroup);
	}
}

void page_profile_free(struct page_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_recordings; i++) {
		struct page_recording *recording = &profile->recordings[i];

		free(recording->path);
		free(recording->command);
		free(recording->host);
		free(recording->release);
		free(recording->cpu);
		free(recording->samples);
	}
	hash_table_free_all(&profile->frame_numbers, hash_node_free);
	hash_table_free_all(&profile->stack_numbers, hash_node_free);
	hash_table_free_all(&profile->thread_numbers, hash_node_free);
	free(profile->frames);
	free(profile->stacks);
	free(profile->threads);
	text_list_free(&profile->names);
	text_list_free(&profile->dsos);
	text_list_free(&profile->sources);
	text_list_free(&profile->comms);
	text_list_free(&profile->events);
	text_list_free(&profile->cgroups);
	text_list_free(&profile->reasons);
}
