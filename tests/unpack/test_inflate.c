/* test_inflate -- a zlib stream piece after piece, held against zlib. */
#include "unpack/unpack.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "support/support.h"
#include "unpack/inflate.h"

#define PLAIN_BYTES  ((size_t)200000)
#define PACKED_BYTES ((size_t)300000)
#define ARENA_BYTES  ((size_t)1 << 20)

static uint32_t seed;

static uint32_t next_random(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

/* Data that makes a compressor use all it has, by the number of the kind. */
static void make_plain(uint8_t *plain, size_t size, int kind)
{
	for (size_t i = 0; i < size; i++) {
		uint32_t dice = next_random();

		switch (kind) {
		case 0:                  /* records: short matches, near and far */
			plain[i] = (uint8_t)(i % 23 == 0 ? dice : i % 23 < 4 ? dice % 5 : i / 9000);
			break;
		case 1:                  /* nothing to pack: stored blocks */
			plain[i] = (uint8_t)dice;
			break;
		case 2:                  /* runs: distance 1, the longest lengths */
			plain[i] = (uint8_t)(i / 1000);
			break;
		case 3:                  /* letters of very different frequency: long codes */
			plain[i] = (uint8_t)__builtin_clz(dice | 1);
			if (dice % 97 == 0)
				plain[i] = (uint8_t)(dice >> 12);
			break;
		default:                 /* patterns of 2 to 20 bytes: matches that overlap */
			plain[i] = i < 40 || dice % 500 == 0 ? (uint8_t)dice
							     : plain[i - 2 - i / 12000 % 19];
		}
	}
}

static size_t pack(const uint8_t *plain, size_t size, uint8_t *packed, int level, int strategy)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)plain, .avail_in = (uInt)size,
			    .next_out = packed, .avail_out = (uInt)PACKED_BYTES };

	ck_assert_int_eq(deflateInit2(&stream, level, Z_DEFLATED, 15, 8, strategy), Z_OK);
	ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

/* Unpacks in pieces of random sizes up to `most`, each at the start of one of two buffers or
 * behind the piece before; whole pieces are put together in `out`. */
static int unpack_pieces(const uint8_t *packed, size_t packed_size, uint8_t *out, size_t size,
			 size_t most, struct err *err)
{
	struct unpack_incremental *incremental;
	struct text bytes = { (const char *)packed, packed_size };
	uint8_t *places[2] = { mem_get(UNPACK_BEFORE_BYTES + 2 * most),
			       mem_get(UNPACK_BEFORE_BYTES + 2 * most) };
	struct arena arena;
	size_t done = 0, last = 0;
	unsigned place = 0;
	int rc;

	arena_init(&arena, ARENA_BYTES);
	rc = unpack_incremental_open(&incremental, "it", bytes, size, &arena, err);
	while (rc == 0 && done < size) {
		size_t piece = 1 + next_random() % most;
		uint8_t *at = places[place] + UNPACK_BEFORE_BYTES;

		if (piece > size - done)
			piece = size - done;
		if (last + piece <= 2 * most && next_random() % 2) {
			at += last;
		} else {
			last = 0;
			place = next_random() % 2;
			at = places[place] + UNPACK_BEFORE_BYTES;
		}
		rc = unpack_incremental_fill(incremental, at, piece, err);
		if (rc == 0)
			memcpy(out + done, at, piece);
		done += piece;
		last += piece;
	}
	if (rc == 0)
		rc = unpack_incremental_finish(incremental, err);
	arena_release(&arena);
	mem_give_back(places[0]);
	mem_give_back(places[1]);
	return rc;
}

START_TEST(any_data_in_any_pieces)
{
	static const struct { int level, strategy; } ways[] = {
		{ 9, Z_DEFAULT_STRATEGY }, { 1, Z_DEFAULT_STRATEGY }, { 0, Z_DEFAULT_STRATEGY },
		{ 6, Z_HUFFMAN_ONLY }, { 6, Z_RLE }, { 6, Z_FIXED },
	};
	static const size_t most[] = { 7, 300, 5000, 70000 };
	uint8_t *plain = mem_get(PLAIN_BYTES), *packed = mem_get(PACKED_BYTES);
	uint8_t *out = mem_get(PLAIN_BYTES);

	seed = (uint32_t)_i;
	make_plain(plain, PLAIN_BYTES, _i);
	for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		size_t size = pack(plain, PLAIN_BYTES, packed, ways[way].level, ways[way].strategy);

		for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
			struct err err = ERR_INIT;

			memset(out, 0xee, PLAIN_BYTES);
			ck_assert_msg(unpack_pieces(packed, size, out, PLAIN_BYTES, most[i],
						    &err) == 0, "way %zu: %s", way, err.text);
			ck_assert_mem_eq(out, plain, PLAIN_BYTES);
		}
	}
	mem_give_back(plain);
	mem_give_back(packed);
	mem_give_back(out);
}
END_TEST

