// SPDX-License-Identifier: GPL-2.0
/* A pager for long output on a terminal. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pager.h"

/*
 * Options of less: output that fits on the screen is shown as if there was no pager, and a long
 * line is one line of the screen, so that the columns of tables stay below one another. The arrow
 * keys show the rest of the line.
 */
#define LESS_OPTIONS "FRSX"

static const char *find_command(void)
{
	const char *command = getenv("PERF_PAGER");

	if (!command)
		command = getenv("PAGER");
	return command ? command : "command -v less >/dev/null && exec less; exec cat";
}

static void run_pager(const char *command, const int pipe[2])
{
	dup2(pipe[0], STDIN_FILENO);
	close(pipe[0]);
	close(pipe[1]);
	setenv("LESS", LESS_OPTIONS, 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

/* Redirect @fd to @pipe. Return: a duplicate of the original @fd. */
static int replace(int fd, int pipe)
{
	int saved = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	dup2(pipe, fd);
	return saved;
}

void pager_start(struct pager *pager)
{
	const char *command = find_command();
	int ends[2];

	*pager = (struct pager){ .out = -1, .err = -1 };
	if (!*command || !isatty(STDOUT_FILENO) || pipe(ends))
		return;
	fflush(stdout);
	pager->pid = fork();
	if (!pager->pid)
		run_pager(command, ends);
	close(ends[0]);
	if (pager->pid > 0) {
		/*
		 * Let the pager handle interrupts; when it exits, writing to the pipe ends
		 * perf.
		 */
		signal(SIGINT, SIG_IGN);
		pager->out = replace(STDOUT_FILENO, ends[1]);
		if (isatty(STDERR_FILENO))
			pager->err = replace(STDERR_FILENO, ends[1]);
	} else {
		pager->pid = 0;
	}
	close(ends[1]);
}

static void restore(int fd, int saved)
{
	if (saved < 0)
		return;
	dup2(saved, fd);
	close(saved);
}

void pager_end(struct pager *pager)
{
	if (!pager->pid)
		return;
	fflush(stdout);
	restore(STDOUT_FILENO, pager->out);
	restore(STDERR_FILENO, pager->err);
	while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
}
