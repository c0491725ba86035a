/* swift.c -- Swift names: which operator each character is, and the way in. */
#include "demangle/swift/swift.h"

#define SWIFT_ARENA_BYTES  ((size_t)1 << 20)
#define SWIFT_NAME_BYTES   8192u   /* longer ones would not fit when they are readable */

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
