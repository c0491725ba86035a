/*
 * scope_builder -- scopes as they begin and end, and their names.
 *
 * 1. Open scopes are a list through their `end`s, the innermost first; `open` is its head.
 * 2. Scopes stand in the order of their start; where one was found behind those within it
 *    (is_unordered), scope_builder_finish() sorts them.
 */
#ifndef ECMASCRIPT_SCOPE_BUILDER_H
#define ECMASCRIPT_SCOPE_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "ecmascript/ecmascript.h"
#include "ecmascript/naming.h"

#define SCOPE_NONE UINT32_MAX

struct scope_builder {
	struct ecmascript_scopes *out;
	struct arena *arena;
	const uint8_t *bytes;            /* the text */
	struct name_link *links;         /* those of the member expressions around the current token */
	size_t link_count, link_capacity;
	uint32_t open;
	bool is_unordered;
	bool is_refused;                 /* no memory: nothing more is kept */
};

void scope_builder_begin(struct scope_builder *builder, const struct naming *naming, uint32_t start,
			 const struct own_name *own);
/* Ends the innermost one. */
void scope_builder_end(struct scope_builder *builder, uint32_t end);
/* Ends all that were opened since `open` was the innermost. */
void scope_builder_end_since(struct scope_builder *builder, uint32_t open, uint32_t end);
void scope_builder_link(struct scope_builder *builder, const struct token *token, bool is_bracketed);
/* Sorted, with their places. */
int scope_builder_finish(struct scope_builder *builder, struct text text, struct err *err);

#endif
