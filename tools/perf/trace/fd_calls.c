// SPDX-License-Identifier: GPL-2.0
/*
 * Follows the descriptors of processes through their system calls, by the table in fd_effects.c.
 */
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>

#include "fd_calls.h"
#include "fd_effects.h"

void fd_calls_find(struct fd_paths *paths, uint32_t pid, uint32_t tid, struct call *call)
{
	const struct syscall *syscall = call->syscall;
	size_t i;

	if (!syscall->knows_args)
		return;
	for (i = 0; i < syscall->nr_args; i++) {
		enum arg_form form = syscall->args[i].form;

		if (form == ARG_DESCRIPTOR || form == ARG_DIRECTORY)
			call->paths[i] = fd_paths_find(paths, pid, tid, call->values[i],
						       call->record);
	}
}

static void begin_close_range(struct fd_paths *paths, uint32_t pid, const struct call *call)
{
	uint32_t flags = call->values[2];

	if (flags & CLOSE_RANGE_UNSHARE)
		fd_paths_distrust(paths, pid);
	else if (flags & CLOSE_RANGE_CLOEXEC)
		fd_paths_survive(paths, pid, call->values[0], call->values[1], false);
	else
		fd_paths_close(paths, pid, call->values[0], call->values[1]);
}

/* Apply dup2() or dup3(); it does nothing if both descriptors are the same. */
static void begin_dup_to(struct fd_paths *paths, uint32_t pid, const uint64_t *values)
{
	if ((int)values[0] != (int)values[1])
		fd_paths_close(paths, pid, values[1], values[1]);
}

void fd_calls_begin(struct fd_paths *paths, uint32_t pid, const struct call *call)
{
	const struct fd_call *fd_call = call->syscall->fd_call;
	const uint64_t *values = call->values;

	if (!paths->enabled || !fd_call)
		return;
	switch (fd_call->effect) {
	case FD_CLOSE:
		paths->has_closed = true;
		fd_paths_close(paths, pid, values[0], values[0]);
		break;
	case FD_CLOSE_RANGE:
		begin_close_range(paths, pid, call);
		break;
	case FD_DUP_TO:
		begin_dup_to(paths, pid, values);
		break;
	case FD_UNSHARE:
		if (values[0] & CLONE_FILES)
			fd_paths_distrust(paths, pid);
		break;
	case FD_URING:
		fd_paths_distrust(paths, pid);
		break;
	default:
		break;
	}
}

/* Apply a call that copied a descriptor to the one that it returned. */
static void copy(struct fd_paths *paths, uint32_t pid, const struct call *call, bool survives)
{
	fd_paths_set(paths, pid, call->ret, fd_paths_peek(paths, pid, call->values[0]), survives);
}

static void return_from_fcntl(struct fd_paths *paths, uint32_t pid, const struct call *call)
{
	uint32_t fd = call->values[0];

	switch ((int)call->values[1]) {
	case F_DUPFD:
		copy(paths, pid, call, true);
		break;
	case F_DUPFD_CLOEXEC:
		copy(paths, pid, call, false);
		break;
	case F_SETFD:
		fd_paths_survive(paths, pid, fd, fd, !(call->values[2] & FD_CLOEXEC));
		break;
	}
}

/*
 * Return the path of a call that opened a file, or NULL. A path relative to a directory's
 * descriptor is appended to the path of the directory. A path relative to the working directory
 * stays as the program wrote it.
 */
static struct fd_path *opened_path(struct fd_paths *paths, uint32_t pid,
				   const struct call *call, const struct fd_call *opening)
{
	const struct arg_data *data = &call->data[opening->path];
	const struct fd_path *directory = NULL;
	struct fd_path *path;
	char *text;

	if (!data->bytes || !data->size)
		return NULL;
	if (data->bytes[0] != '/' && opening->directory >= 0 &&
	    (int)call->values[opening->directory] != AT_FDCWD) {
		directory = fd_paths_peek(paths, pid, call->values[opening->directory]);
		if (!directory || directory->state != FD_PATH_KNOWN)
			return NULL;
	}
	text = xasprintf("%s%s%.*s%s", directory ? directory->path : "", directory ? "/" : "",
			 (int)data->size, data->bytes, data->cut ? "..." : "");
	path = fd_path_new(paths, text, strlen(text));
	free(text);
	return path;
}

/* Apply a call that opened the file of a path. */
static void return_from_open(struct fd_paths *paths, uint32_t pid, const struct call *call)
{
	const struct fd_call *opening = call->syscall->fd_call;
	bool survives = opening->flags >= 0 && !(call->values[opening->flags] & O_CLOEXEC);
	struct fd_path *path = opened_path(paths, pid, call, opening);

	fd_paths_set(paths, pid, call->ret, path, survives);
	fd_path_put(path);
}

/* Apply a call that opened something without a path, whatever its flags are. */
static void return_from_maker(struct fd_paths *paths, uint32_t pid, const struct call *call)
{
	const char *text = call->syscall->fd_call->text;
	struct fd_path *path = text ? fd_path_new(paths, text, strlen(text)) : NULL;

	fd_paths_set(paths, pid, call->ret, path, false);
	fd_path_put(path);
}

static void return_from_dup_to(struct fd_paths *paths, uint32_t pid, const struct call *call)
{
	int flags = call->syscall->fd_call->flags;

	if ((int)call->values[0] != (int)call->values[1])
		copy(paths, pid, call, flags < 0 || !(call->values[flags] & O_CLOEXEC));
}

/* Apply a call whose beginning or return was lost. Without the beginning, it has no arguments. */
static void return_from_half(struct fd_paths *paths, uint32_t pid, const struct call *call)
{
	const struct fd_call *fd_call = call->syscall->fd_call;

	if (fd_call && fd_call->effect == FD_EXEC && call->end)
		fd_paths_exec(paths, pid);
	else if (fd_call || !call->syscall->name)
		fd_paths_forget(paths, pid);
}

void fd_calls_return(struct fd_paths *paths, uint32_t pid, const struct call *call)
{
	const struct fd_call *fd_call = call->syscall->fd_call;

	if (!paths->enabled || call_has_failed(call))
		return;
	if (!call->end || !call->begin) {
		return_from_half(paths, pid, call);
		return;
	}
	if (!fd_call)
		return;
	switch (fd_call->effect) {
	case FD_DUP:
		copy(paths, pid, call, true);
		break;
	case FD_DUP_TO:
		return_from_dup_to(paths, pid, call);
		break;
	case FD_CONTROL:
		return_from_fcntl(paths, pid, call);
		break;
	case FD_EXEC:
		fd_paths_exec(paths, pid);
		break;
	case FD_MAKE:
		return_from_maker(paths, pid, call);
		break;
	case FD_OPEN:
		return_from_open(paths, pid, call);
		break;
	default:
		break;
	}
}

void fd_calls_fork(struct fd_paths *paths, uint32_t ppid, const struct call *call, uint32_t pid)
{
	const char *name = call && call->syscall->name ? call->syscall->name : "";
	bool is_clone = !strcmp(name, "clone");
	bool clone_shares = is_clone && call->values[0] & CLONE_FILES;

	if (!paths->enabled)
		return;
	/* A thread shares its process's descriptors, unless clone() without CLONE_FILES made it. */
	if (pid == ppid) {
		if (is_clone && !clone_shares)
			fd_paths_distrust(paths, pid);
		return;
	}
	/* The flags of clone3() are in memory. */
	fd_paths_fork(paths, ppid, pid, clone_shares || !strcmp(name, "clone3"));
}
