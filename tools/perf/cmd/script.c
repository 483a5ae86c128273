// SPDX-License-Identifier: GPL-2.0
/*
 * perf script: each sample of a recording in one paragraph, for people and for programs such as
 * flame-graph scripts. The format is that of the kernel's perf script: programs parse it, so
 * every blank matters.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "machine/machine.h"
#include "measure/measure.h"
#include "report/report.h"
#include "symbol/symbol.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"
#include "option_values.h"
#include "pager.h"
#include "sample_filter.h"

enum field {
	FIELD_COMM	= 1ULL << 0,
	FIELD_TID	= 1ULL << 1,
	FIELD_PID	= 1ULL << 2,
	FIELD_TIME	= 1ULL << 3,
	FIELD_CPU	= 1ULL << 4,
	FIELD_EVENT	= 1ULL << 5,
	FIELD_IP	= 1ULL << 6,
	FIELD_SYM	= 1ULL << 7,
	FIELD_SYMOFF	= 1ULL << 8,
	FIELD_DSO	= 1ULL << 9,
	FIELD_PERIOD	= 1ULL << 10,
	FIELD_ADDR	= 1ULL << 11,
	FIELD_DATA_SRC	= 1ULL << 12,
	FIELD_WEIGHT	= 1ULL << 13,
	FIELD_INS_LAT	= 1ULL << 14,
	FIELD_IREGS	= 1ULL << 15,
	FIELD_UREGS	= 1ULL << 16,
	FIELD_PHYS_ADDR	= 1ULL << 17,
	FIELD_DATA_PAGE_SIZE = 1ULL << 18,
	FIELD_CODE_PAGE_SIZE = 1ULL << 19,
	FIELD_TRACE	= 1ULL << 20,
	FIELD_BRSTACK	= 1ULL << 21,
	FIELD_BRSTACKSYM = 1ULL << 22,
	FIELD_BRSTACKOFF = 1ULL << 23,
	FIELD_SRCLINE	= 1ULL << 24,
	FIELD_CGROUP	= 1ULL << 30,
	FIELD_DSOFF	= 1ULL << 31,
	FIELD_INSN	= 1ULL << 32,
	FIELD_INSNLEN	= 1ULL << 33,
	FIELD_FLAGS	= 1ULL << 34,
	FIELD_NOTHING	= 1ULL << 35,	/* fields of traces of the hardware */
};

#define DEFAULT_FIELDS (FIELD_COMM | FIELD_TID | FIELD_TIME | FIELD_CPU | FIELD_EVENT | \
			FIELD_IP | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO | FIELD_PERIOD)

/* A tracepoint shows the text of its record instead of its code, unless it has a call chain. */
#define TRACE_FIELDS (FIELD_COMM | FIELD_TID | FIELD_TIME | FIELD_CPU | FIELD_EVENT | FIELD_TRACE)
#define CODE_FIELDS (FIELD_IP | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO | FIELD_DSOFF | \
		     FIELD_SRCLINE)

/* Width of the flags, with the blanks around them. */
#define FLAGS_WIDTH 24

#define FIELD_NAMES "comm, tid, pid, time, cpu, cgroup, event, trace, ip, sym, symoff, dso, dsoff, srcline, period, " \
	"addr, data_src, weight, ins_lat, iregs, uregs, brstack, brstacksym, brstackoff, " \
	"phys_addr, data_page_size, code_page_size, insn, insnlen, flags, callindent, ipc, synth"

/*
 * The fields. An event has a field if its sample_type has at least one of the PERF_SAMPLE_ bits
 * here, or if there are no bits (0).
 */
