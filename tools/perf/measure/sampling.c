// SPDX-License-Identifier: GPL-2.0
/* Options of sampling: the frequency, and the contents of samples. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "syscall.h"
#include "branch_filter.h"
#include "event_names.h"
#include "pmu_holder.h"
#include "sampling.h"

/* Default samples per second. */
#define DEFAULT_FREQ 4000

/* A sampling period for tests of the PMU: some PMUs count, but have no interrupt for sampling. */
#define PROBE_PERIOD 1000000000

/* Try to sample cycles. Return: 0, or the errno of the failure. */
static int cycles_error(void)
{
	struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = PROBE_PERIOD,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};

	if (!syscall_accepts(&cycles, 0, -1))
		return errno;
	return errno == EACCES && pmu_needs_privilege() ? EACCES : 0;
}

int sampling_add_default_event(const struct sampling *s, struct event_list *events,
			       enum loudness loudness, struct error *err)
{
	int error = s->branches || s->lbr ? 0 : cycles_error();
	struct pmu_holder holder;

	if (error == EACCES && pmu_needs_privilege() && loudness != QUIET) {
		warn("sampling cpu-clock, as kernel.perf_counter_pmu is 1; for cycles, be root, have CAP_PERFMON, or set it to 2");
	} else if (error == EBUSY && loudness != QUIET) {
		holder = pmu_holder();
		warn("sampling cpu-clock, as the PMU is in use by %s; for cycles, %s", holder.who,
		     holder.remedy);
	} else if (error && loudness == VERBOSE) {
		warn("sampling cpu-clock, as cycles cannot be counted");
	}
	return event_list_parse(events, error ? "cpu-clock" : "cycles", err);
}

static bool is_alone(const struct event_list *events, size_t i)
{
	return events->events[i].leader == i &&
	       (i + 1 == events->nr || events->events[i + 1].leader == i + 1);
}

/*
 * Name the event after cpu-clock, with its terms and the modifiers for modes, unless the user has
 * named it.
 */
static void rename_cycles(struct event *event)
{
	static const char *const names[] = { "cycles", "cpu-cycles" };
	const char *modifier, *slash = strrchr(event->name, '/');
	size_t i, length, at = strlen("cpu-clock");
	char *name;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		length = strlen(names[i]);
		if (strncmp(event->name, names[i], length) ||
		    (event->name[length] && !strchr(":/", event->name[length])))
			continue;
		name = xasprintf("cpu-clock%s", event->name + length);
		for (modifier = event->name + length; *modifier; modifier++) {
			/* cpu-clock cannot be precise. */
			if (modifier < slash || !strchr("pP", *modifier))
				name[at++] = *modifier;
		}
		if (name[at - 1] == ':')
			at--;
		name[at] = '\0';
		free(event->name);
		event->name = name;
		return;
	}
}

void sampling_replace_cycles(const struct sampling *s, struct event_list *events,
			     enum loudness loudness)
{
	bool replaced = false;
	size_t i;
	int error;

	if (s->branches || s->lbr)
		return;
	for (i = 0; i < events->nr; i++) {
		struct perf_event_attr *attr = &events->events[i].attr;

		if (attr->type != PERF_TYPE_HARDWARE ||
		    attr->config != PERF_COUNT_HW_CPU_CYCLES || attr->branch_sample_type ||
		    events->events[i].sampling.chains == CHAINS_BRANCHES || !is_alone(events, i))
			continue;
		error = cycles_error();
		if (error != ENOENT && error != EOPNOTSUPP && error != ENXIO && error != ENODEV)
			return;
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_CPU_CLOCK;
		attr->precise_ip = 0;
		events->events[i].precise_max = false;
		rename_cycles(&events->events[i]);
		replaced = true;
	}
	if (replaced && loudness != QUIET)
		warn("this machine has no PMU to count cycles: sampling cpu-clock instead");
}

int sampling_add_off_cpu(struct event_list *events, struct error *err)
{
	struct event *event;

	if (event_list_parse(events, "off-cpu", err))
		return EXIT_FAILED;
	event = &events->events[events->nr - 1];
	event->each = true;
	if (syscall_can_count(&event->attr))
		return 0;
	error_set(err,
		  "--off-cpu: this kernel cannot count it without perf_counter_open%s; use --wall, which records tracepoints in its place",
		  syscall_has_perf_counter() ? ", which PERF_SYSCALL rules out" : "");
	return EXIT_FAILED;
}

