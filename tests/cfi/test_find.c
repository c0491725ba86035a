/* test_find -- opening texts of STACK records, sound and damaged, and searching them. */
#include "support/support.h"

#include <stdio.h>

#include "base/mem.h"
#include "cfi/cfi.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define PREAMBLE "CIFC\2\0\0\0"

static const char sample[] =
	PREAMBLE
	"MODULE windows x86 5A9832E5287241C1838ED98914E9B7FF1 a b.pdb\n"
	"STACK WIN 0 2dc4 14 1 2 4 8 c 10 0 1\n"
	"STACK WIN 4 1000 f 11 0 8 0 0 0 1 $T0 .raSearch =\n"
	"STACK WIN 4 100f 21 2 0 8 4 c 0 1 $T1 .raSearch =\n"
	"STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
	"STACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa 16 - ^\n"
	"STACK CFI      1004 .cfa: $rbp 16 +\r\n"
	"STACK CFI INIT 1020 1 .cfa: sp\n"
	"STACK CFI INIT 2000 8 .cfa: $rsp 8 + nonsense\n";

static struct cfi open_text(const char *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct cfi cfi;

	ck_assert_msg(cfi_open(&cfi, bytes, size, &err) == 0, "%s", err.text);
	return cfi;
}

/* All rules at an address: "NAME=EXPRESSION;..." with "!" where they are no good. */
static void rules_at(const struct cfi *cfi, uint64_t address, char *out, size_t capacity)
{
	struct cfi_rules rules;
	struct cfi_rows rows;
	struct cfi_rule rule;
	int rc;

	out[0] = '\0';
	if (!cfi_find(cfi, address, &rows)) {
		snprintf(out, capacity, "none");
		return;
	}
	cfi_rules_begin(&rules, &rows);
	while ((rc = cfi_rules_next(&rules, &rule)) > 0)
		snprintf(out + strlen(out), capacity - strlen(out), "%.*s=%.*s;",
			 (int)rule.name.size, rule.name.bytes, (int)rule.expression.size,
			 rule.expression.bytes);
	if (rc < 0)
		snprintf(out + strlen(out), capacity - strlen(out), "!");
}

/* --- Opening ------------------------------------------------------------------------- */

static const struct {
	const char *what, *bytes;
	size_t size;
	enum err_kind kind;
	const char *text;
} heads[] = {
	{ "nothing at all", "", 0, ERR_NONE, NULL },
	{ "no records", PREAMBLE, 8, ERR_NONE, NULL },
	{ "the first version", "STACK CFI INIT 0 1 .cfa: sp\n", 28, ERR_NONE, NULL },
	{ "cut short", "CIFC\2\0", 6, ERR_MALFORMED, "cficache ends early, at byte 4 of 6" },
	{ "another endianness", "CFIC\0\0\0\2", 8, ERR_MALFORMED,
	  "cficache has the wrong endianness" },
	{ "another file", "\177ELF\2\1\1\0", 8, ERR_MALFORMED,
	  "not a cficache: it starts with 0x464c457f" },
	{ "a later version", "CIFC\3\0\0\0", 8, ERR_UNSUPPORTED,
	  "cficache version 3, we read 1 and 2" },
};

START_TEST(heads_are_told_apart)
{
	struct err err = ERR_INIT;
	struct cfi_rows rows;
	struct cfi cfi;
	int rc = cfi_open(&cfi, heads[_i].bytes, heads[_i].size, &err);

	ck_assert_msg(err.kind == heads[_i].kind, "%s: %s", heads[_i].what, err.text);
	ck_assert_int_eq(rc, heads[_i].kind == ERR_NONE ? 0 : -1);
	if (heads[_i].text)
		ck_assert_str_eq(err.text, heads[_i].text);
	else
		ck_assert_int_eq(cfi_find(&cfi, 0, &rows), heads[_i].size > 8);
}
END_TEST

START_TEST(the_module_record_is_handed_out)
{
	struct cfi cfi = open_text(sample, sizeof(sample) - 1);

	ck_assert(text_is(cfi.module, "windows x86 5A9832E5287241C1838ED98914E9B7FF1 a b.pdb"));
	ck_assert(cfi.has_win && cfi.has_cfi);
}
END_TEST

