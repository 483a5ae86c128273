// SPDX-License-Identifier: GPL-2.0
/*
 * Who has the PMU of a machine whose NMI watchdog is on: perf_events, perf_counter, and
 * with whom the watchdog counts. For machines with an Intel PMU, on which nobody else
 * counts, booted with nmi_watchdog=1; not among the programs that a kselftest run
 * starts.
 *
 * That the watchdog watches a CPU is seen in the registers: it counts cycles in a fixed
 * counter, from which it is known how much of its period is left. Needs CONFIG_X86_MSR.
 *
 * With PC_HANG, the path of preemptirq_delay_test.ko, a CPU hangs with its interrupts
 * off, once with perf_events and once with perf_counter; the kernel's log has to have
 * two reports. That takes a PMU whose cycles are known: see scripts/suites/watchdog.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "pc_hw.h"
#include "pc_test.h"
#include "pc_user.h"
#include "pc_work.h"

#define MAX_CPUS 8

#define MSR_FIXED_CTR1		0x30a
#define MSR_FIXED_CTR_CTRL	0x38d
#define MSR_GLOBAL_CTRL		0x38f

/* Of the fixed counter of cycles: it counts, everywhere, and overflows with an interrupt. */
#define FIXED1_ON		0xb0
#define FIXED1_BITS		0xf0
#define GLOBAL_FIXED1		0x200000000ULL

#define WATCHDOG		"/proc/sys/kernel/nmi_watchdog"
#define THRESH			"/proc/sys/kernel/watchdog_thresh"
#define PMU			"/proc/sys/kernel/perf_counter_pmu"

/* Loops that count. */
#define ROUNDS 1000000

/* How often opens and closes race. */
#define RACES 100

static int nr_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_CONF);
}

static __u64 read_msr(int cpu, unsigned int msr)
{
	char path[64];
	__u64 value = 0;
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &value, sizeof(value), msr) != sizeof(value))
		value = 0;
	if (fd >= 0)
		close(fd);
	return value;
}

/* The cycles that are left of the watchdog's period on a CPU; 0: it does not watch it. */
static __u64 left(int cpu)
{
	if ((read_msr(cpu, MSR_FIXED_CTR_CTRL) & FIXED1_BITS) != FIXED1_ON ||
	    !(read_msr(cpu, MSR_GLOBAL_CTRL) & GLOBAL_FIXED1))
		return 0;
	/* 48 bits, which overflow at 0. */
	return (1ULL << 48) - read_msr(cpu, MSR_FIXED_CTR1);
}

/* How many CPUs it watches. */
static int watched(void)
{
	int cpus = 0;

	for (int cpu = 0; cpu < nr_cpus(); cpu++)
		cpus += !!left(cpu);
	return cpus;
}

static int switch_to(const char *sysctl, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", value);
	return pc_write_text(sysctl, text);
}

static int switch_cpu(int cpu, int online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return switch_to(path, online);
}

/* A counter of the current task, off. */
static int open_ours(void)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_CPU_CYCLES);

	return pc_open(&attr, 0, -1, -1);
}

static int open_theirs(void)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_CPU_CYCLES);

	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_COUNTER_FLAG_FD_CLOEXEC);
}

/*
 * The watchdog is with perf_events, and may move as often as after boot. After many moves it
 * stays with perf_counter for a while, which ends when an administrator takes the PMU back.
 */
static int settle(void)
{
	return switch_to(PMU, 0) ?: switch_to(PMU, 2);
}

