// SPDX-License-Identifier: GPL-2.0
/*
 * The formats of tracepoints' records: the TRACING_DATA section of perf.data.
 *
 *	23 8 68 "tracing" VERSION\0	VERSION is "0.5" or "0.6"
 *	u8 big-endian, u8 size of long, u32 size of a page
 *	"header_page\0" text		text: u64 size, bytes
 *	"header_event\0" text
 *	u32 nr, nr texts		formats of the system ftrace
 *	u32 nr, nr times		other systems:
 *		NAME\0, u32 nr, nr texts	its formats
 *	u32 size, bytes			kallsyms, empty
 *	u32 size, bytes			printk_formats: "0xADDRESS : "STRING"" lines
 *	text				since 0.6: saved_cmdlines
 *
 * A format is the text of a format file in tracefs. libtraceevent parses it and prints records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <unistd.h>

#include "util/util.h"
#include "cursor.h"
#include "tracing_check.h"
#include "tracing_child.h"
#include "tracing_data.h"

/* A limit: longer formats exist only in damaged files. */
#define FORMAT_SIZE_MAX (1 << 20)
/* Maximum number of formats of all systems: the number of an event has 16 bits. */
#define FORMATS_MAX (1 << 16)

/* CPU time in seconds of the child process that parses a section before this process does. */
#define PARSE_SECONDS 20
/*
 * Maximum number of child processes that crash or use up their time; after that, no further one
 * prints.
 */
#define CRASHES_MAX 8

/* The kernel's ids of events have 16 bits. */
#define IDS_MAX 65536

/* Number of fields that are found without libtraceevent; a power of two. */
#define FOUND_MAX 128

/* Number of places where a field may be. */
#define FOUND_PLACES 8

/**
 * struct found_field - a field that was looked up
 * @id: id of the event
 * @name: string that was looked up; its contents may have changed since then
 * @field: field, or NULL
 */
struct found_field {
	uint64_t id;
	const char *name;
	struct tep_format_field *field;
};

/* The process that prints the records of an event. */
enum printing {
	PRINT_UNKNOWN,
	PRINT_HERE,			/* in this process: the format stays within the record */
	PRINT_IN_CHILD,			/* in a child process, which may crash */
	PRINT_NEVER,			/* a child has crashed */
};

/**
 * struct tracing_data - formats of tracepoints
 * @tep: formats
 * @name_of: names the kernel's function at an address
 * @name_context: first argument of @name_of
 * @damaged: the section ended early, or contained something unexpected
 * @printing: enum printing, by id of the event
 * @child: prints records of formats that may leave them
 * @nr_crashes: number of children that have crashed
 * @found: fields that were looked up last, by the id and the address of the name
 */
struct tracing_data {
	struct tep_handle *tep;
	tracing_function_name name_of;
	void *name_context;
	bool damaged;
	uint8_t printing[IDS_MAX];
	struct tracing_child *child;
	unsigned int nr_crashes;
	struct found_field *found;
};

/* Get a NUL-terminated string, or NULL. */
static const char *get_string(struct cursor *c)
{
	return skip(c, strnlen((const char *)c->at, c->left) + 1);
}

/* Get bytes with their size in front. */
static const char *get_text(struct cursor *c, uint64_t *size)
{
	*size = get_u64(c);
	return skip(c, *size);
}

/* Parse the formats of one system; their number is subtracted from @left. */
static void get_formats(struct cursor *c, struct tep_handle *tep, const char *system,
			uint32_t *left)
{
	uint32_t i, nr = get_u32(c);
	const char *format;
	uint64_t size;

	if (nr > *left) {
		c->bad = true;
		return;
	}
	*left -= nr;
	for (i = 0; i < nr && !c->bad; i++) {
		format = get_text(c, &size);
		/* The fields of an event with a damaged format are not printed. */
		if (format && size <= FORMAT_SIZE_MAX)
			tep_parse_event(tep, format, size, system);
	}
}

/* Read the strings of the kernel that records refer to by address. */
static void get_printk_formats(struct cursor *c, struct tep_handle *tep)
{
	uint32_t size = get_u32(c);
	const char *bytes = skip(c, size);
	char *text;

	if (!bytes || !size)
		return;
	text = xstrndup(bytes, size);
	tep_parse_printk_formats(tep, text);
	free(text);
}

