// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the x86 backend of perf_counter: the events of each machine and the counters that
 * count them, the values written to registers, and the handling of NMIs.
 *
 * The backend's source is included below, with registers, CPUID and clock replaced by a simulated
 * machine. So the source has no code for tests. Numbers of registers and events are written here a
 * second time, from the manuals. The simulated machine counts as its registers say, when a test
 * makes events happen.
 */

#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cpufeature.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/mmu_context.h>
#include <linux/percpu.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/cpu.h>
#include <asm/mach_traps.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_counter.h>
#include <asm/perf_event.h>
#include <asm/timer.h>
#include <asm/tlbflush.h>
#include <asm/tsc.h>
#include <asm/x86_init.h>

/* === The machine === */

#define GENERAL		10
#define FIXED		3

/* Slots in the backend's numbering. */
#define FIXED_SLOT(i)	(32 + (i))
#define FIXED_BIT(i)	BIT_ULL(32 + (i))

/* Bits of an event select. */
#define USER		BIT_ULL(16)
#define KERNEL		BIT_ULL(17)
#define EDGE		BIT_ULL(18)
#define INTERRUPT	BIT_ULL(20)
#define ENABLE		BIT_ULL(22)
#define INVERT		BIT_ULL(23)
#define CMASK		GENMASK_ULL(31, 24)
#define GUEST_ONLY	BIT_ULL(40)
#define HOST_ONLY	BIT_ULL(41)

/* AMD: the event select of the second counter of a pair. */
#define MERGE		(0xf000000ffULL | ENABLE)

/**
 * struct machine - CPUID of a machine, and properties of its counters
 * @name: name of the PMU
 * @vendor: X86_VENDOR_*
 * @family: family of the CPU
 * @model: model of the CPU
 * @leaf: EAX to EDX of CPUID leaf 0xA; on AMD, of 0x80000022
 * @features: X86_FEATURE_*, terminated by 0
 * @capabilities: IA32_PERF_CAPABILITIES
 * @width: bits of a counter
 * @general: number of general counters
 * @fixed: mask of fixed counters
 * @left: most events that a counter can be set to count before it overflows
 * @large: mask of the general counters of a large core in leaf 0x23; 0: no such leaf
 * @small: mask of the general counters of a small core in leaf 0x23
 * @global: the machine has a global control register
 */
struct machine {
	const char	*name;
	u8		vendor;
	u8		family;
	u8		model;
	u32		leaf[4];
	unsigned int	features[5];
	u64		capabilities;
	unsigned int	width;
	unsigned int	general;
	unsigned int	fixed;
	u64		left;
	u32		large;
	u32		small;
	bool		global;
};

/**
 * struct test_registers - registers of the simulated machine, and numbers of accesses
 * @select: event selects
 * @counter: general counters
 * @fixed: fixed counters
 * @fixed_ctrl: IA32_FIXED_CTR_CTRL
 * @ctrl: GLOBAL_CTRL
 * @status: GLOBAL_STATUS
 * @later: bits of GLOBAL_STATUS that become set when others are cleared
 * @stuck: bits of GLOBAL_STATUS that cannot be cleared
 * @lvtpc: LVTPC of the local APIC
 * @early: the LVTPC was unmasked while GLOBAL_STATUS was not 0, which raises the NMI again
 * @firsts: number of times that Nehalem's workaround was executed
 * @nowhere: dummy for registers that do not exist
 * @writes: number of MSR writes
 * @reads: number of MSR reads
 * @rdpmcs: number of RDPMCs
 * @unknown: number of accesses to registers that do not exist
 * @nmi_at: number of accesses until an NMI comes together with one; 0: no NMI is to come
 * @absent: writes to registers are ignored, and all reads return 0
 */
static struct test_registers {
	u64		select[GENERAL];
	u64		counter[GENERAL];
	u64		fixed[FIXED];
	u64		fixed_ctrl;
	u64		ctrl;
	u64		status;
	u64		later;
	u64		stuck;
	u32		lvtpc;
	bool		early;
	unsigned int	firsts;
	u64		nowhere;
	unsigned int	writes;
	unsigned int	reads;
	unsigned int	rdpmcs;
	unsigned int	unknown;
	unsigned int	nmi_at;
	bool		absent;
} reg;

static const struct machine *machine;
static struct cpuinfo_x86 test_cpu;
static DECLARE_BITMAP(test_features, MAX_CPU_FEATURES);
static u64 test_now;
/* test_lent: the PMU is in use by the backend. test_foreign: it is in use by perf_events. */
static bool test_lent, test_foreign;
static const struct perf_counter_backend *test_backend;
static nmi_handler_t test_nmi;
static unsigned long test_cr4;
/* Reason of an NMI in the south bridge's register. */
static unsigned char test_nmi_reason;
/* SVM is enabled. */
static bool test_svm;
/* The backend has reported reprogrammed counters. */
static bool test_reprogrammed;
/*
 * For a hybrid machine: type of the simulated core, and type that perf_events gave the small cores.
 */
static u8 test_kind;
static int test_small_type;
/* For a hybrid machine: it has large cores, it has small cores. */
static bool test_large_cores, test_small_cores;

/*
 * Whether the machine has a branch recorder, and the kinds of branches that it records
 * (PERF_COUNTER_BRANCH_*).
 */
static bool test_has_recorder;
static u32 test_recorded;

static bool nmi(void);

/* Count an access to a register, and raise an NMI if one is to come with this access. */
static void test_accessed(void)
{
	if (reg.nmi_at && !--reg.nmi_at)
		nmi();
}

static u64 *register_of(u32 msr)
{
	bool intel = machine->vendor == X86_VENDOR_INTEL;
	unsigned int v2 = machine->global && !intel;

	switch (msr) {
	case 0x0c1 ... 0x0c0 + GENERAL:
		return intel && msr - 0x0c1 < machine->general ? &reg.counter[msr - 0x0c1] : NULL;
	case 0x4c1 ... 0x4c0 + GENERAL:
		return intel && machine->capabilities && msr - 0x4c1 < machine->general ?
			&reg.counter[msr - 0x4c1] : NULL;
	case 0x186 ... 0x185 + GENERAL:
		return intel && msr - 0x186 < machine->general ? &reg.select[msr - 0x186] : NULL;
	case 0x309 ... 0x308 + FIXED:
		return machine->fixed & BIT(msr - 0x309) ? &reg.fixed[msr - 0x309] : NULL;
	case 0x38d:
		return machine->fixed ? &reg.fixed_ctrl : NULL;
	case 0x38e:
		return intel && machine->global ? &reg.status : NULL;
	case 0x38f:
		return intel && machine->global ? &reg.ctrl : NULL;
	case 0xc0010000 ... 0xc0010003:
		return intel ? NULL : &reg.select[msr - 0xc0010000];
	case 0xc0010004 ... 0xc0010007:
		return intel ? NULL : &reg.counter[msr - 0xc0010004];
	case 0xc0010200 ... 0xc001020b:
		if (machine->general < 6 || intel)
			return NULL;
		msr -= 0xc0010200;
		return msr % 2 ? &reg.counter[msr / 2] : &reg.select[msr / 2];
	case 0xc0000300:
		return v2 ? &reg.status : NULL;
	case 0xc0000301:
		return v2 ? &reg.ctrl : NULL;
	default:
		return NULL;
	}
}

static int write_msr(u32 msr, u64 value)
{
	u64 *to = register_of(msr);

	reg.writes++;
	/* Writing 1 clears a bit. */
	if ((msr == 0x390 || msr == 0xc0000302) && machine->global) {
		reg.status = (reg.status & ~value) | reg.later | reg.stuck;
		reg.later = 0;
		return 0;
	}
	if (!to || to == &reg.status) {
		reg.unknown++;
		return -EIO;
	}
	/* These MSRs take 32 bits, which the counter sign-extends. */
	if (msr >= 0x0c1 && msr < 0x0c1 + GENERAL)
		value = sign_extend64(value, 31);
	if (to >= reg.counter && to < reg.fixed + FIXED)
		value &= GENMASK_ULL(machine->width - 1, 0);
	reg.firsts += to == &reg.select[0] && value == 0x4300b5;
	if (!reg.absent)
		*to = value;
	return 0;
}

static int test_write(u32 msr, u64 value)
{
	int err = write_msr(msr, value);

	test_accessed();
	return err;
}

static int test_read(u32 msr, u64 *value)
{
	u64 *from = msr == 0x345 ? (u64 *)&machine->capabilities : register_of(msr);

	reg.reads++;
	reg.unknown += !from;
	*value = from ? *from : 0;
	test_accessed();
	return from ? 0 : -EIO;
}

static u64 test_rdpmc(u32 counter)
{
	unsigned int slot = counter & ~BIT(30);
	u64 value = 0;

	reg.rdpmcs++;
	if (counter & BIT(30) ? slot >= FIXED : slot >= machine->general)
		reg.unknown++;
	else
		value = counter & BIT(30) ? reg.fixed[slot] : reg.counter[slot];
	test_accessed();
	return value;
}

static void test_apic_write(u32 offset, u32 value)
{
	reg.unknown += offset != APIC_LVTPC;
	reg.early |= reg.lvtpc & APIC_LVT_MASKED && reg.status;
	reg.lvtpc = value;
}

static void test_cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	if (leaf != (machine->vendor == X86_VENDOR_INTEL ? 0xa : 0x80000022))
		reg.unknown++;
	*eax = machine->leaf[0];
	*ebx = machine->leaf[1];
	*ecx = machine->leaf[2];
	*edx = machine->leaf[3];
}

/* Simulate CPUID leaf 0x23: subleaf 1 has the counters of this core. */
static void test_cpuid_count(u32 leaf, u32 subleaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	if (leaf != 0x23 || subleaf > 1)
		reg.unknown++;
	*ebx = machine->fixed;
	*eax = BIT(1);
	if (subleaf)
		*eax = test_kind == 0x20 ? machine->small : machine->large;
	*ecx = 0;
	*edx = 0;
}

static u32 test_cpuid_ebx(u32 leaf)
{
	u32 eax, ebx, ecx, edx;

	test_cpuid(leaf, &eax, &ebx, &ecx, &edx);
	return ebx;
}

static int test_lend(void)
{
	if (test_lent || test_foreign)
		return -EBUSY;
	test_lent = true;
	return 0;
}

static void test_return(void)
{
	/* The backend may give back only a PMU that it owns. */
	reg.unknown += !test_lent;
	test_lent = false;
}

/* The handler has to be one for local NMIs. */
static void test_register_nmi(unsigned int type, nmi_handler_t handler, unsigned long flags,
			      const char *name)
{
	reg.unknown += type != NMI_LOCAL || flags || !name;
	test_nmi = handler;
}

/**
 * struct counter - a counter of a test: the backend's part, and the settings for the simulated core
 * @hw: part that the backend uses
 * @period: events per sample; 0: no samples
 * @stop: stop the counter when it overflows
 * @branches: the counter's samples have branches
 * @overflows: number of overflows reported to the core
 */
struct counter {
	struct perf_counter_hw	hw;
	u64			period;
	bool			stop;
	bool			branches;
	unsigned int		overflows;
};

static bool test_overflow(struct perf_counter_hw *hw, struct pt_regs *regs)
{
	struct counter *counter = container_of(hw, struct counter, hw);

	counter->overflows++;
	if (hw->next && (s64)(hw->count - hw->next) >= 0)
		hw->next += counter->period;
	return counter->stop;
}

static bool test_has_branches(const struct perf_counter_hw *hw)
{
	return container_of(hw, struct counter, hw)->branches;
}

static void test_change(const struct perf_counter_hw *hw, void (*change)(void))
{
	test_backend->disable();
	change();
	test_reprogrammed |= test_backend->enable();
}

/* Call @fn on a core of each type. */
static void test_each_cpu(smp_call_func_t fn, void *info, int wait)
{
	u8 kind = test_kind;

	if (test_large_cores) {
		test_kind = 0x40;
		fn(info);
	}
	if (test_small_cores) {
		test_kind = 0x20;
		fn(info);
	}
	test_kind = kind;
}

static int test_call(int cpu, smp_call_func_t fn, void *info, int wait);

static unsigned char test_get_nmi_reason(void)
{
	return test_nmi_reason;
}

static const struct {
	unsigned char (*get_nmi_reason)(void);
} test_platform = { test_get_nmi_reason };

/* === The backend, on the simulated machine === */

#undef rdmsrl
#define rdmsrl(msr, value)		test_read(msr, &(value))
#define rdmsrl_safe(msr, value)		test_read(msr, value)
#define wrmsrl(msr, value)		test_write(msr, value)
#define wrmsrl_safe(msr, value)		test_write(msr, value)
#undef rdpmcl
#define rdpmcl(counter, value)		((value) = test_rdpmc(counter))
#define apic_write(offset, value)	test_apic_write(offset, value)
#define cpuid(leaf, a, b, c, d)		test_cpuid(leaf, a, b, c, d)
#define cpuid_ebx(leaf)			test_cpuid_ebx(leaf)
#define cpuid_count(leaf, subleaf, a, b, c, d)	test_cpuid_count(leaf, subleaf, a, b, c, d)
#define boot_cpu_data			test_cpu
#undef boot_cpu_has
#define boot_cpu_has(feature)		test_bit(feature, test_features)
#undef get_cycles
#define get_cycles()			test_now
/* A cycle is a nanosecond. */
#define tsc_khz				1000000
#define get_this_hybrid_cpu_type()	test_kind
#define x86_small_pmu_type()		test_small_type
#define x86_platform			test_platform
#undef on_each_cpu
#define on_each_cpu			test_each_cpu
#define smp_call_function_single	test_call
#define x86_lend_hardware		test_lend
#define x86_return_hardware		test_return
#define cr4_set_bits_irqsoff(bits)	(test_cr4 |= (bits))
#define cr4_clear_bits_irqsoff(bits)	(test_cr4 &= ~(bits))
#undef register_nmi_handler
#define register_nmi_handler(type, handler, flags, name)	\
	test_register_nmi(type, handler, flags, name)
#define perf_counter_register_backend(backend)	(test_backend = (backend), 0)
#define perf_counter_hw_overflow(hw, regs)	test_overflow(hw, regs)
#define perf_counter_hw_change(hw, change)	test_change(hw, change)
#define perf_counter_hw_has_branches(hw)	test_has_branches(hw)
#define perf_counter_capture_branches()	((void)0)

/* Do not log each simulated machine. */
#undef pr_info
#define pr_info(...)			no_printk(__VA_ARGS__)

/* Rename global symbols, and drop annotations of data that is freed or protected after boot. */
#define x86_counters_intel		test_x86_counters_intel
#define x86_counters_amd		test_x86_counters_amd
#define x86_hybrid_intel		test_x86_hybrid_intel
#define x86_lbr_init			test_x86_lbr_init
#define x86_lbr_start			test_x86_lbr_start
#define x86_lbr_resume			test_x86_lbr_resume
#define x86_lbr_reset			test_x86_lbr_reset
#define x86_lbr_branches		test_x86_lbr_branches
DEFINE_PER_CPU(u32, x86_lbr_branches);
#define x86_user_reads_here		test_x86_user_reads_here
#define x86_user_reads()		this_cpu_read(test_x86_user_reads_here)
DECLARE_PER_CPU(bool, x86_user_reads_here);
static typeof(x86_counters_virt) test_x86_counters_virt;
#define x86_counters_virt		test_x86_counters_virt
static typeof(x86_counters_guest_msrs) test_x86_counters_guest_msrs;
#define x86_counters_guest_msrs		test_x86_counters_guest_msrs
static const struct perf_counter_recorder *test_x86_lbr_init(void)
{
	static const struct perf_counter_recorder recorder;

	return test_has_recorder ? &recorder : NULL;
}

static bool test_x86_lbr_start(u32 what)
{
	test_recorded = what;
	return false;
}

static void test_x86_lbr_resume(void) { }
static void test_x86_lbr_reset(void) { }
#undef __init
#define __init
#undef __ro_after_init
#define __ro_after_init
#undef arch_initcall
#define arch_initcall(fn)		static const initcall_t test_initcall = (fn)

#include "core.c"
#include "amd.c"
#include "intel.c"

/* Call @fn on a core of the requested type. */
static int test_call(int cpu, smp_call_func_t fn, void *info, int wait)
{
	u8 kind = test_kind;

	test_kind = info == &x86_small ? 0x20 : 0x40;
	fn(info);
	test_kind = kind;
	return 0;
}

/* === Machines === */

