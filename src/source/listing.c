/*
 * listing.c -- what Sentry servers answer and symstore indexes hold, turned into texts that
 * can be searched.
 */
#include "source/listing.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "source/kind.h"

#define LAST_ID_PATH "000Admin/lastid.txt"
#define SEGMENTS_MAX 10000u
#define ID_BYTES     256u                /* of a file of Sentry */

/* The type a server says, and the file types that are looked for under it. */
static const struct { const char *name; enum file_type types[2]; } symbol_types[] = {
	{ "pe",           { FILE_TYPE_PE, FILE_TYPE_PE } },
	{ "pdb",          { FILE_TYPE_PDB, FILE_TYPE_PDB } },
	{ "portablepdb",  { FILE_TYPE_PORTABLEPDB, FILE_TYPE_PORTABLEPDB } },
	{ "macho",        { FILE_TYPE_MACH_CODE, FILE_TYPE_MACH_DEBUG } },
	{ "elf",          { FILE_TYPE_ELF_CODE, FILE_TYPE_ELF_DEBUG } },
	{ "wasm",         { FILE_TYPE_WASM_CODE, FILE_TYPE_WASM_DEBUG } },
	{ "breakpad",     { FILE_TYPE_BREAKPAD, FILE_TYPE_BREAKPAD } },
	{ "sourcebundle", { FILE_TYPE_SOURCEBUNDLE, FILE_TYPE_SOURCEBUNDLE } },
	{ "uuidmap",      { FILE_TYPE_UUIDMAP, FILE_TYPE_UUIDMAP } },
	{ "bcsymbolmap",  { FILE_TYPE_BCSYMBOLMAP, FILE_TYPE_BCSYMBOLMAP } },
	{ "il2cpp",       { FILE_TYPE_IL2CPP, FILE_TYPE_IL2CPP } },
	{ "proguard",     { FILE_TYPE_PROGUARD, FILE_TYPE_PROGUARD } },
	{ "dartsymbolmap", { FILE_TYPES, FILE_TYPES } },
};
#define SYMBOL_TYPES (sizeof(symbol_types) / sizeof(symbol_types[0]))

static const struct object_ids no_ids = { .type = OBJECT_TYPE_UNKNOWN };

static int no_memory(struct err *err)
{
	return err_set(err, ERR_NO_MEMORY, "no room for a listing");
}

static int set_key(struct source_listing *listing, char *key, struct err *err)
{
	listing->key = text_of(key);
	return key ? 0 : no_memory(err);
}

/* The next line, without its end; false: no more. */
static bool take_line(struct text *rest, struct text *line)
{
	const char *end = rest->size ? memchr(rest->bytes, '\n', rest->size) : NULL;
	size_t size = end ? (size_t)(end - rest->bytes) : rest->size;
	size_t skip = end ? size + 1 : size;

	if (rest->size == 0)
		return false;
	*line = (struct text){ rest->bytes, size };
	rest->bytes += skip;
	rest->size -= skip;
	return true;
}

/* --- What to ask -------------------------------------------------------------------------- */

static int ask_module(const struct source *source, const struct object_ids *ids,
		      struct arena *arena, struct source_listing *listing, struct err *err)
{
	char hash[2 * sizeof(source->credentials) + 1];

	if (debugid_is_nil(&ids->debug_id) && ids->code_id.size == 0)
		return 0;
	listing->kind = SOURCE_LISTING_MODULE;
	listing->location = (struct location){ .source = source, .path = TEXT(""), .ids = ids };
	if (sentry_name_question(source, ids, arena, &listing->location.uri, err) < 0)
		return -1;
	hex_format(source->credentials, sizeof(source->credentials), hash);
	return set_key(listing, arena_printf(arena, "type: sentry\nurl: %s\ncredentials: %s\n",
					     listing->location.uri.bytes, hash), err);
}

static int place_in_store(const struct source *source, const char *path, struct arena *arena,
			  struct location *location, struct err *err)
{
	*location = (struct location){ .source = source, .path = text_of(path), .ids = &no_ids };
	return source->kind->name_location(source, location->path, arena, &location->uri, err);
}

static int ask_last_id(const struct source *source, struct arena *arena,
		       struct source_listing *listing, struct err *err)
{
	listing->kind = SOURCE_LISTING_LAST_ID;
	if (place_in_store(source, LAST_ID_PATH, arena, &listing->location, err) < 0)
		return -1;
	return set_key(listing, arena_printf(arena, "type: symstore_last_id\nsource_id: %s\n",
					     source->id.bytes), err);
}

