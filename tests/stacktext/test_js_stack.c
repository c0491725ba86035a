/* test_js_stack -- stacks of JavaScript as engines write them, and the request made of them. */
#include "support/support.h"

#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "stacktext/js_stack.h"

static const struct { const char *what, *line, *function, *url; uint32_t number, column; } lines[] = {
	{ "V8", "    at pay (https://shop.example/a.min.js:1:2034)", "pay", "https://shop.example/a.min.js", 1, 2034 },
	{ "V8 without a function", "    at https://shop.example/a.min.js:1:99\r", NULL, "https://shop.example/a.min.js", 1, 99 },
	{ "V8, async", "at async Shop.pay (file:///a.js:3:4)", "Shop.pay", "file:///a.js", 3, 4 },
	{ "V8, a method's other name", "at Cart.pay [as buy] (/srv/a.js:3:4)", "Cart.pay [as buy]", "/srv/a.js", 3, 4 },
	{ "V8, eval", "at f (eval at g (https://a/b.js:1:2), <anonymous>:1:1)", "f", "https://a/b.js", 1, 2 },
	{ "Firefox", "pay@https://shop.example/a.min.js:1:2034", "pay", "https://shop.example/a.min.js", 1, 2034 },
	{ "Firefox without a function", "@https://shop.example/a.min.js:1:99", NULL, "https://shop.example/a.min.js", 1, 99 },
	{ "a package's scope", "pay@https://cdn.example/@shop/a.js:1:9", "pay", "https://cdn.example/@shop/a.js", 1, 9 },
	{ "a line and no column", "pay@https://a/b.js:7", "pay", "https://a/b.js", 7, 0 },
	{ "Hermes", "at pay (address at index.android.bundle:1:2034)", "pay", "index.android.bundle", 1, 2034 },
	{ "behind a bar", "web-1  |     at pay (/srv/a.js:10:3)", "pay", "/srv/a.js", 10, 3 },
	{ "in a container's log", "2024-01-02T03:04:05.678Z stderr F     at pay (/srv/a.js:10:3)", "pay", "/srv/a.js", 10, 3 },
	{ "an error", "TypeError: x is not a function", NULL, NULL, 0, 0 },
	{ "native code", "    at Array.map (<anonymous>)", NULL, NULL, 0, 0 },
	{ "a number too large", "at f (a.js:99999999999:1)", "f", "a.js:99999999999", 1, 0 },
	{ "nothing", "", NULL, NULL, 0, 0 },
};

START_TEST(lines_are_read)
{
	struct js_stack_frame frame;
	bool is_frame = js_stack_line(text_of(lines[_i].line), &frame);

	ck_assert_msg(is_frame == (lines[_i].url != NULL), "%s", lines[_i].what);
	if (!is_frame)
		return;
	ck_assert_msg(text_is(frame.url, lines[_i].url), "%s: %.*s", lines[_i].what, (int)frame.url.size, frame.url.bytes);
	ck_assert_msg(lines[_i].function ? text_is(frame.function, lines[_i].function) : !frame.function.bytes, "%s",
		      lines[_i].what);
	ck_assert_msg(frame.line == lines[_i].number && frame.column == lines[_i].column, "%s", lines[_i].what);
}
END_TEST

START_TEST(a_request_is_made)
{
	struct err err = ERR_INIT;
	struct buf out;
	size_t count;

	buf_init(&out, 4096);
	ck_assert_int_eq(js_stack_write_frames(TEXT("Error: \"x\"\n    at p\"y (https://a/b.js:1:2)\n@https://a/c.js:3\n"), &out,
					       &count, &err), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert_str_eq(buf_string(&out), "[{\"frames\":[{\"abs_path\":\"https://a/b.js\",\"function\":\"p\\\"y\",\"lineno\":1,"
			 "\"colno\":2},{\"abs_path\":\"https://a/c.js\",\"lineno\":3}]}]");
	buf_release(&out);
	buf_init(&out, 16);
	ck_assert_int_lt(js_stack_write_frames(TEXT("at f (https://a/b.js:1:2)\n"), &out, &count, &err), 0);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	buf_release(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("js_stack");
	TCase *tcase = tcase_create("js_stack");

	tcase_add_loop_test(tcase, lines_are_read, 0, (int)(sizeof(lines) / sizeof(lines[0])));
	tcase_add_test(tcase, a_request_is_made);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
