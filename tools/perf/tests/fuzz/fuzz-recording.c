// SPDX-License-Identifier: GPL-2.0
/* perf.data: records are read, decoded and applied, samples and their callers are resolved. */
#include "fuzz.h"
#include "machine/machine.h"

static struct callchain chain;

static void handle_record(void *context, struct session *session, const struct record *record)
{
	struct thread *thread;

	(void)context;
	if (record->type != PERF_RECORD_SAMPLE)
		return;
	thread = thread_get(&session->machine.threads, record->id.pid, record->id.tid);
	callchain_resolve(&chain, &session->machine, thread, record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct session_handlers handlers = { .record = handle_record };
	struct symbol_sources sources = { .symfs = "/nonexistent" };
	struct session session;
	struct error err;

	sources.data_path = fuzz_file("perf-fuzz-", ".data", data, size);
	if (session_open(&session, sources.data_path, &sources, &err))
		return 0;
	session_run(&session, &handlers, NULL);
	session_complain(&session);
	session_close(&session);
	return 0;
}
