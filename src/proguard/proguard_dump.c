/* proguard_dump.c -- the lookup file as a mapping again, for people. */
#include "proguard/proguard_internal.h"

#include "base/buf.h"

static struct text word_text(const struct proguard *mapping, enum proguard_section section, uint32_t index,
			     unsigned word)
{
	return proguard_string(mapping, proguard_word(mapping, section, index, word));
}

static void add_method_text(const struct proguard *mapping, uint32_t method, unsigned word, struct buf *out)
{
	buf_add_text(out, proguard_string(mapping, proguard_method_word(mapping, method, word)));
}

static void add_entry(const struct proguard *mapping, uint32_t index, struct text obfuscated, struct buf *out)
{
	struct proguard_entry entry = proguard_entry(mapping, index);
	uint32_t class_ref = proguard_method_word(mapping, entry.method, PGMC_METHOD_CLASS);

	buf_add_string(out, "    ");
	if (entry.end != PGMC_NONE)
		buf_printf(out, "%u:%u:", (unsigned)entry.start, (unsigned)entry.end);
	add_method_text(mapping, entry.method, PGMC_METHOD_TYPE, out);
	buf_add_char(out, ' ');
	if (class_ref != PGMC_NONE) {
		buf_add_text(out, proguard_string(mapping, class_ref));
		buf_add_char(out, '.');
	}
	add_method_text(mapping, entry.method, PGMC_METHOD_NAME, out);
	buf_add_char(out, '(');
	add_method_text(mapping, entry.method, PGMC_METHOD_PARAMETERS, out);
	buf_add_char(out, ')');
	if (entry.original_start != PGMC_NONE)
		buf_printf(out, ":%u", (unsigned)entry.original_start);
	if (entry.original_start != PGMC_NONE && entry.original_end != PGMC_NONE)
		buf_printf(out, ":%u", (unsigned)entry.original_end);
	buf_add_string(out, " -> ");
	buf_add_text(out, obfuscated);
	buf_add_char(out, '\n');
}

static void add_pairs(const struct proguard *mapping, uint32_t extra, struct buf *out)
{
	struct proguard_range pairs = proguard_part(mapping, PGMC_EXTRAS, extra, PGMC_EXTRA_PAIR, PGMC_PAIRS);

	for (uint32_t i = pairs.from; i < pairs.to; i++)
		buf_printf(out, "%s%u: %u", i == pairs.from ? "      # outline positions " : ", ",
			   (unsigned)proguard_word(mapping, PGMC_PAIRS, i, PGMC_PAIR_POSITION),
			   (unsigned)proguard_word(mapping, PGMC_PAIRS, i, PGMC_PAIR_LINE));
	if (pairs.from < pairs.to)
		buf_add_char(out, '\n');
}

static void add_rules(const struct proguard *mapping, uint32_t extra, struct buf *out)
{
	struct proguard_range rules = proguard_part(mapping, PGMC_EXTRAS, extra, PGMC_EXTRA_RULE, PGMC_RULES);

	for (uint32_t rule = rules.from; rule < rules.to; rule++) {
		struct proguard_range conditions = proguard_part(mapping, PGMC_RULES, rule, PGMC_RULE_CONDITION,
								 PGMC_CONDITIONS);

		buf_printf(out, "      # removes %u frames at",
			   (unsigned)proguard_word(mapping, PGMC_RULES, rule, PGMC_RULE_REMOVES));
		for (uint32_t i = conditions.from; i < conditions.to; i++) {
			struct text descriptor = word_text(mapping, PGMC_CONDITIONS, i, 0);

			buf_add_char(out, ' ');
			buf_add_text(out, descriptor.bytes ? descriptor : TEXT("(unknown)"));
		}
		buf_add_char(out, '\n');
	}
}

static void add_notes(const struct proguard *mapping, uint32_t index, struct buf *out)
{
	struct proguard_entry entry = proguard_entry(mapping, index);
	uint32_t flags = proguard_method_word(mapping, entry.method, PGMC_METHOD_FLAGS);

	if (entry.method < mapping->counts[PGMC_METHODS] && (flags & PGMC_METHOD_OUTLINE))
		buf_add_string(out, "      # outline\n");
	if (entry.method < mapping->counts[PGMC_METHODS] && (flags & PGMC_METHOD_SYNTHESIZED))
		buf_add_string(out, "      # synthesized\n");
	if ((entry.extra & PGMC_EXTRA_MASK) >= mapping->counts[PGMC_EXTRAS])
		return;
	add_pairs(mapping, entry.extra & PGMC_EXTRA_MASK, out);
	add_rules(mapping, entry.extra & PGMC_EXTRA_MASK, out);
}

static void add_class(const struct proguard *mapping, uint32_t index, struct buf *out)
{
	struct text file = word_text(mapping, PGMC_CLASSES, index, PGMC_CLASS_FILE);

	buf_add_text(out, word_text(mapping, PGMC_CLASSES, index, PGMC_CLASS_ORIGINAL));
	buf_add_string(out, " -> ");
	buf_add_text(out, word_text(mapping, PGMC_CLASSES, index, PGMC_CLASS_OBFUSCATED));
	buf_add_string(out, ":\n");
	if (file.bytes) {
		buf_add_string(out, "  # file ");
		buf_add_text(out, file);
		buf_add_char(out, '\n');
	}
	if (proguard_word(mapping, PGMC_CLASSES, index, PGMC_CLASS_FLAGS) & PGMC_CLASS_SYNTHESIZED)
		buf_add_string(out, "  # synthesized\n");
}

bool proguard_dump_class(const struct proguard *mapping, uint32_t index, struct buf *out)
{
	struct proguard_range groups, entries;

	if (index >= mapping->counts[PGMC_CLASSES])
		return false;
	add_class(mapping, index, out);
	groups = proguard_part(mapping, PGMC_CLASSES, index, PGMC_CLASS_GROUP, PGMC_GROUPS);
	for (uint32_t group = groups.from; group < groups.to; group++) {
		struct text name = word_text(mapping, PGMC_GROUPS, group, PGMC_GROUP_NAME);

		entries = proguard_part(mapping, PGMC_GROUPS, group, PGMC_GROUP_ENTRY, PGMC_ENTRIES);
		for (uint32_t i = entries.from; i < entries.to && !out->failed; i++) {
			add_entry(mapping, i, name, out);
			add_notes(mapping, i, out);
		}
	}
	return !out->failed;
}
