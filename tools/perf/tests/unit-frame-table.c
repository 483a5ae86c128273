// SPDX-License-Identifier: GPL-2.0
/*
 * Call frame information: the rules of this program's and of the C library's functions are those
 * that libdw reads, and damaged information is read within its bounds.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unwind/frame_program.h"
#include "unwind/frame_table.h"
#include "unit.h"

#define SELF "/proc/self/exe"

/* Only on this architecture does the program have the frames that the tests expect. */
#ifdef __x86_64__
#define IS_X86 1
#else
#define IS_X86 0
#endif

/* x86_64 */
#define NR_REGISTERS 17
#define STACK_POINTER 7

static uint64_t state = 1;

/* Return a number below @limit: always the same ones. */
static uint64_t draw(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* Return true if @ops are those of @rule. @nr counts a DW_OP_stack_value at the end. */
static bool same_ops(const struct frame_rule *rule, const Dwarf_Op *ops, size_t nr)
{
	size_t i;

	if (nr && ops[nr - 1].atom == DW_OP_stack_value && rule->kind == FRAME_EXPRESSION)
		nr--;
	if (nr != rule->nr_ops)
		return false;
	for (i = 0; i < nr; i++) {
		if (ops[i].atom != rule->ops[i].atom || ops[i].number != rule->ops[i].number ||
		    ops[i].number2 != rule->ops[i].number2)
			return false;
	}
	return true;
}

static bool same_cfa(const struct frame_rule *rule, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr))
		return false;
	if (rule->kind != FRAME_IN_REGISTER)
		return rule->kind == FRAME_EXPRESSION && same_ops(rule, ops, nr);
	if (nr == 1 && ops->atom == DW_OP_bregx)
		return ops->number == rule->base && (int64_t)ops->number2 == rule->offset;
	return nr == 1 && ops->atom == (uint8_t)(DW_OP_breg0 + rule->base) &&
	       (int64_t)ops->number == rule->offset;
}

/* Return the offset from the CFA of a location that begins with the CFA. */
static int64_t offset_of(const Dwarf_Op *ops, size_t nr)
{
	return nr > 1 && ops[1].atom == DW_OP_plus_uconst ? (int64_t)ops[1].number : 0;
}

static bool same_location(const struct frame_rule *rule, const Dwarf_Op *ops, size_t nr)
{
	switch (rule->kind) {
	case FRAME_AT_CFA:
		return ops->atom == DW_OP_call_frame_cfa && nr <= 2 &&
		       offset_of(ops, nr) == rule->offset;
	case FRAME_CFA:
		return ops->atom == DW_OP_call_frame_cfa &&
		       ops[nr - 1].atom == DW_OP_stack_value &&
		       offset_of(ops, nr) == rule->offset;
	case FRAME_IN_REGISTER:
		return ops->atom == DW_OP_regx ? ops->number == rule->base :
						 ops->atom == DW_OP_reg0 + rule->base;
	case FRAME_LOST:
		return false;
	default:
		return same_ops(rule, ops, nr);
	}
}

static bool same_register(const struct frame_row *row, Dwarf_Frame *frame, unsigned int number)
{
	const struct frame_rule *rule = NULL;
	Dwarf_Op memory[3], *ops;
	size_t i, nr;

	for (i = 0; i < row->nr_rules; i++) {
		if (row->rules[i].target == number)
			rule = &row->rules[i];
	}
	if (dwarf_frame_register(frame, number, memory, &ops, &nr))
		return false;
	if (nr)
		return rule ? same_location(rule, ops, nr) : number == STACK_POINTER;
	/* Without a rule, libdw decides by the ABI whether a call changes the register. */
	if (!rule)
		return true;
	if (ops)
		return rule->kind == FRAME_LOST;
	return rule->kind == FRAME_IN_REGISTER && rule->base == number;
}

static bool same_row(const struct frame_row *row, Dwarf_Frame *frame)
{
	unsigned int i;
	bool signal;

	if (dwarf_frame_info(frame, NULL, NULL, &signal) != row->return_register ||
	    signal != row->signal || !row->known || !same_cfa(&row->cfa, frame))
		return false;
	for (i = 0; i < NR_REGISTERS; i++) {
		if (!same_register(row, frame, i))
			return false;
	}
	return true;
}

