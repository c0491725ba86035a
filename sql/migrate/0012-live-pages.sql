-- 0012-live-pages.sql -- what the tables of the page are read by: indices, and two views of jobs.
-- (Released: never edited.  Prose stands in schema.sql.)

CREATE INDEX cache_entry_by_space ON cache_entry (kind, version, scope, state, size_bytes);

CREATE INDEX cache_entry_by_need ON cache_entry (module, module_id, state, asks, made_at, scope, source)
 WHERE kind = 'object_meta' AND module IS NOT NULL;

CREATE INDEX cache_entry_failures ON cache_entry (made_at, kind, state, source, module, scope, repeats, asks)
 WHERE state <> 'ready';

CREATE VIEW v_jobs_live AS
SELECT id, kind, coalesce(scope, '(global)') AS scope, state,
       strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch') AS created_utc,
       coalesce(claimed_at, unixepoch()) - created_at AS waited_seconds,
       unixepoch() - created_at AS age_seconds, attempt, owner, body_bytes, x_request_id
  FROM job WHERE finished_at IS NULL ORDER BY seq;

CREATE VIEW v_jobs_failed AS
SELECT id, kind, coalesce(scope, '(global)') AS scope, state,
       strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch') AS created_utc,
       round(millis / 1000.0, 3) AS took_seconds, attempt, lapses, body_bytes, x_request_id
  FROM job WHERE state IN ('failed', 'timeout', 'internal_error') ORDER BY seq DESC;