static const struct {
	const char *name;
	enum field field;
	uint64_t sample_type;
} field_table[] = {
	{ "comm", FIELD_COMM, 0 },
	{ "tid", FIELD_TID, PERF_SAMPLE_TID },
	{ "pid", FIELD_PID, PERF_SAMPLE_TID },
	{ "time", FIELD_TIME, PERF_SAMPLE_TIME },
	{ "cpu", FIELD_CPU, PERF_SAMPLE_CPU },
	{ "cgroup", FIELD_CGROUP, PERF_SAMPLE_CGROUP },
	{ "event", FIELD_EVENT, 0 },
	{ "trace", FIELD_TRACE, PERF_SAMPLE_RAW },
	{ "ip", FIELD_IP, PERF_SAMPLE_IP },
	{ "sym", FIELD_SYM, PERF_SAMPLE_IP },
	{ "symoff", FIELD_SYMOFF, PERF_SAMPLE_IP },
	{ "dso", FIELD_DSO, PERF_SAMPLE_IP },
	{ "dsoff", FIELD_DSOFF, PERF_SAMPLE_IP },
	{ "srcline", FIELD_SRCLINE, PERF_SAMPLE_IP },
	{ "period", FIELD_PERIOD, 0 },
	{ "addr", FIELD_ADDR, PERF_SAMPLE_ADDR },
	{ "data_src", FIELD_DATA_SRC, PERF_SAMPLE_DATA_SRC },
	{ "weight", FIELD_WEIGHT, PERF_SAMPLE_WEIGHT_TYPE },
	{ "ins_lat", FIELD_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT },
	{ "iregs", FIELD_IREGS, PERF_SAMPLE_REGS_INTR },
	{ "uregs", FIELD_UREGS, PERF_SAMPLE_REGS_USER },
	{ "brstack", FIELD_BRSTACK, PERF_SAMPLE_BRANCH_STACK },
	{ "brstacksym", FIELD_BRSTACKSYM, PERF_SAMPLE_BRANCH_STACK },
	{ "brstackoff", FIELD_BRSTACKOFF, PERF_SAMPLE_BRANCH_STACK },
	{ "phys_addr", FIELD_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR },
	{ "data_page_size", FIELD_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE },
	{ "code_page_size", FIELD_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE },
	{ "insn", FIELD_INSN, PERF_SAMPLE_IP },
	{ "insnlen", FIELD_INSNLEN, PERF_SAMPLE_IP },
	{ "flags", FIELD_FLAGS, 0 },
	{ "callindent", FIELD_NOTHING, 0 },
	{ "ipc", FIELD_NOTHING, 0 },
	{ "synth", FIELD_NOTHING, 0 },
};

/* Fields of the kernel's perf that this tool does not print, and the replacements. */
static const struct {
	const char *name;
	const char *instead;
} refused_fields[] = {
	{ "brstackinsn", "use brstack, and 'perf annotate' for the code between two branches" },
	{ "brstackinsnlen", "use brstack, and 'perf annotate' for the code between two branches" },
	{ "brstackdisasm", "use brstack, and 'perf annotate' for the code between two branches" },
	{ "brcntr", "counters of branch records are not recorded; use brstack" },
	{ "disasm", "use insn, or 'perf annotate'" },
	{ "srccode", "use srcline, or 'perf annotate'" },
	{ "tod", "record with 'perf record -k realtime', and use time" },
	{ "metric", "use 'perf stat -M'" },
	{ "misc", "use sym and dso, which tell the kernel from programs" },
	{ "bpf-output", "use trace" },
	{ "retire_lat", "use weight and ins_lat" },
	{ "machine_pid", "guests are not reported; record inside the guest" },
	{ "vcpu", "guests are not reported; record inside the guest" },
};

/* The forms of times. */
enum times {
	TIMES_ABSOLUTE,
	TIMES_RELATIVE,		/* since the first sample */
	TIMES_DELTA,		/* since the previous sample */
};

/**
 * struct script - options of perf script
 * @input: options that choose the recording
 * @fields: fields to print of a sample
 * @trace_fields: fields to print of a sample of a tracepoint
 * @asked: fields that the user named, which every event must have
 * @filter: options that choose samples
 * @dsos: names of the files whose samples are printed, separated by commas; NULL: all
 * @max_stack: maximum number of functions of a chain that are printed; 0: all
 * @header: print the header of the recording, too
 * @header_only: print only the header
 * @times: form of the times
 * @time_before: time from which the next one counts, with TIMES_RELATIVE and TIMES_DELTA
 * @hide_chains: print only the sampled function of a call chain
 * @tasks: print COMM, FORK and EXIT records, too
 * @mmaps: print MMAP and MUNMAP records, too
 * @switches: print records of context switches, too
 * @namespaces: print NAMESPACES records, too
 * @cgroups: print CGROUP records, too
 * @bpf: print KSYMBOL and BPF_EVENT records, too
 * @text_pokes: print TEXT_POKE records, too
 * @losses: print LOST records, too
 * @nanoseconds: print all digits of times
 * @chain: call chain of the current sample
 * @text: text that is not printed yet; empty while others print
 * @insns: instructions that have been read
 * @name_width: width of the longest event name
 * @data_src_width: width of the longest data source so far
 * @prepared: the list of the recording's events has been checked
 * @refused: an event lacks a field that the user asked for
 */
