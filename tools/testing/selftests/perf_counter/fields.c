// SPDX-License-Identifier: GPL-2.0
/*
 * The less common fields of a sample: registers, stacks, memory, raw data.
 *
 * perf_events in the same kernel has these fields, too: both subsystems sample each event, and
 * their records have to be equal, but for differences that are named below. Other tests cause the
 * event with known registers, a known stack and a known address.
 */
#include <poll.h>

#include "pc_arch.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_user.h"
#include "pc_work.h"

#if defined(__x86_64__) || defined(__powerpc64__)

/*
 * Bits of the masks are those of <asm/perf_regs.h>. In touch() the registers FIRST to THIRD have
 * known values, and the register PLACE has the argument.
 */
#define FIRST_THERE	0x1111222233334444ULL
#define SECOND_THERE	0x5555666677778888ULL
#define THIRD_THERE	0xfffffffffffffff1ULL

#ifdef __x86_64__
enum { FIRST = 1, PLACE = 5, SP = 7, IP = 8, MODE = 10, SECOND = 20, THIRD = 23 };

#define ALL_REGS	0xff0fffULL
/* The bits of the register MODE that mean user mode. */
#define USER_MODE	3
/* TASK_SIZE, the end of a program's addresses. */
#define USER_END	((1UL << 47) - 4096)
/* Addresses of the kernel. */
#define KERNEL_CODE	0xffffffff81000000UL
#define KERNEL_DATA	0xffff888000000000UL

/* Write to a place while the stack pointer is @sp. */
static void touch(char *place, unsigned long sp)
{
	asm volatile("mov %%rsp, %%r14\n\t"
		     "mov %[first], %%rbx\n\t"
		     "mov %[second], %%r12\n\t"
		     "mov %[third], %%r15\n\t"
		     "mov %[sp], %%rsp\n\t"
		     "movb $1, (%[place])\n\t"
		     "mov %%r14, %%rsp"
		     : : [place] "D" (place), [sp] "S" (sp), [first] "i" (FIRST_THERE),
		       [second] "i" (SECOND_THERE), [third] "i" (THIRD_THERE)
		     : "rbx", "r12", "r14", "r15", "memory");
}
#else
enum { SP = 1, PLACE = 9, FIRST = 14, SECOND = 20, THIRD = 30, IP = 32, MODE = 33 };

#define ALL_REGS	((1ULL << 45) - 1)
#define USER_MODE	(1 << 14)
#define USER_END	(1UL << (pc_page() == 4096 ? 46 : 52))
#define KERNEL_CODE	0xc000000000010000UL
#define KERNEL_DATA	0xc000000010000000UL

static void touch(char *place, unsigned long sp)
{
	register char *at asm("r9") = place;
	register unsigned long stack asm("r10") = sp;
	register unsigned long first asm("r14") = FIRST_THERE;
	register unsigned long second asm("r20") = SECOND_THERE;
	register unsigned long third asm("r30") = THIRD_THERE;

	asm volatile("mr %%r11, %%r1\n\t"
		     "mr %%r1, %[stack]\n\t"
		     "stb %[third], 0(%[at])\n\t"
		     "mr %%r1, %%r11"
		     : : [at] "b" (at), [stack] "r" (stack), [first] "r" (first),
		       [second] "r" (second), [third] "r" (third)
		     : "r11", "memory");
}
#endif

#define REG(bit)	(1ULL << (bit))

/* Fields that need no other attribute. */
static const __u64 plain = PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
			   PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |
			   PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
/* All fields, with one of the two kinds of weight. */
static const __u64 every_type = plain | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR |
				PERF_SAMPLE_STACK_USER;

/* A counter of one subsystem, and its sample of an address. */
struct side {
	int fd;
	struct pc_ring ring;
	union pc_record rec;
	struct pc_sample s;
};

static struct side ours, theirs;

static long open_side(long nr, struct perf_counter_attr *attr, pid_t pid, int cpu)
{
	return syscall(nr, attr, pid, cpu, -1, PERF_COUNTER_FLAG_FD_CLOEXEC);
}

/* The value of the register @bit in a sample with the registers of @mask. */
static __u64 reg(const __u64 *regs, __u64 mask, int bit)
{
	return regs[__builtin_popcountll(mask & (REG(bit) - 1))];
}

