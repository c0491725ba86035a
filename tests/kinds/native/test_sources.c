/* test_sources.c -- managed code, source context, source links. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/debugid.h"
#include "ppdbcache/ppdbcache_layout.h"
#include "sourcecache/sourcecache_layout.h"
#include "kinds/native/fake.h"
#include "kinds/native/source_contexts.h"
#include "kinds/kinds.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define REPLY_BYTES ((size_t)1 << 20)

/* --- Caches made by hand ------------------------------------------------------------------ */

struct hand_file { const char *path, *url, *contents; /* NULL: linked */ };

static void put_u32(struct buf *out, uint32_t value)
{
	buf_add(out, &value, sizeof(value));
}

static void put_u64(struct buf *out, uint64_t value)
{
	buf_add(out, &value, sizeof(value));
}

static void pad(struct buf *out, size_t alignment)
{
	while (out->size % alignment)
		buf_add_char(out, 0);
}

/* Contents and line starts; how many lines. */
static uint32_t put_contents(struct buf *out, const char *contents)
{
	uint32_t count = 0;

	buf_add_string(out, contents);
	pad(out, 4);
	for (const char *at = contents; *at; count++) {
		put_u32(out, (uint32_t)(at - contents));
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : at + strlen(at);
	}
	return count;
}

/* The files by path, ascending; one link "/linked/" to https://example.org/. */
static void make_sources(struct buf *out, const struct hand_file *files, size_t count)
{
	uint64_t at[8];
	uint32_t lines[8], strings = 0;
	char head[SRCC_HEAD_BYTES] = "SRCC\1";

	buf_init(out, REPLY_BYTES);
	buf_add(out, head, sizeof(head));
	for (size_t i = 0; i < count; i++) {
		at[i] = out->size;
		lines[i] = files[i].contents ? put_contents(out, files[i].contents) : 0;
	}
	pad(out, 8);
	out->bytes[40] = SRCC_LINKS_ANY_PATH;
	memcpy(out->bytes + 44, &(uint32_t){ (uint32_t)count }, 4);
	memcpy(out->bytes + 48, &(uint32_t){ 1 }, 4);
	memcpy(out->bytes + 56, &(uint64_t){ out->size }, 8);
	for (size_t i = 0; i < count; i++) {
		put_u32(out, strings);
		put_u32(out, (uint32_t)strlen(files[i].path));
		strings += (uint32_t)strlen(files[i].path);
		put_u32(out, strings);
		put_u32(out, (uint32_t)strlen(files[i].url));
		strings += (uint32_t)strlen(files[i].url);
		put_u64(out, at[i]);
		put_u32(out, files[i].contents ? (uint32_t)strlen(files[i].contents) : 0);
		put_u32(out, lines[i]);
		put_u32(out, files[i].contents ? SRCC_INSIDE : SRCC_LINKED);
		put_u32(out, 0);
	}
	put_u32(out, strings);
	put_u32(out, 8);
	put_u32(out, strings + 8);
	put_u32(out, 21);
	put_u64(out, 1);
	memcpy(out->bytes + 64, &(uint64_t){ strings + 29 }, 8);
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%s", files[i].path, files[i].url);
	buf_add_string(out, "/linked/https://example.org/*");
	ck_assert(!out->failed);
}

/* Method 5: 0 C:\src\a.cs:3, 8 :40; method 7: 0 in a file of no language. */
static void make_places(struct buf *out)
{
	char head[PDBC_HEAD_BYTES + 4] = "PDBC\1";

	buf_init(out, REPLY_BYTES);
	memcpy(head + 40, &(uint32_t){ 2 }, 4);
	memcpy(head + 44, &(uint32_t){ 3 }, 4);
	memcpy(head + 48, &(uint32_t){ 22 }, 4);
	buf_add(out, head, sizeof(head));
	buf_add(out, (uint32_t[]){ 0, LANGUAGE_CSHARP, 12, 0 }, 16);
	buf_add(out, (uint32_t[]){ 3, 0, 40, 0, 1, 1 }, 24);
	buf_add(out, (uint32_t[]){ 5, 0, 5, 8, 7, 0 }, 24);
	buf_add_string(out, "\x0b" "C:\\src\\a.cs" "\x09" "/linked/b");
}

/* --- Requests ----------------------------------------------------------------------------- */

static const struct hand_file hand_files[] = {
	{ "/src/main.c", "https://example.org/my main.c", "1\n2\n3\n4\n5\r\n6\n7\n8\n9\n10\n11\n12\n" },
	{ "C:\\src\\a.cs", "", "one\ntwo\nthree" },
};
static const struct hand_file fetched_file[] = { { "", "", "fetched\nsecond\n" } };

#define META_PPDB "{\"has_debug_info\":true,\"has_unwind_info\":false,\"has_symbols\":false," \
	"\"has_sources\":true,\"format\":\"portablepdb\"}"
