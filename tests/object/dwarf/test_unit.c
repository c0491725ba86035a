/* test_unit.c -- units, forms, ranges, names and nesting, written by hand. */
#include "base/limits.h"
#include "object/dwarf/kit.h"
#include "support/support.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(*(array)))

struct unit_case {
	const char *what, *abbrev, *info;
	enum dwarf_section other;        /* of `bytes` */
	const char *bytes, *want;
};

/* A version 4 unit of KIT_ABBREVS from 0x1000 on, without a line table that exists. */
#define V4(dies) "[ h4 w0 b8 u1 sa.c q0x1000 w0x100 w0 " dies " b0 ] "
#define V5(dies) "[ h5 b1 b8 w0 " dies " b0 ] "

static void check(struct kit *kit, const char *what, const char *want)
{
	const char *said = kit_read(kit);

	ck_assert_msg(kit->failed == 0, "%s: %s", what, kit->err.text);
	ck_assert_msg(!strcmp(said, want), "%s:\n%s", what, said);
	kit_release(kit);
}

static void check_case(const struct unit_case *test, bool big_endian)
{
	struct kit kit;

	kit_init(&kit);
	kit.input.main.big_endian = big_endian;
	kit_put(&kit, DWARF_ABBREV, test->abbrev);
	kit_put(&kit, DWARF_INFO, test->info);
	if (test->bytes)
		kit_put(&kit, test->other, test->bytes);
	check(&kit, test->what, test->want);
}

/* --- Forms ---------------------------------------------------------------------------- */

/* Abbreviation 1 a bare unit, 2 a function: the attributes given, then name, low and high;
 * the value given is followed by the name f. */
#define FORM(attributes) \
	"u1 u0x11 b1 u0 u0 u2 u0x2e b0 " attributes " u3 u8 u0x11 u1 u0x12 u0xb u0 u0 u0 "
#define VALUE(value) "u1 u2 " value " sf q0x1000 b0x10 "
#define F "f 1000+10:\n"

