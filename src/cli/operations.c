/* operations.c -- what cells do for the command line alone: see cells.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "cli/cli_cells.h"
#include "cli/methods.h"
#include "object/object.h"
#include "ppdbcache/ppdbcache.h"
#include "proguard/mapping_read.h"
#include "proguard/proguard.h"
#include "work/request_json.h"
#include "work/work.h"
#include "symcache/symcache.h"
#include "unpack/unpack.h"

#define ARENA_BYTES ((size_t)256 * 1024 * 1024)
#define FLUSH_BYTES ((size_t)1 << 20)
#define HEAD_BYTES 4u
#define NO_SLICE SIZE_MAX

/* --- describe ------------------------------------------------------------------------- */

struct choice {
	enum arch arch;
	bool has_arch;
	struct debugid debug_id;     /* nil: any */
	size_t slice;                /* NO_SLICE: none yet */
	struct text bytes;
};

static int read_choice(struct text parameters, struct arena *arena, struct choice *choice,
		       struct err *err)
{
	const cJSON *arch, *id;
	cJSON *json;

	choice->slice = NO_SLICE;
	if (request_json_parse(parameters, arena, &json, err) < 0)
		return -1;
	arch = cJSON_GetObjectItemCaseSensitive(json, "arch");
	if (cJSON_IsString(arch) && arch->valuestring[0]) {
		choice->has_arch = true;
		if (!arch_named(text_of(arch->valuestring), &choice->arch))
			return err_set(err, ERR_BAD_REQUEST, "unknown architecture `%s`",
				       arch->valuestring);
	}
	id = cJSON_GetObjectItemCaseSensitive(json, "debug_id");
	if (cJSON_IsString(id) && !debugid_parse(text_of(id->valuestring), &choice->debug_id))
		return err_set(err, ERR_BAD_REQUEST, "`%s` is no debug id", id->valuestring);
	return 0;
}

static bool fits(const struct choice *choice, const struct object *object)
{
	if (choice->debug_id.kind != DEBUGID_NIL &&
	    memcmp(choice->debug_id.uuid, object->debug_id.uuid, DEBUGID_UUID_BYTES) != 0)
		return false;
	return !choice->has_arch || choice->arch == object->arch;
}

static void write_wants(const struct object *object, struct json_writer *json)
{
	json_key(json, "wants");
	json_array(json);
	for (size_t i = 0; i < object->want_count; i++) {
		json_object(json);
		json_member_string(json, "role", object_role_name(object->wants[i].role));
		json_member_text(json, "id", object->wants[i].id);
		json_member_text(json, "name", object->wants[i].name);
		json_object_end(json);
	}
	json_array_end(json);
}

/* How much managed code and how many sources there are. */
struct tally { uint64_t methods, points, sources, linked, unreadable, links; };

static int count_method(void *payload, const struct object_document *documents, size_t count,
			const struct object_method *method, struct err *err)
{
	struct tally *tally = payload;

	(void)documents, (void)count, (void)err;
	tally->methods++;
	tally->points += method->point_count;
	return 0;
}

static int count_source(void *payload, const struct object_source *source, struct err *err)
{
	struct tally *tally = payload;

	(void)err;
	tally->unreadable += source->trouble[0] != '\0';
	tally->sources += source->is_inside && !source->trouble[0];
	tally->linked += !source->is_inside;
	return 0;
}

static int count_link(void *payload, const struct object_source_link *link, struct err *err)
{
	(void)link, (void)err;
	((struct tally *)payload)->links++;
	return 0;
}

/* What cannot be counted is left out: the file's own errors are told elsewhere. */
static void write_tally(const struct object *object, struct json_writer *json)
{
	struct tally tally = { .methods = 0 };
	struct object_managed_sink methods = { &tally, count_method };
	struct object_source_sink sources = { &tally, count_source, count_link };
	struct object_managed_report report = { .methods = 0 };
	struct err err = ERR_INIT;
	struct arena scratch;

	arena_init(&scratch, ARENA_BYTES);
	if (object_each_method(object, &scratch, &methods, &report, &err) == 0) {
		json_member_hex(json, "methods", tally.methods);
		json_member_hex(json, "points", tally.points);
		json_member_hex(json, "bad_methods", report.bad_methods);
	}
	err_clear(&err);
	if (object_each_source(object, &scratch, &sources, &err) == 0) {
		json_member_hex(json, "sources_inside", tally.sources);
		json_member_hex(json, "sources_linked", tally.linked);
		json_member_hex(json, "sources_unreadable", tally.unreadable);
		json_member_hex(json, "source_links", tally.links);
	}
	arena_release(&scratch);
}

