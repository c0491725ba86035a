/* scraping.c -- see scraping.h: what a request says of it, URLs, and where its headers may go. */
#include "lookup/scraping.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/url.h"
#include "work/work.h"

/* --- What a request says ----------------------------------------------------------------- */

static int read_origins(const cJSON *json, const struct schema_place *place, void *field,
			void *context, struct err *err)
{
	return schema_texts(json, place, context, field, err);
}

/* They go to whatever server a debug file names. */
static int read_headers(const cJSON *json, const struct schema_place *place, void *field,
			void *context, struct err *err)
{
	size_t offset = offsetof(struct scraping, headers);
	struct scraping *scraping = (struct scraping *)((char *)field - offset);
	struct fetch_header *headers;
	struct text_map map;

	if (schema_text_map(json, place, context, &map, err) < 0)
		return -1;
	headers = arena_alloc_raw(context, map.count, sizeof(*headers));
	if (!headers)
		return err_no_memory(err);
	for (size_t i = 0; i < map.count; i++) {
		struct text name = map.pairs[i].name;
		const char *refusal = source_header_refusal(name, false);

		if (refusal)
			return schema_wrong(place, err, "`%.*s` cannot be set: %s", (int)name.size,
					    name.bytes, refusal);
		headers[i] = (struct fetch_header){ name, map.pairs[i].value };
	}
	scraping->headers = headers;
	scraping->header_count = map.count;
	return 0;
}

#define AT(field) offsetof(struct scraping, field)

static const struct schema_member members[] = {
	{ "enabled", SCHEMA_BOOL, AT(enabled), SCHEMA_REQUIRED, NULL },
	{ "verify_ssl", SCHEMA_BOOL, AT(verify_ssl), 0, NULL },
	{ "allowed_origins", SCHEMA_OTHER, AT(allowed_origins), SCHEMA_REQUIRED, read_origins },
	{ "headers", SCHEMA_OTHER, AT(headers), SCHEMA_REQUIRED, read_headers },
};

struct scraping scraping_default(void)
{
	static const struct text everywhere[] = { { "*", 1 } };

	return (struct scraping){ .enabled = true, .verify_ssl = true,
				  .allowed_origins = { everywhere, 1 } };
}

int scraping_read(struct scraping *scraping, const cJSON *json, const struct schema_place *place,
		  struct arena *arena, struct err *err)
{
	return schema_read(json, place, members, sizeof(members) / sizeof(members[0]), scraping,
			   arena, err);
}

int scraping_set_credentials(struct source *source, const struct derive_link *order, struct err *err)
{
	static const char label[] = "symgate source link headers";
	struct buf secrets;
	int rc;

	if (!order->header_count)
		return 0;
	buf_init(&secrets, LIMIT_SYMBOLICATE_BODY_BYTES);
	for (size_t i = 0; i < order->header_count; i++) {
		buf_add_text(&secrets, order->headers[i].name);
		buf_add_char(&secrets, '\0');
		buf_add_text(&secrets, order->headers[i].value);
		buf_add_char(&secrets, '\0');
	}
	rc = buf_check(&secrets, err);
	if (rc == 0)
		hash_keyed(label, sizeof(label) - 1, secrets.bytes, secrets.size, source->credentials);
	source->has_credentials = rc == 0;
	buf_release(&secrets);
	return rc;
}

/* --- The URL itself ---------------------------------------------------------------------- */

static bool is_of_the_web(struct text url)
{
	struct url_parts parts;

	return url_parse(url, URL_RFC3986, &parts) && parts.host.size > 0 &&
	       (text_is(parts.scheme, "http") || text_is(parts.scheme, "https"));
}

/* What may not stand in an URL is encoded; line ends and tabs vanish. */
int scraping_normalise_url(struct text url, struct arena *arena, struct text *normal,
			   struct err *err)
{
	static const char digits[] = "0123456789ABCDEF";
	char *out, *at;

