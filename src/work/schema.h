/*
 * schema -- reading JSON objects into structs by a table of members.
 *
 * A table row says name, type and place in the struct; what does not fit is ERR_BAD_SHAPE
 * with the path: "stacktraces[0].frames[2].instruction_addr: ...".  Unknown members are
 * skipped, of members given twice the last one counts.
 */
#ifndef WORK_SCHEMA_H
#define WORK_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct cJSON;
struct err;

/* Where in the body we are, for messages. */
struct schema_place {
	const struct schema_place *above;
	const char *name;            /* NULL: an array's element */
	size_t index;
};

struct maybe_u64 { bool is_set; uint64_t value; };
enum maybe_bool { MAYBE_UNSET, MAYBE_FALSE, MAYBE_TRUE };

enum schema_type {
	SCHEMA_TEXT,                  /* struct text */
	SCHEMA_BOOL,                  /* bool */
	SCHEMA_MAYBE_BOOL,            /* enum maybe_bool */
	SCHEMA_HEX,                   /* struct maybe_u64: hex-or-number */
	SCHEMA_U64, SCHEMA_U32,        /* struct maybe_u64: JSON numbers only */
	SCHEMA_OTHER                  /* whatever `read` makes of it */
};

typedef int schema_fn(const struct cJSON *json, const struct schema_place *place, void *field,
		     void *context, struct err *err);

struct schema_member {
	const char *name;
	enum schema_type type;
	size_t offset;
	unsigned flags;
	schema_fn *read;              /* SCHEMA_OTHER */
};
#define SCHEMA_REQUIRED (1u << 0)
#define SCHEMA_NULL     (1u << 1)     /* null is as good as not there */

#define SCHEMA_MEMBERS_MAX 32u

int schema_read(const struct cJSON *json, const struct schema_place *place,
	       const struct schema_member *members, size_t count, void *into, void *context,
	       struct err *err) __attribute__((warn_unused_result));

/* ERR_BAD_SHAPE: "PATH: TEXT". */
int schema_wrong(const struct schema_place *place, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));

/* ERR_BAD_SHAPE unless it is so: "PATH: WHAT was expected". */
static inline int schema_want(const struct schema_place *place, bool is_so, const char *what,
			      struct err *err)
{
	return is_so ? 0 : schema_wrong(place, err, "%s was expected", what);
}

/* Arrays of objects, each read by the same table. */
struct schema_element {
	const struct schema_member *members;
	size_t count, size;
	/* What the table cannot say; NULL: nothing. */
	int (*finish)(void *item, void *context, struct err *err);
};
int schema_array(const struct cJSON *json, const struct schema_place *place,
		 const struct schema_element *element, struct arena *arena, void *context,
		 void **items, size_t *count, struct err *err)
	__attribute__((warn_unused_result));
/* An array of strings; an object whose values are strings. */
int schema_texts(const struct cJSON *json, const struct schema_place *place, struct arena *arena,
		 struct text_list *list, struct err *err) __attribute__((warn_unused_result));
int schema_text_map(const struct cJSON *json, const struct schema_place *place,
		    struct arena *arena, struct text_map *map, struct err *err)
	__attribute__((warn_unused_result));

/* A string; marked integers are none. */
bool schema_string(const struct cJSON *json, struct text *value);
int  schema_hex(const struct cJSON *json, const struct schema_place *place, uint64_t *value,
	       struct err *err) __attribute__((warn_unused_result));

#endif
