// SPDX-License-Identifier: GPL-2.0
/* ELF files: build-id, functions, stubs, and the rules for finding callers. */
#include "fuzz.h"
#include "symbol/symbol.h"
#include "unwind/unwind.h"
#include "unwind/call_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct symbol_sources sources = { .data_path = "" };
	const char *path = fuzz_file("perf-fuzz-", ".elf", data, size);
	struct data_features features = { 0 };
	struct dso_set set = { .sources = &sources, .features = &features };
	struct dso *dso = dso_set_add(&set, DSO_FILE, path, NULL, 0);
	struct elf_file module = { 0 };
	uint8_t id[BUILD_ID_MAX];
	uint64_t at, offset;
	struct error err;

	elf_build_id(path, id);
	for (at = 0; at < size && at < 0x4000; at += 0x80) {
		dso_symbol(&set, dso, at, &offset);
		dso_frame_row(dso, at);
	}
	dso_set_free(&set);
	if (!elf_module_load(&module, path, &err))
		elf_symbol_addr(path, "_text", &at);
	elf_file_free(&module);
	return 0;
}
