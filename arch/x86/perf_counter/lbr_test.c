// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the branch records of x86: the recorder of each machine, the values written to its
 * registers, and the contents of records.
 *
 * The driver's source is included below, with registers and CPUID replaced by a simulated machine.
 * Numbers of registers and layouts of records are written here a second time, from the manuals. The
 * simulated machine records nothing by itself: tests write the records.
 */

#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cpufeature.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/perf_counter_hw.h>
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

/* === The machine === */

#define ENTRIES		32

/**
 * struct lbr_machine - CPUID and registers of a machine
 * @vendor: X86_VENDOR_*
 * @vfm: model, INTEL_*; 0 for a model that the driver does not name
 * @features: X86_FEATURE_*, terminated by 0
 * @format: bits 5 to 0 of IA32_PERF_CAPABILITIES
 * @entries: number of records
 * @zeroes: registers of records ignore writes and return 0
 */
struct lbr_machine {
	u8		vendor;
	u32		vfm;
	unsigned int	features[4];
	u64		format;
	unsigned int	entries;
	bool		zeroes;
};

static const struct lbr_machine *lbr_machine;
static struct cpuinfo_x86 test_cpu;
static DECLARE_BITMAP(test_features, MAX_CPU_FEATURES);

/*
 * Registers of the simulated machine, and numbers of accesses; @unknown counts unsafe accesses to
 * registers that do not exist.
 */
static struct {
	u64		select;
	u64		tos;
	u64		debugctl;
	u64		ctl;
	u64		depth;
	u64		dbg_extn_cfg;
	u64		from[ENTRIES];
	u64		to[ENTRIES];
	u64		info[ENTRIES];
	unsigned int	debugctl_writes;
	unsigned int	unknown;
} lbr_reg;

static u64 *record_register(u64 *first, u32 i)
{
	return i < lbr_machine->entries ? &first[i] : NULL;
}

static u64 *old_register(u32 msr)
{
	switch (msr) {
	case 0x1c8:
		return &lbr_reg.select;
	case 0x1c9:
		return &lbr_reg.tos;
	case 0x680 ... 0x69f:
		return record_register(lbr_reg.from, msr - 0x680);
	case 0x6c0 ... 0x6df:
		return record_register(lbr_reg.to, msr - 0x6c0);
	case 0xdc0 ... 0xddf:
		return lbr_machine->format == 5 || lbr_machine->format == 7 ?
			record_register(lbr_reg.info, msr - 0xdc0) : NULL;
	default:
		return NULL;
	}
}

static u64 *arch_register(u32 msr)
{
	switch (msr) {
	case 0x14ce:
		return &lbr_reg.ctl;
	case 0x14cf:
		return &lbr_reg.depth;
	case 0x1200 ... 0x121f:
		return record_register(lbr_reg.info, msr - 0x1200);
	case 0x1500 ... 0x151f:
		return record_register(lbr_reg.from, msr - 0x1500);
	case 0x1600 ... 0x161f:
		return record_register(lbr_reg.to, msr - 0x1600);
	default:
		return NULL;
	}
}

static u64 *amd_register(u32 msr)
{
	switch (msr) {
	case 0xc000010e:
		return &lbr_reg.select;
	case 0xc000010f:
		return &lbr_reg.dbg_extn_cfg;
	case 0xc0010300 ... 0xc001033f:
		return record_register(msr % 2 ? lbr_reg.to : lbr_reg.from,
				       (msr - 0xc0010300) / 2);
	default:
		return NULL;
	}
}

static u64 *lbr_register(u32 msr)
{
	if (msr == 0x1d9)
		return &lbr_reg.debugctl;
	if (lbr_machine->vendor != X86_VENDOR_INTEL)
		return amd_register(msr);
	return test_bit(X86_FEATURE_ARCH_LBR, test_features) ? arch_register(msr) :
							       old_register(msr);
}

static int lbr_test_write(u32 msr, u64 value)
{
	u64 *to = lbr_register(msr);

	if (!to)
		return -EIO;
	lbr_reg.debugctl_writes += to == &lbr_reg.debugctl;
	*to = lbr_machine->zeroes && to != &lbr_reg.debugctl ? 0 : value;
	if (to == &lbr_reg.depth) {
		memset(lbr_reg.from, 0, sizeof(lbr_reg.from));
		memset(lbr_reg.to, 0, sizeof(lbr_reg.to));
		memset(lbr_reg.info, 0, sizeof(lbr_reg.info));
	}
	return 0;
}

