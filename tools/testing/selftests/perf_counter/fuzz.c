// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls in random order, from several processes at once: nothing may
 * crash, hang or leak. The seed is printed, and PC_SEED repeats a run.
 *
 * Values are taken from what is nearly right, because what is plainly wrong
 * never gets beyond the first check.
 */
#include <dirent.h>
#include <poll.h>

#include "pc_ring.h"
#include "pc_work.h"

#define ROUNDS		4000
#define SLOTS		24
#define PROCESSES	4

struct fuzzer {
	__u64 seed;
	int fds[SLOTS];
	struct pc_ring rings[SLOTS];
	pid_t pids[4];
	int cpus[8];
	int n_cpus;
	int opened;
};

static __u64 rnd(struct fuzzer *f)
{
	f->seed ^= f->seed << 13;
	f->seed ^= f->seed >> 7;
	f->seed ^= f->seed << 17;
	return f->seed * 0x2545f4914f6cdd1dULL >> 16;
}

static __u64 below(struct fuzzer *f, __u64 n)
{
	return rnd(f) % n;
}

/* True once in n times. */
static bool rarely(struct fuzzer *f, int n)
{
	return !below(f, n);
}

/* The bits that are known and not refused; write_backward and subrings come seldom. */
#define KNOWN_BITS	((((1ULL << 31) - 1) & ~(1ULL << 27)) /* to bpf_event */ |	\
			 7ULL << 32 /* cgroup, text_poke, build_id */ |			\
			 1ULL << 36 /* remove_on_exec */ |				\
			 1ULL << 63 /* munmap */)

static void random_attr(struct fuzzer *f, struct perf_counter_attr *attr)
{
	static const __u64 types = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   PERF_SAMPLE_ADDR | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |
				   PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER;
	static const __u64 rare = PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER |
				  PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
				  PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
				  PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR |
				  PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE |
				  PERF_SAMPLE_WEIGHT_STRUCT;
	__u64 *flags = (__u64 *)((char *)attr + 40);

	memset(attr, 0, sizeof(*attr));
	attr->type = rarely(f, 20) ? below(f, 8) : PERF_TYPE_SOFTWARE;
	attr->size = rarely(f, 20) ? below(f, 300) : sizeof(*attr);
	attr->config = rarely(f, 20) ? rnd(f) : below(f, 10);
	attr->sample_type = rarely(f, 20) ? rnd(f) : rnd(f) & types;
	/* perf_events makes records too long for their header of some of them. */
	if (!pc_on_perf_event() && rarely(f, 4)) {
		attr->sample_type |= rnd(f) & rnd(f) & rare;
		/* Bits that an x86-64 has, and sometimes others. */
		attr->sample_regs_user = rnd(f) & (rarely(f, 10) ? ~0ULL : 0xff0fff);
		attr->sample_regs_intr = rnd(f) & (rarely(f, 10) ? ~0ULL : 0xff0fff);
		attr->sample_stack_user = 8 * below(f, rarely(f, 5) ? 8200 : 100);
	}
	attr->read_format = rarely(f, 20) ? rnd(f) : below(f, 32);
	*flags = rnd(f) & rnd(f) & (pc_on_perf_event() ? (1ULL << 26) - 1 : KNOWN_BITS);
	attr->precise_ip = rarely(f, 20);
	if (rarely(f, 20))
		*flags |= 1ULL << below(f, 64);
	attr->sample_period = rarely(f, 3) ? 0 : 1 + below(f, 50);
	if (attr->freq)
		attr->sample_freq = 1 + below(f, 1000);
	else if (attr->config <= PERF_COUNT_SW_TASK_CLOCK)
		/* Nanoseconds: a machine that only takes samples proves nothing. */
		attr->sample_period *= 1000 * 1000;
	if (rarely(f, 50))
		attr->sample_period = rnd(f) | 1ULL << 40;
	attr->clockid = attr->use_clockid ? below(f, 12) : 0;
	attr->wakeup_events = below(f, 100);
	if (rarely(f, 10))
		attr->sample_max_stack = below(f, 130);
	if (rarely(f, 50))
		((char *)attr)[below(f, sizeof(*attr))] ^= 1 << below(f, 8);
	/* Whatever came of it: no clock ticks faster than every millisecond. */
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config <= PERF_COUNT_SW_TASK_CLOCK &&
	    !attr->freq && attr->sample_period < 1000 * 1000)
		attr->sample_period = 0;
	if (attr->freq && attr->sample_freq > 1000)
		attr->sample_freq = 1000;
}

