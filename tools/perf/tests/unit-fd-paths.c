// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of descriptors as perf trace finds them: in calls made by hand, and of this process in
 * /proc.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/trace.h"
#include "unit.h"

static struct calls calls;

static void ignore(void *context, uint32_t pid, uint32_t tid, const struct call *call)
{
	(void)context;
	(void)pid;
	(void)tid;
	(void)call;
}

/* Begin with no processes, as for a recording. */
static void reset(void)
{
	calls_free(&calls);
	calls = (struct calls){ .done = ignore, .paths = { .enabled = true, .has_closed = true } };
}

/* A system call of a test; @path is its path argument, or NULL. */
struct made_call {
	uint64_t values[3];
	const char *path;
};

static void begin(uint32_t pid, const char *name, const struct made_call *made)
{
	static struct syscall used[64];
	static size_t nr;
	struct syscall *syscall = &used[nr++ % ARRAY_SIZE(used)];
	struct call call = { .syscall = syscall, .begin = 1 };
	size_t at = strncmp(name, "openat", 6) ? 0 : 1;

	*syscall = (struct syscall){ .name = (char *)name, .fd_call = fd_call_find(name) };
	memcpy(call.values, made->values, sizeof(made->values));
	if (made->path)
		call.data[at] = (struct arg_data){ .bytes = made->path,
						   .size = strlen(made->path) };
	calls_begin(&calls, pid, pid, &call);
}

#define BEGIN(pid, name, ...) begin(pid, name, &(const struct made_call){ __VA_ARGS__ })

static void end(uint32_t pid, int64_t ret)
{
	calls_return(&calls, pid, pid, 0, ret, 2);
}

#define CALL(pid, name, result, ...) \
	do { \
		BEGIN(pid, name, __VA_ARGS__); \
		end(pid, result); \
	} while (0)

#define VALUES(...) .values = { __VA_ARGS__ }

static void open_file(uint32_t pid, const char *path, int flags, int fd)
{
	CALL(pid, "open", fd, VALUES(0, flags), .path = path);
}

static void close_file(uint32_t pid, int fd)
{
	CALL(pid, "close", 0, VALUES(fd));
}

/* Check the path of a descriptor as it is printed. */
static void check_path(uint32_t pid, int fd, const char *expected, const char *what)
{
	struct fd_path *path = fd_paths_find(&calls.paths, pid, pid, fd, true);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fd_path_print(path, out);
	fclose(out);
	check_string(text, expected, what);
	free(text);
	fd_path_put(path);
}

static void test_open(void)
{
	reset();
	calls.paths.has_closed = false;
	open_file(1, "/a", 0, 3);
	check_path(1, 3, "", "no path while the stream has had no close()");
	close_file(1, 9);
	check_path(1, 3, "</a>", "open() has the path of its result");
	check_path(2, 3, "", "another process has other descriptors");
	open_file(1, "/b", 0, -ENOENT);
	check_path(1, -ENOENT, "", "an error is no descriptor");
	close_file(1, 3);
	check_path(1, 3, "", "close() closes");
	CALL(1, "socket", 3);
	check_path(1, 3, "", "a socket has no path");
	CALL(1, "openat", 4, VALUES(AT_FDCWD), .path = "b/c");
	check_path(1, 4, "<b/c>", "a path below the working directory");
	open_file(1, "/d", O_DIRECTORY, 5);
	CALL(1, "openat", 6, VALUES(5), .path = "e");
	check_path(1, 6, "</d/e>", "a path below a directory");
	CALL(1, "openat", 7, VALUES(77), .path = "e");
	check_path(1, 7, "", "no path below an unknown directory");
	CALL(1, "eventfd2", 8);
	check_path(1, 8, "<anon_inode:[eventfd]>", "an event descriptor has the text of /proc");
	open_file(1, "/x>, fd: 4</y\n\033[31m", 0, 9);
	check_path(1, 9, "</x\\x3e, fd: 4\\x3c/y\\x0a\\x1b[31m>", "a path is escaped");
	/* An open that returns an open descriptor: a close() was not seen. */
	CALL(1, "openat", 9, VALUES(AT_FDCWD));
	check_path(1, 9, "", "a new file without a path has not that of the old one");
}

