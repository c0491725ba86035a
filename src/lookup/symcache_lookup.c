/* symcache_lookup.c -- see symcache_lookup.h. */
#include "lookup/symcache_lookup.h"

#include "base/arena.h"
#include "work/derived.h"

/* With companions the key is of all of them. */
static int make_derive(struct module_lookup *module, struct work *work, struct derive *derive,
		       struct err *err)
{
	struct text rest;

	*derive = module_lookup_derive(module, LOOKUP_DEBUG, &derived_symcache);
	if (module->companion_count == 0)
		return 0;
	if (companion_lookup_describe(module, derive, &work->arena, &rest, err) < 0)
		return -1;
	return lookup_make_key(&derive->key, work, CACHE_SYMCACHES, derive->location, rest, err);
}

enum resolved symcache_lookup_derive(struct module_lookup *module, struct work *work,
				     struct resolver *resolver, struct derive *derive,
				     struct err *err)
{
	enum resolved resolved = module_lookup_choose(module, LOOKUP_DEBUG, work, resolver, err);

	*derive = (struct derive){ .kind = NULL };
	if (resolved != RESOLVED_READY || module->purposes[LOOKUP_DEBUG].failure)
		return resolved;
	if (!module->has_companions_planned) {
		if (companion_lookup_plan(module, work, resolver, err) < 0)
			return RESOLVED_ERROR;
		module->has_companions_planned = true;
	}
	resolved = companion_lookup_resolve(module, work, resolver, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	return make_derive(module, work, derive, err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
}
