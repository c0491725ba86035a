/* test_ppdbcache -- look-up files for managed code: written, searched, damaged. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/buf.h"
#include "object/makers.h"
#include "object/object.h"
#include "ppdbcache/ppdbcache_layout.h"
#include "ppdbcache/ppdbcache.h"

#define BYTES_MOST ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int write_cache(const struct buf *ppdb, FILE *file, struct ppdbcache_report *report,
		       struct err *err)
{
	struct arena arena;
	struct object object;
	int rc = -1;

	arena_init(&arena, BYTES_MOST);
	if (object_open(&object, ppdb->bytes, ppdb->size, &arena, err) == 0) {
		rc = ppdbcache_write(&object, BYTES_MOST, fileno(file), report, err);
		object_release(&object);
	}
	arena_release(&arena);
	return rc;
}

static struct file_map cache_of(const struct ppdb_maker *maker, struct ppdbcache_report *report)
{
	struct err err = ERR_INIT;
	struct file_map map;
	struct buf ppdb;
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	buf_init(&ppdb, BYTES_MOST);
	make_ppdb(maker, &ppdb);
	ck_assert_msg(write_cache(&ppdb, file, report, &err) == 0, "%s", err.text);
	ck_assert_int_eq(file_map_fd(&map, fileno(file), &err), 0);
	fclose(file);
	buf_release(&ppdb);
	return map;
}

static const struct {
	const char *what;
	uint32_t method, offset;
	const char *file;            /* NULL: nothing */
	uint32_t line, language;
} finds[] = {
	{ "first point", 1, 0, "C:\\src\\a.cs", 10, LANGUAGE_CSHARP },
	{ "between points", 1, 4, "C:\\src\\a.cs", 10, LANGUAGE_CSHARP },
	{ "a hidden point hides nothing", 1, 6, "C:\\src\\a.cs", 10, LANGUAGE_CSHARP },
	{ "second point", 1, 9, "C:\\src\\a.cs", 12, LANGUAGE_CSHARP },
	{ "far behind the last", 1, UINT32_MAX, "C:\\src\\a.cs", 12, LANGUAGE_CSHARP },
	{ "a method without points", 2, 0, NULL, 0, 0 },
	{ "another document", 3, 3, "/src/b.fs", 7, LANGUAGE_FSHARP },
	{ "back in the first", 3, 4, "C:\\src\\a.cs", 30, LANGUAGE_CSHARP },
	{ "no such method", 4, 0, NULL, 0, 0 },
	{ "method 0", 0, 0, NULL, 0, 0 },
	{ "a whole token is no row", 0x06000001, 0, NULL, 0, 0 },
};

START_TEST(finds_places)
{
	struct ppdbcache_report report;
	struct file_map map = cache_of(&(struct ppdb_maker){ 0 }, &report);
	struct err err = ERR_INIT;
	struct ppdbcache cache;

	ck_assert_uint_eq(report.managed.methods, 3);
	ck_assert_uint_eq(report.files, 2);
	ck_assert_uint_eq(report.ranges, 4);
	ck_assert_uint_eq(report.bytes, map.size);
	ck_assert_int_eq(ppdbcache_open(&cache, map.bytes, map.size, &err), 0);
	ck_assert_uint_eq(cache.debug_id.age, 0x12345678);
	for (size_t i = 0; i < sizeof(finds) / sizeof(finds[0]); i++) {
		struct ppdbcache_place place;
		bool found = ppdbcache_lookup(&cache, finds[i].method, finds[i].offset, &place);

		ck_assert_msg(found == (finds[i].file != NULL), "%s", finds[i].what);
		if (!found)
			continue;
		ck_assert_msg(text_is(place.file, finds[i].file), "%s", finds[i].what);
		ck_assert_msg(place.line == finds[i].line, "%s", finds[i].what);
		ck_assert_msg(place.language == finds[i].language, "%s", finds[i].what);
	}
	file_unmap(&map);
}
END_TEST

