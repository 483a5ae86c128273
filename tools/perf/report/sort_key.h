/* SPDX-License-Identifier: GPL-2.0 */
/*
 * By what samples are put together: the columns of a report.
 */
#ifndef PERF_REPORT_SORT_KEY_H
#define PERF_REPORT_SORT_KEY_H

#include "machine/machine.h"

/**
 * struct sample_point - where a sample was, as far as sort keys want to know
 * @pid: process
 * @tid: thread
 * @comm: its name at that moment; interned
 * @cpu: the CPU
 * @trace: what the record of a tracepoint says, interned; or NULL
 * @at: the code
 */
struct sample_point {
	uint32_t pid;
	uint32_t tid;
	const char *comm;
	uint32_t cpu;
	const char *trace;
	struct location at;
};

/**
 * struct sort_key - one way to tell samples apart
 * @name: what it is called on the command line
 * @alias: another name, or NULL
 * @header: the title of its column
 * @needs: what the samples must have (PERF_SAMPLE_ bits)
 * @value: samples with equal values belong together
 * @text: what the column says; the caller frees it
 */
struct sort_key {
	const char *name;
	const char *alias;
	const char *header;
	uint64_t needs;
	uint64_t (*value)(const struct sample_point *point);
	char *(*text)(const struct sample_point *point, bool verbose);
};

#define SORT_KEYS_MAX 8

/* The keys of a report, in the order of its columns. */
struct sort_keys {
	const struct sort_key *keys[SORT_KEYS_MAX];
	size_t nr;
};

int sort_keys_parse(struct sort_keys *keys, const char *list, struct error *err);
struct sort_keys sort_keys_without(const struct sort_keys *keys, const char *name);
bool sort_keys_have(const struct sort_keys *keys, const char *name);

#endif
