// SPDX-License-Identifier: GPL-2.0
/*
 * Prints branch records. Compilers parse what perf script prints.
 */
#include <inttypes.h>

#include "symbol/symbol.h"
#include "branch_print.h"

const char *branch_type_name(const struct perf_branch_entry *entry)
{
	/* Names of PERF_BR_* and of PERF_BR_NEW_*, see <linux/perf_event.h>. */
	static const char *const names[PERF_BR_EXTEND_ABI] = {
		"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET",
		"COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX",
	};
	static const char *const new_names[] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4",
		"ARCH_5",
	};

	if (entry->type != PERF_BR_EXTEND_ABI)
		return names[entry->type];
	return entry->new_type < ARRAY_SIZE(new_names) ? new_names[entry->new_type] : "";
}

static void print_end(FILE *out, const struct location *at, enum branch_form form, bool with_dso)
{
	switch (form) {
	case BRANCH_ADDRESS:
		fprintf(out, "0x%" PRIx64, at->ip);
		break;
	case BRANCH_SYMBOL:
		fputs(at->symbol ? symbol_name(at->symbol) : "[unknown]", out);
		if (at->symbol)
			fprintf(out, "+0x%" PRIx64, at->symbol_offset);
		break;
	case BRANCH_OFFSET:
		fprintf(out, "0x%" PRIx64, at->addr);
		break;
	}
	if (with_dso)
		fprintf(out, "(%s)", at->dso ? at->dso->long_name : "[unknown]");
}

static char prediction(const struct perf_branch_entry *entry)
{
	if (entry->mispred)
		return 'M';
	return entry->predicted ? 'P' : '-';
}

void branch_print(FILE *out, const struct branch *branch, enum branch_form form, bool with_dso)
{
	const struct perf_branch_entry *entry = &branch->entry;

	print_end(out, &branch->from, form, with_dso);
	fputc('/', out);
	print_end(out, &branch->to, form, with_dso);
	fprintf(out, "/%c/%c/%c/%u/%s", prediction(entry), entry->in_tx ? 'X' : '-',
		entry->abort ? 'A' : '-', (unsigned int)entry->cycles, branch_type_name(entry));
}
