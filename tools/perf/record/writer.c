// SPDX-License-Identifier: GPL-2.0
/*
 * Writing perf.data.
 *
 * The file is readable at any moment: until complete() writes the final header, the header says
 * that there are no features, and how much data has been written so far.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "measure/measure.h"
#include "output.h"
#include "trace_formats.h"
#include "topology.h"
#include "compressor.h"
#include "writer.h"

/* A growing buffer for a feature section. */
struct buffer {
	char *bytes;
	size_t used;
	size_t room;
};

struct data_writer {
	struct output output;
	uint64_t end;			/* offset of the next byte of the file */
	struct data_file_header header;
	struct data_event *events;
	size_t nr_events;
	char **argv;
	int argc;
	struct buffer build_ids;
	struct buffer tracing_data;	/* formats of tracepoints when recording began */
	struct stored_files stored;	/* --self-contained */
	bool pipe;			/* only records are written, in sequence */
	struct compressor *compressor;	/* of the records, or NULL */
	size_t time_word;		/* position of TIME in samples; 0: it varies */
	uint64_t first_time;		/* time of the first sample; first > last: no samples */
	uint64_t last_time;
};

static void buffer_add(struct buffer *b, const void *bytes, size_t size)
{
	if (b->room - b->used < size) {
		b->room = (b->used + size) * 2;
		b->bytes = xreallocarray(b->bytes, b->room, 1);
	}
	if (size)
		memcpy(b->bytes + b->used, bytes, size);
	b->used += size;
}

static void buffer_pad(struct buffer *b, size_t size)
{
	static const char zeros[DATA_NAME_ALIGN];

	buffer_add(b, zeros, size);
}

static void buffer_add_u32(struct buffer *b, uint32_t value)
{
	buffer_add(b, &value, sizeof(value));
}

static void buffer_add_u64(struct buffer *b, uint64_t value)
{
	buffer_add(b, &value, sizeof(value));
}

/* The size of a NUL-terminated name with its padding, which has at least one NUL. */
static size_t padded_size(const char *name)
{
	return (strlen(name) / DATA_NAME_ALIGN + 1) * DATA_NAME_ALIGN;
}

static void buffer_add_name(struct buffer *b, const char *name)
{
	size_t size = padded_size(name);

	buffer_add(b, name, strlen(name));
	buffer_pad(b, size - strlen(name));
}

/* Append a string of a feature section: the padded length, then the padded text. */
static void buffer_add_string(struct buffer *b, const char *s)
{
	buffer_add_u32(b, padded_size(s));
	buffer_add_name(b, s);
}

/* Write until an error. @written: receives the number of bytes written. */
static int write_until_full(int fd, const void *bytes, size_t size, uint64_t offset,
			    size_t *written)
{
	ssize_t n;

	for (*written = 0; *written < size; *written += n) {
		n = pwrite(fd, (const char *)bytes + *written, size - *written, offset + *written);
		if (n < 0) {
			if (errno != EINTR)
				return -errno;
			n = 0;
		}
	}
	return 0;
}

static int write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
	size_t written;

	return write_until_full(fd, bytes, size, offset, &written);
}

/* Write to a pipe. Return: 0 or a negative errno. */
static int write_pipe(int fd, const char *bytes, size_t size)
{
	ssize_t n;

	for (; size; bytes += n, size -= n) {
		n = write(fd, bytes, size);
		if (n < 0) {
			if (errno != EINTR)
				return -errno;
			n = 0;
		}
	}
	return 0;
}

static int append(struct data_writer *w, const void *bytes, size_t size)
{
	int ret = w->pipe ? write_pipe(w->output.fd, bytes, size) :
			    write_at(w->output.fd, bytes, size, w->end);

	if (!ret)
		w->end += size;
	return ret;
}

/*
 * Choose the size of attrs in the file. Readers refuse an attr that is larger than theirs, so
 * use the smallest size that holds everything that is set, but at least the 128 bytes of Linux
 * 5.19 and Debian 12.
 */
