// SPDX-License-Identifier: GPL-2.0
/*
 * Open counters: one descriptor per event, CPU and task, as few as the kernel
 * allows.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "abi.h"
#include "counters.h"
#include "pmu_holder.h"

/* How often to list the threads of a process that keeps creating new ones. */
#define LIST_ATTEMPTS 10

void count_add(struct count *sum, const struct count *add)
{
	sum->value += add->value;
	sum->enabled += add->enabled;
	sum->running += add->running;
}

struct count count_since(const struct count *now, const struct count *before)
{
	return (struct count){ now->value - before->value, now->enabled - before->enabled,
			       now->running - before->running };
}

double count_scaled(const struct count *count)
{
	if (!count->running || count->running >= count->enabled)
		return count->value;
	return (double)count->value * count->enabled / count->running;
}

struct counter *counters_at(const struct counters *cs, size_t event, size_t cpu, size_t task)
{
	return &cs->counters[(event * cs->cpus.nr + cpu) * cs->tids.nr + task];
}

size_t counters_per_event(const struct counters *cs)
{
	return cs->cpus.nr * cs->tids.nr;
}

size_t counters_nr_open(const struct counters *cs)
{
	size_t i, open = 0;

	for (i = 0; i < cs->events->nr * counters_per_event(cs); i++)
		open += cs->counters[i].fd >= 0;
	return open;
}

/* Errors that say "not on this machine", not "not like this". */
static bool is_missing(int error)
{
	return error == ENOENT || error == EOPNOTSUPP || error == ENXIO || error == ENODEV;
}

static bool is_left_out(const struct event *event, int error)
{
	return is_missing(error) || (error == EBUSY && event->by_default);
}

int counters_event_error(const struct counters *cs, size_t event)
{
	size_t i, nr = counters_per_event(cs);
	const struct counter *first = &cs->counters[event * nr];

	for (i = 0; i < nr; i++) {
		if (is_left_out(&cs->events->events[event], first[i].error))
			return first[i].error;
	}
	return 0;
}

/* Up to which value of the sysctl users may open this counter on a task of theirs, or on a CPU. */
static int paranoid_allowed(const struct event *event, int tid)
{
	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		return -1;
	if (tid < 0)
		return 0;
	return event->attr.exclude_kernel ? 2 : 1;
}

static const char *what_is_counted(const struct event *event, int tid)
{
	if (tid < 0)
		return "whole CPUs";
	return event->attr.exclude_kernel ? "anything" : "the kernel";
}

/* What somebody needs who may not open this counter. */
static void explain_permission(const struct event *event, int error, int tid, struct error *err)
{
	int allowed = paranoid_allowed(event, tid);
	long paranoid;

	if (!abi_sysctl("paranoid", &paranoid))
		error_set(err, "event '%s': %s; be root or have CAP_PERFMON", event->name,
			  strerror(error));
	else if (paranoid > allowed)
		error_set(err,
			  "event '%s': no permission to count %s: kernel.%s is %ld; be root, have CAP_PERFMON, or set it to %d",
			  event->name, what_is_counted(event, tid), abi_sysctl_name("paranoid"),
			  paranoid, allowed);
	else
		error_set(err,
			  "event '%s': no permission to count task %d, it is somebody else's; be root or have CAP_PERFMON",
			  event->name, tid);
}

static void explain_busy(const struct event *event, struct error *err)
{
	struct pmu_holder holder = pmu_holder();
	bool samples = event->attr.freq || event->attr.sample_period;

	error_set(err, "event '%s': the PMU is in use by %s; %s%s", event->name, holder.who,
		  holder.remedy, samples ? ", or sample cpu-clock, which needs no PMU" : "");
}

static void explain_missing(const struct event *event, int error, struct error *err)
{
	if (error == EOPNOTSUPP && event->attr.precise_ip)
		error_set(err, "event '%s': this machine has no precise samples; leave out p",
			  event->name);
	else
		error_set(err,
			  "event '%s': this machine cannot count it; 'perf list' shows what it can",
			  event->name);
}