struct script {
	struct input_options input;
	uint64_t fields;
	uint64_t trace_fields;
	uint64_t asked;
	struct sample_filter filter;
	const char *dsos;
	size_t max_stack;
	bool header;
	bool header_only;
	enum times times;
	uint64_t time_before;
	bool hide_chains;
	bool tasks;
	bool mmaps;
	bool switches;
	bool namespaces;
	bool cgroups;
	bool bpf;
	bool text_pokes;
	bool losses;
	bool nanoseconds;
	struct callchain chain;
	struct text_buffer text;
	struct insn_cache insns;
	int name_width;
	int data_src_width;
	bool prepared;
	bool refused;
};

static bool has_chains(const struct script *script, const struct perf_event_attr *attr)
{
	return (script->fields & FIELD_IP) && (attr->sample_type & PERF_SAMPLE_CALLCHAIN) &&
	       !script->hide_chains;
}

static bool has_field(const struct perf_event_attr *attr, size_t i)
{
	return !field_table[i].sample_type || field_table[i].sample_type & attr->sample_type;
}

/* Return the fields to print for an event. Fields that the event does not have are left out. */
static uint64_t fields_of(const struct script *script, const struct perf_event_attr *attr)
{
	uint64_t fields = script->fields;
	size_t i;

	if (attr->type == PERF_TYPE_TRACEPOINT) {
		fields = script->trace_fields;
		if ((attr->sample_type & PERF_SAMPLE_CALLCHAIN) && !script->hide_chains)
			fields |= script->fields & CODE_FIELDS;
	}

	for (i = 0; i < ARRAY_SIZE(field_table); i++) {
		if (!has_field(attr, i))
			fields &= ~field_table[i].field;
	}
	return fields;
}

/* Return the time to print. */
static uint64_t shown_time(struct script *script, uint64_t time)
{
	uint64_t before = script->time_before;

	if (script->times == TIMES_ABSOLUTE)
		return time;
	if (!before || script->times == TIMES_DELTA)
		script->time_before = time;
	return before && time > before ? time - before : 0;
}

static void add_time(struct script *script, uint64_t time)
{
	struct text_buffer *text = &script->text;
	uint64_t seconds, ns;

	time = shown_time(script, time);
	seconds = time / 1000000000;
	ns = time % 1000000000;
	text_buffer_add_number(text, seconds, 5, ' ');
	text_buffer_add_char(text, '.');
	if (script->nanoseconds)
		text_buffer_add_number(text, ns, 9, '0');
	else
		text_buffer_add_number(text, ns / 1000, 6, '0');
	text_buffer_add(text, ": ");
}

static void add_task(struct script *script, uint64_t fields, int32_t pid, int32_t tid)
{
	struct text_buffer *text = &script->text;
	size_t start, size;

	if ((fields & FIELD_PID) && (fields & FIELD_TID)) {
		text_buffer_add_number(text, pid, 5, ' ');
		text_buffer_add_char(text, '/');
		start = text->nr;
		text_buffer_add_number(text, tid, 0, ' ');
		size = text->nr - start;
		text_buffer_add_chars(text, ' ', size < 5 ? 5 - size : 0);
	} else {
		text_buffer_add_number(text, fields & FIELD_PID ? pid : tid, 5, ' ');
	}
	text_buffer_add_char(text, ' ');
}

