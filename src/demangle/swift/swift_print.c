/*
 * swift_print.c -- the tree of a Swift name as words: no modules, no results, no effects, the
 * way debuggers and Symbolicator show it.
 *
 * A context that cannot stand before a dot (a function, a closure) follows behind "in".
 */
#include <stdio.h>

#include "demangle/swift/swift.h"

#define PRINT_DEPTH      128u
#define PRINT_STEPS      50000u    /* shared nodes make the tree larger than the name */
#define PARAMETERS_SHOWN 128u

struct printer {
	struct printing *printing;
	unsigned depth, steps;
	bool specialized;        /* said already */
	bool failed;
};

static void print(struct printer *printer, const struct node *node);

/* Prints a context before a dot; returns the part of it that has to follow behind. */
static const struct node *print_prefix(struct printer *printer, const struct node *node);

static void put(struct printer *printer, const char *bytes, size_t size)
{
	if (size > 0 && !printer->failed && !printing_add(printer->printing, bytes, size))
		printer->failed = true;
}

static void say(struct printer *printer, const char *words)
{
	put(printer, words, strlen(words));
}

static void say_text(struct printer *printer, struct text text)
{
	put(printer, text.bytes, text.size);
}

static void say_number(struct printer *printer, unsigned number)
{
	char digits[16];
	int size = snprintf(digits, sizeof(digits), "%u", number);

	put(printer, digits, (size_t)size);
}

static void print_list(struct printer *printer, const struct node *list, const char *between)
{
	for (unsigned i = 0; i < list->count && !printer->failed; i++) {
		if (i > 0)
			say(printer, between);
		print(printer, list->children[i]);
	}
}

static const struct node *inside(const struct node *type)
{
	while (type->kind == NODE_TYPE)
		type = type->children[0];
	return type;
}

/* --- Generics ------------------------------------------------------------------------ */

static void print_parameter(struct printer *printer, uint32_t depth, uint32_t index)
{
	char letter;

	do {
		letter = (char)('A' + index % 26);
		put(printer, &letter, 1);
		index /= 26;
	} while (index > 0);
	if (depth > 0)
		say_number(printer, depth);
}

static void print_signature(struct printer *printer, const struct node *node)
{
	say(printer, "<");
	for (unsigned depth = 0; depth < node->count; depth++) {
		uint32_t count = node->children[depth]->number;

		if (depth > 0)
			say(printer, "><");
		for (uint32_t i = 0; i < count && !printer->failed; i++) {
			if (i > 0)
				say(printer, ", ");
			if (i >= PARAMETERS_SHOWN) {
				say(printer, "...");
				break;
			}
			print_parameter(printer, depth, i);
		}
	}
	say(printer, ">");
}

/* --- Types --------------------------------------------------------------------------- */

/* Whether something can be put behind it ("?", ".Type") without brackets. */
static bool is_simple(const struct node *type)
{
	type = inside(type);
	switch (type->kind) {
	case NODE_FUNCTION_TYPE:
	case NODE_QUALIFIED:
	case NODE_GENERIC_TYPE:
	case NODE_OPAQUE:
	case NODE_PACK_EXPANSION:
		return false;
	case NODE_PROTOCOLS:
		return type->children[0]->count + (type->children[1] != NULL) +
		       type->number <= 1;
	default:
		return true;
	}
}

static void print_simple(struct printer *printer, const struct node *type)
{
	bool simple = is_simple(type);

	if (!simple)
		say(printer, "(");
	print(printer, type);
	if (!simple)
		say(printer, ")");
}

static bool is_standard(const struct node *nominal, const char *name)
{
	return nominal->count == 2 && nominal->children[0]->kind == NODE_MODULE &&
	       text_is(nominal->children[0]->text, "Swift") &&
	       nominal->children[1]->kind == NODE_NAME && text_is(nominal->children[1]->text, name);
}

static void print_bound(struct printer *printer, const struct node *node)
{
	const struct node *nominal = inside(node->children[0]), *list = node->children[1];

	if (list->count == 1 && is_standard(nominal, "Optional")) {
		print_simple(printer, list->children[0]);
		say(printer, "?");
	} else if (list->count == 1 && is_standard(nominal, "Array")) {
		say(printer, "[");
		print(printer, list->children[0]);
		say(printer, "]");
	} else if (list->count == 2 && is_standard(nominal, "Dictionary")) {
		say(printer, "[");
		print_list(printer, list, " : ");
		say(printer, "]");
	} else {
		print(printer, nominal);
		say(printer, "<");
		print_list(printer, list, ", ");
		say(printer, ">");
	}
}

