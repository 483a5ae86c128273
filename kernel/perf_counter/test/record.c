// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of samples and of inheritance: the words of records, when a sample is
 * due, and the counts of tasks that have exited.
 *
 * The counters count the dummy event, which only these tests raise.
 */

#include <linux/completion.h>
#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/pid_namespace.h>
#include <linux/prandom.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/vmalloc.h>

#include <asm/irq_regs.h>

#include "../context/overflow.h"
#include "../record/internal.h"
#include "test.h"

#define HEADER(type, misc, size)	((u64)(size) << 48 | (u64)(misc) << 32 | (type))

static u64 test_clock(void)
{
	return 123456789;
}

static struct perf_counter_desc *dummy_desc(struct kunit *test, struct perf_counter_attr attr)
{
	struct perf_counter_desc *desc;

	attr.config = PERF_COUNT_SW_DUMMY;
	desc = test_desc(test, &attr, &perf_counter_sw_pmu);
	desc->records.clock = test_clock;
	return desc;
}

static u64 *word_at(struct perf_counter_buffer *buffer, u64 pos)
{
	return (void __force *)buffer->rings[0].data + pos;
}

static void expect_words(struct kunit *test, struct perf_counter_buffer *buffer, u64 pos,
			 const u64 *words, unsigned int nr)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, buffer->control->data_head, pos + nr * sizeof(u64));
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, *word_at(buffer, pos + i * sizeof(u64)), words[i],
				    "word %u at %llu", i, pos);
}

/* === Records === */

static void sample_has_its_fields_in_order(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.sample_period = 3,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	static struct pt_regs regs;
	struct perf_counter_sample sample = {
		.regs = &regs, .addr = 0xadd, .period = 3, .ip = 0x1b,
	};
	unsigned int cpu;

	desc->first.stream_id = 0x57;
	cpu = get_cpu();
	perf_counter_output_sample(&desc->first, &sample);
	put_cpu();

	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 80), desc->id, 0x1b,
		(u64)current->pid << 32 | current->tgid, 123456789, 0xadd, desc->id, 0x57, cpu, 3,
	}, 10);
}

/* Write a sample with @attr to a new buffer. */
static struct perf_counter_buffer *sample_of(struct kunit *test, struct perf_counter_attr attr,
					     const struct perf_counter_sample *sample)
{
	struct perf_counter_desc *desc;
	struct perf_counter_buffer *buffer;

	attr.sample_period = 1;
	desc = dummy_desc(test, attr);
	buffer = test_buffer(test, desc);
	/* Fill the buffer, so that words that are not written show. */
	memset(word_at(buffer, 0), 0xa5, PAGE_SIZE);
	preempt_disable();
	perf_counter_output_sample(&desc->first, sample);
	preempt_enable();
	return buffer;
}

static const struct perf_counter_attr every_rare_word = {
	.sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
		       PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE |
		       PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_RAW | PERF_SAMPLE_IP,
};

/*
 * The data source if nothing is known: PERF_MEM_*_NA (the lowest bit) of the operation (from bit 0
 * on), level (5), snoop (19), lock (24) and TLB (26); and 15 as the number of the level (from bit
 * 33 on).
 */
#define NO_DATA_SRC	0x1e05080021ULL

static void unknown_fields_have_their_defaults(struct kunit *test)
{
	static struct pt_regs regs;
	const struct perf_counter_sample sample = { .regs = &regs };
	struct perf_counter_buffer *buffer = sample_of(test, every_rare_word, &sample);

	/* A sample without raw data has a RAW field of size 4, with four bytes of zeros. */
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 72),
		instruction_pointer(&regs), 4, 0, NO_DATA_SRC, 0, 0, 0, 0,
	}, 9);
}

static void sample_has_the_data_of_its_event(struct kunit *test)
{
	static struct pt_regs regs;
	const struct perf_counter_sample_extra extra = {
		.weight.full = 0x1122334455667788, .data_src.val = 0xda7a, .transaction = 0x77,
		.raw = "raw data!", .raw_size = 9,
	};
	const struct perf_counter_sample sample = { .regs = &regs, .ip = 1, .extra = &extra };
	struct perf_counter_buffer *buffer = sample_of(test, every_rare_word, &sample);
	/* The RAW field has a size of 4 bytes and 9 bytes of data, padded to 16 bytes. */
	union {
		struct {
			u32	size;
			char	data[12];
		};
		u64		words[2];
	} raw = { .size = 12, .data = "raw data!" };

	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 80), 1,
		raw.words[0], raw.words[1], 0x1122334455667788, 0xda7a, 0x77, 0, 0, 0,
	}, 10);
}

/*
 * A sample of a guest has no call chain and no page size, because these are not known, and no
 * registers of the host.
 */
static void sample_of_a_guest_says_so(struct kunit *test)
{
	const struct perf_counter_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CODE_PAGE_SIZE,
		.sample_max_stack = 10,
	};
	static struct pt_regs regs;
	struct perf_counter_sample sample = {
		.regs = &regs, .ip = (unsigned long)sample_of, .guest = PERF_GUEST_ACTIVE,
	};
	struct perf_counter_buffer *buffer = sample_of(test, attr, &sample);

	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_GUEST_KERNEL, 32), sample.ip, 0, 0,
	}, 4);
	sample.guest |= PERF_GUEST_USER;
	buffer = sample_of(test, attr, &sample);
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_GUEST_USER, 32), sample.ip, 0, 0,
	}, 4);
}

/*
 * Write samples with raw data of several sizes. The field has a size and the data, padded with
 * zeros to a multiple of 8 bytes.
 */
static void sample_has_raw_data_of_any_size(struct kunit *test)
{
	static const u32 sizes[] = { 1, 3, 4, 5, 12, 13, 2000 };
	u8 *data = kunit_kzalloc(test, 2000, GFP_KERNEL);
	static struct pt_regs regs;
	unsigned int i, n;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (i = 0; i < 2000; i++)
		data[i] = i % 251 + 1;
	for (n = 0; n < ARRAY_SIZE(sizes); n++) {
		const struct perf_counter_sample_extra extra = {
			.raw = data, .raw_size = sizes[n],
		};
		const struct perf_counter_sample sample = { .regs = &regs, .extra = &extra };
		/*
		 * Number of words of the RAW field, which begins with the size in 32 bits; end of
		 * the data in the record.
		 */
		u32 words = (sizes[n] + 4 + 7) / 8, end = 12 + sizes[n];
		struct perf_counter_buffer *buffer;
		u8 *record;

		buffer = sample_of(test, (struct perf_counter_attr) {
			.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TRANSACTION,
		}, &sample);
		record = (u8 *)word_at(buffer, 0);
		KUNIT_EXPECT_EQ_MSG(test, buffer->control->data_head, 8 + 8 * words + 8,
				    "%u bytes", sizes[n]);
		KUNIT_EXPECT_EQ_MSG(test, *(u32 *)(record + 8), 8 * words - 4, "%u bytes",
				    sizes[n]);
		KUNIT_EXPECT_MEMEQ_MSG(test, record + 12, data, sizes[n], "%u bytes", sizes[n]);
		for (; end < 8 + 8 * words; end++)
			KUNIT_EXPECT_EQ_MSG(test, record[end], 0, "%u bytes", sizes[n]);
	}
}

static void sample_has_its_cgroup(struct kunit *test)
{
	const struct perf_counter_sample_extra extra = { .transaction = 7 };
	static struct pt_regs regs;
	const struct perf_counter_sample sample = { .regs = &regs, .extra = &extra };
	struct perf_counter_buffer *buffer = sample_of(test, (struct perf_counter_attr) {
		.sample_type = PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_CGROUP |
			       PERF_SAMPLE_DATA_PAGE_SIZE,
	}, &sample);

	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 32);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 8), 7);
	/*
	 * The group of the test's thread is the root, with the id 1; without control groups the id
	 * is 0.
	 */
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 16), IS_ENABLED(CONFIG_CGROUPS) ? 1 : 0);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 24), 0);
}

