// SPDX-License-Identifier: GPL-2.0
/* jitdump files, with their unwinding tables. */
#include "fuzz.h"
#include "symbol/symbol.h"
#include "unwind/jit_frame.h"

#define REGISTERS 17

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct symbol_sources sources = { .data_path = "" };
	struct data_features features = { 0 };
	struct dso_set set = { .sources = &sources, .features = &features };
	struct dso *dso = dso_set_add(&set, DSO_JITDUMP,
				      fuzz_file("jit-", ".dump", data, size), NULL, 0);
	uint64_t offset, at;

	jitdump_of(dso, true);
	for (at = 0; at < 512; at += 16) {
		dso_symbol(&set, dso, at, &offset);
		frame_row_free(jit_frame_row(dso, at, REGISTERS));
	}
	dso_set_free(&set);
	return 0;
}
