/* sourcemap_operations.c -- what cells do with source maps for the command line: see cli_cells.h. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "cli/cli_cells.h"
#include "convert/convert.h"
#include "jsfile/rambundle.h"
#include "sourcemap/sourcemap.h"

#define FLUSH_BYTES  ((size_t)1 << 20)
#define CONTEXT_MAX  1000u
#define PROBLEMS_MAX 1000u           /* told one by one; the rest is counted */
#define MODULE_NAME_BYTES 24u        /* "4294967295.js" */
#define MODULE_END ".js:"
#define LINE_SHOWN   ((size_t)300)   /* bytes of a line of context */

struct sourcemap_listing {
	struct cell *cell;
	struct text map, minified;
	struct buf out;
	struct json_writer json;
	bool as_json;
	uint32_t context;
	unsigned errors, remarks;
	struct text places;
	struct text modules;         /* of a map of a RAM bundle: where they begin */
};

static int flush(struct sourcemap_listing *listing, size_t most, struct err *err)
{
	if (buf_check(&listing->out, err) < 0)
		return -1;
	if (listing->out.size <= most)
		return 0;
	if (file_write_all(cell_output(listing->cell, "text"), listing->out.bytes, listing->out.size,
			   err) < 0)
		return -1;
	buf_clear(&listing->out);
	return 0;
}

/* --- check -------------------------------------------------------------------------------- */

static void take_problem(void *payload, const struct sourcemap_problem *problem)
{
	struct sourcemap_listing *listing = payload;

	*(problem->is_error ? &listing->errors : &listing->remarks) += 1;
	if (listing->errors + listing->remarks > PROBLEMS_MAX)
		return;
	if (listing->as_json) {
		json_object(&listing->json);
		json_member_string(&listing->json, "severity", problem->is_error ? "error" : "remark");
		json_member_u64(&listing->json, "byte", problem->at);
		json_member_string(&listing->json, "text", problem->words);
		json_object_end(&listing->json);
		return;
	}
	buf_printf(&listing->out, "%s: ", problem->is_error ? "error" : "remark");
	buf_add_visible(&listing->out, text_of(problem->words));
	if (problem->at)
		buf_printf(&listing->out, ", at byte %zu", problem->at);
	buf_add_char(&listing->out, '\n');
}

static int check(struct sourcemap_listing *listing, struct err *err)
{
	bool is_read;

	if (listing->as_json) {
		json_object(&listing->json);
		json_key(&listing->json, "problems");
		json_array(&listing->json);
	}
	is_read = sourcemap_check(listing->map, listing->minified, listing->cell->memory_bytes,
				  take_problem, listing, err) == 0;
	if (!is_read && err->kind != ERR_MALFORMED)
		return -1;
	if (listing->as_json) {
		json_array_end(&listing->json);
		json_member_u64(&listing->json, "errors", listing->errors);
		json_member_u64(&listing->json, "remarks", listing->remarks);
		json_member_bool(&listing->json, "readable", is_read);
		json_object_end(&listing->json);
		buf_add_char(&listing->out, '\n');
	} else {
		buf_printf(&listing->out, "%u errors, %u remarks%s\n", listing->errors, listing->remarks,
			   is_read ? "" : "; it cannot be read");
	}
	if (listing->errors)
		buf_add_string(listing->cell->reply, "invalid");
	return 0;
}

/* --- dump --------------------------------------------------------------------------------- */

/* As people count: from 1, and a number that wrapped stays one. */
static uint64_t from_one(uint32_t number)
{
	return (uint64_t)number + 1;
}