static const struct unit_case forms[] = {
	{ "addr", FORM("u0x34 u1"), V5(VALUE("q7")), 0, NULL, F },
	{ "block1, block2, block4, block, exprloc",
	  FORM("u0x34 u0xa u0x34 u3 u0x34 u4 u0x34 u9 u0x34 u0x18"),
	  V5(VALUE("b2 h7 h1 b9 w3 b1 b2 b3 u1 b9 u2 h8")), 0, NULL, F },
	{ "data1 to data16", FORM("u0x34 u0xb u0x34 u5 u0x34 u6 u0x34 u7 u0x34 u0x1e"),
	  V5(VALUE("b1 h1 w1 q1 q1 q1")), 0, NULL, F },
	{ "flag, flag_present, implicit_const, udata, sdata of ten bytes",
	  FORM("u0x34 u0xc u0x34 u0x19 u0x34 u0x21 i-70000 u0x34 u0xf u0x34 u0xd"),
	  V5(VALUE("b1 u70000 i-9223372036854775807")), 0, NULL, F },
	{ "strp, line_strp, sec_offset, strp_sup, GNU_strp_alt, GNU_ref_alt, ref_addr",
	  FORM("u0x34 u0xe u0x34 u0x1f u0x34 u0x17 u0x34 u0x1d u0x34 u0x1f21 u0x34 u0x1f20 "
	       "u0x34 u0x10"),
	  V5(VALUE("w1 w2 w3 w4 w5 w6 w7")), 0, NULL, F },
	{ "ref1 to ref8, ref_udata, ref_sig8, ref_sup4, ref_sup8",
	  FORM("u0x34 u0x11 u0x34 u0x12 u0x34 u0x13 u0x34 u0x14 u0x34 u0x15 u0x34 u0x20 "
	       "u0x34 u0x1c u0x34 u0x24"),
	  V5(VALUE("b1 h1 w1 q1 u300 q1 w1 q1")), 0, NULL, F },
	{ "strx and addrx of all sizes, loclistx, rnglistx, GNU indexes",
	  FORM("u0x34 u0x1a u0x34 u0x25 u0x34 u0x26 u0x34 u0x27 u0x34 u0x28 u0x34 u0x1b "
	       "u0x34 u0x29 u0x34 u0x2a u0x34 u0x2b u0x34 u0x2c u0x34 u0x22 u0x34 u0x23 "
	       "u0x34 u0x1f01 u0x34 u0x1f02"),
	  V5(VALUE("u1 b1 h1 b1 h1 w1 u1 b1 h1 h1 b1 w1 u300 u1 u1 u1")), 0, NULL, F },
	{ "indirect", FORM("u0x34 u0x16 u0x34 u0x16"), V5(VALUE("u0xb b1 u8 sxyz")), 0, NULL,
	  F },
	{ "64-bit DWARF", FORM("u0x34 u0xe u0x34 u0x17 u0x34 u0x10"),
	  "w0xffffffff q50 h5 b1 b8 q0 " VALUE("q1 q2 q3") " b0", 0, NULL, F },
	{ "version 2: ref_addr is an address", FORM("u0x34 u0x10"),
	  "[ h2 w0 b8 " VALUE("q1") " b0 ]", 0, NULL, F },
	{ "codes that leave gaps, out of order",
	  "u900 u0x2e b0 u3 u8 u0x11 u1 u0x12 u0xb u0 u0 u1 u0x11 b1 u0 u0 u0",
	  V5("u1 u900 sf q0x1000 b0x10"), 0, NULL, F },
	{ "an end that was left out", FORM(""), "[ h5 b1 b8 w0 " VALUE("") " ]", 0, NULL, F },
	{ "high pc as an address",
	  "u1 u0x11 b1 u0 u0 u2 u0x2e b0 u3 u8 u0x11 u1 u0x12 u1 u0 u0 u0",
	  V5("u1 u2 sf q0x1000 q0x1010"), 0, NULL, F },
	{ "addresses by index", "u1 u0x11 b1 u0x73 u0x17 u0 u0 "
	  "u2 u0x2e b0 u3 u8 u0x11 u0x1b u0x12 u0x29 u0 u0 u0",
	  V5("u1 w8 u2 sf u1 b2"), DWARF_ADDR, "[ h5 b8 b0 q1 q0x1000 q0x1010 ]", F },
	{ "names by index", "u1 u0x11 b1 u0x72 u0x17 u0 u0 "
	  "u2 u0x2e b0 u3 u0x25 u0x11 u1 u0x12 u0xb u0 u0 u0",
	  V5("u1 w8 u2 b1 q0x1000 b0x10"), DWARF_STR_OFFSETS, "[ h5 h0 w0 w3 ]",
	  " 1000+10:\n" },
};

START_TEST(reads_every_form)
{
	check_case(&forms[_i], false);
	check_case(&forms[_i], true);
}
END_TEST

/* --- Ranges --------------------------------------------------------------------------- */

#define RANGED(form) "u1 u0x11 b1 u0x11 u1 u0 u0 u2 u0x2e b0 u3 u8 u0x55 " form " u0 u0 u0 "

static const struct unit_case ranges[] = {
	{ ".debug_ranges, offsets from the unit's low pc, out of order, touching",
	  RANGED("u0x17"), "[ h4 w0 b8 u1 q0x1000 u2 sf w0 b0 ]", DWARF_RANGES,
	  "q0x40 q0x50 q0x10 q0x20 q0x20 q0x30 q0 q0", "f 1010+20:\nf 1040+10:\n" },
	{ ".debug_ranges, a base chosen, then one the linker discarded",
	  RANGED("u0x17"), "[ h4 w0 b8 u1 q0 u2 sf w0 b0 ]", DWARF_RANGES,
	  "q-1 q0x2000 q0 q8 q-1 q0 q0x10 q0x20 q-1 q1 q0x10 q0x20 q-1 q0x3000 q0 q4 q0 q0",
	  "f 2000+8:\nf 3000+4:\n" },
	{ ".debug_ranges, ld's 1 for what it threw away; empty and turned round",
	  RANGED("u0x17"), "[ h4 w0 b8 u1 q0 u2 sf w0 b0 ]", DWARF_RANGES,
	  "q1 q1 q0x1000 q0x1000 q0x1020 q0x1010 q0x1000 q0x1004 q0 q0", "f 1000+4:\n" },
	{ ".debug_rnglists, every kind of entry",
	  RANGED("u0x17"), V5("u1 q0x1000 u2 sf w0"), DWARF_RNGLISTS,
	  "b4 u0 u8 b5 q0x2000 b4 u0x10 u0x18 b6 q0x3000 q0x3004 b7 q0x4000 u5 b0",
	  "f 1000+8:\nf 2010+8:\nf 3000+4:\nf 4000+5:\n" },
	{ ".debug_rnglists, what linkers discarded",
	  RANGED("u0x17"), V5("u1 q0 u2 sf w0"), DWARF_RNGLISTS,
	  "b5 q0 b4 u0x10 u0x18 b7 q0 u5 b6 q-1 q3 b7 q-2 u1 b5 q-1 b4 u1 u9 b7 q0x4000 u5 b0",
	  "f 4000+5:\n" },
};

