/*
 * ui_operators.c -- /ui/op/...: what only people see and do who are named in the configuration.
 *
 * One table, a row for each page and each thing that is done; forms are known to be from here before
 * any of it is asked (ui_admits()).
 */
#include "front/front_internal.h"
#include "front/ui.h"
#include "front/ui_charts.h"
#include "front/ui_drop.h"
#include "front/ui_form.h"
#include "front/ui_live.h"

typedef void ui_operators_fn(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
			     struct reply *reply);

/* --- drop ------------------------------------------------------------------------------------------- */

static void answer_drop_page(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
			     struct reply *reply)
{
	struct ui_drop drop;
	struct ui_page page;

	ui_drop_offer(&drop, worker->front, visitor, "drop");
	ui_begin(&page, request, visitor, reply, 200, visitor->has_own_scope ? TEXT("Drop into your scope") : TEXT("Drop"));
	page_person(&page.html, &page.look, &drop.offer);
	ui_end(&page, request, reply);
}

static void take_drop(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		      struct reply *reply)
{
	ui_drop_take(worker, request, visitor, reply);
}

/* --- The table --------------------------------------------------------------------------------------- */

static const struct {
	enum method method;          /* METHOD_GET answers HEAD too */
	const char *path;            /* behind /ui/op/ */
	bool is_for_operators;       /* people with a scope of their own may not */
	ui_operators_fn *answer;
} pages[] = {
	{ METHOD_GET,  "drop", false, answer_drop_page },
	{ METHOD_POST, "drop", false, take_drop },
	{ METHOD_GET,  "charts", true, ui_charts_page },
	{ METHOD_GET,  "charts.json", true, ui_charts_json },
	{ METHOD_POST, "failures", true, ui_live_do },
};

static void answer_page(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
			struct reply *reply)
{
	enum method method = request->method == METHOD_HEAD ? METHOD_GET : request->method;

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		if (pages[i].method != method || !text_is(request->rest, pages[i].path))
			continue;
		if (pages[i].is_for_operators && !visitor->is_operator)
			ui_closed(request, visitor, reply);
		else
			pages[i].answer(worker, request, visitor, reply);
		return;
	}
	if (method == METHOD_GET && ui_live_answer(worker, request, visitor, reply))
		return;
	ui_words(request, reply, 404, "Not here", "There is no page at this address.");
}

void answer_ui_operators(struct worker *worker, struct request *request, struct reply *reply)
{
	struct ui_visitor visitor;

	ui_visitor_read(&visitor, worker->front->config, request);
	if (visitor.is_operator || visitor.has_own_scope)
		answer_page(worker, request, &visitor, reply);
	else
		ui_closed(request, &visitor, reply);
}
