/*
 * transcode.c -- in a cell that starts a program: the operator's transcoder makes a SymCache file of a PDB
 * (doc/wpa.md says what it is given and what is expected).
 */
#include "convert/convert_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "config/config.h"
#include "convert/transcode_files.h"
#include "sandbox/sandbox.h"
#include "sandbox/tool.h"

#define ARENA_BYTES ((size_t)4 << 20)
#define PLACE_PDB "{pdb}"
#define PLACE_OUT "{out}"
#define OURS 5u                          /* variables and words that we add */
#define SAID_BYTES 300u                  /* of its words in ours */

/* --- The asking side ----------------------------------------------------------------------------- */

static void write_list(struct json_writer *json, const char *name, const char *const *list)
{
	json_key(json, name);
	json_array(json);
	for (; *list; list++)
		json_string(json, *list);
	json_array_end(json);
}

int convert_transcode_parameters(const struct convert_transcode *transcode, struct buf *out,
				 struct err *err)
{
	const struct config_transcoder *transcoder = transcode->transcoder;
	char version[SEMVER_TEXT_BYTES];
	struct json_writer json;

	semver_format(&transcoder->version, version);
	json_writer_init(&json, out);
	json_object(&json);
	json_member_string(&json, "version", version);
	json_member_text(&json, "name", transcode->name);
	json_member_string(&json, "scratch", transcode->scratch);
	json_member_string(&json, "folder", transcoder->folder ? transcoder->folder : "");
	json_member_bool(&json, "windows", transcoder->has_windows_paths);
	json_member_u64(&json, "timeout", (uint64_t)transcoder->timeout_millis);
	json_member_u64(&json, "memory", transcode->memory_bytes);
	json_member_u64(&json, "file", transcode->file_bytes);
	json_member_u64(&json, "cpu", transcode->cpu_seconds);
	write_list(&json, "command", transcoder->command);
	write_list(&json, "environment", transcoder->environment);
	write_list(&json, "writable", transcoder->writable);
	json_object_end(&json);
	return buf_check(out, err);
}

/* --- In the cell ----------------------------------------------------------------------------------- */

struct transcoding {
	cJSON *told;
	struct arena arena;
	struct transcode_scratch scratch;
	bool is_windows;
	char pdb[TRANSCODE_PATH_BYTES + 300], out[TRANSCODE_PATH_BYTES + 8];    /* as we know them */
	const char *pdb_told, *out_told;             /* as the program does */
};

/* "Z:\var\lib\...": Wine's name for our root. */
static const char *told_path(struct transcoding *transcoding, const char *path)
{
	char *copy = arena_printf(&transcoding->arena, "%s%s", transcoding->is_windows ? "Z:" : "", path);

	for (char *at = copy; at && transcoding->is_windows && *at; at++)
		if (*at == '/')
			*at = '\\';
	return copy;
}

static const char **new_list(struct transcoding *transcoding, const cJSON *list, struct err *err)
{
	const char **words = arena_alloc(&transcoding->arena, (size_t)cJSON_GetArraySize(list) + OURS + 1,
					 sizeof(*words));

	if (!words)
		err_set(err, ERR_NO_MEMORY, "no memory for a program's words");
	return words;
}

/* A word with the places in it filled in. */
static const char *expand(struct transcoding *transcoding, const char *word)
{
	const char *pdb = strstr(word, PLACE_PDB), *out = strstr(word, PLACE_OUT);
	const char *at = pdb && (!out || pdb < out) ? pdb : out;
	const char *rest;

	if (!at)
		return word;
	rest = expand(transcoding, at + strlen(PLACE_PDB));
	return rest ? arena_printf(&transcoding->arena, "%.*s%s%s", (int)(at - word), word,
				   at == pdb ? transcoding->pdb_told : transcoding->out_told, rest) : NULL;
}

/* One that names no place is symcachegen's: it gets "-pdb PATH". */
static const char **make_command(struct transcoding *transcoding, struct err *err)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(transcoding->told, "command"), *item;
	const char **words = new_list(transcoding, list, err);
	bool has_place = false;
	size_t count = 0;

	if (!words)
		return NULL;
	cJSON_ArrayForEach(item, list) {
		const char *word = cJSON_IsString(item) ? item->valuestring : "";

		has_place |= strstr(word, PLACE_PDB) != NULL;
		words[count] = expand(transcoding, word);
		if (!words[count++]) {
			err_set(err, ERR_NO_MEMORY, "no memory for a program's words");
			return NULL;
		}
	}
	if (!has_place) {
		words[count++] = "-pdb";
		words[count++] = transcoding->pdb_told;
	}
	return words;
}

