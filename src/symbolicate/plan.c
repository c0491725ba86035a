/*
 * plan.c -- from a module's identity to the keys of everything that might help, and asking
 * for them.
 */
#include "symbolicate/native.h"

#include "base/arena.h"
#include "symbolicate/json.h"

int err_no_memory(struct err *err)
{
	return err_set(err, ERR_LIMIT, "the request needs more memory than one request may have");
}

static char *append(char *at, struct text text)
{
	memcpy(at, text.bytes, text.size);
	return at + text.size;
}

int location_text(const struct location *location, struct arena *arena, struct text *text,
		  struct err *err)
{
	const struct text id = location->source->id, uri = location->uri;
	size_t room = sizeof("source: \nlocation: \n") + id.size + uri.size;
	char *bytes = arena_alloc_raw(arena, room, 1), *at = bytes;

	if (!bytes)
		return err_no_memory(err);
	at = append(at, TEXT("source: "));
	at = append(at, id);
	at = append(at, TEXT("\nlocation: "));
	at = append(at, uri);
	at = append(at, TEXT("\n"));
	*text = (struct text){ bytes, (size_t)(at - bytes) };
	return 0;
}

/* Files of public sources belong to everybody; all others to the request's scope. */
int derive_key(struct cache_key *key, struct work *work, enum cache_kind kind,
	       const struct location *location, struct text rest, struct err *err)
{
	const struct source *source = location->source;
	const struct object_ids *ids = location->ids;

	if (cache_key_make(key, &work->arena, kind, source->is_public ? TEXT_NONE : work->scope,
			   rest, err) < 0)
		return -1;
	key->source = source->id;
	key->module = text_basename(ids->code_file.size ? ids->code_file : ids->debug_file);
	if (source->has_credentials)
		memcpy(key->credentials, source->credentials, sizeof(key->credentials));
	return 0;
}

static struct tried *make_tried(const struct location *location, struct work *work,
				struct resolver *resolver, struct err *err)
{
	struct tried *tried = arena_alloc(&work->arena, 1, sizeof(*tried));
	struct text rest;

	if (!tried) {
		err_no_memory(err);
		return NULL;
	}
	tried->derive.how = DERIVE_OBJECT_META;
	tried->derive.location = location;
	if (location_text(location, &work->arena, &rest, err) < 0 ||
	    derive_key(&tried->derive.key, work, CACHE_OBJECT_META, location, rest, err) < 0)
		return NULL;
	if (!resolver->without_object_keys &&
	    derive_key(&tried->derive.object_key, work, CACHE_OBJECTS, location, rest, err) < 0)
		return NULL;
	return tried;
}

/* Both lists run through the sources in the same order, so `*run`, where the source's part
 * of `other` begins, only moves on. */
static struct tried *find_tried(const struct lookup *other, const struct location *location,
				size_t *run)
{
	const struct location_list *list = &other->locations;

	while (*run < list->count && list->locations[*run].source < location->source)
		++*run;
	for (size_t i = *run; i < list->count && list->locations[i].source == location->source; i++)
		if (text_equal(list->locations[i].uri, location->uri))
			return other->tried[i];
	return NULL;
}

int lookup_plan(struct lookup *lookup, struct work *work, const struct source_list *sources,
		const struct object_ids *ids, const enum file_type *types, size_t type_count,
		const struct lookup *other, struct resolver *resolver, struct err *err)
{
	size_t run = 0;

	for (size_t i = 0; i < sources->count; i++)
		if (source_locations(&sources->sources[i], ids, types, type_count, &work->arena,
				     &lookup->locations, err) < 0)
			return -1;
	lookup->tried = arena_alloc(&work->arena, lookup->locations.count,
				    sizeof(struct tried *));
	if (!lookup->tried)
		return err_no_memory(err);
	for (size_t i = 0; i < lookup->locations.count; i++) {
		const struct location *location = &lookup->locations.locations[i];

		if (other)
			lookup->tried[i] = find_tried(other, location, &run);
		if (!lookup->tried[i])
			lookup->tried[i] = make_tried(location, work, resolver, err);
		if (!lookup->tried[i])
			return -1;
	}
	lookup->is_planned = true;
	return 0;
}

/* --- Asking ------------------------------------------------------------------------------ */

static int keep_text(struct arena *arena, struct text text, struct text *copy, struct err *err)
{
	char *bytes = arena_strndup(arena, text.bytes ? text.bytes : "", text.size);

	if (!bytes)
		return err_no_memory(err);
	*copy = (struct text){ bytes, text.size };
	return 0;
}

/* 1 settled, 0 the entry was damaged and is asked for again, -1 error. */
static int settle(struct tried *tried, struct work *work, struct resolver *resolver,
		  const struct cache_found *found, struct err *err)
{
	struct text text;
	struct arena *before;
	struct err damage = ERR_INIT;
	int parsed;

	tried->failure = found->state == CACHE_READY ? ERR_NONE : found->failure;
	if (keep_text(&work->arena, found->state == CACHE_READY ? found->payload : found->details,
		      &text, err) < 0)
		return -1;
	if (tried->failure) {
		tried->details = text;
		return 1;
	}
	before = json_lend_arena(&work->arena);          /* dozens of small parses: no malloc */
	parsed = convert_meta_parse(text, &work->arena, &tried->meta, &damage);
	(void)json_lend_arena(before);
	if (parsed == 0)
		return 1;
	if (tried->spoiled++ < SPOIL_TRIES) {
		resolver->spoil(resolver, &tried->derive, damage.text);
		return 0;
	}
	tried->failure = ERR_MALFORMED;
	return keep_text(&work->arena, text_of(damage.text), &tried->details, err) < 0 ? -1 : 1;
}

static enum resolved resolve_one(struct tried *tried, struct work *work,
				 struct resolver *resolver, struct err *err)
{
	while (!tried->is_settled) {
		struct cache_found found = { .state = CACHE_ABSENT };
		enum resolved resolved = resolver->entry(resolver, &tried->derive, &found, err);
		int settled;

		if (resolved != RESOLVED_READY)
			return resolved;
		settled = settle(tried, work, resolver, &found, err);
		cache_found_release(&found);
		if (settled < 0)
			return RESOLVED_ERROR;
		tried->is_settled = settled > 0;
	}
	return RESOLVED_READY;
}

enum resolved lookup_resolve(struct lookup *lookup, struct work *work, struct resolver *resolver,
			     struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = lookup->settled; i < lookup->locations.count; i++) {
		enum resolved one = resolve_one(lookup->tried[i], work, resolver, err);

		if (one == RESOLVED_ERROR)
			return one;
		if (one == RESOLVED_WAIT)
			all = RESOLVED_WAIT;
		else if (lookup->settled == i)
			lookup->settled++;
	}
	return all;
}
