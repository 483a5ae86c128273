// SPDX-License-Identifier: GPL-2.0
/*
 * The i386 entry of an x86-64 kernel: system calls by int 0x80 with pointers below 4 GiB, as a
 * 32-bit program makes them. The tests need no 32-bit compiler or library.
 */
#include <setjmp.h>
#include <ucontext.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#ifdef __x86_64__

/* Numbers of arch/x86/entry/syscalls/syscall_32.tbl. */
#define I386_READ		3
#define I386_IOCTL		54
#define I386_MMAP2		192
#define I386_MUNMAP		91
#define I386_PRCTL		172
#define I386_PERF_EVENT_OPEN	336

static long int80(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;

	/* The sixth argument is in ebp, which the compiler may use itself. */
	asm volatile("push %%rbp\n\t"
		     "mov %7, %%rbp\n\t"
		     "int $0x80\n\t"
		     "pop %%rbp"
		     : "=a" (ret)
		     : "0" (nr), "b" (a), "c" (b), "d" (c), "S" (d), "D" (e), "g" (f)
		     : "memory", "r8", "r9", "r10", "r11");
	/* The result has 32 bits, and errors are negative. */
	return (int)ret;
}

/* The memory that is passed by pointers of 32 bits. */
struct low {
	struct perf_counter_attr attr;
	__u64 value;
	__u64 words[32];
};

FIXTURE(i386) {
	struct low *low;
};

static long open32(struct perf_counter_attr *attr, pid_t pid, int cpu, int group, long flags)
{
	long nr = pc_on_perf_event() ? I386_PERF_EVENT_OPEN : __NR_perf_counter_open;

	return int80(nr, (long)attr, pid, cpu, group, flags, 0);
}

FIXTURE_SETUP(i386)
{
	pid_t pid;
	int status;

	self->low = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, self->low);
	self->low->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	/* In a kernel without the entry, the instruction raises a general protection fault. */
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(int80(20 /* getpid */, 0, 0, 0, 0, 0, 0) != getpid());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (status)
		SKIP(return, "no i386 system calls: CONFIG_IA32_EMULATION");
}

FIXTURE_TEARDOWN(i386) {}

PC_TEST(i386, a_32_bit_program_counts)
{
	int fd;

	fd = open32(&self->low->attr, 0, -1, -1, 0);
	ASSERT_LE(0, fd);
	pc_faults(1);
	ASSERT_EQ(0, int80(I386_IOCTL, fd, PERF_COUNTER_IOC_ENABLE, 0, 0, 0, 0));
	pc_faults(9);
	ASSERT_EQ(0, int80(I386_IOCTL, fd, PERF_COUNTER_IOC_DISABLE, 0, 0, 0, 0));
	ASSERT_EQ(8, int80(I386_READ, fd, (long)&self->low->value, 8, 0, 0, 0));
	EXPECT_EQ(9, self->low->value);
	EXPECT_EQ(9, pc_value(fd)) TH_LOG("the count read by the other entry");
	close(fd);
}

PC_TEST(i386, refusals_are_those_of_the_64_bit_entry)
{
	EXPECT_EQ(-EFAULT, open32(NULL, 0, -1, -1, 0));
	EXPECT_EQ(-EINVAL, open32(&self->low->attr, 0, -1, -1, 1L << 20));
	EXPECT_EQ(-EINVAL, open32(&self->low->attr, -1, -2, -1, 0));
	EXPECT_EQ(-EBADF, open32(&self->low->attr, 0, -1, 9999, 0));
	self->low->attr.size = 8;
	EXPECT_EQ(-E2BIG, open32(&self->low->attr, 0, -1, -1, 0));
	EXPECT_LE(sizeof(struct perf_counter_attr), self->low->attr.size);
}

PC_TEST(i386, negative_arguments_have_32_bits)
{
	int fd;

	/* The arguments pid, cpu and group_fd are signed: 0xffffffff in a 32-bit register is -1. */
	fd = int80(pc_on_perf_event() ? I386_PERF_EVENT_OPEN : __NR_perf_counter_open,
		   (long)&self->low->attr, 0, 0xffffffffL, 0xffffffffL, 0, 0);
	EXPECT_LE(0, fd);
	close(fd);
	fd = int80(pc_on_perf_event() ? I386_PERF_EVENT_OPEN : __NR_perf_counter_open,
		   (long)&self->low->attr, 0xffffffffL, 0, 0xffffffffL, 0, 0);
	EXPECT_LE(0, fd);
	close(fd);
}

/* _IOR('$', 7, __u64 *) contains the size of a pointer, so 32-bit programs have another number. */
PC_TEST(i386, the_number_of_ioc_id_has_a_32_bit_pointer)
{
	int fd;

	fd = open32(&self->low->attr, 0, -1, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, int80(I386_IOCTL, fd, _IOC(_IOC_READ, '$', 7, 4),
			   (long)&self->low->value, 0, 0, 0));
	EXPECT_EQ(pc_id(fd), self->low->value);
	close(fd);
}