enum {
	INTEL_V1, INTEL_V2, INTEL_V4, INTEL_V5, AMD_K8, AMD_BULLDOZER, AMD_ZEN1, HYGON, AMD_ZEN2,
	AMD_ZEN4, AMD_ZEN5, MACHINES
};

#define WIDE	((1ULL << 47) - 1)
#define NARROW	((1ULL << 31) - 1)

static const struct machine machines[MACHINES] = {
	[INTEL_V1] = {
		.name = "Intel architectural counters", .vendor = X86_VENDOR_INTEL, .family = 6,
		.leaf = { 0x07280201 }, .features = { X86_FEATURE_APIC },
		.width = 40, .general = 2, .left = NARROW,
	},
	[INTEL_V2] = {
		.name = "Intel architectural counters", .vendor = X86_VENDOR_INTEL, .family = 6,
		.leaf = { 0x07280202, 0, 0, 0x503 }, .features = { X86_FEATURE_APIC },
		.width = 40, .general = 2, .fixed = 7, .left = NARROW, .global = true,
	},
	[INTEL_V4] = {
		.name = "Intel architectural counters", .vendor = X86_VENDOR_INTEL, .family = 6,
		.leaf = { 0x08300404, 0, 0, 0x603 },
		.features = { X86_FEATURE_APIC, X86_FEATURE_PDCM }, .capabilities = 0x2000,
		.width = 48, .general = 4, .fixed = 7, .left = WIDE, .global = true,
	},
	/* EDX reports one fixed counter, and ECX the third one. */
	[INTEL_V5] = {
		.name = "Intel architectural counters", .vendor = X86_VENDOR_INTEL, .family = 6,
		.leaf = { 0x08300805, 0, 4, 0x601 },
		.features = { X86_FEATURE_APIC, X86_FEATURE_PDCM }, .capabilities = 0x2000,
		.width = 48, .general = 8, .fixed = 5, .left = WIDE, .global = true,
	},
	[AMD_K8] = {
		.name = "AMD K7 counters", .vendor = X86_VENDOR_AMD, .family = 0xf,
		.features = { X86_FEATURE_APIC },
		.width = 48, .general = 4, .left = WIDE,
	},
	[AMD_BULLDOZER] = {
		.name = "AMD core counters", .vendor = X86_VENDOR_AMD, .family = 0x15,
		.features = { X86_FEATURE_APIC, X86_FEATURE_SVM, X86_FEATURE_PERFCTR_CORE },
		.width = 48, .general = 6, .left = WIDE,
	},
	[AMD_ZEN1] = {
		.name = "AMD core counters", .vendor = X86_VENDOR_AMD, .family = 0x17,
		.features = { X86_FEATURE_APIC, X86_FEATURE_SVM, X86_FEATURE_PERFCTR_CORE },
		.width = 48, .general = 6, .left = WIDE,
	},
	[HYGON] = {
		.name = "AMD core counters", .vendor = X86_VENDOR_HYGON, .family = 0x18,
		.features = { X86_FEATURE_APIC, X86_FEATURE_SVM, X86_FEATURE_PERFCTR_CORE },
		.width = 48, .general = 6, .left = WIDE,
	},
	[AMD_ZEN2] = {
		.name = "AMD core counters", .vendor = X86_VENDOR_AMD, .family = 0x17,
		.features = { X86_FEATURE_APIC, X86_FEATURE_SVM, X86_FEATURE_PERFCTR_CORE,
			      X86_FEATURE_ZEN2 },
		.width = 48, .general = 6, .left = WIDE,
	},
	[AMD_ZEN4] = {
		.name = "AMD PerfMonV2 counters", .vendor = X86_VENDOR_AMD, .family = 0x19,
		.leaf = { 1, 6 },
		.features = { X86_FEATURE_APIC, X86_FEATURE_SVM, X86_FEATURE_PERFCTR_CORE,
			      X86_FEATURE_ZEN4, X86_FEATURE_PERFMON_V2 },
		.width = 48, .general = 6, .left = WIDE, .global = true,
	},
	[AMD_ZEN5] = {
		.name = "AMD PerfMonV2 counters", .vendor = X86_VENDOR_AMD, .family = 0x1a,
		.leaf = { 1, 6 },
		.features = { X86_FEATURE_APIC, X86_FEATURE_SVM, X86_FEATURE_PERFCTR_CORE,
			      X86_FEATURE_PERFMON_V2 },
		.width = 48, .general = 6, .left = WIDE, .global = true,
	},
};

/* Initialize the backend on @which. Return whether it found a PMU. */
static bool boot(const struct machine *which)
{
	const unsigned int *feature;
	bool absent = reg.absent;

	machine = which;
	memset(&reg, 0, sizeof(reg));
	reg.absent = absent;
	memset(&x86_counters, 0, sizeof(x86_counters));
	memset(&x86_small, 0, sizeof(x86_small));
	memset(raw_cpu_ptr(&x86_cpu), 0, sizeof(struct x86_cpu));
	cpumask_clear(&x86_ready_cpus);
	cpumask_clear(&x86_large_cpus);
	cpumask_clear(&x86_small_cpus);
	x86_backend.first_cpus = NULL;
	x86_backend.other_cpus = NULL;
	x86_backend.types = 0;
	x86_backend.recorder = NULL;
	test_recorded = 0;
	test_lent = false;
	test_backend = NULL;
	test_nmi = NULL;
	test_now = NSEC_PER_SEC;

	test_cpu.x86_vendor = which->vendor;
	test_cpu.x86 = which->family;
	test_cpu.x86_model = which->model;
	test_cpu.cpuid_level = which->leaf[0] ? 0x16 : 5;
	bitmap_zero(test_features, MAX_CPU_FEATURES);
	for (feature = which->features; *feature; feature++)
		__set_bit(*feature, test_features);
	test_initcall();
	reg.writes = 0;
	reg.reads = 0;
	return test_backend;
}

static int machine_init(struct kunit *test)
{
	reg.absent = false;
	test_foreign = false;
	test_nmi_reason = 0;
	test_svm = false;
	test_kind = 0x40;
	test_small_type = 9;
	test_large_cores = true;
	test_small_cores = true;
	return set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
}

static void machine_exit(struct kunit *test)
{
	/* No test may access a register that its last machine lacks. */
	KUNIT_EXPECT_EQ(test, reg.unknown, 0);
}

/* AMD: tell whether @slot is merged with the next slot. */
static bool has_merged(unsigned int slot)
{
	return machine->vendor != X86_VENDOR_INTEL && slot + 1 < machine->general &&
	       reg.select[slot + 1] == MERGE &&
	       (!machine->global || reg.ctrl & BIT_ULL(slot + 1));
}

/*
 * Count @nr events in slot @slot if the registers enable it. Return whether an NMI is due. A pair
 * overflows when both of its counters pass 0. A counter outside a pair does not count FPU
 * operations.
 */
static bool count(unsigned int slot, u64 nr)
{
	bool merged = slot < FIXED_SLOT(0) && has_merged(slot), carry;
	bool fixed = slot >= FIXED_SLOT(0);
	u64 *counter = fixed ? &reg.fixed[slot - FIXED_SLOT(0)] : &reg.counter[slot];
	u64 bits = fixed ? reg.fixed_ctrl >> 4 * (slot - FIXED_SLOT(0)) : reg.select[slot];
	u64 mask = GENMASK_ULL(machine->width - 1, 0), before = *counter;

	if (machine->global && !(reg.ctrl & BIT_ULL(slot)))
		return false;
	if (fixed ? !(bits & 3) : !(bits & ENABLE))
		return false;
	if (!fixed && bits & HOST_ONLY && !test_svm)
		return false;
	if (!fixed && machine->family >= 0x17 && !merged && (bits & 0xf000000ff) == 0x003)
		return false;
	*counter = (before + nr) & mask;
	carry = before + nr > mask;
	if (merged) {
		reg.counter[slot + 1] += carry;
		carry = reg.counter[slot + 1] > 0xffff;
		reg.counter[slot + 1] &= 0xffff;
	}
	if (!carry || !(bits & (fixed ? 8 : INTERRUPT)))
		return false;
	if (machine->global)
		reg.status |= BIT_ULL(slot);
	if (reg.lvtpc != APIC_DM_NMI)
		return false;
	/* The NMI is delivered; Intel's APICs mask the entry then. */
	if (machine->vendor == X86_VENDOR_INTEL)
		reg.lvtpc |= APIC_LVT_MASKED;
	return true;
}

/* Raise an NMI. Return whether the backend claims it. */
static bool nmi(void)
{
	static struct pt_regs regs;

	guard(irqsave)();
	return test_nmi(0, &regs) != NMI_DONE;
}

/* Tell whether no register of the PMU was accessed since the last call. */
static bool registers_untouched(void)
{
	bool untouched = !reg.writes && !reg.reads && !reg.rdpmcs;

	reg.writes = 0;
	reg.reads = 0;
	reg.rdpmcs = 0;
	return untouched;
}

static struct counter make(u64 config, u64 slots, u64 period)
{
	return (struct counter) {
		.hw = { .config = config | INTERRUPT, .slots = slots, .next = period, .slot = -1,
			.min_left = 2 },
		.period = period,
	};
}

static void disable(void)
{
	guard(irqsave)();
	test_backend->disable();
}

static void enable(void)
{
	guard(irqsave)();
	test_backend->enable();
}

static int add(struct counter *counter)
{
	guard(irqsave)();
	counter->hw.stopped = false;
	return test_backend->add(&counter->hw);
}

static void del(struct counter *counter)
{
	guard(irqsave)();
	test_backend->del(&counter->hw);
}

static u64 read_count(struct counter *counter)
{
	guard(irqsave)();
	return test_backend->read(&counter->hw);
}

static void load(struct counter *counter)
{
	disable();
	add(counter);
	enable();
}

static void unload(struct counter *counter)
{
	disable();
	del(counter);
	enable();
}

static void reset(void)
{
	guard(irqsave)();
	test_backend->reset();
}

/* Return the contents of slot @slot. */
static u64 value_of(unsigned int slot)
{
	return slot >= FIXED_SLOT(0) ? reg.fixed[slot - FIXED_SLOT(0)] : reg.counter[slot];
}

/* Return the contents of a slot that overflows after @left events. */
static u64 overflows_after(u64 left)
{
	return -left & GENMASK_ULL(machine->width - 1, 0);
}

/* === PMUs and events === */

static void machine_is_recognised(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		KUNIT_EXPECT_TRUE_MSG(test, boot(&machines[i]), "machine %u", i);
		KUNIT_EXPECT_STREQ(test, x86_counters.name, machines[i].name);
		KUNIT_EXPECT_EQ(test, x86_counters.slots, (u64)machines[i].fixed << 32 |
				(BIT(machines[i].general) - 1));
		KUNIT_EXPECT_EQ(test, x86_counters.mask, GENMASK_ULL(machines[i].width - 1, 0));
		KUNIT_EXPECT_EQ(test, x86_counters.max_left, machines[i].left);
		KUNIT_EXPECT_EQ(test, !!x86_counters.ctrl, machines[i].global);
		KUNIT_EXPECT_EQ_MSG(test, reg.unknown, 0, "machine %u", i);
		KUNIT_EXPECT_FALSE(test, test_lent);
	}
	/* CPUID may report only two of the six counters. */
	machine = &machines[AMD_ZEN4];
	KUNIT_EXPECT_TRUE(test, boot(&(struct machine) {
		.vendor = X86_VENDOR_AMD, .family = 0x19, .leaf = { 1, 0xfffffff2 },
		.features = { X86_FEATURE_APIC, X86_FEATURE_PERFCTR_CORE, X86_FEATURE_PERFMON_V2 },
		.width = 48, .general = 6, .global = true,
	}));
	KUNIT_EXPECT_EQ(test, x86_counters.slots, 3);
	boot(&machines[INTEL_V1]);
}

static void machine_without_counters_has_no_pmu(struct kunit *test)
{
	struct machine none = machines[INTEL_V4];

	none.leaf[0] = 0x08300400;
	KUNIT_EXPECT_FALSE(test, boot(&none));
	none.leaf[0] = 0x08300004;
	KUNIT_EXPECT_FALSE(test, boot(&none));
	/* CPUID has no leaf 0xA. */
	none.leaf[0] = 0;
	KUNIT_EXPECT_FALSE(test, boot(&none));
	none = machines[INTEL_V4];
	none.features[0] = X86_FEATURE_PDCM;
	KUNIT_EXPECT_FALSE(test, boot(&none));
	none = machines[AMD_K8];
	none.family = 5;
	KUNIT_EXPECT_FALSE(test, boot(&none));
	none = machines[AMD_ZEN4];
	none.leaf[1] = 0;
	KUNIT_EXPECT_FALSE(test, boot(&none));
	none = machines[INTEL_V4];
	none.vendor = X86_VENDOR_CENTAUR;
	KUNIT_EXPECT_FALSE(test, boot(&none));
	/* Under Xen PV, no NMI arrives. */
	none = machines[INTEL_V4];
	none.features[2] = X86_FEATURE_XENPV;
	KUNIT_EXPECT_FALSE(test, boot(&none));

	/* Emulators may report counters in CPUID that do not exist. */
	reg.absent = true;
	KUNIT_EXPECT_FALSE(test, boot(&machines[INTEL_V4]));
	KUNIT_EXPECT_FALSE(test, boot(&machines[AMD_K8]));
	KUNIT_EXPECT_FALSE(test, test_lent);
	/* Counters in use by perf_events exist, and are not probed. */
	test_foreign = true;
	KUNIT_EXPECT_TRUE(test, boot(&machines[AMD_K8]));
}

/* Alder Lake: leaf 0xA reports six counters; large cores have two more. */
static const struct machine alderlake = {
	.name = "Intel architectural counters", .vendor = X86_VENDOR_INTEL, .family = 6,
	.model = 0x97, .leaf = { 0x08300605, 0, 7, 0x0603 },
	.features = { X86_FEATURE_APIC, X86_FEATURE_PDCM, X86_FEATURE_HYBRID_CPU },
	.capabilities = 0x2000, .width = 48, .general = 8, .fixed = 7, .left = WIDE,
	.global = true,
};

/* Each core type has its own counters; an unknown hybrid machine has no PMU. */
static void hybrid_machine_is_recognised(struct kunit *test)
{
	struct machine unknown = alderlake;

	KUNIT_EXPECT_TRUE(test, boot(&alderlake));
	KUNIT_EXPECT_EQ(test, x86_counters.slots, 7ULL << 32 | 0xff);
	KUNIT_EXPECT_EQ(test, x86_small.slots, 7ULL << 32 | 0x3f);
	KUNIT_EXPECT_EQ(test, test_backend->types, BIT(9));
	KUNIT_EXPECT_PTR_EQ(test, test_backend->first_cpus, &x86_large_cpus);
	KUNIT_EXPECT_PTR_EQ(test, test_backend->other_cpus, &x86_small_cpus);
	/* Small cores may be switched off. */
	test_small_cores = false;
	KUNIT_EXPECT_TRUE(test, boot(&alderlake));
	KUNIT_EXPECT_EQ(test, x86_counters.slots, 7ULL << 32 | 0xff);
	KUNIT_EXPECT_EQ(test, x86_small.slots, 0);
	KUNIT_EXPECT_PTR_EQ(test, test_backend->other_cpus, NULL);
	/* Without large cores there is no PMU. */
	test_small_cores = true;
	test_large_cores = false;
	KUNIT_EXPECT_FALSE(test, boot(&alderlake));
	/* There is no PMU if the small cores have no usable type, or if the model is unknown. */
	test_large_cores = true;
	test_small_type = -1;
	KUNIT_EXPECT_FALSE(test, boot(&alderlake));
	test_small_type = 32;
	KUNIT_EXPECT_FALSE(test, boot(&alderlake));
	test_small_type = 9;
	unknown.model = 1;
	KUNIT_EXPECT_FALSE(test, boot(&unknown));
	KUNIT_EXPECT_EQ(test, x86_small.slots, 0);
	KUNIT_EXPECT_FALSE(test, test_lent);
}

/* Lunar Lake: leaf 0x23 reports ten counters of a large core and eight of a small one. */
static const struct machine lunarlake = {
	.name = "Intel architectural counters", .vendor = X86_VENDOR_INTEL, .family = 6,
	.model = 0xbd, .leaf = { 0x08300806, 0, 7, 0x0603 },
	.features = { X86_FEATURE_APIC, X86_FEATURE_PDCM, X86_FEATURE_HYBRID_CPU,
		      X86_FEATURE_ARCH_PERFMON_EXT },
	.capabilities = 0x2000, .width = 48, .general = 10, .fixed = 7, .left = WIDE,
	.large = 0x3ff, .small = 0xff, .global = true,
};

