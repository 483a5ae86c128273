// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers of perf_counter: one or more rings, the mappings through which programs read
 * them, the accounting of their memory, and the tasks that wait for records.
 *
 * Pages that programs map are charged as locked memory. These pages and the kernel's
 * own data about a buffer are also charged to the memory cgroup.
 *
 * The first mapping through a writer creates a buffer. Other writers join it with
 * SET_OUTPUT. The buffer takes records while it is mapped: the last unmapping detaches
 * it from all writers and uncharges its memory. RCU keeps it alive for events that are
 * being written at that moment.
 */

#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/sysctl.h>

#include "buffer.h"

/* Size in KiB of the buffers that a user may have per CPU in addition to RLIMIT_MEMLOCK. */
static int sysctl_perf_counter_mlock_kb __read_mostly = 516;

static struct ctl_table buffer_sysctls[] = {
	{
		.procname	= "perf_counter_mlock_kb",
		.data		= &sysctl_perf_counter_mlock_kb,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
	},
};

static int __init buffer_init(void)
{
	register_sysctl_init("kernel", buffer_sysctls);
	return 0;
}
fs_initcall(buffer_init);

static void buffer_free_pages(struct perf_counter_buffer *buffer, unsigned int nr)
{
	while (nr--)
		__free_page(buffer->pages[nr]);
	kvfree(buffer->pages);
}

static void buffer_free_rings(struct perf_counter_buffer *buffer, unsigned int nr)
{
	while (nr--)
		perf_counter_ring_destroy(&buffer->rings[nr]);
}

#ifdef CONFIG_MEMCG
/*
 * Charge one entry of the kernel's page tables for each data page and mapping; the data is mapped
 * twice. The page tables are not charged when they are allocated, because neighbouring mappings
 * share them.
 */
static int buffer_charge_tables(struct perf_counter_buffer *buffer, unsigned int nr_pages)
{
	struct obj_cgroup *group = get_obj_cgroup_from_current();
	size_t size = 2 * sizeof(pte_t) * nr_pages;

	if (!group)
		return 0;
	if (obj_cgroup_charge(group, GFP_KERNEL, size)) {
		obj_cgroup_put(group);
		return -ENOMEM;
	}
	buffer->group = group;
	buffer->tables = size;
	return 0;
}

static void buffer_uncharge_tables(struct perf_counter_buffer *buffer)
{
	if (!buffer->group)
		return;
	obj_cgroup_uncharge(buffer->group, buffer->tables);
	obj_cgroup_put(buffer->group);
}
#else
static int buffer_charge_tables(struct perf_counter_buffer *buffer, unsigned int nr_pages)
{
	return 0;
}

static void buffer_uncharge_tables(struct perf_counter_buffer *buffer) { }
#endif

static void buffer_free(struct work_struct *work)
{
	struct perf_counter_buffer *buffer;

	buffer = container_of(to_rcu_work(work), struct perf_counter_buffer, free);
	irq_work_sync(&buffer->notify);
	buffer_free_rings(buffer, buffer->nr_rings);
	buffer_free_pages(buffer, 1 + buffer->nr_pages);
	buffer_uncharge_tables(buffer);
	kvfree(buffer);
}

/**
 * perf_counter_buffer_get() - Get the buffer that a writer's records go to
 * @writer: writer of the records
 *
 * Context: any.
 * Return: the buffer with a new reference; NULL if there is none, or only a user page.
 */
struct perf_counter_buffer *perf_counter_buffer_get(struct perf_counter_writer *writer)
{
	struct perf_counter_buffer *buffer;

	guard(rcu)();
	buffer = rcu_dereference(writer->buffer);
	if (!buffer || !buffer->nr_rings || !refcount_inc_not_zero(&buffer->refs))
		return NULL;
	return buffer;
}

/**
 * perf_counter_buffer_put() - Drop a reference to a buffer
 * @buffer: buffer of the reference
 *
 * Context: any.
 */
void perf_counter_buffer_put(struct perf_counter_buffer *buffer)
{
	/* vunmap() must not be called in atomic context, hence the work. */
	if (refcount_dec_and_test(&buffer->refs))
		queue_rcu_work(system_wq, &buffer->free);
}

