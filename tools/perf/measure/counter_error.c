// SPDX-License-Identifier: GPL-2.0
/* Messages for counters that cannot be opened. */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "syscall.h"
#include "counter_error.h"
#include "event_names.h"
#include "pmu_holder.h"
#include "tracepoints.h"

static bool is_software(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE || event->attr.type == PERF_TYPE_TRACEPOINT;
}

/* Return true if samples contain the records of a tracepoint. */
static bool shows_records(const struct event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT &&
	       (event->attr.sample_type & PERF_SAMPLE_RAW);
}

/* Return true if the event counts the kernel, or records branches of the kernel. */
static bool sees_kernel(const struct event *event)
{
	return !event->attr.exclude_kernel ||
	       event->attr.branch_sample_type & (PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV);
}

/*
 * Return the largest value of the paranoid sysctl with which a user may open this counter: on a
 * task of the user, or on a CPU.
 */
static int paranoid_allowed(const struct event *event, int tid)
{
	if (shows_records(event) && (tid < 0 || !tracepoint_is_in_user(event->name)))
		return -1;
	if (tid < 0)
		return 0;
	return sees_kernel(event) ? 1 : 2;
}

static const char *what_is_counted(const struct event *event, int tid)
{
	if (tid < 0)
		return "whole CPUs";
	if (shows_records(event))
		return "tracepoints with their records";
	return sees_kernel(event) ? "the kernel" : "anything";
}

/*
 * Return true if the task is of another user. The link in /proc needs the same permission as a
 * counter of the task.
 */
static bool is_foreign(int tid)
{
	char path[32], target[1];

	snprintf(path, sizeof(path), "/proc/%d/exe", tid);
	return tid > 0 && readlink(path, target, sizeof(target)) < 0 &&
	       (errno == EACCES || errno == EPERM);
}

bool error_is_of_filter(int error, int seccomp_mode)
{
	return (error == EPERM || error == ENOSYS) && seccomp_mode == SECCOMP_MODE_FILTER;
}

/*
 * Set @err if a seccomp filter of perf refused the system call. The kernel itself refuses a counter
 * with EACCES, so EPERM comes from a filter if the process has one. Return: true if a filter
 * refused it.
 */
static bool explain_filter_of_process(const struct event *event, int error, struct error *err)
{
	if (!error_is_of_filter(error, proc_status(getpid(), "Seccomp")))
		return false;
	error_set(err,
		  "event '%s': a seccomp filter denies the system call, as those of containers do; start the container with --cap-add PERFMON, or with a seccomp profile that allows perf_event_open",
		  event->name);
	return true;
}

/* Explain which permission the user lacks. */
static void explain_permission(const struct event *event, int error, int tid, struct error *err)
{
	int allowed = paranoid_allowed(event, tid);
	long paranoid;

	if (event->attr.type == PERF_TYPE_TRACEPOINT && !geteuid())
		error_set(err,
			  "event '%s': the kernel does not sample it, as writing a sample raises it again; leave it out, or count it with perf stat",
			  event->name);
	else if (!perf_sysctl("paranoid", &paranoid))
		error_set(err, "event '%s': %s; be root or have CAP_PERFMON", event->name,
			  strerror(error));
	else if (paranoid > allowed && !is_foreign(tid))
		error_set(err,
			  "event '%s': no permission to count %s: kernel.%s is %ld; be root, have CAP_PERFMON, or set it to %d",
			  event->name, what_is_counted(event, tid), perf_sysctl_name("paranoid"),
			  paranoid, allowed);
	else if (!is_foreign(tid) && !is_software(event) && pmu_needs_privilege())
		error_set(err,
			  "event '%s': no permission to count events of the PMU: kernel.perf_counter_pmu is 1; be root, have CAP_PERFMON, or set it to 2",
			  event->name);
	else
		error_set(err,
			  "event '%s': no permission to count task %d of another user; be root or have CAP_PERFMON",
			  event->name, tid);
}

