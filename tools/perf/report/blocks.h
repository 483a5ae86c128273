/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Blocks of instructions that were executed from one branch to the next, and their cycles
 * (--total-cycles).
 */
#ifndef PERF_REPORT_BLOCKS_H
#define PERF_REPORT_BLOCKS_H

#include <stdio.h>

#include "machine/machine.h"
#include "table.h"

/**
 * struct block - a row of the report
 * @node: node in the table, by @first and @last
 * @first: location of the first instruction, which a branch led to
 * @last: location of the last instruction, the next branch that was taken
 * @cycles: sum of the cycles of all executions
 * @nr: number of executions
 */
struct block {
	struct hash_node node;
	struct location first;
	struct location last;
	uint64_t cycles;
	uint64_t nr;
};

/* All blocks of one event, and the sum of their cycles; all zeros: none. */
struct block_table {
	struct hash_table blocks;
	uint64_t cycles;
};

/* Add the blocks between the branch records of a sample, which must have branches of all kinds. */
void blocks_add(struct block_table *table, struct machine *machine, const struct thread *thread,
		const struct record *record);

/* Print the blocks, those with the most cycles first. */
void report_blocks(FILE *out, const struct report_style *style, const struct block_table *table);

void blocks_free(struct block_table *table);

#endif
