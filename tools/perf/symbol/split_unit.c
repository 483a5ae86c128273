// SPDX-License-Identifier: GPL-2.0
/*
 * The split debug information of a compilation unit.
 *
 *	program		skeleton of the unit: path of the .dwo file, identifier (dwo_id), and where
 *			the addresses and ranges of the unit start in .debug_addr and .debug_ranges
 *	program.dwp	package of .dwo files, made by dwp or llvm-dwp
 *	unit.dwo	everything else
 *
 * libdw can open .dwo files, but it opens whatever the program names, and no packages (0.188). So
 * the sections of the unit become an ELF file in memory, together with the addresses of the
 * program, and libdw reads this file as a unit that stands alone.
 */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debug_file.h"
#include "split_unit.h"

#define NAME(name) "\0" name

/*
 * Names of the sections of the file in memory. The program has .debug_addr and .debug_ranges; the
 * .dwo file has the sections before them.
 */
static const char names[] =
	NAME(".debug_info.dwo") NAME(".debug_abbrev.dwo") NAME(".debug_line.dwo")
	NAME(".debug_str_offsets.dwo") NAME(".debug_rnglists.dwo") NAME(".debug_str.dwo")
	NAME(".debug_addr.dwo") NAME(".debug_ranges.dwo") NAME(".shstrtab");

/* Identifier and paths of a unit, from its skeleton. */
struct skeleton {
	uint64_t id;
	const char *name;
	const char *directory;
};

static Dwarf_Word number_of(Dwarf_Die *die, unsigned int name, unsigned int gnu_name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if ((!name || !dwarf_attr(die, name, &attribute)) && !dwarf_attr(die, gnu_name, &attribute))
		return 0;
	return dwarf_formudata(&attribute, &number) ? 0 : number;
}

static const char *string_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* Return the part of a section of the program from @offset on. */
static struct split_bytes section_from(Elf *elf, const char *name, uint64_t offset)
{
	struct split_bytes bytes = split_section(elf, name);

	if (!bytes.bytes || offset > bytes.size)
		return (struct split_bytes){ 0 };
	return (struct split_bytes){ bytes.bytes + offset, bytes.size - offset };
}

/*
 * Read the skeleton of a unit, and the addresses that the program has for the unit. Return: false
 * if the skeleton is damaged.
 */
static bool read_skeleton(struct skeleton *skeleton, struct split_addresses *addresses,
			  const struct dwarf_file *program, Dwarf_Die *die)
{
	Elf *elf = dwarf_getelf(program->dwarf);
	GElf_Ehdr header;
	Dwarf_Addr base;

	if (dwarf_cu_info(die->cu, &addresses->version, NULL, NULL, NULL, &skeleton->id,
			  &addresses->size, NULL) || !elf || !gelf_getehdr(elf, &header) ||
	    (addresses->size != 4 && addresses->size != 8))
		return false;
	skeleton->name = string_of(die, DW_AT_dwo_name) ?: string_of(die, DW_AT_GNU_dwo_name);
	skeleton->directory = string_of(die, DW_AT_comp_dir);
	addresses->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	if (dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_lowpc(die, &base))
		addresses->base = base;
	addresses->addresses = section_from(elf, ".debug_addr",
					    number_of(die, DW_AT_addr_base, DW_AT_GNU_addr_base));
	if (addresses->version < 5)
		addresses->lists = section_from(elf, ".debug_ranges",
						number_of(die, 0, DW_AT_GNU_ranges_base));
	return skeleton->name && *skeleton->name;
}

/* Add a section with @bytes. Return: false if libelf cannot. */
static bool add_section(Elf *elf, size_t name, struct split_bytes bytes, GElf_Word type)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = section ? elf_newdata(section) : NULL;
	GElf_Shdr header;

	if (!data || !gelf_getshdr(section, &header))
		return false;
	header.sh_name = name;
	header.sh_type = type;
	header.sh_size = bytes.size;
	data->d_buf = (void *)bytes.bytes;
	data->d_size = bytes.size;
	data->d_type = ELF_T_BYTE;
	data->d_version = EV_CURRENT;
	data->d_align = 1;
	return gelf_update_shdr(section, &header);
}

