/*
 * variables.c -- the parameters and local variables of a function, and what their types are
 * called.
 *
 * All of a function's are listed, whatever block of it they belong to.  Of types only those
 * that are named by themselves are: base types, and pointers to what can be named.
 */
#include "object/dwarf/dwarf_internal.h"

#define LIST_BYTES ((size_t)16 * 1024)
#define LIST_MOST  256u              /* variables of one function; the rest is left out */
#define WORD_BYTES 255u              /* of one name */
#define NOT_SAID   TEXT("<unknown>")
#define NOT_NAMED  TEXT("<not implemented>")

struct list {
	size_t size, count;
	char bytes[LIST_BYTES];
};

static void put(struct list *list, struct text text)
{
	memcpy(list->bytes + list->size, text.bytes, text.size);
	list->size += text.size;
}

static bool is_listed(const struct list *list, struct text name)
{
	const char *at = list->bytes, *end = list->bytes + list->size;

	while (at < end) {
		size_t size = strlen(at);

		if (text_equal(name, (struct text){ at, size }))
			return true;
		at += size + 1;
		at += strlen(at) + 1;
	}
	return false;
}

/* --- Types ---------------------------------------------------------------------------- */

static struct text name_of_base(const struct unit *unit, const struct die *die)
{
	struct text name = die_has(die, AT_NAME) ? unit_text(unit, die->values[AT_NAME])
						 : TEXT_NONE;

	return name.size && name.size <= WORD_BYTES ? name : NOT_SAID;
}

/* What is behind all the pointers, and how many there were. */
static struct text name_of_type(struct unit_context *context, const struct unit *unit,
				const struct die *holder, unsigned *stars)
{
	struct die die = *holder;

	for (*stars = 0; *stars <= LIMIT_ORIGIN_CHAIN; ++*stars) {
		const struct abbrev *abbrev;
		struct reader reader;

		if (!die_has(&die, AT_TYPE))
			return *stars ? TEXT("void") : NOT_SAID;
		abbrev = die_ref_read(context, die_ref_from(context, unit, die.values[AT_TYPE]), &unit,
				    &reader, &die);
		if (!abbrev)
			return NOT_SAID;
		if (abbrev->kind == DIE_BASE_TYPE)
			return name_of_base(unit, &die);
		if (abbrev->kind != DIE_POINTER_TYPE)
			return NOT_NAMED;
	}
	return NOT_SAID;
}

/* --- Variables ------------------------------------------------------------------------ */

/* The copy of a variable in an inlined or a cloned function leaves all but its place to the
 * first one; *type is the DIE that has the type. */
static struct text complete(struct unit_context *context, const struct unit **unit, struct die *type)
{
	const struct unit *at = *unit;
	struct text name = TEXT_NONE;
	struct die die = *type;

	for (unsigned hops = 0; hops <= LIMIT_ORIGIN_CHAIN; hops++) {
		struct reader reader;

		if (!name.size && die_has(&die, AT_NAME))
			name = unit_text(at, die.values[AT_NAME]);
		if (!die_has(type, AT_TYPE) && die_has(&die, AT_TYPE)) {
			*type = die;
			*unit = at;
		}
		if ((name.size && die_has(type, AT_TYPE)) ||
		    !die_ref_read(context, die_ref_origin(context, at, &die), &at, &reader, &die))
			break;
	}
	return name;
}

static void add(struct unit_context *context, const struct unit *unit, const struct die *variable,
		struct list *list)
{
	static const char pointers[LIMIT_ORIGIN_CHAIN + 1] = "****************";
	struct die die = *variable;
	struct text name, type;
	unsigned stars;

	if (list->count == LIST_MOST || die_has(&die, AT_DECLARATION))
		return;
	(void)work_spend(&context->work, list->count);
	name = complete(context, &unit, &die);
	if (!name.size || name.size > WORD_BYTES || is_listed(list, name))
		return;
	type = name_of_type(context, unit, &die, &stars);
	if (stars > LIMIT_ORIGIN_CHAIN)
		stars = 0;
	if (list->size + name.size + type.size + stars + 2 > LIST_BYTES)
		return;
	put(list, name);
	put(list, (struct text){ "", 1 });
	put(list, type);
	put(list, (struct text){ pointers, stars });
	put(list, (struct text){ "", 1 });
	list->count++;
}

/* Where a walk below a function is. */
struct below {
	const struct unit *unit;
	struct reader reader;
	size_t depth;
	size_t others;               /* the level of DIEs that are not the function's; 0: none */
};

/* One DIE.  False at the end, or where it cannot be read. */
static bool pass(struct unit_context *context, struct below *below, struct list *list)
{
	struct err ignored = ERR_INIT;
	struct die die;
	const struct abbrev *abbrev = unit_read_die(below->unit, &below->reader, &die, &ignored);

	if (!abbrev) {
		if (below->depth == below->others)
			below->others = 0;
		below->depth--;
		return ignored.kind == ERR_NONE && below->depth > 0;
	}
	if (abbrev->kind == DIE_VARIABLE && !below->others)
		add(context, below->unit, &die, list);
	if (!abbrev->children)
		return true;
	below->depth++;
	/* Blocks, which are nothing special, hold more of the function's variables. */
	if (!below->others && abbrev->kind != DIE_PLAIN)
		below->others = below->depth;
	return below->depth < LIMIT_DIE_DEPTH;
}

struct text variables_below(struct unit_context *context, const struct unit *unit,
			    struct reader reader)
{
	struct below below = { .unit = unit, .reader = reader, .depth = 1 };
	struct list list;
	char *copy;

	list.size = list.count = 0;
	while (pass(context, &below, &list))
		;
	if (list.size == 0)
		return TEXT_NONE;
	copy = arena_strndup(context->scratch, list.bytes, list.size);
	context->ran_out = context->ran_out || !copy;
	return (struct text){ copy, copy ? list.size : 0 };
}
