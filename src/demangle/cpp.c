/*
 * cpp.c -- C++ names of the Itanium ABI, by libiberty.
 *
 * The library can leave out the return type of the outermost function only; names of local
 * functions and of functions given as template arguments have their own.  So we ask for
 * the parsed tree, take the return types out of it, and have it printed.
 */
#include <libiberty/demangle.h>
#include <stdlib.h>

#include "demangle/demangle_internal.h"

#define CPP_OPTIONS      (DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP)
#define CPP_WALK_NODES   20000u  /* shared parts make the walk longer than the name */
#define CPP_WALK_DEPTH   256u

struct component_walk {
	unsigned nodes_left;
};

/* Which of the two children of a node are nodes and may hold function names. */
enum children { CHILDREN_NONE, CHILD_LEFT, CHILDREN_BOTH };

static enum children children_of(enum demangle_component_type type)
{
	switch (type) {
	case DEMANGLE_COMPONENT_QUAL_NAME:
	case DEMANGLE_COMPONENT_LOCAL_NAME:
	case DEMANGLE_COMPONENT_TYPED_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE:
	case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
	case DEMANGLE_COMPONENT_ARGLIST:
	case DEMANGLE_COMPONENT_FUNCTION_TYPE:
	case DEMANGLE_COMPONENT_PTRMEM_TYPE:
	case DEMANGLE_COMPONENT_UNARY:
		return CHILDREN_BOTH;
	case DEMANGLE_COMPONENT_CONST_THIS:
	case DEMANGLE_COMPONENT_VOLATILE_THIS:
	case DEMANGLE_COMPONENT_RESTRICT_THIS:
	case DEMANGLE_COMPONENT_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_CONST:
	case DEMANGLE_COMPONENT_VOLATILE:
	case DEMANGLE_COMPONENT_POINTER:
	case DEMANGLE_COMPONENT_REFERENCE:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
	case DEMANGLE_COMPONENT_CLONE:
	case DEMANGLE_COMPONENT_THUNK:
	case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
	case DEMANGLE_COMPONENT_COVARIANT_THUNK:
	case DEMANGLE_COMPONENT_GUARD:
	case DEMANGLE_COMPONENT_VTABLE:
	case DEMANGLE_COMPONENT_VTT:
	case DEMANGLE_COMPONENT_TYPEINFO:
	case DEMANGLE_COMPONENT_TYPEINFO_NAME:
		return CHILD_LEFT;
	default:
		return CHILDREN_NONE;
	}
}

static void drop_return_types(struct component_walk *walk, struct demangle_component *node,
			      unsigned depth)
{
	enum children children;
	struct demangle_component *type;

	if (!node || depth == 0 || walk->nodes_left == 0)
		return;
	walk->nodes_left--;
	if (node->type == DEMANGLE_COMPONENT_LAMBDA) {
		drop_return_types(walk, node->u.s_unary_num.sub, depth - 1);
		return;
	}
	if (node->type == DEMANGLE_COMPONENT_TYPED_NAME) {
		type = node->u.s_binary.right;
		if (type && type->type == DEMANGLE_COMPONENT_FUNCTION_TYPE)
			type->u.s_binary.left = NULL;
	}
	children = children_of(node->type);
	if (children != CHILDREN_NONE)
		drop_return_types(walk, node->u.s_binary.left, depth - 1);
	if (children == CHILDREN_BOTH)
		drop_return_types(walk, node->u.s_binary.right, depth - 1);
}

/* Printing holds no memory, so it may be left at any point. */
static void take_text(const char *bytes, size_t size, void *payload)
{
	struct printing *printing = payload;

	if (!printing_add(printing, bytes, size))
		longjmp(printing->enough, 1);
}

static bool print_tree(struct demangle_component *tree, struct printing *printing)
{
	if (setjmp(printing->enough))
		return false;
	return cplus_demangle_print_callback(CPP_OPTIONS, tree, take_text, printing) != 0;
}

bool demangle_cpp(const char *name, struct printing *printing)
{
	struct component_walk walk = { CPP_WALK_NODES };
	struct demangle_component *tree;
	void *memory = NULL;
	bool done;

	tree = cplus_demangle_v3_components(name, CPP_OPTIONS, &memory);
	if (!tree)
		return false;
	drop_return_types(&walk, tree, CPP_WALK_DEPTH);
	done = print_tree(tree, printing);
	free(memory);
	return done;
}