/* Write to a place without changing the stack pointer. */
static void touch_here(char *place)
{
	touch(place, (unsigned long)__builtin_frame_address(0) - 512);
}

/* Have the kernel write to a place. */
static void touch_in_kernel(char *place)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (read(fd, place, 1) != 1)
		abort();
	close(fd);
}

static int open_both(struct perf_counter_attr *attr)
{
	ours.fd = open_side(__NR_perf_counter_open, attr, 0, -1);
	theirs.fd = open_side(__NR_perf_event_open, attr, 0, -1);
	if (ours.fd < 0 || theirs.fd < 0)
		return -1;
	return pc_ring_map(&ours.ring, ours.fd, 64) ?: pc_ring_map(&theirs.ring, theirs.fd, 64);
}

static void close_both(void)
{
	pc_ring_unmap(&ours.ring);
	pc_ring_unmap(&theirs.ring);
	close(ours.fd);
	close(theirs.fd);
}

static void enable_both(void)
{
	pc_enable(ours.fd);
	pc_enable(theirs.fd);
}

static void disable_both(void)
{
	pc_disable(ours.fd);
	pc_disable(theirs.fd);
}

/*
 * Find the sample of an address in [at, at + len). Zero the end of the sample's stack, which has no
 * valid bytes.
 */
static bool find(struct side *side, const struct perf_counter_attr *attr, unsigned long at,
		 unsigned long len)
{
	while (pc_ring_find(&side->ring, &side->rec, PERF_RECORD_SAMPLE)) {
		struct pc_sample *s = &side->s;

		if (!pc_parse_sample(attr, &side->rec, s))
			return false;
		if (s->addr - at >= len)
			continue;
		memset((char *)s->stack + s->stack_there, 0, s->stack_size - s->stack_there);
		return true;
	}
	return false;
}

/* Sample the first access to a new page in both subsystems. @touch_it makes the access. */
static bool sample_both(struct perf_counter_attr *attr, void (*touch_it)(char *place), char **place)
{
	char *map = pc_fresh(2);
	bool found;

	/* The first access loads the code and the data of the function. */
	touch_it(map);
	if (open_both(attr))
		return false;
	*place = map + pc_page() + 24;
	enable_both();
	touch_it(*place);
	disable_both();
	found = find(&ours, attr, (unsigned long)*place, 1) &&
		find(&theirs, attr, (unsigned long)*place, 1);
	close_both();
	return found;
}

/* True if the records of both subsystems are equal. */
static bool same(void)
{
	return ours.rec.header.size == theirs.rec.header.size &&
	       !memcmp(&ours.rec, &theirs.rec, ours.rec.header.size);
}

static void tell_difference(void)
{
	fprintf(stderr, "# %u bytes, and perf_events %u\n", ours.rec.header.size,
		theirs.rec.header.size);
	for (int i = 0; i < ours.rec.header.size / 8 && i < theirs.rec.header.size / 8; i++)
		if (ours.rec.words[i] != theirs.rec.words[i])
			fprintf(stderr, "# word %d: %#llx, and perf_events %#llx\n", i,
				ours.rec.words[i], theirs.rec.words[i]);
}

/* The fixture of comparisons between the subsystems. */
FIXTURE(fields) {
	struct perf_counter_attr attr;
};

FIXTURE_VARIANT(fields) {
	__u64 config;
	void (*touch_it)(char *place);
};

FIXTURE_VARIANT_ADD(fields, before_the_fault_in_user_mode) {
	.config = PERF_COUNT_SW_PAGE_FAULTS, .touch_it = touch_here,
};

FIXTURE_VARIANT_ADD(fields, after_the_fault_in_user_mode) {
	.config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .touch_it = touch_here,
};

FIXTURE_VARIANT_ADD(fields, before_the_fault_in_kernel_mode) {
	.config = PERF_COUNT_SW_PAGE_FAULTS, .touch_it = touch_in_kernel,
};

FIXTURE_VARIANT_ADD(fields, after_the_fault_in_kernel_mode) {
	.config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .touch_it = touch_in_kernel,
};

