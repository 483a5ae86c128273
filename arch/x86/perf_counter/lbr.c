// SPDX-License-Identifier: GPL-2.0
/*
 * Last branch records: Intel's architectural ones and those of its older models, and AMD's
 * version 2. Intel SDM volume 3, "Last Branch Records" and "Debug, Branch Profile, TSC, and
 * Intel RDT Features"; AMD APM volume 2, "Last Branch Stack Registers".
 *
 * What is recorded in user mode alone goes on while the kernel runs: nothing is added there.
 * What is recorded of the kernel freezes with the PMU's interrupt, before its handler has
 * branched.
 *
 * A record of zeroes ends the reading: those behind it are older than the last wipe. So one
 * record wiped is as good as all, except where calls are recorded, as a return brings back the
 * record behind that of its call. AMD may leave records that are not valid between those that
 * are: they have addresses, and are skipped.
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

/* MSR_IA32_PERF_CAPABILITIES, bits 5 to 0: what the records of older models look like. */
enum {
	FORMAT_FLAGS		= 3,	/* FROM has a misprediction */
	FORMAT_FLAGS_TSX	= 4,	/* and transactions */
	FORMAT_INFO		= 5,	/* in a register of their own, with cycles */
	FORMAT_TIME		= 6,	/* FROM has a misprediction, TO has cycles */
	FORMAT_INFO2		= 7,	/* as FORMAT_INFO, without transactions */
};

#define CAPABILITIES_FORMAT	GENMASK_ULL(5, 0)

/* FROM of older models. */
#define FROM_MISPREDICTED	BIT_ULL(63)
#define FROM_IN_TX		BIT_ULL(62)
#define FROM_ABORT		BIT_ULL(61)
/* TO with FORMAT_TIME; the bits below are the address. */
#define TO_CYCLES		GENMASK_ULL(63, 48)

/* CPUID leaf 0x1C. */
#define LEAF_ARCH_LBR		0x1c
#define ARCH_LBR_DEPTHS		GENMASK(7, 0)	/* EAX: a bit for each multiple of 8 */
#define ARCH_LBR_CPL		BIT(0)		/* EBX: by privilege */
#define ARCH_LBR_FILTER		BIT(1)		/* by kind */
#define ARCH_LBR_STACK		BIT(2)		/* calls */

/* AMD: TO says what its record is; bits 57 to 0 are the address, in FROM as well. */
#define AMD_TO_VALID		BIT_ULL(63)
#define AMD_TO_SPECULATIVE	BIT_ULL(62)
#define AMD_TO_RESERVED		BIT_ULL(61)
#define AMD_FROM_MISPREDICTED	BIT_ULL(63)
/* CPUID leaf 0x80000022, EBX: how many records. */
#define AMD_LBR_SIZE		GENMASK(9, 4)

/**
 * struct lbr_family - how branches are recorded
 * @recorder: what others know of it
 * @select: MSR of the filter
 * @bits: its bit for each of PERF_COUNTER_BRANCH_*; 0 for none
 * @suppresses: a bit that is set keeps what it is for from being recorded
 * @from: MSR of the first FROM
 * @to: of the first TO
 * @info: of the first INFO; 0: there is none
 * @stride: MSRs from one of each to the next
 * @tos: MSR that tells which is the youngest; 0: the first always is
 * @depth: MSR with the number of records, which forgets all when it is written; 0: there is none
 * @to_tells: it is TO that says whether there is a record, not FROM
 * @switch_on: start recording, once the filter is set; with the kernel's code if it says so
 * @switch_off: and stop
 * @stops: the hardware clears DEBUGCTL.LBR: a debug exception does, and before version 4 of the
 *	PMU its interrupt, if records are to freeze
 * @double_abort: an aborted transaction has a second record, younger than the one that says so
 * @decode: what a record says; 0 for none, negative for one to be left out
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

DEFINE_PER_CPU(u32, x86_lbr_what);

/**
 * struct lbr_cpu - the records of a CPU
 * @selected: what lbr.select holds
 * @ready: the registers are ours, and hold what is noted here
 * @calls: the records are of calls, and none lies behind one that there is not
 * @freezes: DEBUGCTL has the bit for it
 */
