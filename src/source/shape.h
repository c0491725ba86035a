/*
 * shape -- members of a JSON object, taken with the type the schema wants.
 *
 * Private to source.  Every refusal is ERR_BAD_SHAPE and begins with the place:
 * "sources[2].filters.filetypes[0]: unknown file type `exe`".  What is taken is copied
 * into the arena.
 */
#ifndef SOURCE_SHAPE_H
#define SOURCE_SHAPE_H

#include <stdbool.h>

#include "base/text.h"
#include "source/source.h"

struct arena;
struct cJSON;
struct err;

#define SHAPE_PLACE_BYTES 64u
#define SHAPE_QUOTED 64              /* bytes of a refused word that are repeated */

/* Whoever wants to know all that is wrong and not only what is wrong first. */
struct shape_report {
	source_note_fn *note;
	void *payload;
	unsigned errors;
};

/* The members that were asked for: all others are unknown. */
#define SHAPE_KEYS 32u
struct shape_keys { const char *names[SHAPE_KEYS]; unsigned count; };

struct shape {
	const struct cJSON *json;            /* an object */
	char place[SHAPE_PLACE_BYTES];       /* "sources[2]" */
	struct arena *arena;
	struct shape_report *report;         /* NULL: the first error is enough */
	struct shape_keys *keys;             /* NULL: nobody asks which are unknown */
};

/* After an error: shall the other members be looked at? */
static inline bool shape_goes_on(const struct shape *shape, int rc)
{
	return rc == 0 || shape->report;
}

/* From here on members that are asked for are known; then the others are told. */
void shape_watch(struct shape *shape, struct shape_keys *keys);
void shape_tell_unknown(const struct shape *shape);

/* What is no error; only a report hears it. */
void shape_warn(const struct shape *shape, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));

/* The member, or NULL. */
const struct cJSON *shape_member(const struct shape *shape, const char *key);

/* The text of a JSON string, borrowed. */
struct text shape_text(const struct cJSON *string);

/* "sources[2].key: WORDS"; returns -1.  With a report, `err` keeps the first. */
int shape_refuse(const struct shape *shape, const char *key, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), cold));

/* Absent: refused when required, else *out stays as it is. */
enum shape_need { SHAPE_OPTIONAL, SHAPE_REQUIRED };
int shape_string(const struct shape *shape, const char *key, enum shape_need need,
		 struct text *out, struct err *err) __attribute__((warn_unused_result));
int shape_bool(const struct shape *shape, const char *key, bool *out, struct err *err)
	__attribute__((warn_unused_result));

/* An object or array inside; *found NULL when absent. */
int shape_object(const struct shape *shape, const char *key, struct shape *found,
		 struct err *err) __attribute__((warn_unused_result));
int shape_array(const struct shape *shape, const char *key, const struct cJSON **found,
		struct err *err) __attribute__((warn_unused_result));

/* A NUL-ended copy in the arena; -1 with ERR_NO_MEMORY. */
int shape_copy(const struct shape *shape, struct text text, struct text *out, struct err *err)
	__attribute__((warn_unused_result));

#endif
