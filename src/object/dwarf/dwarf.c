/* dwarf.c -- see dwarf.h. */
#include "object/dwarf/dwarf_internal.h"

#define NAME_ARENA_BYTES       ((size_t)64 << 20)

static uint64_t bytes_of(const struct dwarf_sections *sections)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < DWARF_SECTIONS; i++)
		bytes += sections->section[i].size;
	return bytes;
}

static uint64_t all_bytes(const struct dwarf_input *input)
{
	uint64_t bytes = bytes_of(&input->main) + bytes_of(&input->split) +
			 bytes_of(&input->alternate) + (input->flow ? input->flow->size : 0);

	for (size_t i = 0; i < input->split_file_count; i++)
		bytes += bytes_of(&input->split_files[i]);
	return bytes;
}

static int open_info_sections(struct dwarf *dwarf, struct work_allowance *work, struct arena *arena,
		      struct err *err)
{
	const struct dwarf_input *input = &dwarf->input;

	if (info_section_open(&dwarf->main, &input->main, input->wants_variables, work, arena, err) < 0 ||
	    info_section_open(&dwarf->alternate, &input->alternate, input->wants_variables, work, arena,
		      err) < 0 ||
	    split_open(dwarf, work, arena, err) < 0 ||
	    (input->flow && stream_open(dwarf, all_bytes(input), arena, err) < 0))
		return -1;
	return line_share_open(&dwarf->line_share, dwarf->main.count, arena, err);
}

int dwarf_open(struct dwarf **out, const struct dwarf_input *input, struct arena *arena,
	       struct err *err)
{
	struct dwarf *dwarf = arena_alloc(arena, 1, sizeof(*dwarf));
	struct work_allowance work;
	int rc;

	if (!dwarf)
		return err_set(err, ERR_NO_MEMORY, "no room for DWARF");
	dwarf->input = *input;
	dwarf->lowest_code = input->lowest_code > input->load_address ? input->lowest_code
								      : input->load_address;
	dwarf->lowest_code -= dwarf->lowest_code > input->address_bias ? input->address_bias
								       : dwarf->lowest_code;
	work_allowance_begin(&work, input->work, all_bytes(input));
	rc = open_info_sections(dwarf, &work, arena, err);
	work_allowance_end(&work);
	if (rc < 0)
		return err_while(err, "reading .debug_info");
	*out = dwarf;
	return 0;
}

size_t dwarf_unit_count(const struct dwarf *dwarf)
{
	return dwarf->main.count;
}

int dwarf_read_unit(const struct dwarf *dwarf, size_t unit, struct arena *scratch,
		    const struct object_sink *sink, struct err *err)
{
	const struct unit_head *head = &dwarf->main.heads[unit];

	return unit_read(dwarf, &dwarf->main, head, head->offset, scratch, sink, err);
}

void dwarf_unit_name(const struct dwarf *dwarf, size_t unit, char *out, size_t capacity)
{
	const struct unit_head *head = &dwarf->main.heads[unit];

	unit_describe(dwarf, &dwarf->main, head, head->offset, unit, out, capacity);
}

/* Fills *missing, and tells whether it is; -1: memory ran out. */
static int is_missing(const struct dwarf *dwarf, const struct unit_head *head,
		      struct work_allowance *work, struct arena *arena, struct dwarf_missing *missing)
{
	struct err ignored = ERR_INIT;
	struct split split;
	struct unit unit;

	if (head->broken || (head->encoding.version >= 5 && head->type != DW_UT_skeleton))
		return 0;
	if (unit_load(&unit, dwarf, &dwarf->main, head, NULL, NULL, work, arena, &ignored) < 0)
		return ignored.kind == ERR_LIMIT || ignored.kind == ERR_NO_MEMORY ? -1 : 0;
	if (!unit.dwo_id || split_find(dwarf, unit.dwo_id, &split, work, &ignored) != 0)
		return 0;
	*missing = (struct dwarf_missing){ unit.dwo_id, unit.comp_dir, TEXT_NONE };
	if (die_has(&unit.root, AT_DWO_NAME))
		missing->name = unit_text(&unit, unit.root.values[AT_DWO_NAME]);
	return 1;
}

int dwarf_each_missing(const struct dwarf *dwarf, dwarf_missing_fn *fn, void *payload)
{
	struct arena arena;
	struct work_allowance work;
	int result = 0;

	if (!dwarf->input.main.section[DWARF_ADDR].size)
		return 0;                /* split units are nothing without it */
	work_allowance_begin(&work, dwarf->input.work, all_bytes(&dwarf->input));
	arena_init(&arena, NAME_ARENA_BYTES);
	for (size_t i = 0; result == 0 && i < dwarf->main.count; i++) {
		struct arena_mark mark = arena_mark(&arena);
		struct dwarf_missing missing;

		result = is_missing(dwarf, &dwarf->main.heads[i], &work, &arena, &missing);
		if (result > 0)
			result = fn(payload, &missing);
		arena_rewind(&arena, mark);
	}
	work_allowance_end(&work);
	arena_release(&arena);
	return result;
}
