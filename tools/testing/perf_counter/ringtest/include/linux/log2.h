/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RINGTEST_LINUX_LOG2_H
#define _RINGTEST_LINUX_LOG2_H

#include <linux/types.h>

static inline int ilog2(u64 value)
{
	return 63 - __builtin_clzll(value);
}

#endif /* _RINGTEST_LINUX_LOG2_H */