static void get_contents(struct cursor *c, struct tep_handle *tep, int long_size,
			 bool has_cmdlines)
{
	const char *name = get_string(c), *text;
	uint32_t i, nr, left = FORMATS_MAX;
	uint64_t size;
	char *page;

	if (!name || strcmp(name, "header_page")) {
		c->bad = true;
		return;
	}
	text = get_text(c, &size);
	if (text && size && size <= FORMAT_SIZE_MAX) {
		page = xstrndup(text, size);
		tep_parse_header_page(tep, page, size, long_size);
		free(page);
	}
	name = get_string(c);
	if (!name || strcmp(name, "header_event")) {
		c->bad = true;
		return;
	}
	get_text(c, &size);
	get_formats(c, tep, "ftrace", &left);
	nr = get_u32(c);
	if (nr > FORMATS_MAX)
		c->bad = true;
	for (i = 0; i < nr && !c->bad; i++) {
		name = get_string(c);
		if (name)
			get_formats(c, tep, name, &left);
	}
	skip(c, get_u32(c));
	get_printk_formats(c, tep);
	if (has_cmdlines)
		get_text(c, &size);
}

static struct tracing_data *parse(const void *bytes, size_t size)
{
	static const char magic[] = "\x17\x08\x44tracing";
	static const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct cursor c = { .at = bytes, .left = size };
	const char *start = skip(&c, strlen(magic)), *version;
	const uint8_t *sizes;
	struct tracing_data *t;
	uint32_t page_size;

	if (!start || memcmp(start, magic, strlen(magic)))
		return NULL;
	version = get_string(&c);
	sizes = skip(&c, 2);
	page_size = get_u32(&c);
	if (c.bad || sizes[0] != big || (sizes[1] != 4 && sizes[1] != 8))
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->found = xcalloc(FOUND_MAX, sizeof(*t->found));
	t->tep = tep_alloc();
	if (!t->tep)
		die("out of memory");
	/* Suppress libtraceevent's messages: an event that it cannot parse is not printed. */
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(t->tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(t->tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, sizes[1]);
	tep_set_page_size(t->tep, page_size);
	get_contents(&c, t->tep, sizes[1], strcmp(version, "0.5") > 0);
	t->damaged = c.bad;
	return t;
}

/*
 * Test in another process whether a section can be parsed, and freed again. libtraceevent may crash
 * or loop forever with a damaged format.
 */
static bool can_be_parsed(const void *bytes, size_t size)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		tracing_child_limit(PARSE_SECONDS);
		tracing_data_free(parse(bytes, size));
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return false;
	}
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

struct tracing_data *tracing_data_parse(const void *bytes, size_t size)
{
	return can_be_parsed(bytes, size) ? parse(bytes, size) : NULL;
}

/* Return true if the section ended early, or contained something unexpected. */
bool tracing_data_is_damaged(const struct tracing_data *t)
{
	return t->damaged;
}

void tracing_data_free(struct tracing_data *t)
{
	if (!t)
		return;
	tracing_child_end(&t->child);
	tep_free(t->tep);
	free(t->found);
	free(t);
}

static char *name_of(void *context, unsigned long long *addr, char **module)
{
	struct tracing_data *t = context;
	uint64_t start = *addr;
	const char *name = t->name_of(t->name_context, &start);

	*addr = start;
	*module = NULL;
	/* libtraceevent does not change the string. */
	return (char *)name;
}

void tracing_data_name_functions(struct tracing_data *t, tracing_function_name name, void *context)
{
	/* Setting the resolver again would leak memory in libtraceevent. */
	if (t->name_of == name && t->name_context == context)
		return;
	t->name_of = name;
	t->name_context = context;
	/* A child that runs has the old names. */
	tracing_child_end(&t->child);
	tep_set_function_resolver(t->tep, name_of, t);
}

/* Find the contents of a field of variable length. Return: the offset in the record. */
static size_t find_dynamic(const struct tep_format_field *field, const char *raw, size_t *length)
{
	uint32_t where;
	size_t at;

	memcpy(&where, raw + field->offset, sizeof(where));
	at = where & 0xffff;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		at += (size_t)field->offset + sizeof(where);
	*length = where >> 16;
	return at;
}

