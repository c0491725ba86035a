/*
 * symbfile -- the symbol files of continuous profilers: functions, files, lines and inlined calls of one
 * executable, either for every address (ranges) or for each return address (return pads).
 *
 * The layout, and what is read and written here, is doc/formats/symbfile.md.  Reading is a walk that hands
 * out one record after the other; symbfile_index.h is for look-ups.  Addresses are virtual addresses as
 * the executable's program headers have them.  Files of older and newer writers are read: unknown records
 * and fields are skipped.
 *
 * May include: base.
 */
#ifndef SYMBFILE_SYMBFILE_H
#define SYMBFILE_SYMBFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct err;

#define SYMBFILE_MAGIC "symbfile"
#define SYMBFILE_MAGIC_BYTES 8u
#define SYMBFILE_MESSAGE_BYTES_MAX ((uint64_t)16 << 20)
#define SYMBFILE_DEPTH_MAX 65535u

enum symbfile_type {
	SYMBFILE_INVALID, SYMBFILE_HEADER, SYMBFILE_RANGE_V1, SYMBFILE_RETURN_PAD_V1,
	SYMBFILE_STRING_TABLE_V1,
};

/* From start + offset on, up to the next line's offset or the end of the range. */
struct symbfile_line { uint32_t offset, line; };

/* One level of calls over a stretch of code: depth 0 is the function, n its n-th inlined call. */
struct symbfile_range {
	uint64_t address, length;
	struct text function;
	struct text file;            /* TEXT_NONE: not said */
	struct text call_file;       /* TEXT_NONE: not said */
	uint32_t call_line;          /* of the call that was inlined; 0: unknown */
	uint32_t depth;
	const struct symbfile_line *lines;       /* ascending offsets, some may be equal */
	size_t line_count;
};

/* One level at a return address; an empty file and line 0 are not known. */
struct symbfile_call { struct text function, file; uint32_t line; };

/* `address` is that of the instruction behind the call, minus 1. */
struct symbfile_pad {
	uint64_t address;
	const struct symbfile_call *calls;       /* the outermost first; all but the last name the place of
	                                            the next one's call */
	size_t count;
};

/* --- Reading ----------------------------------------------------------------------------- */

/* Records in the order of the file; what they point to is gone with the next one.  Nonzero: stop with -1,
 * err is the sink's.  NULL: of that kind nothing is wanted, but it is read all the same. */
struct symbfile_sink {
	void *payload;
	int (*range)(void *payload, const struct symbfile_range *range, struct err *err);
	int (*pad)(void *payload, const struct symbfile_pad *pad, struct err *err);
};

struct symbfile_report { uint64_t ranges, pads, lines, calls, tables, unknown; };

/* In the words of a refusal: the bytes end in the middle of a message, more of them might be right. */
#define SYMBFILE_CUT_SHORT "the file ends early"

bool symbfile_probe(const void *bytes, size_t size);
/* All of the file.  ERR_MALFORMED: "record at byte 61: ..."; ERR_LIMIT: more than a file may hold. */
int symbfile_read(const void *bytes, size_t size, const struct symbfile_sink *sink,
		  struct symbfile_report *report, struct err *err) __attribute__((warn_unused_result));

/* --- Writing ----------------------------------------------------------------------------- */

/* Writes a whole file to a descriptor, in batches of bounded memory.  A writer is zeroed by init and has to
 * be released, whether it was ended or not. */
struct symbfile_batch;
struct symbfile_writer {
	int fd;
	struct symbfile_batch *batch;
	uint64_t written_bytes;      /* of the file so far, without what still waits */
	uint64_t last_address;
	bool has_address;
};
int  symbfile_writer_init(struct symbfile_writer *writer, int fd, struct err *err)
	__attribute__((warn_unused_result));
void symbfile_writer_release(struct symbfile_writer *writer);
/* Texts are copied.  ERR_LIMIT: a record above SYMBFILE_MESSAGE_BYTES_MAX; ERR_BAD_REQUEST: lines that do
 * not ascend. */
int  symbfile_write_range(struct symbfile_writer *writer, const struct symbfile_range *range,
			  struct err *err) __attribute__((warn_unused_result));
int  symbfile_write_pad(struct symbfile_writer *writer, const struct symbfile_pad *pad, struct err *err)
	__attribute__((warn_unused_result));
/* About how large the file will be. */
uint64_t symbfile_writer_bytes(const struct symbfile_writer *writer);
int  symbfile_writer_end(struct symbfile_writer *writer, struct err *err)
	__attribute__((warn_unused_result));

#endif
