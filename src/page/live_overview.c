/* live_overview.c -- is all well, what is under way, how much room is taken: the page above the tables. */
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "board/board.h"
#include "board/counters.h"
#include "config/config.h"
#include "job/job_list.h"
#include "page/live_table.h"
#include "page/page.h"
#include "store/boot.h"

#define DAY_SECONDS 86400

struct overview {
	struct html_writer *html;
	const struct live_view *view;
	bool any;                    /* rows in this table */
};

static void begin_cell(struct html_writer *html, const char *heading)
{
	html_begin(html, "tr");
	html_begin(html, "th");
	html_attribute_word(html, "scope", "row");
	html_word(html, heading);
	html_end(html, "th");
	html_begin(html, "td");
}

static void end_cell(struct html_writer *html)
{
	html_end(html, "td");
	html_end(html, "tr");
}

static void begin_table(struct overview *overview, const char *caption)
{
	overview->any = false;
	html_begin(overview->html, "table");
	html_element(overview->html, "caption", NULL, text_of(caption));
	html_begin(overview->html, "tbody");
}

static void end_table(const struct overview *overview)
{
	html_end(overview->html, "tbody");
	html_end(overview->html, "table");
}

/* --- Health ------------------------------------------------------------------------------------- */

static void write_health(struct overview *overview)
{
	const struct live_view *view = overview->view;
	struct html_writer *html = overview->html;
	bool is_ready = true;

	for (size_t i = 0; i < view->health_count; i++)
		is_ready = is_ready && view->health[i].is_fine;
	html_element(html, "p", is_ready ? "health fine" : "health wrong",
		     is_ready ? TEXT("The service is ready.") : TEXT("The service is not ready."));
	begin_table(overview, "Health, as /readyz tells it");
	for (size_t i = 0; i < view->health_count; i++) {
		begin_cell(html, view->health[i].what);
		html_word(html, view->health[i].is_fine ? "well" : view->health[i].reason);
		end_cell(html);
	}
	begin_cell(html, "sandbox");
	html_word(html, view->sandbox);
	end_cell(html);
	end_table(overview);
}

static int write_boot(struct overview *overview, struct err *err)
{
	struct html_writer *html = overview->html;
	struct store_boot boot;

	if (store_boot(overview->view->store, &boot, err) < 0)
		return -1;
	if (boot.number == 0)
		return 0;
	html_begin(html, "p");
	html_word(html, "Running since ");
	live_time(html, boot.started_at, overview->view->now);
	html_word(html, ", build ");
	html_element(html, "code", NULL, text_of(boot.build_id));
	html_word(html, ".");
	html_end(html, "p");
	return 0;
}

/* --- Now ------------------------------------------------------------------------------------------ */

/* "symgate_parked_requests": its words say more. */
static void write_gauge(void *payload, const char *name, const char *help, int64_t value)
{
	struct overview *overview = payload;

	begin_cell(overview->html, help);
	html_begin(overview->html, "data");
	html_attribute_word(overview->html, "title", name);
	html_value_begin(overview->html, "value");
	html_value_u64(overview->html, value < 0 ? 0 : (uint64_t)value);
	html_value_end(overview->html);
	html_printf(overview->html, "%lld", (long long)value);
	html_end(overview->html, "data");
	end_cell(overview->html);
}

/* "completed | 12": more follows in the same cell. */
static void begin_sum(struct overview *overview, const struct job_state_sum *sum)
{
	overview->any = true;
	html_begin(overview->html, "tr");
	html_begin(overview->html, "th");
	html_attribute_word(overview->html, "scope", "row");
	html_text(overview->html, sum->state);
	html_end(overview->html, "th");
	html_begin(overview->html, "td");
	html_u64(overview->html, sum->jobs);
}

static int write_live_jobs(void *payload, const struct job_state_sum *sum)
{
	struct overview *overview = payload;

	begin_sum(overview, sum);
	html_word(overview->html, ", the oldest came ");
	live_time(overview->html, sum->oldest_at, overview->view->now);
	end_cell(overview->html);
	return overview->html->out->failed;
}

