/* test_debugid.c -- every way to write a module's identity, and what is none. */
#include "base/debugid.h"

#include <string.h>

#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *what;
	const char *text;
	const char *canonical;   /* NULL: not an id */
	const char *breakpad;
} cases[] = {
	{ "hyphenated", "3249d99d-0c40-4931-8610-f4e4fb0b6936",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936", "3249D99D0C4049318610F4E4FB0B69360" },
	{ "upper case", "3249D99D-0C40-4931-8610-F4E4FB0B6936",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936", "3249D99D0C4049318610F4E4FB0B69360" },
	{ "plain", "3249d99d0c4049318610f4e4fb0b6936",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936", "3249D99D0C4049318610F4E4FB0B69360" },
	{ "hyphenated with age", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936-1", "3249D99D0C4049318610F4E4FB0B69361" },
	{ "plain with age", "3249d99d0c4049318610f4e4fb0b6936A",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936-a", "3249D99D0C4049318610F4E4FB0B6936a" },
	{ "age of zero", "3249d99d-0c40-4931-8610-f4e4fb0b6936-0",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936", "3249D99D0C4049318610F4E4FB0B69360" },
	{ "largest age", "3249d99d0c4049318610f4e4fb0b6936ffffffff",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936-ffffffff",
	  "3249D99D0C4049318610F4E4FB0B6936ffffffff" },
	{ "tail ignored", "3249d99d0c4049318610f4e4fb0b6936000000010102",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936-1", "3249D99D0C4049318610F4E4FB0B69361" },
	{ "any tail ignored", "3249d99d-0c40-4931-8610-f4e4fb0b6936-0000000a, and so on",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936-a", "3249D99D0C4049318610F4E4FB0B6936a" },
	{ "PDB 2.0", "3ae2ecb1a", "3AE2ECB1-a", "3AE2ECB1a" },
	{ "PDB 2.0 hyphenated", "3AE2ECB1-a", "3AE2ECB1-a", "3AE2ECB1a" },
	{ "PDB 2.0 longest", "3AE2ECB1ffffffff", "3AE2ECB1-ffffffff", "3AE2ECB1ffffffff" },
	{ "PDB 2.0 age zero", "3AE2ECB10", "3AE2ECB1", "3AE2ECB10" },
	{ "nil", "00000000-0000-0000-0000-000000000000",
	  "00000000-0000-0000-0000-000000000000", "000000000000000000000000000000000" },
	{ "nil with age", "00000000-0000-0000-0000-000000000000-1",
	  "00000000-0000-0000-0000-000000000000-1", "000000000000000000000000000000001" },
	{ "empty", "", NULL, NULL },
	{ "eight digits", "3AE2ECB1", NULL, NULL },
	{ "eight digits, hyphen", "3AE2ECB1-", NULL, NULL },
	{ "17 digits", "3AE2ECB1ffffffff0", NULL, NULL },
	{ "PDB 2.0 wrong age", "3AE2ECB1-g", NULL, NULL },
	{ "PDB 2.0 wrong stamp", "3AE2ECBx-1", NULL, NULL },
	{ "31 digits", "3249d99d0c4049318610f4e4fb0b693", NULL, NULL },
	{ "not hex", "3249d99d0c4049318610f4e4fb0b693g", NULL, NULL },
	{ "not hex in age", "3249d99d0c4049318610f4e4fb0b6936g", NULL, NULL },
	{ "hyphen at the wrong place", "3249d99d-0c404-931-8610-f4e4fb0b6936", NULL, NULL },
	{ "some hyphens missing", "3249d99d-0c4049318610-f4e4fb0b6936", NULL, NULL },
	{ "hyphenated, age without", "3249d99d-0c40-4931-8610-f4e4fb0b69361", NULL, NULL },
	{ "plain, age with", "3249d99d0c4049318610f4e4fb0b6936-1", NULL, NULL },
	{ "hyphen and no age", "3249d99d-0c40-4931-8610-f4e4fb0b6936-", NULL, NULL },
	{ "braces", "{3249d99d-0c40-4931-8610-f4e4fb0b6936}", NULL, NULL },
	{ "blank before", " 3249d99d-0c40-4931-8610-f4e4fb0b6936", NULL, NULL },
};

START_TEST(reads_every_form)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		char canonical[DEBUGID_TEXT_BYTES], breakpad[DEBUGID_TEXT_BYTES];
		struct debugid id, again;

		ck_assert_msg(debugid_parse(text_of(cases[i].text), &id) ==
			      (cases[i].canonical != NULL), "%s", cases[i].what);
		if (!cases[i].canonical)
			continue;
		debugid_format(&id, canonical);
		debugid_format_breakpad(&id, breakpad);
		ck_assert_str_eq(canonical, cases[i].canonical);
		ck_assert_str_eq(breakpad, cases[i].breakpad);
		ck_assert_msg(debugid_parse_breakpad(text_of(breakpad), &again), "%s",
			      cases[i].what);
		ck_assert(debugid_equal(&id, &again));
	}
}
END_TEST

START_TEST(reads_breakpad_strictly)
{
	static const char *const refused[] = {
		"", "3249D99D0C4049318610F4E4FB0B6936",
		"3249d99d-0c40-4931-8610-f4e4fb0b6936-1",
		"3249D99D0C4049318610F4E4FB0B6936123456789",
		"3249D99D0C4049318610F4E4FB0B6936x", "3AE2ECB1-a", "3AE2ECB1",
	};
	struct debugid id;

	for (size_t i = 0; i < COUNT(refused); i++)
		ck_assert_msg(!debugid_parse_breakpad(text_of(refused[i]), &id), "%s",
			      refused[i]);
}
END_TEST

START_TEST(nothing_but_zeros_is_nil)
{
	static const uint8_t zeros[DEBUGID_UUID_BYTES];
	static const struct {
		const char *text;
		bool is_nil;
	} nils[] = {
		{ "00000000-0000-0000-0000-000000000000", true },
		{ "000000000", true },
		{ "00000000-0000-0000-0000-000000000000-1", false },
		{ "00000000-0000-0000-0000-000000000001", false },
	};
	struct debugid id = debugid_from_uuid(zeros, 0);

	ck_assert(debugid_is_nil(&id));
	id = debugid_from_guid(zeros, 0);
	ck_assert(debugid_is_nil(&id));
	id = debugid_from_build_id(NULL, 0, true);
	ck_assert(debugid_is_nil(&id));
	for (size_t i = 0; i < COUNT(nils); i++) {
		ck_assert(debugid_parse(text_of(nils[i].text), &id));
		ck_assert_int_eq(debugid_is_nil(&id), nils[i].is_nil);
	}
}
END_TEST

START_TEST(comes_from_files)
{
	static const uint8_t bytes[20] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
					   15, 16, 17, 18, 19 };
	char text[DEBUGID_TEXT_BYTES];
	struct debugid id = debugid_from_guid(bytes, 2);

	debugid_format(&id, text);
	ck_assert_str_eq(text, "03020100-0504-0706-0809-0a0b0c0d0e0f-2");
	id = debugid_from_uuid(bytes, 0);
	debugid_format_uuid_simple(&id, text);
	ck_assert_str_eq(text, "000102030405060708090a0b0c0d0e0f");
	id = debugid_from_build_id(bytes, sizeof(bytes), true);
	debugid_format(&id, text);
	ck_assert_str_eq(text, "03020100-0504-0706-0809-0a0b0c0d0e0f");
	id = debugid_from_build_id(bytes, sizeof(bytes), false);
	debugid_format(&id, text);
	ck_assert_str_eq(text, "00010203-0405-0607-0809-0a0b0c0d0e0f");
	id = debugid_from_build_id(bytes + 1, 5, true);
	debugid_format(&id, text);
	ck_assert_str_eq(text, "04030201-0005-0000-0000-000000000000");
}
END_TEST

START_TEST(is_stored_in_32_bytes)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t record[DEBUGID_RECORD_BYTES];
		struct debugid id, again;

		if (!cases[i].canonical)
			continue;
		ck_assert(debugid_parse(text_of(cases[i].text), &id));
		debugid_store(&id, record);
		again = debugid_load(record);
		ck_assert_msg(debugid_equal(&id, &again), "%s", cases[i].what);
		for (size_t at = 20; at < 31; at++)
			ck_assert_uint_eq(record[at], 0);
		ck_assert_uint_eq(record[31], id.kind == DEBUGID_PDB20);
	}
}
END_TEST

START_TEST(code_ids_are_hex_digits)
{
	static const struct {
		const char *text, *normal;
		bool is_any;
	} codes[] = {
		{ "ABCdef0123", "abcdef0123", true },
		{ "5CE2-94 3a.x", "5ce2943a", true },
		{ "xyz-", "", false },
		{ "", "", false },
	};
	char out[32];

	for (size_t i = 0; i < COUNT(codes); i++) {
		ck_assert_int_eq(codeid_normalise(text_of(codes[i].text), out),
				 codes[i].is_any);
		ck_assert_str_eq(out, codes[i].normal);
	}
	hex_format((const uint8_t *)"\x00\xff\x1e", 3, out);
	ck_assert_str_eq(out, "00ff1e");
	hex_format(NULL, 0, out);
	ck_assert_str_eq(out, "");
}
END_TEST

static void parse_both(void *payload, const uint8_t *bytes, size_t size)
{
	struct text text = { (const char *)bytes, size };
	char out[DEBUGID_TEXT_BYTES];
	struct debugid id;

	(void)payload;
	if (debugid_parse(text, &id))
		debugid_format(&id, out);
	if (debugid_parse_breakpad(text, &id))
		debugid_format_breakpad(&id, out);
}

START_TEST(survives_every_byte_change)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		support_every_byte_change((const uint8_t *)cases[i].text,
					  strlen(cases[i].text), parse_both, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/debugid");
	TCase *tcase = tcase_create("debugid");

	tcase_add_test(tcase, reads_every_form);
	tcase_add_test(tcase, reads_breakpad_strictly);
	tcase_add_test(tcase, nothing_but_zeros_is_nil);
	tcase_add_test(tcase, comes_from_files);
	tcase_add_test(tcase, is_stored_in_32_bytes);
	tcase_add_test(tcase, code_ids_are_hex_digits);
	tcase_add_test(tcase, survives_every_byte_change);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
