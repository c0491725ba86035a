/*
 * page -- the views of the web page: facts in, a whole HTML document out.
 *
 * Every page is complete without JavaScript.  Links are relative, since the service may lie below
 * any path: `root` leads from the page back to where it lies.
 */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "base/html_writer.h"
#include "base/text.h"

/* What all pages have in common, and differs from one to the next. */
struct page_look {
	const char *root;            /* from this page's address to the service's: "", "../", "../../" */
	struct text title;           /* of the document, and its first heading */
	struct text person;          /* the operator who asks; TEXT_NONE: none does */
};

/* Doctype, head, the links above, and the beginning of <main> with the heading. */
void page_begin(struct html_writer *html, const struct page_look *look);
/* What page_begin() left open. */
void page_end(struct html_writer *html);

#endif