/* --- Searching ----------------------------------------------------------------------- */

#define FIRST ".cfa=$rsp 8 +;.ra=.cfa 8 - ^;"
#define SECOND FIRST ".cfa=$rsp 16 +;$rbp=.cfa 16 - ^;"

static const struct {
	uint64_t address;
	const char *rules;
} places[] = {
	{ 0, "none" }, { 0xfff, "none" },
	{ 0x1000, FIRST }, { 0x1001, SECOND }, { 0x1003, SECOND },
	{ 0x1004, SECOND ".cfa=$rbp 16 +;" }, { 0x101f, SECOND ".cfa=$rbp 16 +;" },
	{ 0x1020, ".cfa=sp;" }, { 0x1021, "none" }, { 0x1fff, "none" },
	{ 0x2000, ".cfa=$rsp 8 + nonsense;" }, { 0x2008, "none" }, { UINT64_MAX, "none" },
};

START_TEST(rows_up_to_the_address_hold)
{
	struct cfi cfi = open_text(sample, sizeof(sample) - 1);
	char rules[256];

	rules_at(&cfi, places[_i].address, rules, sizeof(rules));
	ck_assert_str_eq(rules, places[_i].rules);
}
END_TEST

static const struct {
	uint64_t address;
	enum cfi_win_type type;
	uint64_t start;              /* 0: there is none */
} wins[] = {
	{ 0xfff, 0, 0 }, { 0x1000, CFI_WIN_FRAME_DATA, 0x1000 },
	{ 0x100e, CFI_WIN_FRAME_DATA, 0x1000 }, { 0x100f, CFI_WIN_FRAME_DATA, 0x100f },
	{ 0x1030, 0, 0 }, { 0x2dc4, CFI_WIN_FPO, 0x2dc4 }, { 0x2dd7, CFI_WIN_FPO, 0x2dc4 },
	{ 0x2dd8, 0, 0 },
};

START_TEST(win_records_are_found)
{
	struct cfi cfi = open_text(sample, sizeof(sample) - 1);
	struct cfi_win win;
	bool is_found = cfi_find_win(&cfi, wins[_i].address, &win);

	ck_assert_int_eq(is_found, wins[_i].start != 0);
	if (!is_found)
		return;
	ck_assert_int_eq(win.type, wins[_i].type);
	ck_assert_uint_eq(win.start, wins[_i].start);
	if (win.type == CFI_WIN_FPO) {
		ck_assert(win.allocates_base_pointer && !win.program.bytes);
		ck_assert_uint_eq(win.prologue_bytes, 1);
		ck_assert_uint_eq(win.epilogue_bytes, 2);
		ck_assert_uint_eq(win.parameter_bytes, 4);
		ck_assert_uint_eq(win.saved_register_bytes, 8);
		ck_assert_uint_eq(win.local_bytes, 12);
		ck_assert_uint_eq(win.max_stack_bytes, 16);
	} else {
		ck_assert(text_starts_with(win.program, "$T"));
	}
}
END_TEST

static const char *const bad_wins[] = {
	"", "STACK WIN", "STACK WIN 4", "STACK WIN 3 1 1 0 0 0 0 0 0 0 1",
	"STACK WIN 4 1 0 0 0 0 0 0 0 1 $T0", "STACK WIN 4 1 1 0 0 0 0 0 0 0 1",
	"STACK WIN 0 1 1 0 0 0 0 0 0 1 $T0", "STACK WIN 0 1 1 0 0 0 0 0 0 0",
	"STACK WIN 4 1 1 0 0 0 0 0 0 1 ", "STACK WIN 4 1 1 0 0 0 0 0 x 1 $T0",
	"STACK WIN 4 1 123456789 0 0 0 0 0 0 1 $T0", "STACK WIN 4 ffffffffffffffff 2 0 0 0 0 0 0 1 $T0",
	"STACK CFI INIT 1 1 .cfa: sp",
};

START_TEST(bad_win_records_are_none)
{
	struct cfi_win win;

	ck_assert(!cfi_win_read(text_of(bad_wins[_i]), &win));
}
END_TEST

/* --- Rules --------------------------------------------------------------------------- */