static int lbr_test_read(u32 msr, u64 *value)
{
	u64 *from = lbr_register(msr);

	if (msr == 0x345 && lbr_machine->format) {
		*value = lbr_machine->format | BIT(13);
		return 0;
	}
	*value = from ? *from : 0;
	return from ? 0 : -EIO;
}

static void lbr_must(int err)
{
	lbr_reg.unknown += !!err;
}

static void lbr_test_cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	*eax = *ebx = *ecx = *edx = 0;
	switch (leaf) {
	case 0x1c:
		*eax = GENMASK(lbr_machine->entries / 8 - 1, 0);
		*ebx = 7;
		*ecx = 7;
		break;
	case 0x80000022:
		*ebx = lbr_machine->entries << 4;
		break;
	default:
		lbr_reg.unknown++;
	}
}

static u32 lbr_test_cpuid_ebx(u32 leaf)
{
	u32 eax, ebx, ecx, edx;

	lbr_test_cpuid(leaf, &eax, &ebx, &ecx, &edx);
	return ebx;
}

/* === The driver, on the simulated machine === */

#undef rdmsrl
#define rdmsrl(msr, value)		lbr_must(lbr_test_read(msr, &(value)))
#define rdmsrl_safe(msr, value)		lbr_test_read(msr, value)
#define wrmsrl(msr, value)		lbr_must(lbr_test_write(msr, value))
#define wrmsrl_safe(msr, value)		lbr_test_write(msr, value)
#define cpuid(leaf, a, b, c, d)		lbr_test_cpuid(leaf, a, b, c, d)
#define cpuid_ebx(leaf)			lbr_test_cpuid_ebx(leaf)
#define boot_cpu_data			test_cpu
#undef boot_cpu_has
#define boot_cpu_has(feature)		test_bit(feature, test_features)
#undef pr_info
#define pr_info(...)			no_printk(__VA_ARGS__)

/* Rename global symbols, and drop annotations of data that is freed or protected after boot. */
#define x86_lbr_branches		test_lbr_branches
#define x86_lbr_init			test_lbr_init
#define x86_lbr_resume			test_lbr_resume
#define x86_lbr_reset			test_lbr_reset
#define x86_lbr_start			test_lbr_start
static const struct perf_counter_recorder *test_lbr_init(void);
static void test_lbr_resume(void);
static void test_lbr_reset(void);
static bool test_lbr_start(u32 what);
#undef __init
#define __init
#undef __ro_after_init
#define __ro_after_init

#include "lbr.c"

#define USER		PERF_COUNTER_BRANCH_USER
#define KERNEL		PERF_COUNTER_BRANCH_KERNEL
#define KINDS		PERF_COUNTER_BRANCH_KINDS
#define INFO		PERF_COUNTER_BRANCH_INFO
#define CALLS		(PERF_COUNTER_BRANCH_CALL_STACK | PERF_COUNTER_BRANCH_CALL |		\
			 PERF_COUNTER_BRANCH_IND_CALL | PERF_COUNTER_BRANCH_RET | USER)
#define DEBUGCTL_LBR	BIT_ULL(0)
#define MISPREDICTED	BIT_ULL(63)

enum {
	NEHALEM, WESTMERE, SANDY_BRIDGE, HASWELL, BROADWELL, SKYLAKE, GOLDMONT, GOLDMONT_PLUS,
	TREMONT, SAPPHIRE_RAPIDS, ZEN4, ZEN4_NO_FREEZE, MACHINES
};

#define INTEL_OLD(model, fmt, nr)								\
	{ .vendor = X86_VENDOR_INTEL, .vfm = model, .features = { X86_FEATURE_PDCM },		\
	  .format = fmt, .entries = nr }

