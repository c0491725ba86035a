/* page_asset.c -- see page_asset.h. */
#include "page/page_asset.h"

#include "page/assets.h"

#define ASSETS (sizeof(page_assets) / sizeof(page_assets[0]))

const struct page_asset *page_asset_named(struct text name)
{
	for (size_t i = 0; i < ASSETS; i++)
		if (text_is(name, page_assets[i].name))
			return &page_assets[i];
	return NULL;
}

const struct page_asset *page_asset_of(const char *file)
{
	size_t at = 0;

	while (at < ASSETS - 1 && strcmp(page_assets[at].file, file) != 0)
		at++;
	return &page_assets[at];
}
