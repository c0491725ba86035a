/*
 * js_file.c -- one file of a release, wherever it is found first:
 *
 *	known bundles -> known artifacts -> servers are asked, and both again -> stores of one's own
 *	      -> the web
 *
 * What was found hides what comes later, unless it is an entry of a bundle that cannot be read, or a
 * store's that is not there.
 */
#include "kinds/js/js.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_writer.h"
#include "kinds/js/js_url.h"

#define HEADED_BYTES ((size_t)8 * 1024)  /* no header of a download is longer (fetch) */

enum stage { STAGE_KNOWN, STAGE_ASK, STAGE_KNOWN_NOW, STAGE_STORES, STAGE_STORES_BUNDLES, STAGE_STORES_FILES,
	     STAGE_WEB };

static enum resolved error(void)
{
	return RESOLVED_ERROR;
}

/* --- Artifacts ------------------------------------------------------------------------------- */

static const struct js_artifact *find_artifact(const struct js *js, const struct text *candidates,
					       size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (const struct js_artifact *artifact = js->artifacts; artifact; artifact = artifact->next)
			if (text_equal(artifact->abs_path, candidates[i]))
				return artifact;
	return NULL;
}

/* A map inside a header is part of what is kept. */
static int make_file_key(struct js *js, struct js_try *made, struct text header, struct err *err)
{
	struct arena *arena = &js->work->arena;
	struct derive *derive = &made->held.derive;
	struct text rest;

	derive->kind = &derived_jsfile;
	derive->location = &made->location;
	if (lookup_location_text(&made->location, arena, &rest, err) < 0)
		return -1;
	made->header = header;
	if (text_starts_with(header, "data:")) {
		uint8_t hash[HASH_SHA256_BYTES];
		char digits[2 * HASH_SHA256_BYTES + 1];

		derive->part = header;
		hash_sha256(header.bytes, header.size, hash);
		hex_format(hash, sizeof(hash), digits);
		rest = text_of(arena_printf(arena, "%.*sform: js\nheader: %s\n", (int)rest.size, rest.bytes,
					    digits));
	} else {
		rest = text_of(arena_printf(arena, "%.*sform: js\n", (int)rest.size, rest.bytes));
	}
	if (!rest.bytes)
		return err_no_memory(err);
	if (lookup_make_key(&derive->key, js->work, CACHE_SOURCEFILES, &made->location, rest, err) < 0)
		return -1;
	derive->key.release = js->request.release;
	return 0;
}

static int try_artifact(struct js *js, struct js_file *file, const struct js_artifact *artifact,
			struct err *err)
{
	const struct source_query *query = js_query(js, &file->key, false);
	struct js_try *made = arena_alloc(&js->work->arena, 1, sizeof(*made));

	if (!made)
		return err_no_memory(err);
	if (!query)
		return err_no_memory(err);
	if (source_artifact_location(artifact->source, query, FILE_TYPE_MINIFIED_SOURCE, artifact->id,
				     artifact->url, &js->work->arena, &made->location, err) < 0)
		return -1;
	made->way = JS_WAY_ARTIFACT;
	made->uri = made->location.uri;
	made->resolved_with = artifact->resolved_with;
	made->is_never_empty = !artifact->has_headers;
	file->attempted = made;
	return make_file_key(js, made, artifact->source_map, err);
}

static enum resolved look_at_known(struct js *js, struct js_file *file, struct resolver *resolver,
				   struct err *err)
{
	struct text candidates[JS_URL_CANDIDATES];
	const struct js_artifact *artifact;
	enum resolved resolved = js_bundles_search(js, &file->key, &file->attempted, resolver, err);
	size_t count;

	if (resolved != RESOLVED_READY || file->attempted || !file->key.url.bytes)
		return resolved;
	count = js_url_candidates(file->key.url, &js->work->arena, candidates);
	if (!count) {
		err_no_memory(err);
		return error();
	}
	artifact = find_artifact(js, candidates, count);
	if (artifact && try_artifact(js, file, artifact, err) < 0)
		return error();
	return RESOLVED_READY;
}

/* --- Stores of one's own ---------------------------------------------------------------------- */

static int list_places(struct js *js, struct js_file *file, bool is_bundle, struct location_list *list,
		       struct err *err)
{
	const struct source_list *sources = js->request.sources;
	const struct source_query *query = js_query(js, &file->key, is_bundle);

