// SPDX-License-Identifier: GPL-2.0
/* Prints the attr with which an event was opened, in the format of the kernel's perf evlist -v. */
#include <inttypes.h>

#include "util/util.h"
#include "attr_print.h"

struct bit_name {
	uint64_t bit;
	const char *name;
};

static const struct bit_name sample_names[] = {
	{ PERF_SAMPLE_IP, "IP" },
	{ PERF_SAMPLE_TID, "TID" },
	{ PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" },
	{ PERF_SAMPLE_READ, "READ" },
	{ PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ PERF_SAMPLE_ID, "ID" },
	{ PERF_SAMPLE_CPU, "CPU" },
	{ PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" },
	{ PERF_SAMPLE_RAW, "RAW" },
	{ PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" },
	{ PERF_SAMPLE_REGS_USER, "REGS_USER" },
	{ PERF_SAMPLE_STACK_USER, "STACK_USER" },
	{ PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_REGS_INTR, "REGS_INTR" },
	{ PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ PERF_SAMPLE_WEIGHT, "WEIGHT" },
	{ PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ PERF_SAMPLE_AUX, "AUX" },
	{ PERF_SAMPLE_CGROUP, "CGROUP" },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ 0, NULL },
};

static const struct bit_name read_names[] = {
	{ PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ PERF_FORMAT_ID, "ID" },
	{ PERF_FORMAT_GROUP, "GROUP" },
	{ PERF_FORMAT_LOST, "LOST" },
	{ 0, NULL },
};

static void print_bits(FILE *out, const char *field, uint64_t bits, const struct bit_name *names)
{
	const char *between = "";

	if (!bits)
		return;
	fprintf(out, ", %s: ", field);
	for (; names->name; names++) {
		if (!(bits & names->bit))
			continue;
		fprintf(out, "%s%s", between, names->name);
		bits &= ~names->bit;
		between = "|";
	}
	if (bits)
		fprintf(out, "%s0x%" PRIx64, between, bits);
}

static void print_number(FILE *out, const char *field, uint64_t value)
{
	if (value)
		fprintf(out, ", %s: %" PRIu64, field, value);
}

static void print_hex(FILE *out, const char *field, uint64_t value)
{
	if (value)
		fprintf(out, ", %s: 0x%" PRIx64, field, value);
}

#define NUMBER(field) print_number(out, #field, attr->field)

void attr_print(FILE *out, const struct perf_event_attr *attr)
{
	fprintf(out, "type: %" PRIu32 ", size: %" PRIu32, attr->type, attr->size);
	print_hex(out, "config", attr->config);
	print_number(out, "{ sample_period, sample_freq }", attr->sample_period);
	print_bits(out, "sample_type", attr->sample_type, sample_names);
	print_bits(out, "read_format", attr->read_format, read_names);
	NUMBER(disabled);
	NUMBER(inherit);
	NUMBER(pinned);
	NUMBER(exclusive);
	NUMBER(exclude_user);
	NUMBER(exclude_kernel);
	NUMBER(exclude_hv);
	NUMBER(exclude_idle);
	NUMBER(mmap);
	NUMBER(comm);
	NUMBER(freq);
	NUMBER(inherit_stat);
	NUMBER(enable_on_exec);
	NUMBER(task);
	NUMBER(watermark);
	NUMBER(precise_ip);
	NUMBER(mmap_data);
	NUMBER(sample_id_all);
	NUMBER(exclude_host);
	NUMBER(exclude_guest);
	NUMBER(exclude_callchain_kernel);
	NUMBER(exclude_callchain_user);
	NUMBER(mmap2);
	NUMBER(comm_exec);
	NUMBER(use_clockid);
	NUMBER(context_switch);
	NUMBER(write_backward);
	NUMBER(namespaces);
	NUMBER(ksymbol);
	NUMBER(bpf_event);
	NUMBER(cgroup);
	NUMBER(text_poke);
	NUMBER(build_id);
	NUMBER(inherit_thread);
	NUMBER(remove_on_exec);
	NUMBER(sigtrap);
	if (attr->watermark)
		print_number(out, "{ wakeup_events, wakeup_watermark }", attr->wakeup_watermark);
	else
		print_number(out, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	NUMBER(bp_type);
	print_hex(out, "{ bp_addr, config1 }", attr->config1);
	print_hex(out, "{ bp_len, config2 }", attr->config2);
	print_hex(out, "branch_sample_type", attr->branch_sample_type);
	print_hex(out, "sample_regs_user", attr->sample_regs_user);
	NUMBER(sample_stack_user);
	if (attr->use_clockid)
		fprintf(out, ", clockid: %" PRId32, attr->clockid);
	print_hex(out, "sample_regs_intr", attr->sample_regs_intr);
	NUMBER(sample_max_stack);
}
