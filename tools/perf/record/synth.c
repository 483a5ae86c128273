// SPDX-License-Identifier: GPL-2.0
/* Synthesized records of what existed before recording began, made from /proc. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "file/file.h"
#include "symbol/symbol.h"
#include "util/util.h"
#include "synth.h"

/* The size of a name in an MMAP record with its NUL; the kernel has the same limit. */
#define NAME_SIZE 4096

/* A buffer for one record, aligned to u64 as in a ring. */
union record_buffer {
	struct perf_event_header header;
	uint64_t words[(NAME_SIZE + 256) / sizeof(uint64_t)];
};

/* Finish a record with @size bytes of fields, and pass it to the sink. */
static void emit(struct synth *s, union record_buffer *r, uint32_t type, uint16_t misc, size_t size)
{
	size_t id = record_id_size(s->sample_type);

	memset((char *)r + size, 0, id);
	r->header.type = type;
	r->header.misc = misc;
	r->header.size = size + id;
	if (!s->status)
		s->status = s->sink(s->context, r, r->header.size);
}

/* Append a name, padded to u64, to a record. Return: the size of the record. */
static size_t put_name(union record_buffer *r, char *at, const char *name)
{
	size_t length = strnlen(name, NAME_SIZE - 1);
	size_t padded = (length + sizeof(uint64_t)) / sizeof(uint64_t) * sizeof(uint64_t);

	memset(at, 0, padded);
	memcpy(at, name, length);
	return at - (char *)r + padded;
}

/* Pass on a mapping of the kernel: it belongs to no process, so its pid is -1. */
static void emit_kernel_mmap(struct synth *s, uint64_t addr, uint64_t len, uint64_t pgoff,
			     const char *name)
{
	union record_buffer r;
	struct mmap_fields *m = (struct mmap_fields *)&r;
	size_t size;

	m->pid = -1;
	m->tid = 0;
	m->addr = addr;
	m->len = len;
	m->pgoff = pgoff;
	size = put_name(&r, m->filename, name);
	emit(s, &r, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, size);
}

/*
 * Find the start and end of the kernel's text. A line of kallsyms, of which there are about
 * 100,000, is "ffffffff81000000 T _text".
 */
static void scan_kallsyms(FILE *kallsyms, uint64_t text_size, uint64_t *start, uint64_t *end)
{
	char line[1024], *name;

	*start = 0;
	*end = 0;
	while (!(*start && *end) && fgets(line, sizeof(line), kallsyms)) {
		name = strrchr(line, ' ');
		if (!name)
			continue;
		if (!strcmp(name, " _text\n")) {
			*start = strtoull(line, NULL, 16);
			if (*start && text_size)
				*end = *start + text_size;
		} else if (!strcmp(name, " _etext\n")) {
			*end = strtoull(line, NULL, 16);
		}
	}
}

bool synth_kernel(struct synth *s, FILE *kallsyms, uint64_t text_size)
{
	uint64_t start, end;

	scan_kallsyms(kallsyms, text_size, &start, &end);
	if (!start || end <= start)
		return false;
	/* Readers derive the kernel's relocation from the name and the offset. */
	emit_kernel_mmap(s, start, end - start, start, KERNEL_NAME "_text");
	return true;
}

