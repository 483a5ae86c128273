/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMUs of this machine, and which bits of an attr the terms of their events
 * stand for: "event" is config:0-7, as sysfs has it.
 */
#ifndef PERF_MEASURE_PMU_H
#define PERF_MEASURE_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the kernel describes its PMUs, a directory each. */
#define PMU_DEVICES "/sys/bus/event_source/devices"

/**
 * struct pmu_field - a term
 * @name: its name
 * @word: of attr.config, config1, config2 and config3, the number of the one it is in
 * @bits: the bits of that word
 */
struct pmu_field {
	char *name;
	int word;
	uint64_t bits;
};

/**
 * struct pmu - a PMU
 * @name: its name
 * @type: attr.type of its events
 * @fields: the terms that it knows
 * @nr_fields: how many
 * @events: the directory that describes events of its own, or NULL
 * @cpus: "0-3", the CPUs of the kind that it is of; or NULL
 * @cpumask: "0,4", the CPUs on which a PMU is read that counts for several, as uncore PMUs do;
 *	or NULL
 */
struct pmu {
	char *name;
	uint32_t type;
	struct pmu_field *fields;
	size_t nr_fields;
	char *events;
	char *cpus;
	char *cpumask;
};

/**
 * pmu_load() - read what the kernel says about a PMU
 * @pmu: gets it; to be freed with pmu_free() in any case
 * @devices: PMU_DEVICES
 * @name: which PMU
 *
 * Return: whether there is one of that name.
 */
bool pmu_load(struct pmu *pmu, const char *devices, const char *name);

/* Whose layout of an event select register it is; those who are not AMD have Intel's. */
enum cpu_vendor { CPU_INTEL, CPU_AMD, CPU_OTHER };

/* Who made the CPU, as the text of /proc/cpuinfo has it; CPU_OTHER: not for x86. */
enum cpu_vendor cpu_vendor(const char *cpuinfo);

/* The CPU's own PMU, for a kernel that does not describe it. */
void pmu_make_cpu(struct pmu *pmu, enum cpu_vendor vendor);

/* The term of that name, or NULL. */
const struct pmu_field *pmu_field(const struct pmu *pmu, const char *name);

/* The largest value that a term can have. */
uint64_t pmu_field_max(const struct pmu_field *field);

/* Put a value, which is not larger than that, into the attr. */
void pmu_field_set(const struct pmu_field *field, struct perf_event_attr *attr, uint64_t value);

/* How a PMU describes an event of its own ("event=0x3c"), to be freed; or NULL. */
char *pmu_event_terms(const struct pmu *pmu, const char *event);

/* What one count of an event of its own stands for, in the event's unit: 1 if nothing says so. */
double pmu_event_scale(const struct pmu *pmu, const char *event);

/* The unit of an event of its own, "Joules"; or NULL. To be freed. */
char *pmu_event_unit(const struct pmu *pmu, const char *event);

/**
 * pmu_of_event() - which PMU describes an event of that name
 * @devices: PMU_DEVICES
 * @event: its name
 * @several: set to true when several kinds of CPU have one each; or NULL
 *
 * Return: the name of the first, to be freed; or NULL.
 */
char *pmu_of_event(const char *devices, const char *event, bool *several);

/* Does it count what CPUs do? Then it knows the generic events. */
bool pmu_is_of_cpus(const struct pmu *pmu);

/**
 * pmu_each_kind() - an event's terms with the PMU of each kind of CPU
 * @devices: PMU_DEVICES
 * @terms: "config=0x1c2"
 * @separator: what is between them
 *
 * Return: "cpu_atom/config=0x1c2/ or cpu_core/config=0x1c2/", to be freed; or NULL where
 * CPUs are all of one kind.
 */
char *pmu_each_kind(const char *devices, const char *terms, const char *separator);

/* How many branch records the CPUs' PMU keeps, as the kernel says in @devices; 0: it does not. */
unsigned int pmu_branch_registers(const char *devices);

/* Call @fn for each event that a PMU in @devices describes. */
typedef void (*pmu_event_fn)(void *context, const char *pmu, const char *event);
void pmu_walk_events(const char *devices, pmu_event_fn fn, void *context);

void pmu_free(struct pmu *pmu);

#endif
