// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of the files that the descriptors of processes refer to.
 */
#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fd_paths.h"

/**
 * struct fd_table - the descriptors of a process
 * @node: node in the table of processes
 * @pid: process
 * @untrusted: true if its descriptors change in ways that are not recorded
 * @class_known: true if @is_foreign was found
 * @is_foreign: true if the program's pointers have another size than perf's
 * @exited: true if the process has exited
 * @exit_round: round of its exit
 * @sharer: process that perhaps shares the descriptors, since its clone(); 0: none
 * @nr_sharers: number of processes that it has created and that perhaps share its descriptors
 * @entries: entries by descriptor
 */
struct fd_table {
	struct hash_node node;
	uint32_t pid;
	bool untrusted;
	bool class_known;
	bool is_foreign;
	bool exited;
	unsigned int exit_round;
	uint32_t sharer;
	unsigned int nr_sharers;
	struct hash_table entries;
};

/**
 * struct fd_entry - a descriptor
 * @node: node in the table of the process
 * @fd: descriptor
 * @path: path; NULL: /proc did not tell it
 * @survives: true if exec() does not close the descriptor
 */
struct fd_entry {
	struct hash_node node;
	int fd;
	struct fd_path *path;
	bool survives;
};

/* === Paths === */

struct fd_path *fd_path_get(struct fd_path *path)
{
	if (path)
		path->users++;
	return path;
}

void fd_path_put(struct fd_path *path)
{
	if (!path || --path->users)
		return;
	*path->total -= path->size;
	free(path);
}

struct fd_path *fd_path_new(struct fd_paths *paths, const char *bytes, size_t size)
{
	struct fd_path *path = xmalloc(sizeof(*path) + size + 1);

	*path = (struct fd_path){
		.users = 1, .state = FD_PATH_KNOWN, .total = &paths->bytes, .size = size,
	};
	memcpy(path->path, bytes, size);
	path->path[size] = '\0';
	paths->bytes += size;
	return path;
}

void fd_path_print(const struct fd_path *path, FILE *out)
{
	char *safe, *at;

	if (!path || path->state != FD_PATH_KNOWN)
		return;
	safe = escape_name(path->path);
	fputc('<', out);
	/* Escape < and >, so that a path cannot contain the mark of its own end. */
	for (at = safe; *at; at++) {
		if (*at == '<' || *at == '>')
			fprintf(out, "\\x%02x", *at);
		else
			fputc(*at, out);
	}
	fputc('>', out);
	free(safe);
}

void fd_path_print_json(const struct fd_path *path, const char *name, FILE *out)
{
	if (!path || path->state != FD_PATH_KNOWN)
		return;
	fprintf(out, ", \"%s_path\": ", name);
	json_print_bytes(out, path->path, path->size);
}

/* === Tables === */

static struct fd_table *find_table(const struct fd_paths *paths, uint32_t pid)
{
	struct hash_node *node;

	for (node = hash_table_first(&paths->processes, hash_number(pid)); node;
	     node = hash_table_next(node)) {
		struct fd_table *table = hash_entry(node, struct fd_table, node);

		if (table->pid == pid)
			return table;
	}
	return NULL;
}

static struct fd_entry *find_entry(const struct fd_table *table, int fd)
{
	struct hash_node *node;

	for (node = hash_table_first(&table->entries, hash_number(fd)); node;
	     node = hash_table_next(node)) {
		struct fd_entry *entry = hash_entry(node, struct fd_entry, node);

		if (entry->fd == fd)
			return entry;
	}
	return NULL;
}

static void remove_entry(struct fd_paths *paths, struct fd_table *table, struct fd_entry *entry)
{
	struct fd_path *path = entry->path;

	/* /proc may have been read after the descriptor was used again. */
	if (path && path->state == FD_PATH_PENDING && path->pid == table->pid &&
	    path->fd == entry->fd)
		path->state = FD_PATH_WRONG;
	hash_table_remove(&table->entries, &entry->node);
	fd_path_put(path);
	free(entry);
	paths->nr_entries--;
}