static const struct lbr_machine lbr_machines[MACHINES] = {
	[NEHALEM]	= INTEL_OLD(INTEL_NEHALEM_EP, 3, 16),
	[WESTMERE]	= INTEL_OLD(INTEL_WESTMERE, 3, 16),
	[SANDY_BRIDGE]	= INTEL_OLD(INTEL_SANDYBRIDGE, 3, 16),
	[HASWELL]	= INTEL_OLD(INTEL_HASWELL, 4, 16),
	[BROADWELL]	= INTEL_OLD(INTEL_BROADWELL, 4, 16),
	[SKYLAKE]	= INTEL_OLD(INTEL_SKYLAKE, 5, 32),
	[GOLDMONT]	= INTEL_OLD(INTEL_ATOM_GOLDMONT, 6, 32),
	[GOLDMONT_PLUS]	= INTEL_OLD(INTEL_ATOM_GOLDMONT_PLUS, 7, 32),
	[TREMONT]	= INTEL_OLD(INTEL_ATOM_TREMONT, 7, 32),
	[SAPPHIRE_RAPIDS] = {
		.vendor = X86_VENDOR_INTEL, .vfm = INTEL_SAPPHIRERAPIDS_X,
		.features = { X86_FEATURE_PDCM, X86_FEATURE_ARCH_LBR }, .format = 0x3f,
		.entries = 32,
	},
	[ZEN4] = {
		.vendor = X86_VENDOR_AMD, .entries = 16,
		.features = { X86_FEATURE_AMD_LBR_V2, X86_FEATURE_AMD_LBR_PMC_FREEZE },
	},
	[ZEN4_NO_FREEZE] = {
		.vendor = X86_VENDOR_AMD, .entries = 16, .features = { X86_FEATURE_AMD_LBR_V2 },
	},
};

/* Initialize the driver on @which, with all registers 0. Return the recorder, or NULL. */
static const struct perf_counter_recorder *lbr_boot(const struct lbr_machine *which)
{
	const unsigned int *feature;
	unsigned int cpu;

	lbr_machine = which;
	memset(&lbr_reg, 0, sizeof(lbr_reg));
	test_cpu.x86_vendor = which->vendor;
	test_cpu.x86_vfm = which->vfm;
	test_cpu.x86_virt_bits = 48;
	bitmap_zero(test_features, MAX_CPU_FEATURES);
	for (feature = which->features; *feature; feature++)
		__set_bit(*feature, test_features);
	for_each_possible_cpu(cpu) {
		per_cpu(lbr_cpu, cpu) = (struct lbr_cpu) {};
		per_cpu(x86_lbr_branches, cpu) = 0;
	}
	return x86_lbr_init();
}

static void lbr_test_exit(struct kunit *test)
{
	/* No test may access a register that its last machine lacks. */
	KUNIT_EXPECT_EQ(test, lbr_reg.unknown, 0);
}

/*
 * Write the record that is @age records older than the youngest one. Models with TOS have their
 * youngest record at 2.
 */
static void record(unsigned int age, u64 from, u64 to, u64 info)
{
	unsigned int i = age;

	if (lbr.tos) {
		lbr_reg.tos = 2;
		i = (lbr_reg.tos - age) % lbr_machine->entries;
	}
	lbr_reg.from[i] = from;
	lbr_reg.to[i] = to;
	lbr_reg.info[i] = info;
}

static struct perf_counter_branches *read_records(u32 what)
{
	static struct perf_counter_branches branches;

	memset(&branches, 0, sizeof(branches));
	lbr.recorder.read(&branches, what);
	return &branches;
}

/* === Detection === */

static void recorder_has_the_features_of_the_machine(struct kunit *test)
{
	static const struct {
		unsigned int nr;
		bool calls, kernel, tx;
	} expected[MACHINES] = {
		[NEHALEM]		= { 16, false, true, true },
		[WESTMERE]		= { 16, false, true, true },
		[SANDY_BRIDGE]		= { 16, false, true, true },
		[HASWELL]		= { 16, true, true, true },
		[BROADWELL]		= { 16, true, true, true },
		[SKYLAKE]		= { 32, true, true, true },
		[GOLDMONT]		= { 32, true, true, true },
		[GOLDMONT_PLUS]		= { 32, true, true, true },
		[TREMONT]		= { 32, true, true, true },
		[SAPPHIRE_RAPIDS]	= { 32, true, true, true },
		[ZEN4]			= { 16, false, true, false },
		[ZEN4_NO_FREEZE]	= { 16, false, false, false },
	};
	const struct perf_counter_recorder *recorder;

	for (unsigned int i = 0; i < MACHINES; i++) {
		recorder = lbr_boot(&lbr_machines[i]);
		KUNIT_ASSERT_NOT_NULL_MSG(test, recorder, "machine %u", i);
		KUNIT_EXPECT_EQ_MSG(test, lbr_nr, expected[i].nr, "machine %u", i);
		KUNIT_EXPECT_EQ(test, !!(recorder->can & PERF_COUNTER_BRANCH_CALL_STACK),
				expected[i].calls);
		KUNIT_EXPECT_EQ(test, !!(recorder->can & KERNEL), expected[i].kernel);
		KUNIT_EXPECT_EQ(test, !!(recorder->can & PERF_COUNTER_BRANCH_TX), expected[i].tx);
		KUNIT_EXPECT_EQ(test, recorder->can & (KINDS | USER | INFO), KINDS | USER | INFO);
		KUNIT_EXPECT_EQ(test, lbr_reg.unknown, 0);
	}
}

