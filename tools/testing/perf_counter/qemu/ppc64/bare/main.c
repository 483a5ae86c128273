// SPDX-License-Identifier: GPL-2.0
/*
 * A test of the PMU of POWER8, POWER9 and POWER10 without a kernel: every number is
 * compared with one that was worked out by hand, beside the instructions in sequences.S.
 * Prints TAP on the console and switches the machine off.
 */
#include "machine.h"
#include "sequences.h"

#define FC		0x80000000UL
#define FCS		0x40000000UL
#define FCP		0x20000000UL
#define FCM1		0x10000000UL
#define FCM0		0x08000000UL
#define PMAE		0x04000000UL
#define FCECE		0x02000000UL
#define BHRBA		0x00200000UL
#define PMCC(n)		((u64)(n) << 18)
#define PMC1CE		0x8000UL
#define PMCJCE		0x4000UL
#define FCPC		0x1000UL
#define CC56RUN		0x100UL
#define PMAO		0x80UL
#define FC14		0x20UL
#define FC56		0x10UL
#define FCH		0x01UL

/* Bits of MMCR2 for PMC1; those of the next counter are nine bits lower. */
#define FC1S		(1UL << 63)
#define FC1P0		(1UL << 62)
#define FC1P1		(1UL << 61)
#define FC1M1		(1UL << 60)
#define FC1M0		(1UL << 59)
#define FC1H		(1UL << 57)

#define SAMPLE		1UL
#define ELIGIBLE(mode, which) ((u64)(mode) << 1 | (u64)(which) << 4)
#define IFM(n)		((u64)(n) << 30)
#define BHRBRD		(1UL << 37)

#define SIER_SIPR	0x2000000UL
#define SIER_SIHV	0x1000000UL
#define SIER_SIAR	0x400000UL
#define SIER_SDAR	0x200000UL
#define SIER_LOAD	(1UL << 15)
#define SIER_STORE	(2UL << 15)
#define SIER_BRANCH	(3UL << 15)
#define SIER_L1		(1UL << 1)
#define SIER_CMPL	1UL

#define NEGATIVE	0x80000000UL

/* Instructions that measure() adds to a sequence in kernel mode. */
#define OVERHEAD	2
/* Instructions in kernel mode that enter user mode and return from it. */
#define KERNEL		(8 + VECTOR_INSNS + LEAVE_INSNS + 2)

#define INSNS		0x02	/* on each of PMC1 to PMC4 */
#define CYCLES		0x1e

#ifndef MIGRATE
#define MIGRATE		false
#endif

static int model;

struct event {
	const char *name;
	u8 pmc, select, unit;
};

/* Return an MMCR1 with which PMC @pmc, from 1 on, counts this event. */
static u64 mmcr1(int pmc, u64 select, u64 unit)
{
	return unit << (64 - 4 * pmc) | select << (32 - 8 * pmc);
}

static void write_pmc(int pmc, u64 value)
{
	switch (pmc) {
	case 1:
		mtspr(SPR_PMC1, value);
		break;
	case 2:
		mtspr(SPR_PMC1 + 1, value);
		break;
	case 3:
		mtspr(SPR_PMC1 + 2, value);
		break;
	case 4:
		mtspr(SPR_PMC1 + 3, value);
		break;
	case 5:
		mtspr(SPR_PMC1 + 4, value);
		break;
	case 6:
		mtspr(SPR_PMC1 + 5, value);
		break;
	}
}

static u64 read_pmc(int pmc)
{
	switch (pmc) {
	case 1:
		return mfspr(SPR_PMC1);
	case 2:
		return mfspr(SPR_PMC1 + 1);
	case 3:
		return mfspr(SPR_PMC1 + 2);
	case 4:
		return mfspr(SPR_PMC1 + 3);
	case 5:
		return mfspr(SPR_PMC1 + 4);
	default:
		return mfspr(SPR_PMC1 + 5);
	}
}

static void reset(void)
{
	mtspr(SPR_MMCR0, FC);
	mtspr(SPR_MMCR1, 0);
	mtspr(SPR_MMCR2, 0);
	mtspr(SPR_MMCRA, 0);
	mtspr(SPR_SIAR, 0);
	mtspr(SPR_SDAR, 0);
	mtspr(SPR_SIER, 0);
	for (int pmc = 1; pmc <= 6; pmc++)
		write_pmc(pmc, 0);
	shared.pmi_count = 0;
	shared.pmi_mmcr0 = FC;
	shared.pmi_reload = 0;
}

