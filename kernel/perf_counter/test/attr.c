// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what is checked when a program opens a counter: the attr structure, the program's
 * permissions, and the types of system calls' arguments.
 */

#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "../context/context.h"
#include "../record/record.h"
#include "../source/source.h"

/* Offset of the attr's word of bit fields, and the bits that this version knows. */
#define BITS_OFFSET		40
/* bits 0 to 30, 32 to 34, 36, 62 and 63 */
#define KNOWN_BITS		0xc00000177fffffffULL
/* bits 0 to 10, 12 to 19 and 21 to 24; not 11 (branch stacks) and not 20 (AUX) */
#define KNOWN_SAMPLE_TYPES	0x01eff7ffULL
/*
 * Sample types that only some architectures have, and the two weights, which exclude one another.
 */
#define REGS_USER		BIT_ULL(12)
#define STACK_USER		BIT_ULL(13)
#define REGS_INTR		BIT_ULL(18)
#define WEIGHT			BIT_ULL(14)
#define WEIGHT_STRUCT		BIT_ULL(24)
#define HAVE_REGS		((IS_ENABLED(CONFIG_X86_64) && !IS_ENABLED(CONFIG_UML)) || \
				 IS_ENABLED(CONFIG_PPC64))
#define PLAIN_SAMPLE_TYPES	(KNOWN_SAMPLE_TYPES & ~(REGS_USER | STACK_USER | REGS_INTR))
#define KNOWN_READ_FORMATS	0x0000001fULL	/* bits 0 to 4 */

/* Size of the structure in this version and in the first one, in bytes. */
#define KNOWN_SIZE		136
#define FIRST_SIZE		64

static void attr_zero_is_accepted(struct kunit *test)
{
	struct perf_counter_attr attr = {};

	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
	KUNIT_EXPECT_EQ(test, attr.sample_max_stack, 127);
}

/* Test each bit alone, so that no other bit decides. */
static void attr_bits_are_known_or_refused(struct kunit *test)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		struct perf_counter_attr attr = {};
		int expected = KNOWN_BITS & BIT_ULL(bit) ? 0 : -EINVAL;

		*(u64 *)((void *)&attr + BITS_OFFSET) = BIT_ULL(bit);
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_check_attr(&attr), expected, "bit %u", bit);
	}
}

static void attr_sample_types_are_known_or_refused(struct kunit *test)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		/* Some sample types need valid registers or a valid stack size. */
		struct perf_counter_attr attr = {
			.sample_type = BIT_ULL(bit), .sample_regs_user = 1,
			.sample_regs_intr = 1, .sample_stack_user = 8,
		};
		int expected = KNOWN_SAMPLE_TYPES & BIT_ULL(bit) ? 0 : -EINVAL;

		if (!HAVE_REGS && (BIT_ULL(bit) & (REGS_USER | STACK_USER | REGS_INTR)))
			expected = -EOPNOTSUPP;
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_check_attr(&attr), expected, "bit %u", bit);
	}
}

static void attr_with_both_weights_is_refused(struct kunit *test)
{
	struct perf_counter_attr attr = { .sample_type = WEIGHT | WEIGHT_STRUCT };

	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
}

/*
 * On x86-64, registers 0 to 11 and 16 to 23 exist; from 32 on they depend on the
 * hardware. On powerpc, R0 to R31, 13 others and those of the PMU exist.
 */
static bool is_register(unsigned int bit)
{
	if (IS_ENABLED(CONFIG_PPC64))
		return bit < 45 || (PERF_REG_EXTENDED_MASK & BIT_ULL(bit));
	return bit < 12 || (bit >= 16 && bit < 24) || bit >= 32;
}

static void attr_registers_are_there_or_refused(struct kunit *test)
{
	unsigned int bit;

	if (!HAVE_REGS)
		kunit_skip(test, "no registers in samples on this architecture");
	for (bit = 0; bit < 64; bit++) {
		struct perf_counter_attr attr = { .sample_type = REGS_USER };
		int expected = is_register(bit) ? 0 : -EINVAL;

		attr.sample_regs_user = BIT_ULL(bit);
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_check_attr(&attr), expected, "bit %u", bit);
		attr.sample_type = REGS_INTR;
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_check_attr(&attr), -EINVAL,
				    "none, but in the other mask bit %u", bit);
		attr.sample_regs_intr = BIT_ULL(bit);
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_check_attr(&attr), expected, "bit %u", bit);
		/* Without the sample types, the fields are ignored. */
		attr.sample_type = 0;
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_check_attr(&attr), 0, "bit %u", bit);
	}
}

