// SPDX-License-Identifier: GPL-2.0
/*
 * Works of counted tasks: one for each event, and for each side-band record. Each ends
 * soon, and changes nothing permanently.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define PAGE	4096UL

static void touch_pages(void *area)
{
	for (char *p = area; p < (char *)area + 16 * PAGE; p += PAGE)
		store(p, 1);
}

static void map_area(int prot, u64 amount)
{
	char *area = mmap(NULL, 16 * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return;
	if (prot & PROT_WRITE)
		touch_memory(touch_pages, area);
	mprotect(area + PAGE, PAGE * (1 + amount % 4), PROT_READ | PROT_EXEC);
	mprotect(area + PAGE, PAGE, PROT_NONE);
	munmap(area, 16 * PAGE);
}

static void map_file_to_execute(u64 amount)
{
	int fd = open(self_path, O_RDONLY | O_CLOEXEC);
	char *area;

	if (fd < 0)
		return;
	area = mmap(NULL, 4 * PAGE, amount & 1 ? PROT_READ : PROT_READ | PROT_EXEC, MAP_PRIVATE,
		    fd, 0);
	close(fd);
	if (area == MAP_FAILED)
		return;
	mremap(area, 4 * PAGE, 2 * PAGE, 0);
	mprotect(area, PAGE, PROT_READ | PROT_EXEC);
	munmap(area, 2 * PAGE);
}

static void map_memfd(u64 amount)
{
	static const char *const names[] = { "", "a", "with a new\nline", "\"quoted\"" };
	int fd = memfd_create(names[amount % ARRAY_SIZE(names)], MFD_CLOEXEC);
	char *area, *moved;

	if (fd < 0 || ftruncate(fd, 4 * PAGE))
		return;
	area = mmap(NULL, 4 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	close(fd);
	if (area == MAP_FAILED)
		return;
	moved = mremap(area, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
	if (moved != MAP_FAILED)
		munmap(moved, 8 * PAGE);
	else
		munmap(area, 4 * PAGE);
}

static void attach_shared_memory(void)
{
	int id = shmget(IPC_PRIVATE, 2 * PAGE, IPC_CREAT | 0600);
	void *area;

	if (id < 0)
		return;
	area = shmat(id, NULL, SHM_EXEC);
	shmctl(id, IPC_RMID, NULL);
	if (area != (void *)-1)
		shmdt(area);
}

static void load_program(void)
{
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = ARRAY_SIZE(code);
	attr.license = (uintptr_t)"GPL";
	fd = syscall(__NR_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd >= 0)
		close(fd);
}

static void make_cgroup(u64 amount)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/fs/cgroup/fuzz-%d", (int)getpid());
	if (mkdir(path, 0755))
		return;
	if (amount & 1) {
		int fd = open("/sys/fs/cgroup/cgroup.procs", O_WRONLY | O_CLOEXEC);
		char in[80];
		int in_fd;

		snprintf(in, sizeof(in), "%s/cgroup.procs", path);
		in_fd = open(in, O_WRONLY | O_CLOEXEC);
		if (in_fd >= 0 && fd >= 0 && write(in_fd, "0", 1) == 1) {
			map_area(PROT_READ | PROT_WRITE, amount);
			(void)!write(fd, "0", 1);
		}
		close(in_fd);
		close(fd);
	}
	rmdir(path);
}

/* Make system calls whose arguments point to memory, valid or not. */
static void make_calls_with_arguments(u64 amount)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/nowhere" };
	struct iovec parts[2] = { { "abc", 3 }, { (void *)(amount & 1 ? 8UL : 0UL), amount % 64 } };
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat st;

	close(open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
	syscall(__NR_openat, AT_FDCWD, amount & 2 ? (char *)8 : "/no/such\nfile", O_RDONLY);
	stat("/proc/self/exe", &st);
	(void)!readlink("/proc/self/exe", (char *)&st, sizeof(st));
	(void)!write(fd, self_path, amount % 32);
	(void)!writev(fd, parts, 2);
	(void)!syscall(__NR_write, fd, -PAGE, amount);
	connect(s, (struct sockaddr *)&address, amount % (sizeof(address) + 8));
	close(s);
	close(fd);
}

static u64 go_deep(u64 depth)
{
	u64 here = depth;

	/* Keep the compiler from turning the recursion into a loop. */
	asm volatile("" : "+m" (here));
	if (depth)
		here += go_deep(depth - 1) ^ here;
	return here;
}

/* Execute this program for a work; returns when that fails. */
void execute_work(unsigned int kind, unsigned int amount)
{
	char first[12], second[12];

	snprintf(first, sizeof(first), "%u", kind);
	snprintf(second, sizeof(second), "%u", amount);
	execle(self_path, "fuzz", WORK_ARG, first, second, NULL, (char *[]){ NULL });
}

