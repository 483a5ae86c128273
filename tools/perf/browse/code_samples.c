// SPDX-License-Identifier: GPL-2.0
/* The samples of a view by the addresses of their code. */
#include "symbol/symbol.h"
#include "code_samples.h"

void code_samples_add(struct code_hits *hits, const struct view *view,
		      const struct browse_event *event, const struct machine *machine)
{
	const struct sample_store *store = event->samples;
	struct callchain chain = { 0 };
	struct sample_point point;
	size_t i;

	for (i = 0; i < store->samples.nr; i++) {
		const struct kept_sample *sample = store->order[i];

		kept_sample_get(sample, &point, &chain);
		if (view_has(view, &point, &chain))
			code_hits_add_share(hits, machine, &point.at, 0,
					    (struct share){
						    sample->nr >> store->shift,
						    sample->period >> store->shift,
					    });
	}
	callchain_free(&chain);
}

/* Find the function around an inlined one among the frames at the same address. */
static bool leave_inlined(const struct kept_frame *frame, struct location *at)
{
	uint64_t ip = frame->at.ip;

	while (frame && frame->at.ip == ip && frame->at.symbol && frame->at.symbol->inlined)
		frame = frame->caller;
	if (!frame || frame->at.ip != ip || !frame->at.symbol || !frame->at.dso)
		return false;
	*at = frame->at;
	return true;
}

bool code_samples_place(const struct browse_event *event, const struct symbol *symbol,
			struct location *at)
{
	const struct sample_store *store = event->samples;
	size_t i;

	for (i = 0; i < store->samples.nr; i++) {
		const struct kept_sample *sample = store->order[i];
		const struct kept_frame *frame;

		if (sample->at.symbol == symbol && !symbol->inlined) {
			*at = sample->at;
			return true;
		}
		for (frame = sample->chain; frame; frame = frame->caller) {
			if (frame->at.symbol == symbol && leave_inlined(frame, at))
				return true;
		}
	}
	return false;
}
