// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of perf_counter, which handles bytes and positions. It does not know
 * what a counter is.
 *
 * Any number of CPUs write to one ring, each from task, softirq, irq and NMI
 * context, nested. No writer waits for another, and a reader never sees an
 * incomplete record.
 *
 * Positions count bytes since the ring was created and never wrap; they are masked
 * to address memory. The positions divide the bytes as follows:
 *
 *        data_tail        published               head
 *            |                |                     |
 *   ---------+================+#####----#####-------+---------------->
 *   read, or   complete, not    reserved: partly         free, up to
 *   given up   read yet          committed               data_tail + size
 *
 * A record takes four steps:
 *
 *  1. Reserve: move head forward by the record's size with one compare-and-
 *     exchange. There is room if the new head is at most one ring's size
 *     beyond data_tail; otherwise the record is lost and counted as lost.
 *  2. Write in place. The data pages are mapped twice in a row in the
 *     kernel's address space, so a record that crosses the end of the ring
 *     is written in one piece.
 *  3. Commit: flip the record's bits in a map with one bit per slot of eight
 *     bytes. Every lap over the ring covers every slot exactly once, so a bit
 *     that was flipped is 1 after an even lap (counted from 0) and 0 after an
 *     odd one, and no bit ever has to be cleared. If the bits of a record are
 *     in several words of the map, the word of the first slot is flipped last.
 *  4. Publish: move published over the run of committed slots that starts
 *     there, by compare-and-exchange, then raise data_head to it. A writer that
 *     finds that the run has grown publishes the other writers' records, too.
 *     A record that is reserved and not committed ends the run: an interrupted
 *     writer holds back all later records, and publishes them with its own commit.
 *
 * Why the protocol is correct:
 *
 *  - No slot is reserved again before it was published: data_tail is clamped
 *    to published, so head is never more than one ring's size ahead of
 *    published. A slot is therefore flipped once per lap, and a run that starts
 *    at published ends at head at the latest: a slot one ring's size further
 *    still has the value of the lap before.
 *  - Each committed record gets published. A writer moves head, full barrier,
 *    flips its bits, full barrier, and reads published and the run that starts
 *    there. A publisher moves published, full barrier, and reads head; if head
 *    is further, also the run that starts at published. If the publisher does
 *    not see the writer's bits or head, then the writer sees the new value of
 *    published and finds its own bits in the run there. At least one of the two
 *    publishes the record. The barriers are R, A and B below: R pairs with B
 *    for head, A with B for the bits, and A with A for the bits of two writers.
 *  - data_head only grows: it is raised by compare-and-exchange, and never
 *    lowered.
 *
 * A ring to which only one CPU writes takes the same steps with exchanges that
 * are atomic on that CPU only: code that interrupts a writer has finished when the
 * writer goes on, and other CPUs read only data_head and the data.
 *
 * A ring without reader feedback overwrites its oldest records: published takes the
 * place of data_tail. Records may be overwritten while the reader copies them, so
 * head is shown to the reader, as data_reserved, before a record is written: a
 * reader that copies records and then reads data_reserved knows which of the
 * copies are damaged.
 *
 * A ring that is written backward has the same positions. Only addresses and
 * data_head count down from the ring's end, so that data_head is where the newest
 * record begins.
 *
 * The reader shares the user page and the data pages, and may write any value
 * there. data_tail is read once per attempt and clamped. data_head and data_reserved
 * are read only to decide whether to write them, and written in a bounded number of
 * attempts. No writer reads the data: pointers to it are of the type __ring, and the
 * functions in ring.h write there. All other state is private to the kernel.
 */

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ring.h"

/* Number of contexts that nest on one CPU: task, softirq, irq, NMI. */
#define CONTEXTS_PER_CPU	4

/*
 * Read-modify-write operations of the ring. With @local they are atomic on this CPU and
 * ordered with this CPU's own accesses; otherwise atomic for all CPUs and fully
 * ordered.
 */
static __always_inline bool ring_exchange(u64 *at, u64 *old, u64 new, const bool local)
{
	return local ? try_cmpxchg_local(at, old, new) : try_cmpxchg64(at, old, new);
}

