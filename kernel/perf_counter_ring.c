// SPDX-License-Identifier: GPL-2.0
/*
 * The ring buffer of perf_counter. It knows bytes and positions, and nothing
 * of counters.
 *
 * Any number of CPUs write one ring, each from task, softirq, irq and NMI
 * context, nested. No writer waits for another, and a reader never sees a
 * record that is not complete.
 *
 * Positions count bytes from the ring's beginning, never wrap, and are masked
 * where they meet memory. Between them lies:
 *
 *        data_tail        published               head
 *            |                |                     |
 *   ---------+================+#####----#####-------+---------------->
 *   read, or   complete, the    reserved: some of it     free, up to
 *   given up   reader's to read  committed, some not     data_tail + size
 *
 * A record takes four steps:
 *
 *  1. Reserve: move head forward by the record's size with one compare-and-
 *     exchange. There is room when the new head is at most one ring's size
 *     beyond data_tail; otherwise the record is lost, and counted.
 *  2. Write in place. The data pages are mapped twice in a row in the
 *     kernel's address space, so a record that crosses the end of the ring
 *     is written in one piece.
 *  3. Commit: flip the record's bits in a map with one bit per slot of eight
 *     bytes. Every lap over the ring covers every slot exactly once, so a bit
 *     that was flipped is 1 after an even lap (counted from 0) and 0 after an
 *     odd one, and nothing ever has to be cleared. Of a record in several
 *     words of the map, the word of the first slot comes last.
 *  4. Publish: move published over the run of committed slots that starts
 *     there, by compare-and-exchange, then raise data_head to it. Whoever
 *     finds the run grown publishes for everybody. A record that is reserved
 *     and not committed ends the run, so an interrupted writer holds back
 *     what was written behind it, and publishes it all with its own commit.
 *
 * Why it holds:
 *
 *  - No slot is reserved again before it was published: data_tail is clamped
 *    to published, so head never gets more than one ring's size ahead of
 *    published. So a slot is flipped once per lap, and a run that starts at
 *    published ends at head at the latest: a slot one ring's size further
 *    still has the sense of the lap before.
 *  - Everything committed gets published. A writer moves head, full barrier,
 *    flips its bits, full barrier, and looks at published and the run behind
 *    it. A publisher moves published, full barrier, and looks at head; when
 *    there is something between, also at the run behind published. If the
 *    publisher misses the writer's bits, then the writer sees what the
 *    publisher published, and finds its own bits there; likewise if it misses
 *    the writer's head. So of the two at least one publishes the record. The
 *    barriers are R, A and B below: R and B are partners for head, A and B
 *    for the bits, A and A for the bits of two writers.
 *  - data_head only grows: it is raised by compare-and-exchange, and never
 *    to less than it shows.
 *
 * The reader shares the control page and the data pages, and may write what
 * it likes there. data_tail is read once per attempt and clamped. data_head
 * is written, and read only to decide whether to write it, for a bounded
 * number of attempts. The data is never read. All else is private.
 */

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "perf_counter_ring.h"

/* Task, softirq, irq, NMI: contexts that nest on one CPU. */
#define CONTEXTS_PER_CPU	4

/**
 * perf_counter_ring_reserve() - take room for one record
 * @ring: the ring
 * @len: bytes, a multiple of eight, more than 0 and at most 65528
 * @pos: set to the record's position, to be handed to the commit
 *
 * Whoever succeeds must commit, on the same CPU and without sleeping in
 * between: an open reservation holds back what others write.
 *
 * Context: any, NMI included; preemption disabled.
 * Return: where to write the @len bytes, or NULL when the record is lost.
 */
void *perf_counter_ring_reserve(struct perf_counter_ring *ring, u32 len, u64 *pos)
{
	u64 published, tail;
	s64 head;

	if (unlikely(READ_ONCE(ring->paused)))
		goto lost;

	for (;;) {
		/* Published first: it must not be ahead of head as seen here. */
		published = atomic64_read_acquire(&ring->published);

		/*
		 * The control dependency from data_tail to the stores into the
		 * record pairs with the reader's release of data_tail: what it
		 * gives up is not overwritten before it was read.
		 */
		tail = ring->overwrite ? published : READ_ONCE(ring->control->data_tail);
		if (unlikely((s64)(tail - published) > 0))
			tail = published;

		head = atomic64_read(&ring->head);
		if (unlikely((u64)head + len - tail > ring->size)) {
			/* Not full if the ring went on between the two looks. */
			if (atomic64_read(&ring->published) == published)
				goto lost;
			continue;
		}
		/* Barrier R: fully ordered when it succeeds; partner: barrier B. */
		if (likely(atomic64_try_cmpxchg(&ring->head, &head, head + len)))
			break;
	}

	*pos = head;
	return ring->data + (head & ring->mask);
lost:
	atomic64_inc(&ring->lost);
	return NULL;
}

