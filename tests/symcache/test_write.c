/* test_write -- functions, inlined calls and symbols in, chains out. */
#include "support/support.h"
#include "symcache/fake.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/mem.h"

#define FILE_CEILING_BYTES ((size_t)64 << 20)
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define F(literal) { .name = { (literal), sizeof(literal) - 1 } }
#define NAME(literal) { (literal), sizeof(literal) - 1 }
#define LINES(table) .lines = (table), .line_count = COUNT(table)
#define INLINEES(table) .inlinees = (table), .inlinee_count = COUNT(table)
#define RANGES(table) .ranges = (table), .range_count = COUNT(table)
#define SYMBOL(at, bytes, literal) { .address = (at), .size = (bytes), .name = NAME(literal) }
#define LOCAL(at, bytes, literal, source) \
	{ .address = (at), .size = (bytes), .name = NAME(literal), .file = NAME(source) }
#define FUNCTIONS(table) .files = files, .file_count = COUNT(files), \
	.functions = (table), .function_count = COUNT(table)

static const struct object_file_name files[] = { F("a.c"), F("b.c"), F("c.c") };

/* --- One function -------------------------------------------------------------------- */

static const struct object_line plain_lines[] = {
	{ 0x100, 0, 10 }, { 0x108, 0, 11 }, { 0x10c, 0, 11 }, { 0x110, OBJECT_NO_FILE, 0 },
};
static const struct object_line late_lines[] = { { 0x208, 1, 20 } };
static const struct object_function plain_functions[] = {
	{ .range = { 0x100, 0x20 }, .name = NAME("plain"), LINES(plain_lines) },
	{ .range = { 0x200, 0x10 }, .name = NAME("late"), LINES(late_lines) },
	{ .range = { 0x300, 0x10 }, .name = NAME("bare") },
	{ .range = { 0x310, 0x10 }, .name = NAME("next") },
	{ .range = { 0x400, 0 }, .name = NAME("empty") },
	{ .range = { UINT64_C(0x100000000), 0x10 }, .name = NAME("high") },
	{ .range = { UINT32_MAX - 1, 0x10 }, .name = NAME("last") },
};
static const struct fake_unit plain_unit[] = { { FUNCTIONS(plain_functions) } };

/* outer(a.c) calls mid(b.c) at a.c:5, which calls leaf(c.c) at b.c:7; leaf also in two pieces. */
static const struct object_line nest_lines[] = {
	{ 0x100, 0, 1 }, { 0x110, 1, 2 }, { 0x118, 2, 3 }, { 0x120, 2, 4 }, { 0x128, 1, 9 },
	{ 0x138, 0, 6 },
};
static const struct object_range mid_ranges[] = { { 0x110, 0x28 } };
static const struct object_range leaf_ranges[] = { { 0x118, 0x10 }, { 0x130, 4 } };
static const struct object_inlinee nest_inlinees[] = {
	{ .parent = OBJECT_NO_PARENT, .call_file = 0, .call_line = 5, .language = LANGUAGE_CPP,
	  .name = NAME("mid"), RANGES(mid_ranges) },
	{ .parent = 0, .call_file = 1, .call_line = 7, .name = NAME("leaf"), RANGES(leaf_ranges) },
};
static const struct object_function nest_functions[] = {
	{ .range = { 0x100, 0x40 }, .name = NAME("outer"), .language = LANGUAGE_C,
	  LINES(nest_lines), INLINEES(nest_inlinees) },
};
static const struct fake_unit nest_unit[] = { { FUNCTIONS(nest_functions) } };

/* Inlined calls that break the rules: out of the function, out of the parent, overlapping. */
static const struct object_range wild_ranges[] = { { 0x0, 0x1000 }, { 0x2000, 0x10 } };
static const struct object_range wilder_ranges[] = { { 0x110, UINT64_MAX } };
static const struct object_inlinee wild_inlinees[] = {
	{ .parent = OBJECT_NO_PARENT, .call_file = 77, .call_line = 5, .name = NAME("wild"),
	  RANGES(wild_ranges) },
	{ .parent = 55, .call_file = 0, .call_line = 6, .name = NAME("wilder"),
	  RANGES(wilder_ranges) },
};
static const struct object_function wild_functions[] = {
	{ .range = { 0x100, 0x20 }, .name = NAME("tame"), INLINEES(wild_inlinees) },
};
static const struct fake_unit wild_unit[] = { { FUNCTIONS(wild_functions) } };

