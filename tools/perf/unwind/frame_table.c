// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that a section of call frame information describes.
 *
 * All entries are read once, from the first to the last, which takes some 20 ns each. The table
 * of .eh_frame_hdr would say less, and its addresses need not agree with those of the entries.
 */
#include <stdlib.h>

#include "util/util.h"
#include "frame_pointer.h"
#include "frame_table.h"

/* Maximum number of FDEs of a section. */
#define FDES_MAX (8UL << 20)

/* An entry with this length has its length in the next 8 bytes. */
#define LENGTH_64 0xffffffff

/**
 * struct cie - the CIE that was read last; neighbours often share one
 * @read: true if the other fields are set
 * @valid: true if the CIE is not damaged
 * @has_data: true if its FDEs have data of the augmentation
 * @offset: offset of the CIE in the section
 * @function: fields that FDEs take from the CIE; the others are zero
 */
struct cie {
	bool read;
	bool valid;
	bool has_data;
	uint64_t offset;
	struct frame_function function;
};

/**
 * struct entry - an entry of a section
 * @offset: offset of the entry in the section
 * @bytes: bytes after the CIE pointer, or after the mark of a CIE
 * @is_cie: true for a CIE
 * @cie: offset of an FDE's CIE
 */
struct entry {
	size_t offset;
	struct frame_bytes bytes;
	bool is_cie;
	uint64_t cie;
};

/* Return the offset of a byte in its section. */
static uint64_t offset_of(const struct frame_table *table, const uint8_t *at)
{
	return at - table->section->bytes;
}

static uint64_t addr_of(const struct frame_table *table, const uint8_t *at)
{
	return table->section->addr + offset_of(table, at);
}

/*
 * Read the beginning of the entry at *@offset. *@offset becomes that of the next entry. Return
 * false at the end of the entries, or where the length of an entry is damaged.
 */
static bool read_entry(const struct frame_table *table, size_t *offset, struct entry *entry)
{
	const struct frame_section *section = table->section;
	struct frame_bytes *bytes = &entry->bytes;
	unsigned int size = 4;
	uint64_t length, id, at;
	const uint8_t *body;

	*bytes = (struct frame_bytes){
		.at = section->bytes + *offset, .end = section->bytes + section->size,
	};
	entry->offset = *offset;
	length = frame_bytes_number(bytes, 4);
	if (length == LENGTH_64) {
		length = frame_bytes_number(bytes, 8);
		size = 8;
	}
	body = frame_bytes_take(bytes, length);
	if (bytes->failed || !length)
		return false;
	*offset = offset_of(table, bytes->at);
	*bytes = (struct frame_bytes){ .at = body, .end = body + length };

	/* In .eh_frame, the pointer to the CIE has 4 bytes, and is the distance to it. */
	if (table->is_eh)
		size = 4;
	at = offset_of(table, body);
	id = frame_bytes_number(bytes, size);
	if (table->is_eh) {
		entry->is_cie = !id;
		entry->cie = at - id;
	} else {
		entry->is_cie = id == (size == 8 ? UINT64_MAX : UINT32_MAX);
		entry->cie = id;
	}
	return true;
}

/* Read the data that the letters of an augmentation describe. Return false at an unknown letter. */
static bool read_augmentation(const struct frame_table *table, struct frame_function *function,
			      const char *letters, struct frame_bytes *bytes)
{
	uint64_t unused;
	uint8_t encoding;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'L':
			frame_bytes_number(bytes, 1);
			break;
		case 'P':
			encoding = frame_bytes_number(bytes, 1);
			if (!frame_pointer_number(bytes, encoding, table->word, &unused))
				return false;
			break;
		case 'R':
			function->encoding = frame_bytes_number(bytes, 1);
			break;
		case 'S':
			function->signal = true;
			break;
		default:
			return false;
		}
	}
	return !bytes->failed;
}

/*
 * Read a CIE from the byte after its mark on. @has_data is set to true if its FDEs have data of the
 * augmentation.
 */
static bool read_cie(const struct frame_table *table, struct frame_bytes bytes,
		     struct frame_function *function, bool *has_data)
{
	uint8_t version = frame_bytes_number(&bytes, 1);
	const char *letters = (const char *)bytes.at;
	const uint8_t *end = memchr(bytes.at, '\0', frame_bytes_left(&bytes));
	struct frame_bytes data;
	uint64_t size;

