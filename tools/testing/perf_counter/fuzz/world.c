// SPDX-License-Identifier: GPL-2.0
/*
 * The world of programs: the descriptors, mappings and children of a worker, and parts of
 * the machine that all workers share: CPUs, sysctls, probes.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

#define TRACEFS		"/sys/kernel/tracing/"
#define FAILURES	"/sys/kernel/debug/"

struct world world;

/* Tracepoints; programs name them by their place in this list. */
static const char *const tracepoints[] = {
	"sched/sched_switch", "sched/sched_wakeup", "sched/sched_process_fork",
	"sched/sched_process_exec", "sched/sched_process_exit", "sched/sched_migrate_task",
	"sched/sched_stat_runtime", "sched/sched_stat_sleep", "raw_syscalls/sys_enter",
	"raw_syscalls/sys_exit", "syscalls/sys_enter_openat", "syscalls/sys_enter_write",
	"syscalls/sys_enter_writev", "syscalls/sys_enter_connect", "syscalls/sys_exit_openat",
	"syscalls/sys_enter_execve", "syscalls/sys_enter_getppid", "kmem/kmalloc",
	"kmem/mm_page_alloc", "exceptions/page_fault_user", "irq/softirq_entry",
	"timer/hrtimer_start", "signal/signal_generate", "task/task_newtask", "task/task_rename",
	"irq_vectors/local_timer_entry", "irq_vectors/irq_work_entry",
	"workqueue/workqueue_queue_work", "cgroup/cgroup_mkdir", "ftrace/print", "ftrace/function",
	"sched/sched_waking",
};

static u64 tracepoint_ids[ARRAY_SIZE(tracepoints)];
static u64 kprobe_type, uprobe_type;
/* The file with uprobes, and the offset of probed_function() in it. */
static char probed_file[4096];
static u64 probed_offset;

static u64 read_number(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned long long n = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%llu", &n) != 1)
		n = 0;
	fclose(f);
	return n;
}

bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written;

	if (fd < 0)
		return false;
	written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return written;
}

/* Find the offset of probed_function() in the file of this program. */
static void find_probed_function(void)
{
	unsigned long long start, end, offset, address = (uintptr_t)probed_function;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			probed_offset = address - start + offset;
	if (maps)
		fclose(maps);
	snprintf(probed_file, sizeof(probed_file), "%s", self_path);
}

/*
 * Let allocations by kmalloc() and of pages fail without a line in the log. Allocations of
 * the checkers, from caches of their own, do not fail, because kmemleak would report it.
 */
static void prepare_failures(void)
{
	glob_t found;

	write_file(FAILURES "failslab/ignore-gfp-wait", "N");
	write_file(FAILURES "failslab/verbose", "0");
	write_file(FAILURES "failslab/cache-filter", "Y");
	write_file(FAILURES "fail_page_alloc/ignore-gfp-wait", "N");
	write_file(FAILURES "fail_page_alloc/min-order", "0");
	write_file(FAILURES "fail_page_alloc/verbose", "0");
	if (glob("/sys/kernel/slab/kmalloc-*/failslab", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		write_file(found.gl_pathv[i], "1");
	globfree(&found);
}

/*
 * Prepare the world once, before there are workers. Features that the kernel does not have
 * are left out.
 */
void world_prepare(void)
{
	char path[256];

	for (unsigned int i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		snprintf(path, sizeof(path), TRACEFS "events/%s/id", tracepoints[i]);
		tracepoint_ids[i] = read_number(path);
	}
	kprobe_type = read_number("/sys/bus/event_source/devices/kprobe/type");
	uprobe_type = read_number("/sys/bus/event_source/devices/uprobe/type");
	find_probed_function();
	for (int i = 0; i < SLOTS; i++)
		world.fd[i] = -1;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, world.mailbox))
		world.mailbox[0] = -1;
	prepare_failures();
	/* The guest's init has switched off the limit of the time that samples take. */
	write_file("/proc/sys/kernel/perf_counter_cpu_time_max_percent", "25");
	/*
	 * After an oops the rest of the machine continues, and the programs are reported.
	 */
	write_file("/proc/sys/kernel/panic_on_oops", "0");
}

void world_enter(void)
{
	world.fail_nth = open("/proc/thread-self/fail-nth", O_WRONLY | O_CLOEXEC);
	world.fail_next = 0;
}

void world_set_helper(pid_t tid)
{
	world.helper = tid;
}

