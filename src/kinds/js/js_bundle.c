/* js_bundle.c -- the artifact bundles of a request, and what they have for a file. */
#include "kinds/js/js.h"

#include "base/arena.h"
#include "base/buf.h"
#include "kinds/js/js_url.h"

struct js_bad_entry { struct js_bad_entry *next; uint32_t number; };

/* --- Known ones ---------------------------------------------------------------------------- */

/* What is made of it in this form stands beside what others make of the same file. */
static int make_keys(struct js_bundle *bundle, struct work *work, struct err *err)
{
	struct derive *derive = &bundle->index.derive;
	struct text text, form;

	derive->kind = &derived_jsbundle;
	derive->location = &bundle->location;
	if (lookup_location_text(&bundle->location, &work->arena, &text, err) < 0 ||
	    lookup_make_key(&derive->object_key, work, CACHE_OBJECTS, &bundle->location, text, err) < 0)
		return -1;
	form = text_of(arena_printf(&work->arena, "%.*sform: jsbundle 2\n", (int)text.size, text.bytes));
	return form.bytes ? lookup_make_key(&derive->key, work, CACHE_SOURCES, &bundle->location, form, err)
			  : err_no_memory(err);
}

bool js_bundle_is_known(const struct js *js, struct text uri)
{
	const struct js_bundle *bundle = js->bundles;

	while (bundle && !text_equal(bundle->uri, uri))
		bundle = bundle->next;
	return bundle != NULL;
}

bool js_bundles_awaited_are_by_id(const struct js *js)
{
	for (const struct js_bundle *bundle = js->bundles; bundle; bundle = bundle->next)
		if (!bundle->index.is_settled && !text_is(bundle->resolved_with, "debug-id"))
			return false;
	return true;
}

static struct js_bundle *new_bundle(struct js *js, const struct location *location, struct err *err)
{
	struct js_bundle *bundle = arena_alloc(&js->work->arena, 1, sizeof(*bundle));

	if (!bundle) {
		err_no_memory(err);
		return NULL;
	}
	bundle->uri = location->uri;
	bundle->location = *location;
	bundle->location.query = js_query_nothing();
	return make_keys(bundle, js->work, err) < 0 ? NULL : bundle;
}

enum resolved js_bundle_fetch(struct js *js, const struct location *location, struct resolver *resolver,
			      struct err *err)
{
	struct cache_found found = { .state = CACHE_ABSENT };
	struct js_bundle *bundle = js->fetched;
	enum resolved resolved;

	while (bundle && !text_equal(bundle->uri, location->uri))
		bundle = bundle->next;
	if (!bundle) {
		bundle = new_bundle(js, location, err);
		if (!bundle)
			return RESOLVED_ERROR;
		bundle->next = js->fetched;
		js->fetched = bundle;
	}
	resolved = resolver->entry(resolver, &bundle->index.derive, &found, err);
	cache_found_release(&found);
	return resolved == RESOLVED_ERROR ? resolved : RESOLVED_WAIT;
}

/* A newly named one is news even if it cannot be had. */
int js_bundle_add(struct js *js, const struct location *location, struct text resolved_with, bool *is_news,
		  struct err *err)
{
	struct js_bundle **at = &js->bundles, *bundle;

	while (*at && text_compare((*at)->uri, location->uri) > 0)
		at = &(*at)->next;
	if (*at && text_equal((*at)->uri, location->uri))
		return 0;
	bundle = new_bundle(js, location, err);
	if (!bundle)
		return -1;
	bundle->resolved_with = resolved_with;
	bundle->next = *at;
	*at = bundle;
	*is_news = true;
	return 0;
}

static int open_index(void *payload, struct text bytes, struct err *damage)
{
	return jsbundle_open(payload, bytes.bytes, bytes.size, damage);
}

