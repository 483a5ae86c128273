// SPDX-License-Identifier: GPL-2.0
/*
 * Writing and reading perf.data: a reader gets what was written, an interrupted recording
 * can be read.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/reader.h"
#include "measure/pmu.h"
#include "record/writer.h"
#include "made_records.h"
#include "unit.h"

static char directory[32] = "/tmp/perf-unit-data-XXXXXX";
static char path[64];

static uint64_t ids_a[] = { 11, 12 };
static uint64_t ids_b[] = { 13 };
static char argv0[8] = "perf", argv1[8] = "record", argv2[16] = "a program";
static char *command[3] = { argv0, argv1, argv2 };

static struct data_writer *open_writer(void)
{
	struct data_event events[2] = {
		{ .name = "cpu-clock:u", .ids = ids_a, .nr_ids = 2 },
		{ .name = "a rather long name of an event, longer than what names are padded to",
		  .ids = ids_b, .nr_ids = 1 },
	};
	struct data_writer *w;
	struct error err;

	simple_attr(&events[0].attr);
	simple_attr(&events[1].attr);
	events[1].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	w = data_writer_open(path, events, 2, 3, command, &err);
	if (!w)
		printf("# %s\n", err.text);
	return w;
}

static size_t count_records(struct data_reader *r, struct error *err, int *last)
{
	const struct perf_event_header *header;
	uint64_t offset;
	size_t nr = 0;

	while ((*last = data_reader_next(r, &header, &offset, err)) > 0)
		nr++;
	return nr;
}

static void put_three_samples(struct bytes *b)
{
	static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x1000 };

	b->size = 0;
	put_sample(b, PERF_RECORD_MISC_USER, 1, 1, 300, 11, 1, chain, 2);
	put_sample(b, PERF_RECORD_MISC_USER, 1, 1, 100, 13, 1, chain, 2);
	put_sample(b, PERF_RECORD_MISC_USER, 1, 1, 200, 12, 1, chain, 2);
}

static void test_round_trip(void)
{
	static const uint8_t id[] = { 0xde, 0xad, 0xbe, 0xef };
	const struct recorded_build_id *recorded;
	const struct data_features *f;
	struct event_table *events;
	struct data_reader *r;
	struct data_writer *w;
	static struct bytes b;
	struct error err;
	int last;

	w = open_writer();
	put_three_samples(&b);
	check_number(data_writer_write(w, b.data, b.size), 0, "records can be written");
	check_number(data_writer_add_build_id(w, true, "[kernel.kallsyms]", id, 4), 0,
		     "a build-id can be recorded");
	check(data_writer_add_build_id(w, false, "/bin/x", id, 0) < 0,
	      "a build-id of 0 bytes is refused");
	check(data_writer_add_build_id(w, false, "/bin/x", id, 21) < 0,
	      "a build-id of 21 bytes is refused");
	check_number(data_writer_close(w, NULL, &err), 0, "the recording can be completed");

	check_number(data_reader_open(path, &r, &err), 0, "the recording can be opened");
	events = data_reader_events(r);
	check_number(events->nr, 2, "the recording has two events");
	check_string(events->events[0].name, "cpu-clock:u", "the first event has its name");
	check_string(events->events[1].name,
		     "a rather long name of an event, longer than what names are padded to",
		     "the second event has its long name");
	check_number(event_table_find(events, 12), 0, "id 12 belongs to the first event");
	check_number(event_table_find(events, 13), 1, "id 13 belongs to the second event");
	check_number(event_table_find(events, 14), -1, "id 14 belongs to no event");
	check_number(events->events[1].attr.config, PERF_COUNT_SW_PAGE_FAULTS,
		     "an event's attr is kept");
	f = data_reader_features(r);
	check_string(f->cmdline, "perf record a program", "the command line is kept");
	check_number(f->first_time, 100, "the time of the first sample is kept");
	check_number(f->last_time, 300, "the time of the last sample is kept");
	check_number(f->build_ids.nr, 1, "the recording has one build-id");
	recorded = data_features_find_build_id(f, "[kernel.kallsyms]");
	check(recorded && recorded->kernel && recorded->size == 4 &&
	      !memcmp(recorded->id, id, 4), "the build-id is the kernel's");
	check(f->hostname && f->osrelease && f->arch && f->cpus_online && f->total_mem,
	      "the recording describes the machine");
	check_number(count_records(r, &err, &last), 3, "the recording has three records");
	check_number(last, 0, "all records can be read");
	check(!data_reader_warning(r), "the reader has no warning");
	data_reader_close(r);
}

static void test_interrupted(void)
{
	struct data_reader *r;
	struct data_writer *w;
	static struct bytes b;
	struct stat before, st;
	struct error err = { "it failed" };
	const char *part;
	char *kept;
	int last;

	stat(path, &before);
	w = open_writer();
	part = data_writer_part(w);
	put_three_samples(&b);
	data_writer_write(w, b.data, b.size);
	check_number(data_reader_open(part, &r, &err), 0,
		     "an incomplete recording can be opened");
	check_number(count_records(r, &err, &last), 3, "an incomplete recording has its records");
	check_number(last, 0, "an incomplete recording can be read to its end");
	data_reader_close(r);
	data_writer_write(w, b.data, 20);
	check_number(data_reader_open(part, &r, &err), 0,
		     "a recording that ends within a record can be opened");
	check_number(count_records(r, &err, &last), 3, "the records before the cut are read");
	check(last < 0 && strstr(err.text, "cut off"),
	      "the reader reports that the file is cut off");
	data_reader_close(r);

	kept = xstrdup(part);
	error_set(&err, "it failed");
	data_writer_keep(w, &err);
	check(strstr(err.text, "it failed") == err.text && strstr(err.text, kept),
	      "the error names the file of a failed recording");
	check(!stat(kept, &st) && st.st_size, "the file of a failed recording is there");
	check(!stat(path, &st) && st.st_ino == before.st_ino, "the earlier recording is kept");
	unlink(kept);
	free(kept);
}

/* Copy more than one buffer. */
static void test_copy(void)
{
	const size_t times = 30000;
	char *clone_path, *old_path = xasprintf("%s.old", path);
	struct data_writer *w = open_writer(), *clone;
	static struct bytes b;
	struct data_reader *r;
	uint64_t position = 0;
	struct error err;
	size_t i;
	int last;

	put_three_samples(&b);
	for (i = 0; i < times; i++)
		data_writer_write(w, b.data, b.size);
	clone = data_writer_clone(w, &err);
	check_number(data_writer_copy(clone, w, &position), 0, "records can be copied");
	check_number(position, times * b.size, "all records are copied");
	check_number(data_writer_copy(clone, w, &position), 0,
		     "a second copy without new records succeeds");
	data_writer_write(clone, b.data, b.size);
	data_writer_write(w, b.data, b.size);
	check_number(data_writer_copy(clone, w, &position), 0, "a copy after new records succeeds");
	clone_path = data_writer_close_snapshot(clone, &err);
	check(clone_path && strstr(clone_path, path) == clone_path, "the copy can be completed");
	check_number(data_writer_close(w, NULL, &err), 0, "the copied recording can be completed");

	check_number(data_reader_open(clone_path, &r, &err), 0, "the copy can be opened");
	check_number(count_records(r, &err, &last), 3 * (times + 2),
		     "the copy has its own records and those copied");
	check_number(last, 0, "the copy can be read to its end");
	check_number(data_reader_events(r)->nr, 2, "the copy has the events of the original");
	check_string(data_reader_features(r)->cmdline, "perf record a program",
		     "the copy has the command line of the original");
	data_reader_close(r);
	unlink(clone_path);
	free(clone_path);
	unlink(old_path);
	free(old_path);
}

