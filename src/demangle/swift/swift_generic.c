/* swift_generic.c -- generic parameters, what is required of them, and who conforms. */
#include "demangle/swift/swift.h"

/* --- Parameters ---------------------------------------------------------------------- */

struct node *swift_parameter(struct swift *swift)
{
	struct node *node = swift_node(swift, NODE_PARAMETER, 0);

	if (!node)
		return NULL;
	if (swift_next_if(swift, 'z'))
		return node;
	if (swift_next_if(swift, 's')) {
		node->text = TEXT("Self");
		return node;
	}
	if (swift_next_if(swift, 'd')) {
		if (!swift_index(swift, &node->number) || !swift_index(swift, &node->second))
			return NULL;
		node->number++;
		return node;
	}
	if (!swift_index(swift, &node->second))
		return NULL;
	node->second++;
	return node;
}

/* The name of an associated type, with its protocol where the name alone would not do. */
static struct node *associated_name(struct swift *swift)
{
	struct node *protocol = swift_pop_type(swift);
	struct node *name = swift_pop_kind(swift, NODE_NAME);
	struct node *node = swift_node(swift, NODE_ASSOCIATED, 2);

	if (!name || !node || (protocol && protocol->children[0]->kind != NODE_PROTOCOL))
		return NULL;
	node->children[0] = name;
	node->children[1] = protocol;
	return node;
}

static struct node *member(struct swift *swift, struct node *base, struct node *name)
{
	struct node *node = swift_node(swift, NODE_MEMBER, 2);

	if (!base || !name || !node)
		return NULL;
	node->children[0] = base;
	node->children[1] = name;
	return swift_type(swift, node);
}

enum base { BASE_STACK, BASE_INDEX, BASE_FIRST };

static struct node *base_type(struct swift *swift, enum base base)
{
	if (base == BASE_STACK)
		return swift_pop_type(swift);
	return swift_type(swift, base == BASE_INDEX ? swift_parameter(swift)
						    : swift_node(swift, NODE_PARAMETER, 0));
}

static struct node *simple_member(struct swift *swift, enum base base)
{
	struct node *name = associated_name(swift);

	return name ? swift_substitutable(swift, member(swift, base_type(swift, base), name))
		    : NULL;
}

static struct node *member_at_depth(struct swift *swift, enum base base)
{
	struct node *names = swift_pop_list(swift, associated_name);
	struct node *type = names && names->count > 0 ? base_type(swift, base) : NULL;

	for (unsigned i = 0; type && i < names->count; i++)
		type = member(swift, type, names->children[i]);
	return type ? swift_substitutable(swift, type) : NULL;
}

/* --- Opaque types, packs ------------------------------------------------------------- */

static struct node *opaque(struct swift *swift, bool indexed)
{
	struct node *node = swift_node(swift, NODE_OPAQUE, 0);

	if (!node || (indexed && !swift_index(swift, &node->number)))
		return NULL;
	return swift_type(swift, node);
}

static struct node *opaque_of(struct swift *swift)
{
	return swift_with(swift, NODE_OPAQUE_OF, swift_pop_entity(swift));
}

/* The opaque type of another declaration, with that one's arguments, which are not shown. */
static struct node *opaque_type(struct swift *swift)
{
	struct node *node;
	uint32_t number;

	if (!swift_index(swift, &number))
		return NULL;
	while (swift_pop_kind(swift, NODE_RETROACTIVE))
		;
	for (;;) {
		while (swift_pop_type(swift))
			;
		if (swift_pop_kind(swift, NODE_EMPTY_LIST))
			break;
		if (!swift_pop_kind(swift, NODE_FIRST))
			return NULL;
	}
	node = swift_pop_kind(swift, NODE_OPAQUE_OF);
	if (node) {
		node = swift_with(swift, NODE_OPAQUE_OF, node->children[0]);
		if (node)
			node->number = number + 1;
	}
	return swift_substitutable(swift, swift_type(swift, node));
}

static struct node *pack_type(struct swift *swift)
{
	struct node *list = swift_pop_list(swift, swift_pop_type);

	if (list)
		list->kind = NODE_PACK;
	return swift_type(swift, list);
}

static struct node *pack_expansion(struct swift *swift)
{
	struct node *count = swift_pop_type(swift);
	struct node *pattern = swift_pop_type(swift);

	return count ? swift_type(swift, swift_with(swift, NODE_PACK_EXPANSION, pattern)) : NULL;
}

static struct node *associated_of_type(struct swift *swift)
{
	struct node *name = swift_pop_kind(swift, NODE_NAME);
	struct node *protocol = swift_pop_protocol(swift);
	struct node *node = swift_node(swift, NODE_ASSOCIATED_OF, 2);

	if (!name || !protocol || !node)
		return NULL;
	node->children[0] = protocol;
	node->children[1] = name;
	return swift_substitutable(swift, swift_type(swift, node));
}

