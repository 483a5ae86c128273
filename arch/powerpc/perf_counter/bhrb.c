// SPDX-License-Identifier: GPL-2.0
/*
 * POWER's branch history rolling buffer (BHRB): the most recent taken branches.
 *
 * Branches are recorded while alerts are enabled (MMCR0[PMAE]); an alert stops the recording. An
 * entry has the address of a branch, and whether it was mispredicted. For a branch to an address in
 * a register, the entry before it has the target. Other targets are computed from the instruction,
 * which is read from memory and may have changed since.
 *
 * The buffer has branches of user mode and of the kernel, independent of the counted modes; from
 * version 3.1 of the architecture on, those of user mode only. Programs cannot read the buffer:
 * MMCR0[BHRBA] is 0.
 */

#include <linux/bitops.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <asm/reg.h>

#include "internal.h"

/* Number of entries. */
#define ENTRIES			32

#define ENTRY_MISPREDICTED	BIT_ULL(0)
#define ENTRY_TARGET		BIT_ULL(1)
#define ENTRY_ADDRESS		(~3ULL)

/* MMCRA[IFM]: record only branches that set the link register. */
#define FILTER_CALLS		BIT_ULL(30)

/* === Instructions === */

#define INSN_BC			16
#define INSN_B			18
#define INSN_XL			19
#define XL_BCLR			16
#define XL_BCCTR		528
#define XL_BCTAR		560
#define INSN_LK			BIT(0)
#define INSN_AA			BIT(1)
/* BO field of branches that are always taken: 1z1zz. */
#define BO_ALWAYS		0x14

static unsigned int power_opcode(u32 insn)
{
	return insn >> 26;
}

/* Return the target of the branch instruction @insn at @from; 0 if it is in a register. */
static u64 power_branch_target(u32 insn, u64 from)
{
	u64 base = insn & INSN_AA ? 0 : from;

	switch (power_opcode(insn)) {
	case INSN_B:
		return base + sign_extend64(insn & 0x03fffffc, 25);
	case INSN_BC:
		return base + sign_extend64(insn & 0xfffc, 15);
	}
	return 0;
}

/* Return the type of a branch instruction, PERF_BR_*; PERF_BR_UNKNOWN for other instructions. */
static unsigned int power_branch_type(u32 insn)
{
	bool link = insn & INSN_LK;

	switch (power_opcode(insn)) {
	case INSN_B:
		return link ? PERF_BR_CALL : PERF_BR_UNCOND;
	case INSN_BC:
		if (link)
			return PERF_BR_CALL;
		return (insn >> 21 & BO_ALWAYS) == BO_ALWAYS ? PERF_BR_UNCOND : PERF_BR_COND;
	case INSN_XL:
		switch (insn >> 1 & 0x3ff) {
		case XL_BCLR:
			return link ? PERF_BR_IND_CALL : PERF_BR_RET;
		case XL_BCCTR:
		case XL_BCTAR:
			return link ? PERF_BR_IND_CALL : PERF_BR_IND;
		}
	}
	return PERF_BR_UNKNOWN;
}

/* Read the instruction at @addr, which may be any value. */
static bool bhrb_read_insn(u64 addr, u32 *insn)
{
	const void *at = (const void *)(unsigned long)addr;

	if (perf_counter_in_kernel(addr))
		return kernel_text_address(addr) &&
		       !copy_from_kernel_nofault(insn, at, sizeof(*insn));
	return current->mm &&
	       !copy_from_user_nofault(insn, (const void __user *)at, sizeof(*insn));
}

/* === Reading === */

/* The entry's number is a constant in the instruction, so there is a function for each entry. */
#define READER(nr)							\
static u64 read_##nr(void)						\
{									\
	u64 entry;							\
									\
	asm volatile(".machine push\n"					\
		     ".machine power8\n"				\
		     "mfbhrbe %0, " #nr "\n"				\
		     ".machine pop" : "=r" (entry));			\
	return entry;							\
}

READER(0) READER(1) READER(2) READER(3) READER(4) READER(5) READER(6) READER(7)
READER(8) READER(9) READER(10) READER(11) READER(12) READER(13) READER(14) READER(15)
READER(16) READER(17) READER(18) READER(19) READER(20) READER(21) READER(22) READER(23)
READER(24) READER(25) READER(26) READER(27) READER(28) READER(29) READER(30) READER(31)

