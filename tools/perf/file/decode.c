// SPDX-License-Identifier: GPL-2.0
/*
 * Decoding the records that the kernel writes into ring buffers.
 *
 * A record is read through a cursor that never leaves it: a read past the end yields zeros and
 * marks the cursor. The mark is checked once, at the end.
 */
#include <string.h>

#include "cursor.h"
#include "decode.h"

/* PERF_SAMPLE_BRANCH_COUNTERS came with Linux 6.8; the mask covers the bits of Linux 6.12. */
#define BRANCH_COUNTERS (1ULL << 19)
#define BRANCH_TYPES_KNOWN ((1ULL << 20) - 1)

/* The PERF_SAMPLE_ bits of Linux 6.12; further bits would have an unknown layout. */
#define SAMPLE_TYPES_KNOWN ((1ULL << 25) - 1)

/* Maximum number of values in a reading of a group: 16 KiB of u64. */
#define GROUP_VALUES_MAX 2048

/* Get @nr words of u64; safe against overflow. */
static const uint64_t *get_words(struct cursor *c, uint64_t nr)
{
	if (nr > c->left / sizeof(uint64_t)) {
		c->bad = true;
		c->left = 0;
		return NULL;
	}
	return skip(c, nr * sizeof(uint64_t));
}

/* Get the rest of the record, a string with padding. */
static const char *get_string(struct cursor *c)
{
	const char *string = (const char *)c->at;

	if (!memchr(string, '\0', c->left)) {
		c->bad = true;
		return "";
	}
	c->left = 0;
	return string;
}

