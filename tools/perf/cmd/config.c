// SPDX-License-Identifier: GPL-2.0
/* perf config: the variables of the kernel's perf, which this tool lists and does not use. */
#include <argp.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"

#define SYSTEM_CONFIG "/etc/perfconfig"

/* Maximum size of a file of variables that is read. */
#define CONFIG_MAX 65536

struct config {
	bool list;
	bool user;
	bool system;
	bool any;
};

/* Cut blanks off both ends of @text. Return: the first character that is left. */
static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static void print_variable(const char *section, const char *name, const char *value)
{
	char *line = xasprintf("%s.%s=%s", section, name, value);

	fput_name(line, stdout);
	putchar('\n');
	free(line);
}

/* Print the variables of a file as "section.name=value". */
static void print_file(struct config *config, const char *path)
{
	char *text = xcalloc(1, CONFIG_MAX + 1), *rest = text, *line, *value;
	char *section = xstrdup("");
	int fd = open_regular(path);

	/* The end of a larger file is left out, and so is all of a file that cannot be read. */
	if (fd < 0 || read(fd, text, CONFIG_MAX) <= 0)
		rest = NULL;
	if (fd >= 0)
		close(fd);
	while ((line = strsep(&rest, "\n"))) {
		line = trim(line);
		if (*line == '[') {
			free(section);
			section = xstrndup(line + 1, strcspn(line + 1, "]"));
			continue;
		}
		if (!*line || *line == '#' || *line == ';')
			continue;
		value = strchr(line, '=');
		if (value)
			*value++ = '\0';
		print_variable(section, trim(line), value ? trim(value) : "true");
		config->any = true;
	}
	free(section);
	free(text);
}

static const struct argp_option option_table[] = {
	{ "list", 'l', NULL, 0, "List the variables (default)", 0 },
	{ "user", 'u' + 0x100, NULL, 0, "Only those of ~/.perfconfig", 0 },
	{ "system", 's' + 0x100, NULL, 0, "Only those of " SYSTEM_CONFIG, 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct config *config = state->input;

	switch (key) {
	case 'l':
		config->list = true;
		return 0;
	case 'u' + 0x100:
		config->user = true;
		return 0;
	case 's' + 0x100:
		config->system = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_failure(state, EXIT_USAGE, 0,
			     "'%s': this tool has no variables; give the option on the command line",
			     arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/**
 * cmd_config - perf config
 * @argc: number of strings in @argv
 * @argv: "perf config" and its arguments
 *
 * Return: the exit status.
 */
int cmd_config(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &plain_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.doc = "List the variables of the kernel's perf. This tool uses none of them.",
		.children = children,
	};
	struct config config = { 0 };
	const char *home = getenv("HOME");
	char *path;

	parse_arguments(&argp, argc, argv, 0, &config);
	if (!config.user)
		print_file(&config, SYSTEM_CONFIG);
	if (!config.system && home) {
		path = xasprintf("%s/.perfconfig", home);
		print_file(&config, path);
		free(path);
	}
	if (config.any)
		warn("this tool does not use these variables; give options on the command line");
	return 0;
}
