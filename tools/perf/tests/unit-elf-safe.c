// SPDX-License-Identifier: GPL-2.0
/*
 * ELF files that are made to crash, stop or fill the reader: they are refused, or read within their
 * budgets. A file that is cut off while it is read keeps its contents.
 */
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "symbol/elf_raw.h"
#include "symbol/symbol.h"
#include "symbol/unpack.h"
#include "unit.h"

static char directory[32] = "/tmp/perf-unit-elf-safe-XXXXXX";

#define GIB (1ULL << 30)
#define NR_SECTIONS_MAX 8
/* Offset in a made file of the contents of its sections. */
#define CONTENTS 4096

/**
 * struct made - an ELF file to be written
 * @header: header; the rest is filled in
 * @sections: sections; the first is empty, the second has the names
 * @nr: number of @sections
 * @names: names of the sections
 * @names_size: size of @names
 * @notes: a segment of notes
 */
struct made {
	Elf64_Ehdr header;
	Elf64_Shdr sections[NR_SECTIONS_MAX];
	size_t nr;
	char names[256];
	size_t names_size;
	Elf64_Phdr notes;
};

static void begin(struct made *m)
{
	memset(m, 0, sizeof(*m));
	memcpy(m->header.e_ident, ELFMAG, SELFMAG);
	m->header.e_ident[EI_CLASS] = ELFCLASS64;
	m->header.e_ident[EI_DATA] = ELFDATA2LSB;
	m->header.e_ident[EI_VERSION] = EV_CURRENT;
	m->header.e_type = ET_DYN;
	m->header.e_machine = EM_X86_64;
	m->header.e_version = EV_CURRENT;
	m->header.e_ehsize = sizeof(m->header);
	m->header.e_phentsize = sizeof(Elf64_Phdr);
	m->header.e_shentsize = sizeof(Elf64_Shdr);
	m->names_size = 1;
	m->nr = 1;
}

static Elf64_Shdr *add(struct made *m, const char *name, uint32_t type, uint64_t offset,
		       uint64_t size)
{
	Elf64_Shdr *section = &m->sections[m->nr++];

	*section = (Elf64_Shdr){ .sh_name = m->names_size, .sh_type = type, .sh_offset = offset,
				 .sh_size = size, .sh_addralign = 1 };
	m->names_size += sprintf(m->names + m->names_size, "%s", name) + 1;
	return section;
}

static void put(int fd, const void *bytes, size_t size, off_t at)
{
	if (pwrite(fd, bytes, size, at) != (ssize_t)size)
		abort();
}

/*
 * Write the file: its header, the segment, the headers and the names of the sections. Then the file
 * is extended to @size. Return: a descriptor.
 */
static int make(struct made *m, const char *name, uint64_t size)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);

	if (m->notes.p_type) {
		m->header.e_phoff = sizeof(m->header);
		m->header.e_phnum = 1;
		put(fd, &m->notes, sizeof(m->notes), sizeof(m->header));
	}
	if (m->nr > 1) {
		Elf64_Shdr *names = add(m, ".shstrtab", SHT_STRTAB, 2048, 0);

		names->sh_size = m->names_size;
		m->header.e_shoff = 512;
		if (!m->header.e_shnum)
			m->header.e_shnum = m->nr;
		m->header.e_shstrndx = m->nr - 1;
		put(fd, m->sections, m->nr * sizeof(*m->sections), 512);
		put(fd, m->names, m->names_size, 2048);
	}
	put(fd, &m->header, sizeof(m->header), 0);
	/*
	 * The owner and the group may change the file, as is possible for a file of another user.
	 */
	if (ftruncate(fd, size) || fchmod(fd, 0666))
		abort();
	return fd;
}

/* Check that a file is refused, with a reason that contains @reason. */
static void refused(const char *name, const char *reason, const char *what)
{
	struct error err = { "" };
	int fd = elf_safe_open(name, &err);

	if (!check(fd == -1 && strstr(err.text, reason), "%s", what))
		printf("#   descriptor %d, reason: %s\n", fd, err.text);
	if (fd >= 0)
		close(fd);
	if (fd != -1)
		return;
	struct elf_file file = { 0 };

	check(elf_file_load(&file, name, &err) < 0, "%s: no symbols", what);
	elf_file_free(&file);
}

