/*
 * swift -- between the parts of the Swift demangler: the tree, and the stack it is built on.
 *
 * A mangled name is a run of operators in postfix order: each takes what it needs from a
 * stack and leaves a node there (the mangling is described in docs/ABI/Mangling.rst of the
 * Swift project).  Nodes lie in an arena and may be shared.  A NULL node is a refusal:
 * what is not understood to its end is not shown at all.
 */
#ifndef DEMANGLE_SWIFT_H
#define DEMANGLE_SWIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "demangle/demangle_internal.h"

#define SWIFT_STACK_NODES   512u
#define SWIFT_SUBSTITUTIONS 512u
#define SWIFT_WORDS         26u
#define SWIFT_NUMBER_MAX    65536u

enum node_kind {
	/* names */
	NODE_NAME, NODE_OPERATOR, NODE_LOCAL_NAME, NODE_PRIVATE_NAME, NODE_RELATED_NAME,
	/* contexts: child 0 is their own context, child 1 the name */
	NODE_MODULE, NODE_EXTENSION,
	NODE_CLASS, NODE_STRUCT, NODE_ENUM, NODE_PROTOCOL, NODE_ALIAS, NODE_OTHER_NOMINAL,
	/* entities: context, name, labels, type; any of them may be NULL */
	NODE_FUNCTION, NODE_VARIABLE, NODE_SUBSCRIPT, NODE_ALLOCATOR, NODE_CONSTRUCTOR,
	NODE_CLOSURE, NODE_SPECIAL, NODE_INITIALIZER, NODE_ACCESSOR, NODE_STATIC, NODE_CURRY,
	NODE_BOUND_FUNCTION,
	/* types */
	NODE_TYPE, NODE_BOUND, NODE_TUPLE, NODE_ELEMENT, NODE_FUNCTION_TYPE, NODE_GENERIC_TYPE,
	NODE_PARAMETER, NODE_MEMBER, NODE_ASSOCIATED, NODE_PROTOCOLS, NODE_METATYPE,
	NODE_QUALIFIED, NODE_BUILTIN, NODE_OPAQUE, NODE_OPAQUE_OF, NODE_IMPL, NODE_IMPL_PART,
	NODE_VECTOR, NODE_PACK, NODE_PACK_EXPANSION, NODE_ASSOCIATED_OF,
	/* lists and marks on the stack */
	NODE_LIST, NODE_LABELS, NODE_EMPTY_LIST, NODE_FIRST, NODE_VARIADIC, NODE_EFFECT,
	NODE_ISOLATION, NODE_SIGNATURE, NODE_COUNT, NODE_REQUIREMENT,
	NODE_CONFORMANCE, NODE_ANY_CONFORMANCE, NODE_RETROACTIVE,
	/* what a whole symbol is */
	NODE_OF, NODE_PAIR, NODE_ONCE, NODE_ATTRIBUTE,
	NODE_PARTIAL_APPLY, NODE_SPECIALIZED, NODE_HIDDEN, NODE_SUFFIX,
};

struct node {
	enum node_kind kind;
	unsigned count;          /* children */
	uint32_t number, second; /* what they mean depends on the kind */
	struct text text;
	struct node **children;
};

struct swift {
	const char *name;        /* behind the prefix, NUL-ended */
	size_t size, at;
	bool old_labels;         /* "_T0": labels are part of the tuple of parameters */
	struct arena arena;
	struct node *stack[SWIFT_STACK_NODES];
	unsigned depth;
	struct node *substitutions[SWIFT_SUBSTITUTIONS];
	unsigned substitution_count;
	struct text words[SWIFT_WORDS];
	unsigned word_count;
};

typedef struct node *swift_operator_fn(struct swift *swift);

/* --- Characters; '\0' at the end */
static inline char swift_peek(const struct swift *swift)
{
	return swift->at < swift->size ? swift->name[swift->at] : '\0';
}

static inline char swift_next(struct swift *swift)
{
	return swift->at < swift->size ? swift->name[swift->at++] : '\0';
}

static inline bool swift_next_if(struct swift *swift, char c)
{
	if (swift->at >= swift->size || swift->name[swift->at] != c)
		return false;
	swift->at++;
	return true;
}

