// SPDX-License-Identifier: GPL-2.0
/*
 * The text of pc_error(): the reason of a thread's last failure, and a remedy.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

static __thread char text[256];

const char *pc_error(void)
{
	return text;
}

const void *thread_here(void)
{
	return text;
}

void no_error(void)
{
	text[0] = 0;
}

int fail(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	errno = error;
	return -1;
}

int explain(int error, const char *name, const char *reason, const char *remedy)
{
	return fail(error, "event '%s': %s: %s", name, reason, remedy);
}

/* Read a number from /proc/sys/kernel. Return: the number, or -1. */
static long sysctl_number(const char *name)
{
	char path[64];
	long value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%ld", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

static int explain_permission(int error, enum pc_interface interface, const char *name,
			      const struct perf_event_attr *attr)
{
	const char *sysctl = interface == PC_PERF_COUNTER ? "perf_counter_paranoid" :
							    "perf_event_paranoid";
	char reason[96], remedy[96];

	snprintf(reason, sizeof(reason), "%s may not be counted while kernel.%s is %ld",
		 attr->exclude_kernel ? "nothing" : "the kernel", sysctl, sysctl_number(sysctl));
	snprintf(remedy, sizeof(remedy), "%srun 'sysctl kernel.%s=%d'",
		 attr->exclude_kernel ? "" : "count ':u' alone, or ", sysctl,
		 attr->exclude_kernel ? 2 : 1);
	return explain(error, name, reason, remedy);
}

static int explain_busy(int error, enum pc_interface interface, const char *name)
{
	if (interface != PC_PERF_COUNTER)
		return explain(error, name, "another subsystem has the PMU", "end other profilers");
	return explain(error, name, "perf_events has the PMU",
		       "end programs that use perf_event_open");
}

static bool is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

/* Return true if the machine has a PMU that can count at least instructions. */
static bool has_pmu(enum pc_interface interface)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = counter_open(interface, &attr, -1);

	if (fd < 0)
		return errno != ENOENT && errno != ENODEV && errno != EOPNOTSUPP;
	close(fd);
	return true;
}

int explain_open(int error, const struct pc_set *set, const char *name,
		 const struct perf_event_attr *attr)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return explain_permission(error, set->interface, name, attr);
	case EBUSY:
		return explain_busy(error, set->interface, name);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		if (is_hardware(attr) && !has_pmu(set->interface))
			return explain(error, name, "this machine has no PMU",
				       "count software events instead");
		return explain(error, name, "this machine cannot count it", "see 'perf list'");
	case EINVAL:
		if (set->nr)
			return explain(error, name, "the group is full",
				       "open it in another set");
		return explain(error, name, "this kernel does not have the event", "see 'perf list'");
	case EMFILE:
		return explain(error, name, "too many open files", "raise 'ulimit -n'");
	case ENOSYS:
		return explain(error, name, "this kernel cannot count events",
			       "it needs CONFIG_PERF_COUNTERS or CONFIG_PERF_EVENTS");
	default:
		return fail(error, "event '%s': %s", name, strerror(error));
	}
}
