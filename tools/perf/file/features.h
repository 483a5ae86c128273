/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a recording says about itself: the feature sections of perf.data.
 */
#ifndef PERF_FILE_FEATURES_H
#define PERF_FILE_FEATURES_H

#include "util/util.h"
#include "event_table.h"
#include "format.h"
#include "tracing_data.h"

/* A file that was hit by samples, and its build-id. */
struct recorded_build_id {
	struct hash_node node;		/* by path */
	char *path;
	uint8_t id[BUILD_ID_MAX];
	size_t size;
	bool kernel;			/* the kernel itself or a module */
};

/* Whose registers samples have, and whose code it is, as far as that matters here. */
enum arch {
	ARCH_OTHER,
	ARCH_X86,
	ARCH_POWERPC,
};

/*
 * struct data_features - the features this tool has a use for
 *
 * What a file does not say is NULL or 0.
 */
struct data_features {
	char *hostname;
	char *osrelease;
	char *version;			/* of the tool that recorded */
	char *arch;			/* as uname(2) says it */
	char *cpudesc;
	char *cmdline;			/* words joined by blanks */
	uint32_t cpus_configured;
	uint32_t cpus_online;
	uint64_t total_mem;		/* KiB */
	bool has_branches;		/* samples have branch records */
	uint32_t branch_registers;	/* how many of them the PMU keeps */
	uint64_t first_time;		/* of the samples, ns */
	uint64_t last_time;
	struct hash_table build_ids;	/* one for each path: the first */
	struct tracing_data *tracing;	/* of tracepoints */
};

int data_features_parse(struct data_features *features, struct event_table *events,
			unsigned int feature, const void *bytes, size_t size);
int data_features_add_build_id(struct data_features *features, const void *entry, size_t size);
const struct recorded_build_id *data_features_find_build_id(const struct data_features *features,
							    const char *path);
enum arch data_features_arch(const struct data_features *features);
void data_features_free(struct data_features *features);

#endif
