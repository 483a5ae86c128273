// SPDX-License-Identifier: GPL-2.0
/*
 * The output file of a recording: a new file next to FILE that replaces FILE when it is
 * complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output.h"

static void output_end(struct output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	free(o->part);
	free(o->path);
	*o = (struct output){ .fd = -1 };
}

/* Return true if @path is a regular file or does not exist. Nothing else is ever replaced. */
static bool is_replaceable(const char *path)
{
	struct stat st;

	return lstat(path, &st) || S_ISREG(st.st_mode);
}

static int refuse_path(const char *path, struct error *err)
{
	error_set(err, "%s: not a regular file (links are not followed); give another file with -o",
		  path);
	return -1;
}

/* Open a device, which is written directly and cannot be replaced by a new file. */
static int open_device(struct output *o, const char *path, struct error *err)
{
	o->fd = open(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (o->fd >= 0)
		return 0;
	error_set(err, "%s: cannot open it: %s", path, strerror(errno));
	return -1;
}

static int create_part(struct output *o, const char *path, struct error *err)
{
	o->part = xasprintf("%s.part-XXXXXX", path);
	o->fd = mkostemp(o->part, O_CLOEXEC);
	if (o->fd >= 0)
		return 0;
	error_set(err, "%s: cannot create it: %s", path, strerror(errno));
	return -1;
}

/* The standard output as it was before output_claim_stdout(); -1: it is not claimed. */
static int claimed = -1;

int output_claim_stdout(struct error *err)
{
	if (claimed >= 0)
		return 0;
	if (isatty(STDOUT_FILENO)) {
		error_set(err, "-o -: the standard output is a terminal; give a file, or a pipe to a program");
		return -1;
	}
	claimed = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (claimed >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return 0;
	error_set(err, "-o -: the standard output cannot be used: %s", strerror(errno));
	return -1;
}

static int open_pipe(struct output *o, struct error *err)
{
	if (output_claim_stdout(err))
		return -1;
	o->fd = claimed;
	claimed = -1;
	return 0;
}

bool output_is_pipe(const char *path)
{
	return !strcmp(path, OUTPUT_PIPE);
}

int output_open(struct output *o, const char *path, struct error *err)
{
	char *old = xasprintf("%s.old", path);
	struct stat st;
	int status;

	o->fd = -1;
	o->path = xstrdup(path);
	if (output_is_pipe(path))
		status = open_pipe(o, err);
	else if (!lstat(path, &st) && S_ISCHR(st.st_mode))
		status = open_device(o, path, err);
	else if (!is_replaceable(path))
		status = refuse_path(path, err);
	else if (!is_replaceable(old))
		status = refuse_path(old, err);
	else
		status = create_part(o, path, err);
	free(old);
	if (status)
		output_end(o);
	return status;
}

static int cannot_place(const struct output *o, const char *place, struct error *err)
{
	error_set(err, "%s: cannot rename to it: %s", place, strerror(errno));
	error_add(err, "; the recording is in %s", o->part);
	return -1;
}

/* Rename FILE to FILE.old, which users of the kernel's perf expect. */
static int keep_old(const struct output *o, struct error *err)
{
	char *old = xasprintf("%s.old", o->path);
	struct stat st;
	int status = 0;

	if (!is_replaceable(o->path) || !is_replaceable(old)) {
		errno = EEXIST;
		status = cannot_place(o, is_replaceable(old) ? o->path : old, err);
	} else if (!lstat(o->path, &st) && st.st_size && rename(o->path, old)) {
		status = cannot_place(o, old, err);
	}
	free(old);
	return status;
}

/* Close the new file. Some file systems report write errors only now. */
static int close_part(struct output *o, struct error *err)
{
	int status = close(o->fd);

	o->fd = -1;
	if (status) {
		error_set(err, "%s: cannot write it: %s", o->path, strerror(errno));
		if (o->part)
			error_add(err, "; what could be written is in %s", o->part);
	}
	return status;
}

int output_place(struct output *o, struct error *err)
{
	int status = close_part(o, err);

	if (!status && o->part)
		status = keep_old(o, err);
	if (!status && o->part && rename(o->part, o->path))
		status = cannot_place(o, o->path, err);
	output_end(o);
	return status;
}

/*
 * Append a time in hundredths of a second, as the kernel's perf does:
 * "perf.data.2026112014305917".
 */
static char *timed_path(const char *path, long long hundredths)
{
	time_t seconds = hundredths / 100;
	struct tm tm;
	char text[32];

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	return xasprintf("%s.%s%02lld", path, text, hundredths % 100);
}

/*
 * Rename without replacing a file. NFS and other file systems have no RENAME_NOREPLACE, but a
 * link does not replace a file either.
 */
static int rename_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL)
		return -1;
	return link(from, to) ? -1 : unlink(from);
}

char *output_place_snapshot(struct output *o, struct error *err)
{
	struct timespec now;
	long long hundredths;
	char *path = NULL;
	int status;

	if (close_part(o, err)) {
		output_end(o);
		return NULL;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	hundredths = now.tv_sec * 100LL + now.tv_nsec / 10000000;
	/* Take the next unused time, so that no snapshot replaces another one. */
	do {
		free(path);
		path = timed_path(o->path, hundredths++);
		status = rename_new(o->part, path);
	} while (status && errno == EEXIST);
	if (status) {
		cannot_place(o, path, err);
		free(path);
		path = NULL;
	}
	output_end(o);
	return path;
}

void output_keep(struct output *o, struct error *err)
{
	if (o->part)
		error_add(err, "; what was recorded until then is in %s", o->part);
	output_end(o);
}

void output_discard(struct output *o)
{
	if (o->part)
		unlink(o->part);
	output_end(o);
}