static size_t attr_size_for(const struct data_event *events, size_t nr)
{
	size_t i, size = 128;

	for (i = 0; i < nr; i++) {
		const char *bytes = (const char *)&events[i].attr;
		size_t end = sizeof(events[i].attr);

		while (end > size && !bytes[end - 1])
			end--;
		if (end > size)
			size = (end + 7) & ~(size_t)7;
	}
	return size;
}

static void buffer_add_attr(struct buffer *b, const struct perf_event_attr *attr, size_t size)
{
	struct perf_event_attr copy = *attr;

	copy.size = size;
	buffer_add(b, &copy, size < sizeof(copy) ? size : sizeof(copy));
}

/* Write everything before the data: header, ids and attrs. */
static int write_front(struct data_writer *w)
{
	size_t i, attr_size = attr_size_for(w->events, w->nr_events);
	struct buffer b = { 0 };
	uint64_t at = sizeof(w->header);
	int ret;

	buffer_add(&b, &w->header, sizeof(w->header));
	for (i = 0; i < w->nr_events; i++)
		buffer_add(&b, w->events[i].ids, w->events[i].nr_ids * sizeof(uint64_t));

	w->header.magic = DATA_MAGIC;
	w->header.size = sizeof(w->header);
	w->header.attr_size = attr_size + sizeof(struct file_section);
	w->header.attrs.offset = b.used;
	w->header.attrs.size = w->nr_events * w->header.attr_size;
	for (i = 0; i < w->nr_events; i++) {
		size_t ids_size = w->events[i].nr_ids * sizeof(uint64_t);

		buffer_add_attr(&b, &w->events[i].attr, attr_size);
		buffer_add_u64(&b, at);
		buffer_add_u64(&b, ids_size);
		at += ids_size;
	}
	w->header.data.offset = b.used;
	memcpy(b.bytes, &w->header, sizeof(w->header));
	ret = append(w, b.bytes, b.used);
	free(b.bytes);
	return ret;
}

/* Begin a record of the tool at the end of @b. Return: the offset of the record in @b. */
static size_t begin_record(struct buffer *b, uint32_t type)
{
	struct perf_event_header header = { .type = type };
	size_t at = b->used;

	buffer_add(b, &header, sizeof(header));
	return at;
}

/* Set the size of the record at @at, which ends with @b. Return: false if it is too large. */
static bool end_record(struct buffer *b, size_t at)
{
	struct perf_event_header header;
	size_t size;

	buffer_pad(b, -b->used & 7);
	size = b->used - at;
	memcpy(&header, b->bytes + at, sizeof(header));
	header.size = size;
	memcpy(b->bytes + at, &header, sizeof(header));
	return size <= UINT16_MAX;
}

/* The kind of an EVENT_UPDATE record with the name of an event. */
#define EVENT_UPDATE_NAME 2

/* Add the records that describe an event: its attr with its ids, and its name. */
static bool add_event(struct buffer *b, const struct data_event *event, size_t attr_size)
{
	size_t at = begin_record(b, USER_RECORD_HEADER_ATTR);
	bool fits;

	buffer_add_attr(b, &event->attr, attr_size);
	buffer_add(b, event->ids, event->nr_ids * sizeof(uint64_t));
	fits = end_record(b, at);
	if (!event->nr_ids)
		return fits;
	at = begin_record(b, USER_RECORD_EVENT_UPDATE);
	buffer_add_u64(b, EVENT_UPDATE_NAME);
	buffer_add_u64(b, event->ids[0]);
	buffer_add(b, event->name, strlen(event->name) + 1);
	return end_record(b, at) && fits;
}

static bool has_feature(const struct data_writer *w, enum data_feature feature);
static void add_feature(struct buffer *b, const struct data_writer *w, const struct utsname *uts,
			enum data_feature feature);

