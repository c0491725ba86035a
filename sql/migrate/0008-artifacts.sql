-- 0008-artifacts.sql -- files of releases that nobody has.
-- (Released: never edited.  Prose stands in schema.sql.)

ALTER TABLE cache_entry ADD COLUMN release TEXT;

CREATE VIEW v_missing_artifacts AS
SELECT module AS file, coalesce(release, '') AS release, coalesce(module_id, '') AS debug_id,
       sum(asks) AS asks, count(*) AS places_without,
       group_concat(DISTINCT source) AS sources_without,
       group_concat(DISTINCT state) AS states,
       max(substr(key_text, instr(key_text, 'location: ') + 10,
                  instr(substr(key_text, instr(key_text, 'location: ') + 10), char(10)) - 1)) AS location,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc
  FROM cache_entry
 WHERE kind = 'sourcefiles' AND instr(key_text, char(10) || 'form: js' || char(10)) > 0
 GROUP BY module, coalesce(release, ''), coalesce(module_id, '') HAVING max(state = 'ready') = 0
 ORDER BY asks DESC, file, 2, 3;

CREATE VIEW v_scraping_failures AS
SELECT url, coalesce(release, '') AS release, coalesce(module_id, '') AS debug_id,
       max(made_at) AS last_tried_at, state, details, count(*) AS times, sum(asks) AS asks,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc,
       max(retry_at - unixepoch(), 0) AS retry_in_seconds
  FROM (SELECT *, substr(place, 1, instr(place || '#', '#') - 1) AS url
          FROM (SELECT *, substr(key_text, instr(key_text, 'location: ') + 10,
                                 instr(substr(key_text, instr(key_text, 'location: ') + 10), char(10)) - 1)
                          AS place
                  FROM cache_entry WHERE source = 'web-scraping' AND state <> 'ready'))
 GROUP BY url, coalesce(release, ''), coalesce(module_id, '')
 ORDER BY last_tried_at DESC, url, 2, 3;
