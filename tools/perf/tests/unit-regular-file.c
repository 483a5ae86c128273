// SPDX-License-Identifier: GPL-2.0
/*
 * Names of files that another user may have chosen: which are opened, which are refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "unit.h"

static char directory[32] = "/tmp/perf-unit-regular-XXXXXX";

/* Return the error of open_regular(); 0 for a descriptor. */
static int opens(const char *path)
{
	int fd = open_regular(path);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int opens_no_link(const char *path)
{
	struct stat st;
	int fd = open_no_link(path, &st);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static void test_files(void)
{
	char text[8] = "";
	struct stat st;
	int fd = open("file", O_WRONLY | O_CREAT, 0600);

	if (write(fd, "text", 4) != 4 || close(fd))
		printf("# %s\n", strerror(errno));
	fd = open_regular("file");
	check(read(fd, text, sizeof(text)) == 4 && !strcmp(text, "text"), "a file can be read");
	check(fcntl(fd, F_GETFD) & FD_CLOEXEC, "the file is closed on exec");
	close(fd);
	fd = open_no_link("file", &st);
	check(fd >= 0 && st.st_size == 4 && st.st_uid == geteuid(),
	      "the file's size and owner are returned");
	close(fd);
	check_number(opens("missing"), -ENOENT, "a missing file is reported");
	check_number(opens("file/x"), -ENOTDIR, "a missing directory is reported");
}

static void test_others(void)
{
	int watch = inotify_init1(IN_NONBLOCK);
	char event[512];

	if (mkfifo("fifo", 0600) || inotify_add_watch(watch, "fifo", IN_OPEN) < 0)
		printf("# %s\n", strerror(errno));
	check_number(opens("fifo"), -EINVAL, "a fifo");
	check(read(watch, event, sizeof(event)) < 0 && errno == EAGAIN, "a fifo is not opened");
	close(watch);
	check_number(opens("."), -EINVAL, "a directory");
	check_number(opens("/dev/null"), -EINVAL, "a device");
	check_number(opens("/proc/self/environ"), -EINVAL, "a file of /proc is refused");
	check_number(opens("/sys/kernel/notes"), -EINVAL, "a file of /sys is refused");
}

static void test_links(void)
{
	if (symlink("file", "link") || symlink("/proc/self/environ", "to-proc") ||
	    symlink("file", "foreign"))
		printf("# %s\n", strerror(errno));
	check_number(opens("link"), 0, "a link of our own is followed");
	check_number(opens("to-proc"), -EINVAL, "a link to a file of /proc is refused");
	check_number(opens_no_link("link"), -EINVAL, "open_no_link() refuses a link");
	check_number(opens_no_link("file"), 0, "open_no_link() opens a file");
	if (lchown("foreign", 65534, 65534))
		check(true, "a link of another user is not followed # SKIP needs root");
	else
		check_number(opens("foreign"), -ELOOP, "a link of another user is not followed");
	check_string(open_failure(-ELOOP), "a symbolic link of another user, which is not followed",
		     "the message names the reason");
}

int main(void)
{
	static const char *const made[] = { "file", "fifo", "link", "to-proc", "foreign" };
	size_t i;

	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	test_files();
	test_others();
	test_links();
	for (i = 0; i < ARRAY_SIZE(made); i++)
		unlink(made[i]);
	rmdir(directory);
	return unit_finish();
}