static int take_mapping(void *payload, const struct sourcemap_mapping *mapping, struct err *err)
{
	struct sourcemap_listing *listing = payload;
	struct buf *out = &listing->out;

	if (listing->as_json) {
		struct json_writer *json = &listing->json;

		json_object(json);
		json_member_u64(json, "line", from_one(mapping->line));
		json_member_u64(json, "column", from_one(mapping->column));
		if (mapping->has_source) {
			json_member_text(json, "source", mapping->source);
			json_member_u64(json, "original_line", from_one(mapping->original_line));
			json_member_u64(json, "original_column", from_one(mapping->original_column));
		}
		json_member_text(json, "name", mapping->name);
		if (mapping->is_range)
			json_member_bool(json, "range", true);
		json_object_end(json);
		return flush(listing, FLUSH_BYTES, err);
	}
	buf_printf(out, "%llu:%llu", (unsigned long long)from_one(mapping->line),
		   (unsigned long long)from_one(mapping->column));
	if (mapping->has_source) {
		buf_add_char(out, ' ');
		buf_add_visible(out, mapping->source);
		buf_printf(out, ":%llu:%llu", (unsigned long long)from_one(mapping->original_line),
			   (unsigned long long)from_one(mapping->original_column));
	}
	if (mapping->name.bytes) {
		buf_add_char(out, ' ');
		buf_add_visible(out, mapping->name);
	}
	buf_add_string(out, mapping->is_range ? " (range)\n" : "\n");
	return flush(listing, FLUSH_BYTES, err);
}

static void show_module(struct sourcemap_listing *listing, const struct rambundle *bundle, const char *name,
			struct text code)
{
	unsigned long long at = (unsigned long long)(code.bytes - bundle->bytes.bytes), size = code.size;

	if (!listing->as_json) {
		buf_printf(&listing->out, "%s: %llu bytes at %llu\n", name, size, at);
		return;
	}
	json_object(&listing->json);
	json_member_string(&listing->json, "name", name);
	json_member_u64(&listing->json, "offset", at);
	json_member_u64(&listing->json, "size", size);
	json_object_end(&listing->json);
}

static int list_modules(struct sourcemap_listing *listing, struct err *err)
{
	struct rambundle bundle;
	struct text code;
	char name[MODULE_NAME_BYTES];

	if (rambundle_open(&bundle, listing->map, err) < 0)
		return -1;
	show_module(listing, &bundle, "startup", bundle.startup);
	for (uint32_t id = 0; id < bundle.module_count; id++) {
		int rc = rambundle_module(&bundle, id, &code, err);

		if (rc < 0)
			return err_while(err, "module %lu", (unsigned long)id);
		snprintf(name, sizeof(name), "%lu.js", (unsigned long)id);
		if (rc > 0)
			show_module(listing, &bundle, name, code);
		if (flush(listing, FLUSH_BYTES, err) < 0)
			return -1;
	}
	return 0;
}

static int dump(struct sourcemap_listing *listing, struct err *err)
{
	int rc;

	if (listing->as_json)
		json_array(&listing->json);
	rc = rambundle_probe(listing->map) ? list_modules(listing, err)
	     : sourcemap_each(listing->map, listing->cell->memory_bytes, take_mapping, listing, err);
	if (listing->as_json) {
		json_array_end(&listing->json);
		buf_add_char(&listing->out, '\n');
	}
	return rc;
}

/* --- lookup ------------------------------------------------------------------------------- */

static struct text scope_text(const struct sourcemap_place *place)
{
	if (place->scope_kind == SOURCEMAP_SCOPE_NAMED)
		return place->scope;
	return place->scope_kind == SOURCEMAP_SCOPE_ANONYMOUS ? TEXT("<anonymous>") : TEXT_NONE;
}

static uint32_t first_of_context(const struct sourcemap_listing *listing, uint32_t line)
{
	return line > listing->context ? line - listing->context : 0;
}

static void show_context(struct sourcemap_listing *listing, const struct sourcemap_source *source,
			 uint32_t at)
{
	struct text line;

	for (uint32_t i = first_of_context(listing, at);
	     i <= (uint64_t)at + listing->context && sourcemap_line(source, i, &line); i++) {
		buf_printf(&listing->out, "%c %6u  ", i == at ? '>' : ' ', (unsigned)i + 1);
		if (line.size > LINE_SHOWN)
			line.size = LINE_SHOWN;
		buf_add_visible(&listing->out, line);
		buf_add_char(&listing->out, '\n');
	}
}

static void context_as_json(struct sourcemap_listing *listing, const struct sourcemap_source *source,
			    uint32_t at)
{
	struct json_writer *json = &listing->json;
	struct text line;

	json_member_u64(json, "context_line", from_one(first_of_context(listing, at)));
	json_key(json, "context");
	json_array(json);
	for (uint32_t i = first_of_context(listing, at);
	     i <= (uint64_t)at + listing->context && sourcemap_line(source, i, &line); i++)
		json_text(json, line);
	json_array_end(json);
}

