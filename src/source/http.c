/* http.c -- sources behind HTTP: a base address and headers. */
#include "source/kind.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "source/base_url.h"
#include "source/header.h"
#include "source/source_layout.h"

struct http {
	struct base_url url;
	const struct fetch_header *headers;
	size_t header_count;
	bool accept_invalid_certs;
	bool trusted;                /* named by the operator */
};

static int by_name(const void *a, const void *b)
{
	const struct fetch_header *first = a, *second = b;

	return strcmp(first->name.bytes, second->name.bytes);
}

static void sort_headers(struct fetch_header *headers, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct fetch_header header = headers[i];
		size_t at = i;

		for (; at > 0 && by_name(&headers[at - 1], &header) > 0; at--)
			headers[at] = headers[at - 1];
		headers[at] = header;
	}
}

/* Headers whose name or value HTTP does not allow are left out, as the service we follow does;
 * those that are not the source's to set are refused. */
static int parse_headers(struct http *http, const struct shape *source, struct err *err)
{
	struct fetch_header *headers;
	const struct cJSON *item;
	const char *refusal;
	struct shape shape;

	if (shape_object(source, "headers", &shape, err) < 0)
		return -1;
	if (!shape.json || !shape.json->child)
		return 0;
	headers = arena_alloc(source->arena, (size_t)cJSON_GetArraySize(shape.json),
			      sizeof(*headers));
	if (!headers)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	cJSON_ArrayForEach(item, shape.json) {
		struct fetch_header *header = &headers[http->header_count];
		struct text name = text_of(item->string);

		if (!cJSON_IsString(item))
			return shape_refuse(&shape, NULL, err, "the value of `%.*s` is no string",
					    SHAPE_QUOTED, item->string);
		refusal = source_header_refusal(name, http->trusted);
		if (refusal)
			return shape_refuse(&shape, NULL, err, "`%s` cannot be set: %s", item->string,
					    refusal);
		if (!header_is_name(name) || !header_is_value(shape_text(item)))
			continue;
		if (shape_copy(source, name, &header->name, err) < 0 ||
		    shape_copy(source, shape_text(item), &header->value, err) < 0)
			return -1;
		http->header_count++;
	}
	sort_headers(headers, http->header_count);
	http->headers = headers;
	return 0;
}

static int store_credentials(struct source *source, const struct http *http, struct err *err)
{
	struct buf secrets;
	int rc;

	buf_init(&secrets, SIZE_MAX);
	source_credentials_add(&secrets, http->url.user);
	for (size_t i = 0; i < http->header_count; i++) {
		source_credentials_add(&secrets, http->headers[i].name);
		source_credentials_add(&secrets, http->headers[i].value);
	}
	rc = source_credentials_store(source, &secrets, err);
	buf_release(&secrets);
	return rc;
}

static int parse_url(struct http *http, const struct shape *shape, struct err *err)
{
	struct text url = TEXT_NONE;
	const char *fault;

	if (shape_string(shape, "url", SHAPE_REQUIRED, &url, err) < 0)
		return -1;
	fault = base_url_parse(url, shape->arena, &http->url);
	if (fault && !*fault)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	if (fault)
		return shape_refuse(shape, "url", err, "%s", fault);
	/* A request's is a source that fails, as in the service we follow; the operator is told. */
	if (http->trusted && !base_url_is_http(&http->url))
		return shape_refuse(shape, "url", err, "only http and https can be asked");
	return 0;
}

static int configure(struct source *source, const struct shape *shape,
		     const struct source_setup *setup, struct err *err)
{
	struct http *http = arena_alloc(shape->arena, 1, sizeof(*http));
	int rc;

	if (!http)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	source->state = http;
	http->trusted = setup->origin == SOURCE_OF_CONFIG;
	rc = parse_url(http, shape, err);
	if (shape_goes_on(shape, rc))
		rc |= shape_bool(shape, "accept_invalid_certs", &http->accept_invalid_certs, err);
	if (shape_goes_on(shape, rc))
		rc |= parse_headers(http, shape, err);
	return rc == 0 ? store_credentials(source, http, err) : -1;
}

static int join(const struct http *http, struct text path, bool with_user, struct arena *arena,
		struct text *joined, struct err *err)
{
	struct buf made;
	char *copy;

	buf_init(&made, 8 * URL_BYTES);
	base_url_join(&http->url, path, with_user, &made);
	copy = made.failed ? NULL : arena_strndup(arena, buf_string(&made), made.size);
	*joined = (struct text){ copy, copy ? made.size : 0 };
	buf_release(&made);
	return copy ? 0 : err_set(err, ERR_NO_MEMORY, "no room for a location");
}

static int name_location(const struct source *source, struct text path, struct arena *arena,
			 struct text *uri, struct err *err)
{
	return join(source->state, path, false, arena, uri, err);
}

/* The source's headers, the checksum the symbol server may want to see, and by whom the request came. */
static int order_headers(const struct source *source, const struct source_query *query,
			 struct arena *arena, struct fetch_order *order, struct err *err)
{
	const struct http *http = source->state;
	struct text checksum = query ? query->ids->debug_checksum : TEXT_NONE;
	bool is_federated = query && source->layout && source_layout_is_federated(source->layout);
	size_t more = (is_federated ? query->federated_count : 0) + 1, count = http->header_count;
	struct fetch_header *headers;

	order->headers = http->headers;
	order->header_count = count;
	if (more == 1 && (!checksum.bytes || !header_is_value(checksum)))
		return 0;
	headers = arena_alloc(arena, count + more, sizeof(*headers));
	if (!headers)
		return err_set(err, ERR_NO_MEMORY, "no room for a location");
	if (count > 0)
		memcpy(headers, http->headers, count * sizeof(*headers));
	if (checksum.bytes && header_is_value(checksum))
		headers[count++] = (struct fetch_header){ TEXT("SymbolChecksum"), checksum };
	for (size_t i = 0; i < more - 1; i++)
		if (header_is_value(query->federated[i].value))
			headers[count++] = query->federated[i];
	order->headers = headers;
	order->header_count = count;
	return 0;
}

static int reach(const struct location *location, struct text credential, struct arena *arena,
		 enum source_access *access, int *fd, struct fetch_order *order, struct err *err)
{
	const struct source *source = location->source;
	const struct http *http = source->state;
	struct text url;

	(void)credential;
	if (join(http, location->path, true, arena, &url, err) < 0)
		return -1;
	*access = SOURCE_ORDERED;
	*fd = -1;
	*order = (struct fetch_order){
		.url = url.bytes,
		.source_id = source->id.bytes,
		.accept_invalid_certs = http->accept_invalid_certs,
		.trusted = http->trusted,
		.breaker = !text_starts_with(source->id, "sentry:"),
		.fd = -1,
	};
	return order_headers(source, location->query, arena, order, err);
}

const struct source_kind source_kind_http = {
	.name = "http",
	.configure = configure,
	.name_location = name_location,
	.reach = reach,
};
