// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of a machine whose NMI watchdog is enabled: perf_events or perf_counter has it, and the
 * watchdog counts there. The program needs an Intel PMU without other users, and nmi_watchdog=1 at
 * boot; a kselftest run does not start it.
 *
 * Registers show whether the watchdog watches a CPU: it counts cycles in a fixed counter, whose
 * value is the rest of its period. The program needs CONFIG_X86_MSR.
 *
 * With PC_HANG, the path of preemptirq_delay_test.ko, a CPU hangs with interrupts disabled, once
 * while perf_events has the PMU and once while perf_counter has it; the kernel's log has to have
 * two reports. That needs a PMU with a known rate of cycles: see scripts/suites/watchdog.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <linux/bpf.h>

#include "pc_hw.h"
#include "pc_test.h"
#include "pc_user.h"
#include "pc_work.h"

#define MAX_CPUS 8

#define MSR_FIXED_CTR1		0x30a
#define MSR_FIXED_CTR_CTRL	0x38d
#define MSR_GLOBAL_CTRL		0x38f

/*
 * The value of FIXED1_BITS when the fixed counter of cycles counts in all modes and interrupts at
 * an overflow.
 */
#define FIXED1_ON		0xb0
#define FIXED1_BITS		0xf0
#define GLOBAL_FIXED1		0x200000000ULL

#define WATCHDOG		"/proc/sys/kernel/nmi_watchdog"
#define THRESH			"/proc/sys/kernel/watchdog_thresh"
#define PMU			"/proc/sys/kernel/perf_counter_pmu"

/* Rounds of a loop that counts. */
#define ROUNDS 1000000

/* The number of opens and closes in a race. */
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

/*
 * The cycles that are left of the watchdog's period on a CPU; 0 if the watchdog does not watch the
 * CPU.
 */
static __u64 rest_of_period(int cpu)
{
	if ((read_msr(cpu, MSR_FIXED_CTR_CTRL) & FIXED1_BITS) != FIXED1_ON ||
	    !(read_msr(cpu, MSR_GLOBAL_CTRL) & GLOBAL_FIXED1))
		return 0;
	/* The counter has 48 bits, and overflows at 0. */
	return (1ULL << 48) - read_msr(cpu, MSR_FIXED_CTR1);
}

/* The number of CPUs that the watchdog watches. */
static int watched(void)
{
	int cpus = 0;

	for (int cpu = 0; cpu < nr_cpus(); cpu++)
		cpus += !!rest_of_period(cpu);
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

/* Open a counter of the current task; it begins disabled. */
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
 * Put the watchdog back to perf_events, with as many moves allowed as after boot. After many moves
 * the watchdog stays with perf_counter for a while, until an administrator gives the PMU back.
 */
static int move_back(void)
{
	return switch_to(PMU, 0) ?: switch_to(PMU, 2);
}

/* Open the kernel's log at its end. */
static int log_end(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* The number of new lines in the log that contain a text. */
static int new_lines(int fd, const char *text)
{
	char line[8192];
	int lines = 0;
	ssize_t n;

	while ((n = read(fd, line, sizeof(line) - 1)) > 0) {
		line[n] = '\0';
		lines += !!strstr(line, text);
	}
	return lines;
}

/*
 * Count the new lines in the log that contain a text, and close the log. Returns the number of
 * lines.
 */
static int log_says(int fd, const char *text)
{
	int lines = new_lines(fd, text);

	close(fd);
	return lines;
}

/*
 * Have opens refused with EBUSY until one logs the reason. The kernel logs a reason ten times in
 * five seconds, and earlier tests may have used that up. Returns the number of lines that the last
 * open has logged; -1 if an open was not refused.
 */
static int refuse_and_log(int (*open_refused)(void), const char *reason)
{
	time_t end = time(NULL) + 15;
	int log = log_end(), lines, fd;

	do {
		fd = open_refused();
		lines = fd < 0 && errno == EBUSY ? new_lines(log, reason) : -1;
		if (fd >= 0)
			close(fd);
	} while (!lines && time(NULL) < end);
	close(log);
	return lines;
}

FIXTURE(watchdog) {
	int ours;
};

/* Each test runs twice: while perf_events has the PMU, and while perf_counter has it. */
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
	ASSERT_EQ(0, move_back());
	ASSERT_EQ(0, switch_to(WATCHDOG, 1));
	ASSERT_EQ(nr_cpus(), watched());
	self->ours = -1;
	if (!variant->ours)
		return;
	self->ours = open_ours();
	ASSERT_FD(self->ours);
}

/* After each test the watchdog watches all CPUs, with perf_events. */
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

/* While one subsystem has the PMU, the other one gets EBUSY. */
PC_TEST(watchdog, the_pmu_belongs_to_one_subsystem)
{
	int fd;

	if (variant->ours) {
		EXPECT_EQ(1, refuse_and_log(open_theirs, "perf_counter holds the PMU"));
		EXPECT_EQ(nr_cpus(), watched());
		return;
	}
	fd = open_theirs();
	ASSERT_FD(fd);
	EXPECT_EQ(nr_cpus(), watched());
	close(fd);
}

PC_TEST(watchdog, the_watchdog_is_disabled_and_enabled)
{
	ASSERT_EQ(0, switch_to(WATCHDOG, 0));
	EXPECT_EQ(0, watched());
	ASSERT_EQ(0, switch_to(WATCHDOG, 1));
	EXPECT_EQ(nr_cpus(), watched());
}

/* The watchdog is disabled while one subsystem has the PMU, and enabled while the other has it. */
PC_TEST(watchdog, the_watchdog_is_enabled_in_the_other_subsystem)
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

/* Set a BPF program that does nothing: the descriptor has to become an event of perf_events. */
static int hand_over(int fd)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (unsigned long)insns,
		.insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (unsigned long)"GPL",
	};
	int prog = syscall(__NR_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)), err;

	if (prog < 0)
		return -1;
	err = ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog);
	close(prog);
	return err;
}

