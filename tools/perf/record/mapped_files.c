// SPDX-License-Identifier: GPL-2.0
/* The files with executable mappings in a recording, and their build-ids. */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "symbol/symbol.h"
#include "process_file.h"
#include "mapped_files.h"

/**
 * struct mapped_file - a file, or several files, with one name
 * @node: node in the set, by name
 * @kernel: the file is the kernel or a module
 * @several: files with different build-ids had the name, in containers or one after the other
 * @id: build-id that came with a mapping
 * @id_size: size of @id; 0: no mapping had one
 * @pid: process that last mapped it without a build-id; 0: none
 * @name: name of the file
 */
struct mapped_file {
	struct hash_node node;
	bool kernel;
	bool several;
	uint8_t id[BUILD_ID_MAX];
	size_t id_size;
	uint32_t pid;
	char name[];
};

static struct mapped_file *find_file(const struct mapped_files *files, uint64_t hash,
				     const char *name)
{
	struct hash_node *node = hash_table_first(&files->names, hash);

	for (; node; node = hash_table_next(node)) {
		struct mapped_file *file = hash_entry(node, struct mapped_file, node);

		if (!strcmp(file->name, name))
			return file;
	}
	return NULL;
}

static struct mapped_file *get_file(struct mapped_files *files, const char *name, bool kernel)
{
	uint64_t hash = hash_string(name);
	struct mapped_file *file = find_file(files, hash, name);

	if (file)
		return file;
	file = xcalloc(1, sizeof(*file) + strlen(name) + 1);
	memcpy(file->name, name, strlen(name));
	file->kernel = kernel;
	hash_table_add(&files->names, &file->node, hash);
	return file;
}

static bool has_id(const struct mapped_file *file, const uint8_t *id, size_t size)
{
	return file->id_size == size && !memcmp(file->id, id, size);
}

static void note_id(struct mapped_file *file, const uint8_t *id, size_t size)
{
	if (!file->id_size) {
		memcpy(file->id, id, size);
		file->id_size = size;
	}
	file->several |= !has_id(file, id, size);
}

void mapped_files_note(struct mapped_files *files, const struct perf_event_header *record)
{
	const struct mmap2_fields *m = (const struct mmap2_fields *)record;
	const uint8_t *id = (const uint8_t *)&m->maj;
	struct mapped_file *file;
	const char *name;
	bool kernel;

	if (record->type != PERF_RECORD_MMAP && record->type != PERF_RECORD_MMAP2)
		return;
	name = mmap_filename(record);
	if (!name)
		return;
	if (record->type == PERF_RECORD_MMAP2 && !(m->prot & PROT_EXEC))
		return;
	kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	file = get_file(files, name, kernel);
	if (record->type != PERF_RECORD_MMAP2 || !(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		file->pid = m->pid;
	else if (*id && *id <= BUILD_ID_MAX)
		note_id(file, id + sizeof(uint32_t), *id);
}

static ssize_t notes_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	size_t size;
	char *notes = read_text_file(path, &size);
	ssize_t n = notes ? build_id_of_notes(notes, size, id) : -1;

	free(notes);
	return n;
}

/*
 * Read the build-id of a loaded module from sysfs, as its file may be compressed.
 * "a/nf-nat.ko.xz" is the module nf_nat.
 */
static ssize_t module_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path + 1;
	char *notes_path, *name, *c;
	ssize_t n;

	name = xstrndup(base, strcspn(base, ".]"));
	for (c = name; *c; c++) {
		if (*c == '-')
			*c = '_';
	}
	notes_path = xasprintf("/sys/module/%s/notes/.note.gnu.build-id", name);
	n = notes_build_id(notes_path, id);
	free(notes_path);
	free(name);
	return n;
}

/*
 * Read the build-id of the vdso of perf itself: all processes have the same vdso, and it has no
 * file.
 */
static ssize_t vdso_build_id(uint8_t id[BUILD_ID_MAX])
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
	const Elf64_Phdr *segment;
	ssize_t n = -1;
	int i;

	if (!image)
		return -1;
	segment = (const ElfW(Phdr) *)(image + header->e_phoff);
	for (i = 0; i < header->e_phnum && n <= 0; i++) {
		if (segment[i].p_type == PT_NOTE)
			n = build_id_of_notes(image + segment[i].p_offset, segment[i].p_filesz, id);
	}
	return n;
}

static ssize_t find_build_id(const struct mapped_file *file, uint8_t id[BUILD_ID_MAX])
{
	if (!strncmp(file->name, KERNEL_NAME, strlen(KERNEL_NAME)))
		return notes_build_id("/sys/kernel/notes", id);
	if (file->kernel)
		return module_build_id(file->name, id);
	if (!strcmp(file->name, "[vdso]"))
		return vdso_build_id(id);
	return file->name[0] == '/' ? process_path_build_id(file->pid, file->name, id) : -1;
}

/*
 * Return the build-id that all files of one name have. If a mapping came without one, the file
 * is read. If a file differs or cannot be read, no build-id is used.
 */
static ssize_t single_build_id(const struct mapped_file *file, uint8_t id[BUILD_ID_MAX])
{
	ssize_t n;

	if (file->several)
		return 0;
	if (file->id_size && !file->pid) {
		memcpy(id, file->id, file->id_size);
		return file->id_size;
	}
	n = find_build_id(file, id);
	return n > 0 && file->id_size && !has_id(file, id, n) ? 0 : n;
}

void mapped_files_write_build_ids(const struct mapped_files *files, struct data_writer *w)
{
	struct hash_node **nodes = hash_table_nodes(&files->names);
	uint8_t id[BUILD_ID_MAX];
	const char *name;
	ssize_t n;
	size_t i;

	for (i = 0; i < files->names.nr; i++) {
		struct mapped_file *file = hash_entry(nodes[i], struct mapped_file, node);

		n = single_build_id(file, id);
		if (n <= 0)
			continue;
		name = file->name;
		if (!strncmp(name, KERNEL_NAME, strlen(KERNEL_NAME)))
			name = KERNEL_NAME;
		data_writer_add_build_id(w, file->kernel, name, id, n);
	}
	free(nodes);
}

static void free_mapped_file(struct hash_node *node)
{
	free(hash_entry(node, struct mapped_file, node));
}

void mapped_files_free(struct mapped_files *files)
{
	hash_table_free_all(&files->names, free_mapped_file);
}
