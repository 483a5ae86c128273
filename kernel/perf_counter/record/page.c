// SPDX-License-Identifier: GPL-2.0
/*
 * What samples of perf_counter say of memory: where an address lies physically, and how
 * large the page is that has it.
 *
 * Page tables are looked at without a lock, from NMIs too. While IRQs are off on this
 * CPU no page table of what it runs is freed: whoever takes one out waits for an IPI,
 * or for a grace period of RCU (see HAVE_GUP_FAST in mm/gup.c).
 */

#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched.h>

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

#ifdef CONFIG_HAVE_GUP_FAST
/* Each level is read once, and what was read decides how to go on. IRQs are off. */
static u64 walk(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *pgdp = pgd_offset(mm, addr), pgd = READ_ONCE(*pgdp);
	p4d_t *p4dp, p4d;
	pud_t *pudp, pud;
	pmd_t *pmdp, pmd;
	pte_t *ptep, pte;

	if (!pgd_present(pgd))
		return 0;
	if (pgd_leaf(pgd))
		return pgd_leaf_size(pgd);

	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
	p4d = READ_ONCE(*p4dp);
	if (!p4d_present(p4d))
		return 0;
	if (p4d_leaf(p4d))
		return p4d_leaf_size(p4d);

	pudp = pud_offset_lockless(p4dp, p4d, addr);
	pud = READ_ONCE(*pudp);
	if (!pud_present(pud))
		return 0;
	if (pud_leaf(pud))
		return pud_leaf_size(pud);

	pmdp = pmd_offset_lockless(pudp, pud, addr);
	pmd = pmdp_get_lockless(pmdp);
	if (!pmd_present(pmd))
		return 0;
	if (pmd_leaf(pmd))
		return pmd_leaf_size(pmd);

	/* None when it was taken out just now. */
	ptep = pte_offset_map(&pmd, addr);
	if (!ptep)
		return 0;
	/* What pte_offset_map() has locked, where sparse does not see it. */
	__acquire(RCU);
	pte = ptep_get_lockless(ptep);
	pte_unmap(ptep);
	return pte_present(pte) ? __pte_leaf_size(pmd, pte) : 0;
}
#else
static u64 walk(struct mm_struct *mm, unsigned long addr)
{
	return 0;
}
#endif

/**
 * perf_counter_page_size() - how large a page is, as the page tables have it
 * @addr: in it; of the current task or of the kernel
 *
 * Context: any, NMI included.
 * Return: its bytes; 0 when nothing is mapped there, or it cannot be told here.
 */
u64 perf_counter_page_size(u64 addr)
{
	if (!addr)
		return 0;
	guard(irqsave)();
	return walk(current->mm ?: &init_mm, addr);
}
