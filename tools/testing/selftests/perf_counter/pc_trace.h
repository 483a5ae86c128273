/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, as tracefs describes them, and an event whose records are known in advance: a task
 * that renames itself raises task:task_rename once, with the old and the new name.
 */
#ifndef PC_TRACE_H
#define PC_TRACE_H

#include <sys/mount.h>

#include "pc.h"

#define PC_TRACEFS "/sys/kernel/tracing"

/* Mount tracefs if it is not mounted. Returns 0 or -1. */
int pc_tracefs(void);

/* The id of an event "system/name"; 0 if the kernel does not have the event. */
__u64 pc_event_id(const char *event);

/* The type of a PMU from sysfs; 0 if the kernel does not have the PMU. */
__u32 pc_pmu_type(const char *name);

/* The position of a field in the raw data of an event, in bytes. */
struct pc_field {
	unsigned int offset;
	unsigned int size;
};

/* The position of a field from the event's format file. Its size is 0 if there is no such field. */
struct pc_field pc_event_field(const char *event, const char *name);

/* The fields of task:task_rename. */
struct pc_rename {
	struct pc_field pid;
	struct pc_field oldcomm;
	struct pc_field newcomm;
};

struct pc_rename pc_rename_fields(void);

/* The value of a field of type int. */
int pc_raw_int(const char *raw, struct pc_field field);

/* Rename the current task @n times: "NAME0", "NAME1", and so on. */
void pc_rename(const char *name, int n);

/* Attributes of a counter of a tracepoint that begins disabled. */
struct perf_counter_attr pc_trace_attr(const char *event);

/* The bit of attr.config that asks for a probe of a function's return. */
#define PC_PROBE_RETURNS 1

/*
 * Attributes of a counter that has its own probe and begins disabled. @pmu is "kprobe" or "uprobe",
 * @where the name of a function or the path of a file, @offset bytes from the beginning of @where,
 * @config 0 or PC_PROBE_RETURNS.
 */
struct perf_counter_attr pc_probe_attr(const char *pmu, const char *where, __u64 offset,
				       __u64 config);

/*
 * Find the offset of a function in the file of this program. Stores the path of the file in @path,
 * which has room for 512 bytes. Returns 0 on failure.
 */
unsigned long pc_offset_in_file(const void *function, char *path);

#endif /* PC_TRACE_H */
