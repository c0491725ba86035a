/*
 * upgrade.c -- modules answered from less than the best file, and when to look for a better one.
 *
 * A module is answered from the best there is.  What kept it from something better is tried
 * again in the background (resolver->refresh knows when), long before the failure's own time:
 *
 *	only symbols              any candidate that could not be had
 *	debug information         better placed candidates whose source failed for the moment
 *	a companion is missing    whatever could not be had of its candidates
 *
 * That some earlier source merely lacks a file that a later one has is no reason; nor is that
 * there is no line map, which hardly any module has.
 */
#include "lookup/module_lookup.h"

static void ask_for_all(const struct lookup *lookup, struct resolver *resolver)
{
	for (size_t i = 0; i < lookup->locations.count; i++)
		if (lookup->candidates[i]->held.failure)
			resolver->refresh(resolver, &lookup->candidates[i]->held.derive);
}

static void ask_for_better(const struct purpose_lookup *debug, struct resolver *resolver)
{
	for (size_t i = 0; i < debug->winner; i++) {
		const struct held *held = &debug->lookup.candidates[i]->held;

		if (held->failure == ERR_TIMEOUT || held->failure == ERR_DOWNLOAD ||
		    held->failure == ERR_RESOLVE)
			resolver->refresh(resolver, &held->derive);
	}
}

void module_lookup_upgrade(const struct module_lookup *module, const struct derive *symcache,
			   struct resolver *resolver)
{
	const struct purpose_lookup *debug = &module->purposes[LOOKUP_DEBUG];

	if (!resolver->refresh)
		return;
	if (!module_lookup_winner(module, LOOKUP_DEBUG)->meta.has_debug_info)
		ask_for_all(&debug->lookup, resolver);
	else
		ask_for_better(debug, resolver);
	for (size_t i = 0; i < symcache->companion_count; i++) {
		if (symcache->companions[i].entry ||
		    symcache->companions[i].role == OBJECT_ROLE_IL2CPP)
			continue;
		ask_for_all(&module->companions[i].first, resolver);
		ask_for_all(&module->companions[i].lookup, resolver);
	}
}
