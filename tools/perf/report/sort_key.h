/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sort keys, which tell samples apart and are the columns of a report.
 */
#ifndef PERF_REPORT_SORT_KEY_H
#define PERF_REPORT_SORT_KEY_H

#include "machine/machine.h"

/* Maximum number of sort keys that are fields of tracepoints. */
#define SORT_FIELDS_MAX 4

/**
 * struct sample_point - the values of a sample's sort keys
 * @pid: process
 * @tid: thread
 * @comm: name of the thread at the time of the sample; interned
 * @cpu: CPU
 * @running: number of recorded threads that had a CPU; 0: not known
 * @cgroup: path of the control group, interned; NULL if the samples do not have it
 * @trace: tracepoint record as text, interned; or NULL
 * @fields: fields of the tracepoint record as text, interned; or NULL
 * @parent: name of a caller that -p of perf report chooses, or NULL
 * @at: location of the sample; for a branch, the location that it led to
 * @branch: branch, in a histogram of branches
 */
struct sample_point {
	uint32_t pid;
	uint32_t tid;
	const char *comm;
	uint32_t cpu;
	uint32_t running;
	const char *cgroup;
	const char *trace;
	const char *fields[SORT_FIELDS_MAX];
	const char *parent;
	struct location at;
	struct branch branch;
};

/**
 * sample_point_start() - Fill in the values that all samples have: task, name, CPU and control
 * group
 * @point: receives the values; the others stay as they are
 * @machine: machine at the time of the sample
 * @thread: thread of the sample
 * @record: sample
 */
void sample_point_start(struct sample_point *point, struct machine *machine,
			const struct thread *thread, const struct record *record);

/* A bit that PERF_SAMPLE_* do not have: the recording must have context switches of tasks. */
#define SORT_NEEDS_SWITCHES (1ULL << 63)

/**
 * struct sort_key - a property that tells samples apart
 * @name: name on the command line
 * @alias: another name, or NULL
 * @header: title of the column
 * @needs: PERF_SAMPLE_* bits that the samples must have, and SORT_NEEDS_SWITCHES
 * @value: function for a number; samples with equal numbers belong together
 * @text: function for the text in the column; the caller frees the text
 * @event: name of the only tracepoint with @field, or NULL
 * @field: name of a field of tracepoints; NULL: the key has @value and @text
 * @slot: index in the sample's fields, if @field is set
 */
struct sort_key {
	const char *name;
	const char *alias;
	const char *header;
	uint64_t needs;
	uint64_t (*value)(const struct sample_point *point);
	char *(*text)(const struct sample_point *point, bool verbose);
	char *event;
	char *field;
	size_t slot;
};

#define SORT_KEYS_MAX 32

/* The names of all sort keys except fields of tracepoints. */
#define SORT_KEY_NAMES \
	"comm, comm_nodigit, dso, sym, symoff, symbol_size, addr, srcline, srcfile, pid, tid, cpu, " \
	"parallelism, cgroup, trace, parent, " \
	BRANCH_KEY_NAMES
/* The names of the sort keys of branches. */
#define BRANCH_KEY_NAMES "dso_from, dso_to, symbol_from, symbol_to, mispredict, cycles, in_tx, abort"

/* Default sort keys for branches. */
#define BRANCH_SORT_ORDER "comm,dso_from,symbol_from,symbol_to,cycles"

/*
 * Append to @err the keys that are similar to a mistyped name, or all keys if there are none. @more
 * follows all keys.
 */
void sort_keys_suggest(const char *typed, const char *more, struct error *err);

/* The keys of a report, in the order of its columns. */
struct sort_keys {
	const struct sort_key *keys[SORT_KEYS_MAX];
	size_t nr;
};

static inline bool sort_key_is_of_branches(const struct sort_key *key)
{
	return key->needs & PERF_SAMPLE_BRANCH_STACK;
}

static inline uint64_t sort_key_value(const struct sort_key *key, const struct sample_point *point)
{
	return key->field ? (uintptr_t)point->fields[key->slot] : key->value(point);
}

/**
 * sample_point_compare() - Order rows of equal weights and texts
 * @a: first row
 * @b: second row
 *
 * Return: A number below, equal to or above 0, by the path of the file of the code, then by the
 * address in it.
 */
int sample_point_compare(const struct sample_point *a, const struct sample_point *b);
char *sort_key_text(const struct sort_key *key, const struct sample_point *point, bool verbose);

int sort_keys_parse(struct sort_keys *keys, const char *list, struct error *err);
int sort_keys_parse_fields(struct sort_keys *keys, const char *list, struct error *err);
/* Return sort key @i of those that are not fields, from 0; NULL after the last one. */
const struct sort_key *sort_key_number(size_t i);

void sort_keys_free(struct sort_keys *keys);
bool sort_keys_are_of_code(const struct sort_keys *keys);
bool sort_keys_have(const struct sort_keys *keys, const char *name);

#endif