static const struct {
	const char *line, *rules;
} lines[] = {
	{ "STACK CFI INIT 1 1 .cfa: sp x:", ".cfa=sp;!" },
	{ "STACK CFI INIT 1 1 sp", "!" },
	{ "STACK CFI INIT 1 1 : sp", "!" },
	{ "STACK CFI INIT 1 1 .cfa:\tsp  8 \t+  .ra:  x30  ", ".cfa=sp  8 \t+;.ra=x30;" },
	{ "STACK CFI INIT 1 1", "!" },
	{ "STACK CFI INIT 1 0 .cfa: sp", "none" },
	{ "STACK CFI INIT 1 123456789 .cfa: sp", "none" },
	{ "STACK CFI INIT 1 1 .cfa: sp\nSTACK CFI 1\n", ".cfa=sp;!" },
	{ "STACK CFI INIT 1 1 .cfa: sp\nSTACK CFI 1 x: y\nSTACK CFI 2 z: y", ".cfa=sp;x=y;" },
	{ "STACK CFI 1 x: y", "none" },
};

START_TEST(rules_are_taken_apart)
{
	struct cfi cfi = open_text(lines[_i].line, strlen(lines[_i].line));
	char rules[256];

	rules_at(&cfi, 1, rules, sizeof(rules));
	ck_assert_str_eq(rules, lines[_i].rules);
}
END_TEST

/* --- Large and hostile texts ----------------------------------------------------------- */

/* Every look-up in a long text says what a walk through its lines says. */
START_TEST(a_search_finds_what_a_walk_finds)
{
	enum { RECORDS = 2000 };
	char *text = support_keep(mem_get(RECORDS * 80));
	size_t size = 0;
	struct cfi cfi;
	char rules[256], expected[64];

	for (unsigned i = 0; i < RECORDS; i++)
		size += (size_t)snprintf(text + size, 80, "STACK CFI INIT %x 6 .cfa: %u\n", i * 8, i);
	cfi = open_text(text, size);
	for (unsigned i = 0; i < RECORDS * 8; i++) {
		rules_at(&cfi, i, rules, sizeof(rules));
		snprintf(expected, sizeof(expected), i % 8 < 6 ? ".cfa=%u;" : "none", i / 8);
		ck_assert_str_eq(rules, expected);
	}
}
END_TEST

/* No newline for megabytes, and rows without an end: both are given up, at a bounded price. */
START_TEST(texts_without_end_are_given_up)
{
	const size_t size = (size_t)24 << 20;
	char *text = support_keep(mem_get(size));
	static const char row[] = "STACK CFI 5 x: y\n";
	struct cfi_rows rows;
	struct cfi cfi;

	memset(text, 'x', size);
	memcpy(text, "STACK CFI INIT 1 99 ", 20);
	cfi = open_text(text, size);
	ck_assert(!cfi_find(&cfi, 5, &rows));
	for (size_t at = 0; at + sizeof(row) <= size; at += sizeof(row) - 1)
		memcpy(text + at, row, sizeof(row) - 1);
	memcpy(text, "STACK CFI INIT 1 99 x: y\n", 25);
	cfi = open_text(text, size - size % (sizeof(row) - 1) - (sizeof(row) - 1));
	ck_assert(cfi.has_cfi);
	ck_assert(!cfi_find(&cfi, 5, &rows));
}
END_TEST

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void run_target(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(survives_every_byte_change)
{
	support_every_byte_change((const uint8_t *)sample, sizeof(sample) - 1, run_target, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cfi find");
	TCase *tcase = tcase_create("find");

	tcase_add_loop_test(tcase, heads_are_told_apart, 0, COUNT(heads));
	tcase_add_test(tcase, the_module_record_is_handed_out);
	tcase_add_loop_test(tcase, rows_up_to_the_address_hold, 0, COUNT(places));
	tcase_add_loop_test(tcase, win_records_are_found, 0, COUNT(wins));
	tcase_add_loop_test(tcase, bad_win_records_are_none, 0, COUNT(bad_wins));
	tcase_add_loop_test(tcase, rules_are_taken_apart, 0, COUNT(lines));
	tcase_add_test(tcase, a_search_finds_what_a_walk_finds);
	tcase_add_test(tcase, texts_without_end_are_given_up);
	tcase_add_test(tcase, survives_every_byte_change);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
