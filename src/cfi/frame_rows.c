/* frame_rows.c -- see frame_rows.h: the instructions of a CIE and an FDE (DWARF5 §6.4.2). */
#include "cfi/frame_rows.h"

#include "cfi/frame_section.h"

enum {
	CFA_ADVANCE_LOC = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00, CFA_SET_LOC = 0x01, CFA_ADVANCE_LOC1 = 0x02, CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04, CFA_OFFSET_EXTENDED = 0x05, CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07, CFA_SAME_VALUE = 0x08, CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a, CFA_RESTORE_STATE = 0x0b, CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d, CFA_DEF_CFA_OFFSET = 0x0e, CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10, CFA_OFFSET_EXTENDED_SF = 0x11, CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13, CFA_VAL_OFFSET = 0x14, CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16, CFA_MIPS_ADVANCE_LOC8 = 0x1d,
	CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_AARCH64_NEGATE_RA_STATE = 0x2d,  /* pointers are stripped by who walks */
	CFA_GNU_ARGS_SIZE = 0x2e, CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

/* --- States -------------------------------------------------------------------------- */

static void state_clear(struct row_state *state)
{
	state->cfa = (struct frame_rule){ .kind = RULE_UNSPECIFIED };
	memset(state->used, 0, sizeof(state->used));
}

/* Rules of columns that are not used are whatever they were. */
static void state_copy(struct row_state *to, const struct row_state *from)
{
	to->cfa = from->cfa;
	for (unsigned word = 0; word < FRAME_USED_WORDS; word++) {
		uint64_t left = to->used[word] = from->used[word];

		for (; left; left &= left - 1) {
			unsigned column = word * FRAME_WORD_BITS + (unsigned)__builtin_ctzll(left);

			to->rules[column] = from->rules[column];
		}
	}
}

static inline void set_rule(struct frame_rows *rows, uint64_t column, enum rule_kind kind,
			    int64_t value, uint32_t extra)
{
	uint64_t bit = UINT64_C(1) << column % FRAME_WORD_BITS;

	if (column >= CFI_COLUMNS)
		return;
	rows->changed[column / FRAME_WORD_BITS] |= bit;
	rows->now.used[column / FRAME_WORD_BITS] |= bit;
	rows->now.rules[column] = (struct frame_rule){ value, extra, kind };
}

static void restore_rule(struct frame_rows *rows, uint64_t column)
{
	uint64_t bit = UINT64_C(1) << column % FRAME_WORD_BITS;

	if (column >= CFI_COLUMNS)
		return;
	rows->changed[column / FRAME_WORD_BITS] |= bit;
	if (row_state_has(&rows->initial, column)) {
		rows->now.used[column / FRAME_WORD_BITS] |= bit;
		rows->now.rules[column] = rows->initial.rules[column];
	} else {
		rows->now.used[column / FRAME_WORD_BITS] &= ~bit;
	}
}

static void note_all_changed(struct frame_rows *rows)
{
	for (unsigned word = 0; word < FRAME_USED_WORDS; word++)
		rows->changed[word] |= rows->now.used[word];
}

static bool remember_state(struct frame_rows *rows)
{
	if (rows->state_count == FRAME_STATES_MAX)
		return false;
	state_copy(&rows->states[rows->state_count++], &rows->now);
	return true;
}

static bool restore_state(struct frame_rows *rows)
{
	if (rows->state_count == 0)
		return false;
	note_all_changed(rows);
	state_copy(&rows->now, &rows->states[--rows->state_count]);
	note_all_changed(rows);
	return true;
}

/* --- Running ------------------------------------------------------------------------- */

enum outcome { GOES_ON, IS_OVER, IS_BAD };

/* A common entry stands before all code: there is nothing to advance over. */
static inline enum outcome advance(struct frame_rows *rows, uint64_t delta)
{
	uint64_t size = rows->description->size;

	if (delta == 0)
		return GOES_ON;
	if (rows->is_common)
		return IS_BAD;
	frame_rows_print_row(rows);
	if (delta >= size - rows->location) {
		rows->location = size;
		return IS_OVER;
	}
	rows->location += delta;
	return GOES_ON;
}

static enum outcome advance_to(struct frame_rows *rows, uint64_t address)
{
	uint64_t now = rows->description->start + rows->location;

	return address >= now ? advance(rows, address - now) : IS_OVER;
}

static void set_cfa_offset(struct frame_rows *rows, int64_t offset)
{
	rows->now.cfa.value = offset;
	if (rows->now.cfa.kind != RULE_REGISTER)
		rows->now.cfa.kind = RULE_UNDEFINED;
}

static void set_cfa_register(struct frame_rows *rows, uint64_t column)
{
	if (rows->now.cfa.kind != RULE_REGISTER)
		rows->now.cfa.value = 0;
	rows->now.cfa.kind = RULE_REGISTER;
	rows->now.cfa.extra = column < CFI_COLUMNS ? (uint32_t)column : CFI_NO_COLUMN;
}

static void set_cfa(struct frame_rows *rows, uint64_t column, int64_t offset)
{
	set_cfa_register(rows, column);
	rows->now.cfa.value = offset;
}

static struct frame_rule read_expression(struct reader *reader, enum rule_kind kind)
{
	uint64_t size = reader_uleb128(reader);
	struct frame_rule rule = { .value = (int64_t)reader->pos, .kind = kind };

