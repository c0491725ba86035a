/*
 * test_convert -- the asking side: what is written to cells, and what is believed of what
 * they write.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "convert/convert.h"
#include "convert/memo.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)16 << 20)

static const char full_reply[] =
	"{\"object_written\":true,\"meta\":{\"has_debug_info\":true,\"has_unwind_info\":false,"
	"\"has_symbols\":true,\"has_sources\":false,\"srcsrv_vcs\":\"git\",\"format\":\"elf\","
	"\"kind\":\"dbg\",\"arch\":\"x86_64\",\"debug_id\":\"3249d99d-0c40-4931-8610-f4e4fb0b6936\","
	"\"code_id\":\"9dd94932400c3149\",\"debug_file\":\"a.debug\",\"wants\":[{\"role\":\"dwz\","
	"\"id\":\"abcd\",\"name\":\"common.dwz\"},{\"role\":\"debuglink\",\"name\":\"a.debug\","
	"\"crc\":4026531841}]}}";

START_TEST(reads_a_reply)
{
	struct convert_meta meta;
	struct arena arena;
	struct err err = ERR_INIT;
	struct text json;
	bool written = false;

	arena_init(&arena, ARENA_BYTES);
	ck_assert_msg(convert_inspect_reply(text_of(full_reply), &arena, &written, &json,
					    &err) == 0, "%s", err.text);
	ck_assert(written);
	ck_assert_msg(strstr(full_reply, json.bytes), "written again it is the same: %s",
		      json.bytes);
	ck_assert_msg(convert_meta_parse(json, &arena, &meta, &err) == 0, "%s", err.text);
	ck_assert(meta.has_debug_info && !meta.has_unwind_info && meta.has_symbols &&
		  !meta.has_sources);
	ck_assert(text_is(meta.srcsrv_vcs, "git"));
	ck_assert(text_is(meta.format, "elf"));
	ck_assert(text_is(meta.debug_file, "a.debug"));
	ck_assert_uint_eq(meta.want_count, 2);
	ck_assert_int_eq(meta.wants[0].role, OBJECT_ROLE_DWZ);
	ck_assert(text_is(meta.wants[0].id, "abcd"));
	ck_assert_ptr_null(meta.wants[1].id.bytes);
	ck_assert_uint_eq(meta.wants[1].crc, 4026531841u);
	arena_release(&arena);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

static const struct {
	const char *what, *reply;
	const char *text;            /* NULL: accepted */
} replies[] = {
	{ "nothing", "", "not as we write" },
	{ "no JSON", "hello", "no JSON object" },
	{ "an array", "[1]", "no JSON object" },
	{ "no meta", "{\"object_written\":true}", "nothing about the object" },
	{ "meta a number", "{\"meta\":1}", "nothing about the object" },
	{ "meta empty", "{\"meta\":{}}", NULL },
	{ "wrong types", "{\"meta\":{\"has_symbols\":1,\"format\":{},\"code_id\":[],"
			 "\"wants\":7,\"debug_file\":null}}", NULL },
	{ "what we do not know", "{\"meta\":{\"colour\":\"red\"},\"x\":[[1]]}", NULL },
	{ "nested too deep", "{\"meta\":{\"a\":[[[[[[[[1]]]]]]]]}}", "not as we write" },
	{ "NUL in a string", "{\"meta\":{\"format\":\"e\\u0000lf\"}}", "not as we write" },
	{ "half a surrogate", "{\"meta\":{\"format\":\"\\ud800\"}}", "no JSON object" },
	{ "an unknown role", "{\"meta\":{\"wants\":[{\"role\":\"shadow\"}]}}", "do not know" },
	{ "a want that is none", "{\"meta\":{\"wants\":[5]}}", "do not know" },
	{ "a huge crc", "{\"meta\":{\"wants\":[{\"role\":\"dwz\",\"crc\":1e300}]}}", NULL },
	{ "a negative crc", "{\"meta\":{\"wants\":[{\"role\":\"dwz\",\"crc\":-5}]}}", NULL },
	{ "an open string", "{\"meta\":{\"format\":\"elf", "no JSON object" },
	{ "a backslash at the end", "{\"meta\":\"\\", "no JSON object" },
};

