// SPDX-License-Identifier: GPL-2.0
/*
 * The attr that sampling options give. Numbers are those of
 * enum perf_event_sample_format in <linux/perf_event.h>.
 */
#include <stdlib.h>
#include <unistd.h>

#include "measure/syscall.h"
#include "measure/branch_filter.h"
#include "measure/sampling.h"
#include "unit.h"

enum {
	IP = 1, TID = 2, TIME = 4, ADDR = 8, CALLCHAIN = 32, CPU = 128, PERIOD = 256,
	IDENTIFIER = 65536, BRANCH_STACK = 2048, READ = 16, REGS_USER = 4096, STACK_USER = 8192,
};

static struct event_list prepared(const char *events, const struct sampling *s)
{
	struct event_list list = { 0 };
	struct error err;

	event_list_parse(&list, events, &err);
	check(!sampling_prepare(s, &list, &err), "%s can be sampled like this", events);
	return list;
}

static void check_freq(void)
{
	struct sampling s = { .freq = 2000000000, .strict_freq = true };
	struct sampling lowered = { .freq = 2000000000 };
	struct sampling allowed = { .freq = 1 };
	struct sampling max = { .freq_max = true };
	struct sampling by_default = { 0 }, period = { .period = 1 };
	struct error err = { "" };

	check(sampling_choose_freq(&s, &err) == -1 && strstr(err.text, "2000000000"),
	      "too many samples per second are refused");
	check(sampling_choose_freq(&lowered, &err) == 1 && lowered.freq < 2000000000,
	      "without --strict-freq they are lowered");
	check(!sampling_choose_freq(&allowed, &err) && allowed.freq == 1,
	      "one sample per second is allowed");
	check(!sampling_choose_freq(&max, &err) && max.freq > 1,
	      "-F max gives the largest frequency");
	check(sampling_choose_freq(&by_default, &err) >= 0 && by_default.freq <= 4000 &&
	      by_default.freq <= max.freq, "the frequency is 4000 by default, or the maximum");
	check(!sampling_choose_freq(&period, &err), "a period needs no frequency");
}

/* Return the bits of record types, by their place in the word after read_format. */
static uint64_t bits_of(const struct perf_event_attr *attr)
{
	uint64_t bits;

	memcpy(&bits, (const char *)attr + 40, sizeof(bits));
	return bits;
}

static void check_defaults(void)
{
	static const struct {
		const char *what;
		struct perf_event_attr attr;
	} all[] = {
		{ "functions that the kernel makes", { .ksymbol = 1 } },
		{ "BPF programs", { .bpf_event = 1 } },
	};
	struct sampling s = { .period = 1 };
	struct event_list list = prepared("cs", &s);
	uint64_t bits = bits_of(&list.events[0].attr), bit;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perf_event_attr attr = all[i].attr;

		bit = bits_of(&attr);
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.exclude_kernel = 1;
		check(!!(bits & bit) == !syscall_open_error(&attr, 0, -1),
		      "with %s where the kernel tells of them", all[i].what);
	}
	check((bits >> 63) == syscall_has_munmap(), "unmappings are recorded if the kernel can");
	attr_set_munmap(&list.events[0].attr);
	attr_set_subrings(&list.events[0].attr, true);
	check_number(bits_of(&list.events[0].attr), bits | 3ULL << 62,
		     "the extensions have two bits");
	attr_clear_extensions(&list.events[0].attr);
	check_number(bits_of(&list.events[0].attr), bits & ~(3ULL << 62),
		     "only the extensions' bits are cleared");
	event_list_free(&list);
}

/*
 * perf_events takes a sample for each unit of an event's weight, unless the samples have PERIOD.
 * A larger period is the number of units that the user asks for.
 */
