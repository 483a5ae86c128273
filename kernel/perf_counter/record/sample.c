// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of perf_counter: what a SAMPLE record contains.
 *
 * The fields are a table, in the order that they have in a record. A row is
 *
 *	WORD(bit, name)		of eight bytes, which name() gives
 *	SIZED(bit, name)	of as many bytes as name_size() says at the moment, which
 *				put_name() writes
 *
 * where bit is PERF_SAMPLE_bit of attr.sample_type. The sample types that there are,
 * the size that is known when a counter is opened, and the code that writes a record
 * follow from it: a field is added by adding a row, and what it names. What is made
 * of the rows is the table's parameter, a prefix of the two macros.
 *
 * The table is in parts: most samples have fields of the first alone, and each of the
 * others is passed over at once where nothing of it is asked for.
 */

#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "internal.h"

/**
 * struct sampling - a sample that is being written
 * @counter: whose it is
 * @desc: of @counter
 * @sample: what was handed over
 * @regs: where the event happened
 * @members: for how many members of its group there is room, besides the leader
 * @chain: its call chain
 * @user_regs: those of user mode
 * @intr_regs: those of the event
 * @stack_size: bytes of the user's stack
 * @branches: those before it
 */
struct sampling {
	struct perf_counter			*counter;
	struct perf_counter_desc		*desc;
	const struct perf_counter_sample	*sample;
	struct pt_regs				*regs;
	unsigned int				members;
	struct perf_counter_callchain		*chain;
	struct perf_regs			user_regs;
	struct perf_regs			intr_regs;
	u32					stack_size;
	struct perf_counter_branches		*branches;
};

#define FIRST_FIELDS(DO)					\
do {								\
	DO##_WORD(IDENTIFIER, id);				\
	DO##_WORD(IP, ip);					\
	DO##_WORD(TID, ids);					\
	DO##_WORD(TIME, time);					\
} while (0)

#define NEXT_FIELDS(DO)						\
do {								\
	DO##_WORD(ADDR, addr);					\
	DO##_WORD(ID, id);					\
	DO##_WORD(STREAM_ID, stream_id);			\
	DO##_WORD(CPU, cpu);					\
	DO##_WORD(PERIOD, period);				\
} while (0)

#define SIZED_FIELDS(DO)					\
do {								\
	DO##_SIZED(READ, values);				\
	DO##_SIZED(CALLCHAIN, callchain);			\
} while (0)

#define RARE_FIELDS(DO)						\
do {								\
	DO##_SIZED(RAW, raw);					\
	DO##_SIZED(BRANCH_STACK, branches);			\
	DO##_SIZED(REGS_USER, user_regs);			\
	DO##_SIZED(STACK_USER, stack);				\
	DO##_WORD(WEIGHT, weight);				\
	DO##_WORD(WEIGHT_STRUCT, weight);			\
	DO##_WORD(DATA_SRC, data_src);				\
	DO##_WORD(TRANSACTION, transaction);			\
	DO##_SIZED(REGS_INTR, intr_regs);			\
	DO##_WORD(PHYS_ADDR, phys_addr);			\
	DO##_WORD(CGROUP, cgroup);				\
	DO##_WORD(DATA_PAGE_SIZE, data_page_size);		\
	DO##_WORD(CODE_PAGE_SIZE, code_page_size);		\
} while (0)

/* === The fields === */

static __always_inline u64 id(const struct sampling *s)
{
	return s->desc->id;
}

static __always_inline u64 ip(const struct sampling *s)
{
	return s->sample->ip ?: perf_counter_sample_exact(s->sample) ?:
	       instruction_pointer(s->regs);
}

static __always_inline u64 ids(const struct sampling *s)
{
	if (likely(s->desc->ns == &init_pid_ns))
		return perf_counter_two_words(current->tgid, current->pid);
	return perf_counter_ids(s->desc, current);
}

static __always_inline u64 time(const struct sampling *s)
{
	return s->desc->clock();
}

static __always_inline u64 addr(const struct sampling *s)
{
	return s->sample->addr;
}

static __always_inline u64 stream_id(const struct sampling *s)
{
	return s->counter->stream_id;
}

static __always_inline u64 cpu(const struct sampling *s)
{
	return perf_counter_two_words(smp_processor_id(), 0);
}

static __always_inline u64 period(const struct sampling *s)
{
	return s->sample->period;
}