	reader_skip(reader, size);
	rule.extra = size <= UINT32_MAX ? (uint32_t)size : 0;
	return rule;
}

static void run_expression(struct frame_rows *rows, unsigned op, struct reader *reader)
{
	uint64_t column;
	struct frame_rule rule;

	if (op == CFA_DEF_CFA_EXPRESSION) {
		rows->now.cfa = read_expression(reader, RULE_VAL_EXPRESSION);
		return;
	}
	column = reader_uleb128(reader);
	rule = read_expression(reader, op == CFA_EXPRESSION ? RULE_EXPRESSION
							    : RULE_VAL_EXPRESSION);
	set_rule(rows, column, rule.kind, rule.value, rule.extra);
}

static int64_t scaled(const struct frame_rows *rows, uint64_t value)
{
	return (int64_t)(value * (uint64_t)rows->description->common->data_factor);
}

/* Rules of registers; false: no such instruction. */
static bool run_rule(struct frame_rows *rows, unsigned op, struct reader *reader)
{
	uint64_t column = op == CFA_GNU_ARGS_SIZE ? 0 : reader_uleb128(reader);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(rows, column, RULE_OFFSET, scaled(rows, reader_uleb128(reader)), 0);
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(rows, column, RULE_OFFSET,
			 scaled(rows, (uint64_t)reader_sleb128(reader)), 0);
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_rule(rows, column, RULE_OFFSET, -scaled(rows, reader_uleb128(reader)), 0);
		return true;
	case CFA_VAL_OFFSET:
		set_rule(rows, column, RULE_VAL_OFFSET, scaled(rows, reader_uleb128(reader)), 0);
		return true;
	case CFA_VAL_OFFSET_SF:
		set_rule(rows, column, RULE_VAL_OFFSET,
			 scaled(rows, (uint64_t)reader_sleb128(reader)), 0);
		return true;
	case CFA_RESTORE_EXTENDED:
		restore_rule(rows, column);
		return true;
	case CFA_UNDEFINED:
		set_rule(rows, column, RULE_UNDEFINED, 0, 0);
		return true;
	case CFA_SAME_VALUE:
		set_rule(rows, column, RULE_SAME_VALUE, 0, 0);
		return true;
	case CFA_REGISTER:
		set_rule(rows, column, RULE_REGISTER, 0,
			 (uint32_t)(reader_uleb128(reader) & UINT32_MAX));
		return true;
	case CFA_GNU_ARGS_SIZE:
		(void)reader_uleb128(reader);
		return true;
	default:
		return false;
	}
}

static enum outcome run_rare(struct frame_rows *rows, unsigned op, struct reader *reader)
{
	uint64_t column;

	switch (op) {
	case CFA_SET_LOC:
		return advance_to(rows, reader_unsigned(
			reader, rows->description->common->address_bytes));
	case CFA_MIPS_ADVANCE_LOC8:
		return advance(rows, reader_u64(reader) *
				     rows->description->common->code_factor);
	case CFA_DEF_CFA_SF:
		column = reader_uleb128(reader);
		set_cfa(rows, column, scaled(rows, (uint64_t)reader_sleb128(reader)));
		return GOES_ON;
	case CFA_DEF_CFA_OFFSET_SF:
		set_cfa_offset(rows, scaled(rows, (uint64_t)reader_sleb128(reader)));
		return GOES_ON;
	case CFA_AARCH64_NEGATE_RA_STATE:
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		return GOES_ON;
	case CFA_DEF_CFA_EXPRESSION:
	case CFA_EXPRESSION:
	case CFA_VAL_EXPRESSION:
		run_expression(rows, op, reader);
		return GOES_ON;
	default:
		return run_rule(rows, op, reader) ? GOES_ON : IS_BAD;
	}
}

/* The reader of the loop below stays in registers: functions that are not inlined get at a copy. */
static inline uint64_t read_uleb128(struct reader *reader)
{
	struct reader copy = *reader;
	uint64_t value = reader_uleb128(&copy);

	reader->pos = copy.pos;
	reader->failed = copy.failed;
	return value;
}

static inline enum outcome run_copy(struct frame_rows *rows, unsigned op, struct reader *reader)
{
	struct reader copy = *reader;
	enum outcome outcome = run_rare(rows, op, &copy);

	reader->pos = copy.pos;
	reader->failed = copy.failed;
	return outcome;
}