static __always_inline bool ring_advance(atomic64_t *position, s64 *old, s64 new, const bool local)
{
	return local ? try_cmpxchg_local(&position->counter, old, new) :
		       atomic64_try_cmpxchg(position, old, new);
}

/*
 * Move @position forward to @to if it is not there or further already. An exchange fails only if
 * another context has moved @position further.
 */
static __always_inline void ring_raise(atomic64_t *position, s64 to, const bool local)
{
	s64 at = atomic64_read(position);

	while (at < to && !ring_advance(position, &at, to, local))
		;
}

static __always_inline void ring_xor(u64 bits, atomic64_t *word, const bool local)
{
	s64 old;

	if (!local) {
		atomic64_xor(bits, word);
		return;
	}
	old = atomic64_read(word);
	while (!try_cmpxchg_local(&word->counter, &old, old ^ bits))
		;
}

/*
 * Show the position @end to the reader at @at. Never lower the value shown, except a
 * value above @limit, which the reader itself must have written. @negative: show minus
 * @end.
 */
static __always_inline void ring_show(struct perf_counter_ring *ring, u64 __ring *at, u64 end,
				      atomic64_t *limit, bool negative, const bool local)
{
	unsigned int tries = ring->publishers;
	u64 *shared = (u64 __force *)at;
	u64 shown = READ_ONCE(*shared);
	u64 ahead;

	/*
	 * Another writer may have shown a higher position already. A position above the
	 * limit was written by the reader and is replaced. The exchange fails if
	 * another writer shows a lower position, at most once for each writer; more
	 * failures are caused by the reader, which then sees an old position.
	 */
	do {
		ahead = negative ? -shown : shown;
		if (unlikely((s64)(ahead - end) >= 0)) {
			/*
			 * Read the limit after the shown position. Pairs with barrier B
			 * for data_head and with barrier R for data_reserved: positions
			 * are shown after the barrier. If the limit were older than the
			 * position, a position shown by another writer would be mistaken
			 * for the reader's and set back.
			 *
			 * A full barrier, so that another writer's data_reserved is
			 * seen before the record that is written next, like this
			 * writer's own data_reserved.
			 */
			smp_mb();
			if ((s64)(ahead - (u64)atomic64_read(limit)) <= 0)
				break;
		}
	} while (unlikely(!ring_exchange(shared, &shown, negative ? -end : end, local)) && --tries);
}

/* Count a record that is not written. */
static __always_inline void __ring *ring_lose(struct perf_counter_ring *ring)
{
	atomic64_inc(&ring->lost);
	return NULL;
}

/* Reserve room for a record. @plain: the ring is neither overwriting nor backward. */
static __always_inline void __ring *ring_reserve(struct perf_counter_ring *ring, size_t len,
						 u64 *pos, const bool local, const bool plain)
{
	const bool overwrite = !plain && ring->overwrite;
	const bool backward = !plain && ring->backward;
	unsigned int tries = ring->publishers;
	u64 published, given, tail;
	s64 head;

	for (;;) {
		/*
		 * Pairs with barrier B. Read head after published: with an older head, there would
		 * seem to be room that is taken. Also, write the record only after the record in
		 * its place was published.
		 */
		published = atomic64_read_acquire(&ring->published);

		/*
		 * The control dependency from data_tail to the stores into the record
		 * pairs with the reader's release of data_tail: the reader has finished
		 * reading the bytes that are overwritten.
		 */
		given = overwrite ? published : ring_tail(ring, backward);
		tail = given;
		if (unlikely((s64)(tail - published) > 0))
			tail = published;

		head = atomic64_read(&ring->head);
		if (unlikely((u64)head + len - tail > ring->size)) {
			/*
			 * The ring is not full if published has moved since it was read. Pairs
			 * with barrier R: if the context that moved the head had seen a newer
			 * published, the read below sees it, too.
			 */
			smp_rmb();
			if (atomic64_read(&ring->published) != published)
				continue;
			/*
			 * The ring is not full either if the reader has made room
			 * since, and other writers have moved head into it. A
			 * well-behaved reader does that less often than other contexts
			 * can reserve.
			 */
			if (overwrite || ring_tail(ring, backward) == given || !--tries)
				goto lost;
			continue;
		}
		/*
		 * Barrier R: a successful exchange is fully ordered. Pairs with barrier B. Either
		 * this writer sees the new value of published, or the publisher sees the new head.
		 */
		if (likely(ring_advance(&ring->head, &head, head + len, local)))
			break;
	}

	*pos = head;
	if (overwrite) {
		ring_show(ring, ring->data_reserved, head + len, &ring->head, false, local);
		/*
		 * Pairs with the reader's read barrier between copying records and reading
		 * data_reserved. If a copy has a byte of this record, the reader then reads the
		 * new data_reserved.
		 */
		smp_wmb();
	}
	if (backward)
		head = -(head + len);
	return ring->data + (head & ring->mask);
lost:
	return ring_lose(ring);
}

