/*
 * split.c -- split units: found by their id, in a package, among .dwo sections or in .dwo files.
 *
 * A package's index is an open-addressed table of ids beside a table of where each unit's
 * part of every section begins (DWARF5 §7.3.5.3, and version 2 of the GNU extension).
 */
#include "object/dwarf/dwarf_internal.h"

#include "base/search.h"

#define TRY_STEPS 4u                 /* of work, for a slot looked at */

struct package {
	uint32_t version, columns, units, slots;
	uint64_t ids, rows, sections, offsets, sizes;    /* places in .debug_cu_index */
};

static bool is_package(const struct dwarf *dwarf)
{
	return dwarf->input.split.section[DWARF_CU_INDEX].size != 0;
}

static int package_read(struct package *package, struct reader *reader, struct err *err)
{
	uint64_t end;

	package->version = reader_u32(reader);
	if (package->version >> 16)      /* version 5: 16 bits and padding, big-endian */
		package->version >>= 16;
	package->columns = reader_u32(reader);
	package->units = reader_u32(reader);
	package->slots = reader_u32(reader);
	if (reader_check(reader, err) < 0)
		return -1;
	if (package->version != 2 && package->version != 5)
		return err_set(err, ERR_UNSUPPORTED, ".debug_cu_index version %u",
			       package->version);
	package->ids = reader->pos;
	package->rows = package->ids + 8 * (uint64_t)package->slots;
	package->sections = package->rows + 4 * (uint64_t)package->slots;
	package->offsets = package->sections + 4 * (uint64_t)package->columns;
	package->sizes = package->offsets + 4 * (uint64_t)package->columns * package->units;
	end = package->sizes + 4 * (uint64_t)package->columns * package->units;
	if (package->columns > 64 || end > reader->size || package->slots & (package->slots - 1))
		return err_set(err, ERR_MALFORMED,
			       ".debug_cu_index of %u x %u entries in %u slots is %zu bytes long",
			       package->columns, package->units, package->slots, reader->size);
	return 0;
}

static uint64_t number_at(const struct reader *reader, uint64_t place, unsigned bytes)
{
	struct reader window = reader_window(reader, reader->name, place, bytes);

	return reader_unsigned(&window, bytes);
}

/* The 1-based row of the id; 0: it is not there. */
static uint32_t package_row(const struct package *package, const struct reader *reader,
			    uint64_t dwo_id, struct work_allowance *work)
{
	uint32_t mask = package->slots - 1;
	uint32_t slot = (uint32_t)dwo_id & mask;
	uint32_t spec = ((uint32_t)(dwo_id >> 32) & mask) | 1;

	for (uint32_t tries = 0; tries < package->slots && work_spend(work, TRY_STEPS); tries++) {
		uint32_t row = (uint32_t)number_at(reader, package->rows + 4ull * slot, 4);

		if (!row)
			return 0;
		if (number_at(reader, package->ids + 8ull * slot, 8) == dwo_id)
			return row <= package->units ? row : 0;
		slot = (slot + spec) & mask;
	}
	return 0;
}

static void package_places(const struct package *package, const struct reader *reader,
			   uint32_t row, struct contribution *contribution)
{
	uint64_t places = package->offsets + 4ull * (row - 1) * package->columns;

	*contribution = (struct contribution){ 0 };
	for (uint32_t i = 0; i < package->columns; i++) {
		uint64_t place = number_at(reader, places + 4ull * i, 4);

		switch (number_at(reader, package->sections + 4ull * i, 4)) {
		case DW_SECT_INFO:
			contribution->info = place;
			break;
		case DW_SECT_ABBREV:
			contribution->abbrev = place;
			break;
		case DW_SECT_STR_OFFSETS:
			contribution->str_offsets = place;
			break;
		case DW_SECT_RNGLISTS:   /* in version 2 the number of macro sections */
			if (package->version == 5)
				contribution->rnglists = place;
			break;
		default:
			break;
		}
	}
}

static int package_find(const struct dwarf *dwarf, uint64_t dwo_id, struct split *split,
			struct work_allowance *work, struct err *err)
{
	struct reader reader = section_reader(&dwarf->input.split, DWARF_CU_INDEX);
	struct package package = { 0 };
	uint32_t row;