static void attr_stacks_have_a_size(struct kunit *test)
{
	struct perf_counter_attr attr = { .sample_type = STACK_USER };

	if (!HAVE_REGS)
		kunit_skip(test, "no stacks in samples on this architecture");
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
	attr.sample_stack_user = 4;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
	attr.sample_stack_user = 65528;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
	attr.sample_stack_user = 65535;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
	attr.sample_stack_user = 65536;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
	attr.sample_stack_user = 1U << 31;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
}

static void attr_enables_or_removes_on_exec(struct kunit *test)
{
	struct perf_counter_attr attr = { .enable_on_exec = 1, .remove_on_exec = 1 };

	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
}

static void attr_read_formats_are_known_or_refused(struct kunit *test)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		struct perf_counter_attr attr = { .read_format = BIT_ULL(bit) };
		int expected = KNOWN_READ_FORMATS & BIT_ULL(bit) ? 0 : -EINVAL;

		KUNIT_EXPECT_EQ_MSG(test, perf_counter_check_attr(&attr), expected, "bit %u", bit);
	}
}

/*
 * From byte 72 on, each byte must be zero, except in branch_sample_type to sample_regs_intr (72 to
 * 103), sample_max_stack (108, 109) and config3 (128 on).
 */
static void attr_unknown_fields_are_refused(struct kunit *test)
{
	unsigned int at;

	for (at = 72; at < KNOWN_SIZE; at++) {
		struct perf_counter_attr attr = {};
		bool known = at < 104 || at == 108 || at == 109 || at >= 128;

		((u8 *)&attr)[at] = 1;
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_check_attr(&attr), known ? 0 : -EINVAL,
				    "byte %u", at);
	}
}

static void attr_period_and_frequency_have_limits(struct kunit *test)
{
	int max_rate = sysctl_perf_counter_max_sample_rate;
	struct perf_counter_attr attr = {};

	attr.sample_period = BIT_ULL(63) - 1;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
	attr.sample_period = BIT_ULL(63);
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);

	attr.freq = 1;
	attr.sample_freq = max_rate;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
	attr.sample_freq = max_rate + 1;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
	attr.sample_freq = BIT_ULL(32);
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
}

static void attr_inherited_read_needs_tid(struct kunit *test)
{
	struct perf_counter_attr attr = { .inherit = 1, .sample_type = PERF_SAMPLE_READ };

	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EINVAL);
	attr.sample_type |= PERF_SAMPLE_TID;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
	attr.sample_type = PERF_SAMPLE_READ;
	attr.inherit = 0;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
}

static void attr_call_chains_have_a_depth(struct kunit *test)
{
	struct perf_counter_attr attr = { .sample_type = PERF_SAMPLE_CALLCHAIN };

	attr.sample_max_stack = 1;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
	KUNIT_EXPECT_EQ(test, attr.sample_max_stack, 1);
	attr.sample_max_stack = 127;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), 0);
	attr.sample_max_stack = 128;
	KUNIT_EXPECT_EQ(test, perf_counter_check_attr(&attr), -EOVERFLOW);
}

/* === Copying from a program: two pages of its memory, the second not mapped === */

