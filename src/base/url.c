/* url.c -- see url.h. */
#include "base/url.h"

#include <string.h>

#include "base/buf.h"

static bool is_alpha(char c)
{
	return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

static bool is_scheme_character(char c)
{
	return is_alpha(c) || ascii_is_digit(c) || c == '+' || c == '-' || c == '.';
}

size_t url_scheme_size(struct text url)
{
	size_t size = 0;

	if (url.size == 0 || !is_alpha(url.bytes[0]))
		return 0;
	while (size < url.size && is_scheme_character(url.bytes[size]))
		size++;
	return size < url.size && url.bytes[size] == ':' ? size : 0;
}

/* Splits at the first of `marks`; `rest` begins with it, or is empty. */
static struct text take_until(struct text *rest, const char *marks)
{
	struct text part = { rest->bytes, 0 };

	while (part.size < rest->size &&
	       (rest->bytes[part.size] == '\0' || !strchr(marks, rest->bytes[part.size])))
		part.size++;
	*rest = text_from(*rest, part.size);
	return part;
}

/* "host:port", "[::1]:port"; brackets that do not close are the host's. */
static void split_host(struct url_parts *parts)
{
	struct text rest = parts->host_port;

	if (text_starts_with(rest, "[")) {
		const char *end = memchr(rest.bytes, ']', rest.size);

		parts->host = end ? (struct text){ rest.bytes, (size_t)(end + 1 - rest.bytes) } : rest;
		rest = text_from(rest, parts->host.size);
	} else {
		parts->host = take_until(&rest, ":");
	}
	parts->port = rest.size > 1 ? text_from(rest, 1) : TEXT_NONE;
}

bool url_parse(struct text url, enum url_syntax syntax, struct url_parts *parts)
{
	struct text rest = url, authority;
	const char *at;

	*parts = (struct url_parts){ .scheme = { url.bytes, url_scheme_size(url) } };
	if (parts->scheme.size == 0)
		return false;
	rest = text_from(rest, parts->scheme.size);
	if (!text_starts_with(rest, "://"))
		return false;
	rest = text_from(rest, 3);
	authority = take_until(&rest, syntax == URL_WHATWG ? "/\\?#" : "/?#");
	parts->path = take_until(&rest, "?#");
	parts->tail = rest;
	at = authority.size ? memrchr(authority.bytes, '@', authority.size) : NULL;
	if (at) {
		parts->user = (struct text){ authority.bytes, (size_t)(at - authority.bytes) };
		authority = text_from(authority, parts->user.size + 1);
	}
	parts->host_port = authority;
	split_host(parts);
	return true;
}

struct text url_strip_host(struct text url)
{
	const char *mark = url.size ? memmem(url.bytes, url.size, "://", 3) : NULL;
	const char *slash;
	struct text rest;

	if (text_starts_with(url, "~"))
		return text_from(url, 1);
	if (!mark)
		return url;
	rest = text_from(url, (size_t)(mark + 3 - url.bytes));
	slash = rest.size ? memchr(rest.bytes, '/', rest.size) : NULL;
	return slash ? text_from(rest, (size_t)(slash - rest.bytes)) : rest;
}

struct text url_port(const struct url_parts *parts)
{
	if (parts->port.size > 0)
		return parts->port;
	return text_equal_ignoring_case(parts->scheme, TEXT("https")) ? TEXT("443") : TEXT("80");
}

size_t url_unescape(struct text coded, char *out)
{
	size_t size = 0;

	for (size_t i = 0; i < coded.size; i++) {
		int high = i + 2 < coded.size ? ascii_hex_value(coded.bytes[i + 1]) : -1;
		int low = i + 2 < coded.size ? ascii_hex_value(coded.bytes[i + 2]) : -1;

		if (coded.bytes[i] != '%' || high < 0 || low < 0) {
			out[size++] = coded.bytes[i];
			continue;
		}
		out[size++] = (char)(high << 4 | low);
		i += 2;
	}
	return size;
}

static bool stands_plain(char c, const char *more)
{
	return is_alpha(c) || ascii_is_digit(c) || (c && (strchr("-._~", c) || strchr(more, c)));
}

static void escape(char c, char out[URL_ESCAPED_PER_BYTE])
{
	static const char digits[] = "0123456789ABCDEF";

	out[0] = '%';
	out[1] = digits[(unsigned char)c >> 4];
	out[2] = digits[c & 15];
}

void url_add_escaped(struct buf *out, struct text text, const char *more)
{
	char escaped[URL_ESCAPED_PER_BYTE];

	for (size_t i = 0; i < text.size; i++) {
		if (stands_plain(text.bytes[i], more)) {
			buf_add_char(out, text.bytes[i]);
			continue;
		}
		escape(text.bytes[i], escaped);
		buf_add(out, escaped, sizeof(escaped));
	}
}

void url_escape_path(struct text text, char *out)
{
	for (size_t i = 0; i < text.size; i++) {
		if (stands_plain(text.bytes[i], "/")) {
			*out++ = text.bytes[i];
			continue;
		}
		escape(text.bytes[i], out);
		out += URL_ESCAPED_PER_BYTE;
	}
	*out = '\0';
}