/* Add what a file has in its header and features, as far as it is known before the records. */
static bool add_front_records(struct buffer *b, const struct data_writer *w)
{
	static const enum data_feature features[] = {
		FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_ARCH,
		FEATURE_NRCPUS, FEATURE_CPUDESC, FEATURE_TOTAL_MEM, FEATURE_CMDLINE,
		FEATURE_GROUP_DESC,
	};
	size_t i, at, attr_size = attr_size_for(w->events, w->nr_events);
	struct utsname uts;
	bool fit = true;

	for (i = 0; i < w->nr_events; i++)
		fit &= add_event(b, &w->events[i], attr_size);
	uname(&uts);
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (!has_feature(w, features[i]))
			continue;
		at = begin_record(b, USER_RECORD_FEATURE);
		buffer_add_u64(b, features[i]);
		add_feature(b, w, &uts, features[i]);
		/* A command line that is too long is left out. */
		if (!end_record(b, at))
			b->used = at;
	}
	if (!w->tracing_data.used)
		return fit;
	/* The size of the data is in the record, and the data follow it. */
	at = begin_record(b, USER_RECORD_TRACING_DATA);
	buffer_add_u32(b, (w->tracing_data.used + 7) & ~(size_t)7);
	buffer_add_u32(b, 0);
	fit &= end_record(b, at);
	buffer_add(b, w->tracing_data.bytes, w->tracing_data.used);
	buffer_pad(b, -b->used & 7);
	return fit;
}

/* Write everything before the records to a pipe. */
static int write_pipe_front(struct data_writer *w)
{
	const struct data_pipe_header header = { DATA_MAGIC, sizeof(header) };
	struct buffer b = { 0 };
	int ret = -E2BIG;

	buffer_add(&b, &header, sizeof(header));
	if (add_front_records(&b, w))
		ret = append(w, b.bytes, b.used);
	free(b.bytes);
	return ret;
}

/*
 * Write the build-ids, the last records of a pipe. Records of a pipe are padded to 8 bytes, but the
 * entries of a file are not.
 */
static int write_pipe_end(struct data_writer *w)
{
	struct perf_event_header header;
	struct buffer b = { 0 };
	size_t from, at;
	int ret;

	for (from = 0; from < w->build_ids.used; from += header.size) {
		memcpy(&header, w->build_ids.bytes + from, sizeof(header));
		at = b.used;
		buffer_add(&b, w->build_ids.bytes + from, header.size);
		((struct perf_event_header *)(b.bytes + at))->type = USER_RECORD_BUILD_ID;
		if (!end_record(&b, at))
			b.used = at;
	}
	ret = append(w, b.bytes, b.used);
	free(b.bytes);
	return ret;
}

/*
 * Return the position of TIME in a sample, in u64 after the header, counted from 1; 0 without
 * TIME.
 */
static size_t time_word(uint64_t sample_type)
{
	uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;

	if (!(sample_type & PERF_SAMPLE_TIME))
		return 0;
	return 1 + __builtin_popcountll(sample_type & before);
}

static size_t common_time_word(const struct data_event *events, size_t nr)
{
	size_t i, word = nr ? time_word(events[0].attr.sample_type) : 0;

	for (i = 1; i < nr; i++) {
		if (time_word(events[i].attr.sample_type) != word)
			return 0;
	}
	return word;
}

static struct data_event *copy_events(const struct data_event *events, size_t nr)
{
	struct data_event *copy = xcalloc(nr, sizeof(*copy));
	size_t i;

	for (i = 0; i < nr; i++) {
		copy[i] = events[i];
		copy[i].name = xstrdup(events[i].name);
		copy[i].ids = xcalloc(events[i].nr_ids, sizeof(uint64_t));
		if (events[i].nr_ids)
			memcpy(copy[i].ids, events[i].ids, events[i].nr_ids * sizeof(uint64_t));
	}
	return copy;
}

static char **copy_argv(int argc, char **argv)
{
	char **copy = xcalloc(argc, sizeof(*copy));
	int i;

	for (i = 0; i < argc; i++)
		copy[i] = xstrdup(argv[i]);
	return copy;
}

static void writer_free(struct data_writer *w)
{
	size_t i;

	for (i = 0; i < w->nr_events; i++) {
		free((char *)w->events[i].name);
		free(w->events[i].ids);
	}
	while (w->argc)
		free(w->argv[--w->argc]);
	free(w->argv);
	free(w->events);
	free(w->build_ids.bytes);
	free(w->tracing_data.bytes);
	free(w->stored.bytes);
	compressor_free(w->compressor);
	free(w);
}

