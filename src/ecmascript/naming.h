/*
 * naming -- what stands around a function, from inside out, as far as it gives names.
 *
 * A chain of these stands on the parser's stack while it descends; a name is put together by
 * walking it once, when a scope begins.  doc/formats/ecmascript.md says by which rules.
 */
#ifndef ECMASCRIPT_NAMING_H
#define ECMASCRIPT_NAMING_H

#include <stdint.h>

#include "ecmascript/scanner.h"

enum naming_kind {
	NAMING_FUNCTION,         /* another function: the walk ends */
	NAMING_OBJECT,           /* an object literal */
	NAMING_BINDING,          /* a declared class, a variable or what is assigned to, an identifier: ends */
	NAMING_CLASS,            /* a class expression with a name */
	NAMING_KEY,              /* a property or method of an object literal */
	NAMING_CLASS_KEY,        /* a method of a class */
	NAMING_TARGET            /* a member expression that is assigned to: ends */
};

enum naming_accessor { ACCESSOR_NONE, ACCESSOR_GET, ACCESSOR_SET };

struct naming {
	const struct naming *outer;      /* NULL: the text itself */
	uint8_t kind, accessor;
	struct token token;              /* the identifier or key; TOKEN_LBRACKET: a computed one */
	uint32_t first_link, link_count; /* NAMING_TARGET */
};

/* A member expression from left to right: an identifier or "this", then ".x", ".#x" and "[x]". */
struct name_link {
	struct token token;
	bool is_bracketed;               /* the token is all there is in the brackets, or a "[": more is */
};

#define NAMING_LINKS_MAX 32u             /* longer member expressions give no name */

enum name_owner { OWNER_FUNCTION, OWNER_CLASS, OWNER_ACCESSOR };

/* What a scope brings along itself. */
struct own_name {
	enum name_owner owner;
	bool has_token;
	struct token token;              /* its name; of an accessor of an object literal: the key */
	enum naming_accessor accessor;
};

#endif
