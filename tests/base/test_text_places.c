/* test_text_places.c -- lines and columns of a text, as source maps count them. */
#include "base/arena.h"
#include "base/text_places.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)16 << 20)

static const struct {
	const char *what, *text;
	uint32_t offset, line, column;
} cases[] = {
	{ "an empty text", "", 0, 0, 0 },
	{ "the first byte", "abc", 0, 0, 0 },
	{ "behind the end", "abc", 99, 0, 3 },
	{ "a newline is of its line", "ab\ncd", 2, 0, 2 },
	{ "behind a newline", "ab\ncd", 3, 1, 0 },
	{ "a carriage return starts no line", "ab\rcd", 4, 0, 4 },
	{ "nor does U+2028", "a\xe2\x80\xa8z", 4, 0, 2 },
	{ "two bytes are one unit", "\xc3\xa4z", 2, 0, 1 },
	{ "four bytes are two units", "\xf0\x9f\x98\x80z", 4, 0, 2 },
};

START_TEST(positions)
{
	struct text_places places;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, ARENA_BYTES);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text_place at;

		ck_assert_int_eq(text_places_init(&places, text_of(cases[i].text), &arena, &err), 0);
		at = text_places_of(&places, cases[i].offset);
		ck_assert_msg(at.line == cases[i].line && at.column == cases[i].column,
			      "%s: %u:%u", cases[i].what, at.line, at.column);
	}
	ck_assert_int_eq(text_places_init(&places, TEXT_NONE, &arena, &err), 0);
	ck_assert_uint_eq(text_places_of(&places, 7).column, 0);
	arena_release(&arena);
}
END_TEST

/* Every offset of a text longer than a mark's stretch, against counting from its start. */
START_TEST(long_texts)
{
	static char bytes[4096];
	struct text_place at = { 0, 0 };
	struct text_places places;
	struct arena arena;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 701 == 700 ? '\n' : i % 3 == 1 ? '\xc3' : i % 3 == 2 ? '\xa4' : 'x';
	arena_init(&arena, ARENA_BYTES);
	ck_assert_int_eq(text_places_init(&places, (struct text){ bytes, sizeof(bytes) }, &arena,
					       &err), 0);
	for (uint32_t i = 0; i < sizeof(bytes); i++) {
		struct text_place found = text_places_of(&places, i);

		ck_assert_msg(found.line == at.line && found.column == at.column, "offset %u", i);
		if (bytes[i] == '\n')
			at = (struct text_place){ at.line + 1, 0 };
		else
			at.column += ((uint8_t)bytes[i] & 0xC0) != 0x80;
	}
	arena_release(&arena);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/text_places");
	TCase *tests = tcase_create("base/text_places");

	tcase_add_test(tests, positions);
	tcase_add_test(tests, long_texts);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
