// SPDX-License-Identifier: GPL-2.0
/*
 * What sampling options make of an attr. Numbers are those of
 * enum perf_event_sample_format in <linux/perf_event.h>.
 */
#include "sampling.h"
#include "unit.h"

enum {
	IP = 1, TID = 2, TIME = 4, CALLCHAIN = 32, CPU = 128, PERIOD = 256, IDENTIFIER = 65536,
};

static struct event_list prepared(const char *events, const struct sampling *s)
{
	struct event_list list = { 0 };
	struct error err;

	event_list_parse(&list, events, &err);
	sampling_prepare(s, &list);
	return list;
}

static void check_freq(void)
{
	struct sampling s = { .freq = 2000000000 }, allowed = { .freq = 1 };
	struct sampling max = { .freq_max = true };
	struct sampling by_default = { 0 }, period = { .period = 1 };
	struct error err = { "" };

	check(sampling_choose_freq(&s, &err) == -1 && strstr(err.text, "2000000000"),
	      "too many samples per second are refused");
	check(!sampling_choose_freq(&allowed, &err) && allowed.freq == 1, "one is allowed");
	check(!sampling_choose_freq(&max, &err) && max.freq > 1, "as many as allowed");
	check(sampling_choose_freq(&by_default, &err) >= 0 && by_default.freq <= 4000 &&
	      by_default.freq <= max.freq, "4000 by default, or what is allowed");
	check(!sampling_choose_freq(&period, &err), "a period needs no frequency");
}

int main(void)
{
	struct sampling by_freq = { .freq = 99, .inherit = true };
	struct sampling by_period = { .period = 7, .freq = 4000, .callchain = true, .cpu = true };
	struct sampling overwrite = { .period = 1, .overwrite = true };
	struct event_list list = prepared("cs", &by_freq);
	const struct perf_event_attr *attr = &list.events[0].attr;

	check_number(attr->sample_type, IP | TID | TIME | PERIOD, "by frequency, one event");
	check(attr->freq && attr->sample_freq == 99, "its frequency");
	check(attr->inherit && attr->sample_id_all && attr->watermark, "inherited, identified");
	check(attr->mmap && attr->mmap2 && attr->comm && attr->comm_exec && attr->task,
	      "with what tasks do");
	event_list_free(&list);

	list = prepared("cs,faults", &by_period);
	attr = &list.events[1].attr;
	check_number(attr->sample_type, IP | TID | TIME | CALLCHAIN | CPU | IDENTIFIER,
		     "by period, the second of two events, on CPUs, with call chains");
	check(!attr->freq && attr->sample_period == 7, "its period");
	check(!attr->inherit, "not inherited");
	check(!attr->mmap && !attr->mmap2 && !attr->comm && !attr->task,
	      "what tasks do comes with the first event");
	check_number(list.events[0].attr.sample_type, attr->sample_type,
		     "both have samples of one layout");
	event_list_free(&list);

	list = prepared("cs,faults", &overwrite);
	check_number(list.nr, 3, "overwriting: one more event");
	check(list.events[0].attr.write_backward && list.events[1].attr.write_backward &&
	      !list.events[0].attr.mmap && !list.events[0].attr.comm && !list.events[0].attr.task,
	      "the others are written backward, and are of samples alone");
	attr = &list.events[2].attr;
	check(attr->config == PERF_COUNT_SW_DUMMY && !attr->write_backward && attr->mmap2 &&
	      attr->comm && attr->task, "it has what tasks do, and is not overwritten");
	check_number(attr->sample_type, list.events[0].attr.sample_type,
		     "its records end like those of the others");
	event_list_free(&list);
	check_freq();
	return unit_finish();
}
