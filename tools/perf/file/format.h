/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layout of a perf.data file.
 *
 *	file header     magic, sizes, offsets of the sections, feature bits
 *	ids             per event: the ids that its samples may carry
 *	attrs           per event: struct perf_event_attr, offset of its ids
 *	data            the records, as they came out of the ring buffers
 *	feature table   one file_section per feature bit, in bit order
 *	features        host name, command line, build-ids, ...
 *
 * All numbers are in the byte order of the recording machine. The layout is that of
 * the kernel's tools/perf, see Documentation/perf.data-file-format.txt there; each
 * tool reads the other's files.
 */
#ifndef PERF_FILE_FORMAT_H
#define PERF_FILE_FORMAT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

/* "PERFILE2" read as a little-endian number. */
#define DATA_MAGIC 0x32454c4946524550ULL

struct file_section {
	uint64_t offset;
	uint64_t size;
};

#define DATA_FEATURE_WORDS 4

struct data_file_header {
	uint64_t magic;
	uint64_t size;			/* size of this header */
	uint64_t attr_size;		/* size of an attr and the file_section of its ids */
	struct file_section attrs;
	struct file_section data;	/* size 0: up to the end of the file */
	struct file_section event_types;	/* not used since Linux 3.x */
	uint64_t features[DATA_FEATURE_WORDS];
};

/* The header of a pipe: only records follow. */
struct data_pipe_header {
	uint64_t magic;
	uint64_t size;
};

/* The feature bits that this tool writes or reads. */
enum data_feature {
	FEATURE_TRACING_DATA	= 1,
	FEATURE_BUILD_ID	= 2,
	FEATURE_HOSTNAME	= 3,
	FEATURE_OSRELEASE	= 4,
	FEATURE_VERSION		= 5,
	FEATURE_ARCH		= 6,
	FEATURE_NRCPUS		= 7,
	FEATURE_CPUDESC		= 8,
	FEATURE_TOTAL_MEM	= 10,
	FEATURE_CMDLINE		= 11,
	FEATURE_EVENT_DESC	= 12,
	FEATURE_CPU_TOPOLOGY	= 13,
	FEATURE_BRANCH_STACK	= 15,	/* no section: samples have branch records */
	FEATURE_GROUP_DESC	= 17,
	FEATURE_SAMPLE_TIME	= 21,
	FEATURE_DIR_FORMAT	= 24,
	FEATURE_COMPRESSED	= 27,
	FEATURE_CPU_PMU_CAPS	= 28,
	FEATURE_STORED_FILES	= 255,	/* of this tool alone, see stored.h */
};

#define BUILD_ID_MAX 20

/*
 * The name of the capability in CPU_PMU_CAPS whose value is the number of branch records of the
 * PMU.
 */
#define CAP_BRANCHES "branches"

/* A bit of struct perf_event_header.misc of a build-id entry: its size field is valid. */
#define MISC_BUILD_ID_SIZE (1 << 15)

/* An entry of the BUILD_ID feature; the padded file name follows. */
struct build_id_entry {
	struct perf_event_header header;
	int32_t pid;
	uint8_t id[BUILD_ID_MAX];
	uint8_t id_size;
	uint8_t reserved[3];
};

/* The name of the kernel. MMAP records append the name of the symbol at their address. */
#define KERNEL_NAME "[kernel.kallsyms]"

/* Names in features and records of the tool are padded to a multiple of this size. */
#define DATA_NAME_ALIGN 64

/**
 * struct data_event - an event of a recording
 * @attr: attr of the event
 * @name: name that the user gave
 * @ids: ids of its descriptors, from PERF_EVENT_IOC_ID
 * @nr_ids: number of @ids
 * @group: number of its group, from 1; 0: it is in none
 */
struct data_event {
	struct perf_event_attr attr;
	const char *name;
	uint64_t *ids;
	size_t nr_ids;
	uint32_t group;
};

#endif
