/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Branch records in words.
 */
#ifndef PERF_REPORT_BRANCH_PRINT_H
#define PERF_REPORT_BRANCH_PRINT_H

#include <stdio.h>

#include "machine/machine.h"

/* How perf script prints the two ends of a branch. */
enum branch_form {
	BRANCH_ADDRESS,		/* 0x401136 */
	BRANCH_SYMBOL,		/* main+0x4 */
	BRANCH_OFFSET,		/* 0x1136: the place in the file */
};

/* What kind of branch it is, as "COND"; empty if that was not recorded. */
const char *branch_type_name(const struct perf_branch_entry *entry);

/**
 * branch_print() - print a branch as FROM/TO/MISPREDICTED/IN_TX/ABORT/CYCLES/TYPE
 * @out: where to
 * @branch: the branch
 * @form: how its ends are printed
 * @with_dso: each with its file behind it, in parentheses
 */
void branch_print(FILE *out, const struct branch *branch, enum branch_form form, bool with_dso);

#endif