struct lbr_cpu {
	bool	ready;
	bool	calls;
	bool	freezes;
	u64	selected;
};

static DEFINE_PER_CPU(struct lbr_cpu, lbr_cpu);

/* === Registers === */

/* The number of the youngest one. */
static unsigned int youngest(void)
{
	u64 tos = 0;

	if (lbr.tos)
		rdmsrl(lbr.tos, tos);
	return tos % lbr_nr;
}

/* That of the one which is @age older than @first, the youngest. */
static unsigned int older(unsigned int first, unsigned int age)
{
	return lbr.tos ? (first - age) % lbr_nr : age;
}

static u64 read_record(u32 base, unsigned int i)
{
	u64 value;

	rdmsrl(base + i * lbr.stride, value);
	return value;
}

static void write_record(u32 base, unsigned int i, u64 value)
{
	wrmsrl(base + i * lbr.stride, value);
}

/* === Switching on and off === */

/* Of a register in which others have bits of their own, and change them. */
static void change_register(u32 msr, u64 clear, u64 set)
{
	u64 value;

	rdmsrl(msr, value);
	wrmsrl(msr, (value & ~clear) | set);
}

static void change_debugctl(u64 clear, u64 set)
{
	change_register(MSR_IA32_DEBUGCTLMSR, clear, set);
}

static u64 freeze_bit(bool kernel)
{
	return kernel ? DEBUGCTLMSR_FREEZE_LBRS_ON_PMI : 0;
}

/* The records freeze, or not. */
static void set_freeze(bool kernel)
{
	struct lbr_cpu *cpu = this_cpu_ptr(&lbr_cpu);

	if (cpu->freezes == kernel)
		return;
	cpu->freezes = kernel;
	change_debugctl(DEBUGCTLMSR_FREEZE_LBRS_ON_PMI, freeze_bit(kernel));
}

static void arch_switch_on(u64 select, bool kernel)
{
	set_freeze(kernel);
	wrmsrl(MSR_ARCH_LBR_CTL, select | ARCH_LBR_CTL_LBREN);
}

static void arch_switch_off(void)
{
	wrmsrl(MSR_ARCH_LBR_CTL, 0);
}

static void set_select(u64 select)
{
	struct lbr_cpu *cpu = this_cpu_ptr(&lbr_cpu);

	if (cpu->ready && cpu->selected == select)
		return;
	cpu->selected = select;
	wrmsrl(lbr.select, select);
}

static void old_switch_on(u64 select, bool kernel)
{
	set_select(select);
	this_cpu_write(lbr_cpu.freezes, kernel);
	change_debugctl(DEBUGCTLMSR_FREEZE_LBRS_ON_PMI, DEBUGCTLMSR_LBR | freeze_bit(kernel));
}

static void old_switch_off(void)
{
	change_debugctl(DEBUGCTLMSR_LBR, 0);
}

/* Debug exceptions clear DEBUGCTL.LBR: SDM volume 3, "Single-Stepping on Branches". */
static void lbr_resume(void)
{
	u64 value;

	if (!lbr.stops || !this_cpu_read(x86_lbr_what))
		return;
	rdmsrl(MSR_IA32_DEBUGCTLMSR, value);
	if (!(value & DEBUGCTLMSR_LBR))
		wrmsrl(MSR_IA32_DEBUGCTLMSR, value | DEBUGCTLMSR_LBR);
}

static void amd_switch_on(u64 select, bool kernel)
{
	set_select(select);
	set_freeze(kernel);
	change_register(MSR_AMD_DBG_EXTN_CFG, 0, DBG_EXTN_CFG_LBRV2EN);
}

static void amd_switch_off(void)
{
	change_register(MSR_AMD_DBG_EXTN_CFG, DBG_EXTN_CFG_LBRV2EN, 0);
}

/* The filter that records @what. */
static u64 select_of(u32 what)
{
	u64 all = 0, select = 0;
	unsigned int i;

	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++) {
		/* Stacks are no filter. */
		if (BIT(i) != PERF_COUNTER_BRANCH_STACK)
			all |= lbr.bits[i];
		if (what & BIT(i))
			select |= lbr.bits[i];
	}
	return lbr.suppresses ? select ^ all : select;
}

