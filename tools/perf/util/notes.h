/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes: parts of a report that are missing, why, and what the user can do.
 *
 * A part can be missing in a million samples for one reason. Each reason is counted, and
 * notes_print() prints one line for it.
 */
#ifndef PERF_UTIL_NOTES_H
#define PERF_UTIL_NOTES_H

#include <stdint.h>

/**
 * note_samples() - count samples of which a part is missing
 * @nr: number of samples; 0 does nothing
 * @what: the missing part, as the predicate of a sentence: "have no callers"; a literal
 * @remedy: advice to the user, as an imperative; NULL: no advice; a literal
 */
void note_samples(uint64_t nr, const char *what, const char *remedy);

/**
 * note_file() - note that a file is not used
 * @path: path of the file; copied
 * @why: the reason, which follows a colon: "not found"; copied
 * @remedy: advice to the user, as an imperative; NULL: no advice; a literal
 *
 * Files with the same reason and remedy share a line, which names the first of them.
 */
void note_file(const char *path, const char *why, const char *remedy);

/*
 * Print the notes on stderr, in the order in which the reasons first came, and forget them.
 * @total is the number of all samples.
 */
void notes_print(uint64_t total);

#endif
