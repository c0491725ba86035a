/* literal_text -- identifiers and literals as they stand in names: doc/formats/ecmascript.md. */
#ifndef ECMASCRIPT_LITERAL_TEXT_H
#define ECMASCRIPT_LITERAL_TEXT_H

#include "base/text.h"

struct arena;

/* Each: TEXT_NONE when the arena is full.  `source` is the token's text. */
struct text literal_text_name(struct text source, struct arena *arena);          /* with escapes */
/* Between `before` and `behind`. */
struct text literal_text_string(struct text source, const char *before, const char *behind,
				struct arena *arena);
struct text literal_text_number(struct text source, const char *before, const char *behind,
				struct arena *arena);
struct text literal_text_bigint(struct text source, const char *before, const char *behind,
				struct arena *arena);
struct text literal_text_as_is(struct text source, const char *before, const char *behind,
			       struct arena *arena);

#endif
