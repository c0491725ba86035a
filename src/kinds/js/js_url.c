/* js_url.c -- see js_url.h. */
#include "kinds/js/js_url.h"

#include "base/arena.h"
#include "base/url.h"

static struct text upto(struct text text, const char *marks)
{
	size_t size = 0;

	while (size < text.size && (!text.bytes[size] || !strchr(marks, text.bytes[size])))
		size++;
	return (struct text){ text.bytes, size };
}

static bool find(struct text text, const char *what, size_t *at)
{
	const char *found = text.size ? memmem(text.bytes, text.size, what, strlen(what)) : NULL;

	if (found)
		*at = (size_t)(found - text.bytes);
	return found != NULL;
}

/* --- Joining ------------------------------------------------------------------------------ */

struct joining {
	char *out;
	size_t size;
	struct text *segments;
	size_t count;
	bool is_web, is_file;
};

/* Which segments `right` leaves and adds.  What is not resolved stays as it is written. */
static void take_segment(struct joining *joining, struct text segment, size_t *appended)
{
	if (text_is(segment, "..")) {
		if (joining->count > 0) {
			joining->count--;
			return;
		}
		if (joining->is_web)
			return;
	} else if (text_is(segment, ".")) {
		if (joining->is_web || *appended == 0)
			return;
	}
	joining->segments[joining->count++] = segment;
	++*appended;
}

static void add_segments(struct joining *joining, struct text path)
{
	while (path.size || path.bytes) {
		struct text segment = upto(path, "/");

		joining->segments[joining->count++] = segment;
		if (segment.size == path.size)
			break;
		path = text_from(path, segment.size + 1);
	}
}

static void put(struct joining *joining, struct text text)
{
	if (text.size)
		memcpy(joining->out + joining->size, text.bytes, text.size);
	joining->size += text.size;
}

static size_t count_slashes(struct text text)
{
	size_t count = 1;

	for (size_t i = 0; i < text.size; i++)
		count += text.bytes[i] == '/';
	return count;
}

static void add_all(struct joining *joining, struct text path, struct text right)
{
	size_t appended = 0;

	add_segments(joining, path);
	if (joining->count > 0)
		joining->count--;
	while (true) {
		struct text segment = upto(right, "/");

		take_segment(joining, segment, &appended);
		if (segment.size == right.size)
			break;
		right = text_from(right, segment.size + 1);
	}
}

static struct text made(const struct joining *joining)
{
	joining->out[joining->size] = '\0';
	return (struct text){ joining->out, joining->size };
}

static struct text join_segments(struct joining *joining, struct text scheme, struct text rest,
				 struct text right, struct arena *arena)
{
	struct text host = joining->is_file ? TEXT("") : upto(rest, "/");
	struct text path = text_from(rest, host.size);

	if (path.size && path.bytes[0] == '/')
		path = text_from(path, 1);
	else if (!joining->is_file)
		path = TEXT("");
	joining->segments = arena_alloc_raw(arena, count_slashes(path) + count_slashes(right) + 1,
					    sizeof(*joining->segments));
	if (!joining->segments)
		return TEXT_NONE;
	add_all(joining, path, right);
	if (!joining->is_file) {
		put(joining, scheme);
		put(joining, TEXT("://"));
		put(joining, host);
	}
	for (size_t i = 0; i < joining->count; i++) {
		if (joining->segments[i].size == 0)
			continue;
		put(joining, TEXT("/"));
		put(joining, joining->segments[i]);
	}
	return made(joining);
}

struct text js_url_join(struct text base, struct text right, struct arena *arena)
{
	struct joining joining = { .size = 0 };
	struct text scheme = TEXT("file"), rest = base;
	size_t at;

