/*
 * json_writer -- JSON text into a buf, commas and nesting kept by the writer.
 *
 * Keys in the order they are written; strings must be UTF-8, bytes that are not
 * become U+FFFD; control bytes are escaped.
 */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

struct buf;

struct json_writer {
	struct buf *out;
	unsigned depth;
	bool need_comma;
};

void json_writer_init(struct json_writer *json, struct buf *out);
void json_object(struct json_writer *json);
void json_object_end(struct json_writer *json);
void json_array(struct json_writer *json);
void json_array_end(struct json_writer *json);
/* Our own keys, in which nothing needs escaping. */
void json_key_known(struct json_writer *json, const char *key, size_t size);
void json_key_text(struct json_writer *json, struct text key);

/* Here, as the members below, so that the compiler counts the characters of its literals. */
static inline void json_key(struct json_writer *json, const char *key)
{
	json_key_known(json, key, strlen(key));
}

void json_text(struct json_writer *json, struct text value);
void json_string(struct json_writer *json, const char *value);
void json_u64(struct json_writer *json, uint64_t value);
void json_i64(struct json_writer *json, int64_t value);
void json_double(struct json_writer *json, double value);
void json_bool(struct json_writer *json, bool value);
void json_null(struct json_writer *json);
/* "0x1f": lower case, no padding. */
void json_hex(struct json_writer *json, uint64_t value);
/* JSON text made elsewhere, taken as it is. */
void json_raw(struct json_writer *json, struct text value);

/* key and value in one call, as json_key_known() takes a key. */
void json_member_text_known(struct json_writer *json, const char *key, size_t key_size, struct text value);
void json_member_u64_known(struct json_writer *json, const char *key, size_t key_size, uint64_t value);
void json_member_hex_known(struct json_writer *json, const char *key, size_t key_size, uint64_t value);
/* A value of our own, too, in which nothing needs escaping. */
void json_member_word_known(struct json_writer *json, const char *key, size_t key_size, const char *word,
			    size_t size);

/* The text ones write nothing when the value is absent. */
static inline void json_member_text(struct json_writer *json, const char *key, struct text value)
{
	if (value.bytes)
		json_member_text_known(json, key, strlen(key), value);
}

static inline void json_member_string(struct json_writer *json, const char *key, const char *value)
{
	json_member_text(json, key, text_of(value));
}

static inline void json_member_word(struct json_writer *json, const char *key, const char *word)
{
	json_member_word_known(json, key, strlen(key), word, strlen(word));
}

static inline void json_member_u64(struct json_writer *json, const char *key, uint64_t value)
{
	json_member_u64_known(json, key, strlen(key), value);
}

static inline void json_member_bool(struct json_writer *json, const char *key, bool value)
{
	json_key(json, key);
	json_bool(json, value);
}

static inline void json_member_hex(struct json_writer *json, const char *key, uint64_t value)
{
	json_member_hex_known(json, key, strlen(key), value);
}

#endif
