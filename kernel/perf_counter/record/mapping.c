// SPDX-License-Identifier: GPL-2.0
/*
 * What is mapped: MMAP, MMAP2 and MUNMAP records.
 *
 * Played back in their order they are a process's executable mappings at every
 * moment; a fork's child begins with its parent's. A record is about a range of
 * addresses, not about a VMA: how those are merged and split is not told. While
 * a range can be executed its record is written: an MMAP before it can be, a
 * MUNMAP after it was. With mmap_data the same goes for the ranges that cannot.
 */

#include <linux/buildid.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>

#include "../context/context.h"

/* Fields of MMAP and MUNMAP. */
struct mmap_fields {
	u64	ids;
	u64	addr;
	u64	len;
	u64	pgoff;
};

/* Fields that MMAP2 has besides: of the inode, or the build-id. */
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

/* Room for names that are found without memory of their own. */
#define SHORT_NAME	256

/**
 * struct mmap_record - an MMAP, MMAP2 or MUNMAP record
 * @vma: what the range is or was a part of; NULL when it is the kernel's
 * @addr: first address of the range
 * @len: bytes of it
 * @flags: of the range, as vma->vm_flags has them
 * @gone: it is mapped no more
 * @name: what is mapped, padded with zeros to a multiple of 8; NULL until somebody
 *	wants to know
 * @size: bytes of @name with the padding, at least one zero included
 * @buf: where the name is put
 * @buf_size: bytes of it, a multiple of 8
 * @name_later: it did not fit there
 */
struct mmap_record {
	struct vm_area_struct	*vma;
	u64			addr;
	u64			len;
	unsigned long		flags;
	bool			gone;
	const char		*name;
	u32			size;
	char			*buf;
	size_t			buf_size;
	bool			name_later;
};

/* Has the opener asked for this? */
static bool mmap_asked(const struct perf_counter_attr *attr, const struct mmap_record *info)
{
	if (info->gone && !attr->munmap)
		return false;
	if (!(info->flags & VM_EXEC))
		return attr->mmap_data;
	return info->gone || attr->mmap || attr->mmap2;
}

/*
 * Is it the heap? That grows before mm->brk does, and shrinks after. Nothing else
 * begins there, unless somebody puts it there.
 */
static bool is_heap(const struct mmap_record *info)
{
	const struct mm_struct *mm = info->vma->vm_mm;

	return mm->start_brk <= info->addr && info->addr <= PAGE_ALIGN(mm->brk);
}

/* The name of a mapping that has no file. */
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
	if (is_heap(info))
		return "[heap]";
	if (vma_is_initial_stack(vma))
		return "[stack]";
	return "//anon";
}

static void set_name(struct mmap_record *info, const char *name)
{
	info->size = perf_counter_name_size(name);
	info->name = name;
}

/* A name of a few characters, which gets its padding here. */
static void set_short_name(struct mmap_record *info, const char *name)
{
	memset(info->buf, 0, SHORT_NAME);
	strscpy(info->buf, name, SHORT_NAME - sizeof(u64));
	set_name(info, info->buf);
}

/* Find the name of the mapping. A path that does not fit is left for later. */
static void find_name(struct mmap_record *info, bool atomic)
{
	struct file *file = info->vma->vm_file;
	/* The last bytes are for the padding. */
	size_t room = info->buf_size - sizeof(u64);
	const char *name;

	if (!file) {
		set_short_name(info, mapping_name(info));
		return;
	}
	/* There, locks of the file systems may sleep. */
	info->name_later = atomic && IS_ENABLED(CONFIG_PREEMPT_RT);
	if (info->name_later)
		return;
	name = d_path(file_user_path(file), info->buf, room);
	if (!IS_ERR(name)) {
		memset(info->buf + room, 0, sizeof(u64));
		set_name(info, name);
	} else if (info->buf_size < PATH_MAX) {
		info->name_later = true;
	} else {
		set_short_name(info, "//toolong");
	}
}

static void fill_mmap2(struct mmap2_fields *fields, const struct mmap_record *info, u32 id_size,
		       const u8 *id)
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

