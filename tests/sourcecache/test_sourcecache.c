/* test_sourcecache -- sources ready to be quoted: written, found, damaged. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "object/makers.h"
#include "object/object.h"
#include "sourcecache/sourcecache.h"

#define BYTES_MOST ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct sourcecache_options options = { 100, BYTES_MOST, false };

static int write_cache(const struct buf *bytes, FILE *file, struct sourcecache_report *report,
		       struct err *err)
{
	struct arena arena;
	struct object object;
	int rc = -1;

	arena_init(&arena, BYTES_MOST);
	if (object_open(&object, bytes->bytes, bytes->size, &arena, err) == 0) {
		rc = sourcecache_write(&object, &options, fileno(file), report, err);
		object_release(&object);
	}
	arena_release(&arena);
	return rc;
}

static struct file_map cache_of(const struct buf *bytes, struct sourcecache_report *report,
				struct sourcecache *cache)
{
	struct err err = ERR_INIT;
	struct file_map map;
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	ck_assert_msg(write_cache(bytes, file, report, &err) == 0, "%s", err.text);
	ck_assert_int_eq(file_map_fd(&map, fileno(file), &err), 0);
	fclose(file);
	ck_assert_msg(sourcecache_open(cache, map.bytes, map.size, &err) == 0, "%s", err.text);
	return map;
}

/* What a cache says of a path, as text: "contents|line 2|URL", "-" for what there is not. */
static const char *said(const struct sourcecache *cache, const char *path)
{
	static char out[512];
	struct sourcecache_source source;
	struct text line;
	struct buf url;

	if (!sourcecache_find(cache, text_of(path), &source))
		return "nothing";
	buf_init(&url, 4 * LIMIT_URL_BYTES);
	sourcecache_url(cache, &source, text_of(path), &url);
	if (!sourcecache_line(&source, 2, &line))
		line = TEXT("-");
	snprintf(out, sizeof(out), "%s%.*s|%.*s|%.*s", source.is_inside ? "" : "-",
		 (int)source.contents.size, source.contents.bytes ? source.contents.bytes : "",
		 (int)line.size, line.bytes, (int)(url.size < 200 ? url.size : 200),
		 buf_string(&url));
	buf_release(&url);
	return out;
}

/* --- Bundles ------------------------------------------------------------------------------ */

static const struct bundle_file files[] = {
	{ "files/a1", "/src/twice.c", NULL, "early\n", 0 },
	{ "files/a2", "\\\\src\\\\twice.c", "https://example.org/twice", "late\r\nsecond\r\n", 0 },
	{ "files/b", "C:\\\\code\\\\b.c", NULL, "one\ntwo", 0 },
	{ "files/c", "/src/gone.c", "https://example.org/gone", NULL, 0 },
	{ "files/d", "/src/latin.c", NULL, "caf\xe9\n", 0 },
	{ "files/e", "/src/big.c", NULL, "0123456789012345678901234567890123456789012345678901"
	  "2345678901234567890123456789012345678901234567890123456789", 0 },
	{ "files/f", "/src/empty.c", NULL, "\n", 0 },
};
#define LINKS "\"source_links\":{\"/src/*\":\"https://short/*\",\"/SRC/deep/*\":\"https://long/*?a=*\"," \
	"\"/src/deep/One.c\":\"https://one/\",\"D:\\\\x\\\\*\":\"https://d/*\"}"

static const struct { const char *what, *path, *text; } bundle_finds[] = {
	{ "of two with one path the later, its line ends gone", "/src/twice.c",
	  "late\r\nsecond\r\n|second|https://example.org/twice" },
	{ "backslashes are slashes, in the file", "C:/code/b.c", "one\ntwo|two|" },
	{ "and in the question", "C:\\code/b.c", "one\ntwo|two|" },
	{ "case counts", "c:/code/b.c", "nothing" },
	{ "a file that is not there hides the links", "/src/gone.c", "|-|https://example.org/gone" },
	{ "one that is no UTF-8 too", "/src/latin.c", "|-|" },
	{ "and one that is too large", "/src/big.c", "|-|" },
	{ "a line and no more", "/src/empty.c", "\n|-|" },
	{ "any other path goes through the links", "/src/x/y.c", "-|-|https://short/x/y.c" },
	{ "the longest prefix, every star", "/src/DEEP/z.c", "-|-|https://long/z.c?a=z.c" },
	{ "the whole path before all", "/Src/deep/one.C", "-|-|https://one/" },
	{ "the rest with slashes", "d:\\X\\y\\Z.c", "-|-|https://d/y/Z.c" },
	{ "no link either", "/other", "nothing" },
	{ "no path", "", "nothing" },
};

static struct buf made_bundle(void)
{
	struct buf bytes;

	buf_init(&bytes, BYTES_MOST);
	make_bundle(&(struct bundle_maker){ .files = files, .attributes = LINKS,
					    .count = sizeof(files) / sizeof(files[0]) }, &bytes);
	return bytes;
}