/* Damaged data is damaged for both, and what is left right is equal. */
START_TEST(as_zlib_judges)
{
	const size_t plain_size = 6000;
	uint8_t *plain = mem_get(plain_size), *packed = mem_get(PACKED_BYTES);
	uint8_t *ours = mem_get(plain_size), *theirs = mem_get(plain_size);
	unsigned right = 0;

	seed = 77u + (uint32_t)_i;
	for (unsigned round = 0; round < 3000; round++) {
		size_t size, changes = next_random() % 3;
		uLongf got = plain_size;
		struct err err = ERR_INIT;
		int rc, zlib;

		make_plain(plain, plain_size, _i);
		size = pack(plain, plain_size, packed, round % 10 ? 9 : 0,
			    round % 7 ? Z_DEFAULT_STRATEGY : Z_FIXED);
		for (size_t i = 0; i < changes; i++)
			packed[next_random() % (round % 2 ? size : 120)] ^=
				(uint8_t)(1u << next_random() % 8);
		if (next_random() % 8 == 0)
			size -= next_random() % size;
		memset(ours, 0, plain_size);
		memset(theirs, 0, plain_size);
		zlib = uncompress(theirs, &got, packed, size);
		rc = unpack_pieces(packed, size, ours, plain_size, 1000, &err);
		ck_assert_msg((zlib == Z_OK && got == plain_size) == (rc == 0),
			      "seed %d, round %u: zlib %d, we: %s", _i, round, zlib, err.text);
		if (rc == 0) {
			ck_assert_mem_eq(ours, theirs, plain_size);
			right++;
		} else {
			ck_assert_int_eq(err.kind, ERR_MALFORMED);
		}
	}
	ck_assert_uint_gt(right, 100);
	mem_give_back(plain);
	mem_give_back(packed);
	mem_give_back(ours);
	mem_give_back(theirs);
}
END_TEST

START_TEST(says_what_is_wrong)
{
	uint8_t plain[1000], packed[2000], out[1001];
	size_t size;

	seed = 5;
	make_plain(plain, sizeof(plain), 0);
	size = pack(plain, sizeof(plain), packed, 9, Z_DEFAULT_STRATEGY);
	const struct { size_t announced, packed; int at; uint8_t now; const char *words; } cases[] = {
		{ 1001, size, -1, 0, "unpacking it: holds 1000 bytes, not 1001" },
		{ 999, size, -1, 0, "unpacking it: holds more than 999 bytes" },
		{ 0, size, -1, 0, "unpacking it: holds more than 0 bytes" },
		{ 1000, size - 1, -1, 0, "unpacking it: bad zlib data: it ends early" },
		{ 1000, size / 2, -1, 0, "unpacking it: bad zlib data: it ends early" },
		{ 1000, 1, -1, 0, "unpacking it: bad zlib data: it ends early" },
		{ 1000, size, (int)size - 1, 0, "unpacking it: bad zlib data: incorrect data check" },
		{ 1000, size, 0, 0x79, "unpacking it: bad zlib data: incorrect header check" },
		{ 1000, size, 2, 0x07, "unpacking it: bad zlib data: invalid block type" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;
		uint8_t *copy = mem_get(cases[i].packed);    /* of just its size, for ASan */

		memcpy(copy, packed, cases[i].packed);
		if (cases[i].at >= 0)
			copy[cases[i].at] = cases[i].at == (int)size - 1
						? (uint8_t)(copy[cases[i].at] ^ 1) : cases[i].now;
		ck_assert_int_eq(unpack_pieces(copy, cases[i].packed, out, cases[i].announced, 400,
					       &err), -1);
		ck_assert_str_eq(err.text, cases[i].words);
		mem_give_back(copy);
	}
}
END_TEST

/* --- More work than it is worth ---------------------------------------------------------- */

#define BOMB_BYTES ((size_t)2 << 20)

struct bits {
	uint8_t *bytes;
	size_t count;
};

static void put_bits(struct bits *bits, unsigned value, unsigned count)
{
	for (unsigned i = 0; i < count; i++, bits->count++)
		bits->bytes[bits->count / 8] |= (uint8_t)((value >> i & 1) << bits->count % 8);
}

/* RFC 1951, 3.2.7: the end is all that has a code. */
static void put_empty_dynamic(struct bits *bits)
{
	static const uint8_t order[] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1 };

	put_bits(bits, 2 << 1, 3);
	put_bits(bits, 14 << 10, 14);            /* 257 and 1 symbols, 18 lengths */
	for (size_t i = 0; i < sizeof(order); i++)
		put_bits(bits, order[i] == 18 || order[i] == 1, 3);
	put_bits(bits, 1 | 127 << 1, 8);         /* 138 zeros */
	put_bits(bits, 1 | 107 << 1, 8);         /* 118 */
	put_bits(bits, 0, 3);                    /* the end's length, the distance's, the end */
}

static void put_empty_fixed(struct bits *bits)
{
	put_bits(bits, 1 << 1, 10);
}