#define SOURCE "{\"type\":\"http\",\"id\":\"s\",\"url\":\"http://h/\"}"
#define NET "\"modules\":[{\"type\":\"pe_dotnet\",\"debug_file\":\"a.pdb\"," \
	"\"debug_id\":\"00112233445566778899aabbccddeeff\"}],\"sources\":[" SOURCE "]"
#define NET_FRAME(id, offset) "\"stacktraces\":[{\"frames\":[{\"function_id\":" id \
	",\"instruction_addr\":" offset ",\"addr_mode\":\"rel:0\",\"function\":\"Main\"}]}]"
#define PDB "/a.pdb"
#define LINK "https://example.org/b"

struct bench {
	struct buf sources, places, fetched;
	unsigned changed;            /* the entry that survive() changes */
	struct fake_entry entries[8];
	struct fake_resolver fake;
};

static void bench_init(struct bench *bench)
{
	make_sources(&bench->sources, hand_files, COUNT(hand_files));
	make_sources(&bench->fetched, fetched_file, COUNT(fetched_file));
	make_places(&bench->places);
	memset(bench->entries, 0, sizeof(bench->entries));
	bench->entries[0] = (struct fake_entry){ .kind = &derived_object_meta, .location = PDB,
						 .payload = TEXT(META_PPDB) };
	bench->entries[1] = (struct fake_entry){ .kind = &derived_ppdb, .location = PDB,
						 .payload = buf_text(&bench->places) };
	bench->entries[2] = (struct fake_entry){ .kind = &derived_sources, .location = PDB,
						 .payload = buf_text(&bench->sources) };
	bench->entries[3] = (struct fake_entry){ .kind = &derived_sourcefile, .location = LINK,
						 .payload = buf_text(&bench->fetched) };
	fake_resolver_init(&bench->fake, bench->entries, 4);
}

static void bench_release(struct bench *bench)
{
	buf_release(&bench->sources);
	buf_release(&bench->places);
	buf_release(&bench->fetched);
}

static int answer(struct bench *bench, const char *body, struct buf *reply, struct err *err)
{
	enum stepped stepped = STEP_WAIT;
	struct work work;
	int rc = -1;

	buf_init(reply, REPLY_BYTES);
	if (work_init(&work, &request_kind_symbolicate, &fake_config, NULL, TEXT_NONE, err) < 0)
		return -1;
	if (fake_parse(&work, text_of(body), err) == 0) {
		for (unsigned i = 0; stepped == STEP_WAIT && i < 100; i++)
			stepped = work.kind->step(&work, &bench->fake.resolver, err);
		if (stepped == STEP_DONE)
			rc = work.kind->answer(&work, reply, err);
	}
	work_release(&work);
	return rc;
}

/* The frames and candidates of the reply must have `parts`. */
static void expect(struct bench *bench, const char *body, const char *const *parts)
{
	struct err err = ERR_INIT;
	struct buf reply;

	ck_assert_msg(answer(bench, body, &reply, &err) == 0, "%s", err.text);
	for (; *parts; parts++)
		ck_assert_msg(strstr(buf_string(&reply), *parts), "%s\nis not in\n%s", *parts,
			      buf_string(&reply));
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&reply);
}

#define A_PLACE "\"lang\":\"csharp\",\"function\":\"Main\",\"filename\":\"a.cs\"," \
	"\"abs_path\":\"C:\\\\src\\\\a.cs\",\"lineno\":3"

static const struct { const char *what, *body; const char *parts[6]; } cases[] = {
	{ "a managed frame learns its place and its lines", "{" NET "," NET_FRAME("5", "7") "}",
	  { "\"status\":\"symbolicated\"", A_PLACE ",\"pre_context\":[\"one\",\"two\"],"
	    "\"context_line\":\"three\"}", "\"has_sources\":true" } },
	{ "a line behind the end has no context", "{" NET "," NET_FRAME("5", "8") "}",
	  { "\"lineno\":40}" } },
	{ "no such method", "{" NET "," NET_FRAME("6", "8") "}",
	  { "\"status\":\"missing_symbol\"" } },
	{ "an unknown language is told", "{" NET "," NET_FRAME("7", "0") "}",
	  { "\"lang\":\"unknown\"" } },
	{ "a link is shown and followed", "{" NET "," NET_FRAME("7", "0")
	  ",\"options\":{\"dif_candidates\":true}}",
	  { "\"context_line\":\"fetched\",\"post_context\":[\"second\"],"
	    "\"source_link\":\"https://example.org/b\"",
	    "{\"source\":\"sourcelink\",\"location\":\"https://example.org/b\",\"download\":"
	    "{\"status\":\"ok\",\"features\":{\"has_debug_info\":false,\"has_unwind_info\":false,"
	    "\"has_symbols\":false,\"has_sources\":true}}}" } },
	{ "frames nobody could symbolicate have sources too", "{" NET ",\"stacktraces\":[{\"frames\":[{"
	  "\"function_id\":99,\"instruction_addr\":0,\"addr_mode\":\"rel:0\",\"abs_path\":"
	  "\"/src/main.c\",\"lineno\":6,\"context_line\":\"old\"}]}]}",
	  { "\"lineno\":6,\"pre_context\":[\"1\",\"2\",\"3\",\"4\",\"5\"],\"context_line\":\"6\","
	    "\"post_context\":[\"7\",\"8\",\"9\",\"10\",\"11\"],"
	    "\"source_link\":\"https://example.org/my%20main.c\"" } },
	{ "what the request said stays when there is none", "{" NET ",\"stacktraces\":[{\"frames\":[{"
	  "\"function_id\":99,\"instruction_addr\":0,\"addr_mode\":\"rel:0\",\"abs_path\":"
	  "\"/other\",\"lineno\":6,\"context_line\":\"old\",\"source_link\":\"x\"}]}]}",
	  { "\"context_line\":\"old\",\"source_link\":\"x\"" } },
};

