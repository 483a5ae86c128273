/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The header of ring/: buffers, which the kernel writes records to and programs read
 * from.
 *
 * A buffer is one or more rings and the mappings of them. A *writer* writes to a
 * buffer; it is embedded in the object that has records to write. ring/ knows nothing
 * else of counters and uses no other folder. ring.h declares the ring itself, which is
 * also compiled in user space.
 *
 * Lock order, outermost first: mmap_lock, taken by the caller of mmap, never in ring/;
 * writer->mutex; buffer->splice_mutex, inside the mutex of the caller's pipe;
 * buffer->lock, with IRQs off, also taken to notify; inside it, the locks of pollers.
 */
#ifndef _PERF_COUNTER_RING_BUFFER_H
#define _PERF_COUNTER_RING_BUFFER_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/perf_counter.h>

#include "ring.h"

struct perf_counter_writer;
struct obj_cgroup;
struct pipe_inode_info;

/**
 * struct perf_counter_buffer - rings, their mappings and their writers
 * @pages: user page, followed by the data pages
 * @nr_pages: number of data pages
 * @control: kernel address of the user page
 * @cpu: number of the only CPU that writes; -1 for all CPUs
 * @nr_rings: number of @rings, a power of two; 0 for a user page without data
 * @refs: number of mappings and writers; the last one frees the buffer
 * @mappings: number of mappings
 * @lock: lock of @writers; taken with IRQs off
 * @writers: writers whose records go to this buffer
 * @notify: work that wakes the pollers of all @writers
 * @notified: flag: a notification has come since the last poll that reports it once
 * @splice_mutex: mutex held during a splice; guards @splice_next
 * @splice_next: index of the ring that the next splice begins with
 * @user: user to whom @user_pages are charged
 * @user_pages: number of pages within the user's allowance
 * @mm: address space to which @pinned_pages are charged
 * @pinned_pages: number of pages beyond the user's allowance
 * @group: control group to which the page tables are charged; NULL for none
 * @tables: size of the page tables in bytes
 * @free: work that frees the buffer after a grace period, when no event can be writing
 * @rings: rings; CPU i writes to ring i modulo @nr_rings
 */
struct perf_counter_buffer {
	struct page			**pages;
	unsigned int			nr_pages;
	struct perf_event_mmap_page	*control;
	int				cpu;
	unsigned int			nr_rings;
	refcount_t			refs;
	atomic_t			mappings;
	spinlock_t			lock;	/* writers */
	struct hlist_head		writers;
	struct irq_work			notify;
	atomic_t			notified;
	struct mutex			splice_mutex;	/* splice_next */
	unsigned int			splice_next;
	struct user_struct		*user;
	unsigned long			user_pages;
	struct mm_struct		*mm;
	unsigned long			pinned_pages;
	struct obj_cgroup		*group;
	size_t				tables;
	struct rcu_work			free;
	struct perf_counter_ring	rings[];
};

/**
 * struct perf_counter_writer_ops - operations of a writer that a buffer calls
 * @get: take a reference to the writer, which still has one
 * @put: drop a reference to the writer. May sleep.
 * @over: test whether the writer will write no more records. Any context.
 * @mapped: a mapping through the writer was made or removed. May sleep.
 */
struct perf_counter_writer_ops {
	void	(*get)(struct perf_counter_writer *writer);
	void	(*put)(struct perf_counter_writer *writer);
	bool	(*over)(struct perf_counter_writer *writer);
	void	(*mapped)(struct perf_counter_writer *writer);
};

/**
 * struct perf_counter_writer - a source of records
 * @buffer: buffer that the records go to, or NULL; RCU, changed under @mutex
 * @lost: number of records for which @buffer had no room
 * @ops: operations of the writer
 * @mutex: guards changes of @buffer
 * @retired: flag: no buffer may be made or joined any more; under @mutex
 * @mappings: number of mappings made through this writer. While it is not 0, @buffer is
 *	the mapped buffer.
 * @node: entry in buffer->writers
 * @waitq: wait queue of pollers
 */
struct perf_counter_writer {
	struct perf_counter_buffer __rcu	*buffer;
	atomic64_t				lost;
	const struct perf_counter_writer_ops	*ops;
	struct mutex				mutex;	/* buffer */
	bool					retired;
	atomic_t				mappings;
	struct hlist_node			node;
	wait_queue_head_t			waitq;
};

/* Initialize a zeroed writer; it has no buffer. */
static inline void perf_counter_writer_init(struct perf_counter_writer *writer,
					    const struct perf_counter_writer_ops *ops)
{
	writer->ops = ops;
	mutex_init(&writer->mutex);
	init_waitqueue_head(&writer->waitq);
}

/**
 * struct perf_counter_buffer_config - properties of a buffer that a mapping creates
 * @cpu: number of the only CPU that writes; -1 for all CPUs
 * @subrings: flag: create a ring for each CPU, or as many as there is room for
 * @watermark: number of bytes until a notification; 0 for half of a ring
 * @backward: flag: write records from the end of the buffer to its beginning
 * @no_mlock_limit: flag: the user may lock any amount of memory
 */
struct perf_counter_buffer_config {
	int	cpu;
	bool	subrings;
	u32	watermark;
	bool	backward;
	bool	no_mlock_limit;
};

/*
 * Copy @size bytes of a program's memory into a record with page faults disabled.
 * Returns the number of bytes that could not be read.
 */
static inline size_t ring_copy_user(void __ring *to, const void __user *from, size_t size)
{
	return __copy_from_user_inatomic((void __force *)to, from, size);
}

/* Return the ring that this CPU writes to. Preemption must be disabled. */
static __always_inline struct perf_counter_ring *
perf_counter_buffer_ring(struct perf_counter_buffer *buffer)
{
	return &buffer->rings[smp_processor_id() & (buffer->nr_rings - 1)];
}

/* buffer.c */
int perf_counter_buffer_mmap(struct perf_counter_writer *writer,
			     const struct perf_counter_buffer_config *config,
			     struct vm_area_struct *vma);
int perf_counter_buffer_redirect(struct perf_counter_writer *writer,
				 struct perf_counter_writer *to, int cpu);
void perf_counter_buffer_detach(struct perf_counter_writer *writer);
int perf_counter_buffer_pause(struct perf_counter_writer *writer, bool pause);
bool perf_counter_buffer_readable(struct perf_counter_buffer *buffer, bool all);
__poll_t perf_counter_buffer_poll(struct perf_counter_writer *writer, bool all);
__poll_t perf_counter_buffer_poll_once(struct perf_counter_writer *writer);
struct perf_counter_buffer *perf_counter_buffer_get(struct perf_counter_writer *writer);
void perf_counter_buffer_put(struct perf_counter_buffer *buffer);

/* splice.c */
ssize_t perf_counter_splice(struct perf_counter_writer *writer, struct pipe_inode_info *pipe,
			    size_t len, bool wait);

#endif /* _PERF_COUNTER_RING_BUFFER_H */
