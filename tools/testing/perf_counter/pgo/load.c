// SPDX-License-Identifier: GPL-2.0
/*
 * A program that a compiler lays out badly without a profile: each test puts the rare case
 * first. The program's output does not depend on its layout.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t next(uint32_t x)
{
	return x * 1664525 + 1013904223;
}

/* Each of the first two conditions is true for one of a thousand values of @x. */
static uint64_t step(uint64_t sum, uint32_t x)
{
	if (x < UINT32_MAX / 1000)
		sum = sum / 3 + x % 7;
	else if (x > UINT32_MAX / 1000 * 999)
		sum = sum / 5 + x % 11;
	else
		sum += x;
	if ((x & 0xfff) == 1)
		sum ^= sum >> 7;
	else
		sum ^= x;
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long i, rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	uint64_t sum = 0;
	uint32_t x = 1;

	for (i = 0; i < rounds; i++) {
		x = next(x);
		sum = step(sum, x);
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
