/* SPDX-License-Identifier: GPL-2.0 */
/* Puts files that a recording hit into the recording: perf record --self-contained. */
#ifndef PERF_CMD_STORE_FILES_H
#define PERF_CMD_STORE_FILES_H

#include "machine/machine.h"

/* The parts of programs and libraries that are stored. */
enum store_parts {
	STORE_SYMBOLS,		/* what finding functions needs */
	STORE_FILES,		/* programs and libraries, and the symbols of their debug files */
	STORE_ALL,		/* programs, libraries and debug files */
};

/**
 * store_dso() - Store what reports need to name the functions of a dso
 * @files: section of the recording
 * @dso: dso
 * @parts: parts of its files
 *
 * Return: 0; -EFBIG if there is no more room in the section; another -errno if the file cannot be
 * read.
 */
int store_dso(struct stored_files *files, struct dso *dso, enum store_parts parts);

#endif