static void print_start(struct script *script, const struct perf_event_attr *attr,
			uint64_t fields, const struct thread *thread,
			const struct record_id *id)
{
	struct text_buffer *text = &script->text;
	size_t size;

	if (fields & FIELD_COMM) {
		size = strlen(thread->comm);
		if (!has_chains(script, attr) && size < 16)
			text_buffer_add_chars(text, ' ', 16 - size);
		text_buffer_add_bytes(text, thread->comm, size);
		text_buffer_add_char(text, ' ');
	}
	if (fields & (FIELD_PID | FIELD_TID))
		add_task(script, fields, id->pid, id->tid);
	if (fields & FIELD_CPU) {
		text_buffer_add_char(text, '[');
		text_buffer_add_number(text, id->cpu, 3, '0');
		text_buffer_add(text, "] ");
	}
	if (fields & FIELD_TIME)
		add_time(script, id->time);
	text_buffer_print(text, stdout);
}

static void add_offset(struct text_buffer *text, uint64_t offset)
{
	text_buffer_add(text, "+0x");
	text_buffer_add_hex(text, offset, 0);
}

/* Add the file of an address, and where the address is in the file. */
static void add_dso(struct text_buffer *text, uint64_t fields, const struct location *at)
{
	text_buffer_add(text, " (");
	text_buffer_add(text, at->dso ? at->dso->long_name : "[unknown]");
	if (fields & FIELD_DSOFF && at->dso && at->mode == MODE_USER)
		add_offset(text, at->addr);
	text_buffer_add_char(text, ')');
}

static void add_line(struct text_buffer *text, const struct location *at)
{
	char *line = location_line_text(at);

	text_buffer_add(text, "\n  ");
	text_buffer_add(text, line);
	free(line);
}

static void add_location(struct text_buffer *text, uint64_t fields, const struct location *at,
			 uint64_t ip)
{
	bool inlined = at->symbol && at->symbol->inlined;

	text_buffer_add_hex(text, ip, 16);
	if (fields & FIELD_SYM) {
		text_buffer_add_char(text, ' ');
		text_buffer_add(text, at->symbol ? symbol_name(at->symbol) : "[unknown]");
		if ((fields & FIELD_SYMOFF) && at->symbol)
			add_offset(text, at->symbol_offset);
	}
	if (fields & (FIELD_DSO | FIELD_DSOFF) && !inlined)
		add_dso(text, fields, at);
	if (fields & FIELD_SRCLINE && at->dso)
		add_line(text, at);
	if (inlined)
		text_buffer_add(text, symbol_suffix(at->symbol));
}

/*
 * Programs that parse the chains expect an address in each line, so the mark of missing callers
 * has that of the next frame.
 */
static void print_chain(struct script *script, uint64_t fields)
{
	struct text_buffer *text = &script->text;
	size_t i;

	text_buffer_add_char(text, '\n');
	for (i = 0; i < script->chain.nr; i++) {
		const struct location *at = &script->chain.frames[i];

		text_buffer_add_char(text, '\t');
		add_location(text, fields, at, at->mode == MODE_NOWHERE ? at[1].ip : at->ip);
		text_buffer_add_char(text, '\n');
	}
	text_buffer_print(text, stdout);
}

/* Print the memory access of the sampled instruction. */
static void print_access(struct script *script, uint64_t fields,
			 const struct perf_event_attr *attr, const struct sample *sample)
{
	const union perf_sample_weight weight = { .full = sample->weight };
	bool is_struct = attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT;

	if (fields & FIELD_ADDR)
		printf("%16" PRIx64, sample->addr);
	if (fields & FIELD_DATA_SRC)
		sample_print_data_src(stdout, sample->data_src, &script->data_src_width);
	if (fields & FIELD_WEIGHT)
		printf("%16" PRIu64, is_struct ? weight.var1_dw : sample->weight);
	if (fields & FIELD_INS_LAT)
		printf("%16" PRIu16, weight.var2_w);
}

/* Print the call chain, or the sampled function. */
static void print_code(struct script *script, struct machine *machine, uint64_t fields,
		       struct thread *thread, const struct record *record,
		       const struct perf_event_attr *attr)
{
	struct location at;

	if (has_chains(script, attr)) {
		callchain_resolve(&script->chain, machine, thread, record);
		if (script->max_stack && script->chain.nr > script->max_stack)
			script->chain.nr = script->max_stack;
		if (script->chain.nr) {
			print_chain(script, fields);
			return;
		}
	}
	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &at);
	text_buffer_add_char(&script->text, ' ');
	add_location(&script->text, fields, &at, record->sample.ip);
	text_buffer_print(&script->text, stdout);
}

