/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile as an HTML page.
 *
 * The data are one element of the page: base64 of raw deflate of a line in JSON syntax, and of
 * columns. The line has the texts and lists the columns: [[NAME, NUMBERS, BYTES, "delta" or ""]].
 * With "delta", numbers are signed differences from the previous number.
 */
#ifndef PERF_HTML_PAGE_H
#define PERF_HTML_PAGE_H

#include <stdio.h>

#include "page_profile.h"

/* Print the page of a profile. */
void page_print(FILE *out, const struct page_profile *profile);

#endif