/* Out of line, so that other rings save fewer registers. */
static noinline void __ring *ring_reserve_special(struct perf_counter_ring *ring, size_t len,
						  u64 *pos)
{
	return ring->local ? ring_reserve(ring, len, pos, true, false) :
			     ring_reserve(ring, len, pos, false, false);
}

/**
 * perf_counter_ring_reserve() - Reserve room for a record
 * @ring: ring to write to
 * @len: size of the record in bytes, a multiple of 8, not 0
 * @pos: set to the record's position, an argument of perf_counter_ring_commit()
 *
 * The only function that refuses records of more than PERF_COUNTER_RECORD_MAX bytes;
 * they count as lost.
 *
 * After a success, the caller must commit the record on the same CPU without sleeping:
 * an open reservation holds back all later records.
 *
 * Context: any, NMI included; preemption disabled. For a local ring: on the CPU that
 * writes to it.
 * Return: address of the @len bytes, or NULL if the record is lost.
 */
void __ring *perf_counter_ring_reserve(struct perf_counter_ring *ring, size_t len, u64 *pos)
{
	if (unlikely(READ_ONCE(ring->paused) || len > PERF_COUNTER_RECORD_MAX))
		return ring_lose(ring);
	if (unlikely(ring->overwrite || ring->backward))
		return ring_reserve_special(ring, len, pos);
	return ring->local ? ring_reserve(ring, len, pos, true, true) :
			     ring_reserve(ring, len, pos, false, true);
}

/* Return the word of the commit map that has the bit of the slot at @pos. */
static __always_inline atomic64_t *ring_word(struct perf_counter_ring *ring, u64 pos)
{
	return &ring->commits[(pos & ring->mask) / (RING_SLOT * RING_SLOTS_PER_WORD)];
}

/*
 * Flip @bits of word number @word of the commit map. Words are numbered through all laps, without
 * restarting at 0.
 */
static __always_inline void ring_flip_word(struct perf_counter_ring *ring, u64 word, u64 bits,
					   const bool local)
{
	u64 mask = ring->mask / (RING_SLOT * RING_SLOTS_PER_WORD);

	ring_xor(bits, &ring->commits[word & mask], local);
	/*
	 * Pairs with the smp_rmb() in ring_run_end(). If a publisher sees the previous word
	 * flipped, it sees this word flipped, too.
	 */
	smp_mb__after_atomic();
}

/*
 * Flip @words words of the commit map, downward from word number @last: @bits in word @last, and
 * all bits in the other words.
 */
static __always_inline void ring_flip_down(struct perf_counter_ring *ring, u64 last,
					   unsigned int words, u64 bits, const bool local)
{
	ring_flip_word(ring, last, bits, local);
	while (--words)
		ring_flip_word(ring, --last, ~0ULL, local);
}

/*
 * Flip the commit bits of a record in all of its words except the first. Returns the number of
 * slots in the first word. Out of line, because few records have their bits in several words. A
 * record of 64 KiB has 128 words.
 */
