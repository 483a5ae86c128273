// SPDX-License-Identifier: GPL-2.0
/*
 * Damaged recordings in report and script: the commands exit with status 0 or 1, and if the file is
 * cut off, they print every sample before the cut and name the file. The mutations are the same in
 * every run.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "cmd/cmd.h"
#include "file/reader.h"
#include "made_records.h"
#include "unit.h"

#define NR_IDS 2
#define FIRST_ID 77

/* Lets a build with SANITIZE=1 report to the terminal, not among the captured messages. */
#pragma weak __sanitizer_set_report_fd
void __sanitizer_set_report_fd(void *fd);

static char path[64] = "/tmp/perf-unit-damage-XXXXXX";
static int captured_out, captured_err;
static int real_out, real_err;
static const char *current = "nothing";

/* Report which mutation hangs or crashes. */
static void on_signal(int sig)
{
	static const char text[] = "\nnot ok - signal during: ";

	if (write(real_out, text, sizeof(text) - 1) < 0 ||
	    write(real_out, current, strlen(current)) < 0 || write(real_out, "\n", 1) < 0)
		_exit(2);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void write_file(const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static int run(int (*command)(int, char **), const char *option)
{
	char *argv[5] = { xstrdup("perf test"), xstrdup("-i"), path, xstrdup(option) };
	int status;

	if (ftruncate(captured_out, 0) || ftruncate(captured_err, 0))
		abort();
	fflush(stdout);
	fflush(stderr);
	lseek(captured_out, 0, SEEK_SET);
	lseek(captured_err, 0, SEEK_SET);
	dup2(captured_out, STDOUT_FILENO);
	dup2(captured_err, STDERR_FILENO);
	alarm(60);
	status = command(4, argv);
	alarm(0);
	free(argv[0]);
	free(argv[1]);
	free(argv[3]);
	fflush(stdout);
	fflush(stderr);
	dup2(real_out, STDOUT_FILENO);
	dup2(real_err, STDERR_FILENO);
	return status;
}

static char *captured(int fd)
{
	static char text[1 << 20];
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);

	text[size < 0 ? 0 : size] = '\0';
	return text;
}

static size_t count(const char *text, const char *word)
{
	size_t nr = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		nr++;
	return nr;
}

/* The first event has call stacks from the branch registers, the second has branches. */
static void branch_attr(struct perf_event_attr *attr, size_t event)
{
	simple_attr(attr);
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | PERF_SAMPLE_BRANCH_USER |
				   (event ? PERF_SAMPLE_BRANCH_ANY : PERF_SAMPLE_BRANCH_CALL_STACK);
}

/* Add two branches within a block at the end of a sample. */
static void add_branches(struct bytes *b)
{
	size_t i;

	put64(b, 2);
	put64(b, 5);
	for (i = 0; i < 2; i++) {
		put64(b, 0x401240);
		put64(b, 0x401230);
		put64(b, 9 << 4);
	}
	end(b);
}

/* Records of most types, of two processes, and samples with call chains. */
static size_t put_records(struct bytes *b)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, 0xffffffff81001234, 0xffffffff81005678,
		PERF_CONTEXT_USER, 0x401234, 0x402345,
	};
	static const uint64_t user_chain[] = { PERF_CONTEXT_USER, 0x401230, 0x402345 };
	size_t i, nr = 0;

	put_mmap(b, PERF_RECORD_MISC_KERNEL, -1, 0xffffffff81000000, 0x1000000,
		 0xffffffff81000000, "[kernel.kallsyms]_text", 0, 0);
	put_comm(b, 10, 10, "parent", 0, 0, 0);
	put_comm(b, 10, 10, "program", PERF_RECORD_MISC_COMM_EXEC, 1000, FIRST_ID);
	put_mmap2(b, 10, 0x400000, 0x10000, 0, "/nonexistent/program", 1100, FIRST_ID);
	put_task(b, PERF_RECORD_FORK, 11, 10, 11, 10, 1200, FIRST_ID);
	for (i = 0; i < 6; i++) {
		put_sample(b, PERF_RECORD_MISC_KERNEL, 10 + i % 2, 10 + i % 2, 2000 + 10 * i,
			   FIRST_ID + i % NR_IDS, 1000, chain, 6);
		add_branches(b);
		put_sample(b, PERF_RECORD_MISC_USER, 10, 10, 1995 + 10 * i, FIRST_ID, 500,
			   user_chain, 3);
		add_branches(b);
		nr += 2;
	}
	begin(b, USER_RECORD_FINISHED_ROUND, 0);
	end(b);
	put_lost(b, 5, 3000, FIRST_ID);
	put_task(b, PERF_RECORD_EXIT, 11, 10, 11, 10, 3100, FIRST_ID);
	begin(b, USER_RECORD_FINISHED_ROUND, 0);
	end(b);
	return nr;
}

