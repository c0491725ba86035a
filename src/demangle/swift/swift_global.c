/* swift_global.c -- what compilers make of entities: thunks, specialisations, metadata. */
#include "demangle/swift/swift.h"

/* A letter, the words before what it is of, and what that is. */
enum swift_operand { OPERAND_TYPE, OPERAND_ENTITY, OPERAND_PROTOCOL, OPERAND_CONFORMANCE,
	       OPERAND_NONE };

struct wording {
	char letter;
	enum swift_operand operand;
	const char *words;
};

static struct node *operand(struct swift *swift, enum swift_operand operand)
{
	switch (operand) {
	case OPERAND_TYPE:
		return swift_pop_type(swift);
	case OPERAND_ENTITY:
		return swift_pop_entity(swift);
	case OPERAND_PROTOCOL:
		return swift_pop_protocol(swift);
	default:
		return swift_pop_conformance(swift);
	}
}

static struct node *of(struct swift *swift, const char *words, struct node *child)
{
	struct node *node = swift_with(swift, NODE_OF, child);

	if (node)
		node->text = text_of(words);
	return node;
}

static struct node *worded(struct swift *swift, const struct wording *list, size_t count,
			   char letter)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].letter != letter)
			continue;
		if (list[i].operand == OPERAND_NONE)
			return swift_text_node(swift, NODE_ATTRIBUTE, list[i].words);
		return of(swift, list[i].words, operand(swift, list[i].operand));
	}
	return NULL;
}

#define WORDED(swift, list, letter) \
	worded(swift, list, sizeof(list) / sizeof((list)[0]), letter)

/* --- Metadata ------------------------------------------------------------------------ */

struct node *swift_metadata(struct swift *swift)
{
	static const struct wording list[] = {
		{ 'A', OPERAND_CONFORMANCE, "reflection metadata associated type descriptor " },
		{ 'B', OPERAND_TYPE, "reflection metadata builtin descriptor " },
		{ 'C', OPERAND_TYPE, "reflection metadata superclass descriptor " },
		{ 'D', OPERAND_TYPE, "demangling cache variable for type metadata for " },
		{ 'F', OPERAND_TYPE, "reflection metadata field descriptor " },
		{ 'I', OPERAND_TYPE, "type metadata instantiation cache for " },
		{ 'L', OPERAND_TYPE, "lazy cache variable for type metadata for " },
		{ 'P', OPERAND_TYPE, "generic type metadata pattern for " },
		{ 'S', OPERAND_PROTOCOL, "protocol self-conformance descriptor for " },
		{ 'U', OPERAND_TYPE, "ObjC metadata update function for " },
		{ 'V', OPERAND_ENTITY, "property descriptor for " },
		{ 'a', OPERAND_TYPE, "type metadata accessor for " },
		{ 'c', OPERAND_CONFORMANCE, "protocol conformance descriptor for " },
		{ 'f', OPERAND_TYPE, "full type metadata for " },
		{ 'i', OPERAND_TYPE, "type metadata instantiation function for " },
		{ 'l', OPERAND_TYPE, "type metadata singleton initialization cache for " },
		{ 'm', OPERAND_TYPE, "metaclass for " },
		{ 'n', OPERAND_TYPE, "nominal type descriptor for " },
		{ 'o', OPERAND_TYPE, "class metadata base offset for " },
		{ 'p', OPERAND_PROTOCOL, "protocol descriptor for " },
		{ 'r', OPERAND_TYPE, "type metadata completion function for " },
		{ 's', OPERAND_TYPE, "ObjC resilient class stub for " },
		{ 't', OPERAND_TYPE, "full ObjC resilient class stub for " },
		{ 'u', OPERAND_TYPE, "method lookup function for " },
	};

	return WORDED(swift, list, swift_next(swift));
}

struct node *swift_type_metadata(struct swift *swift)
{
	return of(swift, "type metadata for ", swift_pop_type(swift));
}

struct node *swift_type_mangling(struct swift *swift)
{
	return of(swift, "", swift_pop_type(swift));
}

/* --- Witnesses, outlined code --------------------------------------------------------- */

