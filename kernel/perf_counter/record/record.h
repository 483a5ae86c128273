/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The door of record/: what records contain, and to whom they go.
 *
 * A sample is written when a counter has overflowed; the other records say what tasks
 * do (side-band), what is mapped, and what becomes of the kernel's code. A record is one
 * reservation in a ring, stores in place, one commit. This room uses ring/. Of context/
 * it uses what a counter and its descriptor are, to be written down: it changes
 * neither.
 */
#ifndef _PERF_COUNTER_RECORD_RECORD_H
#define _PERF_COUNTER_RECORD_RECORD_H

#include <linux/align.h>
#include <linux/perf_counter.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <uapi/linux/perf_counter.h>

#include "../ring/buffer.h"

struct perf_counter;
struct perf_counter_ctx;
struct perf_counter_desc;
struct pid_namespace;

/* Bytes of raw data at most. */
#define PERF_COUNTER_RAW_MAX		SZ_32K

/**
 * struct perf_counter_sample_extra - what only some events know
 * @weight: what it cost
 * @data_src: where data came from; not available (PERF_MEM_*_NA) for unknown
 * @transaction: PERF_TXN_*: the transaction that it ended; or 0
 * @raw: raw data, in memory of the kernel's own; or NULL
 * @raw_size: bytes of @raw, 1 to PERF_COUNTER_RAW_MAX; 0 without
 */
struct perf_counter_sample_extra {
	union perf_sample_weight	weight;
	union perf_mem_data_src		data_src;
	u64				transaction;
	const void			*raw;
	u32				raw_size;
};

/**
 * struct perf_counter_sample - what an overflow hands over, beyond its registers
 * @addr: the address it is about, 0 for none
 * @period: events since the sample before
 * @ip: the kernel code it is ascribed to, when it interrupted nothing and its
 *	registers are empty; or the code of the guest; else 0
 * @guest: PERF_GUEST_*: it happened in a guest of KVM; 0: it did not
 * @exact: the instruction of the event, where the registers are of a later one; else 0. Only
 *	where PMUs can tell
 * @hypervisor: @exact is code of a hypervisor. Only where PMUs can tell
 * @extra: what else is known; NULL for nothing
 */
struct perf_counter_sample {
	u64		addr;
	u64		period;
	unsigned long	ip;
	unsigned int	guest;
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	u64		exact;
	bool		hypervisor;
#endif
	const struct perf_counter_sample_extra *extra;
};

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
static inline u64 perf_counter_sample_exact(const struct perf_counter_sample *sample)
{
	return sample->exact;
}

static inline bool perf_counter_sample_hypervisor(const struct perf_counter_sample *sample)
{
	return sample->hypervisor;
}
#else
static inline u64 perf_counter_sample_exact(const struct perf_counter_sample *sample)
{
	return 0;
}

static inline bool perf_counter_sample_hypervisor(const struct perf_counter_sample *sample)
{
	return false;
}
#endif

/* Nobody knows where the data came from. */
#define PERF_COUNTER_DATA_SRC_NA {			\
	.mem_op		= PERF_MEM_OP_NA,		\
	.mem_lvl	= PERF_MEM_LVL_NA,		\
	.mem_snoop	= PERF_MEM_SNOOP_NA,		\
	.mem_lock	= PERF_MEM_LOCK_NA,		\
	.mem_dtlb	= PERF_MEM_TLB_NA,		\
	.mem_lvl_num	= PERF_MEM_LVLNUM_NA,		\
}

/* A record being written: where, what commits it, and whom its trailer names. */
struct perf_counter_record {
	struct perf_counter		*counter;
	struct task_struct		*task;
	struct perf_counter_buffer	*buffer;
	struct perf_counter_ring	*ring;
	u64				pos;
	u32				len;
	u64 __ring			*at;
};

/* Two fields of 32 bits. */
static inline u64 perf_counter_two_words(u32 first, u32 second)
{
	union {
		u32	word[2];
		u64	both;
	} u = { .word = { first, second } };

	return u.both;
}

