/* ui_static.c -- GET /ui/static/NAME.HASH.EXT: what pages look like, and their script. */
#include "front/front_internal.h"
#include "front/ui.h"
#include "page/page_asset.h"

static void keep(void *payload)
{
	(void)payload;                       /* it is part of the program */
}

/* Its name changes with what is in it: whoever has it needs never ask again. */
void answer_ui_static(struct worker *worker, struct request *request, struct reply *reply)
{
	const struct page_asset *asset = page_asset_named(request->rest);

	(void)worker;
	if (!asset) {
		ui_not_found(request, reply);
		return;
	}
	reply_bytes(reply, asset->type, asset->bytes, keep, NULL);
	ui_headers(reply);
	reply_header(reply, "Cache-Control", "public, max-age=31536000, immutable");
	reply_validators(reply, asset->hash, 0);
}
