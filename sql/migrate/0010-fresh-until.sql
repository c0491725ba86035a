-- 0010-fresh-until.sql -- files from the web count as long as their servers say.
-- (Released: never edited.  Prose stands in schema.sql.)

ALTER TABLE cache_entry ADD COLUMN fresh_until INTEGER;
