// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of a PMU, and a loop of a known number of instructions.
 */
#include "pc_hw.h"

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

struct perf_counter_attr pc_hw_attr(__u64 config)
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

struct perf_counter_attr pc_raw_attr(__u64 code)
{
	struct perf_counter_attr attr = pc_hw_attr(code);

	attr.type = PERF_TYPE_RAW;
	return attr;
}

bool pc_cpu_has(const char *feature)
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

bool pc_starts_at_once(void)
{
	return pc_cpu_has("arch_perfmon") || pc_cpu_has("perfmon_v2");
}

__attribute__((noipa)) __u64 pc_count_loop(int fd, __u64 n)
{
	__u64 before = pc_value(fd);

	pc_enable(fd);
	pc_loop(n);
	pc_disable(fd);
	return pc_value(fd) - before;
}

#ifdef __x86_64__
__u64 pc_rdpmc(struct perf_event_mmap_page *page)
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