static int event(u32 type, u64 config, struct perf_counter_hw *hw)
{
	const struct perf_counter_attr attr = { .type = type, .config = config };

	memset(hw, 0, sizeof(*hw));
	return test_backend->event_init(&attr, hw);
}

/*
 * Codes of the generic events in the order of their numbers, from cycles to reference cycles; 0:
 * the machine lacks the event.
 */
static const u64 generic_codes[MACHINES][10] = {
	[INTEL_V1]	= { 0x3c, 0xc0, 0x4f2e, 0x412e, 0xc4, 0xc5, 0x13c, 0, 0, 0 },
	[INTEL_V2]	= { 0x3c, 0xc0, 0x4f2e, 0x412e, 0xc4, 0xc5, 0x13c, 0, 0, 0x300 },
	[INTEL_V4]	= { 0x3c, 0xc0, 0x4f2e, 0x412e, 0xc4, 0xc5, 0x13c, 0, 0, 0x300 },
	[INTEL_V5]	= { 0x3c, 0xc0, 0x4f2e, 0x412e, 0xc4, 0xc5, 0x13c, 0, 0, 0x300 },
	[AMD_K8]	= { 0x76, 0xc0, 0x77d, 0x77e, 0xc2, 0xc3, 0, 0xd0, 0xd1, 0 },
	[AMD_BULLDOZER]	= { 0x76, 0xc0, 0x77d, 0x77e, 0xc2, 0xc3, 0, 0xd0, 0xd1, 0 },
	[AMD_ZEN1]	= { 0x76, 0xc0, 0xff60, 0x964, 0xc2, 0xc3, 0, 0x287, 0x187, 0 },
	[HYGON]		= { 0x76, 0xc0, 0xff60, 0x964, 0xc2, 0xc3, 0, 0x287, 0x187, 0 },
	[AMD_ZEN2]	= { 0x76, 0xc0, 0xff60, 0x964, 0xc2, 0xc3, 0, 0xa9, 0, 0 },
	[AMD_ZEN4]	= { 0x76, 0xc0, 0xff60, 0x964, 0xc2, 0xc3, 0, 0xa9, 0, 0x100000120 },
	[AMD_ZEN5]	= { 0x76, 0xc0, 0xff60, 0x964, 0xc2, 0xc3, 0, 0xa9, 0, 0x100000120 },
};

static void generic_event_is_encoded(struct kunit *test)
{
	struct perf_counter_hw hw;
	unsigned int i, number;
	u64 code;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		for (number = 0; number < 10; number++) {
			code = generic_codes[i][number];
			KUNIT_EXPECT_EQ_MSG(test, event(PERF_TYPE_HARDWARE, number, &hw),
					    code ? 0 : -ENOENT, "event %u of machine %u",
					    number, i);
			if (code)
				KUNIT_EXPECT_EQ_MSG(test, hw.config,
						    code | USER | KERNEL | INTERRUPT,
						    "event %u of machine %u", number, i);
		}
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, 10, &hw), -EINVAL);
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, BIT_ULL(32), &hw), -EINVAL);
	}
}

/*
 * EBX first reports that cache misses and branch misses are missing; then EAX reports only three
 * events.
 */
static void missing_event_is_refused(struct kunit *test)
{
	const u64 bpu_miss = PERF_COUNT_HW_CACHE_BPU | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
	const u64 ll_access = PERF_COUNT_HW_CACHE_LL;
	struct machine poor = machines[INTEL_V4];
	struct perf_counter_hw hw;

	poor.leaf[1] = BIT(4) | BIT(6);
	boot(&poor);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, &hw), -ENOENT);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, &hw), -ENOENT);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, &hw), 0);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, &hw),
			0);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, bpu_miss, &hw), -ENOENT);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, ll_access, &hw), 0);

	poor.leaf[0] = 0x03300404;
	poor.leaf[1] = 0;
	boot(&poor);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, &hw), 0);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, &hw),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, ll_access, &hw), -ENOENT);
}

/* Cache events in the format of attr.config, and their codes. */
static void cache_event_is_encoded(struct kunit *test)
{
	static const struct {
		u64	config;
		u64	intel;
		u64	k7;
		u64	zen;
	} table[] = {
		{ 0x00000, 0, 0, 0x0040 },		/* L1d: read */
		{ 0x10000, 0, 0, 0xc860 },		/* L1d: read misses */
		{ 0x00200, 0, 0, 0xff5a },		/* L1d: prefetch */
		{ 0x00001, 0, 0, 0x0080 },		/* L1i */
		{ 0x10001, 0, 0, 0x0081 },
		{ 0x00002, 0x4f2e, 0, 0 },		/* last level */
		{ 0x10002, 0x412e, 0, 0 },
		{ 0x00003, 0, 0, 0xff45 },		/* dTLB */
		{ 0x10003, 0, 0, 0xf045 },
		{ 0x00004, 0, 0, 0x0084 },		/* iTLB */
		{ 0x10004, 0, 0, 0xff85 },
		{ 0x00005, 0x00c4, 0x00c2, 0x00c2 },	/* branch prediction */
		{ 0x10005, 0x00c5, 0x00c3, 0x00c3 },
	};
	unsigned int i, row, config, supported, expected;
	struct perf_counter_hw hw;
	u64 code;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		expected = 0;
		for (row = 0; row < ARRAY_SIZE(table); row++) {
			code = i < AMD_K8 ? table[row].intel :
			       i < AMD_ZEN1 ? table[row].k7 : table[row].zen;
			expected += !!code;
			KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, table[row].config, &hw),
					code ? 0 : -ENOENT);
			if (code)
				KUNIT_EXPECT_EQ(test, hw.config, code | USER | KERNEL | INTERRUPT);
		}
		/* No other cache event is supported. */
		supported = 0;
		for (config = 0; config < 0x20000; config++) {
			if ((config & 0xff) < 7 && (config >> 8 & 0xff) < 3)
				supported += !event(PERF_TYPE_HW_CACHE, config, &hw);
		}
		KUNIT_EXPECT_EQ_MSG(test, supported, expected, "machine %u", i);
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, 0x00007, &hw), -EINVAL);
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, 0x00300, &hw), -EINVAL);
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, 0x20000, &hw), -EINVAL);
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, 0x1000005, &hw), -EINVAL);
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, BIT_ULL(40), &hw), -EINVAL);
	}
}

/*
 * A raw event may set event, unit mask, edge, invert and counter mask; AMD has four more bits of
 * the event. The event in this test can use all counters with any of the bits.
 */
static void raw_event_may_set_only_its_bits(struct kunit *test)
{
	const u64 allowed = GENMASK_ULL(15, 0) | EDGE | INVERT | CMASK;
	const u64 ignored = USER | KERNEL | INTERRUPT | ENABLE;
	const u64 some = 0x5a;
	struct perf_counter_hw hw;
	unsigned int i, bit;
	u64 mask;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		mask = allowed | (i < AMD_K8 ? 0 : GENMASK_ULL(35, 32));
		for (bit = 0; bit < 64; bit++)
			KUNIT_EXPECT_EQ_MSG(test, event(PERF_TYPE_RAW, some | BIT_ULL(bit), &hw),
					    (mask | ignored) & BIT_ULL(bit) ? 0 : -EINVAL,
					    "bit %u on machine %u", bit, i);
		mask = (mask & ~0xffULL) | some;
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_RAW, mask | ignored, &hw), 0);
		KUNIT_EXPECT_EQ(test, hw.config, mask | USER | KERNEL | INTERRUPT);
	}
}

/*
 * Fixed counters count instructions, cycles and reference cycles, but not with conditions such as
 * edges.
 */
static void fixed_counters_count_their_event(struct kunit *test)
{
	static const struct {
		u64	code;
		int	fixed;
	} table[] = {
		{ 0x00c0, 0 }, { 0x003c, 1 }, { 0x0300, 2 },
		{ 0x01c0, -1 }, { 0x013c, -1 }, { 0x00c4, -1 },
		{ 0x00c0 | EDGE, -1 }, { 0x003c | INVERT, -1 }, { 0x00c0 | BIT(24), -1 },
		{ 0x003c | EDGE | BIT(24), -1 },
	};
	struct perf_counter_hw hw;
	unsigned int i, row;
	u64 general, fixed;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		general = BIT(machines[i].general) - 1;
		for (row = 0; row < ARRAY_SIZE(table); row++) {
			/* On AMD, the third code is an event of the FPU. */
			if (row == 2 && i >= AMD_K8)
				continue;
			fixed = table[row].fixed < 0 ? 0 :
				(u64)(machines[i].fixed & BIT(table[row].fixed)) << 32;
			/* General counters do not count reference cycles. */
			if (row == 2)
				general = 0;
			KUNIT_EXPECT_EQ(test, event(PERF_TYPE_RAW, table[row].code, &hw),
					fixed | general ? 0 : -EINVAL);
			KUNIT_EXPECT_EQ_MSG(test, hw.slots, fixed | general,
					    "machine %u, row %u", i, row);
			general = BIT(machines[i].general) - 1;
		}
	}
}

/* Initialize the backend on a machine of this family and model. */
static bool boot_model(u8 family, u8 model, unsigned int general)
{
	static struct machine some;

	if (family == 6) {
		some = machines[INTEL_V4];
		some.leaf[0] = 0x08300004 | general << 8;
	} else {
		some = machines[family < 0x15 ? AMD_K8 : family < 0x17 ? AMD_BULLDOZER : AMD_ZEN1];
	}
	some.family = family;
	some.model = model;
	some.general = general;
	return boot(&some);
}

#define FIXED_0		BIT_ULL(X86_FIXED_SLOT)
#define FIXED_2		BIT_ULL(X86_FIXED_SLOT + 2)

/*
 * Events can be put only on counters that count them, which depends on the model: elsewhere they
 * would count 0.
 */
static void models_count_events_on_the_right_slots(struct kunit *test)
{
	static const struct {
		u8	family;
		u8	model;
		u8	general;
		u64	code;
		u64	slots;
	} table[] = {
		/* Core 2 */
		{ 6, 0x0f, 2, 0x0010, 0x1 }, { 6, 0x17, 2, 0x0012, 0x2 },
		{ 6, 0x1d, 2, 0x02cb, 0x1 },
		{ 6, 0x0f, 2, 0x01c2, 0x3 },
		/* Nehalem, Westmere */
		{ 6, 0x1a, 4, 0x0143, 0x3 }, { 6, 0x1e, 4, 0x0151, 0x3 }, { 6, 0x1a, 4, 0x01b7, 0 },
		{ 6, 0x1a, 4, 0x100b, 0 }, { 6, 0x1a, 4, 0x010b, 0xf }, { 6, 0x2c, 4, 0x0160, 0x1 },
		{ 6, 0x25, 4, 0x01bb, 0 }, { 6, 0x2f, 4, 0x0140, 0xf },
		{ 6, 0x1a, 4, 0x014c, 0x3 }, { 6, 0x1e, 4, 0x0152, 0x3 },
		{ 6, 0x2e, 4, 0x0153, 0x3 }, { 6, 0x25, 4, 0x014c, 0x3 },
		{ 6, 0x2c, 4, 0x014e, 0x3 }, { 6, 0x2f, 4, 0x0152, 0x3 },
		{ 6, 0x2c, 4, 0x0153, 0xf },
		/* Sandy Bridge, Ivy Bridge */
		{ 6, 0x2a, 4, 0x0148, 0x4 }, { 6, 0x2d, 4, 0x02a3, 0x4 },
		{ 6, 0x2a, 4, 0x04a3, 0xf },
		{ 6, 0x2a, 4, 0x01c0, 0x2 }, { 6, 0x2a, 4, 0x02cd, 0x8 }, { 6, 0x2a, 4, 0x01cd, 0 },
		{ 6, 0x3a, 4, 0x0ca3, 0x4 }, { 6, 0x3e, 4, 0x0248, 0xf },
		{ 6, 0x3a, 4, 0x02cd, 0x8 }, { 6, 0x3e, 4, 0x01cd, 0 },
		/* Haswell, Broadwell */
		{ 6, 0x3c, 4, 0x0148, 0x4 }, { 6, 0x45, 4, 0x08a3, 0x4 }, { 6, 0x3f, 4, 0x01b7, 0 },
		{ 6, 0x3d, 4, 0x0ca3, 0x4 }, { 6, 0x4f, 4, 0x04a3, 0xf },
		{ 6, 0x56, 4, 0x81d0, 0xf }, { 6, 0x3d, 4, 0x01c0, 0x2 },
		/* Skylake */
		{ 6, 0x5e, 8, 0x81d0, 0xf }, { 6, 0x55, 8, 0x01c0, 0x2 }, { 6, 0x9e, 8, 0x01c6, 0 },
		{ 6, 0x5e, 4, 0xa8001c0, 0xd },
		{ 6, 0x8e, 8, 0x0151, 0xff }, { 6, 0xa5, 8, 0x02cd, 0xf },
		{ 6, 0x5e, 8, 0x0100, 0 },
		/* Ice Lake */
		{ 6, 0x7e, 8, 0x0148, 0xf }, { 6, 0x6a, 8, 0x0156, 0xf },
		{ 6, 0x7e, 8, 0x0157, 0xff },
		{ 6, 0x7e, 8, 0x0160, 0xf }, { 6, 0x7e, 8, 0x018b, 0xf },
		{ 6, 0x7e, 8, 0x02b7, 0xf },
		{ 6, 0x7e, 8, 0x01bd, 0xf }, { 6, 0x7e, 8, 0x01be, 0xff },
		{ 6, 0x7e, 8, 0x20d1, 0xf },
		{ 6, 0x7e, 8, 0x01e6, 0xf }, { 6, 0x7e, 8, 0x01e7, 0xff },
		{ 6, 0x7e, 8, 0x04a3, 0xff },
		{ 6, 0x7e, 8, 0x01a3, 0xf }, { 6, 0x8c, 8, 0x01b7, 0 },
		{ 6, 0xa7, 8, 0x01c0, FIXED_0 }, { 6, 0x7e, 8, 0x0100, FIXED_0 },
		/* INST_RETIRED.STALL_CYCLES; offcore responses are refused even with a condition */
		{ 6, 0x7e, 8, 0x18001c0, 0xff }, { 6, 0x7e, 8, 0x10001b7, 0 },
		{ 6, 0x7e, 8, 0x1000100, 0 }, { 6, 0x7e, 8, 0x00c0, FIXED_0 | 0xff },
		{ 6, 0x7e, 8, 0x10000c0, 0xff },
		/* Golden Cove */
		{ 6, 0x8f, 8, 0x0151, 0xf }, { 6, 0xcf, 8, 0x4f2e, 0xff },
		{ 6, 0xad, 8, 0x01c2, 0xff },
		{ 6, 0x8f, 8, 0x04a4, 0x1 }, { 6, 0x8f, 8, 0x01a4, 0xff },
		{ 6, 0x8f, 8, 0x012a, 0 }, { 6, 0x8f, 8, 0x0100, FIXED_0 },
		{ 6, 0x8f, 8, 0x01c0, 0xff },
		{ 6, 0x8f, 8, 0x20d1, 0xf }, { 6, 0x8f, 8, 0x013c, FIXED_2 | 0xff },
		{ 6, 0x8f, 8, 0x100013c, 0xff },
		{ 6, 0x8f, 8, 0x50005a3, 0xf }, { 6, 0xad, 8, 0x60006a3, 0xf },
		{ 6, 0xcf, 8, 0xc000ca3, 0xf }, { 6, 0x8f, 8, 0x04a3, 0xff },
		/* Small cores, and unknown models */
		{ 6, 0x5c, 4, 0x81d0, 0xf }, { 6, 0x37, 2, 0x02b7, 0 },
		{ 6, 0xbe, 6, 0x013c, FIXED_2 | 0x3f }, { 6, 0x5c, 4, 0x013c, 0xf },
		{ 6, 0xbe, 6, 0x0127, 0x3f }, { 6, 0xaf, 8, 0x0127, 0 }, { 6, 0xb6, 8, 0x0227, 0 },
		{ 6, 0xaf, 8, 0x0427, 0xff }, { 6, 0xaf, 8, 0x05d0, 0 },
		{ 6, 0x01, 8, 0x0148, 0xff },
		{ 6, 0x01, 8, 0x01b7, 0xff },
		/* Event number 0 is used by metrics, by slots, and for no event: all are refused */
		{ 6, 0x8f, 8, 0x8000, 0 }, { 6, 0x7e, 8, 0x0400, 0 }, { 6, 0x01, 8, 0x0000, 0 },
		{ 6, 0x01, 8, 0x0200, 0 },
		/*
		 * K8 and family 10h refuse events of the north bridge; family 15h decides by unit
		 */
		{ 0x0f, 5, 4, 0x00e0, 0 }, { 0x10, 2, 4, 0x03e9, 0 }, { 0x10, 2, 4, 0x00c0, 0xf },
		{ 0x15, 2, 6, 0x0000, 0x38 }, { 0x15, 2, 6, 0xff00, 0x08 },
		{ 0x15, 2, 6, 0x0104, 0x38 },
		{ 0x15, 2, 6, 0x0304, 0x08 }, { 0x15, 2, 6, 0x0003, 0x08 },
		{ 0x15, 2, 6, 0x0045, 0x07 },
		{ 0x15, 2, 6, 0x002d, 0x08 }, { 0x15, 2, 6, 0x002e, 0x09 },
		{ 0x15, 2, 6, 0x0131, 0x07 },
		{ 0x15, 2, 6, 0x0331, 0 }, { 0x15, 2, 6, 0x00c0, 0x3f },
		{ 0x15, 2, 6, 0x1000000c0, 0x38 },
		{ 0x15, 2, 6, 0x007d, 0x07 }, { 0x15, 2, 6, 0x008f, 0x01 },
		{ 0x15, 2, 6, 0x00dc, 0x3f },
		{ 0x15, 2, 6, 0x00d1, 0x07 }, { 0x15, 2, 6, 0x00e0, 0 }, { 0x15, 2, 6, 0x00a0, 0 },
		/* Zen: events that need a pair */
		{ 0x17, 1, 6, 0xff03, 0x15 }, { 0x17, 1, 6, 0x0f02, 0x3f },
		{ 0x19, 1, 6, 0x1003, 0x15 },
		{ 0x17, 1, 6, 0x100000003, 0x3f },
	};
	struct perf_counter_hw hw;
	unsigned int row;

	for (row = 0; row < ARRAY_SIZE(table); row++) {
		KUNIT_ASSERT_TRUE(test, boot_model(table[row].family, table[row].model,
						   table[row].general));
		KUNIT_EXPECT_EQ_MSG(test, event(PERF_TYPE_RAW, table[row].code, &hw),
				    table[row].slots ? 0 : -EINVAL, "row %u, %llx", row,
				    table[row].code);
		KUNIT_EXPECT_EQ_MSG(test, hw.slots, table[row].slots, "row %u, %llx", row,
				    table[row].code);
	}
}

