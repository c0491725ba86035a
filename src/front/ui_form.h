/*
 * ui_form -- a form of the web page: its fields, once it is known to be from there.
 *
 * Private to front.
 */
#ifndef FRONT_UI_FORM_H
#define FRONT_UI_FORM_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

struct cJSON;
struct reply;
struct request;
struct ui_visitor;
struct worker;

struct ui_form {
	struct arena arena;          /* owns the fields */
	struct cJSON *fields;
};

/* Of a request whose route takes TAKES_PAGE_FORM.  False: the reply says why not (its token is of
 * another action, or too old), and nothing is to be released. */
bool ui_form_open(struct ui_form *form, struct worker *worker, const struct request *request,
		  const struct ui_visitor *visitor, const char *action, struct reply *reply);
void ui_form_release(struct ui_form *form);
/* Without the blanks around it; empty: it is not there. */
struct text ui_form_field(const struct ui_form *form, const char *name);

#endif
