// SPDX-License-Identifier: GPL-2.0
/* Open counters: a descriptor per event, CPU and task, or fewer where the kernel allows it. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "syscall.h"
#include "counter_error.h"
#include "counters.h"
#include "cpu_rows.h"
#include "pmu_holder.h"
#include "tracepoints.h"

static const struct counter NO_COUNTER = { .fd = -1 };

/*
 * Limits on the attempts to open a process that keeps creating threads. Give up after LIST_ATTEMPTS
 * attempts and LIST_OPENED opened counters, whichever comes later. A few threads that come and go
 * all the time may need tens of attempts, which are cheap.
 */
#define LIST_ATTEMPTS 10
#define LIST_OPENED 10000

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

/* Return true for errors that mean that this machine lacks the event, whatever its options. */
static bool is_missing(int error)
{
	return error == ENOENT || error == EOPNOTSUPP || error == ENXIO || error == ENODEV;
}

static bool is_left_out(const struct event *event, int error)
{
	bool refused = error == EBUSY || (error == EACCES && pmu_needs_privilege());

	return is_missing(error) || (refused && event->by_default);
}

/* Return true if the event belongs to CPUs of another kind than CPU number @number. */
static bool is_of_other_cpus(const struct event *event, int number)
{
	return event->cpus.nr && number >= 0 && !int_list_has(&event->cpus, number);
}

static bool cpu_lacks_event(const struct counters *cs, const struct event *event, size_t cpu)
{
	return is_of_other_cpus(event, cs->cpus.values[cpu]);
}

const struct int_list *counters_read_cpus(const struct counters *cs)
{
	return cs->rows.nr ? &cs->rows : &cs->cpus;
}

bool counters_has_cpu(const struct counters *cs, size_t event, size_t cpu)
{
	if (!cs->rows.nr)
		return counters_at(cs, event, cpu, 0)->fd >= 0;
	return counters_at(cs, event, 0, 0)->fd >= 0 &&
	       !is_of_other_cpus(&cs->events->events[event], cs->rows.values[cpu]);
}

int counters_event_error(const struct counters *cs, size_t event)
{
	const struct event *e = &cs->events->events[event];
	int error, lacking = ENOENT;
	size_t c, t;

	for (c = 0; c < cs->cpus.nr; c++) {
		if (cpu_lacks_event(cs, e, c))
			continue;
		lacking = 0;
		for (t = 0; t < cs->tids.nr; t++) {
			error = counters_at(cs, event, c, t)->error;
			if (is_left_out(e, error))
				return error;
		}
	}
	return lacking;
}

/*
 * Lower the precision after a refusal if the user wants the highest possible one. Return: true if
 * opening the event may work now.
 */
static bool lower_precision(struct event *event, int error)
{
	if (!event->precise_max || !event->attr.precise_ip ||
	    (error != EINVAL && error != EOPNOTSUPP && error != ENOENT))
		return false;
	event->attr.precise_ip--;
	return true;
}

/* Restrict an event to user mode after a refusal. Return: true if opening it may work now. */
static bool restrict_to_user(struct event *event, int error)
{
	long paranoid;

	/* An event of the kernel counts nothing in user mode. */
	if (event->attr.type == PERF_TYPE_TRACEPOINT && !tracepoint_is_in_user(event->name))
		return false;

	if ((error != EACCES && error != EPERM) || event->has_modifiers ||
	    !perf_sysctl("paranoid", &paranoid) || paranoid < 2)
		return false;
	event_exclude_kernel(event);
	return true;
}

static int set_filter(const struct event *event, struct counter *counter, struct error *err)
{
	if (!event->filter || !ioctl(counter->fd, PERF_EVENT_IOC_SET_FILTER, event->filter))
		return 0;
	counter_explain_filter(event, errno, err);
	return -1;
}

static int open_attr(const struct event *event, struct perf_event_attr *attr, int tid, int cpu,
		     int group_fd)
{
	/* A task may exec before it enters a control group, so side-band events have none. */
	syscall_choose_cgroup(event->cgroup ? event->cgroup->fd : -1);
	if (event->perf_event_only)
		return syscall_open_perf_event(attr, tid, cpu, group_fd);
	return syscall_open(attr, tid, cpu, group_fd);
}

