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
 */
void callchain_resolve(struct callchain *chain, struct machine *machine,
		       const struct thread *thread, const struct record *record)
{
	const struct sample *sample = &record->sample;
	enum cpu_mode mode = cpu_mode_of(record->misc);
	uint64_t i;

	if (chain->room < sample->chain_nr) {
		chain->room = sample->chain_nr;
		chain->frames = xreallocarray(chain->frames, chain->room, sizeof(*chain->frames));
	}
	chain->nr = 0;
	for (i = 0; i < sample->chain_nr; i++) {
		uint64_t ip = sample->chain[i];

		if (ip < PERF_CONTEXT_MAX)
			machine_resolve(machine, thread, mode, ip, &chain->frames[chain->nr++]);
		else if (!context_mode(ip, &mode))
			return;
	}
}

void callchain_free(struct callchain *chain)
{
	free(chain->frames);
}
