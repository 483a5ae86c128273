// SPDX-License-Identifier: GPL-2.0
/*
 * Call frame information of a file, from .eh_frame or .debug_frame, which libdw reads. The rules
 * of an instruction are kept, because samples find the same callers again and again.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "call_frame.h"

/**
 * struct frame_rules - the call frame information of a file
 * @dwfl: session of libdwfl for the file; NULL if the file cannot be read
 * @module: module of @dwfl that is the file
 * @bias: distance that libdwfl adds to addresses of the file
 * @entry: address where execution of the file starts, or 0
 * @nr_registers: number of registers that rules are looked up for
 * @rows: rows that have been looked up, by address
 */
struct frame_rules {
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;
	GElf_Addr entry;
	unsigned int nr_registers;
	struct hash_table rows;
};

/* Return the number of general registers, with the return address, in the ABI of a machine. */
static unsigned int nr_registers(unsigned int machine)
{
	switch (machine) {
	case EM_X86_64:
		return 17;
	case EM_386:
		return 9;
	case EM_PPC64:
		return FRAME_REGISTERS;
	default:
		return 0;
	}
}

static void read_header(struct frame_rules *rules)
{
	Elf *elf = dwfl_module_getelf(rules->module, &rules->bias);
	GElf_Ehdr header;

	if (!elf || !gelf_getehdr(elf, &header))
		return;
	rules->nr_registers = nr_registers(header.e_machine);
	rules->entry = header.e_entry;
}

static void free_row(struct hash_node *node)
{
	struct frame_row *row = hash_entry(node, struct frame_row, node);
	size_t i;

	free(row->cfa.ops);
	for (i = 0; i < row->nr_rules; i++)
		free(row->rules[i].ops);
	free(row);
}

static void free_rules(struct frame_rules *rules)
{
	hash_table_free_all(&rules->rows, free_row);
	dwfl_end(rules->dwfl);
	free(rules);
}

static void open_rules(struct dso *dso)
{
	struct frame_rules *rules = xcalloc(1, sizeof(*rules));
	struct error err;

	/* The user was told of an unreadable file when its functions were looked up. */
	rules->dwfl = elf_dwfl_open(dso->code_path, &rules->module, &err);
	if (rules->dwfl)
		read_header(rules);
	dso->rules = rules;
	dso->free_rules = free_rules;
}

static bool has_rules(const struct dso *dso)
{
	return dso->code_path && (dso->kind == DSO_FILE || dso->code_fd >= 0);
}

/*
 * Return the rules of a file, or NULL. @addr is an offset in the file, and is changed to the
 * address of that byte according to the file.
 */
static struct frame_rules *rules_of(struct dso *dso, uint64_t *addr)
{
	if (elf_offset_to_addr(&dso->elf, *addr, addr))
		return NULL;
	if (!dso->rules && has_rules(dso))
		open_rules(dso);
	return dso->rules && dso->rules->dwfl ? dso->rules : NULL;
}

static Dwarf_Frame *find_frame(const struct frame_rules *rules, uint64_t addr)
{
	Dwarf_Frame *found;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi;

	addr += rules->bias;
	cfi = dwfl_module_eh_cfi(rules->module, &bias);
	if (cfi && !dwarf_cfi_addrframe(cfi, addr - bias, &found))
		return found;
	cfi = dwfl_module_dwarf_cfi(rules->module, &bias);
	if (cfi && !dwarf_cfi_addrframe(cfi, addr - bias, &found))
		return found;
	return NULL;
}

Dwarf_Frame *dso_frame(struct dso *dso, uint64_t addr)
{
	struct frame_rules *rules = rules_of(dso, &addr);

	return rules ? find_frame(rules, addr) : NULL;
}

bool dso_is_entry(struct dso *dso, uint64_t addr)
{
	struct frame_rules *rules = rules_of(dso, &addr);

	return rules && rules->entry && rules->entry == addr;
}

static void keep_ops(struct frame_rule *rule, enum frame_rule_kind kind, const Dwarf_Op *ops,
		     size_t nr)
{
	rule->kind = kind;
	rule->nr_ops = nr;
	rule->ops = xcalloc(nr, sizeof(*ops));
	memcpy(rule->ops, ops, nr * sizeof(*ops));
}

