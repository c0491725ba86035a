/* ui.c -- see ui.h. */
#include "front/ui.h"

#include <stdio.h>

#include "base/err.h"
#include "config/config.h"
#include "front/front_internal.h"

#define PATH_BYTES 256u

static bool is_to_be_looked_at(const struct request *request)
{
	return request->method == METHOD_GET || request->method == METHOD_HEAD;
}

bool ui_is_path(const struct request *request)
{
	return text_starts_with(request->path, "/ui/") ||
	       (text_is(request->path, "/") && is_to_be_looked_at(request));
}

/* Every browser says what it takes, and so does curl; probes that say nothing want a status, and "/" was
 * 404 for them before there was a page (tests/service/test_ui.py: root_without_accept_is_404). */
bool ui_is_served(const struct config *config, const struct request *request)
{
	if (!config->web_enabled)
		return false;
	return !text_is(request->path, "/") || request_variable(request, "HTTP_ACCEPT").size > 0;
}

/* REMOTE_USER is the web server's word; what a client calls so arrives as HTTP_REMOTE_USER.  Elsewhere than
 * below /ui/op/ nobody was asked for a password, so there it counts for nothing. */
void ui_visitor_read(struct ui_visitor *visitor, const struct config *config, const struct request *request)
{
	struct text name = request_variable(request, "REMOTE_USER");
	const char *scope = NULL;

	*visitor = (struct ui_visitor){ .scope = text_of(config->web_scope) };
	if (!text_starts_with(request->path, "/ui/op/") || name.size == 0)
		return;
	visitor->name = name;
	visitor->is_operator = config_is_operator(config, name);
	scope = config_scope_of_person(config, name);
	visitor->has_own_scope = scope != NULL;
	if (scope)
		visitor->scope = text_of(scope);
}

/* --- Replies ---------------------------------------------------------------------------------- */

void ui_headers(struct reply *reply)
{
	static const struct reply_header headers[] = {
		{ "Content-Security-Policy",
		  /* data: for the icon, which stands in the page */
		  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
		  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
		  "require-trusted-types-for 'script'; trusted-types 'none'" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Referrer-Policy", "no-referrer" },
		{ "X-Robots-Tag", "noindex" },
		{ "Cache-Control", "no-store" },
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		reply_header(reply, headers[i].name, headers[i].value);
}

/* As many levels up as the path has below where the service lies. */
static void write_root(char root[UI_ROOT_BYTES], struct text path)
{
	size_t size = 0;

	for (size_t i = 1; i < path.size; i++)
		if (path.bytes[i] == '/' && size + sizeof("../") <= UI_ROOT_BYTES)
			size += (size_t)snprintf(root + size, UI_ROOT_BYTES - size, "../");
	root[size] = '\0';
}

void ui_begin(struct ui_page *page, const struct request *request, const struct ui_visitor *visitor,
	      struct reply *reply, int status, struct text title)
{
	struct buf *out = reply_json(reply);

	reply->status = status;
	reply->content_type = "text/html; charset=utf-8";
	ui_headers(reply);
	write_root(page->root, request->path);
	page->look = (struct page_look){ .root = page->root, .title = title,
					 .person = visitor ? visitor->name : TEXT_NONE };
	html_writer_init(&page->html, out);
}

void ui_end(struct ui_page *page, const struct request *request, struct reply *reply)
{
	struct err err = ERR_INIT;

	if (buf_check(page->html.out, &err) < 0)
		ui_words(request, reply, 503, "Not now", "This page needs more memory than it may have.");
	else if (page->html.depth > 0)
		ui_words(request, reply, 500, "This page is broken", "It ended within an element.");
}

void ui_words(const struct request *request, struct reply *reply, int status, const char *title,
	      const char *words)
{
	struct ui_page page;

	ui_begin(&page, request, NULL, reply, status, text_of(title));
	page_begin(&page.html, &page.look);
	html_element(&page.html, "p", NULL, text_of(words));
	page_end(&page.html);
}

void ui_not_found(const struct request *request, struct reply *reply)
{
	ui_words(request, reply, 404, "Not here",
		 "There is no report at this address: it was deleted, its time is over, or there never was "
		 "one.");
}

static int status_of(const struct err *err)
{
	switch (err->kind) {
	case ERR_BAD_REQUEST:
	case ERR_BAD_SHAPE:
	case ERR_NOT_FOUND:
		return 400;
	case ERR_TOO_LARGE:
	case ERR_LIMIT:
		return 413;
	case ERR_TIMEOUT:
		return 408;
	case ERR_BUSY:
	case ERR_NO_MEMORY:
	case ERR_IO:
		return 503;
	default:
		return 500;
	}
}

void ui_error(const struct request *request, struct reply *reply, const struct err *err)
{
	int status = status_of(err);

	if (status >= 500)
		reply_error(reply, err);     /* logs it, and says when to come again */
	ui_words(request, reply, status, status < 500 ? "This cannot be read" : "Not now", err->text);
}

void ui_see_other(const struct request *request, struct reply *reply, const char *path)
{
	char root[UI_ROOT_BYTES], to[UI_ROOT_BYTES + PATH_BYTES];

	write_root(root, request->path);
	snprintf(to, sizeof(to), "%s%s", root, path);
	reply_redirect(reply, 303, to);
	ui_headers(reply);
}
