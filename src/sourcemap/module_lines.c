/* module_lines.c -- where the modules of a RAM bundle begin in the map's numbering of lines. */
#include "sourcemap/sourcemap_internal.h"

bool sourcemap_modules(struct text map, struct text *table)
{
	ptrdiff_t junk = map_json_junk_size(map);
	struct json_reader json = map_json_at(map, junk > 0 ? (size_t)junk : 0);
	struct json_string name;

	*table = TEXT_NONE;
	if (junk < 0 || !json_reader_object(&json))
		return false;
	while (json_reader_member(&json, &name)) {
		if (json_string_is(&name, "x_facebook_offsets") && json_reader_peek(&json) == '[')
			*table = text_from(map, json.pos);
		json_reader_skip(&json);
	}
	if (json.missing)
		*table = TEXT_NONE;
	return table->bytes != NULL;
}

bool sourcemap_module_line(struct text table, uint32_t id, uint32_t *line)
{
	struct json_reader json = map_json_at(table, 0);

	if (!json_reader_array(&json))
		return false;
	for (uint32_t i = 0; json_reader_element(&json); i++) {
		if (i == id)
			return json_reader_u32(&json, line);
		json_reader_skip(&json);
	}
	return false;
}
