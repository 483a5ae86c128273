/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path of a function: the blocks that execution likely went through most often.
 */
#ifndef PERF_ANNOTATE_HOT_PATH_H
#define PERF_ANNOTATE_HOT_PATH_H

#include "code_line.h"

/**
 * hot_path_mark() - Mark the instructions of the hot path
 * @code: instructions, with their jumps
 * @nr: number of @code
 * @weights: weight of each instruction, the sum of its periods
 *
 * A block is code with a jump only at its end, and a target of jumps only at its start. The path
 * begins at the block with the heaviest instruction. From there it goes forward to the heavier of
 * the next blocks, and backward to the heaviest of the previous blocks, until a block has no
 * samples or is on the path already. Blocks are compared by weight per instruction.
 */
void hot_path_mark(struct code_line *code, uint32_t nr, const uint64_t *weights);

#endif
