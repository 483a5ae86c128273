/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Synthesized records of what existed before recording began: the kernel and its modules,
 * tasks, their names and mappings, in the form of the kernel's own records. Their time is 0, so
 * they precede all other records.
 */
#ifndef PERF_RECORD_SYNTH_H
#define PERF_RECORD_SYNTH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "measure/measure.h"
#include "util/util.h"
#include "process_file.h"

/**
 * struct synth - sink and format of synthesized records
 * @sink: function that receives the records, one by one
 * @context: argument of @sink
 * @sample_type: sample_type of the first event; determines the size of the ids at the end of every
 *	record, which are all zeros here
 * @data: include mappings that are not executable
 * @namespaces: include the namespaces of threads
 * @cgroups: include control groups
 * @files: cache of build-ids; if it is set, mappings have build-ids; if it is NULL, inodes
 * @status: error of the sink, or 0
 */
struct synth {
	ring_sink sink;
	void *context;
	uint64_t sample_type;
	bool data;
	bool namespaces;
	bool cgroups;
	struct process_files *files;
	int status;
};

/**
 * synth_kernel() - synthesize the mapping of the kernel's text
 * @s: receives an MMAP record
 * @kallsyms: /proc/kallsyms
 * @text_size: size of the text in bytes; 0: search @kallsyms for the end of the text, which is near
 *	the end of the file
 *
 * Return: true if @kallsyms has addresses; false if the kernel hides them.
 */
bool synth_kernel(struct synth *s, FILE *kallsyms, uint64_t text_size);

/**
 * synth_modules() - synthesize the mappings of modules
 * @s: receives an MMAP record per module
 * @modules: text of /proc/modules
 * @directory: directory with modules.dep and the files of this kernel's modules
 */
void synth_modules(struct synth *s, const char *modules, const char *directory);

/* Synthesize the name of a process without its mappings, which end when it executes the command. */
void synth_command(struct synth *s, pid_t pid);

/* Synthesize a thread of a process. */
void synth_thread(struct synth *s, pid_t pid, pid_t tid);

/* Synthesize a process, its threads and mappings. */
void synth_process(struct synth *s, pid_t pid);

/* Synthesize all processes of the machine. */
void synth_all_processes(struct synth *s);

/* Synthesize a control group; @path is relative to the root of the hierarchy. */
void synth_cgroup(struct synth *s, uint64_t id, const char *path);

/*
 * Synthesize the mappings in the text of a /proc/PID/maps: all if @s->data is set, otherwise only
 * executable ones.
 */
void synth_maps(struct synth *s, pid_t pid, const char *maps);

#endif
