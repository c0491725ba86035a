/* test_apikey -- keys made, checked, revoked, listed; nothing of them in the database. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apikey/apikey.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/state.h"
#include "support/support.h"

#define NOW 1800000000

struct made { char id[APIKEY_ID_BYTES], token[APIKEY_TOKEN_BYTES], header[APIKEY_TOKEN_BYTES + 8]; };

static void make(struct state *state, const char *name, struct made *made)
{
	struct err err = ERR_INIT;

	ck_assert_msg(apikey_create(state->store, text_of(name), NOW, made->id, made->token, &err) == 0, "%s",
		      err.text);
	snprintf(made->header, sizeof(made->header), "APIKey %s", made->token);
}

static enum apikey_verdict check_at(struct state *state, const char *header, int64_t now,
				    struct apikey_holder *holder)
{
	enum apikey_verdict verdict = APIKEY_VERDICTS;
	struct err err = ERR_INIT;

	ck_assert_msg(apikey_check(state->store, text_of(header), now, &verdict, holder, &err) == 0, "%s",
		      err.text);
	return verdict;
}

static enum apikey_verdict check(struct state *state, const char *header)
{
	struct apikey_holder holder;
	enum apikey_verdict verdict = check_at(state, header, NOW, &holder);

	ck_assert((verdict == APIKEY_VALID || verdict == APIKEY_REVOKED) == (holder.id[0] != '\0'));
	return verdict;
}

START_TEST(opens_with_its_key_alone)
{
	struct state state = { 0 };
	struct made one, other;
	char header[256];

	state_open(&state);
	make(&state, "one", &one);
	make(&state, "other", &other);
	ck_assert_str_ne(one.token, other.token);
	ck_assert_int_eq(check(&state, one.header), APIKEY_VALID);
	ck_assert_int_eq(check(&state, other.header), APIKEY_VALID);
	snprintf(header, sizeof(header), "apikey   %s ", one.token);
	ck_assert_int_eq(check(&state, header), APIKEY_VALID);
	snprintf(header, sizeof(header), "Bearer %s", one.token);
	ck_assert_int_eq(check(&state, header), APIKEY_VALID);
	for (size_t i = 0; one.token[i]; i++) {
		struct made changed = one;

		changed.header[7 + i] = one.token[i] == 'A' ? 'B' : 'A';
		ck_assert_int_ne(check(&state, changed.header), APIKEY_VALID);
		changed.header[7 + i] = '\0';
		if (one.token[i] != '=')
			ck_assert_int_ne(check(&state, changed.header), APIKEY_VALID);
	}
	state_remove(&state);
}
END_TEST

static const struct { const char *what, *header; enum apikey_verdict verdict; } refused[] = {
	{ "nothing", NULL, APIKEY_MISSING },
	{ "empty", "", APIKEY_MISSING },
	{ "scheme alone", "APIKey", APIKEY_MISSING },
	{ "scheme and blanks", "APIKey   ", APIKEY_MISSING },
	{ "another scheme", "Basic YTpi", APIKEY_MISSING },
	{ "no base64", "APIKey !!", APIKEY_MALFORMED },
	{ "no colon", "APIKey YWI", APIKEY_MALFORMED },
	{ "nobody's", "APIKey QzJqQ1Q0WUI1NlR0QVl4NTlZcXg6Y0xhcFN1S2tTSXlyTFlNTUloclJvdw==", APIKEY_UNKNOWN },
	{ "NUL in the id", "APIKey AGE6Yg==", APIKEY_UNKNOWN },
	{ "no UTF-8", "APIKey /zpi", APIKEY_MALFORMED },
	{ "empty both", "APIKey Og==", APIKEY_UNKNOWN },
};

START_TEST(refuses)
{
	struct state state = { 0 };
	struct made made;

	state_open(&state);
	make(&state, "one", &made);
	ck_assert_msg(check(&state, refused[_i].header) == refused[_i].verdict, "%s", refused[_i].what);
	state_remove(&state);
}
END_TEST

START_TEST(revoked_keys_are_refused)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;
	struct made one, again;
	char id[APIKEY_ID_BYTES], token[APIKEY_TOKEN_BYTES];

	state_open(&state);
	make(&state, "one", &one);
	ck_assert_int_eq(apikey_create(state.store, TEXT("one"), NOW, id, token, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BUSY);
	ck_assert_int_eq(apikey_revoke(state.store, TEXT("none"), NOW, &err), 0);
	ck_assert_int_eq(apikey_revoke(state.store, TEXT("one"), NOW, &err), 1);
	ck_assert_int_eq(apikey_revoke(state.store, TEXT("one"), NOW, &err), 0);
	ck_assert_int_eq(check(&state, one.header), APIKEY_REVOKED);
	make(&state, "one", &again);
	ck_assert_int_eq(check(&state, again.header), APIKEY_VALID);
	ck_assert_int_eq(apikey_revoke(state.store, text_of(again.id), NOW, &err), 1);
	ck_assert_int_eq(check(&state, again.header), APIKEY_REVOKED);
	state_remove(&state);
}
END_TEST

START_TEST(names_are_printable)
{
	static const char *const wrong[] = { "", "a\nb", "a\x7f", "\xff",
		"0123456789012345678901234567890123456789012345678901234567890123x" };
	char id[APIKEY_ID_BYTES], token[APIKEY_TOKEN_BYTES];
	struct state state = { 0 };
	struct err err = ERR_INIT;

	state_open(&state);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(apikey_create(state.store, text_of(wrong[i]), NOW, id, token, &err), -1);
		ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	}
	state_remove(&state);
}
END_TEST

static int note_line(void *payload, const struct apikey_line *line)
{
	buf_printf(payload, "%.*s %lld %lld %lld\n", (int)line->name.size, line->name.bytes,
		   (long long)(line->created_at - NOW), line->used_at ? (long long)(line->used_at - NOW) : -1,
		   line->revoked_at ? (long long)(line->revoked_at - NOW) : -1);
	return 0;
}

START_TEST(lists_with_times)
{
	struct state state = { 0 };
	struct apikey_holder holder;
	struct err err = ERR_INIT;
	struct made one, two;
	struct buf out;

	state_open(&state);
	make(&state, "one", &one);
	make(&state, "two", &two);
	ck_assert_int_eq(check_at(&state, one.header, NOW + 5, &holder), APIKEY_VALID);
	ck_assert_str_eq(holder.name, "one");
	ck_assert_str_eq(holder.id, one.id);
	ck_assert_int_eq(check_at(&state, one.header, NOW + 9, &holder), APIKEY_VALID);
	ck_assert_int_eq(apikey_revoke(state.store, TEXT("two"), NOW + 7, &err), 1);
	buf_init(&out, 4096);
	ck_assert_int_eq(apikey_list(state.store, note_line, &out, &err), 0);
	ck_assert_str_eq(buf_string(&out), "two 0 -1 7\none 0 5 -1\n");
	buf_clear(&out);
	ck_assert_int_eq(check_at(&state, one.header, NOW + 100, &holder), APIKEY_VALID);
	ck_assert_int_eq(apikey_list(state.store, note_line, &out, &err), 0);
	ck_assert_str_eq(buf_string(&out), "two 0 -1 7\none 0 100 -1\n");
	buf_release(&out);
	state_remove(&state);
}
END_TEST

START_TEST(the_database_holds_no_secret)
{
	struct state state = { 0 };
	char whole[256], path[512];
	struct file_map file;
	struct made made;
	size_t size;

	state_open(&state);
	make(&state, "one", &made);
	snprintf(path, sizeof(path), "%s", state_path(&state, "symgate.db"));
	state_sql(&state, "PRAGMA wal_checkpoint(TRUNCATE)");
	file = support_map(path);
	ck_assert(base64_parse(text_of(made.token), whole, sizeof(whole), &size));
	ck_assert(memmem(file.bytes, file.size, made.id, strlen(made.id)));
	ck_assert(!memmem(file.bytes, file.size, whole + APIKEY_ID_BYTES, 20));
	file_unmap(&file);
	state_remove(&state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("apikey");
	TCase *tcase = tcase_create("keys");

	tcase_add_test(tcase, opens_with_its_key_alone);
	tcase_add_loop_test(tcase, refuses, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tcase, revoked_keys_are_refused);
	tcase_add_test(tcase, names_are_printable);
	tcase_add_test(tcase, lists_with_times);
	tcase_add_test(tcase, the_database_holds_no_secret);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
