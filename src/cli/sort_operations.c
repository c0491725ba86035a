/* sort_operations.c -- what cells do for "symgate sort": see cli_cells.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cli/cli_cells.h"
#include "object/object.h"
#include "proguard/proguard.h"
#include "source/source.h"
#include "symcache/symcache.h"
#include "unpack/unpack.h"

#define ARENA_BYTES    ((size_t)1 << 30)
#define SCRATCH_BYTES  ((size_t)512 << 20)
#define HEAD_BYTES     4u
#define PATHS_MAX      (1u << 20)            /* source files of one object */
#define PATH_BYTES     ((size_t)4096)
#define UUID_DIGITS    32u
#define PE_DIGITS_MAX  16u                   /* of a PE code id: time and size */

/* --- What is in a file ---------------------------------------------------------------------------- */

struct sort_probe {
	struct cell *cell;
	struct arena arena;
	struct file_map map;
	const char *where;           /* the output the bytes are in, or "file" */
	size_t member, slice;        /* asked for */
	size_t members, slices;      /* there are */
	struct buf name;             /* of the member */
};

static int read_numbers(struct sort_probe *look, struct err *err)
{
	struct text words = look->cell->parameters, first;
	const char *blank = memchr(words.bytes ? words.bytes : "", ' ', words.size);
	uint64_t member = 0, slice = 0;

	first = (struct text){ words.bytes, blank ? (size_t)(blank - words.bytes) : 0 };
	if (!blank || !text_to_u64(first, 10, &member) ||
	    !text_to_u64(text_from(words, first.size + 1), 10, &slice))
		return err_set(err, ERR_INTERNAL, "asked for no object of a file");
	look->member = (size_t)member;
	look->slice = (size_t)slice;
	return 0;
}

static int map_output(struct sort_probe *look, const char *role, struct err *err)
{
	file_unmap(&look->map);
	look->where = role;
	return file_map_fd(&look->map, cell_output(look->cell, role), err);
}

static enum unpack_kind kind_of(const struct sort_probe *look)
{
	return unpack_recognise(look->map.bytes, look->map.size < HEAD_BYTES ? 0 : HEAD_BYTES);
}

static int take_member(struct sort_probe *look, struct err *err)
{
	const struct text archive = { (const char *)look->map.bytes, look->map.size };

	if (unpack_archive_member(kind_of(look), archive, look->member, cell_output(look->cell, "member"),
				  LIMIT_DOWNLOAD_BYTES, &look->members, &look->name, err) < 0)
		return -1;
	return map_output(look, "member", err);
}

static int take_packed(struct sort_probe *look, enum unpack_kind kind, struct err *err)
{
	bool is_file = strcmp(look->where, "file") == 0;
	int in = is_file ? cell_input(look->cell, "file") : cell_output(look->cell, "member");

	if (lseek(in, 0, SEEK_SET) < 0)
		return err_set(err, ERR_IO, "going to the start of a file");
	if (unpack_stream(kind, in, cell_output(look->cell, "unpacked"), LIMIT_DOWNLOAD_BYTES, err) < 0)
		return err_while(err, "unpacking %s", unpack_kind_name(kind));
	return map_output(look, "unpacked", err);
}

/* An archive's member may be packed once more, and hold several objects. */
static int open_up(struct sort_probe *look, struct err *err)
{
	enum unpack_kind kind = kind_of(look);

	look->members = 1;
	if (kind == UNPACK_ZIP || kind == UNPACK_CAB) {
		if (take_member(look, err) < 0)
			return -1;
		kind = kind_of(look);
	}
	if (kind != UNPACK_NONE && kind != UNPACK_ZIP && kind != UNPACK_CAB &&
	    take_packed(look, kind, err) < 0)
		return -1;
	look->slices = object_slice_count(look->map.bytes, look->map.size);
	return 0;
}

/* --- What it is ------------------------------------------------------------------------------------ */

/* MODULE os arch id name */
static enum object_type type_of_breakpad(struct text bytes)
{
	static const struct { const char *system; enum object_type type; } systems[] = {
		{ "MODULE mac ", OBJECT_TYPE_MACHO }, { "MODULE macos ", OBJECT_TYPE_MACHO },
		{ "MODULE ios ", OBJECT_TYPE_MACHO }, { "MODULE windows ", OBJECT_TYPE_PE },
	};

	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if (bytes.size > strlen(systems[i].system) &&
		    memcmp(bytes.bytes, systems[i].system, strlen(systems[i].system)) == 0)
			return systems[i].type;
	return OBJECT_TYPE_ELF;
}