static void buffer_notify(struct irq_work *work)
{
	struct perf_counter_buffer *buffer;
	struct perf_counter_writer *writer;

	buffer = container_of(work, struct perf_counter_buffer, notify);
	atomic_set(&buffer->notified, 1);
	spin_lock(&buffer->lock);
	hlist_for_each_entry(writer, &buffer->writers, node)
		wake_up_all(&writer->waitq);
	spin_unlock(&buffer->lock);
}

/*
 * Direct @writer's records to @buffer, or to nowhere if it is NULL. writer->mutex must
 * be held.
 */
static void writer_set_buffer(struct perf_counter_writer *writer,
			      struct perf_counter_buffer *buffer)
{
	struct perf_counter_buffer *old;

	old = rcu_replace_pointer(writer->buffer, buffer, lockdep_is_held(&writer->mutex));
	if (old) {
		spin_lock_irq(&old->lock);
		hlist_del(&writer->node);
		spin_unlock_irq(&old->lock);
	}
	if (buffer) {
		refcount_inc(&buffer->refs);
		spin_lock_irq(&buffer->lock);
		hlist_add_head(&writer->node, &buffer->writers);
		spin_unlock_irq(&buffer->lock);
	}
	if (old) {
		/* Pollers wait for records of the old buffer, which will not come. */
		wake_up_all(&writer->waitq);
		perf_counter_buffer_put(old);
	}
}

/**
 * perf_counter_buffer_detach() - Detach a writer from its buffer
 * @writer: writer to detach
 *
 * Context: may sleep; takes writer->mutex.
 */
void perf_counter_buffer_detach(struct perf_counter_writer *writer)
{
	/*
	 * A buffer is attached through the writer's file, which is being released: a writer
	 * without a buffer cannot get one any more.
	 */
	if (!rcu_access_pointer(writer->buffer))
		return;

	guard(mutex)(&writer->mutex);
	writer_set_buffer(writer, NULL);
}

/* Take up to @pages pages of @user's allowance. Returns the number of pages taken. */
static unsigned long buffer_take_allowance(struct user_struct *user, unsigned long pages)
{
	unsigned long allowed = READ_ONCE(sysctl_perf_counter_mlock_kb);
	long used = atomic_long_read(&user->perf_counter_mlock);
	unsigned long taken;

	allowed = (allowed >> (PAGE_SHIFT - 10)) * num_online_cpus();
	do {
		taken = min(pages, allowed - min_t(unsigned long, used, allowed));
	} while (!atomic_long_try_cmpxchg(&user->perf_counter_mlock, &used, used + taken));
	return taken;
}

/* Account @pages pages as locked by @mm, unless the sum exceeds @limit. */
static bool buffer_pin_pages(struct mm_struct *mm, unsigned long pages, unsigned long limit)
{
	s64 pinned = atomic64_read(&mm->pinned_vm);

	do {
		if (pages > limit || pinned > limit - pages)
			return false;
	} while (!atomic64_try_cmpxchg(&mm->pinned_vm, &pinned, pinned + pages));
	return true;
}

/*
 * Charge @pages pages to the current user: first to the allowance that each user has per CPU, then
 * to the locked memory of the address space. Never charge more than is granted, even for a moment:
 * a concurrent mapping could fail.
 */
static int buffer_charge(struct perf_counter_buffer *buffer, unsigned long pages,
			 bool no_mlock_limit)
{
	struct user_struct *user = current_user();
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	buffer->user_pages = buffer_take_allowance(user, pages);
	buffer->pinned_pages = pages - buffer->user_pages;
	if (buffer->pinned_pages && !buffer_pin_pages(current->mm, buffer->pinned_pages, limit)) {
		if (!no_mlock_limit && !capable(CAP_IPC_LOCK)) {
			atomic_long_sub(buffer->user_pages, &user->perf_counter_mlock);
			return -EPERM;
		}
		atomic64_add(buffer->pinned_pages, &current->mm->pinned_vm);
	}
	buffer->user = get_uid(user);
	buffer->mm = current->mm;
	mmgrab(buffer->mm);
	return 0;
}

static void buffer_uncharge(struct perf_counter_buffer *buffer)
{
	atomic64_sub(buffer->pinned_pages, &buffer->mm->pinned_vm);
	mmdrop(buffer->mm);
	atomic_long_sub(buffer->user_pages, &buffer->user->perf_counter_mlock);
	free_uid(buffer->user);
}

