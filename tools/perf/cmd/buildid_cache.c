// SPDX-License-Identifier: GPL-2.0
/* perf buildid-cache: the copies of files by build-id. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/machine.h"
#include "symbol/symbol.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"
#include "option_values.h"

enum {
	OPTION_TARGET_NS = 0x100,
	OPTION_TRIM,
};

/**
 * struct buildid_cache - the options, and the directory
 * @add: files to add, separated by commas; NULL: none
 * @remove: files to remove, with their present build-ids; NULL: none
 * @purge: files to remove, with all their build-ids; NULL: none
 * @update: files to add, in the place of earlier copies; NULL: none
 * @missing: recording whose files are compared with the copies, or NULL
 * @purge_all: remove all
 * @list: list all
 * @verbose: say what was done
 * @trim: size to which the files that perf record keeps are reduced, in bytes; negative: no limit
 * @pid: process whose root directory the files are below; 0: none
 * @cache: directory
 * @status: exit status
 */
struct buildid_cache {
	char *add;
	char *remove;
	char *purge;
	char *update;
	char *missing;
	bool purge_all;
	bool list;
	bool verbose;
	double trim;
	int pid;
	struct file_cache cache;
	int status;
};

static const struct argp_option option_table[] = {
	{ "add", 'a', "FILE,...", 0, "Add copies of these files", 0 },
	{ "remove", 'r', "FILE,...", 0,
	  "Remove the copies with the build-ids that these files have", 0 },
	{ "purge", 'p', "PATH,...", 0, "Remove all copies of files that had these paths", 0 },
	{ "purge-all", 'P', NULL, 0, "Remove all copies", 0 },
	{ "update", 'u', "FILE,...", 0, "Add these files in the place of earlier copies", 0 },
	{ "missing", 'M', "FILE", 0, "List the files of the recording FILE without a copy", 0 },
	{ "list", 'l', NULL, 0, "List all copies", 0 },
	{ "trim", OPTION_TRIM, "SIZE", 0,
	  "Remove the oldest files that perf record keeps, until they have SIZE", 0 },
	{ "target-ns", OPTION_TARGET_NS, "PID", 0,
	  "The files are those that the process PID has at these paths", 0 },
	{ "force", 'f', NULL, 0, "Also read a recording of another user (always done)", 0 },
	{ "verbose", 'v', NULL, 0, "Say what was done", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct buildid_cache *c = state->input;

	switch (key) {
	case 'a':
		c->add = arg;
		return 0;
	case 'r':
		c->remove = arg;
		return 0;
	case 'p':
		c->purge = arg;
		return 0;
	case 'P':
		c->purge_all = true;
		return 0;
	case 'u':
		c->update = arg;
		return 0;
	case 'M':
		c->missing = arg;
		return 0;
	case 'l':
		c->list = true;
		return 0;
	case OPTION_TRIM:
		c->trim = parse_size(state, "--trim", arg);
		return 0;
	case OPTION_TARGET_NS:
		c->pid = parse_number(state, "--target-ns", arg, 1, INT_MAX);
		return 0;
	case 'f':
		return 0;
	case 'v':
		c->verbose = true;
		return 0;
	case ARGP_KEY_END:
		if (!c->add && !c->remove && !c->purge && !c->update && !c->missing &&
		    !c->purge_all && !c->list && c->trim < 0)
			argp_error(state, "give one of -a, -r, -p, -P, -u, -M, -l and --trim");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

typedef void (*change_fn)(struct buildid_cache *c, const char *path);

/* Call @change for each file of a list that is separated by commas. */
static void change_each_file(struct buildid_cache *c, char *list, change_fn change)
{
	char *path;

	while ((path = strsep(&list, ","))) {
		if (*path)
			change(c, path);
	}
}

static void say(struct buildid_cache *c, const char *what, const char *id, const char *path,
		int ret)
{
	char *line;

	if (ret) {
		complain("%s: %s: %s", path, what, ret == -EFBIG ?
			 "larger than a tenth of the free space" : open_failure(ret));
		c->status = EXIT_FAILED;
	} else if (c->verbose) {
		line = xasprintf("%s %s %s: Ok", what, id, path);
		fput_name(line, stdout);
		putchar('\n');
		free(line);
	}
}

/* Open a file, and read its build-id. Return: a descriptor, or -errno. */
static int open_file(const struct buildid_cache *c, const char *path, char *id)
{
	uint8_t bytes[BUILD_ID_MAX];
	struct stat st;
	int copy, fd = c->pid ? open_in_root(c->pid, path, &st) : open_regular(path);
	ssize_t size;

	if (fd < 0)
		return fd;
	copy = dup(fd);
	size = copy < 0 ? -errno : elf_build_id_of(copy, bytes);
	if (size <= 0) {
		close(fd);
		return size ? size : -ENODATA;
	}
	build_id_hex(bytes, size, id);
	return fd;
}

static void add_file(struct buildid_cache *c, const char *path)
{
	char id[BUILD_ID_TEXT] = "", *real = c->pid ? xstrdup(path) : realpath(path, NULL);
	int fd = open_file(c, path, id), ret = fd;

	if (fd >= 0 && file_cache_has(&c->cache, id, "elf")) {
		if (c->verbose)
			warn("%s: already in the cache", path);
		ret = 0;
	} else if (fd >= 0) {
		const struct cached_file file = {
			.path = real ?: path, .id = id, .kind = "elf", .fd = fd,
			.limit = UINT64_MAX,
		};

		ret = file_cache_add(&c->cache, &file);
		say(c, "Adding", id, path, ret);
	} else {
		say(c, "Adding", id, path, ret);
	}
	if (fd >= 0)
		close(fd);
	free(real);
}

static void remove_file(struct buildid_cache *c, const char *path)
{
	char id[BUILD_ID_TEXT] = "";
	int fd = open_file(c, path, id);

	if (fd >= 0)
		close(fd);
	say(c, "Removing", id, path, fd < 0 ? fd : file_cache_remove(&c->cache, id));
}

static void update_file(struct buildid_cache *c, const char *path)
{
	char id[BUILD_ID_TEXT];
	int fd = open_file(c, path, id);

	if (fd >= 0) {
		file_cache_remove(&c->cache, id);
		close(fd);
	}
	add_file(c, path);
}

/* Remove the entries of one path, or all if @path is NULL. Return: their number. */
static size_t purge(struct buildid_cache *c, const char *path)
{
	struct cache_entry *entries;
	size_t i, nr, removed = 0;
	int ret;

	entries = file_cache_list(&c->cache, &nr);
	for (i = 0; i < nr; i++) {
		if (path && strcmp(entries[i].path, path))
			continue;
		removed++;
		ret = file_cache_remove(&c->cache, entries[i].id);
		say(c, "Removing", entries[i].id, entries[i].path, ret);
	}
	file_cache_free_list(entries, nr);
	return removed;
}

static void purge_path(struct buildid_cache *c, const char *path)
{
	char *real = realpath(path, NULL);

	if (!purge(c, path) && (!real || !purge(c, real)))
		say(c, "Removing", "", path, -ENOENT);
	free(real);
}

static void list_all(const struct buildid_cache *c)
{
	struct cache_entry *entries;
	size_t i, nr;

	entries = file_cache_list(&c->cache, &nr);
	for (i = 0; i < nr; i++) {
		printf("%s ", entries[i].id);
		fput_name(entries[i].path, stdout);
		putchar('\n');
	}
	file_cache_free_list(entries, nr);
}

/* Return true if a file of a recording has a copy of any kind. */
static bool has_copy(const struct buildid_cache *c, const char *id)
{
	static const char *const kinds[] = { "elf", "vdso", "kallsyms", "vmlinux" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (file_cache_has(&c->cache, id, kinds[i]))
			return true;
	}
	return false;
}

static int compare_paths(const void *a, const void *b)
{
	const struct recorded_build_id *x =
		hash_entry(*(struct hash_node *const *)a, struct recorded_build_id, node);
	const struct recorded_build_id *y =
		hash_entry(*(struct hash_node *const *)b, struct recorded_build_id, node);

	return strcmp(x->path, y->path);
}

static void list_missing(const struct buildid_cache *c, const struct data_features *features)
{
	struct hash_node **nodes = hash_table_nodes(&features->build_ids);
	char id[BUILD_ID_TEXT];
	size_t i;

	qsort(nodes, features->build_ids.nr, sizeof(*nodes), compare_paths);
	for (i = 0; i < features->build_ids.nr; i++) {
		const struct recorded_build_id *entry =
			hash_entry(nodes[i], struct recorded_build_id, node);

		build_id_hex(entry->id, entry->size, id);
		if (has_copy(c, id))
			continue;
		printf("%s ", id);
		fput_name(entry->path, stdout);
		putchar('\n');
	}
	free(nodes);
}

static void report_missing(struct buildid_cache *c)
{
	static const struct session_handlers handlers = { 0 };
	struct input_options input = { .path = c->missing };
	struct session session;
	int status = input_open(&session, &input);

	if (!status) {
		/* In a pipe, build-ids are records. */
		if (!data_reader_events(session.reader)->nr)
			session_run(&session, &handlers, NULL);
		list_missing(c, data_reader_features(session.reader));
		status = session_complain(&session);
		session_close(&session);
	}
	if (status)
		c->status = status;
}

/**
 * cmd_buildid_cache - perf buildid-cache
 * @argc: number of strings in @argv
 * @argv: "perf buildid-cache" and its arguments
 *
 * Return: the exit status.
 */
int cmd_buildid_cache(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &buildid_cache_drop_in, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.doc = "Add, remove and list copies of files that reports use after the files are gone.",
		.children = children,
	};
	struct buildid_cache c = { .trim = -1 };
	struct error err;

	parse_arguments(&argp, argc, argv, 0, &c);
	if (file_cache_open(&c.cache, c.add || c.update, &err)) {
		/* A directory that does not exist has no copies. */
		if (errno == ENOENT && !c.remove && !c.purge && !c.missing)
			return 0;
		complain("%s", err.text);
		return EXIT_FAILED;
	}
	if (c.list)
		list_all(&c);
	change_each_file(&c, c.add, add_file);
	change_each_file(&c, c.remove, remove_file);
	change_each_file(&c, c.purge, purge_path);
	if (c.purge_all)
		purge(&c, NULL);
	if (c.missing)
		report_missing(&c);
	change_each_file(&c, c.update, update_file);
	if (c.trim >= 0)
		file_cache_trim(&c.cache, c.trim);
	file_cache_close(&c.cache);
	return c.status;
}
