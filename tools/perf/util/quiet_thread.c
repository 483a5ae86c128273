// SPDX-License-Identifier: GPL-2.0
/* Threads that receive no signals. */
#include <pthread.h>
#include <signal.h>

#include "quiet_thread.h"

int quiet_thread_start(pthread_t *thread, void *(*run)(void *), void *context)
{
	sigset_t all, before;
	int status;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}
