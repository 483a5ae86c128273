// SPDX-License-Identifier: GPL-2.0
/* perf buildid-list: the build-ids of the files that a recording hit. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "machine/machine.h"
#include "symbol/symbol.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"

struct buildid_list {
	struct input_options input;
	bool kernel;
};

static void print_id(const uint8_t *id, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		printf("%02x", id[i]);
}

/* Order the kernel and its modules before programs, then by path. */
static int compare_ids(const void *a, const void *b)
{
	const struct recorded_build_id *x =
		hash_entry(*(struct hash_node *const *)a, struct recorded_build_id, node);
	const struct recorded_build_id *y =
		hash_entry(*(struct hash_node *const *)b, struct recorded_build_id, node);

	if (x->kernel != y->kernel)
		return x->kernel ? -1 : 1;
	return strcmp(x->path, y->path);
}

static void print_ids(const struct data_features *features)
{
	struct hash_node **nodes = hash_table_nodes(&features->build_ids);
	size_t i;

	qsort(nodes, features->build_ids.nr, sizeof(*nodes), compare_ids);
	for (i = 0; i < features->build_ids.nr; i++) {
		const struct recorded_build_id *entry =
			hash_entry(nodes[i], struct recorded_build_id, node);

		print_id(entry->id, entry->size);
		putchar(' ');
		fput_name(entry->path, stdout);
		putchar('\n');
	}
	free(nodes);
}

static const struct argp_option option_table[] = {
	{ "with-hits", 'H', NULL, 0, "Only files that samples hit (always done)", 0 },
	{ "kernel", 'k', NULL, 0, "Print the build-id of the running kernel", 0 },
	{ "input", 'i', "FILE", 0, "Read FILE (perf.data); - is standard input", 0 },
	{ "force", 'f', NULL, 0, "Also read a recording of another user (always done)", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct buildid_list *list = state->input;

	switch (key) {
	case 'k':
		list->kernel = true;
		return 0;
	case 'i':
		list->input.path = arg;
		return 0;
	case 'H':
	case 'f':
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int print_kernel(void)
{
	uint8_t id[BUILD_ID_MAX];
	size_t notes_size = 0;
	char *notes = read_text_file("/sys/kernel/notes", &notes_size);
	ssize_t size = notes ? build_id_of_notes(notes, notes_size, id) : 0;

	free(notes);
	if (size <= 0) {
		complain("/sys/kernel/notes: the kernel shows no build-id");
		return EXIT_FAILED;
	}
	print_id(id, size);
	putchar('\n');
	return 0;
}

/**
 * cmd_buildid_list - perf buildid-list
 * @argc: number of strings in @argv
 * @argv: "perf buildid-list" and its arguments
 *
 * Return: the exit status.
 */
int cmd_buildid_list(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &buildid_list_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.doc = "List the build-ids of the files that the samples of a recording hit.",
		.children = children,
	};
	static const struct session_handlers handlers = { 0 };
	struct buildid_list list = { 0 };
	struct session session;
	int status;

	parse_arguments(&argp, argc, argv, 0, &list);
	if (list.kernel)
		return print_kernel();
	status = input_open(&session, &list.input);
	if (status)
		return status;
	/* In a pipe, build-ids are records. */
	if (!data_reader_events(session.reader)->nr)
		session_run(&session, &handlers, NULL);
	print_ids(data_reader_features(session.reader));
	status = session_complain(&session);
	session_close(&session);
	return status;
}
