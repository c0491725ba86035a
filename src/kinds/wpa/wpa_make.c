/* wpa_make.c -- a SymCache file made: the PDB is looked for and verified, and the transcoder is run. */
#include "kinds/wpa/wpa.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"

int wpa_make_key(const struct wpa *wpa, struct work *work, const struct semver *version,
		 struct cache_key *key, struct err *err)
{
	char number[SEMVER_TEXT_BYTES], id[DEBUGID_TEXT_BYTES];
	char *text;

	semver_format(version, number);
	debugid_format_breakpad(&wpa->path.id, id);
	text = arena_printf(&work->arena, "pdb: %.*s/%s\nversion: %s\n", (int)wpa->path.name.size,
			    wpa->path.name.bytes, id, number);
	if (!text)
		return err_no_memory(err);
	for (char *at = text; *at; at++)
		*at = ascii_lower(*at);
	if (cache_key_make(key, &work->arena, CACHE_WPA_SYMCACHES, TEXT_NONE, text_of(text), err) < 0)
		return -1;
	key->module = wpa->path.name;
	key->debug_id = wpa->path.id;
	return 0;
}

/* A PDB that was written again after the program was linked has a higher age. */
static bool is_wanted(const struct wpa *wpa, const struct candidate *candidate)
{
	const struct debugid *wanted = &wpa->path.id;
	struct debugid id;

	return !candidate->held.failure && debugid_parse(candidate->meta.debug_id, &id) &&
	       memcmp(id.uuid, wanted->uuid, sizeof(id.uuid)) == 0 && id.age >= wanted->age;
}

static int plan(struct wpa *wpa, struct work *work, struct resolver *resolver, struct err *err)
{
	const struct lookup_request request = { .sources = work->default_sources, .query = &wpa->query };

	wpa->ids = (struct object_ids){
		.type = OBJECT_TYPE_PE, .debug_id = wpa->path.id, .debug_file = wpa->path.name,
	};
	wpa->type = FILE_TYPE_PDB;
	wpa->query = (struct source_query){ .ids = &wpa->ids, .types = &wpa->type, .type_count = 1 };
	return lookup_plan(&wpa->lookup, work, &request, resolver, err);
}

/* READY: wpa->pdb is the PDB, or NULL. */
static enum resolved choose_pdb(struct wpa *wpa, struct work *work, struct resolver *resolver,
				struct err *err)
{
	enum resolved resolved;

	if (wpa->has_chosen)
		return RESOLVED_READY;
	if (!wpa->lookup.is_planned && plan(wpa, work, resolver, err) < 0)
		return RESOLVED_ERROR;
	resolved = lookup_resolve(&wpa->lookup, work, resolver, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	for (size_t i = 0; i < wpa->lookup.locations.count && !wpa->pdb; i++)
		if (is_wanted(wpa, wpa->lookup.candidates[i]))
			wpa->pdb = wpa->lookup.candidates[i];
	wpa->has_chosen = true;
	return RESOLVED_READY;
}

/* Nobody here reads a byte of it. */
static int look_at(void *payload, struct text bytes, struct err *damage)
{
	(void)payload, (void)bytes, (void)damage;
	return 0;
}

enum resolved wpa_make(struct wpa *wpa, struct wpa_make *make, struct work *work,
		       struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = { .open = look_at, .arena = &work->arena };
	struct derive *derive = &make->held.derive;
	enum resolved resolved;

	if (make->held.is_settled)
		return RESOLVED_READY;
	resolved = choose_pdb(wpa, work, resolver, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	if (!wpa->pdb) {
		make->held.is_settled = true;
		make->held.failure = ERR_NOT_FOUND;
		return RESOLVED_READY;
	}
	derive->kind = &derived_wpa;
	derive->location = wpa->pdb->held.derive.location;
	derive->object_key = wpa->pdb->held.derive.object_key;
	derive->is_extract = wpa->pdb->held.derive.is_extract;
	derive->version = &make->transcoder->version;
	if (!derive->key.text.bytes &&
	    wpa_make_key(wpa, work, derive->version, &derive->key, err) < 0)
		return RESOLVED_ERROR;
	derive->key.source = derive->location->source->id;
	return held_resolve(&make->held, &opening, resolver, err);
}
