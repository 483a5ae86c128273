// SPDX-License-Identifier: GPL-2.0
/*
 * The order of records, and the state that follows from them: overlapping and removed mappings,
 * forks, execs, reused pids, the kernel's symbols.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "machine/callchain.h"
#include "machine/read_counts.h"
#include "machine/state.h"
#include "file/queue.h"
#include "made_records.h"
#include "unit.h"

/* The times and offsets of the records that a queue delivered, as text. */
static char delivered[256];

static void deliver(void *context, const struct perf_event_header *record, uint64_t offset)
{
	char one[32];

	(void)context;
	(void)record;
	snprintf(one, sizeof(one), "%llu ", (unsigned long long)offset);
	strcat(delivered, one);
}

static void test_queue(void)
{
	struct perf_event_header record = { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) };
	struct record_queue q = { .deliver = deliver, .bytes_max = 1 << 20 };

	/* Two buffers are read in turn; the offsets tell the expected order of the records. */
	record_queue_add(&q, &record, 10, 1);
	record_queue_add(&q, &record, 30, 4);
	record_queue_add(&q, &record, 20, 2);
	record_queue_add(&q, &record, 30, 5);
	record_queue_round(&q);
	check_string(delivered, "", "nothing is delivered after the first round");
	record_queue_add(&q, &record, 50, 7);
	record_queue_add(&q, &record, 25, 3);
	record_queue_add(&q, &record, 40, 6);
	record_queue_round(&q);
	check_string(delivered, "1 2 3 4 5 ",
		     "the second round delivers up to the newest of the first");
	record_queue_add(&q, &record, 20, 8);
	record_queue_flush(&q);
	check_string(delivered, "1 2 3 4 5 8 6 7 ", "the end delivers the rest");
	check_number(q.nr_late, 1, "one record came too late");
}

static void test_full_queue(void)
{
	struct perf_event_header *record = xcalloc(1, 60000);
	struct record_queue q = { .deliver = deliver, .bytes_max = 200000 };

	record->size = 60000;
	delivered[0] = '\0';
	record_queue_add(&q, record, 100, 3);
	record_queue_add(&q, record, 90, 1);
	record_queue_add(&q, record, 110, 4);
	record_queue_add(&q, record, 95, 2);
	check_string(delivered, "1 2 ", "when memory is used up, the older half is delivered");
	record_queue_flush(&q);
	check_string(delivered, "1 2 3 4 ", "the end delivers the younger half");
	free(record);
}

/* Many small parts, each in order or not: the order of equal times is that of arrival. */
static void test_queue_order(void)
{
	static const uint64_t times[] = { 5, 5, 3, 9, 9, 1, 2, 3, 8, 7, 6, 5 };
	struct perf_event_header record = { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) };
	struct record_queue q = { .deliver = deliver, .bytes_max = 1 << 20 };
	size_t i;

	delivered[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(times); i++)
		record_queue_add(&q, &record, times[i], i);
	record_queue_flush(&q);
	check_string(delivered, "5 6 2 7 0 1 11 10 9 8 3 4 ",
		     "records of several parts are merged in the order of time and arrival");
}

/* Store the memory in use when the first record is delivered. */
static void measure(void *context, const struct perf_event_header *record, uint64_t offset)
{
	size_t *used = context;

	(void)record;
	if (!offset)
		*used = heap_bytes();
}

/* Check the largest memory of a full queue of records of @size. */
static size_t most_memory(size_t bytes_max, uint16_t size)
{
	size_t used = 0, before = heap_bytes();
	struct record_queue q = { .deliver = measure, .context = &used, .bytes_max = bytes_max };
	struct perf_event_header *record = xcalloc(1, size);
	uint64_t i;

	record->size = size;
	for (i = 0; i <= bytes_max / size; i++)
		record_queue_add(&q, record, i, i);
	record_queue_flush(&q);
	free(record);
	return used - before;
}

static void ignore(void *context, const struct perf_event_header *record, uint64_t offset)
{
	(void)context;
	(void)record;
	(void)offset;
}

/*
 * A recording may have records of a late time between others, so that one record keeps the memory
 * of many that have been delivered.
 */
static void test_kept_memory(void)
{
	const size_t bytes_max = 2 << 20, before = heap_bytes();
	struct record_queue q = { .deliver = ignore, .bytes_max = bytes_max };
	struct perf_event_header *record = xcalloc(1, 1000);
	size_t used, most = 0;
	uint64_t i;

	record->size = 1000;
	for (i = 0; i < 20000; i++) {
		record_queue_add(&q, record, i % 32 ? i : UINT64_MAX - 1, 0);
		used = heap_bytes() - before;
		most = used > most ? used : most;
		if (i % 64 == 63) {
			q.newest = i;
			record_queue_round(&q);
		}
	}
	record_queue_flush(&q);
	free(record);
	if (!check(most <= bytes_max + (64 << 10), "late records do not keep more memory"))
		printf("#   %zu of %zu\n", most, bytes_max);
}

static void test_queue_memory(void)
{
	static const uint16_t sizes[] = { 8, 16, 40, 1000, 65528 };
	/* The list of records has at least a thousand places. */
	const size_t bytes_max = 2 << 20, more = 64 << 10;
	size_t i, most;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		most = most_memory(bytes_max, sizes[i]);
		if (!check(most <= bytes_max + sizes[i] + more,
			   "records of %u bytes: no more memory than allowed", sizes[i]))
			printf("#   %zu of %zu\n", most, bytes_max);
	}
}

