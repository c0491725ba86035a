/* test_buildid.c -- what a path below /buildid/ asks for, and what of it debuginfod refuses. */
#include <string.h>

#include "base/arena.h"
#include "kinds/debuginfod/buildid_request.h"
#include "support/support.h"

#define ID "c0ffee00"
#define ARENA_BYTES ((size_t)1 << 20)

static const struct {
	const char *what, *body, *refusal;
	enum buildid_artifact artifact;
	const char *name, *canonical;
} cases[] = {
	{ "debuginfo", ID "/debuginfo?", NULL, BUILDID_DEBUGINFO, "", NULL },
	{ "with more behind it", ID "/debuginfo/zzz?x=y", NULL, BUILDID_DEBUGINFO, "/zzz", NULL },
	{ "executable", ID "/executable?", NULL, BUILDID_EXECUTABLE, "", NULL },
	{ "section", ID "/section/.text?", NULL, BUILDID_SECTION, ".text", NULL },
	{ "section with a slash", ID "/section/.text/x?", NULL, BUILDID_SECTION, ".text/x", NULL },
	{ "escaped section", ID "/section/%2etext?", NULL, BUILDID_SECTION, ".text", NULL },
	{ "source", ID "/source/usr/src/a.c?", NULL, BUILDID_SOURCE, "/usr/src/a.c", "/usr/src/a.c" },
	{ "source with detours", ID "/source/zoo//../bar/./foo.c?", NULL, BUILDID_SOURCE,
	  "/zoo//../bar/./foo.c", "/bar/foo.c" },
	{ "source that climbs", ID "/source/../../../etc/passwd?", NULL, BUILDID_SOURCE,
	  "/../../../etc/passwd", "/etc/passwd" },
	{ "source that climbs in disguise", ID "/source/a/%2e%2e/%2E%2E%2f..%2fb?", NULL, BUILDID_SOURCE,
	  "/a/../../../b", "/b" },
	{ "source: the root", ID "/source/?", NULL, BUILDID_SOURCE, "/", "/" },
	{ "source: a folder", ID "/source/a/..?", NULL, BUILDID_SOURCE, "/a/..", "/" },
	{ "no escape", ID "/source/%zz%4?", NULL, BUILDID_SOURCE, "/%zz%4", "/%zz%4" },
	{ "escaped question mark", ID "/source/a%3fb?c", NULL, BUILDID_SOURCE, "/a?b", "/a?b" },
	{ "escaped slash before the type", ID "%2fdebuginfo?", NULL, BUILDID_DEBUGINFO, "", NULL },
	{ "no type", ID "/?", "invalid artifacttype", BUILDID_DEBUGINFO, NULL, NULL },
	{ "another type", "zz/bogus?", "invalid artifacttype", BUILDID_DEBUGINFO, NULL, NULL },
	{ "a longer type", ID "/debuginfos?", "invalid artifacttype", BUILDID_DEBUGINFO, NULL, NULL },
	{ "no source", "zz/source?", "invalid source suffix", BUILDID_SOURCE, NULL, NULL },
	{ "no section", ID "/section?", "invalid section suffix", BUILDID_SECTION, NULL, NULL },
	{ "an empty section", ID "/section/?", "invalid section suffix", BUILDID_SECTION, NULL, NULL },
	{ "no slash", ID "?", "/buildid/ webapi error, need buildid", BUILDID_DEBUGINFO, NULL, NULL },
	{ "nothing", "?", "/buildid/ webapi error, need buildid", BUILDID_DEBUGINFO, NULL, NULL },
	{ "upper case", "C0FFEE00/debuginfo?", "invalid buildid", BUILDID_DEBUGINFO, NULL, NULL },
	{ "odd", "abc/debuginfo?", "invalid buildid", BUILDID_DEBUGINFO, NULL, NULL },
	{ "no id", "/debuginfo?", "invalid buildid", BUILDID_DEBUGINFO, NULL, NULL },
	{ "a path", "../debuginfo?", "invalid buildid", BUILDID_DEBUGINFO, NULL, NULL },
};