int source_listing_first(const struct source *source, const struct object_ids *ids,
			 struct arena *arena, struct source_listing *listing, struct err *err)
{
	*listing = (struct source_listing){ .kind = SOURCE_LISTING_NONE, .source = source };
	return source->has_index ? ask_last_id(source, arena, listing, err)
				 : ask_module(source, ids, arena, listing, err);
}

int source_listing_next(const struct source_listing *listing, struct text text,
			struct arena *arena, struct source_listing *next, struct err *err)
{
	const struct source *source = listing->source;

	*next = (struct source_listing){ .kind = SOURCE_LISTING_NONE, .source = source };
	if (listing->kind != SOURCE_LISTING_LAST_ID)
		return 0;
	if (!text_to_u64(text, 10, &next->last_id))
		return err_set(err, ERR_MALFORMED, "the last id of an index is no number");
	next->kind = SOURCE_LISTING_INDEX;
	if (place_in_store(source, "000Admin", arena, &next->location, err) < 0)
		return -1;
	return set_key(next, arena_printf(arena, "type: symstore\nsource_id: %s\nlast_id: %" PRIu64
					  "\n", source->id.bytes, next->last_id), err);
}

int source_segment(const struct source_listing *index, uint64_t number, struct arena *arena,
		   struct location *location, struct text *key, struct err *err)
{
	const char *path = arena_printf(arena, "000Admin/%010" PRIu64, number);

	*key = text_of(arena_printf(arena, "type: symstore_segment\nsource_id: %s\nsegment: %" PRIu64
				    "\n", index->source->id.bytes, number));
	if (!path || !key->bytes)
		return no_memory(err);
	return place_in_store(index->source, path, arena, location, err);
}

/* --- Sentry's answers --------------------------------------------------------------------- */

static size_t symbol_type_named(struct text name)
{
	size_t i = 0;

	while (i < SYMBOL_TYPES && !text_is(name, symbol_types[i].name))
		i++;
	return i;
}

static bool is_id(struct text id)
{
	for (size_t i = 0; i < id.size; i++)
		if ((uint8_t)id.bytes[i] <= ' ' || id.bytes[i] == 0x7f)
			return false;
	return id.size > 0 && id.size <= ID_BYTES;
}

static int read_file(const cJSON *file, struct buf *text, struct err *err)
{
	struct text id = text_of(cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(file, "id")));
	struct text type = text_of(cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(file, "symbolType")));

	if (!id.bytes || !type.bytes)
		return err_set(err, ERR_DOWNLOAD, "the listing makes no sense");
	if (symbol_type_named(type) == SYMBOL_TYPES)
		return err_set(err, ERR_DOWNLOAD, "the listing has a file of the unknown type `%.32s`",
			       type.bytes);
	if (!is_id(id))
		return 0;
	buf_add_text(text, type);
	buf_add_char(text, ' ');
	buf_add_text(text, id);
	buf_add_char(text, '\n');
	return 0;
}

static int read_files(struct text answer, struct buf *text, struct err *err)
{
	cJSON *array = cJSON_ParseWithLength(answer.bytes ? answer.bytes : "", answer.size);
	const cJSON *file;
	int rc = 0;

	if (!cJSON_IsArray(array))
		rc = err_set(err, ERR_DOWNLOAD, "the listing is no JSON array");
	else
		cJSON_ArrayForEach(file, array)
			if (rc == 0)
				rc = read_file(file, text, err);
	cJSON_Delete(array);
	return rc;
}

bool listing_take_file(struct text *text, const enum file_type *types, size_t type_count,
		       enum file_type *type, struct text *id)
{
	struct text line;

	while (take_line(text, &line)) {
		const char *space = memchr(line.bytes, ' ', line.size);
		size_t size = space ? (size_t)(space - line.bytes) : line.size;
		size_t symbol = symbol_type_named((struct text){ line.bytes, size });

		if (!space || symbol == SYMBOL_TYPES || size + 1 == line.size)
			continue;
		*id = (struct text){ space + 1, line.size - size - 1 };
		for (size_t i = 0; i < type_count; i++)
			if (types[i] == symbol_types[symbol].types[0] ||
			    types[i] == symbol_types[symbol].types[1]) {
				*type = types[i];
				return true;
			}
	}
	return false;
}