static void setup_attr(struct perf_counter_attr *attr, __u64 config)
{
	*attr = pc_attr(config);
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_ADDR;
	attr->sample_regs_user = ALL_REGS;
	attr->sample_regs_intr = ALL_REGS;
	attr->sample_stack_user = 1024;
}

FIXTURE_SETUP(fields)
{
	int cpu;

	if (pc_on_perf_event())
		SKIP(return, "the test compares both subsystems by itself");
	/* Both subsystems sample the same event, so both run on the same CPU. */
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	setup_attr(&self->attr, variant->config);
}

FIXTURE_TEARDOWN(fields) {}

/*
 * On POWER perf_events looks up a kernel address in the page table of the program, which has no
 * kernel addresses.
 */
#ifdef __powerpc64__
#define DIFFERENT_IN_KERNEL	PERF_SAMPLE_CODE_PAGE_SIZE
#else
#define DIFFERENT_IN_KERNEL	0
#endif

static void check_same(struct __test_metadata *_metadata, struct perf_counter_attr *attr,
		       void (*touch_it)(char *place), __u64 types)
{
	char *place;

	attr->sample_type = PERF_SAMPLE_ADDR | types;
	if (touch_it == touch_in_kernel)
		attr->sample_type &= ~DIFFERENT_IN_KERNEL;
	ASSERT_TRUE(sample_both(attr, touch_it, &place))
		TH_LOG("sample_type %#llx: %s", attr->sample_type, strerror(errno));
	EXPECT_TRUE(same()) {
		TH_LOG("sample_type %#llx", attr->sample_type);
		tell_difference();
	}
	munmap(place - pc_page() - 24, 2 * pc_page());
}

PC_TEST(fields, each_field_alone_equals_that_of_perf_events)
{
	for (int bit = 0; bit < 25; bit++)
		if ((every_type | PERF_SAMPLE_WEIGHT_STRUCT) & (1ULL << bit))
			check_same(_metadata, &self->attr, variant->touch_it, 1ULL << bit);
}

PC_TEST(fields, combined_fields_equal_those_of_perf_events)
{
	const __u64 common = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU |
			     PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ;

	check_same(_metadata, &self->attr, variant->touch_it, common | every_type);
	for (int bit = 0; bit < 25; bit++)
		if (every_type & (1ULL << bit))
			check_same(_metadata, &self->attr, variant->touch_it,
				   common | (every_type & ~(1ULL << bit)));
}

PC_TEST(fields, each_register_alone_equals_that_of_perf_events)
{
	for (int bit = 0; bit < 64; bit++) {
		if (!(ALL_REGS & (1ULL << bit)))
			continue;
		self->attr.sample_regs_user = 1ULL << bit;
		self->attr.sample_regs_intr = 1ULL << bit;
		check_same(_metadata, &self->attr, variant->touch_it,
			   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR);
	}
}

/* === Values that are known === */

FIXTURE(known) {
	struct perf_counter_attr attr;
};

FIXTURE_SETUP(known)
{
	int cpu;

	if (pc_on_perf_event())
		SKIP(return, "the test compares both subsystems by itself");
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	setup_attr(&self->attr, PERF_COUNT_SW_PAGE_FAULTS_MIN);
}

FIXTURE_TEARDOWN(known) {}

PC_TEST(known, registers_are_those_of_the_program)
{
	const __u64 user = REG(FIRST) | REG(PLACE) | REG(IP) | REG(SECOND) | REG(THIRD);
	const __u64 intr = REG(THIRD) | REG(IP);
	char *place;

	self->attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR;
	self->attr.sample_regs_user = user;
	self->attr.sample_regs_intr = intr;
	ASSERT_TRUE(sample_both(&self->attr, touch_here, &place));
	EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, ours.s.user_abi);
	EXPECT_EQ(FIRST_THERE, reg(ours.s.user_regs, user, FIRST));
	EXPECT_EQ((unsigned long)place, reg(ours.s.user_regs, user, PLACE));
	EXPECT_EQ(ours.s.ip, reg(ours.s.user_regs, user, IP));
	EXPECT_EQ(SECOND_THERE, reg(ours.s.user_regs, user, SECOND));
	EXPECT_EQ(THIRD_THERE, reg(ours.s.user_regs, user, THIRD));
	EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, ours.s.intr_abi);
	EXPECT_EQ(ours.s.ip, reg(ours.s.intr_regs, intr, IP));
	EXPECT_EQ(THIRD_THERE, reg(ours.s.intr_regs, intr, THIRD));
}

