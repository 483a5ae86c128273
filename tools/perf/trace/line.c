// SPDX-License-Identifier: GPL-2.0
/*
 * Prints a line for each event of perf trace.
 */
#include "line.h"

#define NS_PER_MS 1e6

/* Return the time to print, in ms: since the first line, or absolute. */
static double shown_time(struct line_style *style, uint64_t time)
{
	if (!style->first)
		style->first = time;
	if (style->absolute)
		return time / NS_PER_MS;
	return ((double)time - (double)style->first) / NS_PER_MS;
}

/* Return the time of the call: its start or, if that was not seen, its return. */
static uint64_t time_of(const struct call *call)
{
	return call->begin ? call->begin : call->end;
}

static void print_thread_json(const struct line_style *style, const struct thread *thread,
			      uint64_t time)
{
	fprintf(style->out, "{\"time_ns\": %llu, \"comm\": ", (unsigned long long)time);
	json_print_string(style->out, thread->comm);
	fprintf(style->out, ", \"pid\": %u, \"tid\": %u, ", thread->process->pid, thread->tid);
}

/* Blanks before each function of a call chain, as many as the kernel's perf prints. */
#define CHAIN_INDENT 39

/* Return the number of functions to print. */
static size_t chain_length(const struct line_style *style, const struct callchain *chain)
{
	size_t nr = chain ? chain->nr : 0;

	return style->max_stack && nr > style->max_stack ? style->max_stack : nr;
}

static void print_chain(const struct line_style *style, const struct callchain *chain)
{
	size_t i, nr = chain_length(style, chain);

	for (i = 0; i < nr; i++) {
		const struct location *at = &chain->frames[i];

		fprintf(style->out, "%*s", CHAIN_INDENT, "");
		if (at->symbol && at->symbol->inlined) {
			fprintf(style->out, "%s (inlined)\n", symbol_name(at->symbol));
			continue;
		}
		if (at->symbol)
			fputs(symbol_name(at->symbol), style->out);
		else
			fprintf(style->out, "[%#llx]", (unsigned long long)at->ip);
		fprintf(style->out, " (%s)\n", at->dso ? at->dso->long_name : "[unknown]");
	}
}

