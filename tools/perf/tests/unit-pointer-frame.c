// SPDX-License-Identifier: GPL-2.0
/*
 * The value of the frame pointer at instructions of functions that are written here, and the chains
 * that follow from it.
 */
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "machine/machine.h"
#include "machine/pointer_chain.h"
#include "unwind/pointer_frame.h"
#include "pointer_labels.h"
#include "unit.h"

#ifdef __x86_64__

/* keeps() sets its frame pointer, uses() uses the register otherwise, none() has no frame. */
asm(".pushsection .text\n"
	"keeps:\n"
	".cfi_startproc\n"
	"keeps_first:	push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"keeps_pushed:	mov %rdi, %rax\n"
	"	mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"keeps_set:	call none\n"
	"keeps_return:	pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"keeps_last:	ret\n"
	".cfi_endproc\n"
	"uses:\n"
	".cfi_startproc\n"
	"	push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"uses_inside:	mov %rdi, %rbp\n"
	"	.skip 40, 0x90\n"
	"	pop %rbp\n"
	".cfi_def_cfa_offset 8\n"
	"uses_last:	ret\n"
	".cfi_endproc\n"
	"red:\n"
	".cfi_startproc\n"
	"	mov %rbp, -8(%rsp)\n"
	".cfi_offset %rbp, -16\n"
	"red_inside:	mov %rdi, %rbp\n"
	"	mov -8(%rsp), %rbp\n"
	"	ret\n"
	".cfi_endproc\n"
	"shifted:\n"
	".cfi_startproc\n"
	"	push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"	lea -32(%rsp), %rbp\n"
	".cfi_def_cfa %rbp, 48\n"
	"shifted_inside:	nop\n"
	".cfi_endproc\n"
	"none:\n"
	".cfi_startproc\n"
	"	mov %rdi, %rax\n"
	"none_last:	ret\n"
	".cfi_endproc\n"
	"aligned:\n"
	".cfi_startproc\n"
	"	lea 8(%rsp), %r10\n"
	".cfi_def_cfa %r10, 0\n"
	"aligned_first:	pushq -8(%r10)\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %r10\n"
	/* DW_CFA_expression of register 6: breg6+0; DW_CFA_def_cfa_expression: breg6-8, deref */
	".cfi_escape 0x10,0x6,0x2,0x76,0x0\n"
	".cfi_escape 0xf,0x3,0x76,0x78,0x6\n"
	"aligned_inside:	nop\n"
	".cfi_endproc\n"
	"begins:\n"
	".cfi_startproc\n"
	".cfi_undefined %rip\n"
	"begins_inside:	nop\n"
	".cfi_endproc\n"
	"trampoline:\n"
	".cfi_startproc\n"
	".cfi_signal_frame\n"
	"	nop\n"
	"trampoline_inside:	nop\n"
	".cfi_endproc\n"
	"bare:	nop\n"
	"bare_inside:	nop\n"
	".popsection\n");

static struct symbol_sources sources = { .data_path = "" };
static struct data_features features;
static struct dso_set set = { .sources = &sources, .features = &features };
static struct dso *dso;

/* Return the offset in the file of this program at which a label is. */
static uint64_t offset_of(const char *label)
{
	const Elf64_Phdr *header = (const void *)getauxval(AT_PHDR);
	uint64_t addr = (uintptr_t)label, base = 0, i;

	for (i = 0; i < getauxval(AT_PHNUM); i++) {
		if (header[i].p_type == PT_PHDR)
			base = (uintptr_t)header - header[i].p_vaddr;
	}
	for (i = 0; i < getauxval(AT_PHNUM); i++) {
		uint64_t start = base + header[i].p_vaddr;

		if (header[i].p_type == PT_LOAD && addr >= start &&
		    addr - start < header[i].p_filesz)
			return addr - start + header[i].p_offset;
	}
	return UINT64_MAX;
}

static enum pointer_frame value_at(const char *label)
{
	return dso_pointer_frame(dso, offset_of(label), false);
}

