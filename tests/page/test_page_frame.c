/* test_page_frame.c -- what stands around each page. */
#include "page/page.h"

#include <string.h>

#include "base/buf.h"
#include "support/support.h"

START_TEST(a_page_is_whole_and_its_links_relative)
{
	struct page_look look = { .root = "../../", .title = TEXT("a <b> & c"), .person = TEXT("o'hara") };
	struct html_writer html;
	struct buf out;

	buf_init(&out, 1 << 16);
	html_writer_init(&html, &out);
	page_begin(&html, &look);
	page_end(&html);
	ck_assert(!out.failed);
	ck_assert_uint_eq(html.depth, 0);
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "<title>a &lt;b&gt; &amp; c - symgate</title>"));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "href=\"../../ui/op/\""));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "<span class=\"person\">o&#39;hara</span>"));
	ck_assert_ptr_null(strstr(buf_string(&out), "href=\"/"));
	buf_release(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("page_frame");
	TCase *tcase = tcase_create("page_frame");

	tcase_add_test(tcase, a_page_is_whole_and_its_links_relative);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