static u64 (*const read_entry[ENTRIES])(void) = {
	read_0, read_1, read_2, read_3, read_4, read_5, read_6, read_7,
	read_8, read_9, read_10, read_11, read_12, read_13, read_14, read_15,
	read_16, read_17, read_18, read_19, read_20, read_21, read_22, read_23,
	read_24, read_25, read_26, read_27, read_28, read_29, read_30, read_31,
};

static struct perf_branch_entry bhrb_decode(u64 from, u64 to, u64 entry, unsigned int type,
					    u32 what)
{
	struct perf_branch_entry branch = { .from = from, .to = to, .type = type };

	if (what & PERF_COUNTER_BRANCH_INFO) {
		branch.mispred = !!(entry & ENTRY_MISPREDICTED);
		branch.predicted = !branch.mispred;
	}
	return branch;
}

/**
 * power_bhrb_read() - Read the branches
 * @branches: filled in, the youngest first
 * @what: PERF_COUNTER_BRANCH_* that the caller needs
 *
 * A target that could not be computed is 0. Without PERF_COUNTER_BRANCH_KERNEL in @what, branches
 * from the kernel are left out.
 *
 * Context: On the CPU, IRQs off or NMI; recording is off.
 */
void power_bhrb_read(struct perf_counter_branches *branches, u32 what)
{
	/* If only some kinds of branches are wanted, the type of each branch has to be known. */
	bool typed = ~what & PERF_COUNTER_BRANCH_KINDS;
	bool without_kernel = !(what & PERF_COUNTER_BRANCH_KERNEL);
	unsigned int i = 0, type = PERF_BR_UNKNOWN;
	u64 entry, from, to, last = 0, target = 0;
	u32 insn;

	while (i < ENTRIES) {
		entry = read_entry[i++]();
		/* An empty entry ends the buffer. */
		if (!entry)
			return;
		if (!(entry & ENTRY_ADDRESS))
			continue;
		from = entry & ENTRY_ADDRESS;
		if (entry & ENTRY_TARGET) {
			to = from;
			from = i < ENTRIES ? read_entry[i]() : 0;
			/* Skip a target if the entry of its branch has been overwritten. */
			if (!from || (from & ENTRY_TARGET))
				continue;
			from &= ENTRY_ADDRESS;
			i++;
		}
		if (without_kernel && perf_counter_in_kernel(from))
			continue;
		/* A loop has many entries of one branch: decode its instruction once. */
		if (from != last && (typed || !(entry & ENTRY_TARGET))) {
			/* 0 is not a branch instruction. */
			if (!bhrb_read_insn(from, &insn))
				insn = 0;
			type = power_branch_type(insn);
			target = power_branch_target(insn, from);
			last = from;
		}
		if (!(entry & ENTRY_TARGET))
			to = target;
		branches->entries[branches->nr++] =
			bhrb_decode(from, to, entry, from == last ? type : PERF_BR_UNKNOWN, what);
	}
}

/**
 * power_bhrb_type() - Set the type of a branch from its instruction, unless it is known
 * @entry: branch
 *
 * Context: Any context, NMI included.
 */
void power_bhrb_type(struct perf_branch_entry *entry)
{
	u32 insn;

	if (entry->type == PERF_BR_UNKNOWN && bhrb_read_insn(entry->from, &insn))
		entry->type = power_branch_type(insn);
}

/**
 * power_bhrb_filter() - Get the hardware filter for a set of branches
 * @what: wanted branches, PERF_COUNTER_BRANCH_*
 *
 * The hardware can record either all branches or only calls. Samples leave out the recorded
 * branches that are not wanted.
 *
 * Return: bits of MMCRA.
 */
u64 power_bhrb_filter(u32 what)
{
	u32 kinds = what & PERF_COUNTER_BRANCH_KINDS & ~PERF_COUNTER_BRANCH_FAR;

	return kinds && !(kinds & ~(PERF_COUNTER_BRANCH_CALL | PERF_COUNTER_BRANCH_IND_CALL)) ?
	       FILTER_CALLS : 0;
}

/**
 * power_bhrb_wipe() - Clear all entries
 *
 * Context: IRQs off.
 */
void power_bhrb_wipe(void)
{
	asm volatile(".machine push\n"
		     ".machine power8\n"
		     "clrbhrb\n"
		     ".machine pop");
}
