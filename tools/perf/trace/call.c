// SPDX-License-Identifier: GPL-2.0
/*
 * A system call of a traced thread: decodes the records of raw_syscalls:sys_enter and sys_exit,
 * with the data that perf_counter adds to them, and prints them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "../../../include/uapi/linux/perf_counter.h"
#include "measure/measure.h"
#include "call.h"
#include "sockaddr.h"

/* Error numbers that a program never sees: the kernel repeats the call, or returns EINTR. */
static const struct {
	int error;
	const char *name;
} restarts[] = {
	{ 512, "ERESTARTSYS" }, { 513, "ERESTARTNOINTR" }, { 514, "ERESTARTNOHAND" },
	{ 516, "ERESTART_RESTARTBLOCK" },
};

#define MAX_ERRNO 4095

/* A field of a tracepoint; @offset is set to its offset. */
struct wanted {
	const char *name;
	unsigned int size;
	unsigned int offset;
};

static void find_field(void *context, const struct tracepoint_field *field)
{
	struct wanted *wanted = context;

	for (; wanted->name; wanted++) {
		if (!strcmp(wanted->name, field->name) && wanted->size == field->size)
			wanted->offset = field->offset;
	}
}

/* Find the layout of @event. Return: 0, or -1 if the tracepoint or a field is missing. */
static int find_layout(struct call_layout *layout, const char *event, const char *values,
		       unsigned int size)
{
	struct wanted fields[] = {
		{ "id", sizeof(__u64), 0 }, { values, size, 0 }, { NULL, 0, 0 },
	};

	if (tracepoint_walk_fields("raw_syscalls", event, find_field, fields))
		return -1;
	*layout = (struct call_layout){
		.nr = fields[0].offset, .nr_size = sizeof(__u64), .values = fields[1].offset,
	};
	/* An offset of 0 means not found, because common fields begin every record. */
	return layout->nr && layout->values ? 0 : -1;
}

int call_layout_find(struct call_layout *enter, struct call_layout *leave)
{
	return find_layout(enter, "sys_enter", "args", SYSCALL_ARGS * sizeof(__u64)) ||
	       find_layout(leave, "sys_exit", "ret", sizeof(__u64)) ? -1 : 0;
}

/* Copy a field of @size bytes. Return false if the record is too short. */
static bool get(void *field, size_t size, const char *raw, size_t raw_size, size_t offset)
{
	if (offset > raw_size || size > raw_size - offset)
		return false;
	memcpy(field, raw + offset, size);
	return true;
}

/* Decode the data that pointers in arguments point to. Return: 0, or -1 if the data are damaged. */
static int decode_data(struct call *call, const char *at, const char *end)
{
	struct perf_counter_syscall_arg arg;
	struct arg_data *data;
	size_t left;

	while (at < end) {
		left = end - at;
		if (left < sizeof(arg))
			return -1;
		memcpy(&arg, at, sizeof(arg));
		if (arg.index >= SYSCALL_ARGS || arg.size > left - sizeof(arg))
			return -1;
		data = &call->data[arg.index];
		if (!(arg.flags & PERF_COUNTER_SYSCALL_ARG_MISSING)) {
			data->bytes = at + sizeof(arg);
			data->size = arg.size;
			data->cut = arg.flags & PERF_COUNTER_SYSCALL_ARG_CUT;
		}
		/* The next argument is aligned to 8 bytes; head.size is a multiple of 8. */
		at += (sizeof(arg) + arg.size + 7) & ~(size_t)7;
	}
	return 0;
}

/* Read the number of a system call. Return false if the record is too short. */
static bool get_nr(long *nr, const struct call_layout *layout, const void *raw, size_t size)
{
	int small;

	if (layout->nr_size != sizeof(small))
		return get(nr, sizeof(*nr), raw, size, layout->nr);
	if (!get(&small, sizeof(small), raw, size, layout->nr))
		return false;
	*nr = small;
	return true;
}

/* Read the arguments. Return false if the record is too short. */
static bool get_values(struct call *call, const struct call_layout *layout, const void *raw,
		       size_t size)
{
	size_t bytes = sizeof(call->values);

	if (layout->only_own) {
		if (layout->values > size)
			return false;
		if (bytes > size - layout->values)
			bytes = (size - layout->values) & ~(size_t)7;
	}
	return get(call->values, bytes, raw, size, layout->values);
}