/* Write the header of a file in memory for the same machine as @elf. Return: false on failure. */
static bool add_header(Elf *made, Elf *elf, GElf_Half names_index)
{
	GElf_Ehdr from, header;

	if (!gelf_getehdr(elf, &from) || !gelf_newehdr(made, from.e_ident[EI_CLASS]) ||
	    !gelf_getehdr(made, &header))
		return false;
	header.e_ident[EI_DATA] = from.e_ident[EI_DATA];
	header.e_machine = from.e_machine;
	header.e_type = ET_REL;
	header.e_version = EV_CURRENT;
	header.e_shstrndx = names_index;
	return gelf_update_ehdr(made, &header);
}

/* Make the file in memory. Return: false if libelf cannot. */
static bool make_file(struct split_unit *unit, Elf *elf,
		      const struct split_bytes parts[NR_SPLIT_PARTS])
{
	struct split_bytes all[NR_SPLIT_PARTS + 2], strings = {
		(const uint8_t *)names, sizeof(names),
	};
	const char *name = names + 1;
	GElf_Half nr = 1;
	size_t i;

	memcpy(all, parts, NR_SPLIT_PARTS * sizeof(*all));
	all[NR_SPLIT_PARTS] = unit->addresses.addresses;
	all[NR_SPLIT_PARTS + 1] = unit->addresses.version < 5 ? unit->addresses.lists :
								(struct split_bytes){ 0 };
	for (i = 0; i < ARRAY_SIZE(all); i++)
		nr += all[i].bytes && all[i].size;
	if (!add_header(unit->elf, elf, nr))
		return false;
	for (i = 0; i < ARRAY_SIZE(all); i++, name += strlen(name) + 1) {
		if (all[i].bytes && all[i].size &&
		    !add_section(unit->elf, name - names, all[i], SHT_PROGBITS))
			return false;
	}
	return add_section(unit->elf, name - names, strings, SHT_STRTAB);
}

/* Find the unit with the identifier in the file in memory. */
static bool find_die(struct split_unit *unit, uint64_t wanted)
{
	Dwarf_CU *cu = NULL;
	uint64_t id;
	uint8_t type;

	while (!dwarf_get_units(unit->dwarf, cu, &cu, NULL, &type, &unit->die, NULL)) {
		if (type == DW_UT_split_compile &&
		    !dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, NULL, NULL) && id == wanted)
			return true;
	}
	return false;
}

/* Have libdw read the unit in @file. Return: false if it is not there. */
static bool load(struct split_files *files, struct split_unit *unit, const struct split_file *file,
		 uint64_t id)
{
	struct split_bytes parts[NR_SPLIT_PARTS];

	if (!split_file_unit(file, id, parts))
		return false;
	if (!files->memory)
		files->memory = memfd_create("split", MFD_CLOEXEC) + 1;
	unit->elf = elf_begin(files->memory - 1, ELF_C_WRITE, NULL);
	if (!unit->elf || !make_file(unit, file->elf, parts))
		return false;
	unit->dwarf = dwarf_begin_elf(unit->elf, DWARF_C_READ, NULL);
	if (!unit->dwarf || !find_die(unit, id))
		return false;
	unit->addresses.info = parts[SPLIT_INFO];
	if (unit->addresses.version >= 5)
		unit->addresses.lists = parts[SPLIT_RNGLISTS];
	return true;
}

/* Close the files of a unit that is not the wanted one. */
static void unload(struct split_unit *unit)
{
	dwarf_end(unit->dwarf);
	elf_end(unit->elf);
	split_file_close(unit->file);
	unit->dwarf = NULL;
	unit->elf = NULL;
	unit->file = NULL;
}

