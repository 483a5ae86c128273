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
 * A ring that one CPU alone writes takes the same steps with exchanges that
 * are atomic on that CPU only: what interrupts a writer is done when it goes
 * on, and no other CPU looks at anything but data_head and the data.
 *
 * A ring without feedback overwrites its oldest records: published takes the
 * place of data_tail. What is being written then may be in the reader's sight,
 * so head is shown too, as data_reserved, before anything is written behind
 * it: whoever copies records first and looks at data_reserved then knows which
 * of them had been overwritten meanwhile.
 *
 * A ring that is written backward has the same positions. Only where they
 * meet memory, and in data_head, they count down from the ring's end, so that
 * data_head is where the newest record begins.
 *
 * The reader shares the control page and the data pages, and may write what
 * it likes there. data_tail is read once per attempt and clamped. data_head
 * is written, and read only to decide whether to write it, for a bounded
 * number of attempts; so is data_reserved. No writer reads the data: pointers
 * to it are of the type __ring, and ring.h has the functions that write there.
 * All else is private.
 */

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ring.h"

/* Task, softirq, irq, NMI: contexts that nest on one CPU. */
#define CONTEXTS_PER_CPU	4

/*
 * The ring's read-modify-write operations: @local, atomic on this CPU and in
 * order with what it does itself; else atomic for all and fully ordered.
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
 * Move @position forward to @to; leave it where it is @to or further. An exchange fails
 * only because another context has moved @position further.
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
 * Let the reader see @end at @at, which shows no more than @limit, except
 * where the reader wrote there itself. @negative: as minus @end.
 */
static __always_inline void ring_show(struct perf_counter_ring *ring, u64 __ring *at, u64 end,
				      atomic64_t *limit, bool negative, const bool local)
{
	unsigned int tries = ring->publishers;
	u64 *shared = (u64 __force *)at;
	u64 shown = READ_ONCE(*shared);
	u64 ahead;

	/*
	 * Another writer may have shown more already. What is ahead of the
	 * limit is the reader's own writing, and is replaced. Only writers
	 * that show less make the exchange fail, each at most once; more
	 * failures than there can be of them are the reader's doing, and its
	 * loss.
	 */
	do {
		ahead = negative ? -shown : shown;
		if (unlikely((s64)(ahead - end) >= 0)) {
			/*
			 * The limit after what is shown; partners: barrier B for
			 * data_head, R for data_reserved, after which it is shown.
			 * Or the limit might be older, and what another writer
			 * showed be taken for the reader's writing and set back.
			 *
			 * Full, so that the data_reserved of another writer is
			 * seen before what is written behind it, as is our own.
			 */
			smp_mb();
			if ((s64)(ahead - (u64)atomic64_read(limit)) <= 0)
				break;
		}
	} while (unlikely(!ring_exchange(shared, &shown, negative ? -end : end, local)) && --tries);
}

/* @plain: neither overwriting nor backward. */
static __always_inline void __ring *ring_reserve(struct perf_counter_ring *ring, size_t len,
						 u64 *pos, const bool local, const bool plain)
{
	const bool overwrite = !plain && ring->overwrite;
	const bool backward = !plain && ring->backward;
	unsigned int tries = ring->publishers;
	u64 published, given, tail;
	s64 head;

	if (unlikely(READ_ONCE(ring->paused) || len > PERF_COUNTER_RECORD_MAX))
		goto lost;

	for (;;) {
		/*
		 * Partner: barrier B. Head is not older than published, or there
		 * would be room where none is; and a record is written after what
		 * was in its place was published, not before.
		 */
		published = atomic64_read_acquire(&ring->published);

		/*
		 * The control dependency from data_tail to the stores into the
		 * record pairs with the reader's release of data_tail: what it
		 * gives up is not overwritten before it was read.
		 */
		given = overwrite ? published : ring_tail(ring, backward);
		tail = given;
		if (unlikely((s64)(tail - published) > 0))
			tail = published;

		head = atomic64_read(&ring->head);
		if (unlikely((u64)head + len - tail > ring->size)) {
			/*
			 * Not full if the ring went on between the looks ...
			 * Partner: barrier R. A head that was moved with newer
			 * positions in sight does not come with the old ones.
			 */
			smp_rmb();
			if (atomic64_read(&ring->published) != published)
				continue;
			/*
			 * ... or the reader, into whose new room others have
			 * moved head. A reader that means no harm does so less
			 * often than others can reserve.
			 */
			if (overwrite || ring_tail(ring, backward) == given || !--tries)
				goto lost;
			continue;
		}
		/*
		 * Barrier R: fully ordered when it succeeds; partner: barrier B.
		 * Not both miss: we what was published, and the publisher that
		 * there is more.
		 */
		if (likely(ring_advance(&ring->head, &head, head + len, local)))
			break;
	}

	*pos = head;
	if (overwrite) {
		ring_show(ring, ring->data_reserved, head + len, &ring->head, false, local);
		/*
		 * Partner: a reader's read barrier, between its copy and its look
		 * at data_reserved. A copy with a byte of this record in it does
		 * not come with a data_reserved from before.
		 */
		smp_wmb();
	}
	if (backward)
		head = -(head + len);
	return ring->data + (head & ring->mask);
lost:
	atomic64_inc(&ring->lost);
	return NULL;
}

