/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of record/ share: reservation and commit of records, and
 * the parts of a sample that other files than sample.c write.
 */
#ifndef _PERF_COUNTER_RECORD_INTERNAL_H
#define _PERF_COUNTER_RECORD_INTERNAL_H

#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>

#include "../counter/counter.h"
#include "../counter/desc.h"
#include "../counter/task.h"
#include "../counter/pmu.h"
#include "../counter/recorder.h"
#include "../counter/time.h"
#include "read_format.h"
#include "record.h"

static inline u64 perf_counter_record_header(u32 type, u16 misc, u16 size)
{
	union {
		struct perf_event_header	header;
		u64				word;
	} u = { .header = { .type = type, .misc = misc, .size = size } };

	return u.word;
}

/* output.c */
void perf_counter_output_lost(struct perf_counter_desc *desc, struct perf_counter_buffer *buffer,
			      struct perf_counter_ring *ring);

/* callchain.c */
int perf_counter_callchain_prepare(void);
struct perf_counter_callchain *perf_counter_callchain_get(struct perf_counter_desc *desc,
							  const struct perf_counter_sample *sample);
void perf_counter_callchain_put(struct perf_counter_callchain *chain);

/* branch_records.c */
int perf_counter_check_branches(struct perf_counter_attr *attr);
struct perf_counter_branches *perf_counter_branches_get(const struct perf_counter_desc *desc);
void perf_counter_branches_put(struct perf_counter_branches *branches);

/* regs.c */
int perf_counter_check_regs(u64 mask);
int perf_counter_check_stack(u32 size);
void perf_counter_user_regs(struct perf_regs *user, struct pt_regs *regs);
u32 perf_counter_regs_size(const struct perf_regs *from, u64 mask);
u64 __ring *perf_counter_put_regs(u64 __ring *at, const struct perf_regs *from, u64 mask);
u32 perf_counter_stack_size(const struct perf_regs *user, u32 wanted, u32 room);
u64 __ring *perf_counter_put_stack(u64 __ring *at, const struct perf_regs *user, u32 size);

/* page.c */
u64 perf_counter_phys_addr(u64 addr);
u64 perf_counter_page_size(u64 addr);

/* Return the buffer that @desc's records go to, or NULL. Preemption must be disabled. */
static __always_inline struct perf_counter_buffer *
perf_counter_desc_buffer(struct perf_counter_desc *desc)
{
	struct perf_counter_buffer *buffer = rcu_dereference_sched(desc->writer.buffer);

	return buffer && likely(buffer->nr_rings) ? buffer : NULL;
}

/*
 * Reserve @len bytes for a record. Returns the address, or NULL if the record is lost:
 * there is no room for it, or it is longer than a record can be. Preemption must be
 * disabled.
 */
static __always_inline u64 __ring *
perf_counter_record_reserve(struct perf_counter_desc *desc, struct perf_counter_buffer *buffer,
			    struct perf_counter_ring *ring, size_t len, u64 *pos)
{
	u64 __ring *at;

	if (unlikely(atomic64_read(&ring->lost)) && !READ_ONCE(ring->paused))
		perf_counter_output_lost(desc, buffer, ring);
	at = perf_counter_ring_reserve(ring, len, pos);
	if (unlikely(!at))
		atomic64_inc(&desc->writer.lost);
	return at;
}

/* Complete the record at @pos. Returns true if the reader is going to be notified. */
static __always_inline bool perf_counter_record_commit(struct perf_counter_buffer *buffer,
						       struct perf_counter_ring *ring, u64 pos,
						       u32 len)
{
	if (likely(!perf_counter_ring_commit(ring, pos, len)))
		return false;
	irq_work_queue(&buffer->notify);
	return true;
}

#endif /* _PERF_COUNTER_RECORD_INTERNAL_H */