static struct dso *dso_a = (void *)1, *dso_b = (void *)2;

static bool is_at(const struct map_set *set, uint64_t start, uint64_t end, uint64_t pgoff,
		  const struct dso *dso)
{
	const struct map *map = map_set_find(set, start);

	return map && map->start == start && map->end == end && map->pgoff == pgoff &&
	       map->dso == dso;
}

static size_t count(const struct map_set *set)
{
	return set->root ? set->root->nr : 0;
}

static void test_maps(void)
{
	struct map_set *set = map_set_new(), *copy;

	check(!map_set_find(set, 0), "an empty set has no mapping");
	map_set_insert(set, 0x1000, 0x9000, 0x100000, dso_a);
	check(is_at(set, 0x1000, 0x9000, 0x100000, dso_a), "a mapping has its first address");
	check(map_set_find(set, 0x8fff) && !map_set_find(set, 0x9000) &&
	      !map_set_find(set, 0xfff), "a mapping has its last address and no further");
	map_set_insert(set, 0x3000, 0x5000, 0, dso_b);
	check(count(set) == 3 && is_at(set, 0x1000, 0x3000, 0x100000, dso_a) &&
	      is_at(set, 0x3000, 0x5000, 0, dso_b) && is_at(set, 0x5000, 0x9000, 0x104000, dso_a),
	      "a mapping within another leaves both ends");
	copy = map_set_copy(set);
	map_set_insert(copy, 0x2000, 0x6000, 0x7000, dso_b);
	check(count(copy) == 3 && is_at(copy, 0x1000, 0x2000, 0x100000, dso_a) &&
	      is_at(copy, 0x2000, 0x6000, 0x7000, dso_b) &&
	      is_at(copy, 0x6000, 0x9000, 0x105000, dso_a), "a mapping over several replaces them");
	check(count(set) == 3 && is_at(set, 0x3000, 0x5000, 0, dso_b),
	      "a change of a copy does not change the original");
	map_set_insert(copy, 0, UINT64_MAX, 0, dso_b);
	check(count(copy) == 1, "a mapping over all replaces all");
	map_set_free(copy);
	map_set_free(set);
}

static void test_maps_removed(void)
{
	struct map_set *set = map_set_new(), *gone = map_set_new(), *copy;
	struct map *map;

	map_set_remove(set, 0, UINT64_MAX, gone);
	check(!count(set) && !count(gone), "removal from an empty set changes nothing");
	map = map_set_insert(set, 0x1000, 0x9000, 0x100000, dso_a);
	map->text = dso_b;
	map->text_pgoff = 0x700000;
	copy = map_set_copy(set);
	map_set_remove(copy, 0x3000, 0x5000, gone);
	check(count(copy) == 2 && is_at(copy, 0x1000, 0x3000, 0x100000, dso_a) &&
	      is_at(copy, 0x5000, 0x9000, 0x104000, dso_a),
	      "removal from the middle leaves both ends");
	check(!map_set_find(copy, 0x3000) && !map_set_find(copy, 0x4fff), "removal leaves a gap");
	check(count(gone) == 1 && is_at(gone, 0x3000, 0x5000, 0x102000, dso_a),
	      "the removed part is returned");
	check_number(map_set_find(copy, 0x5000)->text_pgoff, 0x704000,
		     "the remaining end keeps its place in the text");
	check(count(set) == 1 && is_at(set, 0x1000, 0x9000, 0x100000, dso_a),
	      "removal from a copy does not change the original");
	map_set_insert(copy, 0x3000, 0x4000, 0, dso_b);
	map_set_remove(copy, 0x2000, 0x6000, gone);
	check(count(copy) == 2 && is_at(copy, 0x1000, 0x2000, 0x100000, dso_a) &&
	      is_at(copy, 0x6000, 0x9000, 0x105000, dso_a), "several mappings are removed at once");
	check(count(gone) == 4 && is_at(gone, 0x2000, 0x3000, 0x101000, dso_a) &&
	      is_at(gone, 0x3000, 0x4000, 0, dso_b) && is_at(gone, 0x4000, 0x5000, 0x103000, dso_a),
	      "removed parts are added to those returned before");
	check(map_set_has(copy, 0x1fff, 0x6000) && !map_set_has(copy, 0x2000, 0x6000) &&
	      map_set_has(copy, 0x5000, 0x6001), "ranges with and without mappings are told apart");
	map_set_free(copy);
	map_set_free(gone);
	map_set_free(set);
}

static struct data_features features;
static struct symbol_sources sources = { .data_path = "/nonexistent/perf.data" };

static struct event_table *events(void)
{
	static struct event_table table;
	struct perf_event_attr attr;

	if (!table.nr) {
		simple_attr(&attr);
		event_table_add(&table, &attr);
	}
	return &table;
}

static void apply(struct machine *machine, const struct bytes *b)
{
	struct record record;

	if (record_decode(events(), (void *)b->data, &record) != RECORD_OK)
		abort();
	machine_apply(machine, &record);
}

#define APPLY(machine, what, ...)			\
do {							\
	b.size = 0;					\
	what(&b, __VA_ARGS__);				\
	apply(machine, &b);				\
} while (0)