static void no_recorder_if_registers_keep_nothing(struct kunit *test)
{
	struct lbr_machine other;

	for (unsigned int i = NEHALEM; i <= TREMONT; i++) {
		/* A hypervisor may ignore writes and return zeroes. */
		other = lbr_machines[i];
		other.zeroes = true;
		KUNIT_EXPECT_NULL_MSG(test, lbr_boot(&other), "machine %u", i);
		/* A model may have fewer records, as Knights Landing has. */
		other = lbr_machines[i];
		other.entries = 8;
		KUNIT_EXPECT_NULL_MSG(test, lbr_boot(&other), "machine %u", i);
		/* The values written by the detection are cleared. */
		KUNIT_EXPECT_NOT_NULL(test, lbr_boot(&lbr_machines[i]));
		KUNIT_EXPECT_EQ(test, lbr_reg.select | lbr_reg.tos | lbr_reg.from[15] |
				lbr_reg.to[15] | lbr_reg.info[15], 0);
	}
	other = lbr_machines[SKYLAKE];
	other.format = 2;
	KUNIT_EXPECT_NULL(test, lbr_boot(&other));
	other.format = 8;
	KUNIT_EXPECT_NULL(test, lbr_boot(&other));
	other = lbr_machines[ZEN4];
	other.entries = 0;
	KUNIT_EXPECT_NULL(test, lbr_boot(&other));
}

/* === Switching on and off === */

static void calls_are_recorded_with_jumps_on_nehalem(struct kunit *test)
{
	/* LBR_SELECT for user mode: a set bit excludes branches; bit 0 excludes the kernel's. */
	static const struct {
		u32 what;
		u64 nehalem, others;
	} cases[] = {
		{ PERF_COUNTER_BRANCH_CALL, 0x135, 0x1f5 },
		{ PERF_COUNTER_BRANCH_IND_CALL, 0x1ad, 0x1ed },
		{ PERF_COUNTER_BRANCH_RET, 0x11d, 0x1dd },
		{ PERF_COUNTER_BRANCH_COND, 0x1f9, 0x1f9 },
		{ PERF_COUNTER_BRANCH_JMP, 0x17d, 0x17d },
		{ PERF_COUNTER_BRANCH_IND_JMP, 0x1bd, 0x1bd },
		{ KINDS, 0x001, 0x001 },
	};
	u64 select;

	guard(irqsave)();
	for (unsigned int m = NEHALEM; m <= SANDY_BRIDGE; m++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
			lbr_boot(&lbr_machines[m]);
			lbr.recorder.start(cases[i].what | USER);
			select = cases[i].nehalem;
			if (m == SANDY_BRIDGE)
				select = cases[i].others;
			KUNIT_EXPECT_EQ_MSG(test, lbr_reg.select, select, "machine %u, case %u",
					    m, i);
			x86_lbr_reset();
			KUNIT_EXPECT_EQ(test, lbr_reg.select | lbr_reg.debugctl, 0);
		}
	}
}

