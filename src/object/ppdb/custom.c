/* custom.c -- CustomDebugInformation: sources inside and the SourceLink document. */
#include "object/ppdb/ppdb.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "object/sourcelink.h"
#include "unpack/unpack.h"

#define GUID_BYTES 16u
#define PARENT_TAG_BITS 5u

static const uint8_t kind_links[GUID_BYTES] = {      /* CC110556-A091-4D38-9FEC-25AB9A351A6A */
	0x56, 0x05, 0x11, 0xcc, 0x91, 0xa0, 0x38, 0x4d, 0x9f, 0xec, 0x25, 0xab, 0x9a, 0x35, 0x1a, 0x6a,
};
static const uint8_t kind_source[GUID_BYTES] = {     /* 0E8A571B-6926-466E-B4AD-8AB04611F5FE */
	0x1b, 0x57, 0x8a, 0x0e, 0x26, 0x69, 0x6e, 0x46, 0xb4, 0xad, 0x8a, 0xb0, 0x46, 0x11, 0xf5, 0xfe,
};

/* False past the last. */
static bool read_custom(const struct ppdb *ppdb, uint32_t row, struct ppdb_custom *custom)
{
	struct reader reader = ppdb_row(ppdb, PPDB_CUSTOM, row);
	uint32_t parent = (uint32_t)reader_unsigned(&reader, ppdb_parent_width(ppdb));

	custom->parent = parent & ((1u << PARENT_TAG_BITS) - 1);
	custom->row = parent >> PARENT_TAG_BITS;
	custom->kind = (uint32_t)reader_unsigned(&reader, ppdb->guids.width);
	custom->value = (uint32_t)reader_unsigned(&reader, ppdb->blobs.width);
	return !reader.failed;
}

static bool is_kind(const struct ppdb *ppdb, const struct ppdb_custom *custom,
		    unsigned parent, const uint8_t *kind)
{
	const uint8_t *guid;

	if (custom->parent != parent)
		return false;
	guid = ppdb_guid(ppdb, custom->kind);
	return guid && memcmp(guid, kind, GUID_BYTES) == 0;
}

static int count_link(void *payload, const struct object_source_link *link, struct err *err)
{
	size_t *count = payload;

	(void)link;
	(void)err;
	++*count;
	return 0;
}

/* A SourceLink document without links is as good as none; one that is no JSON is an error. */
static int survey_links(struct ppdb *ppdb, uint32_t value, struct err *err)
{
	size_t count = 0;
	struct object_source_sink sink = { .payload = &count, .link = count_link };
	struct text json;

	if (ppdb_blob(ppdb, value, &json, err) < 0 || sourcelink_each(json, &sink, err) < 0)
		return -1;
	if (count)
		ppdb->links = json;
	return 0;
}

int ppdb_survey_custom(struct ppdb *ppdb, struct err *err)
{
	struct ppdb_custom custom;
	bool has_links = false;

	for (uint32_t row = 1; read_custom(ppdb, row, &custom); row++) {
		ppdb->embedded += is_kind(ppdb, &custom, PPDB_PARENT_DOCUMENT, kind_source);
		if (has_links || custom.row != 1 ||
		    !is_kind(ppdb, &custom, PPDB_PARENT_MODULE, kind_links))
			continue;
		has_links = true;
		if (survey_links(ppdb, custom.value, err) < 0)
			return -1;
	}
	return 0;
}

/* i32 format, then the text as it is (0) or deflated, the format being its size. */
static void describe(const struct ppdb *ppdb, uint32_t value, struct object_source *source)
{
	struct err err = ERR_INIT;
	struct text blob;
	struct reader reader;
	uint32_t format;

	if (ppdb_blob(ppdb, value, &blob, &err) < 0) {
		snprintf(source->trouble, sizeof(source->trouble), "%.90s", err.text);
		return;
	}
	reader = reader_over("embedded source", blob.bytes, blob.size);
	format = reader_u32(&reader);
	source->packed.size = reader_left(&reader);
	source->packed.bytes = (const char *)reader_take(&reader, source->packed.size);
	source->packing = format ? UNPACK_DEFLATE : UNPACK_NONE;
	source->size = format ? format : source->packed.size;
	if (reader.failed || format > INT32_MAX)
		snprintf(source->trouble, sizeof(source->trouble),
			 "embedded source in a format we do not know");
}

/* For each document the record with its source, later ones winning; 0: none. */
static int find_embedded(const struct ppdb *ppdb, struct arena *arena, uint32_t **values,
			 struct err *err)
{
	uint32_t count = ppdb->rows[PPDB_DOCUMENT];
	struct ppdb_custom custom;

	*values = arena_alloc(arena, count, sizeof(**values));
	if (!*values)
		return err_set(err, ERR_NO_MEMORY, "no memory for %u documents", (unsigned)count);
	for (uint32_t row = 1; read_custom(ppdb, row, &custom); row++)
		if (custom.row >= 1 && custom.row <= count &&
		    is_kind(ppdb, &custom, PPDB_PARENT_DOCUMENT, kind_source))
			(*values)[custom.row - 1] = custom.value;
	return 0;
}

int ppdb_each_source(const struct object *object, struct arena *scratch,
		     const struct object_source_sink *sink, struct err *err)
{
	const struct ppdb *ppdb = object->state;
	struct object_document *documents;
	struct work_allowance work;
	uint32_t *values;
	int rc;

	work_allowance_begin(&work, object->work, object->size);
	rc = ppdb_documents(ppdb, scratch, &documents, &work, err);
	work_allowance_end(&work);
	if (rc < 0 || find_embedded(ppdb, scratch, &values, err) < 0)
		return -1;
	for (uint32_t i = 0; i < ppdb->rows[PPDB_DOCUMENT]; i++) {
		struct object_source source = { .path = documents[i].name };

		source.is_inside = values[i] != 0;
		if (source.is_inside)
			describe(ppdb, values[i], &source);
		if (sink->source && sink->source(sink->payload, &source, err) < 0)
			return -1;
	}
	return ppdb->links.size ? sourcelink_each(ppdb->links, sink, err) : 0;
}
