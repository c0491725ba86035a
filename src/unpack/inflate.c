/*
 * inflate.c -- see inflate.h (RFC 1951).
 *
 * One look into a table gives a symbol, how many bits it and its extra bits take, and its base.
 * Longer codes go through a second table.  Away from the ends of input and output symbols are
 * decoded without asking for either (run_fast); near them with care (run_carefully).
 */
#include "unpack/inflate.h"

#include <endian.h>
#include <string.h>

#define CODE_BITS_MOST    15u
#define LITERAL_ROOT_BITS 11u
#define DISTANCE_ROOT_BITS 8u
#define LENGTH_ROOT_BITS  7u     /* of the code that code lengths are packed with */
#define LITERAL_SYMBOLS   288u
#define DISTANCE_SYMBOLS  32u
#define LENGTH_SYMBOLS    19u
#define END_SYMBOL        256u

/* What tables are worth, in bytes packed and unpacked: so many, and one for each of their symbols.
 * Making them takes thousands of instructions, and a block that holds nothing only 11 bytes.  What
 * encoders make is always worth it: each symbol occurs, and fixed tables do for a few bytes. */
#define TABLES_BYTES      20u
#define TABLES_FREE_BYTES ((uint64_t)64 * 1024)  /* so much costs nothing */

/* An entry: the value, flags, how many bits the code takes, how many with its extra bits. */
#define ENTRY_LITERAL  (1u << 31)
#define ENTRY_VALUE(entry) ((entry) >> 16 & 0x7fff)
#define ENTRY_UNUSUAL  (1u << 15)        /* one of the next three */
#define ENTRY_SUBTABLE (1u << 14)        /* value: where it begins; code bits: of its index */
#define ENTRY_END      (1u << 13)
#define ENTRY_INVALID  (1u << 12)
#define ENTRY_CODE_BITS(entry) ((entry) >> 8 & 0xf)
#define ENTRY_ALL_BITS(entry)  ((entry) & 0x3f)

/* How far the fast loop may go past what it checks for. */
#define FAST_IN_BYTES  24u               /* three refills of 8 bytes */
#define FAST_OUT_BYTES (2 + 258 + 16u)   /* literals, the longest match, a store too wide */

struct code {
	const char *wrong_words;
	unsigned root_bits, symbols;
	size_t capacity;
	bool may_be_alone;               /* a code of one symbol, or none, is incomplete but valid */
};

static const struct code literal_code = {
	"invalid literal/lengths set", LITERAL_ROOT_BITS, LITERAL_SYMBOLS, INFLATE_LITERAL_ENTRIES,
	true,
};
static const struct code distance_code = {
	"invalid distances set", DISTANCE_ROOT_BITS, DISTANCE_SYMBOLS, INFLATE_DISTANCE_ENTRIES,
	true,
};
static const struct code length_code = {
	"invalid code lengths set", LENGTH_ROOT_BITS, LENGTH_SYMBOLS, 1u << LENGTH_ROOT_BITS, false,
};

static const uint16_t length_bases[] = {
	3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
	131, 163, 195, 227, 258,
};
static const uint8_t length_extras[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
};
static const uint16_t distance_bases[] = {
	1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
	2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
};

static bool fail(struct inflate *inflate, const char *words)
{
	if (!inflate->wrong)
		inflate->wrong = words;
	return false;
}

/* --- Bits ---------------------------------------------------------------------------- */

static inline uint64_t load_64(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return le64toh(word);
}

static inline uint64_t low_bits(uint64_t bits, unsigned count)
{
	return bits & (((uint64_t)1 << count) - 1);
}

static void refill_carefully(struct inflate *inflate)
{
	while (inflate->bit_count < 56 && inflate->in < inflate->in_end) {
		inflate->bits |= (uint64_t)*inflate->in++ << inflate->bit_count;
		inflate->bit_count += 8;
	}
}

static inline void drop_bits(struct inflate *inflate, unsigned count)
{
	inflate->bits >>= count;
	inflate->bit_count -= count;
}

