/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events by the names that vendors of processors give them, from libpfm4:
 * "mem_load_retired.l3_miss", "ls_dispatch.ld_dispatch:u", "skl::uops_issued.any:c=1:i".
 *
 * An event may have masks, which select what is counted, and attributes, which select how. Case
 * is ignored, and a dot is equivalent to a colon.
 *
 * libpfm has a table of events per PMU, and uses that of the processor; LIBPFM_FORCE_PMU in the
 * environment selects another one. The variable grants no rights: it maps a name to another
 * number, and the kernel checks permissions. Still, a tool with capabilities ignores it.
 */
#ifndef PERF_MEASURE_VENDOR_EVENTS_H
#define PERF_MEASURE_VENDOR_EVENTS_H

#include <stdint.h>

#include "util/util.h"

/**
 * struct vendor_pmu - a table of events
 * @name: name of the PMU, for "PMU::EVENT"
 * @description: processors that have the PMU
 * @nr_events: number of events
 * @here: this machine has the PMU
 */
struct vendor_pmu {
	const char *name;
	const char *description;
	size_t nr_events;
	bool here;
};

/*
 * Store an array with every PMU that has a table of vendor events in @pmus; the caller frees it.
 * Return: the number of PMUs.
 */
size_t vendor_pmus(struct vendor_pmu **pmus);

/**
 * struct vendor_attribute - a mask or another attribute of an event
 * @name: name in lower case
 * @description: meaning of the attribute
 * @same_as: name of an equivalent attribute, or NULL
 * @has_value: the attribute is written NAME=NUMBER
 */
struct vendor_attribute {
	char *name;
	const char *description;
	const char *same_as;
	bool has_value;
};

/**
 * struct vendor_event - an event
 * @name: name in lower case
 * @description: description of the event
 * @same_as: name of an equivalent event, or NULL
 * @masks: masks
 * @nr_masks: number of @masks
 * @attributes: attributes that are not masks
 * @nr_attributes: number of @attributes
 */
struct vendor_event {
	char *name;
	const char *description;
	const char *same_as;
	struct vendor_attribute *masks;
	size_t nr_masks;
	struct vendor_attribute *attributes;
	size_t nr_attributes;
};

struct vendor_events {
	struct vendor_event *events;
	size_t nr;
};

/* Load the events of a PMU. Return: true if libpfm has the PMU. */
bool vendor_events_load(struct vendor_events *list, const char *pmu);
void vendor_events_free(struct vendor_events *list);

/**
 * struct vendor_encoding - the kernel's encoding of an event
 * @pmu: name of the PMU
 * @type: type for struct perf_event_attr
 * @config: config for struct perf_event_attr
 * @config1: config1 for struct perf_event_attr
 * @config2: config2 for struct perf_event_attr
 * @absent: this machine or its kernel lacks the PMU; the numbers are only informative
 * @has_modes: the name has u=, k= or h=, so the next three fields apply
 * @exclude_user: do not count user mode
 * @exclude_kernel: do not count the kernel
 * @exclude_hv: do not count the hypervisor
 * @has_guests: the name has mg= or mh=, so the next two fields apply
 * @exclude_host: do not count the host
 * @exclude_guest: do not count guests
 * @modifiers: modifiers of the tool in the name, "up"; the caller frees the text
 * @ends_in_modifiers: the name ends in modifiers of the tool
 */
struct vendor_encoding {
	const char *pmu;
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	bool absent;
	bool has_modes;
	bool exclude_user;
	bool exclude_kernel;
	bool exclude_hv;
	bool has_guests;
	bool exclude_host;
	bool exclude_guest;
	char *modifiers;
	bool ends_in_modifiers;
};

enum { VENDOR_UNKNOWN = -1 };

/**
 * vendor_event_find() - find an event and its encoding
 * @spec: "[PMU::]EVENT[.MASK...][:ATTRIBUTE[=NUMBER]...][:MODIFIERS]"; without PMU, an event of
 *	this machine
 * @e: receives the encoding
 * @err: receives the reason of a failure and suggestions
 *
 * Return: 0; VENDOR_UNKNOWN, with @err untouched, if there is no such event; or with @err set
 *   EXIT_FAILED for an unknown PMU or mask, EXIT_USAGE for a syntax error.
 */
int vendor_event_find(const char *spec, struct vendor_encoding *e, struct error *err);

/*
 * Add to @near the names of this machine's events, or those of the PMU that is named in the
 * text.
 */
void vendor_consider_names(struct suggestions *near);

#endif