static void __user *user_page(struct kunit *test)
{
	unsigned long addr = kunit_vm_mmap(test, NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_NE(test, addr, 0);
	KUNIT_ASSERT_LT(test, addr, TASK_SIZE);
	KUNIT_ASSERT_EQ(test, vm_munmap(addr + PAGE_SIZE, PAGE_SIZE), 0);
	return (void __user *)addr;
}

/* Make an attr of @size bytes in user memory: zero except for the size field. */
static struct perf_counter_attr __user *user_attr(struct kunit *test, u32 size)
{
	struct perf_counter_attr __user *uattr = user_page(test);

	KUNIT_ASSERT_EQ(test, put_user(size, &uattr->size), 0);
	return uattr;
}

static void expect_too_big(struct kunit *test, u32 size,
			   struct perf_counter_attr __user *uattr)
{
	struct perf_counter_attr attr;
	u32 written = 0;

	KUNIT_EXPECT_EQ_MSG(test, perf_counter_copy_attr(uattr, &attr), -E2BIG, "size %u", size);
	KUNIT_EXPECT_EQ(test, get_user(written, &uattr->size), 0);
	KUNIT_EXPECT_EQ_MSG(test, written, KNOWN_SIZE, "size %u", size);
}

static void copy_copies_every_field(struct kunit *test)
{
	struct perf_counter_attr sent = {
		.type = 1, .size = KNOWN_SIZE, .config = 0x1122334455667788, .sample_period = 99,
		.sample_type = PLAIN_SAMPLE_TYPES & ~WEIGHT, .read_format = KNOWN_READ_FORMATS,
		.disabled = 1, .use_clockid = 1, .wakeup_events = 7, .bp_type = 0x01020304,
		.config1 = 0x1020304050607080, .config2 = 0x0a0b0c0d0e0f1011, .clockid = -3,
		.sample_regs_user = 0x1122334455, .sample_stack_user = 0x99,
		.sample_regs_intr = 0x5544332211,
		.sample_max_stack = 12, .config3 = 0xfedcba9876543210,
	};
	struct perf_counter_attr __user *uattr = user_attr(test, KNOWN_SIZE);
	struct perf_counter_attr got;

	KUNIT_ASSERT_EQ(test, copy_to_user(uattr, &sent, sizeof(sent)), 0);
	memset(&got, 0xa5, sizeof(got));
	KUNIT_EXPECT_EQ(test, perf_counter_copy_attr(uattr, &got), 0);
	KUNIT_EXPECT_MEMEQ(test, &got, &sent, sizeof(sent));
}

/* For a program of any version, fields beyond its structure are zero and not read. */
static void copy_accepts_every_size(struct kunit *test)
{
	struct perf_counter_attr __user *uattr = user_attr(test, 0);
	void __user *end = (void __user *)uattr + PAGE_SIZE;
	struct perf_counter_attr attr, zero = {};
	u32 size;

	for (size = FIRST_SIZE; size <= KNOWN_SIZE; size += 4) {
		/* The structure ends with the memory: reading one more byte would fault. */
		uattr = end - size;
		KUNIT_ASSERT_EQ(test, clear_user(uattr, size), 0);
		KUNIT_ASSERT_EQ(test, put_user(size, &uattr->size), 0);
		memset(&attr, 0xa5, sizeof(attr));
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_copy_attr(uattr, &attr), 0, "size %u", size);
		KUNIT_EXPECT_EQ(test, attr.size, size);
		attr.size = 0;
		attr.sample_max_stack = 0;
		KUNIT_EXPECT_MEMEQ(test, &attr, &zero, sizeof(attr));
	}
}

