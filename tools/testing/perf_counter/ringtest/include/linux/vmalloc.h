/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RINGTEST_LINUX_VMALLOC_H
#define _RINGTEST_LINUX_VMALLOC_H

#include <linux/mm.h>

#define VM_MAP			0
#define PAGE_KERNEL		0

/* Map the pages in a row, between two inaccessible pages. */
void *vmap(struct page **pages, unsigned int nr, unsigned long flags, int protection);
void vunmap(const void *at);

#endif /* _RINGTEST_LINUX_VMALLOC_H */