/* The word of the commit map that has the bit of the slot at @pos. */
static __always_inline atomic64_t *ring_word(struct perf_counter_ring *ring, u64 pos)
{
	return &ring->commits[(pos & ring->mask) / (RING_SLOT * RING_SLOTS_PER_WORD)];
}

/*
 * Flip the commit bits of @nr slots from position @pos on. When they are in
 * several words, that of the first slot comes last: whoever finds it flipped
 * finds all of them, and so a run never ends inside of a record.
 */
static __always_inline void ring_flip(struct perf_counter_ring *ring, u64 pos, unsigned int nr)
{
	unsigned int first = (pos >> RING_SLOT_SHIFT) % RING_SLOTS_PER_WORD;
	unsigned int last;

	while (unlikely(first + nr > RING_SLOTS_PER_WORD)) {
		last = (first + nr - 1) % RING_SLOTS_PER_WORD + 1;
		nr -= last;
		atomic64_xor(~0ULL >> (RING_SLOTS_PER_WORD - last),
			     ring_word(ring, pos + nr * RING_SLOT));
		/* Partner: the read barrier from word to word of a run. */
		smp_mb__after_atomic();
	}
	atomic64_xor((~0ULL >> (RING_SLOTS_PER_WORD - nr)) << first, ring_word(ring, pos));
}

/* The end of the run of committed slots that starts at @pos. */
static noinline u64 ring_run_end(struct perf_counter_ring *ring, u64 pos)
{
	for (;;) {
		unsigned int first = (pos >> RING_SLOT_SHIFT) % RING_SLOTS_PER_WORD;
		u64 word = atomic64_read(ring_word(ring, pos));

		/* From here on, a set bit is a slot that is not committed. */
		if (!(pos >> ring->shift & 1))
			word = ~word;
		word >>= first;
		if (likely(word))
			return pos + ((u64)__ffs64(word) << RING_SLOT_SHIFT);

		/* Committed up to the end of this word: a whole word is one lap's. */
		pos += (RING_SLOTS_PER_WORD - first) * RING_SLOT;
		/* Partner: the barrier between the words of a record. */
		smp_rmb();
	}
}

/* Is @shown, just read from data_head, more than was ever published? */
static __always_inline bool ring_ahead(struct perf_counter_ring *ring, u64 shown)
{
	/* Published after what was read: else a publisher in between deceives. */
	smp_rmb();
	return (s64)(shown - (u64)atomic64_read(&ring->published)) > 0;
}

/* Let the reader see what is published up to @end. */
static __always_inline void ring_raise_head(struct perf_counter_ring *ring, u64 end)
{
	u64 *data_head = &ring->control->data_head;
	u64 shown = READ_ONCE(*data_head);
	unsigned int tries = ring->publishers;

	/*
	 * Another publisher may have shown more already. What is ahead of
	 * everything published is the reader's own writing, and is replaced.
	 * Only publishers that show less make the exchange fail, each at most
	 * once; more failures than there can be publishers are the reader's
	 * doing, and its loss.
	 */
	while ((s64)(end - shown) > 0 || unlikely(ring_ahead(ring, shown))) {
		/* Fully ordered: the records are complete before this shows. */
		if (try_cmpxchg64(data_head, &shown, end))
			break;
		if (!--tries)
			break;
	}
}

/*
 * Publish what can be, after the commit of the record from @pos to @end. True
 * when the reader is to be notified.
 */
static __always_inline bool ring_publish(struct perf_counter_ring *ring, u64 pos, u64 end)
{
	s64 published = atomic64_read_acquire(&ring->published);
	bool notify = false;
	u64 run_end;
	s64 mark;

	/* Nothing reserved beyond, nothing to publish: most often right away. */
	while (published != atomic64_read(&ring->head)) {
		/* The run starts with this very record, or has to be looked for. */
		run_end = published == pos ? end : ring_run_end(ring, published);
		if (run_end == published)
			break;
		/* Barrier B: fully ordered when it succeeds; partners A and B. */
		if (unlikely(!atomic64_try_cmpxchg(&ring->published, &published, run_end))) {
			/* The bits are not to be older than what they are compared to. */
			smp_rmb();
			continue;
		}
		published = run_end;
		ring_raise_head(ring, run_end);

		mark = atomic64_read(&ring->wake_mark);
		/* Signed: an NMI may have moved the mark beyond what we publish. */
		if ((s64)(run_end - mark) >= (s64)ring->watermark &&
		    atomic64_try_cmpxchg(&ring->wake_mark, &mark, run_end))
			notify = true;
	}
	return notify;
}