/* Remove the entries that @is_removed chooses; NULL chooses all. */
static void remove_entries(struct fd_paths *paths, struct fd_table *table,
			   bool (*is_removed)(const struct fd_entry *entry))
{
	struct hash_node **nodes = hash_table_nodes(&table->entries);
	size_t i, nr = table->entries.nr;

	for (i = 0; i < nr; i++) {
		struct fd_entry *entry = hash_entry(nodes[i], struct fd_entry, node);

		if (!is_removed || is_removed(entry))
			remove_entry(paths, table, entry);
	}
	free(nodes);
}

/* Mark the pending paths of a process as wrong, also those that no entry has any more. */
static void doubt_pending(struct fd_paths *paths, uint32_t pid)
{
	struct fd_path *path;

	for (path = paths->pending; path; path = path->next) {
		if (path->state == FD_PATH_PENDING && path->pid == pid)
			path->state = FD_PATH_WRONG;
	}
}

static void remove_table(struct fd_paths *paths, struct fd_table *table)
{
	remove_entries(paths, table, NULL);
	hash_table_free(&table->entries);
	hash_table_remove(&paths->processes, &table->node);
	free(table);
	paths->nr_entries--;
}

/* Return true if the paths of a table must not be used. */
static bool has_doubts(const struct fd_table *table)
{
	return table->untrusted || table->sharer || table->nr_sharers;
}

static void drop_pending(struct fd_paths *paths)
{
	struct fd_path *path;

	while ((path = paths->pending)) {
		paths->pending = path->next;
		path->next = NULL;
		if (path->state == FD_PATH_PENDING)
			path->state = FD_PATH_WRONG;
		fd_path_put(path);
	}
}

void fd_paths_forget_all(struct fd_paths *paths)
{
	struct hash_node **nodes = hash_table_nodes(&paths->processes);
	size_t i, nr = paths->processes.nr;

	for (i = 0; i < nr; i++) {
		struct fd_table *table = hash_entry(nodes[i], struct fd_table, node);

		/* Keep a table with doubts, see has_doubts(), and remove only its entries. */
		if (has_doubts(table) && !table->exited)
			remove_entries(paths, table, NULL);
		else
			remove_table(paths, table);
	}
	free(nodes);
	drop_pending(paths);
}

/* Forget all paths if they exceed a limit. */
static void limit(struct fd_paths *paths)
{
	if (paths->nr_entries >= FD_ENTRIES_MAX || paths->bytes >= FD_BYTES_MAX)
		fd_paths_forget_all(paths);
}

static struct fd_table *get_table(struct fd_paths *paths, uint32_t pid)
{
	struct fd_table *table = find_table(paths, pid);

	if (table && !table->exited)
		return table;
	if (table)
		remove_table(paths, table);
	table = xcalloc(1, sizeof(*table));
	table->pid = pid;
	hash_table_add(&paths->processes, &table->node, hash_number(pid));
	paths->nr_entries++;
	return table;
}

static void add_entry(struct fd_paths *paths, struct fd_table *table, int fd,
		      struct fd_path *path, bool survives)
{
	struct fd_entry *entry;

	if (table->entries.nr >= FD_PER_PROCESS_MAX)
		remove_entries(paths, table, NULL);
	entry = xcalloc(1, sizeof(*entry));
	entry->fd = fd;
	entry->path = fd_path_get(path);
	entry->survives = survives;
	hash_table_add(&table->entries, &entry->node, hash_number(fd));
	paths->nr_entries++;
}

/* === /proc === */

/* Return true if a program has 32 bits and perf 64, or if the program cannot be read. */
static bool has_other_class(uint32_t pid)
{
	char *path = xasprintf("/proc/%u/exe", pid);
	int fd = open_linked_file(path);
	unsigned char ident[EI_NIDENT] = { 0 };
	bool is_same;

	free(path);
	if (fd < 0)
		return true;
	is_same = read(fd, ident, sizeof(ident)) == sizeof(ident) &&
		  !memcmp(ident, ELFMAG, SELFMAG) &&
		  ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
	close(fd);
	return !is_same;
}

static bool is_foreign(struct fd_table *table)
{
	if (!table->class_known) {
		table->is_foreign = has_other_class(table->pid);
		table->class_known = true;
	}
	return table->is_foreign;
}