/*
 * In the kernel's direct mapping, physical addresses are computed from virtual ones, without page
 * tables. In User Mode Linux, this mapping is below TASK_SIZE, so its addresses are taken for those
 * of a task, and no physical address is found.
 */
static void sample_has_physical_addresses_and_page_sizes(struct kunit *test)
{
	u8 *linear = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL), *mapped;
	static struct pt_regs regs;
	struct perf_counter_sample sample = { .regs = &regs };
	struct perf_counter_buffer *buffer;
	const struct perf_counter_attr attr = {
		.sample_type = PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE,
	};

	KUNIT_ASSERT_NOT_NULL(test, linear);
	sample.addr = (unsigned long)linear + 5;
	buffer = sample_of(test, attr, &sample);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 24);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 8),
			IS_ENABLED(CONFIG_UML) ? 0 : virt_to_phys(linear) + 5);

	/* For memory of vmalloc(), no physical address is reported, and pages are small. */
	mapped = vmalloc(1);
	KUNIT_ASSERT_NOT_NULL(test, mapped);
	sample.addr = (unsigned long)mapped;
	buffer = sample_of(test, attr, &sample);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 8), 0);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 16),
			IS_ENABLED(CONFIG_HAVE_GUP_FAST) ? PAGE_SIZE : 0);
	/* The page after that memory is not mapped. */
	sample.addr += PAGE_SIZE;
	buffer = sample_of(test, attr, &sample);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 16), 0);
	vfree(mapped);
}

#if IS_ENABLED(CONFIG_X86_64) && !IS_ENABLED(CONFIG_UML)
/* An address has no page size if any level of its page tables has no entry. */
static void page_without_a_table_has_no_size(struct kunit *test)
{
	/* The first level has no entry for the hole at the beginning of the kernel's half. */
	unsigned long first = 0xffff800000000000, second = VMALLOC_END & PAGE_MASK;

	KUNIT_EXPECT_EQ(test, perf_counter_page_size(first), 0);
	/*
	 * The upper levels have an entry for the last page of the vmalloc() area. The table that
	 * this entry leads to is empty.
	 */
	KUNIT_ASSERT_FALSE(test, p4d_none(*p4d_offset(pgd_offset_k(second), second)));
	KUNIT_EXPECT_EQ(test, perf_counter_page_size(second), 0);
}

/* Registers by number: AX is 0, SP is 7, IP is 8, and R15 is 23. */
#define IP_REG		BIT_ULL(8)
#define SOME_REGS	(BIT_ULL(0) | BIT_ULL(7) | IP_REG | BIT_ULL(23))
#define USER_REGS	{ .ax = 0xa, .sp = 0xb, .ip = 0xc, .r15 = 0xf, .cs = __USER_CS, \
			  .bx = 0xbad }
#define KERNEL_REGS	{ .ax = 1, .sp = 2, .ip = 3, .r15 = 4, .cs = __KERNEL_CS }
#elif defined(CONFIG_PPC64)
/* Registers by number: R0 is 0, R1 is 1, NIP is 32, and LR is 36. */
#define IP_REG		BIT_ULL(32)
#define SOME_REGS	(BIT_ULL(0) | BIT_ULL(1) | IP_REG | BIT_ULL(36))
#define USER_REGS	{ .gpr = { 0xa, 0xb, 0xbad }, .nip = 0xc, .link = 0xf, .msr = MSR_PR }
#define KERNEL_REGS	{ .gpr = { 1, 2 }, .nip = 3, .link = 4 }
#endif

#ifdef SOME_REGS
static void sample_has_its_registers_in_order(struct kunit *test)
{
	struct pt_regs user = USER_REGS;
	struct pt_regs kernel = KERNEL_REGS;
	struct perf_counter_sample sample = { .regs = &user };
	const struct perf_counter_attr attr = {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR |
			       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_TRANSACTION,
		.sample_regs_user = SOME_REGS, .sample_regs_intr = IP_REG,
		.sample_stack_user = 1024,
	};
	struct perf_counter_buffer *buffer = sample_of(test, attr, &sample);
	u64 abi = *word_at(buffer, 8);

	/* The test's thread is a kernel thread, so the ABI of its user mode is arbitrary. */
	KUNIT_EXPECT_TRUE(test, abi == PERF_SAMPLE_REGS_ABI_32 || abi == PERF_SAMPLE_REGS_ABI_64);
	/* A kernel thread has no user memory and no user stack. */
	KUNIT_ASSERT_NULL(test, current->mm);
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 80),
		abi, 0xa, 0xb, 0xc, 0xf, 0, 0, abi, 0xc,
	}, 10);

	/*
	 * If the event interrupted the kernel, the sample of a kernel thread has no registers of
	 * user mode.
	 */
	sample.regs = &kernel;
	buffer = sample_of(test, attr, &sample);
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 48),
		PERF_SAMPLE_REGS_ABI_NONE, 0, 0, abi, 3,
	}, 6);
}

/* Return the size of a stack dump at @sp if @wanted bytes are asked for. */
static u32 stack_size_at(struct kunit *test, unsigned long sp, u32 wanted, u32 room)
{
	struct pt_regs *regs = kunit_kmalloc(test, sizeof(*regs), GFP_KERNEL);
	struct perf_regs user = { .abi = PERF_SAMPLE_REGS_ABI_64, .regs = regs };

	KUNIT_ASSERT_NOT_NULL(test, regs);
	/* Set all registers to @sp: one of them is the stack pointer. */
	memset_l((unsigned long *)regs, sp, sizeof(*regs) / sizeof(sp));
	return perf_counter_stack_size(&user, wanted, room);
}

/*
 * A stack dump consists of whole words. It ends where the user's memory ends, and leaves room in
 * the record for the word after it.
 */
static void stack_fits_its_record(struct kunit *test)
{
	const unsigned long sp = 0x101010;

	KUNIT_EXPECT_EQ(test, stack_size_at(test, sp, 512, 4096), 0);
	/* Map memory, so that the test's thread has an address space of a program. */
	KUNIT_ASSERT_NE(test, kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
					    MAP_ANONYMOUS | MAP_PRIVATE, 0), 0);
	KUNIT_EXPECT_EQ(test, stack_size_at(test, sp, 512, 4096), 512);
	KUNIT_EXPECT_EQ(test, stack_size_at(test, sp, 512, 520), 512);
	KUNIT_EXPECT_EQ(test, stack_size_at(test, sp, 512, 519), 504);
	KUNIT_EXPECT_EQ(test, stack_size_at(test, sp, 512, 16), 8);
	for (u32 room = 0; room < 16; room++)
		KUNIT_EXPECT_EQ_MSG(test, stack_size_at(test, sp, 512, room), 0, "room %u", room);
	KUNIT_EXPECT_EQ(test, stack_size_at(test, TASK_SIZE - 20, 512, 4096), 16);
	KUNIT_EXPECT_EQ(test, stack_size_at(test, TASK_SIZE - 8, 512, 4096), 8);
	KUNIT_EXPECT_EQ(test, stack_size_at(test, TASK_SIZE, 512, 4096), 0);
	KUNIT_EXPECT_EQ(test, stack_size_at(test, 0, 512, 4096), 0);
}

/* The registers of an event that interrupted no code are not known. */
static void sample_without_registers_says_so(struct kunit *test)
{
	static struct pt_regs regs;
	const struct perf_counter_sample sample = { .regs = &regs, .ip = 0x1b };
	struct perf_counter_buffer *buffer = sample_of(test, (struct perf_counter_attr) {
		.sample_type = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_IP,
		.sample_regs_intr = SOME_REGS,
	}, &sample);

	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 24), 0x1b,
		PERF_SAMPLE_REGS_ABI_NONE,
	}, 3);
}
#endif

/*
 * A group of three counters, each with another read format: all fields, the group only, and a value
 * with the running time and the id.
 */
