// SPDX-License-Identifier: GPL-2.0
/*
 * Read records out of a buffer and decode them.
 */
#include "pc_ring.h"

void pc_ring_at(struct pc_ring *r, int fd, void *map, int pages)
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

int pc_ring_map_as(struct pc_ring *r, int fd, int pages, int prot)
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

int pc_ring_map(struct pc_ring *r, int fd, int pages)
{
	return pc_ring_map_as(r, fd, pages, PROT_READ | PROT_WRITE);
}

void pc_ring_unmap(struct pc_ring *r)
{
	if (r->page)
		munmap(r->page, r->len);
	r->page = NULL;
}

struct perf_counter_mmap_layout *pc_ring_more(const struct pc_ring *r)
{
	return (void *)((char *)r->page + PERF_COUNTER_MMAP_LAYOUT_OFFSET);
}

struct perf_counter_subring *pc_subring(const struct pc_ring *r, int i)
{
	return (struct perf_counter_subring *)((char *)r->page + PERF_COUNTER_SUBRING_OFFSET) + i;
}

int pc_ring_split(const struct pc_ring *r, struct pc_ring *parts)
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

__u64 pc_ring_head(struct pc_ring *r)
{
	return __atomic_load_n(r->head_at, __ATOMIC_ACQUIRE);
}

void pc_ring_set_tail(struct pc_ring *r, __u64 tail)
{
	r->tail = tail;
	if (!r->readonly)
		__atomic_store_n(r->tail_at, tail, __ATOMIC_RELEASE);
}

void pc_ring_copy(struct pc_ring *r, __u64 pos, void *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = r->data[(pos + i) & (r->size - 1)];
}

/* Copy the header of the next record. Returns false if the buffer is empty. */
static bool next_header(struct pc_ring *r, struct perf_event_header *header)
{
	if (r->tail == pc_ring_head(r))
		return false;
	pc_ring_copy(r, r->tail, header, sizeof(*header));
	if (header->size < sizeof(*header) || header->size % 8) {
		fprintf(stderr, "# a record of %u bytes at %llu\n", header->size, r->tail);
		abort();
	}
	return true;
}

bool pc_ring_next(struct pc_ring *r, union pc_record *rec)
{
	if (!next_header(r, &rec->header))
		return false;
	pc_ring_copy(r, r->tail, rec, rec->header.size);
	pc_ring_set_tail(r, r->tail + rec->header.size);
	return true;
}

bool pc_ring_find(struct pc_ring *r, union pc_record *rec, __u32 type)
{
	while (pc_ring_next(r, rec))
		if (rec->header.type == type)
			return true;
	return false;
}

/*
 * Read only the headers: the memory for whole records could fault, and a counter of this task could
 * count that fault.
 */
int pc_ring_count(struct pc_ring *r, __u32 type)
{
	struct perf_event_header header;
	int n = 0;

	while (next_header(r, &header)) {
		n += header.type == type;
		pc_ring_set_tail(r, r->tail + header.size);
	}
	return n;
}

/*
 * Decode a set of @n registers at @w. Returns the address of the word after the set, or NULL if
 * @end comes first.
 */
static const __u64 *parse_regs(const __u64 *w, const __u64 *end, int n, __u64 *abi, __u64 *regs)
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

bool pc_parse_sample(const struct perf_counter_attr *attr, const union pc_record *rec,
		     struct pc_sample *s)
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
		w = parse_regs(w, end, __builtin_popcountll(attr->sample_regs_user),
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
		w = parse_regs(w, end, __builtin_popcountll(attr->sample_regs_intr),
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

int pc_parse_id(const struct perf_counter_attr *attr, const union pc_record *rec,
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
