// SPDX-License-Identifier: GPL-2.0
/*
 * Notes about missing parts of a report: one line for each reason, which counts the samples or
 * names the files, and the remedy.
 */
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

/* Return what notes_print() prints for @total samples. */
static const char *printed(uint64_t total)
{
	static char text[4096];
	FILE *file = tmpfile();
	int real = dup(STDERR_FILENO);
	size_t size;

	if (!file || dup2(fileno(file), STDERR_FILENO) < 0)
		abort();
	notes_print(total);
	dup2(real, STDERR_FILENO);
	close(real);
	rewind(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	return text;
}

int main(void)
{
	char path[16];
	int i;

	check_string(printed(5), "", "without notes, nothing is printed");

	note_samples(0, "have no callers", "record with -g");
	check_string(printed(5), "", "no sample is no note");

	note_samples(2, "have no callers", "record with -g");
	note_samples(1, "have no time", NULL);
	note_samples(1, "have no callers", "record with -g");
	check_string(printed(7),
		     "Note: 3 of 7 samples have no callers; record with -g\n"
		     "Note: 1 of 7 samples have no time\n",
		     "samples are counted by reason, in the order of the reasons");
	check_string(printed(7), "", "printed notes are forgotten");

	note_file("/a", "not found", "use --symfs");
	note_file("/b", "not found", "use --symfs");
	note_file("/a", "not found", "use --symfs");
	note_file("/c", "damaged", NULL);
	check_string(printed(7),
		     "Note: /a, /b: not found; use --symfs\n"
		     "Note: /c: damaged\n",
		     "files are named once, by reason");

	for (i = 0; i < 10; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		note_file(path, "not found", NULL);
	}
	check_string(printed(7), "Note: /0, /1, /2 and 7 more: not found\n",
		     "the first files are named, the others counted");

	note_file("/\033[2J", "\033[2J", NULL);
	check_string(printed(7), "Note: /\\x1b[2J: \\x1b[2J\n",
		     "control characters are escaped");

	for (i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "%d", i);
		note_file("/a", path, NULL);
	}
	check(strstr(printed(7), "Note: /a: 63\n"), "the number of reasons is bounded");
	return unit_finish();
}