static void explain_invalid(const struct event *event, struct error *err)
{
	bool hardware = event->attr.type != PERF_TYPE_SOFTWARE &&
			event->attr.type != PERF_TYPE_TRACEPOINT;

	error_set(err, "event '%s': the kernel refuses it with these options and modifiers%s",
		  event->name,
		  hardware ? ", or the PMU has too few counters for its group" : "");
}

void counters_explain(const struct event *event, int error, int cpu, int tid, struct error *err)
{
	switch (error) {
	case EACCES:
	case EPERM:
		explain_permission(event, error, tid, err);
		break;
	case ESRCH:
		error_set(err, "event '%s': task %d does not exist any more", event->name, tid);
		break;
	case EMFILE:
		error_set(err,
			  "event '%s': all descriptors that a process may have are in use; raise the hard limit (ulimit -Hn)",
			  event->name);
		break;
	case ENFILE:
		error_set(err,
			  "event '%s': all descriptors of the system are in use; raise the sysctl fs.file-max",
			  event->name);
		break;
	case ENODEV:
		error_set(err, "event '%s': CPU %d is not online", event->name, cpu);
		break;
	case EBUSY:
		explain_busy(event, err);
		break;
	case ENOENT:
	case EOPNOTSUPP:
	case ENXIO:
		explain_missing(event, error, err);
		break;
	case EINVAL:
		explain_invalid(event, err);
		break;
	default:
		error_set(err, "event '%s': %s", event->name, strerror(error));
	}
}

/* May a user who was refused count at least what runs in user mode? */
static bool restrict_to_user(struct event *event, int error)
{
	long paranoid;

	if ((error != EACCES && error != EPERM) || event->has_modifiers ||
	    !abi_sysctl("paranoid", &paranoid) || paranoid < 2)
		return false;
	event_exclude_kernel(event);
	return true;
}

/*
 * One counter. Leaders start the whole group: members are on from the start,
 * and count when their leader does.
 */
static int open_one(struct counters *cs, size_t e, size_t c, size_t t, bool command,
		    struct error *err)
{
	struct event *event = &cs->events->events[e];
	struct counter *counter = counters_at(cs, e, c, t);
	struct perf_event_attr attr;
	int group_fd = -1;

	if (event->leader != e) {
		const struct counter *leader = counters_at(cs, event->leader, c, t);

		if (leader->fd < 0) {
			*counter = *leader;
			return 0;
		}
		group_fd = leader->fd;
	}
	do {
		attr = event->attr;
		attr.disabled = group_fd < 0;
		attr.enable_on_exec = group_fd < 0 && command;
		counter->fd = abi_open(&attr, cs->tids.values[t], cs->cpus.values[c], group_fd);
	} while (counter->fd < 0 && restrict_to_user(event, errno));
	if (counter->fd >= 0)
		return 0;

	counter->error = errno;
	if (is_left_out(event, counter->error) &&
	    !(counter->error == ENODEV && cs->cpus.values[c] >= 0))
		return 0;
	/* A thread may end at any time; that none is left is noticed in the end. */
	if (counter->error == ESRCH && cs->tids.nr > 1)
		return 0;
	counters_explain(event, counter->error, cs->cpus.values[c], cs->tids.values[t], err);
	return -1;
}

static int open_all(struct counters *cs, bool command, struct error *err)
{
	size_t e, c, t, nr = cs->events->nr * counters_per_event(cs);

	cs->counters = xcalloc(nr, sizeof(*cs->counters));
	for (e = 0; e < nr; e++)
		cs->counters[e].fd = -1;
	for (e = 0; e < cs->events->nr; e++) {
		for (c = 0; c < cs->cpus.nr; c++) {
			for (t = 0; t < cs->tids.nr; t++) {
				if (open_one(cs, e, c, t, command, err))
					return -1;
			}
		}
	}
	return 0;
}

static void close_all(struct counters *cs)
{
	size_t i;

	if (!cs->counters)
		return;
	/* The last first: a group lives as long as its leader. */
	for (i = cs->events->nr * counters_per_event(cs); i--;) {
		if (cs->counters[i].fd >= 0)
			close(cs->counters[i].fd);
	}
	free(cs->counters);
	cs->counters = NULL;
}