static u32 lbr_recording(void)
{
	return this_cpu_read(x86_lbr_what);
}

static void lbr_stop(void)
{
	if (!this_cpu_read(x86_lbr_what))
		return;
	this_cpu_write(x86_lbr_what, 0);
	lbr.switch_off();
}

/* For calls: there are no records. Nothing is recorded meanwhile. */
static void wipe_all(void)
{
	unsigned int i;

	if (lbr.depth) {
		wrmsrl(lbr.depth, lbr_nr);
		return;
	}
	for (i = 0; i < lbr_nr; i++)
		write_record(lbr.from, i, 0);
}

static bool lbr_start(u32 what)
{
	struct lbr_cpu *cpu = this_cpu_ptr(&lbr_cpu);
	bool calls = what & PERF_COUNTER_BRANCH_STACK;
	bool kept = cpu->ready && cpu->calls == calls;

	x86_counters_get_ready();
	/* What an NMI reads meanwhile would be of two filters. */
	this_cpu_write(x86_lbr_what, 0);
	barrier();
	lbr.switch_on(select_of(what), what & PERF_COUNTER_BRANCH_KERNEL);
	if (!kept && (calls || lbr.depth))
		wipe_all();
	cpu->ready = true;
	cpu->calls = calls;
	barrier();
	this_cpu_write(x86_lbr_what, what);
	return kept;
}

/**
 * x86_lbr_go_on() - Go on recording after the PMU's interrupt
 *
 * DEBUGCTL.LBR is set where that interrupt has cleared it, or a debug exception before it.
 *
 * Context: NMI of the CPU, which is done with the records.
 */
void x86_lbr_go_on(void)
{
	lbr_resume();
}

/**
 * x86_lbr_reset() - leave nothing behind in the registers of this CPU
 *
 * Context: IRQs off.
 */
void x86_lbr_reset(void)
{
	struct lbr_cpu *cpu = this_cpu_ptr(&lbr_cpu);

	lbr_stop();
	if (cpu->freezes)
		change_debugctl(DEBUGCTLMSR_FREEZE_LBRS_ON_PMI, 0);
	if (cpu->ready && cpu->selected)
		wrmsrl(lbr.select, 0);
	*cpu = (struct lbr_cpu) {};
}

/* === Records === */

/* Does @lbr_format tell of transactions? The architectural records, without a format, do. */
static bool info_has_tx(void)
{
	return lbr_format != FORMAT_INFO2;
}

