// SPDX-License-Identifier: GPL-2.0
/*
 * The samples of a recording in tables.
 *
 * Texts of other programs and files are escaped as for a terminal, so every string is UTF-8
 * without control characters; each format escapes what is special in its syntax.
 */
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "profile.h"

/* Append an element whose node comes first. Return: its number. */
static uint32_t append(struct profile_table *table, void *element)
{
	if (table->nr == UINT32_MAX)
		die("the recording has too many different stacks or samples; choose some with --time");
	if (table->nr == table->room) {
		table->room = table->room < UINT32_MAX / 2 ? table->room * 2 + 64 : UINT32_MAX;
		table->list = xreallocarray(table->list, table->room, sizeof(*table->list));
	}
	table->list[table->nr] = element;
	return table->nr++;
}

static struct profile_string *find_string(const struct profile *p, const char *text, uint64_t hash)
{
	struct hash_node *node = hash_table_first(&p->strings.table, hash);

	for (; node; node = hash_table_next(node)) {
		struct profile_string *string = hash_entry(node, struct profile_string, node);

		if (!strcmp(string->text, text))
			return string;
	}
	return NULL;
}

static const struct profile_string *add_safe(struct profile *p, const char *text)
{
	uint64_t hash = hash_string(text);
	struct profile_string *string = find_string(p, text, hash);
	size_t size = strlen(text) + 1;

	if (string)
		return string;
	string = xmalloc(sizeof(*string) + size);
	memcpy(string->text, text, size);
	hash_table_add(&p->strings.table, &string->node, hash);
	string->id = append(&p->strings, string);
	return string;
}

/**
 * profile_add_string() - Find or make the element of a text
 * @p: tables
 * @text: text, which is escaped as for a terminal
 *
 * Return: The element. The number of the empty string is 0.
 */
const struct profile_string *profile_add_string(struct profile *p, const char *text)
{
	const struct profile_string *string;
	char *safe;

	if (!p->strings.nr)
		add_safe(p, "");
	/* Most texts are there already, and an escaped text is not escaped again. */
	string = find_string(p, text, hash_string(text));
	if (string)
		return string;
	safe = escape_name(text);
	string = add_safe(p, safe);
	free(safe);
	return string;
}

static const struct profile_string *add_build_id(struct profile *p, const struct dso *dso)
{
	char text[2 * BUILD_ID_MAX + 1] = "";
	size_t i;

	for (i = 0; dso && i < dso->id_size && i < BUILD_ID_MAX; i++)
		sprintf(text + 2 * i, "%02x", dso->id[i]);
	return profile_add_string(p, text);
}

static const struct profile_file *add_file(struct profile *p, struct machine *machine,
					   struct dso *dso)
{
	uint64_t hash = hash_number((uintptr_t)dso);
	struct hash_node *node = hash_table_first(&p->files.table, hash);
	struct profile_file *file;

	for (; node; node = hash_table_next(node)) {
		file = hash_entry(node, struct profile_file, node);
		if (file->dso == dso)
			return file;
	}
	if (dso && !dso->id_size)
		dso_find_recorded_id(&machine->dsos, dso);
	file = xcalloc(1, sizeof(*file));
	file->dso = dso;
	file->name = profile_add_string(p, dso ? dso->name : PROFILE_UNKNOWN);
	file->path = profile_add_string(p, dso ? dso->long_name : PROFILE_UNKNOWN);
	file->build_id = add_build_id(p, dso);
	hash_table_add(&p->files.table, &file->node, hash);
	file->id = append(&p->files, file);
	return file;
}

static const struct profile_string *name_of(struct profile *p, const struct location *at)
{
	return profile_add_string(p, at->symbol ? symbol_name(at->symbol) : PROFILE_UNKNOWN);
}

