/* fake_lower.c -- the functions of cache that symbolicate calls. */
#include "kinds/native/fake.h"

#include "base/arena.h"

/* --- The cache component: keys are texts, holds are counted ----------------------------------- */

int cache_key_make(struct cache_key *key, struct arena *arena, enum cache_kind kind,
		   struct text scope, struct text rest, struct err *err)
{
	struct text shown = scope.bytes ? scope : TEXT("global");
	size_t head = strlen("scope: ") + shown.size;
	char *text = arena_alloc_raw(arena, head + 2 + rest.size, 1);

	*key = (struct cache_key){ .kind = kind, .scope = scope };
	if (!text)
		return err_set(err, ERR_LIMIT, "no memory for a key");
	memcpy(text, "scope: ", strlen("scope: "));
	memcpy(text + strlen("scope: "), shown.bytes, shown.size);
	memcpy(text + head, "\n\n", 2);
	memcpy(text + head + 2, rest.bytes, rest.size);
	key->text = (struct text){ text, head + 2 + rest.size };
	hash_sha256(text, key->text.size, key->hash);
	return 0;
}

struct cache_key cache_key_as(const struct cache_key *key, enum cache_kind kind)
{
	struct cache_key other = *key;

	cache_key_set_kind(&other, kind);
	return other;
}

void cache_key_set_kind(struct cache_key *key, enum cache_kind kind)
{
	key->kind = kind;
}

void cache_found_release(struct cache_found *found)
{
	if (found->hold)
		fake_holds--;
	found->hold = NULL;
}

bool cache_found_is_unchanged(const struct cache_found *found)
{
	return !found->hold || !found->hold->is_changed;
}

bool cache_found_is_whole(const struct cache_found *found)
{
	return !found->hold || !found->hold->is_unreadable;
}

const char *cache_kind_name(enum cache_kind kind)
{
	return kind == CACHE_SYMCACHES ? "symcaches" : "others";
}

/* No answer of these kinds is an entry of the cache. */
bool cache_kind_named(struct text name, enum cache_kind *kind)
{
	(void)name, (void)kind;
	return false;
}
