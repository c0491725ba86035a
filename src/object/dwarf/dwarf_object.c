/* dwarf_object.c -- see dwarf_object.h. */
#include "object/dwarf/dwarf_object.h"

/* --- Symbols ------------------------------------------------------------------------- */

static struct text name_of(const struct dwarf_symbols *table, const struct symbol_record *record)
{
	return record ? table->name(table->payload, record) : TEXT_NONE;
}

static struct text symbol_at(const void *payload, uint64_t address)
{
	const struct dwarf_symbols *table = payload;

	return address < table->base
	     ? TEXT_NONE : name_of(table, symbols_at(table->symbols, address - table->base));
}

static uint64_t symbol_end(const void *payload, uint64_t address)
{
	const struct dwarf_symbols *table = payload;
	const struct symbol_record *record = symbols_at(table->symbols, address - table->base);

	return record && record->size ? address + record->size : 0;
}

static void symbol_around(const void *payload, uint64_t address, struct object_symbol *piece)
{
	const struct dwarf_symbols *table = payload;
	uint64_t start, end;
	const struct symbol_record *record =
		symbols_around(table->symbols, address - table->base, &start, &end);

	*piece = (struct object_symbol){ .address = start + table->base, .size = end - start,
					 .name = name_of(table, record) };
}

void dwarf_input_set_symbols(struct dwarf_input *input, const struct dwarf_symbols *symbols)
{
	if (symbols->symbols->count == 0)
		return;
	input->symbol_at = symbol_at;
	input->symbol_around = symbol_around;
	input->symbol_end = symbols->has_ends ? symbol_end : NULL;
	input->payload = symbols;
}

/* --- Hooks --------------------------------------------------------------------------- */

int dwarf_object_open(const struct object *object, struct dwarf_input *input, struct dwarf **dwarf,
		      struct err *err)
{
	input->arch = object->arch;
	input->wants_variables = object->wants_variables;
	input->work = object->work;
	return dwarf_open(dwarf, input, object->arena, err);
}

size_t dwarf_object_unit_count(const struct object *object)
{
	return object->dwarf ? dwarf_unit_count(object->dwarf) : 0;
}

int dwarf_object_read_unit(const struct object *object, size_t unit, struct arena *scratch,
			   const struct object_sink *sink, struct err *err)
{
	return dwarf_read_unit(object->dwarf, unit, scratch, sink, err);
}

void dwarf_object_unit_name(const struct object *object, size_t unit, char *out, size_t capacity)
{
	dwarf_unit_name(object->dwarf, unit, out, capacity);
}

int dwarf_object_take_unit(const struct object *object, struct object_taken *taken,
			   struct err *err)
{
	struct stream_buffer *own = taken->state;
	int rc = dwarf_take_unit(object->dwarf, &own, &taken->unit, err);

	taken->state = own;
	return rc;
}

int dwarf_object_read_taken(const struct object *object, const struct object_taken *taken,
			    struct arena *scratch, const struct object_sink *sink, struct err *err)
{
	return dwarf_read_taken(object->dwarf, taken->state, scratch, sink, err);
}

void dwarf_object_taken_name(const struct object *object, const struct object_taken *taken,
			     char *out, size_t capacity)
{
	dwarf_taken_name(object->dwarf, taken->state, out, capacity);
}

void dwarf_object_units_done(struct object *object)
{
	if (object->dwarf)
		dwarf_units_done(object->dwarf);
}
