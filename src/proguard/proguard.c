/*
 * proguard.c -- opening the cache of a mapping, and finding classes and methods in it.
 *
 * Opening proves that the sections lie inside the bytes; after that a record is safe to read when its
 * index is below its section's count.
 */
#include "proguard/proguard_internal.h"

#include "base/err.h"
#include "base/reader.h"
#include "base/search.h"

_Static_assert(PROGUARD_SECTIONS == PGMC_SECTION_COUNT, "the header knows the sections");
_Static_assert(sizeof(struct proguard_entry) == PGMC_ENTRY_WORDS * 4, "an entry as it is stored");

static uint64_t record_bytes(unsigned section)
{
	return section == PGMC_STRINGS ? 1 : pgmc_words[section] * 4u;
}

static int open_sections(struct proguard *mapping, struct reader *reader, struct err *err)
{
	for (unsigned i = 0; i < PGMC_SECTION_COUNT; i++)
		mapping->counts[i] = reader_u32(reader);
	for (unsigned i = 0; i < PGMC_SECTION_COUNT; i++) {
		reader_seek(reader, i == 0 ? PGMC_HEAD_WORDS * 4u : pgmc_aligned(reader->pos));
		mapping->sections[i] = reader_take(reader, mapping->counts[i] * record_bytes(i));
	}
	return reader_check(reader, err);
}

static struct text string_of_head(const struct proguard *mapping, const void *bytes, unsigned word)
{
	uint32_t ref;

	memcpy(&ref, (const uint8_t *)bytes + 4u * word, sizeof(ref));
	return ref ? proguard_string(mapping, ref - 1) : TEXT_NONE;
}

int proguard_open(struct proguard *mapping, const void *bytes, size_t size, struct err *err)
{
	struct reader reader = reader_over("mapping cache", bytes, size);
	uint32_t magic = reader_u32(&reader), version = reader_u32(&reader), flags = reader_u32(&reader);

	*mapping = (struct proguard){ 0 };
	if (reader_check(&reader, err) < 0)
		return -1;
	if (magic != PGMC_MAGIC)
		return err_set(err, ERR_MALFORMED, "not a mapping cache: it starts with 0x%08x",
			       (unsigned)magic);
	if (version != PGMC_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "mapping cache version %u, we read %u",
			       (unsigned)version, PGMC_VERSION);
	mapping->has_line_info = flags & PGMC_HAS_LINE_INFO;
	mapping->is_by_r8 = flags & PGMC_IS_BY_R8;
	if (open_sections(mapping, &reader, err) < 0)
		return -1;
	mapping->map_id = string_of_head(mapping, bytes, PGMC_HEAD_MAP_ID);
	mapping->map_hash = string_of_head(mapping, bytes, PGMC_HEAD_MAP_HASH);
	return 0;
}

struct text proguard_string(const struct proguard *mapping, uint32_t ref)
{
	struct reader reader = reader_over("strings", mapping->sections[PGMC_STRINGS],
					   mapping->counts[PGMC_STRINGS]);
	const uint8_t *bytes;
	uint64_t size;

	reader_seek(&reader, ref);
	size = reader_uleb128(&reader);
	bytes = reader_take(&reader, size);
	return bytes ? (struct text){ (const char *)bytes, (size_t)size } : TEXT_NONE;
}

uint32_t proguard_method_word(const struct proguard *mapping, uint32_t method, unsigned word)
{
	return method < mapping->counts[PGMC_METHODS] ? proguard_word(mapping, PGMC_METHODS, method, word)
						      : PGMC_NONE;
}

struct proguard_range proguard_part(const struct proguard *mapping, enum proguard_section of,
				    uint32_t index, unsigned word, enum proguard_section in)
{
	struct proguard_range range = { 0, mapping->counts[in] };

	if (index >= mapping->counts[of])
		return (struct proguard_range){ 0, 0 };
	range.from = proguard_word(mapping, of, index, word);
	if (index + 1 < mapping->counts[of]) {
		uint32_t to = proguard_word(mapping, of, index + 1, word);

		range.to = to < range.to ? to : range.to;
	}
	if (range.from > range.to)
		range.from = range.to;
	return range;
}

