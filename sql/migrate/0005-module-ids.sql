-- 0005-module-ids.sql -- which build of a module an entry is of; what is under way; times in ISO 8601.
-- (Released: never edited.  Prose stands in schema.sql.)

ALTER TABLE cache_entry ADD COLUMN module_id TEXT;
ALTER TABLE flight ADD COLUMN module TEXT;
ALTER TABLE flight ADD COLUMN key_text TEXT;

CREATE INDEX cache_entry_by_module_id ON cache_entry (module_id) WHERE module_id IS NOT NULL;

DROP VIEW v_jobs;
DROP VIEW v_jobs_slow;
DROP VIEW v_cache_by_kind;
DROP VIEW v_cache_by_scope;
DROP VIEW v_space;
DROP VIEW v_missing;
DROP VIEW v_negative;
DROP VIEW v_sources_failing;

CREATE VIEW v_jobs AS
SELECT id, kind, coalesce(scope, '(global)') AS scope, state,
       strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch') AS created_utc,
       unixepoch() - created_at AS age_seconds,
       CASE WHEN millis IS NOT NULL THEN round(millis / 1000.0, 3)
            ELSE coalesce(finished_at, unixepoch()) - created_at END AS took_seconds,
       attempt, owner, body_bytes, result_bytes, x_request_id
  FROM job ORDER BY seq DESC;

CREATE VIEW v_jobs_slow AS
SELECT id, kind, state,
       CASE WHEN millis IS NOT NULL THEN round(millis / 1000.0, 3)
            ELSE coalesce(finished_at, unixepoch()) - created_at END AS took_seconds,
       claimed_at - created_at AS waited_seconds, attempt, lapses,
       strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch') AS created_utc, owner
  FROM job ORDER BY took_seconds DESC, seq;

CREATE VIEW v_cache_by_kind AS
SELECT kind, version,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       strftime('%Y-%m-%dT%H:%M:%SZ', min(used_at), 'unixepoch') AS oldest_use_utc,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS newest_utc
  FROM cache_entry GROUP BY kind, version ORDER BY bytes DESC;

CREATE VIEW v_cache_by_scope AS
SELECT coalesce(scope, '(global)') AS scope,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib
  FROM cache_entry GROUP BY 1 ORDER BY bytes DESC;

CREATE VIEW v_space AS
SELECT kind, coalesce(scope, '(global)') AS scope,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(used_at), 'unixepoch') AS last_use_utc
  FROM cache_entry GROUP BY kind, coalesce(scope, '(global)') ORDER BY bytes DESC, kind, 2;

CREATE VIEW v_space_by_module AS
SELECT coalesce(module, '(none)') AS module, module_id,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(used_at), 'unixepoch') AS last_use_utc
  FROM cache_entry GROUP BY module, module_id ORDER BY bytes DESC, module, module_id;

CREATE VIEW v_space_by_source AS
SELECT coalesce(source, '(none)') AS source,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       count(DISTINCT module) AS modules,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(used_at), 'unixepoch') AS last_use_utc
  FROM cache_entry GROUP BY source ORDER BY bytes DESC, source;

CREATE VIEW v_missing AS
SELECT module, module_id, sum(asks) AS asks, count(*) AS places_without,
       group_concat(DISTINCT source) AS sources_without,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc
  FROM cache_entry
 WHERE kind = 'object_meta' AND module IS NOT NULL
 GROUP BY module, module_id HAVING max(state = 'ready') = 0 AND max(state = 'not_found') = 1
 ORDER BY asks DESC, module, module_id;

CREATE VIEW v_negative AS
SELECT id, state, kind, module, source, coalesce(scope, '(global)') AS scope, details,
       substr(key_text, instr(key_text, 'location: ') + 10,
              instr(substr(key_text, instr(key_text, 'location: ') + 10), char(10)) - 1) AS location,
       strftime('%Y-%m-%dT%H:%M:%SZ', made_at, 'unixepoch') AS made_utc,
       unixepoch() - made_at AS age_seconds,
       strftime('%Y-%m-%dT%H:%M:%SZ', retry_at, 'unixepoch') AS retry_utc,
       max(retry_at - unixepoch(), 0) AS retry_in_seconds, repeats, asks
  FROM cache_entry WHERE state <> 'ready' ORDER BY made_at DESC, id DESC;

CREATE VIEW v_sources_failing AS
SELECT source, state, count(*) AS entries, count(DISTINCT module) AS modules,
       sum(asks) AS asks, max(details) AS example,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_utc,
       max(min(retry_at) - unixepoch(), 0) AS retry_in_seconds
  FROM cache_entry
 WHERE state IN ('denied', 'download', 'timeout') AND source IS NOT NULL
 GROUP BY source, state ORDER BY entries DESC, source;
