/*
 * listing_read.c -- what a source says it holds, in lines that can be searched.
 *
 *	FILES     a Sentry server's JSON           lines of "TYPE ID"
 *	LAST_ID   000Admin/lastid.txt              a number
 *	ARTIFACTS a Sentry server's JSON           records of NUL-ended texts (convert.h)
 *	INDEX     all segments of a symstore       sorted paths, each once
 */
#include "convert/convert_internal.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"

/* --- Sentry's answers --------------------------------------------------------------------- */

static bool is_type(const struct convert_listing *listing, const char *type)
{
	for (size_t i = 0; i < listing->type_count; i++)
		if (strcmp(listing->types[i], type) == 0)
			return true;
	return false;
}

static bool is_id(struct text id)
{
	for (size_t i = 0; i < id.size; i++)
		if ((uint8_t)id.bytes[i] <= ' ' || id.bytes[i] == 0x7f)
			return false;
	return id.size > 0 && id.size <= LIMIT_LISTED_ID_BYTES;
}

static int read_file(const struct convert_listing *listing, const cJSON *file, struct buf *lines,
		     struct err *err)
{
	struct text id = text_of(convert_json_string(file, "id"));
	struct text type = text_of(convert_json_string(file, "symbolType"));

	if (!id.bytes || !type.bytes)
		return err_set(err, ERR_MALFORMED, "the listing makes no sense");
	if (!is_type(listing, type.bytes))
		return err_set(err, ERR_MALFORMED, "the listing has a file of the unknown type `%.32s`",
			       type.bytes);
	if (!is_id(id))
		return 0;
	buf_add_text(lines, type);
	buf_add_char(lines, ' ');
	buf_add_text(lines, id);
	buf_add_char(lines, '\n');
	return 0;
}

static int read_files(const struct convert_listing *listing, struct text answer, struct buf *lines,
		      struct err *err)
{
	cJSON *array = cJSON_ParseWithLength(answer.bytes ? answer.bytes : "", answer.size);
	const cJSON *file;
	int rc = 0;

	if (!cJSON_IsArray(array))
		rc = err_set(err, ERR_MALFORMED, "the listing is no JSON array");
	else
		cJSON_ArrayForEach(file, array)
			if (rc == 0)
				rc = read_file(listing, file, lines, err);
	cJSON_Delete(array);
	return rc;
}

/* --- Indexes ------------------------------------------------------------------------------ */

static int read_last_id(struct text answer, struct buf *lines, struct err *err)
{
	uint64_t number;

	if (answer.size > LIMIT_LAST_ID_BYTES)
		return err_set(err, ERR_MALFORMED, "lastid.txt is too long");
	while (answer.size > 0 && (uint8_t)answer.bytes[0] <= ' ') {
		answer.bytes++;
		answer.size--;
	}
	while (answer.size > 0 && (uint8_t)answer.bytes[answer.size - 1] <= ' ')
		answer.size--;
	if (!text_to_u64(answer, 10, &number))
		return err_set(err, ERR_MALFORMED, "lastid.txt is no number");
	if (number > LIMIT_INDEX_SEGMENTS)
		return err_set(err, ERR_MALFORMED, "an index of %llu segments",
			       (unsigned long long)number);
	buf_printf(lines, "%llu", (unsigned long long)number);
	return 0;
}

/* "name\id" between the first two quotes of a line; false: there is none. */
static bool read_entry(struct text line, struct text *name, struct text *id)
{
	const char *begin = line.size ? memchr(line.bytes, '"', line.size) : NULL, *end, *mark;

	if (!begin)
		return false;
	begin++;
	end = memchr(begin, '"', (size_t)(line.bytes + line.size - begin));
	mark = end ? memchr(begin, '\\', (size_t)(end - begin)) : NULL;
	if (!mark)
		return false;
	*name = (struct text){ begin, (size_t)(mark - begin) };
	*id = (struct text){ mark + 1, (size_t)(end - mark - 1) };
	return name->size > 0 && id->size > 0;
}

/* The paths of all segments, a line each; how many. */
static size_t read_segments(struct text segments, struct buf *paths)
{
	struct text line, name, id;
	size_t count = 0;

	while (text_take_line(&segments, &line)) {
		if (!read_entry(line, &name, &id))
			continue;
		buf_add_text(paths, name);
		buf_add_char(paths, '/');
		buf_add_text(paths, id);
		buf_add_char(paths, '/');
		buf_add_text(paths, name);
		buf_add_char(paths, '\n');
		count++;
	}
	return count;
}

static int compare_lines(const void *first, const void *second)
{
	const struct text *a = first, *b = second;
	size_t size = a->size < b->size ? a->size : b->size;
	int order = size ? memcmp(a->bytes, b->bytes, size) : 0;

	return order ? order : (a->size > b->size) - (a->size < b->size);
}

static int sort_lines(struct text lines, size_t count, struct buf *out, struct err *err)
{
	struct text *sorted = mem_get_array(count ? count : 1, sizeof(*sorted));
	size_t at = 0;

	if (!sorted)
		return err_set(err, ERR_NO_MEMORY, "no memory to sort an index");
	while (at < count && text_take_line(&lines, &sorted[at]))
		at++;
	qsort(sorted, at, sizeof(*sorted), compare_lines);
	for (size_t i = 0; i < at; i++) {
		if (i > 0 && text_equal(sorted[i - 1], sorted[i]))
			continue;
		buf_add_text(out, sorted[i]);
		buf_add_char(out, '\n');
	}
	mem_give_back(sorted);
	return 0;
}

static int read_index(struct text segments, struct buf *lines, struct err *err)
{
	struct buf paths;
	size_t count;
	int rc;

	buf_init(&paths, LIMIT_INDEX_BYTES);
	count = read_segments(segments, &paths);
	rc = buf_check(&paths, err);
	if (rc == 0)
		rc = sort_lines(buf_text(&paths), count, lines, err);
	buf_release(&paths);
	return rc;
}

int convert_listing_read(const struct convert_listing *listing, struct text answer,
			 struct buf *lines, struct err *err)
{
	int rc;

	switch (listing->kind) {
	case CONVERT_LISTING_FILES:
		rc = read_files(listing, answer, lines, err);
		break;
	case CONVERT_LISTING_ARTIFACTS:
		rc = convert_artifacts_read(answer, lines, err);
		break;
	case CONVERT_LISTING_LAST_ID:
		rc = read_last_id(answer, lines, err);
		break;
	default:
		rc = read_index(answer, lines, err);
		break;
	}
	return rc < 0 ? -1 : buf_check(lines, err);
}
