/*
 * fuzz_report.c -- the JSON of an answer as its page, whole and of one thread, in both orders of frames.
 *
 * Whatever the answer says, the page is one a browser reads as we wrote it.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "page/markup.h"
#include "page/report.h"

#define FROM 3u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void show(struct text json, const struct report_view *view)
{
	const struct page_look look = { .root = "../../" };
	struct html_writer html;
	struct err err = ERR_INIT;
	struct buf page, tree;
	const char *trouble;

	buf_init(&page, REPORT_PAGE_BYTES_MAX);
	buf_init(&tree, REPORT_PAGE_BYTES_MAX);
	html_writer_init(&html, &page);
	if (page_report(&html, &look, view, json, &err) == 0) {
		if (!markup_read(buf_text(&page), &tree, &trouble))
			abort();
	} else if (err.kind != ERR_NOT_FOUND) {
		abort();
	}
	buf_release(&page);
	buf_release(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct text json = { (const char *)bytes, size };

	show(json, &(struct report_view){ .id = TEXT("id"), .token = TEXT("token") });
	show(json, &(struct report_view){ .id = TEXT("id"), .is_caller_first = true, .modules_from = FROM,
					  .threads_from = FROM });
	show(json, &(struct report_view){ .id = TEXT("id"), .is_thread = true, .frames_from = FROM });
	return 0;
}