static u32 values_size(struct sampling *s)
{
	s->members = READ_ONCE(READ_ONCE(s->counter->leader)->nr_members);
	return perf_counter_read_size(s->desc, s->members);
}

static u64 __ring *put_values(u64 __ring *at, const struct sampling *s)
{
	/* Counters of the PMU are read where they are, as long as they are. */
	guard(irqsave)();
	return perf_counter_put_values(at, s->counter, perf_counter_event_time(s->counter),
				       s->members);
}

static u32 callchain_size(const struct sampling *s)
{
	return sizeof(u64) * (1 + s->chain->nr);
}

static u64 __ring *put_callchain(u64 __ring *at, const struct sampling *s)
{
	at = ring_put(at, s->chain->nr);
	return ring_put_bytes(at, s->chain->ips, sizeof(u64) * s->chain->nr);
}

static const struct perf_counter_sample_extra *extra(const struct sampling *s)
{
	static const struct perf_counter_sample_extra unknown = {
		.data_src = PERF_COUNTER_DATA_SRC_NA,
	};

	return s->sample->extra ?: &unknown;
}

/* 32 bits with the size, and data; zeros at the end fill the last eight bytes. */
static u32 raw_size(const struct sampling *s)
{
	return ALIGN(sizeof(u32) + extra(s)->raw_size, sizeof(u64));
}

static u64 __ring *put_raw(u64 __ring *at, const struct sampling *s)
{
	u32 size = raw_size(s), data_size = size - sizeof(u32);
	u64 __ring *end = at + size / sizeof(u64);

	ring_put(end - 1, 0);
	ring_copy(at, &data_size, sizeof(data_size));
	if (likely(extra(s)->raw_size))
		ring_copy((void __ring *)at + sizeof(data_size), extra(s)->raw,
			  extra(s)->raw_size);
	return end;
}

static bool has_branch_index(const struct sampling *s)
{
	return s->desc->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX;
}

static u32 branches_size(const struct sampling *s)
{
	return sizeof(u64) * (1 + has_branch_index(s)) +
	       sizeof(struct perf_branch_entry) * s->branches->nr;
}

static u64 __ring *put_branches(u64 __ring *at, const struct sampling *s)
{
	size_t size = sizeof(struct perf_branch_entry) * s->branches->nr;

	at = ring_put(at, s->branches->nr);
	if (has_branch_index(s))
		at = ring_put(at, s->branches->index);
	return ring_put_bytes(at, s->branches->entries, size);
}

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
/* Registers of the PMU itself, behind all others: of its own events, it is asked for them. */
#define PMU_REGS	GENMASK_ULL(PERF_REG_EXTENDED_MAX - 1, PERF_REG_POWERPC_SIER)

static bool has_pmu_regs(const struct perf_counter_desc *desc)
{
	return desc->pmu->reg;
}

static u64 __ring *put_regs(u64 __ring *at, const struct sampling *s,
			    const struct perf_regs *from, u64 mask)
{
	u64 (*pmu_reg)(unsigned int nr) = s->desc->pmu->reg;
	u64 of_pmu = pmu_reg && from->abi ? mask & PMU_REGS : 0;

	at = perf_counter_put_regs(at, from, mask & ~of_pmu);
	for (; of_pmu; of_pmu &= of_pmu - 1)
		at = ring_put(at, pmu_reg(__ffs64(of_pmu)));
	return at;
}
#else
static bool has_pmu_regs(const struct perf_counter_desc *desc)
{
	return false;
}

static u64 __ring *put_regs(u64 __ring *at, const struct sampling *s,
			    const struct perf_regs *from, u64 mask)
{
	return perf_counter_put_regs(at, from, mask);
}
#endif

static u32 user_regs_size(const struct sampling *s)
{
	return perf_counter_regs_size(&s->user_regs, s->desc->attr.sample_regs_user);
}

static u64 __ring *put_user_regs(u64 __ring *at, const struct sampling *s)
{
	return put_regs(at, s, &s->user_regs, s->desc->attr.sample_regs_user);
}

static u32 intr_regs_size(struct sampling *s)
{
	/* An event that interrupted nothing has none; nor has one elsewhere than its interrupt. */
	if (!s->sample->ip && s->regs != &perf_counter_no_regs)
		s->intr_regs = (struct perf_regs) { perf_reg_abi(current), s->regs };
	return perf_counter_regs_size(&s->intr_regs, s->desc->attr.sample_regs_intr);
}

