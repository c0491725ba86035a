/* buf.c -- see buf.h. */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define BUF_FIRST_BYTES 256u

void buf_init(struct buf *buf, size_t ceiling_bytes)
{
	memset(buf, 0, sizeof(*buf));
	buf->ceiling_bytes = ceiling_bytes;
}

void buf_release(struct buf *buf)
{
	mem_give_back(buf->bytes);
	buf_init(buf, buf->ceiling_bytes);
}

void buf_clear(struct buf *buf)
{
	buf->size = 0;
	buf->failed = false;
	buf->no_memory = false;
	if (buf->bytes)
		buf->bytes[0] = '\0';
}

/* Room for `need` bytes and the NUL; need is within the ceiling. */
static int grow(struct buf *buf, size_t need)
{
	size_t capacity = buf->capacity ? buf->capacity : BUF_FIRST_BYTES;
	char *bytes;

	while (capacity <= need)
		capacity = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
	if (capacity - 1 > buf->ceiling_bytes)
		capacity = buf->ceiling_bytes + 1;
	bytes = mem_resize(buf->bytes, capacity);
	if (!bytes)
		return -1;
	buf->bytes = bytes;
	buf->bytes[buf->size] = '\0';
	buf->capacity = capacity;
	return 0;
}

char *buf_reserve(struct buf *buf, size_t size)
{
	if (buf->failed)
		return NULL;
	if (size > buf->ceiling_bytes - buf->size ||
	    buf->size + size == SIZE_MAX) {
		buf->failed = true;
		return NULL;
	}
	if (buf->size + size >= buf->capacity && grow(buf, buf->size + size) < 0) {
		buf->failed = true;
		buf->no_memory = true;
		return NULL;
	}
	return buf->bytes + buf->size;
}

void buf_add_slowly(struct buf *buf, const void *bytes, size_t size)
{
	char *at = buf_reserve(buf, size);

	if (!at)
		return;
	if (size)
		memcpy(at, bytes, size);
	at[size] = '\0';
	buf->size += size;
}

void buf_vprintf(struct buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	size_t spare;
	int size;

	if (!buf_reserve(buf, 0))
		return;
	spare = buf->capacity - buf->size;
	va_copy(again, ap);
	size = vsnprintf(buf->bytes + buf->size, spare, fmt, ap);
	if (size >= 0 && (size_t)size >= spare) {
		buf->bytes[buf->size] = '\0';
		if (buf_reserve(buf, (size_t)size))
			vsnprintf(buf->bytes + buf->size, (size_t)size + 1, fmt, again);
	}
	va_end(again);
	if (size < 0)
		buf->failed = true;
	if (!buf->failed)
		buf->size += (size_t)size;
}

/* How many characters at the beginning are ones of ASCII that can be seen; not all of them. */
static size_t visible_run(const char *bytes, size_t size)
{
	size_t run = ascii_plain_run(bytes, size);
	const char *del = memchr(bytes, 0x7f, run);

	return del ? (size_t)(del - bytes) : run;
}

void buf_add_visible(struct buf *buf, struct text text)
{
	bool valid;
	size_t size;

	for (size_t at = 0; at < text.size && !buf->failed; at += size) {
		const char *character = text.bytes + at;

		size = visible_run(character, text.size - at);
		if (size > 0) {
			buf_add(buf, character, size);
			continue;
		}
		size = utf8_step(character, text.size - at, &valid);
		if (valid && !utf8_is_control(character, size)) {
			buf_add(buf, character, size);
			continue;
		}
		for (size_t i = 0; i < size; i++)
			buf_printf(buf, "\\x%02x", (unsigned char)character[i]);
	}
}

void buf_printf(struct buf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(buf, fmt, ap);
	va_end(ap);
}

int buf_check(const struct buf *buf, struct err *err)
{
	if (!buf->failed)
		return 0;
	if (buf->no_memory)
		return err_set(err, ERR_NO_MEMORY, "no memory for more than %zu bytes",
			       buf->size);
	return err_set(err, ERR_LIMIT, "more than %zu bytes", buf->ceiling_bytes);
}

struct text buf_text(const struct buf *buf)
{
	return (struct text){ buf_string(buf), buf->size };
}

const char *buf_string(const struct buf *buf)
{
	return buf->bytes ? buf->bytes : "";
}
