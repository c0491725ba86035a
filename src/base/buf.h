/*
 * buf -- a growing run of bytes with a ceiling.
 *
 * Appending past the ceiling or out of memory sets `failed`, which stays set;
 * callers append a whole record and ask once.  The bytes are NUL-ended.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct err;

struct buf {
	char *bytes;             /* NULL until the first append */
	size_t size;
	size_t capacity;
	size_t ceiling_bytes;
	bool failed;             /* sticky */
	bool no_memory;          /* why it failed: memory rather than the ceiling */
};

void buf_init(struct buf *buf, size_t ceiling_bytes);
void buf_release(struct buf *buf);
void buf_clear(struct buf *buf);         /* empties, keeps the memory, clears failed */

void buf_add_slowly(struct buf *buf, const void *bytes, size_t size);

/* Replies are written in thousands of small pieces: what fits needs no call. */
static inline void buf_add(struct buf *buf, const void *bytes, size_t size)
{
	if (buf->failed || size >= buf->capacity - buf->size ||
	    size > buf->ceiling_bytes - buf->size) {
		buf_add_slowly(buf, bytes, size);
		return;
	}
	if (size)
		memcpy(buf->bytes + buf->size, bytes, size);
	buf->size += size;
	buf->bytes[buf->size] = '\0';
}

static inline void buf_add_char(struct buf *buf, char c)
{
	buf_add(buf, &c, 1);
}

static inline void buf_add_text(struct buf *buf, struct text text)
{
	buf_add(buf, text.bytes, text.size);
}

static inline void buf_add_string(struct buf *buf, const char *string)
{
	buf_add(buf, string, strlen(string));
}

/* Control characters, which terminals would obey and which break lines, and what is not UTF-8,
 * byte by byte as "\x1b". */
void buf_add_visible(struct buf *buf, struct text text);

void buf_printf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Room for `size` more bytes, uninitialised, not yet counted; NULL when failed. */
char *buf_reserve(struct buf *buf, size_t size);

/* 0, or ERR_LIMIT / ERR_NO_MEMORY when an append did not fit. */
int buf_check(const struct buf *buf, struct err *err) __attribute__((warn_unused_result));
struct text buf_text(const struct buf *buf);
const char *buf_string(const struct buf *buf);   /* "" when empty */

#endif
