// SPDX-License-Identifier: GPL-2.0
/* Decodes instructions by libcapstone, which only this file uses. */
#include <capstone.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instructions.h"

/* Maximum size of the code that is decoded, in bytes. */
#define BLOCK_MAX (64 << 10)

/**
 * struct decoder - decoding of a function
 * @capstone: handle of libcapstone
 * @insn: room for an instruction
 * @arch: architecture as libcapstone names it
 * @machine: architecture, EM_*
 * @big: instructions are in big-endian byte order
 * @step: number of bytes that are skipped if they are no instruction
 * @at: next instruction
 * @left: number of bytes at @at
 * @addr: address of @at
 */
struct decoder {
	csh capstone;
	cs_insn *insn;
	cs_arch arch;
	uint16_t machine;
	bool big;
	size_t step;
	const uint8_t *at;
	size_t left;
	uint64_t addr;
};

/*
 * Read from the ELF header which mode of x86 the code is for. Return false if it is not x86 code.
 */
static bool find_mode(int fd, cs_mode *mode)
{
	/* The first fields have the same offsets in 32-bit and 64-bit files. */
	Elf64_Ehdr header;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	*mode = header.e_machine == EM_386 ? CS_MODE_32 : CS_MODE_64;
	return header.e_machine == EM_386 || header.e_machine == EM_X86_64;
}

/* Return true if the instruction always jumps, calls or returns. */
static bool always_jumps(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_JMP:
	case X86_INS_LJMP:
	case X86_INS_CALL:
	case X86_INS_LCALL:
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
		return true;
	}
	return false;
}

static unsigned int count_instructions(csh capstone, const uint8_t *code, size_t size,
				       uint64_t first, uint64_t last)
{
	cs_insn *insn = cs_malloc(capstone);
	unsigned int nr = 0, found = 0;

	while (!found && first <= last && cs_disasm_iter(capstone, &code, &size, &first, insn)) {
		nr++;
		if (insn->address == last)
			found = nr;
		else if (always_jumps(insn))
			break;
	}
	cs_free(insn, 1);
	return found;
}

unsigned int dso_count_instructions(const struct dso *dso, uint64_t first, uint64_t last)
{
	unsigned int nr = 0;
	uint8_t *code;
	ssize_t size;
	csh capstone;
	cs_mode mode;
	int fd;

	if (dso->kind != DSO_FILE || !dso->code_path || first > last || last - first > BLOCK_MAX)
		return 0;
	fd = open_regular(dso->code_path);
	if (fd < 0)
		return 0;
	code = xmalloc(last - first + INSTRUCTION_MAX);
	size = pread(fd, code, last - first + INSTRUCTION_MAX, first);
	if (size > 0 && find_mode(fd, &mode) && !cs_open(CS_ARCH_X86, mode, &capstone)) {
		nr = count_instructions(capstone, code, size, first, last);
		cs_close(&capstone);
	}
	free(code);
	close(fd);
	return nr;
}

/* Choose libcapstone's architecture of the code. Return false if it has none. */
static bool find_arch(const struct code *code, struct decoder *d, cs_mode *mode)
{
	*mode = code->big ? CS_MODE_BIG_ENDIAN : CS_MODE_LITTLE_ENDIAN;
	d->step = 4;
	switch (code->machine) {
	case EM_386:
	case EM_X86_64:
		d->arch = CS_ARCH_X86;
		*mode = code->machine == EM_386 ? CS_MODE_32 : CS_MODE_64;
		d->step = 1;
		return true;
	case EM_AARCH64:
		d->arch = CS_ARCH_ARM64;
		*mode = CS_MODE_LITTLE_ENDIAN;
		return true;
	case EM_PPC:
	case EM_PPC64:
		d->arch = CS_ARCH_PPC;
		*mode |= code->machine == EM_PPC64 ? CS_MODE_64 : CS_MODE_32;
		return true;
	case EM_S390:
		d->arch = CS_ARCH_SYSZ;
		d->step = 2;
		return true;
	}
	return false;
}

struct decoder *decoder_new(const struct code *code, bool intel, struct error *err)
{
	struct decoder *d = xcalloc(1, sizeof(*d));
	cs_mode mode;

