// SPDX-License-Identifier: GPL-2.0
/* Tests whether libtraceevent reads only the record when it prints a record of an event. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/util.h"
#include "tracing_check.h"

/* Maximum length of a format string, number of its arguments, and width of an argument. */
#define FORMAT_LENGTH_MAX 16384
#define ARGUMENTS_MAX 128
#define WIDTH_MAX 4096
/* Maximum depth of an expression: libtraceevent evaluates it by recursion. */
#define DEPTH_MAX 64

/* Skip a width or a precision. Return false if it is a '*', or too large. */
static bool skip_width(const char **at)
{
	char *end;

	if (**at == '*')
		return false;
	if (!isdigit((unsigned char)**at))
		return true;
	if (strtoul(*at, &end, 10) > WIDTH_MAX)
		return false;
	*at = end;
	return true;
}

/* Check the conversion that follows a '%', and advance past it. */
static bool is_conversion_safe(const char **format)
{
	const char *at = *format;

	at += strspn(at, "-+ #0");
	if (!skip_width(&at))
		return false;
	if (*at == '.') {
		at++;
		if (!skip_width(&at))
			return false;
	}
	at += strspn(at, "hlLzjtq");
	if (!*at || !strchr("diuxXocsp%", *at))
		return false;
	/* Other letters after %p print bytes of addresses, of bit masks and the like. */
	if (*at == 'p' && isalnum((unsigned char)at[1]) && !strchr("sSfF", at[1]))
		return false;
	*format = at + 1;
	return true;
}

static bool is_format_safe(const char *format)
{
	if (!format || strlen(format) > FORMAT_LENGTH_MAX)
		return false;
	while ((format = strchr(format, '%'))) {
		format++;
		if (!is_conversion_safe(&format))
			return false;
	}
	return true;
}

/* Return true if an operator neither divides, which may be by 0, nor indexes an array. */
static bool is_operator_safe(const char *op)
{
	static const char *const safe[] = {
		"?", ":", "+", "-", "*", "&", "|", "^", "!", "~", "&&", "||", "==", "!=", "<", ">",
		"<=", ">=", "<<", ">>",
	};
	size_t i;

	for (i = 0; op && i < ARRAY_SIZE(safe); i++) {
		if (!strcmp(op, safe[i]))
			return true;
	}
	return false;
}

/* Return true if an event has a field whose place is part of the record. */
static bool has_dynamic_field(struct tep_event *event, const char *name)
{
	struct tep_format_field *field = name ? tep_find_any_field(event, name) : NULL;

	return field && (field->flags & TEP_FIELD_IS_DYNAMIC);
}

static bool is_argument_safe(struct tep_event *event, const struct tep_print_arg *arg, int depth)
{
	if (!arg)
		return true;
	if (depth > DEPTH_MAX)
		return false;
	switch (arg->type) {
	case TEP_PRINT_NULL:
	case TEP_PRINT_ATOM:
		return true;
	case TEP_PRINT_FIELD:
		return arg->field.name && tep_find_any_field(event, arg->field.name);
	case TEP_PRINT_FLAGS:
		return is_argument_safe(event, arg->flags.field, depth + 1);
	case TEP_PRINT_SYMBOL:
		return is_argument_safe(event, arg->symbol.field, depth + 1);
	case TEP_PRINT_TYPE:
		return is_argument_safe(event, arg->typecast.item, depth + 1);
	case TEP_PRINT_STRING:
		return has_dynamic_field(event, arg->string.string);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return arg->dynarray.field && (arg->dynarray.field->flags & TEP_FIELD_IS_DYNAMIC);
	case TEP_PRINT_OP:
		return is_operator_safe(arg->op.op) &&
		       is_argument_safe(event, arg->op.left, depth + 1) &&
		       is_argument_safe(event, arg->op.right, depth + 1);
	default:
		return false;
	}
}

bool tracing_event_is_safe(struct tep_event *event)
{
	static const int special = TEP_EVENT_FL_ISPRINT | TEP_EVENT_FL_ISBPRINT |
				   TEP_EVENT_FL_ISFUNCENT | TEP_EVENT_FL_ISFUNCRET;
	const struct tep_print_arg *arg;
	size_t nr = 0;

	if ((event->flags & special) || event->handler)
		return false;
	/* Without a format that could be parsed, the fields are printed one by one. */
	if (event->flags & TEP_EVENT_FL_FAILED)
		return true;
	if (!is_format_safe(event->print_fmt.format))
		return false;
	for (arg = event->print_fmt.args; arg; arg = arg->next) {
		if (++nr > ARGUMENTS_MAX || !is_argument_safe(event, arg, 0))
			return false;
	}
	return true;
}
