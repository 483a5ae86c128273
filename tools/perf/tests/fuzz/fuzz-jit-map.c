// SPDX-License-Identifier: GPL-2.0
/* /tmp/perf-PID.map: the functions that a program has generated. */
#include "fuzz.h"
#include "symbol/jit_map.h"
#include "symbol/symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct symbol_sources sources = { .data_path = "" };
	struct data_features features = { 0 };
	struct dso_set set = { .sources = &sources, .features = &features };
	struct dso *dso = dso_set_add(&set, DSO_JIT, fuzz_file("perf-", ".map", data, size), NULL,
				      0);
	struct symbol *symbol;
	uint64_t offset, at;

	jit_map_read(dso);
	for (at = 0; at < 0x4000; at += 0x100) {
		symbol = jit_map_symbol(dso, at, &offset);
		if (symbol)
			symbol_name(symbol);
	}
	dso_set_free(&set);
	return 0;
}