static u64 __ring *put_intr_regs(u64 __ring *at, const struct sampling *s)
{
	return put_regs(at, s, &s->intr_regs, s->desc->attr.sample_regs_intr);
}

/* Its own size; how much there is of it is what the other fields leave. */
static u32 stack_size(const struct sampling *s)
{
	return sizeof(u64);
}

static u64 __ring *put_stack(u64 __ring *at, const struct sampling *s)
{
	return perf_counter_put_stack(at, &s->user_regs, s->stack_size);
}

static u64 weight(const struct sampling *s)
{
	return extra(s)->weight.full;
}

static u64 data_src(const struct sampling *s)
{
	return extra(s)->data_src.val;
}

static u64 transaction(const struct sampling *s)
{
	return extra(s)->transaction;
}

static u64 phys_addr(const struct sampling *s)
{
	return perf_counter_phys_addr(addr(s));
}

/* The id of the task's control group, in the default hierarchy; 0 without any. */
static u64 cgroup(const struct sampling *s)
{
#ifdef CONFIG_CGROUPS
	guard(rcu)();
	return cgroup_id(task_dfl_cgroup(current));
#else
	return 0;
#endif
}

static u64 data_page_size(const struct sampling *s)
{
	return perf_counter_page_size(addr(s));
}

static u64 code_page_size(const struct sampling *s)
{
	return s->sample->guest ? 0 : perf_counter_page_size(ip(s));
}

/* === What follows from the table === */

/* Whatever else a sample has, there is room for raw data of any size; the stack goes last. */
static_assert(sizeof(struct perf_event_header) + BITS_PER_TYPE(u64) * sizeof(u64) +
	      PERF_COUNTER_READ_SIZE_MAX + sizeof(struct perf_counter_callchain) +
	      sizeof(struct perf_counter_branches) +
	      2 * BITS_PER_TYPE(u64) * sizeof(u64) +
	      ALIGN(sizeof(u32) + PERF_COUNTER_RAW_MAX, sizeof(u64)) <= PERF_COUNTER_RECORD_MAX);

/* To the sample types that are collected. */
#define TYPES_WORD(bit, ...)	(bits |= PERF_SAMPLE_##bit)
#define TYPES_SIZED(bit, ...)	(bits |= PERF_SAMPLE_##bit)
#define WORDS_WORD(bit, ...)	(bits |= PERF_SAMPLE_##bit)
#define WORDS_SIZED(...)	((void)0)

/* Those of eight bytes each; a constant, like the next three. */
static __always_inline u64 word_types(void)
{
	u64 bits;

	bits = 0;
	FIRST_FIELDS(WORDS);
	NEXT_FIELDS(WORDS);
	SIZED_FIELDS(WORDS);
	RARE_FIELDS(WORDS);
	return bits;
}

static __always_inline u64 next_types(void)
{
	u64 bits;

	bits = 0;
	NEXT_FIELDS(TYPES);
	return bits;
}

static __always_inline u64 sized_types(void)
{
	u64 bits;

	bits = 0;
	SIZED_FIELDS(TYPES);
	return bits;
}

static __always_inline u64 rare_types(void)
{
	u64 bits;

	bits = 0;
	RARE_FIELDS(TYPES);
	return bits;
}

/* Those that need a look at other fields of attr. */
#define CHECKED_TYPES	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR |	\
			 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK)

/**
 * perf_counter_check_sample() - refuse samples that there are not
 * @attr: an attr as it came from a program; its branch_sample_type gets what it means, if
 *	samples have branches
 *
 * Return: 0; -EINVAL for a sample type that this version does not know, and for what
 * contradicts itself; -EOPNOTSUPP for one that this architecture has not.
 */
int perf_counter_check_sample(struct perf_counter_attr *attr)
{
	u64 types = attr->sample_type;
	int err = 0;

	if (types & ~(word_types() | sized_types() | rare_types()))
		return -EINVAL;
	if ((types & PERF_SAMPLE_WEIGHT_TYPE) == PERF_SAMPLE_WEIGHT_TYPE)
		return -EINVAL;
	if (likely(!(types & CHECKED_TYPES)))
		return 0;
	if (types & PERF_SAMPLE_REGS_USER)
		err = perf_counter_check_regs(attr->sample_regs_user);
	if (!err && (types & PERF_SAMPLE_REGS_INTR))
		err = perf_counter_check_regs(attr->sample_regs_intr);
	if (!err && (types & PERF_SAMPLE_STACK_USER))
		err = perf_counter_check_stack(attr->sample_stack_user);
	if (!err && (types & PERF_SAMPLE_BRANCH_STACK))
		err = perf_counter_check_branches(attr);
	return err;
}