static void show_place(struct sourcemap_listing *listing, const struct sourcemap_place *place)
{
	struct text scope = scope_text(place);
	struct buf *out = &listing->out;

	buf_add_char(out, ' ');
	if (scope.bytes) {
		buf_add_visible(out, scope);
		buf_add_string(out, " at ");
	}
	buf_add_visible(out, place->file_name);
	buf_printf(out, ":%llu:%llu", (unsigned long long)from_one(place->line),
		   (unsigned long long)from_one(place->column));
	if (place->name.bytes) {
		buf_add_string(out, " (");
		buf_add_visible(out, place->name);
		buf_add_char(out, ')');
	}
	buf_add_char(out, '\n');
}

static void place_as_json(struct sourcemap_listing *listing, const struct sourcemap_place *place)
{
	struct json_writer *json = &listing->json;

	json_member_text(json, "file", place->file_name);
	json_member_u64(json, "original_line", from_one(place->line));
	json_member_u64(json, "original_column", from_one(place->column));
	json_member_text(json, "name", place->name);
	json_member_text(json, "function", scope_text(place));
}

/* A place that is asked for: LINE:COLUMN, both from 1, behind the name of a module of a RAM bundle where it
 * counts in that: "12.js:1:3". */
struct asked_place {
	uint32_t line, column;
	bool has_module;
	uint32_t module;
	struct text name;            /* of the module, with the colon; else empty */
};

/* Where it is in the map; false: the map knows no such module. */
static bool find_line(const struct sourcemap_listing *listing, const struct asked_place *asked, uint32_t *line)
{
	uint32_t first = 0;

	if (asked->has_module && !sourcemap_module_line(listing->modules, asked->module, &first))
		return false;
	*line = first + (asked->line - 1);
	return *line >= first;
}

static void look_up(struct sourcemap_listing *listing, const struct sourcemap *map,
		    const struct asked_place *asked)
{
	struct sourcemap_source source;
	struct sourcemap_place place;
	uint32_t line;
	bool is_found = find_line(listing, asked, &line) &&
			sourcemap_lookup(map, line, asked->column - 1, &place);
	bool has_context = is_found && listing->context &&
			   sourcemap_source(map, place.file, &source) && source.has_contents;

	if (listing->as_json) {
		json_object(&listing->json);
		if (asked->has_module)
			json_member_u64(&listing->json, "module", asked->module);
		json_member_u64(&listing->json, "line", asked->line);
		json_member_u64(&listing->json, "column", asked->column);
		if (is_found)
			place_as_json(listing, &place);
		if (has_context)
			context_as_json(listing, &source, place.line);
		json_object_end(&listing->json);
		return;
	}
	buf_add_text(&listing->out, asked->name);
	buf_printf(&listing->out, "%u:%u", (unsigned)asked->line, (unsigned)asked->column);
	if (!is_found)
		buf_add_string(&listing->out, " ?\n");
	else
		show_place(listing, &place);
	if (has_context)
		show_context(listing, &source, place.line);
}

static bool take_module(struct text *text, struct asked_place *asked)
{
	const char *end = memmem(text->bytes, text->size, MODULE_END, strlen(MODULE_END));
	uint64_t id;

	*asked = (struct asked_place){ .name = TEXT("") };
	if (!end)
		return true;
	asked->has_module = true;
	asked->name = (struct text){ text->bytes, (size_t)(end - text->bytes) + strlen(MODULE_END) };
	if (!text_to_u64((struct text){ text->bytes, (size_t)(end - text->bytes) }, 10, &id) || id > UINT32_MAX)
		return false;
	asked->module = (uint32_t)id;
	*text = text_from(*text, asked->name.size);
	return true;
}

static bool take_place(struct text text, struct asked_place *asked)
{
	uint64_t first = 0, second = 0;
	const char *colon;
	size_t head;

	if (text.size == 0 || !take_module(&text, asked))
		return false;
	colon = text.size ? memchr(text.bytes, ':', text.size) : NULL;
	if (!colon)
		return false;
	head = (size_t)(colon - text.bytes);
	if (!text_to_u64((struct text){ text.bytes, head }, 10, &first) ||
	    !text_to_u64(text_from(text, head + 1), 10, &second))
		return false;
	asked->line = (uint32_t)first;
	asked->column = (uint32_t)second;
	return first > 0 && second > 0 && first < UINT32_MAX && second < UINT32_MAX;
}

