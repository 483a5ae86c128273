// SPDX-License-Identifier: GPL-2.0
/*
 * Definitions of events: valid ones and those refused.
 */
#include <stdlib.h>

#include "probe/probe.h"
#include "unit.h"

/* Return the parsed definition as text: each part in brackets after its name. */
static char *describe(const struct definition *d)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%s:%s", d->group ?: "-", d->event ?: "-");
	if (d->function)
		fprintf(out, " function %s", d->function);
	if (d->file)
		fprintf(out, " file %s", d->file);
	if (d->offset)
		fprintf(out, " offset %llu", (unsigned long long)d->offset);
	if (d->has_line)
		fprintf(out, " line %u", d->line);
	if (d->is_return)
		fputs(" return", out);
	for (i = 0; i < d->nr_args; i++)
		fprintf(out, " [%s %s %s]", d->args[i].raw ? "raw" : "variable",
			d->args[i].name ?: "-", d->args[i].text);
	fclose(out);
	return text;
}

static void is_understood(const char *definition, const char *expected)
{
	struct definition d;
	struct error err;
	char *text;

	if (!check(!definition_parse(&d, definition, &err), "'%s' is a definition", definition))
		printf("#   %s\n", err.text);
	text = describe(&d);
	check_string(text, expected, definition);
	free(text);
	definition_free(&d);
}

static void is_refused(const char *definition, const char *why)
{
	struct error err = { "" };
	struct definition d;

	if (!check(definition_parse(&d, definition, &err) && strstr(err.text, why),
		   "refused: '%s'", definition))
		printf("#   got: %s\n#   expected: %s\n", err.text, why);
	check(!strchr(err.text, '\n'), "in one line");
	definition_free(&d);
}

static void test_places(void)
{
	is_understood("vfs_read", "-:- function vfs_read");
	is_understood("  vfs_read\t", "-:- function vfs_read");
	is_understood("mine=vfs_read", "-:mine function vfs_read");
	is_understood("my:own=vfs_read", "my:own function vfs_read");
	is_understood("f+16", "-:- function f offset 16");
	is_understood("f+0x1f", "-:- function f offset 31");
	is_understood("f+0", "-:- function f");
	is_understood("f%return", "-:- function f return");
	is_understood("f:0", "-:- function f line 0");
	is_understood("f:12", "-:- function f line 12");
	is_understood("b.c:12", "-:- file b.c line 12");
	is_understood("g:e=src/a.c:1", "g:e file src/a.c line 1");
	is_understood("f.isra.0", "-:- function f.isra.0");
	is_understood("f$1", "-:- function f$1");
	is_understood("_ZN1a1bEv", "-:- function _ZN1a1bEv");
}

static void test_args(void)
{
	is_understood("f a b->c d.e->f_1.g",
		      "-:- function f [variable - a] [variable - b->c] [variable - d.e->f_1.g]");
	is_understood("f x=a", "-:- function f [variable x a]");
	is_understood("f %di $stack1 @sym",
		      "-:- function f [raw - %di] [raw - $stack1] [raw - @sym]");
	is_understood("f +8(%si):u32 -4(%bp) u=+u0(%di):ustring",
		      "-:- function f [raw - +8(%si):u32] [raw - -4(%bp)] [raw u +u0(%di):ustring]");
	is_understood("f%return $retval r=$retval:s32",
		      "-:- function f return [raw - $retval] [raw r $retval:s32]");
}

static void test_refused(void)
{
	is_refused("", "the definition is empty");
	is_refused("\t", "the definition is empty");
	is_refused("=f", "'' is not a name for an event");
	is_refused("a b=c->", "'c->' is neither");
	is_refused("1a=f", "'1a' is not a name for an event");
	is_refused(":e=f", "'' is not a name for a group");
	is_refused("g:=f", "'' is not a name for an event");
	is_refused("g:e:h=f", "'e:h' is not a name for an event");
	is_refused("../x:e=f", "'../x' is not a name for a group");
	is_refused("e=", "'' is not the name of a function");
	is_refused("1f", "'1f' is not the name of a function");
	is_refused("a-b", "'a-b' is not the name of a function");
	is_refused("a#b", "'a#b' is not the name of a function");
	is_refused("\xc3\xa4-b", "is not the name of a function");
	is_refused("f+", "'' is not an offset");
	is_refused("f+-1", "'-1' is not an offset");
	is_refused("f+0x", "'0x' is not an offset");
	is_refused("f+1z", "'1z' is not an offset");
	is_refused("f+99999999999999999999", "is not an offset");
	is_refused("f+4294967296", "is not an offset");
	is_refused("f:", "'' is not a line number");
	is_refused("f:x", "'x' is not a line number");
	is_refused("file.c:0", "'0' is not a line number");
	is_refused(":3", "'' is neither a function nor a file");
	is_refused("f+1:3", "'f+1' is neither a function nor a file");
	is_refused("f%", "% is only for FUNCTION%return");
	is_refused("f%returns", "% is only for FUNCTION%return");
	is_refused("f%return+1", "% is only for FUNCTION%return");
	is_refused("f+1%return", "leave out the offset or the line");
	is_refused("f:1%return", "leave out the offset or the line");
	is_refused("f a-", "'a-' is neither");
	is_refused("f a->", "'a->' is neither");
	is_refused("f a..b", "'a..b' is neither");
	is_refused("f a[1]", "'a[1]' is neither");
	is_refused("f *a", "'*a' is neither");
	is_refused("f 12", "'12' is neither");
	is_refused("f x=", "'' is neither");
	is_refused("f =a", "'' is not a name for a field");
	is_refused("f x-y=a", "'x-y' is not a name for a field");
	is_refused("f %di#", "'%di#' is neither");
	is_refused("f +0(%di\x01)", "is neither");
	is_refused("f $retval", "use FUNCTION%return");
	is_refused("f x=+0($retval)", "use FUNCTION%return");
	is_refused("aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffg=f", "too long");
}

/* Every prefix of a definition, and one with each byte changed, is refused or parsed. */
static void test_damage(void)
{
	static const char whole[] = "group:event=function+0x10 name=a->b.c %di +8(%si):u32";
	char text[sizeof(whole)];
	struct definition d;
	struct error err;
	size_t i;
	int byte;

	for (i = 0; i < sizeof(whole); i++) {
		memcpy(text, whole, sizeof(whole));
		text[i] = '\0';
		definition_parse(&d, text, &err);
		definition_free(&d);
		for (byte = 1; byte < 256 && i < sizeof(whole) - 1; byte++) {
			text[i] = byte;
			if (!definition_parse(&d, text, &err) && d.function)
				unit_failed += !!strpbrk(d.function, "\n #%:/");
			definition_free(&d);
		}
	}
	check(true, "damaged definitions are parsed or refused");
}

int main(void)
{
	test_places();
	test_args();
	test_refused();
	test_damage();
	return unit_finish();
}