/* Let an allocation fail without a warning and without the OOM killer. */
#define PAGE_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Allocate the user page and zeroed pages for the data. */
static int buffer_alloc_pages(struct perf_counter_buffer *buffer, unsigned int nr_pages)
{
	unsigned int i;

	buffer->pages = kvcalloc(1 + (size_t)nr_pages, sizeof(*buffer->pages),
				 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!buffer->pages)
		return -ENOMEM;
	for (i = 0; i <= nr_pages; i++) {
		/* Allocating many pages takes long: stop if the task is being killed. */
		if (!fatal_signal_pending(current))
			buffer->pages[i] = alloc_page(PAGE_GFP);
		if (!buffer->pages[i]) {
			buffer_free_pages(buffer, i);
			return -ENOMEM;
		}
	}
	buffer->nr_pages = nr_pages;
	buffer->control = page_address(buffer->pages[0]);
	return 0;
}

/* Initialize the rings of @buffer, which divide the data pages among them. */
static int buffer_init_rings(struct perf_counter_buffer *buffer, unsigned int nr_rings,
			     const struct perf_counter_buffer_config *wanted, bool overwrite)
{
	struct perf_counter_mmap_layout *more;
	struct perf_counter_subring *subrings, *subring;
	struct perf_counter_ring_config config = {
		.watermark	= wanted->watermark,
		.overwrite	= overwrite,
		.backward	= wanted->backward,
		.local		= nr_rings == 1 ? buffer->cpu >= 0 : nr_rings >= nr_cpu_ids,
	};
	unsigned int i;
	int err;

	BUILD_BUG_ON(sizeof(struct perf_event_mmap_page) > PERF_COUNTER_MMAP_LAYOUT_OFFSET);
	BUILD_BUG_ON(PERF_COUNTER_MMAP_LAYOUT_OFFSET + sizeof(*more) > PERF_COUNTER_SUBRING_OFFSET);
	BUILD_BUG_ON(PERF_COUNTER_SUBRING_OFFSET + PERF_COUNTER_SUBRINGS_MAX * sizeof(*subring) >
		     PAGE_SIZE);
	more = (void *)buffer->control + PERF_COUNTER_MMAP_LAYOUT_OFFSET;
	more->size = sizeof(*more);
	more->nr_rings = nr_rings;
	subrings = (void *)buffer->control + PERF_COUNTER_SUBRING_OFFSET;

	if (nr_rings)
		config.nr_pages = buffer->nr_pages / nr_rings;
	for (i = 0; i < nr_rings; i++) {
		subring = &subrings[i];
		config.pages = &buffer->pages[1 + i * config.nr_pages];
		config.data_head = ring_memory(nr_rings > 1 ? &subring->head :
							      &buffer->control->data_head);
		config.data_tail = ring_memory(nr_rings > 1 ? &subring->tail :
							      &buffer->control->data_tail);
		config.data_reserved = ring_memory(&subring->reserved);
		subring->offset = PAGE_SIZE * (1 + i * (u64)config.nr_pages);
		subring->size = PAGE_SIZE * (u64)config.nr_pages;
		err = perf_counter_ring_init(&buffer->rings[i], &config);
		if (err) {
			buffer_free_rings(buffer, i);
			return err;
		}
	}
	buffer->nr_rings = nr_rings;
	return 0;
}

/* Return the number of rings that share @nr_pages data pages: a power of two, or 0. */
static unsigned int buffer_count_rings(const struct perf_counter_buffer_config *config,
				       unsigned int nr_pages)
{
	if (!config->subrings || !nr_pages)
		return min(nr_pages, 1);
	return min3(nr_pages, roundup_pow_of_two(nr_cpu_ids), PERF_COUNTER_SUBRINGS_MAX);
}

