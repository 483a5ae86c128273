// SPDX-License-Identifier: GPL-2.0
/*
 * places - print the counters on which perf_counter's x86 driver counts events
 *
 * The driver's tables and the code that reads them, intel.c and amd.c, are compiled into this
 * program. 'run' has removed their #include <...> lines and the lines that declare variables of
 * CPUs. This file has types, bits, and a CPU as the command line describes it. See README.rst.
 *
 *	places models
 *		prints a line for each Intel model in the driver's table: family, model, and
 *		"hybrid" or "alike"
 *	places intel FAMILY MODEL large|small|alike GENERAL [FEATURE...] <CODES
 *	places amd FAMILY zen1|zen2|zen3|zen4|zen5 <CODES
 *		prints "event NUMBER CODE" for each generic event and "cache NUMBER CODE" for
 *		each cache event that the machine has. Then reads codes from standard input, a
 *		hexadecimal number on each line, and prints for each code the mask of the
 *		counters that count it, or 0 if the driver refuses it
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(high, low)	((~0ULL >> (63 - (high))) & (~0ULL << (low)))
#define GENMASK(high, low)	GENMASK_ULL(high, low)
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define min(a, b)		\
	({ __auto_type one = (a); __auto_type other = (b); one < other ? one : other; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define ffz(value)		__builtin_ctzll(~(unsigned long long)(value))
#define hweight64(value)	__builtin_popcountll(value)
#define hweight32(value)	__builtin_popcount(value)
#define USEC_PER_MSEC		1000

/* A copy of the type in include/linux/perf_counter_hw.h. */
typedef u64 perf_counter_cache_events[PERF_COUNT_HW_CACHE_MAX][PERF_COUNT_HW_CACHE_OP_MAX]
				     [PERF_COUNT_HW_CACHE_RESULT_MAX];
struct perf_counter_recorder;

/* From arch/x86/include/asm/perf_event.h. */
#define ARCH_PERFMON_EVENTSEL_EVENT	0x000000ffULL
#define ARCH_PERFMON_EVENTSEL_UMASK	0x0000ff00ULL
#define ARCH_PERFMON_EVENTSEL_EDGE	BIT_ULL(18)
#define ARCH_PERFMON_EVENTSEL_INV	BIT_ULL(23)
#define ARCH_PERFMON_EVENTSEL_CMASK	0xff000000ULL
#define AMD64_EVENTSEL_EVENT		(ARCH_PERFMON_EVENTSEL_EVENT | 0xf00000000ULL)
#define AMD64_EVENTSEL_GUESTONLY	BIT_ULL(40)
#define AMD64_EVENTSEL_HOSTONLY		BIT_ULL(41)
#define INTEL_ARCH_EVENT_MASK		(ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK)

#define ARCH_PERFMON_EXT_LEAF		0x23
#define ARCH_PERFMON_NUM_COUNTER_LEAF	1
#define MSR_ARCH_PERFMON_PERFCTR0	0xc1
#define MSR_ARCH_PERFMON_EVENTSEL0	0x186

/* The kernel's own numbers of features, models and registers. */
#include "cpufeatures.h"
#include "msr-index.h"
#define X86_VENDOR_INTEL	0
#define VFM_MAKE(vendor, family, model)	((model) | (family) << 8 | (vendor) << 16)
#include "intel-family.h"

/* === The CPU === */

static struct {
	u8	x86;
	u32	x86_vfm;
	int	cpuid_level;
} boot_cpu_data = { .cpuid_level = 0x23 };

static bool features[NCAPINTS * 32];
#define boot_cpu_has(feature)	(features[feature])

static unsigned int general_counters, core_type;
#define get_this_hybrid_cpu_type()	((u8)core_type)

/*
 * Leaf 0xA is that of version 5, which lists the fixed counters, and has all architectural
 * events. Leaf 0x23, subleaf 1, has the same counters.
 */
static void cpuid_count(u32 leaf, u32 subleaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	*eax = *ebx = *ecx = *edx = 0;
	switch (leaf) {
	case 0xa:
		*eax = 0x08300005 | general_counters << 8;
		*ecx = 7;
		*edx = 3;
		break;
	case 0x23:
		*eax = subleaf ? BIT(general_counters) - 1 : 2;
		*ebx = subleaf ? 7 : 0;
		break;
	case 0x80000022:
		*ebx = 6;
		break;
	}
}

