/*
 * resolve.c -- one module on its way: the file with debug information, its companions, the
 * SymCache; and the file with sources.
 */
#include "kinds/native/native.h"
#include "kinds/native/source_contexts.h"

#include "base/arena.h"
#include "lookup/symcache_lookup.h"
#include "work/derived.h"

static void settle_failed(struct symbolication *native, struct native_module *module,
			  enum err_kind failure, struct text details)
{
	module_lookup_failed(module->files, LOOKUP_DEBUG, failure, details, &native->work->arena);
	module->stage = MODULE_SETTLED;
}

/* A ppdb cache has no companions. */
static void derive_managed(struct symbolication *native, struct native_module *module)
{
	struct text format = module_lookup_winner(module->files, LOOKUP_DEBUG)->meta.format;

	if (!text_is(format, "portablepdb") && !text_is(format, "pe")) {
		settle_failed(native, module, ERR_UNSUPPORTED,
			      TEXT("Only portable PDB files can be used for .NET symbolication"));
		return;
	}
	module->symcache.derive = module_lookup_derive(module->files, LOOKUP_DEBUG,
						       &derived_ppdb);
	module->stage = MODULE_SYMCACHE;
}

static enum resolved choose(struct symbolication *native, struct native_module *module,
			    struct resolver *resolver, struct err *err)
{
	enum resolved resolved = module_lookup_choose(module->files, LOOKUP_DEBUG, native->work,
						      resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	if (native_module_debug(module)->failure) {
		module->stage = MODULE_SETTLED;
		return RESOLVED_READY;
	}
	module->is_managed = module->raw->ids.type == OBJECT_TYPE_PE_DOTNET;
	if (module->is_managed) {
		derive_managed(native, module);
		return RESOLVED_READY;
	}
	module->stage = MODULE_COMPANIONS;
	return RESOLVED_READY;
}

static enum resolved add_companions(struct symbolication *native, struct native_module *module,
				    struct resolver *resolver, struct err *err)
{
	enum resolved resolved = symcache_lookup_derive(module->files, native->work, resolver,
							&module->symcache.derive, err);

