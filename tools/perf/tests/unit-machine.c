// SPDX-License-Identifier: GPL-2.0
/*
 * The order of records, and the state that they lead to: mappings that cut into
 * one another, forks, execs, pids that come again, the kernel's own symbols.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "machine.h"
#include "record_queue.h"
#include "made_records.h"
#include "unit.h"

/* The times and offsets of what a queue delivered, as text. */
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
	struct record_queue q = { .deliver = deliver, .bytes_max = 1000 };

	/* Two buffers, read in turn: the offsets are the order they should come in. */
	record_queue_add(&q, &record, 10, 1);
	record_queue_add(&q, &record, 30, 4);
	record_queue_add(&q, &record, 20, 2);
	record_queue_add(&q, &record, 30, 5);
	record_queue_round(&q);
	check_string(delivered, "", "nothing is certain after the first round");
	record_queue_add(&q, &record, 50, 7);
	record_queue_add(&q, &record, 25, 3);
	record_queue_add(&q, &record, 40, 6);
	record_queue_round(&q);
	check_string(delivered, "1 2 3 4 5 ",
		     "after the second round: all up to the newest of the first, equals in order");
	record_queue_add(&q, &record, 20, 8);
	record_queue_flush(&q);
	check_string(delivered, "1 2 3 4 5 8 6 7 ", "the rest at the end");
	check_number(q.nr_late, 1, "one record came too late");
	delivered[0] = '\0';
	q.bytes_max = 3 * sizeof(record);
	record_queue_add(&q, &record, 100, 3);
	record_queue_add(&q, &record, 90, 1);
	record_queue_add(&q, &record, 110, 4);
	record_queue_add(&q, &record, 95, 2);
	check_string(delivered, "1 2 ", "when memory is used up, the older half goes");
	record_queue_flush(&q);
	check_string(delivered, "1 2 3 4 ", "the younger half at the end");
}

static struct dso *dso_a = (void *)1, *dso_b = (void *)2;

static bool is_map(const struct map *map, uint64_t start, uint64_t end, uint64_t pgoff,
		   const struct dso *dso)
{
	return map && map->start == start && map->end == end && map->pgoff == pgoff &&
	       map->dso == dso;
}

static void test_maps(void)
{
	struct map_set *set = map_set_new(), *copy;

	check(!map_set_find(set, 0), "nothing in an empty set");
	map_set_insert(set, 0x1000, 0x9000, 0x100000, dso_a);
	check(is_map(map_set_find(set, 0x1000), 0x1000, 0x9000, 0x100000, dso_a), "first address");
	check(map_set_find(set, 0x8fff) && !map_set_find(set, 0x9000) &&
	      !map_set_find(set, 0xfff), "last address, and beyond");
	map_set_insert(set, 0x3000, 0x5000, 0, dso_b);
	check(set->nr == 3 && is_map(set->maps[0], 0x1000, 0x3000, 0x100000, dso_a) &&
	      is_map(set->maps[1], 0x3000, 0x5000, 0, dso_b) &&
	      is_map(set->maps[2], 0x5000, 0x9000, 0x104000, dso_a),
	      "one in the middle leaves both ends, at their place in the file");
	copy = map_set_share(set);
	copy = map_set_own(copy);
	map_set_insert(copy, 0x2000, 0x6000, 0x7000, dso_b);
	check(copy->nr == 3 && is_map(copy->maps[0], 0x1000, 0x2000, 0x100000, dso_a) &&
	      is_map(copy->maps[1], 0x2000, 0x6000, 0x7000, dso_b) &&
	      is_map(copy->maps[2], 0x6000, 0x9000, 0x105000, dso_a),
	      "one over several replaces them");
	check(set->nr == 3 && set->maps[1]->start == 0x3000, "a copy changes by itself");
	map_set_insert(copy, 0, UINT64_MAX, 0, dso_b);
	check(copy->nr == 1, "one over all of them");
	map_set_put(copy);
	map_set_put(set);
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
	check_string(comm(&m, 10, 10), ":10", "a thread that nobody named");
	check_string(comm(&m, 0, 0), "swapper", "the idle thread");
	APPLY(&m, put_comm, 10, 10, "shell", 0, 1, 0);
	APPLY(&m, put_mmap2, 10, 0x400000, 0x1000, 0, "/nonexistent/shell", 2, 0);
	APPLY(&m, put_task, PERF_RECORD_FORK, 11, 10, 11, 10, 3, 0);
	check_string(comm(&m, 11, 11), "shell", "a child has its parent's name");
	check_string(where(&m, 11, 0x400010), "shell", "and its mappings");
	APPLY(&m, put_mmap2, 11, 0x500000, 0x1000, 0, "/nonexistent/lib", 4, 0);
	check_string(where(&m, 11, 0x500010), "lib", "a mapping of the child");
	check_string(where(&m, 10, 0x500010), "-", "is not one of the parent");
	APPLY(&m, put_task, PERF_RECORD_FORK, 11, 11, 12, 11, 5, 0);
	APPLY(&m, put_mmap2, 11, 0x600000, 0x1000, 0, "/nonexistent/plugin", 6, 0);
	check(!strcmp(comm(&m, 11, 12), "shell") &&
	      thread_get(&m.threads, 11, 12)->process == thread_get(&m.threads, 11, 11)->process,
	      "a thread shares all of it");
	APPLY(&m, put_comm, 11, 11, "program", PERF_RECORD_MISC_COMM_EXEC, 7, 0);
	check_string(where(&m, 11, 0x400010), "shell",
		     "in the midst of exec, chains still end in the program before");
	APPLY(&m, put_mmap2, 11, 0x700000, 0x1000, 0, "/nonexistent/program", 8, 0);
	APPLY(&m, put_sample, PERF_RECORD_MISC_USER, 11, 11, 9, 0, 1, user, 2);
	check_string(where(&m, 11, 0x400010), "-", "once the new program runs that is gone");
	check_string(where(&m, 11, 0x700010), "program", "and the new one is there");
	check_string(comm(&m, 10, 10), "shell", "the parent keeps its name");
	APPLY(&m, put_task, PERF_RECORD_EXIT, 11, 10, 11, 10, 10, 0);
	APPLY(&m, put_task, PERF_RECORD_FORK, 11, 10, 11, 10, 11, 0);
	check_string(where(&m, 11, 0x700010), "-", "a pid that comes again is another process");
	check_string(where(&m, 11, 0x400010), "shell", "with its parent's mappings");
	machine_free(&m);
}

