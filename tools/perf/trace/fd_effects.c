// SPDX-License-Identifier: GPL-2.0
/*
 * The table of system calls that open, copy and close descriptors.
 *
 * A descriptor's number is used again only after it was closed. So each call that closes must be in
 * the table; a call that opens a descriptor and is missing from the table leaves the descriptor
 * without a path.
 */
#include <string.h>

#include "util/util.h"
#include "fd_effects.h"

static const struct fd_call calls[] = {
	{ .name = "accept", .effect = FD_MAKE },
	{ .name = "accept4", .effect = FD_MAKE },
	{ .name = "clone", .effect = FD_CREATE_TASK },
	{ .name = "clone3", .effect = FD_CREATE_TASK },
	{ .name = "close", .effect = FD_CLOSE },
	{ .name = "close_range", .effect = FD_CLOSE_RANGE },
	{ .name = "creat", .effect = FD_OPEN, .directory = -1, .path = 0, .flags = -1 },
	{ .name = "dup", .effect = FD_DUP },
	{ .name = "dup2", .effect = FD_DUP_TO, .flags = -1 },
	{ .name = "dup3", .effect = FD_DUP_TO, .flags = 2 },
	{ .name = "epoll_create", .effect = FD_MAKE, .text = "anon_inode:[eventpoll]" },
	{ .name = "epoll_create1", .effect = FD_MAKE, .text = "anon_inode:[eventpoll]" },
	{ .name = "eventfd", .effect = FD_MAKE, .text = "anon_inode:[eventfd]" },
	{ .name = "eventfd2", .effect = FD_MAKE, .text = "anon_inode:[eventfd]" },
	{ .name = "execve", .effect = FD_EXEC },
	{ .name = "execveat", .effect = FD_EXEC },
	{ .name = "fcntl", .effect = FD_CONTROL },
	{ .name = "fcntl64", .effect = FD_CONTROL },
	{ .name = "inotify_init", .effect = FD_MAKE, .text = "anon_inode:inotify" },
	{ .name = "inotify_init1", .effect = FD_MAKE, .text = "anon_inode:inotify" },
	{ .name = "io_uring_enter", .effect = FD_URING },
	{ .name = "io_uring_register", .effect = FD_URING },
	{ .name = "io_uring_setup", .effect = FD_URING },
	{ .name = "open", .effect = FD_OPEN, .directory = -1, .path = 0, .flags = 1 },
	{ .name = "openat", .effect = FD_OPEN, .directory = 0, .path = 1, .flags = 2 },
	{ .name = "openat2", .effect = FD_OPEN, .directory = 0, .path = 1, .flags = -1 },
	{ .name = "socket", .effect = FD_MAKE },
	{ .name = "timerfd_create", .effect = FD_MAKE, .text = "anon_inode:[timerfd]" },
	{ .name = "unshare", .effect = FD_UNSHARE },
};

const struct fd_call *fd_call_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	}
	return NULL;
}

void fd_calls_walk(void (*visit)(void *context, const char *name), void *context)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (calls[i].effect != FD_MAKE)
			visit(context, calls[i].name);
	}
}