struct node *swift_value_witness(struct swift *swift)
{
	static const struct {
		char code[3];
		const char *words;
	} list[] = {
		{ "al", "allocateBuffer for " }, { "ca", "assignWithCopy for " },
		{ "ta", "assignWithTake for " }, { "de", "deallocateBuffer for " },
		{ "xx", "destroy for " }, { "XX", "destroyBuffer for " },
		{ "Xx", "destroyArray for " }, { "CP", "initializeBufferWithCopyOfBuffer for " },
		{ "Cp", "initializeBufferWithCopy for " }, { "cp", "initializeWithCopy for " },
		{ "TK", "initializeBufferWithTakeOfBuffer for " },
		{ "Tk", "initializeBufferWithTake for " }, { "tk", "initializeWithTake for " },
		{ "pr", "projectBuffer for " }, { "xs", "storeExtraInhabitant for " },
		{ "xg", "getExtraInhabitantIndex for " },
		{ "Cc", "initializeArrayWithCopy for " },
		{ "Tt", "initializeArrayWithTakeFrontToBack for " },
		{ "tT", "initializeArrayWithTakeBackToFront for " },
		{ "ug", "getEnumTag for " }, { "up", "destructiveProjectEnumData for " },
		{ "ui", "destructiveInjectEnumTag for " }, { "et", "getEnumTagSinglePayload for " },
		{ "st", "storeEnumTagSinglePayload for " },
	};
	char first = swift_next(swift), second = swift_next(swift);

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (list[i].code[0] == first && list[i].code[1] == second)
			return of(swift, list[i].words, swift_pop_type(swift));
	return NULL;
}

static struct node *outlined(struct swift *swift)
{
	static const struct wording list[] = {
		{ 'B', OPERAND_TYPE, "outlined init with take of " },
		{ 'C', OPERAND_TYPE, "outlined init with copy of " },
		{ 'D', OPERAND_TYPE, "outlined assign with take of " },
		{ 'F', OPERAND_TYPE, "outlined assign with copy of " },
		{ 'H', OPERAND_TYPE, "outlined destroy of " },
		{ 'b', OPERAND_TYPE, "outlined init with take of " },
		{ 'c', OPERAND_TYPE, "outlined init with copy of " },
		{ 'd', OPERAND_TYPE, "outlined assign with take of " },
		{ 'e', OPERAND_TYPE, "outlined consume of " },
		{ 'f', OPERAND_TYPE, "outlined assign with copy of " },
		{ 'h', OPERAND_TYPE, "outlined destroy of " },
		{ 'r', OPERAND_TYPE, "outlined retain of " },
		{ 's', OPERAND_TYPE, "outlined release of " },
		{ 'y', OPERAND_TYPE, "outlined copy of " },
	};
	struct node *signature = swift_pop_kind(swift, NODE_SIGNATURE);
	struct node *node = WORDED(swift, list, swift_next(swift)), *pair;

	if (!signature || !node)
		return node;
	pair = swift_node(swift, NODE_PAIR, 2);
	if (!pair)
		return NULL;
	pair->children[0] = node;
	pair->children[1] = signature;
	return pair;
}

static struct node *pair(struct swift *swift, const char *before, struct node *first,
			 const char *between, struct node *second)
{
	struct node *node = swift_node(swift, NODE_PAIR, 2);
	struct node *right = of(swift, between, second), *left = of(swift, before, first);

	if (!node || !left || !right)
		return NULL;
	node->children[0] = left;
	node->children[1] = right;
	return node;
}

static struct node *lazy_table(struct swift *swift, const char *before)
{
	struct node *conformance = swift_pop_conformance(swift);

	return pair(swift, before, swift_pop_type(swift), " and conformance ", conformance);
}

/* The names of the variables of one initialiser; their context is not shown. */
static struct node *once(struct swift *swift, const char *words)
{
	struct node *list = swift_node(swift, NODE_ONCE, 0);
	struct node *names[SWIFT_WORDS];
	unsigned count = 0;

