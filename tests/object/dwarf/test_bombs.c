/*
 * test_bombs.c -- DWARF that asks for much in few bytes: the work it makes is counted, and ends.
 *
 * Counts, not times: the same on every machine.  CPU time and memory of whole files are looked
 * at in tests/faults.
 */
#include "object/dwarf/kit.h"

#include <string.h>

#include "base/work_budget.h"
#include "object/dwarf/constants.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)1 << 30)
#define PADDING_BYTES ((size_t)8 << 20)
#define UNITS 1000u
#define ROWS 20000u

static struct work_budget budget;

static void add_number(struct buf *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_add_char(out, (char)(i < 8 ? value >> 8 * i & 0xff : 0));
}

/* Reads all units on a budget; how many there were in vain. */
static unsigned read_all(struct kit *kit, struct err *err)
{
	struct dwarf_input *input = &kit->input;
	struct buf said;
	unsigned failed;
	uint64_t bytes = 0;
	int rc;

	for (unsigned i = 0; i < DWARF_SECTIONS; i++) {
		input->main.section[i] = buf_text(&kit->main[i]);
		bytes += kit->main[i].size;
	}
	work_budget_init(&budget, bytes);
	input->work = &budget;
	buf_init(&said, ARENA_BYTES);
	rc = kit_read_input(input, ARENA_BYTES, &said, err, &failed);
	buf_release(&said);
	return rc < 0 ? UNITS : failed;
}

static void check_ended(struct err *err)
{
	ck_assert_msg(err->kind == ERR_LIMIT && strstr(err->text, "more work"), "%s", err->text);
	ck_assert_uint_le(work_budget_steps(&budget),
			  WORK_FILE_STEPS + budget.bytes * WORK_STEPS_PER_BYTE + (1 << 20));
}

static void add_unit_head(struct buf *info, size_t bytes_behind, uint32_t abbrevs)
{
	add_number(info, 7 + bytes_behind, 4);
	add_number(info, 4, 2);
	add_number(info, abbrevs, 4);
	add_number(info, 8, 1);
}

START_TEST(padding_is_stepped_over)
{
	struct err err = ERR_INIT;
	struct kit kit;

	kit_init(&kit);
	kit_put(&kit, DWARF_ABBREV, KIT_ABBREVS);
	for (size_t i = 0; i < PADDING_BYTES; i++)
		buf_add_char(&kit.main[DWARF_INFO], 0);
	kit_put(&kit, DWARF_INFO, "[ h4 w0 b8  u1 scu.c q0x1000 q0x10 w0  u0 ]");
	for (size_t i = 0; i < PADDING_BYTES - 1; i++)
		buf_add_char(&kit.main[DWARF_INFO], 0);
	ck_assert_uint_eq(read_all(&kit, &err), 0);
	ck_assert_uint_lt(work_budget_steps(&budget), 1000);
	kit_release(&kit);
}
END_TEST

/* A row for every address, each of another line. */
static void add_line_program(struct buf *line)
{
	static const char head[] = { 1, 1, 1, (char)-5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1,
				     0, 'a', 0, 0, 0, 0, 0 };
	size_t program = 11 + ROWS + 3;

	add_number(line, 2 + 4 + sizeof(head) + program, 4);
	add_number(line, 3, 2);
	add_number(line, sizeof(head), 4);
	buf_add(line, head, sizeof(head));
	add_number(line, 0x020900, 3);                   /* set_address */
	add_number(line, 0x1000, 8);
	for (unsigned i = 0; i < ROWS; i++)
		add_number(line, 10 + 14 + 5 + 1, 1);    /* an address and a line on */
	add_number(line, 0x010100, 3);                   /* end_sequence */
}

START_TEST(shared_lines_run_once)
{
	struct err err = ERR_INIT;
	struct kit kit;

	kit_init(&kit);
	kit_put(&kit, DWARF_ABBREV, "u1 u0x11 b0 u0x11 u1 u0x12 u6 u0x10 u0x17 u0 u0 u0");
	add_line_program(&kit.main[DWARF_LINE]);
	for (unsigned i = 0; i < UNITS; i++) {
		add_unit_head(&kit.main[DWARF_INFO], 17, 0);
		add_number(&kit.main[DWARF_INFO], 1, 1);
		add_number(&kit.main[DWARF_INFO], 0x1000 + i, 8);
		add_number(&kit.main[DWARF_INFO], 1, 4);
		add_number(&kit.main[DWARF_INFO], 0, 4);
	}
	ck_assert_msg(read_all(&kit, &err) == 0, "%s", err.text);
	/* Once for the first, once to be kept; a unit has one row to tell. */
	ck_assert_uint_lt(work_budget_steps(&budget), 5 * ROWS + 200 * UNITS);
	kit_release(&kit);
}
END_TEST

