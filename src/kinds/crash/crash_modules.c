/* crash_modules.c -- the modules a walk asks for: their unwind rules and their symbols. */
#include "kinds/crash/crash_work.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "kinds/crash/rewrite.h"
#include "kinds/stacktrace_json.h"
#include "lookup/symcache_lookup.h"
#include "work/derived.h"
#include "work/request_json.h"

/* --- Which module it is --------------------------------------------------------------------- */

static struct crash_module *find(struct crash_module *first, uint64_t image_addr)
{
	for (struct crash_module *module = first; module; module = module->next)
		if (module->image_addr == image_addr)
			return module;
	return NULL;
}

/* Files of modules that have the debug id of the first are looked for by the rewritten name. */
static int take_ids(struct crash *crash, const struct raw_module *raw,
		    const struct debugid *first, struct crash_module *module, struct err *err)
{
	module->ids = raw->ids;
	if (!debugid_equal(&raw->ids.debug_id, first))
		return 0;
	return rewrite_apply(crash->rules, crash->rule_count, &crash->rewrite_tries,
			     &module->ids.debug_file, &crash->work->arena, err);
}

static struct crash_module *add(struct crash *crash, struct crash_module **list,
				const struct raw_module *raw, const struct debugid *first,
				struct err *err)
{
	struct crash_module *module = arena_alloc(&crash->work->arena, 1, sizeof(*module));

	if (!module) {
		err_no_memory(err);
		return NULL;
	}
	if (take_ids(crash, raw, first, module, err) < 0)
		return NULL;
	module->image_addr = raw->image_addr.value;
	module->files.ids = &module->ids;
	module->files.sources = crash->request.sources;
	module->next = *list;
	*list = module;
	return module;
}

/* The want's name is a module as the report has it. */
static struct crash_module *read_module(struct crash *crash, struct crash_module **list,
					const struct work_want *want, struct err *err)
{
	struct raw_report report = { .module_count = 0 };
	struct arena *arena = &crash->work->arena;
	struct crash_module *module;
	struct cJSON *json;
	char *text = arena_printf(arena, "[%.*s]", (int)want->name.size, want->name.bytes);
	struct debugid first = { .kind = DEBUGID_NIL };

	if (!text) {
		err_no_memory(err);
		return NULL;
	}
	if (request_json_parse(text_of(text), arena, &json, err) < 0 ||
	    stacktrace_json_modules(json, NULL, arena, &report, err) < 0)
		return NULL;
	if (report.module_count != 1) {
		err_set(err, ERR_MALFORMED, "a cell asked for something that is no module");
		return NULL;
	}
	crash_name_module(crash, &report.modules[0]);
	module = find(*list, report.modules[0].image_addr.value);
	if (want->id.size > 0 && !debugid_parse(want->id, &first))
		first = (struct debugid){ .kind = DEBUGID_NIL };
	return module ? module : add(crash, list, &report.modules[0], &first, err);
}

/* --- Wants ------------------------------------------------------------------------------------ */

/* Nothing is read here: the cell opens what it is given. */
static int look_at(void *payload, struct text bytes, struct err *damage)
{
	(void)payload, (void)bytes, (void)damage;
	return 0;
}

/* READY: it is made, or held->failure says why there is none. */
static enum resolved make(const struct crash *crash, struct held *held, struct resolver *resolver,
			  struct err *err)
{
	const struct held_opening opening = {
		.open = look_at, .arena = &crash->work->arena, .is_kept_senseless = true,
	};

	return held_resolve(held, &opening, resolver, err);
}

static enum resolved want_cfi(struct crash *crash, struct crash_module *module,
			      struct work_want *want, struct resolver *resolver, struct err *err)
{
	struct held *cfi = &module->cfi;
	enum resolved resolved;

	resolved = module_lookup_choose(&module->files, LOOKUP_UNWIND, crash->work, resolver, err);
	module->waits_for_cfi = resolved == RESOLVED_WAIT;
	if (resolved != RESOLVED_READY || module->files.purposes[LOOKUP_UNWIND].failure)
		return resolved;
	if (!cfi->derive.kind)
		cfi->derive = module_lookup_derive(&module->files, LOOKUP_UNWIND, &derived_cficache);
	resolved = make(crash, cfi, resolver, err);
	module->waits_for_cfi = resolved == RESOLVED_WAIT;
	if (resolved != RESOLVED_READY)
		return resolved;
	if (cfi->failure) {
		module_lookup_failed(&module->files, LOOKUP_UNWIND, cfi->failure, cfi->details,
				     &crash->work->arena);
	} else {
		module_lookup_found(&module->files, LOOKUP_UNWIND);
		want->entry = &cfi->derive;
	}
	return RESOLVED_READY;
}