static void copy_treats_size_zero_as_version_0(struct kunit *test)
{
	struct perf_counter_attr __user *uattr = user_attr(test, 0);
	struct perf_counter_attr attr;

	/* The bytes after the structure belong to the program. */
	KUNIT_ASSERT_EQ(test, put_user(~0ULL, &uattr->config2), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_copy_attr(uattr, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.size, FIRST_SIZE);
	KUNIT_EXPECT_EQ(test, attr.config2, 0);
}

static void copy_refuses_impossible_sizes(struct kunit *test)
{
	static const u32 sizes[] = { 1, 8, 63, PAGE_SIZE + 1, PAGE_SIZE + 8, U32_MAX };
	struct perf_counter_attr __user *uattr = user_attr(test, 0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		KUNIT_ASSERT_EQ(test, put_user(sizes[i], &uattr->size), 0);
		expect_too_big(test, sizes[i], uattr);
	}
}

/* For a newer program, unknown fields must be zero. */
static void copy_refuses_a_nonzero_unknown_tail(struct kunit *test)
{
	static const u32 sizes[] = { KNOWN_SIZE + 1, KNOWN_SIZE + 8, 1000, PAGE_SIZE };
	struct perf_counter_attr __user *uattr = user_attr(test, 0);
	struct perf_counter_attr attr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 __user *tail = (u8 __user *)uattr + KNOWN_SIZE;
		u8 __user *last = (u8 __user *)uattr + sizes[i] - 1;

		KUNIT_ASSERT_EQ(test, put_user(sizes[i], &uattr->size), 0);
		KUNIT_EXPECT_EQ(test, perf_counter_copy_attr(uattr, &attr), 0);
		KUNIT_EXPECT_EQ(test, attr.size, sizes[i]);

		KUNIT_ASSERT_EQ(test, put_user(1, last), 0);
		expect_too_big(test, sizes[i], uattr);
		KUNIT_ASSERT_EQ(test, put_user(0, last), 0);

		KUNIT_ASSERT_EQ(test, put_user(sizes[i], &uattr->size), 0);
		KUNIT_ASSERT_EQ(test, put_user(1, tail), 0);
		expect_too_big(test, sizes[i], uattr);
		KUNIT_ASSERT_EQ(test, put_user(0, tail), 0);
	}
}

static void copy_checks_the_copied_attr(struct kunit *test)
{
	struct perf_counter_attr __user *uattr = user_attr(test, KNOWN_SIZE);
	struct perf_counter_attr attr;

	KUNIT_ASSERT_EQ(test, put_user(PERF_SAMPLE_BRANCH_STACK, &uattr->sample_type), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_copy_attr(uattr, &attr), -EINVAL);
}

static void copy_reports_faults(struct kunit *test)
{
	void __user *page = user_page(test);
	struct perf_counter_attr __user *uattr;
	struct perf_counter_attr attr;

	/* The whole attr is unmapped. */
	uattr = page + PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, perf_counter_copy_attr(uattr, &attr), -EFAULT);
	/* The second half is unmapped. */
	uattr = page + PAGE_SIZE - KNOWN_SIZE / 2;
	KUNIT_ASSERT_EQ(test, put_user(KNOWN_SIZE, &uattr->size), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_copy_attr(uattr, &attr), -EFAULT);
	/* The last byte of an unknown tail is unmapped. */
	uattr = page + PAGE_SIZE - KNOWN_SIZE - 8;
	KUNIT_ASSERT_EQ(test, put_user(KNOWN_SIZE + 9, &uattr->size), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_copy_attr(uattr, &attr), -EFAULT);
}

/* === Permissions === */

/* Run @fn as a user without any capability. */
static void without_capabilities(struct kunit *test, void (*fn)(struct kunit *test))
{
	struct cred *cred = prepare_creds();
	const struct cred *old;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	cap_clear(cred->cap_permitted);
	old = override_creds(cred);
	fn(test);
	revert_creds(old);
	put_cred(cred);
}

static int may_open(const struct perf_counter_attr *attr, bool cpu_wide)
{
	struct perf_counter_plan plan;

	perf_counter_plan_records(&plan, attr);
	return perf_counter_may_open(attr, &plan, cpu_wide);
}

/* Expect the results for counting the kernel and for counting a CPU at level @paranoid. */
static void expect_may(struct kunit *test, int paranoid, int kernel, int cpu_wide)
{
	struct perf_counter_attr with_kernel = {}, user = { .exclude_kernel = 1 };
	struct perf_counter_attr phys = {
		.exclude_kernel = 1, .sample_type = PERF_SAMPLE_PHYS_ADDR,
	};
	int old = sysctl_perf_counter_paranoid;

	WRITE_ONCE(sysctl_perf_counter_paranoid, paranoid);
	KUNIT_EXPECT_EQ_MSG(test, may_open(&user, false), 0, "at %d", paranoid);
	KUNIT_EXPECT_EQ_MSG(test, may_open(&with_kernel, false), kernel, "at %d", paranoid);
	/* Physical addresses need the same permission as counting the kernel. */
	KUNIT_EXPECT_EQ_MSG(test, may_open(&phys, false), kernel, "at %d", paranoid);
	KUNIT_EXPECT_EQ_MSG(test, may_open(&user, true), cpu_wide, "at %d", paranoid);
	KUNIT_EXPECT_EQ_MSG(test, may_open(&with_kernel, true), kernel ?: cpu_wide,
			    "at %d", paranoid);
	WRITE_ONCE(sysctl_perf_counter_paranoid, old);
}

