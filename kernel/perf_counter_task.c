// SPDX-License-Identifier: GPL-2.0
/*
 * What follows a task: the records of its life (FORK, EXIT, COMM) and of its
 * address space (MMAP, MMAP2).
 *
 * Such a record goes to every counter that asked for it and is active: those
 * of the task it is about, and those of the CPU it happens on.
 */

#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "perf_counter.h"

typedef void (*sideband_fn)(struct perf_counter *counter, void *data);

static void sideband_ctx(struct perf_counter_ctx *ctx, sideband_fn fn, void *data)
{
	struct perf_counter *counter;

	list_for_each_entry_rcu(counter, &ctx->sideband, sideband_node) {
		if (!READ_ONCE(counter->on))
			continue;
		if (counter->cpu == -1 || counter->cpu == smp_processor_id())
			fn(counter, data);
	}
}

/* Call @fn for the active side-band counters of @ctx, which may be NULL, and this CPU. */
static void sideband_each(struct perf_counter_ctx *ctx, sideband_fn fn, void *data)
{
	preempt_disable();
	sideband_ctx(this_cpu_ptr(&perf_counter_cpu_ctx), fn, data);
	if (ctx)
		sideband_ctx(ctx, fn, data);
	preempt_enable();
}

/* The fields of FORK and EXIT. */
struct task_fields {
	u32	pid, ppid;
	u32	tid, ptid;
	u64	time;
};

/**
 * struct task_record - a FORK or EXIT record
 * @task: who is created, or ends
 * @parent: who creates it, or is its parent
 * @type: PERF_RECORD_FORK or PERF_RECORD_EXIT
 */
struct task_record {
	struct task_struct	*task;
	struct task_struct	*parent;
	u32			type;
};

static void task_output(struct perf_counter *counter, void *data)
{
	struct perf_counter_desc *desc = counter->desc;
	const struct task_record *info = data;
	struct perf_counter_record record;
	struct task_fields *fields;

	if (!desc->attr.task && !desc->attr.comm && !desc->attr.mmap && !desc->attr.mmap2 &&
	    !desc->attr.mmap_data)
		return;
	if (!perf_counter_output_begin(&record, counter, info->type, 0, sizeof(*fields)))
		return;

	fields = (struct task_fields *)record.at;
	fields->pid = perf_counter_pid(desc, info->task);
	fields->tid = perf_counter_tid(desc, info->task);
	fields->ppid = perf_counter_pid(desc, info->parent);
	fields->ptid = perf_counter_tid(desc, info->parent);
	fields->time = desc->clock();
	record.at += sizeof(*fields) / sizeof(u64);
	perf_counter_output_end(&record);
}

/**
 * __perf_counter_fork() - record that the current task has created another
 * @child: the new task
 */
void __perf_counter_fork(struct task_struct *child)
{
	struct task_record info = {
		.task	= child,
		.parent	= current,
		.type	= PERF_RECORD_FORK,
	};

	sideband_each(current->perf_counter_ctx, task_output, &info);
}

/**
 * perf_counter_record_exit() - record that the current task ends
 * @ctx: what was its context; NULL if it had none. Nothing counts there now.
 */
void perf_counter_record_exit(struct perf_counter_ctx *ctx)
{
	struct task_record info = {
		.task	= current,
		.type	= PERF_RECORD_EXIT,
	};

	rcu_read_lock();
	info.parent = rcu_dereference(current->real_parent);
	sideband_each(ctx, task_output, &info);
	rcu_read_unlock();
}

/**
 * struct comm_record - a COMM record
 * @task: who has a new name
 * @exec: because of an exec
 * @comm: the name, padded with zeros to a multiple of 8
 * @size: bytes of @comm with the padding, at least one zero included
 */
struct comm_record {
	struct task_struct	*task;
	bool			exec;
	char			comm[TASK_COMM_LEN] __aligned(8);
	u32			size;
};

static void comm_output(struct perf_counter *counter, void *data)
{
	struct perf_counter_desc *desc = counter->desc;
	const struct comm_record *info = data;
	struct perf_counter_record record;
	u16 misc = 0;

	if (!desc->attr.comm)
		return;
	if (info->exec && desc->attr.comm_exec)
		misc = PERF_RECORD_MISC_COMM_EXEC;
	if (!perf_counter_output_begin(&record, counter, PERF_RECORD_COMM, misc,
				       sizeof(u64) + info->size))
		return;

	((u32 *)record.at)[0] = perf_counter_pid(desc, info->task);
	((u32 *)record.at)[1] = perf_counter_tid(desc, info->task);
	memcpy(record.at + 1, info->comm, info->size);
	record.at += 1 + info->size / sizeof(u64);
	perf_counter_output_end(&record);
}

/**
 * __perf_counter_comm() - record that a task has a new name
 * @task: the task
 * @exec: because of an exec
 */
