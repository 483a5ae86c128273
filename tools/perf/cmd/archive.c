// SPDX-License-Identifier: GPL-2.0
/* perf archive: the files that a recording needs, packed for another machine. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine/machine.h"
#include "symbol/symbol.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"
#include "kept_files.h"

#define SYMBOLS_TAR "perf.symbols.tar.bz2"

enum {
	OPTION_ALL = 0x100,
	OPTION_UNPACK,
	OPTION_EXCLUDE,
};

/* Maximum size of a list of build-ids, in bytes. */
#define LIST_SIZE_MAX (16 << 20)

struct archive {
	const char *file;
	const char *exclude;	/* file with a list of build-ids, or NULL */
	char *excluded;		/* its contents */
	bool all;
	bool unpack;
};

static const struct argp_option option_table[] = {
	{ "all", OPTION_ALL, NULL, 0, "Also pack the recording, into perf.all-HOST-TIME.tar.bz2",
	  0 },
	{ "unpack", OPTION_UNPACK, NULL, 0, "Unpack FILE that perf archive has made", 0 },
	{ "exclude-buildids", OPTION_EXCLUDE, "FILE", 0, "Leave out the build-ids listed in FILE",
	  0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct archive *a = state->input;

	switch (key) {
	case OPTION_ALL:
		a->all = true;
		return 0;
	case OPTION_UNPACK:
		a->unpack = true;
		return 0;
	case OPTION_EXCLUDE:
		a->exclude = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->file)
			return ARGP_ERR_UNKNOWN;
		a->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (a->unpack && !a->file)
			argp_error(state, "--unpack needs the file to unpack");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Run tar with the names in @names on its standard input. Return: 0, or EXIT_FAILED. */
static int run_tar(const char *const argv[], const char *names, size_t size)
{
	posix_spawn_file_actions_t actions;
	int fd = memfd_create("names", MFD_CLOEXEC), status = 0, ret;
	pid_t pid;

	if (fd < 0 || write(fd, names, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET)) {
		complain("no memory for the list of files: %s", strerror(errno));
		return EXIT_FAILED;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
	ret = posix_spawnp(&pid, "tar", &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fd);
	if (ret) {
		complain("cannot run tar: %s; install tar and bzip2", strerror(ret));
		return EXIT_FAILED;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		complain("tar failed; its message is above, it needs bzip2");
		return EXIT_FAILED;
	}
	return 0;
}

/* Print the names of the files of a build-id, each with a NUL. Return: true if it has any. */
static bool print_names(const struct file_cache *cache, const char *id, FILE *out)
{
	static const char *const kinds[] = { "elf", "debug", "vdso", "kallsyms", "vmlinux" };
	char *name;
	int entry = file_cache_entry(cache, id, &name);
	bool any = false;
	size_t i;

	if (entry < 0)
		return false;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (faccessat(entry, kinds[i], R_OK, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!any)
			fprintf(out, ".build-id/%.2s/%s%c", id, id + 2, '\0');
		fprintf(out, "%s/%s/%s%c", name, id, kinds[i], '\0');
		any = true;
	}
	close(entry);
	free(name);
	return any;
}

/* Print the names of all files of a recording that have a copy. Return: their number. */
static size_t print_all_names(const struct archive *a, const struct file_cache *cache,
			      const struct data_features *features, FILE *out)
{
	struct hash_node **nodes = hash_table_nodes(&features->build_ids);
	char id[BUILD_ID_TEXT];
	size_t i, nr = 0;

	for (i = 0; i < features->build_ids.nr; i++) {
		const struct recorded_build_id *entry =
			hash_entry(nodes[i], struct recorded_build_id, node);

		build_id_hex(entry->id, entry->size, id);
		if (!a->excluded || !strstr(a->excluded, id))
			nr += print_names(cache, id, out);
	}
	free(nodes);
	return nr;
}

/* Return the names of the copies of a recording, which the caller frees; NULL if there are none. */
static char *find_names(const struct archive *a, const struct file_cache *cache, size_t *size)
{
	static const struct session_handlers handlers = { 0 };
	struct input_options input = { .path = a->file };
	struct session session;
	char *names = NULL;
	size_t nr;
	FILE *out;

	if (input_open(&session, &input))
		return NULL;
	if (!data_reader_events(session.reader)->nr)
		session_run(&session, &handlers, NULL);
	out = open_memstream(&names, size);
	if (!out)
		die("out of memory");
	nr = print_all_names(a, cache, data_reader_features(session.reader), out);
	fclose(out);
	session_close(&session);
	if (nr)
		return names;
	complain("%s: no file of it has a copy in %s", a->file, cache->path);
	free(names);
	return NULL;
}

/* Pack the recording and the tar of its files into one tar. */
static int pack_all(const struct archive *a, const char *symbols)
{
	char host[256] = "host", when[32], *tar;
	time_t now = time(NULL);
	int status;

	gethostname(host, sizeof(host) - 1);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime(&now));
	tar = xasprintf("perf.all-%s-%s.tar.bz2", host, when);
	status = run_tar((const char *const[]){ "tar", "-cjf", tar, "--", a->file, symbols, NULL },
			 "", 0);
	unlink(symbols);
	if (!status)
		printf("%s has the recording and its files; on the other machine:\n\n  $ perf archive --unpack %s\n",
		       tar, tar);
	free(tar);
	return status;
}

/*
 * Put files of the directory of copies into a tar: @names has their names, a NUL after each, @size
 * bytes in all.
 */
static int pack_copies(const struct file_cache *cache, const char *tar, const char *names,
		       size_t size)
{
	const char *const words[] = { "tar", "-cjf", tar, "-C", cache->path, "--no-recursion",
				      "--null", "-T", "-", NULL };

	return run_tar(words, names, size);
}

static int pack(const struct archive *a, const struct file_cache *cache)
{
	char *tar, *names;
	int status = EXIT_FAILED;
	size_t size;

	names = find_names(a, cache, &size);
	if (!names)
		return EXIT_FAILED;
	tar = a->all ? xstrdup(SYMBOLS_TAR) : xasprintf("%s.tar.bz2", a->file);
	status = pack_copies(cache, tar, names, size);
	free(names);
	if (!status && a->all)
		status = pack_all(a, tar);
	else if (!status)
		printf("%s has the files of the recording; on the other machine:\n\n  $ perf archive --unpack %s\n",
		       tar, tar);
	free(tar);
	return status;
}

/* Unpack files into the directory of copies; those that are there already stay as they are. */
static int unpack_copies(const struct file_cache *cache, const char *tar)
{
	return run_tar((const char *const[]){ "tar", "-xf", tar, "-C", cache->path,
					      "--skip-old-files", "--no-same-owner", NULL }, "", 0);
}

static int unpack_archive(const struct archive *a, const struct file_cache *cache)
{
	const char *const words[] = { "tar", "-xf", a->file, "--keep-old-files",
				      "--no-same-owner", NULL };
	const char *base = strrchr(a->file, '/') ? strrchr(a->file, '/') + 1 : a->file;
	int status;

	if (strncmp(base, "perf.all", strlen("perf.all")))
		return unpack_copies(cache, a->file);
	/* A recording in the archive does not replace a file that exists. */
	status = run_tar(words, "", 0);
	if (status)
		return status;
	status = unpack_copies(cache, SYMBOLS_TAR);
	unlink(SYMBOLS_TAR);
	return status;
}

/**
 * cmd_archive - perf archive
 * @argc: number of strings in @argv
 * @argv: "perf archive" and its arguments
 *
 * Return: the exit status.
 */
int cmd_archive(int argc, char **argv)
{
	static const struct argp_child children[] = { { &plain_drop_in, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[FILE]",
		.doc = "Pack copies of the files that a recording (perf.data) hit, for a report on another machine.",
		.children = children,
	};
	const struct kept_options kept = { 0 };
	struct archive a = { 0 };
	struct file_cache cache;
	struct error err;
	int status;

	parse_arguments(&argp, argc, argv, 0, &a);
	if (!a.file)
		a.file = "perf.data";
	if (a.exclude) {
		a.excluded = foreign_text(a.exclude, LIST_SIZE_MAX, NULL);
		if (!a.excluded) {
			complain("%s: %s", a.exclude, strerror(errno));
			return EXIT_FAILED;
		}
	}
	/* Keep the files of a recording of this machine that are not kept yet. */
	if (!a.unpack)
		kept_files_save(&kept, a.file, NULL, true);
	if (file_cache_open(&cache, true, &err)) {
		complain("%s", err.text);
		free(a.excluded);
		return EXIT_FAILED;
	}
	status = a.unpack ? unpack_archive(&a, &cache) : pack(&a, &cache);
	file_cache_close(&cache);
	free(a.excluded);
	return status;
}
