/* test_listing -- what Sentry servers and symstore indexes are asked, and looking into what they said. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "config/config.h"
#include "source/source_listing.h"
#include "source/sources.h"

#define CEILING_BYTES ((size_t)8 << 20)

static struct source *parse(const char *json, struct arena *arena)
{
	return sources_one(json, SOURCE_OF_REQUEST, arena);
}

/* How what lies there is asked for. */
static struct fetch_order order_of(const struct location *location, struct arena *arena)
{
	struct err err = ERR_INIT;
	enum source_access access;
	struct fetch_order order;
	int fd;

	ck_assert_int_eq(source_reach(location, arena, &access, &fd, &order, &err), 0);
	return order;
}

static struct object_ids hello_ids(void)
{
	struct object_ids ids = {
		.type = OBJECT_TYPE_PE, .code_id = TEXT("5ab380779000"),
		.code_file = TEXT("crash.exe"), .debug_file = TEXT("crash.pdb"),
	};

	ck_assert(debugid_parse(TEXT("3249d99d-0c40-4931-8610-f4e4fb0b6936-1"), &ids.debug_id));
	return ids;
}

#define SENTRY(url) "{'type':'sentry','id':'s','url':'" url "','token':'t'}"

static const struct { const char *url, *question, *file; } addresses[] = {
	{ SENTRY("https://s/files/"),
	  "https://s/files/?debug_id=3249d99d-0c40-4931-8610-f4e4fb0b6936-1&code_id=5ab380779000",
	  "https://s/files/?id=a%2Fb+c" },
	{ SENTRY("https://s:8/f?x=1#y"),
	  "https://s:8/f?x=1&debug_id=3249d99d-0c40-4931-8610-f4e4fb0b6936-1&code_id=5ab380779000",
	  "https://s:8/f?x=1&id=a%2Fb+c" },
	{ SENTRY("https://s/f?"),
	  "https://s/f?debug_id=3249d99d-0c40-4931-8610-f4e4fb0b6936-1&code_id=5ab380779000",
	  "https://s/f?id=a%2Fb+c" },
	{ SENTRY("https://me:pw@s/f"),
	  "https://s/f?debug_id=3249d99d-0c40-4931-8610-f4e4fb0b6936-1&code_id=5ab380779000",
	  "https://me:pw@s/f?id=a%2Fb+c" },
};

START_TEST(sentry_is_asked_by_ids)
{
	struct object_ids ids = hello_ids();
	const struct source_query query = { .ids = &ids };
	struct location file = { .path = TEXT("a/b c"), .query = &query };
	struct source_listing listing;
	struct fetch_order order;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	file.source = parse(addresses[_i].url, &arena);
	ck_assert(source_is_listed(file.source));
	ck_assert_int_eq(source_listing_first(file.source, &query, &arena, &listing, &err), 0);
	ck_assert_int_eq(listing.kind, SOURCE_LISTING_MODULE);
	ck_assert_str_eq(listing.location.uri.bytes, addresses[_i].question);
	order = order_of(&listing.location, &arena);
	ck_assert(order.trusted && order.trusted_everywhere && order.is_whole && order.judge);
	ck_assert_int_eq(order.total_millis, 30000);
	ck_assert_str_eq(order.headers[0].value.bytes, "Bearer t");
	ck_assert_str_eq(order.headers[1].value.bytes, "identity");
	order = order_of(&file, &arena);
	ck_assert_str_eq(order.url, addresses[_i].file);
	ck_assert_uint_eq(order.header_count, 1);
	arena_release(&arena);
}
END_TEST

START_TEST(nothing_is_asked_without_ids)
{
	struct object_ids ids = { .type = OBJECT_TYPE_ELF, .code_file = TEXT("x") };
	const struct source_query query = { .ids = &ids };
	struct source_listing listing;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(source_listing_first(parse(SENTRY("https://s/"), &arena), &query, &arena,
					      &listing, &err), 0);
	ck_assert_int_eq(listing.kind, SOURCE_LISTING_NONE);
	arena_release(&arena);
}
END_TEST

