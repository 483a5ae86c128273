// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the PMU while the machine sleeps, and the registers that the next kernel
 * finds. A kselftest run does not start this program, because it puts the machine to
 * sleep and boots another kernel:
 *
 *   power KERNEL INITRD SECONDS
 *
 * suspends to RAM, lets the real-time clock wake the machine up after SECONDS, and then
 * starts KERNEL while counters run on every CPU. The command line of KERNEL has the
 * results so far; the initrd has to run this program again, and then it prints all
 * results as TAP.
 *
 * A sleep may reset the device with the file of this program: the program is linked
 * statically and locked in memory, and KERNEL and INITRD have to be in a tmpfs. It needs
 * CONFIG_SUSPEND, CONFIG_KEXEC_FILE, CONFIG_RTC_INTF_SYSFS and CONFIG_X86_MSR.
 */
#include <linux/reboot.h>

#include "pc_hw.h"
#include "pc_ring.h"
#include "pc_work.h"

#define ROUNDS 100000
#define PERIOD 10007
#define MAX_CPUS 8

/* The second kernel's command line ends with this, and a digit for each result. */
#define RESULTS " pc_power="

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(KSFT_FAIL);
}

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		die(path);
	return fd;
}

static char *command_line(void)
{
	static char text[4096];
	int fd = open_or_die("/proc/cmdline", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) / 2);

	if (n <= 0)
		die("/proc/cmdline");
	text[strcspn(text, "\n")] = '\0';
	close(fd);
	return text;
}

/* === A task on every CPU, with counters that are always enabled === */

/* The counts of a task, in shared memory. */
struct counted {
	__u64 waiting;		/* the task's instructions from one order to the next */
	__u64 loop;
	__u64 loop_by_register;
	__u64 samples;
	__u64 samples_due;
};

/* Orders of the task on each CPU. */
enum {
	ORDER_COUNT = 'c',	/* count the loop */
	ORDER_SPIN = 's',	/* loop until the kernel ends */
};

static struct {
	struct pc_task task;
	struct counted *counted;
	int cpu;
	int fd;			/* counter of the CPU */
	__u64 count;		/* last value of the counter */
	__u64 waiting;		/* the task's instructions from one order to the next */
} cpus[MAX_CPUS];

static int nr_cpus;

static __attribute__((noipa)) __u64 loop_by_read(int fd, __u64 rounds)
{
	__u64 before = pc_value(fd);

	pc_loop(rounds);
	return pc_value(fd) - before;
}

static __attribute__((noipa)) __u64 loop_by_register(struct perf_event_mmap_page *page,
						     __u64 rounds)
{
	__u64 before = pc_rdpmc(page);

	pc_loop(rounds);
	return pc_rdpmc(page) - before;
}

static void count(int fd, struct perf_event_mmap_page *page, struct counted *counted)
{
	/* The first calls load the code into memory. */
	loop_by_read(fd, 1);
	counted->loop = loop_by_read(fd, ROUNDS) - loop_by_read(fd, 0);
	loop_by_register(page, 1);
	counted->loop_by_register = loop_by_register(page, ROUNDS) - loop_by_register(page, 0);
}

static void be_counted(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct counted *counted = cpus[t->arg].counted;
	struct perf_event_mmap_page *page;
	struct pc_ring ring;
	int fd, sampler;
	__u64 before;
	char order;

	attr.disabled = 0;
	fd = pc_open(&attr, 0, -1, -1);
	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = PERIOD;
	sampler = pc_open(&attr, 0, -1, -1);
	if (fd < 0 || sampler < 0 || pc_ring_map(&ring, sampler, 16) || pc_pin(cpus[t->arg].cpu))
		_exit(KSFT_FAIL);
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		_exit(KSFT_FAIL);
	for (;;) {
		before = pc_value(fd);
		order = pc_await(t);
		counted->waiting = pc_value(fd) - before;
		if (order != ORDER_COUNT)
			break;
		count(fd, page, counted);
		pc_disable(sampler);
		counted->samples += pc_ring_count(&ring, PERF_RECORD_SAMPLE);
		counted->samples_due = pc_value(sampler) / PERIOD;
		pc_enable(sampler);
		pc_done(t);
	}
	if (order == ORDER_SPIN)
		pc_done(t);
	while (order == ORDER_SPIN)
		pc_loop(ROUNDS);
}