START_TEST(answers)
{
	struct bench bench;

	bench_init(&bench);
	expect(&bench, cases[_i].body, cases[_i].parts);
	bench_release(&bench);
}
END_TEST

static const struct { const char *what; enum err_kind failure; const char *details, *part; } links[] = {
	{ "not there", ERR_NOT_FOUND, "404 Not Found", "{\"status\":\"notfound\"}" },
	{ "denied", ERR_DENIED, "403 Forbidden", "{\"status\":\"noperm\",\"details\":\"403 Forbidden\"}" },
	{ "no text", ERR_MALFORMED, "it is no UTF-8", "{\"status\":\"malformed\"}" },
	{ "unreachable", ERR_DOWNLOAD, "destination is restricted",
	  "{\"status\":\"error\",\"details\":\"download failed: destination is restricted\"}" },
};

START_TEST(links_may_fail)
{
	const char *parts[] = { "\"lineno\":1,\"source_link\":\"https://example.org/b\"}",
				links[_i].part, NULL };
	struct bench bench;

	bench_init(&bench);
	bench.entries[3].failure = links[_i].failure;
	bench.entries[3].payload = text_of(links[_i].details);
	bench.entries[3].waits = 2;
	expect(&bench, "{" NET "," NET_FRAME("7", "0") ",\"options\":{\"dif_candidates\":true}}",
	       parts);
	bench_release(&bench);
}
END_TEST

START_TEST(damaged_files_are_made_again)
{
	static const char *const parts[] = { "\"context_line\":\"fetched\"", NULL };
	struct bench bench;

	bench_init(&bench);
	for (unsigned i = 1; i < 4; i++) {
		bench.entries[i].damaged = 1;
		bench.entries[i].waits = 1;
	}
	expect(&bench, "{" NET "," NET_FRAME("7", "0") "}", parts);
	ck_assert_uint_eq(bench.fake.invalidated, 3);
	bench_release(&bench);
}
END_TEST

/* Each of them is another sound file while it is read first: nothing of that is in the answer. */
START_TEST(files_that_change_while_they_are_read_are_made_again)
{
	static const char body[] = "{" NET "," NET_FRAME("7", "0") ",\"options\":{\"dif_candidates\":true}}";
	static const struct hand_file wrong[] = { { "/linked/b", "https://example.org/wrong", "1\n2\n" } };
	struct buf places, sources, link, whole, again;
	struct err err = ERR_INIT;
	struct bench bench;

	bench_init(&bench);
	make_places(&places);
	make_sources(&sources, wrong, 1);
	make_sources(&link, wrong, 1);
	places.bytes[PDBC_HEAD_BYTES + 4 + 16] = 2;          /* another line */
	ck_assert_int_eq(answer(&bench, body, &whole, &err), 0);
	ck_assert_ptr_nonnull(strstr(buf_string(&whole), "fetched"));
	bench.fake.changes[0] = (struct fake_change){ .entry = &bench.entries[1], .times = 2,
						      .payload = buf_text(&places) };
	bench.fake.changes[1] = (struct fake_change){ .entry = &bench.entries[2], .times = 2,
						      .payload = buf_text(&sources) };
	bench.fake.changes[2] = (struct fake_change){ .entry = &bench.entries[3], .times = 2,
						      .payload = buf_text(&link) };
	ck_assert_msg(answer(&bench, body, &again, &err) == 0, "%s", err.text);
	ck_assert_str_eq(buf_string(&again), buf_string(&whole));
	ck_assert_uint_eq(bench.fake.invalidated, 6);
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&places);
	buf_release(&sources);
	buf_release(&link);
	buf_release(&whole);
	buf_release(&again);
	bench_release(&bench);
}
END_TEST

