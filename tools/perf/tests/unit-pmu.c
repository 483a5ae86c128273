// SPDX-License-Identifier: GPL-2.0
/*
 * Test which attr the terms of an event ("cpu/event=0x3c,umask=1/") give. Some tests use the
 * layouts of the processor manuals, and the others the description of a PMU that this program
 * writes in the form of sysfs.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/event_terms.h"
#include "measure/pmu.h"
#include "unit.h"

/* The terms as the messages list them. */
#define INTEL_TERMS "event, umask, edge, pc, any, inv, cmask, config, config1, config2"
#define MADE_UP_TERMS "high, second, split, whole, config, config1, config2"

static char *directory;

static void put(const char *file, const char *text)
{
	char *path = xasprintf("%s/%s", directory, file);
	FILE *out = fopen(path, "w");

	fputs(text, out);
	fclose(out);
	free(path);
}

static void make_directory(const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);

	mkdir(path, 0700);
	free(path);
}

/* Receives terms about sampling, which belong to no PMU. */
static struct sampling_terms sampling;

/* Terms, and the expected config, config1 and config2, or the expected message. */
struct one {
	const char *terms;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	const char *message;
};

static void check_ones(const struct pmu *pmu, const struct one *one, size_t nr)
{
	for (; nr--; one++) {
		struct perf_event_attr attr = { 0 };
		struct error err = { "" };
		char *name = NULL;
		int status;

		status = event_terms_parse(pmu, one->terms, &attr, &name, &sampling, &err);
		free(name);
		if (one->message) {
			check(status == EXIT_USAGE, "%s is refused", one->terms);
			check_string(err.text, one->message, "the message gives the reason");
			continue;
		}
		check(!status && attr.type == pmu->type, "%s: %s", one->terms, err.text);
		check_number(attr.config, one->config, "config has its bits");
		check_number(attr.config1, one->config1, "config1 has its bits");
		check_number(attr.config2, one->config2, "config2 has its bits");
	}
}

/* Terms that all events take, at the beginning of a list. */
#define COMMON_TERMS "terms are name, branch_type, " SAMPLING_TERM_NAMES ", "

/* Intel SDM volume 3, IA32_PERFEVTSELx: event 0-7, umask 8-15, edge 18, inv 23, cmask 24-31. */
static const struct one of_intel[] = {
	{ "event=0x3c", 0x3c, 0, 0, NULL },
	{ "event=0xc0,umask=0x01,inv,cmask=0x10,edge", 0x108401c0, 0, 0, NULL },
	{ "event=0x3c,any=1", 0x20003c, 0, 0, NULL },
	{ "event=0x3c,pc", 0x8003c, 0, 0, NULL },
	{ "inv=0,edge=1", 0x40000, 0, 0, NULL },
	{ "config=0x100000000,config1=7,config2=0xffffffffffffffff", 0x100000000, 7, ~0ULL,
	  NULL },
	{ "event=0x100", 0, 0, 0,
	  "event 'cpu/event=0x100/': 0x100 is too large for 'event', which takes 0 to 0xff" },
	{ "umsk=1", 0, 0, 0,
	  "event 'cpu/umsk=1/': unknown term 'umsk'; did you mean 'umask'? " COMMON_TERMS
	  INTEL_TERMS },
};

/* AMD APM volume 2, PerfEvtSeln: four more bits of the event are 32 to 35. */
static const struct one of_amd[] = {
	{ "event=0xfff", 0xf000000ff, 0, 0, NULL },
	{ "event=0x187,umask=2", 0x100000287, 0, 0, NULL },
	{ "event=0x1000", 0, 0, 0,
	  "event 'cpu/event=0x1000/': 0x1000 is too large for 'event', which takes 0 to 0xfff" },
};

static const struct one of_made_up[] = {
	/* 0xa5: the low nibble goes to bits 4 to 7, the high one to 60 to 63. */
	{ "split=0xa5", 0xa000000000000050, 0, 0, NULL },
	{ "high", 1ULL << 63, 0, 0, NULL },
	{ "whole=0xffffffffffffffff", 0, ~0ULL, 0, NULL },
	{ "second=3", 0, 0, 0xc, NULL },
	{ "both", 0xa000000000000050, 0, 4, NULL },
	{ "both,second=2", 0xa000000000000050, 0, 8, NULL },
	{ "broken", 0, 0, 0,
	  "event 'made/broken/': unknown term 'nothing'; " COMMON_TERMS
	  MADE_UP_TERMS },
	{ "backward=1", 0, 0, 0,
	  "event 'made/backward=1/': unknown term 'backward'; " COMMON_TERMS
	  MADE_UP_TERMS },
	{ "cycles", 0, 0, 0,
	  "event 'made/cycles/': unknown term 'cycles'; " COMMON_TERMS
	  MADE_UP_TERMS },
	{ "..", 0, 0, 0,
	  "event 'made/../': unknown term '..'; " COMMON_TERMS
	  MADE_UP_TERMS },
};

