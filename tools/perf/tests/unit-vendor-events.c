// SPDX-License-Identifier: GPL-2.0
/*
 * Events by their vendors' names, on a machine given as a Skylake. The numbers are those of
 * Intel's and AMD's manuals.
 */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "measure/events.h"
#include "measure/vendor_events.h"
#include "unit.h"

#ifdef __x86_64__

enum {
	NO_USER = 1, NO_KERNEL = 2, NO_HV = 4, NO_HOST = 8, NO_GUEST = 16, NO_IDLE = 32,
	PINNED = 64, EXCLUSIVE = 128,
};

struct one {
	const char *spec;
	unsigned long long config;
	unsigned long long config1;
	unsigned int bits;
	unsigned int precise;
	const char *absent;
};

static const struct one ones[] = {
	{ "mem_load_retired.l3_miss", .config = 0x20d1 },
	{ "MEM_LOAD_RETIRED:L3_MISS", .config = 0x20d1 },
	{ "Mem_Load_Retired.l3_Miss:u", .config = 0x20d1, .bits = NO_KERNEL | NO_HV },
	{ "skl::mem_load_retired.l3_miss:uk", .config = 0x20d1, .bits = NO_HV },
	{ "mem_load_retired.l3_miss.k", .config = 0x20d1, .bits = NO_USER | NO_HV },
	{ "mem_load_retired.l3_miss:u=1:k=0", .config = 0x20d1, .bits = NO_KERNEL },
	{ "mem_load_retired.l3_miss:pp", .config = 0x20d1, .precise = 2 },
	{ "mem_load_retired.l3_miss:upI", .config = 0x20d1,
	  .bits = NO_KERNEL | NO_HV | NO_IDLE, .precise = 1 },
	{ "mem_load_retired.l3_miss:h", .config = 0x20d1, .bits = NO_USER | NO_KERNEL },
	{ "mem_load_retired.l3_miss:G", .config = 0x20d1, .bits = NO_HOST },
	{ "mem_load_retired.l3_miss:D", .config = 0x20d1, .bits = PINNED },
	{ "mem_load_retired.l3_miss:De", .config = 0x20d1, .bits = PINNED | EXCLUSIVE },
	{ "uops_issued.any:c=1:i:e", .config = 0x184010e },
	{ "uops_issued.any:c=0x10:e=1", .config = 0x1004010e },
	{ "uops_issued.any:t", .config = 0x20010e },
	{ "uops_issued.stall_cycles", .config = 0x180010e },
	{ "uops_issued", .config = 0x10e },
	{ "longest_lat_cache.miss:u:c=2", .config = 0x200412e, .bits = NO_KERNEL | NO_HV },
	{ "offcore_response_0.dmnd_data_rd", .config = 0x1b7, .config1 = 0x10001 },
	{ "offcore_response_1.dmnd_data_rd.l3_miss.snp_any:u", .config = 0x1bb,
	  .config1 = 0x3f84000001, .bits = NO_KERNEL | NO_HV },
	{ "mem_trans_retired.load_latency:ldlat=30:p", .config = 0x1cd, .config1 = 30,
	  .precise = 1 },
	{ "frontend_retired.l2_miss", .config = 0x1c6, .config1 = 0x13 },
	{ "inst_retired.any", .config = 0xc0 },
	{ "inst_retired.any:c=1:i:e", .config = 0x18400c0 },
	{ "cpu_clk_unhalted.thread:u", .config = 0x3c, .bits = NO_KERNEL | NO_HV },
	{ "inst_retired.any_p", .config = 0xc0 },
	{ "amd64_fam17h_zen1::ls_dispatch.ld_dispatch", .config = 0x129,
	  .absent = "amd64_fam17h_zen1" },
	{ "AMD64_fam19h_zen4::LS_dispatch:store_dispatch", .config = 0x229,
	  .absent = "amd64_fam19h_zen4" },
	{ "amd64_fam19h_zen4::de_no_dispatch_per_slot.no_ops_from_frontend", .config = 0x1000001a0,
	  .absent = "amd64_fam19h_zen4" },
	{ "amd64_fam19h_zen4::de_no_dispatch_per_slot.backend_stalls:u:c=1", .config = 0x101001ea0,
	  .bits = NO_KERNEL | NO_HV, .absent = "amd64_fam19h_zen4" },
	{ "amd64_fam19h_zen4::ex_ret_ops", .config = 0xc1, .absent = "amd64_fam19h_zen4" },
	{ "icl::topdown.backend_bound_slots", .config = 0x2a4, .absent = "icl" },
	{ "spr::topdown.bad_spec_slots:c=3", .config = 0x30004a4, .absent = "spr" },
	{ "icx::topdown.slots_p", .config = 0x1a4, .absent = "icx" },
	{ "skx_unc_imc0::unc_m_clockticks", .config = 0, .absent = "skx_unc_imc0" },
};