static void write_object(const struct object *object, struct json_writer *json)
{
	char id[DEBUGID_TEXT_BYTES];

	json_member_string(json, "format", object->format->name);
	json_member_string(json, "kind", object_kind_name(object->kind));
	json_member_string(json, "arch", arch_name(object->arch));
	if (object->debug_id.kind != DEBUGID_NIL) {
		debugid_format(&object->debug_id, id);
		json_member_string(json, "debug_id", id);
	}
	json_member_text(json, "code_id", object->code_id);
	json_member_text(json, "debug_file", object->debug_file);
	json_member_hex(json, "load_address", object->load_address);
	json_member_hex(json, "size", object->size);
	json_member_bool(json, "debug", object->offers & OBJECT_OFFERS_DEBUG);
	json_member_bool(json, "symbols", object->offers & OBJECT_OFFERS_SYMBOLS);
	json_member_bool(json, "unwind", object->offers & OBJECT_OFFERS_UNWIND);
	json_member_bool(json, "sources", object->offers & OBJECT_OFFERS_SOURCES);
	write_tally(object, json);
	write_wants(object, json);
}

/* A mapping of ProGuard or R8 is no object, but files are known by its id.  False: it is none. */
static bool write_mapping(struct file_map file, struct json_writer *json)
{
	const struct text text = { (const char *)file.bytes, file.size };
	char id[DEBUGID_TEXT_BYTES];
	struct debugid uuid;

	if (!mapping_read_is_valid(text))
		return false;
	uuid = proguard_uuid(file.bytes, file.size);
	debugid_format(&uuid, id);
	json_member_string(json, "format", "proguard");
	json_member_string(json, "kind", object_kind_name(OBJECT_KIND_OTHER));
	json_member_string(json, "arch", arch_name(ARCH_UNKNOWN));
	json_member_string(json, "debug_id", id);
	json_member_hex(json, "load_address", 0);
	json_member_hex(json, "size", file.size);
	return true;
}

static void describe_slice(struct file_map file, size_t index, struct choice *choice,
			   struct arena *arena, struct json_writer *json)
{
	struct object object = { 0 };
	struct err err = ERR_INIT;
	struct text bytes;

	json_object(json);
	if (object_slice(file.bytes, file.size, index, &bytes, &err) < 0 ||
	    object_open(&object, bytes.bytes, bytes.size, arena, &err) < 0) {
		if (!write_mapping(file, json)) {
			json_member_string(json, "trouble", err.text);
		} else if (!choice->has_arch) {
			choice->slice = index;
			choice->bytes = (struct text){ (const char *)file.bytes, file.size };
		}
	} else {
		write_object(&object, json);
		if (choice->slice == NO_SLICE && fits(choice, &object)) {
			choice->slice = index;
			choice->bytes = bytes;
		}
		object_release(&object);
	}
	json_object_end(json);
}

/* One level of compression, by content, as with downloads. */
static int unpack_input(struct cell *cell, struct file_map *file, struct json_writer *json,
			bool *unpacked, struct err *err)
{
	int in = cell_input(cell, "file"), out = cell_output(cell, "unpacked");
	enum unpack_kind kind;

	if (file_map_fd(file, in, err) < 0)
		return -1;
	kind = unpack_recognise(file->bytes, file->size < HEAD_BYTES ? 0 : HEAD_BYTES);
	*unpacked = kind != UNPACK_NONE;
	if (!*unpacked)
		return 0;
	file_unmap(file);
	json_member_string(json, "packed", unpack_kind_name(kind));
	if (unpack_stream(kind, in, out, LIMIT_DOWNLOAD_BYTES, err) < 0)
		return err_while(err, "unpacking %s", unpack_kind_name(kind));
	return file_map_fd(file, out, err);
}

static int write_chosen(struct cell *cell, struct file_map file, const struct choice *choice,
			bool unpacked, size_t count, struct json_writer *json, struct err *err)
{
	bool whole = choice->bytes.size == file.size;
	bool found = choice->slice != NO_SLICE;

	json_member_hex(json, "chosen", found ? choice->slice : count);
	if (found && !whole &&
	    file_write_all(cell_output(cell, "slice"), choice->bytes.bytes, choice->bytes.size,
			   err) < 0)
		return -1;
	json_member_string(json, "use", found && !whole ? "slice" : unpacked ? "unpacked" : "file");
	return 0;
}

static int describe(struct cell *cell, struct err *err)
{
	struct file_map file = { 0 };
	struct choice choice = { 0 };
	struct json_writer json;
	struct arena arena;
	size_t count;
	bool unpacked = false;
	int rc = -1;

	arena_init(&arena, ARENA_BYTES);
	json_writer_init(&json, cell->reply);
	json_object(&json);
	if (read_choice(cell->parameters, &arena, &choice, err) < 0 ||
	    unpack_input(cell, &file, &json, &unpacked, err) < 0)
		goto done;
	count = object_slice_count(file.bytes, file.size);
	json_key(&json, "slices");
	json_array(&json);
	for (size_t i = 0; i < count; i++)
		describe_slice(file, i, &choice, &arena, &json);
	json_array_end(&json);
	rc = write_chosen(cell, file, &choice, unpacked, count, &json, err);
	json_object_end(&json);
done:
	file_unmap(&file);
	arena_release(&arena);
	return rc < 0 ? -1 : buf_check(cell->reply, err);
}