	if (find(right, "://", &at) || text_starts_with(right, "webpack:") ||
	    text_starts_with(right, "turbopack:"))
		return right;
	if (find(base, "://", &at)) {
		scheme = (struct text){ base.bytes, at };
		rest = text_from(base, at + 3);
	}
	joining.is_web = text_is(scheme, "http") || text_is(scheme, "https");
	joining.is_file = text_is(scheme, "file");
	if (right.size && right.bytes[0] == '~')
		right = text_from(right, 1);
	if (joining.is_file && text_starts_with(right, "/"))
		return right;
	joining.out = arena_alloc_raw(arena, base.size + right.size + 8, 1);
	if (!joining.out)
		return TEXT_NONE;
	if (!text_starts_with(right, "/"))
		return join_segments(&joining, scheme, rest, right, arena);
	put(&joining, scheme);
	put(&joining, TEXT("://"));
	if (text_starts_with(right, "//"))
		right = text_from(right, 2);
	else
		put(&joining, upto(rest, "/"));
	put(&joining, right);
	return made(&joining);
}

/* --- Where an artifact may be filed -------------------------------------------------------- */

size_t js_url_candidates(struct text url, struct arena *arena, struct text out[JS_URL_CANDIDATES])
{
	struct text whole = upto(url, "#"), plain = upto(whole, "?"), rest = url_strip_host(whole);
	char *tilde = arena_alloc_raw(arena, rest.size + 2, 1);
	bool has_query = plain.size < whole.size;
	size_t count = 0;

	if (!tilde)
		return 0;
	tilde[0] = '~';
	if (rest.size)
		memcpy(tilde + 1, rest.bytes, rest.size);
	tilde[rest.size + 1] = '\0';
	out[count++] = whole;
	if (has_query)
		out[count++] = plain;
	out[count++] = (struct text){ tilde, rest.size + 1 };
	if (has_query)
		out[count++] = upto(out[2], "?");
	return count;
}

/* --- Names that bundlers write ------------------------------------------------------------- */

static struct text after_tilde(struct text name, size_t at, struct arena *arena)
{
	struct text rest = text_from(name, at + 3);

	return text_of(arena_printf(arena, "~/%.*s", (int)rest.size, rest.bytes));
}

