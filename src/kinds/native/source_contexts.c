/*
 * source_contexts.c -- the sources of modules, and quoting them.
 *
 * What is kept is copied into the arena.
 */
#include "kinds/native/source_contexts.h"

#include "base/arena.h"
#include "base/limits.h"

static struct native_module *module_of(const struct symbolication *native,
				       const struct native_frame *frame)
{
	return module_table_find(&native->table, frame->mode, frame->address);
}

/* Which modules have frames with a path and a line: only their sources are read.  Most requests
 * find no sources at all and never get here. */
static void mark_wanted(struct symbolication *native)
{
	native->is_sources_marked = true;
	for (size_t i = 0; i < native->request.trace_count; i++) {
		const struct native_trace *trace = &native->traces[i];

		for (size_t j = 0; j < trace->count; j++) {
			struct native_module *module = module_of(native, &trace->frames[j]);
			struct text path;
			uint32_t line;

			if (module && native_frame_place(&trace->frames[j], &path, &line))
				module->sources.is_wanted = true;
		}
	}
}

/* --- The source cache of a module -------------------------------------------------------- */

int source_contexts_open(void *payload, struct text bytes, struct err *damage)
{
	struct sourcecache *cache = payload;

	return sourcecache_open(cache, bytes.bytes, bytes.size, damage);
}

enum resolved source_contexts_fetch(struct symbolication *native, struct native_module *module,
				    const struct candidate *winner, struct resolver *resolver,
				    struct err *err)
{
	struct module_sources *sources = &module->sources;
	const struct held_opening opening = {
		.open = source_contexts_open, .payload = &sources->cache,
		.arena = &native->work->arena, .list = &native->open_sources,
	};

	if (!native->is_sources_marked)
		mark_wanted(native);
	if (!sources->is_wanted)
		return RESOLVED_READY;
	sources->held.derive = (struct derive){
		.kind = &derived_sources, .location = winner->held.derive.location,
		.object_key = winner->held.derive.object_key,
		.key = cache_key_as(&winner->held.derive.key, CACHE_SOURCES),
	};
	return held_resolve(&sources->held, &opening, resolver, err);
}

void source_contexts_release(struct native_module *module)
{
	held_release(&module->sources.held);
	for (struct source_link *link = module->sources.links; link; link = link->next)
		held_release(&link->candidate.held);
}

/* --- Quoting ----------------------------------------------------------------------------- */

struct context_quoting { struct symbolication *native; struct err *err; struct buf url; };

/* The link is shown, and followed when there are no contents. */
static int take_link(struct context_quoting *quoting, struct native_frame *frame,
		     struct native_module *module,
		     const struct sourcecache_source *source, struct text path)
{
	struct symbolication *native = quoting->native;
	struct text url;

	buf_clear(&quoting->url);
	sourcecache_url(&module->sources.cache, source, path, &quoting->url);
	if (buf_check(&quoting->url, quoting->err) < 0 ||
	    url_normalise(buf_text(&quoting->url), &native->work->arena, &url, quoting->err) < 0)
		return -1;
	frame->source_link = url;
	if (!url.bytes || source->is_inside)
		return 0;
	frame->link = source_link_for(native, module, url, quoting->err);
	return frame->link || quoting->err->kind == ERR_NONE ? 0 : -1;
}

static bool has_sources(const struct native_module *module)
{
	return module->sources.held.is_settled && !module->sources.held.failure;
}

static int quote_frame(struct context_quoting *quoting, struct native_frame *frame)
{
	struct native_module *module = module_of(quoting->native, frame);
	struct sourcecache_source source;
	struct text path;
	uint32_t line;

	if (!module || !has_sources(module) || !native_frame_place(frame, &path, &line))
		return 0;
	if (sourcecache_find(&module->sources.cache, path, &source) &&
	    (take_link(quoting, frame, module, &source, path) < 0 ||
	     native_frame_quote(frame, &source, &quoting->native->work->arena, quoting->err) < 0))
		return -1;
	return 0;
}

/* What an earlier try took from files that changed. */
static void forget_quotes(struct symbolication *native)
{
	for (size_t i = 0; i < native->request.trace_count; i++) {
		for (size_t j = 0; j < native->traces[i].count; j++) {
			native->traces[i].frames[j].context = NULL;
			native->traces[i].frames[j].source_link = TEXT_NONE;
			native->traces[i].frames[j].link = NULL;
		}
	}
	for (size_t i = 0; i < native->table.count; i++) {
		native->table.modules[i].sources.links = NULL;
		native->table.modules[i].sources.link_count = 0;
	}
	native->link_count = 0;
}

static int quote_all(void *payload)
{
	struct context_quoting *quoting = payload;
	struct symbolication *native = quoting->native;

	for (size_t i = 0; i < native->request.trace_count; i++)
		for (size_t j = 0; j < native->traces[i].count; j++)
			if (quote_frame(quoting, &native->traces[i].frames[j]) < 0)
				return -1;
	return 0;
}

enum resolved source_contexts_look_up(struct symbolication *native, struct resolver *resolver,
				      struct err *err)
{
	struct context_quoting quoting = { .native = native, .err = err };
	enum resolved resolved;

	if (!native->open_sources)
		return RESOLVED_READY;
	buf_init(&quoting.url, 2 * LIMIT_URL_BYTES);
	resolved = held_read(&native->open_sources, quote_all, &quoting, resolver, err);
	if (resolved != RESOLVED_READY)
		forget_quotes(native);
	buf_release(&quoting.url);
	return resolved;
}
