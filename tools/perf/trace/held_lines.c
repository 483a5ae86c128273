// SPDX-License-Identifier: GPL-2.0
/*
 * Lines that are held until the paths of descriptors in them are known.
 */
#include <stdlib.h>

#include "held_lines.h"

void held_lines_open(struct held_lines *held)
{
	*held = (struct held_lines){ 0 };
	held->lines = open_memstream(&held->text, &held->size);
	if (!held->lines)
		die("out of memory");
}

static void add_path(struct held_lines *held, size_t offset, struct fd_path *path,
		     const char *name)
{
	held->paths = xreallocarray(held->paths, held->nr + 1, sizeof(*held->paths));
	held->paths[held->nr++] = (struct held_path){
		.offset = offset, .path = fd_path_get(path), .name = name,
	};
}

void held_lines_add_path(struct held_lines *held, struct fd_path *path, const char *name)
{
	add_path(held, ftell(held->lines), path, name);
}

bool held_lines_are_full(const struct held_lines *held)
{
	return held->nr >= HELD_PATHS_MAX || ftell(held->lines) >= HELD_BYTES_MAX;
}

/* Free lines whose stream is closed. */
static void free_lines(struct held_lines *held)
{
	size_t i;

	for (i = 0; i < held->nr; i++)
		fd_path_put(held->paths[i].path);
	free(held->paths);
	free(held->text);
	held->lines = NULL;
}

void held_lines_close(struct held_lines *held)
{
	if (!held->lines)
		return;
	fclose(held->lines);
	free_lines(held);
}

/* Print a path as a member of a JSON object, or as text if @path->name is NULL. */
static void print_path(const struct held_path *path, FILE *out)
{
	if (path->name)
		fd_path_print_json(path->path, path->name, out);
	else
		fd_path_print(path->path, out);
}

/* Return the size of the lines before the first one with a path that is pending. */
static size_t settled_size(const struct held_lines *held)
{
	size_t i, size = held->size;

	for (i = 0; i < held->nr; i++) {
		if (held->paths[i].path->state == FD_PATH_PENDING) {
			size = held->paths[i].offset;
			while (size && held->text[size - 1] != '\n')
				size--;
			break;
		}
	}
	return size;
}

/* Print the lines before offset @end. Return the number of paths in them. */
static size_t print_lines(const struct held_lines *held, size_t end, FILE *out)
{
	size_t i, at = 0;

	for (i = 0; i < held->nr && held->paths[i].offset < end; i++) {
		fwrite(held->text + at, 1, held->paths[i].offset - at, out);
		at = held->paths[i].offset;
		print_path(&held->paths[i], out);
	}
	fwrite(held->text + at, 1, end - at, out);
	return i;
}

void held_lines_release(struct held_lines *held, FILE *out, bool all)
{
	struct held_lines old;
	size_t i, end, nr;

	/* The stream keeps the addresses of text and size: close it before they are copied. */
	if (fclose(held->lines))
		die("out of memory");
	end = all ? held->size : settled_size(held);
	nr = print_lines(held, end, out);
	old = *held;
	held_lines_open(held);
	fwrite(old.text + end, 1, old.size - end, held->lines);
	for (i = nr; i < old.nr; i++)
		add_path(held, old.paths[i].offset - end, old.paths[i].path, old.paths[i].name);
	free_lines(&old);
}

void held_lines_forget_paths(struct held_lines *held)
{
	size_t i;

	for (i = 0; i < held->nr; i++)
		fd_path_put(held->paths[i].path);
	held->nr = 0;
}