START_TEST(reads_ranges)
{
	check_case(&ranges[_i], false);
	check_case(&ranges[_i], true);
}
END_TEST

START_TEST(reads_range_lists_by_index)
{
	struct kit kit;

	kit_init(&kit);
	kit_put(&kit, DWARF_ABBREV, "u1 u0x11 b1 u0x73 u0x17 u0x74 u0x17 u0 u0 "
		"u2 u0x2e b0 u3 u8 u0x55 u0x23 u0 u0 u0");
	kit_put(&kit, DWARF_INFO, V5("u1 w8 w12 u2 sf u1"));
	kit_put(&kit, DWARF_ADDR, "[ h5 b8 b0 q0x1000 q0x1010 q0x2000 ]");
	kit_put(&kit, DWARF_RNGLISTS, "[ h5 b8 b0 w2 w8 w9 b0 "
		"b2 u0 u1 b3 u2 u8 b1 u2 b4 u0x10 u0x20 b0 ]");
	check(&kit, "indexes", "f 1000+10:\nf 2000+8:\nf 2010+10:\n");
}
END_TEST

static const struct unit_case dropped[] = {
	{ "low pc 0, -1, -2", KIT_ABBREVS "u0",
	  V4("u2 sa q0 w8 b0 u2 sb q-1 w8 b0 u2 sc q-2 w8 b0 u2 sd q0x1000 w8 b0"),
	  0, NULL, "d 1000+8:\n" },
	{ "empty, and ending before it starts", KIT_ABBREVS "u0",
	  V4("u2 sa q0x1000 w0 b0 u2 sb q0xffffffffffffff00 w-1 b0 u2 sd q0x1000 w8 b0"),
	  0, NULL, "d 1000+8:\n" },
	{ "the same function twice", KIT_ABBREVS "u0",
	  V4("u2 sd q0x1000 w8 b0 u2 se q0x1000 w8 b0 u2 sg q0x1000 w9 b0"),
	  0, NULL, "d 1000+8:\ng 1000+9:\n" },
	{ "a whole unit at 0", KIT_ABBREVS "u0",
	  "[ h4 w0 b8 u1 sa.c q0 w0x100 w0 u2 sa q0x10 w8 b0 b0 ] " V4("u2 sd q0x1000 w8 b0"),
	  0, NULL, "d 1000+8:\n" },
	{ "inlined calls of dropped functions", KIT_ABBREVS "u0",
	  V4("u2 sa q0 w8 u3 w0x48 q4 w4 b1 b1 b0 b0 u5 sg u2 sd q0x1000 w8 b0"),
	  0, NULL, "d 1000+8:\n" },
};

START_TEST(drops_what_linkers_discarded)
{
	check_case(&dropped[_i], false);
}
END_TEST

START_TEST(drops_what_lies_below_the_code)
{
	struct kit kit;

	kit_init(&kit);
	kit.input.load_address = 0x400000;
	kit.input.lowest_code = 0x401000;
	kit_put(&kit, DWARF_ABBREV, KIT_ABBREVS "u0");
	kit_put(&kit, DWARF_INFO, V4("u2 sa q0x1000 w8 b0 u2 sb q0x400800 w8 b0 "
				     "u2 sd q0x401000 w8 b0"));
	check(&kit, "low", "d 1000+8:\n");
}
END_TEST

/* Base 0: addresses follow, as gas writes it; or a section that gold discarded, whose offsets
 * may reach as high as code does.  What linkers leave of a discarded entry among live ones
 * ([1, 1) of ld and lld, [0, size) of gold) says nothing of the others. */
