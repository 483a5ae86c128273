// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of names: patterns that are joined by !, &, | and parentheses.
 *
 *	or	: and ('|' and)*
 *	and	: term ('&' term)*
 *	term	: '!' term | '(' or ')' | PATTERN
 *
 * A filter is evaluated while it is parsed, for each name again.
 */
#include <fnmatch.h>
#include <string.h>

#include "util/util.h"
#include "name_filter.h"

/* Maximum depth of parentheses and exclamation marks. */
#define DEPTH_MAX 64

/* Maximum size of a pattern with its NUL, in bytes. */
#define PATTERN_MAX 256

/* A filter while it is parsed. @bad is set by the first error. */
struct parsing {
	const char *at;
	const char *name;
	unsigned int depth;
	bool bad;
};

static bool parse_or(struct parsing *p);

/* If @c is the next character after blanks, skip it and return true. */
static bool skip(struct parsing *p, char c)
{
	p->at += strspn(p->at, " \t");
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static bool parse_pattern(struct parsing *p)
{
	size_t size = strcspn(p->at, "!&|() \t");
	char pattern[PATTERN_MAX];

	if (!size || size >= sizeof(pattern)) {
		p->bad = true;
		return false;
	}
	memcpy(pattern, p->at, size);
	pattern[size] = '\0';
	p->at += size;
	return !fnmatch(pattern, p->name, 0);
}

static bool parse_term(struct parsing *p)
{
	bool matches;

	if (p->bad || ++p->depth > DEPTH_MAX) {
		p->bad = true;
		return false;
	}
	if (skip(p, '!')) {
		matches = !parse_term(p);
	} else if (skip(p, '(')) {
		matches = parse_or(p);
		p->bad |= !skip(p, ')');
	} else {
		matches = parse_pattern(p);
	}
	p->depth--;
	return matches;
}

static bool parse_and(struct parsing *p)
{
	bool matches = parse_term(p);

	while (!p->bad && skip(p, '&'))
		matches &= parse_term(p);
	return matches;
}

static bool parse_or(struct parsing *p)
{
	bool matches = parse_and(p);

	while (!p->bad && skip(p, '|'))
		matches |= parse_and(p);
	return matches;
}

bool name_filter_is_valid(const char *filter)
{
	struct parsing p = { .at = filter, .name = "" };

	parse_or(&p);
	return !p.bad && !*(p.at + strspn(p.at, " \t"));
}

bool name_filter_matches(const char *filter, const char *name)
{
	struct parsing p = { .at = filter, .name = name };

	return parse_or(&p);
}
