/*
 * sourcecache_write.c -- from the sources of an object to a source cache.
 *
 * Contents go out as they come; paths and links are kept, sorted, and written behind them.
 * A file that cannot be had keeps its place, so that nothing else answers for its path.
 */
#include "sourcecache/sourcecache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "object/object.h"
#include "sourcecache/sourcecache_layout.h"
#include "unpack/unpack.h"

#define OUT_BYTES ((size_t)1 << 20)

struct sourcecache_record {          /* of a file or a link: the columns it has */
	uint32_t path, path_bytes, url, url_bytes;
	uint64_t at;
	uint32_t size, lines, state;
	uint32_t order;              /* as it came; prefix or not for links */
};

struct sourcecache_records {
	struct sourcecache_record *items;
	size_t count, capacity;
};

struct sourcecache_writer {
	const struct sourcecache_options *options;
	struct sourcecache_report *report;
	const struct object *object;
	int fd;
	uint64_t at;                 /* where the next byte goes */
	uint64_t most_bytes;         /* of all contents */
	struct buf out;              /* waiting to be written */
	struct buf strings;
	struct sourcecache_records files, links;
	char *unpacked;              /* room for one file */
	size_t unpacked_capacity;
	uint32_t *starts;            /* of its lines */
	size_t start_capacity;
};

/* --- Writing ----------------------------------------------------------------------------- */

static int flush(struct sourcecache_writer *writer, struct err *err)
{
	if (writer->out.size &&
	    file_write_all(writer->fd, writer->out.bytes, writer->out.size, err) < 0)
		return -1;
	buf_clear(&writer->out);
	return 0;
}

static int put(struct sourcecache_writer *writer, const void *bytes, size_t size, struct err *err)
{
	if (writer->out.size + size > OUT_BYTES && flush(writer, err) < 0)
		return -1;
	writer->at += size;
	if (size > OUT_BYTES)
		return file_write_all(writer->fd, bytes, size, err);
	buf_add(&writer->out, bytes, size);
	return buf_check(&writer->out, err);
}

static int pad(struct sourcecache_writer *writer, uint64_t alignment, struct err *err)
{
	static const uint8_t zeros[SRCC_ALIGNMENT];

	return put(writer, zeros, (size_t)(srcc_aligned(writer->at, alignment) - writer->at), err);
}

/* --- Strings ----------------------------------------------------------------------------- */

/* Paths without, patterns with ASCII case folded; '\\' as '/' where both are one. */
enum spelling { AS_IT_IS, SLASHED, LOWERED };

static int add_string(struct sourcecache_writer *writer, struct text text, enum spelling spelling,
		      uint32_t *at, uint32_t *size, struct err *err)
{
	struct buf *strings = &writer->strings;
	size_t start = strings->size;

	if (text.size > LIMIT_NAME_BYTES)
		return err_set(err, ERR_LIMIT, "a path of %zu bytes", text.size);
	buf_add_text(strings, text);
	if (buf_check(strings, err) < 0)
		return -1;
	for (size_t i = start; i < strings->size && spelling != AS_IT_IS; i++) {
		char c = strings->bytes[i];

		if (spelling == LOWERED)
			strings->bytes[i] = ascii_lower(c);
		else if (c == '\\')
			strings->bytes[i] = '/';
	}
	*at = (uint32_t)start;
	*size = (uint32_t)text.size;
	return 0;
}

static struct sourcecache_record *add_record(struct sourcecache_records *records, struct err *err)
{
	struct sourcecache_record *record;

	if (records->count == UINT32_MAX - 1) {
		err_set(err, ERR_LIMIT, "more sources than a source cache can hold");
		return NULL;
	}
	if (vec_reserve(&records->items, &records->capacity, records->count + 1,
		     sizeof(*records->items)) < 0) {
		err_set(err, ERR_NO_MEMORY, "no memory for a source cache's records");
		return NULL;
	}
	record = &records->items[records->count];
	*record = (struct sourcecache_record){ .order = (uint32_t)records->count++ };
	return record;
}

/* --- One file ---------------------------------------------------------------------------- */

/* A line begins at 0 and behind every line feed but one that ends the file. */
static int find_lines(struct sourcecache_writer *writer, struct text text, size_t *count,
		      struct err *err)
{
	const char *at = text.bytes, *end = text.bytes + text.size;