/**
 * perf_counter_ring_reserve() - take room for one record
 * @ring: the ring
 * @len: bytes, a multiple of eight and more than 0
 * @pos: set to the record's position, to be handed to the commit
 *
 * This is the one place that refuses a record of more than PERF_COUNTER_RECORD_MAX bytes:
 * it is lost.
 *
 * Whoever succeeds must commit, on the same CPU and without sleeping in
 * between: an open reservation holds back what others write.
 *
 * Context: any, NMI included; preemption disabled. Of a local ring: on its CPU.
 * Return: where to write the @len bytes, or NULL when the record is lost.
 */
void __ring *perf_counter_ring_reserve(struct perf_counter_ring *ring, size_t len, u64 *pos)
{
	if (likely(!ring->overwrite && !ring->backward))
		return ring->local ? ring_reserve(ring, len, pos, true, true) :
				     ring_reserve(ring, len, pos, false, true);
	return ring->local ? ring_reserve(ring, len, pos, true, false) :
			     ring_reserve(ring, len, pos, false, false);
}

/* The word of the commit map that has the bit of the slot at @pos. */
static __always_inline atomic64_t *ring_word(struct perf_counter_ring *ring, u64 pos)
{
	return &ring->commits[(pos & ring->mask) / (RING_SLOT * RING_SLOTS_PER_WORD)];
}

/* Flip @bits of the word of commits with index @word, counted from the first lap on. */
static __always_inline void ring_flip_word(struct perf_counter_ring *ring, u64 word, u64 bits,
					   const bool local)
{
	u64 mask = ring->mask / (RING_SLOT * RING_SLOTS_PER_WORD);

	ring_xor(bits, &ring->commits[word & mask], local);
	/*
	 * Partner: the read barrier from word to word of a run. The word before
	 * is not seen flipped where this one is not.
	 */
	smp_mb__after_atomic();
}

/* Flip the words of a record from @last down to the second, @words in all; @bits of @last. */
static __always_inline void ring_flip_down(struct perf_counter_ring *ring, u64 last,
					   unsigned int words, u64 bits, const bool local)
{
	ring_flip_word(ring, last, bits, local);
	while (--words)
		ring_flip_word(ring, --last, ~0ULL, local);
}

/*
 * The part of ring_flip() for all words but the first. Returns how many slots are left for
 * the first word. A record of 64 KiB has 128 words: a whole one takes a few instructions.
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
 * Flip the commit bits of @nr slots from position @pos on. When they are in
 * several words, that of the first slot comes last: whoever finds it flipped
 * finds all of them, and so a run never ends inside of a record.
 */
static __always_inline void ring_flip(struct perf_counter_ring *ring, u64 pos, unsigned int nr,
				      const bool local)
{
	unsigned int first = (pos >> RING_SLOT_SHIFT) % RING_SLOTS_PER_WORD;

	if (unlikely(first + nr > RING_SLOTS_PER_WORD))
		nr = ring_flip_words(ring, pos, nr, local);
	ring_xor((~0ULL >> (RING_SLOTS_PER_WORD - nr)) << first, ring_word(ring, pos), local);
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
		/*
		 * Partner: the barrier between the words of a record. The next
		 * word is not older than this one, and the run does not end
		 * inside of a record.
		 */
		smp_rmb();
	}
}

/*
 * Everything before @end is published and shown. Move the mark to @end if it is a watermark
 * or more behind: then true, and the caller has to notify the reader.
 */
static noinline bool ring_reached(struct perf_counter_ring *ring, u64 end, bool local)
{
	s64 mark = atomic64_read(&ring->wake_mark);

	/*
	 * A failed exchange says that another publisher has notified, but not of @end: its
	 * mark may be a watermark or more behind. Compare again with that mark.
	 *
	 * Signed: an NMI may have moved the mark beyond @end.
	 */
	while ((s64)(end - mark) >= (s64)ring->watermark) {
		if (likely(ring_advance(&ring->wake_mark, &mark, end, local)))
			return true;
	}
	return false;
}

/*
 * Everything before @end is published: show it to the reader. Return true when the bytes
 * since the last notification reach the watermark: the caller has to notify the reader.
 */
static __always_inline bool ring_published(struct perf_counter_ring *ring, u64 end,
					   const bool local)
{
	s64 mark;

	if (local) {
		/*
		 * The record's bytes before data_head, which a local exchange
		 * does not order for others. Partner: the reader's acquire.
		 */
		smp_wmb();
	}
	ring_show(ring, ring->data_head, end, &ring->published, ring->backward, local);

	mark = atomic64_read(&ring->wake_mark);
	/* Signed, as there. */
	return unlikely((s64)(end - mark) >= (s64)ring->watermark) &&
	       ring_reached(ring, end, local);
}