/* --- Several functions at one address ------------------------------------------------ */

static const struct object_function big_functions[] = {
	{ .range = { 0x100, 0x100 }, .name = NAME("big") },
	{ .range = { 0x140, 0x20 }, .name = NAME("nested") },
};
static const struct object_function small_functions[] = {
	{ .range = { 0x180, 0x100 }, .name = NAME("other") },
	{ .range = { 0x100, 0x100 }, .name = NAME("twin") },
	{ .range = { 0x300, 0x10 }, .name = NAME("alone") },
};
static const struct fake_unit overlap_units[] = {
	{ FUNCTIONS(big_functions) }, { FUNCTIONS(small_functions) },
};

static const struct object_function folded_1[] = {
	{ .range = { 0x200, 0x10 }, .name = NAME("folded.1") },
};
static const struct object_function folded_2[] = {
	{ .range = { 0x1f0, 0x10 }, .name = NAME("before.2") },
	{ .range = { 0x200, 0x10 }, .name = NAME("folded.2") },
};
static const struct fake_unit folded_units[] = { { FUNCTIONS(folded_1) }, { FUNCTIONS(folded_2) } };

/* A function between whose lines another one of its unit lies. */
static const struct object_line split_lines[] = {
	{ 0x100, 0, 1 }, { 0x110, 0, 2 }, { 0x120, 0, 3 }, { 0x130, 0, 4 },
};
static const struct object_function split_functions[] = {
	{ .range = { 0x100, 0x40 }, .name = NAME("around"), LINES(split_lines) },
	{ .range = { 0x114, 0x10 }, .name = NAME("inside") },
};
static const struct fake_unit split_unit[] = { { FUNCTIONS(split_functions) } };

/* --- Symbols ------------------------------------------------------------------------- */

static const struct object_symbol gap_symbols[] = {
	SYMBOL(0x340, 0x10, "sized"),
	SYMBOL(0x80, 0, "first"),
	SYMBOL(0x104, 4, "hidden"),
	SYMBOL(0x2f0, 0x40, "longer_than_its_function"),
	SYMBOL(0x360, 0x40, "broad"), SYMBOL(0x370, 0x8, "narrow"),
	SYMBOL(0x400, 0, "small"), SYMBOL(0x400, 8, "large.1"), SYMBOL(0x400, 8, "large.2"),
	LOCAL(0x480, 8, "local", "crt.c"), LOCAL(0x488, 8, "local.2", "crt.c"),
	SYMBOL(0x500, 0, "open"),
	SYMBOL(UINT64_C(0x100000000), 0, "high"), { .address = 0x340, .size = 4 },
};

static const struct object_symbol public_symbols[] = {
	SYMBOL(0x80, 0, "before"), SYMBOL(0x100, 0, "plain"), SYMBOL(0x104, 0, "hidden"),
	SYMBOL(0x340, 0, "in_a_gap"), SYMBOL(0x2f8, 0x100, "sized"),
};

static const struct object_line loose_lines[] = { { 0x120, 0, 7 }, { 0x130, 0, 8 } };
static const struct object_function loose_functions[] = {
	{ .range = { 0x120, 0x20 }, LINES(loose_lines) },
	{ .range = { 0x100, 0x24 }, .name = NAME("named") },
};
static const struct fake_unit loose_unit[] = { { FUNCTIONS(loose_functions) } };
static const struct object_symbol loose_symbols[] = { SYMBOL(0x134, 4, "asm") };

/* --- Damage -------------------------------------------------------------------------- */

static const struct fake_unit damaged_units[] = {
	{ FUNCTIONS(plain_functions) },
	{ FUNCTIONS(nest_functions), .ends_in = ERR_MALFORMED },
	{ .ends_in = ERR_LIMIT },
};

#define UNITS(table) { .units = (table), .unit_count = COUNT(table) }
static const struct fake nothing = { 0 };
static const struct fake plain = UNITS(plain_unit), nest = UNITS(nest_unit),
	wild = UNITS(wild_unit), overlap = UNITS(overlap_units), folded = UNITS(folded_units),
	split = UNITS(split_unit), damaged = UNITS(damaged_units);
