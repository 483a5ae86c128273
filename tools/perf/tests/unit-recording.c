// SPDX-License-Identifier: GPL-2.0
/* The writing of records from the buffers to a file. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/recording.h"
#include "made_records.h"
#include "unit.h"

static char path[64];
static char *command[1] = { (char *)"perf" };
static struct recording recording;

static bool open_recording(void)
{
	struct data_event event = { .name = "cpu-clock" };
	struct error err;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-unit-recording-XXXXXX");
	fd = mkstemp(path);
	simple_attr(&event.attr);
	if (fd >= 0)
		close(fd);
	recording.file.writer = data_writer_open(path, &event, 1, 1, command, &err);
	return recording.file.writer;
}

/* Return the data of the file, after its header, ids and attr. */
static size_t read_back(struct bytes *b)
{
	struct data_file_header header;
	int fd = open(data_writer_part(recording.file.writer), O_RDONLY);
	ssize_t n = 0;

	if (pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	    header.data.size <= sizeof(b->data))
		n = pread(fd, b->data, header.data.size, header.data.offset);
	close(fd);
	return n > 0 ? n : 0;
}

static void check_form(void)
{
	static struct bytes b, back;
	const struct perf_event_header *first = (void *)back.data, *second;
	size_t size;

	put_mmap2(&b, 10, 0x1000, 0x1000, 0, "/lib/there", 999, 1);
	size = b.size;
	put_munmap(&b, PERF_RECORD_MISC_USER, 10, 0x1000, 0x1000, "/lib/gone", 1000, 1);
	check_number(recording_take(&recording, b.data, b.size), 0, "records can be written");
	check_number(read_back(&back), b.size, "all records are in the file");
	second = (void *)(back.data + size);
	check(first->type == PERF_RECORD_MMAP2 && first->misc == PERF_RECORD_MISC_USER,
	      "an MMAP2 record is written unchanged");
	check(second->type == PERF_RECORD_MMAP && (second->misc & PERF_RECORD_MISC_MMAP_DATA),
	      "a MUNMAP record is written as data for other tools");
	check_number(recording.files.names.nr, 1, "an unmapped file gets no build-id");
}

static void check_build_ids(void)
{
	static struct bytes b;
	struct perf_event_header *header = (void *)b.data;

	put_mmap2(&b, 10, 0x3000, 0x1000, 0, "/lib/with-id", 1001, 1);
	header->misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	recording_take(&recording, b.data, b.size);
	check_number(recording.files.names.nr, 2, "a file with a build-id in its record is noted");
	b.size = 0;
	put_mmap2(&b, 10, 0x3000, 0x1000, 0, "/lib/without", 1002, 1);
	recording_take(&recording, b.data, b.size);
	check_number(recording.files.names.nr, 3,
		     "a file without a build-id in its record is noted");
}

static void check_nonsense(void)
{
	static struct bytes b;

	put_munmap(&b, 0, 10, 0x1000, 0x1000, "/lib/gone", 1000, 1);
	check_number(recording_take(&recording, b.data, b.size - 8), -EIO,
		     "a record beyond the end is refused");
}

/* The disk is full after two and a half records: the file has two, and the error is returned. */
static void check_full(void)
{
	static struct bytes b, back;
	struct rlimit all, little;
	size_t before = read_back(&back), size;
	struct stat st;
	int i, status;

	for (i = 0; i < 5; i++)
		put_mmap2(&b, 10, 0x5000, 0x1000, 0, "/lib/there", 999, 1);
	size = b.size / 5;
	if (!check(!stat(data_writer_part(recording.file.writer), &st), "the file is there") ||
	    !check(!getrlimit(RLIMIT_FSIZE, &all), "the limit of file sizes can be read"))
		return;
	little = all;
	little.rlim_cur = st.st_size + 2 * size + size / 2;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &little);
	status = recording_take(&recording, b.data, b.size);
	setrlimit(RLIMIT_FSIZE, &all);
	check_number(status, -EFBIG, "a full file is reported");
	check_number(read_back(&back), before + 2 * size,
		     "whole records before the limit are in the file");
	check(!memcmp(back.data + before, b.data, 2 * size), "the records are unchanged");
}

/* Show this process a PMU with 32 branch registers; false if that fails. */
static bool have_branches(void)
{
	FILE *caps;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", PMU_DEVICES, "tmpfs", 0, NULL) || mkdir(PMU_DEVICES "/cpu", 0755) ||
	    mkdir(PMU_DEVICES "/cpu/caps", 0755))
		return false;
	caps = fopen(PMU_DEVICES "/cpu/caps/branches", "w");
	return caps && fputs("32\n", caps) >= 0 && !fclose(caps);
}

/* A file of branches says how many the PMU keeps, as a name and a value, each with its size. */
static void check_branches(void)
{
	static const char caps[] = "\x01\0\0\0\x40\0\0\0branches";
	struct data_event event = { .name = "branches" };
	static char content[65536];
	struct data_writer *writer;
	static struct bytes b;
	const char *found = NULL;
	struct error err;
	ssize_t size;
	int fd;

	if (!have_branches()) {
		check(true, "branches that the PMU keeps # SKIP needs root");
		return;
	}
	simple_attr(&event.attr);
	event.attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	writer = data_writer_open(path, &event, 1, 1, command, &err);
	put_mmap2(&b, 10, 0x1000, 0x1000, 0, "/lib/there", 999, 1);
	if (!check(writer && !data_writer_write(writer, b.data, b.size) &&
		   !data_writer_close(writer, NULL, &err), "a file of branches"))
		return;
	fd = open(path, O_RDONLY);
	size = read(fd, content, sizeof(content));
	close(fd);
	if (size > 0)
		found = memmem(content, size, caps, sizeof(caps) - 1);
	check(found && !strcmp(found + 8 + 64 + 4, "32"), "it says how many the PMU keeps");
}

int main(void)
{
	struct error err;

	if (!check(open_recording(), "a file"))
		return unit_finish();
	check_form();
	check_build_ids();
	check_nonsense();
	check_full();
	recording_close(&recording, &err);
	recording_free(&recording);
	check_branches();
	unlink(path);
	return unit_finish();
}
