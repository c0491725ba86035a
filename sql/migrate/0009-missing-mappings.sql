-- 0009-missing-mappings.sql -- mappings of JVM programs that nobody has.
-- (Released: never edited.  Prose stands in schema.sql.)

CREATE VIEW v_missing_mappings AS
SELECT module_id AS mapping, sum(asks) AS asks, count(*) AS places_without,
       group_concat(DISTINCT source) AS sources_without,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc
  FROM cache_entry WHERE kind = 'proguard'
 GROUP BY module_id HAVING max(state = 'ready') = 0 AND max(state = 'not_found') = 1
 ORDER BY asks DESC, mapping;
