/*
 * mozilla_json -- bodies of Mozilla's API, value after value, as they stand in the text.  Private to
 * these kinds.
 *
 * A body is looked through once, from its first to its last byte; whoever walks it after that meets
 * nothing but JSON.
 */
#ifndef KINDS_MOZILLA_MOZILLA_JSON_H
#define KINDS_MOZILLA_MOZILLA_JSON_H

#include "base/json_reader.h"
#include "kinds/mozilla/mozilla.h"

/* The body without a byte order mark; false: it is no JSON, or no UTF-8. */
bool mozilla_json_check(struct text body, struct text *json);

/* The next value, past which the reader goes. */
struct text mozilla_json_take(struct json_reader *json);
/* The value of the last member of that name, or TEXT_NONE.  `object` is one. */
struct text mozilla_json_member(struct text object, const char *name);
static inline bool mozilla_json_is_object(struct text value) { return text_starts_with(value, "{"); }
static inline bool mozilla_json_is_list(struct text value) { return text_starts_with(value, "["); }
/* Elements of a list, members of an object, characters of a string; SIZE_MAX of anything else. */
size_t mozilla_json_count(struct text value);
/* The two elements of a list that has as many. */
bool mozilla_json_pair(struct text value, struct text pair[2]);
/* A string, in the arena if it has to be.  False: it is none; *no_memory: none is left. */
bool mozilla_json_string(struct text value, struct arena *arena, struct text *string, bool *no_memory);
/* That member as a string, in the arena.  0; 1: there is none, or no string; -1: no memory. */
int  mozilla_json_member_string(struct text object, const char *name, struct arena *arena, struct text *string,
				struct err *err) __attribute__((warn_unused_result));
/* Neither false, null, 0 nor empty; nor absent. */
bool mozilla_json_is_true(struct text value);
/* Digits alone, with or without a minus, that 64 bits hold. */
bool mozilla_json_integer(struct text value, struct mozilla_offset *integer);
static inline bool mozilla_json_is_number(struct text value)
{
	return value.size > 0 && (value.bytes[0] == '-' || ascii_is_digit(value.bytes[0]));
}

/* --- What is wrong ---------------------------------------------------------------------------- */

/* Sets request->refusal; 1, or -1 without memory. */
int mozilla_refuse(struct mozilla_request *request, struct arena *arena, struct err *err,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* For those who speak to samply: the profiler looks for `error`, samply says `title`. */
void mozilla_write_local_refusal(struct text words, struct buf *out);


#endif
