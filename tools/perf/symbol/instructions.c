// SPDX-License-Identifier: GPL-2.0
/*
 * Counts instructions in the code of a file. Only this file uses libcapstone, which decodes
 * them.
 */
#include <capstone.h>
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "instructions.h"

/* Maximum size of the code that is decoded, in bytes. */
#define BLOCK_MAX (64 << 10)
/* Maximum size of an instruction in bytes. */
#define INSTRUCTION_MAX 15

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
