/* sort_file.c -- one file of whatever kind: its objects, one after the other, each looked at in a cell. */
#include "cli/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "cli/cli_cells.h"
#include "work/request_json.h"

#define REPLY_BYTES   ((size_t)1 << 20)
#define ARENA_BYTES   ((size_t)16 << 20)
#define MEMBERS_MAX   65536u             /* of one archive */
#define OUTPUTS       3u

static const char *const output_names[OUTPUTS] = { "member", "unpacked", "slice" };

struct sort_look {
	struct sort *sort;
	const char *path;
	int fd, outputs[OUTPUTS];
	struct arena arena;          /* of one object */
	size_t members, slices;
	bool has_trouble;
};

/* An error that costs one object, or one file. */
static void say(struct sort_look *look, struct text member, struct text words)
{
	char line[2 * ERR_TEXT_BYTES];

	snprintf(line, sizeof(line), "%s%s: %s%s%.*s%s%.*s",
		 look->sort->options.ignores_errors ? "ignored " : "", "error", look->path,
		 member.size ? ": " : "", (int)member.size, member.size ? member.bytes : "", ": ",
		 (int)words.size, words.bytes);
	cli_say(line);
	look->has_trouble = true;
}

/* --- What its cell says ---------------------------------------------------------------------------- */

static int descriptor_of(const struct sort_look *look, struct text where)
{
	for (unsigned i = 0; i < OUTPUTS; i++)
		if (text_is(where, output_names[i]))
			return look->outputs[i];
	return look->fd;
}

static size_t number_of(const cJSON *json, const char *name, size_t most)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
	double value = cJSON_IsNumber(item) ? item->valuedouble : 0;

	return value < 0 ? 0 : value > (double)most ? most : (size_t)value;
}

/* A name for layouts: of a debug file what it calls itself, of code the file's. */
static void name_object(const struct sort_look *look, const cJSON *json, struct sorted_object *object)
{
	struct text member = cli_member(json, "name"), itself = cli_member(json, "debug_file");
	struct text file = text_basename(member.bytes ? member : text_of(look->path));
	bool names_itself = text_is(object->format, "breakpad") && itself.size > 0;

	object->name = names_itself ? itself : file;
	object->ids.code_file = object->name;
	object->ids.debug_file = text_is(object->format, "pe") && itself.size > 0 ? itself : object->name;
}

static bool read_object(const struct sort_look *look, const cJSON *json, struct sorted_object *object)
{
	*object = (struct sorted_object){
		.format = cli_member(json, "format"), .kind = cli_member(json, "kind"),
		.arch = cli_member(json, "arch"),
		.has_debug = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "has_debug")),
		.fd = descriptor_of(look, cli_member(json, "where")),
	};
	if (!object->format.bytes)
		return false;
	object->ids.type = object_type_named(cli_member(json, "type"));
	object->ids.code_id = cli_member(json, "code_id");
	if (!debugid_parse(cli_member(json, "debug_id"), &object->ids.debug_id))
		object->ids.debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	if (text_is(object->format, "proguard")) {
		object->own_id = object->ids.code_id;
		object->ids.code_id = TEXT_NONE;
	}
	name_object(look, json, object);
	return true;
}

/* --- One object ------------------------------------------------------------------------------------ */

/* Those that name a mapping by the id R8 gave it find it there, besides. */
static int place_by_own_id(struct sort_look *look, const struct sorted_object *object, struct text own_id,
			   struct err *err)
{
	struct sorted_object named = *object;
	struct text path;
	int placed;

	named.ids.code_id = own_id;
	if (sort_path(look->sort, &named, FILE_TYPE_PROGUARD, &look->arena, &path, err) < 0)
		return -1;
	placed = path.bytes ? sort_place(look->sort, &named, path, named.fd, &look->arena, err) : 0;
	return placed < 0 ? -1 : 0;
}

