// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path of a function.
 */
#include <stdlib.h>

#include "hot_path.h"

/**
 * struct block - code that is executed from its start to its end
 * @first: index of the first instruction
 * @end: index of the first instruction after the block
 * @weight: weight per instruction
 * @next: the heavier of the blocks that may follow, or NO_INDEX
 * @before: the heaviest of the blocks that this one may follow, or NO_INDEX
 * @marked: the block is on the path
 */
struct block {
	uint32_t first;
	uint32_t end;
	double weight;
	uint32_t next;
	uint32_t before;
	bool marked;
};

static bool ends_block(const struct code_line *line)
{
	return line->flow == FLOW_BRANCH || line->flow == FLOW_JUMP || line->flow == FLOW_RETURN;
}

/*
 * Cut the code into blocks. @block_of gets the block of each instruction. Return: the number of
 * blocks.
 */
static uint32_t make_blocks(struct block *blocks, uint32_t *block_of, const struct code_line *code,
			    uint32_t nr, const uint64_t *weights)
{
	uint32_t i, nr_blocks = 0;
	struct block *block = NULL;
	uint64_t sum = 0;

	for (i = 0; i < nr; i++) {
		if (!block || code[i].is_target || ends_block(&code[i - 1])) {
			block = &blocks[nr_blocks++];
			*block = (struct block){ .first = i, .next = NO_INDEX, .before = NO_INDEX };
			sum = 0;
		}
		sum += weights[i];
		block->end = i + 1;
		block->weight = (double)sum / (i + 1 - block->first);
		block_of[i] = nr_blocks - 1;
	}
	return nr_blocks;
}

/* Note that block @to may follow block @from. */
static void connect(struct block *blocks, uint32_t from, uint32_t to)
{
	if (blocks[from].next == NO_INDEX || blocks[to].weight > blocks[blocks[from].next].weight)
		blocks[from].next = to;
	if (blocks[to].before == NO_INDEX ||
	    blocks[from].weight > blocks[blocks[to].before].weight)
		blocks[to].before = from;
}

static void connect_all(struct block *blocks, uint32_t nr_blocks, const uint32_t *block_of,
			const struct code_line *code)
{
	uint32_t i;

	for (i = 0; i < nr_blocks; i++) {
		const struct code_line *last = &code[blocks[i].end - 1];

		if (last->flow != FLOW_JUMP && last->flow != FLOW_RETURN && i + 1 < nr_blocks)
			connect(blocks, i, i + 1);
		if (last->target != NO_INDEX)
			connect(blocks, i, block_of[last->target]);
	}
}

static bool mark(struct block *block)
{
	if (block->marked || !block->weight)
		return false;
	block->marked = true;
	return true;
}

void hot_path_mark(struct code_line *code, uint32_t nr, const uint64_t *weights)
{
	uint32_t *block_of = xcalloc(nr, sizeof(*block_of)), nr_blocks, i, at, hottest = 0;
	struct block *blocks = xcalloc(nr, sizeof(*blocks));

	nr_blocks = make_blocks(blocks, block_of, code, nr, weights);
	connect_all(blocks, nr_blocks, block_of, code);
	for (i = 0; i < nr; i++) {
		if (weights[i] > weights[hottest])
			hottest = i;
	}
	at = nr ? block_of[hottest] : NO_INDEX;
	if (at != NO_INDEX && mark(&blocks[at])) {
		for (i = blocks[at].next; i != NO_INDEX && mark(&blocks[i]); i = blocks[i].next)
			;
		for (i = blocks[at].before; i != NO_INDEX && mark(&blocks[i]); i = blocks[i].before)
			;
	}
	for (i = 0; i < nr; i++)
		code[i].hot = blocks[block_of[i]].marked;
	free(blocks);
	free(block_of);
}
