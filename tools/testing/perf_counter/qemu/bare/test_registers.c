// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that access registers of the PMU by number: which ones this CPU has, and NMIs that come
 * with accesses to a register.
 */
#include "lbr.h"
#include "pmu.h"
#include "sequences.h"
#include "test_registers.h"

/* Version 6 has all registers of a counter side by side. SDM volume 4, table 2-2. */
#define MSR_GP_CTR(i)		(0x1900 + 4 * (i))
#define MSR_GP_CFG_A(i)		(0x1901 + 4 * (i))
#define MSR_GP_CFG_B(i)		(0x1902 + 4 * (i))
#define MSR_FX_CTR(i)		(0x1980 + 4 * (i))
#define MSR_FX_CFG_B(i)		(0x1982 + 4 * (i))

static void test_version_6(void)
{
	pmu_reset();
	for (int i = 0; i < pmu.num_gp; i++) {
		wrmsr(MSR_GP_CTR(i), 0x123480000000 + i);
		check("version 6, counter %d", rdmsr(MSR_PERFCTR0 + i), 0x123480000000 + i, i);
		wrmsr(MSR_GP_CFG_A(i), 0x1000c0 + i);
		check("version 6, event select %d", rdmsr(MSR_EVTSEL0 + i), 0x1000c0 + i, i);
		wrmsr(MSR_EVTSEL0 + i, 0);
		check("... and back", rdmsr(MSR_GP_CFG_A(i)), 0);
	}
	for (int i = 0; i < 3; i++) {
		wrmsr(MSR_FX_CTR(i), 0x123480000000 + i);
		check("version 6, fixed counter %d", rdmsr(MSR_FIXED_CTR0 + i),
		      0x123480000000 + i, i);
	}
	refused("version 6, counter, bit 48", MSR_GP_CTR(0), 1UL << 48);
	refused("version 6, event select, ANY", MSR_GP_CFG_A(0), EVTSEL_ANY);
	missing("version 6, a counter too many", MSR_GP_CTR(pmu.num_gp));
	missing("version 6, an event select too many", MSR_GP_CFG_A(pmu.num_gp));
	missing("version 6, a fixed counter too many", MSR_FX_CTR(3));
	/* CPUID has no leaf that announces these registers. */
	missing("version 6, a reload of a counter", MSR_GP_CFG_B(0));
	missing("version 6, a reload of a fixed counter", MSR_FX_CFG_B(0));

	pmu_reset();
	wrmsr(MSR_GP_CFG_A(1), pmu.insns | EVTSEL_OS | EVTSEL_EN);
	measure(seq_nops, pmu.msr_ctrl, 2);
	check("version 6, what is counted", rdmsr(MSR_GP_CTR(1)), 100 + OVERHEAD);
}

struct range {
	const char *what;
	u32 first, last;
};

static void ends_missing(const struct range *range)
{
	missing(range->what, range->first);
	if (range->last != range->first)
		missing(range->what, range->last);
}

static void test_missing_intel(void)
{
	static const struct range never[] = {
		{ "branch records before Nehalem, FROM", 0x40, 0x47 },
		{ "branch records before Nehalem, TO", 0x60, 0x67 },
		{ "OFFCORE_RSP", 0x1a6, 0x1a7 },
		{ "PEBS", 0x3f1, 0x3f2 },
		{ "load latencies and frontend", 0x3f6, 0x3f7 },
		{ "DS_AREA", 0x600, 0x600 },
	};
	static const struct range arch[] = {
		{ "architectural records, INFO", 0x1200, 0x121f },
		{ "architectural records, control and depth", 0x14ce, 0x14cf },
		{ "architectural records, FROM", 0x1500, 0x151f },
		{ "architectural records, TO", 0x1600, 0x161f },
	};
	static const struct range older[] = {
		{ "older records, filter and top", 0x1c8, 0x1c9 },
		{ "older records, FROM", 0x680, 0x69f },
		{ "older records, TO", 0x6c0, 0x6df },
		{ "older records, INFO", 0xdc0, 0xddf },
	};

	for (int i = 0; i < ARRAY_SIZE(never); i++)
		ends_missing(&never[i]);
	for (int i = 0; i < ARRAY_SIZE(arch) && lbr.type != LBR_ARCH; i++)
		ends_missing(&arch[i]);
	for (int i = 0; i < ARRAY_SIZE(older) && lbr.type != LBR_MODEL; i++)
		ends_missing(&older[i]);
	if (!pmu.large)
		missing("PERF_METRICS", 0x329);
	if (pmu.version < 6) {
		missing("a counter by its number of version 6", MSR_GP_CTR(0));
		missing("a fixed counter by its number of version 6", MSR_FX_CTR(0));
	}
	/* Registers of the uncore, and registers that belong to no PMU. */
	check("a register of the uncore", rdmsr_faults(0x396), 0);
	check("a register that nobody knows", rdmsr_faults(0x777), 0);
}