static void recording_resumes_after_a_debug_exception(struct kunit *test)
{
	static const unsigned int old[] = { NEHALEM, HASWELL, SKYLAKE, GOLDMONT };
	unsigned int writes;

	guard(irqsave)();
	for (unsigned int i = 0; i < ARRAY_SIZE(old); i++) {
		lbr_boot(&lbr_machines[old[i]]);
		lbr.recorder.start(KINDS | USER);
		KUNIT_EXPECT_EQ(test, lbr_reg.debugctl, DEBUGCTL_LBR);
		/* If no debug exception has cleared DEBUGCTL.LBR, resuming writes no register. */
		writes = lbr_reg.debugctl_writes;
		lbr.recorder.resume();
		x86_lbr_resume();
		KUNIT_EXPECT_EQ(test, lbr_reg.debugctl_writes, writes);
		/*
		 * A debug exception has cleared DEBUGCTL.LBR. Resuming sets it again, and keeps BTF
		 * (bit 1), which belongs to another user.
		 */
		lbr_reg.debugctl = BIT(1);
		lbr.recorder.resume();
		KUNIT_EXPECT_EQ(test, lbr_reg.debugctl, DEBUGCTL_LBR | BIT(1));
		lbr_reg.debugctl = 0;
		x86_lbr_resume();
		KUNIT_EXPECT_EQ(test, lbr_reg.debugctl, DEBUGCTL_LBR);
		/* A stopped recorder stays stopped. */
		lbr.recorder.stop();
		lbr.recorder.resume();
		x86_lbr_resume();
		KUNIT_EXPECT_EQ(test, lbr_reg.debugctl, 0);
	}
	/* Debug exceptions do not stop other recorders. */
	for (unsigned int i = SAPPHIRE_RAPIDS; i <= ZEN4_NO_FREEZE; i++) {
		lbr_boot(&lbr_machines[i]);
		lbr.recorder.start(KINDS | USER);
		lbr.recorder.resume();
		x86_lbr_resume();
		KUNIT_EXPECT_EQ(test, lbr_reg.debugctl_writes, 0);
	}
}

static void freeze_bit_is_set_only_if_supported(struct kunit *test)
{
	guard(irqsave)();
	lbr_boot(&lbr_machines[ZEN4]);
	lbr.recorder.start(KINDS | USER | KERNEL);
	KUNIT_EXPECT_EQ(test, lbr_reg.debugctl, BIT(11));
	KUNIT_EXPECT_EQ(test, lbr_reg.dbg_extn_cfg, BIT(6));
	lbr_boot(&lbr_machines[ZEN4_NO_FREEZE]);
	lbr.recorder.start(KINDS | USER);
	KUNIT_EXPECT_EQ(test, lbr_reg.debugctl, 0);
	KUNIT_EXPECT_EQ(test, lbr_reg.dbg_extn_cfg, BIT(6));
}

/* The machines on which recording a call stack begins with empty records. */
static const unsigned int with_calls[] = { HASWELL, SKYLAKE, GOLDMONT, SAPPHIRE_RAPIDS };

static void fill_records(void)
{
	for (unsigned int age = 0; age < lbr_nr; age++)
		record(age, 0xbad000, 0xbad100, 0);
}

static unsigned int filled_records(void)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < lbr_nr; i++)
		nr += !!lbr_reg.from[i];
	return nr;
}

/*
 * Records are kept while recording is stopped. They are not those of the new filter at the first
 * start, and when a call stack is recorded instead of branches or the other way round.
 */
static void records_are_kept_for_the_same_use(struct kunit *test)
{
	guard(irqsave)();
	for (unsigned int m = 0; m < ARRAY_SIZE(with_calls); m++) {
		lbr_boot(&lbr_machines[with_calls[m]]);
		KUNIT_EXPECT_FALSE_MSG(test, lbr.recorder.start(KINDS | USER), "machine %u",
				       with_calls[m]);
		lbr.recorder.stop();
		KUNIT_EXPECT_TRUE(test, lbr.recorder.start(KINDS | USER));
		lbr.recorder.stop();
		KUNIT_EXPECT_FALSE(test, lbr.recorder.start(CALLS));
		lbr.recorder.stop();
		KUNIT_EXPECT_TRUE(test, lbr.recorder.start(CALLS));
		lbr.recorder.stop();
		KUNIT_EXPECT_FALSE(test, lbr.recorder.start(KINDS | USER));
		x86_lbr_reset();
		KUNIT_EXPECT_FALSE(test, lbr.recorder.start(KINDS | USER));
	}
}

/*
 * Calls of another task must not be among those of a call stack. With a depth register, one write
 * clears all records, so records of branches also begin empty on such machines.
 */