/*
 * Open one counter. Members of a group are enabled from the start and count with their leader,
 * so the leader starts the whole group.
 */
static int open_one(struct counters *cs, size_t e, size_t c, size_t t, bool command,
		    struct error *err)
{
	struct event *event = &cs->events->events[e];
	struct counter *counter = counters_at(cs, e, c, t);
	struct perf_event_attr attr;
	int group_fd = -1;

	if (counter->fd >= 0 || cpu_lacks_event(cs, event, c))
		return 0;
	/* An event that counts the machine needs one descriptor per CPU, not one per task. */
	if (event->of_machine && t)
		return 0;
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
		attr.enable_on_exec = group_fd < 0 && command && !event->of_machine &&
				      !event->delayed;
		counter->fd = open_attr(event, &attr, event->of_machine ? -1 : cs->tids.values[t],
					cs->cpus.values[c], group_fd);
	} while (counter->fd < 0 &&
		 (lower_precision(event, errno) || restrict_to_user(event, errno)));
	if (counter->fd >= 0)
		return set_filter(event, counter, err);

	counter->error = errno;
	if (is_left_out(event, counter->error) &&
	    !(counter->error == ENODEV && cs->cpus.values[c] >= 0))
		return 0;
	/* A thread may exit at any time; open_tasks() notices if none is left. */
	if (counter->error == ESRCH && cs->tids.nr > 1)
		return 0;
	/* The user did not name the early events; the named events need the same permission. */
	counter_explain(event->early ? &cs->events->events[0] : event, counter->error,
			cs->cpus.values[c], cs->tids.values[t], err);
	return -1;
}

static int open_event(struct counters *cs, size_t event, const struct int_list *tids, bool command,
		      struct error *err)
{
	size_t c, t;

	for (c = 0; c < cs->cpus.nr; c++) {
		for (t = 0; t < cs->tids.nr; t++) {
			if (int_list_has(tids, cs->tids.values[t]) &&
			    open_one(cs, event, c, t, command, err))
				return -1;
		}
	}
	return 0;
}

/*
 * Return true if the event is opened in this pass. The first pass opens early events, the second
 * pass all others. An early event that is not inherited is opened in both passes, because a thread
 * that appears after the first pass has no counter of it.
 */
static bool is_due(const struct event *event, bool early)
{
	return event->early == early || (event->early && !event->attr.inherit);
}

/* Open the early events, or all others, for some of the tasks. */
static int open_events(struct counters *cs, bool early, const struct int_list *tids, bool command,
		       struct error *err)
{
	size_t e;

	for (e = 0; e < cs->events->nr; e++) {
		if (is_due(&cs->events->events[e], early) &&
		    open_event(cs, e, tids, command, err))
			return -1;
	}
	return 0;
}

static void close_events(struct counters *cs, bool early)
{
	size_t e, i, nr = counters_per_event(cs);

	/* Close members before their leaders. */
	for (e = cs->events->nr; e--;) {
		for (i = 0; cs->events->events[e].early == early && i < nr; i++) {
			struct counter *counter = &cs->counters[e * nr + i];

			if (counter->fd >= 0)
				close(counter->fd);
			*counter = NO_COUNTER;
		}
	}
}

static bool has_counter(const struct counters *cs, size_t task)
{
	size_t i;

	for (i = task; i < cs->events->nr * counters_per_event(cs); i += cs->tids.nr) {
		if (cs->counters[i].fd >= 0)
			return true;
	}
	return false;
}

static void copy_task(const struct counters *cs, size_t task, const struct counters *old,
		      size_t old_task)
{
	size_t i;

	for (i = 0; i < cs->events->nr * cs->cpus.nr; i++)
		cs->counters[i * cs->tids.nr + task] = old->counters[i * old->tids.nr + old_task];
}

/* Set the list of tasks: keep those that have counters, and add @tids. */
static void set_tasks(struct counters *cs, const struct int_list *tids)
{
	struct counters old = *cs;
	struct int_list kept = { 0 };
	size_t i, t;

	cs->tids = (struct int_list){ 0 };
	for (t = 0; t < old.tids.nr; t++) {
		if (!has_counter(&old, t))
			continue;
		int_list_add(&kept, t);
		int_list_add(&cs->tids, old.tids.values[t]);
	}
	int_list_add_new(&cs->tids, tids);
	cs->counters = xcalloc(cs->events->nr * counters_per_event(cs), sizeof(*cs->counters));
	for (i = 0; i < cs->events->nr * counters_per_event(cs); i++)
		cs->counters[i] = NO_COUNTER;
	for (t = 0; t < kept.nr; t++)
		copy_task(cs, t, &old, kept.values[t]);
	int_list_free(&kept);
	int_list_free(&old.tids);
	free(old.counters);
}

