/* test_ppdb -- Portable PDBs: streams, tables, sequence points, sources, links. */
#include <stdio.h>
#include <string.h>

#include "object/look.h"
#include "object/makers.h"
#include "support/support.h"

#define OUT_BYTES ((size_t)64 << 20)

static struct buf made_with(const struct ppdb_maker *maker)
{
	struct buf bytes;

	buf_init(&bytes, OUT_BYTES);
	make_ppdb(maker, &bytes);
	ck_assert(!bytes.failed);
	return bytes;
}

/* All it says, or "error: why". */
static const char *told(const void *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, OUT_BYTES);
	if (look_bytes(bytes, size, NULL, 0, &out, &err) < 0)
		buf_printf(&out, "error: %s\n", err.text);
	return look_keep(&out);
}

#define HEAD "object portablepdb unknown dbg debug\n" \
	"id 00112233-4455-6677-8899-aabbccddeeff-12345678\ncode \nfile \nload 0\n"
#define METHOD_1 "method 1\npoint 0 C:\\src\\a.cs:10 csharp\npoint 9 C:\\src\\a.cs:12 csharp\n"
#define METHODS_23 "method 2\n" \
	"method 3 of 2\npoint 0 /src/b.fs:7 fsharp\npoint 4 C:\\src\\a.cs:30 csharp\n"
#define INSIDE "source C:\\src\\a.cs 14 bytes\nsource /src/b.fs 10 bytes\nsource C:\\src\\c.vb linked\n"
#define LINKED "source C:\\src\\a.cs linked\nsource /src/b.fs linked\nsource C:\\src\\c.vb linked\n"
#define LINK "pattern C:\\src\\* https://example.org/raw/*\n"

static const struct { const char *what; struct ppdb_maker maker; const char *text; } cases[] = {
	{ "all there is", { 0 }, HEAD METHOD_1 METHODS_23 INSIDE LINK },
	{ "wide indexes", { .wide = true }, HEAD METHOD_1 METHODS_23 INSIDE LINK },
	{ "no sources, no links", { .no_sources = true, .links = "" },
	  HEAD METHOD_1 METHODS_23 LINKED },
	{ "links without documents", { .no_sources = true, .links = "{}" },
	  HEAD METHOD_1 METHODS_23 LINKED },
	{ "links are no JSON", { .links = "{\"documents\":" },
	  "error: reading portablepdb: SourceLink is no JSON object\n" },
	{ "a link is a number", { .links = "{\"documents\":{\"a\":1}}" },
	  "error: reading portablepdb: SourceLink: a link is no text\n" },
	{ "links with a byte order mark", { .links = "\xef\xbb\xbf{\"documents\":{\"a\":\"b\"}}" },
	  HEAD METHOD_1 METHODS_23 INSIDE "pattern a b\n" },
	{ "a stream nobody knows", { .extra_stream = "#Odd" },
	  "error: reading portablepdb: no stream is called \"#Odd\"\n" },
	{ "user strings are let be", { .extra_stream = "#US" },
	  HEAD METHOD_1 METHODS_23 INSIDE LINK },
	{ "a method cut short costs itself", { .bad_method = "0000000501" }, HEAD METHODS_23
	  "bad methods 1: method 1: sequence points ends early, at byte 5 of 5\n" INSIDE LINK },
	{ "a line below zero", { .bad_method = "00" "00" "0005" "0a01" "01" "0005" "2d00" },
	  HEAD METHODS_23 "bad methods 1: method 1: sequence points run to line -32\n" INSIDE LINK },
	{ "a document that is none", { .bad_method = "00" "00" "0000" "0009" "01" "0005" "0101" },
	  HEAD METHODS_23 "bad methods 1: method 1: sequence points of document 9 of 3\n"
	  INSIDE LINK },
	{ "numbers of two and four bytes", { .bad_method = "00" "8100" "0005" "c0010000" "01" },
	  HEAD "method 1\npoint 256 C:\\src\\a.cs:65536 csharp\n" METHODS_23 INSIDE LINK },
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

/* Counts of 4 GB in a few bytes are found out before anything is made for them. */
START_TEST(refuses_counts_that_do_not_fit)
{
	struct buf bytes = made_with(&(struct ppdb_maker){ 0 });
	const char *counts = memmem(bytes.bytes, bytes.size, "\3\0\0\0\3\0\0\0\1\0\0\0", 12);

	ck_assert_ptr_nonnull(counts);
	memset((char *)(uintptr_t)counts, 0xff, 4);
	ck_assert_msg(strstr(told(bytes.bytes, bytes.size),
			     "#~: table 0x30 with 4294967295 rows ends after the stream"),
		      "%s", told(bytes.bytes, bytes.size));
	buf_release(&bytes);
}
END_TEST

/* A Portable PDB inside a program says the same. */
START_TEST(reads_what_lies_in_a_program)
{
	struct buf ppdb = made_with(&(struct ppdb_maker){ 0 }), bytes;
	const char *text;

	buf_init(&bytes, OUT_BYTES);
	make_pe_around(&ppdb, _i, &bytes);
	text = told(bytes.bytes, bytes.size);
	ck_assert_msg(strstr(text, "object pe x86_64 lib"), "%s", text);
	if (_i == 0)
		ck_assert_msg(strstr(text, "load 140000000\n" METHOD_1 METHODS_23 INSIDE LINK), "%s",
			      text);
	else
		ck_assert_msg(strstr(text, "error: reading pe: unpacking the Portable PDB inside"),
			      "%s", text);
	support_every_byte_change((const uint8_t *)bytes.bytes, bytes.size, look_survive, NULL);
	buf_release(&bytes);
	buf_release(&ppdb);
}
END_TEST

/* The fixtures of Symbolicator, and what it found in them. */
START_TEST(agrees_with_the_reference)
{
	const char *path = support_shared("conformance/fixtures/symbols/integration.pdb/"
					  "0C1033F78632492E91C6C314B72E1920ffffffff/integration.pdb");
	const char *text;

	if (!path)
		return;
	text = look_path(path);
	ck_assert(look_has(text, "object portablepdb unknown dbg debug", ""));
	ck_assert(look_has(text, "id 0c1033f7-8632-492e-91c6-c314b72e1920-e60b819d", ""));
	ck_assert(!look_has(text, "bad methods", ""));
}
END_TEST

START_TEST(survives_every_byte_change)
{
	struct buf bytes = made_with(&(struct ppdb_maker){ .wide = _i });

	support_every_byte_change((const uint8_t *)bytes.bytes, bytes.size, look_survive, NULL);
	buf_release(&bytes);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct buf bytes = made_with(&(struct ppdb_maker){ 0 });
	struct look_input input = { .bytes = (const uint8_t *)bytes.bytes, .size = bytes.size };

	support_every_allocation_failure(look_work, &input, 1000);
	buf_release(&bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ppdb");
	TCase *tcase = tcase_create("ppdb");

	tcase_add_loop_test(tcase, reads, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tcase, refuses_counts_that_do_not_fit);
	tcase_add_loop_test(tcase, reads_what_lies_in_a_program, 0, 2);
	tcase_add_test(tcase, agrees_with_the_reference);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, 2);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
