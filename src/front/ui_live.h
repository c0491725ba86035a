/*
 * ui_live -- the service's tables below /ui/op/, and what operators do about their rows.
 *
 * Private to front.
 */
#ifndef FRONT_UI_LIVE_H
#define FRONT_UI_LIVE_H

#include <stdbool.h>

struct reply;
struct request;
struct ui_visitor;
struct worker;

/* Is it the address of a table, or of the page above them, or of one of these as JSON?  Then the
 * reply is it. */
bool ui_live_answer(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		    struct reply *reply);
/* Forgets the failure that the form names, or drops the entry. */
void ui_live_do(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		struct reply *reply);

#endif
