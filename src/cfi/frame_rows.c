/*
 * frame_rows.c -- the instructions of an FDE as rows of text (DWARF5 §6.4.2).
 *
 * Of each row only what differs from the one before is printed, but all of that: a rule that ends
 * is revoked, by the register itself where callees keep it and by ".undef" elsewhere; what cannot be
 * said is ".undef", too.
 */
#include "cfi/frame_section.h"
#include "cfi/postfix.h"

#define STATES_MAX 32u               /* remembered; compilers nest two */
#define WORD_BITS  64u
#define USED_WORDS ((CFI_COLUMNS + WORD_BITS - 1) / WORD_BITS)

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

enum rule_kind {
	RULE_UNSPECIFIED, RULE_UNDEFINED, RULE_SAME_VALUE, RULE_OFFSET, RULE_VAL_OFFSET,
	RULE_REGISTER,               /* its number; of the CFA with an offset */
	RULE_EXPRESSION, RULE_VAL_EXPRESSION,
};

struct rule {
	int64_t value;               /* an offset, or where the expression lies */
	uint32_t extra;              /* a register, or the size of the expression */
	uint32_t kind;
};

struct row_state {
	struct rule cfa;
	uint64_t used[USED_WORDS];   /* columns with a rule */
	struct rule rules[CFI_COLUMNS];
};

/* A function's instructions while they run. */
struct frame_rows {
	struct cfi_writer *writer;
	const struct frame_section *frames;
	const struct frame_description *description;
	const struct cfi_registers *registers;
	struct row_state now, printed, initial;
	struct row_state states[STATES_MAX];
	unsigned state_count;
	uint64_t changed[USED_WORDS];        /* since a row was printed, perhaps */
	bool has_init;
	uint64_t location;           /* relative to the function */
	uint32_t return_column;
};

/* --- States -------------------------------------------------------------------------- */

static void state_clear(struct row_state *state)
{
	state->cfa = (struct rule){ .kind = RULE_UNSPECIFIED };
	memset(state->used, 0, sizeof(state->used));
}

/* Rules of columns that are not used are whatever they were. */
static void state_copy(struct row_state *to, const struct row_state *from)
{
	to->cfa = from->cfa;
	for (unsigned word = 0; word < USED_WORDS; word++) {
		uint64_t left = to->used[word] = from->used[word];

		for (; left; left &= left - 1) {
			unsigned column = word * WORD_BITS + (unsigned)__builtin_ctzll(left);

			to->rules[column] = from->rules[column];
		}
	}
}

static inline bool is_used(const struct row_state *state, uint64_t column)
{
	return state->used[column / WORD_BITS] >> column % WORD_BITS & 1;
}

static struct rule rule_of(const struct row_state *state, uint64_t column)
{
	return is_used(state, column) ? state->rules[column]
				      : (struct rule){ .kind = RULE_UNSPECIFIED };
}

static inline void set_rule(struct frame_rows *rows, uint64_t column, enum rule_kind kind,
			    int64_t value, uint32_t extra)
{
	uint64_t bit = UINT64_C(1) << column % WORD_BITS;

	if (column >= CFI_COLUMNS)
		return;
	rows->changed[column / WORD_BITS] |= bit;
	rows->now.used[column / WORD_BITS] |= bit;
	rows->now.rules[column] = (struct rule){ value, extra, kind };
}

static void restore_rule(struct frame_rows *rows, uint64_t column)
{
	uint64_t bit = UINT64_C(1) << column % WORD_BITS;

	if (column >= CFI_COLUMNS)
		return;
	rows->changed[column / WORD_BITS] |= bit;
	if (is_used(&rows->initial, column)) {
		rows->now.used[column / WORD_BITS] |= bit;
		rows->now.rules[column] = rows->initial.rules[column];
	} else {
		rows->now.used[column / WORD_BITS] &= ~bit;
	}
}

static void note_all_changed(struct frame_rows *rows)
{
	for (unsigned word = 0; word < USED_WORDS; word++)
		rows->changed[word] |= rows->now.used[word];
}

