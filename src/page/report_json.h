/*
 * report_json.h -- members of JSON objects into structs, by tables.
 *
 * A member of another type than its table says is as good as absent.  Texts are cut where nobody would
 * read on; they are borrowed, or in the arena when they have escapes or are cut.
 */
#ifndef PAGE_REPORT_JSON_H
#define PAGE_REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json_reader.h"
#include "base/text.h"

struct arena;

#define REPORT_TEXT_BYTES 1024u
#define REPORT_LINK_BYTES ((size_t)8 << 10)
#define REPORT_LONG_BYTES ((size_t)64 << 10)

enum report_value {
	REPORT_TEXT,                 /* struct text, of REPORT_TEXT_BYTES at most */
	REPORT_LINK,                 /* struct text; absent if it is longer than REPORT_LINK_BYTES */
	REPORT_LONG,                 /* struct text, of REPORT_LONG_BYTES at most */
	REPORT_NUMBER,               /* uint64_t: a number, or a string of one, "0x1f" */
	REPORT_RELATIVE,             /* uint64_t: of "rel:5" */
	REPORT_BOOL,                 /* bool */
	REPORT_LIST,                 /* size_t: where the array or object begins */
	REPORT_GROUP,                /* an object whose members go into the same struct */
};

struct report_member {
	struct text name;
	enum report_value type;
	size_t offset;
	size_t known;                /* of a bool that says whether there is a number or bool */
	const struct report_member *members;         /* of a group */
	size_t count;
};

#define REPORT_NAME(literal) { (literal), sizeof(literal) - 1 }

struct report_json {
	struct text text;
	struct arena *arena;
	bool no_memory;              /* the arena had none, or no more */
};

struct json_reader report_json_at(const struct report_json *json, size_t at);
/* How many elements the array there has; none: it is no array, or `at` is 0. */
size_t report_json_count(const struct report_json *json, size_t at);
/* Past the object that comes next, or whatever else it is. */
void report_json_object(struct report_json *json, struct json_reader *reader, const struct report_member *members,
			size_t count, void *into);
/* Past the value of the member of that name, which comes next. */
void report_json_member(struct report_json *json, struct json_reader *reader, const struct report_member *members,
			size_t count, const struct json_string *name, void *into);
/* What a string says, cut at so many bytes; TEXT_NONE without memory. */
struct text report_json_string(struct report_json *json, const struct json_string *string, size_t most);
/* The text that comes next, cut at so many bytes; past whatever else it is.  False: it is none. */
bool report_json_text(struct report_json *json, struct json_reader *reader, size_t most, struct text *text);

#endif
