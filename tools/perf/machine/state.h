/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recorded machine at one moment: its threads, and the mappings of its processes.
 *
 * Records are applied in the order of their times; an address is resolved with the state at
 * the time of its sample.
 */
#ifndef PERF_MACHINE_STATE_H
#define PERF_MACHINE_STATE_H

#include "file/file.h"
#include "symbol/symbol.h"
#include "unwind/unwind.h"
#include "cgroups.h"
#include "pointer_chain.h"
#include "thread.h"

struct resolved;

struct machine {
	struct thread_table threads;
	bool with_inlined;		/* chains have inlined functions as frames */
	bool stitch_calls;		/* add older calls below those in branch records */
	bool no_generated;		/* files with generated code are not read */
	struct map_set *kernel_maps;
	uint64_t kernel_version;	/* number of this state of @kernel_maps */
	bool kernel_mapped;		/* the kernel itself is in @kernel_maps */
	const struct event_table *events;	/* events of the recording, or NULL */
	struct dso_set dsos;
	struct cgroups cgroups;
	struct unwind_counts unwound;
	struct pointer_counts pointed;
	int64_t running;		/* recorded threads with a CPU; see machine_running() */
	bool wide_switches;		/* context switches are those of CPUs, with idle tasks */
	struct resolved *resolved;	/* addresses that were looked up, by hash; or NULL */
};

void machine_init(struct machine *machine, const struct symbol_sources *sources,
		  const struct data_features *features);
void machine_apply(struct machine *machine, const struct record *record);
uint32_t machine_running(const struct machine *machine);
enum cpu_mode cpu_mode_of(uint16_t misc);
void machine_resolve(struct machine *machine, const struct thread *thread, enum cpu_mode mode,
		     uint64_t ip, struct location *location);
void machine_resolve_return(struct machine *machine, const struct thread *thread,
			    enum cpu_mode mode, uint64_t ip, struct location *location);
void machine_free(struct machine *machine);

#endif
