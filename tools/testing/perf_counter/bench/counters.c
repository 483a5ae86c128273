// SPDX-License-Identifier: GPL-2.0
/*
 * Opening counters of either subsystem, and returning to a kernel without counters.
 *
 * A kernel keeps parts of a counter after its descriptor is closed. RCU frees memory later, and
 * hooks stay patched in for a second or so, in case the next counter is opened soon.
 * Measurements without counters must wait until all of this is over.
 */
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "bench.h"

const struct side sides[2] = {
	{ "perf_events", __NR_perf_event_open, false },
	{ "perf_counter", 900, true },
};

static int fds[COUNTERS_MAX];
static unsigned int nr_open;
static struct perf_event_mmap_page *buffer;
static unsigned int buffer_pages;

/* PERF_COUNT_SW_OFF_CPU, for which <linux/perf_event.h> has no name. */
#define OFF_CPU	0x40000000

/* attr.munmap, for which <linux/perf_event.h> has no name. */
static void ask_for_munmap(struct perf_event_attr *attr)
{
	uint64_t bits;
	void *at = (char *)attr + offsetof(struct perf_event_attr, read_format) + sizeof(bits);

	memcpy(&bits, at, sizeof(bits));
	bits |= 1ULL << 63;
	memcpy(at, &bits, sizeof(bits));
}

/* Return the id of a tracepoint. */
static uint64_t event_id(const char *event)
{
	unsigned long id;
	char path[128];
	FILE *file;

	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", event);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%lu", &id) != 1)
		die(path);
	fclose(file);
	return id;
}

int counter_open(const struct row *row, const struct side *side, int group_fd)
{
	struct perf_event_attr attr = row->attr;
	pid_t pid = row->cpu_wide ? -1 : row->other ? getppid() : 0;
	int cpu = row->cpu_wide ? 0 : -1;
	int fd;

	if (row->event)
		attr.config = event_id(row->event);

	if (row->off_cpu && side->has_own) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = OFF_CPU;
	}
	if (row->munmap && side->has_own)
		ask_for_munmap(&attr);
	fd = syscall(side->syscall_nr, &attr, pid, cpu, group_fd, 0UL);
	if (fd < 0 || (row->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, row->filter)))
		die(side->name);
	return fd;
}