/* Where the kernel's log ends now; what comes later is looked for from there. */
static int log_end(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* How many of its lines contain the text. */
static int log_says(int fd, const char *text)
{
	char line[8192];
	int lines = 0;
	ssize_t n;

	while ((n = read(fd, line, sizeof(line) - 1)) > 0) {
		line[n] = '\0';
		lines += !!strstr(line, text);
	}
	close(fd);
	return lines;
}

FIXTURE(watchdog) {
	int ours;
};

/* The two states. */
FIXTURE_VARIANT(watchdog) {
	bool ours;
};

FIXTURE_VARIANT_ADD(watchdog, with_perf_events) {
	.ours = false,
};

FIXTURE_VARIANT_ADD(watchdog, with_perf_counter) {
	.ours = true,
};

FIXTURE_SETUP(watchdog)
{
	ASSERT_EQ(0, settle());
	ASSERT_EQ(0, switch_to(WATCHDOG, 1));
	ASSERT_EQ(nr_cpus(), watched());
	self->ours = -1;
	if (!variant->ours)
		return;
	self->ours = open_ours();
	ASSERT_FD(self->ours);
}

/* In whatever state: afterwards the watchdog watches all CPUs, with perf_events. */
FIXTURE_TEARDOWN(watchdog)
{
	int fd;

	if (self->ours >= 0)
		close(self->ours);
	EXPECT_EQ(nr_cpus(), watched());
	fd = open_theirs();
	EXPECT_LE(0, fd);
	close(fd);
}

/* Whoever has it has it, and the other one is told so. */
PC_TEST(watchdog, belongs_to_one)
{
	int log = log_end(), fd = open_theirs();

	EXPECT_EQ(nr_cpus(), watched());
	if (!variant->ours) {
		ASSERT_FD(fd);
		close(fd);
		return;
	}
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(EBUSY, errno);
	EXPECT_EQ(1, log_says(log, "perf_counter holds the PMU"));
}

PC_TEST(watchdog, is_switched_off_and_on)
{
	ASSERT_EQ(0, switch_to(WATCHDOG, 0));
	EXPECT_EQ(0, watched());
	ASSERT_EQ(0, switch_to(WATCHDOG, 1));
	EXPECT_EQ(nr_cpus(), watched());
}

/* Switched off while one has the PMU, and on while the other one has it. */
PC_TEST(watchdog, is_switched_on_elsewhere)
{
	int fd;

	ASSERT_EQ(0, switch_to(WATCHDOG, 0));
	if (variant->ours) {
		close(self->ours);
		self->ours = -1;
		fd = open_theirs();
	} else {
		fd = open_ours();
	}
	ASSERT_FD(fd);
	EXPECT_EQ(0, watched());
	ASSERT_EQ(0, switch_to(WATCHDOG, 1));
	EXPECT_EQ(nr_cpus(), watched());
	close(fd);
}

/* A period three times as long, begun just now: hardly anything of it is used up. */
PC_TEST(watchdog, has_another_threshold)
{
	ASSERT_EQ(0, switch_to(THRESH, 20));
	for (int cpu = 0; cpu < nr_cpus(); cpu++) {
		__u64 before = left(cpu);

		EXPECT_NE(0, before);
		ASSERT_EQ(0, switch_to(THRESH, 60));
		EXPECT_LT(2 * before, left(cpu));
		ASSERT_EQ(0, switch_to(THRESH, 20));
		EXPECT_GT(left(cpu), 0);
	}
	ASSERT_EQ(0, switch_to(THRESH, 0));
	EXPECT_EQ(0, watched());
	ASSERT_EQ(0, switch_to(THRESH, 10));
	EXPECT_EQ(nr_cpus(), watched());
}

PC_TEST(watchdog, follows_a_cpu_that_goes_and_comes)
{
	int cpu = nr_cpus() - 1;

	if (!cpu)
		SKIP(return, "there is one CPU");
	ASSERT_EQ(0, switch_cpu(cpu, 0));
	EXPECT_EQ(nr_cpus() - 1, watched());
	ASSERT_EQ(0, switch_cpu(cpu, 1));
	EXPECT_EQ(nr_cpus(), watched());
}

/* Gone in one state, back in the other. */
PC_TEST(watchdog, follows_a_cpu_that_comes_later)
{
	int cpu = nr_cpus() - 1, fd = -1;

	if (!cpu)
		SKIP(return, "there is one CPU");
	ASSERT_EQ(0, switch_cpu(cpu, 0));
	if (variant->ours) {
		close(self->ours);
		self->ours = -1;
	} else {
		fd = open_ours();
		ASSERT_FD(fd);
	}
	EXPECT_EQ(nr_cpus() - 1, watched());
	ASSERT_EQ(0, switch_cpu(cpu, 1));
	EXPECT_EQ(nr_cpus(), watched());
	if (fd >= 0)
		close(fd);
}

FIXTURE(moving) {
};

FIXTURE_SETUP(moving)
{
	ASSERT_EQ(0, settle());
	ASSERT_EQ(0, switch_to(WATCHDOG, 1));
	ASSERT_EQ(nr_cpus(), watched());
}

/* The end of a stay is a move of its own, which no CPU is watched in the middle of. */
FIXTURE_TEARDOWN(moving)
{
	EXPECT_EQ(0, settle());
	EXPECT_EQ(nr_cpus(), watched());
}

/* A machine as it was booted: a counter works at once. */
PC_TEST(moving, lets_a_counter_count)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int fd = pc_open(&attr, 0, -1, -1);
	__u64 none;

	ASSERT_FD(fd);
	none = pc_count_loop(fd, 0);
	EXPECT_EQ(PC_LOOP_INSTRUCTIONS * ROUNDS, pc_count_loop(fd, ROUNDS) - none);
	close(fd);
}

