/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps the files that the samples of a recording hit, so that later reports find the functions of
 * files that are gone.
 */
#ifndef PERF_CMD_KEPT_FILES_H
#define PERF_CMD_KEPT_FILES_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "file/file.h"

/**
 * struct kept_options - options of perf record for copies of files
 * @no_list: -B: list no build-ids in the recording, and keep nothing
 * @no_cache: -N: keep nothing
 * @all: --buildid-all: keep all files that were mapped, not only those that samples hit
 * @size: --cache-size, in bytes
 * @store: --self-contained: the recording contains what reports need
 * @store_all: --self-contained=all: it contains whole files, with their debug files
 */
struct kept_options {
	bool no_list;
	bool no_cache;
	bool all;
	double size;
	bool store;
	bool store_all;
};

/* A parser for struct argp.children; its input is a struct kept_options. */
extern const struct argp kept_argp;

/**
 * kept_files_save() - Keep the files that samples hit: in the cache, in the recording, or in both
 * @options: options of perf record
 * @part: path of the recording, whose records are complete
 * @stored: gets the files for the recording itself; the caller frees them
 * @quiet: print no warnings
 *
 * If a signal that ends the program is pending, the search for hits stops, and nothing is copied.
 */
void kept_files_save(const struct kept_options *options, const char *part,
		     struct stored_files *stored, bool quiet);

#endif
