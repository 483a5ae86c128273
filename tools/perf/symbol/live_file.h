/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of processes that still run, as these processes see them: in containers, or deleted or
 * replaced since they were mapped.
 */
#ifndef PERF_SYMBOL_LIVE_FILE_H
#define PERF_SYMBOL_LIVE_FILE_H

#include <sys/stat.h>

#include "dso_set.h"

/* Note that a process has mapped a dso. */
void dso_note_process(struct dso *dso, uint32_t pid);

/**
 * live_file_open() - Open the recorded file of a dso through a process that has mapped it
 * @dso: dso with a recorded build-id
 *
 * A process may have exited, and its number may belong to another one now, so only a file with the
 * recorded build-id is opened.
 *
 * Return: a descriptor, or -1.
 */
int live_file_open(const struct dso *dso);

#endif