static void print_registers(uint64_t fields, const struct sample *sample, enum arch arch)
{
	if (fields & FIELD_IREGS)
		sample_print_regs(stdout, &sample->intr_regs, arch);
	if (fields & FIELD_UREGS)
		sample_print_regs(stdout, &sample->user_regs, arch);
}

static void print_branches(struct machine *machine, const struct thread *thread,
			   const struct record *record, enum branch_form form, bool with_dso)
{
	struct branch branch;
	uint64_t i;

	for (i = 0; i < record->sample.branches.nr; i++) {
		branch_resolve(&branch, machine, thread, record, i);
		/* The blanks are those of the kernel's perf, as programs parse the line. */
		if (form != BRANCH_SYMBOL)
			putchar(' ');
		branch_print(stdout, &branch, form, with_dso);
		putchar(' ');
	}
}

static void print_branch_stacks(struct machine *machine, uint64_t fields,
				const struct thread *thread, const struct record *record)
{
	bool with_dso = fields & FIELD_DSO;

	if (fields & FIELD_BRSTACK)
		print_branches(machine, thread, record, BRANCH_ADDRESS, with_dso);
	if (fields & FIELD_BRSTACKSYM)
		print_branches(machine, thread, record, BRANCH_SYMBOL, with_dso);
	if (fields & FIELD_BRSTACKOFF)
		print_branches(machine, thread, record, BRANCH_OFFSET, with_dso);
}

/* Print the fields that come last. */
static void print_end(uint64_t fields, const struct sample *sample)
{
	if (fields & FIELD_PHYS_ADDR)
		printf("%16" PRIx64, sample->phys_addr);
	if (fields & FIELD_DATA_PAGE_SIZE) {
		putchar(' ');
		sample_print_page_size(stdout, sample->data_page_size);
	}
	if (fields & FIELD_CODE_PAGE_SIZE) {
		putchar(' ');
		sample_print_page_size(stdout, sample->code_page_size);
	}
	putchar('\n');
}

static void print_insn(struct script *script, struct machine *machine, uint64_t fields,
		       const struct thread *thread, const struct record *record)
{
	struct location at;

	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &at);
	insn_print(stdout, &script->insns, &at, fields & FIELD_INSNLEN, fields & FIELD_INSN);
}

static bool is_wanted(const struct script *script, const struct thread *thread)
{
	return sample_filter_wants_task(&script->filter, thread->process->pid, thread->tid) &&
	       in_list(script->input.comms, thread->comm);
}

/* Return true if the function of a sample is wanted. */
static bool is_wanted_code(const struct script *script, struct machine *machine,
			   struct thread *thread, const struct record *record)
{
	const struct sample_filter *f = &script->filter;
	struct location at;

	if (!f->symbols && !f->part && !f->hide_unresolved && !script->dsos)
		return true;
	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip, &at);
	if (f->hide_unresolved && !at.symbol)
		return false;
	if (script->dsos && !(at.dso && (in_list(script->dsos, at.dso->name) ||
					 in_list(script->dsos, at.dso->long_name))))
		return false;
	return sample_filter_wants_symbol(f, &at);
}

static void print_sample(struct script *script, struct session *session,
			 const struct record *record)
{
	const struct event_table *events = data_reader_events(session->reader);
	const struct data_event *event = &events->events[record->event];
	uint64_t fields = fields_of(script, &event->attr);
	struct machine *machine = &session->machine;
	struct thread *thread;

	thread = thread_get(&machine->threads, record->id.pid, record->id.tid);
	if (!is_wanted(script, thread) || !sample_filter_wants(&script->filter, record) ||
	    !is_wanted_code(script, machine, thread, record))
		return;
	print_start(script, &event->attr, fields, thread, &record->id);
	if (fields & FIELD_PERIOD)
		printf("%10" PRIu64 " ", record->sample.period);
	if (fields & FIELD_EVENT) {
		printf("%*s", script->name_width - (int)strlen(event->name), "");
		fput_name(event->name, stdout);
		fputs(": ", stdout);
	}
	/* Only traces of the hardware have flags; the column is blank for samples. */
	if (fields & FIELD_FLAGS)
		printf("%*s", FLAGS_WIDTH, "");
	if (fields & FIELD_TRACE)
		session_print_trace(session, stdout, &event->attr, record);
	print_access(script, fields, &event->attr, &record->sample);
	if (fields & FIELD_CGROUP)
		printf(" %s", cgroups_path(&machine->cgroups, record->sample.cgroup));
	if (fields & FIELD_IP)
		print_code(script, machine, fields, thread, record, &event->attr);
	print_registers(fields, &record->sample,
			data_features_arch(data_reader_features(session->reader)));
	print_branch_stacks(machine, fields, thread, record);
	if (fields & (FIELD_INSN | FIELD_INSNLEN))
		print_insn(script, machine, fields, thread, record);
	print_end(fields, &record->sample);
}