#define STEM(url) "https://s/f?release=app%401+0&url=" url "&dist=d"
static const struct { const char *url, *question; } stems[] = {
	{ "https://example.com/assets/bundle.min.js?x=1", STEM("%2Fassets%2Fbundle") },
	{ "app:///_next/server/pages/_error.js", STEM("%2F_next%2Fserver%2Fpages%2F_error") },
	{ "~/a/b.d.ts#x.js", STEM("%2Fa%2Fb") },
	{ "app.min.js", STEM("app.min.js") },
	{ "https://h/.js.map", STEM("%2F") },
	{ "https://h", STEM("h") },
};

START_TEST(a_release_is_asked_by_stems)
{
	struct object_ids ids = { .type = OBJECT_TYPE_UNKNOWN };
	struct source_query query = { .by = SOURCE_BY_URL, .ids = &ids, .url = text_of(stems[_i].url),
				      .release = TEXT("app@1 0"), .dist = TEXT("d") };
	struct source_listing listing;
	struct fetch_order order;
	struct source *source;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	source = parse(SENTRY("https://s/f"), &arena);
	ck_assert_int_eq(source_listing_first(source, &query, &arena, &listing, &err), 0);
	ck_assert_int_eq(listing.kind, SOURCE_LISTING_ARTIFACTS);
	ck_assert_str_eq(listing.location.uri.bytes, stems[_i].question);
	order = order_of(&listing.location, &arena);
	ck_assert_str_eq(order.url, stems[_i].question);
	ck_assert_uint_eq(order.header_count, 2);
	arena_release(&arena);
}
END_TEST

START_TEST(a_release_is_asked_by_what_is_known)
{
	static char name[70000];
	static const struct { const char *id, *release, *url, *question; } cases[] = {
		{ "67e9247c-814e-392b-a027-dbde6748fcbf", NULL, "~/a.js",
		  "https://s/f?debug_id=67e9247c-814e-392b-a027-dbde6748fcbf" },
		{ "67e9247c-814e-392b-a027-dbde6748fcbf", "1", NULL,
		  "https://s/f?release=1&debug_id=67e9247c-814e-392b-a027-dbde6748fcbf" },
		{ NULL, "1", "~/a.js", "https://s/f?release=1&url=%2Fa" },
		{ NULL, NULL, "~/a.js", NULL }, { NULL, "1", NULL, NULL }, { NULL, "1", name, NULL },
	};
	struct source_listing listing;
	struct arena arena;
	struct err err = ERR_INIT;

	memset(name, 'a', sizeof(name) - 1);
	arena_init(&arena, CEILING_BYTES);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct object_ids ids = { .type = OBJECT_TYPE_UNKNOWN };
		const struct source_query query = {
			.by = SOURCE_BY_URL, .ids = &ids, .url = text_of(cases[i].url),
			.release = text_of(cases[i].release),
		};

		if (cases[i].id)
			ck_assert(debugid_parse(text_of(cases[i].id), &ids.debug_id));
		ck_assert_int_eq(source_listing_first(parse(SENTRY("https://s/f"), &arena), &query,
						      &arena, &listing, &err), 0);
		ck_assert_int_eq(listing.kind, cases[i].question ? SOURCE_LISTING_ARTIFACTS
								 : SOURCE_LISTING_NONE);
		if (cases[i].question)
			ck_assert_str_eq(listing.location.uri.bytes, cases[i].question);
	}
	arena_release(&arena);
}
END_TEST

START_TEST(what_opens_a_server_stays_with_it)
{
	static const struct { const char *address; unsigned headers; } cases[] = {
		{ "https://s/f?download=1", 1 }, { "https://s/g", 0 }, { "https://S/f", 0 },
		{ "http://s/f", 0 }, { "https://s/", 0 },
	};
	struct object_ids ids = { .type = OBJECT_TYPE_UNKNOWN };
	const struct source_query query = { .by = SOURCE_BY_URL, .ids = &ids };
	struct location location;
	struct fetch_order order;
	struct source *source;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	source = parse(SENTRY("https://s/f"), &arena);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(source_artifact_location(source, &query, FILE_TYPE_SOURCE_MAP, TEXT("12"),
							  text_of(cases[i].address), &arena, &location,
							  &err), 0);
		ck_assert_str_eq(location.uri.bytes, "sentry://project_debug_file/12");
		order = order_of(&location, &arena);
		ck_assert_str_eq(order.url, cases[i].address);
		ck_assert_uint_eq(order.header_count, cases[i].headers);
	}
	arena_release(&arena);
}
END_TEST