static inline bool swift_push(struct swift *swift, struct node *node)
{
	if (!node || swift->depth == SWIFT_STACK_NODES)
		return false;
	swift->stack[swift->depth++] = node;
	return true;
}

/* --- swift_stack.c: numbers, nodes, the stack */
bool swift_natural(struct swift *swift, uint32_t *number);
bool swift_index(struct swift *swift, uint32_t *number);
struct node *swift_node(struct swift *swift, enum node_kind kind, unsigned count);
struct node *swift_text_node(struct swift *swift, enum node_kind kind, const char *text);
struct node *swift_with(struct swift *swift, enum node_kind kind, struct node *child);
struct node *swift_type(struct swift *swift, struct node *child);
struct node *swift_pop(struct swift *swift);          /* whatever is there */
struct node *swift_pop_kind(struct swift *swift, enum node_kind kind);
struct node *swift_pop_name(struct swift *swift);
struct node *swift_pop_context(struct swift *swift);
struct node *swift_pop_module(struct swift *swift);
struct node *swift_pop_nominal(struct swift *swift);  /* inside its type */
struct node *swift_pop_entity(struct swift *swift);
/* Pops `pop` until one of them had the mark of the first before it; an empty list is one. */
struct node *swift_pop_list(struct swift *swift, swift_operator_fn *pop);
struct node *swift_pop_type(struct swift *swift);
struct node *swift_substitutable(struct swift *swift, struct node *node);
bool swift_is_nominal(const struct node *node);
bool swift_is_entity(const struct node *node);

/* --- swift_name.c */
struct node *swift_identifier(struct swift *swift);
struct node *swift_operator_name(struct swift *swift);
struct node *swift_local_name(struct swift *swift);
struct node *swift_substitution(struct swift *swift);
struct node *swift_standard(struct swift *swift);

/* --- swift_type.c */
struct node *swift_pop_protocol(struct swift *swift);
struct node *swift_named(struct swift *swift, enum node_kind kind);
struct node *swift_nominal(struct swift *swift, enum node_kind kind);   /* can be said again */
struct node *swift_builtin(struct swift *swift);
struct node *swift_tuple(struct swift *swift);
struct node *swift_bound(struct swift *swift);
struct node *swift_optional(struct swift *swift);
struct node *swift_special_type(struct swift *swift);
struct node *swift_annotation(struct swift *swift);
struct node *swift_function_type(struct swift *swift, const char *prefix);
struct node *swift_escaping_function(struct swift *swift);
struct node *swift_protocols_type(struct swift *swift);
struct node *swift_qualified(struct swift *swift, const char *word);
struct node *swift_metatype(struct swift *swift);

/* --- swift_generic.c */
struct node *swift_parameter(struct swift *swift);    /* GENERIC-PARAM-INDEX */
struct node *swift_archetype(struct swift *swift);
struct node *swift_signature(struct swift *swift, bool with_counts);
struct node *swift_requirement(struct swift *swift);
struct node *swift_conformance_operator(struct swift *swift);
struct node *swift_retroactive(struct swift *swift);
struct node *swift_pop_conformance(struct swift *swift);
struct node *swift_generic_type(struct swift *swift);

/* --- swift_impl.c */
struct node *swift_impl_function(struct swift *swift);

/* --- swift_entity.c */
struct node *swift_extension(struct swift *swift);
struct node *swift_function(struct swift *swift);
struct node *swift_function_entity(struct swift *swift);
struct node *swift_variable(struct swift *swift);
struct node *swift_subscript(struct swift *swift);
struct node *swift_static(struct swift *swift);

/* --- swift_global.c */
struct node *swift_thunk(struct swift *swift);
struct node *swift_metadata(struct swift *swift);
struct node *swift_witness(struct swift *swift);
struct node *swift_value_witness(struct swift *swift);
struct node *swift_type_metadata(struct swift *swift);
struct node *swift_type_mangling(struct swift *swift);

/* --- swift_print.c: the whole stack as one symbol; false when it is none */
bool swift_print(const struct swift *swift, struct printing *printing);

#endif
