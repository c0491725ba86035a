/*
 * dwarf_internal -- what the files of this component share.
 *
 * An `info_section` is one file's DWARF: the object's own, the split units', or the dwz alternate's.
 * A `unit_head` is what dwarf_open() reads of a unit; a `unit` is one that is loaded for
 * reading, in a reading thread's scratch arena.  Nothing reachable from struct dwarf
 * changes after dwarf_open(), so threads share it freely.
 *
 * Addresses come in two kinds: raw (as the file says) and relative (what object.h hands
 * out: bias added, load address taken off).  Rows of line tables and everything that
 * leaves the component are relative; whatever is read from attributes is raw until
 * address_relative() has moved it.
 */
#ifndef OBJECT_DWARF_DWARF_INTERNAL_H
#define OBJECT_DWARF_DWARF_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/reader.h"
#include "base/text.h"
#include "base/work_budget.h"
#include "object/dwarf/dwarf.h"
#include "object/dwarf/constants.h"

#define NO_OFFSET UINT64_MAX
#define NO_TABLE  UINT32_MAX

/* --- Growing arrays in an arena ------------------------------------------------------- */

struct pool {
	void *items;
	size_t count, capacity;
};

/* Room for `more` items past count; the new ones are not zeroed. */
int pool_grow(struct pool *pool, struct arena *arena, size_t more, size_t size, struct err *err)
	__attribute__((warn_unused_result));

static inline int pool_reserve(struct pool *pool, struct arena *arena, size_t more, size_t size,
			       struct err *err)
{
	if (__builtin_expect(pool->capacity - pool->count >= more, 1))
		return 0;
	return pool_grow(pool, arena, more, size, err);
}

int pool_no_capacity(struct err *err) __attribute__((cold));

/* --- Sections ------------------------------------------------------------------------- */

struct reader section_reader(const struct dwarf_sections *sections, enum dwarf_section which);
/* The NUL-ended string at that offset; TEXT_NONE when there is none, or it is absurdly long. */
struct text section_string(const struct dwarf_sections *sections, enum dwarf_section which,
			   uint64_t offset);

/* --- Forms and attributes ------------------------------------------------------------- */

struct encoding {
	uint8_t version, address_bytes, offset_bytes;
};

/* The attributes we look at; every other one is skipped unseen. */
enum attribute {
	AT_NAME, AT_LINKAGE_NAME, AT_LOW_PC, AT_HIGH_PC, AT_RANGES, AT_ORIGIN, AT_SPECIFICATION,
	AT_CALL_FILE, AT_CALL_LINE, AT_DECLARATION, AT_SIBLING, AT_TYPE,
	AT_STMT_LIST, AT_COMP_DIR, AT_LANGUAGE, AT_PRODUCER, AT_STR_OFFSETS_BASE, AT_ADDR_BASE,
	AT_RNGLISTS_BASE, AT_GNU_RANGES_BASE, AT_DWO_NAME, AT_DWO_ID,
	ATTRIBUTES,
	AT_NONE = 0xff
};

/* How many bytes a form takes. */
enum form_layout {
	FORM_ENCODING_BAD, FORM_ENCODING_FIXED, FORM_ENCODING_ULEB, FORM_ENCODING_SLEB, FORM_ENCODING_STRING, FORM_ENCODING_BLOCK, FORM_ENCODING_BLOCK_LEB,
	FORM_ENCODING_IMPLICIT, FORM_ENCODING_INDIRECT,
	/* only in the table of forms: */
	FORM_ENCODING_ADDRESS, FORM_ENCODING_OFFSET, FORM_ENCODING_REF_ADDRESS
};

/* What the number read from a form means. */
enum meaning {
	FORM_CLASS_NOTHING, FORM_CLASS_ADDRESS, FORM_CLASS_ADDRESS_INDEX, FORM_CLASS_CONSTANT, FORM_CLASS_STRING_HERE,
	FORM_CLASS_STRING, FORM_CLASS_LINE_STRING, FORM_CLASS_STRING_INDEX, FORM_CLASS_STRING_ALTERNATE,
	FORM_CLASS_UNIT_REFERENCE, FORM_CLASS_REFERENCE, FORM_CLASS_ALTERNATE_REFERENCE, FORM_CLASS_OFFSET,
	FORM_CLASS_RANGES_INDEX
};

