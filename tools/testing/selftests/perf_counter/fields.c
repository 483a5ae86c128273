// SPDX-License-Identifier: GPL-2.0
/*
 * The less common fields of a sample: registers, stacks, memory, raw data.
 *
 * perf_events is in the same kernel, and has them: each event is sampled by both, and
 * the records have to be the same to the byte. What may differ is named where it does.
 * Besides, the event is made with registers, a stack and an address that are known.
 */
#include <poll.h>

#include "pc_arch.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_user.h"
#include "pc_work.h"

#if defined(__x86_64__) || defined(__powerpc64__)

/*
 * Bits of the masks are those of <asm/perf_regs.h>. FIRST to THIRD have known values in touch(),
 * PLACE its argument.
 */
#define FIRST_THERE	0x1111222233334444ULL
#define SECOND_THERE	0x5555666677778888ULL
#define THIRD_THERE	0xfffffffffffffff1ULL

#ifdef __x86_64__
enum { FIRST = 1, PLACE = 5, SP = 7, IP = 8, MODE = 10, SECOND = 20, THIRD = 23 };

#define ALL_REGS	0xff0fffULL
/* In MODE, what says that it is user mode. */
#define USER_MODE	3
/* TASK_SIZE: programs have no address from here on. */
#define USER_END	((1UL << 47) - 4096)
/* Addresses of the kernel's. */
#define KERNEL_CODE	0xffffffff81000000UL
#define KERNEL_DATA	0xffff888000000000UL

/* Writes to a place with @sp for a stack pointer. */
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

/* Fields that need no attr of their own. */
static const __u64 plain = PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
			   PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |
			   PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
/* All, but for the other weight. */
static const __u64 every_type = plain | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR |
				PERF_SAMPLE_STACK_USER;

/* A counter of one of the two, and its sample of an address. */
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

/* The register @bit of a sample that has those of @mask. */
static __u64 reg(const __u64 *regs, __u64 mask, int bit)
{
	return regs[__builtin_popcountll(mask & (REG(bit) - 1))];
}

/* With the stack as it is. */
static void touch_here(char *place)
{
	touch(place, (unsigned long)__builtin_frame_address(0) - 512);
}

/* Has the kernel write to it. */
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

/* Finds the sample of an address in [at, at + len); what was not copied is zero. */
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

/* Both sample the first touch of a fresh page, with touch_it(). */
static bool sample_both(struct perf_counter_attr *attr, void (*touch_it)(char *place), char **place)
{
	char *map = pc_fresh(2);
	bool found;

	/* Its code, and what it uses, is there then. */
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

/* The records of the two are the same. */
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

/* Which fault, and in which mode. */
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
		SKIP(return, "it asks both by itself");
	/* The same event for either, and so on the same CPU. */
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	setup_attr(&self->attr, variant->config);
}

FIXTURE_TEARDOWN(fields) {}

/*
 * On POWER perf_events looks for the page of an address of the kernel's in the program's page
 * table, which has none of those.
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

PC_TEST(fields, each_alone_is_that_of_perf_events)
{
	for (int bit = 0; bit < 25; bit++)
		if ((every_type | PERF_SAMPLE_WEIGHT_STRUCT) & (1ULL << bit))
			check_same(_metadata, &self->attr, variant->touch_it, 1ULL << bit);
}

PC_TEST(fields, all_and_all_but_one_are_those_of_perf_events)
{
	const __u64 common = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU |
			     PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ;

	check_same(_metadata, &self->attr, variant->touch_it, common | every_type);
	for (int bit = 0; bit < 25; bit++)
		if (every_type & (1ULL << bit))
			check_same(_metadata, &self->attr, variant->touch_it,
				   common | (every_type & ~(1ULL << bit)));
}

PC_TEST(fields, each_register_alone_is_that_of_perf_events)
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
		SKIP(return, "it asks both by itself");
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

/* In kernel mode the two differ: the program's are those of its system call. */
PC_TEST(known, registers_of_the_kernel_are_not_those_of_the_program)
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

/* Who does not count the kernel has nothing of it. */
PC_TEST(known, without_the_kernel_nothing_of_it_is_seen)
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

/* What /proc says; 0 when it does not. */
static __u64 frame_of(const char *place)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	__u64 entry = 0;

	if (pread(fd, &entry, sizeof(entry), (unsigned long)place / pc_page() * 8) != 8)
		entry = 0;
	close(fd);
	return entry >> 63 ? entry & ((1ULL << 55) - 1) : 0;
}

PC_TEST(known, memory_lies_where_proc_says)
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

/* ADDR need not be asked for. */
PC_TEST(known, memory_is_that_of_an_address_that_is_not_told)
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

/* The size of huge pages; 0 for none. */
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

PC_TEST(known, large_pages_are_large)
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
	/* The fault of a huge page has the address of the page. */
	ASSERT_TRUE(find(&ours, &self->attr, (unsigned long)map, size));
	ASSERT_TRUE(find(&theirs, &self->attr, (unsigned long)map, size));
	EXPECT_TRUE(same()) tell_difference();
	EXPECT_EQ(size, ours.s.data_page_size);
	EXPECT_EQ(frame_of((char *)ours.s.addr) * pc_page() + ours.s.addr % pc_page(),
		  ours.s.phys_addr);
	close_both();
	munmap(map, size);
}