/* The last one to be closed counts, not the first to be opened. */
PC_TEST(moving, waits_for_the_last_counter)
{
	int first = open_ours(), second = open_ours(), fd;

	ASSERT_FD(first);
	ASSERT_FD(second);
	close(first);
	EXPECT_ERRNO(EBUSY, open_theirs());
	EXPECT_EQ(nr_cpus(), watched());
	close(second);
	fd = open_theirs();
	ASSERT_FD(fd);
	close(fd);
}

/* The watchdog is not even stopped for those who cannot have the PMU. */
PC_TEST(moving, is_not_tried_when_others_count)
{
	int fd = open_theirs(), log = log_end();
	__u64 before[MAX_CPUS];

	ASSERT_FD(fd);
	ASSERT_GE(MAX_CPUS, nr_cpus());
	ASSERT_EQ(0, switch_to(THRESH, 60));
	/* Some of the period is used up, and will be: no CPU begins a new one by itself. */
	pc_loop(ROUNDS);
	for (int cpu = 0; cpu < nr_cpus(); cpu++)
		before[cpu] = left(cpu);
	EXPECT_ERRNO(EBUSY, open_ours());
	for (int cpu = 0; cpu < nr_cpus(); cpu++) {
		EXPECT_NE(0, left(cpu));
		EXPECT_GT(before[cpu], left(cpu));
	}
	EXPECT_EQ(1, log_says(log, "perf_events holds the PMU"));
	ASSERT_EQ(0, switch_to(THRESH, 10));
	close(fd);
	fd = open_ours();
	ASSERT_FD(fd);
	close(fd);
}

/* Nothing is said in the log, however often it is done: everybody may. */
PC_TEST(moving, is_silent)
{
	int log = log_end();

	for (int i = 0; i < 20; i++) {
		int fd = open_ours();

		ASSERT_FD(fd);
		close(fd);
	}
	EXPECT_EQ(0, log_says(log, "watchdog"));
}

static int open_and_close_ours(int unused)
{
	int fd = open_ours();

	return fd < 0 ? 1 : close(fd);
}

/* A user who may not count a whole CPU has the watchdog move, and all CPUs are watched again. */
PC_TEST(moving, comes_back_from_any_user)
{
	int fd;

	ASSERT_EQ(0, switch_to("/proc/sys/kernel/perf_event_paranoid", 2));
	EXPECT_EQ(0, pc_in_nobody(open_and_close_ours, 0, 1 << 20));
	EXPECT_EQ(nr_cpus(), watched());
	fd = open_theirs();
	EXPECT_LE(0, fd);
	close(fd);
}

/* === Moves are rare === */

/* As in source/watchdog.c: moves back in a window of so many seconds. */
#define MOVES	4
#define WINDOW	2

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* A user opens and closes a counter again and again. */
static int open_and_close_often(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		if (open_and_close_ours(0))
			return 1;
	}
	return 0;
}

static pid_t start_user(void)
{
	pid_t pid = fork();

	if (!pid) {
		pc_become_nobody(1 << 20);
		_exit(open_and_close_often(pc_rounds(1000)));
	}
	return pid;
}

/*
 * Two users open and close counters. Each move begins a new period on each CPU, so there were
 * at least as many moves as the rest of a period has grown.
 */
PC_TEST(moving, is_rare)
{
	int running = 2, seen = 0, status, most;
	double began = seconds();
	__u64 last, now;

	ASSERT_EQ(0, switch_to(THRESH, 60));
	last = left(0);
	for (int i = 0; i < running; i++)
		ASSERT_LT(0, start_user());
	while (running) {
		if (waitpid(-1, &status, WNOHANG) > 0) {
			EXPECT_EQ(0, status);
			running--;
		}
		now = left(0);
		seen += now > last;
		last = now ?: last;
	}
	/* To perf_counter and back, and the windows at both ends are not whole ones. */
	most = 2 * MOVES * ((int)((seconds() - began) / WINDOW) + 2);
	TH_LOG("saw %d moves, at most %d are allowed", seen, most);
	EXPECT_GE(most, seen);
	EXPECT_LT(0, seen);
	ASSERT_EQ(0, switch_to(THRESH, 10));
}