static const char *where(struct machine *machine, uint32_t pid, uint64_t ip)
{
	struct thread *thread = thread_get(&machine->threads, pid, pid);
	struct location at;

	machine_resolve(machine, thread, MODE_USER, ip, &at);
	return at.dso ? at.dso->name : "-";
}

static const char *comm(struct machine *machine, uint32_t pid, uint32_t tid)
{
	return thread_get(&machine->threads, pid, tid)->comm;
}

static void test_tasks(void)
{
	static const uint64_t user[] = { PERF_CONTEXT_USER, 0x400000 };
	struct machine m;
	static struct bytes b;

	machine_init(&m, &sources, &features);
	check_string(comm(&m, 10, 10), ":10", "an unnamed thread is shown by its tid");
	check_string(comm(&m, 0, 0), "swapper", "the idle thread has its name");
	APPLY(&m, put_comm, 10, 10, "shell", 0, 1, 0);
	APPLY(&m, put_mmap2, 10, 0x400000, 0x1000, 0, "/nonexistent/shell", 2, 0);
	APPLY(&m, put_task, PERF_RECORD_FORK, 11, 10, 11, 10, 3, 0);
	check_string(comm(&m, 11, 11), "shell", "a child has its parent's name");
	check_string(where(&m, 11, 0x400010), "shell", "a child has its parent's mappings");
	APPLY(&m, put_mmap2, 11, 0x500000, 0x1000, 0, "/nonexistent/lib", 4, 0);
	check_string(where(&m, 11, 0x500010), "lib", "a child has its own mapping");
	check_string(where(&m, 10, 0x500010), "-", "a child's mapping is not in the parent");
	APPLY(&m, put_task, PERF_RECORD_FORK, 11, 11, 12, 11, 5, 0);
	APPLY(&m, put_mmap2, 11, 0x600000, 0x1000, 0, "/nonexistent/plugin", 6, 0);
	check(!strcmp(comm(&m, 11, 12), "shell") &&
	      thread_get(&m.threads, 11, 12)->process == thread_get(&m.threads, 11, 11)->process,
	      "a thread shares its process's mappings");
	APPLY(&m, put_comm, 11, 11, "program", PERF_RECORD_MISC_COMM_EXEC, 7, 0);
	check_string(where(&m, 11, 0x400010), "shell",
		     "during exec, chains are resolved in the old program");
	APPLY(&m, put_mmap2, 11, 0x700000, 0x1000, 0, "/nonexistent/program", 8, 0);
	APPLY(&m, put_sample, PERF_RECORD_MISC_USER, 11, 11, 9, 0, 1, user, 2);
	check_string(where(&m, 11, 0x400010), "-", "the old program is gone once the new one runs");
	check_string(where(&m, 11, 0x700010), "program", "the new program is mapped once it runs");
	check_string(comm(&m, 10, 10), "shell", "the parent keeps its name");
	APPLY(&m, put_task, PERF_RECORD_EXIT, 11, 10, 11, 10, 10, 0);
	APPLY(&m, put_task, PERF_RECORD_FORK, 11, 10, 11, 10, 11, 0);
	check_string(where(&m, 11, 0x700010), "-", "a reused pid is another process");
	check_string(where(&m, 11, 0x400010), "shell", "a reused pid has its parent's mappings");
	machine_free(&m);
}

/* Several libraries at one address: a sample is in the one mapped at its time. */
static void test_unmapped(void)
{
	static const uint64_t user[] = { PERF_CONTEXT_USER, 0x500000 };
	static const uint16_t data = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA;
	struct machine m;
	static struct bytes b;

	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap2, 10, 0x500000, 0x4000, 0, "/nonexistent/one", 1, 0);
	APPLY(&m, put_task, PERF_RECORD_FORK, 10, 10, 11, 10, 2, 0);
	APPLY(&m, put_munmap, data, 10, 0x500000, 0x4000, "/nonexistent/one", 3, 0);
	check_string(where(&m, 10, 0x500000), "one", "unmapped data does not unmap code");
	APPLY(&m, put_munmap, PERF_RECORD_MISC_USER, 10, 0x501000, 0x1000, "/nonexistent/one", 3,
	      0);
	APPLY(&m, put_sample, PERF_RECORD_MISC_USER, 10, 10, 4, 0, 1, user, 2);
	check(!strcmp(where(&m, 10, 0x500fff), "one") && !strcmp(where(&m, 10, 0x501000), "-") &&
	      !strcmp(where(&m, 10, 0x502000), "one"), "a part of a library can be unmapped");
	APPLY(&m, put_munmap, PERF_RECORD_MISC_USER, 10, 0x500000, 0x4000, "/nonexistent/one", 5,
	      0);
	APPLY(&m, put_sample, PERF_RECORD_MISC_KERNEL, 10, 10, 6, 0, 1, user, 2);
	check_string(where(&m, 10, 0x502000), "one",
		     "chains from munmap() are resolved in the library");
	APPLY(&m, put_sample, PERF_RECORD_MISC_USER, 10, 11, 7, 0, 1, user, 2);
	check_string(where(&m, 10, 0x502000), "-", "after munmap() the library is gone");
	check_string(comm(&m, 10, 11), ":11", "an unnamed thread does not get its process's name");
	APPLY(&m, put_mmap2, 10, 0x500000, 0x4000, 0, "/nonexistent/two", 8, 0);
	check(thread_get(&m.threads, 10, 11)->process == thread_get(&m.threads, 10, 10)->process &&
	      !strcmp(where(&m, 10, 0x502000), "two"), "another library is mapped for all threads");
	APPLY(&m, put_mmap, data, 10, 0x502000, 0x1000, 0, "//anon", 9, 0);
	check(!strcmp(where(&m, 10, 0x501000), "two") && strcmp(where(&m, 10, 0x501000), "-"),
	      "data mapped over a library leaves its other parts");
	APPLY(&m, put_sample, PERF_RECORD_MISC_USER, 10, 10, 10, 0, 1, user, 2);
	check_string(where(&m, 10, 0x502000), "-", "data mapped over a library replaces that part");
	machine_free(&m);
}

