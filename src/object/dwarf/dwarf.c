/* dwarf.c -- see dwarf.h. */
#include "object/dwarf/internal.h"

#include <stdio.h>

/* What a unit's range lists may come to, all references counted: this and so much per byte. */
#define RANGE_ENTRIES_BASE     ((uint64_t)1 << 20)
#define RANGE_ENTRIES_PER_BYTE 16u
#define NAME_ARENA_BYTES       ((size_t)64 << 20)

int dwarf_open(struct dwarf **out, const struct dwarf_input *input, struct arena *arena,
	       struct err *err)
{
	struct dwarf *dwarf = arena_alloc(arena, 1, sizeof(*dwarf));

	if (!dwarf)
		return err_set(err, ERR_NO_MEMORY, "no room for DWARF");
	dwarf->input = *input;
	dwarf->lowest_code = input->lowest_code > input->load_address ? input->lowest_code
								      : input->load_address;
	dwarf->lowest_code -= dwarf->lowest_code > input->address_bias ? input->address_bias
								       : dwarf->lowest_code;
	if (book_open(&dwarf->main, &dwarf->input.main, input->wants_variables, arena, err) < 0 ||
	    book_open(&dwarf->alternate, &dwarf->input.alternate, input->wants_variables, arena,
		      err) < 0 ||
	    split_open(dwarf, arena, err) < 0)
		return err_while(err, "reading .debug_info");
	*out = dwarf;
	return 0;
}

size_t dwarf_unit_count(const struct dwarf *dwarf)
{
	return dwarf->main.count;
}

static int load_listed(struct reading *reading, size_t unit, struct err *err)
{
	const struct dwarf *dwarf = reading->dwarf;
	struct unit_head head = dwarf->main.heads[unit];

	if (head.broken && head_read(&head, &dwarf->input.main, head.offset, err) < 0)
		return -1;
	reading->unit = reading->line_unit = &reading->listed;
	return unit_load(&reading->listed, dwarf, &dwarf->main, &head, NULL, NULL,
			 reading->scratch, err);
}

/* The split unit takes the skeleton's place.  Without it the skeleton stands for itself:
 * some compilers leave the inlined calls in it. */
static int load_split(struct reading *reading, struct err *err)
{
	struct split split;
	int found = split_find(reading->dwarf, reading->listed.dwo_id, &split, err);

	if (found <= 0)
		return found;
	if (unit_load(&reading->split, reading->dwarf, split.book, &split.head,
		      &split.contribution, &reading->listed, reading->scratch, err) < 0)
		return err_while(err, "reading its split unit %016llx",
				 (unsigned long long)reading->listed.dwo_id);
	reading->unit = &reading->split;
	return 0;
}

static int read_loaded(struct reading *reading, struct err *err)
{
	const struct unit_head *head;

	if (reading->listed.is_discarded)
		return 0;
	if (load_split(reading, err) < 0 || names_prepare(reading, err) < 0)
		return -1;
	head = &reading->unit->head;
	reading->range_entries_left = RANGE_ENTRIES_BASE +
				      RANGE_ENTRIES_PER_BYTE * (head->end - head->offset);
	reading->variable_entries_left = reading->range_entries_left;
	if (walk_unit(reading, err) < 0 || gaps_emit(reading, err) < 0)
		return -1;
	return reading->ran_out ? no_room(err) : 0;
}

int dwarf_read_unit(const struct dwarf *dwarf, size_t unit, struct arena *scratch,
		    const struct object_sink *sink, struct err *err)
{
	struct arena_mark mark = arena_mark(scratch);
	struct reading *reading = arena_alloc(scratch, 1, sizeof(*reading));
	bool sink_stopped;
	int result;

	if (!reading)
		return no_room(err);
	reading->dwarf = dwarf;
	reading->scratch = scratch;
	reading->sink = sink;
	err_clear(err);
	result = load_listed(reading, unit, err);
	if (result == 0)
		result = read_loaded(reading, err);
	sink_stopped = reading->sink_stopped;
	arena_rewind(scratch, mark);
	if (result < 0 && !sink_stopped)
		return err_while(err, "reading .debug_info unit at %#llx",
				 (unsigned long long)dwarf->main.heads[unit].offset);
	return result;
}

void dwarf_unit_name(const struct dwarf *dwarf, size_t unit, char *out, size_t room)
{
	const struct unit_head *head = &dwarf->main.heads[unit];
	struct err ignored = ERR_INIT;
	struct arena arena;
	struct unit loaded;
	struct text name = TEXT_NONE;

	arena_init(&arena, NAME_ARENA_BYTES);
	if (!head->broken && unit_load(&loaded, dwarf, &dwarf->main, head, NULL, NULL, &arena,
				       &ignored) == 0)
		name = loaded.name;
	snprintf(out, room, "unit %zu at .debug_info+%#llx%s%.*s%s", unit,
		 (unsigned long long)head->offset, name.size ? " (" : "",
		 (int)(name.size > 4096 ? 4096 : name.size), name.size ? name.bytes : "",
		 name.size ? ")" : "");
	arena_release(&arena);
}

/* Fills *missing, and tells whether it is; -1: memory ran out. */
static int is_missing(const struct dwarf *dwarf, const struct unit_head *head,
		       struct arena *arena, struct dwarf_missing *missing)
{
	struct err ignored = ERR_INIT;
	struct split split;
	struct unit unit;

	if (head->broken || (head->encoding.version >= 5 && head->type != DW_UT_skeleton))
		return 0;
	if (unit_load(&unit, dwarf, &dwarf->main, head, NULL, NULL, arena, &ignored) < 0)
		return ignored.kind == ERR_LIMIT || ignored.kind == ERR_NO_MEMORY ? -1 : 0;
	if (!unit.dwo_id || split_find(dwarf, unit.dwo_id, &split, &ignored) != 0)
		return 0;
	*missing = (struct dwarf_missing){ unit.dwo_id, unit.comp_dir, TEXT_NONE };
	if (die_has(&unit.root, AT_DWO_NAME))
		missing->name = unit_text(&unit, unit.root.values[AT_DWO_NAME]);
	return 1;
}

int dwarf_each_missing(const struct dwarf *dwarf, dwarf_missing_fn *fn, void *payload)
{
	struct arena arena;
	int result = 0;

	if (!dwarf->input.main.section[DWARF_ADDR].size)
		return 0;                /* split units are nothing without it */
	arena_init(&arena, NAME_ARENA_BYTES);
	for (size_t i = 0; result == 0 && i < dwarf->main.count; i++) {
		struct arena_mark mark = arena_mark(&arena);
		struct dwarf_missing missing;

		result = is_missing(dwarf, &dwarf->main.heads[i], &arena, &missing);
		if (result > 0)
			result = fn(payload, &missing);
		arena_rewind(&arena, mark);
	}
	arena_release(&arena);
	return result;
}