int call_decode(struct call *call, const struct call_layout *layout, struct syscall_table *table,
		uint32_t arch, const void *raw, size_t size)
{
	size_t at = layout->values + sizeof(call->values);
	struct perf_counter_syscall head;
	const char *data;

	memset(call, 0, sizeof(*call));
	if (!get_nr(&call->nr, layout, raw, size) || !get_values(call, layout, raw, size))
		return -1;
	/* Data that perf_counter adds begin with this header. */
	if (!layout->only_own && get(&head, sizeof(head), raw, size, at)) {
		at += sizeof(head);
		if (head.size % 8 || head.size > size - at)
			return -1;
		arch = head.arch;
		call->record = xmalloc(size);
		memcpy(call->record, raw, size);
		data = call->record + at;
		if (decode_data(call, data, data + head.size)) {
			call_free(call);
			return -1;
		}
	}
	call->syscall = syscalls_get(table, arch, call->nr);
	return 0;
}

int call_decode_return(const struct call_layout *layout, const void *raw, size_t size, long *nr,
		       int64_t *ret)
{
	return get_nr(nr, layout, raw, size) &&
	       get(ret, sizeof(*ret), raw, size, layout->values) ? 0 : -1;
}

bool call_has_failed(const struct call *call)
{
	return call->end && call->ret < 0 && call->ret >= -MAX_ERRNO;
}

void call_print_name(const struct call *call, FILE *out)
{
	if (call->syscall->name)
		fputs(call->syscall->name, out);
	else
		fprintf(out, "syscall_%ld", call->nr);
}

static void print_value(enum arg_form form, const struct constants *constants, uint64_t value,
			FILE *out)
{
	switch (form) {
	case ARG_SIGNED:
	case ARG_DESCRIPTOR:
		fprintf(out, "%d", (int)value);
		return;
	case ARG_UNSIGNED:
		fprintf(out, "%u", (unsigned int)value);
		return;
	case ARG_LONG:
		fprintf(out, "%lld", (long long)value);
		return;
	case ARG_UNSIGNED_LONG:
		fprintf(out, "%llu", (unsigned long long)value);
		return;
	case ARG_HEX:
		fprintf(out, "%#llx", (unsigned long long)value);
		return;
	case ARG_OCTAL:
		fprintf(out, "%#o", (unsigned int)value);
		return;
	case ARG_CONSTANTS:
		constants_print(constants, value, out);
		return;
	case ARG_DIRECTORY:
		if ((int)value == AT_FDCWD)
			fputs("AT_FDCWD", out);
		else
			fprintf(out, "%d", (int)value);
		return;
	case ARG_ADDRESS:
	case ARG_SOCKADDR:
		break;
	}
	if (value)
		fprintf(out, "%#llx", (unsigned long long)value);
	else
		fputs("NULL", out);
}

static void print_arg(const struct call *call, size_t i, FILE *out)
{
	const struct syscall_arg *arg = &call->syscall->args[i];
	const struct arg_data *data = &call->data[i];

	if (!data->bytes) {
		print_value(arg->form, arg->constants, call->values[i], out);
		return;
	}
	if (arg->form == ARG_SOCKADDR)
		sockaddr_print(data->bytes, data->size, out);
	else
		fput_quoted(data->bytes, data->size, out);
	if (data->cut)
		fputs("...", out);
}

/* Print the path of a descriptor, if it has one, or leave room for it in lines that are held. */
static void print_path(const struct call *call, size_t i, FILE *out, struct held_lines *held)
{
	if (!call->paths[i])
		return;
	if (held)
		held_lines_add_path(held, call->paths[i], NULL);
	else
		fd_path_print(call->paths[i], out);
}

/* Print the path of a descriptor as a member of a JSON object. */
static void print_json_path(const struct call *call, size_t i, FILE *out, struct held_lines *held)
{
	const char *name = call->syscall->args[i].name;

	if (!call->paths[i])
		return;
	if (held)
		held_lines_add_path(held, call->paths[i], name);
	else
		fd_path_print_json(call->paths[i], name, out);
}

