// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of the machine: its description by CPUID, and starting its counters. On a PMU
 * without a register for all counters, each counter is started with its event select.
 */
#include "pmu.h"
#include "sequences.h"

struct pmu pmu;

/*
 * Leaf 0xA of a hybrid machine has the general counters that all cores have; the large
 * cores have two more. The events of branches have other codes on the small cores.
 */
static void detect_kind(void)
{
	u32 a, b, c, d;

	cpuid(7, &a, &b, &c, &d);
	if (!(d & 1 << 15))
		return;
	cpuid(0x1a, &a, &b, &c, &d);
	pmu.large = a >> 24 == 0x40;
	pmu.small = a >> 24 == 0x20;
	if (pmu.large)
		pmu.num_gp += 2;
	if (!pmu.small)
		return;
	pmu.conditional = 0x7ec4;
	pmu.taken = 0xc0c4;
	pmu.calls = 0xf9c4;
	pmu.returns = 0xf7c4;
	pmu.far = 0xbfc4;
}

static void detect_intel(void)
{
	u32 a, b, c, d;

	cpuid(0xa, &a, &b, &c, &d);
	pmu.version = a & 0xff;
	pmu.num_gp = a >> 8 & 0xff;
	pmu.fixed_mask = pmu.version >= 5 ? c : (1U << (d & 0x1f)) - 1;
	cpuid(1, &a, &b, &c, &d);
	pmu.capabilities = c & 1 << 15;
	pmu.full_width = pmu.capabilities && rdmsr(MSR_PERF_CAPABILITIES) & 1 << 13;
	pmu.global = true;
	pmu.msr_ctrl = MSR_GLOBAL_CTRL;
	pmu.msr_status = MSR_GLOBAL_STATUS;
	pmu.msr_status_reset = MSR_GLOBAL_STATUS_RESET;
	pmu.insns = 0xc0;
	pmu.cycles = 0x3c;
	pmu.branches = 0xc4;
	pmu.conditional = pmu.version < 5 ? 0x01c4 : 0x11c4;
	pmu.taken = 0x20c4;
	pmu.calls = 0x02c4;
	pmu.returns = 0x08c4;
	pmu.far = 0x40c4;
	pmu.loads = 0x81d0;
	pmu.stores = 0x82d0;
	detect_kind();
}

static void detect_amd(void)
{
	u32 a, b, c, d;

	cpuid(0x80000001, &a, &b, &c, &d);
	pmu.num_gp = c & 1 << 23 ? 6 : 4;
	pmu.version = 1;
	cpuid(0x80000000, &a, &b, &c, &d);
	if (a >= 0x80000022) {
		cpuid(0x80000022, &a, &b, &c, &d);
		if (a & 1) {
			pmu.version = 2;
			pmu.num_gp = b & 0xf;
			pmu.global = true;
		}
	}
	pmu.msr_ctrl = MSR_AMD_GLOBAL_CTL;
	pmu.msr_status = MSR_AMD_GLOBAL_STATUS;
	pmu.msr_status_reset = MSR_AMD_GLOBAL_CLEAR;
	pmu.insns = 0xc0;
	pmu.cycles = 0x76;
	pmu.branches = 0xc2;
	pmu.conditional = 0xd1;
	pmu.taken = 0xc4;
	pmu.returns = 0xc8;
	pmu.far = 0xc6;
	pmu.loads = 0x129;
	pmu.stores = 0x229;
}

void pmu_detect(void)
{
	u32 a, b, c, d;

	cpuid(0, &a, &b, &c, &d);
	pmu.intel = c == 0x6c65746e; /* "ntel" */
	if (pmu.intel)
		detect_intel();
	else
		detect_amd();
	say("%s version %d: %d counters, fixed ones %d%s", pmu.intel ? "Intel" : "AMD",
	    pmu.version, pmu.num_gp, pmu.fixed_mask, pmu.full_width ? ", full-width writes" : "");
}

