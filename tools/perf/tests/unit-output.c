// SPDX-License-Identifier: GPL-2.0
/*
 * Where a recording is written: FILE stays unchanged until another recording is complete, and
 * anything but a regular file is left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "record/output.h"
#include "unit.h"

static char directory[32] = "/tmp/perf-unit-output-XXXXXX";

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

/* Return the contents of a file; "" without one. */
static const char *contents(const char *path)
{
	static char text[64];
	FILE *file = fopen(path, "r");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (file)
		fclose(file);
	text[n] = '\0';
	return text;
}

/* Open an output to @path and write @text. */
static void start(struct output *o, const char *path, const char *text)
{
	struct error err;

	if (output_open(o, path, &err) || write(o->fd, text, strlen(text)) < 0)
		printf("# %s\n", err.text);
}

static void test_placed(void)
{
	struct output o = { 0 };
	struct error err;
	struct stat st;

	start(&o, "data", "first");
	check(access("data", F_OK), "no file exists before the recording is complete");
	check(!fstat(o.fd, &st) && (st.st_mode & 0777) == 0600, "others cannot read the file");
	check_number(output_place(&o, &err), 0, "the complete file is put in place");
	check_string(contents("data"), "first", "the file has what was written");

	start(&o, "data", "second");
	check_string(contents("data"), "first", "the earlier file stays during the recording");
	output_place(&o, &err);
	check_string(contents("data"), "second", "the complete recording replaces the earlier one");
	check_string(contents("data.old"), "first", "the earlier recording is kept as .old");

	start(&o, "data", "third");
	output_discard(&o);
	check_string(contents("data"), "second", "a discarded recording changes nothing");
	check_string(contents("data.old"), "first", "a discarded recording does not change .old");

	put_file("data", "");
	start(&o, "data", "fourth");
	output_place(&o, &err);
	check_string(contents("data.old"), "first", "an empty file is not kept as .old");
}

static void test_failed(void)
{
	struct output o = { 0 };
	struct error err;
	char part[64];

	start(&o, "data", "half");
	snprintf(part, sizeof(part), "%s", o.part);
	error_set(&err, "it failed");
	output_keep(&o, &err);
	check(strstr(err.text, "it failed; ") && strstr(err.text, part),
	      "the error names the file of a failed recording");
	check_string(contents(part), "half", "the file of a failed recording is there");
	check_string(contents("data"), "fourth", "the earlier recording stays");
	unlink(part);

	/* Meanwhile a directory with that name is created. */
	start(&o, "other", "whole");
	snprintf(part, sizeof(part), "%s", o.part);
	mkdir("other", 0700);
	check(output_place(&o, &err) && strstr(err.text, part),
	      "the error names the file that cannot be put in place");
	check_string(contents(part), "whole", "the file that cannot be put in place is there");
	unlink(part);
	rmdir("other");
}

static void test_snapshots(void)
{
	struct output o = { 0 };
	char *paths[3];
	struct error err;
	int i;

	/* The three snapshots may be placed within one hundredth of a second. */
	for (i = 0; i < 3; i++) {
		start(&o, "data", "snapshot");
		paths[i] = output_place_snapshot(&o, &err);
		check(paths[i] && !strncmp(paths[i], "data.2", 6), "a snapshot's name has a time");
	}
	check(strcmp(paths[0], paths[1]) && strcmp(paths[1], paths[2]),
	      "snapshots do not replace one another");
	for (i = 0; i < 3; i++) {
		check_string(contents(paths[i]), "snapshot", "a snapshot has what was written");
		unlink(paths[i]);
		free(paths[i]);
	}
	check_string(contents("data"), "fourth", "the recording itself is unchanged");
}

static void refused(const char *path, const char *what)
{
	struct output o = { 0 };
	struct stat before, after;
	struct error err = { "" };

	lstat(path, &before);
	if (!check(output_open(&o, path, &err) && strstr(err.text, "not a regular file"),
		   "%s: not taken", what))
		output_discard(&o);
	check(!lstat(path, &after) && after.st_ino == before.st_ino &&
	      after.st_mode == before.st_mode, "%s: left alone", what);
	unlink(path);
	rmdir(path);
}

static void test_other_things(void)
{
	struct output o = { 0 };
	struct error err;

	put_file("target", "precious");
	if (symlink("target", "link") || symlink("nowhere", "dangling") ||
	    mkfifo("fifo", 0600) || mkdir("directory", 0700) || mkdir("x.old", 0700))
		printf("# %s\n", strerror(errno));
	refused("link", "a link");
	check_string(contents("target"), "precious", "the target of a link is unchanged");
	refused("dangling", "a link to nothing");
	check(access("nowhere", F_OK), "the target of a dangling link is not created");
	refused("fifo", "a fifo");
	refused("directory", "a directory");
	unlink("target");
	check(output_open(&o, "x", &err) && strstr(err.text, "x.old: not a regular file"),
	      "a directory named .old is refused");
	rmdir("x.old");
}

/* A device made here: the test must not replace the one in /dev. */
static void test_device(void)
{
	struct output o = { 0 };
	struct error err;
	struct stat st;

	if (mknod("null", S_IFCHR | 0666, makedev(1, 3)) ||
	    output_open(&o, "null", &err)) {
		check(true, "a device # SKIP %s", strerror(errno));
		return;
	}
	check(!o.part, "a device is opened itself");
	check(write(o.fd, "x", 1) == 1 && !output_place(&o, &err), "a device can be written");
	check(!lstat("null", &st) && S_ISCHR(st.st_mode), "a written device is still there");
	start(&o, "null", "x");
	output_discard(&o);
	check(!lstat("null", &st) && S_ISCHR(st.st_mode),
	      "a device without a recording is still there");
	check(access("null.old", F_OK), "a device is not kept as .old");
	unlink("null");
}

static int nr_left(void)
{
	char *command = xasprintf("ls -A %s | wc -l", directory);
	FILE *count = popen(command, "r");
	int nr = -1;

	if (fscanf(count, "%d", &nr) != 1)
		nr = -1;
	pclose(count);
	free(command);
	return nr;
}

int main(void)
{
	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	test_placed();
	test_failed();
	test_snapshots();
	test_other_things();
	test_device();
	unlink("data");
	unlink("data.old");
	check_number(nr_left(), 0, "no other files are left");
	if (chdir("/") || rmdir(directory))
		return 1;
	return unit_finish();
}