static void random_open(struct fuzzer *f, int slot)
{
	struct perf_counter_attr attr;
	unsigned long flags = PERF_COUNTER_FLAG_FD_CLOEXEC;
	int group = -1, cpu = -1;
	pid_t pid;

	random_attr(f, &attr);
	pid = rarely(f, 3) ? f->pids[below(f, ARRAY_SIZE(f->pids))] : 0;
	if (rarely(f, 4))
		cpu = f->cpus[below(f, f->n_cpus)];
	if (cpu >= 0 && rarely(f, 3))
		pid = -1;
	if (rarely(f, 50))
		pid = rnd(f);
	if (rarely(f, 50))
		cpu = rnd(f);
	if (rarely(f, 3))
		group = f->fds[below(f, SLOTS)];
	if (rarely(f, 10))
		flags |= PERF_COUNTER_FLAG_FD_OUTPUT;
	if (rarely(f, 10))
		flags |= PERF_COUNTER_FLAG_FD_NO_GROUP;
	if (rarely(f, 50))
		flags |= 1UL << below(f, 64);
	f->fds[slot] = pc_open_raw(&attr, pid, cpu, group, flags);
	f->opened += f->fds[slot] >= 0;
}

static void random_ioctl(struct fuzzer *f, int fd)
{
	static const unsigned long commands[] = {
		PERF_COUNTER_IOC_ENABLE, PERF_COUNTER_IOC_DISABLE, PERF_COUNTER_IOC_RESET,
		PERF_COUNTER_IOC_ENABLE, PERF_COUNTER_IOC_DISABLE, PERF_COUNTER_IOC_REFRESH,
		PERF_COUNTER_IOC_PERIOD, PERF_COUNTER_IOC_SET_OUTPUT, PERF_COUNTER_IOC_ID,
		PERF_COUNTER_IOC_PAUSE_OUTPUT,
	};
	unsigned long cmd = commands[below(f, ARRAY_SIZE(commands))];
	__u64 value = rarely(f, 10) ? rnd(f) : (1 + below(f, 50)) * 1000 * 1000;

	if (rarely(f, 30))
		cmd = _IO('$', below(f, 80));
	switch (cmd) {
	case PERF_COUNTER_IOC_PERIOD:
		if (value < 1000 * 1000)
			value = 1000 * 1000;
		ioctl(fd, cmd, rarely(f, 20) ? NULL : &value);
		break;
	case PERF_COUNTER_IOC_ID:
		ioctl(fd, cmd, rarely(f, 20) ? NULL : &value);
		break;
	case PERF_COUNTER_IOC_SET_OUTPUT:
		ioctl(fd, cmd, rarely(f, 4) ? -1L : (long)f->fds[below(f, SLOTS)]);
		break;
	default:
		ioctl(fd, cmd, below(f, 4));
	}
}

static void random_reading(struct fuzzer *f, int slot)
{
	struct pc_ring *ring = &f->rings[slot];
	static union pc_record rec;
	__u64 words[64];
	struct pollfd p = { .fd = f->fds[slot], .events = POLLIN };
	ssize_t n = read(f->fds[slot], words, rarely(f, 5) ? below(f, 64) : sizeof(words));

	(void)n;
	poll(&p, 1, 0);
	if (!ring->page)
		return;
	if (!ring->readonly && rarely(f, 10))
		ring->page->data_tail = rnd(f);
	else if (!ring->readonly && rarely(f, 2))
		pc_ring_set_tail(ring, pc_ring_head(ring));
	else if (!ring->readonly && ring->tail == ring->page->data_tail)
		for (int i = 0; i < 10 && pc_ring_head(ring) - ring->tail >= 8; i++) {
			pc_ring_copy(ring, ring->tail, &rec, 8);
			pc_ring_set_tail(ring, ring->tail + rec.header.size);
		}
}