static size_t words_per_value(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

static void get_read_values(struct cursor *c, uint64_t format, struct read_values *values)
{
	values->format = format;
	values->nr = 1;
	values->time_enabled = 0;
	values->time_running = 0;
	if (format & PERF_FORMAT_GROUP) {
		values->nr = get_u64(c);
	} else {
		/* Without groups, the value precedes the times and the id follows them. */
		values->words = get_words(c, 1);
	}
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		values->time_enabled = get_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		values->time_running = get_u64(c);
	if (!(format & PERF_FORMAT_GROUP)) {
		get_words(c, words_per_value(format) - 1);
		return;
	}
	/* The kernel bounds a reading of a group to 16 KiB. */
	if (values->nr > GROUP_VALUES_MAX)
		c->bad = true;
	else
		values->words = get_words(c, values->nr * words_per_value(format));
}

/**
 * read_values_get - get one of the values
 * @values: values
 * @i: index, less than values->nr
 * @value: receives the value
 */
void read_values_get(const struct read_values *values, uint64_t i, struct read_value *value)
{
	const uint64_t *word = values->words + i * words_per_value(values->format);

	memset(value, 0, sizeof(*value));
	value->value = *word++;
	if (!(values->format & PERF_FORMAT_GROUP)) {
		word += !!(values->format & PERF_FORMAT_TOTAL_TIME_ENABLED);
		word += !!(values->format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	}
	if (values->format & PERF_FORMAT_ID)
		value->id = *word++;
	if (values->format & PERF_FORMAT_LOST)
		value->lost = *word;
}

static void get_tid(struct cursor *c, struct record_id *id)
{
	id->pid = get_u32(c);
	id->tid = get_u32(c);
	id->has_tid = true;
}

static void get_cpu(struct cursor *c, struct record_id *id)
{
	id->cpu = get_u32(c);
	get_u32(c);
	id->has_cpu = true;
}

static void get_branch_stack(struct cursor *c, uint64_t type, struct branch_stack *stack)
{
	static const size_t words_per_branch = sizeof(struct perf_branch_entry) / sizeof(uint64_t);

	stack->type = type;
	stack->nr = get_u64(c);
	stack->hw_idx = type & PERF_SAMPLE_BRANCH_HW_INDEX ? get_u64(c) : BRANCH_NO_INDEX;
	if (stack->nr > UINT16_MAX || type & ~BRANCH_TYPES_KNOWN) {
		c->bad = true;
		return;
	}
	stack->entries = get_words(c, stack->nr * words_per_branch);
	if (type & BRANCH_COUNTERS)
		get_words(c, stack->nr);
}

/**
 * branches_are_calls - test whether branch records are calls that have not returned
 * @type: attr.branch_sample_type
 *
 * Return: true for calls, false for executed branches or none.
 */
bool branches_are_calls(uint64_t type)
{
	return type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/**
 * branch_get - get one of the branch records
 * @stack: records
 * @i: index, less than stack->nr; 0 is the youngest
 *
 * Return: the record.
 */
struct perf_branch_entry branch_get(const struct branch_stack *stack, uint64_t i)
{
	struct perf_branch_entry entry;

	memcpy(&entry, (const char *)stack->entries + i * sizeof(entry), sizeof(entry));
	return entry;
}

static void get_regs(struct cursor *c, uint64_t mask, struct sample_regs *regs)
{
	regs->abi = get_u64(c);
	regs->mask = mask;
	/* An ABI of 0 means that there were no registers to save. */
	if (regs->abi)
		regs->values = get_words(c, __builtin_popcountll(mask));
}

static void get_user_stack(struct cursor *c, struct sample *s)
{
	uint64_t used;

	s->user_stack_size = get_u64(c);
	s->stack_dropped = !s->user_stack_size;
	if (s->stack_dropped)
		return;
	s->user_stack = skip(c, s->user_stack_size);
	used = get_u64(c);
	s->user_stack_used = used < s->user_stack_size ? used : s->user_stack_size;
}

/* Get the part of a sample after its call chain. */
static void get_sample_rest(struct cursor *c, const struct perf_event_attr *attr,
			    struct sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_RAW) {
		s->raw_size = get_u32(c);
		s->raw = skip(c, s->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		get_branch_stack(c, attr->branch_sample_type, &s->branches);
	if (type & PERF_SAMPLE_REGS_USER)
		get_regs(c, attr->sample_regs_user, &s->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		get_user_stack(c, s);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		s->weight = get_u64(c);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = get_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = get_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR)
		get_regs(c, attr->sample_regs_intr, &s->intr_regs);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = get_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = get_u64(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = get_u64(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = get_u64(c);
	if (type & PERF_SAMPLE_AUX)
		skip(c, get_u64(c));
}

static void get_sample(struct cursor *c, const struct perf_event_attr *attr, struct record *r)
{
	struct sample *s = &r->sample;
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		r->id.id = get_u64(c);
	if (type & PERF_SAMPLE_IP)
		s->ip = get_u64(c);
	if (type & PERF_SAMPLE_TID)
		get_tid(c, &r->id);
	if (type & PERF_SAMPLE_TIME)
		r->id.time = get_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = get_u64(c);
	if (type & PERF_SAMPLE_ID)
		r->id.id = get_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		r->id.stream_id = get_u64(c);
	if (type & PERF_SAMPLE_CPU)
		get_cpu(c, &r->id);
	s->period = type & PERF_SAMPLE_PERIOD ? get_u64(c) : attr->sample_period;
	if (type & PERF_SAMPLE_READ)
		get_read_values(c, attr->read_format, &s->read);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->chain_nr = get_u64(c);
		s->chain = get_words(c, s->chain_nr);
	}
	get_sample_rest(c, attr, s);
	if (type & ~SAMPLE_TYPES_KNOWN)
		c->bad = true;
}

/**
 * record_id_size - compute the size of the ids at the end of a side-band record
 * @sample_type: sample_type of the event, with sample_id_all
 *
 * Return: the size in bytes.
 */
size_t record_id_size(uint64_t sample_type)
{
	uint64_t in_id = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	return __builtin_popcountll(sample_type & in_id) * sizeof(uint64_t);
}

/* Remove the ids from the end of a side-band record. */
static void get_id(struct cursor *c, const struct perf_event_attr *attr, struct record_id *id)
{
	uint64_t type = attr->sample_type;
	size_t size = attr->sample_id_all ? record_id_size(type) : 0;
	struct cursor end;

	if (!size)
		return;
	if (size > c->left) {
		c->bad = true;
		return;
	}
	c->left -= size;
	end = (struct cursor){ .at = c->at + c->left, .left = size };
	if (type & PERF_SAMPLE_TID)
		get_tid(&end, id);
	if (type & PERF_SAMPLE_TIME)
		id->time = get_u64(&end);
	if (type & PERF_SAMPLE_ID)
		id->id = get_u64(&end);
	if (type & PERF_SAMPLE_STREAM_ID)
		id->stream_id = get_u64(&end);
	if (type & PERF_SAMPLE_CPU)
		get_cpu(&end, id);
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = get_u64(&end);
}

static void get_mmap(struct cursor *c, struct mmap_record *m)
{
	m->pid = get_u32(c);
	m->tid = get_u32(c);
	m->start = get_u64(c);
	m->len = get_u64(c);
	m->pgoff = get_u64(c);
}

/*
 * Read a build-id: its size in one byte, three reserved bytes, and room for the largest one.
 * Return false, with the cursor where it was, if the bytes are none: Linux leaves the flag in
 * records of other counters while one of them has attr.build_id, although these records have the
 * numbers of the device and the inode (seen with 6.18).
 */
static bool get_build_id(struct cursor *c, struct mmap_record *m)
{
	const struct cursor before = *c;
	const uint8_t *head = skip(c, 4), *id = skip(c, BUILD_ID_MAX);
	size_t i;

	if (c->bad)
		return true;
	for (i = head[0]; i < BUILD_ID_MAX && !id[i]; i++)
		;
	if (i == BUILD_ID_MAX && !head[1] && !head[2] && !head[3]) {
		m->build_id = id;
		m->build_id_size = head[0];
		return true;
	}
	*c = before;
	return false;
}

static void get_mmap2(struct cursor *c, uint16_t misc, struct mmap_record *m)
{
	get_mmap(c, m);
	if (!(misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || !get_build_id(c, m)) {
		m->has_inode = true;
		m->maj = get_u32(c);
		m->min = get_u32(c);
		m->ino = get_u64(c);
		m->ino_generation = get_u64(c);
	}
	m->prot = get_u32(c);
	m->flags = get_u32(c);
	m->filename = get_string(c);
}

static void get_task(struct cursor *c, struct task_record *t)
{
	t->pid = get_u32(c);
	t->ppid = get_u32(c);
	t->tid = get_u32(c);
	t->ptid = get_u32(c);
	t->time = get_u64(c);
}

static void get_ksymbol(struct cursor *c, struct record *r)
{
	r->ksymbol.addr = get_u64(c);
	r->ksymbol.len = get_u32(c);
	r->ksymbol.type = get_u16(c);
	r->ksymbol.flags = get_u16(c);
	r->ksymbol.name = get_string(c);
}

static void get_text_poke(struct cursor *c, struct record *r)
{
	r->text_poke.addr = get_u64(c);
	r->text_poke.old_len = get_u16(c);
	r->text_poke.new_len = get_u16(c);
	r->text_poke.old = skip(c, r->text_poke.old_len);
	r->text_poke.new = skip(c, r->text_poke.new_len);
}

static void get_namespaces(struct cursor *c, struct record *r)
{
	r->namespaces.pid = get_u32(c);
	r->namespaces.tid = get_u32(c);
	r->namespaces.nr = get_u64(c);
	if (r->namespaces.nr > UINT16_MAX)
		c->bad = true;
	else
		r->namespaces.links = skip(c, r->namespaces.nr * sizeof(*r->namespaces.links));
}

static void get_bpf(struct cursor *c, struct record *r)
{
	r->bpf.type = get_u16(c);
	r->bpf.flags = get_u16(c);
	r->bpf.id = get_u32(c);
	r->bpf.tag = skip(c, BPF_TAG_SIZE);
}

static void get_side_band(struct cursor *c, const struct perf_event_attr *attr, struct record *r)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MUNMAP:
		get_mmap(c, &r->mmap);
		r->mmap.filename = get_string(c);
		/*
		 * The older record has no prot: a bit tells mappings of data from mappings of code.
		 */
		r->mmap.prot = r->misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : 4;
		break;
	case PERF_RECORD_MMAP2:
		get_mmap2(c, r->misc, &r->mmap);
		break;
	case PERF_RECORD_LOST:
		r->lost.id = get_u64(c);
		r->lost.lost = get_u64(c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->lost.id = r->id.id;
		r->lost.lost = get_u64(c);
		break;
	case PERF_RECORD_COMM:
		r->comm.pid = get_u32(c);
		r->comm.tid = get_u32(c);
		r->comm.comm = get_string(c);
		r->comm.exec = r->misc & PERF_RECORD_MISC_COMM_EXEC;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		get_task(c, &r->task);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		r->throttle.time = get_u64(c);
		r->throttle.id = get_u64(c);
		r->throttle.stream_id = get_u64(c);
		break;
	case PERF_RECORD_READ:
		r->read.pid = get_u32(c);
		r->read.tid = get_u32(c);
		get_read_values(c, attr->read_format, &r->read.values);
		break;
	case PERF_RECORD_AUX:
		r->aux.offset = get_u64(c);
		r->aux.size = get_u64(c);
		r->aux.flags = get_u64(c);
		break;
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		r->task_id.pid = get_u32(c);
		r->task_id.tid = get_u32(c);
		break;
	case PERF_RECORD_NAMESPACES:
		get_namespaces(c, r);
		break;
	case PERF_RECORD_SWITCH:
		break;
	case PERF_RECORD_KSYMBOL:
		get_ksymbol(c, r);
		break;
	case PERF_RECORD_BPF_EVENT:
		get_bpf(c, r);
		break;
	case PERF_RECORD_CGROUP:
		r->cgroup.id = get_u64(c);
		r->cgroup.path = get_string(c);
		break;
	case PERF_RECORD_TEXT_POKE:
		get_text_poke(c, r);
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		r->hw_id = get_u64(c);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		r->deferred.cookie = get_u64(c);
		r->deferred.nr = get_u64(c);
		r->deferred.chain = get_words(c, r->deferred.nr);
		break;
	}
}

static bool is_known(uint32_t type)
{
	return (type >= PERF_RECORD_MMAP && type <= RECORD_CALLCHAIN_DEFERRED) ||
	       type == PERF_RECORD_MUNMAP;
}

/**
 * record_decode - decode a record of the kernel
 * @events: events of the recording
 * @header: record, all header.size bytes of it, 8-byte aligned
 * @record: receives the decoded record, which points into @header
 *
 * Return: RECORD_OK, or the kind of error.
 */
enum record_decoded record_decode(const struct event_table *events,
				  const struct perf_event_header *header, struct record *record)
{
	struct cursor c = {
		.at = (const uint8_t *)(header + 1),
		.left = header->size - sizeof(*header),
	};
	const struct perf_event_attr *attr;
	int event;

	if (!is_known(header->type))
		return RECORD_UNKNOWN;
	event = event_table_of_record(events, header);
	if (event < 0)
		return RECORD_STRAY;
	attr = &events->events[event].attr;
	memset(record, 0, sizeof(*record));
	record->type = header->type;
	record->misc = header->misc;
	record_from_file(&record->type, &record->misc);
	record->event = event;
	record->id.pid = UINT32_MAX;
	record->id.tid = UINT32_MAX;
	if (header->type == PERF_RECORD_SAMPLE) {
		get_sample(&c, attr, record);
	} else {
		get_id(&c, attr, &record->id);
		get_side_band(&c, attr, record);
	}
	return c.bad ? RECORD_BAD : RECORD_OK;
}

static struct cursor cursor_of(const struct perf_event_header *header)
{
	return (struct cursor){
		.at = (const uint8_t *)(header + 1),
		.left = header->size - sizeof(*header),
	};
}

/**
 * record_side_band_time - get the time of a record that is not a sample
 * @attr: attr of the event
 * @header: record, all header.size bytes of it, 8-byte aligned
 *
 * Return: the time in ns, or 0 without a time.
 */
uint64_t record_side_band_time(const struct perf_event_attr *attr,
			       const struct perf_event_header *header)
{
	struct cursor c = cursor_of(header);
	struct record_id id = { 0 };

	get_id(&c, attr, &id);
	return id.time;
}

/**
 * record_time - get the time of a record of the kernel
 * @events: events of the recording
 * @header: record, all header.size bytes of it, 8-byte aligned
 *
 * Return: the time in ns, or 0 without a time.
 */
uint64_t record_time(const struct event_table *events, const struct perf_event_header *header)
{
	struct cursor c = cursor_of(header);
	int event = event_table_of_record(events, header);
	const struct perf_event_attr *attr;
	uint64_t before;

	if (event < 0)
		return 0;
	attr = &events->events[event].attr;
	if (header->type != PERF_RECORD_SAMPLE)
		return record_side_band_time(attr, header);
	if (!(attr->sample_type & PERF_SAMPLE_TIME))
		return 0;
	before = attr->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	get_words(&c, __builtin_popcountll(before));
	return get_u64(&c);
}
