/* documents.c -- names and languages of the source files. */
#include "object/ppdb/ppdb.h"

#include "base/arch.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

#define GUID_BYTES 16u

/* As the #GUID heap stores them: the first three fields little endian. */
static const struct {
	uint8_t guid[GUID_BYTES];
	enum language language;
} languages[] = {
	{ { 0xf8, 0x62, 0x51, 0x3f, 0xc6, 0x07, 0xd3, 0x11, 0x90, 0x53, 0x00, 0xc0, 0x4f, 0xa3,
	    0x02, 0xa1 }, LANGUAGE_CSHARP },
	{ { 0xb8, 0x12, 0x9d, 0x3a, 0x6c, 0xc2, 0xd0, 0x11, 0xb4, 0x42, 0x00, 0xa0, 0x24, 0x4a,
	    0x1d, 0xd2 }, LANGUAGE_VISUALBASIC },
	{ { 0xce, 0x38, 0x4f, 0xab, 0xe6, 0xb6, 0xba, 0x43, 0xbe, 0x3b, 0x58, 0x08, 0x0b, 0x2c,
	    0xcc, 0xe3 }, LANGUAGE_FSHARP },
};

static uint32_t language_of(const struct ppdb *ppdb, uint32_t index)
{
	const uint8_t *guid = ppdb_guid(ppdb, index);

	for (size_t i = 0; guid && i < sizeof(languages) / sizeof(languages[0]); i++)
		if (memcmp(guid, languages[i].guid, GUID_BYTES) == 0)
			return languages[i].language;
	return LANGUAGE_UNKNOWN;
}

/* One character of UTF-8; a NUL stands for none. */
static struct text read_separator(struct reader *reader)
{
	const char *at = (const char *)reader->bytes + reader->pos;
	bool valid;
	size_t size = reader_left(reader) ? utf8_step(at, reader_left(reader), &valid) : 0;

	reader_skip(reader, size ? size : 1);
	return size == 0 || (size == 1 && *at == '\0') ? TEXT("") : (struct text){ at, size };
}

/*
 * The name is a list of blobs joined by a separator.  Called twice: to measure (out NULL)
 * and to write.
 */
static int join_name(const struct ppdb *ppdb, struct text blob, char *out, size_t *size,
		     struct err *err)
{
	struct reader reader = reader_over("document name", blob.bytes, blob.size);
	struct text separator = read_separator(&reader), part;
	bool first = true;

	*size = 0;
	while (!reader_at_end(&reader)) {
		uint32_t index = ppdb_unsigned(&reader);

		if (reader.failed)
			break;
		if (ppdb_blob(ppdb, index, &part, err) < 0)
			return -1;
		if (!first && out)
			memcpy(out + *size, separator.bytes, separator.size);
		*size += first ? 0 : separator.size;
		if (out && part.size)
			memcpy(out + *size, part.bytes, part.size);
		*size += part.size;
		first = false;
		if (*size > LIMIT_NAME_BYTES)
			return err_set(err, ERR_LIMIT, "a document name of more than %zu bytes",
				       LIMIT_NAME_BYTES);
	}
	return reader_check(&reader, err);
}

/* Reading costs what the list and the name take: the total grows by both. */
struct document_naming {
	struct work_allowance *work;
	uint64_t total;
};

static int read_name(const struct ppdb *ppdb, uint32_t index, struct arena *arena,
		     struct text *name, struct document_naming *naming, struct err *err)
{
	struct text blob;
	size_t size;
	char *bytes;

	if (ppdb_blob(ppdb, index, &blob, err) < 0)
		return -1;
	if (blob.size == 0) {
		*name = TEXT("");
		return 0;
	}
	if (work_charge(naming->work, blob.size, err) < 0 ||
	    join_name(ppdb, blob, NULL, &size, err) < 0 ||
	    work_charge(naming->work, size / WORK_BYTES_PER_STEP, err) < 0)
		return -1;
	bytes = arena_alloc_raw(arena, size + 1, 1);
	if (!bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for a document's name");
	if (join_name(ppdb, blob, bytes, &size, err) < 0)
		return -1;
	*name = (struct text){ bytes, size };
	naming->total += blob.size + size;
	return 0;
}

int ppdb_documents(const struct ppdb *ppdb, struct arena *arena,
		   struct object_document **documents, struct work_allowance *work,
		   struct err *err)
{
	uint32_t count = ppdb->rows[PPDB_DOCUMENT];
	struct document_naming naming = { .work = work };

	*documents = arena_alloc(arena, count, sizeof(**documents));
	if (!*documents)
		return err_set(err, ERR_NO_MEMORY, "no memory for %u documents", (unsigned)count);
	for (uint32_t row = 1; row <= count; row++) {
		struct reader reader = ppdb_row(ppdb, PPDB_DOCUMENT, row);
		struct object_document *document = &(*documents)[row - 1];
		uint32_t name = (uint32_t)reader_unsigned(&reader, ppdb->blobs.width);
		uint32_t language;

		reader_skip(&reader, ppdb->guids.width + ppdb->blobs.width);
		language = (uint32_t)reader_unsigned(&reader, ppdb->guids.width);
		document->language = language_of(ppdb, language);
		if (reader_check(&reader, err) < 0 ||
		    read_name(ppdb, name, arena, &document->name, &naming, err) < 0)
			return err_while(err, "document %u", (unsigned)row);
		if (naming.total > LIMIT_NAMES_BYTES)
			return err_set(err, ERR_LIMIT, "document names of more than %zu bytes",
				       LIMIT_NAMES_BYTES);
	}
	return 0;
}
