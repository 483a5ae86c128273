// SPDX-License-Identifier: GPL-2.0
/*
 * Traces of Perfetto: packets with samples (PerfSample), after packets with the names, frames and
 * call chains that they refer to (InternedData).
 *
 * The fields are those of protos/perfetto/trace of github.com/google/perfetto. Numbers in interned
 * data begin with 1. Times are of the recording's clock.
 */
#include <stdlib.h>
#include <string.h>

#include "perfetto.h"
#include "proto.h"

/* Fields of TracePacket, and the field of Trace that contains a packet. */
enum {
	TRACE_PACKET		= 1,
	PACKET_PROCESS_TREE	= 2,
	PACKET_TIMESTAMP	= 8,
	PACKET_SEQUENCE_ID	= 10,
	PACKET_INTERNED_DATA	= 12,
	PACKET_SEQUENCE_FLAGS	= 13,
	PACKET_PERF_SAMPLE	= 66,
};

/* Bits of PACKET_SEQUENCE_FLAGS. */
enum {
	SEQUENCE_CLEARED	= 1,
	SEQUENCE_NEEDS_STATE	= 2,
};

/* Fields of InternedData. */
enum {
	INTERNED_FUNCTION_NAMES	= 5,
	INTERNED_FRAMES		= 6,
	INTERNED_CALLSTACKS	= 7,
	INTERNED_BUILD_IDS	= 16,
	INTERNED_PATHS		= 17,
	INTERNED_SOURCE_PATHS	= 18,
	INTERNED_MAPPINGS	= 19,
};

/* Bytes from which on a packet with interned data ends. */
#define PACKET_SIZE 32768

/* A CPU that no kernel has: the maximum of CONFIG_NR_CPUS is 8192. */
#define CPUS_MAX 8192

/**
 * struct writer - a trace that is written
 * @out: stream
 * @m: current packet
 * @packet: place of the packet
 * @interned: place of the interned data in the packet
 * @first_frame: number of the outermost frame of each location
 * @counts: sum of the weights so far on each CPU, and without a CPU
 */
struct writer {
	FILE *out;
	struct proto m;
	size_t packet;
	size_t interned;
	uint64_t *first_frame;
	uint64_t counts[CPUS_MAX + 1];
};

static void begin_packet(struct writer *w, uint64_t time, unsigned int flags)
{
	w->packet = proto_begin(&w->m, TRACE_PACKET);
	proto_uint(&w->m, PACKET_TIMESTAMP, time);
	proto_uint(&w->m, PACKET_SEQUENCE_ID, 1);
	proto_uint(&w->m, PACKET_SEQUENCE_FLAGS, flags);
}

static void end_packet(struct writer *w)
{
	proto_end(&w->m, w->packet);
	proto_write(&w->m, w->out);
}

static void begin_interned(struct writer *w)
{
	begin_packet(w, 0, SEQUENCE_NEEDS_STATE);
	w->interned = proto_begin(&w->m, PACKET_INTERNED_DATA);
}

static void end_interned(struct writer *w)
{
	proto_end(&w->m, w->interned);
	end_packet(w);
}

/* Begin another packet if the current one is large. */
static void next_interned(struct writer *w)
{
	if (w->m.size < PACKET_SIZE)
		return;
	end_interned(w);
	begin_interned(w);
}

static void put_string(struct writer *w, unsigned int field, uint32_t id, const void *bytes,
		       size_t size)
{
	size_t place = proto_begin(&w->m, field);

	proto_uint(&w->m, 1, (uint64_t)id + 1);
	proto_bytes(&w->m, 2, bytes, size);
	proto_end(&w->m, place);
	next_interned(w);
}

static void put_text(struct writer *w, unsigned int field, const struct profile_string *string)
{
	put_string(w, field, string->id, string->text, strlen(string->text));
}

static void put_file(struct writer *w, const struct profile_file *file)
{
	size_t place;

	put_text(w, INTERNED_PATHS, file->path);
	if (file->build_id->id)
		put_string(w, INTERNED_BUILD_IDS, file->id, file->dso->id, file->dso->id_size);
	place = proto_begin(&w->m, INTERNED_MAPPINGS);
	proto_uint(&w->m, 1, (uint64_t)file->id + 1);
	proto_uint(&w->m, 2, file->build_id->id ? (uint64_t)file->id + 1 : 0);
	proto_uint(&w->m, 7, (uint64_t)file->path->id + 1);
	proto_end(&w->m, place);
	next_interned(w);
}

static void put_frame(struct writer *w, uint64_t id, const struct profile_location *at,
		      const struct profile_frame *frame)
{
	size_t place = proto_begin(&w->m, INTERNED_FRAMES);

	proto_uint(&w->m, 1, id + 1);
	proto_uint(&w->m, 2, (uint64_t)frame->function->name->id + 1);
	proto_uint(&w->m, 3, (uint64_t)at->file->id + 1);
	proto_uint(&w->m, 4, at->address);
	if (frame->line) {
		proto_uint(&w->m, 5, (uint64_t)frame->function->source->id + 1);
		proto_uint(&w->m, 6, frame->line);
	}
	proto_end(&w->m, place);
	next_interned(w);
}