static u64 count_on(void (*sequence)(void), const struct event *e, u64 freeze)
{
	reset();
	mtspr(SPR_MMCR1, mmcr1(e->pmc, e->select, e->unit));
	measure(sequence, freeze, FC);
	return read_pmc(e->pmc);
}

static u64 count(void (*sequence)(void), u64 select, u64 freeze)
{
	const struct event e = { "", 1, select, 0 };

	return count_on(sequence, &e, freeze);
}

static u64 count_mmcr2(void (*sequence)(void), u64 mmcr2)
{
	reset();
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0));
	mtspr(SPR_MMCR2, mmcr2);
	measure(sequence, 0, FC);
	return read_pmc(1);
}

struct counts {
	const char *name;
	void (*sequence)(void);
	u64 user, kernel;
	int vector;		/* vector that ends user mode */
	char *resume;
};

static const struct counts table[] = {
	{ "nothing", seq_empty, 0, 1, 0, 0 },
	{ "straight code", seq_nops, 0, 100, 0, 0 },
	{ "a loop", seq_loop, 0, 1000004, 0, 0 },
	{ "code that changes itself", seq_self_modifying, 0, 8, 0, 0 },
	{ "loads and stores", seq_memory, 0, 20, 0, 0 },
	{ "user mode", seq_user, 10, KERNEL, VEC_SC, seq_user_resume },
	{ "a loop in user mode", seq_user_loop, 1000004, KERNEL, VEC_SC, seq_user_loop_resume },
	{ "a load that faults", seq_load_fault, 4, KERNEL, VEC_DSI, seq_load_fault_resume },
	{ "a store that faults", seq_store_fault, 5, KERNEL, VEC_DSI, seq_store_fault_resume },
	{ "an illegal instruction", seq_illegal, 1, KERNEL, VEC_PROGRAM, seq_illegal_resume },
	{ "a privileged instruction", seq_privileged, 1, KERNEL, VEC_PROGRAM,
	  seq_privileged_resume },
	{ "a trap", seq_trap, 3, KERNEL, VEC_PROGRAM, seq_trap_resume },
	{ "a trap that always is one", seq_trap_always, 1, KERNEL, VEC_PROGRAM,
	  seq_trap_always_resume },
	{ "nothing to fetch", seq_fetch_fault, 4, KERNEL, VEC_ISI, seq_fetch_fault_resume },
};

static void leave_by(int vector, const char *resume)
{
	set_vector(VEC_SC, 0);
	set_vector(vector, leave_user);
	shared.resume = (u64)resume;
}

static void test_sequences(void)
{
	for (u64 i = 0; i < array_size(table); i++) {
		const struct counts *c = &table[i];
		u64 kernel = c->kernel + OVERHEAD;

		if (c->vector)
			leave_by(c->vector, c->resume);
		check("%s: in user mode", count(c->sequence, INSNS, FCS), c->user, c->name);
		check("%s: in kernel mode", count(c->sequence, INSNS, FCP), kernel, c->name);
		check("%s: in both", count(c->sequence, INSNS, 0), c->user + kernel, c->name);
		check("%s: cycles", count(c->sequence, CYCLES, 0), c->user + kernel, c->name);
		if (c->vector)
			set_vector(c->vector, 0);
	}
}

/* All tests run in a guest: MSR[HV] is zero. */
static void test_freezing(void)
{
	const u64 user = 10, kernel = KERNEL + OVERHEAD;

	leave_by(VEC_SC, seq_user_resume);
	check("FC", count(seq_user, INSNS, FC), 0);
	check("FC14", count(seq_user, INSNS, FC14), 0);
	check("FC56 and PMC1", count(seq_user, INSNS, FC56), user + kernel);
	check("FCS and FCP", count(seq_user, INSNS, FCS | FCP), 0);
	check("FCPC: problem state of no hypervisor", count(seq_user, INSNS, FCPC), kernel);
	check("FCP and FCPC: that of a hypervisor", count(seq_user, INSNS, FCP | FCPC),
	      user + kernel);
	check("FCH", count(seq_user, INSNS, FCH), user + kernel);
	check("FCM0", count(seq_user, INSNS, FCM0), 0);
	check("FCM1", count(seq_user, INSNS, FCM1), user + kernel);
	check("FC1S", count_mmcr2(seq_user, FC1S), user);
	check("FC1P0", count_mmcr2(seq_user, FC1P0), kernel);
	check("FC1P1", count_mmcr2(seq_user, FC1P1), user + kernel);
	check("FC1S and FC1P0", count_mmcr2(seq_user, FC1S | FC1P0), 0);
	check("FC1M0", count_mmcr2(seq_user, FC1M0), 0);
	check("FC1M1", count_mmcr2(seq_user, FC1M1), user + kernel);
	check("FC1H", count_mmcr2(seq_user, FC1H), user + kernel);
	check("FC2S and FC2P0 with PMC1", count_mmcr2(seq_user, FC1S >> 9 | FC1P0 >> 9),
	      user + kernel);
}

