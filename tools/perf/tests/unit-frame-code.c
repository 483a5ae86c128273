// SPDX-License-Identifier: GPL-2.0
/*
 * Facts about frames from the instructions of functions: epilogues, return addresses, stubs of the
 * PLT, the making of threads, frame pointers.
 */
#include <stdlib.h>
#include <unistd.h>

#include "unwind/frame_code.h"
#include "unit.h"

#define CODE_SIZE 4096
#define AX 0
#define BP 6
#define SP 7
#define IP 16

static struct elf_segment segment = { .size = CODE_SIZE, .addr = 0x401000 };
static struct dso dso = {
	.kind = DSO_FILE, .code_fd = -1, .elf = { .segments = &segment, .nr_segments = 1 },
};

static int code_file;

/* Make the code at an offset of the file. */
static void put_code(uint64_t offset, const void *bytes, size_t size)
{
	if (pwrite(code_file, bytes, size, offset) != (ssize_t)size)
		abort();
}

static bool epilogue(uint64_t offset, const void *bytes, size_t size)
{
	struct frame_row row = { .known = true };

	put_code(offset, bytes, size);
	return dso_is_epilogue(&dso, &row, offset);
}

#define EPILOGUE(offset, bytes) epilogue(offset, bytes, sizeof(bytes) - 1)

static void test_epilogues(void)
{
	struct frame_row row = { .known = true };

	check(EPILOGUE(100, "\x5b\x5d\x41\x5c\xc3"), "pop %%rbx, pop %%rbp, pop %%r12, ret");
	check(EPILOGUE(200, "\x48\x83\xc4\x18\x5d\xe9\1\2\3\4"),
	      "add, pop, and a jump to a function");
	check(EPILOGUE(300, "\xc5\xf8\x77\xf3\xc3"), "vzeroupper, rep ret");
	check(!EPILOGUE(400, "\x5b\x89\xc3\x5d\xc3"), "an instruction that may change a register");
	check(!EPILOGUE(500, "\x5b\x5d\x90\xc3"), "an instruction that epilogues do not have");
	check(!EPILOGUE(CODE_SIZE - 2, "\x5b\x5d"), "code that ends before the function is left");
	check(!dso_is_epilogue(&dso, &row, UINT64_MAX), "an offset that no file has");
}

static bool after_call(uint64_t offset, const void *bytes, size_t size)
{
	put_code(offset, "\x90\x90\x90\x90\x90\x90\x90\x90", 8);
	put_code(offset + 8, bytes, size);
	return dso_is_after_call(&dso, offset + 8 + size);
}

#define AFTER_CALL(offset, bytes) after_call(offset, bytes, sizeof(bytes) - 1)

static void test_return_addresses(void)
{
	check(AFTER_CALL(1000, "\xe8\1\2\3\4"), "behind a direct call");
	check(AFTER_CALL(1100, "\xff\xd0"), "behind a call of a register");
	check(AFTER_CALL(1200, "\xff\x55\x08"), "behind a call by memory near %%rbp");
	check(AFTER_CALL(1300, "\xff\x15\1\2\3\4"), "behind a call by memory near the instruction");
	check(AFTER_CALL(1400, "\xff\x54\x24\x08"), "behind a call by memory near %%rsp");
	check(AFTER_CALL(1500, "\xff\x94\xc4\1\2\3\4"), "behind a call by a table on the stack");
	check(!AFTER_CALL(1600, "\x89\xc3"), "behind another instruction");
	check(!AFTER_CALL(1700, "\xff\xe0"), "behind a jump");
	check(!dso_is_after_call(&dso, 3), "at the beginning of a file");
	check(!dso_is_after_call(&dso, CODE_SIZE + 100), "behind the end of a file");
}

static struct symbol symbol;
static struct location at = { .dso = &dso, .symbol = &symbol, .addr = 2000 };
static struct unwind unwind = { .word = 8, .stack_pointer = SP, .frame_pointer = BP };

static struct frame_row *row_in(const char *name, uint64_t offset)
{
	symbol.name = (char *)name;
	at.symbol_offset = offset;
	return frame_known_row(&unwind, &at);
}