/* The first of a name counts: what has to be so, what the operator says, what is usual. */
static const char **make_environment(struct transcoding *transcoding, struct err *err)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(transcoding->told, "environment"), *item;
	const char **words = new_list(transcoding, list, err);
	struct arena *arena = &transcoding->arena;
	const char *scratch = transcoding->scratch.path;
	const char *unused = told_path(transcoding, arena_printf(arena, "%s/unused", scratch));
	size_t count = 0;

	if (!words)
		return NULL;
	words[count++] = arena_printf(arena, "_NT_SYMBOL_PATH=%s", unused ? unused : "");
	words[count++] = arena_printf(arena, "_NT_SYMCACHE_PATH=%s", transcoding->out_told);
	cJSON_ArrayForEach(item, list)
		if (cJSON_IsString(item))
			words[count++] = item->valuestring;
	words[count++] = "PATH=/usr/local/bin:/usr/bin:/bin";
	words[count++] = arena_printf(arena, "HOME=%s", scratch);
	words[count] = arena_printf(arena, "TMPDIR=%s/tmp", scratch);
	if (words[0] && words[1] && words[count - 1] && words[count])
		return words;
	err_set(err, ERR_NO_MEMORY, "no memory for a program's words");
	return NULL;
}

static const char **make_writable(struct transcoding *transcoding, struct err *err)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(transcoding->told, "writable"), *item;
	const char **words = new_list(transcoding, list, err);
	size_t count = 0;

	cJSON_ArrayForEach(item, list)
		if (words && cJSON_IsString(item))
			words[count++] = item->valuestring;
	return words;
}

static int prepare(struct transcoding *transcoding, const struct cell *cell, struct err *err)
{
	const char *scratch, *name;

	if (convert_json_parse(cell->parameters, &transcoding->told, err) < 0)
		return -1;
	scratch = convert_json_string(transcoding->told, "scratch");
	name = convert_json_string(transcoding->told, "name");
	transcoding->is_windows = convert_json_bool(transcoding->told, "windows");
	if (!scratch || !name || strchr(name, '/') || strlen(name) > 255)
		return err_set(err, ERR_INTERNAL, "a transcoder without a folder or a name");
	if (transcode_scratch_make(&transcoding->scratch, scratch, err) < 0)
		return -1;
	snprintf(transcoding->pdb, sizeof(transcoding->pdb), "%s/pdb/%s", transcoding->scratch.path, name);
	snprintf(transcoding->out, sizeof(transcoding->out), "%s/out", transcoding->scratch.path);
	transcoding->pdb_told = told_path(transcoding, transcoding->pdb);
	transcoding->out_told = told_path(transcoding, transcoding->out);
	if (!transcoding->pdb_told || !transcoding->out_told)
		return err_set(err, ERR_NO_MEMORY, "no memory for a program's words");
	return transcode_copy(cell_input(cell, "object"), transcoding->pdb, -1, err);
}

/* Facts about the program and this PDB: remembered for a minute, then longer with each time. */
static int judge(const struct tool_end *end, const char *program, struct err *err)
{
	const char *said = end->said[0] ? ": " : "";

	switch (end->kind) {
	case TOOL_EXITED:
		return end->code == 0 ? 0 : err_set(err, ERR_CRASHED, "%s exited with code %d%s%.*s", program,
						    end->code, said, SAID_BYTES, end->said);
	case TOOL_KILLED:
		return err_set(err, ERR_CRASHED, "%s was ended by signal %d%s%.*s", program, end->code, said,
			       SAID_BYTES, end->said);
	case TOOL_NOT_STARTED:
		return err_set(err, ERR_CRASHED, "%s cannot be started: %s", program, strerrordesc_np(end->code));
	default:
		return err_set(err, ERR_LIMIT, "%s took longer than its timeout%s%.*s", program, said,
			       SAID_BYTES, end->said);
	}
}

static int run_program(struct transcoding *transcoding, struct err *err)
{
	const cJSON *told = transcoding->told;
	const char *folder = convert_json_string(told, "folder");
	const char **command = make_command(transcoding, err);
	const char **environment = command ? make_environment(transcoding, err) : NULL;
	const char **writable = environment ? make_writable(transcoding, err) : NULL;
	struct tool_order order = {
		.command = command, .environment = environment, .writable = writable,
		.folder = folder && folder[0] ? folder : transcoding->scratch.path,
		.scratch = transcoding->scratch.path,
		.timeout_millis = (int64_t)convert_json_u64(told, "timeout"),
		.memory_bytes = convert_json_u64(told, "memory"),
		.file_bytes = convert_json_u64(told, "file"), .cpu_seconds = convert_json_u64(told, "cpu"),
	};
	struct tool_end end;

	if (!writable || tool_run(&order, &end, err) < 0)
		return -1;
	return judge(&end, command[0], err);
}

static int take_output(struct transcoding *transcoding, const struct cell *cell, struct err *err)
{
	const char *version = convert_json_string(transcoding->told, "version");
	int fd, rc;

	if (transcode_find(transcoding->out, version ? version : "", &fd, err) < 0)
		return -1;
	rc = transcode_copy(fd, NULL, cell_output(cell, "symcache"), err);
	close(fd);
	return rc;
}

int convert_run_transcode(struct cell *cell, struct err *err)
{
	struct transcoding transcoding = { .scratch = { "", -1 } };
	int rc = -1;

	arena_init(&transcoding.arena, ARENA_BYTES);
	if (prepare(&transcoding, cell, err) == 0 && run_program(&transcoding, err) == 0)
		rc = take_output(&transcoding, cell, err);
	transcode_scratch_remove(&transcoding.scratch);
	cJSON_Delete(transcoding.told);
	arena_release(&transcoding.arena);
	if (rc == 0)
		buf_add_string(cell->reply, "{}");
	return rc;
}
