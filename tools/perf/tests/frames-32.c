// SPDX-License-Identifier: GPL-2.0
/*
 * frames-32 - burn CPU time below three functions, as a 32-bit program
 */
#define OWN_FRAME __attribute__((noipa))
#define NR_EXIT 1
#define ROUNDS 300000000

unsigned long sink;

OWN_FRAME static unsigned long burn(void)
{
	unsigned long sum = 0, i;

	for (i = 0; i < ROUNDS; i++)
		sum += i ^ sum;
	return sum;
}

OWN_FRAME static unsigned long second(void)
{
	return burn() + 1;
}

OWN_FRAME static unsigned long first(void)
{
	return second() + 1;
}

void _start(void)
{
	sink = first();
	asm volatile("int $0x80" : : "a" (NR_EXIT), "b" (0));
	__builtin_unreachable();
}