struct node *swift_archetype(struct swift *swift)
{
	switch (swift_next(swift)) {
	case 'O':
		return opaque_of(swift);
	case 'P':
		return pack_type(swift);
	case 'R':
		return opaque(swift, true);
	case 'X':
		return member_at_depth(swift, BASE_STACK);
	case 'Y':
		return member_at_depth(swift, BASE_INDEX);
	case 'Z':
		return member_at_depth(swift, BASE_FIRST);
	case 'a':
		return associated_of_type(swift);
	case 'o':
		return opaque_type(swift);
	case 'p':
		return pack_expansion(swift);
	case 'r':
		return opaque(swift, false);
	case 'x':
		return simple_member(swift, BASE_STACK);
	case 'y':
		return simple_member(swift, BASE_INDEX);
	case 'z':
		return simple_member(swift, BASE_FIRST);
	default:
		return NULL;
	}
}

/* --- Signatures ---------------------------------------------------------------------- */

#define SIGNATURE_DEPTHS 64u

/* How many parameters there are at each depth; what is required of them is not shown. */
struct node *swift_signature(struct swift *swift, bool with_counts)
{
	uint32_t counts[SIGNATURE_DEPTHS] = { 1 };
	unsigned depths = with_counts ? 0 : 1;
	struct node *node;

	while (with_counts && !swift_next_if(swift, 'l')) {
		if (depths == SIGNATURE_DEPTHS)
			return NULL;
		counts[depths] = 0;
		if (!swift_next_if(swift, 'z')) {
			if (!swift_index(swift, &counts[depths]))
				return NULL;
			counts[depths]++;
		}
		depths++;
	}
	while (swift_pop_kind(swift, NODE_REQUIREMENT))
		;
	node = swift_node(swift, NODE_SIGNATURE, depths);
	for (unsigned i = 0; node && i < depths; i++) {
		node->children[i] = swift_node(swift, NODE_COUNT, 0);
		if (!node->children[i])
			return NULL;
		node->children[i]->number = counts[i];
	}
	return node;
}

static bool layout(struct swift *swift)
{
	uint32_t number;
	char letter = swift_next(swift);

	if (letter == '\0')
		return false;
	if (memchr("URNCDTBS", letter, 8))
		return true;
	if (letter == 'E' || letter == 'M')
		return swift_index(swift, &number) && swift_index(swift, &number);
	return (letter == 'e' || letter == 'm') && swift_index(swift, &number);
}

enum generic_subject { SUBJECT_PARAMETER, SUBJECT_MEMBER, SUBJECT_DEPTH, SUBJECT_STACK };
enum demand { DEMAND_PROTOCOL, DEMAND_TYPE, DEMAND_LAYOUT, DEMAND_NONE };

static const struct requirement {
	char letter;
	enum generic_subject subject;
	enum demand demand;
} requirements[] = {
	{ 'B', SUBJECT_STACK, DEMAND_TYPE }, { 'b', SUBJECT_PARAMETER, DEMAND_TYPE },
	{ 'C', SUBJECT_DEPTH, DEMAND_TYPE }, { 'c', SUBJECT_MEMBER, DEMAND_TYPE },
	{ 'S', SUBJECT_STACK, DEMAND_TYPE }, { 's', SUBJECT_PARAMETER, DEMAND_TYPE },
	{ 'T', SUBJECT_DEPTH, DEMAND_TYPE }, { 't', SUBJECT_MEMBER, DEMAND_TYPE },
	{ 'h', SUBJECT_PARAMETER, DEMAND_TYPE }, { 'v', SUBJECT_PARAMETER, DEMAND_NONE },
	{ 'L', SUBJECT_STACK, DEMAND_LAYOUT }, { 'l', SUBJECT_PARAMETER, DEMAND_LAYOUT },
	{ 'M', SUBJECT_DEPTH, DEMAND_LAYOUT }, { 'm', SUBJECT_MEMBER, DEMAND_LAYOUT },
	{ 'P', SUBJECT_DEPTH, DEMAND_PROTOCOL }, { 'p', SUBJECT_MEMBER, DEMAND_PROTOCOL },
	{ 'Q', SUBJECT_STACK, DEMAND_PROTOCOL },
};

/* "Ri_", "Rj_", "RJ_", "RI_": not copyable and the like, by number. */
static bool inverse(struct swift *swift, char letter)
{
	uint32_t number;

	if (!swift_index(swift, &number))
		return false;
	if (letter == 'i')
		return swift_parameter(swift) != NULL;
	if (letter == 'I')
		return swift_pop_type(swift) != NULL;
	return letter == 'j' ? simple_member(swift, BASE_INDEX) != NULL
			     : member_at_depth(swift, BASE_INDEX) != NULL;
}