static void sample_has_its_group_in_order(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *leader = dummy_desc(test, (struct perf_counter_attr) {
		.sample_period = 1, .sample_type = PERF_SAMPLE_READ, .read_format = 0x1f,
	});
	struct perf_counter_desc *first = dummy_desc(test, (struct perf_counter_attr) {
		.sample_period = 1, .sample_type = PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP,
	});
	struct perf_counter_desc *second = dummy_desc(test, (struct perf_counter_attr) {
		.sample_period = 1, .sample_type = PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, leader);
	static struct pt_regs regs;
	struct perf_counter_sample sample = { .regs = &regs };

	rcu_assign_pointer(first->writer.buffer, buffer);
	rcu_assign_pointer(second->writer.buffer, buffer);
	test_attach(ctx, leader, NULL, 100);
	test_attach(ctx, first, leader, 200);
	test_attach(ctx, second, leader, 250);
	test_stop(ctx, 300);
	local64_set(&leader->first.count, 40);
	local64_set(&first->first.count, 50);
	local64_set(&second->first.count, 60);
	first->first.base = 8;
	atomic64_set(&first->writer.lost, 9);

	preempt_disable();
	perf_counter_output_sample(&leader->first, &sample);
	preempt_enable();
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 8 + 96),
		3, 200, 200, 40, leader->id, 0, 42, first->id, 9, 60, second->id, 0,
	}, 13);

	/* A sample of a member has the whole group, too, in the member's own format. */
	preempt_disable();
	perf_counter_output_sample(&first->first, &sample);
	preempt_enable();
	expect_words(test, buffer, 104, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 8 + 32), 3, 40, 42, 60,
	}, 5);

	/* A member without PERF_FORMAT_GROUP only has its own value. */
	preempt_disable();
	perf_counter_output_sample(&second->first, &sample);
	preempt_enable();
	expect_words(test, buffer, 144, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 8 + 24), 60, 50, second->id,
	}, 4);
}

static void read_record_has_its_trailer(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			       PERF_SAMPLE_ADDR,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.sample_id_all = 1,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	test_attach(ctx, desc, NULL, 0);
	test_stop(ctx, 11);
	local64_set(&desc->first.count, 5);
	desc->first.stream_id = 0x57;
	perf_counter_output_read(&desc->first, current);
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_READ, 0, 56), (u64)current->pid << 32 | current->tgid, 5, 11,
		123456789, desc->id, 0x57,
	}, 7);
}

/* Request each word of the trailer alone, so that no other word is in its place. */
static void trailer_has_what_was_asked_for(struct kunit *test)
{
	static const u64 types[] = {
		PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
		PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER,
	};
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	u64 ids = (u64)current->pid << 32 | current->tgid;
	unsigned int i;

	migrate_disable();
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
			.sample_type = PERF_SAMPLE_ADDR | types[i], .sample_id_all = 1,
		});
		struct perf_counter_buffer *buffer = test_buffer(test, desc);
		const u64 words[] = {
			ids, 123456789, desc->id, 0x57, raw_smp_processor_id(), desc->id,
		};

		test_attach(ctx, desc, NULL, 0);
		local64_set(&desc->first.count, 5);
		desc->first.stream_id = 0x57;
		perf_counter_output_read(&desc->first, current);
		expect_words(test, buffer, 0, (u64 []) {
			HEADER(PERF_RECORD_READ, 0, 32), ids, 5, words[i],
		}, 4);
		KUNIT_EXPECT_EQ_MSG(test, buffer->control->data_head, 32, "type %u", i);
		test_detach(desc, 0);
	}
	migrate_enable();
}

/* 256 samples of 16 bytes fill the page. Ten more are lost and reported. */
static void lost_samples_are_counted_and_reported(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.sample_period = 1, .sample_type = PERF_SAMPLE_ADDR,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	unsigned int i, fit = PAGE_SIZE / 16;

	test_join_current(test, desc, NULL);
	for (i = 0; i < fit + 10; i++)
		test_raise(1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&desc->writer.lost), 10);
	KUNIT_EXPECT_EQ(test, atomic64_read(&buffer->rings[0].lost), 10);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.count), fit + 10);

	/* There is room for the sample only, not for the LOST record before it. */
	WRITE_ONCE(buffer->control->data_tail, 16);
	test_raise(1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&buffer->rings[0].lost), 10);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 0),
			HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 16));

	/* There is room for both records. */
	WRITE_ONCE(buffer->control->data_tail, 16 + 40);
	test_raise(1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&buffer->rings[0].lost), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&desc->writer.lost), 10);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 16), HEADER(PERF_RECORD_LOST, 0, 24));
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 24), desc->id);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 32), 10);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 40),
			HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 16));
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, PAGE_SIZE + 56);
}

/*
 * Without a counter that wants side-band records, none is prepared: an exec would walk all
 * mappings for nothing.
 */
static void records_are_prepared_for_counters_that_want_them(struct kunit *test)
{
	struct perf_counter_desc *plain = dummy_desc(test, (struct perf_counter_attr) {});
	struct perf_counter_desc *asks = dummy_desc(test, (struct perf_counter_attr) { .task = 1 });

	KUNIT_EXPECT_FALSE(test, perf_counter_sideband_active());
	test_join_current(test, plain, NULL);
	KUNIT_EXPECT_FALSE(test, perf_counter_sideband_active());
	asks->records.plan.sideband = true;
	test_join_current(test, asks, NULL);
	KUNIT_EXPECT_TRUE(test, perf_counter_sideband_active());
}

/*
 * Write a FORK record in which the current task is its own child. Write a second one for a
 * descriptor whose opener lives in a PID namespace without this task: its ids are 0.
 */
static void fork_record_has_the_openers_ids(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) { .task = 1 });
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	struct pid_namespace *strangers = kunit_kzalloc(test, sizeof(*strangers), GFP_KERNEL);
	u32 pid = current->tgid, tid = current->pid;

	KUNIT_ASSERT_NOT_NULL(test, strangers);
	desc->records.plan.sideband = true;
	test_join_current(test, desc, NULL);
	perf_counter_record_fork(current);
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_FORK, 0, 32), (u64)pid << 32 | pid, (u64)tid << 32 | tid,
		123456789,
	}, 4);
	desc->records.ns = strangers;
	perf_counter_record_fork(current);
	expect_words(test, buffer, 32, (u64 []) {
		HEADER(PERF_RECORD_FORK, 0, 32), 0, 0, 123456789,
	}, 4);
	desc->records.ns = &init_pid_ns;
}

/*
 * Write two EXIT records of the current task for a counter of this CPU. The first one has no
 * parent, because the task has not stored its parent's ids at its exit; the second one has these
 * ids.
 */
static void exit_record_has_the_noted_parent(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) { .task = 1 });
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	u32 pid = current->tgid, tid = current->pid, ppid = 77, ptid = 78;
	struct perf_counter_task *state = test_state(test, current);
	struct perf_counter_ctx *ctx;

	desc->records.plan.sideband = true;
	preempt_disable();
	ctx = this_cpu_ptr(&perf_counter_cpu_ctx);
	raw_spin_lock_irq(&ctx->lock);
	perf_counter_attach(ctx, &desc->first, &desc->first);
	raw_spin_unlock_irq(&ctx->lock);
	state->exit.ppid = ppid;
	state->exit.ptid = ptid;
	__perf_counter_task_dead(current);
	state->exit.done = true;
	__perf_counter_task_dead(current);
	state->exit.done = false;
	raw_spin_lock_irq(&ctx->lock);
	perf_counter_detach(&desc->first);
	raw_spin_unlock_irq(&ctx->lock);
	preempt_enable();
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_EXIT, 0, 32), pid, tid, 123456789,
		HEADER(PERF_RECORD_EXIT, 0, 32), (u64)ppid << 32 | pid, (u64)ptid << 32 | tid,
		123456789,
	}, 8);
}

struct parent_ids {
	u32	ppid;
	u32	ptid;
};

static int child_notes_its_parent(void *arg)
{
	struct perf_counter_task *state = perf_counter_state_get(current);
	struct parent_ids *noted = arg;

	perf_counter_record_exit(NULL);
	if (state) {
		noted->ppid = state->exit.ppid;
		noted->ptid = state->exit.ptid;
	}
	do_exit(0);
}

