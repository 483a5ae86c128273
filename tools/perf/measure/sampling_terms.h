/* SPDX-License-Identifier: GPL-2.0 */
/* Terms of an event that say how it is sampled: "cpu-clock/period=1000,call-graph=dwarf/". */
#ifndef PERF_MEASURE_SAMPLING_TERMS_H
#define PERF_MEASURE_SAMPLING_TERMS_H

#include "util/util.h"

/* Ways to find the callers of an event's samples. */
enum event_chains {
	CHAINS_BY_OPTION,	/* as the options of the command say */
	CHAINS_NONE,
	CHAINS_FRAME_POINTERS,
	CHAINS_BRANCHES,
	CHAINS_FRAME_INFORMATION,
};

/* Choices of measuring the children of tasks. */
enum event_inherit { INHERIT_BY_OPTION, INHERIT_YES, INHERIT_NO };

/**
 * struct sampling_terms - sampling of one event; takes precedence over options
 * @period: events per sample; 0 without this term
 * @freq: samples per second; 0 without this term
 * @chains: call chains
 * @user_stack: bytes of user stack for CHAINS_FRAME_INFORMATION, a multiple of 8; 0 without this
 *	term
 * @max_stack: largest number of callers; 0 without this term
 * @inherit: choice of measuring the children of tasks
 * @keep: new samples do not overwrite the oldest
 */
struct sampling_terms {
	unsigned long long period;
	unsigned long freq;
	enum event_chains chains;
	unsigned int user_stack;
	unsigned int max_stack;
	enum event_inherit inherit;
	bool keep;
};

/* Names of the terms, for messages. */
#define SAMPLING_TERM_NAMES \
	"period, freq, call-graph, stack-size, max-stack, inherit, no-inherit, no-overwrite, time"

/* Return true if the kernel's perf has a term of this name about sampling. */
bool sampling_term_is_known(const char *name);

/**
 * sampling_term_set() - set a term
 * @terms: receives the value
 * @name: name of a term that sampling_term_is_known()
 * @value: value as the user wrote it, or NULL
 * @why: receives the reason if the value is not valid, or the replacement if the tool lacks the
 *	term
 *
 * Return: 0, or -1 with @why set.
 */
int sampling_term_set(struct sampling_terms *terms, const char *name, const char *value,
		      struct error *why);

/* Return true if children are measured; @by_option is the choice of the command's options. */
bool sampling_terms_inherit(const struct sampling_terms *terms, bool by_option);

#endif
