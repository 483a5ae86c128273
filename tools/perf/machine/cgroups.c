// SPDX-License-Identifier: GPL-2.0
/* Names of control groups, by the numbers in samples. */
#include <stdlib.h>

#include "cgroups.h"

/**
 * struct cgroup - a control group
 * @node: node in the table, by @id
 * @id: number in the records of the kernel
 * @path: path below the mount point; interned
 */
struct cgroup {
	struct hash_node node;
	uint64_t id;
	const char *path;
};

static struct cgroup *find(const struct cgroups *cgroups, uint64_t id)
{
	struct hash_node *node;

	for (node = hash_table_first(&cgroups->table, hash_number(id)); node;
	     node = hash_table_next(node)) {
		struct cgroup *cgroup = hash_entry(node, struct cgroup, node);

		if (cgroup->id == id)
			return cgroup;
	}
	return NULL;
}

void cgroups_add(struct cgroups *cgroups, uint64_t id, const char *path)
{
	struct cgroup *cgroup = find(cgroups, id);
	char *safe = escape_name(path);

	if (!cgroup) {
		cgroup = xcalloc(1, sizeof(*cgroup));
		cgroup->id = id;
		hash_table_add(&cgroups->table, &cgroup->node, hash_number(id));
	}
	cgroup->path = intern(&cgroups->paths, safe);
	free(safe);
}

const char *cgroups_path(struct cgroups *cgroups, uint64_t id)
{
	const struct cgroup *cgroup = find(cgroups, id);

	return cgroup ? cgroup->path : intern(&cgroups->paths, "unknown");
}

static void free_cgroup(struct hash_node *node)
{
	free(hash_entry(node, struct cgroup, node));
}

void cgroups_free(struct cgroups *cgroups)
{
	hash_table_free_all(&cgroups->table, free_cgroup);
	intern_free(&cgroups->paths);
}