/* An event with as many ids as a large machine has CPUs: more than one read() gets. */
static void test_many_ids(void)
{
	static uint64_t ids[2000];
	struct data_event event = { .name = "dummy", .ids = ids, .nr_ids = ARRAY_SIZE(ids) };
	size_t i, missing = 0;
	struct data_reader *r;
	struct data_writer *w;
	struct error err;

	for (i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = 100 + i;
	simple_attr(&event.attr);
	w = data_writer_open(path, &event, 1, 3, command, &err);
	check_number(data_writer_close(w, NULL, &err), 0, "a recording with many ids can be written");
	check_number(data_reader_open(path, &r, &err), 0,
		     "a recording with many ids can be opened");
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		missing += event_table_find(data_reader_events(r), ids[i]) != 0;
	check_number(missing, 0, "every id belongs to its event");
	check_number(event_table_find(data_reader_events(r), 99), -1,
		     "an id that was not written belongs to no event");
	data_reader_close(r);
}

static void test_branches(void)
{
	struct data_event event = { .name = "cycles", .ids = ids_b, .nr_ids = 1 };
	const struct data_features *features;
	static struct bytes b;
	struct data_reader *r;
	struct data_writer *w;
	struct error err;
	int last;

	simple_attr(&event.attr);
	event.attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	event.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	put_three_samples(&b);
	w = data_writer_open(path, &event, 1, 3, command, &err);
	data_writer_write(w, b.data, b.size);
	check_number(data_writer_close(w, NULL, &err), 0, "a recording with branches can be written");
	check_number(data_reader_open(path, &r, &err), 0,
		     "a recording with branches can be opened");
	count_records(r, &err, &last);
	features = data_reader_features(r);
	check(features->has_branches && !data_reader_warning(r),
	      "the recording states that it has branches");
	check_number(features->branch_registers, pmu_branch_registers(PMU_DEVICES),
		     "the recording has the PMU's number of branch registers");
	data_reader_close(r);
}

/* Capabilities of the PMU: their number, then a name and a value each. */
static void test_pmu_caps(void)
{
	/* The stated number of capabilities, the size of the value, and the results. */
	static const struct {
		uint32_t nr;
		const char *name;
		uint32_t size;
		int status;
		uint32_t registers;
	} all[] = {
		{ 1, "branches", 8, 0, 32 }, { 1, "branched", 8, 0, 0 },
		{ 2, "branches", 8, -1, 32 }, { 1, "branches", 9, -1, 0 },
		{ UINT32_MAX, "branches", UINT32_MAX, -1, 0 },
	};
	static struct bytes b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct data_features features = { 0 };

		b.size = 0;
		put32(&b, all[i].nr);
		put32(&b, 8);
		put(&b, all[i].name, 8);
		put32(&b, all[i].size);
		put(&b, "32\0\0\0\0\0", 8);
		check_number(data_features_parse(&features, NULL, 28, b.data, b.size),
			     all[i].status, "capabilities are parsed or refused");
		check_number(features.branch_registers, all[i].registers,
			     "the capabilities give the number of registers");
		data_features_free(&features);
	}
}