static noinline unsigned int ring_flip_words(struct perf_counter_ring *ring, u64 pos,
					     unsigned int nr, bool local)
{
	unsigned int first = (pos >> RING_SLOT_SHIFT) % RING_SLOTS_PER_WORD;
	unsigned int words = (first + nr - 1) / RING_SLOTS_PER_WORD;
	u64 last = pos / (RING_SLOT * RING_SLOTS_PER_WORD) + words;
	u64 bits = ~0ULL >> (RING_SLOTS_PER_WORD - 1 - (first + nr - 1) % RING_SLOTS_PER_WORD);

	if (local)
		ring_flip_down(ring, last, words, bits, true);
	else
		ring_flip_down(ring, last, words, bits, false);
	return RING_SLOTS_PER_WORD - first;
}

/*
 * Flip the commit bits of @nr slots from position @pos on. If they are in several
 * words, the word of the first slot is flipped last: a publisher that sees it flipped
 * sees all of them flipped, so that a run never ends inside of a record.
 */
static __always_inline void ring_flip(struct perf_counter_ring *ring, u64 pos, unsigned int nr,
				      const bool local)
{
	unsigned int first = (pos >> RING_SLOT_SHIFT) % RING_SLOTS_PER_WORD;

	if (unlikely(first + nr > RING_SLOTS_PER_WORD))
		nr = ring_flip_words(ring, pos, nr, local);
	ring_xor((~0ULL >> (RING_SLOTS_PER_WORD - nr)) << first, ring_word(ring, pos), local);
}

/* Return the end of the run of committed slots that starts at @pos. */
static noinline u64 ring_run_end(struct perf_counter_ring *ring, u64 pos)
{
	for (;;) {
		unsigned int first = (pos >> RING_SLOT_SHIFT) % RING_SLOTS_PER_WORD;
		u64 word = atomic64_read(ring_word(ring, pos));

		/* From here on, a set bit means that the slot is not committed. */
		if (!(pos >> ring->shift & 1))
			word = ~word;
		word >>= first;
		if (likely(word))
			return pos + ((u64)__ffs64(word) << RING_SLOT_SHIFT);

		/*
		 * All slots up to the end of this word are committed: a word belongs to
		 * a single lap.
		 */
		pos += (RING_SLOTS_PER_WORD - first) * RING_SLOT;
		/*
		 * Pairs with the barrier in ring_flip_word(). The next word is not older than this
		 * one, so that the run does not end inside of a record.
		 */
		smp_rmb();
	}
}

/*
 * Move wake_mark to @end if that is a watermark or more further. All records before @end must be
 * published and shown. Returns true if the caller has to notify the reader.
 */
static noinline bool ring_reached(struct perf_counter_ring *ring, u64 end, bool local)
{
	s64 mark = atomic64_read(&ring->wake_mark);

	/*
	 * After a failed exchange, another publisher has notified, but not for @end: its mark may
	 * still be a watermark or more before @end. Compare again with that mark.
	 *
	 * The comparison is signed: an NMI may have moved the mark beyond @end.
	 */
	while ((s64)(end - mark) >= (s64)ring->watermark) {
		if (likely(ring_advance(&ring->wake_mark, &mark, end, local)))
			return true;
	}
	return false;
}

/*
 * Show the reader that all records before @end are published. Returns true if the bytes
 * since the last notification reach the watermark: the caller has to notify the reader.
 */
static __always_inline bool ring_published(struct perf_counter_ring *ring, u64 end,
					   const bool local)
{
	s64 mark;

	if (local) {
		/*
		 * Make the record's bytes visible before data_head: a local exchange does not
		 * order them for other CPUs. Pairs with the reader's acquire of data_head.
		 */
		smp_wmb();
	}
	ring_show(ring, ring->data_head, end, &ring->published, ring->backward, local);

	mark = atomic64_read(&ring->wake_mark);
	/* Signed, because an NMI may have moved the mark beyond @end. */
	return unlikely((s64)(end - mark) >= (s64)ring->watermark) &&
	       ring_reached(ring, end, local);
}

/*
 * Check whether a notification was requested for a position up to @end and has not been given. All
 * records before @end must be published and shown. If so, move wake_mark to @end and return true:
 * the caller has to notify the reader.
 */
static bool ring_answer(struct perf_counter_ring *ring, u64 end, bool local)
{
	s64 asked = atomic64_read(&ring->asked);
	s64 mark = atomic64_read(&ring->wake_mark);

	while (unlikely(asked > mark && asked <= (s64)end)) {
		if (ring_advance(&ring->wake_mark, &mark, end, local))
			return true;
	}
	return false;
}

