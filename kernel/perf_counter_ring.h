/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring buffer of perf_counter: its state and its four operations. The
 * protocol and the reasons for it are told in perf_counter_ring.c.
 */
#ifndef _KERNEL_PERF_COUNTER_RING_H
#define _KERNEL_PERF_COUNTER_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>
#include <uapi/linux/perf_counter.h>

/* Positions and record sizes are multiples of a slot. */
#define RING_SLOT		8
#define RING_SLOT_SHIFT		3
/* Slots that one word of the commit map stands for. */
#define RING_SLOTS_PER_WORD	64

/**
 * struct perf_counter_ring - a buffer that many contexts write, one maps
 * @head: bytes reserved since the beginning, a free-running position
 * @published: bytes that are complete from the beginning on; <= @head
 * @wake_mark: the published position at the last notification
 * @lost: records refused since the last LOST record, reported or not yet
 * @commits: one bit for each slot of @data; its sense flips every lap
 * @data: the data pages, mapped twice in a row, so no record ever wraps
 * @control: the page the reader shares; nothing in it is believed
 * @size: bytes of data, a power of two, at least 4096
 * @mask: @size - 1
 * @shift: log2 of @size
 * @watermark: bytes between two notifications
 * @publishers: contexts that can be publishing at one moment, at most
 * @overwrite: no reader feedback; the oldest records give way
 * @paused: every reservation fails
 * @pages: control page, then the data pages
 * @nr_pages: number of data pages
 *
 * @commits to @nr_pages do not change while the ring can be written; @paused
 * is one store. The rest is shared by all writers, without a lock.
 */
struct perf_counter_ring {
	atomic64_t			head ____cacheline_aligned_in_smp;
	atomic64_t			published;
	atomic64_t			wake_mark;
	atomic64_t			lost;

	atomic64_t			*commits ____cacheline_aligned_in_smp;
	void				*data;
	struct perf_event_mmap_page	*control;
	u64				size;
	u64				mask;
	unsigned int			shift;
	unsigned int			publishers;
	u64				watermark;
	bool				overwrite;
	bool				paused;
	unsigned int			nr_pages;
	struct page			**pages;
};

int perf_counter_ring_init(struct perf_counter_ring *ring, unsigned int nr_pages, u64 watermark,
			   bool overwrite);
void perf_counter_ring_destroy(struct perf_counter_ring *ring);
void *perf_counter_ring_reserve(struct perf_counter_ring *ring, u32 len, u64 *pos);
bool perf_counter_ring_commit(struct perf_counter_ring *ring, u64 pos, u32 len);
void perf_counter_ring_mark(struct perf_counter_ring *ring);

#endif /* _KERNEL_PERF_COUNTER_RING_H */