	if (resolved == RESOLVED_READY)
		module->stage = MODULE_SYMCACHE;
	return resolved;
}

static int open_symcache(void *payload, struct text bytes, struct err *damage)
{
	struct native_module *module = payload;

	return module->is_managed
	       ? ppdbcache_open(&module->managed, bytes.bytes, bytes.size, damage)
	       : symcache_open(&module->cache, bytes.bytes, bytes.size, damage);
}

static enum resolved fetch_symcache(struct symbolication *native, struct native_module *module,
				    struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = {
		.open = open_symcache, .payload = module, .arena = &native->work->arena,
		.list = &native->open_symcaches,
	};
	enum resolved resolved = held_resolve(&module->symcache, &opening, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	if (module->symcache.failure) {
		settle_failed(native, module, module->symcache.failure, module->symcache.details);
		return RESOLVED_READY;
	}
	module->arch = module->is_managed ? (uint32_t)ARCH_UNKNOWN
					  : arch_modern_code(module->cache.arch);
	module->stage = MODULE_SETTLED;
	module_lookup_found(module->files, LOOKUP_DEBUG);
	module_lookup_upgrade(module->files, &module->symcache.derive, resolver);
	return RESOLVED_READY;
}

/* --- Uploaded symbfiles ----------------------------------------------------------------------- */

/* Those of the file id that is named, before anything is looked for; those of a build id only when there
 * is nothing else. */
static enum resolved list_symbfiles(struct symbolication *native, struct native_module *module,
				    bool by_build_id, struct err *err)
{
	struct file_id id;
	int known = by_build_id ? upload_folder_find_build_id(native->work->config, module->raw->ids.code_id, &id, err)
				: file_id_parse_any(module->raw->file_id, &id);

	if (known > 0)
		known = symbfile_parts_list(&module->symbfiles, &id, native->work, err);
	module->has_symbfiles = known > 0;
	return known < 0 ? RESOLVED_ERROR : RESOLVED_READY;
}

static enum resolved open_symbfiles(struct symbolication *native, struct native_module *module,
				    struct resolver *resolver, struct err *err)
{
	enum resolved resolved = symbfile_parts_resolve(&module->symbfiles, &native->open_symcaches,
							native->work, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	if (module->symbfiles.usable_count == 0) {
		settle_failed(native, module, module->symbfiles.failure, module->symbfiles.details);
		return RESOLVED_READY;
	}
	module->arch = (uint32_t)ARCH_UNKNOWN;
	module->stage = MODULE_SETTLED;
	native_module_debug(module)->failure = ERR_NONE;
	module_lookup_found(module->files, LOOKUP_DEBUG);
	return RESOLVED_READY;
}

static enum resolved try_symbfiles(struct symbolication *native, struct native_module *module,
				   struct resolver *resolver, struct err *err)
{
	if (!module->symbfiles.is_listed && module->raw->file_id.bytes &&
	    list_symbfiles(native, module, false, err) == RESOLVED_ERROR)
		return RESOLVED_ERROR;
	if (module->has_symbfiles)
		return open_symbfiles(native, module, resolver, err);
	module->stage = MODULE_LOOKUP;
	return RESOLVED_READY;
}

static bool may_try_build_id(const struct native_module *module)
{
	return !module->asked_build_id && !module->has_symbfiles && module->raw->ids.code_id.size > 0 &&
	       module->files->purposes[LOOKUP_DEBUG].failure != ERR_NONE;
}

/* Nothing was found for it: has somebody uploaded symbfiles and told its build id? */
static enum resolved try_build_id(struct symbolication *native, struct native_module *module,
				  struct err *err)
{
	if (!may_try_build_id(module))
		return RESOLVED_READY;
	module->asked_build_id = true;
	if (list_symbfiles(native, module, true, err) == RESOLVED_ERROR)
		return RESOLVED_ERROR;
	if (module->has_symbfiles)
		module->stage = MODULE_SYMBFILES;
	return RESOLVED_READY;
}

/* One stage; READY when the next may follow. */
static enum resolved advance_once(struct symbolication *native, struct native_module *module,
				  struct resolver *resolver, struct err *err)
{
	switch (module->stage) {
	case MODULE_SYMBFILES:
		return try_symbfiles(native, module, resolver, err);
	case MODULE_LOOKUP:
		return choose(native, module, resolver, err);
	case MODULE_COMPANIONS:
		return add_companions(native, module, resolver, err);
	default:
		return fetch_symcache(native, module, resolver, err);
	}
}

enum resolved native_module_advance(struct symbolication *native, struct native_module *module,
				    struct resolver *resolver, struct err *err)
{
	/* What its file said went with the file. */
	if (module->stage == MODULE_SETTLED && !native_module_debug(module)->failure) {
		if (module->has_symbfiles && !symbfile_parts_are_settled(&module->symbfiles))
			module->stage = MODULE_SYMBFILES;
		else if (!module->has_symbfiles && !module->symcache.is_settled)
			module->stage = MODULE_SYMCACHE;
	}
	for (;;) {
		enum resolved resolved = module->stage == MODULE_SETTLED
					 ? try_build_id(native, module, err)
					 : advance_once(native, module, resolver, err);

		if (resolved != RESOLVED_READY || (module->stage == MODULE_SETTLED && !may_try_build_id(module)))
			return resolved;
	}
}

enum resolved native_module_advance_sources(struct symbolication *native,
					    struct native_module *module,
					    struct resolver *resolver, struct err *err)
{
	enum resolved resolved = module_lookup_choose(module->files, LOOKUP_SOURCE, native->work,
						      resolver, err);

	if (resolved != RESOLVED_READY || module->files->purposes[LOOKUP_SOURCE].failure)
		return resolved;
	return source_contexts_fetch(native, module, resolver, err);
}