START_TEST(base_zero_is_judged_by_its_entries)
{
	static const struct {
		const char *abbrev, *info, *ranges, *expected;
		unsigned section;
	} cases[] = {
		{ RANGED("u0x17"), "[ h4 w0 b8 u1 q0 u2 sf w0 b0 ]",
		  "q-1 q0 q0x1000 q0x1010 q0x2000 q0x2008 q0 q0", "f 1000+10:\nf 2000+8:\n",
		  DWARF_RANGES },
		{ RANGED("u0x17"), "[ h4 w0 b8 u1 q0 u2 sf w0 b0 ]",
		  "q-1 q0 q0x10 q0x20 q0x1000 q0x1010 q-1 q0x3000 q0 q4 q0 q0", "f 3000+4:\n",
		  DWARF_RANGES },
		{ RANGED("u0x17"), V5("u1 q0 u2 sf w0"),
		  "b5 q0 b4 u0x1000 u0x1010 b5 q0 b4 u0x10 u0x20 b4 u0x2000 u0x2008 b0",
		  "f 1000+10:\n", DWARF_RNGLISTS },
		{ RANGED("u0x17"), "[ h4 w0 b8 u1 q0 u2 sf w0 b0 ]",
		  "q1 q1 q0x1000 q0x1010 q1 q1 q0x2000 q0x2008 q0 q0", "f 1000+10:\nf 2000+8:\n",
		  DWARF_RANGES },
		{ RANGED("u0x17"), "[ h4 w0 b8 u1 q0 u2 sf w0 b0 ]",
		  "q-1 q0 q1 q1 q0x1000 q0x1010 q0 q0", "f 1000+10:\n", DWARF_RANGES },
		{ RANGED("u0x17"), "[ h4 w0 b8 u1 q0 u2 sf w0 b0 ]",
		  "q0 q0x32 q0x1000 q0x1010 q0 q0x22 q0x2000 q0x2008 q0 q0",
		  "f 1000+10:\nf 2000+8:\n", DWARF_RANGES },
		{ RANGED("u0x17"), "[ h4 w0 b8 u1 q0 u2 sf w0 b0 ]",
		  "q-2 q-2 q0x1000 q0x1010 q0 q0", "f 1000+10:\n", DWARF_RANGES },
		{ RANGED("u0x17"), V5("u1 q0 u2 sf w0"),
		  "b4 u0 u0 b4 u1 u1 b4 u0x1000 u0x1010 b4 u0 u8 b4 u0x2000 u0x2008 b0",
		  "f 1000+10:\nf 2000+8:\n", DWARF_RNGLISTS },
	};

	for (int i = 0; i < COUNT(cases); i++) {
		struct kit kit;

		kit_init(&kit);
		kit.input.lowest_code = 0x1000;
		kit_put(&kit, DWARF_ABBREV, cases[i].abbrev);
		kit_put(&kit, DWARF_INFO, cases[i].info);
		kit_put(&kit, cases[i].section, cases[i].ranges);
		check(&kit, "base zero", cases[i].expected);
	}
}
END_TEST

/* --- Nesting -------------------------------------------------------------------------- */

/* g stands at 0x20: behind the header's 11 bytes and the unit DIE's 21. */
#define NEST(dies) V4("u5 sg " dies)
#define CALL(low, size, line) "u3 w0x20 q" low " w" size " b1 b" line " "

