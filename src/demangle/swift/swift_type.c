/* swift_type.c -- Swift types but for generics and the types of compiled functions. */
#include "demangle/swift/swift.h"

/* A name in its context: "4main3FooV". */
struct node *swift_named(struct swift *swift, enum node_kind kind)
{
	struct node *name = swift_pop_name(swift);
	struct node *context = swift_pop_context(swift);
	struct node *node = swift_node(swift, kind, 2);

	if (!name || !context || !node)
		return NULL;
	node->children[0] = context;
	node->children[1] = name;
	return swift_type(swift, node);
}

struct node *swift_nominal(struct swift *swift, enum node_kind kind)
{
	return swift_substitutable(swift, swift_named(swift, kind));
}

static struct node *named_builtin(struct swift *swift, const char *name)
{
	return swift_type(swift, swift_text_node(swift, NODE_BUILTIN, name));
}

static struct node *sized_builtin(struct swift *swift, const char *name)
{
	struct node *node = swift_text_node(swift, NODE_BUILTIN, name);
	uint32_t number;

	if (!node || !swift_index(swift, &number) || number < 2 || number > 4097)
		return NULL;
	node->number = number - 1;
	return swift_type(swift, node);
}

static struct node *vector(struct swift *swift)
{
	struct node *element = swift_pop_type(swift);
	uint32_t number;

	if (!swift_index(swift, &number) || number < 2 || number > 4097)
		return NULL;
	element = swift_with(swift, NODE_VECTOR, element);
	if (element)
		element->number = number - 1;
	return swift_type(swift, element);
}

struct node *swift_builtin(struct swift *swift)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {
		{ 'b', "Builtin.BridgeObject" }, { 'B', "Builtin.UnsafeValueBuffer" },
		{ 'c', "Builtin.RawUnsafeContinuation" }, { 'D', "Builtin.DefaultActorStorage" },
		{ 'd', "Builtin.NonDefaultDistributedActorStorage" }, { 'e', "Builtin.Executor" },
		{ 'I', "Builtin.IntLiteral" }, { 'j', "Builtin.Job" }, { 'O', "AnyObject" },
		{ 'o', "Builtin.NativeObject" }, { 'P', "Builtin.PackIndex" },
		{ 'p', "Builtin.RawPointer" }, { 't', "Builtin.SILToken" },
		{ 'w', "Builtin.Word" },
	};
	char letter = swift_next(swift);

	if (letter == 'f')
		return sized_builtin(swift, "Builtin.FPIEEE");
	if (letter == 'i')
		return sized_builtin(swift, "Builtin.Int");
	if (letter == 'v')
		return vector(swift);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].letter == letter)
			return named_builtin(swift, names[i].name);
	return NULL;
}

/* --- Tuples -------------------------------------------------------------------------- */

static struct node *element(struct swift *swift)
{
	struct node *variadic = swift_pop_kind(swift, NODE_VARIADIC);
	struct node *label = swift_pop_kind(swift, NODE_NAME);
	struct node *node = swift_with(swift, NODE_ELEMENT, swift_pop_type(swift));

	if (!node)
		return NULL;
	node->number = variadic != NULL;
	node->text = label ? label->text : TEXT_NONE;
	return node;
}

struct node *swift_tuple(struct swift *swift)
{
	struct node *tuple = swift_pop_list(swift, element);

	if (tuple)
		tuple->kind = NODE_TUPLE;
	return swift_type(swift, tuple);
}

/* --- Bound generics ------------------------------------------------------------------ */

/* One list of arguments: types down to the mark of the next list, or of the last. */
static struct node *arguments(struct swift *swift, bool *last)
{
	struct node *list;
	unsigned count = 0;

	while (count < swift->depth && swift->stack[swift->depth - 1 - count]->kind == NODE_TYPE)
		count++;
	list = swift_node(swift, NODE_LIST, count);
	if (!list)
		return NULL;
	swift->depth -= count;
	for (unsigned i = 0; i < count; i++)
		list->children[i] = swift->stack[swift->depth + i];
	*last = swift_pop_kind(swift, NODE_EMPTY_LIST) != NULL;
	return *last || swift_pop_kind(swift, NODE_FIRST) ? list : NULL;
}

static bool takes_arguments(const struct node *node)
{
	return node->kind != NODE_VARIABLE && node->kind != NODE_SUBSCRIPT &&
	       node->kind != NODE_CLOSURE && node->kind != NODE_INITIALIZER &&
	       node->kind != NODE_STATIC;
}

