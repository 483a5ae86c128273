// SPDX-License-Identifier: GPL-2.0
/* Facts about frames from the instructions of functions. Opcodes: Intel SDM, volume 2. */
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "frame_code.h"

/* Maximum number of bytes of an epilogue that are read. */
#define EPILOGUE_SIZE 64

/* Length of the longest call instruction without prefixes: an opcode, ModRM, SIB, an offset. */
#define CALL_SIZE 7

static int open_code(const struct dso *dso)
{
	struct error err;
	struct stat st;

	if (dso->kind == DSO_JITDUMP)
		return jitdump_open(dso, &st, &err);
	return dso->code_path ? open_regular(dso->code_path) : -1;
}

/* Read code of a file. Return the number of bytes, fewer than @size at the end of the file. */
static size_t read_code(const struct dso *dso, uint64_t addr, uint8_t *code, size_t size)
{
	int fd = open_code(dso);
	ssize_t got = -1;

	if (fd < 0)
		return 0;
	if (addr <= INT64_MAX)
		got = pread(fd, code, size, addr);
	close(fd);
	return got < 0 ? 0 : got;
}

/* An instruction of an epilogue; @leaves is true if it leaves the function. */
struct epilogue_op {
	uint8_t length;
	uint8_t opcode[3];
	uint8_t opcode_length;
	bool leaves;
};

static const struct epilogue_op epilogue_ops[] = {
	{ 1, { 0xc3 }, 1, true },			/* ret */
	{ 3, { 0xc2 }, 1, true },			/* ret imm16 */
	{ 2, { 0xf3, 0xc3 }, 2, true },			/* rep ret */
	{ 2, { 0xf2, 0xc3 }, 2, true },			/* bnd ret */
	{ 5, { 0xe9 }, 1, true },			/* jmp rel32 */
	{ 2, { 0xeb }, 1, true },			/* jmp rel8 */
	{ 1, { 0xc9 }, 1, false },			/* leave */
	{ 4, { 0x48, 0x83, 0xc4 }, 3, false },		/* add $imm8, %rsp */
	{ 7, { 0x48, 0x81, 0xc4 }, 3, false },		/* add $imm32, %rsp */
	{ 3, { 0x83, 0xc4 }, 2, false },		/* add $imm8, %esp */
	{ 6, { 0x81, 0xc4 }, 2, false },		/* add $imm32, %esp */
	{ 3, { 0xc5, 0xf8, 0x77 }, 3, false },		/* vzeroupper */
};

/*
 * Return the length of the instruction at @code if an epilogue can have it, or 0. @leaves is set to
 * true if it leaves the function.
 */
static size_t epilogue_length(const uint8_t *code, size_t left, bool *leaves)
{
	size_t i;

	/* pop of a register; of r8 to r15 with a prefix */
	if (left >= 1 && (code[0] & 0xf8) == 0x58)
		return 1;
	if (left >= 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x58)
		return 2;
	for (i = 0; i < ARRAY_SIZE(epilogue_ops); i++) {
		const struct epilogue_op *op = &epilogue_ops[i];

		if (left >= op->length && !memcmp(code, op->opcode, op->opcode_length)) {
			*leaves = op->leaves;
			return op->length;
		}
	}
	return 0;
}

static bool is_epilogue(const uint8_t *code, size_t size)
{
	bool leaves = false;
	size_t at, length;

	for (at = 0; at < size && !leaves; at += length) {
		length = epilogue_length(code + at, size - at, &leaves);
		if (!length)
			return false;
	}
	return leaves;
}

bool dso_is_epilogue(const struct dso *dso, struct frame_row *row, uint64_t addr)
{
	uint8_t code[EPILOGUE_SIZE];

	if (row->epilogue == FRAME_ASK) {
		size_t size = read_code(dso, addr, code, sizeof(code));

		row->epilogue = is_epilogue(code, size) ? FRAME_YES : FRAME_NO;
	}
	return row->epilogue == FRAME_YES;
}

/* Return true if @code, of which @length bytes are left, can be an indirect call of this length. */
static bool is_indirect_call(const uint8_t *code, size_t length)
{
	static const uint8_t offset_sizes[] = { 0, 1, 4, 0 };
	uint8_t modrm, mode, base;
	size_t expected;

	if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
		return false;
	modrm = code[1];
	mode = modrm >> 6;
	base = modrm & 7;
	expected = 2 + offset_sizes[mode];
	if (mode != 3 && base == 4) {
		expected++;
		base = code[2] & 7;
	}
	/* Without an offset, this base stands for an address of 32 bits. */
	if (mode == 0 && base == 5)
		expected += 4;
	return expected == length;
}