static void make_up(void)
{
	make_directory("made");
	make_directory("made/format");
	make_directory("made/events");
	make_directory("bare");
	put("made/type", "17\n");
	put("made/format/split", "config:4-7,60-63\n");
	put("made/format/high", "config:63\n");
	put("made/format/whole", "config1:0-63\n");
	put("made/format/second", "config2:2-3\n");
	put("made/format/backward", "config:7-0\n");
	put("made/format/elsewhere", "config9:0-7\n");
	put("made/events/both", "split=0xa5,second=0x1\n");
	put("made/events/broken", "nothing=1\n");
}

static void remove_all(void)
{
	char *command = xasprintf("rm -r '%s'", directory);

	check(!system(command), "what was made up is gone");
	free(command);
	free(directory);
}

static void check_vendors(void)
{
	check(cpu_vendor("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n") ==
	      CPU_INTEL, "GenuineIntel is Intel");
	check(cpu_vendor("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\n") ==
	      CPU_AMD, "AuthenticAMD is AMD");
	check(cpu_vendor("vendor_id\t: HygonGenuine\n") == CPU_AMD, "Hygon is like AMD");
	check(cpu_vendor("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n") == CPU_OTHER,
	      "POWER is neither Intel nor AMD");
}

static void check_generic(struct pmu *cpu)
{
	struct perf_event_attr attr = { 0 };
	struct error err;
	char *name = NULL;

	check(!event_terms_parse(cpu, "instructions,name=n", &attr, &name, &sampling, &err) &&
	      attr.type == PERF_TYPE_HARDWARE && attr.config == 1,
	      "the CPU has generic events");
	check_string(name, "n", "a generic event can have a name");
	attr = (struct perf_event_attr){ 0 };
	check(!event_terms_parse(cpu, "LLC-loads", &attr, &name, &sampling, &err) &&
	      attr.type == PERF_TYPE_HW_CACHE && attr.config == 2, "the CPU has cache events");
	attr = (struct perf_event_attr){ 0 };
	check(event_terms_parse(cpu, "instructions,cmask=1", &attr, &name, &sampling, &err) ==
	      EXIT_USAGE, "a term after a generic event is refused");
	attr = (struct perf_event_attr){ 0 };
	check(event_terms_parse(cpu, "cmask=1,instructions", &attr, &name, &sampling, &err) ==
	      EXIT_USAGE, "a term before a generic event is refused");
	attr = (struct perf_event_attr){ 0 };
	check(event_terms_parse(cpu, "page-faults", &attr, &name, &sampling, &err) == EXIT_USAGE,
	      "a software event is not a term of the CPU");
	free(name);
}

/* A machine with two kinds of CPU. */
static void check_kinds(void)
{
	static const char *const kinds[] = { "cpu_core", "cpu_atom" };
	char *devices = xasprintf("%s/kinds", directory), *text;
	struct perf_event_attr attr;
	bool several = false;
	struct error err;
	struct pmu pmu;
	size_t i;

	text = pmu_each_kind(directory, "config=1", ", ");
	check(!text, "most machines have one kind of CPU");
	make_directory("kinds");
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *const files[][2] = {
			{ "type", i ? "10" : "4" }, { "cpus", i ? "2-3" : "0-1" },
			{ "events/both", "event=1" },
			{ i ? "events/second" : "events/first", "event=2" },
		};
		size_t f;

		text = xasprintf("kinds/%s", kinds[i]);
		make_directory(text);
		free(text);
		text = xasprintf("kinds/%s/events", kinds[i]);
		make_directory(text);
		free(text);
		for (f = 0; f < ARRAY_SIZE(files); f++) {
			text = xasprintf("kinds/%s/%s", kinds[i], files[f][0]);
			put(text, files[f][1]);
			free(text);
		}
		attr = (struct perf_event_attr){ 0 };
		text = NULL;
		check(pmu_load(&pmu, devices, kinds[i]) &&
		      !event_terms_parse(&pmu, "cycles", &attr, &text, &sampling, &err) &&
		      attr.type == PERF_TYPE_HARDWARE,
		      "%s knows generic events", kinds[i]);
		check_number(attr.config, i ? 10ULL << 32 : 4ULL << 32,
			     "the CPU kind's type is in the upper bits");
		check_string(pmu.cpus, i ? "2-3" : "0-1", "a kind has its own CPUs");
		pmu_free(&pmu);
	}
	text = pmu_each_kind(devices, "config=1", ", ");
	check_string(text, "cpu_atom/config=1/, cpu_core/config=1/",
		     "a raw event is given for each kind");
	free(text);
	text = pmu_of_event(devices, "first", &several);
	check(!strcmp(text, "cpu_core") && !several, "an event of one kind is found in that kind");
	free(text);
	text = pmu_of_event(devices, "both", &several);
	check(text && several, "an event of several kinds is reported as such");
	free(text);
	free(devices);
}

