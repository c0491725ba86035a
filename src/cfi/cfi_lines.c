/* cfi_lines.c -- see cfi_lines.h; the grammar is that of Breakpad's symbol files. */
#include "cfi/cfi_lines.h"

#define U32_DIGITS 8u
#define U64_DIGITS 16u

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline void skip_blanks(struct text *rest)
{
	while (rest->size > 0 && is_blank(rest->bytes[0])) {
		rest->bytes++;
		rest->size--;
	}
}

static inline void skip(struct text *rest, size_t size)
{
	rest->bytes += size;
	rest->size -= size;
}

struct text cfi_line_trim(struct text line)
{
	while (line.size > 0 && line.bytes[line.size - 1] == '\r')
		line.size--;
	return line;
}

struct text cfi_take_word(struct text *rest)
{
	const char *bytes = rest->bytes;
	size_t most = rest->size, size = 0;

	while (size < most && !is_blank(bytes[size]))
		size++;
	skip(rest, size);
	skip_blanks(rest);
	return (struct text){ bytes, size };
}

/* A digit's value and one, 0 for what is none.  A table, without a jump that depends on the digit: a
 * search reads hundreds, as random as addresses are. */
static const uint8_t hex_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static inline bool take_hex(struct text *rest, unsigned digits_max, uint64_t *value)
{
	const char *bytes = rest->bytes;
	uint64_t sum = 0;
	size_t size = rest->size, at = 0;
	unsigned digit;

	while (at < size && (digit = hex_digits[(unsigned char)bytes[at]]) != 0) {
		sum = sum << 4 | (digit - 1);
		at++;
	}
	*value = sum;
	if (at == 0 || at > digits_max || (at < size && !is_blank(bytes[at])))
		return false;
	skip(rest, at);
	skip_blanks(rest);
	return true;
}

bool cfi_take_hex(struct text *rest, unsigned digits_max, uint64_t *value)
{
	return take_hex(rest, digits_max, value);
}

/* A literal, so that it is compared as a number. */
#define STARTS_WITH(text, literal) \
	((text).size >= sizeof(literal) - 1 && \
	 memcmp((text).bytes, literal, sizeof(literal) - 1) == 0)
#define TAKE_KEYWORD(rest, literal) \
	(STARTS_WITH(*(rest), literal) && take_keyword(rest, sizeof(literal) - 1))

static inline bool take_keyword(struct text *rest, size_t size)
{
	if (rest->size <= size || !is_blank(rest->bytes[size]))
		return false;
	skip(rest, size);
	skip_blanks(rest);
	return true;
}

static enum cfi_line_kind win_kind(struct text *rest)
{
	uint64_t type;

	if (!cfi_take_hex(rest, 1, &type))
		return CFI_LINE_OTHER;
	if (type == CFI_WIN_FRAME_DATA)
		return CFI_LINE_WIN_FRAME_DATA;
	return type == CFI_WIN_FPO ? CFI_LINE_WIN_FPO : CFI_LINE_OTHER;
}

struct cfi_line cfi_line_read(struct text line)
{
	struct cfi_line read = { .kind = CFI_LINE_OTHER, .rest = line };

	if (!STARTS_WITH(line, "STACK "))
		return read;
	skip(&read.rest, sizeof("STACK ") - 1);
	skip_blanks(&read.rest);
	if (TAKE_KEYWORD(&read.rest, "CFI"))
		read.kind = TAKE_KEYWORD(&read.rest, "INIT") ? CFI_LINE_INIT : CFI_LINE_ROW;
	else if (TAKE_KEYWORD(&read.rest, "WIN"))
		read.kind = win_kind(&read.rest);
	if (read.kind != CFI_LINE_OTHER && !take_hex(&read.rest, U64_DIGITS, &read.address))
		read.kind = CFI_LINE_OTHER;
	return read;
}

enum cfi_line_kind cfi_line_guess(struct text line)
{
	if (STARTS_WITH(line, "STACK CFI ") && line.size > sizeof("STACK CFI ") &&
	    hex_digits[(unsigned char)line.bytes[sizeof("STACK CFI ") - 1]] != 0)
		return CFI_LINE_ROW;
	return cfi_line_read(line).kind;
}

bool cfi_line_take_size(struct cfi_line *line, uint64_t *size)
{
	return cfi_take_hex(&line->rest, U32_DIGITS, size) && *size > 0 &&
	       *size <= UINT64_MAX - line->address;
}

/* STACK WIN type rva code_size prologue epilogue parameters saved locals max_stack has_program
 * program|allocates_base_pointer */
bool cfi_win_read(struct text text, struct cfi_win *win)
{
	struct cfi_line line = cfi_line_read(cfi_line_trim(text));
	bool is_frame_data = line.kind == CFI_LINE_WIN_FRAME_DATA;
	uint64_t fields[6];
	struct text has_program;

	*win = (struct cfi_win){ .type = is_frame_data ? CFI_WIN_FRAME_DATA : CFI_WIN_FPO,
				 .start = line.address };
	if ((!is_frame_data && line.kind != CFI_LINE_WIN_FPO) ||
	    !cfi_line_take_size(&line, &win->size))
		return false;
	for (unsigned i = 0; i < 6; i++)
		if (!cfi_take_hex(&line.rest, U32_DIGITS, &fields[i]))
			return false;
	win->prologue_bytes = (uint32_t)fields[0];
	win->epilogue_bytes = (uint32_t)fields[1];
	win->parameter_bytes = (uint32_t)fields[2];
	win->saved_register_bytes = (uint32_t)fields[3];
	win->local_bytes = (uint32_t)fields[4];
	win->max_stack_bytes = (uint32_t)fields[5];
	has_program = cfi_take_word(&line.rest);
	if (has_program.size != 1 || !ascii_is_digit(has_program.bytes[0]) ||
	    (has_program.bytes[0] == '1') != is_frame_data || line.rest.size == 0)
		return false;
	if (is_frame_data)
		win->program = line.rest;
	else
		win->allocates_base_pointer = text_is(line.rest, "1");
	return true;
}
