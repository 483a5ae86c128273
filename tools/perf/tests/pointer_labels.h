/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Labels in the assembler code of unit-pointer-frame.c.
 */
#ifndef PERF_TESTS_POINTER_LABELS_H
#define PERF_TESTS_POINTER_LABELS_H

extern const char keeps_first[], keeps_pushed[], keeps_set[], keeps_return[], keeps_last[],
	uses_inside[], uses_last[], red_inside[], shifted_inside[], none_last[], aligned_first[],
	aligned_inside[], begins_inside[], trampoline_inside[], bare_inside[];

#endif