static inline enum outcome run_usual(struct frame_rows *rows, unsigned op, struct reader *reader)
{
	uint64_t factor = rows->description->common->code_factor, column;

	switch (op) {
	case CFA_NOP:
		return GOES_ON;
	case CFA_ADVANCE_LOC1:
		return advance(rows, reader_u8(reader) * factor);
	case CFA_ADVANCE_LOC2:
		return advance(rows, reader_u16(reader) * factor);
	case CFA_ADVANCE_LOC4:
		return advance(rows, reader_u32(reader) * factor);
	case CFA_REMEMBER_STATE:
		return remember_state(rows) ? GOES_ON : IS_BAD;
	case CFA_RESTORE_STATE:
		return restore_state(rows) ? GOES_ON : IS_BAD;
	case CFA_DEF_CFA:
		column = read_uleb128(reader);
		set_cfa(rows, column, (int64_t)read_uleb128(reader));
		return GOES_ON;
	case CFA_DEF_CFA_REGISTER:
		set_cfa_register(rows, read_uleb128(reader));
		return GOES_ON;
	case CFA_DEF_CFA_OFFSET:
		set_cfa_offset(rows, (int64_t)read_uleb128(reader));
		return GOES_ON;
	default:
		return run_copy(rows, op, reader);
	}
}

static enum outcome run(struct frame_rows *rows, uint64_t at, uint64_t end)
{
	struct reader reader = rows->frames->reader;
	enum outcome outcome = GOES_ON;

	reader.size = (size_t)end;           /* inside the section: its entries are */
	reader_seek(&reader, at);
	while (outcome == GOES_ON && !reader_at_end(&reader)) {
		unsigned op = reader_u8(&reader), low = op & 0x3f;

		switch (op & 0xc0) {
		case CFA_ADVANCE_LOC:
			outcome = advance(rows, low * rows->description->common->code_factor);
			break;
		case CFA_OFFSET:
			set_rule(rows, low, RULE_OFFSET, scaled(rows, read_uleb128(&reader)), 0);
			break;
		case CFA_RESTORE:
			restore_rule(rows, low);
			break;
		default:
			outcome = run_usual(rows, op, &reader);
		}
	}
	return reader.failed && outcome == GOES_ON ? IS_BAD : outcome;
}

static int blame(struct frame_rows *rows)
{
	struct err why = ERR_INIT;

	err_set(&why, ERR_MALFORMED, "%s: bad instructions for the function at 0x%llx",
		rows->frames->section->name, (unsigned long long)rows->description->start);
	cfi_writer_blame(rows->writer, &why);
	return 0;
}

/* Behind an instruction that cannot be read nothing is known. */
static int end_badly(struct frame_rows *rows)
{
	struct row_state *now = &rows->now;

	if (rows->has_init) {
		note_all_changed(rows);
		state_copy(now, &rows->printed);
		memset(rows->changed, 0, sizeof(rows->changed));
		now->cfa = (struct frame_rule){ .kind = RULE_UNDEFINED };
		frame_rows_print_row(rows);
	}
	return blame(rows);
}

/* What the common entry says first: that of the function before, mostly. */
static bool begin_with_common(struct frame_rows *rows)
{
	const struct frame_common *common = rows->description->common;

	if (!rows->has_initial || rows->initial_of != common->offset) {
		rows->is_common = true;
		state_clear(&rows->initial);
		state_clear(&rows->now);
		rows->has_initial = run(rows, common->instructions_at,
					common->instructions_end) == GOES_ON;
		rows->initial_of = common->offset;
		state_copy(&rows->initial, &rows->now);
		rows->is_common = false;
	}
	state_copy(&rows->now, &rows->initial);
	memset(rows->printed.used, 0, sizeof(rows->printed.used));
	memcpy(rows->changed, rows->now.used, sizeof(rows->changed));
	rows->state_count = 0;
	return rows->has_initial;
}

int frame_rows_print(struct cfi_writer *writer, struct frame_section *frames,
		     const struct frame_description *description, struct err *err)
{
	const struct frame_common *common = description->common;
	struct frame_rows *rows = &frames->rows;
	enum outcome outcome;

	if (work_charge(&writer->work, common->instructions_end - common->instructions_at +
				       description->instructions_end -
				       description->instructions_at, err) < 0)
		return -1;
	rows->writer = writer;
	rows->frames = frames;
	rows->description = description;
	rows->registers = frames->registers;
	rows->return_column = common->return_column;
	rows->has_init = false;
	rows->location = 0;
	if (!begin_with_common(rows))
		return blame(rows);
	outcome = run(rows, description->instructions_at, description->instructions_end);
	if (outcome == IS_BAD)
		return end_badly(rows);
	if (outcome == GOES_ON)
		frame_rows_print_row(rows);
	return 0;
}
