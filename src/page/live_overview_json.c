/* live_overview_json.c -- the page above the tables as JSON. */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "board/counters.h"
#include "config/config.h"
#include "job/job_list.h"
#include "page/live_table.h"

#define DAY_SECONDS 86400

static void write_health(struct json_writer *json, const struct live_view *view)
{
	bool is_ready = true;

	for (size_t i = 0; i < view->health_count; i++)
		is_ready = is_ready && view->health[i].is_fine;
	json_member_bool(json, "ready", is_ready);
	json_key(json, "health");
	json_object(json);
	for (size_t i = 0; i < view->health_count; i++) {
		json_key(json, view->health[i].what);
		json_object(json);
		json_member_bool(json, "ok", view->health[i].is_fine);
		if (!view->health[i].is_fine)
			json_member_string(json, "reason", view->health[i].reason);
		json_object_end(json);
	}
	json_object_end(json);
	json_member_string(json, "sandbox", view->sandbox);
}

static void write_gauge(void *payload, const char *name, const char *help, int64_t value)
{
	struct json_writer *json = payload;

	(void)help;
	json_key(json, name);
	json_i64(json, value);
}

static int write_live_jobs(void *payload, const struct job_state_sum *sum)
{
	struct json_writer *json = payload;
	char utc[CLOCK_TEXT_BYTES];

	clock_format_utc(sum->oldest_at, utc);
	json_object(json);
	json_member_text(json, "state", sum->state);
	json_member_u64(json, "count", sum->jobs);
	json_member_string(json, "oldest_at", utc);
	json_object_end(json);
	return json->out->failed;
}

static int write_ended_jobs(void *payload, const struct job_state_sum *sum)
{
	struct json_writer *json = payload;

	json_object(json);
	json_member_text(json, "state", sum->state);
	json_member_u64(json, "count", sum->jobs);
	json_member_u64(json, "slowest_millis", (uint64_t)sum->slowest_millis);
	json_object_end(json);
	return json->out->failed;
}

static int write_service(struct json_writer *json, const struct live_view *view, struct err *err)
{
	struct live_space space;

	write_health(json, view);
	json_key(json, "now");
	json_object(json);
	board_each_gauge(view->board, write_gauge, json);
	json_object_end(json);
	json_key(json, "live");
	json_array(json);
	if (job_sum_live(view->store, write_live_jobs, json, err) < 0)
		return -1;
	json_array_end(json);
	json_key(json, "ended");
	json_array(json);
	if (job_sum_ended(view->store, view->now - DAY_SECONDS, write_ended_jobs, json, err) < 0 ||
	    live_space_read(&space, view, err) < 0)
		return -1;
	json_array_end(json);
	json_key(json, "space");
	json_object(json);
	json_member_u64(json, "entries", space.entries);
	json_member_u64(json, "bytes", space.bytes);
	if (view->quota_bytes != CONFIG_UNLIMITED)
		json_member_u64(json, "quota_bytes", view->quota_bytes);
	json_object_end(json);
	return 0;
}

static void write_table(struct json_writer *json, const struct live_table *table)
{
	json_object(json);
	json_member_string(json, "table", table->name);
	json_member_string(json, "title", table->title);
	json_member_string(json, "view", table->view);
	json_object_end(json);
}

int live_overview_json(struct buf *out, const struct live_view *view, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	if (!view->own.bytes && write_service(&json, view, err) < 0)
		return -1;
	json_key(&json, "tables");
	json_array(&json);
	for (size_t i = 0; i < live_table_count; i++)
		if (live_find(view, text_of(live_tables[i].name)) == &live_tables[i])
			write_table(&json, &live_tables[i]);
	json_array_end(&json);
	json_object_end(&json);
	buf_add_char(out, '\n');
	return buf_check(out, err);
}
