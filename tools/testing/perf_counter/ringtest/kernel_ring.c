// SPDX-License-Identifier: GPL-2.0
/*
 * Make rings for the functions of kernel/events/ring_buffer.c.
 */
#include "kernel_ring.h"
#include <linux/slab.h>

#include "internal.h"
#include "memory.h"

static void *pages(unsigned int nr)
{
	void *at = aligned_alloc(PAGE_SIZE, nr * PAGE_SIZE);

	if (!at)
		fail("no memory for a ring of perf_events");
	return memset(at, 0, nr * PAGE_SIZE);
}

struct perf_event *kernel_ring_open(unsigned int nr_pages)
{
	struct perf_event *event = kvcalloc(1, sizeof(*event), GFP_KERNEL);
	struct perf_buffer *rb = kvcalloc(1, sizeof(*rb) + nr_pages * sizeof(*rb->data_pages),
					  GFP_KERNEL);
	unsigned int i;

	if (!event || !rb)
		fail("no memory for a ring of perf_events");
	rb->nr_pages = nr_pages;
	rb->watermark = nr_pages * PAGE_SIZE / 2;
	rb->user_page = pages(1);
	/* The kernel maps these pages one by one; a page in a row is as good. */
	rb->data_pages[0] = pages(nr_pages);
	for (i = 1; i < nr_pages; i++)
		rb->data_pages[i] = rb->data_pages[i - 1] + PAGE_SIZE;
	event->rb = rb;
	return event;
}

void kernel_ring_close(struct perf_event *event)
{
	free(event->rb->data_pages[0]);
	free(event->rb->user_page);
	kvfree(event->rb);
	kvfree(event);
}

void kernel_ring_discard(struct perf_event *event)
{
	struct perf_event_mmap_page *page = event->rb->user_page;

	__atomic_store_n(&page->data_tail, __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
}
