// SPDX-License-Identifier: GPL-2.0
/*
 * Call frame information of generated code, from jitdump files.
 *
 * The tables of a function are small, and are read again for each new row; rows are kept.
 */
#include <stdlib.h>
#include <unistd.h>

#include "frame_program.h"
#include "frame_table.h"
#include "jit_frame.h"

/* The distance of .eh_frame from the beginning of the code is a multiple of this. */
#define TABLE_ALIGN 8

/* Copy .eh_frame of a function. Return false if it cannot be read. */
static bool read_section(const struct dso *dso, const struct jit_unwinding *unwinding,
			 struct frame_section *section)
{
	uint64_t distance = (unwinding->code_size + TABLE_ALIGN - 1) & -(uint64_t)TABLE_ALIGN;
	struct error err;
	struct stat st;
	ssize_t got;
	int fd;

	fd = jitdump_open(dso, &st, &err);
	if (fd < 0)
		return false;
	section->bytes = xmalloc(unwinding->size);
	section->size = unwinding->size;
	section->addr = unwinding->addr + distance;
	got = foreign_read(fd, section->bytes, unwinding->size, unwinding->offset);
	close(fd);
	return got == (ssize_t)unwinding->size;
}

/*
 * Find the rules at the address @addr. The entry must begin in the function: tables that were made
 * for another place, or in another form, describe none of it.
 */
static struct frame_row *find_row(const struct jit_unwinding *unwinding,
				  const struct frame_section *section, unsigned int word,
				  uint64_t addr, unsigned int nr_registers)
{
	struct frame_function function;
	struct frame_row *row = NULL;
	struct frame_table table;

	frame_table_make(&table, section, true, word);
	if (frame_table_find(&table, addr, &function) && function.start >= unwinding->addr)
		row = frame_program_row(&function, addr, nr_registers);
	frame_table_free(&table);
	return row;
}

struct frame_row *jit_frame_row(const struct dso *dso, uint64_t code, unsigned int nr_registers)
{
	const struct jit_unwinding *unwinding = jitdump_unwinding(dso->dump, code);
	unsigned int word = dso->dump->machine == EM_386 ? 4 : 8;
	struct frame_section section = { NULL };
	struct frame_row *row = NULL;

	if (!unwinding)
		return NULL;
	if (unwinding->size && read_section(dso, unwinding, &section))
		row = find_row(unwinding, &section, word,
			       unwinding->addr + (code - unwinding->code), nr_registers);
	free(section.bytes);
	if (!row)
		row = xcalloc(1, sizeof(*row));
	row->damaged = !row->known;
	return row;
}
