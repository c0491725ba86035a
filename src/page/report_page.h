/*
 * report_page.h -- what the parts of a report's page share.
 */
#ifndef PAGE_REPORT_PAGE_H
#define PAGE_REPORT_PAGE_H

#include "page/report_frame.h"
#include "page/report_modules.h"
#include "page/report_read.h"

#define REPORT_PAGE_FRAMES 200u      /* of one thread */
#define REPORT_PAGE_THREADS 200u
#define REPORT_PAGE_MODULES 100u
#define REPORT_PAGE_CANDIDATES 240u  /* of all modules of a page */

struct report_page {
	struct html_writer *html;
	struct report *report;
	const struct page_look *look;
	size_t contexts_left;        /* frames that may still show their source */
	size_t folded_left;          /* frames that folded threads may still show */
	size_t candidates_left;
	bool is_brief;               /* of a folded thread: words that its own page has are left out */
};

/* Some frames of a thread, whole calls. */
struct report_window { size_t from, to; };

/* --- Links: report_links.c --------------------------------------------------------------------- */

/* The value of an href is begun; end it with html_value_end(). */
void report_links_begin(struct report_page *page, const char *path, const char *more);
/* <a href=...> to the row of a module, which is not ended. */
void report_links_module(struct report_page *page, size_t module, const char *class);
void report_links_thread(struct report_page *page, size_t thread, size_t from);
void report_links_threads(struct report_page *page, size_t from);
void report_links_modules(struct report_page *page, size_t from);

/* --- Frames: report_calls.c ---------------------------------------------------------------------- */

struct report_window report_calls_window(const struct report *report, const struct report_thread *thread,
					 size_t from, size_t most);
/* <ol> of calls, with what was inlined into each folded; is_open: the first call's is not. */
void report_calls_write(struct report_page *page, const struct report_thread *thread, struct report_window window,
			bool is_open);

/* --- The rest -------------------------------------------------------------------------------------- */

void report_copy_write(struct report_page *page, const struct report_thread *thread, struct report_window window);
void report_facts_write(struct report_page *page);
/* What happened, for a heading; in the arena. */
struct text report_facts_title(struct report *report);
void report_threads_write(struct report_page *page);
void report_threads_write_one(struct report_page *page, size_t thread);
void report_table_modules(struct report_page *page);
void report_table_errors(struct report_page *page);

#endif