static int look_all_up(struct sourcemap_listing *listing, const struct sourcemap *map, struct err *err)
{
	struct text rest = listing->places, place;
	struct asked_place asked;

	(void)sourcemap_modules(listing->map, &listing->modules);
	if (listing->as_json)
		json_array(&listing->json);
	while (text_take_line(&rest, &place)) {
		if (!take_place(place, &asked))
			return err_set(err, ERR_BAD_REQUEST, "no place: `%.*s`",
				       (int)(place.size < 40 ? place.size : 40), place.bytes);
		look_up(listing, map, &asked);
	}
	if (listing->as_json) {
		json_array_end(&listing->json);
		buf_add_char(&listing->out, '\n');
	}
	return 0;
}

static int lookup(struct sourcemap_listing *listing, struct err *err)
{
	int fd = cell_output(listing->cell, "cache");
	struct file_map bytes = { NULL, 0 };
	struct convert_sourcemap made;
	struct sourcemap map;
	int rc = -1;

	if (convert_write_sourcemap(listing->map, listing->minified, listing->cell->memory_bytes, fd,
				    &made, err) == 0 &&
	    file_map_fd(&bytes, fd, err) == 0 &&
	    sourcemap_open(&map, bytes.bytes, bytes.size, err) == 0)
		rc = look_all_up(listing, &map, err);
	file_unmap(&bytes);
	return rc;
}

/* --- modules ------------------------------------------------------------------------------ */

/* To the reply: the line at which each module that is asked for begins, from 0; "-" for one the map
 * does not know; nothing when it tells of none. */
static int tell_modules(struct sourcemap_listing *listing, struct err *err)
{
	struct text rest = listing->places, asked;
	uint64_t id;
	uint32_t line;

	(void)sourcemap_modules(listing->map, &listing->modules);
	while (text_take_line(&rest, &asked)) {
		if (text_to_u64(asked, 10, &id) && id <= UINT32_MAX &&
		    sourcemap_module_line(listing->modules, (uint32_t)id, &line))
			buf_printf(listing->cell->reply, "%u", (unsigned)line);
		else if (listing->modules.bytes)
			buf_add_char(listing->cell->reply, '-');
		buf_add_char(listing->cell->reply, '\n');
	}
	return buf_check(listing->cell->reply, err);
}

/* --- The operation ------------------------------------------------------------------------ */

static int list(struct sourcemap_listing *listing, struct err *err)
{
	struct text rest = listing->cell->parameters, verb, form, context;
	uint64_t lines = 0;
	int rc;

	if (!text_take_line(&rest, &verb) || !text_take_line(&rest, &form) ||
	    !text_take_line(&rest, &context) || !text_to_u64(context, 10, &lines))
		return err_set(err, ERR_INTERNAL, "parameters that are none");
	listing->as_json = text_is(form, "json");
	listing->context = lines < CONTEXT_MAX ? (uint32_t)lines : CONTEXT_MAX;
	listing->places = rest;
	json_writer_init(&listing->json, &listing->out);
	rc = text_is(verb, "check") ? check(listing, err)
	     : text_is(verb, "modules") ? tell_modules(listing, err)
	     : text_is(verb, "dump") ? dump(listing, err) : lookup(listing, err);
	return rc < 0 ? -1 : flush(listing, 0, err);
}

static int sourcemap_text(struct cell *cell, struct err *err)
{
	struct sourcemap_listing listing = { .cell = cell };
	struct file_map map = { NULL, 0 }, minified = { NULL, 0 };
	int rc = file_map_fd(&map, cell_input(cell, "map"), err);

	buf_init(&listing.out, cell->memory_bytes / 2);
	if (rc == 0 && cell_input(cell, "minified") >= 0) {
		rc = file_map_fd(&minified, cell_input(cell, "minified"), err);
		listing.minified = (struct text){ minified.size ? (const char *)minified.bytes : "",
						  minified.size };
	}
	listing.map = (struct text){ map.size ? (const char *)map.bytes : "", map.size };
	if (rc == 0)
		rc = list(&listing, err);
	buf_release(&listing.out);
	file_unmap(&map);
	file_unmap(&minified);
	return rc;
}

const struct cell_operation cells_operation_sourcemap_text = { "sourcemap-text", sourcemap_text, NULL };
