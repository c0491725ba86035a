/* swift_entity.c -- functions, variables and what else of a Swift program has a name. */
#include "demangle/swift/swift.h"

enum entity_child { ENTITY_CONTEXT, ENTITY_NAME, ENTITY_LABELS, ENTITY_TYPE, ENTITY_CHILDREN };

struct node *swift_extension(struct swift *swift)
{
	struct node *signature = swift_pop_kind(swift, NODE_SIGNATURE);
	struct node *module = swift_pop_module(swift);
	struct node *type = swift_pop_nominal(swift);
	struct node *node = swift_node(swift, NODE_EXTENSION, 3);

	if (!module || !type || !node)
		return NULL;
	node->children[0] = module;
	node->children[1] = type;
	node->children[2] = signature;
	return node;
}

/* --- Labels -------------------------------------------------------------------------- */

static const struct node *inside_generic(const struct node *type)
{
	while (type && (type->kind == NODE_TYPE || type->kind == NODE_GENERIC_TYPE))
		type = type->children[type->kind == NODE_GENERIC_TYPE];
	return type;
}

static unsigned parameter_count(const struct node *function)
{
	const struct node *parameters = function->children[0]->children[0];

	return parameters->kind == NODE_TUPLE ? parameters->count : 1;
}

/* The labels of a function's parameters, one each; none at all when there are none. */
static bool pop_labels(struct swift *swift, const struct node *type, struct node **labels)
{
	const struct node *function = inside_generic(type);
	struct node *list;
	unsigned count;

	*labels = NULL;
	if (swift->old_labels || !function || function->kind != NODE_FUNCTION_TYPE)
		return true;
	if (swift_pop_kind(swift, NODE_EMPTY_LIST))
		return true;
	count = parameter_count(function);
	if (count == 0 || function->text.size > 0)
		return true;
	list = swift_node(swift, NODE_LABELS, count);
	for (unsigned i = count; list && i > 0; i--) {
		list->children[i - 1] = swift_pop(swift);
		if (!list->children[i - 1] || (list->children[i - 1]->kind != NODE_NAME &&
					       list->children[i - 1]->kind != NODE_FIRST))
			return false;
	}
	*labels = list;
	return list != NULL;
}

static struct node *entity(struct swift *swift, enum node_kind kind, struct node *name,
			   struct node *labels, struct node *type)
{
	struct node *node = swift_node(swift, kind, ENTITY_CHILDREN);
	struct node *context = swift_pop_context(swift);

	if (!node || !context)
		return NULL;
	node->children[ENTITY_CONTEXT] = context;
	node->children[ENTITY_NAME] = name;
	node->children[ENTITY_LABELS] = labels;
	node->children[ENTITY_TYPE] = type;
	return node;
}

struct node *swift_function(struct swift *swift)
{
	struct node *signature = swift_pop_kind(swift, NODE_SIGNATURE);
	struct node *type = swift_function_type(swift, ""), *labels, *name, *generic;

	if (!type || !pop_labels(swift, type, &labels))
		return NULL;
	if (signature) {
		generic = swift_node(swift, NODE_GENERIC_TYPE, 2);
		if (!generic)
			return NULL;
		generic->children[0] = signature;
		generic->children[1] = type;
		type = swift_type(swift, generic);
	}
	name = swift_pop_name(swift);
	return name && type ? entity(swift, NODE_FUNCTION, name, labels, type) : NULL;
}

/* --- Variables and subscripts -------------------------------------------------------- */

static const char *addressor(char letter, bool mutable)
{
	switch (letter) {
	case 'u':
		return mutable ? "unsafeMutableAddressor" : "unsafeAddressor";
	case 'O':
		return mutable ? "owningMutableAddressor" : "owningAddressor";
	case 'o':
		return mutable ? "nativeOwningMutableAddressor" : "nativeOwningAddressor";
	case 'p':
		return mutable ? "nativePinningMutableAddressor" : "nativePinningAddressor";
	default:
		return NULL;
	}
}

