-- cli.sql -- what `symgate status` and `symgate why` ask.

-- name: cli_jobs_live
SELECT state, count(*), min(created_at) FROM job
 WHERE finished_at IS NULL AND state IN ('queued', 'running') GROUP BY state;

-- name: cli_jobs_ended
SELECT state, count(*), coalesce(max(millis), 0) FROM job
 WHERE finished_at IS NOT NULL AND finished_at >= :since GROUP BY state;

-- name: cli_jobs_running
SELECT id, kind, scope, state, created_at, attempt, owner FROM job
 WHERE finished_at IS NULL AND state IN ('queued', 'running') ORDER BY seq LIMIT :count;

-- name: cli_caches
SELECT kind, version, count(*) FILTER (WHERE state = 'ready'),
       count(*) FILTER (WHERE state <> 'ready'), sum(size_bytes), min(used_at),
       version < max(version) OVER (PARTITION BY kind)
  FROM cache_entry GROUP BY kind, version ORDER BY 5 DESC;

-- name: cli_sources
SELECT coalesce(source, '(none)'), count(*) FILTER (WHERE state = 'ready'),
       count(*) FILTER (WHERE state = 'not_found'), count(*) FILTER (WHERE state = 'denied'),
       count(*) FILTER (WHERE state NOT IN ('ready', 'not_found', 'denied')), max(made_at)
  FROM cache_entry GROUP BY source ORDER BY 2 DESC, 1;

-- name: cli_job
SELECT id, kind, scope, state, created_at, finished_at, millis, attempt, candidates, owner
  FROM job WHERE id = :id;

-- name: cli_jobs_under_way
SELECT id, kind, scope, state, created_at, finished_at, millis, attempt, candidates, owner
  FROM job WHERE finished_at IS NULL AND state IN ('queued', 'running')
 ORDER BY seq LIMIT :count;

-- name: cli_jobs_mentioning
-- A look through the history, for people: as many rows as jobs are kept.
SELECT id, kind, scope, state, created_at, finished_at, millis, attempt, candidates, owner
  FROM job
 WHERE candidates IS NOT NULL AND instr(candidates, :text) > 0 ORDER BY seq DESC LIMIT :count;

-- name: cli_entries_of_module
SELECT kind, state, source, scope, size_bytes, details, made_at, retry_at, repeats, asks, id,
       key_text, module_id
  FROM cache_entry WHERE module = :module OR module_id = :module
 ORDER BY CASE :sort WHEN 'oldest' THEN made_at WHEN 'size' THEN -size_bytes
                     WHEN 'used' THEN -used_at WHEN 'asks' THEN -asks
                     WHEN 'id' THEN id ELSE -made_at END, id DESC
 LIMIT :count;

-- name: cli_flights
-- What is downloaded and made right now; :owner NULL: by anybody.
SELECT kind, module, key_text, owner, started_at, attempt FROM flight
 WHERE lease_until > :now AND (:owner IS NULL OR owner = :owner) ORDER BY started_at LIMIT :count;