/* One attribute of an abbreviation, or several that are skipped together. */
struct attr_spec {
	uint8_t shape, meaning, attribute;
	uint8_t : 8;
	uint32_t bytes;          /* FIXED: all of them; BLOCK: of the length */
	uint64_t constant;       /* IMPLICIT */
};

struct value {
	uint64_t number;
	uint8_t meaning;
};

struct die {
	uint64_t offset;
	uint32_t has;            /* bit per attribute; only those values are set */
	struct value values[ATTRIBUTES];
};

static inline bool die_has(const struct die *die, enum attribute attribute)
{
	return die->has >> attribute & 1;
}

/* False for an unknown form: its size is unknown, so the unit cannot be read. */
bool attr_spec_of_form(uint64_t form, struct encoding encoding, struct attr_spec *spec);
void attr_spec_skip_all(struct reader *reader, const struct attr_spec *specs, size_t count,
		struct encoding encoding);
void attr_spec_read_all(struct reader *reader, const struct attr_spec *specs, size_t count,
		struct encoding encoding, struct die *die);

/* --- Abbreviations -------------------------------------------------------------------- */

enum die_kind {
	DIE_PLAIN,               /* nothing of ours in it; children may have */
	DIE_LEAF,                /* nothing of ours in it or below */
	DIE_TYPE,                /* as PLAIN, but a producer may promise it is a LEAF */
	DIE_FUNCTION, DIE_INLINEE, DIE_UNIT,
	/* only where variables are wanted: */
	DIE_VARIABLE, DIE_BASE_TYPE, DIE_POINTER_TYPE
};

struct abbrev {
	uint64_t code;
	uint32_t first_attr_spec;
	uint16_t spec_count;
	uint8_t kind;            /* enum die_kind */
	bool children;
	bool is_fixed;           /* fixed_bytes is the size of every DIE made with it */
	bool declares;           /* has DW_AT_declaration */
	uint8_t sibling_bytes;   /* 0: no sibling reference at a fixed place */
	uint32_t sibling_at;
	uint32_t fixed_bytes;
};

struct abbrevs {
	const struct abbrev *items;
	const struct attr_spec *specs;
	size_t count;
	bool dense;              /* code n is item n-1; otherwise sorted by code */
};

