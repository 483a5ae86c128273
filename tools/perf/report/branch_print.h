/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints branch records.
 */
#ifndef PERF_REPORT_BRANCH_PRINT_H
#define PERF_REPORT_BRANCH_PRINT_H

#include <stdio.h>

#include "machine/machine.h"

/* Forms in which perf script prints the two ends of a branch. */
enum branch_form {
	BRANCH_ADDRESS,		/* 0x401136 */
	BRANCH_SYMBOL,		/* main+0x4 */
	BRANCH_OFFSET,		/* 0x1136, the offset in the file */
};

/* Return the type of a branch, such as "COND"; "" if it was not recorded. */
const char *branch_type_name(const struct perf_branch_entry *entry);

/**
 * branch_print() - Print a branch as FROM/TO/MISPREDICTED/IN_TX/ABORT/CYCLES/TYPE
 * @out: stream to print to
 * @branch: branch
 * @form: form of FROM and TO
 * @with_dso: true to print the file in parentheses after FROM and TO
 */
void branch_print(FILE *out, const struct branch *branch, enum branch_form form, bool with_dso);

#endif
