/* test_log.c -- one line per event, whatever is in it. */
#include "base/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TIME_CHARACTERS 20u      /* "2026-01-02T03:04:05Z" */

static char path[64];
static struct buf lines;

static void start(enum log_level level, enum log_format format)
{
	snprintf(path, sizeof(path), "test-log-%ld.log", (long)getpid());
	unlink(path);
	ck_assert_int_eq(log_open(path, level, format), 0);
}

static const char *read_log(void)
{
	struct err err = ERR_INIT;

	buf_release(&lines);
	buf_init(&lines, 1 << 26);
	ck_assert_int_eq(file_read_all(path, 1 << 26, &lines, &err), 0);
	return buf_string(&lines);
}

static void stop(void)
{
	log_open(NULL, LOG_INFO, LOG_KEYVALUE);
	unlink(path);
}

static const struct {
	const char *what, *value, *keyvalue, *json;
} values[] = {
	{ "plain", "abc/1.so", "abc/1.so", "\"abc/1.so\"" },
	{ "empty", "", "\"\"", "\"\"" },
	{ "blank", "a b", "\"a b\"", "\"a b\"" },
	{ "equals", "a=b", "\"a=b\"", "\"a=b\"" },
	{ "quote", "a\"b", "\"a\\\"b\"", "\"a\\\"b\"" },
	{ "backslash", "a\\b", "\"a\\\\b\"", "\"a\\\\b\"" },
	{ "line end", "a\nb", "\"a\\nb\"", "\"a\\nb\"" },
	{ "carriage return", "a\rb", "\"a\\x0db\"", "\"a\\u000db\"" },
	{ "escape", "\x1b[31m", "\"\\x1b[31m\"", "\"\\u001b[31m\"" },
	{ "delete", "a\x7f", "\"a\\x7f\"", "\"a\\u007f\"" },
	{ "UTF-8", "gr\xc3\xbcn", "\"gr\xc3\xbcn\"", "\"gr\xc3\xbcn\"" },
	{ "high control", "a\xc2\x9b" "b", "\"a\\xc2\\x9bb\"", "\"a\\u009bb\"" },
	{ "not UTF-8", "a\xff" "b", "\"a\\xffb\"", "\"a\\ufffdb\"" },
	{ "cut UTF-8", "a\xe2\x82", "\"a\\xe2\\x82\"", "\"a\\ufffd\"" },
};

START_TEST(escapes_values)
{
	for (size_t i = 0; i < COUNT(values); i++) {
		struct log_field fields[] = { { "none", NULL }, { "k", values[i].value } };
		char expected[256];

		start(LOG_INFO, LOG_KEYVALUE);
		log_event(LOG_INFO, "seen", fields, 2);
		snprintf(expected, sizeof(expected), " info seen k=%s\n", values[i].keyvalue);
		ck_assert_str_eq(read_log() + TIME_CHARACTERS, expected);
		stop();

		start(LOG_INFO, LOG_JSON);
		log_event(LOG_WARN, "seen", fields, 2);
		snprintf(expected, sizeof(expected),
			 "\",\"level\":\"warn\",\"event\":\"seen\",\"k\":%s}\n", values[i].json);
		ck_assert_int_eq(strncmp(read_log(), "{\"time\":\"", 9), 0);
		ck_assert_str_eq(buf_string(&lines) + 9 + TIME_CHARACTERS, expected);
		stop();
	}
}
END_TEST

START_TEST(messages_name_their_request)
{
	start(LOG_DEBUG, LOG_KEYVALUE);
	log_message(LOG_ERROR, "failed", "id-1", "reading %s: %d", "x", 5);
	ck_assert_str_eq(read_log() + TIME_CHARACTERS,
			 " error failed request=id-1 message=\"reading x: 5\"\n");
	log_message(LOG_DEBUG, "odd event\n", NULL, "%s", "ok");
	ck_assert_ptr_nonnull(strstr(read_log(), " debug odd_event_ message=ok\n"));
	stop();
}
END_TEST

START_TEST(writes_no_more_than_wanted)
{
	for (int level = LOG_OFF; level < LOG_LEVELS; level++) {
		size_t count = 0;

		start((enum log_level)level, LOG_KEYVALUE);
		for (int i = LOG_OFF; i < LOG_LEVELS; i++) {
			ck_assert_int_eq(log_wants((enum log_level)i), i && i <= level);
			log_event((enum log_level)i, "x", NULL, 0);
		}
		for (const char *at = read_log(); *at; at++)
			count += *at == '\n';
		ck_assert_uint_eq(count, (size_t)level);
		stop();
	}
}
END_TEST