static const struct profile_function *add_function(struct profile *p, const struct location *at,
						   const struct profile_file *file,
						   const struct profile_string *source)
{
	const struct profile_string *name = name_of(p, at);
	uint64_t hash = hash_mix(hash_mix((uintptr_t)name, (uintptr_t)file), (uintptr_t)source);
	struct hash_node *node = hash_table_first(&p->functions.table, hash);
	struct profile_function *function;

	for (; node; node = hash_table_next(node)) {
		function = hash_entry(node, struct profile_function, node);
		if (function->name == name && function->file == file && function->source == source)
			return function;
	}
	function = xcalloc(1, sizeof(*function));
	function->name = name;
	function->system_name = at->symbol ? profile_add_string(p, at->symbol->name) : name;
	function->file = file;
	function->source = source;
	function->known = at->symbol;
	hash_table_add(&p->functions.table, &function->node, hash);
	function->id = append(&p->functions, function);
	return function;
}

static void make_frame(struct profile *p, struct profile_frame *frame, const struct location *at,
		       const struct profile_file *file)
{
	const struct source_file *source = NULL;

	frame->line = p->with_lines ? location_line(at, &source) : 0;
	frame->function = add_function(p, at, file,
				       profile_add_string(p, frame->line ? source->path : ""));
}

/* Return the address of the code that @at is about, in the ELF file if there is one. */
static uint64_t code_address(const struct location *at)
{
	uint64_t addr = at->addr - at->back, in_file;

	if (at->dso && at->mode == MODE_USER && at->dso->elf.nr_segments &&
	    !elf_offset_to_addr(&at->dso->elf, addr, &in_file))
		return in_file;
	return addr;
}

/*
 * Find or make a location. @frames are its @nr frames, the innermost first; all but the last are of
 * inlined functions.
 */
static const struct profile_location *add_location(struct profile *p, struct machine *machine,
						   const struct location *frames, size_t nr)
{
	const struct location *at = &frames[nr - 1];
	const struct profile_file *file = add_file(p, machine, at->dso);
	const struct profile_string *name = name_of(p, at);
	uint64_t address = code_address(at);
	uint64_t hash = hash_mix(hash_mix((uintptr_t)file + at->mode, address), (uintptr_t)name);
	struct hash_node *node = hash_table_first(&p->locations.table, hash);
	struct profile_location *location;
	size_t i;

	for (; node; node = hash_table_next(node)) {
		location = hash_entry(node, struct profile_location, node);
		if (location->file == file && location->address == address && location->nr == nr &&
		    location->mode == at->mode && location->frames[nr - 1].function->name == name)
			return location;
	}
	location = xcalloc(1, sizeof(*location) + nr * sizeof(location->frames[0]));
	location->file = file;
	location->address = address;
	location->offset = at->symbol && at->symbol_offset >= at->back ?
			   at->symbol_offset - at->back : 0;
	location->mode = at->mode;
	location->nr = nr;
	for (i = 0; i < nr; i++)
		make_frame(p, &location->frames[i], &frames[i], file);
	hash_table_add(&p->locations.table, &location->node, hash);
	location->id = append(&p->locations, location);
	return location;
}

static const struct profile_stack *add_stack(struct profile *p, const struct profile_stack *parent,
					     const struct profile_location *at)
{
	uint64_t hash = hash_mix((uintptr_t)parent, (uintptr_t)at);
	struct hash_node *node = hash_table_first(&p->stacks.table, hash);
	struct profile_stack *stack;

	for (; node; node = hash_table_next(node)) {
		stack = hash_entry(node, struct profile_stack, node);
		if (stack->parent == parent && stack->location == at)
			return stack;
	}
	stack = xcalloc(1, sizeof(*stack));
	stack->parent = parent;
	stack->location = at;
	stack->depth = parent ? parent->depth + 1 : 1;
	hash_table_add(&p->stacks.table, &stack->node, hash);
	stack->id = append(&p->stacks, stack);
	return stack;
}

static bool is_inlined(const struct location *at)
{
	return at->symbol && at->symbol->inlined;
}

/* Add the chain of the current sample, which is not empty. */
static const struct profile_stack *add_chain(struct profile *p, struct machine *machine)
{
	const struct location *frames = p->chain.frames;
	const struct profile_stack *stack = NULL;
	size_t end = p->chain.nr, start;

	while (end) {
		start = end - 1;
		while (start && is_inlined(&frames[start - 1]))
			start--;
		stack = add_stack(p, stack, add_location(p, machine, frames + start, end - start));
		end = start;
	}
	return stack;
}

