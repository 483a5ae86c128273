// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints, as tracefs describes them.
 */
#include "pc_trace.h"

int pc_tracefs(void)
{
	if (!access(PC_TRACEFS "/events", R_OK))
		return 0;
	return mount("tracefs", PC_TRACEFS, "tracefs", 0, NULL);
}

__u64 pc_event_id(const char *event)
{
	unsigned long long id = 0;
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), PC_TRACEFS "/events/%s/id", event);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%llu", &id) != 1)
		id = 0;
	if (f)
		fclose(f);
	return id;
}

__u32 pc_pmu_type(const char *name)
{
	unsigned int type = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%u", &type) != 1)
		type = 0;
	if (f)
		fclose(f);
	return type;
}

struct pc_field pc_event_field(const char *event, const char *name)
{
	char path[256], line[256], want[64], *at;
	struct pc_field field = {};
	FILE *f;

	snprintf(path, sizeof(path), PC_TRACEFS "/events/%s/format", event);
	f = fopen(path, "re");
	if (!f)
		return field;
	snprintf(want, sizeof(want), " %s", name);
	while (fgets(line, sizeof(line), f)) {
		/* field:TYPE NAME[N];	offset:O;	size:S;	signed:X; */
		at = strstr(line, want);
		if (!at || !strchr(";[", at[strlen(want)]))
			continue;
		at = strstr(at, "offset:");
		if (at && sscanf(at, "offset:%u;\tsize:%u;", &field.offset, &field.size) == 2)
			break;
	}
	fclose(f);
	return field;
}

struct pc_rename pc_rename_fields(void)
{
	static const char event[] = "task/task_rename";
	struct pc_rename fields = {
		.pid = pc_event_field(event, "pid"),
		.oldcomm = pc_event_field(event, "oldcomm"),
		.newcomm = pc_event_field(event, "newcomm"),
	};

	return fields;
}

int pc_raw_int(const char *raw, struct pc_field field)
{
	int value;

	memcpy(&value, raw + field.offset, sizeof(value));
	return value;
}

void pc_rename(const char *name, int n)
{
	char comm[20];

	for (int i = 0; i < n; i++) {
		snprintf(comm, sizeof(comm), "%.8s%d", name, i);
		prctl(PR_SET_NAME, comm);
	}
}

struct perf_counter_attr pc_trace_attr(const char *event)
{
	struct perf_counter_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = pc_event_id(event),
		.disabled = 1,
	};

	return attr;
}

struct perf_counter_attr pc_probe_attr(const char *pmu, const char *where, __u64 offset,
				       __u64 config)
{
	struct perf_counter_attr attr = {
		.type = pc_pmu_type(pmu),
		.size = sizeof(attr),
		.config = config,
		.config1 = (unsigned long)where,
		.config2 = offset,
		.disabled = 1,
	};

	return attr;
}

unsigned long pc_offset_in_file(const void *function, char *path)
{
	unsigned long at = (unsigned long)function, begin, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[600];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %511s", &begin, &end, &offset,
			   path) == 4 && at >= begin && at < end)
			found = at - begin + offset;
	}
	if (maps)
		fclose(maps);
	return found;
}