const struct cell_operation cells_operation_describe = { "describe", describe, NULL };

/* --- dump ----------------------------------------------------------------------------- */

static int flush(struct buf *out, int fd, struct err *err)
{
	if (buf_check(out, err) < 0 || file_write_all(fd, out->bytes, out->size, err) < 0)
		return -1;
	buf_clear(out);
	return 0;
}

static void dump_head(const struct symcache *cache, struct json_writer *json)
{
	char id[DEBUGID_TEXT_BYTES];

	debugid_format(&cache->debug_id, id);
	json_member_u64(json, "version", cache->version);
	json_member_string(json, "arch", arch_name(cache->arch));
	json_member_string(json, "debug_id", id);
	json_member_u64(json, "files", cache->file_count);
	json_member_u64(json, "functions", cache->function_count);
	json_member_u64(json, "locations", cache->location_count);
	json_member_u64(json, "ranges", cache->range_count);
	json_member_u64(json, "string_bytes", cache->string_bytes);
}

static void dump_range(const struct symcache *cache, uint32_t index, struct json_writer *json,
		       struct buf *path)
{
	struct symcache_frame frames[LIMIT_INLINE_DEPTH];
	uint32_t address = symcache_range_address(cache, index);
	size_t count = symcache_lookup(cache, address, frames, LIMIT_INLINE_DEPTH);

	json_object(json);
	json_member_hex(json, "address", address);
	json_key(json, "frames");
	json_array(json);
	for (size_t i = 0; i < count; i++) {
		json_object(json);
		json_member_text(json, "symbol", frames[i].function);
		json_member_string(json, "language", language_name(frames[i].language));
		if (frames[i].has_file) {
			buf_clear(path);
			symcache_frame_path(&frames[i], path);
			json_member_text(json, "file", buf_text(path));
		}
		json_member_u64(json, "line", frames[i].line);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static int dump_json(const struct symcache *cache, int fd, struct buf *out, struct err *err)
{
	struct json_writer json;
	struct buf path;
	int rc = 0;

	buf_init(&path, 4 * LIMIT_NAME_BYTES);
	json_writer_init(&json, out);
	json_object(&json);
	dump_head(cache, &json);
	json_key(&json, "lookups");
	json_array(&json);
	for (uint32_t i = 0; i < cache->range_count && rc == 0; i++) {
		dump_range(cache, i, &json, &path);
		if (out->size > FLUSH_BYTES)
			rc = flush(out, fd, err);
	}
	json_array_end(&json);
	json_object_end(&json);
	buf_add_char(out, '\n');
	buf_release(&path);
	return rc;
}

static int dump(struct cell *cell, struct err *err)
{
	int fd = cell_output(cell, "text");
	struct file_map file = { 0 };
	struct symcache cache;
	struct buf out;
	int rc = -1;

	buf_init(&out, cell->memory_bytes / 2);
	if (file_map_fd(&file, cell_input(cell, "symcache"), err) < 0 ||
	    symcache_open(&cache, file.bytes, file.size, err) < 0)
		goto done;
	rc = text_is(cell->parameters, "json") ? dump_json(&cache, fd, &out, err)
					       : symcache_dump(&cache, &out, err);
	if (rc == 0)
		rc = flush(&out, fd, err);
done:
	buf_release(&out);
	file_unmap(&file);
	return rc;
}

const struct cell_operation cells_operation_dump = { "dump", dump, NULL };

/* --- dump-methods --------------------------------------------------------------------- */

static int dump_methods_json(const struct ppdbcache *cache, int fd, struct buf *out,
			     struct err *err)
{
	struct json_writer json;
	int rc = 0;

	json_writer_init(&json, out);
	json_object(&json);
	methods_dump_head(cache, &json);
	json_key(&json, "lookups");
	json_array(&json);
	for (uint32_t i = 0; i < cache->range_count && rc == 0; i++) {
		methods_dump_range(cache, i, &json);
		if (out->size > FLUSH_BYTES)
			rc = flush(out, fd, err);
	}
	json_array_end(&json);
	json_object_end(&json);
	buf_add_char(out, '\n');
	return rc;
}

static int dump_methods(struct cell *cell, struct err *err)
{
	int fd = cell_output(cell, "text");
	struct file_map file = { 0 };
	struct ppdbcache cache;
	struct buf out;
	int rc = -1;

	buf_init(&out, cell->memory_bytes / 2);
	if (file_map_fd(&file, cell_input(cell, "symcache"), err) < 0 ||
	    ppdbcache_open(&cache, file.bytes, file.size, err) < 0)
		goto done;
	rc = 0;
	if (text_is(cell->parameters, "json"))
		rc = dump_methods_json(&cache, fd, &out, err);
	else
		methods_dump(&cache, &out);
	if (rc == 0)
		rc = flush(&out, fd, err);
done:
	buf_release(&out);
	file_unmap(&file);
	return rc;
}

const struct cell_operation cells_operation_dump_methods = { "dump-methods", dump_methods, NULL };

/* --- locate --------------------------------------------------------------------------- */

struct wanted { struct text name; bool is_found; uint64_t address; };
struct locating {
	struct wanted **by_name;     /* sorted; of one name only the first */
	size_t count;
};

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *const *first = a, *const *second = b;

	return text_compare((*first)->name, (*second)->name);
}

static int meet_symbol(void *payload, const struct object_symbol *symbol)
{
	struct locating *locating = payload;
	struct wanted key = { .name = symbol->name };
	const struct wanted *wanted = &key;
	struct wanted **found = bsearch(&wanted, locating->by_name, locating->count,
					sizeof(*locating->by_name), compare_wanted);

	if (found && !(*found)->is_found) {
		(*found)->is_found = true;
		(*found)->address = symbol->address;
	}
	return 0;
}

/* Several questions may be about one symbol: the others are answered from the first. */
static void answer_symbols(const struct wanted *wanted, size_t count, const struct locating *locating,
			   struct json_writer *json)
{
	json_key(json, "symbols");
	json_array(json);
	for (size_t i = 0; i < count; i++) {
		const struct wanted *key = &wanted[i];
		struct wanted **found = bsearch(&key, locating->by_name, locating->count,
						sizeof(*locating->by_name), compare_wanted);

		if (found && (*found)->is_found)
			json_hex(json, (*found)->address);
		else
			json_null(json);
	}
	json_array_end(json);
}

static int locate_symbols(struct object *object, const cJSON *names, struct arena *arena,
			  struct json_writer *json, struct err *err)
{
	size_t count = (size_t)cJSON_GetArraySize(names), at = 0;
	struct wanted *wanted = arena_alloc(arena, count + 1, sizeof(*wanted));
	struct locating locating = { arena_alloc(arena, count + 1, sizeof(*locating.by_name)), 0 };
	const cJSON *name;