static const struct profile_stack *stack_of(struct profile *p, struct machine *machine,
					    struct thread *thread, const struct record *record,
					    const struct perf_event_attr *attr)
{
	struct location at;

	p->chain.nr = 0;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		callchain_resolve(&p->chain, machine, thread, record);
	if (p->chain.nr)
		return add_chain(p, machine);
	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &at);
	return add_stack(p, NULL, add_location(p, machine, &at, 1));
}

static const struct profile_thread *add_thread(struct profile *p, uint32_t pid, uint32_t tid,
					       const char *name)
{
	const struct profile_string *comm = profile_add_string(p, name);
	uint64_t hash = hash_mix((uint64_t)pid << 32 | tid, (uintptr_t)comm);
	struct hash_node *node = hash_table_first(&p->threads.table, hash);
	struct profile_thread *thread;

	for (; node; node = hash_table_next(node)) {
		thread = hash_entry(node, struct profile_thread, node);
		if (thread->pid == pid && thread->tid == tid && thread->comm == comm)
			return thread;
	}
	thread = xcalloc(1, sizeof(*thread));
	thread->pid = pid;
	thread->tid = tid;
	thread->comm = comm;
	hash_table_add(&p->threads.table, &thread->node, hash);
	thread->id = append(&p->threads, thread);
	return thread;
}

static const char *unit_of(const struct perf_event_attr *attr)
{
	bool is_clock = attr->type == PERF_TYPE_SOFTWARE &&
			(attr->config == PERF_COUNT_SW_CPU_CLOCK ||
			 attr->config == PERF_COUNT_SW_TASK_CLOCK);

	return is_clock || event_is_off_cpu(attr) ? "nanoseconds" : "count";
}

/* Return the event of a record. In a pipe, it may be described only right before its sample. */
static struct profile_event *get_event(struct profile *p, const struct event_table *events,
				       size_t i)
{
	while (p->nr_events < events->nr) {
		const struct data_event *event = &events->events[p->nr_events];

		p->events = xreallocarray(p->events, p->nr_events + 1, sizeof(*p->events));
		p->events[p->nr_events++] = (struct profile_event){
			.name = profile_add_string(p, event->name ?: ""),
			.unit = unit_of(&event->attr),
		};
	}
	return &p->events[i];
}

/* Find the sum that a sample belongs to, or NULL. */
static struct profile_sample *find_sum(const struct profile *p, const struct profile_sample *like,
				       uint64_t hash)
{
	struct hash_node *node = hash_table_first(&p->samples.table, hash);

	for (; node; node = hash_table_next(node)) {
		struct profile_sample *sum = hash_entry(node, struct profile_sample, node);

		if (sum->stack == like->stack && sum->thread == like->thread &&
		    sum->event == like->event)
			return sum;
	}
	return NULL;
}

static void keep_sample(struct profile *p, const struct profile_sample *like)
{
	uint64_t hash = hash_mix(hash_mix((uintptr_t)like->stack, (uintptr_t)like->thread),
				 like->event);
	struct profile_sample *sample = p->with_times ? NULL : find_sum(p, like, hash);

	if (sample) {
		sample->weight += like->weight;
		sample->nr++;
		return;
	}
	sample = xmalloc(sizeof(*sample));
	*sample = *like;
	if (!p->with_times)
		hash_table_add(&p->samples.table, &sample->node, hash);
	sample->id = append(&p->samples, sample);
}

/**
 * profile_add_sample() - Add a sample
 * @p: tables
 * @session: recording; its machine has the state at the time of the sample
 * @record: sample
 */
