/* lookup_key.c -- the keys of the cache that belong to a location. */
#include "lookup/lookup.h"

#include "base/arena.h"
#include "work/request_json.h"

static char *append(char *at, struct text text)
{
	memcpy(at, text.bytes, text.size);
	return at + text.size;
}

int lookup_location_text(const struct location *location, struct arena *arena, struct text *text,
		  struct err *err)
{
	const struct text id = location->source->id, uri = location->uri;
	size_t capacity = sizeof("source: \nlocation: \n") + id.size + uri.size;
	char *bytes = arena_alloc_raw(arena, capacity, 1), *at = bytes;

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

struct text lookup_scope_of(const struct source *source, const struct work *work)
{
	return source->is_public ? TEXT_NONE : work->scope;
}

void lookup_describe_source(struct cache_key *key, const struct source *source)
{
	key->source = source->id;
	if (source->has_credentials)
		memcpy(key->credentials, source->credentials, sizeof(key->credentials));
}

void lookup_describe_key(struct cache_key *key, const struct location *location)
{
	const struct object_ids *ids = location->query->ids;

	lookup_describe_source(key, location->source);
	key->module = text_basename(ids->code_file.size ? ids->code_file :
				    ids->debug_file.size ? ids->debug_file : location->query->url);
	key->debug_id = ids->debug_id;
	key->code_id = ids->code_id;
	key->debug_file = text_basename(ids->debug_file);
	key->code_file = text_basename(ids->code_file);
}

int lookup_make_key(struct cache_key *key, struct work *work, enum cache_kind kind,
	       const struct location *location, struct text rest, struct err *err)
{
	if (cache_key_make(key, &work->arena, kind, lookup_scope_of(location->source, work), rest,
			   err) < 0)
		return -1;
	lookup_describe_key(key, location);
	return 0;
}
