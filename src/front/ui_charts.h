/*
 * ui_charts -- what was counted over time, for operators: a page below /ui/op/, and the same as JSON.
 *
 * Private to front.
 */
#ifndef FRONT_UI_CHARTS_H
#define FRONT_UI_CHARTS_H

struct reply;
struct request;
struct ui_visitor;
struct worker;

void ui_charts_page(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		    struct reply *reply);
void ui_charts_json(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		    struct reply *reply);

#endif
