/*
 * unescaped.c -- the page of a report as it would be if nothing were escaped.
 *
 *	unescaped <ANSWER.json >PAGE.html
 *
 * It is linked with a writer that escapes nothing: what the page's policy alone keeps from running is
 * tried with it in a browser (tests/service/test_browser.py).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "page/report.h"

#define ANSWER_BYTES ((size_t)1 << 20)

int main(void)
{
	struct page_look look = { .root = "../../", .title = TEXT_NONE, .person = TEXT_NONE };
	struct report_view view = { .id = TEXT("00000000-0000-0000-0000-000000000000") };
	struct html_writer html;
	struct err err = ERR_INIT;
	struct buf page;
	char *answer = malloc(ANSWER_BYTES);
	size_t size;

	if (!answer)
		return 1;
	size = fread(answer, 1, ANSWER_BYTES, stdin);
	buf_init(&page, REPORT_PAGE_BYTES_MAX);
	html_writer_init(&html, &page);
	if (page_report(&html, &look, &view, (struct text){ answer, size }, &err) < 0 || page.failed) {
		fprintf(stderr, "unescaped: %s\n", err.text);
		return 1;
	}
	fwrite(page.bytes, 1, page.size, stdout);
	buf_release(&page);
	free(answer);
	return 0;
}
