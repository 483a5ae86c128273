// SPDX-License-Identifier: GPL-2.0
/*
 * A child process that prints records which may crash it, or keep it busy for ever.
 *
 * The child inherits the formats and prints one record at a time. Requests and texts are messages
 * of a socket. A child that ends before it has answered has crashed, or used up its time.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/util.h"
#include "tracing_child.h"

/* Seconds of CPU time for one record. The first record may load the kernel's symbols. */
#define RECORD_SECONDS 5
/* Bytes of memory that the child may allocate. */
#define DATA_MAX (512UL << 20)

struct tracing_child {
	pid_t pid;
	int socket;
};

/* Limit the time on a CPU from now on. SIGPROF ends a process that has no handler for it. */
static void limit_time(unsigned int seconds)
{
	const struct itimerval time = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &time, NULL);
}

void tracing_child_limit(unsigned int seconds)
{
	static const struct rlimit no_core = { 0, 0 };
	struct mallinfo2 heap = mallinfo2();
	struct rlimit data;

	getrlimit(RLIMIT_DATA, &data);
	data.rlim_cur = heap.arena + heap.hblkhd + DATA_MAX;
	if (data.rlim_cur > data.rlim_max)
		data.rlim_cur = data.rlim_max;
	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_DATA, &data);
	limit_time(seconds);
}

static bool send_all(int fd, const void *bytes, size_t size)
{
	ssize_t n;

	do {
		n = send(fd, bytes, size, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

/* Receive a message of at most @room bytes. Return: its size; 0 if the other process has ended. */
static size_t receive(int fd, void *bytes, size_t room)
{
	ssize_t n;

	do {
		n = recv(fd, bytes, room, 0);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? 0 : n;
}

/* Print records until the socket is closed. The answer to a request is a text with its NUL. */
static _Noreturn void serve(int fd, tracing_printer printer, const void *context)
{
	struct tracing_request *request = xmalloc(sizeof(*request));
	size_t length;
	char *text;

	signal(SIGPROF, SIG_DFL);
	tracing_child_limit(RECORD_SECONDS);
	while (receive(fd, request, sizeof(*request))) {
		limit_time(RECORD_SECONDS);
		text = printer(context, request);
		length = strlen(text);
		if (length > TRACING_TEXT_MAX - 1) {
			length = TRACING_TEXT_MAX - 1;
			text[length] = '\0';
		}
		if (!send_all(fd, text, length + 1))
			break;
		free(text);
	}
	_exit(0);
}

static struct tracing_child *start(tracing_printer printer, const void *context)
{
	struct tracing_child *child;
	int sockets[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return NULL;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(sockets[0]);
		serve(sockets[1], printer, context);
	}
	close(sockets[1]);
	if (pid < 0) {
		close(sockets[0]);
		return NULL;
	}
	child = xcalloc(1, sizeof(*child));
	*child = (struct tracing_child){ .pid = pid, .socket = sockets[0] };
	return child;
}

char *tracing_child_print(struct tracing_child **child, tracing_printer printer,
			  const void *context, const struct tracing_request *request)
{
	size_t size = offsetof(struct tracing_request, raw) + request->size, n = 0;
	char *text;

	if (!*child)
		*child = start(printer, context);
	if (!*child)
		return NULL;
	text = xmalloc(TRACING_TEXT_MAX);
	if (send_all((*child)->socket, request, size))
		n = receive((*child)->socket, text, TRACING_TEXT_MAX);
	if (n)
		return text;
	tracing_child_end(child);
	free(text);
	return NULL;
}

void tracing_child_end(struct tracing_child **child)
{
	if (!*child)
		return;
	close((*child)->socket);
	while (waitpid((*child)->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(*child);
	*child = NULL;
}