static void print_element(struct printer *printer, const struct node *node)
{
	if (node->text.size > 0) {
		say_text(printer, node->text);
		say(printer, ": ");
	}
	print(printer, node->children[0]);
	if (node->number)
		say(printer, "...");
}

static void print_tuple(struct printer *printer, const struct node *node)
{
	say(printer, "(");
	print_list(printer, node, ", ");
	say(printer, ")");
}

static bool any_label(const struct node *tuple)
{
	for (unsigned i = 0; i < tuple->count; i++)
		if (tuple->children[i]->text.size > 0)
			return true;
	return false;
}

/* `labels` are of the declaration; names a tuple has itself are the old way to give them. */
static void print_parameters(struct printer *printer, const struct node *labels,
			     const struct node *type, bool declared)
{
	const struct node *tuple = inside(type);
	bool own;

	if (tuple->kind != NODE_TUPLE) {
		say(printer, "(");
		if (labels && labels->count == 1 && labels->children[0]->kind == NODE_NAME) {
			say_text(printer, labels->children[0]->text);
			say(printer, ": ");
		}
		print(printer, type);
		say(printer, ")");
		return;
	}
	own = declared && !labels && any_label(tuple);
	say(printer, "(");
	for (unsigned i = 0; i < tuple->count && !printer->failed; i++) {
		if (i > 0)
			say(printer, ", ");
		if (own && tuple->children[i]->text.size == 0)
			say(printer, "_: ");
		if (labels && i < labels->count) {
			if (labels->children[i]->kind == NODE_NAME)
				say_text(printer, labels->children[i]->text);
			else
				say(printer, "_");
			say(printer, ": ");
		}
		print(printer, tuple->children[i]);
	}
	say(printer, ")");
}

static void print_function_type(struct printer *printer, const struct node *labels,
				const struct node *node, bool declared)
{
	say_text(printer, node->text);
	print_parameters(printer, labels, node->children[0], declared);
}

static void print_protocols(struct printer *printer, const struct node *node)
{
	const struct node *list = node->children[0];

	if (node->children[1]) {
		print(printer, node->children[1]);
		if (list->count > 0)
			say(printer, " & ");
	} else if (list->count == 0) {
		say(printer, node->number ? "AnyObject" : "Any");
		return;
	}
	print_list(printer, list, " & ");
	if (node->number)
		say(printer, " & AnyObject");
}

static void print_metatype(struct printer *printer, const struct node *node)
{
	say_text(printer, node->text);
	print_simple(printer, node->children[0]);
	say(printer, inside(node->children[0])->kind == NODE_PROTOCOLS && !node->number ?
		     ".Protocol" : ".Type");
}

static void print_impl_part(struct printer *printer, const struct node *part)
{
	say_text(printer, part->text);
	if (part->second)
		say(printer, "@noDerivative ");
	if (part->count > 0)
		print(printer, part->children[0]);
}

/* Attributes, then the values in, then those out. */
static void print_impl(struct printer *printer, const struct node *node)
{
	static const char *const between[] = { "", "(", ") -> (" };
	const unsigned last = sizeof(between) / sizeof(between[0]) - 1;
	const struct node *pattern = node->children[0], *list = node->children[1];
	unsigned stage = 0;
	bool first = true;

	for (unsigned i = 2; i < node->count && !printer->failed; i++) {
		const struct node *part = node->children[i];
		unsigned wanted = part->kind == NODE_IMPL_PART ? part->number : 0;

		for (; stage < wanted && stage < last; first = true) {
			if (stage == 0 && pattern) {
				say(printer, "@substituted ");
				print(printer, pattern);
				say(printer, " ");
			}
			say(printer, between[++stage]);
		}
		if (stage > 0 && !first)
			say(printer, ", ");
		first = false;
		if (part->kind == NODE_IMPL_PART) {
			print_impl_part(printer, part);
		} else {
			print(printer, part);
			say(printer, " ");
		}
	}
	while (stage < last)
		say(printer, between[++stage]);
	say(printer, ")");
	if (pattern) {
		say(printer, " for <");
		print_list(printer, list, "");
		say(printer, ">");
	}
}