/* A record of the second COMPRESSED type has a data size; the rest is padding. */
static void put_compressed(struct bytes *b, uint32_t type, const void *data, size_t size)
{
	static const char padding[16];
	static char packed[32768];
	size_t packed_size = ZSTD_compress(packed, sizeof(packed), data, size, 1);

	if (ZSTD_isError(packed_size))
		abort();
	begin(b, type, 0);
	if (type == USER_RECORD_COMPRESSED2)
		put64(b, packed_size);
	put(b, packed, packed_size);
	if (type == USER_RECORD_COMPRESSED2)
		put(b, padding, 8 + (-b->size & 7));
	end(b);
}

/* Replace the records from @from on by one COMPRESSED record of each kind. */
static void compress_records(struct bytes *b, size_t from)
{
	static struct bytes records;
	size_t half = (b->size - from) / 2;

	records = *b;
	b->size = from;
	put_compressed(b, USER_RECORD_COMPRESSED2, records.data + from, half);
	put_compressed(b, USER_RECORD_COMPRESSED, records.data + from + half,
		       records.size - from - half);
}

/* The start and the end of the data in the written file. */
struct layout {
	size_t data;
	size_t data_end;
	size_t nr_samples;
};

static void put_string_feature(struct bytes *b, const char *s)
{
	put32(b, strlen(s) + 1);
	put(b, s, strlen(s) + 1);
}

static void put_file(struct bytes *b, struct layout *layout, bool compressed)
{
	struct data_file_header header = {
		.magic = DATA_MAGIC,
		.size = sizeof(header),
		.attr_size = sizeof(struct perf_event_attr) + sizeof(struct file_section),
	};
	struct perf_event_attr attr;
	struct file_section table[3];
	size_t i, at, first_sample = 0;

	put(b, &header, sizeof(header));
	for (i = 0; i < NR_IDS; i++)
		put64(b, FIRST_ID + i);
	header.attrs.offset = b->size;
	for (i = 0; i < NR_IDS; i++) {
		branch_attr(&attr, i);
		put(b, &attr, sizeof(attr));
		put64(b, sizeof(header) + 8 * i);
		put64(b, 8);
	}
	header.attrs.size = b->size - header.attrs.offset;
	layout->data = b->size;
	header.data.offset = b->size;
	layout->nr_samples = put_records(b);
	if (compressed) {
		for (at = layout->data; !first_sample; at += ((uint16_t *)(b->data + at))[3]) {
			if (b->data[at] == PERF_RECORD_SAMPLE)
				first_sample = at;
		}
		compress_records(b, first_sample);
	}
	layout->data_end = b->size;
	header.data.size = b->size - header.data.offset;

	at = b->size;
	put(b, table, sizeof(table));
	table[0].offset = b->size;
	begin(b, 0, PERF_RECORD_MISC_KERNEL);
	put32(b, -1);
	for (i = 0; i < 24; i++)
		put(b, &i, 1);
	put_string(b, "[kernel.kallsyms]");
	end(b);
	table[0].size = b->size - table[0].offset;
	table[1].offset = b->size;
	put_string_feature(b, "host");
	table[1].size = b->size - table[1].offset;
	table[2].offset = b->size;
	put32(b, 2);
	put_string_feature(b, "perf");
	put_string_feature(b, "record");
	table[2].size = b->size - table[2].offset;
	memcpy(b->data + at, table, sizeof(table));
	header.features[0] = 1ULL << FEATURE_BUILD_ID | 1ULL << FEATURE_HOSTNAME |
			     1ULL << FEATURE_CMDLINE;
	memcpy(b->data, &header, sizeof(header));
}

