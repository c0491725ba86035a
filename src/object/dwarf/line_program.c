/*
 * line_program.c -- the line number machine (DWARF5 §6.2.5), run into rows.
 *
 * Rows that change nothing are not kept: a row lasts until the next.
 *
 * A linker that drops a function leaves its line sequence behind, with every relocation
 * in it resolved to 0 (ld), -1 or -2 (lld).  gas writes more than one set_address into a
 * long sequence, so the address can fall back to 0 part-way.  Such a sequence is nobody's:
 * it goes whole, up to and including its own end marker, and the next starts afresh.
 * Seen in Debian's ceph-osd; test: discarded_sequence_goes_whole.  In firmware address 0 is
 * code like any other; test: code_may_begin_at_zero.
 */
#include "object/dwarf/dwarf_internal.h"

struct line_program {
	const struct unit *unit;
	struct line_header header;
	struct reader reader;
	struct lines *lines;
	struct arena *arena;
	struct pool rows;                /* struct object_line */
	struct pool sequences;           /* struct sequence */
	/* The machine's registers. */
	uint64_t address;
	uint64_t operation;
	uint64_t file;
	uint32_t line;
	/* The sequence being written. */
	size_t first_row;
	uint64_t start, last;            /* relative addresses of the first and latest row */
	bool has_rows, is_dead;
};

static void reset(struct line_program *program)
{
	program->address = 0;
	program->operation = 0;
	program->file = 1;
	program->line = 1;
	program->first_row = program->rows.count;
	program->has_rows = false;
	program->is_dead = false;
}

static bool is_dead(const struct line_program *program, uint64_t address, unsigned bytes)
{
	if (bytes < 8 && address >= (UINT64_MAX >> (64 - 8 * bytes)) - 1)
		return true;
	return address_is_dead(program->unit, address);
}

static uint32_t file_index(const struct line_program *program)
{
	if (program->file >= program->header.files.count ||
	    program->file < program->lines->first_file)
		return OBJECT_NO_FILE;
	return (uint32_t)program->file;
}

/* The row takes the place of one at the same address. */
static void replace_row(struct line_program *program, struct object_line row)
{
	struct object_line *last = program->rows.items;

	last += program->rows.count - 1;
	*last = row;
	if (program->rows.count - program->first_row >= 2 && last[-1].file == row.file &&
	    last[-1].line == row.line)
		program->rows.count--;
}

static int push_row(struct line_program *program, struct object_line row, struct err *err)
{
	struct object_line *rows;

	if (pool_reserve(&program->rows, program->arena, 1, sizeof(row), err) < 0)
		return -1;
	rows = program->rows.items;
	rows[program->rows.count++] = row;
	return 0;
}

static int add_row(struct line_program *program, struct err *err)
{
	struct object_line row = { .line = program->line };
	const struct object_line *last = program->rows.items;

	if (!program->has_rows && is_dead(program, program->address, 8))
		program->is_dead = true;
	if (program->is_dead)
		return 0;
	row.address = address_relative(program->unit->dwarf, program->address);
	row.file = file_index(program);
	if (!program->has_rows) {
		program->has_rows = true;
		program->start = program->last = row.address;
		return push_row(program, row, err);
	}
	if (row.address < program->last)
		return 0;
	program->last = row.address;
	last += program->rows.count - 1;
	if (last->address == row.address)
		replace_row(program, row);
	else if (last->file != row.file || last->line != row.line)
		return push_row(program, row, err);
	return 0;
}

static int end_sequence(struct line_program *program, struct err *err)
{
	struct object_line *rows = program->rows.items;
	uint64_t end = address_relative(program->unit->dwarf, program->address);
	struct sequence *sequences;

	if (program->is_dead || !program->has_rows || end <= program->start) {
		program->rows.count = program->first_row;
		reset(program);
		return 0;
	}
	if (program->start == 0 && lines_at_zero_are_dead(program->unit->dwarf, end)) {
		program->rows.count = program->first_row;
		reset(program);
		return 0;
	}
	while (rows[program->rows.count - 1].address >= end)
		program->rows.count--;
	if (pool_reserve(&program->sequences, program->arena, 1, sizeof(*sequences), err) < 0)
		return -1;
	sequences = program->sequences.items;
	sequences[program->sequences.count++] = (struct sequence){
		.start = program->start, .end = end, .first = program->first_row,
		.count = program->rows.count - program->first_row
	};
	reset(program);
	return 0;
}

static void advance(struct line_program *program, uint64_t operations)
{
	uint64_t spec = program->header.min_instruction_bytes;
	uint64_t all = program->operation + operations;

	if (__builtin_expect(program->header.max_operations == 1, 1)) {
		program->address += spec * operations;
		return;
	}
	program->address += spec * (all / program->header.max_operations);
	program->operation = all % program->header.max_operations;
}

static void set_address(struct line_program *program, uint64_t bytes)
{
	program->address = reader_unsigned(&program->reader, (unsigned)bytes);
	program->operation = 0;
	if (is_dead(program, program->address, (unsigned)bytes))
		program->is_dead = true;
}