/*
 * Set a rule to "register plus offset", the form of nearly every CFA. Return false if @op is of
 * another form.
 */
static bool is_register_plus(const Dwarf_Op *op, struct frame_rule *rule)
{
	uint64_t number;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		number = op->atom - DW_OP_breg0;
		rule->offset = op->number;
	} else if (op->atom == DW_OP_bregx) {
		number = op->number;
		rule->offset = op->number2;
	} else {
		return false;
	}
	if (number >= FRAME_REGISTERS)
		return false;
	rule->kind = FRAME_IN_REGISTER;
	rule->base = number;
	return true;
}

static bool is_register(const Dwarf_Op *op, struct frame_rule *rule)
{
	uint64_t number = op->number;

	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		number = op->atom - DW_OP_reg0;
	else if (op->atom != DW_OP_regx)
		return false;
	if (number >= FRAME_REGISTERS)
		return false;
	rule->kind = FRAME_IN_REGISTER;
	rule->base = number;
	return true;
}

/*
 * Set a rule by the operations of libdw. They describe a location, or a value if the last operation
 * is DW_OP_stack_value.
 */
static void set_rule(struct frame_rule *rule, const Dwarf_Op *ops, size_t nr)
{
	bool value = ops[nr - 1].atom == DW_OP_stack_value;
	size_t nr_left = nr - value;

	if (nr == 1 && is_register(ops, rule))
		return;
	if (nr_left && nr_left <= 2 && ops[0].atom == DW_OP_call_frame_cfa &&
	    (nr_left == 1 || ops[1].atom == DW_OP_plus_uconst)) {
		rule->kind = value ? FRAME_CFA : FRAME_AT_CFA;
		rule->offset = nr_left == 2 ? ops[1].number : 0;
		return;
	}
	keep_ops(rule, value ? FRAME_EXPRESSION : FRAME_AT_EXPRESSION, ops, nr_left);
}

static bool set_cfa(struct frame_rule *rule, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return false;
	if (nr > 1 || !is_register_plus(ops, rule))
		keep_ops(rule, FRAME_EXPRESSION, ops, nr);
	return true;
}

static bool set_row(struct frame_row *row, Dwarf_Frame *frame, unsigned int nr_registers)
{
	int column = dwarf_frame_info(frame, NULL, NULL, &row->signal);
	struct frame_rule *rule = row->rules;
	Dwarf_Op memory[3], *ops;
	unsigned int i;
	size_t nr;

	if (column < 0 || column >= FRAME_REGISTERS || !set_cfa(&row->cfa, frame))
		return false;
	row->return_register = column;
	for (i = 0; i < nr_registers; i++) {
		if (dwarf_frame_register(frame, i, memory, &ops, &nr))
			return false;
		/* Without operations, @ops tells whether the register is unchanged or lost. */
		if (!nr && !ops)
			continue;
		rule->target = i;
		if (nr)
			set_rule(rule, ops, nr);
		else if (i == row->return_register)
			row->outermost = true;
		rule++;
	}
	row->nr_rules = rule - row->rules;
	return true;
}

/* Read the rules at an instruction. */
static struct frame_row *read_row(const struct frame_rules *rules, uint64_t addr)
{
	size_t size = sizeof(struct frame_row);
	struct frame_row *row = xcalloc(1, size + rules->nr_registers * sizeof(row->rules[0]));
	Dwarf_Frame *frame = find_frame(rules, addr);

	row->known = frame && set_row(row, frame, rules->nr_registers);
	row->addr = addr;
	free(frame);
	return xreallocarray(row, 1, size + row->nr_rules * sizeof(row->rules[0]));
}

const struct frame_row *dso_frame_row(struct dso *dso, uint64_t addr)
{
	struct frame_rules *rules = rules_of(dso, &addr);
	struct hash_node *node;
	struct frame_row *row;
	uint64_t hash;

	if (!rules)
		return NULL;
	hash = hash_mix(0, addr);
	for (node = hash_table_first(&rules->rows, hash); node; node = hash_table_next(node)) {
		row = hash_entry(node, struct frame_row, node);
		if (row->addr == addr)
			return row->known ? row : NULL;
	}
	row = read_row(rules, addr);
	hash_table_add(&rules->rows, &row->node, hash);
	return row->known ? row : NULL;
}
