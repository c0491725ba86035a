-- 0002-key-text.sql -- what an entry is made of, for people; space by kind and scope.
-- (Released: never edited.  Prose stands in schema.sql.)

ALTER TABLE cache_entry ADD COLUMN key_text TEXT;

CREATE VIEW v_space AS
SELECT kind, coalesce(scope, '(global)') AS scope,
       count(*) FILTER (WHERE state = 'ready') AS ready,
       count(*) FILTER (WHERE state <> 'ready') AS failures,
       sum(size_bytes) AS bytes, round(sum(size_bytes) / 1048576.0, 1) AS mib,
       datetime(max(used_at), 'unixepoch') AS last_use_utc
  FROM cache_entry GROUP BY kind, coalesce(scope, '(global)') ORDER BY bytes DESC, kind, 2;

DROP VIEW v_negative;

CREATE VIEW v_negative AS
SELECT id, state, kind, module, source, coalesce(scope, '(global)') AS scope, details,
       substr(key_text, instr(key_text, 'location: ') + 10,
              instr(substr(key_text, instr(key_text, 'location: ') + 10), char(10)) - 1) AS location,
       datetime(made_at, 'unixepoch') AS made_utc,
       unixepoch() - made_at AS age_seconds,
       datetime(retry_at, 'unixepoch') AS retry_utc,
       max(retry_at - unixepoch(), 0) AS retry_in_seconds, repeats, asks
  FROM cache_entry WHERE state <> 'ready' ORDER BY made_at DESC, id DESC;

DROP VIEW v_sources_failing;

CREATE VIEW v_sources_failing AS
SELECT source, state, count(*) AS entries, count(DISTINCT module) AS modules,
       sum(asks) AS asks, max(details) AS example,
       datetime(max(made_at), 'unixepoch') AS last_utc,
       max(min(retry_at) - unixepoch(), 0) AS retry_in_seconds
  FROM cache_entry
 WHERE state IN ('denied', 'download', 'timeout') AND source IS NOT NULL
 GROUP BY source, state ORDER BY entries DESC, source;
