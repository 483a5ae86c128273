// SPDX-License-Identifier: GPL-2.0
/*
 * /tmp/perf-PID.map: where the functions are that a program generated.
 *
 * It does not say when they were there. The program adds a line when it has
 * generated a function, so of two at one address the later one is meant. The
 * table of symbols has them one behind the other, in the order of the lines, and
 * dso->code tells which of them is where.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "jit_map.h"
#include "util.h"

/* No function is larger; it keeps the sum of all sizes within 64 bits. */
#define FUNCTION_SIZE_MAX (1ULL << 32)

/* One line: "start size name", in hexadecimal. */
struct jit_line {
	uint64_t start;
	uint64_t size;
	const char *name;
};

/* A number and the blank behind it; a sign or the like is none. */
static bool parse_number(const char **at, uint64_t *number)
{
	char *end;

	if (!isxdigit((unsigned char)**at))
		return false;
	*number = strtoull(*at, &end, 16);
	if (*end != ' ')
		return false;
	*at = end + strspn(end, " ");
	return true;
}

static bool parse_line(const char *text, struct jit_line *line)
{
	if (!parse_number(&text, &line->start) || !parse_number(&text, &line->size) || !*text)
		return false;
	line->name = text;
	return line->size && line->size <= FUNCTION_SIZE_MAX &&
	       line->size <= UINT64_MAX - line->start;
}

static void read_lines(struct dso *dso, FILE *file)
{
	uint64_t nr = 0, nr_bad = 0, first_bad = 0, offset = 0;
	struct jit_line line;
	char *text = NULL;
	size_t room = 0;
	ssize_t size;

	while ((size = getline(&text, &room, file)) > 0) {
		nr++;
		if (text[size - 1] == '\n')
			text[size - 1] = '\0';
		if (!parse_line(text, &line)) {
			if (!nr_bad++)
				first_bad = nr;
			continue;
		}
		symbol_table_add(&dso->elf.symbols, offset, line.size, line.name, SYMBOL_GLOBAL);
		map_set_insert(dso->code, line.start, line.start + line.size, offset, dso);
		offset += line.size;
	}
	free(text);
	if (nr_bad)
		warn("%s: %" PRIu64 " line(s) make no sense, the first is line %" PRIu64
		     "; they are skipped", dso->path, nr_bad, first_bad);
}

/**
 * jit_map_load - read what a program wrote about the code it generated
 * @dso: named /tmp/perf-PID.map; that there is no such file is usual
 */
void jit_map_load(struct dso *dso)
{
	int fd = open_regular(dso->path);
	FILE *file;

	if (fd < 0)
		return;
	file = fdopen(fd, "r");
	if (!file)
		die("%s: out of memory", dso->path);
	dso->code = map_set_new();
	read_lines(dso, file);
	fclose(file);
	symbol_table_finish(&dso->elf.symbols);
}

/**
 * jit_map_offset - where an address is in the table of symbols
 * @dso: which has been loaded
 * @addr: the address; gets the place
 *
 * Return: false if no function is there.
 */
bool jit_map_offset(const struct dso *dso, uint64_t *addr)
{
	const struct map *map = dso->code ? map_set_find(dso->code, *addr) : NULL;

	if (map)
		*addr = map->pgoff + (*addr - map->start);
	return map;
}