/* Each counter freezes in its own modes. */
static void test_all_counters(void)
{
	const u64 user = 10, kernel = KERNEL + OVERHEAD;

	leave_by(VEC_SC, seq_user_resume);
	reset();
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0) | mmcr1(2, CYCLES, 0) | mmcr1(3, INSNS, 0) |
	      mmcr1(4, CYCLES, 0));
	mtspr(SPR_MMCR2, FC1S | FC1P0 >> 9 | FC1S >> 27 | FC1P0 >> 36 | FC1S >> 45);
	for (int pmc = 1; pmc <= 6; pmc++)
		write_pmc(pmc, 1000 * pmc);
	measure(seq_user, 0, FC);
	check("PMC1, user mode", read_pmc(1), 1000 + user);
	check("PMC2, kernel mode", read_pmc(2), 2000 + kernel);
	check("PMC3, both", read_pmc(3), 3000 + user + kernel);
	check("PMC4, user mode", read_pmc(4), 4000 + user);
	check("PMC5, kernel mode", read_pmc(5), 5000 + kernel);
	check("PMC6, user mode", read_pmc(6), 6000 + user);
	reset();
	measure(seq_user, FC56, FC);
	check("PMC5 with FC56", read_pmc(5), 0);
	reset();
	write_pmc(1, 0xfffffff0);
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0));
	measure(seq_nops, 0, FC);
	check("a counter has 32 bits", read_pmc(1), 102 - 16);
	mtspr(SPR_MMCR0, FC | PMAE | PMC1CE);
	check("... and is not negative any more", mfspr(SPR_MMCR0), FC | PMAE | PMC1CE);
	reset();
	write_pmc(1, 0x123456789);
	check("... and no more", read_pmc(1), 0x23456789);
}

static void test_run_latch(void)
{
	static const struct event run_cycles = { "", 2, 0xf4, 0 }, run_insns = { "", 4, 0xfa, 0 };
	const u64 all = 11 + OVERHEAD, run = all - 4;

	check("instructions, whatever the run latch", count(seq_run_latch, INSNS, 0), all);
	check("PM_RUN_CYC on PMC2", count_on(seq_run_latch, &run_cycles, 0), run);
	check("PM_RUN_INST_CMPL on PMC4", count_on(seq_run_latch, &run_insns, 0), run);
	check("PMC5", read_pmc(5), run);
	check("PMC6", read_pmc(6), run);
	reset();
	measure(seq_run_latch, CC56RUN, FC);
	check("PMC5 with CC56RUN", read_pmc(5), all);
	check("PMC6 with CC56RUN", read_pmc(6), all);
}

static const struct event *event_of(const struct event *p8, const struct event *p9)
{
	return model == 8 ? p8 : p9;
}

