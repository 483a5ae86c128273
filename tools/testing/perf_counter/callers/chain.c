// SPDX-License-Identifier: GPL-2.0
/*
 * chain ROUNDS: a program that spends its time in the last of seven functions that call one
 * another. The program has no frame pointers.
 */
#include <stdlib.h>

#define CALL(n, next)							\
static __attribute__((noipa)) void f##n(void)				\
{									\
	f##next();							\
	__asm__ __volatile__("");					\
}

static __attribute__((noipa)) void f7(void)
{
	for (int i = 0; i < 10000; i++)
		__asm__ __volatile__("");
}

CALL(6, 7)
CALL(5, 6)
CALL(4, 5)
CALL(3, 4)
CALL(2, 3)
CALL(1, 2)

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000;

	while (rounds--)
		f1();
	return 0;
}