/* The kernel reports what an exec unmaps before it reports the exec. */
static void test_exec_with_munmap(void)
{
	static const uint64_t user[] = { PERF_CONTEXT_USER, 0x400000 };
	struct machine m;
	static struct bytes b;

	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap2, 10, 0x400000, 0x1000, 0, "/nonexistent/first", 1, 0);
	APPLY(&m, put_mmap2, 10, 0x500000, 0x1000, 0, "/nonexistent/library", 1, 0);
	APPLY(&m, put_munmap, PERF_RECORD_MISC_USER, 10, 0x400000, 0x1000, "/nonexistent/first", 2,
	      0);
	APPLY(&m, put_munmap, PERF_RECORD_MISC_USER, 10, 0x500000, 0x1000, "/nonexistent/library",
	      2, 0);
	APPLY(&m, put_comm, 10, 10, "second", PERF_RECORD_MISC_COMM_EXEC, 3, 0);
	APPLY(&m, put_mmap2, 10, 0x500000, 0x1000, 0, "/nonexistent/second", 4, 0);
	APPLY(&m, put_sample, PERF_RECORD_MISC_KERNEL, 10, 10, 5, 0, 1, user, 2);
	check(!strcmp(where(&m, 10, 0x400000), "first") &&
	      !strcmp(where(&m, 10, 0x500000), "second"),
	      "until the new program runs, the old mappings resolve");
	APPLY(&m, put_munmap, PERF_RECORD_MISC_USER, 10, 0x500000, 0x1000, "/nonexistent/second", 6,
	      0);
	APPLY(&m, put_comm, 10, 10, "third", PERF_RECORD_MISC_COMM_EXEC, 7, 0);
	check(!strcmp(where(&m, 10, 0x400000), "-") && !strcmp(where(&m, 10, 0x500000), "second"),
	      "the next exec keeps only the program before it");
	APPLY(&m, put_sample, PERF_RECORD_MISC_USER, 10, 10, 8, 0, 1, user, 2);
	check_string(where(&m, 10, 0x500000), "-",
		     "once the third program runs, the second is gone");
	machine_free(&m);
}