static void end_children(void)
{
	int status;

	for (int i = 0; i < CHILDREN; i++)
		if (world.child[i] > 0)
			kill(world.child[i], SIGKILL);
	for (int i = 0; i < CHILDREN; i++) {
		/* A traced child reports stops first. */
		while (world.child[i] > 0 &&
		       (waitpid(world.child[i], &status, __WALL) < 0 ? errno == EINTR :
			!WIFEXITED(status) && !WIFSIGNALED(status)))
			;
		world.child[i] = 0;
	}
}

/* Remove everything that the program has left. */
void world_leave(void)
{
	cpu_set_t all;

	end_children();
	for (int i = 0; i < SLOTS; i++)
		slot_set(i, -1);
	for (int i = 0; i < MAPS; i++) {
		munmap(map_address(i), MAP_ROOM);
		world.mapped[i] = 0;
	}
	CPU_ZERO(&all);
	for (int i = 0; i < 64; i++)
		CPU_SET(i, &all);
	sched_setaffinity(0, sizeof(all), &all);
	prctl(PR_SET_NAME, "fuzz");
}

pid_t task_id(u64 name)
{
	switch (name) {
	case TASK_SELF:
		return 0;
	case TASK_MACHINE:
		return -1;
	case TASK_HELPER:
		return world.helper;
	case TASK_PARENT:
		return getppid();
	case TASK_INIT:
		return 1;
	case TASK_OTHER_WORKER:
		return shared->pids[(worker_nr + 1) % nr_workers];
	case TASK_CHILD0 ... TASK_NAMES - 1:
		return world.child[name - TASK_CHILD0];
	default:
		return name;
	}
}

int slot_fd(u64 slot)
{
	return slot < SLOTS ? world.fd[slot] : -1;
}

void slot_set(u64 slot, int fd)
{
	int before = __atomic_exchange_n(&world.fd[slot % SLOTS], fd, __ATOMIC_SEQ_CST);

	if (before >= 0)
		close(before);
}

static const char *const symbols[] = {
	"__x64_sys_getppid", "vfs_read", "do_sys_openat2", "handle_mm_fault", "no_such_function",
	"perf_counter_poll",
};

static u64 probe_id(unsigned int probe)
{
	char path[64];

	snprintf(path, sizeof(path), TRACEFS "events/fuzz/p%u/id", probe % PROBES);
	return read_number(path);
}

/*
 * Avoid short periods in the kernel: an emulated CPU takes longer for an NMI than for
 * thousands of instructions, and would have no time for anything else.
 */
static void spare_cpu(struct perf_counter_attr *attr)
{
	bool by_hardware = attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_RAW ||
			   attr->type == PERF_TYPE_HW_CACHE;

	if (by_hardware && !attr->freq)
		attr->sample_period = spared_period(attr->sample_period);
}

void attr_resolve(const u64 *words, struct perf_counter_attr *attr)
{
	memcpy(attr, words, sizeof(*attr));
	spare_cpu(attr);
	switch (attr->type) {
	case PERF_TYPE_TRACEPOINT:
		if (attr->config & CONFIG_NAMED)
			attr->config = tracepoint_ids[attr->config % ARRAY_SIZE(tracepoints)];
		else if (attr->config & CONFIG_PROBE)
			attr->config = probe_id(attr->config & 0xff);
		break;
	case TYPE_KPROBE:
		attr->type = kprobe_type;
		if (attr->config1 <= ARRAY_SIZE(symbols))
			attr->config1 = (uintptr_t)symbols[attr->config1 % ARRAY_SIZE(symbols)];
		break;
	case TYPE_UPROBE:
		attr->type = uprobe_type;
		attr->config1 = (uintptr_t)(attr->config1 % 4 ? probed_file : "/no/such/file");
		/* A probe inside an instruction would change the code of the fuzzer. */
		if (attr->config2 < 1ULL << 32)
			attr->config2 = probed_offset;
	}
}