/*
 * A name whose size is a lie, before a value of size 0: the value is missing as well, although 0
 * bytes are left for it.
 */
static void test_pmu_caps_without_name(void)
{
	struct data_features features = { 0 };
	static struct bytes b;

	put32(&b, 1);
	put32(&b, UINT32_MAX);
	check_number(data_features_parse(&features, NULL, 28, b.data, b.size), -1,
		     "a capability without name is refused");
	check_number(features.branch_registers, 0, "a capability without name has no value");
	data_features_free(&features);
}

static void test_empty(void)
{
	struct data_reader *r;
	struct data_writer *w = open_writer();
	struct error err;
	int last;

	check_number(data_writer_close(w, NULL, &err), 0, "an empty recording can be written");
	check_number(data_reader_open(path, &r, &err), 0, "an empty recording can be opened");
	check_number(count_records(r, &err, &last), 0, "an empty recording has no records");
	check_number(last, 0, "an empty recording can be read to its end");
	data_reader_close(r);
	check(!truncate(path, 0) && data_reader_open(path, &r, &err) &&
	      strstr(err.text, "the file is empty"), "a file of 0 bytes is none");
}

static void test_refused(void)
{
	struct data_writer *w;
	struct error err;

	w = data_writer_open("/nonexistent/perf.data", NULL, 0, 0, NULL, &err);
	check(!w && strstr(err.text, "/nonexistent/perf.data"),
	      "the error names a file that cannot be created");
}

