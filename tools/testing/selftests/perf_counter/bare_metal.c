// SPDX-License-Identifier: GPL-2.0
/*
 * A POWER machine without a hypervisor, whose CPUs sleep in states that lose the registers of the
 * PMU. The tests let a CPU use only such a state, and count between its sleeps.
 *
 * With PC_DEEP_SLEEP in the environment there has to be such a state.
 */
#include "pc_arch.h"
#include "pc_hw.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#ifdef __powerpc64__

#define ROUNDS 10000
#define SLEEPS 20

/*
 * Codes of PM_INST_CMPL on PMC2, and of POWER9's PM_BR_CMPL. The upper half of MMCR1 selects the
 * unit of PM_BR_CMPL.
 */
#define INST 0x20002
#define BRANCHES 0x4d05e

/* Maximum number of instructions that a task executes for an order, beside those of the loop. */
#define AROUND 20000

FIXTURE(sleep) {
	int cpu;		/* CPU that sleeps */
	int state;		/* idle state that loses the registers */
	struct pc_task task;	/* task on the CPU */
	long rate;		/* rate limit before the test */
};

static void state_path(char *path, size_t size, int cpu, int state, const char *file)
{
	snprintf(path, size, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/%s", cpu, state, file);
}

/* Read the first word of a state's file. Returns false if there is no such state. */
static bool state_read(int cpu, int state, const char *file, char word[32])
{
	char path[128];
	FILE *f;
	bool ok;

	state_path(path, sizeof(path), cpu, state, file);
	f = fopen(path, "r");
	ok = f && fscanf(f, "%31s", word) == 1;
	if (f)
		fclose(f);
	return ok;
}

static __u64 state_usage(int cpu, int state)
{
	char word[32];

	return state_read(cpu, state, "usage", word) ? strtoull(word, NULL, 10) : 0;
}

/* The idle state that loses the registers, level 4 of STOP or deeper; -1 if there is none. */
static int deep_state(int cpu)
{
	char word[32];
	int level;

	for (int state = 0; state_read(cpu, state, "name", word); state++)
		if (sscanf(word, "stop%d", &level) == 1 && level >= 4)
			return state;
	return -1;
}

/* Let @cpu use only @state, or all of its states. Returns 0 or an errno. */
static int use_state_alone(int cpu, int state, bool alone)
{
	char path[128], word[32];
	int err = 0;

	for (int i = 0; !err && state_read(cpu, i, "name", word); i++) {
		if (i == state)
			continue;
		state_path(path, sizeof(path), cpu, i, "disable");
		err = pc_write_text(path, alone ? "1" : "0");
	}
	return err;
}

/* The count of the task's latest order. */
static __u64 *counted;

/* Run the loop once for each order. With an event in @t->arg the task counts it during the loop. */
static void loop_on_order(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_raw_attr(t->arg);
	int fd = t->arg ? pc_open(&attr, 0, -1, -1) : -1;

	if (t->arg && fd < 0)
		_exit(1);
	/* The dynamic linker binds each function at its first call. */
	if (t->arg)
		pc_count_loop(fd, 0);
	while (pc_await(t)) {
		if (t->arg)
			*counted = pc_count_loop(fd, ROUNDS);
		else
			pc_loop(ROUNDS);
		pc_done(t);
	}
	close(fd);
}

FIXTURE_SETUP(sleep)
{
	int cpus[64], n = pc_cpus(cpus, 64);

	self->cpu = cpus[n - 1];
	self->state = deep_state(self->cpu);
	if (self->state < 0 && !getenv("PC_DEEP_SLEEP"))
		SKIP(return, "no idle state here loses registers of the PMU");
	ASSERT_LE(0, self->state);
	ASSERT_LT(1, n);
	ASSERT_OK(pc_pin(cpus[0]));
	self->rate = pc_sysctl_read("max_sample_rate");
	ASSERT_OK(pc_sysctl_write("max_sample_rate", 1000000));
	ASSERT_OK(use_state_alone(self->cpu, self->state, true));
	counted = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)counted);
}