PC_TEST(i386, the_other_ioctls_work)
{
	int fd, other;

	self->low->attr.sample_period = 1;
	fd = open32(&self->low->attr, 0, -1, -1, 0);
	other = open32(&self->low->attr, 0, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	self->low->value = 7;
	EXPECT_EQ(0, int80(I386_IOCTL, fd, PERF_COUNTER_IOC_PERIOD, (long)&self->low->value,
			   0, 0, 0));
	EXPECT_EQ(0, int80(I386_IOCTL, fd, PERF_COUNTER_IOC_RESET, 0, 0, 0, 0));
	EXPECT_EQ(0, int80(I386_IOCTL, fd, PERF_COUNTER_IOC_REFRESH, 2, 0, 0, 0));
	/* SET_OUTPUT fails with a descriptor that is not open. */
	EXPECT_EQ(-EBADF, int80(I386_IOCTL, fd, PERF_COUNTER_IOC_SET_OUTPUT, 9999, 0, 0, 0));
	EXPECT_EQ(0, int80(I386_PRCTL, PR_TASK_PERF_COUNTERS_DISABLE, 0, 0, 0, 0, 0));
	EXPECT_EQ(0, int80(I386_PRCTL, PR_TASK_PERF_COUNTERS_ENABLE, 0, 0, 0, 0, 0));
	close(other);
	close(fd);
}

PC_TEST(i386, a_32_bit_program_maps_and_samples)
{
	static union pc_record rec;
	static struct pc_sample s;
	struct pc_ring ring = {};
	unsigned int map;
	char *pages;
	int fd;

	self->low->attr.sample_period = 1;
	self->low->attr.sample_type = PERF_SAMPLE_ADDR;
	fd = open32(&self->low->attr, 0, -1, -1, 0);
	ASSERT_LE(0, fd);
	map = int80(I386_MMAP2, 0, 3 * pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_EQ(0, map % pc_page()) TH_LOG("mmap2: %d", (int)map);
	pc_ring_at(&ring, fd, (void *)(unsigned long)map, 2);
	EXPECT_EQ(2 * pc_page(), ring.page->data_size);
	pages = pc_fresh(3);
	pc_enable(fd);
	pc_touch(pages, 3);
	pc_disable(fd);
	for (int i = 0, n = 0; pc_ring_next(&ring, &rec); i++) {
		ASSERT_TRUE(pc_parse_sample(&self->low->attr, &rec, &s));
		if (s.addr >= (unsigned long)pages) {
			ASSERT_EQ((unsigned long)pages + n * pc_page(), s.addr)
				TH_LOG("record %d", i);
			n++;
		}
	}
	EXPECT_EQ(0, int80(I386_MUNMAP, map, 3 * pc_page(), 0, 0, 0, 0));
	close(fd);
}

/*
 * 32-bit code: two functions with frames of 4 bytes. The chain has the return
 * address of the call. A 64-bit program's ds is null, so the store goes through
 * ss.
 *
 *	outer:	push %ebp; mov %esp,%ebp; call inner; ud2
 *	inner:	push %ebp; mov %esp,%ebp; movb $1,%ss:(%eax); pop %ebp; ret
 */
static const unsigned char code32[] = {
	/*  0 */ 0x55, 0x89, 0xe5, 0xe8, 0x02, 0x00, 0x00, 0x00, 0x0f, 0x0b,
	/* 10 */ 0x55, 0x89, 0xe5, 0x36, 0xc6, 0x00, 0x01, 0x5d, 0xc3,
};

#define CODE32_FAULT	13	/* the movb */
#define CODE32_RETURN	8	/* after the call of inner */

#define USER32_CS	0x23

static sigjmp_buf back;
static unsigned int code_at, stack_at, place_at;

/* Return from the signal into 32-bit code. */
static void into_32_bit_mode(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	regs[REG_CSGSFS] = (regs[REG_CSGSFS] & ~0xffffL) | USER32_CS;
	regs[REG_RIP] = code_at;
	regs[REG_RSP] = stack_at;
	regs[REG_RAX] = place_at;
	regs[REG_RBP] = 0;
}

/* The ud2 at the end of the 32-bit code raises this signal. */
static void out_of_32_bit_mode(int sig)
{
	siglongjmp(back, 1);
}

/* Run 32-bit code with @place in eax; @code and @stack are below 4 GiB. */
static int call32(unsigned int code, unsigned int stack, unsigned int place)
{
	static char handler_stack[65536];
	stack_t alt = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	struct sigaction in = { .sa_sigaction = into_32_bit_mode, .sa_flags = SA_SIGINFO };
	struct sigaction out = { .sa_handler = out_of_32_bit_mode, .sa_flags = SA_ONSTACK };

	code_at = code;
	stack_at = stack;
	place_at = place;
	if (sigaltstack(&alt, NULL) || sigaction(SIGUSR1, &in, NULL) ||
	    sigaction(SIGILL, &out, NULL))
		return -1;
	if (!sigsetjmp(back, 1))
		raise(SIGUSR1);
	return 0;
}

PC_TEST(i386, call_chains_of_32_bit_code_are_complete)
{
	static union pc_record rec;
	static struct pc_sample s;
	struct pc_ring ring;
	unsigned char *code;
	char *data;
	bool found = false;
	int fd;

	code = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	data = mmap(NULL, 8 * pc_page(), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, code);
	ASSERT_NE(MAP_FAILED, data);
	memcpy(code, code32, sizeof(code32));
	self->low->attr.sample_period = 1;
	self->low->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN;
	fd = pc_open(&self->low->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 4));
	/* The stack grows down from the middle of the pages, and the fault is at their end. */
	data[4 * pc_page()] = 1;
	data[4 * pc_page() - 1] = 1;
	pc_enable(fd);
	ASSERT_OK(call32((long)code, (long)data + 4 * pc_page(), (long)data + 7 * pc_page()));
	pc_disable(fd);
	while (pc_ring_next(&ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&self->low->attr, &rec, &s));
		if (s.addr != (unsigned long)data + 7 * pc_page())
			continue;
		found = true;
		EXPECT_EQ((unsigned long)code + CODE32_FAULT, s.ip);
		ASSERT_LE(3, s.nr);
		EXPECT_EQ(PERF_CONTEXT_USER, s.ips[0]);
		EXPECT_EQ((unsigned long)code + CODE32_FAULT, s.ips[1]);
		EXPECT_EQ((unsigned long)code + CODE32_RETURN, s.ips[2]) TH_LOG("%#llx", s.ips[2]);
	}
	EXPECT_TRUE(found);
	pc_ring_unmap(&ring);
	close(fd);
}