static void golden_cove_has_more_slots_for_ref_cycles(struct kunit *test)
{
	struct perf_counter_hw hw;

	KUNIT_ASSERT_TRUE(test, boot_model(6, 0x7e, 8));
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, &hw), 0);
	KUNIT_EXPECT_EQ(test, hw.slots, FIXED_2);
	/* From Golden Cove on, general counters count reference cycles, too. */
	KUNIT_ASSERT_TRUE(test, boot_model(6, 0x8f, 8));
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, &hw), 0);
	KUNIT_EXPECT_EQ(test, hw.slots, FIXED_2 | 0xff);
}

/* Core types in the upper half of a generic event's config. */
#define CORE	(4ULL << 32)
#define ATOM	(9ULL << 32)

/* A generic event that names no core type is for both types, with the code of each type. */
static void hybrid_event_is_for_the_named_core_type(struct kunit *test)
{
	enum { l1i_miss = 0x10001, l1d_miss = 0x10000 };
	static const struct {
		u32	type;
		u64	config;
		int	err;
		u64	code;
		u64	slots;
		u64	other_code;
		u64	other_slots;
	} table[] = {
		{ PERF_TYPE_HARDWARE, 1, 0, 0xc0, FIXED_0 | 0xff, 0xc0, FIXED_0 | 0x3f },
		{ PERF_TYPE_HARDWARE, CORE | 1, 0, 0xc0, FIXED_0 | 0xff, 0, 0 },
		{ PERF_TYPE_HARDWARE, ATOM | 1, 0, 0, 0, 0xc0, FIXED_0 | 0x3f },
		{ PERF_TYPE_HARDWARE, 5ULL << 32 | 1, -ENOENT },
		{ PERF_TYPE_HARDWARE, 10, -EINVAL },
		{ PERF_TYPE_HARDWARE, ATOM | 10, -EINVAL },
		{ PERF_TYPE_HW_CACHE, l1i_miss, 0, 0xe424, 0xf, 0x0280, 0x3f },
		{ PERF_TYPE_HW_CACHE, CORE | l1i_miss, 0, 0xe424, 0xf, 0, 0 },
		{ PERF_TYPE_HW_CACHE, ATOM | l1i_miss, 0, 0, 0, 0x0280, 0x3f },
		/* Gracemont lacks this event. */
		{ PERF_TYPE_HW_CACHE, l1d_miss, -ENOENT },
		{ PERF_TYPE_HW_CACHE, CORE | l1d_miss, 0, 0xe124, 0xf, 0, 0 },
		{ PERF_TYPE_HW_CACHE, ATOM | l1d_miss, -ENOENT },
		{ PERF_TYPE_RAW, 0x0148, 0, 0x0148, 0xf, 0, 0 },
		{ 9, 0x0148, 0, 0, 0, 0x0148, 0x3f },
		{ 9, 0x05d0, -EINVAL },
		{ 9, 0x0100, -EINVAL },
		{ PERF_TYPE_RAW, ATOM | 0x0148, -EINVAL },
	};
	const u64 modes = USER | KERNEL | INTERRUPT;
	struct perf_counter_hw hw;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, boot(&alderlake));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		KUNIT_EXPECT_EQ_MSG(test, event(table[i].type, table[i].config, &hw),
				    table[i].err, "row %u", i);
		if (table[i].err)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, hw.slots, table[i].slots, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, hw.other_slots, table[i].other_slots, "row %u", i);
		if (hw.slots)
			KUNIT_EXPECT_EQ_MSG(test, hw.config, table[i].code | modes, "row %u", i);
		if (hw.other_slots)
			KUNIT_EXPECT_EQ_MSG(test, hw.other_config, table[i].other_code | modes,
					    "row %u", i);
	}
	/* Without small cores their type is invalid. */
	KUNIT_ASSERT_TRUE(test, boot(&machines[INTEL_V4]));
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, ATOM | 1, &hw), -EINVAL);
}

/* Newer hybrid CPUs: check the slots of an event on large and on small cores. */
static void newer_hybrids_count_on_the_right_slots(struct kunit *test)
{
	static const struct {
		u8	model;
		u64	code;
		u64	slots;
		u64	other_slots;
	} table[] = {
		/* Lunar Lake, Arrow Lake */
		{ 0xbd, 0x00c4, 0x3ff, 0xff }, { 0xbd, 0x0148, 0x4, 0xff },
		{ 0xbd, 0x0248, 0x3ff, 0xff }, { 0xbd, 0x0120, 0xf, 0xff },
		{ 0xbd, 0x81d0, 0xf, 0xff }, { 0xbd, 0x87d0, 0x3ff, 0xff },
		{ 0xbd, 0x02cd, 0x3, 0xff }, { 0xbd, 0x01cd, 0, 0xff },
		{ 0xbd, 0x10a4, 0x8, 0xff }, { 0xbd, 0x01b1, 0x8, 0xff },
		{ 0xbd, 0x012a, 0, 0xff }, { 0xbd, 0x0127, 0x3ff, 0 },
		{ 0xbd, 0x01b7, 0x3ff, 0 }, { 0xbd, 0x05d0, 0xf, 0 },
		{ 0xbd, 0x013c, FIXED_2 | 0x3ff, FIXED_2 | 0xff },
		{ 0xc6, 0x0175, 0x4, 0xff }, { 0xc6, 0x0227, 0x3ff, 0 },
		/* Arrow Lake-U has Meteor Lake's cores. */
		{ 0xb5, 0x0148, 0xf, 0xff }, { 0xb5, 0x0127, 0xf, 0 },
		{ 0xaa, 0x0227, 0xf, 0 },
	};
	struct machine hybrid = lunarlake;
	struct perf_counter_hw hw;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, boot(&lunarlake));
	KUNIT_EXPECT_EQ(test, x86_counters.slots, 7ULL << 32 | 0x3ff);
	KUNIT_EXPECT_EQ(test, x86_small.slots, 7ULL << 32 | 0xff);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		hybrid.model = table[i].model;
		hybrid.large = hybrid.model == 0xb5 || hybrid.model == 0xaa ? 0xff : 0x3ff;
		KUNIT_ASSERT_TRUE(test, boot(&hybrid));
		KUNIT_EXPECT_EQ_MSG(test, event(PERF_TYPE_RAW, table[i].code, &hw),
				    table[i].slots ? 0 : -EINVAL, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, hw.slots, table[i].slots, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, event(9, table[i].code, &hw),
				    table[i].other_slots ? 0 : -EINVAL, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, hw.other_slots, table[i].other_slots, "row %u", i);
	}
}

/* Arrow Lake-H has three core types, which share the counters of leaf 0xA. */
static void three_core_types_are_driven_as_one(struct kunit *test)
{
	struct machine three = lunarlake;
	struct perf_counter_hw hw;

	three.model = 0xc5;
	three.general = 8;
	test_small_type = -1;
	KUNIT_ASSERT_TRUE(test, boot(&three));
	KUNIT_EXPECT_EQ(test, x86_counters.slots, 7ULL << 32 | 0xff);
	KUNIT_EXPECT_EQ(test, x86_small.slots, 0);
	KUNIT_EXPECT_EQ(test, test_backend->types, 0);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, &hw), 0);
	KUNIT_EXPECT_EQ(test, hw.slots, FIXED_0 | 0xff);
	/*
	 * An event uses Lion Cove's slots; it is refused if any of the types needs an extra
	 * register.
	 */
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_RAW, 0x0148, &hw), 0);
	KUNIT_EXPECT_EQ(test, hw.slots, 0x4);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_RAW, 0x0127, &hw), -EINVAL);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_RAW, 0x012a, &hw), -EINVAL);
	KUNIT_EXPECT_EQ(test, event(PERF_TYPE_HW_CACHE, 0x10001, &hw), -ENOENT);
}

/* A core that comes online uses the events and counters of its type. */
static void hybrid_core_uses_events_of_its_type(struct kunit *test)
{
	const u64 l1i_miss = 0x10001;
	struct counter counter = {}, others[7] = {};
	struct machine small = alderlake;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, boot(&alderlake));
	KUNIT_ASSERT_EQ(test, event(PERF_TYPE_HW_CACHE, l1i_miss, &counter.hw), 0);
	counter.hw.slot = -1;
	local_irq_disable();
	test_backend->reset();
	load(&counter);
	KUNIT_EXPECT_EQ(test, reg.select[0] & 0xffff, 0xe424);
	unload(&counter);
	/* Go on with a small core, which has six counters. */
	small.general = 6;
	machine = &small;
	test_kind = 0x20;
	test_backend->reset();
	counter.hw.slot = -1;
	load(&counter);
	KUNIT_EXPECT_EQ(test, reg.select[0] & 0xffff, 0x0280);
	for (i = 0; i < 7; i++) {
		others[i].hw = counter.hw;
		others[i].hw.slot = -1;
		x86_disable();
		KUNIT_EXPECT_EQ_MSG(test, x86_add(&others[i].hw), i < 5 ? 0 : -ENOSPC, "%u", i);
		x86_enable();
	}
	x86_disable();
	test_backend->set_user_access(true);
	x86_enable();
	KUNIT_EXPECT_EQ(test, reg.unknown, 0);
	x86_disable();
	for (i = 0; i < 5; i++)
		x86_del(&others[i].hw);
	x86_del(&counter.hw);
	test_backend->set_user_access(false);
	test_backend->reset();
	/* Return to a large core. */
	machine = &alderlake;
	test_kind = 0x40;
	test_backend->reset();
	local_irq_enable();
}

/* If no small core was online at boot, a small core that comes online later counts nothing. */
static void small_core_missing_at_boot_counts_nothing(struct kunit *test)
{
	struct counter counter;

	test_small_cores = false;
	KUNIT_ASSERT_TRUE(test, boot(&alderlake));
	counter = make(0, 0, 1000);
	KUNIT_ASSERT_EQ(test, event(PERF_TYPE_RAW, 0x01c4, &counter.hw), 0);
	counter.hw.slot = -1;
	test_kind = 0x20;
	reset();
	registers_untouched();
	disable();
	KUNIT_EXPECT_EQ(test, add(&counter), -ENOSPC);
	enable();
	KUNIT_EXPECT_TRUE(test, registers_untouched());
	/* On a large core the counter counts. */
	test_kind = 0x40;
	reset();
	disable();
	KUNIT_EXPECT_EQ(test, add(&counter), 0);
	enable();
	count(counter.hw.slot, 5);
	KUNIT_EXPECT_EQ(test, read_count(&counter), 5);
	unload(&counter);
	reset();
}

static void cache_events_depend_on_the_model(struct kunit *test)
{
	static const struct {
		u8	model;
		u64	config;
		u64	code;
	} table[] = {
		{ 0x1a, 0x00000, 0x010b }, { 0x1a, 0x00003, 0x0f40 }, { 0x2c, 0x00003, 0x010b },
		{ 0x2a, 0x00100, 0xf2d0 }, { 0x3c, 0x00004, 0x6085 }, { 0x3d, 0x10004, 0x0185 },
		{ 0x2a, 0x10003, 0x0108 }, { 0x3a, 0x10003, 0x8108 }, { 0x3e, 0x10003, 0x8108 },
		{ 0x3a, 0x10103, 0x0149 },
		{ 0x5e, 0x10001, 0x0283 }, { 0x5e, 0x00004, 0x2085 }, { 0x7e, 0x00004, 0 },
		{ 0x7e, 0x10103, 0x0e49 }, { 0x8f, 0x10000, 0xe124 }, { 0x8f, 0x10005, 0x04c5 },
		{ 0x8f, 0x00002, 0x4f2e }, { 0x5e, 0x10002, 0x412e }, { 0x5c, 0x00000, 0 },
		{ 0x5c, 0x00005, 0x00c4 }, { 0x01, 0x00000, 0 },
	};
	struct perf_counter_hw hw;
	unsigned int row;

	for (row = 0; row < ARRAY_SIZE(table); row++) {
		KUNIT_ASSERT_TRUE(test, boot_model(6, table[row].model, 4));
		KUNIT_EXPECT_EQ_MSG(test, event(PERF_TYPE_HW_CACHE, table[row].config, &hw),
				    table[row].code ? 0 : -ENOENT, "row %u", row);
		if (table[row].code)
			KUNIT_EXPECT_EQ_MSG(test, hw.config,
					    table[row].code | USER | KERNEL | INTERRUPT, "row %u",
					    row);
	}
}

/* Errata raise the fewest events after which a counter may overflow, usually two. */
static void minimal_period_depends_on_the_model(struct kunit *test)
{
	static const struct {
		u8	model;
		u64	code;
		u16	left;
	} table[] = {
		{ 0x01, 0x01c0, 2 }, { 0x1a, 0x01c2, 32 }, { 0x2c, 0x01c2, 2 },
		{ 0x3c, 0x01c2, 32 },
		{ 0x3c, 0x01c0, 128 }, { 0x3d, 0x01c2, 2 }, { 0x4f, 0x01c0, 128 },
		{ 0x5e, 0x01c0, 2 },
	};
	struct perf_counter_hw hw;
	struct machine aborts = machines[INTEL_V4];
	unsigned int row;

	for (row = 0; row < ARRAY_SIZE(table); row++) {
		KUNIT_ASSERT_TRUE(test, boot_model(6, table[row].model, 4));
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_RAW, table[row].code, &hw), 0);
		KUNIT_EXPECT_EQ_MSG(test, hw.min_left, table[row].left, "row %u", row);
	}
	/* Microcode uses one of the four counters for transactions. */
	aborts.features[2] = X86_FEATURE_TSX_FORCE_ABORT;
	aborts.general = 3;
	KUNIT_ASSERT_TRUE(test, boot(&aborts));
	KUNIT_EXPECT_EQ(test, x86_counters.slots, 0x700000007);
	/* Where transactions always abort, microcode leaves the counter free. */
	aborts.features[3] = X86_FEATURE_RTM_ALWAYS_ABORT;
	aborts.general = 4;
	KUNIT_ASSERT_TRUE(test, boot(&aborts));
	KUNIT_EXPECT_EQ(test, x86_counters.slots, 0x70000000f);
}