/*
 * Return true if a field is within the record. If its length is variable, so must be its contents.
 */
static bool has_field(const struct tep_format_field *field, const char *raw, size_t size)
{
	size_t at, length;

	if (field->offset < 0 || field->size < 0 ||
	    (size_t)field->offset + (size_t)field->size > size)
		return false;
	if (!(field->flags & TEP_FIELD_IS_DYNAMIC))
		return true;
	if (field->size != sizeof(uint32_t))
		return false;
	at = find_dynamic(field, raw, &length);
	return at + length <= size;
}

static bool has_fields(const struct tep_format_field *field, const char *raw, size_t size)
{
	for (; field; field = field->next) {
		if (!has_field(field, raw, size))
			return false;
	}
	return true;
}

/* Print a record by its format, into @seq. */
static void print_event(const struct tracing_data *t, struct trace_seq *seq, uint32_t cpu,
			const void *raw, size_t size)
{
	struct tep_record record = { .cpu = cpu, .size = size };
	/* Copy the record and append a NUL, so that every string ends. */
	char *bytes = xcalloc(size + 1, 1);

	memcpy(bytes, raw, size);
	record.data = bytes;
	trace_seq_init(seq);
	tep_print_event(t->tep, seq, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(seq);
	free(bytes);
}

/* Print a record, in the child process. Return: the text, to be freed. */
static char *print_in_child(const void *context, const struct tracing_request *request)
{
	struct trace_seq seq;

	print_event(context, &seq, request->cpu, request->raw, request->size);
	return seq.buffer;
}

/* Have the child process print a record. Return: the text, to be freed, or NULL. */
static char *ask_child(struct tracing_data *t, struct tep_event *event, uint64_t id, uint32_t cpu,
		       const void *raw, size_t size)
{
	struct tracing_request *request;
	char *text;

	if (t->nr_crashes == CRASHES_MAX || size > sizeof(request->raw))
		return NULL;
	request = xmalloc(sizeof(*request));
	request->id = id;
	request->cpu = cpu;
	request->size = size;
	memcpy(request->raw, raw, size);
	text = tracing_child_print(&t->child, print_in_child, t, request);
	free(request);
	if (text)
		return text;
	t->nr_crashes++;
	warn("the format of %s:%s cannot be printed, it is damaged; its records have no text",
	     event->system, event->name);
	if (id < IDS_MAX)
		t->printing[id] = PRINT_NEVER;
	return NULL;
}

static enum printing printing_of(struct tracing_data *t, struct tep_event *event, uint64_t id)
{
	enum printing printing = id < IDS_MAX ? t->printing[id] : PRINT_UNKNOWN;

	if (printing != PRINT_UNKNOWN)
		return printing;
	printing = tracing_event_is_safe(event) ? PRINT_HERE : PRINT_IN_CHILD;
	if (id < IDS_MAX)
		t->printing[id] = printing;
	return printing;
}

bool tracing_data_print(struct tracing_data *t, FILE *out, uint64_t id, uint32_t cpu,
			const void *raw, size_t size)
{
	struct tep_event *event;
	struct trace_seq seq;
	char *text = NULL;

	event = t && id <= INT32_MAX ? tep_find_event(t->tep, id) : NULL;
	if (!event || !has_fields(event->format.common_fields, raw, size) ||
	    !has_fields(event->format.fields, raw, size))
		return false;
	switch (printing_of(t, event, id)) {
	case PRINT_HERE:
		print_event(t, &seq, cpu, raw, size);
		fput_name(seq.buffer, out);
		trace_seq_destroy(&seq);
		return true;
	case PRINT_IN_CHILD:
		text = ask_child(t, event, id, cpu, raw, size);
		break;
	default:
		break;
	}
	if (text)
		fput_name(text, out);
	free(text);
	return text;
}

/* Find a field of an event. Return: the field or NULL. */
static struct tep_format_field *look_up_field(const struct tracing_data *t, uint64_t id,
					      const char *name)
{
	struct tep_event *event = id <= INT32_MAX ? tep_find_event(t->tep, id) : NULL;

	return event ? tep_find_any_field(event, name) : NULL;
}

/* Find a field of an event, as the callers do with the same name for each record. */
static struct tep_format_field *field_of(const struct tracing_data *t, uint64_t id,
					 const char *name)
{
	struct found_field *found = NULL;
	size_t i, first;

	if (!t)
		return NULL;
	first = hash_mix(id, (uintptr_t)name);
	for (i = 0; i < FOUND_PLACES; i++) {
		found = &t->found[(first + i) & (FOUND_MAX - 1)];
		if (!found->field)
			break;
		if (found->id == id && found->name == name && !strcmp(found->field->name, name))
			return found->field;
	}
	*found = (struct found_field){ id, name, look_up_field(t, id, name) };
	return found->field;
}

bool tracing_data_has_field(const struct tracing_data *t, uint64_t id, const char *field)
{
	return field_of(t, id, field);
}

bool tracing_data_place(const struct tracing_data *t, uint64_t id, const char *field,
			unsigned int *offset, unsigned int *size)
{
	const struct tep_format_field *found = field_of(t, id, field);

	if (!found || found->offset < 0 || found->size < 0 || found->flags & TEP_FIELD_IS_DYNAMIC)
		return false;
	*offset = found->offset;
	*size = found->size;
	return true;
}

/* Find a field that is within the record. Return: the field or NULL. */
static struct tep_format_field *find_field(const struct tracing_data *t, uint64_t id,
					   const void *raw, size_t size, const char *name)
{
	struct tep_format_field *field = field_of(t, id, name);

	return field && has_field(field, raw, size) ? field : NULL;
}

bool tracing_data_print_field(const struct tracing_data *t, FILE *out, uint64_t id,
			      const void *raw, size_t size, const char *field)
{
	struct tep_format_field *found = find_field(t, id, raw, size, field);
	struct trace_seq seq;
	char *bytes;

	if (!found)
		return false;
	/* Copy the record and append a NUL, so that every string ends. */
	bytes = xcalloc(size + 1, 1);
	memcpy(bytes, raw, size);
	trace_seq_init(&seq);
	tep_print_field(&seq, bytes, found);
	trace_seq_terminate(&seq);
	fput_name(seq.buffer, out);
	trace_seq_destroy(&seq);
	free(bytes);
	return true;
}

static uint16_t get_half(const void *raw)
{
	uint16_t half;

	memcpy(&half, raw, sizeof(half));
	return half;
}

static uint32_t get_word(const void *raw)
{
	uint32_t word;

	memcpy(&word, raw, sizeof(word));
	return word;
}

bool tracing_data_number(const struct tracing_data *t, uint64_t id, const void *raw, size_t size,
			 const char *field, uint64_t *value)
{
	struct tep_format_field *found = find_field(t, id, raw, size, field);
	bool is_signed;

	if (!found)
		return false;
	is_signed = found->flags & TEP_FIELD_IS_SIGNED;
	raw = (const char *)raw + found->offset;
	switch (found->size) {
	case 1:
		*value = is_signed ? (uint64_t)*(const int8_t *)raw : *(const uint8_t *)raw;
		return true;
	case 2:
		*value = is_signed ? (uint64_t)(int16_t)get_half(raw) : get_half(raw);
		return true;
	case 4:
		*value = is_signed ? (uint64_t)(int32_t)get_word(raw) : get_word(raw);
		return true;
	case 8:
		memcpy(value, raw, sizeof(*value));
		return true;
	default:
		return false;
	}
}

bool tracing_data_string(const struct tracing_data *t, uint64_t id, const void *raw, size_t size,
			 const char *field, char *string, size_t room)
{
	struct tep_format_field *found = find_field(t, id, raw, size, field);
	size_t at, length;

	if (!found || !(found->flags & TEP_FIELD_IS_ARRAY))
		return false;
	at = found->offset;
	length = found->size;
	if (found->flags & TEP_FIELD_IS_DYNAMIC)
		at = find_dynamic(found, raw, &length);
	length = strnlen((const char *)raw + at, length);
	if (length >= room)
		length = room - 1;
	memcpy(string, (const char *)raw + at, length);
	string[length] = '\0';
	return true;
}
