/* test_jvm -- POST /symbolicate-jvm: what is read, what is answered, what is refused. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "kinds/body_damage.h"
#include "kinds/jvm/jvm_answers.h"
#include "kinds/kinds.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define REPLY_BYTES ((size_t)256 << 20)
#define NOTHING "{\"status\":\"completed\",\"exceptions\":[],\"stacktraces\":[],\"classes\":{},\"errors\":[]}"
#define MODULE(id, type) "{\"uuid\":\"" id "\",\"type\":\"" type "\"}"
#define GOOD ",\"modules\":[" MODULE(JVM_GOOD, "proguard") "]"
#define ASK(rest) "{" JVM_SOURCES rest "}"
#define CALLEE_FIRST ",\"options\":{\"frame_order\":\"callee_first\"}"
#define FRAMES(frames) ",\"stacktraces\":[{\"frames\":[" frames "]}]"
#define FRAME(class_name, method, rest) \
	"{\"function\":\"" method "\",\"module\":\"" class_name "\",\"index\":7" rest "}"
#define DONE "{\"status\":\"completed\",\"exceptions\":[],\"stacktraces\":["
#define END "],\"classes\":{},\"errors\":[]}"
#define ONE(frames) DONE "{\"exception\":null,\"frames\":[" frames "]}" END
#define SHOP(method, line, rest) "{\"function\":\"" method "\",\"filename\":\"Shop.java\",\"module\":\"com.example.Shop\"," \
	"\"abs_path\":\"Shop.java\",\"lineno\":" line rest ",\"index\":7}"
#define PLAIN(rest) "{\"function\":\"c\",\"module\":\"q.q\",\"index\":7" rest "}"

static const struct { const char *what, *body, *reply; } answers[] = {
	{ "nothing is asked", "{\"sources\":[]}", NOTHING },
	{ "unknown members, at every level", "{\"x\":{\"y\":[1.5e3,null]},\"sources\":[],\"options\":{\"z\":1}}", NOTHING },
	{ "null where it is allowed", "{\"sources\":[],\"platform\":null,\"release_package\":null}", NOTHING },
	{ "a byte order mark, and blanks", "\xef\xbb\xbf {\"sources\" : [ ] } \n", NOTHING },
	{ "a frame nobody knows", ASK(GOOD FRAMES(FRAME("q.q", "c", ",\"lineno\":0,\"in_app\":false"))),
	  ONE("{\"function\":\"c\",\"module\":\"q.q\",\"lineno\":0,\"in_app\":false,\"index\":7}") },
	{ "all its members come back",
	  ASK(FRAMES(FRAME("q.q", "c", ",\"platform\":\"java\",\"filename\":\"F\",\"abs_path\":\"A\",\"pre_context\":[\"p\"],"
			   "\"context_line\":\"l\",\"post_context\":[\"q\",\"r\"],\"signature\":\"x\",\"method_synthesized\":true"))),
	  ONE("{\"platform\":\"java\",\"function\":\"c\",\"filename\":\"F\",\"module\":\"q.q\",\"abs_path\":\"A\","
	      "\"pre_context\":[\"p\"],\"context_line\":\"l\",\"post_context\":[\"q\",\"r\"],\"index\":7,\"signature\":\"x\","
	      "\"method_synthesized\":true}") },
	{ "inlined, the caller first", ASK(GOOD FRAMES(FRAME("a.b", "c", ",\"lineno\":1"))),
	  ONE(SHOP("checkout", "40", "") "," SHOP("total", "21", "")) },
	{ "and the callee", ASK(GOOD CALLEE_FIRST FRAMES(FRAME("a.b", "c", ",\"lineno\":1"))),
	  ONE(SHOP("total", "21", "") "," SHOP("checkout", "40", "")) },
	{ "names with escapes", ASK(GOOD FRAMES(FRAME("\\u0061.b", "c", ",\"l\\u0069neno\":1"))),
	  ONE(SHOP("checkout", "40", "") "," SHOP("total", "21", "")) },
	{ "by parameters", ASK(GOOD FRAMES(FRAME("a.b", "g", ",\"signature\":\"(La/c;)V\""))),
	  ONE("{\"function\":\"put\",\"filename\":\"Shop.java\",\"module\":\"com.example.Shop\",\"abs_path\":\"Shop.java\","
	      "\"lineno\":6,\"index\":7,\"signature\":\"(com.example.Cart)\"}") },
	{ "what the compiler made goes where there is a line", ASK(GOOD FRAMES(FRAME("a.b", "d", ",\"lineno\":2"))),
	  ONE("") },
	{ "and stays where there is none", ASK(GOOD FRAMES(FRAME("a.b", "d", ""))),
	  ONE("{\"function\":\"lambda$0\",\"filename\":\"Shop.java\",\"module\":\"com.example.Shop\",\"abs_path\":\"Shop.java\","
	      "\"lineno\":0,\"index\":7,\"method_synthesized\":true}") },
	{ "in_app of the package", ASK(GOOD ",\"release_package\":\"com.ex\"" FRAMES(FRAME("a.b", "e", ",\"lineno\":1"))),
	  ONE(SHOP("spread", "1", ",\"in_app\":true")) },
	{ "unless it said so", ASK(GOOD ",\"release_package\":\"\"" FRAMES(FRAME("a.b", "e", ",\"lineno\":1,\"in_app\":false"))),
	  ONE(SHOP("spread", "1", ",\"in_app\":false")) },
	{ "exceptions and classes", ASK(GOOD ",\"exceptions\":[{\"type\":\"d\",\"module\":\"a\"},{\"type\":\"x\",\"module\":\"\"}],"
					"\"classes\":[\"a.b\",\"a.b\",\"zz\"],\"stacktraces\":[{\"exception\":{\"type\":\"a.d\",\"module\":\"\"},\"frames\":[]}]"),
	  "{\"status\":\"completed\",\"exceptions\":[{\"type\":\"Shop$Error\",\"module\":\"com.example\"},{\"type\":\"x\",\"module\":\"\"}],"
	  "\"stacktraces\":[{\"exception\":{\"type\":\"Shop$Error\",\"module\":\"com.example\"},\"frames\":[]}],"
	  "\"classes\":{\"a.b\":\"com.example.Shop\"},\"errors\":[]}" },
	{ "errors, in the order of modules",
	  ASK(",\"modules\":[" MODULE("5555555555555555555555555555" "5555" "a", "proguard") "," MODULE(JVM_BAD, "proguard") ","
	      MODULE("66666666666666666666666666666666", "source") "]"),
	  "{\"status\":\"completed\",\"exceptions\":[],\"stacktraces\":[],\"classes\":{},\"errors\":["
	  "{\"uuid\":\"55555555-5555-5555-5555-555555555555-a\",\"type\":\"missing\"},{\"uuid\":\"" JVM_BAD "\",\"type\":\"invalid\"}]}" },
	{ "the first mapping that knows the class", ASK(",\"modules\":[" MODULE(JVM_OTHER, "proguard") "," MODULE(JVM_GOOD, "proguard") "]"
							FRAMES(FRAME("a.b", "c", ",\"lineno\":1"))),
	  ONE("{\"function\":\"other\",\"filename\":\"Thing.java\",\"module\":\"org.other.Thing\",\"abs_path\":\"Thing.java\",\"lineno\":99,\"index\":7}") },
	{ "the mapping the frame names, among the request's", ASK(",\"modules\":[" MODULE(JVM_GOOD, "proguard") "," MODULE(JVM_OTHER, "proguard") "]"
		FRAMES(FRAME("a.b", "c", ",\"lineno\":1,\"filename\":\"r8-map-id-1234567\""))),
	  ONE("{\"function\":\"other\",\"filename\":\"Thing.java\",\"module\":\"org.other.Thing\",\"abs_path\":\"Thing.java\",\"lineno\":99,\"index\":7}") },
	{ "among the sources'", ASK(GOOD FRAMES(FRAME("a.b", "c", ",\"lineno\":1,\"abs_path\":\"r8-map-id-1234567\""))), ONE("{\"function\":\"other\",\"filename\":\"Thing.java\",\"module\":\"org.other.Thing\",\"abs_path\":\"Thing.java\",\"lineno\":99,\"index\":7}") },
	{ "it alone answers", ASK(GOOD FRAMES(FRAME("a.c", "a", ",\"lineno\":1,\"filename\":\"r8-map-id-1234567\""))),
	  ONE("{\"function\":\"a\",\"filename\":\"r8-map-id-1234567\",\"module\":\"a.c\",\"lineno\":1,\"index\":7}") },
	{ "a name nobody has means nothing", ASK(GOOD FRAMES(FRAME("a.b", "e", ",\"lineno\":1,\"filename\":\"r8-map-id-9999999\""))),
	  ONE(SHOP("spread", "1", "")) },
	{ "the whole hash for its beginning", ASK(",\"modules\":[" MODULE(JVM_OTHER, "proguard") "," MODULE(JVM_GOOD, "proguard") "]"
		FRAMES(FRAME("a.b", "e", ",\"lineno\":1,\"filename\":\"r8-map-id-ABCDEF1\""))),
	  ONE(SHOP("spread", "1", "")) },
	{ "a text", ASK(GOOD ",\"texts\":[\"x a.d: no\\r\\n  at a.b.c(SourceFile:1)\\n#00 pc 10 /lib.so (BuildId: abcd)\\nend\",\"\"]"),
	  "{\"status\":\"completed\",\"exceptions\":[],\"stacktraces\":[],\"classes\":{},\"errors\":[],\"texts\":[{\"text\":"
	  "\"x a.d: no\\n  at com.example.Shop.total(Shop.java:21)\\n  at com.example.Shop.checkout(Shop.java:40)\\n"
	  "#00 pc 10 /lib.so (BuildId: abcd)\\nend\\n\",\"stacktraces\":[{\"frames\":[{\"status\":\"missing\",\"original_index\":0,"
	  "\"addr_mode\":\"rel:0\",\"instruction_addr\":\"0x10\",\"adjust_instruction_addr\":false,\"package\":\"/lib.so\"}]}],"
	  "\"modules\":[{\"debug_status\":\"missing\",\"features\":{\"has_debug_info\":false,\"has_unwind_info\":false,"
	  "\"has_symbols\":false,\"has_sources\":false},\"arch\":\"unknown\",\"type\":\"elf\",\"code_id\":\"abcd\",\"code_file\":\"/lib.so\","
	  "\"debug_id\":\"0000cdab-0000-0000-0000-000000000000\",\"debug_file\":\"/lib.so\",\"image_addr\":\"0x0\"}]},{\"text\":\"\"}]}" },
	{ "lines of a source bundle", ASK(",\"modules\":[" MODULE(JVM_GOOD, "proguard") "," MODULE(JVM_BUNDLE, "source") "]"
					   CALLEE_FIRST FRAMES(FRAME("a.b", "c", ",\"lineno\":1,\"context_line\":\"mine\""))),
	  ONE("{\"function\":\"total\",\"filename\":\"Shop.java\",\"module\":\"com.example.Shop\",\"abs_path\":\"Shop.java\",\"lineno\":21,"
	      "\"pre_context\":[\"16\",\"17\",\"18\",\"19\",\"20\"],\"context_line\":\"total += price;\",\"post_context\":[\"22\"],\"index\":7},"
	      "{\"function\":\"checkout\",\"filename\":\"Shop.java\",\"module\":\"com.example.Shop\",\"abs_path\":\"Shop.java\",\"lineno\":40,"
	      "\"context_line\":\"mine\",\"index\":7}") },
	{ "or none", ASK(",\"modules\":[" MODULE(JVM_GOOD, "proguard") "," MODULE(JVM_BUNDLE, "source") "],"
			  "\"options\":{\"apply_source_context\":false}" FRAMES(FRAME("a.b", "e", ",\"lineno\":1"))),
	  ONE(SHOP("spread", "1", "")) },
	{ "of members given twice the last", ASK(GOOD FRAMES(FRAME("a.b", "c", ",\"lineno\":1,\"module\":\"q.q\",\"lineno\":null"))),
	  ONE(PLAIN("")) },
};

static void check_answer(const char *what, const char *body, const char *expected, unsigned waits,
			 unsigned damaged)
{
	struct err err = ERR_INIT;
	struct buf reply;
	int rc;

	buf_init(&reply, REPLY_BYTES);
	rc = jvm_answer_to(&fake_config, text_of(body), waits, damaged, &reply, &err);
	ck_assert_msg(rc == 0, "%s: %d %s", what, rc, err.text);
	ck_assert_msg(strcmp(buf_string(&reply), expected) == 0, "%s:\n%s\n%s", what, buf_string(&reply), expected);
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&reply);
}

START_TEST(answers_as_told)
{
	check_answer(answers[_i].what, answers[_i].body, answers[_i].reply, 0, 0);
}
END_TEST

/* Whatever has to be waited for, and whatever was damaged: the answer is the same. */
START_TEST(answers_the_same_when_cold)
{
	check_answer(answers[_i].what, answers[_i].body, answers[_i].reply, 2, 1);
}
END_TEST