	while (swift_pop_kind(swift, NODE_FIRST)) {
		if (count == SWIFT_WORDS)
			return NULL;
		names[count] = swift_pop_name(swift);
		if (!names[count++])
			return NULL;
	}
	if (!list || count == 0 || !swift_pop_context(swift))
		return NULL;
	list = swift_node(swift, NODE_ONCE, count);
	for (unsigned i = 0; list && i < count; i++)
		list->children[i] = names[count - 1 - i];
	return of(swift, words, list);
}

struct node *swift_witness(struct swift *swift)
{
	static const struct wording list[] = {
		{ 'C', OPERAND_ENTITY, "enum case for " },
		{ 'G', OPERAND_CONFORMANCE, "generic protocol witness table for " },
		{ 'I', OPERAND_CONFORMANCE,
		  "instantiation function for generic protocol witness table for " },
		{ 'P', OPERAND_CONFORMANCE, "protocol witness table for " },
		{ 'S', OPERAND_PROTOCOL, "protocol self-conformance witness table for " },
		{ 'V', OPERAND_TYPE, "value witness table for " },
		{ 'a', OPERAND_CONFORMANCE, "protocol witness table accessor for " },
		{ 'p', OPERAND_CONFORMANCE, "protocol witness table pattern for " },
		{ 'r', OPERAND_CONFORMANCE, "resilient protocol witness table for " },
	};
	char letter = swift_next(swift);

	switch (letter) {
	case 'L':
		return lazy_table(swift,
				  "lazy protocol witness table cache variable for type ");
	case 'O':
		return outlined(swift);
	case 'Z':
		return once(swift, "one-time initialization function for ");
	case 'l':
		return lazy_table(swift, "lazy protocol witness table accessor for type ");
	case 'v':
		letter = swift_next(swift);
		return letter == 'd' ? of(swift, "direct field offset for ",
					  swift_pop_entity(swift)) :
		       letter == 'i' ? of(swift, "indirect field offset for ",
					  swift_pop_entity(swift)) : NULL;
	case 'z':
		return once(swift, "one-time initialization token for ");
	default:
		return WORDED(swift, list, letter);
	}
}

/* --- Specialisations ----------------------------------------------------------------- */

/* How one was made: whether it may be inlined elsewhere, which pass made it. */
static bool specialization_info(struct swift *swift)
{
	swift_next_if(swift, 'm');
	swift_next_if(swift, 'q');
	if (!swift_next_if(swift, 'a'))
		swift_next_if(swift, 'r');
	return ascii_is_digit(swift_next(swift));
}

static struct node *specialized(struct swift *swift)
{
	return swift_node(swift, NODE_SPECIALIZED, 0);
}

static struct node *generic_specialization(struct swift *swift)
{
	return specialization_info(swift) && swift_pop_list(swift, swift_pop_type) ?
	       specialized(swift) : NULL;
}

static struct node *dropping_specialization(struct swift *swift)
{
	uint32_t number;

	do {
		if (ascii_is_digit(swift_peek(swift)) && !swift_natural(swift, &number))
			return NULL;
	} while (swift_next_if(swift, 't'));
	switch (swift_next(swift)) {
	case 'B':
	case 'G':
	case 'g':
		return generic_specialization(swift);
	default:
		return NULL;
	}
}

static struct node *partial_specialization(struct swift *swift)
{
	return specialization_info(swift) && swift_pop_type(swift) ? specialized(swift) : NULL;
}

enum consumed { CONSUMES_NOTHING, CONSUMES_NAME, CONSUMES_CLOSURE, CONSUMES_KEY_PATH };

static bool constant_argument(struct swift *swift, enum consumed *consumed)
{
	char letter = swift_next(swift);
	uint32_t digits = 0;

	switch (letter) {
	case 'f':
	case 'g':
		*consumed = CONSUMES_NAME;
		return true;
	case 'i':
	case 'd':
		while (ascii_is_digit(swift_peek(swift)) && digits < 32) {
			swift_next(swift);
			digits++;
		}
		return digits > 0;
	case 's':
		*consumed = CONSUMES_NAME;
		letter = swift_next(swift);
		return letter == 'b' || letter == 'w' || letter == 'c';
	case 'k':
		*consumed = CONSUMES_KEY_PATH;
		return true;
	default:
		return false;
	}
}