/*
 * Everything before @end is published and shown. Return true when a notification was asked
 * for at a position up to @end and none has been given since; the mark is then at @end, and
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

/* Publish what is committed behind published, run by run. As ring_published(). */
static noinline bool ring_publish_runs(struct perf_counter_ring *ring, bool local)
{
	/*
	 * Partner: barrier B. Neither head nor the bits are older: a bit from a
	 * lap before the last would look committed.
	 */
	s64 published = atomic64_read_acquire(&ring->published);
	bool notify = false;
	u64 end;

	while (published != atomic64_read(&ring->head)) {
		end = ring_run_end(ring, published);
		if (end == published)
			break;
		/* Barrier B, as below. */
		if (unlikely(!ring_advance(&ring->published, &published, end, local))) {
			/* As the acquire above: what is looked at next is not older. */
			smp_rmb();
			continue;
		}
		published = end;
		notify |= ring_published(ring, end, local);
		/* After barrier B; partner: barrier C. */
		notify |= ring_answer(ring, end, local);
	}
	return notify;
}

/*
 * Publish what can be, after the commit of the record from @pos to @end: most
 * often that record alone, which was the next and the last. As ring_published().
 */
static __always_inline bool ring_publish(struct perf_counter_ring *ring, u64 pos, u64 end,
					 const bool local)
{
	s64 published = atomic64_read_acquire(&ring->published);
	bool notify = false;

	/*
	 * Barrier B: fully ordered when it succeeds; partners: R and A. Not both
	 * miss: we that there is more, and its writer what we published. It also
	 * has the records, whose bits were seen, before data_head; partner: the
	 * reader's acquire of that.
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
	 * The record's bytes before its bits; partner: barrier B, of whoever
	 * publishes it. What is shown is not seen without its bytes.
	 */
	smp_mb__before_atomic();
	ring_flip(ring, pos, len >> RING_SLOT_SHIFT, local);
	/*
	 * Barrier A: the bits before the look at published; partners: B, and A of
	 * another writer. Not both miss: we what was published, and the publisher
	 * our bits; nor two writers the bits of one another.
	 */
	smp_mb__after_atomic();
	return ring_publish(ring, pos, pos + len, local);
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
	return ring->local ? ring_commit(ring, pos, len, true) :
			     ring_commit(ring, pos, len, false);
}

/*
 * Ask for a notification of the committed record that ends at @end, whatever the watermark.
 * Return true when the record is published: the mark is then at its end or further, and the
 * caller has to notify the reader. Otherwise the context that publishes the record notifies.
 */
static bool ring_ask(struct perf_counter_ring *ring, u64 end, const bool local)
{
	u64 published;

	ring_raise(&ring->asked, end, local);
	/*
	 * Barrier C: the question before the look at published. Partner: barrier B of the
	 * publisher, which looks at the question then.
	 */
	smp_mb();
	published = atomic64_read_acquire(&ring->published);
	if (published < end)
		return false;

	/*
	 * The publisher may not have shown the record yet. A reader that is notified and
	 * sees nothing new would wait for a second notification, which does not come
	 * because the mark says that the record was notified of.
	 */
	ring_show(ring, ring->data_head, published, &ring->published, ring->backward, local);
	ring_raise(&ring->wake_mark, published, local);
	return true;
}

/**
 * perf_counter_ring_sample() - count a sample towards wakeup_events
 * @ring: the ring
 * @end: where the sample's record ends; the record is committed
 * @wakeup_events: samples from one notification to the next, at least 1
 *
 * The sample that completes @wakeup_events of them starts the count again and asks for the
 * notification, which comes when all samples counted so far are published.
 *
 * Context: as the reservation.
 * Return: true when they are published already: the caller notifies the reader.
 */
bool perf_counter_ring_sample(struct perf_counter_ring *ring, u64 end, u32 wakeup_events)
{
	const bool local = ring->local;
	s64 samples = atomic64_read(&ring->samples), next;
	u64 held_back;

	/*
	 * Barrier D: this look at published, and the store to held_back, before the exchange
	 * of samples. Partner: barrier D of the sample that completes the count, which looks
	 * at both after its exchange. A sample that it counts is either published for it, or
	 * in held_back.
	 */
	if (unlikely((u64)atomic64_read(&ring->published) < end))
		ring_raise(&ring->held_back, end, local);

	/*
	 * Counting and starting again are one exchange: of every @wakeup_events samples,
	 * exactly one asks.
	 */
	do {
		next = samples + 1 < wakeup_events ? samples + 1 : 0;
	} while (!ring_advance(&ring->samples, &samples, next, local));
	if (next)
		return false;
	held_back = atomic64_read(&ring->held_back);
	return ring_ask(ring, max(end, held_back), local);
}

/* @pages twice in a row in the kernel's address space. */
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
 * perf_counter_ring_init() - make a ring ready for use
 * @ring: the ring, all zero
 * @config: what it is to be like; the pages stay the caller's
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
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
	/* Where an exchange on one CPU is not safe from its NMIs, the other kind is used. */
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
 * perf_counter_ring_destroy() - give back what a ring has beside its pages
 * @ring: an initialised ring that nobody writes any more
 *
 * Context: may sleep.
 */
void perf_counter_ring_destroy(struct perf_counter_ring *ring)
{
	vunmap((void __force *)ring->data);
	kvfree(ring->commits);
}