static bool subject(struct swift *swift, enum generic_subject subject)
{
	switch (subject) {
	case SUBJECT_PARAMETER:
		return swift_parameter(swift) != NULL;
	case SUBJECT_MEMBER:
		return simple_member(swift, BASE_INDEX) != NULL;
	case SUBJECT_DEPTH:
		return member_at_depth(swift, BASE_INDEX) != NULL;
	default:
		return swift_pop_type(swift) != NULL;
	}
}

static bool demand(struct swift *swift, enum demand demand)
{
	switch (demand) {
	case DEMAND_PROTOCOL:
		return swift_pop_protocol(swift) != NULL;
	case DEMAND_TYPE:
		return swift_pop_type(swift) != NULL;
	case DEMAND_LAYOUT:
		return layout(swift);
	default:
		return true;
	}
}

struct node *swift_requirement(struct swift *swift)
{
	struct requirement found = { '\0', SUBJECT_PARAMETER, DEMAND_PROTOCOL };
	char letter = swift_peek(swift);

	if (letter != '\0' && memchr("iIjJ", letter, 4)) {
		swift_next(swift);
		return inverse(swift, letter) ? swift_node(swift, NODE_REQUIREMENT, 0) : NULL;
	}
	for (size_t i = 0; i < sizeof(requirements) / sizeof(requirements[0]); i++)
		if (requirements[i].letter == letter)
			found = requirements[i];
	if (found.letter != '\0')
		swift_next(swift);
	if (!subject(swift, found.subject) || !demand(swift, found.demand))
		return NULL;
	return swift_node(swift, NODE_REQUIREMENT, 0);
}

struct node *swift_generic_type(struct swift *swift)
{
	struct node *signature = swift_pop_kind(swift, NODE_SIGNATURE);
	struct node *type = swift_pop_type(swift);
	struct node *node = swift_node(swift, NODE_GENERIC_TYPE, 2);

	if (!signature || !type || !node)
		return NULL;
	node->children[0] = signature;
	node->children[1] = type;
	return swift_type(swift, node);
}

/* --- Conformances -------------------------------------------------------------------- */

/* A type, the protocol it conforms to and the module that says so: only the type is shown. */
struct node *swift_pop_conformance(struct swift *swift)
{
	struct node *signature = swift_pop_kind(swift, NODE_SIGNATURE);
	struct node *module = swift_pop_module(swift);
	struct node *protocol = swift_pop_protocol(swift);
	struct node *type = swift_pop_type(swift), *generic;

	if (!module || !protocol || !type)
		return NULL;
	if (signature) {
		generic = swift_node(swift, NODE_GENERIC_TYPE, 2);
		if (!generic)
			return NULL;
		generic->children[0] = signature;
		generic->children[1] = type;
		type = swift_type(swift, generic);
	}
	return swift_with(swift, NODE_CONFORMANCE, type);
}

static struct node *any_conformance(struct swift *swift)
{
	return swift_pop_kind(swift, NODE_ANY_CONFORMANCE);
}

/* What names the protocol of a conformance: "HP", "Hp", or a protocol and a module. */
static bool pop_conformance_reference(struct swift *swift)
{
	struct node *module = swift_pop_module(swift);

	if (module)
		return swift_pop_protocol(swift) != NULL;
	return swift_pop_kind(swift, NODE_HIDDEN) != NULL;
}

static bool pop_concrete(struct swift *swift)
{
	return swift_pop_list(swift, any_conformance) && pop_conformance_reference(swift) &&
	       swift_pop_type(swift);
}

static bool pop_dependent(struct swift *swift, char letter)
{
	uint32_t number;

	if (!swift_index(swift, &number))
		return false;
	switch (letter) {
	case 'A':                /* of an associated type of another's */
		return swift_pop_protocol(swift) && swift_pop_type(swift) &&
		       any_conformance(swift);
	case 'D':                /* of a parameter */
		return swift_pop_protocol(swift) && swift_pop_type(swift);
	default:                 /* inherited */
		return swift_pop_protocol(swift) && any_conformance(swift);
	}
}

struct node *swift_conformance_operator(struct swift *swift)
{
	char letter = swift_next(swift);
	bool done = false;

	switch (letter) {
	case 'P':
	case 'p':
		return swift_pop_protocol(swift) ? swift_node(swift, NODE_HIDDEN, 0) : NULL;
	case 'C':
		done = pop_concrete(swift);
		break;
	case 'A':
	case 'D':
	case 'I':
		done = pop_dependent(swift, letter);
		break;
	case 'X':
		done = swift_pop_list(swift, any_conformance) != NULL;
		break;
	default:
		break;
	}
	return done ? swift_node(swift, NODE_ANY_CONFORMANCE, 0) : NULL;
}

struct node *swift_retroactive(struct swift *swift)
{
	uint32_t number;

	return swift_index(swift, &number) && any_conformance(swift) ?
	       swift_node(swift, NODE_RETROACTIVE, 0) : NULL;
}
