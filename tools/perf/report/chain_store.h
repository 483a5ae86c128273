/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stores the call chains of a histogram, each one once.
 *
 * A chain is a list of steps, in the order in which it is shown. Chains with the same end
 * share it, and the end of a chain is a chain itself. So a sample needs one step for each
 * of its frames, even if many rows show them.
 */
#ifndef PERF_REPORT_CHAIN_STORE_H
#define PERF_REPORT_CHAIN_STORE_H

#include "machine/machine.h"
#include "util/util.h"

/**
 * struct chain_step - a step of a chain
 * @node: node in the store, by @rest and @key
 * @rest: next step, or NULL
 * @key: number of the function, see location_key(), or of the address
 * @symbol: function, or NULL
 * @ip: address, shown if @symbol is NULL
 * @offset: offset of @ip in @symbol if the store is by address; otherwise 0
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
 * struct listed_chain - a chain in a list
 * @node: node in the store, by @list and @first
 * @list: list
 * @first: first step of the chain
 * @next: next chain of the list
 * @whole: true to show the chain up to its last step
 * @period: sum of the periods of the chain's samples
 * @nr: number of the chain's samples
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

/* Chains in the order of their first samples; all zeros: none. */
struct chain_list {
	struct listed_chain *first;
	struct listed_chain *last;
};

/**
 * struct chain_store - the chains of many lists; all zeros: none
 * @steps: steps of all chains
 * @listed: chains of all lists
 * @pool: memory of @steps and @listed
 * @by_address: true if each address is a step, false if each function is
 */
struct chain_store {
	struct hash_table steps;
	struct hash_table listed;
	struct pool pool;
	bool by_address;
};

extern const struct chain_step chain_not_kept;

uint64_t location_key(const struct location *location);
const struct chain_step *chain_step_like(struct chain_store *store, const struct chain_step *like,
					 const struct chain_step *rest);
const struct chain_step *chain_step_get(struct chain_store *store, const struct location *location,
					const struct chain_step *rest);
struct listed_chain *chain_list_add(struct chain_store *store, struct chain_list *list,
				    const struct chain_step *first, uint64_t period, uint64_t nr,
				    bool whole);
size_t chain_store_size(const struct chain_store *store);
void chain_store_free(struct chain_store *store);

#endif
