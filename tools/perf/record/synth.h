/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of what was there before recording began: the kernel and its
 * modules, tasks, their names and what they have mapped, as the kernel would
 * have recorded it. Their time is 0, so they come before everything else.
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
 * struct synth - where records go and what they look like
 * @sink: gets them, one by one
 * @context: the sink's
 * @sample_type: of the first event; says what every record ends with, all zeros here
 * @data: with mappings that are not executable
 * @namespaces: with the namespaces of threads
 * @cgroups: with control groups
 * @files: gets build-ids into the records; NULL: they have inodes instead
 * @status: what the sink returned when it failed, or 0
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
 * synth_kernel() - where the kernel's code is
 * @s: gets an MMAP record
 * @kallsyms: /proc/kallsyms
 * @text_size: bytes of it; 0: that is in @kallsyms as well, nearly at its end
 *
 * Return: whether @kallsyms has addresses; they may be hidden.
 */
bool synth_kernel(struct synth *s, FILE *kallsyms, uint64_t text_size);

/**
 * synth_modules() - where the code of modules is
 * @s: gets an MMAP record per module
 * @modules: the text of /proc/modules
 * @directory: where the files of this kernel's modules are, with modules.dep
 */
void synth_modules(struct synth *s, const char *modules, const char *directory);

/* The name of a process that is about to execute a command, and so drop its mappings. */
void synth_command(struct synth *s, pid_t pid);

/* A thread of a process. */
void synth_thread(struct synth *s, pid_t pid, pid_t tid);

/* A process, its threads and what it has mapped. */
void synth_process(struct synth *s, pid_t pid);

/* Every process there is. */
void synth_all_processes(struct synth *s);

/* A control group; @path is where it is below their root. */
void synth_cgroup(struct synth *s, uint64_t id, const char *path);

/* The executable mappings in @maps, the text of a /proc/PID/maps, and with @s->data others. */
void synth_maps(struct synth *s, pid_t pid, const char *maps);

#endif