static void test_missing_amd(void)
{
	static const struct range records[] = {
		{ "AMD's records, filter and switch", 0xc000010e, 0xc000010f },
		{ "AMD's records", 0xc0010300, 0xc001031f },
	};

	missing("IBS", 0xc0011030);
	missing("IBS, its last", 0xc001103d);
	missing("setting the status", 0xc0000303);
	for (int i = 0; i < ARRAY_SIZE(records) && lbr.type != LBR_AMD; i++)
		ends_missing(&records[i]);
	if (!pmu.global) {
		missing("a common status", MSR_AMD_GLOBAL_STATUS);
		missing("clearing it", MSR_AMD_GLOBAL_CLEAR);
	}
	check("a register of the north bridge", rdmsr_faults(0xc0010240), 0);
}

void test_registers(void)
{
	if (!pmu.intel) {
		test_missing_amd();
		return;
	}
	test_missing_intel();
	if (pmu.version >= 6)
		test_version_6();
}

/* Access a register, and return the address of the next instruction. */
static u64 behind_rdmsr(u32 reg)
{
	u64 behind;
	u32 lo, hi;

	asm volatile("lea 1f(%%rip), %0\n\trdmsr\n1:\n\tnop"
		     : "=&r"(behind), "=a"(lo), "=d"(hi) : "c"(reg) : "memory");
	return behind;
}

static u64 behind_rdpmc(u32 counter)
{
	u64 behind;
	u32 lo, hi;

	asm volatile("lea 1f(%%rip), %0\n\trdpmc\n1:\n\tnop"
		     : "=&r"(behind), "=a"(lo), "=d"(hi) : "c"(counter) : "memory");
	return behind;
}

static u64 behind_wrmsr(u32 reg)
{
	u64 behind;

	asm volatile("lea 1f(%%rip), %0\n\twrmsr\n1:\n\tnop"
		     : "=&r"(behind) : "c"(reg), "a"(0), "d"(0) : "memory");
	return behind;
}

/*
 * With pmu-nmi-every=3 the next NMI comes with the third access to counter 1 after the last
 * NMI.
 */
void test_nmi_at(void)
{
	static const struct {
		const char *what;
		u64 (*access)(u32 operand);
		bool by_number;
	} rows[] = {
		{ "RDMSR", behind_rdmsr }, { "WRMSR", behind_wrmsr },
		{ "RDPMC", behind_rdpmc, true },
	};
	struct cpu *cpu = this_cpu();
	u32 msr = pmu_msr_counter(1);
	u64 behind;
	int i;

	pmu_reset();
	pmi_record();
	/*
	 * The handler writes counter 0, and reads counter 1 by RDPMC: these accesses do not
	 * count.
	 */
	cpu->pmi_period = 1000;
	cpu->pmi_reads = true;
	for (i = 0; i < 3 && !cpu->pmis; i++)
		rdmsr(msr);
	check("an NMI with one of three accesses", cpu->pmis, 1);
	for (int row = 0; row < ARRAY_SIZE(rows); row++) {
		pmi_record();
		rdmsr(msr);
		wrmsr(msr, 0);
		/* Accesses to other registers do not count. */
		for (i = 0; i < 3; i++) {
			rdmsr(pmu_msr_counter(0));
			rdpmc(0);
		}
		check("NMIs before the third access", cpu->pmis, 0);
		behind = rows[row].access(rows[row].by_number ? 1 : msr);
		check("an NMI with %s", cpu->pmis, 1, rows[row].what);
		check("... before the next instruction", cpu->pmi_ip, behind);
	}
	/* A counter has several register numbers. */
	if (pmu.full_width || (!pmu.intel && pmu.num_gp > 4)) {
		pmi_record();
		for (i = 0; i < 3; i++)
			rdmsr(pmu.intel ? MSR_PMC0 + 1 : MSR_K7_PERFCTR0 + 1);
		check("an NMI with another number of the register", cpu->pmis, 1);
	}
	cpu->pmi_reads = false;
	cpu->pmi_period = 0;
}
