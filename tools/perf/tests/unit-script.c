// SPDX-License-Identifier: GPL-2.0
/* The records that each option of perf script shows, and the text of samples with all fields. */
#include <fcntl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "record/writer.h"
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

/* Make a record of each type that an option shows. */
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
	return w && !data_writer_write(w, b.data, b.size) && !data_writer_close(w, NULL, &err);
}

/* Return the output of perf script as a stream. */
static FILE *run_script(char *option, char *arg)
{
	char *argv[6] = { (char *)"script", (char *)"-i", path, option, arg };
	int out = dup(STDOUT_FILENO), fd = open(shown, O_WRONLY | O_TRUNC);

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	cmd_script(arg ? 5 : 4, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	return fopen(shown, "r");
}

/* Return the types that perf script shows, in one line. */
static void shown_with(char *option, char *types, size_t size)
{
	FILE *file = run_script(option, NULL);
	char line[256], *at;

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

/* Make a sample with all fields that -F prints; @nr gives two samples different values. */
static void put_full_sample(struct bytes *b, uint64_t nr)
{
	begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(b, 0x400000 + nr);	/* IP */
	put32(b, 1);			/* TID */
	put32(b, 1);
	put64(b, 1000 + nr);		/* TIME */
	put64(b, 0xadd0 + nr);		/* ADDR */
	put64(b, 2);			/* REGS_USER: AX, XMM0 */
	put64(b, 0xa);
	put64(b, 0xb);
	put32(b, 70000 + nr);		/* WEIGHT_STRUCT */
	put16(b, 5);
	put16(b, 6);
	/* DATA_SRC: a load that hit L1; the second sample has an unknown access */
	put64(b, nr ? 1 : 0x68100142);
	put64(b, !nr);			/* REGS_INTR: IP, R8; the second sample has none */
	if (!nr) {
		put64(b, 0xc);
		put64(b, 0xd);
	}
	put64(b, 0x12345000 + nr);	/* PHYS_ADDR */
	put64(b, nr ? 2 << 20 : 0);	/* DATA_PAGE_SIZE */
	put64(b, 1 << 30 >> (nr * 18));	/* CODE_PAGE_SIZE */
	end(b);
}

static bool make_full_recording(void)
{
	struct data_event event = { .name = "cpu-clock" };
	struct data_writer *w;
	static struct bytes b;
	struct error err;

	simple_attr(&event.attr);
	event.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_USER |
				 PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
				 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR |
				 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
	event.attr.sample_regs_user = 1 | 1ULL << 32;
	event.attr.sample_regs_intr = 1 << 8 | 1 << 16;
	put_full_sample(&b, 0);
	put_full_sample(&b, 1);
	w = data_writer_open(path, &event, 1, 1, recorded_by, &err);
	return w && !data_writer_write(w, b.data, b.size) && !data_writer_close(w, NULL, &err);
}

static void check_field(const char *field, const char *first, const char *second)
{
	char name[32], lines[2][256] = { "", "" };
	FILE *file;

	snprintf(name, sizeof(name), "%s", field);
	file = run_script((char *)"-F", name);
	if (!file || !fgets(lines[0], sizeof(lines[0]), file) ||
	    !fgets(lines[1], sizeof(lines[1]), file))
		check(false, "-F %s prints two lines", field);
	lines[0][strcspn(lines[0], "\n")] = '\0';
	lines[1][strcspn(lines[1], "\n")] = '\0';
	check_string(lines[0], first, field);
	check_string(lines[1], second, field);
	if (file)
		fclose(file);
}

/* The expected text is that of Debian 12's perf. */
static void test_fields(void)
{
	/* Without this, the earlier file would be kept as .old. */
	unlink(path);
	check(make_full_recording(), "a recording of full samples is made");
	check_field("addr", "            add0", "            add1");
	check_field("weight", "           70000", "           70001");
	check_field("ins_lat", "               5", "               5");
	check_field("data_src",
		    "        68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A",
		    "               1 |OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A              ");
	check_field("iregs", " ABI:1    IP:0xc    R8:0xd ", "");
	check_field("uregs", " ABI:2    AX:0xa  XMM0:0xb ", " ABI:2    AX:0xa  XMM0:0xb ");
	check_field("phys_addr", "        12345000", "        12345001");
	check_field("data_page_size", " N/A", " 2M");
	check_field("code_page_size", " 1024M", " 4K");
	check_field("ip,iregs,phys_addr",
		    "           400000 ABI:1    IP:0xc    R8:0xd         12345000",
		    "           400001        12345001");
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
	test_fields();
	unlink(path);
	unlink(shown);
	return unit_finish();
}