/* Up to 16 of them; past the end of the input the data is wrong. */
static unsigned take_bits(struct inflate *inflate, unsigned count)
{
	unsigned taken;

	if (inflate->bit_count < count)
		refill_carefully(inflate);
	if (inflate->bit_count < count) {
		(void)fail(inflate, "it ends early");
		return 0;
	}
	taken = (unsigned)low_bits(inflate->bits, count);
	drop_bits(inflate, count);
	return taken;
}

/* --- Tables -------------------------------------------------------------------------- */

/* What a symbol's entry says, but for the bits of its code. */
static uint32_t entry_of(const struct code *code, unsigned symbol)
{
	if (code == &length_code)
		return symbol << 16;
	if (code == &distance_code)
		return symbol < 30 ? (uint32_t)distance_bases[symbol] << 16 |
				     (symbol < 4 ? 0 : symbol / 2 - 1)
				   : ENTRY_UNUSUAL | ENTRY_INVALID;
	if (symbol < END_SYMBOL)
		return ENTRY_LITERAL | symbol << 16;
	if (symbol == END_SYMBOL)
		return ENTRY_UNUSUAL | ENTRY_END;
	return symbol < 286 ? (uint32_t)length_bases[symbol - 257] << 16 | length_extras[symbol - 257]
			    : ENTRY_UNUSUAL | ENTRY_INVALID;
}

static uint32_t with_code_bits(uint32_t entry, unsigned bits)
{
	return entry + (bits << 8) + bits;
}

/* Does each code have a meaning, and one only? */
static bool is_complete(const struct code *code, const uint16_t *counts)
{
	unsigned most = 0;
	int left = 1;

	for (unsigned bits = 1; bits <= CODE_BITS_MOST; bits++) {
		left = left * 2 - counts[bits];
		if (left < 0)
			return false;
		if (counts[bits])
			most = bits;
	}
	return left == 0 || (code->may_be_alone && most <= 1);
}

/* Symbols by the length of their codes, and among those of one length by number. */
static void sort_symbols(const uint8_t *lengths, unsigned count, const uint16_t *counts,
			 uint16_t *sorted)
{
	uint16_t at[CODE_BITS_MOST + 2] = { 0 };

	for (unsigned bits = 1; bits <= CODE_BITS_MOST; bits++)
		at[bits + 1] = (uint16_t)(at[bits] + counts[bits]);
	for (unsigned symbol = 0; symbol < count; symbol++)
		if (lengths[symbol])
			sorted[at[lengths[symbol]]++] = (uint16_t)symbol;
}

/* The next code of `bits` bits, as it stands in the data: its first bit lowest. */
static unsigned next_code(unsigned reversed, unsigned bits)
{
	unsigned bit = 1u << (bits - 1);

	while (reversed & bit)
		bit >>= 1;
	return bit ? (reversed & (bit - 1)) + bit : 0;
}

struct subtable {
	size_t start;
	unsigned prefix, bits;
};

/* As many bits as the codes that begin like this one fill. */
static unsigned subtable_bits(const struct code *code, const uint16_t *left, unsigned bits)
{
	unsigned own = bits - code->root_bits;
	int space = (1 << own) - left[bits];

	while (space > 0 && own + code->root_bits < CODE_BITS_MOST) {
		own++;
		space = space * 2 - left[own + code->root_bits];
	}
	return own;
}

static void fill_every(uint32_t *table, size_t from, size_t step, size_t end, uint32_t entry)
{
	for (size_t i = from; i < end; i += step)
		table[i] = entry;
}

/* A table for codes of so many bits says the same for each value of the bits behind them. */
static size_t widen(uint32_t *table, size_t filled, size_t end)
{
	for (; filled < end; filled *= 2)
		memcpy(table + filled, table, filled * sizeof(*table));
	return filled;
}

