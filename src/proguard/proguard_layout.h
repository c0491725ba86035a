/*
 * proguard_layout -- the cache of a mapping, number by number, as reader and writer both need it
 * (doc/formats/proguard.md).  Private to this component.
 *
 * A head, then the sections of enum proguard_section in this order, each at a multiple of 8.  All numbers
 * are 32 bit, little endian.  Names are offsets into the strings: their length (LEB128) and bytes.
 */
#ifndef PROGUARD_PROGUARD_LAYOUT_H
#define PROGUARD_PROGUARD_LAYOUT_H

#include <stdint.h>

#define PGMC_MAGIC        0x434d4750u   /* "PGMC" */
#define PGMC_VERSION      1u
#define PGMC_HEAD_WORDS   16u           /* magic, version, flags, a count for each section, two ids */
#define PGMC_HEAD_MAP_ID  14u           /* where names are + 1; 0: the mapping does not say it */
#define PGMC_HEAD_MAP_HASH 15u
#define PGMC_ALIGNMENT    8u
#define PGMC_NONE         UINT32_MAX

#define PGMC_HAS_LINE_INFO 1u           /* flags of the head */
#define PGMC_IS_BY_R8      2u

enum proguard_section {
	PGMC_ENTRIES, PGMC_CLASSES, PGMC_ORIGINALS, PGMC_GROUPS, PGMC_PARAMS, PGMC_METHODS, PGMC_EXTRAS,
	PGMC_PAIRS, PGMC_RULES, PGMC_CONDITIONS, PGMC_STRINGS,
	PGMC_SECTION_COUNT
};

/* Words of a record. */
enum { PGMC_CLASS_OBFUSCATED, PGMC_CLASS_ORIGINAL, PGMC_CLASS_FILE, PGMC_CLASS_GROUP, PGMC_CLASS_FLAGS,
       PGMC_CLASS_WORDS };
enum { PGMC_GROUP_NAME, PGMC_GROUP_ENTRY, PGMC_GROUP_PARAM, PGMC_GROUP_FLAGS, PGMC_GROUP_WORDS };
enum { PGMC_ENTRY_METHOD, PGMC_ENTRY_START, PGMC_ENTRY_END, PGMC_ENTRY_ORIGINAL_START,
       PGMC_ENTRY_ORIGINAL_END, PGMC_ENTRY_EXTRA, PGMC_ENTRY_WORDS };
enum { PGMC_METHOD_CLASS, PGMC_METHOD_TYPE, PGMC_METHOD_NAME, PGMC_METHOD_PARAMETERS, PGMC_METHOD_FILE,
       PGMC_METHOD_FLAGS, PGMC_METHOD_WORDS };
enum { PGMC_EXTRA_PAIR, PGMC_EXTRA_RULE, PGMC_EXTRA_WORDS };
enum { PGMC_PAIR_POSITION, PGMC_PAIR_LINE, PGMC_PAIR_WORDS };
enum { PGMC_RULE_CONDITION, PGMC_RULE_REMOVES, PGMC_RULE_WORDS };

/* Flags. */
#define PGMC_CLASS_SYNTHESIZED     1u
#define PGMC_METHOD_SYNTHESIZED    1u
#define PGMC_METHOD_OUTLINE        2u
#define PGMC_GROUP_HAS_LINE_INFO   1u
#define PGMC_GROUP_HAS_BASE        2u
#define PGMC_GROUP_HAS_EXTRAS      4u

/* The last word of an entry: an index of extras, and what was swapped. */
#define PGMC_EXTRA_MASK            0x1fffffffu
#define PGMC_EXTRA_NONE            PGMC_EXTRA_MASK
#define PGMC_SWAPPED               0x20000000u
#define PGMC_SWAPPED_ORIGINAL      0x40000000u

/* Words of a record of each section; strings are bytes. */
static const uint8_t pgmc_words[PGMC_SECTION_COUNT] = {
	[PGMC_ENTRIES] = PGMC_ENTRY_WORDS, [PGMC_CLASSES] = PGMC_CLASS_WORDS, [PGMC_ORIGINALS] = 1,
	[PGMC_GROUPS] = PGMC_GROUP_WORDS, [PGMC_PARAMS] = 1, [PGMC_METHODS] = PGMC_METHOD_WORDS,
	[PGMC_EXTRAS] = PGMC_EXTRA_WORDS, [PGMC_PAIRS] = PGMC_PAIR_WORDS, [PGMC_RULES] = PGMC_RULE_WORDS,
	[PGMC_CONDITIONS] = 1,
};

static inline uint64_t pgmc_aligned(uint64_t at)
{
	return (at + PGMC_ALIGNMENT - 1) & ~(uint64_t)(PGMC_ALIGNMENT - 1);
}

#endif
