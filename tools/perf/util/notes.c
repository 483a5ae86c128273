// SPDX-License-Identifier: GPL-2.0
/* Notes: parts of a report that are missing, why, and what the user can do. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "macros.h"
#include "memory.h"
#include "name.h"
#include "notes.h"

/* Maximum number of files that a line names. */
#define NAMED_MAX 3
/* Maximum number of reasons, as a recording can have reasons of its own. */
#define NOTES_MAX 64

/**
 * struct note - one reason
 * @of_files: files are missing, not parts of samples
 * @what: the predicate of the sentence for samples; the reason for files
 * @remedy: advice to the user, or NULL
 * @nr: number of samples or files
 * @names: the first files
 */
struct note {
	bool of_files;
	char *what;
	const char *remedy;
	uint64_t nr;
	char *names[NAMED_MAX];
};

static struct note notes[NOTES_MAX];
static size_t nr_notes;

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Find the note of a reason, or add it. Return: the note, or NULL if there are too many. */
static struct note *get_note(bool of_files, const char *what, const char *remedy)
{
	struct note *note;

	for (note = notes; note < notes + nr_notes; note++) {
		if (note->of_files == of_files && is_same_text(note->what, what) &&
		    is_same_text(note->remedy, remedy))
			return note;
	}
	if (nr_notes == NOTES_MAX)
		return NULL;
	*note = (struct note){ .of_files = of_files, .what = xstrdup(what), .remedy = remedy };
	nr_notes++;
	return note;
}

void note_samples(uint64_t nr, const char *what, const char *remedy)
{
	struct note *note = nr ? get_note(false, what, remedy) : NULL;

	if (note)
		note->nr += nr;
}

/* Return true if the note names the file already. */
static bool names_file(const struct note *note, const char *path)
{
	size_t i;

	for (i = 0; i < NAMED_MAX && note->names[i]; i++) {
		if (!strcmp(note->names[i], path))
			return true;
	}
	return false;
}

void note_file(const char *path, const char *why, const char *remedy)
{
	struct note *note = get_note(true, why, remedy);

	if (!note || names_file(note, path))
		return;
	if (note->nr < NAMED_MAX)
		note->names[note->nr] = xstrdup(path);
	note->nr++;
}

static void print_files(const struct note *note)
{
	size_t i;

	for (i = 0; i < NAMED_MAX && i < note->nr; i++) {
		fputs(i ? ", " : "", stderr);
		fput_name(note->names[i], stderr);
	}
	if (note->nr > NAMED_MAX)
		fprintf(stderr, " and %" PRIu64 " more", note->nr - NAMED_MAX);
}

static void print_note(const struct note *note, uint64_t total)
{
	fputs("Note: ", stderr);
	if (note->of_files)
		print_files(note);
	else
		fprintf(stderr, "%" PRIu64 " of %" PRIu64 " samples", note->nr, total);
	fputs(note->of_files ? ": " : " ", stderr);
	fput_name(note->what, stderr);
	if (note->remedy)
		fprintf(stderr, "; %s", note->remedy);
	fputc('\n', stderr);
}

static void free_note(struct note *note)
{
	size_t i;

	for (i = 0; i < NAMED_MAX; i++)
		free(note->names[i]);
	free(note->what);
}

void notes_print(uint64_t total)
{
	size_t i;

	fflush(stdout);
	for (i = 0; i < nr_notes; i++) {
		print_note(&notes[i], total);
		free_note(&notes[i]);
	}
	nr_notes = 0;
}
