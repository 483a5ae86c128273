/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader's side of a buffer, and what its records contain.
 *
 * Everything is decoded by a strict reading of the ABI: a record that is longer
 * or shorter than its attr says does not parse.
 */
#ifndef PC_RING_H
#define PC_RING_H

#include "pc.h"

#define PC_MAX_RECORD 65536

struct pc_ring {
	int fd;
	struct perf_event_mmap_page *page;
	__u64 *head_at;		/* data_head, or that of a sub-ring */
	__u64 *tail_at;
	char *data;
	__u64 size;		/* of the data area */
	size_t len;		/* of the mapping */
	__u64 tail;		/* what we have read; not written back if read-only */
	bool readonly;
};

/* A record as it was in the buffer, in one piece. */
union pc_record {
	struct perf_event_header header;
	__u64 words[PC_MAX_RECORD / sizeof(__u64)];
	char bytes[PC_MAX_RECORD];
};

/* A sample, and the fields that end the other records with sample_id_all. */
struct pc_sample {
	__u64 identifier;
	__u64 ip;
	__u32 pid, tid;
	__u64 time;
	__u64 addr;
	__u64 id;
	__u64 stream_id;
	__u32 cpu, reserved;
	__u64 period;
	struct pc_values read;
	__u32 raw_size;
	const char *raw;		/* in the record, like the stack */
	__u64 branch_nr;
	__u64 branch_index;		/* hw_idx */
	const struct perf_branch_entry *branches;
	__u64 user_abi;
	__u64 user_regs[64];		/* those asked for, in their order */
	__u64 stack_size;
	const char *stack;
	__u64 stack_there;		/* dyn_size */
	__u64 weight;
	__u64 data_src;
	__u64 transaction;
	__u64 intr_abi;
	__u64 intr_regs[64];
	__u64 phys_addr;
	__u64 cgroup;
	__u64 data_page_size;
	__u64 code_page_size;
	__u64 nr;
	__u64 ips[512];
};

/* The ring whose control page and @pages pages of data are mapped at @map. */
static inline void pc_ring_at(struct pc_ring *r, int fd, void *map, int pages)
{
	long page = sysconf(_SC_PAGESIZE);

	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->len = (1 + pages) * page;
	r->page = map;
	r->head_at = (__u64 *)&r->page->data_head;
	r->tail_at = (__u64 *)&r->page->data_tail;
	r->data = (char *)map + page;
	r->size = pages * page;
}

/* Maps a control page and 2^n pages of data. Returns 0, or -1 with errno. */
static inline int pc_ring_map_as(struct pc_ring *r, int fd, int pages, int prot)
{
	long page = sysconf(_SC_PAGESIZE);
	void *map;

	map = mmap(NULL, (1 + pages) * page, prot, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		memset(r, 0, sizeof(*r));
		return -1;
	}
	pc_ring_at(r, fd, map, pages);
	r->readonly = !(prot & PROT_WRITE);
	return 0;
}

static inline int pc_ring_map(struct pc_ring *r, int fd, int pages)
{
	return pc_ring_map_as(r, fd, pages, PROT_READ | PROT_WRITE);
}

static inline void pc_ring_unmap(struct pc_ring *r)
{
	if (r->page)
		munmap(r->page, r->len);
	r->page = NULL;
}

/* How a mapping is laid out; size is 0 where the kernel does not say. */
static inline struct perf_counter_mmap_more *pc_ring_more(const struct pc_ring *r)
{
	return (void *)((char *)r->page + PERF_COUNTER_MMAP_MORE_OFFSET);
}

static inline struct perf_counter_subring *pc_subring(const struct pc_ring *r, int i)
{
	return (struct perf_counter_subring *)((char *)r->page + PERF_COUNTER_SUBRING_OFFSET) + i;
}

/*
 * The rings of a mapping, each to be read like a whole one; they end with the
 * mapping. Returns how many there are.
 */
static inline int pc_ring_split(const struct pc_ring *r, struct pc_ring *parts)
{
	int n = pc_ring_more(r)->nr_rings;

	parts[0] = *r;
	for (int i = 0; n > 1 && i < n && i < PERF_COUNTER_SUBRINGS_MAX; i++) {
		struct perf_counter_subring *sub = pc_subring(r, i);

		parts[i] = *r;
		parts[i].head_at = &sub->head;
		parts[i].tail_at = &sub->tail;
		parts[i].data = (char *)r->page + sub->offset;
		parts[i].size = sub->size;
	}
	return n > 1 ? n : 1;
}

/* Pairs with the kernel's release of data_head: records before it are whole. */
static inline __u64 pc_ring_head(struct pc_ring *r)
{
	return __atomic_load_n(r->head_at, __ATOMIC_ACQUIRE);
}

/* Gives the space before the position back to the kernel. */
static inline void pc_ring_set_tail(struct pc_ring *r, __u64 tail)
{
	r->tail = tail;
	if (!r->readonly)
		__atomic_store_n(r->tail_at, tail, __ATOMIC_RELEASE);
}

static inline void pc_ring_copy(struct pc_ring *r, __u64 pos, void *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = r->data[(pos + i) & (r->size - 1)];
}

/* Takes the next record out of the buffer; false if there is none. */
static inline bool pc_ring_next(struct pc_ring *r, union pc_record *rec)
{
	if (r->tail == pc_ring_head(r))
		return false;
	pc_ring_copy(r, r->tail, &rec->header, sizeof(rec->header));
	if (rec->header.size < sizeof(rec->header) || rec->header.size % 8) {
		fprintf(stderr, "# a record of %u bytes at %llu\n", rec->header.size, r->tail);
		abort();
	}
	pc_ring_copy(r, r->tail, rec, rec->header.size);
	pc_ring_set_tail(r, r->tail + rec->header.size);
	return true;
}