/* Compare the rules at some instructions of a function. Return the number of those that differ. */
static unsigned long compare_fde(const struct frame_table *table, const struct frame_fde *fde,
				 Dwarf_CFI *cfi, unsigned long *nr)
{
	struct frame_function function;
	unsigned long differ = 0;
	uint64_t at, step;

	step = fde->size / 8 + 1;
	for (at = fde->start; at < fde->start + fde->size; at += 1 + draw(step)) {
		struct frame_row *row = NULL;
		Dwarf_Frame *frame;

		if (dwarf_cfi_addrframe(cfi, at, &frame))
			continue;
		if (frame_table_find(table, at, &function))
			row = frame_program_row(&function, at, NR_REGISTERS);
		if (!row || !same_row(row, frame)) {
			printf("# %#lx: other rules\n", (unsigned long)at);
			differ++;
		}
		frame_row_free(row);
		free(frame);
		++*nr;
	}
	return differ;
}

/* Compare the rules of all FDEs of a file with those of libdw. */
static void test_file(const char *path, const char *what)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned long nr = 0, differ = 0;
	struct frame_table table;
	struct frame_file file;
	Dwarf_CFI *cfi;
	Elf *elf;
	size_t i;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	cfi = dwarf_getcfi_elf(elf);
	frame_file_read(&file, path);
	frame_table_make(&table, &file.eh_frame, true, file.word);
	for (i = 0; cfi && i < table.nr && differ < 10; i++)
		differ += compare_fde(&table, &table.fdes[i], cfi, &nr);
	check(table.nr > 100 && nr > table.nr && !differ, "%s: the rules are those of libdw", what);
	printf("# %zu functions, %lu instructions, %lu differ\n", table.nr, nr, differ);
	frame_table_free(&table);
	frame_file_free(&file);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
}

/* Find the path of the C library of this program. Return false if it has none. */
static bool find_libc(char path[256])
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	bool found = false;

	while (!found && fgets(line, sizeof(line), maps))
		found = strstr(line, "/libc.so.6") &&
			sscanf(line, "%*s %*s %*s %*s %*s %255s", path) == 1;
	fclose(maps);
	return found;
}

/* Look up rules at random addresses, and at the ends of functions. Return their number. */
static unsigned long look_up(const struct frame_table *table)
{
	struct frame_function function;
	unsigned long nr = 0;
	struct frame_row *row;
	unsigned int i;
	uint64_t addr;

	for (i = 0; i < 40; i++) {
		addr = draw(1UL << 20);
		if (table->nr) {
			const struct frame_fde *fde = &table->fdes[draw(table->nr)];

			addr = fde->start + (i % 2 ? fde->size - 1 : draw(fde->size));
		}
		if (!frame_table_find(table, addr, &function))
			continue;
		row = frame_program_row(&function, addr, 1 + draw(FRAME_REGISTERS));
		nr += !!row;
		frame_row_free(row);
	}
	return nr;
}

/*
 * Read a section that ends where memory ends, with some bytes changed, and shortened. A read beyond
 * its end is a segmentation fault.
 */
static void test_damage(const struct frame_section *good, bool is_eh, const char *what)
{
	size_t page = sysconf(_SC_PAGESIZE), size = (good->size + page - 1) / page * page;
	uint8_t *room = mmap(NULL, size + page, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long rows = 0;
	unsigned int i, k;

	if (room == MAP_FAILED || mprotect(room + size, page, PROT_NONE))
		abort();
	for (i = 0; i < 2000; i++) {
		struct frame_section section = { .addr = good->addr };
		struct frame_table table;

		section.size = i % 4 ? good->size : draw(good->size);
		section.bytes = room + size - section.size;
		memcpy(section.bytes, good->bytes, section.size);
		for (k = draw(16); section.size && k; k--)
			section.bytes[draw(section.size)] = draw(4) ? draw(256) : 0xff;
		frame_table_make(&table, &section, is_eh, i % 16 ? 8 : 4);
		rows += look_up(&table);
		frame_table_free(&table);
	}
	check(rows > 2000, "%s: damage is no reason to read beyond the end", what);
	munmap(room, size + page);
}

/* Change the entries of .eh_frame to those of .debug_frame, where CIEs are named in another way. */
static void make_debug_frame(struct frame_section *section)
{
	uint32_t length, id;
	size_t at;

	for (at = 0; at + 8 <= section->size; at += 4 + length) {
		memcpy(&length, section->bytes + at, sizeof(length));
		if (!length)
			return;
		memcpy(&id, section->bytes + at + 4, sizeof(id));
		id = id ? at + 4 - id : UINT32_MAX;
		memcpy(section->bytes + at + 4, &id, sizeof(id));
	}
}

/* Write a damaged copy of a file, and read its sections. */
static void test_damaged_files(void)
{
	char path[] = "/tmp/unit-frame-table-XXXXXX";
	int fd = open(SELF, O_RDONLY | O_CLOEXEC), copy = mkstemp(path);
	off_t size = lseek(fd, 0, SEEK_END), at;
	unsigned int i, with = 0;
	struct frame_file file;
	Elf64_Ehdr header;
	size_t headers;
	uint8_t *bytes;

	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED || write(copy, bytes, size) != size)
		abort();
	memcpy(&header, bytes, sizeof(header));
	headers = header.e_shnum * sizeof(Elf64_Shdr);
	for (i = 0; i < 1000; i++) {
		uint8_t byte = draw(3) ? draw(256) : 0xff;

		at = draw(2) ? (off_t)draw(sizeof(header) + 12 * sizeof(Elf64_Phdr)) :
			       (off_t)(header.e_shoff + draw(headers));
		if (pwrite(copy, &byte, 1, at) != 1)
			abort();
		frame_file_read(&file, path);
		with += file.eh_frame.size > 0;
		frame_file_free(&file);
		if (pwrite(copy, bytes + at, 1, at) != 1)
			abort();
	}
	check(with > 500, "files with damaged headers are read");
	/* Without section headers, .eh_frame_hdr leads to .eh_frame. */
	header.e_shnum = 0;
	if (pwrite(copy, &header, sizeof(header), 0) != sizeof(header))
		abort();
	test_file(path, "a file without section headers");
	if (ftruncate(copy, header.e_shoff / 2))
		abort();
	frame_file_read(&file, path);
	frame_file_free(&file);
	munmap(bytes, size);
	unlink(path);
	close(copy);
	close(fd);
}

