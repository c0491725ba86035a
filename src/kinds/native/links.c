/*
 * links.c -- source files that have to be fetched: one for each module and URL, however many
 * frames need it.
 */
#include "kinds/native/source_contexts.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/limits.h"

#define SOURCE_ID "web-scraping"

/* --- Making one -------------------------------------------------------------------------- */

/* Headers of the request go along only where it lets them. */
static int choose_headers(struct symbolication *native, struct source_link *link, struct err *err)
{
	const struct scraping *scraping = &native->request.scraping;
	struct fetch_header *headers;
	const cJSON *item;
	size_t count;

	link->order.url = link->location.uri.bytes;
	link->order.accept_invalid_certs = !scraping->verify_ssl;
	if (!scraping->enabled || !scraping->headers ||
	    !origins_allow(scraping->allowed_origins, link->location.uri))
		return 0;
	count = (size_t)cJSON_GetArraySize(scraping->headers);
	headers = arena_alloc(&native->work->arena, count, sizeof(*headers));
	if (!headers)
		return err_no_memory(err);
	cJSON_ArrayForEach(item, scraping->headers)
		headers[link->order.header_count++] = (struct fetch_header){
			text_of(item->string), text_of(item->valuestring),
		};
	link->order.headers = headers;
	return 0;
}

/* What one got with these headers does not answer for others (see source/source.h). */
static int hash_headers(struct source_link *link, struct err *err)
{
	static const char label[] = "symgate source link headers";
	struct buf secrets;
	int rc;

	if (!link->order.header_count)
		return 0;
	buf_init(&secrets, LIMIT_SYMBOLICATE_BODY_BYTES);
	for (size_t i = 0; i < link->order.header_count; i++) {
		buf_add_text(&secrets, link->order.headers[i].name);
		buf_add_char(&secrets, '\0');
		buf_add_text(&secrets, link->order.headers[i].value);
		buf_add_char(&secrets, '\0');
	}
	rc = buf_check(&secrets, err);
	if (rc == 0)
		hash_keyed(label, sizeof(label) - 1, secrets.bytes, secrets.size,
			   link->source.credentials);
	link->source.has_credentials = rc == 0;
	buf_release(&secrets);
	return rc;
}

/* A place like others, so that keys, logs and candidates know what to say about it. */
static int fill(struct symbolication *native, struct source_link *link,
		const struct native_module *module,
		struct text url, struct err *err)
{
	struct work *work = native->work;
	struct derive *derive = &link->candidate.held.derive;
	struct text rest;

	link->source = (struct source){
		.id = TEXT(SOURCE_ID),
		.is_public = module->sources.held.derive.location->source->is_public,
	};
	link->location = (struct location){
		.source = &link->source, .type = FILE_TYPES, .uri = url, .ids = &module->raw->ids,
	};
	derive->kind = &derived_sourcefile;
	derive->location = &link->location;
	derive->link = &link->order;
	link->candidate.meta.has_sources = true;
	if (choose_headers(native, link, err) < 0 || hash_headers(link, err) < 0 ||
	    location_text(&link->location, &work->arena, &rest, err) < 0)
		return -1;
	return derive_key(&derive->key, work, CACHE_SOURCEFILES, &link->location, rest, err);
}

struct source_link *source_link_for(struct symbolication *native, struct native_module *module,
				    struct text url,
				    struct err *err)
{
	struct source_link *link;

	for (link = module->sources.links; link; link = link->next)
		if (text_equal(link->location.uri, url))
			return link;
	if (native->link_count == LIMIT_LINKS_FOLLOWED)
		return NULL;
	link = arena_alloc(&native->work->arena, 1, sizeof(*link));
	if (!link) {
		err_no_memory(err);
		return NULL;
	}
	if (fill(native, link, module, url, err) < 0)
		return NULL;
	link->next = module->sources.links;
	module->sources.links = link;
	module->sources.link_count++;
	native->link_count++;
	return link;
}

/* --- Asking for them --------------------------------------------------------------------- */

static enum resolved resolve_link(struct symbolication *native, struct source_link *link,
				  struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = {
		.open = source_contexts_open, .payload = &link->cache,
		.arena = &native->work->arena, .list = &native->open_links,
	};

	return held_resolve(&link->candidate.held, &opening, resolver, err);
}

static enum resolved resolve_all(struct symbolication *native, struct resolver *resolver,
				 struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < native->table.count; i++) {
		struct source_link *link = native->table.modules[i].sources.links;

		for (; link; link = link->next) {
			enum resolved one = resolve_link(native, link, resolver, err);

			if (one == RESOLVED_ERROR ||
			    (one == RESOLVED_WAIT && resolver->stops_at_wait))
				return one;
			if (one == RESOLVED_WAIT)
				all = one;
		}
	}
	return all;
}

/* --- Quoting ----------------------------------------------------------------------------- */

struct link_quoting { struct symbolication *native; struct err *err; };

static int quote_frame(struct link_quoting *quoting, struct native_frame *frame)
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

static int quote_all(void *payload)
{
	struct link_quoting *quoting = payload;
	struct symbolication *native = quoting->native;

	for (size_t i = 0; i < native->request.trace_count; i++)
		for (size_t j = 0; j < native->traces[i].count; j++)
			if (quote_frame(quoting, &native->traces[i].frames[j]) < 0)
				return -1;
	return 0;
}

enum resolved source_links_resolve(struct symbolication *native, struct resolver *resolver,
				   struct err *err)
{
	struct link_quoting quoting = { native, err };
	enum resolved resolved;

	do {
		resolved = resolve_all(native, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		resolved = held_read(&native->open_links, quote_all, &quoting, resolver, err);
	} while (resolved == RESOLVED_WAIT);
	return resolved;
}