static void expect_little(struct kunit *test)
{
	expect_may(test, 2, -EACCES, -EACCES);
	expect_may(test, 1, 0, -EACCES);
	expect_may(test, 0, 0, 0);
	expect_may(test, -1, 0, 0);
}

static void permissions_follow_paranoid(struct kunit *test)
{
	expect_may(test, 2, 0, 0);
	without_capabilities(test, expect_little);
}

/* Expect @err for the namespaces of a task and of all tasks at any level. */
static void expect_namespaces(struct kunit *test, int err)
{
	const struct perf_counter_attr attr = { .exclude_kernel = 1, .namespaces = 1 };
	int old = sysctl_perf_counter_paranoid;

	WRITE_ONCE(sysctl_perf_counter_paranoid, 0);
	KUNIT_EXPECT_EQ(test, may_open(&attr, false), err);
	KUNIT_EXPECT_EQ(test, may_open(&attr, true), err);
	WRITE_ONCE(sysctl_perf_counter_paranoid, old);
}

static void expect_no_namespaces(struct kunit *test)
{
	expect_namespaces(test, -EACCES);
}

static void namespaces_need_a_privilege(struct kunit *test)
{
	expect_namespaces(test, 0);
	without_capabilities(test, expect_no_namespaces);
}

/*
 * Expect that perf_event_open() keeps records of the machine at level @paranoid if @kept, or drops
 * them.
 */
static void expect_machine(struct kunit *test, int paranoid, bool kept)
{
	struct perf_counter_attr attr = { .ksymbol = 1, .bpf_event = 1, .cgroup = 1, .mmap = 1 };
	int old = sysctl_perf_counter_paranoid;

	WRITE_ONCE(sysctl_perf_counter_paranoid, paranoid);
	perf_counter_drop_machine(&attr);
	KUNIT_EXPECT_EQ_MSG(test, (bool)attr.ksymbol, kept, "at %d", paranoid);
	KUNIT_EXPECT_EQ_MSG(test, (bool)attr.bpf_event, kept, "at %d", paranoid);
	KUNIT_EXPECT_EQ_MSG(test, (bool)attr.cgroup, kept, "at %d", paranoid);
	KUNIT_EXPECT_TRUE(test, attr.mmap);
	WRITE_ONCE(sysctl_perf_counter_paranoid, old);
}

static void expect_machine_of_few(struct kunit *test)
{
	expect_machine(test, 2, false);
	expect_machine(test, 1, false);
	expect_machine(test, 0, true);
	expect_machine(test, -1, true);
}

static void machine_records_need_a_privilege(struct kunit *test)
{
	expect_machine(test, 2, true);
	without_capabilities(test, expect_machine_of_few);
}

/*
 * A counter requests records of tasks if one of these bits is set, and not because of another bit.
 */
static void task_records_follow_the_attr_bits(struct kunit *test)
{
	/* mmap, comm, task, mmap_data, mmap2; then context_switch, namespaces, munmap. */
	const u64 tasks = BIT_ULL(8) | BIT_ULL(9) | BIT_ULL(13) | BIT_ULL(17) | BIT_ULL(23);
	const u64 others = BIT_ULL(26) | BIT_ULL(28) | BIT_ULL(63);
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		struct perf_counter_attr attr = {};

		*(u64 *)((void *)&attr + BITS_OFFSET) = BIT_ULL(bit);
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_wants_task(&attr),
				    !!(tasks & BIT_ULL(bit)), "bit %u", bit);
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_wants_sideband(&attr),
				    !!((tasks | others) & BIT_ULL(bit)), "bit %u", bit);
	}
}

/*
 * Attrs of an event that excludes the kernel, and what their records reveal nevertheless: the
 * kernel, memory, or registers.
 */
