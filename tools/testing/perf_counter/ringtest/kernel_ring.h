/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of perf_events in user space: kernel/events/ring_buffer.c of the tree, with the types
 * and functions that it uses.
 *
 * The Makefile takes the functions that write records, from the start of the file to
 * perf_output_end(), and kernel/events/internal.h, both without their includes of the kernel's
 * headers. This file is included in front of them.
 *
 * perf_events writes to a ring from one CPU at a time, so its operations are those of local_t:
 * atomic for the CPU's own interrupts only. Disabling preemption costs nothing here; for the ring
 * of perf_counter it is a duty of the caller and costs nothing either.
 */
#ifndef _RINGTEST_KERNEL_RING_H
#define _RINGTEST_KERNEL_RING_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/perf_event.h>

typedef __u8			u8;
typedef unsigned long		(*perf_copy_f)(void *to, const void *from, unsigned long offset,
					       unsigned long bytes);

/* The kernel has typedefs of these names. */
#define pgoff_t		unsigned long
#define local_t		struct local
#define refcount_t	struct refcount
#define spinlock_t	struct spinlock

struct local { long counter; };

/* Members of structures that no function here uses. */
struct refcount { int value; };
struct spinlock { int value; };
struct list_head { void *next, *previous; };
struct rcu_head { void *next, *function; };
struct mutex { int value; };
struct irq_work { int queued; };
struct perf_sample_data;

/**
 * struct perf_event - the part of an event that the ring uses
 * @parent: event that this one was inherited from, NULL here
 * @rb: buffer
 * @attr: attributes, zeroed
 * @id: identifier, for records of losses
 * @id_header_size: bytes that attr.sample_id_all adds to a record
 * @lost_samples: number of records that found no room
 * @pending_wakeup: 1 after a wakeup was asked for
 * @pending_kill: kind of signal to send
 * @pending_irq: work that wakes the reader
 * @fasync: list of tasks that want a signal, NULL here
 */
struct perf_event {
	struct perf_event	*parent;
	struct perf_buffer	*rb;
	struct perf_event_attr	attr;
	u64			id;
	unsigned int		id_header_size;
	atomic64_t		lost_samples;
	int			pending_wakeup;
	int			pending_kill;
	struct irq_work		pending_irq;
	void			*fasync;
};

/**
 * struct perf_output_handle - a record that is being written
 * @event: event of the record
 * @rb: buffer
 * @wakeup: position of the last wakeup when the record was begun
 * @size: bytes from @addr to the end of the page
 * @flags: flags of the AUX area
 * @addr: address that is written next
 * @page: number of the data page of @addr
 */
struct perf_output_handle {
	struct perf_event	*event;
	struct perf_buffer	*rb;
	unsigned long		wakeup;
	unsigned long		size;
	u64			flags;
	void			*addr;
	int			page;
};

int perf_output_begin(struct perf_output_handle *handle, struct perf_sample_data *data,
		      struct perf_event *event, unsigned int size);
unsigned int perf_output_copy(struct perf_output_handle *handle, const void *from,
			      unsigned int bytes);
void perf_output_end(struct perf_output_handle *handle);

/**
 * kernel_ring_open() - Make an event with a ring
 * @nr_pages: number of data pages, a power of two
 *
 * Return: the event; the program ends if there is no memory.
 */
struct perf_event *kernel_ring_open(unsigned int nr_pages);

/**
 * kernel_ring_close() - Free an event and its ring
 * @event: event
 */
void kernel_ring_close(struct perf_event *event);

/**
 * kernel_ring_discard() - Read nothing, and say that all records are read
 * @event: event
 */
void kernel_ring_discard(struct perf_event *event);

#define WRITE_ONCE(x, value)		__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#define container_of(at, type, member)	((type *)((void *)(at) - offsetof(type, member)))
#define rcu_dereference(at)		__atomic_load_n(&(at), __ATOMIC_CONSUME)
#define perf_output_put(handle, x)	perf_output_copy(handle, &(x), sizeof(x))

static inline void preempt_disable(void) { barrier(); }
static inline void preempt_enable(void) { barrier(); }
static inline void rcu_read_lock(void) { barrier(); }
static inline void rcu_read_unlock(void) { barrier(); }
static inline void pagefault_disable(void) { }
static inline void pagefault_enable(void) { }
static inline unsigned char interrupt_context_level(void) { return 0; }
static inline void irq_work_queue(struct irq_work *work) { work->queued = 1; }
static inline void **perf_event_fasync(struct perf_event *event) { return &event->fasync; }
static inline bool is_write_backward(struct perf_event *event) { return false; }
static inline void atomic_set(atomic_t *v, int value) { WRITE_ONCE(v->counter, value); }
static inline long local_read(local_t *v) { return READ_ONCE(v->counter); }
static inline void local_add(long n, local_t *v) { v->counter += n; }
static inline void local_inc(local_t *v) { v->counter++; }

static inline long local_xchg(local_t *v, long value)
{
	long old = v->counter;

	v->counter = value;
	return old;
}

static inline bool local_try_cmpxchg(local_t *v, void *old, long value)
{
	return shim_cmpxchg_local((u64 *)&v->counter, old, value);
}

static inline unsigned long __copy_from_user_inatomic(void *to, const void *from, unsigned long n)
{
	memcpy(to, from, n);
	return 0;
}

static inline void perf_event_header__init(struct perf_event_header *header,
					   struct perf_sample_data *data, u32 type, u32 misc,
					   u32 size, struct perf_event *event)
{
	*header = (struct perf_event_header){ .type = type, .misc = misc, .size = size };
}

/* The identifier at the end of a record; attr.sample_id_all is 0. */
static inline void perf_event__output_id_sample(struct perf_event *event,
						struct perf_output_handle *handle,
						struct perf_sample_data *data)
{
}

#endif /* _RINGTEST_KERNEL_RING_H */