/* A package's PMU: the CPU on which it is read, and the unit of its counts. */
static void check_package(void)
{
	static const char *const files[][2] = {
		{ "type", "30" }, { "cpumask", "0,4\n" }, { "events/pkg", "event=2" },
		{ "events/pkg.scale", "2.5e-10\n" }, { "events/pkg.unit", "Joules\n" },
		{ "events/other", "event=3" }, { "events/bad", "event=4" },
		{ "events/bad.scale", "-1" }, { "events/word", "event=5" },
		{ "events/word.scale", "much" },
	};
	char *devices = xasprintf("%s/packages", directory), *text;
	struct pmu pmu;
	size_t f;

	make_directory("packages");
	make_directory("packages/power");
	make_directory("packages/power/events");
	for (f = 0; f < ARRAY_SIZE(files); f++) {
		text = xasprintf("packages/power/%s", files[f][0]);
		put(text, files[f][1]);
		free(text);
	}
	check(pmu_load(&pmu, devices, "power"), "a package's PMU is found");
	check(!pmu.cpus && !strncmp(pmu.cpumask, "0,4", 3),
	      "a package's PMU is read on the CPUs of its cpumask");
	check_double(1e10 * pmu_event_scale(&pmu, "pkg"), 2.5, "an event has its scale");
	text = pmu_event_unit(&pmu, "pkg");
	check_string(text, "Joules", "an event has its unit");
	free(text);
	check_double(pmu_event_scale(&pmu, "other"), 1, "an event without a scale has scale 1");
	check(!pmu_event_unit(&pmu, "other"), "an event without a unit has none");
	check_double(pmu_event_scale(&pmu, "bad"), 1, "a scale below 0 is ignored");
	check_double(pmu_event_scale(&pmu, "word"), 1, "a scale that is not a number is ignored");
	check_double(pmu_event_scale(&pmu, "../power/events/pkg"), 1,
		     "a path is not an event name");
	pmu_free(&pmu);
	free(devices);
}

int main(void)
{
	struct pmu pmu;

	directory = mkdtemp(strdup("/tmp/unit-pmu.XXXXXX"));
	if (!directory)
		die("no directory in /tmp");
	make_up();
	check_vendors();
	pmu_make_cpu(&pmu, CPU_INTEL);
	check_number(pmu.type, PERF_TYPE_RAW, "the CPU's events are raw events");
	check_ones(&pmu, of_intel, ARRAY_SIZE(of_intel));
	check_generic(&pmu);
	pmu_free(&pmu);
	pmu_make_cpu(&pmu, CPU_AMD);
	check_ones(&pmu, of_amd, ARRAY_SIZE(of_amd));
	pmu_free(&pmu);
	pmu_make_cpu(&pmu, CPU_OTHER);
	check(!pmu_field(&pmu, "event") && pmu_field(&pmu, "config"),
	      "another CPU has only the whole config");
	pmu_free(&pmu);

	check(pmu_load(&pmu, directory, "made") && pmu.type == 17, "a PMU is found");
	check_ones(&pmu, of_made_up, ARRAY_SIZE(of_made_up));
	pmu_free(&pmu);
	check(!pmu_load(&pmu, directory, "bare"), "a directory without a type is not a PMU");
	pmu_free(&pmu);
	check(!pmu_load(&pmu, directory, "absent"), "a missing directory is not a PMU");
	pmu_free(&pmu);
	check(!pmu_load(&pmu, directory, "."), "an invalid name is not a PMU");
	pmu_free(&pmu);
	check_kinds();
	check_package();
	remove_all();
	return unit_finish();
}
