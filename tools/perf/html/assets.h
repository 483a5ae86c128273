/* SPDX-License-Identifier: GPL-2.0 */
/* The fixed parts of a page: page.html, page.css and the scripts. */
#ifndef PERF_HTML_ASSETS_H
#define PERF_HTML_ASSETS_H

#include <stddef.h>

/**
 * struct asset - a file that is part of the program
 * @text: contents, not NUL-terminated
 * @end: end of the contents
 * @sha256: SHA-256 of the contents in hexadecimal
 */
struct asset {
	const char *text;
	const char *end;
	const char *sha256;
};

/* The contents, as assets.c includes them. */
#define HIDDEN __attribute__((visibility("hidden")))
extern const char html_page[] HIDDEN, html_page_end[] HIDDEN;
extern const char html_style[] HIDDEN, html_style_end[] HIDDEN;
extern const char html_script[] HIDDEN, html_script_end[] HIDDEN;

extern const struct asset asset_page, asset_style, asset_script;

#endif
