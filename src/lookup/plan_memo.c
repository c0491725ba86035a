/*
 * plan_memo.c -- see plan_memo.h.
 *
 * 1. A slot holds one plan, the newest of all whose names fall there.
 * 2. The table counts as one holder of each of its plans; what is beyond MEMO_BYTES leaves,
 *    slot by slot.
 */
#include "lookup/plan_memo.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"

#define MEMO_SLOTS 4096u                 /* a power of two */
#define MEMO_BYTES ((size_t)4 << 20)     /* per process: about 1500 modules of two sources */
#define PLAN_BYTES ((size_t)32 << 10)    /* larger ones are of requests nobody repeats */

struct plan {
	atomic_uint holders;
	uint64_t hash;
	size_t bytes;                        /* all of it */
	struct text name;
	size_t count;
	struct planned items[];
};

struct plan_memo {
	pthread_mutex_t lock;
	struct plan *slots[MEMO_SLOTS];
	size_t bytes;
	size_t hand;                         /* the slot that is emptied next */
};

struct plan_memo *plan_memo_new(void)
{
	struct plan_memo *memo = mem_get(sizeof(*memo));

	if (memo)
		pthread_mutex_init(&memo->lock, NULL);
	return memo;
}

void plan_memo_free(struct plan_memo *memo)
{
	if (!memo)
		return;
	for (size_t i = 0; i < MEMO_SLOTS; i++)
		plan_drop(memo->slots[i]);
	pthread_mutex_destroy(&memo->lock);
	mem_give_back(memo);
}

size_t plan_count(const struct plan *plan)
{
	return plan->count;
}

const struct planned *plan_item(const struct plan *plan, size_t index)
{
	return &plan->items[index];
}

void plan_drop(struct plan *plan)
{
	if (plan && atomic_fetch_sub(&plan->holders, 1) == 1)
		mem_give_back(plan);
}

/* --- Names ------------------------------------------------------------------------------- */

