/* http_freshness.c -- see http_freshness.h. */
#include "fetch/http_freshness.h"

#include "base/http_date.h"

#define DELTA_SECONDS_MAX ((int64_t)1 << 31)     /* as RFC 9111 section 1.2.2 has it */

static struct text trimmed(struct text text)
{
	while (text.size > 0 && ascii_is_blank(text.bytes[0]))
		text = text_from(text, 1);
	while (text.size > 0 && ascii_is_blank(text.bytes[text.size - 1]))
		text.size--;
	return text;
}

/* What is too large counts as the largest. */
static bool read_seconds(struct text text, int64_t *seconds)
{
	uint64_t number = 0;

	for (size_t i = 0; i < text.size; i++)
		if (!ascii_is_digit(text.bytes[i]))
			return false;
	if (text.size == 0)
		return false;
	if (!text_to_u64(text, 10, &number) || number > (uint64_t)DELTA_SECONDS_MAX)
		number = (uint64_t)DELTA_SECONDS_MAX;
	*seconds = (int64_t)number;
	return true;
}

/* --- Cache-Control ---------------------------------------------------------------------------- */

static size_t quoted_end(struct text text, size_t at)
{
	while (++at < text.size && text.bytes[at] != '"')
		if (text.bytes[at] == '\\')
			at++;
	return at;
}

/* "no-cache=\"a, b\", max-age=5": up to the comma that is not quoted. */
static struct text take_directive(struct text *rest)
{
	struct text taken = *rest;
	size_t end = 0;

	while (end < taken.size && taken.bytes[end] != ',')
		end = taken.bytes[end] == '"' ? quoted_end(taken, end) + 1 : end + 1;
	if (end > taken.size)
		end = taken.size;
	*rest = end < taken.size ? text_from(taken, end + 1) : TEXT_NONE;
	return trimmed((struct text){ taken.bytes, end });
}

/* Senders should not quote it, some do.  Of two the shorter counts. */
static void read_max_age(struct http_freshness *freshness, struct text value)
{
	int64_t seconds;

	if (value.size >= 2 && value.bytes[0] == '"' && value.bytes[value.size - 1] == '"')
		value = (struct text){ value.bytes + 1, value.size - 2 };
	if (!read_seconds(value, &seconds))
		freshness->is_stale = true;
	else if (!freshness->has_max_age || seconds < freshness->max_age_seconds)
		freshness->max_age_seconds = seconds;
	freshness->has_max_age = true;
}

/* What is said to shared caches alone (s-maxage, private) is not for us: entries are of a scope.
 * must-revalidate is how we are: nothing is answered from what is not fresh. */
static void read_directive(struct http_freshness *freshness, struct text directive)
{
	const char *equals = directive.size ? memchr(directive.bytes, '=', directive.size) : NULL;
	size_t size = equals ? (size_t)(equals - directive.bytes) : directive.size;
	struct text name = trimmed((struct text){ directive.bytes, size });

	if (text_equal_ignoring_case(name, TEXT("no-store")))
		freshness->is_stale = freshness->is_not_kept = true;
	else if (text_equal_ignoring_case(name, TEXT("no-cache")))
		freshness->is_stale = true;
	else if (text_equal_ignoring_case(name, TEXT("max-age")))
		read_max_age(freshness, equals ? trimmed(text_from(directive, size + 1)) : TEXT_NONE);
}

/* --- The head --------------------------------------------------------------------------------- */

/* Of several the earliest; "0" and the like mean long ago. */
static void read_expires(struct http_freshness *freshness, struct text value)
{
	int64_t at;

	if (!http_date_parse(value, &at))
		at = 0;
	if (!freshness->has_expires || at < freshness->expires_at)
		freshness->expires_at = at;
	freshness->has_expires = true;
}

bool http_freshness_header(struct http_freshness *freshness, struct text name, struct text value)
{
	int64_t seconds;

	if (text_equal_ignoring_case(name, TEXT("cache-control"))) {
		while (value.size > 0)
			read_directive(freshness, take_directive(&value));
	} else if (text_equal_ignoring_case(name, TEXT("expires"))) {
		read_expires(freshness, value);
	} else if (text_equal_ignoring_case(name, TEXT("date"))) {
		freshness->has_date = http_date_parse(value, &freshness->date_at);
	} else if (text_equal_ignoring_case(name, TEXT("age"))) {
		if (read_seconds(value, &seconds) && seconds > freshness->age_seconds)
			freshness->age_seconds = seconds;
	} else {
		return false;
	}
	return true;
}

/* Dates are of years 1970 to 9999, so their differences fit. */
int64_t http_freshness_seconds(const struct http_freshness *freshness, int64_t now)
{
	int64_t date = freshness->has_date ? freshness->date_at : now;
	int64_t age = now - date > freshness->age_seconds ? now - date : freshness->age_seconds;
	int64_t lifetime = freshness->has_max_age ? freshness->max_age_seconds
						  : freshness->expires_at - date;

	if (freshness->is_stale)
		return 0;
	if (!freshness->has_max_age && !freshness->has_expires)
		return -1;
	return lifetime > age ? lifetime - age : 0;
}
