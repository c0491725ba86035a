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

#define SCRIPT_ID "67e9247c-814e-392b-a027-dbde6748fcbf"
static const struct bundle_file script[] = {
	{ "files/a.js", NULL, NULL, "a()", 0 }, { "files/a.js.map", NULL, NULL, "{}", 0 },
	{ "files/b.js", NULL, NULL, "b()", 0 }, { "files/ram", NULL, NULL, "r", 0 },
};
#define SCRIPTS "{\"files\":{" \
	"\"files/a.js\":{\"type\":\"minified_source\",\"url\":\"~/a.js\",\"headers\":{" \
	"\"Debug-ID\":\"" SCRIPT_ID "\",\"X-SourceMap\":\"old.map\",\"sourceMap\":\"a.js.map\"}}," \
	"\"files/a.js.map\":{\"type\":\"source_map\",\"url\":\"~/a.js.map\",\"headers\":{" \
	"\"debug-id\":\"1\",\"debug-id\":\"" SCRIPT_ID "\"}}," \
	"\"files/b.js\":{\"type\":\"minified_source\",\"url\":\"~/b.js\",\"headers\":{" \
	"\"debug-id\":\"none\",\"x-sourcemap\":\"b.map\"}}," \
	"\"files/ram\":{\"type\":\"indexed_ram_bundle\",\"headers\":{}}}}"

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
	  PLAIN "source /etc/passwd 11 bytes\nsource /gone it is not in the archive\n"
	  "source  4 bytes\n" },
	{ "files of a release", { .files = script, .count = 4, .manifest = SCRIPTS },
	  PLAIN "artifact type 2 " SCRIPT_ID " ~/a.js map a.js.map headers debug-id=" SCRIPT_ID
	  " x-sourcemap=old.map sourcemap=a.js.map\nsource  3 bytes\n"
	  "artifact type 3 " SCRIPT_ID " ~/a.js.map map  headers debug-id=1 debug-id=" SCRIPT_ID
	  "\nsource  2 bytes\n"
	  "artifact type 2 " NIL " ~/b.js map b.map headers debug-id=none x-sourcemap=b.map\n"
	  "source  3 bytes\n"
	  "artifact type 4 " NIL "  map  headers\nsource  1 bytes\n" },
	{ "a type nobody knows", { .manifest = "{\"files\":{\"a\":{\"type\":\"sauce\"}}}" },
	  "error: reading sourcebundle: manifest.json: `sauce` is no type of a file\n" },
	{ "headers that are a list", { .manifest = "{\"files\":{\"a\":{\"headers\":[]}}}" },
	  "error: reading sourcebundle: manifest.json: headers of a file are no object\n" },
	{ "a header that is a number",
	  { .manifest = "{\"files\":{\"a\":{\"headers\":{\"a\":1}}}}" },
	  "error: reading sourcebundle: manifest.json: a header is no text\n" },
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
		{ .files = script, .count = 4, .stored = true, .manifest = SCRIPTS },
	};
	struct buf bytes = made_with(&makers[_i]);

	support_every_byte_change((const uint8_t *)bytes.bytes, bytes.size, look_survive, NULL);
	buf_release(&bytes);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct bundle_maker makers[] = {
		{ .files = two, .count = 2, .attributes = ATTRIBUTES },
		{ .files = script, .count = 4, .manifest = SCRIPTS },
	};
	struct buf bytes = made_with(&makers[_i]);
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
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, 3);
	tcase_add_loop_test(tcase, survives_every_allocation_failure, 0, 2);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
