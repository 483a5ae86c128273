// SPDX-License-Identifier: GPL-2.0
/*
 * load-loop N
 *
 * Executes a known number of branches and instructions: spin() has N rounds, each with one
 * branch and with an equal number of instructions.
 */
#include <stdio.h>
#include <stdlib.h>

void spin(long n)
{
	long i;

	for (i = 0; i < n; i++)
		;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: load-loop N\n", stderr);
		return 129;
	}
	spin(atol(argv[1]));
	return 0;
}