static void a_call_stack_begins_empty(struct kunit *test)
{
	guard(irqsave)();
	for (unsigned int m = 0; m < ARRAY_SIZE(with_calls); m++) {
		lbr_boot(&lbr_machines[with_calls[m]]);
		fill_records();
		KUNIT_EXPECT_EQ(test, filled_records(), lbr_nr);
		lbr.recorder.start(CALLS);
		KUNIT_EXPECT_EQ_MSG(test, filled_records(), 0, "machine %u", with_calls[m]);
		fill_records();
		lbr.recorder.stop();
		lbr.recorder.start(CALLS);
		KUNIT_EXPECT_EQ(test, filled_records(), lbr_nr);
	}
	lbr_boot(&lbr_machines[SAPPHIRE_RAPIDS]);
	fill_records();
	lbr.recorder.start(KINDS | USER);
	KUNIT_EXPECT_EQ(test, filled_records(), 0);
}

/* A reset of the recorder clears its own bits of the registers, and keeps those of other users. */
static void reset_leaves_no_bit_set(struct kunit *test)
{
	static const u32 what[] = { KINDS | USER, KINDS | USER | KERNEL };

	guard(irqsave)();
	for (unsigned int m = NEHALEM; m <= ZEN4; m++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(what); i++) {
			lbr_boot(&lbr_machines[m]);
			lbr_reg.debugctl = BIT(1);
			lbr.recorder.start(what[i]);
			if (what[i] & KERNEL)
				KUNIT_EXPECT_TRUE_MSG(test, lbr_reg.debugctl & BIT(11),
						      "machine %u", m);
			x86_lbr_reset();
			KUNIT_EXPECT_EQ_MSG(test, lbr_reg.debugctl, BIT(1), "machine %u", m);
			KUNIT_EXPECT_EQ(test, lbr_reg.select | lbr_reg.ctl | lbr_reg.dbg_extn_cfg,
					0);
		}
	}
}

/* === Records === */

static void each_format_is_decoded(struct kunit *test)
{
	const u64 user = 0x401000, high = 0xffffffff81000000;
	/* Bits of a record in each format: mispredicted, 7 cycles, in an aborted transaction. */
	static const struct {
		u64 from, to, info;
	} bits[] = {
		[3] = { MISPREDICTED },
		[4] = { MISPREDICTED | BIT_ULL(62) | BIT_ULL(61) },
		[5] = { 0, 0, MISPREDICTED | BIT_ULL(62) | BIT_ULL(61) | 7 },
		[6] = { MISPREDICTED, 7ULL << 48 },
		[7] = { 0, 0, MISPREDICTED | BIT_ULL(62) | BIT_ULL(61) | 7 },
	};
	struct perf_branch_entry *e;
	unsigned int format;
	bool tx;

	guard(irqsave)();
	for (unsigned int i = NEHALEM; i <= TREMONT; i++) {
		lbr_boot(&lbr_machines[i]);
		format = lbr_machine->format;
		tx = format == 4 || format == 5;
		__set_bit(X86_FEATURE_RTM, test_features);
		lbr.recorder.start(KINDS | USER | INFO);
		record(0, user | bits[format].from, (user + 8) | bits[format].to,
		       bits[format].info);
		/*
		 * A kernel address without flags. In some formats, the flags replace its upper
		 * bits.
		 */
		record(1, format == 3 || format == 6 ? high & ~MISPREDICTED :
			  format == 4 ? high & GENMASK_ULL(60, 0) : high,
		       format == 6 ? high & GENMASK_ULL(47, 0) : high, 0);
		KUNIT_EXPECT_EQ(test, read_records(KINDS | USER | INFO)->nr, 2);
		e = read_records(KINDS | USER | INFO)->entries;
		KUNIT_EXPECT_EQ_MSG(test, e[0].from, user, "machine %u", i);
		KUNIT_EXPECT_EQ_MSG(test, e[0].to, user + 8, "machine %u", i);
		KUNIT_EXPECT_EQ(test, (u32)e[0].mispred, 1);
		KUNIT_EXPECT_EQ(test, (u32)e[0].predicted, 0);
		KUNIT_EXPECT_EQ_MSG(test, (u32)e[0].cycles, format < 5 ? 0 : 7, "machine %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (u32)e[0].in_tx, tx, "machine %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (u32)e[0].abort, tx, "machine %u", i);
		KUNIT_EXPECT_EQ_MSG(test, e[1].from, high, "machine %u", i);
		KUNIT_EXPECT_EQ_MSG(test, e[1].to, high, "machine %u", i);
		KUNIT_EXPECT_EQ(test, (u32)e[1].predicted, 1);
		KUNIT_EXPECT_EQ(test, (u32)e[1].cycles, 0);
		/* Without PERF_COUNTER_BRANCH_INFO there are no cycles. */
		lbr.recorder.start(KINDS | USER);
		KUNIT_EXPECT_EQ_MSG(test, (u32)read_records(KINDS | USER)->entries[0].cycles, 0,
				    "machine %u", i);
	}
}

