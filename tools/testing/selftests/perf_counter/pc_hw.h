/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of the PMU, and a loop that executes a known number of instructions.
 */
#ifndef PC_HW_H
#define PC_HW_H

#include "pc.h"

/* Instructions of one round of pc_loop(). */
#define PC_LOOP_INSTRUCTIONS 2

/* Where the loop's instructions are. */
extern const char pc_loop_begin[], pc_loop_end[];

/*
 * pc_loop() - execute exactly n * PC_LOOP_INSTRUCTIONS instructions, and as
 * many more as it takes to call it; n branches are among them
 */
void pc_loop(__u64 n);

#if defined(__powerpc64__)
asm(".pushsection .text\n"
	".globl pc_loop, pc_loop_begin, pc_loop_end\n"
	".type pc_loop, @function\n"
	"pc_loop:\n"
	"	cmpdi %r3, 0\n"
	"	mtctr %r3\n"
	"	beq pc_loop_end\n"
	"pc_loop_begin:\n"
	"	nop\n"
	"	bdnz pc_loop_begin\n"
	"pc_loop_end:\n"
	"	blr\n"
	".size pc_loop, . - pc_loop\n"
	".popsection\n");
#else
asm(".pushsection .text\n"
	".globl pc_loop, pc_loop_begin, pc_loop_end\n"
	".type pc_loop, @function\n"
	"pc_loop:\n"
	"	test %rdi, %rdi\n"
	"	jz pc_loop_end\n"
	"pc_loop_begin:\n"
	"	dec %rdi\n"
	"	jnz pc_loop_begin\n"
	"pc_loop_end:\n"
	"	ret\n"
	".size pc_loop, . - pc_loop\n"
	".popsection\n");
#endif

/* A counter of the PMU that counts user mode alone, off until it is wanted. */
static inline struct perf_counter_attr pc_hw_attr(__u64 config)
{
	struct perf_counter_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return attr;
}

/* The same of an event whose code is the machine's own. */
static inline struct perf_counter_attr pc_raw_attr(__u64 code)
{
	struct perf_counter_attr attr = pc_hw_attr(code);

	attr.type = PERF_TYPE_RAW;
	return attr;
}

/* Is there such a line among the CPU's features in /proc/cpuinfo? */
static inline bool pc_cpu_has(const char *feature)
{
	char line[8192], *word, *save;
	FILE *f = fopen("/proc/cpuinfo", "r");
	bool has = false;

	while (f && !has && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "flags", 5))
			continue;
		for (word = strtok_r(line, " \t\n", &save); word && !has;
		     word = strtok_r(NULL, " \t\n", &save))
			has = !strcmp(word, feature);
		break;
	}
	if (f)
		fclose(f);
	return has;
}

/* Do all counters of a CPU start and stop at one moment? */
static inline bool pc_starts_at_once(void)
{
	return pc_cpu_has("arch_perfmon") || pc_cpu_has("perfmon_v2");
}

/* What the counter fd counts of n rounds, from its start to its stop; the same code for any n. */
static __attribute__((noipa, unused)) __u64 pc_count_loop(int fd, __u64 n)
{
	__u64 before = pc_value(fd);

	pc_enable(fd);
	pc_loop(n);
	pc_disable(fd);
	return pc_value(fd) - before;
}

#ifdef __x86_64__
/*
 * What a counter that is mapped at @page counts now, by its register; ~0 when it
 * has none at the moment.
 */
static inline __u64 pc_rdpmc(struct perf_event_mmap_page *page)
{
	__u32 lock, index, low, high;
	__u64 count;
	int unused;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);
		count = __atomic_load_n(&page->offset, __ATOMIC_RELAXED);
		if (!index || !page->cap_user_rdpmc)
			return ~0ULL;
		unused = 64 - page->pmc_width;
		asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index - 1));
		count += (__s64)(((__u64)high << 32 | low) << unused) >> unused;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != lock || lock & 1);
	return count;
}
#endif

/* main(): without a PMU there is nothing to test, unless PC_PMU says that there is one. */
static inline int pc_hw_main(int argc, char **argv)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int fd = pc_open(&attr, 0, -1, -1);

	if (fd < 0 && errno == ENOENT && !getenv("PC_PMU")) {
		printf("1..0 # SKIP there is no PMU\n");
		return KSFT_SKIP;
	}
	close(fd);
	return pc_main(argc, argv);
}

#endif /* PC_HW_H */
