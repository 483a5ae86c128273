/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring buffer of perf_counter: its state, its operations, and the only
 * functions that write the data of a ring. The protocol and the reasons for it are
 * told in ring.c.
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
/* Slots that one word of the commit map stands for. */
#define RING_SLOTS_PER_WORD	64

/* Bytes of a record at most: its header has 16 bits for them, and it is a multiple of 8. */
#define PERF_COUNTER_RECORD_MAX	65528

/*
 * Memory that programs have mapped writable. The kernel writes it, with the functions below,
 * and does not read it back: a program may have changed it meanwhile. A pointer to it is of
 * an address space of its own, so that sparse refuses a read, and refuses to pass the pointer
 * to a function that does not expect it. A cast with __force in ring/ marks each place that
 * has a reason to do more.
 */
#ifdef __CHECKER__
#define __ring	__attribute__((noderef, address_space(__ring)))
#else
#define __ring
#endif

/**
 * struct perf_counter_ring_config - what a ring is to be like
 * @pages: its data pages
 * @nr_pages: how many, a power of two
 * @data_head: where the reader sees up to where it may read
 * @data_tail: where the reader stores up to where it has read
 * @data_reserved: where the reader of an overwriting ring sees @head
 * @watermark: bytes between notifications; 0 for half of the data
 * @overwrite: no reader feedback; the oldest records give way
 * @backward: from the end of the data downward; @data_head counts down too
 * @local: one CPU does all the writing
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
 * struct perf_counter_ring - bytes that many contexts write and one program reads
 * @head: bytes reserved since the beginning, a free-running position
 * @published: bytes that are complete from the beginning on; <= @head
 * @wake_mark: the published position at the last notification
 * @asked: end of the furthest record of which a notification was asked for,
 *	whatever the watermark
 * @held_back: end of the furthest sample that was behind an open record when it
 *	was counted in @samples
 * @samples: samples since wakeup_events of them asked for a notification
 * @lost: records refused since the last LOST record, reported or not yet
 * @commits: one bit for each slot of @data; its sense flips every lap
 * @data: the data pages, mapped twice in a row, so no record ever wraps
 * @data_head: shared with the reader, like the next two; nothing there is
 *	believed
 * @data_tail: see @data_head
 * @data_reserved: see @data_head
 * @size: bytes of data, a power of two, at least 4096
 * @mask: @size - 1
 * @watermark: bytes between two notifications
 * @shift: log2 of @size
 * @publishers: contexts that can be publishing at one moment, at most
 * @overwrite: no reader feedback; the oldest records give way
 * @backward: from the end of the data downward
 * @local: one CPU does all the writing
 * @paused: every reservation fails
 *
 * @commits to @local do not change while the ring can be written; @paused is
 * one store. The rest is shared by all writers, without a lock.
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

/* Write a word to a record. Returns the place behind it. */
static __always_inline u64 __ring *ring_put(u64 __ring *at, u64 word)
{
	*(u64 __force *)at = word;
	return at + 1;
}

/* Write @size bytes to a record, at any place in it. */
static __always_inline void ring_copy(void __ring *to, const void *from, size_t size)
{
	memcpy((void __force *)to, from, size);
}

/* Write @size bytes, a multiple of 8, to a record. Returns the place behind them. */
static __always_inline u64 __ring *ring_put_bytes(u64 __ring *at, const void *from, size_t size)
{
	ring_copy(at, from, size);
	return at + size / sizeof(*at);
}

/* Ordinary memory as memory of a ring: to share it, or for a function that writes records. */
static __always_inline u64 __ring *ring_memory(u64 *memory)
{
	return (u64 __force __ring *)memory;
}

/* The position up to which the reader says that it has read: any number at all. */
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
