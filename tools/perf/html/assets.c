// SPDX-License-Identifier: GPL-2.0
/*
 * The fixed parts of a page. The Makefile joins the scripts, and makes digests.h.
 */
#include "assets.h"
#include "digests.h"

/* Include a file in the program; its contents are between NAME and NAME_end. */
#define INCLUDE(name, path) \
	__asm__(".pushsection .rodata\n" \
		".global " #name ", " #name "_end\n" \
		".hidden " #name ", " #name "_end\n" \
		#name ": .incbin \"" path "\"\n" \
		#name "_end: .byte 0\n" \
		".popsection\n")

INCLUDE(html_page, "html/page.html");
INCLUDE(html_style, "html/page.css");
INCLUDE(html_script, HTML_SCRIPT);

const struct asset asset_page = { html_page, html_page_end, PAGE_SHA256 };
const struct asset asset_style = { html_style, html_style_end, STYLE_SHA256 };
const struct asset asset_script = { html_script, html_script_end, SCRIPT_SHA256 };
