// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that gcc -O2 copies for constant arguments (.constprop), divides into a part that is
 * inlined and a part that is not (.part), or moves away because they are cold (.cold).
 */
#include <stdio.h>
#include <stdlib.h>

#include "leaf.h"

static __attribute__((noinline)) unsigned long scale(unsigned long value, unsigned long by)
{
	unsigned long sum = 0;

	while (value--)
		sum += mix(sum) / by;
	return sum;
}

static unsigned long checked(const unsigned long *value)
{
	unsigned long sum = 0, i;

	if (!value)
		return 0;
	for (i = 0; i < *value; i++) {
		sum += scale(i, 7);
		sum ^= mix(sum);
		if (sum % 3 == 0)
			printf("%lu\n", sum);
		if (sum % 5 == 0)
			putchar('5');
	}
	return sum;
}

static __attribute__((cold)) void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? atol(argv[1]) : 10;

	if (nr > 1000000)
		fail("too large");
	return (checked(argc > 2 ? NULL : &nr) + checked(&nr)) == 42;
}
