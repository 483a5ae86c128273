// SPDX-License-Identifier: GPL-2.0
/*
 * Prints records, in the format of the kernel's perf.
 */
#include <inttypes.h>
#include <sys/mman.h>

#include "file/file.h"
#include "branch_print.h"
#include "record_print.h"

/* Return the name of a record type of the kernel or of tools; NULL if it is unknown. */
const char *record_type_name(uint32_t type)
{
	static const char * const names[] = {
		[PERF_RECORD_MMAP]		= "MMAP",
		[PERF_RECORD_LOST]		= "LOST",
		[PERF_RECORD_COMM]		= "COMM",
		[PERF_RECORD_EXIT]		= "EXIT",
		[PERF_RECORD_THROTTLE]		= "THROTTLE",
		[PERF_RECORD_UNTHROTTLE]	= "UNTHROTTLE",
		[PERF_RECORD_FORK]		= "FORK",
		[PERF_RECORD_READ]		= "READ",
		[PERF_RECORD_SAMPLE]		= "SAMPLE",
		[PERF_RECORD_MMAP2]		= "MMAP2",
		[PERF_RECORD_AUX]		= "AUX",
		[PERF_RECORD_ITRACE_START]	= "ITRACE_START",
		[PERF_RECORD_LOST_SAMPLES]	= "LOST_SAMPLES",
		[PERF_RECORD_SWITCH]		= "SWITCH",
		[PERF_RECORD_SWITCH_CPU_WIDE]	= "SWITCH_CPU_WIDE",
		[PERF_RECORD_NAMESPACES]	= "NAMESPACES",
		[PERF_RECORD_KSYMBOL]		= "KSYMBOL",
		[PERF_RECORD_BPF_EVENT]		= "BPF_EVENT",
		[PERF_RECORD_CGROUP]		= "CGROUP",
		[PERF_RECORD_TEXT_POKE]		= "TEXT_POKE",
		[PERF_RECORD_AUX_OUTPUT_HW_ID]	= "AUX_OUTPUT_HW_ID",
		[RECORD_CALLCHAIN_DEFERRED]	= "CALLCHAIN_DEFERRED",
		[USER_RECORD_HEADER_ATTR]	= "HEADER_ATTR",
		[USER_RECORD_HEADER_EVENT_TYPE]	= "HEADER_EVENT_TYPE",
		[USER_RECORD_TRACING_DATA]	= "HEADER_TRACING_DATA",
		[USER_RECORD_BUILD_ID]		= "HEADER_BUILD_ID",
		[USER_RECORD_FINISHED_ROUND]	= "FINISHED_ROUND",
		[USER_RECORD_ID_INDEX]		= "ID_INDEX",
		[USER_RECORD_AUXTRACE_INFO]	= "AUXTRACE_INFO",
		[USER_RECORD_AUXTRACE]		= "AUXTRACE",
		[USER_RECORD_AUXTRACE_ERROR]	= "AUXTRACE_ERROR",
		[USER_RECORD_THREAD_MAP]	= "THREAD_MAP",
		[USER_RECORD_CPU_MAP]		= "CPU_MAP",
		[USER_RECORD_STAT_CONFIG]	= "STAT_CONFIG",
		[USER_RECORD_STAT]		= "STAT",
		[USER_RECORD_STAT_ROUND]	= "STAT_ROUND",
		[USER_RECORD_EVENT_UPDATE]	= "EVENT_UPDATE",
		[USER_RECORD_TIME_CONV]		= "TIME_CONV",
		[USER_RECORD_FEATURE]		= "HEADER_FEATURE",
		[USER_RECORD_COMPRESSED]	= "COMPRESSED",
		[USER_RECORD_FINISHED_INIT]	= "FINISHED_INIT",
		[USER_RECORD_COMPRESSED2]	= "COMPRESSED2",
	};

	if (type == PERF_RECORD_MUNMAP)
		return "MUNMAP";
	return type < ARRAY_SIZE(names) ? names[type] : NULL;
}

static void print_mmap(FILE *out, const struct record *r)
{
	const struct mmap_record *m = &r->mmap;
	size_t i;

	fprintf(out, " %" PRId32 "/%" PRId32 ": [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64,
		(int32_t)m->pid, (int32_t)m->tid, m->start, m->len, m->pgoff);
	if (m->has_inode)
		fprintf(out, " %02x:%02x %" PRIu64 " %" PRIu64, m->maj, m->min, m->ino,
			m->ino_generation);
	if (m->build_id_size) {
		fputs(" <", out);
		for (i = 0; i < m->build_id_size; i++)
			fprintf(out, "%02x", m->build_id[i]);
		fputc('>', out);
	}
	if (r->type != PERF_RECORD_MMAP2)
		fprintf(out, "]: %c ", m->prot & PROT_EXEC ? 'x' : 'r');
	else
		fprintf(out, "]: %c%c%c%c ", m->prot & PROT_READ ? 'r' : '-',
			m->prot & PROT_WRITE ? 'w' : '-', m->prot & PROT_EXEC ? 'x' : '-',
			m->flags & MAP_SHARED ? 's' : 'p');
	fput_name(m->filename, out);
}