/* Allocate a buffer with one mapping. Its memory is charged before it is allocated. */
static struct perf_counter_buffer *buffer_alloc(const struct perf_counter_buffer_config *config,
						unsigned int nr_pages, bool overwrite)
{
	unsigned int nr_rings = buffer_count_rings(config, nr_pages);
	struct perf_counter_buffer *buffer;
	int err;

	buffer = kvzalloc(struct_size(buffer, rings, nr_rings), GFP_KERNEL_ACCOUNT);
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	buffer->cpu = config->cpu;
	err = buffer_charge(buffer, nr_pages + 1, config->no_mlock_limit);
	if (err)
		goto free;
	err = buffer_charge_tables(buffer, nr_pages);
	if (err)
		goto uncharge;
	err = buffer_alloc_pages(buffer, nr_pages);
	if (err)
		goto uncharge_tables;
	err = buffer_init_rings(buffer, nr_rings, config, overwrite);
	if (err)
		goto free_pages;
	refcount_set(&buffer->refs, 1);
	atomic_set(&buffer->mappings, 1);
	spin_lock_init(&buffer->lock);
	mutex_init(&buffer->splice_mutex);
	INIT_HLIST_HEAD(&buffer->writers);
	init_irq_work(&buffer->notify, buffer_notify);
	INIT_RCU_WORK(&buffer->free, buffer_free);
	return buffer;

free_pages:
	buffer_free_pages(buffer, 1 + nr_pages);
uncharge_tables:
	buffer_uncharge_tables(buffer);
uncharge:
	buffer_uncharge(buffer);
free:
	kvfree(buffer);
	return ERR_PTR(err);
}

/* Return the buffer that is mapped through @writer. */
static struct perf_counter_buffer *buffer_of(struct perf_counter_writer *writer)
{
	return rcu_dereference_protected(writer->buffer, atomic_read(&writer->mappings));
}

static void buffer_vma_open(struct vm_area_struct *vma)
{
	struct perf_counter_writer *writer = vma->vm_private_data;
	struct perf_counter_buffer *buffer = buffer_of(writer);

	atomic_inc(&buffer->mappings);
	refcount_inc(&buffer->refs);
	atomic_inc(&writer->mappings);
}

/* Get any one writer of @buffer, with a reference. */
static struct perf_counter_writer *buffer_writer_get(struct perf_counter_buffer *buffer)
{
	struct perf_counter_writer *writer;

	spin_lock_irq(&buffer->lock);
	writer = hlist_entry_safe(buffer->writers.first, struct perf_counter_writer, node);
	/*
	 * The writer still has a reference: its owner removes it from the list before dropping the
	 * last one.
	 */
	if (writer)
		writer->ops->get(writer);
	spin_unlock_irq(&buffer->lock);
	return writer;
}

/* Remove a mapping. The last one detaches the buffer from its writers. */
static void buffer_unmap(struct perf_counter_buffer *buffer)
{
	struct perf_counter_writer *writer;

	if (atomic_dec_and_test(&buffer->mappings)) {
		while ((writer = buffer_writer_get(buffer))) {
			mutex_lock(&writer->mutex);
			if (rcu_access_pointer(writer->buffer) == buffer)
				writer_set_buffer(writer, NULL);
			mutex_unlock(&writer->mutex);
			writer->ops->put(writer);
		}
		buffer_uncharge(buffer);
	}
	perf_counter_buffer_put(buffer);
}

/* Remove a mapping of @buffer through @writer. */
static void writer_unmap(struct perf_counter_writer *writer, struct perf_counter_buffer *buffer)
{
	atomic_dec(&writer->mappings);
	writer->ops->mapped(writer);
	buffer_unmap(buffer);
}

static void buffer_vma_close(struct vm_area_struct *vma)
{
	struct perf_counter_writer *writer = vma->vm_private_data;

	writer_unmap(writer, buffer_of(writer));
}

/* Map a page again after the program has given it up, by MADV_DONTNEED for example. */
static vm_fault_t buffer_vma_fault(struct vm_fault *vmf)
{
	struct perf_counter_buffer *buffer = buffer_of(vmf->vma->vm_private_data);

	if (vmf->pgoff > buffer->nr_pages)
		return VM_FAULT_SIGBUS;
	vmf->page = buffer->pages[vmf->pgoff];
	get_page(vmf->page);
	return 0;
}

/* Refuse to split the mapping: munmap(), mremap() and MAP_FIXED must cover all pages. */
static int buffer_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static const struct vm_operations_struct buffer_vm_ops = {
	.open		= buffer_vma_open,
	.close		= buffer_vma_close,
	.fault		= buffer_vma_fault,
	.may_split	= buffer_vma_may_split,
};