/* A zlib stream of so many empty blocks and nothing in them. */
static size_t pack_nothing(uint8_t *packed, void (*put)(struct bits *bits), unsigned count)
{
	struct bits bits = { packed, 16 };

	memset(packed, 0, BOMB_BYTES);
	memcpy(packed, "\x78\x9c", 2);
	for (unsigned i = 0; i < count; i++)
		put(&bits);
	put_bits(&bits, 1 | 1 << 1, 10);
	bits.count = (bits.count + 7) / 8 * 8 + 24;
	put_bits(&bits, 1, 8);                   /* Adler-32 of no bytes */
	ck_assert_uint_lt(bits.count / 8, BOMB_BYTES);
	return bits.count / 8;
}

static const struct {
	const char *what;
	void (*put)(struct bits *bits);
	unsigned count;
	enum err_kind kind;
} nothings[] = {
	{ "tables the standard fixes are made once", put_empty_fixed, 1600000, ERR_NONE },
	{ "some tables for nothing", put_empty_dynamic, 5000, ERR_NONE },
	{ "tables for nothing without end", put_empty_dynamic, 100000, ERR_LIMIT },
};

START_TEST(work_for_nothing_has_an_end)
{
	static const char words[] = "bad zlib data: too many blocks hold next to nothing";
	enum err_kind kind = nothings[_i].kind;
	uint8_t *packed = mem_get(BOMB_BYTES), out[1];
	size_t size = pack_nothing(packed, nothings[_i].put, nothings[_i].count);
	struct text text = { (const char *)packed, size };
	int in_fd = memfd_create("in", MFD_CLOEXEC), out_fd = memfd_create("out", MFD_CLOEXEC);
	struct unpack_incremental *incremental;
	struct err err = ERR_INIT;
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	ck_assert_int_eq(unpack_incremental_open(&incremental, "it", text, 0, &arena, &err), 0);
	ck_assert_int_eq(unpack_incremental_finish(incremental, &err), kind == ERR_NONE ? 0 : -1);
	ck_assert_msg(err.kind == kind, "%s: %s", nothings[_i].what, err.text);
	ck_assert(kind == ERR_NONE || strstr(err.text, words));
	ck_assert_int_eq(unpack_incremental_open(&incremental, "it", text, 1, &arena, &err), 0);
	ck_assert_int_eq(unpack_incremental_fill(incremental, out, 1, &err), -1);
	ck_assert(strstr(err.text, kind == ERR_NONE ? "holds 0 bytes, not 1" : words));
	arena_release(&arena);
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(pwrite(in_fd, packed, size, 0), (ssize_t)size);
	ck_assert_int_eq(unpack_stream(UNPACK_ZLIB, in_fd, out_fd, 1000, &err),
			 kind == ERR_NONE ? 0 : -1);
	ck_assert_msg(err.kind == kind, "%s: %s", nothings[_i].what, err.text);
	ck_assert(kind == ERR_NONE || strstr(err.text, words));
	close(in_fd);
	close(out_fd);
	mem_give_back(packed);
}
END_TEST

/* The smallest blocks an encoder is made to write are worth their tables. */
START_TEST(small_blocks_are_no_bomb)
{
	uint8_t *plain = mem_get(PLAIN_BYTES), *out = mem_get(PLAIN_BYTES);
	uint8_t *packed = mem_get(2 * PACKED_BYTES);

	seed = (uint32_t)_i;
	make_plain(plain, PLAIN_BYTES, _i);
	for (unsigned step = 8; step < 200; step += step / 2) {
		z_stream stream = { .next_in = plain, .next_out = packed,
				    .avail_out = (uInt)(2 * PACKED_BYTES) };
		struct err err = ERR_INIT;

		ck_assert_int_eq(deflateInit(&stream, 9), Z_OK);
		while (stream.total_in < PLAIN_BYTES) {
			size_t left = PLAIN_BYTES - stream.total_in;

			stream.avail_in = left < step ? (uInt)left : step;
			ck_assert_int_eq(deflate(&stream, Z_BLOCK), Z_OK);
		}
		ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
		deflateEnd(&stream);
		ck_assert_msg(unpack_pieces(packed, stream.total_out, out, PLAIN_BYTES, 5000,
					    &err) == 0, "by %u: %s", step, err.text);
		ck_assert_mem_eq(out, plain, PLAIN_BYTES);
	}
	mem_give_back(plain);
	mem_give_back(packed);
	mem_give_back(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("inflate");
	TCase *tests = tcase_create("inflate");

	tcase_add_loop_test(tests, any_data_in_any_pieces, 0, 5);
	tcase_add_loop_test(tests, as_zlib_judges, 0, 5);
	tcase_add_test(tests, says_what_is_wrong);
	tcase_add_loop_test(tests, work_for_nothing_has_an_end, 0,
			    (int)(sizeof(nothings) / sizeof(nothings[0])));
	tcase_add_loop_test(tests, small_blocks_are_no_bomb, 0, 5);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
