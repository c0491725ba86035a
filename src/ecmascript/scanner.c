/* scanner.c -- see scanner.h. */
#include "ecmascript/scanner.h"

#include "ecmascript/characters.h"
#include "ecmascript/words.h"

static bool more(const struct scanner *scanner, uint32_t pos)
{
	return pos < scanner->size;
}

static uint8_t byte_at(const struct scanner *scanner, uint32_t pos)
{
	return pos < scanner->size ? scanner->bytes[pos] : 0;
}

static bool starts_with(const struct scanner *scanner, uint32_t pos, const char *bytes, uint32_t size)
{
	return scanner->size - pos >= size && memcmp(scanner->bytes + pos, bytes, size) == 0;
}

/* Up to the end of the line, which is not part of it. */
static uint32_t line_end(const struct scanner *scanner, uint32_t pos)
{
	for (; pos < scanner->size; pos++) {
		uint8_t byte = scanner->bytes[pos];

		if (byte == '\n' || byte == '\r' ||
		    (byte == 0xE2 && character_is_line_end(scanner->bytes + pos, scanner->size - pos)))
			break;
	}
	return pos;
}

static bool holds_line_end(const struct scanner *scanner, uint32_t from, uint32_t to)
{
	return line_end(scanner, from) < to;
}

/* MultiLineComment: `pos` is behind its start.  One without an end takes the rest. */
static uint32_t comment_end(struct scanner *scanner, uint32_t pos)
{
	uint32_t at = pos;

	while (more(scanner, at)) {
		const uint8_t *star = memchr(scanner->bytes + at, '*', scanner->size - at);

		if (!star)
			break;
		at = (uint32_t)(star - scanner->bytes) + 1;
		if (byte_at(scanner, at) == '/') {
			if (holds_line_end(scanner, pos, at))
				scanner->token.newline_before = true;
			return at + 1;
		}
	}
	scanner->token.newline_before = true;
	return scanner->size;
}

/* A comment at `pos`, where "/", "<" or "-" stands: its end, or `pos` when there is none.
 * SingleLineHTMLOpenComment and -CloseComment (B.1.1) are for scripts. */
static uint32_t skip_comment(struct scanner *scanner, uint32_t pos)
{
	if (starts_with(scanner, pos, "//", 2))
		return line_end(scanner, pos);
	if (starts_with(scanner, pos, "/*", 2))
		return comment_end(scanner, pos + 2);
	if (scanner->is_module)
		return pos;
	if (starts_with(scanner, pos, "<!--", 4))
		return line_end(scanner, pos);
	if (starts_with(scanner, pos, "-->", 3) && scanner->token.newline_before)
		return line_end(scanner, pos);
	return pos;
}

/* White space, line ends and comments before a token. */
static uint32_t skip_space(struct scanner *scanner, uint32_t pos)
{
	while (pos < scanner->size) {
		const uint8_t *at = scanner->bytes + pos;
		uint32_t behind = pos;

		switch (characters[*at]) {
		case CHARACTER_SPACE:
			pos++;
			continue;
		case CHARACTER_LINE_END:
			scanner->token.newline_before = true;
			pos++;
			continue;
		case CHARACTER_COMMENT:
			behind = skip_comment(scanner, pos);
			break;
		case CHARACTER_HIGH:
			behind += character_space(at, scanner->size - pos);
			scanner->token.newline_before |= character_is_line_end(at, scanner->size - pos);
			break;
		default:
			return pos;
		}
		if (behind == pos)
			return pos;
		pos = behind;
	}
	return pos;
}

/* UnicodeEscapeSequence behind a backslash at `pos`: its length with the backslash, 0: none. */
static uint32_t name_escape(const struct scanner *scanner, uint32_t pos)
{
	uint32_t at = pos + 2, digits = 0;
	bool is_braced;

	if (byte_at(scanner, pos + 1) != 'u')
		return 0;
	is_braced = byte_at(scanner, at) == '{';
	at += is_braced;
	while (character_is_hex(byte_at(scanner, at)) && (is_braced || digits < 4)) {
		at++;
		digits++;
	}
	if (is_braced ? digits == 0 || byte_at(scanner, at) != '}' : digits != 4)
		return 0;
	return at + is_braced - pos;
}

/* The rest of an IdentifierName with something else than ASCII in it. */
static uint32_t name_end_slowly(struct scanner *scanner, uint32_t pos)
{
	while (pos < scanner->size) {
		uint8_t byte = scanner->bytes[pos];
		uint32_t size = 0;

		if (character_is_name_part(byte))
			size = 1;
		else if (byte >= 0x80)
			size = character_space(scanner->bytes + pos, scanner->size - pos) ? 0 : 1;
		else if (byte == '\\')
			size = name_escape(scanner, pos);
		if (byte == '\\' && size)
			scanner->token.is_escaped = true;
		if (size == 0)
			break;
		pos += size;
	}
	return pos;
}

