/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of the files that the descriptors of processes refer to.
 *
 * A path comes from a system call in the stream of records, or, on the running machine, from
 * /proc/PID/fd. A path from /proc is pending at first: the process may have closed the descriptor
 * and used its number again in a call whose record has not been read. It is known when all records
 * from before its reading have been seen without such a call.
 */
#ifndef PERF_TRACE_FD_PATHS_H
#define PERF_TRACE_FD_PATHS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/util.h"

/* Limits of the tables of all processes: processes with descriptors, and bytes of paths. */
#define FD_ENTRIES_MAX 65536
#define FD_BYTES_MAX (16U << 20)

/* The largest number of descriptors of one process with a path. */
#define FD_PER_PROCESS_MAX 4096

enum fd_path_state {
	FD_PATH_PENDING,
	FD_PATH_KNOWN,
	FD_PATH_WRONG,		/* it may be the path of a later file */
};

/**
 * struct fd_path - the path of a file; tables, calls and lines share it
 * @users: number of references
 * @state: state of the path
 * @round: round in which /proc was read, for a pending path
 * @pid: process whose descriptor was read, for a pending path
 * @fd: descriptor that was read, for a pending path
 * @next: next one of the pending paths
 * @total: number of bytes of all paths, which includes @size
 * @size: size of @path in bytes
 * @path: path, or the text that /proc/PID/fd has for a file without a path
 */
struct fd_path {
	unsigned int users;
	enum fd_path_state state;
	unsigned int round;
	uint32_t pid;
	int fd;
	struct fd_path *next;
	size_t *total;
	size_t size;
	char path[];
};

/**
 * struct fd_paths - the descriptors of all processes
 * @enabled: true if all calls that close descriptors are recorded; otherwise no path is found
 * @live: true to read /proc
 * @frozen: true if the counters are disabled: changes are no longer recorded, /proc is not read
 * @has_closed: true if the stream had a close(); a recording without any leaves them out
 * @processes: tables by pid
 * @nr_entries: number of tables and of their entries
 * @bytes: number of bytes of all paths
 * @round: number of the current round of reading the buffers
 * @pending: paths that are pending
 */
struct fd_paths {
	bool enabled;
	bool live;
	bool frozen;
	bool has_closed;
	struct hash_table processes;
	size_t nr_entries;
	size_t bytes;
	unsigned int round;
	struct fd_path *pending;
};

/* Get and put a reference; NULL is no path. */
struct fd_path *fd_path_get(struct fd_path *path);
void fd_path_put(struct fd_path *path);

/* Return a known path of @size bytes. */
struct fd_path *fd_path_new(struct fd_paths *paths, const char *bytes, size_t size);

/* Print a path that is known: "<PATH>" with special characters escaped. */
void fd_path_print(const struct fd_path *path, FILE *out);

/* Print a path that is known as a member of a JSON object: ", "NAME_path": "PATH"". */
void fd_path_print_json(const struct fd_path *path, const char *name, FILE *out);

/**
 * fd_paths_find() - Find the path of a descriptor
 * @paths: descriptors of all processes
 * @pid: process
 * @tid: thread that uses the descriptor
 * @fd: descriptor
 * @knows_arch: true if the stream has the architecture of the call. Otherwise the calls of 32-bit
 *	programs are taken for others, so only a running program of 64 bits has paths.
 *
 * Return: the path, pending or known, with a reference for the caller; NULL if it is not known.
 */
struct fd_path *fd_paths_find(struct fd_paths *paths, uint32_t pid, uint32_t tid, int fd,
			      bool knows_arch);

/*
 * Return the path of a descriptor if the recorded calls have set it, without a reference; or NULL.
 */
struct fd_path *fd_paths_peek(struct fd_paths *paths, uint32_t pid, int fd);

/**
 * fd_paths_set() - Set the path of a new descriptor
 * @paths: descriptors of all processes
 * @pid: process
 * @fd: descriptor
 * @path: path; NULL if it is not known
 * @survives: true if exec() does not close the descriptor
 */
void fd_paths_set(struct fd_paths *paths, uint32_t pid, int fd, struct fd_path *path,
		  bool survives);

/* Forget descriptors @first to @last, which are closed or replaced. */
void fd_paths_close(struct fd_paths *paths, uint32_t pid, uint32_t first, uint32_t last);

/* Set if exec() leaves descriptors @first to @last open. */
void fd_paths_survive(struct fd_paths *paths, uint32_t pid, uint32_t first, uint32_t last,
		      bool survives);

/*
 * Find no paths of a process until its exec(), because its descriptors change in ways that are not
 * recorded.
 */
void fd_paths_distrust(struct fd_paths *paths, uint32_t pid);

/* Forget the descriptors of a process of which a call has been missed. */
void fd_paths_forget(struct fd_paths *paths, uint32_t pid);

/* Forget the descriptors of all processes, because records were lost. */
void fd_paths_forget_all(struct fd_paths *paths);

/* Apply the exec() of a process. */
void fd_paths_exec(struct fd_paths *paths, uint32_t pid);

/**
 * fd_paths_fork() - Apply the creation of a process by another one
 * @paths: descriptors of all processes
 * @ppid: process
 * @pid: new process
 * @shares: true if both processes may use one table of descriptors
 */
void fd_paths_fork(struct fd_paths *paths, uint32_t ppid, uint32_t pid, bool shares);

void fd_paths_exit(struct fd_paths *paths, uint32_t pid);

/* Begin a round: all records that the buffers have now will be delivered before its end. */
void fd_paths_begin_round(struct fd_paths *paths);

/* End a round: paths from before its begin are known now. */
void fd_paths_end_round(struct fd_paths *paths);

void fd_paths_free(struct fd_paths *paths);

#endif