/*
 * The watchdog moves with a descriptor that is handed over to perf_events, and comes back if the
 * descriptor is refused because its buffer is mapped. It watches all CPUs with either subsystem.
 */
PC_TEST(watchdog, the_watchdog_moves_with_a_descriptor)
{
	void *page;
	int fd;

	if (!variant->ours)
		return;
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, self->ours, 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_ERRNO(EBUSY, hand_over(self->ours));
	EXPECT_EQ(nr_cpus(), watched());
	EXPECT_ERRNO(EBUSY, open_theirs());
	munmap(page, pc_page());
	ASSERT_OK(hand_over(self->ours));
	EXPECT_EQ(nr_cpus(), watched());
	fd = open_theirs();
	ASSERT_FD(fd);
	close(fd);
	EXPECT_ERRNO(EBUSY, open_ours());
	EXPECT_EQ(nr_cpus(), watched());
	/* The watchdog comes back with the next descriptor. */
	close(self->ours);
	self->ours = open_ours();
	ASSERT_FD(self->ours);
	EXPECT_EQ(nr_cpus(), watched());
	EXPECT_ERRNO(EBUSY, open_theirs());
}

/*
 * A program may have descriptors refused as often as it likes: after a few moves, the watchdog
 * stays with perf_counter for a while, and the descriptor is refused without a move.
 */
PC_TEST(watchdog, refused_descriptors_do_not_move_the_watchdog_forever)
{
	__u64 before, last;
	int stays = 0;
	void *page;

	if (!variant->ours)
		return;
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, self->ours, 0);
	ASSERT_NE(MAP_FAILED, page);
	/* A move begins a new period; without one, the period goes on. */
	last = rest_of_period(0);
	while (stays < 8) {
		before = last;
		EXPECT_ERRNO(EBUSY, hand_over(self->ours));
		last = rest_of_period(0);
		ASSERT_NE(0, last);
		stays = last < before ? stays + 1 : 0;
	}
	munmap(page, pc_page());
	EXPECT_EQ(nr_cpus(), watched());
	close(self->ours);
	self->ours = -1;
	EXPECT_EQ(0, move_back());
}