static bool is_after_call(const struct dso *dso, uint64_t addr)
{
	uint8_t code[CALL_SIZE];
	size_t length;

	if (addr < sizeof(code) ||
	    read_code(dso, addr - sizeof(code), code, sizeof(code)) != sizeof(code))
		return false;
	if (code[CALL_SIZE - 5] == 0xe8)
		return true;
	for (length = 2; length <= CALL_SIZE; length++) {
		if (is_indirect_call(code + CALL_SIZE - length, length))
			return true;
	}
	return false;
}

bool dso_is_after_call(struct dso *dso, uint64_t addr)
{
	struct frame_row *row = addr ? dso_frame_own_row(dso, addr - 1) : NULL;

	if (!row)
		return is_after_call(dso, addr);
	if (row->after_call == FRAME_ASK)
		row->after_call = is_after_call(dso, addr) ? FRAME_YES : FRAME_NO;
	return row->after_call == FRAME_YES;
}

/* Numbers of registers by DWARF */
enum {
	X86_64_AX = 0, X86_64_SP = 7, X86_64_IP = 16,
	I386_SP = 4, I386_IP = 8,
};

/* On entry to a function, only the return address is on the stack; then one more word is. */
static struct frame_row entered_64 = {
	.known = true, .return_register = X86_64_IP, .nr_rules = 1,
	.cfa = { .kind = FRAME_IN_REGISTER, .base = X86_64_SP, .offset = 8 },
	.rules = { { .kind = FRAME_AT_CFA, .target = X86_64_IP, .offset = -8 } },
};

static struct frame_row pushed_64 = {
	.known = true, .return_register = X86_64_IP, .nr_rules = 1,
	.cfa = { .kind = FRAME_IN_REGISTER, .base = X86_64_SP, .offset = 16 },
	.rules = { { .kind = FRAME_AT_CFA, .target = X86_64_IP, .offset = -8 } },
};

static struct frame_row entered_32 = {
	.known = true, .return_register = I386_IP, .nr_rules = 1,
	.cfa = { .kind = FRAME_IN_REGISTER, .base = I386_SP, .offset = 4 },
	.rules = { { .kind = FRAME_AT_CFA, .target = I386_IP, .offset = -4 } },
};

static struct frame_row pushed_32 = {
	.known = true, .return_register = I386_IP, .nr_rules = 1,
	.cfa = { .kind = FRAME_IN_REGISTER, .base = I386_SP, .offset = 8 },
	.rules = { { .kind = FRAME_AT_CFA, .target = I386_IP, .offset = -4 } },
};

static struct frame_row outermost = { .known = true, .outermost = true };

/* A lazy stub is "jmp *entry", of 6 bytes, "push $number", of 5 bytes, and a jump. */
#define PLT_PUSHED 11

static bool has_suffix(const char *name, const char *suffix)
{
	size_t size = strlen(name), suffix_size = strlen(suffix);

	return size >= suffix_size && !strcmp(name + size - suffix_size, suffix);
}

/* Return true for clone, clone3, and these with underscores or a version. */
static bool makes_thread(const char *name)
{
	size_t size;

	name += strspn(name, "_");
	size = strcspn(name, "@");
	return (size == 5 && !memcmp(name, "clone", 5)) ||
	       (size == 6 && !memcmp(name, "clone3", 6));
}

struct frame_row *frame_known_row(const struct unwind *unwind, const struct location *at)
{
	struct frame_row *entered = unwind->word == 8 ? &entered_64 : &entered_32;

	if (!at->symbol)
		return NULL;
	if (has_suffix(at->symbol->name, "@plt")) {
		if (unwind->is_return)
			return NULL;
		if (at->symbol_offset < PLT_PUSHED)
			return entered;
		return unwind->word == 8 ? &pushed_64 : &pushed_32;
	}
	if (unwind->word != 8 || !makes_thread(at->symbol->name))
		return NULL;
	/* The system call returns 0 in the new thread, which then calls its first function. */
	if (unwind->is_return || (unwind->known[X86_64_AX] && !unwind->registers[X86_64_AX]))
		return &outermost;
	return entered;
}
