/*
 * jvm_json -- JSON objects read into structs by tables of members, as the text is walked.  Private to the
 * jvm kind.
 *
 * schema.h does the same over a tree.  Here there is none: a body is checked to be JSON first, as a whole;
 * what does not fit after that is ERR_BAD_SHAPE with the path.  Unknown members are skipped, of members
 * given twice the last one counts.
 */
#ifndef KINDS_JVM_JVM_JSON_H
#define KINDS_JVM_JVM_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json_reader.h"
#include "work/schema.h"

struct err;
struct work;

struct jvm_json {
	struct json_reader reader;
	struct work *work;
};

enum jvm_member_type {
	JVM_TEXT,                    /* struct text */
	JVM_TEXTS,                   /* struct text_list */
	JVM_BOOL, JVM_MAYBE_BOOL,    /* bool, enum maybe_bool */
	JVM_U32,                     /* uint32_t, and a bool at `more`: there is one */
	JVM_U64,
	JVM_OBJECT,                  /* of that shape, and a bool at `more` */
	JVM_OBJECT_HERE,             /* its members are those of the struct itself */
	JVM_OBJECTS,                 /* an array: a pointer, and a size_t at `more` */
	JVM_OTHER,                   /* whatever `read` makes of it */
};
enum jvm_member_flag { JVM_REQUIRED = 1, JVM_NULL = 2 };     /* JVM_NULL: null is as good as absent */

typedef int jvm_read_fn(struct jvm_json *json, void *field, const struct schema_place *place,
			struct err *err);

struct jvm_member {
	struct text name;
	enum jvm_member_type type;
	unsigned flags;
	size_t offset, more;
	const struct jvm_shape *shape;
	jvm_read_fn *read;
};
struct jvm_shape { const struct jvm_member *members; size_t count, size; };

/* ERR_BAD_REQUEST: it is no JSON, or no UTF-8. */
int jvm_json_begin(struct jvm_json *json, struct work *work, struct text body, struct err *err)
	__attribute__((warn_unused_result));
/* The next value, into a zeroed struct. */
int jvm_json_object(struct jvm_json *json, const struct jvm_shape *shape, void *into,
		    const struct schema_place *place, struct err *err) __attribute__((warn_unused_result));
int jvm_json_text(struct jvm_json *json, struct text *text, const struct schema_place *place,
		  struct err *err) __attribute__((warn_unused_result));
/* The next value is null: past it. */
bool jvm_json_take_null(struct jvm_json *json);
/* The next value, as it stands. */
struct text jvm_json_take(struct jvm_json *json);

#endif