/* In kernel mode the two sets differ: user registers are those at the system call. */
PC_TEST(known, intr_registers_differ_from_user_registers_in_the_kernel)
{
	char *place;

	self->attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR;
	self->attr.sample_regs_user = REG(IP);
	self->attr.sample_regs_intr = REG(IP);
	ASSERT_TRUE(sample_both(&self->attr, touch_in_kernel, &place));
	EXPECT_EQ(PERF_RECORD_MISC_KERNEL, ours.rec.header.misc);
	EXPECT_EQ(ours.s.ip, ours.s.intr_regs[0]);
	EXPECT_LT(1ULL << 63, ours.s.intr_regs[0]);
	EXPECT_GT(1ULL << 47, ours.s.user_regs[0]);
}

/* A counter that excludes the kernel shows nothing of the kernel. */
PC_TEST(known, exclude_kernel_hides_kernel_registers)
{
	const __u64 intr = REG(IP) | REG(SP) | REG(MODE);
	char *place;
	int n = 0;

	touch_in_kernel(pc_fresh(1));
	self->attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	self->attr.exclude_kernel = 1;
	self->attr.sample_regs_intr = intr;
	place = pc_fresh(20);
	ASSERT_OK(open_both(&self->attr));
	pc_enable(ours.fd);
	pc_touch(place, 10);
	for (int i = 10; i < 20; i++)
		touch_in_kernel(place + i * pc_page());
	pc_disable(ours.fd);
	while (pc_ring_next(&ours.ring, &ours.rec)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &ours.rec, &ours.s));
		n += ours.s.addr - (unsigned long)place < 20 * pc_page();
		EXPECT_GT(1ULL << 47, reg(ours.s.intr_regs, intr, IP));
		EXPECT_GT(1ULL << 47, reg(ours.s.intr_regs, intr, SP));
		EXPECT_EQ(USER_MODE, reg(ours.s.intr_regs, intr, MODE) & USER_MODE);
	}
	EXPECT_EQ(10, n);
	close_both();
}

/* The page frame number in /proc/self/pagemap; 0 if it is not shown. */
static __u64 frame_of(const char *place)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	__u64 entry = 0;

	if (pread(fd, &entry, sizeof(entry), (unsigned long)place / pc_page() * 8) != 8)
		entry = 0;
	close(fd);
	return entry >> 63 ? entry & ((1ULL << 55) - 1) : 0;
}

PC_TEST(known, phys_addr_is_that_of_proc_pagemap)
{
	char *place;

	self->attr.sample_type |= PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE |
				  PERF_SAMPLE_CODE_PAGE_SIZE;
	ASSERT_TRUE(sample_both(&self->attr, touch_here, &place));
	ASSERT_NE(0, frame_of(place));
	EXPECT_EQ(frame_of(place) * pc_page() + (unsigned long)place % pc_page(),
		  ours.s.phys_addr);
	EXPECT_EQ(pc_page(), ours.s.data_page_size);
	EXPECT_EQ(pc_page(), ours.s.code_page_size);
}

PC_TEST(known, phys_addr_does_not_need_addr)
{
	char *map = pc_fresh(1);

	self->attr.sample_type = PERF_SAMPLE_PHYS_ADDR;
	ASSERT_OK(open_both(&self->attr));
	enable_both();
	*map = 1;
	disable_both();
	for (int i = 0; i < 2; i++) {
		struct side *side = i ? &ours : &theirs;
		bool found = false;

		while (pc_ring_next(&side->ring, &side->rec)) {
			ASSERT_TRUE(pc_parse_sample(&self->attr, &side->rec, &side->s));
			found |= side->s.phys_addr == frame_of(map) * pc_page();
		}
		EXPECT_TRUE(found) TH_LOG("on %s", i ? "perf_counter" : "perf_events");
	}
	close_both();
}