static u32 msr_evtsel(int i)
{
	if (pmu.intel)
		return MSR_EVTSEL0 + i;
	return pmu.num_gp > 4 ? MSR_CORE_CTL0 + 2 * i : MSR_K7_EVTSEL0 + i;
}

u32 pmu_msr_counter(int i)
{
	if (pmu.intel)
		return MSR_PERFCTR0 + i;
	return pmu.num_gp > 4 ? MSR_CORE_CTR0 + 2 * i : MSR_K7_PERFCTR0 + i;
}

void pmu_reset(void)
{
	if (pmu.global)
		wrmsr(pmu.msr_ctrl, 0);
	for (int i = 0; i < pmu.num_gp; i++) {
		this_cpu()->evtsel[i] = 0;
		wrmsr(msr_evtsel(i), 0);
		wrmsr(pmu_msr_counter(i), 0);
	}
	for (int i = 0; i < 3; i++)
		if (pmu.fixed_mask & 1 << i)
			wrmsr(MSR_FIXED_CTR0 + i, 0);
	if (pmu.intel)
		wrmsr(MSR_FIXED_CTR_CTRL, 0);
	if (pmu.global)
		wrmsr(pmu.msr_status_reset, rdmsr(pmu.msr_status));
	apic_write(APIC_LVTPC, LVT_NMI);
}

u64 pmu_value(int i)
{
	return rdmsr(pmu_msr_counter(i));
}

void pmu_set(int i, u64 event, u64 value)
{
	this_cpu()->evtsel[i] = event | EVTSEL_EN;
	wrmsr(msr_evtsel(i), pmu.global ? this_cpu()->evtsel[i] : event);
	wrmsr(pmu_msr_counter(i), value);
}

void pmu_measure_set(void (*sequence)(void))
{
	if (pmu.global)
		measure(sequence, pmu.msr_ctrl, 1);
	else
		measure(sequence, MSR_K7_EVTSEL0, this_cpu()->evtsel[0]);
}

void pmu_measure_all(void (*sequence)(void))
{
	if (pmu.global) {
		measure(sequence, pmu.msr_ctrl, (1 << pmu.num_gp) - 1);
		return;
	}
	for (int i = 1; i < pmu.num_gp; i++)
		wrmsr(msr_evtsel(i), this_cpu()->evtsel[i]);
	measure(sequence, MSR_K7_EVTSEL0, this_cpu()->evtsel[0]);
	for (int i = 1; i < pmu.num_gp; i++)
		wrmsr(msr_evtsel(i), 0);
}

void pmu_measure(int i, void (*sequence)(void), u64 event)
{
	pmu_set(i, event, 0);
	if (pmu.global)
		measure(sequence, pmu.msr_ctrl, 1 << i);
	else
		measure(sequence, msr_evtsel(i), this_cpu()->evtsel[i]);
}

u64 pmu_count(void (*sequence)(void), u64 event)
{
	pmu_reset();
	pmu_measure(0, sequence, event);
	return pmu_value(0);
}

void pmi_record(void)
{
	struct cpu *cpu = this_cpu();

	cpu->pmis = 0;
	cpu->pmis_elsewhere = 0;
	apic_write(APIC_LVTPC, LVT_NMI);
}

void pmi_handle(struct frame *frame)
{
	struct cpu *cpu = this_cpu();

	cpu->pmis++;
	cpu->pmi_ip = frame->ip;
	cpu->pmi_cx = frame->cx;
	if (pmu.global) {
		cpu->pmi_ctrl = rdmsr(pmu.msr_ctrl);
		if (!cpu->pmi_keep_status)
			wrmsr(pmu.msr_status_reset, rdmsr(pmu.msr_status));
	}
	if (cpu->pmi_reads)
		rdpmc(1);
	if (cpu->pmi_period) {
		cpu->pmis_elsewhere += frame->ip != cpu->pmi_expected_ip;
		wrmsr(pmu_msr_counter(0), -cpu->pmi_period);
		apic_write(APIC_LVTPC, LVT_NMI);
	}
}
