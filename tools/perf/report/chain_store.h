/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call chains of a histogram, each kept once.
 *
 * A chain is a list of steps, in the order in which it is shown. Chains that end alike
 * share their end, and a chain that starts later in another one is a part of that. So a
 * sample needs a step for each of its frames, however many rows show some of them.
 */
#ifndef PERF_REPORT_CHAIN_STORE_H
#define PERF_REPORT_CHAIN_STORE_H

#include "machine/machine.h"
#include "util/util.h"

/**
 * struct chain_step - a step of chains
 * @node: in the store, by what follows
 * @rest: the step after it, or NULL
 * @key: says which function it is
 * @symbol: the function, or NULL
 * @ip: an address in it, for when @symbol is NULL
 * @offset: of @ip in @symbol, if addresses are told apart; else 0
 */
struct chain_step {
	struct hash_node node;
	const struct chain_step *rest;
	uint64_t key;
	struct symbol *symbol;
	uint64_t ip;
	uint64_t offset;
};

/**
 * struct listed_chain - a chain that a list has
 * @node: in the store, by what follows
 * @list: the list
 * @first: first step of the chain
 * @next: the next one of the list
 * @whole: it is shown from end to end, however long it is
 * @period: sum of the periods of its samples
 * @nr: number of its samples
 */
struct listed_chain {
	struct hash_node node;
	const struct chain_list *list;
	const struct chain_step *first;
	struct listed_chain *next;
	bool whole;
	uint64_t period;
	uint64_t nr;
};

/* Chains in the order in which they came; all zeros: none. */
struct chain_list {
	struct listed_chain *first;
	struct listed_chain *last;
};

/**
 * struct chain_store - the chains of many lists; all zeros: none
 * @steps: all their steps
 * @listed: all that lists have
 * @by_address: an address is a step of its own, not a function as a whole
 */
struct chain_store {
	struct hash_table steps;
	struct hash_table listed;
	bool by_address;
};

uint64_t location_key(const struct location *location);
const struct chain_step *chain_step_get(struct chain_store *store, const struct location *location,
					const struct chain_step *rest);
void chain_list_add(struct chain_store *store, struct chain_list *list,
		    const struct chain_step *first, uint64_t period, bool whole);
void chain_store_free(struct chain_store *store);

#endif
