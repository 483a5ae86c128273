/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes the section of a recording that describes tracepoints, for tests of code that reads it.
 */
#ifndef PERF_TESTS_MADE_FORMATS_H
#define PERF_TESTS_MADE_FORMATS_H

#include "made_records.h"

/* The fields that the raw data of every tracepoint begin with. */
#define COMMON_FIELDS \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static inline void put_zero_ended(struct bytes *b, const char *s)
{
	put(b, s, strlen(s) + 1);
}

static inline void put_text(struct bytes *b, const char *s)
{
	put64(b, strlen(s));
	put(b, s, strlen(s));
}

/* Put a section with @nr tracepoints of one system. */
static inline void put_formats(struct bytes *b, const char *system, const char *const *formats,
			       uint32_t nr)
{
	static const unsigned char sizes[] = { 0, 8 };
	uint32_t i;

	put(b, "\x17\x08\x44tracing", 10);
	put_zero_ended(b, "0.6");
	put(b, sizes, sizeof(sizes));
	put32(b, 4096);
	put_zero_ended(b, "header_page");
	put_text(b, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
	put_zero_ended(b, "header_event");
	put_text(b, "# compressed entry header\n");
	put32(b, 0);
	put32(b, 1);
	put_zero_ended(b, system);
	put32(b, nr);
	for (i = 0; i < nr; i++)
		put_text(b, formats[i]);
	put32(b, 0);
	put32(b, 0);
	put64(b, 0);
}

#endif