/* Add tracepoints whose every occurrence is sampled, with its call chain. */
static int add_each(struct event_list *events, const char *names, struct error *err)
{
	size_t i = events->nr;

	if (event_list_parse(events, names, err))
		return -1;
	for (; i < events->nr; i++) {
		if (syscall_open_error(&events->events[i].attr, 0, -1)) {
			error_set(err, "'%s' needs root, or CAP_PERFMON", events->events[i].name);
			return -1;
		}
		events->events[i].each = true;
	}
	return 0;
}

/* Return true if every occurrence of the tracepoints can be sampled. */
static bool can_add_each(const char *names, struct error *err)
{
	struct event_list events = { 0 };
	const bool can = !add_each(&events, names, err);

	event_list_free(&events);
	return can;
}

int sampling_add_wall(struct event_list *events, enum loudness loudness, struct error *err)
{
	static const char wakes[] = "sched:sched_waking,sched:sched_wakeup";
	const struct perf_event_attr off_cpu = {
		.type = PERF_TYPE_SOFTWARE, .config = EVENT_SW_OFF_CPU,
	};
	struct error reason;

	if (!syscall_can_count(&off_cpu)) {
		if (!add_each(events, "sched:sched_switch", &reason) &&
		    !add_each(events, wakes, &reason))
			return 0;
		error_set(err, "--wall: %s; or use a kernel with perf_counter_open",
			  reason.text);
		return EXIT_FAILED;
	}
	if (sampling_add_off_cpu(events, err))
		return EXIT_FAILED;
	if (can_add_each(wakes, &reason))
		return add_each(events, wakes, err) ? EXIT_FAILED : 0;
	if (loudness != QUIET)
		warn("--wall: what wakes threads up is not recorded: %s", reason.text);
	return 0;
}

/* Return true if the kernel has PERF_FORMAT_LOST, which came with Linux 6.0. */
static bool kernel_counts_lost(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1, .read_format = PERF_FORMAT_LOST,
	};

	return syscall_accepts(&attr, 0, -1);
}

int sampling_choose_freq(struct sampling *s, struct error *err)
{
	bool by_default = !s->freq;
	long max;

	if (by_default)
		s->freq = DEFAULT_FREQ;
	if (s->period || !perf_sysctl("max_sample_rate", &max) || max <= 0)
		return 0;
	if (s->freq_max) {
		s->freq = max;
		return 0;
	}
	if (s->freq <= (unsigned long)max)
		return 0;
	if (by_default || !s->strict_freq) {
		s->freq = max;
		return 1;
	}
	error_set(err, "-F %lu: kernel.%s allows %ld; choose less, or -F max, or raise it", s->freq,
		  perf_sysctl_name("max_sample_rate"), max);
	return -1;
}

/* Return true if the event triggers snapshots, or measures the time for an event that does. */
static bool is_for_trigger(const struct event *event)
{
	return event->trigger || event->timing;
}

/* Return true if an occurrence of the event may count as more than one. */
static bool has_weight(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT || event_is_off_cpu(attr);
}

/* Return true if the event is rare enough to sample every occurrence by default. */
static bool is_sampled_each_time(const struct event *event)
{
	return has_weight(&event->attr) || event->trigger;
}

/*
 * Record calls of user mode that have not returned, and no details of them. The hardware drops a
 * call when it returns. The hardware index is needed to join the chains of successive samples.
 */
#define LBR_CALLS (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | \
		   PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES | \
		   PERF_SAMPLE_BRANCH_HW_INDEX)

/* Return how the callers of the event's samples are found. */
static enum event_chains chains_of(const struct sampling *s, const struct event *event)
{
	if (event->sampling.chains != CHAINS_BY_OPTION && !event->each)
		return event->sampling.chains;
	if (!s->callchain && !event->each)
		return event->sampling.max_stack ? CHAINS_FRAME_POINTERS : CHAINS_NONE;
	if (s->lbr)
		return CHAINS_BRANCHES;
	return s->user_stack ? CHAINS_FRAME_INFORMATION : CHAINS_FRAME_POINTERS;
}

