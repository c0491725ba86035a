-- 0013-validators.sql -- files from the web are asked for again by what their servers name their versions.
-- (Released: never edited.  Prose stands in schema.sql.)

ALTER TABLE cache_entry ADD COLUMN etag TEXT CHECK (length(etag) BETWEEN 1 AND 255);
ALTER TABLE cache_entry ADD COLUMN last_modified TEXT CHECK (length(last_modified) BETWEEN 1 AND 39);
