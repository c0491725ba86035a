/* jsbundle.c -- opening the index of an artifact bundle and searching it in place. */
#include "jsfile/jsbundle.h"

#include "base/err.h"
#include "base/load.h"
#include "base/reader.h"
#include "base/search.h"
#include "jsfile/jsfile_layout.h"

int jsbundle_open(struct jsbundle *bundle, const void *bytes, size_t size, struct err *err)
{
	struct reader reader = reader_over("index of a bundle", bytes, size);
	uint32_t magic = reader_u32(&reader), version = reader_u32(&reader);
	uint64_t string_bytes;

	memset(bundle, 0, sizeof(*bundle));
	if (reader_check(&reader, err) < 0)
		return -1;
	if (magic != JSBUNDLE_MAGIC)
		return err_set(err, ERR_MALFORMED, "no index of a bundle: it starts with 0x%08x",
			       (unsigned)magic);
	if (version != JSBUNDLE_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "an index of a bundle of version %u, we read %u",
			       (unsigned)version, JSBUNDLE_VERSION);
	bundle->entry_count = reader_u32(&reader);
	bundle->url_count = reader_u32(&reader);
	bundle->id_count = reader_u32(&reader);
	reader_skip(&reader, 4);
	string_bytes = reader_u64(&reader);
	bundle->entries = reader_take(&reader, (uint64_t)bundle->entry_count * JSBUNDLE_ENTRY_BYTES);
	bundle->by_url = reader_take(&reader, (uint64_t)bundle->url_count * JSBUNDLE_INDEX_BYTES);
	bundle->by_id = reader_take(&reader, (uint64_t)bundle->id_count * JSBUNDLE_INDEX_BYTES);
	bundle->strings.bytes = (const char *)reader_take(&reader, string_bytes);
	bundle->strings.size = (size_t)string_bytes;
	return reader_check(&reader, err);
}

/* TEXT_NONE when there is none, or it leads out of the strings. */
static struct text string_at(const struct jsbundle *bundle, const uint8_t *reference)
{
	uint32_t at = load_u32(reference), size = load_u32(reference + 4);

	if (at > bundle->strings.size || size > bundle->strings.size - at)
		return TEXT_NONE;
	return (struct text){ bundle->strings.bytes + at, size };
}

bool jsbundle_entry_at(const struct jsbundle *bundle, uint32_t index, struct jsbundle_entry *entry)
{
	const uint8_t *at;

	if (index >= bundle->entry_count)
		return false;
	at = bundle->entries + (size_t)index * JSBUNDLE_ENTRY_BYTES;
	*entry = (struct jsbundle_entry){
		.url = string_at(bundle, at), .source_map = string_at(bundle, at + 8),
		.type = load_u32(at + 16), .number = load_u32(at + 20),
		.debug_id = debugid_load(at + 24),
	};
	memcpy(&entry->contents, at + 24 + DEBUGID_RECORD_BYTES, sizeof(entry->contents));
	return entry->type < OBJECT_SOURCE_TYPES;
}

/* The entry that stands at `place` of an index. */
static bool entry_by(const struct jsbundle *bundle, const uint8_t *index, size_t place,
		     struct jsbundle_entry *entry)
{
	return jsbundle_entry_at(bundle, load_u32(index + place * JSBUNDLE_INDEX_BYTES), entry);
}

bool jsbundle_find_url(const struct jsbundle *bundle, struct text url, struct jsbundle_entry *entry)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, bundle->url_count,
			       entry_by(bundle, bundle->by_url, at, entry) &&
			       text_compare(entry->url, url) < 0);
	return at < bundle->url_count && entry_by(bundle, bundle->by_url, at, entry) &&
	       text_equal(entry->url, url);
}

static int compare_ids(const struct debugid *a, enum object_source_type a_type, const struct debugid *b,
		       enum object_source_type b_type)
{
	uint8_t left[DEBUGID_RECORD_BYTES], right[DEBUGID_RECORD_BYTES];
	int order;

	debugid_store(a, left);
	debugid_store(b, right);
	order = memcmp(left, right, sizeof(left));
	return order ? order : (a_type > b_type) - (a_type < b_type);
}

bool jsbundle_find_id(const struct jsbundle *bundle, const struct debugid *id,
		      enum object_source_type type, struct jsbundle_entry *entry)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, bundle->id_count,
			       entry_by(bundle, bundle->by_id, at, entry) &&
			       compare_ids(&entry->debug_id, entry->type, id, type) < 0);
	return at < bundle->id_count && entry_by(bundle, bundle->by_id, at, entry) &&
	       compare_ids(&entry->debug_id, entry->type, id, type) == 0;
}