/* BCTRL of measure() is a taken branch. */
static void test_events(void)
{
	static const struct event p8_loads = { "PM_LD_REF_L1", 1, 0xee, 0 };
	static const struct event p9_loads = { "PM_LD_REF_L1", 1, 0xfc, 0 };
	static const struct event p8_cmpl = { "PM_LD_CMPL", 1, 0x2e, 0 };
	static const struct event p9_cmpl = { "PM_LD_CMPL", 4, 0x3e, 0 };
	static const struct event stores = { "PM_ST_CMPL", 2, 0xf0, 0 };
	static const struct event branches = { "PM_BR_FIN", 1, 0x68, 0 };
	static const struct event p8_branches = { "PM_BR_CMPL", 4, 0x60, 0 };
	static const struct event p9_branches = { "PM_BR_CMPL", 4, 0x5e, 0xd };
	static const struct event taken = { "PM_BR_TAKEN_CMPL", 2, 0xfa, 0 };
	static const struct event other_unit = { "", 1, 0x68, 5 }, missed = { "", 4, 0xf6, 0 };

	check("loads", count_on(seq_memory, event_of(&p8_loads, &p9_loads), 0), 5);
	check("loads completed", count_on(seq_memory, event_of(&p8_cmpl, &p9_cmpl), 0), 5);
	check("stores", count_on(seq_memory, &stores, 0), 6);
	check("branches", count_on(seq_memory, &branches, 0), 4 + 1);
	check("branches completed",
	      count_on(seq_memory, event_of(&p8_branches, &p9_branches), 0), 4 + 1);
	check("branches taken", count_on(seq_memory, &taken, 0), 3 + 1);
	check("branches of a loop", count_on(seq_loop, &branches, 0), 1000000 + 2);
	check("branches taken of a loop", count_on(seq_loop, &taken, 0), 999999 + 2);
	check("mispredicted branches, which no branch is", count_on(seq_loop, &missed, 0), 0);
	check("another unit's event", count_on(seq_loop, &other_unit, 0), 0);
	reset();
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0) | 1UL << (model == 8 ? 35 : 38));
	measure(seq_loop, 0, FC);
	check("a combination of events", read_pmc(1), 0);
	check("no event", count(seq_loop, 0, 0), 0);

	leave_by(VEC_DSI, seq_store_fault_resume);
	check("the store that does not fault", count_on(seq_store_fault, &stores, FCS), 1);
	set_vector(VEC_DSI, 0);
}

static u64 count_marked(u64 mmcra)
{
	reset();
	mtspr(SPR_MMCR1, mmcr1(4, 0xe0, 0));
	mtspr(SPR_MMCRA, mmcra);
	measure(seq_memory, 0, FC);
	return read_pmc(4);
}

static void test_marked(void)
{
	check("marked instructions without sampling", count_marked(0), 0);
	check("marked instructions", count_marked(SAMPLE), 20 + OVERHEAD);
	check("marked loads", count_marked(SAMPLE | ELIGIBLE(0, 5)), 5);
	check("marked stores", count_marked(SAMPLE | ELIGIBLE(0, 7)), 6);
	check("marked loads and stores", count_marked(SAMPLE | ELIGIBLE(0, 1)), 11);
	check("marked loads and stores, by their own", count_marked(SAMPLE | ELIGIBLE(1, 0)), 11);
	check("marked by a mode that there is not", count_marked(SAMPLE | ELIGIBLE(3, 0)), 0);
}

/*
 * Return the place of the interrupt of the nth event on PMC1; 0 unless there is exactly one
 * interrupt.
 */
static u64 overflow_at(void (*sequence)(void), u64 select, u64 bits, u64 n)
{
	reset();
	write_pmc(1, NEGATIVE - n);
	shared.pmi_reload = NEGATIVE - n;
	mtspr(SPR_MMCR1, mmcr1(1, select, 0));
	interrupts(true);
	measure(sequence, PMAE | FCECE | PMC1CE | bits, FC);
	interrupts(false);
	return shared.pmi_count == 1 ? shared.srr0 : 0;
}

static void test_overflow(void)
{
	u64 wrong = 0, siar = 0, sier = 0, value = 0, found = 0;

	for (u64 n = 1; n <= 99; n++) {
		u64 next = (u64)seq_nops + 4 * (n - 1);
		u64 last = n == 1 ? (u64)measure_call : next - 4;

		wrong += overflow_at(seq_nops, INSNS, 0, n) != next;
		siar += shared.siar != last;
		sier += shared.sier != (SIER_SIAR | SIER_CMPL | (n == 1 ? SIER_BRANCH : 0));
		value += shared.pmc1 != NEGATIVE;
		found += shared.mmcr0 != (FC | PMAO | FCECE | PMC1CE);
	}
	check("an overflow interrupts behind its instruction, of 99 wrong", wrong, 0);
	check("... which SIAR has, of 99 wrong", siar, 0);
	check("... and SIER tells what it is, of 99 wrong", sier, 0);
	check("... PMC1 is just negative, of 99 wrong", value, 0);
	check("... MMCR0 has PMAO and FC, no PMAE, of 99 wrong", found, 0);

	leave_by(VEC_SC, seq_user_resume);
	wrong = 0;
	siar = 0;
	sier = 0;
	for (u64 n = 1; n <= 9; n++) {
		wrong += overflow_at(seq_user, INSNS, FCS, n) != (u64)seq_user_user + 4 * n;
		siar += shared.siar != (u64)seq_user_user + 4 * (n - 1);
		sier += shared.sier != (SIER_SIPR | SIER_SIAR | SIER_CMPL);
	}
	check("in user mode, of 9 wrong", wrong, 0);
	check("... SIAR, of 9 wrong", siar, 0);
	check("... SIER, of 9 wrong", sier, 0);
}

