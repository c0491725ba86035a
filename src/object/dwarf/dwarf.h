/*
 * dwarf -- DWARF 2 to 5, for whatever container holds the sections.
 *
 * A container (ELF, Mach-O, PE, wasm) fills `struct dwarf_sections` and hands the unit
 * hooks of its vtable on to dwarf_unit_count() and dwarf_read_unit().
 * Units are independent; after dwarf_open() the struct is only read.
 *
 * May include: base, object.h.
 */
#ifndef OBJECT_DWARF_DWARF_H
#define OBJECT_DWARF_DWARF_H

#include "base/text.h"
#include "object/object.h"

enum dwarf_section {
	DWARF_INFO, DWARF_ABBREV, DWARF_LINE, DWARF_STR, DWARF_LINE_STR, DWARF_STR_OFFSETS,
	DWARF_ADDR, DWARF_RANGES, DWARF_RNGLISTS, DWARF_TYPES,
	DWARF_CU_INDEX,              /* of a .dwp */
	DWARF_SECTIONS
};

/* ".debug_info": the ELF name.  Mach-O cuts "__debug_str_offs" to 16 bytes. */
const char *dwarf_section_name(enum dwarf_section section);

struct dwarf_sections {
	struct text section[DWARF_SECTIONS];   /* unpacked bytes; TEXT_NONE: absent */
	bool big_endian;
};

/* A .debug_info that is had once, from its beginning to its end. */
struct dwarf_flow {
	uint64_t size;
	size_t before_bytes;         /* in front of each piece: the flow's, to write to */
	/* The next `size` bytes.  The piece before still stands, unless this one overwrites it. */
	int (*fill)(void *payload, uint8_t *out, size_t size, struct err *err);
	int (*finish)(void *payload, struct err *err);   /* all was had: is it right? */
	void *payload;
};

struct dwarf_input {
	struct dwarf_sections main;
	const struct dwarf_flow *flow;    /* main's .debug_info comes from here; or NULL */
	struct dwarf_sections split;      /* .dwo sections in the same file, or of a .dwp; may be empty */
	const struct dwarf_sections *split_files;   /* .dwo files, a few units each */
	size_t split_file_count;
	struct dwarf_sections alternate;  /* the dwz file's; may be empty */
	uint64_t load_address;
	uint64_t address_bias;            /* added to every address (wasm: code section offset) */
	uint32_t arch;
	bool relocatable;                 /* units at address 0 are real */
	bool wants_variables;             /* object.h */
	/* Name of the symbol at exactly this (unrelocated) address, TEXT_NONE when none.
	 * Called from any thread.  NULL: there is no symbol table. */
	struct text (*symbol_at)(const void *payload, uint64_t address);
	/* The widest stretch around this (unrelocated) address for which the symbol table has one
	 * answer: from a symbol to its end or the next one, or between symbols with name TEXT_NONE.
	 * Size > 0, the address inside.  NULL: only symbol_at is asked. */
	void (*symbol_around)(const void *payload, uint64_t address, struct object_symbol *piece);
	const void *payload;
	struct work_budget *work;     /* of the file; NULL: each unit has only its own allowance */
	uint64_t lowest_code;         /* (unrelocated) nothing below is code: linkers leave
	                               * discarded code there; 0: load_address is all we know,
	                               * unless has_code_at_zero */
	bool has_code_at_zero;        /* a linked file whose code begins at 0, as firmware does */
	/* Where the symbol at exactly this (unrelocated) address ends; 0: it has no size, or there
	 * is none.  NULL: nobody knows. */
	uint64_t (*symbol_end)(const void *payload, uint64_t address);
};

struct dwarf;

/* Reads unit headers only.  `arena` owns the result. */
int dwarf_open(struct dwarf **dwarf, const struct dwarf_input *input, struct arena *arena,
	       struct err *err) __attribute__((warn_unused_result));
size_t dwarf_unit_count(const struct dwarf *dwarf);
int dwarf_read_unit(const struct dwarf *dwarf, size_t unit, struct arena *scratch,
		    const struct object_sink *sink, struct err *err)
	__attribute__((warn_unused_result));
void dwarf_unit_name(const struct dwarf *dwarf, size_t unit, char *out, size_t capacity);

/* With a flow there are no numbered units: they are taken one by one, by any thread, and read by
 * the one that took them.  `own` is NULL before a thread's first; 1: taken, 0: there are no
 * more, -1: .debug_info cannot be had. */
struct stream_buffer;
int dwarf_take_unit(const struct dwarf *dwarf, struct stream_buffer **own, size_t *unit,
		    struct err *err) __attribute__((warn_unused_result));
int dwarf_read_taken(const struct dwarf *dwarf, struct stream_buffer *own, struct arena *scratch,
		     const struct object_sink *sink, struct err *err)
	__attribute__((warn_unused_result));
void dwarf_taken_name(const struct dwarf *dwarf, struct stream_buffer *own, char *out,
		      size_t capacity);
/* May the units be read so?  True when by its abbreviations no unit refers to another. */
bool dwarf_units_stand_alone(struct text abbreviations);
/* No more units are taken: frees their buffers; names given to sinks stay until dwarf_release().
 * Without a flow both do nothing. */
void dwarf_units_done(struct dwarf *dwarf);
void dwarf_release(struct dwarf *dwarf);         /* NULL is fine */

/* A split unit that a unit refers to and that no file given to dwarf_open() has. */
struct dwarf_missing {
	uint64_t id;
	struct text comp_dir, name;  /* of its .dwo file; borrowed from the sections */
};
/* Calls fn for each; stops with fn's answer when that is not 0.  -1: memory ran out. */
typedef int dwarf_missing_fn(void *payload, const struct dwarf_missing *missing);
int dwarf_each_missing(const struct dwarf *dwarf, dwarf_missing_fn *fn, void *payload);

#endif
