/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How call chains are shown (-g).
 */
#ifndef PERF_REPORT_CHAIN_STYLE_H
#define PERF_REPORT_CHAIN_STYLE_H

#include "util/util.h"

enum chain_mode {
	CHAIN_NONE,
	CHAIN_GRAPH,		/* a tree, shares of everything */
	CHAIN_FRACTAL,		/* a tree, shares of the branch above */
	CHAIN_FLAT,		/* one chain after the other */
	CHAIN_FOLDED,		/* one chain per line */
};

enum chain_order {
	ORDER_DEFAULT,		/* caller first with --children, callee first without */
	ORDER_CALLER,
	ORDER_CALLEE,
};

enum chain_value {
	VALUE_PERCENT,
	VALUE_PERIOD,
	VALUE_COUNT,
};

/**
 * struct chain_style - how call chains are shown
 * @mode: in what form
 * @order: which end first
 * @value: what is said of each branch
 * @min_percent: smaller branches are left out
 * @max_lines: branches at most at each fork; 0: all
 * @by_address: addresses are told apart, not functions
 */
struct chain_style {
	enum chain_mode mode;
	enum chain_order order;
	enum chain_value value;
	double min_percent;
	unsigned long max_lines;
	bool by_address;
};

/* What -g without an argument, and no -g at all, stand for. */
#define CHAIN_STYLE_DEFAULT { .mode = CHAIN_GRAPH, .min_percent = 0.5 }

int chain_style_parse(struct chain_style *style, const char *text, struct error *err);

#endif