static bool fill_table(struct inflate *inflate, const struct code *code, uint32_t *table,
		       const uint16_t *sorted, size_t sorted_count, const uint8_t *lengths,
		       uint16_t *left)
{
	const size_t root = (size_t)1 << code->root_bits;
	struct subtable sub = { .start = root, .prefix = UINT32_MAX };
	unsigned reversed = 0;
	size_t filled = 1;

	table[0] = ENTRY_UNUSUAL | ENTRY_INVALID;
	for (size_t i = 0; i < sorted_count; i++) {
		unsigned bits = lengths[sorted[i]], prefix = reversed & (unsigned)(root - 1);
		uint32_t entry = entry_of(code, sorted[i]);

		filled = widen(table, filled, bits < code->root_bits ? (size_t)1 << bits : root);
		if (bits <= code->root_bits) {
			table[reversed] = with_code_bits(entry, bits);
		} else {
			if (prefix != sub.prefix) {
				sub.start += sub.prefix == UINT32_MAX ? 0 : (size_t)1 << sub.bits;
				sub.prefix = prefix;
				sub.bits = subtable_bits(code, left, bits);
				if (sub.start + ((size_t)1 << sub.bits) > code->capacity)
					return fail(inflate, code->wrong_words);
				table[prefix] = (uint32_t)sub.start << 16 | ENTRY_UNUSUAL |
						ENTRY_SUBTABLE | sub.bits << 8 | code->root_bits;
			}
			fill_every(table + sub.start, reversed >> code->root_bits,
				   (size_t)1 << (bits - code->root_bits), (size_t)1 << sub.bits,
				   with_code_bits(entry, bits - code->root_bits));
		}
		left[bits]--;
		reversed = next_code(reversed, bits);
	}
	(void)widen(table, filled, root);
	return true;
}

static bool make_table(struct inflate *inflate, const struct code *code, uint32_t *table,
		       const uint8_t *lengths, unsigned count)
{
	uint16_t counts[CODE_BITS_MOST + 1] = { 0 }, sorted[LITERAL_SYMBOLS];
	size_t used = 0;

	for (unsigned symbol = 0; symbol < count; symbol++) {
		used += lengths[symbol] != 0;
		counts[lengths[symbol]]++;
	}
	counts[0] = 0;
	if (!is_complete(code, counts))
		return fail(inflate, code->wrong_words);
	sort_symbols(lengths, count, counts, sorted);
	return fill_table(inflate, code, table, sorted, used, lengths, counts);
}

/* --- Heads of blocks ----------------------------------------------------------------- */

static bool begin_stored(struct inflate *inflate)
{
	unsigned size, inverse;

	drop_bits(inflate, inflate->bit_count % 8);
	size = take_bits(inflate, 16);
	inverse = take_bits(inflate, 16);
	if (inflate->wrong)
		return false;
	if (size != (~inverse & 0xffff))
		return fail(inflate, "invalid stored block lengths");
	inflate->in -= inflate->bit_count / 8;
	inflate->bits = 0;
	inflate->bit_count = 0;
	inflate->stored_left = size;
	inflate->state = INFLATE_STORED;
	return true;
}

static bool begin_fixed(struct inflate *inflate)
{
	uint8_t lengths[LITERAL_SYMBOLS];

	if (inflate->has_fixed_tables)           /* a block may take 10 bits */
		return true;
	memset(lengths, 8, 144);
	memset(lengths + 144, 9, 112);
	memset(lengths + 256, 7, 24);
	memset(lengths + 280, 8, 8);
	if (!make_table(inflate, &literal_code, inflate->literals, lengths, LITERAL_SYMBOLS))
		return false;
	memset(lengths, 5, DISTANCE_SYMBOLS);
	inflate->has_fixed_tables = make_table(inflate, &distance_code, inflate->distances, lengths,
					       DISTANCE_SYMBOLS);
	return inflate->has_fixed_tables;
}

/* One symbol of the code that lengths are packed with. */
static unsigned take_length_symbol(struct inflate *inflate, const uint32_t *table)
{
	uint32_t entry;

	if (inflate->bit_count < LENGTH_ROOT_BITS)
		refill_carefully(inflate);
	entry = table[low_bits(inflate->bits, LENGTH_ROOT_BITS)];
	if (ENTRY_ALL_BITS(entry) > inflate->bit_count) {
		(void)fail(inflate, "it ends early");
		return 0;
	}
	drop_bits(inflate, ENTRY_ALL_BITS(entry));
	return ENTRY_VALUE(entry);
}