/* Anonymous memory that soon replaces text is a copy of the text; other memory is not. */
static void test_text_copied(void)
{
	static const uint16_t text = PERF_RECORD_MISC_USER;
	static const uint16_t data = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA;
	static const uint64_t second = 1000000000;
	struct location at;
	struct machine m;
	static struct bytes b;

	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap2, 10, 0x400000, 0x9000, 0x2000, "/nonexistent/program", 1, 0);
	APPLY(&m, put_munmap, text, 10, 0x402000, 0x4000, "/nonexistent/program", 2, 0);
	APPLY(&m, put_mmap, data, 10, 0x402000, 0x4000, 0, "//anon", 2, 0);
	APPLY(&m, put_munmap, data, 10, 0x402000, 0x4000, "//anon", 2 + second / 2, 0);
	APPLY(&m, put_mmap2, 10, 0x402000, 0x4000, 0, "//anon", 2 + second / 2, 0);
	machine_resolve(&m, thread_get(&m.threads, 10, 10), MODE_USER, 0x403010, &at);
	check_string(at.dso->name, "program", "anonymous memory in the place of text is a copy");
	check_number(at.addr, 0x5010, "an address in the copy has the text's offset");
	check_number(at.ip, 0x403010, "an address in the copy is that of the memory");
	APPLY(&m, put_task, PERF_RECORD_FORK, 11, 10, 11, 10, 3 + second / 2, 0);
	check_string(where(&m, 11, 0x403010), "program", "a child has the copy, too");
	APPLY(&m, put_munmap, text, 10, 0x402000, 0x2000, "//anon", second, 0);
	APPLY(&m, put_mmap2, 10, 0x402000, 0x1000, 0, "//anon", second, 0);
	APPLY(&m, put_mmap2, 10, 0x403000, 0x1000, 0, "//anon", second, 0);
	machine_resolve(&m, thread_get(&m.threads, 10, 10), MODE_USER, 0x403010, &at);
	check_number(at.addr, 0x5010, "a copy of a copy in two pieces is resolved");
	machine_resolve(&m, thread_get(&m.threads, 10, 10), MODE_USER, 0x404010, &at);
	check_number(at.addr, 0x6010, "the rest of the first copy is resolved");

	APPLY(&m, put_munmap, text, 10, 0x406000, 0x1000, "/nonexistent/program", second, 0);
	APPLY(&m, put_mmap2, 10, 0x406000, 0x1000, 0, "//anon", 2 * second + 1, 0);
	check_string(where(&m, 10, 0x406010), "perf-10.map",
		     "memory mapped too late is not a copy");
	APPLY(&m, put_munmap, text, 10, 0x407000, 0x1000, "/nonexistent/program", 3 * second, 0);
	APPLY(&m, put_mmap2, 10, 0x407000, 0x2000, 0, "//anon", 3 * second, 0);
	check_string(where(&m, 10, 0x407010), "perf-10.map",
		     "memory larger than the text is not a copy");
	APPLY(&m, put_mmap2, 10, 0x40000, 0x2000, 0, "/nonexistent/program", 3 * second, 0);
	APPLY(&m, put_munmap, text, 10, 0x40000, 0x2000, "/nonexistent/program", 3 * second, 0);
	APPLY(&m, put_mmap2, 10, 0x3f000, 0x2000, 0, "//anon", 3 * second, 0);
	check_string(where(&m, 10, 0x40000), "perf-10.map",
		     "memory that starts before the text is not a copy");
	APPLY(&m, put_mmap2, 10, 0x40000, 0x2000, 0, "/nonexistent/program", 3 * second, 0);
	b.size = 0;
	put_munmap(&b, text, 10, 0x40000, 0x2000, "/nonexistent/program", 3 * second, 0);
	b.data[12] = 11;
	apply(&m, &b);
	APPLY(&m, put_mmap2, 10, 0x40000, 0x2000, 0, "//anon", 3 * second, 0);
	check_string(where(&m, 10, 0x40000), "perf-10.map",
		     "memory mapped by another thread is not a copy");
	APPLY(&m, put_mmap2, 10, 0x40000, 0x2000, 0, "/nonexistent/program", 3 * second, 0);
	APPLY(&m, put_munmap, text, 10, 0x40000, 0x2000, "/nonexistent/program", 3 * second, 0);
	APPLY(&m, put_mmap2, 10, 0x80000, 0x1000, 0, "/nonexistent/library", 3 * second, 0);
	APPLY(&m, put_mmap2, 10, 0x40000, 0x2000, 0, "//anon", 3 * second, 0);
	check_string(where(&m, 10, 0x40000), "perf-10.map",
		     "memory after another mapping is not a copy");
	APPLY(&m, put_mmap2, 10, 0x40000, 0x2000, 0, "/nonexistent/program", 4 * second, 0);
	APPLY(&m, put_munmap, text, 10, 0x40000, 0x2000, "/nonexistent/program", 4 * second, 0);
	APPLY(&m, put_mmap2, 10, 0x40000, 0x1000, 0, "/nonexistent/library", 4 * second, 0);
	check_string(where(&m, 10, 0x40000), "library", "a file in the place of text is itself");
	machine_free(&m);
}

/* A function of the "kernel", which is this program. It is found by name and by address. */
int function_of_the_kernel(int x);

int function_of_the_kernel(int x)
{
	return x * 3 + 1;
}

/* Without -k, the file vmlinux in the recording's directory is used. */
static void test_vmlinux_beside(const char *self, const struct bytes *kernel_mmap, uint64_t addr)
{
	char directory[32] = "/tmp/perf-unit-machine-XXXXXX";
	struct location at;
	char *vmlinux, *data;
	struct machine m;

	if (!mkdtemp(directory))
		abort();
	vmlinux = xasprintf("%s/vmlinux", directory);
	data = xasprintf("%s/perf.data", directory);
	if (symlink(self, vmlinux))
		abort();
	sources.vmlinux = NULL;
	sources.data_path = data;
	machine_init(&m, &sources, &features);
	apply(&m, kernel_mmap);
	machine_resolve(&m, thread_get(&m.threads, 1, 1), MODE_KERNEL, addr, &at);
	check(at.symbol && !strcmp(symbol_name(at.symbol), "function_of_the_kernel"),
	      "a vmlinux beside the recording is found");
	machine_free(&m);
	sources.vmlinux = self;
	sources.data_path = "/nonexistent/perf.data";
	unlink(vmlinux);
	rmdir(directory);
	free(vmlinux);
	free(data);
}

static void test_kernel(void)
{
	char self[256] = "";
	struct recorded_build_id id = { .kernel = true };
	static char name[32] = "[kernel.kallsyms]";
	uint64_t linked, anchor, moved = 0x123000;
	struct location at;
	static struct bytes b;
	struct thread *thread;
	struct machine m;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		abort();
	id.path = name;
	id.size = elf_build_id(self, id.id);
	check(id.size == 20, "this program has a build-id");
	hash_table_add(&features.build_ids, &id.node, hash_string(id.path));
	sources.vmlinux = self;
	check(!elf_symbol_addr(self, "main", &anchor) &&
	      !elf_symbol_addr(self, "function_of_the_kernel", &linked),
	      "this program has symbols");
	check(elf_symbol_addr(self, "no_such_function", &anchor) < 0,
	      "a missing symbol is not found");
	elf_symbol_addr(self, "main", &anchor);

	machine_init(&m, &sources, &features);
	b.size = 0;
	put_mmap(&b, PERF_RECORD_MISC_KERNEL, -1, 0, 0x100000000, anchor + moved,
		 "[kernel.kallsyms]main", 0, 0);
	apply(&m, &b);
	thread = thread_get(&m.threads, 1, 1);
	machine_resolve(&m, thread, MODE_KERNEL, linked + moved + 1, &at);
	check(at.symbol && !strcmp(symbol_name(at.symbol), "function_of_the_kernel") &&
	      at.symbol_offset == 1, "a moved kernel's functions are found in its vmlinux");
	check_string(at.dso ? at.dso->name : "", "[kernel.kallsyms]",
		     "a kernel function's dso is the kernel");
	machine_resolve(&m, thread, MODE_USER, linked + moved + 1, &at);
	check(!at.symbol && !at.dso, "the same address in user mode is not the kernel's");
	machine_free(&m);

	test_vmlinux_beside(self, &b, linked + moved);
	id.id[0] ^= 1;
	machine_init(&m, &sources, &features);
	apply(&m, &b);
	machine_resolve(&m, thread_get(&m.threads, 1, 1), MODE_KERNEL, linked + moved, &at);
	check(!at.symbol, "a vmlinux with another build-id is not used");
	machine_free(&m);
}