/* Define or remove a probe of tracefs; arguments: slot, on or off, variant. */
void change_probe(const u64 *arg)
{
	static const char *const arguments[] = {
		"", " $comm", " $stack0:u64 %ip", " +0(%sp):x32 $comm",
	};
	unsigned int probe = arg[0] % PROBES, variant = arg[2] % 16;
	char kind = variant & 1 ? 'r' : 'p';
	const char *file = probe < KPROBES ? TRACEFS "kprobe_events" : TRACEFS "uprobe_events";
	char text[4400];
	int fd;

	if (!(arg[1] & 1))
		snprintf(text, sizeof(text), "-:fuzz/p%u\n", probe);
	else if (probe < KPROBES)
		snprintf(text, sizeof(text), "%c:fuzz/p%u %s%s\n", kind, probe,
			 symbols[probe], arguments[variant / 2 % 4]);
	else
		snprintf(text, sizeof(text), "%c:fuzz/p%u %s:0x%llx%s\n", kind, probe, probed_file,
			 (unsigned long long)probed_offset, arguments[variant / 2 % 4]);
	fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)!write(fd, text, strlen(text));
	close(fd);
}

bool slow_for_now(_Atomic u64 *next, u64 calls)
{
	u64 before = *next;

	if (only_given)
		return true;
	return shared->calls >= before &&
	       atomic_compare_exchange_strong(next, &before, shared->calls + calls);
}

#define SYSCTL	"/proc/sys/kernel/"

static const struct {
	const char *path, *values[4];	/* the first is the default */
	bool slow;
} sysctls[] = {
	{ SYSCTL "perf_counter_paranoid", { "2", "-1", "1", "3" }, false },
	{ SYSCTL "perf_counter_compat", { "0", "1", "1", "1" }, false },
	{ SYSCTL "perf_counter_max_sample_rate", { "100000", "1", "5000", "20000" }, false },
	{ SYSCTL "perf_counter_max_per_context", { "4096", "1", "8", "0" }, false },
	{ SYSCTL "perf_counter_cpu_time_max_percent", { "25", "5", "1", "50" }, false },
	{ SYSCTL "perf_counter_mlock_kb", { "516", "0", "16", "100000" }, false },
	{ SYSCTL "perf_event_paranoid", { "2", "-1", "1", "3" }, false },
	{ SYSCTL "nmi_watchdog", { "0", "1", "0", "0" }, true },
	{ SYSCTL "sched_schedstats", { "0", "1", "0", "1" }, false },
	{ "/sys/bus/event_source/devices/cpu/rdpmc", { "1", "2", "0", "1" }, true },
};

/* Set a sysctl to one of four values; arguments: number, value. */
void change_sysctl(const u64 *arg)
{
	unsigned int which = arg[0] % ARRAY_SIZE(sysctls);

	if (sysctls[which].slow && !slow_for_now(&shared->next_slow, CALLS_PER_SLOW))
		return;
	write_file(sysctls[which].path, sysctls[which].values[arg[1] % 4]);
}

/* Switch a CPU on or off; the first CPU stays on. Arguments: CPU, on or off. */
void change_cpu(const u64 *arg)
{
	char path[64];

	if (!slow_for_now(&shared->next_hotplug, CALLS_PER_HOTPLUG))
		return;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online",
		 (unsigned int)(1 + arg[0] % 3));
	if (write_file(path, arg[1] & 1 ? "1" : "0"))
		shared->hotplugs++;
}

/* Control groups: the root, and three below it that may not exist. */
static const char *const cgroups[CGROUPS] = {
	"/sys/fs/cgroup", "/sys/fs/cgroup/fuzz", "/sys/fs/cgroup/fuzz/a", "/sys/fs/cgroup/fuzz/a/b",
};

int cgroup_open(u64 group)
{
	return open(cgroups[group % CGROUPS], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Create or remove a control group, or move a task there: arg[0] the group, arg[2] the task. */
void change_cgroup(const u64 *arg)
{
	const char *dir = cgroups[arg[0] % CGROUPS];
	char path[64], text[16];

	switch (arg[1] % 3) {
	case 0:
		mkdir(dir, 0755);
		break;
	case 1:
		rmdir(dir);
		break;
	case 2:
		snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
		snprintf(text, sizeof(text), "%d", task_id(arg[2]));
		write_file(path, text);
		break;
	}
}

/* Restore the state of the kernel from before the fuzzer. */
void world_restore(void)
{
	char path[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(sysctls); i++)
		write_file(sysctls[i].path, sysctls[i].values[0]);
	for (int i = 1; i < 64; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", i);
		write_file(path, "1");
	}
	for (u64 i = 0; i < PROBES; i++)
		change_probe((u64[]){ i, 0, 0 });
	for (u64 i = CGROUPS - 1; i; i--)
		rmdir(cgroups[i]);
}
