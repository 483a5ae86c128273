// SPDX-License-Identifier: GPL-2.0
/*
 * Judges chains that the kernel found by frame pointers.
 */
#include <string.h>

#include "util/util.h"
#include "pointer_chain.h"

/* A chain of this many functions is no proof of frame pointers: the second one may be a guess. */
#define SHORT_CHAIN 2

/* Fewest chains by which the share of broken ones is judged. */
#define ENOUGH_CHAINS 20

/* Return true for functions that threads begin with; the C library's have no frame pointers. */
static bool begins_thread(const struct location *frame)
{
	static const char *const names[] = {
		"main", "_start", "start_thread", "clone", "clone3", "libc_start", "dl_start",
	};
	const char *name = frame->symbol ? frame->symbol->name : "";
	size_t i;

	name += strcmp(name, "_start") ? strspn(name, "_") : 0;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		size_t size = strlen(names[i]);

		if (!strncmp(name, names[i], size) &&
		    (size > 7 || !name[size] || name[size] == '@'))
			return true;
	}
	return false;
}

static bool is_code(const struct location *frame)
{
	return frame->dso && frame->dso->kind != DSO_PLAIN;
}

void pointer_chain_count(struct pointer_counts *counts, const struct location *frames, size_t nr)
{
	size_t first = nr;

	while (first && frames[first - 1].mode == MODE_USER)
		first--;
	if (first == nr)
		return;
	counts->all++;
	counts->broken += !is_code(&frames[nr - 1]) ||
			  (nr - first <= SHORT_CHAIN && !begins_thread(&frames[nr - 1]));
}

bool pointer_chains_are_broken(const struct pointer_counts *counts)
{
	return counts->all >= ENOUGH_CHAINS && counts->broken > counts->all / 4;
}
