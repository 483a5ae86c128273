// SPDX-License-Identifier: GPL-2.0
/* Lines of kallsyms, and of modules.dep. */
#include "fuzz.h"
#include "symbol/symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	const char *line = text;
	struct kallsym k;

	while (line && *line) {
		line = kallsym_parse(line, &k);
		kallsym_is_code(&k);
	}
	free(module_path(text, "/lib/modules/6", "nf_nat"));
	free(text);
	return 0;
}
