// SPDX-License-Identifier: GPL-2.0
/*
 * What the record of a tracepoint says.
 */
#include "trace_text.h"

/* A function of the kernel, for whoever prints records. */
static const char *function_name(void *context, uint64_t *addr)
{
	struct session *session = context;
	struct location at;

	machine_resolve(&session->machine, NULL, MODE_KERNEL, *addr, &at);
	if (!at.symbol)
		return NULL;
	*addr -= at.symbol_offset;
	return symbol_name(at.symbol);
}

void session_print_trace(struct session *session, FILE *out, const struct perf_event_attr *attr,
			 const struct record *record)
{
	struct tracing_data *tracing = data_reader_features(session->reader)->tracing;
	const struct sample *sample = &record->sample;
	const uint8_t *bytes = sample->raw;
	uint32_t i;

	if (tracing)
		tracing_data_name_functions(tracing, function_name, session);
	if (tracing_data_print(tracing, out, attr->config, record->id.cpu, sample->raw,
			       sample->raw_size))
		return;
	fputs("[unknown]", out);
	for (i = 0; i < sample->raw_size; i++)
		fprintf(out, " %02x", bytes[i]);
}
