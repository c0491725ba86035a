/* http_validators.c -- see http_validators.h. */
#include "fetch/http_validators.h"

#include "base/http_date.h"

/* "a" or W/"a", of visible ASCII: what we send again must be what a header can have. */
static bool is_etag(struct text value)
{
	if (text_starts_with(value, "W/"))
		value = text_from(value, 2);
	if (value.size < 2 || value.bytes[0] != '"' || value.bytes[value.size - 1] != '"')
		return false;
	for (size_t i = 1; i < value.size - 1; i++)
		if (value.bytes[i] <= ' ' || value.bytes[i] > '~' || value.bytes[i] == '"')
			return false;
	return true;
}

/* As it stands: servers compare it so. */
static bool is_date(struct text value)
{
	int64_t at;

	for (size_t i = 0; i < value.size; i++)
		if (value.bytes[i] < ' ' || value.bytes[i] > '~')
			return false;
	return http_date_parse(value, &at);
}

static void take(char *out, size_t capacity, struct text value, bool is_in_form)
{
	out[0] = '\0';
	if (!is_in_form || value.size >= capacity)
		return;
	memcpy(out, value.bytes, value.size);
	out[value.size] = '\0';
}

bool http_validators_header(struct fetch_validators *validators, struct text name, struct text value)
{
	if (text_equal_ignoring_case(name, TEXT("etag")))
		take(validators->etag, sizeof(validators->etag), value, is_etag(value));
	else if (text_equal_ignoring_case(name, TEXT("last-modified")))
		take(validators->modified, sizeof(validators->modified), value, is_date(value));
	else
		return false;
	return true;
}
