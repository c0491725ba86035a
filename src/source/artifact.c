/* artifact.c -- see artifact.h. */
#include "source/artifact.h"

#include "base/buf.h"
#include "base/url.h"
#include "source/source_layout.h"

#define ANY "~"                      /* no dist; any host: a name that no other one is written as */

static struct text cut_at(struct text text, char mark)
{
	const char *end = text.size ? memchr(text.bytes, mark, text.size) : NULL;

	return end ? (struct text){ text.bytes, (size_t)(end - text.bytes) } : text;
}

struct text artifact_stem(struct text url)
{
	static const char *const suffixes[] = {
		".min", ".js", ".map", ".cjs", ".mjs", ".ts", ".d", ".jsx", ".tsx",
	};
	struct text stem = url_strip_host(url), name = stem;
	const char *slash = stem.size ? memrchr(stem.bytes, '/', stem.size) : NULL;
	size_t i = 0;

	if (!slash)
		return stem;
	name = text_from(stem, (size_t)(slash + 1 - stem.bytes));
	name = cut_at(cut_at(name, '?'), '#');
	while (i < sizeof(suffixes) / sizeof(suffixes[0])) {
		if (text_ends_with(name, suffixes[i])) {
			name.size -= strlen(suffixes[i]);
			i = 0;
		} else {
			i++;
		}
	}
	stem.size = (size_t)(name.bytes + name.size - stem.bytes);
	return stem;
}

/* One component of a path; false: it cannot be one. */
static bool add_name(struct buf *out, struct text name)
{
	size_t start = out->size;

	for (size_t i = 0; i < name.size; i++) {
		char c = name.bytes[i];

		if (strchr("/\\%", c ? c : ' ') || (i == 0 && (c == '.' || c == '~')))
			buf_printf(out, "%%%02X", (unsigned)(uint8_t)c);
		else
			buf_add_char(out, c);
	}
	return !out->failed &&
	       source_layout_is_name((struct text){ out->bytes + start, out->size - start });
}

bool artifact_build_release(const struct source_query *query, bool ssqp, struct buf *out)
{
	(void)ssqp;
	buf_add_string(out, "releases/");
	if (!add_name(out, query->release))
		return false;
	buf_add_char(out, '/');
	if (query->dist.size > 0)
		return add_name(out, query->dist);
	buf_add_string(out, ANY);
	return true;
}

bool artifact_build_host(const struct source_query *query, bool ssqp, struct buf *out)
{
	struct url_parts parts;

	(void)ssqp;
	if (url_parse(query->url, URL_WHATWG, &parts) && parts.host_port.size > 0)
		return add_name(out, parts.host_port);
	buf_add_string(out, ANY);
	return true;
}

bool artifact_build_path(const struct source_query *query, bool ssqp, struct buf *out)
{
	struct text rest = cut_at(cut_at(url_strip_host(query->url), '#'), '?');
	bool is_first = true;

	(void)ssqp;
	while (rest.size > 0) {
		struct text name = cut_at(rest, '/');

		rest = text_from(rest, name.size < rest.size ? name.size + 1 : name.size);
		if (name.size == 0 || text_is(name, "."))
			continue;
		if (!source_layout_is_name(name) || memchr(name.bytes, '\\', name.size))
			return false;
		if (!is_first)
			buf_add_char(out, '/');
		buf_add_text(out, name);
		is_first = false;
	}
	return !is_first;
}
