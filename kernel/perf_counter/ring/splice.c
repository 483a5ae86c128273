// SPDX-License-Identifier: GPL-2.0
/*
 * Records of perf_counter into a pipe, and from there on to wherever a pipe
 * can be spliced to, without a detour through a program's memory.
 *
 * The records are copied into pages of the pipe's own: a ring's pages are
 * written again as soon as their records are given up, while a pipe may hand
 * its pages on to somebody who looks at them much later.
 *
 * Where one record ends and the next begins is said by the records, in memory
 * that programs write to as well. What they say is checked to lie within what
 * was published; a program that spoils it gets an error or its own garbage.
 *
 * So this file reads the data of a ring, and no other does: record_size() each
 * header once, and fill_pages() bytes that the kernel does not look at.
 */

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/splice.h>

#include "buffer.h"

/* Bytes of the record at @pos, before @end; 0 if it cannot be one. */
static u32 record_size(struct perf_counter_ring *ring, u64 pos, u64 end)
{
	union {
		u64				word;
		struct perf_event_header	header;
	} u = { .word = READ_ONCE(*(u64 __force *)(ring->data + (pos & ring->mask))) };
	u32 size = u.header.size;

	if (size < sizeof(u.header) || size % RING_SLOT || size > end - pos)
		return 0;
	return size;
}

/*
 * The end of the whole records from @tail to @end of which there is @room for.
 * Returns 0 or an error: -EMSGSIZE when there is not room for one, -EIO when
 * there is something that is no record.
 */
static int records_end(struct perf_counter_ring *ring, u64 tail, u64 end, u64 room, u64 *pos)
{
	u32 size;

	for (*pos = tail; *pos != end; *pos += size) {
		size = record_size(ring, *pos, end);
		if (!size)
			return *pos == tail ? -EIO : 0;
		if (*pos + size - tail > room)
			return *pos == tail ? -EMSGSIZE : 0;
	}
	return 0;
}

static void release_page(struct splice_pipe_desc *spd, unsigned int i)
{
	__free_page(spd->pages[i]);
}

/* Copy @len bytes at @from to new pages of @spd. */
static int fill_pages(struct splice_pipe_desc *spd, const void __ring *from, size_t len)
{
	size_t part;

	for (; len; len -= part, from += part) {
		struct page *page = alloc_page(GFP_USER | __GFP_ACCOUNT);

		if (!page) {
			while (spd->nr_pages)
				release_page(spd, --spd->nr_pages);
			return -ENOMEM;
		}
		part = min(len, PAGE_SIZE);
		memcpy(page_address(page), (const void __force *)from, part);
		spd->partial[spd->nr_pages].offset = 0;
		spd->partial[spd->nr_pages].len = part;
		spd->pages[spd->nr_pages++] = page;
	}
	return 0;
}

/* @len bytes at @from to @pipe, which has room for them, or none of them. */
static ssize_t bytes_to_pipe(struct pipe_inode_info *pipe, const void __ring *from, size_t len)
{
	unsigned int nr = DIV_ROUND_UP(len, PAGE_SIZE);
	struct splice_pipe_desc spd = {
		.nr_pages_max	= nr,
		.ops		= &nosteal_pipe_buf_ops,
		.spd_release	= release_page,
	};
	ssize_t ret = -ENOMEM;

	spd.pages = kvmalloc_array(nr, sizeof(*spd.pages), GFP_KERNEL);
	spd.partial = kvcalloc(nr, sizeof(*spd.partial), GFP_KERNEL);
	if (spd.pages && spd.partial)
		ret = fill_pages(&spd, from, len);
	if (!ret)
		ret = splice_to_pipe(pipe, &spd);
	kvfree(spd.partial);
	kvfree(spd.pages);
	return ret;
}

static size_t pipe_room(struct pipe_inode_info *pipe)
{
	unsigned int used = pipe_occupancy(pipe->head, pipe->tail);

	return used < pipe->max_usage ? (size_t)(pipe->max_usage - used) * PAGE_SIZE : 0;
}

