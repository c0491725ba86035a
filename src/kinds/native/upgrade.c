/*
 * upgrade.c -- what a module had to make do with, and what may be better by now.
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
#include "kinds/native/symbolication.h"

static void ask_for_all(const struct lookup *lookup, struct resolver *resolver)
{
	for (size_t i = 0; i < lookup->locations.count; i++)
		if (lookup->candidates[i]->held.failure)
			resolver->refresh(resolver, &lookup->candidates[i]->held.derive);
}

static void ask_for_better(const struct native_module *module, struct resolver *resolver)
{
	const struct lookup *lookup = &module->debug;

	for (size_t i = 0; i < module->winner; i++) {
		enum err_kind failure = lookup->candidates[i]->held.failure;

		if (failure == ERR_TIMEOUT || failure == ERR_DOWNLOAD || failure == ERR_RESOLVE)
			resolver->refresh(resolver, &lookup->candidates[i]->held.derive);
	}
}

void native_module_upgrade(const struct native_module *module, struct resolver *resolver)
{
	if (!resolver->refresh)
		return;
	if (!module->debug.candidates[module->winner]->meta.has_debug_info)
		ask_for_all(&module->debug, resolver);
	else
		ask_for_better(module, resolver);
	for (size_t i = 0; i < module->symcache.derive.companion_count; i++) {
		if (module->symcache.derive.companions[i].entry ||
		    module->symcache.derive.companions[i].role == OBJECT_ROLE_IL2CPP)
			continue;
		ask_for_all(&module->companions[i].first, resolver);
		ask_for_all(&module->companions[i].lookup, resolver);
	}
}