/* --- Entities ------------------------------------------------------------------------ */

enum { CONTEXT, NAME, LABELS, TYPE };    /* children of an entity */

static const struct node *name_of(const struct node *node)
{
	return node->count > NAME ? node->children[NAME] : NULL;
}

static bool is_local(const struct node *node)
{
	const struct node *name = name_of(node);

	return name && name->kind == NODE_LOCAL_NAME;
}

static bool is_context(const struct node *node)
{
	return !(node->kind == NODE_MODULE && (text_is(node->text, "Swift") ||
					       text_is(node->text, "__C")));
}

/* Brackets with parameters, for those that have them. */
static void print_signature_of(struct printer *printer, const struct node *node,
			       const struct node *bound, bool with_space)
{
	const struct node *type = node->count > TYPE && node->children[TYPE] ?
				  inside(node->children[TYPE]) : NULL;
	const struct node *function = type;

	while (function && function->kind == NODE_GENERIC_TYPE)
		function = inside(function->children[1]);
	if (!function || function->kind != NODE_FUNCTION_TYPE ||
	    (function->text.size > 0 && function->text.bytes[0] == '@' &&
	     text_starts_with(function->text, "@autoclosure")))
		return;
	if (with_space)
		say(printer, " ");
	if (bound) {
		say(printer, "<");
		print_list(printer, bound, ", ");
		say(printer, ">");
	} else if (type->kind == NODE_GENERIC_TYPE) {
		print_signature(printer, type->children[0]);
	}
	print_function_type(printer, node->children[LABELS], function,
			    node->kind != NODE_CLOSURE);
}

static bool in_class(const struct node *node)
{
	const struct node *context = node->children[CONTEXT];

	return context->kind == NODE_CLASS ||
	       (context->kind == NODE_BOUND && inside(context->children[0])->kind == NODE_CLASS);
}

static void say_dot_after(struct printer *printer, size_t from)
{
	if (printer->printing->size > from)
		say(printer, ".");
}

static void print_own_name(struct printer *printer, const struct node *node)
{
	size_t from = printer->printing->size;

	switch (node->kind) {
	case NODE_ALLOCATOR:
		say(printer, in_class(node) ? "__allocating_init" : "init");
		break;
	case NODE_CONSTRUCTOR:
		say(printer, "init");
		break;
	case NODE_SUBSCRIPT:
		say(printer, "subscript");
		break;
	case NODE_SPECIAL:
	case NODE_INITIALIZER:
		say_text(printer, node->text);
		break;
	default:
		print(printer, name_of(node));
		break;
	}
	if (printer->printing->size == from)
		printer->failed = true;
}

/* What has words of its own and its context behind them. */
static bool is_worded(const struct node *node)
{
	return node->kind == NODE_CLOSURE || node->kind == NODE_INITIALIZER;
}

static bool has_brackets(const struct node *node)
{
	return node->kind == NODE_FUNCTION || node->kind == NODE_ALLOCATOR ||
	       node->kind == NODE_CONSTRUCTOR || node->kind == NODE_SUBSCRIPT ||
	       node->kind == NODE_VARIABLE;
}

static const struct node *print_entity(struct printer *printer, const struct node *node,
				       const struct node *bound, struct text accessor, bool prefix)
{
	const struct node *after = NULL, *context = node->children[CONTEXT];
	size_t from;

	if (prefix && (is_worded(node) || has_brackets(node)))
		return node;
	if (is_worded(node)) {
		say_text(printer, node->text);
		if (node->kind == NODE_CLOSURE)
			say_number(printer, node->number);
		else if (node->second > 0)
			say_number(printer, node->second - 1);
		after = is_context(context) ? context : NULL;
	} else {
		from = printer->printing->size;
		if (is_context(context))
			after = print_prefix(printer, context);
		say_dot_after(printer, from);
		print_own_name(printer, node);
	}
	if (accessor.size > 0) {
		say(printer, ".");
		say_text(printer, accessor);
	} else if (node->kind != NODE_VARIABLE) {
		print_signature_of(printer, node, bound, is_worded(node));
	}
	if (prefix || !after || is_local(node))
		return after;
	say(printer, node->kind == NODE_INITIALIZER ? " of " : " in ");
	print(printer, after);
	return NULL;
}

static const struct node *print_extension(struct printer *printer, const struct node *node)
{
	print(printer, node->children[1]);
	if (node->children[2])
		print(printer, node->children[2]);
	return NULL;
}

