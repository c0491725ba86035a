/* job_list.c -- see job_list.h. */
#include "job/job_list.h"

#include <stddef.h>

#include "base/err.h"
#include "store/statements.h"
#include "store/store.h"

/* Who is called with each row of a statement. */
struct sum_reader { job_state_sum_fn *fn; void *payload; };
struct line_reader { job_line_fn *fn; void *payload; };

static int read_live(void *payload, const struct store_value *columns, unsigned count)
{
	const struct sum_reader *reader = payload;
	const struct job_state_sum sum = {
		.state = columns[COLUMN_job_live_by_state_state].text,
		.jobs = (uint64_t)columns[COLUMN_job_live_by_state_jobs].number,
		.oldest_at = columns[COLUMN_job_live_by_state_oldest_at].number,
	};

	(void)count;
	return reader->fn(reader->payload, &sum);
}

int job_sum_live(struct store *store, job_state_sum_fn *fn, void *payload, struct err *err)
{
	struct sum_reader reader = { fn, payload };

	return store_run(store, STATEMENT_job_live_by_state, NULL, 0, read_live, &reader, err) < 0
	       ? -1 : 0;
}

static int read_ended(void *payload, const struct store_value *columns, unsigned count)
{
	const struct sum_reader *reader = payload;
	const struct job_state_sum sum = {
		.state = columns[COLUMN_job_ended_by_state_state].text,
		.jobs = (uint64_t)columns[COLUMN_job_ended_by_state_jobs].number,
		.slowest_millis = columns[COLUMN_job_ended_by_state_slowest_millis].number,
	};

	(void)count;
	return reader->fn(reader->payload, &sum);
}

int job_sum_ended(struct store *store, int64_t since, job_state_sum_fn *fn, void *payload,
		  struct err *err)
{
	const struct store_value value = store_int(since);
	struct sum_reader reader = { fn, payload };

	return store_run(store, STATEMENT_job_ended_by_state, &value, 1, read_ended, &reader, err) < 0
	       ? -1 : 0;
}

static int read_line(void *payload, const struct store_value *columns, unsigned count)
{
	const struct line_reader *reader = payload;
	const struct job_line job = {
		.id = columns[COLUMN_job_of_id_id].text,
		.kind = columns[COLUMN_job_of_id_kind].text,
		.scope = columns[COLUMN_job_of_id_scope].text,
		.state = columns[COLUMN_job_of_id_state].text,
		.owner = columns[COLUMN_job_of_id_owner].text,
		.candidates = columns[COLUMN_job_of_id_candidates].text,
		.has_ended = columns[COLUMN_job_of_id_finished_at].type == STORE_INT,
		.has_millis = columns[COLUMN_job_of_id_millis].type == STORE_INT,
		.created_at = columns[COLUMN_job_of_id_created_at].number,
		.millis = columns[COLUMN_job_of_id_millis].number,
		.attempt = columns[COLUMN_job_of_id_attempt].number,
		.is_kept = columns[COLUMN_job_of_id_kept_until].type == STORE_INT,
		.kept_until = columns[COLUMN_job_of_id_kept_until].number,
		.result_bytes = columns[COLUMN_job_of_id_result_bytes].number,
	};

	(void)count;
	return reader->fn(reader->payload, &job);
}

int job_find(struct store *store, struct text id, job_line_fn *fn, void *payload, struct err *err)
{
	const struct store_value value = store_text(id);
	struct line_reader reader = { fn, payload };

	return store_run(store, STATEMENT_job_of_id, &value, 1, read_line, &reader, err) < 0 ? -1 : 0;
}

int job_list_under_way(struct store *store, int64_t most, job_line_fn *fn, void *payload,
		       struct err *err)
{
	const struct store_value value = store_int(most);
	struct line_reader reader = { fn, payload };

	return store_run(store, STATEMENT_job_under_way, &value, 1, read_line, &reader, err) < 0 ? -1 : 0;
}

int job_list_mentioning(struct store *store, struct text text, int64_t most, job_line_fn *fn,
			void *payload, struct err *err)
{
	const struct store_value values[] = { store_text(text), store_int(most) };
	struct line_reader reader = { fn, payload };

	return store_run(store, STATEMENT_job_mentioning, values, 2, read_line, &reader, err) < 0 ? -1 : 0;
}