/*
 * An exiting task stores the ids of its parent, which may have exited when the last EXIT record is
 * written.
 */
static void exiting_task_notes_its_parent(struct kunit *test)
{
	struct parent_ids noted = {};

	test_run_child(test, child_notes_its_parent, &noted);
	KUNIT_EXPECT_EQ(test, noted.ppid, current->tgid);
	KUNIT_EXPECT_EQ(test, noted.ptid, current->pid);
}

/* === Records of all sizes === */

/* Maximum size of a record in bytes; the tests try more than twice as many bytes. */
#define LONGEST		65528
#define MOST_BYTES	200000

/**
 * struct record_kind - a kind of record with a size that the test chooses
 * @attr: attr of the descriptor
 * @write: write a record with @bytes bytes from @data
 * @size: size that the record would have without a limit, in bytes
 */
struct record_kind {
	struct perf_counter_attr	attr;
	void				(*write)(struct perf_counter_desc *desc, const u8 *data,
						 u32 bytes);
	u64				(*size)(u32 bytes);
};

static void write_raw(struct perf_counter_desc *desc, const u8 *data, u32 bytes)
{
	const struct perf_counter_sample_extra extra = { .raw = data, .raw_size = bytes };
	static struct pt_regs regs;
	const struct perf_counter_sample sample = { .regs = &regs, .ip = 1, .extra = &extra };

	guard(preempt)();
	perf_counter_output_sample(&desc->first, &sample);
}

/*
 * Return the size of a record with a header, the words of attr.sample_type, and the size of the
 * data in 32 bits.
 */
static u64 raw_alone(u32 bytes)
{
	return 8 + ALIGN(4 + (u64)bytes, 8);
}

static u64 raw_among_others(u32 bytes)
{
	/*
	 * The record has a header; IP, TID, TIME and ADDR; a chain without frames; the raw data;
	 * TRANSACTION, and an empty stack.
	 */
	return 8 + 4 * 8 + 8 + ALIGN(4 + (u64)bytes, 8) + 8 + 8;
}

static void write_sideband(struct perf_counter_desc *desc, const u8 *data, u32 bytes)
{
	struct perf_counter_record record;

	guard(preempt)();
	if (!perf_counter_output_begin(&record, &desc->first, PERF_RECORD_COMM, 0,
				       ALIGN_DOWN(bytes, 8)))
		return;
	perf_counter_put(&record, data, ALIGN_DOWN(bytes, 8));
	perf_counter_output_end(&record);
}

static u64 sideband_with_trailer(u32 bytes)
{
	return 8 + ALIGN_DOWN((u64)bytes, 8) + 2 * 8;
}

static void write_text_poke(struct perf_counter_desc *desc, const u8 *data, u32 bytes)
{
	/* Two thirds of the bytes are the old code, and the rest is the new code. */
	u32 old = bytes / 3 * 2;

	__perf_counter_text_poke(data, data, old, data + old, bytes - old);
}

static u64 text_poke_size(u32 bytes)
{
	return 8 + ALIGN(8 + 2 + 2 + (u64)bytes, 8);
}

static const struct record_kind record_kinds[] = {
	{ { .sample_type = PERF_SAMPLE_RAW }, write_raw, raw_alone },
	{ { .sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_TRANSACTION |
			   PERF_SAMPLE_STACK_USER,
	    .exclude_callchain_kernel = 1, .exclude_callchain_user = 1,
	    .sample_stack_user = 32768 }, write_raw, raw_among_others },
	{ { .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, .sample_id_all = 1 },
	  write_sideband, sideband_with_trailer },
	{ { .text_poke = 1 }, write_text_poke, text_poke_size },
};

/* Test whether a record contains the data between its first and last words. */
static bool record_has(const void *record, u32 size, const u8 *data, u32 bytes)
{
	const u8 *at = memchr(record, data[0], size);

	for (; at; at = memchr(at + 1, data[0], record + size - (void *)at - 1)) {
		if (at + bytes <= (u8 *)record + size && !memcmp(at, data, bytes))
			return true;
	}
	return false;
}

/*
 * Write a record and read it. Returns false unless the whole record is written, or it
 * is counted as lost and only a LOST record is written.
 */
static bool try_size(struct perf_counter_desc *desc, struct perf_counter_buffer *buffer,
		     const struct record_kind *kind, const u8 *data, u32 bytes)
{
	u64 from = buffer->control->data_head, at = from, lost = atomic64_read(&desc->writer.lost);
	const struct perf_event_header *header = NULL;
	u64 size = kind->size(bytes);

	WRITE_ONCE(buffer->control->data_tail, from);
	kind->write(desc, data, bytes);
	if (size > LONGEST)
		return atomic64_read(&desc->writer.lost) == lost + 1 &&
		       (buffer->control->data_head == from ||
			buffer->control->data_head == from + 24 + desc->records.plan.id_size);
	while (at != buffer->control->data_head) {
		header = (void *)word_at(buffer, at & (buffer->rings[0].size - 1));
		if (!header->size || header->size > buffer->control->data_head - at)
			return false;
		at += header->size;
	}
	return header && header->size == size && header->type != PERF_RECORD_LOST &&
	       atomic64_read(&desc->writer.lost) == lost &&
	       record_has(header, size, data, ALIGN_DOWN(bytes, 8));
}

static unsigned int notifications;

static void count_notification(struct irq_work *work)
{
	notifications++;
}

/* The reader is notified once when the records fill half of the buffer. */
static void records_notify_the_reader(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	unsigned int before, i;
	u8 data[256] = {};
	const unsigned int bytes = sizeof(struct perf_event_header) + sizeof(data);
	const unsigned int less = PAGE_SIZE / 2 / bytes;

	init_irq_work(&buffer->notify, count_notification);
	notifications = 0;
	/* @less records fill less than half of the page, and one record more exceeds half. */
	for (i = 0; i < less; i++)
		write_sideband(desc, data, sizeof(data));
	irq_work_sync(&buffer->notify);
	before = notifications;
	write_sideband(desc, data, sizeof(data));
	irq_work_sync(&buffer->notify);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, (less + 1) * bytes);
	KUNIT_EXPECT_EQ(test, before, 0);
	KUNIT_EXPECT_EQ(test, notifications, 1);
}

static void record_of_any_size_is_written_or_lost(struct kunit *test)
{
	u8 *data = kvmalloc(MOST_BYTES, GFP_KERNEL);
	struct rnd_state rnd;
	unsigned int n, i;

	KUNIT_ASSERT_NOT_NULL(test, data);
	prandom_seed_state(&rnd, 36);
	prandom_bytes_state(&rnd, data, MOST_BYTES);
	for (n = 0; n < ARRAY_SIZE(record_kinds); n++) {
		const struct record_kind *kind = &record_kinds[n];
		struct perf_counter_attr attr = kind->attr;
		struct perf_counter_buffer *buffer;
		struct perf_counter_desc *desc;

		attr.sample_period = 1;
		desc = dummy_desc(test, attr);
		buffer = test_large_buffer(test, desc, SZ_256K / PAGE_SIZE);
		if (attr.text_poke) {
			/* A descriptor without an attached counter gets no records. */
			list_add_tail(&desc->first.desc_node, &desc->counters);
			perf_counter_sideband_open(desc);
		}
		for (i = 0; i < 600; i++) {
			/* Half of the sizes are near the limit. */
			u32 bytes = i % 2 ? 8 + prandom_u32_state(&rnd) % (MOST_BYTES - 8) :
					    LONGEST + 100 - i / 2 % 200;

			KUNIT_EXPECT_TRUE_MSG(test, try_size(desc, buffer, kind, data, bytes),
					      "kind %u, %u bytes", n, bytes);
		}
		if (attr.text_poke) {
			perf_counter_sideband_close(desc);
			synchronize_rcu();
			list_del_init(&desc->first.desc_node);
		}
	}
	kvfree(data);
}