	*normal = TEXT_NONE;
	if (!is_of_the_web(url))
		return 0;
	out = at = arena_alloc_raw(arena, 3 * url.size + 1, 1);
	if (!out)
		return err_no_memory(err);
	for (size_t i = 0; i < url.size; i++) {
		unsigned char c = (unsigned char)url.bytes[i];

		if (c == '\t' || c == '\n' || c == '\r')
			continue;
		if (c > ' ' && c < 0x7f && !strchr("\"<>`{}", c)) {
			*at++ = (char)c;
			continue;
		}
		*at++ = '%';
		*at++ = digits[c >> 4];
		*at++ = digits[c & 15];
	}
	*at = '\0';
	*normal = (struct text){ out, (size_t)(at - out) };
	return 0;
}

/* --- Origins ----------------------------------------------------------------------------- */

/* "*", HOST, "*:PORT", HOST:PORT; the port is everything behind the colon. */
static bool place_matches(struct text place, const struct url_parts *url)
{
	const char *colon = place.size ? memchr(place.bytes, ':', place.size) : NULL;
	struct text host = { place.bytes, colon ? (size_t)(colon - place.bytes) : place.size };
	struct text port = colon ? (struct text){ colon + 1, place.size - host.size - 1 }
				 : TEXT_NONE;

	if (port.bytes && !text_equal(port, url_port(url)))
		return false;
	return text_is(host, "*") || text_equal_ignoring_case(host, url->host);
}

/* "*.x" is x and everything below it, on any port and path. */
static bool is_below(struct text domain, struct text host)
{
	struct text base = { domain.bytes + 2, domain.size - 2 };
	struct text tail = { host.bytes + host.size - base.size, base.size };

	if (host.size < base.size || !text_equal_ignoring_case(tail, base))
		return false;
	return host.size == base.size || tail.bytes[-1] == '.';
}

static bool path_matches(struct text path, struct text of_url)
{
	if (text_ends_with(path, "*"))
		path.size--;
	return of_url.size >= path.size &&
	       (path.size == 0 || memcmp(of_url.bytes, path.bytes, path.size) == 0);
}

/* Up to the first slash, which `rest` begins with then; else it is empty. */
static struct text take_domain(struct text *rest)
{
	const char *slash = rest->size ? memchr(rest->bytes, '/', rest->size) : NULL;
	struct text domain = { rest->bytes, slash ? (size_t)(slash - rest->bytes) : rest->size };

	*rest = text_from(*rest, domain.size);
	return domain;
}

/* Of "HOST/PATH" and "HOST:PORT" what it says must fit. */
static bool rest_matches(struct text rest, const struct url_parts *url)
{
	bool has_port = rest.size && memchr(rest.bytes, ':', rest.size);
	struct text domain = has_port ? rest : take_domain(&rest);

	if (!has_port && text_starts_with(domain, "*.") && is_below(domain, url->host))
		return true;
	if (!place_matches(domain, url))
		return false;
	return has_port || rest.size == 0 ||
	       path_matches((struct text){ rest.bytes + 1, rest.size - 1 }, url->path);
}

/* Takes "SCHEME://" off a pattern, whose scheme may be "*". */
static bool take_scheme(struct text *rest, struct text *scheme)
{
	const char *at = rest->size ? memmem(rest->bytes, rest->size, "://", 3) : NULL;

	if (!at)
		return false;
	*scheme = (struct text){ rest->bytes, (size_t)(at - rest->bytes) };
	*rest = text_from(*rest, scheme->size + 3);
	return true;
}

static bool origin_allows(struct text origin, struct text whole, const struct url_parts *url)
{
	struct text rest = origin, scheme = TEXT_NONE;

	if (text_is(origin, "*") || text_equal(origin, whole))
		return true;
	if (take_scheme(&rest, &scheme) && !text_is(scheme, "*") &&
	    !text_equal_ignoring_case(scheme, url->scheme))
		return false;
	return rest_matches(rest, url);
}

bool scraping_allows(const struct scraping *scraping, struct text url)
{
	const struct text_list *origins = &scraping->allowed_origins;
	struct url_parts parts;

	if (!url_parse(url, URL_RFC3986, &parts) || parts.host.size == 0)
		return false;
	for (size_t i = 0; i < origins->count; i++)
		if (origin_allows(origins->texts[i], url, &parts))
			return true;
	return false;
}
