/* SPDX-License-Identifier: GPL-2.0 */
/* Reading perf.data from a file or a pipe. */
#ifndef PERF_FILE_READER_H
#define PERF_FILE_READER_H

#include <sys/types.h>

#include "event_table.h"
#include "features.h"

/* Records that tools write, not kernels. */
enum user_record_type {
	USER_RECORD_START		= 64,
	USER_RECORD_HEADER_ATTR		= 64,
	USER_RECORD_HEADER_EVENT_TYPE	= 65,
	USER_RECORD_TRACING_DATA	= 66,
	USER_RECORD_BUILD_ID		= 67,
	USER_RECORD_FINISHED_ROUND	= 68,
	USER_RECORD_ID_INDEX		= 69,
	USER_RECORD_AUXTRACE_INFO	= 70,
	USER_RECORD_AUXTRACE		= 71,
	USER_RECORD_AUXTRACE_ERROR	= 72,
	USER_RECORD_THREAD_MAP		= 73,
	USER_RECORD_CPU_MAP		= 74,
	USER_RECORD_STAT_CONFIG		= 75,
	USER_RECORD_STAT		= 76,
	USER_RECORD_STAT_ROUND		= 77,
	USER_RECORD_EVENT_UPDATE	= 78,
	USER_RECORD_TIME_CONV		= 79,
	USER_RECORD_FEATURE		= 80,
	USER_RECORD_COMPRESSED		= 81,
	USER_RECORD_FINISHED_INIT	= 82,
	USER_RECORD_COMPRESSED2		= 83,
	USER_RECORD_END
};

struct data_reader;

int data_reader_open(const char *path, struct data_reader **reader, struct error *err);
int data_reader_next(struct data_reader *r, const struct perf_event_header **record,
		     uint64_t *offset, struct error *err);
struct event_table *data_reader_events(struct data_reader *r);
const struct data_features *data_reader_features(const struct data_reader *r);
uint64_t data_reader_offset(const struct data_reader *r);
uint64_t data_reader_size(const struct data_reader *r);
const char *data_reader_warning(const struct data_reader *r);
void data_reader_close(struct data_reader *r);

#endif
