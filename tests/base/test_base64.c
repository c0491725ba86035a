/* test_base64 -- the vectors of RFC 4648 section 10, both alphabets, and what is refused. */
#include <check.h>
#include <stdlib.h>

#include "base/base64.h"
#include "support/support.h"

static const struct { const char *plain, *padded, *bare; } vectors[] = {
	{ "", "", "" },             { "f", "Zg==", "Zg" },          { "fo", "Zm8=", "Zm8" },
	{ "foo", "Zm9v", "Zm9v" },  { "foob", "Zm9vYg==", "Zm9vYg" }, { "fooba", "Zm9vYmE=", "Zm9vYmE" },
	{ "foobar", "Zm9vYmFy", "Zm9vYmFy" }, { "\xfb\xff\xbf", "+/+/", "-_-_" },
};

START_TEST(both_ways)
{
	char text[16], bytes[16];
	size_t size;

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		struct text plain = text_of(vectors[i].plain);

		base64_format(plain.bytes, plain.size, text);
		ck_assert_str_eq(text, vectors[i].padded);
		ck_assert(base64_parse(text_of(text), bytes, sizeof(bytes), &size));
		ck_assert(text_equal(plain, (struct text){ bytes, size }));
		base64_format_url(plain.bytes, plain.size, text);
		ck_assert_str_eq(text, vectors[i].bare);
		ck_assert(base64_parse(text_of(text), bytes, sizeof(bytes), &size));
		ck_assert(text_equal(plain, (struct text){ bytes, size }));
	}
}
END_TEST

START_TEST(refuses)
{
	static const char *const wrong[] = {
		"Z", "Zg=", "=", "==", "Zg===", "Zh==", "Zm9v=", "Zm 9", "Zm9v\n", "+/-_", "Zm9vY", "Zm=v", "Zm9",
	};
	char bytes[16];
	size_t size;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!base64_parse(text_of(wrong[i]), bytes, sizeof(bytes), &size), "%s", wrong[i]);
	ck_assert(base64_parse(TEXT("Zm9v"), bytes, 3, &size));
	ck_assert(!base64_parse(TEXT("Zm9vYg"), bytes, 3, &size));
}
END_TEST

START_TEST(letters)
{
	ck_assert_int_eq(base64_value('A'), 0);
	ck_assert_int_eq(base64_value('z'), 51);
	ck_assert_int_eq(base64_value('9'), 61);
	ck_assert_int_eq(base64_value('/'), 63);
	ck_assert_int_eq(base64_value('-'), -1);
	ck_assert_int_eq(base64_value('='), -1);
	ck_assert_int_eq(base64_value('\xff'), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/base64");
	TCase *tcase = tcase_create("base64");

	tcase_add_test(tcase, both_ways);
	tcase_add_test(tcase, refuses);
	tcase_add_test(tcase, letters);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
