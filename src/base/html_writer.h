/*
 * html_writer -- HTML and SVG into a buf: the only way markup is written.
 *
 * Names of elements and attributes are ours and written as they are; whatever else there is, text
 * and values alike, may come from a hostile file.  It never ends what it stands in, and never adds
 * an element: markup characters become references, what is no UTF-8 U+FFFD, and characters that
 * would be obeyed instead of seen (controls, marks of writing direction) their code point in
 * brackets: [U+202E].  (HTML Living Standard, 13.1 "Writing HTML documents")
 */
#ifndef BASE_HTML_WRITER_H
#define BASE_HTML_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct buf;

#define HTML_DEPTH_MAX 64u

struct html_writer {
	struct buf *out;
	const char *open[HTML_DEPTH_MAX];    /* the elements begun and not ended, outermost first */
	unsigned depth;
	bool in_tag;                         /* of the last one: attributes may follow */
	bool in_value;                       /* between html_value_begin() and html_value_end() */
};

void html_writer_init(struct html_writer *html, struct buf *out);
/* <!DOCTYPE html> */
void html_doctype(struct html_writer *html);

/* --- Elements ------------------------------------------------------------------------------ */

void html_begin(struct html_writer *html, const char *element);
/* Ends the one begun last: named for the reader, and because a wrong name fails the buf. */
void html_end(struct html_writer *html, const char *element);
/* An element that has no content and no end ("input", "meta", "link", "br"). */
void html_void(struct html_writer *html, const char *element);
/* An element of that class with nothing but text in it; class NULL: none. */
void html_element(struct html_writer *html, const char *element, const char *class, struct text text);

/* --- Attributes: right after html_begin() or html_void() ------------------------------------- */

void html_attribute(struct html_writer *html, const char *name, struct text value);
/* Words of our own. */
void html_attribute_word(struct html_writer *html, const char *name, const char *value);
void html_attribute_u64(struct html_writer *html, const char *name, uint64_t value);
/* Without a value: "open", "required". */
void html_flag(struct html_writer *html, const char *name);
/* An address from outside; anything but http and https is left out, and false returned. */
bool html_address(struct html_writer *html, const char *name, struct text url);

/* A value put together: a link of ours ("../r/" ID "/threads/" N). */
void html_value_begin(struct html_writer *html, const char *name);
void html_value(struct html_writer *html, struct text text);
void html_value_word(struct html_writer *html, const char *word);
void html_value_u64(struct html_writer *html, uint64_t number);
/* As one part of a path or of a query: all but unreserved characters as %XX (RFC 3986, 2.3). */
void html_value_part(struct html_writer *html, struct text text);
void html_value_end(struct html_writer *html);

/* --- Text ------------------------------------------------------------------------------------ */

void html_text(struct html_writer *html, struct text text);
/* Words of our own. */
void html_word(struct html_writer *html, const char *word);
void html_u64(struct html_writer *html, uint64_t number);
/* "0x1f" */
void html_hex(struct html_writer *html, uint64_t number);
void html_printf(struct html_writer *html, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
