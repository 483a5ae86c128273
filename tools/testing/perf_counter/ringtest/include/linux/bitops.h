/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RINGTEST_LINUX_BITOPS_H
#define _RINGTEST_LINUX_BITOPS_H

#include <linux/types.h>

/* The number of the lowest bit set, from 0 on. */
static inline unsigned long __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

#endif /* _RINGTEST_LINUX_BITOPS_H */