enum resolved js_bundles_resolve(struct js *js, struct resolver *resolver, struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (struct js_bundle *bundle = js->bundles; bundle; bundle = bundle->next) {
		const struct held_opening opening = {
			.open = open_index, .payload = &bundle->entries, .arena = &js->work->arena,
			.list = &js->open,
		};
		enum resolved one = held_resolve(&bundle->index, &opening, resolver, err);

		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

/* --- Looking into them --------------------------------------------------------------------- */

struct js_search {
	const struct js *js;
	const struct js_file_key *key;
	const struct js_bundle *bundle;      /* found: NULL if nothing was */
	struct jsbundle_entry entry;
	bool is_by_id;
	struct text candidates[JS_URL_CANDIDATES];
	size_t candidate_count;
};

static bool is_bad(const struct js_bundle *bundle, uint32_t number)
{
	for (const struct js_bad_entry *bad = bundle->bad; bad; bad = bad->next)
		if (bad->number == number)
			return true;
	return false;
}

static bool is_open(const struct js_bundle *bundle)
{
	return bundle->index.is_settled && !bundle->index.failure;
}

static bool search_ids(struct js_search *search)
{
	static const enum object_source_type types[] = {
		[JS_MINIFIED] = OBJECT_SOURCE_MINIFIED, [JS_MAP] = OBJECT_SOURCE_MAP,
		[JS_SOURCE] = OBJECT_SOURCE_PLAIN,
	};
	const struct js_file_key *key = search->key;

	if (debugid_is_nil(&key->debug_id))
		return false;
	for (const struct js_bundle *bundle = search->js->bundles; bundle; bundle = bundle->next) {
		if (!is_open(bundle) || !jsbundle_find_id(&bundle->entries, &key->debug_id, types[key->type],
							  &search->entry) ||
		    is_bad(bundle, search->entry.number))
			continue;
		search->bundle = bundle;
		search->is_by_id = true;
		return true;
	}
	return false;
}

static int search_all(void *payload)
{
	struct js_search *search = payload;

	search->bundle = NULL;
	search->is_by_id = false;
	if (search_ids(search))
		return 0;
	for (size_t i = 0; i < search->candidate_count; i++) {
		for (const struct js_bundle *bundle = search->js->bundles; bundle; bundle = bundle->next) {
			if (!is_open(bundle) ||
			    !jsbundle_find_url(&bundle->entries, search->candidates[i], &search->entry) ||
			    is_bad(bundle, search->entry.number))
				continue;
			search->bundle = bundle;
			return 0;
		}
	}
	return 0;
}

static struct js_try *make_try(struct js *js, const struct js_search *search, struct err *err)
{
	struct arena *arena = &js->work->arena;
	const struct js_bundle *bundle = search->bundle;
	struct js_try *made = arena_alloc(arena, 1, sizeof(*made));
	struct derive *derive = made ? &made->held.derive : NULL;
	struct text location = TEXT_NONE, rest;

	if (!made || lookup_location_text(&bundle->location, arena, &location, err) < 0) {
		err_no_memory(err);
		return NULL;
	}
	made->way = JS_WAY_BUNDLE;
	made->bundle = bundle;
	made->number = search->entry.number;
	made->location = bundle->location;
	made->uri = bundle->uri;
	made->resolved_with = search->is_by_id ? TEXT("debug-id") : bundle->resolved_with;
	made->index = (struct derive_companion){
		.role = OBJECT_ROLE_JSBUNDLE, .entry = &bundle->index.derive,
	};
	*derive = (struct derive){
		.kind = &derived_bundled, .companions = &made->index, .companion_count = 1,
		.location = &made->location,
		.object_key = bundle->index.derive.object_key,
		.part = text_of(arena_printf(arena, "%u", (unsigned)made->number)),
	};
	rest = text_of(arena_printf(arena, "%.*sentry: %u\nform: js\n", (int)location.size, location.bytes,
				    (unsigned)made->number));
	if (!rest.bytes || !derive->part.bytes) {
		err_no_memory(err);
		return NULL;
	}
	return lookup_make_key(&derive->key, js->work, CACHE_SOURCEFILES, &made->location, rest, err) < 0
		? NULL : made;
}

enum resolved js_bundles_search(struct js *js, const struct js_file_key *key, struct js_try **found,
				struct resolver *resolver, struct err *err)
{
	struct js_search search = { .js = js, .key = key };
	enum resolved resolved;

	*found = NULL;
	if (!js->bundles)
		return RESOLVED_READY;
	do {
		resolved = js_bundles_resolve(js, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		if (key->url.bytes && !search.candidate_count)
			search.candidate_count = js_url_candidates(key->url, &js->work->arena,
								   search.candidates);
		if (key->url.bytes && !search.candidate_count) {
			err_no_memory(err);
			return RESOLVED_ERROR;
		}
		resolved = held_read(&js->open, search_all, &search, resolver, err);
	} while (resolved == RESOLVED_WAIT);
	if (resolved == RESOLVED_READY && search.bundle) {
		*found = make_try(js, &search, err);
		return *found ? RESOLVED_READY : RESOLVED_ERROR;
	}
	return resolved;
}

/* It is passed over like one that is not there. */
int js_bundle_mark_bad(struct js *js, const struct js_try *attempted, struct err *err)
{
	struct js_bundle *bundle = js->bundles;
	struct js_bad_entry *bad = arena_alloc(&js->work->arena, 1, sizeof(*bad));

	while (bundle && bundle != attempted->bundle)
		bundle = bundle->next;
	if (!bad || !bundle)
		return err_no_memory(err);
	bad->number = attempted->number;
	bad->next = bundle->bad;
	bundle->bad = bad;
	return 0;
}
