/* tried.c -- see tried.h. */
#include "cli/tried.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "source/source.h"
#include "lookup/lookup.h"
#include "work/request_json.h"
#include "work/work.h"

#define MODULES_SHOWN 3u
#define PATHS_SHOWN 40u
/* As replies have it, of modules alone. */
#define MISSING "\"debug_status\":\"missing\""

struct tried {
	struct arena arena;
	struct source_list sources;
	struct buf out;
	size_t modules;
};

static int read_sources(struct tried *tried, struct text sources, const struct config *config)
{
	struct err err = ERR_INIT;
	struct cJSON *json;
	struct buf array;
	int rc;

	buf_init(&array, LIMIT_REPLY_BYTES);
	buf_add_char(&array, '[');
	buf_add_text(&array, sources);
	buf_add_char(&array, ']');
	rc = request_json_parse(buf_text(&array), &tried->arena, &json, &err);
	if (rc == 0)
		rc = source_list_parse(json, SOURCE_OF_CONFIG, config, &tried->arena, &tried->sources,
				       &err);
	buf_release(&array);
	return rc;
}

/* The folder of links is of no interest to anybody. */
static bool is_ours(const struct source *source)
{
	return text_is(source->id, "local:machine");
}

static bool is_repeated(const struct location_list *locations, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (text_equal(locations->locations[i].uri, locations->locations[index].uri))
			return true;
	return false;
}

static void list_paths(struct tried *tried, const struct object_ids *ids)
{
	struct location_list locations = { .count = 0 };
	struct source_query query = { .ids = ids };
	struct err err = ERR_INIT;

	query.types = lookup_file_types(LOOKUP_DEBUG, ids->type, &query.type_count);
	for (size_t i = 0; i < tried->sources.count; i++)
		if (!is_ours(&tried->sources.sources[i]) &&
		    source_locations(&tried->sources.sources[i], &query, &tried->arena, &locations,
				     &err) < 0)
			return;
	for (size_t i = 0; i < locations.count && i < PATHS_SHOWN; i++) {
		struct text uri = locations.locations[i].uri;

		if (is_repeated(&locations, i))
			continue;
		buf_add_string(&tried->out, "    ");
		buf_add_visible(&tried->out, text_starts_with(uri, "file://")
				? (struct text){ uri.bytes + 7, uri.size - 7 } : uri);
		buf_add_char(&tried->out, '\n');
	}
	if (locations.count == 0)
		buf_add_string(&tried->out, "    nowhere: it has no id that a layout goes by\n");
}

static void show_module(struct tried *tried, const cJSON *module)
{
	struct object_ids ids = { .code_id = cli_member(module, "code_id"),
				  .code_file = cli_member(module, "code_file"),
				  .debug_file = cli_member(module, "debug_file"),
				  .type = object_type_named(cli_member(module, "type")) };
	struct text name = ids.code_file.size > 0 ? ids.code_file : ids.debug_file;

	if (++tried->modules > MODULES_SHOWN)
		return;
	if (!debugid_parse(cli_member(module, "debug_id"), &ids.debug_id))
		ids.debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	buf_add_string(&tried->out, "symgate: ");
	buf_add_visible(&tried->out, name.size > 0 ? name : TEXT("a module without a name"));
	buf_add_string(&tried->out, " was looked for at\n");
	list_paths(tried, &ids);
}

void tried_show(struct text reply, struct text sources, const struct config *config)
{
	struct tried tried = { .modules = 0 };
	struct err err = ERR_INIT;
	const cJSON *module;
	cJSON *json;

	if (!memmem(reply.bytes, reply.size, MISSING, sizeof(MISSING) - 1))
		return;                      /* as a rule all is found */
	arena_init(&tried.arena, 4 * LIMIT_REPLY_BYTES);
	buf_init(&tried.out, LIMIT_REPLY_BYTES);
	if (read_sources(&tried, sources, config) < 0 ||
	    request_json_parse(reply, &tried.arena, &json, &err) < 0)
		goto done;
	cJSON_ArrayForEach(module, cJSON_GetObjectItemCaseSensitive(json, "modules"))
		if (text_is(cli_member(module, "debug_status"), "missing"))
			show_module(&tried, module);
	fputs(buf_string(&tried.out), stderr);
	if (tried.modules > MODULES_SHOWN)
		fprintf(stderr, "symgate: and %zu more modules\n", tried.modules - MODULES_SHOWN);
done:
	buf_release(&tried.out);
	arena_release(&tried.arena);
}