static const char *accessor_name(struct swift *swift)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {
		{ 'g', "getter" }, { 's', "setter" }, { 'G', "getter" }, { 'm', "materializeForSet" },
		{ 'w', "willset" }, { 'W', "didset" }, { 'r', "read" }, { 'M', "modify" },
		{ 'i', "init" },
	};
	char letter = swift_next(swift);

	if (letter == 'a' || letter == 'l')
		return addressor(swift_next(swift), letter == 'a');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].letter == letter)
			return names[i].name;
	return NULL;
}

static struct node *accessor(struct swift *swift, struct node *storage)
{
	struct node *node;
	const char *name;

	if (!storage || swift_next_if(swift, 'p'))
		return storage;
	name = accessor_name(swift);
	node = name ? swift_with(swift, NODE_ACCESSOR, storage) : NULL;
	if (node)
		node->text = text_of(name);
	return node;
}

struct node *swift_variable(struct swift *swift)
{
	struct node *type = swift_pop_type(swift), *labels, *name;

	if (!type || !pop_labels(swift, type, &labels))
		return NULL;
	name = swift_pop_name(swift);
	return name ? accessor(swift, entity(swift, NODE_VARIABLE, name, labels, type)) : NULL;
}

struct node *swift_subscript(struct swift *swift)
{
	struct node *private = swift_pop_kind(swift, NODE_PRIVATE_NAME);
	struct node *type = swift_pop_type(swift), *labels;

	if (!type || !pop_labels(swift, type, &labels))
		return NULL;
	return accessor(swift, entity(swift, NODE_SUBSCRIPT, private, labels, type));
}

struct node *swift_static(struct swift *swift)
{
	return swift_with(swift, NODE_STATIC, swift_pop_entity(swift));
}

/* --- Without a name of their own ----------------------------------------------------- */

static struct node *constructor(struct swift *swift, enum node_kind kind)
{
	struct node *private = swift_pop_kind(swift, NODE_PRIVATE_NAME);
	struct node *type = swift_pop_type(swift), *labels;

	if (!type || !pop_labels(swift, type, &labels))
		return NULL;
	return entity(swift, kind, private, labels, type);
}

static struct node *closure(struct swift *swift, const char *word)
{
	struct node *type, *node;
	uint32_t number;

	if (!swift_index(swift, &number))
		return NULL;
	type = swift_pop_type(swift);
	node = type ? entity(swift, NODE_CLOSURE, NULL, NULL, type) : NULL;
	if (!node)
		return NULL;
	node->text = text_of(word);
	node->number = number + 1;
	return node;
}

static struct node *special(struct swift *swift, enum node_kind kind, const char *word)
{
	struct node *node = entity(swift, kind, NULL, NULL, NULL);

	if (node)
		node->text = text_of(word);
	return node;
}

static struct node *default_argument(struct swift *swift)
{
	struct node *node;
	uint32_t number;

	if (!swift_index(swift, &number))
		return NULL;
	node = special(swift, NODE_INITIALIZER, "default argument ");
	if (node)
		node->second = number + 1;
	return node;
}

struct node *swift_function_entity(struct swift *swift)
{
	switch (swift_next(swift)) {
	case 'A':
		return default_argument(swift);
	case 'C':
		return constructor(swift, NODE_ALLOCATOR);
	case 'D':
		return special(swift, NODE_SPECIAL, "__deallocating_deinit");
	case 'E':
		return special(swift, NODE_SPECIAL, "__ivar_destroyer");
	case 'P':
		return special(swift, NODE_INITIALIZER, "property wrapper backing initializer");
	case 'U':
		return closure(swift, "closure #");
	case 'W':
		return special(swift, NODE_INITIALIZER,
			       "property wrapper init from projected value");
	case 'Z':
		return special(swift, NODE_SPECIAL, "__isolated_deallocating_deinit");
	case 'c':
		return constructor(swift, NODE_CONSTRUCTOR);
	case 'd':
		return special(swift, NODE_SPECIAL, "deinit");
	case 'e':
		return special(swift, NODE_SPECIAL, "__ivar_initializer");
	case 'i':
		return special(swift, NODE_INITIALIZER, "variable initialization expression");
	case 'u':
		return closure(swift, "implicit closure #");
	default:
		return NULL;
	}
}