/* Is the page table a hashed one, as /proc/cpuinfo of POWER has it? */
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
 * The program has pages where addresses of the kernel's code would be without their upper bits,
 * the only ones by which a page table of POWER could tell the two apart. A radix tree has the
 * kernel in larger ones. Without a tree the kernel's own code has no entry anywhere.
 */
PC_TEST(known, code_of_the_kernel_is_in_pages_of_the_kernel)
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

PC_TEST(known, raw_data_of_an_event_without_are_four_zeros)
{
	char *place;

	self->attr.sample_type |= PERF_SAMPLE_RAW;
	ASSERT_TRUE(sample_both(&self->attr, touch_here, &place));
	EXPECT_EQ(4, ours.s.raw_size);
	EXPECT_EQ(0, *(__u32 *)ours.s.raw);
}

/* === Stacks: as much of one as there is, wherever the program says that it is === */

/* The stack that touch_there() has. */
static unsigned long stack_there;

static void touch_there(char *place)
{
	touch(place, stack_there);
}

/* Two pages, of which the second is not there; the first is full of bytes that differ. */
static unsigned char *half_a_stack(void)
{
	unsigned char *map = (unsigned char *)pc_fresh(2);

	munmap(map + pc_page(), pc_page());
	for (int i = 0; i < pc_page(); i++)
		map[i] = i % 251;
	return map;
}

PC_TEST(known, a_stack_is_copied_as_far_as_it_is_there)
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

/* Nowhere, in the kernel, or at the very end of what a program can have. */
PC_TEST(known, a_stack_that_cannot_be_is_none)
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
		/* The last may be there, and ends with what programs have. */
		EXPECT_EQ(i < 8 ? 0 : 904, ours.s.stack_size)
			TH_LOG("stack at %#lx", places[i]);
		close_both();
	}
}

/* A record has 64 KiB at most, whatever else is in it: the stack has what is left. */
PC_TEST(known, a_stack_leaves_room_for_everything_else)
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
		/* At the last, what fits without being cut. */
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
		/* Header, ADDR, the two sizes; with REGS_INTR its ABI and the registers. */
		EXPECT_EQ(65528 - 32 - (types[i] ? 8 + 8 * __builtin_popcountll(ALL_REGS) : 0),
			  ours.s.stack_size);
		EXPECT_EQ(ours.s.stack_size, ours.s.stack_there);
		/* perf_events does not think of the registers that come behind. */
		if (!types[i]) {
			ASSERT_TRUE(find(&theirs, &self->attr, (unsigned long)place, 1));
			EXPECT_TRUE(same()) tell_difference();
		}
		close_both();
	}
	munmap(stack, size);
}

/* A buffer that is smaller than the record loses it. */
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

/* The idle task, and threads of the kernel, have neither. */
PC_TEST(known, a_task_of_the_kernel_has_no_registers_of_a_user_and_no_stack)
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
	/* Each round leaves the worker's CPU idle for a moment, if nobody else wants it. */
	while (!found) {
		ASSERT_OK(pc_tell(&t, PC_WORK));
		poll(NULL, 0, 1);
		while (pc_ring_find(&ours.ring, &ours.rec, PERF_RECORD_SAMPLE)) {
			ASSERT_TRUE(pc_parse_sample(&attr, &ours.rec, &ours.s));
			/* A switch interrupts nothing. */
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

/* errno of an open on one side, 0 if it succeeds. */
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

/* Those behind are of hardware that may be there, which events of software are not about. */
#ifdef __x86_64__
#define HARDWARE_REGS	(~0ULL << 32)
#else
/* None before POWER9, which has all but MMCR3, SIER2 and SIER3. */
#define HARDWARE_REGS	(pc_power() < 9 ? 0 : pc_power() == 9 ? 0xffULL << 51 | 7ULL << 45 : \
			 0x3fffULL << 45)
#endif

/* What a register is refused with, in both masks; 0 if it is not. */
static int refusal_of_register(int bit)
{
	return HARDWARE_REGS & REG(bit) ? EOPNOTSUPP : ALL_REGS & REG(bit) ? 0 : EINVAL;
}

PC_TEST(known, registers_that_there_are_not_are_refused)
{
	for (int bit = 0; bit < 64; bit++) {
		self->attr.sample_type = PERF_SAMPLE_REGS_USER;
		self->attr.sample_regs_user = REG(bit);
		self->attr.sample_regs_intr = 0;
		check_refusal(_metadata, &self->attr, refusal_of_register(bit));
		self->attr.sample_type = PERF_SAMPLE_REGS_INTR;
		/* The other mask counts for nothing, unless it is of hardware. */
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

/* What a user without rights may have, in user mode: all but where memory lies. */
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
		SKIP(return, "it asks both by itself");
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

PC_TEST(levels, where_memory_lies_is_for_those_who_may_count_the_kernel)
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

PC_TEST(fields, are_known)
{
	SKIP(return, "registers of this architecture are not known to the test");
}

#endif

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