struct perf_event_mmap_page *counter_map(int fd, unsigned int pages)
{
	void *page = mmap(NULL, (1 + pages) * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		die("mmap of a buffer");
	return page;
}

void counter_unmap(struct perf_event_mmap_page *page, unsigned int pages)
{
	munmap(page, (1 + pages) * PAGE_SIZE);
}

/* Open the counters of the row. */
void counters_open(const struct row *row, const struct side *side)
{
	while (nr_open < row->nr) {
		int group_fd = row->group && nr_open ? fds[0] : -1;

		fds[nr_open++] = counter_open(row, side, group_fd);
	}
	buffer_pages = row->buffer_pages;
	if (buffer_pages)
		buffer = counter_map(fds[0], buffer_pages);
}

int counters_first(void)
{
	return fds[0];
}

/* Return the count of the first counter; 0 when there is none. */
uint64_t counters_value(void)
{
	uint64_t values[3 + 2 * COUNTERS_MAX] = { 0 };

	if (nr_open && read(fds[0], values, sizeof(values)) < 0)
		die("read");
	return values[0];
}

static void wrong(const char *what, const struct side *side, uint64_t is, uint64_t should_be)
{
	fprintf(stderr, "bench: %s of %s: %lu where %lu are right: what it costs means nothing\n",
		what, side->name, is, should_be);
	exit(1);
}

/*
 * Check that the first counter, which had counted @before, has counted @faults page faults
 * since, and that each left a sample, if the row wants samples, with as many bytes as in
 * the other subsystem. The length of a call chain is not known, but the same for both;
 * every other part of a sample has eight bytes.
 */
void counters_check_faults(const struct row *row, const struct side *side, uint64_t before,
			   uint64_t faults)
{
	static const struct row *last_row;
	static uint64_t last_size;
	uint64_t counted = counters_value(), size;

	if (!nr_open)
		return;
	/* The program itself may cause a few more page faults. */
	if (counted - before < faults || counted - before > faults + 10)
		wrong("page faults", side, counted - before, faults);
	if (!buffer)
		return;
	size = buffer->data_head / counted;
	if (row != last_row)
		last_size = size;
	last_row = row;
	if (size != last_size)
		wrong("bytes per sample", side, size, last_size);
	if (!(row->attr.sample_type & PERF_SAMPLE_CALLCHAIN) &&
	    size != 8 + 8 * (uint64_t)__builtin_popcountll(row->attr.sample_type))
		wrong("bytes per sample", side, size,
		      8 + 8 * __builtin_popcountll(row->attr.sample_type));
}

/*
 * Check that the first counter has counted @events tracepoints or a few more since its value was
 * @before, if the row counts tracepoints; and that each of them has left a sample, if the row wants
 * samples.
 */
void counters_check_events(const struct row *row, const struct side *side, uint64_t before,
			   uint64_t events)
{
	uint64_t counted = counters_value() - before;

	if (!nr_open)
		return;
	if (row->filter || row->other)
		events = 0;
	if (counted < events || counted > events + 10)
		wrong("tracepoints", side, counted, events);
	if (buffer && (buffer->data_head < counted * row->attr.sample_period * 16 ||
		       buffer->data_head > (buffer_pages - 1) * PAGE_SIZE))
		wrong("bytes of samples", side, buffer->data_head, buffer_pages * PAGE_SIZE);
}

/*
 * Check that @pairs of mmap() and munmap() each left one record, or two if there are MUNMAP
 * records. MUNMAP has the size of MMAP2 without the inode, protection and flags.
 */
void counters_check_mappings(const struct row *row, const struct side *side, uint64_t pairs)
{
	const struct perf_event_header *first;
	uint64_t bytes;

	if (!buffer)
		return;
	first = (void *)((char *)buffer + PAGE_SIZE);
	bytes = first->size;
	if (row->munmap && side->has_own)
		bytes += first->size - 32;
	if (first->type != PERF_RECORD_MMAP2 || buffer->data_head != pairs * bytes)
		wrong("bytes of MMAP2 and MUNMAP", side, buffer->data_head, pairs * bytes);
}

void counters_close(void)
{
	if (buffer)
		counter_unmap(buffer, buffer_pages);
	buffer = NULL;
	while (nr_open)
		close(fds[--nr_open]);
}

void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(path);
	close(fd);
}

/* Wait until the pending RCU callbacks have run. */
void rcu_barrier(void)
{
	write_to("/sys/module/rcutree/parameters/do_rcu_barrier", "1");
}

/*
 * Free everything that RCU has been asked to free. kfree_rcu() batches objects for seconds,
 * and frees them when memory is requested. Then come two barriers: one for the grace period
 * of this batch, and one for the objects that it frees.
 */
void flush_rcu(void)
{
	write_to("/proc/sys/vm/drop_caches", "2");
	rcu_barrier();
	rcu_barrier();
}

/* Cost of the operations with hooks, measured before the first counter since boot. */
static double pristine_switch, pristine_fault;

void counters_settle_init(void)
{
	static const struct row none;

	/* Drop the caches without a line in the kernel's log. */
	write_to("/proc/sys/vm/drop_caches", "4");
	flush_rcu();
	operations_quick(true);
	pristine_switch = cost_switch(&none, NULL);
	pristine_fault = cost_fault(&none, NULL);
	operations_quick(false);
}

/* Wait until the operations with hooks cost as little as before the first counter. */
void counters_settle(void)
{
	const struct timespec a_moment = { .tv_nsec = 200 * 1000 * 1000 };
	static const struct row none;
	double now_switch, now_fault;

	flush_rcu();
	operations_quick(true);
	for (int i = 0; i < 50; i++) {
		now_switch = cost_switch(&none, NULL);
		now_fault = cost_fault(&none, NULL);
		if (now_switch <= pristine_switch && now_fault <= pristine_fault) {
			operations_quick(false);
			return;
		}
		nanosleep(&a_moment, NULL);
	}
	fprintf(stderr, "bench: hooks linger: switch %.0f, was %.0f; page fault %.0f, was %.0f\n",
		now_switch, pristine_switch, now_fault, pristine_fault);
	exit(1);
}