/* Read the path of a descriptor. The path is pending then. Return NULL if it cannot be read. */
static struct fd_path *read_path(struct fd_paths *paths, uint32_t pid, uint32_t tid, int fd)
{
	char link[64], bytes[PATH_MAX];
	struct fd_path *path;
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/%u/task/%u/fd/%d", pid, tid, fd);
	size = readlink(link, bytes, sizeof(bytes));
	if (size <= 0)
		return NULL;
	path = fd_path_new(paths, bytes, size);
	path->state = FD_PATH_PENDING;
	path->round = paths->round;
	path->pid = pid;
	path->fd = fd;
	path->next = paths->pending;
	paths->pending = fd_path_get(path);
	return path;
}

struct fd_path *fd_paths_find(struct fd_paths *paths, uint32_t pid, uint32_t tid, int fd,
			      bool knows_arch)
{
	struct fd_table *table;
	struct fd_entry *entry;
	struct fd_path *path;

	if (!paths->enabled || fd < 0 || (!paths->live && !paths->has_closed))
		return NULL;
	limit(paths);
	table = get_table(paths, pid);
	if (has_doubts(table) || (!knows_arch && (!paths->live || is_foreign(table))))
		return NULL;
	entry = find_entry(table, fd);
	if (entry)
		return fd_path_get(entry->path);
	if (!paths->live || paths->frozen)
		return NULL;
	path = read_path(paths, pid, tid, fd);
	add_entry(paths, table, fd, path, false);
	return path;
}

/* === Changes === */

struct fd_path *fd_paths_peek(struct fd_paths *paths, uint32_t pid, int fd)
{
	struct fd_table *table = find_table(paths, pid);
	struct fd_entry *entry = table ? find_entry(table, fd) : NULL;

	return entry ? entry->path : NULL;
}

void fd_paths_set(struct fd_paths *paths, uint32_t pid, int fd, struct fd_path *path,
		  bool survives)
{
	/*
	 * Hold the path: the entry that fd_paths_close() removes may have the only other reference.
	 */
	fd_path_get(path);
	limit(paths);
	fd_paths_close(paths, pid, fd, fd);
	if (path)
		add_entry(paths, get_table(paths, pid), fd, path, survives);
	fd_path_put(path);
}

/* Call @change for each descriptor from @first to @last. */
static void for_range(struct fd_paths *paths, uint32_t pid, uint32_t first, uint32_t last,
		      void (*change)(struct fd_paths *paths, struct fd_table *table,
				     struct fd_entry *entry))
{
	struct fd_table *table = find_table(paths, pid);
	struct hash_node **nodes;
	struct fd_entry *entry;
	size_t i, nr;

	if (!table || first > last)
		return;
	if (first == last) {
		entry = find_entry(table, first);
		if (entry)
			change(paths, table, entry);
		return;
	}
	nodes = hash_table_nodes(&table->entries);
	nr = table->entries.nr;
	for (i = 0; i < nr; i++) {
		entry = hash_entry(nodes[i], struct fd_entry, node);
		if ((uint32_t)entry->fd >= first && (uint32_t)entry->fd <= last)
			change(paths, table, entry);
	}
	free(nodes);
}

void fd_paths_close(struct fd_paths *paths, uint32_t pid, uint32_t first, uint32_t last)
{
	for_range(paths, pid, first, last, remove_entry);
}

static void set_survives(struct fd_paths *paths, struct fd_table *table, struct fd_entry *entry)
{
	(void)paths;
	(void)table;
	entry->survives = true;
}

static void clear_survives(struct fd_paths *paths, struct fd_table *table,
			   struct fd_entry *entry)
{
	(void)paths;
	(void)table;
	entry->survives = false;
}

void fd_paths_survive(struct fd_paths *paths, uint32_t pid, uint32_t first, uint32_t last,
		      bool survives)
{
	for_range(paths, pid, first, last, survives ? set_survives : clear_survives);
}

void fd_paths_forget(struct fd_paths *paths, uint32_t pid)
{
	struct fd_table *table = find_table(paths, pid);

	if (table)
		remove_entries(paths, table, NULL);
	doubt_pending(paths, pid);
}