/* The mapping of a module has no process and no file, and so no build-id. */
static void record_of_a_module_has_its_range_and_name(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.ksymbol = 1, .mmap2 = 1, .build_id = 1,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	/* A descriptor without an attached counter gets no records. */
	list_add_tail(&desc->first.desc_node, &desc->counters);
	perf_counter_sideband_open(desc);
	perf_counter_record_module("abc", 0x1000, 0x300, false);
	perf_counter_sideband_close(desc);
	synchronize_rcu();
	list_del_init(&desc->first.desc_node);
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_MMAP2, PERF_RECORD_MISC_KERNEL, 80),
		/* process -1; address, size, offset; device, inode and its generation */
		0xffffffff, 0x1000, 0x300, 0, 0, 0, 0,
		/* PROT_EXEC, MAP_PRIVATE; "[abc]" */
		2ULL << 32 | 4, 0x5d6362615b,
	}, 10);
}

#if IS_ENABLED(CONFIG_UML)
/*
 * On architectures without a walk of user stacks, the user part of a chain is only the
 * sampled instruction. In kernel mode, the sample's IP follows the marker.
 */
static void chain_has_the_instruction_alone(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.sample_period = 1, .sample_type = PERF_SAMPLE_CALLCHAIN, .sample_max_stack = 9,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	static struct pt_regs regs;
	const struct perf_counter_sample user = { .regs = &regs, .ip = 0x1234 };
	const struct perf_counter_sample kernel = { .regs = &regs, .ip = 0x5678 };

	UPT_IP(&regs.regs) = 0x1234;
	preempt_disable();
	regs.regs.is_user = true;
	perf_counter_output_sample(&desc->first, &user);
	regs.regs.is_user = false;
	perf_counter_output_sample(&desc->first, &kernel);
	preempt_enable();
	expect_words(test, buffer, 0, (u64 []) {
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 32), 2, PERF_CONTEXT_USER, 0x1234,
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 32), 2, PERF_CONTEXT_KERNEL,
		0x5678,
	}, 8);
}
#endif

/* An event that collecting a call chain raises in the same context is missed. */
static void sample_is_missed_while_a_chain_is_collected(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.sample_period = 1, .sample_type = PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_kernel = 1, .exclude_callchain_user = 1,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	static struct pt_regs regs;
	const struct perf_counter_sample sample = { .regs = &regs, .ip = 1 };
	struct perf_counter_callchain *chain;

	preempt_disable();
	chain = perf_counter_callchain_get(desc, &sample);
	perf_counter_output_sample(&desc->first, &sample);
	perf_counter_callchain_put(chain);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, atomic64_read(&desc->missed), 1);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 0);

	preempt_disable();
	perf_counter_output_sample(&desc->first, &sample);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, atomic64_read(&desc->missed), 1);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 16);
}

static struct kunit_case output_cases[] = {
	KUNIT_CASE(sample_has_its_fields_in_order),
	KUNIT_CASE(unknown_fields_have_their_defaults),
	KUNIT_CASE(sample_has_the_data_of_its_event),
	KUNIT_CASE(sample_of_a_guest_says_so),
	KUNIT_CASE(sample_has_raw_data_of_any_size),
	KUNIT_CASE(sample_has_its_cgroup),
	KUNIT_CASE(sample_has_physical_addresses_and_page_sizes),
#if IS_ENABLED(CONFIG_X86_64) && !IS_ENABLED(CONFIG_UML)
	KUNIT_CASE(page_without_a_table_has_no_size),
#endif
#ifdef SOME_REGS
	KUNIT_CASE(sample_has_its_registers_in_order),
	KUNIT_CASE(stack_fits_its_record),
	KUNIT_CASE(sample_without_registers_says_so),
#endif
	KUNIT_CASE(sample_has_its_group_in_order),
	KUNIT_CASE(read_record_has_its_trailer),
	KUNIT_CASE(trailer_has_what_was_asked_for),
	KUNIT_CASE(lost_samples_are_counted_and_reported),
	KUNIT_CASE(records_are_prepared_for_counters_that_want_them),
	KUNIT_CASE(fork_record_has_the_openers_ids),
	KUNIT_CASE(exit_record_has_the_noted_parent),
	KUNIT_CASE(exiting_task_notes_its_parent),
	KUNIT_CASE(records_notify_the_reader),
	KUNIT_CASE(record_of_any_size_is_written_or_lost),
	KUNIT_CASE(record_of_a_module_has_its_range_and_name),
#if IS_ENABLED(CONFIG_UML)
	KUNIT_CASE(chain_has_the_instruction_alone),
#endif
	KUNIT_CASE(sample_is_missed_while_a_chain_is_collected),
	{}
};

static struct kunit_suite output_suite = {
	.name = "perf_counter_output",
	.test_cases = output_cases,
};

/* === Periods === */

/* Number of samples of {header, period} so far. */
static u64 samples_of(struct perf_counter_buffer *buffer)
{
	return buffer->control->data_head / 16;
}

static struct perf_counter_desc *sampling_desc(struct kunit *test, u64 period)
{
	return dummy_desc(test, (struct perf_counter_attr) {
		.sample_period = period, .sample_type = PERF_SAMPLE_PERIOD,
	});
}

static void samples_come_once_a_period(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 10);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	unsigned int i;

	test_join_current(test, desc, NULL);
	for (i = 1; i <= 100; i++) {
		test_raise(1);
		KUNIT_EXPECT_EQ_MSG(test, samples_of(buffer), i / 10, "event %u", i);
	}
	/* 25 events at once complete two periods and half of a third. */
	test_raise(25);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 12);
	test_raise(4);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 12);
	test_raise(1);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 13);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.count), 130);
	for (i = 0; i < 13; i++)
		KUNIT_EXPECT_EQ(test, *word_at(buffer, 16 * i + 8), 10);
}

static void samples_stop_at_their_limit(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 2);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	atomic_set(&desc->refresh.limit, 3);
	test_join_current(test, desc, NULL);
	test_raise(2);
	test_raise(2);
	KUNIT_EXPECT_FALSE(test, atomic_read(&desc->refresh.hangup));
	KUNIT_EXPECT_EQ(test, atomic_read(&desc->refresh.limit), 1);
	test_raise(2);
	KUNIT_EXPECT_TRUE(test, atomic_read(&desc->refresh.hangup));
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 3);
	/* Events that occur before the counter is disabled are counted, but give no samples. */
	test_raise(2);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&desc->refresh.limit), 0);
}

/*
 * When the limit is used up, a work item disables the counter later, outside the context of the
 * event.
 */
static void counter_is_off_at_its_limit(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 1);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	perf_counter_limit_init(desc);
	atomic_set(&desc->refresh.limit, 2);
	test_join_current(test, desc, NULL);
	test_raise(1);
	irq_work_sync(&desc->work);
	KUNIT_EXPECT_TRUE(test, desc->first.enabled);
	KUNIT_EXPECT_FALSE(test, perf_counter_no_more_records(desc));
	test_raise(1);
	perf_counter_limit_sync(desc);
	KUNIT_EXPECT_FALSE(test, desc->first.enabled);
	KUNIT_EXPECT_TRUE(test, perf_counter_no_more_records(desc));
	test_raise(1);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 2);
	KUNIT_EXPECT_EQ(test, perf_counter_count(&desc->first), 2);
}

/* The limits of several calls add up. A sum that is too large is refused. */
static void too_large_limit_is_refused(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 1);

	perf_counter_limit_init(desc);
	test_join_current(test, desc, NULL);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_refresh(desc, 2), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_refresh(desc, INT_MAX - 2), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&desc->refresh.limit), INT_MAX);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_refresh(desc, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_refresh(desc, INT_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_counter_desc_refresh(desc, 1UL + INT_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, atomic_read(&desc->refresh.limit), INT_MAX);
	KUNIT_EXPECT_TRUE(test, desc->first.enabled);
	/* The refused calls have released the mutex. A refresh by 0 removes the limit. */
	KUNIT_EXPECT_EQ(test, perf_counter_desc_refresh(desc, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&desc->refresh.limit), -1);
	perf_counter_limit_sync(desc);
}

static void events_pass_filters(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 1);

	test_join_current(test, desc, NULL);
	/* The registers of these events are in the kernel. */
	desc->first.filter = FILTER_KERNEL;
	test_raise(1);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.count), 0);
	desc->first.filter = FILTER_USER | FILTER_IDLE;
	test_raise(1);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.count), 1);
	desc->first.filter = FILTER_HOST;
	test_raise(1);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.count), 1);
	desc->first.filter = FILTER_CPU;
	desc->first.cpu = nr_cpu_ids;
	test_raise(1);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.count), 1);
}

