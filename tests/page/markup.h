/*
 * markup -- what a browser would make of a page of ours: its elements and the names of their attributes.
 */
#ifndef TESTS_PAGE_MARKUP_H
#define TESTS_PAGE_MARKUP_H

#include <stdbool.h>

#include "base/text.h"

struct buf;

/* The tree, one tag a line: "a href class", "/a".  False: the page is not written as ours are: a tag that
 * is not ended or ends another, an attribute without quotes, an id that comes twice, a character that has to
 * be a reference; `trouble` says what. */
bool markup_read(struct text page, struct buf *tree, const char **trouble);

#endif
