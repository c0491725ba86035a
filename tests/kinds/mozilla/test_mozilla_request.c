/* test_mozilla_request.c -- bodies of Mozilla's API and their answers, both versions and dialects. */
#include "support/support.h"

#include <string.h>

#include "kinds/kinds.h"
#include "kinds/mozilla/mozilla_answers.h"

#define ID "44E4EC8C2F41492B9369D6B9A059577C2"
#define MODULES "\"memoryMap\":[[\"a.pdb\",\"" ID "\"],[\"b.so\",\"12\"]]"
#define REPLY_BYTES ((size_t)1 << 20)

enum asked { V5, TECKEN, ELIOT };

static const struct {
	const char *what;
	enum asked asked;
	const char *body, *answer;
} cases[] = {
	{ "version 5", V5, "{" MODULES ",\"stacks\":[[[0,272],[-1,16],[0,256]],[]]}",
	  "{\"results\":[{\"stacks\":[[{\"frame\":0,\"module\":\"a.dll\",\"module_offset\":\"0x110\","
	  "\"function\":\"_Z5outeri\",\"function_offset\":\"0x10\",\"file\":\"/src/lib/a.cpp\",\"line\":10,"
	  "\"inlines\":[{\"function\":\"_ZN5innerEv\",\"file\":\"/src/lib/a.cpp\",\"line\":77}]},"
	  "{\"frame\":1,\"module\":\"<unknown>\",\"module_offset\":\"0x10\"},"
	  "{\"frame\":2,\"module\":\"a.dll\",\"module_offset\":\"0x100\",\"function\":\"_Z5outeri\","
	  "\"function_offset\":\"0x0\",\"file\":\"/src/lib/a.cpp\",\"line\":9}],[]],"
	  "\"found_modules\":{\"a.pdb/" ID "\":true,\"b.so/12\":null}}]}" },
	{ "modules nobody asks for", V5, "{" MODULES ",\"stacks\":[[]]}",
	  "{\"results\":[{\"stacks\":[[]],\"found_modules\":{\"a.pdb/" ID "\":null,\"b.so/12\":null}}]}" },
	{ "a bad id", V5, "{\"memoryMap\":[[\"b.so\",\"12\"]],\"stacks\":[[[0,1]]]}",
	  "{\"results\":[{\"stacks\":[[{\"frame\":0,\"module\":\"b.so\",\"module_offset\":\"0x1\"}]],"
	  "\"found_modules\":{\"b.so/12\":false}}]}" },
	{ "no body", V5, "", "{\"title\":\"Payload is not valid JSON\"}" },
	{ "no job", V5, "{\"jobs\":[]}", "{\"results\":[]}" },
	{ "of two members the last counts", V5, "{\"jobs\":[1],\"jobs\":[]}", "{\"results\":[]}" },
	{ "names with escapes", V5, "{\"\\u006aobs\":[]}", "{\"results\":[]}" },
	{ "nothing that is nothing", V5, "[]", "{\"title\":\"job 0 is invalid\"}" },
	{ "an offset above 64 bits", V5, "{" MODULES ",\"stacks\":[[[0,18446744073709551616]]]}",
	  "{\"title\":\"job 0 has invalid stacks: stack 0 frame 0 has an invalid module_offset\"}" },
	{ "an index above 64 bits", V5, "{" MODULES ",\"stacks\":[[[18446744073709551616,1]]]}",
	  "{\"title\":\"job 0 has invalid stacks: stack 0 frame 0 has a module_index that isn't in modules\"}" },
	{ "version 4 as documented", TECKEN,
	  "{\"version\":4," MODULES ",\"stacks\":[[[0,272],[-1,16],[0,1.50],[1,1],[0,1024],[0,1]]]}",
	  "{\"symbolicatedStacks\":[[\"_Z5outeri (in a.pdb)\",\"0x10\",\"1.50\",\"0x1 (in b.so)\","
	  "\"bare (in a.pdb)\",\"0x1 (in a.pdb)\"]],\"knownModules\":[true,false]}" },
	{ "version 4 as today", ELIOT, "{" MODULES ",\"stacks\":[[[0,272],[-1,16],[0,1024]]]}",
	  "{\"symbolicatedStacks\":[[\"_Z5outeri (in a.dll)\",\"0x10 (in <unknown>)\",\"0x400 (in a.dll)\"]],"
	  "\"knownModules\":[true,null]}" },
	{ "no version", TECKEN, "{" MODULES ",\"stacks\":[]}", "{\"error\":\"Expect version==4\"}" },
	{ "4.0 is 4", TECKEN, "{\"version\":40e-1,\"memoryMap\":[],\"stacks\":[]}",
	  "{\"symbolicatedStacks\":[],\"knownModules\":[]}" },
	{ "a list", TECKEN, "[]", "{\"error\":\"Not a dict\"}" },
};

static int answer(enum asked asked, struct text body, struct buf *reply, struct err *err)
{
	struct config config = fake_config;
	int status = 0;

	config.mozilla_v4_is_eliot = asked == ELIOT;
	return mozilla_answer_to(asked == V5 ? &request_kind_mozilla_v5 : &request_kind_mozilla_v4, &config,
				 body, reply, &status, err);
}

START_TEST(answers_as_the_table_says)
{
	struct err err = ERR_INIT;
	struct buf reply;

	buf_init(&reply, REPLY_BYTES);
	ck_assert_msg(answer(cases[_i].asked, text_of(cases[_i].body), &reply, &err) == 0, "%s: %s",
		      cases[_i].what, err.text);
	ck_assert_msg(strcmp(buf_string(&reply), cases[_i].answer) == 0, "%s: %s", cases[_i].what,
		      buf_string(&reply));
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&reply);
}
END_TEST

/* --- Torments --------------------------------------------------------------------------------------- */

static const char whole[] = "{\"version\":4,\"debug\":1,\"memoryMap\":[[\"a.pdb\",\"" ID "\"],[\"\\u0062.so\",\"12\"]],"
	"\"stacks\":[[[0,272],[-1,16],[1,4]],[]]}";

static int answer_all(struct text body, struct err *err)
{
	int rc = 0;

	for (enum asked asked = V5; asked <= ELIOT && rc >= 0; asked++) {
		struct buf reply;

		buf_init(&reply, REPLY_BYTES);
		rc = answer(asked, body, &reply, err);
		buf_release(&reply);
	}
	return rc;
}

static int answer_whole(void *payload, struct err *err)
{
	(void)payload;
	return answer_all((struct text){ whole, sizeof(whole) - 1 }, err);
}

static void answer_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;

	(void)payload;
	ck_assert_msg(answer_all((struct text){ (const char *)bytes, size }, &err) == 0, "%s", err.text);
	ck_assert_int_eq(fake_holds, 0);
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(answer_whole, NULL, 5000);
}
END_TEST

START_TEST(survives_every_byte_change)
{
	support_every_byte_change((const uint8_t *)whole, sizeof(whole) - 1, answer_changed, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mozilla request");
	TCase *tests = tcase_create("all");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, answers_as_the_table_says, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tests, survives_every_allocation_failure);
	tcase_add_test(tests, survives_every_byte_change);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
