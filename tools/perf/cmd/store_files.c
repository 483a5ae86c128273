// SPDX-License-Identifier: GPL-2.0
/* Puts files that a recording hit into the recording: perf record --self-contained. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/symbol.h"
#include "store_files.h"

/* Store the contents of @fd, which is closed. Return: 0 or -errno. */
static int store(struct stored_files *files, enum stored_kind kind, const char *path,
		 const uint8_t *id, size_t id_size, int fd)
{
	struct stored_head head = {
		.kind = kind, .id_size = id_size, .path_size = strlen(path),
	};
	size_t packed;
	void *bytes;
	int ret;

	if (fd < 0)
		return fd == -1 ? -ENOENT : fd;
	bytes = stored_pack(fd, &packed);
	close(fd);
	if (!bytes)
		return -EFBIG;
	memcpy(head.id, id, id_size);
	head.packed = packed;
	ret = stored_add(files, &head, path, bytes) ? 0 : -EFBIG;
	free(bytes);
	return ret;
}

/* Replace @fd by a copy with the symbols alone, unless the whole file is wanted. */
static int reduce(int fd, bool whole)
{
	int symbols;

	if (fd < 0 || whole)
		return fd;
	symbols = stored_symbols_of(fd);
	close(fd);
	return symbols;
}

static int store_file(struct stored_files *files, struct dso *dso, enum store_parts parts)
{
	int fd = user_file_open(dso), ret;
	char *debug;

	ret = store(files, STORED_ELF, dso->path, dso->id, dso->id_size,
		    reduce(fd, parts != STORE_SYMBOLS));
	if (ret || !dso->id_size)
		return ret;
	debug = debug_file_by_id(dso->id, dso->id_size);
	fd = open_regular(debug);
	free(debug);
	return fd < 0 ? 0 : store(files, STORED_DEBUG, dso->path, dso->id, dso->id_size,
				  reduce(fd, parts == STORE_ALL));
}

/* Store the addresses of the kernel and its modules once. */
static int store_kernel(struct stored_files *files)
{
	uint8_t id[BUILD_ID_MAX];
	ssize_t size = running_kernel_id(id);
	size_t packed;

	if (size <= 0 || stored_find(files, STORED_KALLSYMS, "", id, size, &packed))
		return 0;
	return store(files, STORED_KALLSYMS, KERNEL_NAME, id, size, kernel_kallsyms_open());
}

int store_dso(struct stored_files *files, struct dso *dso, enum store_parts parts)
{
	switch (dso->kind) {
	case DSO_FILE:
		if (dso->path[0] != '/' || dso->path[1] == '/')
			return 0;
		return store_file(files, dso, parts);
	case DSO_VDSO:
		return store(files, STORED_ELF, dso->path, dso->id, dso->id_size, vdso_open());
	case DSO_KERNEL:
	case DSO_MODULE:
		return store_kernel(files);
	case DSO_JIT:
		return store(files, STORED_PERF_MAP, dso->path, NULL, 0, jit_map_open(dso));
	default:
		return 0;
	}
}
