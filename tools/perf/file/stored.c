// SPDX-License-Identifier: GPL-2.0
/* Files that a recording contains. */
#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "stored.h"

static size_t padded(uint64_t size)
{
	return (size + 7) & ~7ULL;
}

static bool is_file(const struct stored_head *head, enum stored_kind kind, const char *name,
		    const char *path, const uint8_t *id, size_t id_size)
{
	if (head->kind != kind || head->id_size != id_size)
		return false;
	if (id_size)
		return !memcmp(head->id, id, id_size);
	return head->path_size == strlen(path) && !memcmp(name, path, head->path_size);
}

const void *stored_find(const struct stored_files *files, enum stored_kind kind, const char *path,
			const uint8_t *id, size_t id_size, size_t *packed)
{
	struct cursor c = { .at = files->bytes, .left = files->size };
	const void *at, *name, *contents;
	struct stored_head head;

	while (c.left) {
		at = skip(&c, sizeof(head));
		if (!at)
			break;
		memcpy(&head, at, sizeof(head));
		if (head.packed > files->size)
			break;
		name = skip(&c, padded(head.path_size));
		contents = skip(&c, padded(head.packed));
		if (!name || !contents)
			break;
		if (is_file(&head, kind, name, path, id, id_size)) {
			*packed = head.packed;
			return contents;
		}
	}
	return NULL;
}

/* Copy bytes to @to with zeros up to a multiple of 8. Return: the end of the copy. */
static char *put(char *to, const void *bytes, size_t size)
{
	memcpy(to, bytes, size);
	memset(to + size, 0, padded(size) - size);
	return to + padded(size);
}

bool stored_add(struct stored_files *files, const struct stored_head *head, const char *path,
		const void *packed)
{
	uint64_t size = sizeof(*head) + padded(head->path_size) + padded(head->packed);
	char *at;

	if (size > STORED_SIZE_MAX - files->size)
		return false;
	files->bytes = xrealloc(files->bytes, files->size + size);
	at = put((char *)files->bytes + files->size, head, sizeof(*head));
	put(put(at, path, head->path_size), packed, head->packed);
	files->size += size;
	return true;
}