static int read_body(struct buildid_request *request, struct text body, struct arena *arena, struct err *err)
{
	arena_init(arena, ARENA_BYTES);
	return buildid_request_read(request, body, arena, err);
}

START_TEST(paths_are_taken_apart)
{
	struct buildid_request request;
	struct err err = ERR_INIT;
	struct arena arena;
	int rc = read_body(&request, text_of(cases[_i].body), &arena, &err);

	ck_assert_msg(rc == 0, "%s: %s", cases[_i].what, err.text);
	if (cases[_i].refusal) {
		ck_assert_msg(request.refusal, "%s", cases[_i].what);
		ck_assert_str_eq(request.refusal, cases[_i].refusal);
	} else {
		ck_assert_msg(!request.refusal, "%s: %s", cases[_i].what, request.refusal);
		ck_assert_int_eq(request.artifact, cases[_i].artifact);
		ck_assert_msg(text_is(request.id, ID), "%s", cases[_i].what);
		ck_assert_msg(text_is(request.name, cases[_i].name), "%s: %.*s", cases[_i].what,
			      (int)request.name.size, request.name.bytes);
		ck_assert_msg(!cases[_i].canonical || text_is(request.canonical, cases[_i].canonical),
			      "%s: %.*s", cases[_i].what, (int)request.canonical.size, request.canonical.bytes);
	}
	arena_release(&arena);
}
END_TEST

START_TEST(a_nul_byte_is_no_path)
{
	struct buildid_request request;
	struct err err = ERR_INIT;
	struct arena arena;

	ck_assert_int_lt(read_body(&request, TEXT(ID "/source/a%00b?"), &arena, &err), 0);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	arena_release(&arena);
}
END_TEST

static const struct { const char *value; uint64_t bytes; } sizes[] = {
	{ "10", 10 }, { "  10 bytes", 10 }, { "+7", 7 }, { "0", 0 }, { "-5", 0 }, { "abc", 0 }, { "", 0 },
	{ "99999999999999999999", UINT64_MAX },
};

START_TEST(headers_are_read)
{
	struct buildid_request request;
	struct err err = ERR_INIT;
	struct arena arena;
	const char *body = support_printf(ID "/debuginfo?scope=a\nX-Debuginfod-Maxsize: %s\n"
					  "X-Forwarded-For: 192.0.2.1, 192.0.2.2\nVia: 1.1 other\nREMOTE_ADDR: ::1",
					  sizes[_i].value);

	ck_assert_int_eq(read_body(&request, text_of(body), &arena, &err), 0);
	ck_assert_uint_eq(request.bytes_max, sizes[_i].bytes);
	ck_assert(text_is(request.forwarded_for, "192.0.2.1, 192.0.2.2"));
	ck_assert(text_is(request.via, "1.1 other"));
	ck_assert(text_is(request.peer, "::1"));
	arena_release(&arena);
}
END_TEST

static int work(void *payload, struct err *err)
{
	struct buildid_request request;
	struct arena arena;
	int rc;

	(void)payload;
	rc = read_body(&request, TEXT(ID "/source/a/../b?\nVia: x"), &arena, err);
	arena_release(&arena);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(work, NULL, 20);
}
END_TEST

static void change(void *payload, const uint8_t *bytes, size_t size)
{
	struct buildid_request request;
	struct err err = ERR_INIT;
	struct arena arena;

	(void)payload;
	if (read_body(&request, (struct text){ (const char *)bytes, size }, &arena, &err) < 0)
		ck_assert_str_ne(err.text, "");
	arena_release(&arena);
}

START_TEST(survives_every_byte_change)
{
	static const char body[] = ID "/source/a/%2e%2e//b/./c?x\nVia: 1.1 x\nX-Debuginfod-Maxsize: 12";

	support_every_byte_change((const uint8_t *)body, sizeof(body) - 1, change, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("buildid");
	TCase *tcase = tcase_create("buildid");

	tcase_add_loop_test(tcase, paths_are_taken_apart, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tcase, a_nul_byte_is_no_path);
	tcase_add_loop_test(tcase, headers_are_read, 0, (int)(sizeof(sizes) / sizeof(sizes[0])));
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, survives_every_byte_change);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
