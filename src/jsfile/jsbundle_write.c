/* jsbundle_write.c -- from an artifact bundle to its index. */
#include "jsfile/jsbundle.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "jsfile/jsfile_layout.h"

struct jsbundle_record {
	uint32_t url, url_bytes, map, map_bytes, type, number;
	struct jsbundle_contents contents;
	uint8_t id[DEBUGID_RECORD_BYTES];
	bool has_id;
};

struct jsbundle_writer {
	const struct object *object;
	struct buf strings;
	struct jsbundle_record *records;
	size_t count, capacity;
	uint32_t *order;             /* indices of records, sorted */
};

/* One that is there but empty has a place, one that is not has none. */
static int add_string(struct jsbundle_writer *writer, struct text text, uint32_t *at, uint32_t *size,
		      struct err *err)
{
	*at = text.bytes ? (uint32_t)writer->strings.size : JSBUNDLE_NONE;
	*size = (uint32_t)text.size;
	buf_add_text(&writer->strings, text);
	return buf_check(&writer->strings, err);
}

/* What is not said, or in no plain way, has no place: it is read by the manifest. */
static struct jsbundle_contents contents_of(const struct object *object, const struct object_source *source)
{
	uintptr_t start = (uintptr_t)object->bytes, at = (uintptr_t)source->packed.bytes;

	if (!source->packed.bytes || source->trouble[0] || source->crc == 0 || at < start ||
	    source->packed.size > object->size || at - start > object->size - source->packed.size)
		return (struct jsbundle_contents){ .packed_bytes = 0 };
	return (struct jsbundle_contents){ at - start, source->packed.size, source->size, source->crc,
					   source->packing };
}

/* An entry without contents keeps its number: numbers are places in the manifest. */
static int take_source(void *payload, const struct object_source *source, struct err *err)
{
	struct jsbundle_writer *writer = payload;
	struct jsbundle_record *record;
	struct text url = source->url.size ? source->url : TEXT_NONE;

	if (writer->count == UINT32_MAX - 1)
		return err_set(err, ERR_LIMIT, "a bundle of more files than can be numbered");
	if (vec_reserve(&writer->records, &writer->capacity, writer->count + 1,
			sizeof(*writer->records)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for the index of a bundle");
	record = &writer->records[writer->count];
	*record = (struct jsbundle_record){
		.type = source->type, .number = (uint32_t)writer->count,
		.contents = contents_of(writer->object, source),
		.has_id = !debugid_is_nil(&source->debug_id) && source->type != OBJECT_SOURCE_UNTYPED,
	};
	writer->count++;
	debugid_store(&source->debug_id, record->id);
	if (add_string(writer, url, &record->url, &record->url_bytes, err) < 0)
		return -1;
	return add_string(writer, source->source_map, &record->map, &record->map_bytes, err);
}

static struct text url_of(const struct jsbundle_writer *writer, const struct jsbundle_record *record)
{
	return (struct text){ writer->strings.bytes + record->url, record->url_bytes };
}

static int compare_urls(const void *left, const void *right, void *payload)
{
	const struct jsbundle_writer *writer = payload;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = text_compare(url_of(writer, &writer->records[a]), url_of(writer, &writer->records[b]));

	return order ? order : (a > b) - (a < b);
}

static int order_of_ids(const struct jsbundle_record *a, const struct jsbundle_record *b)
{
	int order = memcmp(a->id, b->id, sizeof(a->id));

	return order ? order : (a->type > b->type) - (a->type < b->type);
}

static int compare_ids(const void *left, const void *right, void *payload)
{
	const struct jsbundle_writer *writer = payload;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = order_of_ids(&writer->records[a], &writer->records[b]);

	return order ? order : (a > b) - (a < b);
}

/* Those with an URL, or with a debug id, sorted; of equal ones the last. */
static size_t sort(struct jsbundle_writer *writer, bool by_url)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < writer->count; i++)
		if (by_url ? writer->records[i].url != JSBUNDLE_NONE : writer->records[i].has_id)
			writer->order[count++] = (uint32_t)i;
	if (count > 1)
		qsort_r(writer->order, count, sizeof(*writer->order), by_url ? compare_urls : compare_ids,
			writer);
	for (size_t i = 0; i < count; i++) {
		const struct jsbundle_record *one = &writer->records[writer->order[i]];
		const struct jsbundle_record *last = kept ? &writer->records[writer->order[kept - 1]] : NULL;

		if (last && (by_url ? text_equal(url_of(writer, last), url_of(writer, one))
				    : order_of_ids(last, one) == 0))
			kept--;
		writer->order[kept++] = writer->order[i];
	}
	return kept;
}

static void put_u32(struct buf *out, uint32_t value)
{
	buf_add(out, &value, sizeof(value));
}

static void put_entry(struct buf *out, const struct jsbundle_record *record)
{
	const uint32_t columns[] = { record->url, record->url_bytes, record->map, record->map_bytes,
				     record->type, record->number };

	buf_add(out, columns, sizeof(columns));
	buf_add(out, record->id, sizeof(record->id));
	buf_add(out, &record->contents, sizeof(record->contents));
}

static int put_all(struct jsbundle_writer *writer, struct buf *out, struct err *err)
{
	uint64_t string_bytes = writer->strings.size;
	size_t url_count, id_count;

	writer->order = mem_get_array(writer->count ? writer->count : 1, sizeof(*writer->order));
	if (!writer->order)
		return err_set(err, ERR_NO_MEMORY, "no memory for the index of a bundle");
	put_u32(out, JSBUNDLE_MAGIC);
	put_u32(out, JSBUNDLE_VERSION);
	put_u32(out, (uint32_t)writer->count);
	put_u32(out, 0);
	put_u32(out, 0);
	put_u32(out, 0);
	buf_add(out, &string_bytes, sizeof(string_bytes));
	for (size_t i = 0; i < writer->count; i++)
		put_entry(out, &writer->records[i]);
	url_count = sort(writer, true);
	buf_add(out, writer->order, url_count * sizeof(*writer->order));
	id_count = sort(writer, false);
	buf_add(out, writer->order, id_count * sizeof(*writer->order));
	buf_add_text(out, buf_text(&writer->strings));
	if (buf_check(out, err) < 0)
		return -1;
	jsfile_store_u32((uint8_t *)out->bytes + 12, (uint32_t)url_count);
	jsfile_store_u32((uint8_t *)out->bytes + 16, (uint32_t)id_count);
	return 0;
}

int jsbundle_write(const struct object *object, size_t memory_bytes, int fd, struct err *err)
{
	struct jsbundle_writer writer = { .object = object };
	const struct object_source_sink sink = { &writer, take_source, NULL };
	struct arena scratch;
	struct buf out;
	int rc;

	arena_init(&scratch, memory_bytes);
	buf_init(&writer.strings, memory_bytes < UINT32_MAX ? memory_bytes : UINT32_MAX - 1);
	buf_init(&out, memory_bytes);
	rc = object_each_source(object, &scratch, &sink, err);
	if (rc == 0)
		rc = put_all(&writer, &out, err);
	if (rc == 0)
		rc = file_write_all(fd, out.bytes, out.size, err);
	buf_release(&out);
	buf_release(&writer.strings);
	mem_give_back(writer.records);
	mem_give_back(writer.order);
	arena_release(&scratch);
	return rc;
}
