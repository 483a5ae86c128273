// SPDX-License-Identifier: GPL-2.0
/*
 * The callers of a sampled stack, found by call frame information.
 */
#include <string.h>

#include "util/util.h"
#include "frame_code.h"
#include "frame_value.h"
#include "stack_walk.h"

/**
 * struct unwind_abi - the registers of a machine
 * @word: size of an address in bytes
 * @ip: number of the instruction pointer in the kernel's order (asm/perf_regs.h)
 * @stack_pointer: number of the stack pointer in DWARF's order
 * @frame_pointer: number of the frame pointer in DWARF's order; 0 on a machine without one
 * @nr: number of @kernel
 * @nr_changed: number of @changed
 * @kernel: number in the kernel's order of each of DWARF's registers
 * @changed: registers that a called function need not preserve, by DWARF's numbers
 */
struct unwind_abi {
	unsigned int word;
	unsigned int ip;
	unsigned int stack_pointer;
	unsigned int frame_pointer;
	unsigned int nr;
	unsigned int nr_changed;
	const uint8_t *kernel;
	const uint8_t *changed;
};

/* A number that no register has in the kernel's order. */
#define NOT_RECORDED 63

/* System V ABI: AMD64 supplement, figure 3.36; i386 supplement, table 2.14. */
static const uint8_t x86_64_registers[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22,
					    23, 8 };
static const uint8_t i386_registers[] = { 0, 2, 3, 1, 7, 6, 4, 5, 8 };

/* 64-bit ELF V2 ABI of Power, section 2.4: general registers, then LR, which is the kernel's 36. */
static const uint8_t powerpc_registers[FRAME_REGISTERS] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
	25, 26, 27, 28, 29, 30, 31, [32 ... 64] = NOT_RECORDED, 36,
};

static const uint8_t x86_64_changed[] = { 0, 1, 2, 4, 5, 8, 9, 10, 11 };
static const uint8_t i386_changed[] = { 0, 1, 2 };
static const uint8_t powerpc_changed[] = { 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };

static const struct unwind_abi x86_64 = {
	.word = 8, .ip = 8, .stack_pointer = 7, .frame_pointer = 6,
	.nr_changed = ARRAY_SIZE(x86_64_changed), .changed = x86_64_changed,
	.nr = ARRAY_SIZE(x86_64_registers), .kernel = x86_64_registers,
};

static const struct unwind_abi i386 = {
	.word = 4, .ip = 8, .stack_pointer = 4, .frame_pointer = 5,
	.nr_changed = ARRAY_SIZE(i386_changed), .changed = i386_changed,
	.nr = ARRAY_SIZE(i386_registers), .kernel = i386_registers,
};

static const struct unwind_abi powerpc = {
	.word = 8, .ip = 32, .stack_pointer = 1,
	.nr_changed = ARRAY_SIZE(powerpc_changed), .changed = powerpc_changed,
	.nr = ARRAY_SIZE(powerpc_registers), .kernel = powerpc_registers,
};

static const struct unwind_abi *find_abi(enum arch arch, uint64_t regs_abi)
{
	switch (arch) {
	case ARCH_X86:
		return regs_abi == PERF_SAMPLE_REGS_ABI_32 ? &i386 : &x86_64;
	case ARCH_POWERPC:
		return regs_abi == PERF_SAMPLE_REGS_ABI_64 ? &powerpc : NULL;
	default:
		return NULL;
	}
}

/* Read the register @number of the kernel's order. Return false if the sample does not have it. */
static bool read_register(const struct sample_regs *regs, unsigned int number, uint64_t *value)
{
	uint64_t below = regs->mask & ((1ULL << number) - 1);

	if (!(regs->mask & 1ULL << number))
		return false;
	memcpy(value, (const uint64_t *)regs->values + __builtin_popcountll(below),
	       sizeof(*value));
	return true;
}

