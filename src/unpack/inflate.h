/*
 * inflate -- DEFLATE data in memory, unpacked a piece at a time.
 *
 * Private to unpack.  libdeflate is as quick but gives all or nothing; zlib stops anywhere but
 * takes twice the time.  Here the whole input is known and each call fills one piece of the
 * output, so that who reads units of a section needs no more of it than the unit at hand.
 */
#ifndef UNPACK_INFLATE_H
#define UNPACK_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INFLATE_HISTORY_BYTES ((size_t)32768)    /* RFC 1951: matches reach no further back */

/* What tables with these root sizes can come to, subtables counted, for any complete code. */
#define INFLATE_LITERAL_ENTRIES  2342u   /* 288 symbols, 11 bits at the root, 15 at most */
#define INFLATE_DISTANCE_ENTRIES 402u    /* 32 symbols, 8 bits, 15 at most */

enum inflate_state { INFLATE_HEAD, INFLATE_STORED, INFLATE_CODES, INFLATE_ENDED };

struct inflate {
	const uint8_t *in, *in_end, *in_start;
	uint64_t bits;           /* read ahead, the next one lowest */
	unsigned bit_count;
	enum inflate_state state;
	bool is_last;            /* of the blocks */
	bool holds_more;         /* than was asked for */
	bool has_fixed_tables;   /* those of RFC 1951, 3.2.6, not a block's own */
	bool is_bomb;            /* what is wrong is that it takes more work than it is worth */
	uint64_t table_bytes;    /* what all tables made must be worth */
	uint32_t stored_left;
	uint32_t match_left, match_distance;     /* of a match cut by the end of a piece */
	uint64_t made;           /* bytes, by all calls */
	const char *wrong;       /* what is wrong with the data, once something is */
	uint32_t literals[INFLATE_LITERAL_ENTRIES];
	uint32_t distances[INFLATE_DISTANCE_ENTRIES];
};

void inflate_init(struct inflate *inflate, const void *in, size_t size);

/* Fills out[0, size), unless the data ends or is wrong; how many bytes it filled.  What was made
 * before, as far as a match may reach back, lies in front of `out`. */
size_t inflate_fill(struct inflate *inflate, uint8_t *out, size_t size);

/* No more is asked for: goes to the end of the last block.  False: it holds more, or is wrong. */
bool inflate_finish(struct inflate *inflate);

/* The bytes behind the last block, once it has ended. */
const uint8_t *inflate_rest(const struct inflate *inflate);

#endif