static bool is_name_byte(char c)
{
	return (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || ascii_is_digit(c) ||
	       (c && strchr("_-@.", c));
}

/* "webpack://NAME/./": how long it is; 0: it does not begin so. */
static size_t named_prefix(struct text name)
{
	static const char *const schemes[] = { "webpack://", "webpack-internal://" };

	for (size_t i = 0; i < 2; i++) {
		size_t at = strlen(schemes[i]), start = at;

		if (!text_starts_with(name, schemes[i]))
			continue;
		while (at < name.size && is_name_byte(name.bytes[at]))
			at++;
		if (at > start && text_starts_with(text_from(name, at), "/./"))
			return at + 3;
	}
	return 0;
}

struct text js_url_fix_webpack(struct text name, struct arena *arena)
{
	static const char *const prefixes[] = { "webpack:///", "webpack-internal:///" };
	size_t at = 0, prefix = named_prefix(name);

	if (find(name, "/~/", &at))
		return after_tilde(name, at, arena);
	/* "./" ends the prefix. */
	if (prefix)
		return text_from(name, prefix - 2);
	for (size_t i = 0; i < 2; i++)
		if (text_starts_with(name, prefixes[i]))
			return text_from(name, strlen(prefixes[i]));
	return name;
}

struct text js_url_fix_turbopack(struct text name, struct arena *arena)
{
	static const char prefix[] = "turbopack:///", project[] = "[project]/";
	size_t at;

	if (find(name, "/~/", &at))
		return after_tilde(name, at, arena);
	if (!text_starts_with(name, prefix))
		return name;
	name = text_from(name, sizeof(prefix) - 1);
	return text_starts_with(name, project) ? text_from(name, sizeof(project) - 1) : name;
}

/* --- Modules ------------------------------------------------------------------------------- */

static bool is_hex(struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (ascii_hex_value(text.bytes[i]) < 0)
			return false;
	return true;
}

/* "v1.2.3", "12" */
static bool is_version(struct text text)
{
	size_t at = text.size && (text.bytes[0] == 'v' || text.bytes[0] == 'V') ? 1 : 0;
	bool after_digit = false;

	if (at == text.size)
		return false;
	for (; at < text.size; at++) {
		if (ascii_is_digit(text.bytes[at]))
			after_digit = true;
		else if (text.bytes[at] == '.' && after_digit)
			after_digit = false;
		else
			return false;
	}
	return after_digit;
}

static bool is_usual_folder(struct text name)
{
	static const char *const usual[] = {
		"script", "scripts", "javascript", "javascripts", "js", "build", "static",
		"node_modules", "bower_components",
	};

	if (name.size && strchr("_.~", name.bytes[0]) && name.bytes[0])
		return true;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (text_equal_ignoring_case(name, text_of(usual[i])))
			return true;
	if ((name.size == 7 || name.size == 8 || name.size == 32 || name.size == 40) && is_hex(name))
		return true;
	return is_version(name);
}

/* Everything behind a folder that is the digest of a build; false: there is none. */
static bool behind_digest(struct text path, struct text *rest)
{
	struct text left = path;

	while (true) {
		struct text segment = upto(left, "/");

		if (segment.size == left.size)
			segment = left;
		if (segment.size == 32 || (segment.size == 40 && is_hex(segment))) {
			*rest = segment.size < left.size ? text_from(left, segment.size + 1) : TEXT("");
			return true;
		}
		if (segment.size == left.size)
			return false;
		left = text_from(left, segment.size + 1);
	}
}

/* Without "-0123abc" or ".0123abc" at its end. */
static struct text without_digest(struct text name)
{
	size_t digits = 0;

	while (digits < name.size && ascii_hex_value(name.bytes[name.size - digits - 1]) >= 0)
		digits++;
	if (digits >= 7 && digits < name.size && strchr("-.", name.bytes[name.size - digits - 1]))
		name.size -= digits + 1;
	return name;
}

struct text js_url_module(struct text url)
{
	struct text path = upto(url_strip_host(url), "#?"), rest;
	size_t end = path.size;

	while (end > 0 && path.bytes[end - 1] != '.' && path.bytes[end - 1] != '/')
		end--;
	if (end > 0 && path.bytes[end - 1] == '.')
		path.size = end - 1;
	if (text_ends_with(path, ".min"))
		path.size -= 4;
	if (behind_digest(path, &rest))
		return rest;
	while (path.size) {
		struct text segment = upto(path, "/");

		if (path.bytes[0] == '/') {
			path = text_from(path, 1);
			continue;
		}
		if (segment.size == path.size || !is_usual_folder(segment))
			break;
		path = text_from(path, segment.size + 1);
	}
	return without_digest(path);
}

/* --- Function names ------------------------------------------------------------------------- */

static struct text next_component(struct text *rest)
{
	struct text component = upto(*rest, ".");

	*rest = component.size < rest->size ? text_from(*rest, component.size + 1) : TEXT_NONE;
	return component;
}

/* At most "{x#2}" where "x.x" was, and a number only grows as fast as what it counts. */
struct text js_name_fold(struct text name, struct arena *arena)
{
	const char *dot = name.size ? memrchr(name.bytes, '.', name.size) : NULL;
	struct text rest, last;
	bool is_first = true;
	size_t at = 0;
	char *out;

	if (!dot)
		return name;
	rest = (struct text){ name.bytes, (size_t)(dot - name.bytes) };
	last = text_from(name, rest.size);
	out = arena_alloc_raw(arena, 5 * name.size + 32, 1);
	if (!out)
		return TEXT_NONE;
	while (rest.bytes) {
		struct text component = next_component(&rest);
		unsigned long long count = 1;

		while (rest.bytes && text_equal(upto(rest, "."), component)) {
			(void)next_component(&rest);
			count++;
		}
		if (!is_first)
			out[at++] = '.';
		is_first = false;
		if (count > 1)
			out[at++] = '{';
		if (component.size)
			memcpy(out + at, component.bytes, component.size);
		at += component.size;
		if (count > 1) {
			char digits[24];
			size_t n = sizeof(digits);

			do
				digits[--n] = (char)('0' + count % 10);
			while (count /= 10);
			out[at++] = '#';
			memcpy(out + at, digits + n, sizeof(digits) - n);
			at += sizeof(digits) - n;
			out[at++] = '}';
		}
	}
	memcpy(out + at, last.bytes, last.size);
	at += last.size;
	out[at] = '\0';
	return (struct text){ out, at };
}