/* Test overflows at the last instruction before another mode begins. */
static void test_overflow_between_modes(void)
{
	u64 at;

	leave_by(VEC_SC, seq_user_resume);
	/* The 9th instruction, after BCTRL of measure() and 7 others, is RFID. */
	at = overflow_at(seq_user, INSNS, FCP, 9);
	check("RFID overflows", at, (u64)seq_user_user);
	check("... SIAR", shared.siar, (u64)seq_user_rfid);
	check("... SIER: in kernel mode", shared.sier, SIER_SIAR | SIER_CMPL);
	set_vector(VEC_SC, enable_and_leave);
	at = overflow_at(seq_user, INSNS, FCS, 10);
	check("SC overflows, and interrupts as soon as it may", at, (u64)enable_and_leave_pmi);
	check("... SIAR", shared.siar, (u64)seq_user_sc);
	check("... SIER: in user mode", shared.sier, SIER_SIPR | SIER_SIAR | SIER_CMPL);
	leave_by(VEC_ISI, seq_fetch_fault_resume);
	at = overflow_at(seq_fetch_fault, INSNS, FCS, 4);
	check("an overflow comes before the next instruction's fault", at, HOLE);
	check("... SIAR", shared.siar, (u64)seq_fetch_fault_bctr);
	set_vector(VEC_ISI, 0);
}

struct overflow {
	u8 insn;		/* number in seq_memory, from 1 on; 0 is BCTRL of measure() */
	u8 offset;		/* offset of the accessed data in scratch */
};

/* Use PMC1, which counts loads and branches also on POWER8. */
static void test_overflow_of_events(void)
{
	static const struct overflow loads[] = {
		{ 3, 0 }, { 6, 0 }, { 8, 0 }, { 10, 0 }, { 14, 1 },
	};
	const u64 select = model == 8 ? 0xee : 0xfc;
	const u64 load = SIER_SIAR | SIER_SDAR | SIER_LOAD | SIER_L1 | SIER_CMPL;
	/* Targets of BCTRL of measure(), and of instructions 16, 18, 19 and 20. */
	const u64 next[] = { (u64)seq_memory, (u64)seq_memory + 64, (u64)seq_memory + 72,
		(u64)seq_memory + 80, (u64)measure_return };

	for (u64 i = 0; i < array_size(loads); i++) {
		u64 at = overflow_at(seq_memory, select, 0, i + 1);

		check("load %d overflows", at, (u64)seq_memory + 4 * loads[i].insn, i + 1);
		check("... SIAR", shared.siar, at - 4);
		check("... SDAR", shared.sdar, (u64)scratch + loads[i].offset);
		check("... SIER", shared.sier, load);
	}
	for (u64 i = 0; i < array_size(next); i++) {
		u64 at = overflow_at(seq_memory, 0x68, 0, i + 1);

		check("branch %d overflows", at, next[i], i + 1);
		check("... SIER", shared.sier, SIER_SIAR | SIER_BRANCH | SIER_CMPL);
	}
}

static void test_overflow_of_stores(void)
{
	static const struct overflow stores[] = {
		{ 4, 8 }, { 7, 16 }, { 9, 0 }, { 11, 0 }, { 12, 0 }, { 15, 1 },
	};

	for (u64 i = 0; i < array_size(stores); i++) {
		reset();
		write_pmc(2, NEGATIVE - i - 1);
		mtspr(SPR_MMCR1, mmcr1(2, 0xf0, 0));
		interrupts(true);
		measure(seq_memory, PMAE | FCECE | PMCJCE, FC);
		interrupts(false);
		check("store %d overflows", shared.pmi_count == 1 ? shared.srr0 : 0,
		      (u64)seq_memory + 4 * stores[i].insn, i + 1);
		check("... SDAR", shared.sdar, (u64)scratch + stores[i].offset);
		check("... SIER", shared.sier,
		      SIER_SIAR | SIER_SDAR | SIER_STORE | SIER_L1 | SIER_CMPL);
	}
	overflow_at(seq_nops, INSNS, 0, 50);
	check("SDAR stays what it is without an access", shared.sdar, 0);
}

