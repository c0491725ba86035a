/* overview.c -- see overview.h. */
#include "cache/overview.h"

#include <stddef.h>

#include "base/err.h"
#include "store/statements.h"
#include "store/store.h"

/* Who is called with each row of a statement. */
struct kind_reader { cache_kind_sum_fn *fn; void *payload; };
struct source_reader { cache_source_sum_fn *fn; void *payload; };
struct module_reader { cache_remembered_fn *fn; void *payload; };
struct flight_reader { cache_flight_line_fn *fn; void *payload; };

static int read_kind(void *payload, const struct store_value *columns, unsigned count)
{
	const struct kind_reader *reader = payload;
	const struct cache_kind_sum sum = {
		.kind = columns[COLUMN_cache_by_kind_kind].text,
		.version = columns[COLUMN_cache_by_kind_version].number,
		.is_outdated = columns[COLUMN_cache_by_kind_is_outdated].number != 0,
		.ready = (uint64_t)columns[COLUMN_cache_by_kind_ready].number,
		.failures = (uint64_t)columns[COLUMN_cache_by_kind_failures].number,
		.bytes = (uint64_t)columns[COLUMN_cache_by_kind_bytes].number,
	};

	(void)count;
	return reader->fn(reader->payload, &sum);
}

int cache_sum_kinds(struct store *store, cache_kind_sum_fn *fn, void *payload, struct err *err)
{
	struct kind_reader reader = { fn, payload };

	return store_run(store, STATEMENT_cache_by_kind, NULL, 0, read_kind, &reader, err) < 0 ? -1 : 0;
}

static int read_source(void *payload, const struct store_value *columns, unsigned count)
{
	const struct source_reader *reader = payload;
	const struct cache_source_sum sum = {
		.source = columns[COLUMN_cache_by_source_source].text,
		.ready = (uint64_t)columns[COLUMN_cache_by_source_ready].number,
		.not_found = (uint64_t)columns[COLUMN_cache_by_source_not_found].number,
		.denied = (uint64_t)columns[COLUMN_cache_by_source_denied].number,
		.failed = (uint64_t)columns[COLUMN_cache_by_source_failed].number,
		.newest_at = columns[COLUMN_cache_by_source_newest_at].number,
	};

	(void)count;
	return reader->fn(reader->payload, &sum);
}

int cache_sum_sources(struct store *store, cache_source_sum_fn *fn, void *payload, struct err *err)
{
	struct source_reader reader = { fn, payload };

	return store_run(store, STATEMENT_cache_by_source, NULL, 0, read_source, &reader, err) < 0
	       ? -1 : 0;
}

static int read_remembered(void *payload, const struct store_value *columns, unsigned count)
{
	const struct module_reader *reader = payload;
	const struct cache_remembered entry = {
		.id = columns[COLUMN_cache_of_module_id].number,
		.kind = columns[COLUMN_cache_of_module_kind].text,
		.state = columns[COLUMN_cache_of_module_state].text,
		.source = columns[COLUMN_cache_of_module_source].text,
		.scope = columns[COLUMN_cache_of_module_scope].text,
		.details = columns[COLUMN_cache_of_module_details].text,
		.module_id = columns[COLUMN_cache_of_module_module_id].text,
		.key_text = columns[COLUMN_cache_of_module_key_text].text,
		.size_bytes = (uint64_t)columns[COLUMN_cache_of_module_size_bytes].number,
		.has_retry = columns[COLUMN_cache_of_module_retry_at].type == STORE_INT,
		.made_at = columns[COLUMN_cache_of_module_made_at].number,
		.retry_at = columns[COLUMN_cache_of_module_retry_at].number,
		.repeats = columns[COLUMN_cache_of_module_repeats].number,
		.asks = columns[COLUMN_cache_of_module_asks].number,
	};

	(void)count;
	return reader->fn(reader->payload, &entry);
}

int cache_of_module(struct store *store, struct text module, struct text sort, int64_t most,
		    cache_remembered_fn *fn, void *payload, struct err *err)
{
	const struct store_value values[] = { store_text(module), store_text(sort), store_int(most) };
	struct module_reader reader = { fn, payload };

	return store_run(store, STATEMENT_cache_of_module, values, 3, read_remembered, &reader, err) < 0
	       ? -1 : 0;
}

static int read_flight(void *payload, const struct store_value *columns, unsigned count)
{
	const struct flight_reader *reader = payload;
	const struct cache_flight_line flight = {
		.kind = columns[COLUMN_flight_list_kind].text,
		.module = columns[COLUMN_flight_list_module].text,
		.key_text = columns[COLUMN_flight_list_key_text].text,
		.owner = columns[COLUMN_flight_list_owner].text,
		.started_at = columns[COLUMN_flight_list_started_at].number,
		.attempt = columns[COLUMN_flight_list_attempt].number,
	};

	(void)count;
	return reader->fn(reader->payload, &flight);
}

int cache_list_flights(struct store *store, struct text owner, int64_t now, int64_t most,
		       cache_flight_line_fn *fn, void *payload, struct err *err)
{
	const struct store_value values[] = { store_int(now), store_text(owner), store_int(most) };
	struct flight_reader reader = { fn, payload };

	return store_run(store, STATEMENT_flight_list, values, 3, read_flight, &reader, err) < 0 ? -1 : 0;
}
