/* fuzz_listing -- answers of Sentry servers, indexes and their segments, S3's errors. */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "source/listing.h"
#include "source/s3.h"

#define CEILING_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void read_module(struct text answer)
{
	const struct source_listing listing = { .kind = SOURCE_LISTING_MODULE };
	enum file_type types[FILE_TYPES], type;
	struct err err = ERR_INIT;
	struct buf text;
	struct text rest, id;

	for (unsigned i = 0; i < FILE_TYPES; i++)
		types[i] = (enum file_type)i;
	buf_init(&text, CEILING_BYTES);
	if (source_listing_read(&listing, answer, &text, &err) == 0) {
		rest = buf_text(&text);
		while (listing_take_file(&rest, types, FILE_TYPES, &type, &id))
			if (id.size == 0)
				abort();
	} else if (err.kind == ERR_NONE) {
		abort();
	}
	buf_release(&text);
	while (listing_take_file(&answer, types, FILE_TYPES, &type, &id))
		if (id.size == 0 || type >= FILE_TYPES)
			abort();
}

static void read_last_id(struct text answer)
{
	const struct source_listing listing = { .kind = SOURCE_LISTING_LAST_ID };
	struct err err = ERR_INIT;
	struct buf text;

	buf_init(&text, CEILING_BYTES);
	if (source_listing_read(&listing, answer, &text, &err) < 0 && err.kind == ERR_NONE)
		abort();
	buf_release(&text);
}

/* Every line of the sorted index must be found in it. */
static void read_segment(struct text segment)
{
	struct err err = ERR_INIT;
	struct buf lines;
	size_t at = 0;

	buf_init(&lines, CEILING_BYTES);
	source_segment_read(segment, &lines);
	if (source_lines_sort(&lines, &err) == 0)
		while (at < lines.size) {
			const char *end = memchr(lines.bytes + at, '\n', lines.size - at);
			struct text line = { lines.bytes + at, (size_t)(end - lines.bytes) - at };

			if (!index_holds(buf_text(&lines), line))
				abort();
			at += line.size + 1;
		}
	buf_release(&lines);
	(void)index_holds(segment, TEXT("a/b/a"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text input = { (const char *)bytes, size };
	struct err err = ERR_INIT;

	read_module(input);
	read_last_id(input);
	read_segment(input);
	err_set(&err, ERR_NOT_FOUND, "x");
	s3_judge(403, input, &err);
	if (err.kind != ERR_DENIED && err.kind != ERR_NOT_FOUND)
		abort();
	return 0;
}