static void put_pipe(struct bytes *b)
{
	struct data_pipe_header header = { .magic = DATA_MAGIC, .size = sizeof(header) };
	struct perf_event_attr attr;
	size_t i;

	put(b, &header, sizeof(header));
	for (i = 0; i < NR_IDS; i++) {
		branch_attr(&attr, i);
		begin(b, USER_RECORD_HEADER_ATTR, 0);
		put(b, &attr, sizeof(attr));
		put64(b, FIRST_ID + i);
		end(b);
	}
	begin(b, USER_RECORD_FEATURE, 0);
	put64(b, FEATURE_HOSTNAME);
	put_string_feature(b, "host");
	end(b);
	put_records(b);
}

/* Return how many samples perf script must print of a file that is cut off at @cut. */
static size_t samples_before(const struct bytes *b, const struct layout *layout, size_t cut)
{
	size_t at = layout->data, nr = 0;
	struct perf_event_header header;

	while (at < layout->data_end) {
		memcpy(&header, b->data + at, sizeof(header));
		at += header.size;
		nr += header.type == PERF_RECORD_SAMPLE && at <= cut;
	}
	return nr;
}

static void test_whole(void)
{
	static struct bytes b;
	struct layout layout;
	int status;

	b.size = 0;
	put_file(&b, &layout, false);
	write_file(b.data, b.size);
	status = run(cmd_script, "--ns");
	check(status == 0 && count(captured(captured_out), " cpu-clock: ") == layout.nr_samples,
	      "script prints every sample of the undamaged file");
	status = run(cmd_report, "-gnone");
	check(status == 0 && strstr(captured(captured_out), "# Total Lost Samples: 5\n"),
	      "report reads the undamaged file");
	b.size = 0;
	put_file(&b, &layout, true);
	write_file(b.data, b.size);
	status = run(cmd_script, "--ns");
	check(status == 0 && count(captured(captured_out), " cpu-clock: ") == layout.nr_samples,
	      "script prints every sample of the compressed file");
	b.size = 0;
	put_pipe(&b);
	write_file(b.data, b.size);
	status = run(cmd_script, "--ns");
	check(status == 0 && count(captured(captured_out), " cpu-clock: ") == layout.nr_samples,
	      "script prints every sample of the pipe");
}

static void test_cuts(void)
{
	static struct bytes b;
	struct layout layout;
	size_t cut, bad = 0;
	char what[64];

	b.size = 0;
	put_file(&b, &layout, false);
	for (cut = 0; cut < layout.data_end; cut++) {
		size_t want = cut < layout.data ? 0 : samples_before(&b, &layout, cut);
		size_t got;
		int status;

		snprintf(what, sizeof(what), "file cut off at %zu", cut);
		current = what;
		write_file(b.data, cut);
		status = run(cmd_script, "--ns");
		got = count(captured(captured_out), " cpu-clock: ");
		if (status != 1 || got != want ||
		    !strstr(captured(captured_err), path)) {
			printf("# %s: status %d, %zu samples instead of %zu, stderr: %s\n", what,
			       status, got, want, captured(captured_err));
			bad++;
		}
		status = run(cmd_report, "-gnone");
		if (status != 1) {
			printf("# %s: report returned %d\n", what, status);
			bad++;
		}
	}
	check(!bad, "cut off anywhere: the samples before the cut, the file's name, status 1");
}

