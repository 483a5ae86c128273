// SPDX-License-Identifier: GPL-2.0
/*
 * Splicing records into a pipe, and from there to any file that a pipe can be spliced
 * to, without copying them through a program's memory.
 *
 * The records are copied into new pages for the pipe: a ring's pages are overwritten as
 * soon as the reader gives the records up, while the pages of a pipe may be read much
 * later.
 *
 * The record headers say where a record ends, and programs can write to them. Each size
 * is checked to lie within the published bytes; a program that damages the headers gets
 * an error or its own garbage.
 *
 * No other file of the kernel reads the data of a ring: splice_record_size() reads each
 * header once, and splice_fill_pages() copies bytes without interpreting them.
 */

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/splice.h>

#include "buffer.h"

/* Size of the record at @pos in bytes; 0 if it is not a record or ends after @end. */
static u32 splice_record_size(struct perf_counter_ring *ring, u64 pos, u64 end)
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
 * Find the end of the whole records from @tail to @end that fit into @room bytes.
 * Returns 0 or an error: -EMSGSIZE if the first record does not fit, -EIO if it is not
 * a record.
 */
static int splice_records_end(struct perf_counter_ring *ring, u64 tail, u64 end, u64 room, u64 *pos)
{
	u32 size;

	for (*pos = tail; *pos != end; *pos += size) {
		size = splice_record_size(ring, *pos, end);
		if (!size)
			return *pos == tail ? -EIO : 0;
		if (*pos + size - tail > room)
			return *pos == tail ? -EMSGSIZE : 0;
	}
	return 0;
}

static void splice_release_page(struct splice_pipe_desc *spd, unsigned int i)
{
	__free_page(spd->pages[i]);
}

/* Copy @len bytes at @from to new pages of @spd. */
static int splice_fill_pages(struct splice_pipe_desc *spd, const void __ring *from, size_t len)
{
	size_t part;

	for (; len; len -= part, from += part) {
		struct page *page = alloc_page(GFP_USER | __GFP_ACCOUNT);

		if (!page) {
			while (spd->nr_pages)
				splice_release_page(spd, --spd->nr_pages);
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

/* Copy all of the @len bytes at @from to @pipe, which has room for them, or none of them. */
static ssize_t bytes_to_pipe(struct pipe_inode_info *pipe, const void __ring *from, size_t len)
{
	unsigned int nr = DIV_ROUND_UP(len, PAGE_SIZE);
	struct splice_pipe_desc spd = {
		.nr_pages_max	= nr,
		.ops		= &nosteal_pipe_buf_ops,
		.spd_release	= splice_release_page,
	};
	ssize_t ret = -ENOMEM;

	spd.pages = kvmalloc_array(nr, sizeof(*spd.pages), GFP_KERNEL);
	spd.partial = kvcalloc(nr, sizeof(*spd.partial), GFP_KERNEL);
	if (spd.pages && spd.partial)
		ret = splice_fill_pages(&spd, from, len);
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

/*
 * Copy whole records of @ring to @pipe, at most @len bytes. Returns the number of bytes
 * or an error.
 */
static ssize_t ring_to_pipe(struct perf_counter_ring *ring, struct pipe_inode_info *pipe,
			    size_t len)
{
	/* Pairs with the exchange that published: read published before the records. */
	u64 published = atomic64_read_acquire(&ring->published);
	u64 tail = perf_counter_ring_tail(ring);
	size_t room = pipe_room(pipe);
	u64 shown = tail, end;
	ssize_t ret;

	/*
	 * A reader that moves its tail beyond the published records has read or given up all of
	 * them. Writers treat such a tail in the same way.
	 */
	if ((s64)(tail - published) >= 0)
		return 0;
	if (published - tail > ring->size || tail % RING_SLOT)
		return -EIO;

	ret = splice_records_end(ring, tail, published, min(len, room), &end);
	/* The record may fit after the pipe has been emptied. */
	if (ret == -EMSGSIZE && !pipe_empty(pipe->head, pipe->tail))
		return -EAGAIN;
	if (ret)
		return ret;
	ret = bytes_to_pipe(pipe, ring->data + (tail & ring->mask), end - tail);
	/*
	 * Order the copy before the new tail. Pairs with the control dependency of a reservation.
	 * If the program has moved the tail meanwhile, its value stays.
	 */
	if (ret > 0)
		try_cmpxchg64((u64 __force *)ring->data_tail, &shown, end);
	return ret;
}

/*
 * Copy the records of all rings, one ring after the other. The next call begins one ring further.
 */
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

static bool splice_is_attached(struct perf_counter_buffer *buffer,
			       struct perf_counter_writer *writer)
{
	return rcu_access_pointer(writer->buffer) == buffer;
}

/* Wait for a notification or for the end of records, with the pipe unlocked. */
static int splice_wait(struct perf_counter_buffer *buffer, struct perf_counter_writer *writer,
		       struct pipe_inode_info *pipe)
{
	int err;

	/* Let a signal end a program that keeps changing data_tail. */
	if (signal_pending(current))
		return -ERESTARTSYS;
	pipe_unlock(pipe);
	err = wait_event_interruptible(writer->waitq,
				       perf_counter_buffer_readable(buffer, false) ||
				       writer->ops->over(writer) ||
				       !splice_is_attached(buffer, writer));
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
		/*
		 * Read this before the rings: if the writer has written its last record, the rings
		 * have it.
		 */
		over = writer->ops->over(writer) || !splice_is_attached(buffer, writer);
		/* Pairs with the exchange that published the last record. */
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
		ret = splice_wait(buffer, writer, pipe);
		if (ret)
			return ret;
	}
}

/**
 * perf_counter_splice() - Move whole records from a writer's buffer to a pipe
 * @writer: writer whose buffer is read
 * @pipe: pipe to write to, locked; unlocked while waiting
 * @len: maximum number of bytes
 * @wait: flag: wait for a notification if there was none since the last records were
 *	moved; otherwise move the records that there are
 *
 * No record is lost, whatever the error.
 *
 * Context: may sleep.
 * Return: number of bytes moved; 0 if no more records will come; -EINVAL without a
 * buffer, or if the buffer overwrites or is written backward; -EAGAIN without records,
 * or without room in the pipe for a record; -EMSGSIZE if @len is less than a record;
 * -EIO if the program has damaged data_tail or the records; -EPIPE; -ENOMEM;
 * -ERESTARTSYS.
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