/* The size of huge pages in bytes; 0 if there are none. */
static unsigned long huge_page(void)
{
	unsigned long kb = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "Hugepagesize: %lu", &kb) != 1)
		;
	if (f)
		fclose(f);
	return kb << 10;
}

PC_TEST(known, data_page_size_of_a_huge_page_is_its_size)
{
	const unsigned long size = huge_page();
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (map == MAP_FAILED)
		SKIP(return, "no huge pages: boot with hugepages=1 or more");
	self->attr.sample_type |= PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE;
	ASSERT_OK(open_both(&self->attr));
	enable_both();
	map[12345] = 1;
	disable_both();
	/* The fault of a huge page has the address of the huge page. */
	ASSERT_TRUE(find(&ours, &self->attr, (unsigned long)map, size));
	ASSERT_TRUE(find(&theirs, &self->attr, (unsigned long)map, size));
	EXPECT_TRUE(same()) tell_difference();
	EXPECT_EQ(size, ours.s.data_page_size);
	EXPECT_EQ(frame_of((char *)ours.s.addr) * pc_page() + ours.s.addr % pc_page(),
		  ours.s.phys_addr);
	close_both();
	munmap(map, size);
}

/* True if /proc/cpuinfo of POWER shows a hashed page table. */
static bool hashed_pages(void)
{
	char line[128];
	FILE *f = fopen("/proc/cpuinfo", "r");
	bool hashed = false;

	while (f && fgets(line, sizeof(line), f))
		hashed |= !strncmp(line, "MMU", 3) && strstr(line, "Hash");
	if (f)
		fclose(f);
	return hashed;
}

/*
 * The program maps pages at the addresses of the kernel's code without their upper bits. A page
 * table of POWER can tell the two apart by these bits only. A radix tree maps the kernel with
 * larger pages. A hashed page table has no entry of the kernel's code that the lookup finds.
 */
