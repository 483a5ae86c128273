// SPDX-License-Identifier: GPL-2.0
/* Writes the visible rows to a file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "save.h"

static void write_header(FILE *out, const struct browse_model *m)
{
	const struct view *view = &m->now.view;
	size_t i;

	fprintf(out, "# Samples: %" PRIu64 " of event '%s'\n", m->hist.nr_samples,
		model_event(m)->name);
	for (i = 0; i < view->nr_zooms; i++)
		fprintf(out, "# Only: %s\n", view->zooms[i].text);
	if (*m->now.filter) {
		fputs("# Rows with: ", out);
		fput_name(m->now.filter, out);
		fputc('\n', out);
	}
	fputs("#\n# ", out);
	report_table_print_titles(out, &m->table);
	fputs("\n#\n", out);
}

static void write_row(FILE *out, const struct browse_model *m, const struct browse_row *row)
{
	char *label;

	if (!row->fold) {
		report_table_print_row(out, &m->table, &m->table.rows[row->entry]);
	} else {
		label = row_label(&m->list, row);
		fprintf(out, "%*s%s%s", (int)(12 + 2 * row->fold->depth), "",
			row->node == row->fold->first ? "" : "  ", label);
		free(label);
	}
	fputc('\n', out);
}

static FILE *open_new(const char *path, bool replace, struct error *err)
{
	int fd;

	if (replace)
		return open_output_file(path, false, err);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		error_set(err, "%s: %s", path, strerror(errno));
		return NULL;
	}
	return fdopen(fd, "w");
}

int save_rows(const struct browse_model *m, const char *path, bool replace, struct error *err)
{
	FILE *out = NULL;
	size_t i;

	if (!replace && !access(path, F_OK)) {
		error_set(err, "%s: %s", path, strerror(EEXIST));
		return 1;
	}
	out = open_new(path, replace, err);
	if (!out)
		return -1;
	write_header(out, m);
	for (i = 0; i < m->list.nr; i++)
		write_row(out, m, &m->list.rows[i]);
	if (fflush(out) || ferror(out)) {
		error_set(err, "%s: %s", path, strerror(errno));
		fclose(out);
		return -1;
	}
	if (fclose(out)) {
		error_set(err, "%s: %s", path, strerror(errno));
		return -1;
	}
	return 0;
}
