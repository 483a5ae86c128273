// SPDX-License-Identifier: GPL-2.0
/*
 * Looks up functions in a dso. The first look-up reads the symbols.
 */
#include <stdlib.h>

#include "jit_map.h"
#include "kernel.h"
#include "symbols.h"
#include "user.h"

static void load(struct dso_set *set, struct dso *dso)
{
	dso->loaded = true;
	dso_find_recorded_id(set, dso);
	switch (dso->kind) {
	case DSO_FILE:
		user_symbols_load(set, dso);
		break;
	case DSO_VDSO:
		vdso_symbols_load(set, dso);
		break;
	case DSO_JIT:
		jit_map_read(dso);
		break;
	case DSO_KERNEL:
		kernel_symbols_load(set, dso);
		break;
	case DSO_MODULE:
		module_symbols_load(set, dso);
		break;
	case DSO_JITDUMP:
	case DSO_KSYMBOL:
	case DSO_PLAIN:
		break;
	}
}

/*
 * Translate @addr to an address of @dso->elf. Return false if no segment of the file contains it.
 */
static bool find_in_elf(const struct dso *dso, uint64_t *addr)
{
	*addr -= dso->relocation;
	return !dso->elf.nr_segments || !elf_offset_to_addr(&dso->elf, *addr, addr);
}

/**
 * dso_symbol() - Find the function at an address
 * @set: set that contains @dso
 * @dso: dso, whose symbols are read if they have not been yet
 * @addr: offset in the file for files; address for the kernel, its modules and generated code,
 *	as if a module that was loaded again were still at its first address
 * @offset: set to the offset of @addr in the function
 *
 * Return: The function, which lives as long as the set; NULL if there is none.
 */
struct symbol *dso_symbol(struct dso_set *set, struct dso *dso, uint64_t addr, uint64_t *offset)
{
	struct symbol *symbol;

	if (!dso->loaded)
		load(set, dso);
	if (dso->kind == DSO_JIT)
		return jit_map_symbol(dso, addr, offset);
	if (!find_in_elf(dso, &addr))
		return NULL;
	symbol = symbol_table_find(&dso->elf.symbols, addr);
	if (symbol)
		*offset = addr - symbol->start;
	return symbol;
}

/**
 * dso_set_refresh() - Read what programs have added to their /tmp/perf-PID.map
 * @set: dsos of programs that are being watched
 */
void dso_set_refresh(struct dso_set *set)
{
	struct hash_node **nodes = hash_table_nodes(&set->table);
	size_t i;

	for (i = 0; i < set->table.nr; i++) {
		struct dso *dso = hash_entry(nodes[i], struct dso, node);

		if (dso->kind == DSO_JIT && dso->loaded)
			jit_map_read(dso);
	}
	free(nodes);
}
