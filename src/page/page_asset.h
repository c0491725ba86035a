/*
 * page_asset -- style and script of the pages, as they stand in the program (assets.awk).
 */
#ifndef PAGE_PAGE_ASSET_H
#define PAGE_PAGE_ASSET_H

#include "base/text.h"

struct page_asset {
	const char *file;            /* "page.css" */
	const char *name;            /* "page.HASH.css", of what is in it */
	const char *hash;
	const char *type;
	struct text bytes;
};

/* By name, hash and all; NULL: it is none, or of another build. */
const struct page_asset *page_asset_named(struct text name);
/* By the file it was made of, which is there. */
const struct page_asset *page_asset_of(const char *file);

#endif