struct info_section;
int abbrevs_read(struct abbrevs *abbrevs, const struct info_section *info_section, uint64_t offset,
		 struct encoding encoding, struct work_allowance *work, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
const struct abbrev *abbrevs_search(const struct abbrevs *abbrevs, uint64_t code);

static inline const struct attr_spec *abbrev_attr_specs(const struct abbrevs *abbrevs,
					      const struct abbrev *abbrev)
{
	return abbrev->spec_count ? abbrevs->specs + abbrev->first_attr_spec : NULL;
}

static inline const struct abbrev *abbrevs_find(const struct abbrevs *abbrevs, uint64_t code)
{
	if (__builtin_expect(abbrevs->dense, 1))
		return code - 1 < abbrevs->count ? &abbrevs->items[code - 1] : NULL;
	return abbrevs_search(abbrevs, code);
}

/* --- Units ---------------------------------------------------------------------------- */

struct unit_head {
	uint64_t offset;         /* of the header in .debug_info */
	uint64_t end;
	uint64_t first_die;
	uint64_t abbrev_offset;
	uint64_t dwo_id;         /* 0: none in the header */
	uint32_t shared;         /* index of a shared abbreviation table, or NO_TABLE */
	struct encoding encoding;
	uint8_t type;            /* DW_UT_*; compile for versions below 5 */
	bool broken;             /* the header cannot be read; head_read() says why */
};

struct info_section {
	const struct dwarf_sections *sections;
	bool wants_variables;
	struct unit_head *heads;         /* by offset */
	size_t count;
	const struct abbrevs *shared;
	size_t shared_count;
	struct copies *copies;           /* of a unit that goes: names in it are kept here */
};

struct copy;

/* Names that stood in a unit which goes, by their place in it. */
struct copies {
	struct arena *lasting, *scratch;
	struct copy *slots;              /* open addressing */
	size_t count, capacity;
	bool ran_out;                    /* one is missing for want of memory */
};

struct text copies_keep(struct copies *copies, struct text text, uint64_t offset);

/* Where a split unit's parts begin in the sections of a package; 0 elsewhere. */
struct contribution {
	uint64_t info, abbrev, str_offsets, rnglists;
};

struct dwarf {
	struct dwarf_input input;
	struct info_section main, alternate;
	struct info_section *splits;             /* of input.split, then of each .dwo file */
	struct split_entry *split_index; /* by dwo id; the units of all splits that are no package */
	size_t split_count;
	struct stream *stream;           /* units that come from a flow; or NULL */
	uint64_t lowest_code;            /* raw; nothing real lies below */
	struct line_share *line_share;
};

struct split_entry {
	uint64_t dwo_id;
	const struct info_section *info_section;
	const struct unit_head *head;
};

struct unit {
	const struct dwarf *dwarf;
	const struct info_section *info_section;
	struct unit_head head;
	struct contribution contribution;
	const struct abbrevs *abbrevs;
	struct abbrevs own_abbrevs;
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
	uint64_t low_pc, dwo_id, line_offset;    /* line_offset NO_OFFSET: none */
	struct text name, comp_dir;
	uint32_t language;
	struct die root;                 /* its attributes, for the unit's own ranges */
	bool is_split, ignores_symbols, types_hold_no_code, is_discarded;
	struct work_allowance *work;               /* of whoever reads it */
	struct unit *next;               /* in a reading's bucket */
};

/* Header of the unit at `offset`; the offset of the next one in head->end even for a header
 * that cannot be used. */
int head_read(struct unit_head *head, const struct dwarf_sections *sections, uint64_t offset,
	      struct err *err) __attribute__((warn_unused_result));
#define HEAD_STEPS    4u
#define PADDING_BYTES 4u                 /* of a length that is 0 */

/* Is it read by itself?  Type units are not: they have no code. */
bool head_is_listed(const struct unit_head *head);
bool head_same_table(const struct unit_head *a, const struct unit_head *b);
int info_section_open(struct info_section *info_section, const struct dwarf_sections *sections, bool wants_variables,
	      struct work_allowance *work, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
/* The unit whose DIEs hold that offset, or NULL. */
const struct unit_head *info_section_find(const struct info_section *info_section, uint64_t offset);

/* Abbreviations, root DIE and bases.  `skeleton`: the unit a split one belongs to. */
int unit_load(struct unit *unit, const struct dwarf *dwarf, const struct info_section *info_section,
	      const struct unit_head *head, const struct contribution *contribution,
	      const struct unit *skeleton, struct work_allowance *work, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
struct reader unit_reader(const struct unit *unit, uint64_t offset);
/* Reads the DIE at the reader's position; NULL: the null entry, or failed with err set. */
const struct abbrev *unit_read_die(const struct unit *unit, struct reader *reader,
				   struct die *die, struct err *err);

/* The NUL-ended string at that offset, charged for. */
struct text unit_string(const struct unit *unit, const struct dwarf_sections *sections,
			enum dwarf_section which, uint64_t offset);
struct text unit_text(const struct unit *unit, struct value value);
bool unit_address(const struct unit *unit, struct value value, uint64_t *address);

/* --- Split units ---------------------------------------------------------------------- */

int split_open(struct dwarf *dwarf, struct work_allowance *work, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
struct split {
	const struct info_section *info_section;
	struct unit_head head;
	struct contribution contribution;
};
/* The split unit with that id: 1 found, 0 not there, -1 wrong. */
int split_find(const struct dwarf *dwarf, uint64_t dwo_id, struct split *split, struct work_allowance *work,
	       struct err *err);

/* --- Units one by one ------------------------------------------------------------------ */

/* `bytes`: of all sections. */
int stream_open(struct dwarf *dwarf, uint64_t bytes, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
/* A unit of an info_section; `offset` is where messages say it stands. */
int unit_read(const struct dwarf *dwarf, const struct info_section *info_section, const struct unit_head *head,
	      uint64_t offset, struct arena *scratch, const struct object_sink *sink,
	      struct err *err) __attribute__((warn_unused_result));
void unit_describe(const struct dwarf *dwarf, const struct info_section *info_section,
		   const struct unit_head *head, uint64_t offset, size_t number, char *out,
		   size_t capacity);

/* --- Ranges --------------------------------------------------------------------------- */

struct span {
	uint64_t start, end;     /* start < end */
};

static inline uint64_t unit_address_max(const struct unit *unit)
{
	return UINT64_MAX >> (64 - 8 * unit->head.encoding.address_bytes);
}

/* Is this an address that linkers give to code they discarded: 0, -1 or -2, depending on the linker,
 * or one below all code? */
static inline bool address_is_dead(const struct unit *unit, uint64_t address)
{
	if (address >= unit_address_max(unit) - 1)
		return true;
	if (unit->dwarf->input.relocatable)
		return false;
	return address < unit->dwarf->lowest_code ||
	       (address == 0 && !unit->dwarf->input.has_code_at_zero);
}

/* Where code begins at 0, what ld and gold discarded lies over it.  A line sequence [0, end) is
 * such when `end` cuts a symbol in two, a function when it ends elsewhere than the symbol at 0. */
bool lines_at_zero_are_dead(const struct dwarf *dwarf, uint64_t end);
bool function_at_zero_is_dead(const struct dwarf *dwarf, uint64_t end);

static inline uint64_t address_relative(const struct dwarf *dwarf, uint64_t address)
{
	return address + dwarf->input.address_bias - dwarf->input.load_address;
}

struct unit_context;

/* Appends the DIE's live spans, relative, ascending, merged, to context->spans. */
int ranges_of(struct unit_context *context, const struct die *die, size_t *count, struct err *err)
	__attribute__((warn_unused_result));

/* --- Line tables ---------------------------------------------------------------------- */

struct sequence {
	uint64_t start, end;
	size_t first, count;     /* of rows */
};

struct lines {
	struct object_file_name *files;
	size_t file_count;
	struct object_line *rows;
	size_t row_count;
	struct sequence *sequences;      /* by end */
	size_t sequence_count;
	uint32_t first_file;             /* 1 before version 5: entry 0 is ours, not the file's */
	size_t hint;                     /* the sequence last found */
	struct pool copy;
};

int lines_read(struct lines *lines, const struct unit *unit, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* Tables that several units name, read for the second of them and kept for the others. */
struct line_share;
int line_share_open(struct line_share **share, size_t unit_count, struct arena *arena,
		    struct err *err) __attribute__((warn_unused_result));
/* As lines_read(), or what was kept. */
int line_share_read(struct line_share *share, struct lines *lines, const struct unit *unit,
		    struct arena *arena, struct err *err) __attribute__((warn_unused_result));

/* The lines inside the span; borrowed until the next call. */
int lines_of(struct lines *lines, struct span span, struct arena *arena,
	     const struct object_line **out, size_t *count, struct err *err)
	__attribute__((warn_unused_result));

struct line_header {
	struct encoding encoding;
	uint64_t end;
	uint8_t min_instruction_bytes, max_operations, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *opcode_lengths;   /* opcode_base - 1 of them */
	struct pool directories;         /* struct text */
	struct pool files;               /* struct object_file_name */
};

/* Leaves the reader at the first opcode. */
int line_header_read(struct line_header *header, struct reader *reader, const struct unit *unit,
		     struct arena *arena, struct err *err) __attribute__((warn_unused_result));
int line_header_add_file(struct line_header *header, const struct unit *unit, struct text name,
			 uint64_t directory, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* --- Reading one unit ----------------------------------------------------------------- */

struct inlinee {
	uint32_t parent;         /* index in the function, or OBJECT_NO_PARENT */
	uint32_t depth;
	uint32_t call_file, call_line;
	uint64_t origin;         /* a DIE reference */
	size_t first_span, span_count;
};

struct name_slot;

struct unit_context {
	const struct dwarf *dwarf;
	struct unit listed, split;       /* the unit asked for, and the one it stands for */
	const struct unit *unit;         /* whose DIEs are walked: one of these two */
	const struct unit *line_unit;    /* whose lines are used: listed */
	struct arena *scratch;
	const struct object_sink *sink;
	bool has_lines;
	struct lines lines;
	struct name_slot *names;         /* remembered origins */
	size_t name_mask;
	struct unit *units[64];          /* other units met, by bucket */
	struct pool spans;               /* struct span, of the functions being built */
	struct pool inlinees;            /* struct inlinee */
	struct pool fixed;               /* struct span, after nesting was repaired */
	struct pool order;               /* struct sort_item */
	struct pool ranges;              /* struct object_range, given to the sink */
	struct pool given;               /* struct object_inlinee, given to the sink */
	struct pool renumbered;          /* uint32_t */
	struct span *seen;               /* open addressing: functions handed out */
	size_t seen_count, seen_capacity;
	struct work_allowance work;                /* against what is referred to again and again */
	bool sink_stopped;               /* err is the sink's */
	bool ran_out;                    /* a name may be missing for want of memory */
};

struct named {
	struct text name;
	struct text variables;           /* object.h; when they are wanted */
	uint32_t language;
};

/* A DIE reference, called `place`: the offset in the .debug_info of the unit being read, or of the
 * alternate, which DIE_REF_ALTERNATE marks. */
#define DIE_REF_ALTERNATE ((uint64_t)1 << 63)
#define DIE_REF_NONE      UINT64_MAX

/* The DIE that has this one's name: its origin where it has none itself. */
uint64_t name_die_ref(const struct unit *unit, const struct die *die);
/* The DIE's linkage name, name, or its origin's.  What cannot be followed gives TEXT_NONE. */
struct named name_at(struct unit_context *context, uint64_t place);
/* The DIE reference that an attribute of `unit` means, as seen from the unit being read. */
uint64_t die_ref_from(const struct unit_context *context, const struct unit *unit, struct value value);
/* Where the DIE's origin or specification is, or DIE_REF_NONE. */
uint64_t die_ref_origin(const struct unit_context *context, const struct unit *unit,
		      const struct die *die);
/* Reads the DIE at the place; NULL when it cannot be followed.  The reader is left behind it. */
const struct abbrev *die_ref_read(struct unit_context *context, uint64_t place,
				const struct unit **unit, struct reader *reader, struct die *die);

/* The variables of the function DIE the reader is behind, in scratch memory.  What cannot be
 * followed is left out. */
struct text variables_below(struct unit_context *context, const struct unit *unit,
			    struct reader reader);

int name_prepare(struct unit_context *context, struct err *err) __attribute__((warn_unused_result));

int walk_unit(struct unit_context *context, struct err *err) __attribute__((warn_unused_result));

/* A function whose DIE is open: its spans and inlinees are the last ones of their pools. */
struct pending {
	uint64_t place;          /* of its name */
	size_t first_span, span_count;
	size_t first_inlinee;
};

int function_begin(struct unit_context *context, const struct die *die, struct pending *pending,
		   bool *is_live, struct err *err) __attribute__((warn_unused_result));
/* *inlinee, its parent's index, becomes its own; or stays when it has no code. */
int function_add_inlinee(struct unit_context *context, const struct pending *pending,
			 const struct die *die, uint32_t *inlinee, struct err *err)
	__attribute__((warn_unused_result));
int function_finish(struct unit_context *context, const struct pending *pending, struct err *err)
	__attribute__((warn_unused_result));
int unit_context_lines(struct unit_context *context, struct err *err) __attribute__((warn_unused_result));
/* The name the symbol table has for a function starting at this relative address. */
struct text function_symbol(const struct unit_context *context, uint64_t address);
int function_give(struct unit_context *context, const struct object_function *function,
		  struct err *err) __attribute__((warn_unused_result));

/* Clips inlinees to their parents and siblings to each other: inlinees' spans then lie in
 * context->fixed, some of them empty. */
int nest_repair(struct unit_context *context, const struct pending *pending, struct err *err)
	__attribute__((warn_unused_result));

/* Line rows that no function covered, as functions of their own. */
int gap_emit(struct unit_context *context, struct err *err) __attribute__((warn_unused_result));

/* --- Sorting -------------------------------------------------------------------------- */

struct sort_item {
	uint64_t key;
	size_t index;
};

/* Stable, in the time of the disorder found; `spare` has room for `count` too. */
void sort_items(struct sort_item *items, struct sort_item *spare, size_t count);

#endif
