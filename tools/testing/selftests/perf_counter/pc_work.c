// SPDX-License-Identifier: GPL-2.0
/*
 * Page faults, CPU time, and tasks that carry out orders.
 */
#include "pc_work.h"

char *pc_fresh(int pages)
{
	char *map = mmap(NULL, pages * pc_page(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	madvise(map, pages * pc_page(), MADV_NOHUGEPAGE);
	return map;
}

void pc_faults(int pages)
{
	char *map;

	if (!pages)
		return;
	map = pc_fresh(pages);
	if (!map)
		abort();
	PC_FAULTS(pc_touch, map, pages);
	munmap(map, pages * pc_page());
}

char *pc_count_faults(int fd, int pages)
{
	char *map = pc_fresh(pages);

	pc_enable(fd);
	PC_FAULTS(pc_touch, map, pages);
	pc_disable(fd);
	munmap(map, pages * pc_page());
	return map;
}

int pc_cpus(int *cpus, int max)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[n++] = cpu;
	return n;
}

int pc_pin_task(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set);
}

int pc_pin(int cpu)
{
	return pc_pin_task(0, cpu);
}

int pc_cpu_online(int cpu, int on)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return pc_write_text(path, on ? "1" : "0") ? -1 : 0;
}

void *pc_plug_for_ever(void *arg)
{
	int *args = arg;

	while (!__atomic_load_n(&args[1], __ATOMIC_RELAXED))
		if (pc_cpu_online(args[0], 0) || pc_cpu_online(args[0], 1))
			return "a CPU did not go or come";
	return NULL;
}

__u64 pc_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void pc_burn(__u64 ns)
{
	__u64 end = pc_clock(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (pc_clock(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

char pc_await(struct pc_task *t)
{
	char order;

	return read(t->child_end, &order, 1) == 1 ? order : 0;
}

void pc_done(struct pc_task *t)
{
	if (write(t->child_end, "", 1) != 1)
		_exit(1);
}

int pc_order(struct pc_task *t, char order)
{
	return send(t->parent_end, &order, 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int pc_reply(struct pc_task *t)
{
	char c;

	return read(t->parent_end, &c, 1) == 1 ? 0 : -1;
}

int pc_tell(struct pc_task *t, char order)
{
	return pc_order(t, order) ? -1 : pc_reply(t);
}

int pc_task_pipes(struct pc_task *t)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return -1;
	t->parent_end = ends[0];
	t->child_end = ends[1];
	return 0;
}

int pc_spawn(struct pc_task *t, void (*fn)(struct pc_task *t), long arg)
{
	t->fn = fn;
	t->arg = arg;
	if (pc_task_pipes(t))
		return -1;
	t->pid = fork();
	if (t->pid < 0)
		return -1;
	if (!t->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(t->parent_end);
		t->pid = getpid();
		fn(t);
		_exit(0);
	}
	close(t->child_end);
	return 0;
}

void *pc_thread_main(void *arg)
{
	struct pc_task *t = arg;

	t->pid = syscall(SYS_gettid);
	pc_done(t);
	t->fn(t);
	return NULL;
}

int pc_thread(struct pc_task *t, void (*fn)(struct pc_task *t), long arg)
{
	t->fn = fn;
	t->arg = arg;
	if (pc_task_pipes(t) || pthread_create(&t->thread, NULL, pc_thread_main, t))
		return -1;
	return pc_reply(t);
}

int pc_reap(struct pc_task *t)
{
	int status;

	shutdown(t->parent_end, SHUT_RDWR);
	close(t->parent_end);
	return waitpid(t->pid, &status, 0) == t->pid ? status : -1;
}

int pc_join(struct pc_task *t)
{
	shutdown(t->parent_end, SHUT_RDWR);
	if (pthread_join(t->thread, NULL))
		return -1;
	close(t->parent_end);
	close(t->child_end);
	return 0;
}

void pc_obey(struct pc_task *t, char order)
{
	switch (order) {
	case PC_WARM:
		pc_faults(1);
		pc_burn(1000);
		break;
	case PC_WORK:
		pc_faults(t->arg);
		break;
	case PC_BURN:
		pc_burn(t->arg * 1000);
		break;
	}
}

void pc_worker(struct pc_task *t)
{
	char order;

	while ((order = pc_await(t))) {
		pc_obey(t, order);
		pc_done(t);
	}
}

int pc_warm(struct pc_task *t)
{
	return pc_tell(t, PC_WARM) ? -1 : pc_tell(t, PC_WARM);
}

int pc_spawn_warm(struct pc_task *t, void (*fn)(struct pc_task *t), long arg)
{
	return pc_spawn(t, fn, arg) ? -1 : pc_warm(t);
}

void pc_echo(struct pc_task *t)
{
	pc_pin(t->arg);
	while (pc_await(t))
		pc_done(t);
}

void pc_switch(struct pc_task *t, int n)
{
	for (int i = 0; i < n; i++)
		pc_tell(t, 'e');
}

int pc_spawn_on(struct pc_task *t, int cpu, void (*fn)(struct pc_task *t), long arg)
{
	if (pc_spawn(t, fn, arg) || pc_pin_task(t->pid, cpu))
		return -1;
	return pc_warm(t);
}

int pc_work_times(struct pc_task *t, int n)
{
	while (n--)
		if (pc_tell(t, PC_WORK))
			return -1;
	return 0;
}

int pc_work_all(struct pc_task *t, int n)
{
	int bad = 0;

	for (int i = 0; i < n; i++)
		bad |= pc_order(&t[i], PC_WORK);
	for (int i = 0; i < n; i++)
		bad |= pc_reply(&t[i]);
	return bad;
}

int pc_thread_warm(struct pc_task *t, void (*fn)(struct pc_task *t), long arg)
{
	return pc_thread(t, fn, arg) ? -1 : pc_warm(t);
}

void pc_exec(struct pc_task *t)
{
	char fd[16], arg[16];

	snprintf(fd, sizeof(fd), "%d", t->child_end);
	snprintf(arg, sizeof(arg), "%ld", t->arg);
	execl("/proc/self/exe", "worker", "--worker", fd, arg, NULL);
	_exit(1);
}

void pc_exec_entry(int argc, char **argv)
{
	struct pc_task t = {};

	if (argc != 4 || strcmp(argv[1], "--worker"))
		return;
	t.pid = getpid();
	t.child_end = atoi(argv[2]);
	t.arg = atol(argv[3]);
	pc_done(&t);
	pc_worker(&t);
	_exit(0);
}

void pc_exec_worker(struct pc_task *t)
{
	if (pc_await(t))
		pc_exec(t);
}

/* The state of a task in /proc; 0 if there is no such task. */
static char state_of(pid_t pid)
{
	char path[64], text[512], *end;
	int fd, n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	/* The state is after the name, which may have any characters. */
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

bool pc_wait_for_state(pid_t pid, char state)
{
	char now;

	while ((now = state_of(pid)) != state) {
		if (!now || now == 'Z')
			return false;
		sched_yield();
	}
	return true;
}

bool pc_wait_for_sleep(pid_t pid)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_OFF_CPU);
	int fd;

	if (!pc_wait_for_state(pid, 'S'))
		return false;
	fd = pc_open(&attr, pid, -1, -1);
	if (fd < 0 || pc_enable(fd))
		return false;
	while (!pc_value(fd))
		;
	return !close(fd);
}