START_TEST(keys_are_per_credentials)
{
	static const char *const sources[] = {
		SENTRY("https://s/"), "{'type':'sentry','id':'x','url':'https://s/','token':'u'}",
		"{'type':'sentry','id':'x','url':'https://s/','cookies':'t'}",
		"{'type':'sentry','id':'other','url':'https://s/','token':'t'}",
	};
	struct source_listing listings[4];
	struct object_ids ids = hello_ids();
	const struct source_query query = { .ids = &ids };
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(source_listing_first(parse(sources[i], &arena), &query, &arena,
						      &listings[i], &err), 0);
	ck_assert(!text_equal(listings[0].key, listings[1].key));
	ck_assert(!text_equal(listings[0].key, listings[2].key));
	ck_assert(text_equal(listings[0].key, listings[3].key));
	arena_release(&arena);
}
END_TEST

START_TEST(files_of_wanted_types_are_taken)
{
	const enum file_type types[] = { FILE_TYPE_MACH_CODE, FILE_TYPE_BREAKPAD, FILE_TYPE_MACH_DEBUG };
	struct location_list list = { .count = 0 };
	struct object_ids ids = hello_ids();
	const struct source_query query = { .ids = &ids, .types = types, .type_count = 3 };
	const struct source *source;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	source = parse(SENTRY("https://s/"), &arena);
	ck_assert_int_eq(source_listed_locations(source, TEXT("elf 1\nbreakpad 2\nodd 3\nmacho 4\n"),
						 &query, &arena, &list, &err), 0);
	ck_assert_uint_eq(list.count, 2);
	ck_assert_str_eq(list.locations[0].uri.bytes, "sentry://project_debug_file/2");
	ck_assert_int_eq(list.locations[0].type, FILE_TYPE_BREAKPAD);
	ck_assert_str_eq(list.locations[1].path.bytes, "4");
	ck_assert_int_eq(list.locations[1].type, FILE_TYPE_MACH_CODE);
	list.count = 0;
	ck_assert_int_eq(source_listed_locations(source, TEXT_NONE, &query, &arena, &list, &err), 0);
	ck_assert_uint_eq(list.count, 0);
	arena_release(&arena);
}
END_TEST

/* --- Indexes -------------------------------------------------------------------------------- */

#define STORE "{'type':'http','id':'st','url':'http://h/s','layout':{'type':'symstore'},'has_index':true}"
#define PATH "crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb"

START_TEST(indexes_are_asked_step_by_step)
{
	struct source_listing first, next, last;
	struct object_ids ids = hello_ids();
	const struct source_query query = { .ids = &ids };
	struct location segment;
	struct text key;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(source_listing_first(parse(STORE, &arena), &query, &arena, &first, &err), 0);
	ck_assert_int_eq(first.kind, SOURCE_LISTING_LAST_ID);
	ck_assert_str_eq(first.location.uri.bytes, "http://h/s/000Admin/lastid.txt");
	ck_assert_int_eq(source_listing_next(&first, TEXT("12"), &arena, &next, &err), 0);
	ck_assert_int_eq(next.kind, SOURCE_LISTING_INDEX);
	ck_assert_str_eq(next.key.bytes, "type: symstore\nsource_id: st\nlast_id: 12\n");
	ck_assert_int_eq(source_segment(&next, 7, &arena, &segment, &key, &err), 0);
	ck_assert_str_eq(segment.uri.bytes, "http://h/s/000Admin/0000000007");
	ck_assert_str_eq(key.bytes, "type: symstore_segment\nsource_id: st\nsegment: 7\n");
	ck_assert_int_eq(source_listing_next(&next, TEXT("x"), &arena, &last, &err), 0);
	ck_assert_int_eq(last.kind, SOURCE_LISTING_NONE);
	ck_assert_int_lt(source_listing_next(&first, TEXT("x"), &arena, &next, &err), 0);
	err_clear(&err);                     /* a cell may say anything */
	ck_assert_int_lt(source_listing_next(&first, TEXT("10001"), &arena, &next, &err), 0);
	ck_assert_int_eq(source_listing_next(&first, TEXT("10000"), &arena, &next, &err), 0);
	arena_release(&arena);
}
END_TEST