static int define_file(struct line_program *program, struct err *err)
{
	struct text name = reader_string(&program->reader);
	uint64_t directory = reader_uleb128(&program->reader);

	if (program->reader.failed)
		return 0;
	return line_header_add_file(&program->header, program->unit, name, directory,
				    program->arena, err);
}

static int run_extended(struct line_program *program, struct err *err)
{
	struct reader *reader = &program->reader;
	uint64_t length = reader_uleb128(reader);
	uint64_t start = reader->pos;
	int result = 0;

	if (!length || reader->failed || length > reader_left(reader)) {
		reader->failed = reader->failed || length;
		return 0;
	}
	switch (reader_u8(reader)) {
	case DW_LNE_end_sequence:
		result = end_sequence(program, err);
		break;
	case DW_LNE_set_address:
		if (length >= 2 && length <= 9)
			set_address(program, length - 1);
		break;
	case DW_LNE_define_file:
		result = define_file(program, err);
		break;
	default:
		break;
	}
	reader_seek(reader, start + length);
	return result;
}

static void skip_operands(struct line_program *program, unsigned opcode)
{
	const uint8_t *lengths = program->header.opcode_lengths;

	for (unsigned i = 0; i < lengths[opcode - 1]; i++)
		(void)reader_uleb128(&program->reader);
}

static unsigned special_advance(const struct line_program *program, unsigned opcode)
{
	unsigned range = program->header.line_range;

	return range ? (opcode - program->header.opcode_base) / range : 0;
}

static int run_standard(struct line_program *program, unsigned opcode, struct err *err)
{
	struct reader *reader = &program->reader;

	switch (opcode) {
	case DW_LNS_copy:
		return add_row(program, err);
	case DW_LNS_advance_pc:
		advance(program, reader_uleb128(reader));
		return 0;
	case DW_LNS_advance_line:
		program->line += (uint32_t)reader_sleb128(reader);
		return 0;
	case DW_LNS_set_file:
		program->file = reader_uleb128(reader);
		return 0;
	case DW_LNS_const_add_pc:
		advance(program, special_advance(program, 255));
		return 0;
	case DW_LNS_fixed_advance_pc:
		program->address += reader_u16(reader);
		program->operation = 0;
		return 0;
	case DW_LNS_set_column:
	case DW_LNS_set_isa:
		(void)reader_uleb128(reader);
		return 0;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		return 0;
	default:
		skip_operands(program, opcode);
		return 0;
	}
}

static int run_special(struct line_program *program, unsigned opcode, struct err *err)
{
	unsigned range = program->header.line_range;
	unsigned adjusted = opcode - program->header.opcode_base;

	advance(program, special_advance(program, opcode));
	program->line += (uint32_t)(program->header.line_base +
				    (int)(range ? adjusted % range : 0));
	return add_row(program, err);
}

static int run(struct line_program *program, struct err *err)
{
	reset(program);
	while (!reader_at_end(&program->reader)) {
		unsigned opcode = reader_u8(&program->reader);
		int result;

		if (opcode >= program->header.opcode_base)
			result = run_special(program, opcode, err);
		else if (opcode)
			result = run_standard(program, opcode, err);
		else
			result = run_extended(program, err);
		if (result < 0)
			return -1;
	}
	program->rows.count = program->first_row;        /* a sequence without its end */
	return reader_check(&program->reader, err);
}

static int sort_sequences(struct lines *lines, struct pool *sequences, struct arena *arena,
			  struct err *err)
{
	const struct sequence *items = sequences->items;
	size_t count = sequences->count;
	struct sort_item *order = arena_alloc_raw(arena, count, 2 * sizeof(*order));

	lines->sequences = arena_alloc_raw(arena, count, sizeof(*lines->sequences));
	if (!order || !lines->sequences)
		return pool_no_capacity(err);
	for (size_t i = 0; i < count; i++)
		order[i] = (struct sort_item){ items[i].end, i };
	sort_items(order, order + count, count);
	for (size_t i = 0; i < count; i++)
		lines->sequences[i] = items[order[i].index];
	lines->sequence_count = count;
	return 0;
}

int lines_read(struct lines *lines, const struct unit *unit, struct arena *arena, struct err *err)
{
	struct line_program program = { .unit = unit, .lines = lines, .arena = arena };

	*lines = (struct lines){ 0 };
	program.reader = section_reader(unit->info_section->sections, DWARF_LINE);
	if (unit->line_offset == NO_OFFSET || !program.reader.size)
		return 0;
	reader_seek(&program.reader, unit->line_offset);
	if (line_header_read(&program.header, &program.reader, unit, arena, err) < 0)
		return err_while(err, "reading .debug_line at %#llx",
				 (unsigned long long)unit->line_offset);
	lines->first_file = program.header.encoding.version < 5;
	/* A row takes a byte of its program at least. */
	if (work_charge(unit->work, reader_left(&program.reader), err) < 0 || run(&program, err) < 0)
		return err_while(err, "running .debug_line at %#llx",
				 (unsigned long long)unit->line_offset);
	lines->files = program.header.files.items;
	lines->file_count = program.header.files.count;
	lines->rows = program.rows.items;
	lines->row_count = program.rows.count;
	return sort_sequences(lines, &program.sequences, arena, err);
}