static struct node *copy(struct swift *swift, const struct node *node)
{
	struct node *same = swift_node(swift, node->kind, node->count);

	if (!same)
		return NULL;
	same->number = node->number;
	same->second = node->second;
	same->text = node->text;
	if (node->count > 0)
		memcpy(same->children, node->children, node->count * sizeof(struct node *));
	return same;
}

/* Gives each context, from the inside out, its list of arguments. */
static struct node *bind(struct swift *swift, struct node *node, struct node **lists,
			 unsigned count)
{
	bool takes = takes_arguments(node);
	struct node *bound, *context = node->count > 0 ? node->children[0] : NULL;
	struct node *list = lists[0];
	unsigned parent = node->kind == NODE_EXTENSION;

	if (node->kind == NODE_MODULE || !context)
		return NULL;
	if (parent)              /* the extended type takes the lists */
		takes = false;
	if (takes ? count > 1 : true) {
		struct node *outer = bind(swift, node->children[parent], lists + takes,
					  count - takes);

		node = copy(swift, node);
		if (!outer || !node)
			return NULL;
		node->children[parent] = outer;
	}
	if (!takes || list->count == 0)
		return node;
	bound = swift_node(swift, swift_is_nominal(node) ? NODE_BOUND : NODE_BOUND_FUNCTION, 2);
	if (!bound)
		return NULL;
	bound->children[0] = swift_is_nominal(node) ? swift_type(swift, node) : node;
	bound->children[1] = list;
	return bound->children[0] ? bound : NULL;
}

#define BOUND_CONTEXTS 64u

static struct node *bind_nominal(struct swift *swift, struct node *nominal)
{
	struct node *lists[BOUND_CONTEXTS];
	unsigned count = 0;
	bool last = false;

	while (swift_pop_kind(swift, NODE_RETROACTIVE))
		;
	while (!last) {
		if (count == BOUND_CONTEXTS)
			return NULL;
		lists[count] = arguments(swift, &last);
		if (!lists[count++])
			return NULL;
	}
	if (!nominal)
		nominal = swift_pop_nominal(swift);
	return nominal ? bind(swift, nominal, lists, count) : NULL;
}

struct node *swift_bound(struct swift *swift)
{
	return swift_substitutable(swift, swift_type(swift, bind_nominal(swift, NULL)));
}

/* --- Functions ----------------------------------------------------------------------- */

static struct node *parameters(struct swift *swift)
{
	if (swift_pop_kind(swift, NODE_EMPTY_LIST))
		return swift_type(swift, swift_node(swift, NODE_TUPLE, 0));
	return swift_pop_type(swift);
}

/* Effects, isolation and the like are not shown; the result is popped and not shown either. */
struct node *swift_function_type(struct swift *swift, const char *prefix)
{
	struct node *node = swift_text_node(swift, NODE_FUNCTION_TYPE, prefix);
	struct node *arguments_type, *result;

	while (swift_pop_kind(swift, NODE_EFFECT) || swift_pop_kind(swift, NODE_ISOLATION))
		;
	arguments_type = parameters(swift);
	result = parameters(swift);
	if (!node || !arguments_type || !result)
		return NULL;
	node->children = arena_alloc(&swift->arena, 2, sizeof(struct node *));
	if (!node->children)
		return NULL;
	node->count = 2;
	node->children[0] = arguments_type;
	node->children[1] = result;
	return swift_type(swift, node);
}

struct node *swift_escaping_function(struct swift *swift)
{
	return swift_function_type(swift, "");
}

/* "Ya" async, "Yb" @Sendable, "Yc" a global actor ... */
struct node *swift_annotation(struct swift *swift)
{
	char letter = swift_next(swift);

	switch (letter) {
	case 'a':                /* async */
	case 'b':                /* @Sendable */
	case 'T':                /* sending result */
	case 'C':                /* nonisolated(nonsending) */
	case 'A':                /* @isolated(any) */
		return swift_node(swift, NODE_EFFECT, 0);
	case 'F':                /* async, as once it was */
		return NULL;
	case 'j':
		return swift_peek(swift) != '\0' && memchr("dflr", swift_next(swift), 4) ?
		       swift_node(swift, NODE_EFFECT, 0) : NULL;
	case 'c':                /* a global actor */
	case 'K':                /* what it throws */
		return swift_with(swift, NODE_ISOLATION, swift_pop_type(swift));
	case 'i':
		return swift_qualified(swift, "isolated ");
	case 'k':
		return swift_qualified(swift, "@noDerivative ");
	case 't':
		return swift_qualified(swift, "_const ");
	case 'u':
		return swift_qualified(swift, "sending ");
	default:
		return NULL;
	}
}

