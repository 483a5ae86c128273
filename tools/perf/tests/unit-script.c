// SPDX-License-Identifier: GPL-2.0
/*
 * Which records perf script shows when it is asked for more than samples.
 */
#include <fcntl.h>
#include <unistd.h>

#include "builtin.h"
#include "data_file.h"
#include "made_records.h"
#include "unit.h"

static char path[64], shown[64];
static char *recorded_by[1] = { (char *)"perf" };

static void put_kernel(struct bytes *b, uint32_t type)
{
	begin(b, type, 0);
	put64(b, type == PERF_RECORD_BPF_EVENT ? 1 : 0xffffffff81000000);
	put64(b, 0);
	if (type == PERF_RECORD_KSYMBOL || type == PERF_RECORD_CGROUP)
		put_string(b, "name");
	put_id(b, 1, 1, 1000, 1);
	end(b);
}

static void put_id_only(struct bytes *b, uint32_t type)
{
	begin(b, type, 0);
	put_id(b, 1, 1, 1000, 1);
	end(b);
}

/* A record of each type that an option shows. */
static bool make_recording(void)
{
	struct data_event event = { .name = "cpu-clock" };
	struct data_writer *w;
	static struct bytes b;
	struct error err;

	simple_attr(&event.attr);
	put_task(&b, PERF_RECORD_EXIT, 1, 1, 1, 1, 1000, 1);
	put_munmap(&b, PERF_RECORD_MISC_USER, 1, 0x1000, 0x1000, "/lib/a", 1000, 1);
	put_id_only(&b, PERF_RECORD_SWITCH);
	put_kernel(&b, PERF_RECORD_CGROUP);
	put_kernel(&b, PERF_RECORD_KSYMBOL);
	put_kernel(&b, PERF_RECORD_BPF_EVENT);
	put_kernel(&b, PERF_RECORD_TEXT_POKE);
	put_lost(&b, 1, 1000, 1);
	w = data_writer_open(path, &event, 1, 1, recorded_by, &err);
	return w && !data_writer_write(w, b.data, b.size) && !data_writer_close(w);
}

/* The types that perf script shows, in one line. */
static void shown_with(char *option, char *types, size_t size)
{
	char *argv[5] = { (char *)"script", (char *)"-i", path, option };
	int out = dup(STDOUT_FILENO), fd = open(shown, O_WRONLY | O_TRUNC);
	char line[256], *at;
	FILE *file;

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	cmd_script(4, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);

	file = fopen(shown, "r");
	*types = '\0';
	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, "PERF_RECORD_");
		if (!at)
			continue;
		at += strlen("PERF_RECORD_");
		snprintf(types + strlen(types), size - strlen(types), "%.*s ",
			 (int)strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), at);
	}
	if (file)
		fclose(file);
}

int main(void)
{
	static char options[][32] = {
		"--show-task-events", "--show-mmap-events", "--show-switch-events",
		"--show-cgroup-events", "--show-bpf-events", "--show-text-poke-events",
		"--show-lost-events", "--show-namespace-events",
	};
	static const char *const types[] = {
		"EXIT ", "MUNMAP ", "SWITCH ", "CGROUP ", "KSYMBOL BPF_EVENT ", "TEXT_POKE ",
		"LOST ", "",
	};
	char got[256];
	size_t i;

	snprintf(path, sizeof(path), "/tmp/perf-unit-script-XXXXXX");
	snprintf(shown, sizeof(shown), "%s", path);
	close(mkstemp(path));
	close(mkstemp(shown));
	check(make_recording(), "a recording");
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		shown_with(options[i], got, sizeof(got));
		check_string(got, types[i], options[i]);
	}
	unlink(path);
	unlink(shown);
	return unit_finish();
}