static u64 observe(u64 mmcr0)
{
	reset();
	write_pmc(1, NEGATIVE - 10);
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0) | mmcr1(2, INSNS, 0));
	interrupts(true);
	measure(seq_nops, mmcr0, FC);
	interrupts(false);
	return read_pmc(2);
}

static void test_conditions(void)
{
	const u64 all = 100 + OVERHEAD;

	check("PMC1 negative, no condition enabled", observe(PMAE | FCECE), all);
	check("... no interrupt", shared.pmi_count, 0);
	check("... PMC1 goes on", read_pmc(1), NEGATIVE - 10 + all);
	check("PMCjCE is not PMC1's", observe(PMAE | FCECE | PMCJCE), all);
	check("... no interrupt", shared.pmi_count, 0);
	check("FCECE without PMAE freezes", observe(FCECE | PMC1CE), 10);
	check("... no interrupt", shared.pmi_count, 0);
	check("FCECE with PMAE freezes", observe(PMAE | FCECE | PMC1CE), 10);
	check("... an interrupt", shared.pmi_count, 1);
	check("neither: nothing happens", observe(PMC1CE), all);

	reset();
	write_pmc(3, NEGATIVE - 10);
	mtspr(SPR_MMCR1, mmcr1(3, INSNS, 0));
	interrupts(true);
	measure(seq_nops, PMAE | FCECE | PMC1CE, FC);
	check("PMC1CE is not PMC3's", shared.pmi_count, 0);
	write_pmc(3, NEGATIVE - 10);
	measure(seq_nops, PMAE | FCECE | PMCJCE, FC);
	interrupts(false);
	check("PMCjCE is", shared.pmi_count, 1);
	check("... behind the 10th", shared.srr0, (u64)seq_nops + 36);
}

/* A counter that is already negative raises an alert as soon as alerts are enabled. */
static void test_sticky(void)
{
	reset();
	write_pmc(1, NEGATIVE);
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0));
	interrupts(true);
	measure(seq_nops, PMAE | PMC1CE, FC);
	interrupts(false);
	check("PMAE and a negative PMC1: an alert at once", shared.pmi_count, 1);
	check("... behind MTSPR", shared.srr0, (u64)measure_call);
	check("... SIAR", shared.siar, (u64)measure_call - 4);

	reset();
	mtspr(SPR_MMCR0, FC | PMAE | PMC1CE);
	write_pmc(1, NEGATIVE);
	check("PMC1 becomes negative by MTSPR", mfspr(SPR_MMCR0), FC | PMAO | PMC1CE);
	write_pmc(1, 0);
	check("... PMAO stays", mfspr(SPR_MMCR0), FC | PMAO | PMC1CE);
	shared.pmi_reload = 0;
	interrupts(true);
	interrupts(false);
	check("... and interrupts", shared.pmi_count, 1);
	mtspr(SPR_MMCR0, FC | PMAO);
	mtspr(SPR_MMCR0, FC);
	interrupts(true);
	interrupts(false);
	check("PMAO that is cleared does not", shared.pmi_count, 1);
	mtspr(SPR_MMCR0, FC | PMAO);
	interrupts(true);
	interrupts(false);
	check("PMAO that is set does", shared.pmi_count, 2);
}

/* Samples of a loop: 1,000,004 instructions in user mode. */
static void test_sampling(u64 period)
{
	const u64 start = PMAE | FCECE | PMC1CE | FCS;

	leave_by(VEC_SC, seq_user_loop_resume);
	reset();
	write_pmc(1, NEGATIVE - period);
	shared.pmi_reload = NEGATIVE - period;
	shared.pmi_mmcr0 = start;
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0) | mmcr1(2, CYCLES, 0));
	interrupts(true);
	measure(seq_user_loop, start, FC);
	interrupts(false);
	check("samples, period %d", shared.pmi_count, 1000004 / period, period);
	check("... what is left", read_pmc(1), NEGATIVE - period + 1000004 % period);
	check("... cycles", read_pmc(2), 1000004);
}

static void test_reading(void)
{
	reset();
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0));
	measure(seq_read, 0, FC);
	check("MFSPR of PMC1: BCTRL, NOP", scratch[0], 2);
	check("... three more", scratch[1], 5);

	leave_by(VEC_SC, seq_user_read_resume);
	reset();
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0));
	measure(seq_user_read, FCS | PMCC(0), FC);
	check("UPMC1 in user mode", scratch[0], 1);
	check("... two more", scratch[1], 3);
	scratch[0] = 77;
	leave_by(VEC_FU, seq_user_read_resume);
	measure(seq_user_read, FCS | PMCC(1), FC);
	check("UPMC1 with PMCC 1: unavailable", scratch[0], 77);
	set_vector(VEC_FU, 0);
}

