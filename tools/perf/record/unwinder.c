// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinds samples while they are recorded: chains take the place of stacks.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "machine/machine.h"
#include "unwinder.h"

/* Bytes of blocks beyond which the recorder waits for the thread. */
#define BLOCKS_BYTES_MAX (64UL << 20)
/* If more bytes than these wait for the thread, it keeps stacks. */
#define BEHIND_BYTES (16UL << 20)
/* Bytes of records that wait for older ones. */
#define QUEUE_BYTES_MAX (64UL << 20)
/* The largest size of a record, a multiple of 8 that fits into 16 bits. */
#define RECORD_SIZE_MAX 65528

/**
 * struct block - the records of a round
 * @next: next block of a list
 * @bytes: records
 * @size: number of @bytes
 * @room: allocated size of @bytes
 * @sizes: original sizes of the records, because the thread makes some of them shorter
 * @nr: number of @sizes
 */
struct block {
	struct block *next;
	char *bytes;
	size_t size;
	size_t room;
	uint16_t *sizes;
	size_t nr;
};

/* A list of blocks, the oldest first. */
struct block_list {
	struct block *first;
	struct block **end;
};

/**
 * struct unwinder - a thread that unwinds
 * @thread: the thread
 * @filling: block of the current round; only the recorder uses it
 * @lock: protects the following fields up to @ending
 * @changed: a list has changed
 * @waiting: blocks that the thread has not begun
 * @finished: blocks that can be written
 * @waiting_bytes: bytes in @waiting
 * @all_bytes: bytes in all blocks that have been submitted and not been written
 * @idle: true if the thread waits for a block
 * @ending: true if no block follows
 * @open: block whose records may wait in @queue; this and the following fields belong to the
 *	thread until it has ended
 * @events: events of the records
 * @sources: places of symbols
 * @features: description of this machine, like that of a recording
 * @machine: state of the machine
 * @exited: threads that have exited
 * @queue: sorts the records by time
 * @chain: chain of the current sample
 * @counts: numbers of samples with and without a chain
 */
struct unwinder {
	pthread_t thread;
	struct block *filling;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct block_list waiting;
	struct block_list finished;
	size_t waiting_bytes;
	size_t all_bytes;
	bool idle;
	bool ending;
	struct block *open;
	struct event_table events;
	struct symbol_sources sources;
	struct data_features features;
	struct machine machine;
	struct exited_threads exited;
	struct record_queue queue;
	struct callchain chain;
	struct unwinder_counts counts;
};