static inline uint32_t name_end(struct scanner *scanner, uint32_t pos)
{
	const uint8_t *at = scanner->bytes + pos, *end = scanner->bytes + scanner->size;

	while (at < end && character_is_name_part(*at))
		at++;
	pos = (uint32_t)(at - scanner->bytes);
	if (at < end && (*at >= 0x80 || *at == '\\'))
		return name_end_slowly(scanner, pos);
	return pos;
}

static void scan_name(struct scanner *scanner, uint32_t pos)
{
	uint32_t start = scanner->token.start;

	pos = name_end(scanner, pos);
	scanner->pos = pos;
	scanner->token.kind = scanner->token.is_escaped || pos == start
		? (uint8_t)(pos == start ? TOKEN_ILLEGAL : TOKEN_NAME)
		: word_kind(scanner->bytes + start, pos - start);
	if (pos == start)
		scanner->pos = start + 1;
}

static void scan_private_name(struct scanner *scanner, uint32_t pos)
{
	scanner->pos = name_end(scanner, pos + 1);
	scanner->token.kind = scanner->pos > pos + 1 ? TOKEN_PRIVATE_NAME : TOKEN_ILLEGAL;
}

static uint32_t digits_end(const struct scanner *scanner, uint32_t pos)
{
	while (character_is_digit(byte_at(scanner, pos)) || byte_at(scanner, pos) == '_')
		pos++;
	return pos;
}

/* NumericLiteral; what stands behind it without a space belongs to it, right or wrong. */
static void scan_number(struct scanner *scanner, uint32_t pos)
{
	uint8_t second = byte_at(scanner, pos + 1) | 0x20;
	uint32_t at;

	if (scanner->bytes[pos] == '0' && (second == 'x' || second == 'o' || second == 'b')) {
		at = name_end(scanner, pos + 2);
	} else {
		bool is_legacy;

		at = digits_end(scanner, pos);
		is_legacy = scanner->bytes[pos] == '0' && at - pos > 1 &&
			!memchr(scanner->bytes + pos, '8', at - pos) &&
			!memchr(scanner->bytes + pos, '9', at - pos);
		if (byte_at(scanner, at) == '.' && !is_legacy)
			at = digits_end(scanner, at + 1);
		if ((byte_at(scanner, at) | 0x20) == 'e') {
			at++;
			at += byte_at(scanner, at) == '+' || byte_at(scanner, at) == '-';
			at = digits_end(scanner, at);
		}
		at = name_end(scanner, at);
	}
	scanner->pos = at;
	scanner->token.kind = scanner->bytes[at - 1] == 'n' ? TOKEN_BIGINT : TOKEN_NUMBER;
}

/* StringLiteral: one that is open at the end of its line is illegal, and ends there. */
static void scan_string(struct scanner *scanner, uint32_t pos)
{
	const uint8_t *at = scanner->bytes + pos + 1, *end = scanner->bytes + scanner->size;
	uint8_t quote = scanner->bytes[pos];

	scanner->token.kind = TOKEN_ILLEGAL;
	for (; at < end; at++) {
		if (*at == quote) {
			scanner->token.kind = TOKEN_STRING;
			at++;
			break;
		}
		if (*at == '\\') {
			at++;
			if (at + 1 < end && *at == '\r' && at[1] == '\n')
				at++;
		} else if (*at == '\n' || *at == '\r') {
			break;
		}
	}
	scanner->pos = at < end ? (uint32_t)(at - scanner->bytes) : scanner->size;
}

/* Template characters from `pos`, up to "${", or "`". */
static void scan_template(struct scanner *scanner, uint32_t pos, enum token_kind open,
			  enum token_kind closed)
{
	for (; pos < scanner->size; pos++) {
		uint8_t byte = scanner->bytes[pos];

		if (byte == '`') {
			scanner->token.kind = (uint8_t)closed;
			scanner->pos = pos + 1;
			return;
		}
		if (byte == '\\') {
			pos++;
		} else if (byte == '$' && byte_at(scanner, pos + 1) == '{') {
			if (scanner->template_count == SCANNER_TEMPLATES)
				break;
			scanner->templates[scanner->template_count++] = ++scanner->braces;
			scanner->token.kind = (uint8_t)open;
			scanner->pos = pos + 2;
			return;
		}
	}
	scanner->token.kind = TOKEN_ILLEGAL;
	scanner->pos = scanner->size;
}

