/* test_answer_head.c -- what is said of an answer before its bytes: written, read, refused, torn. */
#include <string.h>

#include "base/buf.h"
#include "support/support.h"
#include "work/answer_head.h"

#define HASH "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
#define WHOLE "Status: 404\nContent-Type: text/plain\nEntry: objects " HASH "\nX-Size: 16824\nX-None: \n\n"

static const char *text_copy(struct text text)
{
	return support_printf("%.*s", (int)text.size, text.bytes);
}

static void fill(struct answer_head *head)
{
	struct err err = ERR_INIT;

	answer_head_init(head);
	head->status = 404;
	head->content_type = TEXT("text/plain");
	head->is_entry = true;
	head->entry_kind = CACHE_OBJECTS;
	for (size_t i = 0; i < sizeof(head->entry_hash); i++)
		head->entry_hash[i] = (uint8_t)(ascii_hex_value(HASH[2 * i]) << 4 |
						ascii_hex_value(HASH[2 * i + 1]));
	ck_assert_int_eq(answer_head_add(head, TEXT("X-Size"), TEXT("16824"), &err), 0);
	ck_assert_int_eq(answer_head_add(head, TEXT("X-None"), TEXT(""), &err), 0);
}

START_TEST(is_written_as_lines_and_read_again)
{
	struct answer_head head;
	struct err err = ERR_INIT;
	struct buf out;
	size_t size;

	fill(&head);
	buf_init(&out, 65536);
	ck_assert_msg(answer_head_write(&head, &out, &err) == 0, "%s", err.text);
	ck_assert_str_eq(buf_string(&out), WHOLE);
	buf_add_string(&out, "the bytes\n\nStatus: 200\n\n");
	ck_assert_msg(answer_head_read(&head, buf_text(&out), &size, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(size, sizeof(WHOLE) - 1);
	ck_assert_int_eq(head.status, 404);
	ck_assert_str_eq(text_copy(head.content_type), "text/plain");
	ck_assert(head.is_entry && head.entry_kind == CACHE_OBJECTS);
	ck_assert_uint_eq(head.entry_hash[0], 0x9f);
	ck_assert_uint_eq(head.entry_hash[sizeof(head.entry_hash) - 1], 0x08);
	ck_assert_uint_eq(head.header_count, 2);
	ck_assert_str_eq(text_copy(head.headers[0].name), "X-Size");
	ck_assert_str_eq(text_copy(head.headers[0].value), "16824");
	ck_assert_uint_eq(head.headers[1].value.size, 0);
	buf_release(&out);
}
END_TEST

/* --- What is read ------------------------------------------------------------------------------- */

static const struct { const char *what, *bytes; size_t size; const char *text; } cases[] = {
	{ "JSON", "{\"status\":\"completed\"}", 0, NULL },
	{ "nothing", "", 0, NULL },
	{ "less than its first word", "Status", 0, NULL },
	{ "its status alone", "Status: 204\n\n", 13, NULL },
	{ "the lowest", "Status: 200\n\n", 13, NULL },
	{ "the highest", "Status: 599\n\n", 13, NULL },
	{ "a colon in a value", "Status: 200\nX-A: b: c\n\nrest", 23, NULL },
	{ "below the lowest", "Status: 199\n\n", 0, "the head of a result: no status" },
	{ "above the highest", "Status: 600\n\n", 0, "the head of a result: no status" },
	{ "no number", "Status: ok\n\n", 0, "the head of a result: no status" },
	{ "a file and what is asked of it",
	  "Status: 200\nFile: /a b/c\nSize-As: X-Size\nAt-Most: 10\nDated: yes\n\n", 65, NULL },
	{ "no size", "Status: 200\nAt-Most: ten\n\n", 0, "the head of a result: no size" },
	{ "no status after the word", "Status: ", 0, "the head of a result: it does not end" },
	{ "no end", "Status: 200\nX-A: b\n", 0, "the head of a result: it does not end" },
	{ "no line's end", "Status: 200\nX-A: b", 0, "the head of a result: it does not end" },
	{ "a word", "Status: 200\nword\n\n", 0, "the head of a result: a line without a name" },
	{ "no blank", "Status: 200\nX-A:b\n\n", 0, "the head of a result: a line without a name" },
	{ "a name alone", "Status: 200\nX-A:\n\n", 0, "the head of a result: a line without a name" },
	{ "no hash", "Status: 200\nEntry: objects\n\n", 0, "the head of a result: no entry" },
	{ "a short hash", "Status: 200\nEntry: objects 00\n\n", 0, "the head of a result: no entry" },
	{ "another kind", "Status: 200\nEntry: nothing " HASH "\n\n", 0, "the head of a result: no entry" },
	{ "no digit", "Status: 200\nEntry: objects "
	  "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a0g\n\n", 0,
	  "the head of a result: no hash" },
	{ "nine headers", "Status: 200\na: \nb: \nc: \nd: \ne: \nf: \ng: \nh: \ni: \n\n", 0,
	  "more than 8 headers of an answer" },
};

START_TEST(reads)
{
	struct answer_head head;
	struct err err = ERR_INIT;
	size_t size = 1;
	int rc = answer_head_read(&head, text_of(cases[_i].bytes), &size, &err);

	if (cases[_i].text) {
		ck_assert_int_eq(rc, -1);
		ck_assert_str_eq(err.text, cases[_i].text);
	} else {
		ck_assert_msg(rc == 0, "%s: %s", cases[_i].what, err.text);
		ck_assert_uint_eq(size, cases[_i].size);
	}
}
END_TEST

/* Every change costs the head or a word of it; what is read lies in the bytes. */
static void read_torn(void *payload, const uint8_t *bytes, size_t size)
{
	const char *begin = (const char *)bytes, *end = begin + size;
	struct answer_head head;
	struct err err = ERR_INIT;
	size_t head_size;

	(void)payload;
	if (answer_head_read(&head, (struct text){ begin, size }, &head_size, &err) < 0) {
		ck_assert(err.kind == ERR_MALFORMED || err.kind == ERR_LIMIT);
		return;
	}
	ck_assert_uint_le(head_size, size);
	ck_assert(head.status >= 200 && head.status <= 599);
	ck_assert_uint_le(head.header_count, ANSWER_HEADERS_MAX);
	ck_assert(!head.is_entry || head.entry_kind < CACHE_KINDS);
	for (size_t i = 0; i < head.header_count; i++) {
		ck_assert(head.headers[i].name.bytes >= begin && head.headers[i].name.bytes < end);
		ck_assert(head.headers[i].value.bytes + head.headers[i].value.size <= end);
	}
}

START_TEST(survives_every_change)
{
	support_every_byte_change((const uint8_t *)WHOLE, sizeof(WHOLE) - 1, read_torn, NULL);
}
END_TEST

/* --- What may be written ------------------------------------------------------------------------ */

/* A head whose lines are so many bytes in all. */
static int write_of_size(size_t bytes, struct buf *out, struct err *err)
{
	static char value[ANSWER_HEAD_BYTES + 1];
	struct answer_head head;
	size_t others = strlen("Status: 200\nContent-Type: application/json\nX-A: \n\n");

	memset(value, 'v', sizeof(value));
	answer_head_init(&head);
	ck_assert_int_eq(answer_head_add(&head, TEXT("X-A"), (struct text){ value, bytes - others }, err), 0);
	return answer_head_write(&head, out, err);
}

START_TEST(what_can_be_written_can_be_read)
{
	struct answer_head head;
	struct err err = ERR_INIT;
	struct buf out;
	size_t size;

	buf_init(&out, 65536);
	ck_assert_int_eq(write_of_size(ANSWER_HEAD_BYTES, &out, &err), 0);
	ck_assert_uint_eq(out.size, ANSWER_HEAD_BYTES);
	ck_assert_int_eq(answer_head_read(&head, buf_text(&out), &size, &err), 0);
	ck_assert_uint_eq(size, ANSWER_HEAD_BYTES);
	buf_clear(&out);
	ck_assert_int_eq(write_of_size(ANSWER_HEAD_BYTES + 1, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_str_eq(err.text, "4097 bytes of headers (at most 4096)");
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(answer_head_read(&head, buf_text(&out), &size, &err), -1);
	ck_assert_str_eq(err.text, "the head of a result: it does not end");
	buf_release(&out);
}
END_TEST

START_TEST(a_value_ends_no_line)
{
	static const char *const values[] = { "a\nStatus: 500", "a\r\nSet-Cookie: b", "\n", "a\tb" };
	struct answer_head head;
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, 65536);
	answer_head_init(&head);
	ck_assert_int_eq(answer_head_add(&head, TEXT("X-A"), text_of(values[_i]), &err), 0);
	ck_assert_int_eq(answer_head_write(&head, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_INTERNAL);
	ck_assert_str_eq(err.text, "a line in the header X-A");
	answer_head_init(&head);
	head.content_type = text_of(values[_i]);
	ck_assert_int_eq(answer_head_write(&head, &out, &err), -1);
	buf_release(&out);
}
END_TEST

START_TEST(headers_have_an_end)
{
	struct answer_head head;
	struct err err = ERR_INIT;

	answer_head_init(&head);
	for (unsigned i = 0; i < ANSWER_HEADERS_MAX; i++)
		ck_assert_int_eq(answer_head_add(&head, TEXT("X-A"), TEXT("b"), &err), 0);
	ck_assert_int_eq(answer_head_add(&head, TEXT("X-A"), TEXT("b"), &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_uint_eq(head.header_count, ANSWER_HEADERS_MAX);
}
END_TEST

static int write_once(void *payload, struct err *err)
{
	struct answer_head head;
	struct buf out;
	int rc;

	(void)payload;
	fill(&head);
	buf_init(&out, 65536);
	rc = answer_head_write(&head, &out, err);
	buf_release(&out);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(write_once, NULL, 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("answer_head");
	TCase *tcase = tcase_create("answer_head");

	tcase_add_test(tcase, is_written_as_lines_and_read_again);
	tcase_add_loop_test(tcase, reads, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tcase, survives_every_change);
	tcase_add_test(tcase, what_can_be_written_can_be_read);
	tcase_add_loop_test(tcase, a_value_ends_no_line, 0, 4);
	tcase_add_test(tcase, headers_have_an_end);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
