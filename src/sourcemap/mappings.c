/*
 * mappings.c -- ECMA-426 section 6: mappings as numbers of variable length, read in place.
 *
 * What is not of the alphabet counts as the digit 31 with a continuation, as in the reader others
 * are used to: such a segment is malformed when its last digit is one, or when a number becomes
 * too long, and a number otherwise.  Lines and columns are 32 bits wide and wrap.
 */
#include "sourcemap/sourcemap_internal.h"

#include "base/arena.h"
#include "base/err.h"

#define DIGIT_BITS 5u
#define CONTINUES  32u
#define NUMBER_BITS 64u              /* a digit beyond them is one too many */
#define COMMA      64u               /* in the table of digits */
#define SEMICOLON  65u
#define FIELDS_MAX 5u

/* The values of the digits; 63: of what is none. */
#define N 63u
static const uint8_t digits[256] = {
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, 62, COMMA, N, N, 63, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, N,
	SEMICOLON, N, N, N, N, N, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, N, N, N, N, N, N, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
	40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N,
};
#undef N

static bool is_separator(char c)
{
	return c == ',' || c == ';';
}

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The top bit of each byte that is `byte`. */
static uint64_t bytes_that_are(uint64_t word, uint64_t byte)
{
	uint64_t differs = word ^ EACH_BYTE(byte);

	return ~(((differs & EACH_BYTE(0x7f)) + EACH_BYTE(0x7f)) | differs | EACH_BYTE(0x7f));
}

/* Eight bytes at a time: segments begin at what is no separator behind one. */
size_t mappings_count(struct text mappings)
{
	uint64_t word, separators, before = 0x80;
	size_t count = 0, at = 0;

	for (; mappings.size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, mappings.bytes + at, sizeof(word));
		separators = bytes_that_are(word, ',') | bytes_that_are(word, ';');
		count += (size_t)__builtin_popcountll(~separators & (separators << 8 | before) &
						      EACH_BYTE(0x80));
		before = separators >> 56;
	}
	for (; at < mappings.size; at++) {
		bool is_one = is_separator(mappings.bytes[at]);

		count += before && !is_one;
		before = is_one;
	}
	return count;
}

/* The sign is the lowest bit. */
static inline uint32_t signed_number(uint64_t value)
{
	uint32_t number = (uint32_t)(value >> 1);

	return value & 1 ? 0u - number : number;
}

static bool long_number(struct text text, size_t *at, uint32_t *value)
{
	uint64_t bits = 0;
	unsigned shift = 0;

	for (; *at < text.size; ++*at) {
		uint8_t digit = digits[(uint8_t)text.bytes[*at]];

		if (digit >= COMMA || shift >= NUMBER_BITS)
			return false;
		bits |= (uint64_t)(digit & (CONTINUES - 1)) << shift;
		shift += DIGIT_BITS;
		if (digit & CONTINUES)
			continue;
		++*at;
		*value = signed_number(bits);
		return true;
	}
	return false;
}

static inline bool number(struct text text, size_t *at, uint32_t *value)
{
	uint8_t digit = *at < text.size ? digits[(uint8_t)text.bytes[*at]] : COMMA;

	if (__builtin_expect(digit >= CONTINUES, 0))
		return long_number(text, at, value);
	++*at;
	*value = signed_number(digit);
	return true;
}

bool mappings_number(struct text text, size_t *at, uint32_t *value)
{
	return number(text, at, value);
}

/* --- Ranges ------------------------------------------------------------------------------- */

/* rangeMappings, a line of it after the other. */
struct range_lines {
	struct text rest, line;
};

static void next_range_line(struct range_lines *walk)
{
	const char *end = walk->rest.size ? memchr(walk->rest.bytes, ';', walk->rest.size) : NULL;

	walk->line = walk->rest;
	if (!end) {
		walk->rest.size = 0;
		return;
	}
	walk->line.size = (size_t)(end - walk->rest.bytes);
	walk->rest = text_from(walk->rest, walk->line.size + 1);
}

static int check_range_line(const struct range_lines *walk, struct err *err)
{
	for (size_t i = 0; i < walk->line.size; i++) {
		unsigned char c = (unsigned char)walk->line.bytes[i];

		if (digits[c] >= COMMA || (digits[c] == 63 && c != '/'))
			return err_set(err, ERR_MALFORMED,
				       "rangeMappings has no digit where 0x%02x stands", (unsigned)c);
	}
	return 0;
}

