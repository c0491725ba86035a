/* test_upgrade.c -- which failures kept a module from something better. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "base/arch.h"
#include "kinds/native/fake.h"
#include "kinds/native/symbolication.h"
#include "kinds/kinds.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SOURCE(id) "{\"type\":\"http\",\"id\":\"" id "\",\"url\":\"http://h/" id "/\"," \
	"\"layout\":{\"type\":\"unified\"},\"filters\":{\"filetypes\":[\"elf_debug\"]}}"
#define BODY "{\"sources\":[" SOURCE("a") "," SOURCE("b") "," SOURCE("c") "],\"modules\":[" \
	"{\"type\":\"elf\",\"code_id\":\"abcdef01\",\"image_addr\":\"0x10000\"}]," \
	"\"options\":{\"apply_source_context\":false}," \
	"\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x10200\"}]}]}"
#define DWZ(features) "{" features ",\"wants\":[{\"role\":\"dwz\",\"id\":\"001122\"}]}"

struct asking {
	struct fake_resolver fake;   /* first: the resolver's functions get back here */
	char asked[512];             /* "a b/001122": who was asked again */
};

/* What tells the locations apart: http://h/a/ab/cdef01/debuginfo is a. */
static void refresh(struct resolver *resolver, const struct derive *derive)
{
	struct asking *asking = (struct asking *)(void *)resolver;
	size_t used = strlen(asking->asked);

	snprintf(asking->asked + used, sizeof(asking->asked) - used, "%s%c%s", used ? " " : "",
		 derive->location->uri.bytes[sizeof("http://h/") - 1],
		 text_ends_with(derive->location->uri, "/00/1122/debuginfo") ? "/dwz" : "");
}

static const struct {
	const char *what;
	struct { enum err_kind failure; const char *meta; } places[3];
	enum err_kind dwz;
	const char *asked;
} cases[] = {
	{ "the best at once", { { ERR_NONE, FAKE_META_DEBUG }, { ERR_TIMEOUT, "" }, { ERR_DOWNLOAD, "" } },
	  ERR_NOT_FOUND, "" },
	{ "a source before lacks it", { { ERR_NOT_FOUND, "" }, { ERR_NONE, FAKE_META_DEBUG } },
	  ERR_NOT_FOUND, "" },
	{ "sources before failed", { { ERR_TIMEOUT, "" }, { ERR_DOWNLOAD, "" }, { ERR_NONE, FAKE_META_DEBUG } },
	  ERR_NOT_FOUND, "a b" },
	{ "a source before refuses, one behind fails",
	  { { ERR_DENIED, "" }, { ERR_NONE, FAKE_META_DEBUG }, { ERR_TIMEOUT, "" } }, ERR_NOT_FOUND, "" },
	{ "only symbols", { { ERR_NOT_FOUND, "" }, { ERR_NONE, FAKE_META_SYMBOLS }, { ERR_DENIED, "" } },
	  ERR_NOT_FOUND, "a c" },
	{ "only symbols, and all there is",
	  { { ERR_NONE, FAKE_META_SYMBOLS }, { ERR_NONE, FAKE_META_SYMBOLS }, { ERR_NONE, FAKE_META_NOTHING } },
	  ERR_NOT_FOUND, "" },
	{ "nothing at all", { { ERR_NOT_FOUND, "" }, { ERR_TIMEOUT, "" }, { ERR_DOWNLOAD, "" } },
	  ERR_NOT_FOUND, "" },
	{ "a companion is missing", { { ERR_NONE, DWZ("\"has_debug_info\":true") } },
	  ERR_NOT_FOUND, "a/dwz b/dwz c/dwz" },
	{ "its companion is there", { { ERR_NONE, DWZ("\"has_debug_info\":true") } }, ERR_NONE, "" },
};

static void answer(struct asking *asking, const char *what)
{
	struct err err = ERR_INIT;
	enum stepped stepped = STEP_WAIT;
	struct work work;

	ck_assert_int_eq(work_init(&work, &request_kind_symbolicate, &fake_config, NULL, TEXT_NONE,
				   &err), 0);
	ck_assert_msg(fake_parse(&work, TEXT(BODY), &err) == 0, "%s: %s", what, err.text);
	while (stepped == STEP_WAIT)
		stepped = work.kind->step(&work, &asking->fake.resolver, &err);
	ck_assert_msg(stepped == STEP_DONE, "%s: %s", what, err.text);
	work_release(&work);
}

START_TEST(asks_again_for_what_would_be_better)
{
	struct buf symcache;
	struct fake_entry entries[] = {
		{ &derived_object_meta, "/b/00/1122/debuginfo", cases[_i].dwz, TEXT(FAKE_META_DEBUG), 1, 0 },
		{ &derived_object_meta, "/a/ab/cdef01/debuginfo", cases[_i].places[0].failure,
		  text_of(cases[_i].places[0].meta), 1, 0 },
		{ &derived_object_meta, "/b/ab/cdef01/debuginfo", cases[_i].places[1].failure,
		  text_of(cases[_i].places[1].meta ? cases[_i].places[1].meta : FAKE_META_NOTHING), 0, 0 },
		{ &derived_object_meta, "/c/ab/cdef01/debuginfo", cases[_i].places[2].failure,
		  text_of(cases[_i].places[2].meta ? cases[_i].places[2].meta : FAKE_META_NOTHING), 1, 0 },
		{ &derived_symcache, "debuginfo", ERR_NONE, TEXT_NONE, 1, 1 },
	};
	struct asking asking = { .asked = "" };

	buf_init(&symcache, 1 << 20);
	fake_symcache(&symcache, ARCH_X86_64);
	entries[4].payload = buf_text(&symcache);
	fake_resolver_init(&asking.fake, entries, COUNT(entries));
	answer(&asking, cases[_i].what);             /* nobody listens: nothing happens */
	asking.fake.resolver.refresh = refresh;
	answer(&asking, cases[_i].what);
	ck_assert_msg(strcmp(asking.asked, cases[_i].asked) == 0, "%s: asked `%s`", cases[_i].what,
		      asking.asked);
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&symcache);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("upgrade");
	TCase *tcase = tcase_create("upgrade");

	tcase_add_loop_test(tcase, asks_again_for_what_would_be_better, 0, COUNT(cases));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