static const struct unit_case nests[] = {
	{ "two levels, through blocks", KIT_ABBREVS "u0",
	  NEST("u2 sf q0x1000 w0x40 u4 u4 " CALL("0x1004", "0x10", "5")
	       "u4 " CALL("0x1008", "4", "6") "b0 b0 b0 b0 b0 b0"), 0, NULL,
	  "f 1000+40:; >g(1004+10)@?:5 >>g(1008+4)@?:6\n" },
	{ "clipped to the parent, and gone where nothing is left", KIT_ABBREVS "u0",
	  NEST("u2 sf q0x1000 w0x40 " CALL("0x1004", "0x10", "5")
	       CALL("0x1000", "0x20", "6") "b0 b0 " CALL("0x2000", "4", "7")
	       CALL("0x2000", "4", "8") "b0 b0 b0"), 0, NULL,
	  "f 1000+40:; >g(1004+10)@?:5 >>g(1004+10)@?:6\n" },
	{ "of two that overlap the later starts where the earlier ends", KIT_ABBREVS "u0",
	  NEST("u2 sf q0x1000 w0x40 " CALL("0x1008", "0x10", "5") "b0 "
	       CALL("0x1004", "0x8", "6") "b0 b0"), 0, NULL,
	  "f 1000+40:; >g(100c+c)@?:5 >g(1004+8)@?:6\n" },
	{ "a call without code: its calls are the parent's", KIT_ABBREVS "u0",
	  NEST("u2 sf q0x1000 w0x40 " CALL("0", "0", "5") CALL("0x1008", "4", "6")
	       "b0 b0 b0"), 0, NULL,
	  "f 1000+40:; >g(1008+4)@?:6\n" },
	{ "a function within a function", KIT_ABBREVS "u0",
	  NEST("u2 sf q0x1000 w0x40 " CALL("0x1000", "4", "5") "b0 "
	       "u2 sh q0x1010 w8 " CALL("0x1010", "4", "6") "b0 b0 "
	       CALL("0x1020", "4", "7") "b0 b0"), 0, NULL,
	  "h 1010+8:; >g(1010+4)@?:6\n"
	  "f 1000+40:; >g(1000+4)@?:5 >g(1020+4)@?:7\n" },
};

START_TEST(repairs_nesting)
{
	check_case(&nests[_i], false);
}
END_TEST

/* --- Names ---------------------------------------------------------------------------- */

/* 1 unit with language, 2 function with ref4 origin, low, high, 3 with name and linkage name,
 * 4 with specification, 5 bare with origin by ref_addr, low, high, 6 partial unit */
#define NAMES \
	"u1 u0x11 b1 u0x13 u5 u0 u0 " \
	"u2 u0x2e b0 u0x31 u0x13 u0x11 u1 u0x12 u0xb u0 u0 " \
	"u3 u0x2e b0 u3 u8 u0x6e u8 u0 u0 " \
	"u4 u0x2e b0 u0x47 u0x13 u0 u0 " \
	"u5 u0x2e b0 u0x31 u0x10 u0x11 u1 u0x12 u0xb u0 u0 " \
	"u6 u0x3c b1 u0 u0 " \
	"u7 u0x2e b0 u0x31 u0x1f20 u0x11 u1 u0x12 u0xb u0 u0 u0"

static const struct unit_case names[] = {
	{ "origin, then specification", NAMES,   /* DIEs from 12: 15 the name, 21 the middle */
	  V5("u1 h0x1a u3 sf s_Zf u4 w15 u2 w22 q0x1000 b8"), 0, NULL, "_Zf 1000+8 cpp:\n" },
	{ "an origin that is its own", NAMES, V5("u1 h2 u2 w15 q0x1000 b8"), 0, NULL,
	  " 1000+8 c:\n" },
	{ "two that are each other's", NAMES, V5("u1 h2 u4 w20 u4 w15 u2 w15 q0x1000 b8"), 0,
	  NULL, " 1000+8 c:\n" },
	{ "an origin outside of everything", NAMES, V5("u1 h0x1c u2 w0xfffffff0 q0x1000 b8"), 0,
	  NULL, " 1000+8 rust:\n" },
	{ "an origin in another unit, whose language counts", NAMES,
	  V5("u1 h2 u3 sf s_Zf") V5("u1 h0x2b u5 w15 q0x1000 b8"), 0, NULL,
	  "_Zf 1000+8 c:\n" },
	{ "an origin in a partial unit", NAMES,
	  V5("u6 u3 sf s_Zf") V5("u1 h0x2c u5 w13 q0x1000 b8"), 0, NULL, "_Zf 1000+8 c:\n" },
};

START_TEST(follows_origins)
{
	check_case(&names[_i], false);
}
END_TEST

START_TEST(follows_origins_into_the_alternate)
{
	struct kit kit;

	kit_init(&kit);
	kit_put(&kit, DWARF_ABBREV, NAMES);
	kit_put(&kit, DWARF_INFO, V5("u1 h2 u7 w20 q0x1000 b8"));
	kit_put_in(&kit.alternate[DWARF_ABBREV], NAMES, false);
	kit_put_in(&kit.alternate[DWARF_INFO], V5("u6 u3 sf s_Zf u4 w13"), false);
	check(&kit, "alternate", "_Zf 1000+8 c:\n");
}
END_TEST