static void id_of_contents(const struct record *record, struct record_id *id)
{
	switch (record->type) {
	case PERF_RECORD_COMM:
		id->pid = record->comm.pid;
		id->tid = record->comm.tid;
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_MUNMAP:
		id->pid = record->mmap.pid;
		id->tid = record->mmap.tid;
		break;
	case PERF_RECORD_NAMESPACES:
		id->pid = record->namespaces.pid;
		id->tid = record->namespaces.tid;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		id->pid = record->task.pid;
		id->tid = record->task.tid;
		id->time = record->task.time;
		break;
	}
}

static void print_side_band(struct script *script, struct session *session,
			    const struct record *record)
{
	const struct perf_event_attr *attr =
		&data_reader_events(session->reader)->events[record->event].attr;
	uint64_t fields = fields_of(script, attr);
	struct record_id id = record->id;
	const struct thread *thread;

	/*
	 * A record that perf synthesized may lack a task id or time: use the id and time in its
	 * contents.
	 */
	if (!id.has_tid || !id.time)
		id_of_contents(record, &id);
	thread = thread_get(&session->machine.threads, id.pid, id.tid);
	if (!is_wanted(script, thread))
		return;
	print_start(script, attr, fields, thread, &id);
	record_print(stdout, record);
	putchar('\n');
}

static void check_fields(struct script *script, const struct data_event *event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(field_table); i++) {
		if (!(script->asked & field_table[i].field) || has_field(&event->attr, i))
			continue;
		complain("samples of '%s' do not have the field '%s'; leave it out of -F",
			 event->name, field_table[i].name);
		script->refused = true;
	}
}

/*
 * Check the events. Called before the first sample is printed, because the events of a pipe come
 * with the first records.
 */
static void prepare(struct script *script, const struct event_table *events)
{
	size_t i;

	script->prepared = true;
	/* The user's field "trace" needs only one event that has a text. */
	for (i = 0; i < events->nr && !event_has_trace(&events->events[i].attr); i++)
		;
	if (i < events->nr)
		script->asked &= ~FIELD_TRACE;
	for (i = 0; i < events->nr; i++) {
		int width = strlen(events->events[i].name);

		if (width > script->name_width)
			script->name_width = width;
		/* A dummy event records side-band records and has no samples. */
		if (!event_is_dummy(&events->events[i].attr))
			check_fields(script, &events->events[i]);
	}
}

static bool is_shown(const struct script *script, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return script->tasks;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_MUNMAP:
		return script->mmaps;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return script->switches;
	case PERF_RECORD_NAMESPACES:
		return script->namespaces;
	case PERF_RECORD_CGROUP:
		return script->cgroups;
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
		return script->bpf;
	case PERF_RECORD_TEXT_POKE:
		return script->text_pokes;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return script->losses;
	}
	return false;
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	struct script *script = context;

	if (!script->prepared)
		prepare(script, data_reader_events(session->reader));
	if (script->refused)
		return;
	if (record->type == PERF_RECORD_SAMPLE)
		print_sample(script, session, record);
	else if (is_shown(script, record->type))
		print_side_band(script, session, record);
}

static void refuse_field(struct argp_state *state, const char *name, size_t size)
{
	char *typed = xstrndup(name, size);
	struct suggestions near = { .typed = typed };
	struct error err;
	size_t i;

	error_set(&err, "-F: unknown field '%s'", typed);
	for (i = 0; i < ARRAY_SIZE(field_table); i++)
		suggestions_add(&near, field_table[i].name);
	if (!suggestions_say(&near, &err))
		error_add(&err, "; use " FIELD_NAMES);
	free(typed);
	argp_error(state, "%s", err.text);
}

