/*
 * ui_drop -- something is dropped on the page: what is offered for it, and the job it becomes.
 *
 * Private to front.
 */
#ifndef FRONT_UI_DROP_H
#define FRONT_UI_DROP_H

#include "front/ui_token.h"
#include "page/page.h"

struct front;
struct reply;
struct request;
struct ui_visitor;
struct worker;

#define UI_SOURCES_MAX 256u

struct ui_drop {
	struct page_drop offer;
	char token[UI_TOKEN_BYTES];
	struct text sources[UI_SOURCES_MAX];
};

/* For a form whose action is that address. */
void ui_drop_offer(struct ui_drop *drop, const struct front *front, const struct ui_visitor *visitor,
		   const char *action);
/* Makes a job of what came with the request, in the visitor's scope, and sends him to its report. */
void ui_drop_take(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		  struct reply *reply);

#endif
