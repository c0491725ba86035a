-- 0007-missing-symbols.sql -- what modules that nobody has are called, as lists of missing symbols have it.
-- (Released: never edited.  Prose stands in schema.sql.)

ALTER TABLE cache_entry ADD COLUMN debug_file TEXT;
ALTER TABLE cache_entry ADD COLUMN debug_id TEXT;
ALTER TABLE cache_entry ADD COLUMN code_file TEXT;
ALTER TABLE cache_entry ADD COLUMN code_id TEXT;

CREATE VIEW v_missing_symbols AS
SELECT coalesce(debug_file, '') AS debug_file, coalesce(debug_id, '') AS debug_id,
       coalesce(max(code_file), '') AS code_file, coalesce(max(code_id), '') AS code_id,
       max(asks) AS count, group_concat(DISTINCT source) AS sources_without,
       strftime('%Y-%m-%dT%H:%M:%SZ', max(made_at), 'unixepoch') AS last_tried_utc
  FROM cache_entry
 WHERE kind = 'object_meta' AND (debug_id IS NOT NULL OR code_id IS NOT NULL)
 GROUP BY debug_file, coalesce(debug_id, code_id), debug_id IS NULL
HAVING max(state = 'ready') = 0 AND max(state = 'not_found') = 1
 ORDER BY count DESC, 1, 2, 3, 4;