/* The hot part keeps the function's name whichever part lies lower. */
START_TEST(hot_and_cold_parts_keep_their_names)
{
	static const struct kit_symbol symbols[] = {
		{ 0x1000, "_Zf.cold" }, { 0x2000, "_Zf" }, { 0, NULL }
	};
	static const struct kit_symbol hot_only[] = { { 0x2000, "_Zf" }, { 0, NULL } };
	static const char *const info = V5("u1 q0 u2 sf w0");
	static const char *const lists = "b6 q0x2000 q0x2010 b6 q0x1000 q0x1008 b0";
	struct kit kit;

	kit_init(&kit);
	kit.symbols = symbols;
	kit_put(&kit, DWARF_ABBREV, RANGED("u0x17"));
	kit_put(&kit, DWARF_INFO, info);
	kit_put(&kit, DWARF_RNGLISTS, lists);
	check(&kit, "both have a symbol", "_Zf.cold 1000+8:\n_Zf 2000+10:\n");
	kit_init(&kit);
	kit.symbols = hot_only;
	kit_put(&kit, DWARF_ABBREV, RANGED("u0x17"));
	kit_put(&kit, DWARF_INFO, info);
	kit_put(&kit, DWARF_RNGLISTS, lists);
	check(&kit, "the cold one has none", "f 1000+8:\n_Zf 2000+10:\n");
}
END_TEST

START_TEST(dart_knows_better_than_the_symbol_table)
{
	static const struct kit_symbol symbols[] = { { 0x1000, "symbol" }, { 0, NULL } };
	struct kit kit;

	kit_init(&kit);
	kit.symbols = symbols;
	kit_put(&kit, DWARF_ABBREV, "u1 u0x11 b1 u0x25 u8 u0 u0 "
		"u2 u0x2e b0 u3 u8 u0x11 u1 u0x12 u0xb u0 u0 u0");
	kit_put(&kit, DWARF_INFO, V5("u1 sDart.VM u2 sf q0x1000 b0x10"));
	kit.main[DWARF_INFO].bytes[17] = ' ';
	check(&kit, "Dart VM", "f 1000+10:\n");
}
END_TEST

/* --- Split units ---------------------------------------------------------------------- */

#define DWO_ID "q0x1122334455667700"

static int stop(void *payload, const struct dwarf_missing *missing)
{
	(void)payload;
	ck_assert_uint_ne(missing->id, 0);
	return 1;
}

static void put_skeleton(struct kit *kit)
{
	kit_put(kit, DWARF_ABBREV, "u1 u0x4a b0 u0x76 u8 u0x73 u0x17 u0x11 u1 u0 u0 u0");
	kit_put(kit, DWARF_INFO, "[ h5 b4 b8 w0 " DWO_ID " u1 sx.dwo w8 q0 ]");
	kit_put(kit, DWARF_ADDR, "[ h5 b8 b0 q1 q0x1000 ]");
}

