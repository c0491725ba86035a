/* test_overlap -- random overlaps, against the rules applied address by address. */
#include "support/support.h"
#include "symcache/fake.h"

#include <stdio.h>

#include "base/mem.h"

#define ADDRESSES  160u
#define UNITS      4u
#define FUNCTIONS  6u
#define SYMBOLS    12u
#define SEEDS      400
#define NO_UNIT    UINT32_MAX
#define FILE_CEILING_BYTES ((size_t)1 << 20)

struct world {
	struct object_function functions[UNITS][FUNCTIONS];
	struct object_symbol symbols[SYMBOLS];
	struct fake_unit units[UNITS];
	char names[UNITS * FUNCTIONS + SYMBOLS][8];
	uint32_t state;
};

static uint32_t roll(struct world *world, uint32_t sides)
{
	world->state = world->state * 1664525u + 1013904223u;
	return (world->state >> 8) % sides;
}

static struct text name(struct world *world, size_t number)
{
	snprintf(world->names[number], sizeof(world->names[number]), "n%zu", number);
	return text_of(world->names[number]);
}

static struct fake make_world(struct world *world, uint32_t seed)
{
	world->state = seed;
	for (size_t u = 0; u < UNITS; u++) {
		for (size_t i = 0; i < FUNCTIONS; i++)
			world->functions[u][i] = (struct object_function){
				.range = { roll(world, ADDRESSES), 1 + roll(world, 40) },
				.name = name(world, u * FUNCTIONS + i) };
		world->units[u] = (struct fake_unit){ .functions = world->functions[u],
						      .function_count = roll(world, FUNCTIONS + 1) };
	}
	for (size_t i = 0; i < SYMBOLS; i++)
		world->symbols[i] = (struct object_symbol){
			.address = roll(world, ADDRESSES), .size = roll(world, 2) * roll(world, 30),
			.name = name(world, UNITS * FUNCTIONS + i) };
	return (struct fake){ world->units, UNITS, world->symbols, roll(world, SYMBOLS + 1), seed % 2 };
}

static bool holds(const struct object_range *range, uint64_t address)
{
	return address - range->address < range->size;
}

/* The unit's best function there, or NULL. */
static const struct object_function *best_of(const struct fake_unit *unit, uint64_t address)
{
	const struct object_function *best = NULL;

	for (size_t i = 0; i < unit->function_count; i++) {
		const struct object_function *next = &unit->functions[i];

		if (!holds(&next->range, address))
			continue;
		if (!best || next->range.address > best->range.address ||
		    (next->range.address == best->range.address &&
		     next->range.size < best->range.size))
			best = next;
	}
	return best;
}

static bool has_function_between(const struct fake *fake, uint64_t from, uint64_t to)
{
	for (uint64_t at = from; at < to; at++)
		for (size_t u = 0; u < fake->unit_count; u++)
			if (best_of(&fake->units[u], at))
				return true;
	return false;
}

static struct text symbol_there(const struct fake *fake, uint64_t address)
{
	const struct object_symbol *best = NULL;

	for (size_t i = 0; i < fake->symbol_count; i++) {
		const struct object_symbol *next = &fake->symbols[i];

		if (next->address > address || (best && next->address < best->address))
			continue;
		if (!best || next->address > best->address || next->size >= best->size)
			best = next;
	}
	if (!best || (best->size > 0 && address - best->address >= best->size))
		return TEXT_NONE;
	if (fake->symbols_end_at_functions && best->size == 0 &&
	    has_function_between(fake, best->address, address))
		return TEXT_NONE;
	return best->name;
}

/* What the rules say; *unit is the unit that answered at the address before. */
static struct text expected(const struct fake *fake, uint64_t address, uint32_t *unit)
{
	const struct object_function *best;

	if (*unit != NO_UNIT) {
		best = best_of(&fake->units[*unit], address);
		if (best)
			return best->name;
	}
	for (*unit = 0; *unit < fake->unit_count; ++*unit) {
		best = best_of(&fake->units[*unit], address);
		if (best)
			return best->name;
	}
	*unit = NO_UNIT;
	return symbol_there(fake, address);
}

START_TEST(overlaps_are_settled_by_the_rules)
{
	struct world world;
	struct fake fake = make_world(&world, (uint32_t)_i);
	struct symcache_report report;
	struct symcache_frame frame;
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf file;
	uint32_t unit = NO_UNIT;

	buf_init(&file, FILE_CEILING_BYTES);
	ck_assert_msg(fake_write(&fake, 1 + (unsigned)_i % 3, &file, &report, &err) == 0, "%s",
		      err.text);
	ck_assert_int_eq(symcache_open(&cache, file.bytes, file.size, &err), 0);
	for (uint64_t address = 0; address < ADDRESSES + 60; address++) {
		struct text want = expected(&fake, address, &unit);
		struct text got = symcache_lookup(&cache, address, &frame, 1) ? frame.function
									      : TEXT_NONE;

		ck_assert_msg(text_equal(want, got), "world %d, address %u: %.*s, not %.*s", _i,
			      (unsigned)address, (int)got.size, got.bytes, (int)want.size,
			      want.bytes);
	}
	buf_release(&file);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symcache overlap");
	TCase *tcase = tcase_create("overlap");

	tcase_add_loop_test(tcase, overlaps_are_settled_by_the_rules, 0, SEEDS);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
