/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RINGTEST_LINUX_CACHE_H
#define _RINGTEST_LINUX_CACHE_H

#define SMP_CACHE_BYTES			64
#define ____cacheline_aligned_in_smp	__aligned(SMP_CACHE_BYTES)

#endif /* _RINGTEST_LINUX_CACHE_H */
