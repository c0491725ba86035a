-- page.sql -- what the tables of the page show: a statement for each row of src/page/live_tables.c.
--
-- Parameters of all, in this order: :own (NULL, or the scope of who asks; tables for operators alone
-- have none), one for each column that filters (a pattern of LIKE with "!" as its escape, or NULL), :sort (a column's name,
-- with "-" before it the other way round), :count and :skip.  `total` counts what passed the filters.

-- name: page_jobs_live
WITH found AS MATERIALIZED (
  SELECT seq, id, kind, coalesce(scope, '(global)') AS scope, state, created_at,
         coalesce(claimed_at, unixepoch()) - created_at AS waited_seconds,
         unixepoch() - created_at AS age_seconds, attempt, body_bytes, owner, x_request_id
    FROM job
   WHERE finished_at IS NULL AND state IN ('queued', 'running')
     AND (:own IS NULL OR scope = :own)
     AND (:kind IS NULL OR kind LIKE :kind ESCAPE '!')
     AND (:scope IS NULL OR coalesce(scope, '(global)') LIKE :scope ESCAPE '!')
     AND (:state IS NULL OR state LIKE :state ESCAPE '!'))
SELECT id, kind, scope, state, created_at, waited_seconds, age_seconds, attempt, body_bytes, owner,
       x_request_id, (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'kind' THEN kind WHEN 'scope' THEN scope WHEN 'state' THEN state
                     WHEN 'created_at' THEN created_at WHEN 'waited_seconds' THEN waited_seconds
                     WHEN 'age_seconds' THEN age_seconds WHEN 'attempt' THEN attempt
                     WHEN 'body_bytes' THEN body_bytes END,
          CASE :sort WHEN '-kind' THEN kind WHEN '-scope' THEN scope WHEN '-state' THEN state
                     WHEN '-created_at' THEN created_at WHEN '-waited_seconds' THEN waited_seconds
                     WHEN '-age_seconds' THEN age_seconds WHEN '-attempt' THEN attempt
                     WHEN '-body_bytes' THEN body_bytes END DESC, seq
 LIMIT :count OFFSET :skip;

-- name: page_jobs
WITH found AS MATERIALIZED (
  SELECT seq, id, kind, coalesce(scope, '(global)') AS scope, state, created_at,
         coalesce(claimed_at, finished_at, unixepoch()) - created_at AS waited_seconds,
         coalesce(millis, (coalesce(finished_at, unixepoch()) - created_at) * 1000) AS took_millis,
         attempt, body_bytes, x_request_id
    FROM job
   WHERE (:own IS NULL OR scope = :own)
     AND (:kind IS NULL OR kind LIKE :kind ESCAPE '!')
     AND (:scope IS NULL OR coalesce(scope, '(global)') LIKE :scope ESCAPE '!')
     AND (:state IS NULL OR state LIKE :state ESCAPE '!'))
SELECT id, kind, scope, state, created_at, waited_seconds, took_millis, attempt, body_bytes,
       x_request_id, (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'kind' THEN kind WHEN 'scope' THEN scope WHEN 'state' THEN state
                     WHEN 'created_at' THEN created_at WHEN 'waited_seconds' THEN waited_seconds
                     WHEN 'took_millis' THEN took_millis WHEN 'attempt' THEN attempt
                     WHEN 'body_bytes' THEN body_bytes END,
          CASE :sort WHEN '-kind' THEN kind WHEN '-scope' THEN scope WHEN '-state' THEN state
                     WHEN '-created_at' THEN created_at WHEN '-waited_seconds' THEN waited_seconds
                     WHEN '-took_millis' THEN took_millis WHEN '-attempt' THEN attempt
                     WHEN '-body_bytes' THEN body_bytes END DESC, seq DESC
 LIMIT :count OFFSET :skip;

-- name: page_jobs_failed
-- columns of: page_jobs
WITH found AS MATERIALIZED (
  SELECT seq, id, kind, coalesce(scope, '(global)') AS scope, state, created_at,
         coalesce(claimed_at, finished_at, unixepoch()) - created_at AS waited_seconds,
         coalesce(millis, (finished_at - created_at) * 1000) AS took_millis,
         attempt, body_bytes, x_request_id
    FROM job
   WHERE state IN ('failed', 'timeout', 'internal_error')
     AND (:own IS NULL OR scope = :own)
     AND (:kind IS NULL OR kind LIKE :kind ESCAPE '!')
     AND (:scope IS NULL OR coalesce(scope, '(global)') LIKE :scope ESCAPE '!')
     AND (:state IS NULL OR state LIKE :state ESCAPE '!'))
SELECT id, kind, scope, state, created_at, waited_seconds, took_millis, attempt, body_bytes,
       x_request_id, (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'kind' THEN kind WHEN 'scope' THEN scope WHEN 'state' THEN state
                     WHEN 'created_at' THEN created_at WHEN 'waited_seconds' THEN waited_seconds
                     WHEN 'took_millis' THEN took_millis WHEN 'attempt' THEN attempt
                     WHEN 'body_bytes' THEN body_bytes END,
          CASE :sort WHEN '-kind' THEN kind WHEN '-scope' THEN scope WHEN '-state' THEN state
                     WHEN '-created_at' THEN created_at WHEN '-waited_seconds' THEN waited_seconds
                     WHEN '-took_millis' THEN took_millis WHEN '-attempt' THEN attempt
                     WHEN '-body_bytes' THEN body_bytes END DESC, seq DESC
 LIMIT :count OFFSET :skip;

-- name: page_kinds
-- The index has its rows in the order of its first three columns: few groups are left to add up.
WITH parts AS MATERIALIZED (
  SELECT kind, version, scope, count(*) FILTER (WHERE state = 'ready') AS ready,
         count(*) FILTER (WHERE state <> 'ready') AS failures, sum(size_bytes) AS bytes
    FROM cache_entry INDEXED BY cache_entry_by_space
   GROUP BY kind, version, scope),
found AS MATERIALIZED (
  SELECT kind, version, sum(ready) AS ready, sum(failures) AS failures, sum(bytes) AS bytes
    FROM parts
   WHERE (:own IS NULL OR scope = :own) AND (:kind IS NULL OR kind LIKE :kind ESCAPE '!')
   GROUP BY kind, version)
SELECT kind, version, ready, failures, bytes,
       1000 * bytes / max((SELECT sum(bytes) FROM found), 1) AS permille,
       (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'kind' THEN kind WHEN 'version' THEN version WHEN 'ready' THEN ready
                     WHEN 'failures' THEN failures WHEN 'bytes' THEN bytes END,
          CASE :sort WHEN '-kind' THEN kind WHEN '-version' THEN version WHEN '-ready' THEN ready
                     WHEN '-failures' THEN failures WHEN '-bytes' THEN bytes END DESC, kind, version
 LIMIT :count OFFSET :skip;

-- name: page_scopes
WITH parts AS MATERIALIZED (
  SELECT kind, version, scope, count(*) FILTER (WHERE state = 'ready') AS ready,
         count(*) FILTER (WHERE state <> 'ready') AS failures, sum(size_bytes) AS bytes
    FROM cache_entry INDEXED BY cache_entry_by_space
   GROUP BY kind, version, scope),
found AS MATERIALIZED (
  SELECT coalesce(scope, '(global)') AS scope, sum(ready) AS ready, sum(failures) AS failures,
         sum(bytes) AS bytes
    FROM parts WHERE :scope IS NULL OR coalesce(scope, '(global)') LIKE :scope ESCAPE '!'
   GROUP BY 1)
SELECT scope, ready, failures, bytes,
       1000 * bytes / max((SELECT sum(bytes) FROM found), 1) AS permille,
       (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'scope' THEN scope WHEN 'ready' THEN ready WHEN 'failures' THEN failures
                     WHEN 'bytes' THEN bytes END,
          CASE :sort WHEN '-scope' THEN scope WHEN '-ready' THEN ready
                     WHEN '-failures' THEN failures WHEN '-bytes' THEN bytes END DESC, scope
 LIMIT :count OFFSET :skip;

-- name: page_space
WITH parts AS MATERIALIZED (
  SELECT kind, version, scope, count(*) FILTER (WHERE state = 'ready') AS ready,
         count(*) FILTER (WHERE state <> 'ready') AS failures, sum(size_bytes) AS bytes
    FROM cache_entry INDEXED BY cache_entry_by_space
   GROUP BY kind, version, scope),
found AS MATERIALIZED (
  SELECT kind, coalesce(scope, '(global)') AS scope, sum(ready) AS ready,
         sum(failures) AS failures, sum(bytes) AS bytes
    FROM parts
   WHERE (:own IS NULL OR scope = :own) AND (:kind IS NULL OR kind LIKE :kind ESCAPE '!')
     AND (:scope IS NULL OR coalesce(scope, '(global)') LIKE :scope ESCAPE '!')
   GROUP BY 1, 2)
SELECT kind, scope, ready, failures, bytes,
       1000 * bytes / max((SELECT sum(bytes) FROM found), 1) AS permille,
       (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'kind' THEN kind WHEN 'scope' THEN scope WHEN 'ready' THEN ready
                     WHEN 'failures' THEN failures WHEN 'bytes' THEN bytes END,
          CASE :sort WHEN '-kind' THEN kind WHEN '-scope' THEN scope WHEN '-ready' THEN ready
                     WHEN '-failures' THEN failures WHEN '-bytes' THEN bytes END DESC, kind, scope
 LIMIT :count OFFSET :skip;

-- name: page_hits
-- What is counted does not stand in the database: it comes as JSON, [[kind, memory, row, miss], ...].
WITH found AS MATERIALIZED (
  SELECT value ->> 0 AS kind, value ->> 1 AS from_memory, value ->> 2 AS from_row,
         value ->> 3 AS misses,
         1000 * ((value ->> 1) + (value ->> 2)) /
         max((value ->> 1) + (value ->> 2) + (value ->> 3), 1) AS permille
    FROM json_each(:facts)
   WHERE :kind IS NULL OR value ->> 0 LIKE :kind ESCAPE '!')
SELECT kind, from_memory, from_row, misses, permille, (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'kind' THEN kind WHEN 'from_memory' THEN from_memory
                     WHEN 'from_row' THEN from_row WHEN 'misses' THEN misses
                     WHEN 'permille' THEN permille END,
          CASE :sort WHEN '-kind' THEN kind WHEN '-from_memory' THEN from_memory
                     WHEN '-from_row' THEN from_row WHEN '-misses' THEN misses
                     WHEN '-permille' THEN permille END DESC, kind
 LIMIT :count OFFSET :skip;

-- name: page_missing
-- Groups come as the index has them; the places are looked up for what is shown alone.
WITH found AS MATERIALIZED (
  SELECT module, module_id, sum(asks) AS asks, count(*) AS places, max(made_at) AS tried_at
    FROM cache_entry INDEXED BY cache_entry_by_need
   WHERE kind = 'object_meta' AND module IS NOT NULL AND (:own IS NULL OR scope = :own)
     AND (:module IS NULL OR module LIKE :module ESCAPE '!')
     AND (:module_id IS NULL OR module_id LIKE :module_id ESCAPE '!')
   GROUP BY module, module_id
  HAVING max(state = 'ready') = 0 AND max(state = 'not_found') = 1),
shown AS MATERIALIZED (
  SELECT module, module_id, asks, places, tried_at FROM found
   ORDER BY CASE :sort WHEN 'module' THEN module WHEN 'module_id' THEN module_id
                       WHEN 'asks' THEN asks WHEN 'places' THEN places
                       WHEN 'tried_at' THEN tried_at END,
            CASE :sort WHEN '-module' THEN module WHEN '-module_id' THEN module_id
                       WHEN '-asks' THEN asks WHEN '-places' THEN places
                       WHEN '-tried_at' THEN tried_at END DESC, module, module_id
   LIMIT :count OFFSET :skip)
SELECT module, module_id, asks, places,
       (SELECT group_concat(DISTINCT source) FROM cache_entry INDEXED BY cache_entry_by_need
         WHERE kind = 'object_meta' AND cache_entry.module = shown.module
           AND cache_entry.module_id IS shown.module_id
           AND (:own IS NULL OR scope = :own)) AS sources,
       tried_at, (SELECT count(*) FROM found) AS total
  FROM shown;

-- name: page_missing_artifacts
WITH found AS MATERIALIZED (
  SELECT module AS file, release, module_id AS debug_id, sum(asks) AS asks, count(*) AS places,
         group_concat(DISTINCT source) AS sources, max(made_at) AS tried_at
    FROM cache_entry
   WHERE kind = 'sourcefiles' AND (:own IS NULL OR scope = :own)
     AND instr(key_text, char(10) || 'form: js' || char(10)) > 0
     AND (:file IS NULL OR module LIKE :file ESCAPE '!')
     AND (:release IS NULL OR release LIKE :release ESCAPE '!')
     AND (:debug_id IS NULL OR module_id LIKE :debug_id ESCAPE '!')
   GROUP BY module, release, module_id HAVING max(state = 'ready') = 0)
SELECT file, release, debug_id, asks, places, sources, tried_at,
       (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'file' THEN file WHEN 'release' THEN release WHEN 'debug_id' THEN debug_id
                     WHEN 'asks' THEN asks WHEN 'places' THEN places
                     WHEN 'tried_at' THEN tried_at END,
          CASE :sort WHEN '-file' THEN file WHEN '-release' THEN release
                     WHEN '-debug_id' THEN debug_id WHEN '-asks' THEN asks
                     WHEN '-places' THEN places WHEN '-tried_at' THEN tried_at END DESC,
          file, release, debug_id
 LIMIT :count OFFSET :skip;

-- name: page_missing_mappings
WITH found AS MATERIALIZED (
  SELECT module_id AS mapping, sum(asks) AS asks, count(*) AS places,
         group_concat(DISTINCT source) AS sources, max(made_at) AS tried_at
    FROM cache_entry
   WHERE kind = 'proguard' AND (:own IS NULL OR scope = :own)
     AND (:mapping IS NULL OR module_id LIKE :mapping ESCAPE '!')
   GROUP BY module_id HAVING max(state = 'ready') = 0 AND max(state = 'not_found') = 1)
SELECT mapping, asks, places, sources, tried_at, (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'mapping' THEN mapping WHEN 'asks' THEN asks WHEN 'places' THEN places
                     WHEN 'tried_at' THEN tried_at END,
          CASE :sort WHEN '-mapping' THEN mapping WHEN '-asks' THEN asks
                     WHEN '-places' THEN places WHEN '-tried_at' THEN tried_at END DESC, mapping
 LIMIT :count OFFSET :skip;

-- name: page_sources
WITH found AS MATERIALIZED (
  SELECT source, state, count(*) AS entries, count(DISTINCT module) AS modules, sum(asks) AS asks,
         max(details) AS example, max(made_at) AS tried_at, min(retry_at) AS retry_at
    FROM cache_entry INDEXED BY cache_entry_failures
   WHERE state <> 'ready' AND state IN ('denied', 'download', 'timeout') AND source IS NOT NULL
     AND (:own IS NULL OR scope = :own)
     AND (:source IS NULL OR source LIKE :source ESCAPE '!')
     AND (:state IS NULL OR state LIKE :state ESCAPE '!')
   GROUP BY source, state)
SELECT source, state,
       (SELECT group_concat(DISTINCT host) FROM host_state
         WHERE host_state.source = found.source AND host_state.state = 'open'
           AND until > unixepoch()) AS blocked,
       entries, modules, asks, tried_at, retry_at, example, (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'source' THEN source WHEN 'state' THEN state WHEN 'entries' THEN entries
                     WHEN 'modules' THEN modules WHEN 'asks' THEN asks
                     WHEN 'tried_at' THEN tried_at WHEN 'retry_at' THEN retry_at END,
          CASE :sort WHEN '-source' THEN source WHEN '-state' THEN state
                     WHEN '-entries' THEN entries WHEN '-modules' THEN modules
                     WHEN '-asks' THEN asks WHEN '-tried_at' THEN tried_at
                     WHEN '-retry_at' THEN retry_at END DESC, source, state
 LIMIT :count OFFSET :skip;

-- name: page_hosts
WITH hosts AS (
  SELECT host, CASE WHEN state = 'open' AND until <= unixepoch() THEN 'half' ELSE state END AS state,
         source, named_by, since, until, words, owner
    FROM host_state),
found AS MATERIALIZED (
  SELECT host, state, source, named_by, since, until, words, owner FROM hosts
   WHERE (:host IS NULL OR host LIKE :host ESCAPE '!')
     AND (:state IS NULL OR state LIKE :state ESCAPE '!')
     AND (:source IS NULL OR source LIKE :source ESCAPE '!'))
SELECT host, state, source, named_by, since, until, words, owner, (SELECT count(*) FROM found) AS total
  FROM found
 ORDER BY CASE :sort WHEN 'host' THEN host WHEN 'state' THEN state WHEN 'source' THEN source
                     WHEN 'since' THEN since WHEN 'until' THEN until END,
          CASE :sort WHEN '-host' THEN host WHEN '-state' THEN state WHEN '-source' THEN source
                     WHEN '-since' THEN since WHEN '-until' THEN until END DESC, host, named_by, owner
 LIMIT :count OFFSET :skip;

-- name: page_failures
-- Looked for in the index alone, whose order is the usual one; the rows that are shown are read whole.
WITH found AS MATERIALIZED (
  SELECT id AS entry, made_at, kind, state, source, module, scope, repeats, asks
    FROM cache_entry INDEXED BY cache_entry_failures
   WHERE state <> 'ready' AND (:own IS NULL OR scope = :own)
     AND (:module IS NULL OR module LIKE :module ESCAPE '!')
     AND (:state IS NULL OR state LIKE :state ESCAPE '!')
     AND (:kind IS NULL OR kind LIKE :kind ESCAPE '!')
     AND (:source IS NULL OR source LIKE :source ESCAPE '!')
     AND (:scope IS NULL OR coalesce(scope, '(global)') LIKE :scope ESCAPE '!')),
shown AS MATERIALIZED (
  SELECT entry FROM found
   ORDER BY CASE :sort WHEN 'made_at' THEN made_at WHEN 'kind' THEN kind WHEN 'state' THEN state
                       WHEN 'source' THEN source WHEN 'module' THEN module WHEN 'scope' THEN scope
                       WHEN 'repeats' THEN repeats WHEN 'asks' THEN asks END,
            CASE :sort WHEN '-made_at' THEN made_at WHEN '-kind' THEN kind WHEN '-state' THEN state
                       WHEN '-source' THEN source WHEN '-module' THEN module
                       WHEN '-scope' THEN scope WHEN '-repeats' THEN repeats
                       WHEN '-asks' THEN asks END DESC, entry DESC
   LIMIT :count OFFSET :skip)
SELECT module, module_id, state, kind, source, coalesce(scope, '(global)') AS scope, details,
       substr(key_text, instr(key_text, 'location: ') + 10,
              instr(substr(key_text, instr(key_text, 'location: ') + 10), char(10)) - 1) AS location,
       made_at, retry_at, repeats, asks, id, (SELECT count(*) FROM found) AS total
  FROM shown CROSS JOIN cache_entry ON id = entry;

-- name: page_total
SELECT count(*) AS entries, coalesce(sum(size_bytes), 0) AS bytes
  FROM cache_entry INDEXED BY cache_entry_by_space;
