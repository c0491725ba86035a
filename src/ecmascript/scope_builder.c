/* scope_builder.c -- see scope_builder.h. */
#include "ecmascript/scope_builder.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "ecmascript/literal_text.h"

#define NAME_PARTS_MAX 128u              /* of a longer name the outer ones are left out */

/* A name while it is put together: its last part first. */
struct name_parts {
	struct scope_builder *builder;
	struct ecmascript_part parts[NAME_PARTS_MAX];
	uint32_t count, base;            /* parts below `base` are the scope's own */
	enum naming_accessor accessor;
	bool has_object;
};

static void prepend(struct name_parts *name, struct text text, uint32_t offset)
{
	if (!text.bytes) {
		name->builder->is_refused = true;
		return;
	}
	if (name->count < NAME_PARTS_MAX)
		name->parts[name->count++] = (struct ecmascript_part){
			.bytes = text.bytes, .size = (uint32_t)text.size, .offset = offset };
}

static void prepend_constant(struct name_parts *name, const char *text)
{
	prepend(name, text_of(text), ECMASCRIPT_NOWHERE);
}

static void separate(struct name_parts *name)
{
	if (name->count > name->base)
		prepend_constant(name, ".");
}

static struct text text_of_token(const struct name_parts *name, const struct token *token)
{
	return (struct text){ (const char *)name->builder->bytes + token->start,
			      token->end - token->start };
}

static void prepend_name(struct name_parts *name, const struct token *token)
{
	struct text text = text_of_token(name, token);

	prepend(name, token->is_escaped ? literal_text_name(text, name->builder->arena) : text,
		token->start);
}

/* A private name is looked up where its "#" stands, which stays. */
static void prepend_private_name(struct name_parts *name, const struct token *token)
{
	struct text text = text_from(text_of_token(name, token), 1);

	prepend(name, token->is_escaped ? literal_text_name(text, name->builder->arena) : text,
		token->start);
	prepend_constant(name, "#");
}

/* The text of a literal between `before` and `behind`; TEXT_NONE: it is none. */
static struct text literal(const struct name_parts *name, const struct token *token,
			   const char *before, const char *behind)
{
	struct text text = text_of_token(name, token);
	struct arena *arena = name->builder->arena;

	switch (token->kind) {
	case TOKEN_NUMBER:
		return literal_text_number(text, before, behind, arena);
	case TOKEN_BIGINT:
		return literal_text_bigint(text, before, behind, arena);
	default:
		return literal_text_as_is(text, before, behind, arena);
	}
}

/* The text of a PropertyName. */
static void prepend_key(struct name_parts *name, const struct token *key)
{
	struct text text = text_of_token(name, key);

	if (key->kind == TOKEN_LBRACKET)
		prepend_constant(name, "<computed>");
	else if (key->kind == TOKEN_PRIVATE_NAME)
		prepend_private_name(name, key);
	else if (key->kind == TOKEN_STRING)
		prepend(name, literal_text_string(text, "<\"", "\">", name->builder->arena),
			ECMASCRIPT_NOWHERE);
	else if (key->kind == TOKEN_NUMBER || key->kind == TOKEN_BIGINT)
		prepend(name, literal(name, key, "<", ">"), ECMASCRIPT_NOWHERE);
	else
		prepend_name(name, key);
}

/* What is in the brackets of a member expression: an identifier is a part of its own. */
static void prepend_bracketed(struct name_parts *name, const struct token *token)
{
	if (token_is_identifier(token)) {
		prepend_constant(name, "]");
		prepend_name(name, token);
		prepend_constant(name, "[");
	} else if (token->kind == TOKEN_LBRACKET) {
		prepend_constant(name, "[<computed>]");
	} else if (token->kind == TOKEN_STRING) {
		prepend(name, literal_text_string(text_of_token(name, token), "[\"", "\"]",
						  name->builder->arena), ECMASCRIPT_NOWHERE);
	} else {
		prepend(name, literal(name, token, "[", "]"), ECMASCRIPT_NOWHERE);
	}
}

static void prepend_target(struct name_parts *name, const struct naming *naming)
{
	const struct name_link *links = name->builder->links + naming->first_link;

	for (uint32_t i = naming->link_count; i-- > 0; ) {
		const struct token *token = &links[i].token;

		if (links[i].is_bracketed)
			prepend_bracketed(name, token);
		else if (token->kind == TOKEN_THIS)
			prepend_constant(name, "this");
		else if (token->kind != TOKEN_PRIVATE_NAME)
			prepend_name(name, token);
		if (i > 0 && !links[i].is_bracketed && token->kind != TOKEN_PRIVATE_NAME)
			prepend_constant(name, ".");
	}
}

/* One thing around the function; false: the walk ends there. */
static bool walk_one(struct name_parts *name, const struct naming *naming)
{
	switch (naming->kind) {
	case NAMING_OBJECT:
		name->has_object = true;
		return true;
	case NAMING_CLASS_KEY:
		if (naming->accessor)
			name->accessor = (enum naming_accessor)naming->accessor;
		prepend_key(name, &naming->token);
		return true;
	case NAMING_KEY:
		separate(name);
		prepend_key(name, &naming->token);
		return true;
	case NAMING_CLASS:
		separate(name);
		prepend_name(name, &naming->token);
		return true;
	case NAMING_BINDING:
		separate(name);
		prepend_name(name, &naming->token);
		return false;
	case NAMING_TARGET:
		prepend_target(name, naming);
		return false;
	default:
		return false;
	}
}