/* A bundle does not say what its program is: its ids look like it. */
static enum object_type type_of_bundle(struct text code_id)
{
	if (code_id.size <= PE_DIGITS_MAX)
		return OBJECT_TYPE_PE;
	return code_id.size == UUID_DIGITS ? OBJECT_TYPE_MACHO : OBJECT_TYPE_ELF;
}

static enum object_type type_of(const struct object *object)
{
	const char *format = object->format->name;

	if (strcmp(format, "breakpad") == 0)
		return type_of_breakpad((struct text){ (const char *)object->bytes, object->size });
	if (strcmp(format, "sourcebundle") == 0)
		return type_of_bundle(object->code_id);
	if (strcmp(format, "pdb") == 0)
		return OBJECT_TYPE_PE;
	if (strcmp(format, "portablepdb") == 0)
		return OBJECT_TYPE_PE_DOTNET;
	return object_type_named(text_of(format));
}

static void write_object(const struct object *object, struct json_writer *json)
{
	char id[DEBUGID_TEXT_BYTES];

	json_member_string(json, "format", object->format->name);
	json_member_string(json, "type", object_type_name(type_of(object)));
	json_member_string(json, "kind", object_kind_name(object->kind));
	json_member_string(json, "arch", arch_name(object->arch));
	debugid_format(&object->debug_id, id);
	if (!debugid_is_nil(&object->debug_id))
		json_member_string(json, "debug_id", id);
	json_member_text(json, "code_id", object->code_id);
	json_member_text(json, "debug_file", object->debug_file);
	json_member_bool(json, "has_debug", object->offers & OBJECT_OFFERS_DEBUG);
}

static int take_slice(struct sort_probe *look, struct text slice, struct err *err)
{
	if (slice.size == look->map.size)
		return 0;
	look->where = "slice";
	return file_write_all(cell_output(look->cell, "slice"), slice.bytes, slice.size, err);
}

/* A mapping is known by the UUID of its bytes, and by what R8 calls it. */
static void write_mapping(const struct sort_probe *look, struct json_writer *json)
{
	struct debugid uuid = proguard_uuid(look->map.bytes, look->map.size);
	char id[DEBUGID_TEXT_BYTES];

	debugid_format(&uuid, id);
	json_member_string(json, "format", "proguard");
	json_member_string(json, "kind", "mapping");
	json_member_string(json, "arch", "any");
	json_member_string(json, "debug_id", id);
	json_member_text(json, "code_id", proguard_own_id(look->map.bytes, look->map.size));
}

static int tell(struct sort_probe *look, struct json_writer *json, struct err *err)
{
	struct object object;
	struct text slice;
	int rc;

	if (look->slice == 0 && look->map.size > 0 && proguard_probe(look->map.bytes, look->map.size)) {
		write_mapping(look, json);
		return 0;
	}
	if (look->slice >= look->slices || look->map.size == 0 ||
	    !object_recognise(look->map.bytes, look->map.size))
		return 0;
	if (object_slice(look->map.bytes, look->map.size, look->slice, &slice, err) < 0 ||
	    object_open(&object, slice.bytes, slice.size, &look->arena, err) < 0)
		return -1;
	rc = take_slice(look, slice, err);
	if (rc == 0)
		write_object(&object, json);
	object_release(&object);
	return rc;
}

/* What is wrong with one object is told, and that there are others. */
static int look_at(struct cell *cell, struct err *err)
{
	struct sort_probe look = { .cell = cell, .where = "file" };
	struct err trouble = ERR_INIT;
	struct json_writer json;
	int rc;

	arena_init(&look.arena, ARENA_BYTES);
	buf_init(&look.name, PATH_BYTES);
	json_writer_init(&json, cell->reply);
	json_object(&json);
	rc = read_numbers(&look, err);
	if (rc == 0)
		rc = file_map_fd(&look.map, cell_input(cell, "file"), err);
	if (rc == 0 && (open_up(&look, &trouble) < 0 || tell(&look, &json, &trouble) < 0))
		json_member_string(&json, "trouble", trouble.text);
	json_member_u64(&json, "members", look.members);
	json_member_u64(&json, "slices", look.slices);
	json_member_string(&json, "where", look.where);
	if (look.name.size > 0 && text_is_utf8(buf_text(&look.name)))
		json_member_text(&json, "name", buf_text(&look.name));
	json_object_end(&json);
	file_unmap(&look.map);
	buf_release(&look.name);
	arena_release(&look.arena);
	return rc < 0 ? -1 : buf_check(cell->reply, err);
}

