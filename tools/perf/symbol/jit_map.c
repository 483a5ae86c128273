// SPDX-License-Identifier: GPL-2.0
/*
 * /tmp/perf-PID.map: the functions that a program has generated.
 *
 * A line has no time. The program adds a line when it has generated a function, so the later
 * line counts when functions overlap. Each function has a place, which is the sum of the sizes of
 * the functions before it, and a set of mappings translates addresses to places.
 *
 * While a program is watched, lines that it adds are read later. Symbols must not move in memory
 * once they have been found, so each reading has a symbol table of its own.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/util.h"
#include "jit_file.h"
#include "jit_map.h"
#include "stored_copy.h"

/* Maximum size of a file in bytes. A larger file is refused. */
#define FILE_SIZE_MAX (64 << 20)
/* Maximum number of functions. A file with more functions is refused. */
#define FUNCTIONS_MAX (1 << 20)

/* Maximum size of a function in bytes; it keeps the sum of all sizes within 64 bits. */
#define FUNCTION_SIZE_MAX (1ULL << 32)

/* One line: "start size name", in hexadecimal. */
struct jit_line {
	uint64_t start;
	uint64_t size;
	const char *name;
};

/* Read a hexadecimal number and the blanks after it. A number with a sign is refused. */
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

/*
 * The functions that one reading of the file added. The place of a function is the sum of the sizes
 * of the functions before it, which earlier readings may have added.
 */
struct jit_part {
	struct jit_part *older;
	uint64_t start;			/* place of the first function */
	struct symbol_table table;	/* functions by place */
};

/**
 * struct jit_map - the contents of one /tmp/perf-PID.map
 * @file: status of the file when it was read last
 * @whole: offset after the last complete line that has been read
 * @nr_lines: number of lines before @whole
 * @nr_functions: number of functions added
 * @places: sum of the sizes of the functions, which is the place of the next one
 * @code: mappings from addresses to places
 * @parts: functions of each reading, the newest first
 * @warned: true if the user has been warned of the file
 * @refused: true if the file is not read any more
 */
struct jit_map {
	struct stat file;
	uint64_t whole;
	uint64_t nr_lines;
	uint64_t nr_functions;
	uint64_t places;
	struct map_set *code;
	struct jit_part *parts;
	bool warned;
	bool refused;
};

/* Warn of invalid lines, but only once for each file, because an incomplete line is read again. */
static void warn_of_bad_lines(struct dso *dso, uint64_t nr_bad, uint64_t first_bad)
{
	if (nr_bad && !dso->jit->warned)
		warn("%s: %" PRIu64 " invalid line(s), the first is line %" PRIu64
		     "; they are skipped", dso->path, nr_bad, first_bad);
	dso->jit->warned |= nr_bad;
}

static void add_function(struct dso *dso, const struct jit_line *line)
{
	struct jit_map *jit = dso->jit;

	symbol_table_add(&jit->parts->table, jit->places, line->size, line->name, SYMBOL_GLOBAL);
	map_set_insert(jit->code, line->start, line->start + line->size, jit->places, dso);
	jit->places += line->size;
	jit->nr_functions++;
}

/* Add the functions in @text, which ends with a NUL. */
static void read_lines(struct dso *dso, char *text, size_t size)
{
	uint64_t nr = dso->jit->nr_lines, nr_bad = 0, first_bad = 0;
	char *at, *end, *newline;
	struct jit_line line;

	for (at = text; at < text + size && dso->jit->nr_functions < FUNCTIONS_MAX; at = end + 1) {
		nr++;
		newline = memchr(at, '\n', text + size - at);
		end = newline ? newline : text + size;
		*end = '\0';
		if (parse_line(at, &line))
			add_function(dso, &line);
		else if (!nr_bad++)
			first_bad = nr;
		if (newline) {
			dso->jit->nr_lines = nr;
			dso->jit->whole += end + 1 - at;
		}
	}
	warn_of_bad_lines(dso, nr_bad, first_bad);
}

/* Read the file from @from to its size at opening, @size; @size is set to the bytes read. */
static char *read_rest(int fd, uint64_t from, size_t *size)
{
	char *text = xmalloc(*size - from + 1);
	size_t got = 0;
	ssize_t n;

	while ((n = pread(fd, text + got, *size - from - got, from + got)) > 0)
		got += n;
	text[got] = '\0';
	*size = got;
	return text;
}

static void read_part(struct dso *dso, int fd)
{
	struct jit_map *jit = dso->jit;
	struct jit_part *part = xcalloc(1, sizeof(*part));
	size_t size = jit->file.st_size;
	char *text = read_rest(fd, jit->whole, &size);

	part->older = jit->parts;
	part->start = jit->places;
	jit->parts = part;
	read_lines(dso, text, size);
	symbol_table_finish(&part->table);
	free(text);
}

