/*
 * unpack -- what compressed bytes hold, never more of it than the caller allows.
 *
 * Thin faces over libdeflate, zlib, libzstd, liblzma, liblz4 and libmspack.  From memory to memory the size is known
 * beforehand and must be met exactly; from descriptor to descriptor a ceiling ends the work.
 * Who unpacks brings the memory: `struct unpack_memory` counts it, and gives big pieces back
 * before the arena goes.
 *
 * May include: base.
 */
#ifndef UNPACK_UNPACK_H
#define UNPACK_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"

struct arena;
struct buf;
struct err;

enum unpack_kind {
	UNPACK_NONE,                 /* not compressed */
	UNPACK_GZIP,                 /* one member or several */
	UNPACK_ZLIB,
	UNPACK_DEFLATE,              /* raw: has no magic, is never recognised */
	UNPACK_ZSTD,
	UNPACK_XZ, UNPACK_LZ4,       /* xz streams, lz4 frames: never recognised in downloads either */
	UNPACK_ZIP, UNPACK_CAB,      /* archives: unpack_archive() */
	UNPACK_KINDS
};

/* By the first 4 bytes, as downloads are judged; fewer bytes are UNPACK_NONE. */
enum unpack_kind unpack_recognise(const uint8_t *head, size_t size);

/* The same, and what else files are stored as: xz, lz4. */
enum unpack_kind unpack_recognise_stored(const uint8_t *head, size_t size);

const char *unpack_kind_name(enum unpack_kind kind);   /* "gzip", "zstd", ... */

/* Fills exactly out_size bytes; a stream that holds more or less is ERR_MALFORMED, with
 * `name` in the text (".debug_info"). */
int unpack_memory(enum unpack_kind kind, const char *name, struct text packed,
		  void *out, size_t out_size, struct err *err)
	__attribute__((warn_unused_result));

/* The first out_size bytes, whatever follows; fewer are ERR_MALFORMED. */
int unpack_head(enum unpack_kind kind, const char *name, struct text packed,
		void *out, size_t out_size, struct err *err)
	__attribute__((warn_unused_result));

/* --- A zlib stream in memory, piece after piece ---------------------------------------- */

struct unpack_incremental;

/* Bytes in front of each piece that are the unpacker's to write to: what was unpacked before. */
#define UNPACK_BEFORE_BYTES ((size_t)32768)

/* `size` bytes are announced; `name` and `packed` outlive it, the arena holds it. */
int unpack_incremental_open(struct unpack_incremental **incremental, const char *name,
			    struct text packed, uint64_t size, struct arena *arena,
			    struct err *err) __attribute__((warn_unused_result));
/* The next `size` bytes, not more than are announced.  The piece before must still be as it was,
 * unless this one overwrites it or takes it along (unpack_incremental_moved()). */
int unpack_incremental_fill(struct unpack_incremental *incremental, uint8_t *out, size_t size,
			    struct err *err) __attribute__((warn_unused_result));
/* The memory of the piece before has moved: it ends here now. */
void unpack_incremental_moved(struct unpack_incremental *incremental, const uint8_t *end);
/* All pieces were taken: is that all, and is the checksum right? */
int unpack_incremental_finish(struct unpack_incremental *incremental, struct err *err)
	__attribute__((warn_unused_result));

/* How much an xz file says it holds; checked when it is unpacked. */
int unpack_xz_size(const char *name, struct text packed, uint64_t *size, struct err *err)
	__attribute__((warn_unused_result));

/* From in_fd's position to its end, into out_fd.  ERR_MALFORMED: bad or short data;
 * ERR_LIMIT: more than ceiling_bytes; ERR_UNSUPPORTED: zip, cab; ERR_IO: a descriptor. */
int unpack_stream(enum unpack_kind kind, int in_fd, int out_fd, uint64_t ceiling_bytes,
		  struct err *err) __attribute__((warn_unused_result));

/* What comes and goes piece by piece. */
struct unpack_flow {
	/* Up to `capacity` bytes that come next: how many, 0 at the end, -1. */
	ssize_t (*read)(void *payload, void *bytes, size_t capacity, struct err *err);
	int (*write)(void *payload, const void *bytes, size_t size, struct err *err);
	void *payload;
	bool any_ratio;              /* the ceiling alone ends it: what is mostly zeros packs well */
};
/* From one function to the other, at most ceiling_bytes: ERR_LIMIT; ERR_MALFORMED: bad or short data;
 * else what a function said. */
int unpack_flow(enum unpack_kind kind, const struct unpack_flow *flow, uint64_t ceiling_bytes,
		struct err *err) __attribute__((warn_unused_result));

/* Of memory, appended to `out`, whose own ceiling ends the work: ERR_LIMIT; else as above. */
int unpack_buf(enum unpack_kind kind, struct text packed, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));

/* The one file that a zip or cab archive must hold; its name does not matter.  ERR_MALFORMED:
 * damaged, empty, more than one; ERR_LIMIT: more than ceiling_bytes. */
int unpack_archive(enum unpack_kind kind, struct text archive, int out_fd, uint64_t ceiling_bytes,
		   struct err *err) __attribute__((warn_unused_result));

/* One file of an archive of any number: *count of them there are; `index` beyond that writes nothing.
 * `name` gets its name, which is only a name.  ERR_UNSUPPORTED: packed in a way we do not know; else as
 * unpack_archive(). */
int unpack_archive_member(enum unpack_kind kind, struct text archive, size_t index, int out_fd,
			  uint64_t ceiling_bytes, size_t *count, struct buf *name, struct err *err)
	__attribute__((warn_unused_result));

/* What so many packed bytes may hold, and never more than the ceiling: zstd and xz make gigabytes
 * out of kilobytes of the same byte, which no debug file is. */
uint64_t unpack_most(uint64_t packed_bytes, uint64_t ceiling_bytes);

/* --- Room for what was unpacked ------------------------------------------------------ */

#define UNPACK_BLOCK_BYTES ((size_t)1 << 20)    /* from here on a block of its own */

struct unpack_piece;

struct unpack_memory {
	struct arena *arena;             /* small pieces, and the list of the big ones */
	struct unpack_piece *pieces;     /* big ones, newest first */
	uint64_t held_bytes;
	uint64_t ceiling_bytes;          /* for all pieces together */
};

void unpack_memory_init(struct unpack_memory *capacity, struct arena *arena, uint64_t ceiling_bytes);
/* Gives the big pieces back; the small pieces go with the arena. */
void unpack_memory_release(struct unpack_memory *capacity);
/* Writable, never NULL on success; ERR_LIMIT over the ceiling, else ERR_NO_MEMORY. */
int  unpack_memory_get(struct unpack_memory *capacity, uint64_t size, void **bytes, struct err *err)
	__attribute__((warn_unused_result));
/* A section packed the GNU way: "ZLIB", the size (64 bits, big endian), a zlib stream.  What is
 * not packed so is as it is stored; what unpacks to more than `most` bytes is TEXT_NONE. */
int  unpack_gnu_section(struct unpack_memory *capacity, struct text stored, const char *what,
			uint64_t most, struct text *bytes, struct err *err)
	__attribute__((warn_unused_result));

#endif