const struct cell_operation cells_operation_sort_look = { "sort-look", look_at, NULL };

/* --- Where its source files are -------------------------------------------------------------------- */

struct listing {
	struct arena arena;
	struct map seen;
	struct text *paths;
	size_t count, capacity;
	struct buf path;
};

static int add_path(struct listing *listing, struct err *err)
{
	struct text path = buf_text(&listing->path);
	char *copy;

	if (listing->path.failed || path.size == 0 || text_has_controls(path) || !text_is_utf8(path) ||
	    map_get(&listing->seen, path))
		return 0;
	if (listing->count == PATHS_MAX)
		return err_set(err, ERR_LIMIT, "more than %u source files", PATHS_MAX);
	copy = arena_strndup(&listing->arena, path.bytes, path.size);
	if (!copy || vec_reserve(&listing->paths, &listing->capacity, listing->count + 1,
				 sizeof(*listing->paths)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for the names of source files");
	path.bytes = copy;
	listing->paths[listing->count++] = path;
	if (map_put(&listing->seen, path, listing) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for the names of source files");
	return 0;
}

/* Those with lines: what a unit merely names nobody quotes. */
static int take_function(void *payload, const struct object_file_name *files, size_t file_count,
			 const struct object_function *function, struct err *err)
{
	struct listing *listing = payload;
	uint32_t before = OBJECT_NO_FILE;

	for (size_t i = 0; i < function->line_count; i++) {
		uint32_t file = function->lines[i].file;
		struct symcache_frame frame;

		if (file == before || file >= file_count)
			continue;
		before = file;
		frame = (struct symcache_frame){
			.has_file = true, .comp_dir = files[file].comp_dir,
			.directory = files[file].directory, .name = files[file].name,
		};
		buf_clear(&listing->path);
		symcache_frame_path(&frame, &listing->path);
		if (add_path(listing, err) < 0)
			return -1;
	}
	return 0;
}

/* A bad unit costs itself. */
static int read_units(const struct object *object, struct listing *listing, struct err *err)
{
	const struct object_sink sink = { listing, take_function };
	struct arena scratch;
	int rc = 0;

	arena_init(&scratch, SCRATCH_BYTES);
	for (size_t i = 0; i < object_unit_count(object) && rc == 0; i++) {
		struct arena_mark mark = arena_mark(&scratch);
		struct err unit = ERR_INIT;

		if (object_read_unit(object, i, &scratch, &sink, &unit) < 0 &&
		    (unit.kind == ERR_NO_MEMORY || listing->count == PATHS_MAX)) {
			*err = unit;
			rc = -1;
		}
		arena_rewind(&scratch, mark);
	}
	arena_release(&scratch);
	return rc;
}

static int compare_paths(const void *left, const void *right)
{
	return text_compare(*(const struct text *)left, *(const struct text *)right);
}

static int write_paths(struct listing *listing, int fd, struct err *err)
{
	int rc = 0;

	if (listing->count > 1)
		qsort(listing->paths, listing->count, sizeof(*listing->paths), compare_paths);
	for (size_t i = 0; i < listing->count && rc == 0; i++) {
		rc = file_write_all(fd, listing->paths[i].bytes, listing->paths[i].size, err);
		if (rc == 0)
			rc = file_write_all(fd, "\n", 1, err);
	}
	return rc;
}

static int list_sources(struct cell *cell, struct err *err)
{
	struct listing listing = { .count = 0 };
	struct file_map map = { NULL, 0 };
	struct object object;
	struct arena arena;
	int rc = -1;

	arena_init(&arena, ARENA_BYTES);
	arena_init(&listing.arena, SCRATCH_BYTES);
	map_init(&listing.seen);
	buf_init(&listing.path, PATH_BYTES);
	if (file_map_fd(&map, cell_input(cell, "object"), err) == 0 &&
	    object_open(&object, map.bytes, map.size, &arena, err) == 0) {
		rc = object_prepare(&object, err);
		if (rc == 0)
			rc = read_units(&object, &listing, err);
		if (rc == 0)
			rc = write_paths(&listing, cell_output(cell, "paths"), err);
		object_release(&object);
	}
	mem_give_back(listing.paths);
	buf_release(&listing.path);
	map_release(&listing.seen);
	arena_release(&listing.arena);
	file_unmap(&map);
	arena_release(&arena);
	return rc;
}

const struct cell_operation cells_operation_sort_sources = { "sort-sources", list_sources, NULL };