/* What it finds is in the cache when it is asked for, or being made; whether it is decides what the
 * answer tells of the module. */
static enum resolved want_ahead(struct crash *crash, struct crash_module *module,
				struct resolver *resolver, struct err *err)
{
	enum resolved resolved = module_lookup_choose(&module->files, LOOKUP_UNWIND, crash->work,
						      resolver, err);

	if (resolved != RESOLVED_READY || module->files.purposes[LOOKUP_UNWIND].failure)
		return resolved;
	if (!module->cfi.derive.kind)
		module->cfi.derive = module_lookup_derive(&module->files, LOOKUP_UNWIND,
							  &derived_cficache);
	return make(crash, &module->cfi, resolver, err);
}

/* The file the rules are of, as it was found. */
static enum resolved want_image(struct crash *crash, struct crash_module *module,
				struct work_want *want, struct resolver *resolver, struct err *err)
{
	enum resolved resolved = module_lookup_choose(&module->files, LOOKUP_UNWIND, crash->work,
						      resolver, err);

	if (resolved == RESOLVED_READY && !module->files.purposes[LOOKUP_UNWIND].failure)
		want->entry = &module_lookup_winner(&module->files, LOOKUP_UNWIND)->held.derive;
	return resolved;
}

static enum resolved want_symbols(struct crash *crash, struct crash_module *module,
				  struct work_want *want, struct resolver *resolver, struct err *err)
{
	struct held *symcache = &module->symcache;
	enum resolved resolved = RESOLVED_READY;

	if (!symcache->derive.kind)
		resolved = symcache_lookup_derive(&module->files, crash->work, resolver,
						  &symcache->derive, err);
	if (resolved != RESOLVED_READY || !symcache->derive.kind)
		return resolved;
	resolved = make(crash, symcache, resolver, err);
	if (resolved == RESOLVED_READY && !symcache->failure)
		want->entry = &symcache->derive;
	return resolved;
}

enum resolved crash_want(struct work *work, struct work_want *want, struct resolver *resolver,
			 struct err *err)
{
	struct crash *crash = work->state;
	bool is_ahead = text_is(want->role, CONVERT_WANT_AHEAD);
	struct crash_module *module = want->state;

	if (!module)
		want->state = module = read_module(crash, is_ahead ? &crash->ahead : &crash->modules,
						   want, err);
	if (!module)
		return RESOLVED_ERROR;
	if (is_ahead)
		return want_ahead(crash, module, resolver, err);
	if (text_is(want->role, "cfi"))
		return want_cfi(crash, module, want, resolver, err);
	if (text_is(want->role, "image"))
		return want_image(crash, module, want, resolver, err);
	if (text_is(want->role, "symcache"))
		return want_symbols(crash, module, want, resolver, err);
	err_set(err, ERR_MALFORMED, "a cell asked for a file of no known role");
	return RESOLVED_ERROR;
}

/* --- Afterwards -------------------------------------------------------------------------------- */

/* The walk went on without its rules. */
static void tell_late(struct crash *crash, struct crash_module *module)
{
	module_lookup_failed(&module->files, LOOKUP_UNWIND, ERR_TIMEOUT,
			     TEXT("it was not there when most of the time of the request was over"),
			     &crash->work->arena);
	module->waits_for_cfi = false;
}

struct module_lookup *const *crash_modules_lookups(struct crash *crash, struct err *err)
{
	const struct raw_report *report = &crash->request.report;
	struct module_lookup **lookups = arena_alloc(&crash->work->arena, report->module_count + 1,
						     sizeof(*lookups));
	/* A cell asks for few: those that are added here need not be looked through. */
	struct crash_module *wanted = crash->modules;
	const struct debugid *first = report->module_count > 0 ? &report->modules[0].ids.debug_id : NULL;

	if (!lookups) {
		err_no_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < report->module_count; i++) {
		const struct raw_module *raw = &report->modules[i];
		struct crash_module *module = find(wanted, raw->image_addr.value);

		/* Debug files are looked for by what the unwind rules told of a module, too. */
		if (!module)
			module = add(crash, &crash->modules, raw, first, err);
		else if (take_ids(crash, raw, first, module, err) < 0)
			module = NULL;
		if (!module)
			return NULL;
		if (module->waits_for_cfi)
			tell_late(crash, module);
		lookups[i] = &module->files;
	}
	return lookups;
}

static void release(struct crash_module *module)
{
	for (; module; module = module->next)
		module_lookup_release(&module->files);
}

void crash_modules_release(struct crash *crash)
{
	release(crash->modules);
	release(crash->ahead);
	crash->modules = crash->ahead = NULL;
}