/* When the watchdog has moved often enough, the PMU stays for a while, and not longer. */
PC_TEST(moving, stays_for_a_while)
{
	double began = seconds();
	int log = log_end(), fd, refused = 0;

	/* The last of them may be the first of another window. */
	for (int i = 0; i < 2 * MOVES && !refused; i++) {
		ASSERT_EQ(0, open_and_close_ours(0));
		fd = open_theirs();
		refused = fd < 0;
		if (!refused)
			close(fd);
	}
	EXPECT_EQ(nr_cpus(), watched());
	EXPECT_TRUE(refused || seconds() - began >= WINDOW);
	EXPECT_EQ(refused, log_says(log, "changes hands too often"));
	/* A counter of ours is not refused, and ends the stay only for as long as it is there. */
	ASSERT_EQ(0, open_and_close_ours(0));
	/* Nothing tells of the end of the stay. */
	while ((fd = open_theirs()) < 0)
		ASSERT_EQ(EBUSY, errno);
	close(fd);
	EXPECT_EQ(nr_cpus(), watched());
}

/* An administrator who takes the PMU back does not wait. */
PC_TEST(moving, stays_until_it_is_taken_back)
{
	int fd;

	ASSERT_EQ(0, open_and_close_often(2 * MOVES));
	ASSERT_EQ(0, switch_to(PMU, 0));
	EXPECT_EQ(nr_cpus(), watched());
	fd = open_theirs();
	EXPECT_LE(0, fd);
	close(fd);
	ASSERT_EQ(0, switch_to(PMU, 2));
	ASSERT_EQ(0, open_and_close_ours(0));
	fd = open_theirs();
	EXPECT_LE(0, fd);
	close(fd);
}

static struct {
	int spins;
	int stop;
	pid_t task;
} spinner;

/* Keep the last CPU from its kworkers. */
static void *spin(void *unused)
{
	struct sched_param param = { .sched_priority = 50 };
	int err = pc_pin(nr_cpus() - 1) ?: sched_setscheduler(0, SCHED_FIFO, &param);

	spinner.task = syscall(SYS_gettid);
	__atomic_store_n(&spinner.spins, 1, __ATOMIC_RELEASE);
	if (err)
		return &spinner;
	while (!__atomic_load_n(&spinner.stop, __ATOMIC_ACQUIRE))
		;
	return NULL;
}

/* How often the spinner has lost its CPU to another task; -1: not known. */
static long spinner_switches(void)
{
	char path[64], line[256];
	long switches = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", spinner.task);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "nonvoluntary_ctxt_switches: %ld", &switches);
	if (file)
		fclose(file);
	return switches;
}

/*
 * A CPU runs a task with a real-time priority. The kernel's server of fair tasks gives a share
 * of the CPU's time to others, its kworkers included, and a move does not wait for that: the
 * watchdog moves to perf_counter and back while the task does not lose the CPU.
 */
PC_TEST(moving, does_not_wait_for_a_kworker)
{
	int undisturbed = 0;
	pthread_t thread;
	void *failed;
	long before;

	if (nr_cpus() == 1)
		SKIP(return, "there is one CPU");
	ASSERT_EQ(0, switch_to("/proc/sys/kernel/sched_rt_runtime_us", -1));
	ASSERT_EQ(0, pc_pin(0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, spin, NULL));
	while (!__atomic_load_n(&spinner.spins, __ATOMIC_ACQUIRE))
		sched_yield();
	for (int i = 0; i < MOVES; i++) {
		before = spinner_switches();
		EXPECT_LE(0, before);
		EXPECT_EQ(0, open_and_close_ours(0));
		undisturbed += spinner_switches() == before;
	}
	EXPECT_LT(0, undisturbed);
	EXPECT_EQ(nr_cpus(), watched());
	__atomic_store_n(&spinner.stop, 1, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_join(thread, &failed));
	EXPECT_EQ(NULL, failed);
	ASSERT_EQ(0, switch_to("/proc/sys/kernel/sched_rt_runtime_us", 950000));
}

/* === Races === */

static struct {
	int rounds;
	int running;
	int wrong;
	int opened;
} races;

