/*
 * fuzz_form_pairs.c -- forms as browsers send them without a file: what comes of one is a JSON object of
 * strings, however the body is cut.  The first byte says how.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_reader.h"
#include "front/form.h"
#include "unpack/unpack.h"

struct piece_source { struct text left; size_t piece; };

static ssize_t read_piece(void *payload, void *bytes, size_t capacity, struct err *err)
{
	struct piece_source *source = payload;
	size_t size = source->left.size < source->piece ? source->left.size : source->piece;

	(void)err;
	if (size > capacity)
		size = capacity;
	memcpy(bytes, source->left.bytes, size);
	source->left = text_from(source->left, size);
	return (ssize_t)size;
}

static int read_form(struct text body, size_t piece, struct buf *fields, struct err *err)
{
	static const char *const names[] = { "token", "text", "source", NULL };
	static const struct form_shape shape = { "file", NULL, names, "source" };
	struct piece_source from = { body, piece };
	const struct form_source source = {
		.read = read_piece, .payload = &from, .encoding = UNPACK_NONE, .max_bytes = 1 << 20,
		.content_type = TEXT("application/x-www-form-urlencoded"),
	};
	const struct jobs jobs = { .config = NULL };
	struct upload *upload;
	int rc = form_read(&shape, &source, &jobs, &upload, fields, err);

	if (upload)
		abort();
	if (rc < 0 && (err->kind != ERR_BAD_REQUEST || !err->text[0]))
		abort();
	return rc;
}

static void check_object(const struct buf *fields)
{
	struct json_reader reader = json_reader_over("fields", buf_text(fields));
	struct json_string name, value;
	struct err err = ERR_INIT;

	if (!json_reader_object(&reader))
		abort();
	while (json_reader_member(&reader, &name))
		if (!json_reader_string(&reader, &value))
			abort();
	if (json_reader_check(&reader, &err) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct buf whole, cut;
	struct text body;

	if (size == 0)
		return 0;
	body = (struct text){ (const char *)bytes + 1, size - 1 };
	buf_init(&whole, 64 << 20);
	buf_init(&cut, 64 << 20);
	if (read_form(body, SIZE_MAX, &whole, &err) == 0) {
		check_object(&whole);
		if (read_form(body, (size_t)bytes[0] + 1, &cut, &err) < 0 ||
		    !text_equal(buf_text(&whole), buf_text(&cut)))
			abort();
	}
	buf_release(&whole);
	buf_release(&cut);
	return 0;
}
