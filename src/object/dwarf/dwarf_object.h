/*
 * dwarf_object -- the hooks of an object format whose units are DWARF: ELF, Mach-O, PE, wasm.
 *
 * A format's prepare() fills a dwarf_input and calls dwarf_object_open(); its vtable names the
 * functions below, or functions of its own that call them.
 */
#ifndef OBJECT_DWARF_DWARF_OBJECT_H
#define OBJECT_DWARF_DWARF_OBJECT_H

#include "object/dwarf/dwarf.h"
#include "object/symbols.h"

/* A container's symbol table, as DWARF asks for it. */
struct dwarf_symbols {
	const struct symbols *symbols;
	uint64_t base;               /* DWARF's address of the symbol table's address 0 */
	bool has_ends;               /* a symbol's size is where its code ends */
	struct text (*name)(const void *payload, const struct symbol_record *record);
	const void *payload;
};

/* Makes the input ask this table, which outlives what is opened from it.  An empty one is not
 * asked. */
void dwarf_input_set_symbols(struct dwarf_input *input, const struct dwarf_symbols *symbols);

/* Fills the input's architecture, budget and wants from the object and opens it in the object's
 * arena: as object->dwarf, which the hooks use, or as another one. */
int dwarf_object_open(const struct object *object, struct dwarf_input *input, struct dwarf **dwarf,
		      struct err *err) __attribute__((warn_unused_result));

/* Hooks of struct object_format (object.h), of an object that was prepared; one without DWARF has
 * no units. */
size_t dwarf_object_unit_count(const struct object *object);
int dwarf_object_read_unit(const struct object *object, size_t unit, struct arena *scratch,
			   const struct object_sink *sink, struct err *err);
void dwarf_object_unit_name(const struct object *object, size_t unit, char *out, size_t capacity);
int dwarf_object_take_unit(const struct object *object, struct object_taken *taken,
			   struct err *err);
int dwarf_object_read_taken(const struct object *object, const struct object_taken *taken,
			    struct arena *scratch, const struct object_sink *sink, struct err *err);
void dwarf_object_taken_name(const struct object *object, const struct object_taken *taken,
			     char *out, size_t capacity);
void dwarf_object_units_done(struct object *object);

#endif
