// SPDX-License-Identifier: GPL-2.0
/*
 * The call chain of a sample, resolved.
 */
#include <stdlib.h>

#include "callchain.h"

/* What the marks between the addresses of a chain mean; false: nothing that is known. */
static bool context_mode(uint64_t mark, enum cpu_mode *mode)
{
	switch (mark) {
	case PERF_CONTEXT_HV:
		*mode = MODE_HYPERVISOR;
		return true;
	case PERF_CONTEXT_KERNEL:
		*mode = MODE_KERNEL;
		return true;
	case PERF_CONTEXT_USER:
		*mode = MODE_USER;
		return true;
	case PERF_CONTEXT_GUEST_KERNEL:
		*mode = MODE_GUEST_KERNEL;
		return true;
	case PERF_CONTEXT_GUEST_USER:
		*mode = MODE_GUEST_USER;
		return true;
	default:
		return false;
	}
}

/**
 * callchain_resolve - resolve the chain of a sample
 * @chain: where to; what it had is overwritten
 * @machine: the machine at the time of the sample
 * @thread: who was running
 * @record: the sample
 *
 * The first address of each mode is where it was running, or where it left for another
 * mode; all others are where calls return to.
 */
void callchain_resolve(struct callchain *chain, struct machine *machine,
		       const struct thread *thread, const struct record *record)
{
	const struct sample *sample = &record->sample;
	enum cpu_mode mode = cpu_mode_of(record->misc);
	struct location *frame;
	bool is_return = false;
	uint64_t i;

	if (chain->room < sample->chain_nr) {
		chain->room = sample->chain_nr;
		chain->frames = xreallocarray(chain->frames, chain->room, sizeof(*chain->frames));
	}
	chain->nr = 0;
	for (i = 0; i < sample->chain_nr; i++) {
		uint64_t ip = sample->chain[i];

		if (ip >= PERF_CONTEXT_MAX) {
			if (!context_mode(ip, &mode))
				return;
			is_return = false;
			continue;
		}
		/* The end of a chain of frame pointers, or no code at all. */
		if (!ip && chain->nr)
			continue;
		frame = &chain->frames[chain->nr++];
		if (is_return)
			machine_resolve_return(machine, thread, mode, ip, frame);
		else
			machine_resolve(machine, thread, mode, ip, frame);
		is_return = true;
	}
}

void callchain_free(struct callchain *chain)
{
	free(chain->frames);
}
