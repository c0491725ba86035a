/* js_module.c -- the two files of a module: the minified one, and its source map as a lookup file. */
#include "kinds/js/js.h"

#include "base/arena.h"
#include "kinds/js/js_url.h"

struct js_module *js_module_find(const struct js *js, struct text abs_path)
{
	struct js_module *module = js->modules;

	while (module && !text_equal(module->abs_path, abs_path))
		module = module->next;
	return module;
}

/* Of two modules of the request with one file the later counts. */
static struct debugid id_of(const struct js *js, struct text abs_path)
{
	struct debugid id = { .kind = DEBUGID_NIL };

	for (size_t i = 0; i < js->request.code_count; i++)
		if (text_equal(js->request.codes[i].code_file, abs_path))
			id = js->request.codes[i].debug_id;
	return id;
}

struct js_module *js_module_add(struct js *js, struct text abs_path, struct err *err)
{
	struct js_module *module = arena_alloc(&js->work->arena, 1, sizeof(*module));

	if (!module) {
		err_no_memory(err);
		return NULL;
	}
	module->abs_path = abs_path;
	module->minified.key = (struct js_file_key){ JS_MINIFIED, abs_path, id_of(js, abs_path) };
	*js->last_module = module;
	js->last_module = &module->next;
	return module;
}

/* --- The map ---------------------------------------------------------------------------------- */

/* What the minified file says of it. */
static int read_reference(struct js *js, struct js_module *module, struct err *err)
{
	const struct js_try *found = module->minified.attempted;
	struct js_file_key key = { .type = JS_MAP, .debug_id = module->minified.key.debug_id };

	if (debugid_is_nil(&key.debug_id))
		key.debug_id = found->debug_id;
	module->base = module->label = module->abs_path;
	module->has_map_key = true;
	if (found->map == JSFILE_MAP_INSIDE) {
		module->is_inside = true;
		module->origin = TEXT("\"embedded\"");
		return 0;
	}
	if (found->map == JSFILE_MAP_AT) {
		key.url = js_url_join(module->abs_path, found->reference, &js->work->arena);
		if (!key.url.bytes)
			return err_no_memory(err);
		module->base = module->label = key.url;
	}
	module->is_without_map = !key.url.bytes && debugid_is_nil(&key.debug_id);
	module->map.key = key;
	return 0;
}

/* --- The lookup file ---------------------------------------------------------------------------- */

/* "source:\nA\nsourcemap:\nB\n" */
static int make_key(struct js *js, struct js_module *module, struct err *err)
{
	struct work *work = js->work;
	struct derive *derive = &module->cache.derive;
	const struct js_file *minified = &module->minified, *map = &module->map;
	struct text source = js_file_identity(minified, work);
	struct text inside = TEXT("<embedded>");
	struct text sourcemap = module->is_inside ? inside : js_file_identity(map, work);
	char *rest;

	if (!source.bytes || !sourcemap.bytes)
		return err_no_memory(err);
	rest = arena_printf(&work->arena, "source:\n%.*s\nsourcemap:\n%.*s\n", (int)source.size,
			    source.bytes, (int)sourcemap.size, sourcemap.bytes);
	if (!rest)
		return err_no_memory(err);
	if (lookup_make_key(&derive->key, work, CACHE_SOURCEMAP_CACHES, derive->location, text_of(rest),
			    err) < 0)
		return -1;
	derive->object_key = derive->key;
	return 0;
}

/* Where there is no minified file to have scopes of, the map stands for it: it has none. */
static int make_derive(struct js *js, struct js_module *module, struct err *err)
{
	const struct js_file *minified = module->minified.is_empty ? &module->map : &module->minified;
	struct derive *derive = &module->cache.derive;

	derive->kind = &derived_sourcemap;
	derive->base = &minified->attempted->held.derive;
	derive->location = &minified->attempted->location;
	derive->link = derive->base->link;
	if (!module->is_inside) {
		module->companion = (struct derive_companion){
			.role = OBJECT_ROLE_SOURCEMAP, .entry = &module->map.attempted->held.derive,
		};
		derive->companions = &module->companion;
		derive->companion_count = 1;
	}
	return make_key(js, module, err);
}

static int open_sourcemap(void *payload, struct text bytes, struct err *damage)
{
	return sourcemap_open(payload, bytes.bytes, bytes.size, damage);
}

static enum resolved resolve_cache(struct js *js, struct js_module *module, struct resolver *resolver,
				   struct err *err)
{
	const struct held_opening how = {
		.open = open_sourcemap, .payload = &module->sourcemap, .arena = &js->work->arena,
		.list = &js->open,
	};

	if (!module->cache.derive.kind && make_derive(js, module, err) < 0)
		return RESOLVED_ERROR;
	return held_resolve(&module->cache, &how, resolver, err);
}

/* One that makes no sense is told of, too. */
static int tell_origin(struct js *js, struct js_module *module, struct err *err)
{
	const struct js_file *map = &module->map;

	if (module->origin.bytes || !map->attempted || (map->failure && map->failure != ERR_MALFORMED))
		return 0;
	module->origin = js_file_origin(map, js->work);
	return module->origin.bytes ? 0 : err_no_memory(err);
}

enum resolved js_module_resolve(struct js *js, struct js_module *module, struct resolver *resolver,
				struct err *err)
{
	enum resolved resolved = js_file_resolve(js, &module->minified, resolver, err);

	if (resolved != RESOLVED_READY || module->minified.failure)
		return resolved;
	if (!module->has_map_key && read_reference(js, module, err) < 0)
		return RESOLVED_ERROR;
	if (module->is_without_map)
		return RESOLVED_READY;
	if (!module->is_inside) {
		resolved = js_file_resolve(js, &module->map, resolver, err);
		if (resolved == RESOLVED_READY && tell_origin(js, module, err) < 0)
			return RESOLVED_ERROR;
		if (resolved != RESOLVED_READY || module->map.failure || module->map.is_empty)
			return resolved;
	}
	return resolve_cache(js, module, resolver, err);
}

void js_module_release(struct js_module *module)
{
	js_file_release(&module->minified);
	js_file_release(&module->map);
	held_release(&module->cache);
}