/* Each unit's table begins one entry later in the same long run. */
START_TEST(tables_of_abbreviations_overlap)
{
	struct err err = ERR_INIT;
	struct kit kit;

	kit_init(&kit);
	for (unsigned i = 0; i < 40000; i++)
		kit_put(&kit, DWARF_ABBREV, "u1 u0x11 b0 u0 u0");
	kit_put(&kit, DWARF_ABBREV, "u0");
	for (unsigned i = 0; i < 4 * UNITS; i++) {
		add_unit_head(&kit.main[DWARF_INFO], 1, 5 * i);
		add_number(&kit.main[DWARF_INFO], 1, 1);
	}
	ck_assert_uint_gt(read_all(&kit, &err), 0);
	check_ended(&err);
	kit_release(&kit);
}
END_TEST

/* Functions without number name one range list. */
START_TEST(range_lists_are_shared)
{
	struct err err = ERR_INIT;
	struct kit kit;

	kit_init(&kit);
	kit_put(&kit, DWARF_ABBREV, "u1 u0x11 b1 u0 u0  u2 u0x2e b0 u0x55 u0x17 u0 u0 u0");
	for (unsigned i = 0; i < ROWS; i++) {
		add_number(&kit.main[DWARF_RANGES], 0x1000 + 2 * i, 8);
		add_number(&kit.main[DWARF_RANGES], 0x1001 + 2 * i, 8);
	}
	add_number(&kit.main[DWARF_RANGES], 0, 16);
	add_unit_head(&kit.main[DWARF_INFO], 1 + 5 * 10 * UNITS + 1, 0);
	add_number(&kit.main[DWARF_INFO], 1, 1);
	for (unsigned i = 0; i < 10 * UNITS; i++) {
		add_number(&kit.main[DWARF_INFO], 2, 1);
		add_number(&kit.main[DWARF_INFO], 0, 4);
	}
	add_number(&kit.main[DWARF_INFO], 0, 1);
	ck_assert_uint_eq(read_all(&kit, &err), 1);
	check_ended(&err);
	kit_release(&kit);
}
END_TEST

/* A function in many pieces, and calls in it that reach over all of them. */
START_TEST(calls_reach_over_all_pieces)
{
	struct err err = ERR_INIT;
	struct kit kit;

	kit_init(&kit);
	kit_put(&kit, DWARF_ABBREV, "u1 u0x11 b1 u0 u0  u2 u0x2e b1 u0x55 u0x17 u0 u0 "
		"u3 u0x1d b0 u0x11 u1 u0x12 u6 u0 u0 u0");
	for (unsigned i = 0; i < UNITS; i++) {
		add_number(&kit.main[DWARF_RANGES], 0x1000 + 2 * i, 8);
		add_number(&kit.main[DWARF_RANGES], 0x1001 + 2 * i, 8);
	}
	add_number(&kit.main[DWARF_RANGES], 0, 16);
	add_unit_head(&kit.main[DWARF_INFO], 1 + 5 + 13 * UNITS + 2, 0);
	add_number(&kit.main[DWARF_INFO], 0x201, 2);
	add_number(&kit.main[DWARF_INFO], 0, 4);
	for (unsigned i = 0; i < UNITS; i++) {
		add_number(&kit.main[DWARF_INFO], 3, 1);
		add_number(&kit.main[DWARF_INFO], 0x1000, 8);
		add_number(&kit.main[DWARF_INFO], 2 * UNITS, 4);
	}
	add_number(&kit.main[DWARF_INFO], 0, 2);
	ck_assert_uint_eq(read_all(&kit, &err), 1);
	check_ended(&err);
	kit_release(&kit);
}
END_TEST

/* A long name that every function has. */
START_TEST(names_are_long)
{
	struct err err = ERR_INIT;
	struct kit kit;

	kit_init(&kit);
	kit_put(&kit, DWARF_ABBREV, "u1 u0x11 b1 u0 u0  "
		"u2 u0x2e b0 u3 u0xe u0x11 u1 u0x12 u6 u0 u0 u0");
	for (unsigned i = 0; i < 500000; i++)
		buf_add_char(&kit.main[DWARF_STR], 'a');
	buf_add_char(&kit.main[DWARF_STR], 0);
	add_unit_head(&kit.main[DWARF_INFO], 1 + 17 * 2 * UNITS + 1, 0);
	add_number(&kit.main[DWARF_INFO], 1, 1);
	for (unsigned i = 0; i < 2 * UNITS; i++) {
		add_number(&kit.main[DWARF_INFO], 2, 1);
		add_number(&kit.main[DWARF_INFO], i, 4);
		add_number(&kit.main[DWARF_INFO], 0x1000 + i, 8);
		add_number(&kit.main[DWARF_INFO], 1, 4);
	}
	add_number(&kit.main[DWARF_INFO], 0, 1);
	ck_assert_uint_eq(read_all(&kit, &err), 1);
	check_ended(&err);
	kit_release(&kit);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dwarf bombs");
	TCase *tcase = tcase_create("work");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, padding_is_stepped_over);
	tcase_add_test(tcase, shared_lines_run_once);
	tcase_add_test(tcase, tables_of_abbreviations_overlap);
	tcase_add_test(tcase, range_lists_are_shared);
	tcase_add_test(tcase, calls_reach_over_all_pieces);
	tcase_add_test(tcase, names_are_long);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
