// SPDX-License-Identifier: GPL-2.0
/* A small program with debug information: the first input of the targets that read ELF files. */
static int twice(int n)
{
	return n + n;
}

void _start(void)
{
	int volatile n = twice(3);

	(void)n;
}
