/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events by the names that the makers of processors gave them, as libpfm4 has them:
 * "mem_load_retired.l3_miss", "ls_dispatch.ld_dispatch:u", "skl::uops_issued.any:c=1:i".
 *
 * An event may have masks, which say what of it is counted, and attributes, which say how.
 * Case does not count, and a dot is as good as a colon.
 *
 * libpfm has a table of events per PMU, and takes the processor's own; LIBPFM_FORCE_PMU in
 * the environment names another one. That gives nobody more rights: a name becomes another
 * number, and it is the kernel that says who may count what. Still, a tool that was given
 * capabilities does not listen to it.
 */
#ifndef PERF_MEASURE_VENDOR_EVENTS_H
#define PERF_MEASURE_VENDOR_EVENTS_H

#include <stdint.h>

#include "util/util.h"

/**
 * struct vendor_pmu - a table of events
 * @name: of the PMU, for "PMU::EVENT"
 * @description: what processors have it
 * @nr_events: how many
 * @here: this machine has it
 */
struct vendor_pmu {
	const char *name;
	const char *description;
	size_t nr_events;
	bool here;
};

/* All tables, in an array that the caller frees. Return: how many. */
size_t vendor_pmus(struct vendor_pmu **pmus);

/* Is it one of the tables, and of this machine? */
bool vendor_pmu_is_here(const char *name);

/**
 * struct vendor_attribute - a mask of an event, or what else can be said about it
 * @name: its name, in small letters
 * @description: what it means
 * @same_as: the name of another one that is the same, or NULL
 * @has_value: it is written NAME=NUMBER
 */
struct vendor_attribute {
	char *name;
	const char *description;
	const char *same_as;
	bool has_value;
};

/**
 * struct vendor_event - an event
 * @name: its name, in small letters
 * @description: what it counts
 * @same_as: the name of another one that is the same, or NULL
 * @masks: what of it can be counted
 * @nr_masks: how many
 * @attributes: how it can be counted
 * @nr_attributes: how many
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

/* The events of a PMU. Return: whether there is one of that name. */
bool vendor_events_load(struct vendor_events *list, const char *pmu);
void vendor_events_free(struct vendor_events *list);

/**
 * struct vendor_encoding - what the kernel is to be told about an event
 * @pmu: the PMU it is of
 * @type: as in struct perf_event_attr, and so on
 * @config: the number of the event
 * @config1: what else the PMU is told
 * @config2: and more of it
 * @absent: this machine, or its kernel, has no such PMU: the numbers can only be looked at
 * @has_modes: u=, k= or h= was given, so these are to be applied:
 * @exclude_user: do not count in user mode
 * @exclude_kernel: nor in the kernel
 * @exclude_hv: nor in the hypervisor
 * @has_guests: mg= or mh= was given:
 * @exclude_host: do not count on the host
 * @exclude_guest: nor in guests
 * @modifiers: those of the tool's own that are in the name, "up"; to be freed
 * @ends_in_modifiers: and nothing follows them
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
 * vendor_event_find() - find an event and the numbers that it stands for
 * @spec: "[PMU::]EVENT[.MASK...][:ATTRIBUTE[=NUMBER]...][:MODIFIERS]"
 * @e: gets the numbers
 * @err: says what is wrong, and what would be right
 *
 * Without PMU it is an event of one that this machine has.
 *
 * Return: 0; VENDOR_UNKNOWN, with @err untouched, if there is no such event; or with @err set
 * EXIT_FAILED for a PMU or mask that there is not, EXIT_USAGE for what is written wrong.
 */
int vendor_event_find(const char *spec, struct vendor_encoding *e, struct error *err);

/* Add to @near which of this machine's events, or of the PMU that is named, may be meant. */
void vendor_consider_names(struct suggestions *near);

#endif
