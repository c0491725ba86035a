/*
 * proguard_internal -- an opened cache's records.  Private to this component.
 *
 * An index below its section's count is safe; ranges of records are cut to their section.
 */
#ifndef PROGUARD_PROGUARD_INTERNAL_H
#define PROGUARD_PROGUARD_INTERNAL_H

#include "proguard/proguard.h"
#include "proguard/proguard_layout.h"

/* Indices from `from` up to, not including, `to`. */
struct proguard_range { uint32_t from, to; };

struct proguard_entry {
	uint32_t method, start, end, original_start, original_end, extra;
};

static inline uint32_t proguard_word(const struct proguard *mapping, enum proguard_section section,
				     uint32_t index, unsigned word)
{
	uint32_t value;

	memcpy(&value, mapping->sections[section] + ((size_t)index * pgmc_words[section] + word) * 4, 4);
	return value;
}

static inline struct proguard_entry proguard_entry(const struct proguard *mapping, uint32_t index)
{
	struct proguard_entry entry;

	memcpy(&entry, mapping->sections[PGMC_ENTRIES] + (size_t)index * sizeof(entry), sizeof(entry));
	return entry;
}

static inline bool proguard_is_base(const struct proguard_entry *entry)
{
	return entry->end == 0 || entry->end == PGMC_NONE;
}

/* TEXT_NONE where it leads nowhere. */
struct text proguard_string(const struct proguard *mapping, uint32_t ref);
/* A word of a method; the method may lead nowhere: PGMC_NONE. */
uint32_t proguard_method_word(const struct proguard *mapping, uint32_t method, unsigned word);
/* The record's range in a section: from its word up to that of the record behind it. */
struct proguard_range proguard_part(const struct proguard *mapping, enum proguard_section of,
				    uint32_t index, unsigned word, enum proguard_section in);
bool proguard_find_class(const struct proguard *mapping, struct text obfuscated, uint32_t *index);
/* By its original name: the first whose is so. */
bool proguard_find_original(const struct proguard *mapping, struct text original, uint32_t *index);
bool proguard_find_group(const struct proguard *mapping, uint32_t class_index, struct text method,
			 uint32_t *index);

#endif
