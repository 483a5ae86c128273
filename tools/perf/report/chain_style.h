/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The style of call chains (-g).
 */
#ifndef PERF_REPORT_CHAIN_STYLE_H
#define PERF_REPORT_CHAIN_STYLE_H

#include "util/util.h"

enum chain_mode {
	CHAIN_NONE,
	CHAIN_GRAPH,		/* a tree with percentages of all samples */
	CHAIN_FRACTAL,		/* a tree with percentages of the parent branch */
	CHAIN_FLAT,		/* one chain after the other */
	CHAIN_FOLDED,		/* one line per chain */
};

enum chain_order {
	ORDER_DEFAULT,		/* caller first with --children, otherwise callee first */
	ORDER_CALLER,
	ORDER_CALLEE,
};

enum chain_value {
	VALUE_PERCENT,
	VALUE_PERIOD,
	VALUE_COUNT,
};

/**
 * struct chain_style - the style of call chains
 * @mode: form
 * @order: order of the functions
 * @value: number that is shown for each branch
 * @min_percent: minimum percentage of a branch that is shown
 * @max_lines: maximum number of branches at each fork; 0: no limit
 * @by_address: true if each address is a step, false if each function is
 * @memory: bytes of memory for the chains of all events
 */
struct chain_style {
	enum chain_mode mode;
	enum chain_order order;
	enum chain_value value;
	double min_percent;
	unsigned long max_lines;
	bool by_address;
	size_t memory;
};

#define CHAIN_MEMORY_DEFAULT ((size_t)128 << 20)

/* The style of -g without an argument, and without -g. */
#define CHAIN_STYLE_DEFAULT \
	{ .mode = CHAIN_GRAPH, .min_percent = 0.5, .memory = CHAIN_MEMORY_DEFAULT }

int chain_style_parse(struct chain_style *style, const char *text, struct error *err);

#endif
