/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Judges chains that the kernel found by frame pointers.
 */
#ifndef PERF_MACHINE_POINTER_CHAIN_H
#define PERF_MACHINE_POINTER_CHAIN_H

#include <inttypes.h>
#include <stdbool.h>

#include "symbol/symbol.h"

/**
 * struct pointer_counts - chains of frame pointers in user mode
 * @all: number of chains
 * @broken: number of chains that do not look like those of programs with frame pointers
 */
struct pointer_counts {
	uint64_t all;
	uint64_t broken;
};

/**
 * pointer_chain_count() - Judge a chain and count it
 * @counts: numbers of the chains so far
 * @frames: frames of the chain, the innermost first
 * @nr: number of @frames
 *
 * A function without a frame pointer may use the register for other values. The chain then leads
 * to an address without code, or ends after one or two functions.
 */
void pointer_chain_count(struct pointer_counts *counts, const struct location *frames, size_t nr);

/* Return the difference between the counts now and those before. */
static inline struct pointer_counts pointer_counts_since(const struct pointer_counts *now,
							 const struct pointer_counts *before)
{
	return (struct pointer_counts){
		.all = now->all - before->all, .broken = now->broken - before->broken,
	};
}

/* Return true if so many chains are broken that the user should record in another way. */
bool pointer_chains_are_broken(const struct pointer_counts *counts);

#endif