/*
 * Return the period that follows from @events events in the last @seconds, for @freq samples a
 * second. The clock goes on during the call, so the period may be shorter: set @least to the
 * shortest possible period.
 */
static u64 adapted_period(struct kunit *test, u64 period, u64 freq, u64 events, u64 seconds,
			  u64 *least)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.freq = 1, .sample_freq = freq, .sample_type = PERF_SAMPLE_PERIOD,
	});
	u64 since;

	test_join_current(test, desc, NULL);
	desc->first.sampling.period = period;
	/* The event below is the last one of the period and is sampled. */
	local64_set(&desc->first.sampling.period_left, 1);
	local64_set(&desc->first.count, events - 1);
	since = perf_counter_run_time(&desc->first) - seconds * NSEC_PER_SEC;
	desc->first.sampling.freq_stamp = since;
	test_raise(1);
	*least = div64_u64(events * (NSEC_PER_SEC / freq),
			   perf_counter_run_time(&desc->first) - since);
	return desc->first.sampling.period;
}

static void period_follows_the_frequency(struct kunit *test)
{
	u64 least, period;

	/* 2,000,000 events a second for 1,000 samples a second: every 2,000th event. */
	period = adapted_period(test, 1000, 1000, 20000000, 10, &least);
	KUNIT_EXPECT_LE(test, period, 2000);
	KUNIT_EXPECT_GE(test, period, least);
	/* Each event is sampled if there are fewer events than wanted samples. */
	period = adapted_period(test, 1000, 1000, 50, 10, &least);
	KUNIT_EXPECT_EQ(test, period, 1);
	/* A burst makes the period at most eight times longer. */
	period = adapted_period(test, 1000, 1000, 400000000, 10, &least);
	KUNIT_EXPECT_EQ(test, period, 8000);
}

/* When events have become rare, the rest of a long period is shortened. */
static void shorter_period_applies_at_once(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.freq = 1, .sample_freq = 1000, .sample_type = PERF_SAMPLE_PERIOD,
	});

	test_join_current(test, desc, NULL);
	desc->first.sampling.period = 1000000;
	local64_set(&desc->first.sampling.period_left, 900000);
	desc->first.sampling.freq_stamp = perf_counter_run_time(&desc->first) - NSEC_PER_SEC;
	test_raise(1);
	KUNIT_EXPECT_EQ(test, desc->first.sampling.period, 1);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.sampling.period_left), 1);
}

/*
 * Let the timer of a sampling clock expire after the clock has run for @run ns. Then move the end
 * of the throttle window by an hour, so that the window does not end in the test.
 */
static enum hrtimer_restart clock_goes_off_at(struct perf_counter *counter, u64 run)
{
	static struct pt_regs regs;
	enum hrtimer_restart restart;
	struct pt_regs *old;

	counter->times.running = run;
	local_irq_disable();
	old = set_irq_regs(&regs);
	restart = counter->timer.function(&counter->timer);
	set_irq_regs(old);
	local_irq_enable();
	counter->throttle.window_end += 3600 * NSEC_PER_SEC;
	return restart;
}

/* Let the timer expire when a sample is due. The timer goes on, even if there is no sample. */
static void clock_goes_off(struct kunit *test, struct perf_counter *counter)
{
	KUNIT_EXPECT_EQ(test, clock_goes_off_at(counter, counter->due), HRTIMER_RESTART);
}

/*
 * Three samples per window are allowed. The fourth and the fifth are suppressed, with a
 * single THROTTLE record, until the window ends.
 */
static void clock_is_throttled(struct kunit *test)
{
	const u64 throttle = HEADER(PERF_RECORD_THROTTLE, 0, 32);
	const u64 unthrottle = HEADER(PERF_RECORD_UNTHROTTLE, 0, 32);
	unsigned int allowed = perf_counter_max_samples_per_tick, i;
	struct perf_counter_desc *desc = sampling_desc(test, NSEC_PER_SEC);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	desc->pmu = &perf_counter_clock_pmu;
	desc->event = -1;
	perf_counter_clock_pmu.counter_init(&desc->first);
	desc->first.group_enabled = true;
	desc->first.needs_load = true;
	desc->first.loaded = true;
	WRITE_ONCE(perf_counter_max_samples_per_tick, 3);
	for (i = 1; i <= 3; i++) {
		clock_goes_off(test, &desc->first);
		KUNIT_EXPECT_EQ(test, samples_of(buffer), i);
	}
	clock_goes_off(test, &desc->first);
	expect_words(test, buffer, 48, (u64 []) {
		throttle, 123456789, desc->id, desc->id,
	}, 4);
	clock_goes_off(test, &desc->first);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 48 + 32);

	desc->first.throttle.window_end = 0;
	clock_goes_off(test, &desc->first);
	expect_words(test, buffer, 80, (u64 []) {
		unthrottle, 123456789, desc->id, desc->id,
		HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 16), NSEC_PER_SEC,
	}, 6);
	WRITE_ONCE(perf_counter_max_samples_per_tick, allowed);
}

/*
 * A timer that expires all the time would stop all other work: the shortest period is
 * 10,000 ns.
 */
static void clock_has_a_minimum_period(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 1);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	desc->pmu = &perf_counter_clock_pmu;
	desc->event = -1;
	perf_counter_clock_pmu.counter_init(&desc->first);
	desc->first.group_enabled = true;
	desc->first.needs_load = true;
	desc->first.loaded = true;
	clock_goes_off(test, &desc->first);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 1);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 8), 10000);
}

/*
 * The running time of the counter decides whether a sample is due; missed periods are
 * skipped.
 */
static void clock_samples_by_its_running_time(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 1000000);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	struct perf_counter *counter = &desc->first;

	desc->pmu = &perf_counter_clock_pmu;
	desc->event = -1;
	perf_counter_clock_pmu.counter_init(counter);
	counter->group_enabled = true;
	counter->needs_load = true;
	counter->loaded = true;
	counter->due = 1000000;
	KUNIT_EXPECT_EQ(test, clock_goes_off_at(counter, 999999), HRTIMER_RESTART);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 0);
	KUNIT_EXPECT_EQ(test, counter->due, 1000000);
	KUNIT_EXPECT_EQ(test, clock_goes_off_at(counter, 1000000), HRTIMER_RESTART);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 1);
	KUNIT_EXPECT_EQ(test, counter->due, 2000000);
	KUNIT_EXPECT_EQ(test, clock_goes_off_at(counter, 2999999), HRTIMER_RESTART);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 2);
	KUNIT_EXPECT_EQ(test, counter->due, 3000000);
	KUNIT_EXPECT_EQ(test, clock_goes_off_at(counter, 7000000), HRTIMER_RESTART);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 3);
	KUNIT_EXPECT_EQ(test, counter->due, 8000000);
}

static struct kunit_case sampling_cases[] = {
	KUNIT_CASE(samples_come_once_a_period),
	KUNIT_CASE(samples_stop_at_their_limit),
	KUNIT_CASE(counter_is_off_at_its_limit),
	KUNIT_CASE(too_large_limit_is_refused),
	KUNIT_CASE(events_pass_filters),
	KUNIT_CASE(period_follows_the_frequency),
	KUNIT_CASE(shorter_period_applies_at_once),
	KUNIT_CASE(clock_is_throttled),
	KUNIT_CASE(clock_has_a_minimum_period),
	KUNIT_CASE(clock_samples_by_its_running_time),
	{}
};