static void test_kallsyms(void)
{
	static const char text[] =
		"ffffffff81000000 T _text\n"
		"ffffffff81000000 T _stext\n"
		"ffffffff81000100 T alias\n"
		"ffffffff81000100 t function\n"
		"ffffffff81000200 D data_is_not_code\n"
		"ffffffff810002f0 t __pfx_weak\n"
		"ffffffff81000300 W weak\n"
		"ffffffffc0000000 t in_module\t[some_module]\n"
		"nonsense\n"
		"ffffffff81000400 T last";
	char path[64];
	struct thread *thread;
	static struct bytes b;
	struct location at;
	struct machine m;
	int fd = memfd_create("kallsyms", 0);

	if (fd < 0 || write(fd, text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	sources.vmlinux = NULL;
	sources.kallsyms = path;
	hash_table_free(&features.build_ids);
	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, 0xffffffff91000000, 0x1000000,
	      0xffffffff91000000, "[kernel.kallsyms]_text", 0, 0);
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, 0xffffffffc0000000, 0x1000, 0,
	      "/lib/modules/6.12/some-module.ko.xz", 0, 0);
	thread = thread_get(&m.threads, 1, 1);
	machine_resolve(&m, thread, MODE_KERNEL, 0xffffffff91000110, &at);
	check(at.symbol && !strcmp(symbol_name(at.symbol), "function") && at.symbol_offset == 0x10,
	      "a moved kernel's last of two names is used");
	machine_resolve(&m, thread, MODE_KERNEL, 0xffffffff91000400, &at);
	check(at.symbol && !strcmp(symbol_name(at.symbol), "last"),
	      "a last line without a newline is read");
	machine_resolve_return(&m, thread, MODE_KERNEL, 0xffffffff910002f0, &at);
	check_string(at.symbol ? symbol_name(at.symbol) : "", "function",
		     "a return address after the last instruction of a function");
	machine_resolve_return(&m, thread, MODE_KERNEL, 0xffffffff91000300, &at);
	check_string(at.symbol ? symbol_name(at.symbol) : "", "weak",
		     "an address that an interrupt stored is not looked up in the padding before it");
	machine_resolve(&m, thread, MODE_KERNEL, 0xffffffffc0000010, &at);
	check(at.dso && !strcmp(at.dso->name, "[some_module]") && at.symbol &&
	      !strcmp(symbol_name(at.symbol), "in_module"), "a module");
	machine_free(&m);
	close(fd);
}

static const char *kernel_symbol(struct machine *machine, uint64_t ip)
{
	struct location at;

	machine_resolve(machine, thread_get(&machine->threads, 1, 1), MODE_KERNEL, ip, &at);
	return at.symbol ? symbol_name(at.symbol) : "-";
}

