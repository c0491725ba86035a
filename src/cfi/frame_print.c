/*
 * frame_print.c -- a row of rules as text.
 *
 * Of each row only what differs from the one before is printed, but all of that: a rule that ends
 * is revoked, by the register itself where callees keep it and by ".undef" elsewhere; what cannot be
 * said is ".undef", too.  Large programs have millions of rows made of a few hundred different
 * rules: each rule is put into words once.
 */
#include "cfi/frame_rows.h"

#include "cfi/frame_section.h"
#include "cfi/postfix.h"

/* Whose rule it is: one of these, beside the column of a register. */
#define SUBJECT_REGISTER 0x080u
#define SUBJECT_RETURN   0x100u
#define SUBJECT_CFA      0x200u
#define SUBJECT_COLUMN   0x07fu

_Static_assert(CFI_COLUMNS <= SUBJECT_COLUMN, "columns fit into a subject");
_Static_assert((CFI_COLUMNS + 4) * PHRASE_TEXT_BYTES < CFI_OUT_ROOM, "a row of phrases has room");

/* --- Rules --------------------------------------------------------------------------- */

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

static void print_expression(struct frame_rows *rows, const struct frame_rule *rule, bool is_cfa)
{
	struct reader expression = reader_window(&rows->frames->reader, "expression",
						 (uint64_t)rule->value, rule->extra);
	struct cfi_out *out = &rows->writer->out;
	char text[POSTFIX_BYTES];
	size_t size = postfix_from_dwarf(expression, rows->registers,
					 rows->description->common->address_bytes, !is_cfa, text);

	if (size == 0) {
		CFI_OUT_LITERAL(out, ".undef");
		return;
	}
	cfi_out_bytes(out, text, size);
	if (rule->kind == RULE_EXPRESSION)
		CFI_OUT_LITERAL(out, " ^");
}

static void print_rule(struct frame_rows *rows, uint32_t column, const struct frame_rule *rule)
{
	struct cfi_out *out = &rows->writer->out;

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

static void print_cfa_rule(struct frame_rows *rows, const struct frame_rule *cfa)
{
	struct cfi_out *out = &rows->writer->out;

	if (cfa->kind == RULE_REGISTER && cfi_register_name(rows->registers, cfa->extra).bytes) {
		cfi_out_frame(out, cfi_register_name(rows->registers, cfa->extra), cfa->value);
		return;
	}
	CFI_OUT_LITERAL(out, " .cfa: ");
	if (cfa->kind == RULE_VAL_EXPRESSION)
		print_expression(rows, cfa, true);
	else
		CFI_OUT_LITERAL(out, ".undef");
}

/* --- Phrases ------------------------------------------------------------------------- */

static inline bool is_same(const struct frame_rule *a, const struct frame_rule *b)
{
	return a->value == b->value && a->extra == b->extra && a->kind == b->kind;
}

/* The words are kept when they are short; those of an expression are one function's. */
static void __attribute__((noinline))
print_new(struct frame_rows *rows, struct frame_phrase *phrase, uint32_t subject,
	  const struct frame_rule *rule)
{
	struct cfi_out *out = &rows->writer->out;
	size_t before;

	cfi_out_make_room(out);
	before = out->used;
	if (subject & SUBJECT_CFA)
		print_cfa_rule(rows, rule);
	else
		print_rule(rows, subject & SUBJECT_COLUMN, rule);
	if (rule->kind < RULE_EXPRESSION && out->used - before <= sizeof(phrase->text)) {
		phrase->rule = *rule;
		phrase->subject = subject;
		phrase->size = (uint32_t)(out->used - before);
		memcpy(phrase->text, out->bytes + before, out->used - before);
	}
	cfi_out_make_room(out);              /* for the rest of the row */
}

static inline void print_phrase(struct frame_rows *rows, uint32_t subject,
				const struct frame_rule *rule)
{
	struct cfi_out *out = &rows->writer->out;
	uint32_t mixed = (uint32_t)rule->value >> 2 ^ subject * 37 ^ rule->extra * 5 ^ rule->kind;
	struct frame_phrase *phrase = &rows->phrases[mixed % FRAME_PHRASES];

	if (__builtin_expect(phrase->subject != subject || !is_same(&phrase->rule, rule), 0)) {
		print_new(rows, phrase, subject, rule);
		return;
	}
	/* Of any size the whole field: one size to copy is faster than to tell how much. */
	memcpy(out->bytes + out->used, phrase->text, sizeof(phrase->text));
	out->used += phrase->size;
}

/* --- Rows ---------------------------------------------------------------------------- */

static inline bool print_cfa(struct frame_rows *rows)
{
	if (rows->has_init && is_same(&rows->now.cfa, &rows->printed.cfa))
		return false;
	print_phrase(rows, SUBJECT_CFA, &rows->now.cfa);
	rows->printed.cfa = rows->now.cfa;
	return true;
}

/* In the first row there is nothing to revoke: what is undefined is not said, but for what the
 * caller would take over.  Of a return address that is undefined nothing is said either: there
 * is no caller. */
static bool is_silent(const struct frame_rows *rows, uint32_t column, const struct frame_rule *rule)
{
	if (rows->has_init)
		return false;
	return rule->kind == RULE_UNSPECIFIED ||
	       (rule->kind == RULE_UNDEFINED &&
		(column == rows->return_column || !cfi_register_is_kept(rows->registers, column)));
}

static bool print_column(struct frame_rows *rows, uint32_t column)
{
	static const struct frame_rule unspecified = { .kind = RULE_UNSPECIFIED };
	const struct frame_rule *rule = row_state_has(&rows->now, column) ? &rows->now.rules[column]
									  : &unspecified;
	struct frame_rule *printed = &rows->printed.rules[column];
	bool is_return = column == rows->return_column;

	if (is_same(rule, row_state_has(&rows->printed, column) ? printed : &unspecified))
		return false;
	*printed = *rule;
	rows->printed.used[column / FRAME_WORD_BITS] |= UINT64_C(1) << column % FRAME_WORD_BITS;
	if ((!is_return && !rows->registers->names[column].bytes) || is_silent(rows, column, rule))
		return false;
	print_phrase(rows, column | (is_return ? SUBJECT_RETURN : SUBJECT_REGISTER), rule);
	return true;
}

static inline bool print_changed(struct frame_rows *rows)
{
	bool any = false;

	for (unsigned word = 0; word < FRAME_USED_WORDS; word++) {
		uint64_t left = rows->changed[word];

		if (left == 0)
			continue;
		for (rows->changed[word] = 0; left; left &= left - 1)
			any |= print_column(rows, word * FRAME_WORD_BITS +
						  (unsigned)__builtin_ctzll(left));
	}
	return any;
}

void frame_rows_print_row(struct frame_rows *rows)
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
	    !row_state_has(&rows->now, rows->return_column) &&
	    rows->registers->link != CFI_NO_COLUMN) {
		print_name(rows, rows->return_column);
		print_register(rows, rows->return_column);
	}
	rows->has_init = true;
	if (any)
		cfi_out_end_line(out);
	else
		out->used = before;
}
