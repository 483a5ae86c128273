// SPDX-License-Identifier: GPL-2.0
/*
 * A library with one function, which the Makefile names; all libraries made
 * of this file have one layout. The function calls nothing, so its code
 * can be executed at any address.
 */
asm(".balign 4096");
void NAME(char *map, long pages)
{
	for (long i = 0; i < pages; i++)
		map[i * 4096] = 1;
}

/* This function makes sure that NAME() is alone in its page. */
asm(".balign 4096");
void NAME_AFTER(void)
{
}