/* Print a member of a JSON object, with a comma before it. */
static void print_chain_json(const struct line_style *style, const struct callchain *chain)
{
	size_t i, nr = chain_length(style, chain);
	FILE *out = style->out;

	if (!chain)
		return;
	fputs(", \"callchain\": [", out);
	for (i = 0; i < nr; i++) {
		const struct location *at = &chain->frames[i];

		fputs(i ? ", {" : "{", out);
		if (at->mode != MODE_NOWHERE)
			fprintf(out, "\"ip\": \"%#llx\"", (unsigned long long)at->ip);
		if (at->symbol) {
			fputs(at->mode != MODE_NOWHERE ? ", \"symbol\": " : "\"symbol\": ", out);
			json_print_string(out, symbol_name(at->symbol));
		}
		if (at->dso) {
			fputs(", \"dso\": ", out);
			json_print_string(out, at->dso->long_name);
		}
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_call_json(const struct line_style *style, const struct thread *thread,
			    const struct call *call, const struct callchain *chain)
{
	FILE *out = style->out;

	print_thread_json(style, thread, time_of(call));
	if (call->begin && call->end)
		fprintf(out, "\"duration_ns\": %llu, ",
			(unsigned long long)(call->end - call->begin));
	fputs("\"syscall\": \"", out);
	call_print_name(call, out);
	fputs("\", ", out);
	if (call->begin)
		call_print_json(call, out, style->held);
	else
		fprintf(out, "\"ret\": %lld", (long long)call->ret);
	print_chain_json(style, chain);
	fputs("}\n", out);
}

/* Print the start of a line: the time, and the CPU if it is wanted and known. */
static void print_time(struct line_style *style, uint64_t time, int cpu)
{
	fprintf(style->out, "%10.3f ", shown_time(style, time));
	if (style->cpus && cpu >= 0)
		fprintf(style->out, "[%03d] ", cpu);
}

static int cpu_of(const struct record *record)
{
	return record->id.has_cpu ? (int)record->id.cpu : -1;
}

static void print_thread(const struct line_style *style, const struct thread *thread)
{
	if (style->no_comm)
		fprintf(style->out, "%u ", thread->tid);
	else
		fprintf(style->out, "%s/%u ", thread->comm, thread->tid);
}

void line_print_call(struct line_style *style, const struct thread *thread,
		     const struct call *call, const struct callchain *chain)
{
	FILE *out = style->out;

	if (style->json) {
		print_call_json(style, thread, call, chain);
		return;
	}
	print_time(style, time_of(call), call->cpu);
	if (call->begin && call->end)
		fprintf(out, "(%9.3f ms): ", (call->end - call->begin) / NS_PER_MS);
	else
		fputs("(            ): ", out);
	print_thread(style, thread);
	if (call->begin) {
		call_print_name(call, out);
		fputc('(', out);
		call_print_args(call, out, style->held);
	} else {
		fputs("<... ", out);
		call_print_name(call, out);
		fputs(" resumed>", out);
	}
	fputs(") = ", out);
	call_print_return(call, out);
	fputc('\n', out);
	print_chain(style, chain);
}

void line_print_text(struct line_style *style, const struct thread *thread,
		     const struct record *record, const char *name, const char *text,
		     const struct callchain *chain)
{
	FILE *out = style->out;

	if (style->json) {
		print_thread_json(style, thread, record->id.time);
		fputs("\"event\": ", out);
		json_print_string(out, name);
		fputs(", \"text\": ", out);
		json_print_string(out, text);
		print_chain_json(style, chain);
		fputs("}\n", out);
		return;
	}
	print_time(style, record->id.time, cpu_of(record));
	if (!style->no_calls)
		fputs("(            ): ", out);
	print_thread(style, thread);
	fput_name(name, out);
	fprintf(out, "(%s)\n", text);
	print_chain(style, chain);
}

static void print_place(FILE *out, const struct location *at)
{
	if (at->symbol)
		fprintf(out, "%s+%#llx", symbol_name(at->symbol),
			(unsigned long long)at->symbol_offset);
	else
		fprintf(out, "%#llx", (unsigned long long)at->ip);
}

static void print_page(FILE *out, const struct thread *thread, uint64_t addr)
{
	const struct map *map = process_find_map(thread->process, addr);

	fprintf(out, "%#llx", (unsigned long long)addr);
	if (map && map->dso)
		fprintf(out, " (%s+%#llx)", map->dso->long_name,
			(unsigned long long)(addr - map->start + map->pgoff));
}

static void print_fault_json(const struct line_style *style, const struct thread *thread,
			     const struct record *record, bool major, const struct location *at,
			     const struct callchain *chain)
{
	uint64_t addr = record->sample.addr;
	const struct map *map = process_find_map(thread->process, addr);
	FILE *out = style->out;

	print_thread_json(style, thread, record->id.time);
	fprintf(out, "\"fault\": \"%s\", \"ip\": \"%#llx\", ", major ? "major" : "minor",
		(unsigned long long)at->ip);
	if (at->symbol) {
		fputs("\"symbol\": ", out);
		json_print_string(out, symbol_name(at->symbol));
		fputs(", ", out);
	}
	fprintf(out, "\"addr\": \"%#llx\"", (unsigned long long)addr);
	if (map && map->dso) {
		fputs(", \"file\": ", out);
		json_print_string(out, map->dso->long_name);
	}
	print_chain_json(style, chain);
	fputs("}\n", out);
}

void line_print_fault(struct line_style *style, const struct thread *thread,
		      const struct record *record, bool major, const struct location *at,
		      const struct callchain *chain)
{
	FILE *out = style->out;

	if (style->json) {
		print_fault_json(style, thread, record, major, at, chain);
		return;
	}
	print_time(style, record->id.time, cpu_of(record));
	fputs("(            ): ", out);
	print_thread(style, thread);
	fprintf(out, "%sfault [", major ? "maj" : "min");
	print_place(out, at);
	fputs("] => ", out);
	print_page(out, thread, record->sample.addr);
	fputc('\n', out);
	print_chain(style, chain);
}
