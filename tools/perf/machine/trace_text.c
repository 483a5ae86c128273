// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the raw data of samples.
 */
#include <string.h>

#include "trace_text.h"

#include "../../../include/uapi/linux/perf_counter.h"

_Static_assert(EVENT_SW_OFF_CPU == PERF_COUNT_SW_OFF_CPU, "the table of names says otherwise");

/* A callback of libtraceevent that names a function of the kernel. */
static const char *function_name(void *context, uint64_t *addr)
{
	struct machine *machine = context;
	struct location at;

	machine_resolve(machine, NULL, MODE_KERNEL, *addr, &at);
	if (!at.symbol)
		return NULL;
	*addr -= at.symbol_offset;
	return symbol_name(at.symbol);
}

/* Names of PERF_COUNTER_OFF_CPU_*. */
static const char *const reasons[] = {
	[PERF_COUNTER_OFF_CPU_UNKNOWN]		= "unknown",
	[PERF_COUNTER_OFF_CPU_RUNNABLE]		= "runnable",
	[PERF_COUNTER_OFF_CPU_SLEEPING]		= "sleeping",
	[PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE]	= "uninterruptible",
	[PERF_COUNTER_OFF_CPU_IO]		= "I/O",
	[PERF_COUNTER_OFF_CPU_STOPPED]		= "stopped",
};

/* Print why a task was off the CPU. Return: false if the data are too short or unknown. */
static bool print_off_cpu(FILE *out, const struct sample *sample)
{
	struct perf_counter_off_cpu off;

	if (sample->raw_size < sizeof(off))
		return false;
	memcpy(&off, sample->raw, sizeof(off));
	if (off.reason >= ARRAY_SIZE(reasons))
		return false;
	fputs(reasons[off.reason], out);
	return true;
}

static bool print_tracepoint(struct machine *machine, struct tracing_data *tracing, FILE *out,
			     uint64_t id, const struct record *record)
{
	if (tracing)
		tracing_data_name_functions(tracing, function_name, machine);
	return tracing_data_print(tracing, out, id, record->id.cpu, record->sample.raw,
				  record->sample.raw_size);
}

void machine_print_trace(struct machine *machine, struct tracing_data *tracing, FILE *out,
			 const struct perf_event_attr *attr, const struct record *record)
{
	const struct sample *sample = &record->sample;
	const uint8_t *bytes = sample->raw;
	uint32_t i;

	if (event_is_off_cpu(attr) ? print_off_cpu(out, sample) :
				     print_tracepoint(machine, tracing, out, attr->config, record))
		return;
	fputs("[unknown]", out);
	for (i = 0; i < sample->raw_size; i++)
		fprintf(out, " %02x", bytes[i]);
}

void session_print_trace(struct session *session, FILE *out, const struct perf_event_attr *attr,
			 const struct record *record)
{
	machine_print_trace(&session->machine, data_reader_features(session->reader)->tracing, out,
			    attr, record);
}

bool session_has_field(const struct session *session, const struct perf_event_attr *attr,
		       const char *field)
{
	const struct tracing_data *tracing = data_reader_features(session->reader)->tracing;

	return attr->type == PERF_TYPE_TRACEPOINT &&
	       tracing_data_has_field(tracing, attr->config, field);
}

void session_print_field(const struct session *session, FILE *out,
			 const struct perf_event_attr *attr, const struct record *record,
			 const char *field)
{
	const struct tracing_data *tracing = data_reader_features(session->reader)->tracing;
	const struct sample *sample = &record->sample;
	uint64_t state;

	if (!strcmp(field, "prev_state") &&
	    tracing_data_number(tracing, attr->config, sample->raw, sample->raw_size, field,
				&state)) {
		fputc(task_state_letter(state), out);
		if (state > TASK_STATE_SLEEPS)
			fputc('+', out);
		return;
	}
	if (!tracing_data_print_field(tracing, out, attr->config, sample->raw, sample->raw_size,
				      field))
		fputs("[unknown]", out);
}
