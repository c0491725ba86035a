/*
 * fuzz_inflate.c -- DEFLATE data, unpacked in pieces and held against zlib.
 *
 * The first bytes say how long the pieces are, the rest is the data, once as it is and once as
 * what zlib packs, damaged in one place.  Whatever the pieces, the same bytes come out as of zlib,
 * the same data is refused, and the data ends at the same byte.  Each piece is a block of its own
 * with just the history in front of it: sanitizers see a byte too far at either end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "unpack/inflate.h"

#define OUT_BYTES    ((size_t)1 << 18)
#define PIECES       4u              /* lengths, used in turn */
#define HEAD_BYTES   (2 * PIECES + 4)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct judged {
	size_t made;
	bool is_complete, is_short;  /* the last block has ended; the input has */
	size_t taken;                /* of the input, once complete */
};

static struct judged ask_zlib(const uint8_t *in, size_t size, uint8_t *out, size_t out_size)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)in, .avail_in = (uInt)size,
			    .next_out = out, .avail_out = (uInt)out_size };
	struct judged judged;
	int rc;

	if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
		abort();
	rc = inflate(&stream, Z_SYNC_FLUSH);
	judged = (struct judged){
		.made = stream.total_out, .is_complete = rc == Z_STREAM_END,
		.is_short = (rc == Z_OK || rc == Z_BUF_ERROR) && stream.avail_out > 0,
		.taken = stream.total_in,
	};
	inflateEnd(&stream);
	return judged;
}

/* One piece; how much of it was filled. */
static size_t fill_piece(struct inflate *inflate, uint8_t *out, size_t made, size_t size)
{
	size_t history = made < INFLATE_HISTORY_BYTES ? made : INFLATE_HISTORY_BYTES, got;
	uint8_t *block = malloc(history + size + !(history + size));

	if (!block)
		abort();
	memcpy(block, out + made - history, history);
	got = inflate_fill(inflate, block + history, size);
	if (got > size || memcmp(block, out + made - history, history) != 0)
		abort();
	memcpy(out + made, block + history, got);
	free(block);
	return got;
}

static size_t fill_all(struct inflate *inflate, const uint16_t *pieces, uint8_t *out, size_t out_size)
{
	size_t made = 0;

	for (unsigned i = 0; made < out_size; i++) {
		size_t want = (size_t)pieces[i % PIECES] + 1, got;

		if (want > out_size - made)
			want = out_size - made;
		got = fill_piece(inflate, out, made, want);
		made += got;
		if (got < want)
			break;
	}
	return made;
}

/* As long as it is, no more is asked for: complete.  One byte less: it holds more. */
static void check_end(const uint8_t *in, size_t size, const struct judged *theirs,
		      const uint16_t *pieces, uint8_t *out)
{
	struct inflate inflate;

	inflate_init(&inflate, in, size);
	if (fill_all(&inflate, pieces, out, theirs->made) != theirs->made ||
	    !inflate_finish(&inflate) || inflate_rest(&inflate) != in + theirs->taken)
		abort();
	if (theirs->made == 0)
		return;
	inflate_init(&inflate, in, size);
	if (fill_all(&inflate, pieces, out, theirs->made - 1) != theirs->made - 1 ||
	    inflate_finish(&inflate) || !inflate.holds_more || inflate.wrong)
		abort();
}

static void compare(const uint8_t *in, size_t size, const uint16_t *pieces)
{
	static uint8_t their_bytes[OUT_BYTES], our_bytes[OUT_BYTES];
	struct judged theirs = ask_zlib(in, size, their_bytes, OUT_BYTES);
	struct inflate inflate;
	size_t made;

	inflate_init(&inflate, in, size);
	made = fill_all(&inflate, pieces, our_bytes, OUT_BYTES);
	if (inflate.is_bomb)                     /* more work than zlib refuses to do */
		return;
	if (made != theirs.made || memcmp(our_bytes, their_bytes, made) != 0)
		abort();
	if (made == OUT_BYTES)
		return;
	if ((inflate.state == INFLATE_ENDED && !inflate.wrong) != theirs.is_complete)
		abort();
	if (theirs.is_short && !inflate.wrong)
		abort();
	if (theirs.is_complete)
		check_end(in, size, &theirs, pieces, our_bytes);
}

static void pack_and_compare(const uint8_t *plain, size_t size, const uint8_t *choices,
			     const uint16_t *pieces)
{
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)plain, .avail_in = (uInt)size };
	uint8_t *packed, *exact;
	size_t at;

	if (deflateInit2(&stream, choices[0] % 10, Z_DEFLATED, -MAX_WBITS, 1 + choices[1] % 9,
			 strategies[choices[1] >> 6]) != Z_OK)
		abort();
	/* Its bound is too small for some raw data (zlib 1.2.13: 7 bytes, Z_FIXED, level 0). */
	stream.avail_out = (uInt)(deflateBound(&stream, (uLong)size) + size + 64);
	stream.next_out = packed = malloc(stream.avail_out);
	if (!packed || deflate(&stream, Z_FINISH) != Z_STREAM_END)
		abort();
	exact = malloc(stream.total_out);
	if (!exact)
		abort();
	memcpy(exact, packed, stream.total_out);
	compare(exact, stream.total_out, pieces);
	at = (size_t)choices[2] * stream.total_out / 256;
	exact[at] ^= choices[3];
	compare(exact, stream.total_out, pieces);
	deflateEnd(&stream);
	free(packed);
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint16_t pieces[PIECES];
	uint8_t *exact;

	if (size < HEAD_BYTES)
		return 0;
	memcpy(pieces, bytes, sizeof(pieces));
	exact = malloc(size - HEAD_BYTES + (size == HEAD_BYTES));
	if (!exact)
		abort();
	memcpy(exact, bytes + HEAD_BYTES, size - HEAD_BYTES);
	compare(exact, size - HEAD_BYTES, pieces);
	free(exact);
	pack_and_compare(bytes + HEAD_BYTES, size - HEAD_BYTES, bytes + 2 * PIECES, pieces);
	return 0;
}