static uint64_t parse_field(struct argp_state *state, const char *name, size_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(field_table); i++) {
		if (strlen(field_table[i].name) == size &&
		    !strncmp(field_table[i].name, name, size))
			return field_table[i].field;
	}
	for (i = 0; i < ARRAY_SIZE(refused_fields); i++) {
		if (strlen(refused_fields[i].name) == size &&
		    !strncmp(refused_fields[i].name, name, size))
			argp_failure(state, EXIT_USAGE, 0, "-F %s: %s", refused_fields[i].name,
				     refused_fields[i].instead);
	}
	refuse_field(state, name, size);
	return 0;
}

/*
 * Parse the type of event before a list of fields: tracepoints have fields of their own, all other
 * events share theirs. Return: the list.
 */
static const char *parse_type(const char *list, bool *traces, bool *others)
{
	static const char *const types[] = { "hw:", "sw:", "raw:", "synth:", "trace:" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (strncmp(list, types[i], strlen(types[i])))
			continue;
		*traces = !strcmp(types[i], "trace:");
		*others = !*traces;
		return list + strlen(types[i]);
	}
	return list;
}

/*
 * Parse the value of -F. "comm,ip,sym" stands for only these fields; "+addr,-period" adds fields to
 * the default fields and removes others.
 */
static void parse_fields(struct script *script, struct argp_state *state, const char *list)
{
	uint64_t fields = 0, trace_fields = 0;
	bool relative = false, traces = true, others = true;

	list = parse_type(list, &traces, &others);
	while (*list) {
		char sign = *list == '+' || *list == '-' ? *list++ : 0;
		size_t size = strcspn(list, ",");
		uint64_t field = parse_field(state, list, size);

		if (sign && !relative) {
			fields |= script->fields;
			trace_fields |= script->trace_fields;
			relative = true;
		}
		if (sign == '-') {
			fields &= ~field;
			trace_fields &= ~field;
			script->asked &= ~field;
		} else {
			fields |= field;
			trace_fields |= field;
			script->asked |= field;
		}
		list += size;
		list += *list == ',';
	}
	if (others)
		script->fields = fields;
	if (traces)
		script->trace_fields = trace_fields;
}

enum {
	OPTION_TASKS = 0x100,
	OPTION_MMAPS,
	OPTION_SWITCHES,
	OPTION_NAMESPACES,
	OPTION_CGROUPS,
	OPTION_BPF,
	OPTION_TEXT_POKES,
	OPTION_LOSSES,
	OPTION_NS,
	OPTION_MAX_STACK,
	OPTION_DSOS,
	OPTION_HEADER,
	OPTION_HEADER_ONLY,
	OPTION_RELATIVE,
	OPTION_DELTA,
	OPTION_NO_DEMANGLE,
};