/*
 * Publish all committed records, run by run. Returns true if the caller has to notify
 * the reader.
 */
static noinline bool ring_publish_runs(struct perf_counter_ring *ring, bool local)
{
	/*
	 * Pairs with barrier B. Read head and the bits after published: bits that are two laps old
	 * would look committed.
	 */
	s64 published = atomic64_read_acquire(&ring->published);
	bool notify = false;
	u64 end;

	while (published != atomic64_read(&ring->head)) {
		end = ring_run_end(ring, published);
		if (end == published)
			break;
		/* Barrier B, see ring_publish(). */
		if (unlikely(!ring_advance(&ring->published, &published, end, local))) {
			/*
			 * Order the next reads after the failed exchange, like the
			 * acquire above.
			 */
			smp_rmb();
			continue;
		}
		published = end;
		notify |= ring_published(ring, end, local);
		/* Read the request after barrier B. Pairs with barrier C. */
		notify |= ring_answer(ring, end, local);
	}
	return notify;
}

/*
 * Publish after the commit of the record from @pos to @end. Usually, that is the only record to
 * publish. Returns true if the caller has to notify the reader.
 */
static __always_inline bool ring_publish(struct perf_counter_ring *ring, u64 pos, u64 end,
					 const bool local)
{
	s64 published = atomic64_read_acquire(&ring->published);
	bool notify = false;

	/*
	 * Barrier B: a successful exchange is fully ordered. Pairs with barriers R and A. Either
	 * this context sees the other writer's head and bits, or that writer sees the new value of
	 * published. The exchange also orders the published records before data_head, and pairs
	 * with the reader's acquire of data_head.
	 */
	if (likely(published == pos) &&
	    likely(ring_advance(&ring->published, &published, end, local))) {
		notify = ring_published(ring, end, local);
		published = end;
	}
	if (likely(published == atomic64_read(&ring->head)))
		return notify;
	return ring_publish_runs(ring, local) | notify;
}

static __always_inline bool ring_commit(struct perf_counter_ring *ring, u64 pos, u32 len,
					const bool local)
{
	/*
	 * Order the record's bytes before its bits. Pairs with barrier B of the publisher, so that
	 * the reader does not see data_head without the bytes.
	 */
	smp_mb__before_atomic();
	ring_flip(ring, pos, len >> RING_SLOT_SHIFT, local);
	/*
	 * Barrier A: order the bits before the read of published. Pairs with barrier B, and with
	 * barrier A of another writer. Either this writer sees the new value of published, or the
	 * publisher sees its bits. Of two writers, at least one sees the other's bits.
	 */
	smp_mb__after_atomic();
	return ring_publish(ring, pos, pos + len, local);
}

/**
 * perf_counter_ring_commit() - Complete a record
 * @ring: ring of the record
 * @pos: position of the record, from the reservation
 * @len: size of the record in bytes, as reserved
 *
 * Context: on the CPU of the reservation, without having slept since.
 * Return: true if the bytes published since the last notification reach the watermark:
 * the caller has to notify the reader.
 */
bool perf_counter_ring_commit(struct perf_counter_ring *ring, u64 pos, u32 len)
{
	return ring->local ? ring_commit(ring, pos, len, true) :
			     ring_commit(ring, pos, len, false);
}

/*
 * Request a notification for the committed record that ends at @end, regardless of the
 * watermark. Returns true if the record is published: wake_mark is at its end or
 * further, and the caller has to notify the reader. Otherwise the context that
 * publishes the record notifies.
 */
static bool ring_ask(struct perf_counter_ring *ring, u64 end, const bool local)
{
	u64 published;

	ring_raise(&ring->asked, end, local);
	/*
	 * Barrier C: order the request before the read of published. Pairs with barrier B of the
	 * publisher, which reads the request afterwards.
	 */
	smp_mb();
	published = atomic64_read_acquire(&ring->published);
	if (published < end)
		return false;

	/*
	 * The publisher may not have shown the record yet. A notified reader that sees
	 * no new record would wait for another notification, which would not come
	 * because wake_mark says that the record has been notified.
	 */
	ring_show(ring, ring->data_head, published, &ring->published, ring->backward, local);
	ring_raise(&ring->wake_mark, published, local);
	return true;
}