/* RFC 1951, 3.2.7: 16 repeats the length before, 17 and 18 are runs of zeros. */
static bool read_lengths(struct inflate *inflate, const uint32_t *table, uint8_t *lengths,
			 unsigned count)
{
	for (unsigned at = 0; at < count && !inflate->wrong;) {
		unsigned symbol = take_length_symbol(inflate, table), repeat;
		uint8_t length = 0;

		if (symbol < 16) {
			lengths[at++] = (uint8_t)symbol;
			continue;
		}
		if (symbol == 16) {
			if (at == 0)
				return fail(inflate, "invalid bit length repeat");
			length = lengths[at - 1];
		}
		repeat = symbol == 16 ? 3 + take_bits(inflate, 2) :
			 symbol == 17 ? 3 + take_bits(inflate, 3) : 11 + take_bits(inflate, 7);
		if (repeat > count - at)
			return fail(inflate, "invalid bit length repeat");
		memset(lengths + at, length, repeat);
		at += repeat;
	}
	return !inflate->wrong;
}

/* Do the bytes so far, `made` of them unpacked, pay for all tables with one set more? */
static bool charge_tables(struct inflate *inflate, uint64_t made, const uint8_t *lengths,
			  unsigned count)
{
	uint64_t bytes = (uint64_t)(inflate->in - inflate->in_start) + made;

	inflate->table_bytes += TABLES_BYTES;
	for (unsigned symbol = 0; symbol < count; symbol++)
		inflate->table_bytes += lengths[symbol] != 0;
	if (inflate->table_bytes <= bytes + TABLES_FREE_BYTES)
		return true;
	inflate->is_bomb = true;
	return fail(inflate, "too many blocks hold next to nothing");
}

static bool begin_dynamic(struct inflate *inflate, uint64_t made)
{
	static const uint8_t order[LENGTH_SYMBOLS] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
	};
	uint8_t lengths[LITERAL_SYMBOLS + DISTANCE_SYMBOLS] = { 0 };
	uint32_t table[1u << LENGTH_ROOT_BITS];
	unsigned literals = 257 + take_bits(inflate, 5), distances = 1 + take_bits(inflate, 5);
	unsigned packed = 4 + take_bits(inflate, 4);

	if (literals > 286 || distances > 30)
		return fail(inflate, "too many length or distance symbols");
	for (unsigned i = 0; i < packed; i++)
		lengths[order[i]] = (uint8_t)take_bits(inflate, 3);
	if (inflate->wrong ||
	    !make_table(inflate, &length_code, table, lengths, LENGTH_SYMBOLS))
		return false;
	memset(lengths, 0, LENGTH_SYMBOLS);
	if (!read_lengths(inflate, table, lengths, literals + distances))
		return false;
	if (!lengths[END_SYMBOL])
		return fail(inflate, "invalid code -- missing end-of-block");
	inflate->has_fixed_tables = false;
	return charge_tables(inflate, made, lengths, literals + distances) &&
	       make_table(inflate, &literal_code, inflate->literals, lengths, literals) &&
	       make_table(inflate, &distance_code, inflate->distances, lengths + literals,
			  distances);
}

/* `made`: bytes unpacked before it. */
static bool begin_block(struct inflate *inflate, uint64_t made)
{
	if (inflate->is_last) {
		inflate->state = INFLATE_ENDED;
		return true;
	}
	inflate->is_last = take_bits(inflate, 1);
	switch (take_bits(inflate, 2)) {
	case 0:
		return !inflate->wrong && begin_stored(inflate);
	case 1:
		inflate->state = INFLATE_CODES;
		return !inflate->wrong && begin_fixed(inflate);
	case 2:
		inflate->state = INFLATE_CODES;
		return !inflate->wrong && begin_dynamic(inflate, made);
	default:
		return fail(inflate, "invalid block type");
	}
}

/* --- Symbols ------------------------------------------------------------------------- */