/* A section of more than the maximum size, which is a hole in its file, is not read. */
static void test_large_section(void)
{
	char path[] = "/tmp/unit-frame-table-XXXXXX";
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr names, frames;
		char text[16];
	} bytes = {
		.header = {
			.e_ident = ELFMAG "\2\1\1", .e_machine = EM_X86_64,
			.e_shoff = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 2,
		},
		.names = {
			.sh_type = SHT_STRTAB, .sh_name = 10, .sh_size = 16,
			.sh_offset = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Shdr),
		},
		.frames = {
			.sh_type = SHT_PROGBITS, .sh_offset = 4096,
			.sh_size = FRAME_SECTION_MAX + 1,
		},
		.text = ".eh_frame",
	};
	int fd = mkstemp(path);
	struct frame_file file;

	if (write(fd, &bytes, sizeof(bytes)) != sizeof(bytes) ||
	    ftruncate(fd, 4096 + FRAME_SECTION_MAX + 1))
		abort();
	frame_file_read(&file, path);
	check_number(file.eh_frame.size, 0, "a section that is too large is not read");
	frame_file_free(&file);
	bytes.frames.sh_size = 4096;
	if (pwrite(fd, &bytes, sizeof(bytes), 0) != sizeof(bytes))
		abort();
	frame_file_read(&file, path);
	check_number(file.eh_frame.size, 4096, "a smaller section of the same file is");
	frame_file_free(&file);
	unlink(path);
	close(fd);
}

/* A program that takes longer than any compiler's, and one that remembers too much. */
static void test_long_programs(void)
{
	static uint8_t nops[20000];
	struct frame_function function = { .return_register = 16, .word = 8 };
	uint8_t start[] = { DW_CFA_def_cfa, STACK_POINTER, 8 };
	uint8_t remember[] = { [0 ... 99] = DW_CFA_remember_state };
	struct frame_row *row;

	function.common = (struct frame_bytes){ .at = start, .end = start + sizeof(start) };
	function.own = (struct frame_bytes){ .at = nops, .end = nops + 1000 };
	row = frame_program_row(&function, 0, NR_REGISTERS);
	check(row && row->known && row->cfa.offset == 8,
	      "a program of 1,000 operations is executed");
	frame_row_free(row);
	function.own.end = nops + sizeof(nops);
	check(!frame_program_row(&function, 0, NR_REGISTERS),
	      "a program of 20,000 operations is not");
	function.own = (struct frame_bytes){ .at = remember, .end = remember + sizeof(remember) };
	check(!frame_program_row(&function, 0, NR_REGISTERS), "100 states are not remembered");
}

/* Compare this program's own files with libdw, and damage them. */
static void test_own_files(void)
{
	char path[256];

	test_file(SELF, "this program");
	if (find_libc(path))
		test_file(path, "the C library");
	else
		check(true, "the C library # SKIP this program is static");
	test_damaged_files();
}

int main(void)
{
	struct frame_file file;

	if (IS_X86)
		test_own_files();
	frame_file_read(&file, SELF);
	test_damage(&file.eh_frame, true, ".eh_frame");
	make_debug_frame(&file.eh_frame);
	test_damage(&file.eh_frame, false, ".debug_frame");
	frame_file_free(&file);
	test_large_section();
	test_long_programs();
	return unit_finish();
}
