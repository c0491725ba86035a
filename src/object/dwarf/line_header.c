/* line_header.c -- headers of line tables: folders and files (DWARF5 §6.2.4). */
#include "object/dwarf/dwarf_internal.h"

#define ENTRY_FORMATS_MAX 64u
#define ENTRY_STEPS       4u         /* of one, beside its parts */

struct entry_formats {
	struct attr_spec specs[ENTRY_FORMATS_MAX];
	uint64_t content[ENTRY_FORMATS_MAX];
	unsigned count;
};

static int add_directory(struct line_header *header, struct text name, struct arena *arena,
			 struct err *err)
{
	struct text *items;

	if (pool_reserve(&header->directories, arena, 1, sizeof(name), err) < 0)
		return -1;
	items = header->directories.items;
	items[header->directories.count++] = name;
	return 0;
}

int line_header_add_file(struct line_header *header, const struct unit *unit, struct text name,
			 uint64_t directory, struct arena *arena, struct err *err)
{
	struct object_file_name file = { .comp_dir = unit->comp_dir, .name = name };
	const struct text *directories = header->directories.items;
	struct object_file_name *items;

	if (directory < header->directories.count)
		file.directory = directories[directory];
	if (pool_reserve(&header->files, arena, 1, sizeof(file), err) < 0)
		return -1;
	items = header->files.items;
	items[header->files.count++] = file;
	return 0;
}

/* Versions 2 to 4: entry 0 of both lists is the unit itself, the file's are from 1 on. */
static int read_lists(struct line_header *header, struct reader *reader, const struct unit *unit,
		      struct arena *arena, struct err *err)
{
	struct text name;

	if (work_charge(unit->work, reader_left(reader), err) < 0 ||
	    add_directory(header, TEXT_NONE, arena, err) < 0)
		return -1;
	while ((name = reader_string(reader)).size)
		if (add_directory(header, name, arena, err) < 0)
			return -1;
	if (line_header_add_file(header, unit, unit->name, 0, arena, err) < 0)
		return -1;
	while ((name = reader_string(reader)).size) {
		uint64_t directory = reader_uleb128(reader);

		(void)reader_uleb128(reader);    /* time */
		(void)reader_uleb128(reader);    /* size */
		if (reader->failed)
			break;
		if (line_header_add_file(header, unit, name, directory, arena, err) < 0)
			return -1;
	}
	return reader_check(reader, err);
}

static int read_formats(struct entry_formats *formats, struct reader *reader,
			struct encoding encoding, struct err *err)
{
	formats->count = reader_u8(reader);
	if (formats->count > ENTRY_FORMATS_MAX)
		return err_set(err, ERR_LIMIT, "an entry of %u parts", formats->count);
	for (unsigned i = 0; i < formats->count; i++) {
		uint64_t form;

		formats->content[i] = reader_uleb128(reader);
		form = reader_uleb128(reader);
		if (reader->failed)
			break;
		if (!attr_spec_of_form(form, encoding, &formats->specs[i]))
			return err_set(err, ERR_UNSUPPORTED, "an entry with the unknown form %#llx",
				       (unsigned long long)form);
		if (formats->content[i] == DW_LNCT_path)
			formats->specs[i].attribute = AT_NAME;
		else if (formats->content[i] == DW_LNCT_directory_index)
			formats->specs[i].attribute = AT_COMP_DIR;
	}
	return reader_check(reader, err);
}

static struct text entry_text(const struct unit *unit, struct value value)
{
	if (value.meaning == FORM_CLASS_STRING_HERE)
		return unit_string(unit, unit->info_section->sections, DWARF_LINE, value.number);
	return unit_text(unit, value);
}

static int read_entries(struct line_header *header, struct reader *reader,
			const struct unit *unit, bool are_files, struct arena *arena,
			struct err *err)
{
	struct entry_formats formats;
	uint64_t count;

	if (read_formats(&formats, reader, header->encoding, err) < 0)
		return -1;
	count = reader_uleb128(reader);
	if (count > reader_left(reader))
		return err_set(err, ERR_MALFORMED, "%llu entries in %zu bytes",
			       (unsigned long long)count, reader_left(reader));
	for (uint64_t i = 0; i < count && !reader->failed; i++) {
		struct die entry = { 0 };
		struct text name = TEXT_NONE;
		uint64_t directory = 0;

		if (work_charge(unit->work, ENTRY_STEPS + formats.count, err) < 0)
			return -1;
		attr_spec_read_all(reader, formats.specs, formats.count, header->encoding, &entry);
		if (die_has(&entry, AT_NAME))
			name = entry_text(unit, entry.values[AT_NAME]);
		if (die_has(&entry, AT_COMP_DIR))
			directory = entry.values[AT_COMP_DIR].number;
		if (!are_files && i == 0 && text_equal(name, unit->comp_dir))
			name = TEXT_NONE;        /* joined to comp_dir it would count twice */
		if ((are_files ? line_header_add_file(header, unit, name, directory, arena, err)
			       : add_directory(header, name, arena, err)) < 0)
			return -1;
	}
	return reader_check(reader, err);
}

static int read_fields(struct line_header *header, struct reader *reader, struct err *err)
{
	if (header->encoding.version >= 5) {
		header->encoding.address_bytes = reader_u8(reader);
		if (reader_u8(reader))
			return err_set(err, ERR_UNSUPPORTED, "segment selectors");
	}
	return 0;
}

static void read_machine(struct line_header *header, struct reader *reader)
{
	header->min_instruction_bytes = reader_u8(reader);
	header->max_operations = header->encoding.version >= 4 ? reader_u8(reader) : 1;
	(void)reader_u8(reader);                 /* default_is_stmt: every row counts for us */
	header->line_base = (int8_t)reader_u8(reader);
	header->line_range = reader_u8(reader);
	header->opcode_base = reader_u8(reader);
	if (header->opcode_base)
		header->opcode_lengths = reader_take(reader, header->opcode_base - 1u);
	if (!header->max_operations)
		header->max_operations = 1;
}

int line_header_read(struct line_header *header, struct reader *reader, const struct unit *unit,
		     struct arena *arena, struct err *err)
{
	uint64_t length = reader_u32(reader);
	uint64_t first_opcode;
	unsigned version;

	*header = (struct line_header){ .encoding = unit->head.encoding };
	header->encoding.offset_bytes = 4;
	if (length == 0xffffffffu) {
		header->encoding.offset_bytes = 8;
		length = reader_u64(reader);
	}
	if (length > reader_left(reader))
		length = reader_left(reader);    /* read what is there */
	reader->size = reader->pos + (size_t)length;
	header->end = reader->size;
	work_allowance_add(unit->work, length);
	version = reader_u16(reader);
	if (!reader->failed && (version < 2 || version > 5))
		return err_set(err, ERR_UNSUPPORTED, "line table version %u", version);
	header->encoding.version = (uint8_t)version;
	if (read_fields(header, reader, err) < 0)
		return -1;
	first_opcode = reader_unsigned(reader, header->encoding.offset_bytes);
	first_opcode = first_opcode > reader_left(reader) ? reader->size
							  : reader->pos + first_opcode;
	read_machine(header, reader);
	if (reader_check(reader, err) < 0)
		return -1;
	if (version < 5) {
		if (read_lists(header, reader, unit, arena, err) < 0)
			return -1;
	} else if (read_entries(header, reader, unit, false, arena, err) < 0 ||
		   read_entries(header, reader, unit, true, arena, err) < 0) {
		return -1;
	}
	reader_seek(reader, first_opcode);
	return reader_check(reader, err);
}
