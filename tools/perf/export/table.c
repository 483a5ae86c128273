// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of rows for SQL engines: samples, stacks and frames.
 *
 *	samples	stack -> stacks	frame -> frames
 *
 * Documentation/perf_counter/fleet.rst has the columns. The numbers of frames and stacks are hashes
 * of their contents, without addresses, times and numbers of processes: the same code has the same
 * number on every machine, so files of many machines are put into one table. A hash is FNV-1a of 64
 * bits, of all texts, each followed by a byte 0. The lowest bit is dropped: a number from 0 that
 * fits into a signed integer of 64 bits.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compress.h"
#include "csv.h"
#include "table.h"

#define FNV_START 0xcbf29ce484222325ULL
#define FNV_PRIME 0x100000001b3ULL

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes, *end = at + size;

	for (; at < end; at++)
		hash = (hash ^ *at) * FNV_PRIME;
	return hash;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	return add_bytes(hash, text, strlen(text) + 1);
}

static uint64_t add_number(uint64_t hash, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return add_text(hash, text);
}

/* Numbers that have been written. */
struct written {
	struct hash_table table;
};

/* Return true if a number is new, which is then noted. */
static bool note(struct written *written, uint64_t number)
{
	struct hash_node *node = hash_table_first(&written->table, number);

	if (node)
		return false;
	node = xcalloc(1, sizeof(*node));
	hash_table_add(&written->table, node, number);
	return true;
}

/**
 * struct writer - a file that is written
 * @table: options
 * @file: stream of the file
 * @out: stream for rows, which may compress them
 * @path: path of the file
 * @names: names of the columns, ended by NULL
 * @column: number of the next column of the current row
 */
struct writer {
	const struct export_table *table;
	FILE *file;
	FILE *out;
	char *path;
	const char *const *names;
	size_t column;
};

static int open_file(struct writer *w, const struct export_table *table, const char *what,
		     const char *const *names, struct error *err)
{
	size_t i;

	*w = (struct writer){ .table = table, .names = names };
	w->path = xasprintf("%s.%s.%s%s", table->prefix, what, table->json ? "json" : "csv",
			    table->zstd ? ".zst" : "");
	w->file = open_output_file(w->path, false, err);
	if (!w->file) {
		free(w->path);
		return -1;
	}
	w->out = table->zstd ? compress_zstd(w->file) : w->file;
	for (i = 0; !table->json && names[i]; i++)
		fprintf(w->out, "%s%s", i ? "," : "", names[i]);
	if (!table->json)
		fputc('\n', w->out);
	return 0;
}

static int close_file(struct writer *w, struct error *err)
{
	bool failed = ferror(w->out);

	errno = 0;
	if (w->out != w->file && fclose(w->out))
		failed = true;
	if (ferror(w->file))
		failed = true;
	if (fclose(w->file))
		failed = true;
	if (failed)
		error_set(err, "cannot write %s: %s", w->path,
			  errno ? strerror(errno) : "write error");
	free(w->path);
	return failed ? -1 : 0;
}

/* Write the characters before a value: a separator and, in JSON, the name of the column. */
static void begin_field(struct writer *w)
{
	if (w->table->json)
		fprintf(w->out, "%c\"%s\":", w->column ? ',' : '{', w->names[w->column]);
	else if (w->column)
		fputc(',', w->out);
	w->column++;
}

static void put_text(struct writer *w, const char *text)
{
	begin_field(w);
	if (w->table->json)
		json_print_string(w->out, text);
	else
		csv_print_string(w->out, text);
}

static void put_number(struct writer *w, uint64_t number)
{
	begin_field(w);
	fprintf(w->out, "%" PRIu64, number > INT64_MAX ? INT64_MAX : number);
}

/* Write a field without a value: empty in CSV. */
static void put_null(struct writer *w)
{
	begin_field(w);
	if (w->table->json)
		fputs("null", w->out);
}

static void end_row(struct writer *w)
{
	fputs(w->table->json ? "}\n" : "\n", w->out);
	w->column = 0;
}

static uint64_t frame_hash(const struct profile_step *step)
{
	const struct profile_function *function = step->frame->function;
	uint64_t hash = FNV_START;

	hash = add_text(hash, function->name->text);
	hash = add_text(hash, function->file->name->text);
	hash = add_text(hash, function->file->build_id->text);
	hash = add_text(hash, function->source->text);
	hash = add_number(hash, step->frame->line);
	hash = add_number(hash, step->frame != &step->at->frames[step->at->nr - 1]);
	return hash >> 1;
}