/* The period is three times as long and has just begun, so most of it is left. */
PC_TEST(watchdog, a_new_threshold_begins_a_new_period)
{
	ASSERT_EQ(0, switch_to(THRESH, 20));
	for (int cpu = 0; cpu < nr_cpus(); cpu++) {
		__u64 before = rest_of_period(cpu);

		EXPECT_NE(0, before);
		ASSERT_EQ(0, switch_to(THRESH, 60));
		EXPECT_LT(2 * before, rest_of_period(cpu));
		ASSERT_EQ(0, switch_to(THRESH, 20));
		EXPECT_GT(rest_of_period(cpu), 0);
	}
	ASSERT_EQ(0, switch_to(THRESH, 0));
	EXPECT_EQ(0, watched());
	ASSERT_EQ(0, switch_to(THRESH, 10));
	EXPECT_EQ(nr_cpus(), watched());
}

PC_TEST(watchdog, the_watchdog_follows_a_cpu_over_hotplug)
{
	int cpu = nr_cpus() - 1;

	if (!cpu)
		SKIP(return, "there is one CPU");
	ASSERT_EQ(0, switch_cpu(cpu, 0));
	EXPECT_EQ(nr_cpus() - 1, watched());
	ASSERT_EQ(0, switch_cpu(cpu, 1));
	EXPECT_EQ(nr_cpus(), watched());
}

/* The CPU goes offline while one subsystem has the PMU, and comes online while the other has it. */
PC_TEST(watchdog, the_watchdog_follows_a_cpu_that_comes_later)
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
	ASSERT_EQ(0, move_back());
	ASSERT_EQ(0, switch_to(WATCHDOG, 1));
	ASSERT_EQ(nr_cpus(), watched());
}

/*
 * No CPU is watched while the PMU moves at the end of a stay, so move_back() ends the stay first.
 */
FIXTURE_TEARDOWN(moving)
{
	EXPECT_EQ(0, move_back());
	EXPECT_EQ(nr_cpus(), watched());
}

/* The machine is as after boot: a counter works at once. */
PC_TEST(moving, a_counter_works_at_once_after_boot)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int fd = pc_open(&attr, 0, -1, -1);
	__u64 none;

	ASSERT_FD(fd);
	none = pc_count_loop(fd, 0);
	EXPECT_EQ(PC_LOOP_INSTRUCTIONS * ROUNDS, pc_count_loop(fd, ROUNDS) - none);
	close(fd);
}

/* The PMU goes back when the last counter is closed. */
PC_TEST(moving, the_watchdog_moves_back_with_the_last_close)
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

/* If perf_events has the PMU in use, an open in perf_counter does not even stop the watchdog. */
PC_TEST(moving, the_watchdog_keeps_its_period_if_the_pmu_is_busy)
{
	int fd = open_theirs();
	__u64 before[MAX_CPUS];

	ASSERT_FD(fd);
	ASSERT_GE(MAX_CPUS, nr_cpus());
	ASSERT_EQ(0, switch_to(THRESH, 60));
	/* A part of the period has passed, and no CPU begins a new period. */
	pc_loop(ROUNDS);
	for (int cpu = 0; cpu < nr_cpus(); cpu++)
		before[cpu] = rest_of_period(cpu);
	EXPECT_ERRNO(EBUSY, open_ours());
	for (int cpu = 0; cpu < nr_cpus(); cpu++) {
		EXPECT_NE(0, rest_of_period(cpu));
		EXPECT_GT(before[cpu], rest_of_period(cpu));
	}
	EXPECT_EQ(1, refuse_and_log(open_ours, "perf_events holds the PMU"));
	ASSERT_EQ(0, switch_to(THRESH, 10));
	close(fd);
	fd = open_ours();
	ASSERT_FD(fd);
	close(fd);
}

/* The log gets no message, since every user may cause any number of moves. */
PC_TEST(moving, moves_are_not_logged)
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

/*
 * A user who may not count whole CPUs makes the watchdog move; afterwards all CPUs are watched
 * again.
 */
PC_TEST(moving, the_watchdog_moves_back_from_a_users_counter)
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

/* Limits of source/watchdog.c: at most MOVES moves back in a window of WINDOW seconds. */
#define MOVES	4
#define WINDOW	2

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* A user opens and closes a counter repeatedly. */
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
 * Two users open and close counters. Each move begins a new period on each CPU: the test counts how
 * often the rest of a period has grown.
 */