static void test_copies(void)
{
	reset();
	open_file(1, "/a", 0, 3);
	CALL(1, "dup", 4, VALUES(3));
	close_file(1, 3);
	open_file(1, "/b", 0, 3);
	check_path(1, 4, "</a>", "dup() copies");
	check_path(1, 3, "</b>", "the number has a new path");
	BEGIN(1, "dup2", VALUES(3, 4));
	check_path(1, 4, "", "while dup2() runs, both files are possible");
	end(1, 4);
	check_path(1, 4, "</b>", "dup2() replaces");
	CALL(1, "dup2", 4, VALUES(4, 4));
	check_path(1, 4, "</b>", "dup2() of a descriptor to itself changes nothing");
	CALL(1, "dup2", -EBADF, VALUES(55, 4));
	check_path(1, 4, "", "a failed dup2() may have closed");
	CALL(1, "fcntl", 8, VALUES(3, F_DUPFD, 8));
	check_path(1, 8, "</b>", "F_DUPFD copies");
	CALL(1, "close_range", 0, VALUES(3, 8, CLOSE_RANGE_CLOEXEC));
	check_path(1, 8, "</b>", "close_range() with CLOEXEC closes nothing");
	CALL(1, "close_range", 0, VALUES(4, UINT32_MAX, 0));
	check_path(1, 8, "", "close_range() closes");
	check_path(1, 3, "</b>", "close_range() leaves others open");
}

static void test_exec(void)
{
	reset();
	open_file(1, "/stays", 0, 3);
	open_file(1, "/goes", O_CLOEXEC, 4);
	open_file(1, "/set", 0, 5);
	CALL(1, "fcntl", 0, VALUES(5, F_SETFD, FD_CLOEXEC));
	CALL(1, "dup3", 6, VALUES(3, 6, O_CLOEXEC));
	CALL(1, "dup2", 7, VALUES(4, 7));
	CALL(1, "execve", -ENOENT);
	check_path(1, 4, "</goes>", "a failed exec() closes nothing");
	CALL(1, "execve", 0);
	check_path(1, 3, "</stays>", "exec() leaves a file open");
	check_path(1, 4, "", "exec() closes O_CLOEXEC");
	check_path(1, 5, "", "exec() closes what F_SETFD chose");
	check_path(1, 6, "", "exec() closes what dup3() chose");
	check_path(1, 7, "</goes>", "dup2() clears the flag");
}

static void test_fork(void)
{
	reset();
	open_file(1, "/a", 0, 3);
	calls_fork(&calls, 1, 1, 2, 2);
	check_path(2, 3, "</a>", "a child inherits");
	open_file(2, "/b", 0, 4);
	close_file(2, 3);
	check_path(1, 3, "</a>", "a close of the child is not one of the parent");
	check_path(1, 4, "", "an open of the child is not one of the parent");
	calls_fork(&calls, 1, 1, 1, 5);
	check_path(1, 3, "</a>", "a thread shares");

	BEGIN(1, "clone", VALUES(CLONE_FILES));
	calls_fork(&calls, 1, 1, 6, 6);
	end(1, 6);
	check_path(1, 3, "", "descriptors that two processes share are not followed");
	open_file(6, "/c", 0, 7);
	check_path(6, 7, "", "those of the other process neither");
	CALL(6, "execve", 0);
	open_file(1, "/d", 0, 3);
	check_path(1, 3, "</d>", "exec() ends the sharing");
	check_path(6, 7, "", "and nothing from before is known");

	calls_exit(&calls, 2, 2);
	check_path(2, 4, "", "an exit closes all");
	open_file(9, "/old", 0, 3);
	calls_fork(&calls, 1, 1, 9, 9);
	check_path(9, 3, "</d>", "a new process with an old number has its own descriptors");
}

static void test_distrust(void)
{
	reset();
	open_file(1, "/a", 0, 3);
	CALL(1, "io_uring_enter", 0);
	open_file(1, "/b", 0, 4);
	check_path(1, 3, "", "io_uring may have closed the file");
	check_path(1, 4, "", "and may close others");
	CALL(1, "execve", 0);
	open_file(1, "/c", 0, 3);
	check_path(1, 3, "</c>", "a new program is trusted again");
	CALL(1, "unshare", 0, VALUES(CLONE_FILES));
	check_path(1, 3, "", "a thread may have its own descriptors");

	reset();
	open_file(1, "/a", 0, 3);
	BEGIN(1, "close", VALUES(5));
	/* The return of close() is lost. */
	BEGIN(1, "getpid");
	end(1, 1);
	check_path(1, 3, "", "after a lost return nothing is known");
	open_file(1, "/a", 0, 3);
	fd_paths_forget_all(&calls.paths);
	check_path(1, 3, "", "after a loss nothing is known");
}

