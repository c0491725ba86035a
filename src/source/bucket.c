/* bucket.c -- see bucket.h. */
#include "source/bucket.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "source/base_url.h"

static struct text trim_slashes(struct text text)
{
	while (text.size > 0 && text.bytes[0] == '/') {
		text.bytes++;
		text.size--;
	}
	while (text.size > 0 && text.bytes[text.size - 1] == '/')
		text.size--;
	return text;
}

int bucket_parse(struct bucket *bucket, const struct shape *shape,
		 const struct source_setup *setup, struct err *err)
{
	int rc = shape_string(shape, "bucket", SHAPE_REQUIRED, &bucket->name, err);

	if (shape_goes_on(shape, rc))
		rc |= shape_string(shape, "prefix", SHAPE_OPTIONAL, &bucket->prefix, err);
	bucket->prefix = trim_slashes(bucket->prefix);
	bucket->trusted = setup->origin == SOURCE_OF_CONFIG;
	return rc;
}

void bucket_add_key(const struct bucket *bucket, struct text path, struct buf *out)
{
	if (bucket->prefix.size > 0) {
		buf_add_text(out, bucket->prefix);
		buf_add_char(out, '/');
	}
	buf_add_text(out, path);
}

int bucket_keep(struct buf *made, struct arena *arena, struct text *text, struct err *err)
{
	char *copy = made->failed ? NULL : arena_strndup(arena, buf_string(made), made->size);

	*text = (struct text){ copy, copy ? made->size : 0 };
	buf_release(made);
	return copy ? 0 : err_set(err, ERR_NO_MEMORY, "no room for a location");
}

static void add_segments(struct buf *out, struct text path)
{
	size_t at = 0;

	while (at < path.size) {
		const char *slash = memchr(path.bytes + at, '/', path.size - at);
		size_t end = slash ? (size_t)(slash - path.bytes) : path.size;

		buf_add_char(out, '/');
		base_url_add_segment(out, (struct text){ path.bytes + at, end - at });
		at = end + 1;
	}
}

int bucket_name(const struct bucket *bucket, const char *scheme, struct text path,
		struct arena *arena, struct text *uri, struct err *err)
{
	struct buf made;

	buf_init(&made, 8 * URL_BYTES);
	buf_add_string(&made, scheme);
	base_url_add_segment(&made, bucket->name);
	add_segments(&made, bucket->prefix);
	add_segments(&made, path);
	return bucket_keep(&made, arena, uri, err);
}