static struct kunit_suite sampling_suite = {
	.name = "perf_counter_sampling",
	.test_cases = sampling_cases,
};

/* === Inheritance: children of the test's thread === */

static int child_raises(void *nr)
{
	test_raise(*(u64 *)nr);
	do_exit(0);
}

/*
 * Expect that the counter of @desc has counted @own events, and that its exited children have
 * counted @gone.
 */
static void expect_counts(struct kunit *test, struct perf_counter_desc *desc, u64 own, u64 gone)
{
	KUNIT_EXPECT_EQ(test, perf_counter_count(&desc->first), own);
	KUNIT_EXPECT_EQ(test, atomic64_read(&desc->exited.count), gone);
	/* The counters of the exited children have left the list. */
	KUNIT_EXPECT_TRUE(test, list_is_singular(&desc->counters));
}

static void counts_of_children_add_up(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1,
	});
	u64 nr, gone = 0;

	test_join_current(test, desc, NULL);
	test_raise(5);
	/*
	 * The children raise 1 + 2 + ... + 10 events. Each child starts at 0, whatever its parent
	 * has.
	 */
	for (nr = 1; nr <= 10; nr++) {
		test_run_child(test, child_raises, &nr);
		gone += nr;
		expect_counts(test, desc, 5, gone);
	}
	test_raise(3);
	expect_counts(test, desc, 8, 55);
	KUNIT_EXPECT_EQ(test, refcount_read(&desc->refs), 1);
	/* A child's counter has run for all of the time that it was enabled. */
	KUNIT_EXPECT_EQ(test, desc->exited.enabled, desc->exited.running);
}

/* A child's counter filters events as its parent's counter does. */
static void child_has_the_filters_of_its_parent(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1, .exclude_kernel = 1,
	});
	u64 nr = 5;

	test_join_current(test, desc, NULL);
	desc->first.filter = FILTER_KERNEL;
	test_run_child(test, child_raises, &nr);
	expect_counts(test, desc, 0, 0);
	desc->first.filter = FILTER_USER;
	test_run_child(test, child_raises, &nr);
	expect_counts(test, desc, 0, nr);
}

struct generations {
	struct kunit	*test;
	u64		left;
};

/*
 * A child forks a child, which forks a third one. The third one raises 1 event, the second one 2,
 * and the first one 3.
 */
static int child_has_a_child(void *arg)
{
	struct generations *generations = arg;

	if (generations->left--)
		test_run_child(generations->test, child_has_a_child, generations);
	test_raise(++generations->left + 1);
	do_exit(0);
}

static void counts_of_grandchildren_add_up(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1,
	});
	struct generations generations = { .test = test, .left = 2 };

	test_join_current(test, desc, NULL);
	test_run_child(test, child_has_a_child, &generations);
	expect_counts(test, desc, 0, 1 + 2 + 3);
}

/* A child inherits three of four counters, as a group. */
static void group_is_inherited(struct kunit *test)
{
	struct perf_counter_desc *leader = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1, .disabled = 1,
	});
	struct perf_counter_desc *alone = dummy_desc(test, (struct perf_counter_attr) {});
	struct perf_counter_desc *member = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1,
	});
	struct perf_counter_desc *off = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1, .disabled = 1,
	});
	u64 nr = 7;

	test_join_current(test, leader, NULL);
	test_join_current(test, alone, NULL);
	test_join_current(test, member, leader);
	test_join_current(test, off, leader);
	/* The leader is disabled in the parent and in the child. */
	test_run_child(test, child_raises, &nr);
	expect_counts(test, member, 0, 0);

	raw_spin_lock_irq(&leader->first.ctx->lock);
	perf_counter_set_enabled(&leader->first, true);
	raw_spin_unlock_irq(&leader->first.ctx->lock);
	test_raise(2);
	test_run_child(test, child_raises, &nr);
	expect_counts(test, leader, 2, 7);
	expect_counts(test, alone, 2, 0);
	expect_counts(test, member, 2, 7);
	expect_counts(test, off, 0, 0);
}

/* Return the stream id of the counter that was added to @desc last. */
static u64 last_stream_id(const struct perf_counter_desc *desc)
{
	return list_last_entry(&desc->counters, struct perf_counter, desc_node)->stream_id;
}

/*
 * The number of begins and ends of forks is odd during a fork, and the fork makes counters for the
 * child. The test runs the steps of a fork for a task that never runs.
 */
static void no_counter_joins_during_a_fork(struct kunit *test)
{
	struct perf_counter_attr inherit = { .inherit = 1 };
	struct perf_counter_desc *first = dummy_desc(test, inherit);
	struct perf_counter_desc *second = dummy_desc(test, inherit);
	struct perf_counter_desc *alone = dummy_desc(test, (struct perf_counter_attr) {});
	struct task_struct *child = test_task(test);
	struct perf_counter_ctx *ctx;

	test_join_current(test, alone, NULL);
	KUNIT_EXPECT_EQ(test, perf_counter_init_task(child), 0);
	KUNIT_EXPECT_NULL(test, child->perf_counter);
	/* perf_counter_wait_for_fork() waits while the number is odd. */
	KUNIT_EXPECT_TRUE(test, perf_counter_task_state(current)->forks & 1);
	perf_counter_free_task(child);
	KUNIT_EXPECT_FALSE(test, perf_counter_task_state(current)->forks & 1);

	test_join_current(test, first, NULL);
	test_join_current(test, second, NULL);
	KUNIT_EXPECT_EQ(test, perf_counter_init_task(child), 0);
	KUNIT_EXPECT_TRUE(test, perf_counter_task_state(current)->forks & 1);
	perf_counter_fork(child);
	KUNIT_EXPECT_FALSE(test, perf_counter_task_state(current)->forks & 1);
	ctx = perf_counter_task_ctx(child);
	KUNIT_ASSERT_NOT_NULL(test, ctx);
	KUNIT_EXPECT_EQ(test, ctx->nr_counters, 2);
	/* The state of the child is in the block of the context, and keeps it. */
	KUNIT_EXPECT_PTR_EQ(test, perf_counter_task_state(child)->block, ctx);
	KUNIT_EXPECT_EQ(test, refcount_read(&ctx->refs), 2);
	/* The counters of the child have new stream ids. */
	KUNIT_EXPECT_GT(test, last_stream_id(first), alone->id);
	KUNIT_EXPECT_GT(test, last_stream_id(second), alone->id);
	KUNIT_EXPECT_NE(test, last_stream_id(first), last_stream_id(second));
	perf_counter_drop_task(child);
	KUNIT_EXPECT_NULL(test, perf_counter_task_ctx(child));
	KUNIT_EXPECT_EQ(test, refcount_read(&ctx->refs), 1);

	/*
	 * A fork that fails frees the counters that the child has inherited. This child has a state
	 * already, which is not in the block of the new context.
	 */
	KUNIT_EXPECT_EQ(test, perf_counter_init_task(child), 0);
	KUNIT_EXPECT_PTR_EQ(test, perf_counter_task_state(child)->block, ctx);
	KUNIT_ASSERT_NOT_NULL(test, perf_counter_task_ctx(child));
	KUNIT_EXPECT_EQ(test, refcount_read(&perf_counter_task_ctx(child)->refs), 1);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&first->counters), 2);
	perf_counter_free_task(child);
	KUNIT_EXPECT_FALSE(test, perf_counter_task_state(current)->forks & 1);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&first->counters), 1);
	expect_counts(test, first, 0, 0);
	expect_counts(test, second, 0, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&first->refs), 1);
}

/* A task that waits for a fork of another task. */
struct fork_waiter {
	struct task_struct	*forker;
	struct completion	done;
};

static int wait_for_fork(void *data)
{
	struct fork_waiter *waiter = data;

	perf_counter_wait_for_fork(waiter->forker);
	complete(&waiter->done);
	return 0;
}

