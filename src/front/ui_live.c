/* ui_live.c -- see ui_live.h. */
#include "front/ui_live.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "cache/admin.h"
#include "front/endpoints/health.h"
#include "front/front.h"
#include "front/front_internal.h"
#include "front/ui.h"
#include "front/ui_form.h"
#include "front/ui_token.h"
#include "page/live.h"
#include "sandbox/sandbox.h"

#define ACTION "failures"            /* what a token of these forms is for */
#define ADDRESS_BYTES ((size_t)240)   /* of one a browser is sent to; longer ones lose what they asked for */
#define NAME_BYTES 512u

/* All that a view needs, and what it borrows. */
struct ui_live {
	struct live_view view;
	struct health_part parts[HEALTH_PARTS];
	struct live_health health[HEALTH_PARTS];
	char token[UI_TOKEN_BYTES];
};

/* Who is no operator sees what is of their scope, and does nothing about it. */
static void open_view(struct ui_live *live, const struct worker *worker, const struct ui_visitor *visitor,
		      struct text query)
{
	const struct front *front = worker->front;
	int64_t now = clock_unix_seconds();

	live->view = (struct live_view){
		.store = worker->store, .board = front->board, .config = front->config,
		.own = visitor->is_operator ? TEXT_NONE : visitor->scope, .query = query, .now = now,
		.sandbox = sandbox_level_name(nursery_level(front->nursery)),
		.quota_bytes = cache_quota(front->cache),
	};
	if (!visitor->is_operator)
		return;
	ui_token_write(live->token, front->web_secret, visitor->name, ACTION, now);
	live->view.token = text_of(live->token);
}

static void look_at_health(struct ui_live *live, const struct worker *worker)
{
	(void)health_look(worker, live->parts);
	for (unsigned i = 0; i < HEALTH_PARTS; i++)
		live->health[i] = (struct live_health){ live->parts[i].what, live->parts[i].is_fine,
							live->parts[i].err.text };
	live->view.health = live->health;
	live->view.health_count = HEALTH_PARTS;
}

/* --- Answers ------------------------------------------------------------------------------------------ */

static void answer_page(const struct ui_live *live, const struct live_table *table, const struct request *request,
			const struct ui_visitor *visitor, struct reply *reply)
{
	struct err err = ERR_INIT;
	struct ui_page page;
	int rc;

	ui_begin(&page, request, visitor, reply, 200, table ? live_title(table) : TEXT("Service"));
	rc = table ? live_table_page(&page.html, &page.look, &live->view, table, &err)
		   : live_overview_page(&page.html, &page.look, &live->view, &err);
	if (rc < 0)
		ui_error(request, reply, &err);
	else
		ui_end(&page, request, reply);
}

static void answer_json(const struct ui_live *live, const struct live_table *table, struct reply *reply)
{
	struct buf *out = reply_json(reply);
	struct err err = ERR_INIT;
	int rc = table ? live_table_json(out, &live->view, table, &err)
		       : live_overview_json(out, &live->view, &err);

	if (rc < 0)
		reply_error(reply, &err);
	ui_headers(reply);
}

/* "jobs.json" is "jobs"; "", "overview" and ".json" are the page above them. */
bool ui_live_answer(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		    struct reply *reply)
{
	struct text name = request->rest;
	const struct live_table *table = NULL;
	bool is_json = text_ends_with(name, ".json");
	struct ui_live live;

	if (is_json)
		name.size -= sizeof(".json") - 1;
	open_view(&live, worker, visitor, request->query);
	if (name.size == 0 || text_is(name, "overview")) {
		if (visitor->is_operator)
			look_at_health(&live, worker);
	} else {
		table = live_find(&live.view, name);
		if (!table)
			return false;
	}
	if (is_json)
		answer_json(&live, table, reply);
	else
		answer_page(&live, table, request, visitor, reply);
	return true;
}

/* --- Retry and drop -------------------------------------------------------------------------------------- */

/* What a form asks for: `key` is that of the entry it names, empty when it has gone. */
struct ui_live_order {
	int64_t id;
	bool is_retry;
	char key[2 * HASH_SHA256_BYTES + 1];
};

static int read_form(const struct ui_form *form, struct ui_live_order *order, struct err *err)
{
	struct text what = ui_form_field(form, "do");
	uint64_t id;

	if (!text_to_u64(ui_form_field(form, "id"), 10, &id) || id == 0 || id > INT64_MAX)
		return err_set(err, ERR_BAD_REQUEST, "the form names no entry");
	if (!text_is(what, "retry") && !text_is(what, "drop"))
		return err_set(err, ERR_BAD_REQUEST, "the form says neither retry nor drop");
	*order = (struct ui_live_order){ .id = (int64_t)id, .is_retry = text_is(what, "retry") };
	return 0;
}

static int take_key(void *payload, const struct cache_line *line)
{
	struct ui_live_order *order = payload;

	hex_format(line->hash, sizeof(line->hash), order->key);
	return 1;
}

/* A file that could not be had is remembered, and so is that nothing is known of it: entries of one
 * key, which are forgotten together, or the next request would be told the other. */
static int carry_out(const struct worker *worker, struct ui_live_order *order, struct cache_round *round,
		     struct err *err)
{
	const struct cache_filter named = { .id = order->id };
	struct cache_filter filter = { .failures_only = order->is_retry };

	*round = (struct cache_round){ 0 };
	if (cache_list(worker->front->cache, worker->store, &named, 1, take_key, order, err) < 0)
		return -1;
	if (!order->key[0])
		return 0;
	filter.hash = text_of(order->key);
	return cache_drop(worker->front->cache, worker->store, &filter, false, round, err);
}

/* Who did what, and what came of it. */
static void note(const struct ui_visitor *visitor, const struct ui_live_order *order,
		 const struct cache_round *round)
{
	char name[NAME_BYTES], entry[32], removed[32];
	const struct log_field fields[] = {
		{ "user", name }, { "did", order->is_retry ? "retry" : "drop" }, { "entry", entry },
		{ "removed_entries", removed },
	};

	snprintf(name, sizeof(name), "%.*s", (int)visitor->name.size, visitor->name.bytes);
	snprintf(entry, sizeof(entry), "%lld", (long long)order->id);
	snprintf(removed, sizeof(removed), "%llu", (unsigned long long)round->removed_entries);
	log_event(LOG_INFO, "operator", fields, sizeof(fields) / sizeof(fields[0]));
}

static void go_back(const struct worker *worker, const struct request *request, const struct ui_visitor *visitor,
		    const struct ui_form *form, struct reply *reply)
{
	struct ui_live live;
	struct buf address;

	open_view(&live, worker, visitor, ui_form_field(form, "query"));
	buf_init(&address, ADDRESS_BYTES);
	buf_add_string(&address, "ui/op/");
	live_back(&address, &live.view, live_find(&live.view, TEXT("failures")));
	ui_see_other(request, reply, address.failed ? "ui/op/failures" : buf_string(&address));
	buf_release(&address);
}

void ui_live_do(struct worker *worker, struct request *request, const struct ui_visitor *visitor,
		struct reply *reply)
{
	struct ui_live_order order;
	struct cache_round round;
	struct err err = ERR_INIT;
	struct ui_form form;

	if (!ui_form_open(&form, worker, request, visitor, ACTION, reply))
		return;
	if (read_form(&form, &order, &err) < 0 || carry_out(worker, &order, &round, &err) < 0) {
		ui_error(request, reply, &err);
	} else {
		note(visitor, &order, &round);
		go_back(worker, request, visitor, &form, reply);
	}
	ui_form_release(&form);
}
