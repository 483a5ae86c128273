// SPDX-License-Identifier: GPL-2.0
/* Sets: counters of the calling thread, opened as one group and mapped. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#define READ_FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | \
		     PERF_FORMAT_TOTAL_TIME_RUNNING)

/* === User pages === */

#if PC_HAS_REGISTERS

/*
 * Map the user pages one after the other. Return: false if that is not
 * possible.
 */
static bool map_pages(struct pc_set *set)
{
	size_t size = (size_t)set->nr * PC_PAGE_ROOM;
	size_t page_size = sysconf(_SC_PAGESIZE);
	unsigned int i;
	void *page;

	if (page_size > PC_PAGE_ROOM)
		return false;
	page = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return false;
	set->pages = page;
	for (i = 0; i < set->nr; i++) {
		page = mmap(set->pages + (size_t)i * PC_PAGE_ROOM, page_size, PROT_READ,
			    MAP_SHARED | MAP_FIXED, set->fd[i], 0);
		if (page == MAP_FAILED) {
			munmap(set->pages, size);
			return false;
		}
	}
	return true;
}

static void unmap_pages(struct pc_set *set)
{
	munmap(set->pages, (size_t)set->nr * PC_PAGE_ROOM);
}

/*
 * Return true if all counters may be read by register while they are on the
 * PMU.
 */
static bool registers_readable(const struct pc_set *set)
{
	const struct perf_event_mmap_page *page;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		page = (const void *)(set->pages + (size_t)i * PC_PAGE_ROOM);
		if (!page->cap_user_rdpmc)
			return false;
	}
	return true;
}

#else

static bool map_pages(struct pc_set *set)
{
	(void)set;
	return false;
}

static void unmap_pages(struct pc_set *set)
{
	(void)set;
}

static bool registers_readable(const struct pc_set *set)
{
	(void)set;
	return false;
}

#endif

/* === Opening and closing === */

static int refuse_attr(const char *name, const struct perf_event_attr *attr)
{
	if (attr->sample_period)
		return fail(EINVAL,
			    "event '%s': sampling is not possible: set sample_period to 0", name);
	if (attr->inherit)
		return fail(EINVAL, "event '%s': a set counts one thread: set inherit to 0", name);
	return 0;
}

/* Open one more counter for @set. */
static int add_counter(struct pc_set *set, const char *name, const union pc_attr *wanted)
{
	union pc_attr attr = *wanted;
	unsigned int i = set->nr;
	int fd;

	snprintf(set->name[i], sizeof(set->name[i]), "%s", name);
	if (refuse_attr(name, &attr.attr))
		return -1;
	attr.attr.read_format = READ_FORMAT;
	attr.attr.inherit = set->shared;
	/* The whole group is disabled while its leader is. */
	attr.attr.disabled = !i;
	fd = counter_open(set->interface, &attr.attr, i ? set->fd[0] : -1);
	if (fd < 0 && errno == ENOSYS && set->shared)
		return fail(ENOSYS,
			    "this kernel has no perf_counter_open(): open a set in each thread");
	if (fd < 0 && errno == ENOSYS && !i) {
		set->interface = PC_PERF_EVENTS;
		fd = counter_open(set->interface, &attr.attr, -1);
	}
	if (fd < 0)
		return explain_open(errno, set, name, &attr.attr);
	set->fd[i] = fd;
	set->nr++;
	return 0;
}

static struct pc_set *set_alloc(void)
{
	struct pc_set *set = calloc(1, sizeof(*set));

	no_error();
	if (!set) {
		fail(ENOMEM, "out of memory");
		return NULL;
	}
	set->interface = PC_PERF_COUNTER;
	set->owner = thread_here();
	set->pid = getpid();
	return set;
}

static void set_free(struct pc_set *set)
{
	int error = errno;
	unsigned int i;

	/*
	 * A forked child does not inherit the mapping, and may have mapped
	 * other memory there.
	 */
	if (set->registers && set->pid == getpid())
		unmap_pages(set);
	for (i = 0; i < set->nr; i++)
		close(set->fd[i]);
	free(set);
	errno = error;
}

/*
 * The page of sets without user pages. The sequence counts in it are 0, and no
 * region is valid for a sequence count of 0.
 */
static char no_pages[4096];

/*
 * Enable the counters of @set, which are all open. Return: @set, or NULL after
 * fail().
 */
static struct pc_set *set_start(struct pc_set *set)
{
	/* The page of a counter has no values of other threads. */
	set->registers = !set->shared && map_pages(set);
	if (set->registers && !registers_readable(set)) {
		unmap_pages(set);
		set->registers = false;
	}
	if (!set->registers)
		set->pages = no_pages;
	if (ioctl(set->fd[0], PERF_EVENT_IOC_ENABLE, 0)) {
		fail(errno, "the counters cannot be enabled: %s", strerror(errno));
		set_free(set);
		return NULL;
	}
	set_clock_init(set);
	return set;
}

