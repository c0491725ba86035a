/* test_html_writer.c -- markup comes from the writer alone, whatever the texts are. */
#include "base/html_writer.h"

#include <string.h>

#include "base/buf.h"
#include "support/support.h"

#define BYTES(literal) { (literal), sizeof(literal) - 1 }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct buf out;
static struct html_writer html;

static void fresh(void)
{
	buf_release(&out);
	buf_init(&out, 1 << 20);
	html_writer_init(&html, &out);
}

START_TEST(elements_nest_and_carry_attributes)
{
	fresh();
	html_doctype(&html);
	html_begin(&html, "ul");
	html_attribute_word(&html, "class", "frames");
	html_begin(&html, "li");
	html_attribute_u64(&html, "value", 7);
	html_flag(&html, "hidden");
	html_word(&html, "at ");
	html_hex(&html, 0x1f);
	html_void(&html, "br");
	html_u64(&html, 12);
	html_end(&html, "li");
	html_end(&html, "ul");
	html_element(&html, "p", NULL, TEXT(""));
	ck_assert_str_eq(buf_string(&out), "<!DOCTYPE html>\n<ul class=\"frames\"><li value=\"7\" hidden>at 0x1f"
			 "<br>12</li></ul><p></p>");
	ck_assert(!out.failed);
}
END_TEST

START_TEST(the_first_newline_of_preformatted_text_stays)
{
	fresh();
	html_element(&html, "pre", NULL, TEXT("\nline"));
	ck_assert_str_eq(buf_string(&out), "<pre>\n\nline</pre>");
}
END_TEST

START_TEST(texts_stay_texts)
{
	static const struct {
		struct text text;
		const char *written;
	} cases[] = {
		{ BYTES("</p><script>alert(1)</script>"),
		  "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;" },
		{ BYTES("\" onload='x'"), "&quot; onload=&#39;x&#39;" },
		{ BYTES("&amp;&lt;"), "&amp;amp;&amp;lt;" },
		{ BYTES("a\0b\x1b\x7f"), "a[U+0000]b[U+001B][U+007F]" },
		{ BYTES("tab\tline\n"), "tab\tline\n" },
		{ BYTES("\r"), "[U+000D]" },
		{ BYTES("\xe2\x80\xae" "cod.exe"), "[U+202E]cod.exe" },
		{ BYTES("\xe2\x81\xa6\xe2\x80\x8b\xef\xbb\xbf"), "[U+2066][U+200B][U+FEFF]" },
		{ BYTES("\xc2\x85\xc2\xad"), "[U+0085][U+00AD]" },
		{ BYTES("\xf3\xa0\x81\x81"), "[U+E0041]" },
		{ BYTES("\xef\xbf\xbe\xf4\x8f\xbf\xbf"), "[U+FFFE][U+10FFFF]" },
		{ BYTES("na\xc3\xafve \xf0\x9f\x92\xa5"), "na\xc3\xafve \xf0\x9f\x92\xa5" },
		{ BYTES("\xff\xc3"), "\xef\xbf\xbd\xef\xbf\xbd" },
		{ BYTES("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ BYTES("\xc0\xbc"), "\xef\xbf\xbd\xef\xbf\xbd" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		fresh();
		html_text(&html, cases[i].text);
		ck_assert_str_eq(buf_string(&out), cases[i].written);
		fresh();
		html_begin(&html, "a");
		html_attribute(&html, "title", cases[i].text);
		html_end(&html, "a");
		ck_assert_int_eq(strncmp(buf_string(&out) + strlen("<a title=\""), cases[i].written,
					 strlen(cases[i].written)), 0);
		ck_assert_str_eq(buf_string(&out) + strlen("<a title=\"") + strlen(cases[i].written), "\"></a>");
	}
}
END_TEST

START_TEST(addresses_are_of_the_web_only)
{
	static const char *const refused[] = {
		"javascript:alert(1)", " https://a/", "data:text/html,x", "JaVaScRiPt:x", "//host/x", "/x",
		"https:", "https://", "vbscript:x", "file:///etc", "", "\thttps://a",
	};
	static const char *const taken[] = { "https://a/b?c=\"d\"", "HTTP://a" };

	for (size_t i = 0; i < COUNT(refused); i++) {
		fresh();
		html_begin(&html, "a");
		ck_assert_msg(!html_address(&html, "href", text_of(refused[i])), "%s", refused[i]);
		html_end(&html, "a");
		ck_assert_str_eq(buf_string(&out), "<a></a>");
	}
	for (size_t i = 0; i < COUNT(taken); i++) {
		fresh();
		html_begin(&html, "a");
		ck_assert(html_address(&html, "href", text_of(taken[i])));
		html_end(&html, "a");
		ck_assert_ptr_nonnull(strstr(buf_string(&out), "href=\""));
	}
}
END_TEST

START_TEST(parts_of_links_are_percent_encoded)
{
	fresh();
	html_begin(&html, "a");
	html_value_begin(&html, "href");
	html_value_word(&html, "../r/");
	html_value_part(&html, (struct text)BYTES("a/b?c&d=\"<\x80\0"));
	html_value_word(&html, "/threads/");
	html_value_u64(&html, 3);
	html_value_end(&html);
	html_end(&html, "a");
	ck_assert_str_eq(buf_string(&out), "<a href=\"../r/a%2Fb%3Fc%26d%3D%22%3C%80%00/threads/3\"></a>");
}
END_TEST

/* A page that was put together wrongly is not sent. */
START_TEST(wrong_markup_fails_the_buf)
{
	fresh();
	html_begin(&html, "p");
	html_end(&html, "div");
	ck_assert(out.failed);
	fresh();
	html_end(&html, "p");
	ck_assert(out.failed);
	fresh();
	html_begin(&html, "p");
	html_word(&html, "x");
	html_attribute_word(&html, "class", "late");
	ck_assert(out.failed);
	fresh();
	html_begin(&html, "a");
	html_value_begin(&html, "href");
	html_end(&html, "a");
	ck_assert(out.failed);
	fresh();
	for (unsigned i = 0; i < HTML_DEPTH_MAX; i++)
		html_begin(&html, "i");
	ck_assert(!out.failed);
	html_begin(&html, "i");
	ck_assert(out.failed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("html_writer");
	TCase *tcase = tcase_create("html_writer");

	tcase_add_test(tcase, elements_nest_and_carry_attributes);
	tcase_add_test(tcase, the_first_newline_of_preformatted_text_stays);
	tcase_add_test(tcase, texts_stay_texts);
	tcase_add_test(tcase, addresses_are_of_the_web_only);
	tcase_add_test(tcase, parts_of_links_are_percent_encoded);
	tcase_add_test(tcase, wrong_markup_fails_the_buf);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