static void check_weight(void)
{
	struct sampling each = { .freq = 99 }, period = { .period = 1 }, units = { .period = 1000 };
	struct event_list list = { 0 };
	struct error err;

	if (event_list_parse(&list, "sched:sched_stat_runtime", &err)) {
		check(true, "tracepoints that weigh # SKIP needs tracefs");
		return;
	}
	check(!sampling_prepare(&each, &list, &err) && list.events[0].attr.sample_period == 1 &&
	      list.events[0].attr.sample_type & PERIOD, "each occurrence is one sample");
	event_list_free(&list);
	list = prepared("sched:sched_stat_runtime", &period);
	check(list.events[0].attr.sample_type & PERIOD, "-c 1 is one sample for each occurrence");
	event_list_free(&list);
	list = prepared("sched:sched_stat_runtime", &units);
	check(!(list.events[0].attr.sample_type & PERIOD), "-c 1000 counts units");
	event_list_free(&list);
}

static void check_apart(void)
{
	struct sampling s = { .period = 1, .apart = true, .data = true };
	struct event_list list = prepared("cs", &s);
	const struct perf_event_attr *attr = &list.events[0].attr;

	check_number(list.nr, 2, "side-band records have their own event");
	check_number(attr->sample_type, IP | TID | TIME | ADDR | IDENTIFIER,
		     "samples have addresses");
	check(!attr->mmap && !attr->mmap_data && !attr->ksymbol && !attr->write_backward,
	      "the sampling event has no side-band records");
	attr = &list.events[1].attr;
	check(attr->config == PERF_COUNT_SW_DUMMY && attr->mmap2 && attr->mmap_data && attr->task,
	      "the extra event has side-band records");
	check(event_is_dummy(attr) && !event_is_dummy(&list.events[0].attr),
	      "the extra event is a dummy");
	event_list_free(&list);
}

/* Numbers are those of enum perf_branch_sample_type, and 1 << 19 for counters. */
static void check_filters(void)
{
	__u64 type = 0;
	struct error err;

	check(!branch_filter_parse(&type, "any,any_call,any_ret,ind_call", &err) &&
	      !branch_filter_parse(&type, "abort_tx,in_tx,no_tx", &err) && type == 0x3f8,
	      "kinds of branches are parsed");
	type = 0;
	check(!branch_filter_parse(&type, "u,k,hv", &err) && type == 7,
	      "modes of branches are parsed");
	check_number(branch_filter_complete(type), 7 | 8, "modes without a kind select any branch");
	check(!branch_filter_parse(&type, "cond,stack,ind_jmp,call", &err) &&
	      !branch_filter_parse(&type, "no_flags,no_cycles,save_type,hw_index", &err) &&
	      type == (7 | 0x3fc00), "further words are added");
	check_number(branch_filter_complete(type), type, "a given kind is kept");
	type = 0;
	check(!branch_filter_parse(&type, "priv,counter", &err) && type == 3 << 18,
	      "priv and counter are parsed");
	check_number(branch_filter_complete(type), 3 << 18 | 8,
		     "without a kind any branch is selected");
	check(branch_filter_parse(&type, "any,", &err) == -1 && strstr(err.text, "''; use"),
	      "an empty word is refused");
}

static void check_branches(void)
{
	struct sampling s = { .period = 1, .branches = 1, .apart = true };
	struct event_list list = prepared("cycles,cs", &s);
	struct error err;

	check(list.events[0].attr.branch_sample_type == (1 | 8) &&
	      list.events[1].attr.branch_sample_type == (1 | 8),
	      "-j u selects any branch of user mode");
	check_number(list.events[0].attr.sample_type, IP | TID | TIME | IDENTIFIER | BRANCH_STACK,
		     "each sample has its branches");
	check(!list.events[2].attr.branch_sample_type &&
	      !(list.events[2].attr.sample_type & BRANCH_STACK),
	      "side-band records have no branches");
	event_list_free(&list);

	s = (struct sampling){ .period = 1, .branches = 8 };
	list = (struct event_list){ 0 };
	check(!event_list_parse(&list, "cpu/config=1,branch_type=any_call,branch_type=k/,off-cpu",
				&err), "branch_type= is parsed");
	list.events[1].each = true;
	check(!sampling_prepare(&s, &list, &err) &&
	      list.events[0].attr.branch_sample_type == (2 | 0x10),
	      "the event has the branches of branch_type=");
	check(!(list.events[1].attr.sample_type & BRANCH_STACK), "the other event has no branches");
	event_list_free(&list);

	s = (struct sampling){ .period = 1, .callchain = true, .lbr = true };
	list = prepared("cycles", &s);
	check_number(list.events[0].attr.sample_type, IP | TID | TIME | CALLCHAIN | BRANCH_STACK,
		     "--call-graph lbr samples both chains");
	check_number(list.events[0].attr.branch_sample_type, 0x2c801,
		     "lbr selects call stacks of user mode");
	check(!list.events[0].attr.exclude_callchain_user,
	      "the kernel's chain still marks user mode");
	event_list_free(&list);
}

