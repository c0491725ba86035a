/*
 * sentry.c -- debug files kept by a Sentry server.
 *
 * It is asked which files it has for a module (path "": the question) and sends each by its
 * id (path: the id).  Wherever it sends us we go: the operator of such a server and of this
 * service trust each other.
 */
#include "source/kind.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "source/artifact.h"
#include "source/base_url.h"
#include "source/bucket.h"
#include "source/source_listing.h"

#define ASK_MILLIS 30000

struct sentry {
	struct base_url url;
	struct text written;                 /* the address as it was configured */
	struct fetch_header header;          /* what opens it */
};

static int parse_secret(struct sentry *sentry, const struct shape *shape, struct text *secret,
			struct err *err)
{
	bool is_token = cJSON_IsString(shape_member(shape, "token"));
	bool is_cookie = cJSON_IsString(shape_member(shape, "cookies"));
	const char *key = is_token ? "token" : "cookies";
	struct text value;

	if (!is_token && !is_cookie)
		return shape_refuse(shape, NULL, err, "either `token` or `cookies` is required");
	if (shape_string(shape, key, SHAPE_REQUIRED, secret, err) < 0)
		return -1;
	value = *secret;
	if (is_token)
		value = text_of(arena_printf(shape->arena, "Bearer %s", secret->bytes));
	if (!value.bytes)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	sentry->header.name = is_token ? TEXT("Authorization") : TEXT("Cookie");
	sentry->header.value = text_has_controls(value) ? TEXT("") : value;
	return 0;
}

static int parse_url(struct sentry *sentry, const struct shape *shape,
		     const struct source_setup *setup, struct err *err)
{
	struct text url = TEXT_NONE;
	const char *fault;

	if (shape_string(shape, "url", SHAPE_REQUIRED, &url, err) < 0)
		return -1;
	sentry->written = url;
	fault = base_url_parse(url, shape->arena, &sentry->url);
	if (fault && !*fault)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	if (fault)
		return shape_refuse(shape, "url", err, "%s", fault);
	if (setup->origin == SOURCE_OF_CONFIG && !base_url_is_http(&sentry->url))
		return shape_refuse(shape, "url", err, "only http and https can be asked");
	return 0;
}

static int configure(struct source *source, const struct shape *shape,
		     const struct source_setup *setup, struct err *err)
{
	struct sentry *sentry = arena_alloc(shape->arena, 1, sizeof(*sentry));
	struct text secret = TEXT_NONE;
	struct buf secrets;
	int rc;

	if (!sentry)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	source->state = sentry;
	rc = parse_url(sentry, shape, setup, err);
	if (shape_goes_on(shape, rc))
		rc |= parse_secret(sentry, shape, &secret, err);
	if (rc < 0)
		return -1;
	buf_init(&secrets, SIZE_MAX);
	source_credentials_add(&secrets, sentry->header.name);
	source_credentials_add(&secrets, secret);
	source_credentials_add(&secrets, sentry->url.user);
	rc = source_credentials_store(source, &secrets, err);
	buf_release(&secrets);
	return rc;
}

/* --- Addresses ------------------------------------------------------------------------------ */

