// SPDX-License-Identifier: GPL-2.0
/*
 * The command that is measured: forked, held back until its counters are open, then executed.
 * One pipe tells the child to go on; the other closes on exec, or returns the error of exec.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

static void run_child(char **argv, int go, int exec_error)
{
	sigset_t none;
	ssize_t n;
	int error;
	char c;

	/* Set the name of the task until exec. No sample is taken before exec. */
	prctl(PR_SET_NAME, "perf-exec");
	do {
		n = read(go, &c, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(EXIT_FAILED);

	/* Unblock all signals: blocked signals survive exec, and the parent blocks some. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	error = errno;
	n = write(exec_error, &error, sizeof(error));
	_exit(n == sizeof(error) ? EXIT_NOT_EXECUTED : EXIT_FAILED);
}

int workload_prepare(struct workload *w, char **argv, struct error *err)
{
	int go[2], exec_error[2];

	if (pipe2(go, O_CLOEXEC)) {
		error_set(err, "%s: cannot create a pipe to the new process: %s", argv[0],
			  strerror(errno));
		return -1;
	}
	if (pipe2(exec_error, O_CLOEXEC)) {
		error_set(err, "%s: cannot create a pipe to the new process: %s", argv[0],
			  strerror(errno));
		goto close_go;
	}
	w->command = argv[0];
	w->pid = fork();
	if (w->pid < 0) {
		error_set(err, "%s: cannot create a process: %s", argv[0], strerror(errno));
		goto close_exec_error;
	}
	if (!w->pid) {
		close(go[1]);
		close(exec_error[0]);
		run_child(argv, go[0], exec_error[1]);
	}
	close(go[0]);
	close(exec_error[1]);
	w->go = go[1];
	w->exec_error = exec_error[0];
	return 0;

close_exec_error:
	close(exec_error[0]);
	close(exec_error[1]);
close_go:
	close(go[0]);
	close(go[1]);
	w->pid = 0;
	return -1;
}

static void reap(struct workload *w)
{
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
}

int workload_start(struct workload *w, struct error *err)
{
	ssize_t n;
	int error;

	n = write(w->go, "", 1);
	close(w->go);
	if (n == 1) {
		do {
			n = read(w->exec_error, &error, sizeof(error));
		} while (n < 0 && errno == EINTR);
		close(w->exec_error);
		if (!n)
			return 0;
		if (n != sizeof(error))
			error = EIO;
	} else {
		error = errno;
		close(w->exec_error);
	}
	reap(w);
	error_set(err, "cannot execute '%s': %s", w->command, strerror(error));
	return -1;
}

void workload_cancel(struct workload *w)
{
	close(w->go);
	close(w->exec_error);
	reap(w);
}