static const struct fake gaps = {
	.units = plain_unit, .unit_count = 1,
	.symbols = gap_symbols, .symbol_count = COUNT(gap_symbols),
};
static const struct fake publics = {
	.units = plain_unit, .unit_count = 1,
	.symbols = public_symbols, .symbol_count = COUNT(public_symbols),
};
static const struct fake closed = {
	.units = plain_unit, .unit_count = 1,
	.symbols = public_symbols, .symbol_count = COUNT(public_symbols),
	.symbols_end_at_functions = true,
};
static const struct fake loose = {
	.units = loose_unit, .unit_count = 1,
	.symbols = loose_symbols, .symbol_count = COUNT(loose_symbols),
};
static const struct fake symbols_only = {
	.symbols = gap_symbols, .symbol_count = COUNT(gap_symbols),
};

static const struct {
	const char *what;
	const struct fake *fake;
	uint64_t address;
	const char *chain;
} cases[] = {
	{ "an object without anything", &nothing, 0x100, "-" },

	{ "before the first function", &plain, 0xff, "-" },
	{ "the first line", &plain, 0x100, "plain at a.c:10" },
	{ "inside the first line", &plain, 0x107, "plain at a.c:10" },
	{ "the second line", &plain, 0x108, "plain at a.c:11" },
	{ "a line no longer known", &plain, 0x118, "plain at ?:0" },
	{ "behind a function", &plain, 0x120, "-" },
	{ "before the first line of a function", &plain, 0x200, "late at ?:0" },
	{ "the last line reaches to the end", &plain, 0x20f, "late at b.c:20" },
	{ "a function without lines", &plain, 0x300, "bare at ?:0" },
	{ "a function touching the one before", &plain, 0x310, "next at ?:0" },
	{ "a function without a size", &plain, 0x400, "-" },
	{ "the low half of an address above 32 bits", &plain, 0x0, "-" },
	{ "an address above 32 bits", &plain, UINT64_C(0x100000000), "-" },
	{ "a function reaching over 32 bits", &plain, UINT32_MAX - 1, "last at ?:0" },

	{ "before an inlined call", &nest, 0x10f, "outer at a.c:1" },
	{ "inside an inlined call", &nest, 0x110, "mid at b.c:2 < outer at a.c:5" },
	{ "an inlined call in an inlined call", &nest, 0x118,
	  "leaf at c.c:3 < mid at b.c:7 < outer at a.c:5" },
	{ "its second line", &nest, 0x127, "leaf at c.c:4 < mid at b.c:7 < outer at a.c:5" },
	{ "behind the inner one", &nest, 0x128, "mid at b.c:9 < outer at a.c:5" },
	{ "the second range, in a line begun before", &nest, 0x130,
	  "leaf at b.c:9 < mid at b.c:7 < outer at a.c:5" },
	{ "behind the second range", &nest, 0x134, "mid at b.c:9 < outer at a.c:5" },
	{ "behind both", &nest, 0x138, "outer at a.c:6" },

	{ "an inlined call larger than its function", &wild, 0x100,
	  "wild at ?:0 < tame at ?:5" },
	{ "one that lies in another but is not of it", &wild, 0x110,
	  "wilder at ?:0 < tame at a.c:6" },
	{ "its end is the function's", &wild, 0x120, "-" },
	{ "its range elsewhere is nothing", &wild, 0x2000, "-" },

	{ "two functions of the same addresses: the first unit's", &overlap, 0x100, "big at ?:0" },
	{ "one inside another", &overlap, 0x140, "nested at ?:0" },
	{ "behind the inner function", &overlap, 0x160, "big at ?:0" },
	{ "another unit begins: who answered goes on", &overlap, 0x180, "big at ?:0" },
	{ "behind the first unit's end", &overlap, 0x200, "other at ?:0" },
	{ "behind all", &overlap, 0x280, "-" },
	{ "after a gap", &overlap, 0x300, "alone at ?:0" },
	{ "touching its unit's function", &folded, 0x200, "folded.2 at ?:0" },
	{ "lines before the inner function", &split, 0x113, "around at a.c:2" },
	{ "the inner function", &split, 0x114, "inside at ?:0" },
	{ "the line in which it ends", &split, 0x124, "around at a.c:3" },
	{ "the lines behind it", &split, 0x130, "around at a.c:4" },

	{ "a symbol without a size", &gaps, 0x80, "first at ?:0" },
	{ "reaches to the next range", &gaps, 0xff, "first at ?:0" },
	{ "but not over a function", &gaps, 0x100, "plain at a.c:10" },
	{ "a symbol inside a function is not seen", &gaps, 0x104, "plain at a.c:10" },
	{ "its end behind it neither", &gaps, 0x120, "-" },
	{ "a symbol before its function", &gaps, 0x2f0, "longer_than_its_function at ?:0" },
	{ "a symbol longer than its function", &gaps, 0x32f, "longer_than_its_function at ?:0" },
	{ "behind a symbol with a size", &gaps, 0x330, "-" },
	{ "a symbol in a gap", &gaps, 0x34f, "sized at ?:0" },
	{ "behind it", &gaps, 0x350, "-" },
	{ "a symbol in a symbol", &gaps, 0x370, "narrow at ?:0" },
	{ "behind the inner symbol", &gaps, 0x378, "-" },
	{ "the largest, of those the last", &gaps, 0x400, "large.2 at ?:0" },
	{ "a local symbol knows its file", &gaps, 0x480, "local at crt.c:0" },
	{ "so does the next", &gaps, 0x488, "local.2 at crt.c:0" },
	{ "the last symbol is open", &gaps, 0x12345678, "open at ?:0" },
	{ "but not over a later function", &gaps, UINT32_MAX - 1, "last at ?:0" },
	{ "a file of symbols alone", &symbols_only, 0x106, "hidden at ?:0" },

	{ "padding is the symbol's before it", &publics, 0x120, "hidden at ?:0" },
	{ "nobody's where symbols end at functions", &closed, 0x120, "-" },
	{ "up to the next symbol", &closed, 0x2f7, "-" },
	{ "a symbol with a size has that", &closed, 0x330, "sized at ?:0" },
	{ "a symbol behind a function begins anew", &closed, 0x340, "in_a_gap at ?:0" },
	{ "before a function it reaches to it", &closed, 0xff, "before at ?:0" },

	{ "a function before lines of none", &loose, 0x123, "named at ?:0" },
	{ "lines of no function", &loose, 0x124, "?? at a.c:7" },
	{ "the next of them", &loose, 0x130, "?? at a.c:8" },
	{ "take a symbol's name", &loose, 0x134, "asm at a.c:8" },
	{ "as far as it goes", &loose, 0x138, "?? at a.c:8" },
	{ "and end", &loose, 0x140, "-" },

	{ "a sound unit beside damaged ones", &damaged, 0x300, "bare at ?:0" },
};