/**
 * perf_counter_ring_commit() - complete a record
 * @ring: the ring
 * @pos: the record's position, from the reservation
 * @len: its size in bytes, as reserved
 *
 * Context: as the reservation.
 * Return: true when the bytes published since the last notification have
 * reached the watermark: the caller notifies the reader.
 */
bool perf_counter_ring_commit(struct perf_counter_ring *ring, u64 pos, u32 len)
{
	/* The record's bytes before its bits; partner: barrier B. */
	smp_mb__before_atomic();
	ring_flip(ring, pos, len >> RING_SLOT_SHIFT);
	/* Barrier A: the bits before the look at published; partners A and B. */
	smp_mb__after_atomic();
	return ring_publish(ring, pos, pos + len);
}

/**
 * perf_counter_ring_mark() - notify the reader of all that is published now
 * @ring: the ring
 *
 * Moves the mark of the last notification, which never goes back.
 *
 * Context: any.
 */
void perf_counter_ring_mark(struct perf_counter_ring *ring)
{
	s64 published = atomic64_read(&ring->published);
	s64 mark = atomic64_read(&ring->wake_mark);

	while (mark < published && !atomic64_try_cmpxchg(&ring->wake_mark, &mark, published))
		;
}

static void ring_free_pages(struct perf_counter_ring *ring, unsigned int nr)
{
	while (nr--)
		__free_page(ring->pages[nr]);
	kvfree(ring->pages);
}

/* Control page and data pages; the pages array lists the data pages twice. */
static int ring_alloc_pages(struct perf_counter_ring *ring, unsigned int nr_pages)
{
	unsigned int i;

	ring->pages = kvcalloc(1 + 2 * (size_t)nr_pages, sizeof(*ring->pages),
			       GFP_KERNEL | __GFP_NOWARN);
	if (!ring->pages)
		return -ENOMEM;

	for (i = 0; i <= nr_pages; i++) {
		/* Many pages take long: whoever is being killed does not want them. */
		if (!fatal_signal_pending(current))
			ring->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
		if (!ring->pages[i]) {
			ring_free_pages(ring, i);
			return -ENOMEM;
		}
		if (i)
			ring->pages[i + nr_pages] = ring->pages[i];
	}
	return 0;
}

/**
 * perf_counter_ring_init() - make a ring ready for use
 * @ring: the ring, all zero
 * @nr_pages: data pages, a power of two; 0 for a control page alone
 * @watermark: bytes between notifications; 0 for half of the data
 * @overwrite: there is no reader feedback
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_ring_init(struct perf_counter_ring *ring, unsigned int nr_pages, u64 watermark,
			   bool overwrite)
{
	int err;

	err = ring_alloc_pages(ring, nr_pages);
	if (err)
		return err;

	ring->nr_pages = nr_pages;
	ring->size = (u64)nr_pages << PAGE_SHIFT;
	ring->mask = ring->size - 1;
	ring->control = page_address(ring->pages[0]);
	ring->overwrite = overwrite;
	ring->publishers = CONTEXTS_PER_CPU * num_possible_cpus();
	if (!nr_pages)
		return 0;

	ring->shift = ilog2(ring->size);
	ring->watermark = watermark ? min(watermark, ring->size) : ring->size / 2;
	ring->commits = kvcalloc(ring->size / (RING_SLOT * RING_SLOTS_PER_WORD),
				 sizeof(*ring->commits), GFP_KERNEL | __GFP_NOWARN);
	if (!ring->commits)
		goto free_pages;
	ring->data = vmap(&ring->pages[1], 2 * nr_pages, VM_MAP, PAGE_KERNEL);
	if (!ring->data)
		goto free_commits;
	return 0;

free_commits:
	kvfree(ring->commits);
free_pages:
	ring_free_pages(ring, nr_pages + 1);
	return -ENOMEM;
}

/**
 * perf_counter_ring_destroy() - give back a ring's memory
 * @ring: an initialised ring that nobody writes any more
 *
 * Pages that a program still maps stay until it unmaps them.
 *
 * Context: may sleep.
 */
void perf_counter_ring_destroy(struct perf_counter_ring *ring)
{
	vunmap(ring->data);
	kvfree(ring->commits);
	ring_free_pages(ring, ring->nr_pages + 1);
}
