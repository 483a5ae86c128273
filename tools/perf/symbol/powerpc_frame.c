// SPDX-License-Identifier: GPL-2.0
/*
 * What a function of powerpc has done with its return address, by the call frame information
 * in .eh_frame or .debug_frame of its file, which libdw reads.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

#include "powerpc_frame.h"

#define STACK_POINTER 1

/**
 * struct frame_rules - the call frame information of a file
 * @dwfl: libdwfl's view of the file, or NULL
 * @module: the file in it
 * @bias: to be added to an address of the file's
 */
struct frame_rules {
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;
};

static struct frame_rules *open_rules(const char *path)
{
	struct frame_rules *rules = xcalloc(1, sizeof(*rules));
	struct error err;

	/* That it cannot be read any more was said when its functions were looked for. */
	rules->dwfl = elf_dwfl_open(path, &rules->module, &err);
	if (rules->dwfl)
		dwfl_module_getelf(rules->module, &rules->bias);
	return rules;
}

/* The rules at an address of the file's, which the caller frees; NULL: there are none. */
static Dwarf_Frame *find_rules(const struct frame_rules *rules, uint64_t addr)
{
	Dwarf_Frame *found;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi;

	if (!rules->dwfl)
		return NULL;
	addr += rules->bias;
	cfi = dwfl_module_eh_cfi(rules->module, &bias);
	if (cfi && !dwarf_cfi_addrframe(cfi, addr - bias, &found))
		return found;
	cfi = dwfl_module_dwarf_cfi(rules->module, &bias);
	if (cfi && !dwarf_cfi_addrframe(cfi, addr - bias, &found))
		return found;
	return NULL;
}

/* False: it returns to nowhere. */
static bool find_return_address(Dwarf_Frame *rules, enum return_address *where)
{
	int column = dwarf_frame_info(rules, NULL, NULL, NULL);
	Dwarf_Op memory[3], *ops;
	size_t nr;

	if (column < 0 || dwarf_frame_register(rules, column, memory, &ops, &nr))
		return false;
	if (!nr) {
		*where = RETURN_IN_LR;
		return !ops;
	}
	*where = ops->atom == DW_OP_regx ? RETURN_IN_REGISTER : RETURN_IN_MEMORY;
	return true;
}

/* The stack pointer of the caller is that of the function as long as it has no frame. */
static bool find_whether_made(Dwarf_Frame *rules, bool *made)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(rules, &ops, &nr))
		return false;
	*made = !(nr == 1 && ops->atom == DW_OP_bregx && ops->number == STACK_POINTER &&
		  !ops->number2);
	return true;
}

bool dso_powerpc_frame(struct dso *dso, uint64_t addr, struct powerpc_frame *frame)
{
	Dwarf_Frame *rules;
	bool known;

	if (dso->kind != DSO_FILE || !dso->code_path ||
	    elf_offset_to_addr(&dso->elf, addr, &addr))
		return false;
	if (!dso->rules)
		dso->rules = open_rules(dso->code_path);
	rules = find_rules(dso->rules, addr);
	known = rules && find_return_address(rules, &frame->return_address) &&
		find_whether_made(rules, &frame->made);
	free(rules);
	return known;
}

void frame_rules_free(struct frame_rules *rules)
{
	if (!rules)
		return;
	dwfl_end(rules->dwfl);
	free(rules);
}
