/* place.c -- where an address leads (see transfer.h). */
#include "fetch/transfer.h"

#include <string.h>

static bool get(CURLU *url, CURLUPart part, char **out, unsigned flags)
{
	return curl_library.url_get(url, part, out, flags) == CURLUE_OK;
}

static CURLUcode without_credentials(CURLU *url)
{
	CURLUcode rc = curl_library.url_set(url, CURLUPART_USER, NULL, 0);

	if (rc == CURLUE_OK)
		rc = curl_library.url_set(url, CURLUPART_PASSWORD, NULL, 0);
	if (rc == CURLUE_OK)
		rc = curl_library.url_set(url, CURLUPART_OPTIONS, NULL, 0);
	if (rc == CURLUE_OK)
		rc = curl_library.url_set(url, CURLUPART_FRAGMENT, NULL, 0);
	return rc;
}

static CURLUcode check_scheme(CURLU *url, struct fetch_place *place)
{
	if (!get(url, CURLUPART_SCHEME, &place->scheme, 0))
		return CURLUE_OUT_OF_MEMORY;
	return strcmp(place->scheme, "http") == 0 || strcmp(place->scheme, "https") == 0
		       ? CURLUE_OK : CURLUE_UNSUPPORTED_SCHEME;
}

int fetch_place_of(const char *url, const char *location, struct fetch_place *place, struct err *err)
{
	CURLU *parts;
	CURLUcode rc;

	*place = (struct fetch_place){ .plain = NULL };
	if (curl_library_load(err) < 0)
		return -1;
	parts = curl_library.url();
	rc = parts ? curl_library.url_set(parts, CURLUPART_URL, url, 0) : CURLUE_OUT_OF_MEMORY;
	if (rc == CURLUE_OK && location)
		rc = curl_library.url_set(parts, CURLUPART_URL, location, CURLU_URLENCODE);
	if (rc == CURLUE_OK)
		rc = check_scheme(parts, place);
	if (rc == CURLUE_OK) {
		get(parts, CURLUPART_USER, &place->user, CURLU_URLDECODE);
		get(parts, CURLUPART_PASSWORD, &place->password, CURLU_URLDECODE);
		rc = without_credentials(parts);
	}
	if (rc == CURLUE_OK && !(get(parts, CURLUPART_HOST, &place->host, 0) &&
				 get(parts, CURLUPART_PORT, &place->port, CURLU_DEFAULT_PORT) &&
				 get(parts, CURLUPART_URL, &place->plain, 0)))
		rc = CURLUE_OUT_OF_MEMORY;
	curl_library.url_cleanup(parts);
	if (rc == CURLUE_OK)
		return 0;
	place_release(place);
	if (rc == CURLUE_OUT_OF_MEMORY)
		return err_set(err, ERR_NO_MEMORY, "no memory for an address");
	return err_set(err, ERR_DOWNLOAD, "%s: %s", location ? "invalid redirect" : "invalid address",
		       curl_library.url_strerror(rc));
}

void place_release(struct fetch_place *place)
{
	char *const parts[] = { place->scheme, place->host, place->port, place->user, place->password,
				place->plain };
	void (*give_back)(void *) = curl_library.free;       /* curl's own: it made them */

	if (!place->scheme)
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		give_back(parts[i]);
	*place = (struct fetch_place){ .plain = NULL };
}

bool place_is_at(const struct fetch_place *place, const struct fetch_place *other)
{
	return strcmp(place->scheme, other->scheme) == 0 && strcmp(place->port, other->port) == 0 &&
	       text_equal_ignoring_case(text_of(place->host), text_of(other->host));
}
