/* incremental.c -- a zlib stream (RFC 1950) in memory, unpacked piece after piece. */
#include "unpack/unpack.h"

#include <libdeflate.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/reader.h"
#include "unpack/inflate.h"

#define HEADER_BYTES   2u
#define CHECKSUM_BYTES 4u
#define METHOD_DEFLATE 8u
#define WINDOW_MOST    7u        /* 32 KiB */
#define FLAG_DICTIONARY 0x20u
#define NOTHING_CHECKSUM 1u      /* Adler-32 of no bytes */

struct unpack_incremental {
	struct inflate inflate;
	const char *name;
	uint64_t announced, made;
	uint32_t checksum;
	const uint8_t *end;          /* of the piece before */
};

static int bad(const struct unpack_incremental *incremental, const char *words, struct err *err)
{
	err_set(err, incremental->inflate.is_bomb ? ERR_LIMIT : ERR_MALFORMED, "bad zlib data: %s",
		words);
	return err_while(err, "unpacking %s", incremental->name);
}

static const char *check_header(struct text packed)
{
	unsigned method, flags;

	if (packed.size < HEADER_BYTES)
		return "it ends early";
	method = (uint8_t)packed.bytes[0];
	flags = (uint8_t)packed.bytes[1];
	if ((method << 8 | flags) % 31 != 0)
		return "incorrect header check";
	if ((method & 0xf) != METHOD_DEFLATE)
		return "unknown compression method";
	if (method >> 4 > WINDOW_MOST)
		return "invalid window size";
	return flags & FLAG_DICTIONARY ? "it needs a dictionary" : NULL;
}

int unpack_incremental_open(struct unpack_incremental **out, const char *name,
			    struct text packed, uint64_t size, struct arena *arena,
			    struct err *err)
{
	struct unpack_incremental *incremental = arena_alloc_raw(arena, 1, sizeof(*incremental));
	const char *wrong = check_header(packed);

	if (!incremental)
		return err_set(err, ERR_NO_MEMORY, "no memory to unpack %s", name);
	incremental->name = name;
	incremental->announced = size;
	incremental->made = 0;
	incremental->checksum = NOTHING_CHECKSUM;
	incremental->end = NULL;
	if (wrong) {
		err_set(err, ERR_MALFORMED, "bad zlib data: %s", wrong);
		return err_while(err, "unpacking %s", name);
	}
	inflate_init(&incremental->inflate, packed.bytes + HEADER_BYTES,
		     packed.size - HEADER_BYTES);
	*out = incremental;
	return 0;
}

void unpack_incremental_moved(struct unpack_incremental *incremental, const uint8_t *end)
{
	incremental->end = end;
}

/* What matches reach back to, put in front of the next piece. */
static void bring_history(const struct unpack_incremental *incremental, uint8_t *out)
{
	size_t size = incremental->made < UNPACK_BEFORE_BYTES ? (size_t)incremental->made
							      : UNPACK_BEFORE_BYTES;

	if (incremental->end && incremental->end != out)
		memmove(out - size, incremental->end - size, size);
}

int unpack_incremental_fill(struct unpack_incremental *incremental, uint8_t *out, size_t size,
			    struct err *err)
{
	size_t got;

	bring_history(incremental, out);
	got = inflate_fill(&incremental->inflate, out, size);
	incremental->end = out + got;
	incremental->made += got;
	if (incremental->inflate.wrong)
		return bad(incremental, incremental->inflate.wrong, err);
	if (got < size) {
		err_set(err, ERR_MALFORMED, "holds %llu bytes, not %llu",
			(unsigned long long)incremental->made,
			(unsigned long long)incremental->announced);
		return err_while(err, "unpacking %s", incremental->name);
	}
	incremental->checksum = libdeflate_adler32(incremental->checksum, out, size);
	return 0;
}

int unpack_incremental_finish(struct unpack_incremental *incremental, struct err *err)
{
	struct inflate *inflate = &incremental->inflate;
	struct reader rest;
	uint32_t checksum;

	if (!inflate_finish(inflate)) {
		if (!inflate->holds_more)
			return bad(incremental, inflate->wrong, err);
		err_set(err, ERR_MALFORMED, "holds more than %llu bytes",
			(unsigned long long)incremental->announced);
		return err_while(err, "unpacking %s", incremental->name);
	}
	rest = reader_over(incremental->name, inflate_rest(inflate),
			   (size_t)(inflate->in_end - inflate_rest(inflate)));
	rest.big_endian = true;
	checksum = reader_u32(&rest);
	if (rest.failed)
		return bad(incremental, "it ends early", err);
	if (checksum != incremental->checksum)
		return bad(incremental, "incorrect data check", err);
	return 0;
}
