/* test_js_url -- URLs and names as JavaScript's tools write them. */
#include "support/support.h"

#include <string.h>

#include "base/arena.h"
#include "kinds/js/js_url.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static struct arena arena;

static void begin(void)
{
	arena_init(&arena, (size_t)1 << 20);
}

static void end(void)
{
	arena_release(&arena);
}

static void same(const char *what, struct text is, const char *wanted)
{
	ck_assert_msg(text_is(is, wanted), "%s: %.*s instead of %s", what, (int)is.size,
		      is.bytes ? is.bytes : "(none)", wanted);
}

static const struct { const char *base, *right, *joined; } joins[] = {
	{ "http://example.com/a/b.js", "c.map", "http://example.com/a/c.map" },
	{ "http://example.com/a/b.js?x", "c.map", "http://example.com/a/c.map" },
	{ "http://example.com/a/b.js", "../../../c.map", "http://example.com/c.map" },
	{ "http://example.com/a/b.js", "./c.map", "http://example.com/a/c.map" },
	{ "http://example.com/a/b.js", "/c.map", "http://example.com/c.map" },
	{ "http://example.com/a/b.js", "//cdn.com/c.map", "http://cdn.com/c.map" },
	{ "https://x/a/b.js", "", "https://x/a" },
	{ "https://x", "c", "https://x/c" },
	{ "http://example.com/a/b.js", "~/c.map", "http://example.com/c.map" },
	{ "http://example.com/a//b.js", "c//d", "http://example.com/a/c/d" },
	{ "http://example.com/a/b.js", "https://other/x", "https://other/x" },
	{ "http://example.com/a/b.js", "webpack:///x", "webpack:///x" },
	{ "http://example.com/a/b.js", "turbopack:///x", "turbopack:///x" },
	{ "app:///index.android.bundle", "index.android.bundle.map", "app:///index.android.bundle.map" },
	{ "app:///a/b.js", "../../c", "app:///../c" },
	{ "app:///a/b.js", "./c/./d", "app:///a/c/./d" },
	{ "/usr/lib/a.js", "b.map", "/usr/lib/b.map" },
	{ "/usr/lib/a.js", "../b.map", "/usr/b.map" },
	{ "/usr/lib/a.js", "/b.map", "/b.map" },
	{ "file:///usr/a.js", "b.map", "/usr/b.map" },
	{ "a.js", "b.map", "/b.map" },
};

START_TEST(joins_urls)
{
	same(joins[_i].right, js_url_join(text_of(joins[_i].base), text_of(joins[_i].right), &arena),
	     joins[_i].joined);
}
END_TEST

static const struct { const char *url, *all; } candidates[] = {
	{ "http://x/a.js", "http://x/a.js ~/a.js " },
	{ "http://x/a.js?q#f", "http://x/a.js?q http://x/a.js ~/a.js?q ~/a.js " },
	{ "~/a.js", "~/a.js ~/a.js " },
	{ "app:///a.js", "app:///a.js ~/a.js " },
};

START_TEST(lists_candidates)
{
	struct text found[JS_URL_CANDIDATES];
	size_t count = js_url_candidates(text_of(candidates[_i].url), &arena, found);
	char all[256];
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		memcpy(all + at, found[i].bytes, found[i].size);
		at += found[i].size;
		all[at++] = ' ';
	}
	same(candidates[_i].url, (struct text){ all, at }, candidates[_i].all);
}
END_TEST

static const struct { const char *url, *module; } modules[] = {
	{ "http://example.com/js/v1.0/foo/bar.js", "foo/bar" },
	{ "/a/javascripts/application-bundle-149360d3414c26adac3febdf6832e25c.min.js",
	  "a/javascripts/application-bundle" },
	{ "webpack:///92cd589eca8235e7b373bf5ae94ebf898e3b949c/vendor.js", "vendor" },
	{ "~/app/components/x.jsx", "app/components/x" },
	{ "../../foo/bar", "foo/bar" },
	{ "http://example.com/foo.js?x#y", "foo" },
	{ "http://example.com/_next/static/chunks/1.js", "chunks/1" },
	{ "http://localhost:3000/files/test.js", "files/test" },
	{ "app:///module.js", "module" },
	{ "http://example.com/a/0123456789abcdef0123456789abcdef/b/c.js", "b/c" },
	{ "http://example.com/", "" },
};

START_TEST(names_modules)
{
	same(modules[_i].url, js_url_module(text_of(modules[_i].url)), modules[_i].module);
}
END_TEST

static const struct { const char *name, *fixed; bool is_turbopack; } fixes[] = {
	{ "webpack:///./src/x.js", "./src/x.js", false },
	{ "webpack:///src/x.js", "src/x.js", false },
	{ "webpack://my-App.2@x/./src/x.js", "./src/x.js", false },
	{ "webpack-internal://name/./src/x.js", "./src/x.js", false },
	{ "webpack-internal:///x.js", "x.js", false },
	{ "webpack:///a/~/b/~/c.js", "~/b/~/c.js", false },
	{ "webpack://na me/./x.js", "webpack://na me/./x.js", false },
	{ "turbopack:///[project]/src/x.js", "src/x.js", true },
	{ "turbopack:///x.js", "x.js", true },
	{ "turbopack://[project]/x.js", "turbopack://[project]/x.js", true },
};

START_TEST(mends_names_of_bundlers)
{
	struct text name = text_of(fixes[_i].name);

	same(fixes[_i].name, fixes[_i].is_turbopack ? js_url_fix_turbopack(name, &arena)
						   : js_url_fix_webpack(name, &arena), fixes[_i].fixed);
}
END_TEST

static const struct { const char *name, *folded; } folds[] = {
	{ "foo", "foo" }, { "foo.bar", "foo.bar" }, { "foo.foo", "foo.foo" },
	{ "foo.foo.foo", "{foo#2}.foo" }, { "bar.foo.foo.onError", "bar.{foo#2}.onError" },
	{ "a.a.b.b.b.c", "{a#2}.{b#3}.c" }, { "", "" }, { "...", "{#3}." }, { ".a", ".a" },
};

START_TEST(folds_names)
{
	same(folds[_i].name, js_name_fold(text_of(folds[_i].name), &arena), folds[_i].folded);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("js_url");
	TCase *tcase = tcase_create("js_url");

	tcase_add_checked_fixture(tcase, begin, end);
	tcase_add_loop_test(tcase, joins_urls, 0, COUNT(joins));
	tcase_add_loop_test(tcase, lists_candidates, 0, COUNT(candidates));
	tcase_add_loop_test(tcase, names_modules, 0, COUNT(modules));
	tcase_add_loop_test(tcase, mends_names_of_bundlers, 0, COUNT(fixes));
	tcase_add_loop_test(tcase, folds_names, 0, COUNT(folds));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
