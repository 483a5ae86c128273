// SPDX-License-Identifier: GPL-2.0
/* Debug information, as probes read it: lines and variables. */
#include "fuzz.h"
#include "probe/lines.h"
#include "probe/probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file("perf-fuzz-", ".elf", data, size);
	struct binary binary;
	unsigned int line;
	struct error err;
	uint64_t pc;

	if (!binary_open(&binary, path, &err)) {
		for (line = 1; line < 12; line++)
			lines_find(&binary, "seed.c", line, NULL, &pc, &err);
	}
	binary_close(&binary);
	return 0;
}