FIXTURE_TEARDOWN(sleep)
{
	if (self->state < 0)
		return;
	use_state_alone(self->cpu, self->state, false);
	pc_sysctl_write("max_sample_rate", self->rate);
}

/* Start a task on @cpu. The CPU sleeps while the task waits for an order. */
static int start_task(struct pc_task *t, int cpu, long event)
{
	return pc_spawn(t, loop_on_order, event) || pc_pin_task(t->pid, cpu);
}

/*
 * Check that the idle state loses the registers; otherwise the other tests would show nothing.
 * perf_events does not save counters around sleeps: if a register is lost, its count seems to have
 * wrapped.
 */
PC_TEST(sleep, the_idle_state_loses_registers)
{
	struct perf_counter_attr attr = pc_raw_attr(INST);
	__u64 before = state_usage(self->cpu, self->state), value = 0, last;
	int fd = syscall(__NR_perf_event_open, &attr, -1, self->cpu, -1, 0);

	ASSERT_FD(fd);
	ASSERT_OK(start_task(&self->task, self->cpu, 0));
	ASSERT_OK(pc_enable(fd));
	do {
		ASSERT_OK(pc_tell(&self->task, 'l'));
		last = value;
		value = pc_value(fd);
		ASSERT_GT(before + SLEEPS, state_usage(self->cpu, self->state));
	} while (value - last < 1 << 30);
	ASSERT_OK(pc_reap(&self->task));
	close(fd);
}

PC_TEST(sleep, a_task_counts_exactly_after_each_sleep)
{
	__u64 before = state_usage(self->cpu, self->state), first = 0;

	if (pc_power() != 9)
		SKIP(return, "the event is POWER9's");
	ASSERT_OK(start_task(&self->task, self->cpu, BRANCHES));
	do {
		ASSERT_OK(pc_tell(&self->task, 'l'));
		if (!first)
			first = *counted;
		ASSERT_LE(ROUNDS, *counted);
		ASSERT_EQ(first, *counted);
	} while (state_usage(self->cpu, self->state) < before + SLEEPS);
	ASSERT_OK(pc_reap(&self->task));
}

PC_TEST(sleep, a_cpu_counter_keeps_its_count_over_sleeps)
{
	__u64 before = state_usage(self->cpu, self->state), value, last;
	struct perf_counter_attr attr = pc_raw_attr(INST);
	int fd = pc_open(&attr, -1, self->cpu, -1);

	ASSERT_FD(fd);
	ASSERT_OK(start_task(&self->task, self->cpu, 0));
	ASSERT_OK(pc_enable(fd));
	last = pc_value(fd);
	do {
		ASSERT_OK(pc_tell(&self->task, 'l'));
		value = pc_value(fd);
		ASSERT_LE(last + ROUNDS * PC_LOOP_INSTRUCTIONS, value);
		ASSERT_GE(last + ROUNDS * PC_LOOP_INSTRUCTIONS + AROUND, value);
		last = value;
	} while (state_usage(self->cpu, self->state) < before + SLEEPS);
	ASSERT_OK(pc_reap(&self->task));
	close(fd);
}

PC_TEST(sleep, a_cpu_counter_samples_between_sleeps)
{
	__u64 before = state_usage(self->cpu, self->state);
	struct perf_counter_attr attr = pc_raw_attr(INST);
	const __u64 period = 3001;
	struct pc_ring ring;
	int fd;

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	fd = pc_open(&attr, -1, self->cpu, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 16));
	ASSERT_OK(start_task(&self->task, self->cpu, 0));
	ASSERT_OK(pc_enable(fd));
	do {
		ASSERT_OK(pc_tell(&self->task, 'l'));
	} while (state_usage(self->cpu, self->state) < before + SLEEPS);
	ASSERT_OK(pc_disable(fd));
	EXPECT_EQ(pc_value(fd) / period, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
	ASSERT_OK(pc_reap(&self->task));
	pc_ring_unmap(&ring);
	close(fd);
}

int main(int argc, char **argv)
{
	return pc_hw_main(argc, argv);
}

#else

int main(void)
{
	printf("1..0 # SKIP not this architecture\n");
	return KSFT_SKIP;
}

#endif
