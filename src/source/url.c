/* url.c -- see url.h. */
#include "source/url.h"

#include "base/arena.h"
#include "base/buf.h"

static bool is_alpha(char c)
{
	return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

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

void url_add_segment(struct buf *out, struct text segment)
{
	add_encoded(out, segment, "\"<>`#?{}%/\\");
}

/* Length of "scheme:", or 0. */
static size_t scheme_size(struct text text)
{
	size_t i = 0;

	if (text.size == 0 || !is_alpha(text.bytes[0]))
		return 0;
	while (i < text.size && (is_alpha(text.bytes[i]) || ascii_is_digit(text.bytes[i]) ||
				 (text.bytes[i] != '\0' && strchr("+-.", text.bytes[i]))))
		i++;
	return i < text.size && text.bytes[i] == ':' ? i + 1 : 0;
}

static size_t find_any(struct text text, size_t from, const char *set)
{
	while (from < text.size && (text.bytes[from] == '\0' || !strchr(set, text.bytes[from])))
		from++;
	return from;
}

static struct text slice(struct text text, size_t from, size_t end)
{
	return (struct text){ text.bytes + from, end - from };
}

static struct text without_default_port(struct text scheme, struct text host)
{
	const char *port = text_equal_ignoring_case(scheme, TEXT("http:")) ? ":80" :
			   text_equal_ignoring_case(scheme, TEXT("https:")) ? ":443" : ":";

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

/* The three parts with their characters made safe; false when memory is short. */
static bool keep_parts(struct arena *arena, struct text scheme, struct text host, struct text path,
		       struct text tail, struct url *url)
{
	struct buf made;
	bool kept;

	buf_init(&made, 3 * URL_BYTES + 8);
	add_lower(&made, scheme);
	buf_add_string(&made, "//");
	add_lower(&made, without_default_port(scheme, host));
	kept = keep(arena, &made, 0, &url->origin);
	buf_clear(&made);
	if (path.size == 0)
		buf_add_char(&made, '/');
	add_encoded(&made, path, "\"<>`{}\\");
	kept = kept && keep(arena, &made, 0, &url->path);
	buf_clear(&made);
	add_encoded(&made, tail, "\"<>");
	kept = kept && keep(arena, &made, 0, &url->tail);
	buf_release(&made);
	return kept;
}

static struct text trimmed(struct text text)
{
	while (text.size > 0 && is_blank(text.bytes[0]))
		text = slice(text, 1, text.size);
	while (text.size > 0 && is_blank(text.bytes[text.size - 1]))
		text.size--;
	return text;
}

const char *url_split(struct text text, struct arena *arena, struct url *url)
{
	size_t scheme, end, tail, at;
	struct text host;
	const char *fault;

	text = trimmed(text);
	scheme = scheme_size(text);
	if (text.size > URL_BYTES)
		return "the address is too long";
	if (scheme == 0)
		return "an absolute address is expected";
	if (text.size < scheme + 2 || text.bytes[scheme] != '/' || text.bytes[scheme + 1] != '/')
		return "the address has no host";
	end = find_any(text, scheme + 2, "/\\?#");
	tail = find_any(text, end, "?#");
	for (at = end; at > scheme + 2 && text.bytes[at - 1] != '@'; at--)
		;
	host = slice(text, at, end);
	fault = host_fault(host);
	if (fault)
		return fault;
	url->user = TEXT_NONE;
	if (at > scheme + 2) {
		char *user = arena_strndup(arena, text.bytes + scheme + 2, at - 1 - (scheme + 2));

		if (!user)
			return "";
		url->user = text_of(user);
	}
	return keep_parts(arena, slice(text, 0, scheme), host, slice(text, end, tail),
			  slice(text, tail, text.size), url) ? NULL : "";
}

bool url_is_http(const struct url *url)
{
	return text_starts_with(url->origin, "http://") || text_starts_with(url->origin, "https://");
}

void url_join(const struct url *url, struct text path, bool with_user, struct buf *out)
{
	size_t scheme = scheme_size(url->origin) + 2;
	struct text base = url->path;
	size_t at = 0;

	buf_add(out, url->origin.bytes, scheme);
	if (with_user && url->user.bytes) {
		add_encoded(out, url->user, "\"<>`#?{}/\\@[]");
		buf_add_char(out, '@');
	}
	buf_add(out, url->origin.bytes + scheme, url->origin.size - scheme);
	if (base.size > 0 && base.bytes[base.size - 1] == '/')
		base.size--;                     /* one empty component at the end goes */
	buf_add_text(out, base);
	while (at < path.size) {
		const char *slash = memchr(path.bytes + at, '/', path.size - at);
		size_t end = slash ? (size_t)(slash - path.bytes) : path.size;
		struct text segment = slice(path, at, end);

		at = end + 1;
		if (segment.size == 0 || text_is(segment, ".") || text_is(segment, ".."))
			continue;
		buf_add_char(out, '/');
		url_add_segment(out, segment);
	}
	buf_add_text(out, url->tail);
}
