// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the instruction of a sample: its bytes and its length.
 */
#include <stdlib.h>
#include <string.h>

#include "insn_print.h"

/**
 * struct read_insn - an instruction that has been read
 * @node: node in the cache, by @dso and @addr
 * @dso: file
 * @addr: address in the file
 * @size: size in bytes; 0: it cannot be read
 * @bytes: machine code
 */
struct read_insn {
	struct hash_node node;
	const struct dso *dso;
	uint64_t addr;
	uint8_t size;
	uint8_t bytes[INSTRUCTION_MAX];
};

/* Decode the instruction at @offset of the code. */
static void decode(struct read_insn *insn, const struct code *code, uint64_t offset)
{
	struct instruction decoded;
	struct decoder *decoder;
	struct code rest = *code;
	struct error err;

	if (offset >= code->size)
		return;
	rest.bytes += offset;
	rest.size -= offset;
	rest.addr += offset;
	decoder = decoder_new(&rest, false, &err);
	if (!decoder)
		return;
	if (decoder_next(decoder, &decoded)) {
		insn->size = decoded.size;
		memcpy(insn->bytes, decoded.bytes, decoded.size);
	}
	decoder_free(decoder);
}

static void read_insn(struct read_insn *insn, const struct location *at)
{
	struct error err;
	struct code code;

	if (!at->symbol || at->symbol->inlined || at->symbol_offset >= CODE_SIZE_MAX)
		return;
	if (!code_read(&code, at, at->symbol_offset + INSTRUCTION_MAX, &err))
		decode(insn, &code, at->symbol_offset);
	code_free(&code);
}

static const struct read_insn *get_insn(struct insn_cache *cache, const struct location *at)
{
	uint64_t hash = hash_mix(hash_number((uintptr_t)at->dso), at->addr);
	struct hash_node *node;
	struct read_insn *insn;

	for (node = hash_table_first(&cache->insns, hash); node; node = hash_table_next(node)) {
		insn = hash_entry(node, struct read_insn, node);
		if (insn->dso == at->dso && insn->addr == at->addr)
			return insn;
	}
	insn = xcalloc(1, sizeof(*insn));
	insn->dso = at->dso;
	insn->addr = at->addr;
	if (at->dso)
		read_insn(insn, at);
	hash_table_add(&cache->insns, &insn->node, hash);
	return insn;
}

void insn_print(FILE *out, struct insn_cache *cache, const struct location *at, bool with_size,
		bool with_bytes)
{
	const struct read_insn *insn = get_insn(cache, at);
	unsigned int i;

	if (with_size)
		fprintf(out, " ilen: %u", insn->size);
	if (!with_bytes || !insn->size)
		return;
	fputs(" insn:", out);
	for (i = 0; i < insn->size; i++)
		fprintf(out, " %02x", insn->bytes[i]);
}

static void free_insn(struct hash_node *node)
{
	free(hash_entry(node, struct read_insn, node));
}

void insn_cache_free(struct insn_cache *cache)
{
	hash_table_free_all(&cache->insns, free_insn);
}
