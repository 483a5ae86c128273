// SPDX-License-Identifier: GPL-2.0
/*
 * Translates variables to the form that makes tracefs fetch them.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "fetch.h"
#include "location.h"
#include "type.h"

/* Put the name of the argument before the reason in @err. */
static int refuse(const char *what, struct error *err)
{
	struct error why = *err;

	error_set(err, "'%s': %s", what, why.text);
	return -1;
}

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_formal_parameter || tag == DW_TAG_variable;
}

/* Find a variable in the block @scope. */
static bool find_in(Dwarf_Die *scope, const char *name, Dwarf_Die *variable)
{
	struct child child;
	const char *other;
	bool more;

	for (more = child_first(&child, scope); more; more = child_next(&child)) {
		other = is_variable(&child.die) ? dwarf_diename(&child.die) : NULL;
		if (!other || strcmp(other, name))
			continue;
		*variable = child.die;
		return true;
	}
	return false;
}

static int find_variable(const struct place *p, const char *name, Dwarf_Die *variable,
			 struct error *err)
{
	Dwarf_Die scope, other;
	size_t i;

	for (i = p->scopes.nr; i-- > p->from; ) {
		scope = p->scopes.dies[i];
		if (!find_in(&scope, name, variable))
			continue;
		if (!p->at_entry || dwarf_tag(variable) == DW_TAG_formal_parameter)
			return 0;
		error_set(err, "at the function's beginning only parameters have a value; use %s",
			  "FUNCTION:LINE");
		return -1;
	}
	scope = p->scopes.cu;
	if (find_in(&scope, name, &other))
		error_set(err, "it is a global or static variable, which is not fetched");
	else
		error_set(err, "'%s' has no such variable here; see perf probe --vars",
			  p->function);
	return -1;
}

/*
 * Replace the place of a pointer by the place of the structure that it points
 * to.
 */
static int follow(struct value_location *at, Dwarf_Die *type, struct error *err)
{
	Dwarf_Die to;
	char *base;

	if (!type_is_integer(type) || type_of(type, &to) || !type_is_structure(&to)) {
		error_set(err, "-> is for a pointer to a structure");
		return -1;
	}
	base = location_fetch(at);
	free(at->base);
	*at = (struct value_location){ .in_memory = true, .base = base };
	*type = to;
	return 0;
}

/* Go on to the member "->NAME" or ".NAME" at @rest, and advance @rest past it. */
static int take_member(struct value_location *at, Dwarf_Die *type, const char **rest,
		       struct error *err)
{
	bool is_pointer = **rest == '-';
	Dwarf_Die member;
	long offset;
	char *name;
	int ret;

	if (is_pointer && follow(at, type, err))
		return -1;
	if (!type_is_structure(type)) {
		error_set(err, ". is for a structure; use -> for a pointer to one");
		return -1;
	}
	if (!at->in_memory) {
		error_set(err, "it is a structure in a register; its members cannot be fetched");
		return -1;
	}
	*rest += is_pointer ? 2 : 1;
	name = xstrndup(*rest, identifier_length(*rest));
	*rest += strlen(name);
	ret = type_member(type, name, &member, &offset, err);
	free(name);
	if (ret)
		return -1;
	at->offset += offset;
	if (!type_of(&member, type))
		return 0;
	error_set(err, "its type is unknown");
	return -1;
}

/* Return "FETCH:TYPE" for the value at @at, or NULL with @err set. */
static char *fetch_of(const struct value_location *at, Dwarf_Die *type, struct error *err)
{
	const char *name = type_fetch(type, err);
	char *value, *text;

	if (!name)
		return NULL;
	value = location_fetch(at);
	text = type_is_string(type) ? xasprintf("+0(%s):string", value) :
				      xasprintf("%s:%s", value, name);
	free(value);
	return text;
}

static char *fetch_chain(const struct place *p, Dwarf_Die *variable, const char *rest,
			 struct error *err)
{
	struct value_location at = { 0 };
	char *text = NULL;
	Dwarf_Die type;
	int ret;

