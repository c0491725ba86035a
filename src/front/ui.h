/*
 * ui -- the web page's side of the front: what each of its replies says, and who may ask.
 *
 * A page is a reply like any: an endpoint begins it with ui_begin(), lets a view of src/page write, and
 * ends it with ui_end().  What nobody may read or do is told in words, never by an empty reply.
 *
 * Private to front.
 */
#ifndef FRONT_UI_H
#define FRONT_UI_H

#include <stdbool.h>

#include "page/page.h"

struct config;
struct err;
struct reply;
struct request;
struct worker;

#define UI_ROOT_BYTES 64u

/* Who asks below /ui/op/: the web server has asked for a password and says who it was. */
struct ui_visitor {
	struct text name;            /* REMOTE_USER; TEXT_NONE: anybody, and whoever is not below /ui/op/ */
	bool is_operator;            /* web.operators: sees and does everything */
	struct text scope;           /* in which what is dropped asks: of web.people, else web.scope */
	bool has_own_scope;          /* the former: sees what is of that scope */
};

/* Is it the page's: a path of its own, or "/" to be looked at?  That one alone is no page to clients
 * that say nothing of what they take: they are told 404, as they always were. */
bool ui_is_path(const struct request *request);
bool ui_is_served(const struct config *config, const struct request *request);

void ui_visitor_read(struct ui_visitor *visitor, const struct config *config, const struct request *request);

/* Before anything of its body is read: does it come from the page itself, and from somebody who may come in?
 * False: the reply says why not. */
bool ui_admits(const struct config *config, const struct request *request, struct reply *reply);
/* 403 in words: nobody comes in below /ui/op/, or not this one. */
void ui_closed(const struct request *request, const struct ui_visitor *visitor, struct reply *reply);

/* --- Replies ---------------------------------------------------------------------------------- */

struct ui_page {
	struct page_look look;
	struct html_writer html;
	char root[UI_ROOT_BYTES];
};

/* What every reply of the page says to browsers: no other site's scripts, frames, forms; not kept. */
void ui_headers(struct reply *reply);
/* The reply is a page of that status: its view writes to page->html, and page->look is what it looks like.
 * `title` stays as long. */
void ui_begin(struct ui_page *page, const struct request *request, const struct ui_visitor *visitor,
	      struct reply *reply, int status, struct text title);
/* A page that came out wrong or too large is a 500 in words. */
void ui_end(struct ui_page *page, const struct request *request, struct reply *reply);
/* A whole page of words. */
void ui_words(const struct request *request, struct reply *reply, int status, const char *title,
	      const char *words);
/* Unknown, deleted, expired: one and the same. */
void ui_not_found(const struct request *request, struct reply *reply);
/* What went wrong, by its kind. */
void ui_error(const struct request *request, struct reply *reply, const struct err *err);
/* 303: `path` from where the service lies ("ui/r/..."). */
void ui_see_other(const struct request *request, struct reply *reply, const char *path);

#endif
