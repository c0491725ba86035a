/* test_uuidmap -- property lists that lead to BCSymbolMaps, well made and hostile. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "convert/convert_internal.h"
#include "support/support.h"

#define UUID "C8374B6D-6E96-34D8-AE38-EFAA5FEC424F"
#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" \
	"<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/x.dtd\">\n"
#define PLIST(inside) HEAD "<plist version=\"1.0\">\n" inside "\n</plist>\n"
#define ENTRY "<key>DBGOriginalUUID</key>\n\t<string>" UUID "</string>"
#define WHOLE PLIST("<dict>\n\t" ENTRY "\n</dict>")

static const struct {
	const char *what, *xml;
	const char *text;            /* of the refusal; NULL: it is read */
} cases[] = {
	{ "as Xcode writes it", WHOLE, NULL },
	{ "on one line", "<plist version=\"1.0\"><dict>" ENTRY "</dict></plist>", NULL },
	{ "lower case", PLIST("<dict><key>DBGOriginalUUID</key><string>"
	  "c8374b6d6e9634d8ae38efaa5fec424f</string></dict>"), NULL },
	{ "other keys before", PLIST("<dict><key>DBGVersion</key><string>3</string><key>a</key><true/>"
	  ENTRY "</dict>"), NULL },
	{ "values with keys of their own", PLIST("<dict><key>DBGSourcePathRemapping</key><dict>"
	  "<key>DBGOriginalUUID</key><string>nested</string></dict>" ENTRY "</dict>"), NULL },
	{ "a comment", PLIST("<dict><!-- <key>x</key> > -->" ENTRY "</dict>"), NULL },
	{ "blanks around", PLIST("<dict><key> DBGOriginalUUID </key><string>\n" UUID "\n</string></dict>"),
	  NULL },
	{ "nothing", "", "the UUID map is no property list" },
	{ "another document", "<html></html>", "the UUID map is no property list" },
	{ "another version", "<plist version=\"2.0\"><dict>" ENTRY "</dict></plist>",
	  "the UUID map's version is not 1.0" },
	{ "an array", PLIST("<array>" ENTRY "</array>"), "the UUID map holds no dict" },
	{ "cut short", HEAD "<plist version=\"1.0\"><dict><key>DBGOriginalUUID</key><string>C837",
	  "the UUID map has no DBGOriginalUUID" },
	{ "no such key", PLIST("<dict><key>DBGVersion</key><string>3</string></dict>"),
	  "the UUID map has no DBGOriginalUUID" },
	{ "the key comes last", PLIST("<dict><key>DBGOriginalUUID</key></dict>"),
	  "the UUID map has no DBGOriginalUUID" },
	{ "the key stands outside", PLIST("<dict></dict>" ENTRY), "the UUID map has no DBGOriginalUUID" },
	{ "an empty value", PLIST("<dict><key>DBGOriginalUUID</key><string/>" "</dict>"),
	  "the UUID map has no DBGOriginalUUID" },
	{ "no UUID", PLIST("<dict><key>DBGOriginalUUID</key><string>nobody</string></dict>"),
	  "DBGOriginalUUID is no UUID" },
	{ "a UUID with an age", PLIST("<dict><key>DBGOriginalUUID</key><string>" UUID "-1</string></dict>"),
	  "DBGOriginalUUID is no UUID" },
	{ "elements instead of text", PLIST("<dict><key>DBGOriginalUUID</key><dict>" ENTRY
	  "</dict></dict>"), "DBGOriginalUUID is no UUID" },
};

START_TEST(reads_or_says_why_not)
{
	char id[DEBUGID_TEXT_BYTES];
	struct err err = ERR_INIT;
	struct debugid original;
	int rc = convert_uuidmap_read(text_of(cases[_i].xml), &original, &err);

	if (cases[_i].text) {
		ck_assert_msg(rc < 0, "%s is read", cases[_i].what);
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
		ck_assert_msg(strcmp(err.text, cases[_i].text) == 0, "%s: %s", cases[_i].what,
			      err.text);
		return;
	}
	ck_assert_msg(rc == 0, "%s: %s", cases[_i].what, err.text);
	debugid_format(&original, id);
	ck_assert_str_eq(id, "c8374b6d-6e96-34d8-ae38-efaa5fec424f");
}
END_TEST

START_TEST(reads_no_file_at_all)
{
	struct err err = ERR_INIT;
	struct debugid original;

	ck_assert_int_eq(convert_uuidmap_read(TEXT_NONE, &original, &err), -1);
	ck_assert_str_eq(err.text, "the UUID map is no property list");
}
END_TEST

static void survive(void *payload, const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct debugid original;

	(void)payload;
	if (convert_uuidmap_read((struct text){ (const char *)bytes, size }, &original, &err) < 0)
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
}

START_TEST(survives_every_byte_change)
{
	static const char xml[] = PLIST("<dict><key>a</key><array><true/><!-- b --></array>" ENTRY
					"</dict>");

	support_every_byte_change((const uint8_t *)xml, sizeof(xml) - 1, survive, NULL);
}
END_TEST

/* Depth is counted, not recursed into. */
START_TEST(nests_as_deep_as_it_likes)
{
	struct err err = ERR_INIT;
	struct debugid original;
	struct buf xml;

	buf_init(&xml, (size_t)64 << 20);
	buf_add_string(&xml, HEAD "<plist version=\"1.0\"><dict><key>a</key>");
	for (int i = 0; i < 1000000; i++)
		buf_add_string(&xml, "<array>");
	ck_assert_int_eq(convert_uuidmap_read(buf_text(&xml), &original, &err), -1);
	for (int i = 0; i < 1000000; i++)
		buf_add_string(&xml, "</array>");
	buf_add_string(&xml, ENTRY "</dict></plist>");
	err_clear(&err);
	ck_assert_msg(convert_uuidmap_read(buf_text(&xml), &original, &err) == 0, "%s", err.text);
	buf_release(&xml);
}
END_TEST

/* --- Replies of the cell that reads them ------------------------------------------------ */

static const struct { const char *what, *reply; bool fine, nil; } replies[] = {
	{ "a UUID", "{\"original\":\"" UUID "\"}", true, false },
	{ "nothing to say", "{}", true, true },
	{ "no UUID", "{\"original\":\"x\"}", false, true },
	{ "a number", "{\"original\":7}", true, true },
	{ "no JSON", "{", false, true },
};

START_TEST(believes_only_uuids)
{
	struct err err = ERR_INIT;
	struct debugid original;
	int rc = convert_auxiliary_reply(text_of(replies[_i].reply), &original, &err);

	ck_assert_msg((rc == 0) == replies[_i].fine, "%s: %s", replies[_i].what, err.text);
	ck_assert_msg(debugid_is_nil(&original) == replies[_i].nil, "%s", replies[_i].what);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("uuidmap");
	TCase *reading = tcase_create("reading");

	tcase_add_loop_test(reading, reads_or_says_why_not, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(reading, reads_no_file_at_all);
	tcase_add_test(reading, survives_every_byte_change);
	tcase_add_test(reading, nests_as_deep_as_it_likes);
	tcase_add_loop_test(reading, believes_only_uuids, 0, (int)(sizeof(replies) / sizeof(replies[0])));
	suite_add_tcase(suite, reading);
	return support_main(suite);
}
