/* swift.c -- Swift names: the operators, and the stack they work on. */
#include "demangle/swift/swift.h"

#define SWIFT_ARENA_BYTES  ((size_t)1 << 20)
#define SWIFT_NAME_BYTES   8192u   /* longer ones would not fit when they are readable */

/* --- Characters ---------------------------------------------------------------------- */

char swift_peek(const struct swift *swift)
{
	return swift->at < swift->size ? swift->name[swift->at] : '\0';
}

char swift_next(struct swift *swift)
{
	return swift->at < swift->size ? swift->name[swift->at++] : '\0';
}

bool swift_next_if(struct swift *swift, char c)
{
	if (swift->at >= swift->size || swift->name[swift->at] != c)
		return false;
	swift->at++;
	return true;
}

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

/* --- Nodes --------------------------------------------------------------------------- */

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

/* --- The stack ----------------------------------------------------------------------- */

bool swift_push(struct swift *swift, struct node *node)
{
	if (!node || swift->depth == SWIFT_STACK_NODES)
		return false;
	swift->stack[swift->depth++] = node;
	return true;
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

struct node *swift_pop_protocol(struct swift *swift)
{
	struct node *node = swift_pop_type(swift);

	if (!node)
		return swift_named(swift, NODE_PROTOCOL);
	return node->children[0]->kind == NODE_PROTOCOL ? node : NULL;
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

/* --- The operators ------------------------------------------------------------------- */

static struct node *empty_list(struct swift *swift)
{
	return swift_node(swift, NODE_EMPTY_LIST, 0);
}

static struct node *first_mark(struct swift *swift)
{
	return swift_node(swift, NODE_FIRST, 0);
}

static struct node *variadic_mark(struct swift *swift)
{
	return swift_node(swift, NODE_VARIADIC, 0);
}

static struct node *throws_mark(struct swift *swift)
{
	return swift_node(swift, NODE_EFFECT, 0);
}

static struct node *swift_module(struct swift *swift)
{
	return swift_text_node(swift, NODE_MODULE, "Swift");
}

static struct node *class_type(struct swift *swift)    { return swift_nominal(swift, NODE_CLASS); }
static struct node *struct_type(struct swift *swift)   { return swift_nominal(swift, NODE_STRUCT); }
static struct node *enum_type(struct swift *swift)     { return swift_nominal(swift, NODE_ENUM); }
static struct node *protocol_type(struct swift *swift) { return swift_nominal(swift, NODE_PROTOCOL); }
static struct node *alias_type(struct swift *swift)    { return swift_nominal(swift, NODE_ALIAS); }
static struct node *inout_type(struct swift *swift)    { return swift_qualified(swift, "inout "); }
static struct node *shared_type(struct swift *swift)   { return swift_qualified(swift, "__shared "); }
static struct node *owned_type(struct swift *swift)    { return swift_qualified(swift, "__owned "); }

static struct node *first_parameter(struct swift *swift)
{
	return swift_type(swift, swift_node(swift, NODE_PARAMETER, 0));
}

static struct node *other_parameter(struct swift *swift)
{
	return swift_type(swift, swift_parameter(swift));
}

static struct node *one_parameter_signature(struct swift *swift)
{
	return swift_signature(swift, false);
}

static struct node *counted_signature(struct swift *swift)
{
	return swift_signature(swift, true);
}

/* Compilers number their clones behind a dot; those numbers are not shown. */
static struct node *suffix(struct swift *swift)
{
	swift->at = swift->size;
	return swift_node(swift, NODE_SUFFIX, 0);
}

static swift_operator_fn *const operators[128] = {
	['A'] = swift_substitution, ['B'] = swift_builtin, ['C'] = class_type,
	['D'] = swift_type_mangling, ['E'] = swift_extension, ['F'] = swift_function,
	['G'] = swift_bound, ['H'] = swift_conformance_operator, ['I'] = swift_impl_function,
	['K'] = throws_mark, ['L'] = swift_local_name, ['M'] = swift_metadata,
	['N'] = swift_type_metadata, ['O'] = enum_type, ['P'] = protocol_type,
	['Q'] = swift_archetype, ['R'] = swift_requirement, ['S'] = swift_standard,
	['T'] = swift_thunk, ['V'] = struct_type, ['W'] = swift_witness,
	['X'] = swift_special_type, ['Y'] = swift_annotation, ['Z'] = swift_static,
	['a'] = alias_type, ['c'] = swift_escaping_function, ['d'] = variadic_mark,
	['f'] = swift_function_entity, ['g'] = swift_retroactive, ['h'] = shared_type,
	['i'] = swift_subscript, ['l'] = one_parameter_signature, ['m'] = swift_metatype,
	['n'] = owned_type, ['o'] = swift_operator_name, ['p'] = swift_protocols_type,
	['q'] = other_parameter, ['r'] = counted_signature, ['s'] = swift_module,
	['t'] = swift_tuple, ['u'] = swift_generic_type, ['v'] = swift_variable,
	['w'] = swift_value_witness, ['x'] = first_parameter, ['y'] = empty_list,
	['z'] = inout_type, ['_'] = first_mark, ['.'] = suffix,
};

static bool read_operators(struct swift *swift)
{
	unsigned char c;

	while (swift->at < swift->size) {
		c = (unsigned char)swift_peek(swift);
		if (ascii_is_digit((char)c)) {
			if (!swift_push(swift, swift_identifier(swift)))
				return false;
			continue;
		}
		swift->at++;
		if (c >= 128 || !operators[c] || !swift_push(swift, operators[c](swift)))
			return false;
	}
	return swift->depth > 0;
}

/* --- The door ------------------------------------------------------------------------ */

static size_t prefix_size(const char *name, bool *old_labels)
{
	static const struct {
		const char *prefix;
		bool old;
	} prefixes[] = {
		{ "_T0", true }, { "$S", false }, { "_$S", false }, { "$s", false },
		{ "_$s", false }, { "$e", false }, { "_$e", false },
		{ "__T0", true }, { "__$s", false }, { "__$S", false },
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t size = strlen(prefixes[i].prefix);

		*old_labels = prefixes[i].old;
		if (strncmp(name, prefixes[i].prefix, size) == 0)
			return size;
	}
	return 0;
}

static bool demangle_in(struct swift *swift, const char *name, struct printing *printing)
{
	size_t prefix = prefix_size(name, &swift->old_labels);

	swift->name = name + prefix;
	swift->size = strlen(swift->name);
	if (prefix == 0 || swift->size > SWIFT_NAME_BYTES || !read_operators(swift))
		return false;
	return swift_print(swift, printing);
}

bool demangle_swift(const char *name, struct printing *printing)
{
	struct swift swift = { .name = NULL };
	bool done;

	arena_init(&swift.arena, SWIFT_ARENA_BYTES);
	done = demangle_in(&swift, name, printing);
	arena_release(&swift.arena);
	return done;
}