static void test_accesses(void)
{
	u64 mf = mfspr(SPR_ACCESSES), mt = mfspr(SPR_ACCESSES + 1), bhrb = mfspr(SPR_ACCESSES + 2);

	mtspr(SPR_MMCR0, FC);
	mtspr(SPR_MMCR1, 0);
	mtspr(SPR_PMC1, 0);
	mfspr(SPR_PMC1 + 5);
	mfspr(SPR_SIER);
	mfspr(SPR_CTRLF);
	mfspr(SPR_UPMC1);
	read_bhrb(0);
	check("accesses: MFSPR", mfspr(SPR_ACCESSES) - mf, 3);
	check("accesses: MTSPR", mfspr(SPR_ACCESSES + 1) - mt, 3);
	check("accesses: MFBHRBE", mfspr(SPR_ACCESSES + 2) - bhrb, 1);
}

/* Test SPR_ICOUNT, which is zero without icount. */
static void test_icount(void)
{
	bool on = mfspr(SPR_ICOUNT);

	seq_icount();
	check("%s: from one reading to another", scratch[1] - scratch[0], on ? 1000004 : 0,
	      on ? "icount" : "without icount");
	leave_by(VEC_SC, seq_user_icount_resume);
	seq_user_icount();
	check("... in user mode", scratch[1] - scratch[0], on ? 2 : 0);
	check("... where accesses are read as well", scratch[2], mfspr(SPR_ACCESSES));
}

struct records {
	u64 expected[32];
	int n;
};

static void expect(struct records *r, const void *from)
{
	r->expected[r->n++] = (u64)from;
}

/* Expect an XL-form branch: the first entry read is its target. */
static void expect_to(struct records *r, const void *from, const void *to)
{
	r->expected[r->n++] = (u64)to | 2;
	if (from)
		expect(r, from);
	else
		r->expected[r->n++] = 1; /* an unknown address */
}

/*
 * Expect the records of the return to measure(), the youngest first. POWER10 does not record kernel
 * mode.
 */
static void expect_kernel_end(struct records *r)
{
	if (model == 10)
		return;
	expect_to(r, seq_branches_resume + 4, measure_return);
	expect_to(r, (char *)leave_user + 8, seq_branches_resume);
	expect_to(r, (char *)VEC_SC + 4 * (VECTOR_INSNS - 1), leave_user);
}

static void expect_user_end(struct records *r)
{
	expect_to(r, at_bctrl, at_8);
	expect(r, at_beq);
	expect_to(r, at_bctr, at_5);
}

static void expect_user_begin(struct records *r)
{
	expect(r, at_b_second);
	expect_to(r, at_blr, at_bl + 4);
	expect(r, at_bl);
	expect(r, at_bdnz);
	expect(r, at_b_first);
}

static void expect_kernel_begin(struct records *r)
{
	if (model != 10)
		expect_to(r, measure_call, seq_branches);
}

static void check_records(const char *name, const struct records *r)
{
	u64 wrong = 0;

	for (int i = 0; i < r->n; i++) {
		u64 is = read_bhrb(i);

		if (is == r->expected[i])
			continue;
		wrong++;
		say("entry %d: %x instead of %x", (u64)i, is, r->expected[i]);
	}
	for (int i = r->n; i < 32; i++)
		wrong += read_bhrb(i) != 0;
	check("branches, %s: wrong records", wrong, 0, name);
}

static void record(u64 mmcr0, u64 mmcra)
{
	leave_by(VEC_SC, seq_branches_resume);
	reset();
	mtspr(SPR_MMCRA, mmcra);
	clear_bhrb();
	measure(seq_branches, mmcr0, FC);
}