static struct data_writer *writer_open(const char *path, const struct data_event *events,
				       size_t nr, int argc, char **argv, struct error *err)
{
	struct data_writer *w = xcalloc(1, sizeof(*w));
	int ret;

	if (output_open(&w->output, path, err)) {
		free(w);
		return NULL;
	}
	w->events = copy_events(events, nr);
	w->nr_events = nr;
	w->argv = copy_argv(argc, argv);
	w->argc = argc;
	w->time_word = common_time_word(events, nr);
	w->first_time = UINT64_MAX;
	w->pipe = output_is_pipe(path);
	/* A pipe begins with the formats of tracepoints, which data_writer_open() has. */
	ret = w->pipe ? 0 : write_front(w);
	if (ret) {
		error_set(err, "%s: cannot write it: %s", path, strerror(-ret));
		data_writer_discard(w);
		return NULL;
	}
	return w;
}

/**
 * data_writer_open - create a recording
 * @path: final path of the file; until data_writer_close() it has another, see output.h
 * @events: recorded events; copied
 * @nr: number of @events
 * @argc: number of strings in @argv
 * @argv: command line to note in the file; copied
 * @err: receives the reason of a failure
 *
 * Return: the writer, to be ended with data_writer_close(), _close_snapshot(), _keep() or
 *   _discard(), or NULL with @err set.
 */
struct data_writer *data_writer_open(const char *path, const struct data_event *events, size_t nr,
				     int argc, char **argv, struct error *err)
{
	struct data_writer *w = writer_open(path, events, nr, argc, argv, err);
	int ret = 0;

	if (!w)
		return NULL;
	w->tracing_data.bytes = trace_formats(events, nr, &w->tracing_data.used);
	if (w->pipe)
		ret = write_pipe_front(w);
	if (!ret)
		return w;
	error_set(err, "-o -: cannot write it: %s", strerror(-ret));
	data_writer_discard(w);
	return NULL;
}

/**
 * data_writer_clone - create a recording beside another one, with the same events and no
 * records
 * @w: writer of the other recording
 * @err: receives the reason of a failure
 *
 * Return: the value of data_writer_open().
 */
struct data_writer *data_writer_clone(const struct data_writer *w, struct error *err)
{
	struct data_writer *clone = writer_open(w->output.path, w->events, w->nr_events, w->argc,
						w->argv, err);

	if (clone)
		buffer_add(&clone->tracing_data, w->tracing_data.bytes, w->tracing_data.used);
	return clone;
}

/* Return the path that the file has until it is complete; NULL if it is a device. */
const char *data_writer_part(const struct data_writer *w)
{
	return w->output.part;
}

/* Update the SAMPLE_TIME feature. */
static void note_time(struct data_writer *w, const struct perf_event_header *header,
		      const char *record)
{
	size_t at = w->time_word * sizeof(uint64_t);
	uint64_t time;

	if (!at || header->type != PERF_RECORD_SAMPLE || header->size < at + sizeof(time))
		return;
	memcpy(&time, record + at, sizeof(time));
	if (time < w->first_time)
		w->first_time = time;
	if (time > w->last_time)
		w->last_time = time;
}

/* Note the records that have been written. Return: the size of the whole records in @bytes. */
static size_t note_records(struct data_writer *w, const char *records, size_t bytes)
{
	struct perf_event_header header;
	size_t at;

	for (at = 0; bytes - at >= sizeof(header); at += header.size) {
		memcpy(&header, records + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > bytes - at)
			break;
		note_time(w, &header, records + at);
	}
	return at;
}

static int write_size(struct data_writer *w)
{
	w->header.data.size = w->end - w->header.data.offset;
	return write_at(w->output.fd, &w->header.data.size, sizeof(w->header.data.size),
			offsetof(struct data_file_header, data.size));
}

/* Append one record to the data section. */
static int append_record(void *writer, const void *record, size_t size)
{
	return append(writer, record, size);
}

static int write_compressed(struct data_writer *w, const void *records, size_t bytes)
{
	int ret = compressor_feed(w->compressor, records, bytes, append_record, w);
	int size_ret = write_size(w);

	note_records(w, records, bytes);
	return ret ? ret : size_ret;
}

