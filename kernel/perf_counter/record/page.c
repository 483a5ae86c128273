// SPDX-License-Identifier: GPL-2.0
/*
 * Memory in samples of perf_counter: physical addresses and page sizes.
 *
 * Page tables are read without a lock, from NMIs too. While IRQs are off on this CPU,
 * no page table of its current task is freed: the task that removes a page table waits
 * for an IPI or an RCU grace period (see HAVE_GUP_FAST in mm/gup.c). Page tables of the
 * kernel may be freed at once.
 */

#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "internal.h"

/**
 * perf_counter_phys_addr() - Get the physical address of a virtual one
 * @addr: virtual address of the current task or of the kernel
 *
 * Context: any, NMI included.
 * Return: physical address; 0 if there is none, or if it cannot be found without
 * sleeping.
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
 * PGTABLE_READ() - Read the page table entry at @at into @entry
 *
 * Returns false if the entry leads to another table. Returns true if the walk ends
 * here: @size is the size of the page that the entry maps, and is unchanged if there is
 * no page. A table of the kernel that is replaced by a large page may be freed and
 * reused while it is read: the read must not fault, and may return any value.
 */
#define PGTABLE_READ(level, at, entry, size)						\
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

/* Return the size of the page at @addr in @mm, or 0 if there is no page. IRQs must be off. */
static u64 pgtable_page_size(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *pgds = pgd_offset(mm, addr), pgd;
	p4d_t *p4ds, p4d;
	pud_t *puds, pud;
	pmd_t *pmds, pmd;
	pte_t pte;
	u64 size = 0;

	if (PGTABLE_READ(pgd, pgds, pgd, size))
		return size;
	p4ds = p4d_offset_lockless(pgds, pgd, addr);
	if (PGTABLE_READ(p4d, p4ds, p4d, size))
		return size;
	puds = pud_offset_lockless(p4ds, p4d, addr);
	if (PGTABLE_READ(pud, puds, pud, size))
		return size;
	pmds = pmd_offset_lockless(puds, pud, addr);
	if (PGTABLE_READ(pmd, pmds, pmd, size))
		return size;
	/* Several entries together may map a larger page on some architectures. */
	if (get_kernel_nofault(pte, pte_offset_kernel(&pmd, addr)) || !pte_present(pte))
		return 0;
	return __pte_leaf_size(pmd, pte);
}
#else
static u64 pgtable_page_size(struct mm_struct *mm, unsigned long addr)
{
	return 0;
}
#endif

/*
 * Return the owner of the page table for @addr, or NULL if there is none. The kernel's addresses
 * are looked up in init_mm: a task's page table may lack the kernel's half.
 */
static struct mm_struct *pgtable_mm(u64 addr)
{
	return addr >= TASK_SIZE_MAX ? &init_mm : current->mm;
}

/**
 * perf_counter_page_size() - Get the size of a page from the page tables
 * @addr: address in the page, of the current task or of the kernel
 *
 * Context: any, NMI included.
 * Return: size in bytes; 0 if no page is mapped there, or if the kernel's memory is not
 * in page tables, as with the hashed ones of powerpc.
 */
u64 perf_counter_page_size(u64 addr)
{
	struct mm_struct *mm = pgtable_mm(addr);

	if (!addr || !mm)
		return 0;
	guard(irqsave)();
	return pgtable_page_size(mm, addr);
}