/* The next record of this type, others being dropped; false if there is none. */
static inline bool pc_ring_find(struct pc_ring *r, union pc_record *rec, __u32 type)
{
	while (pc_ring_next(r, rec))
		if (rec->header.type == type)
			return true;
	return false;
}

/* How many records of this type are in the buffer; empties it. */
static inline int pc_ring_count(struct pc_ring *r, __u32 type)
{
	static union pc_record rec;
	int n = 0;

	while (pc_ring_find(r, &rec, type))
		n++;
	return n;
}

/* The registers at @w, of which there are @n if there are any; what is behind, or NULL. */
static inline const __u64 *pc_parse_regs(const __u64 *w, const __u64 *end, int n, __u64 *abi,
					 __u64 *regs)
{
	if (w >= end)
		return NULL;
	*abi = *w++;
	if (!*abi)
		return w;
	if (end - w < n)
		return NULL;
	memcpy(regs, w, n * sizeof(*w));
	return w + n;
}

/* Takes a SAMPLE apart; false if its size is not what its attr makes it. */
static inline bool pc_parse_sample(const struct perf_counter_attr *attr,
				   const union pc_record *rec, struct pc_sample *s)
{
	const __u64 *w = rec->words + 1, *end = rec->words + rec->header.size / 8;
	__u64 type = attr->sample_type;
	int n;

	memset(s, 0, offsetof(struct pc_sample, ips));
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->identifier = *w++;
	if (type & PERF_SAMPLE_IP)
		s->ip = *w++;
	if (type & PERF_SAMPLE_TID) {
		s->pid = (__u32)*w;
		s->tid = *w++ >> 32;
	}
	if (type & PERF_SAMPLE_TIME)
		s->time = *w++;
	if (type & PERF_SAMPLE_ADDR)
		s->addr = *w++;
	if (type & PERF_SAMPLE_ID)
		s->id = *w++;
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = *w++;
	if (type & PERF_SAMPLE_CPU) {
		s->cpu = (__u32)*w;
		s->reserved = *w++ >> 32;
	}
	if (type & PERF_SAMPLE_PERIOD)
		s->period = *w++;
	if (type & PERF_SAMPLE_READ) {
		n = pc_parse_values(w, attr->read_format, &s->read);
		if (n < 0 || w + n > end)
			return false;
		w += n;
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->nr = *w++;
		if (s->nr > 512 || w + s->nr > end)
			return false;
		memcpy(s->ips, w, s->nr * sizeof(*w));
		w += s->nr;
	}
	if (type & PERF_SAMPLE_RAW) {
		s->raw_size = (__u32)*w;
		s->raw = (const char *)w + sizeof(__u32);
		if ((s->raw_size + sizeof(__u32)) % 8 || s->raw_size > (end - w) * 8)
			return false;
		w += (s->raw_size + sizeof(__u32)) / 8;
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		s->branch_nr = *w++;
		if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			s->branch_index = *w++;
		s->branches = (const struct perf_branch_entry *)w;
		if (w > end || s->branch_nr > (end - w) * 8 / sizeof(*s->branches))
			return false;
		w += s->branch_nr * sizeof(*s->branches) / 8;
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		w = pc_parse_regs(w, end, __builtin_popcountll(attr->sample_regs_user),
				  &s->user_abi, s->user_regs);
		if (!w)
			return false;
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		s->stack_size = *w++;
		s->stack = (const char *)w;
		if (s->stack_size % 8 || s->stack_size > (end - w) * 8)
			return false;
		w += s->stack_size / 8;
		if (s->stack_size)
			s->stack_there = *w++;
		if (s->stack_there > s->stack_size)
			return false;
	}
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		s->weight = *w++;
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = *w++;
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = *w++;
	if (type & PERF_SAMPLE_REGS_INTR) {
		w = pc_parse_regs(w, end, __builtin_popcountll(attr->sample_regs_intr),
				  &s->intr_abi, s->intr_regs);
		if (!w)
			return false;
	}
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = *w++;
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = *w++;
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = *w++;
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = *w++;
	return w == end;
}

/* Takes apart the sample_id that ends a record; returns the bytes it takes. */
static inline int pc_parse_id(const struct perf_counter_attr *attr, const union pc_record *rec,
			      struct pc_sample *s)
{
	const __u64 *end = rec->words + rec->header.size / 8, *w = end;
	__u64 type = attr->sample_type;

	memset(s, 0, offsetof(struct pc_sample, ips));
	if (!attr->sample_id_all)
		return 0;
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->identifier = *--w;
	if (type & PERF_SAMPLE_CPU) {
		s->cpu = (__u32)*--w;
		s->reserved = *w >> 32;
	}
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = *--w;
	if (type & PERF_SAMPLE_ID)
		s->id = *--w;
	if (type & PERF_SAMPLE_TIME)
		s->time = *--w;
	if (type & PERF_SAMPLE_TID) {
		s->pid = (__u32)*--w;
		s->tid = *w >> 32;
	}
	return (end - w) * sizeof(*w);
}

/*
 * Whether an address is in a function. The program is compiled so that
 * functions follow one another as in the source, none of them inlined.
 */
#define PC_IN(fn, next, ip)						\
	({								\
		__u64 __ip = (ip);					\
									\
		__ip >= (unsigned long)(fn) && __ip < (unsigned long)(next); \
	})

#endif /* PC_RING_H */
