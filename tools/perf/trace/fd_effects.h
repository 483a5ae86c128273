/* SPDX-License-Identifier: GPL-2.0 */
/* The effects of each system call on the descriptors of a process. */
#ifndef PERF_TRACE_FD_EFFECTS_H
#define PERF_TRACE_FD_EFFECTS_H

/* Effects of calls on descriptors. */
enum fd_effect {
	FD_CLOSE,
	FD_CLOSE_RANGE,
	FD_DUP,			/* returns a copy of a descriptor */
	FD_DUP_TO,		/* dup2, dup3: closes a descriptor and makes it a copy */
	FD_CONTROL,		/* fcntl */
	FD_CREATE_TASK,		/* the task may have a copy of the descriptors, or share them */
	FD_EXEC,		/* closes the descriptors with FD_CLOEXEC */
	FD_MAKE,		/* opens something without a path */
	FD_OPEN,		/* opens the file of a path */
	FD_UNSHARE,
	FD_URING,		/* its requests can close descriptors */
};

/**
 * struct fd_call - a system call that opens, copies or closes descriptors
 * @name: name of the call
 * @effect: effect on descriptors
 * @directory: argument with a descriptor of a directory; -1: none
 * @path: argument with a path
 * @flags: argument with flags of open(2); -1: none, or in memory
 * @text: text that /proc/PID/fd has for a descriptor that the call makes; NULL: it is not constant
 */
struct fd_call {
	const char *name;
	enum fd_effect effect;
	int directory;
	int path;
	int flags;
	const char *text;
};

/* Return the effect of the call with a name; NULL: the call has no effect on descriptors. */
const struct fd_call *fd_call_find(const char *name);

/*
 * Call @visit with the names of the calls that must be recorded to know the paths of descriptors.
 * Processes inherit descriptors, so calls that create processes are among them.
 */
void fd_calls_walk(void (*visit)(void *context, const char *name), void *context);

#endif