static unsigned int bits_of(const struct perf_event_attr *attr)
{
	return attr->exclude_user * NO_USER | attr->exclude_kernel * NO_KERNEL |
	       attr->exclude_hv * NO_HV | attr->exclude_host * NO_HOST |
	       attr->exclude_guest * NO_GUEST | attr->exclude_idle * NO_IDLE |
	       attr->pinned * PINNED | attr->exclusive * EXCLUSIVE;
}

static void check_one(const struct one *one)
{
	struct perf_event_attr attr;
	const char *absent;
	struct error err;

	if (!check(!event_find(one->spec, &attr, &absent, &err), "%s", one->spec)) {
		printf("#   %s\n", err.text);
		return;
	}
	check(attr.config == one->config && attr.config1 == one->config1,
	      "%s: config %#llx, config1 %#llx", one->spec, attr.config, attr.config1);
	check(bits_of(&attr) == one->bits && attr.precise_ip == one->precise, "%s: modifiers",
	      one->spec);
	check_string(absent ? absent : "", one->absent ? one->absent : "",
		     "the message tells which PMU is absent");
	if (!absent)
		check_number(attr.type, PERF_TYPE_RAW, "an event of this machine is a raw event");
}

static void check_names(void)
{
	struct event_list list = { 0 };
	struct error err;

	check(!event_list_parse(&list,
				"mem_load_retired.l3_miss,{uops_issued.any:c=1:i,uops_issued.any:p}:u,skl::uops_issued.any:k",
				&err) && list.nr == 4,
				"vendors' events are parsed among commas and braces");
	check_string(list.events[0].name, "mem_load_retired.l3_miss", "the name is as written");
	check_string(list.events[1].name, "uops_issued.any:c=1:i:u",
		     "modifiers after an attribute have their own colon");
	check_string(list.events[2].name, "uops_issued.any:pu",
		     "modifiers after modifiers need no colon");
	event_exclude_kernel(&list.events[0]);
	check_string(list.events[0].name, "mem_load_retired.l3_miss:u",
		     "restriction to user mode adds u");
	event_list_free(&list);

	check(!event_list_parse(&list, "cycles,r20d1,page-faults:u", &err) &&
	      list.events[0].attr.type == PERF_TYPE_HARDWARE,
	      "the tool's own names have precedence");
	event_list_free(&list);
}

static void check_message(const char *spec, int status, const char *expected)
{
	struct perf_event_attr attr;
	const char *absent;
	struct error err = { "" };

	check_number(event_find(spec, &attr, &absent, &err), status, spec);
	check_string(err.text, expected, "the message gives the reason");
}

static void check_messages(void)
{
	check_message("mem_load_retird.l3_miss", EXIT_FAILED,
		      "unknown event 'mem_load_retird.l3_miss'; did you mean 'mem_load_retired.l3_miss', 'mem_load_retired.l1_miss', 'mem_load_retired.l2_miss'? 'perf list' shows the events");
	check_message("mem_load_retired.l3_mis", EXIT_FAILED,
		      "event 'mem_load_retired.l3_mis': 'mem_load_retired' has no mask or attribute 'l3_mis'; did you mean 'l3_miss', 'l3_hit', 'l1_miss'? 'perf list --details mem_load_retired' shows all of them");
	check_message("uops_issued.any:x=1", EXIT_FAILED,
		      "event 'uops_issued.any:x=1': 'uops_issued' has no mask or attribute 'x=1'; 'perf list --details uops_issued' shows all of them");
	check_message("longest_lat_cache", EXIT_USAGE,
		      "event 'longest_lat_cache': a unit mask is missing; 'perf list --details longest_lat_cache' shows all of them");
	check_message("uops_issued.any:c=zz", EXIT_USAGE,
		      "event 'uops_issued.any:c=zz': the value of an attribute is missing, not a number or out of range; 'perf list --details uops_issued' shows the attributes");
	check_message("uops_issued.any:c=256", EXIT_USAGE,
		      "event 'uops_issued.any:c=256': the value of an attribute is missing, not a number or out of range; 'perf list --details uops_issued' shows the attributes");
	check_message("uops_issued.any:c=1:c=2", EXIT_USAGE,
		      "event 'uops_issued.any:c=1:c=2': an attribute is given twice; leave one out");
	check_message("mem_load_retired.l3_miss.l1_hit", EXIT_USAGE,
		      "event 'mem_load_retired.l3_miss.l1_hit': these masks and attributes cannot be combined; give fewer of them");
	check_message("mem_load_retired.l3_miss:ppuppp", EXIT_USAGE,
		      "event 'mem_load_retired.l3_miss:ppuppp': 'ppuppp' are not modifiers; use u, k, h, G, H, I, D, e, P or up to three p, S, and W for a group");
	check_message("power99::pm_cyc", EXIT_FAILED,
		      "event 'power99::pm_cyc': libpfm knows no PMU 'power99' of this architecture; 'perf list --pmus' shows them");
	check_message("sklx::uops_issued.any", EXIT_FAILED,
		      "event 'sklx::uops_issued.any': libpfm knows no PMU 'sklx' of this architecture; did you mean 'skl', 'skx', 'slm'? 'perf list --pmus' shows them");
	check_message("hsw::uops_isued.any", EXIT_FAILED,
		      "unknown event 'hsw::uops_isued.any'; did you mean 'hsw::uops_issued.any', 'hsw::uops_issued.all', 'hsw::uops_retired.any'? 'perf list' shows the events");
	check_message("::uops_issued.any", EXIT_FAILED,
		      "event '::uops_issued.any': libpfm knows no PMU '' of this architecture; 'perf list --pmus' shows them");
	check_message("perf::cycles", EXIT_FAILED,
		      "event 'perf::cycles': libpfm knows no PMU 'perf' of this architecture; 'perf list --pmus' shows them");
	check_message("cyclse", EXIT_FAILED,
		      "unknown event 'cyclse'; did you mean 'cycles'? 'perf list' shows the events");
}