/* Run both commands on the file; nonzero if a status is not 0 or 1. */
static size_t run_all(void)
{
	int status[] = { run(cmd_script, "--stitch-lbr"), run(cmd_script, "-F+brstacksym"),
			 run(cmd_report, "-gnone"), run(cmd_report, "-D"),
			 run(cmd_report, "-ggraph"), run(cmd_report, "--total-cycles") };
	size_t i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(status); i++) {
		if (status[i] != 0 && status[i] != 1) {
			printf("# %s: status %d\n", current, status[i]);
			bad++;
		}
	}
	return bad;
}

/* Numerical Recipes' linear congruential generator: the same numbers everywhere. */
static uint32_t next_random(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static void test_flips(const struct bytes *b, const char *kind)
{
	static struct bytes mutant;
	size_t at, bad = 0;
	char what[64];

	for (at = 0; at < b->size; at++) {
		mutant = *b;
		mutant.data[at] ^= 1 << next_random() % 8;
		snprintf(what, sizeof(what), "%s with a bit flipped in byte %zu", kind, at);
		current = what;
		write_file(mutant.data, mutant.size);
		bad += run_all();
	}
	check(!bad, "%s with any byte damaged", kind);
}

/* Replace every aligned number in turn: sizes, offsets, counts, types. */
static void test_lies(const struct bytes *b, const char *kind)
{
	static const uint64_t lies[] = {
		0, 1, 7, 8, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff,
		0xffffffffffffffff, 0x8000000000000000,
	};
	static const size_t widths[] = { 2, 4, 8 };
	static struct bytes mutant;
	size_t at, lie, width, bad = 0;
	char what[64];

	for (width = 0; width < 3; width++) {
		for (at = 0; at + 8 <= b->size; at += widths[width]) {
			lie = next_random() % 10;
			mutant = *b;
			memcpy(mutant.data + at, &lies[lie], widths[width]);
			snprintf(what, sizeof(what), "%s with %#llx at %zu", kind,
				 (unsigned long long)lies[lie], at);
			current = what;
			write_file(mutant.data, mutant.size);
			bad += run_all();
		}
	}
	check(!bad, "%s with numbers that lie", kind);
}

static void test_scrambled(const struct bytes *b, const char *kind)
{
	static struct bytes mutant;
	size_t round, i, bad = 0;
	char what[64];

	for (round = 0; round < 500; round++) {
		mutant = *b;
		for (i = 0; i < 1 + round % 16; i++)
			mutant.data[next_random() % b->size] = next_random();
		if (round % 3 == 0)
			mutant.size = next_random() % b->size;
		snprintf(what, sizeof(what), "%s scrambled, round %zu", kind, round);
		current = what;
		write_file(mutant.data, mutant.size);
		bad += run_all();
	}
	check(!bad, "%s with several bytes damaged", kind);
}

static void test_all(const struct bytes *b, const char *kind)
{
	test_flips(b, kind);
	test_lies(b, kind);
	test_scrambled(b, kind);
}

int main(void)
{
	static struct bytes b;
	struct layout layout;
	int fd;

	setvbuf(stdout, NULL, _IOLBF, 0);
	setenv("HOME", "/nonexistent", 1);
	fd = mkstemp(path);
	if (fd < 0)
		abort();
	close(fd);
	captured_out = memfd_create("out", 0);
	captured_err = memfd_create("err", 0);
	real_out = dup(STDOUT_FILENO);
	real_err = dup(STDERR_FILENO);
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)real_err);
	signal(SIGALRM, on_signal);
	signal(SIGSEGV, on_signal);
	signal(SIGABRT, on_signal);

	test_whole();
	test_cuts();
	put_file(&b, &layout, false);
	test_all(&b, "a file");
	b.size = 0;
	put_file(&b, &layout, true);
	test_all(&b, "a compressed file");
	b.size = 0;
	put_pipe(&b);
	test_all(&b, "a pipe");
	unlink(path);
	return unit_finish();
}
