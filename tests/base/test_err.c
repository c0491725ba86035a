/* test_err.c -- reports keep their story, their kind and their place in memory. */
#include "base/err.h"

#include <errno.h>
#include <string.h>

#include "support/support.h"

START_TEST(tells_what_happened)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(err_set(&err, ERR_LIMIT, "%d of %s", 3, "them"), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_str_eq(err.text, "3 of them");
	ck_assert_int_eq(err_while(&err, "counting %s", "x"), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_str_eq(err.text, "counting x: 3 of them");
	err_clear(&err);
	ck_assert_int_eq(err.kind, ERR_NONE);
	ck_assert_str_eq(err.text, "");
}
END_TEST

START_TEST(may_quote_itself)
{
	struct err err = ERR_INIT;

	err_set(&err, ERR_IO, "first");
	err_set(&err, ERR_TIMEOUT, "second after %s", err.text);
	ck_assert_str_eq(err.text, "second after first");
	err_while(&err, "third, not %s", err.text);
	ck_assert_str_eq(err.text, "third, not second after first: second after first");
	err_os(&err, EIO, "again %.6s", err.text);
	ck_assert_str_eq(err.text, "again third,: Input/output error (errno 5)");
}
END_TEST

START_TEST(names_the_system_s_reason)
{
	static const struct {
		int os_errno;
		enum err_kind kind;
	} cases[] = { { ENOENT, ERR_IO }, { EACCES, ERR_IO }, { ENOSPC, ERR_IO }, { EMFILE, ERR_IO },
		    { ENOMEM, ERR_NO_MEMORY } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;

		ck_assert_int_eq(err_os(&err, cases[i].os_errno, "opening %s", "/x"), -1);
		ck_assert_int_eq(err.kind, cases[i].kind);
		ck_assert_int_eq(err.os_errno, cases[i].os_errno);
		ck_assert(err_is_absent(&err) == (cases[i].os_errno == ENOENT));
		ck_assert(err_kind_is_ours(err.kind));
		ck_assert_ptr_nonnull(strstr(err.text, "opening /x: "));
		ck_assert_ptr_nonnull(strstr(err.text, strerror(cases[i].os_errno)));
	}
}
END_TEST

START_TEST(cuts_what_is_too_long)
{
	struct err err = ERR_INIT;
	char longer[2 * ERR_TEXT_BYTES];

	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_set(&err, ERR_MALFORMED, "%s", longer);
	ck_assert_uint_eq(strlen(err.text), ERR_TEXT_BYTES - 1);
	err_while(&err, "in front");
	ck_assert_uint_eq(strlen(err.text), ERR_TEXT_BYTES - 1);
	ck_assert_int_eq(strncmp(err.text, "in front: aaa", 13), 0);
	err_while(&err, "%s", longer);
	ck_assert_uint_eq(strlen(err.text), ERR_TEXT_BYTES - 1);
	err_os(&err, EIO, "%s", longer);
	ck_assert_uint_eq(strlen(err.text), ERR_TEXT_BYTES - 1);
}
END_TEST

START_TEST(knows_its_kinds_by_name)
{
	for (int i = 0; i < ERR_KINDS; i++)
		for (int other = 0; other <= i; other++)
			ck_assert_int_eq(strcmp(err_kind_name((enum err_kind)i),
						err_kind_name((enum err_kind)other)) == 0,
					 i == other);
	ck_assert_str_eq(err_kind_name(ERR_NOT_FOUND), "not_found");
	ck_assert_str_eq(err_kind_name(ERR_KINDS), "internal");
}
END_TEST

START_TEST(remembers_only_lasting_kinds)
{
	static const enum err_kind lasting[] = {
		ERR_NOT_FOUND, ERR_DENIED, ERR_MALFORMED, ERR_UNSUPPORTED, ERR_DOWNLOAD,
		ERR_TIMEOUT, ERR_LIMIT, ERR_CRASHED,
	};
	static const enum err_kind passing[] = {
		ERR_NONE, ERR_RESOLVE, ERR_BAD_REQUEST, ERR_BAD_SHAPE, ERR_TOO_LARGE, ERR_BUSY, ERR_IO,
		ERR_NO_MEMORY, ERR_INTERNAL, ERR_KINDS,
	};

	for (size_t i = 0; i < sizeof(lasting) / sizeof(lasting[0]); i++)
		ck_assert(err_kind_is_lasting(lasting[i]));
	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		ck_assert(!err_kind_is_lasting(passing[i]));
}
END_TEST

/* No kind is both a fact worth remembering and a failure of our own. */
START_TEST(knows_what_is_its_own)
{
	static const enum err_kind ours[] = {
		ERR_BUSY, ERR_IO, ERR_NO_MEMORY, ERR_INTERNAL, ERR_KINDS,
	};
	unsigned count = 0;

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		ck_assert(err_kind_is_ours(ours[i]));
	for (int i = 0; i < ERR_KINDS; i++) {
		count += err_kind_is_ours((enum err_kind)i);
		ck_assert(!err_kind_is_ours((enum err_kind)i) || !err_kind_is_lasting((enum err_kind)i));
	}
	ck_assert_uint_eq(count, sizeof(ours) / sizeof(ours[0]) - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/err");
	TCase *tcase = tcase_create("err");

	tcase_add_test(tcase, tells_what_happened);
	tcase_add_test(tcase, may_quote_itself);
	tcase_add_test(tcase, names_the_system_s_reason);
	tcase_add_test(tcase, cuts_what_is_too_long);
	tcase_add_test(tcase, knows_its_kinds_by_name);
	tcase_add_test(tcase, remembers_only_lasting_kinds);
	tcase_add_test(tcase, knows_what_is_its_own);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