/* Return the hash of a call chain; the profile's steps are set. */
static uint64_t stack_hash(struct profile *p, const struct profile_stack *stack)
{
	size_t i = profile_steps(p, stack);
	uint64_t hash = FNV_START;

	while (i)
		hash = add_number(hash, frame_hash(&p->steps[--i]));
	return hash >> 1;
}

static void put_frame(struct writer *w, const struct profile_step *step)
{
	const struct profile_function *function = step->frame->function;

	put_number(w, frame_hash(step));
	put_text(w, function->name->text);
	put_text(w, function->file->name->text);
	put_text(w, function->file->build_id->text);
	put_text(w, function->source->text);
	put_number(w, step->frame->line);
	put_number(w, step->frame != &step->at->frames[step->at->nr - 1]);
	put_number(w, profile_in_kernel(step->at));
	end_row(w);
}

static void write_samples(struct writer *w, struct profile *p, const uint64_t *stacks)
{
	uint64_t recording = FNV_START;
	uint32_t i;

	recording = add_text(recording, w->table->host);
	recording = add_number(recording, p->first_time);
	recording = add_number(recording, p->last_time) >> 1;
	for (i = 0; i < p->samples.nr; i++) {
		const struct profile_sample *sample = profile_sample(p, i);

		put_number(w, recording);
		put_text(w, w->table->host);
		put_number(w, profile_begin_time(p) + (sample->time - p->first_time));
		put_text(w, p->events[sample->event].name->text);
		put_number(w, sample->thread->pid);
		put_number(w, sample->thread->tid);
		put_text(w, sample->thread->comm->text);
		if (sample->cpu == PROFILE_NO_CPU)
			put_null(w);
		else
			put_number(w, sample->cpu);
		put_text(w, sample->cgroup ? sample->cgroup->text : "");
		put_number(w, stacks[sample->stack->id]);
		put_number(w, sample->weight);
		end_row(w);
	}
}

static void write_stacks(struct writer *stacks, struct writer *frames, struct profile *p,
			 uint64_t *hashes)
{
	struct written seen_stacks = { 0 }, seen_frames = { 0 };
	uint64_t stack, frame;
	size_t nr, position;
	uint32_t i;

	for (i = 0; i < p->samples.nr; i++) {
		const struct profile_sample *sample = profile_sample(p, i);

		if (hashes[sample->stack->id])
			continue;
		stack = stack_hash(p, sample->stack);
		hashes[sample->stack->id] = stack;
		if (!note(&seen_stacks, stack))
			continue;
		nr = profile_steps(p, sample->stack);
		for (position = 0; position < nr; position++) {
			const struct profile_step *step = &p->steps[nr - 1 - position];

			frame = frame_hash(step);
			put_number(stacks, stack);
			put_number(stacks, position);
			put_number(stacks, frame);
			end_row(stacks);
			if (note(&seen_frames, frame))
				put_frame(frames, step);
		}
	}
	hash_table_free_all(&seen_stacks.table, hash_node_free);
	hash_table_free_all(&seen_frames.table, hash_node_free);
}

/* Write all files that are open. Return: 0, or -1 with @err set if one could not be written. */
static int write_all(struct writer *samples, struct writer *stacks, struct writer *frames,
		     struct profile *p, struct error *err)
{
	uint64_t *hashes = xcalloc((size_t)p->stacks.nr + 1, sizeof(*hashes));
	int ret;

	write_stacks(stacks, frames, p, hashes);
	write_samples(samples, p, hashes);
	free(hashes);
	ret = close_file(samples, err);
	ret |= close_file(stacks, err);
	return ret | close_file(frames, err);
}

/**
 * export_table() - Write PREFIX.samples.csv, PREFIX.stacks.csv and PREFIX.frames.csv
 * @p: tables
 * @table: options
 * @err: set to the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int export_table(struct profile *p, const struct export_table *table, struct error *err)
{
	static const char *const of_samples[] = {
		"recording", "host", "time", "event", "pid", "tid", "comm", "cpu", "cgroup",
		"stack", "weight", NULL,
	};
	static const char *const of_stacks[] = { "stack", "position", "frame", NULL };
	static const char *const of_frames[] = {
		"frame", "function", "file", "build_id", "source", "line", "inlined", "kernel",
		NULL,
	};
	struct writer samples, stacks, frames;
	struct error ignored;

	if (open_file(&samples, table, "samples", of_samples, err))
		return -1;
	if (open_file(&stacks, table, "stacks", of_stacks, err)) {
		close_file(&samples, &ignored);
		return -1;
	}
	if (open_file(&frames, table, "frames", of_frames, err)) {
		close_file(&samples, &ignored);
		close_file(&stacks, &ignored);
		return -1;
	}
	return write_all(&samples, &stacks, &frames, p, err);
}