	if (!find_arch(code, d, &mode) || cs_open(d->arch, mode, &d->capstone)) {
		error_set(err, "code of architecture %u of ELF files is not decoded here",
			  code->machine);
		free(d);
		return NULL;
	}
	cs_option(d->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	if (d->arch == CS_ARCH_X86)
		cs_option(d->capstone, CS_OPT_SYNTAX,
			  intel ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
	d->insn = cs_malloc(d->capstone);
	d->machine = code->machine;
	d->big = code->big;
	d->at = code->bytes;
	d->left = code->size;
	d->addr = code->addr;
	return d;
}

/* Sign-extend the number in the low @bits bits of @value. */
static int64_t extend(uint32_t value, unsigned int bits)
{
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/*
 * Find the flow of an instruction of powerpc by its bits: Power ISA, book I, section 2.4.
 * libcapstone does not put all its branches in groups.
 */
static void find_powerpc_flow(const struct decoder *d, struct instruction *insn)
{
	const uint8_t *b = insn->bytes;
	uint32_t word = d->big ? (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3] :
				 (uint32_t)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0];
	bool link = word & 1, absolute = word & 2;
	/* Bits 0 and 2 of the field BO: the branch depends on neither a condition nor the count. */
	bool always = ((word >> 21) & 0x14) == 0x14;
	unsigned int opcode = word >> 26, extended = (word >> 1) & 0x3ff;

	if (opcode == 18) {
		insn->flow = link ? FLOW_CALL : FLOW_JUMP;
		insn->target = extend(word & 0x3fffffc, 26);
	} else if (opcode == 16) {
		insn->flow = link ? FLOW_CALL : always ? FLOW_JUMP : FLOW_BRANCH;
		insn->target = extend(word & 0xfffc, 16);
	} else if (opcode == 19 && (extended == 16 || extended == 528)) {
		if (link)
			insn->flow = FLOW_CALL;
		else if (!always)
			insn->flow = FLOW_BRANCH;
		else
			insn->flow = extended == 16 ? FLOW_RETURN : FLOW_JUMP;
		return;
	} else {
		return;
	}
	insn->has_target = true;
	if (!absolute)
		insn->target += insn->addr;
}

static bool is_always(const struct decoder *d)
{
	const cs_insn *insn = d->insn;

	switch (d->arch) {
	case CS_ARCH_X86:
		return always_jumps(insn);
	case CS_ARCH_ARM64:
		return (insn->id == ARM64_INS_B && (insn->detail->arm64.cc == ARM64_CC_INVALID ||
						    insn->detail->arm64.cc == ARM64_CC_AL)) ||
		       insn->id == ARM64_INS_BR;
	case CS_ARCH_SYSZ:
		return insn->id == SYSZ_INS_J || insn->id == SYSZ_INS_JG;
	default:
		return false;
	}
}

/* Find the last operand. Return: true if it is a number, as the target of a direct jump is. */
static bool last_number(const struct decoder *d, uint64_t *number)
{
	const cs_detail *detail = d->insn->detail;
	unsigned int type = CS_OP_INVALID;
	size_t nr;

	/* Each architecture has its own names for the types, but one value for numbers. */
	switch (d->arch) {
	case CS_ARCH_X86:
		nr = detail->x86.op_count;
		type = nr ? detail->x86.operands[nr - 1].type : type;
		*number = nr ? detail->x86.operands[nr - 1].imm : 0;
		break;
	case CS_ARCH_ARM64:
		nr = detail->arm64.op_count;
		type = nr ? detail->arm64.operands[nr - 1].type : type;
		*number = nr ? detail->arm64.operands[nr - 1].imm : 0;
		break;
	case CS_ARCH_SYSZ:
		nr = detail->sysz.op_count;
		type = nr ? detail->sysz.operands[nr - 1].type : type;
		*number = nr ? detail->sysz.operands[nr - 1].imm : 0;
		break;
	default:
		break;
	}
	return type == CS_OP_IMM;
}

static void find_flow(const struct decoder *d, struct instruction *insn)
{
	const cs_insn *decoded = d->insn;

	if (d->arch == CS_ARCH_PPC) {
		find_powerpc_flow(d, insn);
		return;
	}
	if (cs_insn_group(d->capstone, decoded, CS_GRP_RET) ||
	    cs_insn_group(d->capstone, decoded, CS_GRP_IRET))
		insn->flow = FLOW_RETURN;
	else if (cs_insn_group(d->capstone, decoded, CS_GRP_CALL) ||
		 (d->arch == CS_ARCH_ARM64 &&
		  (decoded->id == ARM64_INS_BL || decoded->id == ARM64_INS_BLR)))
		insn->flow = FLOW_CALL;
	else if (cs_insn_group(d->capstone, decoded, CS_GRP_JUMP))
		insn->flow = is_always(d) ? FLOW_JUMP : FLOW_BRANCH;
	if (insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP || insn->flow == FLOW_CALL)
		insn->has_target = last_number(d, &insn->target);
}

/* Remove the last operand, which is the target, from the text. */
static void cut_target(struct instruction *insn)
{
	char *comma = strrchr(insn->operands, ',');

	if (comma)
		*comma = '\0';
	else
		insn->operands[0] = '\0';
}

/*
 * Return the address of the RIP-relative memory operand of an x86-64 instruction; 0 if it has none.
 */
static uint64_t find_data(const struct decoder *d, const struct instruction *insn)
{
	const cs_x86 *x86 = &d->insn->detail->x86;
	size_t i;

	if (d->machine != EM_X86_64)
		return 0;
	for (i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type == X86_OP_MEM &&
		    x86->operands[i].mem.base == X86_REG_RIP)
			return insn->addr + insn->size + x86->operands[i].mem.disp;
	}
	return 0;
}

bool decoder_next(struct decoder *d, struct instruction *insn)
{
	const uint8_t *start = d->at;

	memset(insn, 0, sizeof(*insn));
	insn->addr = d->addr;
	if (!d->left)
		return false;
	if (!cs_disasm_iter(d->capstone, &d->at, &d->left, &d->addr, d->insn)) {
		insn->size = d->left < d->step ? d->left : d->step;
		d->at += insn->size;
		d->left -= insn->size;
		d->addr += insn->size;
		memcpy(insn->bytes, start, insn->size);
		snprintf(insn->name, sizeof(insn->name), "(bad)");
		return true;
	}
	insn->size = d->insn->size < INSTRUCTION_MAX ? d->insn->size : INSTRUCTION_MAX;
	memcpy(insn->bytes, start, insn->size);
	snprintf(insn->name, sizeof(insn->name), "%s", d->insn->mnemonic);
	snprintf(insn->operands, sizeof(insn->operands), "%s", d->insn->op_str);
	find_flow(d, insn);
	if (insn->has_target)
		cut_target(insn);
	insn->refers = find_data(d, insn);
	return true;
}

void decoder_free(struct decoder *d)
{
	cs_free(d->insn, 1);
	cs_close(&d->capstone);
	free(d);
}