static char *put(char *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

/* Size first; no text is not an empty one. */
static char *put_text(char *at, struct text text)
{
	size_t size = text.bytes ? text.size : SIZE_MAX;

	at = put(at, &size, sizeof(size));
	return text.size ? put(at, text.bytes, text.size) : at;
}

int plan_name(const struct work *work, const struct lookup_request *request, struct arena *arena,
	      struct text *name, struct err *err)
{
	const struct source_query *query = request->query;
	const struct object_ids *ids = query->ids;
	const struct text texts[] = {
		work->scope, ids->code_id, ids->code_file, ids->debug_file, ids->debug_checksum,
		query->url, query->release, query->dist,
	};
	size_t capacity = sizeof(request->sources->identity) + sizeof(query->by) + sizeof(ids->type) +
		      sizeof(ids->debug_id.uuid) + sizeof(ids->debug_id.age) +
		      sizeof(ids->debug_id.kind) + query->type_count * sizeof(*query->types);
	char *bytes, *at;

	*name = TEXT_NONE;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		capacity += sizeof(size_t) + texts[i].size;
	if (!request->sources->has_identity || capacity > PLAN_BYTES)
		return 0;
	bytes = at = arena_alloc_raw(arena, capacity, 1);
	if (!bytes)
		return err_no_memory(err);
	at = put(at, request->sources->identity, sizeof(request->sources->identity));
	at = put(at, &query->by, sizeof(query->by));
	at = put(at, &ids->type, sizeof(ids->type));
	at = put(at, ids->debug_id.uuid, sizeof(ids->debug_id.uuid));
	at = put(at, &ids->debug_id.age, sizeof(ids->debug_id.age));
	at = put(at, &ids->debug_id.kind, sizeof(ids->debug_id.kind));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		at = put_text(at, texts[i]);
	at = put(at, query->types, query->type_count * sizeof(*query->types));
	*name = (struct text){ bytes, (size_t)(at - bytes) };
	return 0;
}

/* --- Finding ----------------------------------------------------------------------------- */

struct plan *plan_find(struct plan_memo *memo, struct text name)
{
	uint64_t hash = hash_fast(name.bytes, name.size);
	struct plan *plan;

	pthread_mutex_lock(&memo->lock);
	plan = memo->slots[hash % MEMO_SLOTS];
	if (plan && plan->hash == hash && text_equal(plan->name, name))
		atomic_fetch_add(&plan->holders, 1);
	else
		plan = NULL;
	pthread_mutex_unlock(&memo->lock);
	return plan;
}

/* --- Keeping ----------------------------------------------------------------------------- */

static struct text move(char **at, struct text text)
{
	char *copy = *at;

	*at = put(copy, text.bytes, text.size);
	return (struct text){ copy, text.size };
}

/* No text is not an empty one here either. */
static struct text move_if_any(char **at, struct text text)
{
	return text.bytes ? move(at, text) : TEXT_NONE;
}

/* What the keys say of the module, the same in all of them. */
static size_t described_size(const struct cache_key *key)
{
	return key->module.size + key->code_id.size + key->debug_file.size + key->code_file.size;
}

static void move_described(char **at, struct cache_key *key)
{
	key->module = move_if_any(at, key->module);
	key->code_id = move_if_any(at, key->code_id);
	key->debug_file = move_if_any(at, key->debug_file);
	key->code_file = move_if_any(at, key->code_file);
}

static void copy_described(struct cache_key *key, const struct cache_key *from)
{
	key->module = from->module;
	key->code_id = from->code_id;
	key->debug_file = from->debug_file;
	key->code_file = from->code_file;
}

static size_t size_of(struct text name, const struct lookup *lookup)
{
	size_t bytes = sizeof(struct plan) + name.size;

	if (lookup->locations.count)
		bytes += described_size(&lookup->candidates[0]->held.derive.key);
	for (size_t i = 0; i < lookup->locations.count && bytes <= PLAN_BYTES; i++) {
		const struct location *location = &lookup->locations.locations[i];

		bytes += sizeof(struct planned) + location->path.size + location->uri.size +
			 lookup->candidates[i]->held.derive.key.text.size;
	}
	return bytes;
}

static void fill(struct plan *plan, struct text name, const struct lookup *lookup,
		 const struct source_list *sources)
{
	char *at;

	plan->count = lookup->locations.count;
	at = (char *)&plan->items[plan->count];
	plan->name = move(&at, name);
	plan->hash = hash_fast(name.bytes, name.size);
	for (size_t i = 0; i < plan->count; i++) {
		const struct location *location = &lookup->locations.locations[i];
		const struct cache_key *key = &lookup->candidates[i]->held.derive.key;
		struct planned *item = &plan->items[i];

		item->source = (size_t)(location->source - sources->sources);
		item->type = location->type;
		item->path = move(&at, location->path);
		item->uri = move(&at, location->uri);
		item->key = *key;
		item->key.text = move(&at, key->text);
		if (i == 0)
			move_described(&at, &item->key);
		else
			copy_described(&item->key, &plan->items[0].key);
		/* What the request's sources give comes from the request. */
		item->key.scope = item->key.source = TEXT_NONE;
		memset(item->key.credentials, 0, sizeof(item->key.credentials));
	}
}

/* With the lock: the slot is empty afterwards; the plan, if any, is the caller's to drop. */
static struct plan *take_out(struct plan_memo *memo, size_t slot)
{
	struct plan *plan = memo->slots[slot];

	memo->slots[slot] = NULL;
	if (plan)
		memo->bytes -= plan->bytes;
	return plan;
}

void plan_keep(struct plan_memo *memo, struct text name, const struct lookup *lookup,
	       const struct source_list *sources)
{
	size_t bytes = size_of(name, lookup);
	struct plan *plan = bytes <= PLAN_BYTES ? mem_get(bytes) : NULL;
	size_t slot;

	if (!plan)
		return;
	fill(plan, name, lookup, sources);
	plan->bytes = bytes;
	atomic_init(&plan->holders, 1);
	slot = plan->hash % MEMO_SLOTS;
	pthread_mutex_lock(&memo->lock);
	plan_drop(take_out(memo, slot));
	while (memo->bytes + bytes > MEMO_BYTES)
		plan_drop(take_out(memo, memo->hand++ % MEMO_SLOTS));
	memo->slots[slot] = plan;
	memo->bytes += bytes;
	pthread_mutex_unlock(&memo->lock);
}
