/* base_url.c -- see base_url.h. */
#include "source/base_url.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/url.h"

static bool is_blank(char c)
{
	return (uint8_t)c <= ' ';
}

/* One bit per ASCII character that stays as it is: building it costs less than searching
 * `unsafe` for every byte of every location. */
static void safe_characters(const char *unsafe, uint64_t safe[2])
{
	safe[0] = ~(UINT64_MAX >> (63 - ' '));            /* above the blank ... */
	safe[1] = UINT64_MAX >> 1;                        /* ... and below DEL */
	for (; *unsafe; unsafe++)
		safe[*unsafe >> 6] &= ~((uint64_t)1 << (*unsafe & 63));
}

static void add_encoded(struct buf *out, struct text text, const char *unsafe)
{
	static const char digits[] = "0123456789ABCDEF";
	uint64_t safe[2];
	size_t from = 0;

	safe_characters(unsafe, safe);
	for (size_t i = 0; i < text.size; i++) {
		uint8_t c = (uint8_t)text.bytes[i];
		const char escape[] = { '%', digits[c >> 4], digits[c & 15] };

		if (c < 0x80 && (safe[c >> 6] >> (c & 63) & 1))
			continue;
		buf_add(out, text.bytes + from, i - from);
		buf_add(out, escape, sizeof(escape));
		from = i + 1;
	}
	if (from < text.size)
		buf_add(out, text.bytes + from, text.size - from);
}

void base_url_add_segment(struct buf *out, struct text segment)
{
	add_encoded(out, segment, "\"<>`#?{}%/\\");
}

static struct text without_default_port(struct text scheme, struct text host)
{
	const char *port = text_equal_ignoring_case(scheme, TEXT("http")) ? ":80" :
			   text_equal_ignoring_case(scheme, TEXT("https")) ? ":443" : ":";

	if (text_ends_with(host, port))
		host.size -= strlen(port);
	return host;
}

static const char *host_fault(struct text host)
{
	if (host.size == 0 || host.bytes[0] == ':')
		return "the address has no host";
	for (size_t i = 0; i < host.size; i++)
		if ((uint8_t)host.bytes[i] <= ' ' || host.bytes[i] == 0x7f ||
		    strchr("<>\\^`{|}\"%", host.bytes[i]))
			return "the address has an invalid host";
	return NULL;
}

static bool keep(struct arena *arena, const struct buf *made, size_t from, struct text *out)
{
	char *copy = made->failed ? NULL
				  : arena_strndup(arena, buf_string(made) + from, made->size - from);

	*out = (struct text){ copy, copy ? made->size - from : 0 };
	return copy != NULL;
}

static void add_lower(struct buf *out, struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		buf_add_char(out, ascii_lower(text.bytes[i]));
}

/* The parts with their characters made safe; false when memory is short. */
static bool keep_parts(struct arena *arena, const struct url_parts *parts, struct base_url *url)
{
	size_t scheme = parts->scheme.size + strlen("://");
	struct buf made;
	bool kept;

	buf_init(&made, 3 * URL_BYTES + 8);
	add_lower(&made, parts->scheme);
	buf_add_string(&made, "://");
	add_lower(&made, without_default_port(parts->scheme, parts->host_port));
	kept = keep(arena, &made, 0, &url->origin);
	url->host_port = kept ? text_from(url->origin, scheme) : TEXT_NONE;
	buf_clear(&made);
	if (parts->path.size == 0)
		buf_add_char(&made, '/');
	add_encoded(&made, parts->path, "\"<>`{}\\");
	kept = kept && keep(arena, &made, 0, &url->path);
	buf_clear(&made);
	add_encoded(&made, parts->tail, "\"<>");
	kept = kept && keep(arena, &made, 0, &url->tail);
	buf_release(&made);
	return kept;
}

static struct text trimmed(struct text text)
{
	while (text.size > 0 && is_blank(text.bytes[0]))
		text = text_from(text, 1);
	while (text.size > 0 && is_blank(text.bytes[text.size - 1]))
		text.size--;
	return text;
}

const char *base_url_parse(struct text text, struct arena *arena, struct base_url *url)
{
	struct url_parts parts;
	const char *fault;

	text = trimmed(text);
	if (text.size > URL_BYTES)
		return "the address is too long";
	if (url_scheme_size(text) == 0)
		return "an absolute address is expected";
	if (!url_parse(text, URL_WHATWG, &parts))
		return "the address has no host";
	fault = host_fault(parts.host_port);
	if (fault)
		return fault;
	url->user = TEXT_NONE;
	if (parts.user.bytes) {
		char *user = arena_strndup(arena, parts.user.bytes, parts.user.size);

		if (!user)
			return "";
		url->user = text_of(user);
	}
	return keep_parts(arena, &parts, url) ? NULL : "";
}

bool base_url_is_http(const struct base_url *url)
{
	return text_starts_with(url->origin, "http://") || text_starts_with(url->origin, "https://");
}

void base_url_add_origin(const struct base_url *url, bool with_user, struct buf *out)
{
	buf_add(out, url->origin.bytes, url->origin.size - url->host_port.size);
	if (with_user && url->user.bytes) {
		add_encoded(out, url->user, "\"<>`#?{}/\\@[]");
		buf_add_char(out, '@');
	}
	buf_add_text(out, url->host_port);
}

void base_url_join(const struct base_url *url, struct text path, bool with_user, struct buf *out)
{
	struct text base = url->path;
	size_t at = 0;

	base_url_add_origin(url, with_user, out);
	if (base.size > 0 && base.bytes[base.size - 1] == '/')
		base.size--;                     /* one empty component at the end goes */
	buf_add_text(out, base);
	while (at < path.size) {
		const char *slash = memchr(path.bytes + at, '/', path.size - at);
		size_t end = slash ? (size_t)(slash - path.bytes) : path.size;
		struct text segment = { path.bytes + at, end - at };

		at = end + 1;
		if (segment.size == 0 || text_is(segment, ".") || text_is(segment, ".."))
			continue;
		buf_add_char(out, '/');
		base_url_add_segment(out, segment);
	}
	buf_add_text(out, url->tail);
}