/* Without a section or a note of a build-id, 1 TB of empty notes is not walked through. */
static void test_notes(void)
{
	uint8_t id[BUILD_ID_MAX];
	struct made m;

	begin(&m);
	m.notes = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = CONTENTS, .p_filesz = 1024 * GIB };
	close(make(&m, "notes", CONTENTS + 1024 * GIB));
	check_number(elf_build_id("notes", id), 0, "a terabyte of empty notes has no build-id");
	refused("notes", "larger than the budget", "a file of a terabyte is refused");
	close(make(&m, "notes", CONTENTS + 200));
	refused("notes", "its notes are larger", "notes beyond the budget are refused");

	begin(&m);
	add(&m, ".note", SHT_NOTE, CONTENTS, 1024 * GIB);
	close(make(&m, "notes", CONTENTS + 1024 * GIB));
	check_number(elf_build_id("notes", id), 0,
		     "a section with a terabyte of empty notes has no build-id");
}

static void test_build_id(void)
{
	static const struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[4];
	} note = { { 4, 4, NT_GNU_BUILD_ID }, "GNU", { 1, 2, 3, 4 } };
	uint8_t id[BUILD_ID_MAX] = { 0 };
	struct made m;
	int fd;

	begin(&m);
	m.notes = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = CONTENTS,
				.p_filesz = sizeof(note) };
	fd = make(&m, "id", CONTENTS + sizeof(note));
	put(fd, &note, sizeof(note), CONTENTS);
	close(fd);
	check(elf_build_id("id", id) == 4 && !memcmp(id, note.id, 4),
	      "the build-id of a segment is found");
	begin(&m);
	add(&m, ".text", SHT_PROGBITS, CONTENTS, 0);
	add(&m, ".note.gnu.build-id", SHT_NOTE, CONTENTS, sizeof(note));
	fd = make(&m, "id", CONTENTS + sizeof(note));
	put(fd, &note, sizeof(note), CONTENTS);
	close(fd);
	memset(id, 0, sizeof(id));
	check(elf_build_id("id", id) == 4 && !memcmp(id, note.id, 4),
	      "the build-id of a section is found");
}

static void test_sections(void)
{
	uint8_t id[BUILD_ID_MAX];
	struct made m;
	int fd;

	begin(&m);
	m.sections[0].sh_size = 100 << 20;
	add(&m, ".text", SHT_PROGBITS, CONTENTS, 1);
	fd = make(&m, "many", CONTENTS + (64ULL << 20) * 100);
	m.header.e_shnum = 0;
	put(fd, &m.header, sizeof(m.header), 0);
	close(fd);
	check(elf_build_id("many", id) < 0, "100 million sections are refused");
	fd = open("many", O_RDWR);
	if (ftruncate(fd, GIB / 2))
		abort();
	close(fd);
	refused("many", "too many sections", "100 million sections are refused by libelf's reader");

	begin(&m);
	add(&m, ".one", SHT_PROGBITS, CONTENTS, 5 << 20);
	add(&m, ".two", SHT_PROGBITS, CONTENTS, 5 << 20);
	close(make(&m, "overlap", CONTENTS + (6 << 20)));
	refused("overlap", "overlap", "sections that overlap are refused");
}

static void test_expansion(void)
{
	Elf64_Chdr compressed = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = 2 * GIB };
	static const uint8_t old[12] = { 'Z', 'L', 'I', 'B', 0, 0, 0, 1 };
	struct made m;
	int fd;

	begin(&m);
	add(&m, ".debug_info", SHT_PROGBITS, CONTENTS, 4096)->sh_flags = SHF_COMPRESSED;
	fd = make(&m, "compressed", CONTENTS + 4096);
	put(fd, &compressed, sizeof(compressed), CONTENTS);
	close(fd);
	refused("compressed", "expand to more",
		"compressed sections beyond the budget are refused");

	begin(&m);
	add(&m, ".zdebug_info", SHT_PROGBITS, CONTENTS, 4096);
	fd = make(&m, "compressed", CONTENTS + 4096);
	put(fd, old, sizeof(old), CONTENTS);
	close(fd);
	refused("compressed", "expand to more",
		"compressed sections of the old kind beyond the budget are refused");
}

