/* cfi_lines.c -- see cfi_lines.h; the grammar is that of Breakpad's symbol files. */
#include "cfi/cfi_lines.h"

#define U32_DIGITS 8u
#define U64_DIGITS 16u

static const struct text stack = { "STACK ", 6 };

static void skip_blanks(struct text *rest)
{
	while (rest->size > 0 && (rest->bytes[0] == ' ' || rest->bytes[0] == '\t')) {
		rest->bytes++;
		rest->size--;
	}
}

static void skip(struct text *rest, size_t size)
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
	struct text word = { rest->bytes, 0 };

	while (word.size < rest->size && word.bytes[word.size] != ' ' &&
	       word.bytes[word.size] != '\t')
		word.size++;
	skip(rest, word.size);
	skip_blanks(rest);
	return word;
}

bool cfi_take_hex(struct text *rest, unsigned digits_max, uint64_t *value)
{
	size_t at = 0;
	int digit;

	*value = 0;
	while (at < rest->size && (digit = ascii_hex_value(rest->bytes[at])) >= 0) {
		*value = *value << 4 | (unsigned)digit;
		at++;
	}
	if (at == 0 || at > digits_max ||
	    (at < rest->size && rest->bytes[at] != ' ' && rest->bytes[at] != '\t'))
		return false;
	skip(rest, at);
	skip_blanks(rest);
	return true;
}

static bool take_keyword(struct text *rest, struct text keyword)
{
	if (rest->size <= keyword.size || memcmp(rest->bytes, keyword.bytes, keyword.size) != 0 ||
	    (rest->bytes[keyword.size] != ' ' && rest->bytes[keyword.size] != '\t'))
		return false;
	skip(rest, keyword.size);
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

	if (line.size < stack.size || memcmp(line.bytes, stack.bytes, stack.size) != 0)
		return read;
	skip(&read.rest, stack.size);
	skip_blanks(&read.rest);
	if (take_keyword(&read.rest, TEXT("CFI")))
		read.kind = take_keyword(&read.rest, TEXT("INIT")) ? CFI_LINE_INIT : CFI_LINE_ROW;
	else if (take_keyword(&read.rest, TEXT("WIN")))
		read.kind = win_kind(&read.rest);
	if (read.kind != CFI_LINE_OTHER && !cfi_take_hex(&read.rest, U64_DIGITS, &read.address))
		read.kind = CFI_LINE_OTHER;
	return read;
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