START_TEST(believes_little)
{
	struct err err = ERR_INIT;
	struct arena arena;
	struct text json;
	bool written;
	int rc;

	arena_init(&arena, ARENA_BYTES);
	rc = convert_inspect_reply(text_of(replies[_i].reply), &arena, &written, &json, &err);
	ck_assert_msg((rc == 0) == !replies[_i].text, "%s: %s", replies[_i].what, err.text);
	if (rc < 0) {
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
		ck_assert_msg(strstr(err.text, replies[_i].text), "%s: %s", replies[_i].what,
			      err.text);
	} else {
		ck_assert_ptr_null(strstr(json.bytes, "colour"));
	}
	arena_release(&arena);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

/* 16 MiB of "[[[[" or of commas must not become a gigabyte of cJSON. */
START_TEST(bounds_what_it_parses)
{
	static const struct { const char *start, *part; size_t count; } large[] = {
		{ "{\"meta\":", "[", 1 << 23 }, { "{\"meta\":[", "0,", 1 << 19 },
		{ "{\"meta\":{\"wants\":[", "{\"role\":\"dwz\"},", 100 },
		{ "{\"meta\":{\"format\":\"", "aaaaaaaa", 1 << 18 },
	};
	struct err err = ERR_INIT;
	struct arena arena;
	struct buf reply;
	struct text json;
	bool written;

	arena_init(&arena, ARENA_BYTES);
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		buf_init(&reply, (size_t)64 << 20);
		buf_add_string(&reply, large[i].start);
		for (size_t n = 0; n < large[i].count; n++)
			buf_add_string(&reply, large[i].part);
		if (i == 2)
			buf_add_string(&reply, "{\"role\":\"dwz\"}]}}");
		ck_assert_int_eq(convert_inspect_reply(buf_text(&reply), &arena, &written, &json,
						       &err), -1);
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
		buf_release(&reply);
	}
	arena_release(&arena);
}
END_TEST

static void read_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct convert_symcache_reply facts;
	struct err err = ERR_INIT;
	struct arena arena;
	struct text json, reply = { (const char *)bytes, size };
	bool written;

	(void)payload;
	arena_init(&arena, ARENA_BYTES);
	if (convert_inspect_reply(reply, &arena, &written, &json, &err) == 0)
		ck_assert(text_is_utf8(json));
	(void)!convert_symcache_reply_parse(reply, &arena, &facts, &err);
	arena_release(&arena);
}

START_TEST(survives_every_byte_change)
{
	support_every_byte_change((const uint8_t *)full_reply, sizeof(full_reply) - 1,
				  read_changed, NULL);
}
END_TEST

/* A blank at the end is all it takes to be read by the slow reader: both say the same. */
static void read_both_ways(void *payload, const uint8_t *bytes, size_t size)
{
	struct convert_meta quick, slow;
	struct err err = ERR_INIT;
	struct buf blank;
	struct arena arena;

	(void)payload;
	arena_init(&arena, ARENA_BYTES);
	buf_init(&blank, ARENA_BYTES);
	buf_add(&blank, bytes, size);
	buf_add_char(&blank, ' ');
	if (convert_meta_parse((struct text){ (const char *)bytes, size }, &arena, &quick, &err) == 0) {
		ck_assert_msg(convert_meta_parse(buf_text(&blank), &arena, &slow, &err) == 0, "%s: %s",
			      buf_string(&blank), err.text);
		ck_assert_int_eq(quick.has_debug_info, slow.has_debug_info);
		ck_assert_int_eq(quick.has_sources, slow.has_sources);
		ck_assert(text_equal(quick.srcsrv_vcs, slow.srcsrv_vcs));
		ck_assert(text_equal(quick.format, slow.format));
		ck_assert(text_equal(quick.debug_id, slow.debug_id));
		ck_assert(text_equal(quick.debug_file, slow.debug_file));
		ck_assert_uint_eq(quick.want_count, slow.want_count);
		for (size_t i = 0; i < slow.want_count; i++) {
			ck_assert_int_eq(quick.wants[i].role, slow.wants[i].role);
			ck_assert(text_equal(quick.wants[i].id, slow.wants[i].id));
			ck_assert(text_equal(quick.wants[i].name, slow.wants[i].name));
			ck_assert_uint_eq(quick.wants[i].crc, slow.wants[i].crc);
		}
	}
	buf_release(&blank);
	arena_release(&arena);
}

START_TEST(both_readers_agree)
{
	const char *start = strstr(full_reply, "{\"has_debug_info");

	support_every_byte_change((const uint8_t *)start, strlen(start) - 1, read_both_ways, NULL);
}
END_TEST

static int read_full(void *payload, struct err *err)
{
	struct convert_meta meta;
	struct arena arena;
	struct text json;
	bool written;
	int rc;

	(void)payload;
	arena_init(&arena, ARENA_BYTES);
	rc = convert_inspect_reply(text_of(full_reply), &arena, &written, &json, err);
	if (rc == 0)
		rc = convert_meta_parse(json, &arena, &meta, err);
	arena_release(&arena);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(read_full, NULL, 200);
}
END_TEST

START_TEST(reads_what_a_conversion_found)
{
	struct convert_symcache_reply facts;
	struct err err = ERR_INIT;
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	ck_assert_int_eq(convert_symcache_reply_parse(
		TEXT("{\"units\":10,\"bad_units\":1,\"ranges\":1e99,\"bytes\":-3,"
		     "\"first_bad\":\"unit 3: too deep\"}"), &arena, &facts, &err), 0);
	ck_assert_uint_eq(facts.units, 10);
	ck_assert_uint_eq(facts.bad_units, 1);
	ck_assert_uint_eq(facts.ranges, (uint64_t)1 << 53);
	ck_assert_uint_eq(facts.bytes, 0);
	ck_assert(text_is(facts.first_bad, "unit 3: too deep"));
	arena_release(&arena);
}
END_TEST