START_TEST(an_index_is_searched_by_halves)
{
	static const char lines[] = "a.dll/2/a.dll\nlast/9/last\nz.pdb/1/z.pdb\n";
	static const char *const in[] = { "a.dll/2/a.dll", "last/9/last", "z.pdb/1/z.pdb" };
	static const char *const out[] = { "a.dll/2/a.dl", "A.dll/2/a.dll", "z.pdb/1/z.pdb\n", "", "zz" };

	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		ck_assert(source_listing_index_holds(TEXT(lines), text_of(in[i])));
	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
		ck_assert(!source_listing_index_holds(TEXT(lines), text_of(out[i])));
	ck_assert(!source_listing_index_holds(TEXT_NONE, TEXT("a")));
	ck_assert(source_listing_index_holds(TEXT("a\nb"), TEXT("b")));
}
END_TEST

START_TEST(a_large_index_is_searched_rightly)
{
	struct buf lines;

	buf_init(&lines, CEILING_BYTES);
	for (unsigned i = 0; i < 2000; i += 2)
		buf_printf(&lines, "f%04u/x/f\n", i);
	for (unsigned i = 0; i < 2000; i++) {
		char *path = support_printf("f%04u/x/f", i);

		ck_assert(source_listing_index_holds(buf_text(&lines),
						     text_of(path)) == (i % 2 == 0));
	}
	buf_release(&lines);
}
END_TEST

START_TEST(only_paths_of_the_index_are_locations)
{
	const enum file_type types[] = { FILE_TYPE_PE, FILE_TYPE_PDB };
	struct location_list list = { .count = 0 };
	struct object_ids ids = hello_ids();
	const struct source_query query = { .ids = &ids, .types = types, .type_count = 2 };
	const struct source *source;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	source = parse(STORE, &arena);
	ck_assert(source->has_index);
	ck_assert_int_eq(source_locations(source, &query, &arena, &list, &err), 0);
	ck_assert_uint_eq(list.count, 0);
	ck_assert_int_eq(source_listed_locations(source, TEXT("a/b/a\n" PATH "\n"), &query,
						 &arena, &list, &err), 0);
	ck_assert_uint_eq(list.count, 1);
	ck_assert_str_eq(list.locations[0].path.bytes, PATH);
	source = parse("{'type':'http','id':'x','url':'http://h','layout':{'type':'ssqp'},'has_index':true}",
		       &arena);
	ck_assert(!source->has_index && !source_is_listed(source));
	arena_release(&arena);
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

int main(void)
{
	Suite *suite = suite_create("listing");
	TCase *tcase = tcase_create("listing");

	tcase_add_loop_test(tcase, sentry_is_asked_by_ids, 0, COUNT(addresses));
	tcase_add_test(tcase, nothing_is_asked_without_ids);
	tcase_add_loop_test(tcase, a_release_is_asked_by_stems, 0,
			    (int)(sizeof(stems) / sizeof(stems[0])));
	tcase_add_test(tcase, a_release_is_asked_by_what_is_known);
	tcase_add_test(tcase, what_opens_a_server_stays_with_it);
	tcase_add_test(tcase, keys_are_per_credentials);
	tcase_add_test(tcase, files_of_wanted_types_are_taken);
	tcase_add_test(tcase, indexes_are_asked_step_by_step);
	tcase_add_test(tcase, an_index_is_searched_by_halves);
	tcase_add_test(tcase, a_large_index_is_searched_rightly);
	tcase_add_test(tcase, only_paths_of_the_index_are_locations);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