static void excluded_modes_are_not_counted(struct kunit *test)
{
	struct perf_counter_attr attr = { .type = PERF_TYPE_HARDWARE, .exclude_user = 1 };
	struct perf_counter_hw hw;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		attr = (struct perf_counter_attr) { .type = PERF_TYPE_HARDWARE, .exclude_user = 1 };
		KUNIT_EXPECT_EQ(test, test_backend->event_init(&attr, &hw), 0);
		KUNIT_EXPECT_EQ(test, hw.config & (USER | KERNEL), KERNEL);
		attr.exclude_user = 0;
		attr.exclude_kernel = 1;
		KUNIT_EXPECT_EQ(test, test_backend->event_init(&attr, &hw), 0);
		KUNIT_EXPECT_EQ(test, hw.config & (USER | KERNEL), USER);
		attr.exclude_guest = 1;
		KUNIT_EXPECT_EQ(test, test_backend->event_init(&attr, &hw), 0);
		KUNIT_EXPECT_EQ(test, hw.config & GUEST_ONLY, 0);
		attr.exclude_host = 1;
		KUNIT_EXPECT_EQ(test, test_backend->event_init(&attr, &hw), -EINVAL);
		attr.exclude_guest = 0;
		KUNIT_EXPECT_EQ(test, test_backend->event_init(&attr, &hw),
				i > AMD_K8 ? 0 : -EOPNOTSUPP);
		if (i > AMD_K8)
			KUNIT_EXPECT_EQ(test, hw.config & GUEST_ONLY, GUEST_ONLY);
	}
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(machine_is_recognised),
	KUNIT_CASE(machine_without_counters_has_no_pmu),
	KUNIT_CASE(hybrid_machine_is_recognised),
	KUNIT_CASE(generic_event_is_encoded),
	KUNIT_CASE(missing_event_is_refused),
	KUNIT_CASE(cache_event_is_encoded),
	KUNIT_CASE(raw_event_may_set_only_its_bits),
	KUNIT_CASE(fixed_counters_count_their_event),
	KUNIT_CASE(models_count_events_on_the_right_slots),
	KUNIT_CASE(golden_cove_has_more_slots_for_ref_cycles),
	KUNIT_CASE(hybrid_event_is_for_the_named_core_type),
	KUNIT_CASE(newer_hybrids_count_on_the_right_slots),
	KUNIT_CASE(three_core_types_are_driven_as_one),
	KUNIT_CASE(hybrid_core_uses_events_of_its_type),
	KUNIT_CASE(small_core_missing_at_boot_counts_nothing),
	KUNIT_CASE(cache_events_depend_on_the_model),
	KUNIT_CASE(minimal_period_depends_on_the_model),
	KUNIT_CASE(excluded_modes_are_not_counted),
	{}
};

static struct kunit_suite event_suite = {
	.name = "perf_counter_x86_events",
	.init = machine_init,
	.exit = machine_exit,
	.test_cases = event_cases,
};

/* === Slots === */

static void fixed_slot_is_preferred(struct kunit *test)
{
	struct counter first, second;

	boot(&machines[INTEL_V4]);
	first = make(0xc0 | USER, 0xf | FIXED_BIT(0), 0);
	second = first;
	load(&first);
	load(&second);
	KUNIT_EXPECT_EQ(test, first.hw.slot, FIXED_SLOT(0));
	KUNIT_EXPECT_EQ(test, second.hw.slot, 0);
	/* A counter returns to its last slot if that is free: the register may be right already. */
	unload(&first);
	unload(&second);
	load(&second);
	KUNIT_EXPECT_EQ(test, second.hw.slot, 0);
	load(&first);
	KUNIT_EXPECT_EQ(test, first.hw.slot, FIXED_SLOT(0));
	unload(&first);
	unload(&second);
}

/* Tell whether there is a slot for each of the @nr masks, outside @used. */
static bool have_room(const unsigned int *masks, unsigned int nr, unsigned int used)
{
	unsigned int left;

	if (!nr)
		return true;
	for (left = masks[0] & ~used; left; left &= left - 1) {
		if (have_room(masks + 1, nr - 1, used | (left & -left)))
			return true;
	}
	return false;
}

/* Try all sets of four counters, each of which can use some of three slots, in all orders. */
static void counters_move_if_that_makes_room(struct kunit *test)
{
	unsigned int masks[4], set, i, nr, wrong = 0, slots;
	struct counter counters[4];
	bool added;

	boot(&machines[AMD_K8]);
	for (set = 0; set < 7 * 7 * 7 * 7; set++) {
		nr = 0;
		disable();
		for (i = 0; i < 4; i++) {
			masks[nr] = 1 + set / (i == 0 ? 1 : i == 1 ? 7 : i == 2 ? 49 : 343) % 7;
			counters[nr] = make(0xc0 | USER, masks[nr], 0);
			added = !add(&counters[nr]);
			wrong += added != have_room(masks, nr + 1, 0);
			/* Counters without room are dropped. */
			nr += added;
		}
		slots = 0;
		for (i = 0; i < nr; i++) {
			wrong += !(masks[i] & BIT(counters[i].hw.slot));
			slots |= BIT(counters[i].hw.slot);
		}
		wrong += hweight32(slots) != nr;
		for (i = 0; i < nr; i++)
			del(&counters[i]);
		enable();
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

/* The counters move from slot 0 to 1, 1 to 2 and 2 to 3, and go on counting. */
static void counts_survive_moves(struct kunit *test)
{
	static const unsigned int rows[] = { INTEL_V4, AMD_K8 };
	struct counter counters[4], last;
	unsigned int row, i;

	for (row = 0; row < ARRAY_SIZE(rows); row++) {
		boot(&machines[rows[row]]);
		counters[0] = make(0xc0 | USER, 0xc, 0);
		counters[1] = make(0xc1 | USER, 0x6, 100000);
		counters[2] = make(0xc2 | USER, 0x3, 0);
		counters[3] = make(0xc3 | USER, 0x1, 0);
		last = make(0xc4 | USER, 0xf, 0);
		for (i = 0; i < 3; i++) {
			load(&counters[i]);
			KUNIT_EXPECT_EQ(test, counters[i].hw.slot, 2 - i);
			count(2 - i, 1000 * (i + 1));
		}
		disable();
		KUNIT_ASSERT_EQ(test, add(&counters[3]), 0);
		enable();
		for (i = 0; i < 4; i++) {
			KUNIT_EXPECT_EQ(test, counters[i].hw.slot, 3 - i);
			KUNIT_EXPECT_EQ(test, reg.select[3 - i],
					(0xc0 + i) | USER | INTERRUPT | ENABLE);
			count(3 - i, 7);
		}
		KUNIT_EXPECT_EQ(test, value_of(2), overflows_after(100000 - 2000 - 7));
		/* Five counters do not fit into four slots. The four loaded ones stay and count. */
		disable();
		KUNIT_EXPECT_EQ(test, add(&last), -ENOSPC);
		enable();
		for (i = 0; i < 4; i++)
			count(counters[i].hw.slot, 10);
		for (i = 0; i < 4; i++) {
			KUNIT_EXPECT_EQ(test, read_count(&counters[i]),
					17 + (i < 3 ? 1000 * (i + 2) - 1000 : 0));
			unload(&counters[i]);
		}
	}
}

static struct kunit_case slot_cases[] = {
	KUNIT_CASE(fixed_slot_is_preferred),
	KUNIT_CASE(counters_move_if_that_makes_room),
	KUNIT_CASE(counts_survive_moves),
	{}
};

static struct kunit_suite slot_suite = {
	.name = "perf_counter_x86_slots",
	.init = machine_init,
	.exit = machine_exit,
	.test_cases = slot_cases,
};

/* === Registers === */

static unsigned int writes(void)
{
	unsigned int nr = reg.writes;

	reg.writes = 0;
	return nr;
}

static unsigned int rdpmcs(void)
{
	unsigned int nr = reg.rdpmcs;

	reg.rdpmcs = 0;
	return nr;
}

/* Unload @out and load @in, as a task switch does, and check the numbers of writes and reads. */
static void expect_switch(struct kunit *test, struct counter *out, struct counter *in,
			  unsigned int nr_out, unsigned int nr_in)
{
	writes();
	rdpmcs();
	unload(out);
	KUNIT_EXPECT_EQ(test, writes(), nr_out);
	KUNIT_EXPECT_EQ(test, rdpmcs(), 1);
	load(in);
	KUNIT_EXPECT_EQ(test, writes(), nr_in);
	KUNIT_EXPECT_EQ(test, rdpmcs(), 0);
	KUNIT_EXPECT_EQ(test, reg.reads, 0);
}

static void unchanged_registers_are_not_written(struct kunit *test)
{
	struct counter plain, same, other, sampling, fixed;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		plain = make(0x13c | USER, 1, 0);
		same = plain;
		other = make(0x412e | USER, 1, 0);
		sampling = make(0x13c | USER, 1, 1000);
		/* Without a counter nothing is written. */
		disable();
		enable();
		KUNIT_EXPECT_TRUE(test, registers_untouched());
		KUNIT_EXPECT_EQ(test, reg.lvtpc, 0);
		/*
		 * The backend writes the counter, its select and the enable bits, and clears
		 * unknown registers.
		 */
		load(&plain);
		KUNIT_EXPECT_EQ_MSG(test, writes(), !!machines[i].fixed +
				    (machines[i].global ? 4 : 2 + machines[i].general),
				    "machine %u", i);
		KUNIT_EXPECT_EQ(test, reg.lvtpc, APIC_DM_NMI);
		reg.lvtpc = 0;
		/* The backend reads the status, which another user may have left. */
		KUNIT_EXPECT_EQ(test, reg.reads, machines[i].global);
		reg.reads = 0;
		/*
		 * A stop and a start each take one write: of the global control, or of the event
		 * select.
		 */
		disable();
		enable();
		KUNIT_EXPECT_EQ(test, writes(), 2);
		expect_switch(test, &plain, &plain, 1, 1);
		/*
		 * Another counter with the same event and without samples goes on from the value
		 * that the first counter has left.
		 */
		expect_switch(test, &plain, &same, 1, 1);
		count(0, 5);
		expect_switch(test, &same, &plain, 1, 1);
		count(0, 6);
		KUNIT_EXPECT_EQ(test, same.hw.count, 5);
		KUNIT_EXPECT_EQ(test, read_count(&plain), 6);
		/*
		 * Another event changes the select, which also starts the counter if there is no
		 * global control.
		 */
		expect_switch(test, &plain, &other, 1, machines[i].global ? 2 : 1);
		/* A counter with samples has its value written. */
		expect_switch(test, &other, &sampling, 1, machines[i].global ? 3 : 2);
		expect_switch(test, &sampling, &sampling, 1, 2);
		unload(&sampling);
		writes();
		if (machines[i].fixed) {
			fixed = make(0xc0 | USER, FIXED_BIT(0), 0);
			/* The backend writes the counter, its modes and the global control. */
			load(&fixed);
			KUNIT_EXPECT_EQ(test, writes(), 3);
			expect_switch(test, &fixed, &fixed, 1, 1);
			unload(&fixed);
		}
		/* The LVTPC was written once only. */
		KUNIT_EXPECT_EQ(test, reg.lvtpc, 0);
	}
}

static void select_has_event_and_modes(struct kunit *test)
{
	static const struct {
		u64	mode;
		u64	fixed;
	} modes[] = { { USER, 0xa }, { KERNEL, 0x9 }, { USER | KERNEL, 0xb } };
	struct counter general, fixed;
	unsigned int i, mode;

	for (i = 0; i < MACHINES; i++) {
		for (mode = 0; mode < ARRAY_SIZE(modes); mode++) {
			boot(&machines[i]);
			general = make(0x13c | modes[mode].mode, 2, 0);
			load(&general);
			KUNIT_EXPECT_EQ(test, reg.select[1],
					0x13c | modes[mode].mode | INTERRUPT | ENABLE);
			KUNIT_EXPECT_EQ(test, reg.ctrl, machines[i].global ? 2 : 0);
			if (!machines[i].fixed)
				continue;
			fixed = make(0x300 | modes[mode].mode, FIXED_BIT(2), 0);
			load(&fixed);
			KUNIT_EXPECT_EQ(test, reg.fixed_ctrl, modes[mode].fixed << 8);
			KUNIT_EXPECT_EQ(test, reg.ctrl, 2 | FIXED_BIT(2));
			unload(&general);
			KUNIT_EXPECT_EQ(test, reg.ctrl, FIXED_BIT(2));
			/* Modes of the previous counter are cleared. */
			unload(&fixed);
			fixed = make(0x300 | USER, FIXED_BIT(2), 0);
			load(&fixed);
			KUNIT_EXPECT_EQ(test, reg.fixed_ctrl, 0xa << 8);
		}
	}
}

/* The register is set to the rest of the period, within its limits. */
static void counter_is_set_to_the_rest_of_its_period(struct kunit *test)
{
	static const s64 lefts[] = {
		1, 2, 1000, NARROW - 1, NARROW, NARROW + 1, WIDE - 1, WIDE, WIDE + 1, S64_MAX,
		/* samples that are due already */
		0, -1, -1000, S64_MIN + 1,
	};
	struct counter counter;
	unsigned int i, row;
	u64 expected;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		for (row = 0; row < ARRAY_SIZE(lefts); row++) {
			counter = make(0x13c | USER, 1, 1);
			counter.hw.count = 5000;
			counter.hw.next = 5000 + lefts[row];
			load(&counter);
			expected = clamp_t(s64, lefts[row], 2, machines[i].left);
			KUNIT_EXPECT_EQ_MSG(test, reg.counter[0], overflows_after(expected),
					    "machine %u, row %u", i, row);
			KUNIT_EXPECT_EQ(test, counter.hw.start, reg.counter[0]);
			KUNIT_EXPECT_EQ(test, read_count(&counter), 5000);
			unload(&counter);
			KUNIT_EXPECT_EQ(test, counter.hw.count, 5000);
		}
		/* Without samples, the overflow is as far away as possible. */
		boot(&machines[i]);
		counter = make(0x13c | USER, 1, 0);
		load(&counter);
		KUNIT_EXPECT_EQ(test, reg.counter[0], overflows_after(machines[i].left));
	}
}

/*
 * With an erratum the counter overflows after min_left events at least; if min_left is 128, after a
 * multiple of 64.
 */
static void erratum_raises_the_minimal_period(struct kunit *test)
{
	static const struct {
		s64	left;
		u16	min_left;
		u64	waits;
	} table[] = {
		{ 1, 32, 32 }, { 33, 32, 33 }, { 1, 128, 128 }, { 129, 128, 128 },
		{ 200, 128, 192 }, { 6400, 128, 6400 },
	};
	struct counter counter;
	unsigned int row;

	boot(&machines[INTEL_V4]);
	for (row = 0; row < ARRAY_SIZE(table); row++) {
		counter = make(0x1c0 | USER, 1, 1);
		counter.hw.next = table[row].left;
		counter.hw.min_left = table[row].min_left;
		load(&counter);
		KUNIT_EXPECT_EQ_MSG(test, reg.counter[0], overflows_after(table[row].waits),
				    "row %u", row);
		unload(&counter);
	}
}

/* A period beyond the register's limit of 2^31 - 1 is split, and reported once. */
static void long_period_takes_several_overflows(struct kunit *test)
{
	const u64 period = 2 * NARROW + 11;
	struct counter counter;

	boot(&machines[INTEL_V2]);
	counter = make(0x13c | USER, 1, period);
	load(&counter);
	KUNIT_EXPECT_TRUE(test, count(0, NARROW));
	KUNIT_EXPECT_TRUE(test, nmi());
	KUNIT_EXPECT_EQ(test, counter.hw.next, period);
	KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(NARROW));
	/* The counter may count a few events more before the NMI. */
	KUNIT_EXPECT_TRUE(test, count(0, NARROW + 3));
	KUNIT_EXPECT_TRUE(test, nmi());
	KUNIT_EXPECT_EQ(test, counter.hw.next, period);
	KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(8));
	KUNIT_EXPECT_FALSE(test, count(0, 7));
	KUNIT_EXPECT_TRUE(test, count(0, 1));
	KUNIT_EXPECT_TRUE(test, nmi());
	KUNIT_EXPECT_EQ(test, counter.hw.count, period);
	KUNIT_EXPECT_EQ(test, counter.hw.next, 2 * period);
}