static bool is_in_range_line(const struct range_lines *walk, size_t segment)
{
	return segment / 6 < walk->line.size &&
	       (digits[(unsigned char)walk->line.bytes[segment / 6]] >> segment % 6 & 1);
}

/* --- Segments ----------------------------------------------------------------------------- */

struct segment_state {
	uint32_t column, source, line, original_column, name;
};

/* Where the reading is. */
struct mappings_walk {
	const struct mappings *mappings;
	struct token_table *table;
	struct arena *arena;
	struct segment_state state;
	struct range_lines ranges;
	size_t at;
	uint32_t line;
	bool is_line_begun;
};

static int refuse(const struct mappings_walk *walk, size_t at, struct err *err, const char *what)
{
	return err_set(err, ERR_MALFORMED, "the source map's mappings have %s at byte %zu (line %u)",
		       what, walk->mappings->at + at, (unsigned)walk->line);
}

static bool is_at_end(const struct mappings_walk *walk)
{
	struct text text = walk->mappings->text;

	return walk->at == text.size || is_separator(text.bytes[walk->at]);
}

/* The numbers behind the first; how many there were, 0: one that is none. */
static inline unsigned read_fields(struct mappings_walk *walk, uint32_t fields[FIELDS_MAX])
{
	unsigned count = 0;

	do {
		if (count == FIELDS_MAX || !number(walk->mappings->text, &walk->at, &fields[count]))
			return 0;
		count++;
	} while (!is_at_end(walk));
	return count;
}

/* Which token was added knows the table. */
static void add_token(struct mappings_walk *walk, unsigned fields, size_t segment)
{
	const struct mappings *mappings = walk->mappings;
	const struct segment_state *state = &walk->state;
	struct token_table *table = walk->table;
	uint32_t i = table->count++;

	table->columns[i] = state->column + (walk->line == 0 ? mappings->column : 0);
	table->sources[i] = fields < 4 ? SOURCEMAP_NONE
			    : mappings->source_of ? mappings->source_of[state->source] : state->source;
	table->original_lines[i] = fields < 4 ? 0 : state->line;
	table->original_columns[i] = fields < 4 ? 0 : state->original_column;
	table->names[i] = fields < 5 ? SOURCEMAP_NONE
			  : mappings->name_of ? mappings->name_of[state->name] : state->name;
	if (table->is_range && is_in_range_line(&walk->ranges, segment))
		table->is_range[i / 8] |= (uint8_t)(1u << i % 8);
	if (i > table->lines[table->line_count - 1].first && table->columns[i] < table->columns[i - 1])
		table->is_unsorted = true;
}

static int begin_line(struct mappings_walk *walk, struct err *err)
{
	if (walk->table->is_range && check_range_line(&walk->ranges, err) < 0)
		return -1;
	walk->is_line_begun = true;
	return token_table_line(walk->table, walk->line + walk->mappings->line, walk->arena, err);
}

static int read_segment(struct mappings_walk *walk, size_t segment, struct err *err)
{
	const struct mappings *mappings = walk->mappings;
	struct segment_state *state = &walk->state;
	uint32_t fields[FIELDS_MAX] = { 0 };
	size_t start = walk->at;
	unsigned count = read_fields(walk, fields);

	if (count == 0)
		return refuse(walk, start, err, "no segment of whole numbers, at most five,");
	if (count == 2 || count == 3)
		return refuse(walk, start, err, "no segment of 1, 4 or 5 numbers");
	if (!walk->is_line_begun && begin_line(walk, err) < 0)
		return -1;
	state->column += fields[0];
	if (count >= 4) {
		state->source += fields[1];
		state->line += fields[2];
		state->original_column += fields[3];
		if (state->source >= mappings->source_count)
			return refuse(walk, start, err, "no source that is one");
	}
	if (count == 5) {
		state->name += fields[4];
		if (state->name >= mappings->name_count)
			return refuse(walk, start, err, "no name that is one");
	}
	add_token(walk, count, segment);
	return 0;
}

/* --- The usual ---------------------------------------------------------------------------- */

/* Nearly all segments: numbers of at most three digits, further right on a line that has begun, no ranges.  What is
 * anything else is left to read_segment(), which says what is wrong with it too. */
