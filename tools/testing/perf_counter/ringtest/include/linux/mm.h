/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RINGTEST_LINUX_MM_H
#define _RINGTEST_LINUX_MM_H

#include <linux/types.h>

#define PAGE_SHIFT		12
#define PAGE_SIZE		(1UL << PAGE_SHIFT)

/**
 * struct page - a page of a file in memory, which can be mapped anywhere
 * @fd: descriptor of the file
 * @index: number of the page in the file
 */
struct page {
	int		fd;
	unsigned int	index;
};

#endif /* _RINGTEST_LINUX_MM_H */
