/* jsfile_write.c -- a file of a release as it is kept, and what it says of its source map. */
#include "jsfile/jsfile.h"

#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "jsfile/data_url.h"
#include "jsfile/jsfile_layout.h"

#define LINES_AT_ONCE 4096u

/* --- Comments ----------------------------------------------------------------------------- */

static bool is_space(char c)
{
	return ascii_is_blank(c) || c == '\f';
}

/* The word behind it, wherever the next begins. */
static struct text word_at(struct text text, size_t at)
{
	size_t end;

	while (at < text.size && is_space(text.bytes[at]))
		at++;
	for (end = at; end < text.size && !is_space(text.bytes[end]); end++)
		;
	return (struct text){ text.bytes + at, end - at };
}

/* The word behind the last comment of that name; `marks` may stand behind its slashes. */
static bool find_comment(struct text text, struct text name, const char *marks, struct text *word)
{
	struct text rest = text;
	bool found = false;
	const char *at;

	while (rest.size && (at = memmem(rest.bytes, rest.size, name.bytes, name.size))) {
		size_t before = (size_t)(at - text.bytes), behind = before + name.size;

		if (before >= 4 && memcmp(at - 4, "//", 2) == 0 && strchr(marks, at[-2]) && at[-2] &&
		    at[-1] == ' ') {
			*word = (struct text){ text.bytes + behind, 0 };
			found = true;
		}
		rest = text_from(text, behind);
	}
	if (found)
		*word = word_at(text, (size_t)(word->bytes - text.bytes));
	return found;
}

static struct text cut_at(struct text text, char mark)
{
	const char *at = text.size ? memchr(text.bytes, mark, text.size) : NULL;

	return at ? (struct text){ text.bytes, (size_t)(at - text.bytes) } : text;
}

bool jsfile_find_reference(struct text text, struct text *reference)
{
	if (!find_comment(text, TEXT("sourceMappingURL="), "#@", reference))
		return false;
	*reference = cut_at(cut_at(*reference, '?'), '#');
	return true;
}

bool jsfile_find_debug_id(struct text text, struct debugid *id)
{
	struct text word;

	return find_comment(text, TEXT("debugId="), "#", &word) && debugid_parse(word, id);
}

/* --- Writing ------------------------------------------------------------------------------ */

struct jsfile_writer {
	int fd;
	uint64_t at;
	uint32_t starts[LINES_AT_ONCE];
	size_t start_count;
	struct jsfile file;          /* what the head will say */
	char *inside;                /* room of a data: URL's contents */
};

static int put(struct jsfile_writer *writer, const void *bytes, size_t size, struct err *err)
{
	writer->at += size;
	return size ? file_write_all(writer->fd, bytes, size, err) : 0;
}

static int flush_starts(struct jsfile_writer *writer, struct err *err)
{
	size_t count = writer->start_count;

	writer->start_count = 0;
	return put(writer, writer->starts, count * JSFILE_LINE_BYTES, err);
}

/* A line begins at 0 and behind every line feed but one that ends the file. */
static int put_lines(struct jsfile_writer *writer, struct text text, struct err *err)
{
	const char *at = text.bytes, *end = text.bytes + text.size;

	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));

		if (writer->file.line_count++ == LIMIT_SOURCE_LINES)
			return err_set(err, ERR_LIMIT, "it has more than %u lines", LIMIT_SOURCE_LINES);
		if (writer->start_count == LINES_AT_ONCE && flush_starts(writer, err) < 0)
			return -1;
		writer->starts[writer->start_count++] = (uint32_t)(at - text.bytes);
		at = feed ? feed + 1 : end;
	}
	return flush_starts(writer, err);
}

