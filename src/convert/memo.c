/* memo.c -- see memo.h. */
#include "convert/memo.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

struct generation {
	struct map names;            /* language byte and name -> struct text, both in the arena */
	struct arena arena;
};

struct convert_memo {
	pthread_mutex_t lock;
	struct generation young, old;
};

struct memo_key { char bytes[1 + CONVERT_MEMO_NAME_BYTES]; };

static void generation_init(struct generation *generation)
{
	map_init(&generation->names);
	arena_init(&generation->arena, CONVERT_MEMO_BYTES);
}

static void generation_release(struct generation *generation)
{
	map_release(&generation->names);
	arena_release(&generation->arena);
}

int convert_memo_open(struct convert_memo **memo, struct err *err)
{
	struct convert_memo *made = mem_get(sizeof(*made));

	*memo = NULL;
	if (!made)
		return err_set(err, ERR_NO_MEMORY, "no memory to remember names");
	pthread_mutex_init(&made->lock, NULL);
	generation_init(&made->young);
	generation_init(&made->old);
	*memo = made;
	return 0;
}

void convert_memo_close(struct convert_memo *memo)
{
	if (!memo)
		return;
	generation_release(&memo->young);
	generation_release(&memo->old);
	pthread_mutex_destroy(&memo->lock);
	mem_give_back(memo);
}

static bool make_key(const struct convert_name *name, struct memo_key *key, struct text *text)
{
	if (name->name.size > CONVERT_MEMO_NAME_BYTES)
		return false;
	key->bytes[0] = (char)name->language;
	if (name->name.size)
		memcpy(key->bytes + 1, name->name.bytes, name->name.size);
	*text = (struct text){ key->bytes, name->name.size + 1 };
	return true;
}

static bool copy_text(struct arena *arena, struct text text, struct text *copy)
{
	*copy = TEXT_NONE;
	if (!text.bytes)
		return true;
	copy->bytes = arena_strndup(arena, text.bytes, text.size);
	copy->size = copy->bytes ? text.size : 0;
	return copy->bytes != NULL;
}

static bool add(struct generation *generation, struct text key, struct text readable)
{
	struct text *value, own_key;

	if (generation->names.count >= CONVERT_MEMO_NAMES)
		return false;
	value = arena_alloc(&generation->arena, 1, sizeof(*value));
	return value && copy_text(&generation->arena, key, &own_key) &&
		copy_text(&generation->arena, readable, value) &&
		map_put(&generation->names, own_key, value) == 0;
}

/* `readable` may lie in the old generation: it is copied before that one goes. */
static void remember(struct convert_memo *memo, struct text key, struct text readable)
{
	struct generation fresh;

	if (add(&memo->young, key, readable))
		return;
	generation_init(&fresh);
	(void)add(&fresh, key, readable);
	generation_release(&memo->old);
	memo->old = memo->young;
	memo->young = fresh;
}

bool convert_memo_lookup(struct convert_memo *memo, struct convert_name *name,
			 struct arena *arena)
{
	const struct text *found;
	struct memo_key bytes;
	struct text key;
	bool known = false;

	if (!make_key(name, &bytes, &key))
		return false;
	pthread_mutex_lock(&memo->lock);
	found = map_get(&memo->young.names, key);
	if (!found) {
		found = map_get(&memo->old.names, key);
		known = found && copy_text(arena, *found, &name->readable);
		if (found)
			remember(memo, key, *found);
	} else {
		known = copy_text(arena, *found, &name->readable);
	}
	pthread_mutex_unlock(&memo->lock);
	return known;
}

void convert_memo_store(struct convert_memo *memo, const struct convert_name *name)
{
	struct memo_key bytes;
	struct text key;

	if (!make_key(name, &bytes, &key))
		return;
	pthread_mutex_lock(&memo->lock);
	if (!map_get(&memo->young.names, key))
		remember(memo, key, name->readable);
	pthread_mutex_unlock(&memo->lock);
}
