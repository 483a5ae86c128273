// SPDX-License-Identifier: GPL-2.0
/* Types of the kernel's locks, and the names of the functions that take them. */
#include <string.h>

#include "util/util.h"
#include "lock_type.h"

/* The types by their bits; a mutex has LOCK_SPIN while its waiter spins. */
static const struct {
	uint32_t flags;
	const char *name;
} types[] = {
	{ 0, "semaphore" },
	{ LOCK_SPIN, "spinlock" },
	{ LOCK_SPIN | LOCK_READ, "rwlock:R" },
	{ LOCK_SPIN | LOCK_WRITE, "rwlock:W" },
	{ LOCK_READ, "rwsem:R" },
	{ LOCK_WRITE, "rwsem:W" },
	{ LOCK_RT, "rtmutex" },
	{ LOCK_RT | LOCK_READ, "rwlock-rt:R" },
	{ LOCK_RT | LOCK_WRITE, "rwlock-rt:W" },
	{ LOCK_PERCPU | LOCK_READ, "pcpu-sem:R" },
	{ LOCK_PERCPU | LOCK_WRITE, "pcpu-sem:W" },
	{ LOCK_MUTEX, "mutex" },
	{ LOCK_MUTEX | LOCK_SPIN, "mutex" },
	{ LOCK_FUTEX, "futex" },
};

const char *lock_type_name(uint32_t flags)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].flags == flags)
			return types[i].name;
	}
	return "unknown";
}

/* Compare a word of @size bytes with a type, or with the part of the type before a colon. */
static bool is_name_of(const char *word, size_t size, const char *type)
{
	return !strncmp(word, type, size) && (!type[size] || type[size] == ':');
}

bool lock_type_in_list(const char *list, uint32_t flags)
{
	size_t size;

	for (; list; list = list[size] ? list + size + 1 : NULL) {
		size = strcspn(list, ",");
		if (is_name_of(list, size, lock_type_name(flags)))
			return true;
	}
	return false;
}

const char *lock_type_unknown(const char *list)
{
	size_t size, i;

	for (; list; list = list[size] ? list + size + 1 : NULL) {
		size = strcspn(list, ",");
		for (i = 0; i < ARRAY_SIZE(types); i++) {
			if (size && is_name_of(list, size, types[i].name))
				break;
		}
		if (i == ARRAY_SIZE(types))
			return list;
	}
	return NULL;
}

static bool begins_with_one_of(const char *name, const char *const *starts, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	}
	return false;
}

bool lock_is_lock_function(const char *name)
{
	static const char *const starts[] = {
		"__mutex_", "mutex_", "ww_mutex_", "__ww_mutex_",
		"_raw_spin_lock", "__raw_spin_lock", "_raw_spin_trylock",
		"_raw_read_lock", "__raw_read_lock", "_raw_write_lock", "__raw_write_lock",
		"queued_spin_lock", "queued_read_lock", "queued_write_lock",
		"native_queued_spin_lock", "__pv_queued_spin_lock", "pv_queued_spin_lock",
		"rwsem_down_", "down_", "__down", "percpu_down_", "__percpu_down", "percpu_rwsem_",
		"rt_mutex_", "__rt_mutex_", "rt_spin_", "__rt_spin_", "rt_read_", "rt_write_",
		"rtlock_", "rwbase_", "__rwbase_",
		"__schedule", "schedule", "io_schedule", "preempt_schedule", "__cond_resched",
		"wait_for_completion", "__wait_for_common",
	};

	return !strcmp(name, "down") || begins_with_one_of(name, starts, ARRAY_SIZE(starts));
}

bool lock_is_trace_function(const char *name)
{
	static const char *const starts[] = {
		"trace_contention_", "__traceiter_contention_", "perf_trace_contention_",
	};

	return begins_with_one_of(name, starts, ARRAY_SIZE(starts));
}

bool lock_is_wait_function(const char *name)
{
	static const char *const starts[] = {
		"futex_", "__futex_", "__lll_", "__GI___lll_", "lll_", "pthread_", "__pthread_",
		"___pthread_", "__GI___pthread_", "__new_sem_", "do_futex_wait", "sem_", "syscall",
		"std::mutex::", "__gthread_",
	};

	return begins_with_one_of(name, starts, ARRAY_SIZE(starts));
}