static void cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	cpuid_count(leaf, 0, eax, ebx, ecx, edx);
}

static u32 cpuid_ebx(u32 leaf)
{
	u32 eax, ebx, ecx, edx;

	cpuid(leaf, &eax, &ebx, &ecx, &edx);
	return ebx;
}

/* Registers read as 0: the CPU has no capabilities, only the command line's counters. */
#define rdmsrl(msr, value)	((void)(msr), (value) = 0)

static int rdmsrl_safe(u32 msr, u64 *value)
{
	*value = 0;
	return msr < MSR_ARCH_PERFMON_PERFCTR0 + general_counters ? 0 : -1;
}

#include "internal.h"
#include "intel.c"
#undef CACHE
#include "amd.c"

/* === Output === */

static void print_models(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		printf("%u %#x %s\n", models[i].vfm >> 8 & 0xff, models[i].vfm & 0xff,
		       models[i].small ? "hybrid" : "alike");
}

/* Exit with a message about a wrong command line. */
static void die(const char *message)
{
	fprintf(stderr, "places: %s\n", message);
	exit(2);
}

static bool find_intel(int argc, char **argv, struct x86_counters *pmu)
{
	int i;

	if (argc < 6)
		die("intel needs a family, a model, a type of core and a number of counters");
	boot_cpu_data.x86 = strtoul(argv[2], NULL, 0);
	boot_cpu_data.x86_vfm = VFM_MAKE(X86_VENDOR_INTEL, boot_cpu_data.x86,
					 strtoul(argv[3], NULL, 0));
	core_type = strcmp(argv[4], "small") ? 0x40 : X86_CORE_SMALL;
	features[X86_FEATURE_HYBRID_CPU] = !!strcmp(argv[4], "alike");
	general_counters = strtoul(argv[5], NULL, 0);
	if (general_counters > 10)
		die("no CPU has so many counters");
	features[X86_FEATURE_ARCH_PERFMON_EXT] = general_counters > 8;
	for (i = 6; i < argc; i++) {
		if (!strcmp(argv[i], "tsx_force_abort"))
			features[X86_FEATURE_TSX_FORCE_ABORT] = true;
		else
			die("there is no such feature");
	}
	return x86_counters_intel(pmu);
}

static bool find_amd(int argc, char **argv, struct x86_counters *pmu)
{
	int zen;

	if (argc != 4 || sscanf(argv[3], "zen%d", &zen) != 1)
		die("amd needs a family and zen1, zen2 ...");
	boot_cpu_data.x86 = strtoul(argv[2], NULL, 0);
	features[X86_FEATURE_PERFCTR_CORE] = true;
	features[X86_FEATURE_SVM] = true;
	features[X86_FEATURE_ZEN2] = zen == 2;
	features[X86_FEATURE_ZEN4] = zen == 4;
	features[X86_FEATURE_PERFMON_V2] = zen >= 4;
	return x86_counters_amd(pmu);
}

int main(int argc, char **argv)
{
	struct x86_counters pmu = {};
	unsigned int i;
	const u64 *code;
	char line[64];
	u64 wanted;

	if (argc == 2 && !strcmp(argv[1], "models")) {
		print_models();
		return 0;
	}
	if (argc < 2)
		die("models, intel or amd");
	if (!(strcmp(argv[1], "intel") ? find_amd(argc, argv, &pmu) : find_intel(argc, argv, &pmu)))
		die("the driver finds no PMU");

	for (i = 0; i < PERF_COUNT_HW_MAX; i++) {
		if (pmu.events[i])
			printf("event %u %#llx\n", i, (unsigned long long)pmu.events[i]);
	}
	code = &(*pmu.cache_events)[0][0][0];
	for (i = 0; i < sizeof(*pmu.cache_events) / sizeof(*code); i++) {
		if (code[i])
			printf("cache %u %#llx\n", i, (unsigned long long)code[i]);
	}
	while (fgets(line, sizeof(line), stdin)) {
		wanted = strtoull(line, NULL, 16);
		printf("%#llx\n", (unsigned long long)
		       (wanted & ~pmu.raw_mask ? 0 : pmu.event_slots(&pmu, wanted) & pmu.slots));
	}
	return 0;
}
