/*
 * proguard_build -- what a mapping says, as tables in the order of its text.  Private to this component.
 */
#ifndef PROGUARD_PROGUARD_BUILD_H
#define PROGUARD_PROGUARD_BUILD_H

#include "base/text.h"
#include "proguard/mapping_header.h"
#include "proguard/mapping_read.h"
#include "proguard/proguard_layout.h"
#include "proguard/proguard_names.h"
#include "proguard/proguard_write.h"

/* One class record; its entries reach up to those of the next. */
struct build_section {
	uint32_t obfuscated, original, file;
	uint32_t first_entry;
	uint32_t flags;
};

/* A declaration as it stands in the mapping, of all classes that have it. */
struct build_declaration {
	uint32_t receiver, type, name, parameters;   /* receiver PGMC_NONE: it is not told */
	uint32_t at, bytes;          /* in the mapping, where it stood last */
	uint32_t section, method;    /* the method of the last section that has it; PGMC_NONE: of all */
};

/* A declaration of one class without receiver, of all with one. */
struct build_method {
	uint32_t receiver;           /* its class, whether it is told or not */
	uint32_t words[PGMC_METHOD_WORDS];
};

struct build_entry {
	uint32_t method, obfuscated;
	uint32_t start, end, original_start, original_end;
	uint32_t extra;              /* with flags; below, beside those that are written: */
};
#define BUILD_NOT_BY_PARAMETERS 0x80000000u

struct build_extra { uint32_t pair, rule, entry; };
struct build_pair { uint32_t position, line, order; };
struct build_rule { uint32_t condition, removes; };

struct proguard_build {
	struct text mapping;
	struct proguard_memory memory;
	struct proguard_report *report;
	struct proguard_names names;
	struct proguard_slots declaration_slots;

	struct build_section *sections;
	struct build_declaration *declarations;
	struct build_method *methods;
	struct build_entry *entries;
	struct build_extra *extras;
	struct build_pair *pairs;
	struct build_rule *rules;
	uint32_t *conditions;
	size_t section_count, section_capacity, declaration_count, declaration_capacity, method_count, method_capacity, entry_count, entry_capacity,
	       extra_count, extra_capacity, pair_count, pair_capacity, rule_count, rule_capacity,
	       condition_count, condition_capacity;
	bool is_empty;               /* a method stood before all classes: nothing counts */
};

/* Reads all of the mapping.  Release in any case. */
int  proguard_build(struct proguard_build *build, struct text mapping, size_t memory_bytes,
		    struct proguard_report *report, struct err *err) __attribute__((warn_unused_result));
void proguard_build_release(struct proguard_build *build);

#endif
