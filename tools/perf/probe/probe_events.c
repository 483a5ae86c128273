// SPDX-License-Identifier: GPL-2.0
/*
 * Adds, lists and deletes events of tracefs.
 *
 * A line that is written to kprobe_events or uprobe_events is added to them, or removes an event if
 * it begins with '-'. If the kernel refuses the line, the last message in error_log is the reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/measure.h"
#include "probe_events.h"

/* An error number inside the kernel that may reach programs. */
#define KERNEL_ENOTSUPP 524

static int refuse_tracefs(struct error *err)
{
	error_set(err, "cannot read tracefs, or there is none; be root, and use %s",
		  "mount -t tracefs none /sys/kernel/tracing");
	return -1;
}

bool probe_events_has(const char *group, const char *event)
{
	const char *tracefs = tracefs_path();
	char *path;
	bool found;

	if (!tracefs)
		return false;
	path = xasprintf("%s/events/%s/%s", tracefs, group, event);
	found = !access(path, F_OK);
	free(path);
	return found;
}

/*
 * Return the reason of the last error, "[TIME] KIND: error: WHY\n  Command: LINE\n  ^", if it is
 * about @line; otherwise NULL. The caller frees it.
 */
static char *last_error(const char *tracefs, const char *line)
{
	static const char mark[] = ": error: ", command_mark[] = "Command: ";
	char *path = xasprintf("%s/error_log", tracefs), *text, *why = NULL;
	const char *at, *last = NULL, *command;

	text = read_text_file(path, NULL);
	free(path);
	for (at = text; at && (at = strstr(at, mark)); at += strlen(mark))
		last = at + strlen(mark);
	command = last ? strstr(last, command_mark) : NULL;
	/* Another process may have caused a later error. */
	if (command && !strncmp(command + strlen(command_mark), line, strlen(line)))
		why = xstrndup(last, strcspn(last, "\n"));
	free(text);
	return why;
}

static const char *reason_of(int code)
{
	switch (code) {
	case EACCES:
	case EPERM:
		return "no permission; be root";
	case EEXIST:
		return "such an event exists; give another name";
	case EBUSY:
		return "it is in use; end the program that records or counts it";
	case ENOENT:
		return "the kernel has no such function, or allows no probe in it";
	case EILSEQ:
		return "no instruction begins there; use FUNCTION:LINE";
	case EADDRNOTAVAIL:
		return "the kernel has several functions of that name";
	case EINVAL:
		return "the kernel refuses the line, or allows no probe there";
	case EOPNOTSUPP:
	case KERNEL_ENOTSUPP:
		return "the kernel cannot probe that instruction";
	default:
		return strerror(code);
	}
}

static int write_line(const char *line, bool in_kernel, struct error *err)
{
	const char *name = in_kernel ? "kprobe_events" : "uprobe_events", *reason;
	const char *tracefs = tracefs_path();
	char *path, *why;
	int fd, code = 0;

	if (!tracefs)
		return refuse_tracefs(err);
	path = xasprintf("%s/%s", tracefs, name);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		code = errno;
	if (fd >= 0)
		close(fd);
	free(path);
	if (!code)
		return 0;
	if (fd < 0 && code == ENOENT)
		reason = "the kernel has no such events";
	else
		reason = reason_of(code);
	why = fd < 0 ? NULL : last_error(tracefs, line);
	error_set(err, "%s: '%s': %s", name, line, reason);
	if (why)
		error_add(err, ": %s", why);
	free(why);
	return -1;
}

int probe_events_add(const char *line, bool in_kernel, struct error *err)
{
	return write_line(line, in_kernel, err);
}

int probe_events_delete(const struct probe_event *event, struct error *err)
{
	char *line = xasprintf("-:%s", event->name);
	int ret;

	*strchr(line + 2, ':') = '/';
	ret = write_line(line, event->in_kernel, err);
	free(line);
	return ret;
}

static bool matches(const char *pattern, const char *name)
{
	if (!pattern)
		return true;
	return !fnmatch(pattern, strchr(pattern, ':') ? name : strchr(name, ':') + 1, 0);
}

/* Visit the event of a line "p:GROUP/EVENT WHAT" or, for a return, "rN:...". */
static int walk_line(char *line, bool in_kernel, const char *pattern, probe_event_visitor visit,
		     void *context)
{
	char *name = strchr(line, ':'), *slash = strchr(line, '/'), *what = strchr(line, ' ');
	struct probe_event event = { .in_kernel = in_kernel, .is_return = *line == 'r' };

	if (!name || !slash || !what || name > slash || slash > what)
		return 0;
	*slash = ':';
	*what = '\0';
	event.name = name + 1;
	event.what = what + 1;
	return matches(pattern, event.name) ? visit(context, &event) : 0;
}

static int walk_file(const char *tracefs, bool in_kernel, const char *pattern,
		     probe_event_visitor visit, void *context, struct error *err)
{
	const char *name = in_kernel ? "kprobe_events" : "uprobe_events";
	char *path = xasprintf("%s/%s", tracefs, name), *text, *rest, *line;
	int ret = 0;

	text = read_text_file(path, NULL);
	free(path);
	if (!text && errno == ENOENT)
		return 0;
	if (!text) {
		error_set(err, "%s: %s", name, reason_of(errno));
		return -1;
	}
	for (rest = text; !ret && (line = strsep(&rest, "\n")); )
		ret = walk_line(line, in_kernel, pattern, visit, context);
	free(text);
	return ret;
}

int probe_events_walk(const char *pattern, probe_event_visitor visit, void *context,
		      struct error *err)
{
	const char *tracefs = tracefs_path();
	int ret;

	if (!tracefs)
		return refuse_tracefs(err);
	ret = walk_file(tracefs, true, pattern, visit, context, err);
	return ret ? ret : walk_file(tracefs, false, pattern, visit, context, err);
}
