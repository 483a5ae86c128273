// SPDX-License-Identifier: GPL-2.0
/*
 * The blocks of the kernel's code that were reached, by KCOV. KCOV records the system calls
 * and page faults of the calling task, not interrupts and NMIs, and only the files that are
 * compiled for it: those of perf_counter. Without KCOV no block counts as reached.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <linux/kcov.h>

#include "fuzz.h"

#define AREA_WORDS	(64UL << 10)

struct cover_result *cover_result;

/* The KCOV buffer of a task. */
struct trace {
	int fd;
	u64 *area;	/* the number of addresses, and the addresses; NULL without KCOV */
};

/*
 * @own is the buffer of the worker, or of the child that runs its program. @of_child is the
 * buffer of one of their children at a time.
 */
static struct trace own = { .fd = -1 }, of_child = { .fd = -1 };

static bool trace_open(struct trace *trace)
{
	trace->fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (trace->fd < 0)
		return true;
	if (ioctl(trace->fd, KCOV_INIT_TRACE, AREA_WORDS))
		return false;
	trace->area = mmap(NULL, AREA_WORDS * sizeof(u64), PROT_READ | PROT_WRITE, MAP_SHARED,
			   trace->fd, 0);
	return trace->area != MAP_FAILED;
}

bool cover_open(void)
{
	cover_result = mmap(NULL, sizeof(*cover_result), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cover_result == MAP_FAILED)
		return false;
	return trace_open(&own) && trace_open(&of_child);
}

bool cover_is_known(void)
{
	return own.area;
}

void cover_start(void)
{
	if (!own.area)
		return;
	store(own.area, 0);
	ioctl(own.fd, KCOV_ENABLE, KCOV_TRACE_PC);
}

void cover_start_child(void)
{
	ioctl(of_child.fd, KCOV_ENABLE, KCOV_TRACE_PC);
}

void cover_stop(void)
{
	if (own.area)
		ioctl(own.fd, KCOV_DISABLE, 0);
}

/* Mark a block as reached. Returns true when it was not reached before. */
static bool mark(u64 block)
{
	u64 at = block - COVER_BASE;
	uint8_t bit = 1 << at % 8;

	if (at >= COVER_BYTES || shared->seen[at / 8] & bit)
		return false;
	return !(atomic_fetch_or(&shared->seen[at / 8], bit) & bit);
}

static void take(u64 *area)
{
	struct cover_result *result = cover_result;
	u64 n = load(area);

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
	store(area, 0);
}

void cover_take(void)
{
	if (!own.area)
		return;
	take(own.area);
	take(of_child.area);
}