PC_TEST(known, code_page_size_of_the_kernel_is_the_kernels)
{
	const unsigned long at = 0x10000, size = 32 << 20, least = pc_power() ? 2 << 20 : pc_page();
	const bool hashed = hashed_pages();
	char *place, *map;

	map = mmap((void *)at, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	ASSERT_EQ((char *)at, map) TH_LOG("%s", strerror(errno));
	ASSERT_OK(madvise(map, size, MADV_NOHUGEPAGE));
	pc_touch(map, size / pc_page());
	self->attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_CODE_PAGE_SIZE;
	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	ASSERT_TRUE(sample_both(&self->attr, touch_in_kernel, &place));
	ASSERT_EQ(PERF_RECORD_MISC_KERNEL, ours.rec.header.misc);
	EXPECT_EQ(hashed, !ours.s.code_page_size);
	EXPECT_LE(hashed ? 0 : least, ours.s.code_page_size);
	munmap(map, size);
}

PC_TEST(known, raw_data_of_software_events_are_four_zeros)
{
	char *place;

	self->attr.sample_type |= PERF_SAMPLE_RAW;
	ASSERT_TRUE(sample_both(&self->attr, touch_here, &place));
	EXPECT_EQ(4, ours.s.raw_size);
	EXPECT_EQ(0, *(__u32 *)ours.s.raw);
}

/* === Stacks === */

/* The stack pointer in touch_there(). */
static unsigned long stack_there;

static void touch_there(char *place)
{
	touch(place, stack_there);
}

/* Map two pages and unmap the second one. Fill the first page with a pattern. */
static unsigned char *half_a_stack(void)
{
	unsigned char *map = (unsigned char *)pc_fresh(2);

	munmap(map + pc_page(), pc_page());
	for (int i = 0; i < pc_page(); i++)
		map[i] = i % 251;
	return map;
}

PC_TEST(known, a_stack_is_copied_up_to_an_unmapped_page)
{
	static const int there[] = { 0, 1, 7, 8, 64, 1000, 1023, 1024, 1025, 4096 };
	unsigned char *stack = half_a_stack(), *end = stack + pc_page();
	char *place;

	self->attr.sample_type |= PERF_SAMPLE_STACK_USER;
	for (int i = 0; i < ARRAY_SIZE(there); i++) {
		int want = there[i] < 1024 ? there[i] : 1024;

		stack_there = (unsigned long)end - there[i];
		ASSERT_TRUE(sample_both(&self->attr, touch_there, &place));
		EXPECT_EQ(1024, ours.s.stack_size) TH_LOG("%d bytes there", there[i]);
		EXPECT_EQ(want, ours.s.stack_there) TH_LOG("%d bytes there", there[i]);
		EXPECT_EQ(0, memcmp(ours.s.stack, end - there[i], want))
			TH_LOG("%d bytes there", there[i]);
		EXPECT_TRUE(same()) {
			TH_LOG("%d bytes there", there[i]);
			tell_difference();
		}
	}
}

/* The stack pointer is in no mapping, in the kernel, or at the end of a program's addresses. */
PC_TEST(known, an_invalid_stack_pointer_has_no_stack)
{
	const unsigned long places[] = {
		0, ~0UL, 1UL << 63, USER_END + 4096, KERNEL_CODE, KERNEL_DATA, USER_END,
		USER_END - 1, USER_END - 904,
	};
	char *place;

	self->attr.sample_type |= PERF_SAMPLE_STACK_USER | PERF_SAMPLE_TRANSACTION;
	for (int i = 0; i < ARRAY_SIZE(places); i++) {
		stack_there = places[i];
		ASSERT_OK(open_both(&self->attr));
		place = pc_fresh(1);
		pc_enable(ours.fd);
		touch_there(place);
		pc_disable(ours.fd);
		ASSERT_TRUE(find(&ours, &self->attr, (unsigned long)place, 1))
			TH_LOG("stack at %#lx", places[i]);
		/* The last page may be mapped, and it ends at TASK_SIZE. */
		EXPECT_EQ(i < 8 ? 0 : 904, ours.s.stack_size)
			TH_LOG("stack at %#lx", places[i]);
		close_both();
	}
}

/* A record has at most 64 KiB: the stack gets what the other fields leave. */
PC_TEST(known, a_stack_gets_what_the_other_fields_leave)
{
	static const __u64 types[] = { 0, PERF_SAMPLE_REGS_INTR, 0 };
	const int size = 1 << 20;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	char *place;

	ASSERT_NE(MAP_FAILED, stack);
	stack_there = (unsigned long)stack;
	for (int i = 0; i < ARRAY_SIZE(types); i++) {
		self->attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_STACK_USER | types[i];
		/* The last stack fits without being shortened. */
		self->attr.sample_stack_user = i == 2 ? 65528 - 32 : 65528;
		ASSERT_OK(open_both(&self->attr));
		place = pc_fresh(1);
		pc_enable(ours.fd);
		if (!types[i])
			pc_enable(theirs.fd);
		touch_there(place);
		disable_both();
		ASSERT_TRUE(find(&ours, &self->attr, (unsigned long)place, 1)) TH_LOG("%d", i);
		EXPECT_EQ(65528, ours.rec.header.size) TH_LOG("%d", i);
		/*
		 * The header, ADDR and the two sizes have 32 bytes; REGS_INTR adds its ABI and the
		 * registers.
		 */
		EXPECT_EQ(65528 - 32 - (types[i] ? 8 + 8 * __builtin_popcountll(ALL_REGS) : 0),
			  ours.s.stack_size);
		EXPECT_EQ(ours.s.stack_size, ours.s.stack_there);
		/* perf_events does not subtract the registers after the stack. */
		if (!types[i]) {
			ASSERT_TRUE(find(&theirs, &self->attr, (unsigned long)place, 1));
			EXPECT_TRUE(same()) tell_difference();
		}
		close_both();
	}
	munmap(stack, size);
}

/* A record larger than the buffer is lost. */
PC_TEST(known, a_stack_larger_than_the_buffer_is_lost)
{
	struct perf_counter_attr *attr = &self->attr;
	struct pc_values v;
	struct pc_ring ring;
	char *map;
	int fd;

	if (pc_page() >= 65536)
		SKIP(return, "no record is larger than a page here");
	stack_there = (unsigned long)half_a_stack();
	attr->sample_type |= PERF_SAMPLE_STACK_USER;
	attr->sample_stack_user = 8192;
	attr->read_format = PERF_FORMAT_LOST;
	fd = open_side(__NR_perf_counter_open, attr, 0, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 1));
	map = pc_fresh(6);
	touch_there(map);
	pc_enable(fd);
	for (int i = 1; i < 6; i++)
		touch_there(map + i * pc_page());
	pc_disable(fd);
	EXPECT_EQ(0, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
	ASSERT_EQ(16, pc_read(fd, attr->read_format, &v));
	EXPECT_EQ(5, v.v[0].lost);
	pc_ring_unmap(&ring);
	close(fd);
}

/* The idle task and kernel threads have neither user registers nor a stack. */
PC_TEST(known, kernel_threads_have_no_user_registers_and_no_stack)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct pc_task t;
	bool found = false;
	int cpu;

	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			   PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_user = ALL_REGS;
	attr.sample_regs_intr = ALL_REGS;
	attr.sample_stack_user = 1024;
	ASSERT_OK(pc_spawn_on(&t, cpu, pc_worker, 1));
	ours.fd = open_side(__NR_perf_counter_open, &attr, -1, cpu);
	ASSERT_FD(ours.fd);
	ASSERT_OK(pc_ring_map(&ours.ring, ours.fd, 64));
	pc_enable(ours.fd);
	/* Each round leaves the worker's CPU idle for a moment unless another task runs there. */
	while (!found) {
		ASSERT_OK(pc_tell(&t, PC_WORK));
		poll(NULL, 0, 1);
		while (pc_ring_find(&ours.ring, &ours.rec, PERF_RECORD_SAMPLE)) {
			ASSERT_TRUE(pc_parse_sample(&attr, &ours.rec, &ours.s));
			/*
			 * A context switch is no interrupt, so there are no registers of
			 * interrupted code.
			 */
			ASSERT_EQ(PERF_SAMPLE_REGS_ABI_NONE, ours.s.intr_abi);
			if (ours.s.pid == t.pid) {
				EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, ours.s.user_abi);
				EXPECT_LT(0, ours.s.stack_there);
			}
			if (ours.s.pid)
				continue;
			found = true;
			EXPECT_EQ(PERF_SAMPLE_REGS_ABI_NONE, ours.s.user_abi);
			EXPECT_EQ(0, ours.s.stack_size);
		}
	}
	pc_ring_unmap(&ours.ring);
	close(ours.fd);
	EXPECT_OK(pc_reap(&t));
}