/* The value of an entry with the extra bits behind its code, which is next. */
static inline unsigned value_with_extra(uint64_t bits, uint32_t entry)
{
	return ENTRY_VALUE(entry) + (unsigned)(low_bits(bits, ENTRY_ALL_BITS(entry)) >>
					       ENTRY_CODE_BITS(entry));
}

/* Writes up to 15 bytes more. */
static inline void copy_match(uint8_t *out, size_t length, size_t distance)
{
	const uint8_t *from = out - distance;
	uint8_t *end = out + length;

	if (__builtin_expect(distance >= 16, 1)) {
		do {
			memcpy(out, from, 16);
			out += 16;
			from += 16;
		} while (out < end);
	} else if (distance == 1) {
		memset(out, *from, length);
	} else if (distance >= 8) {
		do {
			memcpy(out, from, 8);
			out += 8;
			from += 8;
		} while (out < end);
	} else {
		do {                     /* each store repeats the pattern and invalidates what follows */
			uint64_t word;

			memcpy(&word, from, 8);
			memcpy(out, &word, 8);
			out += distance;
			from += distance;
		} while (out < end);
	}
}

/* The fast loop's own copy of where it stands, kept in registers. */
struct cursor {
	const uint8_t *in;
	uint64_t bits;
	unsigned bit_count;
};

/* 56 bits at least; what lies above bit_count is what the next refill puts there again. */
static inline void refill(struct cursor *cursor)
{
	cursor->bits |= load_64(cursor->in) << cursor->bit_count;
	cursor->in += (63 - cursor->bit_count) >> 3;
	cursor->bit_count |= 56;
}

static inline void drop(struct cursor *cursor, unsigned count)
{
	cursor->bits >>= count;
	cursor->bit_count -= count;
}

static inline uint32_t look_up(const uint32_t *table, unsigned root_bits,
			       const struct cursor *cursor)
{
	return table[low_bits(cursor->bits, root_bits)];
}

static inline uint32_t look_further(const uint32_t *table, unsigned root_bits, uint32_t entry,
				    struct cursor *cursor)
{
	drop(cursor, root_bits);
	return table[ENTRY_VALUE(entry) + low_bits(cursor->bits, ENTRY_CODE_BITS(entry))];
}

/* Literals that come one after the other, two at most, each of a code within the root.  *entry is
 * the one behind them. */
static inline uint8_t *run_literals(const uint32_t *table, struct cursor *cursor, uint8_t *out,
				    uint32_t *entry)
{
	for (unsigned i = 0; i < 2 && (*entry & ENTRY_LITERAL); i++) {
		uint8_t literal = (uint8_t)(*entry >> 16);

		drop(cursor, ENTRY_ALL_BITS(*entry));
		*entry = look_up(table, LITERAL_ROOT_BITS, cursor);
		*out++ = literal;
	}
	return out;
}

static void end_block(struct inflate *inflate, uint32_t entry, struct cursor *cursor)
{
	if (entry & ENTRY_INVALID) {
		(void)fail(inflate, "invalid literal/length code");
		return;
	}
	drop(cursor, ENTRY_ALL_BITS(entry));
	inflate->state = INFLATE_HEAD;
}

/* The distance of a match; 0: it has none that may be. */
static inline unsigned match_distance(struct inflate *inflate, struct cursor *cursor,
				      size_t most)
{
	uint32_t entry = look_up(inflate->distances, DISTANCE_ROOT_BITS, cursor);
	unsigned distance;

	if (__builtin_expect(entry & ENTRY_SUBTABLE, 0))
		entry = look_further(inflate->distances, DISTANCE_ROOT_BITS, entry, cursor);
	if (__builtin_expect(entry & ENTRY_UNUSUAL, 0)) {
		(void)fail(inflate, "invalid distance code");
		return 0;
	}
	distance = value_with_extra(cursor->bits, entry);
	drop(cursor, ENTRY_ALL_BITS(entry));
	if (__builtin_expect(distance > most, 0)) {
		(void)fail(inflate, "invalid distance too far back");
		return 0;
	}
	return distance;
}

