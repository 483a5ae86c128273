/* SPDX-License-Identifier: GPL-2.0 */
/* Types that kernel/perf_counter/ring/ring.c uses, in user space. */
#ifndef _RINGTEST_LINUX_TYPES_H
#define _RINGTEST_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>

/* The C library's headers need the types of the real header. */
#include_next <linux/types.h>

typedef __u32		u32;
typedef __s64		s64;
typedef __u64		u64;

#endif /* _RINGTEST_LINUX_TYPES_H */