/* The next fields of @record; @size is a multiple of 8. */
static inline void perf_counter_put(struct perf_counter_record *record, const void *fields,
				    u32 size)
{
	record->at = ring_put_bytes(record->at, fields, size);
}

/* The next word of @record. */
static inline void perf_counter_put_word(struct perf_counter_record *record, u64 word)
{
	record->at = ring_put(record->at, word);
}

/* Bytes that a name takes in a record, with at least one zero behind it. */
static inline u32 perf_counter_name_size(const char *name)
{
	return ALIGN(strlen(name) + 1, sizeof(u64));
}

/* Does a counter with @attr want FORK and EXIT records? */
static inline bool perf_counter_wants_task(const struct perf_counter_attr *attr)
{
	return attr->mmap || attr->mmap2 || attr->mmap_data || attr->comm || attr->task;
}

/* Does it want records of what tasks do? */
static inline bool perf_counter_wants_sideband(const struct perf_counter_attr *attr)
{
	return perf_counter_wants_task(attr) || attr->munmap || attr->context_switch ||
	       attr->namespaces;
}

/* Does a descriptor with @attr want records of the machine: of the kernel's code and groups? */
static inline bool perf_counter_wants_machine(const struct perf_counter_attr *attr)
{
	return attr->ksymbol || attr->bpf_event || attr->text_poke || attr->cgroup;
}

/* output.c */
int perf_counter_output_init(struct perf_counter_desc *desc);
bool perf_counter_output_begin(struct perf_counter_record *record, struct perf_counter *counter,
			       u32 type, u16 misc, size_t len);
void perf_counter_output_end(struct perf_counter_record *record);
void perf_counter_output_throttle(struct perf_counter *counter, bool throttled);
void perf_counter_output_drop(struct perf_counter *counter);
void perf_counter_output_read(struct perf_counter *counter, struct task_struct *task);
u32 perf_counter_tgid_in(struct task_struct *task, struct pid_namespace *ns);
u32 perf_counter_pid_in(struct task_struct *task, struct pid_namespace *ns);
u64 perf_counter_ids(struct perf_counter_desc *desc, struct task_struct *task);
unsigned int perf_counter_read_size(struct perf_counter_desc *desc, unsigned int members);

/* sample.c */
int perf_counter_check_sample(struct perf_counter_attr *attr);
void perf_counter_output_sample(struct perf_counter *counter,
				const struct perf_counter_sample *sample, struct pt_regs *regs);

/* branch.c */
int perf_counter_branches_init(struct perf_counter_desc *desc);
const struct perf_counter_recorder *
perf_counter_set_recorder(const struct perf_counter_recorder *of_machine);
void perf_counter_halt_recorder(bool halt);
bool perf_counter_branches_add(u32 what);
void perf_counter_branches_del(u32 what);
void perf_counter_branches_out(struct task_struct *task);
void perf_counter_branches_in(struct task_struct *task);

/* sideband.c */
typedef void (*perf_counter_sideband_fn)(struct perf_counter *counter, void *data);
void perf_counter_sideband_open(struct perf_counter_desc *desc);
void perf_counter_sideband_close(struct perf_counter_desc *desc);
void perf_counter_sideband_machine(perf_counter_sideband_fn fn, void *data);
void perf_counter_sideband_cpu(perf_counter_sideband_fn fn, void *data);
void perf_counter_sideband_current(perf_counter_sideband_fn fn, void *data);
bool perf_counter_sideband_here(void);
void perf_counter_sideband_each(struct perf_counter_ctx *ctx, perf_counter_sideband_fn fn,
				void *data);

/* task.c */
void perf_counter_record_fork(struct task_struct *child);
void perf_counter_record_exit(struct perf_counter_ctx *ctx);
void perf_counter_record_switch(struct task_struct *other, bool out);

/* mapping.c */
void perf_counter_record_module(const char *name, unsigned long addr, size_t len, bool gone);

#endif /* _PERF_COUNTER_RECORD_RECORD_H */