static void put_ksymbol(struct bytes *b, uint64_t start, uint32_t size, uint16_t flags,
			const char *name, uint64_t time)
{
	begin(b, PERF_RECORD_KSYMBOL, 0);
	put64(b, start);
	put32(b, size);
	put16(b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	put16(b, flags);
	put_string(b, name);
	put_id(b, 1, 1, time, 0);
	end(b);
}

static void test_kernel_changes(void)
{
	static struct bytes b;
	struct machine m;

	sources.kallsyms = NULL;
	machine_init(&m, &sources, &features);
	APPLY(&m, put_ksymbol, 0xffffffffc0001000, 0x40, 0, "bpf_prog_1", 1);
	APPLY(&m, put_ksymbol, 0xffffffffc0001040, 0x80, 0, "bpf_prog_1", 2);
	check_string(kernel_symbol(&m, 0xffffffffc000103f), "bpf_prog_1",
		     "a registered function is found");
	check_string(kernel_symbol(&m, 0xffffffffc00010bf), "bpf_prog_1",
		     "a longer function with the same name is found");
	APPLY(&m, put_ksymbol, 0xffffffffc0001000, 0x40, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
	      "bpf_prog_1", 3);
	check_string(kernel_symbol(&m, 0xffffffffc000103f), "-", "a freed function is not found");
	check_string(kernel_symbol(&m, 0xffffffffc0001040), "bpf_prog_1",
		     "the other function is still found");
	machine_free(&m);
}

/* A sample in the kernel with a chain that continues in the program. */
static void test_callchain(void)
{
	static const uint64_t ips[] = {
		PERF_CONTEXT_KERNEL, 0xffffffffc0001010, PERF_CONTEXT_USER, 0x400010, 0x400020,
	};
	struct callchain chain = { 0 };
	struct record record;
	static struct bytes b;
	struct machine m;

	machine_init(&m, &sources, &features);
	APPLY(&m, put_ksymbol, 0xffffffffc0001000, 0x40, 0, "bpf_prog_1", 1);
	APPLY(&m, put_mmap2, 10, 0x400000, 0x1000, 0, "/nonexistent/shell", 2, 0);
	b.size = 0;
	put_sample(&b, PERF_RECORD_MISC_KERNEL, 10, 10, 3, 0, 1, ips, ARRAY_SIZE(ips));
	if (record_decode(events(), (void *)b.data, &record) != RECORD_OK)
		abort();
	callchain_resolve(&chain, &m, thread_get(&m.threads, 10, 10), &record);
	check_number(chain.nr, 3, "the marks of a chain are not frames");
	check(chain.frames[0].mode == MODE_KERNEL && chain.frames[0].symbol &&
	      !strcmp(symbol_name(chain.frames[0].symbol), "bpf_prog_1"),
	      "the chain begins in the kernel");
	check(chain.frames[1].mode == MODE_USER && chain.frames[2].mode == MODE_USER &&
	      chain.frames[2].dso && !strcmp(chain.frames[2].dso->name, "shell"),
	      "the chain continues in the program");
	callchain_free(&chain);
	machine_free(&m);
}

static void test_read_counts(void)
{
	struct read_counts counts = { 0 };

	check_number(read_counts_advance(&counts, 1, 5, 100), 100, "a counter starts at 0");
	check_number(read_counts_advance(&counts, 1, 5, 150), 50,
		     "a second value gives the difference");
	check_number(read_counts_advance(&counts, 1, 6, 30), 30,
		     "another thread's counter starts at 0");
	check_number(read_counts_advance(&counts, 2, 5, 40), 40,
		     "another counter of the thread starts at 0");
	check_number(read_counts_advance(&counts, 1, 5, 20), 0, "a reset counter gives 0");
	check_number(read_counts_advance(&counts, 1, 5, 25), 5,
		     "a reset counter continues from its value");
	read_counts_free(&counts);
}

/* Files with the same name are told apart by their build-ids. */
static void test_replaced_file(void)
{
	static const uint8_t old[20] = { 1 }, new[20] = { 2 };
	struct machine m;
	struct dso *dso;

	machine_init(&m, &sources, &features);
	dso = dso_set_add(&m.dsos, DSO_FILE, "/nonexistent/file", old, sizeof(old));
	check(dso_set_add(&m.dsos, DSO_FILE, "/nonexistent/file", old, sizeof(old)) == dso,
	      "a file with the same build-id is the same dso");
	check(dso_set_add(&m.dsos, DSO_FILE, "/nonexistent/file", new, sizeof(new)) != dso,
	      "a file with another build-id is another dso");
	check(dso_set_add(&m.dsos, DSO_FILE, "/nonexistent/file", old, 8) != dso,
	      "a file with a shorter build-id is another dso");
	check(dso_set_add(&m.dsos, DSO_FILE, "/nonexistent/file", NULL, 0),
	      "a file without a build-id is another dso");
	machine_free(&m);
}

/* A module that is unloaded and then loaded elsewhere, where kallsyms has it. */
static void test_module_again(void)
{
	static const char text[] =
		"ffffffff81000000 T _text\n"
		"ffffffffc0200100 t in_module\t[some_module]\n"
		"ffffffffc0200200 t behind_it\t[some_module]\n"
		"ffffffffc0900000 t elsewhere\t[some_module]\n";
	static const uint64_t first = 0xffffffffc0100000, second = 0xffffffffc0200000;
	static struct bytes b;
	struct location at;
	struct machine m;
	char path[64];
	int fd = memfd_create("kallsyms", 0);

	if (fd < 0 || write(fd, text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	sources.kallsyms = path;
	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, first, 0x1000, 0, "[some_module]", 1, 0);
	APPLY(&m, put_munmap, PERF_RECORD_MISC_KERNEL, -1, first, 0x1000, "[some_module]", 2, 0);
	check_string(kernel_symbol(&m, first + 0x110), "-",
		     "an unloaded module's functions are not found");
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, second, 0x1000, 0, "[some_module]", 3, 0);
	check_string(kernel_symbol(&m, second + 0x110), "in_module",
		     "a module loaded elsewhere is resolved");
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, first, 0x1000, 0, "[some_module]", 4, 0);
	machine_resolve(&m, thread_get(&m.threads, 1, 1), MODE_KERNEL, first + 0x110, &at);
	check(at.symbol && !strcmp(symbol_name(at.symbol), "in_module") &&
	      at.symbol_offset == 0x10 && !strcmp(at.dso->name, "[some_module]"),
	      "a module loaded at its first address is resolved");
	machine_free(&m);
	sources.kallsyms = NULL;
	close(fd);
}