/**
 * data_writer_compress - compress the records from now on
 * @w: writer of a file, not of a pipe, that is not copied
 * @level: level of zstd
 */
void data_writer_compress(struct data_writer *w, int level)
{
	w->compressor = compressor_new(level);
}

/**
 * data_writer_write - append records to the data section
 * @w: writer
 * @records: whole records
 * @bytes: total size of the records
 *
 * Return: 0 or a negative errno; the data section then has the records that were written whole.
 */
int data_writer_write(struct data_writer *w, const void *records, size_t bytes)
{
	size_t written, whole;
	int ret, size_ret;

	if (w->pipe)
		return append(w, records, bytes);
	if (w->compressor)
		return write_compressed(w, records, bytes);
	ret = write_until_full(w->output.fd, records, bytes, w->end, &written);
	whole = note_records(w, records, written);
	w->end += ret ? whole : bytes;
	size_ret = write_size(w);
	return ret ? ret : size_ret;
}

/* Return the number of bytes that have been written. */
uint64_t data_writer_size(const struct data_writer *w)
{
	return w->end;
}

/**
 * data_writer_copy - append the records that another writer has written
 * @w: writer
 * @from: other writer
 * @position: number of bytes of records copied before; updated
 *
 * Return: 0 or a negative errno.
 */
int data_writer_copy(struct data_writer *w, const struct data_writer *from, uint64_t *position)
{
	size_t room = 1 << 20;
	char *bytes = xmalloc(room);
	ssize_t n = 0;
	int ret = 0;

	while (!ret && *position < from->header.data.size) {
		n = pread(from->output.fd, bytes, room, from->header.data.offset + *position);
		if (n <= 0) {
			ret = n ? -errno : -EIO;
			break;
		}
		ret = append(w, bytes, n);
		*position += n;
	}
	w->header.data.size = w->end - w->header.data.offset;
	free(bytes);
	return ret;
}

/* Return true if a record says which tasks, mappings and names there are. */
static bool is_state(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_READ:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case RECORD_CALLCHAIN_DEFERRED:
		return false;
	default:
		return type < USER_RECORD_START;
	}
}

/*
 * Append the records in @bytes for which is_state() is true. Return: the size of the whole records
 * in @bytes, or a negative errno.
 */
static ssize_t append_state(struct data_writer *w, const char *bytes, size_t size)
{
	struct perf_event_header header;
	size_t at;
	int ret;

	for (at = 0; size - at >= sizeof(header); at += header.size) {
		memcpy(&header, bytes + at, sizeof(header));
		if (header.size < sizeof(header))
			return -EIO;
		if (header.size > size - at)
			break;
		ret = is_state(header.type) ? append(w, bytes + at, header.size) : 0;
		if (ret)
			return ret;
	}
	return at;
}

/**
 * data_writer_copy_state - append the records of tasks and mappings that another writer has written
 * @w: writer
 * @from: other writer, without compression
 *
 * Return: 0 or a negative errno.
 */
int data_writer_copy_state(struct data_writer *w, const struct data_writer *from)
{
	uint64_t position = from->header.data.offset;
	size_t room = 1 << 20;
	char *bytes = xmalloc(room);
	ssize_t n = 1;

	while (position < from->end) {
		n = pread(from->output.fd, bytes, room, position);
		n = n < 0 ? -errno : append_state(w, bytes, n);
		if (n <= 0)
			break;
		position += n;
	}
	free(bytes);
	if (n <= 0)
		return n ? n : -EIO;
	return write_size(w);
}

/**
 * data_writer_add_build_id - note the build-id of a file that the samples hit
 * @w: writer
 * @kernel: the file is the kernel ("[kernel.kallsyms]") or a module
 * @path: name of the file in the MMAP records
 * @id: build-id
 * @size: bytes in @id, at most BUILD_ID_MAX
 *
 * Return: 0, or -EINVAL if the id or the name cannot be stored in the format.
 */
