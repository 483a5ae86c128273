// SPDX-License-Identifier: GPL-2.0
/*
 * Last branch records: Intel's architectural ones and those of its older models, and AMD's version
 * 2. Sources: Intel SDM volume 3, "Last Branch Records" and "Debug, Branch Profile, TSC, and Intel
 * RDT Features"; AMD APM volume 2, "Last Branch Stack Registers".
 *
 * With a filter for user mode only, recording stays on while the kernel runs, as the kernel adds no
 * records. If branches of the kernel are recorded, the hardware freezes the records with the PMU's
 * interrupt, before the interrupt's handler executes a branch.
 *
 * Reading begins with the youngest record and stops at a record of zeroes: the remaining records
 * are older than the last wipe. So lbr_wipe() clears one record only. A call stack needs more: a
 * return removes the record of its call, and the next older record becomes the youngest. So all
 * records are cleared before a call stack is recorded. AMD may leave invalid records between valid
 * ones: the invalid records have addresses, and are skipped.
 */

#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/cpufeature.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/processor.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include <asm/cpu_device_id.h>
#include <asm/debugreg.h>
#include <asm/insn.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/perf_event.h>
#include <asm/ptrace.h>

#include "internal.h"

/* MSR_IA32_PERF_CAPABILITIES, bits 5 to 0: the format of the records of older models. */
enum {
	FORMAT_FLAGS		= 3,	/* FROM has the flag for a misprediction */
	FORMAT_FLAGS_TSX	= 4,	/* FORMAT_FLAGS, and FROM has transaction flags */
	FORMAT_INFO		= 5,	/* flags and cycles are in INFO */
	FORMAT_TIME		= 6,	/* FROM has the flag for a misprediction, TO has cycles */
	FORMAT_INFO2		= 7,	/* FORMAT_INFO without transaction flags */
};

#define CAPABILITIES_FORMAT	GENMASK_ULL(5, 0)

/* Bits of FROM on older models. */
#define FROM_MISPREDICTED	BIT_ULL(63)
#define FROM_IN_TX		BIT_ULL(62)
#define FROM_ABORT		BIT_ULL(61)
/* With FORMAT_TIME, the upper bits of TO hold a number of cycles. */
#define TO_CYCLES		GENMASK_ULL(63, 48)

/* Bits of CPUID leaf 0x1C. */
#define LEAF_ARCH_LBR		0x1c
#define ARCH_LBR_DEPTHS		GENMASK(7, 0)	/* EAX: a bit for each multiple of 8 */
#define ARCH_LBR_CPL		BIT(0)		/* EBX: filter by privilege level */
#define ARCH_LBR_FILTER		BIT(1)		/* EBX: filter by kind of branch */
#define ARCH_LBR_STACK		BIT(2)		/* EBX: call stack */

/* AMD: bits 57 to 0 of FROM and TO are addresses; bits 63 to 58 describe the record. */
#define AMD_TO_VALID		BIT_ULL(63)
#define AMD_TO_SPECULATIVE	BIT_ULL(62)
#define AMD_TO_RESERVED		BIT_ULL(61)
#define AMD_FROM_MISPREDICTED	BIT_ULL(63)
/* CPUID leaf 0x80000022, EBX: number of records. */
#define AMD_LBR_SIZE		GENMASK(9, 4)

/**
 * struct lbr_family - a kind of branch recorder
 * @recorder: operations and properties for perf_counter
 * @select: MSR of the filter
 * @bits: filter bit of each PERF_COUNTER_BRANCH_*, by bit number; 0: there is none
 * @suppresses: true if a set filter bit excludes its branches; false if it includes them
 * @from: MSR of the first FROM
 * @to: MSR of the first TO
 * @info: MSR of the first INFO; 0: there is no INFO
 * @stride: number of MSRs from one record's FROM, TO or INFO to that of the next record
 * @tos: MSR with the number of the youngest record; 0: record 0 is always the youngest
 * @depth: MSR with the number of records, a write to which clears all records; 0: there is none
 * @to_tells: an empty record is recognized by its TO; its FROM alone does not tell
 * @switch_on: start recording with the filter @select; freeze on the PMU's interrupt if @kernel
 * @switch_off: stop recording
 * @stops: the hardware may clear DEBUGCTL.LBR: a debug exception does, and before version 4 of
 *	the PMU its interrupt does, if records are to freeze
 * @double_abort: an aborted transaction leaves a second record, younger than the one that has the
 *	abort flag
 * @decode: convert a record to an entry; returns 1 for a valid record, 0 for an empty record, and a
 *	negative number for a record to be skipped
 */