void synth_modules(struct synth *s, const char *modules, const char *directory)
{
	char *dep_path = xasprintf("%s/modules.dep", directory);
	char *dep = read_text_file(dep_path, NULL);
	const char *line = modules;
	char name[64], *path;
	unsigned long long addr, size;

	/* A line is "nf_nat 57344 1 nft_chain_nat, Live 0xffffffffc0512000". */
	while (line && *line) {
		if (sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &size, &addr) == 3 && addr) {
			path = module_path(dep, directory, name);
			emit_kernel_mmap(s, addr, size, 0, path);
			free(path);
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	free(dep);
	free(dep_path);
}

static void emit_comm(struct synth *s, pid_t pid, pid_t tid, const char *comm)
{
	union record_buffer r;
	struct comm_fields *c = (struct comm_fields *)&r;
	size_t size;

	c->pid = pid;
	c->tid = tid;
	size = put_name(&r, c->comm, comm);
	emit(s, &r, PERF_RECORD_COMM, 0, size);
}

static void emit_fork(struct synth *s, pid_t pid, pid_t ppid, pid_t tid, pid_t ptid)
{
	union record_buffer r;
	struct task_fields *t = (struct task_fields *)&r;

	t->pid = pid;
	t->ppid = ppid;
	t->tid = tid;
	t->ptid = ptid;
	t->time = 0;
	/* The child does not inherit the mappings that follow: mark the fork as one with exec. */
	emit(s, &r, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, sizeof(*t));
}

void synth_cgroup(struct synth *s, uint64_t id, const char *path)
{
	union record_buffer r;
	struct cgroup_fields *c = (struct cgroup_fields *)&r;
	size_t size;

	c->id = id;
	size = put_name(&r, c->path, path);
	emit(s, &r, PERF_RECORD_CGROUP, 0, size);
}

static void synth_namespaces(struct synth *s, pid_t pid, pid_t tid)
{
	/* The names in the order of the *_NS_INDEX in <linux/perf_event.h>. */
	static const char *const names[NR_NAMESPACES] = {
		"net", "uts", "ipc", "pid", "user", "mnt", "cgroup",
	};
	union record_buffer r;
	struct namespaces_fields *n = (struct namespaces_fields *)&r;
	size_t i, size = NR_NAMESPACES * sizeof(n->links[0]);
	struct stat st;
	char *path;

	n->pid = pid;
	n->tid = tid;
	n->nr = NR_NAMESPACES;
	memset(n->links, 0, size);
	for (i = 0; i < NR_NAMESPACES; i++) {
		path = xasprintf("/proc/%d/task/%d/ns/%s", pid, tid, names[i]);
		if (!stat(path, &st)) {
			n->links[i].dev = st.st_dev;
			n->links[i].ino = st.st_ino;
		}
		free(path);
	}
	emit(s, &r, PERF_RECORD_NAMESPACES, 0, sizeof(*n) + size);
}

static uint32_t prot_of(const char *perms)
{
	return (perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0) |
	       (perms[2] == 'x' ? PROT_EXEC : 0);
}

/* Replace "\012", the kernel's escape for a newline in a name. */
static void unescape_newlines(char *name)
{
	char *out = name;

	while (*name) {
		if (!strncmp(name, "\\012", 4)) {
			*out++ = '\n';
			name += 4;
		} else {
			*out++ = *name++;
		}
	}
	*out = '\0';
}

/*
 * Store the build-id in the place of the inode, as the kernel does. Return: the bit for misc.
 */
static uint16_t put_build_id(struct synth *s, struct mmap2_fields *m)
{
	uint8_t id[BUILD_ID_MAX], *at = (uint8_t *)&m->maj;
	ssize_t size;

	if (!s->files || m->filename[0] != '/' || m->filename[1] == '/')
		return 0;
	size = process_file_build_id(s->files, m, id);
	if (size <= 0)
		return 0;
	memset(at, 0, offsetof(struct mmap2_fields, prot) - offsetof(struct mmap2_fields, maj));
	at[0] = size;
	memcpy(at + sizeof(uint32_t), id, size);
	return PERF_RECORD_MISC_MMAP_BUILD_ID;
}

/* Synthesize a mapping: "55d0c000-55d0d000 r-xp 00002000 fd:01 1234    /usr/bin/cat". */
static void synth_map(struct synth *s, pid_t pid, const char *line, size_t length)
{
	union record_buffer r;
	struct mmap2_fields *m = (struct mmap2_fields *)&r;
	char *text = xstrndup(line, length);
	unsigned long long start, end, pgoff, ino;
	char perms[5];
	uint16_t misc;
	size_t size;
	int name = 0;
	bool code;

	memset(m, 0, sizeof(*m));
	if (sscanf(text, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &pgoff, &m->maj,
		   &m->min, &ino, &name) < 7 || (perms[2] != 'x' && !s->data)) {
		free(text);
		return;
	}
	code = perms[2] == 'x';
	m->pid = pid;
	m->tid = pid;
	m->addr = start;
	m->len = end - start;
	m->pgoff = pgoff;
	m->ino = ino;
	m->prot = prot_of(perms);
	m->flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	unescape_newlines(text + name);
	size = put_name(&r, m->filename, text[name] ? text + name : "//anon");
	misc = code ? put_build_id(s, m) : PERF_RECORD_MISC_MMAP_DATA;
	emit(s, &r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | misc, size);
	free(text);
}

void synth_maps(struct synth *s, pid_t pid, const char *maps)
{
	size_t length;

	for (; *maps; maps += length + !!maps[length]) {
		length = strcspn(maps, "\n");
		synth_map(s, pid, maps, length);
	}
}

void synth_thread(struct synth *s, pid_t pid, pid_t tid)
{
	char *path = xasprintf("/proc/%d/task/%d/comm", pid, tid);
	char *comm = read_text_file(path, NULL);
	size_t length;

	free(path);
	if (!comm)
		return;
	length = strlen(comm);
	if (length && comm[length - 1] == '\n')
		comm[length - 1] = '\0';
	if (tid != pid)
		emit_fork(s, pid, pid, tid, pid);
	emit_comm(s, pid, tid, comm);
	if (s->namespaces)
		synth_namespaces(s, pid, tid);
	free(comm);
}

static void synth_threads(struct synth *s, pid_t pid)
{
	struct int_list tids = { 0 };
	size_t i;

	proc_list_threads(pid, &tids);
	for (i = 0; i < tids.nr; i++)
		synth_thread(s, pid, tids.values[i]);
	int_list_free(&tids);
}

void synth_command(struct synth *s, pid_t pid)
{
	synth_thread(s, pid, pid);
}

void synth_process(struct synth *s, pid_t pid)
{
	pid_t ppid = proc_status(pid, "PPid");
	char *maps_path = xasprintf("/proc/%d/maps", pid);
	char *maps = read_text_file(maps_path, NULL);

	/* A process that has exited is left out. */
	if (ppid >= 0) {
		emit_fork(s, pid, ppid, pid, ppid);
		synth_threads(s, pid);
	}
	if (maps)
		synth_maps(s, pid, maps);
	free(maps);
	free(maps_path);
}

void synth_all_processes(struct synth *s)
{
	struct int_list pids = { 0 };
	size_t i;

	int_list_add_entries(&pids, "/proc");
	for (i = 0; i < pids.nr; i++)
		synth_process(s, pids.values[i]);
	int_list_free(&pids);
}