	*count = 0;
	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));

		if (*count == LIMIT_SOURCE_LINES)
			return err_set(err, ERR_UNSUPPORTED, "it has more than %u lines",
				       LIMIT_SOURCE_LINES);
		if (vec_reserve(&writer->starts, &writer->start_capacity, *count + 1,
			     sizeof(*writer->starts)) < 0)
			return err_set(err, ERR_NO_MEMORY, "no memory for a source's lines");
		writer->starts[(*count)++] = (uint32_t)(at - text.bytes);
		at = feed ? feed + 1 : end;
	}
	return 0;
}

static int put_contents(struct sourcecache_writer *writer, struct text text,
			struct sourcecache_record *record,
			struct err *err)
{
	size_t lines;

	if (find_lines(writer, text, &lines, err) < 0)
		return -1;
	record->at = writer->at;
	record->size = (uint32_t)text.size;
	record->lines = (uint32_t)lines;
	record->state = SRCC_INSIDE;
	if (put(writer, text.bytes, text.size, err) < 0 || pad(writer, SRCC_LINE_BYTES, err) < 0)
		return -1;
	return put(writer, writer->starts, lines * SRCC_LINE_BYTES, err);
}

/* In the writer's memory, or where the object has it as it is. */
static int unpack(struct sourcecache_writer *writer, const struct object_source *source,
		  struct text *text,
		  struct err *err)
{
	size_t size = (size_t)source->size;

	if (source->packing == UNPACK_NONE) {
		*text = source->packed;
		if (source->packed.size == size)
			return 0;
		return err_set(err, ERR_MALFORMED, "holds %zu bytes, not %zu", source->packed.size,
			       size);
	}
	if (vec_reserve(&writer->unpacked, &writer->unpacked_capacity, size + 1, 1) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a source of %zu bytes", size);
	*text = (struct text){ writer->unpacked, size };
	return unpack_memory((enum unpack_kind)source->packing, "a source", source->packed,
			     writer->unpacked, size, err);
}

static int check_text(const struct object_source *source, struct text text, struct err *err)
{
	if (source->crc && crc32_z(0, (const Bytef *)text.bytes, text.size) != source->crc)
		return err_set(err, ERR_MALFORMED, "its checksum is wrong");
	if (!text_is_utf8(text))
		return err_set(err, ERR_MALFORMED, "it is no UTF-8");
	return 0;
}

/* What one source may unpack to: a bomb costs itself, not the memory of all others. */
static uint64_t most_bytes(const struct sourcecache_options *options)
{
	uint64_t memory = options->memory_bytes / 4;

	return options->source_max_bytes < memory ? options->source_max_bytes : memory;
}

/* ERR_MALFORMED and ERR_UNSUPPORTED cost the file only. */
static int take_contents(struct sourcecache_writer *writer, const struct object_source *source,
			 struct sourcecache_record *record, struct err *err)
{
	uint64_t most = most_bytes(writer->options);
	struct text text = TEXT_NONE;

