// SPDX-License-Identifier: GPL-2.0
/*
 * Reading perf.data from a file or a pipe.
 *
 * Nothing in the file is trusted: offsets and sizes are checked against the size of the file
 * before they are used. Damage ends the reading with an error after the last intact record has
 * been returned.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "byte_window.h"
#include "decompress.h"
#include "reader.h"

/*
 * Limits, in bytes, except for the number of events. Only damaged files exceed them, or files that
 * are made to keep the reader busy: a sparse file can claim terabytes.
 */
#define ATTR_SIZE_MAX 4096
#define EVENTS_MAX (1 << 16)
#define IDS_SIZE_MAX (64 << 20)
#define FEATURE_SIZE_MAX (256 << 20)
#define FEATURES_SIZE_MAX (512 << 20)	/* all features together */

struct data_reader {
	char *path;
	int fd;
	bool pipe;
	bool damaged;			/* an error was returned; reading has ended */
	uint64_t file_size;		/* UINT64_MAX for a pipe */
	uint64_t data_end;		/* end of the data in the file */
	uint64_t ids_size;		/* bytes of ids that were read */
	uint64_t features_size;		/* bytes of features that were read */
	uint64_t offset;		/* offset of the first unused byte of @file */
	uint64_t skip;			/* bytes before the next record */
	uint64_t piece_offset;		/* offset of the current COMPRESSED record */
	struct byte_window file;
	struct byte_window unpacked;	/* contents of COMPRESSED records */
	struct decompressor *decompressor;
	struct event_table events;
	struct data_features features;
	char *warning;
	const struct perf_event_header *found;	/* the returned record */
	uint64_t record[(UINT16_MAX + 8) / 8];	/* a copy of it, aligned, if it needs one */
};

