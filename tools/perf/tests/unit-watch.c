// SPDX-License-Identifier: GPL-2.0
/* The end of a command whose time is over. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/watch.h"
#include "unit.h"

/* Start a child that waits and, if wanted, ignores SIGTERM. */
static pid_t start_child(void (*on_sigterm)(int))
{
	sigset_t none;
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		exit(1);
	pid = fork();
	if (!pid) {
		signal(SIGTERM, on_sigterm);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		exit(1);
	close(ready[0]);
	return pid;
}

/* Return the signal that ended a child that has @grace seconds to exit. */
static int dies_of(void (*on_sigterm)(int), double grace, bool *killed)
{
	struct error err = { "" };
	struct watch w;

	if (watch_init(&w, &err))
		printf("# %s\n", err.text);
	watch_command(&w, start_child(on_sigterm));
	if (watch_end_command(&w, grace, &err) || watch_end_command(&w, grace, &err))
		printf("# %s\n", err.text);
	while (!(watch_wait(&w) & WATCH_END))
		;
	*killed = w.command_killed;
	watch_free(&w);
	return WIFSIGNALED(w.status) ? WTERMSIG(w.status) : 0;
}

/* Return the signal that ended a child after a failure of perf. */
static int stopped_by(void (*on_sigterm)(int), double grace)
{
	struct error err = { "" };
	struct watch w;
	pid_t pid;

	if (watch_init(&w, &err))
		printf("# %s\n", err.text);
	pid = start_child(on_sigterm);
	watch_command(&w, pid);
	watch_stop_command(&w, grace);
	check(!w.command && w.command_ended && kill(pid, 0), "the command does not run on");
	watch_free(&w);
	return WIFSIGNALED(w.status) ? WTERMSIG(w.status) : 0;
}

/* A timer of 0 never expires; a limit below a nanosecond does. */
static void check_short_limit(void)
{
	struct error err = { "" };
	struct watch w;

	check(!watch_init(&w, &err) && !watch_limit(&w, 1.0 / (1ULL << 40), &err),
	      "a limit of 0 is set");
	check_number(watch_wait(&w), WATCH_END, "a limit of 0 ends at once");
	watch_free(&w);
}

int main(void)
{
	bool killed;

	/* The command may take long on a busy machine. */
	check_number(dies_of(SIG_DFL, 3600, &killed), SIGTERM, "a command is ended by SIGTERM");
	check(!killed, "no further signal is sent");
	/* If the command is not killed, this ends the test. */
	alarm(300);
	check_number(dies_of(SIG_IGN, 0.001, &killed), SIGKILL,
		     "a command that ignores SIGTERM is killed");
	check(killed, "the killing is reported");
	check_number(stopped_by(SIG_DFL, 3600), SIGTERM, "a command is stopped by SIGTERM");
	check_number(stopped_by(SIG_IGN, 0.001), SIGKILL,
		     "a command that ignores SIGTERM is stopped by SIGKILL");
	check_short_limit();
	return unit_finish();
}
