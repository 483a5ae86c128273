// SPDX-License-Identifier: GPL-2.0
/*
 * The type of the processor.
 */
#include "pc_arch.h"

int pc_power(void)
{
#ifdef __powerpc64__
	const char *name = (const char *)getauxval(AT_BASE_PLATFORM);

	return name && !strncmp(name, "power", 5) ? atoi(name + 5) : 0;
#else
	return 0;
#endif
}
