/* live_tables.c -- all tables of the page: a row each. */
#include <string.h>

#include "base/buf.h"
#include "base/json_writer.h"
#include "board/counters.h"
#include "cache/cache.h"
#include "cache/cache_counters.h"
#include "page/live_table.h"
#include "store/statements.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Look-ups of each kind of cache, since the board was made. */
static void write_hits(const struct live_view *view, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_array(&json);
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		json_array(&json);
		json_string(&json, cache_kind_name((enum cache_kind)kind));
		for (unsigned lookup = 0; lookup < CACHE_LOOKUPS; lookup++)
			json_u64(&json, board_counter(view->board, &cache_lookups, kind * CACHE_LOOKUPS + lookup));
		json_array_end(&json);
	}
	json_array_end(&json);
}

#define JOB_COLUMNS_FIRST \
	{ "id", "Id", LIVE_JOB, LIVE_OPERATORS }, \
	{ "kind", "Kind", LIVE_TEXT, LIVE_BOTH }, \
	{ "scope", "Scope", LIVE_TEXT, LIVE_BOTH }, \
	{ "state", "State", LIVE_TEXT, LIVE_BOTH }, \
	{ "created_at", "Came", LIVE_TIME, LIVE_SORTS }, \
	{ "waited_seconds", "Waited", LIVE_SECONDS, LIVE_SORTS }
#define ENDED_JOB_COLUMNS { \
	JOB_COLUMNS_FIRST, \
	{ "took_millis", "Took", LIVE_MILLIS, LIVE_SORTS }, \
	{ "attempt", "Attempt", LIVE_NUMBER, LIVE_SORTS }, \
	{ "body_bytes", "Body", LIVE_BYTES, LIVE_SORTS }, \
	{ "x_request_id", "X-Request-Id", LIVE_CODE, LIVE_OPERATORS } }
#define SPACE_COLUMNS_LAST \
	{ "ready", "Entries", LIVE_NUMBER, LIVE_SORTS }, \
	{ "failures", "Failures", LIVE_NUMBER, LIVE_SORTS }, \
	{ "bytes", "Space", LIVE_BYTES, LIVE_SORTS }, \
	{ "permille", "Share", LIVE_PERMILLE, 0 }

