/* modules.c -- the module table and which module an address belongs to. */
#include "kinds/native/native.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/search.h"

/* Between equal addresses the request's order decides: the pointers stand in one array. */
static int compare(const void *left, const void *right)
{
	const struct native_module *a = *(struct native_module *const *)left;
	const struct native_module *b = *(struct native_module *const *)right;

	if (a->image_addr != b->image_addr)
		return a->image_addr < b->image_addr ? -1 : 1;
	return (a > b) - (a < b);
}

/* A module that does not say its size reaches to the next; the last one stays open. */
static void infer_sizes(struct module_table *table)
{
	for (size_t i = 0; i + 1 < table->count; i++) {
		struct native_module *module = table->by_address[i];

		if (module->image_size)
			continue;
		module->has_size = true;
		module->image_size = table->by_address[i + 1]->image_addr - module->image_addr;
	}
}

/* The look-ups of modules nobody has looked for yet. */
static struct module_lookup *make_lookups(const struct symbolication_request *request,
					  struct arena *arena, struct err *err)
{
	const struct raw_report *report = &request->report;
	struct module_lookup *lookups = arena_alloc(arena, report->module_count, sizeof(*lookups));

	if (!lookups) {
		err_no_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < report->module_count; i++) {
		lookups[i].ids = &report->modules[i].ids;
		lookups[i].sources = request->sources;
	}
	return lookups;
}

int module_table_make(struct module_table *table, const struct symbolication_request *request,
		      struct arena *arena, struct err *err)
{
	size_t count = request->report.module_count;
	struct native_module *modules = arena_alloc(arena, count, sizeof(*modules));
	struct native_module **by_address = arena_alloc_raw(arena, count, sizeof(*by_address));
	struct module_lookup *lookups = NULL;

	if (!modules || !by_address)
		return err_no_memory(err);
	if (!request->lookups && !(lookups = make_lookups(request, arena, err)))
		return -1;
	*table = (struct module_table){ modules, count, by_address };
	for (size_t i = 0; i < count; i++) {
		const struct raw_module *raw = &request->report.modules[i];

		modules[i].raw = raw;
		modules[i].files = lookups ? &lookups[i] : request->lookups[i];
		modules[i].image_addr = raw->image_addr.value;
		modules[i].image_size = raw->image_size.value;
		modules[i].has_size = raw->image_size.is_set;
		by_address[i] = &modules[i];
	}
	if (count > 1)
		qsort(by_address, count, sizeof(*by_address), compare);
	infer_sizes(table);
	return 0;
}

/* The last byte counts as inside, and so does the one after it: return addresses of calls
 * that end a module point there. */
static bool covers(const struct native_module *module, uint64_t address)
{
	uint64_t end;

	if (!module->image_size)
		return true;
	if (__builtin_add_overflow(module->image_addr, module->image_size, &end))
		return false;
	return address <= end;
}

struct native_module *module_table_find(const struct module_table *table, struct addr_mode mode,
					uint64_t address)
{
	size_t at;

	if (mode.is_relative)
		return mode.module < table->count ? &table->modules[mode.module] : NULL;
	SEARCH_PARTITION_POINT(at, 0, table->count,
			       table->by_address[at]->image_addr <= address);
	return at && covers(table->by_address[at - 1], address) ? table->by_address[at - 1]
								  : NULL;
}