static int write_ended_jobs(void *payload, const struct job_state_sum *sum)
{
	struct overview *overview = payload;

	begin_sum(overview, sum);
	html_word(overview->html, ", the slowest took ");
	live_duration(overview->html, sum->slowest_millis);
	end_cell(overview->html);
	return overview->html->out->failed;
}

/* A table without rows says so. */
static void end_jobs(struct overview *overview, const char *words)
{
	if (!overview->any) {
		begin_cell(overview->html, "none");
		html_word(overview->html, words);
		end_cell(overview->html);
	}
	end_table(overview);
}

static int write_jobs(struct overview *overview, struct err *err)
{
	const struct live_view *view = overview->view;

	begin_table(overview, "Jobs under way");
	if (job_sum_live(view->store, write_live_jobs, overview, err) < 0)
		return -1;
	end_jobs(overview, "no request waits for one");
	begin_table(overview, "Jobs that ended in the last day");
	if (job_sum_ended(view->store, view->now - DAY_SECONDS, write_ended_jobs, overview, err) < 0)
		return -1;
	end_jobs(overview, "no request needed one");
	return 0;
}

static int write_space(struct overview *overview, struct err *err)
{
	struct html_writer *html = overview->html;
	struct live_space space;

	if (live_space_read(&space, overview->view, err) < 0)
		return -1;
	begin_table(overview, "The cache");
	begin_cell(html, "entries");
	html_u64(html, space.entries);
	end_cell(html);
	begin_cell(html, "space");
	live_bytes(html, space.bytes);
	end_cell(html);
	begin_cell(html, "quota");
	if (overview->view->quota_bytes == CONFIG_UNLIMITED)
		html_word(html, "none");
	else
		live_bytes(html, overview->view->quota_bytes);
	end_cell(html);
	end_table(overview);
	return 0;
}

static void write_link(struct html_writer *html, const char *address, const char *words)
{
	html_begin(html, "a");
	html_attribute_word(html, "href", address);
	html_word(html, words);
	html_end(html, "a");
}

/* --- All of it -------------------------------------------------------------------------------------- */

static void write_tables(const struct overview *overview)
{
	struct html_writer *html = overview->html;

	html_element(html, "h2", NULL, TEXT("Tables"));
	html_begin(html, "dl");
	for (size_t i = 0; i < live_table_count; i++) {
		const struct live_table *table = &live_tables[i];

		if (live_find(overview->view, text_of(table->name)) != table)
			continue;
		html_begin(html, "dt");
		write_link(html, table->name, table->title);
		html_end(html, "dt");
		html_element(html, "dd", NULL, text_of(table->about));
	}
	html_end(html, "dl");
}

/* What is of everybody is for operators. */
static int write_service(struct overview *overview, struct err *err)
{
	struct html_writer *html = overview->html;
	int rc;

	html_begin(html, "section");
	html_attribute_word(html, "id", "live");
	html_attribute_word(html, "data-refresh", "2");
	html_attribute_word(html, "aria-label", "As of now");
	write_health(overview);
	rc = write_boot(overview, err);
	begin_table(overview, "Now");
	board_each_gauge(overview->view->board, write_gauge, overview);
	end_table(overview);
	if (rc == 0)
		rc = write_jobs(overview, err);
	if (rc == 0)
		rc = write_space(overview, err);
	html_end(html, "section");
	html_begin(html, "p");
	html_attribute_word(html, "class", "elsewhere");
	write_link(html, "./", "Refresh");
	html_word(html, " ");
	write_link(html, "overview.json", "The same as JSON");
	html_end(html, "p");
	return rc;
}

int live_overview_page(struct html_writer *html, const struct page_look *look, const struct live_view *view,
		       struct err *err)
{
	struct overview overview = { .html = html, .view = view };
	int rc = 0;

	page_begin(html, look);
	live_places(html, view, "");
	if (!view->own.bytes)
		rc = write_service(&overview, err);
	write_tables(&overview);
	page_end(html);
	return rc < 0 ? -1 : buf_check(html->out, err);
}
