// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of system calls by thread.
 */
#include <stdlib.h>
#include <string.h>

#include "summary.h"

#define NS_PER_MS 1e6

/**
 * struct call_sum - all calls of one kind by a thread
 * @node: node in the table, by @syscall
 * @syscall: system call
 * @nr_calls: number of calls
 * @nr_errors: number of calls that failed
 * @times: durations of calls that returned, in ms
 * @total: sum of the durations in ms
 * @min: shortest duration in ms
 * @max: longest duration in ms
 * @errors: number of failures by errno
 */
struct call_sum {
	struct hash_node node;
	const struct syscall *syscall;
	uint64_t nr_calls;
	uint64_t nr_errors;
	struct spread times;
	double total;
	double min;
	double max;
	struct hash_table errors;
};

/* The number of failures with an errno. */
struct error_sum {
	struct hash_node node;
	int error;
	uint64_t nr;
};

/* A thread and its calls. A thread that changes its name has an entry for each name. */
struct thread_sum {
	struct hash_node node;
	uint32_t tid;
	char *comm;
	uint64_t nr_calls;
	struct hash_table calls;
};

static struct thread_sum *get_thread(struct summary *summary, const char *comm, uint32_t tid)
{
	uint64_t hash = hash_mix(hash_string(comm), tid);
	struct thread_sum *thread;
	struct hash_node *node;

	for (node = hash_table_first(&summary->threads, hash); node;
	     node = hash_table_next(node)) {
		thread = hash_entry(node, struct thread_sum, node);
		if (thread->tid == tid && !strcmp(thread->comm, comm))
			return thread;
	}
	thread = xcalloc(1, sizeof(*thread));
	thread->tid = tid;
	thread->comm = xstrdup(comm);
	hash_table_add(&summary->threads, &thread->node, hash);
	return thread;
}

static struct call_sum *get_sum(struct thread_sum *thread, const struct call *call)
{
	/* Unknown calls are one row, because a program may try any number. */
	uint64_t hash = hash_number((uintptr_t)call->syscall);
	struct hash_node *node;
	struct call_sum *sum;

	for (node = hash_table_first(&thread->calls, hash); node; node = hash_table_next(node)) {
		sum = hash_entry(node, struct call_sum, node);
		if (sum->syscall == call->syscall)
			return sum;
	}
	sum = xcalloc(1, sizeof(*sum));
	sum->syscall = call->syscall;
	hash_table_add(&thread->calls, &sum->node, hash);
	return sum;
}

static void add_error(struct call_sum *sum, int error)
{
	struct hash_node *node;
	struct error_sum *errors;

	for (node = hash_table_first(&sum->errors, hash_number(error)); node;
	     node = hash_table_next(node)) {
		errors = hash_entry(node, struct error_sum, node);
		if (errors->error == error) {
			errors->nr++;
			return;
		}
	}
	errors = xcalloc(1, sizeof(*errors));
	errors->error = error;
	errors->nr = 1;
	hash_table_add(&sum->errors, &errors->node, hash_number(error));
}

void summary_add(struct summary *summary, const char *comm, uint32_t tid,
		 const struct call *call)
{
	struct thread_sum *thread =
		summary->total ? get_thread(summary, "", 0) : get_thread(summary, comm, tid);
	struct call_sum *sum = get_sum(thread, call);
	double ms;

	thread->nr_calls++;
	sum->nr_calls++;
	if (call_has_failed(call)) {
		sum->nr_errors++;
		add_error(sum, -call->ret);
	}
	if (!call->begin || !call->end)
		return;
	ms = (call->end - call->begin) / NS_PER_MS;
	if (!sum->times.nr || ms < sum->min)
		sum->min = ms;
	if (!sum->times.nr || ms > sum->max)
		sum->max = ms;
	sum->total += ms;
	spread_add(&sum->times, ms);
}

static int by_calls(const void *a, const void *b)
{
	const struct thread_sum *one = hash_entry(*(struct hash_node **)a, struct thread_sum, node);
	const struct thread_sum *other =
		hash_entry(*(struct hash_node **)b, struct thread_sum, node);

	if (one->nr_calls != other->nr_calls)
		return one->nr_calls < other->nr_calls ? 1 : -1;
	return (one->tid > other->tid) - (one->tid < other->tid);
}