/*
 * The threads of a process, each with its counters. A thread that appears
 * while they are opened may have inherited some and not others, or none: only
 * when no thread appeared is every one counted, and counted once. So it is
 * done again until the threads are the same before and after.
 */
static int open_tasks(struct counters *cs, const struct target *target, struct error *err)
{
	struct int_list after = { 0 };
	bool same = false;
	int attempt;

	for (attempt = 0; !same && attempt < LIST_ATTEMPTS; attempt++) {
		close_all(cs);
		int_list_free(&cs->tids);
		target_list_tasks(target, &cs->tids);
		if (!cs->tids.nr) {
			error_set(err, "%s: the tasks have ended", target->name);
			return -1;
		}
		if (open_all(cs, false, err))
			return -1;
		target_list_tasks(target, &after);
		same = int_list_equal(&cs->tids, &after);
		int_list_free(&after);
	}
	if (!same)
		fprintf(stderr,
			"perf: %s: threads come and go too fast, some may be counted twice or not at all\n",
			target->name);
	return 0;
}

static uint64_t ticks_since_boot(void)
{
	long per_second = sysconf(_SC_CLK_TCK);
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * per_second + now.tv_nsec * per_second / 1000000000;
}

bool counters_are_per_cpu(const struct target *target, bool per_cpu)
{
	if (per_cpu || target->kind != TARGET_CPUS)
		return per_cpu;
	return !target->whole_machine || !abi_has_whole_machine();
}

int counters_open(struct counters *cs, struct event_list *events, const struct target *target,
		  pid_t command, bool per_cpu, struct error *err)
{
	const struct int_list *cpus = target->kind == TARGET_CPUS ? &target->cpus : &target->online;
	size_t i;
	int status;

	*cs = (struct counters){ .events = events, .begun = ticks_since_boot() };
	if (counters_are_per_cpu(target, per_cpu)) {
		for (i = 0; i < cpus->nr; i++)
			int_list_add(&cs->cpus, cpus->values[i]);
	} else {
		int_list_add(&cs->cpus, -1);
	}
	if (target->kind == TARGET_TASKS) {
		status = open_tasks(cs, target, err);
	} else {
		int_list_add(&cs->tids, target->kind == TARGET_COMMAND ? command : -1);
		status = open_all(cs, target->kind == TARGET_COMMAND, err);
	}
	if (status)
		counters_close(cs);
	return status;
}

static int control_event(const struct counters *cs, size_t event, unsigned long request)
{
	size_t i, nr = counters_per_event(cs);
	int fd;

	for (i = 0; i < nr; i++) {
		fd = cs->counters[event * nr + i].fd;
		if (fd >= 0 && ioctl(fd, request, 0))
			return -1;
	}
	return 0;
}

/* Switch the leaders of all groups; members follow. */
static int control_leaders(const struct counters *cs, unsigned long request)
{
	size_t e;

	for (e = 0; e < cs->events->nr; e++) {
		if (cs->events->events[e].leader == e && control_event(cs, e, request))
			return -1;
	}
	return 0;
}

static int explain_enable(struct error *err)
{
	error_set(err, "the counters cannot be enabled: %s", strerror(errno));
	return -1;
}

int counters_enable_event(const struct counters *cs, size_t event, struct error *err)
{
	return control_event(cs, event, PERF_EVENT_IOC_ENABLE) ? explain_enable(err) : 0;
}

int counters_enable(const struct counters *cs, struct error *err)
{
	return control_leaders(cs, PERF_EVENT_IOC_ENABLE) ? explain_enable(err) : 0;
}

void counters_disable(const struct counters *cs)
{
	control_leaders(cs, PERF_EVENT_IOC_DISABLE);
}

int counter_read(const struct counter *counter, struct count *count)
{
	uint64_t words[3];

	if (read(counter->fd, words, sizeof(words)) != sizeof(words))
		return -1;
	*count = (struct count){ words[0], words[1], words[2] };
	return 0;
}

void counters_close(struct counters *cs)
{
	close_all(cs);
	int_list_free(&cs->cpus);
	int_list_free(&cs->tids);
}
