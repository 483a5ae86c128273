// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the frequency of the host's TSC in kHz, which is also the guest's under TCG. On a
 * busy machine the guest cannot measure it, because its other clocks are emulated and run
 * late.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define MEASURE_NS	50000000

struct moment {
	uint64_t ns;
	uint64_t tsc;
};

/*
 * Take several readings, and return the one with the fewest TSC ticks around it, which was
 * not interrupted.
 */
static struct moment now(void)
{
	struct moment best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 100; i++) {
		struct timespec ts;
		uint64_t before, after;

		before = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		best.tsc = before + (after - before) / 2;
		best.ns = (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
	}
	return best;
}

int main(void)
{
	struct moment start = now(), end;

	do {
		end = now();
	} while (end.ns - start.ns < MEASURE_NS);
	printf("%.0f\n", (double)(end.tsc - start.tsc) * 1e6 / (end.ns - start.ns));
	return 0;
}