static void fill_mmap(struct mmap_fields *fields, const struct mmap_record *info,
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
	/* A path costs more than all the rest: not for nobody. */
	if (!info->name && !info->name_later)
		find_name(info, true);
	if (info->name_later)
		return;

	misc = info->vma ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	if (!(info->flags & VM_EXEC))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	len = sizeof(struct mmap_fields) + info->size;
	type = info->gone ? PERF_RECORD_MUNMAP : PERF_RECORD_MMAP;
	if (!info->gone && desc->attr.mmap2) {
		type = PERF_RECORD_MMAP2;
		len += sizeof(struct mmap2_fields);
		/* As far as it is in memory: nobody waits for a disk with the mmap_lock. */
		if (desc->attr.build_id && info->vma && info->vma->vm_file &&
		    !build_id_parse_nofault(info->vma, id, &id_size))
			misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	}
	if (!perf_counter_output_begin(&record, counter, type, misc, len))
		return;

	fill_mmap(&fields, info, desc);
	perf_counter_put(&record, &fields, sizeof(fields));
	if (type == PERF_RECORD_MMAP2) {
		fill_mmap2(&more, info, id_size, id);
		perf_counter_put(&record, &more, sizeof(more));
	}
	perf_counter_put(&record, info->name, info->size);
	perf_counter_output_end(&record);
}

/* Record what @info says of the current task. */
static void record_range(struct mmap_record *info)
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
		find_name(info, false);
	} else {
		set_short_name(info, "//enomem");
	}
	perf_counter_sideband_current(mmap_output, info);
	if (path)
		__putname(path);
}

/*
 * The stack of a program that is being executed is somewhere else until its end, or
 * in an address space that is nobody's yet.
 */
static bool is_unfinished_stack(struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_STACK_INCOMPLETE_SETUP) == VM_STACK_INCOMPLETE_SETUP;
}

/*
 * Between two mappings of a process, which may have very many, with very many counters that are
 * told: is there nobody any more who will look at what is left of them? A process that is being
 * killed while it unmaps them has its EXIT record soon.
 */
static bool is_over(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

static void record_munmap(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			  unsigned long flags)
{
	struct mmap_record info = {
		.vma = vma, .addr = start, .len = end - start, .flags = flags, .gone = true,
	};

	if (!is_unfinished_stack(vma))
		record_range(&info);
}

/**
 * __perf_counter_mmap() - record a mapping of the current task
 * @vma: what it is a part of
 * @start: its first address
 * @end: behind its last
 *
 * Context: may sleep; mmap_lock held for writing.
 */
void __perf_counter_mmap(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	struct mmap_record info = {
		.vma = vma, .addr = start, .len = end - start, .flags = vma->vm_flags,
	};

	/* A debugger's access may make another task's stack grow. */
	if (vma->vm_mm == current->mm && !is_unfinished_stack(vma))
		record_range(&info);
}

/**
 * __perf_counter_munmap() - record that mappings of the current task are gone
 * @unmapped: the VMAs, which nothing refers to any more
 *
 * Context: may sleep; mmap_lock held, so that nothing else is mapped there yet.
 */
void __perf_counter_munmap(struct ma_state *unmapped)
{
	struct vm_area_struct *vma;

	mas_set(unmapped, 0);
	mas_for_each(unmapped, vma, ULONG_MAX) {
		record_munmap(vma, vma->vm_start, vma->vm_end, vma->vm_flags);
		if (is_over())
			break;
	}
}

/**
 * __perf_counter_mprotect() - record a change of protection
 * @vma: what the range is a part of now
 * @start: its first address
 * @end: behind its last
 * @old_flags: what it had for @vma->vm_flags
 *
 * Context: may sleep; mmap_lock held for writing.
 */
void __perf_counter_mprotect(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			     unsigned long old_flags)
{
	if ((old_flags ^ vma->vm_flags) & VM_EXEC)
		record_munmap(vma, start, end, old_flags);
	__perf_counter_mmap(vma, start, end);
}

/**
 * __perf_counter_mm_left() - record that the current process has no mappings any more
 * @mm: those it had; others may have them still
 *
 * Context: may sleep.
 */
void __perf_counter_mm_left(struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;

	if (!perf_counter_sideband_here())
		return;
	mmap_read_lock(mm);
	for_each_vma(vmi, vma) {
		record_munmap(vma, vma->vm_start, vma->vm_end, vma->vm_flags);
		if (is_over())
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
 * perf_counter_record_module() - record that a module is there, or goes
 * @name: its name
 * @addr: where its code is
 * @len: bytes of it
 * @gone: it goes
 *
 * Context: may sleep.
 */
void perf_counter_record_module(const char *name, unsigned long addr, size_t len, bool gone)
{
	char buf[SHORT_NAME] __aligned(8), bracketed[MODULE_NAME_LEN + 2];
	struct mmap_record info = {
		.addr = addr, .len = len, .flags = VM_EXEC, .gone = gone, .buf = buf,
	};

	snprintf(bracketed, sizeof(bracketed), "[%s]", name);
	set_short_name(&info, bracketed);
	perf_counter_sideband_machine(module_output, &info);
}
