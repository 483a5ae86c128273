// SPDX-License-Identifier: GPL-2.0
/*
 * Records of mappings: MMAP, MMAP2 and MUNMAP.
 *
 * Replaying the records in order gives the executable mappings of a process at any
 * time; the child of a fork starts with its parent's mappings. A record describes a
 * range of addresses, not a VMA: merging and splitting of VMAs is not recorded. Records
 * bracket the time in which a range is executable: an MMAP record is written before
 * that time, a MUNMAP record after it. With mmap_data, the same applies to mappings
 * that are not executable.
 */

#include <linux/buildid.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../counter/desc.h"
#include "record.h"

/* Fields of MMAP and MUNMAP. */
struct mmap_fields {
	u64	ids;
	u64	addr;
	u64	len;
	u64	pgoff;
};

/* Additional fields of MMAP2: the inode or the build-id. */
struct mmap2_fields {
	union {
		struct {
			u32	maj, min;
			u64	ino;
			u64	ino_generation;
		};
		struct {
			u8	build_id_size;
			u8	reserved[3];
			u8	build_id[BUILD_ID_SIZE_MAX];
		};
	};
	u32	prot, flags;
};

/* Size of names that are found without an allocation, in bytes. */
#define SHORT_NAME	256

/**
 * struct mmap_record - an MMAP, MMAP2 or MUNMAP record
 * @vma: VMA that the range is or was a part of; NULL for a range of the kernel
 * @addr: first address of the range
 * @len: size of the range in bytes
 * @flags: flags of the range, VM_*
 * @unmapped: flag: the range was unmapped
 * @name: name of the mapping, padded with zeros to a multiple of 8; NULL until a
 *	counter needs it
 * @size: size of @name in bytes with the padding of at least one zero
 * @buf: buffer for the name
 * @buf_size: size of @buf in bytes, a multiple of 8
 * @name_later: flag: the name does not fit into @buf
 */
struct mmap_record {
	struct vm_area_struct	*vma;
	u64			addr;
	u64			len;
	unsigned long		flags;
	bool			unmapped;
	const char		*name;
	u32			size;
	char			*buf;
	size_t			buf_size;
	bool			name_later;
};

/* Test whether the attr asks for this record. */
static bool mmap_asked(const struct perf_counter_attr *attr, const struct mmap_record *info)
{
	if (info->unmapped && !attr->munmap)
		return false;
	if (!(info->flags & VM_EXEC))
		return attr->mmap_data;
	return info->unmapped || attr->mmap || attr->mmap2;
}

/*
 * Test whether the range is the heap. The heap's VMA grows before mm->brk does and
 * shrinks after it. No other mapping begins there unless a program places one there.
 */
static bool mapping_is_heap(const struct mmap_record *info)
{
	const struct mm_struct *mm = info->vma->vm_mm;

	return mm->start_brk <= info->addr && info->addr <= PAGE_ALIGN(mm->brk);
}

/* Return the name of a mapping without a file. */
static const char *mapping_name(const struct mmap_record *info)
{
	struct vm_area_struct *vma = info->vma;
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (!name)
		name = arch_vma_name(vma);
	if (name)
		return name;
	if (mapping_is_heap(info))
		return "[heap]";
	if (vma_is_initial_stack(vma))
		return "[stack]";
	return "//anon";
}

static void mapping_set_name(struct mmap_record *info, const char *name)
{
	info->size = perf_counter_name_size(name);
	info->name = name;
}

/* Set a short name and pad it. */
static void mapping_set_short_name(struct mmap_record *info, const char *name)
{
	memset(info->buf, 0, SHORT_NAME);
	strscpy(info->buf, name, SHORT_NAME - sizeof(u64));
	mapping_set_name(info, info->buf);
}