static int info_decode(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
{
	if (!from)
		return 0;
	*entry = (struct perf_branch_entry) { .from = from, .to = to };
	if (this_cpu_read(x86_lbr_what) & PERF_COUNTER_BRANCH_INFO) {
		entry->mispred = !!(info & LBR_INFO_MISPRED);
		entry->predicted = !entry->mispred;
		entry->in_tx = info_has_tx() && (info & LBR_INFO_IN_TX);
		entry->abort = info_has_tx() && (info & LBR_INFO_ABORT);
		entry->cycles = info & LBR_INFO_CYCLES;
	}
	return 1;
}

static int arch_decode(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
{
	/* LBR_x_INFO.BR_TYPE; more than these are other branches. */
	static const u8 types[] = {
		PERF_BR_COND, PERF_BR_IND, PERF_BR_UNCOND, PERF_BR_IND_CALL, PERF_BR_CALL,
		PERF_BR_RET,
	};
	unsigned int type = FIELD_GET(LBR_INFO_BR_TYPE, info);

	if (!info_decode(entry, from, to, info))
		return 0;
	if (!(info & LBR_INFO_CYC_CNT_VALID))
		entry->cycles = 0;
	if ((this_cpu_read(x86_lbr_what) & PERF_COUNTER_BRANCH_INFO) && type < ARRAY_SIZE(types))
		entry->type = types[type];
	/* From code that is not recorded, by a branch to code that is: nobody knows where. */
	return from == ~0ULL ? -1 : 1;
}

static int flags_decode(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
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

static int time_decode(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
{
	if (!from)
		return 0;
	*entry = (struct perf_branch_entry) {
		.from		= sign_extend64(from, 62),
		.to		= sign_extend64(to, 47),
		.mispred	= !!(from & FROM_MISPREDICTED),
		.predicted	= !(from & FROM_MISPREDICTED),
	};
	/* They come with TO, but a program that does not want them has none on other machines. */
	if (this_cpu_read(x86_lbr_what) & PERF_COUNTER_BRANCH_INFO)
		entry->cycles = FIELD_GET(TO_CYCLES, to);
	return 1;
}

static int amd_decode(struct perf_branch_entry *entry, u64 from, u64 to, u64 info)
{
	if (!from && !to)
		return 0;
	/* Neither valid nor speculative: a hole. The reserved bit is that of erratum 1452. */
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
	unsigned int first = youngest(), age, i;
	struct perf_branch_entry *entry;
	u64 from, to;
	int valid;

	branches->index = first;
	for (age = 0; age < lbr_nr; age++) {
		i = older(first, age);
		from = read_record(lbr.from, i);
		/* Where FROM tells, there is nothing more to be read. */
		if (!from && !lbr.to_tells)
			return;
		to = read_record(lbr.to, i);
		entry = &branches->entries[branches->nr];
		valid = lbr.decode(entry, from, to, info ? read_record(lbr.info, i) : 0);
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

/* Make the youngest record one that ends the reading. */
static void lbr_wipe(void)
{
	unsigned int i;

	if (lbr.depth) {
		wrmsrl(lbr.depth, lbr_nr);
		return;
	}
	i = youngest();
	write_record(lbr.from, i, 0);
	if (lbr.to_tells)
		write_record(lbr.to, i, 0);
}

static void lbr_save(struct perf_counter_branch_stack *stack)
{
	unsigned int first = youngest(), i;

	for (stack->nr = 0; stack->nr < lbr_nr; stack->nr++) {
		i = older(first, stack->nr);
		stack->calls[stack->nr].from = read_record(lbr.from, i);
		if (!stack->calls[stack->nr].from)
			return;
		stack->calls[stack->nr].to = read_record(lbr.to, i);
	}
}

static void lbr_restore(const struct perf_counter_branch_stack *stack)
{
	unsigned int first, nr = stack ? stack->nr : 0, age, i;

	if (lbr.depth)
		wrmsrl(lbr.depth, lbr_nr);
	first = youngest();
	for (age = 0; age < nr; age++) {
		i = older(first, age);
		write_record(lbr.from, i, stack->calls[age].from);
		write_record(lbr.to, i, stack->calls[age].to);
		/* Its cycles and predictions are not kept. */
		if (lbr.info && (lbr_recording() & PERF_COUNTER_BRANCH_INFO))
			write_record(lbr.info, i, 0);
	}
	/*
	 * A return takes the youngest record away, and what becomes the youngest then, the manual
	 * does not say for an empty one: none is left that another task made.
	 */
	for (; age < lbr_nr && !lbr.depth; age++)
		write_record(lbr.from, older(first, age), 0);
}

static bool lbr_is_empty(void)
{
	return !read_record(lbr.from, youngest());
}

/* === Kinds of branches === */

/* The instruction at @addr, as far as it can be read: by whatever is said to be there. */
static bool fetch(u64 addr, struct insn *insn)
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
		/* It may end with its page. */
		len -= copy_from_user_nmi(bytes, (void __user *)(unsigned long)addr, len);
		if (!user_64bit_mode(task_pt_regs(current)))
			mode = INSN_MODE_32;
	}
	return len && !insn_decode(insn, bytes, len, mode);
}

/* The type of a branch instruction; PERF_BR_UNKNOWN for what is none. */
static unsigned int insn_type(struct insn *insn)
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
	case 0xe9 ... 0xeb:		/* JMP, a far one, and a short one */
		return PERF_BR_UNCOND;
	case 0x9a:			/* a far CALL */
	case 0xe8:
		return PERF_BR_CALL;
	case 0xc2 ... 0xc3:
	case 0xca ... 0xcb:		/* a far RET */
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
 * By the code that is there, unless the hardware has said it. What is no branch was
 * interrupted, where it is the kernel that goes on.
 */
static void lbr_type(struct perf_branch_entry *entry)
{
	bool same_mode = perf_counter_in_kernel(entry->from) == perf_counter_in_kernel(entry->to);
	unsigned int type = PERF_BR_UNKNOWN, length;
	struct insn insn;

	if (entry->type != PERF_BR_UNKNOWN)
		return;
	if (fetch(entry->from, &insn)) {
		type = insn_type(&insn);
		/* AMD names the first of two instructions that it fused. */
		length = insn.length;
		if (type == PERF_BR_UNKNOWN && lbr.to_tells && same_mode &&
		    fetch(entry->from + length, &insn) && insn_type(&insn) == PERF_BR_COND) {
			type = PERF_BR_COND;
			entry->from += length;
		}
		if (type == PERF_BR_UNKNOWN && perf_counter_in_kernel(entry->to))
			type = PERF_BR_IRQ;
	}
	/* A fault of an instruction that would have branched is an interrupt as well. */
	if (!same_mode && perf_counter_in_kernel(entry->to) && type != PERF_BR_SYSCALL &&
	    type != PERF_COUNTER_BR_INT)
		type = PERF_BR_IRQ;
	entry->type = type;
}

/* === What there is === */

/*
 * Bits of filters, in the order of PERF_COUNTER_BRANCH_*: conditional, direct and indirect
 * jumps, direct and indirect calls, returns, others; user mode, the kernel; stacks of calls.
 */

/* IA32_LBR_CTL: what is recorded. */
static const u32 arch_bits[PERF_COUNTER_BRANCH_BITS] = {
	BIT(16), BIT(17), BIT(18), BIT(19), BIT(20), BIT(21), BIT(22), BIT(2), BIT(1), BIT(3),
};

/* MSR_LBR_SELECT: what is not recorded; and stacks, from Haswell on. */
static const u32 old_bits[PERF_COUNTER_BRANCH_BITS] = {
	BIT(2), BIT(7), BIT(6), BIT(3), BIT(4), BIT(5), BIT(8), BIT(1), BIT(0), BIT(9),
};

/*
 * The same on Nehalem and Westmere, by an erratum: calls and returns are recorded only while
 * jumps are, those of indirect calls while indirect jumps are. What is recorded besides is left
 * out of samples.
 */
#define JUMPS	(BIT(7) | BIT(6))

static const u32 nehalem_bits[PERF_COUNTER_BRANCH_BITS] = {
	BIT(2), BIT(7), BIT(6), BIT(3) | JUMPS, BIT(4) | BIT(6), BIT(5) | JUMPS, BIT(8), BIT(1),
	BIT(0),
};

/* LBR_SELECT of AMD: what is not recorded. */
static const u32 amd_bits[PERF_COUNTER_BRANCH_BITS] = {
	BIT(2), BIT(7), BIT(6), BIT(3), BIT(4), BIT(5), BIT(8), BIT(1), BIT(0),
};

#define CAN_BRANCHES	(PERF_COUNTER_BRANCH_KINDS | PERF_COUNTER_BRANCH_USER |	\
			 PERF_COUNTER_BRANCH_KERNEL | PERF_COUNTER_BRANCH_INFO)

static bool __init find_arch(void)
{
	u32 eax, ebx, ecx, edx;

	if (!boot_cpu_has(X86_FEATURE_ARCH_LBR))
		return false;
	cpuid(LEAF_ARCH_LBR, &eax, &ebx, &ecx, &edx);
	/* All that there are have all of it; a hypervisor may not. */
	if (!(eax & ARCH_LBR_DEPTHS) || ~ebx & (ARCH_LBR_CPL | ARCH_LBR_FILTER))
		return false;
	lbr_nr = min(8 * fls(eax & ARCH_LBR_DEPTHS), PERF_COUNTER_BRANCHES_MAX);
	lbr = (struct lbr_family) {
		.recorder.can	= CAN_BRANCHES | PERF_COUNTER_BRANCH_TX |
				  (ebx & ARCH_LBR_STACK ? PERF_COUNTER_BRANCH_STACK : 0),
		.bits		= arch_bits,
		.from		= MSR_ARCH_LBR_FROM_0,
		.to		= MSR_ARCH_LBR_TO_0,
		.info		= MSR_ARCH_LBR_INFO_0,
		.stride		= 1,
		.depth		= MSR_ARCH_LBR_DEPTH,
		.switch_on	= arch_switch_on,
		.switch_off	= arch_switch_off,
		.decode		= arch_decode,
	};
	return true;
}

/* Does a register keep the bits of @probe? Hypervisors may take writes, and read zeroes. */
static bool __init register_keeps(u32 msr, u64 probe)
{
	u64 value = 0;

	return !wrmsrl_safe(msr, probe) && !rdmsrl_safe(msr, &value) && value == probe &&
	       !wrmsrl_safe(msr, 0);
}

/* Are all registers there that records of @lbr_format are in? Some models have fewer. */
static bool __init old_registers_exist(void)
{
	unsigned int i;

	if (!register_keeps(lbr.select, BIT(0)) || !register_keeps(lbr.tos, lbr_nr - 1))
		return false;
	for (i = 0; i < lbr_nr; i++) {
		if (!register_keeps(lbr.from + i, 0x5a5a) || !register_keeps(lbr.to + i, 0x5a5a) ||
		    (lbr.info && !register_keeps(lbr.info + i, 0x5a5a)))
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

/* Older models say how their records look, and so how many there are. */
static bool __init find_old(void)
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
				  (lbr_format > FORMAT_FLAGS ? PERF_COUNTER_BRANCH_STACK : 0),
		.select		= MSR_LBR_SELECT,
		.bits		= is_nehalem() ? nehalem_bits : old_bits,
		.suppresses	= true,
		.from		= MSR_LBR_NHM_FROM,
		.to		= MSR_LBR_NHM_TO,
		.info		= info ? MSR_LBR_INFO_0 : 0,
		.stride		= 1,
		.tos		= MSR_LBR_TOS,
		.switch_on	= old_switch_on,
		.switch_off	= old_switch_off,
		.stops		= true,
		.double_abort	= is_haswell(),
		.decode		= info ? info_decode :
				  lbr_format == FORMAT_TIME ? time_decode : flags_decode,
	};
	return old_registers_exist();
}

static bool __init find_amd(void)
{
	bool freezes = boot_cpu_has(X86_FEATURE_AMD_LBR_PMC_FREEZE);

	if (!boot_cpu_has(X86_FEATURE_AMD_LBR_V2))
		return false;
	lbr_nr = min(FIELD_GET(AMD_LBR_SIZE, cpuid_ebx(0x80000022)), PERF_COUNTER_BRANCHES_MAX);
	lbr = (struct lbr_family) {
		/* Without a freeze, those of the kernel would be the interrupt's handler. */
		.recorder.can	= CAN_BRANCHES & ~(freezes ? 0 : PERF_COUNTER_BRANCH_KERNEL),
		.select		= MSR_AMD64_LBR_SELECT,
		.bits		= amd_bits,
		.suppresses	= true,
		.from		= MSR_AMD_SAMP_BR_FROM,
		.to		= MSR_AMD_SAMP_BR_FROM + 1,
		.stride		= 2,
		.to_tells	= true,
		.switch_on	= amd_switch_on,
		.switch_off	= amd_switch_off,
		.decode		= amd_decode,
	};
	return lbr_nr;
}

/**
 * x86_lbr_init() - find out how this machine records branches
 *
 * Context: an initcall, on any CPU.
 * Return: its recorder; NULL when there is none.
 */
const struct perf_counter_recorder * __init x86_lbr_init(void)
{
	u32 can;

	lbr_format = 0;
	if (!find_arch() && !find_old() && !find_amd())
		return NULL;
	can = lbr.recorder.can;
	lbr.recorder = (struct perf_counter_recorder) {
		.can		= can,
		.recording	= lbr_recording,
		.start		= lbr_start,
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
		can & PERF_COUNTER_BRANCH_STACK ? ", calls among them" : "");
	return &lbr.recorder;
}