static void execute(u64 amount, bool vfork_first)
{
	pid_t pid;
	int status;

	pid = vfork_first ? vfork() : fork();
	if (!pid) {
		cover_start_child();
		execute_work(amount % 16, 3);
		_exit(1);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

static void fork_and_work(u64 amount)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		cover_start_child();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* Choose among the first 16 kinds of work: none of them forks. */
		work(amount % 16, amount / 16 % 8);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

static void *thread_body(void *data)
{
	u64 amount = (uintptr_t)data;

	cover_start_child();
	work(amount % 16, amount / 16 % 8);
	return NULL;
}

static void run_thread(u64 amount)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, thread_body, (void *)(uintptr_t)amount))
		pthread_join(thread, NULL);
}

static void unshare_in_child(u64 amount)
{
	static const int kinds[] = {
		CLONE_NEWUTS, CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWIPC,
		CLONE_NEWCGROUP, CLONE_FS | CLONE_FILES,
	};
	pid_t pid = fork();
	int status;

	if (!pid) {
		cover_start_child();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		unshare(kinds[amount % ARRAY_SIZE(kinds)]);
		fork_and_work(amount / 8);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

static void migrate(u64 amount)
{
	cpu_set_t before, one;

	if (sched_getaffinity(0, sizeof(before), &before))
		return;
	for (u64 i = 0; i < 1 + amount % 4; i++) {
		CPU_ZERO(&one);
		CPU_SET((amount + i) % 4, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	sched_setaffinity(0, sizeof(before), &before);
}

/*
 * Enter by the i386 entry, with a number that is getpid there; a kernel without this entry
 * sends a signal.
 */
static void call_by_i386(void *unused)
{
	long result = 20;

	(void)unused;
	asm volatile("int $0x80" : "+a" (result) : : "memory", "r8", "r9", "r10", "r11");
}

static void read_counter(void *data)
{
	unsigned int low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (*(unsigned int *)data));
}

/* A place for uprobes. */
void probed_function(void)
{
	asm volatile("nop; nop; nop; nop");
}

static void sleep_for(u64 us)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000 * us }, NULL);
}

static void signal_itself(u64 amount)
{
	kill(getpid(), SIGUSR1);
	sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = amount });
}

bool work_is_slow(u64 kind)
{
	return kind % WORKS >= 18 && kind % WORKS <= 24;
}

void work(u64 kind, u64 amount)
{
	static const char *const names[] = { "fuzz", "a", "fifteen_letters", "tab\t", "" };
	unsigned int index = amount & 3 ? amount : 1U << 30 | (amount >> 2 & 3);

	switch (kind % WORKS) {
	case 0 ... 1:
		map_area(PROT_READ | PROT_WRITE, amount);
		break;
	case 2:
		for (u64 i = 0; i < 1 + amount % 32; i++)
			syscall(__NR_getppid);
		break;
	case 3:
		sched_yield();
		break;
	case 4:
		sleep_for(amount % 1000);
		break;
	case 5:
		map_area(PROT_READ | PROT_EXEC, amount);
		break;
	case 6:
		prctl(PR_SET_NAME, names[amount % ARRAY_SIZE(names)]);
		break;
	case 7:
		signal_itself(amount);
		break;
	case 8:
		make_calls_with_arguments(amount);
		break;
	case 9:
		for (u64 i = 0; i < 1 + amount % 100; i++)
			probed_function();
		break;
	case 10:
		map_file_to_execute(amount);
		break;
	case 11:
		map_memfd(amount);
		break;
	case 12:
		attach_shared_memory();
		break;
	case 13:
		go_deep(amount % 300);
		break;
	case 14:
		migrate(amount);
		break;
	case 15:
		touch_memory(read_counter, &index);
		break;
	case 16:
		load_program();
		break;
	case 17:
		make_cgroup(amount);
		break;
	case 18 ... 19:
		execute(amount, kind & 1);
		break;
	case 20 ... 21:
		fork_and_work(amount);
		break;
	case 22 ... 23:
		run_thread(amount);
		break;
	case 24:
		unshare_in_child(amount);
		break;
	case 25:
		touch_memory(call_by_i386, NULL);
		break;
	default:
		for (u64 i = 0; i < 100 * (amount % 1000); i++)
			asm volatile("");
	}
}

/* main() of "fuzz --work KIND AMOUNT", which works execute. */
int work_main(int argc, char **argv)
{
	catch_signals();
	if (argc == 4)
		work(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
	return 0;
}