/* Find the name of the mapping. Set name_later for a path that does not fit into the buffer. */
static void mapping_find_name(struct mmap_record *info, bool atomic)
{
	struct file *file = info->vma->vm_file;
	/* Leave room for the padding. */
	size_t room = info->buf_size - sizeof(u64);
	const char *name;

	if (!file) {
		mapping_set_short_name(info, mapping_name(info));
		return;
	}
	/* With PREEMPT_RT, d_path() takes locks that may sleep. */
	info->name_later = atomic && IS_ENABLED(CONFIG_PREEMPT_RT);
	if (info->name_later)
		return;
	name = d_path(file_user_path(file), info->buf, room);
	if (!IS_ERR(name)) {
		memset(info->buf + room, 0, sizeof(u64));
		mapping_set_name(info, name);
	} else if (info->buf_size < PATH_MAX) {
		info->name_later = true;
	} else {
		mapping_set_short_name(info, "//toolong");
	}
}

static void mapping_fill_mmap2(struct mmap2_fields *fields, const struct mmap_record *info,
			       u32 id_size, const u8 *id)
{
	struct file *file = info->vma ? info->vma->vm_file : NULL;
	unsigned long flags = info->flags;

	if (id_size) {
		memset(fields, 0, offsetof(struct mmap2_fields, prot));
		fields->build_id_size = id_size;
		memcpy(fields->build_id, id, id_size);
	} else if (file) {
		const struct inode *inode = file_user_inode(file);

		fields->maj = MAJOR(inode->i_sb->s_dev);
		fields->min = MINOR(inode->i_sb->s_dev);
		fields->ino = inode->i_ino;
		fields->ino_generation = inode->i_generation;
	} else {
		memset(fields, 0, offsetof(struct mmap2_fields, prot));
	}
	fields->prot = (flags & VM_READ ? PROT_READ : 0) | (flags & VM_WRITE ? PROT_WRITE : 0) |
		       (flags & VM_EXEC ? PROT_EXEC : 0);
	fields->flags = flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE;
	if (flags & VM_LOCKED)
		fields->flags |= MAP_LOCKED;
	if (flags & VM_HUGETLB)
		fields->flags |= MAP_HUGETLB;
}

static void mapping_fill_mmap(struct mmap_fields *fields, const struct mmap_record *info,
			      struct perf_counter_desc *desc)
{
	const struct vm_area_struct *vma = info->vma;

	fields->ids = vma ? perf_counter_ids(desc, current) : perf_counter_two_words(-1, 0);
	fields->addr = info->addr;
	fields->len = info->len;
	fields->pgoff = vma ? ((u64)vma->vm_pgoff << PAGE_SHIFT) + info->addr - vma->vm_start : 0;
}

static void mmap_output(struct perf_counter *counter, void *data)
{
	struct perf_counter_desc *desc = counter->desc;
	struct perf_counter_record record;
	struct mmap_record *info = data;
	struct mmap2_fields more;
	u32 type, len, id_size = 0;
	struct mmap_fields fields;
	u8 id[BUILD_ID_SIZE_MAX];
	u16 misc;

	if (!mmap_asked(&desc->attr, info))
		return;
	/* Look the name up only if a counter wants the record: d_path() takes most of the time. */
	if (!info->name && !info->name_later)
		mapping_find_name(info, true);
	if (info->name_later)
		return;

	misc = info->vma ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	if (!(info->flags & VM_EXEC))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	len = sizeof(struct mmap_fields) + info->size;
	type = info->unmapped ? PERF_RECORD_MUNMAP : PERF_RECORD_MMAP;
	if (!info->unmapped && desc->attr.mmap2) {
		type = PERF_RECORD_MMAP2;
		len += sizeof(struct mmap2_fields);
		/*
		 * Parse only pages that are in memory: do not wait for I/O with the mmap_lock
		 * held.
		 */
		if (desc->attr.build_id && info->vma && info->vma->vm_file &&
		    !build_id_parse_nofault(info->vma, id, &id_size))
			misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	}
	if (!perf_counter_output_begin(&record, counter, type, misc, len))
		return;

	mapping_fill_mmap(&fields, info, desc);
	perf_counter_put(&record, &fields, sizeof(fields));
	if (type == PERF_RECORD_MMAP2) {
		mapping_fill_mmap2(&more, info, id_size, id);
		perf_counter_put(&record, &more, sizeof(more));
	}
	perf_counter_put(&record, info->name, info->size);
	perf_counter_output_end(&record);
}

