/* members.c -- see members.h (RFC 1950, RFC 1952). */
#include "unpack/members.h"

#include <libdeflate.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"
#include "unpack/inflate.h"

#define PIECE_BYTES ((size_t)256 * 1024)

#define GZIP_MAGIC      0x8b1fu
#define METHOD_DEFLATE  8u
#define FLAG_CHECKSUM   0x02u
#define FLAG_EXTRA      0x04u
#define FLAG_NAME       0x08u
#define FLAG_COMMENT    0x10u
#define FLAGS_UNKNOWN   0xe0u

#define ZLIB_METHOD_32K 0x78u
#define ZLIB_DICTIONARY 0x20u

struct members {
	enum unpack_kind kind;
	struct reader packed;
	struct inflate inflate;
	uint8_t *piece;              /* behind what matches reach back to */
	members_put_fn *put;
	void *payload;
	uint32_t checksum;
	uint32_t made;               /* by the member, modulo 2^32 */
};

/* False: there is none here that we read. */
static bool read_gzip_header(struct reader *reader)
{
	unsigned magic = reader_u16(reader), method = reader_u8(reader), flags = reader_u8(reader);

	reader_skip(reader, 6);                  /* time, hints, system */
	if (magic != GZIP_MAGIC || method != METHOD_DEFLATE ||
	    (flags & (FLAGS_UNKNOWN | FLAG_CHECKSUM)))
		return false;
	if (flags & FLAG_EXTRA)
		reader_skip(reader, reader_u16(reader));
	if (flags & FLAG_NAME)
		(void)reader_string(reader);
	if (flags & FLAG_COMMENT)
		(void)reader_string(reader);
	return !reader->failed;
}

static bool read_zlib_header(struct reader *reader)
{
	unsigned method = reader_u8(reader), flags = reader_u8(reader);

	return !reader->failed && method == ZLIB_METHOD_32K && (method << 8 | flags) % 31 == 0 &&
	       !(flags & ZLIB_DICTIONARY);
}

static bool begin_member(struct members *members)
{
	struct reader *packed = &members->packed;

	if (!(members->kind == UNPACK_GZIP ? read_gzip_header(packed) : read_zlib_header(packed)))
		return false;
	inflate_init(&members->inflate, packed->bytes + packed->pos, reader_left(packed));
	members->checksum = members->kind != UNPACK_GZIP;        /* of no bytes: 0, and 1 */
	members->made = 0;
	return true;
}

static void check_sum(struct members *members, size_t size)
{
	members->made += (uint32_t)size;
	members->checksum = members->kind == UNPACK_GZIP
		? libdeflate_crc32(members->checksum, members->piece, size)
		: libdeflate_adler32(members->checksum, members->piece, size);
}

/* 1: the member's data is complete, 0: it is wrong, -1. */
static int inflate_member(struct members *members, struct err *err)
{
	struct inflate *inflate = &members->inflate;

	for (;;) {
		size_t got = inflate_fill(inflate, members->piece, PIECE_BYTES);
		uint64_t read = (uint64_t)(inflate->in - members->packed.bytes);

		check_sum(members, got);
		if (got > 0 && members->put(members->payload, members->piece, got, read, err) < 0)
			return -1;
		if (inflate->is_bomb)
			return err_set(err, ERR_LIMIT, "bad %s data: %s",
				       unpack_kind_name(members->kind), inflate->wrong);
		if (inflate->wrong)
			return 0;
		if (got < PIECE_BYTES)
			return 1;
		memcpy(members->piece - INFLATE_HISTORY_BYTES,
		       members->piece + PIECE_BYTES - INFLATE_HISTORY_BYTES, INFLATE_HISTORY_BYTES);
	}
}

static bool end_member(struct members *members)
{
	struct reader *packed = &members->packed;

	reader_seek(packed, (uint64_t)(inflate_rest(&members->inflate) - packed->bytes));
	packed->big_endian = members->kind != UNPACK_GZIP;
	if (reader_u32(packed) != members->checksum)
		return false;
	return members->kind != UNPACK_GZIP || reader_u32(packed) == members->made;
}

static int run(struct members *members, struct err *err)
{
	do {
		int rc = begin_member(members) ? inflate_member(members, err) : 0;

		if (rc <= 0)
			return rc;
		if (!end_member(members) || members->packed.failed)
			return 0;
	} while (members->kind == UNPACK_GZIP && reader_left(&members->packed) > 0);
	return 1;
}

int members_unpack(enum unpack_kind kind, struct text packed, members_put_fn *put, void *payload,
		   struct err *err)
{
	struct members *members;
	uint8_t *memory;
	int rc;

	if (kind != UNPACK_GZIP && kind != UNPACK_ZLIB)
		return 0;
	members = mem_get(sizeof(*members));
	memory = mem_get(INFLATE_HISTORY_BYTES + PIECE_BYTES);
	if (members && memory) {
		members->kind = kind;
		members->packed = reader_over("packed data", packed.bytes, packed.size);
		members->piece = memory + INFLATE_HISTORY_BYTES;
		members->put = put;
		members->payload = payload;
		rc = run(members, err);
	} else {
		rc = err_set(err, ERR_NO_MEMORY, "no memory to unpack");
	}
	mem_give_back(members);
	mem_give_back(memory);
	return rc;
}