START_TEST(answers)
{
	struct symcache_report report;
	struct err err = ERR_INIT;
	struct buf file;

	buf_init(&file, FILE_CEILING_BYTES);
	ck_assert_msg(fake_write(cases[_i].fake, 1, &file, &report, &err) == 0, "%s: %s",
		      cases[_i].what, err.text);
	ck_assert_msg(strcmp(fake_chain(&file, cases[_i].address), cases[_i].chain) == 0,
		      "%s: %s, not %s", cases[_i].what, fake_chain(&file, cases[_i].address),
		      cases[_i].chain);
	buf_release(&file);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

static void must_write(const struct fake *fake, unsigned threads, struct buf *file,
		       struct symcache_report *report)
{
	struct err err = ERR_INIT;

	buf_init(file, FILE_CEILING_BYTES);
	ck_assert_msg(fake_write(fake, threads, file, report, &err) == 0, "%s", err.text);
}

START_TEST(damaged_units_cost_themselves_and_are_reported)
{
	struct symcache_report report;
	struct buf file;

	must_write(&damaged, 2, &file, &report);
	ck_assert_uint_eq(report.units, 3);
	ck_assert_uint_eq(report.bad_units, 2);
	ck_assert_str_eq(report.first_bad, "unit 1: the end of unit 1 is missing");
	buf_release(&file);
}
END_TEST

START_TEST(counts_and_head_are_right)
{
	struct symcache_report report;
	struct symcache cache;
	struct err err = ERR_INIT;
	struct object object = fake_object(&nest);
	struct buf file;

	must_write(&nest, 1, &file, &report);
	ck_assert_int_eq(symcache_open(&cache, file.bytes, file.size, &err), 0);
	ck_assert_uint_eq(cache.version, 9);
	ck_assert_uint_eq(cache.arch, ARCH_X86_64);
	ck_assert(debugid_equal(&cache.debug_id, &object.debug_id));
	ck_assert_uint_eq(cache.file_count, 3);
	ck_assert_uint_eq(cache.function_count, 3);
	/* two call locations; 8 ranges of which one is the end */
	ck_assert_uint_eq(cache.range_count, 9);
	ck_assert_uint_eq(cache.location_count, 2 + cache.range_count);
	ck_assert_uint_eq(report.functions, cache.function_count);
	ck_assert_uint_eq(report.ranges, cache.range_count);
	buf_release(&file);
}
END_TEST

/* Two calls of one function from one place, one of another from there, one around which no
 * address is: of the first three one location each is enough, of the last none. */
static const struct object_range twin_ranges[][1] = {
	{ { 0x104, 4 } }, { { 0x10c, 4 } }, { { 0x114, 4 } }, { { 0x110, 0 } },
};
#define TWIN(index, text) { .parent = OBJECT_NO_PARENT, .call_file = 0, .call_line = 5, \
	.name = NAME(text), RANGES(twin_ranges[index]) }