PC_TEST(moving, moves_are_limited)
{
	int running = 2, seen = 0, status, most;
	double began = seconds();
	__u64 last, now;

	ASSERT_EQ(0, switch_to(THRESH, 60));
	last = rest_of_period(0);
	for (int i = 0; i < running; i++)
		ASSERT_LT(0, start_user());
	while (running) {
		if (waitpid(-1, &status, WNOHANG) > 0) {
			EXPECT_EQ(0, status);
			running--;
		}
		now = rest_of_period(0);
		seen += now > last;
		last = now ?: last;
	}
	/*
	 * The watchdog moves twice, to perf_counter and back. The windows at the beginning and at
	 * the end of the test are not complete.
	 */
	most = 2 * MOVES * ((int)((seconds() - began) / WINDOW) + 2);
	TH_LOG("saw %d moves, at most %d are allowed", seen, most);
	EXPECT_GE(most, seen);
	EXPECT_LT(0, seen);
	ASSERT_EQ(0, switch_to(THRESH, 10));
}

/* After the allowed moves the PMU stays with perf_counter for a limited time. */
PC_TEST(moving, the_pmu_stays_for_a_while_after_many_moves)
{
	double began = seconds();
	int log = log_end(), fd, refused = 0;

	/* The last move may belong to another window. */
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
	/*
	 * A new counter of perf_counter is accepted during the stay, and the stay goes on
	 * afterwards.
	 */
	ASSERT_EQ(0, open_and_close_ours(0));
	/* Nothing tells a program that the stay has ended, so try until an open succeeds. */
	while ((fd = open_theirs()) < 0)
		ASSERT_EQ(EBUSY, errno);
	close(fd);
	EXPECT_EQ(nr_cpus(), watched());
}

/* An administrator who gives the PMU back ends the stay at once. */
PC_TEST(moving, an_administrator_ends_the_stay)
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

/* Keep kworkers from the last CPU. */
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

/* The number of times that the spinner lost its CPU to another task; -1 if unknown. */
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
 * A CPU runs a real-time task. The scheduler gives other tasks, kworkers included, a share of the
 * CPU's time. Moving the watchdog from perf_events to perf_counter and back does not wait for that
 * share: it is done while the real-time task keeps the CPU.
 */
PC_TEST(moving, moves_do_not_wait_for_a_kworker)
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

/* Open and close counters until races.rounds is reached and one open has succeeded. */
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

/* All opens are in perf_counter: none is refused, and the watchdog moves to and fro. */
PC_TEST(moving, opens_race_with_opens)
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

/* Every second open is one in perf_events. */
PC_TEST(moving, opens_race_with_perf_events)
{
	static void *(*const fns[])(void *) = { race_opens, race_opens, race_opens, race_opens };

	EXPECT_EQ(0, race(4, fns, 4));
}

PC_TEST(moving, opens_race_with_sysctls_and_hotplug)
{
	static void *(*const fns[])(void *) = {
		race_opens, race_opens, race_sysctls, race_hotplug,
	};

	EXPECT_EQ(0, race(2, fns, 4));
	EXPECT_EQ(0, switch_to(WATCHDOG, 1));
}

/* === A CPU that hangs === */

/*
 * The period in seconds, and the time of the hang in us. The first overflow may be ignored because
 * the kernel has printed something; the second one finds that the timer ran after the first one,
 * before the CPU hung; the third one reports the hang.
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

PC_TEST(watchdog, the_watchdog_reports_a_cpu_that_hangs)
{
	int log = log_end();

	if (!getenv("PC_HANG"))
		SKIP(return, "PC_HANG does not say how");
	/* The soft watchdog would report the task that is stuck. */
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

	if (fd < 0 || read(fd, &on, 1) != 1 || on != '1' || !rest_of_period(0)) {
		printf("%s there is no NMI watchdog on an Intel PMU\n",
		       getenv("PC_PMU") ? "Bail out!" : "1..0 # SKIP");
		return getenv("PC_PMU") ? KSFT_FAIL : KSFT_SKIP;
	}
	close(fd);
	return pc_main(argc, argv);
}