static const struct {
	const char			*name;
	struct perf_counter_attr	attr;
	bool				kernel;
	bool				memory;
	bool				regs;
	bool				machine;
} plan_cases[] = {
	{ "count", {} },
	{ "words", { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_TIME } },
	{ "chains", { .sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER } },
	{ "physical address", { .sample_type = PERF_SAMPLE_PHYS_ADDR }, .kernel = true },
	{ "user branches", { .sample_type = PERF_SAMPLE_BRANCH_STACK,
			     .branch_sample_type = PERF_SAMPLE_BRANCH_USER } },
	{ "kernel branches", { .sample_type = PERF_SAMPLE_BRANCH_STACK,
			       .branch_sample_type = PERF_SAMPLE_BRANCH_KERNEL }, .kernel = true },
	{ "hypervisor branches", { .sample_type = PERF_SAMPLE_BRANCH_STACK,
				   .branch_sample_type = PERF_SAMPLE_BRANCH_HV }, .kernel = true },
	{ "no branches", { .branch_sample_type = PERF_SAMPLE_BRANCH_KERNEL } },
	{ "registers", { .sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = 1 },
	  .regs = true },
	{ "arguments", { .type = PERF_TYPE_TRACEPOINT, .config1 = 1 }, .memory = true },
	{ "another config1", { .type = PERF_TYPE_RAW, .config1 = 1 } },
	{ "code of the kernel", { .text_poke = 1 }, .kernel = true, .machine = true },
	{ "symbols of the kernel", { .ksymbol = 1 }, .kernel = true, .machine = true },
	{ "BPF programs", { .bpf_event = 1 }, .kernel = true, .machine = true },
	{ "control groups", { .cgroup = 1 }, .kernel = true, .machine = true },
};

static void plan_says_what_records_reveal(struct kunit *test)
{
	struct perf_counter_plan plan;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plan_cases); i++) {
		/* Counters without samples need the same permission. */
		perf_counter_plan_records(&plan, &plan_cases[i].attr);
		KUNIT_EXPECT_EQ_MSG(test, (bool)plan.reveals_kernel, plan_cases[i].kernel, "%s",
				    plan_cases[i].name);
		KUNIT_EXPECT_EQ_MSG(test, (bool)plan.reveals_memory, plan_cases[i].memory, "%s",
				    plan_cases[i].name);
		KUNIT_EXPECT_EQ_MSG(test, (bool)plan.reveals_regs, plan_cases[i].regs, "%s",
				    plan_cases[i].name);
		KUNIT_EXPECT_EQ_MSG(test, (bool)plan.machine, plan_cases[i].machine, "%s",
				    plan_cases[i].name);
	}
}

/* Return the plan of an event with sample types. */
static struct perf_counter_plan plan_of(u64 types, u64 period)
{
	const struct perf_counter_attr attr = {
		.sample_type = types, .sample_period = period, .wakeup_events = 3,
	};
	struct perf_counter_plan plan;

	perf_counter_plan_records(&plan, &attr);
	return plan;
}

static void plan_has_the_parts_and_the_size_of_a_sample(struct kunit *test)
{
	const u64 words = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;

	KUNIT_EXPECT_EQ(test, plan_of(words, 0).sample_header.size, 0);
	KUNIT_EXPECT_EQ(test, plan_of(words, 1).sample_header.size, 24);
	KUNIT_EXPECT_EQ(test, plan_of(words, 1).sample_header.type, PERF_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, plan_of(words, 1).wakeup_events, 3);
	KUNIT_EXPECT_EQ(test, plan_of(words, 1).sample_parts, SAMPLE_OF_WORDS);
	KUNIT_EXPECT_EQ(test, plan_of(words | PERF_SAMPLE_RAW, 1).sample_parts, SAMPLE_WITH_RAW);
	/* The size of raw data is not known at the open. */
	KUNIT_EXPECT_EQ(test, plan_of(words | PERF_SAMPLE_RAW, 1).sample_header.size, 24);
	KUNIT_EXPECT_EQ(test, plan_of(words | PERF_SAMPLE_READ, 1).sample_parts,
			SAMPLE_WITH_SIZED);
	KUNIT_EXPECT_EQ(test, plan_of(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW, 1).sample_parts,
			SAMPLE_WITH_ALL);
	KUNIT_EXPECT_EQ(test, plan_of(words | PERF_SAMPLE_WEIGHT, 1).sample_parts,
			SAMPLE_WITH_ALL);
	KUNIT_EXPECT_EQ(test, plan_of(words | PERF_SAMPLE_WEIGHT, 1).sample_header.size, 32);
}

