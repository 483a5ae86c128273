/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A child process that prints records which may crash it, or keep it busy for ever.
 */
#ifndef PERF_FILE_TRACING_CHILD_H
#define PERF_FILE_TRACING_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum size of a printed record in bytes. The rest is cut off. */
#define TRACING_TEXT_MAX 65536

/**
 * struct tracing_request - a record to be printed
 * @id: id of its event
 * @cpu: CPU of the record
 * @size: size of the record in bytes, at most 64 KiB
 * @raw: record
 */
struct tracing_request {
	uint64_t id;
	uint32_t cpu;
	uint32_t size;
	unsigned char raw[65536];
};

/* Prints a record, in the child process. Return: the text with its NUL, allocated. */
typedef char *(*tracing_printer)(const void *context, const struct tracing_request *request);

struct tracing_child;

/**
 * tracing_child_limit() - limit the resources of this process, before it reads damaged formats
 * @seconds: maximum time that it runs on a CPU
 */
void tracing_child_limit(unsigned int seconds);

/**
 * tracing_child_print() - have a child process print a record
 * @child: the child, or a pointer to NULL; started when it is needed
 * @printer: function that prints, in the state that this process has when the child is started
 * @context: first argument of @printer
 * @request: record
 *
 * Return: the text, to be freed; NULL if the child crashed or took more than its time.
 */
char *tracing_child_print(struct tracing_child **child, tracing_printer printer,
			  const void *context, const struct tracing_request *request);

/* End the child; it is started again when it is needed. */
void tracing_child_end(struct tracing_child **child);

#endif