/* Compress @mib MiB of zeros by xz. Return: the size in bytes. */
static size_t pack_xz(uint8_t *packed, size_t room, size_t mib)
{
	static uint8_t zeros[1 << 20];
	lzma_stream stream = LZMA_STREAM_INIT;
	size_t i;

	if (lzma_easy_encoder(&stream, 0, LZMA_CHECK_CRC32))
		abort();
	stream.next_out = packed;
	stream.avail_out = room;
	for (i = 0; i <= mib; i++) {
		stream.next_in = zeros;
		stream.avail_in = i < mib ? sizeof(zeros) : 0;
		while (stream.avail_in || i == mib) {
			if (lzma_code(&stream, i < mib ? LZMA_RUN : LZMA_FINISH) != LZMA_OK)
				break;
		}
	}
	lzma_end(&stream);
	return room - stream.avail_out;
}

/* Return the size of the section .gnu_debugdata in the file that libelf would get. */
static long long debugdata_size(const char *name)
{
	struct error err;
	Elf64_Shdr section;
	int fd = elf_safe_open(name, &err);
	long long size = -1;

	if (fd >= 0 &&
	    pread(fd, &section, sizeof(section), 512 + sizeof(section)) == sizeof(section))
		size = section.sh_size;
	close(fd);
	return size;
}

static void test_debugdata(void)
{
	static uint8_t packed[1 << 20];
	size_t size = pack_xz(packed, sizeof(packed), 1 + (UNPACKED_MAX >> 20));
	struct made m;
	int fd, inner;

	begin(&m);
	add(&m, ".gnu_debugdata", SHT_PROGBITS, CONTENTS, size);
	fd = make(&m, "bomb", CONTENTS + size);
	put(fd, packed, size, CONTENTS);
	check_number(unpack(fd, CONTENTS, size), -EFBIG, "a bomb of xz is not expanded");
	close(fd);
	check_number(debugdata_size("bomb"), 0, "libelf does not see a bomb of xz");

	size = pack_xz(packed, sizeof(packed), 2);
	begin(&m);
	add(&m, ".gnu_debugdata", SHT_PROGBITS, CONTENTS, size);
	fd = make(&m, "zeros", CONTENTS + size);
	put(fd, packed, size, CONTENTS);
	inner = unpack(fd, CONTENTS, size);
	check(inner >= 0 && lseek(inner, 0, SEEK_END) == 2 << 20, "2 MiB are expanded");
	close(inner);
	check_number(unpack(fd, CONTENTS, size - 1), -EBADMSG, "a part that is cut off is damaged");
	check_number(unpack(fd, 0, size), -EBADMSG, "a part that is not compressed is damaged");
	close(fd);
	check_number(debugdata_size("zeros"), 0, "libelf does not see what is no ELF file");
}

static void test_zstd(void)
{
	static uint8_t plain[1 << 20], packed[1 << 20];
	size_t size = ZSTD_compress(packed, sizeof(packed), plain, sizeof(plain), 1);
	int fd = open("zstd", O_RDWR | O_CREAT, 0600), out;

	put(fd, packed, size, 0);
	check(is_packed(fd), "a file of zstd is known");
	out = unpack(fd, 0, size);
	check(out >= 0 && lseek(out, 0, SEEK_END) == sizeof(plain), "a file of zstd is expanded");
	close(out);
	check_number(unpack(fd, 0, size - 1), -EBADMSG,
		     "a file of zstd that is cut off is damaged");
	close(fd);
}