/* The published layout, to the byte: a head of 68, sections at multiples of 8. */
START_TEST(writes_the_published_layout)
{
	static const uint32_t files[] = { 0, LANGUAGE_CSHARP, 12, LANGUAGE_FSHARP };
	static const uint32_t locations[] = { 10, 0, 12, 0, 7, 1, 30, 0 };
	static const uint32_t ranges[] = { 1, 0, 1, 9, 3, 0, 3, 4 };
	static const char strings[] = "\x0b" "C:\\src\\a.cs" "\x09" "/src/b.fs";
	struct ppdbcache_report report;
	struct file_map map = cache_of(&(struct ppdb_maker){ 0 }, &report);

	ck_assert_mem_eq(map.bytes, "PDBC\1\0\0\0", 8);
	ck_assert_mem_eq(map.bytes + 40, "\2\0\0\0\4\0\0\0\x16\0\0\0", 12);
	ck_assert_mem_eq(map.bytes + 72, files, sizeof(files));
	ck_assert_mem_eq(map.bytes + 88, locations, sizeof(locations));
	ck_assert_mem_eq(map.bytes + 120, ranges, sizeof(ranges));
	ck_assert_mem_eq(map.bytes + 152, strings, sizeof(strings) - 1);
	ck_assert_uint_eq(map.size, 152 + sizeof(strings) - 1);
	file_unmap(&map);
}
END_TEST

START_TEST(leaves_bad_methods_out)
{
	struct ppdbcache_report report;
	struct file_map map = cache_of(&(struct ppdb_maker){ .bad_method = "0000000501" }, &report);

	ck_assert_uint_eq(report.managed.bad_methods, 1);
	ck_assert(strstr(report.managed.first_bad, "method 1: sequence points"));
	ck_assert_uint_eq(report.ranges, 2);
	file_unmap(&map);
}
END_TEST

static const struct { const char *what, *bytes; size_t size; enum err_kind kind; const char *text; }
refused[] = {
	{ "nothing", "", 0, ERR_MALFORMED, "ppdb cache ends early, at byte 0 of 0" },
	{ "another file", "SYMC\1\0\0\0", 8, ERR_MALFORMED, "not a ppdb cache" },
	{ "wrong endianness", "CBDP\0\0\0\1", 8, ERR_MALFORMED, "wrong endianness" },
	{ "a later version", "PDBC\2\0\0\0", 8, ERR_UNSUPPORTED, "version 2, we read 1" },
	{ "a head cut short", "PDBC\1\0\0\0abc", 11, ERR_MALFORMED, "ends early" },
};

START_TEST(refuses)
{
	struct err err = ERR_INIT;
	struct ppdbcache cache;

	ck_assert_int_lt(ppdbcache_open(&cache, refused[_i].bytes, refused[_i].size, &err), 0);
	ck_assert_msg(err.kind == refused[_i].kind, "%s", refused[_i].what);
	ck_assert_msg(strstr(err.text, refused[_i].text), "%s: %s", refused[_i].what, err.text);
}
END_TEST

static void survive(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(survives_every_byte_change)
{
	struct ppdbcache_report report;
	struct file_map map = cache_of(&(struct ppdb_maker){ 0 }, &report);

	support_every_byte_change(map.bytes, map.size, survive, NULL);
	file_unmap(&map);
}
END_TEST

static int write_work(void *payload, struct err *err)
{
	struct ppdbcache_report report;
	FILE *file = tmpfile();
	int rc;

	ck_assert_ptr_nonnull(file);
	rc = write_cache(payload, file, &report, err);
	fclose(file);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct buf ppdb;

	buf_init(&ppdb, BYTES_MOST);
	make_ppdb(&(struct ppdb_maker){ 0 }, &ppdb);
	support_every_allocation_failure(write_work, &ppdb, 1000);
	buf_release(&ppdb);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ppdbcache");
	TCase *tcase = tcase_create("ppdbcache");

	tcase_add_test(tcase, finds_places);
	tcase_add_test(tcase, writes_the_published_layout);
	tcase_add_test(tcase, leaves_bad_methods_out);
	tcase_add_loop_test(tcase, refuses, 0, (int)(sizeof(refused) / sizeof(refused[0])));
	tcase_add_test(tcase, survives_every_byte_change);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