static const struct argp_option option_table[] = {
	{ "fields", 'F', "FIELD[,FIELD...]", 0,
	  "Print " FIELD_NAMES "; + and - in front change the default", 0 },
	{ "hide-call-graph", 'G', NULL, 0, "Do not print call chains", 0 },
	{ "max-stack", OPTION_MAX_STACK, "N", 0, "Print at most N functions of a call chain", 0 },
	{ "dsos", OPTION_DSOS, "NAME[,NAME...]", 0, "Only samples in these programs and libraries",
	  0 },
	{ "header", OPTION_HEADER, NULL, 0, "Also print the header of the recording", 0 },
	{ "header-only", OPTION_HEADER_ONLY, NULL, 0, "Print only the header", 0 },
	{ "reltime", OPTION_RELATIVE, NULL, 0, "Print times since the first sample", 0 },
	{ "deltatime", OPTION_DELTA, NULL, 0, "Print times since the sample before", 0 },
	{ "no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Print names as compilers write them", 0 },
	{ "show-task-events", OPTION_TASKS, NULL, 0, "Also print COMM, FORK and EXIT records", 0 },
	{ "show-mmap-events", OPTION_MMAPS, NULL, 0, "Also print MMAP and MUNMAP records", 0 },
	{ "show-switch-events", OPTION_SWITCHES, NULL, 0, "Also print context switches", 0 },
	{ "show-namespace-events", OPTION_NAMESPACES, NULL, 0,
	  "Also print the namespaces of tasks", 0 },
	{ "show-cgroup-events", OPTION_CGROUPS, NULL, 0, "Also print control groups", 0 },
	{ "show-bpf-events", OPTION_BPF, NULL, 0,
	  "Also print BPF programs and functions that the kernel generates", 0 },
	{ "show-text-poke-events", OPTION_TEXT_POKES, NULL, 0,
	  "Also print changes of the kernel's code", 0 },
	{ "show-lost-events", OPTION_LOSSES, NULL, 0, "Also print LOST records", 0 },
	{ "ns", OPTION_NS, NULL, 0, "Print times in nanoseconds", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct script *script = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &script->input;
		state->child_inputs[1] = &script->filter;
		return 0;
	case 'F':
		parse_fields(script, state, arg);
		return 0;
	case 'G':
		script->hide_chains = true;
		return 0;
	case OPTION_MAX_STACK:
		script->max_stack = parse_number(state, "--max-stack", arg, 1, 1000000);
		return 0;
	case OPTION_DSOS:
		script->dsos = arg;
		return 0;
	case OPTION_HEADER:
		script->header = true;
		return 0;
	case OPTION_HEADER_ONLY:
		script->header_only = true;
		return 0;
	case OPTION_RELATIVE:
		script->times = TIMES_RELATIVE;
		return 0;
	case OPTION_DELTA:
		script->times = TIMES_DELTA;
		return 0;
	case OPTION_NO_DEMANGLE:
		demangle_disable();
		return 0;
	case OPTION_TASKS:
		script->tasks = true;
		return 0;
	case OPTION_MMAPS:
		script->mmaps = true;
		return 0;
	case OPTION_SWITCHES:
		script->switches = true;
		return 0;
	case OPTION_NAMESPACES:
		script->namespaces = true;
		return 0;
	case OPTION_CGROUPS:
		script->cgroups = true;
		return 0;
	case OPTION_BPF:
		script->bpf = true;
		return 0;
	case OPTION_TEXT_POKES:
		script->text_pokes = true;
		return 0;
	case OPTION_LOSSES:
		script->losses = true;
		return 0;
	case OPTION_NS:
		script->nanoseconds = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Refuse the command lines with which another perf runs a script: "report NAME", for example. */
static bool refuse_script(int argc, char **argv)
{
	if (argc < 3 || argv[2][0] == '-' ||
	    (strcmp(argv[1], "report") && strcmp(argv[1], "record")))
		return false;
	complain("there is no script '%s' here; perf report --html FILE makes a flame graph",
		 argv[2]);
	return true;
}

/**
 * cmd_script - perf script
 * @argc: number of strings in @argv
 * @argv: "perf script" and its arguments
 *
 * Return: the exit status.
 */
int cmd_script(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &input_argp, 0, NULL, 0 },
		{ &sample_filter_argp, 0, NULL, 0 },
		{ &script_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.doc = "Print the samples of a recording one by one.",
		.children = children,
	};
	static const struct session_handlers handlers = { .record = handle_record };
	struct script script = {
		.fields = DEFAULT_FIELDS, .trace_fields = TRACE_FIELDS,
	};
	struct session session;
	struct pager pager;
	int status;

	if (refuse_script(argc, argv))
		return EXIT_USAGE;
	parse_arguments(&argp, argc, argv, 0, &script);
	status = input_open(&session, &script.input);
	if (status)
		return status;
	status = sample_filter_start(&script.filter, &session);
	if (status) {
		sample_filter_free(&script.filter);
		session_close(&session);
		return status;
	}
	pager_start(&pager);
	if (script.header || script.header_only)
		report_header(stdout, &session);
	if (script.input.dump)
		dump_session(&session);
	else if (!script.header_only)
		session_run(&session, &handlers, &script);
	status = session_complain(&session);
	if (script.refused)
		status = EXIT_FAILED;
	notes_print(session.nr_samples);
	pager_end(&pager);
	callchain_free(&script.chain);
	text_buffer_free(&script.text);
	insn_cache_free(&script.insns);
	sample_filter_free(&script.filter);
	session_close(&session);
	return status;
}