	if (source->trouble[0])
		return err_set(err, ERR_MALFORMED, "%s", source->trouble);
	if (source->size > most || source->size >= UINT32_MAX)
		return err_set(err, ERR_UNSUPPORTED, "it has %llu bytes, %llu are read",
			       (unsigned long long)source->size, (unsigned long long)most);
	if (writer->at > writer->most_bytes || source->size > writer->most_bytes - writer->at)
		return err_set(err, ERR_LIMIT, "sources of more than %llu bytes",
			       (unsigned long long)writer->most_bytes);
	if (unpack(writer, source, &text, err) < 0 || check_text(source, text, err) < 0)
		return -1;
	return put_contents(writer, text, record, err);
}

static void note_bad(struct sourcecache_writer *writer, struct text path, const struct err *why)
{
	struct sourcecache_report *report = writer->report;

	if (report->bad_files++ == 0)
		snprintf(report->first_bad, sizeof(report->first_bad), "%.*s: %.100s",
			 (int)(path.size < 120 ? path.size : 120), path.bytes, why->text);
}

static int take_source(void *payload, const struct object_source *source, struct err *err)
{
	struct sourcecache_writer *writer = payload;
	bool by_url = writer->options->by_url;
	bool slashed = writer->object && writer->object->format->slashes_are_one && !by_url;
	const struct text path = by_url ? source->url : source->path;
	struct err bad = ERR_INIT;
	struct sourcecache_record *record;

	if (writer->object && path.size == 0)
		return 0;                        /* no line record can mean it */
	record = add_record(&writer->files, err);
	if (!record ||
	    add_string(writer, path, slashed ? SLASHED : AS_IT_IS, &record->path,
		       &record->path_bytes, err) < 0 ||
	    add_string(writer, source->url, AS_IT_IS, &record->url, &record->url_bytes, err) < 0)
		return -1;
	if (!source->is_inside || take_contents(writer, source, record, &bad) == 0)
		return 0;
	if (bad.kind != ERR_MALFORMED && bad.kind != ERR_UNSUPPORTED) {
		*err = bad;
		return -1;
	}
	record->state = SRCC_UNREADABLE;
	note_bad(writer, source->path, &bad);
	return 0;
}

/* "…*" is a prefix; the star itself is not kept. */
static int take_link(void *payload, const struct object_source_link *link, struct err *err)
{
	struct sourcecache_writer *writer = payload;
	struct text pattern = link->pattern;
	bool is_prefix = text_ends_with(pattern, "*");
	struct sourcecache_record *record;

	if (writer->options->by_url)
		return 0;
	if (writer->links.count == LIMIT_SOURCE_LINKS)
		return err_set(err, ERR_LIMIT, "more than %u source links", LIMIT_SOURCE_LINKS);
	record = add_record(&writer->links, err);
	if (!record)
		return -1;
	pattern.size -= is_prefix;
	record->state = is_prefix;
	if (add_string(writer, pattern, LOWERED, &record->path, &record->path_bytes, err) < 0)
		return -1;
	return add_string(writer, link->url, AS_IT_IS, &record->url, &record->url_bytes, err);
}

/* --- Order ------------------------------------------------------------------------------- */

/* qsort_r's third argument: where the paths are. */
static int compare_files(const void *left, const void *right, void *strings)
{
	const struct sourcecache_record *a = left, *b = right;
	const char *bytes = strings;
	size_t common = a->path_bytes < b->path_bytes ? a->path_bytes : b->path_bytes;
	int order = common ? memcmp(bytes + a->path, bytes + b->path, common) : 0;

	if (order == 0)
		order = (a->path_bytes > b->path_bytes) - (a->path_bytes < b->path_bytes);
	return order ? order : (a->order > b->order) - (a->order < b->order);
}

static int compare_links(const void *left, const void *right)
{
	const struct sourcecache_record *a = left, *b = right;

	if (a->state != b->state)            /* exact ones before prefixes */
		return a->state ? 1 : -1;
	if (a->path_bytes != b->path_bytes)
		return a->path_bytes > b->path_bytes ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static bool same_path(const struct sourcecache_writer *writer, const struct sourcecache_record *a,
		      const struct sourcecache_record *b)
{
	const char *bytes = writer->strings.bytes;

	return a->path_bytes == b->path_bytes &&
	       (a->path_bytes == 0 || memcmp(bytes + a->path, bytes + b->path, a->path_bytes) == 0);
}

/* Of files with one path the last that came stays. */
static void sort_files(struct sourcecache_writer *writer)
{
	struct sourcecache_records *files = &writer->files;
	size_t kept = 0;

	if (files->count > 1)
		qsort_r(files->items, files->count, sizeof(*files->items), compare_files,
			writer->strings.bytes);
	for (size_t i = 0; i < files->count; i++) {
		if (kept && same_path(writer, &files->items[kept - 1], &files->items[i]))
			kept--;
		files->items[kept++] = files->items[i];
	}
	files->count = kept;
}

/* --- The end of the file ----------------------------------------------------------------- */

static int put_files(struct sourcecache_writer *writer, struct err *err)
{
	for (size_t i = 0; i < writer->files.count; i++) {
		const struct sourcecache_record *file = &writer->files.items[i];
		const uint32_t names[] = { file->path, file->path_bytes, file->url, file->url_bytes };
		const uint32_t rest[] = { file->size, file->lines, file->state, 0 };

		if (put(writer, names, sizeof(names), err) < 0 ||
		    put(writer, &file->at, sizeof(file->at), err) < 0 ||
		    put(writer, rest, sizeof(rest), err) < 0)
			return -1;
	}
	return 0;
}

static int put_links(struct sourcecache_writer *writer, struct err *err)
{
	for (size_t i = 0; i < writer->links.count; i++) {
		const struct sourcecache_record *link = &writer->links.items[i];
		const uint32_t columns[] = { link->path, link->path_bytes, link->url, link->url_bytes,
					     link->state, 0 };

		if (put(writer, columns, sizeof(columns), err) < 0)
			return -1;
	}
	return 0;
}

static void put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static int write_head(const struct sourcecache_writer *writer, uint64_t files_at, struct err *err)
{
	const struct object *object = writer->object;
	uint8_t head[SRCC_HEAD_BYTES] = { 0 };
	uint64_t string_bytes = writer->strings.size;
	uint32_t flags = 0;

	if (object && object->format->slashes_are_one && !writer->options->by_url)
		flags |= SRCC_SLASHES_ARE_ONE;
	if (object && object->format->links_any_path && !writer->options->by_url)
		flags |= SRCC_LINKS_ANY_PATH;
	put_u32(head, SRCC_MAGIC);
	put_u32(head + 4, SRCC_VERSION);
	if (object)
		debugid_store(&object->debug_id, head + 8);
	put_u32(head + 40, flags);
	put_u32(head + 44, (uint32_t)writer->files.count);
	put_u32(head + 48, (uint32_t)writer->links.count);
	memcpy(head + 56, &files_at, sizeof(files_at));
	memcpy(head + 64, &string_bytes, sizeof(string_bytes));
	if (pwrite(writer->fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return err_os(err, errno ? errno : EIO, "writing a source cache's head");
	return 0;
}

static int finish(struct sourcecache_writer *writer, struct err *err)
{
	uint64_t files_at;

	sort_files(writer);
	if (writer->links.count > 1)
		qsort(writer->links.items, writer->links.count, sizeof(struct sourcecache_record),
		      compare_links);
	if (pad(writer, SRCC_ALIGNMENT, err) < 0)
		return -1;
	files_at = writer->at;
	if (put_files(writer, err) < 0 || put_links(writer, err) < 0 ||
	    put(writer, writer->strings.bytes, writer->strings.size, err) < 0 ||
	    flush(writer, err) < 0)
		return -1;
	writer->report->files = writer->files.count;
	writer->report->links = writer->links.count;
	writer->report->bytes = writer->at;
	return write_head(writer, files_at, err);
}

/* --- The whole --------------------------------------------------------------------------- */

static int begin(struct sourcecache_writer *writer, const struct sourcecache_options *options,
		 int fd,
		 struct sourcecache_report *report, struct err *err)
{
	static const uint8_t head[SRCC_HEAD_BYTES];

	*report = (struct sourcecache_report){ .files = 0 };
	*writer = (struct sourcecache_writer){ .options = options, .report = report, .fd = fd,
				    .most_bytes = LIMIT_SOURCES_BYTES };
	buf_init(&writer->out, 2 * OUT_BYTES);
	buf_init(&writer->strings, options->memory_bytes < UINT32_MAX ? options->memory_bytes
								     : UINT32_MAX);
	return put(writer, head, sizeof(head), err);
}

static void writer_release(struct sourcecache_writer *writer)
{
	buf_release(&writer->out);
	buf_release(&writer->strings);
	mem_give_back(writer->files.items);
	mem_give_back(writer->links.items);
	mem_give_back(writer->unpacked);
	mem_give_back(writer->starts);
}

int sourcecache_write(const struct object *object, const struct sourcecache_options *options,
		      int fd, struct sourcecache_report *report, struct err *err)
{
	struct sourcecache_writer writer;
	struct object_source_sink sink = { &writer, take_source, take_link };
	struct arena scratch;
	int rc = begin(&writer, options, fd, report, err);

	arena_init(&scratch, options->memory_bytes);
	writer.object = object;
	writer.most_bytes = unpack_most(object->size, LIMIT_SOURCES_BYTES);
	if (rc == 0)
		rc = object_each_source(object, &scratch, &sink, err);
	if (rc == 0)
		rc = finish(&writer, err);
	writer_release(&writer);
	arena_release(&scratch);
	return rc;
}

int sourcecache_write_one(struct text contents, const struct sourcecache_options *options, int fd,
			  struct sourcecache_report *report, struct err *err)
{
	struct object_source source = {
		.path = TEXT(""), .is_inside = true, .packed = contents, .size = contents.size,
	};
	struct sourcecache_writer writer;
	int rc = begin(&writer, options, fd, report, err);

	if (rc == 0)
		rc = take_source(&writer, &source, err);
	if (rc == 0 && report->bad_files)
		rc = err_set(err, ERR_MALFORMED, "not a source file%s", report->first_bad);
	if (rc == 0)
		rc = finish(&writer, err);
	writer_release(&writer);
	return rc;
}