/* Add branch records to the events that the user samples, not to those that the tool adds. */
static int add_branches(const struct sampling *s, struct event *event, struct error *err)
{
	struct perf_event_attr *attr = &event->attr;

	if (event_is_dummy(attr) || event->each || is_for_trigger(event))
		return 0;
	if (chains_of(s, event) == CHAINS_BRANCHES && !attr->branch_sample_type) {
		if (attr->exclude_user) {
			error_set(err,
				  "event '%s': --call-graph lbr needs user mode, which the event excludes; use --call-graph fp",
				  event->name);
			return -1;
		}
		attr->branch_sample_type = LBR_CALLS;
	} else if (attr->branch_sample_type || s->branches) {
		attr->branch_sample_type =
			branch_filter_complete(attr->branch_sample_type ?: s->branches);
	}
	if (attr->branch_sample_type)
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	return 0;
}

/*
 * The registers that rules of call frame information use: general registers and the instruction
 * pointer.
 */
#if defined(__powerpc64__)
/* R0 to R31, NIP, LR: asm/perf_regs.h. */
#define UNWOUND_REGISTERS 0x11ffffffffULL
#else
/* AX to IP, R8 to R15: asm/perf_regs.h. */
#define UNWOUND_REGISTERS 0xff01ffULL
#endif

static void add_chains(const struct sampling *s, struct event *event)
{
	enum event_chains chains = chains_of(s, event);
	struct perf_event_attr *attr = &event->attr;

	if (chains == CHAINS_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = event->sampling.max_stack;
	if (chains != CHAINS_FRAME_INFORMATION)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = UNWOUND_REGISTERS;
	attr->sample_stack_user =
		event->sampling.user_stack ?: s->user_stack ?: USER_STACK_DEFAULT;
	/* The kernel's walk along user frame pointers is not needed. */
	attr->exclude_callchain_user = 1;
}

/* Set the period or the frequency. */
static void set_period(const struct sampling *s, const struct event *event,
		       struct perf_event_attr *attr)
{
	bool chosen = !event->each && !is_for_trigger(event);

	if (chosen && event->sampling.period) {
		attr->sample_period = event->sampling.period;
	} else if (chosen && event->sampling.freq) {
		attr->freq = 1;
		attr->sample_freq = event->sampling.freq;
	} else if (chosen && s->period) {
		attr->sample_period = s->period;
	} else if (is_sampled_each_time(event)) {
		attr->sample_period = 1;
	} else {
		attr->freq = 1;
		attr->sample_freq = s->freq;
	}
}

/* Add the contents of samples that the user wants beside the usual ones. */
static void add_more(const struct sampling *s, struct event *event)
{
	struct perf_event_attr *attr = &event->attr;

	attr->sample_type |= s->more;
	if (s->intr_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = s->intr_regs;
	}
	if (s->user_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user |= s->user_regs;
	}
	attr->exclude_callchain_kernel |= s->user_chains;
	attr->exclude_callchain_user |= s->kernel_chains;
	attr->inherit_stat = s->thread_counts && attr->inherit;
	if (event->has_modifiers || event_is_dummy(attr))
		return;
	attr->exclude_kernel |= s->only_user;
	attr->exclude_hv |= s->only_user || s->only_kernel;
	attr->exclude_user |= s->only_kernel;
}

static void prepare_one(const struct sampling *s, struct event *event)
{
	struct perf_event_attr *attr = &event->attr;

	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if (s->cpu)
		attr->sample_type |= PERF_SAMPLE_CPU;
	add_chains(s, event);
	if (s->data)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (s->cgroups)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (has_weight(attr))
		attr->sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_CPU;
	set_period(s, event, attr);
	/*
	 * With PERIOD and a fixed period, perf_events takes one sample of each occurrence of a
	 * tracepoint, with the weight of the occurrence as its period: the nanoseconds of
	 * sched_stat_runtime, for example. Without PERIOD, such an occurrence is a sample for each
	 * nanosecond, until the event is throttled.
	 */
	if (attr->freq || (attr->sample_period == 1 && has_weight(attr)))
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	attr->inherit = sampling_terms_inherit(&event->sampling, s->inherit);
	add_more(s, event);
	if (s->no_samples && !event->each && !is_for_trigger(event)) {
		attr->freq = 0;
		attr->sample_period = 0;
	}
	attr->sample_id_all = 1;
	/* Triggers wake the reader at each sample, other events at a watermark. */
	attr->watermark = !event->trigger;
	attr->wakeup_events = event->trigger;
	attr->use_clockid = s->with_clock;
	attr->clockid = s->clock;
}

/* Add a dummy event for side-band records. */
static struct perf_event_attr *add_side_band(struct event_list *events, bool early)
{
	struct event *event;
	struct error err;

	if (event_list_parse(events, "dummy", &err))
		die("%s", err.text);
	event = &events->events[events->nr - 1];
	event->early = early;
	return &event->attr;
}

/*
 * The offset of the word that contains the bit fields of an attr, right after the field
 * read_format.
 */
#define ATTR_BITS (offsetof(struct perf_event_attr, read_format) + sizeof(__u64))

static void add_bits(struct perf_event_attr *attr, const struct perf_event_attr *more)
{
	__u64 bits, added;

	memcpy(&bits, (char *)attr + ATTR_BITS, sizeof(bits));
	memcpy(&added, (const char *)more + ATTR_BITS, sizeof(added));
	bits |= added;
	memcpy((char *)attr + ATTR_BITS, &bits, sizeof(bits));
}

/* Return the errno of the kernel's refusal of @wanted, or 0. */
static int attr_error(const struct perf_event_attr *wanted)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = wanted->sample_type, .clockid = wanted->clockid,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1, .mmap = 1, .mmap2 = 1,
	};

	add_bits(&attr, wanted);
	return syscall_open_error(&attr, 0, -1);
}

