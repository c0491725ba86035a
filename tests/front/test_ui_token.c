/* test_ui_token.c -- tokens of the page's forms, and the secret they are made with. */
#include "front/ui_token.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "support/support.h"

#define HOUR 3600

static const uint8_t secret[UI_SECRET_BYTES] = "a secret of thirty-two bytes....";

START_TEST(a_token_holds_for_its_user_action_and_hour)
{
	static const struct { const char *what, *user, *action; int64_t later; bool is_good; } cases[] = {
		{ "as it was made", "anna", "drop", 0, true },
		{ "an hour later", "anna", "drop", HOUR, true },
		{ "two hours later", "anna", "drop", 2 * HOUR, false },
		{ "an hour before", "anna", "drop", -HOUR, false },
		{ "another action", "anna", "delete", 0, false },
		{ "a longer action", "anna", "drops", 0, false },
		{ "another user", "bert", "drop", 0, false },
		{ "nobody", NULL, "drop", 0, false },
		{ "an empty name", "", "drop", 0, false },
		{ "a name that holds an action", "anna drop", "drop", 0, false },
	};
	const int64_t now = 500000 * (int64_t)HOUR + 1800;
	char token[UI_TOKEN_BYTES];

	ui_token_write(token, secret, TEXT("anna"), "drop", now);
	ck_assert_uint_eq(strlen(token), 43);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(ui_token_is_good(text_of(token), secret, text_of(cases[i].user), cases[i].action,
					       now + cases[i].later) == cases[i].is_good, "%s", cases[i].what);
}
END_TEST

/* Each letter counts, and so does its size. */
START_TEST(a_changed_token_is_none)
{
	char token[UI_TOKEN_BYTES], changed[UI_TOKEN_BYTES + 1];
	uint8_t other[UI_SECRET_BYTES];

	ui_token_write(token, secret, TEXT_NONE, "drop", 0);
	ck_assert(ui_token_is_good(text_of(token), secret, TEXT_NONE, "drop", 0));
	for (size_t i = 0; i < strlen(token); i++) {
		snprintf(changed, sizeof(changed), "%s", token);
		changed[i] = changed[i] == 'A' ? 'B' : 'A';
		ck_assert(!ui_token_is_good(text_of(changed), secret, TEXT_NONE, "drop", 0));
		changed[i] = '\0';
		ck_assert(!ui_token_is_good(text_of(changed), secret, TEXT_NONE, "drop", 0));
	}
	snprintf(changed, sizeof(changed), "%sA", token);
	ck_assert(!ui_token_is_good(text_of(changed), secret, TEXT_NONE, "drop", 0));
	ck_assert(!ui_token_is_good(TEXT_NONE, secret, TEXT_NONE, "drop", 0));
	memcpy(other, secret, sizeof(other));
	other[UI_SECRET_BYTES - 1] ^= 1;
	ck_assert(!ui_token_is_good(text_of(token), other, TEXT_NONE, "drop", 0));
}
END_TEST

START_TEST(the_secret_is_made_once_and_kept_for_us_alone)
{
	uint8_t first[UI_SECRET_BYTES], second[UI_SECRET_BYTES];
	char folder[] = "/var/tmp/symgate-ui-token.XXXXXX", path[128];
	struct err err = ERR_INIT;
	struct stat st;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/web.secret", folder);
	ck_assert_msg(ui_secret_read(folder, first, &err) == 0, "%s", err.text);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq((int)st.st_size, UI_SECRET_BYTES);
	ck_assert_uint_eq(st.st_nlink, 1);
	ck_assert_int_eq(ui_secret_read(folder, second, &err), 0);
	ck_assert_mem_eq(first, second, UI_SECRET_BYTES);
	ck_assert_int_eq(truncate(path, UI_SECRET_BYTES - 1), 0);
	ck_assert_int_eq(ui_secret_read(folder, second, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "web.secret is not 32 bytes long: remove it"));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	err_clear(&err);
	ck_assert_int_eq(ui_secret_read(folder, second, &err), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ui_token");
	TCase *tcase = tcase_create("ui_token");

	tcase_add_test(tcase, a_token_holds_for_its_user_action_and_hour);
	tcase_add_test(tcase, a_changed_token_is_none);
	tcase_add_test(tcase, the_secret_is_made_once_and_kept_for_us_alone);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