/* This program is the "module": its functions are as far from .text as from 0. */
static void test_module_file(void)
{
	char directory[32] = "/tmp/perf-unit-machine-XXXXXX", self[256] = "";
	struct recorded_build_id id = { .kernel = true, .path = (char []){ "[some_module]" } };
	static const uint64_t start = 0xffffffffc0100000;
	static struct bytes b;
	char *module, *dep;
	struct machine m;
	uint64_t offset;
	FILE *out;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 || !mkdtemp(directory) ||
	    elf_symbol_addr(self, "function_of_the_kernel", &offset))
		abort();
	module = xasprintf("%s/some-module.ko", directory);
	dep = xasprintf("%s/modules.dep", directory);
	out = fopen(dep, "w");
	if (!out || symlink(self, module) ||
	    fputs("kernel/other.ko:\nsome-module.ko: kernel/other.ko\n", out) < 0 || fclose(out))
		abort();
	sources.modules = "/tmp";
	features.osrelease = directory + strlen("/tmp/");
	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, start, 0x10000000, 0, "[some_module]", 1,
	      0);
	check_string(kernel_symbol(&m, start + offset), "function_of_the_kernel",
		     "a module not in kallsyms is resolved by its file");
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, start, 0x10000000, 0, "[other]", 1, 0);
	check_string(kernel_symbol(&m, start + offset), "-",
		     "a module without a file has no symbols");
	machine_free(&m);

	/* The module may have been built again, with the same release of the kernel. */
	id.size = elf_build_id(self, id.id);
	hash_table_add(&features.build_ids, &id.node, hash_string(id.path));
	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, start, 0x10000000, 0, "[some_module]", 1,
	      0);
	check_string(kernel_symbol(&m, start + offset), "function_of_the_kernel",
		     "a module with the recorded build-id is resolved by its file");
	machine_free(&m);
	id.id[0]++;
	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, start, 0x10000000, 0, "[some_module]", 1,
	      0);
	check_string(kernel_symbol(&m, start + offset), "-",
		     "a module with another build-id than its file has no symbols");
	machine_free(&m);
	hash_table_free(&features.build_ids);

	/* The kernel's release in a recording could lead to another directory. */
	features.osrelease = xasprintf("../tmp/%s", directory + strlen("/tmp/"));
	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, start, 0x10000000, 0, "[some_module]", 1,
	      0);
	check_string(kernel_symbol(&m, start + offset), "-", "a release with a slash is not used");
	machine_free(&m);
	free(features.osrelease);
	features.osrelease = NULL;
	sources.modules = NULL;
	unlink(module);
	unlink(dep);
	rmdir(directory);
	free(module);
	free(dep);
}

static void test_symbols(void)
{
	struct symbol_table t = { 0 };

	symbol_table_add(&t, 0x100, 0x100, "outer", SYMBOL_GLOBAL);
	symbol_table_add(&t, 0x140, 0x10, "inner", SYMBOL_LOCAL);
	symbol_table_add(&t, 0x300, 0, "open", SYMBOL_GLOBAL);
	symbol_table_add(&t, 0x400, 0x10, "__long_alias", SYMBOL_GLOBAL);
	symbol_table_add(&t, 0x400, 0x10, "alias", SYMBOL_GLOBAL);
	symbol_table_add(&t, 0x400, 0x10, "weak_alias", SYMBOL_WEAK);
	symbol_table_add(&t, 0x500, 0x10, "_ZN2ns1AIiE4spinEi", SYMBOL_GLOBAL);
	symbol_table_add(&t, 0x600, 0x10, "_ZN3foo3bar17h0123456789abcdefE", SYMBOL_GLOBAL);
	symbol_table_add(&t, 0x700, 0x10, "a\033b", SYMBOL_GLOBAL);
	symbol_table_finish(&t);
	check(!symbol_table_find(&t, 0xff) && !symbol_table_find(&t, 0x200),
	      "an address outside all symbols has none");
	check_string(symbol_name(symbol_table_find(&t, 0x145)), "inner",
		     "the innermost symbol is found");
	check_string(symbol_name(symbol_table_find(&t, 0x150)), "outer",
		     "the enclosing symbol is found");
	check_string(symbol_name(symbol_table_find(&t, 0x3ff)), "open",
		     "a symbol without a size reaches to the next");
	check_string(symbol_name(symbol_table_find(&t, 0x40f)), "alias",
		     "the best of several names is used");
	check_string(symbol_name(symbol_table_find(&t, 0x500)), "ns::A<int>::spin", "C++");
	check_string(symbol_name(symbol_table_find(&t, 0x600)), "foo::bar",
		     "a Rust name is demangled");
	check_string(symbol_name(symbol_table_find(&t, 0x700)), "a\\x1bb",
		     "control characters in a name are escaped");
	symbol_table_free(&t);

	t = (struct symbol_table){ 0 };
	symbol_table_add(&t, 0x1ff0, 0, "last", SYMBOL_GLOBAL);
	symbol_table_finish(&t);
	check(symbol_table_find(&t, 0x2fff),
	      "the last symbol without a size reaches to the next page's end");
	check(!symbol_table_find(&t, 0x3000), "the last symbol does not reach further");
	symbol_table_free(&t);
}

int main(void)
{
	test_queue();
	test_full_queue();
	test_queue_order();
	test_queue_memory();
	test_kept_memory();
	test_maps();
	test_maps_removed();
	test_tasks();
	test_unmapped();
	test_exec_with_munmap();
	test_text_copied();
	test_kernel();
	test_kallsyms();
	test_kernel_changes();
	test_callchain();
	test_read_counts();
	test_replaced_file();
	test_module_again();
	test_module_file();
	test_symbols();
	event_table_free(events());
	return unit_finish();
}
