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
#include <linux/hugetlb.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "perf_counter.h"

/* Fields of MMAP and MUNMAP. */
struct mmap_fields {
	u32	pid, tid;
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

/**
 * struct mmap_record - an MMAP, MMAP2 or MUNMAP record
 * @executable: it is about code
 * @gone: which is mapped no more
 * @kernel: of the kernel, not of the current process
 * @wanted: somebody wants the record
 * @build_id_wanted: and with a build-id
 * @mmap: fields of all three, ids not filled in
 * @mmap2: fields of MMAP2 with an inode
 * @build_id: of the file
 * @build_id_size: 0 for none
 * @name: what is mapped, padded with zeros to a multiple of 8
 * @size: bytes of @name with the padding, at least one zero included
 */
struct mmap_record {
	bool			executable;
	bool			gone;
	bool			kernel;
	bool			wanted;
	bool			build_id_wanted;
	struct mmap_fields	mmap;
	struct mmap2_fields	mmap2;
	u8			build_id[BUILD_ID_SIZE_MAX];
	u32			build_id_size;
	const char		*name;
	u32			size;
};

/* Has the opener asked for this? */
static bool mmap_asked(const struct perf_counter_attr *attr, const struct mmap_record *info)
{
	if (info->kernel && !attr->ksymbol)
		return false;
	if (info->gone && !attr->munmap)
		return false;
	if (!info->executable)
		return attr->mmap_data;
	return info->gone || attr->mmap || attr->mmap2;
}

static void mmap_wanted(struct perf_counter *counter, void *data)
{
	const struct perf_counter_attr *attr = &counter->desc->attr;
	struct mmap_record *info = data;

	if (!mmap_asked(attr, info))
		return;
	info->wanted = true;
	info->build_id_wanted |= attr->mmap2 && attr->build_id;
}

static u64 *put_mmap2(u64 *at, const struct mmap_record *info, bool build_id)
{
	struct mmap2_fields *fields = (struct mmap2_fields *)at;

	*fields = info->mmap2;
	if (build_id) {
		memset(fields, 0, offsetof(struct mmap2_fields, prot));
		fields->build_id_size = info->build_id_size;
		memcpy(fields->build_id, info->build_id, info->build_id_size);
	}
	return at + sizeof(*fields) / sizeof(u64);
}

static void mmap_output(struct perf_counter *counter, void *data)
{
	struct perf_counter_desc *desc = counter->desc;
	const struct mmap_record *info = data;
	struct perf_counter_record record;
	struct mmap_fields *fields;
	bool build_id;
	u32 type, len;
	u16 misc;

	if (!mmap_asked(&desc->attr, info))
		return;
	misc = info->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	if (!info->executable)
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	len = sizeof(info->mmap) + info->size;
	type = info->gone ? PERF_RECORD_MUNMAP : PERF_RECORD_MMAP;
	if (type == PERF_RECORD_MMAP && desc->attr.mmap2) {
		type = PERF_RECORD_MMAP2;
		len += sizeof(info->mmap2);
	}
	build_id = type == PERF_RECORD_MMAP2 && desc->attr.build_id && info->build_id_size;
	if (build_id)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (!perf_counter_output_begin(&record, counter, type, misc, len))
		return;

	fields = (struct mmap_fields *)record.at;
	*fields = info->mmap;
	fields->pid = info->kernel ? -1 : perf_counter_pid(desc, current);
	fields->tid = info->kernel ? 0 : perf_counter_tid(desc, current);
	record.at += sizeof(*fields) / sizeof(u64);
	if (type == PERF_RECORD_MMAP2)
		record.at = put_mmap2(record.at, info, build_id);
	memcpy(record.at, info->name, info->size);
	record.at += info->size / sizeof(u64);
	perf_counter_output_end(&record);
}

/* The name of a mapping that has no file. */
static const char *mapping_name(struct vm_area_struct *vma)
{
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (!name)
		name = arch_vma_name(vma);
	if (name)
		return name;
	if (vma_is_initial_heap(vma))
		return "[heap]";
	if (vma_is_initial_stack(vma))
		return "[stack]";
	return "//anon";
}

/*
 * The path of a mapping's file, in @buf of PATH_MAX bytes, followed by zeros
 * enough for the padding. A reason in its place otherwise.
 */
static const char *mapping_path(struct file *file, char *buf)
{
	const char *name;

	if (!buf)
		return "//enomem";
	memset(buf + PATH_MAX - sizeof(u64), 0, sizeof(u64));
	name = d_path(file_user_path(file), buf, PATH_MAX - sizeof(u64));
	return IS_ERR(name) ? "//toolong" : name;
}

/* [@start, @end) of @vma, which has or had @flags. */
static void mmap_describe(struct mmap_record *info, struct vm_area_struct *vma,
			  unsigned long start, unsigned long end, unsigned long flags)
{
	info->executable = flags & VM_EXEC;
	info->mmap.addr = start;
	info->mmap.len = end - start;
	info->mmap.pgoff = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (start - vma->vm_start);

	info->mmap2.prot = (flags & VM_READ ? PROT_READ : 0) |
			   (flags & VM_WRITE ? PROT_WRITE : 0) |
			   (flags & VM_EXEC ? PROT_EXEC : 0);
	info->mmap2.flags = flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE;
	if (flags & VM_LOCKED)
		info->mmap2.flags |= MAP_LOCKED;
	if (is_vm_hugetlb_page(vma))
		info->mmap2.flags |= MAP_HUGETLB;

	if (vma->vm_file) {
		const struct inode *inode = file_user_inode(vma->vm_file);

		info->mmap2.maj = MAJOR(inode->i_sb->s_dev);
		info->mmap2.min = MINOR(inode->i_sb->s_dev);
		info->mmap2.ino = inode->i_ino;
		info->mmap2.ino_generation = inode->i_generation;
	}
}

/* Record what is described in @info, with the name of @vma. */
static void mmap_record(struct mmap_record *info, struct vm_area_struct *vma)
{
	char *path = NULL, pad[32] __aligned(8) = {};

	/* A path costs more than all the rest: not for nobody. */
	perf_counter_sideband_each(current->perf_counter_ctx, mmap_wanted, info);
	if (!info->wanted)
		return;

	if (vma->vm_file) {
		path = __getname();
		info->name = mapping_path(vma->vm_file, path);
		/* As far as it is in memory: nobody waits for a disk with the mmap_lock. */
		if (info->build_id_wanted)
			build_id_parse_nofault(vma, info->build_id, &info->build_id_size);
	} else {
		info->name = mapping_name(vma);
	}
	/* Any other name is short, and gets its padding here. */
	if (!path || info->name < path || info->name >= path + PATH_MAX) {
		strscpy(pad, info->name);
		info->name = pad;
	}
	info->size = ALIGN(strlen(info->name) + 1, sizeof(u64));
	perf_counter_sideband_each(current->perf_counter_ctx, mmap_output, info);
	if (path)
		__putname(path);
}

static void munmap_record(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			  unsigned long flags)
{
	struct mmap_record info = { .gone = true };

	mmap_describe(&info, vma, start, end, flags);
	mmap_record(&info, vma);
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
	struct mmap_record info = {};

	mmap_describe(&info, vma, start, end, vma->vm_flags);
	mmap_record(&info, vma);
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
	mas_for_each(unmapped, vma, ULONG_MAX)
		munmap_record(vma, vma->vm_start, vma->vm_end, vma->vm_flags);
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
		munmap_record(vma, start, end, old_flags);
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
	struct vm_area_struct *vma;
	VMA_ITERATOR(vmi, mm, 0);

	mmap_read_lock(mm);
	for_each_vma(vmi, vma)
		munmap_record(vma, vma->vm_start, vma->vm_end, vma->vm_flags);
	mmap_read_unlock(mm);
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
	char bracketed[ALIGN(MODULE_NAME_LEN + 3, sizeof(u64))] __aligned(8) = {};
	struct mmap_record info = {
		.executable	= true,
		.gone		= gone,
		.kernel		= true,
		.mmap		= { .addr = addr, .len = len },
		.mmap2		= { .prot = PROT_EXEC, .flags = MAP_PRIVATE },
		.name		= bracketed,
	};

	snprintf(bracketed, sizeof(bracketed), "[%s]", name);
	info.size = ALIGN(strlen(bracketed) + 1, sizeof(u64));
	perf_counter_sideband_machine(mmap_output, &info);
}