/**
 * perf_counter_sample_init() - prepare for the samples of a descriptor
 * @desc: the descriptor, with its attr; sample_header is filled in
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for registers that no event here knows; -ENOMEM.
 */
int perf_counter_sample_init(struct perf_counter_desc *desc)
{
	u64 regs = desc->attr.sample_regs_user | desc->attr.sample_regs_intr;
	u64 types = desc->attr.sample_type;

	if ((regs & PERF_REG_EXTENDED_MASK) && !has_pmu_regs(desc))
		return -EOPNOTSUPP;
	/* Who only counts has no samples. */
	if (!desc->attr.sample_period)
		return 0;
	desc->sample_header = (struct perf_event_header) {
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_KERNEL,
		.size = sizeof(desc->sample_header) +
			sizeof(u64) * hweight64(types & word_types()),
	};
	if (types & PERF_SAMPLE_CALLCHAIN)
		return perf_counter_callchain_prepare();
	return 0;
}

#define PUT_WORD(bit, name)					\
do {								\
	if (types & PERF_SAMPLE_##bit)				\
		at = ring_put(at, name(s));				\
} while (0)

#define PUT_SIZED(bit, name)					\
do {								\
	if (types & PERF_SAMPLE_##bit)				\
		at = put_##name(at, s);				\
} while (0)

#define SIZE_WORD(...)		((void)0)
#define SIZE_SIZED(bit, name)					\
do {								\
	if (types & PERF_SAMPLE_##bit)				\
		len += name##_size(s);				\
} while (0)

static __always_inline u64 __ring *put_fields(u64 __ring *at, const struct sampling *s, u64 types)
{
	FIRST_FIELDS(PUT);
	if (types & next_types())
		NEXT_FIELDS(PUT);
	SIZED_FIELDS(PUT);
	RARE_FIELDS(PUT);
	return at;
}

/* Bytes of a record, beyond those that were known when the counter was opened. */
static __always_inline u32 more_size(struct sampling *s, u64 types)
{
	u32 len = 0;

	/* A guest's are its own. */
	if ((types & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)) && !s->sample->guest)
		perf_counter_user_regs(&s->user_regs, s->regs);
	SIZED_FIELDS(SIZE);
	RARE_FIELDS(SIZE);
	if (types & PERF_SAMPLE_STACK_USER) {
		u32 others = s->desc->sample_header.size + len;
		u32 room = others < PERF_COUNTER_RECORD_MAX ? PERF_COUNTER_RECORD_MAX - others : 0;

		s->stack_size = perf_counter_stack_size(&s->user_regs,
							s->desc->attr.sample_stack_user, room);
		/* And how many of its bytes there are. */
		if (s->stack_size)
			len += s->stack_size + sizeof(u64);
	}
	return len;
}

/* === Writing === */

/*
 * The header of a record, as one word: what @desc has, with @more bytes. The mode is that of
 * @regs, unless @sample is of a guest or of a hypervisor.
 */
static __always_inline u64 header_word(const struct perf_counter_desc *desc,
				       const struct perf_counter_sample *sample,
				       struct pt_regs *regs, u32 more)
{
	unsigned int guest = sample->guest;
	u64 word;

	static_assert(sizeof(word) == sizeof(desc->sample_header));
	static_assert(PERF_RECORD_MISC_USER > PERF_RECORD_MISC_KERNEL);
	memcpy(&word, &desc->sample_header, sizeof(word));
	if (unlikely(guest))
		word += perf_counter_record_header(0, (guest & PERF_GUEST_USER ?
						       PERF_RECORD_MISC_GUEST_USER :
						       PERF_RECORD_MISC_GUEST_KERNEL) -
						      PERF_RECORD_MISC_KERNEL, 0);
	else if (unlikely(perf_counter_sample_hypervisor(sample)))
		word += perf_counter_record_header(0, PERF_RECORD_MISC_HYPERVISOR -
						      PERF_RECORD_MISC_KERNEL, 0);
	else if (user_mode(regs))
		word += perf_counter_record_header(0, PERF_RECORD_MISC_USER -
						      PERF_RECORD_MISC_KERNEL, 0);
	return word + perf_counter_record_header(0, 0, more);
}

/* Count a committed sample, which ends at @end, towards wakeup_events of its descriptor. */
static noinline void count_sample(struct perf_counter_buffer *buffer,
				  struct perf_counter_ring *ring, u64 end, u32 wakeup_events)
{
	if (perf_counter_ring_sample(ring, end, wakeup_events))
		irq_work_queue(&buffer->notify);
}

/*
 * Write a sample that has no fields but some of those in @fields, a constant.
 */
static __always_inline void output(struct perf_counter *counter,
				   struct perf_counter_buffer *buffer,
				   const struct perf_counter_sample *sample,
				   struct pt_regs *regs, const u64 fields)
{
	struct perf_counter_ring *ring = perf_counter_buffer_ring(buffer);
	struct perf_counter_desc *desc = counter->desc;
	u64 types = desc->attr.sample_type & fields;
	struct sampling s = {
		.counter = counter, .desc = desc, .sample = sample, .regs = regs,
	};
	u32 more, len;
	u64 __ring *at;
	u64 pos;

	if (types & PERF_SAMPLE_CALLCHAIN) {
		s.chain = perf_counter_callchain_get(desc, sample, regs);
		/* The collecting of a chain has raised this event. */
		if (unlikely(!s.chain)) {
			atomic64_inc(&desc->missed);
			return;
		}
	}
	if (types & PERF_SAMPLE_BRANCH_STACK) {
		s.branches = perf_counter_branches_get(desc);
		if (unlikely(!s.branches)) {
			atomic64_inc(&desc->missed);
			at = NULL;
			goto put_chain;
		}
	}
	more = more_size(&s, types);
	len = desc->sample_header.size + more;
	at = perf_counter_record_reserve(desc, buffer, ring, len, &pos);
	if (likely(at)) {
		at = ring_put(at, header_word(desc, sample, regs, more));
		at = put_fields(at, &s, types);
	}
	if (types & PERF_SAMPLE_BRANCH_STACK)
		perf_counter_branches_put(s.branches);
put_chain:
	if (types & PERF_SAMPLE_CALLCHAIN)
		perf_counter_callchain_put(s.chain);
	if (unlikely(!at))
		return;
	perf_counter_record_commit(buffer, ring, pos, len);
	if (desc->wakeup_events)
		count_sample(buffer, ring, pos + len, desc->wakeup_events);
}

/* The record of a tracepoint is in most of its samples, and no other field of unknown size. */
static noinline void output_raw(struct perf_counter *counter, struct perf_counter_buffer *buffer,
				const struct perf_counter_sample *sample, struct pt_regs *regs)
{
	output(counter, buffer, sample, regs,
	       ~(sized_types() | rare_types()) | PERF_SAMPLE_RAW);
}

static noinline void output_sized(struct perf_counter *counter,
				  struct perf_counter_buffer *buffer,
				  const struct perf_counter_sample *sample, struct pt_regs *regs)
{
	output(counter, buffer, sample, regs, ~rare_types());
}

static noinline void output_rare(struct perf_counter *counter, struct perf_counter_buffer *buffer,
				 const struct perf_counter_sample *sample, struct pt_regs *regs)
{
	output(counter, buffer, sample, regs, ~0ULL);
}

/**
 * perf_counter_output_sample() - write a SAMPLE record
 * @counter: what overflowed
 * @sample: what is known of the event
 * @regs: its registers
 *
 * Context: any, NMI included; preemption disabled.
 */
void perf_counter_output_sample(struct perf_counter *counter,
				const struct perf_counter_sample *sample, struct pt_regs *regs)
{
	struct perf_counter_buffer *buffer = perf_counter_desc_buffer(counter->desc);
	u64 types = counter->desc->attr.sample_type;

	if (!buffer)
		return;
	if (likely(!(types & (sized_types() | rare_types()))))
		output(counter, buffer, sample, regs, ~(sized_types() | rare_types()));
	else if ((types & (sized_types() | rare_types())) == PERF_SAMPLE_RAW)
		output_raw(counter, buffer, sample, regs);
	else if (types & rare_types())
		output_rare(counter, buffer, sample, regs);
	else
		output_sized(counter, buffer, sample, regs);
}
