// SPDX-License-Identifier: GPL-2.0
/*
 * The options of perf record that add contents to samples, or remove contents.
 */
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "report/report.h"
#include "record_content.h"

enum {
	OPTION_USER_REGS = 0x100,
	OPTION_PHYS_DATA,
	OPTION_DATA_PAGE_SIZE,
	OPTION_CODE_PAGE_SIZE,
	OPTION_ALL_USER,
	OPTION_ALL_KERNEL,
	OPTION_USER_CHAINS,
	OPTION_KERNEL_CHAINS,
};

static const struct argp_option content_table[] = {
	{ "weight", 'W', NULL, 0, "Record the weight of samples, such as a latency", 1 },
	{ "phys-data", OPTION_PHYS_DATA, NULL, 0, "Record physical addresses of data", 1 },
	{ "data-page-size", OPTION_DATA_PAGE_SIZE, NULL, 0, "Record the page sizes of data", 1 },
	{ "code-page-size", OPTION_CODE_PAGE_SIZE, NULL, 0, "Record the page sizes of code", 1 },
	{ "intr-regs", 'I', "REG,...", OPTION_ARG_OPTIONAL,
	  "Record registers: all, or these; ? lists them", 1 },
	{ "user-regs", OPTION_USER_REGS, "REG,...", OPTION_ARG_OPTIONAL,
	  "Record registers of user mode: all, or these; ? lists them", 1 },
	{ "no-samples", 'n', NULL, 0, "Take no samples, only record what tasks do", 1 },
	{ "stat", 's', NULL, 0, "Record the count of each thread when it exits", 1 },
	{ "all-user", OPTION_ALL_USER, NULL, 0, "Sample only user mode, as :u does", 1 },
	{ "all-kernel", OPTION_ALL_KERNEL, NULL, 0, "Sample only the kernel, as :k does", 1 },
	{ "user-callchains", OPTION_USER_CHAINS, NULL, 0,
	  "With -g, only the callers in user mode", 1 },
	{ "kernel-callchains", OPTION_KERNEL_CHAINS, NULL, 0,
	  "With -g, only the callers in the kernel", 1 },
	{ 0 }
};

/* The registers that the kernel records on this machine. */
#if defined(__powerpc64__)
#define ARCH_HERE ARCH_POWERPC
#define REGISTERS_HERE 0x1fffffffffffULL
#else
#define ARCH_HERE ARCH_X86
/* Segment registers of data are not recorded on x86-64. */
#define REGISTERS_HERE 0xff0fffULL
#endif

static void list_registers(void)
{
	char name[16];
	int reg;

	fputs("available registers:", stdout);
	for (reg = 0; reg < 64; reg++) {
		if (!(REGISTERS_HERE & 1ULL << reg))
			continue;
		sample_reg_name(name, sizeof(name), reg, ARCH_HERE);
		printf(" %s", name);
	}
	putchar('\n');
	exit(0);
}

static __u64 find_register(const char *wanted)
{
	char name[16];
	int reg;

	for (reg = 0; reg < 64; reg++) {
		if (!(REGISTERS_HERE & 1ULL << reg))
			continue;
		sample_reg_name(name, sizeof(name), reg, ARCH_HERE);
		if (!strcasecmp(name, wanted))
			return 1ULL << reg;
	}
	return 0;
}

static __u64 parse_registers(struct argp_state *state, const char *option, const char *list)
{
	char *copy, *rest, *name;
	__u64 mask = 0, bit;

	if (!list)
		return REGISTERS_HERE;
	if (!strcmp(list, "?"))
		list_registers();
	copy = xstrdup(list);
	rest = copy;
	while ((name = strsep(&rest, ","))) {
		bit = find_register(name);
		if (!bit)
			argp_error(state, "%s: there is no register '%s'; %s=? lists them", option,
				   name, option);
		mask |= bit;
	}
	free(copy);
	return mask;
}

static error_t parse_content_option(int key, char *arg, struct argp_state *state)
{
	struct sampling *s = state->input;

	switch (key) {
	case 'W':
		s->more |= PERF_SAMPLE_WEIGHT;
		return 0;
	case OPTION_PHYS_DATA:
		s->more |= PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_ADDR;
		return 0;
	case OPTION_DATA_PAGE_SIZE:
		s->more |= PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_ADDR;
		return 0;
	case OPTION_CODE_PAGE_SIZE:
		s->more |= PERF_SAMPLE_CODE_PAGE_SIZE;
		return 0;
	case 'I':
		s->intr_regs = parse_registers(state, "--intr-regs", arg);
		return 0;
	case OPTION_USER_REGS:
		s->user_regs = parse_registers(state, "--user-regs", arg);
		return 0;
	case 'n':
		s->no_samples = true;
		return 0;
	case 's':
		s->thread_counts = true;
		return 0;
	case OPTION_ALL_USER:
		s->only_user = true;
		return 0;
	case OPTION_ALL_KERNEL:
		s->only_kernel = true;
		return 0;
	case OPTION_USER_CHAINS:
		s->user_chains = true;
		return 0;
	case OPTION_KERNEL_CHAINS:
		s->kernel_chains = true;
		return 0;
	case ARGP_KEY_END:
		if (s->only_user && s->only_kernel)
			argp_error(state, "--all-user and --all-kernel contradict one another");
		if (s->user_chains && s->kernel_chains)
			argp_error(state,
				   "--user-callchains and --kernel-callchains contradict one another");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp record_content_argp = {
	.options = content_table,
	.parser = parse_content_option,
};