static void start_tasks(void)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct counted *counted;
	int numbers[MAX_CPUS];

	counted = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counted == MAP_FAILED)
		die("mmap");
	attr.disabled = 0;
	nr_cpus = pc_cpus(numbers, MAX_CPUS);
	for (int i = 0; i < nr_cpus; i++) {
		cpus[i].cpu = numbers[i];
		cpus[i].counted = &counted[i];
		cpus[i].fd = pc_open(&attr, -1, numbers[i], -1);
		if (cpus[i].fd < 0)
			die("a counter of a CPU");
		if (pc_spawn(&cpus[i].task, be_counted, i))
			die("a task");
	}
}

static void order_all(char order)
{
	for (int i = 0; i < nr_cpus; i++) {
		cpus[i].count = pc_value(cpus[i].fd);
		if (pc_order(&cpus[i].task, order))
			die("a task has died");
	}
	for (int i = 0; i < nr_cpus; i++)
		if (pc_reply(&cpus[i].task))
			die("a task has died");
}

/* True if holds() is true for every CPU; prints the CPUs where it is not. */
static bool on_all_cpus(bool (*holds)(int i))
{
	bool all = true;

	for (int i = 0; i < nr_cpus; i++) {
		const struct counted *c = cpus[i].counted;

		if (holds(i))
			continue;
		all = false;
		printf("# CPU %d: waiting %llu, loop %llu and %llu, samples %llu of %llu\n",
		       cpus[i].cpu, c->waiting, c->loop, c->loop_by_register, c->samples,
		       c->samples_due);
	}
	return all;
}

static bool loop_is_exact(int i)
{
	return cpus[i].counted->loop == PC_LOOP_INSTRUCTIONS * ROUNDS;
}

static bool registers_are_exact(int i)
{
	return cpus[i].counted->loop_by_register == PC_LOOP_INSTRUCTIONS * ROUNDS;
}

static bool samples_are_all_there(int i)
{
	return cpus[i].counted->samples && cpus[i].counted->samples == cpus[i].counted->samples_due;
}

static bool cpu_went_on(int i)
{
	return pc_value(cpus[i].fd) - cpus[i].count >= 2 * PC_LOOP_INSTRUCTIONS * ROUNDS;
}

/* A system call that a sleep interrupts is restarted, which adds a few instructions at most. */
static bool has_counted_no_sleep(int i)
{
	return cpus[i].waiting && cpus[i].counted->waiting <= cpus[i].waiting + 2;
}

/* === The first kernel: sleep, and start the next kernel === */

#define RTC "/sys/class/rtc/rtc0/"

static long rtc_seconds(int fd)
{
	char text[32] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		die(RTC "since_epoch");
	return atol(text);
}

/* Sleep until an alarm. Returns true if the machine was off for at least a second. */
static bool sleep_until_alarm(int seconds)
{
	int alarm = open_or_die(RTC "wakealarm", O_WRONLY);
	int rtc = open_or_die(RTC "since_epoch", O_RDONLY);
	int state = open_or_die("/sys/power/state", O_WRONLY);
	__u64 awake = pc_clock(CLOCK_MONOTONIC);
	long began = rtc_seconds(rtc), took;

	if (dprintf(alarm, "+%d", seconds) < 0)
		die("no alarm");
	if (write(state, "mem", 3) != 3)
		die("no sleep");
	/* The clocks of the kernel stop during a sleep, and the RTC does not. */
	awake = pc_clock(CLOCK_MONOTONIC) - awake;
	took = rtc_seconds(rtc) - began;
	printf("# awake for %llu ms of %ld s\n", awake / 1000000, took);
	close(state);
	close(rtc);
	close(alarm);
	/* Rounding of the two RTC times takes up to a second. */
	return (took - 2) * 1000000000 >= (long)awake;
}