/* From `out` on while neither end is near; returns where it stopped. */
static uint8_t *run_fast(struct inflate *inflate, uint8_t *out, const uint8_t *out_end,
			 const uint8_t *oldest)
{
	struct cursor cursor = { inflate->in, inflate->bits, inflate->bit_count };
	const uint32_t *literals = inflate->literals;
	uint32_t entry;

	if (inflate->in_end - cursor.in < FAST_IN_BYTES)
		return out;
	refill(&cursor);
	entry = look_up(literals, LITERAL_ROOT_BITS, &cursor);
	while (inflate->in_end - cursor.in >= FAST_IN_BYTES && out_end - out >= FAST_OUT_BYTES) {
		unsigned length, distance;

		out = run_literals(literals, &cursor, out, &entry);
		/* 34 bits are left, and a length takes 20 at most. */
		if (__builtin_expect(entry & ENTRY_SUBTABLE, 0))
			entry = look_further(literals, LITERAL_ROOT_BITS, entry, &cursor);
		if (entry & ENTRY_LITERAL) {
			drop(&cursor, ENTRY_ALL_BITS(entry));
			*out++ = (uint8_t)(entry >> 16);
			refill(&cursor);
			entry = look_up(literals, LITERAL_ROOT_BITS, &cursor);
			continue;
		}
		if (__builtin_expect(entry & ENTRY_UNUSUAL, 0)) {
			end_block(inflate, entry, &cursor);
			break;
		}
		length = value_with_extra(cursor.bits, entry);
		drop(&cursor, ENTRY_ALL_BITS(entry));
		if (cursor.bit_count < 28)       /* a distance takes no more */
			refill(&cursor);
		distance = match_distance(inflate, &cursor, (size_t)(out - oldest));
		if (__builtin_expect(distance == 0, 0))
			break;
		/* The next symbol is looked up while this one's bytes are copied. */
		refill(&cursor);
		entry = look_up(literals, LITERAL_ROOT_BITS, &cursor);
		copy_match(out, length, distance);
		out += length;
	}
	inflate->in = cursor.in;
	inflate->bits = cursor.bits;
	inflate->bit_count = cursor.bit_count;
	return out;
}

/* The entry of the next symbol, its subtable's where it has one; its root bits are then gone. */
static uint32_t next_entry(struct inflate *inflate, const uint32_t *table, unsigned root_bits)
{
	uint32_t entry;

	refill_carefully(inflate);
	entry = table[low_bits(inflate->bits, root_bits)];
	if ((entry & ENTRY_SUBTABLE) && inflate->bit_count >= root_bits) {
		drop_bits(inflate, root_bits);
		entry = table[ENTRY_VALUE(entry) +
			      low_bits(inflate->bits, ENTRY_CODE_BITS(entry))];
	}
	if (ENTRY_ALL_BITS(entry) > inflate->bit_count) {
		(void)fail(inflate, "it ends early");
		return ENTRY_UNUSUAL | ENTRY_INVALID;
	}
	return entry;
}

/* Sets match_left for a match. */
static uint8_t *take_symbol(struct inflate *inflate, uint8_t *out, const uint8_t *out_end,
			    const uint8_t *oldest)
{
	uint32_t entry = next_entry(inflate, inflate->literals, LITERAL_ROOT_BITS);

	if (entry & ENTRY_LITERAL) {
		if (out == out_end) {
			inflate->holds_more = true;
			return out;
		}
		drop_bits(inflate, ENTRY_ALL_BITS(entry));
		*out++ = (uint8_t)(entry >> 16);
		return out;
	}
	if (entry & ENTRY_INVALID) {
		(void)fail(inflate, "invalid literal/length code");
		return out;
	}
	if (entry & ENTRY_END) {
		drop_bits(inflate, ENTRY_ALL_BITS(entry));
		inflate->state = INFLATE_HEAD;
		return out;
	}
	inflate->match_left = value_with_extra(inflate->bits, entry);
	drop_bits(inflate, ENTRY_ALL_BITS(entry));
	entry = next_entry(inflate, inflate->distances, DISTANCE_ROOT_BITS);
	if (entry & ENTRY_INVALID) {
		(void)fail(inflate, "invalid distance code");
		return out;
	}
	inflate->match_distance = value_with_extra(inflate->bits, entry);
	drop_bits(inflate, ENTRY_ALL_BITS(entry));
	if (out < out_end && inflate->match_distance > (size_t)(out - oldest))
		(void)fail(inflate, "invalid distance too far back");
	return out;
}

