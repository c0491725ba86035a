/* proxy_kind.c -- GET /proxy/NAME/SIGNATURE/NAME: the sources of the config file as one symbol server. */
#include "kinds/kinds.h"
#include "kinds/proxy/proxy_path.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "config/config.h"
#include "lookup/lookup.h"
#include "lookup/module_lookup.h"
#include "work/answer_head.h"

struct proxy {
	bool is_asked;                       /* for a file there could be */
	struct proxy_wanted wanted;
	struct source_query query;
	struct lookup lookup;
	const struct candidate *winner;      /* NULL: there is none */
};

static int proxy_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct proxy *proxy = arena_alloc(&work->arena, 1, sizeof(*proxy));
	const char *query = memchr(body->bytes.bytes, '?', body->bytes.size);
	struct text path = { body->bytes.bytes,
			     query ? (size_t)(query - body->bytes.bytes) : body->bytes.size };
	int asked;

	if (!proxy)
		return err_no_memory(err);
	work->state = proxy;
	work->scope = TEXT_NONE;
	if (!work->config->symstore_proxy)
		return 0;
	asked = proxy_path_read(path, &work->arena, &proxy->wanted, err);
	proxy->is_asked = asked > 0;
	return asked < 0 ? -1 : 0;
}

static int plan(struct work *work, struct proxy *proxy, struct resolver *resolver, struct err *err)
{
	const struct lookup_request request = {
		.sources = work->default_sources, .query = &proxy->query,
	};

	proxy->query = (struct source_query){
		.ids = &proxy->wanted.ids, .types = &proxy->wanted.type, .type_count = 1,
	};
	return lookup_plan(&proxy->lookup, work, &request, resolver, err);
}

/* Debug information is what a symbol server is asked for: a file with neither that nor symbols counts
 * as absent. */
static enum stepped proxy_step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct proxy *proxy = work->state;
	enum resolved resolved;
	size_t winner;

	if (!proxy->is_asked || proxy->winner)
		return STEP_DONE;
	if (!proxy->lookup.is_planned && plan(work, proxy, resolver, err) < 0)
		return STEP_ERROR;
	resolved = lookup_resolve(&proxy->lookup, work, resolver, err);
	if (resolved != RESOLVED_READY)
		return work_stepped(resolved);
	winner = lookup_choose(&proxy->lookup, LOOKUP_DEBUG);
	if (winner != NO_WINNER)
		proxy->winner = proxy->lookup.candidates[winner];
	return STEP_DONE;
}

static int proxy_head(struct work *work, struct answer_head *head, struct err *err)
{
	const struct proxy *proxy = work->state;

	(void)err;
	if (!proxy->winner || proxy->winner->held.failure == ERR_NOT_FOUND) {
		head->status = 404;
		head->content_type = TEXT_NONE;
	} else if (proxy->winner->held.failure) {
		head->status = 500;
	} else {
		head->content_type = TEXT("application/octet-stream");
		derive_set_answer(&proxy->winner->held.derive, head);
	}
	return 0;
}

static int proxy_answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct proxy *proxy = work->state;
	const struct held *held = proxy->winner ? &proxy->winner->held : NULL;
	struct json_writer json;

	if (!held || held->failure == ERR_NOT_FOUND)
		return 0;
	json_writer_init(&json, reply);
	json_object(&json);
	json_member_string(&json, "detail", "failed to download object");
	json_key(&json, "causes");
	json_array(&json);
	json_text(&json, lookup_failure_details(held->failure, held->details, &work->arena));
	json_array_end(&json);
	json_object_end(&json);
	return buf_check(reply, err);
}

static void proxy_release(struct work *work)
{
	struct proxy *proxy = work->state;

	if (proxy)
		lookup_release(&proxy->lookup);
	work->state = NULL;
}

const struct request_kind request_kind_proxy = {
	.name = "proxy",
	.parse = proxy_parse, .step = proxy_step, .head = proxy_head, .answer = proxy_answer,
	.release = proxy_release,
};