/*
 * Return true if the PMU can count the event @config. Intel's PMUs have no event 0; the kernel uses
 * three codes with event number 0 (0x100, 0x300, 0x400) for fixed counters.
 */
static bool is_selectable(const char *pmu, uint64_t config)
{
	static const char *const intel[] = { "skl", "icl", "icx", "spr", "glm", "hsw", "tmt" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(intel) && strcmp(pmu, intel[i]); i++)
		;
	if (i == ARRAY_SIZE(intel) || config & 0xff)
		return true;
	return config == 0x100 || config == 0x300 || config == 0x400;
}

static void check_mask(const char *pmu, const char *event, const char *mask, size_t *nr,
		       size_t *bad)
{
	char *spec = xasprintf("%s::%s.%s", pmu, event, mask);
	struct vendor_encoding e;
	struct error err;

	if (vendor_event_find(spec, &e, &err)) {
		printf("#   %s\n", err.text);
		++*bad;
	} else {
		if (!is_selectable(pmu, e.config)) {
			printf("#   %s: %#llx\n", spec, (unsigned long long)e.config);
			++*bad;
		}
		free(e.modifiers);
	}
	++*nr;
	free(spec);
}

/* Check that every listed event has a number. */
static void check_tables(void)
{
	static const char *const tables[] = {
		"skl", "icl", "icx", "spr", "glm", "hsw", "tmt", "snb", "clx", "amd64_fam17h_zen1",
		"amd64_fam19h_zen4", "amd64_k8_revg", "nhm",
	};
	size_t t, i, j, nr = 0, bad = 0;

	for (t = 0; t < ARRAY_SIZE(tables); t++) {
		struct vendor_events list;

		if (!vendor_events_load(&list, tables[t])) {
			printf("#   there is no %s\n", tables[t]);
			bad++;
		}
		for (i = 0; i < list.nr; i++) {
			for (j = 0; j < list.events[i].nr_masks; j++)
				check_mask(tables[t], list.events[i].name,
					   list.events[i].masks[j].name, &nr, &bad);
		}
		vendor_events_free(&list);
	}
	check_number(bad, 0, "every mask of every event selects something");
	check(nr > 4000, "thousands of masks were checked");
}

static void check_pmus(void)
{
	struct vendor_events list;
	struct vendor_pmu *pmus;
	size_t i, nr = vendor_pmus(&pmus), here = 0;
	bool skl = false, zen4 = false;

	for (i = 0; i < nr; i++) {
		here += pmus[i].here;
		skl |= pmus[i].here && !strcmp(pmus[i].name, "skl");
		zen4 |= !pmus[i].here && !strcmp(pmus[i].name, "amd64_fam19h_zen4");
	}
	free(pmus);
	check(skl && here == 1, "the machine is the given one");
	check(zen4, "other PMUs are known");
	check(!vendor_events_load(&list, "bogus"), "an unknown PMU is not found");

	vendor_events_load(&list, "skl");
	for (i = 0; i < list.nr && strcmp(list.events[i].name, "mem_load_retired"); i++)
		;
	if (check(i < list.nr, "mem_load_retired is an event of it")) {
		const struct vendor_event *event = &list.events[i];

		check_string(event->masks[0].name, "l1_hit", "the event has masks");
		check(event->description[0] && event->masks[0].description[0],
		      "the event has a description");
		for (i = 0; i < event->nr_attributes && strcmp(event->attributes[i].name, "c"); i++)
			;
		check(i < event->nr_attributes && event->attributes[i].has_value,
		      "the event has an attribute with a value");
	}
	vendor_events_free(&list);
}

int main(void)
{
	size_t i;

	setenv("LIBPFM_FORCE_PMU", "skl", true);
	setenv("LIBPFM_ENCODE_INACTIVE", "0", true);
	for (i = 0; i < ARRAY_SIZE(ones); i++)
		check_one(&ones[i]);
	check_names();
	check_messages();
	check_pmus();
	check_tables();
	check_string(getenv("LIBPFM_ENCODE_INACTIVE"), "0",
		     "the environment of measured commands is unchanged");
	return unit_finish();
}

#else

int main(void)
{
	printf("ok 1 - vendors' events # SKIP libpfm has x86's on x86 only\n1..1\n");
	return 0;
}

#endif
