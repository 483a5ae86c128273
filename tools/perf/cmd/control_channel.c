// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors over which a program controls a measurement. The other end is not trusted: nothing
 * here waits for it, and its bytes have a limit.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "control_channel.h"

/* The kernel's perf ends an acknowledgment with a NUL byte, which its clients may read. */
static const char acknowledgment[] = "ack\n";

/* Parse the number of a descriptor. Return: the number, or -1. */
static int parse_descriptor(const char *text)
{
	unsigned long fd;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	fd = strtoul(text, &end, 10);
	return errno || *end || fd > INT_MAX ? -1 : (int)fd;
}

/* Return: a reason why @fd cannot be used in @mode, O_RDONLY or O_WRONLY; or NULL. */
static const char *refuse_descriptor(int fd, int mode)
{
	int flags = fcntl(fd, F_GETFL), own = fcntl(fd, F_GETFD);
	struct stat st;

	/* A descriptor that perf has opened itself would be closed by exec. */
	if (flags < 0 || own < 0 || own & FD_CLOEXEC || fstat(fd, &st))
		return "is not open";
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode) && !S_ISCHR(st.st_mode))
		return "is a file";
	if ((flags & O_ACCMODE) != O_RDWR && (flags & O_ACCMODE) != mode)
		return mode == O_RDONLY ? "is open only for writing" : "is open only for reading";
	return NULL;
}

/* Take an inherited descriptor. Return: the descriptor, or -1 with @err and @status set. */
static int take_descriptor(const char *text, int mode, int *status, struct error *err)
{
	int fd = parse_descriptor(text);
	const char *reason;

	*status = EXIT_USAGE;
	if (fd < 0) {
		error_set(err,
			  "--control: '%s' is not the number of a descriptor; give fd:COMMANDS[,ACKS], as fd:3,4",
			  text);
		return -1;
	}
	*status = EXIT_FAILED;
	reason = refuse_descriptor(fd, mode);
	if (!reason)
		return fd;
	error_set(err,
		  "--control: descriptor %d %s; give one end of a pipe or a socket that perf inherits",
		  fd, reason);
	return -1;
}

/*
 * Open a FIFO for reading and writing, so that it has an end only when perf closes it. A file of
 * another kind is not opened at all, because that may have an effect, and no link is followed.
 */
static int open_fifo(const char *path, int *status, struct error *err)
{
	int place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd = -1;
	struct stat st;
	char *again;

	*status = *path ? EXIT_FAILED : EXIT_USAGE;
	if (!*path) {
		error_set(err, "--control: a FIFO has no name; give fifo:COMMANDS[,ACKS]");
		return -1;
	}
	if (place < 0) {
		error_set(err, "--control: %s: %s; create it with mkfifo", path, strerror(errno));
		return -1;
	}
	if (fstat(place, &st) || !S_ISFIFO(st.st_mode)) {
		error_set(err, "--control: %s is %s; create a FIFO with mkfifo", path,
			  S_ISLNK(st.st_mode) ? "a link, which is not followed" : "not a FIFO");
	} else {
		again = xasprintf("/proc/self/fd/%d", place);
		fd = open(again, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			error_set(err,
				  "--control: %s: %s; perf needs permission to read and to write it",
				  path, strerror(errno));
		free(again);
	}
	close(place);
	return fd;
}

/* Open one of the two descriptors. Return: the descriptor, or -1 with @err and @status set. */
static int open_one(const struct control_channel *ch, const char *name, int mode, int *status,
		    struct error *err)
{
	return ch->opened ? open_fifo(name, status, err) :
			    take_descriptor(name, mode, status, err);
}

/* Open both. Return: as control_channel_open(). */
static int open_names(struct control_channel *ch, char *names, struct error *err)
{
	char *comma = strchr(names, ',');
	int status = 0;

	if (comma)
		*comma = '\0';
	ch->commands = open_one(ch, names, O_RDONLY, &status, err);
	if (ch->commands < 0)
		return status;
	if (comma) {
		ch->acks = open_one(ch, comma + 1, O_WRONLY, &status, err);
		if (ch->acks < 0) {
			control_channel_close(ch);
			return status;
		}
	}
	return 0;
}

int control_channel_open(struct control_channel *ch, const char *where, struct error *err)
{
	const char *colon = strchr(where, ':');
	bool fifo = !strncmp(where, "fifo:", 5);
	char *names;
	int status;

	*ch = (struct control_channel){ .commands = -1, .acks = -1, .opened = fifo };
	if (!colon || (!fifo && strncmp(where, "fd:", 3))) {
		error_set(err,
			  "--control: '%s' is neither fd:COMMANDS[,ACKS] nor fifo:COMMANDS[,ACKS]",
			  where);
		return EXIT_USAGE;
	}
	names = xstrdup(colon + 1);
	status = open_names(ch, names, err);
	free(names);
	return status;
}

int control_channel_watch(struct control_channel *ch, struct watch *watch, struct error *err)
{
	if (ch->commands < 0 || ch->ended || watch_input(watch, ch->commands))
		return 0;
	error_set(err,
		  "--control: descriptor %d cannot be waited for; give one end of a pipe or a socket",
		  ch->commands);
	return -1;
}

/*
 * Read or write without waiting. The flag O_NONBLOCK of an inherited descriptor is also that of its
 * other users, so perf does not change it.
 */
static ssize_t transfer_now(int fd, const struct iovec *bytes, bool write)
{
	struct pollfd ready = { .fd = fd, .events = write ? POLLOUT : POLLIN };
	ssize_t n = write ? pwritev2(fd, bytes, 1, -1, RWF_NOWAIT) :
			    preadv2(fd, bytes, 1, -1, RWF_NOWAIT);

	/* A terminal does not know the flag. */
	if (n >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS))
		return n;
	if (poll(&ready, 1, 0) == 1)
		return write ? writev(fd, bytes, 1) : readv(fd, bytes, 1);
	errno = EAGAIN;
	return -1;
}