static const struct object_inlinee twin_inlinees[] = {
	TWIN(0, "twin"), TWIN(1, "twin"), TWIN(2, "sister"), TWIN(3, "nowhere"),
};
static const struct object_function twin_functions[] = {
	{ .range = { 0x100, 0x20 }, .name = NAME("one"), LINES(plain_lines),
	  INLINEES(twin_inlinees) },
	{ .range = { 0x200, 0x20 }, .name = NAME("two"), LINES(late_lines) },
};
static const struct fake_unit twin_unit[] = { { FUNCTIONS(twin_functions) } };
static const struct fake twins = { twin_unit, 1, NULL, 0, false };

START_TEST(calls_of_one_place_are_one)
{
	struct symcache_report report;
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf file;

	must_write(&twins, 1, &file, &report);
	ck_assert_int_eq(symcache_open(&cache, file.bytes, file.size, &err), 0);
	ck_assert_uint_eq(cache.location_count, 1 + cache.range_count);
	ck_assert_uint_eq(cache.function_count, 4);
	ck_assert_str_eq(fake_chain(&file, 0x104), "twin at a.c:10 < one at a.c:5");
	ck_assert_str_eq(fake_chain(&file, 0x10c), "twin at a.c:11 < one at a.c:5");
	ck_assert_str_eq(fake_chain(&file, 0x114), "sister at ?:0 < one at a.c:5");
	ck_assert_str_eq(fake_chain(&file, 0x110), "one at ?:0");
	buf_release(&file);
}
END_TEST

/* One that is too long for the short form of entries, one whose lines are, one that has more
 * inlined calls; inside the first another one, so that its entries are cut. */
#define LONG_BYTES   0x20000u
#define LONG_INLINED 70000u

