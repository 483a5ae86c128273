/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMUs of this machine, and the bits of an attr that the terms of their events set: "event"
 * is config:0-7 in sysfs.
 */
#ifndef PERF_MEASURE_PMU_H
#define PERF_MEASURE_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directory in which the kernel describes its PMUs. */
#define PMU_DEVICES "/sys/bus/event_source/devices"

/**
 * struct pmu_field - a term
 * @name: name of the term
 * @word: index of the word of an attr: config, config1, config2 or config3
 * @bits: bits of that word
 */
struct pmu_field {
	char *name;
	int word;
	uint64_t bits;
};

/**
 * struct pmu - a PMU
 * @name: name of the PMU
 * @type: attr.type of its events
 * @fields: terms
 * @nr_fields: number of @fields
 * @events: path of the directory that describes events, or NULL
 * @cpus: CPUs of the PMU's kind, "0-3"; or NULL
 * @cpumask: CPUs on which a PMU is read that counts for several CPUs, such as an uncore PMU,
 *	"0,4"; or NULL
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
 * pmu_load() - read the description of a PMU
 * @pmu: receives the description; free it with pmu_free() in any case
 * @devices: PMU_DEVICES, or another directory in tests
 * @name: name of the PMU
 *
 * Return: true if the PMU exists.
 */
bool pmu_load(struct pmu *pmu, const char *devices, const char *name);

/* Return true if @devices has a PMU of that name. */
bool pmu_exists(const char *devices, const char *name);

/*
 * Make a description for the terms of an event that has a name: the words config1, config2 and
 * config3 of the attr. The name sets the word config.
 */
void pmu_make_named(struct pmu *pmu, const char *name, uint32_t type);

/* The layout of event select registers. CPUs of vendors other than AMD have Intel's layout. */
enum cpu_vendor { CPU_INTEL, CPU_AMD, CPU_OTHER };

/*
 * Find the vendor of the CPU in the text of /proc/cpuinfo. Return: the vendor; CPU_OTHER if the CPU
 * is not an x86 CPU.
 */
enum cpu_vendor cpu_vendor(const char *cpuinfo);

/* Make a description of the CPU's own PMU for a kernel that has none. */
void pmu_make_cpu(struct pmu *pmu, enum cpu_vendor vendor);

/* Find a term by its name. Return: the term or NULL. */
const struct pmu_field *pmu_field(const struct pmu *pmu, const char *name);

/* Return the largest value that a term can have. */
uint64_t pmu_field_max(const struct pmu_field *field);

/* Put a value, at most pmu_field_max(), into the attr. */
void pmu_field_set(const struct pmu_field *field, struct perf_event_attr *attr, uint64_t value);

/*
 * Return the terms of an event that a PMU describes ("event=0x3c"), which the caller frees; or
 * NULL.
 */
char *pmu_event_terms(const struct pmu *pmu, const char *event);

/* Return the factor from a count of an event to its unit; 1 if the PMU describes none. */
double pmu_event_scale(const struct pmu *pmu, const char *event);

/* Return the unit of an event, "Joules", which the caller frees; or NULL. */
char *pmu_event_unit(const struct pmu *pmu, const char *event);

/**
 * pmu_of_event() - find a PMU that describes an event
 * @devices: PMU_DEVICES, or another directory in tests
 * @event: name of the event
 * @several: set to true if several kinds of CPUs describe the event; or NULL
 *
 * Return: the name of the first such PMU, which the caller frees; or NULL.
 */
char *pmu_of_event(const char *devices, const char *event, bool *several);

/* Return true if the PMU counts what CPUs do, so that it has the generic events. */
bool pmu_is_of_cpus(const struct pmu *pmu);

/**
 * pmu_each_kind() - write terms with the PMU of each kind of CPU
 * @devices: PMU_DEVICES, or another directory in tests
 * @terms: terms, "config=0x1c2"
 * @separator: text between the events
 *
 * Return: "cpu_atom/config=0x1c2/ or cpu_core/config=0x1c2/", which the caller frees; NULL if
 *   all CPUs are of one kind.
 */
char *pmu_each_kind(const char *devices, const char *terms, const char *separator);

/* Return the number of branch records of the CPUs' PMU from @devices; 0 if it is not known. */
unsigned int pmu_branch_registers(const char *devices);

/* A function that pmu_walk_events() calls for each event. */
typedef void (*pmu_event_fn)(void *context, const char *pmu, const char *event);
/* Call @fn for each event that a PMU in @devices describes. */
void pmu_walk_events(const char *devices, pmu_event_fn fn, void *context);

void pmu_free(struct pmu *pmu);

#endif