struct lbr_family {
	struct perf_counter_recorder recorder;
	u32	select;
	const u32 *bits;
	bool	suppresses;
	u32	from;
	u32	to;
	u32	info;
	u32	stride;
	u32	tos;
	u32	depth;
	bool	to_tells;
	void	(*switch_on)(u64 select, bool kernel);
	void	(*switch_off)(void);
	bool	stops;
	bool	double_abort;
	int	(*decode)(struct perf_branch_entry *entry, u64 from, u64 to, u64 info);
};

static struct lbr_family lbr __ro_after_init;
static unsigned int lbr_nr __ro_after_init;
static u64 lbr_format __ro_after_init;

DEFINE_PER_CPU(u32, x86_lbr_branches);

/**
 * struct lbr_cpu - the branch recorder of a CPU
 * @ready: the recorder belongs to perf_counter, and the fields below match its registers
 * @calls: the records are a call stack, and all records older than the first empty one are empty
 * @freezes: DEBUGCTLMSR_FREEZE_LBRS_ON_PMI is set
 * @selected: contents of the filter MSR, lbr.select
 */
struct lbr_cpu {
	bool	ready;
	bool	calls;
	bool	freezes;
	u64	selected;
};

static DEFINE_PER_CPU(struct lbr_cpu, lbr_cpu);

/* === Registers === */

/* Return the number of the youngest record. */
static unsigned int lbr_youngest(void)
{
	u64 tos = 0;

	if (lbr.tos)
		rdmsrl(lbr.tos, tos);
	return tos % lbr_nr;
}

/* Return the number of the record that is @age records older than @first, the youngest. */
static unsigned int lbr_older(unsigned int first, unsigned int age)
{
	return lbr.tos ? (first - age) % lbr_nr : age;
}

static u64 lbr_read_msr(u32 base, unsigned int i)
{
	u64 value;

	rdmsrl(base + i * lbr.stride, value);
	return value;
}

static void lbr_write_msr(u32 base, unsigned int i, u64 value)
{
	wrmsrl(base + i * lbr.stride, value);
}

/* === Switching on and off === */

/* Change some bits of a register that has bits of other users. */
static void lbr_change_msr(u32 msr, u64 clear, u64 set)
{
	u64 value;

	rdmsrl(msr, value);
	wrmsrl(msr, (value & ~clear) | set);
}

static void lbr_change_debugctl(u64 clear, u64 set)
{
	lbr_change_msr(MSR_IA32_DEBUGCTLMSR, clear, set);
}

static u64 lbr_freeze_bit(bool kernel)
{
	return kernel ? DEBUGCTLMSR_FREEZE_LBRS_ON_PMI : 0;
}

/* Freeze the records on the PMU's interrupt if branches of the @kernel are recorded. */
static void lbr_set_freeze(bool kernel)
{
	struct lbr_cpu *cpu = this_cpu_ptr(&lbr_cpu);

	if (cpu->freezes == kernel)
		return;
	cpu->freezes = kernel;
	lbr_change_debugctl(DEBUGCTLMSR_FREEZE_LBRS_ON_PMI, lbr_freeze_bit(kernel));
}

static void lbr_arch_on(u64 select, bool kernel)
{
	lbr_set_freeze(kernel);
	wrmsrl(MSR_ARCH_LBR_CTL, select | ARCH_LBR_CTL_LBREN);
}

static void lbr_arch_off(void)
{
	wrmsrl(MSR_ARCH_LBR_CTL, 0);
}

static void lbr_set_select(u64 select)
{
	struct lbr_cpu *cpu = this_cpu_ptr(&lbr_cpu);

	if (cpu->ready && cpu->selected == select)
		return;
	cpu->selected = select;
	wrmsrl(lbr.select, select);
}