static bool remember_state(struct frame_rows *rows)
{
	if (rows->state_count == STATES_MAX)
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

/* --- Printing ------------------------------------------------------------------------ */

static void print_name(struct frame_rows *rows, uint32_t column)
{
	CFI_OUT_LITERAL(&rows->writer->out, " ");
	if (column == rows->return_column)
		CFI_OUT_LITERAL(&rows->writer->out, ".ra");
	else
		cfi_out_text(&rows->writer->out, rows->registers->names[column]);
	CFI_OUT_LITERAL(&rows->writer->out, ": ");
}

static void print_register(struct frame_rows *rows, uint64_t column)
{
	struct text name = cfi_register_name(rows->registers, column);

	cfi_out_text(&rows->writer->out, name.bytes ? name : TEXT(".undef"));
}

/* Nothing said is printed as what it means (see the head). */
static void print_revoked(struct frame_rows *rows, uint32_t column)
{
	bool is_return = column == rows->return_column;

	if (column == rows->registers->stack_pointer)
		CFI_OUT_LITERAL(&rows->writer->out, ".cfa");
	else if (is_return ? rows->registers->link != CFI_NO_COLUMN
			   : cfi_register_is_kept(rows->registers, column))
		print_register(rows, column);
	else
		CFI_OUT_LITERAL(&rows->writer->out, ".undef");
}

static void print_expression(struct frame_rows *rows, const struct rule *rule, bool is_cfa)
{
	struct reader expression = reader_window(&rows->frames->reader, "expression",
						 (uint64_t)rule->value, rule->extra);
	struct cfi_out *out = &rows->writer->out;
	char text[POSTFIX_BYTES];
	size_t size = postfix_from_dwarf(expression, rows->registers,
					 rows->description->common.address_bytes, !is_cfa, text);

	if (size == 0) {
		CFI_OUT_LITERAL(out, ".undef");
		return;
	}
	cfi_out_bytes(out, text, size);
	if (rule->kind == RULE_EXPRESSION)
		CFI_OUT_LITERAL(out, " ^");
}

static void print_rule(struct frame_rows *rows, uint32_t column, const struct rule *rule)
{
	struct cfi_out *out = &rows->writer->out;

	cfi_out_make_room(out);
	print_name(rows, column);
	switch (rule->kind) {
	case RULE_OFFSET:
		CFI_OUT_LITERAL(out, ".cfa ");
		cfi_out_decimal(out, rule->value);
		CFI_OUT_LITERAL(out, " + ^");
		break;
	case RULE_VAL_OFFSET:
		CFI_OUT_LITERAL(out, ".cfa ");
		cfi_out_decimal(out, rule->value);
		CFI_OUT_LITERAL(out, " +");
		break;
	case RULE_SAME_VALUE:
		print_register(rows, column);
		break;
	case RULE_REGISTER:
		print_register(rows, rule->extra);
		break;
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
		print_expression(rows, rule, false);
		break;
	case RULE_UNSPECIFIED:
		print_revoked(rows, column);
		break;
	default:
		CFI_OUT_LITERAL(out, ".undef");
	}
}

static bool is_same(const struct rule *a, const struct rule *b)
{
	return a->kind == b->kind && a->value == b->value && a->extra == b->extra;
}

static bool print_cfa(struct frame_rows *rows)
{
	const struct rule *cfa = &rows->now.cfa;
	struct cfi_out *out = &rows->writer->out;

	if (rows->has_init && is_same(cfa, &rows->printed.cfa))
		return false;
	if (cfa->kind == RULE_REGISTER && cfi_register_name(rows->registers, cfa->extra).bytes) {
		cfi_out_frame(out, cfi_register_name(rows->registers, cfa->extra), cfa->value);
	} else {
		CFI_OUT_LITERAL(out, " .cfa: ");
		if (cfa->kind == RULE_VAL_EXPRESSION)
			print_expression(rows, cfa, true);
		else
			CFI_OUT_LITERAL(out, ".undef");
	}
	rows->printed.cfa = *cfa;
	return true;
}

/* In the first row there is nothing to revoke: what is undefined is not said, but for what the
 * caller would take over.  Of a return address that is undefined nothing is said either: there
 * is no caller. */
static bool is_silent(const struct frame_rows *rows, uint32_t column, const struct rule *rule)
{
	if (rows->has_init)
		return false;
	return rule->kind == RULE_UNSPECIFIED ||
	       (rule->kind == RULE_UNDEFINED &&
		(column == rows->return_column || !cfi_register_is_kept(rows->registers, column)));
}

static void set_printed(struct frame_rows *rows, uint32_t column, const struct rule *rule)
{
	uint64_t bit = UINT64_C(1) << column % WORD_BITS;

	rows->printed.rules[column] = *rule;
	rows->printed.used[column / WORD_BITS] |= bit;
}

static bool print_changed(struct frame_rows *rows)
{
	bool any = false;

	for (unsigned word = 0; word < USED_WORDS; word++) {
		uint64_t left = rows->changed[word];

		for (rows->changed[word] = 0; left; left &= left - 1) {
			uint32_t column = word * WORD_BITS + (unsigned)__builtin_ctzll(left);
			struct rule rule = rule_of(&rows->now, column);
			struct rule before = rule_of(&rows->printed, column);

			if (is_same(&rule, &before))
				continue;
			set_printed(rows, column, &rule);
			if ((!rows->registers->names[column].bytes &&
			     column != rows->return_column) || is_silent(rows, column, &rule))
				continue;
			print_rule(rows, column, &rule);
			any = true;
		}
	}
	return any;
}

/* The row of the current location; nothing is left of it when nothing differs. */
static void print_row(struct frame_rows *rows)
{
	const struct frame_description *description = rows->description;
	struct cfi_out *out = &rows->writer->out;
	uint64_t start = description->start - rows->frames->load_address;
	size_t before;
	bool any;

	cfi_out_make_room(out);
	before = out->used;
	if (rows->has_init)
		cfi_out_row(out, start + rows->location);
	else
		cfi_out_init(out, start, description->size);
	any = print_cfa(rows);
	any |= print_changed(rows);
	if (!rows->has_init && rows->return_column < CFI_COLUMNS &&
	    !is_used(&rows->now, rows->return_column) && rows->registers->link != CFI_NO_COLUMN) {
		cfi_out_make_room(out);
		print_name(rows, rows->return_column);
		print_register(rows, rows->return_column);
	}
	rows->has_init = true;
	if (any)
		cfi_out_end_line(out);
	else
		out->used = before;
}

/* --- Running ------------------------------------------------------------------------- */

/* False: the function is over. */
static bool advance(struct frame_rows *rows, uint64_t delta)
{
	uint64_t size = rows->description->size;

	if (delta == 0)
		return true;
	print_row(rows);
	if (delta >= size - rows->location) {
		rows->location = size;
		return false;
	}
	rows->location += delta;
	return true;
}

static bool advance_to(struct frame_rows *rows, uint64_t address)
{
	uint64_t now = rows->description->start + rows->location;

	return address >= now && advance(rows, address - now);
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

static struct rule read_expression(struct reader *reader, enum rule_kind kind)
{
	uint64_t size = reader_uleb128(reader);
	struct rule rule = { .value = (int64_t)reader->pos, .kind = kind };

	reader_skip(reader, size);
	rule.extra = size <= UINT32_MAX ? (uint32_t)size : 0;
	return rule;
}

static void run_expression(struct frame_rows *rows, unsigned op, struct reader *reader)
{
	uint64_t column;
	struct rule rule;

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
	return (int64_t)(value * (uint64_t)rows->description->common.data_factor);
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

static bool run_cfa(struct frame_rows *rows, unsigned op, struct reader *reader)
{
	uint64_t column;

	switch (op) {
	case CFA_DEF_CFA:
		column = reader_uleb128(reader);
		set_cfa(rows, column, (int64_t)reader_uleb128(reader));
		return true;
	case CFA_DEF_CFA_SF:
		column = reader_uleb128(reader);
		set_cfa(rows, column, scaled(rows, (uint64_t)reader_sleb128(reader)));
		return true;
	case CFA_DEF_CFA_REGISTER:
		set_cfa_register(rows, reader_uleb128(reader));
		return true;
	case CFA_DEF_CFA_OFFSET:
		set_cfa_offset(rows, (int64_t)reader_uleb128(reader));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		set_cfa_offset(rows, scaled(rows, (uint64_t)reader_sleb128(reader)));
		return true;
	case CFA_DEF_CFA_EXPRESSION:
	case CFA_EXPRESSION:
	case CFA_VAL_EXPRESSION:
		run_expression(rows, op, reader);
		return true;
	default:
		return run_rule(rows, op, reader);
	}
}

enum outcome { GOES_ON, IS_OVER, IS_BAD };

static enum outcome of_advance(bool goes_on)
{
	return goes_on ? GOES_ON : IS_OVER;
}

static enum outcome run_extended(struct frame_rows *rows, unsigned op, struct reader *reader)
{
	uint64_t factor = rows->description->common.code_factor;

	switch (op) {
	case CFA_NOP:
	case CFA_AARCH64_NEGATE_RA_STATE:
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		return GOES_ON;
	case CFA_SET_LOC:
		return of_advance(advance_to(rows, reader_unsigned(
			reader, rows->description->common.address_bytes)));
	case CFA_ADVANCE_LOC1:
		return of_advance(advance(rows, reader_u8(reader) * factor));
	case CFA_ADVANCE_LOC2:
		return of_advance(advance(rows, reader_u16(reader) * factor));
	case CFA_ADVANCE_LOC4:
		return of_advance(advance(rows, reader_u32(reader) * factor));
	case CFA_MIPS_ADVANCE_LOC8:
		return of_advance(advance(rows, reader_u64(reader) * factor));
	case CFA_REMEMBER_STATE:
		return remember_state(rows) ? GOES_ON : IS_BAD;
	case CFA_RESTORE_STATE:
		return restore_state(rows) ? GOES_ON : IS_BAD;
	default:
		return run_cfa(rows, op, reader) ? GOES_ON : IS_BAD;
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
			outcome = of_advance(
				advance(rows, low * rows->description->common.code_factor));
			break;
		case CFA_OFFSET:
			set_rule(rows, low, RULE_OFFSET, scaled(rows, reader_uleb128(&reader)), 0);
			break;
		case CFA_RESTORE:
			restore_rule(rows, low);
			break;
		default:
			outcome = run_extended(rows, op, &reader);
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
		now->cfa = (struct rule){ .kind = RULE_UNDEFINED };
		print_row(rows);
	}
	return blame(rows);
}

int frame_rows_print(struct cfi_writer *writer, const struct frame_section *frames,
		     const struct frame_description *description, struct err *err)
{
	struct frame_rows rows;      /* most of it is never touched */
	const struct frame_common *common = &description->common;
	enum outcome outcome;

	if (work_charge(&writer->work, common->instructions_end - common->instructions_at +
				       description->instructions_end -
				       description->instructions_at, err) < 0)
		return -1;
	rows.writer = writer;
	rows.frames = frames;
	rows.description = description;
	rows.registers = frames->registers;
	rows.return_column = common->return_column;
	rows.state_count = 0;
	rows.has_init = false;
	rows.location = 0;
	state_clear(&rows.now);
	state_clear(&rows.printed);
	state_clear(&rows.initial);
	memset(rows.changed, 0, sizeof(rows.changed));
	if (run(&rows, common->instructions_at, common->instructions_end) != GOES_ON ||
	    rows.has_init)
		return blame(&rows);
	state_copy(&rows.initial, &rows.now);
	rows.state_count = 0;
	outcome = run(&rows, description->instructions_at, description->instructions_end);
	if (outcome == IS_BAD)
		return end_badly(&rows);
	if (outcome == GOES_ON)
		print_row(&rows);
	return 0;
}
