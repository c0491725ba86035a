/* test_listings -- what Sentry servers answer and symstore indexes hold, as lines. */
#include "support/support.h"

#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "convert/convert_internal.h"

#define CEILING_BYTES ((size_t)8 << 20)
#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *const types[] = { "elf", "macho", "dartsymbolmap" };

static const struct {
	const char *what;
	enum convert_listing_kind kind;
	const char *answer;          /* ' stands for " in JSON */
	const char *lines;           /* NULL: refused */
	const char *text;            /* of the refusal */
} cases[] = {
	{ "none", CONVERT_LISTING_FILES, "[]", "", NULL },
	{ "two", CONVERT_LISTING_FILES,
	  "[{'id':'1','symbolType':'macho','x':{}},{'symbolType':'dartsymbolmap','id':'b-2'}]",
	  "macho 1\ndartsymbolmap b-2\n", NULL },
	{ "an unknown type spoils all", CONVERT_LISTING_FILES,
	  "[{'id':'1','symbolType':'elf'},{'id':'2','symbolType':'zx'}]", NULL,
	  "the listing has a file of the unknown type `zx`" },
	{ "no id", CONVERT_LISTING_FILES, "[{'symbolType':'elf'}]", NULL, "the listing makes no sense" },
	{ "id of no string", CONVERT_LISTING_FILES, "[{'id':1,'symbolType':'elf'}]", NULL,
	  "the listing makes no sense" },
	{ "no object", CONVERT_LISTING_FILES, "['elf']", NULL, "the listing makes no sense" },
	{ "no array", CONVERT_LISTING_FILES, "{}", NULL, "the listing is no JSON array" },
	{ "no JSON", CONVERT_LISTING_FILES, "<html>", NULL, "the listing is no JSON array" },
	{ "nothing", CONVERT_LISTING_FILES, "", NULL, "the listing is no JSON array" },
	{ "an id that would be a line of its own", CONVERT_LISTING_FILES,
	  "[{'id':'1\\n2','symbolType':'elf'}]", "", NULL },
	{ "an empty id", CONVERT_LISTING_FILES, "[{'id':'','symbolType':'elf'}]", "", NULL },

	{ "plain", CONVERT_LISTING_LAST_ID, "0000000012", "12", NULL },
	{ "blanks around", CONVERT_LISTING_LAST_ID, " \t12\r\n", "12", NULL },
	{ "zero", CONVERT_LISTING_LAST_ID, "0", "0", NULL },
	{ "too many", CONVERT_LISTING_LAST_ID, "10001", NULL, "an index of 10001 segments" },
	{ "no number", CONVERT_LISTING_LAST_ID, "twelve", NULL, "lastid.txt is no number" },
	{ "negative", CONVERT_LISTING_LAST_ID, "-1", NULL, "lastid.txt is no number" },
	{ "empty", CONVERT_LISTING_LAST_ID, "", NULL, "lastid.txt is no number" },
	{ "too long", CONVERT_LISTING_LAST_ID, "000000000000000000001", NULL, "lastid.txt is too long" },

	{ "no segments", CONVERT_LISTING_INDEX, "", "", NULL },
	{ "segments", CONVERT_LISTING_INDEX,
	  "\"z.pdb\\1\",\"C:\\z.pdb\"\r\n"
	  "file \"a.dll\\2\" \"more\\3\"\r\n"
	  "no quotes\n\"one only\n\"no mark\"\n\"\\x\"\n\"y\\\"\n"
	  "\"a.dll\\2\"\n\"last\\9\"",
	  "a.dll/2/a.dll\nlast/9/last\nz.pdb/1/z.pdb\n", NULL },
	{ "a beginning sorts first", CONVERT_LISTING_INDEX, "\"ab\\1\"\n\"a\\2\"\n\"a\\1\"\n",
	  "a/1/a\na/2/a\nab/1/ab\n", NULL },
};

static struct convert_listing listing_of(enum convert_listing_kind kind)
{
	return (struct convert_listing){ .kind = kind, .types = types, .type_count = COUNT(types) };
}

START_TEST(reads_or_says_why_not)
{
	struct convert_listing listing = listing_of(cases[_i].kind);
	char *answer = support_printf("%s", cases[_i].answer);
	struct err err = ERR_INIT;
	struct buf lines;
	int rc;

	for (char *at = answer; *at && cases[_i].kind == CONVERT_LISTING_FILES; at++)
		if (*at == '\'')
			*at = '"';
	buf_init(&lines, CEILING_BYTES);
	rc = convert_listing_read(&listing, text_of(answer), &lines, &err);
	ck_assert_msg((rc == 0) == (cases[_i].lines != NULL), "%s: %s", cases[_i].what, err.text);
	if (rc == 0) {
		ck_assert_str_eq(buf_string(&lines), cases[_i].lines);
	} else {
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
		ck_assert_str_eq(err.text, cases[_i].text);
	}
	buf_release(&lines);
}
END_TEST

START_TEST(an_index_has_an_end)
{
	struct convert_listing listing = listing_of(CONVERT_LISTING_INDEX);
	struct err err = ERR_INIT;
	struct buf segments, lines;

	buf_init(&segments, CEILING_BYTES);
	buf_init(&lines, 1000);
	for (unsigned i = 0; i < 200; i++)
		buf_printf(&segments, "\"n\\%u\"\n", i);
	ck_assert_int_lt(convert_listing_read(&listing, buf_text(&segments), &lines, &err), 0);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	buf_release(&segments);
	buf_release(&lines);
}
END_TEST

static void change(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(survives_every_byte_change)
{
	static const char segment[] = "\"z.pdb\\1\",\"C:\\z.pdb\"\r\n\"a\\b\"\n";
	static const char answer[] = "[{\"id\":\"1\",\"symbolType\":\"macho\"}]";

	support_every_byte_change((const uint8_t *)segment, sizeof(segment) - 1, change, NULL);
	support_every_byte_change((const uint8_t *)answer, sizeof(answer) - 1, change, NULL);
}
END_TEST

static int read_all(void *payload, struct err *err)
{
	static const char *const answers[CONVERT_LISTINGS] = {
		[CONVERT_LISTING_FILES] = "[{\"id\":\"1\",\"symbolType\":\"elf\"}]",
		[CONVERT_LISTING_LAST_ID] = "12",
		[CONVERT_LISTING_ARTIFACTS] =
			"[{\"id\":\"1\",\"type\":\"bundle\",\"url\":\"https://a.example/1\",\"resolved_with\":\"release\"}]",
		[CONVERT_LISTING_INDEX] = "\"z\\1\"\n\"a\\1\"\n",
	};
	int rc = 0;

	(void)payload;
	for (unsigned kind = 0; kind < CONVERT_LISTINGS && rc == 0; kind++) {
		struct convert_listing listing = listing_of((enum convert_listing_kind)kind);
		struct buf lines;

		buf_init(&lines, CEILING_BYTES);
		rc = convert_listing_read(&listing, text_of(answers[kind]), &lines, err);
		buf_release(&lines);
	}
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(read_all, NULL, 50);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("listings");
	TCase *reading = tcase_create("reading");

	tcase_add_loop_test(reading, reads_or_says_why_not, 0, COUNT(cases));
	tcase_add_test(reading, an_index_has_an_end);
	tcase_add_test(reading, survives_every_byte_change);
	tcase_add_test(reading, survives_every_allocation_failure);
	suite_add_tcase(suite, reading);
	return support_main(suite);
}