static void scan_right_brace(struct scanner *scanner, uint32_t pos)
{
	bool is_template = scanner->template_count > 0 &&
		scanner->templates[scanner->template_count - 1] == scanner->braces;

	scanner->braces--;
	if (is_template) {
		scanner->template_count--;
		scan_template(scanner, pos + 1, TOKEN_TEMPLATE_MIDDLE, TOKEN_TEMPLATE_TAIL);
		return;
	}
	scanner->token.kind = TOKEN_RBRACE;
	scanner->pos = pos + 1;
}

static void set(struct scanner *scanner, enum token_kind kind, uint32_t size)
{
	scanner->token.kind = (uint8_t)kind;
	scanner->pos = scanner->token.start + size;
}

static void scan_dot(struct scanner *scanner, uint32_t pos)
{
	if (character_is_digit(byte_at(scanner, pos + 1)))
		scan_number(scanner, pos);
	else if (starts_with(scanner, pos, "...", 3))
		set(scanner, TOKEN_ELLIPSIS, 3);
	else
		set(scanner, TOKEN_DOT, 1);
}

static void scan_question(struct scanner *scanner, uint32_t pos)
{
	if (starts_with(scanner, pos, "?\?=", 3))
		set(scanner, TOKEN_ASSIGN_OP, 3);
	else if (byte_at(scanner, pos + 1) == '?')
		set(scanner, TOKEN_BINARY, 2);
	else if (byte_at(scanner, pos + 1) == '.' && !character_is_digit(byte_at(scanner, pos + 2)))
		set(scanner, TOKEN_OPTIONAL, 2);
	else
		set(scanner, TOKEN_QUESTION, 1);
}

/* "=", "!" and their likes. */
static void scan_equals(struct scanner *scanner, uint32_t pos)
{
	bool is_not = scanner->bytes[pos] == '!';

	if (byte_at(scanner, pos + 1) == '=')
		set(scanner, TOKEN_BINARY, byte_at(scanner, pos + 2) == '=' ? 3 : 2);
	else if (!is_not && byte_at(scanner, pos + 1) == '>')
		set(scanner, TOKEN_ARROW, 2);
	else
		set(scanner, is_not ? TOKEN_NOT : TOKEN_ASSIGN, 1);
}

static enum token_kind operator_kind(uint8_t byte)
{
	switch (byte) {
	case '+':
	case '-':
		return TOKEN_PLUS_MINUS;
	case '*':
		return TOKEN_STAR;
	case '/':
		return TOKEN_SLASH;
	default:
		return TOKEN_BINARY;
	}
}

/* How often an operator's byte stands there, of those that may be repeated. */
static uint32_t operator_size(const struct scanner *scanner, uint32_t pos, uint8_t byte)
{
	if (byte == '/' || byte == '%' || byte == '^' || byte_at(scanner, pos + 1) != byte)
		return 1;
	return byte == '>' && byte_at(scanner, pos + 2) == '>' ? 3 : 2;
}

/* Operators that are one byte, the same byte twice (">" also three times), and each with "=". */
static void scan_operator(struct scanner *scanner, uint32_t pos)
{
	uint8_t byte = scanner->bytes[pos];
	uint32_t size = operator_size(scanner, pos, byte);
	bool is_comparison = (byte == '<' || byte == '>') && size == 1;

	if (size == 2 && (byte == '+' || byte == '-'))
		set(scanner, TOKEN_UPDATE, 2);
	else if (byte_at(scanner, pos + size) != '=')
		set(scanner, size == 1 ? operator_kind(byte) : TOKEN_BINARY, size);
	else if (is_comparison)
		set(scanner, TOKEN_BINARY, 2);
	else
		set(scanner, byte == '/' ? TOKEN_SLASH_ASSIGN : TOKEN_ASSIGN_OP, size + 1);
}

