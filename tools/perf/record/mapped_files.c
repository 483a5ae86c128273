// SPDX-License-Identifier: GPL-2.0
/*
 * The files whose code is mapped in a recording, and their build-ids.
 */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "elf_file.h"
#include "mapped_files.h"

/* What the kernel's own mapping is called; a symbol of it follows. */
#define KERNEL_NAME "[kernel.kallsyms]"

struct mapped_file {
	struct hash_node node;
	bool kernel;
	char name[];
};

/* Where the name is in the records: see enum perf_event_type in <linux/perf_event.h>. */
#define MMAP_NAME	(sizeof(struct perf_event_header) + 32)
#define MMAP2_NAME	(sizeof(struct perf_event_header) + 64)
#define MMAP2_PROT	(sizeof(struct perf_event_header) + 56)

static bool is_known(const struct mapped_files *files, uint64_t hash, const char *name)
{
	struct hash_node *node = hash_table_first(&files->names, hash);

	for (; node; node = hash_table_next(node)) {
		if (!strcmp(hash_entry(node, struct mapped_file, node)->name, name))
			return true;
	}
	return false;
}

static void add(struct mapped_files *files, const char *name, bool kernel)
{
	uint64_t hash = hash_string(name);
	struct mapped_file *file;

	if (is_known(files, hash, name))
		return;
	file = xcalloc(1, sizeof(*file) + strlen(name) + 1);
	memcpy(file->name, name, strlen(name));
	file->kernel = kernel;
	hash_table_add(&files->names, &file->node, hash);
}

void mapped_files_note(struct mapped_files *files, const struct perf_event_header *record)
{
	const char *bytes = (const char *)record;
	size_t at = record->type == PERF_RECORD_MMAP ? MMAP_NAME : MMAP2_NAME;
	bool kernel;
	uint32_t prot;

	if ((record->type != PERF_RECORD_MMAP && record->type != PERF_RECORD_MMAP2) ||
	    record->size <= at || !memchr(bytes + at, '\0', record->size - at))
		return;
	if (record->type == PERF_RECORD_MMAP2) {
		/* The record has the build-id itself. */
		if (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
			return;
		memcpy(&prot, bytes + MMAP2_PROT, sizeof(prot));
		if (!(prot & PROT_EXEC))
			return;
	}
	kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	add(files, bytes + at, kernel);
}

static ssize_t notes_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	size_t size;
	char *notes = read_text_file(path, &size);
	ssize_t n = notes ? build_id_of_notes(notes, size, id) : -1;

	free(notes);
	return n;
}

/* The file may be compressed; the loaded module tells as well. "a/nf-nat.ko.xz" is nf_nat. */
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

/* The vdso is in no file, but everybody has the same one; here is ours. */
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

/* Only regular files are opened: opening a device can have consequences. */
static ssize_t file_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	return elf_build_id(path, id);
}

static ssize_t find_build_id(const struct mapped_file *file, uint8_t id[BUILD_ID_MAX])
{
	if (!strncmp(file->name, KERNEL_NAME, strlen(KERNEL_NAME)))
		return notes_build_id("/sys/kernel/notes", id);
	if (file->kernel)
		return module_build_id(file->name, id);
	if (!strcmp(file->name, "[vdso]"))
		return vdso_build_id(id);
	return file->name[0] == '/' ? file_build_id(file->name, id) : -1;
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

		n = find_build_id(file, id);
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