static void prepend_accessor(struct name_parts *name, enum naming_accessor accessor)
{
	if (accessor)
		prepend_constant(name, accessor == ACCESSOR_GET ? "get " : "set ");
}

static void walk(struct name_parts *name, const struct naming *naming)
{
	while (naming && name->count < NAME_PARTS_MAX && walk_one(name, naming))
		naming = naming->outer;
	if ((!naming || naming->kind == NAMING_FUNCTION) && name->has_object && name->count > name->base)
		prepend_constant(name, "<object>.");
	prepend_accessor(name, name->accessor);
}

/* A name of its own takes the place of the last part. */
static void put_own(struct name_parts *name, const struct token *token)
{
	uint32_t count = name->count;

	name->count = 0;
	prepend_name(name, token);
	if (count > name->count)
		name->count = count;
}

static void put_name(struct name_parts *name, const struct naming *naming, const struct own_name *own)
{
	if (own->owner == OWNER_ACCESSOR) {
		prepend_key(name, &own->token);
		prepend_constant(name, ".");
		name->base = name->count;
		walk(name, naming);
		if (name->count == name->base)
			name->count--;
		prepend_accessor(name, own->accessor);
		return;
	}
	walk(name, naming);
	if (own->has_token)
		put_own(name, &own->token);
	if (own->owner == OWNER_CLASS && name->count > 0)
		prepend_constant(name, "new ");
}

static int add_parts(struct scope_builder *builder, const struct name_parts *name)
{
	struct ecmascript_scopes *out = builder->out;

	if (out->part_count + name->count >= UINT32_MAX ||
	    vec_reserve(&out->parts, &out->part_capacity, out->part_count + name->count,
			sizeof(*out->parts)) < 0)
		return -1;
	for (uint32_t i = name->count; i-- > 0; )
		out->parts[out->part_count++] = name->parts[i];
	return 0;
}

void scope_builder_begin(struct scope_builder *builder, const struct naming *naming, uint32_t start,
			 const struct own_name *own)
{
	struct ecmascript_scopes *out = builder->out;
	struct ecmascript_scope *scope;
	struct name_parts name;

	name.builder = builder;
	name.count = name.base = 0;
	name.accessor = ACCESSOR_NONE;
	name.has_object = false;
	put_name(&name, naming, own);
	if (builder->is_refused || out->count == SCOPE_NONE ||
	    vec_reserve(&out->scopes, &out->capacity, out->count + 1, sizeof(*out->scopes)) < 0 ||
	    add_parts(builder, &name) < 0) {
		builder->is_refused = true;
		return;
	}
	if (out->count > 0 && out->scopes[out->count - 1].start >= start)
		builder->is_unordered = true;
	scope = &out->scopes[out->count];
	scope->start = start;
	scope->end = builder->open;
	scope->first_part = (uint32_t)out->part_count - name.count;
	scope->part_count = name.count;
	builder->open = (uint32_t)out->count++;
}

void scope_builder_end(struct scope_builder *builder, uint32_t end)
{
	struct ecmascript_scope *scope;

	if (builder->is_refused || builder->open == SCOPE_NONE)
		return;
	scope = &builder->out->scopes[builder->open];
	builder->open = scope->end;
	scope->end = end;
}

void scope_builder_end_since(struct scope_builder *builder, uint32_t open, uint32_t end)
{
	while (!builder->is_refused && builder->open != open && builder->open != SCOPE_NONE)
		scope_builder_end(builder, end);
}

void scope_builder_link(struct scope_builder *builder, const struct token *token, bool is_bracketed)
{
	if (builder->link_count == builder->link_capacity &&
	    vec_reserve(&builder->links, &builder->link_capacity, builder->link_count + 1,
			sizeof(*builder->links)) < 0) {
		builder->is_refused = true;
		return;
	}
	builder->links[builder->link_count++] = (struct name_link){ *token, is_bracketed };
}

static int compare_scopes(const void *a, const void *b)
{
	const struct ecmascript_scope *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return (left->end < right->end) - (left->end > right->end);
}

int scope_builder_finish(struct scope_builder *builder, struct text text, struct err *err)
{
	struct ecmascript_scopes *out = builder->out;
	struct arena_mark mark = arena_mark(builder->arena);
	struct text_places places;

	if (builder->is_refused)
		return err_set(err, builder->arena->is_full && !builder->arena->is_refused
			       ? ERR_LIMIT : ERR_NO_MEMORY,
			       "no memory for the functions of a text of %zu bytes", text.size);
	if (text_places_init(&places, text, builder->arena, err) < 0)
		return -1;
	if (builder->is_unordered)
		qsort(out->scopes, out->count, sizeof(*out->scopes), compare_scopes);
	for (size_t i = 0; i < out->count; i++) {
		struct ecmascript_scope *scope = &out->scopes[i];

		scope->starts_at = text_places_of(&places, scope->start);
		scope->ends_at = text_places_of(&places, scope->end);
	}
	for (size_t i = 0; i < out->part_count; i++)
		if (out->parts[i].offset != ECMASCRIPT_NOWHERE)
			out->parts[i].position = text_places_of(&places, out->parts[i].offset);
	if (out->error_count)
		out->error_position = text_places_of(&places, out->error_offset);
	arena_rewind(builder->arena, mark);
	return 0;
}