	if (bytes.failed || !end || (version != 1 && version != 3 && version != 4))
		return false;
	bytes.at = end + 1;
	/* Version 4 has the sizes of an address and of a segment's number. */
	if (version == 4 && (frame_bytes_number(&bytes, 1) != table->word ||
			     frame_bytes_number(&bytes, 1)))
		return false;
	function->word = table->word;
	function->code_align = frame_bytes_uleb128(&bytes);
	function->data_align = frame_bytes_sleb128(&bytes);
	function->return_register = version == 1 ? frame_bytes_number(&bytes, 1) :
						   frame_bytes_uleb128(&bytes);
	*has_data = *letters == 'z';
	if (*has_data) {
		size = frame_bytes_uleb128(&bytes);
		data.at = frame_bytes_take(&bytes, size);
		if (!data.at)
			return false;
		data.end = bytes.at;
		data.failed = false;
		if (!read_augmentation(table, function, letters + 1, &data))
			return false;
	} else if (*letters) {
		return false;
	}
	function->common = bytes;
	return !bytes.failed;
}

/*
 * Read an FDE from the byte after the pointer to its CIE on. @size is set to the size of its code.
 */
static bool read_fde(const struct frame_table *table, struct frame_bytes bytes, bool has_data,
		     struct frame_function *function, uint64_t *size)
{
	uint8_t encoding = function->encoding;

	if (!frame_pointer_read(&bytes, encoding, table->word, addr_of(table, bytes.at),
				&function->start) ||
	    !frame_pointer_number(&bytes, encoding, table->word, size))
		return false;
	if (has_data)
		frame_bytes_take(&bytes, frame_bytes_uleb128(&bytes));
	function->own = bytes;
	return !bytes.failed;
}

/* Make the CIE at @offset the one that was read last. */
static void find_cie(const struct frame_table *table, size_t offset, struct cie *cie)
{
	struct entry entry;

	if (cie->read && cie->offset == offset)
		return;
	*cie = (struct cie){ .read = true, .offset = offset };
	cie->valid = offset < table->section->size && read_entry(table, &offset, &entry) &&
		     entry.is_cie &&
		     read_cie(table, entry.bytes, &cie->function, &cie->has_data);
}

/*
 * Decode the FDE @entry. Return false if it, or its CIE, is damaged. @cie is the CIE that was read
 * last, and becomes that of @entry.
 */
static bool decode(const struct frame_table *table, const struct entry *entry, struct cie *cie,
		   struct frame_function *function, uint64_t *size)
{
	find_cie(table, entry->cie, cie);
	if (!cie->valid)
		return false;
	*function = cie->function;
	return read_fde(table, entry->bytes, cie->has_data, function, size);
}

static int compare(const void *a, const void *b)
{
	const struct frame_fde *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void sort(struct frame_table *table)
{
	size_t i;

	for (i = 1; i < table->nr; i++) {
		if (table->fdes[i - 1].start > table->fdes[i].start) {
			qsort(table->fdes, table->nr, sizeof(*table->fdes), compare);
			return;
		}
	}
}

void frame_table_make(struct frame_table *table, const struct frame_section *section, bool is_eh,
		      unsigned int word)
{
	struct frame_function function;
	struct cie cie = { false };
	size_t offset = 0, room = 0;
	struct entry entry;
	uint64_t size;

	*table = (struct frame_table){ .section = section, .is_eh = is_eh, .word = word };
	while (offset < section->size && table->nr < FDES_MAX &&
	       read_entry(table, &offset, &entry)) {
		if (entry.is_cie || !decode(table, &entry, &cie, &function, &size) || !size)
			continue;
		if (table->nr == room) {
			room = room ? 2 * room : 64;
			table->fdes = xreallocarray(table->fdes, room, sizeof(*table->fdes));
		}
		table->fdes[table->nr++] = (struct frame_fde){ function.start, size, entry.offset };
	}
	sort(table);
}

bool frame_table_find(const struct frame_table *table, uint64_t addr,
		      struct frame_function *function)
{
	size_t low = 0, high = table->nr, middle, offset;
	const struct frame_fde *fde;
	struct cie cie = { false };
	struct entry entry;
	uint64_t size;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (table->fdes[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	fde = &table->fdes[low - 1];
	offset = fde->offset;
	return addr - fde->start < fde->size && read_entry(table, &offset, &entry) &&
	       decode(table, &entry, &cie, function, &size);
}

void frame_table_free(struct frame_table *table)
{
	free(table->fdes);
}