/* The registers BP, SP and IP of <asm/perf_regs.h>, which 32-bit code has, too. */
#define BP_SP_IP	(7ULL << 6)

PC_TEST(i386, registers_and_stacks_of_32_bit_code_are_right)
{
	static union pc_record rec;
	static struct pc_sample s;
	struct pc_ring ring;
	unsigned int *stack;
	unsigned char *code;
	bool found = false;
	char *data;
	int fd;

	code = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	data = mmap(NULL, 8 * pc_page(), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, code);
	ASSERT_NE(MAP_FAILED, data);
	memcpy(code, code32, sizeof(code32));
	self->low->attr.sample_period = 1;
	self->low->attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_USER |
				      PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR;
	self->low->attr.sample_regs_user = BP_SP_IP;
	self->low->attr.sample_regs_intr = BP_SP_IP;
	self->low->attr.sample_stack_user = 16;
	fd = pc_open(&self->low->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 4));
	/* The stack below the middle of the pages has two frame pointers and a return address. */
	stack = (unsigned int *)(data + 4 * pc_page());
	stack[0] = 0x12345678;
	stack[-1] = 1;
	pc_enable(fd);
	ASSERT_OK(call32((long)code, (long)stack, (long)data + 7 * pc_page()));
	pc_disable(fd);
	while (pc_ring_next(&ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&self->low->attr, &rec, &s));
		if (s.addr != (unsigned long)data + 7 * pc_page())
			continue;
		found = true;
		EXPECT_EQ(PERF_SAMPLE_REGS_ABI_32, s.user_abi);
		EXPECT_EQ((unsigned long)(stack - 3), s.user_regs[0]);
		EXPECT_EQ((unsigned long)(stack - 3), s.user_regs[1]);
		EXPECT_EQ((unsigned long)code + CODE32_FAULT, s.user_regs[2]);
		EXPECT_EQ(PERF_SAMPLE_REGS_ABI_32, s.intr_abi);
		EXPECT_EQ(0, memcmp(s.user_regs, s.intr_regs, 3 * sizeof(__u64)));
		EXPECT_EQ(16, s.stack_there);
		/*
		 * The stack has the frame of outer, its return address, which is after the call,
		 * and older contents.
		 */
		EXPECT_EQ((unsigned long)(stack - 1), ((unsigned int *)s.stack)[0]);
		EXPECT_EQ((unsigned long)code + CODE32_RETURN, ((unsigned int *)s.stack)[1]);
		EXPECT_EQ(0, ((unsigned int *)s.stack)[2]);
		EXPECT_EQ(0x12345678, ((unsigned int *)s.stack)[3]);
	}
	EXPECT_TRUE(found);
	pc_ring_unmap(&ring);
	close(fd);
}

#else

FIXTURE(i386) {
	int unused;
};

FIXTURE_SETUP(i386) {}
FIXTURE_TEARDOWN(i386) {}

PC_TEST(i386, the_i386_entry_needs_x86)
{
	SKIP(return, "only x86-64 has an i386 entry");
}

#endif

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