/* Get the buffer of @writer for a mapping of @nr_pages data pages; create a missing one. */
static struct perf_counter_buffer *
writer_map_buffer(struct perf_counter_writer *writer,
		  const struct perf_counter_buffer_config *config, unsigned int nr_pages,
		  bool overwrite)
{
	struct perf_counter_buffer *buffer;

	if (writer->retired)
		return ERR_PTR(-ESTALE);
	buffer = rcu_dereference_protected(writer->buffer, lockdep_is_held(&writer->mutex));
	if (buffer && atomic_inc_not_zero(&buffer->mappings)) {
		refcount_inc(&buffer->refs);
		return buffer;
	}

	/*
	 * There is no buffer, or the last mapping of the buffer is being removed. That removal
	 * does not touch @writer once the new buffer is set.
	 */
	buffer = buffer_alloc(config, nr_pages, overwrite);
	if (!IS_ERR(buffer))
		writer_set_buffer(writer, buffer);
	return buffer;
}

/**
 * perf_counter_buffer_mmap() - Map a writer's buffer
 * @writer: writer of the buffer
 * @config: properties of the buffer to create if the writer has none
 * @vma: shared mapping of 1 + 2^n pages, or of the user page only. Without write
 *	permission there is no reader feedback, and the ring overwrites.
 *
 * Context: mmap_lock held for writing.
 * Return: 0; -EINVAL for another size, offset or kind of mapping, or a size that is not
 * the existing buffer's; -EPERM if the user may not lock that much memory; -ENOMEM;
 * -ESTALE if the writer has retired.
 */
int perf_counter_buffer_mmap(struct perf_counter_writer *writer,
			     const struct perf_counter_buffer_config *config,
			     struct vm_area_struct *vma)
{
	unsigned long pages = vma_pages(vma);
	struct perf_counter_buffer *buffer, *old;
	int err;

	if (!(vma->vm_flags & VM_SHARED) || vma->vm_pgoff)
		return -EINVAL;
	if (pages > 1 && !is_power_of_2(pages - 1))
		return -EINVAL;
	/*
	 * ring_map() lists each page twice in an array; an int limits the array's size
	 * in bytes.
	 */
	if (pages > INT_MAX / (2 * sizeof(struct page *)))
		return -ENOMEM;

	mutex_lock(&writer->mutex);
	old = rcu_access_pointer(writer->buffer);
	buffer = writer_map_buffer(writer, config, pages - 1, !(vma->vm_flags & VM_WRITE));
	if (!IS_ERR(buffer))
		atomic_inc(&writer->mappings);
	mutex_unlock(&writer->mutex);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);

	vma->vm_private_data = writer;
	err = -EINVAL;
	if (buffer->nr_pages != pages - 1)
		goto unmap;

	/*
	 * Do not copy or expand the mapping: its pages are charged to one address space. Do not
	 * let a read-only mapping become writable: its ring overwrites.
	 */
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	if (!(vma->vm_flags & VM_WRITE))
		vm_flags_clear(vma, VM_MAYWRITE);
	if (buffer != old)
		writer->ops->mapped(writer);
	err = vm_insert_pages(vma, vma->vm_start, buffer->pages, &pages);
	if (err)
		goto unmap;
	vma->vm_ops = &buffer_vm_ops;
	return 0;
unmap:
	writer_unmap(writer, buffer);
	return err;
}

/* Get the buffer of @writer and keep it mapped, so that it is not detached; or NULL. */
static struct perf_counter_buffer *writer_pin_buffer(struct perf_counter_writer *writer)
{
	struct perf_counter_buffer *buffer;

	guard(mutex)(&writer->mutex);
	buffer = rcu_dereference_protected(writer->buffer, lockdep_is_held(&writer->mutex));
	if (!buffer || !atomic_inc_not_zero(&buffer->mappings))
		return NULL;
	refcount_inc(&buffer->refs);
	return buffer;
}

/**
 * perf_counter_buffer_redirect() - Send a writer's records to another writer's buffer
 * @writer: writer to redirect
 * @to: writer whose buffer takes the records; NULL to detach @writer from its buffer
 * @cpu: number of the only CPU on which @writer writes; -1 for all CPUs
 *
 * Implements SET_OUTPUT. A buffer that was created for one CPU only takes records of
 * that CPU.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if @to is @writer or has no buffer, if its buffer is for another
 * CPU, or if @writer's own buffer is mapped; -ESTALE if @writer has retired.
 */