START_TEST(large_functions_are_kept_whole)
{
	static const struct object_line long_lines[] = {
		{ 0x1000, 0, 1 }, { 0x1000 + 0xfffe, 1, 2 }, { 0x1000 + 0xffff, 2, 3 },
		{ 0x1000 + 0x10000, 0, 4 }, { 0x1000 + 0x1fff0, 0, 65534 },
	};
	static const struct object_line high_lines[] = {
		{ 0x40000, 0, 65534 }, { 0x40004, 0, 65535 }, { 0x40008, OBJECT_NO_FILE, 0 },
	};
	static struct object_inlinee inlinees[LONG_INLINED];
	static struct object_range ranges[LONG_INLINED];
	const struct object_function functions[] = {
		{ .range = { 0x1000, LONG_BYTES }, .name = NAME("long"), LINES(long_lines) },
		{ .range = { 0x8000, 0x10 }, .name = NAME("inside") },
		{ .range = { 0x40000, 0x10 }, .name = NAME("high"), LINES(high_lines) },
		{ .range = { 0x50000, LONG_INLINED * 2 }, .name = NAME("many"),
		  INLINEES(inlinees) },
	};
	const struct fake_unit unit = { FUNCTIONS(functions) };
	const struct fake fake = { &unit, 1, NULL, 0, false };
	struct symcache_report report;
	struct buf file;

	for (uint32_t i = 0; i < LONG_INLINED; i++) {
		ranges[i] = (struct object_range){ 0x50000 + 2 * (uint64_t)i, 1 };
		inlinees[i] = (struct object_inlinee){
			.parent = OBJECT_NO_PARENT, .call_file = i % 3, .call_line = i,
			.name = NAME("in"), .ranges = &ranges[i], .range_count = 1 };
	}
	must_write(&fake, 1, &file, &report);
	ck_assert_str_eq(fake_chain(&file, 0x1000), "long at a.c:1");
	ck_assert_str_eq(fake_chain(&file, 0x8000), "inside at ?:0");
	ck_assert_str_eq(fake_chain(&file, 0x8010), "long at a.c:1");
	ck_assert_str_eq(fake_chain(&file, 0x1000 + 0xfffe), "long at b.c:2");
	ck_assert_str_eq(fake_chain(&file, 0x1000 + 0xffff), "long at c.c:3");
	ck_assert_str_eq(fake_chain(&file, 0x1000 + 0x10000), "long at a.c:4");
	ck_assert_str_eq(fake_chain(&file, 0x1000 + LONG_BYTES - 1), "long at a.c:65534");
	ck_assert_str_eq(fake_chain(&file, 0x40000), "high at a.c:65534");
	ck_assert_str_eq(fake_chain(&file, 0x40004), "high at a.c:65535");
	ck_assert_str_eq(fake_chain(&file, 0x40008), "high at ?:0");
	ck_assert_str_eq(fake_chain(&file, 0x50000 + 2 * 65535), "in at ?:0 < many at a.c:65535");
	ck_assert_str_eq(fake_chain(&file, 0x50000 + 2 * 69999), "in at ?:0 < many at a.c:69999");
	ck_assert_str_eq(fake_chain(&file, 0x50001 + 2 * 69999), "many at ?:0");
	buf_release(&file);
}
END_TEST

START_TEST(languages_and_entries_are_kept)
{
	struct symcache_report report;
	struct symcache_frame frames[4];
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf file;

	must_write(&nest, 1, &file, &report);
	ck_assert_int_eq(symcache_open(&cache, file.bytes, file.size, &err), 0);
	ck_assert_uint_eq(symcache_lookup(&cache, 0x118, frames, 4), 3);
	ck_assert_uint_eq(frames[1].language, LANGUAGE_CPP);
	ck_assert_uint_eq(frames[1].entry, SYMCACHE_NO_ENTRY);
	ck_assert_uint_eq(frames[2].language, LANGUAGE_C);
	ck_assert_uint_eq(frames[2].entry, 0x100);
	ck_assert_uint_eq(symcache_lookup(&cache, 0x118, frames, 2), 2);
	ck_assert_uint_eq(symcache_lookup(&cache, 0x118, frames, 0), 0);
	buf_release(&file);
}
END_TEST

/* --- Many units ---------------------------------------------------------------------- */

#define MANY_UNITS      200u
#define MANY_FUNCTIONS  20u

struct many {
	struct fake_unit units[MANY_UNITS];
	struct object_function functions[MANY_UNITS][MANY_FUNCTIONS];
	struct object_inlinee inlinees[MANY_UNITS][MANY_FUNCTIONS];
	struct object_range ranges[MANY_UNITS][MANY_FUNCTIONS];
	struct object_line lines[MANY_UNITS][MANY_FUNCTIONS][4];
	char names[MANY_UNITS][MANY_FUNCTIONS][16];
};

static void make_function(struct many *many, unsigned u, unsigned i)
{
	struct object_function *function = &many->functions[u][i];
	/* units interleave, and every seventh function overlaps the next */
	uint64_t at = 0x1000 + ((uint64_t)i * MANY_UNITS + (u * 37) % MANY_UNITS) * 0x40;
	char *name = many->names[u][i];

	snprintf(name, sizeof(many->names[u][i]), "f%u_%u", u % 50, i);
	for (unsigned k = 0; k < 4; k++)
		many->lines[u][i][k] = (struct object_line){ at + k * 8, k % 3, i + k };
	many->ranges[u][i] = (struct object_range){ at + 8, 16 };
	many->inlinees[u][i] = (struct object_inlinee){
		.parent = OBJECT_NO_PARENT, .call_file = 2, .call_line = i, .name = NAME("inl"),
		.ranges = &many->ranges[u][i], .range_count = 1 };
	*function = (struct object_function){
		.range = { at, (u + i) % 7 ? 0x30 : 0x70 }, .name = text_of(name),
		.lines = many->lines[u][i], .line_count = 4,
		.inlinees = &many->inlinees[u][i], .inlinee_count = 1 };
}

