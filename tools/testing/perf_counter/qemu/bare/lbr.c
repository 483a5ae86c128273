// SPDX-License-Identifier: GPL-2.0
/* The registers of branch records: Intel's architectural ones, its older ones, AMD's. */
#include "lbr.h"
#include "pmu.h"

#define CTL_LBREN		(1UL << 0)
#define CTL_OS			(1UL << 1)
#define CTL_USR			(1UL << 2)
#define CTL_CALL_STACK		(1UL << 3)
#define SELECT_NOT_KERNEL	(1UL << 0)
#define SELECT_NOT_USER		(1UL << 1)
#define SELECT_CALL_STACK	(1UL << 9)
#define INFO_CYCLES_VALID	(1UL << 60)
#define AMD_LBRV2EN		(1UL << 6)
#define AMD_TO_VALID		(1UL << 63)

struct lbr lbr;

/* Bits of each kind of branch, in the order of LBR_COND and its successors. */
static const struct {
	u8 ctl, select, type;
} kinds[LBR_NUM_KINDS] = {
	{ 16, 2, 0 }, { 17, 7, 2 }, { 18, 6, 1 }, { 19, 3, 4 }, { 20, 4, 3 }, { 21, 5, 5 },
	{ 22, 8, 8 },
};

static void detect_intel(void)
{
	u32 a, b, c, d;

	cpuid(7, &a, &b, &c, &d);
	lbr.streamlined = pmu.version >= 4;
	if (d & 1 << 19) {
		lbr.type = LBR_ARCH;
		lbr.entries = 32;
		lbr.cycles = true;
		lbr.call_stack = true;
		lbr.msr_switch = MSR_ARCH_LBR_CTL;
		return;
	}
	if (pmu.capabilities)
		lbr.format = rdmsr(MSR_PERF_CAPABILITIES) & 0x3f;
	if (!lbr.format)
		return;
	cpuid(1, &a, &b, &c, &d);
	lbr.type = LBR_MODEL;
	lbr.entries = lbr.format >= 5 ? 32 : 16;
	lbr.cycles = lbr.format == 5 || lbr.format == 7;
	lbr.cycles_in_to = lbr.format == 6;
	/* Nehalem: family 6, model 30. */
	lbr.select_erratum = (a & 0xfffffff0) == 0x106e0;
	lbr.call_stack = lbr.format > 3;
	lbr.msr_switch = MSR_DEBUGCTL;
	lbr.on = DEBUGCTL_LBR;
}

static void detect_amd(void)
{
	u32 a, b, c, d;

	cpuid(0x80000000, &a, &b, &c, &d);
	if (a < 0x80000022)
		return;
	cpuid(0x80000022, &a, &b, &c, &d);
	if (!(a & 1 << 1))
		return;
	lbr.type = LBR_AMD;
	lbr.entries = b >> 4 & 0x3f;
	lbr.streamlined = true;
	lbr.msr_switch = MSR_AMD_DBG_EXTN_CFG;
	lbr.on = AMD_LBRV2EN;
}

void lbr_detect(void)
{
	if (pmu.intel)
		detect_intel();
	else
		detect_amd();
	if (lbr.type)
		say("branch records: %d, format %d", lbr.entries, lbr.format);
}

u64 lbr_target(u64 to)
{
	if (lbr.cycles_in_to)
		return (long)(to << 16) >> 16;
	return lbr.type == LBR_AMD ? to & ~AMD_TO_VALID : to;
}

u32 lbr_recorded(u32 what)
{
	if (!lbr.select_erratum)
		return what;
	if (!(what & LBR_IND_JMP))
		what &= ~(LBR_CALL | LBR_IND_CALL | LBR_RET);
	if (!(what & LBR_JMP))
		what &= ~(LBR_CALL | LBR_RET);
	return what;
}

void lbr_set_depth(int entries)
{
	lbr.entries = entries;
	wrmsr(MSR_ARCH_LBR_DEPTH, entries);
}