void profile_add_sample(struct profile *p, struct session *session, const struct record *record)
{
	const struct event_table *events = data_reader_events(session->reader);
	const struct perf_event_attr *attr = &events->events[record->event].attr;
	struct profile_event *event = get_event(p, events, record->event);
	struct machine *machine = &session->machine;
	struct thread *thread = thread_get(&machine->threads, record->id.pid, record->id.tid);
	struct profile_sample sample = {
		.time = record->id.time,
		.weight = record->sample.period,
		.nr = 1,
		.cpu = record->id.has_cpu ? record->id.cpu : PROFILE_NO_CPU,
		.event = record->event,
	};

	sample.stack = stack_of(p, machine, thread, record, attr);
	sample.thread = add_thread(p, record->id.pid, record->id.tid, thread->comm);
	if (attr->sample_type & PERF_SAMPLE_CGROUP)
		sample.cgroup = profile_add_string(p, cgroups_path(&machine->cgroups,
								   record->sample.cgroup) ?: "");
	if (!p->samples.nr || sample.time < p->first_time)
		p->first_time = sample.time;
	if (sample.time > p->last_time)
		p->last_time = sample.time;
	event->nr++;
	event->weight += sample.weight;
	keep_sample(p, &sample);
}

/**
 * profile_add_switch() - Add a context switch, if the samples are kept one by one
 * @p: tables
 * @session: recording
 * @record: SWITCH or SWITCH_CPU_WIDE record
 */
void profile_add_switch(struct profile *p, struct session *session, const struct record *record)
{
	const struct record_id *id = &record->id;
	struct thread *thread;

	if (!p->with_times || !id->has_tid)
		return;
	thread = thread_get(&session->machine.threads, id->pid, id->tid);
	if (p->nr_switches == p->switches_room) {
		p->switches_room = p->switches_room * 2 + 64;
		p->switches = xreallocarray(p->switches, p->switches_room, sizeof(*p->switches));
	}
	p->switches[p->nr_switches++] = (struct profile_switch){
		.thread = add_thread(p, id->pid, id->tid, thread->comm),
		.time = id->time,
		.cpu = id->has_cpu ? id->cpu : PROFILE_NO_CPU,
		.out = record->misc & PERF_RECORD_MISC_SWITCH_OUT,
		.preempted = record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
	};
}

/* Return the number of the first event with samples, or -1. */
int profile_main_event(const struct profile *p)
{
	size_t i;

	for (i = 0; i < p->nr_events; i++) {
		if (p->events[i].nr)
			return i;
	}
	return -1;
}

static int compare_threads(const void *x, const void *y)
{
	const struct profile_sample *a = *(const struct profile_sample **)x;
	const struct profile_sample *b = *(const struct profile_sample **)y;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread->id < b->thread->id ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* Return all samples by event, thread and time; the caller frees the array. */
const struct profile_sample **profile_by_thread(const struct profile *p)
{
	const struct profile_sample **sorted = xcalloc(p->samples.nr + 1, sizeof(*sorted));
	uint32_t i;

	for (i = 0; i < p->samples.nr; i++)
		sorted[i] = profile_sample(p, i);
	qsort(sorted, p->samples.nr, sizeof(*sorted), compare_threads);
	return sorted;
}

/**
 * profile_steps() - Find the frames of a call chain
 * @p: tables; its steps are set, the outermost frame first
 * @stack: call chain
 *
 * Return: The number of frames.
 */
size_t profile_steps(struct profile *p, const struct profile_stack *stack)
{
	const struct profile_stack *at;
	size_t nr = 0, i;

	for (at = stack; at; at = at->parent)
		nr += at->location->nr;
	if (nr > p->steps_room) {
		p->steps_room = nr * 2;
		p->steps = xreallocarray(p->steps, p->steps_room, sizeof(*p->steps));
	}
	i = nr;
	for (at = stack; at; at = at->parent) {
		const struct profile_location *location = at->location;
		uint32_t frame;

		for (frame = 0; frame < location->nr; frame++)
			p->steps[--i] = (struct profile_step){
				.at = location, .frame = &location->frames[frame],
			};
	}
	return nr;
}

static void free_table(struct profile_table *table)
{
	uint32_t i;

	for (i = 0; i < table->nr; i++)
		free(table->list[i]);
	free(table->list);
	hash_table_free(&table->table);
}

void profile_free(struct profile *p)
{
	free_table(&p->strings);
	free_table(&p->files);
	free_table(&p->functions);
	free_table(&p->locations);
	free_table(&p->stacks);
	free_table(&p->threads);
	free_table(&p->samples);
	free(p->switches);
	free(p->events);
	free(p->steps);
	callchain_free(&p->chain);
}
