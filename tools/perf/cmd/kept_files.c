// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps the files that the samples of a recording hit: walks through the records once more, without
 * looking at functions, and copies the files by build-id.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/machine.h"
#include "symbol/symbol.h"
#include "kept_files.h"
#include "option_values.h"
#include "store_files.h"

/* The number of records between two checks for a pending signal. */
#define RECORDS_PER_LOOK 4096

enum {
	OPTION_ALL = 0x100,
	OPTION_SIZE,
	OPTION_STORE,
};

static const struct argp_option kept_table[] = {
	{ "no-buildid", 'B', NULL, 0, "List no build-ids in the file, and keep no files", 3 },
	{ "no-buildid-cache", 'N', NULL, 0, "Keep no copies of the files that samples hit", 3 },
	{ "buildid-all", OPTION_ALL, NULL, 0, "Keep all files that were mapped", 3 },
	{ "cache-size", OPTION_SIZE, "SIZE", 0,
	  "Size of all copies; the oldest are removed (1G)", 3 },
	{ "self-contained", OPTION_STORE, "WHAT", OPTION_ARG_OPTIONAL,
	  "Put the symbols of the files that samples hit into the file; all: whole files, and their debug files",
	  3 },
	{ 0 }
};

static error_t parse_kept_option(int key, char *arg, struct argp_state *state)
{
	struct kept_options *options = state->input;

	switch (key) {
	case 'B':
		options->no_list = true;
		return 0;
	case 'N':
		options->no_cache = true;
		return 0;
	case OPTION_ALL:
		options->all = true;
		return 0;
	case OPTION_SIZE:
		options->size = parse_size(state, "--cache-size", arg);
		return 0;
	case OPTION_STORE:
		if (arg && strcmp(arg, "symbols") && strcmp(arg, "all"))
			argp_error(state, "--self-contained: '%s' is not symbols or all", arg);
		options->store = true;
		options->store_all = arg && !strcmp(arg, "all");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp kept_argp = {
	.options = kept_table,
	.parser = parse_kept_option,
};

/**
 * struct keeping - the state of one search and copy
 * @options: options of perf record
 * @cache: directory that gets the copies
 * @limit: size of the directory in bytes
 * @nr: number of records so far
 * @nr_lacking: number of files that could not be kept
 * @reason: reason for the first of these
 * @lacking: path of the first of these, or NULL
 * @stored: files for the recording itself
 * @has_callers: samples have call chains or stacks, with callers in code of the files
 * @has_cache: @cache is open
 */
struct keeping {
	const struct kept_options *options;
	struct file_cache cache;
	uint64_t limit;
	uint64_t nr;
	uint64_t nr_lacking;
	int reason;
	char *lacking;
	struct stored_files *stored;
	bool has_callers;
	bool has_cache;
};

static void mark_record(void *context, struct session *session, const struct record *record)
{
	struct keeping *k = context;

	machine_mark_hits(&session->machine, record);
	if (!(++k->nr % RECORDS_PER_LOOK) && foreign_is_ended())
		session->ended = true;
}

static void note_lacking(struct keeping *k, const char *path, int reason)
{
	if (!k->nr_lacking++) {
		k->reason = reason;
		k->lacking = xstrdup(path);
	}
}

/* Copy the contents of @fd to the cache; @fd is closed. */
static void keep(struct keeping *k, const char *path, const char *id, const char *kind, int fd)
{
	const struct cached_file file = {
		.path = path, .id = id, .kind = kind, .fd = fd, .kept = true, .limit = k->limit,
	};
	int ret = file_cache_add(&k->cache, &file);

	if (ret)
		note_lacking(k, path, ret);
	close(fd);
}

/* Keep the debug file that a package has installed for a file. */
static void keep_debug(struct keeping *k, const struct dso *dso, const char *id)
{
	char *path = debug_file_by_id(dso->id, dso->id_size);
	int fd;

	if (!file_cache_has(&k->cache, id, "debug")) {
		fd = open_regular(path);
		if (fd >= 0)
			keep(k, dso->path, id, "debug", fd);
	}
	free(path);
}

static void keep_file(struct keeping *k, struct dso *dso)
{
	char id[BUILD_ID_TEXT];
	int fd = -1;

	if (!dso->id_size)
		fd = user_file_open(dso);
	build_id_hex(dso->id, dso->id_size, id);
	/* Without a build-id, a later report could not tell whether a copy is the file. */
	if (!dso->id_size || file_cache_has(&k->cache, id, "elf")) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (fd < 0)
		fd = user_file_open(dso);
	if (fd < 0) {
		note_lacking(k, dso->path, -ENOENT);
		return;
	}
	keep(k, dso->path, id, "elf", fd);
	keep_debug(k, dso, id);
}

static void keep_vdso(struct keeping *k, const struct dso *dso)
{
	char id[BUILD_ID_TEXT];
	int fd;

	build_id_hex(dso->id, dso->id_size, id);
	if (!dso->id_size || file_cache_has(&k->cache, id, "vdso"))
		return;
	fd = vdso_open();
	if (fd >= 0)
		keep(k, dso->path, id, "vdso", fd);
}

/* Keep the addresses of the kernel and its modules. */
static void keep_kernel(struct keeping *k)
{
	uint8_t bytes[BUILD_ID_MAX];
	ssize_t size = running_kernel_id(bytes);
	char id[BUILD_ID_TEXT];
	int fd;

	if (size <= 0)
		return;
	build_id_hex(bytes, size, id);
	if (file_cache_has(&k->cache, id, "kallsyms"))
		return;
	/* Without permission there are no addresses to keep, and reports have told the user so. */
	fd = kernel_kallsyms_open();
	if (fd >= 0)
		keep(k, KERNEL_NAME, id, "kallsyms", fd);
}

static void keep_dso(struct keeping *k, struct dso *dso)
{
	switch (dso->kind) {
	case DSO_FILE:
		/* A file without a path has no contents that could be found again. */
		if (dso->path[0] == '/' && dso->path[1] != '/')
			keep_file(k, dso);
		break;
	case DSO_VDSO:
		keep_vdso(k, dso);
		break;
	case DSO_KERNEL:
	case DSO_MODULE:
		keep_kernel(k);
		break;
	default:
		break;
	}
}

/* Put the files of a dso into the recording. */
static void store(struct keeping *k, struct dso *dso)
{
	enum store_parts parts = k->has_callers ? STORE_FILES : STORE_SYMBOLS;
	int ret = store_dso(k->stored, dso, k->options->store_all ? STORE_ALL : parts);

	/* Generated code has names only if the program writes them. */
	if (ret && dso->kind != DSO_JIT)
		note_lacking(k, dso->path, ret);
}

static void keep_all(struct keeping *k, struct dso_set *dsos)
{
	struct hash_node **nodes = hash_table_nodes(&dsos->table);
	struct dso *dso;
	size_t i;

	for (i = 0; i < dsos->table.nr; i++) {
		dso = hash_entry(nodes[i], struct dso, node);
		if (!dso->hit && !k->options->all)
			continue;
		if (k->has_cache)
			keep_dso(k, dso);
		if (k->options->store && k->stored)
			store(k, dso);
	}
	free(nodes);
	if (k->has_cache)
		file_cache_trim(&k->cache, k->limit);
}

/* Say which files could not be kept. */
static void say_lacking(const struct keeping *k)
{
	static const char too_large[] =
		"larger than --cache-size, a tenth of the free space, or 200 MiB in a recording";

	if (k->nr_lacking)
		warn("%llu file(s) were not kept for later reports, the first is %s: %s",
		     (unsigned long long)k->nr_lacking, k->lacking,
		     k->reason == -EFBIG ? too_large : open_failure(k->reason));
}

/* Return true if the user has a place for copies. */
static bool has_place(void)
{
	char *path = file_cache_path();
	bool has = path;

	free(path);
	return has;
}

/* Open the cache, unless the user wants none. */
static void open_cache(struct keeping *k, bool quiet)
{
	struct error err;

	if (k->options->no_list || k->options->no_cache || !has_place())
		return;
	k->has_cache = !file_cache_open(&k->cache, true, &err);
	if (!k->has_cache && !quiet)
		warn("the files are not kept for later reports: %s", err.text);
}

static bool has_callers(const struct event_table *events)
{
	const uint64_t parts = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (events->events[i].attr.sample_type & parts)
			return true;
	}
	return false;
}

void kept_files_save(const struct kept_options *options, const char *part,
		     struct stored_files *stored, bool quiet)
{
	static const struct session_handlers handlers = { .record = mark_record };
	static const struct symbol_sources sources = { 0 };
	struct keeping k = {
		.options = options, .limit = options->size ?: (double)FILE_CACHE_SIZE,
		.stored = stored,
	};
	struct session session;
	struct error err;

	if (!part)
		return;
	open_cache(&k, quiet);
	if ((k.has_cache || options->store) && !session_open(&session, part, &sources, &err)) {
		session.machine.no_generated = true;
		session.silent = true;
		k.has_callers = has_callers(data_reader_events(session.reader));
		session_run(&session, &handlers, &k);
		if (!session.ended)
			keep_all(&k, &session.machine.dsos);
		session_close(&session);
	}
	if (k.has_cache)
		file_cache_close(&k.cache);
	if (!quiet)
		say_lacking(&k);
	free(k.lacking);
}
