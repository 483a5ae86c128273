/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Blocks of instructions that were executed from one branch to the next, and how many cycles
 * they took (--total-cycles).
 */
#ifndef PERF_REPORT_BLOCKS_H
#define PERF_REPORT_BLOCKS_H

#include <stdio.h>

#include "machine/machine.h"
#include "table.h"

/**
 * struct block - a block; a row of the report
 * @node: in the table, by where it is
 * @first: its first instruction, which a branch led to
 * @last: its last one, the next branch that was taken
 * @cycles: sum of the cycles from the branch before it to its own
 * @nr: how often that was recorded
 */
struct block {
	struct hash_node node;
	struct location first;
	struct location last;
	uint64_t cycles;
	uint64_t nr;
};

/* All blocks of one event; all zeros: none. */
struct block_table {
	struct hash_table blocks;
	uint64_t cycles;
};

/* Add the blocks between the branches of a sample, which are of all kinds. */
void blocks_add(struct block_table *table, struct machine *machine, const struct thread *thread,
		const struct record *record);

/* Print them, those of most cycles first. */
void report_blocks(FILE *out, const struct report_style *style, const struct block_table *table);

void blocks_free(struct block_table *table);

#endif