bool control_channel_read(struct control_channel *ch, struct watch *watch)
{
	const struct iovec room = { ch->text + ch->used, CONTROL_LINE_MAX - ch->used };
	ssize_t n = transfer_now(ch->commands, &room, false);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		if (n < 0)
			warn("--control: cannot read commands: %s; the measurement goes on without them",
			     strerror(errno));
		ch->ended = true;
		watch_no_input(watch, ch->commands);
		return true;
	}
	ch->used += n;
	return (size_t)n < room.iov_len;
}

/* Return the number of bytes before the first end of a command, or @size. */
static size_t line_length(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size && text[i] && text[i] != '\n'; i++)
		;
	return i;
}

/* Copy a command without the blanks around it. */
static void copy_trimmed(char *to, const char *text, size_t length)
{
	while (length && isblank((unsigned char)*text)) {
		text++;
		length--;
	}
	while (length && isblank((unsigned char)text[length - 1]))
		length--;
	memcpy(to, text, length);
	to[length] = '\0';
}

/* Leave a command out whose end does not fit. */
static void skip_long(struct control_channel *ch)
{
	if (!ch->skipping)
		warn("--control: a command has more than %d bytes, and is left out; end each command with a newline",
		     CONTROL_LINE_MAX);
	ch->skipping = true;
	ch->used = 0;
}

bool control_channel_next(struct control_channel *ch, char *line, size_t size)
{
	size_t length;
	bool skipped;

	do {
		length = line_length(ch->text, ch->used);
		if (length == ch->used || length >= size) {
			if (ch->used == CONTROL_LINE_MAX || ch->skipping)
				skip_long(ch);
			return false;
		}
		copy_trimmed(line, ch->text, length);
		ch->used -= length + 1;
		memmove(ch->text, ch->text + length + 1, ch->used);
		skipped = ch->skipping;
		ch->skipping = false;
	} while (skipped || !*line);
	return true;
}

/* Write to a pipe that may have no reader, and take the signal of that away. */
static ssize_t write_unharmed(int fd, const struct iovec *bytes)
{
	const struct timespec now = { 0 };
	sigset_t set, before;
	ssize_t n;
	int error;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	n = transfer_now(fd, bytes, true);
	error = errno;
	if (n < 0 && error == EPIPE)
		sigtimedwait(&set, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return n;
}

void control_channel_ack(struct control_channel *ch)
{
	const struct iovec bytes = { (void *)acknowledgment, sizeof(acknowledgment) };

	if (ch->acks < 0 || write_unharmed(ch->acks, &bytes) >= 0 || ch->acks_fail)
		return;
	ch->acks_fail = true;
	if (errno == EAGAIN)
		warn("--control: acknowledgments are lost, because nobody reads them; read one after each command");
	else
		warn("--control: acknowledgments are lost: %s; keep the other end open",
		     strerror(errno));
}

void control_channel_close(struct control_channel *ch)
{
	if (ch->opened && ch->commands >= 0)
		close(ch->commands);
	if (ch->opened && ch->acks >= 0)
		close(ch->acks);
	ch->commands = -1;
	ch->acks = -1;
}