/* Add records of newer kernels if this kernel has them. */
static void add_defaults(struct perf_event_attr *attr)
{
	static const struct perf_event_attr defaults[] = {
		{ .ksymbol = 1 }, { .bpf_event = 1 }, { .build_id = 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(defaults); i++) {
		if (!attr_error(&defaults[i]))
			add_bits(attr, &defaults[i]);
	}
	if (syscall_has_munmap())
		attr_set_munmap(attr);
}

static int explain_refusal(const char *option, int error, struct error *err)
{
	if (error == EACCES || error == EPERM)
		error_set(err, "%s: no permission to record this; be root or have CAP_PERFMON",
			  option);
	else
		error_set(err, "%s: this kernel cannot record it (%s); leave the option out",
			  option, strerror(error));
	return -1;
}

static int add_wanted(const struct sampling *s, struct perf_event_attr *attr, struct error *err)
{
	const struct {
		bool wanted;
		const char *option;
		struct perf_event_attr attr;
	} all[] = {
		{ s->data, "--data", { .mmap_data = 1, .sample_type = PERF_SAMPLE_ADDR } },
		{ s->switches, "--switch-events", { .context_switch = 1 } },
		{ s->namespaces, "--namespaces", { .namespaces = 1 } },
		{ s->cgroups, "--all-cgroups",
		  { .cgroup = 1, .sample_type = PERF_SAMPLE_CGROUP } },
		{ s->build_ids, "--buildid-mmap", { .build_id = 1 } },
		{ s->with_clock, "--clockid", { .use_clockid = 1, .clockid = s->clock } },
	};
	size_t i;
	int error;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		if (!all[i].wanted)
			continue;
		error = attr_error(&all[i].attr);
		if (error)
			return explain_refusal(all[i].option, error, err);
		add_bits(attr, &all[i].attr);
	}
	return 0;
}

void sampling_add_strings(struct perf_event_attr *attr, size_t size)
{
	struct perf_event_attr probe = *attr;

	probe.config1 = size;
	probe.sample_type = PERF_SAMPLE_RAW;
	probe.sample_period = 1;
	probe.disabled = 1;
	if (syscall_is_perf_counter() && size && syscall_open_error(&probe, 0, -1) != EINVAL) {
		attr->config1 = size;
		return;
	}
	attr->sample_type |= PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user |= 1;
}

bool sampling_has_build_ids(const struct event_list *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (events->events[i].attr.build_id)
			return true;
	}
	return false;
}