static void an_abort_is_reported_once_on_haswell(struct kunit *test)
{
	struct perf_counter_branches *branches;

	guard(irqsave)();
	for (unsigned int i = HASWELL; i <= BROADWELL; i++) {
		lbr_boot(&lbr_machines[i]);
		__set_bit(X86_FEATURE_RTM, test_features);
		lbr.recorder.start(KINDS | USER | INFO);
		record(0, 0x1000, 0x2000, 0);
		record(1, 0x3000, 0x4000, 0);
		record(2, 0x5000 | BIT_ULL(61), 0x4000, 0);
		record(3, 0x6000, 0x7000, 0);
		branches = read_records(KINDS | USER | INFO);
		if (i == BROADWELL) {
			KUNIT_EXPECT_EQ(test, branches->nr, 4);
			continue;
		}
		KUNIT_EXPECT_EQ(test, branches->nr, 3);
		KUNIT_EXPECT_EQ(test, branches->entries[0].from, 0x1000);
		KUNIT_EXPECT_EQ(test, branches->entries[1].from, 0x5000);
		KUNIT_EXPECT_EQ(test, (u32)branches->entries[1].abort, 1);
		KUNIT_EXPECT_EQ(test, branches->entries[2].from, 0x6000);
		/*
		 * An aborted youngest record replaces no other record, as there is no younger one.
		 */
		record(0, 0x1000 | BIT_ULL(61), 0x2000, 0);
		KUNIT_EXPECT_EQ(test, read_records(KINDS | USER | INFO)->nr, 3);
	}
}

static void amd_skips_invalid_records(struct kunit *test)
{
	const u64 valid = BIT_ULL(63), speculative = BIT_ULL(62), reserved = BIT_ULL(61);
	struct perf_counter_branches *branches;

	guard(irqsave)();
	lbr_boot(&lbr_machines[ZEN4]);
	lbr.recorder.start(KINDS | USER);
	for (unsigned int i = 0; i < 16; i++)
		record(i, 0x1000 * (i + 1), (0x1000 * (i + 1) + 4) | valid, 0);
	KUNIT_EXPECT_EQ(test, read_records(KINDS | USER)->nr, 16);
	record(1, 0x2000, 0x2004, 0);
	record(3, 0x4000, 0x4004 | reserved, 0);
	record(4, 0x5000, 0x5004 | speculative, 0);
	branches = read_records(KINDS | USER);
	KUNIT_EXPECT_EQ(test, branches->nr, 14);
	KUNIT_EXPECT_EQ(test, branches->entries[0].from, 0x1000);
	KUNIT_EXPECT_EQ(test, branches->entries[1].from, 0x3000);
	KUNIT_EXPECT_EQ(test, branches->entries[2].from, 0x5000);
	KUNIT_EXPECT_EQ(test, branches->entries[13].from, 0x10000);
	/* Reading stops at the wiped record, also after it has become older. */
	lbr.recorder.wipe();
	KUNIT_EXPECT_EQ(test, read_records(KINDS | USER)->nr, 0);
	record(2, lbr_reg.from[0], lbr_reg.to[0], 0);
	record(0, 0xa000, 0xa004 | valid, 0);
	record(1, 0xb000, 0xb004, 0);
	KUNIT_EXPECT_EQ(test, read_records(KINDS | USER)->nr, 1);
}

/*
 * Run a comparison, and then a conditional jump, which a CPU may fuse with it. Returns the address
 * of the comparison.
 */
static noinline u64 fused_instructions(void)
{
	u64 at;

	asm volatile("lea 1f(%%rip), %0\n"
		     "1:	cmp %%eax, %%eax\n"
		     "	jne 2f\n"
		     "2:"
		     : "=r"(at) : : "cc");
	return at;
}

