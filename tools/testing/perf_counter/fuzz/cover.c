// SPDX-License-Identifier: GPL-2.0
/*
 * Which blocks of the kernel's code have been reached, by KCOV. It tells of what the calling
 * task does in its system calls and page faults, not of interrupts and NMIs, and only of the
 * files that are compiled for it: those of perf_counter. Without KCOV nothing is reached.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <linux/kcov.h>

#include "fuzz.h"

#define AREA_WORDS	(64UL << 10)

struct cover_result *cover_result;

static u64 *area;
static int kcov = -1;

bool cover_open(void)
{
	cover_result = mmap(NULL, sizeof(*cover_result), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cover_result == MAP_FAILED)
		return false;
	kcov = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (kcov < 0)
		return true;
	if (ioctl(kcov, KCOV_INIT_TRACE, AREA_WORDS))
		return false;
	area = mmap(NULL, AREA_WORDS * sizeof(u64), PROT_READ | PROT_WRITE, MAP_SHARED, kcov, 0);
	return area != MAP_FAILED;
}

bool cover_is_known(void)
{
	return area;
}

void cover_start(void)
{
	if (!area)
		return;
	__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
	ioctl(kcov, KCOV_ENABLE, KCOV_TRACE_PC);
}

void cover_stop(void)
{
	if (area)
		ioctl(kcov, KCOV_DISABLE, 0);
}

/* Returns true when @block was not reached before. */
static bool mark(u64 block)
{
	u64 at = block - COVER_BASE;
	uint8_t bit = 1 << at % 8;

	if (at >= COVER_BYTES || shared->seen[at / 8] & bit)
		return false;
	return !(atomic_fetch_or(&shared->seen[at / 8], bit) & bit);
}

void cover_take(void)
{
	struct cover_result *result = cover_result;
	u64 n = area ? __atomic_load_n(&area[0], __ATOMIC_RELAXED) : 0;

	for (u64 i = 1; i <= n && i < AREA_WORDS; i++) {
		if (mark(area[i])) {
			shared->blocks++;
			if (result->nr_fresh < FRESH_MAX)
				result->fresh[result->nr_fresh++] = area[i];
		}
		for (unsigned int j = 0; j < result->nr_expected; j++)
			if (result->expected[j] == area[i])
				result->met |= 1ULL << j;
	}
	if (area)
		__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
}