/* Start a task that waits. Return when the task sleeps, or has ended without waiting. */
static void start_waiter(struct kunit *test, struct fork_waiter *waiter)
{
	struct task_struct *task;

	waiter->forker = current;
	init_completion(&waiter->done);
	task = kthread_create(wait_for_fork, waiter, "fork_waiter");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	get_task_struct(task);
	wake_up_process(task);
	while (!(READ_ONCE(task->__state) & TASK_WAKEKILL) && !completion_done(&waiter->done))
		schedule_timeout_uninterruptible(1);
	put_task_struct(task);
}

/* An open that has attached a counter waits for a fork in progress, and only for that. */
static void attaching_waits_for_a_fork(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {});
	struct task_struct *child = test_task(test);
	struct fork_waiter waiter;

	/* A fork wakes only tasks that have given it a context. */
	test_join_current(test, desc, NULL);
	for (int failed = 0; failed < 2; failed++) {
		start_waiter(test, &waiter);
		KUNIT_EXPECT_TRUE(test, completion_done(&waiter.done));

		KUNIT_ASSERT_EQ(test, perf_counter_init_task(child), 0);
		start_waiter(test, &waiter);
		KUNIT_EXPECT_FALSE(test, completion_done(&waiter.done));
		if (failed)
			perf_counter_free_task(child);
		else
			perf_counter_fork(child);
		KUNIT_ASSERT_NE(test, wait_for_completion_timeout(&waiter.done, 60 * HZ), 0);
	}
}

/*
 * A context needs lists for the PMUs of its loaded counters; a child only has the lists
 * that it needs.
 */
static void child_has_no_lists_for_closed_counters(struct kunit *test)
{
	const struct perf_counter_attr clock = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .inherit = 1,
		.sample_period = 3600 * NSEC_PER_SEC,
	};
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1,
	});
	struct task_struct *child = test_task(test);
	struct perf_counter_desc *timer;

	timer = perf_counter_kernel_open(&clock, current, -1, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, timer);
	test_join_current(test, desc, NULL);
	KUNIT_ASSERT_EQ(test, perf_counter_init_task(child), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_task_ctx(child)->nr_needs_load, 1);
	KUNIT_EXPECT_NOT_NULL(test, perf_counter_task_ctx(child)->pmus);
	perf_counter_free_task(child);

	perf_counter_kernel_close(timer);
	KUNIT_ASSERT_EQ(test, perf_counter_init_task(child), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_task_ctx(child)->nr_counters, 1);
	KUNIT_EXPECT_NULL(test, perf_counter_task_ctx(child)->pmus);
	perf_counter_free_task(child);
}

/* Fork while a descriptor is being closed. */
static void closed_counter_is_not_inherited(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1,
	});
	u64 nr = 4;

	test_join_current(test, desc, NULL);
	desc->closed = true;
	test_run_child(test, child_raises, &nr);
	expect_counts(test, desc, 0, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&desc->refs), 1);
}

/* A child's counter starts with a full period. Its READ record has the count of the child. */
static void child_samples_into_the_same_buffer(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1, .inherit_stat = 1, .sample_period = 10,
		.sample_type = PERF_SAMPLE_PERIOD,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	u64 nr = 19;

	test_join_current(test, desc, NULL);
	test_raise(9);
	test_run_child(test, child_raises, &nr);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 0),
			HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 16));
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 16), HEADER(PERF_RECORD_READ, 0, 24));
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 32), 19);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 40);
	/* This is the tenth event of this task, so it is sampled. */
	test_raise(1);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 56);
	expect_counts(test, desc, 10, 19);
}

/* Without inherit_stat, the exit of a child writes no READ record. */
static void child_writes_no_read_record_unasked(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	u64 nr = 6;

	test_join_current(test, desc, NULL);
	test_run_child(test, child_raises, &nr);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 0);
	expect_counts(test, desc, 0, 6);
}

/*
 * An exit writes the READ record of a member before that of its leader. Each record has the values
 * of the counters that the group still has.
 */
static void members_are_read_before_their_leader(struct kunit *test)
{
	const struct perf_counter_attr attr = {
		.inherit = 1, .inherit_stat = 1, .read_format = PERF_FORMAT_GROUP,
		.sample_type = PERF_SAMPLE_ID, .sample_id_all = 1,
	};
	struct perf_counter_desc *leader = dummy_desc(test, attr);
	struct perf_counter_desc *member = dummy_desc(test, attr);
	struct perf_counter_buffer *buffer = test_buffer(test, leader);
	u64 nr = 7;

	rcu_assign_pointer(member->writer.buffer, buffer);
	test_join_current(test, leader, NULL);
	test_join_current(test, member, leader);
	test_run_child(test, child_raises, &nr);
	/* The member's READ record has a header, ids, the number of counters, values and an id. */
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 48 + 40);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 0), HEADER(PERF_RECORD_READ, 0, 48));
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 16), 2);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 24), 7);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 32), 7);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 40), member->id);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 48), HEADER(PERF_RECORD_READ, 0, 40));
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 64), 1);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 72), 7);
	KUNIT_EXPECT_EQ(test, *word_at(buffer, 80), leader->id);
}

/* Run until the clock has advanced. */
static int child_takes_time(void *arg)
{
	u64 then = perf_counter_clock();

	while (perf_counter_clock() == then)
		cond_resched();
	do_exit(0);
}

/* A counter of a CPU on which the child does not run is enabled, but does not run. */
static void child_on_another_cpu_did_not_run(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.inherit = 1,
	});
	struct perf_counter_value own, sum;

	desc->needs_load = true;
	desc->first.cpu = nr_cpu_ids;
	test_join_current(test, desc, NULL);
	test_run_child(test, child_takes_time, NULL);
	raw_spin_lock_irq(&desc->first.ctx->lock);
	perf_counter_set_enabled(&desc->first, false);
	perf_counter_value_of(&desc->first, 0, &own);
	raw_spin_unlock_irq(&desc->first.ctx->lock);
	sum = perf_counter_desc_value(desc);
	KUNIT_EXPECT_GT(test, desc->exited.enabled, 0);
	KUNIT_EXPECT_EQ(test, sum.enabled, own.enabled + desc->exited.enabled);
	KUNIT_EXPECT_EQ(test, sum.running, 0);
}

/* The counter is disabled by hand before the second exec, which does not enable it again. */
static void exec_enables_once(struct kunit *test)
{
	struct perf_counter_desc *desc = dummy_desc(test, (struct perf_counter_attr) {
		.disabled = 1,
	});

	test_join_current(test, desc, NULL);
	desc->first.enable_on_exec = true;
	test_raise(1);
	__perf_counter_exec();
	test_raise(2);
	KUNIT_EXPECT_EQ(test, perf_counter_count(&desc->first), 2);
	raw_spin_lock_irq(&desc->first.ctx->lock);
	perf_counter_set_enabled(&desc->first, false);
	raw_spin_unlock_irq(&desc->first.ctx->lock);
	__perf_counter_exec();
	test_raise(4);
	KUNIT_EXPECT_EQ(test, perf_counter_count(&desc->first), 2);
}

static struct kunit_case inherit_cases[] = {
	KUNIT_CASE(counts_of_children_add_up),
	KUNIT_CASE(child_has_the_filters_of_its_parent),
	KUNIT_CASE(counts_of_grandchildren_add_up),
	KUNIT_CASE(no_counter_joins_during_a_fork),
	KUNIT_CASE(group_is_inherited),
	KUNIT_CASE(attaching_waits_for_a_fork),
	KUNIT_CASE(child_has_no_lists_for_closed_counters),
	KUNIT_CASE(closed_counter_is_not_inherited),
	KUNIT_CASE(child_samples_into_the_same_buffer),
	KUNIT_CASE(child_writes_no_read_record_unasked),
	KUNIT_CASE(members_are_read_before_their_leader),
	KUNIT_CASE(child_on_another_cpu_did_not_run),
	KUNIT_CASE(exec_enables_once),
	{}
};

static struct kunit_suite inherit_suite = {
	.name = "perf_counter_inherit",
	.test_cases = inherit_cases,
};

kunit_test_suites(&output_suite, &sampling_suite, &inherit_suite);