/* A reset leaves no value in a register for the next user. */
static void reset_clears_all_registers(struct kunit *test)
{
	struct counter counters[3];
	unsigned int i, slot;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		counters[0] = make(0x13c | USER, 1, 0);
		counters[1] = make(0xc4 | USER, 2, 1000);
		counters[2] = make(0xc0 | USER, FIXED_BIT(0), 0);
		for (slot = 0; slot < (machines[i].fixed ? 3 : 2); slot++) {
			load(&counters[slot]);
			count(counters[slot].hw.slot, 99);
		}
		/* One counter remains loaded. */
		unload(&counters[1]);
		reset();
		for (slot = 0; slot < GENERAL; slot++) {
			KUNIT_EXPECT_EQ(test, reg.select[slot], 0);
			KUNIT_EXPECT_EQ(test, reg.counter[slot], 0);
		}
		for (slot = 0; slot < FIXED; slot++)
			KUNIT_EXPECT_EQ(test, reg.fixed[slot], 0);
		KUNIT_EXPECT_EQ(test, reg.fixed_ctrl, 0);
		KUNIT_EXPECT_EQ(test, reg.ctrl, 0);
		KUNIT_EXPECT_EQ(test, reg.status, 0);
		/* A second reset accesses no register. */
		registers_untouched();
		reset();
		KUNIT_EXPECT_TRUE(test, registers_untouched());
		/* The remaining counter is programmed from scratch. */
		enable();
		KUNIT_EXPECT_EQ(test, reg.select[0], 0x13c | USER | INTERRUPT | ENABLE);
		KUNIT_EXPECT_EQ(test, reg.counter[0], overflows_after(machines[i].left));
		KUNIT_EXPECT_TRUE(test, !machines[i].fixed || reg.fixed_ctrl == 0xa);
	}
}

static void pmu_is_claimed_or_busy(struct kunit *test)
{
	struct counter counter;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		KUNIT_EXPECT_EQ(test, test_backend->claim(), 0);
		KUNIT_EXPECT_TRUE(test, test_lent);
		counter = make(0x13c | USER, 1, 1000);
		load(&counter);
		unload(&counter);
		test_backend->release();
		KUNIT_EXPECT_FALSE(test, test_lent);
		KUNIT_EXPECT_EQ(test, reg.select[0], 0);
		KUNIT_EXPECT_TRUE(test, cpumask_empty(&x86_ready_cpus));

		test_foreign = true;
		KUNIT_EXPECT_EQ(test, test_backend->claim(), -EBUSY);
		test_foreign = false;
		KUNIT_EXPECT_EQ(test, test_backend->claim(), 0);
		test_backend->release();
		KUNIT_EXPECT_EQ_MSG(test, reg.unknown, 0, "machine %u", i);
	}
}

static void user_access(bool on)
{
	guard(irqsave)();
	test_backend->disable();
	test_backend->set_user_access(on);
	test_backend->enable();
}

/* The user page has RDPMC's operand plus one, and the offset to add to the register's value. */
static void program_reads_the_register(struct kunit *test)
{
	struct perf_event_mmap_page *page = kunit_kzalloc(test, sizeof(*page), GFP_KERNEL);
	struct counter general, fixed;

	KUNIT_ASSERT_NOT_NULL(test, page);
	boot(&machines[INTEL_V4]);
	test_cr4 = X86_CR4_PGE;
	general = make(0x13c | USER, 4, 0);
	general.hw.count = 1000;
	fixed = make(0x3c | USER, FIXED_BIT(1), 0);
	load(&general);
	load(&fixed);
	count(2, 50);
	count(FIXED_SLOT(1), 60);

	page->offset = general.hw.count;
	test_backend->fill_user_page(&general.hw, 0, page);
	KUNIT_EXPECT_EQ(test, page->index, 2 + 1);
	KUNIT_EXPECT_EQ(test, page->pmc_width, 48);
	KUNIT_EXPECT_EQ(test, page->offset + sign_extend64(value_of(2), 47), 1050);
	page->offset = 0;
	test_backend->fill_user_page(&fixed.hw, 0, page);
	KUNIT_EXPECT_EQ(test, page->index, 0x40000001 + 1);
	KUNIT_EXPECT_EQ(test, page->offset + sign_extend64(value_of(FIXED_SLOT(1)), 47), 60);

	/* RDPMC can read any counter, so the counts of counters that are not in use are cleared. */
	unload(&general);
	KUNIT_EXPECT_NE(test, value_of(2), 0);
	reg.counter[3] = 0x1234;
	reg.fixed[0] = 0x5678;
	user_access(true);
	KUNIT_EXPECT_EQ(test, test_cr4, X86_CR4_PGE | X86_CR4_PCE);
	KUNIT_EXPECT_TRUE(test, x86_user_reads());
	KUNIT_EXPECT_EQ(test, value_of(2), 0);
	KUNIT_EXPECT_EQ(test, value_of(3), 0);
	KUNIT_EXPECT_EQ(test, value_of(FIXED_SLOT(0)), 0);
	KUNIT_EXPECT_EQ(test, value_of(FIXED_SLOT(1)), overflows_after(WIDE));
	count(FIXED_SLOT(1), 7);
	KUNIT_EXPECT_EQ(test, read_count(&fixed), 67);
	/* A counter that is loaded does not go on from another one's value. */
	unload(&fixed);
	load(&fixed);
	KUNIT_EXPECT_EQ(test, value_of(FIXED_SLOT(1)), overflows_after(WIDE));
	KUNIT_EXPECT_EQ(test, read_count(&fixed), 67);
	user_access(false);
	KUNIT_EXPECT_EQ(test, test_cr4, X86_CR4_PGE);
	KUNIT_EXPECT_FALSE(test, x86_user_reads());
	/* Values that were counted meanwhile are cleared when a program may read counters again. */
	load(&general);
	count(2, 5);
	unload(&general);
	KUNIT_EXPECT_NE(test, value_of(2), 0);
	user_access(true);
	KUNIT_EXPECT_EQ(test, value_of(2), 0);
	user_access(false);

	/* Counters are also cleared before the first one is loaded. */
	boot(&machines[AMD_ZEN1]);
	reg.counter[4] = 0x1234;
	user_access(true);
	KUNIT_EXPECT_EQ(test, value_of(4), 0);
	registers_untouched();
	user_access(true);
	KUNIT_EXPECT_TRUE(test, registers_untouched());
	user_access(false);
}

/*
 * The difference of two values that a program reads is the number of events between the reads, even
 * if the counter was stopped, switched out or moved meanwhile. Counters that no program reads start
 * at their lowest value.
 */
static void value_continues_after_reprogramming(struct kunit *test)
{
	struct counter counter, other;
	unsigned int i;
	u64 left;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		left = machines[i].left;
		counter = make(0x13c | USER, 3, 0);
		counter.hw.user_read = true;
		other = make(0xc4 | USER, 1, 0);
		load(&counter);
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(left));
		count(0, 600);
		user_access(true);
		KUNIT_EXPECT_EQ_MSG(test, value_of(0), overflows_after(left - 600),
				    "machine %u", i);
		count(0, 400);
		disable();
		enable();
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(left - 1000));

		/* Another counter gets the register, and starts at its lowest value. */
		unload(&counter);
		load(&other);
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(left));
		count(0, 77);
		load(&counter);
		KUNIT_EXPECT_EQ(test, counter.hw.slot, 1);
		KUNIT_EXPECT_EQ_MSG(test, value_of(1), overflows_after(left - 1000),
				    "machine %u", i);
		count(1, 5);
		user_access(true);
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(left));
		KUNIT_EXPECT_EQ(test, value_of(1), overflows_after(left - 1005));
		KUNIT_EXPECT_EQ(test, read_count(&counter), 1005);
		KUNIT_EXPECT_EQ(test, read_count(&other), 77);

		/*
		 * The counter goes on past 0. When it is reprogrammed, it starts at its lowest
		 * value plus the number of events since 0.
		 */
		KUNIT_EXPECT_TRUE(test, count(1, left - 1000));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, value_of(1), 5);
		unload(&counter);
		load(&counter);
		KUNIT_EXPECT_EQ(test, value_of(1), overflows_after(left - 5));
		KUNIT_EXPECT_EQ(test, read_count(&counter), left + 5);
		/* The counter is set to overflow after two events at least. */
		count(1, left - 6);
		unload(&counter);
		load(&counter);
		KUNIT_EXPECT_EQ(test, value_of(1), overflows_after(2));
		user_access(false);
	}
}

/* Return a counter of FPU operations, which occupies an even register and the next one. */
static struct counter make_pair(u64 period)
{
	struct counter counter = make(0xff03 | USER, 0x15, period);

	counter.hw.also = 0x2a;
	return counter;
}

/* An even counter and the next one count together, so the next one is not available. */
static void pair_counts_fpu_operations(struct kunit *test)
{
	static const unsigned int rows[] = { AMD_ZEN1, HYGON, AMD_ZEN2, AMD_ZEN4, AMD_ZEN5 };
	struct counter pair, single, other;
	struct perf_counter_hw hw;
	unsigned int row;

	for (row = 0; row < ARRAY_SIZE(rows); row++) {
		boot(&machines[rows[row]]);
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_RAW, 0xff03, &hw), 0);
		KUNIT_EXPECT_EQ(test, hw.slots, 0x15);
		KUNIT_EXPECT_EQ(test, hw.also, 0x2a);
		KUNIT_EXPECT_EQ(test, event(PERF_TYPE_RAW, 0xc4, &hw), 0);
		KUNIT_EXPECT_EQ(test, hw.also, 0);

		single = make(0xc4 | USER, 0x3f, 0);
		pair = make_pair(100);
		load(&single);
		load(&pair);
		KUNIT_EXPECT_EQ(test, single.hw.slot, 0);
		KUNIT_EXPECT_EQ(test, pair.hw.slot, 2);
		KUNIT_EXPECT_EQ(test, reg.select[3], MERGE);
		KUNIT_EXPECT_EQ(test, reg.ctrl, machines[rows[row]].global ? 0xd : 0);
		KUNIT_EXPECT_FALSE(test, count(2, 99));
		KUNIT_EXPECT_TRUE(test, count(2, 4));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, pair.overflows, 1);
		KUNIT_EXPECT_EQ(test, value_of(2), overflows_after(97));
		KUNIT_EXPECT_EQ(test, value_of(3), 0xffff);
		/*
		 * The pair goes on after an NMI, after a stop, and after unused registers were
		 * cleared.
		 */
		disable();
		enable();
		user_access(true);
		user_access(false);
		KUNIT_EXPECT_EQ(test, value_of(3), 0xffff);
		KUNIT_EXPECT_TRUE(test, count(2, 97));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, pair.overflows, 2);
		KUNIT_EXPECT_EQ(test, pair.hw.count, 200);
		/*
		 * A single counter can use the first slot of a former pair, and overflows without
		 * the second.
		 */
		unload(&pair);
		KUNIT_EXPECT_EQ(test, reg.select[3], 0);
		other = make(0xc5 | USER, 4, 100);
		load(&other);
		KUNIT_EXPECT_TRUE(test, count(2, 100));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, other.overflows, 1);
		/* A pair can use a slot in which a single counter has left its value. */
		unload(&other);
		unload(&single);
		single.hw.slot = 2;
		load(&single);
		unload(&single);
		pair = make_pair(0);
		pair.hw.slot = 2;
		load(&pair);
		KUNIT_EXPECT_EQ(test, value_of(3), 0xffff);
		count(2, 50);
		KUNIT_EXPECT_EQ(test, read_count(&pair), 50);
		unload(&pair);
		reset();
		KUNIT_EXPECT_EQ(test, value_of(2) | value_of(3) | reg.select[3], 0);
	}
}

/* Return the slots of loaded counters; ~0 if two of them overlap. */
static unsigned int slots_of(const struct counter *counters, unsigned int nr)
{
	unsigned int slots = 0, own, i;

	for (i = 0; i < nr; i++) {
		if (counters[i].hw.slot < 0)
			continue;
		own = (counters[i].hw.also ? 3 : 1) << counters[i].hw.slot;
		if (slots & own || (counters[i].hw.also && counters[i].hw.slot % 2))
			return ~0U;
		slots |= own;
	}
	return slots;
}

/*
 * Add @counter while @left slots are free. Return the number of slots that are free then. Return ~0
 * if @counter was loaded although too few slots were free, or was refused although enough slots
 * were free.
 */
static unsigned int come(struct counter *counter, unsigned int left)
{
	unsigned int need = counter->hw.also ? 2 : 1;
	bool added = !add(counter), wanted = need <= left;

	if (added != wanted)
		return ~0U;
	if (added)
		return left - need;
	counter->hw.slot = -1;
	return left;
}

/* Unload @counter if it is loaded. Return the number of slots that it had. */
static unsigned int go(struct counter *counter)
{
	if (counter->hw.slot < 0)
		return 0;
	del(counter);
	counter->hw.slot = -1;
	return counter->hw.also ? 2 : 1;
}

/* Load six counters that need one or two slots, unload some of them, and load six others. */
static void counters_move_to_make_room_for_pairs(struct kunit *test)
{
	unsigned int kinds, leaving, i, left, wrong = 0;
	struct counter counters[12];

	boot(&machines[AMD_ZEN2]);
	for (kinds = 0; kinds < 64; kinds++) {
		for (leaving = 0; leaving < 64; leaving++) {
			left = 6;
			disable();
			for (i = 0; i < 12; i++)
				counters[i] = (i < 6 ? kinds >> i & 1 : i < 9) ? make_pair(0) :
					      make(0xc4 | USER, 0x3f, 0);
			for (i = 0; i < 6; i++)
				left = come(&counters[i], left);
			for (i = 0; i < 6; i++)
				left += leaving >> i & 1 ? go(&counters[i]) : 0;
			for (i = 6; i < 12; i++) {
				left = come(&counters[i], left);
				wrong += hweight32(slots_of(counters, 12)) != 6 - left;
			}
			for (i = 0; i < 12; i++)
				go(&counters[i]);
			enable();
		}
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void virtualize(bool on)
{
	guard(preempt)();
	test_svm = on;
	test_x86_counters_virt(on);
}

/*
 * AMD: a host-only event counts nothing while SVM is off, so the backend leaves the bit out then.
 */
static void host_only_event_counts_with_and_without_svm(struct kunit *test)
{
	struct perf_counter_attr attr = { .type = PERF_TYPE_HARDWARE, .exclude_guest = 1 };
	struct counter counter;
	unsigned int i;

	for (i = AMD_BULLDOZER; i < MACHINES; i++) {
		boot(&machines[i]);
		counter = make(0, 0, 0);
		KUNIT_ASSERT_EQ(test, test_backend->event_init(&attr, &counter.hw), 0);
		load(&counter);
		count(counter.hw.slot, 10);
		KUNIT_EXPECT_EQ(test, reg.select[counter.hw.slot] & HOST_ONLY, 0);
		test_reprogrammed = false;
		virtualize(true);
		KUNIT_EXPECT_TRUE(test, test_reprogrammed);
		KUNIT_EXPECT_EQ(test, reg.select[counter.hw.slot] & HOST_ONLY, HOST_ONLY);
		count(counter.hw.slot, 5);
		KUNIT_EXPECT_EQ_MSG(test, read_count(&counter), 15, "machine %u", i);
		/* Without a loaded counter no register is written. */
		unload(&counter);
		registers_untouched();
		virtualize(false);
		KUNIT_EXPECT_TRUE(test, registers_untouched());
		load(&counter);
		count(counter.hw.slot, 4);
		KUNIT_EXPECT_EQ_MSG(test, read_count(&counter), 19, "machine %u", i);
		unload(&counter);
		reset();
		test_svm = false;
	}
}

/* Intel: KVM gets the values of GLOBAL_CTRL for host and guest. */
static void kvm_gets_global_ctrl_for_guests(struct kunit *test)
{
	/* IA32_PERF_GLOBAL_CTRL, IA32_PEBS_ENABLE, IA32_DS_AREA, MSR_PEBS_DATA_CFG. */
	static const u32 expected[] = { 0x38f, 0x3f1, 0x600, 0x3f2 };
	struct perf_guest_switch_msr *msrs;
	struct counter all, host;
	unsigned int i;
	int nr = 0;

	boot(&machines[INTEL_V4]);
	all = make(0xc4 | USER, 0xf, 0);
	host = make(0x3c | USER, FIXED_BIT(1), 0);
	host.hw.exclude_guest = true;
	load(&all);
	load(&host);
	scoped_guard(irqsave) {
		msrs = test_x86_counters_guest_msrs(&nr);
		KUNIT_ASSERT_EQ(test, nr, ARRAY_SIZE(expected));
		for (i = 0; i < nr; i++)
			KUNIT_EXPECT_EQ(test, msrs[i].msr, expected[i]);
		KUNIT_EXPECT_EQ(test, msrs[0].host, reg.ctrl);
		KUNIT_EXPECT_EQ(test, msrs[0].guest, BIT_ULL(all.hw.slot));
		/* MSRs that perf_events had KVM switch have the same value for host and guest. */
		for (i = 1; i < nr; i++)
			KUNIT_EXPECT_EQ(test, msrs[i].host, msrs[i].guest);
	}
	/* A counter that an NMI has stopped stays stopped after the guest. */
	all.stop = true;
	all.hw.next = all.hw.count;
	scoped_guard(irqsave) {
		reg.counter[all.hw.slot] = 0;
		reg.status = BIT_ULL(all.hw.slot);
	}
	KUNIT_EXPECT_TRUE(test, nmi());
	scoped_guard(irqsave) {
		msrs = test_x86_counters_guest_msrs(&nr);
		KUNIT_EXPECT_EQ(test, msrs[0].host, FIXED_BIT(1));
		KUNIT_EXPECT_EQ(test, msrs[0].guest, 0);
	}
	disable();
	scoped_guard(irqsave) {
		msrs = test_x86_counters_guest_msrs(&nr);
		KUNIT_EXPECT_EQ(test, msrs[0].host, 0);
	}
	del(&all);
	del(&host);
	reset();
}

/*
 * Version 1 has no GLOBAL_CTRL, and entering a guest fails if KVM writes an MSR that does not
 * exist.
 */
static void kvm_gets_selects_for_guests_in_version_1(struct kunit *test)
{
	struct perf_guest_switch_msr *msrs;
	struct counter all, host;
	unsigned int i;
	int nr = 0;

	boot(&machines[INTEL_V1]);
	all = make(0xc4 | USER, 1, 0);
	host = make(0x3c | USER, 2, 0);
	host.hw.exclude_guest = true;
	load(&all);
	load(&host);
	/* The task is pinned, so the MSRs remain those of this CPU. */
	scoped_guard(irqsave)
		msrs = test_x86_counters_guest_msrs(&nr);
	KUNIT_EXPECT_EQ(test, nr, 2);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, msrs[i].msr, 0x186 + i);
		KUNIT_EXPECT_EQ(test, msrs[i].host, reg.select[i]);
	}
	KUNIT_EXPECT_EQ(test, msrs[0].guest, msrs[0].host);
	KUNIT_EXPECT_EQ(test, msrs[1].guest, msrs[1].host & ~ENABLE);
	/* A disabled PMU does not count in a guest either. */
	disable();
	scoped_guard(irqsave)
		msrs = test_x86_counters_guest_msrs(&nr);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, msrs[i].host & ENABLE, 0);
		KUNIT_EXPECT_EQ(test, msrs[i].guest, msrs[i].host);
	}
	del(&all);
	del(&host);
	reset();
}