static void random_mapping(struct fuzzer *f, int slot)
{
	struct pc_ring *ring = &f->rings[slot];

	if (ring->page) {
		pc_ring_unmap(ring);
		return;
	}
	if (pc_ring_map_as(ring, f->fds[slot], rarely(f, 10) ? below(f, 9) : 1 << below(f, 4),
			   rarely(f, 4) ? PROT_READ : PROT_READ | PROT_WRITE))
		ring->page = NULL;
}

static void random_deed(struct fuzzer *f)
{
	pid_t pid;
	void *map;

	switch (below(f, 6)) {
	case 0:
		pc_faults(1 + below(f, 20));
		break;
	case 1:
		pc_pin(f->cpus[below(f, f->n_cpus)]);
		break;
	case 2:
		pid = fork();
		if (!pid) {
			pc_faults(below(f, 5));
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		break;
	case 3:
		prctl(PR_SET_NAME, rarely(f, 2) ? "a" : "fifteen_letters");
		break;
	case 4:
		map = mmap(NULL, pc_page(), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
		munmap(map, pc_page());
		break;
	default:
		prctl(rarely(f, 2) ? PR_TASK_PERF_COUNTERS_ENABLE : PR_TASK_PERF_COUNTERS_DISABLE);
	}
}

static void close_slot(struct fuzzer *f, int slot)
{
	/* The mapping may outlive the descriptor, for a while. */
	if (!rarely(f, 3))
		pc_ring_unmap(&f->rings[slot]);
	close(f->fds[slot]);
	f->fds[slot] = -1;
	pc_ring_unmap(&f->rings[slot]);
}

static int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* Exit status 0: it lives, has opened something, and has leaked nothing. */
static void fuzz(struct pc_task *t)
{
	static struct fuzzer f;
	int before;

	f.seed = t->arg;
	f.n_cpus = pc_cpus(f.cpus, 8);
	f.pids[1] = getpid();
	f.pids[2] = getppid();
	f.pids[3] = 1;
	for (int i = 0; i < SLOTS; i++)
		f.fds[i] = -1;
	before = open_descriptors();
	for (int i = 0; i < pc_rounds(ROUNDS); i++) {
		int slot = below(&f, SLOTS);

		if (f.fds[slot] < 0) {
			random_open(&f, slot);
			continue;
		}
		switch (below(&f, 8)) {
		case 0:
			close_slot(&f, slot);
			break;
		case 1:
			random_mapping(&f, slot);
			break;
		case 2:
		case 3:
			random_ioctl(&f, f.fds[slot]);
			break;
		case 4:
			random_reading(&f, slot);
			break;
		default:
			random_deed(&f);
		}
	}
	for (int i = 0; i < SLOTS; i++)
		close_slot(&f, i);
	if (open_descriptors() != before)
		_exit(1);
	if (f.opened < pc_rounds(ROUNDS) / 100)
		_exit(2);
}

FIXTURE(fuzz) {
	int unused;
};

FIXTURE_SETUP(fuzz) {}
FIXTURE_TEARDOWN(fuzz) {}

static __u64 first_seed(void)
{
	const char *seed = getenv("PC_SEED");

	return seed ? strtoull(seed, NULL, 0) : pc_clock(CLOCK_REALTIME) ^ getpid();
}

PC_TEST(fuzz, random_calls_from_several_processes)
{
	__u64 seed = first_seed() | 1;
	struct pc_task t[PROCESSES];

	printf("# PC_SEED=%llu\n", seed);
	for (int i = 0; i < PROCESSES; i++)
		ASSERT_OK(pc_spawn(&t[i], fuzz, seed + 2 * i));
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		ASSERT_EQ(t[i].pid, waitpid(t[i].pid, &status, 0));
		EXPECT_EQ(0, status)
			TH_LOG("process %d, PC_SEED=%llu; 0x100: a descriptor leaked, 0x200: %s",
			       i, seed, "nothing could be opened");
	}
}

PC_TEST(fuzz, a_counter_works_afterwards)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_ring ring;
	int fd;

	attr.sample_period = 1;
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 4));
	pc_faults(1);
	pc_enable(fd);
	pc_faults(40);
	pc_disable(fd);
	EXPECT_EQ(40, pc_value(fd));
	EXPECT_EQ(40, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
	pc_ring_unmap(&ring);
	close(fd);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