struct pc_set *pc_open_sized(const void *attrs, size_t size, unsigned int nr)
{
	struct pc_set *set;
	union pc_attr attr;
	char name[PC_NAME_SIZE];
	unsigned int i;

	if (!nr || nr > PC_MAX || !attrs || size < PERF_ATTR_SIZE_VER0 || size > sizeof(attr)) {
		fail(EINVAL, "%u attrs of %zu bytes: a set has from 1 to %d counters", nr, size,
		     PC_MAX);
		return NULL;
	}
	set = set_alloc();
	for (i = 0; set && i < nr; i++) {
		memset(&attr, 0, sizeof(attr));
		memcpy(&attr, (const char *)attrs + i * size, size);
		if (!attr.attr.size)
			attr.attr.size = size;
		snprintf(name, sizeof(name), "type=%u,config=%#llx", attr.attr.type,
			 (unsigned long long)attr.attr.config);
		if (attr.attr.size > size)
			fail(E2BIG, "event '%s': size is %u: set it to 0", name, attr.attr.size);
		else if (!add_counter(set, name, &attr))
			continue;
		set_free(set);
		return NULL;
	}
	return set ? set_start(set) : NULL;
}

/*
 * Open the first event of @events. Return: the text after it, or NULL after
 * fail().
 */
static const char *add_named(struct pc_set *set, const char *events)
{
	size_t length = strcspn(events, ",");
	char name[PC_NAME_SIZE];
	union pc_attr attr;

	if (set->nr == PC_MAX)
		return fail(E2BIG, "a set has at most %d counters: open another one for the rest",
			    PC_MAX), NULL;
	if (!length)
		return fail(EINVAL, "a name is missing: write \"instructions,cycles\""), NULL;
	if (length >= sizeof(name))
		return fail(EINVAL, "event '%.20s...': the name is too long: see 'perf list'",
			    events), NULL;
	memcpy(name, events, length);
	name[length] = 0;
	memset(&attr, 0, sizeof(attr));
	attr.attr.size = sizeof(attr.attr);
	if (event_parse(name, &attr.attr) || add_counter(set, name, &attr))
		return NULL;
	return events + length + (events[length] == ',');
}

static struct pc_set *open_named(const char *events, bool shared)
{
	struct pc_set *set = set_alloc();
	const char *rest = events ? events : "";

	if (!set)
		return NULL;
	set->shared = shared;
	do {
		/* A name must follow each comma. */
		rest = add_named(set, rest);
	} while (rest && (*rest || rest[-1] == ','));
	if (rest)
		return set_start(set);
	set_free(set);
	return NULL;
}

struct pc_set *pc_open(const char *events)
{
	return open_named(events, false);
}

struct pc_set *pc_open_shared(const char *events)
{
	return open_named(events, true);
}

void pc_close(struct pc_set *set)
{
	if (set)
		set_free(set);
}

/* === Properties of a set === */

unsigned int pc_nr(const struct pc_set *set)
{
	return set->nr;
}

const char *pc_name(const struct pc_set *set, unsigned int i)
{
	return i < set->nr ? set->name[i] : NULL;
}

int pc_fd(const struct pc_set *set, unsigned int i)
{
	return i < set->nr ? set->fd[i] : -1;
}

enum pc_interface pc_interface(const struct pc_set *set)
{
	return set->interface;
}

int pc_reads_registers(const struct pc_set *set)
{
	return set->registers;
}

/* === Reading by system call === */

int set_read(const struct pc_set *set, struct pc_values *values)
{
	size_t size = offsetof(struct pc_values, count) + set->nr * sizeof(values->count[0]);
	ssize_t got = read(set->fd[0], values, size);

	if (got == (ssize_t)size)
		return 0;
	if (got < 0)
		return fail(errno, "event '%s': read: %s", set->name[0], strerror(errno));
	/* read(2) returns 0 for a pinned group that found no room. */
	return fail(EAGAIN, "event '%s': pinned, and the PMU has no room: close other counters",
		    set->name[0]);
}

/*
 * The argument and the operation of ioctl() that read the values of the calling
 * thread, as in <linux/perf_counter.h>, which a program need not have.
 */
struct read_rows {
	__u64	rows;
	__u64	size;
	__u32	row_size;
	__u32	nr;
};

#define IOC_READ_SELF	_IOWR('$', 65, struct read_rows)

int set_read_self(const struct pc_set *set, struct pc_values *values)
{
	struct {
		__s32			tid;
		__s32			cpu;
		struct pc_values	values;
	} row;
	struct read_rows rows = { .rows = (unsigned long)&row, .size = sizeof(row) };

	if (!set->shared)
		return set_read(set, values);
	if (ioctl(set->fd[0], IOC_READ_SELF, &rows)) {
		if (errno == ESRCH)
			return fail(ESRCH,
				    "the thread was started before the set was opened: open the set first");
		return fail(errno, "event '%s': the thread's values cannot be read: %s",
			    set->name[0], strerror(errno));
	}
	memcpy(values, &row.values, offsetof(struct pc_values, count) +
				    set->nr * sizeof(values->count[0]));
	return 0;
}
