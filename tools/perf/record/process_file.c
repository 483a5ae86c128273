// SPDX-License-Identifier: GPL-2.0
/*
 * Build-ids of files as a process sees them.
 *
 * /proc/PID/map_files leads to the mapped file itself, even if it was removed or hidden by
 * another mount; only root may use it. /proc/PID/root leads to the file that has the path now;
 * the inode shows whether it is the mapped one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/symbol.h"
#include "process_file.h"

struct known_file {
	struct hash_node node;
	uint32_t maj, min;
	uint64_t ino;
	ssize_t size;
	uint8_t id[BUILD_ID_MAX];
};

static uint64_t hash_file(const struct mmap2_fields *m)
{
	return hash_mix(hash_mix(hash_number(m->ino), m->maj), m->min);
}

static struct known_file *find_known(const struct process_files *files,
				     const struct mmap2_fields *m)
{
	struct hash_node *node = hash_table_first(&files->known, hash_file(m));

	for (; node; node = hash_table_next(node)) {
		struct known_file *known = hash_entry(node, struct known_file, node);

		if (known->ino == m->ino && known->maj == m->maj && known->min == m->min)
			return known;
	}
	return NULL;
}

static int open_mapped(const struct mmap2_fields *m)
{
	char *path = xasprintf("/proc/%u/map_files/%llx-%llx", m->pid,
			       (unsigned long long)m->addr,
			       (unsigned long long)(m->addr + m->len));
	int fd = open_linked_file(path);

	free(path);
	return fd;
}

static int open_below_root(const struct mmap2_fields *m)
{
	char *path = xasprintf("/proc/%u/root%s", m->pid, m->filename);
	struct stat st;
	int fd = open_no_link(path, &st);

	free(path);
	if (fd >= 0 && st.st_ino != m->ino) {
		close(fd);
		fd = -ESTALE;
	}
	return fd;
}

static ssize_t read_build_id(const struct mmap2_fields *m, uint8_t id[BUILD_ID_MAX])
{
	int fd = open_mapped(m);

	if (fd < 0)
		fd = open_below_root(m);
	return fd < 0 ? fd : elf_build_id_of(fd, id);
}

ssize_t process_file_build_id(struct process_files *files, const struct mmap2_fields *m,
			      uint8_t id[BUILD_ID_MAX])
{
	struct known_file *known = find_known(files, m);

	if (!known) {
		known = xcalloc(1, sizeof(*known));
		known->maj = m->maj;
		known->min = m->min;
		known->ino = m->ino;
		known->size = read_build_id(m, known->id);
		hash_table_add(&files->known, &known->node, hash_file(m));
	}
	memcpy(id, known->id, BUILD_ID_MAX);
	return known->size;
}

ssize_t process_path_build_id(uint32_t pid, const char *path, uint8_t id[BUILD_ID_MAX])
{
	char *root = xasprintf("/proc/%u/root", pid), *inside = xasprintf("%s%s", root, path);
	bool runs = pid && !access(root, X_OK);
	ssize_t size = elf_build_id(runs ? inside : path, id);

	free(inside);
	free(root);
	return size;
}

static void free_known(struct hash_node *node)
{
	free(hash_entry(node, struct known_file, node));
}

void process_files_free(struct process_files *files)
{
	hash_table_free_all(&files->known, free_known);
}