/*
 * Open the counters for each thread of a process. A thread that appears meanwhile may have
 * inherited some counters, or none. Each thread is counted exactly once only if no thread appeared.
 * So repeat until no further thread exists after all have been opened.
 */
static int open_tasks(struct counters *cs, const struct target *target, bool early,
		      struct error *err)
{
	struct int_list tids = { 0 };
	size_t opened = 0;
	int attempt, status = 0;
	bool all = false;

	for (attempt = 0; !status && !all; attempt++) {
		if (attempt >= LIST_ATTEMPTS && opened >= LIST_OPENED)
			break;
		close_events(cs, early);
		target_list_tasks(target, &tids);
		set_tasks(cs, &tids);
		if (tids.nr) {
			status = open_events(cs, early, &tids, false, err);
		} else {
			error_set(err, "%s: the tasks have ended", target->name);
			status = -1;
		}
		all = target_has_only(target, &tids);
		opened += cs->events->nr * counters_per_event(cs);
		int_list_free(&tids);
	}
	if (!status && !all)
		fprintf(stderr,
			"perf: %s: threads come and go too fast, some may be counted twice or not at all\n",
			target->name);
	return status;
}

/* Refuse an event of a PMU that this machine lacks: its number would count something else. */
static int refuse_absent(const struct event_list *events, struct error *err)
{
	size_t e;

	for (e = 0; e < events->nr; e++) {
		const struct event *event = &events->events[e];

		if (!event->absent_pmu)
			continue;
		error_set(err,
			  "event '%s': it belongs to PMU '%s', which this machine or its kernel does not have; 'perf list' shows what can be counted here",
			  event->name, event->absent_pmu);
		return -1;
	}
	return 0;
}

/*
 * Find the groups with an event that perf_counter_open lacks. perf_event_open, which has all their
 * members, must open them. A group that is sampled stays with the subsystem that samples the other
 * events, because it writes to their buffer.
 */
static void find_perf_event_only(struct event_list *events)
{
	struct event *event, *leader;
	size_t e;

	for (e = 0; e < events->nr; e++) {
		event = &events->events[e];
		leader = &events->events[event->leader];
		if (!event->attr.sample_period && !leader->attr.sample_period &&
		    syscall_is_perf_event_only(&event->attr))
			leader->perf_event_only = true;
	}
	for (e = 0; e < events->nr; e++) {
		event = &events->events[e];
		event->perf_event_only = events->events[event->leader].perf_event_only;
	}
}

static bool has_perf_event_only(const struct event_list *events)
{
	size_t e;

	for (e = 0; e < events->nr; e++) {
		if (events->events[e].perf_event_only)
			return true;
	}
	return false;
}

static bool has_of_machine(const struct event_list *events)
{
	size_t e;

	for (e = 0; e < events->nr; e++) {
		if (events->events[e].of_machine)
			return true;
	}
	return false;
}

/*
 * Enable the counters of CPUs just before the exec of the command, which enables only the counters
 * of its own task.
 */
static int enable_of_machine(const struct counters *cs, struct error *err)
{
	size_t e;

	for (e = 0; e < cs->events->nr; e++) {
		const struct event *event = &cs->events->events[e];

		if (event->of_machine && event->leader == e && counters_enable_event(cs, e, err))
			return -1;
	}
	return 0;
}

static bool has_early(const struct event_list *events)
{
	size_t e;

	for (e = 0; e < events->nr; e++) {
		if (events->events[e].early)
			return true;
	}
	return false;
}

static int open_target(struct counters *cs, const struct target *target, bool early,
		       struct error *err)
{
	if (target->kind == TARGET_TASKS)
		return open_tasks(cs, target, early, err);
	return open_events(cs, early, &cs->tids, target->kind == TARGET_COMMAND, err);
}

