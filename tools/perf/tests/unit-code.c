// SPDX-License-Identifier: GPL-2.0
/* Code of an image of memory, as /proc/kcore is one, and of damaged files. */
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/symbol.h"
#include "unit.h"

#define TEXT 0xffffffff81000000ULL
#define TEXT_OFFSET 0x1000
#define TEXT_SIZE 0x2000

/* Make an image with a note and one segment. Return: its descriptor. */
static int make_image(uint64_t offset, uint64_t size)
{
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(header), .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
	};
	Elf64_Phdr segments[2] = {
		{ .p_type = PT_NOTE, .p_vaddr = TEXT, .p_filesz = TEXT_SIZE },
		{ .p_type = PT_LOAD, .p_vaddr = TEXT, .p_offset = offset, .p_filesz = size },
	};
	uint8_t text[TEXT_SIZE];
	int fd = memfd_create("image", MFD_CLOEXEC);
	size_t i;

	for (i = 0; i < sizeof(text); i++)
		text[i] = i % 251;
	if (pwrite(fd, &header, sizeof(header), 0) < 0 ||
	    pwrite(fd, segments, sizeof(segments), sizeof(header)) < 0 ||
	    pwrite(fd, text, sizeof(text), TEXT_OFFSET) < 0)
		die("cannot write the file");
	return fd;
}

static int read_code(struct code *code, uint64_t offset, uint64_t filesz, uint64_t addr,
		     uint64_t size, struct error *err)
{
	int fd = make_image(offset, filesz), ret;

	memset(code, 0, sizeof(*code));
	err->text[0] = '\0';
	ret = code_read_elf(code, fd, "image", addr, size, err);
	close(fd);
	return ret;
}

static void test_image(void)
{
	struct error err;
	struct code code;

	check(!read_code(&code, TEXT_OFFSET, TEXT_SIZE, TEXT + 260, 16, &err),
	      "code of an image of memory is read");
	check_number(code.size, 16, "all of it");
	check(code.bytes && code.bytes[0] == 9 && code.bytes[15] == 24, "from its place");
	check(code.addr == TEXT + 260 && code.machine == EM_X86_64 && code.wide && !code.big,
	      "with its address and its architecture");
	code_free(&code);
	check(!read_code(&code, TEXT_OFFSET, TEXT_SIZE, TEXT + TEXT_SIZE - 4, 16, &err),
	      "code at the end of a segment is read");
	check_number(code.size, 4, "up to the end");
	code_free(&code);
}

static void test_damage(void)
{
	struct error err;
	struct code code;
	int fd;

	check(read_code(&code, TEXT_OFFSET, TEXT_SIZE, TEXT + TEXT_SIZE, 16, &err),
	      "an address behind the segment is refused");
	check_string(err.text, "image: no section or segment has the function", "with the reason");
	code_free(&code);
	check(read_code(&code, 1 << 20, TEXT_SIZE, TEXT, 16, &err),
	      "a segment behind the end of the file is refused");
	check_string(err.text, "image: cannot read the code: the file ends before it",
		     "with the reason");
	code_free(&code);
	check(read_code(&code, UINT64_MAX - 8, UINT64_MAX, TEXT + 4, 16, &err),
	      "an offset that the kernel does not take is refused");
	code_free(&code);
	check(!read_code(&code, TEXT_OFFSET, UINT64_MAX - TEXT, TEXT, UINT64_MAX, &err),
	      "a function of any size is read");
	check(code.cut && code.size == TEXT_SIZE, "as far as the file has it, and marked as cut");
	code_free(&code);
	fd = memfd_create("text", MFD_CLOEXEC);
	memset(&code, 0, sizeof(code));
	check(code_read_elf(&code, fd, "text", TEXT, 16, &err), "an empty file is refused");
	check_string(err.text, "text: not an ELF file", "with the reason");
	close(fd);
}

int main(void)
{
	test_image();
	test_damage();
	return unit_finish();
}