/* kthreadd, a kernel thread that never exits. */
static struct task_struct *test_parent(void)
{
	return rcu_dereference_protected(current->real_parent, true);
}

/* KUNIT's thread runs this test: its parent, kthreadd, has all capabilities. */
static void expect_to_watch_itself_only(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, perf_counter_may_watch(current, false));
	KUNIT_EXPECT_TRUE(test, perf_counter_may_watch(current, true));
	KUNIT_EXPECT_FALSE(test, perf_counter_may_watch(test_parent(), false));
	KUNIT_EXPECT_FALSE(test, perf_counter_may_watch(test_parent(), true));
}

static void watching_a_task_needs_permission(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, perf_counter_may_watch(test_parent(), false));
	KUNIT_EXPECT_TRUE(test, perf_counter_may_watch(test_parent(), true));
	without_capabilities(test, expect_to_watch_itself_only);
}

#ifdef CONFIG_FTRACE_SYSCALLS
/* Recognize the types of arguments as gcc spells them, and as clang does in a kernel with BTF. */
static void argument_types_are_recognized(struct kunit *test)
{
	static const char btf[] = "const char __attribute__((btf_type_tag(\"user\"))) *";
	static const char *const others[] = {
		"", "const char", "const char **", "char *", "const void *", "unsigned int",
		"const char __attribute__((btf_type_tag(\"user\")",
		"const void __attribute__((btf_type_tag(\"user\"))) *",
		"const char __attribute__((btf_type_tag(\"user\"))) **",
	};

	KUNIT_EXPECT_TRUE(test, perf_counter_syscall_type_is("const char *", "const char *"));
	KUNIT_EXPECT_TRUE(test, perf_counter_syscall_type_is(btf, "const char *"));
	KUNIT_EXPECT_FALSE(test, perf_counter_syscall_type_is(btf, "char *"));
	for (int i = 0; i < ARRAY_SIZE(others); i++)
		KUNIT_EXPECT_FALSE_MSG(test,
				       perf_counter_syscall_type_is(others[i], "const char *"),
				       "%s", others[i]);
}
#endif

/*
 * Get the word of bit fields, which follows read_format, of an attr of @subsystem with only @bit
 * set.
 */