static u64 ctl_of(u32 what)
{
	u64 ctl = CTL_LBREN | (what & LBR_KERNEL ? CTL_OS : 0) | (what & LBR_USER ? CTL_USR : 0) |
		  (what & LBR_CALL_STACK ? CTL_CALL_STACK : 0);

	for (int i = 0; i < LBR_NUM_KINDS; i++)
		if (what & 1 << i)
			ctl |= 1UL << kinds[i].ctl;
	return ctl;
}

static u64 select_of(u32 what)
{
	u64 select = (what & LBR_KERNEL ? 0 : SELECT_NOT_KERNEL) |
		     (what & LBR_USER ? 0 : SELECT_NOT_USER) |
		     (what & LBR_CALL_STACK ? SELECT_CALL_STACK : 0);

	for (int i = 0; i < LBR_NUM_KINDS; i++)
		if (!(what & 1 << i))
			select |= 1UL << kinds[i].select;
	return select;
}

void lbr_prepare(u32 what)
{
	switch (lbr.type) {
	case LBR_ARCH:
		wrmsr(MSR_ARCH_LBR_DEPTH, lbr.entries);
		lbr.on = ctl_of(what);
		break;
	case LBR_MODEL:
		for (int i = 0; i < lbr.entries; i++) {
			wrmsr(MSR_LBR_FROM + i, 0);
			wrmsr(MSR_LBR_TO + i, 0);
			if (lbr.cycles)
				wrmsr(MSR_LBR_INFO + i, 0);
		}
		wrmsr(MSR_LBR_TOS, 0);
		wrmsr(MSR_LBR_SELECT, select_of(what));
		break;
	case LBR_AMD:
		for (int i = 0; i < 2 * lbr.entries; i++)
			wrmsr(MSR_AMD_LBR_FROM + i, 0);
		wrmsr(MSR_AMD_LBR_SELECT, select_of(what));
		break;
	default:
		break;
	}
}

struct lbr_entry lbr_read(int i)
{
	struct lbr_entry e = { };

	switch (lbr.type) {
	case LBR_ARCH:
		e.from = rdmsr(MSR_ARCH_LBR_FROM + i);
		e.to = rdmsr(MSR_ARCH_LBR_TO + i);
		e.info = rdmsr(MSR_ARCH_LBR_INFO + i);
		break;
	case LBR_MODEL:
		i = (rdmsr(MSR_LBR_TOS) - i) & (lbr.entries - 1);
		e.from = rdmsr(MSR_LBR_FROM + i);
		e.to = rdmsr(MSR_LBR_TO + i);
		if (lbr.cycles)
			e.info = rdmsr(MSR_LBR_INFO + i);
		break;
	case LBR_AMD:
		e.from = rdmsr(MSR_AMD_LBR_FROM + 2 * i);
		e.to = rdmsr(MSR_AMD_LBR_FROM + 2 * i + 1);
		break;
	default:
		break;
	}
	return e;
}

struct lbr_entry lbr_entry_of(const struct branch *branch, bool hide)
{
	struct lbr_entry e = { branch->from, branch->to };
	u64 cycles = branch->cycles > 0xffff ? 0xffff : branch->cycles;
	int kind = __builtin_ctz(branch->what & LBR_KINDS);

	if (lbr.type == LBR_ARCH) {
		e.from = hide ? -1UL : e.from;
		e.info = cycles | INFO_CYCLES_VALID | (u64)kinds[kind].type << 56;
	} else if (lbr.type == LBR_AMD) {
		e.from &= ~(1UL << 63);
		e.to = (e.to & ~(7UL << 61)) | AMD_TO_VALID;
	} else if (lbr.cycles) {
		e.info = cycles;
	} else if (lbr.cycles_in_to) {
		e.from &= ~(1UL << 63);
		e.to = (e.to & ((1UL << 48) - 1)) | cycles << 48;
	} else if (lbr.format == 4) {
		e.from &= ~(7UL << 61);
	} else {
		e.from &= ~(1UL << 63);
	}
	return e;
}