/*
 * Drop all names of a file that is too large: its later lines, which override earlier ones, are
 * missing.
 */
static void refuse(struct dso *dso, const char *why)
{
	struct jit_map *jit = dso->jit;

	warn("%s: %s; not used", dso->path, why);
	map_set_free(jit->code);
	jit->code = map_set_new();
	jit->refused = true;
}

/* Forget the names from a file that was replaced or rewritten. */
static void start_over(struct jit_map *jit)
{
	map_set_free(jit->code);
	jit->code = map_set_new();
	jit->whole = 0;
	jit->nr_lines = 0;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static void read_new(struct dso *dso, int fd, const struct stat *st)
{
	struct jit_map *jit = dso->jit;
	const struct stat *last = &jit->file;
	bool same = st->st_ino == last->st_ino && st->st_dev == last->st_dev;

	if (same && st->st_size == last->st_size && is_same_time(&st->st_mtim, &last->st_mtim))
		return;
	if (!same || st->st_size <= last->st_size)
		start_over(jit);
	jit->file = *st;
	if (st->st_size > FILE_SIZE_MAX) {
		refuse(dso, "larger than 64 MiB");
		return;
	}
	read_part(dso, fd);
	if (jit->nr_functions == FUNCTIONS_MAX)
		refuse(dso, "more than a million functions");
}

/* Open the file as the process sees it, in its own /tmp and with its own number. */
static int open_of_process(const struct dso *dso, struct stat *st)
{
	uint32_t pid = dso->pids[0];
	pid_t own = pid ? proc_own_number(pid) : -1;
	char *path;
	int fd;

	if (own < 0)
		return -1;
	path = xasprintf("/tmp/perf-%d.map", own);
	fd = jit_file_open_of(pid, path, st);
	free(path);
	return fd;
}

/* Say that the names of the code are missing. */
static void explain(const struct dso *dso, int error, const struct error *err)
{
	if (error == -ENOENT)
		note_file(dso->path, "not found, code that the program generated has no names",
			  "have the program write the file, and report while it runs, or record with --self-contained");
	else
		warn("%s", err->text);
}

/**
 * jit_map_read() - Read the functions that a program has generated since the last reading
 * @dso: dso with the path /tmp/perf-PID.map; usually there is no such file
 */
void jit_map_read(struct dso *dso)
{
	struct error err;
	struct stat st;
	int fd;

	if (!dso->jit) {
		dso->jit = xcalloc(1, sizeof(*dso->jit));
		dso->jit->code = map_set_new();
	}
	if (dso->jit->refused)
		return;
	fd = stored_open(dso->set, STORED_PERF_MAP, dso);
	if (fd >= 0 && fstat(fd, &st)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		fd = open_of_process(dso, &st);
	if (fd < 0)
		fd = jit_file_open(dso->path, &st, &err);
	if (fd >= 0) {
		read_new(dso, fd, &st);
		close(fd);
	} else if (!dso->jit->warned) {
		explain(dso, fd, &err);
		dso->jit->warned = true;
	}
}

/**
 * jit_map_open() - Open the file with the names of generated code
 * @dso: dso with the path /tmp/perf-PID.map
 *
 * Return: A descriptor, or a negative number; the file must be one that jit_map_read() would read.
 */
int jit_map_open(const struct dso *dso)
{
	struct error err;
	struct stat st;
	int fd = open_of_process(dso, &st);

	return fd < 0 ? jit_file_open(dso->path, &st, &err) : fd;
}

/**
 * jit_map_symbol() - Find the function at an address
 * @dso: dso that jit_map_read() has read
 * @addr: address
 * @offset: set to the offset of @addr in the function
 *
 * Return: The function, which lives as long as @dso; NULL if there is none.
 */
struct symbol *jit_map_symbol(const struct dso *dso, uint64_t addr, uint64_t *offset)
{
	const struct map *map = map_set_find(dso->jit->code, addr);
	const struct jit_part *part = dso->jit->parts;
	struct symbol *symbol;
	uint64_t place;

	if (!map)
		return NULL;
	place = map->pgoff + (addr - map->start);
	while (place < part->start)
		part = part->older;
	symbol = symbol_table_find(&part->table, place);
	if (symbol)
		*offset = place - symbol->start;
	return symbol;
}

void jit_map_free(struct jit_map *jit)
{
	struct jit_part *part, *older;

	if (!jit)
		return;
	for (part = jit->parts; part; part = older) {
		older = part->older;
		symbol_table_free(&part->table);
		free(part);
	}
	map_set_free(jit->code);
	free(jit);
}