static void explain_busy(const struct event *event, struct error *err)
{
	struct pmu_holder holder = pmu_holder();
	bool samples = event->attr.freq || event->attr.sample_period;

	error_set(err, "event '%s': the PMU is in use by %s; %s%s", event->name, holder.who,
		  holder.remedy, samples ? ", or sample cpu-clock, which needs no PMU" : "");
}

static bool is_accepted(const struct event *event, bool branches)
{
	struct perf_event_attr attr = event->attr;

	attr.disabled = 1;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	if (!branches) {
		attr.branch_sample_type = 0;
		attr.sample_type &= ~(__u64)PERF_SAMPLE_BRANCH_STACK;
	}
	return syscall_accepts(&attr, 0, -1);
}

/* Set @err if branch records are the reason for the refusal. Return: true if they are. */
static bool explain_branches(const struct event *event, struct error *err)
{
	bool calls = event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
	const char *remedy = calls ? "use --call-graph fp" : "sample it without -b and -j";

	if (!(event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK))
		return false;
	if (is_software(event))
		error_set(err,
			  "event '%s': only events of the PMU record branches; sample cycles, or %s",
			  event->name, remedy);
	else if (!is_accepted(event, false))
		return false;
	else if (!is_accepted(event, true))
		error_set(err,
			  "event '%s': this machine, or its kernel, has no branch records (LBR); %s",
			  event->name, remedy);
	else if (calls)
		error_set(err,
			  "event '%s': this machine's branch records (LBR) cannot record call stacks; %s",
			  event->name, remedy);
	else
		error_set(err,
			  "event '%s': this machine's branch records (LBR) do not support this filter; record all branches with -b",
			  event->name);
	return true;
}

static void explain_missing(const struct event *event, int error, struct error *err)
{
	if (explain_branches(event, err))
		return;
	if (event_is_off_cpu(&event->attr))
		error_set(err, "event '%s': this kernel cannot count it without perf_counter_open%s",
			  event->name,
			  syscall_has_perf_counter() ? ", which PERF_SYSCALL rules out" : "");
	else if (error == EOPNOTSUPP && event->attr.precise_ip)
		error_set(err, "event '%s': this machine has no precise samples; leave out p",
			  event->name);
	else if (event->attr.sample_period && syscall_is_perf_event_only(&event->attr))
		error_set(err,
			  "event '%s': perf_counter_open does not have it, and only perf_event_open can sample it; use PERF_SYSCALL=perf_event_open in the environment",
			  event->name);
	else
		error_set(err,
			  "event '%s': this machine cannot count it; 'perf list' shows what it can",
			  event->name);
}

static void explain_invalid(const struct event *event, struct error *err)
{
	if (explain_branches(event, err))
		return;
	error_set(err, "event '%s': the kernel refuses it with these options and modifiers%s",
		  event->name,
		  is_software(event) ? "" : ", or the PMU has too few counters for its group");
}

void counter_explain_filter(const struct event *event, int error, struct error *err)
{
	char *system = xstrdup(event->name), *name = strchr(system, ':');
	char *fields = NULL;

	if (name) {
		*name++ = '\0';
		name[strcspn(name, ":")] = '\0';
		fields = tracepoint_fields(system, name);
	}
	if (error == EINVAL && fields)
		error_set(err, "event '%s': the kernel refuses filter '%s'; the fields are %s",
			  event->name, event->filter, fields);
	else
		error_set(err, "event '%s': filter '%s': %s", event->name, event->filter,
			  strerror(error));
	free(fields);
	free(system);
}

void counter_explain(const struct event *event, int error, int cpu, int tid, struct error *err)
{
	if (explain_filter_of_process(event, error, err))
		return;
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
			  "event '%s': the process has as many descriptors as it may have; raise the hard limit (ulimit -Hn)",
			  event->name);
		break;
	case ENFILE:
		error_set(err,
			  "event '%s': the system has no free descriptors; raise the sysctl fs.file-max",
			  event->name);
		break;
	case ENOSPC:
		error_set(err,
			  "event '%s': a task or CPU has as many counters as it may have; root may open more, or raise the sysctl kernel.perf_counter_max_per_context",
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