static void lbr_model_on(u64 select, bool kernel)
{
	lbr_set_select(select);
	this_cpu_write(lbr_cpu.freezes, kernel);
	lbr_change_debugctl(DEBUGCTLMSR_FREEZE_LBRS_ON_PMI,
			    DEBUGCTLMSR_LBR | lbr_freeze_bit(kernel));
}

static void lbr_model_off(void)
{
	lbr_change_debugctl(DEBUGCTLMSR_LBR, 0);
}

/*
 * Set DEBUGCTL.LBR again after a debug exception has cleared it: SDM volume 3, "Single-Stepping on
 * Branches".
 */
static void lbr_resume(void)
{
	u64 value;

	if (!lbr.stops || !this_cpu_read(x86_lbr_branches))
		return;
	rdmsrl(MSR_IA32_DEBUGCTLMSR, value);
	if (!(value & DEBUGCTLMSR_LBR))
		wrmsrl(MSR_IA32_DEBUGCTLMSR, value | DEBUGCTLMSR_LBR);
}

static void lbr_amd_on(u64 select, bool kernel)
{
	lbr_set_select(select);
	lbr_set_freeze(kernel);
	lbr_change_msr(MSR_AMD_DBG_EXTN_CFG, 0, DBG_EXTN_CFG_LBRV2EN);
}

static void lbr_amd_off(void)
{
	lbr_change_msr(MSR_AMD_DBG_EXTN_CFG, DBG_EXTN_CFG_LBRV2EN, 0);
}

/* Return the filter for @what, PERF_COUNTER_BRANCH_*. */
static u64 lbr_select_bits(u32 what)
{
	u64 all = 0, select = 0;
	unsigned int i;

	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++) {
		/* The call stack bit selects no kind of branch. */
		if (BIT(i) != PERF_COUNTER_BRANCH_CALL_STACK)
			all |= lbr.bits[i];
		if (what & BIT(i))
			select |= lbr.bits[i];
	}
	return lbr.suppresses ? select ^ all : select;
}

static u32 lbr_recording(void)
{
	return this_cpu_read(x86_lbr_branches);
}

static void lbr_stop(void)
{
	if (!this_cpu_read(x86_lbr_branches))
		return;
	this_cpu_write(x86_lbr_branches, 0);
	lbr.switch_off();
}

/* Clear all records, before a call stack is recorded. Recording is off meanwhile. */
static void lbr_wipe_all(void)
{
	unsigned int i;

	if (lbr.depth) {
		wrmsrl(lbr.depth, lbr_nr);
		return;
	}
	for (i = 0; i < lbr_nr; i++)
		lbr_write_msr(lbr.from, i, 0);
}

/**
 * x86_lbr_start() - Start recording
 * @what: branches to record, PERF_COUNTER_BRANCH_*
 *
 * Context: IRQs off; this CPU's PMU registers belong to perf_counter.
 * Return: true if the records from before the last stop are still in the registers.
 */
bool x86_lbr_start(u32 what)
{
	struct lbr_cpu *cpu = this_cpu_ptr(&lbr_cpu);
	bool calls = what & PERF_COUNTER_BRANCH_CALL_STACK;
	bool kept = cpu->ready && cpu->calls == calls;

	/* An NMI must not read while some records are of the old filter and some of the new one. */
	this_cpu_write(x86_lbr_branches, 0);
	barrier();
	lbr.switch_on(lbr_select_bits(what), what & PERF_COUNTER_BRANCH_KERNEL);
	if (!kept && (calls || lbr.depth))
		lbr_wipe_all();
	cpu->ready = true;
	cpu->calls = calls;
	barrier();
	this_cpu_write(x86_lbr_branches, what);
	return kept;
}

/**
 * x86_lbr_resume() - Resume recording after the PMU's interrupt
 *
 * Sets DEBUGCTL.LBR, if the interrupt or an earlier debug exception has cleared that bit.
 *
 * Context: NMI of the CPU, after it has read the records.
 */
void x86_lbr_resume(void)
{
	lbr_resume();
}

/**
 * x86_lbr_reset() - Stop recording and clear the recorder's registers of this CPU
 *
 * Context: IRQs off.
 */
