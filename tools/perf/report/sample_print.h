/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of samples in words: registers, where data came from, sizes of pages.
 * The format is the one of the kernel's perf script.
 */
#ifndef PERF_REPORT_SAMPLE_PRINT_H
#define PERF_REPORT_SAMPLE_PRINT_H

#include <stdio.h>

#include "file/file.h"

/**
 * sample_print_regs() - print registers by their names
 * @out: where to
 * @regs: the registers; nothing is printed if none were saved
 * @arch: of the machine that was recorded
 */
void sample_print_regs(FILE *out, const struct sample_regs *regs, enum arch arch);

/**
 * sample_print_data_src() - print where data came from, and how
 * @out: where to
 * @data_src: as the sample has it
 * @width: of what was printed before, so that it is a column; 0 at first
 */
void sample_print_data_src(FILE *out, uint64_t data_src, int *width);

/* "4K"; "N/A" if it is 0. */
void sample_print_page_size(FILE *out, uint64_t size);

#endif