/* --- Indexes ------------------------------------------------------------------------------ */

static int read_last_id(struct text answer, struct buf *text, struct err *err)
{
	uint64_t number;

	if (answer.size > SOURCE_LAST_ID_BYTES)
		return err_set(err, ERR_MALFORMED, "lastid.txt is too long");
	while (answer.size > 0 && (uint8_t)answer.bytes[0] <= ' ') {
		answer.bytes++;
		answer.size--;
	}
	while (answer.size > 0 && (uint8_t)answer.bytes[answer.size - 1] <= ' ')
		answer.size--;
	if (!text_to_u64(answer, 10, &number))
		return err_set(err, ERR_MALFORMED, "lastid.txt is no number");
	if (number > SEGMENTS_MAX)
		return err_set(err, ERR_MALFORMED, "an index of %" PRIu64 " segments", number);
	buf_printf(text, "%" PRIu64, number);
	return 0;
}

int source_listing_read(const struct source_listing *listing, struct text answer,
			struct buf *text, struct err *err)
{
	int rc = listing->kind == SOURCE_LISTING_MODULE ? read_files(answer, text, err)
							: read_last_id(answer, text, err);

	return rc < 0 ? -1 : buf_check(text, err);
}

/* "name\id" between the first two quotes of a line; false: there is none. */
static bool read_entry(struct text line, struct text *name, struct text *id)
{
	const char *begin = memchr(line.bytes, '"', line.size), *end, *mark;

	if (!begin)
		return false;
	begin++;
	end = memchr(begin, '"', (size_t)(line.bytes + line.size - begin));
	mark = end ? memchr(begin, '\\', (size_t)(end - begin)) : NULL;
	if (!mark)
		return false;
	*name = (struct text){ begin, (size_t)(mark - begin) };
	*id = (struct text){ mark + 1, (size_t)(end - mark - 1) };
	return name->size > 0 && id->size > 0;
}

void source_segment_read(struct text segment, struct buf *lines)
{
	struct text line, name, id;

	while (take_line(&segment, &line)) {
		if (!read_entry(line, &name, &id))
			continue;
		buf_add_text(lines, name);
		buf_add_char(lines, '/');
		buf_add_text(lines, id);
		buf_add_char(lines, '/');
		buf_add_text(lines, name);
		buf_add_char(lines, '\n');
	}
}

static int compare_texts(struct text a, struct text b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size ? memcmp(a.bytes, b.bytes, size) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_lines(const void *a, const void *b)
{
	return compare_texts(*(const struct text *)a, *(const struct text *)b);
}

static size_t count_lines(struct text text)
{
	struct text line;
	size_t count = 0;

	while (take_line(&text, &line))
		count++;
	return count;
}

int source_lines_sort(struct buf *lines, struct err *err)
{
	struct text rest = buf_text(lines);
	size_t count = count_lines(rest), at = 0;
	struct text *sorted = mem_get_array(count ? count : 1, sizeof(*sorted));
	struct buf unique;

	if (buf_check(lines, err) < 0 || !sorted) {
		mem_give_back(sorted);
		return sorted ? -1 : no_memory(err);
	}
	while (take_line(&rest, &sorted[at]))
		at++;
	qsort(sorted, count, sizeof(*sorted), compare_lines);
	buf_init(&unique, lines->ceiling_bytes);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && text_equal(sorted[i - 1], sorted[i]))
			continue;
		buf_add_text(&unique, sorted[i]);
		buf_add_char(&unique, '\n');
	}
	mem_give_back(sorted);
	buf_release(lines);
	*lines = unique;
	return buf_check(lines, err);
}

/* By halves: `low` and `high` are where lines begin. */
bool index_holds(struct text index, struct text path)
{
	size_t low = 0, high = index.size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *end;
		struct text line;
		int order;

		while (middle > low && index.bytes[middle - 1] != '\n')
			middle--;
		end = memchr(index.bytes + middle, '\n', index.size - middle);
		line = (struct text){ index.bytes + middle,
				      end ? (size_t)(end - index.bytes) - middle
					  : index.size - middle };
		order = compare_texts(line, path);
		if (order == 0)
			return true;
		if (order > 0)
			high = middle;
		else
			low = middle + line.size + 1;
	}
	return false;
}