void __perf_counter_comm(struct task_struct *task, bool exec)
{
	struct comm_record info = { .task = task, .exec = exec };

	strscpy_pad(info.comm, task->comm, sizeof(info.comm));
	info.size = ALIGN(strlen(info.comm) + 1, sizeof(u64));
	/* Another thread may do the renaming: its context goes with RCU only. */
	rcu_read_lock();
	sideband_each(READ_ONCE(task->perf_counter_ctx), comm_output, &info);
	rcu_read_unlock();
}

/* Fields of MMAP. */
struct mmap_fields {
	u32	pid, tid;
	u64	addr;
	u64	len;
	u64	pgoff;
};

/* Fields that MMAP2 has besides. */
struct mmap2_fields {
	u32	maj, min;
	u64	ino;
	u64	ino_generation;
	u32	prot, flags;
};

/**
 * struct mmap_record - an MMAP or MMAP2 record
 * @executable: it is about code
 * @mmap: fields of both, ids not filled in
 * @mmap2: fields of MMAP2
 * @name: what is mapped, padded with zeros to a multiple of 8
 * @size: bytes of @name with the padding, at least one zero included
 */
struct mmap_record {
	bool			executable;
	struct mmap_fields	mmap;
	struct mmap2_fields	mmap2;
	const char		*name;
	u32			size;
};

static void mmap_output(struct perf_counter *counter, void *data)
{
	struct perf_counter_desc *desc = counter->desc;
	const struct mmap_record *info = data;
	struct perf_counter_record record;
	u16 misc = PERF_RECORD_MISC_USER;
	struct mmap_fields *fields;
	bool mmap2 = desc->attr.mmap2;
	u32 len;

	if (info->executable ? !desc->attr.mmap && !desc->attr.mmap2 : !desc->attr.mmap_data)
		return;
	if (!info->executable)
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	len = sizeof(info->mmap) + (mmap2 ? sizeof(info->mmap2) : 0) + info->size;
	if (!perf_counter_output_begin(&record, counter,
				       mmap2 ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP, misc, len))
		return;

	fields = (struct mmap_fields *)record.at;
	*fields = info->mmap;
	fields->pid = perf_counter_pid(desc, current);
	fields->tid = perf_counter_tid(desc, current);
	record.at += sizeof(*fields) / sizeof(u64);
	if (mmap2) {
		memcpy(record.at, &info->mmap2, sizeof(info->mmap2));
		record.at += sizeof(info->mmap2) / sizeof(u64);
	}
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
 * The path of a mapping's file, in @buf of PATH_MAX zeros, of which it leaves
 * enough behind the path for the padding. A reason in its place otherwise.
 */
static const char *mapping_path(struct file *file, char *buf)
{
	const char *name;

	if (!buf)
		return "//enomem";
	name = d_path(file_user_path(file), buf, PATH_MAX - sizeof(u64));
	return IS_ERR(name) ? "//toolong" : name;
}

static void mmap_describe(struct mmap_record *info, struct vm_area_struct *vma)
{
	vm_flags_t flags = vma->vm_flags;

	info->executable = flags & VM_EXEC;
	info->mmap.addr = vma->vm_start;
	info->mmap.len = vma->vm_end - vma->vm_start;
	info->mmap.pgoff = (u64)vma->vm_pgoff << PAGE_SHIFT;

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

/* Does a counter of the current task or of some CPU here want this mapping? */
static void mmap_wanted(struct perf_counter *counter, void *data)
{
	const struct perf_counter_attr *attr = &counter->desc->attr;
	struct mmap_record *info = data;

	if (info->executable ? attr->mmap || attr->mmap2 : attr->mmap_data)
		info->size = 1;
}

/**
 * __perf_counter_mmap() - record a mapping of the current task
 * @vma: new, or with new protection
 *
 * Context: may sleep.
 */
void __perf_counter_mmap(struct vm_area_struct *vma)
{
	char *path = NULL, pad[32] __aligned(8) = {};
	struct mmap_record info = {};

	mmap_describe(&info, vma);
	/* A path costs more than all the rest: not for nobody. */
	sideband_each(current->perf_counter_ctx, mmap_wanted, &info);
	if (!info.size)
		return;

	if (vma->vm_file) {
		path = kzalloc(PATH_MAX, GFP_KERNEL);
		info.name = mapping_path(vma->vm_file, path);
	} else {
		info.name = mapping_name(vma);
	}
	/* Any other name is short, and gets its padding here. */
	if (!path || info.name < path || info.name >= path + PATH_MAX) {
		strscpy(pad, info.name);
		info.name = pad;
	}
	info.size = ALIGN(strlen(info.name) + 1, sizeof(u64));
	sideband_each(current->perf_counter_ctx, mmap_output, &info);
	kfree(path);
}
