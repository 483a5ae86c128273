/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints fields of samples: registers, data sources, page sizes.
 * The format is the one of the kernel's perf script.
 */
#ifndef PERF_REPORT_SAMPLE_PRINT_H
#define PERF_REPORT_SAMPLE_PRINT_H

#include <stdio.h>

#include "file/file.h"

/* Write the name of a register, or its number in the recording, to @name of @size bytes. */
void sample_reg_name(char *name, size_t size, unsigned int reg, enum arch arch);

/**
 * sample_print_regs() - Print registers with their names
 * @out: stream to print to
 * @regs: registers; nothing is printed without an ABI
 * @arch: architecture of the recorded machine
 */
void sample_print_regs(FILE *out, const struct sample_regs *regs, enum arch arch);

/**
 * sample_print_data_src() - Print the source of data
 * @out: stream to print to
 * @data_src: value in the sample
 * @width: width of the column; grows with the text, 0 at first
 */
void sample_print_data_src(FILE *out, uint64_t data_src, int *width);

/* Print a page size as "4K", or as "N/A" if it is 0. */
void sample_print_page_size(FILE *out, uint64_t size);

#endif