#define WORD_OF(subsystem, bit) ({							\
	const struct perf_##subsystem##_attr __attr = { .bit = 1 };			\
	u64 __word;									\
											\
	memcpy(&__word, (void *)&__attr +						\
	       offsetofend(struct perf_##subsystem##_attr, read_format), sizeof(__word)); \
	__word;										\
})
#define EXPECT_SAME(test, bit...)							\
	KUNIT_EXPECT_EQ_MSG(test, WORD_OF(counter, bit), WORD_OF(event, bit), #bit)

static void bits_are_where_perf_events_has_them(struct kunit *test)
{
	EXPECT_SAME(test, disabled);
	EXPECT_SAME(test, inherit);
	EXPECT_SAME(test, pinned);
	EXPECT_SAME(test, exclusive);
	EXPECT_SAME(test, exclude_user);
	EXPECT_SAME(test, exclude_kernel);
	EXPECT_SAME(test, exclude_hv);
	EXPECT_SAME(test, exclude_idle);
	EXPECT_SAME(test, mmap);
	EXPECT_SAME(test, comm);
	EXPECT_SAME(test, freq);
	EXPECT_SAME(test, inherit_stat);
	EXPECT_SAME(test, enable_on_exec);
	EXPECT_SAME(test, task);
	EXPECT_SAME(test, watermark);
	EXPECT_SAME(test, precise_ip);
	EXPECT_SAME(test, mmap_data);
	EXPECT_SAME(test, sample_id_all);
	EXPECT_SAME(test, exclude_host);
	EXPECT_SAME(test, exclude_guest);
	EXPECT_SAME(test, exclude_callchain_kernel);
	EXPECT_SAME(test, exclude_callchain_user);
	EXPECT_SAME(test, mmap2);
	EXPECT_SAME(test, comm_exec);
	EXPECT_SAME(test, use_clockid);
	EXPECT_SAME(test, context_switch);
	EXPECT_SAME(test, write_backward);
	EXPECT_SAME(test, namespaces);
	EXPECT_SAME(test, ksymbol);
	EXPECT_SAME(test, bpf_event);
	EXPECT_SAME(test, aux_output);
	EXPECT_SAME(test, cgroup);
	EXPECT_SAME(test, text_poke);
	EXPECT_SAME(test, build_id);
	EXPECT_SAME(test, inherit_thread);
	EXPECT_SAME(test, remove_on_exec);
	EXPECT_SAME(test, sigtrap);
}

/*
 * The names of the first documents on perf_counter have the numbers that perf_events gives to its
 * own names, and MUNMAP, which perf_events lacks, has the first number of perf_counter's records.
 */
static void alternative_names_are_those_of_perf_events(struct kunit *test)
{
	struct perf_counter_mmap_page page = { .data_head = 0 };

	KUNIT_EXPECT_EQ(test, PERF_EVENT_MMAP, 1);
	KUNIT_EXPECT_EQ(test, PERF_EVENT_COMM, 3);
	KUNIT_EXPECT_EQ(test, PERF_EVENT_EXIT, 4);
	KUNIT_EXPECT_EQ(test, PERF_EVENT_FORK, 7);
	KUNIT_EXPECT_EQ(test, PERF_EVENT_MUNMAP, 0x40000000);
	KUNIT_EXPECT_EQ(test, PERF_SAMPLE_TP_RECORD, 1024);
	KUNIT_EXPECT_EQ(test, (void *)&page.data_head - (void *)&page, 1024);
}

static struct kunit_case attr_cases[] = {
	KUNIT_CASE(bits_are_where_perf_events_has_them),
	KUNIT_CASE(alternative_names_are_those_of_perf_events),
	KUNIT_CASE(attr_zero_is_accepted),
	KUNIT_CASE(attr_bits_are_known_or_refused),
	KUNIT_CASE(attr_sample_types_are_known_or_refused),
	KUNIT_CASE(attr_with_both_weights_is_refused),
	KUNIT_CASE(attr_registers_are_there_or_refused),
	KUNIT_CASE(attr_stacks_have_a_size),
	KUNIT_CASE(attr_enables_or_removes_on_exec),
	KUNIT_CASE(attr_read_formats_are_known_or_refused),
	KUNIT_CASE(attr_unknown_fields_are_refused),
	KUNIT_CASE(attr_period_and_frequency_have_limits),
	KUNIT_CASE(attr_inherited_read_needs_tid),
	KUNIT_CASE(attr_call_chains_have_a_depth),
	KUNIT_CASE(copy_copies_every_field),
	KUNIT_CASE(copy_accepts_every_size),
	KUNIT_CASE(copy_treats_size_zero_as_version_0),
	KUNIT_CASE(copy_refuses_impossible_sizes),
	KUNIT_CASE(copy_refuses_a_nonzero_unknown_tail),
	KUNIT_CASE(copy_checks_the_copied_attr),
	KUNIT_CASE(copy_reports_faults),
	KUNIT_CASE(permissions_follow_paranoid),
	KUNIT_CASE(namespaces_need_a_privilege),
	KUNIT_CASE(machine_records_need_a_privilege),
	KUNIT_CASE(task_records_follow_the_attr_bits),
	KUNIT_CASE(plan_says_what_records_reveal),
	KUNIT_CASE(plan_has_the_parts_and_the_size_of_a_sample),
	KUNIT_CASE(watching_a_task_needs_permission),
#ifdef CONFIG_FTRACE_SYSCALLS
	KUNIT_CASE(argument_types_are_recognized),
#endif
	{}
};

static struct kunit_suite attr_suite = {
	.name = "perf_counter_attr",
	.test_cases = attr_cases,
};

kunit_test_suite(attr_suite);