/* Commands that take fewer arguments than their system call can have. */
static const struct {
	const char *call;
	size_t index;			/* of the argument that has the command */
	uint32_t command;
	size_t nr_args;
} short_commands[] = {
	{ "fcntl", 1, F_GETFD, 2 }, { "fcntl", 1, F_GETFL, 2 }, { "fcntl", 1, F_GETOWN, 2 },
	{ "fcntl", 1, F_GETSIG, 2 }, { "fcntl", 1, F_GETLEASE, 2 },
	{ "fcntl", 1, F_GETPIPE_SZ, 2 }, { "fcntl", 1, F_GET_SEALS, 2 },
	{ "prctl", 0, PR_SET_NAME, 2 }, { "prctl", 0, PR_GET_NAME, 2 },
	{ "prctl", 0, PR_SET_PDEATHSIG, 2 }, { "prctl", 0, PR_GET_PDEATHSIG, 2 },
	{ "prctl", 0, PR_SET_DUMPABLE, 2 }, { "prctl", 0, PR_GET_DUMPABLE, 1 },
	{ "prctl", 0, PR_SET_KEEPCAPS, 2 }, { "prctl", 0, PR_GET_KEEPCAPS, 1 },
	{ "prctl", 0, PR_CAPBSET_READ, 2 },
};

/*
 * Return the number of arguments to print. If the arguments are unknown, all registers are printed.
 */
static size_t nr_args(const struct call *call)
{
	size_t i;

	if (!call->syscall->knows_args)
		return SYSCALL_ARGS;
	for (i = 0; i < ARRAY_SIZE(short_commands); i++) {
		if (!strcmp(call->syscall->name, short_commands[i].call) &&
		    (uint32_t)call->values[short_commands[i].index] == short_commands[i].command &&
		    short_commands[i].nr_args < call->syscall->nr_args)
			return short_commands[i].nr_args;
	}
	return call->syscall->nr_args;
}

void call_print_args(const struct call *call, FILE *out, struct held_lines *held)
{
	size_t i;

	for (i = 0; i < nr_args(call); i++) {
		fputs(i ? ", " : "", out);
		if (call->syscall->knows_args) {
			fprintf(out, "%s: ", call->syscall->args[i].name);
			print_arg(call, i, out);
			print_path(call, i, out, held);
		} else {
			print_value(ARG_ADDRESS, NULL, call->values[i], out);
		}
	}
}

const char *call_error_name(int error)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(restarts); i++) {
		if (restarts[i].error == error)
			return restarts[i].name;
	}
	return strerrorname_np(error);
}

void call_print_return(const struct call *call, FILE *out)
{
	const char *name;

	if (!call->end) {
		fputc('?', out);
		return;
	}
	if (!call_has_failed(call)) {
		fprintf(out, call->syscall->returns_address ? "%#llx" : "%lld",
			(long long)call->ret);
		return;
	}
	name = call_error_name(-call->ret);
	if (name && strerrordesc_np(-call->ret))
		fprintf(out, "-1 %s (%s)", name, strerrordesc_np(-call->ret));
	else
		fprintf(out, "-1 %s", name ? name : "(no errno)");
}

/* Print the text of an argument as a JSON string. */
static void print_json_text(const struct call *call, size_t i, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		die("out of memory");
	print_arg(call, i, to);
	if (fclose(to))
		die("out of memory");
	json_print_bytes(out, text, size);
	free(text);
}

/* Print an argument. Numbers are JSON numbers; named constants, addresses and bytes are strings. */
static void print_json_arg(const struct call *call, size_t i, FILE *out)
{
	const struct syscall_arg *arg = &call->syscall->args[i];
	const struct arg_data *data = &call->data[i];

	if (data->bytes && arg->form != ARG_SOCKADDR)
		json_print_bytes(out, data->bytes, data->size);
	else if (!data->bytes && (arg->form <= ARG_UNSIGNED_LONG))
		print_value(arg->form, NULL, call->values[i], out);
	else
		print_json_text(call, i, out);
}

void call_print_json(const struct call *call, FILE *out, struct held_lines *held)
{
	size_t i;

	fputs("\"args\": {", out);
	for (i = 0; i < nr_args(call); i++) {
		fputs(i ? ", " : "", out);
		if (call->syscall->knows_args) {
			fprintf(out, "\"%s\": ", call->syscall->args[i].name);
			print_json_arg(call, i, out);
			print_json_path(call, i, out, held);
		} else {
			fprintf(out, "\"arg%zu\": \"%#llx\"", i,
				(unsigned long long)call->values[i]);
		}
	}
	fputs("}, \"ret\": ", out);
	if (call->end)
		fprintf(out, "%lld", (long long)call->ret);
	else
		fputs("null", out);
	if (call_has_failed(call) && call_error_name(-call->ret))
		fprintf(out, ", \"errno\": \"%s\"", call_error_name(-call->ret));
}

void call_free(struct call *call)
{
	size_t i;

	free(call->record);
	call->record = NULL;
	for (i = 0; i < SYSCALL_ARGS; i++) {
		fd_path_put(call->paths[i]);
		call->paths[i] = NULL;
	}
}
