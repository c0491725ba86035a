/*
 * ui_drop_request -- what was dropped as what an endpoint takes: the fields beside a file, or the JSON of a
 * request around a text.
 *
 * Private to front.
 */
#ifndef FRONT_UI_DROP_REQUEST_H
#define FRONT_UI_DROP_REQUEST_H

#include "base/text.h"

struct buf;
struct err;
struct source_list;
struct ui_form;

/* What people said of it. */
struct ui_drop_said {
	struct text platform, release, mapping;      /* empty: nothing */
	struct text sources;         /* ids, a line each; empty: all of them */
	const struct source_list *all;
};

void ui_drop_said_read(struct ui_drop_said *said, const struct ui_form *form, const struct source_list *all);

/* Of a form with a file: each of its fields is JSON by itself. */
void ui_drop_fields(const struct ui_drop_said *said, struct buf *out);
/* POST /symbolicate-jvm and /symbolicate-js of a text.  ERR_BAD_REQUEST: there is no frame in it. */
int  ui_drop_jvm(const struct ui_drop_said *said, struct text text, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));
int  ui_drop_js(const struct ui_drop_said *said, struct text text, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));

#endif