static long long cfa_in(const char *name, uint64_t offset)
{
	const struct frame_row *row = row_in(name, offset);

	return row ? row->cfa.offset : -1;
}

static void test_known_rows(void)
{
	check_number(cfa_in("strlen@plt", 0), 8, "a stub of the PLT, before it pushes a number");
	check_number(cfa_in("strlen@plt", 11), 16, "a stub of the PLT, after that");
	check_number(cfa_in("strlen", 0), -1, "another function");
	unwind.known[AX] = true;
	unwind.registers[AX] = -38;
	check_number(cfa_in("__clone3", 70), 8, "the thread that makes another");
	unwind.registers[AX] = 0;
	check(row_in("clone@@GLIBC_2.2.5", 70)->outermost, "the new thread");
	unwind.known[AX] = false;
	unwind.is_return = true;
	check(row_in("clone", 80)->outermost, "the caller of a thread's first function");
	check_number(cfa_in("cloned", 80), -1, "another function");
	check_number(cfa_in("strlen@plt", 8), -1, "a stub of the PLT calls nobody");
	unwind.is_return = false;
	unwind.word = 4;
	check_number(cfa_in("strlen@plt", 11), 8, "a stub of the PLT of 32 bits");
	check_number(cfa_in("clone", 70), -1, "the frame of clone of 32 bits is not known");
	unwind.word = 8;
}

/* Return the address of the caller by the frame pointer; 0 if there is none. */
static uint64_t caller_by(uint64_t frame_pointer)
{
	static uint64_t stack[4] = { 1, 0x7f18, 0x401234, 2 };

	unwind = (struct unwind){
		.word = 8, .stack_pointer = SP, .frame_pointer = BP, .ip = 0x9000,
		.stack = (unsigned char *)stack, .stack_size = sizeof(stack), .stack_start = 0x7f00,
	};
	unwind.registers[SP] = 0x7f00;
	unwind.registers[BP] = frame_pointer;
	unwind.registers[3] = 5;
	unwind.known[SP] = true;
	unwind.known[BP] = true;
	unwind.known[3] = true;
	return unwind_next(&unwind, &at) ? unwind.ip : 0;
}

static void test_frame_pointers(void)
{
	static struct dso generated = { .kind = DSO_JIT, .code_fd = -1 };

	at = (struct location){ .dso = &generated, .addr = 0x9000 };
	check_number(caller_by(0x7f08), 0x401234, "the caller of generated code");
	check(unwind.guessed && unwind.by_pointer && unwind.is_return, "the caller is a guess");
	check(unwind.registers[BP] == 0x7f18 && unwind.registers[SP] == 0x7f18,
	      "the caller's frame");
	check(unwind.known[BP] && unwind.known[SP] && !unwind.known[3],
	      "generated code loses the other registers");
	check_number(caller_by(0x7f0c), 0, "a frame pointer that is not aligned");
	check_number(caller_by(0x7ef8), 0, "a frame pointer below the stack");
	check_number(caller_by(0x7f18), 0, "a frame that was recorded in part");
	check_number(unwind.end, UNWIND_NO_RULES, "the chain ends without call frame information");
	at.dso = NULL;
	check_number(caller_by(0x7f08), 0, "code that is not mapped has no caller");
	check(!location_is_behind_call(&at), "nor is it one");
	at = (struct location){ .dso = &dso, .addr = 1110 };
	check(location_is_behind_call(&at), "a location behind a call may be a caller");
	at.addr = 1710;
	check(!location_is_behind_call(&at), "a location behind a jump is no caller");
}

int main(void)
{
	char path[] = "/tmp/unit-frame-code-XXXXXX";

	code_file = mkstemp(path);
	if (code_file < 0 || ftruncate(code_file, CODE_SIZE))
		abort();
	/* Call frame information is looked for; the header says that there is none. */
	put_code(0, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0", 20);
	dso.code_path = path;
	test_epilogues();
	test_return_addresses();
	test_known_rows();
	test_frame_pointers();
	if (dso.rules)
		dso.free_rules(dso.rules);
	unlink(path);
	close(code_file);
	return unit_finish();
}
