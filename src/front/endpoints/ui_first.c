/* ui_first.c -- GET /: the first page. */
#include "base/clock.h"
#include "front/front_internal.h"
#include "front/ui.h"
#include "front/ui_drop.h"

void answer_ui_first(struct worker *worker, struct request *request, struct reply *reply)
{
	struct ui_visitor visitor;
	struct ui_drop drop;
	struct ui_page page;

	ui_visitor_read(&visitor, worker->front->config, request);
	ui_drop_offer(&drop, worker->front, &visitor, "ui/submit");
	ui_begin(&page, request, &visitor, reply, 200, TEXT("What crashed?"));
	page_first(&page.html, &page.look, &drop.offer);
	ui_end(&page, request, reply);
}
