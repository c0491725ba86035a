/*
 * js_scrape.c -- a file from the web itself, where the request allows it: once an hour, or as long as its
 * server says.
 */
#include "kinds/js/js.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/url.h"
#include "config/config.h"

#define HOUR_SECONDS 3600

static int refuse(struct js_file *file, const char *reason, const char *details)
{
	file->is_settled = true;
	file->failure = ERR_NOT_FOUND;
	file->attempt = (struct js_attempt){
		.is_told = true, .url = file->key.url, .status = "failure", .reason = reason,
		.details = text_of(details),
	};
	return 0;
}

static bool is_web(struct text scheme)
{
	return text_equal_ignoring_case(scheme, TEXT("http")) ||
	       text_equal_ignoring_case(scheme, TEXT("https"));
}

/* --- URLs as browsers write them (WHATWG URL standard) --------------------------------------- */

static void lower(char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = ascii_lower(at[i]);
}

/* "." and ".." of a path are gone, in place; how long it is. */
static size_t resolve_dots(char *path, size_t size)
{
	size_t out = 0, at = 0;

	while (at < size) {
		size_t end = at + 1;
		struct text segment;

		while (end < size && path[end] != '/')
			end++;
		segment = (struct text){ path + at + 1, end - at - 1 };
		if (text_is(segment, "..")) {
			while (out > 0 && path[--out] != '/')
				;
		}
		if (text_is(segment, "..") || text_is(segment, ".")) {
			if (end == size)
				path[out++] = '/';
		} else {
			memmove(path + out, path + at, end - at);
			out += end - at;
		}
		at = end;
	}
	return out;
}

/* `url` is what may be changed, of the arena, with room for one more byte. */
static struct text put_in_form(struct text url)
{
	char *bytes = (char *)(uintptr_t)url.bytes;
	struct url_parts parts;
	size_t at, path, tail;

	if (!url_parse(url, URL_RFC3986, &parts))
		return TEXT_NONE;
	lower(bytes, parts.scheme.size);
	lower((char *)(uintptr_t)parts.host.bytes, parts.host.size);
	at = (size_t)(parts.host_port.bytes - url.bytes) + parts.host_port.size;
	if (parts.port.bytes && (parts.port.size == 0 ||
				 (text_is(parts.scheme, "http") && text_is(parts.port, "80")) ||
				 (text_is(parts.scheme, "https") && text_is(parts.port, "443"))))
		at = (size_t)(parts.host.bytes - url.bytes) + parts.host.size;
	tail = parts.tail.size;
	path = parts.path.size;
	if (path == 0) {
		/* One byte more, unless a port made room. */
		memmove(bytes + at + 1, url.bytes + url.size - tail, tail);
		bytes[at] = '/';
		path = 1;
	} else {
		memmove(bytes + at, parts.path.bytes, path + tail);
		tail = parts.tail.size;
		path = resolve_dots(bytes + at, path);
		memmove(bytes + at + path, bytes + at + parts.path.size, tail);
	}
	bytes[at + path + tail] = '\0';
	return (struct text){ bytes, at + path + tail };
}

/* TEXT_NONE: it is no absolute URL. */
static int normalise(struct text url, struct arena *arena, struct text *normal, struct err *err)
{
	char *copy;

	if (scraping_normalise_url(url, arena, normal, err) < 0)
		return -1;
	if (!normal->bytes)
		return 0;
	copy = arena_alloc_raw(arena, normal->size + 2, 1);
	if (!copy)
		return err_no_memory(err);
	memcpy(copy, normal->bytes, normal->size);
	*normal = put_in_form((struct text){ copy, normal->size });
	return 0;
}

static struct text without_fragment(struct text url)
{
	const char *mark = url.size ? memchr(url.bytes, '#', url.size) : NULL;

	return mark ? (struct text){ url.bytes, (size_t)(mark - url.bytes) } : url;
}

/* When its hour began: not that of all others. */
static int64_t hour_of(struct text url)
{
	uint8_t hash[HASH_SHA256_BYTES];
	int64_t now = clock_unix_seconds(), offset;
	uint64_t first;

	hash_sha256(url.bytes, url.size, hash);
	memcpy(&first, hash, sizeof(first));
	offset = (int64_t)(first % HOUR_SECONDS);
	return (now - offset) / HOUR_SECONDS * HOUR_SECONDS + offset;
}

/* --- Whether it may be ----------------------------------------------------------------------- */

static bool is_restricted(struct text host)
{
	return text_equal_ignoring_case(host, TEXT("localhost")) || text_is(host, "127.0.0.1");
}

/* Two words around one of the request's. */
static const char *words(struct arena *arena, const char *before, struct text word, const char *behind)
{
	const char *made = arena_printf(arena, "%s%.*s%s", before, (int)word.size, word.bytes, behind);

	return made ? made : "";
}

/* 1: it may be, 0: the file is settled. */
static int judge(const struct js *js, struct js_file *file, struct text normal)
{
	const struct scraping *scraping = &js->request.scraping;
	struct arena *arena = &js->work->arena;
	struct text url = file->key.url;
	struct text scheme = { url.bytes, url_scheme_size(url) };
	struct url_parts parts = { .host = TEXT_NONE };

	if (!scraping->enabled) {
		file->is_scraping_disabled = true;
		return refuse(file, "disabled", NULL);
	}
	if (!is_web(scheme))
		return refuse(file, "invalid_host",
			      words(arena, "`", scheme, "` is not an allowed download scheme"));
	if (!scraping_allows(scraping, normal))
		return refuse(file, "invalid_host", words(arena, "", url, " is not an allowed download origin"));
	if (!url_parse(normal, URL_RFC3986, &parts) || parts.host.size == 0)
		return refuse(file, "invalid_host", NULL);
	if (is_restricted(parts.host) && !js->work->config->connect_to_reserved_ips)
		return refuse(file, "invalid_host",
			      words(arena, "Can't connect to restricted host ", parts.host, ""));
	return 1;
}

