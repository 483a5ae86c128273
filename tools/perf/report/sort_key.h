/* SPDX-License-Identifier: GPL-2.0 */
/*
 * By what samples are put together: the columns of a report.
 */
#ifndef PERF_REPORT_SORT_KEY_H
#define PERF_REPORT_SORT_KEY_H

#include "machine/machine.h"

/* Fields of tracepoints that can be sort keys at a time. */
#define SORT_FIELDS_MAX 4

/**
 * struct sample_point - where a sample was, as far as sort keys want to know
 * @pid: process
 * @tid: thread
 * @comm: its name at that moment; interned
 * @cpu: the CPU
 * @trace: what the record of a tracepoint says, interned; or NULL
 * @fields: what those of its fields say that are sort keys, interned; or NULL
 * @at: the code; of a branch where it led to
 * @branch: the branch, if it is one
 */
struct sample_point {
	uint32_t pid;
	uint32_t tid;
	const char *comm;
	uint32_t cpu;
	const char *trace;
	const char *fields[SORT_FIELDS_MAX];
	struct location at;
	struct branch branch;
};

/**
 * struct sort_key - one way to tell samples apart
 * @name: what it is called on the command line
 * @alias: another name, or NULL
 * @header: the title of its column
 * @needs: what the samples must have (PERF_SAMPLE_ bits)
 * @value: samples with equal values belong together
 * @text: what the column says; the caller frees it
 * @event: of a key that is a field of records: of which event alone; or NULL
 * @field: its name; NULL: it is no such key, and has @value and @text
 * @slot: where samples have it in their fields
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

#define SORT_KEYS_MAX 20

/* All but fields; and those that branches have. */
#define SORT_KEY_NAMES "comm, dso, sym, pid, tid, cpu, trace, " BRANCH_KEY_NAMES
#define BRANCH_KEY_NAMES "dso_from, dso_to, symbol_from, symbol_to, mispredict, cycles, in_tx, abort"

/* By what branches are put together when nobody says. */
#define BRANCH_SORT_ORDER "comm,dso_from,symbol_from,symbol_to,cycles"

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

char *sort_key_text(const struct sort_key *key, const struct sample_point *point, bool verbose);

int sort_keys_parse(struct sort_keys *keys, const char *list, struct error *err);
int sort_keys_parse_fields(struct sort_keys *keys, const char *list, struct error *err);
void sort_keys_free(struct sort_keys *keys);
bool sort_keys_have(const struct sort_keys *keys, const char *name);

#endif