	*list = (struct location_list){ NULL, 0, 0 };
	if (!query)
		return err_no_memory(err);
	for (size_t i = 0; i < sources->count; i++)
		if (!source_is_listed(&sources->sources[i]) &&
		    source_locations(&sources->sources[i], query, &js->work->arena, list, err) < 0)
			return -1;
	return 0;
}

static bool is_by_id(const struct js_file *file, const struct location *location)
{
	return !debugid_is_nil(&file->key.debug_id) && !text_starts_with(location->path, "releases/") &&
	       !memmem(location->path.bytes, location->path.size, "/releases/", 10);
}

static struct text way_of(const struct js_file *file, const struct location *location)
{
	return is_by_id(file, location) ? TEXT("debug-id") : TEXT("release");
}

static bool has_new(const struct js *js, const struct location_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!js_bundle_is_known(js, list->locations[i].uri))
			return true;
	return false;
}

/* Those of a debug id are the file's own: whatever else becomes known, they will be looked into. */
static enum resolved fetch_own_bundles(struct js *js, const struct js_file *file, const struct location_list *list,
				       struct resolver *resolver, struct err *err)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_by_id(file, &list->locations[i]) && !js_bundle_is_known(js, list->locations[i].uri) &&
		    js_bundle_fetch(js, &list->locations[i], resolver, err) == RESOLVED_ERROR)
			return error();
	return RESOLVED_WAIT;
}

/* While it waits for bundles of others' debug ids alone, and no server could tell of one that has all. */
static bool is_likely_to_have_its_own(const struct js *js, const struct js_file *file)
{
	const struct source_list *sources = js->request.sources;

	if (!js->is_ahead || file->has_fetched || debugid_is_nil(&file->key.debug_id) || !js_bundles_awaited_are_by_id(js))
		return false;
	for (size_t i = 0; i < sources->count; i++)
		if (source_is_listed(&sources->sources[i]))
			return false;
	return true;
}

static enum resolved fetch_meanwhile(struct js *js, struct js_file *file, struct resolver *resolver, struct err *err)
{
	struct location_list list;

	file->has_fetched = true;
	return list_places(js, file, true, &list, err) < 0 ? error() : fetch_own_bundles(js, file, &list, resolver, err);
}

/* Bundles that may be there are like those a server names. */
static enum resolved add_bundles(struct js *js, struct js_file *file, bool *is_news, struct resolver *resolver,
				 struct err *err)
{
	struct location_list list;

	*is_news = false;
	if (list_places(js, file, true, &list, err) < 0)
		return error();
	file->awaits_turn = js->is_ahead && has_new(js, &list);
	if (file->awaits_turn)
		return fetch_own_bundles(js, file, &list, resolver, err);
	for (size_t i = 0; i < list.count; i++)
		if (js_bundle_add(js, &list.locations[i], way_of(file, &list.locations[i]), is_news, err) < 0)
			return error();
	return RESOLVED_READY;
}

static int try_own(struct js *js, struct js_file *file, struct err *err)
{
	const struct location *location = &file->own.locations[file->own_tried++];
	struct js_try *made = arena_alloc(&js->work->arena, 1, sizeof(*made));

	if (!made)
		return err_no_memory(err);
	made->way = JS_WAY_OWN;
	made->location = *location;
	made->uri = location->uri;
	made->resolved_with = way_of(file, location);
	file->attempted = made;
	return make_file_key(js, made, TEXT_NONE, err);
}

/* --- The search -------------------------------------------------------------------------------- */

static enum resolved ask(struct js *js, struct js_file *file, struct resolver *resolver, struct err *err)
{
	bool is_news = false;
	enum resolved resolved = js_listing_ask(js, file, &is_news, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	js->has_news |= is_news;
	file->stage = is_news ? STAGE_KNOWN_NOW : STAGE_STORES;
	return resolved;
}

static enum resolved look_into_stores(struct js *js, struct js_file *file, struct resolver *resolver,
				      struct err *err)
{
	bool is_news;
	enum resolved resolved = add_bundles(js, file, &is_news, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	js->has_news |= is_news;
	if (list_places(js, file, false, &file->own, err) < 0)
		return error();
	file->stage = is_news ? STAGE_STORES_BUNDLES : STAGE_STORES_FILES;
	return RESOLVED_READY;
}

static enum resolved look_further(struct js *js, struct js_file *file, struct resolver *resolver,
				  struct err *err)
{
	enum resolved resolved = RESOLVED_READY;