/* Whole records of @ring to @pipe, @len bytes at most. Returns bytes, or an error. */
static ssize_t ring_to_pipe(struct perf_counter_ring *ring, struct pipe_inode_info *pipe,
			    size_t len)
{
	/* Partner: the exchange that published; the records before their number. */
	u64 published = atomic64_read_acquire(&ring->published);
	u64 tail = perf_counter_ring_tail(ring);
	size_t room = pipe_room(pipe);
	u64 shown = tail, end;
	ssize_t ret;

	/* A tail ahead gives up all there is, as it does for the writers. */
	if ((s64)(tail - published) >= 0)
		return 0;
	if (published - tail > ring->size || tail % RING_SLOT)
		return -EIO;

	ret = records_end(ring, tail, published, min(len, room), &end);
	/* @len is no more than there was room for, and there will be more. */
	if (ret == -EMSGSIZE && !pipe_empty(pipe->head, pipe->tail))
		return -EAGAIN;
	if (ret)
		return ret;
	ret = bytes_to_pipe(pipe, ring->data + (tail & ring->mask), end - tail);
	/*
	 * The copy before the room; partner: the control dependency of a
	 * reservation. A program that moves the tail itself meanwhile has its way.
	 */
	if (ret > 0)
		try_cmpxchg64((u64 __force *)ring->data_tail, &shown, end);
	return ret;
}

/* What is there, from ring after ring; another one is the first next time. */
static ssize_t rings_to_pipe(struct perf_counter_buffer *buffer, struct pipe_inode_info *pipe,
			     size_t len)
{
	unsigned int i, first = buffer->splice_next++;
	size_t sum = 0;
	ssize_t ret;

	for (i = 0; i < buffer->nr_rings; i++) {
		ret = ring_to_pipe(&buffer->rings[(first + i) & (buffer->nr_rings - 1)], pipe,
				   len - sum);
		if (ret < 0)
			return sum ?: ret;
		sum += ret;
	}
	return sum;
}

static bool buffer_is_of(struct perf_counter_buffer *buffer, struct perf_counter_writer *writer)
{
	return rcu_access_pointer(writer->buffer) == buffer;
}

/* Wait for a notification, or the end. The pipe is others' meanwhile. */
static int wait_for_records(struct perf_counter_buffer *buffer, struct perf_counter_writer *writer,
			    struct pipe_inode_info *pipe)
{
	int err;

	/* A program that keeps changing its mind about data_tail can be killed. */
	if (signal_pending(current))
		return -ERESTARTSYS;
	pipe_unlock(pipe);
	err = wait_event_interruptible(writer->waitq,
				       perf_counter_buffer_readable(buffer, false) ||
				       writer->ops->over(writer) || !buffer_is_of(buffer, writer));
	pipe_lock(pipe);
	return err;
}

static ssize_t buffer_to_pipe(struct perf_counter_buffer *buffer,
			      struct perf_counter_writer *writer, struct pipe_inode_info *pipe,
			      size_t len, bool wait)
{
	ssize_t ret;
	bool over;

	for (;;) {
		/* Before the look at the rings: after it, there is nothing to come. */
		over = writer->ops->over(writer) || !buffer_is_of(buffer, writer);
		/* Partner: the exchange that published the last record. */
		smp_rmb();
		ret = 0;
		if (!wait || over || perf_counter_buffer_readable(buffer, false)) {
			mutex_lock(&buffer->splice_mutex);
			ret = rings_to_pipe(buffer, pipe, len);
			mutex_unlock(&buffer->splice_mutex);
		}
		if (ret || over)
			return ret;
		if (!wait)
			return -EAGAIN;
		ret = wait_for_records(buffer, writer, pipe);
		if (ret)
			return ret;
	}
}

/**
 * perf_counter_splice() - move whole records from a writer's buffer to a pipe
 * @writer: the writer
 * @pipe: the pipe, locked; unlocked while waiting
 * @len: bytes at most
 * @wait: for a notification, when there was none since the last records were
 *	taken; else take what is there
 *
 * Context: may sleep.
 * Return: bytes moved; 0 when nothing will come any more; -EINVAL when there is
 * no buffer, or one that overwrites or is written backward; -EAGAIN when there
 * is nothing, or not enough room in the pipe for a record; -EMSGSIZE when
 * @len is less than a record; -EIO when the program has spoiled data_tail or
 * the records; -EPIPE; -ENOMEM; -ERESTARTSYS. Whatever the error, no record
 * is lost.
 */
ssize_t perf_counter_splice(struct perf_counter_writer *writer, struct pipe_inode_info *pipe,
			    size_t len, bool wait)
{
	struct perf_counter_buffer *buffer = perf_counter_buffer_get(writer);
	ssize_t ret = -EINVAL;

	if (!buffer)
		return -EINVAL;
	if (!buffer->rings[0].overwrite && !buffer->rings[0].backward)
		ret = buffer_to_pipe(buffer, writer, pipe, len, wait);
	perf_counter_buffer_put(buffer);
	return ret;
}