/* Write the frames of all locations, and number them, the outermost of a location first. */
static void put_frames(struct writer *w, const struct profile *p)
{
	uint64_t next = 0;
	uint32_t i, k;

	w->first_frame = xcalloc(p->locations.nr + 1, sizeof(*w->first_frame));
	for (i = 0; i < p->locations.nr; i++) {
		const struct profile_location *at = profile_location(p, i);

		w->first_frame[i] = next;
		for (k = at->nr; k; k--)
			put_frame(w, next++, at, &at->frames[k - 1]);
	}
}

static void put_stack(struct writer *w, struct profile *p, const struct profile_stack *stack)
{
	size_t i, nr = profile_steps(p, stack);
	size_t place = proto_begin(&w->m, INTERNED_CALLSTACKS), frames;

	proto_uint(&w->m, 1, (uint64_t)stack->id + 1);
	frames = proto_begin(&w->m, 2);
	for (i = 0; i < nr; i++) {
		const struct profile_location *at = p->steps[i].at;
		size_t frame = p->steps[i].frame - at->frames;

		proto_number(&w->m, w->first_frame[at->id] + at->nr - 1 - frame + 1);
	}
	proto_end(&w->m, frames);
	proto_end(&w->m, place);
	next_interned(w);
}

static void put_interned(struct writer *w, struct profile *p, uint32_t event)
{
	bool *written = xcalloc(p->stacks.nr + 1, sizeof(*written));
	bool *names = xcalloc(p->strings.nr + 1, sizeof(*names));
	bool *sources = xcalloc(p->strings.nr + 1, sizeof(*sources));
	uint32_t i;

	begin_interned(w);
	for (i = 0; i < p->files.nr; i++)
		put_file(w, profile_file(p, i));
	for (i = 0; i < p->functions.nr; i++) {
		const struct profile_function *function = profile_function(p, i);

		if (!names[function->name->id])
			put_text(w, INTERNED_FUNCTION_NAMES, function->name);
		names[function->name->id] = true;
		if (!sources[function->source->id])
			put_text(w, INTERNED_SOURCE_PATHS, function->source);
		sources[function->source->id] = true;
	}
	put_frames(w, p);
	for (i = 0; i < p->samples.nr; i++) {
		const struct profile_sample *sample = profile_sample(p, i);

		if (sample->event != event || written[sample->stack->id])
			continue;
		put_stack(w, p, sample->stack);
		written[sample->stack->id] = true;
	}
	end_interned(w);
	free(written);
	free(names);
	free(sources);
}

static void put_tree(struct writer *w, const struct profile *p)
{
	size_t tree, place;
	uint32_t i;

	begin_packet(w, p->first_time, SEQUENCE_CLEARED | SEQUENCE_NEEDS_STATE);
	tree = proto_begin(&w->m, PACKET_PROCESS_TREE);
	for (i = 0; i < p->threads.nr; i++) {
		const struct profile_thread *thread = profile_thread(p, i);
		bool is_process = thread->pid == thread->tid;

		place = proto_begin(&w->m, is_process ? 1 : 2);
		proto_uint(&w->m, 1, thread->tid);
		if (!is_process) {
			proto_string(&w->m, 2, thread->comm->text);
			proto_uint(&w->m, 3, thread->pid);
		} else {
			proto_string(&w->m, 3, thread->comm->text);
		}
		proto_end(&w->m, place);
	}
	proto_end(&w->m, tree);
	end_packet(w);
}

/* Return the value of enum Profiling.CpuMode. */
static unsigned int cpu_mode(enum cpu_mode mode)
{
	switch (mode) {
	case MODE_KERNEL:
		return 1;
	case MODE_USER:
		return 2;
	case MODE_HYPERVISOR:
		return 3;
	case MODE_GUEST_KERNEL:
		return 4;
	case MODE_GUEST_USER:
		return 5;
	case MODE_NOWHERE:
		break;
	}
	return 0;
}

/* A sample has the count of the event on its CPU, not the difference from the previous sample. */
static void put_sample(struct writer *w, const struct profile_sample *sample)
{
	bool has_cpu = sample->cpu < CPUS_MAX;
	uint64_t *count = &w->counts[has_cpu ? sample->cpu : CPUS_MAX];
	size_t place;

	*count += sample->weight;
	begin_packet(w, sample->time, SEQUENCE_NEEDS_STATE);
	place = proto_begin(&w->m, PACKET_PERF_SAMPLE);
	if (has_cpu)
		proto_uint(&w->m, 1, sample->cpu);
	proto_uint(&w->m, 2, sample->thread->pid);
	proto_uint(&w->m, 3, sample->thread->tid);
	proto_uint(&w->m, 4, (uint64_t)sample->stack->id + 1);
	proto_uint(&w->m, 5, cpu_mode(sample->stack->location->mode));
	proto_uint(&w->m, 6, *count);
	proto_end(&w->m, place);
	end_packet(w);
}

void export_perfetto(FILE *out, struct profile *p, uint32_t event)
{
	struct writer *w = xcalloc(1, sizeof(*w));
	uint32_t i;

	w->out = out;
	put_tree(w, p);
	put_interned(w, p, event);
	for (i = 0; i < p->samples.nr; i++) {
		if (profile_sample(p, i)->event == event)
			put_sample(w, profile_sample(p, i));
	}
	proto_free(&w->m);
	free(w->first_frame);
	free(w);
}