static bool specialized_argument(struct swift *swift, enum consumed *consumed)
{
	uint32_t number;

	*consumed = CONSUMES_NOTHING;
	switch (swift_next(swift)) {
	case 'n':
	case 'i':
	case 'r':
	case 's':
	case 'x':
		return true;
	case 'c':
	case 'E':
		*consumed = CONSUMES_CLOSURE;
		return true;
	case 'C':
		return swift_natural(swift, &number);
	case 'p':
		return constant_argument(swift, consumed);
	case 'e':
		swift_next_if(swift, 'D');
		/* fall through */
	case 'd':
		if (!swift_next_if(swift, 'G'))
			swift_next_if(swift, 'O');
		/* fall through */
	case 'g':
	case 'o':
		swift_next_if(swift, 'X');
		return true;
	default:
		return false;
	}
}

static bool consume(struct swift *swift, enum consumed consumed)
{
	if (consumed == CONSUMES_NOTHING)
		return true;
	if (consumed == CONSUMES_CLOSURE)
		while (swift_pop_type(swift))
			;
	if (consumed == CONSUMES_KEY_PATH && (!swift_pop_type(swift) || !swift_pop_type(swift)))
		return false;
	return swift_pop_kind(swift, NODE_NAME) != NULL;
}

#define SPECIALIZED_ARGUMENTS 256u

static struct node *signature_specialization(struct swift *swift)
{
	enum consumed consumed[SPECIALIZED_ARGUMENTS];
	unsigned count = 0;

	if (!specialization_info(swift))
		return NULL;
	while (!swift_next_if(swift, '_')) {
		if (count == SPECIALIZED_ARGUMENTS ||
		    !specialized_argument(swift, &consumed[count]))
			return NULL;
		count++;
	}
	if (count == SPECIALIZED_ARGUMENTS || !specialized_argument(swift, &consumed[count]))
		return NULL;
	for (unsigned i = count + 1; i > 0; i--)
		if (!consume(swift, consumed[i - 1]))
			return NULL;
	return specialized(swift);
}

/* --- Thunks -------------------------------------------------------------------------- */

/* The type before is shown, not the one it is made into. */
static struct node *reabstraction(struct swift *swift, bool with_self)
{
	struct node *from;

	swift_pop_kind(swift, NODE_SIGNATURE);
	if (with_self && !swift_pop_type(swift))
		return NULL;
	if (!swift_pop_type(swift))
		return NULL;
	from = swift_pop_type(swift);
	return of(swift, "thunk for ", from);
}

static struct node *protocol_witness(struct swift *swift)
{
	struct node *entity = swift_pop_entity(swift);

	return entity ? pair(swift, "protocol witness for ", entity, " in conformance ",
			     swift_pop_conformance(swift)) : NULL;
}

static struct node *vtable_thunk(struct swift *swift)
{
	struct node *base = swift_pop_entity(swift);

	return base ? pair(swift, "vtable thunk for ", base, " dispatching to ",
			   swift_pop_entity(swift)) : NULL;
}

static struct node *numbered(struct swift *swift)
{
	struct node *node;
	uint32_t number;

	if (!swift_index(swift, &number))
		return NULL;
	node = swift_text_node(swift, NODE_ATTRIBUTE, swift_next_if(swift, 'r') ?
			       "outlined read-only object #" : "outlined variable #");
	if (node)
		node->number = number + 1;
	return node;
}

static struct node *bridged(struct swift *swift)
{
	size_t from = swift->at;
	struct node *node;

	if (swift_peek(swift) == '\0' || !memchr("map", swift_next(swift), 3))
		return NULL;
	while (swift_peek(swift) != '\0' && memchr("nbg", swift_peek(swift), 3))
		swift_next(swift);
	node = swift_text_node(swift, NODE_ATTRIBUTE, "outlined bridged method (");
	if (!node || !swift_next_if(swift, '_'))
		return NULL;
	node->children = arena_alloc(&swift->arena, 1, sizeof(struct node *));
	if (!node->children)
		return NULL;
	node->children[0] = swift_node(swift, NODE_NAME, 0);
	if (!node->children[0])
		return NULL;
	node->count = 1;
	node->children[0]->text = (struct text){ swift->name + from, swift->at - from - 1 };
	return node;
}