START_TEST(sources_damaged_for_good_are_none)
{
	static const char *const parts[] = { A_PLACE "}", NULL };
	struct bench bench;

	bench_init(&bench);
	bench.entries[2].damaged = 99;
	expect(&bench, "{" NET "," NET_FRAME("5", "0") "}", parts);
	bench_release(&bench);
}
END_TEST

/* Nothing is asked for that nobody wants. */
START_TEST(no_context_no_work)
{
	static const char *const parts[] = { A_PLACE "}", "\"has_sources\":true", NULL };
	struct bench bench;
	unsigned with;

	bench_init(&bench);
	expect(&bench, "{" NET "," NET_FRAME("5", "0") "}", (const char *const[]){ NULL });
	with = bench.fake.asked;
	bench.fake.asked = 0;
	expect(&bench, "{" NET "," NET_FRAME("5", "0")
	       ",\"options\":{\"apply_source_context\":false}}", parts);
	ck_assert_uint_lt(bench.fake.asked, with);
	ck_assert_uint_eq(bench.fake.asked, 4);      /* three candidates and the ppdb cache */
	bench_release(&bench);
}
END_TEST

/* --- Lines -------------------------------------------------------------------------------- */

START_TEST(cuts_long_lines)
{
	char line[200], contents[800];
	struct hand_file file = { "", "", contents };
	struct raw_frame raw = { .abs_path = TEXT("/x"), .lineno = { true, 1 } };
	struct native_frame frame = { .raw = &raw, .status = FRAME_MISSING };
	struct sourcecache_source source;
	struct sourcecache cache;
	struct err err = ERR_INIT;
	struct arena arena;
	struct buf bytes;

	memset(line, 'x', sizeof(line));
	memcpy(line + 139, "\xc3\xa9", 2);           /* the cut would be inside it */
	snprintf(contents, sizeof(contents), "%.*s\n%.150s\n%.151s\n", 151, line, line, line);
	make_sources(&bytes, &file, 1);
	ck_assert_int_eq(sourcecache_open(&cache, bytes.bytes, bytes.size, &err), 0);
	ck_assert(sourcecache_find(&cache, TEXT(""), &source));
	arena_init(&arena, REPLY_BYTES);
	ck_assert_int_eq(native_frame_quote(&frame, &source, &arena, &err), 0);
	ck_assert_uint_eq(frame.context->line.size, 139 + strlen(" {snip}"));
	ck_assert_mem_eq(frame.context->line.bytes + 138, "x {snip}", 8);
	ck_assert_uint_eq(frame.context->after_count, 2);
	ck_assert_uint_eq(frame.context->after[0].size, 150);
	ck_assert_uint_eq(frame.context->after[1].size, 139 + strlen(" {snip}"));
	arena_release(&arena);
	buf_release(&bytes);
}
END_TEST

/* --- Damage ------------------------------------------------------------------------------- */

static int work(void *payload, struct err *err)
{
	struct buf reply;
	int rc = answer(payload, "{" NET "," NET_FRAME("7", "0") "}", &reply, err);

	buf_release(&reply);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct bench bench;

	bench_init(&bench);
	support_every_allocation_failure(work, &bench, 1000);
	bench_release(&bench);
}
END_TEST

static void survive(void *payload, const uint8_t *bytes, size_t size)
{
	struct bench *bench = payload;
	struct err err = ERR_INIT;

	bench->entries[bench->changed].payload = (struct text){ (const char *)bytes, size };
	ck_assert_msg(work(bench, &err) == 0, "%s", err.text);
}

START_TEST(survives_every_byte_change)
{
	struct bench bench;
	struct buf *changed[3];

	bench_init(&bench);
	changed[0] = &bench.places;
	changed[1] = &bench.sources;
	changed[2] = &bench.fetched;
	bench.changed = 1 + (unsigned)_i;
	support_every_byte_change((const uint8_t *)changed[_i]->bytes, changed[_i]->size, survive,
				  &bench);
	bench_release(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbolicate sources");
	TCase *tests = tcase_create("sources");

	tcase_add_loop_test(tests, answers, 0, COUNT(cases));
	tcase_add_loop_test(tests, links_may_fail, 0, COUNT(links));
	tcase_add_test(tests, damaged_files_are_made_again);
	tcase_add_test(tests, files_that_change_while_they_are_read_are_made_again);
	tcase_add_test(tests, sources_damaged_for_good_are_none);
	tcase_add_test(tests, no_context_no_work);
	tcase_add_test(tests, cuts_long_lines);
	tcase_add_test(tests, survives_every_allocation_failure);
	tcase_add_loop_test(tests, survives_every_byte_change, 0, 3);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