static void test_limits(void)
{
	char path[1024];
	uint32_t pid;
	int fd;

	reset();
	for (fd = 0; fd < 3 * FD_PER_PROCESS_MAX; fd++)
		open_file(1, "/a", 0, fd);
	check(calls.paths.nr_entries <= FD_PER_PROCESS_MAX + 1, "a process has a limit");
	check_path(1, fd - 1, "</a>", "the last file is known");
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	for (pid = 1; pid < 3 * FD_ENTRIES_MAX; pid++) {
		open_file(pid, path, 0, 3);
		if (calls.paths.bytes > FD_BYTES_MAX + sizeof(path) ||
		    calls.paths.nr_entries > FD_ENTRIES_MAX + 2)
			break;
	}
	check_number(pid, 3 * FD_ENTRIES_MAX, "all processes have a limit");
	calls_free(&calls);
	check_number(calls.paths.bytes, 0, "all paths are freed");
	check_number(calls.paths.nr_entries, 0, "all entries are freed");
}

static void test_proc(void)
{
	uint32_t pid = getpid();
	int fd = open("/dev/null", O_RDONLY), other = open("/dev/zero", O_RDONLY);
	struct fd_path *path;

	reset();
	calls.paths.live = true;
	check_path(pid, fd, "", "a path of /proc is pending at first");
	fd_paths_begin_round(&calls.paths);
	check_path(pid, other, "", "another path of /proc");
	fd_paths_end_round(&calls.paths);
	check_path(pid, fd, "</dev/null>", "it is known after a round");
	check_path(pid, other, "", "one that was read during the round is not");
	close_file(pid, other);
	fd_paths_begin_round(&calls.paths);
	fd_paths_end_round(&calls.paths);
	check_path(pid, fd, "</dev/null>", "a known path stays");

	reset();
	calls.paths.live = true;
	path = fd_paths_find(&calls.paths, pid, pid, fd, true);
	/* A close() happened before /proc was read, and its record arrives now. */
	close_file(pid, fd);
	fd_paths_begin_round(&calls.paths);
	fd_paths_end_round(&calls.paths);
	check_number(path->state, FD_PATH_WRONG, "a path that was read after a close() is not used");
	fd_path_put(path);

	reset();
	calls.paths.live = true;
	path = fd_paths_find(&calls.paths, pid, pid, fd, true);
	calls_fork(&calls, 1, 1, pid, pid);
	fd_paths_begin_round(&calls.paths);
	fd_paths_end_round(&calls.paths);
	check_number(path->state, FD_PATH_WRONG, "nor one of a new process with the same number");
	fd_path_put(path);

	reset();
	calls.paths.live = true;
	calls.paths.frozen = true;
	check(!fd_paths_find(&calls.paths, pid, pid, fd, true),
	      "/proc is not read when changes are not recorded");
	close(fd);
	close(other);
}

/* Print a line with a path, as perf trace does. */
static void add_line(struct held_lines *held, const char *name, int fd)
{
	struct fd_path *path = fd_paths_find(&calls.paths, getpid(), getpid(), fd, true);

	fprintf(held->lines, "%s", name);
	held_lines_add_path(held, path, NULL);
	fprintf(held->lines, ".\n");
	fd_path_put(path);
}

static void check_released(struct held_lines *held, bool all, const char *expected,
			   const char *what)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	held_lines_release(held, out, all);
	fclose(out);
	check_string(text, expected, what);
	free(text);
}

static void test_held(void)
{
	int fd = open("/dev/null", O_RDONLY), other = open("/dev/zero", O_RDONLY);
	struct held_lines held;

	reset();
	calls.paths.live = true;
	held_lines_open(&held);
	fprintf(held.lines, "no path\n");
	add_line(&held, "first", fd);
	check_released(&held, false, "no path\n", "a line waits for its path");
	fd_paths_begin_round(&calls.paths);
	add_line(&held, "again", fd);
	add_line(&held, "other", other);
	fprintf(held.lines, "end\n");
	fd_paths_end_round(&calls.paths);
	check_released(&held, false, "first</dev/null>.\nagain</dev/null>.\n",
		       "lines with known paths are printed");
	add_line(&held, "more", fd);
	check_released(&held, true, "other.\nend\nmore</dev/null>.\n",
		       "all lines are printed, with the paths that are known");
	add_line(&held, "last", fd);
	held_lines_forget_paths(&held);
	check_released(&held, false, "last.\n", "paths that are forgotten are not printed");
	held_lines_close(&held);
	close(fd);
	close(other);
}

int main(void)
{
	test_open();
	test_copies();
	test_exec();
	test_fork();
	test_distrust();
	test_limits();
	test_proc();
	test_held();
	calls_free(&calls);
	return unit_finish();
}
