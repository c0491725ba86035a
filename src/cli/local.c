/* local.c -- see local.h. */
#include "cli/local.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "cli/subject.h"
#include "work/request_json.h"
#include "work/work.h"

#define ARENA_BYTES ((size_t)64 * 1024 * 1024)
#define SOURCE_BYTES 16384u
#define PATH_BYTES 4096u
/* Of a folder that is looked through. */
#define DEPTH_MAX 4u
#define ENTRIES_MAX 100000u
#define FILES_MAX 1000u
#define MADE_ID_DIGITS 40u

/* --- The folder of links ---------------------------------------------------------------- */

void local_source(const struct local *local, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_string(&json, "type", "filesystem");
	json_member_string(&json, "id", "local:machine");
	json_member_string(&json, "path", local->folder);
	json_key(&json, "layout");
	json_object(&json);
	json_member_string(&json, "type", "unified");
	json_object_end(&json);
	json_object_end(&json);
}

int local_init(struct local *local, const struct config *config, struct nursery *nursery,
	       const char *folder, struct err *err)
{
	struct cJSON *json;
	struct buf text;
	int rc = -1;

	memset(local, 0, sizeof(*local));
	local->config = config;
	local->nursery = nursery;
	arena_init(&local->arena, ARENA_BYTES);
	buf_init(&text, SOURCE_BYTES);
	if (file_make_folders(folder, 0700, err) < 0)
		goto done;
	/* Without `..`, which no request's source may have. */
	if (!realpath(folder, local->folder)) {
		err_os(err, errno, "%s", folder);
		goto done;
	}
	buf_add_char(&text, '[');
	local_source(local, &text);
	buf_add_char(&text, ']');
	if (request_json_parse(buf_text(&text), &local->arena, &json, err) == 0)
		rc = source_list_parse(json, SOURCE_OF_CONFIG, config, &local->arena, &local->sources,
				       err);
done:
	buf_release(&text);
	return rc;
}

void local_release(struct local *local)
{
	arena_release(&local->arena);
}

static struct text keep(struct local *local, struct text text)
{
	char *copy = text.bytes ? arena_strndup(&local->arena, text.bytes, text.size) : NULL;

	return copy ? (struct text){ copy, text.size } : TEXT_NONE;
}

/* --- One link ---------------------------------------------------------------------------- */

static const struct { const char *format; enum object_type type; enum file_type code, debug; }
formats[] = {
	{ "elf", OBJECT_TYPE_ELF, FILE_TYPE_ELF_CODE, FILE_TYPE_ELF_DEBUG },
	{ "macho", OBJECT_TYPE_MACHO, FILE_TYPE_MACH_CODE, FILE_TYPE_MACH_DEBUG },
	{ "pe", OBJECT_TYPE_PE, FILE_TYPE_PE, FILE_TYPE_PE },
	{ "pdb", OBJECT_TYPE_PE, FILE_TYPE_PDB, FILE_TYPE_PDB },
	{ "portablepdb", OBJECT_TYPE_PE_DOTNET, FILE_TYPE_PORTABLEPDB, FILE_TYPE_PORTABLEPDB },
	{ "wasm", OBJECT_TYPE_WASM, FILE_TYPE_WASM_CODE, FILE_TYPE_WASM_DEBUG },
	{ "breakpad", OBJECT_TYPE_UNKNOWN, FILE_TYPE_BREAKPAD, FILE_TYPE_BREAKPAD },
	{ "sourcebundle", OBJECT_TYPE_UNKNOWN, FILE_TYPE_SOURCEBUNDLE, FILE_TYPE_SOURCEBUNDLE },
};

static int make_link(struct local *local, struct text place, const char *target, struct err *err)
{
	char path[2 * PATH_BYTES], *slash;

	if ((size_t)snprintf(path, sizeof(path), "%s/%.*s", local->folder, (int)place.size,
			     place.bytes) >= sizeof(path))
		return err_set(err, ERR_IO, "the name is too long: %.*s", 100, place.bytes);
	slash = strrchr(path, '/');
	*slash = '\0';
	if (file_make_folders(path, 0700, err) < 0)
		return -1;
	*slash = '/';
	/* The first of its kind counts: it was looked for first. */
	if (symlink(target, path) < 0 && errno != EEXIST)
		return err_os(err, errno, "linking %s", path);
	local->link_count++;
	return 0;
}