#define SHORT_DIGITS 3u
#define SHORT_SEGMENT_BYTES (FIELDS_MAX * SHORT_DIGITS + 1)  /* with what ends it */

/* Reads no further than three bytes. */
static inline bool short_number(const char **at, uint32_t *value)
{
	const unsigned char *bytes = (const unsigned char *)*at;
	uint32_t first = digits[bytes[0]], second, third;

	if (__builtin_expect(first < CONTINUES, 1)) {
		*at += 1;
		*value = signed_number(first);
		return true;
	}
	second = digits[bytes[1]];
	if (first >= COMMA || second >= COMMA)
		return false;
	first = (first & (CONTINUES - 1)) | (second & (CONTINUES - 1)) << DIGIT_BITS;
	if (second < CONTINUES) {
		*at += 2;
		*value = signed_number(first);
		return true;
	}
	third = digits[bytes[2]];
	*at += 3;
	*value = signed_number(first | third << 2 * DIGIT_BITS);
	return third < CONTINUES;
}

/* Its numbers added to the state; how many there were, 0: it is none of the usual. */
static inline unsigned short_segment(const char **at, struct segment_state *state)
{
	uint32_t column, source, line, original_column, name;
	unsigned count = 4;

	if (!short_number(at, &column))
		return 0;
	if (is_separator(**at)) {
		state->column += column;
		return 1;
	}
	if (!short_number(at, &source) || !short_number(at, &line) || !short_number(at, &original_column))
		return 0;
	if (!is_separator(**at)) {
		if (!short_number(at, &name) || !is_separator(**at))
			return 0;
		state->name += name;
		count = 5;
	}
	state->column += column;
	state->source += source;
	state->line += line;
	state->original_column += original_column;
	return count;
}

/* The numbers are in the table of the map's own sources and names, or none are asked for. */
static inline bool is_in_map(const struct mappings *mappings, const struct segment_state *state, unsigned fields)
{
	return (fields < 4 || state->source < mappings->source_count) &&
	       (fields < 5 || state->name < mappings->name_count);
}

/* Up to the first segment that is not usual, or the end of the line. */
static void read_usual(struct mappings_walk *walk)
{
	const struct mappings *mappings = walk->mappings;
	const char *begin = mappings->text.bytes, *end = begin + mappings->text.size;
	const char *done = begin + walk->at, *at = done;
	struct token_table *table = walk->table;
	uint32_t shift = walk->line == 0 ? mappings->column : 0;
	struct segment_state known = walk->state, state = known;
	uint32_t i = table->count, last = i ? table->columns[i - 1] : 0;

	while (end - at >= (ptrdiff_t)SHORT_SEGMENT_BYTES) {
		unsigned fields = short_segment(&at, &state);
		uint32_t column = state.column + shift;

		if (fields == 0 || column < last || !is_in_map(mappings, &state, fields))
			break;
		last = table->columns[i] = column;
		table->sources[i] = fields < 4 ? SOURCEMAP_NONE
				    : mappings->source_of ? mappings->source_of[state.source] : state.source;
		table->original_lines[i] = fields < 4 ? 0 : state.line;
		table->original_columns[i] = fields < 4 ? 0 : state.original_column;
		table->names[i] = fields < 5 ? SOURCEMAP_NONE
				  : mappings->name_of ? mappings->name_of[state.name] : state.name;
		i++;
		known = state;
		done = at;
		if (*at++ != ',')
			break;
	}
	walk->state = known;
	walk->at = (size_t)(done - begin);
	table->count = i;
}

int mappings_read(const struct mappings *mappings, struct token_table *table, struct arena *arena,
		  struct err *err)
{
	struct mappings_walk walk = { .mappings = mappings, .table = table, .arena = arena,
				      .ranges.rest = mappings->ranges };
	struct text text = mappings->text;
	size_t segment = 0;

	next_range_line(&walk.ranges);
	while (walk.at < text.size) {
		char c = text.bytes[walk.at];

		if (c == ',') {
			segment++;
			walk.at++;
			if (walk.is_line_begun && !table->is_range)
				read_usual(&walk);
		} else if (c == ';') {
			segment = 0;
			walk.at++;
			walk.line++;
			walk.state.column = 0;
			walk.is_line_begun = false;
			next_range_line(&walk.ranges);
		} else if (read_segment(&walk, segment, err) < 0) {
			return -1;
		}
	}
	return 0;
}
