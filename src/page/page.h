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

/* The form in which something is dropped, and what it offers. */
struct page_drop {
	const char *action;          /* where it goes, from this page */
	struct text token;           /* it comes from us */
	struct text_list sources;    /* ids of the configured ones */
	struct text scope;           /* in which it asks: told to people by name */
};

/* A report that is not there yet. */
struct page_wait {
	struct text link;            /* from its page to itself */
	struct text id;
	struct text token;           /* for the form that cancels it; TEXT_NONE: there is none */
};

/* Doctype, head, the links above, and the beginning of <main> with the heading. */
void page_begin(struct html_writer *html, const struct page_look *look);
/* What page_begin() left open. */
void page_end(struct html_writer *html);

/* --- Whole pages ------------------------------------------------------------------------------- */

/* The first one. */
void page_first(struct html_writer *html, const struct page_look *look, const struct page_drop *drop);
/* The same for somebody who drops into a scope of his own. */
void page_person(struct html_writer *html, const struct page_look *look, const struct page_drop *drop);
/* Nobody is let in below /ui/op/, or not this one: how that is changed. */
void page_closed(struct html_writer *html, const struct page_look *look);
/* It takes longer: how to look again. */
void page_waiting(struct html_writer *html, const struct page_look *look, const struct page_wait *wait);

/* --- Parts -------------------------------------------------------------------------------------- */

void page_drop_form(struct html_writer *html, const struct page_drop *drop);
/* The button with which whoever has a report's id deletes it, as far as it is made. */
void page_deletion_form(struct html_writer *html, const struct page_look *look, struct text id,
			struct text token, const char *words);
/* A field nobody sees. */
void page_hidden_field(struct html_writer *html, const char *name, struct text value);

#endif