static struct fake make_many(struct many *many)
{
	for (unsigned u = 0; u < MANY_UNITS; u++) {
		for (unsigned i = 0; i < MANY_FUNCTIONS; i++)
			make_function(many, u, i);
		many->units[u] = (struct fake_unit){ files, COUNT(files), many->functions[u],
						     MANY_FUNCTIONS, ERR_NONE };
	}
	return (struct fake){ many->units, MANY_UNITS, gap_symbols, COUNT(gap_symbols), false };
}

START_TEST(any_number_of_threads_writes_the_same_bytes)
{
	static struct many many;
	struct fake fake = make_many(&many);
	struct symcache_report report, same;
	struct buf one, other;

	must_write(&fake, 1, &one, &report);
	for (unsigned threads = 2; threads < 9; threads++) {
		must_write(&fake, threads, &other, &same);
		ck_assert_uint_eq(one.size, other.size);
		ck_assert_int_eq(memcmp(one.bytes, other.bytes, one.size), 0);
		buf_release(&other);
	}
	ck_assert_str_eq(fake_chain(&one, 0x1000 + 0x10), "inl at c.c:2 < f0_0 at c.c:0");
	buf_release(&one);
}
END_TEST

/* --- Want of memory ------------------------------------------------------------------ */

static int write_gaps(void *payload, struct err *err)
{
	struct symcache_report report;
	struct object object = fake_object(payload);
	FILE *file = tmpfile();
	int rc;

	ck_assert_ptr_nonnull(file);
	rc = symcache_write(&object, NULL, fileno(file), &report, err);
	fclose(file);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	static const struct fake *const fakes[] = { &gaps, &nest, &overlap, &loose };

	support_every_allocation_failure(write_gaps, (void *)(uintptr_t)fakes[_i], 500);
}
END_TEST