static void list_init(struct block_list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void list_add(struct block_list *list, struct block *block)
{
	block->next = NULL;
	*list->end = block;
	list->end = &block->next;
}

static struct block *list_take(struct block_list *list)
{
	struct block *block = list->first;

	if (!block)
		return NULL;
	list->first = block->next;
	if (!list->first)
		list->end = &list->first;
	return block;
}

static void free_block(struct block *block)
{
	if (!block)
		return;
	free(block->sizes);
	free(block->bytes);
	free(block);
}

static void free_list(struct block_list *list)
{
	struct block *block;

	while ((block = list_take(list)))
		free_block(block);
}

/* Return true if so many bytes wait that the thread has no time for unwinding. */
static bool is_behind(struct unwinder *u)
{
	bool behind;

	pthread_mutex_lock(&u->lock);
	behind = u->waiting_bytes > BEHIND_BYTES;
	pthread_mutex_unlock(&u->lock);
	return behind;
}

/* Copy bytes to *@to, and move *@to past them. */
static void put(char **to, const void *bytes, size_t size)
{
	memcpy(*to, bytes, size);
	*to += size;
}

static void put_u64(char **to, uint64_t value)
{
	put(to, &value, sizeof(value));
}

/*
 * Return the address that stands for a frame in a recorded chain: readers look up the first entry
 * as it is, and the others one byte before, because they are return addresses.
 */
static uint64_t chain_entry(const struct callchain *chain, size_t i)
{
	return chain->frames[i].ip - chain->frames[i].back + (i ? 1 : 0);
}

/*
 * Replace @place, the sample in its block, by one with the unwound chain, without registers and
 * stack. @header is a copy of the sample, and @sample its contents. Return false if the new sample
 * does not fit.
 */
static bool replace(char *place, const struct perf_event_header *header,
		    const struct sample *sample, const struct callchain *chain)
{
	const char *from = (const char *)header, *end = from + header->size;
	const char *chain_end = (const char *)(sample->chain + sample->chain_nr);
	const char *regs = (const char *)sample->user_regs.values - sizeof(uint64_t);
	const char *stack_end = (const char *)sample->user_stack + sample->user_stack_size +
				sizeof(uint64_t);
	struct perf_event_header new = *header;
	size_t i, added = (chain->nr + 1) * sizeof(uint64_t);
	size_t removed = (stack_end - regs) - 2 * sizeof(uint64_t);

	if (added > removed || header->size - removed + added > RECORD_SIZE_MAX)
		return false;
	new.size = header->size - removed + added;
	put(&place, &new, sizeof(new));
	put(&place, header + 1, (const char *)sample->chain - sizeof(uint64_t) -
	    (const char *)(header + 1));
	put_u64(&place, sample->chain_nr + 1 + chain->nr);
	put(&place, sample->chain, chain_end - (const char *)sample->chain);
	put_u64(&place, PERF_CONTEXT_USER);
	for (i = 0; i < chain->nr; i++)
		put_u64(&place, chain_entry(chain, i));
	put(&place, chain_end, regs - chain_end);
	put_u64(&place, PERF_SAMPLE_REGS_ABI_NONE);
	put_u64(&place, 0);
	put(&place, stack_end, end - stack_end);
	return true;
}

static bool has_stack(const struct unwinder *u, const struct record *record)
{
	const struct perf_event_attr *attr = &u->events.events[record->event].attr;
	const struct sample *sample = &record->sample;

	return attr->sample_type & PERF_SAMPLE_CALLCHAIN && sample->user_regs.abi &&
	       sample->user_stack_size;
}

static void take_sample(struct unwinder *u, const struct record *record,
			const struct perf_event_header *header, char *place)
{
	struct thread *thread;

	if (!has_stack(u, record))
		return;
	if (!place) {
		u->counts.incomplete++;
		return;
	}
	if (is_behind(u)) {
		u->counts.behind++;
		return;
	}
	thread = thread_get(&u->machine.threads, record->id.pid, record->id.tid);
	if (callchain_unwind(&u->chain, &u->machine, thread, record) &&
	    replace(place, header, &record->sample, &u->chain))
		u->counts.unwound++;
	else
		u->counts.incomplete++;
}

/*
 * Apply a record in the order of time. @offset is the address of the record in its block, or 0 if
 * @header is that record, not a copy.
 */
static void apply(void *unwinder, const struct perf_event_header *header, uint64_t offset)
{
	struct unwinder *u = unwinder;
	struct record record;

	if (record_decode(&u->events, header, &record) != RECORD_OK)
		return;
	machine_apply(&u->machine, &record);
	if (record.type == PERF_RECORD_SAMPLE)
		take_sample(u, &record, header, (char *)(uintptr_t)offset);
	else if (record.type == PERF_RECORD_EXIT)
		exited_threads_add(&u->exited, &u->machine.threads, record.task.tid);
}

static void note_size(struct block *block, uint16_t size)
{
	const size_t step = 1024;

	if (!(block->nr % step))
		block->sizes = xreallocarray(block->sizes, block->nr + step, sizeof(size));
	block->sizes[block->nr++] = size;
}

static void queue_block(struct unwinder *u, struct block *block)
{
	const struct perf_event_header *header;
	uint64_t time;
	size_t at;

	for (at = 0; at < block->size; at += block->sizes[block->nr - 1]) {
		header = (const struct perf_event_header *)(block->bytes + at);
		note_size(block, header->size);
		if (header->type == USER_RECORD_FINISHED_ROUND)
			continue;
		time = record_time(&u->events, header);
		/* Synthesized records have no time and are applied at once. */
		if (time && time != UINT64_MAX)
			record_queue_add(&u->queue, header, time, (uintptr_t)header);
		else
			apply(u, header, 0);
	}
}

/* Remove the gaps after the records that were replaced. */
static void close_gaps(struct block *block)
{
	size_t i, at = 0, to = 0, size;

	for (i = 0; i < block->nr; i++) {
		size = ((const struct perf_event_header *)(block->bytes + at))->size;
		if (to != at)
			memmove(block->bytes + to, block->bytes + at, size);
		to += size;
		at += block->sizes[i];
	}
	block->size = to;
}

/*
 * Finish the open block: no record of the block is in the queue any more, so the recorder can write
 * it.
 */
static void finish_open(struct unwinder *u)
{
	size_t size;

	if (!u->open)
		return;
	size = u->open->size;
	close_gaps(u->open);
	pthread_mutex_lock(&u->lock);
	u->all_bytes -= size - u->open->size;
	list_add(&u->finished, u->open);
	pthread_cond_broadcast(&u->changed);
	pthread_mutex_unlock(&u->lock);
	u->open = NULL;
}

/* Wait for a block. Return NULL if none follows. */
static struct block *wait_for_block(struct unwinder *u)
{
	struct block *block;

	pthread_mutex_lock(&u->lock);
	u->idle = true;
	pthread_cond_broadcast(&u->changed);
	while (!u->waiting.first && !u->ending)
		pthread_cond_wait(&u->changed, &u->lock);
	block = list_take(&u->waiting);
	if (block)
		u->waiting_bytes -= block->size;
	u->idle = false;
	pthread_mutex_unlock(&u->lock);
	return block;
}

static void *run(void *unwinder)
{
	struct unwinder *u = unwinder;
	struct block *block;

	while ((block = wait_for_block(u))) {
		queue_block(u, block);
		/* No record of the previous block is in the queue any more. */
		record_queue_round(&u->queue);
		finish_open(u);
		u->open = block;
		exited_threads_round(&u->exited, &u->machine.threads);
	}
	record_queue_flush(&u->queue);
	finish_open(u);
	return NULL;
}

static void copy_events(struct unwinder *u, const struct data_event *events, size_t nr)
{
	size_t i, j;

	for (i = 0; i < nr; i++) {
		event_table_add(&u->events, &events[i].attr);
		for (j = 0; j < events[i].nr_ids; j++)
			event_table_add_id(&u->events, i, events[i].ids[j]);
	}
}

struct unwinder *unwinder_start(const struct data_event *events, size_t nr, struct error *err)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));
	struct utsname name;
	int status;

	list_init(&u->waiting);
	list_init(&u->finished);
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->changed, NULL);
	u->queue = (struct record_queue){
		.deliver = apply, .context = u, .bytes_max = QUEUE_BYTES_MAX,
	};
	u->sources.data_path = "";
	if (!uname(&name))
		u->features.osrelease = xstrdup(name.release);
	machine_init(&u->machine, &u->sources, &u->features);
	copy_events(u, events, nr);
	u->machine.events = &u->events;
	status = quiet_thread_start(&u->thread, run, u);
	if (!status)
		return u;
	error_set(err, "--unwind: cannot start a thread: %s", strerror(status));
	u->ending = true;
	unwinder_free(u);
	return NULL;
}

