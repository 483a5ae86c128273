/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RINGTEST_LINUX_SLAB_H
#define _RINGTEST_LINUX_SLAB_H

#include <stdlib.h>

/* The flags of allocations have no effect in user space. */
#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
#define __GFP_NOWARN		0

static inline void *kvcalloc(size_t nr, size_t size, unsigned int flags)
{
	/*
	 * As with the kernel's allocator, a table does not share a cache line with other
	 * memory.
	 */
	size_t bytes = (nr * size + 63) / 64 * 64;
	void *memory = aligned_alloc(64, bytes);

	return memory ? memset(memory, 0, bytes) : NULL;
}

static inline void *kvmalloc_array(size_t nr, size_t size, unsigned int flags)
{
	return kvcalloc(nr, size, flags);
}

static inline void kvfree(const void *memory)
{
	free((void *)memory);
}

#endif /* _RINGTEST_LINUX_SLAB_H */
