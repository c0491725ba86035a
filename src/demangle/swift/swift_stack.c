/* swift_stack.c -- what the operators of Swift names are made of: numbers, nodes, the stack. */
#include "demangle/swift/swift.h"

bool swift_natural(struct swift *swift, uint32_t *number)
{
	uint32_t value = 0;

	if (!ascii_is_digit(swift_peek(swift)))
		return false;
	while (ascii_is_digit(swift_peek(swift))) {
		value = value * 10 + (uint32_t)(swift_next(swift) - '0');
		if (value > SWIFT_NUMBER_MAX)
			return false;
	}
	*number = value;
	return true;
}

/* "_" is 0, "0_" is 1, ... */
bool swift_index(struct swift *swift, uint32_t *number)
{
	if (swift_next_if(swift, '_')) {
		*number = 0;
		return true;
	}
	if (!swift_natural(swift, number) || !swift_next_if(swift, '_'))
		return false;
	*number += 1;
	return true;
}

struct node *swift_node(struct swift *swift, enum node_kind kind, unsigned count)
{
	struct node *node = arena_alloc(&swift->arena, 1, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = kind;
	node->count = count;
	if (count == 0)
		return node;
	node->children = arena_alloc(&swift->arena, count, sizeof(struct node *));
	return node->children ? node : NULL;
}

struct node *swift_text_node(struct swift *swift, enum node_kind kind, const char *text)
{
	struct node *node = swift_node(swift, kind, 0);

	if (node)
		node->text = text_of(text);
	return node;
}

struct node *swift_with(struct swift *swift, enum node_kind kind, struct node *child)
{
	struct node *node = child ? swift_node(swift, kind, 1) : NULL;

	if (node)
		node->children[0] = child;
	return node;
}

struct node *swift_type(struct swift *swift, struct node *child)
{
	return swift_with(swift, NODE_TYPE, child);
}

bool swift_is_nominal(const struct node *node)
{
	return node->kind >= NODE_CLASS && node->kind <= NODE_OTHER_NOMINAL;
}

bool swift_is_entity(const struct node *node)
{
	return swift_is_nominal(node) ||
	       (node->kind >= NODE_FUNCTION && node->kind <= NODE_BOUND_FUNCTION);
}

static bool is_context(const struct node *node)
{
	return swift_is_entity(node) || node->kind == NODE_MODULE ||
	       node->kind == NODE_EXTENSION || node->kind == NODE_BOUND;
}

struct node *swift_pop(struct swift *swift)
{
	return swift->depth > 0 ? swift->stack[--swift->depth] : NULL;
}

struct node *swift_pop_kind(struct swift *swift, enum node_kind kind)
{
	if (swift->depth == 0 || swift->stack[swift->depth - 1]->kind != kind)
		return NULL;
	return swift->stack[--swift->depth];
}

struct node *swift_pop_type(struct swift *swift)
{
	return swift_pop_kind(swift, NODE_TYPE);
}

struct node *swift_pop_name(struct swift *swift)
{
	if (swift->depth == 0 || swift->stack[swift->depth - 1]->kind > NODE_RELATED_NAME)
		return NULL;
	return swift->stack[--swift->depth];
}

struct node *swift_pop_module(struct swift *swift)
{
	struct node *name = swift_pop_kind(swift, NODE_NAME), *module;

	if (!name)
		return swift_pop_kind(swift, NODE_MODULE);
	module = swift_node(swift, NODE_MODULE, 0);
	if (module)
		module->text = name->text;
	return module;
}

struct node *swift_pop_context(struct swift *swift)
{
	struct node *node = swift_pop_module(swift);

	if (node)
		return node;
	node = swift_pop_type(swift);
	if (node)
		return is_context(node->children[0]) ? node->children[0] : NULL;
	if (swift->depth == 0 || !is_context(swift->stack[swift->depth - 1]))
		return NULL;
	return swift->stack[--swift->depth];
}

struct node *swift_pop_nominal(struct swift *swift)
{
	struct node *type = swift_pop_type(swift);

	return type && (swift_is_nominal(type->children[0]) ||
			type->children[0]->kind == NODE_BOUND) ? type->children[0] : NULL;
}

struct node *swift_pop_entity(struct swift *swift)
{
	struct node *node = swift_pop_type(swift);

	if (node)
		return swift_is_nominal(node->children[0]) ? node->children[0] : NULL;
	if (swift->depth == 0 || !swift_is_entity(swift->stack[swift->depth - 1]))
		return NULL;
	return swift->stack[--swift->depth];
}

struct node *swift_pop_list(struct swift *swift, swift_operator_fn *pop)
{
	struct node *popped[SWIFT_STACK_NODES];
	struct node *list;
	unsigned count = 0;
	bool first = swift_pop_kind(swift, NODE_EMPTY_LIST) != NULL;

	while (!first) {
		first = swift_pop_kind(swift, NODE_FIRST) != NULL;
		if (count == SWIFT_STACK_NODES)
			return NULL;
		popped[count] = pop(swift);
		if (!popped[count++])
			return NULL;
	}
	list = swift_node(swift, NODE_LIST, count);
	for (unsigned i = 0; list && i < count; i++)
		list->children[i] = popped[count - 1 - i];
	return list;
}

struct node *swift_substitutable(struct swift *swift, struct node *node)
{
	if (!node || swift->substitution_count == SWIFT_SUBSTITUTIONS)
		return NULL;
	swift->substitutions[swift->substitution_count++] = node;
	return node;
}