	if (package_read(&package, &reader, err) < 0)
		return -1;
	row = package.slots ? package_row(&package, &reader, dwo_id, work) : 0;
	if (!row)
		return 0;
	split->info_section = &dwarf->splits[0];
	package_places(&package, &reader, row, &split->contribution);
	if (head_read(&split->head, &dwarf->input.split, split->contribution.info, err) < 0)
		return err_while(err, "reading .debug_info.dwo unit at %#llx",
				 (unsigned long long)split->contribution.info);
	return 1;
}

/* --- Units that stand in no package --------------------------------------------------------- */

/* The id stands in the header since version 5, in the root DIE before.  A unit that cannot
 * be read has none; -1 only when memory ran out. */
static int dwo_id_of(const struct dwarf *dwarf, const struct info_section *info_section,
		     const struct unit_head *head, struct work_allowance *work, struct arena *arena,
		     uint64_t *dwo_id)
{
	struct arena_mark mark = arena_mark(arena);
	struct err ignored = ERR_INIT;
	struct unit unit;
	int result;

	*dwo_id = head->broken ? 0 : head->dwo_id;
	if (head->broken || head->encoding.version >= 5)
		return 0;
	result = unit_load(&unit, dwarf, info_section, head, NULL, NULL, work, arena, &ignored);
	if (result == 0)
		*dwo_id = unit.dwo_id;
	arena_rewind(arena, mark);
	return result < 0 && ignored.kind == ERR_LIMIT ? -1 : 0;
}

/* Units of all info sections, in their order: of two with one id the first is found. */
static int fill_index(struct dwarf *dwarf, size_t info_section_count, struct work_allowance *work,
		      struct arena *arena, struct err *err)
{
	struct sort_item *order = arena_alloc_raw(arena, dwarf->split_count, 2 * sizeof(*order));
	struct split_entry *units = arena_alloc_raw(arena, dwarf->split_count, sizeof(*units));
	size_t count = 0;

	dwarf->split_index = arena_alloc_raw(arena, dwarf->split_count, sizeof(*units));
	if (!order || !units || !dwarf->split_index)
		return pool_no_capacity(err);
	for (size_t i = 0; i < info_section_count; i++) {
		const struct info_section *info_section = &dwarf->splits[i];

		for (size_t j = 0; j < info_section->count; j++, count++) {
			units[count] = (struct split_entry){ 0, info_section, &info_section->heads[j] };
			if (dwo_id_of(dwarf, info_section, &info_section->heads[j], work, arena,
				      &units[count].dwo_id) < 0)
				return work->is_over ? work_allowance_refuse(work, err) : pool_no_capacity(err);
			order[count] = (struct sort_item){ .key = units[count].dwo_id, .index = count };
		}
	}
	sort_items(order, order + count, count);
	for (size_t i = 0; i < count; i++)
		dwarf->split_index[i] = units[order[i].index];
	return 0;
}

int split_open(struct dwarf *dwarf, struct work_allowance *work, struct arena *arena, struct err *err)
{
	const struct dwarf_input *input = &dwarf->input;
	size_t info_section_count = 1 + input->split_file_count;

	dwarf->splits = arena_alloc(arena, info_section_count, sizeof(*dwarf->splits));
	if (!dwarf->splits)
		return pool_no_capacity(err);
	for (size_t i = 0; i < info_section_count; i++) {
		const struct dwarf_sections *sections = i ? &input->split_files[i - 1] : &input->split;

		dwarf->splits[i].sections = sections;
		if ((i == 0 && is_package(dwarf)) || !sections->section[DWARF_INFO].size)
			continue;
		if (info_section_open(&dwarf->splits[i], sections, input->wants_variables, work, arena,
			      err) < 0)
			return -1;
		dwarf->split_count += dwarf->splits[i].count;
	}
	return dwarf->split_count ? fill_index(dwarf, info_section_count, work, arena, err) : 0;
}

int split_find(const struct dwarf *dwarf, uint64_t dwo_id, struct split *split, struct work_allowance *work,
	       struct err *err)
{
	size_t at;

	*split = (struct split){ .info_section = NULL };
	if (!dwo_id)
		return 0;
	if (is_package(dwarf)) {
		int found = package_find(dwarf, dwo_id, split, work, err);

		if (found)
			return found;
	}
	SEARCH_PARTITION_POINT(at, 0, dwarf->split_count,
			       dwarf->split_index[at].dwo_id < dwo_id);
	if (at == dwarf->split_count || dwarf->split_index[at].dwo_id != dwo_id)
		return 0;
	split->info_section = dwarf->split_index[at].info_section;
	split->head = *dwarf->split_index[at].head;
	return 1;
}
