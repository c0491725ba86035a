/*
 * report -- the page of one answer: what happened, the stacks, the modules, and why a frame has no name.
 *
 * The answer is the JSON of any kind of request, as it was stored: native stacks, crash files, texts,
 * JavaScript, Java, Mozilla's API.  The JSON is ours and its strings are anybody's.  A page is bounded
 * by counts, never by what strings hold: hostile names make the elements harmless ones of their length
 * make.
 *
 * Classes, for who writes the style:
 *	dl.facts  p.problem  p.advice  ul.remarks  nav.pages (links to what comes before and after)
 *	section.thread (.crashed)  details.thread  ol.frames > li (.unnamed)  code.function
 *	span.place  span.where  span.trust (.doubtful)  span.reason
 *	details.inlines > ol > li  details.context > pre > mark  details.copy > pre[data-copy]
 *	dl.registers > div  div.scroll > table.modules > tr (.bad .good .unused)  td.ids  td.status
 *	details.candidates > ul > li  table.errors
 */
#ifndef PAGE_REPORT_H
#define PAGE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page/page.h"

struct err;

/* Room for what a page may take; pages of ordinary reports have some 100 KB. */
#define REPORT_PAGE_BYTES_MAX ((size_t)64 << 20)

struct report_view {
	struct text id;              /* the job's, as in the page's address */
	struct text kind;            /* what was asked: "minidump"; TEXT_NONE: not said */
	bool is_caller_first;        /* frames are, where the answer does not tell */
	bool is_thread;              /* the page of one thread, ui/r/ID/threads/N, */
	size_t thread;               /* of this N */
	size_t frames_from, threads_from, modules_from;      /* the query's from, threads and modules */
	int64_t kept_until;          /* Unix seconds; 0: not said */
	struct text token;           /* for the form that deletes it; TEXT_NONE: there is none */
};

/* "from=200&threads=50": into the view; what is none of it is left alone. */
void report_view_read(struct report_view *view, struct text query);

/* A whole document.  The title is look->title, or says what happened where that is TEXT_NONE.
 * ERR_NOT_FOUND: the answer has no such thread; then nothing was written. */
int page_report(struct html_writer *html, const struct page_look *look, const struct report_view *view,
		struct text result_json, struct err *err) __attribute__((warn_unused_result));

#endif
