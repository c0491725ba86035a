/* test_bundle -- source bundles: the zip around them, the manifest, what lies in them. */
#include <stdio.h>
#include <string.h>

#include "object/look.h"
#include "object/makers.h"
#include "support/support.h"

#define OUT_BYTES ((size_t)64 << 20)

static struct buf made_with(const struct bundle_maker *maker)
{
	struct buf bytes;

	buf_init(&bytes, OUT_BYTES);
	make_bundle(maker, &bytes);
	ck_assert(!bytes.failed);
	return bytes;
}

static const char *told(const void *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, OUT_BYTES);
	if (look_bytes(bytes, size, NULL, 0, &out, &err) < 0)
		buf_printf(&out, "error: %s\n", err.text);
	return look_keep(&out);
}

static const struct bundle_file two[] = {
	{ "files/src/b.c", "/src/b.c", NULL, "int b;\n", 0 },
	{ "files/src/a.c", "C:\\\\src\\\\a.c", "https://example.org/a.c", "int a;\nint c;\n", 0 },
};
static const struct bundle_file odd[] = {
	{ "files/gone", "/gone", NULL, NULL, 0 },
	{ "files/nameless", NULL, NULL, "text", 0 },
	{ "../../etc/passwd", "/etc/passwd", NULL, "only a name", 0 },
};

#define ATTRIBUTES "\"arch\":\"arm64\",\"debug_id\":\"3249d99d-0c40-4931-8610-f4e4fb0b6936-1\"," \
	"\"code_id\":\"ABcd\",\"object_name\":\"app\"," \
	"\"source_links\":{\"/src/*\":\"https://example.org/*\"}"
#define HEAD(arch, id, code) "object sourcebundle " arch " src\nid " id "\ncode " code \
	"\nfile \nload 0\n"
#define NIL "00000000-0000-0000-0000-000000000000"
#define PLAIN HEAD("unknown", NIL, "")
#define BOTH "source C:\\src\\a.c 14 bytes\nsource /src/b.c 7 bytes\n"

static const struct { const char *what; struct bundle_maker maker; const char *text; } cases[] = {
	{ "deflated", { .files = two, .count = 2, .attributes = ATTRIBUTES },
	  HEAD("arm64", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1", "abcd") BOTH
	  "pattern /src/* https://example.org/*\n" },
	{ "stored", { .files = two, .count = 2, .stored = true }, PLAIN BOTH },
	{ "offsets count the header", { .files = two, .count = 2, .offsets_count_header = true },
	  PLAIN BOTH },
	{ "zip64", { .files = two, .count = 2, .zip64 = true }, PLAIN BOTH },
	{ "extra fields that do not fit", { .files = two, .count = 2, .bad_extra = true },
	  PLAIN BOTH },
	{ "no files at all", { .count = 0 }, PLAIN },
	{ "an empty manifest", { .manifest = "{}" }, PLAIN },
	{ "files missing, without a path, with a path that leads out",
	  { .files = odd, .count = 3 },
	  PLAIN "source /etc/passwd 11 bytes\nsource /gone it is not in the archive\n" },
	{ "a manifest that is no JSON", { .manifest = "{\"files\":" },
	  "error: reading sourcebundle: manifest.json is no JSON object\n" },
	{ "a manifest that is no UTF-8", { .manifest = "{\"a\":\"\xff\"}" },
	  "error: reading sourcebundle: manifest.json is no UTF-8\n" },
	{ "an attribute that is a number", { .manifest = "{\"files\":{},\"dist\":1}" },
	  "error: reading sourcebundle: manifest.json: \"dist\" is no text\n" },
	{ "files that are a list", { .manifest = "{\"files\":[]}" },
	  "error: reading sourcebundle: manifest.json: \"files\" is no object\n" },
	{ "a path that is a number", { .manifest = "{\"files\":{\"a\":{\"path\":1}}}" },
	  "error: reading sourcebundle: manifest.json: path of a file is no text\n" },
	{ "a link that is a number", { .manifest = "{\"source_links\":{\"a\":1}}" },
	  "error: reading sourcebundle: manifest.json: a source link is no text\n" },
	{ "ids that are none", { .manifest = "{\"debug_id\":\"?\",\"code_id\":\"?\",\"arch\":\"z80\"}" },
	  PLAIN },
};

START_TEST(reads)
{
	struct buf bytes = made_with(&cases[_i].maker);
	const char *text = told(bytes.bytes, bytes.size);

	ck_assert_msg(strcmp(text, cases[_i].text) == 0, "%s:\n%s\nnot\n%s", cases[_i].what, text,
		      cases[_i].text);
	buf_release(&bytes);
}
END_TEST

START_TEST(refuses_a_manifest_of_another_size)
{
	struct buf bytes = made_with(&(struct bundle_maker){ .files = two, .count = 2,
							     .size_lie = _i ? 1 : -1 });

	ck_assert_msg(strstr(told(bytes.bytes, bytes.size), "unpacking manifest.json"), "%s",
		      told(bytes.bytes, bytes.size));
	buf_release(&bytes);
}
END_TEST

START_TEST(refuses_what_is_no_archive)
{
	static const char bytes[32] = "SYSB\2\0\0\0PK";

	ck_assert(strstr(told(bytes, sizeof(bytes)), "error: reading sourcebundle: "));
}
END_TEST

START_TEST(agrees_with_the_reference)
{
	const char *path = support_shared("conformance/fixtures/symbols/7f/"
					  "883fcdc55336d0a809b0150f09500b.src.zip");
	const char *text;

	if (!path)
		return;
	text = look_path(path);
	ck_assert(look_has(text, "object sourcebundle x86_64 src", ""));
	ck_assert(look_has(text, "source /Users/swatinem/Coding/sentry-native/examples/example.c", ""));
}
END_TEST

START_TEST(survives_every_byte_change)
{
	struct bundle_maker makers[] = {
		{ .files = two, .count = 2, .attributes = ATTRIBUTES },
		{ .files = two, .count = 2, .stored = true, .zip64 = true },
	};
	struct buf bytes = made_with(&makers[_i]);

	support_every_byte_change((const uint8_t *)bytes.bytes, bytes.size, look_survive, NULL);
	buf_release(&bytes);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct buf bytes = made_with(&(struct bundle_maker){ .files = two, .count = 2,
							     .attributes = ATTRIBUTES });
	struct look_input input = { .bytes = (const uint8_t *)bytes.bytes, .size = bytes.size };

	support_every_allocation_failure(look_work, &input, 1000);
	buf_release(&bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bundle");
	TCase *tcase = tcase_create("bundle");

	tcase_add_loop_test(tcase, reads, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_loop_test(tcase, refuses_a_manifest_of_another_size, 0, 2);
	tcase_add_test(tcase, refuses_what_is_no_archive);
	tcase_add_test(tcase, agrees_with_the_reference);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, 2);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