const struct live_table live_tables[] = {
	{ "jobs", "Jobs under way", "Requests that wait for their turn, or for downloads and conversions.",
	  "No job is queued or running.", "v_jobs_live", STATEMENT_page_jobs_live, "created_at", {
		JOB_COLUMNS_FIRST,
		{ "age_seconds", "Age", LIVE_SECONDS, LIVE_SORTS },
		{ "attempt", "Attempt", LIVE_NUMBER, LIVE_SORTS },
		{ "body_bytes", "Body", LIVE_BYTES, LIVE_SORTS },
		{ "owner", "Carried by", LIVE_TEXT, LIVE_OPERATORS },
		{ "x_request_id", "X-Request-Id", LIVE_CODE, LIVE_OPERATORS } }, false, false, NULL },
	{ "jobs-failed", "Failed jobs", "The newest first: what could not be answered, or not in time.",
	  "No job failed, as far back as jobs are remembered.", "v_jobs_failed", STATEMENT_page_jobs_failed,
	  "-created_at", ENDED_JOB_COLUMNS, false, false, NULL },
	{ "jobs-slow", "Slow jobs", "Jobs by the time they took, from arrival to end.",
	  "No job is remembered: requests that are answered at once are none.", "v_jobs_slow",
	  STATEMENT_page_jobs, "-took_millis", ENDED_JOB_COLUMNS, false, false, NULL },
	{ "jobs-all", "All jobs", "The newest first, as far back as jobs are remembered.",
	  "No job is remembered: requests that are answered at once are none.", "v_jobs", STATEMENT_page_jobs,
	  "-created_at", ENDED_JOB_COLUMNS, false, false, NULL },
	{ "missing", "Missing modules", "Modules that no source had, the most wanted first: upload their debug "
	  "files, or add a source that has them.",
	  "Nothing is missing: some source had each module that was asked for.", "v_missing",
	  STATEMENT_page_missing, "-asks", {
		{ "module", "Module", LIVE_MODULE, LIVE_BOTH },
		{ "module_id", "Id", LIVE_CODE, LIVE_BOTH },
		{ "asks", "Asked for", LIVE_NUMBER, LIVE_SORTS },
		{ "places", "Places without", LIVE_NUMBER, LIVE_SORTS },
		{ "sources", "Sources without", LIVE_TEXT, 0 },
		{ "tried_at", "Last tried", LIVE_TIME, LIVE_SORTS } }, false, false, NULL },
	{ "missing-artifacts", "Missing JavaScript files", "Minified files, source maps and sources of releases that "
	  "nobody could give us.",
	  "Nothing is missing: each file of a release that was asked for was found.", "v_missing_artifacts",
	  STATEMENT_page_missing_artifacts, "-asks", {
		{ "file", "File", LIVE_MODULE, LIVE_BOTH },
		{ "release", "Release", LIVE_TEXT, LIVE_BOTH },
		{ "debug_id", "Debug id", LIVE_CODE, LIVE_BOTH },
		{ "asks", "Asked for", LIVE_NUMBER, LIVE_SORTS },
		{ "places", "Places without", LIVE_NUMBER, LIVE_SORTS },
		{ "sources", "Sources without", LIVE_TEXT, 0 },
		{ "tried_at", "Last tried", LIVE_TIME, LIVE_SORTS } }, false, false, NULL },
	{ "missing-mappings", "Missing mappings", "Mappings of ProGuard and R8 that no source had.",
	  "Nothing is missing: each mapping that was asked for was found.", "v_missing_mappings",
	  STATEMENT_page_missing_mappings, "-asks", {
		{ "mapping", "Mapping", LIVE_CODE, LIVE_BOTH },
		{ "asks", "Asked for", LIVE_NUMBER, LIVE_SORTS },
		{ "places", "Places without", LIVE_NUMBER, LIVE_SORTS },
		{ "sources", "Sources without", LIVE_TEXT, 0 },
		{ "tried_at", "Last tried", LIVE_TIME, LIVE_SORTS } }, false, false, NULL },
	{ "failures", "Failures", "What could not be had or made is remembered for a while and not tried again. "
	  "Retry forgets what failed of that file and starts nothing by itself: the next request that wants it "
	  "tries again, also one that is dropped on the page. Drop removes all that is kept of it, whatever has "
	  "become of it since.",
	  "No failure is remembered.", "v_negative", STATEMENT_page_failures, "-made_at", {
		{ "module", "Module", LIVE_TEXT, LIVE_BOTH },
		{ "module_id", "Id", LIVE_CODE, 0 },
		{ "state", "What", LIVE_TEXT, LIVE_BOTH },
		{ "kind", "Kind", LIVE_TEXT, LIVE_BOTH },
		{ "source", "Source", LIVE_TEXT, LIVE_BOTH },
		{ "scope", "Scope", LIVE_TEXT, LIVE_BOTH },
		{ "details", "Because", LIVE_TEXT, 0 },
		{ "location", "Where", LIVE_CODE, 0 },
		{ "made_at", "When", LIVE_TIME, LIVE_SORTS },
		{ "retry_at", "Tried again", LIVE_TIME, 0 },
		{ "repeats", "Repeated", LIVE_NUMBER, LIVE_SORTS },
		{ "asks", "Asked for", LIVE_NUMBER, LIVE_SORTS },
		{ "id", "Entry", LIVE_ENTRY, LIVE_OPERATORS } }, false, true, NULL },
	{ "sources", "Failing sources", "Sources that refused or failed us, not those that merely lack a file.",
	  "No source fails.", "v_sources_failing", STATEMENT_page_sources, "-entries", {
		{ "source", "Source", LIVE_SOURCE, LIVE_BOTH },
		{ "state", "What", LIVE_TEXT, LIVE_BOTH },
		{ "blocked", "Not asked now", LIVE_TEXT, LIVE_OPERATORS },
		{ "entries", "Failures", LIVE_NUMBER, LIVE_SORTS },
		{ "modules", "Modules", LIVE_NUMBER, LIVE_SORTS },
		{ "asks", "Asked for", LIVE_NUMBER, LIVE_SORTS },
		{ "tried_at", "Last", LIVE_TIME, LIVE_SORTS },
		{ "retry_at", "Tried again", LIVE_TIME, LIVE_SORTS },
		{ "example", "For example", LIVE_TEXT, 0 } }, false, false, NULL },
	{ "hosts", "Hosts and breakers", "Hosts that failed so often that they are left alone for a while (open), "
	  "are tried with one request (half), or answer again (closed).",
	  "No host was ever left alone.", "v_host_state", STATEMENT_page_hosts, "-state", {
		{ "host", "Host", LIVE_CODE, LIVE_BOTH },
		{ "state", "Breaker", LIVE_TEXT, LIVE_BOTH },
		{ "source", "Source", LIVE_SOURCE, LIVE_BOTH },
		{ "named_by", "Named by", LIVE_TEXT, 0 },
		{ "since", "Since", LIVE_TIME, LIVE_SORTS },
		{ "until", "Until", LIVE_TIME, LIVE_SORTS },
		{ "words", "Because", LIVE_TEXT, 0 },
		{ "owner", "Workshop", LIVE_TEXT, 0 } }, true, false, NULL },
	{ "space", "Space by kind and scope", "Who takes how much of what, the most first.",
	  "The cache is empty.", "v_space", STATEMENT_page_space, "-bytes", {
		{ "kind", "Kind", LIVE_TEXT, LIVE_BOTH },
		{ "scope", "Scope", LIVE_TEXT, LIVE_BOTH },
		SPACE_COLUMNS_LAST }, false, false, NULL },
	{ "kinds", "Space by kind", "What the cache holds; entries of older versions answer until they are made "
	  "again.",
	  "The cache is empty.", "v_cache_by_kind", STATEMENT_page_kinds, "-bytes", {
		{ "kind", "Kind", LIVE_TEXT, LIVE_BOTH },
		{ "version", "Version", LIVE_NUMBER, LIVE_SORTS },
		SPACE_COLUMNS_LAST }, false, false, NULL },
	{ "scopes", "Space by scope", "What is reused within a scope, and (global) by everybody.",
	  "The cache is empty.", "v_cache_by_scope", STATEMENT_page_scopes, "-bytes", {
		{ "scope", "Scope", LIVE_TEXT, LIVE_BOTH },
		SPACE_COLUMNS_LAST }, true, false, NULL },
	{ "hits", "Hit rates", "Look-ups in each kind of cache since the service's board was made: in a process's "
	  "memory, in the database, or not there.",
	  "Nothing was looked up.", NULL, STATEMENT_page_hits, "kind", {
		{ "kind", "Kind", LIVE_TEXT, LIVE_BOTH },
		{ "from_memory", "In memory", LIVE_NUMBER, LIVE_SORTS },
		{ "from_row", "In the database", LIVE_NUMBER, LIVE_SORTS },
		{ "misses", "Not there", LIVE_NUMBER, LIVE_SORTS },
		{ "permille", "Hits", LIVE_PERMILLE, LIVE_SORTS } }, true, false, write_hits },
};
const size_t live_table_count = COUNT(live_tables);

unsigned live_column_count(const struct live_table *table)
{
	unsigned count = 0;

	while (count < LIVE_COLUMNS_MAX && table->columns[count].name)
		count++;
	return count;
}

bool live_column_is_shown(const struct live_view *view, const struct live_column *column)
{
	return !view->own.bytes || !(column->flags & LIVE_OPERATORS);
}

const struct live_table *live_find(const struct live_view *view, struct text name)
{
	for (size_t i = 0; i < live_table_count; i++)
		if (text_is(name, live_tables[i].name) && (!view->own.bytes || !live_tables[i].is_for_operators))
			return &live_tables[i];
	return NULL;
}

struct text live_title(const struct live_table *table)
{
	return text_of(table->title);
}