/* Refuse a freq= above the limit of the kernel, which perf_event_open would not explain. */
static int check_freqs(const struct event_list *events, struct error *err)
{
	size_t i;
	long max;

	if (!perf_sysctl("max_sample_rate", &max) || max <= 0)
		return 0;
	for (i = 0; i < events->nr; i++) {
		if (events->events[i].sampling.freq <= (unsigned long)max)
			continue;
		error_set(err, "event '%s': kernel.%s allows freq=%ld; choose less, or raise it",
			  events->events[i].name, perf_sysctl_name("max_sample_rate"), max);
		return -1;
	}
	return 0;
}

/*
 * Return true if inherited events can read counters in samples, which Linux has allowed since
 * version 6.12.
 */
static bool can_read_inherited(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1, .inherit = 1, .sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_ID,
	};

	return syscall_accepts(&attr, 0, -1);
}

/*
 * Let the samples of an event read its counter, or the counters of its group. If a leader reads its
 * group, its members are not sampled unless they have a period of their own. Each sample of the
 * leader counts as a sample of every member, so the members have the same contents of samples as
 * the leader.
 */
static void read_in_samples(struct event_list *events, size_t i, bool inherited)
{
	const struct event *leader = &events->events[events->events[i].leader];
	struct event *event = &events->events[i];
	struct perf_event_attr *attr = &event->attr;

	if (!event->reads_group && !leader->reads_group)
		return;
	if (leader->reads_group && leader != event) {
		if (!event->sampling.period && !event->sampling.freq) {
			attr->freq = 0;
			attr->sample_period = 0;
		}
		attr->write_backward = 0;
		attr->sample_type = leader->attr.sample_type & ~PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = 0;
		attr->sample_regs_user = leader->attr.sample_regs_user;
		attr->sample_stack_user = leader->attr.sample_stack_user;
		attr->sample_max_stack = leader->attr.sample_max_stack;
		attr->exclude_callchain_user = leader->attr.exclude_callchain_user;
	}
	attr->sample_type |= PERF_SAMPLE_READ;
	if (event->reads_group && !is_alone(events, i))
		attr->read_format |= PERF_FORMAT_GROUP;
	if (!inherited)
		attr->inherit = 0;
}

static void read_groups_in_samples(struct event_list *events)
{
	bool any = false, inherited = false, possible;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		any |= events->events[i].reads_group;
		inherited |= events->events[i].reads_group && events->events[i].attr.inherit;
	}
	if (!any)
		return;
	possible = can_read_inherited();
	if (inherited && !possible)
		warn("this kernel cannot read the counters of children: events with the modifier S leave children out");
	for (i = 0; i < events->nr; i++)
		read_in_samples(events, i, possible);
}

int sampling_prepare(const struct sampling *s, struct event_list *events, struct error *err)
{
	__u64 lost = kernel_counts_lost() ? PERF_FORMAT_LOST : 0;
	struct perf_event_attr *side_band;
	bool unwound = false;
	size_t i;

	if (events_of_tool(events)) {
		error_set(err, "event '%s' has no samples; count it with perf stat",
			  events_of_tool(events));
		return -1;
	}
	if (check_freqs(events, err))
		return -1;
	if (s->overwrite || s->apart)
		side_band = add_side_band(events, s->apart);
	else
		side_band = &events->events[0].attr;

	for (i = 0; i < events->nr; i++) {
		struct perf_event_attr *attr = &events->events[i].attr;

		prepare_one(s, &events->events[i]);
		if (add_branches(s, &events->events[i], err))
			return -1;
		attr->read_format = PERF_FORMAT_ID | lost;
		if (events->nr > 1)
			attr->sample_type |= PERF_SAMPLE_IDENTIFIER;
		attr->write_backward = s->overwrite && attr != side_band &&
				       !is_for_trigger(&events->events[i]) &&
				       !events->events[i].sampling.keep;
		unwound |= attr->sample_type & PERF_SAMPLE_STACK_USER;
	}
	read_groups_in_samples(events);
	side_band->mmap = 1;
	side_band->mmap2 = 1;
	side_band->comm = 1;
	side_band->comm_exec = 1;
	side_band->task = 1;
	/*
	 * Record mappings of data: libunwind, which other readers use, finds call frame information
	 * by them.
	 */
	side_band->mmap_data = unwound;
	add_defaults(side_band);
	return add_wanted(s, side_band, err);
}