void fd_paths_distrust(struct fd_paths *paths, uint32_t pid)
{
	fd_paths_forget(paths, pid);
	get_table(paths, pid)->untrusted = true;
}

/* Note that the process does not share the descriptors of another one any more. */
static void end_sharing(struct fd_paths *paths, struct fd_table *table)
{
	struct fd_table *other = table->sharer ? find_table(paths, table->sharer) : NULL;

	table->sharer = 0;
	if (!other)
		return;
	if (other->nr_sharers)
		other->nr_sharers--;
	fd_paths_forget(paths, other->pid);
}

static bool is_closed_by_exec(const struct fd_entry *entry)
{
	return !entry->survives;
}

void fd_paths_exec(struct fd_paths *paths, uint32_t pid)
{
	struct fd_table *table = find_table(paths, pid);

	doubt_pending(paths, pid);
	if (!table)
		return;
	remove_entries(paths, table, has_doubts(table) ? NULL : is_closed_by_exec);
	end_sharing(paths, table);
	table->untrusted = false;
	table->class_known = false;
}

static void copy_entries(struct fd_paths *paths, const struct fd_table *from,
			 struct fd_table *to)
{
	struct hash_node **nodes = hash_table_nodes(&from->entries);
	size_t i, nr = from->entries.nr;

	for (i = 0; i < nr; i++) {
		const struct fd_entry *entry = hash_entry(nodes[i], struct fd_entry, node);

		/* The child's own link may be readable where that of the parent was not. */
		if (entry->path)
			add_entry(paths, to, entry->fd, entry->path, entry->survives);
	}
	free(nodes);
}

void fd_paths_fork(struct fd_paths *paths, uint32_t ppid, uint32_t pid, bool shares)
{
	struct fd_table *child = find_table(paths, pid);
	const struct fd_table *parent;

	if (!paths->enabled)
		return;
	doubt_pending(paths, pid);
	if (child)
		remove_table(paths, child);
	limit(paths);
	if (shares) {
		fd_paths_forget(paths, ppid);
		get_table(paths, ppid)->nr_sharers++;
		get_table(paths, pid)->sharer = ppid;
		return;
	}
	parent = find_table(paths, ppid);
	/* Nothing is known of a table that is shared with a third process. */
	if (parent && !has_doubts(parent))
		copy_entries(paths, parent, get_table(paths, pid));
}

void fd_paths_exit(struct fd_paths *paths, uint32_t pid)
{
	struct fd_table *table = find_table(paths, pid);

	if (!table)
		return;
	end_sharing(paths, table);
	table->exited = true;
	table->exit_round = paths->round;
	if (!paths->live)
		remove_table(paths, table);
}

/* === Rounds === */

void fd_paths_begin_round(struct fd_paths *paths)
{
	paths->round++;
}

static void remove_exited(struct fd_paths *paths)
{
	struct hash_node **nodes = hash_table_nodes(&paths->processes);
	size_t i, nr = paths->processes.nr;

	for (i = 0; i < nr; i++) {
		struct fd_table *table = hash_entry(nodes[i], struct fd_table, node);

		if (table->exited && table->exit_round != paths->round)
			remove_table(paths, table);
	}
	free(nodes);
}

void fd_paths_end_round(struct fd_paths *paths)
{
	struct fd_path **link = &paths->pending, *path;

	while ((path = *link)) {
		if (path->state == FD_PATH_PENDING && path->round == paths->round) {
			link = &path->next;
			continue;
		}
		if (path->state == FD_PATH_PENDING)
			path->state = FD_PATH_KNOWN;
		*link = path->next;
		path->next = NULL;
		fd_path_put(path);
	}
	remove_exited(paths);
}

void fd_paths_free(struct fd_paths *paths)
{
	struct hash_node **nodes = hash_table_nodes(&paths->processes);
	size_t i, nr = paths->processes.nr;

	for (i = 0; i < nr; i++)
		remove_table(paths, hash_entry(nodes[i], struct fd_table, node));
	free(nodes);
	hash_table_free(&paths->processes);
	drop_pending(paths);
}