/*
 * The previous user of the PMU has left a counter enabled. Without a global control, the counter
 * would go on.
 */
static void foreign_selects_are_switched_off(struct kunit *test)
{
	struct counter counter;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		reg.select[1] = 0xc0 | USER | ENABLE;
		reg.ctrl = machines[i].global ? 3 : 0;
		counter = make(0x13c | USER, 1, 100);
		load(&counter);
		count(1, 5);
		KUNIT_EXPECT_EQ_MSG(test, reg.counter[1], 0, "machine %u", i);
	}
}

/* The recorder's start takes over the registers, which the previous user has left enabled. */
static void recorder_takes_over_the_pmu(struct kunit *test)
{
	test_has_recorder = true;
	KUNIT_EXPECT_TRUE(test, boot(&machines[INTEL_V4]));
	test_has_recorder = false;
	KUNIT_ASSERT_NOT_NULL(test, test_backend->recorder);
	reg.ctrl = 3;
	reg.status = 1;
	scoped_guard(irqsave)
		test_backend->recorder->start(PERF_COUNTER_BRANCH_KINDS);
	KUNIT_EXPECT_EQ(test, test_recorded, PERF_COUNTER_BRANCH_KINDS);
	KUNIT_EXPECT_EQ(test, reg.ctrl, 0);
	KUNIT_EXPECT_EQ(test, reg.status, 0);
	KUNIT_EXPECT_EQ(test, reg.lvtpc, APIC_DM_NMI);
	/* A second start does not take over the registers again. */
	registers_untouched();
	scoped_guard(irqsave)
		test_backend->recorder->start(PERF_COUNTER_BRANCH_CALL);
	KUNIT_EXPECT_TRUE(test, registers_untouched());
	reset();
	/* A machine without branch records has no recorder. */
	KUNIT_EXPECT_TRUE(test, boot(&machines[INTEL_V4]));
	KUNIT_EXPECT_NULL(test, test_backend->recorder);
}

/* Nehalem: four events are programmed first; after that all registers have their values again. */
static void nehalem_programs_four_events_first(struct kunit *test)
{
	struct counter counter, fixed;

	KUNIT_ASSERT_TRUE(test, boot_model(6, 0x1a, 4));
	counter = make(0x13c | USER, 2, 100);
	fixed = make(0xc0 | USER, FIXED_BIT(0), 0);
	load(&counter);
	KUNIT_EXPECT_EQ(test, reg.firsts, 1);
	KUNIT_EXPECT_EQ(test, reg.select[1], 0x13c | USER | INTERRUPT | ENABLE);
	KUNIT_EXPECT_EQ(test, value_of(1), overflows_after(100));
	KUNIT_EXPECT_EQ(test, reg.select[0], 0);
	KUNIT_EXPECT_EQ(test, reg.select[3], 0);
	KUNIT_EXPECT_EQ(test, reg.ctrl, 2);
	count(1, 30);
	load(&fixed);
	KUNIT_EXPECT_EQ(test, reg.firsts, 2);
	KUNIT_EXPECT_EQ(test, value_of(1), overflows_after(70));
	/* The workaround is not repeated if no counter is programmed. */
	disable();
	enable();
	KUNIT_EXPECT_EQ(test, reg.firsts, 2);
	KUNIT_EXPECT_TRUE(test, count(1, 70));
	KUNIT_EXPECT_TRUE(test, nmi());
	KUNIT_EXPECT_EQ(test, counter.hw.count, 100);

	boot(&machines[INTEL_V4]);
	counter = make(0x13c | USER, 2, 100);
	load(&counter);
	KUNIT_EXPECT_EQ(test, reg.firsts, 0);
}

static struct kunit_case register_cases[] = {
	KUNIT_CASE(unchanged_registers_are_not_written),
	KUNIT_CASE(select_has_event_and_modes),
	KUNIT_CASE(counter_is_set_to_the_rest_of_its_period),
	KUNIT_CASE(erratum_raises_the_minimal_period),
	KUNIT_CASE(long_period_takes_several_overflows),
	KUNIT_CASE(reset_clears_all_registers),
	KUNIT_CASE(pmu_is_claimed_or_busy),
	KUNIT_CASE(program_reads_the_register),
	KUNIT_CASE(value_continues_after_reprogramming),
	KUNIT_CASE(pair_counts_fpu_operations),
	KUNIT_CASE(counters_move_to_make_room_for_pairs),
	KUNIT_CASE(host_only_event_counts_with_and_without_svm),
	KUNIT_CASE(kvm_gets_global_ctrl_for_guests),
	KUNIT_CASE(kvm_gets_selects_for_guests_in_version_1),
	KUNIT_CASE(foreign_selects_are_switched_off),
	KUNIT_CASE(recorder_takes_over_the_pmu),
	KUNIT_CASE(nehalem_programs_four_events_first),
	{}
};

static struct kunit_suite register_suite = {
	.name = "perf_counter_x86_registers",
	.init = machine_init,
	.exit = machine_exit,
	.test_cases = register_cases,
};

/* === NMIs === */

/* Tell whether the machine's status has a bit for each overflow whose NMI is still to come. */
static bool status_explains(void)
{
	return machine->vendor == X86_VENDOR_INTEL && machine->global;
}

/* Advance the time, so that overflows are too old to explain an NMI. */
static void time_passes(void)
{
	test_now += 101 * NSEC_PER_MSEC;
}

static void overflow_is_reported(struct kunit *test)
{
	struct counter counter, other;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		counter = make(0x13c | USER, 1, 100);
		other = make(0xc4 | USER, 2, 100);
		load(&counter);
		load(&other);
		KUNIT_EXPECT_FALSE(test, count(0, 99));
		KUNIT_EXPECT_FALSE(test, count(1, 50));
		KUNIT_EXPECT_TRUE(test, count(0, 4));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, counter.overflows, 1);
		KUNIT_EXPECT_EQ(test, counter.hw.count, 103);
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(97));
		KUNIT_EXPECT_EQ(test, other.overflows, 0);
		/* The counters go on, and overflows raise NMIs again. */
		KUNIT_EXPECT_EQ(test, reg.lvtpc, APIC_DM_NMI);
		KUNIT_EXPECT_EQ(test, reg.status, 0);
		KUNIT_EXPECT_TRUE(test, count(1, 50));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, other.overflows, 1);
		KUNIT_EXPECT_EQ(test, counter.overflows, 1);
		/* The NMI may come twice, but only for a while. */
		KUNIT_EXPECT_EQ(test, nmi(), !status_explains());
		KUNIT_EXPECT_EQ(test, counter.overflows + other.overflows, 2);
		time_passes();
		KUNIT_EXPECT_FALSE(test, nmi());
	}
}

static void two_overflows_at_once_are_reported(struct kunit *test)
{
	struct counter first, second;
	unsigned int i;
	bool amd;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		first = make(0x13c | USER, 1, 100);
		second = make(0xc4 | USER, 2, 100);
		load(&first);
		load(&second);
		amd = machines[i].vendor != X86_VENDOR_INTEL;
		KUNIT_EXPECT_TRUE(test, count(0, 100));
		/* While the entry is masked, there is no second NMI. */
		KUNIT_EXPECT_EQ(test, count(1, 101), amd);
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, first.overflows, 1);
		KUNIT_EXPECT_EQ(test, second.overflows, 1);
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(100));
		KUNIT_EXPECT_EQ(test, value_of(1), overflows_after(99));
		KUNIT_EXPECT_EQ(test, nmi(), !status_explains());
		time_passes();
		KUNIT_EXPECT_FALSE(test, nmi());
		KUNIT_EXPECT_EQ(test, first.overflows + second.overflows, 2);
	}
}

/* The NMI comes after its counter was unloaded, while another one counts. */
static void nmi_of_an_unloaded_counter_is_claimed(struct kunit *test)
{
	struct counter gone, stays;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		gone = make(0x13c | USER, 1, 100);
		stays = make(0xc4 | USER, 2, 100);
		load(&gone);
		load(&stays);
		KUNIT_EXPECT_TRUE(test, count(0, 105));
		unload(&gone);
		KUNIT_EXPECT_EQ(test, gone.hw.count, 105);
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, gone.overflows + stays.overflows, 0);
		time_passes();
		KUNIT_EXPECT_FALSE(test, nmi());
		KUNIT_EXPECT_EQ(test, reg.status, 0);
		/* The counter's sample is due as soon as the counter is loaded again. */
		load(&gone);
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(2));
		KUNIT_EXPECT_TRUE(test, count(1, 100));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, stays.overflows, 1);
	}
}

/* An NMI between disable and enable is claimed; enable handles its overflow. */
static void overflow_while_disabled_waits_for_enable(struct kunit *test)
{
	struct counter counter, other;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		counter = make(0x13c | USER, 1, 100);
		other = make(0xc4 | USER, 2, 100);
		load(&counter);
		load(&other);
		KUNIT_EXPECT_TRUE(test, count(0, 103));
		disable();
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, counter.overflows, 0);
		KUNIT_EXPECT_EQ(test, reg.ctrl, 0);
		KUNIT_EXPECT_EQ(test, reg.lvtpc, APIC_DM_NMI);
		KUNIT_EXPECT_FALSE(test, count(0, 1) || count(1, 1));
		enable();
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(2));
		KUNIT_EXPECT_EQ(test, value_of(1), overflows_after(100));
		KUNIT_EXPECT_TRUE(test, count(0, 2));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, counter.overflows, 1);
		KUNIT_EXPECT_EQ(test, counter.hw.count, 105);

		/* The counter is unloaded before enable, and another one gets its slot. */
		KUNIT_EXPECT_TRUE(test, count(0, 95));
		disable();
		KUNIT_EXPECT_TRUE(test, nmi());
		del(&counter);
		del(&other);
		other.hw.slots = 1;
		add(&other);
		enable();
		KUNIT_EXPECT_EQ(test, counter.hw.count, 200);
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(100));
		KUNIT_EXPECT_EQ(test, counter.overflows + other.overflows, 1);
	}
}

/* An NMI of another source accesses no register while no counter is loaded, and is not claimed. */
static void foreign_nmi_is_not_claimed(struct kunit *test)
{
	struct counter counter;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		registers_untouched();
		KUNIT_EXPECT_FALSE(test, nmi());
		KUNIT_EXPECT_TRUE(test, registers_untouched());
		counter = make(0x13c | USER, 1, 100);
		load(&counter);
		KUNIT_EXPECT_FALSE(test, nmi());
		KUNIT_EXPECT_EQ(test, counter.overflows, 0);
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(100));
		/* The counter has gone on. */
		KUNIT_EXPECT_TRUE(test, count(0, 100));
		KUNIT_EXPECT_TRUE(test, nmi());
		unload(&counter);
		time_passes();
		registers_untouched();
		KUNIT_EXPECT_FALSE(test, nmi());
		/* Only the status may be read. */
		KUNIT_EXPECT_EQ(test, reg.writes + reg.rdpmcs, 0);
	}
}

/* Bits 55 and up of GLOBAL_STATUS are for buffers, freezing and conditions. */
static void status_bits_beyond_counters_are_cleared(struct kunit *test)
{
	struct counter counter;
	unsigned int bit;

	for (bit = 55; bit < 64; bit++) {
		boot(&machines[INTEL_V4]);
		counter = make(0x13c | USER, 1, 100);
		load(&counter);
		reg.status = BIT_ULL(bit);
		KUNIT_EXPECT_FALSE(test, nmi());
		KUNIT_EXPECT_EQ(test, reg.status, 0);
		KUNIT_EXPECT_TRUE(test, count(0, 100));
		reg.status |= BIT_ULL(bit);
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, reg.status, 0);
		KUNIT_EXPECT_EQ(test, counter.overflows, 1);
	}
}

/*
 * Two counters are stopped just after an overflow. On machines whose status does not explain NMIs,
 * all NMIs are claimed for a while after that.
 */
static void late_nmis_are_claimed_for_a_while(struct kunit *test)
{
	struct counter counter, other;
	unsigned int i, n;
	u64 late;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		if (status_explains())
			continue;
		late = machines[i].vendor == X86_VENDOR_INTEL ? 100 * NSEC_PER_USEC :
							       100 * NSEC_PER_MSEC;
		counter = make(0x13c | USER, 1, 100);
		other = make(0xc4 | USER, 2, 100);
		load(&counter);
		load(&other);
		count(0, 100);
		count(1, 100);
		unload(&counter);
		unload(&other);
		KUNIT_EXPECT_TRUE(test, nmi());
		test_now += late - 1;
		for (n = 0; n < 5; n++)
			KUNIT_EXPECT_TRUE(test, nmi());
		test_now += 1;
		KUNIT_EXPECT_FALSE(test, nmi());
		/* The window does not open again if the clock goes back. */
		test_now -= late / 2;
		KUNIT_EXPECT_FALSE(test, nmi());
		/*
		 * If the clock restarts from 0 after sleep, the window closes at once; it does not
		 * stay open until the clock reaches the old time.
		 */
		test_now = 1000 * late;
		load(&counter);
		count(0, 100);
		unload(&counter);
		KUNIT_EXPECT_TRUE(test, nmi());
		test_now = late;
		KUNIT_EXPECT_FALSE(test, nmi());
		KUNIT_EXPECT_EQ(test, counter.overflows + other.overflows, 0);
	}
}

/*
 * Intel from version 2 on: two counters are stopped just after an overflow. The status explains
 * their NMI. Other NMIs are not claimed, however soon they come: an NMI of the board would be lost.
 */
