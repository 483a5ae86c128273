// SPDX-License-Identifier: GPL-2.0
/*
 * Names the stubs through which a file calls functions of libraries.
 *
 * The stubs of a procedure linkage table have no symbols of their own. On
 * x86-64 each of them jumps through a slot of the global offset table (jmp
 * *disp(%rip)), and the relocation of that slot names the function: the stub
 * is shown as "function@plt". Decoding the jumps works for every layout that
 * linkers make (.plt, .plt.sec with endbr64, .plt.got).
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "elf_plt.h"

/* A slot of the global offset table, and the function whose address it gets. */
struct got_slot {
	uint64_t addr;
	const char *name;
};

struct got {
	struct got_slot *slots;
	size_t nr;
};

static int compare_slots(const void *a, const void *b)
{
	const struct got_slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static const char *symbol_name_at(Elf *elf, const GElf_Shdr *symtab, Elf_Data *symbols,
				  size_t index)
{
	GElf_Sym sym;

	if (!gelf_getsym(symbols, index, &sym))
		return NULL;
	return elf_strptr(elf, symtab->sh_link, sym.st_name);
}

/*
 * Add the slots that the relocations of one section fill with addresses of functions. The
 * relocation names a symbol, or the address of an IFUNC, a function that chooses the address.
 */
static void add_slots(struct got *got, const struct symbol_table *table, Elf *elf,
		      Elf_Scn *section, const GElf_Shdr *header)
{
	const struct symbol *ifunc;
	Elf_Scn *symtab = elf_getscn(elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Data *symbols = symtab ? elf_getdata(symtab, NULL) : NULL;
	GElf_Shdr symtab_header;
	GElf_Rela rela;
	size_t i, nr;

	if (!data || !header->sh_entsize)
		return;
		/* A static program has no dynamic symbols, but it may have IFUNCs. */
	if (symbols && !gelf_getshdr(symtab, &symtab_header))
		symbols = NULL;
	nr = data->d_size / header->sh_entsize;
	got->slots = xreallocarray(got->slots, got->nr + nr, sizeof(*got->slots));
	for (i = 0; i < nr; i++) {
		struct got_slot *slot = &got->slots[got->nr];

		if (!gelf_getrela(data, i, &rela))
			continue;
		slot->addr = rela.r_offset;
		slot->name = NULL;
		switch (GELF_R_TYPE(rela.r_info)) {
		case R_X86_64_JUMP_SLOT:
		case R_X86_64_GLOB_DAT:
			if (symbols)
				slot->name = symbol_name_at(elf, &symtab_header, symbols,
							    GELF_R_SYM(rela.r_info));
			break;
		case R_X86_64_IRELATIVE:
			ifunc = symbol_table_find(table, rela.r_addend);
			slot->name = ifunc ? ifunc->name : NULL;
			break;
		}
		if (slot->name && *slot->name)
			got->nr++;
	}
}

/* Return the slot through which a stub jumps, or NULL if no slot of a known function is meant. */
static const struct got_slot *slot_of(const struct got *got, uint64_t stub, const uint8_t *code,
				      uint64_t size)
{
	const struct got_slot *found = NULL;
	struct got_slot key;
	int32_t disp;
	uint64_t i;

	for (i = 0; i + 6 <= size; i++) {
		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&disp, code + i + 2, sizeof(disp));
		key.addr = stub + i + 6 + disp;
		if (got->nr)
			found = bsearch(&key, got->slots, got->nr, sizeof(key), compare_slots);
		break;
	}
	return found;
}

/* Give the code from @first to @end of a section the name of the section. */
static void add_unnamed(struct symbol_table *table, const GElf_Shdr *header, uint64_t first,
			uint64_t end, const char *section_name)
{
	if (end > first)
		symbol_table_add(table, header->sh_addr + first, end - first, section_name,
				 SYMBOL_LOCAL);
}

/*
 * Add a symbol for each stub of a section. Code that leads to no known function has the name of its
 * section: the first stub of .plt, which calls the dynamic linker, and the stubs that lead to it.
 */
static void name_stubs(struct symbol_table *table, const struct got *got, Elf_Scn *section,
		       const GElf_Shdr *header, const char *section_name)
{
	/* .plt.got without endbr64 has stubs of 8 bytes, and sh_entsize is 8. */
	static const uint64_t usual_size = 16;
	uint64_t size = header->sh_entsize ? header->sh_entsize : usual_size;
	Elf_Data *data = elf_getdata(section, NULL);
	uint64_t stub, unnamed = 0;
	const struct got_slot *slot;
	const uint8_t *code;
	char *name;

	if (!data || !data->d_buf || size < 8 || size > 64)
		return;
	code = data->d_buf;
	for (stub = 0; data->d_size >= size && stub <= data->d_size - size; stub += size) {
		slot = slot_of(got, header->sh_addr + stub, code + stub, size);
		if (!slot)
			continue;
		add_unnamed(table, header, unnamed, stub, section_name);
		name = xasprintf("%s@plt", slot->name);
		symbol_table_add(table, header->sh_addr + stub, size, name, SYMBOL_LOCAL);
		free(name);
		unnamed = stub + size;
	}
	add_unnamed(table, header, unnamed, stub, section_name);
}

/**
 * elf_plt_add() - Add symbols for the stubs of a file
 * @table: symbols of the file; finished before and after
 * @elf: file
 */
void elf_plt_add(struct symbol_table *table, Elf *elf)
{
	Elf_Scn *section = NULL;
	struct got got = { 0 };
	GElf_Shdr header;
	const char *name;
	GElf_Ehdr ehdr;
	size_t names;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 || elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    (header.sh_flags & SHF_ALLOC))
			add_slots(&got, table, elf, section, &header);
	}
	if (got.nr)
		qsort(got.slots, got.nr, sizeof(*got.slots), compare_slots);
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strncmp(name, ".plt", 4))
			name_stubs(table, &got, section, &header, name);
	}
	symbol_table_finish(table);
	free(got.slots);
}
