// SPDX-License-Identifier: GPL-2.0
/*
 * Call frame information of a file. The rules of an instruction are kept, because samples find the
 * same callers again and again.
 *
 * frame_table.c reads .eh_frame and .debug_frame of the file itself. libdw is asked where these
 * have no rules: it reads the debug file of a stripped file, and compressed sections.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "call_frame.h"
#include "frame_program.h"
#include "frame_table.h"
#include "jit_frame.h"

/* Maximum number of rows that are kept for a file. Beyond it, all are dropped. */
#define ROWS_MAX (256UL << 10)

/**
 * struct frame_rules - the call frame information of a file
 * @file: sections of the file
 * @eh_frame: functions of .eh_frame
 * @debug_frame: functions of .debug_frame
 * @dwfl_tried: true if opening @dwfl has been tried
 * @dwfl: session of libdwfl for the file, or NULL
 * @module: module of @dwfl that is the file
 * @bias: distance that libdwfl adds to addresses of the file
 * @nr_registers: number of registers that rules are looked up for; 0 if the file cannot be read
 * @rows: rows that have been looked up, by address
 */
struct frame_rules {
	struct frame_file file;
	struct frame_table eh_frame;
	struct frame_table debug_frame;
	bool dwfl_tried;
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;
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

void frame_row_free(struct frame_row *row)
{
	size_t i;

	if (!row)
		return;
	free(row->cfa.ops);
	for (i = 0; i < row->nr_rules; i++)
		free(row->rules[i].ops);
	free(row);
}

static void free_row(struct hash_node *node)
{
	frame_row_free(hash_entry(node, struct frame_row, node));
}

static void free_rules(struct frame_rules *rules)
{
	hash_table_free_all(&rules->rows, free_row);
	frame_table_free(&rules->debug_frame);
	frame_table_free(&rules->eh_frame);
	frame_file_free(&rules->file);
	dwfl_end(rules->dwfl);
	free(rules);
}

static void open_rules(struct dso *dso)
{
	struct frame_rules *rules = xcalloc(1, sizeof(*rules));

	frame_file_read(&rules->file, dso->code_path);
	rules->nr_registers = nr_registers(rules->file.machine);
	frame_table_make(&rules->eh_frame, &rules->file.eh_frame, true, rules->file.word);
	frame_table_make(&rules->debug_frame, &rules->file.debug_frame, false, rules->file.word);
	dso->rules = rules;
	dso->free_rules = free_rules;
}

static void open_generated(struct dso *dso)
{
	struct frame_rules *rules = xcalloc(1, sizeof(*rules));

	rules->nr_registers = dso->dump->big ? 0 : nr_registers(dso->dump->machine);
	dso->rules = rules;
	dso->free_rules = free_rules;
}

static bool has_rules(const struct dso *dso)
{
	return dso->code_path && (dso->kind == DSO_FILE || dso->code_fd >= 0);
}

static bool is_generated(const struct dso *dso)
{
	return dso->kind == DSO_JITDUMP && dso->dump;
}

/*
 * Return the rules of a file, or NULL. @addr is an offset in the file, and is changed to the
 * address of that byte according to the file; a jitdump file has no addresses.
 */
static struct frame_rules *rules_of(struct dso *dso, uint64_t *addr)
{
	if (!is_generated(dso) && elf_offset_to_addr(&dso->elf, *addr, addr))
		return NULL;
	if (!dso->rules && is_generated(dso))
		open_generated(dso);
	else if (!dso->rules && has_rules(dso))
		open_rules(dso);
	return dso->rules && dso->rules->nr_registers ? dso->rules : NULL;
}

bool dso_is_entry(struct dso *dso, uint64_t addr)
{
	struct frame_rules *rules = rules_of(dso, &addr);

	return rules && rules->file.entry && rules->file.entry == addr;
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

/* Read the rules at an instruction from the debug file, or from a compressed section. */
static Dwarf_Frame *find_frame(struct frame_rules *rules, uint64_t addr, const char *path)
{
	Dwarf_Frame *found;
	struct error err;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi;

	/* The user was told of an unreadable file when its functions were looked up. */
	if (!rules->dwfl_tried)
		rules->dwfl = elf_dwfl_open(path, &rules->module, &err);
	if (!rules->dwfl_tried && rules->dwfl)
		dwfl_module_getelf(rules->module, &rules->bias);
	rules->dwfl_tried = true;
	cfi = rules->dwfl ? dwfl_module_dwarf_cfi(rules->module, &bias) : NULL;
	if (!cfi || dwarf_cfi_addrframe(cfi, addr + rules->bias - bias, &found))
		return NULL;
	return found;
}

static struct frame_row *convert_row(Dwarf_Frame *frame, unsigned int nr_registers)
{
	size_t size = sizeof(struct frame_row);
	struct frame_row *row = xcalloc(1, size + nr_registers * sizeof(row->rules[0]));

	row->known = set_row(row, frame, nr_registers);
	return xreallocarray(row, 1, size + row->nr_rules * sizeof(row->rules[0]));
}

/* Read the rules at an instruction of an ELF file. */
static struct frame_row *read_file_row(struct frame_rules *rules, uint64_t addr, const char *path)
{
	struct frame_row *row = NULL;
	struct frame_function function;
	Dwarf_Frame *frame;

	if (frame_table_find(&rules->eh_frame, addr, &function) ||
	    frame_table_find(&rules->debug_frame, addr, &function)) {
		row = frame_program_row(&function, addr, rules->nr_registers);
	} else {
		frame = find_frame(rules, addr, path);
		if (frame)
			row = convert_row(frame, rules->nr_registers);
		free(frame);
	}
	return row;
}

static struct frame_row *read_row(struct frame_rules *rules, uint64_t addr, const struct dso *dso)
{
	struct frame_row *row;

	if (is_generated(dso))
		row = jit_frame_row(dso, addr, rules->nr_registers);
	else
		row = read_file_row(rules, addr, dso->code_path);
	if (!row)
		row = xcalloc(1, sizeof(*row));
	row->addr = addr;
	return row;
}

/* Find the row of an instruction among those that have been read. */
static struct frame_row *find_row(const struct frame_rules *rules, uint64_t addr, uint64_t hash)
{
	struct hash_node *node;
	struct frame_row *row;

	for (node = hash_table_first(&rules->rows, hash); node; node = hash_table_next(node)) {
		row = hash_entry(node, struct frame_row, node);
		if (row->addr == addr)
			return row;
	}
	return NULL;
}

static struct frame_row *add_row(struct frame_rules *rules, struct dso *dso, uint64_t addr,
				 uint64_t hash)
{
	struct frame_row *row;

	if (rules->rows.nr == ROWS_MAX) {
		hash_table_free_all(&rules->rows, free_row);
		rules->rows = (struct hash_table){ NULL };
	}
	row = read_row(rules, addr, dso);
	hash_table_add(&rules->rows, &row->node, hash);
	return row;
}

struct frame_row *dso_frame_any_row(struct dso *dso, uint64_t addr)
{
	struct frame_rules *rules = rules_of(dso, &addr);
	uint64_t hash = hash_mix(0, addr);

	if (!rules)
		return NULL;
	return find_row(rules, addr, hash) ?: add_row(rules, dso, addr, hash);
}

struct frame_row *dso_frame_own_row(struct dso *dso, uint64_t addr)
{
	struct frame_rules *rules = rules_of(dso, &addr);
	uint64_t hash = hash_mix(0, addr);
	struct frame_function function;
	struct frame_row *row;

	if (!rules)
		return NULL;
	row = find_row(rules, addr, hash);
	if (row)
		return row;
	if (!is_generated(dso) && !frame_table_find(&rules->eh_frame, addr, &function) &&
	    !frame_table_find(&rules->debug_frame, addr, &function))
		return NULL;
	return add_row(rules, dso, addr, hash);
}

struct frame_row *dso_frame_row(struct dso *dso, uint64_t addr)
{
	struct frame_row *row = dso_frame_any_row(dso, addr);

	return row && row->known ? row : NULL;
}