/* Under one type's name; a file without ids has no place. */
static int link_as(struct local *local, const struct object_ids *ids, enum file_type type,
		   const char *path, struct err *err)
{
	const struct source_query query = { .ids = ids, .types = &type, .type_count = 1 };
	struct location_list locations = { .count = 0 };
	char target[PATH_MAX];

	if (source_locations(&local->sources.sources[0], &query, &local->arena, &locations,
			     err) < 0)
		return -1;
	if (locations.count == 0)
		return 0;
	if (!realpath(path, target))
		return err_os(err, errno, "%s", path);
	return make_link(local, locations.locations[0].path, target, err);
}

/* A program that was linked without a build id gets one of ours, by which only links and requests
 * of this run know it. */
static struct text id_of(struct local *local, const struct subject *subject)
{
	uint8_t hash[HASH_SHA256_BYTES];
	char hex[2 * HASH_SHA256_BYTES + 1];

	if (subject->object->code_id.size > 0 || !text_is(subject->object->format, "elf"))
		return subject->object->code_id;
	hash_sha256(subject->path, strlen(subject->path), hash);
	hex_format(hash, sizeof(hash), hex);
	return keep(local, (struct text){ hex, MADE_ID_DIGITS });
}

static int link_subject(struct local *local, const struct subject *subject, struct err *err)
{
	const struct described *object = subject->object;
	struct object_ids ids = { .code_id = id_of(local, subject) };

	if (!debugid_parse(object->debug_id, &ids.debug_id))
		ids.debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!text_is(object->format, formats[i].format))
			continue;
		ids.type = formats[i].type;
		if (!text_is(object->kind, "dbg") &&
		    link_as(local, &ids, formats[i].code, subject->path, err) < 0)
			return -1;
		if ((object->offers & DESCRIBE_DEBUG) || text_is(object->kind, "dbg"))
			return link_as(local, &ids, formats[i].debug, subject->path, err);
		return 0;
	}
	return 0;
}

/* --- What belongs to a file -------------------------------------------------------------- */

static bool path_of_fd(int fd, char path[PATH_MAX])
{
	char link[48];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, PATH_MAX - 1);
	path[size > 0 ? size : 0] = '\0';
	return size > 0;
}

static int link_wants(struct local *local, struct subject *subject, unsigned depth, struct err *err);

/* A file another one points to; what it is said to be it says itself. */
static int link_companion(struct local *local, const char *path, unsigned depth, struct err *err)
{
	struct subject subject;
	struct err why = ERR_INIT;
	int rc = 0;

	subject_init(&subject, local->config, local->nursery);
	if (subject_open(&subject, path, &why) == 0 && subject.object) {
		rc = link_subject(local, &subject, err);
		if (rc == 0)
			rc = link_wants(local, &subject, depth + 1, err);
	}
	subject_release(&subject);
	return rc;
}

static int link_found(struct local *local, int fd, unsigned depth, struct err *err)
{
	char path[PATH_MAX];
	bool known = fd >= 0 && path_of_fd(fd, path);

	if (fd >= 0)
		close(fd);
	return known ? link_companion(local, path, depth, err) : 0;
}

/* Its debug information by build id, by debug link, the dwz file of either. */
static int link_wants(struct local *local, struct subject *subject, unsigned depth, struct err *err)
{
	static const char *const roles[] = { "debuglink", "dwz" };
	const struct described *object = subject->object;
	char path[COMPANIONS_PATH_BYTES];

	if (depth > 2)
		return 0;
	if (!(object->offers & DESCRIBE_DEBUG) && text_is(object->format, "elf") &&
	    link_found(local, companions_by_build_id(&subject->companions, object->code_id, ".debug",
						     path), depth, err) < 0)
		return -1;
	for (size_t i = 0; i < object->want_count; i++) {
		const struct described_want *want = &object->wants[i];

		for (size_t j = 0; j < sizeof(roles) / sizeof(roles[0]); j++)
			if (text_is(want->role, roles[j]) &&
			    link_found(local, companions_find(&subject->companions, roles[j], want->id,
							      want->name), depth, err) < 0)
				return -1;
	}
	return 0;
}

/* --- Files --------------------------------------------------------------------------------- */

static int add_opened(struct local *local, struct subject *subject, struct local_file *file,
		      struct err *err)
{
	const struct described *object = subject->object;

	*file = (struct local_file){
		.path = keep(local, text_of(subject->path)), .format = keep(local, object->format),
		.debug_id = keep(local, object->debug_id), .code_id = keep(local, id_of(local, subject)),
		.load_address = object->load_address,
	};
	if (link_subject(local, subject, err) < 0 || link_wants(local, subject, 0, err) < 0 ||
	    subject_prefer_debug(subject, err) < 0)
		return -1;
	return subject->object ? link_subject(local, subject, err) : 0;
}