/* A value of any length and any kind leaves one line, whole, with its end. */
START_TEST(cuts_long_lines)
{
	static const char *const fillers[] = { "a", "\n", "\xff", "\xe2\x82\xac", "\"" };

	for (size_t i = 0; i < COUNT(fillers); i++) {
		for (int format = LOG_KEYVALUE; format <= LOG_JSON; format++) {
			struct log_field fields[5];
			struct buf value;
			const char *line;

			buf_init(&value, 1 << 16);
			for (int n = 0; n < 3000; n++)
				buf_add_string(&value, fillers[i]);
			for (size_t n = 0; n < COUNT(fields); n++)
				fields[n] = (struct log_field){ "k", buf_string(&value) };
			start(LOG_INFO, (enum log_format)format);
			log_event(LOG_INFO, "long", fields, COUNT(fields));
			line = read_log();
			ck_assert_uint_le(lines.size, 8192);
			ck_assert_ptr_eq(strchr(line, '\n'), line + lines.size - 1);
			ck_assert(text_ends_with(buf_text(&lines), format == LOG_JSON
						 ? "\",\"cut\":true}\n" : " cut=true\n"));
			buf_release(&value);
			stop();
		}
	}
}
END_TEST

START_TEST(needs_no_memory)
{
	start(LOG_INFO, LOG_KEYVALUE);
	atomic_store(&mem_fail_after, 0);
	log_message(LOG_INFO, "still", NULL, "here");
	atomic_store(&mem_fail_after, -1);
	ck_assert_ptr_nonnull(strstr(read_log(), "message=here"));
	stop();
}
END_TEST

START_TEST(opens_again_after_the_file_was_moved)
{
	char moved[80];
	int before;

	start(LOG_INFO, LOG_KEYVALUE);
	before = log_descriptor();
	log_event(LOG_INFO, "first", NULL, 0);
	snprintf(moved, sizeof(moved), "%s.1", path);
	ck_assert_int_eq(rename(path, moved), 0);
	log_event(LOG_INFO, "second", NULL, 0);
	log_reopen();
	ck_assert_int_eq(log_descriptor(), before);
	ck_assert_int_eq(fcntl(before, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	log_event(LOG_INFO, "third", NULL, 0);
	ck_assert_ptr_nonnull(strstr(read_log(), "third"));
	ck_assert_ptr_null(strstr(buf_string(&lines), "second"));
	unlink(moved);
	stop();
	log_reopen();
	ck_assert_int_eq(log_descriptor(), STDERR_FILENO);
}
END_TEST

static void *chatter(void *payload)
{
	for (int i = 0; i < 500; i++)
		log_message(LOG_INFO, "chat", payload, "%0200d", i);
	return NULL;
}

START_TEST(threads_do_not_mix_lines)
{
	pthread_t threads[4];
	size_t count = 0;

	start(LOG_INFO, LOG_KEYVALUE);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, chatter, "me"), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (const char *at = read_log(); *at; count++) {
		const char *end = strchr(at, '\n');

		ck_assert_ptr_nonnull(end);
		ck_assert_int_eq(end - at, TIME_CHARACTERS + 30 + 200);
		at = end + 1;
	}
	ck_assert_uint_eq(count, 2000);
	stop();
}
END_TEST

START_TEST(knows_levels_by_name)
{
	for (int i = LOG_OFF; i < LOG_LEVELS; i++) {
		enum log_level level = LOG_OFF;

		ck_assert(log_level_named(log_level_name((enum log_level)i), &level));
		ck_assert_int_eq(level, i);
	}
	ck_assert(log_level_named("WARN", &(enum log_level){ LOG_OFF }));
	ck_assert(!log_level_named("loud", &(enum log_level){ LOG_OFF }));
	ck_assert_int_eq(log_open("no-such-folder/log", LOG_INFO, LOG_JSON), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/log");
	TCase *tcase = tcase_create("log");

	tcase_add_test(tcase, escapes_values);
	tcase_add_test(tcase, messages_name_their_request);
	tcase_add_test(tcase, writes_no_more_than_wanted);
	tcase_add_test(tcase, cuts_long_lines);
	tcase_add_test(tcase, needs_no_memory);
	tcase_add_test(tcase, opens_again_after_the_file_was_moved);
	tcase_add_test(tcase, threads_do_not_mix_lines);
	tcase_add_test(tcase, knows_levels_by_name);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
