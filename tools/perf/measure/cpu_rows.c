// SPDX-License-Identifier: GPL-2.0
/* The counts of the single CPUs of a descriptor that counts the whole machine. */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cpu_rows.h"
#include "syscall.h"

#include "../../../include/uapi/linux/perf_counter.h"

/* A row of a descriptor whose read_format is the one that counter_read() needs. */
struct cpu_row {
	struct perf_counter_row head;
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

bool cpu_rows_are_supported(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	struct perf_counter_rows rows = { 0 };
	bool supported;
	int fd;

	if (!syscall_is_perf_counter())
		return false;
	fd = syscall_open(&attr, 0, -1, -1);
	if (fd < 0)
		return false;
	/* The kernel supports rows if it refuses a call without room for a row. */
	supported = ioctl(fd, PERF_COUNTER_IOC_READ_EACH, &rows) && errno == ENOSPC;
	close(fd);
	return supported;
}

static void take_row(const struct cpu_row *row, const struct int_list *cpus, struct count *counts)
{
	size_t i;

	for (i = 0; i < cpus->nr; i++) {
		if (cpus->values[i] == row->head.cpu)
			counts[i] = (struct count){ row->value, row->enabled, row->running };
	}
}

int cpu_rows_read(int fd, const struct int_list *cpus, struct count *counts)
{
	struct perf_counter_rows rows = { 0 };
	struct cpu_row *table = NULL;
	int status, error;
	size_t i;

	for (i = 0; i < cpus->nr; i++)
		counts[i] = (struct count){ 0 };
	rows.nr = cpus->nr;
	/* A CPU may come online between two calls; the kernel then asks for more room. */
	do {
		rows.size = rows.nr * sizeof(*table);
		table = xrealloc(table, rows.size);
		rows.rows = (unsigned long)table;
		status = ioctl(fd, PERF_COUNTER_IOC_READ_EACH, &rows);
	} while (status && errno == ENOSPC && rows.nr * sizeof(*table) > rows.size);
	error = errno;
	if (!status && rows.nr && rows.row_size != sizeof(*table)) {
		status = -1;
		error = EPROTO;
	}
	for (i = 0; !status && i < rows.nr; i++)
		take_row(&table[i], cpus, counts);
	free(table);
	errno = error;
	return status;
}