static const struct node *dispatch_context(struct printer *printer, const struct node *node,
					   bool prefix)
{
	switch (node->kind) {
	case NODE_MODULE:                /* modules are not shown */
		return NULL;
	case NODE_EXTENSION:
		return print_extension(printer, node);
	case NODE_STATIC:
		if (prefix)
			return node;
		say(printer, "static ");
		print(printer, node->children[0]);
		return NULL;
	case NODE_ACCESSOR:
		if (prefix)
			return node;
		return print_entity(printer, node->children[0], NULL, node->text, false);
	case NODE_BOUND_FUNCTION:
		if (prefix)
			return node;
		return print_entity(printer, node->children[0], node->children[1], TEXT_NONE,
				    false);
	case NODE_CURRY:
		say(printer, "curry thunk of ");
		print(printer, node->children[0]);
		return NULL;
	case NODE_BOUND:
		print_bound(printer, node);
		return NULL;
	default:
		return print_entity(printer, node, NULL, TEXT_NONE, prefix);
	}
}

static bool enter(struct printer *printer, const struct node *node)
{
	if (!node || printer->depth == 0 || printer->steps == 0)
		printer->failed = true;
	if (printer->failed)
		return false;
	printer->depth--;
	printer->steps--;
	return true;
}

static const struct node *print_prefix(struct printer *printer, const struct node *node)
{
	const struct node *after;

	if (!enter(printer, node))
		return NULL;
	after = dispatch_context(printer, node, true);
	printer->depth++;
	return after;
}

/* --- All nodes ----------------------------------------------------------------------- */

static void print_member(struct printer *printer, const struct node *node)
{
	const struct node *name = node->children[1];

	print(printer, node->children[0]);
	say(printer, ".");
	if (name->children[1]) {
		print(printer, name->children[1]);
		say(printer, ".");
	}
	print(printer, name->children[0]);
}

static void print_related(struct printer *printer, const struct node *node)
{
	char letter[] = { '\'', (char)node->number, '\'' };

	say(printer, "related decl ");
	put(printer, letter, sizeof(letter));
	say(printer, " for ");
	print(printer, node->children[0]);
}

static void print_opaque_of(struct printer *printer, const struct node *node)
{
	say(printer, "<<opaque return type of ");
	print(printer, node->children[0]);
	say(printer, ">>");
	if (node->number > 0) {
		say(printer, ".");
		say_number(printer, node->number - 1);
	}
}

static void print_once(struct printer *printer, const struct node *node)
{
	if (node->count > 1)
		say(printer, "(");
	print_list(printer, node, ", ");
	if (node->count > 1)
		say(printer, ")");
}

static void print_sized(struct printer *printer, const struct node *node)
{
	const struct node *element;

	if (node->kind == NODE_BUILTIN) {
		say_text(printer, node->text);
		if (node->number > 0)
			say_number(printer, node->number);
		return;
	}
	element = inside(node->children[0]);
	say(printer, "Builtin.Vec");
	say_number(printer, node->number);
	say(printer, "x");
	if (element->kind != NODE_BUILTIN || !text_starts_with(element->text, "Builtin.")) {
		printer->failed = true;
		return;
	}
	put(printer, element->text.bytes + 8, element->text.size - 8);
	if (element->number > 0)
		say_number(printer, element->number);
}

static void print_generic_type(struct printer *printer, const struct node *node)
{
	const struct node *type = inside(node->children[1]);

	print_signature(printer, node->children[0]);
	if (type->kind != NODE_FUNCTION_TYPE && type->kind != NODE_GENERIC_TYPE)
		say(printer, " ");
	print(printer, type);
}

static void print_of(struct printer *printer, const struct node *node)
{
	say_text(printer, node->text);
	print_list(printer, node, "");
}

