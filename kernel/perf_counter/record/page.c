// SPDX-License-Identifier: GPL-2.0
/*
 * What samples of perf_counter say of memory: where an address lies physically, and how
 * large the page is that has it.
 *
 * Page tables are looked at without a lock, from NMIs too. While IRQs are off on this
 * CPU no page table of the task that it runs is freed: the task that takes one out waits for
 * an IPI, or for a grace period of RCU (see HAVE_GUP_FAST in mm/gup.c). Those of the kernel may
 * be freed at once.
 */

#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "internal.h"

/**
 * perf_counter_phys_addr() - where an address lies
 * @addr: of the current task or of the kernel
 *
 * Context: any, NMI included.
 * Return: its physical address; 0 when there is none, or it cannot be told here.
 */
u64 perf_counter_phys_addr(u64 addr)
{
	void *kernel = (void *)(unsigned long)addr;
	struct page *page;
	u64 phys;

	if (!addr)
		return 0;
	if (addr >= TASK_SIZE)
		return virt_addr_valid(kernel) && !is_vmalloc_addr(kernel) ?
		       virt_to_phys(kernel) : 0;
	if (!current->mm || !perf_counter_has_user_mode(current))
		return 0;
	if (!get_user_page_fast_only(addr, 0, &page))
		return 0;
	phys = page_to_phys(page) + offset_in_page(addr);
	put_page(page);
	return phys;
}

#if defined(CONFIG_HAVE_GUP_FAST) && defined(CONFIG_64BIT)
/*
 * LOOK() - Read the entry at @at into @entry, of a page table that may lead to another table
 *
 * False: it does. True: the walk ends here, with the size of the page that the entry maps in
 * @size, which is left alone if there is none. A table of the kernel's that is replaced by a
 * large page may be freed while it is looked at, and what is read then may be anything: the
 * read must not fault.
 */
#define LOOK(level, at, entry, size)							\
({											\
	typeof(entry) *__entry = &(entry);						\
	bool __ends = get_kernel_nofault(*__entry, at) || !level##_present(*__entry);	\
											\
	if (!__ends && level##_leaf(*__entry)) {					\
		(size) = level##_leaf_size(*__entry);					\
		__ends = true;								\
	}										\
	__ends;										\
})

/* How large the page is that has @addr in @mm; 0 without a page. IRQs are off. */
static u64 mapped_size(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *pgds = pgd_offset(mm, addr), pgd;
	p4d_t *p4ds, p4d;
	pud_t *puds, pud;
	pmd_t *pmds, pmd;
	pte_t pte;
	u64 size = 0;

	if (LOOK(pgd, pgds, pgd, size))
		return size;
	p4ds = p4d_offset_lockless(pgds, pgd, addr);
	if (LOOK(p4d, p4ds, p4d, size))
		return size;
	puds = pud_offset_lockless(p4ds, p4d, addr);
	if (LOOK(pud, puds, pud, size))
		return size;
	pmds = pmd_offset_lockless(puds, pud, addr);
	if (LOOK(pmd, pmds, pmd, size))
		return size;
	/* Several entries together may map one larger page, as the architecture has it. */
	if (get_kernel_nofault(pte, pte_offset_kernel(&pmd, addr)) || !pte_present(pte))
		return 0;
	return __pte_leaf_size(pmd, pte);
}
#else
static u64 mapped_size(struct mm_struct *mm, unsigned long addr)
{
	return 0;
}
#endif

/* Whose page table has @addr; NULL for nobody's. A task's need not have the kernel's half. */
static struct mm_struct *mm_of(u64 addr)
{
	return addr >= TASK_SIZE_MAX ? &init_mm : current->mm;
}

/**
 * perf_counter_page_size() - tell how large a page is, by the page tables
 * @addr: an address in it, of the current task or of the kernel
 *
 * Context: any, NMI included.
 * Return: its bytes; 0 when nothing is mapped there, or where it cannot be told: where the
 * kernel's own memory is in no page table, as with the hashed one of powerpc.
 */
u64 perf_counter_page_size(u64 addr)
{
	struct mm_struct *mm = mm_of(addr);

	if (!addr || !mm)
		return 0;
	guard(irqsave)();
	return mapped_size(mm, addr);
}