static uint64_t budget(const struct split_files *files)
{
	return SPLIT_SIZE_MAX - files->used;
}

static void open_package(struct split_files *files, const struct dwarf_file *program,
			 const char *path)
{
	const char *main_path = NULL, *debug_path = NULL, *paths[2];
	struct error err;
	size_t i;

	files->looked = true;
	dwfl_module_info(program->module, NULL, NULL, NULL, NULL, NULL, &main_path, &debug_path);
	paths[0] = path;
	paths[1] = debug_path;
	for (i = 0; i < ARRAY_SIZE(paths) && !files->package; i++) {
		char *name = paths[i] ? xasprintf("%s.dwp", paths[i]) : NULL;

		if (name && !access(name, F_OK)) {
			files->package = split_file_open(name, budget(files), &err);
			if (!files->package)
				files->package_error = err;
		}
		free(name);
	}
	if (files->package)
		files->used += files->package->size;
}

/*
 * Open the .dwo file at @path, and free @path. Return: false with @err set; the reason of an
 * earlier file is kept.
 */
static bool try_file(struct split_files *files, struct split_unit *unit,
		     const struct skeleton *skeleton, char *path, struct error *err)
{
	struct error reason;
	bool found = false;

	unit->file = split_file_open(path, budget(files), &reason);
	if (unit->file && unit->file->index.bytes)
		error_set(&reason, "%s: a package of .dwo files, not one of them", path);
	else if (unit->file)
		found = load(files, unit, unit->file, skeleton->id);
	if (found)
		files->used += unit->file->size;
	else if (unit->file && !unit->file->index.bytes)
		error_set(&reason, "%s: made by another compilation, its dwo_id is not %016" PRIx64,
			  path, skeleton->id);
	if (!found) {
		unload(unit);
		if (!*err->text)
			*err = reason;
	}
	free(path);
	return found;
}

/*
 * Look for the .dwo file at its path, also below the directory that stands for the root of the
 * recorded machine, and beside the program.
 */
static bool find_file(struct split_files *files, struct split_unit *unit,
		      const struct skeleton *skeleton, const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/'), *base = strrchr(skeleton->name, '/');
	bool whole = skeleton->name[0] == '/' || !skeleton->directory;
	char *name = whole ? xstrdup(skeleton->name) :
			     xasprintf("%s/%s", skeleton->directory, skeleton->name);
	bool found = false;

	if (*debug_file_root() && name[0] == '/')
		found = try_file(files, unit, skeleton, xasprintf("%s%s", debug_file_root(), name),
				 err);
	if (!found && name[0] == '/')
		found = try_file(files, unit, skeleton, xstrdup(name), err);
	if (!found && slash)
		found = try_file(files, unit, skeleton,
				 xasprintf("%.*s/%s", (int)(slash - path), path,
					   base ? base + 1 : skeleton->name), err);
	free(name);
	return found;
}

struct split_unit *split_unit_open(struct split_files *files, const struct dwarf_file *program,
				   const char *path, Dwarf_Die *die)
{
	struct split_unit *unit = xcalloc(1, sizeof(*unit));
	struct skeleton skeleton = { 0 };
	struct error err = { "" };

	if (!read_skeleton(&skeleton, &unit->addresses, program, die))
		error_set(&err, "%s: its debug information is damaged", path);
	if (!files->looked)
		open_package(files, program, path);
	if (!*err.text && files->package && load(files, unit, files->package, skeleton.id))
		return unit;
	unload(unit);
	if (!*err.text && find_file(files, unit, &skeleton, path, &err))
		return unit;
	if (!files->missing++)
		files->reason = *files->package_error.text ? files->package_error : err;
	split_unit_close(unit);
	return NULL;
}

void split_unit_close(struct split_unit *unit)
{
	if (!unit)
		return;
	unload(unit);
	free(unit);
}

void split_files_close(struct split_files *files)
{
	split_file_close(files->package);
	if (files->memory > 0)
		close(files->memory - 1);
}
