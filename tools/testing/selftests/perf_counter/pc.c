// SPDX-License-Identifier: GPL-2.0
/*
 * Open, control and read a counter.
 */
#include "pc.h"

/*
 * Factor by which this machine is slower than a real one: PC_TIMEOUT_SCALE, or 1 if it is not set.
 */
static int pc_slowness(void)
{
	const char *scale = getenv("PC_TIMEOUT_SCALE");
	int slowness = scale ? atoi(scale) : 1;

	return slowness > 0 ? slowness : 1;
}

unsigned int pc_timeout(void)
{
	return 120 * pc_slowness();
}

int pc_rounds(int n)
{
	int rounds = n / pc_slowness();

	return rounds ? rounds : 1;
}

bool pc_on_perf_event(void)
{
	const char *backend = getenv("PC_BACKEND");

	return backend && !strcmp(backend, "perf_event");
}

int pc_open_raw(void *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	long nr = pc_on_perf_event() ? __NR_perf_event_open : __NR_perf_counter_open;

	return syscall(nr, attr, pid, cpu, group_fd, flags);
}

int pc_open(struct perf_counter_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return pc_open_raw(attr, pid, cpu, group_fd, PERF_COUNTER_FLAG_FD_CLOEXEC);
}

struct perf_counter_attr pc_attr(__u64 config)
{
	struct perf_counter_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
	};

	return attr;
}

int pc_open_self(__u64 config)
{
	struct perf_counter_attr attr = pc_attr(config);

	return pc_open(&attr, 0, -1, -1);
}

int pc_reset(int fd)
{
	return ioctl(fd, PERF_COUNTER_IOC_RESET, 0);
}

__u64 pc_id(int fd)
{
	__u64 id = 0;

	return ioctl(fd, PERF_COUNTER_IOC_ID, &id) ? 0 : id;
}

__u64 pc_value(int fd)
{
	__u64 value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : (~0ULL);
}

__u64 pc_missed(int fd)
{
	unsigned long long missed = ~0ULL;
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "missed: %llu", &missed) == 1)
			break;
	if (f)
		fclose(f);
	return missed;
}

size_t pc_read_size(__u64 format, int nr)
{
	int each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	int head = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		   !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING) + !!(format & PERF_FORMAT_GROUP);

	return sizeof(__u64) * (head + each * (format & PERF_FORMAT_GROUP ? nr : 1));
}

int pc_parse_values(const __u64 *words, __u64 format, struct pc_values *r)
{
	const __u64 *w = words;

	memset(r, 0, sizeof(*r));
	r->nr = 1;
	if (format & PERF_FORMAT_GROUP)
		r->nr = *w++;
	else
		r->v[0].value = *w++;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		r->enabled = *w++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		r->running = *w++;
	if (r->nr > 16)
		return -1;
	for (int i = 0; i < (int)r->nr; i++) {
		if (format & PERF_FORMAT_GROUP)
			r->v[i].value = *w++;
		if (format & PERF_FORMAT_ID)
			r->v[i].id = *w++;
		if (format & PERF_FORMAT_LOST)
			r->v[i].lost = *w++;
	}
	return w - words;
}

ssize_t pc_read(int fd, __u64 format, struct pc_values *r)
{
	__u64 words[64];
	ssize_t n = read(fd, words, sizeof(words));

	if (n > 0)
		pc_parse_values(words, format, r);
	return n;
}

int pc_write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), err;
	ssize_t len = strlen(text);

	if (fd < 0)
		return errno;
	err = write(fd, text, len) == len ? 0 : errno;
	close(fd);
	return err;
}

const char *pc_sysctl_path(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "/proc/sys/kernel/perf_%s_%s",
		 pc_on_perf_event() ? "event" : "counter", name);
	return path;
}

long pc_sysctl_read(const char *name)
{
	FILE *f = fopen(pc_sysctl_path(name), "r");
	long value = LONG_MIN;

	if (!f)
		return LONG_MIN;
	if (fscanf(f, "%ld", &value) != 1)
		value = LONG_MIN;
	fclose(f);
	return value;
}

int pc_sysctl_write(const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld\n", value);
	return pc_write_text(pc_sysctl_path(name), text);
}
