// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of source files.
 *
 * The path comes from the debug information, which another user may have written. So only regular
 * files are read, within a budget.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source_text.h"

/* Budgets of one source file and of all of them, in bytes. */
#define SOURCE_SIZE_MAX (16 << 20)
#define SOURCES_SIZE_MAX (256 << 20)
/* Maximum length of a line that is shown, in bytes. */
#define LINE_SIZE_MAX 400

/**
 * struct source_text - a source file
 * @node: node in the table, by @file
 * @file: file
 * @text: contents, with a NUL in the place of each newline; NULL if it was not read
 * @starts: start of each line in @text
 * @nr: number of lines
 * @changed: time in seconds when the file was last changed
 * @noted: the user has been told that the file is newer than the program
 */
struct source_text {
	struct hash_node node;
	const struct source_file *file;
	char *text;
	uint32_t *starts;
	uint32_t nr;
	int64_t changed;
	bool noted;
};

/* Find the starts of the lines, and end each line with a NUL. */
static void split(struct source_text *source, size_t size)
{
	uint32_t room = 0;
	size_t at = 0;
	char *end;

	while (at < size) {
		if (source->nr == room) {
			room = room ? room * 2 : 256;
			source->starts = xreallocarray(source->starts, room,
						       sizeof(*source->starts));
		}
		source->starts[source->nr++] = at;
		end = memchr(source->text + at, '\n', size - at);
		if (!end)
			break;
		*end = '\0';
		at = end - source->text + 1;
	}
}

/* Return @path with its leading directories replaced by the prefix; the caller frees it. */
static char *with_prefix(const struct source_texts *texts, const char *path)
{
	unsigned int i;

	for (i = 0; texts->prefix && i < texts->strip; i++) {
		const char *slash = strchr(path + (*path == '/'), '/');

		if (!slash)
			break;
		path = slash;
	}
	return xasprintf("%s%s%s", texts->prefix ?: "",
			 texts->prefix && *path != '/' ? "/" : "", path);
}

/* Read a file. Return: 0 or -errno. */
static int read_file(struct source_texts *texts, struct source_text *source, const char *path)
{
	struct stat st;
	size_t size;

	if (texts->size > SOURCES_SIZE_MAX)
		return -EFBIG;
	source->text = foreign_text(path, SOURCE_SIZE_MAX, &size);
	if (!source->text)
		return -errno;
	texts->size += size;
	source->changed = stat(path, &st) ? 0 : st.st_mtime;
	split(source, size);
	return 0;
}

/* Read the file below the root of the recorded machine, or where the debug information says. */
static void load(struct source_texts *texts, struct source_text *source)
{
	char *path = with_prefix(texts, source->file->path);
	char *below = texts->root ? xasprintf("%s/%s", texts->root, path) : NULL;
	int error = below ? read_file(texts, source, below) : -ENOENT;

	if (error == -ENOENT)
		error = read_file(texts, source, path);
	if (error)
		note_file(path, error == -ENOENT ? "source not found" : open_failure(error),
			  "use --prefix and --prefix-strip, --symfs, or --no-source");
	free(below);
	free(path);
}

static struct source_text *get_text(struct source_texts *texts, const struct source_file *file)
{
	uint64_t hash = hash_number((uintptr_t)file);
	struct hash_node *node = hash_table_first(&texts->files, hash);
	struct source_text *source;

	for (; node; node = hash_table_next(node)) {
		source = hash_entry(node, struct source_text, node);
		if (source->file == file)
			return source;
	}
	source = xcalloc(1, sizeof(*source));
	source->file = file;
	load(texts, source);
	hash_table_add(&texts->files, &source->node, hash);
	return source;
}

char *source_text_line(struct source_texts *texts, const struct source_file *file, uint32_t line,
		       int64_t built)
{
	struct source_text *source = get_text(texts, file);
	char *text, *safe, *c;

	if (!line || line > source->nr)
		return NULL;
	if (built && source->changed > built && !source->noted) {
		source->noted = true;
		note_file(file->path, "newer than the program, its lines may be others",
			  "use the sources that the program was built from");
	}
	text = source->text + source->starts[line - 1];
	text += strspn(text, " \t");
	text = xstrndup(text, LINE_SIZE_MAX);
	for (c = text; *c; c++) {
		if (*c == '\t' || *c == '\r')
			*c = ' ';
	}
	for (; c > text && c[-1] == ' '; c--)
		c[-1] = '\0';
	safe = escape_name(text);
	free(text);
	return safe;
}

static void free_text(struct hash_node *node)
{
	struct source_text *source = hash_entry(node, struct source_text, node);

	free(source->text);
	free(source->starts);
	free(source);
}

void source_texts_free(struct source_texts *texts)
{
	hash_table_free_all(&texts->files, free_text);
}