START_TEST(finds_sources_of_bundles)
{
	struct sourcecache_report report;
	struct sourcecache cache;
	struct buf bytes = made_bundle();
	struct file_map map = cache_of(&bytes, &report, &cache);

	ck_assert_uint_eq(report.files, 6);
	ck_assert_uint_eq(report.bad_files, 3);
	ck_assert_uint_eq(report.links, 4);
	ck_assert_uint_eq(report.bytes, map.size);
	ck_assert_str_eq(report.first_bad, "/src/gone.c: it is not in the archive");
	for (size_t i = 0; i < sizeof(bundle_finds) / sizeof(bundle_finds[0]); i++)
		ck_assert_msg(strcmp(said(&cache, bundle_finds[i].path), bundle_finds[i].text) == 0,
			      "%s: %s", bundle_finds[i].what, said(&cache, bundle_finds[i].path));
	file_unmap(&map);
	buf_release(&bytes);
}
END_TEST

/* An URL is never longer than it may be, however often a link repeats a path. */
/* What bundles of JVM programs are asked for. */
START_TEST(finds_sources_by_url)
{
	static const struct { const char *what, *url, *text; } finds[] = {
		{ "a file that has one", "https://example.org/twice", "late\r\nsecond\r\n|second|https://example.org/twice" },
		{ "exactly", "https://example.org/TWICE", "nothing" },
		{ "not its path", "/src/twice.c", "nothing" },
		{ "nor any link", "/src/x/y.c", "nothing" },
	};
	struct sourcecache_report report;
	struct sourcecache cache;
	struct buf bytes = made_bundle();
	struct file_map map;

	options.by_url = true;
	map = cache_of(&bytes, &report, &cache);
	ck_assert_uint_eq(report.files, 2);
	ck_assert_uint_eq(report.links, 0);
	for (size_t i = 0; i < sizeof(finds) / sizeof(finds[0]); i++)
		ck_assert_msg(strcmp(said(&cache, finds[i].url), finds[i].text) == 0, "%s: %s",
			      finds[i].what, said(&cache, finds[i].url));
	file_unmap(&map);
	buf_release(&bytes);
	options.by_url = false;
}
END_TEST

START_TEST(bounds_urls)
{
	char path[2048], stars[4096];
	struct sourcecache_report report;
	struct sourcecache cache;
	struct file_map map;
	struct buf bytes;

	memset(path, 'p', sizeof(path));
	memcpy(path, "/x/", 3);
	path[sizeof(path) - 1] = '\0';
	snprintf(stars, sizeof(stars), "\"source_links\":{\"/x/*\":\"http://h/%s\"}",
		 "*****************************************************************");
	buf_init(&bytes, BYTES_MOST);
	make_bundle(&(struct bundle_maker){ .attributes = stars }, &bytes);
	map = cache_of(&bytes, &report, &cache);
	ck_assert_str_eq(said(&cache, path), "-|-|");
	ck_assert_str_eq(said(&cache, "/x/"), "-|-|http://h/");
	file_unmap(&map);
	buf_release(&bytes);
}
END_TEST

/* One file that unpacks to more lines, or more bytes, than there is memory for costs itself. */
START_TEST(a_bomb_costs_itself)
{
	static const struct { size_t memory_bytes; const char *why; } cases[] = {
		{ 4 * BYTES_MOST, "/src/bomb.c: it has more than 16777216 lines" },
		{ 2 * LIMIT_SOURCE_LINES, "/src/bomb.c: it has 16777217 bytes, 8388608 are read" },
	};
	static char feeds[LIMIT_SOURCE_LINES + 1];
	const struct bundle_file bomb[] = {
		{ "files/a", "/src/bomb.c", NULL, feeds, sizeof(feeds) },
		{ "files/b", "/src/good.c", NULL, "one\ntwo\n", 0 },
	};
	const struct sourcecache_options before = options;

	memset(feeds, '\n', sizeof(feeds));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sourcecache_report report;
		struct sourcecache cache;
		struct file_map map;
		struct buf bytes;

		buf_init(&bytes, BYTES_MOST);
		make_bundle(&(struct bundle_maker){ .files = bomb, .count = 2 }, &bytes);
		options.source_max_bytes = UINT32_MAX;
		options.memory_bytes = cases[i].memory_bytes;
		map = cache_of(&bytes, &report, &cache);
		ck_assert_str_eq(report.first_bad, cases[i].why);
		ck_assert_str_eq(said(&cache, "/src/good.c"), "one\ntwo\n|two|");
		file_unmap(&map);
		buf_release(&bytes);
	}
	options = before;
}
END_TEST

/* --- Portable PDBs ------------------------------------------------------------------------ */