/* Open and close so often, and until it has worked once. */
static void *race_opens(void *theirs)
{
	int opened = 0;

	for (int i = 0; i < races.rounds || !opened; i++) {
		int fd = theirs ? open_theirs() : open_ours();

		if (fd >= 0) {
			opened++;
			close(fd);
		} else if (errno != EBUSY) {
			__atomic_add_fetch(&races.wrong, 1, __ATOMIC_RELAXED);
		}
	}
	__atomic_add_fetch(&races.opened, opened, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&races.running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *race_sysctls(void *unused)
{
	while (__atomic_load_n(&races.running, __ATOMIC_ACQUIRE)) {
		int wrong = !!switch_to(WATCHDOG, 0);

		wrong += !!switch_to(THRESH, 12);
		wrong += !!switch_to(WATCHDOG, 1);
		wrong += !!switch_to(THRESH, 10);
		__atomic_add_fetch(&races.wrong, wrong, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *race_hotplug(void *unused)
{
	int cpu = nr_cpus() - 1;

	while (cpu && __atomic_load_n(&races.running, __ATOMIC_ACQUIRE)) {
		int wrong = !!switch_cpu(cpu, 0);

		wrong += !!switch_cpu(cpu, 1);
		__atomic_add_fetch(&races.wrong, wrong, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int race(int opens, void *(*const fns[])(void *), int nr)
{
	pthread_t threads[8];
	int started;

	memset(&races, 0, sizeof(races));
	races.rounds = pc_rounds(RACES);
	races.running = opens;
	for (started = 0; started < nr; started++) {
		if (pthread_create(&threads[started], NULL, fns[started],
				   started & 1 ? &races : NULL))
			return -1;
	}
	while (started)
		pthread_join(threads[--started], NULL);
	return races.wrong;
}

/* Ours against ours: nobody is ever refused, and the watchdog goes to and fro. */
PC_TEST(moving, races_with_itself)
{
	pthread_t threads[4];

	memset(&races, 0, sizeof(races));
	races.rounds = pc_rounds(RACES);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, race_opens, NULL));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, races.wrong);
	EXPECT_EQ(4 * races.rounds, races.opened);
}

/* Every second one is perf_events'. */
PC_TEST(moving, races_with_perf_events)
{
	static void *(*const fns[])(void *) = { race_opens, race_opens, race_opens, race_opens };

	EXPECT_EQ(0, race(4, fns, 4));
}

PC_TEST(moving, races_with_switches_and_cpus)
{
	static void *(*const fns[])(void *) = {
		race_opens, race_opens, race_sysctls, race_hotplug,
	};

	EXPECT_EQ(0, race(2, fns, 4));
	EXPECT_EQ(0, switch_to(WATCHDOG, 1));
}

/* === A CPU that hangs === */

/*
 * A period in seconds, and us. The first overflow may be let pass, as something was
 * printed before; the second finds that the timer has gone off since the last one, before
 * the CPU hung; the third reports it.
 */
#define HANG_THRESH	1
#define HANG_FOR	"delay=3500000"

static int hang(void)
{
	int fd = open(getenv("PC_HANG"), O_RDONLY | O_CLOEXEC);
	int err = fd < 0 || syscall(SYS_finit_module, fd, "test_mode=irq " HANG_FOR, 0) ? errno : 0;

	if (fd >= 0)
		close(fd);
	syscall(SYS_delete_module, "preemptirq_delay_test", O_NONBLOCK);
	return err;
}

PC_TEST(watchdog, reports_a_cpu_that_hangs)
{
	int log = log_end();

	if (!getenv("PC_HANG"))
		SKIP(return, "PC_HANG does not say how");
	/* The CPU's own task is stuck: that is not what is to be reported. */
	ASSERT_EQ(0, switch_to("/proc/sys/kernel/soft_watchdog", 0));
	ASSERT_EQ(0, switch_to(THRESH, HANG_THRESH));
	ASSERT_EQ(0, hang());
	EXPECT_EQ(1, log_says(log, "Watchdog detected hard LOCKUP on cpu"));
	ASSERT_EQ(0, switch_to(THRESH, 10));
	ASSERT_EQ(0, switch_to("/proc/sys/kernel/soft_watchdog", 1));
}

int main(int argc, char **argv)
{
	char on = '0';
	int fd = open(WATCHDOG, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, &on, 1) != 1 || on != '1' || !left(0)) {
		printf("%s there is no NMI watchdog on an Intel PMU\n",
		       getenv("PC_PMU") ? "Bail out!" : "1..0 # SKIP");
		return getenv("PC_PMU") ? KSFT_FAIL : KSFT_SKIP;
	}
	close(fd);
	return pc_main(argc, argv);
}