/* `pad` is where each section's part begins: 0, or what the package's index says. */
static void put_split(struct kit *kit, const char *pad)
{
	static const struct { enum dwarf_section section; const char *words; } parts[] = {
		{ DWARF_ABBREV, "u1 u0x11 b1 u0x13 u5 u0 u0 "
		  "u2 u0x2e b0 u3 u0x1a u0x11 u0x1b u0x12 u0xb u0 u0 "
		  "u3 u0x2e b0 u0x31 u0x13 u0x55 u0x23 u0 u0 u0" },
		{ DWARF_INFO, "[ h5 b5 b8 w0 " DWO_ID " u1 h0x1a u2 u0 u1 b8 u3 w23 u0 b0 ]" },
		{ DWARF_STR_OFFSETS, "[ h5 h0 w1 ]" },
		{ DWARF_RNGLISTS, "[ h5 b8 b0 w1 w4 b3 u1 u4 b7 q0x2000 u4 b0 ]" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		kit_put_in(&kit->split[parts[i].section], pad, false);
		kit_put_in(&kit->split[parts[i].section], parts[i].words, false);
	}
	kit_put_in(&kit->split[DWARF_STR], "b0 s_Zf", false);
}

static const char *const split_want = "_Zf 1000+8 cpp:\n_Zf 1000+4 cpp:\n_Zf 2000+4 cpp:\n";

START_TEST(reads_split_units_of_the_same_file)
{
	struct kit kit;

	kit_init(&kit);
	put_skeleton(&kit);
	put_split(&kit, ".0");
	check(&kit, "same file", split_want);
}
END_TEST

START_TEST(reads_split_units_of_a_package)
{
	struct kit kit;

	kit_init(&kit);
	put_skeleton(&kit);
	put_split(&kit, ".24");
	kit_put_in(&kit.split[DWARF_CU_INDEX], "h5 h0 w4 w1 w2 " DWO_ID " q0 w1 w0 "
		   "w1 w3 w6 w8 w24 w24 w24 w24 w99 w99 w99 w99", false);
	check(&kit, "package", split_want);
}
END_TEST

START_TEST(says_when_split_units_are_missing)
{
	struct kit kit;

	kit_init(&kit);
	put_skeleton(&kit);
	check(&kit, "alone", "");
	for (unsigned with = 0; with < 2; with++) {
		struct err err = ERR_INIT;
		struct dwarf *dwarf;
		struct arena arena;

		kit_init(&kit);
		put_skeleton(&kit);
		if (with)
			put_split(&kit, ".0");
		kit_read(&kit);
		arena_init(&arena, (size_t)1 << 24);
		ck_assert_int_eq(dwarf_open(&dwarf, &kit.input, &arena, &err), 0);
		ck_assert_int_eq(dwarf_each_missing(dwarf, stop, NULL), with ? 0 : 1);
		arena_release(&arena);
		kit_release(&kit);
	}
}
END_TEST

/* --- Siblings ------------------------------------------------------------------------- */

/* Offsets: unit DIE at 12; producer and its NUL; the structure after it. */
static const struct unit_case siblings[] = {
	{ "a type of gcc's is jumped over, whatever is in it",
	  "u1 u0x11 b1 u0x25 u8 u0 u0 u2 u0x2e b0 u3 u8 u0x11 u1 u0x12 u0xb u0 u0 "
	  "u3 u0x13 b1 u1 u0x13 u0 u0 u0",
	  V5("u1 sGNU.C u3 w41 u2 sx q0x1000 b4 b0 b0 b0 b0 b0 u2 sf q0x1000 b0x10"), 0, NULL,
	  F },
	{ "a sibling that points back is not believed",
	  "u1 u0x11 b1 u0 u0 u2 u0x2e b0 u3 u8 u0x11 u1 u0x12 u0xb u0 u0 "
	  "u3 u4 b1 u1 u0x13 u0 u0 u0",
	  V5("u1 u3 w1 b0 u2 sf q0x1000 b0x10"), 0, NULL, F },
};

START_TEST(jumps_over_siblings)
{
	struct kit kit;

	kit_init(&kit);
	kit_put(&kit, DWARF_ABBREV, siblings[_i].abbrev);
	kit_put(&kit, DWARF_INFO, siblings[_i].info);
	if (_i == 0)
		kit.main[DWARF_INFO].bytes[16] = ' ';
	check(&kit, siblings[_i].what, siblings[_i].want);
}
END_TEST

/* --- Refusals ------------------------------------------------------------------------- */

static const struct {
	const char *what, *abbrev, *info;
	enum err_kind kind;
	const char *text;
} bad[] = {
	{ "a version nobody wrote", KIT_ABBREVS "u0", "[ h6 w0 b8 ]", ERR_UNSUPPORTED,
	  "reading .debug_info unit at 0: DWARF version 6" },
	{ "a reserved length", KIT_ABBREVS "u0", "w0xfffffff5 h4 w0 b8", ERR_MALFORMED,
	  "reading .debug_info unit at 0: the reserved length 0xfffffff5" },
	{ "longer than the section", KIT_ABBREVS "u0", "w0x1000 h4 w0 b8", ERR_MALFORMED,
	  "reading .debug_info unit at 0: a length of 4096 bytes where 7 are left" },
	{ "addresses of 3 bytes", KIT_ABBREVS "u0", "[ h4 w0 b3 ]", ERR_UNSUPPORTED,
	  "reading .debug_info unit at 0: addresses of 3 bytes" },
	{ "a code without an abbreviation", KIT_ABBREVS "u0", V4("u17"), ERR_MALFORMED,
	  "reading .debug_info unit at 0: abbreviation 17 unknown, at byte 32" },
	{ "a DIE cut short", KIT_ABBREVS "u0", "[ h4 w0 b8 u1 sa.c q0x1000 w0x100 w0 u2 sf q0 ]",
	  ERR_MALFORMED,
	  "reading .debug_info unit at 0: .debug_info ends early, at byte 43 of 43" },
	{ "abbreviations that are not there", KIT_ABBREVS "u0", "[ h4 w900 b8 u1 ]",
	  ERR_MALFORMED, NULL },
	{ "an unknown form", "u1 u0x11 b1 u3 u0x77 u0 u0 u0", "[ h4 w0 b8 u1 ]", ERR_UNSUPPORTED,
	  "reading .debug_info unit at 0: reading .debug_abbrev at 0: "
	  "abbreviation 1 has the unknown form 0x77" },
	{ "a range list that is not there", RANGED("u0x17"),
	  "[ h4 w0 b8 u1 q0 u2 sf w0x100 b0 ]", ERR_MALFORMED, NULL },
};

/* The bad unit costs itself: the one behind it is read. */
START_TEST(refuses_with_the_right_words)
{
	struct kit kit;
	bool swallows = strstr(bad[_i].info, "w0xfffffff5") || strstr(bad[_i].info, "w0x1000 h4");

	kit_init(&kit);
	kit_put(&kit, DWARF_ABBREV, bad[_i].abbrev);
	kit_put(&kit, DWARF_ABBREV, ".200 " KIT_ABBREVS "u0");
	kit_put(&kit, DWARF_INFO, bad[_i].info);
	if (!swallows)
		kit_put(&kit, DWARF_INFO, "[ h4 w200 b8 u1 sa.c q0x1000 w0x100 w0 "
			"u2 sd q0x1000 w8 b0 b0 ]");
	ck_assert_str_eq(kit_read(&kit), swallows ? "" : "d 1000+8:\n");
	ck_assert_msg(kit.failed == 1, "%s: %u failed", bad[_i].what, kit.failed);
	ck_assert_int_eq(kit.err.kind, bad[_i].kind);
	if (bad[_i].text)
		ck_assert_str_eq(kit.err.text, bad[_i].text);
	kit_release(&kit);
}
END_TEST

START_TEST(depth_has_a_limit)
{
	struct kit kit;
	struct buf *info;

	kit_init(&kit);
	info = &kit.main[DWARF_INFO];
	kit_put(&kit, DWARF_ABBREV, KIT_ABBREVS "u0");
	kit_put(&kit, DWARF_INFO, "w0 h4 w0 b8 u1 sa.c q0x1000 w0x100 w0");
	for (unsigned i = 0; i < 2 * LIMIT_DIE_DEPTH; i++)
		buf_add_char(info, 4);
	info->bytes[0] = (char)((info->size - 4) & 0xff);
	info->bytes[1] = (char)((info->size - 4) >> 8);
	kit_read(&kit);
	ck_assert_uint_eq(kit.failed, 1);
	ck_assert_int_eq(kit.err.kind, ERR_LIMIT);
	kit_release(&kit);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dwarf units");
	TCase *tests = tcase_create("unit");

	tcase_add_loop_test(tests, reads_every_form, 0, COUNT(forms));
	tcase_add_loop_test(tests, reads_ranges, 0, COUNT(ranges));
	tcase_add_test(tests, reads_range_lists_by_index);
	tcase_add_test(tests, base_zero_is_judged_by_its_entries);
	tcase_add_loop_test(tests, drops_what_linkers_discarded, 0, COUNT(dropped));
	tcase_add_test(tests, drops_what_lies_below_the_code);
	tcase_add_loop_test(tests, repairs_nesting, 0, COUNT(nests));
	tcase_add_loop_test(tests, follows_origins, 0, COUNT(names));
	tcase_add_test(tests, follows_origins_into_the_alternate);
	tcase_add_test(tests, reads_split_units_of_the_same_file);
	tcase_add_test(tests, reads_split_units_of_a_package);
	tcase_add_test(tests, says_when_split_units_are_missing);
	tcase_add_test(tests, hot_and_cold_parts_keep_their_names);
	tcase_add_test(tests, dart_knows_better_than_the_symbol_table);
	tcase_add_loop_test(tests, jumps_over_siblings, 0, COUNT(siblings));
	tcase_add_loop_test(tests, refuses_with_the_right_words, 0, COUNT(bad));
	tcase_add_test(tests, depth_has_a_limit);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