	if (type_of(variable, &type)) {
		error_set(err, "its type is unknown");
		return NULL;
	}
	ret = location_find(&at, p, variable, err);
	while (!ret && *rest)
		ret = take_member(&at, &type, &rest, err);
	if (!ret)
		text = fetch_of(&at, &type, err);
	free(at.base);
	return text;
}

/* Make the name of a field: "a_b_c" for "a->b.c". */
static char *field_name(const char *text)
{
	char *name = xstrdup(text), *to = name;

	for (; *text; text++) {
		if (*text != '>')
			*to++ = *text == '-' || *text == '.' ? '_' : *text;
	}
	*to = '\0';
	return name;
}

static int refuse_place(const struct place *p, struct error *err)
{
	if (!p || !p->has_debug)
		error_set(err, "variables need debug information; compile with -g, or %s",
			  p ? "install the debug file" : "use -k VMLINUX");
	else
		error_set(err, "variables are known only in code of x86-64");
	return -1;
}

static int fetch_variable(char **text, const struct place *p, const struct probe_arg *arg,
			  bool is_return, struct error *err)
{
	size_t length = identifier_length(arg->text);
	char *name, *fetch, *field;
	Dwarf_Die variable;
	int ret;

	if (is_return) {
		error_set(err, "a returning function has no variables any more; use $retval");
		return -1;
	}
	if (!p || !p->has_debug || !binary_is_x86_64(p->binary))
		return refuse_place(p, err);
	name = xstrndup(arg->text, length);
	ret = find_variable(p, name, &variable, err);
	free(name);
	fetch = ret ? NULL : fetch_chain(p, &variable, arg->text + length, err);
	if (!fetch)
		return -1;
	field = arg->name ? xstrdup(arg->name) : field_name(arg->text);
	*text = xasprintf("%s=%s", field, fetch);
	free(field);
	free(fetch);
	return 0;
}

/* Fetch $retval, with the type of the function if it is known. */
static int fetch_return(char **text, const struct place *p, const char *name, struct error *err)
{
	char base[] = "$retval";
	const struct value_location at = { .base = base };
	Dwarf_Die function, type;
	char *fetch;

	if (!p || !p->has_debug) {
		*text = xasprintf("%s=$retval", name);
		return 0;
	}
	function = p->scopes.dies[0];
	if (type_of(&function, &type)) {
		error_set(err, "function '%s' returns nothing", p->function);
		return -1;
	}
	fetch = fetch_of(&at, &type, err);
	if (!fetch)
		return -1;
	*text = xasprintf("%s=%s", name, fetch);
	free(fetch);
	return 0;
}

int fetch_argument(char **text, const struct place *place, const struct probe_arg *arg,
		   bool is_return, struct error *err)
{
	int ret = 0;

	if (arg->raw && !strcmp(arg->text, "$retval"))
		ret = fetch_return(text, place, arg->name ?: "retval", err);
	else if (!arg->raw)
		ret = fetch_variable(text, place, arg, is_return, err);
	else if (arg->name)
		*text = xasprintf("%s=%s", arg->name, arg->text);
	else
		*text = xstrdup(arg->text);
	return ret ? refuse(arg->text, err) : 0;
}

static void print_variable(FILE *out, const struct place *p, Dwarf_Die *variable,
			   const char *name)
{
	char *type = type_name(variable), *fetch;
	struct error why;

	fetch = fetch_chain(p, variable, "", &why);
	fput_name(type, out);
	fputc(' ', out);
	fput_name(name, out);
	fputs(fetch ? "\t" : "\tnot fetched: ", out);
	fput_name(fetch ?: why.text, out);
	fputc('\n', out);
	free(fetch);
	free(type);
}

int fetch_print_variables(FILE *out, struct place *place, struct error *err)
{
	struct child child;
	const char *name;
	bool more;

	if (!place->has_debug || !binary_is_x86_64(place->binary))
		return refuse_place(place, err);
	more = child_first(&child, &place->scopes.dies[0]);
	for (; more; more = child_next(&child)) {
		if (dwarf_tag(&child.die) != DW_TAG_formal_parameter)
			continue;
		name = dwarf_diename(&child.die);
		if (name)
			print_variable(out, place, &child.die, name);
	}
	return 0;
}