static void test_values(void)
{
	check_number(value_at(keeps_first), POINTER_CALLERS, "before the push");
	check_number(value_at(keeps_pushed), POINTER_CALLERS, "between the push and the setting");
	check_number(value_at(keeps_set), POINTER_OWN, "after the setting");
	check_number(value_at(keeps_last), POINTER_CALLERS, "after the pop");
	check_number(value_at(uses_inside), POINTER_OTHER, "a function that uses the register");
	check_number(value_at(uses_last), POINTER_CALLERS, "and has restored it");
	check_number(value_at(red_inside), POINTER_OTHER, "a register saved below the stack pointer");
	check_number(value_at(shifted_inside), POINTER_OTHER, "a frame pointer to another place");
	check_number(value_at(none_last), POINTER_CALLERS, "a function without a frame");
	check_number(value_at(aligned_first), POINTER_CALLERS, "before a frame that is aligned");
	check_number(value_at(aligned_inside), POINTER_OWN, "in a frame that is aligned");
	check_number(value_at(begins_inside), POINTER_OUTERMOST, "a function without a caller");
	check_number(value_at(trampoline_inside), POINTER_SIGNAL, "a signal trampoline");
	check_number(value_at(bare_inside), POINTER_UNKNOWN, "code without information");
	check_number(dso_pointer_frame(dso, offset_of(keeps_return), true), POINTER_OWN,
		     "a return address is looked up at its call");
	check_number(value_at(keeps_pushed), POINTER_CALLERS, "an answer that was kept");
	check_number(dso_pointer_frame(dso, UINT64_MAX, true), POINTER_UNKNOWN,
		     "an offset that no file has");
}

/* Return the judgement of the last of some entries; 0 ends the list. */
static enum pointer_entry judge(struct pointer_walk *walk, const char *const *labels)
{
	enum pointer_entry entry = POINTER_CALLER;
	struct location frame = { .mode = MODE_USER, .dso = dso };

	for (; *labels; labels++) {
		frame.addr = offset_of(*labels);
		entry = pointer_walk_add(walk, &frame);
		frame.back = 1;
	}
	return entry;
}

#define JUDGE(walk, ...) judge(walk, (const char *const []){ __VA_ARGS__, NULL })

static void test_chains(void)
{
	struct pointer_walk walk = { .active = true };
	struct symbol first = { .name = "first" };
	struct location frame = {
		.mode = MODE_USER, .dso = dso, .addr = offset_of(keeps_first), .symbol = &first,
	};

	check_number(JUDGE(&walk, keeps_set, keeps_return, keeps_return), POINTER_CALLER,
		     "callers of functions with frame pointers");
	check_number(walk.gaps + walk.cut, 0, "are whole");
	walk = (struct pointer_walk){ .active = true };
	check_number(JUDGE(&walk, none_last, keeps_return), POINTER_GAP, "the caller is missing");
	check_number(JUDGE(&walk, keeps_return), POINTER_CALLER, "the next one is its caller");
	check_number(walk.gaps, 1, "one gap is counted");
	walk = (struct pointer_walk){ .active = true };
	check_number(JUDGE(&walk, none_last, none_last), POINTER_WRONG,
		     "an address that is not behind a call is no caller");
	check(walk.cut, "and ends the chain");
	walk = (struct pointer_walk){ .active = true };
	check_number(JUDGE(&walk, uses_inside, keeps_return), POINTER_WRONG,
		     "the callers of a function that uses the register are not believed");
	check_number(JUDGE(&walk, keeps_return), POINTER_WRONG, "nor are theirs");
	check(walk.cut, "the chain is cut off");
	walk = (struct pointer_walk){ .active = true };
	check_number(JUDGE(&walk, begins_inside, keeps_return), POINTER_WRONG,
		     "a function without a caller has none");
	check(!walk.cut, "and its chain is whole");
	walk = (struct pointer_walk){ .active = false };
	check_number(JUDGE(&walk, uses_inside, keeps_return), POINTER_CALLER,
		     "chains of other machines are not judged");
	walk = (struct pointer_walk){ .active = true, .at_probe = true };
	pointer_walk_add(&walk, &frame);
	check_number(walk.value, POINTER_UNKNOWN,
		     "the kernel finds the caller of a function that a probe is at");
}

int main(void)
{
	dso = dso_set_add(&set, DSO_FILE, "/proc/self/exe", NULL, 0);
	dso_symbol(&set, dso, offset_of(keeps_first), &(uint64_t){ 0 });
	test_values();
	test_chains();
	dso_set_free(&set);
	return unit_finish();
}

#else

int main(void)
{
	printf("1..0 # SKIP the functions are those of x86_64\n");
	return 0;
}

#endif