int data_writer_add_build_id(struct data_writer *w, bool kernel, const char *path,
			     const uint8_t *id, size_t size)
{
	struct build_id_entry entry = { .pid = -1, .id_size = size };
	size_t total = sizeof(entry) + padded_size(path);

	if (!size || size > BUILD_ID_MAX || total > UINT16_MAX)
		return -EINVAL;
	memcpy(entry.id, id, size);
	entry.header.misc = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	entry.header.misc |= MISC_BUILD_ID_SIZE;
	entry.header.size = total;
	buffer_add(&w->build_ids, &entry, sizeof(entry));
	buffer_add_name(&w->build_ids, path);
	return 0;
}

/**
 * data_writer_store - put files into the recording
 * @w: writer
 * @files: files; @w takes over the memory
 */
void data_writer_store(struct data_writer *w, struct stored_files *files)
{
	free(w->stored.bytes);
	w->stored = *files;
	*files = (struct stored_files){ 0 };
}

/*
 * Return the value of the line "@key : value" of a /proc file, which the caller frees; or NULL.
 */
static char *proc_value(const char *path, const char *key)
{
	char *text = read_text_file(path, NULL);
	char *line = text, *value = NULL;

	while (line) {
		if (!strncmp(line, key, strlen(key))) {
			value = strchrnul(line, ':');
			value += strspn(value, ": \t");
			value = xstrndup(value, strcspn(value, "\n"));
			break;
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	free(text);
	return value;
}

static void add_cpudesc(struct buffer *b)
{
	char *model = proc_value("/proc/cpuinfo", "model name");

	buffer_add_string(b, model ? model : "unknown");
	free(model);
}

static void add_total_mem(struct buffer *b)
{
	char *kib = proc_value("/proc/meminfo", "MemTotal");

	buffer_add_u64(b, kib ? strtoull(kib, NULL, 10) : 0);
	free(kib);
}

static void add_cmdline(struct buffer *b, const struct data_writer *w)
{
	int i;

	buffer_add_u32(b, w->argc);
	for (i = 0; i < w->argc; i++)
		buffer_add_string(b, w->argv[i]);
}

static void add_sets(struct buffer *b, enum topology_list list, size_t nr_cpus)
{
	size_t i, nr;
	char **sets = topology_sets(list, nr_cpus, &nr);

	buffer_add_u32(b, nr);
	for (i = 0; i < nr; i++) {
		buffer_add_string(b, sets[i]);
		free(sets[i]);
	}
	free(sets);
}

/*
 * Write the sets of CPUs, then the core and the socket of each CPU, then the dies in the same
 * way.
 */
static void add_topology(struct buffer *b)
{
	size_t cpu, nr_cpus = sysconf(_SC_NPROCESSORS_CONF);

	add_sets(b, TOPOLOGY_SOCKETS, nr_cpus);
	add_sets(b, TOPOLOGY_CORES, nr_cpus);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		buffer_add_u32(b, topology_id(cpu, "core_id"));
		buffer_add_u32(b, topology_id(cpu, "physical_package_id"));
	}
	add_sets(b, TOPOLOGY_DIES, nr_cpus);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		buffer_add_u32(b, topology_id(cpu, "die_id"));
}

static void add_event_desc(struct buffer *b, const struct data_writer *w)
{
	size_t i, attr_size = w->header.attr_size - sizeof(struct file_section);

	buffer_add_u32(b, w->nr_events);
	buffer_add_u32(b, attr_size);
	for (i = 0; i < w->nr_events; i++) {
		const struct data_event *event = &w->events[i];

		buffer_add_attr(b, &event->attr, attr_size);
		buffer_add_u32(b, event->nr_ids);
		buffer_add_string(b, event->name);
		buffer_add(b, event->ids, event->nr_ids * sizeof(uint64_t));
	}
}

/* Return the number of events of the group that begins at an event, or 0. */
static size_t group_size(const struct data_writer *w, size_t first)
{
	unsigned int group = w->events[first].group;
	size_t end = first + 1;

	if (!group || (first && w->events[first - 1].group == group))
		return 0;
	while (end < w->nr_events && w->events[end].group == group)
		end++;
	return end - first;
}

static size_t nr_groups(const struct data_writer *w)
{
	size_t i, nr = 0;

	for (i = 0; i < w->nr_events; i++)
		nr += group_size(w, i) > 0;
	return nr;
}

/* Write the groups: a name, which ours do not have, the index of the leader, and the size. */
static void add_group_desc(struct buffer *b, const struct data_writer *w)
{
	size_t i, size;

	buffer_add_u32(b, nr_groups(w));
	for (i = 0; i < w->nr_events; i++) {
		size = group_size(w, i);
		if (!size)
			continue;
		buffer_add_string(b, "{anon_group}");
		buffer_add_u32(b, i);
		buffer_add_u32(b, size);
	}
}

static bool has_branches(const struct data_writer *w)
{
	size_t i;

	for (i = 0; i < w->nr_events; i++) {
		if (w->events[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	}
	return false;
}

/* Write the one capability that readers of branch records need. */
static void add_pmu_caps(struct buffer *b)
{
	char *registers = xasprintf("%u", pmu_branch_registers(PMU_DEVICES));

	buffer_add_u32(b, 1);
	buffer_add_string(b, CAP_BRANCHES);
	buffer_add_string(b, registers);
	free(registers);
}

static bool has_feature(const struct data_writer *w, enum data_feature feature)
{
	switch (feature) {
	case FEATURE_TRACING_DATA:
		return w->tracing_data.used;
	case FEATURE_BUILD_ID:
		return w->build_ids.used;
	case FEATURE_STORED_FILES:
		return w->stored.size;
	case FEATURE_BRANCH_STACK:
		return has_branches(w);
	case FEATURE_GROUP_DESC:
		return nr_groups(w);
	case FEATURE_CPU_PMU_CAPS:
		return has_branches(w) && pmu_branch_registers(PMU_DEVICES);
	case FEATURE_SAMPLE_TIME:
		return w->first_time <= w->last_time;
	case FEATURE_COMPRESSED:
		return w->compressor;
	default:
		return true;
	}
}

static void add_feature(struct buffer *b, const struct data_writer *w, const struct utsname *uts,
			enum data_feature feature)
{
	switch (feature) {
	case FEATURE_TRACING_DATA:
		buffer_add(b, w->tracing_data.bytes, w->tracing_data.used);
		break;
	case FEATURE_BUILD_ID:
		buffer_add(b, w->build_ids.bytes, w->build_ids.used);
		break;
	case FEATURE_STORED_FILES:
		buffer_add(b, w->stored.bytes, w->stored.size);
		break;
	case FEATURE_HOSTNAME:
		buffer_add_string(b, uts->nodename);
		break;
	case FEATURE_OSRELEASE:
		buffer_add_string(b, uts->release);
		break;
	case FEATURE_VERSION:
		buffer_add_string(b, PERF_TOOL_VERSION);
		break;
	case FEATURE_ARCH:
		buffer_add_string(b, uts->machine);
		break;
	case FEATURE_NRCPUS:
		buffer_add_u32(b, sysconf(_SC_NPROCESSORS_CONF));
		buffer_add_u32(b, sysconf(_SC_NPROCESSORS_ONLN));
		break;
	case FEATURE_CPUDESC:
		add_cpudesc(b);
		break;
	case FEATURE_TOTAL_MEM:
		add_total_mem(b);
		break;
	case FEATURE_CMDLINE:
		add_cmdline(b, w);
		break;
	case FEATURE_EVENT_DESC:
		add_event_desc(b, w);
		break;
	case FEATURE_CPU_TOPOLOGY:
		add_topology(b);
		break;
	case FEATURE_SAMPLE_TIME:
		buffer_add_u64(b, w->first_time);
		buffer_add_u64(b, w->last_time);
		break;
	case FEATURE_CPU_PMU_CAPS:
		add_pmu_caps(b);
		break;
	case FEATURE_COMPRESSED:
		buffer_add_u32(b, 1);	/* version */
		buffer_add_u32(b, 1);	/* zstd */
		buffer_add_u32(b, compressor_level(w->compressor));
		buffer_add_u32(b, compressor_ratio(w->compressor));
		buffer_add_u32(b, COMPRESSOR_PIECE);
		break;
	case FEATURE_GROUP_DESC:
		add_group_desc(b, w);
		break;
	case FEATURE_BRANCH_STACK:
	case FEATURE_DIR_FORMAT:
		break;
	}
}

/* Write the feature table and the features after the data. */
static int write_features(struct data_writer *w)
{
	static const enum data_feature all[] = {
		FEATURE_TRACING_DATA, FEATURE_BUILD_ID, FEATURE_HOSTNAME, FEATURE_OSRELEASE,
		FEATURE_VERSION, FEATURE_ARCH, FEATURE_NRCPUS, FEATURE_CPUDESC, FEATURE_TOTAL_MEM,
		FEATURE_CMDLINE, FEATURE_EVENT_DESC, FEATURE_CPU_TOPOLOGY, FEATURE_BRANCH_STACK,
		FEATURE_GROUP_DESC, FEATURE_SAMPLE_TIME, FEATURE_COMPRESSED, FEATURE_CPU_PMU_CAPS,
		FEATURE_STORED_FILES,
	};
	struct file_section table[ARRAY_SIZE(all)];
	struct buffer b = { 0 };
	struct utsname uts;
	size_t i, nr = 0;
	int ret;

	uname(&uts);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		nr += has_feature(w, all[i]);
	buffer_add(&b, table, nr * sizeof(table[0]));
	nr = 0;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		size_t start = b.used;

		if (!has_feature(w, all[i]))
			continue;
		add_feature(&b, w, &uts, all[i]);
		table[nr].offset = w->end + start;
		table[nr++].size = b.used - start;
		w->header.features[all[i] / 64] |= 1ULL << (all[i] % 64);
	}
	memcpy(b.bytes, table, nr * sizeof(table[0]));
	ret = append(w, b.bytes, b.used);
	free(b.bytes);
	return ret;
}

/* Write everything that follows the records. Return: 0 or a negative errno. */
static int complete(struct data_writer *w)
{
	/*
	 * A data size of 0 means that the file has no features, so a file without records gets
	 * none.
	 */
	int ret;

	if (w->pipe)
		return write_pipe_end(w);
	ret = w->header.data.size ? write_features(w) : 0;
	return ret ? ret : write_at(w->output.fd, &w->header, sizeof(w->header), 0);
}

/* Complete the file. Return: 0, or -1 with @err set and the file left where it is. */
static int complete_or_keep(struct data_writer *w, struct error *err)
{
	int ret = complete(w);

	if (!ret)
		return 0;
	error_set(err, "%s: cannot write it: %s", w->output.path, strerror(-ret));
	output_keep(&w->output, err);
	return -1;
}

/**
 * data_writer_close - complete the recording and give it its final path
 * @w: writer; freed, also after an error
 * @bytes: set to the size of the recording; NULL: not wanted
 * @err: receives the reason of a failure, and the path of the recording
 *
 * Return: 0, or -1 with @err set.
 */
int data_writer_close(struct data_writer *w, uint64_t *bytes, struct error *err)
{
	int ret = complete_or_keep(w, err);

	if (bytes)
		*bytes = w->end;
	if (!ret)
		ret = output_place(&w->output, err);
	writer_free(w);
	return ret;
}

/**
 * data_writer_close_snapshot - complete the recording and append the current time to its name
 * @w: writer of a file, not of a device; freed, also after an error
 * @err: receives the reason of a failure, and the path of the recording
 *
 * Return: the path of the recording, which the caller frees, or NULL with @err set.
 */
char *data_writer_close_snapshot(struct data_writer *w, struct error *err)
{
	char *path = NULL;

	if (!complete_or_keep(w, err))
		path = output_place_snapshot(&w->output, err);
	writer_free(w);
	return path;
}

/**
 * data_writer_keep - end a recording that failed
 * @w: writer; freed
 * @err: reason of the failure; the path of the recording is appended
 *
 * The file is completed as far as possible. FILE stays as it was.
 */
void data_writer_keep(struct data_writer *w, struct error *err)
{
	complete(w);
	output_keep(&w->output, err);
	writer_free(w);
}

/* Remove the new file if nothing was recorded. FILE stays as it was. */
void data_writer_discard(struct data_writer *w)
{
	output_discard(&w->output);
	writer_free(w);
}