/* Write a recording without data whose header is @header; the file is extended to @size. */
static void make_sparse(struct data_file_header *header, uint64_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	header->magic = DATA_MAGIC;
	header->size = sizeof(*header);
	header->attr_size = sizeof(struct perf_event_attr) + sizeof(struct file_section);
	if (pwrite(fd, header, sizeof(*header), 0) != sizeof(*header) || ftruncate(fd, size))
		abort();
	close(fd);
}

/* Files of a few kilobytes that claim gigabytes are refused before the gigabytes are read. */
static void test_sparse(void)
{
	struct data_file_header header = { .attrs = { .offset = 4096 } };
	struct perf_event_attr attr;
	struct file_section ids = { .offset = 1 << 20, .size = 1ULL << 40 }, section;
	struct data_reader *r;
	struct error err;
	size_t i;
	int fd;

	header.attrs.size = 10000000ULL * (sizeof(attr) + sizeof(ids));
	make_sparse(&header, 1ULL << 40);
	check(data_reader_open(path, &r, &err) && strstr(err.text, "the file header is damaged"),
	      "10 million events are refused");

	header.attrs.size = sizeof(attr) + sizeof(ids);
	make_sparse(&header, 2ULL << 40);
	simple_attr(&attr);
	fd = open(path, O_RDWR);
	if (pwrite(fd, &attr, sizeof(attr), 4096) != sizeof(attr) ||
	    pwrite(fd, &ids, sizeof(ids), 4096 + sizeof(attr)) != sizeof(ids))
		abort();
	close(fd);
	check(data_reader_open(path, &r, &err) && strstr(err.text, "ids of event 1"),
	      "a terabyte of ids is refused");

	/* Each feature is the same 256 MiB. */
	header.data = (struct file_section){ 8192, 8 };
	memset(header.features, 0xff, sizeof(header.features));
	make_sparse(&header, 512 << 20);
	ids.size = 0;
	section = (struct file_section){ 1 << 20, 256 << 20 };
	fd = open(path, O_RDWR);
	if (pwrite(fd, &attr, sizeof(attr), 4096) != sizeof(attr) ||
	    pwrite(fd, &ids, sizeof(ids), 4096 + sizeof(attr)) != sizeof(ids))
		abort();
	for (i = 0; i < 256; i++) {
		if (pwrite(fd, &section, sizeof(section), 8200 + i * sizeof(section)) !=
		    sizeof(section))
			abort();
	}
	close(fd);
	check_number(data_reader_open(path, &r, &err), 0,
		     "features that overlap do not end the reading");
	check(data_reader_warning(r) && strstr(data_reader_warning(r), "is damaged"),
	      "features that overlap are reported");
	data_reader_close(r);
}

static void test_command_line(void)
{
	struct data_features features = { 0 };
	static struct bytes b;

	put32(&b, UINT32_MAX);
	put32(&b, 0);
	check_number(data_features_parse(&features, NULL, FEATURE_CMDLINE, b.data, b.size), -1,
		     "four billion words in 4 bytes are refused");
	check_string(features.cmdline, "", "the refused words are not printed");
	data_features_free(&features);
}

int main(void)
{
	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/perf.data", directory);
	test_round_trip();
	test_interrupted();
	test_copy();
	test_many_ids();
	test_branches();
	test_pmu_caps();
	test_pmu_caps_without_name();
	test_empty();
	test_refused();
	test_sparse();
	test_command_line();
	unlink(path);
	snprintf(path, sizeof(path), "%s/perf.data.old", directory);
	unlink(path);
	rmdir(directory);
	return unit_finish();
}