	if (file->awaits_turn && js->is_ahead)
		return RESOLVED_WAIT;
	switch (file->stage) {
	case STAGE_KNOWN: case STAGE_KNOWN_NOW: case STAGE_STORES_BUNDLES:
		resolved = look_at_known(js, file, resolver, err);
		if (resolved == RESOLVED_WAIT && is_likely_to_have_its_own(js, file))
			return fetch_meanwhile(js, file, resolver, err);
		if (resolved == RESOLVED_READY && !file->attempted)
			file->stage = file->stage == STAGE_KNOWN ? STAGE_ASK
				      : file->stage == STAGE_KNOWN_NOW ? STAGE_STORES : STAGE_STORES_FILES;
		return resolved;
	case STAGE_ASK:
		return ask(js, file, resolver, err);
	case STAGE_STORES:
		return look_into_stores(js, file, resolver, err);
	case STAGE_STORES_FILES:
		if (file->own_tried == file->own.count)
			file->stage = STAGE_WEB;
		else if (try_own(js, file, err) < 0)
			return error();
		return RESOLVED_READY;
	default:
		return js_scrape_begin(js, file, err) < 0 ? error() : RESOLVED_READY;
	}
}

/* --- What was found ----------------------------------------------------------------------------- */

/* Of two files of the same text that came with other maps in their heads one is not the other. */
static void mark_headed(struct js_try *attempted, struct text inside)
{
	uint8_t both[2 * HASH_SHA256_BYTES];

	if (attempted->way != JS_WAY_SCRAPED || attempted->map != JSFILE_MAP_INSIDE || inside.size > HEADED_BYTES)
		return;
	memcpy(both, attempted->sha256, HASH_SHA256_BYTES);
	hash_sha256(inside.bytes, inside.size, both + HASH_SHA256_BYTES);
	hash_sha256(both, sizeof(both), attempted->sha256);
}

struct js_opening { struct js_try *attempted; struct arena *arena; };

static int open_file(void *payload, struct text bytes, struct err *damage)
{
	struct js_opening *opening = payload;
	struct js_try *attempted = opening->attempted;
	struct jsfile *file = &attempted->file;
	char *copy;

	if (jsfile_open(file, bytes.bytes, bytes.size, damage) < 0)
		return -1;
	copy = arena_strndup(opening->arena, file->reference.bytes, file->reference.size);
	if (!copy)
		return err_set(damage, ERR_NO_MEMORY, "no memory for a reference");
	attempted->map = file->map;
	attempted->reference = (struct text){ copy, file->reference.size };
	/* A header is final. */
	if (attempted->header.bytes && !text_starts_with(attempted->header, "data:")) {
		attempted->map = JSFILE_MAP_AT;
		attempted->reference = attempted->header;
	}
	attempted->debug_id = file->debug_id;
	memcpy(attempted->sha256, file->sha256, sizeof(attempted->sha256));
	mark_headed(attempted, file->inside);
	attempted->is_empty = file->text.size == 0;
	return 0;
}

static void tell_found(struct js_file *file)
{
	if (file->key.url.bytes && !file->attempt.is_told)
		file->attempt = (struct js_attempt){ .is_told = true, .url = file->key.url,
						     .status = "not_attempted" };
}

static void settle(struct js_file *file, enum err_kind failure, struct text details)
{
	file->is_settled = true;
	file->failure = failure;
	file->details = details;
}

/* An empty file that was served with headers stands for one that has no text (byte code). */
static int conclude(struct js *js, struct js_file *file, struct err *err)
{
	struct js_try *attempted = file->attempted;
	struct held *held = &attempted->held;
	enum err_kind failure = held->failure;

	if (!failure && attempted->is_empty && attempted->is_never_empty)
		failure = ERR_NOT_FOUND;
	if (failure && attempted->way == JS_WAY_BUNDLE) {
		file->attempted = NULL;
		return js_bundle_mark_bad(js, attempted, err);
	}
	if (failure && attempted->way == JS_WAY_OWN) {
		file->attempted = NULL;
		return 0;
	}
	if (attempted->way == JS_WAY_ARTIFACT && !attempted->is_never_empty && failure == ERR_NOT_FOUND) {
		failure = ERR_NONE;
		file->is_empty = true;
		attempted->map = attempted->header.bytes ? JSFILE_MAP_AT : JSFILE_MAP_NONE;
		attempted->reference = attempted->header;
	}
	settle(file, failure, held->details);
	if (attempted->way == JS_WAY_SCRAPED)
		js_scrape_end(file, held, &js->work->arena);
	else
		tell_found(file);
	return 0;
}

static enum resolved resolve_try(struct js *js, struct js_file *file, struct resolver *resolver,
				 struct err *err)
{
	struct js_opening opening = { file->attempted, &js->work->arena };
	const struct held_opening how = {
		.open = open_file, .payload = &opening, .arena = &js->work->arena, .list = &js->open,
	};
	enum resolved resolved = held_resolve(&file->attempted->held, &how, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	if (file->is_settled) {
		/* It was there, and is not any more. */
		settle(file, file->attempted->held.failure, file->attempted->held.details);
		return resolved;
	}
	return conclude(js, file, err) < 0 ? error() : RESOLVED_READY;
}

/* One that was found may have to be had once more: it is where it was. */
enum resolved js_file_resolve(struct js *js, struct js_file *file, struct resolver *resolver,
			      struct err *err)
{
	enum resolved resolved = RESOLVED_READY;

