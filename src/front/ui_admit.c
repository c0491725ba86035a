/*
 * ui_admit.c -- whether a form comes from the page itself, and from whom.
 *
 * Browsers say from where a form comes: Sec-Fetch-Site where the connection is a safe one, Origin
 * otherwise.  A client that says neither runs no scripts of other sites, nor forms by itself: for it, as
 * for all, counts the token, which a site that cannot read our pages does not have.
 */
#include "config/config.h"
#include "front/front_internal.h"
#include "front/ui.h"

/* "name:port", "[::1]:port": where the port begins, or the end. */
static size_t name_size(struct text host)
{
	size_t size = host.size;

	while (size > 0 && ascii_is_digit(host.bytes[size - 1]))
		size--;
	return size > 0 && size < host.size && host.bytes[size - 1] == ':' ? size - 1 : host.size;
}

/* nginx as Debian has it passes Host on without its port (fastcgi_params: HTTP_HOST is $host); then the
 * server's own port has to be the one. */
static bool is_host(struct text named, const struct request *request)
{
	struct text host = request_variable(request, "HTTP_HOST");
	size_t size = name_size(named);

	if (host.size == 0)
		return false;
	if (name_size(host) < host.size || size == named.size)
		return text_equal_ignoring_case(named, host);
	return text_equal_ignoring_case((struct text){ named.bytes, size }, host) &&
	       text_equal(text_from(named, size + 1), request_variable(request, "SERVER_PORT"));
}

static bool is_own_origin(const struct request *request)
{
	static const char *const schemes[] = { "https://", "http://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (text_starts_with(request->origin, schemes[i]))
			return is_host(text_from(request->origin, strlen(schemes[i])), request);
	return false;                        /* "null": a sandboxed frame's, or a file's */
}

static bool is_from_us(const struct request *request)
{
	struct text site = request_variable(request, "HTTP_SEC_FETCH_SITE");

	if (site.bytes)
		return text_is(site, "same-origin");
	return !request->origin.bytes || is_own_origin(request);
}

static bool is_for_visitors(const struct request *request)
{
	return text_starts_with(request->path, "/ui/op/");
}

void ui_closed(const struct request *request, const struct ui_visitor *visitor, struct reply *reply)
{
	struct ui_page page;

	ui_begin(&page, request, visitor, reply, 403, TEXT("Not open to you"));
	page_closed(&page.html, &page.look);
	ui_end(&page, request, reply);
}

bool ui_admits(const struct config *config, const struct request *request, struct reply *reply)
{
	struct ui_visitor visitor;

	if (!is_from_us(request)) {
		ui_words(request, reply, 403, "Not from here",
			 "This form was sent by a page of another site, so nothing was done. Where that is not "
			 "so, a proxy between you and symgate changes the Host header: it has to be the name in "
			 "your browser's address.");
		return false;
	}
	ui_visitor_read(&visitor, config, request);
	if (!is_for_visitors(request) || visitor.is_operator || visitor.has_own_scope)
		return true;
	ui_closed(request, &visitor, reply);
	return false;
}