/* Most distributions compress modules. Any program with symbols can stand for a module here. */
static void test_packed_modules(void)
{
	static uint8_t packed[64 << 20];
	lzma_stream stream = LZMA_STREAM_INIT;
	struct elf_file plain = { 0 }, xz = { 0 }, zstd = { 0 };
	uint8_t id[BUILD_ID_MAX], packed_id[BUILD_ID_MAX];
	ssize_t id_size = elf_build_id("/proc/self/exe", id);
	char *program;
	struct error err;
	size_t size, packed_size;
	int fd;

	program = foreign_text("/proc/self/exe", sizeof(packed), &size);
	if (!program || lzma_easy_encoder(&stream, 0, LZMA_CHECK_CRC32))
		abort();
	stream.next_in = (uint8_t *)program;
	stream.avail_in = size;
	stream.next_out = packed;
	stream.avail_out = sizeof(packed);
	while (lzma_code(&stream, LZMA_FINISH) == LZMA_OK)
		;
	lzma_end(&stream);
	fd = open("module.ko.xz", O_RDWR | O_CREAT, 0600);
	put(fd, packed, sizeof(packed) - stream.avail_out, 0);
	close(fd);
	packed_size = ZSTD_compress(packed, sizeof(packed), program, size, 1);
	fd = open("module.ko.zst", O_RDWR | O_CREAT, 0600);
	put(fd, packed, packed_size, 0);
	close(fd);
	free(program);
	check(!elf_module_load(&plain, "/proc/self/exe", &err) && plain.symbols.nr > 10,
	      "a module has functions");
	check(!elf_module_load(&xz, "module.ko.xz", &err) && xz.symbols.nr == plain.symbols.nr,
	      "a module compressed by xz has the same functions");
	check(!elf_module_load(&zstd, "module.ko.zst", &err) && zstd.symbols.nr == plain.symbols.nr,
	      "a module compressed by zstd has the same functions");
	check(elf_module_build_id("module.ko.xz", packed_id) == id_size && id_size > 0 &&
	      !memcmp(id, packed_id, id_size), "a compressed module has its build-id");
	check(elf_build_id("module.ko.xz", packed_id) < 0,
	      "the file of a program is not expanded");
	elf_file_free(&plain);
	elf_file_free(&xz);
	elf_file_free(&zstd);
}

/* The owner cuts off a file after it was opened: what was opened stays as it was. */
static void test_cut(void)
{
	char *self = realpath("/proc/self/exe", NULL), *command;
	Dwfl_Module *module;
	struct error err;
	Dwfl *dwfl;

	command = xasprintf("cp %s cut && chmod 666 cut", self);
	if (system(command))
		abort();
	dwfl = elf_dwfl_open("cut", &module, &err);
	if (truncate("cut", 4096))
		abort();
	check(dwfl && dwfl_module_getsymtab(module) > 100,
	      "a file that is cut off while it is read keeps its symbols");
	if (dwfl)
		dwfl_end(dwfl);
	free(command);
	free(self);
}

static void test_text(void)
{
	size_t size;
	char *text;
	int fd = open("text", O_RDWR | O_CREAT, 0600);

	put(fd, "names", 5, 0);
	close(fd);
	text = foreign_text("text", 5, &size);
	check(text && size == 5 && !strcmp(text, "names"), "a text within its budget is read");
	free(text);
	text = foreign_text("text", 4, &size);
	check(!text && errno == EFBIG, "a text beyond its budget is refused");
	if (mkfifo("fifo", 0600))
		abort();
	text = foreign_text("fifo", 100, &size);
	check(!text && errno == EINVAL, "a FIFO is not read");
	text = foreign_text("/dev/zero", 100, &size);
	check(!text && errno == EINVAL, "a device is not read");
}

int main(void)
{
	/* More memory than the budgets need is a failure, and so is a reading without end. */
	static const struct rlimit data = { 2 * GIB, 2 * GIB };
	char *clean;

	if (!mkdtemp(directory) || chdir(directory))
		abort();
	setrlimit(RLIMIT_DATA, &data);
	alarm(600);
	test_notes();
	test_build_id();
	test_sections();
	test_expansion();
	test_debugdata();
	test_zstd();
	test_packed_modules();
	test_cut();
	test_text();
	clean = xasprintf("rm -rf %s", directory);
	if (system(clean))
		printf("# cannot remove %s\n", directory);
	free(clean);
	return unit_finish();
}