/* AMD reports the address of the first of two fused instructions; Intel that of the jump. */
static void a_fused_jump_is_found_behind_its_comparison(struct kunit *test)
{
	const u64 at = fused_instructions();
	struct perf_branch_entry entry;

	for (unsigned int m = 0; m < MACHINES; m++) {
		lbr_boot(&lbr_machines[m]);
		entry = (struct perf_branch_entry) { .from = at + 2, .to = at + 4 };
		lbr.recorder.type(&entry);
		KUNIT_EXPECT_EQ_MSG(test, (u32)entry.type, PERF_BR_COND, "machine %u", m);
		KUNIT_EXPECT_EQ(test, entry.from, at + 2);

		entry = (struct perf_branch_entry) { .from = at, .to = at + 4 };
		lbr.recorder.type(&entry);
		if (lbr_machine->vendor == X86_VENDOR_AMD) {
			KUNIT_EXPECT_EQ_MSG(test, (u32)entry.type, PERF_BR_COND, "machine %u", m);
			KUNIT_EXPECT_EQ(test, entry.from, at + 2);
		} else {
			/* An interrupt of the kernel at the comparison looks like this record. */
			KUNIT_EXPECT_EQ_MSG(test, (u32)entry.type, PERF_BR_IRQ, "machine %u", m);
			KUNIT_EXPECT_EQ(test, entry.from, at);
		}
	}
}

/* === Calls === */

static void restore_leaves_no_calls_of_other_tasks(struct kunit *test)
{
	static struct perf_counter_call_stack stack;

	stack.nr = 2;
	stack.calls[0].from = 0x1000;
	stack.calls[0].to = 0x1100;
	stack.calls[1].from = 0x2000;
	stack.calls[1].to = 0x2100;
	guard(irqsave)();
	for (unsigned int m = 0; m < ARRAY_SIZE(with_calls); m++) {
		lbr_boot(&lbr_machines[with_calls[m]]);
		lbr.recorder.start(CALLS);
		KUNIT_EXPECT_TRUE(test, lbr.recorder.is_empty());
		/* Calls of another task, with an empty record among them. */
		for (unsigned int age = 0; age < lbr_nr; age++)
			record(age, age == 4 ? 0 : 0xbad000, 0xbad100, 0);
		KUNIT_EXPECT_FALSE(test, lbr.recorder.is_empty());
		lbr.recorder.restore(&stack);
		KUNIT_EXPECT_FALSE(test, lbr.recorder.is_empty());
		for (unsigned int i = 0; i < lbr_nr; i++)
			KUNIT_EXPECT_NE_MSG(test, lbr_reg.from[i], 0xbad000, "machine %u: %u",
					    with_calls[m], i);
		KUNIT_EXPECT_EQ(test, read_records(CALLS)->nr, 2);
		KUNIT_EXPECT_EQ(test, read_records(CALLS)->entries[0].from, 0x1000);
		KUNIT_EXPECT_EQ(test, read_records(CALLS)->entries[1].to, 0x2100);
		memset(&stack.calls, 0, sizeof(stack.calls));
		lbr.recorder.save(&stack);
		KUNIT_EXPECT_EQ(test, stack.nr, 2);
		KUNIT_EXPECT_EQ(test, stack.calls[0].from, 0x1000);
		lbr.recorder.restore(NULL);
		KUNIT_EXPECT_TRUE(test, lbr.recorder.is_empty());
		KUNIT_EXPECT_EQ(test, read_records(CALLS)->nr, 0);
	}
}

static struct kunit_case lbr_cases[] = {
	KUNIT_CASE(recorder_has_the_features_of_the_machine),
	KUNIT_CASE(no_recorder_if_registers_keep_nothing),
	KUNIT_CASE(calls_are_recorded_with_jumps_on_nehalem),
	KUNIT_CASE(recording_resumes_after_a_debug_exception),
	KUNIT_CASE(freeze_bit_is_set_only_if_supported),
	KUNIT_CASE(records_are_kept_for_the_same_use),
	KUNIT_CASE(a_call_stack_begins_empty),
	KUNIT_CASE(reset_leaves_no_bit_set),
	KUNIT_CASE(each_format_is_decoded),
	KUNIT_CASE(an_abort_is_reported_once_on_haswell),
	KUNIT_CASE(amd_skips_invalid_records),
	KUNIT_CASE(a_fused_jump_is_found_behind_its_comparison),
	KUNIT_CASE(restore_leaves_no_calls_of_other_tasks),
	{}
};

static struct kunit_suite lbr_suite = {
	.name = "perf_counter_x86_lbr",
	.exit = lbr_test_exit,
	.test_cases = lbr_cases,
};

kunit_test_suite(lbr_suite);