/**
 * perf_counter_ring_sample() - Count a sample for wakeup_events
 * @ring: ring of the sample
 * @end: position of the end of the sample's record, which is committed
 * @wakeup_events: number of samples per notification, at least 1
 *
 * The last one of @wakeup_events samples resets the count and requests a notification,
 * which is given when all samples counted so far are published.
 *
 * Context: on the CPU of the reservation, without having slept since.
 * Return: true if all samples counted so far are published: the caller has to notify the
 * reader.
 */
bool perf_counter_ring_sample(struct perf_counter_ring *ring, u64 end, u32 wakeup_events)
{
	const bool local = ring->local;
	s64 samples = atomic64_read(&ring->samples), next;
	u64 held_back;

	/*
	 * Barrier D: order this read of published and the store to held_back before the exchange
	 * of samples. Pairs with barrier D of the sample that completes the count, which reads
	 * published and held_back after its exchange: each sample that it counts is either
	 * published or in held_back.
	 */
	if (unlikely((u64)atomic64_read(&ring->published) < end))
		ring_raise(&ring->held_back, end, local);

	/*
	 * Count and reset by a single exchange, so that exactly one of every @wakeup_events
	 * samples requests a notification.
	 */
	do {
		next = samples + 1 < wakeup_events ? samples + 1 : 0;
	} while (!ring_advance(&ring->samples, &samples, next, local));
	if (next)
		return false;
	held_back = atomic64_read(&ring->held_back);
	return ring_ask(ring, max(end, held_back), local);
}

/* Map @pages twice in a row in the kernel's address space. */
static void *ring_map(struct page **pages, unsigned int nr_pages)
{
	struct page **twice;
	void *data;

	twice = kvmalloc_array(2 * (size_t)nr_pages, sizeof(*twice),
			       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!twice)
		return NULL;
	memcpy(twice, pages, nr_pages * sizeof(*twice));
	memcpy(twice + nr_pages, pages, nr_pages * sizeof(*twice));
	data = vmap(twice, 2 * nr_pages, VM_MAP, PAGE_KERNEL);
	kvfree(twice);
	return data;
}

/**
 * perf_counter_ring_init() - Initialize a ring
 * @ring: ring, zeroed
 * @config: properties of the ring; the pages still belong to the caller
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int perf_counter_ring_init(struct perf_counter_ring *ring,
			   const struct perf_counter_ring_config *config)
{
	u64 size = (u64)config->nr_pages << PAGE_SHIFT;

	ring->data_head = config->data_head;
	ring->data_tail = config->data_tail;
	ring->data_reserved = config->data_reserved;
	ring->size = size;
	ring->mask = size - 1;
	ring->shift = ilog2(size);
	ring->watermark = config->watermark ? min(config->watermark, size) : size / 2;
	ring->publishers = CONTEXTS_PER_CPU * num_possible_cpus();
	ring->overwrite = config->overwrite;
	ring->backward = config->backward;
	/*
	 * Use exchanges for all CPUs if an NMI could break an exchange that is local to this CPU.
	 */
	ring->local = config->local && IS_ENABLED(CONFIG_ARCH_HAS_NMI_SAFE_THIS_CPU_OPS);

	ring->commits = kvcalloc(size / (RING_SLOT * RING_SLOTS_PER_WORD), sizeof(*ring->commits),
				 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!ring->commits)
		return -ENOMEM;
	ring->data = (void __force __ring *)ring_map(config->pages, config->nr_pages);
	if (!ring->data) {
		kvfree(ring->commits);
		return -ENOMEM;
	}
	return 0;
}

/**
 * perf_counter_ring_destroy() - Free the memory of a ring except its pages
 * @ring: initialized ring to which no context writes any more
 *
 * Context: may sleep.
 */
void perf_counter_ring_destroy(struct perf_counter_ring *ring)
{
	vunmap((void __force *)ring->data);
	kvfree(ring->commits);
}
