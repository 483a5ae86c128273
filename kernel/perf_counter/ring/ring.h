/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of perf_counter: its state, its operations, and the only functions that
 * write its data. ring.c explains the protocol.
 */
#ifndef _KERNEL_PERF_COUNTER_RING_H
#define _KERNEL_PERF_COUNTER_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

struct page;

/* Positions and record sizes are multiples of a slot. */
#define RING_SLOT		8
#define RING_SLOT_SHIFT		3
/* Number of slots per word of the commit map. */
#define RING_SLOTS_PER_WORD	64

/* Maximum size of a record in bytes: its header has 16 bits for the size, a multiple of 8. */
#define PERF_COUNTER_RECORD_MAX	65528

/*
 * Memory that programs have mapped writable. The kernel writes it with the functions
 * below and does not read it back, because a program may have changed it meanwhile.
 * Pointers to it have an address space of their own: sparse refuses to read through
 * them and to pass them to a function that does not expect them. A cast with __force in
 * ring/ marks each exception.
 */
#ifdef __CHECKER__
#define __ring	__attribute__((noderef, address_space(__ring)))
#else
#define __ring
#endif

/**
 * struct perf_counter_ring_config - properties of a ring
 * @pages: data pages
 * @nr_pages: number of data pages, a power of two
 * @data_head: memory where the reader sees the position up to which it may read
 * @data_tail: memory where the reader stores the position up to which it has read
 * @data_reserved: memory where the reader of an overwriting ring sees @head
 * @watermark: number of bytes between notifications; 0 for half of the data
 * @overwrite: flag: there is no reader feedback; new records overwrite the oldest
 * @backward: flag: records are written from the end of the data downward; @data_head
 *	counts down
 * @local: flag: only one CPU writes
 */
struct perf_counter_ring_config {
	struct page	**pages;
	unsigned int	nr_pages;
	u64 __ring	*data_head;
	u64 __ring	*data_tail;
	u64 __ring	*data_reserved;
	u64		watermark;
	bool		overwrite;
	bool		backward;
	bool		local;
};

/**
 * struct perf_counter_ring - memory that many contexts write and one program reads
 * @head: free-running position: number of bytes reserved since the beginning
 * @published: free-running position up to which all records are complete; <= @head
 * @wake_mark: value of @published at the last notification
 * @asked: end of the last record for which a notification was requested regardless of
 *	the watermark
 * @held_back: end of the last sample that was counted in @samples while an open record before it
 *	held it back
 * @samples: number of samples since the last one that requested a notification for
 *	wakeup_events
 * @lost: number of refused records since the last LOST record was written
 * @commits: map with one bit per slot of @data; the meaning of a bit flips every lap
 * @data: data pages, mapped twice in a row, so that no record wraps
 * @data_head: position shared with the reader; never trusted
 * @data_tail: position shared with the reader; never trusted
 * @data_reserved: position shared with the reader; never trusted
 * @size: size of the data in bytes, a power of two, at least 4096
 * @mask: @size - 1
 * @watermark: number of bytes between two notifications
 * @shift: log2 of @size
 * @publishers: maximum number of contexts that can publish at the same time
 * @overwrite: flag: there is no reader feedback; new records overwrite the oldest
 * @backward: flag: records are written from the end of the data downward
 * @local: flag: only one CPU writes
 * @paused: flag: every reservation fails
 *
 * @commits to @local do not change while the ring can be written; @paused is a single
 *	store. All writers share the other fields without a lock.
 */
struct perf_counter_ring {
	atomic64_t	head ____cacheline_aligned_in_smp;
	atomic64_t	published;
	atomic64_t	wake_mark;
	atomic64_t	asked;
	atomic64_t	held_back;
	atomic64_t	samples;
	atomic64_t	lost;

	atomic64_t	*commits ____cacheline_aligned_in_smp;
	void __ring	*data;
	u64 __ring	*data_head;
	u64 __ring	*data_tail;
	u64 __ring	*data_reserved;
	u64		size;
	u64		mask;
	u64		watermark;
	unsigned int	shift;
	unsigned int	publishers;
	bool		overwrite;
	bool		backward;
	bool		local;
	bool		paused;
};

/* Write a word to a record. Returns the address after it. */
static __always_inline u64 __ring *ring_put(u64 __ring *at, u64 word)
{
	*(u64 __force *)at = word;
	return at + 1;
}

/* Write @size bytes to any place of a record. */
static __always_inline void ring_copy(void __ring *to, const void *from, size_t size)
{
	memcpy((void __force *)to, from, size);
}

/* Write @size bytes, a multiple of 8, to a record. Returns the address after them. */
static __always_inline u64 __ring *ring_put_bytes(u64 __ring *at, const void *from, size_t size)
{
	ring_copy(at, from, size);
	return at + size / sizeof(*at);
}

/* Treat ordinary memory as memory of a ring: to share it, or to write a record to it. */
static __always_inline u64 __ring *ring_memory(u64 *memory)
{
	return (u64 __force __ring *)memory;
}

/* Return the position up to which the reader claims to have read; it may have any value. */
static inline u64 ring_tail(const struct perf_counter_ring *ring, bool backward)
{
	u64 tail = READ_ONCE(*(u64 __force *)ring->data_tail);

	return backward ? -tail : tail;
}

static inline u64 perf_counter_ring_tail(const struct perf_counter_ring *ring)
{
	return ring_tail(ring, ring->backward);
}

int perf_counter_ring_init(struct perf_counter_ring *ring,
			   const struct perf_counter_ring_config *config);
void perf_counter_ring_destroy(struct perf_counter_ring *ring);
void __ring *perf_counter_ring_reserve(struct perf_counter_ring *ring, size_t len, u64 *pos);
bool perf_counter_ring_commit(struct perf_counter_ring *ring, u64 pos, u32 len);
bool perf_counter_ring_sample(struct perf_counter_ring *ring, u64 end, u32 wakeup_events);

#endif /* _KERNEL_PERF_COUNTER_RING_H */