bool unwind_begin(struct unwind *unwind, const struct sample *sample, bool in_kernel,
		  enum arch arch)
{
	const struct sample_regs *regs = &sample->user_regs;
	const struct unwind_abi *abi = find_abi(arch, regs->abi);
	unsigned int i;

	if (!regs->abi || !abi || !sample->user_stack_size ||
	    !read_register(regs, abi->ip, &unwind->ip))
		return false;
	for (i = 0; i < FRAME_REGISTERS; i++)
		unwind->known[i] = i < abi->nr &&
				   read_register(regs, abi->kernel[i], &unwind->registers[i]);
	if (!unwind->known[abi->stack_pointer])
		return false;
	unwind->is_return = false;
	unwind->in_kernel = in_kernel;
	unwind->word = abi->word;
	unwind->stack_pointer = abi->stack_pointer;
	unwind->frame_pointer = abi->frame_pointer;
	unwind->guessed = false;
	unwind->by_pointer = false;
	unwind->changed = abi->changed;
	unwind->nr_changed = abi->nr_changed;
	unwind->stack = sample->user_stack;
	unwind->stack_size = sample->user_stack_used;
	unwind->stack_start = unwind->registers[abi->stack_pointer];
	unwind->depth = 0;
	return true;
}

static bool end(struct unwind *unwind, enum unwind_end why)
{
	unwind->end = why;
	return false;
}

/* End the walk because a value cannot be found. @missed is its address in memory, or 0. */
static bool end_without(struct unwind *unwind, uint64_t missed)
{
	if (missed < unwind->stack_start + unwind->stack_size)
		return end(unwind, UNWIND_NO_SENSE);
	return end(unwind, unwind->stack_size ? UNWIND_NO_STACK : UNWIND_UNREAD);
}

/*
 * Return true if a register that was saved at @missed, below the stack pointer, has its value
 * again. Only x86 needs this: elsewhere, functions restore their registers before they take their
 * frames down.
 */
static bool is_restored(const struct unwind *unwind, struct frame_row *row,
			const struct frame_rule *rule, const struct location *at, uint64_t missed)
{
	return unwind->frame_pointer && missed && !unwind->is_return &&
	       missed < unwind->registers[unwind->stack_pointer] &&
	       rule->target != row->return_register && unwind->known[rule->target] &&
	       at->dso && dso_is_epilogue(at->dso, row, at->addr);
}

/* Replace the registers of the callee in @unwind by those of the caller. */
static bool apply_row(struct unwind *unwind, struct frame_row *row, const struct location *at,
		      uint64_t cfa)
{
	uint64_t values[FRAME_REGISTERS], missed;
	bool known[FRAME_REGISTERS];
	size_t i;

	for (i = 0; i < row->nr_rules; i++) {
		known[i] = frame_value(unwind, &row->rules[i], cfa, &values[i], &missed);
		if (!known[i] && is_restored(unwind, row, &row->rules[i], at, missed)) {
			values[i] = unwind->registers[row->rules[i].target];
			known[i] = true;
		}
		if (!known[i] && row->rules[i].target == row->return_register)
			return end_without(unwind, missed);
	}
	for (i = 0; i < unwind->nr_changed; i++)
		unwind->known[unwind->changed[i]] = false;
	unwind->registers[unwind->stack_pointer] = cfa;
	for (i = 0; i < row->nr_rules; i++) {
		unwind->registers[row->rules[i].target] = values[i];
		unwind->known[row->rules[i].target] = known[i];
	}
	if (!unwind->known[row->return_register] || !unwind->known[unwind->stack_pointer])
		return end(unwind, UNWIND_NO_SENSE);
	return true;
}

/*
 * Return true at the entry point of a program or dynamic linker, which has no caller, whatever its
 * rules say.
 */
static bool is_entry(const struct location *at)
{
	return at->dso && at->symbol && dso_is_entry(at->dso, at->addr - at->symbol_offset);
}

/*
 * Find the rules at a frame. A return address is looked up one byte before, because a call may be
 * the last instruction of its function: at the address itself the next function has other rules, or
 * none.
 */