int local_add(struct local *local, const char *path, struct local_file *file, struct err *err)
{
	struct subject subject;
	struct stat st;
	struct err why = ERR_INIT;
	int rc = 0;

	if (stat(path, &st) < 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return 0;
	subject_init(&subject, local->config, local->nursery);
	if (subject_open(&subject, path, &why) == 0 && subject.object)
		rc = add_opened(local, &subject, file, err) < 0 ? -1 : 1;
	subject_release(&subject);
	return rc;
}

/* --- Folders ------------------------------------------------------------------------------- */

/* Without what says that a file is a debug file, or packed, or which version it is. */
static struct text stem_of(struct text path)
{
	static const char *const endings[] = {
		".gz", ".zst", ".xz", ".debug", ".dbg", ".sym", ".dSYM", ".pdb", ".exe", ".dll", ".dwp",
	};
	struct text name = text_basename(path);
	const char *version;

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (text_ends_with(name, endings[i]) && name.size > strlen(endings[i])) {
			name.size -= strlen(endings[i]);
			i = (size_t)-1;
		}
	version = name.size ? memmem(name.bytes, name.size, ".so.", strlen(".so.")) : NULL;
	if (version)
		name.size = (size_t)(version - name.bytes) + strlen(".so");
	return name;
}

bool local_is_called(struct text path, struct text name)
{
	struct text first = stem_of(path), second = stem_of(name);

	return first.size > 0 && text_equal_ignoring_case(first, second);
}

struct local_walk {
	struct local *local;
	const struct text *names;
	size_t name_count;
	local_found_fn *found;
	void *payload;
	size_t entries, files;
};

static bool is_wanted(const struct local_walk *walk, const char *name)
{
	for (size_t i = 0; i < walk->name_count; i++)
		if (local_is_called(text_of(name), walk->names[i]))
			return true;
	return false;
}

/* DIR/NAME/ID/FILE.sym, as a server of Breakpad files has it, with a name that was asked for to the
 * letter: a source of that folder finds it by its id, if it is what is wanted, and nobody need look
 * into what may be large. */
static bool is_in_symbol_server(const struct local_walk *walk, const char *path, unsigned depth)
{
	struct text parts[3] = { text_of(path) };    /* FILE.sym, ID, NAME */

	for (size_t i = 0; i < 3; i++) {
		struct text name = text_basename(parts[i]);

		if (i < 2)
			parts[i + 1] = (struct text){ parts[i].bytes, parts[i].size > name.size
						      ? parts[i].size - name.size - 1 : 0 };
		parts[i] = name;
	}
	if (depth != 2 || !text_ends_with(parts[0], ".sym") || parts[1].size <= 2 * DEBUGID_UUID_BYTES ||
	    !local_is_called(parts[0], parts[2]))
		return false;
	for (size_t i = 0; i < parts[1].size; i++)
		if (!strchr("0123456789ABCDEF", parts[1].bytes[i]))
			return false;
	for (size_t i = 0; i < walk->name_count; i++)
		if (text_equal(text_basename(walk->names[i]), parts[2]))
			return true;
	return false;
}

static int walk_folder(struct local_walk *walk, const char *folder, unsigned depth,
		       struct err *err);

static int walk_entry(struct local_walk *walk, const char *path, const char *name, unsigned depth,
		      struct err *err)
{
	struct local_file file;
	struct stat st;
	int rc;

	if (lstat(path, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode) && !text_ends_with(text_of(name), ".dSYM"))
		return depth < DEPTH_MAX ? walk_folder(walk, path, depth + 1, err) : 0;
	if (!is_wanted(walk, name) || walk->files >= FILES_MAX ||
	    (!walk->found && is_in_symbol_server(walk, path, depth)))
		return 0;
	walk->files++;
	rc = local_add(walk->local, path, &file, err);
	if (rc > 0 && walk->found)
		walk->found(walk->payload, &file);
	return rc < 0 ? -1 : 0;
}

static int walk_folder(struct local_walk *walk, const char *folder, unsigned depth, struct err *err)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[PATH_BYTES];
	int rc = 0;

	if (!dir)
		return 0;
	while (rc == 0 && walk->entries < ENTRIES_MAX && (entry = readdir(dir)) != NULL) {
		walk->entries++;
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) <
			    sizeof(path))
			rc = walk_entry(walk, path, entry->d_name, depth, err);
	}
	closedir(dir);
	return rc;
}

int local_add_folder(struct local *local, const char *folder, const struct text *names, size_t count,
		     local_found_fn *found, void *payload, struct err *err)
{
	struct local_walk walk = { .local = local, .names = names, .name_count = count, .found = found,
			     .payload = payload };

	return count > 0 ? walk_folder(&walk, folder, 0, err) : 0;
}
