/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The door of ring/: buffers, which records are written to and programs read from.
 *
 * A buffer is a ring or several, and the mappings of them. What writes to it is a
 * *writer*, which is a part of whatever has records to write; this room knows nothing
 * else of counters. It uses no other room. ring.h, behind this header, is the ring
 * itself, which is compiled in user space, too.
 *
 * Lock order, outermost first: mmap_lock, by the caller of mmap, never by us;
 * writer->mutex; buffer->splice_mutex, inside the pipe's mutex, of its caller;
 * buffer->lock, IRQs off, also taken to notify; inside it, the locks of pollers.
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
 * struct perf_counter_buffer - rings, who maps them and who writes to them
 * @pages: control page, then the data pages
 * @nr_pages: number of data pages
 * @control: the control page
 * @cpu: the CPU that does all the writing; -1 for any
 * @nr_rings: none for a control page alone
 * @refs: mappings and writers; freed with the last
 * @mappings: how often it is mapped
 * @lock: guards @writers; taken with IRQs off
 * @writers: whose records it takes
 * @notify: tells the pollers of all @writers
 * @notified: since the last poll that says so once
 * @splice_mutex: one splice at a time; guards @splice_next
 * @splice_next: ring that the next splice begins with
 * @user: who is charged for the pages
 * @user_pages: of them, within the user's allowance
 * @mm: who is charged for the rest, and where its pages are mapped
 * @pinned_pages: the rest
 * @group: the control group that is charged for its page tables; NULL for none
 * @tables: how many bytes they are
 * @free: frees it, once no event can be writing
 * @rings: CPUs take them in turn: CPU i writes to ring i modulo @nr_rings, a
 *	power of two
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
 * struct perf_counter_writer_ops - what a buffer asks of a writer, and tells it
 * @get: take a reference to the writer; its last one is not dropped yet
 * @put: drop it. May sleep, where a put may.
 * @over: will it write no more? Any context.
 * @mapped: a mapping through it was made, or taken away. May sleep.
 */
struct perf_counter_writer_ops {
	void	(*get)(struct perf_counter_writer *writer);
	void	(*put)(struct perf_counter_writer *writer);
	bool	(*over)(struct perf_counter_writer *writer);
	void	(*mapped)(struct perf_counter_writer *writer);
};

/**
 * struct perf_counter_writer - somebody with records to write
 * @buffer: where they go, if anywhere; RCU, changed under @mutex
 * @lost: records that @buffer had no room for
 * @ops: see there
 * @mutex: guards changes of @buffer
 * @retired: no buffer may be made or joined any more; under @mutex
 * @mappings: those that were made through this writer. While there are any,
 *	@buffer is what they map.
 * @node: in buffer->writers
 * @waitq: pollers
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

/* Prepare a writer, all zero; it has no buffer. */
static inline void perf_counter_writer_init(struct perf_counter_writer *writer,
					    const struct perf_counter_writer_ops *ops)
{
	writer->ops = ops;
	mutex_init(&writer->mutex);
	init_waitqueue_head(&writer->waitq);
}

/**
 * struct perf_counter_buffer_config - what a buffer is to be, should there be none yet
 * @cpu: the CPU that does all the writing; -1 for any
 * @subrings: a ring for each CPU, or as many as there is room for
 * @watermark: bytes until a notification; 0 when somebody else decides
 * @backward: records are written from the end of the buffer to its beginning
 * @unlimited: no limit on the memory that a user may lock
 */
struct perf_counter_buffer_config {
	int	cpu;
	bool	subrings;
	u32	watermark;
	bool	backward;
	bool	unlimited;
};

/*
 * Write @size bytes of a program's memory to a record, as far as they can be read without a
 * page fault: page faults are disabled. Returns how many cannot.
 */
static inline size_t ring_copy_user(void __ring *to, const void __user *from, size_t size)
{
	return __copy_from_user_inatomic((void __force *)to, from, size);
}

/* The ring that this CPU writes to. Preemption disabled. */
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