/* --- Finding -------------------------------------------------------------------------------- */

static struct text name_at(const struct proguard *mapping, enum proguard_section section, uint32_t index,
			   unsigned word)
{
	return proguard_string(mapping, proguard_word(mapping, section, index, word));
}

bool proguard_find_class(const struct proguard *mapping, struct text obfuscated, uint32_t *index)
{
	uint32_t count = mapping->counts[PGMC_CLASSES], at;

	SEARCH_PARTITION_POINT(at, 0, count,
			       text_compare(name_at(mapping, PGMC_CLASSES, at, PGMC_CLASS_OBFUSCATED),
					    obfuscated) < 0);
	*index = at;
	return at < count && text_equal(name_at(mapping, PGMC_CLASSES, at, PGMC_CLASS_OBFUSCATED), obfuscated);
}

/* Classes in the order of their original names; one that leads nowhere has none. */
static struct text original_at(const struct proguard *mapping, uint32_t at)
{
	uint32_t index = proguard_word(mapping, PGMC_ORIGINALS, at, 0);

	return index < mapping->counts[PGMC_CLASSES] ?
	       name_at(mapping, PGMC_CLASSES, index, PGMC_CLASS_ORIGINAL) : TEXT_NONE;
}

bool proguard_find_original(const struct proguard *mapping, struct text original, uint32_t *index)
{
	uint32_t count = mapping->counts[PGMC_ORIGINALS], at;

	SEARCH_PARTITION_POINT(at, 0, count, text_compare(original_at(mapping, at), original) < 0);
	if (at >= count || !text_equal(original_at(mapping, at), original))
		return false;
	*index = proguard_word(mapping, PGMC_ORIGINALS, at, 0);
	return *index < mapping->counts[PGMC_CLASSES];
}

bool proguard_find_group(const struct proguard *mapping, uint32_t class_index, struct text method,
			 uint32_t *index)
{
	struct proguard_range range = proguard_part(mapping, PGMC_CLASSES, class_index, PGMC_CLASS_GROUP,
						    PGMC_GROUPS);
	uint32_t at;

	SEARCH_PARTITION_POINT(at, range.from, range.to,
			       text_compare(name_at(mapping, PGMC_GROUPS, at, PGMC_GROUP_NAME), method) < 0);
	*index = at;
	return at < range.to && text_equal(name_at(mapping, PGMC_GROUPS, at, PGMC_GROUP_NAME), method);
}

struct text proguard_class(const struct proguard *mapping, struct text obfuscated)
{
	uint32_t index;

	return proguard_find_class(mapping, obfuscated, &index) ?
	       name_at(mapping, PGMC_CLASSES, index, PGMC_CLASS_ORIGINAL) : TEXT_NONE;
}

struct text proguard_method(const struct proguard *mapping, struct text obfuscated_class,
			    struct text obfuscated_method)
{
	struct proguard_range entries;
	uint32_t class_index, group, name = PGMC_NONE;

	if (!proguard_find_class(mapping, obfuscated_class, &class_index) ||
	    !proguard_find_group(mapping, class_index, obfuscated_method, &group))
		return TEXT_NONE;
	entries = proguard_part(mapping, PGMC_GROUPS, group, PGMC_GROUP_ENTRY, PGMC_ENTRIES);
	for (uint32_t i = entries.from; i < entries.to; i++) {
		uint32_t other = proguard_method_word(mapping, proguard_entry(mapping, i).method,
						      PGMC_METHOD_NAME);

		if (i > entries.from && other != name)
			return TEXT_NONE;
		name = other;
	}
	return proguard_string(mapping, name);
}
