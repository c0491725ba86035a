/*
 * source_contexts.c -- the sources of modules, and quoting them.
 *
 * What is kept is copied into the arena.
 */
#include "kinds/native/source_contexts.h"

#include "base/arena.h"
#include "base/limits.h"
#include "work/derived.h"

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
	for (size_t i = 0; i < native->request.report.trace_count; i++) {
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

enum resolved source_contexts_fetch(struct symbolication *native, struct native_module *module,
				    struct resolver *resolver, struct err *err)
{
	struct module_sources *sources = &module->sources;
	const struct held_opening opening = {
		.open = source_link_open, .payload = &sources->cache,
		.arena = &native->work->arena, .list = &native->open_sources,
	};

	if (!native->is_sources_marked)
		mark_wanted(native);
	if (!sources->is_wanted)
		return RESOLVED_READY;
	if (!sources->held.derive.location)
		sources->held.derive = module_lookup_derive(module->files, LOOKUP_SOURCE,
							    &derived_sources);
	return held_resolve(&sources->held, &opening, resolver, err);
}

/* --- Quoting ----------------------------------------------------------------------------- */

struct context_quoting { struct symbolication *native; struct err *err; struct buf url; };

/* A link to be followed, made when there is none yet; *link NULL: that would be more than one
 * request may follow. */
static int follow(struct symbolication *native, struct native_module *module, struct text url,
		  struct source_link **link, struct err *err)
{
	struct source_links *links = &module->files->links;
	const struct source *source = module->sources.held.derive.location->source;

	*link = source_link_find(links, url);
	if (*link || native->link_count == LIMIT_LINKS_FOLLOWED)
		return 0;
	*link = source_link_add(links, url, &native->request.scraping,
				&module->files->purposes[LOOKUP_SOURCE].query, source->is_public,
				native->work, err);
	if (!*link)
		return -1;
	native->link_count++;
	return 0;
}

/* The link is shown, and followed when there are no contents. */
static int take_link(struct context_quoting *quoting, struct native_frame *frame,
		     struct native_module *module, const struct sourcecache_source *source,
		     struct text path)
{
	struct symbolication *native = quoting->native;
	struct text url;

	buf_clear(&quoting->url);
	sourcecache_url(&module->sources.cache, source, path, &quoting->url);
	if (buf_check(&quoting->url, quoting->err) < 0 ||
	    scraping_normalise_url(buf_text(&quoting->url), &native->work->arena, &url,
				   quoting->err) < 0)
		return -1;
	frame->source_link = url;
	if (!url.bytes || source->is_inside)
		return 0;
	return follow(native, module, url, &frame->link, quoting->err);
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
	for (size_t i = 0; i < native->request.report.trace_count; i++) {
		for (size_t j = 0; j < native->traces[i].count; j++) {
			native->traces[i].frames[j].context = NULL;
			native->traces[i].frames[j].source_link = TEXT_NONE;
			native->traces[i].frames[j].link = NULL;
		}
	}
	for (size_t i = 0; i < native->table.count; i++) {
		native->table.modules[i].files->links = (struct source_links){ NULL, 0 };
	}
	native->link_count = 0;
}

static int quote_all(void *payload)
{
	struct context_quoting *quoting = payload;
	struct symbolication *native = quoting->native;

	for (size_t i = 0; i < native->request.report.trace_count; i++)
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
/* --- The files links lead to ------------------------------------------------------------- */

static enum resolved resolve_links(struct symbolication *native, struct resolver *resolver,
				   struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < native->table.count; i++) {
		struct source_links *links = &native->table.modules[i].files->links;
		enum resolved one = source_links_resolve(links, &native->open_links, native->work,
							 resolver, err);

		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	return all;
}

struct link_quoting { struct symbolication *native; struct err *err; };

static int quote_link(struct link_quoting *quoting, struct native_frame *frame)
{
	struct source_link *link = frame->link;
	struct sourcecache_source source;

	if (!link)
		return 0;
	frame->context = NULL;               /* of a try before, from a file that changed */
	if (link->candidate.held.failure || !sourcecache_find(&link->cache, TEXT(""), &source))
		return 0;
	return native_frame_quote(frame, &source, &quoting->native->work->arena, quoting->err);
}

static int quote_links(void *payload)
{
	struct link_quoting *quoting = payload;
	struct symbolication *native = quoting->native;

	for (size_t i = 0; i < native->request.report.trace_count; i++)
		for (size_t j = 0; j < native->traces[i].count; j++)
			if (quote_link(quoting, &native->traces[i].frames[j]) < 0)
				return -1;
	return 0;
}

enum resolved source_contexts_follow_links(struct symbolication *native,
					   struct resolver *resolver, struct err *err)
{
	struct link_quoting quoting = { native, err };
	enum resolved resolved;

	do {
		resolved = resolve_links(native, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		resolved = held_read(&native->open_links, quote_links, &quoting, resolver, err);
	} while (resolved == RESOLVED_WAIT);
	return resolved;
}