static int put_head(const struct jsfile_writer *writer, uint64_t inside_at, uint64_t reference_at,
		    uint64_t lines_at, struct err *err)
{
	const struct jsfile *file = &writer->file;
	uint8_t head[JSFILE_HEAD_BYTES] = { 0 };

	jsfile_store_u32(head, JSFILE_MAGIC);
	jsfile_store_u32(head + 4, JSFILE_VERSION);
	memcpy(head + 8, file->sha256, HASH_SHA256_BYTES);
	jsfile_store_u64(head + 40, sizeof(head));
	jsfile_store_u64(head + 48, file->text.size);
	jsfile_store_u64(head + 56, inside_at);
	jsfile_store_u64(head + 64, file->inside.size);
	jsfile_store_u64(head + 72, reference_at);
	jsfile_store_u64(head + 80, file->reference.size);
	jsfile_store_u64(head + 88, lines_at);
	jsfile_store_u32(head + 96, file->line_count);
	jsfile_store_u32(head + 100, file->map);
	debugid_store(&file->debug_id, head + 104);
	if (pwrite(writer->fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return err_os(err, errno ? errno : EIO, "writing the head of a file of a release");
	return 0;
}

static int put_all(struct jsfile_writer *writer, struct err *err)
{
	static const uint8_t zeros[JSFILE_HEAD_BYTES];
	struct jsfile *file = &writer->file;
	uint64_t inside_at, reference_at, lines_at;

	if (put(writer, zeros, sizeof(zeros), err) < 0 ||
	    put(writer, file->text.bytes, file->text.size, err) < 0)
		return -1;
	inside_at = writer->at;
	if (put(writer, file->inside.bytes, file->inside.size, err) < 0)
		return -1;
	reference_at = writer->at;
	if (put(writer, file->reference.bytes, file->reference.size, err) < 0 ||
	    put(writer, zeros, (size_t)(-writer->at & 3), err) < 0)
		return -1;
	lines_at = writer->at;
	if (put_lines(writer, file->text, err) < 0)
		return -1;
	return put_head(writer, inside_at, reference_at, lines_at, err);
}

/* --- References --------------------------------------------------------------------------- */

static int take_inside(struct jsfile_writer *writer, const struct jsfile_options *options,
		       struct text url, struct err *err)
{
	size_t size = 0;

	if (url.size > options->memory_bytes / 2)
		return err_set(err, ERR_LIMIT, "a data: URL of %zu bytes", url.size);
	writer->inside = mem_get(url.size + 1);
	if (!writer->inside)
		return err_set(err, ERR_NO_MEMORY, "no memory for a data: URL of %zu bytes", url.size);
	if (data_url_decode(url, writer->inside, &size, err) < 0)
		return -1;
	writer->file.inside = (struct text){ writer->inside, size };
	if (!text_is_utf8(writer->file.inside))
		return err_set(err, ERR_MALFORMED, "a data: URL that holds no UTF-8");
	writer->file.map = JSFILE_MAP_INSIDE;
	return 0;
}

/* A header is final, whether or not it can be decoded. */
static int take_reference(struct jsfile_writer *writer, const struct jsfile_options *options,
			  struct err *err)
{
	struct jsfile *file = &writer->file;
	struct text reference = options->header;
	struct err bad = ERR_INIT;

	if (!reference.bytes &&
	    (options->ignores_references || !jsfile_find_reference(file->text, &reference)))
		return 0;
	if (!data_url_is(reference)) {
		file->reference = reference;
		file->map = JSFILE_MAP_AT;
		return 0;
	}
	if (take_inside(writer, options, reference, &bad) == 0)
		return 0;
	if (bad.kind == ERR_MALFORMED && !options->is_strict) {
		file->inside = TEXT("");
		return 0;
	}
	*err = bad;
	return -1;
}

int jsfile_write(struct text text, const struct jsfile_options *options, int fd, struct err *err)
{
	struct jsfile_writer *writer;
	int rc;

	if (text.size >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "a file of %zu bytes", text.size);
	if (!text_is_utf8(text))
		return err_set(err, ERR_MALFORMED, "it is no UTF-8");
	writer = mem_get(sizeof(*writer));
	if (!writer)
		return err_set(err, ERR_NO_MEMORY, "no memory for a file of a release");
	memset(writer, 0, sizeof(*writer));
	writer->fd = fd;
	writer->file = (struct jsfile){ .text = text, .inside = TEXT(""), .reference = TEXT("") };
	hash_sha256(text.bytes, text.size, writer->file.sha256);
	if (options->ignores_debug_id || !jsfile_find_debug_id(text, &writer->file.debug_id))
		writer->file.debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	rc = take_reference(writer, options, err);
	if (rc == 0)
		rc = put_all(writer, err);
	mem_give_back(writer->inside);
	mem_give_back(writer);
	return rc;
}
