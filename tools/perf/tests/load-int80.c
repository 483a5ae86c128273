// SPDX-License-Identifier: GPL-2.0
/*
 * load-int80 N - make N calls of getpid() as a 32-bit program does; their number, 20, is writev()
 * for 64-bit programs
 */
#include <stdlib.h>

int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 1;

	for (i = 0; i < n; i++) {
#ifdef __x86_64__
		long ret;

		asm volatile("int $0x80" : "=a" (ret) : "0" (20)
			     : "memory", "r8", "r9", "r10", "r11");
		if (ret <= 0)
			return 1;
#else
		return 77;
#endif
	}
	return 0;
}
