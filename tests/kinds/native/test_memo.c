/* test_memo.c -- remembered plans: the same answers and keys as without, apart and bounded. */
#include "support/support.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/arch.h"
#include "base/guard.h"
#include "base/mem.h"
#include "kinds/native/fake.h"
#include "kinds/kinds.h"
#include "lookup/plan_memo.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MEMO_SLOTS 4096
#define MISSES_SINCE 1800000000

#define BODY(sources, module) "{\"sources\":[" sources "],\"modules\":[{" module "," \
	"\"image_addr\":\"0x10000\",\"image_size\":4096}],\"stacktraces\":[{\"frames\":[" \
	"{\"instruction_addr\":\"0x10110\"}]}],\"options\":{\"dif_candidates\":true}}"
#define HTTP(rest) "{\"type\":\"http\",\"id\":\"one\",\"url\":\"http://h/a/\"" rest "}"
#define MODULE "\"type\":\"elf\",\"code_id\":\"abcdef01\",\"code_file\":\"/bin/x\""

/* Each differs from the first in one thing that locations or keys are made from. */
static const struct { const char *what, *scope, *body; } requests[] = {
	{ "the first", NULL, BODY(HTTP(""), MODULE) },
	{ "another scope", "a", BODY(HTTP(""), MODULE) },
	{ "a scope without a name", "", BODY(HTTP(""), MODULE) },
	{ "a public source", "a", BODY(HTTP(",\"is_public\":true"), MODULE) },
	{ "another layout", NULL, BODY(HTTP(",\"layout\":{\"type\":\"unified\"}"), MODULE) },
	{ "another casing", NULL, BODY(HTTP(",\"layout\":{\"casing\":\"uppercase\"}"), MODULE) },
	{ "a filter", NULL, BODY(HTTP(",\"filters\":{\"filetypes\":[\"elf_debug\"]}"), MODULE) },
	{ "another filter", NULL, BODY(HTTP(",\"filters\":{\"filetypes\":[\"elf_code\"]}"), MODULE) },
	{ "credentials", NULL, BODY(HTTP(",\"headers\":{\"x\":\"1\"}"), MODULE) },
	{ "the source twice", NULL, BODY(HTTP("") "," HTTP(""), MODULE) },
	{ "another id", NULL, BODY("{\"type\":\"http\",\"id\":\"two\",\"url\":\"http://h/a/\"}", MODULE) },
	{ "another address", NULL,
	  BODY("{\"type\":\"http\",\"id\":\"one\",\"url\":\"http://h/b/\"}", MODULE) },
	{ "another kind", NULL,
	  BODY("{\"type\":\"filesystem\",\"id\":\"one\",\"path\":\"/h/a\"}", MODULE) },
	{ "no source", NULL, BODY("", MODULE) },
	{ "another type", NULL, BODY(HTTP(""), "\"type\":\"macho\",\"code_id\":\"abcdef01\"") },
	{ "another code id", NULL, BODY(HTTP(""), "\"type\":\"elf\",\"code_id\":\"abcdef02\"") },
	{ "a debug id", NULL, BODY(HTTP(""), MODULE ",\"debug_file\":\"x\","
				   "\"debug_id\":\"c2b1a001-e4d3-06f5-1728-394a5b6c7d8e\"") },
	{ "its age", NULL, BODY(HTTP(""), MODULE ",\"debug_file\":\"x\","
				"\"debug_id\":\"c2b1a001-e4d3-06f5-1728-394a5b6c7d8e-1\"") },
	{ "another debug file", NULL, BODY(HTTP(""), MODULE ",\"debug_file\":\"y\","
					   "\"debug_id\":\"c2b1a001-e4d3-06f5-1728-394a5b6c7d8e\"") },
	{ "another code file", NULL, BODY(HTTP(""), "\"type\":\"elf\",\"code_id\":\"abcdef01\","
					 "\"code_file\":\"/bin/y\"") },
};

static struct buf symcache;

/* What is asked for, and what the keys say for people; a text that is not there is no empty one. */
static _Thread_local struct buf described;
static _Thread_local enum resolved (*fake_entry)(struct resolver *resolver, const struct derive *derive,
				   struct cache_found *found, struct err *err);

static enum resolved describing_entry(struct resolver *resolver, const struct derive *derive,
				      struct cache_found *found, struct err *err)
{
	const struct cache_key *key = &derive->key;
	const struct text texts[] = { key->scope, key->module, key->code_id, key->debug_file, key->code_file,
				      key->source };
	char id[DEBUGID_TEXT_BYTES] = "";

	if (key->debug_id.kind != DEBUGID_NIL)
		debugid_format(&key->debug_id, id);
	buf_printf(&described, "%d %d %lld %s", (int)key->kind, (int)derive->object_key.kind,
		   (long long)derive->misses_since, id);
	for (size_t i = 0; i < COUNT(texts); i++) {
		buf_add_string(&described, texts[i].bytes ? " =" : " -");
		buf_add_text(&described, texts[i]);
	}
	buf_add_char(&described, '\n');
	return fake_entry(resolver, derive, found, err);
}

