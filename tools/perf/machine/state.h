/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine that was recorded: who was running what, where, at each moment.
 *
 * Records are applied in the order of their times; an address is resolved
 * against the state of that moment.
 */
#ifndef PERF_MACHINE_STATE_H
#define PERF_MACHINE_STATE_H

#include "file/file.h"
#include "symbol/symbol.h"
#include "thread.h"

/* What code was running in: the letter in front of a symbol. */
enum cpu_mode {
	MODE_KERNEL		= 'k',
	MODE_USER		= '.',
	MODE_GUEST_KERNEL	= 'g',
	MODE_GUEST_USER		= 'u',
	MODE_HYPERVISOR		= 'H',
};

/**
 * struct location - an instruction pointer and what is there
 * @ip: the address
 * @addr: for code of a user's file its offset in the file, otherwise @ip; of a module
 *	that was loaded again where it would be if it was where it was the first time
 * @mode: where it was running
 * @dso: the file, or NULL
 * @symbol: the function, or NULL
 * @symbol_offset: of @ip in @symbol
 */
struct location {
	uint64_t ip;
	uint64_t addr;
	enum cpu_mode mode;
	struct dso *dso;
	struct symbol *symbol;
	uint64_t symbol_offset;
};

/* Why there is no further caller in a chain that was made of a recorded stack. */
enum unwind_end {
	UNWIND_OUTERMOST,		/* the thread began there */
	UNWIND_NO_STACK,		/* the stack goes on above what was recorded */
	UNWIND_NO_RULES,		/* no file says how to find the caller */
	UNWIND_NO_SENSE,		/* a register is not known, or the stack is damaged */
	UNWIND_TOO_DEEP,		/* there are too many frames */
	UNWIND_ENDS,
};

/**
 * struct unwind_counts - how chains that were made of recorded stacks ended
 * @ends: number of chains for each reason
 * @no_rules: a file that did not say how to find a caller, or NULL
 * @stack_size: bytes of stack that the last one of UNWIND_NO_STACK had
 */
struct unwind_counts {
	uint64_t ends[UNWIND_ENDS];
	const struct dso *no_rules;
	uint64_t stack_size;
};

struct machine {
	struct thread_table threads;
	bool stitch_calls;		/* chains go on below what branch records hold */
	struct map_set *kernel_maps;
	bool kernel_mapped;		/* the kernel itself is in @kernel_maps */
	const struct event_table *events;	/* of the recording: by which clock; or NULL */
	struct dso_set dsos;
	struct unwind_counts unwound;
};

void machine_init(struct machine *machine, const struct symbol_sources *sources,
		  const struct data_features *features);
void machine_apply(struct machine *machine, const struct record *record);
enum cpu_mode cpu_mode_of(uint16_t misc);
void machine_resolve(struct machine *machine, const struct thread *thread, enum cpu_mode mode,
		     uint64_t ip, struct location *location);
void machine_resolve_return(struct machine *machine, const struct thread *thread,
			    enum cpu_mode mode, uint64_t ip, struct location *location);
void machine_free(struct machine *machine);

#endif
