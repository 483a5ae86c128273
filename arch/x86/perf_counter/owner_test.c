// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the ownership of this machine's PMU: it belongs to perf_events or to perf_counter,
 * never to both.
 *
 * The tests use the real PMU, and are skipped if perf_events has none. No other code uses the PMU
 * while the tests run, as KUnit runs before the first process.
 */

#include <kunit/test.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include <asm/msr.h>
#include <asm/perf_counter.h>
#include <asm/perf_event.h>

static struct perf_event *open_cycles(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(attr),
	};

	return perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
}

/*
 * perf_events and perf_counter are each refused while the other has the PMU, and get it afterwards.
 */
static void pmu_has_one_owner(struct kunit *test)
{
	struct perf_event *event = open_cycles();

	if (PTR_ERR_OR_ZERO(event) == -ENOENT)
		kunit_skip(test, "perf_events has no PMU here");
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, x86_hardware_users(), 1);
	KUNIT_EXPECT_EQ(test, x86_lend_hardware(), -EBUSY);
	KUNIT_EXPECT_FALSE(test, x86_hardware_is_lent());
	perf_event_release_kernel(event);

	KUNIT_ASSERT_EQ(test, x86_lend_hardware(), 0);
	KUNIT_EXPECT_TRUE(test, x86_hardware_is_lent());
	event = open_cycles();
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EBUSY);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, x86_hardware_users(), 0);
	x86_return_hardware();

	event = open_cycles();
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), 0);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
}

/**
 * struct registers - registers that a snapshot of the branches may write
 * @ctrl: contents of GLOBAL_CTRL of Intel or AMD
 * @debugctl: contents of DEBUGCTL
 * @lbr: contents of Intel's LBR_CTL or AMD's DBG_EXTN_CFG; 0 on machines without these registers
 */
struct registers {
	u64 ctrl;
	u64 debugctl;
	u64 lbr;
};

static u32 ctrl_register(void)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL ? MSR_CORE_PERF_GLOBAL_CTRL :
							      MSR_AMD64_PERF_CNTR_GLOBAL_CTL;
}

static struct registers read_registers(void)
{
	bool intel = boot_cpu_data.x86_vendor == X86_VENDOR_INTEL;
	struct registers now = {};

	rdmsrl(ctrl_register(), now.ctrl);
	rdmsrl(MSR_IA32_DEBUGCTLMSR, now.debugctl);
	if (!intel || boot_cpu_has(X86_FEATURE_ARCH_LBR))
		rdmsrl(intel ? MSR_ARCH_LBR_CTL : MSR_AMD_DBG_EXTN_CFG, now.lbr);
	return now;
}

/*
 * Any BPF program may ask for a snapshot of the last branches. It gets none while perf_counter owns
 * the PMU.
 */
static void snapshot_leaves_a_lent_pmu_alone(struct kunit *test)
{
	static struct perf_branch_entry entries[4];
	struct registers before, after;
	u64 old;
	int nr;

	if (static_call_query(perf_snapshot_branch_stack) == (void *)&__static_call_return0)
		kunit_skip(test, "perf_events takes no snapshots of branches here");
	KUNIT_ASSERT_EQ(test, x86_lend_hardware(), 0);
	scoped_guard(preempt) {
		rdmsrl(ctrl_register(), old);
		/* Enable one counter with an event select of 0, which counts nothing. */
		wrmsrl(ctrl_register(), BIT(1));
		before = read_registers();
		nr = static_call(perf_snapshot_branch_stack)(entries, ARRAY_SIZE(entries));
		after = read_registers();
		wrmsrl(ctrl_register(), old);
	}
	x86_return_hardware();
	KUNIT_EXPECT_EQ(test, nr, 0);
	KUNIT_EXPECT_EQ(test, before.ctrl, BIT(1));
	KUNIT_EXPECT_EQ(test, after.ctrl, before.ctrl);
	KUNIT_EXPECT_EQ(test, after.debugctl, before.debugctl);
	KUNIT_EXPECT_EQ(test, after.lbr, before.lbr);
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE(pmu_has_one_owner),
	KUNIT_CASE(snapshot_leaves_a_lent_pmu_alone),
	{}
};

static struct kunit_suite owner_suite = {
	.name = "perf_counter_x86_owner",
	.test_cases = owner_cases,
};

kunit_test_suites(&owner_suite);
