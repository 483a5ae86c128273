// SPDX-License-Identifier: GPL-2.0
/*
 * A library with one function, whose name the Makefile chooses; libraries that
 * are made from this have the same layout. It calls nothing, so that its code
 * can be executed wherever it is.
 */
asm(".balign 4096");
void NAME(char *map, long pages)
{
	for (long i = 0; i < pages; i++)
		map[i * 4096] = 1;
}

/* Nothing else is on that page. */
asm(".balign 4096");
void NAME_AFTER(void)
{
}
