/*
 * frame_rows -- the rules of a function's columns while its instructions run, row by row, and those
 * that have been printed.
 *
 * Private to cfi; frame_rows.c runs, frame_print.c prints.
 *
 * May include: base, object.
 */
#ifndef CFI_FRAME_ROWS_H
#define CFI_FRAME_ROWS_H

#include "cfi/cfi_writer.h"

#define FRAME_STATES_MAX 32u         /* remembered; compilers nest two */
#define FRAME_WORD_BITS  64u
#define FRAME_USED_WORDS ((CFI_COLUMNS + FRAME_WORD_BITS - 1) / FRAME_WORD_BITS)
#define FRAME_PHRASES    256u        /* a power of two */
#define PHRASE_TEXT_BYTES 40u

struct frame_section;
struct frame_description;

enum rule_kind {
	RULE_UNSPECIFIED, RULE_UNDEFINED, RULE_SAME_VALUE, RULE_OFFSET, RULE_VAL_OFFSET,
	RULE_REGISTER,               /* its number; of the CFA with an offset */
	RULE_EXPRESSION, RULE_VAL_EXPRESSION,
};

struct frame_rule {
	int64_t value;               /* an offset, or where the expression lies */
	uint32_t extra;              /* a register, or the size of the expression */
	uint32_t kind;
};

struct row_state {
	struct frame_rule cfa;
	uint64_t used[FRAME_USED_WORDS];     /* columns with a rule */
	struct frame_rule rules[CFI_COLUMNS];
};

/* A rule as text, kept for the next time: programs have a few hundred different ones. */
struct frame_phrase {
	struct frame_rule rule;
	uint32_t subject;            /* whose: a column and its meaning, not 0 */
	uint32_t size;
	char text[PHRASE_TEXT_BYTES];
};

/* A function's instructions while they run.  Lives as long as its section: what a common entry
 * says first, and the phrases, hold for the next function, too. */
struct frame_rows {
	struct cfi_writer *writer;
	const struct frame_section *frames;
	const struct frame_description *description;
	const struct cfi_registers *registers;
	bool has_init;               /* the first row is printed */
	bool is_common;              /* the instructions are those of the CIE */
	bool has_initial;            /* `initial` is what the CIE there says */
	uint64_t initial_of;
	uint64_t location;           /* relative to the function */
	uint32_t return_column;
	unsigned state_count;
	uint64_t changed[FRAME_USED_WORDS];  /* since a row was printed, perhaps */
	struct row_state now, printed, initial;
	struct row_state states[FRAME_STATES_MAX];
	struct frame_phrase phrases[FRAME_PHRASES];
};

static inline bool row_state_has(const struct row_state *state, uint64_t column)
{
	return state->used[column / FRAME_WORD_BITS] >> column % FRAME_WORD_BITS & 1;
}

/* frame_rows.c: prints the INIT record of a function and its rows. */
int frame_rows_print(struct cfi_writer *writer, struct frame_section *frames,
		     const struct frame_description *description, struct err *err)
	__attribute__((warn_unused_result));

/* frame_print.c: the row of the current location, unless nothing differs from the one before. */
void frame_rows_print_row(struct frame_rows *rows);

#endif