#define FOUR_EVENTS "cs/freq=3/,faults/call-graph=no,no-inherit/,cs/call-graph=fp,max-stack=9,no-overwrite/,dummy/stack-size=64/"

/* An event's own terms take precedence over options. */
static void check_terms(void)
{
	struct sampling s = { .period = 7, .callchain = true, .user_stack = 1024,
			      .inherit = true, .overwrite = true };
	struct event_list list = prepared(FOUR_EVENTS, &s);
	const struct perf_event_attr *attr = &list.events[0].attr;

	check(attr->freq && attr->sample_freq == 3 && attr->sample_stack_user == 1024,
	      "freq= overrides -c, other options remain");
	attr = &list.events[1].attr;
	check_number(attr->sample_type, IP | TID | TIME | IDENTIFIER,
		     "call-graph=no overrides --call-graph");
	check(!attr->inherit && list.events[0].attr.inherit, "no-inherit is for its event");
	attr = &list.events[2].attr;
	check_number(attr->sample_type, IP | TID | TIME | CALLCHAIN | IDENTIFIER,
		     "call-graph=fp overrides --call-graph dwarf");
	check(attr->sample_max_stack == 9 && !attr->exclude_callchain_user,
	      "max-stack= limits the chain");
	check(!attr->write_backward && list.events[0].attr.write_backward,
	      "no-overwrite keeps the records of its event");
	check_number(list.events[3].attr.sample_stack_user, 64, "stack-size= sets the stack");
	event_list_free(&list);

	s = (struct sampling){ .freq = 50, .inherit = true };
	list = prepared("cs/period=5,call-graph=dwarf/,faults/max-stack=4/,cs/call-graph=lbr/", &s);
	attr = &list.events[0].attr;
	check(attr->sample_period == 5 && !attr->freq, "period= overrides -F");
	check_number(attr->sample_type, IP | TID | TIME | CALLCHAIN | REGS_USER | STACK_USER |
		     IDENTIFIER, "call-graph=dwarf needs no option");
	check(attr->sample_stack_user == USER_STACK_DEFAULT && attr->mmap_data,
	      "the stack has the default size, and mappings of data are recorded");
	check(list.events[1].attr.sample_type & CALLCHAIN &&
	      list.events[1].attr.sample_max_stack == 4, "max-stack= alone means frame pointers");
	check_number(list.events[2].attr.branch_sample_type, 0x2c801,
		     "call-graph=lbr selects call stacks of user mode");
	event_list_free(&list);
}

/* Numbers from <linux/perf_event.h>, enum perf_event_read_format: ID 4, GROUP 8. */
static void check_reads(void)
{
	struct sampling s = { .freq = 50, .callchain = true, .overwrite = true };
	struct event_list list = prepared("{cs,faults}:S,{faults:S,cs},{cs,faults:S},cs:S", &s);
	const struct event *events = list.events;

	check(events[0].attr.sample_type & READ && (events[0].attr.read_format & 12) == 12,
	      "the leader's samples read the group");
	check(!events[1].attr.freq && !events[1].attr.sample_period &&
	      !events[1].attr.write_backward, "members are not sampled");
	check_number(events[1].attr.sample_type, events[0].attr.sample_type,
		     "members have the contents of the leader's samples");
	check((events[2].attr.read_format & 12) == 12 && !events[3].attr.freq,
	      "S after the leader alone leads the group");
	check(!(events[4].attr.sample_type & READ) && events[4].attr.freq &&
	      events[5].attr.sample_type & READ && events[5].attr.freq,
	      "S after a member reads in the samples of the member");
	check(events[6].attr.sample_type & READ && (events[6].attr.read_format & 12) == 4,
	      "an event alone reads its own counter");
	event_list_free(&list);
}