/* Write records of a range of the current task. */
static void mapping_record(struct mmap_record *info)
{
	char name[SHORT_NAME] __aligned(8), *path;

	info->buf = name;
	info->buf_size = sizeof(name);
	perf_counter_sideband_current(mmap_output, info);
	if (likely(!info->name_later))
		return;

	path = __getname();
	info->name_later = false;
	if (path) {
		info->buf = path;
		info->buf_size = PATH_MAX;
		mapping_find_name(info, false);
	} else {
		mapping_set_short_name(info, "//enomem");
	}
	perf_counter_sideband_current(mmap_output, info);
	if (path)
		__putname(path);
}

/*
 * Return true for the stack of an unfinished exec: it is moved later, and its address space is not
 * the task's yet.
 */
static bool is_unfinished_stack(struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_STACK_INCOMPLETE_SETUP) == VM_STACK_INCOMPLETE_SETUP;
}

/*
 * Reschedule between two mappings of a process, because there may be many mappings and counters.
 * Returns true if the process is being killed: its EXIT record follows soon, and replaces the
 * remaining records.
 */
static bool mapping_walk_killed(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

static void mapping_record_unmap(struct vm_area_struct *vma, unsigned long start, unsigned long end,
				 unsigned long flags)
{
	struct mmap_record info = {
		.vma = vma, .addr = start, .len = end - start, .flags = flags, .unmapped = true,
	};

	if (!is_unfinished_stack(vma))
		mapping_record(&info);
}

/**
 * __perf_counter_mmap() - Write records of a mapping of the current task
 * @vma: VMA that the range is a part of
 * @start: first address of the range
 * @end: first address after the range
 *
 * Context: may sleep; mmap_lock held for writing.
 */
void __perf_counter_mmap(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	struct mmap_record info = {
		.vma = vma, .addr = start, .len = end - start, .flags = vma->vm_flags,
	};

	/* Skip other address spaces: a debugger's access may expand the stack of another task. */
	if (vma->vm_mm == current->mm && !is_unfinished_stack(vma))
		mapping_record(&info);
}

/**
 * __perf_counter_munmap() - Write records of unmapped VMAs of the current task
 * @unmapped: VMAs, which are no longer in use
 *
 * Context: may sleep; mmap_lock held, so that no mapping is made at the same addresses.
 */
void __perf_counter_munmap(struct ma_state *unmapped)
{
	struct vm_area_struct *vma;

	mas_set(unmapped, 0);
	mas_for_each(unmapped, vma, ULONG_MAX) {
		mapping_record_unmap(vma, vma->vm_start, vma->vm_end, vma->vm_flags);
		if (mapping_walk_killed())
			break;
	}
}

/**
 * __perf_counter_mprotect() - Write records of a change of protection
 * @vma: VMA that the range is a part of after the change
 * @start: first address of the range
 * @end: first address after the range
 * @old_flags: flags of the VMA before the change, VM_*
 *
 * Leaves a range that ceases to be executable to __perf_counter_record_unexec().
 *
 * Context: may sleep; mmap_lock held for writing.
 */
void __perf_counter_mprotect(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			     unsigned long old_flags)
{
	if (old_flags & ~vma->vm_flags & VM_EXEC)
		return;
	if (vma->vm_flags & ~old_flags & VM_EXEC)
		mapping_record_unmap(vma, start, end, old_flags);
	__perf_counter_mmap(vma, start, end);
}

/**
 * struct unexec_range - a range that ceases to be executable
 * @node: entry in the list of a struct perf_counter_unexec
 * @start: first address
 * @end: first address after the range
 */
struct unexec_range {
	struct llist_node	node;
	unsigned long		start;
	unsigned long		end;
};

/* Write the records of a range that the current task can no longer execute. */
static void unexec_record(unsigned long start, unsigned long end)
{
	VMA_ITERATOR(vmi, current->mm, start);
	struct vm_area_struct *vma;
	unsigned long from, to;

	/*
	 * The VMA may have been merged with others. If the mprotect() failed, the VMA may be
	 * unchanged.
	 */
	for_each_vma_range(vmi, vma, end) {
		if (vma->vm_flags & VM_EXEC)
			continue;
		from = max(start, vma->vm_start);
		to = min(end, vma->vm_end);
		mapping_record_unmap(vma, from, to, vma->vm_flags | VM_EXEC);
		__perf_counter_mmap(vma, from, to);
	}
}

/**
 * __perf_counter_note_unexec() - Note a range that ceases to be executable
 * @unexec: list of the ranges of this mprotect()
 * @start: first address of the range
 * @end: first address after the range
 * @lost: flags that the range loses, VM_*
 *
 * If there is no memory for the note, the range has no records: an allocation of this size fails
 * only in a task that is being killed.
 *
 * Context: may sleep; mmap_lock held for writing.
 */
void __perf_counter_note_unexec(struct perf_counter_unexec *unexec, unsigned long start,
				unsigned long end, unsigned long lost)
{
	struct unexec_range *range;

	if (!(lost & VM_EXEC))
		return;
	range = kmalloc(sizeof(*range), GFP_KERNEL_ACCOUNT);
	if (!range)
		return;
	range->start = start;
	range->end = end;
	range->node.next = unexec->ranges;
	unexec->ranges = &range->node;
}

/**
 * __perf_counter_record_unexec() - Write the records of ranges that have ceased to be executable
 * @unexec: list of the ranges, which are freed
 *
 * Context: may sleep; mmap_lock held for writing.
 */
void __perf_counter_record_unexec(struct perf_counter_unexec *unexec)
{
	struct unexec_range *range, *next;
	bool killed = false;

	llist_for_each_entry_safe(range, next, llist_reverse_order(unexec->ranges), node) {
		if (!killed) {
			unexec_record(range->start, range->end);
			killed = mapping_walk_killed();
		}
		kfree(range);
	}
}

/**
 * __perf_counter_mm_left() - Write records of all mappings when a process leaves its address
 * space
 * @mm: former address space of the current process; other processes may still use it
 *
 * Context: may sleep.
 */
void __perf_counter_mm_left(struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;

	if (!perf_counter_sideband_active())
		return;
	mmap_read_lock(mm);
	for_each_vma(vmi, vma) {
		mapping_record_unmap(vma, vma->vm_start, vma->vm_end, vma->vm_flags);
		if (mapping_walk_killed())
			break;
	}
	mmap_read_unlock(mm);
}

static void module_output(struct perf_counter *counter, void *data)
{
	if (counter->desc->attr.ksymbol)
		mmap_output(counter, data);
}

/**
 * perf_counter_record_module() - Write records of a module that is loaded or unloaded
 * @name: name of the module
 * @addr: address of the module's code
 * @len: size of the code in bytes
 * @gone: true if the module is unloaded, false if it is loaded
 *
 * Context: may sleep.
 */
void perf_counter_record_module(const char *name, unsigned long addr, size_t len, bool gone)
{
	char buf[SHORT_NAME] __aligned(8), bracketed[MODULE_NAME_LEN + 2];
	struct mmap_record info = {
		.addr = addr, .len = len, .flags = VM_EXEC, .unmapped = gone, .buf = buf,
	};

	snprintf(bracketed, sizeof(bracketed), "[%s]", name);
	mapping_set_short_name(&info, bracketed);
	perf_counter_sideband_machine(module_output, &info);
}
