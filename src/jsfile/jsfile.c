/* jsfile.c -- opening a file of a release and reading it in place. */
#include "jsfile/jsfile.h"

#include "base/err.h"
#include "base/line_starts.h"
#include "base/reader.h"
#include "jsfile/jsfile_layout.h"

static struct text take_text(const struct reader *whole, uint64_t at, uint64_t size, bool *failed)
{
	struct reader part = reader_window(whole, whole->name, at, size);
	const uint8_t *bytes = reader_take(&part, size);

	*failed |= part.failed;
	return bytes ? (struct text){ (const char *)bytes, (size_t)size } : TEXT("");
}

static struct text read_text(const struct reader *whole, struct reader *head, bool *failed)
{
	uint64_t at = reader_u64(head), size = reader_u64(head);

	return take_text(whole, at, size, failed);
}

static int read_head(struct jsfile *file, struct reader *head, struct err *err)
{
	const struct reader whole = reader_over("file of a release", head->bytes, head->size);
	bool failed = false;
	uint64_t lines_at;
	const uint8_t *bytes;

	file->text = read_text(&whole, head, &failed);
	file->inside = read_text(&whole, head, &failed);
	file->reference = read_text(&whole, head, &failed);
	lines_at = reader_u64(head);
	file->line_count = reader_u32(head);
	file->map = reader_u32(head);
	bytes = reader_take(head, DEBUGID_RECORD_BYTES);
	if (bytes)
		file->debug_id = debugid_load(bytes);
	file->line_starts = (const uint8_t *)take_text(&whole, lines_at,
			(uint64_t)file->line_count * JSFILE_LINE_BYTES, &failed).bytes;
	if (reader_check(head, err) < 0)
		return -1;
	if (failed || file->map > JSFILE_MAP_INSIDE)
		return err_set(err, ERR_MALFORMED, "a file of a release whose head leads out of it");
	return 0;
}

int jsfile_open(struct jsfile *file, const void *bytes, size_t size, struct err *err)
{
	struct reader head = reader_over("file of a release", bytes, size);
	uint32_t magic = reader_u32(&head), version = reader_u32(&head);
	const uint8_t *hash;

	memset(file, 0, sizeof(*file));
	if (reader_check(&head, err) < 0)
		return -1;
	if (magic != JSFILE_MAGIC)
		return err_set(err, ERR_MALFORMED, "no file of a release: it starts with 0x%08x",
			       (unsigned)magic);
	if (version != JSFILE_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "a file of a release of version %u, we read %u",
			       (unsigned)version, JSFILE_VERSION);
	hash = reader_take(&head, HASH_SHA256_BYTES);
	if (hash)
		memcpy(file->sha256, hash, HASH_SHA256_BYTES);
	return read_head(file, &head, err);
}

bool jsfile_line(const struct jsfile *file, uint32_t number, struct text *line)
{
	const struct line_starts lines = { file->text, file->line_starts, file->line_count };

	return number > 0 && line_starts_line(&lines, number - 1, line);
}