START_TEST(finds_sources_of_ppdbs)
{
	struct sourcecache_report report;
	struct sourcecache cache;
	struct file_map map;
	struct buf bytes;

	buf_init(&bytes, BYTES_MOST);
	make_ppdb(&(struct ppdb_maker){ 0 }, &bytes);
	map = cache_of(&bytes, &report, &cache);
	ck_assert_str_eq(said(&cache, "C:\\src\\a.cs"), "class A {\r\n}\r\n|}|");
	ck_assert_str_eq(said(&cache, "/src/b.fs"), "let b = 1\n|-|");
	ck_assert_str_eq(said(&cache, "C:\\src\\c.vb"), "-|-|https://example.org/raw/c.vb");
	ck_assert_str_eq(said(&cache, "C:/src/a.cs"), "nothing");
	ck_assert_str_eq(said(&cache, "C:\\src\\unknown.cs"), "nothing");
	ck_assert_uint_eq(cache.debug_id.age, 0x12345678);
	file_unmap(&map);
	buf_release(&bytes);
}
END_TEST

/* --- One file ----------------------------------------------------------------------------- */

static const struct { const char *what, *bytes; enum err_kind kind; const char *text; } ones[] = {
	{ "two lines", "a\nb\n", ERR_NONE, "a\nb\n|b|" },
	{ "nothing", "", ERR_NONE, "|-|" },
	{ "no UTF-8", "\xff", ERR_MALFORMED, "it is no UTF-8" },
	{ "too large", "01234567890123456789012345678901234567890123456789"
		       "012345678901234567890123456789012345678901234567890", ERR_MALFORMED,
	  "it has 101 bytes, 100 are read" },
};

START_TEST(takes_one_file)
{
	struct sourcecache_report report;
	struct sourcecache cache;
	struct err err = ERR_INIT;
	struct file_map map;
	FILE *file = tmpfile();
	int rc;

	ck_assert_ptr_nonnull(file);
	rc = sourcecache_write_one(text_of(ones[_i].bytes), &options, fileno(file), &report, &err);
	ck_assert_msg(err.kind == ones[_i].kind && (rc == 0) == (err.kind == ERR_NONE), "%s: %s",
		      ones[_i].what, err.text);
	if (rc < 0) {
		ck_assert_msg(strstr(err.text, ones[_i].text), "%s: %s", ones[_i].what, err.text);
	} else {
		ck_assert_int_eq(file_map_fd(&map, fileno(file), &err), 0);
		ck_assert_int_eq(sourcecache_open(&cache, map.bytes, map.size, &err), 0);
		ck_assert_str_eq(said(&cache, ""), ones[_i].text);
		file_unmap(&map);
	}
	fclose(file);
}
END_TEST

/* --- Damage ------------------------------------------------------------------------------- */

static const struct { const char *what, *bytes; size_t size; enum err_kind kind; const char *text; }
refused[] = {
	{ "nothing", "", 0, ERR_MALFORMED, "source cache ends early, at byte 0 of 0" },
	{ "another file", "PDBC\1\0\0\0", 8, ERR_MALFORMED, "not a source cache" },
	{ "a later version", "SRCC\2\0\0\0", 8, ERR_UNSUPPORTED, "version 2, we read 1" },
	{ "a head cut short", "SRCC\1\0\0\0abc", 11, ERR_MALFORMED, "ends early" },
};

START_TEST(refuses)
{
	struct err err = ERR_INIT;
	struct sourcecache cache;

	ck_assert_int_lt(sourcecache_open(&cache, refused[_i].bytes, refused[_i].size, &err), 0);
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
	struct sourcecache_report report;
	struct sourcecache cache;
	struct buf bytes = made_bundle();
	struct file_map map = cache_of(&bytes, &report, &cache);

	support_every_byte_change(map.bytes, map.size, survive, NULL);
	file_unmap(&map);
	buf_release(&bytes);
}
END_TEST

static int write_work(void *payload, struct err *err)
{
	struct sourcecache_report report;
	FILE *file = tmpfile();
	int rc;

	ck_assert_ptr_nonnull(file);
	rc = write_cache(payload, file, &report, err);
	fclose(file);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct buf bytes = made_bundle();

	support_every_allocation_failure(write_work, &bytes, 1000);
	buf_release(&bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sourcecache");
	TCase *tcase = tcase_create("sourcecache");

	tcase_add_test(tcase, finds_sources_of_bundles);
	tcase_add_test(tcase, finds_sources_by_url);
	tcase_add_test(tcase, bounds_urls);
	tcase_add_test(tcase, a_bomb_costs_itself);
	tcase_add_test(tcase, finds_sources_of_ppdbs);
	tcase_add_loop_test(tcase, takes_one_file, 0, (int)(sizeof(ones) / sizeof(ones[0])));
	tcase_add_loop_test(tcase, refuses, 0, (int)(sizeof(refused) / sizeof(refused[0])));
	tcase_add_test(tcase, survives_every_byte_change);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
