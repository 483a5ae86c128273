/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The jumps within a function, drawn as lines to the left of the instructions, and its loops.
 *
 *	lane 1 0
 *	     ╭──	jne	1190		a jump forward
 *	     │╭─→	lea	(%rcx),%rax	the target of a jump backward
 *	     ││		add	$0x1,%rsi
 *	     │╰──	jne	1194
 *	     ╰──→	ret
 */
#ifndef PERF_ANNOTATE_JUMPS_H
#define PERF_ANNOTATE_JUMPS_H

#include "code_line.h"

/* Maximum number of lanes. */
#define JUMP_LANES_MAX 8
/* Maximum number of instructions between the ends of a jump that is drawn. */
#define JUMP_SPAN_MAX 4096

/**
 * struct jump_bundle - all drawn jumps to one target
 * @first: index of the first instruction, a jump or the target
 * @last: index of the last instruction
 * @target: index of the target
 */
struct jump_bundle {
	uint32_t first;
	uint32_t last;
	uint32_t target;
};

/**
 * struct jumps - the drawn jumps of a function
 * @bundles: jumps by target
 * @nr: number of elements of @bundles
 * @lanes: for each lane and instruction, the index of the bundle there, or NO_INDEX; lane 0 is next
 *	to the instructions
 * @nr_lanes: number of lanes that are used
 * @nr_undrawn: number of jumps that are not drawn, because they are long or there is no free lane
 */
struct jumps {
	struct jump_bundle *bundles;
	uint32_t nr;
	uint32_t *lanes[JUMP_LANES_MAX];
	size_t nr_lanes;
	size_t nr_undrawn;
};

/* Arrange the jumps of @nr instructions. */
void jumps_arrange(struct jumps *jumps, const struct code_line *code, uint32_t nr);

/**
 * jumps_draw() - Draw the lanes at an instruction, or above it
 * @jumps: jumps
 * @code: instructions
 * @index: index of the instruction
 * @above: draw the lanes between the instruction and the one before it
 * @ascii: use only ASCII characters
 *
 * Return: One character for each lane, and two more, so that all texts have the same width; the
 * caller frees the text.
 */
char *jumps_draw(const struct jumps *jumps, const struct code_line *code, uint32_t index,
		 bool above, bool ascii);

void jumps_free(struct jumps *jumps);

/**
 * struct loop - the instructions from the target of a jump backward to the last such jump
 * @first: index of the first instruction
 * @last: index of the last instruction
 * @depth: number of loops around this one, plus 1
 */
struct loop {
	uint32_t first;
	uint32_t last;
	uint32_t depth;
};

/* Find the loops of @nr instructions, in the order of their starts; the caller frees @loops. */
uint32_t loops_find(struct loop **loops, const struct code_line *code, uint32_t nr);

#endif
