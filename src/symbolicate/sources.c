/*
 * sources.c -- the sources of modules, and quoting them.
 *
 * The look-ups read mapped files that anyone may cut short meanwhile: all of it runs inside
 * guard_run(), and what is kept is copied into the arena.
 */
#include "symbolicate/sources.h"

#include "base/arena.h"
#include "base/guard.h"
#include "base/limits.h"

static struct module *module_of(const struct native *native, const struct frame *frame)
{
	return module_find(&native->table, frame->mode, frame->address);
}

/* Which modules have frames with a path and a line: only their sources are read.  Most requests
 * find no sources at all and never get here. */
static void mark_wanted(struct native *native)
{
	native->is_sources_marked = true;
	for (size_t i = 0; i < native->request.trace_count; i++) {
		const struct trace *trace = &native->traces[i];

		for (size_t j = 0; j < trace->count; j++) {
			struct module *module = module_of(native, &trace->frames[j]);
			struct text path;
			uint32_t line;

			if (module && frame_place(&trace->frames[j], &path, &line))
				module->sources.is_wanted = true;
		}
	}
}

/* --- The source cache of a module -------------------------------------------------------- */

struct opening { struct module_sources *sources; struct err *err; };

static int open_guarded(void *payload)
{
	struct opening *opening = payload;
	const struct text bytes = opening->sources->found.payload;

	return sourcecache_open(&opening->sources->cache, bytes.bytes, bytes.size, opening->err);
}

static void drop_found(struct module_sources *sources)
{
	cache_found_release(&sources->found);
	sources->found = (struct cache_found){ .state = CACHE_ABSENT };
	sources->is_open = false;
}

/* It is made again, until that does not help: then the module has no sources. */
static void spoil(struct module_sources *sources, struct resolver *resolver, const char *why)
{
	drop_found(sources);
	sources->is_settled = sources->spoiled++ >= SPOIL_TRIES;
	if (!sources->is_settled)
		resolver->spoil(resolver, &sources->derive, why);
}

static void settle(struct module_sources *sources, struct resolver *resolver)
{
	struct err damage = ERR_INIT;
	struct opening opening = { sources, &damage };
	int cut_short;

	sources->is_settled = true;
	if (sources->found.state != CACHE_READY)
		drop_found(sources);         /* no sources; the object's candidate stands */
	else if (guard_run(open_guarded, &opening, &cut_short) < 0)
		spoil(sources, resolver, cut_short ? "the file is cut short" : damage.text);
	else
		sources->is_open = true;
}

enum resolved sources_fetch(struct native *native, struct module *module,
			    const struct tried *winner, struct resolver *resolver,
			    struct err *err)
{
	struct module_sources *sources = &module->sources;

	if (!native->is_sources_marked)
		mark_wanted(native);
	sources->derive = (struct derive){
		.how = DERIVE_SOURCES, .location = winner->derive.location,
		.object_key = winner->derive.object_key,
		.key = cache_key_as(&winner->derive.key, CACHE_SOURCES),
	};
	while (sources->is_wanted && !sources->is_settled) {
		enum resolved resolved;

		sources->found = (struct cache_found){ .state = CACHE_ABSENT };
		resolved = resolver->entry(resolver, &sources->derive, &sources->found, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		settle(sources, resolver);
	}
	native->has_open_sources |= sources->is_open;
	return RESOLVED_READY;
}

void sources_release(struct module *module)
{
	drop_found(&module->sources);
	for (struct source_link *link = module->sources.links; link; link = link->next)
		cache_found_release(&link->found);
}

/* --- Quoting ----------------------------------------------------------------------------- */

struct quoting { struct native *native; struct err *err; struct module *module; struct buf url; };

/* The link is shown, and followed when there are no contents. */
static int take_link(struct quoting *quoting, struct frame *frame, struct module *module,
		     const struct sourcecache_source *source, struct text path)
{
	struct native *native = quoting->native;
	struct text url;

	buf_clear(&quoting->url);
	sourcecache_url(&module->sources.cache, source, path, &quoting->url);
	if (buf_check(&quoting->url, quoting->err) < 0 ||
	    url_normalise(buf_text(&quoting->url), &native->work->arena, &url, quoting->err) < 0)
		return -1;
	frame->source_link = url;
	if (!url.bytes || source->is_inside)
		return 0;
	frame->link = link_for(native, module, url, quoting->err);
	return frame->link || quoting->err->kind == ERR_NONE ? 0 : -1;
}

static int quote_frame(struct quoting *quoting, struct frame *frame)
{
	struct module *module = module_of(quoting->native, frame);
	struct sourcecache_source source;
	struct text path;
	uint32_t line;

	if (!module || !module->sources.is_open || !frame_place(frame, &path, &line))
		return 0;
	quoting->module = module;
	if (sourcecache_find(&module->sources.cache, path, &source) &&
	    (take_link(quoting, frame, module, &source, path) < 0 ||
	     frame_quote(frame, &source, &quoting->native->work->arena, quoting->err) < 0))
		return -1;
	quoting->module = NULL;
	return 0;
}

static int quote_all(void *payload)
{
	struct quoting *quoting = payload;
	struct native *native = quoting->native;

	for (size_t i = 0; i < native->request.trace_count; i++)
		for (size_t j = 0; j < native->traces[i].count; j++)
			if (quote_frame(quoting, &native->traces[i].frames[j]) < 0)
				return -1;
	return 0;
}

enum resolved contexts_look_up(struct native *native, struct resolver *resolver, struct err *err)
{
	struct quoting quoting = { .native = native, .err = err };
	enum resolved resolved = RESOLVED_READY;
	int cut_short;

	if (!native->has_open_sources)
		return resolved;
	buf_init(&quoting.url, 2 * LIMIT_URL_BYTES);
	if (guard_run(quote_all, &quoting, &cut_short) < 0) {
		resolved = RESOLVED_ERROR;
		if (cut_short && quoting.module) {
			spoil(&quoting.module->sources, resolver,
			      "the file was cut short while it was read");
			resolved = RESOLVED_WAIT;
		}
	}
	buf_release(&quoting.url);
	return resolved;
}