void unwinder_add(struct unwinder *u, const void *records, size_t bytes)
{
	struct block *block = u->filling;

	if (!bytes)
		return;
	if (!block) {
		block = xcalloc(1, sizeof(*block));
		u->filling = block;
	}
	if (block->room - block->size < bytes) {
		block->room = 2 * block->room + bytes;
		block->bytes = xreallocarray(block->bytes, block->room, 1);
	}
	memcpy(block->bytes + block->size, records, bytes);
	block->size += bytes;
}

/* Give the block of this round to the thread. The caller has the lock. */
static void submit(struct unwinder *u)
{
	struct block *block = u->filling;

	if (!block)
		return;
	u->filling = NULL;
	list_add(&u->waiting, block);
	u->waiting_bytes += block->size;
	u->all_bytes += block->size;
	pthread_cond_broadcast(&u->changed);
}

/* Write the finished blocks. The caller has the lock, which is not held during writing. */
static int write_finished(struct unwinder *u, struct data_writer *writer)
{
	struct block *block;
	int status = 0;

	while (!status && (block = list_take(&u->finished))) {
		u->all_bytes -= block->size;
		pthread_mutex_unlock(&u->lock);
		status = data_writer_write(writer, block->bytes, block->size);
		free_block(block);
		pthread_mutex_lock(&u->lock);
	}
	return status;
}

int unwinder_round(struct unwinder *u, struct data_writer *writer)
{
	int status;

	pthread_mutex_lock(&u->lock);
	submit(u);
	status = write_finished(u, writer);
	while (!status && u->all_bytes > BLOCKS_BYTES_MAX && (u->waiting.first || !u->idle)) {
		pthread_cond_wait(&u->changed, &u->lock);
		status = write_finished(u, writer);
	}
	pthread_mutex_unlock(&u->lock);
	return status;
}

/* Let the thread end after the last block. */
static void end_thread(struct unwinder *u)
{
	pthread_mutex_lock(&u->lock);
	u->ending = true;
	pthread_cond_broadcast(&u->changed);
	pthread_mutex_unlock(&u->lock);
	pthread_join(u->thread, NULL);
}

int unwinder_finish(struct unwinder *u, struct data_writer *writer)
{
	int status;

	pthread_mutex_lock(&u->lock);
	submit(u);
	pthread_mutex_unlock(&u->lock);
	end_thread(u);
	pthread_mutex_lock(&u->lock);
	status = write_finished(u, writer);
	pthread_mutex_unlock(&u->lock);
	return status;
}

struct unwinder_counts unwinder_counts(const struct unwinder *u)
{
	return u->counts;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	if (!u->ending)
		end_thread(u);
	free_list(&u->waiting);
	free_list(&u->finished);
	free_block(u->filling);
	callchain_free(&u->chain);
	exited_threads_free(&u->exited);
	machine_free(&u->machine);
	event_table_free(&u->events);
	data_features_free(&u->features);
	pthread_mutex_destroy(&u->lock);
	pthread_cond_destroy(&u->changed);
	free(u);
}
