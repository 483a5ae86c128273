/* SPDX-License-Identifier: GPL-2.0 */
/* The feature sections of perf.data, which describe the recording. */
#ifndef PERF_FILE_FEATURES_H
#define PERF_FILE_FEATURES_H

#include "util/util.h"
#include "event_table.h"
#include "format.h"
#include "stored.h"
#include "tracing_data.h"

/* A file that samples hit, and its build-id. */
struct recorded_build_id {
	struct hash_node node;		/* by path */
	char *path;
	uint8_t id[BUILD_ID_MAX];
	size_t size;
	bool kernel;			/* the file is the kernel or a module */
};

/* The architecture of registers and code, as far as the tool distinguishes it. */
enum arch {
	ARCH_OTHER,
	ARCH_X86,
	ARCH_POWERPC,
};

/*
 * struct data_features - the features that the tool uses
 *
 * Features that a file lacks are NULL or 0.
 */
struct data_features {
	char *hostname;
	char *osrelease;
	char *version;			/* of the tool that recorded */
	char *arch;			/* machine name of uname(2) */
	char *cpudesc;
	char *cmdline;			/* words joined by blanks */
	uint32_t cpus_configured;
	uint32_t cpus_online;
	char *sockets;			/* sets of CPUs, "0-3", each with a newline */
	char *cores;
	uint64_t total_mem;		/* KiB */
	bool has_branches;		/* samples have branch records */
	uint32_t branch_registers;	/* number that the PMU has */
	uint64_t first_time;		/* of the samples, ns */
	uint64_t last_time;
	struct hash_table build_ids;	/* the first one for each path */
	struct stored_files stored;	/* files that the recording contains */
	struct tracing_data *tracing;	/* formats of tracepoints */
};

int data_features_parse(struct data_features *features, struct event_table *events,
			unsigned int feature, const void *bytes, size_t size);
int data_features_add_build_id(struct data_features *features, const void *entry, size_t size);
const struct recorded_build_id *data_features_find_build_id(const struct data_features *features,
							    const char *path);
enum arch data_features_arch(const struct data_features *features);
void data_features_free(struct data_features *features);

#endif