START_TEST(memory_over_the_ceiling_is_a_limit)
{
	static struct many many;
	struct fake fake = make_many(&many);
	struct symcache_options options = { .threads = 2, .memory_bytes = 64 * 1024 };
	struct symcache_report report;
	struct object object = fake_object(&fake);
	struct err err = ERR_INIT;
	FILE *file = tmpfile();

	ck_assert_int_eq(symcache_write(&object, &options, fileno(file), &report, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_str_eq(err.text, "writing symcache: the lookup file needs more than 65536 bytes "
				   "of memory");
	fclose(file);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

START_TEST(a_full_disk_is_an_io_error)
{
	struct symcache_report report;
	struct object object = fake_object(&nest);
	struct err err = ERR_INIT;
	FILE *file = fopen("/dev/full", "w");

	if (!file)
		return;
	ck_assert_int_eq(symcache_write(&object, NULL, fileno(file), &report, &err), -1);
	ck_assert_int_eq(err.kind, ERR_IO);
	fclose(file);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

static const struct fake_unit starved_unit[] = { { .ends_in = ERR_NO_MEMORY } };
static const struct fake starved = UNITS(starved_unit);

START_TEST(a_unit_without_memory_ends_the_whole)
{
	struct symcache_report report;
	struct err err = ERR_INIT;
	struct buf file;

	buf_init(&file, FILE_CEILING_BYTES);
	ck_assert_int_eq(fake_write(&starved, 1, &file, &report, &err), -1);
	ck_assert_int_eq(err.kind, ERR_NO_MEMORY);
	buf_release(&file);
}
END_TEST

/* --- Depth --------------------------------------------------------------------------- */

#define DEEP 1000u

START_TEST(inlined_calls_nested_too_deep_end_at_the_limit)
{
	static struct object_inlinee inlinees[DEEP];
	static const struct object_range range = { 0x100, 0x10 };
	struct object_function function = { .range = { 0x100, 0x20 }, .name = NAME("deep"),
					    .inlinees = inlinees, .inlinee_count = DEEP };
	struct fake_unit unit = { .functions = &function, .function_count = 1 };
	struct fake fake = { .units = &unit, .unit_count = 1 };
	struct symcache_frame frames[LIMIT_INLINE_DEPTH + 1];
	struct symcache_report report;
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf file;

	for (uint32_t i = 0; i < DEEP; i++)
		inlinees[i] = (struct object_inlinee){
			.parent = i ? i - 1 : OBJECT_NO_PARENT, .name = NAME("in"),
			.call_line = i, .ranges = &range, .range_count = 1 };
	must_write(&fake, 1, &file, &report);
	ck_assert_int_eq(symcache_open(&cache, file.bytes, file.size, &err), 0);
	ck_assert_uint_eq(symcache_lookup(&cache, 0x100, frames, COUNT(frames)),
			  LIMIT_INLINE_DEPTH);
	ck_assert(text_is(frames[LIMIT_INLINE_DEPTH - 1].function, "deep"));
	buf_release(&file);
}
END_TEST

/* Instead of names functions may have what they hold; symbols hold nothing.  The lists lie where
 * the next unit's will. */
static int give_from_scratch(const struct object *object, size_t unit, struct arena *scratch,
			     const struct object_sink *sink, struct err *err)
{
	const struct fake *fake = object->state;
	const struct text said = unit ? (struct text){ "b\0int", sizeof("b\0int") }
				      : (struct text){ "a\0void*", sizeof("a\0void*") };
	struct object_function function = fake->units[unit].functions[0];

	function.variables = (struct text){ arena_strndup(scratch, said.bytes, said.size), said.size };
	ck_assert_ptr_nonnull(function.variables.bytes);
	return sink->function(sink->payload, NULL, 0, &function, err);
}

START_TEST(functions_may_go_by_their_variables)
{
	static const struct object_function first[] = {
		{ .range = { 0x100, 0x20 }, .name = NAME("f@8"), .variables = NAME("lost") },
	};
	static const struct object_function second[] = { { .range = { 0x200, 0x20 }, .name = NAME("g") } };
	static const struct fake_unit units[] = { { NULL, 0, first, 1, ERR_NONE },
						  { NULL, 0, second, 1, ERR_NONE } };
	static const struct object_symbol symbols[] = { SYMBOL(0x300, 4, "symbol") };
	const struct fake fake = { units, 2, symbols, 1, false };
	const struct symcache_options options = { .threads = 1, .of_variables = true };
	struct object object = fake_object(&fake);
	struct object_format format = *object.format;
	struct symcache_frame frames[4];
	struct symcache_report report;
	struct symcache cache;
	struct file_map map;
	struct err err = ERR_INIT;
	FILE *file = tmpfile();

	format.read_unit = give_from_scratch;
	object.format = &format;
	object.undecorates = true;
	ck_assert_msg(symcache_write(&object, &options, fileno(file), &report, &err) == 0, "%s", err.text);
	ck_assert_int_eq(file_map_fd(&map, fileno(file), &err), 0);
	ck_assert_int_eq(symcache_open(&cache, map.bytes, map.size, &err), 0);
	ck_assert_uint_eq(symcache_lookup(&cache, 0x110, frames, 4), 1);
	ck_assert(text_equal(frames[0].function, (struct text){ "a\0void*", 8 }));
	ck_assert_uint_eq(frames[0].entry, 0x100);
	ck_assert_uint_eq(symcache_lookup(&cache, 0x210, frames, 4), 1);
	ck_assert(text_equal(frames[0].function, (struct text){ "b\0int", 6 }));
	ck_assert_uint_eq(symcache_lookup(&cache, 0x302, frames, 4), 0);
	file_unmap(&map);
	fclose(file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symcache write");
	TCase *tcase = tcase_create("write");

	tcase_add_loop_test(tcase, answers, 0, COUNT(cases));
	tcase_add_test(tcase, functions_may_go_by_their_variables);
	tcase_add_test(tcase, damaged_units_cost_themselves_and_are_reported);
	tcase_add_test(tcase, counts_and_head_are_right);
	tcase_add_test(tcase, calls_of_one_place_are_one);
	tcase_add_test(tcase, large_functions_are_kept_whole);
	tcase_add_test(tcase, languages_and_entries_are_kept);
	tcase_add_test(tcase, any_number_of_threads_writes_the_same_bytes);
	tcase_add_loop_test(tcase, survives_every_allocation_failure, 0, 4);
	tcase_add_test(tcase, memory_over_the_ceiling_is_a_limit);
	tcase_add_test(tcase, a_full_disk_is_an_io_error);
	tcase_add_test(tcase, a_unit_without_memory_ends_the_whole);
	tcase_add_test(tcase, inlined_calls_nested_too_deep_end_at_the_limit);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
