/* wpa_kind.c -- GET /vVERSION/NAME/ID[/AGE]: SymCache files for Windows Performance Analyzer. */
#include "kinds/kinds.h"
#include "kinds/wpa/wpa.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "config/config.h"
#include "work/answer_head.h"

#define MISSES_SECONDS 86400         /* that protocol's server: a day */

/* Clients above that one ask again without being told to. */
static const struct semver waits_up_to = { .major = 3, .minor = 1, .patch = 0 };

static int wpa_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct wpa *wpa = arena_alloc(&work->arena, 1, sizeof(*wpa));

	if (!wpa)
		return err_no_memory(err);
	work->state = wpa;
	work->scope = TEXT_NONE;
	return wpa_request_read(wpa, work, body->bytes, err);
}

static enum stepped wpa_step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct wpa *wpa = work->state;

	if (wpa->outcome != WPA_UNDECIDED)
		return STEP_DONE;
	return work_stepped(wpa_choose(wpa, work, resolver, err));
}

static int say_type(struct work *work, struct answer_head *head, struct err *err)
{
	const struct wpa *wpa = work->state;
	char version[SEMVER_TEXT_BYTES];
	char *type;

	semver_format(&wpa->best.version, version);
	type = arena_printf(&work->arena, "application/vnd.ms-symcache; version=%s", version);
	if (!type)
		return err_no_memory(err);
	head->content_type = text_of(type);
	return 0;
}

/* Where the client finds it by itself. */
static int redirect(struct work *work, struct answer_head *head, struct err *err)
{
	const struct wpa *wpa = work->state;
	const char *base = work->config->wpa_redirect;
	bool has_slash = text_ends_with(text_of(base), "/");
	char *escaped = arena_alloc(&work->arena, strlen(wpa->best.path) + 1, URL_ESCAPED_PER_BYTE);
	char *location;

	if (!escaped)
		return err_no_memory(err);
	url_escape_path(text_of(wpa->best.path), escaped);
	location = arena_printf(&work->arena, "%s%s%s", base, has_slash ? "" : "/", escaped);
	if (!location)
		return err_no_memory(err);
	head->status = 302;
	head->content_type = TEXT_NONE;
	return answer_head_add(head, TEXT("Location"), text_of(location), err);
}

static int send_file(struct work *work, struct answer_head *head, struct err *err)
{
	const struct wpa_best *best = &((const struct wpa *)work->state)->best;
	char *file;

	if (best->is_entry) {
		answer_head_set_entry(head, &best->key);
		return say_type(work, head, err);
	}
	if (work->config->wpa_redirect && best->folder == work->config->wpa_folder)
		return redirect(work, head, err);
	file = arena_printf(&work->arena, "%s/%s", best->folder, best->path);
	if (!file)
		return err_no_memory(err);
	head->file = text_of(file);
	return say_type(work, head, err);
}

static int wpa_head(struct work *work, struct answer_head *head, struct err *err)
{
	const struct wpa *wpa = work->state;

	switch (wpa->outcome) {
	case WPA_FILE:
		return send_file(work, head, err);
	case WPA_REFUSED:
		head->status = 400;
		head->content_type = wpa->wants_json ? TEXT("application/json; charset=utf-8")
						     : TEXT("text/plain; charset=utf-8");
		return 0;
	default:
		head->status = wpa->outcome == WPA_NOT_MODIFIED ? 304 : 404;
		head->content_type = TEXT_NONE;
		return 0;
	}
}

static int wpa_answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct wpa *wpa = work->state;
	struct json_writer json;

	if (!wpa->words)
		return 0;
	json_writer_init(&json, reply);
	if (wpa->wants_json)
		json_string(&json, wpa->words);
	else
		buf_add_string(reply, wpa->words);
	return buf_check(reply, err);
}

static bool wpa_later(struct work *work, struct answer_head *head)
{
	const struct wpa *wpa = work->state;
	struct err err = ERR_INIT;

	if (!wpa->may_retry && semver_compare(&wpa->path.version, &waits_up_to) <= 0)
		return false;
	head->status = 404;
	head->content_type = TEXT_NONE;
	return answer_head_add(head, TEXT("Retry-After"), TEXT("1"), &err) == 0;
}

static void wpa_release(struct work *work)
{
	struct wpa *wpa = work->state;

	if (!wpa)
		return;
	for (size_t i = 0; i < wpa->make_count; i++)
		held_release(&wpa->makes[i].held);
	lookup_release(&wpa->lookup);
	work->state = NULL;
}

const struct request_kind request_kind_wpa = {
	.name = "wpa", .headers = wpa_request_headers, .misses_seconds = MISSES_SECONDS,
	.parse = wpa_parse, .step = wpa_step, .head = wpa_head, .answer = wpa_answer, .later = wpa_later,
	.release = wpa_release,
};
