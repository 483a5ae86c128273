/* SPDX-License-Identifier: GPL-2.0 */
/* An inlined function in a header. */

static inline __attribute__((always_inline)) unsigned long mix(unsigned long value)
{
	int i;

	for (i = 0; i < 4; i++)
		value = value * 6364136223846793005UL + 1442695040888963407UL;	/* line: mix */
	return value;
}
