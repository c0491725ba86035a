/* swift_impl.c -- types of compiled functions: "@escaping @callee_guaranteed (...) -> (...)". */
#include "demangle/swift/swift.h"

struct convention {
	char letter;
	const char *word;
};

static const struct convention callees[] = {
	{ 'y', "@callee_unowned " }, { 'g', "@callee_guaranteed " }, { 'x', "@callee_owned " },
	{ 't', "@convention(thin) " }, { '\0', NULL },
};
static const struct convention representations[] = {
	{ 'B', "@convention(block) " }, { 'C', "@convention(c) " },
	{ 'M', "@convention(method) " }, { 'J', "@convention(objc_method) " },
	{ 'K', "@convention(closure) " }, { 'W', "@convention(witness_method) " }, { '\0', NULL },
};
static const struct convention differentiables[] = {
	{ 'd', "@differentiable " }, { 'l', "@differentiable(_linear) " },
	{ 'f', "@differentiable(_forward) " }, { 'r', "@differentiable(reverse) " },
	{ '\0', NULL },
};
static const struct convention in[] = {
	{ 'i', "@in " }, { 'c', "@in_constant " }, { 'l', "@inout " }, { 'b', "@inout_aliasable " },
	{ 'n', "@in_guaranteed " }, { 'X', "@in_cxx " }, { 'x', "@owned " }, { 'g', "@guaranteed " },
	{ 'e', "@deallocating " }, { 'y', "@unowned " }, { 'v', "@pack_owned " },
	{ 'p', "@pack_guaranteed " }, { 'm', "@pack_inout " }, { '\0', NULL },
};
static const struct convention out[] = {
	{ 'r', "@out " }, { 'o', "@owned " }, { 'd', "@unowned " },
	{ 'u', "@unowned_inner_pointer " }, { 'a', "@autoreleased " }, { 'k', "@pack_out " },
	{ '\0', NULL },
};
static const struct convention errors[] = {
	{ 'r', "@error @out " }, { 'o', "@error @owned " }, { 'd', "@error @unowned " },
	{ 'u', "@error @unowned_inner_pointer " }, { 'a', "@error @autoreleased " },
	{ '\0', NULL },
};

#define IMPL_PARTS 256u

enum impl_part { PART_ATTRIBUTE, PART_IN, PART_OUT };

struct parts {
	struct node *parts[IMPL_PARTS];
	unsigned count;
};

static const char *word_of(struct swift *swift, const struct convention *list)
{
	for (; list->word; list++)
		if (swift_next_if(swift, list->letter))
			return list->word;
	return NULL;
}

static bool add(struct swift *swift, struct parts *parts, enum impl_part part, const char *word)
{
	struct node *node = swift_text_node(swift, NODE_IMPL_PART, word);

	if (!node || parts->count == IMPL_PARTS)
		return false;
	node->number = part;
	parts->parts[parts->count++] = node;
	return true;
}

static bool add_if(struct swift *swift, struct parts *parts, const struct convention *list)
{
	const char *word = word_of(swift, list);

	return !word || add(swift, parts, PART_ATTRIBUTE, word);
}

static bool add_letter(struct swift *swift, struct parts *parts, char letter, const char *word)
{
	return !swift_next_if(swift, letter) || add(swift, parts, PART_ATTRIBUTE, word);
}

static bool attributes(struct swift *swift, struct parts *parts)
{
	return add_letter(swift, parts, 'e', "@escaping ") &&
	       add_letter(swift, parts, 'A', "@isolated(any) ") &&
	       add_if(swift, parts, differentiables) && add_if(swift, parts, callees) &&
	       add_if(swift, parts, representations) &&
	       add_letter(swift, parts, 'A', "@yield_once ") &&
	       add_letter(swift, parts, 'G', "@yield_many ") &&
	       add_letter(swift, parts, 'h', "@Sendable ") &&
	       add_letter(swift, parts, 'H', "@async ") &&
	       (!swift_next_if(swift, 'T') || true);
}

static bool values(struct swift *swift, struct parts *parts)
{
	const char *word;

	while ((word = word_of(swift, in)) != NULL) {
		if (!add(swift, parts, PART_IN, word))
			return false;
		if (swift_next_if(swift, 'w'))
			parts->parts[parts->count - 1]->second = 1;
		swift_next_if(swift, 'T');
	}
	while ((word = word_of(swift, out)) != NULL) {
		if (!add(swift, parts, PART_OUT, word))
			return false;
		if (swift_next_if(swift, 'w'))
			parts->parts[parts->count - 1]->second = 1;
	}
	if (swift_next_if(swift, 'z')) {
		word = word_of(swift, errors);
		if (!word || !add(swift, parts, PART_OUT, word))
			return false;
	}
	return swift_next_if(swift, '_');
}

/* Types stand before, in the order of the letters. */
static bool take_types(struct swift *swift, struct parts *parts)
{
	for (unsigned i = parts->count; i > 0; i--) {
		struct node *part = parts->parts[i - 1];

		if (part->kind != NODE_IMPL_PART || part->number == PART_ATTRIBUTE)
			break;
		part->children = arena_alloc(&swift->arena, 1, sizeof(struct node *));
		if (!part->children)
			return false;
		part->count = 1;
		part->children[0] = swift_pop_type(swift);
		if (!part->children[0])
			return false;
	}
	return true;
}

/* One list of what stands for the parameters of a function's pattern. */
static struct node *substituted(struct swift *swift)
{
	unsigned count = 0;
	struct node *list;

	while (swift_pop_kind(swift, NODE_RETROACTIVE))
		;
	while (count < swift->depth && swift->stack[swift->depth - 1 - count]->kind == NODE_TYPE)
		count++;
	list = swift_node(swift, NODE_LIST, count);
	if (!list)
		return NULL;
	swift->depth -= count;
	for (unsigned i = 0; i < count; i++)
		list->children[i] = swift->stack[swift->depth + i];
	return swift_pop_kind(swift, NODE_EMPTY_LIST) ? list : NULL;
}

struct node *swift_impl_function(struct swift *swift)
{
	struct parts parts = { .count = 0 };
	struct node *pattern = NULL, *list = NULL, *node;

	if (swift_next_if(swift, 's')) {
		list = substituted(swift);
		pattern = swift_pop_kind(swift, NODE_SIGNATURE);
		if (!list || !pattern)
			return NULL;
	}
	if (swift_peek(swift) == 'I')    /* substitutions of the call: not understood */
		return NULL;
	swift_next_if(swift, 'P');
	node = swift_pop_kind(swift, NODE_SIGNATURE);
	if (!attributes(swift, &parts))
		return NULL;
	if (node) {
		if (parts.count == IMPL_PARTS)
			return NULL;
		parts.parts[parts.count++] = node;
	}
	if (!values(swift, &parts))
		return NULL;
	if (!take_types(swift, &parts))
		return NULL;
	node = swift_node(swift, NODE_IMPL, parts.count + 2);
	if (!node)
		return NULL;
	node->children[0] = pattern;
	node->children[1] = list;
	memcpy(node->children + 2, parts.parts, parts.count * sizeof(struct node *));
	return swift_type(swift, node);
}