static bool print_type(struct printer *printer, const struct node *node)
{
	switch (node->kind) {
	case NODE_TUPLE:
		print_tuple(printer, node);
		return true;
	case NODE_ELEMENT:
		print_element(printer, node);
		return true;
	case NODE_FUNCTION_TYPE:
		print_function_type(printer, NULL, node, false);
		return true;
	case NODE_GENERIC_TYPE:
		print_generic_type(printer, node);
		return true;
	case NODE_PARAMETER:
		if (node->text.size > 0)
			say_text(printer, node->text);
		else
			print_parameter(printer, node->number, node->second);
		return true;
	case NODE_MEMBER:
		print_member(printer, node);
		return true;
	case NODE_PROTOCOLS:
		print_protocols(printer, node);
		return true;
	case NODE_METATYPE:
		print_metatype(printer, node);
		return true;
	case NODE_BUILTIN:
	case NODE_VECTOR:
		print_sized(printer, node);
		return true;
	case NODE_OPAQUE:
		say(printer, "some");
		return true;
	case NODE_OPAQUE_OF:
		print_opaque_of(printer, node);
		return true;
	case NODE_IMPL:
		print_impl(printer, node);
		return true;
	default:
		return false;
	}
}

static bool print_more_types(struct printer *printer, const struct node *node)
{
	switch (node->kind) {
	case NODE_PACK:
		say(printer, "Pack{");
		print_list(printer, node, ", ");
		say(printer, "}");
		return true;
	case NODE_PACK_EXPANSION:
		say(printer, "repeat ");
		print(printer, node->children[0]);
		return true;
	case NODE_ASSOCIATED_OF:
		print_list(printer, node, ".");
		return true;
	case NODE_SIGNATURE:
		print_signature(printer, node);
		return true;
	case NODE_ONCE:
		print_once(printer, node);
		return true;
	default:
		return print_type(printer, node);
	}
}

static bool print_name(struct printer *printer, const struct node *node)
{
	switch (node->kind) {
	case NODE_NAME:
	case NODE_OPERATOR:
		say_text(printer, node->text);
		return true;
	case NODE_PRIVATE_NAME:
	case NODE_LOCAL_NAME:
	case NODE_TYPE:
	case NODE_CONFORMANCE:
	case NODE_PAIR:
		print_list(printer, node, "");
		return true;
	case NODE_QUALIFIED:
	case NODE_OF:
		print_of(printer, node);
		return true;
	case NODE_RELATED_NAME:
		print_related(printer, node);
		return true;
	default:
		return false;
	}
}

static void print(struct printer *printer, const struct node *node)
{
	const struct node *after;

	if (!enter(printer, node))
		return;
	if (node->kind == NODE_MODULE || node->kind == NODE_EXTENSION ||
	    node->kind == NODE_BOUND || swift_is_entity(node)) {
		after = dispatch_context(printer, node, false);
		if (after)
			printer->failed = !is_local(node);
	} else if (!print_name(printer, node) && !print_more_types(printer, node)) {
		printer->failed = true;
	}
	printer->depth++;
}

/* --- The symbol ---------------------------------------------------------------------- */

static bool is_attribute(const struct node *node)
{
	return node->kind == NODE_ATTRIBUTE || node->kind == NODE_SPECIALIZED ||
	       node->kind == NODE_PARTIAL_APPLY;
}

static void print_attribute(struct printer *printer, const struct node *node)
{
	if (node->kind == NODE_SPECIALIZED) {
		if (!printer->specialized)
			say(printer, "specialized ");
		printer->specialized = true;
		return;
	}
	say_text(printer, node->text);
	if (node->number > 0) {
		say_number(printer, node->number - 1);
		say(printer, " of ");
	}
	if (node->count > 0) {
		print(printer, node->children[0]);
		say(printer, ") of ");
	}
}

/* A symbol is one entity, or one thing made of one, and what was made of that: anything else
 * was not understood. */
static bool is_symbol(const struct node *node, bool has_attributes)
{
	return swift_is_entity(node) || node->kind == NODE_OF || node->kind == NODE_PAIR ||
	       node->kind == NODE_TYPE || (has_attributes && node->kind == NODE_NAME);
}

bool swift_print(const struct swift *swift, struct printing *printing)
{
	struct printer printer = { printing, PRINT_DEPTH, PRINT_STEPS, false, false };
	unsigned depth = swift->depth, attributes = 0;

	if (depth > 0 && swift->stack[depth - 1]->kind == NODE_SUFFIX)
		depth--;
	while (depth > 0 && is_attribute(swift->stack[depth - 1])) {
		print_attribute(&printer, swift->stack[--depth]);
		attributes++;
	}
	if (depth != 1 || !is_symbol(swift->stack[0], attributes > 0))
		return false;
	print(&printer, swift->stack[0]);
	return !printer.failed && printing->size < sizeof(printing->bytes);
}
