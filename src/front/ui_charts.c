/* ui_charts.c -- see ui_charts.h. */
#include "front/ui_charts.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "front/front_internal.h"
#include "front/ui.h"
#include "page/chart.h"
#include "page/live.h"

#define SAMPLES_BYTES ((size_t)32 << 20)     /* of as many nodes as are shown */

static const struct chart_span *span_of(const struct request *request)
{
	return text_starts_with(request->query, "span=")
	       ? chart_span_find(text_from(request->query, sizeof("span=") - 1)) : chart_span_find(TEXT_NONE);
}

static int read_samples(const struct worker *worker, const struct chart_span *span, struct arena *arena,
			struct history_list *list, struct err *err)
{
	const struct history_range range = history_range_until(clock_unix_seconds(), span->step, span->points);

	return history_read(worker->store, &range, arena, list, err);
}

void ui_charts_page(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		    struct reply *reply)
{
	const struct live_view view = { .store = worker->store, .config = worker->front->config, .own = TEXT_NONE };
	const struct chart_span *span = span_of(request);
	struct err err = ERR_INIT;
	struct history_list list;
	struct ui_page page;
	struct arena arena;

	arena_init(&arena, SAMPLES_BYTES);
	if (read_samples(worker, span, &arena, &list, &err) < 0) {
		ui_error(request, reply, &err);
	} else {
		ui_begin(&page, request, visitor, reply, 200, TEXT("Charts"));
		page_charts_page(&page.html, &page.look, &view, span, &list);
		ui_end(&page, request, reply);
	}
	arena_release(&arena);
}

void ui_charts_json(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		    struct reply *reply)
{
	const struct chart_span *span = span_of(request);
	struct err err = ERR_INIT;
	struct history_list list;
	struct arena arena;

	(void)visitor;
	arena_init(&arena, SAMPLES_BYTES);
	if (read_samples(worker, span, &arena, &list, &err) < 0)
		reply_error(reply, &err);
	else
		page_charts_json(reply_json(reply), span, &list);
	ui_headers(reply);
	arena_release(&arena);
}