static uint8_t *finish_match(struct inflate *inflate, uint8_t *out, const uint8_t *out_end)
{
	for (; inflate->match_left > 0 && out < out_end; inflate->match_left--, out++)
		*out = out[-(ptrdiff_t)inflate->match_distance];
	return out;
}

static uint8_t *run_carefully(struct inflate *inflate, uint8_t *out, const uint8_t *out_end,
			      const uint8_t *oldest)
{
	const uint8_t *pause = out_end - out > FAST_OUT_BYTES ? out + FAST_OUT_BYTES : out_end;

	while (inflate->state == INFLATE_CODES && !inflate->wrong && out < pause) {
		out = take_symbol(inflate, out, out_end, oldest);
		if (!inflate->wrong)
			out = finish_match(inflate, out, out_end);
	}
	return out;
}

static uint8_t *run_stored(struct inflate *inflate, uint8_t *out, const uint8_t *out_end)
{
	size_t count = inflate->stored_left;

	if (count > (size_t)(out_end - out))
		count = (size_t)(out_end - out);
	if (count > (size_t)(inflate->in_end - inflate->in)) {
		(void)fail(inflate, "it ends early");
		count = (size_t)(inflate->in_end - inflate->in);
	}
	memcpy(out, inflate->in, count);
	inflate->in += count;
	inflate->stored_left -= (uint32_t)count;
	if (inflate->stored_left == 0)
		inflate->state = INFLATE_HEAD;
	return out + count;
}

/* --- Together ------------------------------------------------------------------------ */

void inflate_init(struct inflate *inflate, const void *in, size_t size)
{
	inflate->in = inflate->in_start = in;
	inflate->in_end = inflate->in + size;
	inflate->bits = 0;
	inflate->bit_count = 0;
	inflate->state = INFLATE_HEAD;
	inflate->is_last = inflate->holds_more = false;
	inflate->has_fixed_tables = inflate->is_bomb = false;
	inflate->table_bytes = 0;
	inflate->stored_left = inflate->match_left = inflate->match_distance = 0;
	inflate->made = 0;
	inflate->wrong = NULL;
}

size_t inflate_fill(struct inflate *inflate, uint8_t *out, size_t size)
{
	const uint8_t *oldest = out - (inflate->made < INFLATE_HISTORY_BYTES ? (size_t)inflate->made
									      : INFLATE_HISTORY_BYTES);
	const uint8_t *end = out + size;
	uint8_t *at = finish_match(inflate, out, end);

	while (at < end && !inflate->wrong && inflate->state != INFLATE_ENDED) {
		if (inflate->state == INFLATE_HEAD) {
			(void)begin_block(inflate, inflate->made + (uint64_t)(at - out));
		} else if (inflate->state == INFLATE_STORED) {
			at = run_stored(inflate, at, end);
		} else {
			at = run_fast(inflate, at, end, oldest);
			if (!inflate->wrong)
				at = run_carefully(inflate, at, end, oldest);
		}
	}
	inflate->made += (uint64_t)(at - out);
	return (size_t)(at - out);
}

bool inflate_finish(struct inflate *inflate)
{
	uint8_t none = 0;                /* there is no place for any more of it */

	while (inflate->state != INFLATE_ENDED && !inflate->wrong) {
		inflate->holds_more |= inflate->match_left > 0 || inflate->stored_left > 0;
		if (inflate->holds_more)
			return false;
		if (inflate->state == INFLATE_CODES)
			(void)take_symbol(inflate, &none, &none, &none);
		else if (inflate->state == INFLATE_STORED)
			inflate->state = INFLATE_HEAD;
		else
			(void)begin_block(inflate, inflate->made);
	}
	return !inflate->wrong;
}

const uint8_t *inflate_rest(const struct inflate *inflate)
{
	return inflate->in - inflate->bit_count / 8;
}