/* === Refusals: the same on both sides === */

/* The errno of an open in one subsystem; 0 if it succeeds. */
static int refusal(long nr, struct perf_counter_attr *attr)
{
	int fd = open_side(nr, attr, 0, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void check_refusal(struct __test_metadata *_metadata, struct perf_counter_attr *attr,
			  int expected)
{
	EXPECT_EQ(expected, refusal(__NR_perf_counter_open, attr))
		TH_LOG("sample_type %#llx, registers %#llx and %#llx, stack %u", attr->sample_type,
		       attr->sample_regs_user, attr->sample_regs_intr, attr->sample_stack_user);
	EXPECT_EQ(expected, refusal(__NR_perf_event_open, attr))
		TH_LOG("perf_events: sample_type %#llx, registers %#llx and %#llx, stack %u",
		       attr->sample_type, attr->sample_regs_user, attr->sample_regs_intr,
		       attr->sample_stack_user);
}

/* The registers from bit 32 on are of hardware, which software events do not have. */
#ifdef __x86_64__
#define HARDWARE_REGS	(~0ULL << 32)
#else
/* POWER8 has none of these registers, and POWER9 has all but MMCR3, SIER2 and SIER3. */
#define HARDWARE_REGS	(pc_power() < 9 ? 0 : pc_power() == 9 ? 0xffULL << 51 | 7ULL << 45 : \
			 0x3fffULL << 45)
#endif

/* The errno for a register in either mask; 0 if it is accepted. */
static int refusal_of_register(int bit)
{
	return HARDWARE_REGS & REG(bit) ? EOPNOTSUPP : ALL_REGS & REG(bit) ? 0 : EINVAL;
}

PC_TEST(known, unknown_registers_are_refused)
{
	for (int bit = 0; bit < 64; bit++) {
		self->attr.sample_type = PERF_SAMPLE_REGS_USER;
		self->attr.sample_regs_user = REG(bit);
		self->attr.sample_regs_intr = 0;
		check_refusal(_metadata, &self->attr, refusal_of_register(bit));
		self->attr.sample_type = PERF_SAMPLE_REGS_INTR;
		/* The other mask is ignored, unless the register is one of hardware. */
		check_refusal(_metadata, &self->attr, EINVAL);
		self->attr.sample_regs_intr = REG(bit);
		self->attr.sample_regs_user = 0;
		check_refusal(_metadata, &self->attr, refusal_of_register(bit));
		self->attr.sample_type = 0;
		check_refusal(_metadata, &self->attr, HARDWARE_REGS & REG(bit) ? EOPNOTSUPP : 0);
	}
}

PC_TEST(known, stacks_of_no_size_are_refused)
{
	static const struct {
		__u32 size;
		int error;
	} sizes[] = {
		{ 0, 0 }, { 8, 0 }, { 65528, 0 }, { 1, EINVAL }, { 4, EINVAL }, { 12, EINVAL },
		{ 65532, EINVAL }, { 65535, EINVAL }, { 65536, EINVAL }, { 1U << 31, EINVAL },
	};

	for (int i = 0; i < ARRAY_SIZE(sizes); i++) {
		self->attr.sample_stack_user = sizes[i].size;
		self->attr.sample_type = PERF_SAMPLE_STACK_USER;
		check_refusal(_metadata, &self->attr, sizes[i].error);
		self->attr.sample_type = 0;
		check_refusal(_metadata, &self->attr, 0);
	}
}

PC_TEST(known, two_weights_are_refused)
{
	self->attr.sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;
	check_refusal(_metadata, &self->attr, EINVAL);
}

/*
 * The number of sample types that the kernel refuses to a user without privileges in user mode.
 * Only PHYS_ADDR may be refused, with EACCES; returns 99 for any other refusal.
 */
static int refused_types(int theirs)
{
	long nr = theirs ? __NR_perf_event_open : __NR_perf_counter_open;
	struct perf_counter_attr attr;
	int error, n = 0;

	for (int bit = 0; bit < 25; bit++) {
		if (!((every_type | PERF_SAMPLE_WEIGHT_STRUCT) & (1ULL << bit)))
			continue;
		setup_attr(&attr, PERF_COUNT_SW_PAGE_FAULTS);
		attr.exclude_kernel = 1;
		attr.sample_type = 1ULL << bit;
		error = refusal(nr, &attr);
		if (!error)
			continue;
		if (error != EACCES || attr.sample_type != PERF_SAMPLE_PHYS_ADDR)
			return 99;
		n++;
	}
	return n;
}

static const char *const paranoid[] = {
	"/proc/sys/kernel/perf_counter_paranoid", "/proc/sys/kernel/perf_event_paranoid",
};

FIXTURE(levels) {
	char old[2][16];
};

FIXTURE_SETUP(levels)
{
	if (pc_on_perf_event())
		SKIP(return, "the test compares both subsystems by itself");
	for (int i = 0; i < 2; i++) {
		int fd = open(paranoid[i], O_RDONLY | O_CLOEXEC);

		ASSERT_LT(0, read(fd, self->old[i], sizeof(self->old[i]) - 1));
		close(fd);
	}
}

FIXTURE_TEARDOWN(levels)
{
	for (int i = 0; i < 2; i++)
		pc_write_text(paranoid[i], self->old[i]);
}

PC_TEST(levels, phys_addr_needs_permission_to_count_the_kernel)
{
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pc_write_text(paranoid[i], "2"));
		EXPECT_EQ(1, pc_in_nobody(refused_types, i, 0)) TH_LOG("%s: 2", paranoid[i]);
		ASSERT_EQ(0, pc_write_text(paranoid[i], "1"));
		EXPECT_EQ(0, pc_in_nobody(refused_types, i, 0)) TH_LOG("%s: 1", paranoid[i]);
	}
}

#else

FIXTURE(fields) {
	int unused;
};

FIXTURE_SETUP(fields) {}
FIXTURE_TEARDOWN(fields) {}

PC_TEST(fields, registers_of_this_architecture_are_known)
{
	SKIP(return, "registers of this architecture are not known to the test");
}

#endif

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
