/* report_links.c -- links from a report's page to others of the same report. */
#include "page/report_page.h"

void report_links_begin(struct report_page *page, const char *path, const char *more)
{
	html_begin(page->html, "a");
	html_value_begin(page->html, "href");
	html_value_word(page->html, page->look->root);
	html_value_word(page->html, path);
	html_value_part(page->html, page->report->view->id);
	html_value_word(page->html, more);
}

static bool is_on_this_page(const struct report_page *page, size_t row)
{
	const struct report_view *view = page->report->view;

	return !view->is_thread && row >= view->modules_from && row - view->modules_from < REPORT_PAGE_MODULES;
}

void report_links_module(struct report_page *page, size_t module, const char *class)
{
	struct html_writer *html = page->html;
	size_t row = page->report->rank[module];

	if (page->report->view->is_thread) {
		report_links_begin(page, "ui/r/", "");
	} else {
		html_begin(html, "a");
		html_value_begin(html, "href");
	}
	if (!is_on_this_page(page, row)) {
		html_value_word(html, "?modules=");
		html_value_u64(html, row - row % REPORT_PAGE_MODULES);
	}
	html_value_word(html, "#m");
	html_value_u64(html, module);
	html_value_end(html);
	if (class)
		html_attribute_word(html, "class", class);
}

void report_links_thread(struct report_page *page, size_t thread, size_t from)
{
	report_links_begin(page, "ui/r/", "/threads/");
	html_value_u64(page->html, thread);
	if (from) {
		html_value_word(page->html, "?from=");
		html_value_u64(page->html, from);
	}
	html_value_end(page->html);
}

void report_links_threads(struct report_page *page, size_t from)
{
	report_links_begin(page, "ui/r/", "?threads=");
	html_value_u64(page->html, from);
	html_value_word(page->html, "#threads");
	html_value_end(page->html);
}

void report_links_modules(struct report_page *page, size_t from)
{
	report_links_begin(page, "ui/r/", "?modules=");
	html_value_u64(page->html, from);
	html_value_word(page->html, "#modules");
	html_value_end(page->html);
}
