// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's first process: makes the host's files visible, runs one command, passes its
 * output and its exit status to the host, and stops the machine.
 *
 * The root that the command sees is the host's root, read-only over 9p, under a tmpfs that
 * takes all writes. scripts/boot describes the job in a small directory of its own, the 9p
 * tag "job":
 *
 *   argv  env    NUL-terminated strings
 *   cwd          the working directory
 *   out          mount point of the tag "out": the directory whose files stay on the host
 *   tty          the terminal of an interactive shell; absent for other commands
 *   clone        mount point of the tag "clone", if it exists: the repository, which the root
 *                of another architecture does not contain
 *   status       written at the end: the exit status, as a shell counts it
 *
 * Only the kernel's log goes to the serial console. The command's stdout and stderr are pipes,
 * and this process copies them to the virtio ports 1 and 2. The terminal of an interactive
 * command is the virtio console.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define V9FS_OPTIONS	"trans=virtio,version=9p2000.L,msize=512000,"
#define NEWROOT		"/newroot"
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

/* kmemleak does not report an object that is younger than this, in seconds. */
#define KMEMLEAK_MIN_AGE	5

static int job = -1;

static void finish(void)
{
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

/* End without a status file, which shows scripts/boot that the guest itself failed. */
static void die(const char *what)
{
	fprintf(stderr, "guest init: %s: %s\n", what, strerror(errno));
	finish();
}

static void mount_at(const char *source, const char *dir, const char *type,
		     unsigned long flags, const char *options)
{
	mkdir(dir, 0755);
	if (mount(source, dir, type, flags, options))
		die(dir);
}

/* Mount a file system that the kernel may not be configured with. */
static void mount_if_known(const char *dir, const char *type)
{
	if (mount(type, dir, type, 0, NULL) && errno != ENODEV && errno != ENOENT)
		die(dir);
}

static char *read_job(const char *name, size_t *size)
{
	int fd = openat(job, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text;

	if (fd < 0 || fstat(fd, &st))
		die(name);
	text = calloc(1, st.st_size + 1);
	if (!text || read(fd, text, st.st_size) != st.st_size)
		die(name);
	close(fd);
	if (size)
		*size = st.st_size;
	return text;
}

/* Read a file of NUL-terminated strings into an array for execve(). */
static char **read_strings(const char *name)
{
	size_t size, n = 0;
	char *text = read_job(name, &size);
	char **strings = calloc(size + 1, sizeof(*strings));

	if (!strings)
		die(name);
	for (char *s = text; s < text + size; s += strlen(s) + 1)
		strings[n++] = s;
	return strings;
}

static bool has_job(const char *name)
{
	return !faccessat(job, name, F_OK, 0);
}

static void make_directories(const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		die(path);
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(copy, 0755);
		*slash = '/';
	}
	mkdir(copy, 0755);
	free(copy);
}

/* Mount the repository like the root: read-only, under a tmpfs. */
static void mount_clone(void)
{
	char *where = read_job("clone", NULL);
	char path[4096];

	mount_at("clone", "/clone", "9p", MS_RDONLY, V9FS_OPTIONS "cache=loose");
	mkdir("/cow/clone", 0755);
	mkdir("/cow/clone-work", 0755);
	snprintf(path, sizeof(path), "%s%s", NEWROOT, where);
	make_directories(path);
	mount_at("clone", path, "overlay", 0,
		 "lowerdir=/clone,upperdir=/cow/clone,workdir=/cow/clone-work");
}

/* Create the names of descriptors that shells use, such as /dev/stdin. */
static void link_descriptors(void)
{
	static const char *const links[][2] = {
		{ "/proc/self/fd", "/dev/fd" },
		{ "/proc/self/fd/0", "/dev/stdin" },
		{ "/proc/self/fd/1", "/dev/stdout" },
		{ "/proc/self/fd/2", "/dev/stderr" },
	};

	for (int i = 0; i < 4; i++) {
		if (symlink(links[i][0], links[i][1]))
			die(links[i][1]);
	}
}

static void mount_root(void)
{
	mount_at("host", "/host", "9p", MS_RDONLY, V9FS_OPTIONS "cache=loose");
	mount_at("cow", "/cow", "tmpfs", 0, NULL);
	mkdir("/cow/upper", 0755);
	mkdir("/cow/work", 0755);
	mount_at("root", NEWROOT, "overlay", 0,
		 "lowerdir=/host,upperdir=/cow/upper,workdir=/cow/work");
	if (has_job("clone"))
		mount_clone();
	mount_at("proc", NEWROOT "/proc", "proc", 0, NULL);
	mount_at("sys", NEWROOT "/sys", "sysfs", 0, NULL);
	if (mount("/dev", NEWROOT "/dev", NULL, MS_MOVE, NULL))
		die("/dev");
	if (chdir(NEWROOT) || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		die("the new root");

	link_descriptors();
	mount_at("devpts", "/dev/pts", "devpts", 0, "ptmxmode=0666");
	mount_at("shm", "/dev/shm", "tmpfs", 0, NULL);
	mount_at("run", "/run", "tmpfs", 0, NULL);
	mount_if_known("/sys/kernel/debug", "debugfs");
	mount_if_known("/sys/kernel/tracing", "tracefs");
	mount_if_known("/sys/fs/cgroup", "cgroup2");
}

/*
 * Switch off the limit of the CPU time of samples. In emulation a sample takes many times
 * as long as on a machine, and the kernel would lower the rate. Tests of the limit set it
 * again.
 */
static void lift_budget(void)
{
	static const char path[] = "/proc/sys/kernel/perf_counter_cpu_time_max_percent";
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	/* Kernels without perf_counter do not have the file. */
	if (fd < 0 && errno == ENOENT)
		return;
	if (fd < 0 || write(fd, "0\n", 2) != 2)
		die(path);
	close(fd);
}

static int open_first(const char *pattern, int flags)
{
	glob_t found;
	int fd = -1;

	if (!glob(pattern, 0, NULL, &found)) {
		/*
		 * The driver creates the node of a port a moment before the port can be
		 * opened.
		 */
		do
			fd = open(found.gl_pathv[0], flags | O_CLOEXEC);
		while (fd < 0 && errno == ENXIO && !sched_yield());
		if (fd < 0)
			die(pattern);
		globfree(&found);
	}
	return fd;
}

/*
 * Wait for a port and open it. Ports appear when the driver has talked to the device. Their
 * names contain the number of the virtio device, which QEMU assigns.
 */
static int open_when_there(const char *pattern, int flags)
{
	int watch = inotify_init1(IN_CLOEXEC);
	char events[4096];
	int fd;

	if (watch < 0 || inotify_add_watch(watch, "/dev", IN_CREATE | IN_ATTRIB) < 0)
		die("inotify");
	while ((fd = open_first(pattern, flags)) < 0) {
		if (read(watch, events, sizeof(events)) <= 0)
			die(pattern);
	}
	close(watch);
	return fd;
}

static void run_command(const int fds[3], int tty)
{
	char **argv = read_strings("argv");
	char **env = read_strings("env");
	char *cwd = read_job("cwd", NULL);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (tty)
		ioctl(fds[0], TIOCSCTTY, 0);
	for (int i = 0; i < 3; i++)
		dup2(fds[i], i);
	if (chdir(cwd))
		fprintf(stderr, "guest: %s: %s\n", cwd, strerror(errno));
	environ = env;
	execvp(argv[0], argv);
	fprintf(stderr, "guest: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Copy the contents of the pipe to the port. Returns 0 at the end of the pipe. */
static int pump(int from, int to)
{
	char buf[65536];
	ssize_t n = read(from, buf, sizeof(buf));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	for (ssize_t done = 0; done < n; ) {
		ssize_t w = write(to, buf + done, n - done);

		if (w < 0 && errno != EINTR)
			die("an output port");
		if (w > 0)
			done += w;
	}
	return n > 0;
}

/* Reap dead processes; returns 1 when the command itself has ended. */
static int reap(pid_t command, int *status)
{
	int s, ended = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &s, WNOHANG)) > 0) {
		if (pid == command) {
			*status = s;
			ended = 1;
		}
	}
	return ended;
}

static int wait_for_command(pid_t command, int child_fd, struct pollfd out[2], const int port[2])
{
	struct signalfd_siginfo info;
	int status = 0, ended = 0;

	while (!ended) {
		struct pollfd fds[3] = { out[0], out[1], { child_fd, POLLIN, 0 } };

		if (poll(fds, 3, -1) < 0)
			continue;
		for (int i = 0; i < 2; i++) {
			if (fds[i].revents && !pump(fds[i].fd, port[i]))
				out[i].fd = -1;
		}
		if (fds[2].revents && read(child_fd, &info, sizeof(info)) > 0)
			ended = reap(command, &status);
	}

	/* Kill the remaining processes of the command, and flush their output. */
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	for (int i = 0; i < 2; i++) {
		while (out[i].fd >= 0 && pump(out[i].fd, port[i]) && poll(&out[i], 1, 0) > 0)
			;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_on_ports(int child_fd)
{
	int port[2], in, pipes[2][2];
	struct pollfd out[2];
	pid_t pid;

	port[0] = open_when_there("/dev/vport*p1", O_WRONLY);
	port[1] = open_when_there("/dev/vport*p2", O_WRONLY);
	in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (in < 0 || pipe2(pipes[0], O_CLOEXEC) || pipe2(pipes[1], O_CLOEXEC))
		die("the command's pipes");

	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		run_command((int[]){ in, pipes[0][1], pipes[1][1] }, 0);
	for (int i = 0; i < 2; i++) {
		close(pipes[i][1]);
		fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
		out[i] = (struct pollfd){ pipes[i][0], POLLIN, 0 };
	}
	return wait_for_command(pid, child_fd, out, port);
}

static int run_on_terminal(int child_fd)
{
	int tty = open_when_there(read_job("tty", NULL), O_RDWR | O_NOCTTY);
	struct pollfd out[2] = { { -1, 0, 0 }, { -1, 0, 0 } };
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		run_command((int[]){ tty, tty, tty }, 1);
	return wait_for_command(pid, child_fd, out, (int[]){ -1, -1 });
}

/*
 * Make kmemleak, where the kernel has it, look for memory that the command leaked; it
 * reports to the kernel's log. The second scan confirms the first, which can miss a pointer
 * that moves during the scan.
 */
static void look_for_leaks(void)
{
	int fd = open(KMEMLEAK, O_RDWR | O_CLOEXEC);
	char buf[4096];
	ssize_t n;

	if (fd < 0)
		return;
	sleep(KMEMLEAK_MIN_AGE + 1);
	for (int i = 0; i < 2; i++) {
		if (write(fd, "scan", 4) != 4)
			die("kmemleak");
	}
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, n, stderr);
	close(fd);
}

static void report(int status)
{
	int fd = openat(job, "status", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || dprintf(fd, "%d\n", status) < 0 || close(fd))
		die("status");
}

int main(void)
{
	sigset_t children;
	int child_fd, status;
	char *out;

	/* SIGCHLD becomes a descriptor before the command can have children. */
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_BLOCK, &children, NULL);
	child_fd = signalfd(-1, &children, SFD_CLOEXEC);
	if (child_fd < 0)
		die("signalfd");

	if (mount("dev", "/dev", "devtmpfs", 0, NULL) && errno != EBUSY)
		die("/dev");
	mkdir("/job", 0755);
	mount_at("job", "/job", "9p", 0, V9FS_OPTIONS "cache=none");
	job = open("/job", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (job < 0)
		die("job");
	mount_root();
	lift_budget();
	out = read_job("out", NULL);
	mount_at("out", out, "9p", 0, V9FS_OPTIONS "cache=mmap");
	sethostname("guest", 5);

	if (has_job("tty"))
		status = run_on_terminal(child_fd);
	else
		status = run_on_ports(child_fd);
	look_for_leaks();
	report(status);
	finish();
}