int perf_counter_buffer_redirect(struct perf_counter_writer *writer,
				 struct perf_counter_writer *to, int cpu)
{
	struct perf_counter_buffer *buffer = NULL;
	int err = -EINVAL;

	if (to) {
		if (to == writer)
			return -EINVAL;
		buffer = writer_pin_buffer(to);
		if (!buffer)
			return -EINVAL;
		if (buffer->cpu >= 0 && buffer->cpu != cpu)
			goto unmap;
	}

	mutex_lock(&writer->mutex);
	if (writer->retired) {
		err = -ESTALE;
	} else if (!atomic_read(&writer->mappings)) {
		if (rcu_access_pointer(writer->buffer) != buffer)
			writer_set_buffer(writer, buffer);
		err = 0;
	}
	mutex_unlock(&writer->mutex);
unmap:
	if (buffer)
		buffer_unmap(buffer);
	return err;
}

/**
 * perf_counter_buffer_pause() - Pause or resume the writing of records to a buffer
 * @writer: writer whose buffer is paused
 * @pause: true to refuse records, which are counted as lost; false to accept them again
 *
 * Implements PAUSE_OUTPUT. When the function returns after a pause, no record is being
 * written.
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL without a buffer.
 */
int perf_counter_buffer_pause(struct perf_counter_writer *writer, bool pause)
{
	struct perf_counter_buffer *buffer = perf_counter_buffer_get(writer);
	unsigned int i;

	if (!buffer)
		return -EINVAL;
	for (i = 0; i < buffer->nr_rings; i++)
		WRITE_ONCE(buffer->rings[i].paused, pause);
	/* Wait for records that are being written: their writers have preemption disabled. */
	if (pause)
		synchronize_rcu();
	perf_counter_buffer_put(buffer);
	return 0;
}

static bool ring_readable(struct perf_counter_ring *ring, bool all)
{
	u64 filled = atomic64_read(all ? &ring->published : &ring->wake_mark);
	u64 unread = filled - perf_counter_ring_tail(ring);

	/* A tail that leaves more unread bytes than the ring holds is invalid. */
	return unread && unread <= ring->size;
}

/**
 * perf_counter_buffer_readable() - Test whether a buffer has enough records to read
 * @buffer: buffer with reader feedback
 * @all: flag: any unread record is enough
 *
 * Context: any.
 * Return: true from a notification until the reader has consumed the records published
 * by then; with @all, while there are unread records.
 */
bool perf_counter_buffer_readable(struct perf_counter_buffer *buffer, bool all)
{
	unsigned int i;

	for (i = 0; i < buffer->nr_rings; i++) {
		if (ring_readable(&buffer->rings[i], all))
			return true;
	}
	return false;
}

static __poll_t buffer_poll(struct perf_counter_writer *writer, bool all, bool once)
{
	struct perf_counter_buffer *buffer;
	bool readable;

	guard(rcu)();
	buffer = rcu_dereference(writer->buffer);
	if (!buffer)
		return EPOLLHUP;
	if (!buffer->nr_rings)
		return 0;
	if (once || buffer->rings[0].overwrite)
		readable = atomic_xchg(&buffer->notified, 0);
	else
		readable = perf_counter_buffer_readable(buffer, all);
	return readable ? EPOLLIN | EPOLLRDNORM : 0;
}

/**
 * perf_counter_buffer_poll() - Poll a writer's buffer
 * @writer: writer that is polled
 * @all: flag: any unread record is enough, because no more will come
 *
 * A buffer without reader feedback reports a notification once.
 *
 * Context: any.
 * Return: EPOLLIN | EPOLLRDNORM or 0; EPOLLHUP without a buffer.
 */
__poll_t perf_counter_buffer_poll(struct perf_counter_writer *writer, bool all)
{
	return buffer_poll(writer, all, false);
}

/**
 * perf_counter_buffer_poll_once() - Report a notification since the last poll
 * @writer: writer that is polled
 *
 * Context: any.
 * Return: EPOLLIN | EPOLLRDNORM or 0; EPOLLHUP without a buffer.
 */
__poll_t perf_counter_buffer_poll_once(struct perf_counter_writer *writer)
{
	return buffer_poll(writer, false, true);
}