static void test_records(void)
{
	struct records all = { .n = 0 }, calls = { .n = 0 }, indirect = { .n = 0 };
	struct records conditional = { .n = 0 }, kernel = { .n = 0 }, none = { .n = 0 };

	expect_kernel_end(&all);
	expect_user_end(&all);
	expect_user_begin(&all);
	expect_kernel_begin(&all);
	record(PMAE, 0);
	check_records("all", &all);

	expect_to(&calls, at_bctrl, at_8);
	expect(&calls, at_bl);
	expect_kernel_begin(&calls);
	record(PMAE, IFM(1));
	check_records("calls", &calls);

	expect_kernel_end(&indirect);
	expect_to(&indirect, at_bctr, at_5);
	expect_to(&indirect, at_blr, at_bl + 4);
	record(PMAE, IFM(2));
	check_records("indirect ones", &indirect);

	expect(&conditional, at_beq);
	expect(&conditional, at_bdnz);
	record(PMAE, IFM(3));
	check_records("conditional ones", &conditional);

	expect_kernel_end(&kernel);
	expect_kernel_begin(&kernel);
	record(PMAE | FCP, 0);
	check_records("FCP", &kernel);

	record(0, 0);
	check_records("without PMAE", &none);
	if (model == 10) {
		record(PMAE, BHRBRD);
		check_records("recording disabled", &none);
	}
	record(PMAE, 0);
	clear_bhrb();
	check_records("cleared", &none);
}

/* Test that the branch that overflows is the last one recorded. */
static void test_records_freeze(void)
{
	struct records r = { .n = 0 };

	expect_user_begin(&r);
	expect_kernel_begin(&r);
	leave_by(VEC_SC, seq_branches_resume);
	clear_bhrb();
	check("the 6th branch overflows", overflow_at(seq_branches, 0x68, FCS, 6),
	      (u64)at_blr + 4);
	check_records("frozen by an alert", &r);
	mtspr(SPR_MMCR0, FC | PMAE);
	check("no record is read with PMAE", read_bhrb(0), 0);
	mtspr(SPR_MMCR0, FC);
}

/* Results of the second CPU, which counts at the same time as the first one. */
static u64 second_counted, second_done;

static void work_of_second_cpu(void)
{
	mtspr(SPR_CTRLT, 1);
	mtspr(SPR_MMCR0, FC);
	mtspr(SPR_MMCR2, 0);
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0));
	mtspr(SPR_PMC1, 0);
	measure(seq_loop, 0, FC);
	second_counted = mfspr(SPR_PMC1);
	asm volatile("sync" : : : "memory");
	second_done = 1;
	for (;;)
		barrier();
}

static void test_two_cpus(void)
{
	u64 counted;

	if (!start_cpu(1, work_of_second_cpu)) {
		say("one CPU: nothing to do for two");
		return;
	}
	counted = count(seq_loop, INSNS, 0);
	while (!second_done)
		barrier();
	check("the first CPU, beside the second", counted, 1000004 + OVERHEAD);
	check("the second CPU, beside the first", second_counted, 1000004 + OVERHEAD);
}

/* Run the loop in user mode, with samples, until a byte arrives. */
static void test_migration(void)
{
	const u64 period = 777777, start = PMAE | FCECE | PMC1CE | FCS;
	u64 rounds = 0, insns;

	leave_by(VEC_SC, seq_user_loop_resume);
	reset();
	write_pmc(1, NEGATIVE - period);
	shared.pmi_reload = NEGATIVE - period;
	shared.pmi_mmcr0 = start;
	mtspr(SPR_MMCR1, mmcr1(1, INSNS, 0) | mmcr1(2, CYCLES, 0));
	say("ready to migrate");
	do {
		interrupts(true);
		measure(seq_user_loop, start, FC);
		interrupts(false);
		rounds++;
	} while (!console_has_input());
	insns = rounds * 1000004;
	check("migration: cycles", read_pmc(2), insns & 0xffffffff);
	check("migration: samples", shared.pmi_count, insns / period);
	check("migration: what is left", read_pmc(1), NEGATIVE - period + insns % period);
}

static void find_model(void)
{
	u64 pvr = mfspr(287) >> 16;

	model = pvr == 0x4e ? 9 : pvr == 0x80 ? 10 : 8;
	say("POWER%d", (u64)model);
}

void bare_main(void)
{
	machine_init();
	set_vector(VEC_PMI, handle_pmi);
	find_model();
	mtspr(SPR_CTRLT, 1);
	if (MIGRATE) {
		test_migration();
		finish();
	}
	test_sequences();
	test_freezing();
	test_all_counters();
	test_run_latch();
	test_events();
	test_marked();
	test_overflow();
	test_overflow_between_modes();
	test_overflow_of_events();
	test_overflow_of_stores();
	test_conditions();
	test_sticky();
	test_sampling(20000);
	test_sampling(1000);
	test_reading();
	test_accesses();
	test_icount();
	test_records();
	test_records_freeze();
	test_two_cpus();
	finish();
}