static void print_read(FILE *out, const struct record *r)
{
	const struct read_values *values = &r->read.values;
	struct read_value value;
	uint64_t i;

	fprintf(out, ": %" PRId32 " %" PRId32, (int32_t)r->read.pid, (int32_t)r->read.tid);
	for (i = 0; i < values->nr; i++) {
		read_values_get(values, i, &value);
		fprintf(out, " id %" PRIu64 " value %" PRIu64, value.id, value.value);
		if (values->format & PERF_FORMAT_LOST)
			fprintf(out, " lost %" PRIu64, value.lost);
	}
	if (values->format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		fprintf(out, " enabled %" PRIu64, values->time_enabled);
	if (values->format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		fprintf(out, " running %" PRIu64, values->time_running);
}

static void print_sample(FILE *out, const struct record *r)
{
	fprintf(out, "(IP, %#x): %" PRId32 "/%" PRId32 ": %#" PRIx64 " period: %" PRIu64
		" addr: %#" PRIx64, r->misc, (int32_t)r->id.pid, (int32_t)r->id.tid, r->sample.ip,
		r->sample.period, r->sample.addr);
}

/* Print the namespaces on several lines, as programs expect them. */
static void print_namespaces(FILE *out, const struct record *r)
{
	/* Names of *_NS_INDEX, see <linux/perf_event.h>. */
	static const char *const names[] = {
		"net", "uts", "ipc", "pid", "user", "mnt", "cgroup",
	};
	uint64_t i;

	fprintf(out, " %" PRId32 "/%" PRId32 " - nr_namespaces: %" PRIu64 "\n\t\t[",
		(int32_t)r->namespaces.pid, (int32_t)r->namespaces.tid, r->namespaces.nr);
	for (i = 0; i < r->namespaces.nr; i++) {
		if (i)
			fprintf(out, ", %s", i % 4 ? "" : "\n\t\t ");
		fprintf(out, "%" PRIu64 "/%s: %" PRIu64 "/%#" PRIx64, i,
			i < ARRAY_SIZE(names) ? names[i] : "unknown", r->namespaces.links[i].dev,
			r->namespaces.links[i].ino);
	}
	fputc(']', out);
}

static const char *switch_direction(const struct record *r)
{
	if (!(r->misc & PERF_RECORD_MISC_SWITCH_OUT))
		return "IN";
	return r->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt" : "OUT";
}

static void print_bytes(FILE *out, const char *what, const uint8_t *bytes, size_t nr)
{
	size_t i;

	fprintf(out, "\n            %s bytes:", what);
	for (i = 0; i < nr; i++)
		fprintf(out, " %02x", bytes[i]);
}

static void print_text_poke(FILE *out, const struct record *r)
{
	fprintf(out, " %" PRIx64 " old len %u new len %u", r->text_poke.addr,
		r->text_poke.old_len, r->text_poke.new_len);
	print_bytes(out, "Old", r->text_poke.old, r->text_poke.old_len);
	print_bytes(out, "New", r->text_poke.new, r->text_poke.new_len);
}

/**
 * record_print() - Print a record of the kernel, without a newline at the end
 * @out: stream to print to
 * @r: record
 */
void record_print(FILE *out, const struct record *r)
{
	fprintf(out, "PERF_RECORD_%s", record_type_name(r->type));
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_MUNMAP:
		print_mmap(out, r);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		fprintf(out, " lost %" PRIu64, r->lost.lost);
		break;
	case PERF_RECORD_COMM:
		fputs(r->comm.exec ? " exec: " : ": ", out);
		fput_name(r->comm.comm, out);
		fprintf(out, ":%" PRId32 "/%" PRId32, (int32_t)r->comm.pid, (int32_t)r->comm.tid);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		fprintf(out, "(%" PRId32 ":%" PRId32 "):(%" PRId32 ":%" PRId32 ")",
			(int32_t)r->task.pid, (int32_t)r->task.tid, (int32_t)r->task.ppid,
			(int32_t)r->task.ptid);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		fprintf(out, " id %" PRIu64 " stream_id %" PRIu64, r->throttle.id,
			r->throttle.stream_id);
		break;
	case PERF_RECORD_READ:
		print_read(out, r);
		break;
	case PERF_RECORD_SAMPLE:
		print_sample(out, r);
		break;
	case PERF_RECORD_AUX:
		fprintf(out, " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64,
			r->aux.offset, r->aux.size, r->aux.flags);
		break;
	case PERF_RECORD_NAMESPACES:
		print_namespaces(out, r);
		break;
	case PERF_RECORD_ITRACE_START:
		fprintf(out, " pid: %" PRId32 " tid: %" PRId32, (int32_t)r->task_id.pid,
			(int32_t)r->task_id.tid);
		break;
	case PERF_RECORD_SWITCH:
		fprintf(out, " %-11s", switch_direction(r));
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		fprintf(out, " %-11s  %s pid/tid: %5" PRId32 "/%-5" PRId32, switch_direction(r),
			r->misc & PERF_RECORD_MISC_SWITCH_OUT ? "next" : "prev",
			(int32_t)r->task_id.pid, (int32_t)r->task_id.tid);
		break;
	case PERF_RECORD_KSYMBOL:
		fprintf(out, " addr %" PRIx64 " len %u type %u flags 0x%x name ", r->ksymbol.addr,
			r->ksymbol.len, r->ksymbol.type, r->ksymbol.flags);
		fput_name(r->ksymbol.name, out);
		break;
	case PERF_RECORD_BPF_EVENT:
		fprintf(out, " type %u, flags %u, id %u", r->bpf.type, r->bpf.flags, r->bpf.id);
		break;
	case PERF_RECORD_CGROUP:
		fprintf(out, " cgroup: %" PRIu64 " ", r->cgroup.id);
		fput_name(r->cgroup.path, out);
		break;
	case PERF_RECORD_TEXT_POKE:
		print_text_poke(out, r);
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		fprintf(out, " hw_id: 0x%" PRIx64, r->hw_id);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		fprintf(out, " cookie: 0x%" PRIx64 ", nr: %" PRIu64, r->deferred.cookie,
			r->deferred.nr);
		break;
	}
}

static void print_read_of_sample(FILE *out, const struct sample *s)
{
	struct read_value value;
	uint64_t i;

	for (i = 0; i < s->read.nr; i++) {
		read_values_get(&s->read, i, &value);
		fprintf(out, "..... id %" PRIu64 ", value %" PRIu64 "\n", value.id, value.value);
	}
}

/* Print branch records in the order of the sample, the youngest first. */
static void print_branches(FILE *out, const struct branch_stack *stack)
{
	bool calls = branches_are_calls(stack->type);
	uint64_t i;

	fprintf(out, "... branch %s: nr:%" PRIu64, calls ? "callstack" : "stack", stack->nr);
	if (stack->hw_idx != BRANCH_NO_INDEX)
		fprintf(out, " hw_idx:%" PRIu64, stack->hw_idx);
	fputc('\n', out);
	for (i = 0; i < stack->nr; i++) {
		struct perf_branch_entry e = branch_get(stack, i);

		fprintf(out, "..... %2" PRIu64 ": %016" PRIx64 " -> %016" PRIx64, i,
			(uint64_t)e.from, (uint64_t)e.to);
		fprintf(out, " %u cycles %c%c%c%c %s\n", (unsigned int)e.cycles,
			e.mispred ? 'M' : ' ', e.predicted ? 'P' : ' ', e.abort ? 'A' : ' ',
			e.in_tx ? 'T' : ' ', branch_type_name(&e));
	}
}

/**
 * record_print_details() - Print the parts of a sample that have lines of their own
 * @out: stream to print to
 * @events: events of the recording
 * @r: record; only samples are printed
 */
void record_print_details(FILE *out, const struct event_table *events, const struct record *r)
{
	const struct sample *s = &r->sample;
	uint64_t i, type;

	if (r->type != PERF_RECORD_SAMPLE)
		return;
	type = events->events[r->event].attr.sample_type;
	fputs("... event: ", out);
	fput_name(events->events[r->event].name, out);
	fputc('\n', out);
	if (r->id.has_cpu)
		fprintf(out, "... cpu: %" PRIu32 "\n", r->id.cpu);
	if (type & PERF_SAMPLE_READ)
		print_read_of_sample(out, s);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		fprintf(out, "... FP chain: nr:%" PRIu64 "\n", s->chain_nr);
		for (i = 0; i < s->chain_nr; i++)
			fprintf(out, "..... %2" PRIu64 ": %016" PRIx64 "\n", i, s->chain[i]);
	}
	if (type & PERF_SAMPLE_RAW)
		fprintf(out, "... raw: %" PRIu32 " bytes\n", s->raw_size);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		print_branches(out, &s->branches);
	if (type & PERF_SAMPLE_STACK_USER)
		fprintf(out, "... ustack: size %" PRIu64 "\n", s->user_stack_size);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		fprintf(out, "... weight: %" PRIu64 "\n", s->weight);
	if (type & PERF_SAMPLE_DATA_SRC)
		fprintf(out, "... data_src: 0x%" PRIx64 "\n", s->data_src);
	if (type & PERF_SAMPLE_TRANSACTION)
		fprintf(out, "... transaction: %" PRIx64 "\n", s->transaction);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		fprintf(out, "... phys_addr: 0x%" PRIx64 "\n", s->phys_addr);
	if (type & PERF_SAMPLE_CGROUP)
		fprintf(out, "... cgroup: %" PRIu64 "\n", s->cgroup);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		fprintf(out, "... data page size: %" PRIu64 "\n", s->data_page_size);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		fprintf(out, "... code page size: %" PRIu64 "\n", s->code_page_size);
}
