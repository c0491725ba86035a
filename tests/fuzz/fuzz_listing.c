/* fuzz_listing -- answers of Sentry servers, indexes and their segments, S3's errors. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "convert/convert_internal.h"
#include "source/source_listing.h"
#include "source/s3.h"

#define CEILING_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What a cell made of it; the caller gives it back.  False: refused. */
static bool read_as(enum convert_listing_kind kind, struct text answer, struct buf *lines)
{
	struct convert_listing listing = { .kind = kind };
	struct err err = ERR_INIT;

	listing.types = source_listed_types(&listing.type_count);
	buf_init(lines, CEILING_BYTES);
	if (convert_listing_read(&listing, answer, lines, &err) == 0)
		return true;
	if (err.kind == ERR_NONE)
		abort();
	return false;
}

static void take_files(struct text lines)
{
	enum file_type types[FILE_TYPES], type;
	const struct source_query query = { .types = types, .type_count = FILE_TYPES };
	struct text id;

	for (unsigned i = 0; i < FILE_TYPES; i++)
		types[i] = (enum file_type)i;
	while (source_listing_take_file(&lines, &query, &type, &id))
		if (id.size == 0 || type >= FILE_TYPES)
			abort();
}

static void read_module(struct text answer)
{
	struct buf lines;

	if (read_as(CONVERT_LISTING_FILES, answer, &lines))
		take_files(buf_text(&lines));
	buf_release(&lines);
	take_files(answer);                  /* a cell may write anything */
}

static void read_last_id(struct text answer)
{
	struct buf lines;

	if (read_as(CONVERT_LISTING_LAST_ID, answer, &lines) && lines.size == 0)
		abort();
	buf_release(&lines);
}

/* Every line of an index must be found in it. */
static void read_index(struct text segments)
{
	struct buf lines;
	struct text rest = TEXT_NONE, line;

	if (read_as(CONVERT_LISTING_INDEX, segments, &lines))
		rest = buf_text(&lines);
	while (text_take_line(&rest, &line))
		if (!source_listing_index_holds(buf_text(&lines), line))
			abort();
	buf_release(&lines);
	(void)source_listing_index_holds(segments, TEXT("a/b/a"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text input = { (const char *)bytes, size };
	struct err err = ERR_INIT;

	read_module(input);
	read_last_id(input);
	read_index(input);
	err_set(&err, ERR_NOT_FOUND, "x");
	s3_judge(403, input, &err);
	if (err.kind != ERR_DENIED && err.kind != ERR_NOT_FOUND)
		abort();
	return 0;
}
