/*
 * uuidmap.c -- the property list in a dSYM of a program that Apple built again from bitcode:
 * which UUID the program had when it left the developer's machine.
 *
 *	<plist version="1.0"><dict><key>DBGOriginalUUID</key><string>C837...</string></dict></plist>
 *
 * Only elements and their text are looked at.  Keys of the outermost dict count, whatever
 * nests inside their values does not.
 */
#include "convert/convert_internal.h"

#include <string.h>

#include "base/err.h"

#define KEY   "DBGOriginalUUID"

enum tag_kind { TAG_OPENS, TAG_CLOSES, TAG_EMPTY };

struct tag {
	enum tag_kind kind;
	struct text name, attributes;
	struct text before;          /* the text since the tag before it */
};

struct uuidmap_scan { struct text xml; size_t at; };

/* From here to where `mark` begins; false when it does not come. */
static bool take_until(struct uuidmap_scan *scan, const char *mark, struct text *taken)
{
	size_t size = strlen(mark);
	const char *from = scan->xml.bytes + scan->at;
	size_t left = scan->xml.size - scan->at;
	const char *end = size == 1 ? memchr(from, mark[0], left) : memmem(from, left, mark, size);

	if (!end)
		return false;
	*taken = (struct text){ from, (size_t)(end - from) };
	scan->at += taken->size + size;
	return true;
}

static bool starts_here(const struct uuidmap_scan *scan, const char *mark)
{
	struct text rest = { scan->xml.bytes + scan->at, scan->xml.size - scan->at };

	return text_starts_with(rest, mark);
}

/* What stands between < and >. */
static void read_tag(struct text inside, struct tag *tag)
{
	size_t size = 0;

	tag->kind = TAG_OPENS;
	if (text_starts_with(inside, "/")) {
		tag->kind = TAG_CLOSES;
		inside = (struct text){ inside.bytes + 1, inside.size - 1 };
	} else if (text_ends_with(inside, "/")) {
		tag->kind = TAG_EMPTY;
		inside.size--;
	}
	while (size < inside.size && !ascii_is_blank(inside.bytes[size]))
		size++;
	tag->name = (struct text){ inside.bytes, size };
	tag->attributes = text_trim((struct text){ inside.bytes + size, inside.size - size });
}

/* The next element's tag: declarations and comments are passed over. */
static bool next_tag(struct uuidmap_scan *scan, struct tag *tag)
{
	struct text inside;

	while (take_until(scan, "<", &tag->before)) {
		if (starts_here(scan, "!--")) {
			if (!take_until(scan, "-->", &inside))
				return false;
			continue;
		}
		if (!take_until(scan, ">", &inside))
			return false;
		if (text_starts_with(inside, "?") || text_starts_with(inside, "!"))
			continue;
		read_tag(inside, tag);
		return true;
	}
	return false;
}

static bool opens(const struct tag *tag, const char *name)
{
	return tag->kind == TAG_OPENS && text_is(tag->name, name);
}

/* To the end of the element just opened; its text, if it holds no elements. */
static bool finish_element(struct uuidmap_scan *scan, struct text *content)
{
	size_t depth = 1;
	struct tag tag;

	*content = TEXT_NONE;
	for (bool first = true; depth > 0; first = false) {
		if (!next_tag(scan, &tag))
			return false;
		if (tag.kind == TAG_OPENS)
			depth++;
		else if (tag.kind == TAG_CLOSES && --depth == 0 && first)
			*content = text_trim(tag.before);
	}
	return true;
}

/* The text of the element after the key. */
static bool find_value(struct uuidmap_scan *scan, struct text *value)
{
	struct tag tag;
	struct text content;
	bool is_next = false;

	while (next_tag(scan, &tag)) {
		if (tag.kind == TAG_CLOSES)
			return false;        /* of the dict: it had no such key */
		if (tag.kind == TAG_EMPTY) {
			is_next = false;
			continue;
		}
		if (!finish_element(scan, &content))
			return false;
		if (is_next) {
			*value = content;
			return true;
		}
		is_next = text_is(tag.name, "key") && text_is(content, KEY);
	}
	return false;
}

int convert_uuidmap_read(struct text xml, struct debugid *original, struct err *err)
{
	struct uuidmap_scan scan = { .xml = xml.bytes ? xml : TEXT("") };
	struct text value = TEXT_NONE;
	struct tag tag;

	if (!next_tag(&scan, &tag) || !opens(&tag, "plist"))
		return err_set(err, ERR_MALFORMED, "the UUID map is no property list");
	if (!text_is(tag.attributes, "version=\"1.0\""))
		return err_set(err, ERR_MALFORMED, "the UUID map's version is not 1.0");
	if (!next_tag(&scan, &tag) || !opens(&tag, "dict"))
		return err_set(err, ERR_MALFORMED, "the UUID map holds no dict");
	if (!find_value(&scan, &value))
		return err_set(err, ERR_MALFORMED, "the UUID map has no " KEY);
	if (!debugid_parse(value, original) || original->age != 0 ||
	    original->kind != DEBUGID_UUID)
		return err_set(err, ERR_MALFORMED, KEY " is no UUID");
	return 0;
}
