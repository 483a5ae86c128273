/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader of a buffer, and a decoder of its records.
 *
 * The decoder is strict: a record that is longer or shorter than its attr says does not parse.
 */
#ifndef PC_RING_H
#define PC_RING_H

#include "pc.h"

#define PC_MAX_RECORD 65536

struct pc_ring {
	int fd;
	struct perf_event_mmap_page *page;
	__u64 *head_at;		/* address of data_head in the user page or in a sub-ring */
	__u64 *tail_at;
	char *data;
	__u64 size;		/* size of the data area, in bytes */
	size_t len;		/* length of the mapping, in bytes */
	__u64 tail;		/* end of the records that were read */
	bool readonly;		/* the kernel does not see @tail */
};

/* A record, copied out of the buffer into one piece. */
union pc_record {
	struct perf_event_header header;
	__u64 words[PC_MAX_RECORD / sizeof(__u64)];
	char bytes[PC_MAX_RECORD];
};

/* A sample. A record with sample_id_all ends with a part of these fields. */
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
	const char *raw;		/* points into the record */
	__u64 branch_nr;
	__u64 branch_index;		/* hw_idx */
	const struct perf_branch_entry *branches;
	__u64 user_abi;
	__u64 user_regs[64];		/* one for each bit of the mask, in ascending order */
	__u64 stack_size;
	const char *stack;		/* points into the record */
	__u64 stack_there;		/* dyn_size, bytes of the stack that are valid */
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

/* Initialize a ring whose user page and @pages data pages are mapped at @map. */
void pc_ring_at(struct pc_ring *r, int fd, void *map, int pages);

/* Map the user page and @pages data pages. Returns 0, or -1 with errno. */
int pc_ring_map_as(struct pc_ring *r, int fd, int pages, int prot);

/* Map the pages with PROT_READ and PROT_WRITE. Returns 0, or -1 with errno. */
int pc_ring_map(struct pc_ring *r, int fd, int pages);

void pc_ring_unmap(struct pc_ring *r);

/* The layout of the mapping. Its size is 0 if the kernel does not describe the layout. */
struct perf_counter_mmap_layout *pc_ring_more(const struct pc_ring *r);

/* The sub-ring @i of a mapping that has sub-rings. */
struct perf_counter_subring *pc_subring(const struct pc_ring *r, int i);

/*
 * Initialize a reader for each sub-ring of a mapping, or one for a mapping without sub-rings.
 * They are valid until the ring is unmapped. Returns their number.
 */
int pc_ring_split(const struct pc_ring *r, struct pc_ring *parts);

/* Load data_head; the acquire pairs with the kernel's release after the records before it. */
__u64 pc_ring_head(struct pc_ring *r);

/* Give the space before @tail back to the kernel. */
void pc_ring_set_tail(struct pc_ring *r, __u64 tail);

/* Copy @n bytes of data from the position @pos. */
void pc_ring_copy(struct pc_ring *r, __u64 pos, void *to, size_t n);

/* Take the next record out of the buffer. Returns false if the buffer is empty. */
bool pc_ring_next(struct pc_ring *r, union pc_record *rec);

/* Take records out of the buffer until one has this type. Returns false if none has. */
bool pc_ring_find(struct pc_ring *r, union pc_record *rec, __u32 type);

/* Empty the buffer. Returns the number of its records of this type. */
int pc_ring_count(struct pc_ring *r, __u32 type);

/* Decode a SAMPLE. Returns false if its size differs from the one that @attr implies. */
bool pc_parse_sample(const struct perf_counter_attr *attr, const union pc_record *rec,
		     struct pc_sample *s);

/* Decode the sample_id at the end of a record. Returns its size in bytes. */
int pc_parse_id(const struct perf_counter_attr *attr, const union pc_record *rec,
		struct pc_sample *s);

/*
 * True if @ip is in the function @fn. The program is compiled with functions in the order of the
 * source, and without inlining; @next is the function after @fn.
 */
#define PC_IN(fn, next, ip)						\
	({								\
		__u64 __ip = (ip);					\
									\
		__ip >= (unsigned long)(fn) && __ip < (unsigned long)(next); \
	})

#endif /* PC_RING_H */