/* -1: nothing more can be written. */
static int place_object(struct sort_look *look, const struct sorted_object *object, struct err *err)
{
	struct sort *sort = look->sort;
	enum file_type type = sort_file_type(object);
	struct err trouble = ERR_INIT;
	struct text path = TEXT_NONE;
	int placed;

	if (type == FILE_TYPES)
		return 0;
	if (sort_path(sort, object, type, &look->arena, &path, err) < 0)
		return -1;
	if (!path.bytes) {
		say(look, object->name, TEXT("this layout has no place for it, or it has no id"));
		return 0;
	}
	sort->found++;
	placed = sort_place(sort, object, path, object->fd, &look->arena, err);
	if (placed < 0 || (object->own_id.size && place_by_own_id(look, object, object->own_id, err) < 0))
		return -1;
	sort->placed += placed > 0;
	if (!sort->options.with_sources || !object->has_debug)
		return 0;
	placed = sort_sources(sort, object, &look->arena, &trouble);
	if (placed < 0)
		say(look, object->name, text_of(trouble.text));
	sort->bundles += placed > 0;
	return 0;
}

static int empty_outputs(const struct sort_look *look, struct err *err)
{
	for (unsigned i = 0; i < OUTPUTS; i++)
		if (ftruncate(look->outputs[i], 0) < 0 || lseek(look->outputs[i], 0, SEEK_SET) < 0)
			return err_os(err, errno, "emptying a temporary file");
	return 0;
}

static int take_reply(struct sort_look *look, struct text reply, struct err *err)
{
	struct sorted_object object;
	struct text trouble;
	struct cJSON *json;

	if (request_json_parse(reply, &look->arena, &json, err) < 0)
		return -1;
	look->members = number_of(json, "members", MEMBERS_MAX);
	look->slices = number_of(json, "slices", LIMIT_FAT_SLICES);
	trouble = cli_member(json, "trouble");
	if (trouble.bytes)
		say(look, cli_member(json, "name"), trouble);
	return !trouble.bytes && read_object(look, json, &object) ? place_object(look, &object, err) : 0;
}

static int look_at(struct sort_look *look, size_t member, size_t slice, struct err *err)
{
	struct arena_mark mark = arena_mark(&look->arena);
	const struct cell_file input = { .role = "file", .fd = look->fd };
	struct cell_file outputs[OUTPUTS] = { { .fd = -1 } };
	struct err trouble = ERR_INIT;
	char parameters[64];
	struct buf reply;
	int rc = 0;

	snprintf(parameters, sizeof(parameters), "%zu %zu", member, slice);
	for (unsigned i = 0; i < OUTPUTS; i++) {
		snprintf(outputs[i].role, sizeof(outputs[i].role), "%s", output_names[i]);
		outputs[i].fd = look->outputs[i];
	}
	buf_init(&reply, REPLY_BYTES);
	look->slices = 0;
	if (empty_outputs(look, err) < 0)
		rc = -1;
	else if (cells_run(look->sort->nursery, &(struct cell_order){
				.operation = "sort-look", .parameters = text_of(parameters), .inputs = &input,
				.input_count = 1, .outputs = outputs, .output_count = OUTPUTS },
			   NULL, NULL, &reply, &trouble) < 0)
		say(look, TEXT_NONE, text_of(trouble.text));
	else
		rc = take_reply(look, buf_text(&reply), err);
	buf_release(&reply);
	arena_rewind(&look->arena, mark);
	return rc;
}

/* --- All of them ----------------------------------------------------------------------------------- */

static int look_at_all(struct sort_look *look, struct err *err)
{
	size_t member = 0;

	do {
		size_t slice = 0;

		do
			if (look_at(look, member, slice, err) < 0)
				return -1;
		while (++slice < look->slices);
	} while (++member < look->members);
	return 0;
}

int sort_file(struct sort *sort, const char *path, struct err *err)
{
	struct sort_look look = { .sort = sort, .path = path, .fd = -1, .outputs = { -1, -1, -1 } };
	struct stat st;
	int rc = 0;

	arena_init(&look.arena, ARENA_BYTES);
	look.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (look.fd < 0 || fstat(look.fd, &st) < 0)
		say(&look, TEXT_NONE, text_of(strerrordesc_np(errno)));
	else if (S_ISREG(st.st_mode) && st.st_size > 0) {
		for (unsigned i = 0; i < OUTPUTS && rc == 0; i++)
			rc = cells_temporary(&look.outputs[i], err);
		if (rc == 0)
			rc = look_at_all(&look, err);
	}
	for (unsigned i = 0; i < OUTPUTS; i++)
		if (look.outputs[i] >= 0)
			close(look.outputs[i]);
	if (look.fd >= 0)
		close(look.fd);
	arena_release(&look.arena);
	sort->failed += look.has_trouble;
	return rc;
}
