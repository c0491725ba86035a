/* report.c -- see report.h. */
#include "page/report.h"

#include "base/buf.h"
#include "page/report_page.h"

#define CONTEXTS_OF_REPORT 40u
#define CONTEXTS_OF_THREAD 1000u
#define FOLDED_FRAMES_ALL 500u

/* --- The query --------------------------------------------------------------------------------- */

void report_view_read(struct report_view *view, struct text query)
{
	uint64_t number;

	while (query.size > 0) {
		struct text value = text_cut(&query, '&'), name = text_cut(&value, '=');

		if (!text_to_u64(value, 10, &number) || number > SIZE_MAX)
			continue;
		if (text_is(name, "from"))
			view->frames_from = (size_t)number;
		else if (text_is(name, "threads"))
			view->threads_from = (size_t)number;
		else if (text_is(name, "modules"))
			view->modules_from = (size_t)number;
	}
}

/* --- The page ------------------------------------------------------------------------------------ */

static void write_json_link(struct report_page *page)
{
	html_begin(page->html, "p");
	report_links_begin(page, "ui/r/", ".json");
	html_value_end(page->html);
	html_word(page->html, "The answer as JSON");
	html_end(page->html, "a");
	html_end(page->html, "p");
}

static void write_deletion(struct report_page *page)
{
	const struct report_view *view = page->report->view;

	if (view->token.bytes)
		page_deletion_form(page->html, page->look, view->id, view->token, "Delete this report");
}

static void write_report(struct report_page *page)
{
	report_facts_write(page);
	report_threads_write(page);
	report_table_modules(page);
	report_table_errors(page);
	write_json_link(page);
	write_deletion(page);
}

static void write_page(struct report_page *page)
{
	const struct report_view *view = page->report->view;

	page_begin(page->html, page->look);
	if (view->is_thread)
		report_threads_write_one(page, view->thread);
	else
		write_report(page);
	page_end(page->html);
}

static int check(const struct report *report, const struct html_writer *html, struct err *err)
{
	if (report->json.no_memory)
		return err_set(err, report->arena.is_full ? ERR_LIMIT : ERR_NO_MEMORY,
			       "no memory for what a report says");
	return buf_check(html->out, err);
}

static int write_checked(struct html_writer *html, const struct page_look *look, struct report *report,
			 struct err *err)
{
	const struct report_view *view = report->view;
	struct page_look mine = *look;
	struct report_page page = {
		.html = html, .report = report, .look = &mine, .folded_left = FOLDED_FRAMES_ALL,
		.contexts_left = view->is_thread ? CONTEXTS_OF_THREAD : CONTEXTS_OF_REPORT,
		.candidates_left = REPORT_PAGE_CANDIDATES,
	};

	if (view->is_thread && view->thread >= report->thread_count)
		return err_set(err, ERR_NOT_FOUND, "the report has %zu threads, and none of number %zu",
			       report->thread_count, view->thread);
	if (!mine.title.bytes)
		mine.title = report_facts_title(report);
	write_page(&page);
	return check(report, html, err);
}

int page_report(struct html_writer *html, const struct page_look *look, const struct report_view *view,
		struct text result_json, struct err *err)
{
	struct report report;
	int rc = report_read(&report, view, result_json, err);

	if (rc == 0)
		rc = write_checked(html, look, &report, err);
	report_release(&report);
	return rc;
}