static void add_parameter(struct buf *out, char *mark, const char *name, struct text value)
{
	static const char digits[] = "0123456789ABCDEF";

	buf_add_char(out, *mark);
	buf_add_string(out, name);
	buf_add_char(out, '=');
	for (size_t i = 0; i < value.size; i++) {
		char c = value.bytes[i];
		bool plain = (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || ascii_is_digit(c) ||
			     (c != '\0' && strchr("*-._", c));

		if (plain)
			buf_add_char(out, c);
		else if (c == ' ')
			buf_add_char(out, '+');
		else
			buf_printf(out, "%%%c%c", digits[(uint8_t)c >> 4], digits[(uint8_t)c & 15]);
	}
	*mark = '&';
}

/* The configured address up to its query; the mark is what goes before the next parameter. */
static void begin_address(const struct sentry *sentry, bool with_user, struct buf *out, char *mark)
{
	struct base_url url = sentry->url;
	const char *fragment = url.tail.size ? memchr(url.tail.bytes, '#', url.tail.size) : NULL;

	if (fragment)
		url.tail.size = (size_t)(fragment - url.tail.bytes);
	base_url_add_origin(&url, with_user, out);
	buf_add_text(out, url.path);
	buf_add_text(out, url.tail);
	*mark = '?';
	if (url.tail.size == 1)
		out->size--;                     /* a query of nothing */
	else if (url.tail.size > 1)
		*mark = '&';
}

/* A release has all files of that name, minified or not, in one answer. */
static void add_release(const struct source_query *query, struct buf *out, char *mark)
{
	if (query->release.bytes)
		add_parameter(out, mark, "release", query->release);
	if (query->release.bytes && query->url.bytes)
		add_parameter(out, mark, "url", artifact_stem(query->url));
	if (query->dist.bytes)
		add_parameter(out, mark, "dist", query->dist);
}

static int make_address(const struct source *source, struct text path,
			const struct source_query *query, bool with_user, struct arena *arena,
			struct text *address, struct err *err)
{
	const struct object_ids *ids = query->ids;
	char id[DEBUGID_TEXT_BYTES], mark;
	struct buf made;

	buf_init(&made, 8 * URL_BYTES);
	begin_address(source->state, with_user, &made, &mark);
	if (path.size > 0) {
		add_parameter(&made, &mark, "id", path);
	} else {
		if (query->by == SOURCE_BY_URL)
			add_release(query, &made, &mark);
		debugid_format(&ids->debug_id, id);
		if (!debugid_is_nil(&ids->debug_id))
			add_parameter(&made, &mark, "debug_id", text_of(id));
		if (ids->code_id.size > 0)
			add_parameter(&made, &mark, "code_id", ids->code_id);
	}
	return bucket_keep(&made, arena, address, err);
}

static int name_location(const struct source *source, struct text path, struct arena *arena,
			 struct text *uri, struct err *err)
{
	(void)source;
	*uri = text_of(arena_printf(arena, "sentry://project_debug_file/%.*s", (int)path.size,
				    path.bytes));
	return uri->bytes ? 0 : err_set(err, ERR_NO_MEMORY, "no room for a location");
}

int sentry_name_query(const struct source *source, const struct source_query *query,
		      struct arena *arena, struct text *address, struct err *err)
{
	return make_address(source, TEXT(""), query, false, arena, address, err);
}

/* No answer of a listing is a fact about the module: it is asked again. */
static void judge_listing(unsigned status, struct text body, struct err *err)
{
	(void)status, (void)body;
	err->kind = ERR_DOWNLOAD;
}

static bool is_below(struct text address, struct text base)
{
	return address.size >= base.size && memcmp(address.bytes, base.bytes, base.size) == 0;
}

static int reach(const struct location *location, struct text credential, struct arena *arena,
		 enum source_access *access, int *fd, struct fetch_order *order, struct err *err)
{
	const struct source *source = location->source;
	const struct sentry *sentry = source->state;
	struct fetch_header *headers = arena_alloc(arena, 2, sizeof(*headers));
	bool is_question = location->path.size == 0;
	bool is_ours = !location->address.bytes || is_below(location->address, sentry->written);
	struct text address = location->address;

	(void)credential;
	*fd = -1;
	if (!headers)
		return err_set(err, ERR_NO_MEMORY, "no room for a location");
	if (!address.bytes &&
	    make_address(source, location->path, location->query, true, arena, &address, err) < 0)
		return -1;
	headers[0] = sentry->header;
	headers[1] = (struct fetch_header){ TEXT("Accept-Encoding"), TEXT("identity") };
	*access = SOURCE_ORDERED;
	*order = (struct fetch_order){
		.url = address.bytes, .source_id = source->id.bytes, .headers = headers,
		.header_count = is_question ? 2 : is_ours ? 1 : 0, .trusted = true, .trusted_everywhere = true,
		.is_whole = is_question, .total_millis = is_question ? ASK_MILLIS : 0,
		.judge = is_question ? judge_listing : NULL, .fd = -1,
	};
	return 0;
}

const struct source_kind source_kind_sentry = {
	.name = "sentry",
	.is_listed = true,
	.configure = configure,
	.name_location = name_location,
	.reach = reach,
};