void scanner_next(struct scanner *scanner)
{
	uint32_t pos;
	uint8_t byte;

	scanner->last_end = scanner->token.end;
	scanner->token.newline_before = scanner->token.end == 0;     /* the first one */
	scanner->token.is_escaped = false;
	pos = scanner->pos;
	if (pos < scanner->size && characters[scanner->bytes[pos]] >= CHARACTER_BEFORE_TOKEN)
		pos = skip_space(scanner, pos);
	scanner->token.start = pos;
	if (pos >= scanner->size) {
		scanner->token.kind = TOKEN_END;
		scanner->token.end = pos;
		return;
	}
	byte = scanner->bytes[pos];
	switch (characters[byte]) {
	case CHARACTER_NAME:
	case CHARACTER_HIGH:
	case CHARACTER_BACKSLASH:
		scan_name(scanner, pos);
		break;
	case CHARACTER_SINGLE:
		set(scanner, character_token(byte), 1);
		break;
	case CHARACTER_LBRACE:
		scanner->braces++;
		set(scanner, TOKEN_LBRACE, 1);
		break;
	case CHARACTER_RBRACE:
		scan_right_brace(scanner, pos);
		break;
	case CHARACTER_DOT:
		scan_dot(scanner, pos);
		break;
	case CHARACTER_DIGIT:
		scan_number(scanner, pos);
		break;
	case CHARACTER_QUOTE:
		scan_string(scanner, pos);
		break;
	case CHARACTER_BACKTICK:
		scan_template(scanner, pos + 1, TOKEN_TEMPLATE_HEAD, TOKEN_TEMPLATE);
		break;
	case CHARACTER_EQUALS:
		scan_equals(scanner, pos);
		break;
	case CHARACTER_QUESTION:
		scan_question(scanner, pos);
		break;
	case CHARACTER_HASH:
		scan_private_name(scanner, pos);
		break;
	case CHARACTER_COMMENT:
	case CHARACTER_OPERATOR:
		scan_operator(scanner, pos);
		break;
	default:
		set(scanner, TOKEN_ILLEGAL, 1);
	}
	scanner->token.end = scanner->pos;
}

void scanner_init(struct scanner *scanner, struct text text)
{
	scanner->bytes = (const uint8_t *)text.bytes;
	scanner->size = (uint32_t)text.size;
	scanner->pos = 0;
	scanner->braces = 0;
	scanner->regexp_bytes_left = text.size;
	scanner->template_count = 0;
	scanner->is_module = false;
	scanner->token = (struct token){ .kind = TOKEN_END };
	if (starts_with(scanner, 0, "\xEF\xBB\xBF", 3))
		scanner->pos = 3;
	if (starts_with(scanner, scanner->pos, "#!", 2))
		scanner->pos = line_end(scanner, scanner->pos);
	scanner_next(scanner);
}

void scanner_regexp(struct scanner *scanner)
{
	const uint8_t *start = scanner->bytes + scanner->token.start, *at = start + 1;
	const uint8_t *end = scanner->bytes + scanner->size;
	bool is_in_class = false;

	if ((uint64_t)(end - at) > scanner->regexp_bytes_left)
		end = at + scanner->regexp_bytes_left;
	for (; at < end && *at != '\n' && *at != '\r'; at++) {
		if (*at == '\\' && at + 1 < end && at[1] != '\n' && at[1] != '\r') {
			at++;
		} else if (*at == '[') {
			is_in_class = true;
		} else if (*at == ']') {
			is_in_class = false;
		} else if (*at == '/' && !is_in_class) {
			scanner->pos = name_end(scanner, (uint32_t)(at + 1 - scanner->bytes));
			scanner->token.kind = TOKEN_REGEXP;
			scanner->token.end = scanner->pos;
			return;
		}
	}
	scanner->regexp_bytes_left -= (uint64_t)(at < end ? at - start - 1 : end - start - 1);
	scanner->token.kind = TOKEN_ILLEGAL;
	scanner->pos = scanner->token.end;
}

struct token scanner_peek(struct scanner *scanner)
{
	struct scanner_mark mark = scanner_mark(scanner);
	struct token token;

	scanner_next(scanner);
	token = scanner->token;
	scanner_rewind(scanner, &mark);
	return token;
}

int32_t scanner_depth(const struct scanner *scanner)
{
	switch (scanner->token.kind) {
	case TOKEN_LBRACE:
	case TOKEN_TEMPLATE_HEAD:
		return scanner->braces - 1;
	case TOKEN_RBRACE:
	case TOKEN_TEMPLATE_TAIL:
		return scanner->braces + 1;
	default:
		return scanner->braces;
	}
}

bool token_may_end_operand(const struct token *token)
{
	switch (token->kind) {
	case TOKEN_NUMBER:
	case TOKEN_BIGINT:
	case TOKEN_STRING:
	case TOKEN_REGEXP:
	case TOKEN_TEMPLATE:
	case TOKEN_TEMPLATE_TAIL:
	case TOKEN_PRIVATE_NAME:
	case TOKEN_RBRACE:
	case TOKEN_RPAREN:
	case TOKEN_RBRACKET:
	case TOKEN_UPDATE:
	case TOKEN_FALSE:
	case TOKEN_NULL:
	case TOKEN_SUPER:
	case TOKEN_THIS:
	case TOKEN_TRUE:
		return true;
	default:
		return token_is_identifier(token);
	}
}
