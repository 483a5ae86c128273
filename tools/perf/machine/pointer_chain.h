/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Judges chains that the kernel found by frame pointers.
 */
#ifndef PERF_MACHINE_POINTER_CHAIN_H
#define PERF_MACHINE_POINTER_CHAIN_H

#include <inttypes.h>
#include <stdbool.h>

#include "symbol/symbol.h"
#include "unwind/unwind.h"

/**
 * struct pointer_counts - chains of frame pointers in user mode
 * @all: number of chains
 * @broken: number of chains that do not look like those of programs with frame pointers
 * @lacking: number of chains with POINTER_GAP or POINTER_WRONG, unless they are whole without it
 */
struct pointer_counts {
	uint64_t all;
	uint64_t broken;
	uint64_t lacking;
};

/**
 * struct pointer_mark - the counts of one chain
 * @all: 1 for a chain of frame pointers, otherwise 0
 * @broken: 1 for a chain that does not look like those of programs with frame pointers
 * @lacking: 1 for a chain in which callers are missing, or that ends before them
 */
struct pointer_mark {
	uint8_t all;
	uint8_t broken;
	uint8_t lacking;
};

/**
 * struct pointer_walk - judges the entries of a chain, the innermost first
 * @active: true if the chain was found by frame pointers of x86
 * @at_probe: true if the chain has the caller where a function begins: the kernel looks for it
 *	there if a probe took the sample, and in callers that it records later
 * @in_kernel: true if the chain begins in the kernel
 * @cut: true if the rest of the chain is left out
 * @gaps: number of gaps so far
 * @value: value of the frame pointer in the latest entry
 * @begins_thread: true if the latest entry is a function that threads begin with
 */
struct pointer_walk {
	bool active;
	bool at_probe;
	bool in_kernel;
	bool cut;
	uint64_t gaps;
	enum pointer_frame value;
	bool begins_thread;
};

/* Judgements of an entry of a chain */
enum pointer_entry {
	POINTER_CALLER,		/* the entry is the caller */
	POINTER_GAP,		/* callers are missing before the entry, which called them */
	POINTER_WRONG,		/* the entry is no caller, nor are those after it */
};

/* The function that stands for callers that are missing in a chain. */
extern struct symbol pointer_gap_symbol;

/**
 * pointer_walk_add() - Judge the next entry of a chain
 * @walk: state; zeroed at the first entry, but for @active and @at_probe
 * @frame: location of the entry
 *
 * Return: The judgement. The entry is not part of the chain if it is POINTER_WRONG.
 */
enum pointer_entry pointer_walk_add(struct pointer_walk *walk, const struct location *frame);

/**
 * pointer_chain_count() - Judge a chain and count it
 * @counts: numbers of the chains so far
 * @frames: frames of the chain, the innermost first
 * @nr: number of @frames
 * @walk: state after the last frame
 *
 * A function without a frame pointer may use the register for other values. The chain then leads
 * to an address without code, or ends after one or two functions.
 */
void pointer_chain_count(struct pointer_counts *counts, const struct location *frames, size_t nr,
			 const struct pointer_walk *walk);

/* Return the counts of the chain that has been counted since @before. */
static inline struct pointer_mark pointer_counts_since(const struct pointer_counts *now,
						       const struct pointer_counts *before)
{
	return (struct pointer_mark){
		.all = now->all - before->all, .broken = now->broken - before->broken,
		.lacking = now->lacking - before->lacking,
	};
}

/* Count a chain again. */
static inline void pointer_counts_add(struct pointer_counts *counts, struct pointer_mark mark)
{
	counts->all += mark.all;
	counts->broken += mark.broken;
	counts->lacking += mark.lacking;
}

/* Return true if more than 10 % of the chains lack callers. */
bool pointer_chains_lack_callers(const struct pointer_counts *counts);

/* Return true if so many chains are broken that the user should record in another way. */
bool pointer_chains_are_broken(const struct pointer_counts *counts);

#endif
