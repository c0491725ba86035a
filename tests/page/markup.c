/* markup.c -- see markup.h. */
#include "page/markup.h"

#include <string.h>

#include "base/buf.h"

#define DEPTH_MAX 64u
#define IDS_MAX 4096u

struct markup {
	struct text page;
	size_t at;
	struct buf *tree;
	struct text open[DEPTH_MAX];
	unsigned depth;
	struct text ids[IDS_MAX];
	size_t id_count;
	const char *trouble;
};

static bool refuse(struct markup *markup, const char *trouble)
{
	if (!markup->trouble)
		markup->trouble = trouble;
	return false;
}

static char here(const struct markup *markup)
{
	return markup->at < markup->page.size ? markup->page.bytes[markup->at] : '\0';
}

static struct text take_name(struct markup *markup)
{
	size_t from = markup->at;

	while ((here(markup) >= 'a' && here(markup) <= 'z') || ascii_is_digit(here(markup)) || here(markup) == '-')
		markup->at++;
	return (struct text){ markup->page.bytes + from, markup->at - from };
}

static bool is_void(struct text name)
{
	static const char *const names[] = { "meta", "link", "input", "br", "hr", "img" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (text_is(name, names[i]))
			return true;
	return false;
}

static bool add_id(struct markup *markup, struct text id)
{
	for (size_t i = 0; i < markup->id_count; i++)
		if (text_equal(markup->ids[i], id))
			return refuse(markup, "an id comes twice");
	if (markup->id_count < IDS_MAX)
		markup->ids[markup->id_count++] = id;
	return id.size > 0 || refuse(markup, "an id is empty");
}

/* Addresses are of the web, or lead from this page to others of ours; the icon is in the page. */
static bool is_address(struct text element, struct text value)
{
	if (text_is(element, "link") && text_starts_with(value, "data:image/svg+xml,"))
		return true;
	return text_starts_with(value, "https://") || text_starts_with(value, "http://") ||
	       text_starts_with(value, "../../") || text_starts_with(value, "#") || text_starts_with(value, "?");
}

static bool read_value(struct markup *markup, struct text element, struct text name)
{
	size_t from = ++markup->at;
	struct text value;

	while (markup->at < markup->page.size && here(markup) != '"') {
		if (here(markup) == '<' || here(markup) == '>' || here(markup) == '\'')
			return refuse(markup, "markup in a value");
		markup->at++;
	}
	value = (struct text){ markup->page.bytes + from, markup->at - from };
	if (here(markup) != '"')
		return refuse(markup, "a value without an end");
	markup->at++;
	if (name.size > 2 && text_starts_with(name, "on"))
		return refuse(markup, "a handler");
	if ((text_is(name, "href") || text_is(name, "src") || text_is(name, "action")) && !is_address(element, value))
		return refuse(markup, "an address that is none");
	return !text_is(name, "id") || add_id(markup, value);
}

static bool read_attributes(struct markup *markup, struct text element)
{
	while (here(markup) == ' ') {
		struct text name;

		markup->at++;
		name = take_name(markup);
		if (!name.size)
			return refuse(markup, "an attribute without a name");
		buf_add_char(markup->tree, ' ');
		buf_add_text(markup->tree, name);
		if (here(markup) != '=')
			continue;
		markup->at++;
		if (here(markup) != '"')
			return refuse(markup, "a value without quotes");
		if (!read_value(markup, element, name))
			return false;
	}
	return true;
}

static bool read_end(struct markup *markup)
{
	struct text name;

	markup->at++;
	name = take_name(markup);
	if (markup->depth == 0 || !text_equal(markup->open[--markup->depth], name))
		return refuse(markup, "an end of another element");
	buf_add_char(markup->tree, '/');
	buf_add_text(markup->tree, name);
	return true;
}

static bool read_begin(struct markup *markup)
{
	struct text name = take_name(markup);

	if (!name.size)
		return refuse(markup, "a tag without a name");
	buf_add_text(markup->tree, name);
	if (!read_attributes(markup, name))
		return false;
	if (is_void(name))
		return true;
	if (markup->depth == DEPTH_MAX)
		return refuse(markup, "too deep");
	markup->open[markup->depth++] = name;
	return true;
}

static bool read_tag(struct markup *markup)
{
	bool is_read;

	markup->at++;
	is_read = here(markup) == '/' ? read_end(markup) : read_begin(markup);
	if (!is_read)
		return false;
	if (here(markup) != '>')
		return refuse(markup, "a tag without an end");
	markup->at++;
	buf_add_char(markup->tree, '\n');
	return true;
}

static bool is_reference(struct text rest)
{
	static const char *const references[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	for (size_t i = 0; i < sizeof(references) / sizeof(references[0]); i++)
		if (text_starts_with(rest, references[i]))
			return true;
	return false;
}

static bool read_text(struct markup *markup)
{
	char c = here(markup);

	if (c == '>' || (c == '&' && !is_reference(text_from(markup->page, markup->at))))
		return refuse(markup, "a character that is no reference");
	if ((unsigned char)c < ' ' && c != '\n' && c != '\t')
		return refuse(markup, "a control character");
	markup->at++;
	return true;
}

bool markup_read(struct text page, struct buf *tree, const char **trouble)
{
	static const char doctype[] = "<!DOCTYPE html>\n";
	static struct markup markup;
	bool is_read = true;

	markup = (struct markup){ .page = page, .tree = tree };
	if (!text_starts_with(page, doctype) || !text_is_utf8(page))
		is_read = refuse(&markup, "no page in UTF-8");
	markup.at = sizeof(doctype) - 1;
	while (is_read && markup.at < page.size)
		is_read = here(&markup) == '<' ? read_tag(&markup) : read_text(&markup);
	if (is_read && markup.depth)
		is_read = refuse(&markup, "elements without an end");
	*trouble = markup.trouble;
	return is_read;
}
