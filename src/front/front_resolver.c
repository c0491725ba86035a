/* front_resolver.c -- see front_resolver.h. */
#include "front/front_resolver.h"

#include "base/err.h"
#include "config/config.h"
#include "front/front_internal.h"

static struct worker *worker_of(struct resolver *resolver)
{
	return ((struct front_resolver *)(void *)resolver)->worker;
}

static void resolve_refresh(struct resolver *resolver, const struct derive *derive)
{
	struct front_resolver *mine = (struct front_resolver *)(void *)resolver;
	const struct front *front = mine->worker->front;

	if (!front->config->offline && cache_claim_refresh(front->cache, &derive->key))
		mine->wants_refresh = true;
}

static enum resolved resolve_entry(struct resolver *resolver, const struct derive *derive,
				   struct cache_found *found, struct err *err)
{
	struct worker *worker = worker_of(resolver);

	if (derived_is_of_job(derive->kind))
		return RESOLVED_WAIT;        /* its job's alone */
	if (cache_find(worker->front->cache, worker->store, &derive->key, found, err) < 0)
		return RESOLVED_ERROR;
	if (found->is_outdated)
		resolve_refresh(resolver, derive);
	if (found->state != CACHE_ABSENT && !derive_is_stale(derive, found, worker->absences))
		return RESOLVED_READY;
	cache_found_release(found);
	*found = (struct cache_found){ .state = CACHE_ABSENT };
	return RESOLVED_WAIT;
}

static enum resolved resolve_names(struct resolver *resolver, struct convert_name *names,
				   size_t count, struct arena *arena, struct err *err)
{
	struct worker *worker = worker_of(resolver);

	int rc = demangler_ask_briefly(worker->front->demangler, names, count, arena, err);

	/* A request thread has no time for hostile names, nor for what our own demangler lacks: a
	 * workshop has. */
	return rc > 0 ? RESOLVED_READY
	       : rc == 0 || err_kind_is_ours(err->kind) ? RESOLVED_WAIT : RESOLVED_ERROR;
}

static void resolve_invalidate(struct resolver *resolver, const struct derive *derive,
			  const struct cache_found *found, const char *why)
{
	struct worker *worker = worker_of(resolver);

	cache_invalidate(worker->front->cache, worker->store, &derive->key, found, why);
}

void front_resolver_init(struct front_resolver *resolver, struct worker *worker)
{
	*resolver = (struct front_resolver){
		.resolver = { .entry = resolve_entry, .names = resolve_names,
			      .invalidate = resolve_invalidate, .refresh = resolve_refresh,
			      .memo = worker->front->memo, .stops_at_wait = true },
		.worker = worker,
	};
}
