/*
 * walk.c -- one pass over a unit's DIEs.
 *
 * Most DIEs are types and variables and are stepped over without being read; where a
 * sibling reference stands at a known place, with all that lies below them.
 */
#include "object/dwarf/dwarf_internal.h"

struct level {
	uint32_t function;       /* 1-based in pendings; 0: none */
	uint32_t inlinee;        /* innermost open one, or OBJECT_NO_PARENT */
	bool owns;               /* ends with this level */
	bool in_function;        /* of any kind, live or not */
};

struct walk {
	struct unit_context *context;
	const struct unit *unit;
	struct reader reader;
	struct level levels[LIMIT_DIE_DEPTH + 1];
	struct pending pendings[LIMIT_DIE_DEPTH + 1];
	size_t depth, pending_count;
};

static int push(struct walk *walk, struct level level, struct err *err)
{
	if (walk->depth == LIMIT_DIE_DEPTH)
		return err_set(err, ERR_LIMIT, "entries nest deeper than %u, at byte %zu",
			       LIMIT_DIE_DEPTH, walk->reader.pos);
	walk->levels[++walk->depth] = level;
	return 0;
}

static int pop(struct walk *walk, struct err *err)
{
	const struct level *level = &walk->levels[walk->depth--];

	if (!level->owns)
		return 0;
	return function_finish(walk->context, &walk->pendings[--walk->pending_count], err);
}

/* Over the DIE and all below it.  False when it says nothing useful. */
static bool jump(struct walk *walk, const struct abbrev *abbrev)
{
	struct reader at = walk->reader;
	uint64_t target;

	if (!abbrev->sibling_bytes)
		return false;
	reader_skip(&at, abbrev->sibling_at);
	target = walk->unit->head.offset + reader_unsigned(&at, abbrev->sibling_bytes);
	if (at.failed || target <= walk->reader.pos || target > walk->reader.size)
		return false;
	walk->reader.pos = (size_t)target;
	return true;
}

static bool may_jump(const struct walk *walk, const struct abbrev *abbrev)
{
	if (abbrev->kind == DIE_LEAF)
		return true;
	return abbrev->kind == DIE_TYPE && walk->unit->types_hold_no_code &&
	       !walk->levels[walk->depth].in_function;
}

static int enter_function(struct walk *walk, const struct abbrev *abbrev, const struct die *die,
			  struct err *err)
{
	struct level level = { .inlinee = OBJECT_NO_PARENT, .in_function = true };
	struct pending *pending = &walk->pendings[walk->pending_count];
	bool is_live = false;

	if ((die_has(die, AT_RANGES) || die_has(die, AT_HIGH_PC)) &&
	    function_begin(walk->context, die, pending, &is_live, err) < 0)
		return -1;
	if (!abbrev->children)
		return is_live ? function_finish(walk->context, pending, err) : 0;
	if (is_live) {
		level.function = (uint32_t)++walk->pending_count;
		level.owns = true;
	}
	return push(walk, level, err);
}

static int enter_inlinee(struct walk *walk, const struct abbrev *abbrev, const struct die *die,
			 struct err *err)
{
	struct level level = walk->levels[walk->depth];

	level.owns = false;
	if (level.function &&
	    function_add_inlinee(walk->context, &walk->pendings[level.function - 1], die,
				 &level.inlinee, err) < 0)
		return -1;
	return abbrev->children ? push(walk, level, err) : 0;
}

static int pass(struct walk *walk, const struct abbrev *abbrev, struct err *err)
{
	struct level level;

	if (abbrev->children && may_jump(walk, abbrev) && jump(walk, abbrev))
		return 0;
	if (abbrev->is_fixed)
		reader_skip(&walk->reader, abbrev->fixed_bytes);
	else
		attr_spec_skip_all(&walk->reader, abbrev_attr_specs(walk->unit->abbrevs, abbrev),
			   abbrev->spec_count, walk->unit->head.encoding);
	if (!abbrev->children)
		return 0;
	level = walk->levels[walk->depth];
	level.owns = false;
	return push(walk, level, err);
}

static int enter(struct walk *walk, const struct abbrev *abbrev, size_t start, struct err *err)
{
	struct die die = { .offset = start };

	if (abbrev->kind == DIE_FUNCTION && abbrev->declares && abbrev->children &&
	    jump(walk, abbrev))
		return 0;
	if (work_charge(&walk->context->work, abbrev->spec_count, err) < 0)
		return -1;
	attr_spec_read_all(&walk->reader, abbrev_attr_specs(walk->unit->abbrevs, abbrev), abbrev->spec_count,
		   walk->unit->head.encoding, &die);
	if (reader_check(&walk->reader, err) < 0)
		return -1;
	if (abbrev->kind == DIE_FUNCTION)
		return enter_function(walk, abbrev, &die, err);
	return enter_inlinee(walk, abbrev, &die, err);
}

static int spec(struct walk *walk, struct err *err)
{
	size_t start = walk->reader.pos;
	uint64_t code = reader_uleb128(&walk->reader);
	const struct abbrev *abbrev;

	if (!code)
		return walk->depth ? pop(walk, err) : 0;
	abbrev = abbrevs_find(walk->unit->abbrevs, code);
	if (!abbrev)
		return err_set(err, ERR_MALFORMED, "abbreviation %llu unknown, at byte %zu",
			       (unsigned long long)code, start);
	if (abbrev->kind == DIE_FUNCTION || abbrev->kind == DIE_INLINEE)
		return enter(walk, abbrev, start, err);
	return pass(walk, abbrev, err);
}

int walk_unit(struct unit_context *context, struct err *err)
{
	struct walk *walk = arena_alloc_raw(context->scratch, 1, sizeof(*walk));

	if (!walk)
		return pool_no_capacity(err);
	walk->context = context;
	walk->unit = context->unit;
	walk->reader = unit_reader(walk->unit, walk->unit->head.first_die);
	walk->levels[0] = (struct level){ .inlinee = OBJECT_NO_PARENT };
	walk->depth = walk->pending_count = 0;
	/* An entry takes a byte at least. */
	if (work_charge(&context->work, reader_left(&walk->reader), err) < 0)
		return -1;
	do {
		if (reader_at_end(&walk->reader))
			break;
		if (spec(walk, err) < 0)
			return -1;
	} while (walk->depth);
	if (reader_check(&walk->reader, err) < 0)
		return -1;
	while (walk->depth)              /* the last ends were left out */
		if (pop(walk, err) < 0)
			return -1;
	return 0;
}