static const char *name_of(const struct call_sum *sum)
{
	return sum->syscall->name ? sum->syscall->name : "(unknown)";
}

static int by_time(const void *a, const void *b)
{
	const struct call_sum *one = hash_entry(*(struct hash_node **)a, struct call_sum, node);
	const struct call_sum *other = hash_entry(*(struct hash_node **)b, struct call_sum, node);

	if (one->total != other->total)
		return one->total < other->total ? 1 : -1;
	return strcmp(name_of(one), name_of(other));
}

static void print_sum(const struct call_sum *sum, FILE *out)
{
	fprintf(out, "   %-18s %8llu %7llu", name_of(sum), (unsigned long long)sum->nr_calls,
		(unsigned long long)sum->nr_errors);
	if (sum->times.nr)
		fprintf(out, " %11.3f %9.3f %9.3f %9.3f %9.2f%%\n", sum->total, sum->min,
			sum->times.mean, sum->max, spread_percent(&sum->times));
	else
		fputc('\n', out);
}

static int by_failures(const void *a, const void *b)
{
	const struct error_sum *one = hash_entry(*(struct hash_node **)a, struct error_sum, node);
	const struct error_sum *other =
		hash_entry(*(struct hash_node **)b, struct error_sum, node);

	if (one->nr != other->nr)
		return one->nr < other->nr ? 1 : -1;
	return one->error - other->error;
}

static void print_errors(const struct call_sum *sum, FILE *out)
{
	struct hash_node **nodes = hash_table_nodes(&sum->errors);
	size_t i, nr = sum->errors.nr;

	qsort(nodes, nr, sizeof(*nodes), by_failures);
	for (i = 0; i < nr; i++) {
		const struct error_sum *errors = hash_entry(nodes[i], struct error_sum, node);
		const char *name = call_error_name(errors->error);

		if (name)
			fprintf(out, "%32s: %llu\n", name, (unsigned long long)errors->nr);
		else
			fprintf(out, "%26s%6d: %llu\n", "errno ", errors->error,
				(unsigned long long)errors->nr);
	}
	free(nodes);
}

static void print_thread(const struct thread_sum *thread, bool total, FILE *out, bool errors,
			 size_t max_calls)
{
	struct hash_node **nodes = hash_table_nodes(&thread->calls);
	size_t i, nr = thread->calls.nr;

	if (total)
		fprintf(out, "\n total, %llu calls\n\n", (unsigned long long)thread->nr_calls);
	else
		fprintf(out, "\n %s (%u), %llu calls\n\n", thread->comm, thread->tid,
			(unsigned long long)thread->nr_calls);
	fprintf(out, "   %-18s %8s %7s %11s %9s %9s %9s %10s\n", "syscall", "calls", "errors",
		"total (ms)", "min (ms)", "avg (ms)", "max (ms)", "spread");
	qsort(nodes, nr, sizeof(*nodes), by_time);
	for (i = 0; i < nr && !(max_calls && i == max_calls); i++) {
		print_sum(hash_entry(nodes[i], struct call_sum, node), out);
		if (errors)
			print_errors(hash_entry(nodes[i], struct call_sum, node), out);
	}
	free(nodes);
}

void summary_print(const struct summary *summary, FILE *out, bool errors, size_t max_calls)
{
	struct hash_node **nodes = hash_table_nodes(&summary->threads);
	size_t i, nr = summary->threads.nr;

	qsort(nodes, nr, sizeof(*nodes), by_calls);
	for (i = 0; i < nr; i++)
		print_thread(hash_entry(nodes[i], struct thread_sum, node), summary->total, out,
			     errors, max_calls);
	fputc('\n', out);
	free(nodes);
}

static void free_call(struct hash_node *node)
{
	struct call_sum *sum = hash_entry(node, struct call_sum, node);

	hash_table_free_all(&sum->errors, hash_node_free);
	free(sum);
}

static void free_thread(struct hash_node *node)
{
	struct thread_sum *thread = hash_entry(node, struct thread_sum, node);

	hash_table_free_all(&thread->calls, free_call);
	free(thread->comm);
	free(thread);
}

void summary_free(struct summary *summary)
{
	hash_table_free_all(&summary->threads, free_thread);
}
