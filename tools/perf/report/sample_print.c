// SPDX-License-Identifier: GPL-2.0
/*
 * Prints fields of samples: registers, data sources, page sizes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sample_print.h"

/* Number of the first vector register of x86; each vector register is two words. */
#define FIRST_XMM 32

static const char *const x86_regs[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES",
	"FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
};

/* The general registers of powerpc, which precede powerpc_regs. */
#define NR_GPRS 32

static const char *const powerpc_regs[] = {
	"nip", "msr", "orig_r3", "ctr", "link", "xer", "ccr", "softe", "trap", "dar", "dsisr",
	"sier", "mmcra",
};

static void name_x86_reg(unsigned int reg, char *name, size_t size)
{
	if (reg < ARRAY_SIZE(x86_regs))
		snprintf(name, size, "%s", x86_regs[reg]);
	else if (reg >= FIRST_XMM)
		snprintf(name, size, "XMM%u", (reg - FIRST_XMM) / 2);
	else
		snprintf(name, size, "#%u", reg);
}

static void name_powerpc_reg(unsigned int reg, char *name, size_t size)
{
	if (reg < NR_GPRS)
		snprintf(name, size, "r%u", reg);
	else if (reg < NR_GPRS + ARRAY_SIZE(powerpc_regs))
		snprintf(name, size, "%s", powerpc_regs[reg - NR_GPRS]);
	else
		snprintf(name, size, "#%u", reg);
}

void sample_reg_name(char *name, size_t size, unsigned int reg, enum arch arch)
{
	switch (arch) {
	case ARCH_X86:
		name_x86_reg(reg, name, size);
		break;
	case ARCH_POWERPC:
		name_powerpc_reg(reg, name, size);
		break;
	case ARCH_OTHER:
		snprintf(name, size, "#%u", reg);
		break;
	}
}

void sample_print_regs(FILE *out, const struct sample_regs *regs, enum arch arch)
{
	const char *at = regs->values;
	unsigned int reg;
	uint64_t value;
	char name[8];

	if (!regs->abi)
		return;
	fprintf(out, " ABI:%" PRIu64 " ", regs->abi);
	for (reg = 0; reg < 64; reg++) {
		if (!(regs->mask & (1ULL << reg)))
			continue;
		memcpy(&value, at, sizeof(value));
		at += sizeof(value);
		sample_reg_name(name, sizeof(name), reg, arch);
		fprintf(out, "%5s:0x%" PRIx64 " ", name, value);
	}
}

/* Print the names of the set bits with " or " between, or "N/A". A bit may have no name. */
static void print_bits(FILE *out, uint64_t bits, const char *const *names, size_t nr)
{
	size_t i, printed = 0;

	for (i = 0; i < nr; i++) {
		if (!(bits & (1ULL << i)) || !names[i])
			continue;
		fprintf(out, "%s%s", printed++ ? " or " : "", names[i]);
	}
	if (!printed)
		fputs("N/A", out);
}

static void print_op(FILE *out, uint64_t op)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (op & (1ULL << i)) {
			fputs(names[i], out);
			return;
		}
	}
	fputs("No", out);
}

static void print_level_number(FILE *out, unsigned int number)
{
	static const char *const names[16] = {
		[9] = "CXL", [10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM",
		[14] = "PMEM", [15] = "N/A",
	};

	if (names[number])
		fputs(names[number], out);
	else if (number)
		fprintf(out, "L%u", number);
}

static void print_hops(FILE *out, unsigned int hops)
{
	static const char *const names[] = {
		NULL, "core, same node", "node, same socket", "socket, same board", "board",
	};

	if (hops >= ARRAY_SIZE(names))
		fprintf(out, "%u hops ", hops);
	else if (hops)
		fprintf(out, "%s ", names[hops]);
}

static void print_level(FILE *out, union perf_mem_data_src src)
{
	static const char *const names[] = {
		"N/A", NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
		"Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O",
		"Uncached",
	};
	uint64_t level = src.mem_lvl & ~(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS);

	fputs(src.mem_remote ? "Remote " : "", out);
	print_hops(out, src.mem_hops);
	/* If mem_hops is set, the level is in mem_lvl_num, and @level adds nothing to it. */
	if (!src.mem_hops && level)
		print_bits(out, level, names, ARRAY_SIZE(names));
	if (!src.mem_hops && level && src.mem_lvl_num)
		fputs(" or ", out);
	print_level_number(out, src.mem_lvl_num);
	if (!src.mem_remote && !src.mem_hops && !level && !src.mem_lvl_num)
		fputs("N/A", out);
	fputs(src.mem_lvl & PERF_MEM_LVL_HIT ? " hit" : "", out);
	fputs(src.mem_lvl & PERF_MEM_LVL_MISS ? " miss" : "", out);
}

static void print_snoop(FILE *out, union perf_mem_data_src src)
{
	static const char *const names[] = {
		"N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer",
	};
	uint64_t bits = src.mem_snoop | (uint64_t)src.mem_snoopx << 5;

	print_bits(out, bits, names, ARRAY_SIZE(names));
}

static void print_tlb(FILE *out, uint64_t tlb)
{
	static const char *const names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };

	print_bits(out, tlb, names, ARRAY_SIZE(names));
	fputs(tlb & PERF_MEM_TLB_HIT ? " hit" : "", out);
	fputs(tlb & PERF_MEM_TLB_MISS ? " miss" : "", out);
}

static void print_lock(FILE *out, uint64_t lock)
{
	fputs(lock & PERF_MEM_LOCK_NA ? "N/A" : lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No", out);
}

static void print_blocked(FILE *out, uint64_t blocked)
{
	if (blocked & PERF_MEM_BLK_NA || !blocked) {
		fputs(" N/A", out);
		return;
	}
	fputs(blocked & PERF_MEM_BLK_DATA ? " Data" : "", out);
	fputs(blocked & PERF_MEM_BLK_ADDR ? " Addr" : "", out);
}

void sample_print_data_src(FILE *out, uint64_t data_src, int *width)
{
	const union perf_mem_data_src src = { .val = data_src };
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		die("out of memory");
	fputs("|OP ", words);
	print_op(words, src.mem_op);
	fputs("|LVL ", words);
	print_level(words, src);
	fputs("|SNP ", words);
	print_snoop(words, src);
	fputs("|TLB ", words);
	print_tlb(words, src.mem_dtlb);
	fputs("|LCK ", words);
	print_lock(words, src.mem_lock);
	fputs("|BLK ", words);
	print_blocked(words, src.mem_blk);
	fclose(words);
	if ((int)size > *width)
		*width = size;
	fprintf(out, "%16" PRIx64 " %-*s", data_src, *width, text);
	free(text);
}

void sample_print_page_size(FILE *out, uint64_t size)
{
	static const char units[] = "BKMG";
	size_t unit = 0;

	if (!size) {
		fputs("N/A", out);
		return;
	}
	/* Print 1 GiB as "1024M", like the kernel's perf. */
	while (size / 1024 > 1 && units[unit + 1]) {
		size /= 1024;
		unit++;
	}
	fprintf(out, "%" PRIu64 "%c", size, units[unit]);
}