/*
 * Open early events first: a thread that appears later inherits their counters. So a task may
 * lack a descriptor of an early event, and a task that has exited may have descriptors of early
 * events only; its children need these.
 */
static int open_all(struct counters *cs, const struct target *target,
		    const struct counters_early *early, struct error *err)
{
	if (has_early(cs->events) && open_target(cs, target, true, err))
		return -1;
	if (early && early->ready(early->context, err))
		return -1;
	return open_target(cs, target, false, err);
}

bool counters_are_per_cpu(const struct target *target, enum counters_split split)
{
	if (split == COUNTERS_OPEN_CPUS)
		return true;
	if (target->kind != TARGET_CPUS)
		return split != COUNTERS_SUM;
	if (!target->whole_machine || !syscall_has_whole_machine())
		return true;
	return split == COUNTERS_READ_CPUS && !cpu_rows_are_supported();
}

int counters_open(struct counters *cs, struct event_list *events, const struct target *target,
		  pid_t command, enum counters_split split, const struct counters_early *early,
		  struct error *err)
{
	const struct int_list *cpus = target->kind == TARGET_CPUS ? &target->cpus : &target->online;
	struct int_list tids = { 0 };

	*cs = (struct counters){ .events = events };
	if (refuse_absent(events, err))
		return -1;
	find_perf_event_only(events);
	/* perf_event_open has no descriptor for the whole machine. */
	if (counters_are_per_cpu(target, split) || has_of_machine(events) ||
	    (target->kind == TARGET_CPUS && has_perf_event_only(events))) {
		int_list_add_new(&cs->cpus, cpus);
	} else {
		int_list_add(&cs->cpus, -1);
		if (split == COUNTERS_READ_CPUS)
			int_list_add_new(&cs->rows, cpus);
	}
	if (target->kind != TARGET_TASKS)
		int_list_add(&tids, target->kind == TARGET_COMMAND ? command : -1);
	set_tasks(cs, &tids);
	int_list_free(&tids);
	if (!open_all(cs, target, early, err) &&
	    (target->kind != TARGET_COMMAND || !enable_of_machine(cs, err)))
		return 0;
	if (early)
		early->undo(early->context);
	counters_close(cs);
	return -1;
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

/*
 * Enable or disable the leaders of groups, except early events. The members of a group count only
 * while their leader does.
 */
static int control_leaders(const struct counters *cs, unsigned long request)
{
	size_t e;

	for (e = 0; e < cs->events->nr; e++) {
		const struct event *event = &cs->events->events[e];

		if (event->leader == e && !event->early && control_event(cs, e, request))
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

void counters_disable_event(const struct counters *cs, size_t event)
{
	control_event(cs, event, PERF_EVENT_IOC_DISABLE);
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

/* Read one descriptor that counts all CPUs of @rows. */
static void read_rows(const struct counters *cs, size_t event,
		      void (*add)(void *context, size_t cpu, size_t task,
				  const struct count *count), void *context)
{
	const struct counter *counter = counters_at(cs, event, 0, 0);
	struct count *counts = xcalloc(cs->rows.nr, sizeof(*counts));
	size_t cpu;

	if (counter->fd >= 0 && !cpu_rows_read(counter->fd, &cs->rows, counts)) {
		for (cpu = 0; cpu < cs->rows.nr; cpu++)
			add(context, cpu, 0, &counts[cpu]);
	}
	free(counts);
}

void counters_read_event(const struct counters *cs, size_t event,
			 void (*add)(void *context, size_t cpu, size_t task,
				     const struct count *count), void *context)
{
	const struct counter *counter;
	struct count count;
	size_t cpu, task;

	if (cs->rows.nr) {
		read_rows(cs, event, add, context);
		return;
	}
	for (cpu = 0; cpu < cs->cpus.nr; cpu++) {
		for (task = 0; task < cs->tids.nr; task++) {
			counter = counters_at(cs, event, cpu, task);
			if (counter->fd >= 0 && !counter_read(counter, &count))
				add(context, cpu, task, &count);
		}
	}
}

void counters_close(struct counters *cs)
{
	if (!cs->counters)
		return;
	close_events(cs, false);
	close_events(cs, true);
	free(cs->counters);
	cs->counters = NULL;
	int_list_free(&cs->cpus);
	int_list_free(&cs->rows);
	int_list_free(&cs->tids);
}