static int make_try(struct js *js, struct js_file *file, struct text normal, struct err *err)
{
	const struct scraping *scraping = &js->request.scraping;
	struct arena *arena = &js->work->arena;
	struct text plain = without_fragment(normal), rest;
	struct js_try *made = arena_alloc(arena, 1, sizeof(*made));
	int64_t hour = hour_of(normal);
	struct derive *derive;
	struct url_parts parts;

	if (url_parse(plain, URL_RFC3986, &parts) && parts.tail.size == 0 && parts.path.size > 1 &&
	    text_ends_with(plain, "/"))
		plain.size--;
	if (!made)
		return err_no_memory(err);
	made->link.url = arena_strndup(arena, plain.bytes, plain.size);
	made->location.uri = text_of(made->link.url);
	made->uri = text_of(arena_printf(arena, "%.*s#%" PRId64, (int)plain.size, plain.bytes, hour));
	if (!made->link.url || !made->uri.bytes)
		return err_no_memory(err);
	made->way = JS_WAY_SCRAPED;
	made->is_never_empty = true;
	made->resolved_with = TEXT("scraping");
	made->source = (struct source){ .id = TEXT("web-scraping") };
	made->location.source = &made->source;
	made->location.type = FILE_TYPES;
	made->location.query = js_query(js, &file->key, false);
	if (!made->location.query)
		return err_no_memory(err);
	made->link.headers = scraping->headers;
	made->link.header_count = scraping->header_count;
	made->link.accept_invalid_certs = !scraping->verify_ssl;
	derive = &made->held.derive;
	derive->kind = &derived_scraped;
	derive->location = &made->location;
	derive->link = &made->link;
	derive->fresh_until = hour + HOUR_SECONDS;
	if (scraping_set_credentials(&made->source, &made->link, err) < 0 ||
	    lookup_location_text(&made->location, arena, &rest, err) < 0)
		return -1;
	rest = text_of(arena_printf(arena, "%.*sform: js\n", (int)rest.size, rest.bytes));
	if (!rest.bytes)
		return err_no_memory(err);
	file->attempted = made;
	if (lookup_make_key(&derive->key, js->work, CACHE_SOURCEFILES, &made->location, rest, err) < 0)
		return -1;
	derive->key.release = js->request.release;
	return 0;
}

int js_scrape_begin(struct js *js, struct js_file *file, struct err *err)
{
	struct text url = file->key.url, normal = TEXT_NONE;
	struct text scheme = { url.bytes, url.size ? url_scheme_size(url) : 0 };
	int may;

	if (url.bytes && is_web(scheme) && normalise(url, &js->work->arena, &normal, err) < 0)
		return -1;
	/* No URL at all: nobody tried. */
	if (!url.bytes || scheme.size == 0 || (is_web(scheme) && !normal.bytes)) {
		file->is_settled = true;
		file->failure = ERR_NOT_FOUND;
		return 0;
	}
	may = judge(js, file, normal);
	return may > 0 && make_try(js, file, normal, err) < 0 ? -1 : may;
}

/* --- What became of it ------------------------------------------------------------------------ */

/* "300s" as people say it: "5m". */
static struct text human(struct text compact, struct arena *arena)
{
	uint64_t seconds;
	const char *made;

	if (!text_ends_with(compact, "s") || text_ends_with(compact, "ms") ||
	    !text_to_u64((struct text){ compact.bytes, compact.size - 1 }, 10, &seconds) || seconds == 0)
		return compact;
	if (seconds % 3600 == 0)
		made = arena_printf(arena, "%" PRIu64 "h", seconds / 3600);
	else if (seconds >= 3600)
		made = arena_printf(arena, "%" PRIu64 "h %" PRIu64 "m", seconds / 3600, seconds % 3600 / 60);
	else if (seconds % 60 == 0)
		made = arena_printf(arena, "%" PRIu64 "m", seconds / 60);
	else if (seconds > 60)
		made = arena_printf(arena, "%" PRIu64 "m %" PRIu64 "s", seconds / 60, seconds % 60);
	else
		return compact;
	return made ? text_of(made) : compact;
}

void js_scrape_end(struct js_file *file, const struct held *held, struct arena *arena)
{
	struct js_attempt *attempt = &file->attempt;
	struct text details = held->details;

	*attempt = (struct js_attempt){ .is_told = true, .url = file->key.url, .status = "failure",
					.details = details };
	if (!file->failure) {
		*attempt = (struct js_attempt){ .is_told = true, .url = file->key.url, .status = "success" };
		return;
	}
	switch (file->failure) {
	case ERR_NOT_FOUND:
		attempt->reason = "not_found";
		attempt->details = TEXT_NONE;
		break;
	case ERR_DENIED:
		attempt->reason = "permission_denied";
		break;
	case ERR_TIMEOUT:
		attempt->reason = "timeout";
		details = human(details, arena);
		attempt->details = text_of(words(arena, "Timeout after ", details, ""));
		break;
	case ERR_DOWNLOAD: case ERR_RESOLVE:
		attempt->reason = "download_error";
		break;
	default:
		attempt->reason = "other";
	}
}