static void start_next_kernel(const char *kernel, const char *initrd, const char *results)
{
	char *line = command_line();

	/*
	 * The next kernel then finds the registers as this kernel and its NMI watchdog have left
	 * them.
	 */
	strcat(strcat(line, " nmi_watchdog=0" RESULTS), results);
	if (syscall(SYS_kexec_file_load, open_or_die(kernel, O_RDONLY),
		    open_or_die(initrd, O_RDONLY), strlen(line) + 1, line, 0))
		die(kernel);
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	die("no next kernel");
}

static const char *const first_results[] = {
	"before a sleep, tasks count exactly",
	"the machine sleeps until its alarm",
	"tasks have counted nothing of it",
	"tasks count exactly",
	"programs read their registers by themselves",
	"no sample is missing, and none there is twice",
	"the counters of the CPUs go on",
};

static void first_kernel(char **argv)
{
	char results[ARRAY_SIZE(first_results) + 1] = "", *result = results;

	start_tasks();
	order_all(ORDER_COUNT);
	*result++ = '0' + on_all_cpus(loop_is_exact);
	order_all(ORDER_COUNT);
	for (int i = 0; i < nr_cpus; i++)
		cpus[i].waiting = cpus[i].counted->waiting;

	*result++ = '0' + sleep_until_alarm(atoi(argv[3]));
	order_all(ORDER_COUNT);
	*result++ = '0' + on_all_cpus(has_counted_no_sleep);
	*result++ = '0' + on_all_cpus(loop_is_exact);
	*result++ = '0' + on_all_cpus(registers_are_exact);
	*result++ = '0' + on_all_cpus(samples_are_all_there);
	*result++ = '0' + on_all_cpus(cpu_went_on);

	order_all(ORDER_SPIN);
	start_next_kernel(argv[1], argv[2], results);
}

/* === The second kernel === */

#define MSR_INTEL_SELECT	0x186
#define MSR_INTEL_FIXED_CTRL	0x38d
#define MSR_AMD_SELECT		0xc0010000

/* Every CPU has this number of event selects. */
#define SELECTS			4

static __u64 msr_of_cpu(int cpu, __u32 msr)
{
	char path[64];
	__u64 value;
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open_or_die(path, O_RDONLY);
	if (pread(fd, &value, sizeof(value), msr) != sizeof(value))
		die(path);
	close(fd);
	return value;
}

/* True if the registers of a CPU are clear: only the first kernel has used the PMU. */
static bool registers_are_clear(int cpu)
{
	bool intel = pc_cpu_has("arch_perfmon");
	__u64 left = 0;

	for (int i = 0; i < SELECTS; i++)
		left |= msr_of_cpu(cpu, intel ? MSR_INTEL_SELECT + i : MSR_AMD_SELECT + i);
	if (intel)
		left |= msr_of_cpu(cpu, MSR_INTEL_FIXED_CTRL);
	return !left;
}

static void print_result(bool good, const char *what)
{
	static int nr;

	printf("%sok %d %s\n", good ? "" : "not ", ++nr, what);
}

static void second_kernel(const char *results)
{
	int numbers[MAX_CPUS], n = pc_cpus(numbers, MAX_CPUS), nr = ARRAY_SIZE(first_results);
	bool clear = true;

	printf("TAP version 13\n1..%d\n", nr + 2);
	for (int i = 0; i < nr; i++)
		print_result(*results && *results++ == '1', first_results[i]);
	for (int i = 0; i < n; i++)
		clear &= registers_are_clear(numbers[i]);
	print_result(clear, "the next kernel finds the PMU stopped");
	start_tasks();
	order_all(ORDER_COUNT);
	print_result(on_all_cpus(loop_is_exact), "its tasks count exactly");
}

int main(int argc, char **argv)
{
	const char *results = strstr(command_line(), RESULTS);

	if (argc != 4) {
		fprintf(stderr, "usage: power KERNEL INITRD SECONDS (see the source first)\n");
		return KSFT_FAIL;
	}
	setlinebuf(stdout);
	if (results) {
		second_kernel(results + strlen(RESULTS));
		return KSFT_PASS;
	}
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	first_kernel(argv);
}
