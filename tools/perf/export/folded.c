// SPDX-License-Identifier: GPL-2.0
/*
 * Folded stacks: a line for each call chain, as stackcollapse-perf.pl prints them.
 *
 * A semicolon divides names, and the last blank of a line is before its weight. A semicolon in a
 * name becomes a colon, and a blank in the name of a command becomes an underscore, as
 * stackcollapse-perf.pl does. Other characters, quotation marks too, stay as they are.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "folded.h"

/* A line, and the sum of its samples' weights. */
struct line {
	struct hash_node node;
	uint64_t weight;
	char text[];
};

static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, out);
}

static void put_root(FILE *out, const struct profile_thread *thread, enum folded_root root)
{
	const char *comm;

	for (comm = thread->comm->text; *comm; comm++)
		fputc(*comm == ';' ? ':' : *comm == ' ' ? '_' : *comm, out);
	if (root == FOLDED_PID)
		fprintf(out, "-%" PRIu32, thread->pid);
	else if (root == FOLDED_TID)
		fprintf(out, "-%" PRIu32 "/%" PRIu32, thread->pid, thread->tid);
}

/* An unknown function has the name of its file: "[libc.so.6]". */
static void put_frame(FILE *out, const struct profile_frame *frame)
{
	const struct profile_function *function = frame->function;
	const char *file = function->file->name->text;

	if (function->known) {
		put_name(out, function->name->text);
	} else if (file[0] == '[') {
		put_name(out, file);
	} else {
		fputc('[', out);
		put_name(out, file);
		fputc(']', out);
	}
}

static char *make_text(struct profile *p, const struct profile_sample *sample,
		       enum folded_root root)
{
	size_t size, i, nr = profile_steps(p, sample->stack);
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	put_root(out, sample->thread, root);
	for (i = 0; i < nr; i++) {
		fputc(';', out);
		put_frame(out, p->steps[i].frame);
	}
	if (fclose(out))
		die("out of memory");
	return text;
}

/* Add a weight to the line with this text. */
static void add_weight(struct hash_table *lines, const char *text, uint64_t weight)
{
	uint64_t hash = hash_string(text);
	struct hash_node *node = hash_table_first(lines, hash);
	size_t size = strlen(text) + 1;
	struct line *line;

	for (; node; node = hash_table_next(node)) {
		line = hash_entry(node, struct line, node);
		if (!strcmp(line->text, text)) {
			line->weight += weight;
			return;
		}
	}
	line = xmalloc(sizeof(*line) + size);
	line->weight = weight;
	memcpy(line->text, text, size);
	hash_table_add(lines, &line->node, hash);
}

static int compare(const void *x, const void *y)
{
	const struct line *a = hash_entry(*(struct hash_node **)x, struct line, node);
	const struct line *b = hash_entry(*(struct hash_node **)y, struct line, node);

	return strcmp(a->text, b->text);
}

void export_folded(FILE *out, struct profile *p, uint32_t event, enum folded_root root)
{
	struct hash_table lines = { 0 };
	struct hash_node **nodes;
	uint32_t i;

	for (i = 0; i < p->samples.nr; i++) {
		const struct profile_sample *sample = profile_sample(p, i);
		char *text;

		if (sample->event != event)
			continue;
		text = make_text(p, sample, root);
		add_weight(&lines, text, sample->weight);
		free(text);
	}
	nodes = hash_table_nodes(&lines);
	qsort(nodes, lines.nr, sizeof(*nodes), compare);
	for (i = 0; i < lines.nr; i++) {
		const struct line *line = hash_entry(nodes[i], struct line, node);

		fprintf(out, "%s %" PRIu64 "\n", line->text, line->weight);
	}
	free(nodes);
	hash_table_free_all(&lines, hash_node_free);
}