static struct frame_row *find_row(const struct unwind *unwind, const struct location *at)
{
	struct frame_row *row;

	if (!at->dso)
		return NULL;
	row = dso_frame_row(at->dso, at->addr - unwind->is_return);
	if (!row && unwind->in_kernel && !unwind->depth)
		row = dso_frame_row(at->dso, at->addr - 1);
	return row;
}

/*
 * Return true if generated code has damaged tables. It may have no frame pointer then, so that the
 * frame pointer would lead to a wrong caller.
 */
static bool is_damaged(const struct unwind *unwind, const struct location *at)
{
	const struct frame_row *row = NULL;

	if (at->dso && at->dso->kind == DSO_JITDUMP)
		row = dso_frame_any_row(at->dso, at->addr - unwind->is_return);
	return row && row->damaged;
}

static bool has_code(const struct location *at)
{
	if (!at->dso)
		return false;
	switch (at->dso->kind) {
	case DSO_FILE:
	case DSO_JIT:
	case DSO_JITDUMP:
		return true;
	default:
		return false;
	}
}

/*
 * Go to the caller by the frame pointer, for code without call frame information: compilers that
 * generate code as a program runs make frame pointers. The registers other than the frame pointer
 * are lost.
 */
static bool follow_frame_pointer(struct unwind *unwind, const struct location *at)
{
	uint64_t fp = unwind->registers[unwind->frame_pointer], caller_fp, ip;
	unsigned int word = unwind->word;

	if (!unwind->frame_pointer || !has_code(at) || !unwind->known[unwind->frame_pointer] ||
	    fp < unwind->registers[unwind->stack_pointer] || fp % word ||
	    !frame_memory(unwind, fp, &caller_fp) || !frame_memory(unwind, fp + word, &ip) || !ip)
		return end(unwind, UNWIND_NO_RULES);
	memset(unwind->known, 0, sizeof(unwind->known));
	unwind->registers[unwind->frame_pointer] = caller_fp;
	unwind->registers[unwind->stack_pointer] = fp + 2 * word;
	unwind->known[unwind->frame_pointer] = true;
	unwind->known[unwind->stack_pointer] = true;
	unwind->ip = ip;
	unwind->is_return = true;
	unwind->guessed = true;
	unwind->by_pointer = true;
	return true;
}

bool location_is_behind_call(const struct location *at)
{
	if (!has_code(at))
		return false;
	/* The code of a file can be read; generated code is gone. */
	return at->dso->kind != DSO_FILE || dso_is_after_call(at->dso, at->addr);
}

bool unwind_next(struct unwind *unwind, const struct location *at)
{
	uint64_t sp = unwind->registers[unwind->stack_pointer], ip = unwind->ip, cfa, missed;
	struct frame_row *row = find_row(unwind, at);

	unwind->guessed = false;
	if (!row && unwind->frame_pointer) {
		row = frame_known_row(unwind, at);
		unwind->guessed = row;
	}
	if (is_entry(at) || (row && row->outermost))
		return end(unwind, UNWIND_OUTERMOST);
	if (++unwind->depth == UNWIND_FRAMES)
		return end(unwind, UNWIND_TOO_DEEP);
	if (!row && is_damaged(unwind, at))
		return end(unwind, UNWIND_DAMAGED);
	if (!row)
		return follow_frame_pointer(unwind, at);
	if (!frame_value(unwind, &row->cfa, 0, &cfa, &missed))
		return end_without(unwind, missed);
	if (!apply_row(unwind, row, at, cfa))
		return false;
	unwind->ip = unwind->registers[row->return_register];
	unwind->is_return = !row->signal;
	if (!unwind->ip)
		return end(unwind, UNWIND_OUTERMOST);
	/* The CFA grows from frame to frame, unless a signal switched to another stack. */
	if (!row->signal && (cfa < sp || (cfa == sp && unwind->ip == ip)))
		return end(unwind, UNWIND_NO_SENSE);
	return true;
}