	while (resolved == RESOLVED_READY) {
		if (file->is_settled && (!file->attempted || file->attempted->held.is_settled))
			return RESOLVED_READY;
		resolved = file->attempted ? resolve_try(js, file, resolver, err)
					   : look_further(js, file, resolver, err);
	}
	return resolved;
}

void js_file_release(struct js_file *file)
{
	js_listing_release(file);
	if (file->attempted)
		held_release(&file->attempted->held);
}

/* --- What is told of it --------------------------------------------------------------------------- */

static void write_key(const struct js_file_key *key, struct json_writer *json)
{
	static const char *const names[] = {
		[JS_MINIFIED] = "minified_source", [JS_MAP] = "source_map", [JS_SOURCE] = "source",
	};
	char id[DEBUGID_TEXT_BYTES];

	json_object(json);
	json_key(json, names[key->type]);
	json_object(json);
	json_member_text(json, "abs_path", key->url);
	if (!debugid_is_nil(&key->debug_id) && key->type != JS_SOURCE) {
		debugid_format(&key->debug_id, id);
		json_member_string(json, "debug_id", id);
	}
	json_object_end(json);
	json_object_end(json);
}

/* A file by itself is told by its URI alone, one in a bundle by both. */
static void write_origin(const struct js_file *file, struct json_writer *json)
{
	const struct js_try *found = file->attempted;

	if (found->way != JS_WAY_BUNDLE) {
		json_text(json, found->uri);
		return;
	}
	json_object(json);
	json_key(json, "bundled");
	json_array(json);
	json_text(json, found->uri);
	write_key(&file->key, json);
	json_array_end(json);
	json_object_end(json);
}

struct text js_file_origin(const struct js_file *file, struct work *work)
{
	struct json_writer json;
	struct text copy;
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	json_writer_init(&json, &out);
	write_origin(file, &json);
	copy = (struct text){ out.failed ? NULL : arena_strndup(&work->arena, out.bytes, out.size), out.size };
	buf_release(&out);
	return copy.bytes ? copy : TEXT_NONE;
}

/* Of a file from the web what is in it counts, not when it was fetched. */
struct text js_file_identity(const struct js_file *file, struct work *work)
{
	const struct js_try *found = file->attempted;
	char digits[2 * HASH_SHA256_BYTES + 1];
	const char *made;

	if (found->way == JS_WAY_SCRAPED) {
		hex_format(found->sha256, sizeof(found->sha256), digits);
		made = arena_printf(&work->arena, "%s %s", found->link.url, digits);
	} else if (found->held.derive.key.text.bytes) {
		hex_format(found->held.derive.key.text_hash, HASH_SHA256_BYTES, digits);
		made = arena_printf(&work->arena, "%.*s %s", (int)found->uri.size, found->uri.bytes, digits);
	} else {
		made = NULL;
	}
	return text_of(made);
}