/* --- Qualified and special ----------------------------------------------------------- */

struct node *swift_qualified(struct swift *swift, const char *word)
{
	struct node *node = swift_with(swift, NODE_QUALIFIED, swift_pop_type(swift));

	if (node)
		node->text = text_of(word);
	return swift_type(swift, node);
}

struct node *swift_metatype(struct swift *swift)
{
	return swift_type(swift, swift_with(swift, NODE_METATYPE, swift_pop_type(swift)));
}

static struct node *existential_metatype(struct swift *swift)
{
	struct node *node = swift_with(swift, NODE_METATYPE, swift_pop_type(swift));

	if (node)
		node->number = 1;
	return swift_type(swift, node);
}

/* "@thin Foo.Type" and the like. */
static struct node *represented(struct swift *swift, bool existential)
{
	char letter = swift_next(swift);
	const char *word = letter == 't' ? "@thin " : letter == 'T' ? "@thick " :
			   letter == 'o' ? "@objc_metatype " : NULL;
	struct node *type = existential ? existential_metatype(swift) : swift_metatype(swift);

	if (!word || !type)
		return NULL;
	type->children[0]->text = text_of(word);
	return type;
}

static struct node *protocols(struct swift *swift, uint32_t any_object, struct node *superclass)
{
	struct node *list = swift_pop_list(swift, swift_pop_protocol);
	struct node *node = swift_node(swift, NODE_PROTOCOLS, 2);

	if (!list || !node)
		return NULL;
	node->children[0] = list;
	node->children[1] = superclass;
	node->number = any_object;
	return swift_type(swift, node);
}

struct node *swift_protocols_type(struct swift *swift)
{
	return protocols(swift, 0, NULL);
}

static struct node *class_protocols(struct swift *swift)
{
	struct node *superclass = swift_pop_type(swift);

	return superclass ? protocols(swift, 0, superclass) : NULL;
}

/* Types of the debugger, with sugar that is shown anyway. */
static struct node *sugared(struct swift *swift)
{
	return swift_next_if(swift, 'q') ? swift_optional(swift) : NULL;
}

static struct node *special_function(struct swift *swift, char letter)
{
	switch (letter) {
	case 'A':
	case 'K':
		return swift_function_type(swift, "@autoclosure ");
	case 'B':
		return swift_function_type(swift, "@convention(block) ");
	case 'C':
		return swift_function_type(swift, "@convention(c) ");
	case 'E':
		return swift_function_type(swift, "");
	case 'L':
		return swift_function_type(swift, "@escaping @convention(block) ");
	case 'f':
		return swift_function_type(swift, "@convention(thin) ");
	default:
		return NULL;
	}
}

struct node *swift_special_type(struct swift *swift)
{
	char letter = swift_next(swift);

	switch (letter) {
	case 'D':
		return swift_pop_type(swift) ?
		       swift_type(swift, swift_text_node(swift, NODE_BUILTIN, "Self")) : NULL;
	case 'M':
		return represented(swift, false);
	case 'S':
		return sugared(swift);
	case 'c':
		return class_protocols(swift);
	case 'e':
		return swift_type(swift, swift_text_node(swift, NODE_BUILTIN, "<ERROR TYPE>"));
	case 'l':
		return protocols(swift, 1, NULL);
	case 'm':
		return represented(swift, true);
	case 'o':
		return swift_qualified(swift, "unowned ");
	case 'p':
		return existential_metatype(swift);
	case 'u':
		return swift_qualified(swift, "unowned(unsafe) ");
	case 'w':
		return swift_qualified(swift, "weak ");
	case 'b':
		return swift_qualified(swift, "@box ");
	default:
		return special_function(swift, letter);
	}
}

struct node *swift_pop_protocol(struct swift *swift)
{
	struct node *node = swift_pop_type(swift);

	if (!node)
		return swift_named(swift, NODE_PROTOCOL);
	return node->children[0]->kind == NODE_PROTOCOL ? node : NULL;
}