static void nmi_without_a_status_bit_is_not_claimed(struct kunit *test)
{
	static const unsigned int rows[] = { INTEL_V2, INTEL_V4, INTEL_V5 };
	struct counter counter, other;
	unsigned int row;

	for (row = 0; row < ARRAY_SIZE(rows); row++) {
		boot(&machines[rows[row]]);
		counter = make(0x13c | USER, 1, 100);
		other = make(0xc4 | USER, 2, 100);
		load(&counter);
		load(&other);
		count(0, 100);
		count(1, 100);
		unload(&other);
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_FALSE(test, nmi());
		count(0, 100);
		unload(&counter);
		/* The NMI may take long, as on a virtual CPU that is not running. */
		time_passes();
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, reg.status, 0);
		KUNIT_EXPECT_EQ(test, reg.lvtpc, APIC_DM_NMI);
		KUNIT_EXPECT_FALSE(test, nmi());

		/* After the status was cleared, exactly one NMI is expected. */
		load(&counter);
		count(0, 100);
		unload(&counter);
		reset();
		KUNIT_EXPECT_EQ(test, reg.status, 0);
		test_now += 99 * NSEC_PER_MSEC;
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_FALSE(test, nmi());
		/* After a while no NMI is expected. */
		load(&counter);
		count(0, 100);
		unload(&counter);
		reset();
		time_passes();
		KUNIT_EXPECT_FALSE(test, nmi());
		/* Without an overflow no NMI is expected. */
		load(&counter);
		unload(&counter);
		reset();
		KUNIT_EXPECT_FALSE(test, nmi());
	}
}

/* Status bits that another user left before the claim are cleared, and do not block new ones. */
static void stale_status_of_others_is_cleared(struct kunit *test)
{
	struct counter counter;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		if (!machines[i].global)
			continue;
		boot(&machines[i]);
		reg.status = BIT_ULL(58) | 3;
		counter = make(0x13c | USER, 1, 100);
		load(&counter);
		KUNIT_EXPECT_EQ_MSG(test, reg.status, 0, "machine %u", i);
		/*
		 * After the last counter was unloaded, the status may have a bit that does not
		 * belong to a counter, such as the bit for frozen branches.
		 */
		unload(&counter);
		reg.status = BIT_ULL(58);
		KUNIT_EXPECT_FALSE(test, nmi());
		KUNIT_EXPECT_EQ_MSG(test, reg.status, 0, "machine %u", i);
	}
}

/*
 * An NMI is expected, but the board reports a reason for this one: arch/x86/kernel/nmi.c has to
 * handle it.
 */
static void nmi_with_a_board_reason_is_not_claimed(struct kunit *test)
{
	static const u8 reasons[] = { NMI_REASON_SERR, NMI_REASON_IOCHK };
	struct counter counter;
	unsigned int i, reason;

	for (i = 0; i < MACHINES; i++) {
		for (reason = 0; reason < ARRAY_SIZE(reasons); reason++) {
			boot(&machines[i]);
			counter = make(0x13c | USER, 1, 100);
			load(&counter);
			count(0, 100);
			KUNIT_EXPECT_TRUE(test, nmi());
			test_nmi_reason = reasons[reason];
			KUNIT_EXPECT_FALSE(test, nmi());
			count(0, 100);
			unload(&counter);
			reset();
			KUNIT_EXPECT_FALSE(test, nmi());
			/* Other bits of the register are no reasons. */
			test_nmi_reason = (u8)~NMI_REASON_MASK;
			KUNIT_EXPECT_TRUE_MSG(test, nmi(), "machine %u", i);
			test_nmi_reason = 0;
		}
	}
}

/*
 * The delivery of an NMI masks the LVTPC. The handler unmasks it, whatever the reason for the NMI.
 */
static void nmi_always_unmasks_the_lvtpc(struct kunit *test)
{
	struct counter counter;
	unsigned int i;

	for (i = INTEL_V1; i <= INTEL_V5; i++) {
		boot(&machines[i]);
		counter = make(0x13c | USER, 1, 100);
		load(&counter);
		/* An NMI comes without a status bit and without an overflow. */
		reg.lvtpc |= APIC_LVT_MASKED;
		KUNIT_EXPECT_FALSE(test, nmi());
		KUNIT_EXPECT_EQ(test, reg.lvtpc, APIC_DM_NMI);
		/* An NMI comes between disable and enable. */
		disable();
		reg.lvtpc |= APIC_LVT_MASKED;
		nmi();
		KUNIT_EXPECT_EQ(test, reg.lvtpc, APIC_DM_NMI);
		enable();
		/* An NMI comes after its counter was unloaded. */
		KUNIT_EXPECT_TRUE(test, count(0, 100));
		unload(&counter);
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, reg.lvtpc, APIC_DM_NMI);
		load(&counter);
		KUNIT_EXPECT_TRUE(test, count(0, 100));
	}
}

/*
 * A second overflow appears while the first one is handled; after that, a status bit cannot be
 * cleared.
 */
static void status_is_read_until_it_is_0(struct kunit *test)
{
	static const unsigned int rows[] = { INTEL_V2, INTEL_V4, AMD_ZEN4 };
	struct counter counter, other;
	unsigned int row;

	for (row = 0; row < ARRAY_SIZE(rows); row++) {
		boot(&machines[rows[row]]);
		counter = make(0x13c | USER, 1, 100);
		other = make(0xc4 | USER, 2, 100);
		load(&counter);
		load(&other);
		count(0, 100);
		count(1, 100);
		reg.status = 1;
		reg.later = 2;
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, counter.overflows, 1);
		KUNIT_EXPECT_EQ(test, other.overflows, 1);
		KUNIT_EXPECT_EQ(test, reg.ctrl, 3);
		KUNIT_EXPECT_FALSE(test, reg.early);

		reg.stuck = 1;
		count(0, 100);
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, counter.overflows, 2);
		KUNIT_EXPECT_EQ(test, reg.ctrl, 3);
	}
}

/* The status bit of a counter that was reprogrammed since the bit was set is not an overflow. */
static void stale_status_is_no_overflow(struct kunit *test)
{
	struct counter counter;

	boot(&machines[AMD_ZEN4]);
	counter = make(0x13c | USER, 1, 100);
	load(&counter);
	count(0, 40);
	reg.status = 1;
	KUNIT_EXPECT_TRUE(test, nmi());
	KUNIT_EXPECT_EQ(test, counter.overflows, 0);
	KUNIT_EXPECT_EQ(test, reg.status, 0);
	KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(60));
	KUNIT_EXPECT_TRUE(test, count(0, 60));
	KUNIT_EXPECT_TRUE(test, nmi());
	KUNIT_EXPECT_EQ(test, counter.overflows, 1);
	KUNIT_EXPECT_EQ(test, counter.hw.count, 100);
}

/*
 * The NMI comes after the release: it is claimed, but registers of the next user are not touched.
 */
static void late_nmi_after_release_is_claimed(struct kunit *test)
{
	struct counter counter;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		KUNIT_EXPECT_EQ(test, test_backend->claim(), 0);
		counter = make(0x13c | USER, 1, 100);
		load(&counter);
		KUNIT_EXPECT_TRUE(test, count(0, 100));
		unload(&counter);
		test_backend->release();
		/* values of the next user */
		reg.ctrl = 3;
		reg.status = 3;
		registers_untouched();
		KUNIT_EXPECT_TRUE(test, nmi());
		/*
		 * The delivery has masked the LVTPC. The handler unmasks it, as the next user might
		 * not.
		 */
		KUNIT_EXPECT_EQ(test, reg.lvtpc, APIC_DM_NMI);
		time_passes();
		KUNIT_EXPECT_FALSE(test, nmi());
		KUNIT_EXPECT_TRUE(test, registers_untouched());
	}
}

/* A counter that the core stops at an overflow stays stopped until it is loaded again. */
static void throttled_counter_stops(struct kunit *test)
{
	struct counter counter, other;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		counter = make(0x13c | USER, 1, 100);
		counter.stop = true;
		other = make(0xc4 | USER, 2, 0);
		load(&counter);
		KUNIT_EXPECT_TRUE(test, count(0, 100));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_TRUE(test, counter.hw.stopped);
		KUNIT_EXPECT_FALSE(test, count(0, 1000));
		KUNIT_EXPECT_EQ(test, read_count(&counter), 100);
		load(&other);
		KUNIT_EXPECT_FALSE(test, count(0, 1000));
		count(1, 33);
		KUNIT_EXPECT_EQ(test, read_count(&counter), 100);
		KUNIT_EXPECT_EQ(test, read_count(&other), 33);
		time_passes();
		KUNIT_EXPECT_FALSE(test, nmi());
		counter.stop = false;
		unload(&counter);
		load(&counter);
		KUNIT_EXPECT_FALSE(test, counter.hw.stopped);
		KUNIT_EXPECT_TRUE(test, count(0, 100));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, counter.overflows, 2);
		KUNIT_EXPECT_EQ(test, counter.hw.count, 200);
	}
}

/* A counter without samples goes on past 0, and does not overflow again there. */
static void counter_without_samples_counts_past_0(struct kunit *test)
{
	struct counter counter, other;
	unsigned int i;

	for (i = 0; i < MACHINES; i++) {
		boot(&machines[i]);
		counter = make(0x13c | USER, 1, 0);
		other = make(0xc4 | USER, 2, 100);
		load(&counter);
		load(&other);
		KUNIT_EXPECT_TRUE(test, count(0, machines[i].left + 5));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, counter.overflows, 1);
		KUNIT_EXPECT_EQ(test, value_of(0), 5);
		KUNIT_EXPECT_EQ(test, read_count(&counter), machines[i].left + 5);
		count(0, 3);
		KUNIT_EXPECT_TRUE(test, count(1, 100));
		KUNIT_EXPECT_TRUE(test, nmi());
		KUNIT_EXPECT_EQ(test, nmi(), !status_explains());
		KUNIT_EXPECT_EQ(test, counter.overflows, 1);
		KUNIT_EXPECT_EQ(test, other.overflows, 1);
		/* When loaded again, the counter starts at its lowest value. */
		time_passes();
		unload(&counter);
		KUNIT_EXPECT_FALSE(test, nmi());
		load(&counter);
		KUNIT_EXPECT_EQ(test, value_of(0), overflows_after(machines[i].left));
		KUNIT_EXPECT_EQ(test, read_count(&counter), machines[i].left + 8);
		/*
		 * In another slot, too, the counter starts at its lowest value, even if a similar
		 * counter has left its value there.
		 */
		KUNIT_EXPECT_TRUE(test, count(0, machines[i].left));
		KUNIT_EXPECT_TRUE(test, nmi());
		unload(&other);
		other.hw.next = 0;
		load(&other);
		unload(&other);
		unload(&counter);
		counter.hw.slots = 2;
		load(&counter);
		KUNIT_EXPECT_EQ(test, counter.hw.slot, 1);
		KUNIT_EXPECT_TRUE(test, count(1, machines[i].left + 1));
		KUNIT_EXPECT_TRUE_MSG(test, nmi(), "machine %u", i);
		KUNIT_EXPECT_EQ(test, counter.overflows, 3);
		KUNIT_EXPECT_EQ(test, read_count(&counter), 3 * machines[i].left + 9);
	}
}

/*
 * Add a third counter, which makes two others move. Raise an NMI together with the @nmi_at-th
 * register access after that: the NMI of the first counter's overflow, or another NMI if that one
 * has come already. Return false if there were fewer accesses.
 */
static bool counters_move_with_an_nmi_at(struct kunit *test, const struct machine *which,
					 bool branches, unsigned int nmi_at)
{
	bool many = which->general >= 4, interrupted;
	struct counter first, second, third;
	unsigned int n;

	boot(which);
	__this_cpu_write(x86_lbr_branches, branches);
	first = make(0x13c | USER, many ? 0x5 : 0x3, 100);
	second = make(0xc4 | USER, many ? 0xc : 0x2, 0);
	third = make(0xc0 | USER, 0x1, 0);
	first.branches = branches;
	load(&first);
	/* The first counter moves to the slot of the second, which moves to the next one. */
	if (many) {
		load(&second);
		count(second.hw.slot, 10);
	}
	KUNIT_EXPECT_TRUE(test, count(first.hw.slot, 103));
	reg.nmi_at = nmi_at;
	disable();
	KUNIT_EXPECT_EQ(test, add(&third), 0);
	enable();
	interrupted = !reg.nmi_at;
	reg.nmi_at = 0;
	nmi();
	KUNIT_EXPECT_EQ(test, third.hw.slot, 0);
	count(third.hw.slot, 5);
	/* If the overflow was not reported yet, it is reported when the counter goes on. */
	for (n = 0; n < 2; n++) {
		count(first.hw.slot, 1);
		nmi();
	}
	KUNIT_EXPECT_EQ_MSG(test, first.overflows, 1, "NMI at access %u", nmi_at);
	unload(&first);
	unload(&third);
	if (many) {
		count(second.hw.slot, 1);
		unload(&second);
		KUNIT_EXPECT_EQ(test, second.hw.count, 11);
	}
	KUNIT_EXPECT_EQ_MSG(test, first.hw.count, 105, "NMI at access %u", nmi_at);
	KUNIT_EXPECT_EQ_MSG(test, third.hw.count, 5, "NMI at access %u", nmi_at);
	KUNIT_EXPECT_EQ(test, second.overflows + third.overflows, 0);
	__this_cpu_write(x86_lbr_branches, 0);
	return interrupted;
}

/* Whenever an NMI comes, its handler finds a counter in each slot that is marked as used. */
static void nmi_may_come_with_any_register_access(struct kunit *test)
{
	unsigned int i, branches, nmi_at;

	for (i = 0; i < MACHINES; i++) {
		for (branches = 0; branches < 1 + machines[i].global; branches++) {
			nmi_at = 1;
			while (counters_move_with_an_nmi_at(test, &machines[i], branches,
							    nmi_at))
				nmi_at++;
			/*
			 * A move needs more than four accesses: a stop, a start, and a value for
			 * each counter.
			 */
			KUNIT_EXPECT_GT_MSG(test, nmi_at, 4, "machine %u", i);
		}
	}
}

/* Frozen branch records are released before the CPU records again. */
static void frozen_branch_records_are_released(struct kunit *test)
{
	const u64 frozen = BIT_ULL(58);
	struct counter counter;

	KUNIT_ASSERT_TRUE(test, boot(&machines[INTEL_V4]));
	/* Another user froze the records before the claim. */
	reg.status = frozen;
	counter = make(0xc0 | USER, 1, 100);
	load(&counter);
	KUNIT_EXPECT_EQ(test, reg.status, 0);
	/* An overflow froze the records, and its counter is unloaded before the NMI. */
	KUNIT_EXPECT_TRUE(test, count(0, 100));
	reg.status |= frozen;
	unload(&counter);
	KUNIT_EXPECT_TRUE(test, nmi());
	KUNIT_EXPECT_EQ(test, reg.status & frozen, 0);
	/* An overflow froze the records, and its NMI comes after the release. */
	load(&counter);
	reg.status |= frozen;
	unload(&counter);
	reset();
	KUNIT_EXPECT_EQ(test, reg.status & frozen, 0);
}

static struct kunit_case nmi_cases[] = {
	KUNIT_CASE(overflow_is_reported),
	KUNIT_CASE(two_overflows_at_once_are_reported),
	KUNIT_CASE(nmi_of_an_unloaded_counter_is_claimed),
	KUNIT_CASE(overflow_while_disabled_waits_for_enable),
	KUNIT_CASE(foreign_nmi_is_not_claimed),
	KUNIT_CASE(status_bits_beyond_counters_are_cleared),
	KUNIT_CASE(late_nmis_are_claimed_for_a_while),
	KUNIT_CASE(nmi_without_a_status_bit_is_not_claimed),
	KUNIT_CASE(stale_status_of_others_is_cleared),
	KUNIT_CASE(nmi_with_a_board_reason_is_not_claimed),
	KUNIT_CASE(nmi_always_unmasks_the_lvtpc),
	KUNIT_CASE(status_is_read_until_it_is_0),
	KUNIT_CASE(stale_status_is_no_overflow),
	KUNIT_CASE(late_nmi_after_release_is_claimed),
	KUNIT_CASE(throttled_counter_stops),
	KUNIT_CASE(counter_without_samples_counts_past_0),
	KUNIT_CASE(nmi_may_come_with_any_register_access),
	KUNIT_CASE(frozen_branch_records_are_released),
	{}
};

static struct kunit_suite nmi_suite = {
	.name = "perf_counter_x86_nmi",
	.init = machine_init,
	.exit = machine_exit,
	.test_cases = nmi_cases,
};

kunit_test_suites(&event_suite, &slot_suite, &register_suite, &nmi_suite);