void x86_lbr_reset(void)
{
	struct lbr_cpu *cpu = this_cpu_ptr(&lbr_cpu);

	lbr_stop();
	if (cpu->freezes)
		lbr_change_debugctl(DEBUGCTLMSR_FREEZE_LBRS_ON_PMI, 0);
	if (cpu->ready && cpu->selected)
		wrmsrl(lbr.select, 0);
	*cpu = (struct lbr_cpu) {};
}

/* === Records === */

/*
 * Tell whether INFO has transaction flags. Architectural records have them (lbr_format is 0 then).
 */
static bool lbr_info_has_tx(void)
{
	return lbr_format != FORMAT_INFO2;
}

static int lbr_decode_info(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
{
	if (!from)
		return 0;
	*entry = (struct perf_branch_entry) { .from = from, .to = to };
	if (this_cpu_read(x86_lbr_branches) & PERF_COUNTER_BRANCH_INFO) {
		entry->mispred = !!(info & LBR_INFO_MISPRED);
		entry->predicted = !entry->mispred;
		entry->in_tx = lbr_info_has_tx() && (info & LBR_INFO_IN_TX);
		entry->abort = lbr_info_has_tx() && (info & LBR_INFO_ABORT);
		entry->cycles = info & LBR_INFO_CYCLES;
	}
	return 1;
}

static int lbr_decode_arch(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
{
	/* Values of LBR_x_INFO.BR_TYPE; larger ones mean other branches. */
	static const u8 types[] = {
		PERF_BR_COND, PERF_BR_IND, PERF_BR_UNCOND, PERF_BR_IND_CALL, PERF_BR_CALL,
		PERF_BR_RET,
	};
	unsigned int type = FIELD_GET(LBR_INFO_BR_TYPE, info);

	if (!lbr_decode_info(entry, from, to, info))
		return 0;
	if (!(info & LBR_INFO_CYC_CNT_VALID))
		entry->cycles = 0;
	if ((this_cpu_read(x86_lbr_branches) & PERF_COUNTER_BRANCH_INFO) &&
	    type < ARRAY_SIZE(types))
		entry->type = types[type];
	/* If the source of a branch is filtered code, FROM is all ones. Skip such a record. */
	return from == ~0ULL ? -1 : 1;
}

static int lbr_decode_flags(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
{
	bool tsx = lbr_format == FORMAT_FLAGS_TSX;

	if (!from)
		return 0;
	*entry = (struct perf_branch_entry) {
		.from		= sign_extend64(from, tsx ? 60 : 62),
		.to		= to,
		.mispred	= !!(from & FROM_MISPREDICTED),
		.predicted	= !(from & FROM_MISPREDICTED),
		.in_tx		= tsx && boot_cpu_has(X86_FEATURE_RTM) && (from & FROM_IN_TX),
		.abort		= tsx && boot_cpu_has(X86_FEATURE_RTM) && (from & FROM_ABORT),
	};
	return 1;
}

static int lbr_decode_time(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
{
	if (!from)
		return 0;
	*entry = (struct perf_branch_entry) {
		.from		= sign_extend64(from, 62),
		.to		= sign_extend64(to, 47),
		.mispred	= !!(from & FROM_MISPREDICTED),
		.predicted	= !(from & FROM_MISPREDICTED),
	};
	/* TO always has cycles. Report them only if asked for, as on other machines. */
	if (this_cpu_read(x86_lbr_branches) & PERF_COUNTER_BRANCH_INFO)
		entry->cycles = FIELD_GET(TO_CYCLES, to);
	return 1;
}

static int lbr_decode_amd(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
{
	if (!from && !to)
		return 0;
	/*
	 * Skip a record that is neither valid nor speculative. By erratum 1452, the reserved bit
	 * may be set; skip such a record, too.
	 */
	if (!(to & (AMD_TO_VALID | AMD_TO_SPECULATIVE)) || to & AMD_TO_RESERVED)
		return -1;
	*entry = (struct perf_branch_entry) {
		.from		= sign_extend64(from, boot_cpu_data.x86_virt_bits - 1),
		.to		= sign_extend64(to, boot_cpu_data.x86_virt_bits - 1),
		.mispred	= !!(from & AMD_FROM_MISPREDICTED),
		.predicted	= !(from & AMD_FROM_MISPREDICTED),
		.spec		= !(to & AMD_TO_VALID) ? PERF_BR_SPEC_WRONG_PATH :
				  to & AMD_TO_SPECULATIVE ? PERF_BR_SPEC_CORRECT_PATH :
				  PERF_BR_NON_SPEC_CORRECT_PATH,
	};
	return 1;
}

static void lbr_read(struct perf_counter_branches *branches, u32 what)
{
	bool info = lbr.info && (what & PERF_COUNTER_BRANCH_INFO);
	unsigned int first = lbr_youngest(), age, i;
	struct perf_branch_entry *entry;
	u64 from, to;
	int valid;

	branches->index = first;
	for (age = 0; age < lbr_nr; age++) {
		i = lbr_older(first, age);
		from = lbr_read_msr(lbr.from, i);
		/*
		 * A FROM of 0 marks the end of the records, unless TO has to be checked
		 * (@to_tells).
		 */
		if (!from && !lbr.to_tells)
			return;
		to = lbr_read_msr(lbr.to, i);
		entry = &branches->entries[branches->nr];
		valid = lbr.decode(entry, from, to, info ? lbr_read_msr(lbr.info, i) : 0);
		if (!valid)
			return;
		if (valid < 0)
			continue;
		if (lbr.double_abort && entry->abort && branches->nr)
			entry[-1] = *entry;
		else
			branches->nr++;
	}
}

/* Clear the youngest record, so that reading stops there. */
static void lbr_wipe(void)
{
	unsigned int i;

	if (lbr.depth) {
		wrmsrl(lbr.depth, lbr_nr);
		return;
	}
	i = lbr_youngest();
	lbr_write_msr(lbr.from, i, 0);
	if (lbr.to_tells)
		lbr_write_msr(lbr.to, i, 0);
}

static void lbr_save(struct perf_counter_call_stack *stack)
{
	unsigned int first = lbr_youngest(), i;

	for (stack->nr = 0; stack->nr < lbr_nr; stack->nr++) {
		i = lbr_older(first, stack->nr);
		stack->calls[stack->nr].from = lbr_read_msr(lbr.from, i);
		if (!stack->calls[stack->nr].from)
			return;
		stack->calls[stack->nr].to = lbr_read_msr(lbr.to, i);
	}
}

static void lbr_restore(const struct perf_counter_call_stack *stack)
{
	unsigned int first, nr = stack ? stack->nr : 0, age, i;

	if (lbr.depth)
		wrmsrl(lbr.depth, lbr_nr);
	first = lbr_youngest();
	for (age = 0; age < nr; age++) {
		i = lbr_older(first, age);
		lbr_write_msr(lbr.from, i, stack->calls[age].from);
		lbr_write_msr(lbr.to, i, stack->calls[age].to);
		/* Cycles and predictions of saved calls are not kept. */
		if (lbr.info && (lbr_recording() & PERF_COUNTER_BRANCH_INFO))
			lbr_write_msr(lbr.info, i, 0);
	}
	/*
	 * A return removes the youngest record. The manual does not say which record is the
	 * youngest then, if the next one is empty. So clear all other records, so that no call of
	 * another task remains.
	 */
	for (; age < lbr_nr && !lbr.depth; age++)
		lbr_write_msr(lbr.from, lbr_older(first, age), 0);
}

static bool lbr_is_empty(void)
{
	return !lbr_read_msr(lbr.from, lbr_youngest());
}

/* === Kinds of branches === */

/* Read and decode the instruction at @addr, which may be any value. */
static bool lbr_read_insn(u64 addr, struct insn *insn)
{
	u8 bytes[MAX_INSN_SIZE];
	size_t len = sizeof(bytes);
	enum insn_mode mode = INSN_MODE_64;

	if (perf_counter_in_kernel(addr)) {
		if (!kernel_text_address(addr) ||
		    copy_from_kernel_nofault(bytes, (void *)(unsigned long)addr, len))
			return false;
		mode = INSN_MODE_KERN;
	} else {
		if (!current->mm)
			return false;
		/* The page after the instruction may be unreadable. */
		len -= copy_from_user_nmi(bytes, (void __user *)(unsigned long)addr, len);
		if (!user_64bit_mode(task_pt_regs(current)))
			mode = INSN_MODE_32;
	}
	return len && !insn_decode(insn, bytes, len, mode);
}

/* Return the type of a branch instruction; PERF_BR_UNKNOWN for other instructions. */
static unsigned int lbr_insn_type(struct insn *insn)
{
	u8 opcode = insn->opcode.bytes[0], next = insn->opcode.bytes[1];

	switch (opcode) {
	case 0x0f:
		switch (next) {
		case 0x05:		/* SYSCALL */
		case 0x34:		/* SYSENTER */
			return PERF_BR_SYSCALL;
		case 0x07:		/* SYSRET */
		case 0x35:		/* SYSEXIT */
			return PERF_BR_SYSRET;
		case 0x80 ... 0x8f:
			return PERF_BR_COND;
		}
		return PERF_BR_UNKNOWN;
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:		/* LOOP, JCXZ */
		return PERF_BR_COND;
	case 0xe9 ... 0xeb:		/* JMP near, far and short */
		return PERF_BR_UNCOND;
	case 0x9a:			/* CALL far */
	case 0xe8:
		return PERF_BR_CALL;
	case 0xc2 ... 0xc3:
	case 0xca ... 0xcb:		/* RET far */
		return PERF_BR_RET;
	case 0xcc ... 0xce:		/* INT3, INT, INTO */
	case 0xf1:
		return PERF_COUNTER_BR_INT;
	case 0xcf:
		return PERF_BR_ERET;
	case 0xff:
		switch (X86_MODRM_REG(insn->modrm.bytes[0])) {
		case 2 ... 3:
			return PERF_BR_IND_CALL;
		case 4 ... 5:
			return PERF_BR_IND;
		}
		return PERF_BR_UNKNOWN;
	}
	return PERF_BR_UNKNOWN;
}

/*
 * Set the type of a branch from its instruction, unless the hardware has reported it. If the
 * instruction is not a branch, and the target is in the kernel, the record is an interrupt.
 */
static void lbr_type(struct perf_branch_entry *entry)
{
	bool same_mode = perf_counter_in_kernel(entry->from) == perf_counter_in_kernel(entry->to);
	unsigned int type = PERF_BR_UNKNOWN, length;
	struct insn insn;

	if (entry->type != PERF_BR_UNKNOWN)
		return;
	if (lbr_read_insn(entry->from, &insn)) {
		type = lbr_insn_type(&insn);
		/* AMD reports the address of the first of two fused instructions. */
		length = insn.length;
		if (type == PERF_BR_UNKNOWN && lbr.to_tells && same_mode &&
		    lbr_read_insn(entry->from + length, &insn) &&
		    lbr_insn_type(&insn) == PERF_BR_COND) {
			type = PERF_BR_COND;
			entry->from += length;
		}
		if (type == PERF_BR_UNKNOWN && perf_counter_in_kernel(entry->to))
			type = PERF_BR_IRQ;
	}
	/* A branch instruction may fault, which is an interrupt as well. */
	if (!same_mode && perf_counter_in_kernel(entry->to) && type != PERF_BR_SYSCALL &&
	    type != PERF_COUNTER_BR_INT)
		type = PERF_BR_IRQ;
	entry->type = type;
}

/* === Detection === */

/*
 * Filter bits, in the order of PERF_COUNTER_BRANCH_*: conditional jumps, direct and indirect jumps,
 * direct and indirect calls, returns, others; user mode, the kernel; call stack.
 */

/* IA32_LBR_CTL: a set bit includes branches. */
static const u32 arch_bits[PERF_COUNTER_BRANCH_BITS] = {
	BIT(16), BIT(17), BIT(18), BIT(19), BIT(20), BIT(21), BIT(22), BIT(2), BIT(1), BIT(3),
};

/*
 * MSR_LBR_SELECT: a set bit excludes branches, except the last bit, which switches on call stacks,
 * from Haswell on.
 */
static const u32 old_bits[PERF_COUNTER_BRANCH_BITS] = {
	BIT(2), BIT(7), BIT(6), BIT(3), BIT(4), BIT(5), BIT(8), BIT(1), BIT(0), BIT(9),
};

/*
 * MSR_LBR_SELECT on Nehalem and Westmere. By an erratum, these CPUs record calls and returns only
 * together with jumps, and indirect calls only together with indirect jumps. Samples leave out the
 * additional records.
 */
#define JUMPS	(BIT(7) | BIT(6))

static const u32 nehalem_bits[PERF_COUNTER_BRANCH_BITS] = {
	BIT(2), BIT(7), BIT(6), BIT(3) | JUMPS, BIT(4) | BIT(6), BIT(5) | JUMPS, BIT(8), BIT(1),
	BIT(0),
};

/* LBR_SELECT of AMD: a set bit excludes branches. */
static const u32 amd_bits[PERF_COUNTER_BRANCH_BITS] = {
	BIT(2), BIT(7), BIT(6), BIT(3), BIT(4), BIT(5), BIT(8), BIT(1), BIT(0),
};

#define CAN_BRANCHES	(PERF_COUNTER_BRANCH_KINDS | PERF_COUNTER_BRANCH_USER |	\
			 PERF_COUNTER_BRANCH_KERNEL | PERF_COUNTER_BRANCH_INFO)

static bool __init lbr_find_arch(void)
{
	u32 eax, ebx, ecx, edx;

	if (!boot_cpu_has(X86_FEATURE_ARCH_LBR))
		return false;
	cpuid(LEAF_ARCH_LBR, &eax, &ebx, &ecx, &edx);
	/* All existing CPUs report these capabilities; a hypervisor may hide them. */
	if (!(eax & ARCH_LBR_DEPTHS) || ~ebx & (ARCH_LBR_CPL | ARCH_LBR_FILTER))
		return false;
	lbr_nr = min(8 * fls(eax & ARCH_LBR_DEPTHS), PERF_COUNTER_BRANCHES_MAX);
	lbr = (struct lbr_family) {
		.recorder.can	= CAN_BRANCHES | PERF_COUNTER_BRANCH_TX |
				  (ebx & ARCH_LBR_STACK ? PERF_COUNTER_BRANCH_CALL_STACK : 0),
		.bits		= arch_bits,
		.from		= MSR_ARCH_LBR_FROM_0,
		.to		= MSR_ARCH_LBR_TO_0,
		.info		= MSR_ARCH_LBR_INFO_0,
		.stride		= 1,
		.depth		= MSR_ARCH_LBR_DEPTH,
		.switch_on	= lbr_arch_on,
		.switch_off	= lbr_arch_off,
		.decode		= lbr_decode_arch,
	};
	return true;
}

/*
 * Tell whether a register keeps the bits of @probe. Hypervisors may accept writes and return
 * zeroes.
 */
static bool __init lbr_msr_keeps(u32 msr, u64 probe)
{
	u64 value = 0;

	return !wrmsrl_safe(msr, probe) && !rdmsrl_safe(msr, &value) && value == probe &&
	       !wrmsrl_safe(msr, 0);
}

/* Check that all registers of records in @lbr_format exist. Some models have fewer. */
static bool __init lbr_model_msrs_exist(void)
{
	unsigned int i;

	if (!lbr_msr_keeps(lbr.select, BIT(0)) || !lbr_msr_keeps(lbr.tos, lbr_nr - 1))
		return false;
	for (i = 0; i < lbr_nr; i++) {
		if (!lbr_msr_keeps(lbr.from + i, 0x5a5a) || !lbr_msr_keeps(lbr.to + i, 0x5a5a) ||
		    (lbr.info && !lbr_msr_keeps(lbr.info + i, 0x5a5a)))
			return false;
	}
	return true;
}

static bool __init is_nehalem(void)
{
	switch (boot_cpu_data.x86_vfm) {
	case INTEL_NEHALEM:
	case INTEL_NEHALEM_EP:
	case INTEL_NEHALEM_EX:
	case INTEL_WESTMERE:
	case INTEL_WESTMERE_EP:
	case INTEL_WESTMERE_EX:
		return true;
	default:
		return false;
	}
}

static bool __init is_haswell(void)
{
	switch (boot_cpu_data.x86_vfm) {
	case INTEL_HASWELL:
	case INTEL_HASWELL_X:
	case INTEL_HASWELL_L:
	case INTEL_HASWELL_G:
		return true;
	default:
		return false;
	}
}

/* Find the recorder of an older Intel model. The record format implies the number of records. */
static bool __init lbr_find_model(void)
{
	u64 capabilities;
	bool info;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || !boot_cpu_has(X86_FEATURE_PDCM))
		return false;
	rdmsrl(MSR_IA32_PERF_CAPABILITIES, capabilities);
	lbr_format = capabilities & CAPABILITIES_FORMAT;
	if (lbr_format < FORMAT_FLAGS || lbr_format > FORMAT_INFO2)
		return false;
	info = lbr_format == FORMAT_INFO || lbr_format == FORMAT_INFO2;
	lbr_nr = lbr_format < FORMAT_INFO ? 16 : 32;
	lbr = (struct lbr_family) {
		.recorder.can	= CAN_BRANCHES | PERF_COUNTER_BRANCH_TX |
				  (lbr_format > FORMAT_FLAGS ? PERF_COUNTER_BRANCH_CALL_STACK : 0),
		.select		= MSR_LBR_SELECT,
		.bits		= is_nehalem() ? nehalem_bits : old_bits,
		.suppresses	= true,
		.from		= MSR_LBR_NHM_FROM,
		.to		= MSR_LBR_NHM_TO,
		.info		= info ? MSR_LBR_INFO_0 : 0,
		.stride		= 1,
		.tos		= MSR_LBR_TOS,
		.switch_on	= lbr_model_on,
		.switch_off	= lbr_model_off,
		.stops		= true,
		.double_abort	= is_haswell(),
		.decode		= info ? lbr_decode_info :
				  lbr_format == FORMAT_TIME ? lbr_decode_time : lbr_decode_flags,
	};
	return lbr_model_msrs_exist();
}

static bool __init lbr_find_amd(void)
{
	bool freezes = boot_cpu_has(X86_FEATURE_AMD_LBR_PMC_FREEZE);

	if (!boot_cpu_has(X86_FEATURE_AMD_LBR_V2))
		return false;
	lbr_nr = min(FIELD_GET(AMD_LBR_SIZE, cpuid_ebx(0x80000022)), PERF_COUNTER_BRANCHES_MAX);
	lbr = (struct lbr_family) {
		/*
		 * If records do not freeze, branches of the interrupt handler would replace those
		 * of the kernel.
		 */
		.recorder.can	= CAN_BRANCHES & ~(freezes ? 0 : PERF_COUNTER_BRANCH_KERNEL),
		.select		= MSR_AMD64_LBR_SELECT,
		.bits		= amd_bits,
		.suppresses	= true,
		.from		= MSR_AMD_SAMP_BR_FROM,
		.to		= MSR_AMD_SAMP_BR_FROM + 1,
		.stride		= 2,
		.to_tells	= true,
		.switch_on	= lbr_amd_on,
		.switch_off	= lbr_amd_off,
		.decode		= lbr_decode_amd,
	};
	return lbr_nr;
}

/**
 * x86_lbr_init() - Find the branch recorder of this machine
 *
 * Context: An initcall, on any CPU.
 * Return: The recorder; NULL if there is none.
 */
const struct perf_counter_recorder * __init x86_lbr_init(void)
{
	u32 can;

	lbr_format = 0;
	if (!lbr_find_arch() && !lbr_find_model() && !lbr_find_amd())
		return NULL;
	can = lbr.recorder.can;
	lbr.recorder = (struct perf_counter_recorder) {
		.can		= can,
		.recording	= lbr_recording,
		.start		= x86_lbr_start,
		.resume		= lbr_resume,
		.stop		= lbr_stop,
		.read		= lbr_read,
		.type		= lbr_type,
		.wipe		= lbr_wipe,
		.save		= lbr_save,
		.restore	= lbr_restore,
		.is_empty	= lbr_is_empty,
	};
	pr_info("perf_counter: %u branch records%s\n", lbr_nr,
		can & PERF_COUNTER_BRANCH_CALL_STACK ? ", calls among them" : "");
	return &lbr.recorder;
}