static struct node *resumed(struct swift *swift)
{
	uint32_t number;

	return swift_index(swift, &number) ? swift_text_node(swift, NODE_ATTRIBUTE, "") : NULL;
}

static struct node *key_path(struct swift *swift, const char *words)
{
	struct node *type = NULL, *next, *entity;

	swift_next_if(swift, 'q');
	while ((next = swift_pop_type(swift)) != NULL) {
		if (type)
			return NULL;     /* with indices: not understood */
		type = next;
	}
	swift_pop_kind(swift, NODE_SIGNATURE);
	entity = swift_pop_entity(swift);
	return type && entity ? pair(swift, words, entity, " : ", type) : NULL;
}

static struct node *wide_thunk(struct swift *swift)
{
	static const struct wording list[] = {
		{ 'B', OPERAND_NONE, "" }, { 'b', OPERAND_NONE, "" },    /* back deployment */
		{ 'S', OPERAND_NONE, "#_hasSymbol query for " },
	};

	return WORDED(swift, list, swift_next(swift));
}

/* Without words: Symbolicator shows what they lead to alone. */
static struct node *plain_thunk(struct swift *swift, char letter)
{
	static const struct wording list[] = {
		{ 'D', OPERAND_NONE, "dynamic " }, { 'E', OPERAND_NONE, "" },
		{ 'F', OPERAND_NONE, "" }, { 'I', OPERAND_NONE, "" },
		{ 'O', OPERAND_NONE, "@nonobjc " },
		{ 'S', OPERAND_ENTITY, "protocol self-conformance witness for " },
		{ 'X', OPERAND_NONE, "" },
		{ 'c', OPERAND_ENTITY, "curry thunk of " }, { 'd', OPERAND_NONE, "super " },
		{ 'j', OPERAND_ENTITY, "dispatch thunk of " }, { 'm', OPERAND_NONE, "" },
		{ 'o', OPERAND_NONE, "@objc " },
		{ 'q', OPERAND_ENTITY, "method descriptor for " },
		{ 'u', OPERAND_NONE, "async function pointer to " },
		{ 'x', OPERAND_NONE, "" },
		{ 'L', OPERAND_PROTOCOL, "protocol requirements base descriptor for " },
	};
	struct node *node = WORDED(swift, list, letter);

	if (node && letter == 'c')
		node->kind = NODE_CURRY;
	return node;
}

static struct node *specialization(struct swift *swift, char letter)
{
	switch (letter) {
	case 'B':
	case 'G':
	case 'g':
	case 'i':
	case 's':
		return generic_specialization(swift);
	case 'P':
	case 'p':
		return partial_specialization(swift);
	case 'f':
		return signature_specialization(swift);
	default:
		return dropping_specialization(swift);
	}
}

struct node *swift_thunk(struct swift *swift)
{
	char letter = swift_next(swift);

	if (letter != '\0' && memchr("BGgisPpft", letter, 9))
		return specialization(swift, letter);
	switch (letter) {
	case 'A':
	case 'a':
		return swift_text_node(swift, NODE_PARTIAL_APPLY, "partial apply for ");
	case 'K':
		return key_path(swift, "key path getter for ");
	case 'Q':
	case 'Y':
		return resumed(swift);
	case 'R':
	case 'r':
		return reabstraction(swift, false);
	case 'V':
		return vtable_thunk(swift);
	case 'W':
		return protocol_witness(swift);
	case 'e':
		return bridged(swift);
	case 'k':
		return key_path(swift, "key path setter for ");
	case 'v':
		return numbered(swift);
	case 'w':
		return wide_thunk(swift);
	case 'y':
		return reabstraction(swift, true);
	default:
		return plain_thunk(swift, letter);
	}
}