static int read_at(struct data_reader *r, void *bytes, size_t size, uint64_t offset)
{
	char *p = bytes;
	ssize_t n;

	if (offset > r->file_size || size > r->file_size - offset)
		return -1;
	while (size) {
		n = pread(r->fd, p, size, offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		size -= n;
		offset += n;
	}
	return 0;
}

/*
 * Parse an attr of another version of the ABI: shorter, or longer with only zeros at the end.
 */
static int parse_attr(const char *bytes, size_t size, struct perf_event_attr *attr,
		      struct error *err)
{
	size_t i;

	memset(attr, 0, sizeof(*attr));
	memcpy(attr, bytes, size < sizeof(*attr) ? size : sizeof(*attr));
	for (i = sizeof(*attr); i < size; i++) {
		if (bytes[i]) {
			error_set(err, "an event has attributes of a newer perf; use that perf");
			return -1;
		}
	}
	return 0;
}

static int read_ids(struct data_reader *r, size_t event, const struct file_section *ids,
		    struct error *err)
{
	uint64_t chunk[512];
	uint64_t at, i, nr;

	/* The ids together cannot be larger than the file, even if sections overlap. */
	if (ids->offset > r->file_size || ids->size > r->file_size - ids->offset ||
	    ids->size % sizeof(*chunk) || ids->size > r->file_size - r->ids_size ||
	    ids->size > IDS_SIZE_MAX - r->ids_size) {
		error_set(err, "the ids of event %zu are outside of the file", event + 1);
		return -1;
	}
	r->ids_size += ids->size;
	for (at = 0; at < ids->size; at += nr * sizeof(*chunk)) {
		nr = (ids->size - at) / sizeof(*chunk);
		if (nr > ARRAY_SIZE(chunk))
			nr = ARRAY_SIZE(chunk);
		if (read_at(r, chunk, nr * sizeof(*chunk), ids->offset + at)) {
			error_set(err, "cannot read the ids of event %zu", event + 1);
			return -1;
		}
		for (i = 0; i < nr; i++)
			event_table_add_id(&r->events, event, chunk[i]);
	}
	return 0;
}

static int read_attr(struct data_reader *r, uint64_t offset, size_t size, struct error *err)
{
	char bytes[ATTR_SIZE_MAX];
	struct perf_event_attr attr;
	struct file_section ids;
	size_t attr_size = size - sizeof(ids);

	if (read_at(r, bytes, size, offset)) {
		error_set(err, "the description of the events is cut off");
		return -1;
	}
	if (parse_attr(bytes, attr_size, &attr, err))
		return -1;
	if (attr.size && attr.size != attr_size) {
		error_set(err, "the description of the events is damaged (an attribute size of %u)",
			  attr.size);
		return -1;
	}
	memcpy(&ids, bytes + attr_size, sizeof(ids));
	return read_ids(r, event_table_add(&r->events, &attr), &ids, err);
}

static int read_attrs(struct data_reader *r, const struct data_file_header *header,
		      struct error *err)
{
	uint64_t i, size = header->attr_size;

	if (size < PERF_ATTR_SIZE_VER0 + sizeof(struct file_section) || size > ATTR_SIZE_MAX ||
	    header->attrs.size % size || !header->attrs.size ||
	    header->attrs.offset > r->file_size ||
	    header->attrs.size > r->file_size - header->attrs.offset ||
	    header->attrs.size / size > EVENTS_MAX) {
		error_set(err, "the file header is damaged (events at 0x%" PRIx64 ", size 0x%"
			  PRIx64 "/0x%" PRIx64 ")", header->attrs.offset, header->attrs.size,
			  size);
		return -1;
	}
	for (i = 0; i < header->attrs.size; i += size) {
		if (read_attr(r, header->attrs.offset + i, size, err))
			return -1;
	}
	return 0;
}

static void warn_feature(struct data_reader *r, unsigned int feature)
{
	if (!r->warning)
		r->warning = xasprintf("%s: feature section %u is damaged", r->path, feature);
}

/*
 * Add the size of a feature to the sum. Return false if it is beyond its budget: sections that
 * overlap would make much work of little data.
 */
static bool take_feature_size(struct data_reader *r, uint64_t size)
{
	if (size > FEATURE_SIZE_MAX ||
	    size > FEATURES_SIZE_MAX - r->features_size ||
	    size > r->file_size - r->features_size)
		return false;
	r->features_size += size;
	return true;
}

static void read_feature(struct data_reader *r, unsigned int feature, uint64_t table)
{
	struct file_section section;
	void *bytes;

	if (read_at(r, &section, sizeof(section), table) ||
	    section.offset > r->file_size || section.size > r->file_size - section.offset) {
		warn_feature(r, feature);
		return;
	}
	if (!take_feature_size(r, section.size)) {
		warn_feature(r, feature);
		return;
	}
	bytes = xmalloc(section.size);
	if (read_at(r, bytes, section.size, section.offset) ||
	    data_features_parse(&r->features, &r->events, feature, bytes, section.size))
		warn_feature(r, feature);
	free(bytes);
}

/* Read the features; the feature table has an entry for each bit that is set. */
static void read_features(struct data_reader *r, const struct data_file_header *header)
{
	uint64_t table = r->data_end;
	unsigned int feature;

	for (feature = 0; feature < DATA_FEATURE_WORDS * 64; feature++) {
		if (!(header->features[feature / 64] & (1ULL << (feature % 64))))
			continue;
		read_feature(r, feature, table);
		table += sizeof(struct file_section);
	}
}

static int read_file_header(struct data_reader *r, struct error *err)
{
	struct data_file_header header;

	if (read_at(r, &header, sizeof(header), 0)) {
		error_set(err, "the file ends within its header; record again");
		return -1;
	}
	if (read_attrs(r, &header, err))
		return -1;
	if (header.data.offset > r->file_size ||
	    header.data.size > UINT64_MAX - header.data.offset) {
		error_set(err, "the file header is damaged (data at 0x%" PRIx64 ", size 0x%" PRIx64
			  ")", header.data.offset, header.data.size);
		return -1;
	}
	r->offset = header.data.offset;
	if (lseek(r->fd, r->offset, SEEK_SET) < 0) {
		error_set(err, "cannot read the file: %s", strerror(errno));
		return -1;
	}
	if (!header.data.size) {
		/* The writer was interrupted, so there is no feature table either. */
		r->data_end = r->file_size;
		return 0;
	}
	r->data_end = header.data.offset + header.data.size;
	if (r->data_end <= r->file_size)
		read_features(r, &header);
	return 0;
}

/* Determine the format by the first bytes. */
static int read_front(struct data_reader *r, const struct data_pipe_header *front,
		      struct error *err)
{
	if (front->magic == __builtin_bswap64(DATA_MAGIC)) {
		error_set(err,
			  "recorded on a machine of the other byte order; report it on such a machine");
		return -1;
	}
	if (front->magic != DATA_MAGIC) {
		error_set(err, "not a perf.data file; make one with: perf record");
		return -1;
	}
	if (front->size == sizeof(*front)) {
		r->pipe = true;
		r->file_size = UINT64_MAX;
		r->data_end = UINT64_MAX;
		r->offset = sizeof(*front);
		return 0;
	}
	if (front->size != sizeof(struct data_file_header)) {
		error_set(err, "the file header is damaged (header size 0x%" PRIx64 ")",
			  front->size);
		return -1;
	}
	if (r->file_size == UINT64_MAX) {
		error_set(err, "a recording of this kind cannot come through a pipe; use -i FILE");
		return -1;
	}
	return read_file_header(r, err);
}

static int open_path(struct data_reader *r, struct error *err)
{
	struct stat st;

	if (!strcmp(r->path, "-"))
		r->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		r->fd = open(r->path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0 && errno == ENOENT) {
		error_set(err, "no such file; make one with: perf record");
		return -1;
	}
	if (r->fd < 0 && (errno == EACCES || errno == EPERM)) {
		error_set(err, "permission denied; read it as its owner or as root");
		return -1;
	}
	if (r->fd < 0 || fstat(r->fd, &st)) {
		error_set(err, "cannot open the file: %s", strerror(errno));
		return -1;
	}
	if (S_ISDIR(st.st_mode)) {
		error_set(err,
			  "a directory (perf record --threads?); give a recording in one file");
		return -1;
	}
	r->file_size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : UINT64_MAX;
	return 0;
}

/* Read until @size bytes are available, or until the file ends. Return: 0, or -1 with @err set. */
static int fill_file(struct data_reader *r, size_t size, struct error *err)
{
	size_t room;
	ssize_t n;

	while (window_available(&r->file) < size) {
		room = window_make_room(&r->file);
		n = read(r->fd, r->file.bytes + r->file.end, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			error_set(err, "%s: cannot read the file: %s", r->path, strerror(errno));
			return -1;
		}
		if (!n)
			break;
		r->file.end += n;
	}
	return 0;
}

/**
 * data_reader_open - open a recording
 * @path: path of the file; "-" is standard input
 * @reader: receives the reader; close it with data_reader_close()
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int data_reader_open(const char *path, struct data_reader **reader, struct error *err)
{
	struct data_reader *r = xcalloc(1, sizeof(*r));
	struct data_pipe_header front;
	struct error reason;
	size_t got;

	r->path = xstrdup(path);
	if (open_path(r, &reason) || fill_file(r, sizeof(front), &reason))
		goto bad;
	got = window_available(&r->file);
	if (!got) {
		error_set(&reason, "the file is empty; the program that should have written it failed");
		goto bad;
	}
	if (got < sizeof(front)) {
		error_set(&reason, "not a perf.data file; make one with: perf record");
		goto bad;
	}
	memcpy(&front, window_bytes(&r->file), sizeof(front));
	if (read_front(r, &front, &reason))
		goto bad;
	if (r->pipe)
		window_skip(&r->file, sizeof(front));
	else
		r->file.start = r->file.end;
	*reader = r;
	return 0;
bad:
	error_set(err, "%s: %s", path, reason.text);
	data_reader_close(r);
	return -1;
}

/* Add the event of a HEADER_ATTR record, with its ids. */
static int add_event_of_record(struct data_reader *r, const struct perf_event_header *record,
			       struct error *err)
{
	const char *bytes = (const char *)(record + 1);
	size_t at, event, size = record->size - sizeof(*record);
	struct perf_event_attr attr;
	uint32_t attr_size = 0;
	uint64_t id;

	if (size >= PERF_ATTR_SIZE_VER0)
		memcpy(&attr_size, bytes + offsetof(struct perf_event_attr, size),
		       sizeof(attr_size));
	if (attr_size < PERF_ATTR_SIZE_VER0 || attr_size > size) {
		error_set(err, "%s: the description of an event is damaged", r->path);
		return -1;
	}
	if (parse_attr(bytes, attr_size, &attr, err))
		return -1;
	if (r->events.nr == EVENTS_MAX) {
		error_set(err, "%s: more than %u events, the file is damaged", r->path, EVENTS_MAX);
		return -1;
	}
	event = event_table_add(&r->events, &attr);
	r->ids_size += size - attr_size;
	for (at = attr_size; r->ids_size <= IDS_SIZE_MAX && at + sizeof(id) <= size;
	     at += sizeof(id)) {
		memcpy(&id, bytes + at, sizeof(id));
		event_table_add_id(&r->events, event, id);
	}
	return 0;
}

/*
 * Set the name of an event by an EVENT_UPDATE record; other kinds of this record are ignored.
 */
static void name_event_of_record(struct data_reader *r, const struct perf_event_header *record)
{
	struct {
		struct perf_event_header header;
		uint64_t type;
		uint64_t id;
	} update;
	static const uint64_t update_name = 2;
	int event;

	if (record->size <= sizeof(update))
		return;
	memcpy(&update, record, sizeof(update));
	event = event_table_find(&r->events, update.id);
	if (update.type == update_name && event >= 0)
		event_table_set_name(&r->events, event, (const char *)record + sizeof(update),
				     record->size - sizeof(update));
}

static void read_feature_of_record(struct data_reader *r, const struct perf_event_header *record)
{
	size_t front = sizeof(*record) + sizeof(uint64_t);
	uint64_t feature;

	if (record->size < front)
		return;
	memcpy(&feature, record + 1, sizeof(feature));
	if (feature < DATA_FEATURE_WORDS * 64 &&
	    data_features_parse(&r->features, &r->events, feature, (const char *)record + front,
				record->size - front))
		warn_feature(r, feature);
}

/* Read the section that follows a HEADER_TRACING_DATA record in a pipe. */
static int read_tracing_data(struct data_reader *r, size_t size, struct error *err)
{
	size_t got = 0, n;
	char *bytes = NULL;
	int ret = 0;

	r->skip = (size + 7) & ~7ULL;
	if (!r->pipe)
		return 0;
	if (!take_feature_size(r, size)) {
		warn_feature(r, FEATURE_TRACING_DATA);
		return 0;
	}
	/* Allocate memory as bytes arrive, not for the size that the record claims. */
	while (got < size && !ret) {
		ret = fill_file(r, 1, err);
		n = window_available(&r->file);
		if (!n)
			break;
		if (n > size - got)
			n = size - got;
		bytes = xreallocarray(bytes, got + n, 1);
		memcpy(bytes + got, window_bytes(&r->file), n);
		window_skip(&r->file, n);
		got += n;
		r->offset += n;
		r->skip -= n;
	}
	if (got == size && data_features_parse(&r->features, &r->events, FEATURE_TRACING_DATA,
					       bytes, size))
		warn_feature(r, FEATURE_TRACING_DATA);
	free(bytes);
	return ret;
}

/*
 * Handle records that describe the recording, or that are followed by bytes other than records.
 */
static int digest_user_record(struct data_reader *r, const struct perf_event_header *record,
			      struct error *err)
{
	uint64_t size = 0;

	switch (record->type) {
	case USER_RECORD_HEADER_ATTR:
		return r->pipe ? add_event_of_record(r, record, err) : 0;
	case USER_RECORD_EVENT_UPDATE:
		name_event_of_record(r, record);
		return 0;
	case USER_RECORD_FEATURE:
		read_feature_of_record(r, record);
		return 0;
	case USER_RECORD_BUILD_ID:
		data_features_add_build_id(&r->features, record, record->size);
		return 0;
	case USER_RECORD_TRACING_DATA:
		if (record->size >= sizeof(*record) + sizeof(uint32_t))
			memcpy(&size, record + 1, sizeof(uint32_t));
		return read_tracing_data(r, size, err);
	case USER_RECORD_AUXTRACE:
		if (record->size >= sizeof(*record) + sizeof(size))
			memcpy(&size, record + 1, sizeof(size));
		r->skip = size;
		return 0;
	}
	return 0;
}

/*
 * Return true if the record in the window can be used where it is: it is aligned, and the reader
 * does not move the window before the next record.
 */
static bool can_stay(const char *bytes, uint32_t type)
{
	return type < USER_RECORD_START && !((uintptr_t)bytes % sizeof(uint64_t));
}

/* Take the record at the start of @w if it is complete. Return: true if it was. */
static bool take_record(struct data_reader *r, struct byte_window *w)
{
	const char *bytes = window_bytes(w);
	struct perf_event_header header;

	if (window_available(w) < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (header.size < sizeof(header) || window_available(w) < header.size)
		return false;
	r->found = (const void *)bytes;
	if (!can_stay(bytes, header.type)) {
		memcpy(r->record, bytes, header.size);
		r->found = (const void *)r->record;
	}
	window_skip(w, header.size);
	return true;
}

/* Return true if the record at the start of @w claims to be smaller than its header. */
static bool bad_size(const struct byte_window *w)
{
	struct perf_event_header header;

	if (window_available(w) < sizeof(header))
		return false;
	memcpy(&header, window_bytes(w), sizeof(header));
	return header.size < sizeof(header);
}

/*
 * Get the next record of the decompressed data. Return: 1 if there is one, 0 if more input is
 * needed, -1 if the data are damaged.
 */
static int next_unpacked(struct data_reader *r, struct error *err)
{
	struct error reason;
	size_t room;
	ssize_t n;

	if (!r->decompressor)
		return 0;
	while (!take_record(r, &r->unpacked)) {
		if (bad_size(&r->unpacked)) {
			error_set(err, "%s: a record compressed at offset 0x%" PRIx64
				  " is damaged; only the records before are reported", r->path,
				  r->piece_offset);
			return -1;
		}
		room = window_make_room(&r->unpacked);
		n = decompressor_read(r->decompressor, r->unpacked.bytes + r->unpacked.end, room,
				      &reason);
		if (n < 0) {
			error_set(err, "%s: at offset 0x%" PRIx64 ", %s", r->path,
				  r->piece_offset, reason.text);
			return -1;
		}
		if (!n)
			return 0;
		r->unpacked.end += n;
	}
	return 1;
}

static int cut_off(const struct data_reader *r, struct error *err)
{
	error_set(err, "%s: the recording is cut off at offset 0x%" PRIx64
		  "; only the records before are reported", r->path, r->offset);
	return -1;
}

static int skip_bytes(struct data_reader *r, struct error *err)
{
	size_t n;

	while (r->skip) {
		if (fill_file(r, 1, err))
			return -1;
		n = window_available(&r->file);
		if (!n)
			return cut_off(r, err);
		if (n > r->skip)
			n = r->skip;
		window_skip(&r->file, n);
		r->offset += n;
		r->skip -= n;
	}
	return 0;
}

/* Read until a whole record is available, or until the file ends. */
static int fill_record(struct data_reader *r, struct error *err)
{
	struct perf_event_header header;

	if (fill_file(r, sizeof(header), err))
		return -1;
	if (window_available(&r->file) < sizeof(header))
		return 0;
	memcpy(&header, window_bytes(&r->file), sizeof(header));
	return fill_file(r, header.size, err);
}

/*
 * Get the next record of the data section. Return: 1 if there is one, 0 at the end of the section,
 * -1 if the data are damaged.
 */
static int next_of_file(struct data_reader *r, struct error *err)
{
	if (skip_bytes(r, err) || fill_record(r, err))
		return -1;
	if (r->offset == r->data_end)
		return window_available(&r->unpacked) ? cut_off(r, err) : 0;
	if (!window_available(&r->file) && r->data_end == UINT64_MAX)
		return 0;
	if (bad_size(&r->file)) {
		error_set(err, "%s: the record at offset 0x%" PRIx64
			  " is damaged; only the records before are reported", r->path, r->offset);
		return -1;
	}
	if (!take_record(r, &r->file))
		return cut_off(r, err);
	if (r->offset > r->data_end || r->found->size > r->data_end - r->offset)
		return cut_off(r, err);
	r->offset += r->found->size;
	return 1;
}

/* Pass a COMPRESSED record to the decompressor. */
static void feed_compressed(struct data_reader *r, const struct perf_event_header *record)
{
	const char *payload = (const char *)(record + 1);
	uint64_t size = record->size - sizeof(*record);

	/* A COMPRESSED2 record is padded, and begins with the size of its contents. */
	if (record->type == USER_RECORD_COMPRESSED2 && size >= sizeof(size)) {
		uint64_t room = size - sizeof(size);

		memcpy(&size, payload, sizeof(size));
		payload += sizeof(size);
		if (size > room)
			size = room;
	}
	if (!r->decompressor)
		r->decompressor = decompressor_new();
	r->piece_offset = r->offset - record->size;
	decompressor_feed(r->decompressor, payload, size);
}

/**
 * data_reader_next - get the next record
 * @r: reader
 * @record: receives the record, 8-byte aligned, valid until the next call
 * @offset: receives the offset in the file; for a compressed record, that of its container
 * @err: receives the description of the damage
 *
 * Return: 1 if there is a record; 0 after the last record; -1 with @err set if the file is damaged.
 *   -1 is returned once, after the last intact record, and then 0.
 */
int data_reader_next(struct data_reader *r, const struct perf_event_header **record,
		     uint64_t *offset, struct error *err)
{
	const struct perf_event_header *found = NULL;
	int ret;

	if (r->damaged)
		return 0;
	for (;;) {
		ret = next_unpacked(r, err);
		found = r->found;
		*offset = r->piece_offset;
		if (ret)
			break;
		ret = next_of_file(r, err);
		if (ret <= 0)
			break;
		found = r->found;
		*offset = r->offset - found->size;
		if (found->type != USER_RECORD_COMPRESSED &&
		    found->type != USER_RECORD_COMPRESSED2)
			break;
		feed_compressed(r, found);
	}
	if (ret > 0 && found->type >= USER_RECORD_START && digest_user_record(r, found, err))
		ret = -1;
	if (ret < 0)
		r->damaged = true;
	*record = found;
	return ret;
}

/* Return the events. Further records of a pipe may add events. */
struct event_table *data_reader_events(struct data_reader *r)
{
	return &r->events;
}

const struct data_features *data_reader_features(const struct data_reader *r)
{
	return &r->features;
}

/* Return the offset in the file of the first byte after the last record that was read. */
uint64_t data_reader_offset(const struct data_reader *r)
{
	return r->offset;
}

/* Return the size of the file; UINT64_MAX for a pipe. */
uint64_t data_reader_size(const struct data_reader *r)
{
	return r->file_size;
}

/* Return a warning about damage outside of the records, or NULL. */
const char *data_reader_warning(const struct data_reader *r)
{
	return r->warning;
}

void data_reader_close(struct data_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	window_free(&r->file);
	window_free(&r->unpacked);
	decompressor_free(r->decompressor);
	event_table_free(&r->events);
	data_features_free(&r->features);
	free(r->warning);
	free(r->path);
	free(r);
}