static int answer(struct plan_memo *memo, struct text scope, const char *body, struct buf *reply,
		  struct err *err)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "f01.debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_object_meta, "/debuginfo", ERR_NONE, TEXT(FAKE_META_SYMBOLS), 0, 0 },
		{ &derived_symcache, "", ERR_NONE, buf_text(&symcache), 0, 0 },
	};
	struct fake_resolver fake;
	struct work work;
	int rc = -1;

	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.resolver.memo = memo;
	fake_entry = fake.resolver.entry;
	fake.resolver.entry = describing_entry;
	buf_init(&described, 1 << 20);
	if (work_init(&work, &request_kind_symbolicate, &fake_config, NULL, scope, err) < 0)
		goto done;
	work.misses_since = MISSES_SINCE;
	if (fake_parse(&work, text_of(body), err) == 0 &&
	    work.kind->step(&work, &fake.resolver, err) == STEP_DONE)
		rc = work.kind->answer(&work, reply, err);
	buf_add_char(reply, '\n');           /* the key is part of what has to be the same */
	buf_add_text(reply, fake.last_symcache_key);
	buf_add_text(reply, buf_text(&described));
	work_release(&work);
done:
	buf_release(&described);
	return rc;
}

static void expect_same(struct plan_memo *memo, size_t index)
{
	struct text scope = text_of(requests[index].scope);
	struct err err = ERR_INIT;
	struct buf with, without;

	buf_init(&with, 1 << 20);
	buf_init(&without, 1 << 20);
	ck_assert_msg(answer(NULL, scope, requests[index].body, &without, &err) == 0 &&
		      answer(memo, scope, requests[index].body, &with, &err) == 0, "%s: %s",
		      requests[index].what, err.text);
	ck_assert_msg(text_equal(buf_text(&with), buf_text(&without)), "%s: %s, not %s",
		      requests[index].what, buf_string(&with), buf_string(&without));
	buf_release(&with);
	buf_release(&without);
}

static struct plan_memo *begin(void)
{
	ck_assert_int_eq(guard_install(), 0);
	buf_init(&symcache, 1 << 20);
	fake_symcache(&symcache, ARCH_X86_64);
	return plan_memo_new();
}

static void end(struct plan_memo *memo)
{
	plan_memo_free(memo);
	buf_release(&symcache);
	ck_assert_int_eq(mem_live, 0);
}

START_TEST(answers_as_without)
{
	struct plan_memo *memo = begin();

	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < COUNT(requests); i++)
			expect_same(memo, i);
	end(memo);
}
END_TEST

START_TEST(remembers)
{
	struct plan_memo *memo = begin();
	long before, after;

	expect_same(memo, 0);
	before = mem_live;
	expect_same(memo, 0);
	ck_assert_int_eq(mem_live, before);
	expect_same(memo, 1);
	after = mem_live;
	ck_assert_int_gt(after, before);
	end(memo);
}
END_TEST

START_TEST(is_bounded)
{
	struct plan_memo *memo = begin();
	struct err err = ERR_INIT;
	struct buf reply;
	char body[1024];

	buf_init(&reply, 1 << 20);
	for (unsigned i = 0; i < 3 * MEMO_SLOTS; i++) {
		snprintf(body, sizeof(body), BODY(HTTP(""), "\"type\":\"elf\",\"code_id\":\"%08x\""),
			 i);
		buf_clear(&reply);
		ck_assert_int_eq(answer(memo, TEXT_NONE, body, &reply, &err), 0);
	}
	buf_release(&reply);
	ck_assert_int_le(mem_live, MEMO_SLOTS + 2);
	end(memo);
}
END_TEST

static void *answer_often(void *memo)
{
	for (int round = 0; round < 200; round++)
		for (size_t i = 0; i < COUNT(requests); i++) {
			struct err err = ERR_INIT;
			struct buf reply;

			buf_init(&reply, 1 << 20);
			ck_assert_int_eq(answer(memo, text_of(requests[i].scope), requests[i].body,
						&reply, &err), 0);
			buf_release(&reply);
		}
	return NULL;
}

/* fake_holds is no atomic, so nobody looks at it here. */
START_TEST(serves_threads)
{
	struct plan_memo *memo = begin();
	pthread_t threads[4];

	for (size_t i = 0; i < COUNT(threads); i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, answer_often, memo), 0);
	for (size_t i = 0; i < COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < COUNT(requests); i++)
		expect_same(memo, i);
	end(memo);
}
END_TEST

/* Twice with one memo: what could not be remembered is planned again. */
static int answer_twice(void *payload, struct err *err)
{
	struct plan_memo *memo = plan_memo_new();
	struct buf reply;
	int rc = -1;

	(void)payload;
	buf_init(&reply, 1 << 20);
	if (!memo) {
		err_set(err, ERR_NO_MEMORY, "no memo");
	} else if (answer(memo, TEXT("a"), requests[0].body, &reply, err) == 0) {
		buf_clear(&reply);
		rc = answer(memo, TEXT("a"), requests[0].body, &reply, err);
	}
	buf_release(&reply);
	plan_memo_free(memo);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct plan_memo *memo = begin();

	plan_memo_free(memo);
	support_every_allocation_failure(answer_twice, NULL, 2000);
	end(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbolicate memo");
	TCase *tests = tcase_create("memo");

	tcase_add_test(tests, answers_as_without);
	tcase_add_test(tests, remembers);
	tcase_add_test(tests, is_bounded);
	tcase_add_test(tests, serves_threads);
	tcase_add_test(tests, survives_every_allocation_failure);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