/* Known by name, found by address: the "kernel" below is this very program. */
int function_of_the_kernel(int x);

int function_of_the_kernel(int x)
{
	return x * 3 + 1;
}

/* Without -k: the file of that name in the directory of the recording. */
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
	features.build_ids = &id;
	features.nr_build_ids = 1;
	sources.vmlinux = self;
	check(!elf_symbol_addr(self, "main", &anchor) &&
	      !elf_symbol_addr(self, "function_of_the_kernel", &linked), "and symbols");
	check(elf_symbol_addr(self, "no_such_function", &anchor) < 0, "but not any");
	elf_symbol_addr(self, "main", &anchor);

	machine_init(&m, &sources, &features);
	b.size = 0;
	put_mmap(&b, PERF_RECORD_MISC_KERNEL, -1, 0, 0x100000000, anchor + moved,
		 "[kernel.kallsyms]main", 0, 0);
	apply(&m, &b);
	thread = thread_get(&m.threads, 1, 1);
	machine_resolve(&m, thread, MODE_KERNEL, linked + moved + 1, &at);
	check(at.symbol && !strcmp(symbol_name(at.symbol), "function_of_the_kernel") &&
	      at.symbol_offset == 1, "a function of a kernel that was moved, by its vmlinux");
	check_string(at.dso ? at.dso->name : "", "[kernel.kallsyms]", "its file");
	machine_resolve(&m, thread, MODE_USER, linked + moved + 1, &at);
	check(!at.symbol && !at.dso, "the same address in user mode is not the kernel's");
	machine_free(&m);

	test_vmlinux_beside(self, &b, linked + moved);
	id.id[0] ^= 1;
	machine_init(&m, &sources, &features);
	apply(&m, &b);
	machine_resolve(&m, thread_get(&m.threads, 1, 1), MODE_KERNEL, linked + moved, &at);
	check(!at.symbol, "a vmlinux of another build-id is not used");
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
	features.nr_build_ids = 0;
	machine_init(&m, &sources, &features);
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, 0xffffffff91000000, 0x1000000,
	      0xffffffff91000000, "[kernel.kallsyms]_text", 0, 0);
	APPLY(&m, put_mmap, PERF_RECORD_MISC_KERNEL, -1, 0xffffffffc0000000, 0x1000, 0,
	      "/lib/modules/6.12/some-module.ko.xz", 0, 0);
	thread = thread_get(&m.threads, 1, 1);
	machine_resolve(&m, thread, MODE_KERNEL, 0xffffffff91000110, &at);
	check(at.symbol && !strcmp(symbol_name(at.symbol), "function") && at.symbol_offset == 0x10,
	      "kallsyms of a kernel that was moved; of two names the last");
	machine_resolve(&m, thread, MODE_KERNEL, 0xffffffff91000400, &at);
	check(at.symbol && !strcmp(symbol_name(at.symbol), "last"), "a last line without its end");
	machine_resolve(&m, thread, MODE_KERNEL, 0xffffffffc0000010, &at);
	check(at.dso && !strcmp(at.dso->name, "[some_module]") && at.symbol &&
	      !strcmp(symbol_name(at.symbol), "in_module"), "a module");
	machine_free(&m);
	close(fd);
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
	check(!symbol_table_find(&t, 0xff) && !symbol_table_find(&t, 0x200), "outside of all");
	check_string(symbol_name(symbol_table_find(&t, 0x145)), "inner", "the innermost");
	check_string(symbol_name(symbol_table_find(&t, 0x150)), "outer", "the one around it");
	check_string(symbol_name(symbol_table_find(&t, 0x3ff)), "open",
		     "one without a size reaches to the next");
	check_string(symbol_name(symbol_table_find(&t, 0x40f)), "alias", "the best of the names");
	check_string(symbol_name(symbol_table_find(&t, 0x500)), "ns::A<int>::spin", "C++");
	check_string(symbol_name(symbol_table_find(&t, 0x600)), "foo::bar", "Rust");
	check_string(symbol_name(symbol_table_find(&t, 0x700)), "a\\x1bb",
		     "nothing that controls a terminal");
	symbol_table_free(&t);
}

int main(void)
{
	test_queue();
	test_maps();
	test_tasks();
	test_kernel();
	test_kallsyms();
	test_symbols();
	event_table_free(events());
	return unit_finish();
}