static void check_limit(void)
{
	struct sampling s = { .freq = 50 };
	struct event_list list = { 0 };
	struct error err = { "" };

	check(!event_list_parse(&list, "cs/freq=2000000000/", &err) &&
	      sampling_prepare(&s, &list, &err) == -1 && strstr(err.text, "max_sample_rate allows"),
	      "freq= above the limit is refused");
	event_list_free(&list);
}

static void check_refusal(void)
{
	struct sampling s = { .period = 1, .with_clock = true, .clock = CLOCK_MONOTONIC_RAW };
	struct event_list list = prepared("cs,faults", &s);
	struct error err = { "" };

	check(list.events[0].attr.use_clockid && list.events[1].attr.use_clockid &&
	      list.events[1].attr.clockid == CLOCK_MONOTONIC_RAW, "all events use the same clock");
	s.clock = 99;
	check(sampling_prepare(&s, &list, &err) == -1 && strstr(err.text, "--clockid"),
	      "a refused clock is reported with its option");
	event_list_free(&list);
}

/* Test that a user without privileges who records only user mode gets context switches, too. */
static void check_user(void)
{
	struct sampling s = { .period = 1, .switches = true };
	struct event_list list = { 0 };
	struct perf_event_attr attr;
	struct error err;

	event_list_parse(&list, "cs:u", &err);
	attr = list.events[0].attr;
	if (seteuid(65534) || syscall_open_error(&attr, 0, -1)) {
		check(true, "a user's samples # SKIP needs root, and users who may count");
	} else {
		check(!sampling_prepare(&s, &list, &err) && list.events[0].attr.context_switch,
		      "a user's samples of user mode come with context switches");
	}
	if (seteuid(getuid()))
		abort();
	event_list_free(&list);
}

int main(void)
{
	struct sampling by_freq = { .freq = 99, .inherit = true };
	struct sampling by_period = { .period = 7, .freq = 4000, .callchain = true, .cpu = true };
	struct sampling overwrite = { .period = 1, .overwrite = true };
	struct event_list list = prepared("cs", &by_freq);
	const struct perf_event_attr *attr = &list.events[0].attr;

	check_number(attr->sample_type, IP | TID | TIME | PERIOD,
		     "sampling by frequency has the default fields");
	check(attr->freq && attr->sample_freq == 99, "the frequency is set");
	check(attr->inherit && attr->sample_id_all && attr->watermark,
	      "the event is inherited and identified");
	check(attr->mmap && attr->mmap2 && attr->comm && attr->comm_exec && attr->task,
	      "side-band records are requested");
	event_list_free(&list);

	list = prepared("cs,faults", &by_period);
	attr = &list.events[1].attr;
	check_number(attr->sample_type, IP | TID | TIME | CALLCHAIN | CPU | IDENTIFIER,
		     "sampling by period has the requested fields");
	check(!attr->freq && attr->sample_period == 7, "the period is set");
	check(!attr->inherit, "the event is not inherited");
	check(!attr->mmap && !attr->mmap2 && !attr->comm && !attr->task,
	      "only the first event has side-band records");
	check_number(list.events[0].attr.sample_type, attr->sample_type,
		     "both events have the same layout");
	event_list_free(&list);

	list = prepared("cs,faults", &overwrite);
	check_number(list.nr, 3, "overwriting adds an event");
	check(list.events[0].attr.write_backward && list.events[1].attr.write_backward &&
	      !list.events[0].attr.mmap && !list.events[0].attr.comm && !list.events[0].attr.task,
	      "overwritten events have no side-band records");
	attr = &list.events[2].attr;
	check(attr->config == PERF_COUNT_SW_DUMMY && !attr->write_backward && attr->mmap2 &&
	      attr->comm && attr->task, "the extra event is not overwritten");
	check_number(attr->sample_type, list.events[0].attr.sample_type,
		     "all events' records end with the same fields");
	event_list_free(&list);
	check_freq();
	check_defaults();
	check_weight();
	check_apart();
	check_refusal();
	check_user();
	check_filters();
	check_branches();
	check_terms();
	check_reads();
	check_limit();
	return unit_finish();
}