/* POST /symbolicate-any has the same, and a member that says so. */
START_TEST(answers_the_same_as_any)
{
	const char *members = strchr(answers[_i].body, '{') + 1;
	struct err err = ERR_INIT;
	struct buf body, reply;

	buf_init(&body, REPLY_BYTES);
	buf_init(&reply, REPLY_BYTES);
	buf_printf(&body, "%.*s\"symbolicate\":{\"x\":[],\"type\":\"jvm\"},%s", (int)(members - answers[_i].body),
		   answers[_i].body, members);
	ck_assert_int_eq(jvm_answer_as(&request_kind_any, &fake_config, buf_text(&body), 1, 0, &reply, &err), 0);
	ck_assert_str_eq(buf_string(&reply), answers[_i].reply);
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&body);
	buf_release(&reply);
}
END_TEST

START_TEST(any_refuses_what_jvm_refuses)
{
	struct err err = ERR_INIT;
	struct buf reply;

	buf_init(&reply, REPLY_BYTES);
	ck_assert_int_eq(jvm_answer_as(&request_kind_any, &fake_config,
				       TEXT("{\"symbolicate\":{\"type\":\"jvm\"},\"modules\":[]}"), 0, 0, &reply, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_SHAPE);
	ck_assert_ptr_nonnull(strstr(err.text, "sources"));
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(jvm_answer_as(&request_kind_any, &fake_config,
				       TEXT("{\"symbolicate\":{\"type\":\"other\",\"storage_url\":\"u\"},\"sources\":[]}"), 0, 0, &reply, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "unknown variant `other`"));
	buf_release(&reply);
}
END_TEST

/* A cell that reads mappings has nothing to ask for, whatever it says. */
START_TEST(cells_of_any_ask_for_nothing)
{
	struct work work = { .kind = &request_kind_jvm };
	struct work_want want = { .role = TEXT("x") };
	struct err err = ERR_INIT;

	ck_assert_int_eq(request_kind_any.want(&work, &want, NULL, &err), RESOLVED_ERROR);
	ck_assert_int_eq(err.kind, ERR_UNSUPPORTED);
}
END_TEST

/* --- Refusals ---------------------------------------------------------------------------------- */

static const struct { const char *what, *body; enum err_kind kind; const char *text; } refused[] = {
	{ "no JSON", "{\"sources\":[}", ERR_BAD_REQUEST, "the body has no" },
	{ "something after it", "{\"sources\":[]} x", ERR_BAD_REQUEST, "end after its value" },
	{ "nothing", "", ERR_BAD_REQUEST, "the body" },
	{ "no UTF-8", "{\"sources\":[],\"classes\":[\"\xff\"]}", ERR_BAD_REQUEST, "no UTF-8" },
	{ "no object", "[]", ERR_BAD_SHAPE, "an object was expected" },
	{ "no sources", "{}", ERR_BAD_SHAPE, "missing field `sources`" },
	{ "null for an array", "{\"sources\":[],\"classes\":null}", ERR_BAD_SHAPE, "classes: an array" },
	{ "null for options", "{\"sources\":[],\"options\":null}", ERR_BAD_SHAPE, "options: an object" },
	{ "null in options", "{\"sources\":[],\"options\":{\"frame_order\":null}}", ERR_BAD_SHAPE, "options.frame_order" },
	{ "an unknown order", "{\"sources\":[],\"options\":{\"frame_order\":\"up\"}}", ERR_BAD_SHAPE, "options.frame_order: `callee_first`" },
	{ "a frame without class", "{\"sources\":[],\"stacktraces\":[{\"frames\":[{\"function\":\"a\",\"index\":0}]}]}",
	  ERR_BAD_SHAPE, "stacktraces[0].frames[0]: missing field `module`" },
	{ "a trace without frames", "{\"sources\":[],\"stacktraces\":[{\"frames\":[]},{}]}", ERR_BAD_SHAPE, "stacktraces[1]: missing field `frames`" },
	{ "null for a flag", ASK(FRAMES(FRAME("a", "b", ",\"method_synthesized\":null"))), ERR_BAD_SHAPE, "method_synthesized: true or false" },
	{ "a negative line", ASK(FRAMES(FRAME("a", "b", ",\"lineno\":-1"))), ERR_BAD_SHAPE, "stacktraces[0].frames[0].lineno" },
	{ "a line of 33 bits", ASK(FRAMES(FRAME("a", "b", ",\"lineno\":4294967296"))), ERR_BAD_SHAPE, "lineno" },
	{ "a broken line", ASK(FRAMES(FRAME("a", "b", ",\"lineno\":1.0"))), ERR_BAD_SHAPE, "lineno" },
	{ "an index of 65 bits", ASK(FRAMES(FRAME("a", "b", ",\"index\":18446744073709551616"))), ERR_BAD_SHAPE, "index" },
	{ "a module of another type", ASK(",\"modules\":[" MODULE(JVM_GOOD, "elf") "]"), ERR_BAD_SHAPE, "modules[0].type: `proguard`" },
	{ "a UUID that is none", ASK(",\"modules\":[" MODULE("12", "source") "]"), ERR_BAD_SHAPE, "modules[0].uuid: a debug id" },
	{ "an exception without module", ASK(",\"exceptions\":[{\"type\":\"a\"}]"), ERR_BAD_SHAPE, "exceptions[0]: missing field `module`" },
	{ "a source of no kind", "{\"sources\":[{\"type\":\"ftp\",\"id\":\"a\"}]}", ERR_BAD_SHAPE, "sources[0]" },
};

START_TEST(refuses)
{
	struct err err = ERR_INIT;
	struct buf reply;

	buf_init(&reply, REPLY_BYTES);
	ck_assert_msg(jvm_answer_to(&fake_config, text_of(refused[_i].body), 0, 0, &reply, &err) < 0, "%s: %s",
		      refused[_i].what, buf_string(&reply));
	ck_assert_msg(err.kind == refused[_i].kind && strstr(err.text, refused[_i].text), "%s: %d %s",
		      refused[_i].what, (int)err.kind, err.text);
	buf_release(&reply);
}
END_TEST

/* --- Too much ---------------------------------------------------------------------------------- */

/* A checked strstr() or memmem() looks at all that is left, each time. */
static size_t count_of(const struct buf *reply, const char *word)
{
	size_t count = 0, size = strlen(word);

	for (size_t i = 0; i + size <= reply->size; i++)
		count += reply->bytes[i] == word[0] && memcmp(reply->bytes + i, word, size) == 0;
	return count;
}

/* `count` frames of one method. */
static void ask_many(size_t count, const char *class_name, const char *method, struct buf *body)
{
	buf_init(body, REPLY_BYTES);
	buf_add_string(body, "{" JVM_SOURCES GOOD ",\"stacktraces\":[{\"frames\":[");
	for (size_t i = 0; i < count; i++)
		buf_printf(body, "%s{\"function\":\"%s\",\"module\":\"%s\",\"lineno\":1,\"index\":%zu}",
			   i ? "," : "", method, class_name, i);
	buf_add_string(body, "]}]}");
}

static void answer_many(size_t count, const char *class_name, const char *method, struct buf *reply)
{
	struct err err = ERR_INIT;
	struct buf body;

	ask_many(count, class_name, method, &body);
	buf_init(reply, REPLY_BYTES);
	ck_assert_msg(jvm_answer_to(&fake_config, buf_text(&body), 0, 0, reply, &err) == 0, "%s", err.text);
	buf_release(&body);
}

START_TEST(frames_that_become_very_many_are_bounded)
{
	struct buf reply;

	answer_many(100, "a.b", "f", &reply);
	ck_assert_uint_eq(count_of(&reply, "\"many\""), 100 * 2000);
	ck_assert_ptr_null(strstr(buf_string(&reply), "frames_omitted"));
	buf_release(&reply);
	answer_many(400, "a.b", "f", &reply);
	ck_assert_uint_eq(count_of(&reply, "\"many\""), 400 + LIMIT_JVM_EXTRA_FRAMES);
	ck_assert_ptr_nonnull(strstr(buf_string(&reply), "\"frames_omitted\":299600}"));
	buf_release(&reply);
}
END_TEST

START_TEST(frames_that_would_look_at_very_many_entries_are_left_alone)
{
	const size_t looked = LIMIT_JVM_ENTRIES / JVM_DEEP_ENTRIES + 1;
	struct buf reply;

	answer_many(looked, "a.e", "h", &reply);
	ck_assert_uint_eq(count_of(&reply, "\"com.example.Deep\""), looked);
	ck_assert_ptr_null(strstr(buf_string(&reply), "frames_left_alone"));
	buf_release(&reply);
	answer_many(looked + 3, "a.e", "h", &reply);
	ck_assert_uint_eq(count_of(&reply, "\"com.example.Deep\""), looked);
	ck_assert_uint_eq(count_of(&reply, "\"a.e\""), 3);
	ck_assert_ptr_nonnull(strstr(buf_string(&reply), "\"frames_left_alone\":3}"));
	buf_release(&reply);
}
END_TEST

START_TEST(a_million_frames)
{
	struct buf reply;

	answer_many(500000, "a.b", "e", &reply);
	ck_assert_uint_eq(count_of(&reply, "\"spread\""), 500000);
	buf_release(&reply);
}
END_TEST

/* More than one request may have is told so. */
START_TEST(a_request_has_its_ceiling)
{
	struct config config = fake_config;
	struct err err = ERR_INIT;
	struct buf body, reply;

	config.request_memory_bytes = 1 << 20;
	ask_many(10000, "a.b", "e", &body);
	buf_init(&reply, REPLY_BYTES);
	ck_assert_int_eq(jvm_answer_to(&config, buf_text(&body), 0, 0, &reply, &err), -1);
	ck_assert_int_eq(err.kind, ERR_TOO_LARGE);
	buf_release(&body);
	buf_release(&reply);
}
END_TEST

/* --- Damage ------------------------------------------------------------------------------------ */

START_TEST(survives_every_byte_change)
{
	body_damage_every_byte(answers[_i].body, LLVMFuzzerTestOneInput);
}
END_TEST

static int answer_work(void *payload, struct err *err)
{
	struct buf reply;
	int rc;

	buf_init(&reply, REPLY_BYTES);
	rc = jvm_answer_to(&fake_config, text_of(payload), 1, 1, &reply, err);
	buf_release(&reply);
	return rc < 0 ? -1 : 0;
}

START_TEST(survives_every_allocation_failure)
{
	struct err err = ERR_INIT;
	struct buf reply;

	buf_init(&reply, REPLY_BYTES);
	ck_assert_int_eq(jvm_answer_to(&fake_config, TEXT("{\"sources\":[]}"), 0, 0, &reply, &err), 0);
	buf_release(&reply);
	support_every_allocation_failure(answer_work, (void *)(uintptr_t)answers[_i].body, 1000);
	ck_assert_int_eq(fake_holds, 0);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
	Suite *suite = suite_create("jvm");
	TCase *tcase = tcase_create("jvm");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, answers_as_told, 0, COUNT(answers));
	tcase_add_loop_test(tcase, answers_the_same_when_cold, 0, COUNT(answers));
	tcase_add_loop_test(tcase, answers_the_same_as_any, 0, COUNT(answers));
	tcase_add_test(tcase, any_refuses_what_jvm_refuses);
	tcase_add_test(tcase, cells_of_any_ask_for_nothing);
	tcase_add_loop_test(tcase, refuses, 0, COUNT(refused));
	tcase_add_test(tcase, frames_that_become_very_many_are_bounded);
	tcase_add_test(tcase, frames_that_would_look_at_very_many_entries_are_left_alone);
	tcase_add_test(tcase, a_million_frames);
	tcase_add_test(tcase, a_request_has_its_ceiling);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, COUNT(answers));
	tcase_add_loop_test(tcase, survives_every_allocation_failure, 0, COUNT(answers));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
