/* SPDX-License-Identifier: GPL-2.0 */
/* Pages for rings; see memory.c. */
#ifndef _RINGTEST_MEMORY_H
#define _RINGTEST_MEMORY_H

#include <linux/mm.h>

/* Print why the machine cannot run the test, and end the program. */
void __noreturn fail(const char *what);

struct page **pages_alloc(unsigned int nr);
void pages_free(struct page **pages);

#endif /* _RINGTEST_MEMORY_H */
