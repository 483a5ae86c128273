// SPDX-License-Identifier: GPL-2.0
/* A feature section: its number, then its bytes. */
#include "file/file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct data_features features = { 0 };
	struct event_table events = { 0 };
	struct perf_event_attr attr = { 0 };

	if (!size || *data == FEATURE_TRACING_DATA)
		return 0;
	event_table_add(&events, &attr);
	data_features_parse(&features, &events, *data, data + 1, size - 1);
	data_features_arch(&features);
	data_features_find_build_id(&features, KERNEL_NAME);
	event_table_free(&events);
	data_features_free(&features);
	return 0;
}