	if (!wanted || !locating.by_name)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu symbols", count);
	cJSON_ArrayForEach(name, names) {
		wanted[at].name = text_of(cJSON_IsString(name) ? name->valuestring : "");
		locating.by_name[at] = &wanted[at];
		at++;
	}
	qsort(locating.by_name, count, sizeof(*locating.by_name), compare_wanted);
	for (size_t i = 0; i < count; i++)
		if (locating.count == 0 ||
		    !text_equal(locating.by_name[locating.count - 1]->name, locating.by_name[i]->name))
			locating.by_name[locating.count++] = locating.by_name[i];
	if (count > 0 && (object_prepare(object, err) < 0 ||
			  object_each_symbol(object, meet_symbol, &locating, err) < 0))
		return -1;
	answer_symbols(wanted, count, &locating, json);
	return 0;
}

static int locate_in(struct object *object, struct text parameters, struct arena *arena,
		     struct json_writer *json, struct err *err)
{
	const cJSON *section;
	cJSON *wanted;
	uint64_t address;

	if (request_json_parse(parameters, arena, &wanted, err) < 0)
		return -1;
	json_object(json);
	section = cJSON_GetObjectItemCaseSensitive(wanted, "section");
	if (cJSON_IsString(section)) {
		if (object_section_address(object, section->valuestring, &address, err) < 0)
			return -1;
		json_member_hex(json, "section", address);
	}
	if (locate_symbols(object, cJSON_GetObjectItemCaseSensitive(wanted, "symbols"), arena, json,
			   err) < 0)
		return -1;
	json_object_end(json);
	return 0;
}

static int locate(struct cell *cell, struct err *err)
{
	struct object object = { 0 };
	struct file_map file = { 0 };
	struct json_writer json;
	struct arena arena;
	int rc = -1;

	arena_init(&arena, ARENA_BYTES);
	json_writer_init(&json, cell->reply);
	if (file_map_fd(&file, cell_input(cell, "object"), err) == 0 &&
	    object_open(&object, file.bytes, file.size, &arena, err) == 0)
		rc = locate_in(&object, cell->parameters, &arena, &json, err);
	object_release(&object);
	file_unmap(&file);
	arena_release(&arena);
	return rc < 0 ? -1 : buf_check(cell->reply, err);
}

const struct cell_operation cells_operation_locate = { "locate", locate, NULL };