/* --- Names ------------------------------------------------------------------------------ */

static const struct {
	const char *what;
	const char *bytes;
	size_t size;
	bool accepted;
} answers[] = {
	{ "two names", "\2\0\0\0\3\0\0\0a()\377\377\377\377", 15, true },
	{ "another count", "\3\0\0\0\3\0\0\0a()\377\377\377\377", 15, false },
	{ "cut short", "\2\0\0\0\3\0\0\0a(", 10, false },
	{ "nothing", "", 0, false },
	{ "a name past the end", "\2\0\0\0\0\4\0\0a()\377\377\377\377", 15, false },
	{ "a name too long", "\2\0\0\0\1\20\0\0a()\377\377\377\377", 15, false },
	{ "more than asked", "\2\0\0\0\377\377\377\377\377\377\377\377x", 13, false },
	{ "NUL in a name", "\2\0\0\0\3\0\0\0a\0b\377\377\377\377", 15, true },
	{ "no UTF-8", "\2\0\0\0\3\0\0\0a\377b\377\377\377\377", 15, true },
};

START_TEST(reads_names)
{
	struct convert_name names[2] = { { .name = TEXT("_Z1av") }, { .name = TEXT("main") } };
	struct err err = ERR_INIT;
	struct arena arena;
	int rc;

	arena_init(&arena, ARENA_BYTES);
	rc = convert_names_reply((struct text){ answers[_i].bytes, answers[_i].size }, names, 2,
				 &arena, &err);
	ck_assert_msg((rc == 0) == answers[_i].accepted, "%s: %s", answers[_i].what, err.text);
	if (rc == 0) {
		if (_i == 0)
			ck_assert(text_is(names[0].readable, "a()"));
		else
			ck_assert_ptr_null(names[0].readable.bytes);
		ck_assert_ptr_null(names[1].readable.bytes);
	}
	arena_release(&arena);
}
END_TEST

START_TEST(remembers_names)
{
	struct convert_name name = { .name = TEXT("_Z1av"), .language = LANGUAGE_CPP,
				     .readable = TEXT("a()") };
	struct convert_name plain = { .name = TEXT("main"), .language = LANGUAGE_CPP };
	struct convert_name other = { .name = TEXT("_Z1av"), .language = LANGUAGE_RUST };
	struct convert_name asked = { .name = name.name, .language = LANGUAGE_CPP };
	struct convert_memo *memo;
	struct err err = ERR_INIT;
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	ck_assert_int_eq(convert_memo_open(&memo, &err), 0);
	ck_assert(!convert_memo_lookup(memo, &asked, &arena));
	convert_memo_store(memo, &name);
	convert_memo_store(memo, &plain);
	ck_assert(convert_memo_lookup(memo, &asked, &arena));
	ck_assert(text_is(asked.readable, "a()"));
	ck_assert(convert_memo_lookup(memo, &plain, &arena));
	ck_assert_ptr_null(plain.readable.bytes);
	ck_assert_msg(!convert_memo_lookup(memo, &other, &arena), "languages are kept apart");
	convert_memo_close(memo);
	arena_release(&arena);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

/* Ten generations of names: memory stays bounded, a name in use stays. */
START_TEST(forgets_names_out_of_use)
{
	struct convert_name first = { .name = TEXT("_Z5firstv"), .readable = TEXT("first()") };
	struct convert_memo *memo;
	struct err err = ERR_INIT;
	struct arena arena;
	char text[32];

	arena_init(&arena, (size_t)64 << 20);
	ck_assert_int_eq(convert_memo_open(&memo, &err), 0);
	convert_memo_store(memo, &first);
	for (unsigned i = 0; i < 10 * CONVERT_MEMO_NAMES; i++) {
		struct convert_name name = { .readable = TEXT("readable") };
		struct arena_mark mark = arena_mark(&arena);

		name.name = (struct text){ text, (size_t)snprintf(text, sizeof(text), "_Z%u", i) };
		convert_memo_store(memo, &name);
		if (i % 1000 == 0)
			ck_assert(convert_memo_lookup(memo, &first, &arena));
		arena_rewind(&arena, mark);
	}
	ck_assert(!convert_memo_lookup(memo, &(struct convert_name){ .name = TEXT("_Z7") },
				       &arena));
	ck_assert_msg(mem_live < 1000, "%ld blocks", (long)mem_live);
	convert_memo_close(memo);
	arena_release(&arena);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("convert");
	TCase *tcase = tcase_create("asking side");

	tcase_add_test(tcase, reads_a_reply);
	tcase_add_loop_test(tcase, believes_little, 0, COUNT(replies));
	tcase_add_test(tcase, bounds_what_it_parses);
	tcase_add_test(tcase, survives_every_byte_change);
	tcase_add_test(tcase, both_readers_agree);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, reads_what_a_conversion_found);
	tcase_add_loop_test(tcase, reads_names, 0, COUNT(answers));
	tcase_add_test(tcase, remembers_names);
	tcase_add_test(tcase, forgets_names_out_of_use);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
