/* SPDX-License-Identifier: GPL-2.0 */
/* The part of a page that a browser shows without JavaScript. */
#ifndef PERF_HTML_PAGE_SUMMARY_H
#define PERF_HTML_PAGE_SUMMARY_H

#include <stdio.h>

#include "page_profile.h"

/* Print a text with everything escaped that has a meaning in HTML or controls a terminal. */
void print_html_text(FILE *out, const char *text);

/* Print facts about the recordings, and the functions with the most samples. */
void page_summary_print(FILE *out, const struct page_profile *profile);

#endif
